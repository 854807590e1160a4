//! A view in the words of the source: `B: double[][B->size1], valid when B->size1 >= C->size1`.

use crate::packed::Rows;
use crate::poly::{Atom, Monomial, Poly};
use crate::view::{Cells, View};
use isl::{BasicSet, Constraint, DimType, Set};

/// How things are called.
pub struct Names<'a> {
    /// The array.
    pub array: &'a str,
    /// A cell: `double`, `8 bytes`.
    pub element: &'a str,
    /// What a parameter is called in the source.
    pub param: &'a dyn Fn(&str) -> String,
}

impl View {
    /// The declaration, and the condition if there is one.
    pub fn explain(&self, names: &Names<'_>) -> isl::Result<String> {
        let sizes: String = self
            .sizes
            .iter()
            .map(|size| format!("[{}]", size.text(|atom| name(atom, names.param, &[]))))
            .collect();
        // The row is written as the counter that it usually is.
        let length = |rows: &Rows| rows.length(&Poly::counter(0)).unwrap_or_default();
        let rows = self.rows.as_ref().map(|rows| {
            let length = length(rows).text(|atom| name(atom, names.param, &["i".to_owned()]));
            format!("[{length} in row i]")
        });
        let declaration = format!("{}: {}[]{sizes}{}", names.array, names.element, rows.unwrap_or_default());
        Ok(match self.is_always_valid()? {
            true => declaration,
            false => format!("{declaration}, valid when {}", condition(&self.valid, names.param)?),
        })
    }

    /// The access at this index of the problem: `A[i][j - 1]`.
    pub fn explain_access(&self, index: usize, names: &Names<'_>) -> isl::Result<String> {
        let (pieces, granules, domain) = match &self.accesses[index] {
            Cells::Anywhere { .. } => return Ok(format!("any of {}", names.array)),
            Cells::Exact { pieces, granules, domain } => (pieces, *granules, domain),
        };
        let counters = counter_names(domain)?;
        let name = |atom: &Atom| name(atom, names.param, &counters);
        let mut texts = Vec::new();
        for piece in pieces {
            let cell = cell(names.array, &piece.subscripts, granules, &name);
            let text = match pieces.len() {
                1 => cell,
                _ => format!("{cell} for {}", self.within(&piece.within, domain, &name)?),
            };
            texts.push(text);
        }
        Ok(texts.join("; "))
    }

    /// What tells the instances of a piece from those of the other pieces.
    fn within(&self, piece: &Set, domain: &Set, name: &dyn Fn(&Atom) -> String) -> isl::Result<String> {
        let known = domain.clone().intersect_params(self.frame.context.clone())?;
        readable(&piece.clone().gist(known)?.coalesce()?, name)
    }
}

fn cell(array: &str, subscripts: &[Poly], granules: u64, name: &dyn Fn(&Atom) -> String) -> String {
    let mut text = array.to_owned();
    for (at, subscript) in subscripts.iter().enumerate() {
        let first = subscript.text(name);
        match subscript.add(&Poly::constant(i128::from(granules) - 1)) {
            Ok(last) if granules > 1 && at + 1 == subscripts.len() => {
                text.push_str(&format!("[{first} .. {}]", last.text(name)));
            }
            _ => text.push_str(&format!("[{first}]")),
        }
    }
    text
}

fn name(atom: &Atom, param: &dyn Fn(&str) -> String, counters: &[String]) -> String {
    match atom {
        Atom::Counter(position) => {
            counters.get(*position as usize).cloned().unwrap_or_else(|| atom.to_string())
        }
        Atom::Param(name) => param(name),
        Atom::Share(name, by) => format!("{}/{by}", param(name)),
    }
}

fn counter_names(domain: &Set) -> isl::Result<Vec<String>> {
    let name =
        |position| Ok(domain.get_dim_name(DimType::Set, position)?.unwrap_or_else(|| format!("i{position}")));
    (0..domain.dim(DimType::Set)?).map(name).collect()
}

/// A set of parameter values as people write it: `n >= m and m > 0`.
pub fn condition(set: &Set, param: &dyn Fn(&str) -> String) -> isl::Result<String> {
    readable(set, &|atom| name(atom, param, &[]))
}

fn readable(set: &Set, name: &dyn Fn(&Atom) -> String) -> isl::Result<String> {
    let mut cases = Vec::new();
    let mut is_readable = true;
    set.foreach_basic_set(|case| {
        match conjunction(&case, name)? {
            Some(text) => cases.push(text),
            None => is_readable = false,
        }
        Ok(())
    })?;
    match (is_readable, cases.len()) {
        (false, _) => in_isl_notation(set, name),
        (true, 0) => Ok("never".into()),
        (true, 1) => Ok(cases.remove(0)),
        (true, _) => Ok(cases.iter().map(|case| format!("({case})")).collect::<Vec<_>>().join(" or ")),
    }
}

/// The constraints; `None` if there are divisions.
fn conjunction(case: &BasicSet, name: &dyn Fn(&Atom) -> String) -> isl::Result<Option<String>> {
    if case.dim(DimType::Div)? > 0 {
        return Ok(None);
    }
    let mut parts = Vec::new();
    case.foreach_constraint(|constraint| {
        parts.push(comparison(&constraint, name)?);
        Ok(())
    })?;
    Ok(Some(if parts.is_empty() { "always".into() } else { parts.join(" and ") }))
}

fn comparison(constraint: &Constraint, name: &dyn Fn(&Atom) -> String) -> isl::Result<String> {
    let number = |text: String| text.parse::<i128>().unwrap_or(0);
    let (mut left, mut right) = (Poly::default(), Poly::default());
    for kind in [DimType::Set, DimType::Param] {
        for position in 0..constraint.dim(kind)? {
            let atom = match kind {
                DimType::Set => Atom::Counter(position as u32),
                _ => Atom::Param(constraint.get_dim_name(kind, position)?.unwrap_or_default().into()),
            };
            let value = number(constraint.get_coefficient_val(kind, position)?.to_str()?);
            let side = if value > 0 { &mut left } else { &mut right };
            let term = Poly::term(Monomial::product([atom]), value.saturating_abs());
            *side = side.add(&term).map_err(isl::Error::other)?;
        }
    }
    let constant = number(constraint.get_constant_val()?.to_str()?);
    Ok(compared(&left, &right, constant, constraint.is_equality()?, name))
}

/// `left - right + constant` is at least 0, or 0.
fn compared(
    left: &Poly,
    right: &Poly,
    constant: i128,
    is_equality: bool,
    name: &dyn Fn(&Atom) -> String,
) -> String {
    let show =
        |side: &Poly, more: i128| side.add(&Poly::constant(more)).unwrap_or_else(|_| side.clone()).text(name);
    let (at_least, at_most) = if is_equality { ("=", "=") } else { (">=", "<=") };
    match (left.is_zero(), right.is_zero()) {
        (true, _) => format!("{} {at_most} {constant}", show(right, 0)),
        (_, false) if constant == -1 && !is_equality => format!("{} > {}", show(left, 0), show(right, 0)),
        (_, false) if constant > 0 => format!("{} {at_least} {}", show(left, constant), show(right, 0)),
        _ => format!("{} {at_least} {}", show(left, 0), show(right, -constant)),
    }
}

/// isl's own text, for what the rest of this module has no words for.
fn in_isl_notation(set: &Set, name: &dyn Fn(&Atom) -> String) -> isl::Result<String> {
    let mut named = set.clone();
    for position in 0..named.dim(DimType::Param)? {
        let param = named.get_dim_name(DimType::Param, position)?.unwrap_or_default();
        let name = name(&Atom::Param(param.into()));
        // isl takes `16*n` for a number, and refuses it.
        let is_like_a_number =
            name.trim_start().starts_with(|c: char| c.is_ascii_digit() || "+-".contains(c));
        let name = if is_like_a_number { format!("({name})") } else { name };
        named = named.set_dim_name(DimType::Param, position, &name)?;
    }
    Ok(body(&named.to_str()?).to_owned())
}

/// The part of isl's text that says something: after the colon, without the braces.
fn body(text: &str) -> &str {
    let inner = text.rsplit_once(" }").map_or(text, |(inner, _)| inner);
    inner
        .split_once(" : ")
        .or(inner.split_once("{ : "))
        .map_or(inner, |(_, body)| body)
        .trim_start_matches(": ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use isl::Ctx;

    #[test]
    fn conditions_in_source_names() {
        let source = |name: &str| match name {
            "p0" => "B->size1".to_owned(),
            "p1" => "C->size1".to_owned(),
            "p2" => "16*n".to_owned(),
            "p3" => "-1*n".to_owned(),
            _ => name.to_owned(),
        };
        let text = |set: &str| condition(&Ctx::of_thread().parse(set).unwrap(), &source).unwrap();
        assert_eq!(text("[p0, p1] -> { : p0 >= p1 }"), "B->size1 >= C->size1");
        assert_eq!(text("[p0, p1] -> { : p0 > p1 }"), "B->size1 > C->size1");
        assert_eq!(text("[n, m] -> { : n + 3 >= 2m }"), "n + 3 >= 2*m");
        assert_eq!(text("[n, m] -> { : n - 3 >= 2m }"), "n >= 2*m + 3");
        assert_eq!(text("[n] -> { : n <= 7 }"), "n <= 7");
        assert_eq!(text("[n] -> { : n = 7 }"), "n = 7");
        assert_eq!(text("[n] -> { : n >= 7 or n <= -3 }"), "(n >= 7) or (n <= -3)");
        assert_eq!(text("[n] -> { : n mod 8 = 0 }"), "(n) mod 8 = 0");
        assert_eq!(text("[p0] -> { : p0 mod 8 = 0 }"), "(B->size1) mod 8 = 0");
        assert_eq!(text("[p2] -> { : p2 mod 7 = 0 }"), "((16*n)) mod 7 = 0");
        assert_eq!(text("[p3] -> { : p3 mod 7 = 0 }"), "((-1*n)) mod 7 = 0");
        assert_eq!(text("{ : }"), "always");
        assert_eq!(text("{ : false }"), "never");
    }

    #[test]
    fn the_declaration_in_source_names() {
        let source = include_str!("../tests/files/paper/listing4-B.scop");
        let problem = crate::text::read(&Ctx::of_thread(), source).unwrap().problem;
        let view = crate::delinearize(&problem, &crate::Options::default()).unwrap();
        let param = |name: &str| match name.split_at(1) {
            (array, "1") => format!("{array}->size1"),
            _ => name.to_owned(),
        };
        let names = Names { array: "B", element: "double", param: &param };
        let text = view.explain(&names).unwrap();
        assert_eq!(text, "B: double[][B->size1], valid when B->size1 >= C->size1");
        assert_eq!(view.explain_access(0, &names).unwrap(), "B[k][j]");
    }
}
