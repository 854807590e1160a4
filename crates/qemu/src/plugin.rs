//! The plugin: QEMU's callbacks in, a profile out.
//!
//! The analysis runs inside the emulator, on the thread that runs the program. A callback only writes down what has happened, with the
//! value that memory has at that moment; when there are [`EVENTS`] of them, when another thread goes on, and before each system call,
//! after which memory may be gone, they are handed to the tracer. While the program has one thread nothing is locked; from the second
//! thread on each callback takes a lock, so that events come in one order.
//!
//! A translation block of QEMU is not a basic block: it goes on behind jump targets, and the same code is translated
//! several times. It is cut at the targets that are known by looking ahead, and a block is known by its address and length.
//!
//! The profile is written when the program ends, before it replaces itself by another (`exec`), when its time is
//! up, and now and then in between, by a copy of the process, so that a program that is killed has one too.

use crate::api::{Api, Id, Info, MemCb, MemInfo, Registers, Tb};
use crate::config::{Config, Moment, TIMED_OUT};
use crate::decode;
use crate::lookahead::{Instructions, Lookahead};
use crate::modules::{Modules, Selection};
use iced_x86::{Instruction, InstructionInfoFactory};
use std::cell::UnsafeCell;
use std::collections::{HashMap, HashSet};
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LockResult, Mutex, MutexGuard};
use std::time::{Duration, Instant};
use trace::code::{Ahead, Block, Code, Flow, Insn, Operation, Pc};
use trace::events::{Access, Event};
use trace::{Mode, Options, Profile, Tracer};

/// No registers are read or written by the callbacks; or some are read.
const NO_REGS: c_int = 0;
const READ_REGS: c_int = 1;
/// QEMU 7.2 takes reads for writes where only one of them is asked for.
const READ_AND_WRITE: c_int = 3;

/// Bits of a callback's number below that of a register: the position of the instruction.
const POSITION_BITS: u32 = 16;

/// How many events are collected before they are looked at: they, and what they lead to, stay in the caches.
const EVENTS: usize = 1024;

/// How many times that happens between looks at the clock.
const TICK: u32 = 1 << 6;

/// Seconds until the first checkpoint; each one after it takes twice as long to come.
const FIRST_CHECKPOINT: u64 = 5;

/// Time between notes of progress.
const PROGRESS: Duration = Duration::from_millis(250);

/// The program's code in memory.
struct Memory(Arc<Mutex<Modules>>);

impl Instructions for Memory {
    fn instruction(&self, pc: Pc) -> Option<Instruction> {
        let modules = self.0.lock().ok()?;
        let module = modules.at(pc).filter(|module| module.describes(pc))?;
        let length = (module.code.end - pc).min(15) as usize;
        // SAFETY: the code of a module is mapped, and stays mapped while the program runs code of it.
        let bytes =
            unsafe { std::slice::from_raw_parts(pc.wrapping_add(modules.guest_base) as *const u8, length) };
        decode::decode(bytes, pc)
    }

    fn entry_of(&self, pc: Pc) -> Option<Pc> {
        self.0.lock().ok()?.at(pc)?.entry_of(pc)
    }

    fn is_wanted(&self, entry: Pc) -> bool {
        self.0.lock().is_ok_and(|modules| modules.at(entry).is_some_and(|m| m.wants(entry)))
    }
}

type Guest = Lookahead<Memory>;

/// Targets of jumps, found by looking ahead from where code is translated.
#[derive(Default)]
struct Targets {
    seen: HashSet<Pc>,
    targets: HashSet<Pc>,
}

impl Targets {
    fn look(&mut self, from: Pc, code: &dyn Code) {
        let mut work = vec![from];
        while let Some(mut pc) = work.pop() {
            while self.seen.insert(pc) {
                let Some(step) = code.step(pc) else { break };
                let next = pc + u64::from(step.length);
                match step.ahead {
                    Ahead::Next => {}
                    Ahead::Call => drop(self.targets.insert(next)),
                    Ahead::Branch(target) => {
                        self.targets.extend([target, next]);
                        work.push(target);
                    }
                    Ahead::Jump(target) => {
                        self.targets.insert(target);
                        work.push(target);
                        break;
                    }
                    Ahead::Away => break,
                }
                pc = next;
            }
        }
    }
}

/// Results that cannot be recomputed, and are read before the next instruction runs: instruction, register.
fn read_later(insns: &[Insn]) -> Vec<(usize, u8)> {
    let unknown = |n: usize| {
        let values = insns[n].values.iter().filter(|v| v.operation == Operation::Unknown);
        values.filter_map(move |v| Some((n, v.to?)))
    };
    (0..insns.len().saturating_sub(1)).flat_map(unknown).collect()
}

/// Who is called for an instruction's accesses, if it has some. QEMU is only asked at each of them if the
/// instruction does not tell; it may split wide ones.
fn callback(insn: &Insn) -> Option<MemCb> {
    let several = insn.stack || insn.several;
    match (insn.loads, insn.stores) {
        (1, 0) if !several => Some(on_plain::<1, false>),
        (2, 0) if !several => Some(on_plain::<2, false>),
        (4, 0) if !several => Some(on_plain::<4, false>),
        (8, 0) if !several => Some(on_plain::<8, false>),
        (0, 1) if !several => Some(on_plain::<1, true>),
        (0, 2) if !several => Some(on_plain::<2, true>),
        (0, 4) if !several => Some(on_plain::<4, true>),
        (0, 8) if !several => Some(on_plain::<8, true>),
        (0, 0) if !insn.stack => None,
        _ => Some(on_access),
    }
}

struct State {
    api: Api,
    registers: Option<Registers>,
    config: Config,
    tracer: Option<Tracer>,
    /// Events that the tracer has not seen yet, all of one processor.
    events: Vec<Event>,
    processor: c_uint,
    modules: Arc<Mutex<Modules>>,
    guest: Guest,
    targets: Targets,
    factory: InstructionInfoFactory,
    /// Blocks by address and number of instructions.
    blocks: HashMap<(Pc, usize), u32>,
    guest_base: Option<u64>,
    /// The number of the thread on each of QEMU's processors.
    threads: Vec<usize>,
    started: usize,
    ticks: u32,
    start: Instant,
    next_checkpoint: Duration,
    next_progress: Duration,
    process: u32,
    forked: bool,
    /// How often functions that begin and end the recording were called, and whether its beginning and end have come.
    calls: [u64; 2],
    reached: [bool; 2],
}

struct Shared(UnsafeCell<Option<Box<State>>>);

// SAFETY: see `with`.
unsafe impl Sync for Shared {}

static STATE: Shared = Shared(UnsafeCell::new(None));
static SEVERAL_THREADS: AtomicBool = AtomicBool::new(false);
static LOCK: Mutex<()> = Mutex::new(());

/// Whoever holds it is alone; with one thread nobody else is there.
#[inline(always)]
fn alone() -> Option<LockResult<MutexGuard<'static, ()>>> {
    SEVERAL_THREADS.load(Ordering::Relaxed).then(|| LOCK.lock())
}

/// Runs `f` with the state, if there is one. A panic ends the analysis, not the program.
#[inline(always)]
fn with(f: impl FnOnce(&mut State)) {
    let _lock = alone();
    // SAFETY: with one thread nobody else is here. The second thread is announced by `on_init` on the thread that
    // makes it, inside a system call and thus outside of `with`; from then on the lock is taken.
    guarded(unsafe { &mut *STATE.0.get() }, f);
}

fn guarded(state: &mut Option<Box<State>>, f: impl FnOnce(&mut State)) {
    if let Some(running) = state
        && catch_unwind(AssertUnwindSafe(|| f(running))).is_err()
    {
        eprintln!("orthant: internal error while observing the program; it goes on unobserved");
        *state = None;
    }
}

/// Writes down an event on a processor. While there is one thread, and room, that takes a few instructions.
#[inline(always)]
fn note(processor: c_uint, event: impl FnOnce(&State) -> Event) {
    if SEVERAL_THREADS.load(Ordering::Relaxed) {
        return note_alone(processor, event);
    }
    // SAFETY: as in `with`.
    let state = unsafe { &mut *STATE.0.get() };
    match state {
        Some(running) if running.events.len() < running.events.capacity() => {
            let event = event(running);
            running.events.push(event);
        }
        _ => note_after_others(state, processor, event),
    }
}

#[cold]
#[inline(never)]
fn note_alone(processor: c_uint, event: impl FnOnce(&State) -> Event) {
    with(|state| {
        let event = event(state);
        state.write_down(processor, event);
    });
}

#[cold]
#[inline(never)]
fn note_after_others(state: &mut Option<Box<State>>, processor: c_uint, event: impl FnOnce(&State) -> Event) {
    guarded(state, |state| {
        let event = event(state);
        state.write_down(processor, event);
    });
}

impl State {
    fn thread(&self, processor: c_uint) -> usize {
        self.threads.get(processor as usize).copied().unwrap_or(0)
    }

    /// Hands the events over that have been written down.
    fn catch_up(&mut self) {
        let thread = self.thread(self.processor);
        if let Some(tracer) = &mut self.tracer {
            tracer.take(thread, &self.events);
        }
        self.events.clear();
    }

    fn translate(&mut self, tb: Tb) {
        // SAFETY: QEMU hands a valid block, and its instructions are valid until the callback returns.
        let handles: Vec<_> =
            unsafe { (0..(self.api.tb_n_insns)(tb)).map(|n| (self.api.tb_get_insn)(tb, n)).collect() };
        // SAFETY: as above.
        let pcs: Vec<Pc> = handles.iter().map(|handle| unsafe { (self.api.insn_vaddr)(*handle) }).collect();
        let (Some(&first), Some(&pc)) = (handles.first(), pcs.first()) else { return };
        if self.guest_base.is_none() {
            // SAFETY: as above. In user mode this is a host address, or null if QEMU does not tell.
            let host = unsafe { (self.api.insn_haddr)(first) } as u64;
            let base = if host == 0 { 0 } else { host.wrapping_sub(pc) };
            self.guest_base = Some(base);
            if let Ok(mut modules) = self.modules.lock() {
                modules.guest_base = base;
            }
        }
        let described =
            self.modules.lock().is_ok_and(|mut modules| modules.find(pc).is_some_and(|m| m.describes(pc)));
        match described {
            true => self.describe(&handles, &pcs),
            false if !self.config.survey => self.summarize(&handles, &pcs),
            false => {}
        }
    }

    fn describe(&mut self, handles: &[*mut c_void], pcs: &[Pc]) {
        self.targets.look(pcs[0], &self.guest);
        let cuts = (1..pcs.len()).filter(|n| self.targets.targets.contains(&pcs[*n]));
        let ends: Vec<usize> = cuts.chain([pcs.len()]).collect();
        let mut start = 0;
        for end in ends {
            self.describe_part(&handles[start..end], &pcs[start..end]);
            start = end;
        }
    }

    fn describe_part(&mut self, handles: &[*mut c_void], pcs: &[Pc]) {
        let decoded: Option<Vec<Instruction>> = pcs.iter().map(|pc| self.guest.instruction(*pc)).collect();
        let (Some(decoded), Some(tracer)) = (decoded, &mut self.tracer) else { return };
        let insns: Vec<_> = decoded.iter().map(|i| decode::describe(i, &mut self.factory)).collect();
        let flow = decoded.last().map_or(Flow::Next, decode::flow);
        let accesses: Vec<Option<MemCb>> = insns.iter().map(callback).collect();
        let results: Vec<(usize, u8)> =
            if self.registers.is_some() { read_later(&insns) } else { Vec::new() };
        let block = *self
            .blocks
            .entry((pcs[0], pcs.len()))
            .or_insert_with(|| tracer.add_block(Block { insns, flow }));
        let moment = self.modules.lock().ok().and_then(|modules| modules.at(pcs[0])?.moment(pcs[0]));
        if let Some(moment) = moment {
            // SAFETY: as below.
            unsafe { (self.api.register_exec)(handles[0], on_moment, NO_REGS, moment as *mut c_void) };
        }
        // SAFETY: the handles are valid during translation; the user data is a number, not a pointer.
        unsafe {
            (self.api.register_exec)(handles[0], on_exec, NO_REGS, block as usize as *mut c_void);
        }
        if self.config.survey {
            return;
        }
        for (n, register) in results {
            let number = (n | usize::from(register) << POSITION_BITS) as *mut c_void;
            // SAFETY: as above.
            unsafe { (self.api.register_exec)(handles[n + 1], on_result, READ_REGS, number) };
        }
        for (n, handle) in handles.iter().enumerate() {
            let Some(callback) = accesses[n] else { continue };
            // SAFETY: as above.
            unsafe { (self.api.register_mem)(*handle, callback, NO_REGS, READ_AND_WRITE, n as *mut c_void) };
        }
    }

    /// Library code: what it reads, and its accesses, count as the call's.
    fn summarize(&mut self, handles: &[*mut c_void], pcs: &[Pc]) {
        let base = self.guest_base.unwrap_or(0);
        let decoded: Vec<Instruction> = handles
            .iter()
            .zip(pcs)
            .filter_map(|(handle, pc)| {
                // SAFETY: QEMU is translating these bytes, so they are mapped.
                let bytes = unsafe {
                    let length = (self.api.insn_size)(*handle).min(15);
                    std::slice::from_raw_parts(pc.wrapping_add(base) as *const u8, length)
                };
                decode::decode(bytes, *pc)
            })
            .collect();
        let (reads, writes) = decode::summary(&decoded, &mut self.factory);
        let Some(number) = self.tracer.as_mut().map(|tracer| tracer.add_foreign(reads, writes)) else {
            return;
        };
        // SAFETY: as in `describe_part`.
        unsafe {
            (self.api.register_exec)(handles[0], on_foreign_exec, NO_REGS, number as usize as *mut c_void);
            for handle in handles {
                let none = std::ptr::null_mut();
                (self.api.register_mem)(*handle, on_foreign_access, NO_REGS, READ_AND_WRITE, none);
            }
        }
    }

    /// What the program has at an address it has just accessed, if that is at most 8 bytes.
    #[inline(always)]
    fn memory(&self, address: u64, size: u16) -> Option<u64> {
        let at = address.wrapping_add(self.guest_base?) as *const u8;
        // SAFETY: the program has just accessed these bytes, so they are mapped; QEMU runs in the same address space.
        unsafe {
            Some(match size {
                1 => u64::from(at.read()),
                2 => u64::from(at.cast::<u16>().read_unaligned()),
                4 => u64::from(at.cast::<u32>().read_unaligned()),
                8 => at.cast::<u64>().read_unaligned(),
                _ => return None,
            })
        }
    }

    /// The instruction at this position of the block that runs has accessed memory.
    #[inline(always)]
    fn access(&self, insn: u16, stores: bool, address: u64, size: u16) -> Event {
        let value = self.memory(address, size);
        let (known, value) = (value.is_some(), value.unwrap_or(0));
        Event::Access(Access { insn, stores, known, size, address, value })
    }

    /// Whether QEMU's description of an access says that it stores, and its bytes.
    ///
    /// # Safety
    /// It is QEMU's.
    unsafe fn described(&self, info: MemInfo) -> (bool, u16) {
        // SAFETY: the caller's promise.
        unsafe { ((self.api.mem_is_store)(info), 1 << (self.api.mem_size_shift)(info)) }
    }

    /// Writes down an event on a processor.
    fn write_down(&mut self, processor: c_uint, event: Event) {
        if self.processor != processor {
            self.catch_up();
            self.processor = processor;
            self.tick();
        } else if self.events.len() >= EVENTS {
            self.make_room();
            self.tick();
        }
        self.events.push(event);
    }

    /// Hands most of the events over.
    fn make_room(&mut self) {
        let thread = self.thread(self.processor);
        let taken = self.tracer.as_mut().map_or(EVENTS, |tracer| tracer.take_most(thread, &self.events));
        self.events.drain(..taken.min(self.events.len()));
    }

    fn tick(&mut self) {
        self.ticks += 1;
        if self.ticks >= TICK {
            self.ticks = 0;
            self.look_at_clock();
        }
    }

    /// A function has been called that begins (0) or ends (1) the recording.
    fn called_moment(&mut self, moment: usize) {
        self.calls[moment] += 1;
        let wanted = if moment == 0 { &self.config.from } else { &self.config.to };
        if matches!(wanted, Some(Moment::Call(_, n)) if *n == self.calls[moment]) {
            self.reach(moment);
        }
    }

    /// The moment has come that begins (0) or ends (1) the recording; the other one is over then, if it comes later.
    fn reach(&mut self, moment: usize) {
        self.catch_up();
        self.reached[moment] = true;
        let on = self.reached[0] && !self.reached[1];
        if let Some(tracer) = &mut self.tracer {
            tracer.record(on);
        }
    }

    #[cold]
    fn look_at_clock(&mut self) {
        let passed = self.start.elapsed();
        for (moment, wanted) in [&self.config.from, &self.config.to].map(Clone::clone).into_iter().enumerate()
        {
            let due = matches!(wanted, Some(Moment::Time(at)) if passed >= Duration::from_millis(at));
            if due && !self.reached[moment] {
                self.reach(moment);
            }
        }
        if self.config.progress && passed >= self.next_progress {
            self.next_progress = passed + PROGRESS;
            self.tell_progress();
        }
        if self.config.timeout > 0 && passed >= Duration::from_secs(self.config.timeout) && self.is_original()
        {
            // Whoever waits for us shall be patient; without the file it only is less so.
            let _ = std::fs::write(self.config.writing(), "");
            self.write(|profile| profile.program.ended = trace::profile::Ended::Timeout);
            // SAFETY: ends the process; nothing is to be cleaned up.
            unsafe { libc::_exit(TIMED_OUT) };
        }
        if passed >= self.next_checkpoint && self.is_original() {
            self.next_checkpoint *= 2;
            self.checkpoint(false, |profile| {
                profile.warn(
                    "incomplete",
                    "the program was killed: this is what was known at the last checkpoint",
                );
            });
        }
    }

    fn tell_progress(&self) {
        let Some(tracer) = self.tracer.as_ref().filter(|_| self.is_original()) else { return };
        // Nobody is hurt if it cannot be written.
        let _ =
            std::fs::write(self.config.progress_file(), format!("{} {}", tracer.events(), tracer.nests()));
    }

    /// Whether this is not a child that the program has forked.
    fn is_original(&self) -> bool {
        std::process::id() == self.process
    }

    /// Writes a profile of what has happened so far, in a copy of the process.
    fn checkpoint(&mut self, wait: bool, note: impl FnOnce(&mut Profile)) {
        // SAFETY: a plain copy of the process that raises no signal when it ends, so the program does not notice. The
        // copy only folds what it has, writes a file and ends.
        unsafe {
            libc::waitpid(-1, std::ptr::null_mut(), libc::__WCLONE | libc::WNOHANG);
            let child = libc::syscall(libc::SYS_clone, 0, 0, 0, 0, 0);
            if child == 0 {
                self.write(note);
                libc::_exit(0);
            }
            if wait && child > 0 {
                libc::waitpid(child as i32, std::ptr::null_mut(), libc::__WCLONE);
            }
        }
    }

    /// Ends the analysis and writes the profile.
    fn write(&mut self, note: impl FnOnce(&mut Profile)) {
        self.catch_up();
        let Some(tracer) = self.tracer.take() else { return };
        let mut profile = tracer.finish();
        self.relocate(&mut profile);
        profile.collection.seconds = self.start.elapsed().as_secs_f64();
        if self.registers.is_some() {
            profile.collection.values = "read".to_owned();
        }
        if !self.reached[0] {
            profile.warn("window", "the moment given with --from never came: nothing was recorded");
        } else if self.config.to.is_some() && !self.reached[1] {
            profile.warn("window", "the moment given with --to never came: it was recorded to the end");
        }
        for name in self.modules.lock().iter().flat_map(|modules| modules.missing()) {
            profile.warn("only", format!("no function is called {name}, so nothing of it was recorded"));
        }
        if self.forked {
            profile.warn("fork", "the program has forked; only the first process was observed");
        }
        note(&mut profile);
        let output = &self.config.output;
        let part = output.with_extension(format!("part{}", std::process::id()));
        let written = std::fs::write(&part, profile.to_json()).and_then(|()| std::fs::rename(&part, output));
        if let Err(error) = written {
            eprintln!("orthant: cannot write {}: {error}", output.display());
        }
    }

    /// Addresses of the process to addresses in files.
    fn relocate(&self, profile: &mut Profile) {
        let Ok(modules) = self.modules.lock() else { return };
        let files = modules.files();
        for address in profile.addresses_mut() {
            if let Some(module) = modules.at(address.offset) {
                address.file = files.iter().position(|file| *file == module.path).unwrap_or(0) as u32;
                address.offset = address.offset.wrapping_sub(module.bias);
            }
        }
        profile.collection.instrumented = files.iter().map(|file| file.display().to_string()).collect();
    }
}

unsafe extern "C" fn on_translate(_: Id, tb: Tb) {
    with(|state| state.translate(tb));
}

unsafe extern "C" fn on_exec(processor: c_uint, block: *mut c_void) {
    note(processor, |_| Event::Exec { block: block as usize as u32 });
}

unsafe extern "C" fn on_result(processor: c_uint, number: *mut c_void) {
    let (insn, register) = (number as usize as u16, (number as usize >> POSITION_BITS) as u8);
    with(|state| {
        if let Some(found) = state.registers.as_ref().and_then(|registers| registers.general(register)) {
            state.write_down(processor, Event::Result { insn, register, found });
        }
    });
}

unsafe extern "C" fn on_moment(_: c_uint, moment: *mut c_void) {
    with(|state| state.called_moment(moment as usize));
}

unsafe extern "C" fn on_access(processor: c_uint, info: MemInfo, address: u64, insn: *mut c_void) {
    note(processor, |state| {
        // SAFETY: QEMU's description of this access.
        let (stores, size) = unsafe { state.described(info) };
        state.access(insn as usize as u16, stores, address, size)
    });
}

unsafe extern "C" fn on_plain<const SIZE: u16, const STORES: bool>(
    processor: c_uint,
    _: MemInfo,
    address: u64,
    insn: *mut c_void,
) {
    note(processor, |state| state.access(insn as usize as u16, STORES, address, SIZE));
}

unsafe extern "C" fn on_foreign_exec(processor: c_uint, number: *mut c_void) {
    note(processor, |_| Event::ForeignExec { code: number as usize as u32 });
}

unsafe extern "C" fn on_foreign_access(processor: c_uint, info: MemInfo, address: u64, _: *mut c_void) {
    note(processor, |state| {
        // SAFETY: QEMU's description of this access.
        let (stores, size) = unsafe { state.described(info) };
        Event::ForeignAccess { stores, size, address }
    });
}

unsafe extern "C" fn on_init(_: Id, processor: c_uint) {
    with(|state| {
        if state.registers.is_none() && !state.config.survey {
            state.registers = Registers::find();
        }
        match state.started {
            0 => state.processor = processor,
            _ => SEVERAL_THREADS.store(true, Ordering::SeqCst),
        }
        let processor = processor as usize;
        if state.threads.len() <= processor {
            state.threads.resize(processor + 1, 0);
        }
        state.threads[processor] = state.started;
        state.started += 1;
    });
}

const SYS_CLONE: i64 = 56;
const SYS_FORK: i64 = 57;
const SYS_VFORK: i64 = 58;
const SYS_EXECVE: i64 = 59;
const SYS_EXECVEAT: i64 = 322;

#[allow(clippy::too_many_arguments)] // QEMU's interface
unsafe extern "C" fn on_syscall(
    _: Id,
    _: c_uint,
    number: i64,
    flags: u64,
    _: u64,
    _: u64,
    _: u64,
    _: u64,
    _: u64,
    _: u64,
    _: u64,
) {
    with(State::catch_up);
    let thread = number == SYS_CLONE && flags & libc::CLONE_THREAD as u64 != 0;
    match number {
        SYS_CLONE | SYS_FORK | SYS_VFORK if !thread => with(|state| state.forked = true),
        SYS_EXECVE | SYS_EXECVEAT => with(|state| {
            if state.is_original() {
                state.checkpoint(true, |profile| {
                    profile.warn(
                        "exec",
                        "the program replaced itself by another (exec), which was not observed; profile that one",
                    );
                });
            }
        }),
        _ => {}
    }
}

unsafe extern "C" fn on_exit(_: Id, _: *mut c_void) {
    with(|state| {
        if state.is_original() {
            state.write(|_| {});
        }
    });
}

/// Stands before the C library's `kill` in QEMU, which is started with this library preloaded: QEMU ends a program that dies
/// of a signal by sending itself that signal, without calling plugins. The profile is written first.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kill(process: libc::pid_t, signal: c_int) -> c_int {
    if process == std::process::id() as libc::pid_t && signal != 0 {
        with(|state| {
            if state.is_original() {
                let _ = std::fs::write(state.config.writing(), "");
                state.checkpoint(true, |_| {});
            }
        });
    }
    // SAFETY: what the C library does.
    unsafe { libc::syscall(libc::SYS_kill, process, signal) as c_int }
}

/// The version of the interface that this plugin speaks, which QEMU reads before it calls anything. What is used here has
/// not changed between the versions, so it is the one that QEMU expects (`choose_version`).
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals)] // QEMU's name
pub static mut qemu_plugin_version: c_int = 1;

#[used]
#[unsafe(link_section = ".init_array")]
static CHOOSE_VERSION: extern "C" fn() = choose_version;

extern "C" fn choose_version() {
    if crate::api::is_modern() {
        // SAFETY: runs when the library is loaded, before anybody reads it.
        unsafe { qemu_plugin_version = 2 };
    }
}

/// QEMU's entry point.
///
/// # Safety
/// QEMU calls it with valid pointers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qemu_plugin_install(
    id: Id,
    info: *const Info,
    argc: c_int,
    argv: *const *const c_char,
) -> c_int {
    // SAFETY: QEMU's arguments are valid strings.
    let arguments: Vec<String> = unsafe {
        (0..argc.max(0) as usize)
            .map(|n| CStr::from_ptr(*argv.add(n)).to_string_lossy().into_owned())
            .collect()
    };
    // SAFETY: QEMU's description of itself.
    let system = unsafe { (*info).system_emulation };
    match catch_unwind(|| install(id, system, &arguments)) {
        Ok(Ok(())) => 0,
        Ok(Err(message)) => {
            eprintln!("orthant: error: {message}");
            1
        }
        Err(_) => 1,
    }
}

fn install(id: Id, system: bool, arguments: &[String]) -> Result<(), String> {
    if system {
        return Err("this plugin observes programs (qemu-x86_64), not whole machines".to_owned());
    }
    let file = arguments.iter().find_map(|a| a.strip_prefix("config="));
    let file = file.ok_or("the plugin needs config=FILE; run it through `orthant profile`")?;
    let text = std::fs::read_to_string(file).map_err(|error| format!("cannot read {file}: {error}"))?;
    let config: Config = serde_json::from_str(&text).map_err(|error| format!("{file}: {error}"))?;
    let api = Api::find().map_err(|name| format!("this QEMU has no {name}"))?;
    let state = State::new(api, config);
    let (register_trans, register_exit, register_init, register_syscall) = (
        state.api.register_trans,
        state.api.register_exit,
        state.api.register_init,
        state.api.register_syscall,
    );
    // SAFETY: no callback is registered yet, so nobody uses the state.
    unsafe { *STATE.0.get() = Some(Box::new(state)) };
    // SAFETY: the callbacks have the types that QEMU expects, and live as long as the plugin.
    unsafe {
        register_init(id, on_init);
        register_trans(id, on_translate);
        register_syscall(id, on_syscall);
        register_exit(id, on_exit, std::ptr::null_mut());
    }
    Ok(())
}

impl State {
    fn new(api: Api, config: Config) -> State {
        let selection = Selection {
            program: config.program.clone(),
            libraries: config.libraries.clone(),
            functions: config.functions.clone(),
            moments: [&config.from, &config.to].map(|moment| match moment {
                Some(Moment::Call(function, _)) => Some(function.clone()),
                _ => None,
            }),
        };
        let modules = Arc::new(Mutex::new(Modules::new(selection)));
        let defaults = Options::default();
        let options = Options {
            survey: config.survey,
            mode: Mode::parse(&config.mode).unwrap_or_default(),
            paper: config.paper,
            steady: !config.plain,
            memory_dependences: config.memory_dependences,
            max_bytes: if config.max_bytes > 0 { config.max_bytes } else { defaults.max_bytes },
            results: decode::results(),
            volatile: decode::VOLATILE.to_vec(),
            ..defaults
        };
        let code = Guest::new(Memory(Arc::clone(&modules)));
        let mut tracer = Tracer::new(Box::new(code), options);
        let (later, first) = (config.from.is_some(), config.checkpoint);
        let first = if first > 0 { first } else { FIRST_CHECKPOINT };
        if later {
            tracer.record(false);
        }
        State {
            api,
            registers: None,
            config,
            tracer: Some(tracer),
            events: Vec::with_capacity(EVENTS),
            processor: 0,
            guest: Guest::new(Memory(Arc::clone(&modules))),
            modules,
            targets: Targets::default(),
            factory: InstructionInfoFactory::new(),
            blocks: HashMap::new(),
            guest_base: None,
            threads: Vec::new(),
            started: 0,
            ticks: 0,
            start: Instant::now(),
            next_checkpoint: Duration::from_secs(first),
            next_progress: PROGRESS,
            process: std::process::id(),
            forked: false,
            calls: [0; 2],
            reached: [!later, false],
        }
    }
}
