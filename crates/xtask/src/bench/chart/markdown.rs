//! A run as a table in Markdown: one row for each kernel, the fastest in bold, means below.

use super::summary::{Cell, Kernel, Summary};
use crate::bench::table::{SLOWER, seconds};

/// The table under a sentence that says what it shows.
pub fn table(summary: &Summary) -> String {
    let mut text = format!("{}.", capital(&summary.about.join(", ")));
    if let Some(arguments) = &summary.arguments {
        text.push_str(&format!(" `cargo xtask bench {arguments}`."));
    }
    text.push_str(" Numbers are clang's time / theirs: above 1 is faster than clang.\n\n");
    let heads = ["kernel", "clang-22 -O3"].into_iter().chain(summary.peers.iter().map(String::as_str));
    text.push_str(&row(heads.map(str::to_owned)));
    text.push_str(&format!("|---|{}\n", "---:|".repeat(summary.peers.len() + 1)));
    summary.kernels.iter().for_each(|kernel| text.push_str(&row(cells(kernel).into_iter())));
    let below = |name: &str, cell: &dyn Fn(usize) -> String| {
        let cells = (0..summary.peers.len()).map(cell);
        row([format!("**{name}**"), String::new()].into_iter().chain(cells))
    };
    text.push_str(&below("geomean", &|peer| format!("**{}**", summary.mean_text(peer))));
    text.push_str(&below("slower by more than 3 %", &|peer| slower(summary, peer).to_string()));
    text.push_str(&below("fastest of all", &|peer| fastest(summary, peer).to_string()));
    text
}

fn row(cells: impl Iterator<Item = String>) -> String {
    // A bar would end the cell.
    let cells: Vec<_> = cells.map(|cell| cell.replace('|', "\\|")).collect();
    format!("| {} |\n", cells.join(" | "))
}

fn cells(kernel: &Kernel) -> Vec<String> {
    let best = best(kernel);
    let cell = |cell: &Cell| match cell {
        Cell::None(why) => why.clone(),
        Cell::Ratio(ratio) if *ratio >= best => format!("**{ratio:.2}**"),
        Cell::Ratio(ratio) => format!("{ratio:.2}"),
    };
    let clang = kernel.clang.map_or("-".to_owned(), seconds);
    [kernel.name.clone(), clang].into_iter().chain(kernel.cells.iter().map(cell)).collect()
}

/// The best ratio of a kernel; clang's own is 1.
fn best(kernel: &Kernel) -> f64 {
    kernel.cells.iter().filter_map(Cell::ratio).fold(1.0, f64::max)
}

fn slower(summary: &Summary, peer: usize) -> usize {
    summary.kernels.iter().filter(|kernel| kernel.cells[peer].ratio().is_some_and(|r| r < SLOWER)).count()
}

fn fastest(summary: &Summary, peer: usize) -> usize {
    let is_fastest = |kernel: &&Kernel| kernel.cells[peer].ratio().is_some_and(|ratio| ratio >= best(kernel));
    summary.kernels.iter().filter(is_fastest).count()
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().collect::<String>() + chars.as_str())
}

#[cfg(test)]
mod tests {
    use super::super::summary::tests::saved;
    use super::*;

    #[test]
    fn the_fastest_is_bold_and_failures_are_said() {
        let text = table(&Summary::all(&saved()).unwrap()[0]);
        for line in [
            "3 kernels, constant sizes, size large, one thread, processor time, medians of 3 interleaved runs, An <odd> & \
             \"old\" one, commit abc. `cargo xtask bench --runs 3`. Numbers are clang's time / theirs: above 1 is faster than clang.",
            "| kernel | clang-22 -O3 | orthant | polly |",
            "|---|---:|---:|---:|",
            "| gemm | 3.00 s | **4.00** | 2.00 |",
            "| a<b | 3.00 s | **100.00** | wrong |",
            "| lu | 3.00 s | 0.25 | 0.50 |",
            "| **geomean** |  | **4.64** | **1.00 (2)** |",
            "| **slower by more than 3 %** |  | 1 | 1 |",
            "| **fastest of all** |  | 2 | 0 |",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
    }
}
