//! What the headers do not say.
//!
//! Everything here is a short list with one line per entry; the generator has no other special cases. Entries are
//! checked against the headers when the bindings are generated, so that a stale line is an error, not a leftover.

/// Functions whose safe form is written by hand, and where. Only their raw declaration is generated.
pub const BY_HAND: &[(&str, &str)] = &[
    ("isl_ctx_alloc", "ctx.rs"),
    ("isl_ctx_free", "ctx.rs"),
    ("isl_ctx_last_error", "ctx.rs"),
    ("isl_ctx_last_error_msg", "ctx.rs"),
    ("isl_ctx_last_error_file", "ctx.rs"),
    ("isl_ctx_last_error_line", "ctx.rs"),
    ("isl_ctx_reset_error", "ctx.rs"),
    ("isl_options_set_on_error", "ctx.rs"),
    ("isl_ctx_set_max_operations", "budget.rs"),
    ("isl_ctx_get_max_operations", "budget.rs"),
    ("isl_ctx_reset_operations", "budget.rs"),
    ("isl_malloc_or_die", "budget.rs"),
    ("isl_version", "lib.rs"),
    ("isl_id_alloc", "id.rs"),
    ("isl_id_get_user", "id.rs"),
    ("isl_access_info_alloc", "flow.rs"),
    ("isl_access_info_set_restrict", "flow.rs"),
    ("isl_access_info_add_source", "flow.rs"),
    ("isl_access_info_compute_flow", "flow.rs"),
    ("isl_flow_foreach", "flow.rs"),
    ("isl_flow_get_no_source", "flow.rs"),
    ("isl_flow_free", "flow.rs"),
];

/// Types that have a `free` function and are nevertheless no generated handle: a raw declaration is all they get.
pub const OPAQUE_TYPES: &[&str] =
    &["isl_ctx", "isl_options", "isl_access_info", "isl_flow", "isl_mat", "isl_vec"];

/// Functions (or, with a trailing `*`, families of functions) that are left out, and why.
pub const EXCLUDED: &[(&str, &str)] = &[
    ("isl_ctx_*", "the context's lifetime, error state and options belong to `Ctx`"),
    ("isl_options_get_on_error", "the error mode is fixed: errors are returned"),
    ("isl_stat_non_null", "a helper for C code; `Result` takes its place"),
    ("isl_bool_not", "a helper for C code; `Result<bool>` takes its place"),
    ("isl_bool_ok", "a helper for C code; `Result<bool>` takes its place"),
    ("isl_handle_error", "raises an isl error from C code"),
    ("isl_calloc_or_die", "isl's allocator"),
    ("isl_realloc_or_die", "isl's allocator"),
    ("isl_id_set_free_user", "tags of identifiers are numbers (`Id::tagged`), nothing to free"),
    ("isl_val_int_from_chunks", "takes raw limbs; read the number from its decimal notation instead"),
    ("isl_val_get_abs_num_chunks", "gives raw limbs; print the number in its decimal notation instead"),
    ("isl_val_n_abs_num_chunks", "only useful with raw limbs"),
    ("isl_mat_*", "isl's own linear algebra, which does not check positions; use constraints"),
    ("isl_vec_*", "isl's own linear algebra, which does not check positions; use constraints"),
    ("isl_id_read_from_str", "follows a null pointer on text that is no name; use `Id::new`"),
    ("isl_id_to_ast_expr_read_from_str", "follows a null pointer on text that is not its own"),
    ("isl_id_to_id_read_from_str", "follows a null pointer on text that is not its own"),
    ("isl_id_to_pw_aff_read_from_str", "follows a null pointer on text that is not its own"),
    ("isl_map_to_basic_set_read_from_str", "follows a null pointer on text that is not its own"),
    ("isl_map_unshifted_simple_hull_from_map_list", "does not check that the spaces match"),
    ("isl_set_unshifted_simple_hull_from_set_list", "does not check that the spaces match"),
    ("isl_qpolynomial_fold_move_dims", "does not check positions; move them in the piecewise form"),
    ("isl_set_lift", "reads past the end of an empty set; lift the basic sets"),
    ("isl_set_insert_domain", "writes past the end of some spaces; use `Map::from_domain_and_range`"),
    ("isl_multi_val_mod_multi_val", "divides by zero without a check; use `mod_val`"),
    ("isl_ast_op_type_*", "the older name of `isl_ast_expr_op_type_*`"),
];

/// Function-name endings that are left out for every type, and why.
pub const EXCLUDED_ENDINGS: &[(&str, &str)] = &[
    ("_dump", "prints to stderr; use `Debug`"),
    ("_free", "is `Drop`"),
    ("_copy", "is `Clone`"),
    ("_get_ctx", "is `ctx()`"),
    ("_reset_space", "replaces the space without checking that it fits"),
];

/// Free functions that become associated functions of a type whose name they do not start with.
pub const ADOPTED: &[(&str, &str, &str)] = &[
    ("isl_equality_alloc", "isl_constraint", "equality"),
    ("isl_inequality_alloc", "isl_constraint", "inequality"),
    ("isl_equality_from_aff", "isl_constraint", "equality_from_aff"),
    ("isl_inequality_from_aff", "isl_constraint", "inequality_from_aff"),
];

/// Methods whose name would not be a good Rust name.
pub const RENAMED: &[(&str, &str)] = &[
    ("isl_val_2exp", "two_exp"),
    // Nothing to do where all parameter values are meant: `src/params.rs` says so without asking isl.
    ("isl_set_intersect_params", "intersect_some_params"),
    ("isl_map_intersect_params", "intersect_some_params"),
    ("isl_union_set_intersect_params", "intersect_some_params"),
    ("isl_union_map_intersect_params", "intersect_some_params"),
    // `src/single.rs` asks part by part.
    ("isl_union_map_is_single_valued", "is_single_valued_as_a_whole"),
    // isl's coalescing can add points; `src/coalesce.rs` has the checked one.
    ("isl_set_coalesce", "coalesce_unproved"),
    ("isl_map_coalesce", "coalesce_unproved"),
    ("isl_union_set_coalesce", "coalesce_unproved"),
    ("isl_union_map_coalesce", "coalesce_unproved"),
    ("isl_pw_aff_coalesce", "coalesce_unproved"),
    ("isl_pw_multi_aff_coalesce", "coalesce_unproved"),
    ("isl_multi_pw_aff_coalesce", "coalesce_unproved"),
    ("isl_multi_union_pw_aff_coalesce", "coalesce_unproved"),
    ("isl_pw_qpolynomial_coalesce", "coalesce_unproved"),
    ("isl_pw_qpolynomial_fold_coalesce", "coalesce_unproved"),
    ("isl_union_pw_aff_coalesce", "coalesce_unproved"),
    ("isl_union_pw_multi_aff_coalesce", "coalesce_unproved"),
    ("isl_union_pw_qpolynomial_coalesce", "coalesce_unproved"),
    ("isl_union_pw_qpolynomial_fold_coalesce", "coalesce_unproved"),
];

/// Types that store callbacks. Their handles keep the closures alive (see `callback.rs`).
pub const HOOKED_TYPES: &[&str] = &["isl_ast_build", "isl_ast_print_options"];

/// Functions that may return null without an error: the result is optional.
pub const OPTIONAL_RESULT: &[&str] = &["isl_ast_node_get_annotation"];

/// Functions that return an `int` which is an `isl_bool` in all but name.
pub const TRUTH_AS_INT: &[&str] =
    &["isl_basic_set_is_rational", "isl_constraint_is_equal", "isl_map_is_translation"];

/// Endings of functions that return the `int` position of what they look for, or -1 when there is none.
pub const SEARCHES: &[&str] = &["_find_dim_by_name", "_find_dim_by_id"];

/// Types without an `is_equal` of their own, and the conversion to the type that decides equality for them.
pub const EQUAL_THROUGH: &[(&str, &str)] = &[
    ("isl_aff", "PwAff::from_aff(SELF)"),
    ("isl_multi_aff", "PwMultiAff::from_multi_aff(SELF)"),
    ("isl_union_pw_aff", "UnionMap::from_union_pw_aff(SELF)"),
    ("isl_union_pw_multi_aff", "UnionMap::from_union_pw_multi_aff(SELF)"),
];

/// `int` parameters with these names count or index something; they are `usize` in Rust.
pub const POSITIONS: &[&str] = &["pos", "pos1", "pos2", "index", "n", "generation"];

/// Checks that isl leaves out and without which it would touch memory that it should not. The functions are those of
/// `src/guard.rs`. (Positions that follow a dimension type need no line: they are always checked.)
pub const GUARDS: &[(&str, &str)] = &[
    ("isl_basic_map_equal", "in_both_tuples(&space, 0, n_equal)"),
    ("isl_basic_map_less_at", "in_both_tuples(&space, pos, 1)"),
    ("isl_basic_map_more_at", "in_both_tuples(&space, pos, 1)"),
    ("isl_map_lex_lt_first", "in_both_tuples(&space, 0, n)"),
    ("isl_map_lex_le_first", "in_both_tuples(&space, 0, n)"),
    ("isl_map_lex_gt_first", "in_both_tuples(&space, 0, n)"),
    ("isl_map_lex_ge_first", "in_both_tuples(&space, 0, n)"),
    ("isl_set_dim_residue_class_val", "range(self.dim(DimType::Set)?, pos, 1)"),
    ("isl_set_gist", "same_tuples(&self.get_space()?, &context.get_space()?)"),
    ("isl_map_gist", "same_tuples(&self.get_space()?, &context.get_space()?)"),
    ("isl_val_mod", "non_zero(&v2)"),
    ("isl_multi_val_mod_val", "non_zero(&v)"),
    ("isl_schedule_read_from_str", "flow_style(str)"),
    ("isl_schedule_constraints_read_from_str", "flow_style(str)"),
];

/// Function-pointer typedefs and plain structs used by functions in [`BY_HAND`], as Rust types.
pub const RAW_TYPES: &[(&str, &str)] = &[
    ("isl_access_level_before", "unsafe extern \"C\" fn(*mut c_void, *mut c_void) -> c_int"),
    (
        "isl_access_restrict",
        "unsafe extern \"C\" fn(*mut isl_map, *mut isl_set, *mut c_void, *mut c_void) -> *mut isl_restriction",
    ),
];

/// One sentence for the types a reader meets first.
pub const TYPE_DOCS: &[(&str, &str)] = &[
    ("isl_set", "A parametric set of integer tuples: a union of basic sets in one space."),
    ("isl_basic_set", "A set described by one conjunction of affine constraints."),
    ("isl_map", "A parametric binary relation between integer tuples in one space."),
    ("isl_basic_map", "A relation described by one conjunction of affine constraints."),
    ("isl_union_set", "A union of sets from different spaces."),
    ("isl_union_map", "A union of relations from different spaces."),
    ("isl_aff", "A quasi-affine expression on one domain space."),
    ("isl_pw_aff", "A piecewise quasi-affine expression."),
    ("isl_multi_aff", "A tuple of quasi-affine expressions."),
    ("isl_pw_multi_aff", "A piecewise tuple of quasi-affine expressions."),
    ("isl_multi_pw_aff", "A tuple of piecewise quasi-affine expressions."),
    ("isl_union_pw_aff", "Piecewise quasi-affine expressions on different domain spaces."),
    ("isl_union_pw_multi_aff", "Piecewise tuples of expressions on different spaces."),
    ("isl_multi_union_pw_aff", "A tuple of union piecewise expressions: a band of a schedule."),
    ("isl_multi_val", "A tuple of rational values."),
    ("isl_val", "A rational number, an infinity or NaN, of arbitrary size."),
    ("isl_id", "An identifier: a name with an optional numeric tag."),
    ("isl_space", "The parameters and tuples that a set, relation or expression lives on."),
    ("isl_local_space", "A space with integer divisions."),
    ("isl_constraint", "One affine equality or inequality."),
    ("isl_point", "An element of a set, with parameter values."),
    ("isl_schedule", "A schedule tree."),
    ("isl_schedule_node", "A position in a schedule tree."),
    ("isl_schedule_constraints", "Domain and dependences handed to the scheduler."),
    ("isl_ast_build", "The state from which loops are generated; carries the hooks."),
    ("isl_ast_node", "A node of a generated loop tree."),
    ("isl_ast_expr", "An expression of a generated loop tree."),
    ("isl_ast_print_options", "How to print a loop tree; carries the hooks."),
    ("isl_union_access_info", "Sinks, sources, kills and a schedule, ready for flow analysis."),
    ("isl_union_flow", "The dependences found by flow analysis."),
    ("isl_restriction", "What an access restriction allows (see `AccessInfo::set_restrict`)."),
    ("isl_qpolynomial", "A quasi-polynomial."),
    ("isl_pw_qpolynomial", "A piecewise quasi-polynomial."),
    ("isl_printer", "Builds up a text."),
];
