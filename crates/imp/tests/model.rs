//! A program's model has the dependences of the program: those that `imp` computes from the semantics, and those that the
//! `dataflow` crate computes from the model, by different code.

mod common;

use common::{Piece, Random, Regular, cases};
use imp::lower;
use imp::{Options, Program, dataflow};
use isl::{DimType, UnionMap};

/// The flow dependences through variables with a cell in the model: `{ source[t1] -> sink[t2] }`.
fn ours(result: &imp::Dataflow<'_>) -> UnionMap {
    let program = result.program;
    let counting = &result.counting;
    let mut all = UnionMap::empty_ctx(&result.reaches.ctx).unwrap();
    for d in &result.flow.dependences {
        let imp::flow::Sink::Read(at) = d.access else { continue };
        if counting[program.ops[d.sink.index()].reads[at as usize].var.index()] {
            continue;
        }
        assert!(d.direct_why.is_none());
        let named = d.direct.clone().reverse().unwrap();
        let named = named.set_tuple_name(DimType::In, &program.ops[d.source.index()].name).unwrap();
        let named = named.set_tuple_name(DimType::Out, &program.ops[d.sink.index()].name).unwrap();
        all = all.union(UnionMap::from_map(named).unwrap()).unwrap();
    }
    all
}

fn compare(source: &str) {
    let program = Program::parse(source).unwrap_or_else(|error| panic!("{}", error.render("p", source)));
    let result = dataflow(&program, &Options::default()).unwrap();
    let scop = lower(&result, "p.imp").unwrap_or_else(|error| panic!("{error}\n{source}"));
    let theirs = ::dataflow::dependences(&scop, &::dataflow::Options::default()).unwrap();
    assert!(
        ours(&result).is_equal(&theirs.flow).unwrap(),
        "{source}\n{:?}\n{:?}",
        ours(&result),
        theirs.flow
    );
}

#[test]
fn random_regular_programs() {
    let mut random = Random(91);
    for case in 0..cases("IMP_MODEL_CASES", 8) {
        let mut source = String::from("param n in 0 .. 9, m in -2 .. 3;\n");
        Piece::write(&Regular::program(&mut random), case % 2 == 1, &mut source);
        compare(&source);
    }
}

/// Every program of the gallery that is exact, with its structure put back where that was needed.
#[test]
fn the_gallery() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/files/covert");
    let mut lowered = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let source = std::fs::read_to_string(&path).unwrap();
        if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("not_"))
            || source.contains("# dataflow: over")
        {
            continue;
        }
        let recovered = imp::structure::recover(&source, Options::default().budget).unwrap();
        compare(&recovered.map_or(source, |recovered| recovered.source));
        lowered += 1;
    }
    assert!(lowered >= 20, "only {lowered} programs of the gallery have a model");
}

#[test]
fn irregular_programs_have_no_model() {
    let program =
        Program::parse("i := 5; while i <> 1 do if i mod 2 == 0 then i := i / 2 else i := 3 * i + 1 fi done")
            .unwrap();
    let result = dataflow(&program, &Options::default()).unwrap();
    let message = lower(&result, "p.imp").unwrap_err().to_string();
    assert!(message.starts_with("the program has no exact model: no closed form"), "{message}");
}
