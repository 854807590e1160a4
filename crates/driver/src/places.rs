//! Where the cells of accesses are, for code that is not a copy of the program's: scalars that became cells of arrays, and
//! blocks of cells in registers.

use assume::rows;
use astgen::{Node, expression};
use isl::{DimType, PwAff, Set};
use llvm::back::block::Places;
use llvm::back::rewrite::Place;
use model::{Access, AccessId, Param, Scop, Stmt};

/// The cells of all accesses of statements that have cells in registers, in blocks or in rows that they share, as
/// far as they can be computed.
pub fn register_places(scop: &Scop, nodes: &[Node], valid: &Set) -> Places {
    let mut found = Places::new();
    for id in astgen::block_stmts(nodes).union(&astgen::stmts_sharing_rows(nodes)).copied() {
        let stmt = scop.stmt(id);
        let each = |access: &Access| Ok((access.id, place(scop, stmt, access, valid)?));
        if let Ok(places) = stmt.accesses.iter().map(each).collect::<Result<_, astgen::Error>>() {
            found.insert(id, places);
        }
    }
    found
}

/// The cell of an access as expressions of the parameters and the statement's counters, which follow them.
pub fn place(scop: &Scop, stmt: &Stmt, access: &Access, valid: &Set) -> Result<Place, astgen::Error> {
    let domain = stmt.domain.clone().intersect_params(valid.clone())?;
    let depth = domain.dim(DimType::Set)?;
    let mut extended = scop.clone();
    let names: Vec<_> = (0..depth).map(|at| format!("orthant_counter{at}")).collect();
    extended.params.extend(names.iter().map(|name| Param { name: name.clone(), range: (None, None) }));
    let first = domain.dim(DimType::Param)?;
    let mut relation = access.relation.clone().reset_tuple_id(DimType::In)?;
    let behind = relation.get_space()?.dim(DimType::Param)?;
    relation = relation.move_dims(DimType::Param, behind, DimType::In, 0, depth)?;
    let mut within =
        domain.clone().reset_tuple_id()?.move_dims(DimType::Param, first, DimType::Set, 0, depth)?;
    for (at, name) in names.iter().enumerate() {
        relation = relation.set_dim_name(DimType::Param, behind + at, name)?;
        within = within.set_dim_name(DimType::Param, first + at, name)?;
    }
    let within = within.params()?;
    let cells = relation.range()?;
    let mut cell = cells.clone().lexmin_pw_multi_aff()?;
    if cell.n_piece()? > 1 {
        // There may be fewer where the statement has instances.
        cell = cells.gist_params(within.clone())?.lexmin_pw_multi_aff()?;
    }
    let array = scop.array(access.array);
    let subscript = |at| expression(&extended, &without_condition(cell.get_at(at)?)?, &within);
    Ok(Place {
        array: access.array,
        subscripts: (0..array.shape.len()).map(subscript).collect::<Result<_, _>>()?,
        rows: rows(scop, array, valid)?,
        cell_bytes: i64::from(array.elem_bytes),
        twin: twin(stmt, access, &domain)?,
    })
}

/// Another access of a statement that is to the same cell in all instances.
fn twin(stmt: &Stmt, access: &Access, instances: &Set) -> Result<Option<AccessId>, astgen::Error> {
    let cells = |access: &Access| access.relation.clone().intersect_domain(instances.clone());
    for other in stmt.accesses.iter().filter(|other| other.id != access.id && other.array == access.array) {
        if access.relation.plain_is_equal(&other.relation)? || cells(other)?.is_equal(&cells(access)?)? {
            return Ok(Some(other.id));
        }
    }
    Ok(None)
}

/// A value that is the same function wherever there is one, everywhere.
fn without_condition(value: PwAff) -> isl::Result<PwAff> {
    let mut functions = Vec::new();
    value.foreach_piece(|_, function| {
        functions.push(function);
        Ok(())
    })?;
    match &functions[..] {
        [only] => PwAff::from_aff(only.clone()),
        _ => Ok(value),
    }
}
