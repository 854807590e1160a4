//! The file tests of this crate: `delinearize [NAME=VALUE,...]...` on the problems in `tests/files`.
//!
//! With values for the parameters, says of each whether the condition holds.

use delinearize::{Options, delinearize, text};
use isl::{Ctx, Set};

fn main() -> std::process::ExitCode {
    filetests::Suite::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/files"))
        .command("delinearize", |input| command(input).map_err(|error| error.to_string()))
        .run()
}

fn command(input: &filetests::TestInput) -> Result<String, Box<dyn std::error::Error>> {
    let ctx = Ctx::new();
    let text = text::read(&ctx, &input.code())?;
    let view = delinearize(&text.problem, &Options::default())?;
    let mut shown = text.show(&view)?;
    for values in input.args {
        let names: Vec<_> = values.split(',').filter_map(|value| Some(value.split_once('=')?.0)).collect();
        let point = format!("[{}] -> {{ : {} }}", names.join(", "), values.replace(',', " and "));
        let holds = Set::read_from_str(&ctx, &point)?.is_subset(&view.valid)?;
        shown.push_str(&format!("\n{values}: {}", if holds { "valid" } else { "not valid" }));
    }
    Ok(shown)
}
