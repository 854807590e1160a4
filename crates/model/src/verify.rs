//! What holds for every [`Scop`], checked.
//!
//! 1. Names of parameters, statements and arrays are identifiers, and unique among their kind.
//! 2. Sets mention declared parameters only; the context mentions nothing else.
//! 3. Each statement's domain is a set of tuples with the statement's name, and stands exactly once in the order, at
//!    a depth equal to its number of dimensions.
//! 4. Each access relates the statement's tuples to tuples of its array, with as many subscripts as the array
//!    has dimensions; scalars and phis have none. Cells have at least one byte. Access numbers are unique.
//! 5. The two accesses of a reduction exist, are a read and a must-write of one array, and have equal relations.
//! 6. The operations of a body have identifiers as names, unique in the statement and not of the form `r0`; they use
//!    reads of the statement and operations before them. A value is stored by a write of the statement, once. Values
//!    from outside have names that start with `%`, `-` or a digit and have no spaces. A statement that moves a whole range has no
//!    operations and says nothing else of what it stores.

use crate::scop::{Access, AccessKind, Layout, Operand, Order, Scop, Stmt, stmts_below};
use isl::DimType;
use std::collections::HashSet;

/// What does not hold.
#[derive(Debug, thiserror::Error)]
pub enum Invalid {
    /// The model breaks an invariant.
    #[error("invalid model: {0}")]
    Broken(String),
    /// isl failed while checking.
    #[error("cannot verify the model: {0}")]
    Isl(#[from] isl::Error),
}

fn broken<T>(message: String) -> Result<T, Invalid> {
    Err(Invalid::Broken(message))
}

impl Scop {
    /// Checks the invariants of the module's header.
    pub fn verify(&self) -> Result<(), Invalid> {
        distinct("parameter", self.params.iter().map(|param| param.name.as_str()))?;
        distinct("statement", self.stmts.iter().map(|stmt| stmt.name.as_str()))?;
        distinct("array", self.arrays.iter().map(|array| array.name.as_str()))?;
        self.verify_arrays()?;
        self.verify_params(&self.context.get_space()?, "the context")?;
        if !self.context.is_params()? {
            return broken("the context has dimensions".into());
        }
        let mut ids = HashSet::new();
        for stmt in &self.stmts {
            self.verify_stmt(stmt)?;
            for access in &stmt.accesses {
                self.verify_access(stmt, access)?;
                if !ids.insert(access.id) {
                    return broken(format!("access number {} occurs twice", access.id.0));
                }
            }
            self.verify_reductions(stmt)?;
            verify_body(stmt)?;
        }
        self.verify_order()
    }

    fn verify_arrays(&self) -> Result<(), Invalid> {
        for array in &self.arrays {
            if array.elem_bytes == 0 {
                return broken(format!("the cells of {} have no bytes", array.name));
            }
            if array.kind.is_scalar() && !array.shape.is_empty() {
                return broken(format!("{} is a scalar but has dimensions", array.name));
            }
            if array.layout != Layout::Even && array.shape.len() != 2 {
                return broken(format!("{} has rows of its own but not 2 dimensions", array.name));
            }
        }
        Ok(())
    }

    fn verify_params(&self, space: &isl::Space, whose: &str) -> Result<(), Invalid> {
        for position in 0..space.dim(DimType::Param)? {
            let name = space.get_dim_name(DimType::Param, position)?.unwrap_or_default();
            if !self.params.iter().any(|param| param.name == name) {
                return broken(format!("{whose} mentions the undeclared parameter {name}"));
            }
        }
        Ok(())
    }

    fn verify_stmt(&self, stmt: &Stmt) -> Result<(), Invalid> {
        self.verify_params(&stmt.domain.get_space()?, &format!("the domain of {}", stmt.name))?;
        match stmt.domain.get_tuple_name()? {
            Some(name) if name == stmt.name => Ok(()),
            other => broken(format!("the domain of {} has tuples named {other:?}", stmt.name)),
        }
    }

    fn verify_access(&self, stmt: &Stmt, access: &Access) -> Result<(), Invalid> {
        let whose = format!("access {} of {}", access.id.0, stmt.name);
        let Some(array) = self.arrays.get(access.array.index()) else {
            return broken(format!("{whose} is to an array that does not exist"));
        };
        let space = access.relation.get_space()?;
        self.verify_params(&space, &whose)?;
        if space.get_tuple_name(DimType::In)?.as_deref() != Some(&stmt.name)
            || space.dim(DimType::In)? != stmt.domain.dim(DimType::Set)?
        {
            return broken(format!("{whose} does not start from {}'s tuples", stmt.name));
        }
        if space.get_tuple_name(DimType::Out)?.as_deref() != Some(&array.name)
            || space.dim(DimType::Out)? != array.shape.len()
        {
            return broken(format!(
                "{whose} does not lead to {} with {} subscripts",
                array.name,
                array.shape.len()
            ));
        }
        Ok(())
    }

    fn verify_reductions(&self, stmt: &Stmt) -> Result<(), Invalid> {
        let find = |id| stmt.accesses.iter().find(|access| access.id == id);
        for reduction in &stmt.reductions {
            let (Some(read), Some(write)) = (find(reduction.read), find(reduction.write)) else {
                return broken(format!("a reduction of {} names accesses that it does not have", stmt.name));
            };
            let kinds = (read.kind, write.kind) == (AccessKind::Read, AccessKind::MustWrite);
            if !kinds || read.array != write.array || !read.relation.is_equal(&write.relation)? {
                return broken(format!(
                    "a reduction of {} does not read and write the same cells",
                    stmt.name
                ));
            }
        }
        Ok(())
    }

    fn verify_order(&self) -> Result<(), Invalid> {
        let mut listed = stmts_below(&self.order);
        listed.sort();
        if listed != self.stmt_ids().collect::<Vec<_>>() {
            return broken("the order does not have every statement exactly once".into());
        }
        self.verify_depths(&self.order, 0)
    }

    fn verify_depths(&self, parts: &[Order], depth: usize) -> Result<(), Invalid> {
        for part in parts {
            match part {
                Order::Loop(body) => self.verify_depths(body, depth + 1)?,
                Order::Stmt(id) => {
                    let dims = self.stmt(*id).domain.dim(DimType::Set)?;
                    if dims != depth {
                        let name = &self.stmt(*id).name;
                        return broken(format!("{name} has {dims} dimensions but stands in {depth} loops"));
                    }
                }
            }
        }
        Ok(())
    }
}

fn verify_body(stmt: &Stmt) -> Result<(), Invalid> {
    let body = &stmt.body;
    if body.whole.is_some() && (!body.ops.is_empty() || !body.stored.is_empty()) {
        return broken(format!("{} moves a whole range and does more than that", stmt.name));
    }
    distinct("operation", body.ops.iter().map(|op| op.name.as_str()))?;
    for (index, op) in body.ops.iter().enumerate() {
        if op.name.strip_prefix('r').is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit())) {
            return broken(format!(
                "{} is no name for an operation of {}: reads are called so",
                op.name, stmt.name
            ));
        }
        if op.operator.is_empty() || op.operator.contains(char::is_whitespace) {
            return broken(format!("{} of {} has no operator", op.name, stmt.name));
        }
        for operand in &op.operands {
            verify_operand(stmt, operand, index)?;
        }
    }
    let mut writes = HashSet::new();
    for (id, value) in &body.stored {
        let is_write = stmt.access(*id).is_some_and(|access| access.kind != AccessKind::Read);
        if !is_write || !writes.insert(*id) {
            return broken(format!("{} stores a value by what is not one of its writes", stmt.name));
        }
        verify_operand(stmt, value, body.ops.len())?;
    }
    Ok(())
}

/// An operand that stands behind the first `known` operations.
fn verify_operand(stmt: &Stmt, operand: &Operand, known: usize) -> Result<(), Invalid> {
    let is_good = match operand {
        Operand::Read(id) => stmt.access(*id).is_some_and(|access| access.kind == AccessKind::Read),
        Operand::Op(index) => *index < known,
        Operand::Outside(name) => {
            name.starts_with(|c: char| c == '%' || c == '-' || c.is_ascii_digit())
                && !name.contains(|c: char| c.is_whitespace() || "{}#".contains(c))
        }
    };
    match is_good {
        true => Ok(()),
        false => broken(format!("an operand of {} is not there: {operand:?}", stmt.name)),
    }
}

fn distinct<'a>(kind: &str, names: impl Iterator<Item = &'a str>) -> Result<(), Invalid> {
    let mut seen = HashSet::new();
    for name in names {
        if !is_identifier(name) {
            return broken(format!("{kind} name {name:?} is not an identifier"));
        }
        if !seen.insert(name) {
            return broken(format!("{kind} {name} is declared twice"));
        }
    }
    Ok(())
}

/// A letter or underscore, then letters, digits and underscores: what isl takes as a name.
pub fn is_identifier(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}
