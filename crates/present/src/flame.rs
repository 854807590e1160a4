//! The flame graph: calls and loops by the instructions executed inside.
//!
//! A path in the tree is a calling context with its loops: the calls that lead to a nest, its outermost loop, calls inside that, the next
//! loop, and so on. Costs of children never exceed that of their parent; the rest is the parent's own.

use serde::Serialize;
use trace::Profile;
use trace::profile::{Frame, Loop, LoopKind, Nest};

/// Nodes with a smaller share of all instructions are not worth a box.
const LEAST: f64 = 0.0005;

/// A call or a loop.
#[derive(Debug, Serialize)]
pub struct Node {
    /// What is shown in the box.
    name: String,
    /// `program`, `thread`, `call`, `loop` or `recursion`.
    kind: &'static str,
    /// Instructions inside.
    cost: u64,
    /// The nest that a click leads to.
    nest: Option<u32>,
    children: Vec<Node>,
}

impl Node {
    fn new(name: String, kind: &'static str) -> Node {
        Node { name, kind, cost: 0, nest: None, children: Vec::new() }
    }

    /// The child with this name, made if it is new.
    fn child(&mut self, name: String, kind: &'static str) -> &mut Node {
        let at = self.children.iter().position(|c| c.kind == kind && c.name == name && c.nest.is_none());
        let at = at.unwrap_or_else(|| {
            self.children.push(Node::new(name, kind));
            self.children.len() - 1
        });
        &mut self.children[at]
    }

    fn prune(&mut self, least: u64) {
        self.children.retain(|c| c.cost >= least);
        self.children.sort_by_key(|c| std::cmp::Reverse(c.cost));
        self.children.iter_mut().for_each(|c| c.prune(least));
    }
}

/// The tree of a profile.
pub fn tree(profile: &Profile) -> Node {
    let program = profile.program.path.rsplit('/').next().unwrap_or_default().to_owned();
    let mut root = Node::new(program, "program");
    root.cost = profile.totals.instructions.max(profile.nests.iter().map(|n| n.instructions).sum());
    let several = profile.nests.iter().any(|n| n.thread != 0);
    for nest in &profile.nests {
        let mut at = &mut root;
        if several {
            at = at.child(format!("thread {}", nest.thread), "thread");
            at.cost += nest.instructions;
        }
        for frame in &nest.context {
            at = at.child(frame.function.clone(), "call");
            at.cost += nest.instructions;
        }
        // Each nest has a box of its own, so that a click leads to it.
        at.children.extend(nest.loops.iter().filter(|l| l.parent.is_none()).map(|l| of_loop(nest, l)));
    }
    root.prune((LEAST * root.cost as f64) as u64);
    root
}

fn of_loop(nest: &Nest, l: &Loop) -> Node {
    let kind = if l.kind == LoopKind::Recursion { "recursion" } else { "loop" };
    let place = l.loc.as_ref().map_or_else(
        || format!("{:#x}", l.address.offset),
        |loc| format!("{}:{}", loc.file.rsplit('/').next().unwrap_or_default(), loc.line),
    );
    let mut node = Node::new(format!("{} {place}", l.function), kind);
    node.cost = l.instructions;
    node.nest = Some(nest.id);
    // A parent stands before its children, so this ends.
    for inner in nest.loops.iter().filter(|c| c.parent == Some(l.id) && c.id > l.id) {
        node.children.push(called(nest.id, &inner.calls, of_loop(nest, inner)));
    }
    node
}

/// The calls that lead to a loop, around it.
fn called(nest: u32, calls: &[Frame], inner: Node) -> Node {
    calls.iter().rev().fold(inner, |inner, frame| {
        let mut node = Node::new(frame.function.clone(), "call");
        (node.cost, node.nest) = (inner.cost, Some(nest));
        node.children.push(inner);
        node
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nest(id: u32, calls: &[&str], instructions: u64) -> Nest {
        let frame = |name: &&str| Frame { function: (*name).to_owned(), ..Frame::default() };
        let outer = Loop { instructions, ..Loop::default() };
        let inner = Loop {
            id: 1,
            parent: Some(0),
            dimension: 1,
            instructions: instructions / 2,
            calls: vec![frame(&"callee")],
            ..Loop::default()
        };
        Nest {
            id,
            context: calls.iter().map(frame).collect(),
            instructions,
            loops: vec![outer, inner],
            ..Nest::default()
        }
    }

    #[test]
    fn contexts_share_their_beginning_and_nests_stay_apart() {
        let mut profile = Profile {
            nests: vec![nest(0, &["main", "f"], 600), nest(1, &["main"], 300)],
            ..Profile::default()
        };
        profile.totals.instructions = 1000;
        let root = tree(&profile);
        assert_eq!((root.cost, root.children.len()), (1000, 1));
        let main = &root.children[0];
        assert_eq!((main.name.as_str(), main.cost, main.children.len()), ("main", 900, 2));
        assert_eq!((main.children[0].name.as_str(), main.children[0].cost), ("f", 600));
        assert_eq!((main.children[1].kind, main.children[1].nest), ("loop", Some(1)));
        let callee = &main.children[0].children[0].children[0];
        assert_eq!((callee.name.as_str(), callee.cost, callee.children[0].kind), ("callee", 300, "loop"));
    }
}
