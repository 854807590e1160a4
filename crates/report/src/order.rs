//! Putting reports in order and dropping repetitions.

use crate::{FunctionReport, NestReport};
use model::SourceLoc;
use std::cmp::Ordering;

/// Orders by place, and keeps one of equal reports; see the crate's header.
pub fn arrange(mut functions: Vec<FunctionReport>) -> Vec<FunctionReport> {
    for function in &mut functions {
        function.nests.sort_by(|a, b| compare_places(a.loc.as_ref(), b.loc.as_ref()));
    }
    functions.sort_by(compare);
    functions.dedup_by(|later, earlier| same(earlier, later));
    functions
}

fn compare(a: &FunctionReport, b: &FunctionReport) -> Ordering {
    let place = |f: &FunctionReport| f.nests.first().and_then(|nest| nest.loc.clone());
    compare_places(place(a).as_ref(), place(b).as_ref())
        .then_with(|| a.symbol.cmp(&b.symbol))
        // Equal copies must be neighbours: their nests decide before their modules do.
        .then_with(|| format!("{:?}", a.nests).cmp(&format!("{:?}", b.nests)))
        .then_with(|| a.module.cmp(&b.module))
}

/// Known places first.
fn compare_places(a: Option<&SourceLoc>, b: Option<&SourceLoc>) -> Ordering {
    a.is_none().cmp(&b.is_none()).then_with(|| a.cmp(&b))
}

fn same(a: &FunctionReport, b: &FunctionReport) -> bool {
    let located = |nest: &NestReport| nest.loc.is_some();
    let one_module = a.module == b.module;
    a.symbol == b.symbol && a.nests == b.nests && (one_module || a.nests.iter().any(located))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::{Condition, FORMAT, NewLoops, Outcome};
    use model::{CodeSize, Kind, Reason, Refusal};
    use proptest::prelude::*;

    /// A report whose nests are candidates at the given places.
    pub(crate) fn report(module: &str, symbol: &str, places: &[(&str, u32)]) -> FunctionReport {
        let nest = |(file, line): &(&str, u32)| NestReport {
            loc: Some(SourceLoc { file: (*file).to_owned(), line: *line, column: 3 }),
            depth: 1,
            loops: 1,
            statements: 0,
            arrays: vec![],
            aligned: vec![],
            assumptions: vec![],
            tuning: None,
            outcome: Outcome::Candidate,
        };
        FunctionReport {
            format: FORMAT,
            module: module.to_owned(),
            symbol: symbol.to_owned(),
            function: symbol.to_owned(),
            nests: places.iter().map(nest).collect(),
        }
    }

    fn loc() -> impl Strategy<Value = Option<SourceLoc>> {
        let known = ("[ab/]{1,3}\\.c|.{0,4}", 1..9u32, 0..3u32);
        proptest::option::of(known.prop_map(|(file, line, column)| SourceLoc { file, line, column }))
    }

    fn reason() -> impl Strategy<Value = Reason> {
        prop_oneof![
            Just(Reason::IndirectCall),
            Just(Reason::DataDependentExit),
            any::<String>().prop_map(|callee| Reason::CallWithSideEffects { callee }),
            proptest::option::of(any::<String>()).prop_map(|callee| Reason::PossibleException { callee }),
            any::<String>().prop_map(|message| Reason::Internal { message }),
        ]
    }

    fn outcome() -> impl Strategy<Value = Outcome> {
        let refusal = (reason(), loc()).prop_map(|(reason, loc)| Refusal { reason, loc });
        prop_oneof![
            Just(Outcome::Candidate),
            any::<String>().prop_map(|reason| Outcome::Kept { reason }),
            (any::<String>(), proptest::option::of((0..72u8).prop_map(|eighths| f64::from(eighths) / 8.0)))
                .prop_map(|(text, speedup)| {
                    Outcome::Optimized(Box::new(NewLoops {
                        order: vec![text.clone()],
                        speedup,
                        conditions: vec![Condition {
                            kind: Some(Kind::NoWrap),
                            text: text.clone(),
                            loc: None,
                            is_strong: false,
                            held: None,
                        }],
                        weaker: None,
                        threads: Vec::from_iter((text.len() % 2 == 0).then(|| text.clone())),
                        own_size: CodeSize { blocks: text.len(), instructions: 2 * text.len() },
                        added_size: CodeSize::default(),
                        before: text.clone(),
                        after: text,
                    }))
                }),
            proptest::collection::vec(refusal, 1..4).prop_map(|refusals| Outcome::Rejected { refusals }),
        ]
    }

    /// Any report that the plugin could write.
    pub(crate) fn function() -> impl Strategy<Value = FunctionReport> {
        let nest = (loc(), 1..4u32, 1..4u32, outcome()).prop_map(|(loc, depth, loops, outcome)| NestReport {
            loc,
            depth,
            loops,
            statements: 0,
            arrays: vec![],
            aligned: vec![],
            assumptions: vec![],
            tuning: None,
            outcome,
        });
        ("[ab]\\.c", "[fg]", any::<String>(), proptest::collection::vec(nest, 0..3)).prop_map(
            |(module, symbol, function, nests)| FunctionReport {
                format: FORMAT,
                module,
                symbol,
                function,
                nests,
            },
        )
    }

    #[test]
    fn ordered_by_place_and_headers_once() {
        let inline = |module: &str| report(module, "max", &[("max.h", 4)]);
        let arranged = arrange(vec![
            report("b.c", "z", &[("b.c", 9), ("b.c", 2)]),
            inline("b.c"),
            report("a.c", "later", &[("a.c", 10)]),
            report("a.c", "first", &[("a.c", 9)]),
            inline("a.c"),
        ]);
        let symbols: Vec<_> = arranged.iter().map(|f| f.symbol.as_str()).collect();
        assert_eq!(symbols, ["first", "later", "z", "max"]);
        assert_eq!(arranged[2].nests[0].loc.as_ref().unwrap().line, 2);
    }

    #[test]
    fn copies_with_different_outcomes_and_copies_without_places_stay() {
        let mut other = report("b.c", "f", &[("f.h", 4)]);
        other.nests[0].loops = 2;
        assert_eq!(arrange(vec![report("a.c", "f", &[("f.h", 4)]), other]).len(), 2);
        assert_eq!(arrange(vec![report("a.c", "f", &[]), report("b.c", "f", &[])]).len(), 2);
        assert_eq!(arrange(vec![report("a.c", "f", &[]), report("a.c", "f", &[])]).len(), 1);
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            rng_seed: proptest::test_runner::RngSeed::Fixed(4),
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        #[test]
        fn the_order_of_arrival_does_not_matter(mut functions in proptest::collection::vec(function(), 0..6)) {
            // Which of several equal copies stays may depend on nothing but their content.
            for function in &mut functions {
                function.function = function.symbol.clone();
            }
            let arranged = arrange(functions.clone());
            functions.reverse();
            prop_assert_eq!(&arrange(functions), &arranged);
            prop_assert_eq!(&arrange(arranged.clone()), &arranged);
        }
    }
}
