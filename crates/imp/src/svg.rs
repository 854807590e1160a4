//! Drawing a graph in layers, without Graphviz.
//!
//! The usual four steps (Sugiyama, Tagawa and Toda):
//!
//! 1. *Layers.* Edges that go back in the order of the nodes (dependences carried by a loop) are turned round and
//!    self-loops set aside; the layer of a node is the length of the longest path to it. So the layers of the graph
//!    of operations, which has neither, are the steps of an ideal parallel machine.
//! 2. *Bends.* An edge over several layers gets a *bend* in each layer between: an empty node that it runs through.
//! 3. *Order.* Within a layer, nodes and bends are sorted by the mean position of their neighbours, sweeping down and
//!    up a fixed number of times.
//! 4. *Places.* Each layer is packed without overlaps, as near as possible to the means of the neighbours.
//!
//! Edges that were turned round have their arrow at the upper end and leave beside the middle, so that they do not
//! cover their opposite. Everything is deterministic; sizes are in pixels, a character of the monospaced font being `CHAR`
//! wide.
//!
//! The drawing has no scripts and refers to nothing; colours follow the reader's light or dark scheme.

use crate::graph::{Edge, Graph, Line};
use std::fmt::Write as _;

/// The width of a character.
const CHAR: f64 = 7.3;
/// The height of a node.
const HEIGHT: f64 = 28.0;
/// The space between layers: room for labels.
const GAP: f64 = 58.0;
/// The space between nodes of a layer.
const SPACE: f64 = 26.0;
/// The width that a bend takes.
const BEND: f64 = 12.0;
/// How far from the middle a turned edge leaves.
const BESIDE: f64 = 10.0;
/// The border around everything.
const MARGIN: f64 = 20.0;
/// How often the order is improved.
const SWEEPS: usize = 8;
/// The sides of a place.
const ABOVE: usize = 0;
const BELOW: usize = 1;

/// A node or a bend with its place.
struct Place {
    layer: usize,
    width: f64,
    /// The middle.
    x: f64,
}

/// The graph being laid out: the nodes first, then the bends.
struct Layout<'g> {
    graph: &'g Graph,
    places: Vec<Place>,
    /// By layer, from left to right.
    layers: Vec<Vec<usize>>,
    /// By place: the places in the layer above and in the one below that it is joined with.
    links: Vec<[Vec<usize>; 2]>,
    /// Edges with all places they run through, downwards.
    routes: Vec<(Edge, Vec<usize>)>,
    /// Self-loops.
    own: Vec<Edge>,
}

/// The drawing as an SVG document.
pub fn svg(graph: &Graph) -> String {
    let mut layout = Layout::new(graph);
    for sweep in 0..SWEEPS {
        layout.reorder(sweep);
    }
    layout.place();
    layout.draw()
}

/// Edges between the same nodes drawn in the same way are one edge with all their labels.
fn merged(edges: &[Edge]) -> Vec<Edge> {
    let mut merged: Vec<Edge> = Vec::new();
    for edge in edges {
        match merged.iter_mut().find(|e| (e.from, e.to, e.line) == (edge.from, edge.to, edge.line)) {
            Some(known) if !known.label.split("; ").any(|label| label == edge.label) => {
                let _ = write!(known.label, "; {}", edge.label);
            }
            Some(_) => {}
            None => merged.push(edge.clone()),
        }
    }
    merged
}

/// The upper and the lower end of an edge.
fn ends(edge: &Edge) -> (usize, usize) {
    (edge.from.min(edge.to), edge.from.max(edge.to))
}

impl<'g> Layout<'g> {
    fn new(graph: &'g Graph) -> Layout<'g> {
        let (own, others): (Vec<Edge>, Vec<Edge>) =
            merged(&graph.edges).into_iter().partition(|edge| edge.from == edge.to);
        let mut layer = vec![0; graph.nodes.len()];
        for node in 0..graph.nodes.len() {
            let above = others.iter().map(ends).filter(|(_, lower)| *lower == node);
            layer[node] = above.map(|(upper, _)| layer[upper] + 1).max().unwrap_or(0);
        }
        let width = |text: &str| (text.chars().count() as f64 * CHAR + 20.0).max(40.0);
        let places = graph.nodes.iter().zip(&layer);
        let places = places.map(|((_, text), layer)| Place { layer: *layer, width: width(text), x: 0.0 });
        let mut layout = Layout {
            graph,
            places: places.collect(),
            layers: vec![Vec::new(); layer.iter().max().map_or(0, |deepest| deepest + 1)],
            links: vec![Default::default(); graph.nodes.len()],
            routes: Vec::new(),
            own,
        };
        for (node, layer) in layer.iter().enumerate() {
            layout.layers[*layer].push(node);
        }
        others.into_iter().for_each(|edge| layout.route(edge));
        layout.spread();
        layout
    }

    /// Gives an edge its bends.
    fn route(&mut self, edge: Edge) {
        let (upper, lower) = ends(&edge);
        let mut route = vec![upper];
        for layer in self.places[upper].layer + 1..self.places[lower].layer {
            let bend = self.places.len();
            self.places.push(Place { layer, width: BEND, x: 0.0 });
            self.links.push(Default::default());
            self.layers[layer].push(bend);
            route.push(bend);
        }
        route.push(lower);
        for pair in route.windows(2) {
            self.links[pair[1]][ABOVE].push(pair[0]);
            self.links[pair[0]][BELOW].push(pair[1]);
        }
        self.routes.push((edge, route));
    }

    /// The mean place of the neighbours on that side; its own if it has none.
    fn wish(&self, place: usize, side: usize) -> f64 {
        let neighbours = &self.links[place][side];
        let sum: f64 = neighbours.iter().map(|k| self.places[*k].x).sum();
        if neighbours.is_empty() { self.places[place].x } else { sum / neighbours.len() as f64 }
    }

    /// The layers in the order of a sweep, which goes down and up in turn, and the side they look at.
    fn swept(&self, sweep: usize) -> Vec<(usize, usize)> {
        let down = (0..self.layers.len()).map(|layer| (layer, ABOVE));
        if sweep.is_multiple_of(2) {
            down.collect()
        } else {
            down.rev().map(|(layer, _)| (layer, BELOW)).collect()
        }
    }

    /// Sorts each layer by the wishes of its places.
    fn reorder(&mut self, sweep: usize) {
        for (layer, side) in self.swept(sweep) {
            let mut wishes: Vec<(f64, usize)> =
                self.layers[layer].iter().map(|place| (self.wish(*place, side), *place)).collect();
            wishes.sort_by(|one, other| one.0.total_cmp(&other.0));
            self.layers[layer] = wishes.into_iter().map(|(_, place)| place).collect();
            self.pack(layer);
        }
    }

    /// Puts the places of a layer side by side.
    fn pack(&mut self, layer: usize) {
        let mut x = 0.0;
        for place in self.layers[layer].clone() {
            let width = self.places[place].width;
            self.places[place].x = x + width / 2.0;
            x += width + SPACE;
        }
        let middle = (x - SPACE) / 2.0;
        for place in &self.layers[layer] {
            self.places[*place].x -= middle;
        }
    }

    fn spread(&mut self) {
        (0..self.layers.len()).for_each(|layer| self.pack(layer));
    }

    /// Moves the places towards their neighbours, never over each other.
    fn place(&mut self) {
        for sweep in 0..SWEEPS {
            for (layer, side) in self.swept(sweep) {
                let wishes: Vec<f64> =
                    self.layers[layer].iter().map(|place| self.wish(*place, side)).collect();
                self.settle(layer, &wishes);
            }
        }
        let left = self.places.iter().map(|p| p.x - p.width / 2.0).fold(f64::INFINITY, f64::min);
        self.places.iter_mut().for_each(|p| p.x += MARGIN - left);
    }

    /// The mean of what a packing to the left and one to the right make of the wishes.
    fn settle(&mut self, layer: usize, wishes: &[f64]) {
        let places = self.layers[layer].clone();
        let width = |k: usize| self.places[places[k]].width;
        let apart = |k: usize| (width(k) + width(k + 1)) / 2.0 + SPACE;
        let (mut left, mut right) = (wishes.to_vec(), wishes.to_vec());
        for k in 1..places.len() {
            left[k] = left[k].max(left[k - 1] + apart(k - 1));
        }
        for k in (1..places.len()).rev() {
            right[k - 1] = right[k - 1].min(right[k] - apart(k - 1));
        }
        for (k, place) in places.iter().enumerate() {
            self.places[*place].x = (left[k] + right[k]) / 2.0;
        }
    }

    fn top(&self, place: usize) -> f64 {
        MARGIN + self.places[place].layer as f64 * (HEIGHT + GAP)
    }

    fn draw(&self) -> String {
        let right = self.places.iter().map(|p| p.x + p.width / 2.0).fold(MARGIN, f64::max);
        let label = |edge: &Edge| edge.label.chars().count() as f64 * CHAR;
        let outside = self.own.iter().map(|edge| 40.0 + label(edge)).fold(0.0, f64::max);
        let width = (right + outside + MARGIN).ceil();
        let height = (2.0 * MARGIN + self.layers.len() as f64 * (HEIGHT + GAP) - GAP).max(60.0).ceil();
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
             height=\"{height}\" role=\"img\">\n<title>{}</title>\n{STYLE}",
            self.graph.name
        );
        self.routes.iter().for_each(|(edge, route)| self.draw_route(&mut out, edge, route));
        self.own.iter().for_each(|edge| self.draw_own(&mut out, edge));
        (0..self.graph.nodes.len()).for_each(|node| self.draw_node(&mut out, node));
        out.push_str("</svg>\n");
        out
    }

    fn draw_node(&self, out: &mut String, node: usize) {
        let (place, top) = (&self.places[node], self.top(node));
        let text = escaped(&self.graph.nodes[node].1);
        let round = if self.graph.shape == "ellipse" { HEIGHT / 2.0 } else { 3.0 };
        let _ = writeln!(
            out,
            "<rect x=\"{:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{HEIGHT}\" rx=\"{round}\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{text}</text>",
            place.x - place.width / 2.0,
            place.width,
            place.x,
            top + HEIGHT / 2.0 + 4.0
        );
    }

    /// A smooth line through the bends; the label stands beside its first part.
    fn draw_route(&self, out: &mut String, edge: &Edge, route: &[usize]) {
        let turned = edge.from > edge.to;
        let x = |place: usize| self.places[place].x + if turned { BESIDE } else { 0.0 };
        let mut path = format!("M{:.1} {:.1}", x(route[0]), self.top(route[0]) + HEIGHT);
        for (at, pair) in route.windows(2).enumerate() {
            let (x0, x1) = (x(pair[0]), x(pair[1]));
            let (y0, y1) = (self.top(pair[0]) + HEIGHT, self.top(pair[1]));
            let half = (y0 + y1) / 2.0;
            let _ = write!(path, " C{x0:.1} {half:.1} {x1:.1} {half:.1} {x1:.1} {y1:.1}");
            if at + 2 < route.len() {
                let _ = write!(path, " L{x1:.1} {:.1}", y1 + HEIGHT);
            }
        }
        let arrow = if turned { "up" } else { "down" };
        let _ = writeln!(out, "<path class=\"edge {arrow}{}\" d=\"{path}\"/>", class(edge.line));
        let beside = (x(route[0]) + x(route[1])) / 2.0 + 5.0;
        label(out, &edge.label, beside, self.top(route[0]) + HEIGHT + GAP / 2.0 + 4.0);
    }

    /// Out of the right side of a node and into it again.
    fn draw_own(&self, out: &mut String, edge: &Edge) {
        let place = &self.places[edge.from];
        let (x, y) = (place.x + place.width / 2.0, self.top(edge.from) + HEIGHT / 2.0);
        let (far, low, high) = (x + 34.0, y + 7.0, y - 7.0);
        let _ = writeln!(
            out,
            "<path class=\"edge down{}\" d=\"M{x:.1} {low:.1} C{far:.1} {low:.1} {far:.1} {high:.1} {x:.1} {high:.1}\"/>",
            class(edge.line)
        );
        label(out, &edge.label, far - 4.0, y + 4.0);
    }
}

fn label(out: &mut String, text: &str, x: f64, y: f64) {
    if !text.is_empty() {
        let _ = writeln!(out, "<text class=\"label\" x=\"{x:.1}\" y=\"{y:.1}\">{}</text>", escaped(text));
    }
}

fn class(line: Line) -> &'static str {
    match line {
        Line::Solid => "",
        Line::Dashed => " dashed",
        Line::Dotted => " dotted",
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

const STYLE: &str = "\
<style>
  text { font: 12px monospace; fill: #222 }
  .label { font-size: 11px; fill: #555 }
  rect { fill: #f4f7fb; stroke: #567 }
  .edge { fill: none; stroke: #567; stroke-width: 1.2 }
  .down { marker-end: url(#arrow) }
  .up { marker-start: url(#arrow) }
  .dashed { stroke-dasharray: 6 4 }
  .dotted { stroke-dasharray: 1.5 4 }
  @media (prefers-color-scheme: dark) {
    text { fill: #ddd }
    .label { fill: #aaa }
    rect { fill: #1e2630 }
  }
</style>
<defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" \
orient=\"auto-start-reverse\"><path d=\"M0 0 L8 4 L0 8 z\" fill=\"#567\"/></marker></defs>
";

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(edges: &[(usize, usize)]) -> Graph {
        let count = edges.iter().map(|(a, b)| a.max(b) + 1).max().unwrap_or(1);
        let edge = |(from, to): &(usize, usize)| Edge {
            from: *from,
            to: *to,
            label: "a < b".into(),
            line: Line::Solid,
        };
        let nodes = (0..count).map(|k| (format!("n{k}"), format!("n{k}: x := <{k}>")));
        Graph { name: "test", shape: "box", nodes: nodes.collect(), edges: edges.iter().map(edge).collect() }
    }

    /// No two places of a layer overlap, and each edge goes down one layer at a time.
    fn sound(graph: &Graph) {
        let mut layout = Layout::new(graph);
        for sweep in 0..SWEEPS {
            layout.reorder(sweep);
        }
        layout.place();
        for layer in &layout.layers {
            for pair in layer.windows(2) {
                let (left, right) = (&layout.places[pair[0]], &layout.places[pair[1]]);
                assert!(left.x + left.width / 2.0 < right.x - right.width / 2.0);
            }
        }
        for (place, [above, _]) in layout.links.iter().enumerate() {
            assert!(above.iter().all(|k| layout.places[*k].layer + 1 == layout.places[place].layer));
        }
        assert!(layout.places.iter().all(|p| p.x - p.width / 2.0 >= MARGIN - 0.01));
    }

    #[test]
    fn layouts_are_sound() {
        sound(&chain(&[]));
        sound(&chain(&[(0, 1), (1, 2), (0, 2), (2, 2), (2, 0)]));
        let dense: Vec<_> = (0..12)
            .flat_map(|a| (0..12).map(move |b| (a, b)))
            .filter(|(a, b)| (a * 7 + b * 5) % 3 == 0)
            .collect();
        sound(&chain(&dense));
    }

    #[test]
    fn text_is_escaped_and_labels_are_merged() {
        let drawn = svg(&chain(&[(0, 1), (0, 1)]));
        assert!(drawn.contains("n1: x := &lt;1&gt;") && !drawn.contains("<1>"));
        assert_eq!(drawn.matches("a &lt; b").count(), 1, "{drawn}");
    }
}
