//! Dependences where arrays may overlap after all.
//!
//! A model takes its arrays to be apart. If two of them are not, any cell of the one may be any cell of the other: whatever
//! touches the one must stay before or after what touches the other, if one of the two writes.
//!
//! # Example
//! ```text
//! S: for i: A[i] = B[i];     apart: none; if A and B may overlap: { S[i] -> S[i'] : i < i' }
//! ```

use crate::{Dependences, before, tidy_union};
use isl::{Map, UnionMap};
use model::{Access, AccessKind, ArrayId, Scop, StmtId};

/// The same dependences, and those that pairs of arrays add which may overlap; the latter are among the output dependences.
pub fn with_overlap(
    scop: &Scop,
    known: &Dependences,
    pairs: &[(ArrayId, ArrayId)],
) -> isl::Result<Dependences> {
    let mut output = known.output.clone();
    for source in stmts(scop) {
        for sink in stmts(scop) {
            let meet = |&(a, b): &(ArrayId, ArrayId)| {
                conflict(scop, (source, a), (sink, b)) || conflict(scop, (source, b), (sink, a))
            };
            if pairs.iter().any(meet) {
                output = output.union(UnionMap::from_map(in_order(scop, source, sink)?)?)?;
            }
        }
    }
    Ok(Dependences { output: tidy_union(output)?, ..known.clone() })
}

/// Statements that touch both arrays of a pair, one of them writing, in one iteration of an outermost loop.
pub fn share_a_loop(scop: &Scop, (a, b): (ArrayId, ArrayId)) -> Vec<(StmtId, StmtId)> {
    let pairs = stmts(scop).flat_map(|source| stmts(scop).map(move |sink| (source, sink)));
    let meet = |&(source, sink): &(StmtId, StmtId)| {
        conflict(scop, (source, a), (sink, b)) && crate::shared_loops(scop, source, sink) > 0
    };
    pairs.filter(meet).collect()
}

fn stmts(scop: &Scop) -> impl Iterator<Item = StmtId> {
    (0..scop.stmts.len() as u32).map(StmtId)
}

/// Whether the one statement touches the one array, the other the other, and one of the two writes.
fn conflict(scop: &Scop, (source, a): (StmtId, ArrayId), (sink, b): (StmtId, ArrayId)) -> bool {
    let touches = |stmt: StmtId, array: ArrayId, writes: bool| {
        let is_it = |access: &Access| access.array == array && (!writes || access.kind != AccessKind::Read);
        scop.stmt(stmt).accesses.iter().any(is_it)
    };
    touches(source, a, true) && touches(sink, b, false) || touches(source, a, false) && touches(sink, b, true)
}

/// `{ S[i] -> T[j] }`: all instances in the program's order.
fn in_order(scop: &Scop, source: StmtId, sink: StmtId) -> isl::Result<Map> {
    let all = before(scop, source, sink)?;
    all.intersect_domain(scop.stmt(source).domain.clone())?.intersect_range(scop.stmt(sink).domain.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Options, dependences};
    use isl::Ctx;

    const COPIES: &str = "\
scop copies
param n [1, *]
array A [n] 8
array B [n] 8
array C [n] 8
stmt S { S[i] : 0 <= i < n }
  read { S[i] -> A[i] }
  write { S[i] -> B[i] }
stmt T { T[i] : 0 <= i < n }
  read { T[i] -> B[i] }
  write { T[i] -> C[i] }
order { for { S } for { T } }
";
    const A: ArrayId = ArrayId(0);
    const B: ArrayId = ArrayId(1);
    const C: ArrayId = ArrayId(2);

    fn output(pairs: &[(ArrayId, ArrayId)]) -> UnionMap {
        let scop = Scop::parse(&Ctx::new(), COPIES).unwrap();
        let known = dependences(&scop, &Options::default()).unwrap();
        with_overlap(&scop, &known, pairs).unwrap().output
    }

    #[track_caller]
    fn is(found: &UnionMap, expected: &str) {
        let expected = UnionMap::read_from_str(found.ctx(), &format!("[n] -> {{ {expected} }}")).unwrap();
        let context = isl::Set::read_from_str(found.ctx(), "[n] -> { : n >= 1 }").unwrap();
        let found = found.clone().intersect_params(context).unwrap();
        assert!(found.is_equal(&expected).unwrap(), "{found}");
    }

    #[test]
    fn what_touches_one_array_stays_in_order_with_what_touches_the_other() {
        assert!(output(&[]).is_empty().unwrap());
        is(&output(&[(A, B)]), "S[i] -> S[i'] : 0 <= i < i' < n; S[i] -> T[i'] : false");
        is(&output(&[(C, A)]), "S[i] -> T[i'] : 0 <= i < n and 0 <= i' < n");
    }

    #[test]
    fn arrays_meet_in_statements_with_a_loop_in_common() {
        let scop = Scop::parse(&Ctx::new(), COPIES).unwrap();
        assert_eq!(share_a_loop(&scop, (A, B)), [(StmtId(0), StmtId(0))]);
        assert_eq!(share_a_loop(&scop, (A, C)), []);
    }
}
