//! Parts of run-time checks that are left out, in builds for that purpose only (feature `drop-checks`).
//!
//! Two questions need checks that do not check: whether the test of each kind of assumption can fail at all (`cargo xtask
//! break-checks`), and what checks cost (`cargo xtask bench checks`). In such a build `ORTHANT_DROP_CHECKS` names kinds,
//! separated by commas, as reports do (`no-overlap`), or is `all`. That there is something to do is always tested, so that the
//! original stays beside the new loops and LLVM sees the same code but for the check. With `ORTHANT_DROP_LOOPS` the new loops are
//! left out, so that a program does nothing but check. Programs compiled so are wrong
//! where an assumption fails, or altogether; no other build knows the variables.

use assume::Check;
use astgen::Node;

/// What is left of a check.
#[cfg(feature = "drop-checks")]
pub fn without_dropped(mut check: Check) -> Check {
    let named = std::env::var("ORTHANT_DROP_CHECKS").unwrap_or_default();
    let is_named = |name: &str| named.split(',').any(|word| word == name);
    check.conjuncts.retain(|conjunct| {
        let is_kind = |kind: model::Kind| is_named(&kind.name().replace(' ', "-"));
        conjunct.kind.is_none_or(|kind| !is_named("all") && !is_kind(kind))
    });
    check
}

/// What is left of new loops.
#[cfg(feature = "drop-checks")]
pub fn without_loops(loops: Vec<Node>) -> Vec<Node> {
    if std::env::var_os("ORTHANT_DROP_LOOPS").is_some() { Vec::new() } else { loops }
}

/// All of them.
#[cfg(not(feature = "drop-checks"))]
pub fn without_loops(loops: Vec<Node>) -> Vec<Node> {
    loops
}

/// All of it.
#[cfg(not(feature = "drop-checks"))]
pub fn without_dropped(check: Check) -> Check {
    check
}
