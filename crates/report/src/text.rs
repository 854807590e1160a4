//! Reports for people at a terminal.
//!
//! ```text
//! gemm (gemm.c)
//!   gemm.c:4:3: 3 loops, 3 deep: candidate
//!       for (int i = 0; i < n; i++)
//! scale (scale.c)
//!   scale.c:7:3: 2 loops, 2 deep: optimized, about 3.1 times the speed expected
//!     array A: double[][m], valid when m >= n
//!     new order: T(S): (j, i)
//!     if at run time: n >= 1
//! walk (list.c)
//!   list.c:9:3: 1 loop: rejected
//!       while (p) {
//!     list.c:10:5: call to visit may have side effects [call-with-side-effects]
//!       remedy: move the call out of the loops, ...
//!
//! 3 functions, 3 loop nests: 1 optimized, 1 candidate, 1 rejected (call-with-side-effects 1)
//! ```
//!
//! Grouped by function. A place is printed once for nest and reason, and a remedy once per function: what was
//! said stays on the screen. The summary counts nests, and in the brackets the nests that each reason concerns.

use crate::tuned::Tuning;
use crate::{FunctionReport, NestReport, NewLoops, Outcome, WeakerLoops};
use anstyle::{AnsiColor, Style as Ansi};
use model::{Class, Refusal, SourceLoc};
use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;

/// How to render.
pub struct Style<'a> {
    /// Whether to use the terminal's colours.
    pub colour: bool,
    /// The line of a source file, if it can be read.
    pub source: &'a dyn Fn(&SourceLoc) -> Option<String>,
}

/// What there is, in numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Functions with loops.
    pub functions: usize,
    /// Nests with new loops.
    pub optimized: usize,
    /// Nests that are modelled and keep their order.
    pub kept: usize,
    /// Nests that the next stages may model.
    pub candidates: usize,
    /// Nests left as they were.
    pub rejected: usize,
    /// For each reason's id, the nests that have it.
    pub reasons: BTreeMap<&'static str, usize>,
}

impl Counts {
    /// Counts.
    pub fn of(functions: &[FunctionReport]) -> Counts {
        let mut counts = Counts { functions: functions.len(), ..Counts::default() };
        for nest in functions.iter().flat_map(|function| &function.nests) {
            let refusals = match &nest.outcome {
                Outcome::Candidate => {
                    counts.candidates += 1;
                    continue;
                }
                Outcome::Kept { .. } => {
                    counts.kept += 1;
                    continue;
                }
                Outcome::Optimized(_) => {
                    counts.optimized += 1;
                    continue;
                }
                Outcome::Rejected { refusals } => refusals,
            };
            counts.rejected += 1;
            let ids: HashSet<_> = refusals.iter().map(|refusal| refusal.reason.id()).collect();
            for id in ids {
                *counts.reasons.entry(id).or_default() += 1;
            }
        }
        counts
    }

    fn sentence(&self) -> String {
        let nests = self.optimized + self.kept + self.candidates + self.rejected;
        if nests == 0 {
            return "no loops found".to_owned();
        }
        let mut most_first: Vec<_> = self.reasons.iter().collect();
        most_first.sort_by_key(|(id, count)| (usize::MAX - **count, **id));
        let reasons: Vec<_> = most_first.iter().map(|(id, count)| format!("{id} {count}")).collect();
        let why = if reasons.is_empty() { String::new() } else { format!(" ({})", reasons.join(", ")) };
        let mut parts = Vec::new();
        if self.optimized > 0 {
            parts.push(format!("{} optimized", self.optimized));
        }
        if self.kept > 0 {
            parts.push(format!("{} kept", self.kept));
        }
        if self.candidates > 0 {
            parts.push(number(self.candidates, "candidate"));
        }
        parts.push(format!("{} rejected{why}", self.rejected));
        let (functions, nests) = (number(self.functions, "function"), number(nests, "loop nest"));
        format!("{functions}, {nests}: {}", parts.join(", "))
    }
}

fn number(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// The whole report, as arranged.
pub fn text(functions: &[FunctionReport], style: &Style<'_>) -> String {
    let mut page = Page { out: String::new(), style };
    for function in functions.iter().filter(|function| !function.nests.is_empty()) {
        page.function(function);
    }
    if !page.out.is_empty() {
        page.out.push('\n');
    }
    page.line(0, &[(PLAIN, &Counts::of(functions).sentence())]);
    page.out
}

const PLAIN: Ansi = Ansi::new();
const NAME: Ansi = Ansi::new().bold();
const GOOD: Ansi = AnsiColor::Green.on_default();
const LEFT: Ansi = AnsiColor::Yellow.on_default();
const BUG: Ansi = AnsiColor::Red.on_default();
const DIM: Ansi = Ansi::new().dimmed();

struct Page<'a> {
    out: String,
    style: &'a Style<'a>,
}

impl Page<'_> {
    /// One line of styled pieces. Names come from the user's program: control characters must not reach the terminal.
    fn line(&mut self, indent: usize, pieces: &[(Ansi, &str)]) {
        let _ = write!(self.out, "{:indent$}", "");
        for (style, piece) in pieces {
            let clean = piece.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c });
            if self.style.colour && *style != PLAIN {
                let _ = write!(self.out, "{style}{}{style:#}", clean.collect::<String>());
            } else {
                self.out.extend(clean);
            }
        }
        self.out.push('\n');
    }

    fn function(&mut self, function: &FunctionReport) {
        self.line(0, &[(NAME, &function.function), (DIM, &format!(" ({})", function.module))]);
        let mut remedies = HashSet::new();
        for nest in &function.nests {
            self.nest(nest);
            match &nest.outcome {
                Outcome::Candidate => {}
                Outcome::Kept { reason } => self.line(4, &[(PLAIN, reason)]),
                Outcome::Optimized(new) => self.new_loops(new),
                Outcome::Rejected { refusals } => {
                    self.refusals(refusals, nest.loc.as_ref(), &mut remedies);
                }
            }
        }
    }

    fn nest(&mut self, nest: &NestReport) {
        let place = nest.loc.as_ref().map_or_else(|| "(no location)".to_owned(), SourceLoc::to_string);
        let depth = if nest.depth > 1 { format!(", {} deep", nest.depth) } else { String::new() };
        let shape = format!(": {}{depth}: ", number(nest.loops as usize, "loop"));
        let (colour, outcome, more) = match &nest.outcome {
            Outcome::Candidate => (GOOD, "candidate", String::new()),
            Outcome::Kept { .. } => (PLAIN, "kept", String::new()),
            Outcome::Optimized(new) => (GOOD, "optimized", expected(new)),
            Outcome::Rejected { .. } => (LEFT, "rejected", String::new()),
        };
        self.line(2, &[(PLAIN, &place), (PLAIN, &shape), (colour, outcome), (PLAIN, &more)]);
        if let Some(source) = nest.loc.as_ref().and_then(|loc| (self.style.source)(loc)) {
            self.line(6, &[(DIM, &excerpt(&source))]);
        }
        for array in &nest.arrays {
            self.line(4, &[(DIM, "array "), (PLAIN, array)]);
        }
        if !nest.aligned.is_empty() {
            self.line(4, &[(DIM, "at cache lines: "), (PLAIN, &nest.aligned.join(", "))]);
        }
        if let Some(text) = nest.tuning.as_ref().and_then(Tuning::text) {
            self.line(4, &[(DIM, "tuned "), (PLAIN, &text)]);
        }
    }

    fn new_loops(&mut self, new: &NewLoops) {
        for (at, line) in new.order.iter().enumerate() {
            let head = if at == 0 { "new order: " } else { "           " };
            self.line(4, &[(DIM, head), (PLAIN, line)]);
        }
        for condition in &new.conditions {
            let held = condition.held.map(|held| format!(" held {} of {} times", held.times, held.of));
            let origin = format!(" {}{}", condition.origin(), held.unwrap_or_default());
            let head = if condition.is_strong { "else weaker, if not: " } else { "if at run time: " };
            self.line(4, &[(DIM, head), (PLAIN, &condition.text), (DIM, &origin)]);
        }
        if let Some(weaker) = &new.weaker {
            self.weaker_loops(weaker);
        }
        if let (Some([new, weaker, original]), Some(_)) = (new.ran(), &new.weaker) {
            let times = format!("new loops {new} times, weaker {weaker}, original {original}");
            self.line(4, &[(DIM, "ran: "), (PLAIN, &times)]);
        }
        for threads in &new.threads {
            self.line(4, &[(DIM, "threads: "), (PLAIN, threads)]);
        }
        let size = format!("{}; the new loops add {}", new.own_size, new.added_size);
        self.line(4, &[(DIM, "code: "), (PLAIN, &size)]);
        let weaker = new.weaker.as_ref().map(|weaker| ("weaker:", &weaker.after));
        for (head, code) in [("before:", &new.before), ("after:", &new.after)].into_iter().chain(weaker) {
            if !code.is_empty() {
                self.line(4, &[(DIM, head)]);
                code.lines().for_each(|line| self.line(6, &[(PLAIN, line)]));
            }
        }
    }

    fn weaker_loops(&mut self, weaker: &WeakerLoops) {
        for (at, line) in weaker.order.iter().enumerate() {
            let head = if at == 0 { "weaker order: " } else { "              " };
            self.line(4, &[(DIM, head), (PLAIN, line)]);
        }
        if let Some(times) = weaker.speedup {
            let text = format!("about {times:.1} times the speed expected");
            self.line(4, &[(DIM, "              "), (PLAIN, &text)]);
        }
    }

    fn refusals(
        &mut self,
        refusals: &[Refusal],
        nest: Option<&SourceLoc>,
        remedies: &mut HashSet<&'static str>,
    ) {
        for refusal in refusals {
            let place = match &refusal.loc {
                Some(loc) if Some(loc) != nest => format!("{loc}: "),
                _ => String::new(),
            };
            let reason = &refusal.reason;
            let colour = if reason.class() == Class::OurBug { BUG } else { PLAIN };
            let id = format!(" [{}]", reason.id());
            self.line(4, &[(PLAIN, &place), (colour, &reason.to_string()), (DIM, &id)]);
            if remedies.insert(reason.remedy()) {
                self.line(6, &[(DIM, "remedy: "), (PLAIN, reason.remedy())]);
            }
        }
    }
}

fn expected(new: &NewLoops) -> String {
    new.speedup.map_or_else(String::new, |times| format!(", about {times:.1} times the speed expected"))
}

/// A source line without its indentation, cut to fit beside ours.
fn excerpt(line: &str) -> String {
    const WIDTH: usize = 90;
    let line = line.trim().replace('\t', " ");
    match line.char_indices().nth(WIDTH) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order::tests::{function, report};
    use crate::{Condition, Held};
    use model::Reason;
    use proptest::prelude::*;

    fn place(line: u32, column: u32) -> Option<SourceLoc> {
        Some(SourceLoc { file: "list.c".into(), line, column })
    }

    fn rejected(line: u32, reasons: Vec<(Reason, Option<SourceLoc>)>) -> NestReport {
        let refusals = reasons.into_iter().map(|(reason, loc)| Refusal { reason, loc }).collect();
        NestReport {
            loc: place(line, 3),
            depth: 2,
            loops: 3,
            statements: 0,
            arrays: vec![],
            aligned: vec![],
            assumptions: vec![],
            tuning: None,
            outcome: Outcome::Rejected { refusals },
        }
    }

    fn example() -> Vec<FunctionReport> {
        let call = Reason::CallWithSideEffects { callee: "visit".into() };
        let mut walk = report("list.c", "walk", &[]);
        walk.nests = vec![
            rejected(9, vec![(call.clone(), place(10, 5)), (Reason::DataDependentExit, place(9, 3))]),
            rejected(20, vec![(call, None)]),
        ];
        vec![report("gemm.c", "gemm", &[("gemm.c", 4)]), walk, report("e.c", "empty", &[])]
    }

    #[test]
    fn the_page() {
        let source = |loc: &SourceLoc| (loc.file == "list.c").then(|| format!("\twhile (p{}) {{", loc.line));
        let page = text(&example(), &Style { colour: false, source: &source });
        // The wording belongs to the reasons, the page to this module.
        let call = Reason::CallWithSideEffects { callee: "visit".into() };
        let end = Reason::DataDependentExit;
        let expected = format!(
            "gemm (gemm.c)
  gemm.c:4:3: 1 loop: candidate
walk (list.c)
  list.c:9:3: 3 loops, 2 deep: rejected
      while (p9) {{
    list.c:10:5: {call} [call-with-side-effects]
      remedy: {}
    {end} [data-dependent-exit]
      remedy: {}
  list.c:20:3: 3 loops, 2 deep: rejected
      while (p20) {{
    {call} [call-with-side-effects]

3 functions, 3 loop nests: 1 candidate, 2 rejected (call-with-side-effects 2, data-dependent-exit 1)
",
            call.remedy(),
            end.remedy()
        );
        assert_eq!(page, expected);
    }

    /// Conditions that only the faster loops need are named apart, and which version ran how often.
    #[test]
    fn tiers_are_told_apart() {
        let condition = |text: &str, is_strong, times, of| Condition {
            kind: None,
            text: text.into(),
            loc: None,
            is_strong,
            held: Some(Held { times, of }),
        };
        let new = NewLoops {
            order: vec!["T(S): (j, i)".into()],
            speedup: Some(3.0),
            conditions: vec![condition("n >= 1", false, 7, 10), condition("apart", true, 5, 7)],
            weaker: Some(WeakerLoops {
                order: vec!["T(S): (i, j)".into()],
                speedup: Some(2.0),
                after: "w;".into(),
            }),
            threads: vec!["for (c0 ...)".into()],
            own_size: Default::default(),
            added_size: Default::default(),
            before: String::new(),
            after: String::new(),
        };
        assert_eq!(new.ran(), Some([5, 2, 3]));
        let mut page = Page { out: String::new(), style: &Style { colour: false, source: &|_| None } };
        page.new_loops(&new);
        for part in [
            "if at run time: n >= 1",
            "else weaker, if not: apart",
            "weaker order: T(S): (i, j)",
            "about 2.0 times",
            "threads: for (c0 ...)",
            "ran: new loops 5 times, weaker 2, original 3",
            "weaker:\n      w;",
        ] {
            assert!(page.out.contains(part), "{part}: {}", page.out);
        }
    }

    #[test]
    fn nothing_is_said_to_be_nothing() {
        let style = Style { colour: true, source: &|_| None };
        assert_eq!(text(&[], &style), "no loops found\n");
        assert_eq!(text(&[report("a.c", "f", &[])], &style), "no loops found\n");
    }

    #[test]
    fn colours_are_only_added_never_needed() {
        let plain = text(&example(), &Style { colour: false, source: &|_| None });
        let coloured = text(&example(), &Style { colour: true, source: &|_| None });
        assert!(!plain.contains('\u{1b}') && coloured.contains("\u{1b}[32mcandidate\u{1b}[0m"));
        let mut stripped = coloured;
        while let Some(start) = stripped.find('\u{1b}') {
            let end = start + stripped[start..].find('m').unwrap();
            stripped.replace_range(start..=end, "");
        }
        assert_eq!(stripped, plain);
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            rng_seed: proptest::test_runner::RngSeed::Fixed(5),
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        #[test]
        fn no_name_reaches_the_terminal_raw(functions in proptest::collection::vec(function(), 0..4)) {
            let page = text(&functions, &Style { colour: false, source: &|_| Some("\u{1b}[2J\u{7}".into()) });
            prop_assert!(page.chars().all(|c| c == '\n' || !c.is_control()));
        }
    }
}
