//! Advice for people: one line per suggestion, then what it needs or what forbids it.

use crate::{Advice, Suggestion};
use std::fmt::Write as _;

/// Possible suggestions shown.
const POSSIBLE: usize = 8;
/// Impossible ones shown.
const FORBIDDEN: usize = 4;

impl Advice {
    /// The most promising suggestions and the notes. Empty if there is neither.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let (possible, forbidden): (Vec<_>, Vec<_>) = self.suggestions.iter().partition(|s| s.possible);
        show(&mut text, "advice", &possible, POSSIBLE);
        show(&mut text, "not possible", &forbidden, FORBIDDEN);
        for note in &self.notes {
            let _ = writeln!(text, "orthant: note: {note}");
        }
        // Names come from the program's files; they must not move the cursor.
        text.chars().map(|c| if c.is_control() && c != '\n' { '\u{fffd}' } else { c }).collect()
    }
}

fn show(text: &mut String, title: &str, suggestions: &[&Suggestion], most: usize) {
    if suggestions.is_empty() {
        return;
    }
    let _ = writeln!(text, "orthant: {title}:");
    for suggestion in suggestions.iter().take(most) {
        show_one(text, suggestion);
    }
    if suggestions.len() > most {
        let _ = writeln!(text, "          ... {} more (--json has all)", suggestions.len() - most);
    }
}

fn show_one(text: &mut String, s: &Suggestion) {
    let _ = writeln!(text, "  {:5.1}%  {} [{}]", 100.0 * s.gain, s.message, s.id.id());
    for need in &s.needs {
        let _ = writeln!(text, "          needs {need}");
    }
    for obstacle in &s.obstacles {
        let mark = if obstacle.exact { "" } else { " (over-approximated)" };
        let _ = writeln!(text, "          because {}{mark}", obstacle.message);
    }
    if s.possible && s.over_approximated {
        let _ = writeln!(text, "          some dependences are over-approximated; it holds for these, too");
    }
}
