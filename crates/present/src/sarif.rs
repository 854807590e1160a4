//! Suggestions as SARIF 2.1.0, for editors and code-scanning services.
//!
//! Each kind of suggestion is a rule under its stable id. A suggestion that is possible is a `note` at the first of its loops, with the
//! other loops as related places; one that something forbids has kind `informational`. The gain is SARIF's `rank`, 0 to 100. Every
//! message says that it rests on one run.

use advise::{Advice, Kind, Suggestion};
use report::sarif_place;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use trace::Profile;

/// The SARIF log, indented, with a final line end. `version` is that of the tool that made it.
pub fn sarif(profile: &Profile, advice: &Advice, version: &str) -> String {
    let used: BTreeSet<Kind> = advice.suggestions.iter().map(|s| s.id).collect();
    let rule = |kind: &Kind| {
        json!({
            "id": kind.id(),
            "shortDescription": { "text": format!("{} (observed in one run)", kind.id()) },
            "help": { "text": format!("see docs/advice.md, section {}", kind.id()) },
        })
    };
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "Orthant",
                "version": version,
                "rules": used.iter().map(rule).collect::<Vec<_>>(),
                "notifications": [],
            } },
            "columnKind": "unicodeCodePoints",
            "invocations": [{ "executionSuccessful": true, "toolExecutionNotifications": notifications(profile, advice) }],
            "results": advice.suggestions.iter().map(result).collect::<Vec<_>>(),
        }],
    });
    format!("{log:#}\n")
}

fn notifications(profile: &Profile, advice: &Advice) -> Vec<Value> {
    let warnings =
        profile.warnings.iter().map(|w| json!({ "level": "warning", "message": { "text": w.message } }));
    let notes = advice.notes.iter().map(|n| json!({ "level": "note", "message": { "text": n } }));
    warnings.chain(notes).collect()
}

fn result(s: &Suggestion) -> Value {
    let mut text = s.message.clone();
    for need in &s.needs {
        text += &format!("; needs {need}");
    }
    for obstacle in &s.obstacles {
        let mark = if obstacle.exact { "" } else { " (over-approximated)" };
        text += &format!("; because {}{mark}", obstacle.message);
    }
    text += " (observed in one run, not proved)";
    let mut result = json!({
        "ruleId": s.id.id(),
        "message": { "text": text },
        "rank": (s.gain * 1000.0).round().clamp(0.0, 1000.0) / 10.0,
        "kind": if s.possible { "fail" } else { "informational" },
        "level": if s.possible { "note" } else { "none" },
        "properties": { "possible": s.possible, "gain": s.gain, "overApproximated": s.over_approximated, "nest": s.nest },
    });
    let place = |loc| json!({ "physicalLocation": sarif_place(loc) });
    if let Some(first) = s.lines.first() {
        result["locations"] = json!([place(first)]);
        let related = s.lines[1..].iter().map(place);
        let obstacles = s.obstacles.iter().flat_map(|o| [&o.source, &o.target]).flatten().map(place);
        result["relatedLocations"] = related.chain(obstacles).collect();
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::SourceLoc;

    #[test]
    fn suggestions_are_results_at_their_loops() {
        let loc = |line| SourceLoc { file: "a b.c".into(), line, column: 0 };
        let suggestion = Suggestion {
            id: Kind::Tile,
            possible: true,
            nest: 3,
            loops: vec![0, 1],
            with_nest: None,
            lines: vec![loc(4), loc(5)],
            gain: 0.3333,
            message: "tile it".into(),
            needs: vec!["care".into()],
            obstacles: Vec::new(),
            over_approximated: false,
            before: Vec::new(),
            after: Vec::new(),
        };
        let forbidden =
            Suggestion { id: Kind::Parallel, possible: false, lines: Vec::new(), ..suggestion.clone() };
        let advice = Advice { suggestions: vec![suggestion, forbidden], notes: vec!["one run".into()] };
        let log: Value = serde_json::from_str(&sarif(&Profile::default(), &advice, "1")).unwrap();
        let run = &log["runs"][0];
        assert_eq!(run["tool"]["driver"]["rules"].as_array().unwrap().len(), 2);
        let first = &run["results"][0];
        assert_eq!(
            (&first["ruleId"], &first["level"], &first["rank"]),
            (&json!("tile"), &json!("note"), &json!(33.3))
        );
        assert_eq!(first["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "a%20b.c");
        assert_eq!(first["relatedLocations"][0]["physicalLocation"]["region"]["startLine"], 5);
        assert!(first["message"]["text"].as_str().unwrap().contains("needs care"));
        assert_eq!(
            (&run["results"][1]["kind"], run["results"][1].get("locations")),
            (&json!("informational"), None)
        );
    }
}
