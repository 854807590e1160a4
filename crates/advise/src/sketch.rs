//! Before and after, as loops that look like C: what a suggestion means for the nest it is about.
//!
//! Counters are named by dimension (`i`, `j`, `k`, ...), bounds are the observed numbers of iterations (rounded where they vary, and
//! marked), `S(i, j)` is what stands in the innermost loop, `A(i)` and `B(i)` what stands before and after it. A sketch shows an
//! order, no code to paste.

use crate::view::{short, trips};
use crate::{Kind, Suggestion};
use trace::profile::Loop;

/// Names of counters, by dimension.
const NAMES: [&str; 12] = ["i", "j", "k", "l", "m", "n", "o", "p", "q", "r", "s", "t"];

/// Iterations of a block in sketches of tiling.
const TILE: u32 = 32;

/// The counter of a loop.
fn counter(l: &Loop) -> &'static str {
    NAMES[l.dimension as usize % NAMES.len()]
}

fn bound(l: &Loop) -> String {
    let trips = trips(l);
    if trips.fract() == 0.0 { format!("{trips}") } else { format!("~{trips:.0}") }
}

fn place(l: &Loop) -> String {
    l.loc.as_ref().map_or_else(String::new, |loc| format!("  // {}", short(loc)))
}

fn plain(l: &Loop) -> String {
    let name = counter(l);
    format!("for ({name} = 0; {name} < {}; {name}++){}", bound(l), place(l))
}

fn arguments(loops: &[&Loop]) -> String {
    loops.iter().map(|l| counter(l)).collect::<Vec<_>>().join(", ")
}

/// Headers around a body, each indented once more.
fn nested(headers: impl IntoIterator<Item = String>, body: &[String]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for header in headers {
        lines.push(format!("{}{header}", "  ".repeat(lines.len())));
    }
    let indent = "  ".repeat(lines.len());
    lines.extend(body.iter().map(|line| format!("{indent}{line}")));
    lines
}

fn innermost(loops: &[&Loop]) -> Vec<String> {
    vec![format!("S({});", arguments(loops))]
}

fn in_order(loops: &[&Loop]) -> Vec<String> {
    nested(loops.iter().map(|l| plain(l)), &innermost(loops))
}

/// The sketch of a suggestion about these loops, outermost first; `apart`: what is outside the innermost loop gets loops of its
/// own.
pub fn add(suggestion: &mut Suggestion, loops: &[&Loop], apart: bool) {
    if loops.is_empty() {
        return;
    }
    suggestion.before = if apart { imperfect(loops) } else { in_order(loops) };
    suggestion.after = match suggestion.id {
        Kind::Interchange => moved_inside(loops, apart),
        Kind::Tile => around(loops, apart, tiled(loops, &[])),
        Kind::Vectorize if loops.len() > 1 => moved_inside(loops, false),
        _ => in_order(loops),
    };
    let pragma = match suggestion.id {
        Kind::Parallel => "#pragma omp parallel for",
        Kind::Reduction => "#pragma omp parallel for reduction(...)  // or atomic updates",
        Kind::Privatize => "#pragma omp parallel for private(...)",
        _ => "",
    };
    if !pragma.is_empty() {
        suggestion.after.insert(0, pragma.to_owned());
    }
    if suggestion.id == Kind::Vectorize {
        // The vector loop is the last but one line.
        let at = suggestion.after.len().saturating_sub(2);
        let indent = "  ".repeat(at);
        suggestion.after.insert(at, format!("{indent}#pragma omp simd"));
    }
}

/// The sketch of a band that is skewed by these factors before it is tiled.
pub fn add_skewed(suggestion: &mut Suggestion, loops: &[&Loop], factors: &[i64], apart: bool) {
    suggestion.before = if apart { imperfect(loops) } else { in_order(loops) };
    suggestion.after = around(loops, apart, tiled(loops, factors));
}

fn imperfect(loops: &[&Loop]) -> Vec<String> {
    let [outer @ .., inner] = loops else { return Vec::new() };
    let mut body = vec![format!("A({});", arguments(outer)), plain(inner)];
    body.extend(innermost(loops).into_iter().map(|line| format!("  {line}")));
    body.push(format!("B({});", arguments(outer)));
    nested(outer.iter().map(|l| plain(l)), &body)
}

/// The first loop becomes the innermost.
fn moved_inside(loops: &[&Loop], apart: bool) -> Vec<String> {
    let order: Vec<&Loop> = loops[1..].iter().chain(&loops[..1]).copied().collect();
    around(loops, apart, nested(order.iter().map(|l| plain(l)), &innermost(loops)))
}

/// Loops of their own before and after for what is not innermost.
fn around(loops: &[&Loop], apart: bool, lines: Vec<String>) -> Vec<String> {
    let outer = &loops[..loops.len() - 1];
    if !apart || outer.is_empty() {
        return lines;
    }
    let own =
        |what: &str| nested(outer.iter().map(|l| plain(l)), &[format!("{what}({});", arguments(outer))]);
    [own("A"), lines, own("B")].concat()
}

fn tiled(loops: &[&Loop], factors: &[i64]) -> Vec<String> {
    let skewed = |n: usize| n.checked_sub(1).and_then(|n| factors.get(n)).copied().unwrap_or(0);
    let outermost = counter(loops[0]);
    let blocks = loops.iter().enumerate().map(|(n, l)| {
        let (name, bound) = (counter(l), bound(l));
        let end = match skewed(n) {
            0 => bound,
            f => format!("{bound} + {f}*{}", crate::sketch::bound(loops[0])),
        };
        format!("for ({name}0 = 0; {name}0 < {end}; {name}0 += {TILE})")
    });
    let inside = loops.iter().enumerate().map(|(n, l)| {
        let (name, bound) = (counter(l), bound(l));
        match skewed(n) {
            0 => format!("for ({name} = {name}0; {name} < min({name}0 + {TILE}, {bound}); {name}++)"),
            f => format!(
                "for ({name} = max({name}0, {f}*{outermost}); {name} < min({name}0 + {TILE}, {bound} + {f}*{outermost}); {name}++)"
            ),
        }
    });
    let index = |(n, l): (usize, &&Loop)| match skewed(n) {
        0 => counter(l).to_owned(),
        f => format!("{} - {f}*{outermost}", counter(l)),
    };
    let arguments: Vec<String> = loops.iter().enumerate().map(index).collect();
    nested(blocks.chain(inside), &[format!("S({});", arguments.join(", "))])
}

/// The sketch of joining two loops that follow each other.
pub fn add_fused(suggestion: &mut Suggestion, first: &Loop, second: &Loop) {
    let name = counter(first);
    let own = |l: &Loop, what: &str| nested([plain(l)], &[format!("{what}({name});")]);
    suggestion.before = [own(first, "A"), own(second, "B")].concat();
    suggestion.after = nested([plain(first)], &[format!("A({name});"), format!("B({name});")]);
}

/// The sketch of giving part of a loop a loop of its own.
pub fn add_split(suggestion: &mut Suggestion, l: &Loop) {
    let name = counter(l);
    suggestion.before = nested([plain(l)], &[format!("A({name});  // free"), format!("R({name});  // tied")]);
    suggestion.after =
        [nested([plain(l)], &[format!("A({name});")]), nested([plain(l)], &[format!("R({name});")])].concat();
}
