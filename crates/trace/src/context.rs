//! Contexts: by which calls and loops an instruction was reached.
//!
//! A tree. Its nodes are calls (the address of the call and the function called), loops (their header), and recursion
//! (calls of a function that is active already). The loops and recursions on the way from the root are the dimensions
//! of the instructions there.

use crate::code::Pc;
use std::collections::HashMap;

/// The context outside of everything.
pub const OUTSIDE: u32 = 0;

/// What a context adds to its parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A thread of the program, from 0.
    Thread(u32),
    /// A call.
    Call {
        /// The instruction that called.
        site: Pc,
        /// The function that was called.
        entry: Pc,
    },
    /// A loop in the function of the call around it.
    Loop {
        /// Its header.
        header: Pc,
        /// A jump back to the header.
        latch: Pc,
    },
    /// Calls of a function that is active.
    Recursion {
        /// The function.
        entry: Pc,
    },
}

/// One context.
#[derive(Debug, Clone)]
pub struct Context {
    /// The context around it; its own number for [`OUTSIDE`].
    pub parent: u32,
    /// What it adds.
    pub kind: Kind,
    /// Dimensions, its own included.
    pub depth: u8,
    /// Whether statements in it are wanted.
    pub wanted: bool,
    /// How often a loop was entered.
    pub entries: u64,
    /// Iterations of a loop in all.
    pub iterations: u64,
    /// Whether it was entered twice at the same position, and went on counting.
    pub continued: bool,
    /// The position at which a loop was entered last, and the last coordinate it had then: if it is entered there again,
    /// it goes on counting, so that iteration vectors only grow.
    pub last: Option<(u32, u32, u32)>,
}

impl Context {
    /// Whether it is a dimension.
    pub fn is_dimension(&self) -> bool {
        matches!(self.kind, Kind::Loop { .. } | Kind::Recursion { .. })
    }

    /// Whether it is a dimension with more than one value: some loops never repeat, and some are no loops at all, only
    /// jumps that looking ahead could not rule out.
    pub fn repeats(&self) -> bool {
        self.is_dimension() && (self.iterations > self.entries || self.continued)
    }
}

/// All contexts.
#[derive(Debug)]
pub struct Contexts {
    list: Vec<Context>,
    children: HashMap<(u32, Kind), u32>,
}

impl Default for Contexts {
    fn default() -> Self {
        let outside = Context {
            parent: OUTSIDE,
            kind: Kind::Thread(0),
            depth: 0,
            wanted: false,
            entries: 0,
            iterations: 0,
            continued: false,
            last: None,
        };
        Contexts { list: vec![outside], children: HashMap::new() }
    }
}

impl Contexts {
    /// The context with this number.
    pub fn get(&self, context: u32) -> &Context {
        &self.list[context as usize]
    }

    /// The context with this number, to change it.
    pub fn get_mut(&mut self, context: u32) -> &mut Context {
        &mut self.list[context as usize]
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// The context below `parent`; `wanted` says whether statements are wanted if they were not already.
    pub fn child(&mut self, parent: u32, kind: Kind, wanted: bool) -> u32 {
        let fresh = self.list.len() as u32;
        let child = *self.children.entry((parent, kind)).or_insert(fresh);
        if child == fresh {
            let above = &self.list[parent as usize];
            let mut context = Context {
                parent,
                kind,
                depth: above.depth,
                wanted: above.wanted || wanted,
                entries: 0,
                iterations: 0,
                continued: false,
                last: None,
            };
            context.depth += u8::from(context.is_dimension());
            self.list.push(context);
        }
        child
    }

    /// The nodes at which loops were entered last.
    pub fn entered_mut(&mut self) -> impl Iterator<Item = &mut u32> {
        self.list.iter_mut().filter_map(|context| context.last.as_mut().map(|(node, ..)| node))
    }

    /// From a context outwards, without [`OUTSIDE`].
    pub fn outwards(&self, context: u32) -> impl Iterator<Item = u32> {
        std::iter::successors(Some(context), |c| Some(self.list[*c as usize].parent))
            .take_while(|c| *c != OUTSIDE)
    }

    /// The dimensions of a context, outermost first.
    pub fn dimensions(&self, context: u32) -> Vec<u32> {
        let mut found: Vec<u32> = self.outwards(context).filter(|c| self.get(*c).is_dimension()).collect();
        found.reverse();
        found
    }

    /// The thread of a context.
    pub fn thread(&self, context: u32) -> u32 {
        match self.outwards(context).last().map(|c| self.get(c).kind) {
            Some(Kind::Thread(thread)) => thread,
            _ => 0,
        }
    }
}
