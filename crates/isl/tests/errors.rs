//! Errors, budgets, closures that fail, contexts that must not mix.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use isl::{Ctx, DimType, Error, ErrorKind, Map, Result, ScheduleNode, Set, SetList, UnionSet, Val};

#[test]
fn syntax_errors_name_the_text() {
    let ctx = Ctx::new();
    let error = ctx.parse::<Set>("{ [i] : 0 <= }").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert!(error.message().contains("0 <= }"), "{error}");
    assert!(error.file().is_some_and(|file| file.ends_with(".c")));
    assert!(error.line().is_some_and(|line| line > 0));
    assert!("nonsense".parse::<Map>().is_err());
    assert!("".parse::<Set>().is_err());
    assert!("{ [i] : \0 }".parse::<Set>().is_err());
}

#[test]
fn incompatible_spaces_are_an_error_with_isl_words() -> Result<()> {
    let ctx = Ctx::new();
    let a: Set = ctx.parse("{ A[i] }")?;
    let b: Set = ctx.parse("{ B[i] }")?;
    let error = a.clone().intersect(b.clone()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert!(error.message().contains("spaces don't match"), "{error}");
    assert!(!error.is_budget());
    assert_eq!(a.clone().union(a.clone())?, a);
    Ok(())
}

#[test]
fn positions_out_of_range_are_errors() -> Result<()> {
    let ctx = Ctx::new();
    let set: Set = ctx.parse("{ [i] : 0 <= i < 3 }")?;
    assert!(set.clone().fix_si(DimType::Set, 7, 0).is_err());
    assert!(set.clone().project_out(DimType::Set, usize::MAX, 1).is_err());
    assert!(set.clone().drop_constraints_involving_dims(DimType::Set, 0, u32::MAX as usize).is_err());
    assert!(SetList::from_vec(&ctx, vec![set])?.get_at(3).is_err());
    let half = Val::int_from_si(&ctx, 1)?.div(Val::int_from_si(&ctx, 2)?)?;
    assert_eq!(half.to_string(), "1/2");
    Ok(())
}

#[test]
fn contexts_do_not_mix() -> Result<()> {
    let (one, other) = (Ctx::new(), Ctx::new());
    let a: Set = one.parse("{ [i] : i > 0 }")?;
    let b: Set = other.parse("{ [i] : i > 0 }")?;
    assert_eq!(a.clone().intersect(b.clone()).unwrap_err().kind(), ErrorKind::MixedContexts);
    assert_eq!(a.is_subset(&b).unwrap_err().kind(), ErrorKind::MixedContexts);
    assert_ne!(a, b);
    // Nor through the result of a closure.
    let list = SetList::from_vec(&one, vec![a])?;
    assert_eq!(list.map(|_| Ok(b.clone())).unwrap_err().kind(), ErrorKind::MixedContexts);
    assert_eq!(one.live_objects(), 0);
    Ok(())
}

#[test]
fn a_spent_budget_is_an_error_and_the_context_goes_on() -> Result<()> {
    let ctx = Ctx::new();
    let set: Set = ctx.parse("[n, m] -> { [i, j, k] : 0 <= i < n and i <= j < m and 2k = i + j }")?;
    let other: Set = ctx.parse("[n, m] -> { [i, j, k] : 0 <= i < n and i <= j < m }")?;
    let spent = ctx.with_budget(20, || set.clone().lexmin()).unwrap_err();
    assert!(spent.is_budget(), "{spent:?}");
    assert_eq!(spent.kind(), ErrorKind::Budget);
    let shown = ctx.with_budget(0, || set.to_string());
    assert!(shown.contains("operations"), "{shown}");
    let equal = ctx.with_budget(0, || set.try_eq(&other));
    assert!(equal.is_err_and(|e| e.is_budget()));
    assert_eq!(ctx.operations_left(), None);
    assert!(!set.lexmin()?.is_empty()?);
    Ok(())
}

#[test]
fn budgets_are_exact_and_deterministic() -> Result<()> {
    let text = "[n] -> { [i, j] : 0 <= i < n and 0 <= j < i }";
    // Each in a context of its own: isl keeps some of the blocks that it has used, and asks for fewer the next time.
    let enough = |n: u64| {
        let ctx = Ctx::new();
        ctx.with_budget(n, || ctx.parse::<Set>(text).is_ok())
    };
    let needed = (0..100_000).find(|n| enough(*n)).expect("some budget is enough");
    assert!(needed > 5);
    for _ in 0..3 {
        assert!(!enough(needed - 1));
        assert!(enough(needed));
    }
    let ctx = Ctx::new();
    ctx.with_budget(needed + 10, || {
        let _set = ctx.parse::<Set>(text);
        assert_eq!(ctx.operations_left(), Some(10));
        assert_eq!(ctx.operations_left(), Some(10));
    });
    Ok(())
}

#[test]
fn budgets_nest() -> Result<()> {
    let ctx = Ctx::new();
    let text = "{ [i] : 0 <= i < 10 }";
    ctx.with_budget(5, || {
        // An inner budget cannot exceed what is left of the outer one.
        let inner = ctx.with_budget(1_000_000, || (ctx.operations_left(), ctx.parse::<Set>(text)));
        assert_eq!(inner.0, Some(5));
        assert!(inner.1.is_err_and(|e| e.is_budget()));
        assert_eq!(ctx.operations_left(), Some(0));
    });
    ctx.with_budget(1_000, || {
        assert!(ctx.with_budget(3, || ctx.parse::<Set>(text)).is_err());
        assert_eq!(ctx.operations_left(), Some(997));
        assert!(ctx.parse::<Set>(text).is_ok());
        assert!(ctx.with_budget(u64::MAX, || ctx.parse::<Set>(text)).is_ok());
    });
    assert!(ctx.parse::<Set>(text).is_ok());
    Ok(())
}

#[test]
fn a_panic_restores_the_budget() {
    let ctx = Ctx::new();
    let caught = catch_unwind(AssertUnwindSafe(|| ctx.with_budget(1, || panic!("on purpose"))));
    assert!(caught.is_err());
    assert_eq!(ctx.operations_left(), None);
    assert!(ctx.parse::<Set>("{ [i] : 0 <= i < 10 }").is_ok());
}

#[test]
fn an_error_in_a_closure_comes_out_unchanged() -> Result<()> {
    let ctx = Ctx::new();
    let set: Set = ctx.parse("{ [i] : 0 <= i < 10 }")?;
    let calls = Cell::new(0);
    let error = set
        .foreach_point(|_| {
            calls.set(calls.get() + 1);
            if calls.get() == 3 { Err(Error::other(std::fmt::Error)) } else { Ok(()) }
        })
        .unwrap_err();
    assert_eq!(calls.get(), 3, "isl stops at the error");
    assert_eq!(error.kind(), ErrorKind::Callback);
    assert!(error.into_other().is_ok_and(|e| e.is::<std::fmt::Error>()));

    // An isl error inside the closure keeps its kind.
    let inner = set.foreach_point(|_| ctx.with_budget(0, || ctx.parse::<Set>("{ [0] }")).map(drop));
    assert!(inner.is_err_and(|e| e.is_budget()));
    assert_eq!(set.n_basic_set()?, 1);
    Ok(())
}

#[test]
fn a_panic_in_a_closure_resumes_after_isl_has_returned() -> Result<()> {
    let ctx = Ctx::new();
    let set: Set = ctx.parse("{ [i] : 0 <= i < 10 }")?;
    let mut calls = 0;
    let caught = catch_unwind(AssertUnwindSafe(|| {
        set.foreach_point(|_| {
            calls += 1;
            panic!("on purpose")
        })
    }));
    let payload = caught.expect_err("the panic comes out");
    assert_eq!(payload.downcast_ref::<&str>(), Some(&"on purpose"));
    assert_eq!(calls, 1);
    assert_eq!(ctx.live_objects(), 1);
    assert!(set.lexmin().is_ok());
    Ok(())
}

#[test]
fn a_failing_comparison_comes_out_although_c_cannot_say_so() -> Result<()> {
    let ctx = Ctx::new();
    let sets = vec![ctx.parse("{ [1] }")?, ctx.parse("{ [0] }")?, ctx.parse("{ [2] }")?];
    let list = SetList::from_vec(&ctx, sets)?;
    let mut calls = 0;
    let error = list
        .sort(|_, _| {
            calls += 1;
            Err(Error::other("undecided"))
        })
        .unwrap_err();
    assert_eq!((error.to_string().as_str(), calls), ("undecided", 1));
    assert_eq!(ctx.live_objects(), 0);
    Ok(())
}

#[test]
fn tests_of_every_element_stop_early() -> Result<()> {
    let ctx = Ctx::new();
    let domain: UnionSet = ctx.parse("{ A[i]; B[i]; C[i] }")?;
    let mut seen = 0;
    let all = domain.every_set(|set| {
        seen += 1;
        set.has_tuple_id().map(|_| false)
    })?;
    assert!(!all);
    assert_eq!(seen, 1);
    Ok(())
}

#[test]
fn closures_may_use_isl_and_nest() -> Result<()> {
    let ctx = Ctx::new();
    let domain: UnionSet = ctx.parse("{ A[i] : 0 <= i < 3; B[i, j] : 0 <= i < 2 and 0 <= j < 2 }")?;
    let mut points = 0;
    domain.foreach_set(|set| {
        set.foreach_point(|point| {
            points += 1;
            let single = Set::from_point(point)?;
            if single.is_subset(&set)? { Ok(()) } else { Err(Error::other("not inside")) }
        })
    })?;
    assert_eq!(points, 7);
    Ok(())
}

#[test]
fn schedule_nodes_outlive_the_schedule_and_the_walk() -> Result<()> {
    let ctx = Ctx::new();
    let schedule: isl::Schedule =
        ctx.parse("{ domain: \"{ A[i] : 0 <= i < 8 }\", child: { schedule: \"[{ A[i] -> [(i)] }]\" } }")?;
    let mut kept: Vec<ScheduleNode> = Vec::new();
    schedule.foreach_schedule_node_top_down(|node| {
        kept.push(node.clone());
        Ok(true)
    })?;
    drop(schedule);
    assert_eq!(kept.len(), 3);
    let band = kept.swap_remove(1);
    drop(kept);
    assert_eq!(band.get_type()?, isl::ScheduleNodeType::Band);
    assert_eq!(band.get_domain()?, ctx.parse("{ A[i] : 0 <= i < 8 }")?);
    Ok(())
}

#[test]
fn nothing_lives_on_after_the_context() -> Result<()> {
    let ctx = Ctx::new();
    let set: Set = ctx.parse("{ [i] : 0 <= i < 10 }")?;
    drop(ctx);
    // The handle keeps the context.
    assert_eq!(set.ctx().live_objects(), 1);
    let ctx = set.ctx().clone();
    assert_eq!(set.lexmin()?, ctx.parse("{ [0] }")?);
    Ok(())
}
