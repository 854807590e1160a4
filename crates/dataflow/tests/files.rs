//! The file tests of this crate: `# test: dependences [memory|plain]` on a `.scop` text.

use isl::Ctx;
use model::Scop;

fn main() -> std::process::ExitCode {
    filetests::Suite::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/files"))
        .command("dependences", |input| {
            let scop = Scop::parse(&Ctx::new(), input.text).map_err(|error| error.to_string())?;
            let plain = dataflow::Options { reductions: false, ..Default::default() };
            let found = match input.args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
                [] => dataflow::dependences(&scop, &Default::default()),
                ["plain"] => dataflow::dependences(&scop, &plain),
                ["memory"] => dataflow::memory_based(&scop),
                _ => return Err("expected `dependences [memory|plain]`".into()),
            };
            found.map(|found| found.to_string()).map_err(|error| error.to_string())
        })
        .run()
}
