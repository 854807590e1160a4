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

/// Number of the node outside all loops.
pub const ROOT: u32 = 0;

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
}

impl Default for Nodes {
    fn default() -> Self {
        Nodes { nodes: vec![Node { parent: ROOT, coordinate: 0 }] }
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
        self.nodes.len()
    }

    /// A node for a loop that is entered at this position.
    #[inline]
    pub fn enter(&mut self, node: u32, inner: u32) -> u32 {
        let number = self.nodes.len() as u32;
        self.nodes.push(Node { parent: node, coordinate: inner });
        number
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
        let mut moved = vec![ROOT; self.nodes.len()];
        let mut kept = Vec::new();
        for (number, node) in self.nodes.iter().enumerate().filter(|(n, _)| keep[*n]) {
            moved[number] = kept.len() as u32;
            // A parent is older than its children, so it has its new number already.
            kept.push(Node { parent: moved[node.parent as usize], ..*node });
        }
        self.nodes = kept;
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
}
