//! The imperative language: nothing panics or runs away, a message can be shown, formatting is idempotent and
//! keeps the program, and a program that is accepted can be run.

#![no_main]

use imp::{Inputs, Program, format, run};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let program = match Program::parse_bytes(data) {
        Ok(program) => program,
        Err(error) => {
            let shown = error.render("input.imp", &String::from_utf8_lossy(data));
            assert!(!error.message.contains('\n') && shown.contains(&error.message), "{shown}");
            return;
        }
    };
    let source = std::str::from_utf8(data).expect("a program is UTF-8");
    let formatted = format(source).expect("a program can be formatted");
    assert_eq!(format(&formatted).as_ref(), Ok(&formatted), "formatting is idempotent");
    let again = Program::parse(&formatted).expect("a formatted program is a program");
    // Every parameter is 3; the same inputs for both texts.
    let values = program.params.iter().map(|param| (param.name.clone(), 3)).collect();
    let inputs = Inputs { values, seed: Some(1) };
    if let (Ok(first), Ok(second)) = (run(&program, &inputs, 500), run(&again, &inputs, 500)) {
        assert_eq!(first.values, second.values, "the formatted program computes the same");
        assert_eq!(first.trace.len(), second.trace.len());
        assert!(first.trace.vectors_increase(), "iteration vectors increase along a run");
    }
});
