//! Answers that a model gave before: analyses and checks ask for the instances of the same few statements, and for the cells of
//! the same few accesses, hundreds of times.
//!
//! An answer belongs to the objects of isl that were asked about, not to their places in the model: isl never changes what an
//! object stands for, and as long as the answer is kept its objects are, so no other object is taken for them. Whoever changes a model
//! puts other objects into it, for which there is no answer yet. So copies of a model, changed or not, share their answers.

use std::cell::RefCell;
use std::rc::Rc;

use isl::{Map, Set};

/// The answers so far.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// A domain, a context, and the domain's points there.
    instances: Rc<RefCell<Vec<(Set, Set, Set)>>>,
    /// A relation, instances, and the part of the relation from these.
    cells: Rc<RefCell<Vec<(Map, Set, Map)>>>,
}

impl Known {
    /// The points of a domain for parameter values of the context.
    pub fn instances(&self, domain: &Set, context: &Set) -> isl::Result<Set> {
        let is_it =
            |(of, within, _): &&(Set, Set, Set)| of.is_identical(domain) && within.is_identical(context);
        if let Some((.., known)) = self.instances.borrow().iter().find(is_it) {
            return Ok(known.clone());
        }
        let found = domain.clone().intersect_params(context.clone())?;
        self.instances.borrow_mut().push((domain.clone(), context.clone(), found.clone()));
        Ok(found)
    }

    /// The part of a relation that starts at these instances.
    pub(crate) fn cells(&self, relation: &Map, instances: &Set) -> isl::Result<Map> {
        let is_it =
            |(of, from, _): &&(Map, Set, Map)| of.is_identical(relation) && from.is_identical(instances);
        if let Some((.., known)) = self.cells.borrow().iter().find(is_it) {
            return Ok(known.clone());
        }
        let found = relation.clone().intersect_domain(instances.clone())?;
        self.cells.borrow_mut().push((relation.clone(), instances.clone(), found.clone()));
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::Known;
    use isl::{Ctx, Map, Set};

    #[test]
    fn answers_belong_to_objects() -> isl::Result<()> {
        let (ctx, known) = (Ctx::new(), Known::default());
        let domain: Set = ctx.parse("[n] -> { S[i] : 0 <= i < n }")?;
        let (all, some): (Set, Set) = (ctx.parse("[n] -> { : n > 0 }")?, ctx.parse("[n] -> { : n > 9 }")?);
        let first = known.instances(&domain, &all)?;
        assert!(first.is_identical(&known.instances(&domain.clone(), &all)?), "copies are one object");
        assert_eq!(first, domain);
        let other = known.instances(&domain, &some)?;
        assert_eq!(other, ctx.parse("[n] -> { S[i] : 0 <= i < n and n > 9 }")?);

        let relation: Map = ctx.parse("{ S[i] -> A[i + 1] }")?;
        assert!(known.cells(&relation, &first)?.is_identical(&known.cells(&relation, &first)?));
        assert_eq!(known.cells(&relation, &other)?.domain()?, other);
        Ok(())
    }
}
