//! How often the parts of run-time checks held: what a program built with `count-checks` says at its end.
//!
//! Such a program appends a line of JSON ([`Counted`]) for each nest that was reached to the file that the environment variable
//! `ORTHANT_COUNTS` names. A conjunct counts only if all before it held, so it was asked as often as the one before it
//! held. [`with_counts`] joins the lines with reports: by function, place and text, so that lines of another version of
//! the program do not match.

use crate::{Condition, FunctionReport, Held, Outcome};
use model::{Kind, SourceLoc};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// What was counted in one nest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counted {
    /// The function.
    pub symbol: String,
    /// Where the nest starts.
    pub loc: Option<SourceLoc>,
    /// How often the nest was reached.
    pub runs: u64,
    /// The parts of its check, in order.
    pub conjuncts: Vec<Conjunct>,
}

impl Counted {
    /// How often each part failed when it was asked: its text, and a number from 0 to 1.
    pub fn failures(&self) -> HashMap<String, f64> {
        let asked = std::iter::once(self.runs).chain(self.conjuncts.iter().map(|part| part.held));
        let asked = self.conjuncts.iter().zip(asked).filter(|(_, asked)| *asked > 0);
        asked.map(|(part, asked)| (part.text.clone(), 1.0 - part.held as f64 / asked as f64)).collect()
    }
}

/// What was counted of a part of a check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conjunct {
    /// What kind of assumption it tests.
    pub kind: Option<Kind>,
    /// What must hold.
    pub text: String,
    /// How often it held, and all before it.
    pub held: u64,
}

/// The formats of `printf` by which a program prints a nest's counters: for people, and as a line of JSON.
pub fn formats(symbol: &str, loc: Option<&SourceLoc>, conditions: &[Condition]) -> (String, String) {
    let place = loc.map_or_else(|| "unknown place".to_owned(), SourceLoc::to_string);
    let mut table = literal(&format!("orthant: {place}: {symbol}: the check was made ")) + "%lld times\n";
    for condition in conditions {
        let otherwise = if condition.is_strong { "; if not, the weaker loops run" } else { "" };
        table += &format!(
            "orthant: %12lld of %12lld: {}\n",
            literal(&format!("{} {}{otherwise}", condition.text, condition.origin()))
        );
    }
    let quoted =
        |text: &str| serde_json::to_string(text).map_or_else(|_| "null".into(), |json| literal(&json));
    let json = |value: Result<String, serde_json::Error>| {
        value.map_or_else(|_| "null".into(), |json| literal(&json))
    };
    let conjuncts: Vec<_> = conditions
        .iter()
        .map(|condition| {
            let kind = json(serde_json::to_string(&condition.kind));
            format!("{{\"kind\":{kind},\"text\":{},\"held\":%lld}}", quoted(&condition.text))
        })
        .collect();
    let (symbol, loc) = (quoted(symbol), json(serde_json::to_string(&loc)));
    let line = format!(
        "{{\"symbol\":{symbol},\"loc\":{loc},\"runs\":%lld,\"conjuncts\":[{}]}}\n",
        conjuncts.join(",")
    );
    (table, line)
}

/// Text that `printf` prints as it is.
fn literal(text: &str) -> String {
    text.replace('%', "%%")
}

/// Reads the lines that programs wrote. Several of one nest are added up.
pub fn read_counts(text: &str) -> Result<Vec<Counted>, String> {
    let mut all: Vec<Counted> = Vec::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let new: Counted =
            serde_json::from_str(line).map_err(|error| format!("line {}: {error}", index + 1))?;
        match all.iter_mut().find(|known| is_same(known, &new)) {
            Some(known) => add(known, &new),
            None => all.push(new),
        }
    }
    Ok(all)
}

fn is_same(a: &Counted, b: &Counted) -> bool {
    let texts =
        |counted: &Counted| counted.conjuncts.iter().map(|part| part.text.clone()).collect::<Vec<_>>();
    (&a.symbol, &a.loc) == (&b.symbol, &b.loc) && texts(a) == texts(b)
}

fn add(known: &mut Counted, new: &Counted) {
    known.runs += new.runs;
    for (part, more) in known.conjuncts.iter_mut().zip(&new.conjuncts) {
        part.held += more.held;
    }
}

/// Puts numbers behind the conditions of nests that were counted; how many nests that are.
pub fn with_counts(functions: &mut [FunctionReport], counts: &[Counted]) -> usize {
    let mut found = 0;
    for function in functions {
        for nest in &mut function.nests {
            let Outcome::Optimized(new) = &mut nest.outcome else { continue };
            let texts = || new.conditions.iter().map(|condition| &condition.text);
            let fits = |counted: &&Counted| {
                counted.symbol == function.symbol
                    && counted.loc == nest.loc
                    && texts().eq(counted.conjuncts.iter().map(|part| &part.text))
            };
            let Some(counted) = counts.iter().find(fits) else { continue };
            found += 1;
            let mut of = counted.runs;
            for (condition, part) in new.conditions.iter_mut().zip(&counted.conjuncts) {
                condition.held = Some(Held { times: part.held, of });
                of = part.held;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_can_be_read() {
        let condition = |text: &str| Condition {
            kind: Some(Kind::NoWrap),
            text: text.into(),
            loc: None,
            is_strong: false,
            held: None,
        };
        let loc = SourceLoc { file: "a \"b\" 100%.c".into(), line: 3, column: 4 };
        let conditions = [condition("n % 2 == 0"), condition("n < 7")];
        let (table, json) = formats("f", Some(&loc), &conditions);
        assert_eq!(table.matches("%lld").count() + table.matches("%12lld").count(), 5);
        let printed = json
            .replacen("%lld", "9", 1)
            .replacen("%lld", "8", 1)
            .replacen("%lld", "2", 1)
            .replace("%%", "%");
        let read = read_counts(&printed.repeat(2)).unwrap();
        assert_eq!(read.len(), 1);
        assert_eq!((read[0].runs, &read[0].loc), (18, &Some(loc)));
        assert_eq!(read[0].conjuncts.iter().map(|part| part.held).collect::<Vec<_>>(), [16, 4]);
        assert_eq!(read[0].conjuncts[0].text, "n % 2 == 0");
    }
    /// What was not reached was not asked.
    #[test]
    fn failures_are_among_those_that_were_asked() {
        let part = |text: &str, held| Conjunct { kind: None, text: text.into(), held };
        let conjuncts = vec![part("a", 8), part("b", 2), part("c", 0), part("d", 0)];
        let counted = Counted { symbol: "f".into(), loc: None, runs: 10, conjuncts };
        let failures = counted.failures();
        assert!((failures["a"] - 0.2).abs() < 1e-9 && (failures["b"] - 0.75).abs() < 1e-9);
        assert_eq!((failures["c"], failures.get("d")), (1.0, None));
    }
}
