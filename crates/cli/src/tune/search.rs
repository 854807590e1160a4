//! The search for the best options of each nest, apart from what builds and runs programs.
//!
//! One nest after the other, and for each one candidate after the other, all other nests having the best that was found for
//! them so far. A candidate is *faster* if, in runs that alternate with those of the best so far, the median of the ratios of
//! neighbouring runs is at least [`LEAST`] and three in four ratios are above 1. Options that lead to code that
//! was there before are not run again, and what is clearly slower in its first run is not run a second time. What does not print what
//! the plain program prints is dropped.

use crate::failure::Failure;
use std::collections::HashSet;

/// How much faster is faster.
const LEAST: f64 = 1.02;
/// How much slower in a first run is slower.
const HOPELESS: f64 = 1.3;

/// Builds and runs programs.
pub trait Lab {
    /// A program with these options for each nest. The same number is the same code; `None` if it cannot be built.
    fn build(&mut self, options: &[String]) -> Result<Option<usize>, Failure>;
    /// The seconds of a run; `None` if it does not do what the plain program does.
    fn run(&mut self, program: usize) -> Result<Option<f64>, Failure>;
    /// Something was found out about a candidate.
    fn say(&mut self, nest: usize, candidate: &str, what: Finding);
}

/// What became of a candidate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Finding {
    /// It is so many times as fast as the best before; whether it is the best now.
    Measured(f64, bool),
    /// It does not do what the plain program does.
    Wrong,
}

/// What is best for a nest.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The options.
    pub options: String,
    /// How many times as fast as without.
    pub speedup: f64,
}

/// The best options of each nest.
pub fn search(
    lab: &mut impl Lab,
    nests: usize,
    candidates: &[&str],
    runs: usize,
) -> Result<Vec<Choice>, Failure> {
    let mut best = vec![String::new(); nests];
    let own = "the program as Orthant compiles it";
    let mut program = lab.build(&best)?.ok_or_else(|| Failure::broken(format!("{own} cannot be built")))?;
    let Some(mut seconds) = lab.run(program)? else {
        return Err(Failure::broken(format!("{own} does not print what the plain one prints"))
            .remedy("this is a bug worth a report; `-orthant-only` finds the function"));
    };
    let mut seen = HashSet::from([program]);
    let mut speedups = vec![1.0; nests];
    for nest in 0..nests {
        for candidate in candidates {
            let mut options = best.clone();
            options[nest] = (*candidate).to_owned();
            let Some(other) = lab.build(&options)?.filter(|program| seen.insert(*program)) else { continue };
            let Some(first) = lab.run(other)? else {
                lab.say(nest, candidate, Finding::Wrong);
                continue;
            };
            if first > HOPELESS * seconds {
                lab.say(nest, candidate, Finding::Measured(seconds / first, false));
                continue;
            }
            let Some(pairs) = alternate(lab, program, other, runs)? else {
                lab.say(nest, candidate, Finding::Wrong);
                continue;
            };
            let mut ratios: Vec<f64> = pairs.iter().map(|(old, new)| old / new).collect();
            ratios.sort_by(f64::total_cmp);
            let (gain, low) = (ratios[ratios.len() / 2], ratios[ratios.len() / 4]);
            let is_faster = gain >= LEAST && low > 1.0;
            lab.say(nest, candidate, Finding::Measured(gain, is_faster));
            if is_faster {
                (best, program) = (options, other);
                seconds = pairs.iter().map(|(_, new)| *new).fold(f64::INFINITY, f64::min);
                speedups[nest] *= gain;
            }
        }
    }
    let choice = |(options, speedup)| Choice { options, speedup };
    Ok(best.into_iter().zip(speedups).map(choice).collect())
}

/// Seconds of neighbouring runs of two programs; `None` if one of them once does something else.
fn alternate(
    lab: &mut impl Lab,
    old: usize,
    new: usize,
    runs: usize,
) -> Result<Option<Vec<(f64, f64)>>, Failure> {
    let mut pairs = Vec::new();
    for round in 0..runs.max(1) {
        let (a, b) = match round % 2 {
            0 => (lab.run(old)?, lab.run(new)?),
            _ => {
                let new = lab.run(new)?;
                (lab.run(old)?, new)
            }
        };
        let (Some(a), Some(b)) = (a, b) else { return Ok(None) };
        pairs.push((a, b));
    }
    Ok(Some(pairs))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Programs are named by their options; what has no time is as fast as `x`, and `same` makes no difference.
    #[derive(Default)]
    struct Fake {
        programs: Vec<Vec<String>>,
        runs: Vec<usize>,
        said: Vec<(usize, String, Finding)>,
        is_broken: bool,
    }

    const CANDIDATES: [&str; 6] = ["same", "half", "wrong", "slow", "unbuilt", "third"];

    fn seconds(options: &str) -> f64 {
        match options {
            "half" => 0.5,
            "third" => 0.33,
            "slow" => 2.0,
            _ => 1.0,
        }
    }

    impl Lab for Fake {
        fn build(&mut self, options: &[String]) -> Result<Option<usize>, Failure> {
            let code: Vec<String> = options.iter().map(|text| text.replace("same", "")).collect();
            if code.iter().any(|text| text == "unbuilt") {
                return Ok(None);
            }
            let known = self.programs.iter().position(|program| *program == code);
            Ok(Some(known.unwrap_or_else(|| {
                self.programs.push(code);
                self.programs.len() - 1
            })))
        }

        fn run(&mut self, program: usize) -> Result<Option<f64>, Failure> {
            self.runs.push(program);
            let options = &self.programs[program];
            let is_right = !self.is_broken && options.iter().all(|text| text != "wrong");
            // Only the second nest takes time.
            Ok(is_right.then(|| 0.001 + seconds(&options[1])))
        }

        fn say(&mut self, nest: usize, candidate: &str, what: Finding) {
            self.said.push((nest, candidate.to_owned(), what));
        }
    }

    #[test]
    fn the_fastest_right_one_wins_and_nothing_where_nothing_differs() {
        let mut lab = Fake::default();
        let choices = search(&mut lab, 2, &CANDIDATES, 3).unwrap();
        assert_eq!(choices[0], Choice { options: String::new(), speedup: 1.0 });
        assert_eq!(choices[1].options, "third");
        assert!((choices[1].speedup - 1.001 / 0.331).abs() < 1e-9, "the product of its steps");
        let of = |candidate: &str| -> Vec<_> {
            lab.said
                .iter()
                .filter(|(nest, c, _)| (*nest, c.as_str()) == (1, candidate))
                .map(|(.., f)| *f)
                .collect()
        };
        assert_eq!(of("wrong"), [Finding::Wrong]);
        assert!(matches!(of("slow")[..], [Finding::Measured(gain, false)] if gain < 0.5));
        assert!(matches!(of("third")[..], [Finding::Measured(gain, true)] if gain > 1.4));
        assert!(of("same").is_empty() && of("unbuilt").is_empty());
        let slow = lab.programs.iter().position(|program| program[1] == "slow").unwrap();
        assert_eq!(lab.runs.iter().filter(|run| **run == slow).count(), 1, "hopeless after its first run");
    }

    #[test]
    fn new_loops_that_are_wrong_as_they_are_end_the_search() {
        let mut lab = Fake { is_broken: true, ..Fake::default() };
        let failure = search(&mut lab, 2, &CANDIDATES, 3).unwrap_err();
        assert!(failure.message().contains("does not print"));
    }

    #[test]
    fn a_little_faster_is_not_faster() {
        struct Noisy(Vec<f64>, usize);
        impl Lab for Noisy {
            fn build(&mut self, options: &[String]) -> Result<Option<usize>, Failure> {
                Ok(Some(usize::from(!options[0].is_empty())))
            }
            fn run(&mut self, program: usize) -> Result<Option<f64>, Failure> {
                self.1 += program;
                Ok(Some(if program == 0 { 1.0 } else { self.0[self.1 % self.0.len()] }))
            }
            fn say(&mut self, _: usize, _: &str, _: Finding) {}
        }
        let best =
            |times: &[f64]| search(&mut Noisy(times.to_vec(), 0), 1, &["x"], 4).unwrap().remove(0).options;
        assert_eq!(best(&[0.99]), "");
        assert_eq!(best(&[0.5, 1.2, 0.5, 1.2]), "", "not in three of four runs");
        assert_eq!(best(&[0.9]), "x");
    }
}
