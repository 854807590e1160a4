//! Reports as SARIF 2.1.0, for editors and code-scanning services.
//!
//! Each [`model::Reason`] that occurs is a rule under its stable id, with the remedy as its help. A rejected nest
//! gives one result per refusal: `note` when the program is the cause, `warning` when the budget was spent, `error`
//! when Orthant failed. A candidate gives a result of kind `pass`, so that a viewer can show both. Places are those
//! of the compiler's debug information: columns count bytes, which for ASCII lines is what SARIF counts.

use crate::{FunctionReport, NestReport, Outcome};
use model::{Class, Reason, Refusal, SourceLoc};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The SARIF log, indented, with a final line end. `version` is that of the tool that made it.
pub fn sarif(functions: &[FunctionReport], version: &str) -> String {
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "Orthant", "version": version, "rules": rules(functions) } },
            "columnKind": "unicodeCodePoints",
            "results": functions.iter().flat_map(results).collect::<Vec<_>>(),
        }],
    });
    format!("{log:#}\n")
}

fn rules(functions: &[FunctionReport]) -> Vec<Value> {
    let nests = functions.iter().flat_map(|function| &function.nests);
    let mut rules = BTreeMap::new();
    for nest in nests {
        match &nest.outcome {
            Outcome::Candidate => {
                rules
                    .entry(CANDIDATE)
                    .or_insert_with(|| rule(CANDIDATE, "a loop nest that can be modelled", None));
            }
            Outcome::Kept { .. } => {
                rules.entry(KEPT).or_insert_with(|| rule(KEPT, "a loop nest that keeps its order", None));
            }
            Outcome::Optimized(_) => {
                rules
                    .entry(OPTIMIZED)
                    .or_insert_with(|| rule(OPTIMIZED, "a loop nest with a new order", None));
            }
            Outcome::Rejected { refusals } => {
                for Refusal { reason, .. } in refusals {
                    let title = reason.id().replace('-', " ");
                    rules
                        .entry(reason.id())
                        .or_insert_with(|| rule(reason.id(), &title, Some(reason.remedy())));
                }
            }
        }
    }
    rules.into_values().collect()
}

const CANDIDATE: &str = "candidate";
const KEPT: &str = "kept";
const OPTIMIZED: &str = "optimized";

fn rule(id: &str, title: &str, help: Option<&str>) -> Value {
    let mut rule = json!({ "id": id, "shortDescription": { "text": title } });
    if let Some(help) = help {
        rule["help"] = json!({ "text": help });
    }
    rule
}

fn results(function: &FunctionReport) -> Vec<Value> {
    function.nests.iter().flat_map(|nest| nest_results(function, nest)).collect()
}

fn nest_results(function: &FunctionReport, nest: &NestReport) -> Vec<Value> {
    match &nest.outcome {
        Outcome::Candidate => {
            let message = format!("loop nest of depth {} can be modelled", nest.depth);
            vec![passed(function, CANDIDATE, &message, nest)]
        }
        Outcome::Kept { reason } => {
            vec![passed(function, KEPT, &format!("loop nest keeps its order: {reason}"), nest)]
        }
        Outcome::Optimized(new) => {
            let message = format!("loop nest optimized: {}", new.order.join("; "));
            vec![passed(function, OPTIMIZED, &message, nest)]
        }
        Outcome::Rejected { refusals } => refusals
            .iter()
            .map(|refusal| {
                let loc = refusal.loc.as_ref().or(nest.loc.as_ref());
                let message = format!("loop nest left as it was: {}", refusal.reason);
                let mut result = result(function, refusal.reason.id(), &message, loc);
                result["level"] = json!(level(&refusal.reason));
                result
            })
            .collect(),
    }
}

fn passed(function: &FunctionReport, rule: &str, message: &str, nest: &NestReport) -> Value {
    let mut result = result(function, rule, message, nest.loc.as_ref());
    result["kind"] = json!("pass");
    result["level"] = json!("none");
    result
}

fn level(reason: &Reason) -> &'static str {
    match reason.class() {
        Class::Unsupported => "note",
        Class::BudgetSpent => "warning",
        Class::OurBug => "error",
    }
}

fn result(function: &FunctionReport, rule: &str, message: &str, loc: Option<&SourceLoc>) -> Value {
    let logical = json!([{ "fullyQualifiedName": function.function, "decoratedName": function.symbol, "kind": "function" }]);
    let mut location = json!({ "logicalLocations": logical });
    if let Some(loc) = loc {
        location["physicalLocation"] = physical(loc);
    }
    json!({ "ruleId": rule, "message": { "text": message }, "locations": [location] })
}

/// A place as SARIF's physical location. Lines and columns start at 1 there; 0 in debug information means unknown, and is left out.
pub fn physical(loc: &SourceLoc) -> Value {
    let mut place = json!({ "artifactLocation": { "uri": uri(&loc.file) } });
    if loc.line > 0 {
        place["region"] = json!({ "startLine": loc.line });
        if loc.column > 0 {
            place["region"]["startColumn"] = json!(loc.column);
        }
    }
    place
}

/// A path as a URI reference: what RFC 3986 allows in a path as it is, the rest by its bytes.
fn uri(path: &str) -> String {
    let scheme = if path.starts_with('/') { "file://" } else { "" };
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/+,@".contains(&byte);
    let encoded =
        path.bytes().map(|b| if plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") });
    encoded.fold(scheme.to_owned(), |uri, piece| uri + &piece)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order::tests::report;

    #[test]
    fn places_rules_and_levels() {
        let mut f = report("a b.c", "_Z1fv", &[("/src/a b.c", 4), ("rel.c", 0)]);
        f.function = "f()".into();
        f.nests[1].outcome = Outcome::Rejected {
            refusals: vec![
                Refusal {
                    reason: Reason::IndirectCall,
                    loc: Some(SourceLoc { file: "rel.c".into(), line: 7, column: 0 }),
                },
                Refusal { reason: Reason::Internal { message: "m".into() }, loc: None },
            ],
        };
        let log: Value = serde_json::from_str(&sarif(&[f], "0.1.0")).unwrap();
        assert_eq!(log["version"], "2.1.0");
        let run = &log["runs"][0];
        let ids: Vec<_> =
            run["tool"]["driver"]["rules"].as_array().unwrap().iter().map(|r| r["id"].clone()).collect();
        assert_eq!(ids, ["candidate", "indirect-call", "internal"]);
        let results = run["results"].as_array().unwrap();
        assert_eq!(results.len(), 3);
        let place = |i: usize| &results[i]["locations"][0]["physicalLocation"];
        assert_eq!(place(0)["artifactLocation"]["uri"], "file:///src/a%20b.c");
        assert_eq!(place(0)["region"], json!({ "startLine": 4, "startColumn": 3 }));
        assert_eq!(place(1)["region"], json!({ "startLine": 7 }));
        assert_eq!(place(2).get("region"), None);
        let levels: Vec<_> = results.iter().map(|r| r["level"].clone()).collect();
        assert_eq!(levels, ["none", "note", "error"]);
        assert_eq!(results[0]["kind"], "pass");
        assert_eq!(results[0]["locations"][0]["logicalLocations"][0]["fullyQualifiedName"], "f()");
    }
}
