//! Running a program under QEMU with the plugin.
//!
//! Before anything runs, the program is checked (a file, executable, x86-64) and QEMU is asked whether it can load plugins,
//! so that what goes wrong is said in the user's terms. The program's input, output and exit status are its own.

use crate::config::{Config, TIMED_OUT};
use crate::interrupt::Watch;
use crate::symbols;
use object::read::elf::ElfFile64;
use object::{Architecture, Object};
use std::ffi::OsString;
use std::fmt;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use trace::Profile;
use trace::profile::Ended;

/// Why a program cannot be profiled, or was not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// Something that should have been installed: what, and what to do.
    Missing(String, String),
    /// The program is not one that can be observed: why, and what to do.
    Unfit(String, String),
    /// It ran, but there is no profile: why, and what to do.
    NoProfile(String, String),
}

impl Problem {
    /// What to do about it.
    pub fn remedy(&self) -> &str {
        match self {
            Problem::Missing(_, remedy) | Problem::Unfit(_, remedy) | Problem::NoProfile(_, remedy) => remedy,
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Missing(what, _) | Problem::Unfit(what, _) | Problem::NoProfile(what, _) => {
                f.write_str(what)
            }
        }
    }
}

/// What to run.
#[derive(Debug, Clone)]
pub struct Request {
    /// `qemu-x86_64`.
    pub qemu: PathBuf,
    /// The plugin.
    pub plugin: PathBuf,
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// A folder for temporary files.
    pub scratch: PathBuf,
    /// Whether the program's output is thrown away.
    pub quiet: bool,
    /// Settings; `program` and `output` are filled in here.
    pub config: Config,
    /// Called now and then with events and nests so far, if the settings ask for progress.
    pub progress: fn(u64, u64),
}

/// How a run went.
#[derive(Debug)]
pub struct Outcome {
    /// The exit status as a shell would report it.
    pub code: u8,
    /// The profile, or why there is none.
    pub profile: Result<Profile, Problem>,
}

/// Checks that a file is a program that can be observed.
pub fn check_program(program: &Path) -> Result<(), Problem> {
    let name = program.display();
    let unfit = |what: String, remedy: &str| Err(Problem::Unfit(what, remedy.to_owned()));
    let bytes = match std::fs::read(program) {
        Ok(bytes) => bytes,
        Err(error) => return unfit(format!("cannot read {name}: {error}"), "name the program as in ./app"),
    };
    if bytes.starts_with(b"#!") {
        return unfit(
            format!("{name} is a script, not a program of machine code"),
            "profile the interpreter with the script as its argument",
        );
    }
    let Ok(file) = object::File::parse(&*bytes) else {
        return unfit(format!("{name} is not an ELF program"), "give a Linux program for x86-64");
    };
    if file.architecture() != Architecture::X86_64 || ElfFile64::<object::Endianness>::parse(&*bytes).is_err()
    {
        let what = format!("{name} is a program for {:?}", file.architecture());
        return unfit(what, "only x86-64 programs can be profiled: build it for x86-64");
    }
    if !matches!(file.kind(), object::ObjectKind::Executable | object::ObjectKind::Dynamic) {
        return unfit(format!("{name} is not a linked program"), "link it first");
    }
    Ok(())
}

/// Asks QEMU for its version; an error if it cannot load plugins.
pub fn check_qemu(qemu: &Path) -> Result<String, Problem> {
    let ask = |argument: &str| {
        let answer = Command::new(qemu).arg(argument).output();
        answer.map(|a| String::from_utf8_lossy(&a.stdout).into_owned()).map_err(|error| {
            Problem::Missing(
                format!("cannot run {}: {error}", qemu.display()),
                "apt-get install qemu-user, or set ORTHANT_QEMU".to_owned(),
            )
        })
    };
    if !ask("--help")?.contains("-plugin") {
        return Err(Problem::Missing(
            format!("{} cannot load plugins", qemu.display()),
            "set ORTHANT_QEMU to a qemu-x86_64 built with --enable-plugins; Debian 12's qemu-user is"
                .to_owned(),
        ));
    }
    Ok(ask("--version")?.lines().next().unwrap_or("qemu").to_owned())
}

/// Runs a program to its end, and reads its profile.
pub fn run(request: &Request) -> Result<Outcome, Problem> {
    check_program(&request.program)?;
    let emulator = check_qemu(&request.qemu)?;
    let failed = |what: &str, error: std::io::Error| {
        Problem::NoProfile(format!("{what}: {error}"), "check the folder for temporary files".to_owned())
    };
    let program = request.program.canonicalize().map_err(|e| failed("cannot find the program", e))?;
    let output = request.scratch.join("profile.json");
    let settings = request.scratch.join("config.json");
    let config = Config { program, output: output.clone(), ..request.config.clone() };
    let text = serde_json::to_string(&config).unwrap_or_default();
    std::fs::write(&settings, text).map_err(|e| failed("cannot write the plugin's settings", e))?;
    let mut command = Command::new(&request.qemu);
    // A comma ends the file name for QEMU; two are one.
    let quoted = |path: &Path| path.to_string_lossy().replace(',', ",,");
    command.arg("-plugin").arg(format!("{},config={}", quoted(&request.plugin), quoted(&settings)));
    // Otherwise the first call of each library function would be one of the dynamic linker.
    command.args(["-E", "LD_BIND_NOW=1"]);
    // The plugin has a word in how QEMU ends; what the program itself is to preload stays.
    match std::env::var_os("LD_PRELOAD") {
        Some(own) => command
            .arg("-E")
            .arg([std::ffi::OsStr::new("LD_PRELOAD="), &own].into_iter().collect::<OsString>()),
        None => command.args(["-U", "LD_PRELOAD"]),
    };
    command.env("LD_PRELOAD", &request.plugin);
    command.arg(&request.program).args(&request.arguments);
    if request.quiet {
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    }
    let start = Instant::now();
    let mut child = command.spawn().map_err(|e| failed("cannot run QEMU", e))?;
    let (status, late) = wait(&mut child, &config, || tell(request, &config))
        .map_err(|e| failed("cannot wait for QEMU", e))?;
    let profile = read(&output, &request.program, status, late).map(|mut profile| {
        name_program(&mut profile, request);
        profile.collection.emulator = emulator;
        profile.collection.seconds = start.elapsed().as_secs_f64();
        symbols::resolve(&mut profile);
        profile
    });
    Ok(Outcome { code: code(status), profile })
}

/// Hands on what the plugin has last said about its progress.
fn tell(request: &Request, config: &Config) {
    if !config.progress {
        return;
    }
    let text = std::fs::read_to_string(config.progress_file()).unwrap_or_default();
    let numbers: Vec<u64> = text.split(' ').filter_map(|word| word.parse().ok()).collect();
    if let [events, nests] = numbers[..] {
        (request.progress)(events, nests);
    }
}

/// How long after its time the program may go on until it is asked to end, and then until it is killed.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long the plugin may take to write what it knows.
const WRITING: Duration = Duration::from_secs(300);

/// How long the program may take to end by itself when Orthant is asked to end.
const BRIEFLY: Duration = Duration::from_millis(300);

/// Waits for the program. The plugin itself ends it when its time is up; one that sleeps then is asked to end, which the plugin sees too,
/// and one that does not is killed. While the plugin writes its profile it is left alone ([`Config::writing`]). If Orthant is asked
/// to end, so is the program. Returns its status, and whether its time was up.
fn wait(child: &mut Child, config: &Config, mut each: impl FnMut()) -> std::io::Result<(ExitStatus, bool)> {
    let watch = Watch::start();
    let time = Duration::from_secs(config.timeout);
    let mut deadline = (config.timeout > 0).then(|| Instant::now() + time + PATIENCE);
    let (mut asked, mut interrupted) = (false, false);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok((status, asked && !interrupted));
        }
        each();
        if watch.caught() && !interrupted {
            interrupted = true;
            deadline = Some(Instant::now() + BRIEFLY);
        }
        let writing = config.writing().exists();
        let left = if writing { WRITING } else { Duration::ZERO };
        if deadline.is_some_and(|deadline| Instant::now() > deadline + left) {
            if asked || writing {
                child.kill()?;
                return Ok((child.wait()?, !interrupted));
            }
            asked = true;
            deadline = Some(Instant::now() + PATIENCE);
            // SAFETY: a signal to our own child, which has not been waited for.
            unsafe { libc::kill(child.id() as libc::pid_t, libc::SIGTERM) };
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The status as a shell reports it.
pub fn code(status: ExitStatus) -> u8 {
    let signal = status.signal().map(|signal| 128 + signal);
    status.code().or(signal).unwrap_or(1).clamp(0, 255) as u8
}

fn read(output: &Path, program: &Path, status: ExitStatus, late: bool) -> Result<Profile, Problem> {
    let no_profile = |why: String| {
        Problem::NoProfile(
            format!("there is no profile of {}: {why}", program.display()),
            "a program that ends within moments by exec or SIGKILL leaves none; otherwise this is a fault of Orthant"
                .to_owned(),
        )
    };
    let text = std::fs::read_to_string(output).map_err(|_| no_profile(ended(status)))?;
    let mut profile = Profile::from_json(&text).map_err(no_profile)?;
    let late = late || profile.program.ended == Ended::Timeout && status.code() == Some(TIMED_OUT);
    note_end(&mut profile, status, late);
    Ok(profile)
}

/// Puts down how the program ended.
fn note_end(profile: &mut Profile, status: ExitStatus, timed_out: bool) {
    profile.program.ended = match (status.code(), status.signal()) {
        _ if timed_out => Ended::Timeout,
        (Some(code), _) => Ended::Exit(code),
        (_, Some(signal)) => Ended::Signal(signal),
        _ => Ended::Unknown,
    };
    let ended = profile.program.ended.clone();
    match ended {
        Ended::Timeout => profile.warn(
            "timeout",
            "the program ran longer than --timeout allows and was stopped; this is what happened until then",
        ),
        Ended::Signal(signal) => profile.warn(
            "crash",
            format!("the program was ended by signal {signal}; this is what happened until then"),
        ),
        Ended::Exit(_) | Ended::Unknown => {}
    }
}

/// Completes a profile that was made in this process.
pub(crate) fn finish_profile(profile: &mut Profile, request: &Request, status: ExitStatus, late: bool) {
    note_end(profile, status, late);
    name_program(profile, request);
    symbols::resolve(profile);
}

fn name_program(profile: &mut Profile, request: &Request) {
    profile.program.path = request.program.display().to_string();
    profile.program.arguments = request.arguments.iter().map(|a| a.to_string_lossy().into_owned()).collect();
}

fn ended(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("it ended with status {code} and left nothing behind"),
        (_, Some(signal)) => format!("it was ended by signal {signal} and left nothing behind"),
        _ => "it left nothing behind".to_owned(),
    }
}
