//! The way from a small program to its dependences, a schedule and loops.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use isl::{
    AccessInfo, AstBuild, AstNodeType, AstPrintOptions, Ctx, Error, Id, Map, MultiVal, Printer, Restriction,
    Result, Schedule, ScheduleConstraints, ScheduleNode, ScheduleNodeType, Set, UnionAccessInfo, UnionMap,
    UnionSet, Val, ValList,
};

/// `for i: S: A[i] = ...;  for i: T: ... = A[i] + A[i - 1]`
fn program(ctx: &Ctx) -> Result<(UnionMap, UnionMap, UnionMap)> {
    Ok((
        ctx.parse("[n] -> { S[i] -> A[i] : 0 <= i < n }")?,
        ctx.parse("[n] -> { T[i] -> A[i] : 0 <= i < n; T[i] -> A[i - 1] : 0 <= i < n }")?,
        ctx.parse("[n] -> { S[i] -> [0, i]; T[i] -> [1, i] }")?,
    ))
}

#[test]
fn flow_finds_the_last_writes() -> Result<()> {
    let ctx = Ctx::new();
    let (writes, reads, order) = program(&ctx)?;
    let flow = UnionAccessInfo::from_sink(reads)?
        .set_must_source(writes)?
        .set_schedule_map(order)?
        .compute_flow()?;
    let expected = "[n] -> { S[i] -> T[i] : 0 <= i < n; S[i] -> T[i + 1] : 0 <= i < n - 1 }";
    assert_eq!(flow.get_must_dependence()?, ctx.parse(expected)?);
    assert_eq!(flow.get_must_no_source()?, ctx.parse("[n] -> { T[0] -> A[-1] : n > 0 }")?);
    assert!(flow.get_may_no_source()?.is_subset(&ctx.parse("[n] -> { T[0] -> A[-1] : n > 0 }")?)?);
    Ok(())
}

fn access_info(ctx: &Ctx) -> Result<AccessInfo> {
    // S (tag 1) before T (tag 2), without a common loop.
    let level = |first: usize, second: usize| Ok(usize::from(first < second));
    AccessInfo::new(ctx.parse("[n] -> { T[i] -> A[i] : 0 <= i < n }")?, 2, level).add_source(
        ctx.parse("[n] -> { S[i] -> A[i] : 0 <= i < n }")?,
        true,
        1,
    )
}

#[test]
fn access_info_reports_tags() -> Result<()> {
    let ctx = Ctx::new();
    let flow = access_info(&ctx)?.compute_flow()?;
    let mut found = Vec::new();
    flow.foreach(|dependence, must, tag| {
        found.push((dependence, must, tag));
        Ok(())
    })?;
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].0, ctx.parse::<Map>("[n] -> { S[i] -> T[i] : 0 <= i < n }")?);
    assert_eq!((found[0].1, found[0].2), (true, 1));
    assert!(flow.no_source(true)?.is_empty()?);
    assert!(flow.foreach(|_, _, _| Err(Error::other("stop"))).is_err_and(|e| e.message() == "stop"));
    drop((flow, found));
    assert_eq!(ctx.live_objects(), 0);
    Ok(())
}

#[test]
fn restrictions_cut_down_the_flow() -> Result<()> {
    let ctx = Ctx::new();
    let calls = Rc::new(Cell::new(0));
    let counted = calls.clone();
    let flow = access_info(&ctx)?
        .set_restrict(move |map, _sink, tag| {
            counted.set(counted.get() + 1);
            assert_eq!(tag, 1);
            let sinks = Set::universe(map.clone().domain()?.get_space()?)?;
            let early = map.ctx().parse::<Set>("{ S[i] : i < 5 }")?;
            Restriction::input(early, sinks)
        })
        .compute_flow()?;
    assert!(calls.get() > 0);
    let mut total: Option<Map> = None;
    flow.foreach(|dependence, _, _| {
        total = Some(match total.take() {
            None => dependence,
            Some(sum) => sum.union(dependence)?,
        });
        Ok(())
    })?;
    assert_eq!(total, Some(ctx.parse("[n] -> { S[i] -> T[i] : 0 <= i < n and i < 5 }")?));

    let failing = access_info(&ctx)?.set_restrict(|_, _, _| Err(Error::other("no restriction")));
    assert_eq!(failing.compute_flow().unwrap_err().message(), "no restriction");
    let panicking = access_info(&ctx)?.set_restrict(|_, _, _| panic!("on purpose"));
    assert!(catch_unwind(AssertUnwindSafe(|| panicking.compute_flow())).is_err());
    drop((flow, total));
    assert_eq!(ctx.live_objects(), 0);
    Ok(())
}

/// A schedule for the one-dimensional Jacobi stencil.
fn stencil(ctx: &Ctx) -> Result<Schedule> {
    let domain: UnionSet = ctx.parse("[T, N] -> { S[t, i] : 0 <= t < T and 1 <= i < N - 1 }")?;
    let flow: UnionMap = ctx.parse(
        "[T, N] -> { S[t, i] -> S[t + 1, j] : 0 <= t < T - 1 and i - 1 <= j <= i + 1 and 1 <= i < N - 1 and 1 <= j < N - 1 }",
    )?;
    ScheduleConstraints::on_domain(domain)?
        .set_validity(flow.clone())?
        .set_proximity(flow)?
        .compute_schedule()
}

fn first_band(schedule: &Schedule) -> Result<ScheduleNode> {
    schedule.get_root()?.child(0)
}

#[test]
fn the_scheduler_skews_a_stencil_and_the_band_can_be_tiled() -> Result<()> {
    let ctx = Ctx::new();
    let schedule = stencil(&ctx)?;
    let band = first_band(&schedule)?;
    assert_eq!(band.get_type()?, ScheduleNodeType::Band);
    assert!(band.band_get_permutable()?);
    assert_eq!(band.band_n_member()?, 2);

    // Legal: every dependence goes forward in every band member.
    let dependences: UnionMap = ctx.parse("[T, N] -> { S[t, i] -> S[t + 1, j] : i - 1 <= j <= i + 1 }")?;
    let map = schedule.get_map()?;
    let distances = dependences.apply_domain(map.clone())?.apply_range(map)?.deltas()?;
    assert!(distances.is_subset(&ctx.parse("{ [a, b] : a >= 0 and b >= 0 }")?)?);

    let space = band.band_get_space()?;
    let sizes = ValList::from_vec(&ctx, vec![Val::int_from_si(&ctx, 32)?, Val::int_from_si(&ctx, 16)?])?;
    let tiled = band.band_tile(MultiVal::from_val_list(space, sizes)?)?;
    assert_eq!(tiled.get_schedule_depth()?, 0);
    let point = tiled.child(0)?;
    assert_eq!(point.get_type()?, ScheduleNodeType::Band);
    assert_eq!(point.get_schedule_depth()?, 2);

    let code = AstBuild::alloc(&ctx)?.node_from_schedule(point.get_schedule()?)?.to_c_str()?;
    assert_eq!(code.matches("for (").count(), 4, "{code}");
    assert!(code.contains("+= 32") || code.contains("32 *"), "{code}");
    Ok(())
}

#[test]
fn schedule_nodes_are_mapped_bottom_up() -> Result<()> {
    let ctx = Ctx::new();
    let schedule = stencil(&ctx)?;
    let mark = Id::new(&ctx, "band")?;
    let marked = schedule.clone().map_schedule_node_bottom_up(|node| match node.get_type()? {
        ScheduleNodeType::Band => node.insert_mark(mark.clone()),
        _ => Ok(node),
    })?;
    assert_eq!(first_band(&marked)?.mark_get_id()?, mark);
    let error = schedule.map_schedule_node_bottom_up(|_| Err(Error::other("no")));
    assert_eq!(error.unwrap_err().message(), "no");
    Ok(())
}

#[test]
fn hooks_see_the_loops_and_annotate_them() -> Result<()> {
    let ctx = Ctx::new();
    let schedule = stencil(&ctx)?;
    let log = Rc::new(RefCell::new(Vec::new()));
    let (before, domain) = (log.clone(), log.clone());
    let loop_id = Id::tagged(&ctx, "loop", 7)?;
    let annotation = loop_id.clone();
    let build = AstBuild::alloc(&ctx)?
        .set_before_each_for(move |build| {
            before
                .borrow_mut()
                .push(format!("for at depth {}", build.get_schedule_space()?.dim(isl::DimType::Set)?));
            Ok(annotation.clone())
        })?
        .set_at_each_domain(move |node, build| {
            domain.borrow_mut().push("domain".into());
            assert!(!build.get_schedule()?.is_empty()?);
            node.set_annotation(Id::new(build.ctx(), "stmt")?)
        })?;
    let tree = build.node_from_schedule(schedule)?;
    let seen = log.borrow().clone();
    assert_eq!(seen.iter().filter(|line| line.starts_with("for")).count(), 2, "{seen:?}");
    assert!(seen.contains(&"domain".to_owned()));
    assert_eq!(tree.get_type()?, AstNodeType::For);
    assert_eq!(tree.get_annotation()?, Some(loop_id));
    let body = tree.for_get_body()?.for_get_body()?;
    assert_eq!(body.get_type()?, AstNodeType::User);
    assert_eq!(body.get_annotation()?, Some(Id::new(&ctx, "stmt")?));
    let plain = AstBuild::alloc(&ctx)?.node_from_schedule(stencil(&ctx)?)?;
    assert_eq!(plain.get_annotation()?, None);
    Ok(())
}

/// The schedule that a leaf's build still has to generate, with one more loop.
fn one_more_loop(build: &AstBuild) -> Result<UnionMap> {
    let inner: UnionMap = build.ctx().parse("{ S[t, i] -> [k] : 0 <= k < 4 }")?;
    build.get_schedule()?.range_product(inner)
}

fn nest(ctx: &Ctx) -> Result<UnionMap> {
    ctx.parse("[T, N] -> { S[t, i] -> [t, i] : 0 <= t < T and 0 <= i < N }")
}

#[test]
fn hooks_live_as_long_as_any_copy_of_the_build() -> Result<()> {
    let ctx = Ctx::new();
    let loops = Rc::new(Cell::new(0));
    let saved: Rc<RefCell<Option<AstBuild>>> = Rc::default();
    let (save, count) = (saved.clone(), loops.clone());
    let build = AstBuild::alloc(&ctx)?
        .set_at_each_domain(move |node, build| {
            save.borrow_mut().get_or_insert(build.clone());
            Ok(node)
        })?
        // Set after the hook that saves the build: the saved copy must keep this one, too.
        .set_before_each_for(move |build| {
            count.set(count.get() + 1);
            Id::new(build.ctx(), "loop")
        })?;
    build.node_from_schedule_map(nest(&ctx)?)?;
    assert_eq!(loops.get(), 2);
    drop(build);

    // The only handle left is the copy made inside the hook; isl reaches the closure through it.
    let copy = saved.borrow_mut().take().expect("the hook ran");
    assert_eq!((Rc::strong_count(&loops), Rc::strong_count(&saved)), (2, 2));
    copy.node_from_schedule_map(one_more_loop(&copy)?)?;
    assert_eq!(loops.get(), 3);
    // The hook has saved a copy again, and so the hooks hold themselves through `saved` until it is emptied.
    drop((copy, saved.borrow_mut().take()));
    assert_eq!((Rc::strong_count(&loops), Rc::strong_count(&saved)), (1, 1));
    assert_eq!(ctx.live_objects(), 0);
    Ok(())
}

#[test]
fn nested_generation_from_a_leaf_hook() -> Result<()> {
    let ctx = Ctx::new();
    let build = AstBuild::alloc(&ctx)?
        .set_create_leaf(|build| build.node_from_schedule_map(one_more_loop(&build)?))?;
    let code = build.node_from_schedule_map(nest(&ctx)?)?.to_c_str()?;
    assert!(code.contains("S("), "{code}");
    assert_eq!(code.matches("for (").count(), 3, "{code}");
    Ok(())
}

#[test]
fn failing_hooks_come_out_of_the_generation() -> Result<()> {
    let ctx = Ctx::new();
    let schedule = stencil(&ctx)?;
    let build = AstBuild::alloc(&ctx)?.set_at_each_domain(|_, _| Err(Error::other("not this statement")))?;
    let error = build.node_from_schedule(schedule.clone()).unwrap_err();
    assert_eq!(error.message(), "not this statement");
    drop(build);

    let build = AstBuild::alloc(&ctx)?.set_after_each_for(|_, _| panic!("on purpose"))?;
    let caught = catch_unwind(AssertUnwindSafe(|| build.node_from_schedule(schedule.clone())));
    assert!(caught.is_err());
    drop(build);
    assert!(AstBuild::alloc(&ctx)?.node_from_schedule(schedule).is_ok());
    assert_eq!(ctx.live_objects(), 0);
    Ok(())
}

#[test]
fn printing_c_with_and_without_hooks() -> Result<()> {
    let ctx = Ctx::new();
    let schedule: Schedule = ctx.parse(
        "{ domain: \"[n] -> { A[i] : 0 <= i < n }\", child: { schedule: \"[{ A[i] -> [(i)] }]\" } }",
    )?;
    let tree = AstBuild::alloc(&ctx)?.node_from_schedule(schedule)?;
    assert_eq!(tree.to_c_str()?, "for (int c0 = 0; c0 < n; c0 += 1)\n  A(c0);\n");

    let options = AstPrintOptions::alloc(&ctx)?.set_print_user(|printer, _options, node| {
        let call = node.user_get_expr()?;
        printer.start_line()?.print_str(&format!("run {call};"))?.end_line()
    })?;
    let printer = Printer::to_str(&ctx)?.set_output_format(4)?;
    let text = tree.print(printer, options)?.get_str()?;
    assert!(text.contains("run "), "{text}");
    assert!(text.contains("for (int c0"), "{text}");

    let failing = AstPrintOptions::alloc(&ctx)?.set_print_user(|_, _, _| Err(Error::other("unprintable")))?;
    let printer = Printer::to_str(&ctx)?.set_output_format(4)?;
    assert_eq!(tree.print(printer, failing).unwrap_err().message(), "unprintable");
    Ok(())
}

#[test]
fn the_scheduler_obeys_the_budget() -> Result<()> {
    let ctx = Ctx::new();
    let spent = ctx.with_budget(500, || stencil(&ctx)).unwrap_err();
    assert!(spent.is_budget());
    assert_eq!(ctx.live_objects(), 0);
    assert!(stencil(&ctx).is_ok());
    Ok(())
}

#[test]
fn options_belong_to_the_context() -> Result<()> {
    let ctx = Ctx::new();
    let before = ctx.get_schedule_serialize_sccs()?;
    ctx.set_schedule_serialize_sccs(1 - before)?;
    assert_eq!(ctx.get_schedule_serialize_sccs()?, 1 - before);
    assert_eq!(Ctx::new().get_schedule_serialize_sccs()?, before);
    Ok(())
}
