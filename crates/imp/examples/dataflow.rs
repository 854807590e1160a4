//! `cargo run -p imp --example dataflow -- prog.imp [n=6,m=4]`: the report, and the check for these values.

use imp::{Inputs, Options, Program, check, dataflow};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("usage: dataflow PROGRAM [NAME=VALUE,...]")?;
    let source = std::fs::read(&path)?;
    let program = match Program::parse_bytes(&source) {
        Ok(program) => program,
        Err(error) => return Err(error.render(&path, &String::from_utf8_lossy(&source)).into()),
    };
    let options = Options { counters: true, ..Options::default() };
    let result = dataflow(&program, &options)?;
    print!("{}", result.to_text()?);
    if let Some(values) = arguments.next() {
        let verdict = check(&result, &Inputs::parse(&values)?, 100_000)?;
        println!("{verdict:?}");
    }
    Ok(())
}
