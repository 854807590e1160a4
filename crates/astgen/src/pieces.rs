//! A schedule tree as sets of linear inequalities.
//!
//! Each statement, at the leaf of the schedule tree where it stands, is a set of values of the loops around it: the *dimensions*, outermost
//! first. For a loop over `a` that is `d = a`, for one over tiles `48 floor(a / 48)` it is `48 d <= a <= 48 d + 47`. The
//! counters of the statement are sums of dimensions, found from the equations, so the set is a list of inequalities of parameters and
//! dimensions, a [`Piece`]; several if the domain or a filter has several parts. Divisions in filters must be those of the loops over tiles.
//!
//! [`read`] gives up ([`Stop::Other`]) where a schedule tree is not like that.

use crate::Error;
use isl::simplex::{Inequality, Table, TooBig, gcd};
use isl::{
    Aff, AstLoopType, BasicSet, Constraint, DimType, PwAff, Schedule, ScheduleNode, ScheduleNodeType, Set,
    UnionSet, Val,
};
use model::{Scop, StmtId};

/// Why there is no result.
pub(crate) enum Stop {
    /// The budget is spent.
    Budget(isl::Error),
    /// It is not of the kind that this module is for, or numbers are too big.
    Other,
}

impl From<isl::Error> for Stop {
    fn from(error: isl::Error) -> Stop {
        if error.is_budget() { Stop::Budget(error) } else { Stop::Other }
    }
}

impl From<Error> for Stop {
    fn from(error: Error) -> Stop {
        match error {
            Error::Isl(error) => error.into(),
            // isl may find other expressions.
            Error::Overflow(_) | Error::Unexpected(_) => Stop::Other,
        }
    }
}

impl From<TooBig> for Stop {
    fn from(_: TooBig) -> Stop {
        Stop::Other
    }
}

pub(crate) type Found<T> = Result<T, Stop>;

/// The most parts of the domain of a statement.
const MOST_PARTS: usize = 4;

/// The most inequalities of a piece.
const MOST_ROWS: usize = 60;

/// A schedule tree without its sets.
pub(crate) enum Tree {
    Leaf,
    Mark(String, Box<Tree>),
    Sequence(Vec<Tree>),
    Band(Band),
}

pub(crate) struct Band {
    /// The dimension of its first member.
    pub first: usize,
    pub members: Vec<Member>,
    pub inside: Box<Tree>,
}

pub(crate) struct Member {
    /// How many times the dimension the loop's variable is.
    pub size: i64,
    pub kind: AstLoopType,
}

/// A part of a statement's instances. Inequalities are of the parameters, then the dimensions, then a constant.
pub(crate) struct Piece {
    pub id: StmtId,
    /// In which child of each sequence it is, outermost first.
    pub path: Vec<usize>,
    /// The statement's counters.
    pub counters: Vec<Inequality>,
    /// Which values the dimensions before each have, at most; the last one says it exactly.
    pub levels: Vec<Vec<Inequality>>,
}

pub(crate) struct Pieces {
    pub tree: Tree,
    pub all: Vec<Piece>,
    /// How many parameters and dimensions there are.
    pub width: usize,
    /// What is known of the parameters.
    pub context: Vec<Inequality>,
}

/// The pieces of a schedule for parameter values in `context`.
pub(crate) fn read(scop: &Scop, schedule: &Schedule, context: &Set) -> Found<Pieces> {
    let mut reader = Reader { scop, leaves: Vec::new() };
    let root = schedule.get_root()?;
    if root.get_type()? != ScheduleNodeType::Domain {
        return Err(Stop::Other);
    }
    let mut stmts = Vec::new();
    for domain in reader.by_stmt(&root.domain_get_domain()?)? {
        stmts.push(Active { id: domain.0, sets: vec![domain.1], members: Vec::new() });
    }
    let tree = reader.node(root.child(0)?, &stmts, &mut Vec::new())?;
    let depth = reader.leaves.iter().map(|leaf| leaf.stmt.members.len()).max().unwrap_or(0);
    let width = scop.params.len() + depth;
    let context = reader.context(context, width)?;
    let leaves = std::mem::take(&mut reader.leaves);
    let mut all = Vec::new();
    for leaf in &leaves {
        all.extend(reader.pieces(leaf, width, &context)?);
    }
    Ok(Pieces { tree, all, width, context })
}

/// A statement at some node.
#[derive(Clone)]
struct Active {
    id: StmtId,
    /// Its domain and filters.
    sets: Vec<Set>,
    /// What each loop around runs over.
    members: Vec<Function>,
}

struct Leaf {
    stmt: Active,
    path: Vec<usize>,
}

/// A sum of parameters and counters, and a constant, divided by a number and rounded down.
#[derive(Clone, PartialEq)]
struct Function {
    sum: Vec<i64>,
    by: i64,
}

struct Reader<'a> {
    scop: &'a Scop,
    leaves: Vec<Leaf>,
}

impl Reader<'_> {
    fn by_stmt(&self, sets: &UnionSet) -> Found<Vec<(StmtId, Set)>> {
        let mut all = Vec::new();
        for set in sets.get_set_list()?.to_vec()? {
            let name = set.get_tuple_name()?.unwrap_or_default();
            all.push((self.scop.stmt_named(&name).ok_or(Stop::Other)?, set));
        }
        all.sort_by_key(|(id, _)| *id);
        Ok(all)
    }

    fn node(&mut self, node: ScheduleNode, stmts: &[Active], path: &mut Vec<usize>) -> Found<Tree> {
        match node.get_type()? {
            ScheduleNodeType::Leaf => {
                let leaf = |stmt: &Active| Leaf { stmt: stmt.clone(), path: path.clone() };
                self.leaves.extend(stmts.iter().map(leaf));
                Ok(Tree::Leaf)
            }
            ScheduleNodeType::Mark => {
                let name = node.mark_get_id()?.get_name()?.unwrap_or_default();
                Ok(Tree::Mark(name, Box::new(self.node(node.child(0)?, stmts, path)?)))
            }
            ScheduleNodeType::Sequence | ScheduleNodeType::Set => {
                let mut children = Vec::new();
                for at in 0..node.n_children()? {
                    path.push(at);
                    children.push(self.node(node.get_child(at)?, stmts, path)?);
                    path.pop();
                }
                Ok(Tree::Sequence(children))
            }
            ScheduleNodeType::Filter => {
                let mut stmts: Vec<Active> = stmts.to_vec();
                let filters = self.by_stmt(&node.filter_get_filter()?)?;
                stmts.retain_mut(|stmt| {
                    let filter = filters.iter().find(|(id, _)| *id == stmt.id);
                    stmt.sets.extend(filter.map(|(_, set)| set.clone()));
                    filter.is_some()
                });
                self.node(node.child(0)?, &stmts, path)
            }
            ScheduleNodeType::Band => self.band(node, stmts.to_vec(), path),
            _ => Err(Stop::Other),
        }
    }

    fn band(&mut self, node: ScheduleNode, mut stmts: Vec<Active>, path: &mut Vec<usize>) -> Found<Tree> {
        let first = node.get_schedule_depth()?;
        let functions = node.band_get_partial_schedule()?;
        let mut members = Vec::new();
        for at in 0..node.band_n_member()? {
            let mut scaled: Vec<Option<(Function, i64)>> = vec![None; stmts.len()];
            for function in functions.get_at(at)?.get_pw_aff_list()?.to_vec()? {
                let name = function.get_tuple_id(DimType::In)?.get_name()?.unwrap_or_default();
                let id = self.scop.stmt_named(&name).ok_or(Stop::Other)?;
                if let Some(stmt) = stmts.iter().position(|stmt| stmt.id == id) {
                    scaled[stmt] = Some(self.function(&function)?);
                }
            }
            let scaled = scaled.into_iter().collect::<Option<Vec<_>>>().ok_or(Stop::Other)?;
            let rounded = scaled.iter().find(|(function, _)| function.by > 1);
            let size = rounded.map_or(1, |(_, times)| *times);
            for (stmt, (function, times)) in stmts.iter_mut().zip(scaled) {
                stmt.members.push(part(function, times, size).ok_or(Stop::Other)?);
            }
            let kind = node.band_member_get_ast_loop_type(at)?;
            if kind == AstLoopType::Unroll || size < 1 {
                return Err(Stop::Other);
            }
            members.push(Member { size, kind });
        }
        let inside = Box::new(self.node(node.child(0)?, &stmts, path)?);
        Ok(Tree::Band(Band { first, members, inside }))
    }

    /// A function, and by what it is multiplied.
    fn function(&self, function: &PwAff) -> Found<(Function, i64)> {
        let mut found = Vec::new();
        function.foreach_piece(|_, value| {
            found.push(value);
            Ok(())
        })?;
        let [value] = &found[..] else { return Err(Stop::Other) };
        let (sum, divisions, by) = self.parts(value)?;
        let used: Vec<usize> = (0..divisions.len()).filter(|at| divisions[*at] != 0).collect();
        match (&used[..], by) {
            ([], 1) => Ok((Function { sum, by: 1 }, 1)),
            ([only], 1) if divisions[*only] > 0 => {
                // What is added to the quotient is added to the dividend instead.
                let times = divisions[*only];
                let mut inside = self.division(&value.get_div(*only)?)?;
                for (factor, more) in inside.sum.iter_mut().zip(sum) {
                    let whole = (more % times == 0).then_some(more / times).ok_or(Stop::Other)?;
                    let more = whole.checked_mul(inside.by).and_then(|more| more.checked_add(*factor));
                    *factor = more.ok_or(TooBig)?;
                }
                Ok((inside, times))
            }
            _ => Err(Stop::Other),
        }
    }

    /// What is rounded down, without divisions in it.
    fn division(&self, inside: &Aff) -> Found<Function> {
        let (sum, divisions, by) = self.parts(inside)?;
        let is_plain = divisions.iter().all(|factor| *factor == 0);
        if is_plain { Ok(Function { sum, by }) } else { Err(Stop::Other) }
    }

    /// The numerators of parameters, counters and the constant, those of divisions, and the denominator.
    fn parts(&self, value: &Aff) -> Found<(Vec<i64>, Vec<i64>, i64)> {
        let by = value.get_denominator_val()?.get_num_si()?;
        let whole = |factor: Val| -> Found<i64> {
            let (numerator, denominator) = (factor.get_num_si()?, factor.get_den_si()?);
            numerator.checked_mul(by / denominator).ok_or(Stop::Other)
        };
        let params = self.scop.params.len();
        let mut sum = vec![0; params];
        for at in 0..value.dim(DimType::Param)? {
            let factor = whole(value.get_coefficient_val(DimType::Param, at)?)?;
            if factor != 0 {
                sum[self.param(value.get_dim_name(DimType::Param, at)?)?] = factor;
            }
        }
        for at in 0..value.dim(DimType::In)? {
            sum.push(whole(value.get_coefficient_val(DimType::In, at)?)?);
        }
        sum.push(whole(value.get_constant_val()?)?);
        let divisions = 0..value.dim(DimType::Div)?;
        let divisions = divisions.map(|at| whole(value.get_coefficient_val(DimType::Div, at)?));
        Ok((sum, divisions.collect::<Found<_>>()?, by))
    }

    fn param(&self, name: Option<String>) -> Found<usize> {
        self.scop.params.iter().position(|param| Some(&param.name) == name.as_ref()).ok_or(Stop::Other)
    }

    /// What is known of the parameters; less if it is not simple.
    fn context(&self, context: &Set, width: usize) -> Found<Vec<Inequality>> {
        let hull = match &context.get_basic_set_list()?.to_vec()?[..] {
            [] => return Err(Stop::Other),
            [only] => only.clone(),
            _ => context.clone().remove_divs()?.simple_hull()?,
        };
        of_params(self.scop, &hull.remove_divs()?, width)
    }

    /// The parts of a statement at a leaf that have points, which are disjoint.
    fn pieces(&self, leaf: &Leaf, width: usize, context: &[Inequality]) -> Found<Vec<Piece>> {
        let mut parts: Vec<Vec<Row>> = vec![Vec::new()];
        for set in &leaf.stmt.sets {
            let alternatives = set.get_basic_set_list()?.to_vec()?;
            let alternatives = alternatives
                .iter()
                .map(|each| self.rows(each, &leaf.stmt.members))
                .collect::<Found<Vec<_>>>()?;
            let with = |part: &Vec<Row>, more: &Vec<Row>| part.iter().chain(more).cloned().collect();
            parts =
                parts.iter().flat_map(|part| alternatives.iter().map(move |more| with(part, more))).collect();
            if parts.len() > MOST_PARTS {
                return Err(Stop::Other);
            }
        }
        let mut pieces = Vec::new();
        for part in parts {
            let count = leaf.stmt.sets[0].dim(DimType::Set)?;
            let (counters, rows) = self.solved(part, leaf, count, width).ok_or(Stop::Other)?;
            if let Some(levels) = levels(rows, self.scop.params.len(), leaf.stmt.members.len(), context)? {
                pieces.push(Piece { id: leaf.stmt.id, path: leaf.path.clone(), counters, levels });
            }
        }
        for (at, piece) in pieces.iter().enumerate() {
            for other in &pieces[..at] {
                let both: Vec<Inequality> =
                    [piece, other].iter().flat_map(|each| each.last()).cloned().collect();
                let mut both = Table::of(width, &both)?;
                let depth = leaf.stmt.members.len();
                if !both.is_empty() {
                    piece.add_outer(other, depth, &mut both, Vec::clone)?;
                }
                if !both.is_empty() {
                    return Err(Stop::Other);
                }
            }
        }
        Ok(pieces)
    }

    /// The constraints of a set: factors of the parameters, the dimensions, the counters, and a constant.
    fn rows(&self, set: &BasicSet, members: &[Function]) -> Found<Vec<Row>> {
        let mut divisions = Vec::new();
        for at in 0..set.dim(DimType::Div)? {
            let inside = self.division(&set.get_div(at)?)?;
            let found = match same(&inside, members) {
                None if self.has_no_rest(set, at, &inside)? => same_without_rest(&inside, members),
                found => found,
            };
            divisions.push(found.ok_or(Stop::Other)?);
        }
        let mut rows = Vec::new();
        for constraint in set.get_constraint_list()?.to_vec()? {
            let mut sum = self.factors(&constraint, members.len())?;
            for (at, division) in divisions.iter().enumerate() {
                let times = constraint.get_coefficient_val(DimType::Div, at)?.get_num_si()?;
                division.add(&mut sum, times, self.scop.params.len(), members.len()).ok_or(TooBig)?;
            }
            rows.push(Row { sum, is_equation: constraint.is_equality()? });
        }
        Ok(rows)
    }

    /// The factors of the parameters, of so many dimensions (none), of the counters, and the constant of a constraint.
    fn factors(&self, constraint: &Constraint, members: usize) -> Found<Vec<i64>> {
        let factor =
            |kind, at| -> isl::Result<i64> { constraint.get_coefficient_val(kind, at)?.get_num_si() };
        let (params, counters) = (self.scop.params.len(), constraint.dim(DimType::Set)?);
        let mut sum = vec![0; params + members + counters];
        for at in 0..constraint.dim(DimType::Param)? {
            sum[self.param(constraint.get_dim_name(DimType::Param, at)?)?] = factor(DimType::Param, at)?;
        }
        for at in 0..counters {
            sum[params + members + at] = factor(DimType::Set, at)?;
        }
        sum.push(constraint.get_constant_val()?.get_num_si()?);
        Ok(sum)
    }

    /// Whether a set says of a division that nothing is rounded: `n floor(x / n) = x`.
    fn has_no_rest(&self, set: &BasicSet, at: usize, Function { sum, by }: &Function) -> Found<bool> {
        for equation in set.get_constraint_list()?.to_vec()? {
            let times =
                |at| -> isl::Result<i64> { equation.get_coefficient_val(DimType::Div, at)?.get_num_si() };
            let divisions = 0..equation.dim(DimType::Div)?;
            let others =
                divisions.filter(|other| *other != at).map(times).collect::<isl::Result<Vec<_>>>()?;
            if !equation.is_equality()? || others.iter().any(|times| *times != 0) {
                continue;
            }
            let (own, times) = (self.factors(&equation, 0)?, times(at)?);
            if own == *sum && times == -by || Some(&own) == negated(sum).as_ref() && times == *by {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The counters as sums of parameters and dimensions, and what these must satisfy.
    fn solved(&self, rows: Vec<Row>, leaf: &Leaf, count: usize, width: usize) -> Option<Solved> {
        let (params, members) = (self.scop.params.len(), &leaf.stmt.members);
        let (mut equations, mut inequalities) = (Vec::new(), Vec::new());
        for (at, member) in members.iter().enumerate() {
            // With the member's value on one side.
            let mut sum = member.sum[..params].to_vec();
            sum.resize(params + members.len(), 0);
            sum.extend(&member.sum[params..]);
            sum[params + at] = -member.by;
            if member.by == 1 {
                equations.push(sum);
                continue;
            }
            let mut end = negated(&sum)?;
            *end.last_mut()? = end.last()?.checked_add(member.by - 1)?;
            inequalities.extend([sum, end]);
        }
        for row in rows {
            if row.is_equation { equations.push(row.sum) } else { inequalities.push(row.sum) }
        }
        let counters = params + members.len()..params + members.len() + count;
        let mut values: Vec<(usize, Vec<i64>)> = Vec::new();
        while let Some((equation, counter)) = equations.iter().enumerate().find_map(|(at, equation)| {
            counters.clone().find(|counter| equation[*counter].abs() == 1).map(|counter| (at, counter))
        }) {
            let mut value = equations.swap_remove(equation);
            if value[counter] > 0 {
                value = negated(&value)?;
            }
            value[counter] = 0;
            let others = values.iter_mut().map(|(_, other)| other);
            for sum in equations.iter_mut().chain(&mut inequalities).chain(others) {
                substitute(sum, counter, &value)?;
            }
            values.push((counter, value));
        }
        for equation in equations {
            inequalities.push(negated(&equation)?);
            inequalities.push(equation);
        }
        let outside = |sum: Vec<i64>| {
            let is_free = sum[counters.clone()].iter().all(|factor| *factor == 0);
            let mut row = sum[..counters.start].to_vec();
            row.resize(width, 0);
            row.push(*sum.last()?);
            is_free.then_some(row)
        };
        let rows = inequalities.into_iter().map(outside).collect::<Option<_>>()?;
        values.sort_by_key(|(counter, _)| *counter);
        let all_known = values.len() == counters.len();
        let values = values.into_iter().map(|(_, value)| outside(value)).collect::<Option<_>>()?;
        all_known.then_some((values, rows))
    }
}

/// The inequalities of a set of parameter values. Its divisions, if there are any, are the unknowns behind the parameters.
pub(crate) fn of_params(scop: &Scop, set: &BasicSet, width: usize) -> Found<Vec<Inequality>> {
    let mut places = Vec::new();
    for at in 0..set.dim(DimType::Param)? {
        let name = set.get_dim_name(DimType::Param, at)?;
        let place = scop.params.iter().position(|param| Some(&param.name) == name.as_ref());
        places.push((DimType::Param, at, place.ok_or(Stop::Other)?));
    }
    places.extend((0..set.dim(DimType::Div)?).map(|at| (DimType::Div, at, scop.params.len() + at)));
    let mut all = Vec::new();
    for constraint in set.get_constraint_list()?.to_vec()? {
        let mut row = vec![0; width + 1];
        for (kind, at, place) in &places {
            row[*place] = constraint.get_coefficient_val(*kind, *at)?.get_num_si()?;
        }
        row[width] = constraint.get_constant_val()?.get_num_si()?;
        if constraint.is_equality()? {
            all.push(negated(&row).ok_or(TooBig)?);
        }
        all.push(row);
    }
    Ok(all)
}

impl Piece {
    /// What is known of the first dimensions of two pieces where they are equal. It follows from what is known of all of them, but only
    /// because they are whole numbers: tiles of which one ends in the last iteration before the other begins.
    pub fn add_outer(
        &self,
        other: &Piece,
        level: usize,
        table: &mut Table,
        wide: impl Fn(&Inequality) -> Inequality,
    ) -> Found<()> {
        for row in [self, other].iter().flat_map(|piece| &piece.levels[..level]).flatten() {
            table.add(&wide(row))?;
        }
        Ok(())
    }

    /// The inequalities that say exactly which points it has.
    pub fn last(&self) -> &[Inequality] {
        self.levels.last().map_or(&[], Vec::as_slice)
    }
}

/// The counters, and inequalities.
type Solved = (Vec<Inequality>, Vec<Inequality>);

#[derive(Clone)]
struct Row {
    sum: Vec<i64>,
    is_equation: bool,
}

/// A multiple of a dimension, and a sum of parameters, counters and a constant.
struct Division {
    dimension: usize,
    times: i64,
    more: Vec<i64>,
}

impl Division {
    /// Adds a multiple of it to a sum of parameters, dimensions, counters and a constant.
    fn add(&self, sum: &mut [i64], times: i64, params: usize, members: usize) -> Option<()> {
        let place = |at: usize| if at < params { at } else { at + members };
        let rest = self.more.iter().enumerate().map(|(at, more)| (place(at), *more));
        for (place, factor) in rest.chain([(params + self.dimension, self.times)]) {
            sum[place] = sum[place].checked_add(times.checked_mul(factor)?)?;
        }
        Some(())
    }
}

/// A division as one of the members.
fn same(division: &Function, members: &[Function]) -> Option<Division> {
    members.iter().enumerate().find_map(|(dimension, member)| {
        if member.by != division.by || member.by == 1 {
            return None;
        }
        // floor(x / n) = floor(y / n) + (x - y) / n
        let difference = |other: &[i64]| {
            let each = division.sum.iter().zip(other).map(|(one, other)| one.checked_sub(*other));
            let whole =
                each.map(|more| more.filter(|more| more % member.by == 0).map(|more| more / member.by));
            whole.collect::<Option<Vec<i64>>>()
        };
        if let Some(more) = difference(&member.sum) {
            return Some(Division { dimension, times: 1, more });
        }
        // floor(y / n) = -floor((-y + n - 1) / n), so the same for that one.
        let mut opposite = negated(&member.sum)?;
        let constant = opposite.last_mut()?;
        *constant = constant.checked_add(member.by - 1)?;
        difference(&opposite).map(|more| Division { dimension, times: -1, more })
    })
}

/// The same if there is no rest: then `floor(x / n) = floor((x + r) / n)` for all `r` less than `n`.
fn same_without_rest(division: &Function, members: &[Function]) -> Option<Division> {
    (1..division.by).find_map(|rest| {
        let mut more = division.clone();
        *more.sum.last_mut()? = more.sum.last()?.checked_add(rest)?;
        same(&more, members)
    })
}

/// What remains if loops count by a size.
fn part(mut function: Function, times: i64, size: i64) -> Option<Function> {
    if function.by > 1 {
        return (times == size).then_some(function);
    }
    for factor in &mut function.sum {
        if *factor % size != 0 {
            return None;
        }
        *factor /= size;
    }
    Some(function)
}

/// Puts a value in the place of an unknown.
fn substitute(sum: &mut [i64], unknown: usize, value: &[i64]) -> Option<()> {
    let times = std::mem::take(&mut sum[unknown]);
    if times != 0 {
        for (factor, more) in sum.iter_mut().zip(value) {
            *factor = factor.checked_add(times.checked_mul(*more)?)?;
        }
    }
    Some(())
}

pub(crate) fn negated(sum: &[i64]) -> Option<Vec<i64>> {
    sum.iter().map(|factor| factor.checked_neg()).collect()
}

/// The same points with the smallest numbers; `None`: no points.
pub(crate) fn tightened(mut row: Inequality) -> Option<Inequality> {
    let (constant, sum) = row.split_last_mut()?;
    match sum.iter().fold(0, |all, factor| gcd(all, *factor)) {
        0 if *constant < 0 => return None,
        0 | 1 => {}
        common => {
            sum.iter_mut().for_each(|factor| *factor /= common);
            *constant = constant.div_euclid(common);
        }
    }
    Some(row)
}

/// Adds an inequality to a list, each sum once, with the constant that says more.
fn push(rows: &mut Vec<Inequality>, row: Inequality) {
    let Some((constant, sum)) = row.split_last() else { return };
    if sum.iter().all(|factor| *factor == 0) {
        return;
    }
    let at = |other: &&mut Inequality| other[..sum.len()] == *sum;
    match rows.iter_mut().find(at) {
        Some(other) => other[sum.len()] = other[sum.len()].min(*constant),
        None => rows.push(row),
    }
}

/// The piece's projections; `None` if it has no points.
fn levels(
    rows: Vec<Inequality>,
    params: usize,
    depth: usize,
    context: &[Inequality],
) -> Found<Option<Vec<Vec<Inequality>>>> {
    let mut all = Vec::new();
    for row in rows {
        match tightened(row) {
            Some(row) => push(&mut all, row),
            None => return Ok(None),
        }
    }
    let Some(last) = needed(all, context)? else { return Ok(None) };
    let mut levels = vec![last];
    for dimension in (0..depth).rev() {
        let Some(rows) = without(&levels[levels.len() - 1], params + dimension)? else { return Ok(None) };
        let Some(rows) = needed(rows, context)? else { return Ok(None) };
        levels.push(rows);
    }
    levels.reverse();
    Ok(Some(levels))
}

/// What follows for the other unknowns (Fourier and Motzkin); `None` if there are no points.
fn without(rows: &[Inequality], unknown: usize) -> Found<Option<Vec<Inequality>>> {
    let mut others: Vec<Inequality> = rows.iter().filter(|row| row[unknown] == 0).cloned().collect();
    for row in combined(rows, unknown)? {
        match tightened(row) {
            Some(row) => push(&mut others, row),
            None => return Ok(None),
        }
        if others.len() > MOST_ROWS {
            return Err(Stop::Other);
        }
    }
    Ok(Some(others))
}

/// The sums of a lower and an upper bound each in which the unknown does not occur.
pub(crate) fn combined(rows: &[Inequality], unknown: usize) -> Found<Vec<Inequality>> {
    let mut all = Vec::new();
    for low in rows.iter().filter(|row| row[unknown] > 0) {
        for high in rows.iter().filter(|row| row[unknown] < 0) {
            let common = gcd(low[unknown], high[unknown]);
            let (a, b) = (-high[unknown] / common, low[unknown] / common);
            let sum =
                low.iter().zip(high).map(|(low, high)| low.checked_mul(a)?.checked_add(high.checked_mul(b)?));
            all.push(sum.collect::<Option<Inequality>>().ok_or(TooBig)?);
        }
    }
    Ok(all)
}

/// Those that do not follow from the others; `None` if there are no points.
fn needed(mut rows: Vec<Inequality>, context: &[Inequality]) -> Found<Option<Vec<Inequality>>> {
    let Some(unknowns) = rows.first().map(|row| row.len() - 1) else { return Ok(Some(rows)) };
    let mut table = Table::of(unknowns, context)?;
    // What was combined last goes first.
    rows.reverse();
    let mut kept = irredundant(rows, &mut table)?;
    kept.reverse();
    Ok((!table.is_empty()).then_some(kept))
}

/// Adds inequalities to what is known; those that do not follow from the others.
pub(crate) fn irredundant(rows: Vec<Inequality>, known: &mut Table) -> Found<Vec<Inequality>> {
    let names = rows.iter().map(|row| known.add(row)).collect::<Result<Vec<_>, _>>()?;
    let mut kept = Vec::new();
    for (row, name) in rows.into_iter().zip(names) {
        if !known.without(name)? {
            kept.push(row);
        }
    }
    Ok(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn divisions_without_a_rest_are_those_of_a_tile() {
        let floor = |constant, by| Function { sum: vec![1, constant], by };
        let members = [floor(0, 1), floor(0, 16)];
        let of = |constant| same_without_rest(&floor(constant, 16), &members);
        for value in -40..40_i64 {
            let is_meant = |constant: &i64| (value + constant) % 16 == 0 && constant % 16 != 0;
            for constant in (-20..20_i64).filter(is_meant) {
                let Division { dimension, times, more } = of(constant).expect("some");
                let tile = times * value.div_euclid(16) + more[0] * value + more[1];
                assert_eq!((dimension, tile), (1, (value + constant) / 16), "{value} {constant}");
            }
        }
        assert!(same_without_rest(&floor(1, 8), &members).is_none(), "of another size");
    }
}
