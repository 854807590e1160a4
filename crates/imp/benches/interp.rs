//! How long a million operations take, trace included: `cargo bench -p imp --bench interp`.

use imp::{Inputs, Program, run};
use std::time::Instant;

const PROGRAMS: [(&str, &str, &str); 3] = [
    (
        "matmul",
        "param n; for i from 1 to n do for j from 1 to n do c[i,j] := 0; for k from 1 to n do c[i,j] := c[i,j] + a[i,k] * b[k,j] done done done",
        "n=100",
    ),
    ("fill", "param n; c[0] := 0; i := 1; while i <= n do c[i] := c[i-1] + 1; i := i + 1 done", "n=333333"),
    (
        "syracuse",
        "param n; for s from 1 to n do i := s; while i <> 1 do if i mod 2 == 0 then i := i / 2 else i := 3 * i + 1 fi done done",
        "n=5000",
    ),
];

fn main() {
    for (name, source, values) in PROGRAMS {
        let program = Program::parse(source).expect("the benchmark's own program");
        let inputs = Inputs::parse(values).expect("the benchmark's own inputs");
        let start = Instant::now();
        let run = run(&program, &inputs, usize::MAX).expect("it runs");
        let time = start.elapsed();
        let per = time.as_nanos() as f64 / run.trace.len() as f64;
        println!(
            "{name:10} {:9} operations {:8.1} ms {per:6.0} ns/operation",
            run.trace.len(),
            time.as_secs_f64() * 1e3
        );
    }
}
