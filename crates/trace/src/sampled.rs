//! A survey from samples: where a program was, now and then, instead of every block it ran.
//!
//! A sample is a stack of calls with the address inside each. The loops around an address follow from the function's control flow alone
//! (`cfg`), so a sample has a context like any block that runs, and counts as one instruction there. How often loops
//! were entered and repeated is not known; they have no iterations in the profile.

use crate::code::{Block, Flow, Insn, Pc};
use crate::context::{Kind, OUTSIDE};
use crate::tracer::Tracer;

/// A call on the stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Called {
    /// The function.
    pub entry: Pc,
    /// The instruction that called it; 0 for the first.
    pub site: Pc,
    /// Where it is: inside the call of the next function, or for the last one where the program was.
    pub at: Pc,
}

impl Tracer {
    /// Counts a sample; `calls` is the stack, outermost first.
    pub fn sample(&mut self, thread: usize, calls: &[Called]) {
        let Some(last) = calls.last() else { return };
        self.ensure_thread(thread);
        let mut context = self.contexts.child(OUTSIDE, Kind::Thread(thread as u32), false);
        let mut active: Vec<(Pc, u32)> = Vec::new();
        for call in calls {
            context = match active.iter().position(|(entry, _)| *entry == call.entry) {
                Some(first) => {
                    // What is between belongs to the recursion.
                    active.truncate(first + 1);
                    self.repeated(active[first].1, Kind::Recursion { entry: call.entry })
                }
                None => {
                    let (site, entry) = (call.site, call.entry);
                    let context = self.contexts.child(context, Kind::Call { site, entry }, true);
                    active.push((entry, context));
                    context
                }
            };
            for (header, latch) in self.functions.loops_around(call.entry, call.at, self.code.as_ref()) {
                context = self.repeated(context, Kind::Loop { header, latch });
            }
        }
        let block = self.sampled_block(last.at);
        let instance = self.instance(context, block);
        self.instances[instance as usize].count += 1;
    }

    /// A dimension below a context.
    fn repeated(&mut self, context: u32, kind: Kind) -> u32 {
        let child = self.contexts.child(context, kind, false);
        // Whether it really repeats was not seen; a loop in which time is spent does.
        self.contexts.get_mut(child).continued = true;
        child
    }

    fn sampled_block(&mut self, pc: Pc) -> u32 {
        let known = self.blocks.iter().position(|p| p.block.pc() == pc);
        known.map_or_else(
            || self.add_block(Block { insns: vec![Insn::nop(pc, 1)], flow: Flow::Next }),
            |n| n as u32,
        )
    }
}
