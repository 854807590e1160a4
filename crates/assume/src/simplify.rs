//! From what was collected to what must be tested (paper 002, Section 5).
//!
//! What is *known* grows: the types and value ranges of the parameters, then that numbers are moderate (so that all else
//! can be computed in 64 bits), then that new loops are worth running (module `worth`), then one assumption about parameters after
//! the other, the small ones first. Where nothing is executed the original code runs, so what an assumption says about
//! such parameters is *irrelevant*: `M <= 100 or N <= 0` becomes `M <= 100`.
//!
//! - An assumption that what is known implies is not tested.
//! - Existentials are projected out of what is bad, so that more is bad: a remainder is not worth a division.
//! - What is left is a restriction or a positive assumption, whichever is smaller.
//! - If nothing is left that is good, the nest is not versioned: [`Infeasible`] names the assumption that did it.

use crate::worth::worth_running;
use isl::Set;
use model::{Assumption, Condition, Kind, Scop, SourceLoc};

/// What became of all assumptions of a nest.
#[derive(Clone, Debug)]
pub struct Assumed {
    /// One for each entry of the ledger, in its order.
    pub taken: Vec<Taken>,
    /// The entries about parameters that are tested, in the order in which they are.
    pub order: Vec<usize>,
    /// What the parameters are known to be before anything is tested: `{ : ... }`.
    pub context: Set,
    /// Parameters for which new loops are worth running: something is executed, all loops run where they can, and are long enough
    /// ([`crate::enough()`]).
    pub worth_running: Set,
    /// Of those the parameters for which all that can be said by parameters holds.
    pub valid: Set,
}

/// What became of an assumption.
#[derive(Clone, Debug)]
pub struct Taken {
    /// The assumption.
    pub assumption: Assumption,
    /// How it is tested.
    pub fate: Fate,
}

/// How an assumption is tested.
#[derive(Clone, Debug)]
pub enum Fate {
    /// Not at all: it follows from what is known.
    Implied,
    /// The parameters are in this set: `{ : ... }`.
    Positive(Set),
    /// The parameters are not in this set: `{ : ... }`.
    Restriction(Set),
    /// By addresses or products: [`crate::check()`] knows.
    ByValue,
}

/// An assumption that never holds.
#[derive(Clone, Debug)]
pub struct Infeasible {
    /// What kind.
    pub kind: Kind,
    /// What it protects.
    pub why: String,
    /// Where.
    pub loc: Option<SourceLoc>,
}

impl Assumed {
    /// An assumption that has to be tested at run time.
    pub fn first_tested(&self) -> Option<&Taken> {
        self.taken.iter().find(|taken| !matches!(taken.fate, Fate::Implied))
    }
}

/// Makes the assumptions of a model small. `Err` within `Ok`: one of them never holds.
pub fn simplify(scop: &Scop) -> isl::Result<Result<Assumed, Infeasible>> {
    let entries = scop.ledger.entries();
    let (moderate, others): (Vec<usize>, Vec<usize>) = (0..entries.len())
        .filter(|&index| matches!(entries[index].holds, Condition::Params(_) | Condition::Never(_)))
        .partition(|&index| entries[index].kind == Kind::ModerateSize);
    let first = match take(entries, &moderate, scop.context.clone())? {
        Ok(steps) => steps,
        Err(infeasible) => return Ok(Err(infeasible)),
    };
    let worth = worth_running(scop)?;
    let mut known = first.known.clone().intersect(worth.clone())?.coalesce()?;
    if known.is_empty()? {
        // The nest does nothing at all, or so it seems because an assumption never holds.
        known = first.known.clone();
    }
    let second = match take(entries, &small_first(entries, others)?, known.clone())? {
        Ok(steps) => steps,
        Err(infeasible) => return Ok(Err(infeasible)),
    };
    let needed = without_implied(entries, &second.tested(), &known)?;
    let second = match needed.len() < second.tested().len() {
        true => take(entries, &needed, known)?.unwrap_or(second),
        false => second,
    };
    let fates = first.fates.into_iter().chain(second.fates).collect();
    Ok(Ok(assumed(entries, fates, (scop.context.clone(), worth, second.known.coalesce()?))))
}

/// What is not among these fates is implied, if parameters decide it.
fn assumed(
    entries: &[Assumption],
    fates: Vec<(usize, Fate)>,
    (context, worth_running, valid): (Set, Set, Set),
) -> Assumed {
    let order = fates.iter().map(|(index, _)| *index).collect();
    let taken = entries.iter().enumerate().map(|(index, assumption)| {
        let is_about_params = matches!(assumption.holds, Condition::Params(_) | Condition::Never(_));
        let known = fates.iter().find(|(at, _)| *at == index).map(|(_, fate)| fate.clone());
        let fate = known.unwrap_or(if is_about_params { Fate::Implied } else { Fate::ByValue });
        Taken { assumption: assumption.clone(), fate }
    });
    Assumed { taken: taken.collect(), order, context, worth_running, valid }
}

/// Those entries that the others together do not imply, given what is known. Large ones go first.
fn without_implied(entries: &[Assumption], indices: &[usize], known: &Set) -> isl::Result<Vec<usize>> {
    let mut needed = indices.to_vec();
    for &index in indices.iter().rev().take(MOST_COMPARED) {
        let mut others = known.clone();
        for &other in needed.iter().filter(|&&other| other != index) {
            let bad = bad(&entries[other], &others)?;
            others = others.subtract(bad)?;
        }
        if needed.len() > 1 && bad(&entries[index], &others)?.is_empty()? {
            needed.retain(|&other| other != index);
        }
    }
    Ok(needed)
}

/// Comparing all with all others takes time.
const MOST_COMPARED: usize = 12;

/// `{ : ... }`: the known parameters for which an assumption does not hold.
fn bad(entry: &Assumption, known: &Set) -> isl::Result<Set> {
    match &entry.holds {
        Condition::Params(set) => known.clone().subtract(set.clone()),
        Condition::Never(set) => known.clone().intersect(set.clone()),
        _ => Set::empty(known.get_space()?),
    }
}

/// Entries about parameters with few clauses come first, and those with little to say.
fn small_first(entries: &[Assumption], indices: Vec<usize>) -> isl::Result<Vec<usize>> {
    let mut sized = Vec::new();
    for index in indices {
        if let Condition::Params(set) | Condition::Never(set) = &entries[index].holds {
            sized.push((size(set)?, index));
        }
    }
    sized.sort();
    Ok(sized.into_iter().map(|(_, index)| index).collect())
}

/// How much it takes to describe a set: clauses, then constraints.
fn size(set: &Set) -> isl::Result<(usize, usize)> {
    let clauses = set.get_basic_set_list()?;
    let mut constraints = 0;
    for position in 0..clauses.size()? {
        constraints += clauses.get_at(position)?.n_constraint()?;
    }
    Ok((clauses.size()?, constraints))
}

/// What assumptions add to what is known, one after the other.
struct Steps {
    /// What is known in the end.
    known: Set,
    /// How those that are tested are, in order.
    fates: Vec<(usize, Fate)>,
}

impl Steps {
    fn tested(&self) -> Vec<usize> {
        self.fates.iter().map(|(index, _)| *index).collect()
    }
}

fn take(entries: &[Assumption], indices: &[usize], known: Set) -> isl::Result<Result<Steps, Infeasible>> {
    let mut steps = Steps { known, fates: Vec::new() };
    for &index in indices {
        let bad = bad(&entries[index], &steps.known)?;
        if bad.is_empty()? {
            continue;
        }
        let Some((bad, good)) = split(bad, &steps.known)? else {
            let Assumption { kind, why, loc, .. } = entries[index].clone();
            return Ok(Err(Infeasible { kind, why, loc }));
        };
        let positive = good.clone().gist(steps.known.clone())?.coalesce()?;
        let restriction = bad.gist(steps.known.clone())?.coalesce()?;
        let is_smaller = size(&restriction)? < size(&positive)?;
        let fate = if is_smaller { Fate::Restriction(restriction) } else { Fate::Positive(positive) };
        steps.fates.push((index, fate));
        steps.known = good;
    }
    Ok(Ok(steps))
}

/// What is bad, perhaps more of it, and what is left. `None`: nothing is left.
fn split(bad: Set, known: &Set) -> isl::Result<Option<(Set, Set)>> {
    let bad = bad.coalesce()?;
    if bad.involves_locals()? {
        let more = bad.clone().remove_divs()?.intersect(known.clone())?.coalesce()?;
        let good = known.clone().subtract(more.clone())?.coalesce()?;
        if !good.is_empty()? {
            return Ok(Some((more, good)));
        }
    }
    let good = known.clone().subtract(bad.clone())?.coalesce()?;
    Ok(if good.is_empty()? { None } else { Some((bad, good)) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Stmt;

    /// A model of one statement in that domain, and what is assumed.
    fn assumed(domain: &str, entries: &[(Kind, &str)]) -> Result<Vec<String>, String> {
        let scop = scop(domain, entries);
        match simplify(&scop).unwrap() {
            Err(infeasible) => Err(infeasible.kind.to_string()),
            Ok(assumed) => Ok(assumed
                .taken
                .iter()
                .map(|taken| match &taken.fate {
                    Fate::Implied => "implied".into(),
                    Fate::Positive(set) => set.to_string(),
                    Fate::Restriction(set) => format!("never {set}"),
                    Fate::ByValue => "by value".into(),
                })
                .collect()),
        }
    }

    fn scop(domain: &str, entries: &[(Kind, &str)]) -> Scop {
        let ctx = isl::Ctx::new();
        let domain = Set::read_from_str(&ctx, domain).unwrap();
        let context = Set::universe(domain.clone().params().unwrap().get_space().unwrap()).unwrap();
        let stmt = Stmt {
            name: "S".into(),
            domain,
            accesses: vec![],
            reductions: vec![],
            body: Default::default(),
            loc: None,
        };
        let mut scop = Scop {
            name: "f".into(),
            ctx: ctx.clone(),
            params: vec![],
            context,
            arrays: vec![],
            stmts: vec![stmt],
            order: vec![],
            ledger: Default::default(),
            repeats: false,
            known: Default::default(),
        };
        for (kind, text) in entries {
            let holds = match text.strip_prefix("never ") {
                Some(bad) => Condition::Never(Set::read_from_str(&ctx, bad).unwrap()),
                None => Condition::Params(Set::read_from_str(&ctx, text).unwrap()),
            };
            scop.ledger.assume(Assumption { kind: *kind, holds, why: String::new(), loc: None });
        }
        scop
    }

    /// Figure 7 with `B[100][100]`: `N <= 0` is irrelevant.
    #[test]
    fn irrelevant_parameters() {
        let domain = "[N, M] -> { S[i, j] : 0 <= i < N and 0 <= j < M }";
        let left = assumed(domain, &[(Kind::InBounds, "[N, M] -> { : M <= 100 or N <= 0 }")]).unwrap();
        assert_eq!(left, ["[N, M] -> {  : M <= 100 }"]);
    }

    /// What the others imply is not tested, in whichever order they come.
    #[test]
    fn implied_by_others() {
        let domain = "[n] -> { S[i] : 0 <= i < n }";
        let left = assumed(
            domain,
            &[(Kind::NoWrap, "never [n] -> { : n > 1000 }"), (Kind::InBounds, "[n] -> { : n <= 10 }")],
        );
        assert_eq!(left.unwrap(), ["implied", "[n] -> {  : n <= 10 }"]);
    }

    /// A remainder is not worth a division: 1 is excluded too.
    #[test]
    fn existentials_are_dropped() {
        let domain = "[n] -> { S[i] : 0 <= i < n }";
        let left = assumed(domain, &[(Kind::NoWrap, "never [n] -> { : n > 100 and n mod 2 = 0 }")]).unwrap();
        assert!(!left[0].contains("mod") && !left[0].contains("exists"), "{left:?}");
    }

    #[test]
    fn infeasible() {
        let domain = "[n] -> { S[i] : 0 <= i < n }";
        let entries =
            [(Kind::NoWrap, "never [n] -> { : n > 5 }"), (Kind::NoError, "[n] -> { : n <= 0 or n > 7 }")];
        assert_eq!(assumed(domain, &entries), Err("no error".into()));
    }
}
