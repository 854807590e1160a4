//! Loops run each instance once and in the order of the schedule: random ones, point by point.

mod run;

use astgen::{generate, print_c};
use isl::{Ctx, Schedule};
use model::Scop;
use run::Run;

/// Numbers that look random, the same each time.
struct Random(u64);

impl Random {
    fn below(&mut self, end: i64) -> i64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20).rem_euclid(end.unsigned_abs()) as i64
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as i64) as usize]
    }
}

/// `a i + b j + c`.
type Sum = [i64; 3];

fn value([a, b, c]: Sum, at: [i64; 2]) -> i64 {
    a * at[0] + b * at[1] + c
}

fn text([a, b, c]: Sum) -> String {
    format!("{a}i + {b}j + {c}")
}

/// A statement: its points have at least zero for each condition and are in a box of `n` times 7.
struct Stmt {
    name: &'static str,
    conditions: Vec<Sum>,
    /// What the loops run over.
    rows: [Sum; 2],
    /// Of its points some run before all others of a tile: those whose first counter is less than where the second row's tile begins.
    is_split: bool,
}

/// Where statements come one after the other.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// In the inner loop.
    Inside,
    /// In the outer loop.
    Between,
}

struct Program {
    stmts: Vec<Stmt>,
    tiles: Option<[i64; 2]>,
    place: Place,
    atomic: bool,
}

impl Program {
    fn random(random: &mut Random) -> Program {
        let rows = [
            [[1, 0, 0], [0, 1, 0]],
            [[0, 1, 0], [1, 0, 0]],
            [[1, 0, 0], [1, 1, 0]],
            [[1, 0, 0], [2, 1, 0]],
            [[1, 1, 0], [0, 1, 0]],
            [[-1, 1, 0], [1, 0, 0]],
        ];
        let tiles = (random.below(3) > 0).then(|| [random.one_of(&[2, 3, 4]), random.one_of(&[2, 3, 8])]);
        let place = random.one_of(&[Place::Inside, Place::Between]);
        let count = 1 + random.below(3) as usize;
        let mut stmt = |name| {
            let mut rows: [Sum; 2] = random.one_of(&rows);
            rows.iter_mut().for_each(|row| row[2] = random.below(3));
            let conditions = (0..random.below(3))
                .map(|_| [random.one_of(&[-1, 0, 1, 2]), random.one_of(&[-1, 0, 1]), random.below(9) - 3]);
            let conditions = conditions.collect();
            let is_split = tiles.is_some() && random.below(2) == 0;
            Stmt { name, conditions, rows, is_split }
        };
        let stmts = ["A", "B", "C"][..count].iter().map(|name| stmt(name)).collect();
        Program { stmts, tiles, place, atomic: random.below(2) == 0 }
    }

    fn domain(&self, stmt: &Stmt) -> String {
        let conditions: String =
            stmt.conditions.iter().map(|sum| format!(" and {} >= 0", text(*sum))).collect();
        format!("{}[i, j] : 0 <= i < n and 0 <= j < 7{conditions}", stmt.name)
    }

    fn sets(&self, of: impl Fn(&Stmt) -> Option<String>) -> String {
        let all: Vec<String> = self.stmts.iter().filter_map(of).collect();
        format!("\"[n] -> {{ {} }}\"", all.join("; "))
    }

    fn band(&self, row: impl Fn(&Stmt) -> String, rest: &str) -> String {
        let all = self.stmts.iter().map(|stmt| format!("{}[i, j] -> [({})]", stmt.name, row(stmt)));
        let all: Vec<String> = all.collect();
        format!("schedule: \"[n] -> [{{ {} }}]\"{rest}", all.join("; "))
    }

    /// The schedule tree.
    fn tree(&self) -> String {
        let inner = self.band(|stmt| text(stmt.rows[1]), "");
        let mut tree = match self.place {
            Place::Inside => {
                let inside = self.one_by_one("");
                let inner = self.band(|stmt| text(stmt.rows[1]), &format!(", child: {{ {inside} }}"));
                self.band(|stmt| text(stmt.rows[0]), &format!(", child: {{ {inner} }}"))
            }
            Place::Between => {
                let inside = self.one_by_one(&format!(", child: {{ {inner} }}"));
                self.band(|stmt| text(stmt.rows[0]), &format!(", child: {{ {inside} }}"))
            }
        };
        if let Some(sizes) = self.tiles {
            if self.stmts.iter().any(|stmt| stmt.is_split) {
                let split = |stmt: &Stmt, op: &str| {
                    let tile = format!("{}*floor(({})/{})", sizes[1], text(stmt.rows[1]), sizes[1]);
                    format!("{}[i, j] : i {op} {tile}", stmt.name)
                };
                let first = self.sets(|stmt| stmt.is_split.then(|| split(stmt, "<")));
                let second = self.sets(|stmt| {
                    Some(if stmt.is_split { split(stmt, ">=") } else { format!("{}[i, j]", stmt.name) })
                });
                tree = format!(
                    "sequence: [ {{ filter: {first}, child: {{ {tree} }} }}, {{ filter: {second}, child: {{ {tree} }} }} ]"
                );
            }
            let options = if self.atomic { ", options: \"{ atomic[0] }\"" } else { "" };
            for at in [1, 0] {
                let row =
                    |stmt: &Stmt| format!("{}*floor(({})/{})", sizes[at], text(stmt.rows[at]), sizes[at]);
                tree = self.band(row, &format!("{options}, child: {{ {tree} }}"));
            }
        }
        let domain = self.sets(|stmt| Some(self.domain(stmt)));
        format!("{{ domain: {domain}, child: {{ {tree} }} }}")
    }

    fn one_by_one(&self, rest: &str) -> String {
        let filter = |stmt: &Stmt| format!("{{ filter: \"[n] -> {{ {}[i, j] }}\"{rest} }}", stmt.name);
        let all: Vec<String> = self.stmts.iter().map(filter).collect();
        format!("sequence: [ {} ]", all.join(", "))
    }

    /// All instances in the order of the schedule: statement and counters.
    fn instances(&self, n: i64) -> Vec<(usize, Vec<i64>)> {
        let mut all = Vec::new();
        for (number, stmt) in self.stmts.iter().enumerate() {
            for at in (0..n).flat_map(|i| (0..7).map(move |j| [i, j])) {
                if stmt.conditions.iter().any(|sum| value(*sum, at) < 0) {
                    continue;
                }
                let [outer, inner] = stmt.rows.map(|row| value(row, at));
                let tile = self.tiles.map_or([0, 0], |[a, b]| [outer.div_euclid(a), inner.div_euclid(b)]);
                let begin = tile[1] * self.tiles.map_or(0, |sizes| sizes[1]);
                let part = i64::from(!(stmt.is_split && at[0] < begin));
                let (number, one) = (number as i64, [tile[0], tile[1], part, outer]);
                let key = match self.place {
                    Place::Inside => [one[0], one[1], one[2], one[3], inner, number],
                    Place::Between => [one[0], one[1], one[2], one[3], number, inner],
                };
                all.push((key, (number as usize, at.to_vec())));
            }
        }
        all.sort();
        all.into_iter().map(|(_, instance)| instance).collect()
    }
}

#[test]
fn random_schedules() {
    for seed in 1..=400_u64 {
        let program = Program::random(&mut Random(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(seed)));
        let stmts =
            program.stmts.iter().map(|stmt| format!("stmt {} {{ {} }}\n", stmt.name, program.domain(stmt)));
        let order: String =
            program.stmts.iter().map(|stmt| format!("for {{ for {{ {} }} }} ", stmt.name)).collect();
        let text = format!("param n [0, 1000]\n{}order {{ {order} }}", stmts.collect::<String>());
        let scop = Scop::parse(&Ctx::new(), &text).unwrap();
        let tree = program.tree();
        let schedule: Schedule = scop.ctx.parse(&tree).unwrap();
        let nodes = generate(&scop, &schedule, &scop.context).unwrap();
        for n in [0, 1, 3, 6, 9] {
            let params = [n];
            let mut run = Run::new(&params);
            run.nodes(&nodes, None);
            let found: Vec<_> =
                run.stmts.into_iter().zip(run.instances.into_iter().map(|(at, _)| at)).collect();
            assert_eq!(found, program.instances(n), "{seed} {n}\n{tree}\n{}", print_c(&scop, &nodes));
        }
    }
}
