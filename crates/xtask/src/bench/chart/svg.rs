//! A run as a picture: for each kernel a group of bars, one for each peer, and a last group for the means.
//!
//! # Scale
//! Logarithmic, because ratios multiply: twice as fast is as far above the line of 1 as twice as slow is below it. Bars
//! start at that line, which is clang. The scale ends at whole powers of two around all bars, lines are drawn
//! at a few of them. A peer without a number (wrong bits, no result) has a cross at the line.
//!
//! # Readers
//! The picture has a title and a description, each bar its own title with the number, and Orthant's numbers stand above the
//! groups. It has its own background and follows the reader's light or dark scheme; the colours of bars
//! have a contrast of 3 with both backgrounds (a test computes it, after WCAG 2.1, 1.4.11). It refers to nothing outside.

use super::summary::{Cell, Summary};
use std::fmt::Write as _;

/// Bars.
const BAR: f64 = 6.0;
/// Between groups.
const GAP: f64 = 10.0;
/// Of the whole picture.
const HEIGHT: f64 = 480.0;
/// Where bars can be.
const TOP: f64 = 100.0;
const BOTTOM: f64 = 375.0;
const LEFT: f64 = 60.0;
const RIGHT: f64 = 20.0;
/// A group is at least as wide as its number.
const GROUP: f64 = 30.0;
/// The legend: the width of a character.
const CHAR: f64 = 8.0;

/// Behind everything: light and dark.
const BACKGROUNDS: [&str; 2] = ["#ffffff", "#161b22"];

/// What each peer is called, and its colour.
const PEERS: [(&str, &str, &str); 8] = [
    ("orthant", "Orthant", "#2274b8"),
    ("orthant-late", "Orthant, late", "#148a8f"),
    ("orthant-alone", "Orthant, one thread", "#148a8f"),
    ("tiled", "tiled by hand", "#8a6d3b"),
    ("polly", "Polly 22", "#cf5500"),
    ("polly-19", "Polly 19", "#a97a06"),
    ("gcc", "gcc -O3", "#1f8a5b"),
    ("graphite", "gcc Graphite", "#b8539c"),
];
/// For others.
const OTHER: &str = "#808080";

/// The picture.
pub fn svg(summary: &Summary) -> String {
    Chart::new(summary).draw()
}

struct Chart<'a> {
    summary: &'a Summary,
    scale: Scale,
    /// From one group to the next.
    pitch: f64,
}

/// From ratios to places.
struct Scale {
    /// Exponents of two.
    low: f64,
    high: f64,
}

impl Scale {
    fn around(ratios: impl Iterator<Item = f64>) -> Scale {
        let (low, high) = ratios
            .map(f64::log2)
            .fold((-1.0, 1.0), |(low, high): (f64, f64), exponent| (low.min(exponent), high.max(exponent)));
        Scale { low: low.floor(), high: high.ceil() }
    }

    fn y(&self, ratio: f64) -> f64 {
        BOTTOM - (ratio.log2() - self.low) / (self.high - self.low) * (BOTTOM - TOP)
    }

    /// The ratios at which lines are drawn: not more than about ten, 1 among them.
    fn lines(&self) -> Vec<f64> {
        let step = ((self.high - self.low) / 10.0).ceil().max(1.0) as i32;
        let exponents = self.low as i32..=self.high as i32;
        exponents.filter(|exponent| exponent % step == 0).map(|exponent| 2f64.powi(exponent)).collect()
    }
}

impl Chart<'_> {
    fn new(summary: &Summary) -> Chart<'_> {
        let ratios = summary.kernels.iter().flat_map(|kernel| kernel.cells.iter().filter_map(Cell::ratio));
        let scale = Scale::around(ratios.chain(summary.means.iter().copied().flatten()));
        let pitch = (BAR * summary.peers.len() as f64).max(GROUP) + GAP;
        Chart { summary, scale, pitch }
    }

    fn draw(&self) -> String {
        let width = self.x(self.summary.kernels.len() + 1) + RIGHT;
        let mut out = self.head(width);
        self.grid(&mut out, width - RIGHT);
        for (at, kernel) in self.summary.kernels.iter().enumerate() {
            self.group(&mut out, at, &kernel.name, &kernel.cells);
        }
        let means = self.summary.means.iter().map(|mean| match mean {
            Some(mean) => Cell::Ratio(*mean),
            None => Cell::None("not measured".to_owned()),
        });
        self.group(&mut out, self.summary.kernels.len(), "geomean", &means.collect::<Vec<_>>());
        if self.own().is_some() {
            number(&mut out, LEFT - 6.0, "end", "Orthant");
        }
        self.legend(&mut out);
        out + "</svg>\n"
    }

    /// The left end of a group. The last one, the means, stands apart.
    fn x(&self, group: usize) -> f64 {
        let apart = if group >= self.summary.kernels.len() { GAP } else { 0.0 };
        LEFT + GAP / 2.0 + group as f64 * self.pitch + apart
    }

    fn head(&self, width: f64) -> String {
        let about = escaped(&self.summary.about.join(", "));
        let [light, dark] = BACKGROUNDS;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {HEIGHT}\" width=\"{width}\" height=\"{HEIGHT}\" \
             role=\"img\" aria-labelledby=\"title desc\">\n\
             <title id=\"title\">How many times faster than clang-22 -O3</title>\n\
             <desc id=\"desc\">{about}. {}</desc>\n\
             <style>\n\
             text {{ font: 14px system-ui, sans-serif; fill: #24292f }}\n\
             .small {{ font-size: 12px }}\n\
             .bold {{ font-weight: bold }}\n\
             .back {{ fill: {light} }}\n\
             .line {{ stroke: #8b949e; stroke-width: 0.5 }}\n\
             .one, .none {{ stroke: #57606a; stroke-width: 1.5; fill: none }}\n\
             @media (prefers-color-scheme: dark) {{ text {{ fill: #e6edf3 }} .back {{ fill: {dark} }} .one, .none {{ stroke: #b1bac4 }} }}\n\
             </style>\n\
             <rect class=\"back\" width=\"{width}\" height=\"{HEIGHT}\" rx=\"8\"/>\n\
             <text x=\"{LEFT}\" class=\"bold\" y=\"24\">Times faster than clang-22 -O3</text>\n\
             <text class=\"small\" x=\"{LEFT}\" y=\"44\">{about}</text>\n",
            escaped(&self.in_words())
        )
    }

    /// The means, for those who do not see the picture.
    fn in_words(&self) -> String {
        let peers = self.summary.peers.iter().enumerate();
        let means: Vec<_> =
            peers.map(|(at, peer)| format!("{} {}", name(peer), self.summary.mean_text(at))).collect();
        format!("Geometric means: {}.", means.join(", "))
    }

    fn grid(&self, out: &mut String, right: f64) {
        for ratio in self.scale.lines() {
            let y = self.scale.y(ratio);
            let class = if ratio == 1.0 { "one" } else { "line" };
            // Writing to a String cannot fail.
            let _ = writeln!(
                out,
                "<line class=\"{class}\" x1=\"{LEFT}\" x2=\"{right}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>\n\
                 <text class=\"small\" x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                LEFT - 6.0,
                y + 4.0,
                power(ratio)
            );
        }
    }

    fn group(&self, out: &mut String, at: usize, name: &str, cells: &[Cell]) {
        let left = self.x(at);
        let start = left + (self.pitch - GAP - BAR * cells.len() as f64) / 2.0;
        for (peer, cell) in cells.iter().enumerate() {
            self.bar(out, start + peer as f64 * BAR, name, &self.summary.peers[peer], cell);
        }
        let middle = left + (self.pitch - GAP) / 2.0;
        if let Some(ratio) = self.own().and_then(|own| cells[own].ratio()) {
            let digits = if ratio < 9.995 { 2 } else { 1 };
            number(out, middle, "middle", &format!("{ratio:.digits$}"));
        }
        let weight = if at == self.summary.kernels.len() { " class=\"bold\"" } else { "" };
        let (x, y) = (middle + 4.0, BOTTOM + 14.0);
        let _ = writeln!(
            out,
            "<text x=\"{x:.1}\" y=\"{y}\" text-anchor=\"end\"{weight} transform=\"rotate(-50 {x:.1} {y})\">{}</text>",
            escaped(name)
        );
    }

    /// Whose numbers are written out.
    fn own(&self) -> Option<usize> {
        self.summary.peers.iter().position(|peer| peer == "orthant")
    }

    fn bar(&self, out: &mut String, x: f64, kernel: &str, peer: &str, cell: &Cell) {
        let label = |value: &str| escaped(&format!("{kernel}, {}: {value}", name(peer)));
        let one = self.scale.y(1.0);
        let _ = match cell {
            Cell::Ratio(ratio) => {
                let y = self.scale.y(*ratio);
                writeln!(
                    out,
                    "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{}\"><title>{}</title></rect>",
                    y.min(one),
                    BAR - 1.0,
                    // What is as fast as clang is to be seen, too.
                    (y - one).abs().max(1.0),
                    colour(peer),
                    label(&format!("{ratio:.2}"))
                )
            }
            Cell::None(why) => {
                let (right, above, below) = (x + BAR - 1.0, one - 2.5, one + 2.5);
                writeln!(
                    out,
                    "<path class=\"none\" d=\"M{x:.1} {above:.1}L{right:.1} {below:.1}M{x:.1} {below:.1}L{right:.1} {above:.1}\">\
                     <title>{}</title></path>",
                    label(why)
                )
            }
        };
    }

    fn legend(&self, out: &mut String) {
        let mut x = LEFT;
        for peer in &self.summary.peers {
            let name = name(peer);
            let _ = writeln!(
                out,
                "<rect x=\"{x:.1}\" y=\"55\" width=\"11\" height=\"11\" fill=\"{}\"/>\n\
                 <text x=\"{:.1}\" y=\"65\">{}</text>",
                colour(peer),
                x + 16.0,
                escaped(name)
            );
            x += 16.0 + CHAR * name.len() as f64 + 18.0;
        }
    }
}

/// A text in the row of numbers.
fn number(out: &mut String, x: f64, anchor: &str, text: &str) {
    let y = TOP - 10.0;
    let _ =
        writeln!(out, "<text class=\"small\" x=\"{x:.1}\" y=\"{y}\" text-anchor=\"{anchor}\">{text}</text>");
}

/// A power of two as people read it.
fn power(ratio: f64) -> String {
    if ratio < 1.0 { format!("1/{}", 1.0 / ratio) } else { ratio.to_string() }
}

fn name(peer: &str) -> &str {
    PEERS.iter().find(|(key, ..)| *key == peer).map_or(peer, |(_, name, _)| name)
}

fn colour(peer: &str) -> &str {
    PEERS.iter().find(|(key, ..)| *key == peer).map_or(OTHER, |(_, _, colour)| colour)
}

/// Text as XML wants it.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::super::summary::tests::saved;
    use super::*;
    use crate::bench::peers::KEYS;

    type Attributes = Vec<(String, String)>;

    fn drawn() -> (String, Summary) {
        let summary = Summary::all(&saved()).unwrap().remove(0);
        (svg(&summary), summary)
    }

    /// The elements of a document, each with its attributes and the text up to the next tag; panics where it is not well-formed.
    fn parse(document: &str) -> Vec<(String, Attributes, String)> {
        let (mut open, mut found) = (Vec::new(), Vec::new());
        let mut rest = document.strip_prefix('<').expect("a document starts with a tag");
        loop {
            let (tag, text) = rest.split_once('>').expect("a tag is closed");
            let (text, after) = text.split_once('<').unwrap_or((text, ""));
            let entities = ["&amp;", "&lt;", "&gt;", "&quot;"];
            let bare = entities.iter().fold(format!("{tag}{text}"), |all, entity| all.replace(entity, ""));
            assert!(!bare.contains('&'), "an entity that is none: {bare}");
            if let Some(name) = tag.strip_prefix('/') {
                assert_eq!(open.pop().as_deref(), Some(name), "tags are nested");
            } else {
                let (name, attributes) = tag.trim_end_matches('/').split_once(' ').unwrap_or((tag, ""));
                found.push((name.to_owned(), pairs(attributes), text.trim().to_owned()));
                if !tag.ends_with('/') {
                    open.push(name.to_owned());
                }
            }
            if after.is_empty() {
                assert!(open.is_empty() && text.trim().is_empty(), "nothing is left open: {open:?}");
                return found;
            }
            rest = after;
        }
    }

    fn pairs(attributes: &str) -> Attributes {
        let mut rest = attributes.trim();
        let mut found = Vec::new();
        while let Some((name, value)) = rest.split_once("=\"") {
            let (value, after) = value.split_once('"').expect("a value is closed");
            found.push((name.to_owned(), value.to_owned()));
            rest = after.trim_start();
        }
        assert_eq!(rest, "", "attributes are pairs");
        found
    }

    fn value(attributes: &[(String, String)], name: &str) -> f64 {
        attributes.iter().find(|(found, _)| found == name).expect(name).1.parse().expect(name)
    }

    /// The rectangle whose title starts with this.
    fn bar(document: &str, title: &str) -> (f64, f64, f64) {
        let all = parse(document);
        let at =
            all.iter().position(|(name, _, text)| name == "title" && text.starts_with(title)).expect(title);
        let (name, attributes, _) = &all[at - 1];
        assert_eq!(name, "rect");
        (value(attributes, "x"), value(attributes, "y"), value(attributes, "height"))
    }

    #[test]
    fn it_is_well_formed_and_has_every_kernel_and_number() {
        let (document, summary) = drawn();
        let all = parse(&document);
        let texts: Vec<_> = all.iter().map(|(_, _, text)| text.as_str()).collect();
        for wanted in
            ["gemm", "a&lt;b", "lu", "geomean", "Orthant", "Polly 22", "4.00", "100.0", "0.25", "4.64"]
        {
            assert!(texts.contains(&wanted), "{wanted}: {texts:?}");
        }
        for wanted in ["gemm, Orthant: 4.00", "a&lt;b, Polly 22: wrong", "lu, Polly 22: 0.50"] {
            assert!(texts.contains(&wanted), "{wanted}: {texts:?}");
        }
        assert_eq!(summary.kernels.len(), 3);
        assert!(all[0].1.contains(&("role".into(), "img".into())));
        assert!(texts.iter().any(|text| text.contains("Geometric means: Orthant 4.64, Polly 22 1.00 (2).")));
        assert!(!document.contains("href") && !document.contains("url("));
    }

    #[test]
    fn bars_stand_where_their_ratios_are() {
        let (document, _) = drawn();
        let (x, top, height) = bar(&document, "gemm, Orthant");
        let one = top + height;
        let (polly_x, polly_top, polly_height) = bar(&document, "gemm, Polly 22");
        assert!((polly_top + polly_height - one).abs() < 0.15, "bars of the fast end at the line of 1");
        assert!((height - 2.0 * polly_height).abs() < 0.2, "4 is twice as high as 2");
        assert!((polly_x - x - BAR).abs() < 0.15);
        let (_, slow_top, slow_height) = bar(&document, "lu, Orthant");
        assert!((slow_top - one).abs() < 0.15, "bars of the slow begin at the line of 1");
        assert!((slow_height - height).abs() < 0.2, "0.25 is as far below as 4 is above");
        let lines: Vec<_> = parse(&document).into_iter().filter(|(name, ..)| name == "line").collect();
        let line_of_one = lines.iter().find(|(_, pairs, _)| pairs[0].1 == "one").expect("a line of 1");
        assert!((value(&line_of_one.1, "y1") - one).abs() < 0.15);
        // All inside of the picture.
        for (_, attributes, _) in parse(&document).iter().filter(|(name, ..)| name == "rect").skip(1) {
            let bottom = value(attributes, "y") + value(attributes, "height");
            assert!(value(attributes, "y") >= 0.0 && bottom <= HEIGHT, "{attributes:?}");
        }
    }

    #[test]
    fn the_scale_has_few_lines_and_holds_everything() {
        for ratios in [vec![1.0], vec![0.001, 5.0], vec![0.9, 130.0], vec![3.0, 1e6]] {
            let scale = Scale::around(ratios.iter().copied());
            for ratio in &ratios {
                assert!((TOP..=BOTTOM).contains(&scale.y(*ratio)), "{ratios:?}");
            }
            let lines = scale.lines();
            assert!(lines.contains(&1.0) && (2..=12).contains(&lines.len()), "{lines:?}");
        }
    }

    #[test]
    fn the_same_run_is_the_same_picture() {
        assert_eq!(drawn().0, drawn().0);
    }

    /// The relative luminance of WCAG 2.1.
    fn luminance(colour: &str) -> f64 {
        let channel = |at: usize| {
            let value = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()) / 255.0;
            if value <= 0.03928 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
    }

    #[test]
    fn bars_can_be_seen_on_both_backgrounds() {
        for colour in PEERS.iter().map(|(_, _, colour)| *colour).chain([OTHER]) {
            for background in BACKGROUNDS {
                let (a, b) = (luminance(colour), luminance(background));
                let contrast = (a.max(b) + 0.05) / (a.min(b) + 0.05);
                assert!(contrast >= 3.0, "{colour} on {background}: {contrast:.2}");
            }
        }
    }

    #[test]
    fn every_peer_has_a_name() {
        for key in KEYS.iter().filter(|key| **key != "clang") {
            assert!(PEERS.iter().any(|(known, ..)| known == key), "{key}");
        }
    }
}
