//! Statements, accesses and schedule rows as plain integer vectors: what the cost model computes with.
//!
//! A *row* is one member of a band for one statement: `t = c . (counters) + constant + parameters`. A *direction* for a
//! row is the vector of counters that moves this row by one and leaves the other rows where they are; a column of
//! the inverse of the matrix of rows. An access with subscripts `F . (counters)` moves by `F . direction`: its stride.
//! Example: rows `(t, 2t + i)` have the directions `(1, -2)` and `(0, 1)`, so `A[i]` has the strides -2 and 1.
//!
//! What is not affine (quotients, several pieces) has no row; whoever asks takes the worst case.

use crate::block::FURTHEST;
use isl::{Aff, DimType, Map, PwAff, PwMultiAff, Set, Val};
use model::{Access, AccessKind, Array, ArrayKind, Layout, Op, Operand, Scop, Stmt};

/// One member of a band for one statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The coefficient of each counter; `None` if the row is not affine.
    pub coefficients: Option<Vec<i64>>,
    /// The constant term.
    pub constant: i64,
    /// As text, in the names of the counters.
    pub text: String,
}

impl Row {
    /// The counter that the row moves by one, if all others that it has are among these.
    pub fn moved(&self, fixed: &[usize]) -> Option<usize> {
        let coefficients = self.coefficients.as_ref()?;
        let mut moving = (0..coefficients.len()).filter(|at| coefficients[*at] != 0 && !fixed.contains(at));
        match (moving.next(), moving.next()) {
            (Some(at), None) if coefficients[at].abs() == 1 => Some(at),
            _ => None,
        }
    }
}

/// A statement as the cost model sees it.
#[derive(Clone, Debug)]
pub struct StmtModel {
    /// How many values each counter has, at the estimated parameters.
    pub extents: Vec<f64>,
    /// Which counters have a few values whatever the parameters are: LLVM writes the loops over them out.
    pub few: Vec<bool>,
    /// Accesses to memory.
    pub accesses: Vec<AccessModel>,
    /// How many operations it has, at least one.
    pub ops: f64,
    /// Whether it is known to add up in an order that must stay: floating-point numbers. LLVM makes vectors of other sums.
    pub is_strict: bool,
    /// Whether it updates a cell, and the updates may change places.
    pub is_free_sum: bool,
    /// How long an instance waits for another.
    pub waits: Waits,
    /// Cycles that its divisions and roots keep the processor busy.
    pub divisions: f64,
    /// Whether the nest runs again and again ([`Scop::repeats`]).
    pub repeats: bool,
}

impl StmtModel {
    /// Whether it sums up in a cell while it reads others of the array of which only subscripts tell that they are others. Where several
    /// rows do so at once, LLVM stores each cell before it loads the next row's, and loads it again.
    pub fn sums_through_memory(&self) -> bool {
        self.is_strict && self.waits.others.is_none() && self.summed_loops() > 0
    }

    /// Along how many loops a cell that it writes stands still: those of a sum.
    pub fn summed_loops(&self) -> usize {
        let still = |access: &AccessModel| {
            let rows = access.subscripts.iter().flatten();
            (0..self.extents.len()).filter(|at| rows.clone().all(|row| row[*at] == 0)).count()
        };
        self.accesses.iter().filter(|access| access.is_write).map(still).max().unwrap_or(0)
    }

    /// Whether it sums up in cells a few apart: the parts of complex numbers, of points, of colours.
    pub fn sums_parts(&self) -> bool {
        let summed = self.summed_loops();
        let is_few = |step: &i64| (2.0..=FURTHEST).contains(&(*step as f64));
        let is_near = |access: &AccessModel| {
            let last = access.subscripts.as_ref().and_then(|subscripts| subscripts.last());
            access.is_write && last.is_some_and(|row| row.iter().any(is_few))
        };
        summed > 0 && self.extents.len() >= summed + 2 && self.accesses.iter().any(is_near)
    }
}

/// The cycles from a value that a statement reads in the array that it writes to the one that it writes there.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Waits {
    /// From the cell that it writes: `x += ...`, unless the updates may change places.
    pub same: Option<f64>,
    /// From cells at a fixed distance: `x[i] = x[i - 1] ...`.
    pub others: Option<f64>,
}

impl Waits {
    /// The longest that is known.
    pub fn longest(&self) -> f64 {
        self.same.unwrap_or(0.0).max(self.others.unwrap_or(0.0))
    }
}

/// An access to memory.
#[derive(Clone, Debug)]
pub struct AccessModel {
    /// The array's number.
    pub array: u32,
    /// Whether it is a write.
    pub is_write: bool,
    /// Bytes per cell.
    pub bytes: f64,
    /// For each subscript the coefficient of each counter; `None` if not affine. Short rows count as cells of the row around them.
    pub subscripts: Option<Vec<Vec<i64>>>,
    /// For each subscript the constant term, if affine.
    pub constants: Vec<i64>,
}

/// All statements.
pub fn models(scop: &Scop, estimate: i64) -> isl::Result<Vec<StmtModel>> {
    let params = estimated_params(scop, estimate)?;
    let models = scop.stmts.iter().map(|stmt| stmt_model(scop, stmt, &params));
    let mut models: Vec<_> = models.collect::<isl::Result<_>>()?;
    tell_planes_apart(scop, &params, &mut models)?;
    Ok(models)
}

/// Planes of one array that have no row in common, and of which each statement that writes one reads another (the two of a stencil that
/// takes turns), are as good as arrays, and get numbers of their own: what is in a cache of the one is not there of the other.
fn tell_planes_apart(scop: &Scop, params: &Set, models: &mut [StmtModel]) -> isl::Result<()> {
    let mut next = scop.arrays.len() as u32;
    for (array, id) in scop.arrays.iter().zip(0..) {
        if array.kind != ArrayKind::Memory || array.shape.len() < 2 {
            continue;
        }
        let planes = planes(scop, params, id)?;
        for plane in planes.iter().skip(1) {
            for (stmt, at) in &plane.accesses {
                models[*stmt].accesses[*at].array = next;
            }
            next += 1;
        }
    }
    Ok(())
}

/// Rows of an array, and who touches them.
struct Plane {
    rows: (i64, i64),
    /// Statements.
    writers: Vec<usize>,
    /// The statement, and which of its accesses to what is no scalar.
    accesses: Vec<(usize, usize)>,
}

impl Plane {
    fn is_touched_by(&self, stmt: usize) -> bool {
        self.accesses.iter().any(|(other, _)| *other == stmt)
    }
}

/// The planes of an array; none if it is one, or if that is not known.
fn planes(scop: &Scop, params: &Set, array: u32) -> isl::Result<Vec<Plane>> {
    let mut planes: Vec<Plane> = Vec::new();
    // Writes first: those of most arrays meet, and nothing else is asked then.
    for writes in [true, false] {
        for (index, stmt) in scop.stmts.iter().enumerate() {
            let accesses = stmt.accesses.iter().filter(|access| !scop.array(access.array).kind.is_scalar());
            for (at, access) in accesses.enumerate() {
                if access.array.0 != array || (access.kind != AccessKind::Read) != writes {
                    continue;
                }
                let Some(rows) = rows_of(stmt, access, params)? else { return Ok(Vec::new()) };
                let writers = if writes { vec![index] } else { Vec::new() };
                add(&mut planes, Plane { rows, writers, accesses: vec![(index, at)] });
            }
        }
        if planes.len() < 2 {
            return Ok(Vec::new());
        }
    }
    let are_planes = planes.iter().all(|plane| is_plane(plane, &planes));
    Ok(if are_planes { planes } else { Vec::new() })
}

/// Whether it has a row and more (a border is no plane), and who writes it reads another one and writes no other one.
fn is_plane(plane: &Plane, all: &[Plane]) -> bool {
    let others = || all.iter().filter(|other| other.rows != plane.rows);
    let takes_turns = |stmt: &usize| {
        others().any(|other| other.is_touched_by(*stmt))
            && others().all(|other| !other.writers.contains(stmt))
    };
    plane.rows.0 < plane.rows.1 && !plane.writers.is_empty() && plane.writers.iter().all(takes_turns)
}

/// With those that it has rows in common with, it becomes one.
fn add(planes: &mut Vec<Plane>, mut new: Plane) {
    let meets = |plane: &Plane, rows: (i64, i64)| plane.rows.0 <= rows.1 && rows.0 <= plane.rows.1;
    while let Some(at) = planes.iter().position(|plane| meets(plane, new.rows)) {
        let old = planes.swap_remove(at);
        new.rows = (new.rows.0.min(old.rows.0), new.rows.1.max(old.rows.1));
        new.writers.extend(old.writers);
        new.accesses.extend(old.accesses);
    }
    planes.push(new);
}

/// The first and the last row that an access touches, the parameters being those.
fn rows_of(stmt: &Stmt, access: &Access, params: &Set) -> isl::Result<Option<(i64, i64)>> {
    let instances = stmt.domain.clone().intersect_params(params.clone())?;
    let cells = access.relation.clone().intersect_domain(instances)?.range()?;
    if cells.is_empty()? {
        return Ok(None);
    }
    let (low, high) = (cells.clone().dim_min_val(0)?, cells.dim_max_val(0)?);
    Ok(integer(&low)?.zip(integer(&high)?))
}

/// One point of the context: each parameter at the estimate if the context allows it. Arrays with many dimensions have short
/// ones: a cube of 1000 doubles along each side has 8 GB.
fn estimated_params(scop: &Scop, estimate: i64) -> isl::Result<Set> {
    let estimate = scop.arrays.iter().map(longest_side).fold(estimate, i64::min);
    let mut chosen = scop.context.clone();
    for param in &scop.params {
        let low = param.range.0.unwrap_or(i64::MIN);
        let high = param.range.1.unwrap_or(i64::MAX);
        let wanted = estimate.clamp(low.min(high), high);
        let Some(position) = chosen.find_dim_by_name(DimType::Param, &param.name)? else { continue };
        let value = Val::int_from_si(&scop.ctx, wanted)?;
        let fixed = chosen.clone().fix_val(DimType::Param, position, value)?;
        if !fixed.is_empty()? {
            chosen = fixed;
        }
    }
    Ok(chosen)
}

/// How long the sides of an array can be of which sizes are not known.
fn longest_side(array: &Array) -> i64 {
    let is_unknown = |size: &&Option<String>| size.as_ref().is_none_or(|size| size.parse::<i64>().is_err());
    match array.shape.iter().filter(is_unknown).count() {
        0 | 1 => i64::MAX,
        sides => MOST_CELLS.powf(1.0 / sides as f64) as i64,
    }
}

/// How many cells an array of unknown size is taken to have at most.
const MOST_CELLS: f64 = (1u32 << 21) as f64;

fn stmt_model(scop: &Scop, stmt: &Stmt, params: &Set) -> isl::Result<StmtModel> {
    let domain = stmt.domain.clone().intersect_params(params.clone())?;
    let empty = domain.is_empty()?;
    let extent = |at: usize| -> isl::Result<f64> {
        if empty {
            return Ok(1.0);
        }
        let (low, high) = (domain.clone().dim_min_val(at)?, domain.clone().dim_max_val(at)?);
        match (low.is_int()?, high.is_int()?) {
            (true, true) => Ok((as_f64(&high) - as_f64(&low) + 1.0).max(1.0)),
            _ => Ok(UNBOUNDED),
        }
    };
    let extents: Vec<f64> = (0..domain.dim(DimType::Set)?).map(extent).collect::<isl::Result<_>>()?;
    let few = (0..extents.len()).map(|at| Ok(extents[at] <= FEW && has_few(&stmt.domain, at)?));
    let few = few.collect::<isl::Result<_>>()?;
    let mut accesses = Vec::new();
    for access in &stmt.accesses {
        if !scop.array(access.array).kind.is_scalar() {
            accesses.push(access_model(scop, access)?);
        }
    }
    let waits = waits(scop, stmt)?;
    let divisions = SLOW * stmt.body.ops.iter().filter(|op| latency(op) >= DIVISION).count() as f64;
    let ops = stmt.body.ops.len().max(1) as f64;
    let is_free_sum = !stmt.reductions.is_empty() || sums_up_integers(stmt)?;
    Ok(StmtModel {
        extents,
        few,
        accesses,
        ops,
        is_strict: is_strict(stmt),
        is_free_sum,
        waits,
        divisions,
        repeats: scop.repeats,
    })
}

/// Whether the values of a counter lie between numbers that are as near as that.
fn has_few(domain: &Set, at: usize) -> isl::Result<bool> {
    let (low, high) = (domain.clone().dim_min_val(at)?, domain.clone().dim_max_val(at)?);
    Ok(low.is_int()? && high.is_int()? && as_f64(&high) - as_f64(&low) < FEW)
}

/// How many values a counter has at most that has few.
const FEW: f64 = 16.0;

fn waits(scop: &Scop, stmt: &Stmt) -> isl::Result<Waits> {
    let (mut same, mut others) = (stmt.reductions.is_empty().then_some(0.0), Some(0.0));
    for write in stmt.accesses.iter().filter(|access| access.kind != AccessKind::Read) {
        let (rows, constants) = subscripts(&write.relation)?;
        let is_scalar = scop.array(write.array).kind.is_scalar();
        let Some(stored) = stmt.body.stored(write.id).filter(|_| !is_scalar) else {
            return Ok(Waits::default());
        };
        for read in stmt.accesses.iter().filter(|access| access.kind == AccessKind::Read) {
            if read.array != write.array {
                continue;
            }
            let cycles = distance(stmt, read, stored);
            let (other_rows, other_constants) = subscripts(&read.relation)?;
            let longer = |known: f64| cycles.map_or(known, |cycles| known.max(cycles));
            if read.relation.plain_is_equal(&write.relation)? {
                same = same.map(longer);
            } else if rows.is_some() && other_rows == rows {
                let known = if other_constants == constants { &mut same } else { &mut others };
                *known = known.map(longer);
            } else {
                // How far it is from the cell that is written changes.
                others = None;
            }
        }
    }
    Ok(Waits { same, others })
}

/// The cycles from what is read to a value; `None` if that does not depend on it.
fn distance(stmt: &Stmt, read: &Access, value: &Operand) -> Option<f64> {
    let mut until: Vec<Option<f64>> = Vec::new();
    let of = |until: &[Option<f64>], operand: &Operand| match operand {
        Operand::Read(id) => (*id == read.id).then_some(0.0),
        Operand::Op(at) => until.get(*at).copied().flatten(),
        Operand::Outside(_) => None,
    };
    for op in &stmt.body.ops {
        let longest = op.operands.iter().filter_map(|operand| of(&until, operand)).reduce(f64::max);
        until.push(longest.map(|before| before + latency(op)));
    }
    of(&until, value)
}

fn latency(op: &Op) -> f64 {
    let is_one_of = |names: &[&str]| names.iter().any(|name| op.operator.starts_with(name));
    if is_one_of(&["fdiv", "frem", "sdiv", "udiv", "srem", "urem", "sqrt"]) {
        DIVISION
    } else if is_one_of(&["fadd", "fsub", "fma", "fmul", "fcmp", "mul"]) {
        ARITHMETIC
    } else {
        1.0
    }
}

/// Cycles of an addition or multiplication of floating-point numbers, of a division, and until the next division can begin.
const ARITHMETIC: f64 = 4.0;
const DIVISION: f64 = 13.0;
const SLOW: f64 = 4.5;

/// Whether the statement combines a cell, which may be a scalar, with something by an operation that LLVM's vectorizer does in parts.
fn sums_up_integers(stmt: &Stmt) -> isl::Result<bool> {
    for write in stmt.accesses.iter().filter(|access| access.kind == AccessKind::MustWrite) {
        let Some(Operand::Op(last)) = stmt.body.stored(write.id) else { continue };
        let op = &stmt.body.ops[*last];
        for operand in op.operands.iter().filter(|_| SUMS.contains(&op.operator.as_str())) {
            if let Operand::Read(id) = operand
                && let Some(read) = stmt.access(*id).filter(|read| read.array == write.array)
                && read.relation.plain_is_equal(&write.relation)?
            {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// The operators of bodies that sum up in any order.
const SUMS: [&str; 9] = ["add", "mul", "and", "or", "xor", "smin", "smax", "umin", "umax"];

fn is_strict(stmt: &Stmt) -> bool {
    let adds = |op: &Op| ["fadd", "fsub", "fma", "fmuladd"].iter().any(|name| op.operator.starts_with(name));
    stmt.reductions.is_empty() && stmt.body.ops.iter().any(adds)
}

/// How many values a counter without bounds is taken to have.
const UNBOUNDED: f64 = 1000.0;

fn as_f64(val: &Val) -> f64 {
    val.to_string().parse().unwrap_or(UNBOUNDED)
}

fn access_model(scop: &Scop, access: &Access) -> isl::Result<AccessModel> {
    let array = scop.array(access.array);
    let (subscripts, constants) = in_short_rows(array, subscripts(&access.relation)?);
    let (is_write, bytes) = (access.kind != AccessKind::Read, f64::from(array.elem_bytes));
    Ok(AccessModel { array: access.array.0, is_write, bytes, subscripts, constants })
}

/// Rows of a fixed size that is no more than a line lie in the row around them as its cells: `z[i][2]` moves by two cells with `i`.
fn in_short_rows(array: &Array, (subscripts, mut constants): Subscripts) -> Subscripts {
    if array.layout != Layout::Even {
        return (subscripts, constants);
    }
    let Some(mut rows) = subscripts else { return (None, constants) };
    let most = LINE / i64::from(array.elem_bytes.max(1));
    let mut cells = 1;
    for size in array.shape.iter().skip(1).rev() {
        let size = size.as_ref().and_then(|size| size.parse::<i64>().ok());
        let Some(size) = size.filter(|size| (1..=most).contains(size) && cells * size <= most) else { break };
        let Some(outer) = rows.len().checked_sub(2) else { break };
        cells *= size;
        let in_cells = |by: i64, inner: i64| by.checked_mul(cells)?.checked_add(inner);
        let row: Option<Vec<_>> =
            rows[outer].iter().zip(&rows[outer + 1]).map(|(by, inner)| in_cells(*by, *inner)).collect();
        let (Some(row), Some(constant)) = (row, in_cells(constants[outer], constants[outer + 1])) else {
            break;
        };
        rows.truncate(outer);
        rows.push(row);
        constants.truncate(outer);
        constants.push(constant);
    }
    (Some(rows), constants)
}

/// The bytes of a line of most caches.
pub const LINE: i64 = 64;

/// The coefficients of all subscripts, if they are affine, and the constant terms.
type Subscripts = (Option<Vec<Vec<i64>>>, Vec<i64>);

fn subscripts(relation: &Map) -> isl::Result<Subscripts> {
    let unknown = Ok((None, Vec::new()));
    if !relation.is_single_valued()? {
        return unknown;
    }
    let domain = relation.clone().domain()?;
    let function = PwMultiAff::from_map(relation.clone())?.gist(domain)?;
    if !function.isa_multi_aff()? {
        return unknown;
    }
    let function = function.as_multi_aff()?;
    let (mut rows, mut constants) = (Vec::new(), Vec::new());
    for at in 0..function.dim(DimType::Out)? {
        let aff = function.get_at(at)?;
        let Some(row) = coefficients(&aff)? else { return unknown };
        rows.push(row);
        constants.push(integer(&aff.get_constant_val()?)?.unwrap_or(0));
    }
    Ok((Some(rows), constants))
}

/// The coefficient of each input; `None` if there are quotients or fractions.
fn coefficients(aff: &Aff) -> isl::Result<Option<Vec<i64>>> {
    for at in 0..aff.dim(DimType::Div)? {
        if !aff.get_coefficient_val(DimType::Div, at)?.is_zero()? {
            return Ok(None);
        }
    }
    let mut all = Vec::new();
    for at in 0..aff.dim(DimType::In)? {
        match integer(&aff.get_coefficient_val(DimType::In, at)?)? {
            Some(value) => all.push(value),
            None => return Ok(None),
        }
    }
    Ok(Some(all))
}

fn integer(val: &Val) -> isl::Result<Option<i64>> {
    Ok(if val.is_int()? { val.to_string().parse().ok() } else { None })
}

/// The row of one statement, whose counters have these names.
pub fn row(function: &PwAff, names: &[String]) -> isl::Result<Row> {
    let domain = function.clone().domain()?;
    let function = function.clone().gist(domain)?;
    if function.isa_aff()? {
        let aff = function.as_aff()?;
        if let Some(coefficients) = coefficients(&aff)? {
            let text = affine_text(&aff, &coefficients, names)?;
            let constant = integer(&aff.get_constant_val()?)?.unwrap_or(0);
            return Ok(Row { coefficients: Some(coefficients), constant, text });
        }
        return Ok(Row { coefficients: None, constant: 0, text: inner_text(&aff.to_str()?) });
    }
    Ok(Row { coefficients: None, constant: 0, text: inner_text(&function.to_str()?) })
}

/// What stands between the last `->` and the end of isl's text.
fn inner_text(text: &str) -> String {
    let text = text.rsplit("->").next().unwrap_or(text);
    text.trim_matches([' ', '{', '}', '[', ']', '(', ')']).to_owned()
}

fn affine_text(aff: &Aff, coefficients: &[i64], names: &[String]) -> isl::Result<String> {
    let mut terms: Vec<(i64, String)> =
        coefficients.iter().copied().zip(names.iter().cloned()).filter(|(value, _)| *value != 0).collect();
    for at in 0..aff.dim(DimType::Param)? {
        let value = integer(&aff.get_coefficient_val(DimType::Param, at)?)?.unwrap_or(0);
        if value != 0 {
            terms.push((value, aff.get_dim_name(DimType::Param, at)?.unwrap_or_default()));
        }
    }
    let constant = integer(&aff.get_constant_val()?)?.unwrap_or(0);
    if constant != 0 || terms.is_empty() {
        terms.push((constant, String::new()));
    }
    let mut text = String::new();
    for (value, name) in terms {
        let sign = match (text.is_empty(), value < 0) {
            (true, true) => "-",
            (true, false) => "",
            (false, true) => " - ",
            (false, false) => " + ",
        };
        let size = value.unsigned_abs();
        let number = if size == 1 && !name.is_empty() { String::new() } else { size.to_string() };
        text += &format!("{sign}{number}{name}");
    }
    Ok(text)
}

/// For each row a direction, or `None` where a row adds nothing to those before it (or is not affine). Rows that
/// are missing for a full matrix are taken from the counters themselves.
pub fn directions(rows: &[Option<Vec<i64>>], counters: usize) -> Vec<Option<Vec<f64>>> {
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let mut used: Vec<Option<usize>> = Vec::new();
    for row in rows {
        let vector = row.as_ref().map(|row| row.iter().map(|value| *value as f64).collect::<Vec<_>>());
        used.push(
            vector.filter(|vector| vector.len() == counters).and_then(|vector| take(&mut basis, vector)),
        );
    }
    for at in 0..counters {
        let mut unit = vec![0.0; counters];
        unit[at] = 1.0;
        take(&mut basis, unit);
    }
    let inverse = inverse(&basis);
    let column = |at: usize| inverse.iter().map(|row| row[at]).collect();
    used.into_iter().map(|used| used.map(column)).collect()
}

/// What is left of a row when other rows are fixed: a combination of it and them in which as many counters as possible
/// do not occur.
pub fn reduced(mut row: Vec<f64>, fixed: &[Vec<f64>]) -> Vec<f64> {
    let mut leaders: Vec<(usize, Vec<f64>)> = Vec::new();
    let reduce = |row: &mut Vec<f64>, leaders: &[(usize, Vec<f64>)]| {
        for (column, leader) in leaders {
            let factor = row[*column] / leader[*column];
            row.iter_mut().zip(leader).for_each(|(value, lead)| *value -= factor * lead);
        }
    };
    for one in fixed {
        let mut one = one.clone();
        reduce(&mut one, &leaders);
        if let Some(column) = one.iter().position(|value| value.abs() > TINY) {
            leaders.push((column, one));
        }
    }
    reduce(&mut row, &leaders);
    row
}

/// Adds a vector to a basis if it is independent of it.
fn take(basis: &mut Vec<Vec<f64>>, vector: Vec<f64>) -> Option<usize> {
    if basis.len() == vector.len() {
        return None;
    }
    basis.push(vector);
    if rank(basis) == basis.len() {
        return Some(basis.len() - 1);
    }
    basis.pop();
    None
}

const TINY: f64 = 1e-9;

fn rank(rows: &[Vec<f64>]) -> usize {
    let mut rows = rows.to_vec();
    let (mut found, columns) = (0, rows.first().map_or(0, Vec::len));
    for column in 0..columns {
        let Some(pivot) =
            (found..rows.len()).max_by(|a, b| rows[*a][column].abs().total_cmp(&rows[*b][column].abs()))
        else {
            break;
        };
        if rows[pivot][column].abs() < TINY {
            continue;
        }
        rows.swap(found, pivot);
        let (done, rest) = rows.split_at_mut(found + 1);
        let leader = &done[found];
        for row in rest {
            let factor = row[column] / leader[column];
            row.iter_mut().zip(leader).for_each(|(value, lead)| *value -= factor * lead);
        }
        found += 1;
    }
    found
}

/// The inverse of a regular matrix, by Gauss and Jordan.
fn inverse(matrix: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let size = matrix.len();
    let mut rows: Vec<Vec<f64>> = matrix
        .iter()
        .enumerate()
        .map(|(at, row)| {
            let unit = (0..size).map(|column| f64::from(u8::from(column == at)));
            row.iter().copied().chain(unit).collect()
        })
        .collect();
    for column in 0..size {
        let pivot = (column..size)
            .max_by(|a, b| rows[*a][column].abs().total_cmp(&rows[*b][column].abs()))
            .unwrap_or(column);
        rows.swap(column, pivot);
        let divisor = rows[column][column];
        rows[column].iter_mut().for_each(|value| *value /= divisor);
        let leader = rows[column].clone();
        for (at, row) in rows.iter_mut().enumerate() {
            let factor = row[column];
            if at != column && factor != 0.0 {
                row.iter_mut().zip(&leader).for_each(|(value, lead)| *value -= factor * lead);
            }
        }
    }
    rows.into_iter().map(|row| row[size..].to_vec()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_of_a_skewed_band() {
        let rows = [Some(vec![1, 0]), Some(vec![2, 1])];
        assert_eq!(directions(&rows, 2), [Some(vec![1.0, -2.0]), Some(vec![0.0, 1.0])]);
    }

    #[test]
    fn a_skewed_row_with_its_skew_fixed() {
        assert_eq!(reduced(vec![2.0, 1.0], &[vec![1.0, 0.0]]), [0.0, 1.0]);
        assert_eq!(reduced(vec![1.0, 0.0], &[vec![1.0, 1.0]]), [0.0, -1.0]);
        assert_eq!(reduced(vec![3.0, 3.0], &[vec![1.0, 1.0]]), [0.0, 0.0]);
    }

    #[test]
    fn dependent_rows_have_no_direction() {
        let rows = [Some(vec![1, 1]), Some(vec![0, 0]), None, Some(vec![2, 2]), Some(vec![0, 1])];
        let found = directions(&rows, 2);
        assert_eq!(found, [Some(vec![1.0, 0.0]), None, None, None, Some(vec![-1.0, 1.0])]);
    }
}
