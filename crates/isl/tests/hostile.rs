//! Arguments that isl itself does not check are refused, not followed into foreign memory.
//!
//! The cases are those in which isl crashed when every bound function was called with unfit arguments; each is an
//! error now, and the context goes on.

use isl::{
    BasicMap, BasicSet, Ctx, DimType, ErrorKind, Map, MultiAff, MultiVal, Point, PwAff, QPolynomial, Result,
    Schedule, ScheduleConstraints, Set, Space, Val,
};

#[track_caller]
fn refused<T>(result: Result<T>) {
    match result {
        Ok(_) => panic!("accepted"),
        Err(error) => assert_eq!(error.kind(), ErrorKind::Invalid, "{error}"),
    }
}

#[test]
fn positions_are_checked_where_isl_does_not() -> Result<()> {
    let ctx = Ctx::new();
    let set = || ctx.parse::<Set>("[n] -> { [i, j] : 0 <= i < j < n }");
    let basic = || ctx.parse::<BasicSet>("[n] -> { [i, j] : 0 <= i < j < n }");
    refused(basic()?.project_out(DimType::Set, 1, 1000));
    refused(basic()?.project_out(DimType::All, 0, 1));
    refused(basic()?.eliminate(DimType::Set, 7, 1));
    refused(set()?.move_dims(DimType::Param, 9, DimType::Set, 0, 1));
    refused(set()?.fix_si(DimType::Cst, 0, 3));
    refused(set()?.dim_residue_class_val(5));
    let map: Map = ctx.parse("{ [i, j] -> [k] : i <= k <= j }")?;
    refused(map.clone().eliminate(DimType::In, 2, 1));
    refused(map.clone().drop_constraints_involving_dims(DimType::Out, 1000, 1));
    refused(map.equate(DimType::In, 0, DimType::Out, 3));
    let tuple: MultiAff = ctx.parse("{ [i, j] -> [i, j + 1] }")?;
    refused(tuple.involves_dims(DimType::In, 1, 1000));
    refused(tuple.move_dims(DimType::Param, 0, DimType::In, 2, 1));
    let piece: PwAff = ctx.parse("{ [i] -> [(i)] : i > 0 }")?;
    refused(piece.move_dims(DimType::Param, 3, DimType::In, 0, 1));
    refused(QPolynomial::var_on_domain(ctx.parse("{ [i] }")?, DimType::Set, 4));
    refused(Point::zero(ctx.parse("{ [i] }")?)?.add_ui(DimType::Set, 3, 1));
    // The ends of the valid range are accepted.
    assert_eq!(set()?.insert_dims(DimType::Set, 2, 1)?.dim(DimType::Set)?, 3);
    assert_eq!(set()?.project_out(DimType::Set, 0, 2)?.dim(DimType::Set)?, 0);
    Ok(())
}

#[test]
fn orders_need_a_relation_space_that_is_wide_enough() -> Result<()> {
    let ctx = Ctx::new();
    let narrow: Space = ctx.parse("{ [i] -> [j, k] }")?;
    refused(BasicMap::equal(narrow.clone(), 2));
    refused(BasicMap::less_at(narrow.clone(), 1));
    refused(Map::lex_lt_first(narrow.clone(), 2));
    refused(Map::lex_ge_first(ctx.parse("{ [i, j] }")?, 1));
    assert_eq!(BasicMap::equal(narrow, 1)?, ctx.parse("{ [i] -> [i, k] }")?);
    Ok(())
}

#[test]
fn spaces_and_divisors_are_checked() -> Result<()> {
    let ctx = Ctx::new();
    let set: Set = ctx.parse("[n] -> { S[i] : 0 <= i < n and i mod 3 = 0 }")?;
    refused(set.clone().gist(ctx.parse("{ [A[i] -> B[j]] : i < j }")?));
    // Parameters may differ.
    assert_eq!(set.clone().gist(ctx.parse("[m] -> { S[i] : i < m }")?)?.dim(DimType::Param)?, 2);
    let zero = || Val::zero(&ctx);
    refused(Val::one(&ctx)?.r#mod(zero()?));
    refused(ctx.parse::<MultiVal>("{ [3, 4] }")?.mod_val(zero()?));
    Ok(())
}

#[test]
fn schedules_are_read_in_flow_style_only() -> Result<()> {
    let ctx = Ctx::new();
    let good = "{ domain: \"{ A[i] : 0 <= i < 8 }\", child: { schedule: \"[{ A[i] -> [(i)] }]\", permutable: 1, coincident: [ 1 ] } }";
    let schedule: Schedule = ctx.parse(good)?;
    let again: Schedule = ctx.parse(&schedule.to_string())?;
    assert_eq!(again.get_map()?, schedule.get_map()?);
    for end in 0..good.len() {
        refused(ctx.parse::<Schedule>(&good[..end]));
    }
    let deep = format!("{}{}", "{ child: ".repeat(100_000), "}".repeat(100_000));
    for bad in ["", "S", "1", "{ [i] }", "{ 1: 2 }", "{ : }", "{ domain: }", "[", "{ a: b } c", deep.as_str()]
    {
        refused(ctx.parse::<Schedule>(bad));
        refused(ctx.parse::<ScheduleConstraints>(bad));
    }
    assert_eq!(ctx.live_objects(), 2);
    Ok(())
}

#[test]
fn deep_nesting_does_not_exhaust_the_stack() -> Result<()> {
    let ctx = Ctx::new();
    let nested =
        |open: &str, close: &str, n: usize| format!("{{ [i] : {}i{} > 0 }}", open.repeat(n), close.repeat(n));
    for (open, close) in [("(", ")"), ("floor(", ")"), ("exists e : ", "")] {
        refused(ctx.parse::<Set>(&nested(open, close, 1_000_000)));
        assert!(nested(open, close, 1_000_000).parse::<Set>().is_err());
    }
    assert_eq!(ctx.parse::<Set>(&nested("(", ")", 900))?, ctx.parse("{ [i] : i > 0 }")?);
    // Many quantifiers beside each other are no nesting.
    let many: Vec<String> = (0..1100).map(|n| format!("[{n}] : exists (e : e = {n})")).collect();
    assert!(ctx.parse::<Set>(&format!("{{ {} }}", many.join("; "))).is_ok());
    Ok(())
}
