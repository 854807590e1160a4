//! From the profile of a run to suggestions, per loop nest, ranked by what they can gain.
//!
//! The feedback of Selva, Gruber, Sampaio, Guillon, Pouchet, Rastello: *Building a Polyhedral Representation from an
//! Instrumented Execution* (TACO 2019), Sections 2.2, 4.3 and 6. [`advise`] reads a [`Profile`] and yields an
//! [`Advice`]; `docs/advice.md` has a section for each [`Kind`].
//!
//! | module | question |
//! |---|---|
//! | `distance` | between which iterations can a dependence be? (Section 4.3) |
//! | `view` | which loops, statements and dependences belong together? |
//! | `parallel` | which loops can run their iterations at the same time, and with which sums and copies? |
//! | `band` | which loops can be tiled together, perhaps after skewing? |
//! | `stride` | which loop should be innermost, and can it use vector instructions? |
//! | `siblings`, `nests` | which loops can be one, which can be several? |
//! | `layout` | does data lie in memory in the order of its use? |
//! | `sketch` | before and after |
//!
//! **What is claimed.** A suggestion is possible if all *flow* dependences that were observed, and all that an
//! over-approximation adds, allow it. So over-approximation can only hide suggestions, and an obstacle that rests on it
//! says so. Nothing is claimed about other inputs. *Anti and output* dependences, if they were recorded, forbid nothing either: they say
//! that storage is reused, which a copy mends, and [`Suggestion::needs`] names the copies that the new order needs. If they were not
//! recorded a note says so.
//!
//! Example: `for (j) { sum = 0; for (k) sum += conn[k][j] * l1[k]; l2[j] = squash(sum); }` (the paper's Figure 1): `j` is
//! parallel; `conn` has stride 1 along `j` and none along `k`, so `j` should be innermost, and the only dependence
//! between iterations, `(0, 1)` of the sum, stays in order: interchange, then vector instructions along `j`; both loops
//! can be tiled.

mod band;
mod distance;
mod layout;
mod nests;
mod parallel;
mod siblings;
mod sketch;
mod stride;
#[cfg(test)]
mod tests;
mod text;
mod view;

use model::SourceLoc;
use serde::{Deserialize, Serialize};
use trace::profile::Profile;
use view::View;

/// Loops with less than this share of the instructions, and suggestions with less gain, are not worth a line.
const LEAST_SHARE: f64 = 0.01;

/// What a suggestion is about. The names are stable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Another loop of the nest should be the innermost one.
    Interchange,
    /// Vector instructions along a loop.
    Vectorize,
    /// Iterations of a loop at the same time.
    Parallel,
    /// The same, with a sum (product, ...) made of partial sums.
    Reduction,
    /// The same, with storage that each iteration has a copy of.
    Privatize,
    /// Blocks of several loops.
    Tile,
    /// The same after moving inner iterations by a multiple of the outer ones.
    Skew,
    /// Two loops become one.
    Fuse,
    /// One loop becomes two.
    Distribute,
    /// A scalar becomes an array, so that loops around it can be moved.
    Expand,
    /// Data in another order.
    Layout,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 11] = [
        Kind::Interchange,
        Kind::Vectorize,
        Kind::Parallel,
        Kind::Reduction,
        Kind::Privatize,
        Kind::Tile,
        Kind::Skew,
        Kind::Fuse,
        Kind::Distribute,
        Kind::Expand,
        Kind::Layout,
    ];

    /// The stable name; its section in `docs/advice.md`.
    pub fn id(self) -> &'static str {
        match self {
            Kind::Interchange => "interchange",
            Kind::Vectorize => "vectorize",
            Kind::Parallel => "parallel",
            Kind::Reduction => "reduction",
            Kind::Privatize => "privatize",
            Kind::Tile => "tile",
            Kind::Skew => "skew",
            Kind::Fuse => "fuse",
            Kind::Distribute => "distribute",
            Kind::Expand => "expand",
            Kind::Layout => "layout",
        }
    }
}

/// Suggestions from one run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Advice {
    /// What is possible first, then by gain.
    pub suggestions: Vec<Suggestion>,
    /// What the reader should know before acting on them.
    pub notes: Vec<String>,
}

/// One suggestion.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Suggestion {
    /// What it is about.
    pub id: Kind,
    /// Whether all that was observed allows it. If not, `obstacles` says what forbids it.
    pub possible: bool,
    /// Position of the nest in the profile.
    pub nest: u32,
    /// The loops concerned, by position in the nest, outermost first.
    pub loops: Vec<u32>,
    /// Another nest whose outermost loop is concerned, too.
    #[serde(default)]
    pub with_nest: Option<u32>,
    /// Where these loops stand in the source, as far as that is known.
    pub lines: Vec<SourceLoc>,
    /// The expected gain: the share of the run's instructions that it concerns, 0 to 1. `docs/advice.md` says for each
    /// id how it is counted. An upper bound to rank by, no forecast of time.
    pub gain: f64,
    /// One sentence.
    pub message: String,
    /// What has to be changed besides.
    pub needs: Vec<String>,
    /// What forbids it.
    pub obstacles: Vec<Obstacle>,
    /// Whether it rests on something over-approximated. If it is possible, it is so under the over-approximation too; if
    /// not, an exact result could allow it.
    pub over_approximated: bool,
    /// The loops as they are, in the manner of C; empty if there is no sketch.
    #[serde(default)]
    pub before: Vec<String>,
    /// The same after the change.
    #[serde(default)]
    pub after: Vec<String>,
}

/// Something that forbids a suggestion.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Obstacle {
    /// The dependence, by position in the nest; `None` if it is something else.
    pub dependence: Option<u32>,
    /// Where the value is made.
    pub source: Option<SourceLoc>,
    /// Where it is used.
    pub target: Option<SourceLoc>,
    /// In words.
    pub message: String,
    /// Whether it was observed as it is described; if not it is over-approximated and may not be there.
    pub exact: bool,
}

/// Suggestions for all nests of a profile.
pub fn advise(profile: &Profile) -> Advice {
    let mut suggestions = Vec::new();
    for nest in profile.nests.iter().filter(|nest| nest.share >= LEAST_SHARE) {
        let view = View::new(nest);
        suggestions.extend(parallel::suggest(&view));
        suggestions.extend(band::suggest(&view));
        suggestions.extend(stride::suggest(&view));
        suggestions.extend(siblings::suggest(&view));
        suggestions.extend(layout::suggest(&view));
    }
    suggestions.extend(nests::suggest(profile));
    suggestions.retain(|s: &Suggestion| s.gain >= LEAST_SHARE);
    suggestions.sort_by(|a, b| {
        b.possible
            .cmp(&a.possible)
            .then(b.gain.total_cmp(&a.gain))
            .then(a.id.cmp(&b.id))
            .then(a.nest.cmp(&b.nest))
    });
    Advice { suggestions, notes: notes(profile) }
}

/// Warnings of a profile after which dependences can be missing.
const INCOMPLETE: [&str; 6] =
    ["memory-limit", "dependence-limit", "context-limit", "incomplete", "timeout", "crash"];

fn notes(profile: &Profile) -> Vec<String> {
    let mut notes = Vec::new();
    if profile.collection.survey {
        notes.push("a survey records no dependences: run without --survey for advice".to_owned());
        return notes;
    }
    if profile.nests.is_empty() {
        return notes;
    }
    notes.push("observed in one run, not proved: check that other inputs behave alike".to_owned());
    if !profile.collection.memory_dependences {
        notes.push(
            "only the flow of values was recorded: where storage is reused a copy may be needed \
             (--memory-dependences shows where)"
                .to_owned(),
        );
    }
    let missing: Vec<&str> =
        profile.warnings.iter().map(|w| w.id.as_str()).filter(|id| INCOMPLETE.contains(id)).collect();
    if !missing.is_empty() {
        notes.push(format!("dependences can be missing ({})", missing.join(", ")));
    }
    notes
}
