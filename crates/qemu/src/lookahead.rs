//! Code before it runs: where control can go from an instruction.
//!
//! [`Instructions`] says what stands at an address, in memory or in a file; [`Lookahead`] makes of it what the tracer asks for
//! ([`trace::code::Code`]). After a call of a function that never returns nothing follows.

use crate::decode;
use iced_x86::{FlowControl, Instruction, Mnemonic};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use trace::code::{Ahead, Code, Flow, Pc, Step};

/// Instructions that are looked at to see whether a function returns.
const LOOKED_AT: usize = 2000;

/// Machine code by address.
pub trait Instructions {
    /// The instruction at an address, if there is code that is described.
    fn instruction(&self, pc: Pc) -> Option<Instruction>;

    /// Where the function around an address begins, if that is known.
    fn entry_of(&self, pc: Pc) -> Option<Pc>;

    /// Whether statements of the function at this address are wanted.
    fn is_wanted(&self, entry: Pc) -> bool;
}

/// The flow of control of some code.
pub struct Lookahead<I> {
    code: I,
    /// Functions that return, as far as is known.
    returning: RefCell<HashMap<Pc, bool>>,
}

impl<I: Instructions> Lookahead<I> {
    /// Nothing has been looked at yet.
    pub fn new(code: I) -> Lookahead<I> {
        Lookahead { code, returning: RefCell::default() }
    }

    /// The instruction at an address.
    pub fn instruction(&self, pc: Pc) -> Option<Instruction> {
        self.code.instruction(pc)
    }

    /// Whether a function may return. After a call of one that does not, the next instruction is not reached, and what looks
    /// like a way back into a loop may be none.
    fn returns(&self, entry: Pc) -> bool {
        if let Some(known) = self.returning.borrow().get(&entry) {
            return *known;
        }
        // What calls itself is taken to return until something else is known.
        self.returning.borrow_mut().insert(entry, true);
        let returns = self.finds_return(entry);
        self.returning.borrow_mut().insert(entry, returns);
        returns
    }

    fn finds_return(&self, entry: Pc) -> bool {
        let (mut seen, mut work) = (HashSet::new(), vec![entry]);
        while let Some(pc) = work.pop() {
            if !seen.insert(pc) {
                continue;
            }
            let Some(i) = self.instruction(pc).filter(|_| seen.len() < LOOKED_AT) else { return true };
            if i.flow_control() == FlowControl::Exception || i.mnemonic() == Mnemonic::Hlt {
                continue;
            }
            match self.ahead(&i).ahead {
                Ahead::Next | Ahead::Call => work.push(i.next_ip()),
                Ahead::Branch(target) => work.extend([target, i.next_ip()]),
                Ahead::Jump(target) => work.push(target),
                Ahead::Away if decode::flow(&i) == Flow::Call => {}
                Ahead::Away => return true,
            }
        }
        false
    }

    /// What follows an instruction; nothing, after a call of a function that does not return.
    fn ahead(&self, i: &Instruction) -> Step {
        let step = decode::ahead(i);
        let target = i.near_branch_target();
        if step.ahead == Ahead::Call && target != 0 && !self.returns(target) {
            return Step { ahead: Ahead::Away, ..step };
        }
        step
    }
}

impl<I: Instructions> Code for Lookahead<I> {
    fn step(&self, pc: Pc) -> Option<Step> {
        self.instruction(pc).map(|i| self.ahead(&i))
    }

    fn entry_of(&self, pc: Pc) -> Option<Pc> {
        self.code.entry_of(pc)
    }

    fn is_wanted(&self, entry: Pc) -> bool {
        self.code.is_wanted(entry)
    }
}
