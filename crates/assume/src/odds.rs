//! How likely an assumption is to fail: what a program counted (`count-checks`), or else a guess by kind.
//!
//! The guesses only have to be in the right order. Numbers hardly ever come near the ends of their types, and what a program
//! writes about subscripts is mostly so. Arrays are apart, unless somebody calls a function *in place*: where a statement
//! overwrites a cell of the one array with what it computes from the same cell of the other, as in `b[i] = 2 * a[i]`, callers
//! may well pass one array twice. An update, as in `b[i] += a[i]`, is not called so.

use isl::DimType;
use model::{Access, AccessKind, ArrayId, Condition, Kind, Scop, Stmt};
use std::collections::HashMap;

/// How often parts of a nest's check failed, by their text ([`crate::Conjunct::text`]): 0 never, 1 always.
#[derive(Clone, Debug, Default)]
pub struct Odds(pub HashMap<String, f64>);

impl Odds {
    /// How likely the part of a check with this text fails; the guess if it was not counted.
    pub fn of(&self, text: &str, guess: f64) -> f64 {
        self.0.get(text).copied().unwrap_or(guess)
    }
}

/// In one of so many calls in place.
const IN_PLACE: f64 = 0.1;

/// How likely an assumption fails, as far as the program's text tells.
pub fn guess(scop: &Scop, kind: Option<Kind>, condition: Option<&Condition>) -> f64 {
    match kind {
        Some(Kind::ModerateSize) => 1e-6,
        Some(Kind::NoWrap | Kind::BoundedLoop) => 1e-4,
        Some(Kind::InBounds | Kind::Shape | Kind::NoError) => 1e-3,
        Some(Kind::InvariantLoad) => 1e-2,
        Some(Kind::NoOverlap) => match condition {
            Some(Condition::NoOverlap(a, b)) if may_be_one(scop, *a, *b).unwrap_or(false) => IN_PLACE,
            _ => 1e-2,
        },
        None => 1e-2,
    }
}

/// Whether a statement overwrites a cell of the one array and reads the same cell of the other.
fn may_be_one(scop: &Scop, a: ArrayId, b: ArrayId) -> isl::Result<bool> {
    let cells = |access: &Access| access.relation.clone().set_tuple_name(DimType::Out, "cell");
    let meets = |stmt: &Stmt, a: ArrayId, b: ArrayId| -> isl::Result<bool> {
        let writes = |access: &&Access| access.array == a && access.kind != AccessKind::Read;
        let reads = |access: &&Access| access.array == b && access.kind == AccessKind::Read;
        if stmt.accesses.iter().any(|access| access.array == a && access.kind == AccessKind::Read) {
            return Ok(false);
        }
        for write in stmt.accesses.iter().filter(writes) {
            for read in stmt.accesses.iter().filter(reads) {
                let (write, read) = (cells(write)?, cells(read)?);
                let is_alike = write.dim(DimType::Out)? == read.dim(DimType::Out)?;
                if is_alike && write.is_equal(&read)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    };
    for stmt in &scop.stmts {
        if meets(stmt, a, b)? || meets(stmt, b, a)? {
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
scop f
param n [1, *]
array A [n] 8
array B [n] 8
array C [n] 8
stmt S { S[i] : 0 <= i < n }
  read { S[i] -> A[i] }
  read { S[i] -> C[i + 1] }
  write { S[i] -> B[i] }
order { for { S } }
";

    #[test]
    fn arrays_of_a_call_in_place_are_suspected() {
        let scop = Scop::parse(&isl::Ctx::new(), TEXT).unwrap();
        let odds = |a: u32, b: u32| {
            guess(&scop, Some(Kind::NoOverlap), Some(&Condition::NoOverlap(ArrayId(a), ArrayId(b))))
        };
        assert_eq!((odds(0, 1), odds(1, 0)), (IN_PLACE, IN_PLACE));
        assert!(odds(1, 2) < IN_PLACE && odds(0, 2) < IN_PLACE);
        let update = TEXT.replace("  write {", "  read { S[i] -> B[i] }\n  write {");
        let scop = Scop::parse(&isl::Ctx::new(), &update).unwrap();
        let apart = Condition::NoOverlap(ArrayId(0), ArrayId(1));
        assert!(guess(&scop, Some(Kind::NoOverlap), Some(&apart)) < IN_PLACE);
        let counted = Odds([("x".to_owned(), 0.5)].into());
        assert_eq!((counted.of("x", 0.1), counted.of("y", 0.1)), (0.5, 0.1));
    }
}
