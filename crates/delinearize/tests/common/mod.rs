//! The arrays of `schedule`'s kernels, linearized.

use delinearize::{Access, Poly, Problem, from_pw_aff, parse};
use isl::{Ctx, DimType, Map};
use model::{AccessKind, Array, ArrayId, ArrayKind, Scop};
use std::path::PathBuf;

/// An array of a kernel.
pub struct Kernel {
    /// The kernel and the array.
    pub name: String,
    /// The inner sizes as declared.
    pub sizes: Vec<Poly>,
    /// The accesses to it.
    pub problem: Problem,
}

/// All arrays of several dimensions, with rows that are longer than declared by `padding`.
pub fn kernels(padding: i128) -> Vec<Kernel> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../schedule/tests/files/polybench");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut all = Vec::new();
    for file in files {
        let scop = Scop::parse(&Ctx::new(), &std::fs::read_to_string(&file).unwrap()).unwrap();
        for (index, array) in scop.arrays.iter().enumerate() {
            if array.kind == ArrayKind::Memory && array.shape.len() > 1 {
                let name = format!("{} {}", file.file_stem().unwrap().to_string_lossy(), array.name);
                let sizes = sizes(array, padding);
                let accesses = accesses(&scop, ArrayId(index as u32), &sizes);
                let context = scop.context.clone();
                all.push(Kernel {
                    name,
                    sizes,
                    problem: Problem {
                        context,
                        accesses,
                        products: Default::default(),
                        units: vec![],
                        declared: None,
                    },
                });
            }
        }
    }
    all
}

fn sizes(array: &Array, padding: i128) -> Vec<Poly> {
    let size = |text: &Option<String>| parse::parse(text.as_deref().unwrap(), Poly::param).unwrap();
    array.shape[1..].iter().map(|text| size(text).add(&Poly::constant(padding)).unwrap()).collect()
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
