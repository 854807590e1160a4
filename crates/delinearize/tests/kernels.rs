//! The kernels of `schedule`'s tests, with their arrays linearized: each gets its declared shape back, proved; also when
//! the rows are longer than declared, as in ludcmp and fdtd-apml of PolyBench 3, which the paper's implementation missed.

mod common;

use delinearize::{Options, delinearize};

#[test]
fn declared_shapes_come_back() {
    let mut arrays = 0;
    for padding in [0, 1, 3] {
        for common::Kernel { name, sizes, problem } in common::kernels(padding) {
            let view = delinearize(&problem, &Options::default()).unwrap();
            let what = format!("{name} should have the inner sizes {sizes:?}");
            assert_eq!(view.sizes, sizes, "{what}");
            assert!(view.is_always_valid().unwrap(), "{what}, always; valid when {}", view.valid);
            assert!(view.accesses.iter().all(|cells| cells.is_exact()), "{what}, and all subscripts");
            arrays += 1;
        }
    }
    assert!(arrays > 120, "only {arrays} arrays of several dimensions");
}
