//! Parameters and arrays as the source calls them.
//!
//! With debug information `B->size1`, and expressions of such names; without, the names of the IR. For people: nothing
//! depends on them.

use super::lift::Lifter;
use super::memory::{Memory, MemoryAccess};
use crate::pass::Value;
use crate::scev::{Scev, ScevKind};
use delinearize::{Names, View};

impl<'p> Lifter<'_, 'p> {
    /// The declaration of an array with the shape that was found, and when that is valid; what is said if the search was
    /// cut short.
    pub(super) fn declaration(
        &self,
        memory: &Memory<'p>,
        base: Value<'p>,
        view: &View,
    ) -> isl::Result<String> {
        let element = element(memory, base, view.granule);
        let params = self.affine.params();
        let param = |name: &str| {
            let known = params.iter().find(|(_, param)| param.name == name);
            known.map_or_else(|| name.to_owned(), |(scev, _)| readable(scev))
        };
        let array = short_name(memory, base);
        let text = view.explain(&Names { array: &array, element: &element, param: &param })?;
        Ok(if view.exhausted { format!("{text}; {}", self.cut_short()) } else { text })
    }

    /// That there may be a better shape.
    pub(super) fn cut_short(&self) -> String {
        format!(
            "the search ended after {} of the possible shapes (option shape-candidates)",
            self.shape_options.shapes
        )
    }
}

/// `B->data` is `B`, unless another array is behind the same variable.
fn short_name<'p>(memory: &Memory<'p>, base: Value<'p>) -> String {
    let root = |name: &str| name.split(['-', '.', '[']).next().unwrap_or_default().to_owned();
    let name = base.readable();
    let mut others = memory.accesses.iter().filter(|access| access.base != base);
    let is_only = !others.any(|access| root(&access.base.readable()) == root(&name));
    if is_only && name.starts_with(|c: char| c.is_alphabetic() || c == '_') { root(&name) } else { name }
}

/// What a cell is called: `double`, `8 bytes`.
pub fn element<'p>(memory: &Memory<'p>, base: Value<'p>, granule: u64) -> String {
    let of_base = |access: &&MemoryAccess<'p>| access.base == base;
    let elements = memory.accesses.iter().filter(of_base).filter_map(|access| access.inst.element_name());
    let element = one_of(elements).filter(|_| is_one_cell(memory, base, granule));
    element.unwrap_or_else(|| format!("{granule} bytes"))
}

/// The element that all have.
fn one_of(mut names: impl Iterator<Item = String>) -> Option<String> {
    let first = names.next()?;
    names.all(|name| name == first).then_some(first)
}

/// Whether loads and stores move one cell each.
fn is_one_cell(memory: &Memory<'_>, base: Value<'_>, granule: u64) -> bool {
    let sizes = memory.accesses.iter().filter(|access| access.base == base);
    sizes.filter(|access| access.inst.pointer().is_some()).all(|access| access.inst.access_bytes() == granule)
}

/// An expression as C has it.
pub fn readable(scev: &Scev<'_>) -> String {
    text(scev, false)
}

/// `is_factor`: sums need brackets.
fn text(scev: &Scev<'_>, is_factor: bool) -> String {
    let joined = |sign: &str, are_factors: bool| {
        let parts: Vec<_> = scev.operands().iter().map(|operand| text(operand, are_factors)).collect();
        parts.join(sign)
    };
    match &scev.kind {
        ScevKind::Constant(value) => value.to_string(),
        ScevKind::Unknown(value) => value.readable(),
        ScevKind::Truncate(inner)
        | ScevKind::ZeroExtend(inner)
        | ScevKind::SignExtend(inner)
        | ScevKind::PtrToInt(inner) => text(inner, is_factor),
        ScevKind::Add(_) if is_factor => format!("({})", joined(" + ", false)),
        ScevKind::Add(_) => joined(" + ", false),
        ScevKind::Mul(_) => joined("*", true),
        ScevKind::UDiv(_) => joined("/", true),
        ScevKind::SMax(_) | ScevKind::UMax(_) => format!("max({})", joined(", ", false)),
        ScevKind::SMin(_) | ScevKind::UMin(_) | ScevKind::SequentialUMin(_) => {
            format!("min({})", joined(", ", false))
        }
        ScevKind::AddRec { .. } => "(the counter of a loop around)".to_owned(),
        ScevKind::WideConstant | ScevKind::VScale | ScevKind::CouldNotCompute => "?".to_owned(),
    }
}
