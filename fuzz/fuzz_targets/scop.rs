//! The text form of models: nothing panics, a message is one line, and what was read is written and read back as the
//! same text. isl parses the sets in it; a budget bounds its work.

#![no_main]

use isl::Ctx;
use libfuzzer_sys::fuzz_target;
use model::Scop;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    // The sanitizer must see each block.
    isl::heap::each_by_itself();
    let ctx = Ctx::new();
    ctx.with_budget(20_000, || match Scop::parse(&ctx, text) {
        Ok(scop) => {
            let written = scop.to_string();
            // The budget may be spent the second time; any other failure is one of ours.
            match Scop::parse(&ctx, &written) {
                Ok(again) => assert_eq!(again.to_string(), written),
                Err(error) => assert!(error.to_string().contains("budget"), "{error} in\n{written}"),
            }
        }
        Err(error) => {
            let message = error.to_string();
            assert!(!message.contains(char::is_control), "not one clean line: {message:?}");
        }
    });
});
