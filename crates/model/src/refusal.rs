//! Refusal is a result: why a loop nest was left as it was, and what the user can do about it.
//!
//! Every refusal has a *class*. `Unsupported` is a property of the program, `BudgetSpent` a property of
//! the run, `OurBug` a defect of Orthant; a user acts differently on each. None of them is ever read as
//! "legal": a nest with a refusal keeps its original code.
//!
//! A [`Reason`] carries what its message needs and nothing else. Its `id` is stable: it appears in JSON,
//! in remarks and in the documentation, and tests match on it.

use crate::{Kind, SourceLoc};
use std::fmt;

/// What kind of refusal this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// The program does something that Orthant does not handle (yet).
    Unsupported,
    /// The work allowed for this function was used up.
    BudgetSpent,
    /// Orthant failed; please report it.
    OurBug,
}

/// Why a nest, or a loop of it, was refused.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(tag = "id", rename_all = "kebab-case")]
pub enum Reason {
    /// A call that may write memory, do I/O, or not return.
    CallWithSideEffects {
        /// The function called, as the user would write it.
        callee: String,
    },
    /// A call of a mathematical function that may set `errno`.
    SetsErrno {
        /// The function called.
        callee: String,
    },
    /// A call through a pointer: nothing is known of what runs.
    IndirectCall,
    /// An `invoke`, a landing pad, or a call that may unwind out of the nest.
    PossibleException {
        /// The function that may throw, if it has a name.
        callee: Option<String>,
    },
    /// Inline assembly.
    InlineAssembly,
    /// A volatile load, store or memory intrinsic.
    VolatileAccess,
    /// An atomic load or store, a read-modify-write, a compare-exchange or a fence.
    AtomicAccess,
    /// A cycle with more than one entry.
    IrreducibleControlFlow,
    /// An indirect branch.
    IndirectBranch,
    /// Stack memory allocated inside the loop.
    DynamicAlloca,
    /// The number of iterations is known, but is not affine in outer counters and parameters.
    NonAffineBound {
        /// The offending expression.
        expression: String,
    },
    /// A bound is loaded from memory that the nest itself may change.
    BoundFromMemory {
        /// The variable that holds it in the source, if it has one.
        variable: Option<String>,
    },
    /// Whether a loop of the nest runs, or where it is left, depends on the data, or on a product of counters.
    NonAffineCondition,
    /// The address of an array changes inside the nest: it is loaded or computed there.
    MovingBase,
    /// Two arrays may overlap, and that cannot be checked before the nest.
    PossibleOverlap {
        /// The one.
        first: String,
        /// The other.
        second: String,
    },
    /// Something that detection lets pass and the model has no form for yet.
    NotModelled {
        /// What.
        what: String,
    },
    /// The loop ends when the data say so.
    DataDependentExit,
    /// An exit leads to code that never returns (a failed bounds check, `abort`, `unreachable`).
    ErrorExit,
    /// Control leaves the loops for more than one place.
    SeveralExits,
    /// The loop has no exit at all.
    NoExit,
    /// A value type the model has no place for (scalable vectors, tokens, target types).
    UnsupportedType {
        /// The type, in LLVM's notation.
        ty: String,
    },
    /// `optnone` on the function.
    OptNone,
    /// The user asked to leave the function alone.
    Skipped,
    /// Something would have to be assumed that never holds.
    InfeasibleAssumption {
        /// What kind of assumption.
        kind: Kind,
        /// What it protects.
        why: String,
        /// Where in the source.
        place: Option<String>,
    },
    /// Something would have to be assumed, and that is switched off.
    AssumptionsOff {
        /// What kind of assumption.
        kind: Kind,
        /// What it protects.
        why: String,
    },
    /// The order given for the nest in a file cannot be used, or no such file can be written.
    BadSchedule {
        /// The file and what is wrong with it.
        message: String,
    },
    /// The function's work budget ran out.
    Budget {
        /// The stage that was running.
        stage: String,
    },
    /// Orthant failed in this function.
    Internal {
        /// What the failure said.
        message: String,
    },
}

/// A reason, and where in the source it stands.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Refusal {
    /// Why.
    #[serde(flatten)]
    pub reason: Reason,
    /// Where, if the input has debug locations.
    pub loc: Option<SourceLoc>,
}

impl Reason {
    /// Which kind of refusal this is.
    pub fn class(&self) -> Class {
        match self {
            Reason::Budget { .. } => Class::BudgetSpent,
            Reason::Internal { .. } => Class::OurBug,
            _ => Class::Unsupported,
        }
    }

    /// The stable identifier, the same string that serialization uses.
    pub fn id(&self) -> &'static str {
        match self {
            Reason::CallWithSideEffects { .. } => "call-with-side-effects",
            Reason::SetsErrno { .. } => "sets-errno",
            Reason::IndirectCall => "indirect-call",
            Reason::PossibleException { .. } => "possible-exception",
            Reason::InlineAssembly => "inline-assembly",
            Reason::VolatileAccess => "volatile-access",
            Reason::AtomicAccess => "atomic-access",
            Reason::IrreducibleControlFlow => "irreducible-control-flow",
            Reason::IndirectBranch => "indirect-branch",
            Reason::DynamicAlloca => "dynamic-alloca",
            Reason::NonAffineBound { .. } => "non-affine-bound",
            Reason::BoundFromMemory { .. } => "bound-from-memory",
            Reason::NonAffineCondition => "non-affine-condition",
            Reason::MovingBase => "moving-base",
            Reason::PossibleOverlap { .. } => "possible-overlap",
            Reason::NotModelled { .. } => "not-modelled",
            Reason::DataDependentExit => "data-dependent-exit",
            Reason::ErrorExit => "error-exit",
            Reason::SeveralExits => "several-exits",
            Reason::NoExit => "no-exit",
            Reason::UnsupportedType { .. } => "unsupported-type",
            Reason::OptNone => "opt-none",
            Reason::Skipped => "skipped",
            Reason::InfeasibleAssumption { .. } => "infeasible-assumption",
            Reason::AssumptionsOff { .. } => "assumptions-off",
            Reason::BadSchedule { .. } => "bad-schedule",
            Reason::Budget { .. } => "budget",
            Reason::Internal { .. } => "internal",
        }
    }

    /// What the user can change to make the nest acceptable.
    pub fn remedy(&self) -> &'static str {
        match self {
            Reason::CallWithSideEffects { callee } if is_complex(callee) => {
                "it is for complex numbers that are infinite or no numbers; if there are none, compile with \
                 -fcx-limited-range, or say #pragma STDC CX_LIMITED_RANGE ON"
            }
            Reason::CallWithSideEffects { .. } => {
                "move the call out of the loops, make it visible for inlining, or declare it \
                 __attribute__((const)) or ((pure)) if it is"
            }
            Reason::SetsErrno { .. } => "compile with -fno-math-errno if nobody reads errno",
            Reason::IndirectCall => {
                "call the function directly, or hoist the choice of function out of the loops"
            }
            Reason::PossibleException { .. } => {
                "declare the callee noexcept, or move the call out of the loops"
            }
            Reason::InlineAssembly => "use an intrinsic, or move the assembly out of the loops",
            Reason::VolatileAccess => "copy the volatile object to a local before the loops",
            Reason::AtomicAccess => "move the atomic operation out of the loops, or accumulate locally first",
            Reason::IrreducibleControlFlow => "rewrite the goto so that the loop is entered at its head only",
            Reason::IndirectBranch => "use a switch instead of a computed goto",
            Reason::DynamicAlloca => "allocate the buffer once, before the loops",
            Reason::NonAffineBound { .. } => {
                "make the bound a sum of counters and loop-invariant values, for example by computing it before the loops"
            }
            Reason::BoundFromMemory { .. } => "copy the bound to a local variable before the loops",
            Reason::NonAffineCondition => {
                "hoist the condition out of the loops, or move it into the innermost loop"
            }
            Reason::MovingBase => "copy the pointer to a local variable before the loops",
            Reason::PossibleOverlap { .. } => "declare the pointers restrict if they never overlap",
            Reason::NotModelled { .. } => {
                "write it as plain loops if you can; docs/status.md lists what is modelled"
            }
            Reason::DataDependentExit => {
                "split the search for the end from the work, so that the working loop has a bound known on entry"
            }
            Reason::ErrorExit => {
                "check the bounds once before the loops (in Rust: take a slice of the needed length first)"
            }
            Reason::SeveralExits => {
                "leave the loops at one place: replace return or goto by a flag tested after them"
            }
            Reason::NoExit => "there is no remedy: nothing can be moved across a loop that never ends",
            Reason::UnsupportedType { .. } => {
                "use plain integer and floating-point element types in the loops"
            }
            Reason::OptNone => "remove optnone, or compile with -O1 or higher",
            Reason::Skipped => "remove the orthant_skip annotation, or widen -orthant-only",
            Reason::InfeasibleAssumption { kind, .. } => infeasible_remedy(*kind),
            Reason::AssumptionsOff { .. } => "let -orthant-assumptions be all, which checks them at run time",
            Reason::BadSchedule { .. } => {
                "write the file anew with -orthant-schedule-out and edit that, or take -orthant-schedule-in away"
            }
            Reason::Budget { .. } => "raise -orthant-budget, or split the function",
            Reason::Internal { .. } => {
                "please report it with the input: see CONTRIBUTING.md, \"Reporting a failure\""
            }
        }
    }
}

/// What helps where an assumption never holds.
fn infeasible_remedy(kind: Kind) -> &'static str {
    match kind {
        Kind::InvariantLoad => "copy what is loaded to a local variable before the loops",
        Kind::NoWrap => "compute it in a wider or in a signed type",
        Kind::BoundedLoop => "write the end of the loop with < or <= rather than !=",
        Kind::InBounds | Kind::Shape => "keep each subscript inside its dimension, or use one flat subscript",
        Kind::NoOverlap => "declare the pointers restrict if they never overlap",
        Kind::NoError => {
            "check the bounds once before the loops (in Rust: take a slice of the needed length first)"
        }
        Kind::ModerateSize => "use sizes that fit 48 bits",
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::CallWithSideEffects { callee } => write!(f, "call to {callee} may have side effects"),
            Reason::SetsErrno { callee } => write!(f, "call to {callee} may set errno"),
            Reason::IndirectCall => f.write_str("call through a pointer"),
            Reason::PossibleException { callee: Some(callee) } => write!(f, "call to {callee} may throw"),
            Reason::PossibleException { callee: None } => f.write_str("an exception may leave the loops"),
            Reason::InlineAssembly => f.write_str("inline assembly"),
            Reason::VolatileAccess => f.write_str("volatile access"),
            Reason::AtomicAccess => f.write_str("atomic access"),
            Reason::IrreducibleControlFlow => f.write_str("the loop is entered at more than one place"),
            Reason::IndirectBranch => f.write_str("indirect branch"),
            Reason::DynamicAlloca => f.write_str("stack memory is allocated inside the loop"),
            Reason::NonAffineBound { expression } => write!(f, "the loop bound is not affine: {expression}"),
            Reason::BoundFromMemory { variable: Some(variable) } => {
                write!(f, "the loop bound {variable} is loaded from memory inside the nest")
            }
            Reason::BoundFromMemory { variable: None } => {
                f.write_str("the loop bound is loaded from memory inside the nest")
            }
            Reason::NonAffineCondition => {
                f.write_str("a condition inside the nest is not affine: it depends on data or on a product")
            }
            Reason::MovingBase => f.write_str("the address of an array is computed inside the nest"),
            Reason::PossibleOverlap { first, second } => write!(f, "{first} and {second} may overlap"),
            Reason::NotModelled { what } => write!(f, "{what} is not modelled yet"),
            Reason::DataDependentExit => f.write_str("the number of iterations depends on the data"),
            Reason::ErrorExit => {
                f.write_str("an exit leads to code that does not return, such as a failed bounds check")
            }
            Reason::SeveralExits => f.write_str("control leaves the loops for more than one place"),
            Reason::NoExit => f.write_str("the loop has no exit"),
            Reason::UnsupportedType { ty } => write!(f, "unsupported type {ty}"),
            Reason::OptNone => f.write_str("the function is marked optnone"),
            Reason::Skipped => f.write_str("the function is excluded by an annotation or by -orthant-only"),
            Reason::InfeasibleAssumption { kind, why, place } => {
                write!(f, "an assumption that is needed never holds ({kind}: {why}")?;
                place.iter().try_for_each(|place| write!(f, ", {place}"))?;
                f.write_str(")")
            }
            Reason::AssumptionsOff { kind, why } => {
                write!(f, "it would have to be assumed that {why} ({kind})")
            }
            Reason::BadSchedule { message } => {
                write!(f, "the order given for this nest cannot be used: {message}")
            }
            Reason::Budget { stage } => write!(f, "the work budget was spent in stage {stage}"),
            Reason::Internal { message } => write!(f, "internal error: {message}"),
        }
    }
}

/// Whether a function of the compiler's library multiplies or divides complex numbers.
fn is_complex(callee: &str) -> bool {
    let is_one = |name: &str| name.len() == 3 && name.ends_with("c3");
    ["__mul", "__div"].iter().any(|prefix| callee.strip_prefix(prefix).is_some_and(is_one))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_of_complex_numbers_have_a_remedy_of_their_own() {
        let remedy = |callee: &str| Reason::CallWithSideEffects { callee: callee.into() }.remedy();
        for callee in ["__muldc3", "__mulsc3", "__divdc3"] {
            assert!(remedy(callee).contains("-fcx-limited-range"), "{callee}");
        }
        for callee in ["__muldc4", "__mulc3", "__mulodi4", "muldc3"] {
            assert!(!remedy(callee).contains("-fcx-limited-range"), "{callee}");
        }
    }

    #[test]
    fn the_id_is_the_serialized_tag() {
        let reasons = [
            Reason::IndirectCall,
            Reason::NonAffineBound { expression: "n*n".into() },
            Reason::ErrorExit,
            Reason::Budget { stage: "detect".into() },
        ];
        for reason in reasons {
            let tag = format!("{:?}", reason); // Debug is the variant's name: compare without its dashes
            let name: String = tag.chars().take_while(|c| c.is_alphanumeric()).collect();
            assert_eq!(name.to_lowercase(), reason.id().replace('-', ""));
        }
    }
}
