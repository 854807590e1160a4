//! The generator's C parser and naming rules, on small inputs.

#[allow(dead_code)]
#[path = "../build/names.rs"]
mod names;
#[allow(dead_code, missing_docs)]
#[path = "../build/parse.rs"]
mod parse;

use parse::{Ownership, Type, parse};

fn named(name: &str, pointers: usize) -> Type {
    Type::Named { constant: false, name: name.into(), pointers }
}

#[test]
fn reads_ownership_names_and_types() {
    let found = parse(
        "annotated_give isl_set *isl_set_fix_si(annotated_take isl_set *set,\n enum isl_dim_type type, unsigned pos, int value);",
    )
    .unwrap();
    let function = &found.functions[0];
    assert_eq!(function.name, "isl_set_fix_si");
    assert_eq!(function.signature.result.ownership, Ownership::Give);
    assert_eq!(function.signature.result.ty, named("isl_set", 1));
    let parameters = &function.signature.parameters;
    assert_eq!(parameters[0].ownership, Ownership::Take);
    assert_eq!(parameters[1].ty, Type::Enum("isl_dim_type".into()));
    assert_eq!((parameters[2].name.as_str(), &parameters[2].ty), ("pos", &named("unsigned", 0)));
    assert_eq!(
        function.prototype,
        "__isl_give isl_set *isl_set_fix_si(__isl_take isl_set *set, enum isl_dim_type type, unsigned pos, int value)"
    );
}

#[test]
fn reads_callbacks() {
    let found = parse(
        "isl_stat isl_set_foreach_point(annotated_keep isl_set *set,
            isl_stat (*fn)(annotated_take isl_point *pnt, void *user), void *user);",
    )
    .unwrap();
    let parameters = &found.functions[0].signature.parameters;
    assert_eq!(parameters.len(), 3);
    let Type::Function(callback) = &parameters[1].ty else {
        panic!("not a callback: {:?}", parameters[1]);
    };
    assert_eq!(parameters[1].name, "fn");
    assert_eq!(callback.parameters[0].ownership, Ownership::Take);
    assert_eq!(callback.parameters[1].ty, named("void", 1));
}

#[test]
fn reads_callbacks_that_give() {
    let found = parse(
        "void f(annotated_give isl_id *(*fn)(annotated_keep isl_ast_build *build, void *user), void *user);",
    )
    .unwrap();
    let Type::Function(callback) = &found.functions[0].signature.parameters[0].ty else {
        panic!("not a callback");
    };
    assert_eq!(callback.result.ownership, Ownership::Give);
    assert_eq!(callback.result.ty, named("isl_id", 1));
}

#[test]
fn reads_numbers_without_and_with_names() {
    let found =
        parse("unsigned long f(void); void g(unsigned long, long n, const char *s, double d);").unwrap();
    assert_eq!(found.functions[0].signature.result.ty, named("unsigned long", 0));
    assert!(found.functions[0].signature.parameters.is_empty());
    let parameters = &found.functions[1].signature.parameters;
    assert_eq!((parameters[0].name.as_str(), &parameters[0].ty), ("", &named("unsigned long", 0)));
    assert_eq!((parameters[1].name.as_str(), &parameters[1].ty), ("n", &named("long", 0)));
    assert!(matches!(&parameters[2].ty, Type::Named { constant: true, name, pointers: 1 } if name == "char"));
}

#[test]
fn reads_enumerations_with_aliases_and_negative_values() {
    let found = parse(
        "enum isl_dim_type { isl_dim_cst, isl_dim_out, isl_dim_set = isl_dim_out, isl_dim_all };
         typedef enum { isl_bool_error = -1, isl_bool_false = 0, isl_bool_true = 1 } isl_bool;",
    )
    .unwrap();
    assert_eq!(found.enumerations[0].name, "isl_dim_type");
    let values: Vec<i64> = found.enumerations[0].constants.iter().map(|c| c.1).collect();
    assert_eq!(values, [0, 1, 1, 2]);
    assert_eq!(found.enumerations[1].name, "isl_bool");
    assert_eq!(found.enumerations[1].constants[0], ("isl_bool_error".into(), -1));
}

#[test]
fn skips_what_is_no_prototype_and_deprecated_functions() {
    let found = parse(
        "struct isl_set; typedef struct isl_set isl_set; struct s { int a; int (*f)(int); };
         typedef int (*isl_access_level_before)(void *first, void *second);
         static inline int twice(int a) { if (a) { return 2 * a; } return 0; }
         __attribute__((__deprecated__)) annotated_give isl_set *old(void);
         annotated_give __attribute__((__deprecated__)) isl_set *older(void);
         extern struct isl_args isl_options_args; extern const char *isl_dim_type_names[];
         int kept(int a); int kept(int a);",
    )
    .unwrap();
    let names: Vec<&str> = found.functions.iter().map(|f| f.name.as_str()).collect();
    assert_eq!(names, ["kept"]);
}

#[test]
fn marks_what_it_does_not_understand() {
    let found = parse("void f(int values[3]); void g(annotated_give isl_val **v);").unwrap();
    assert!(
        matches!(&found.functions[0].signature.parameters[0].ty, Type::Other(text) if text.contains("values"))
    );
    let out = &found.functions[1].signature.parameters[0];
    assert_eq!((out.ownership, &out.ty), (Ownership::Give, &named("isl_val", 2)));
}

#[test]
fn damaged_input_is_an_error_or_nothing() {
    assert!(parse("enum e { a = \"x };").is_err());
    assert!(parse("enum e { a = b };").is_err());
    assert!(parse("int f(int a").unwrap().functions.is_empty());
    assert!(parse("").unwrap().functions.is_empty());
    assert!(parse("} } ; ( ; ) ;").unwrap().functions.is_empty());
}

#[test]
fn names_follow_rust() {
    assert_eq!(names::type_name("isl_union_pw_multi_aff"), "UnionPwMultiAff");
    assert_eq!(names::type_name("isl_pw_qpolynomial_list"), "PwQPolynomialList");
    assert_eq!(names::method_name("mod"), "r#mod");
    assert_eq!(names::method_name("to_C_str"), "to_c_str");
    let constants =
        ["isl_ast_expr_op_and", "isl_ast_expr_op_and_then", "isl_ast_expr_op_or"].map(str::to_owned);
    assert_eq!(names::variant_names(&constants), ["And", "AndThen", "Or"]);
}
