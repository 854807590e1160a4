//! Links in Markdown files lead somewhere: a relative link names a file or folder of the repository, and its
//! fragment a heading of that file.

use super::{Files, Problem, with_extension};
use std::path::{Component, Path, PathBuf};

/// A link and the line it stands in.
struct Link<'a> {
    line: usize,
    target: &'a str,
}

/// All relative links that lead nowhere.
pub fn check(files: &Files) -> Vec<Problem> {
    let pages = with_extension(files, "md");
    pages
        .flat_map(|(path, text)| {
            links(text).into_iter().filter_map(move |link| dead(files, path, text, &link))
        })
        .collect()
}

fn dead(files: &Files, page: &Path, text: &str, link: &Link) -> Option<Problem> {
    let (file, fragment) = link.target.split_once('#').map_or((link.target, None), |(f, a)| (f, Some(a)));
    let target = resolve(page, file);
    let problem = |what: String| Some(Problem::new(page, Some(link.line), what));
    if !file.is_empty() && !exists(files, &target) {
        return problem(format!("dead link: there is no {}; correct it or remove it", target.display()));
    }
    let there =
        if file.is_empty() { Some(text) } else { files.get(&target).and_then(|text| text.as_deref()) };
    match (fragment, there) {
        (Some(fragment), Some(there)) if !anchors(there).iter().any(|anchor| anchor == fragment) => {
            problem(format!(
                "dead link: {} has no heading #{fragment}",
                if file.is_empty() { "this page" } else { file }
            ))
        }
        _ => None,
    }
}

fn exists(files: &Files, target: &Path) -> bool {
    target.as_os_str().is_empty() || files.keys().any(|file| file.starts_with(target))
}

/// The path a link names, seen from the repository's top folder.
fn resolve(page: &Path, link: &str) -> PathBuf {
    let start = page.parent().unwrap_or(Path::new(""));
    let mut path = PathBuf::new();
    for part in start.join(link).components() {
        match part {
            Component::ParentDir => drop(path.pop()),
            Component::Normal(part) => path.push(part),
            _ => {}
        }
    }
    path
}

/// The relative links of a page, those in code left out.
fn links(text: &str) -> Vec<Link<'_>> {
    let mut links = Vec::new();
    for (index, line) in prose(text) {
        for (at, _) in line.match_indices("](") {
            let in_code = line[..at].matches('`').count() % 2 == 1;
            let target = line[at + 2..].split([')', ' ']).next().unwrap_or_default();
            let elsewhere = target.contains("://") || target.starts_with("mailto:") || target.is_empty();
            if !in_code && !elsewhere {
                links.push(Link { line: index + 1, target });
            }
        }
    }
    links
}

/// The lines outside fenced code.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fenced = false;
    text.lines().enumerate().filter(move |(_, line)| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        !fenced && !fence
    })
}

/// The anchors that a page's headings get: lower case, dashes for blanks, other signs dropped.
pub fn anchors(text: &str) -> Vec<String> {
    let headings = prose(text).map(|(_, line)| line).filter(|line| line.starts_with('#'));
    headings.map(|line| anchor(line.trim_start_matches('#').trim())).collect()
}

fn anchor(heading: &str) -> String {
    let kept = heading
        .to_lowercase()
        .chars()
        .filter(|c| c.is_alphanumeric() || " -_".contains(*c))
        .collect::<String>();
    kept.replace(' ', "-")
}

#[cfg(test)]
mod tests {
    use super::super::files;
    use super::*;

    #[test]
    fn a_link_to_a_missing_file_is_found() {
        let page = "# A\n\nsee [b](b.md), [c](../c.txt) and [web](https://example.org/x)\n";
        let problems = check(&files(&[("docs/a.md", page), ("docs/b.md", "# B\n")]));
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert_eq!((problems[0].line, problems[0].message.contains("c.txt")), (Some(3), true));
        assert_eq!(check(&files(&[("docs/a.md", page), ("docs/b.md", ""), ("c.txt", "")])), []);
    }

    #[test]
    fn a_link_to_a_missing_heading_is_found() {
        let b = "# B\n\n## How it's done: `now`\n";
        let good = "[x](b.md#how-its-done-now) [own](#top)\n# Top\n";
        assert_eq!(check(&files(&[("a.md", good), ("b.md", b)])), []);
        assert_eq!(check(&files(&[("a.md", "[x](b.md#elsewhere)\n"), ("b.md", b)])).len(), 1);
        assert_eq!(check(&files(&[("a.md", "[x](#elsewhere)\n")])).len(), 1);
    }

    #[test]
    fn folders_count_and_code_does_not() {
        let page = "[dir](docs/) `a[i](j)`\n```\n[x](y)\n```\n";
        assert_eq!(check(&files(&[("README.md", page), ("docs/x.md", "")])), []);
    }
}
