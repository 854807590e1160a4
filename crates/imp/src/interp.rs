//! The small-step semantics (Section 3.3), as a machine that can be run step by step.
//!
//! The state is the paper's: an environment that maps each cell to its value and to the operation that wrote
//! it last, and the current iteration vector. One call of [`Machine::step`] applies one rule:
//!
//! | rule | what the machine does |
//! |---|---|
//! | BEGIN | starts with the vector `(k0) = (0)` |
//! | ASSIGN | evaluates, writes the cell, increments the last component |
//! | IT, IF | appends a component, `-length` for the true branch and 0 for the false one; at the branch's end drops it and increments |
//! | WHT, WHF | appends a component 0 when the loop is reached; a true test enters the body, a false one drops the component and increments |
//!
//! `for` evaluates its bounds once and then acts like a loop whose counter moves by itself; `assume` stops
//! the run when its condition does not hold. `skip` takes no step. See [`crate::resolve`] for the numbering.
//!
//! Values are `i64`. A result that does not fit, a division by zero and a subscript outside a declared
//! array end the run with [`Ending::Fault`]; nothing wraps around. `/` rounds towards minus infinity and
//! `a mod b` has the sign of `b`, so that `a == b * (a / b) + a mod b` always holds.
//!
//! Cells that were never written have an input value: 0, or what [`Inputs`] says.
//!
//! The machine keeps its own stack of blocks, so the run needs no stack of ours, and records a [`Trace`].

use crate::ast::BinOp;
use crate::diag::{Diagnostic, Span};
use crate::resolve::*;
use crate::trace::{CellId, NO_OP, Trace};
use std::collections::{BTreeMap, HashMap};

/// The values a run starts from.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    /// Values of parameters and first values of scalars, by name.
    pub values: BTreeMap<String, i64>,
    /// With a seed, cells not named in `values` start with small pseudo-random numbers instead of 0.
    pub seed: Option<u64>,
}

impl Inputs {
    /// Reads `n=6,m=4`.
    pub fn parse(text: &str) -> Result<Inputs, String> {
        let mut inputs = Inputs::default();
        for item in text.split(',').map(str::trim).filter(|item| !item.is_empty()) {
            let remedy = || format!("`{item}` is not of the form NAME=NUMBER, as in n=6,m=4");
            let (name, value) = item.split_once('=').ok_or_else(remedy)?;
            let value = value.trim().parse().map_err(|_| remedy())?;
            inputs.values.insert(name.trim().to_string(), value);
        }
        Ok(inputs)
    }

    /// The value of a scalar before the program starts.
    pub fn first_value(&self, program: &Program, scalar: VarId) -> i64 {
        self.cell(program, scalar, &[])
    }

    fn cell(&self, program: &Program, var: VarId, index: &[i64]) -> i64 {
        let name = &program.vars[var.index()].name;
        if let Some(value) = self.values.get(name).filter(|_| index.is_empty()) {
            return *value;
        }
        let Some(seed) = self.seed else { return 0 };
        let start = mix(seed ^ u64::from(var.0));
        let mixed = index.iter().fold(start, |hash, i| mix(hash ^ *i as u64));
        (mixed % 13) as i64 - 4
    }
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The program reached its end.
    Finished,
    /// An `assume` does not hold: the run is not one the program's author considers.
    AssumptionFails(Span),
    /// The allowed number of operations was used up.
    Limit,
    /// Overflow, division by zero or a subscript out of range.
    Fault(Diagnostic),
}

/// A finished run.
#[derive(Clone, Debug)]
pub struct Run {
    /// What happened.
    pub trace: Trace,
    /// How it ended.
    pub ending: Ending,
    /// The last value of every cell that was touched.
    pub values: Vec<i64>,
}

/// Runs the program for at most `limit` operations.
pub fn run(program: &Program, inputs: &Inputs, limit: usize) -> Result<Run, Diagnostic> {
    let mut machine = Machine::new(program, inputs)?;
    let ending = loop {
        if machine.trace.len() >= limit {
            break Ending::Limit;
        }
        match machine.step() {
            Ok(true) => {}
            Ok(false) => break Ending::Finished,
            Err(ending) => break ending,
        }
    };
    let values = machine.cells.iter().map(|cell| cell.value).collect();
    Ok(Run { trace: machine.trace, ending, values })
}

#[derive(Clone, Copy)]
struct Cell {
    value: i64,
    /// The operation that wrote it last, or [`NO_OP`].
    writer: u32,
}

enum Frame<'p> {
    /// A block whose end ends the program, or a branch of an `if`.
    Block { nodes: &'p [Node], next: usize, branch: bool },
    /// A `while`: between tests, `next` runs through the body.
    While { op: OpId, cond: &'p RExpr, body: &'p [Node], next: usize },
    /// A `for`.
    For { counter: CounterId, value: i64, to: i64, step: i64, body: &'p [Node], next: usize, op: OpId },
}

/// The machine: program, environment, iteration vector, and what remains to be done.
pub struct Machine<'p> {
    program: &'p Program,
    params: Vec<i64>,
    inputs: &'p Inputs,
    extents: Vec<Option<Vec<i64>>>,
    counters: Vec<i64>,
    cells: Vec<Cell>,
    scalars: Vec<Option<CellId>>,
    arrays: Vec<HashMap<Box<[i64]>, CellId>>,
    vector: Vec<i64>,
    frames: Vec<Frame<'p>>,
    trace: Trace,
    /// Subscripts being evaluated, innermost read last.
    scratch: Vec<i64>,
}

impl<'p> Machine<'p> {
    /// The machine after rule BEGIN.
    pub fn new(program: &'p Program, inputs: &'p Inputs) -> Result<Machine<'p>, Diagnostic> {
        let missing = |name: &str| {
            Diagnostic::new(Span::default(), format!("the parameter `{name}` has no value"))
                .help(format!("give one, as in {name}=4"))
        };
        let values = program
            .params
            .iter()
            .map(|p| inputs.values.get(&p.name).copied().ok_or_else(|| missing(&p.name)));
        let mut machine = Machine {
            program,
            params: values.collect::<Result<_, _>>()?,
            inputs,
            extents: Vec::new(),
            counters: vec![0; program.counters.len()],
            cells: Vec::new(),
            scalars: vec![None; program.vars.len()],
            arrays: vec![HashMap::new(); program.vars.len()],
            vector: vec![0],
            frames: vec![Frame::Block { nodes: &program.body, next: 0, branch: false }],
            trace: Trace::default(),
            scratch: Vec::new(),
        };
        machine.check_assumptions()?;
        machine.evaluate_extents()?;
        Ok(machine)
    }

    fn check_assumptions(&mut self) -> Result<(), Diagnostic> {
        for assumption in &self.program.assumptions {
            if self.eval(assumption).map_err(|fault| fault.diagnostic(Span::default()))? == 0 {
                return Err(Diagnostic::new(
                    Span::default(),
                    "the values given contradict the declared range of a parameter",
                )
                .help("choose values within the ranges of the `param` declarations"));
            }
        }
        Ok(())
    }

    fn evaluate_extents(&mut self) -> Result<(), Diagnostic> {
        for var in &self.program.vars {
            let extents = match &var.extents {
                None => None,
                Some(extents) => {
                    let values = extents.iter().map(|e| self.eval(e)).collect::<Result<Vec<_>, _>>();
                    Some(values.map_err(|fault| fault.diagnostic(Span::default()))?)
                }
            };
            self.extents.push(extents);
        }
        Ok(())
    }

    /// The current iteration vector.
    pub fn vector(&self) -> &[i64] {
        &self.vector
    }

    /// The operations so far.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    fn increment(&mut self) {
        if let Some(last) = self.vector.last_mut() {
            *last += 1;
        }
    }

    /// Applies one rule; `false` when the program has ended.
    pub fn step(&mut self) -> Result<bool, Ending> {
        let Some(frame) = self.frames.last_mut() else { return Ok(false) };
        let (nodes, next) = match frame {
            Frame::Block { nodes, next, .. } => (*nodes, next),
            Frame::While { body, next, .. } | Frame::For { body, next, .. } => (*body, next),
        };
        if let Some(node) = nodes.get(*next) {
            *next += 1;
            self.execute(node)?;
            return Ok(true);
        }
        self.end_of_block()
    }

    fn execute(&mut self, node: &'p Node) -> Result<(), Ending> {
        match node {
            Node::Assign { op, var, subscripts, value } => {
                let at = self.begin_op(*op);
                let value = self.eval_at(*op, value)?;
                let cell = self.subscripted(*var, subscripts).map_err(|fault| self.fault(*op, fault))?;
                self.trace.set_write(cell, self.cells[cell.index()].writer);
                self.cells[cell.index()] = Cell { value, writer: at };
                self.increment();
            }
            Node::Assume { op, cond } => {
                self.begin_op(*op);
                if self.eval_at(*op, cond)? == 0 {
                    return Err(Ending::AssumptionFails(self.program.ops[op.index()].span));
                }
                self.increment();
            }
            Node::If { op, cond, then, els } => {
                self.begin_op(*op);
                let holds = self.eval_at(*op, cond)? != 0;
                self.vector.push(if holds { -(then.len() as i64) } else { 0 });
                self.frames.push(Frame::Block {
                    nodes: if holds { then } else { els },
                    next: 0,
                    branch: true,
                });
            }
            Node::While { op, cond, body, .. } => {
                self.vector.push(0);
                self.frames.push(Frame::While { op: *op, cond, body, next: body.len() });
                self.while_test(*op, cond)?;
            }
            Node::For { op, counter, from, to, step, body, .. } => {
                self.begin_op(*op);
                let from = self.eval_at(*op, from)?;
                let to = self.eval_at(*op, to)?;
                self.vector.push(0);
                self.frames.push(Frame::For {
                    counter: *counter,
                    value: from,
                    to,
                    step: *step,
                    body,
                    next: body.len(),
                    op: *op,
                });
                self.for_test();
            }
        }
        Ok(())
    }

    /// The end of a branch, of a loop's body or of the program.
    fn end_of_block(&mut self) -> Result<bool, Ending> {
        match self.frames.last_mut() {
            None => return Ok(false),
            Some(Frame::Block { branch: false, .. }) => {
                self.frames.pop();
                return Ok(false);
            }
            Some(Frame::Block { branch: true, .. }) => self.leave(),
            Some(Frame::While { op, cond, body, .. }) => {
                let (op, cond, empty) = (*op, *cond, body.is_empty());
                if empty {
                    self.increment();
                }
                self.while_test(op, cond)?;
            }
            Some(Frame::For { value, step, op, body, .. }) => {
                let op = *op;
                let empty = body.is_empty();
                match value.checked_add(*step) {
                    Some(sum) => *value = sum,
                    None => return Err(self.fault(op, Fault::Overflow)),
                }
                if empty {
                    self.increment();
                }
                self.for_test();
            }
        }
        Ok(true)
    }

    /// Drops the last component and counts the construct that has ended.
    fn leave(&mut self) {
        self.frames.pop();
        self.vector.pop();
        self.increment();
    }

    fn while_test(&mut self, op: OpId, cond: &RExpr) -> Result<(), Ending> {
        self.begin_op(op);
        if self.eval_at(op, cond)? == 0 {
            self.leave();
        } else if let Some(Frame::While { next, .. }) = self.frames.last_mut() {
            *next = 0;
        }
        Ok(())
    }

    fn for_test(&mut self) {
        if let Some(Frame::For { counter, value, to, step, next, .. }) = self.frames.last_mut() {
            if (*step > 0 && value > to) || (*step < 0 && value < to) {
                self.leave();
            } else {
                self.counters[counter.index()] = *value;
                *next = 0;
            }
        }
    }

    fn begin_op(&mut self, op: OpId) -> u32 {
        self.trace.begin(op, &self.vector)
    }

    fn fault(&self, op: OpId, fault: Fault) -> Ending {
        Ending::Fault(fault.diagnostic(self.program.ops[op.index()].span))
    }

    fn eval_at(&mut self, op: OpId, expr: &RExpr) -> Result<i64, Ending> {
        self.eval(expr).map_err(|fault| self.fault(op, fault))
    }

    /// The value of an expression; truth values are 1 and 0.
    fn eval(&mut self, expr: &RExpr) -> Result<i64, Fault> {
        Ok(match expr {
            RExpr::Int(value) => *value,
            RExpr::Bool(value) => i64::from(*value),
            RExpr::Param(id) => self.params[id.index()],
            RExpr::Counter(id) => self.counters[id.index()],
            RExpr::Scalar { var, access } => {
                let cell = self.scalar(*var);
                self.read(*access, cell)
            }
            RExpr::Cell { var, access, subscripts } => {
                let cell = self.subscripted(*var, subscripts)?;
                self.read(*access, cell)
            }
            RExpr::Neg(operand) => self.eval(operand)?.checked_neg().ok_or(Fault::Overflow)?,
            RExpr::Not(operand) => i64::from(self.eval(operand)? == 0),
            RExpr::Bin(BinOp::And, left, right) => i64::from(self.eval(left)? != 0 && self.eval(right)? != 0),
            RExpr::Bin(BinOp::Or, left, right) => i64::from(self.eval(left)? != 0 || self.eval(right)? != 0),
            RExpr::Bin(op, left, right) => {
                let left = self.eval(left)?;
                let right = self.eval(right)?;
                apply(*op, left, right)?
            }
        })
    }

    fn read(&mut self, access: u32, cell: CellId) -> i64 {
        let Cell { value, writer } = self.cells[cell.index()];
        self.trace.add_read(access, cell, writer);
        value
    }

    fn scalar(&mut self, var: VarId) -> CellId {
        if let Some(cell) = self.scalars[var.index()] {
            return cell;
        }
        let value = self.input(var, &[]);
        let cell = self.new_cell(var, &[], value);
        self.scalars[var.index()] = Some(cell);
        cell
    }

    fn subscripted(&mut self, var: VarId, subscripts: &[RExpr]) -> Result<CellId, Fault> {
        if subscripts.is_empty() {
            return Ok(self.scalar(var));
        }
        let base = self.scratch.len();
        for subscript in subscripts {
            match self.eval(subscript) {
                Ok(value) => self.scratch.push(value),
                Err(fault) => {
                    self.scratch.truncate(base);
                    return Err(fault);
                }
            }
        }
        let found = self.cell_at(var, base);
        self.scratch.truncate(base);
        found
    }

    /// The cell whose subscripts stand in the scratch space from `base` on.
    fn cell_at(&mut self, var: VarId, base: usize) -> Result<CellId, Fault> {
        let index = &self.scratch[base..];
        if let Some(extents) = self.extents.get(var.index()).and_then(Option::as_ref)
            && let Some(bad) = index.iter().zip(extents).position(|(i, extent)| *i < 0 || i >= extent)
        {
            let name = self.program.vars[var.index()].name.clone();
            return Err(Fault::OutOfBounds { name, subscript: index[bad], extent: extents[bad] });
        }
        if let Some(cell) = self.arrays[var.index()].get(index) {
            return Ok(*cell);
        }
        let index: Box<[i64]> = index.into();
        let value = self.input(var, &index);
        let cell = self.new_cell(var, &index, value);
        self.arrays[var.index()].insert(index, cell);
        Ok(cell)
    }

    fn new_cell(&mut self, var: VarId, index: &[i64], value: i64) -> CellId {
        self.cells.push(Cell { value, writer: NO_OP });
        self.trace.new_cell(var, index)
    }

    /// The value of a cell before the program starts.
    fn input(&self, var: VarId, index: &[i64]) -> i64 {
        let name = &self.program.vars[var.index()].name;
        if let Some(value) = self.inputs.values.get(name).filter(|_| index.is_empty()) {
            return *value;
        }
        let Some(seed) = self.inputs.seed else { return 0 };
        let mixed = index.iter().fold(mix(seed ^ u64::from(var.0)), |hash, i| mix(hash ^ *i as u64));
        (mixed % 13) as i64 - 4
    }
}

/// One round of a 64-bit finalizer: every input bit reaches every output bit.
fn mix(value: u64) -> u64 {
    let value =
        (value ^ (value >> 31)).wrapping_add(0x9e37_79b9_7f4a_7c15).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (value ^ (value >> 29)).wrapping_mul(0x94d0_49bb_1331_11eb)
}

/// Why an expression has no value.
enum Fault {
    Overflow,
    DivisionByZero,
    OutOfBounds { name: String, subscript: i64, extent: i64 },
}

impl Fault {
    fn diagnostic(self, span: Span) -> Diagnostic {
        match self {
            Fault::Overflow => {
                Diagnostic::new(span, "a value does not fit in 64 bits").help("use smaller parameter values")
            }
            Fault::DivisionByZero => Diagnostic::new(span, "division by zero")
                .help("test the divisor first, as in `d <> 0 and ...`"),
            Fault::OutOfBounds { name, subscript, extent } => {
                let message =
                    format!("subscript {subscript} of `{name}` is outside 0 .. {}", i128::from(extent) - 1);
                Diagnostic::new(span, message).help("correct the subscript or the declared extent")
            }
        }
    }
}

/// Floor division, so that `a == b * q + r` and `r` has the sign of `b`.
fn divide(a: i64, b: i64) -> Result<(i64, i64), Fault> {
    if b == 0 {
        return Err(Fault::DivisionByZero);
    }
    let q = a.checked_div(b).ok_or(Fault::Overflow)?;
    let r = a - b * q;
    Ok(if r != 0 && (r < 0) != (b < 0) { (q - 1, r + b) } else { (q, r) })
}

fn apply(op: BinOp, a: i64, b: i64) -> Result<i64, Fault> {
    Ok(match op {
        BinOp::Add => a.checked_add(b).ok_or(Fault::Overflow)?,
        BinOp::Sub => a.checked_sub(b).ok_or(Fault::Overflow)?,
        BinOp::Mul => a.checked_mul(b).ok_or(Fault::Overflow)?,
        BinOp::Div => divide(a, b)?.0,
        // The one quotient that overflows has the remainder 0.
        BinOp::Mod => {
            if b == -1 {
                0
            } else {
                divide(a, b)?.1
            }
        }
        BinOp::Min => a.min(b),
        BinOp::Max => a.max(b),
        BinOp::Le => i64::from(a <= b),
        BinOp::Lt => i64::from(a < b),
        BinOp::Ge => i64::from(a >= b),
        BinOp::Gt => i64::from(a > b),
        BinOp::Eq => i64::from(a == b),
        BinOp::Ne => i64::from(a != b),
        BinOp::And => i64::from(a != 0 && b != 0),
        BinOp::Or => i64::from(a != 0 || b != 0),
        BinOp::Iff => i64::from((a != 0) == (b != 0)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(source: &str, inputs: &str) -> (Program, Run) {
        let program = Program::parse(source).unwrap();
        let run = run(&program, &Inputs::parse(inputs).unwrap(), 100_000).unwrap();
        (program, run)
    }

    /// The operations as `name(vector)`.
    fn shown(program: &Program, trace: &Trace) -> String {
        let one = |k: u32| {
            let vector: Vec<String> = trace.vector(k).iter().map(i64::to_string).collect();
            format!("{}({})", program.ops[trace.op(k).index()].name, vector.join(","))
        };
        (0..trace.len() as u32).map(one).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn figure_3_numbers_its_operations() {
        let (program, run) =
            start("param n; c[0] := 0; i := 1; while i <= n do c[i] := c[i-1] + 1; i := i + 1 done", "n=2");
        assert_eq!(run.ending, Ending::Finished);
        assert_eq!(
            shown(&program, &run.trace),
            "s1(0) s2(1) t1(2,0) s3(2,0) s4(2,1) t1(2,2) s3(2,2) s4(2,3) t1(2,4)"
        );
    }

    #[test]
    fn figure_4_ends_with_k0_at_2() {
        // The paper says k0 = 3 after the program: it also counts the last `done`. Ours counts i := 5 and the loop.
        let source = "i := 5; while i <> 1 do if i mod 2 == 0 then i := i / 2 else i := 3 * i + 1 fi done";
        let program = Program::parse(source).unwrap();
        let inputs = Inputs::default();
        let mut machine = Machine::new(&program, &inputs).unwrap();
        while matches!(machine.step(), Ok(true)) {}
        assert_eq!(machine.vector(), [2]);
        let text = shown(&program, machine.trace());
        assert!(
            text.starts_with("s1(0) t1(1,0) t2(1,0) s3(1,0,0) t1(1,1) t2(1,1) s2(1,1,-1) t1(1,2)"),
            "{text}"
        );
    }

    #[test]
    fn division_rounds_down() {
        for a in -7..=7i64 {
            for b in [-3i64, -2, -1, 1, 2, 3] {
                let Ok((q, r)) = divide(a, b) else { panic!() };
                assert_eq!(a, b * q + r);
                assert!(r == 0 || (r < 0) == (b < 0));
                assert!(r.abs() < b.abs());
            }
        }
        let (_, run) = start("x := (-9223372036854775807 - 1) mod -1", "");
        assert_eq!(run.ending, Ending::Finished);
    }

    #[test]
    fn faults_end_the_run() {
        let fault = |source: &str| match start(source, "").1.ending {
            Ending::Fault(diagnostic) => diagnostic.message,
            other => panic!("{other:?}"),
        };
        assert_eq!(fault("x := 1 / y"), "division by zero");
        assert_eq!(fault("x := 9223372036854775807 + 1"), "a value does not fit in 64 bits");
        assert_eq!(fault("array a[3]; a[3] := 1"), "subscript 3 of `a` is outside 0 .. 2");
        assert!(matches!(start("assume x > 0", "").1.ending, Ending::AssumptionFails(_)));
        assert_eq!(start("while true do skip done", "").1.ending, Ending::Limit);
    }

    #[test]
    fn conditions_stop_early() {
        let (_, run) = start("array a[2]; while i < 2 and a[i] == 0 do i := i + 1 done", "");
        assert_eq!(run.ending, Ending::Finished);
    }
}
