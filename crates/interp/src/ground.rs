//! A scop at concrete parameter values: its instances and the cells they touch, enumerated.

use std::collections::{BTreeSet, HashMap};
use std::fmt;

use isl::{DimType, Map, Point, Set, UnionMap};
use model::{Access, ArrayId, Scop, StmtId};

use crate::{Error, Options};

/// A scop at concrete parameter values.
#[derive(Clone, Debug)]
pub struct Ground {
    /// `[n] -> { : n = 4 }`.
    params: Set,
    /// The instances, in the program's order.
    pub instances: Vec<Instance>,
    /// All cells that are touched.
    pub cells: Vec<Cell>,
    /// Whether an unbounded access was cut down.
    pub clamped: bool,
    numbers: HashMap<(StmtId, Vec<i64>), usize>,
}

/// One execution of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// The statement.
    pub stmt: StmtId,
    /// Its name.
    pub name: String,
    /// The counters of the loops around, outermost first.
    pub counters: Vec<i64>,
    /// For each access of the statement the cells it touches, as indices into [`Ground::cells`], ascending.
    pub touched: Vec<Vec<usize>>,
}

/// One element of an array.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell {
    /// The array.
    pub array: ArrayId,
    /// Its name.
    pub name: String,
    /// Where in the array.
    pub subscripts: Vec<i64>,
}

impl fmt::Display for Instance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{:?}", self.name, self.counters)
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{:?}", self.name, self.subscripts)
    }
}

impl Ground {
    /// The scop with its parameters, in the order of [`Scop::params`], at these values.
    pub fn new(scop: &Scop, values: &[i64], options: &Options) -> Result<Ground, Error> {
        let params = fixed(scop, values)?;
        let mut builder =
            Builder { scop, options, params, cells: HashMap::new(), all: Vec::new(), clamped: false };
        let mut instances = Vec::new();
        for id in scop.stmt_ids() {
            instances.extend(builder.instances(id)?);
        }
        if instances.len() > options.limit {
            return Err(builder.too_large(&scop.name));
        }
        // Unbounded accesses last: they are cut down to what the others touch.
        for unbounded in [false, true] {
            builder.touch(&mut instances, unbounded)?;
        }
        let paths: Vec<_> = scop.stmt_ids().map(|id| crate::order::path(&scop.order, id)).collect();
        instances.sort_by_cached_key(|instance| {
            crate::order::interleaved(&paths[instance.stmt.index()], &instance.counters)
        });
        let number = |(at, instance): (usize, &Instance)| ((instance.stmt, instance.counters.clone()), at);
        let numbers = instances.iter().enumerate().map(number).collect();
        Ok(Ground {
            params: builder.params,
            instances,
            cells: builder.all,
            clamped: builder.clamped,
            numbers,
        })
    }

    /// The number of an instance in [`Ground::instances`].
    pub fn number(&self, stmt: StmtId, counters: &[i64]) -> Option<usize> {
        self.numbers.get(&(stmt, counters.to_vec())).copied()
    }

    /// The pairs of a relation `{ S[i] -> T[j] }`, as numbers of instances. Pairs outside of the domains are an error.
    pub fn pairs(&self, scop: &Scop, relation: &UnionMap) -> Result<BTreeSet<(usize, usize)>, Error> {
        let mut pairs = BTreeSet::new();
        for map in relation.get_map_list()?.to_vec()? {
            let inputs = map.dim(DimType::In)?;
            let (source, sink) = (stmt_of(scop, &map, DimType::In)?, stmt_of(scop, &map, DimType::Out)?);
            let points = self.points(map.wrap()?)?;
            for point in points {
                let (first, second) = point.split_at(inputs);
                match (self.number(source, first), self.number(sink, second)) {
                    (Some(first), Some(second)) => drop(pairs.insert((first, second))),
                    _ => return Err(outside(&relation.to_string(), &point)),
                }
            }
        }
        Ok(pairs)
    }

    /// The pairs of a relation `{ S[i] -> A[x] }`, as numbers of instances and of cells. Cells that no access of the
    /// ground scop touches are left out: an unbounded access was cut down.
    pub fn cells_of(&self, scop: &Scop, relation: &UnionMap) -> Result<BTreeSet<(usize, usize)>, Error> {
        let index: HashMap<_, _> =
            self.cells.iter().enumerate().map(|(at, cell)| ((&*cell.name, &*cell.subscripts), at)).collect();
        let mut pairs = BTreeSet::new();
        for map in relation.get_map_list()?.to_vec()? {
            let inputs = map.dim(DimType::In)?;
            let stmt = stmt_of(scop, &map, DimType::In)?;
            let array = map.get_tuple_name(DimType::Out)?.unwrap_or_default();
            for point in self.points(map.wrap()?)? {
                let (counters, subscripts) = point.split_at(inputs);
                let Some(instance) = self.number(stmt, counters) else {
                    return Err(outside(&relation.to_string(), &point));
                };
                if let Some(cell) = index.get(&(&*array, subscripts)) {
                    pairs.insert((instance, *cell));
                }
            }
        }
        Ok(pairs)
    }

    /// The points of a set at the parameters.
    pub(crate) fn points(&self, set: Set) -> Result<Vec<Vec<i64>>, Error> {
        let set = set.intersect_params(self.params.clone())?.project_out_all_params()?;
        let mut points = Vec::new();
        set.foreach_point(|point| {
            points.push(coordinates(&point)?);
            Ok(())
        })?;
        Ok(points)
    }
}

fn outside(relation: &str, point: &[i64]) -> Error {
    Error::Parameters(format!(
        "{relation} has the point {point:?}, which is no pair of instances of the scop"
    ))
}

fn stmt_of(scop: &Scop, map: &Map, side: DimType) -> Result<StmtId, Error> {
    let name = map.get_tuple_name(side)?.unwrap_or_default();
    scop.stmt_named(&name).ok_or_else(|| Error::Parameters(format!("there is no statement {name}")))
}

/// `[n] -> { : n = 4 }`, if that is in the context.
fn fixed(scop: &Scop, values: &[i64]) -> Result<Set, Error> {
    if values.len() != scop.params.len() {
        let names: Vec<_> = scop.params.iter().map(|param| param.name.as_str()).collect();
        return Err(Error::Parameters(format!(
            "the model has the parameters [{}]; give one value for each, not {}",
            names.join(", "),
            values.len()
        )));
    }
    let names: Vec<_> = scop.params.iter().map(|param| param.name.as_str()).collect();
    let equal: Vec<_> = names.iter().zip(values).map(|(name, value)| format!("{name} = {value}")).collect();
    let condition = if equal.is_empty() { String::new() } else { equal.join(" and ") };
    let params: Set = scop.ctx.parse(&format!("[{}] -> {{ : {condition} }}", names.join(", ")))?;
    if params.clone().intersect(scop.context.clone())?.is_empty()? {
        return Err(Error::Parameters(format!("the context {} excludes {condition}", scop.context)));
    }
    Ok(params)
}

fn coordinates(point: &Point) -> isl::Result<Vec<i64>> {
    let dims = point.get_space()?.dim(DimType::Set)?;
    (0..dims).map(|at| point.get_coordinate_val(DimType::Set, at)?.get_num_si()).collect()
}

struct Builder<'a> {
    scop: &'a Scop,
    options: &'a Options,
    params: Set,
    cells: HashMap<(ArrayId, Vec<i64>), usize>,
    all: Vec<Cell>,
    clamped: bool,
}

impl Builder<'_> {
    fn too_large(&self, what: &str) -> Error {
        Error::TooLarge { what: what.to_owned(), limit: self.options.limit }
    }

    fn at_params(&self, set: Set) -> isl::Result<Set> {
        set.intersect_params(self.params.clone())?.project_out_all_params()
    }

    /// The points of a bounded set, as far as the limit goes.
    fn points(&self, set: &Set, what: &str) -> Result<Vec<Vec<i64>>, Error> {
        let (mut points, mut over) = (Vec::new(), false);
        let result = set.foreach_point(|point| {
            over = points.len() >= self.options.limit;
            if over {
                return Err(isl::Error::other("too many points"));
            }
            points.push(coordinates(&point)?);
            Ok(())
        });
        if over {
            return Err(self.too_large(what));
        }
        result?;
        Ok(points)
    }

    fn instances(&self, id: StmtId) -> Result<Vec<Instance>, Error> {
        let stmt = self.scop.stmt(id);
        let domain = self.at_params(stmt.domain.clone())?;
        if !domain.is_bounded()? {
            return Err(Error::Unbounded(stmt.name.clone()));
        }
        let touched = vec![Vec::new(); stmt.accesses.len()];
        let points = self.points(&domain, &stmt.name)?.into_iter();
        Ok(points
            .map(|counters| Instance {
                stmt: id,
                name: stmt.name.clone(),
                counters,
                touched: touched.clone(),
            })
            .collect())
    }

    /// Fills in the cells of all accesses that are (un)bounded.
    fn touch(&mut self, instances: &mut [Instance], unbounded: bool) -> Result<(), Error> {
        let numbers: HashMap<_, _> = instances
            .iter()
            .enumerate()
            .map(|(at, instance)| ((instance.stmt, instance.counters.clone()), at))
            .collect();
        for id in self.scop.stmt_ids() {
            let stmt = self.scop.stmt(id);
            for (at, access) in stmt.accesses.iter().enumerate() {
                let relation = access.relation.clone().intersect_domain(stmt.domain.clone())?;
                let mut relation = self.at_params(relation.wrap()?)?;
                if relation.is_bounded()? == unbounded {
                    continue;
                }
                if unbounded {
                    relation = self.cut_down(relation, access)?;
                }
                let depth = stmt.domain.dim(DimType::Set)?;
                for point in self.points(&relation, &format!("access {} of {}", access.id.0, stmt.name))? {
                    let (counters, subscripts) = point.split_at(depth);
                    if let Some(&number) = numbers.get(&(id, counters.to_vec())) {
                        let cell = self.cell(access.array, subscripts);
                        instances[number].touched[at].push(cell);
                    }
                }
            }
        }
        instances
            .iter_mut()
            .flat_map(|instance| &mut instance.touched)
            .for_each(|cells| cells.sort_unstable());
        Ok(())
    }

    fn cell(&mut self, array: ArrayId, subscripts: &[i64]) -> usize {
        let name = &self.scop.array(array).name;
        *self.cells.entry((array, subscripts.to_vec())).or_insert_with(|| {
            self.all.push(Cell { array, name: name.clone(), subscripts: subscripts.to_vec() });
            self.all.len() - 1
        })
    }

    /// `{ [S[i] -> A[x]] }` within the array's shape and the box of the cells touched so far.
    fn cut_down(&mut self, relation: Set, access: &Access) -> Result<Set, Error> {
        self.clamped = true;
        let array = self.scop.array(access.array);
        debug_assert!(!array.kind.is_scalar(), "a scalar has one cell");
        let names: Vec<_> = (0..array.shape.len()).map(|at| format!("x{at}")).collect();
        let mut bounds = Vec::new();
        for (at, name) in names.iter().enumerate() {
            let seen =
                self.all.iter().filter(|cell| cell.array == access.array).map(|cell| cell.subscripts[at]);
            let (low, high) = (seen.clone().min().unwrap_or(0), seen.max().unwrap_or(3));
            match &array.shape[at] {
                Some(size) => bounds.push(format!("0 <= {name} < {size}")),
                None => bounds.push(format!("{low} <= {name} <= {high}")),
            }
        }
        let params: Vec<_> = self.scop.params.iter().map(|param| param.name.as_str()).collect();
        let window: Set = self.scop.ctx.parse(&format!(
            "[{}] -> {{ {}[{}] : {} }}",
            params.join(", "),
            array.name,
            names.join(", "),
            bounds.join(" and ")
        ))?;
        let window = self.at_params(window)?;
        Ok(relation.unwrap()?.intersect_range(window)?.wrap()?)
    }
}
