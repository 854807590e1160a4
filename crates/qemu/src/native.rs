//! A survey without an emulator: the program runs at its own speed and is looked at once per millisecond.
//!
//! The program is started under `ptrace`, as a debugger would. Threads that are running (not waiting) are stopped for some
//! microseconds, their stack is read (`unwind`), and they go on. Nothing in the program changes; signals, threads and
//! children are its own. What comes out is a [`Profile`] of samples: which loops the time goes to, in which calling contexts, but not how
//! often they repeat.

use crate::lookahead::Lookahead;
use crate::run::{Problem, Request, finish_profile};
use crate::unwind::{Frame, Images, Registers};
use libc::{c_int, pid_t};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Command, ExitStatus};
use std::rc::Rc;
use std::time::{Duration, Instant};
use trace::profile::Ended;
use trace::sampled::Called;
use trace::{Options, Profile, Tracer};

/// Time between samples.
const PERIOD: Duration = Duration::from_millis(1);

/// How a surveyed run went.
pub struct Surveyed {
    /// The exit status.
    pub status: ExitStatus,
    /// What was seen.
    pub profile: Profile,
}

/// Runs a program at its own speed and samples it. An error if it cannot be started, or not be watched.
pub fn survey(request: &Request, command: &mut Command) -> Result<Surveyed, Problem> {
    let failed = |what: &str, error: io::Error| {
        Problem::NoProfile(
            format!("{what} {}: {error}", request.program.display()),
            "--survey=count counts with QEMU instead; --once leaves the survey out".to_owned(),
        )
    };
    let start = Instant::now();
    let mut session = Session::start(request, command).map_err(|e| failed("cannot watch", e))?;
    let timeout = Duration::from_secs(request.config.timeout);
    while session.status.is_none() {
        std::thread::sleep(PERIOD);
        session.step().map_err(|e| failed("lost sight of", e))?;
        if request.config.timeout > 0 && start.elapsed() >= timeout && !session.late {
            session.late = true;
            // SAFETY: our own child, which has not been waited for.
            unsafe { libc::kill(session.process, libc::SIGKILL) };
        }
    }
    let (late, status) = (session.late, ExitStatus::from_raw(session.status.unwrap_or(0)));
    let mut profile = session.profile();
    profile.collection.seconds = start.elapsed().as_secs_f64();
    profile.program.ended = if late { Ended::Timeout } else { Ended::Unknown };
    finish_profile(&mut profile, request, status, late);
    Ok(Surveyed { status, profile })
}

/// A thread of the program.
#[derive(Default)]
struct Thread {
    number: usize,
    /// We have asked it to stop and have not seen it stop.
    asked: bool,
    /// It has stopped for the first time, as new threads do.
    begun: bool,
}

struct Session {
    process: pid_t,
    threads: BTreeMap<pid_t, Thread>,
    started: usize,
    images: Rc<RefCell<Images>>,
    tracer: Tracer,
    status: Option<c_int>,
    replaced: bool,
    late: bool,
}

fn checked(result: libc::c_long) -> io::Result<libc::c_long> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

/// `ptrace` with plain numbers.
fn trace(request: libc::c_uint, thread: pid_t, data: u64) -> io::Result<()> {
    // SAFETY: requests whose arguments are numbers.
    checked(unsafe { libc::ptrace(request, thread, 0, data) }).map(drop)
}

fn wait_for(thread: pid_t, options: c_int) -> io::Result<Option<(pid_t, c_int)>> {
    let mut status = 0;
    // SAFETY: the status is written to a local variable.
    let found =
        checked(libc::c_long::from(unsafe { libc::waitpid(thread, &mut status, options | libc::__WALL) }))?;
    Ok((found != 0).then_some((found as pid_t, status)))
}

impl Session {
    fn start(request: &Request, command: &mut Command) -> io::Result<Session> {
        let watched = || trace(libc::PTRACE_TRACEME, 0, 0);
        // SAFETY: one system call between fork and exec.
        unsafe { command.pre_exec(watched) };
        let process = command.spawn()?.id() as pid_t;
        wait_for(process, 0)?;
        let options = libc::PTRACE_O_TRACECLONE | libc::PTRACE_O_TRACEEXEC | libc::PTRACE_O_EXITKILL;
        trace(libc::PTRACE_SETOPTIONS, process, options as u64)?;
        let program = request.program.canonicalize()?;
        let images = Rc::new(RefCell::new(Images::new(program, request.config.libraries.clone())));
        let code = Lookahead::new(Rc::clone(&images));
        let tracer = Tracer::new(Box::new(code), Options { survey: true, ..Options::default() });
        let first = Thread { number: 0, asked: false, begun: true };
        let threads = BTreeMap::from([(process, first)]);
        trace(libc::PTRACE_CONT, process, 0)?;
        Ok(Session {
            process,
            threads,
            started: 1,
            images,
            tracer,
            status: None,
            replaced: false,
            late: false,
        })
    }

    /// Handles what has happened, and takes a sample of each running thread.
    fn step(&mut self) -> io::Result<()> {
        while self.status.is_none()
            && let Some((thread, status)) = wait_for(-1, libc::WNOHANG)?
        {
            self.event(thread, status);
        }
        let running: Vec<pid_t> = self.threads.keys().copied().filter(|t| self.is_running(*t)).collect();
        for thread in running {
            if self.status.is_some() || self.replaced {
                break;
            }
            self.look_at(thread)?;
        }
        Ok(())
    }

    /// Whether the thread is on a processor or wants to be; one that waits is left alone.
    fn is_running(&self, thread: pid_t) -> bool {
        let stat = std::fs::read_to_string(format!("/proc/{}/task/{thread}/stat", self.process));
        stat.is_ok_and(|text| text.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('R')))
    }

    fn look_at(&mut self, thread: pid_t) -> io::Result<()> {
        let Some(known) = self.threads.get_mut(&thread).filter(|t| t.begun && !t.asked) else {
            return Ok(());
        };
        known.asked = true;
        // SAFETY: a signal to a thread of our child.
        unsafe { libc::syscall(libc::SYS_tgkill, self.process, thread, libc::SIGSTOP) };
        // It stops at once, or something else has happened to it first.
        if let Some((thread, status)) = wait_for(thread, 0)? {
            self.event(thread, status);
        }
        Ok(())
    }

    fn event(&mut self, thread: pid_t, status: c_int) {
        if libc::WIFEXITED(status) || libc::WIFSIGNALED(status) {
            self.threads.remove(&thread);
            if thread == self.process {
                self.status = Some(status);
            }
            return;
        }
        let signal = libc::WSTOPSIG(status);
        let deliver = match status >> 16 {
            libc::PTRACE_EVENT_CLONE => self.cloned(thread),
            libc::PTRACE_EVENT_EXEC => {
                self.replaced = true;
                0
            }
            _ if signal == libc::SIGTRAP => 0,
            _ if signal == libc::SIGSTOP => self.stopped(thread),
            _ => signal,
        };
        // A thread that has gone meanwhile is reported by the next wait.
        let _ = trace(libc::PTRACE_CONT, thread, deliver as u64);
    }

    fn cloned(&mut self, parent: pid_t) -> c_int {
        let mut new: libc::c_ulong = 0;
        // SAFETY: the number of the new thread is written to a local variable.
        unsafe { libc::ptrace(libc::PTRACE_GETEVENTMSG, parent, 0, &mut new) };
        self.thread(new as pid_t);
        0
    }

    fn thread(&mut self, thread: pid_t) -> &mut Thread {
        let started = &mut self.started;
        self.threads.entry(thread).or_insert_with(|| {
            *started += 1;
            Thread { number: *started - 1, ..Thread::default() }
        })
    }

    /// A thread stands still: because it is new, because we asked it to, or because somebody else did.
    fn stopped(&mut self, thread: pid_t) -> c_int {
        let known = self.thread(thread);
        if !known.begun {
            known.begun = true;
            return 0;
        }
        if !std::mem::take(&mut known.asked) {
            return libc::SIGSTOP;
        }
        let number = known.number;
        if !self.replaced {
            self.sample(thread, number);
        }
        0
    }

    fn sample(&mut self, thread: pid_t, number: usize) {
        // SAFETY: plain numbers; all zeros are valid.
        let mut registers: libc::user_regs_struct = unsafe { std::mem::zeroed() };
        // SAFETY: the registers are written to a local variable of their type.
        if unsafe { libc::ptrace(libc::PTRACE_GETREGS, thread, 0, &mut registers) } < 0 {
            return;
        }
        let registers = Registers { pc: registers.rip, sp: registers.rsp, bp: registers.rbp };
        if self.images.borrow().at(registers.pc).is_none()
            && let Ok(maps) = std::fs::read_to_string(format!("/proc/{}/maps", self.process))
        {
            self.images.borrow_mut().update(&maps);
        }
        let Ok(memory) = File::open(format!("/proc/{}/mem", self.process)) else { return };
        let read = |address: u64| {
            use std::os::unix::fs::FileExt as _;
            let mut bytes = [0; 8];
            memory.read_exact_at(&mut bytes, address).ok().map(|()| u64::from_le_bytes(bytes))
        };
        let frames = self.images.borrow().stack(registers, &read);
        self.tracer.sample(number, &calls(&frames));
    }

    fn profile(self) -> Profile {
        let mut profile = self.tracer.finish();
        let images = self.images.borrow();
        let described = || images.list.iter().filter(|image| image.described);
        for address in profile.addresses_mut() {
            if let Some(image) = images.at(address.offset) {
                address.file = described().position(|d| d.path == image.path).unwrap_or(0) as u32;
                address.offset = address.offset.wrapping_sub(image.bias);
            }
        }
        profile.collection.instrumented = described().map(|image| image.path.display().to_string()).collect();
        profile.collection.sampled = true;
        profile.collection.emulator = "none: sampled while it ran".to_owned();
        if self.replaced {
            profile.warn(
                "exec",
                "the program replaced itself by another (exec), which was not observed; profile that one",
            );
        }
        profile
    }
}

/// The calls of described functions, outermost first.
fn calls(frames: &[Frame]) -> Vec<Called> {
    let mut calls: Vec<Called> = Vec::new();
    for frame in frames.iter().rev() {
        let Some(entry) = frame.entry else { continue };
        let site = calls.last().map_or(0, |caller| caller.at);
        calls.push(Called { entry, site, at: frame.at });
    }
    calls
}
