//! Pieces in isl's notation, as text, with exact integer coefficients.
//!
//! The levels of a piece have their own coordinates `q` ([`crate::piece`]). Going from the outermost dimension inwards,
//!
//! - a dimension with one level gives `q = (x - lo) / t`, where `lo` is the affine lower edge and `t` the step. `q` is
//!   substituted away: `lo <= x <= lo + t * count`, and if `t > 1` the divisibility constraint
//!   `(x - lo) mod t = 0`. Rational coefficients that arise from `/ t` are cleared by multiplying a constraint out;
//! - a dimension without a level is an equation, `x = lo`;
//! - a dimension with extra levels keeps their coordinates as existentially quantified variables.
//!
//! A label that is an integer combination is written in place, `[i] -> [2*i + 1]`; others become constraints. A
//! widened label is bounded by its known part and the range of the unknown one, which contains the truth; whoever
//! prints it says that it is an over-approximation ([`crate::output`]).
//!
//! Example: `x = 0, 2, .., 18` with labels `0, 1, .., 9` is
//! `{ [i0] -> [l0] : 2*l0 = i0 and 0 <= i0 <= 18 and (i0) mod 2 = 0 }`.
//!
//! If clearing denominators would leave `i128`, all levels are written with quantified variables instead, which needs
//! no arithmetic at all.

use crate::piece::Piece;

/// A rational affine expression over the coordinates and the quantified variables.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Expr {
    coeffs: Vec<i128>,
    constant: i128,
    den: i128,
}

fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i128::try_from(a).unwrap_or(1)
}

impl Expr {
    fn constant(vars: usize, v: i128) -> Expr {
        Expr { coeffs: vec![0; vars], constant: v, den: 1 }
    }

    fn var(vars: usize, i: usize) -> Expr {
        let mut e = Expr::constant(vars, 0);
        e.coeffs[i] = 1;
        e
    }

    /// `self + f * other`.
    fn add(&self, f: i128, other: &Expr) -> Option<Expr> {
        let g = gcd(self.den, other.den);
        let (ma, mb) = (other.den / g, f.checked_mul(self.den / g)?);
        let sum = |a: i128, b: i128| a.checked_mul(ma)?.checked_add(b.checked_mul(mb)?);
        let coeffs =
            self.coeffs.iter().zip(&other.coeffs).map(|(&a, &b)| sum(a, b)).collect::<Option<_>>()?;
        let e =
            Expr { coeffs, constant: sum(self.constant, other.constant)?, den: self.den.checked_mul(ma)? };
        Some(e.reduced())
    }

    /// `self / t` for positive `t`.
    fn over(&self, t: i128) -> Option<Expr> {
        Some(Expr { den: self.den.checked_mul(t)?, ..self.clone() }.reduced())
    }

    fn reduced(mut self) -> Expr {
        let g = self.coeffs.iter().fold(gcd(self.den, self.constant), |g, &c| gcd(g, c));
        if g > 1 {
            self.coeffs.iter_mut().for_each(|c| *c /= g);
            self.constant /= g;
            self.den /= g;
        }
        self
    }

    /// `f * self` as an integer expression; `f` is a multiple of the denominator.
    fn times(&self, f: i128) -> Option<Expr> {
        let m = f / self.den;
        let coeffs = self.coeffs.iter().map(|c| c.checked_mul(m)).collect::<Option<_>>()?;
        Some(Expr { coeffs, constant: self.constant.checked_mul(m)?, den: 1 })
    }

    fn print(&self, names: &[String]) -> String {
        let mut out = String::new();
        for (c, name) in self.coeffs.iter().zip(names).filter(|(c, _)| **c != 0) {
            let sign = match (out.is_empty(), *c < 0) {
                (true, true) => "-",
                (true, false) => "",
                (false, true) => " - ",
                (false, false) => " + ",
            };
            let size = c.unsigned_abs();
            out += sign;
            out += &if size == 1 { name.clone() } else { format!("{size}*{name}") };
        }
        match (out.is_empty(), self.constant) {
            (true, k) => out = k.to_string(),
            (false, 0) => {}
            (false, k) if k < 0 => out += &format!(" - {}", k.unsigned_abs()),
            (false, k) => out += &format!(" + {k}"),
        }
        out
    }
}

/// A piece as expressions: everything a printer needs.
struct Written {
    /// Names of the coordinates, then of the quantified variables.
    names: Vec<String>,
    /// Number of coordinates.
    dim: usize,
    constraints: Vec<String>,
    /// The local coordinate of each level.
    local: Vec<Expr>,
}

impl Written {
    fn new(piece: &Piece, dims: &[String], taken: &[String], all_quantified: bool) -> Option<Written> {
        let dim = piece.anchor.len();
        let on = |d: usize| piece.levels.iter().filter(move |l| l.dim == d).count();
        let quantified: Vec<bool> =
            piece.levels.iter().map(|l| all_quantified || on(l.dim) > 1 || l.step[l.dim] <= 0).collect();
        let mut names = dims.to_vec();
        let mut fresh = (0..).map(|n| format!("e{n}")).filter(|n| !dims.contains(n) && !taken.contains(n));
        names.extend(fresh.by_ref().take(quantified.iter().filter(|q| **q).count()));
        let vars = names.len();
        let mut w = Written {
            names,
            dim,
            constraints: Vec::new(),
            local: vec![Expr::constant(vars, 0); piece.levels.len()],
        };
        let mut variable = dim;
        let mut below = piece.levels.len();
        for d in 0..dim {
            let outer = below;
            while below > 0 && piece.levels[below - 1].dim == d {
                below -= 1;
            }
            let mut lo = w.edge(piece, d, outer, vars)?;
            if below + 1 == outer && !quantified[below] {
                w.substitute(piece, d, below, &lo)?;
                continue;
            }
            for i in (below..outer).rev() {
                w.local[i] = Expr::var(vars, variable);
                variable += 1;
                lo = lo.add(i128::from(piece.levels[i].step[d]), &w.local[i])?;
                w.bound_variable(piece, i)?;
            }
            w.equate(d, &lo)?;
        }
        Some(w)
    }

    /// The coordinate `d` given by the levels at or outside `from`.
    fn edge(&self, piece: &Piece, d: usize, from: usize, vars: usize) -> Option<Expr> {
        let mut e = Expr::constant(vars, i128::from(piece.anchor[d]));
        for i in from..piece.levels.len() {
            e = e.add(i128::from(piece.levels[i].step[d]), &self.local[i])?;
        }
        Some(e)
    }

    fn count(&self, piece: &Piece, i: usize) -> Option<Expr> {
        let c = &piece.levels[i].count;
        let mut e = Expr::constant(self.names.len(), i128::from(c.constant));
        for k in i + 1..piece.levels.len() {
            e = e.add(i128::from(c.coeffs[k]), &self.local[k])?;
        }
        Some(e)
    }

    /// Dimension `d` has the one level `i`: bounds, divisibility, and its local coordinate.
    fn substitute(&mut self, piece: &Piece, d: usize, i: usize, lo: &Expr) -> Option<()> {
        let t = i128::from(piece.levels[i].step[d]);
        let hi = lo.add(t, &self.count(piece, i)?)?;
        let m = lo.den.checked_mul(hi.den / gcd(lo.den, hi.den))?;
        let x = Expr::var(self.names.len(), d);
        let text = |e: &Expr| Some(e.times(m)?.print(&self.names));
        self.constraints.push(format!("{} <= {} <= {}", text(lo)?, text(&x)?, text(&hi)?));
        let q = x.add(-1, lo)?.over(t)?;
        if q.den > 1 {
            let mut num = q.times(q.den)?;
            num.coeffs.iter_mut().for_each(|c| *c = c.rem_euclid(q.den));
            num.constant = num.constant.rem_euclid(q.den);
            self.constraints.push(format!("({}) mod {} = 0", num.print(&self.names), q.den));
        }
        self.local[i] = q;
        Some(())
    }

    fn bound_variable(&mut self, piece: &Piece, i: usize) -> Option<()> {
        let count = self.count(piece, i)?;
        let scaled = self.local[i].times(count.den)?.print(&self.names);
        self.constraints.push(format!("0 <= {scaled} <= {}", count.times(count.den)?.print(&self.names)));
        Some(())
    }

    fn equate(&mut self, d: usize, e: &Expr) -> Option<()> {
        let left = Expr::var(self.names.len(), d).times(e.den)?.print(&self.names);
        self.constraints.push(format!("{left} = {}", e.times(e.den)?.print(&self.names)));
        Some(())
    }

    /// The known part of label `l`.
    fn label(&self, piece: &Piece, l: usize) -> Option<Expr> {
        let f = &piece.labels[l];
        let mut e = Expr::constant(self.names.len(), i128::from(f.constant));
        for (i, c) in f.coeffs.iter().enumerate() {
            e = e.add(i128::from(c.unwrap_or(0)), &self.local[i])?;
        }
        Some(e)
    }

    /// What stands for label `l` in the range tuple; constraints are added if it cannot be written in place.
    fn range(&mut self, piece: &Piece, l: usize, name: &str) -> Option<String> {
        let e = self.label(piece, l)?;
        let quantified = e.coeffs[self.dim..].iter().any(|c| *c != 0);
        let scaled = if e.den == 1 { name.to_string() } else { format!("{}*{name}", e.den) };
        let shifted = |by: i64| {
            let k = Expr::constant(self.names.len(), i128::from(by));
            Some(e.add(1, &k)?.times(e.den)?.print(&self.names))
        };
        match piece.labels[l].unknown {
            None if e.den == 1 && !quantified => return Some(e.print(&self.names)),
            None => self.constraints.push(format!("{scaled} = {}", e.times(e.den)?.print(&self.names))),
            Some([low, high]) => {
                let low = low.map(&shifted).transposed()?.map_or(String::new(), |b| format!("{b} <= "));
                let high = high.map(&shifted).transposed()?.map_or(String::new(), |b| format!(" <= {b}"));
                if !low.is_empty() || !high.is_empty() {
                    self.constraints.push(format!("{low}{scaled}{high}"));
                }
            }
        }
        Some(name.to_string())
    }

    /// All constraints, quantified where needed.
    fn condition(&self) -> String {
        let all = self.constraints.join(" and ");
        if self.names.len() == self.dim {
            all
        } else {
            format!("exists ({} : {all})", self.names[self.dim..].join(", "))
        }
    }
}

/// `Option<Option<T>>` to `Option<Option<T>>` the other way round: outer `None` is an overflow.
trait Transposed<T> {
    fn transposed(self) -> Option<Option<T>>;
}

impl<T> Transposed<T> for Option<Option<T>> {
    fn transposed(self) -> Option<Option<T>> {
        match self {
            None => Some(None),
            Some(None) => None,
            Some(Some(t)) => Some(Some(t)),
        }
    }
}

/// One piece without the outer braces: `[i, j] -> [i + j] : 0 <= i <= 9 and ...`.
pub(crate) fn piece_text(piece: &Piece, tuple: &str, dims: &[String], labels: &[String]) -> String {
    written(piece, tuple, dims, labels, false)
        .or_else(|| written(piece, tuple, dims, labels, true))
        .unwrap_or_default()
}

fn written(piece: &Piece, tuple: &str, dims: &[String], labels: &[String], all: bool) -> Option<String> {
    let mut w = Written::new(piece, dims, labels, all)?;
    let range: Vec<String> =
        labels.iter().enumerate().map(|(l, name)| w.range(piece, l, name)).collect::<Option<_>>()?;
    let mut out = format!("{tuple}[{}]", dims.join(", "));
    if !labels.is_empty() {
        out += &format!(" -> [{}]", range.join(", "));
    }
    let condition = w.condition();
    if !condition.is_empty() {
        out += &format!(" : {condition}");
    }
    Some(out)
}

/// The domain of a piece as people read it: its constraints only.
pub(crate) fn domain_text(piece: &Piece, dims: &[String]) -> String {
    let w = Written::new(piece, dims, &[], false).or_else(|| Written::new(piece, dims, &[], true));
    w.map_or(String::new(), |w| w.condition())
}

/// A label function as people read it: `cj + T(ck) + 67`, where `T(..)` is an unknown function of its arguments.
pub(crate) fn label_text(piece: &Piece, l: usize, dims: &[String]) -> String {
    let print = |all: bool| {
        let w = Written::new(piece, dims, &[], all)?;
        let e = w.label(piece, l)?;
        let unknown = piece.labels[l].coeffs.iter().enumerate().filter(|(_, c)| c.is_none());
        let args: Vec<String> = unknown.map(|(i, _)| rational(&w.local[i], &w.names)).collect();
        let mut out = rational(&e, &w.names);
        if piece.labels[l].unknown.is_some() {
            out += &format!(" + T({})", args.join(", "));
        }
        Some(out)
    };
    print(false).or_else(|| print(true)).unwrap_or_default()
}

fn rational(e: &Expr, names: &[String]) -> String {
    let whole = Expr { den: 1, ..e.clone() }.print(names);
    if e.den == 1 { whole } else { format!("({whole})/{}", e.den) }
}
