//! The kernels of `schedule`'s tests, with their arrays linearized: each gets its declared shape back, proved; also when
//! the rows are longer than declared, as in ludcmp and fdtd-apml of PolyBench 3, which the paper's implementation missed.

use delinearize::{Access, Options, Poly, Problem, delinearize, from_pw_aff, parse};
use isl::{Ctx, DimType, Map};
use model::{AccessKind, ArrayId, ArrayKind, Scop};
use std::path::PathBuf;

#[test]
fn declared_shapes_come_back() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../schedule/tests/files/polybench");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut arrays = 0;
    for file in files {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        let scop = Scop::parse(&Ctx::new(), &std::fs::read_to_string(&file).unwrap()).unwrap();
        for padding in [0, 1, 3] {
            arrays += check(&name, &scop, padding);
        }
    }
    assert!(arrays > 120, "only {arrays} arrays of several dimensions");
}

/// Checks the arrays with several dimensions; how many there are.
fn check(name: &str, scop: &Scop, padding: i128) -> usize {
    let mut checked = 0;
    for (index, array) in scop.arrays.iter().enumerate() {
        if array.kind != ArrayKind::Memory || array.shape.len() < 2 {
            continue;
        }
        let sizes: Vec<Poly> = array.shape[1..]
            .iter()
            .map(|size| parse::parse(size.as_deref().unwrap(), Poly::param).unwrap())
            .map(|size| size.add(&Poly::constant(padding)).unwrap())
            .collect();
        let accesses = accesses(scop, ArrayId(index as u32), &sizes);
        let problem = Problem { context: scop.context.clone(), accesses, products: Default::default() };
        let view = delinearize(&problem, &Options::default()).unwrap();
        let what = format!("{name}: {} should have the inner sizes {sizes:?}", array.name);
        assert_eq!(view.sizes, sizes, "{what}");
        assert!(view.is_always_valid().unwrap(), "{what}, always; valid when {}", view.valid);
        assert!(view.accesses.iter().all(|cells| cells.is_exact()), "{what}, and all subscripts");
        checked += 1;
    }
    checked
}

fn accesses(scop: &Scop, array: ArrayId, sizes: &[Poly]) -> Vec<Access> {
    let mut all = Vec::new();
    for stmt in &scop.stmts {
        for access in stmt.accesses.iter().filter(|access| access.array == array) {
            let subscripts = subscripts(&access.relation);
            let mut offset = subscripts[0].clone();
            for (subscript, size) in subscripts[1..].iter().zip(sizes) {
                offset = offset.mul(size).unwrap().add(subscript).unwrap();
            }
            all.push(Access {
                offset: Some(offset.scale(8).unwrap()),
                bytes: 8,
                domain: stmt.domain.clone(),
                writes: access.kind != AccessKind::Read,
            });
        }
    }
    all
}

/// The subscripts of a relation with one affine piece.
fn subscripts(relation: &Map) -> Vec<Poly> {
    let function = relation.clone().as_pw_multi_aff().unwrap();
    let dims = function.dim(DimType::Out).unwrap();
    (0..dims).map(|at| from_pw_aff(&function.get_at(at).unwrap()).unwrap().unwrap()).collect()
}
