//! The program's order between two statements, read off [`Scop::order`] without isl's schedule trees.
//!
//! With `c` loops around both S and T, S\[i\] runs before T\[j\] if `i` and `j` agree on the first `k < c` counters and
//! `i_k < j_k`, or if they agree on all `c` and S stands first in the text.

use std::rc::Rc;

use isl::{DimType, Map, Space};
use model::{Order, Scop, StmtId};

/// Where a statement stands: the positions that lead to it, one for each body it is in.
pub(crate) type Place = Rc<[usize]>;

/// Where the statements of a model stand.
pub(crate) struct Places {
    of: Vec<Place>,
    end: Place,
}

impl Places {
    pub fn of(scop: &Scop) -> Places {
        let of = scop.stmt_ids().map(|id| path(&scop.order, id).into()).collect();
        Places { of, end: [scop.order.len()].into() }
    }

    pub fn at(&self, stmt: StmtId) -> Place {
        self.of[stmt.index()].clone()
    }

    /// Behind all statements.
    pub fn end(&self) -> Place {
        self.end.clone()
    }
}

/// How one place lies before another: twice the number of loops around both, and one more if the first stands first in the
/// text. 0: nothing at the first runs before anything at the second.
pub(crate) fn level(first: &[usize], second: &[usize]) -> usize {
    let loops = shared_part(first, second);
    2 * loops + usize::from(first.get(loops) < second.get(loops))
}

/// `{ S[i] -> T[j] }`: S\[i\] runs before T\[j\] in the program. Domains are not looked at.
pub fn before(scop: &Scop, first: StmtId, second: StmtId) -> isl::Result<Map> {
    let space = scop.stmt(first).domain.get_space()?;
    let space = space.map_from_domain_and_range(scop.stmt(second).domain.get_space()?)?;
    before_from(0, space, &path(&scop.order, first), &path(&scop.order, second))
}

/// The same for what stands at these places, where the counters before number `agreed` are known to agree.
pub(crate) fn before_from(agreed: usize, space: Space, source: &[usize], sink: &[usize]) -> isl::Result<Map> {
    let loops = shared_part(source, sink);
    let mut equal = Map::universe(space.clone())?;
    let mut before = Map::empty(space)?;
    for k in agreed..loops {
        before = before.union(equal.clone().order_lt(DimType::In, k, DimType::Out, k)?)?;
        equal = equal.equate(DimType::In, k, DimType::Out, k)?;
    }
    match source.get(loops) < sink.get(loops) {
        true => before.union(equal),
        false => Ok(before),
    }
}

/// How many loops are around both statements.
pub fn shared_loops(scop: &Scop, first: StmtId, second: StmtId) -> usize {
    shared_part(&path(&scop.order, first), &path(&scop.order, second))
}

/// How many loops are around both places.
pub(crate) fn shared_part(source: &[usize], sink: &[usize]) -> usize {
    let shared = source.iter().zip(sink).take_while(|(a, b)| a == b).count();
    // The last position is the statement's own, not a loop's.
    shared.min(source.len().saturating_sub(1)).min(sink.len().saturating_sub(1))
}

/// The positions that lead to a statement, one for each body it is in.
fn path(parts: &[Order], wanted: StmtId) -> Vec<usize> {
    for (position, part) in parts.iter().enumerate() {
        match part {
            Order::Stmt(id) if *id == wanted => return vec![position],
            Order::Stmt(_) => {}
            Order::Loop(body) => {
                let inner = path(body, wanted);
                if !inner.is_empty() {
                    return std::iter::once(position).chain(inner).collect();
                }
            }
        }
    }
    Vec::new()
}
