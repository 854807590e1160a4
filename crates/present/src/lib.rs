//! Profiles for people who look at them: one self-contained HTML page, and SARIF for editors.
//!
//! [`html`] makes a page that needs nothing but itself: no server, no network, no other file. Rust computes everything that is shown (the
//! `flame` graph, the `picture`s, the `detail`s of each nest) and embeds it as JSON; the script in `page/page.js` only draws. Text
//! from the program (names, paths, source lines) reaches the page as data and is never parsed as markup: `<` is escaped in the JSON, the
//! script uses `textContent`, and the page's own policy forbids everything that is not inline.
//!
//! [`sarif()`] gives one result per suggestion, at the line of its first loop.
//!
//! The crate reads no files: source lines come through a closure.

mod detail;
mod flame;
mod picture;
mod sarif;

pub use sarif::sarif;

use advise::Advice;
use serde::Serialize;
use trace::Profile;

/// Nests with details on the page; the others are in the flame graph only.
const NESTS: usize = 40;

/// All that the page shows.
#[derive(Serialize)]
struct Page<'a> {
    program: String,
    arguments: String,
    profile: Overview<'a>,
    flame: flame::Node,
    nests: Vec<detail::Detail>,
    advice: &'a Advice,
    documentation: &'static str,
}

#[derive(Serialize)]
struct Overview<'a> {
    collection: &'a trace::profile::Collection,
    totals: &'a trace::profile::Totals,
    ended: &'a trace::profile::Ended,
    warnings: &'a [trace::profile::Warning],
    nests: usize,
}

/// Where the suggestions are explained.
const DOCUMENTATION: &str = "docs/advice.md";

/// The page. `source` gives the lines of a source file, if it can be found.
pub fn html(profile: &Profile, advice: &Advice, source: &dyn Fn(&str) -> Option<Vec<String>>) -> String {
    let nests = profile.nests.iter().take(NESTS);
    let page = Page {
        program: profile.program.path.clone(),
        arguments: profile.program.arguments.join(" "),
        profile: Overview {
            collection: &profile.collection,
            totals: &profile.totals,
            ended: &profile.program.ended,
            warnings: &profile.warnings,
            nests: profile.nests.len(),
        },
        flame: flame::tree(profile),
        nests: nests.map(|nest| detail::detail(nest, source)).collect(),
        advice,
        documentation: DOCUMENTATION,
    };
    let data = serde_json::to_string(&page).unwrap_or_default();
    include_str!("page/page.html")
        .replace("/*STYLE*/", include_str!("page/page.css"))
        .replace("/*SCRIPT*/", include_str!("page/page.js"))
        // Last, so that nothing in the data is taken for a place to fill in.
        .replace("/*DATA*/", &embedded(&data))
}

/// JSON that cannot end the element it stands in.
fn embedded(json: &str) -> String {
    json.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

#[cfg(test)]
mod tests {
    use super::*;
    use trace::profile::{Loop, Nest};

    #[test]
    fn names_are_data_not_markup() {
        let hostile = "</script><script>alert(1)</script>/*STYLE*/";
        let l = Loop { function: hostile.into(), iterations: 2, entries: 1, ..Loop::default() };
        let nest = Nest { instructions: 10, share: 1.0, loops: vec![l], ..Nest::default() };
        let mut profile = Profile { nests: vec![nest], ..Profile::default() };
        profile.program.path = hostile.into();
        let page = html(&profile, &Advice::default(), &|_| None);
        assert_eq!(page.matches("</script>").count(), 2, "one of the data, one of the script");
        assert!(page.contains("\\u003c/script>") && page.contains("/*STYLE*/"));
        assert!(!page.contains("http://") && !page.contains("https://"), "nothing from elsewhere");
    }

    #[test]
    fn an_empty_profile_has_a_page() {
        assert!(html(&Profile::default(), &Advice::default(), &|_| None).contains("</html>"));
    }
}
