//! The kernels in `imp` against the same kernels in C: two front ends, one dataflow.
//!
//! Each kernel of `bench/kernels` that is also in `crates/imp/tests/files/kernels` is compiled (arrays of constant size)
//! and lifted to its model; the flow dependences through memory that [`dataflow`] computes from that model must be those
//! that `imp` computes from the semantics, with the parameters at the sizes of the C version.
//!
//! LLVM keeps the statements of most kernels. A conditional expression and a scalar that lives across loops become
//! several statements, whose only traffic is in scalars. So the comparison is made
//!
//! * *statement by statement*, if the statements that touch memory correspond one to one, in order, with equal domains;
//! * otherwise *block by block*: neighbours in the same loop with equal domains are taken together on both sides.
//!
//! `--nocapture` shows which way each kernel went.

use filetests::Toolchain;
use imp::flow::Sink;
use isl::{Set, UnionMap};
use model::{Access, AccessKind, ArrayKind, Order, Scop, StmtId};
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// Enough of LLVM's passes to have loops and SSA, and no more.
const PASSES: &str =
    "function(sroa,simplifycfg,loop-simplify,loop(loop-rotate),orthant<stop-after=lift;print-after=lift>)";
/// Kernels that must agree statement by statement, and in all.
const STATEMENTS: usize = 25;
const ALL: usize = 30;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The text of the C version's model.
fn lifted(name: &str) -> String {
    let toolchain = Toolchain::beside_this_test().unwrap_or_else(|message| panic!("{message}"));
    let clang = toolchain.llvm("clang").unwrap_or_else(|message| panic!("{message}"));
    let mut clang = std::process::Command::new(clang);
    clang.args(["-O0", "-fno-math-errno", "-Xclang", "-disable-O0-optnone", "-DSHAPE=const", "-DSIZE=mini"]);
    let file = root().join("bench/kernels").join(format!("{name}.c"));
    let compiled = clang.args(["-emit-llvm", "-c", "-o", "-"]).arg(&file).output().unwrap();
    assert!(compiled.status.success(), "{name}: {}", String::from_utf8_lossy(&compiled.stderr));
    let module = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(module.path(), compiled.stdout).unwrap();
    let mut opt = toolchain.tool("opt").unwrap_or_else(|message| panic!("{message}"));
    opt.arg(format!("-passes={PASSES}")).arg("-disable-output").arg(module.path()).stdin(Stdio::null());
    let said = opt.output().unwrap();
    String::from_utf8(said.stderr).unwrap()
}

/// The only scop in the plugin's output.
fn only_scop(said: &str, name: &str) -> String {
    let mut scops = said.split("orthant: lift\n").filter(|part| part.starts_with("scop "));
    let scop = scops.next().unwrap_or_else(|| panic!("{name} has no model:\n{said}"));
    assert!(scops.next().is_none(), "{name} has several models:\n{said}");
    scop.to_owned()
}

/// The sizes `mini` of a kernel, from its own table: `F(ni, 20, ...) R(nj, 25, ...)`.
fn sizes(name: &str) -> Vec<(String, i64)> {
    let text = std::fs::read_to_string(root().join("bench/kernels").join(format!("{name}.c"))).unwrap();
    let table = text.split("#define DIMS(F, R)").nth(1).and_then(|rest| rest.split("\n#").next()).unwrap();
    let entries = table.split('(').skip(1).map(|entry| {
        let mut words = entry.split([',', ')']).map(str::trim);
        (words.next().unwrap().to_string(), words.next().unwrap().parse().unwrap())
    });
    entries.collect()
}

/// Statements that touch memory, in order, those that are taken together in one group.
type Groups = Vec<Vec<StmtId>>;

fn groups(scop: &Scop, order: &[Order], together: bool, found: &mut Groups) {
    let mut open: Option<StmtId> = None;
    for part in order {
        match part {
            Order::Stmt(id) if scop.stmt(*id).accesses.is_empty() => {}
            Order::Stmt(id) => {
                let joins = together && open.is_some_and(|last| same_domain(scop, last, *id));
                match found.last_mut().filter(|_| joins) {
                    Some(group) => group.push(*id),
                    None => found.push(vec![*id]),
                }
                open = Some(*id);
            }
            Order::Loop(body) => {
                groups(scop, body, together, found);
                open = None;
            }
        }
    }
}

fn unnamed(scop: &Scop, id: StmtId) -> Set {
    scop.stmt(id).domain.clone().reset_tuple_id().unwrap()
}

fn writes(scop: &Scop, id: StmtId) -> usize {
    scop.stmt(id).accesses.iter().filter(|access| access.kind != AccessKind::Read).count()
}

fn same_domain(scop: &Scop, one: StmtId, other: StmtId) -> bool {
    let (one, other) = (unnamed(scop, one), unnamed(scop, other));
    one.has_equal_space(&other).unwrap() && one.is_equal(&other).unwrap()
}

/// `{ S[i] -> G3[i] }` for the statements of group 3.
fn renamed(scop: &Scop, groups: &Groups) -> UnionMap {
    let mut all = UnionMap::empty_ctx(&scop.ctx).unwrap();
    for (at, group) in groups.iter().enumerate() {
        for id in group {
            let identity = scop.stmt(*id).domain.clone().identity().unwrap();
            let named = identity.set_tuple_name(isl::DimType::Out, &format!("G{at}")).unwrap();
            all = all.union(UnionMap::from_map(named).unwrap()).unwrap();
        }
    }
    all
}

fn without_scalars(mut scop: Scop) -> Scop {
    let memory: Vec<bool> =
        scop.arrays.iter().map(|array| array.kind == ArrayKind::Memory && !array.shape.is_empty()).collect();
    for stmt in &mut scop.stmts {
        stmt.accesses.retain(|access| memory[access.array.index()]);
        let all = stmt.accesses.clone();
        let mut at = 0;
        stmt.accesses.retain(|access| {
            at += 1;
            access.kind != AccessKind::Read || !all[..at - 1].iter().any(|first| covers(first, access))
        });
    }
    scop
}

/// Whether a statement's earlier access is a write of all cells that a later one reads: what it reads is its own.
fn covers(first: &Access, read: &Access) -> bool {
    first.kind == AccessKind::MustWrite
        && first.array == read.array
        && read.relation.is_subset(&first.relation).unwrap()
}

/// The flow dependences through arrays by the semantics: `{ source[t1] -> sink[t2] }`.
fn by_semantics(result: &imp::Dataflow<'_>) -> UnionMap {
    let program = result.program;
    let mut all = UnionMap::empty_ctx(&result.reaches.ctx).unwrap();
    for d in &result.flow.dependences {
        let Sink::Read(at) = d.access else { continue };
        let sink = &program.ops[d.sink.index()];
        if program.vars[sink.reads[at as usize].var.index()].arity == 0 {
            continue;
        }
        let map = d.direct.clone().reverse().unwrap();
        let map = map.set_tuple_name(isl::DimType::In, &program.ops[d.source.index()].name).unwrap();
        let map = map.set_tuple_name(isl::DimType::Out, &sink.name).unwrap();
        all = all.union(UnionMap::from_map(map).unwrap()).unwrap();
    }
    all
}

/// Both sides of one kernel, at the sizes of the C version.
struct Pair {
    ours: Scop,
    theirs: Scop,
    our_flow: UnionMap,
    their_flow: UnionMap,
}

impl Pair {
    /// Whether the groups correspond, and if so that the flow between them is the same.
    fn agrees(&self, name: &str, together: bool) -> bool {
        let (mut ours, mut theirs) = (Groups::new(), Groups::new());
        groups(&self.ours, &self.ours.order, together, &mut ours);
        groups(&self.theirs, &self.theirs.order, together, &mut theirs);
        // What stands before or after the nest in C is not in its model.
        ours.retain(|group| unnamed(&self.ours, group[0]).dim(isl::DimType::Out).unwrap() > 0);
        let equal = |(one, other): (&Vec<StmtId>, &Vec<StmtId>)| {
            let as_many = together || writes(&self.ours, one[0]) == writes(&self.theirs, other[0]);
            let (one, other) = (unnamed(&self.ours, one[0]), unnamed(&self.theirs, other[0]));
            as_many && one.has_equal_space(&other).unwrap() && one.is_equal(&other).unwrap()
        };
        if ours.len() != theirs.len() || !ours.iter().zip(&theirs).all(equal) {
            return false;
        }
        // What a group takes from itself in the same round is inside of a statement in C.
        let through = |flow: &UnionMap, names: UnionMap| {
            let flow = flow.clone().apply_domain(names.clone()).unwrap().apply_range(names.clone()).unwrap();
            let own = names.range().unwrap().identity().unwrap();
            if together { flow.subtract(own).unwrap() } else { flow }
        };
        let one = through(&self.our_flow, renamed(&self.ours, &ours));
        let other = through(&self.their_flow, renamed(&self.theirs, &theirs));
        assert!(one.is_equal(&other).unwrap(), "{name}: imp has\n{one:?}\nC has\n{other:?}");
        assert!(!one.is_empty().unwrap(), "{name}: nothing was compared");
        true
    }
}

fn pair(name: &str) -> Pair {
    let file = root().join("crates/imp/tests/files/kernels").join(format!("{name}.imp"));
    let source = std::fs::read_to_string(&file).unwrap();
    let program =
        imp::Program::parse(&source).unwrap_or_else(|error| panic!("{}", error.render(name, &source)));
    let result = imp::dataflow(&program, &imp::Options::default()).unwrap();
    assert!(result.is_exact(), "{name} is exact");
    let ctx = &result.reaches.ctx;
    let values: Vec<String> = sizes(name).iter().map(|(name, value)| format!("{name} = {value}")).collect();
    let names: Vec<String> = program.params.iter().map(|param| param.name.clone()).collect();
    let fixed: Set =
        ctx.parse(&format!("[{}] -> {{ : {} }}", names.join(", "), values.join(" and "))).unwrap();
    let theirs = without_scalars(Scop::parse(ctx, &only_scop(&lifted(name), name)).unwrap());
    let flow = dataflow::dependences(&theirs, &dataflow::Options::default()).unwrap().flow;
    let at_sizes = |mut scop: Scop| {
        for stmt in &mut scop.stmts {
            stmt.domain = stmt.domain.clone().intersect_params(fixed.clone()).unwrap();
        }
        scop
    };
    Pair {
        our_flow: by_semantics(&result).intersect_params(fixed.clone()).unwrap(),
        their_flow: flow.intersect_params(fixed.clone()).unwrap(),
        ours: at_sizes(without_scalars(imp::lower(&result, name).unwrap())),
        theirs: at_sizes(theirs),
    }
}

#[test]
fn the_dataflow_of_a_kernel_is_that_of_its_c_version() {
    let folder = root().join("crates/imp/tests/files/kernels");
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    names.sort();
    let (mut statements, mut blocks, mut other) = (Vec::new(), Vec::new(), Vec::new());
    for name in &names {
        let pair = pair(name);
        let found = match () {
            () if pair.agrees(name, false) => &mut statements,
            () if pair.agrees(name, true) => &mut blocks,
            () => &mut other,
        };
        found.push(name.as_str());
    }
    println!("equal statement by statement: {} {statements:?}", statements.len());
    println!("equal block by block: {} {blocks:?}", blocks.len());
    println!("of another structure: {} {other:?}", other.len());
    assert!(statements.len() >= STATEMENTS, "{statements:?}");
    assert!(statements.len() + blocks.len() >= ALL, "{other:?}");
}
