//! The reader of recorded reports: nothing panics, no message and no text carries control characters of the input
//! to the terminal, every rendering of what was read ends, and the JSON document is read back unchanged.

#![no_main]

use libfuzzer_sys::fuzz_target;
use report::{Style, arrange, json, read, sarif, text};

fuzz_target!(|data: &[u8]| {
    let Ok(input) = std::str::from_utf8(data) else { return };
    let functions = match read(input) {
        Ok(functions) => arrange(functions),
        Err(error) => {
            let message = error.to_string();
            assert!(!message.contains(char::is_control), "not one clean line: {message:?}");
            return;
        }
    };
    let document = json(&functions);
    assert_eq!(read(&document).as_ref(), Ok(&functions), "written as {document}");
    assert_eq!(arrange(functions.clone()), functions, "arranging is idempotent");
    let _ = sarif(&functions, "0.0.0");
    let source = |loc: &model::SourceLoc| Some(loc.to_string());
    let plain = text(&functions, &Style { colour: false, source: &source });
    let escapes = plain.contains(|c: char| c.is_control() && c != '\n');
    assert!(!escapes, "the input's control characters reach the terminal: {plain:?}");
    let _ = text(&functions, &Style { colour: true, source: &source });
});
