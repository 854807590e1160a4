//! Outer coordinates of iteration vectors, shared.
//!
//! Entering a loop makes a *node*: the position (node and innermost coordinate) at which that happened. A position
//! inside the loop is then the node and the loop's own counter. The iteration vector is read back along the parents:
//!
//! ```text
//! node of depth d:  { parent: node of depth d - 1,  coordinate: of dimension d - 2 }
//! iteration vector: [ ..., parent.coordinate, node.coordinate, inner ]
//! ```
//!
//! There is one node per entry of a loop, not per iteration. Nodes that no shadow cell and no position refers to are
//! dropped by [`Nodes::collect`], which the tracer calls when their number has doubled.
//!
//! Numbers are given out in [`BLOCK`]s, each of which has nodes of one depth: entries of an outer loop, between which there are many
//! of the loops inside, stay together in the caches, and a walk along a column of a matrix looks at just them.

/// Number of the node outside all loops.
pub const ROOT: u32 = 0;

/// Numbers of one depth that follow each other.
const BLOCK: u32 = 64;

/// A node: where the loop was entered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Node {
    parent: u32,
    coordinate: u32,
}

/// All nodes.
#[derive(Debug)]
pub struct Nodes {
    nodes: Vec<Node>,
    /// The depth of each block.
    depths: Vec<u8>,
    /// The next free number of each depth; the first one of a block stands for one that is not there yet.
    free: Vec<u32>,
    count: usize,
}

impl Default for Nodes {
    fn default() -> Self {
        let mut nodes = Nodes { nodes: Vec::new(), depths: Vec::new(), free: Vec::new(), count: 0 };
        nodes.add(0, Node { parent: ROOT, coordinate: 0 });
        nodes
    }
}

/// Where nodes have gone.
pub struct Moved(Vec<u32>);

impl Moved {
    /// The new number of a node that was marked.
    pub fn to(&self, node: u32) -> u32 {
        self.0.get(node as usize).copied().unwrap_or(ROOT)
    }
}

impl Nodes {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// A node for a loop that is entered at this position.
    #[inline]
    pub fn enter(&mut self, node: u32, inner: u32) -> u32 {
        self.add(self.depth(node) + 1, Node { parent: node, coordinate: inner })
    }

    #[inline]
    fn depth(&self, node: u32) -> usize {
        usize::from(self.depths[(node / BLOCK) as usize])
    }

    #[inline]
    fn add(&mut self, depth: usize, node: Node) -> u32 {
        let number = match self.free.get(depth) {
            Some(free) if !free.is_multiple_of(BLOCK) => *free,
            _ => self.add_block(depth),
        };
        self.nodes[number as usize] = node;
        self.free[depth] = number + 1;
        self.count += 1;
        number
    }

    /// Returns the first number of a new block.
    #[cold]
    fn add_block(&mut self, depth: usize) -> u32 {
        let number = self.nodes.len();
        self.nodes.resize(number + BLOCK as usize, Node { parent: ROOT, coordinate: 0 });
        self.depths.push(depth as u8);
        self.free.resize(self.free.len().max(depth + 1), 0);
        number as u32
    }

    /// From one entry of a loop to another in the same iteration of the loops further out: how far the last coordinate moves.
    #[inline]
    pub fn hop(&self, from: u32, to: u32) -> Option<i64> {
        let (from, to) = (self.nodes[from as usize], self.nodes[to as usize]);
        (from.parent == to.parent).then(|| i64::from(to.coordinate) - i64::from(from.coordinate))
    }

    /// Appends the `outer` coordinates that a node stands for.
    pub fn append(&self, mut node: u32, outer: usize, to: &mut Vec<i64>) {
        let start = to.len();
        to.resize(start + outer, 0);
        for at in (start..start + outer).rev() {
            let here = self.nodes[node as usize];
            to[at] = i64::from(here.coordinate);
            node = here.parent;
        }
    }

    /// Keeps the nodes that are in use, and their parents.
    pub fn collect(&mut self, used: impl Iterator<Item = u32>) -> Moved {
        let mut keep = vec![false; self.nodes.len()];
        keep[ROOT as usize] = true;
        for mut node in used {
            while !keep[node as usize] {
                keep[node as usize] = true;
                node = self.nodes[node as usize].parent;
            }
        }
        let mut kept: Vec<u32> = (1..keep.len() as u32).filter(|n| keep[*n as usize]).collect();
        // Parents first, so that they have their new numbers when these are asked for.
        kept.sort_by_key(|number| self.depth(*number));
        let before = std::mem::take(self);
        let mut moved = vec![ROOT; before.nodes.len()];
        for number in kept {
            let Node { parent, coordinate } = before.nodes[number as usize];
            moved[number as usize] = self.enter(moved[parent as usize], coordinate);
        }
        Moved(moved)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vector(nodes: &Nodes, node: u32, outer: usize) -> Vec<i64> {
        let mut to = Vec::new();
        nodes.append(node, outer, &mut to);
        to
    }

    #[test]
    fn vectors_survive_a_collection() {
        let mut nodes = Nodes::default();
        let outer = nodes.enter(ROOT, 0);
        let inner: Vec<u32> = (0..10).map(|i| nodes.enter(outer, i)).collect();
        let deep = nodes.enter(inner[7], 42);
        assert_eq!(vector(&nodes, deep, 2), [7, 42]);
        let moved = nodes.collect([deep, inner[2]].into_iter());
        assert_eq!(nodes.count(), 5);
        assert_eq!(vector(&nodes, moved.to(deep), 2), [7, 42]);
        assert_eq!(vector(&nodes, moved.to(inner[2]), 1), [2]);
    }

    #[test]
    fn entries_of_one_loop_are_neighbours_and_may_be_younger_than_what_is_inside() {
        let mut nodes = Nodes::default();
        let mut entries = Vec::new();
        for i in 0..200 {
            let row = nodes.enter(ROOT, i);
            entries.push((row, nodes.enter(row, 5), nodes.enter(row, 9)));
            for extra in 0..i % 3 {
                nodes.enter(row, 11 + extra);
            }
        }
        let rows: Vec<u32> = entries.iter().map(|(row, ..)| *row).collect();
        assert!(rows[..60].windows(2).all(|pair| pair[1] == pair[0] + 1));
        assert!(entries.iter().any(|(row, first, _)| first < row));
        let moved = nodes.collect(entries.iter().step_by(3).map(|(.., second)| *second));
        assert_eq!(nodes.count(), 1 + 2 * 67);
        for (i, (row, _, second)) in entries.iter().enumerate().step_by(3) {
            assert_eq!(vector(&nodes, moved.to(*second), 2), [i as i64, 9]);
            assert_eq!(vector(&nodes, moved.to(*row), 1), [i as i64]);
        }
        assert_eq!(nodes.hop(moved.to(entries[0].2), moved.to(entries[3].2)), None);
        assert_eq!(nodes.hop(moved.to(entries[0].0), moved.to(entries[3].0)), Some(3));
    }
}
