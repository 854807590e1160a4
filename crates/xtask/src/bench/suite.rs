//! `cargo xtask bench suite`: the kernel suite, built by everyone, run in turn, compared bit by bit.
//!
//! For each kernel and shape every peer's build is made once, then all are run in turn, as often as asked for; who
//! goes first changes from round to round. Only the kernel object differs between the builds. Each run's
//! checksum (over the bits of all arrays) must be clang's: otherwise the build is WRONG, and so is the exit code.
//!
//! How fast a few nanoseconds' work is depends on where its code lies: the same instructions take half as long again at another
//! address. With `--placements` each program is linked several times, its kernel 16 bytes further on each time, run in turn, and times are
//! compared by rank: the fastest with the fastest.

use super::peers::{self, Peer, Setting, Who};
use super::suite_kernels::{self as kernels, Kernel, Line, Shape, Size};
use super::table::{self, Clock, Row, Side, State};
use super::{Request, chart, measure, suite_coverage, suite_scalars};
use crate::workspace::{Profile, Workspace};
use crate::{Failure, Outcome, command, setup};
use clap::{Arg, ArgAction, ArgMatches, value_parser};
use serde_json::{Value, json};
use std::fs;
use std::io::{IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What the command line says about the suite.
pub struct Options {
    kernels: Vec<String>,
    filter: Option<String>,
    pub(super) size: Size,
    shapes: Vec<Shape>,
    threads: u32,
    placements: usize,
    peers: Vec<String>,
    pub(super) contract: String,
    pub(super) cflags: Vec<String>,
    pub(super) options: Vec<String>,
    pub(super) plugin: Option<PathBuf>,
    coverage: bool,
    scalars: bool,
    pub(super) unchecked: Option<PathBuf>,
    pub(super) alone: bool,
    pub(super) instructions: bool,
    pub(super) seconds: f64,
    pub(super) timeout: Duration,
}

/// The suite's part of the command line.
pub fn arguments() -> Vec<Arg> {
    let option = |name: &'static str, value: &'static str| Arg::new(name).long(name).value_name(value);
    let list = |name, value| option(name, value).value_delimiter(',').action(ArgAction::Append);
    let shapes = Shape::ALL.map(Shape::name);
    vec![
        list("kernels", "NAMES").help("suite: only these kernels, as gemm,fdtd-2d"),
        option("filter", "TEXT")
            .help("suite: only kernels whose name contains TEXT; `list` is the 30 of PolyBench"),
        option("size", "SIZE")
            .default_value("large")
            .value_parser(Size::parse)
            .help("suite: mini, small, medium, large, xlarge, or a number for all dimensions"),
        list("shape", "SHAPES").value_parser(shapes).help("suite: only these shapes [default: all four]"),
        option("threads", "N")
            .value_parser(value_parser!(u32).range(1..=1024))
            .default_value("1")
            .help("suite: threads that the programs may use"),
        option("placements", "N").value_parser(value_parser!(u8).range(1..=4)).default_value("1").help(
            "suite: link each program N times, its kernel at N different addresses, and run them in turn",
        ),
        list("peers", "NAMES").value_parser(peers::KEYS).help(
            "suite: compare only these [default: all that are found, without orthant-late, orthant-alone and tiled]",
        ),
        option("contract", "WHEN")
            .value_parser(["off", "on"])
            .default_value("off")
            .help("suite: fuse multiplications and additions; off is what all compilers agree on"),
        option("cflags", "FLAGS")
            .help("suite: further flags for every compiler, between spaces")
            .allow_hyphen_values(true),
        list("options", "NAME=VALUE").help("suite: options of Orthant's pass"),
        option("plugin", "FILE")
            .value_parser(value_parser!(PathBuf))
            .help("suite: measure this liborthant.so, build none"),
        option("unchecked", "FILE")
            .value_parser(value_parser!(PathBuf))
            .help("checks: a plugin of which checks can be left out (--features drop-checks); build none"),
        Arg::new("alone")
            .long("alone")
            .action(ArgAction::SetTrue)
            .help("checks: measure the checks without the loops behind them"),
        Arg::new("instructions")
            .long("instructions")
            .action(ArgAction::SetTrue)
            .help("checks: count instructions with callgrind instead of measuring time"),
        option("seconds", "S")
            .value_parser(value_parser!(f64))
            .default_value("0.05")
            .help("suite: repeat a short kernel within a run for so long"),
        option("timeout", "S")
            .value_parser(value_parser!(u32).range(1..))
            .default_value("900")
            .help("suite: give a run up after so many seconds"),
        Arg::new("coverage")
            .long("coverage")
            .action(ArgAction::SetTrue)
            .help("suite: do not run, say what Orthant makes of each kernel"),
        Arg::new("scalars")
            .long("scalars")
            .action(ArgAction::SetTrue)
            .help("suite: do not run, say what becomes of each kernel's scalars at the late position"),
    ]
}

impl Options {
    /// From what clap parsed.
    pub fn from(m: &ArgMatches) -> Options {
        let texts = |id: &str| m.get_many::<String>(id).into_iter().flatten().cloned().collect::<Vec<_>>();
        let words =
            |id: &str| texts(id).iter().flat_map(|t| t.split_whitespace()).map(str::to_owned).collect();
        let shapes: Vec<_> = texts("shape").iter().filter_map(|name| Shape::named(name)).collect();
        Options {
            kernels: texts("kernels"),
            filter: m.get_one::<String>("filter").cloned(),
            size: m.get_one::<Size>("size").expect("has a default").clone(),
            shapes: if shapes.is_empty() { Shape::ALL.to_vec() } else { shapes },
            threads: *m.get_one("threads").expect("has a default"),
            placements: usize::from(*m.get_one::<u8>("placements").expect("has a default")),
            peers: texts("peers"),
            contract: m.get_one::<String>("contract").expect("has a default").clone(),
            cflags: words("cflags"),
            options: texts("options"),
            plugin: m.get_one::<PathBuf>("plugin").cloned(),
            coverage: m.get_flag("coverage"),
            scalars: m.get_flag("scalars"),
            unchecked: m.get_one::<PathBuf>("unchecked").cloned(),
            alone: m.get_flag("alone"),
            instructions: m.get_flag("instructions"),
            seconds: *m.get_one("seconds").expect("has a default"),
            timeout: Duration::from_secs(u64::from(*m.get_one::<u32>("timeout").expect("has a default"))),
        }
    }

    /// The kernels asked for, those of the list first.
    pub(super) fn choose(&self, all: Vec<Kernel>) -> Outcome<Vec<Kernel>> {
        if let Some(unknown) = self.kernels.iter().find(|name| all.iter().all(|kernel| kernel.name != **name))
        {
            let names: Vec<_> = all.iter().map(|kernel| kernel.name.as_str()).collect();
            return Err(Failure::Missing(format!("no kernel {unknown}; there are: {}", names.join(" "))));
        }
        let named = |kernel: &Kernel| self.kernels.is_empty() || self.kernels.contains(&kernel.name);
        let filtered = |kernel: &Kernel| match self.filter.as_deref() {
            None => true,
            Some("list") => kernel.is_polybench(),
            Some(text) => kernel.name.contains(text),
        };
        let mut chosen: Vec<_> = all.into_iter().filter(|kernel| named(kernel) && filtered(kernel)).collect();
        chosen.sort_by_key(|kernel| !kernel.is_polybench());
        match chosen.is_empty() {
            true => Err(Failure::Missing("no kernel has that name".to_owned())),
            false => Ok(chosen),
        }
    }
}

/// A peer that is not here: its key, and why.
type Absent = (&'static str, String);

/// Everything that stays the same during the benchmark.
struct Bench<'a> {
    options: &'a Options,
    request: &'a Request,
    peers: Vec<Peer>,
    missing: Vec<Absent>,
    /// Where objects and programs go.
    scratch: PathBuf,
    /// The harness's objects.
    harness: Vec<PathBuf>,
    /// What stands before the kernel's code, for each placement; nothing if there is one only.
    fillings: Vec<Option<PathBuf>>,
    clock: Clock,
    /// What is measured.
    commit: Option<String>,
}

/// Builds, runs, prints.
pub fn run(ws: &Workspace, request: &Request, options: &Options) -> Outcome {
    setup::ensure()?;
    let plugin = plugin(ws, options)?;
    let folder = kernels::folder(&ws.root);
    let chosen = options.choose(kernels::find(&folder).map_err(Failure::Failed)?)?;
    let scratch = ws.out_dir(Profile::Release)?.join("bench").join("suite");
    fs::create_dir_all(&scratch).map_err(|e| Failure::failed(format!("{}: {e}", scratch.display())))?;
    let setting = Setting {
        contract: &options.contract,
        threads: options.threads,
        cflags: &options.cflags,
        options: &options.options,
        plugin: &plugin,
    };
    let all = peers::all(&setting);
    if options.coverage || options.scalars {
        let orthant = all.into_iter().find(|peer| peer.who == Who::Orthant).expect("is in the list");
        let tables = if options.scalars { suite_scalars::run } else { suite_coverage::run };
        return tables(&orthant, &chosen, &options.shapes, &options.size, &scratch);
    }
    let (peers, missing) = present(all, &options.peers, &scratch)?;
    let harness = harness(&folder, &scratch)?;
    let fillings = fillings(options.placements, &scratch)?;
    let clock = if options.threads > 1 { Clock::Wall } else { Clock::Processor };
    let bench =
        Bench { options, request, peers, missing, scratch, harness, fillings, clock, commit: commit(ws) };
    bench.announce(chosen.len());
    let mut rows = Vec::new();
    for shape in &options.shapes {
        let from = rows.len();
        println!("\nshape {}: {}", shape.name(), shape_text(*shape));
        bench.shape(&chosen, *shape, &mut rows)?;
        print!("{}", table::footer(&rows[from..], clock));
        print!("{}", messages(&rows[from..]));
        bench.write_json(&rows)?;
    }
    if let Some(section) = &request.section {
        chart::write(ws, &bench.json(&rows), section)?;
    }
    verdict(&rows)
}

fn plugin(ws: &Workspace, options: &Options) -> Outcome<PathBuf> {
    match &options.plugin {
        None => Ok(ws.build(Profile::Release)?.plugin),
        Some(file) => existing(file),
    }
}

/// The whole path of a file that must be there.
pub(super) fn existing(file: &Path) -> Outcome<PathBuf> {
    fs::canonicalize(file).map_err(|e| Failure::Missing(format!("{}: {e}", file.display())))
}

/// Those that work here, and of the others why not. Without clang there is nothing to compare with.
fn present(all: Vec<Peer>, wanted: &[String], scratch: &Path) -> Outcome<(Vec<Peer>, Vec<Absent>)> {
    let (mut here, mut missing) = (Vec::new(), Vec::new());
    let is_usual = |peer: &Peer| {
        wanted.is_empty() && !matches!(peer.who, Who::OrthantLate | Who::OrthantAlone | Who::Tiled)
    };
    let is_wanted = |peer: &Peer| is_usual(peer) || wanted.iter().any(|key| key == peer.key);
    for peer in all.into_iter().filter(|peer| peer.who == Who::Clang || is_wanted(peer)) {
        match peer.probe(scratch) {
            Ok(version) => {
                println!("{:<10} {}\n{:<10} {version}", peer.key, peer.shown(), "");
                here.push(peer);
            }
            Err(why) if !matches!(peer.who, Who::Polly(_) | Who::Gcc | Who::Graphite) => {
                return Err(Failure::Missing(format!("{} does not work: {why}", peer.shown())));
            }
            Err(why) => {
                println!("{:<10} is not here ({why}); to have it: {}", peer.key, peers::remedy(peer.who));
                missing.push((peer.key, why));
            }
        }
    }
    Ok((here, missing))
}

pub(super) fn harness(folder: &Path, scratch: &Path) -> Outcome<Vec<PathBuf>> {
    let compile = |source: &str| {
        let object = scratch.join(format!("{source}.o"));
        command::output(&mut kernels::harness_command(folder, source, &object)).map(|_| object)
    };
    kernels::HARNESS.into_iter().map(compile).collect()
}

/// Objects that put what is linked behind them at a multiple of 64 bytes and 16 more for each.
fn fillings(placements: usize, scratch: &Path) -> Outcome<Vec<Option<PathBuf>>> {
    let filling = |index: usize| {
        let object = scratch.join(format!("filling{index}.o"));
        let source = object.with_extension("s");
        let text = format!(
            ".section .note.GNU-stack,\"\",@progbits\n.text\n.p2align 6\n.skip {}, 0x90\n",
            16 * index
        );
        fs::write(&source, text).map_err(|e| Failure::failed(format!("{}: {e}", source.display())))?;
        command::output(&mut kernels::filling_command(&source, &object)).map(|_| Some(object))
    };
    if placements == 1 { Ok(vec![None]) } else { (0..placements).map(filling).collect() }
}

fn shape_text(shape: Shape) -> &'static str {
    match shape {
        Shape::Const => "arrays of constant size",
        Shape::Vla => "parameters double A[n][m]",
        Shape::Flat => "pointers that may alias, A[i * m + j]",
        Shape::Cpp => "a C++ matrix class, A(i, j)",
    }
}

impl Bench<'_> {
    fn announce(&self, kernels: usize) {
        let Options { size, threads, contract, .. } = self.options;
        println!(
            "\n{kernels} kernels, size {size}, {threads} thread(s), contraction {contract}, {} runs of each, {}; \
             numbers are clang's time / theirs: above 1 is faster than clang",
            self.request.runs,
            self.clock.name()
        );
    }

    fn shape(&self, chosen: &[Kernel], shape: Shape, rows: &mut Vec<Row>) -> Outcome {
        let progress = Progress { on: std::io::stderr().is_terminal(), total: chosen.len() };
        print!("{}", table::header(self.peers.iter().map(|peer| peer.key)));
        for (index, kernel) in chosen.iter().enumerate() {
            let said = |what: &str| progress.say(index, &format!("{} {}: {what}", kernel.name, shape.name()));
            let row = self.row(kernel, shape, &said);
            progress.clear();
            let row = row?;
            print!("{}", table::row_text(&row, self.clock));
            rows.push(row);
        }
        Ok(())
    }

    fn row(&self, kernel: &Kernel, shape: Shape, said: &dyn Fn(&str)) -> Outcome<Row> {
        let driver = self.scratch.join(format!("{}.driver.o", kernel.name));
        command::output(&mut kernels::driver_command(kernel, &self.options.contract, &driver))?;
        let mut sides = Vec::new();
        for peer in &self.peers {
            said(&format!("compiling with {}", peer.key));
            sides.push(self.build(kernel, shape, peer, &driver)?);
        }
        for round in 0..self.request.runs as usize {
            for turn in 0..sides.len() {
                let index = (round + turn) % sides.len();
                said(&format!("run {} of {}, {}", round + 1, self.request.runs, sides[index].key));
                self.once(kernel, shape, &mut sides[index], round % self.fillings.len());
            }
        }
        if self.fillings.len() > 1 {
            sides.iter_mut().for_each(Side::rank);
        }
        compare(&mut sides, &self.peers);
        Ok(Row { kernel: kernel.clone(), shape, sides })
    }

    /// A program without a placement's number, which the program has as its extension.
    fn program(&self, kernel: &Kernel, shape: Shape, key: &str) -> PathBuf {
        self.scratch.join(format!("{}.{}.{key}", kernel.name, shape.name()))
    }

    fn link(&self, driver: &Path, object: &Path, peer: &Peer, program: &Path) -> Outcome {
        for (index, filling) in self.fillings.iter().enumerate() {
            let kernel = filling.iter().cloned().chain([object.to_owned()]);
            let objects: Vec<_> =
                self.harness.iter().cloned().chain([driver.to_owned()]).chain(kernel).collect();
            let placed = program.with_added_extension(index.to_string());
            command::output(&mut kernels::link_command(&objects, &peer.link, &placed))?;
        }
        Ok(())
    }

    fn build(&self, kernel: &Kernel, shape: Shape, peer: &Peer, driver: &Path) -> Outcome<Side> {
        let program = self.program(kernel, shape, peer.key);
        let object = program.with_added_extension("o");
        let mut side = Side {
            key: peer.key,
            state: State::Fine,
            compile: 0.0,
            wall: Vec::new(),
            cpu: Vec::new(),
            checksum: String::new(),
        };
        let Some(text) = peer.text_of(kernel) else {
            side.state = State::Absent;
            return Ok(side);
        };
        let compile = || {
            let arguments = kernels::kernel_arguments(&text, shape, &self.options.size, &object);
            measure(peer.command().args(arguments))
        };
        match compile() {
            Err(failure) => side.state = State::Failed(said(&failure)),
            Ok(cost) => {
                // The better of two: the first one may have waited for the disk.
                let again = if cost.cpu < 1.0 { compile()?.cpu } else { cost.cpu };
                side.compile = cost.cpu.min(again);
                if let Err(failure) = self.link(driver, &object, peer, &program) {
                    side.state = State::Failed(said(&failure));
                }
            }
        }
        Ok(side)
    }

    /// One run, unless an earlier one has failed.
    fn once(&self, kernel: &Kernel, shape: Shape, side: &mut Side, placement: usize) {
        if side.state != State::Fine {
            return;
        }
        let program = self.program(kernel, shape, side.key).with_added_extension(placement.to_string());
        let mut program = Command::new(program);
        program.args(["--size", &self.options.size.to_string(), "--time", &self.options.seconds.to_string()]);
        program.env("OMP_NUM_THREADS", self.options.threads.to_string());
        let symbol = kernel.symbol();
        let ours = |line: &Line| line.symbol == symbol && line.shape == shape.name();
        side.state = match output_within(&mut program, self.options.timeout) {
            Err(state) => state,
            Ok(printed) => match printed.lines().filter_map(Line::parse).find(ours) {
                Some(Line { checksum, seconds: Some((wall, cpu)), .. }) => {
                    side.wall.push(wall);
                    side.cpu.push(cpu);
                    let changed = !side.checksum.is_empty() && side.checksum != checksum;
                    side.checksum = checksum;
                    // Not even the same from run to run.
                    if changed { State::Wrong } else { State::Fine }
                }
                _ => State::Failed(format!("printed no measurement: {printed}")),
            },
        };
    }

    fn write_json(&self, rows: &[Row]) -> Outcome {
        let Some(file) = &self.request.json else { return Ok(()) };
        fs::write(file, format!("{:#}\n", self.json(rows)))
            .map_err(|e| Failure::failed(format!("{}: {e}", file.display())))
    }

    fn json(&self, rows: &[Row]) -> Value {
        let peers: Vec<_> =
            self.peers.iter().map(|peer| json!({ "peer": peer.key, "command": peer.shown() })).collect();
        let missing: Vec<_> =
            self.missing.iter().map(|(key, why)| json!({ "peer": key, "why": why })).collect();
        let mut value = table::json(rows, self.clock);
        value["benchmark"] = json!("suite");
        value["size"] = json!(self.options.size.to_string());
        value["threads"] = json!(self.options.threads);
        value["runs"] = json!(self.request.runs);
        value["placements"] = json!(self.options.placements);
        value["peers"] = json!(peers);
        value["missing"] = json!(missing);
        value["processor"] = json!(processor());
        value["commit"] = json!(self.commit);
        value["arguments"] = json!(recorded(std::env::args().skip_while(|word| word != "bench").skip(1)));
        value
    }
}

/// The arguments that say what was measured, without those that say where files are on this machine.
fn recorded(arguments: impl Iterator<Item = String>) -> String {
    const FILES: [&str; 4] = ["--json", "--plugin", "--unchecked", "--section"];
    let mut kept = Vec::new();
    let mut arguments = arguments;
    while let Some(word) = arguments.next() {
        match word.split_once('=') {
            Some((name, _)) if FILES.contains(&name) => {}
            None if FILES.contains(&word.as_str()) => drop(arguments.next()),
            _ => kept.push(word),
        }
    }
    kept.join(" ")
}

/// The commit that is measured, if it is one.
fn commit(ws: &Workspace) -> Option<String> {
    let mut describe = Command::new("git");
    describe.current_dir(&ws.root).args(["describe", "--always", "--dirty=-changed", "--exclude=*"]);
    command::output(&mut describe).ok().map(|name| name.trim().to_owned())
}

/// The machine's own name for its processor, if it says one.
fn processor() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    line.split_once(':').map(|(_, name)| name.trim().to_owned())
}

/// Marks builds whose bits are not clang's.
fn compare(sides: &mut [Side], peers: &[Peer]) {
    let Some((clang, others)) = sides.split_first_mut() else { return };
    for (side, peer) in others.iter_mut().zip(&peers[1..]) {
        let comparable = peer.same_bits && side.state == State::Fine && clang.state == State::Fine;
        if comparable && side.checksum != clang.checksum {
            side.state = State::Wrong;
        }
    }
}

fn said(failure: &Failure) -> String {
    match failure {
        Failure::Failed(message) | Failure::Missing(message) => message.clone(),
    }
}

/// What the failed ones said.
fn messages(rows: &[Row]) -> String {
    let sides = rows.iter().flat_map(|row| row.sides.iter().map(move |side| (row, side)));
    let failed = sides.filter_map(|(row, side)| match &side.state {
        State::Failed(message) => {
            let first: Vec<_> = message.lines().take(3).collect();
            Some(format!("{} {} failed: {}\n", row.kernel.name, side.key, first.join(" ")))
        }
        _ => None,
    });
    failed.collect()
}

/// A wrong result is a failure, whoever built it; a peer that crashes or is too slow is its own affair.
fn verdict(rows: &[Row]) -> Outcome {
    let named = |test: &dyn Fn(&Side) -> bool| -> Vec<String> {
        let sides = rows.iter().flat_map(|row| row.sides.iter().map(move |side| (row, side)));
        sides
            .filter(|(_, side)| test(side))
            .map(|(row, side)| format!("{} {} ({})", row.kernel.name, row.shape.name(), side.key))
            .collect()
    };
    let wrong = named(&|side| side.state == State::Wrong);
    let own = ["clang", "orthant", "orthant-late", "orthant-alone"];
    let broken =
        named(&|side| own.contains(&side.key) && matches!(side.state, State::Failed(_) | State::TimedOut));
    match (wrong.is_empty(), broken.is_empty()) {
        (true, true) => Ok(()),
        (false, _) => Err(Failure::failed(format!("other bits than clang -O3: {}", wrong.join(", ")))),
        (true, false) => Err(Failure::failed(format!("did not run to the end: {}", broken.join(", ")))),
    }
}

/// The program's standard output, or what became of it instead.
pub(super) fn output_within(program: &mut Command, limit: Duration) -> Result<String, State> {
    let failed = |what: String| State::Failed(what);
    program.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = program.spawn().map_err(|e| failed(format!("{}: {e}", command::shown(program))))?;
    let start = Instant::now();
    // The program prints one line, which the pipe holds: reading can wait until it has ended.
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if start.elapsed() > limit => {
                // It may have ended just now; either way it is gone.
                let _ = child.kill();
                let _ = child.wait();
                return Err(State::TimedOut);
            }
            // Rarely for long runs, so as not to disturb them.
            Ok(None) => std::thread::sleep(
                (start.elapsed() / 50).clamp(Duration::from_micros(500), Duration::from_millis(50)),
            ),
            Err(e) => return Err(failed(e.to_string())),
        }
    };
    let (mut printed, mut said) = (String::new(), String::new());
    let read = |from: Option<&mut dyn Read>, to: &mut String| from.map_or(Ok(0), |f| f.read_to_string(to));
    read(child.stdout.as_mut().map(|f| f as &mut dyn Read), &mut printed)
        .and_then(|_| read(child.stderr.as_mut().map(|f| f as &mut dyn Read), &mut said))
        .map_err(|e| failed(e.to_string()))?;
    if status.success() { Ok(printed) } else { Err(failed(format!("the program failed: {status} {said}"))) }
}

/// One line on the terminal that says where we are.
struct Progress {
    on: bool,
    total: usize,
}

impl Progress {
    fn say(&self, done: usize, what: &str) {
        if self.on {
            let bar = 20 * done / self.total.max(1);
            eprint!("\r\x1b[K[{:<20}] {done}/{} {what}", "#".repeat(bar), self.total);
            // A terminal that is gone needs no progress.
            let _ = std::io::stderr().flush();
        }
    }

    fn clear(&self) {
        if self.on {
            eprint!("\r\x1b[K");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &[&str]) -> Result<Options, clap::Error> {
        let command = clap::Command::new("x").args(arguments());
        command.try_get_matches_from([&["x"], words].concat()).map(|m| Options::from(&m))
    }

    fn kernels() -> Vec<Kernel> {
        let names = ["blur", "gemm", "gemver"];
        names.map(|name| Kernel { name: name.into(), file: format!("{name}.c").into() }).to_vec()
    }

    #[test]
    fn kernels_are_chosen_by_name_by_part_and_by_list() {
        let chosen = |words: &[&str]| -> Outcome<Vec<String>> {
            let kernels = parse(words).unwrap().choose(kernels())?;
            Ok(kernels.into_iter().map(|kernel| kernel.name).collect())
        };
        assert_eq!(chosen(&[]).unwrap(), ["gemm", "gemver", "blur"]);
        assert_eq!(chosen(&["--kernels=blur,gemm"]).unwrap(), ["gemm", "blur"]);
        assert_eq!(chosen(&["--filter", "gem"]).unwrap(), ["gemm", "gemver"]);
        assert_eq!(chosen(&["--filter", "list"]).unwrap(), ["gemm", "gemver"]);
        assert!(matches!(chosen(&["--kernels", "nosuch"]), Err(Failure::Missing(m)) if m.contains("gemver")));
        assert!(chosen(&["--filter", "nosuch"]).is_err());
    }

    #[test]
    fn a_recorded_command_names_no_files() {
        let line = "suite --json a.json --filter list --plugin=/x/liborthant.so --runs 3 --section speed";
        assert_eq!(recorded(line.split(' ').map(str::to_owned)), "suite --filter list --runs 3");
    }

    #[test]
    fn sizes_are_classes_or_numbers() {
        assert_eq!(parse(&["--size=extra-large"]).unwrap().size, Size::Class("xlarge"));
        assert_eq!(parse(&["--size=1021"]).unwrap().size, Size::Any(1021));
        for wrong in ["--size=huge", "--size=2", "--shape=round", "--peers=icc", "--threads=0"] {
            assert!(parse(&[wrong]).is_err(), "{wrong}");
        }
    }

    #[test]
    fn programs_that_fail_or_hang_are_told_apart() {
        let limit = Duration::from_millis(300);
        let shell = |script: &str| output_within(Command::new("sh").args(["-c", script]), limit);
        assert_eq!(shell("echo hello").unwrap(), "hello\n");
        assert!(matches!(shell("echo why >&2; exit 3"), Err(State::Failed(m)) if m.contains("why")));
        assert_eq!(shell("exec sleep 60"), Err(State::TimedOut));
    }

    #[test]
    fn other_bits_are_wrong_and_fail_the_benchmark() {
        let setting = Setting {
            contract: "off",
            threads: 1,
            cflags: &[],
            options: &[],
            plugin: Path::new("liborthant.so"),
        };
        let peers = peers::all(&setting);
        let side = |key, checksum: &str| Side {
            key,
            state: State::Fine,
            compile: 0.1,
            wall: vec![1.0],
            cpu: vec![1.0],
            checksum: checksum.to_owned(),
        };
        let mut sides = vec![side("clang", "1"), side("orthant", "2"), side("polly", "1")];
        compare(&mut sides, &peers);
        assert_eq!(sides.iter().map(|s| s.state == State::Wrong).collect::<Vec<_>>(), [false, true, false]);
        let row = Row { kernel: kernels().remove(1), shape: Shape::Vla, sides };
        assert!(matches!(verdict(&[row]), Err(Failure::Failed(m)) if m.ends_with("gemm vla (orthant)")));
    }

    #[test]
    fn a_line_of_the_program_is_read() {
        let line = "fdtd_2d flat nx=20 ny=30 wall 0.25 cpu 0.125 runs 3 odd 0 checksum 00ff";
        let parsed = Line::parse(line).unwrap();
        assert_eq!((parsed.symbol.as_str(), parsed.shape.as_str()), ("fdtd_2d", "flat"));
        assert_eq!((parsed.seconds, parsed.checksum.as_str(), parsed.odd), (Some((0.25, 0.125)), "00ff", 0));
        assert_eq!(Line::parse("check gemm: none"), None);
    }
}
