//! Random arrays: shapes, subscripts and loop bounds are drawn, linearized, expanded and shuffled; then
//!
//! * every subscript that is found linearizes back to the offset it came from;
//! * for parameter values for which the condition holds, the relation of every access has exactly the cells that brute
//!   force finds, with all subscripts but the outermost inside.
//!
//! `ORTHANT_DELINEARIZE_CASES=100000` asks for more cases than every test run has, `ORTHANT_DELINEARIZE_SEED` for others.

use delinearize::{Access, Atom, Cells, Monomial, Options, Poly, Problem, View, delinearize};
use fastrand::Rng;
use isl::{Ctx, DimType, Map, Set};
use std::collections::{BTreeMap, BTreeSet};

const PARAMS: [&str; 4] = ["n", "m", "p", "q"];

/// An access as the program has it.
#[derive(Debug)]
struct Drawn {
    /// In granules of the array that was drawn.
    subscripts: Vec<Poly>,
    /// Lower and upper bound of each counter, in earlier counters and parameters.
    bounds: Vec<(Poly, Poly)>,
    offset: Poly,
    bytes: u64,
}

#[derive(Debug)]
struct Case {
    sizes: Vec<Poly>,
    accesses: Vec<Drawn>,
    context: String,
    layout: Layout,
}

/// How subscripts become an offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    /// Sizes in cells.
    Cells,
    /// The innermost size in bytes.
    Pitch,
    /// Two dimensions, a stride in cells for each.
    Strides,
    /// Two dimensions, rows that are a cell longer than the one before.
    Lower,
    /// Two dimensions, rows that are a cell shorter than the one before, the first of `q` cells.
    Upper,
}

/// What happened, so that a test that tests nothing is noticed.
#[derive(Debug, Default)]
struct Counts {
    accesses: usize,
    exact: usize,
    cases: usize,
    shaped: usize,
    as_drawn: usize,
    proved: usize,
    held: usize,
    checked_instances: usize,
    /// All accesses run and all subscripts as drawn are inside for these values, and the condition says so, too.
    inside: usize,
    inside_and_held: usize,
    packed: usize,
}

impl Counts {
    fn plus(self, other: Self) -> Self {
        Self {
            accesses: self.accesses + other.accesses,
            exact: self.exact + other.exact,
            cases: self.cases + other.cases,
            shaped: self.shaped + other.shaped,
            as_drawn: self.as_drawn + other.as_drawn,
            proved: self.proved + other.proved,
            held: self.held + other.held,
            checked_instances: self.checked_instances + other.checked_instances,
            inside: self.inside + other.inside,
            inside_and_held: self.inside_and_held + other.inside_and_held,
            packed: self.packed + other.packed,
        }
    }
}

#[test]
fn conditions_are_sufficient() {
    let number = |name: &str, or: u64| {
        std::env::var(name).map_or(or, |text| text.parse().unwrap_or_else(|_| panic!("{name} is no number")))
    };
    let cases = number("ORTHANT_DELINEARIZE_CASES", 2000);
    let seed = number("ORTHANT_DELINEARIZE_SEED", 0);
    let threads = std::thread::available_parallelism().map_or(1, |threads| threads.get() as u64);
    let run = |thread: u64| {
        let mut counts = Counts::default();
        for case in (thread..cases).step_by(threads as usize) {
            let mut rng = Rng::with_seed(seed.wrapping_mul(1 << 32).wrapping_add(case));
            let drawn = draw(&mut rng);
            let checked = check(&drawn, &mut rng, &mut counts);
            checked.unwrap_or_else(|why| panic!("case {case}: {why}\n{drawn:#?}"));
        }
        counts
    };
    let counts = std::thread::scope(|scope| {
        let all: Vec<_> = (0..threads).map(|thread| scope.spawn(move || run(thread))).collect();
        all.into_iter().map(|thread| thread.join().unwrap()).fold(Counts::default(), Counts::plus)
    });
    println!("{counts:#?}");
    // Not a measure of quality, but a guard against a test without content.
    assert!(counts.exact * 2 > counts.accesses, "{counts:?}");
    assert!(
        counts.shaped * 3 > counts.cases && counts.held > counts.cases && counts.packed > 0,
        "{counts:?}"
    );
}

fn pick<T: Clone>(rng: &mut Rng, items: &[T]) -> T {
    items[rng.usize(..items.len())].clone()
}

fn sum(a: &Poly, b: &Poly) -> Poly {
    a.add(b).unwrap()
}

fn number(value: i128) -> Poly {
    Poly::constant(value)
}

fn draw(rng: &mut Rng) -> Case {
    let dims = rng.usize(1..=4);
    let sizes: Vec<Poly> = (1..dims).map(|_| draw_size(rng)).collect();
    let granule = pick(rng, &[1, 2, 4, 8]);
    let layout = match (rng.u8(..16), granule % 2) {
        (0, _) => Layout::Pitch,
        (1, _) => Layout::Strides,
        (2, 0) => Layout::Lower,
        (3, 0) => Layout::Upper,
        _ => Layout::Cells,
    };
    let accesses = (0..rng.usize(1..=4)).map(|_| draw_access(rng, &sizes, granule, layout)).collect();
    let least = pick(rng, &["-3", "0", "1", "2"]);
    let known: Vec<_> = PARAMS.iter().map(|param| format!("{param} >= {least}")).collect();
    let context = format!("[{}] -> {{ : {} }}", PARAMS.join(", "), known.join(" and "));
    Case { sizes, accesses, context, layout }
}

fn draw_size(rng: &mut Rng) -> Poly {
    let param = Poly::param(pick(rng, &PARAMS));
    match rng.u8(..10) {
        0..4 => param,
        4 => param.scale(rng.i128(2..4)).unwrap(),
        5 => sum(&param, &number(rng.i128(-1..=3))),
        6 => sum(&param, &Poly::param(pick(rng, &PARAMS))),
        7 => sum(&param.scale(2).unwrap(), &number(1)),
        _ => number(rng.i128(2..9)),
    }
}

fn draw_access(rng: &mut Rng, sizes: &[Poly], granule: u64, layout: Layout) -> Drawn {
    let counters = rng.usize(1..=sizes.len() + 1) as u32;
    let bounds = (0..counters).map(|at| draw_bounds(rng, sizes, at)).collect();
    let mut subscripts = vec![draw_subscript(rng, counters, 0, None)];
    for (at, size) in sizes.iter().enumerate() {
        subscripts.push(draw_subscript(rng, counters, at as u32 + 1, Some(size)));
    }
    let cells = |place: Poly| place.scale(granule.into()).unwrap();
    let offset = match layout {
        Layout::Cells => cells(linearized(&subscripts, sizes)),
        Layout::Pitch => {
            let (last, outer) = subscripts.split_last().unwrap();
            linearized(&[outer, &[cells(last.clone())]].concat(), sizes)
        }
        Layout::Strides => {
            let [outer, inner] = ["n", "m"].map(Poly::param);
            let last = subscripts.last().unwrap().mul(&inner).unwrap();
            cells(sum(&subscripts[0].mul(&outer).unwrap(), &last))
        }
        Layout::Lower | Layout::Upper => {
            let (row, last) = (&subscripts[0], subscripts.last().unwrap());
            let half = |poly: Poly| poly.scale(i128::from(granule) / 2).unwrap();
            let start = match layout {
                Layout::Lower => half(row.mul(&sum(row, &number(1))).unwrap()),
                _ => {
                    let length = Poly::param("q").scale(2).unwrap().sub(row).unwrap();
                    half(row.mul(&sum(&length, &number(1))).unwrap())
                }
            };
            sum(&start, &cells(last.clone()))
        }
    };
    let offset = shuffled(rng, &offset);
    Drawn { subscripts, bounds, offset, bytes: granule * pick(rng, &[1, 1, 1, 2]) }
}

/// Mostly a box, sometimes a triangle.
fn draw_bounds(rng: &mut Rng, sizes: &[Poly], at: u32) -> (Poly, Poly) {
    let lower = match rng.u8(..8) {
        0 => number(1),
        1 if at > 0 => Poly::counter(rng.u32(..at)),
        2 => number(-1),
        _ => number(0),
    };
    let upper = match (rng.u8(..10), at.checked_sub(1).and_then(|at| sizes.get(at as usize))) {
        (0..6, Some(size)) => size.clone(),
        (6, Some(size)) => sum(size, &number(-1)),
        (7, _) if at > 0 => Poly::counter(rng.u32(..at)),
        (8, _) => number(rng.i128(1..6)),
        _ => Poly::param(pick(rng, &PARAMS)),
    };
    (lower, upper)
}

fn draw_subscript(rng: &mut Rng, counters: u32, at: u32, size: Option<&Poly>) -> Poly {
    let own = Poly::counter(at.min(counters - 1));
    let any = Poly::counter(rng.u32(..counters));
    match (rng.u8(..16), size) {
        (0..8, _) => own,
        (8, _) => sum(&own, &number(rng.i128(-2..=2))),
        (9, Some(size)) => sum(size, &number(-1)).sub(&own).unwrap(),
        (10, Some(size)) => sum(size, &number(-rng.i128(1..3))),
        (11, _) => own.scale(2).unwrap(),
        (12, _) => sum(&own, &any),
        (13, _) => sum(&own, &Poly::param(pick(rng, &PARAMS))),
        (14, _) => number(rng.i128(0..3)),
        _ => any,
    }
}

fn linearized(subscripts: &[Poly], sizes: &[Poly]) -> Poly {
    let mut place = subscripts[0].clone();
    for (subscript, size) in subscripts[1..].iter().zip(sizes) {
        place = place.mul(size).unwrap().add(subscript).unwrap();
    }
    place
}

/// The same sum, added up in another order and with detours.
fn shuffled(rng: &mut Rng, poly: &Poly) -> Poly {
    let mut terms: Vec<(Monomial, i128)> = poly.terms().map(|(product, c)| (product.clone(), c)).collect();
    rng.shuffle(&mut terms);
    let detour = Poly::param("n").scale(rng.i128(1..100)).unwrap();
    let start =
        terms.into_iter().fold(detour.clone(), |all, (product, c)| sum(&all, &Poly::term(product, c)));
    start.sub(&detour).unwrap()
}

fn name(atom: &Atom) -> String {
    atom.to_string()
}

fn domain(bounds: &[(Poly, Poly)]) -> String {
    let counters: Vec<_> = (0..bounds.len()).map(|at| format!("i{at}")).collect();
    let parts = bounds.iter().zip(&counters);
    let parts: Vec<_> = parts
        .map(|((lower, upper), counter)| format!("{} <= {counter} < {}", lower.text(name), upper.text(name)))
        .collect();
    format!("[{}] -> {{ S[{}] : {} }}", PARAMS.join(", "), counters.join(", "), parts.join(" and "))
}

type Check = Result<(), String>;

fn check(case: &Case, rng: &mut Rng, counts: &mut Counts) -> Check {
    let ctx = Ctx::new();
    let access = |drawn: &Drawn| Access {
        offset: Some(drawn.offset.clone()),
        bytes: drawn.bytes,
        domain: ctx.parse(&domain(&drawn.bounds)).unwrap(),
        writes: true,
    };
    let context: Set = ctx.parse(&case.context).unwrap();
    let accesses = case.accesses.iter().map(access).collect();
    let problem = Problem {
        context: context.clone(),
        accesses,
        products: Default::default(),
        units: vec![],
        declared: None,
    };
    let view = delinearize(&problem, &Options::default()).map_err(|error| error.to_string())?;
    counts.cases += 1;
    counts.packed += usize::from(view.rows.is_some());
    counts.shaped += usize::from(!view.sizes.is_empty());
    counts.as_drawn += usize::from(view.sizes == case.sizes && !case.sizes.is_empty());
    counts.proved += usize::from(view.is_always_valid().unwrap());
    for (drawn, cells) in case.accesses.iter().zip(&view.accesses) {
        counts.accesses += 1;
        counts.exact += usize::from(cells.is_exact());
        check_back(drawn, cells, &view)?;
    }
    for _ in 0..4 {
        let values: BTreeMap<&str, i128> = PARAMS.iter().map(|&param| (param, rng.i128(-1..6))).collect();
        check_at(case, &view, &context, &values, counts)?;
    }
    Ok(())
}

/// Linearizes the subscripts that were found.
fn check_back(drawn: &Drawn, cells: &Cells, view: &View) -> Check {
    let Cells::Exact { pieces, granules, .. } = cells else { return Ok(()) };
    if granules * view.granule != drawn.bytes {
        return Err(format!("{granules} granules of {} are not {} bytes", view.granule, drawn.bytes));
    }
    for piece in pieces {
        let back = match &view.rows {
            None => linearized(&piece.subscripts, &view.sizes).scale(view.granule.into()).unwrap(),
            Some(rows) => {
                let place = rows.twice_start(&piece.subscripts[0]).unwrap();
                let place = sum(&place, &piece.subscripts[1].scale(2).unwrap());
                place.scale(view.granule.into()).unwrap().div_exact(&number(2)).unwrap().unwrap()
            }
        };
        // Under an assumption about a value, only values can be compared, which the caller does.
        let is_assumed = back.atoms().len() < drawn.offset.atoms().len();
        if unshared(&back) != drawn.offset && !is_assumed {
            return Err(format!("{:?} leads to {back}, not to {}", piece.subscripts, drawn.offset));
        }
    }
    Ok(())
}

/// With `8*(pitch/8)` written as `pitch`.
fn unshared(poly: &Poly) -> Poly {
    let mut result = Poly::default();
    for (product, mut coefficient) in poly.terms() {
        let mut atoms = Vec::new();
        for (atom, power) in product.powers() {
            for _ in 0..*power {
                match atom {
                    Atom::Share(name, by) => {
                        assert_eq!(coefficient % by, 0, "{poly}");
                        coefficient /= by;
                        atoms.push(Atom::Param(name.clone()));
                    }
                    _ => atoms.push(atom.clone()),
                }
            }
        }
        result = sum(&result, &Poly::term(Monomial::product(atoms), coefficient));
    }
    result
}

fn value_at(values: &BTreeMap<&str, i128>, counters: &[i128], atom: &Atom) -> i128 {
    match atom {
        Atom::Counter(position) => counters[*position as usize],
        Atom::Param(name) => values[&**name],
        Atom::Share(name, by) => values[&**name] / by,
    }
}

/// All instances for these parameter values.
fn instances(bounds: &[(Poly, Poly)], values: &BTreeMap<&str, i128>) -> Vec<Vec<i128>> {
    let mut all = vec![vec![]];
    for (lower, upper) in bounds {
        let mut next = Vec::new();
        for outer in all {
            let at = |bound: &Poly| bound.eval(|atom| value_at(values, &outer, atom)).unwrap();
            next.extend((at(lower)..at(upper)).map(|counter| [&outer[..], &[counter]].concat()));
        }
        all = next;
    }
    all
}

fn check_at(
    case: &Case,
    view: &View,
    context: &Set,
    values: &BTreeMap<&str, i128>,
    counts: &mut Counts,
) -> Check {
    let equal: Vec<_> = values.iter().map(|(param, value)| format!("{param} = {value}")).collect();
    let point = format!("[{}] -> {{ : {} }}", PARAMS.join(", "), equal.join(" and "));
    let point: Set = context.ctx().parse(&point).unwrap();
    if !point.is_subset(context).unwrap() {
        return Ok(());
    }
    let holds = point.is_subset(&view.valid).unwrap();
    let runs = case.accesses.iter().all(|drawn| !instances(&drawn.bounds, values).is_empty());
    let inside = runs
        && case.layout == Layout::Cells
        && case.accesses.iter().all(|drawn| is_inside(drawn, &case.sizes, values));
    counts.inside += usize::from(inside);
    counts.inside_and_held += usize::from(inside && holds);
    counts.held += usize::from(holds);
    for (index, drawn) in case.accesses.iter().enumerate().filter(|_| holds) {
        if view.accesses[index].is_exact() {
            let relation = view.relation(index).unwrap().intersect_params(point.clone()).unwrap();
            check_cells(drawn, view, &relation, values, counts)
                .map_err(|why| format!("access {index} at {values:?}: {why}"))?;
        }
    }
    Ok(())
}

/// Whether the subscripts that were drawn are inside the array that was drawn.
fn is_inside(drawn: &Drawn, sizes: &[Poly], values: &BTreeMap<&str, i128>) -> bool {
    instances(&drawn.bounds, values).iter().all(|counters| {
        let at = |poly: &Poly| poly.eval(|atom| value_at(values, counters, atom)).unwrap();
        drawn.subscripts[1..]
            .iter()
            .zip(sizes)
            .all(|(subscript, size)| (0..at(size)).contains(&at(subscript)))
    })
}

/// Whether a cell is inside, and where it is.
fn place(view: &View, cell: &[i128], sizes: &[i128], values: &BTreeMap<&str, i128>) -> (bool, i128) {
    match &view.rows {
        None => {
            let inner = cell[1..].iter().zip(sizes);
            let is_inside = inner.clone().all(|(subscript, size)| (0..*size).contains(subscript));
            (is_inside, inner.fold(cell[0], |place, (subscript, size)| place * size + subscript))
        }
        Some(rows) => {
            let row = Poly::constant(cell[0]);
            let at = |poly: Poly| poly.eval(|atom| value_at(values, &[], atom)).unwrap();
            let (start, length) = (at(rows.twice_start(&row).unwrap()) / 2, at(rows.length(&row).unwrap()));
            ((0..length).contains(&cell[1]), start + cell[1])
        }
    }
}

/// Compares a relation for fixed parameter values with brute force.
fn check_cells(
    drawn: &Drawn,
    view: &View,
    relation: &Map,
    values: &BTreeMap<&str, i128>,
    counts: &mut Counts,
) -> Check {
    let dims = drawn.bounds.len();
    let sizes: Vec<i128> =
        view.sizes.iter().map(|size| size.eval(|atom| value_at(values, &[], atom)).unwrap()).collect();
    let mut found: BTreeSet<(Vec<i128>, i128)> = BTreeSet::new();
    let mut wrong = None;
    let pairs = relation.clone().wrap().unwrap();
    pairs
        .foreach_point(|point| {
            let all: Vec<i128> = (0..dims + view.dims())
                .map(|at| Ok(point.get_coordinate_val(DimType::Set, at)?.get_num_si()?.into()))
                .collect::<isl::Result<_>>()?;
            let (counters, cell) = all.split_at(dims);
            let (is_inside, place) = place(view, cell, &sizes, values);
            if !is_inside {
                wrong = Some(format!("{counters:?} touches {cell:?} outside of {sizes:?}"));
            }
            if !found.insert((counters.to_vec(), place)) {
                wrong = Some(format!("{counters:?} touches {place} twice"));
            }
            Ok(())
        })
        .unwrap();
    if let Some(wrong) = wrong {
        return Err(wrong);
    }
    let mut expected = BTreeSet::new();
    for counters in instances(&drawn.bounds, values) {
        counts.checked_instances += 1;
        let offset = drawn.offset.eval(|atom| value_at(values, &counters, atom)).unwrap();
        let (first, granule) = (offset / i128::from(view.granule), i128::from(view.granule));
        for at in first..first + i128::from(drawn.bytes) / granule {
            expected.insert((counters.clone(), at));
        }
    }
    match found == expected {
        true => Ok(()),
        false => Err(format!("found {found:?}, expected {expected:?}")),
    }
}
