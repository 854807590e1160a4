//! Loops as they were written.
//!
//! Counters start at 0: the loops `for (i = 0; i < n; i++) for (j = i; j < n; j++)` have the instances
//! `{ [i, j] : 0 <= i < n and 0 <= j < n - i }`. What is regular in the program (`A[j][i]`, a loop that ends at `n`) is not
//! in these counters (`A[i + j][i]`). [`Written`] has the counters that were written, `{ [i, j] -> [i, i + j] }`: where the end
//! of a loop depends on counters around and adding these gives it the same end always, that is the start it had.
//! The order of instances is the same in both.

use isl::{Aff, DimType, LocalSpace, Map, Set, Space, Val};

/// How the counters of a domain differ from those that were written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// For each loop how often each counter around is in its start.
    starts: Vec<Vec<i64>>,
}

impl Written {
    /// Of all loops of a domain.
    pub fn of(domain: &Set) -> isl::Result<Self> {
        let count = domain.dim(DimType::Set)?;
        Ok(Self { starts: (0..count).map(|depth| start(domain, depth)).collect::<isl::Result<_>>()? })
    }

    /// Whether all loops start at 0.
    pub fn is_plain(&self) -> bool {
        self.starts.iter().flatten().all(|times| *times == 0)
    }

    /// For each loop how often each counter around is in its start.
    pub fn starts(&self) -> &[Vec<i64>] {
        &self.starts
    }

    /// `{ [i, j] -> [i, i + j] }`, for counters of that space.
    pub fn map(&self, space: &Space) -> isl::Result<Map> {
        let mut all: Option<Map> = None;
        for (depth, start) in self.starts.iter().enumerate() {
            let one = Map::from_aff(written(space.clone(), depth, start)?)?;
            all = Some(match all {
                Some(before) => before.flat_range_product(one)?,
                None => one,
            });
        }
        match all {
            Some(map) => Ok(map),
            None => Map::identity(space.clone().map_from_set()?),
        }
    }
}

/// `{ S[i, j] -> [(i + j)] }`: the counter at `depth` and its start.
pub fn written(space: Space, depth: usize, start: &[i64]) -> isl::Result<Aff> {
    let mut counter = Aff::var_on_domain(LocalSpace::from_space(space)?, DimType::Set, depth)?;
    for (outer, times) in start.iter().enumerate() {
        let times = Val::int_from_si(counter.ctx(), *times)?;
        counter = counter.add_coefficient_val(DimType::In, outer, times)?;
    }
    Ok(counter)
}

/// How often each counter around is in the start of the loop at `depth`; all 0 if the loop has no such start.
pub fn start(domain: &Set, depth: usize) -> isl::Result<Vec<i64>> {
    let count = domain.dim(DimType::Set)?;
    if depth == 0 || is_apart(domain, depth)? {
        return Ok(vec![0; depth]);
    }
    let loops = domain.clone().project_out(DimType::Set, depth + 1, count - depth - 1)?.reset_tuple_id()?;
    let last = Map::from_range(loops)?.move_dims(DimType::In, 0, DimType::Out, 0, depth)?;
    let nothing = vec![0; depth];
    let last = match last.lexmax_pw_multi_aff() {
        Ok(last) => last.get_at(0)?,
        Err(error) if error.is_budget() => return Err(error),
        // The loop does not end.
        Err(_) => return Ok(nothing),
    };
    let valid = last.clone().domain()?;
    let last = last.gist(valid)?;
    if !last.isa_aff()? {
        return Ok(nothing);
    }
    let last = last.as_aff()?;
    let times = |outer| last.get_coefficient_val(DimType::In, outer);
    let all = (0..depth).map(times).collect::<isl::Result<Vec<_>>>()?;
    let all =
        all.iter().map(|val| val.to_string().parse::<i64>().ok().filter(|times| *times <= 0)?.checked_neg());
    Ok(if last.dim(DimType::Div)? == 0 { all.collect::<Option<_>>().unwrap_or(nothing) } else { nothing })
}

/// Whether no constraint has both the counters around the loop at `depth` and that or one inside: mostly so, and quickly seen.
fn is_apart(domain: &Set, depth: usize) -> isl::Result<bool> {
    let [only] = &domain.get_basic_set_list()?.to_vec()?[..] else { return Ok(false) };
    if only.dim(DimType::Div)? > 0 {
        return Ok(false);
    }
    let inside = domain.dim(DimType::Set)? - depth;
    let bounds = only.clone().drop_constraints_not_involving_dims(DimType::Set, depth, inside)?;
    Ok(!bounds.involves_dims(DimType::Set, 0, depth)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use isl::Ctx;

    fn starts(domain: &str) -> Vec<Vec<i64>> {
        Written::of(&Ctx::new().parse(domain).unwrap()).unwrap().starts
    }

    #[test]
    fn a_loop_that_starts_at_outer_counters() {
        assert_eq!(starts("[n] -> { [i, j] : 0 <= i < n and 0 <= j < n - i }"), [vec![], vec![1]]);
        let deep = "[n] -> { [i, j, k] : 0 <= i < n and 0 <= j < n - i and 0 <= k < n - i - j }";
        assert_eq!(starts(deep), [vec![], vec![1], vec![1, 1]]);
    }

    #[test]
    fn loops_that_start_at_zero() {
        assert_eq!(starts("[n, m] -> { [i, j] : 0 <= i < n and 0 <= j < m }"), [vec![], vec![0]]);
        assert_eq!(starts("[n] -> { [i, j] : 0 <= i < n and 0 <= j <= i }"), [vec![], vec![0]]);
        assert_eq!(starts("[n] -> { [i, j] : 0 <= i < n and 0 <= 5j < n - i }"), [vec![], vec![0]]);
        assert_eq!(starts("{ [i, j] : 0 <= i and 0 <= j }"), [vec![], vec![0]]);
    }

    #[test]
    fn the_map_to_written_counters() {
        let domain: Set = Ctx::new().parse("[n] -> { [i, j] : 0 <= i < n and 0 <= j < n - i }").unwrap();
        let map = Written::of(&domain).unwrap().map(&domain.get_space().unwrap()).unwrap();
        let expected: Set = domain.ctx().parse("[n] -> { [i, j] : 0 <= i <= j < n }").unwrap();
        assert!(domain.apply(map).unwrap().is_equal(&expected).unwrap());
    }
}
