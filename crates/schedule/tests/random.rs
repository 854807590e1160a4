//! Random scops: whatever is returned is legal, and the oracle agrees.

use interp::random::{Shape, scop};
use isl::Ctx;
use schedule::legality::{self, Reductions};
use schedule::{Decision, Fusion, Options, Tiling, optimize};

/// How many scops each run tries.
const SCOPS: u64 = 200;

#[test]
fn random_scops_stay_right() {
    let mut new = 0;
    for seed in 0..SCOPS {
        let ctx = Ctx::new();
        let scop = scop(&ctx, seed, &Shape::default()).unwrap();
        // An unbounded access can make the analysis give up: then there is nothing to schedule.
        let Ok(dependences) = ctx.with_budget(400_000, || dataflow::dependences(&scop, &Default::default()))
        else {
            continue;
        };
        let options = Options {
            operations: 300_000,
            reductions: if seed % 3 == 0 { Reductions::Relaxed } else { Reductions::Kept },
            fusion: [Fusion::Auto, Fusion::Max, Fusion::Min][seed as usize % 3],
            tiling: if seed % 2 == 0 { Tiling::Sizes(vec![2, 3]) } else { Tiling::Auto },
            threshold: f64::INFINITY,
            ..Default::default()
        };
        match optimize(&scop, &dependences, &options).unwrap() {
            Decision::Original { reason } => {
                assert!(!matches!(reason, schedule::Reason::OurBug(_)), "seed {seed}: {reason}\n{scop}");
            }
            Decision::New(found) => {
                new += 1;
                let verdict =
                    legality::check_with(&scop, &dependences, &found.schedule, options.reductions).unwrap();
                assert!(verdict.is_legal(), "seed {seed}: {verdict}\n{scop}");
                for params in [[4, 3], [3, 4], [1, 0]] {
                    let agreement = interp::agree(&scop, &found.schedule, &params).unwrap();
                    assert!(
                        agreement.is_same(),
                        "seed {seed} at {params:?}: {agreement}\n{scop}\n{}",
                        found.description
                    );
                }
            }
        }
    }
    assert!(new > SCOPS / 4, "only {new} schedules were new");
}
