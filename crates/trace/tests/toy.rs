//! The tracer on a toy machine: programs of a few instructions, run by an interpreter that sends the events.
//!
//! An instruction is one address long. The machine knows nothing of loops or contexts, so what the tracer says about
//! them can be compared with what the program obviously does.

use std::collections::{BTreeSet, HashMap};
use trace::code::{Ahead, Block, Code, Flow, Insn, Operand, Operation, Pc, Step, Units, Value};
use trace::events::{Access, Event};
use trace::profile::{Carrier, Class, Dependence, DependenceKind, LoopKind, Nest, Statement};
use trace::{Options, Profile, Tracer};

#[derive(Debug, Clone, Copy)]
enum Op {
    /// Register, constant.
    Set(u8, i64),
    /// Register, constant to add.
    Add(u8, i64),
    /// A register becomes the sum of two others; not followed as an integer.
    Sum(u8, u8, u8),
    /// Register, register with the address, offset, bytes.
    Load(u8, u8, i64, u32),
    /// Register with the address, offset, register, bytes.
    Store(u8, i64, u8, u32),
    /// Jump if the register is less than the constant.
    Less(u8, i64, Pc),
    /// Jump to the address in a register.
    Computed(u8),
    Call(Pc),
    Return,
    /// Leave everything and go on there, with this many calls active.
    Long(Pc, usize),
    End,
}

use Op::*;

struct Program(Vec<Op>);

impl Code for Program {
    fn step(&self, pc: Pc) -> Option<Step> {
        let ahead = match self.0.get(pc as usize)? {
            Less(_, _, to) => Ahead::Branch(*to),
            Call(_) => Ahead::Call,
            Computed(_) | Return | Long(..) | End => Ahead::Away,
            _ => Ahead::Next,
        };
        Some(Step { length: 1, ahead })
    }
    fn entry_of(&self, _: Pc) -> Option<Pc> {
        None
    }
    fn is_wanted(&self, _: Pc) -> bool {
        true
    }
}

fn units(register: u8) -> Units {
    Units::of([2 * register, 2 * register + 1])
}

fn insn(pc: Pc, op: Op) -> Insn {
    let mut insn = Insn::nop(pc, 1);
    let value = |to, operation, operands| Value { to, bits: 64, operation, operands };
    let none = Operand::Constant(0);
    match op {
        Set(r, c) => {
            insn.writes = units(r);
            insn.values = vec![value(Some(r), Operation::Copy, [Operand::Constant(c), none])];
            insn.class = Class::Integer;
        }
        Add(r, c) => {
            (insn.reads, insn.writes, insn.associative) = (units(r), units(r), true);
            insn.values = vec![value(Some(r), Operation::Add, [Operand::Register(r), Operand::Constant(c)])];
            insn.class = Class::Integer;
        }
        Sum(r, a, b) => {
            (insn.reads, insn.writes) = (units(a).with(units(b)), units(r));
            insn.class = Class::Float;
        }
        Load(r, a, _, size) => {
            (insn.reads, insn.writes, insn.loads) = (units(a), units(r), size);
            insn.values = vec![value(Some(r), Operation::Copy, [Operand::Loaded, none])];
            insn.class = Class::Move;
        }
        Store(a, _, r, size) => {
            (insn.reads, insn.stores) = (units(a).with(units(r)), size);
            insn.values = vec![value(None, Operation::Stored, [none, none])];
            insn.class = Class::Move;
        }
        Less(r, ..) | Computed(r) => insn.reads = units(r),
        _ => {}
    }
    insn
}

fn flow(op: Op) -> Flow {
    match op {
        Less(..) => Flow::Jump,
        Computed(_) | Long(..) => Flow::Indirect,
        Call(_) => Flow::Call,
        Return => Flow::Return,
        _ => Flow::Next,
    }
}

/// One run of a program on one thread.
struct Machine {
    program: Vec<Op>,
    leaders: BTreeSet<Pc>,
    blocks: HashMap<Pc, u32>,
    registers: [i64; 8],
    calls: Vec<Pc>,
    memory: HashMap<u64, u8>,
    pc: Pc,
    /// Events are sent so many at a time; 0: one by one.
    together: usize,
    events: Vec<Event>,
}

impl Machine {
    fn new(program: &[Op], entry: Pc) -> Machine {
        let mut leaders = BTreeSet::from([entry]);
        for (pc, op) in program.iter().enumerate() {
            let targets: &[Pc] = match op {
                Less(_, _, to) | Call(to) | Long(to, _) => &[*to],
                _ => &[],
            };
            leaders.extend(targets);
            if flow(*op) != Flow::Next {
                leaders.insert(pc as Pc + 1);
            }
        }
        let program = program.to_vec();
        let (registers, calls, memory) = ([0; 8], Vec::new(), HashMap::new());
        let (blocks, events) = (HashMap::new(), Vec::new());
        Machine { program, leaders, blocks, registers, calls, memory, pc: entry, together: 0, events }
    }

    fn block(&mut self, tracer: &mut Tracer) -> (u32, Pc) {
        let start = self.pc;
        let mut end = start + 1;
        while !self.leaders.contains(&end) && (end as usize) < self.program.len() {
            end += 1;
        }
        let program = &self.program;
        let block = *self.blocks.entry(start).or_insert_with(|| {
            let insns = (start..end).map(|pc| insn(pc, program[pc as usize])).collect();
            tracer.add_block(Block { insns, flow: flow(program[end as usize - 1]) })
        });
        (block, end)
    }

    fn exec(&mut self, tracer: &mut Tracer, thread: usize, block: u32) {
        match self.together {
            0 => tracer.exec(thread, block),
            _ => self.send(tracer, thread, Event::Exec { block }),
        }
    }

    fn access(
        &mut self,
        tracer: &mut Tracer,
        thread: usize,
        insn: u16,
        stores: bool,
        address: u64,
        size: u32,
    ) {
        let value = self.read(address, size);
        match self.together {
            0 => tracer.access(thread, insn, stores, address, size, Some(value)),
            _ => {
                let access = Access { insn, stores, known: true, size: size as u16, address, value };
                self.send(tracer, thread, Event::Access(access));
            }
        }
    }

    fn send(&mut self, tracer: &mut Tracer, thread: usize, event: Event) {
        self.events.push(event);
        if self.events.len() >= self.together {
            let taken = tracer.take_most(thread, &self.events);
            assert!(taken > 0);
            self.events.drain(..taken);
        }
    }

    /// Runs one block; false at the end of the program.
    fn run_block(&mut self, tracer: &mut Tracer, thread: usize) -> bool {
        let (block, end) = self.block(tracer);
        self.exec(tracer, thread, block);
        let start = self.pc;
        for pc in start..end {
            self.pc = pc + 1;
            let n = (pc - start) as u16;
            match self.program[pc as usize] {
                Set(r, c) => self.registers[r as usize] = c,
                Add(r, c) => self.registers[r as usize] += c,
                Sum(r, a, b) => {
                    self.registers[r as usize] = self.registers[a as usize] + self.registers[b as usize];
                }
                Load(r, a, offset, size) => {
                    let address = (self.registers[a as usize] + offset) as u64;
                    let value = self.read(address, size);
                    self.registers[r as usize] = value as i64;
                    self.access(tracer, thread, n, false, address, size);
                }
                Store(a, offset, r, size) => {
                    let address = (self.registers[a as usize] + offset) as u64;
                    let value = self.registers[r as usize] as u64;
                    (0..u64::from(size)).for_each(|b| {
                        self.memory.insert(address + b, value.checked_shr(8 * b as u32).unwrap_or(0) as u8);
                    });
                    self.access(tracer, thread, n, true, address, size);
                }
                Less(r, c, to) if self.registers[r as usize] < c => self.pc = to,
                Less(..) => {}
                Computed(r) => self.pc = self.registers[r as usize] as Pc,
                Call(to) => {
                    self.calls.push(self.pc);
                    self.pc = to;
                }
                Return => match self.calls.pop() {
                    Some(to) => self.pc = to,
                    None => return false,
                },
                Long(to, depth) => {
                    self.calls.truncate(depth);
                    self.pc = to;
                }
                End => return false,
            }
        }
        true
    }

    fn read(&self, address: u64, size: u32) -> u64 {
        (0..u64::from(size).min(8)).fold(0, |value, b| {
            value | u64::from(self.memory.get(&(address + b)).copied().unwrap_or(0)) << (8 * b)
        })
    }
}

fn run_with(program: &[Op], entry: Pc, options: Options) -> Profile {
    let mut tracer = Tracer::new(Box::new(Program(program.to_vec())), options);
    let mut machine = Machine::new(program, entry);
    while machine.run_block(&mut tracer, 0) {}
    tracer.finish()
}

/// The same with events sent so many at a time.
fn run_together(program: &[Op], together: usize) -> Profile {
    let mut tracer = Tracer::new(Box::new(Program(program.to_vec())), Options::default());
    let mut machine = Machine::new(program, 0);
    machine.together = together;
    while machine.run_block(&mut tracer, 0) {}
    tracer.take(0, &machine.events);
    tracer.finish()
}

fn run(program: &[Op], entry: Pc) -> Profile {
    run_with(program, entry, Options::default())
}

fn at(nest: &Nest, pc: Pc) -> &Statement {
    nest.statements.iter().find(|s| s.address.offset == pc).unwrap_or_else(|| panic!("no statement at {pc}"))
}

fn between(nest: &Nest, from: Pc, to: Pc) -> Vec<&Dependence> {
    let (from, to) = (at(nest, from).id, at(nest, to).id);
    nest.dependences.iter().filter(|d| (d.source, d.target) == (from, to)).collect()
}

/// Whether two relations in isl's notation are the same.
fn equal(a: &str, b: &str) -> bool {
    let ctx = isl::Ctx::new();
    let read = |text: &str| -> isl::Map { ctx.parse(text).unwrap() };
    read(a).is_equal(&read(b)).unwrap()
}

/// for i in 0..10 { for j in 0..20 { a[8 i + j] = a[8 i + j - 1] + x } }
fn stencil() -> Vec<Op> {
    vec![
        Set(0, 0),         // 0: i = 0
        Set(3, 1000),      // 1: row
        Set(1, 0),         // 2: outer: j = 0
        Sum(4, 3, 5),      // 3: p = row (as data)
        Load(2, 3, 0, 8),  // 4: inner: t = a[..]
        Sum(2, 2, 6),      // 5: t += x
        Store(3, 8, 2, 8), // 6: a[.. + 1] = t
        Add(3, 8),         // 7: row += 8
        Add(1, 1),         // 8: j += 1
        Less(1, 20, 4),    // 9
        Add(0, 1),         // 10: i += 1
        Less(0, 10, 2),    // 11
        End,               // 12
    ]
}

#[test]
fn a_nest_with_a_recurrence() {
    let profile = run(&stencil(), 0);
    assert_eq!(profile.nests.len(), 1);
    let nest = &profile.nests[0];
    let sizes: Vec<_> = nest.loops.iter().map(|l| (l.parent, l.entries, l.iterations)).collect();
    assert_eq!(sizes, [(None, 1, 10), (Some(0), 10, 200)]);
    assert_eq!(at(nest, 4).domain.isl, "{ [i0, i1] : 0 <= i0 <= 9 and 0 <= i1 <= 19 }");
    assert_eq!(at(nest, 4).accesses[0].stride, [Some(160), Some(8)]);
    assert_eq!(at(nest, 6).accesses[0].stride, [Some(160), Some(8)]);
    // Inside a row from the iteration before, at its start from the end of the row before.
    let through_memory = between(nest, 6, 4);
    assert_eq!(through_memory.len(), 1);
    let expected =
        "{ [i, j] -> [i, j - 1] : 0 <= i <= 9 and 1 <= j <= 19; [i, 0] -> [i - 1, 19] : 1 <= i <= 9 }";
    assert!(equal(&through_memory[0].relation.isl, expected));
    assert!(through_memory[0].relation.exact);
    assert_eq!(through_memory[0].carried_by, Some(0));
    // Counters and addresses are induction variables; nothing depends on them.
    for pc in [7, 8, 10] {
        assert!(at(nest, pc).induction, "{pc}");
        assert!(nest.dependences.iter().all(|d| d.source != at(nest, pc).id && d.target != at(nest, pc).id));
    }
    assert!(!at(nest, 5).induction && nest.induction_dependences > 0);
    assert_eq!(between(nest, 4, 5)[0].distance, [Some(0), Some(0)]);
}

#[test]
fn a_sum_over_zeros_is_no_induction_variable() {
    // s += a[i] with all a[i] = 0: the value of s is affine (0), but it is computed from data.
    let program = [
        Set(0, 0),
        Set(2, 0),
        Load(1, 0, 5000, 8), // 2
        Sum(2, 2, 1),        // 3
        Add(0, 8),           // 4
        Less(0, 800, 2),     // 5
        End,
    ];
    let profile = run(&program, 0);
    let nest = &profile.nests[0];
    assert!(at(nest, 4).induction && !at(nest, 2).induction && !at(nest, 3).induction);
    assert_eq!(between(nest, 3, 3)[0].distance, [Some(1)]);
}

#[test]
fn functions_have_a_context_per_call() {
    // Two calls of f from the body of one loop; f has a loop of its own.
    let program = [
        Set(0, 0),
        Call(6), // 1
        Call(6), // 2
        Add(0, 1),
        Less(0, 5, 1),
        End,
        Set(1, 0),            // 6: f
        Store(1, 3000, 0, 8), // 7
        Add(1, 8),
        Less(1, 80, 7),
        Return,
    ];
    let profile = run(&program, 0);
    assert_eq!(profile.nests.len(), 1);
    let nest = &profile.nests[0];
    assert_eq!(nest.loops.len(), 3);
    let calls: Vec<_> = nest.loops[1..]
        .iter()
        .map(|l| (l.parent, l.calls[0].call.offset, l.calls[0].address.offset))
        .collect();
    assert_eq!(calls, [(Some(0), 1, 6), (Some(0), 2, 6)]);
    let stores: Vec<_> = nest.statements.iter().filter(|s| s.address.offset == 7).collect();
    assert_eq!(stores.len(), 2);
    for store in stores {
        assert_eq!(store.domain.isl, "{ [i0, i1] : 0 <= i0 <= 4 and 0 <= i1 <= 9 }");
        assert_eq!(store.loops.len(), 2);
    }
}

#[test]
fn recursion_is_a_dimension() {
    // f(n): store; if n > 0 f(n - 1); store. Depth 50 without 50 contexts.
    let program = [
        Set(0, 50),
        Call(3),
        End,
        Store(0, 4000, 0, 1), // 3: f
        Less(0, 1, 8),        // 4
        Add(0, -1),           // 5
        Call(3),              // 6
        Add(0, 1),            // 7
        Store(0, 5000, 0, 1), // 8
        Return,
    ];
    let profile = run(&program, 0);
    let nest = &profile.nests[0];
    assert_eq!(nest.loops.len(), 1);
    assert_eq!(nest.loops[0].kind, LoopKind::Recursion);
    let down = at(nest, 3);
    assert_eq!((down.instances, down.domain.isl.as_str()), (50, "{ [i0] : 0 <= i0 <= 49 }"));
    // On the way back each return is an iteration too.
    let up = at(nest, 8);
    assert_eq!(up.instances, 50);
    assert!(up.domain.exact);
    assert_eq!(up.accesses[0].stride, [Some(1)]);
}

#[test]
fn long_jumps_leave_the_calls_in_between() {
    // Every iteration calls f, which calls g, which jumps back into the loop.
    let program = [
        Set(0, 0),
        Call(6),       // 1
        End,           // 2: never
        Add(0, 1),     // 3
        Less(0, 7, 1), // 4
        End,
        Call(8), // 6: f
        Return,
        Store(0, 4000, 0, 1), // 8: g
        Long(3, 0),           // 9
    ];
    // The analysis cannot foresee that 3 is reached, but it belongs to the function with the loop.
    struct Named(Program);
    impl Code for Named {
        fn step(&self, pc: Pc) -> Option<Step> {
            self.0.step(pc)
        }
        fn entry_of(&self, pc: Pc) -> Option<Pc> {
            [0, 6, 8].into_iter().filter(|e| *e <= pc).max()
        }
        fn is_wanted(&self, _: Pc) -> bool {
            true
        }
    }
    let mut tracer = Tracer::new(Box::new(Named(Program(program.to_vec()))), Options::default());
    let mut machine = Machine::new(&program, 0);
    while machine.run_block(&mut tracer, 0) {}
    let profile = tracer.finish();
    let stores: u64 = profile
        .nests
        .iter()
        .flat_map(|n| &n.statements)
        .filter(|s| s.address.offset == 8)
        .map(|s| s.instances)
        .sum();
    // The first round runs before the loop is known.
    assert_eq!(stores, 6);
    let nest = &profile.nests[0];
    assert_eq!((nest.loops.len(), nest.loops[0].iterations), (1, 7));
    assert_eq!(at(nest, 8).loops.len(), 1);
}

#[test]
fn computed_jumps_are_learnt() {
    // A loop around a switch: the cases are known only when they are taken.
    let program = [
        Set(0, 0),
        Set(1, 4),   // 1: head
        Computed(1), // 2
        End,
        Store(0, 4000, 0, 8), // 4: the case
        Add(0, 8),            // 5
        Less(0, 400, 1),      // 6
        End,
    ];
    let profile = run(&program, 0);
    let nest = &profile.nests[0];
    assert_eq!(nest.loops.len(), 1);
    assert_eq!(at(nest, 4).domain.isl, "{ [i0] : 0 <= i0 <= 49 }");
    assert_eq!(at(nest, 4).accesses[0].stride, [Some(8)]);
}

#[test]
fn overlapping_accesses_of_any_width() {
    // Writes a byte, reads the eight bytes around it.
    let program = [
        Set(0, 0),
        Store(0, 4003, 0, 1), // 1
        Load(1, 0, 4000, 8),  // 2
        Sum(2, 1, 1),
        Add(0, 8),
        Less(0, 800, 1),
        End,
    ];
    let nest = &run(&program, 0).nests[0];
    let found = between(nest, 1, 2);
    assert_eq!(
        (found.len(), found[0].carrier, found[0].distance.clone()),
        (1, Carrier::Memory, vec![Some(0)])
    );
}

#[test]
fn anti_and_output_dependences_on_request() {
    // t = b[0]; b[0] = t + x; in a loop: besides the flow, write after read and write after write.
    let program = [
        Set(0, 0),
        Set(3, 4000),
        Load(1, 3, 0, 8), // 2
        Sum(1, 1, 4),
        Store(3, 0, 1, 8), // 4
        Add(0, 1),
        Less(0, 30, 2),
        End,
    ];
    let kinds = |profile: &Profile| {
        let nest = &profile.nests[0];
        let mut kinds: Vec<_> = [(2, 4), (4, 4), (4, 2)]
            .into_iter()
            .flat_map(|(a, b)| between(nest, a, b))
            .filter(|d| d.carrier == Carrier::Memory)
            .map(|d| (d.kind, d.distance.clone()))
            .collect();
        kinds.sort_by_key(|k| format!("{k:?}"));
        kinds
    };
    assert_eq!(kinds(&run(&program, 0)), [(DependenceKind::Flow, vec![Some(1)])]);
    let options = Options { memory_dependences: true, ..Options::default() };
    let expected = [
        (DependenceKind::Anti, vec![Some(0)]),
        (DependenceKind::Flow, vec![Some(1)]),
        (DependenceKind::Output, vec![Some(1)]),
    ];
    assert_eq!(kinds(&run_with(&program, 0, options)), expected);
}

#[test]
fn threads_are_kept_apart_and_what_they_share_is_marked() {
    // One thread writes an array, the other reads it afterwards.
    let program = [
        Set(0, 0),
        Store(0, 4000, 0, 8), // 1
        Add(0, 8),
        Less(0, 160, 1),
        End,
        Set(0, 0),           // 5
        Load(1, 0, 4000, 8), // 6
        Sum(2, 2, 1),        // 7
        Add(0, 8),
        Less(0, 160, 6),
        End,
    ];
    let mut tracer = Tracer::new(Box::new(Program(program.to_vec())), Options::default());
    for (thread, entry) in [(0, 0), (1, 5)] {
        let mut machine = Machine::new(&program, entry);
        while machine.run_block(&mut tracer, thread) {}
    }
    let profile = tracer.finish();
    assert_eq!((profile.totals.threads, profile.nests.len()), (2, 2));
    let reader = profile.nests.iter().position(|n| n.thread == 1).unwrap();
    let writer = 1 - reader as u32;
    assert_eq!(profile.nests[reader].from_nests, [(writer, 1)]);
}

#[test]
fn library_code_counts_as_its_call() {
    // A call of something that is not described: it reads a[i] and writes b[i].
    let program = [
        Set(0, 0),
        Store(0, 4000, 0, 8),
        Call(99),
        Load(1, 0, 8000, 8),
        Sum(2, 1, 1),
        Add(0, 8),
        Less(0, 80, 1),
        End,
    ];
    let mut tracer = Tracer::new(Box::new(Program(program.to_vec())), Options::default());
    let mut machine = Machine::new(&program, 0);
    while machine.run_block(&mut tracer, 0) {
        if machine.pc == 99 {
            machine.pc = machine.calls.pop().unwrap();
            let i = machine.registers[0] as u64;
            tracer.foreign_exec(0, units(0), Units::default());
            tracer.foreign_access(0, false, 4000 + i, 8);
            tracer.foreign_access(0, true, 8000 + i, 8);
        }
    }
    let profile = tracer.finish();
    let nest = &profile.nests[0];
    assert_eq!(at(nest, 2).class, Class::Call);
    assert_eq!(between(nest, 1, 2)[0].distance, [Some(0)]);
    assert_eq!(between(nest, 2, 3)[0].distance, [Some(0)]);
}

#[test]
fn a_survey_has_loops_and_nothing_else() {
    let profile = run_with(&stencil(), 0, Options { survey: true, ..Options::default() });
    let nest = &profile.nests[0];
    assert!(profile.collection.survey && nest.statements.is_empty() && nest.dependences.is_empty());
    assert_eq!(nest.loops.iter().map(|l| l.iterations).collect::<Vec<_>>(), [10, 200]);
    assert_eq!(profile.totals.instructions, 2 + 10 * 4 + 200 * 6 + 1);
}

#[test]
fn dropping_coordinates_changes_nothing() {
    let mut program = stencil();
    program[9] = Less(1, 3, 4);
    program[11] = Less(0, 20_000, 2);
    let often = Options { collect_at: 100, ..Options::default() };
    let (collected, plain) = (run_with(&program, 0, often), run(&program, 0));
    assert_eq!(collected.nests, plain.nests);
    assert_eq!(plain.nests[0].loops[1].entries, 20_000);
}

#[test]
fn too_little_memory_is_said() {
    // 20,000 rounds are more than one look at the memory in use.
    let program = [Set(0, 0), Store(0, 4000, 0, 8), Add(0, 64), Less(0, 64 * 20_000, 1), End];
    let profile = run_with(&program, 0, Options { max_bytes: 1 << 12, ..Options::default() });
    assert_eq!(profile.warnings[0].id, "memory-limit");
    assert_eq!(at(&profile.nests[0], 1).domain.points, 20_000);
    let few = Options { max_dependences: 1, ..Options::default() };
    assert_eq!(run_with(&stencil(), 0, few).warnings[0].id, "dependence-limit");
    let none = Options { max_instances: 0, ..Options::default() };
    assert_eq!(run_with(&stencil(), 0, none).warnings[0].id, "context-limit");
    let cut = run_with(&stencil(), 0, Options { max_statements: 3, ..Options::default() });
    assert_eq!(cut.warnings[0].id, "statement-limit");
    let nest = &cut.nests[0];
    assert!(nest.loops.len() == 2 && nest.statements.is_empty() && nest.dependences.is_empty());
}

#[test]
fn profiles_survive_json() {
    let profile = run(&stencil(), 0);
    assert_eq!(Profile::from_json(&profile.to_json()), Ok(profile));
    assert!(Profile::from_json("{}").is_err());
    assert!(Profile::from_json("").unwrap_err().contains("not a profile"));
}

/// A counter in memory that goes on by 16, until a store along an array hits it: for i in 0..200 { c = *1000 + 16; *1000 = c; t = a[c];
/// b[c] = t; d[8 i] = 5 }, where d[8 * 75] is the counter.
fn counter_that_is_overwritten() -> Vec<Op> {
    vec![
        Set(0, 0),
        Set(1, 1000),
        Set(5, 5),
        Set(6, 400),
        Store(1, 0, 0, 8),
        Load(3, 1, 0, 8), // 5: the loop
        Add(3, 16),
        Store(1, 0, 3, 8),
        Load(4, 3, 50_000, 8),
        Store(3, 90_000, 4, 8),
        Store(6, 0, 5, 8),
        Add(6, 8),
        Add(0, 1),
        Less(0, 200, 5), // 13
        End,
    ]
}

/// Single numbers that were written two at a time: the last writer changes in every second iteration.
fn written_in_pairs() -> Vec<Op> {
    vec![
        Set(0, 0),
        Store(0, 4000, 7, 16), // 1
        Add(0, 16),
        Less(0, 1600, 1),
        Set(2, 0),
        Set(0, 0),           // 5: twice
        Load(1, 0, 4000, 8), // 6
        Store(0, 9000, 1, 8),
        Add(0, 8),
        Less(0, 1600, 6),
        Add(2, 1),
        Less(2, 3, 5),
        End,
    ]
}

#[test]
fn events_together_or_one_by_one_in_steady_loops_or_not() {
    for program in [stencil(), counter_that_is_overwritten(), written_in_pairs()] {
        let plain = run_with(&program, 0, Options { steady: false, ..Options::default() });
        assert!(plain.totals.dependence_points > 0);
        assert_eq!(run(&program, 0), plain);
        for together in [3, 100, 100_000] {
            assert!(run_together(&program, together) == plain, "{together} at a time: {program:?}");
        }
    }
    // After iteration 75 it starts again at 5.
    let profile = run_together(&counter_that_is_overwritten(), 1000);
    let value = at(&profile.nests[0], 5).value.as_ref().expect("an integer");
    assert!(value.points == 200 && value.isl.contains("0 <= l0 <= 1973"), "{value:?}");
}

/// Two loops around a few loads and stores of any width, which walk through the same memory by strides of their own.
fn random_walks(seed: u64) -> Vec<Op> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut random = |n: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % n
    };
    let mut program = vec![Set(2, 0), Set(0, 0)];
    let starts_anew = random(2) == 0;
    let walkers = 1 + random(3) as u8;
    for walker in 3..3 + walkers {
        // Before the outer loop, or at its beginning.
        let at = if starts_anew { 2 } else { 0 };
        program.insert(at, Set(walker, 10_000 + 8 * random(12) as i64));
    }
    let outer = program.iter().position(|op| matches!(op, Set(0, 0))).unwrap_or(0) as Pc;
    let inner = program.len() as Pc;
    for _ in 0..2 + random(5) {
        let (walker, offset) = (3 + random(u64::from(walkers)) as u8, 4 * random(24) as i64 - 48);
        let size = [1, 4, 4, 8, 8, 16][random(6) as usize];
        program.push(match random(2) {
            0 => Load(6 + random(2) as u8, walker, offset, size),
            _ => Store(walker, offset, 6 + random(2) as u8, size),
        });
    }
    for walker in 3..3 + walkers {
        program.push(Add(walker, [0, 1, 4, 8, 8, 16, 24, -8, 4104][random(9) as usize]));
    }
    program.extend([Add(0, 1), Less(0, 3 + random(60) as i64, inner), Add(2, 1), Less(2, 4, outer), End]);
    program
}

#[test]
fn steady_loops_over_overlapping_memory_are_as_plain_ones() {
    for seed in 0..250 {
        let program = random_walks(seed);
        let plain = run_with(&program, 0, Options { steady: false, ..Options::default() });
        for together in [1, 37, 1000] {
            assert!(
                run_together(&program, together) == plain,
                "seed {seed}, {together} at a time: {program:?}"
            );
        }
    }
}
