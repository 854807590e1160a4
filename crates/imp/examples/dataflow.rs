//! `cargo run -p imp --example dataflow -- prog.imp [n=6,m=4 [SEED]]`: the report, and the check for these values.

use imp::{Inputs, Options, Program, check, dataflow};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("usage: dataflow PROGRAM [NAME=VALUE,... [SEED]]")?;
    let source = std::fs::read(&path)?;
    let program = match Program::parse_bytes(&source) {
        Ok(program) => program,
        Err(error) => return Err(error.render(&path, &String::from_utf8_lossy(&source)).into()),
    };
    let result = dataflow(&program, &Options::default())?;
    print!("{}", result.to_text()?);
    if let Some(values) = arguments.next() {
        let mut inputs = Inputs::parse(&values)?;
        inputs.seed = arguments.next().map(|seed| seed.parse()).transpose()?;
        println!("{}", check(&result, &inputs, 100_000)?);
    }
    Ok(())
}
