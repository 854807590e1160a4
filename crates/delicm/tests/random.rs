//! Random scops with scalars keep the flow of their values (the check) and their results (the oracle).
//!
//! `DELICM_CASES` sets how many, `DELICM_SEED` the first one.

use dataflow::content::{Contents, Flows};
use delicm::expand::{Loops, expand};
use delicm::{Options, check, coalesce, delicm, forward, simplify};
use interp::random::{Shape, promoted_text, scop_text};
use interp::results;
use isl::Ctx;
use model::{ArrayId, ArrayKind, Scop};

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

/// One in ten is anything, the others are made so that there is something to do.
fn random(seed: u64) -> (String, Scop) {
    let mut rng = fastrand::Rng::with_seed(seed);
    let text = match seed % 10 {
        // The oracle cuts unbounded accesses down to what the others touch, and some of those go.
        0 => scop_text(&mut rng, &Shape { bodies: true, depth: 2, unbounded: false, ..Shape::default() }),
        _ => promoted_text(&mut rng),
    };
    let scop = Scop::parse(&Ctx::new(), &text).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
    (text, scop)
}

/// Cells that somebody can see afterwards and that end with different values.
fn differing(old: &Scop, new: &Scop, values: &[i64]) -> Option<String> {
    let is_excluded =
        old.params.iter().zip(values).any(|(p, value)| p.range.0.is_some_and(|least| *value < least));
    if is_excluded {
        return None;
    }
    let (first, second) = (results(old, values).unwrap(), results(new, values).unwrap());
    let is_seen =
        |name: &str| old.arrays.iter().any(|a| a.name == name && (a.kind == ArrayKind::Memory || a.is_fixed));
    let mut cells: Vec<_> = first.iter().filter(|(cell, _)| is_seen(&cell.0)).collect();
    cells.sort();
    cells.into_iter().find_map(|(cell, value)| match second.get(cell) {
        Some(other) if other != value => Some(format!("{cell:?} at {values:?}")),
        // Not touched any more: it must hold what it held before.
        None if *value != interp::initial(&cell.0, &cell.1) => {
            Some(format!("{cell:?} at {values:?} is not written"))
        }
        _ => None,
    })
}

const SIZES: [[i64; 2]; 4] = [[0, 1], [1, 0], [3, 2], [4, 3]];

/// What was done in some cases.
#[derive(Debug, Default)]
struct Sum {
    /// Copied, loaded anew, mapped, removed.
    done: [u64; 4],
    /// How often the check said no, and how often the budget was spent.
    undone: [u64; 2],
    /// How many parts of statements there are.
    split: u64,
}

#[test]
fn random_scops_keep_their_results() {
    let (first, cases) = (number("DELICM_SEED", 0), number("DELICM_CASES", 500));
    let half = |odd: u64| (first..first + cases).filter(move |seed| seed % 2 == odd).map(keeps_its_results);
    let both: Vec<Vec<Sum>> = std::thread::scope(|scope| {
        let halves = [0, 1].map(|odd| scope.spawn(move || half(odd).collect()));
        halves.into_iter().map(|half| half.join().expect("a case failed")).collect()
    });
    let mut sum = Sum::default();
    for case in both.iter().flatten() {
        sum.done.iter_mut().zip(case.done).for_each(|(sum, count)| *sum += count);
        sum.undone.iter_mut().zip(case.undone).for_each(|(sum, count)| *sum += count);
        sum.split += case.split;
    }
    println!("{cases} cases: {sum:?}");
    assert!(sum.done.iter().all(|count| count * 50 >= cases), "too little was done: {sum:?}");
    assert!(sum.split * 200 >= cases, "too little was split: {sum:?}");
    // The check is not complete: it rejects what only goes round in a circle of copies. That is rare.
    assert!(sum.undone[0] * 50 <= cases, "too much was rejected: {sum:?}");
}

fn keeps_its_results(seed: u64) -> Sum {
    let (text, scop) = random(seed);
    let outcome = scop.ctx.with_budget(900_000, || delicm(&scop, &Options::default()));
    for values in &SIZES {
        if let Some(cell) = differing(&scop, &outcome.scop, values) {
            panic!("seed {seed}: {cell}\n{text}\n{}\n{}", outcome.counts, outcome.scop);
        }
    }
    let done = outcome.counts;
    let done = [done.copied, done.reloaded, done.scalars_mapped + done.phis_mapped, done.removed];
    let spent = outcome.undone.iter().filter(|(_, why)| why.contains("budget")).count();
    let undone = [outcome.undone.len() - spent, spent];
    let split = outcome.counts.split as u64;
    Sum { done: done.map(|count| count as u64), undone: undone.map(|count| count as u64), split }
}

/// What is left can be expanded, and the check agrees.
#[test]
fn expanded_scalars_keep_the_flow() {
    let (mut expanded, mut unknown, cases) = (0, 0, number("DELICM_CASES", 500) / 4);
    for seed in 0..cases {
        let (text, scop) = random(seed);
        let before = scop.ctx.with_budget(400_000, || delicm(&scop, &Options::default())).scop;
        let flows = flows(&before);
        for loops in [Loops::Innermost, Loops::All] {
            let Some(after) = expand(&before, &flows, loops).unwrap() else { continue };
            after.scop.verify().unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
            for values in &SIZES {
                let cell = differing(&scop, &after.scop, values);
                assert_eq!(cell, None, "seed {seed}\n{text}\n{}", after.scop);
            }
            expanded += 1;
            // A phi that goes round in a circle has no other name than its own, and then must be where it was.
            let verdict = verdict(&before, &after.scop, &[]).unwrap();
            unknown += u64::from(verdict != check::Verdict::Same);
        }
    }
    assert!(expanded * 20 >= cases, "only {expanded} of {cases} were expanded");
    assert!(unknown * 10 <= expanded, "{unknown} of {expanded} were rejected");
}

/// The check sees damage: a model that was changed at random either fails the check or has the same results.
#[test]
fn the_check_finds_damage() {
    let cases = number("DELICM_CASES", 500) / 4;
    let mut found = 0;
    for seed in 0..cases {
        let (text, scop) = random(seed);
        let mut rng = fastrand::Rng::with_seed(seed);
        let Some(damaged) = damage(&mut rng, &scop) else { continue };
        match scop.ctx.with_budget(1_000_000, || verdict(&scop, &damaged, &[])) {
            Ok(check::Verdict::Same) => {
                for values in &SIZES {
                    let cell = differing(&scop, &damaged, values);
                    assert_eq!(cell, None, "seed {seed}: not found\n{text}\n{damaged}");
                }
            }
            _ => found += 1,
        }
    }
    assert!(found * 3 > cases, "only {found} of {cases} changes were rejected");
}

/// Removes an access, moves one to another array's cell, or changes an operand.
fn damage(rng: &mut fastrand::Rng, scop: &Scop) -> Option<Scop> {
    let mut damaged = scop.clone();
    let at = rng.usize(..damaged.stmts.len());
    let relations: Vec<_> = scop.stmts[at].accesses.iter().map(|a| (a.array, a.relation.clone())).collect();
    let stmt = &mut damaged.stmts[at];
    if stmt.accesses.is_empty() {
        return None;
    }
    let which = rng.usize(..stmt.accesses.len());
    match rng.u8(..3) {
        0 => {
            let gone = stmt.accesses.remove(which).id;
            stmt.body.stored.retain(|(id, _)| *id != gone);
        }
        1 => {
            let other = rng.usize(..relations.len());
            (stmt.accesses[which].array, stmt.accesses[which].relation) = relations[other].clone();
        }
        _ => stmt.body.stored.first_mut()?.1 = model::Operand::Outside("%b".into()),
    }
    damaged.stmts[at].reductions.clear();
    damaged.verify().ok()?;
    Some(damaged)
}

/// So it sees that an operation that was copied has other operands than it had, or that two claims are made about one.
#[test]
fn the_check_finds_false_claims() {
    let cases = number("DELICM_CASES", 500);
    let (mut changed, mut found) = (0, 0);
    for seed in 0..cases {
        let (text, scop) = random(seed);
        let mut rng = fastrand::Rng::with_seed(seed);
        let done = forward::forward(&Contents::new(&scop).unwrap()).unwrap();
        let Some(copy) = (!done.copies.is_empty()).then(|| rng.choice(&done.copies)).flatten() else {
            continue;
        };
        let twice = [&done.copies[..], std::slice::from_ref(copy)].concat();
        assert_ne!(verdict(&scop, &done.scop, &twice).unwrap(), check::Verdict::Same, "seed {seed}\n{text}");
        let mut damaged = done.scop.clone();
        let stmt = damaged.stmts.iter_mut().find(|stmt| stmt.name == copy.stmt).unwrap();
        let at = stmt.body.ops.iter().position(|op| op.name == copy.op).unwrap();
        let others: Vec<_> = stmt.body.ops[..at].iter().flat_map(|op| op.operands.clone()).collect();
        let others = others.into_iter().chain((0..at).map(model::Operand::Op)).collect::<Vec<_>>();
        let Some(other) = rng.choice(&others) else { continue };
        let operand = rng.usize(..stmt.body.ops[at].operands.len());
        if stmt.body.ops[at].operands[operand] == *other || damaged.verify().is_err() {
            continue;
        }
        let stmt = damaged.stmts.iter_mut().find(|stmt| stmt.name == copy.stmt).unwrap();
        stmt.body.ops[at].operands[operand] = other.clone();
        changed += 1;
        match verdict(&scop, &damaged, &done.copies) {
            Ok(check::Verdict::Same) => {
                for values in &SIZES {
                    let cell = differing(&scop, &damaged, values);
                    assert_eq!(cell, None, "seed {seed}: not found\n{text}\n{damaged}");
                }
            }
            _ => found += 1,
        }
    }
    assert!(found * 2 > changed && changed * 50 > cases, "{found} of {changed} changes were rejected");
}

fn verdict(old: &Scop, new: &Scop, copies: &[delicm::Copied]) -> isl::Result<check::Verdict> {
    check::check(&Contents::new(old)?, new, copies)
}

fn flows(scop: &Scop) -> Flows {
    Flows::new(scop).unwrap()
}

/// Each transformation on its own, on what the ones before left.
#[test]
fn each_transformation_keeps_the_flow() {
    for seed in 0..number("DELICM_CASES", 500) / 10 {
        let (text, scop) = random(seed);
        let step = |old: &Scop, new: Scop, copies: &[delicm::Copied]| {
            new.verify().unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
            let verdict = verdict(old, &new, copies).unwrap();
            assert_eq!(verdict, check::Verdict::Same, "seed {seed}:\n{text}\n{new}");
            let again = Scop::parse(&new.ctx, &new.to_string()).unwrap();
            for (stmt, parsed) in new.stmts.iter().zip(&again.stmts) {
                assert_eq!(stmt.accesses.len(), parsed.accesses.len(), "seed {seed}");
                assert_eq!(stmt.body.ops.len(), parsed.body.ops.len(), "seed {seed}");
            }
            new
        };
        let done = forward::forward(&Contents::new(&scop).unwrap()).unwrap();
        let forwarded = step(&scop, done.scop, &done.copies);
        let done = coalesce::coalesce(&forwarded, &flows(&forwarded), &Options::default()).unwrap();
        let mapped = step(&forwarded, done.scop, &[]);
        let all = (0..mapped.arrays.len() as u32).map(ArrayId).collect();
        let changed = if seed % 2 == 0 { done.arrays } else { all };
        step(&mapped, simplify::simplify(&mapped, &flows(&mapped), &changed).unwrap().scop, &[]);
    }
}
