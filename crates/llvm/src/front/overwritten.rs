//! What one instance of a statement does to a cell more than once.
//!
//! In a model all reads of an instance happen before its writes, and of two writes of a cell nobody knows which one is last.
//! Instructions are executed one after the other:
//!
//! - A store is *overwritten* if a later one of the statement stores to the same cells in each instance, and nothing that the
//!   statement executes between the two may read them. Such a store is not executed. LLVM leaves them where it cannot tell that
//!   what is read between is elsewhere: subscripts tell it. That arrays are apart is checked before new loops run; where it is
//!   relied on, the program says so.
//! - A load that may *see an own store* is not what the model says it reads. Of a statement with such a load, the model
//!   does not say what it computes: it is executed as it is, and that the load may see what was there before, too, is a
//!   dependence more than there is.
//!
//! # Example
//! ```text
//! t[i][j] = max(t[i][j], t[i][j - 1]); t[i][j] = max(t[i][j], t[i + 1][j]);    the first store is overwritten
//! a[i] = x / 3; b[i] = a[2 * i] + x / 3;                                       with i = 0 the load sees the store
//! ```

use super::affine::Stop;
use super::draft::Draft;
use super::memory::{Memory, MemoryAccess};
use super::statements::Body;
use crate::pass::{Alias, Inst, Pass, Value};
use isl::{Map, Set};
use llvm_sys::LLVMOpcode;
use model::{Access, AccessKind};
use std::collections::HashSet;

/// The search for overwritten stores of a statement.
pub struct Overwritten<'a, 'p> {
    /// The function.
    pub pass: Pass<'p>,
    /// What instructions touch.
    pub memory: &'a Memory<'p>,
    /// The arrays.
    pub draft: &'a Draft<'p>,
    /// The iterations in which the statement is executed.
    pub domain: &'a Set,
}

/// A store that need not be executed.
pub struct Idle<'p> {
    /// The store.
    pub store: Inst<'p>,
    /// The bases of its array and of others that must be apart from it.
    pub relied: HashSet<Value<'p>>,
}

impl<'p> Overwritten<'_, 'p> {
    /// All of them. Of a hammock nobody knows which store comes last.
    pub fn all(&self, body: &Body<'p>) -> Result<Vec<Idle<'p>>, Stop> {
        let mut found = Vec::new();
        if body.join.is_some() {
            return Ok(found);
        }
        let insts: Vec<_> = body.insts().collect();
        let stores = insts.iter().enumerate().filter(|(_, inst)| inst.opcode() == LLVMOpcode::LLVMStore);
        let stores: Vec<_> = stores.map(|(at, _)| at).collect();
        for (index, &first) in stores.iter().enumerate() {
            for &last in &stores[index + 1..] {
                if let Some(relied) = self.is_overwritten(&insts[first..=last])? {
                    found.push(Idle { store: insts[first], relied });
                    break;
                }
            }
        }
        Ok(found)
    }

    /// Whether the last of these instructions, which is a store, overwrites what the first one stores before any of the others
    /// reads it: the bases of arrays for which that holds if they are apart.
    fn is_overwritten(&self, insts: &[Inst<'p>]) -> Result<Option<HashSet<Value<'p>>>, Stop> {
        let [first, between @ .., last] = insts else { return Ok(None) };
        let ([store], [over]) = (self.memory.of(*first), self.memory.of(*last)) else { return Ok(None) };
        if store.base != over.base {
            return Ok(None);
        }
        let (Some(cells), Some(written)) = (self.cells(*first)?, self.cells(*last)?) else { return Ok(None) };
        if !cells.is_subset(&written)? {
            return Ok(None);
        }
        let mut relied = HashSet::new();
        for inst in between {
            if self.memory.readers.contains(inst) {
                return Ok(None);
            }
            for read in self.memory.of(*inst).iter().filter(|access| !access.is_write) {
                if read.base != store.base {
                    relied.extend(self.assumed_apart(store, read));
                    continue;
                }
                match self.cells(*inst)? {
                    Some(read) if cells.is_disjoint(&read)? => {}
                    _ => return Ok(None),
                }
            }
        }
        Ok(Some(relied))
    }

    /// The bases of two arrays, if LLVM does not know that they are apart.
    fn assumed_apart(&self, store: &MemoryAccess<'p>, read: &MemoryAccess<'p>) -> Vec<Value<'p>> {
        match self.pass.alias(store.base, 0, read.base, 0) {
            Alias::No => Vec::new(),
            _ => vec![store.base, read.base],
        }
    }

    /// `{ S[i, j] -> A[x] }`: the cells of an instruction with one access, if they are known.
    fn cells(&self, inst: Inst<'p>) -> Result<Option<Map>, Stop> {
        let mut accesses = self.memory.with_cells(inst);
        let (Some((access, shaped)), None) = (accesses.next(), accesses.next()) else { return Ok(None) };
        match self.draft.known_cells(access, shaped)? {
            Some(cells) => Ok(Some(cells.intersect_domain(self.domain.clone())?)),
            None => Ok(None),
        }
    }
}

/// Whether a read, behind these accesses of its statement, may see what one of them wrote.
pub fn may_see_own_store(read: &Access, before: &[Access]) -> isl::Result<bool> {
    if read.kind != AccessKind::Read {
        return Ok(false);
    }
    for write in before.iter().filter(|access| access.kind != AccessKind::Read && access.array == read.array)
    {
        if !write.relation.is_disjoint(&read.relation)? {
            return Ok(true);
        }
    }
    Ok(false)
}
