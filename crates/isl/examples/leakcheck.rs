//! Uses isl in every way that could leak or corrupt memory: constructors, errors, spent budgets, closures that fail
//! and panic, flow analysis, scheduling and loop generation. `tests/leaks.rs` runs it under valgrind.

use std::panic::{AssertUnwindSafe, catch_unwind};

use isl::{
    AccessInfo, AstBuild, AstPrintOptions, Ctx, Error, Id, Map, MultiVal, Printer, Restriction, Result,
    Schedule, ScheduleConstraints, Set, SetList, Space, UnionAccessInfo, UnionMap, UnionSet, Val, ValList,
};

fn main() -> Result<()> {
    // Valgrind must see each block.
    isl::heap::each_by_itself();
    // The panics below are on purpose: keep them off the terminal.
    std::panic::set_hook(Box::new(|_| {}));
    let ctx = Ctx::new();
    constructors(&ctx)?;
    errors(&ctx)?;
    budgets(&ctx)?;
    closures(&ctx)?;
    flow(&ctx)?;
    schedules_and_loops(&ctx)?;
    threads()?;
    match ctx.live_objects() {
        0 => Ok(()),
        n => Err(Error::other(format!("{n} objects are still alive"))),
    }
}

fn check(holds: bool, what: &str) -> Result<()> {
    if holds { Ok(()) } else { Err(Error::other(what)) }
}

fn constructors(ctx: &Ctx) -> Result<()> {
    let set: Set = ctx.parse("[n] -> { A[i, j] : 0 <= i < n and exists k : j = 3k and 0 <= j < i }")?;
    let copy = set.clone();
    let map = Map::from_domain_and_range(set, copy.clone())?;
    let (_power, _exact) = map.clone().transitive_closure()?;
    check(!map.to_string().is_empty() && copy == copy.clone(), "a set equals its copy")?;
    let list = SetList::from_vec(ctx, vec![copy.clone(), copy.lexmin()?])?;
    let sorted = list.sort(|a, b| Ok(a.plain_cmp(b)?.cmp(&0)))?;
    check(sorted.to_vec()?.len() == 2, "two sets")?;
    let space = Space::set_alloc(ctx, 1, 2)?.set_tuple_id(isl::DimType::Set, Id::tagged(ctx, "S", 3)?)?;
    check(Set::universe(space)?.get_tuple_id()?.tag() == 3, "the tag")
}

fn errors(ctx: &Ctx) -> Result<()> {
    let a: Set = ctx.parse("{ A[i] }")?;
    let b: Set = ctx.parse("{ B[i] }")?;
    check(a.clone().intersect(b).is_err(), "spaces differ")?;
    check(ctx.parse::<Set>("{ [i : }").is_err(), "syntax")?;
    check(ctx.parse::<Schedule>("{ domain: \"{ A[i] }\", child: { what: 1 } }").is_err(), "schedule syntax")?;
    let elsewhere: Set = Ctx::new().parse("{ A[i] }")?;
    check(a.union(elsewhere).is_err(), "contexts differ")
}

/// Every point at which the budget can run out in an analysis and a schedule.
fn budgets(ctx: &Ctx) -> Result<()> {
    let mut operations = 0;
    loop {
        let outcome = ctx.with_budget(operations, || {
            let set: Set = ctx.parse("[n] -> { [i, j] : 0 <= i < n and 0 <= 2j <= i }")?;
            set.clone().lexmin()?.union(set.lexmax()?)?.coalesce()?.to_str()
        });
        match outcome {
            Ok(_) => return budget_of_the_scheduler(ctx),
            Err(error) => check(error.is_budget(), "only the budget fails")?,
        }
        operations += 31;
    }
}

fn budget_of_the_scheduler(ctx: &Ctx) -> Result<()> {
    for operations in (0..6000).step_by(1201) {
        if let Err(error) = ctx.with_budget(operations, || stencil(ctx)) {
            check(error.is_budget(), "only the budget fails")?;
        }
    }
    Ok(())
}

fn closures(ctx: &Ctx) -> Result<()> {
    let domain: UnionSet = ctx.parse("{ A[i] : 0 <= i < 3; B[i, j] : 0 <= i < 2 and 0 <= j < 2 }")?;
    let mut sets = Vec::new();
    domain.foreach_set(|set| {
        sets.push(set);
        Ok(())
    })?;
    check(sets.len() == 2, "two spaces")?;
    check(sets[0].foreach_point(|_| Err(Error::other("stop"))).is_err(), "an error comes out")?;
    let panicked = catch_unwind(AssertUnwindSafe(|| sets[0].foreach_point(|_| panic!("on purpose"))));
    check(panicked.is_err(), "a panic comes out")?;
    let list = SetList::from_vec(ctx, sets)?;
    let panicked = catch_unwind(AssertUnwindSafe(|| list.clone().map(|_| panic!("on purpose"))));
    check(panicked.is_err(), "a panic comes out of a map")?;
    check(list.map(|set| set.lexmin()).is_ok(), "the list is usable")
}

fn flow(ctx: &Ctx) -> Result<()> {
    let writes = "[n] -> { S[i] -> A[i] : 0 <= i < n }";
    let reads = "[n] -> { T[i] -> A[i] : 0 <= i < n }";
    let order: UnionMap = ctx.parse("{ S[i] -> [0, i]; T[i] -> [1, i] }")?;
    let union = UnionAccessInfo::from_sink(ctx.parse(reads)?)?
        .set_must_source(ctx.parse(writes)?)?
        .set_schedule_map(order)?;
    check(!union.compute_flow()?.get_must_dependence()?.is_empty()?, "a dependence")?;

    let info = || {
        let level = |first: usize, second: usize| Ok(usize::from(first < second));
        AccessInfo::new(ctx.parse(reads)?, 2, level).add_source(ctx.parse(writes)?, true, 1)
    };
    let restricted = info()?.set_restrict(|map, _, _| Restriction::none(map.clone())).compute_flow()?;
    restricted.foreach(|_, must, tag| check(must && tag == 1, "the source"))?;
    let failing = info()?.set_restrict(|_, _, _| Err(Error::other("no")));
    check(failing.compute_flow().is_err(), "a failing restriction")?;
    let panicking = info()?.set_restrict(|_, _, _| panic!("on purpose"));
    check(catch_unwind(AssertUnwindSafe(|| panicking.compute_flow())).is_err(), "a panicking restriction")?;
    let level = |_: usize, _: usize| Err(Error::other("unordered"));
    let unordered = AccessInfo::new(ctx.parse(reads)?, 2, level).add_source(ctx.parse(writes)?, true, 1)?;
    check(unordered.compute_flow().is_err(), "a failing order")
}

fn stencil(ctx: &Ctx) -> Result<Schedule> {
    let domain: UnionSet = ctx.parse("[T, N] -> { S[t, i] : 0 <= t < T and 1 <= i < N - 1 }")?;
    let flow: UnionMap = ctx.parse("[T, N] -> { S[t, i] -> S[t + 1, j] : i - 1 <= j <= i + 1 }")?;
    ScheduleConstraints::on_domain(domain)?
        .set_validity(flow.clone())?
        .set_proximity(flow)?
        .compute_schedule()
}

fn schedules_and_loops(ctx: &Ctx) -> Result<()> {
    let band = stencil(ctx)?.get_root()?.child(0)?;
    let sizes = ValList::from_vec(ctx, vec![Val::int_from_si(ctx, 32)?, Val::int_from_si(ctx, 32)?])?;
    let sizes = MultiVal::from_val_list(band.band_get_space()?, sizes)?;
    let tiled = band.band_tile(sizes)?.get_schedule()?;

    let name = Id::new(ctx, "loop")?;
    let build = AstBuild::alloc(ctx)?.set_before_each_for(move |_| Ok(name.clone()))?.set_at_each_domain(
        |node, build| {
            let _copy = build.clone();
            node.set_annotation(Id::new(build.ctx(), "statement")?)
        },
    )?;
    let tree = build.node_from_schedule(tiled.clone())?;
    check(tree.to_c_str()?.contains("for ("), "loops")?;
    let options = AstPrintOptions::alloc(ctx)?
        .set_print_user(|printer, _, node| printer.start_line()?.print_ast_node(node)?.end_line())?;
    check(!tree.print(Printer::to_str(ctx)?, options)?.get_str()?.is_empty(), "text")?;

    let failing = build.clone().set_after_each_for(|_, _| Err(Error::other("no")))?;
    check(failing.node_from_schedule(tiled.clone()).is_err(), "a failing hook")?;
    let panicking = build.set_at_each_domain(|_, _| panic!("on purpose"))?;
    let caught = catch_unwind(AssertUnwindSafe(|| panicking.node_from_schedule(tiled)));
    check(caught.is_err(), "a panicking hook")
}

/// The contexts behind `str::parse` end with their threads.
fn threads() -> Result<()> {
    let counts = std::thread::spawn(|| "{ [i] : 0 <= i < 5 }".parse::<Set>()?.count_val()?.get_num_si());
    check(matches!(counts.join(), Ok(Ok(5))), "five points")
}
