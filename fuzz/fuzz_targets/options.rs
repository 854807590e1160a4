//! The three notations of options: nothing panics, a message is one readable line, and what was read is
//! written and read back unchanged. The first byte chooses the notation.

#![no_main]

use libfuzzer_sys::fuzz_target;
use options::{Layer, OptionError, Options};

fn read(notation: u8, text: &str) -> Result<Layer, OptionError> {
    match notation % 3 {
        0 => Layer::pass_parameters(text),
        1 => Layer::environment(text),
        _ => Layer::config_file("orthant.conf", text),
    }
}

fn check_message(error: &OptionError) {
    let message = error.to_string();
    assert!(!message.contains(['\n', '\r']), "more than one line: {message:?}");
    assert!(message.contains(": "), "no origin: {message:?}");
}

fuzz_target!(|data: &[u8]| {
    let Some((notation, text)) = data.split_first() else { return };
    let Ok(text) = std::str::from_utf8(text) else { return };
    match read(*notation, text) {
        Err(error) => check_message(&error),
        Ok(layer) => {
            let written = layer.to_text();
            assert_eq!(read(*notation, &written).as_ref(), Ok(&layer), "written as {written:?}");
            if let Err(error) = Options::from_layers(&[layer]) {
                panic!("read but not accepted: {error}");
            }
        }
    }
});
