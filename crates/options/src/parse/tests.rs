//! Examples of each notation and message, and round trips on generated settings.

use super::*;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

fn options(text: &str) -> Options {
    Options::from_layers(&[Layer::environment(text).expect(text)]).expect(text)
}

fn message(text: &str) -> String {
    Layer::environment(text).expect_err(text).to_string()
}

#[test]
fn names_are_unique_and_can_be_written_everywhere() {
    for (at, spec) in TABLE.iter().enumerate() {
        assert!(TABLE[..at].iter().all(|other| other.name != spec.name), "{} twice", spec.name);
        let good = spec.name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
        assert!(good && !spec.name.starts_with('-') && !spec.name.starts_with("orthant-"), "{}", spec.name);
        assert!(spec.help.ends_with('.') && !spec.help.contains('\n'), "{}: {}", spec.name, spec.help);
        assert!(spec.metavar.chars().all(|c| c.is_ascii_uppercase()), "{}", spec.name);
    }
}

#[test]
fn every_default_is_a_value_of_its_option() {
    for spec in TABLE {
        assert!(spec.read(Some(spec.default)).is_ok(), "{}", spec.name);
    }
    let defaults = Options::default();
    assert!(defaults.enable && !defaults.time);
    assert_eq!(defaults.position, Position::Early);
    assert_eq!(defaults.budget, 9_000_000);
    assert!(defaults.only.is_none() && defaults.report.is_none());
    assert_eq!(defaults.stop_after.as_deref(), Some("emit"));
}

#[test]
fn every_option_of_the_table_reaches_the_options() {
    let before = format!("{:?}", Options::default());
    for spec in TABLE {
        let value = match spec.kind {
            Kind::Flag => (!flag(spec.default).expect("a flag")).to_string(),
            Kind::Choice(words) | Kind::Choices(words) => {
                (*words.iter().find(|word| **word != spec.default).expect("two words")).to_owned()
            }
            Kind::Number(low, high) if low.to_string() == spec.default => high.to_string(),
            Kind::Number(low, _) => low.to_string(),
            Kind::Bytes(most) => most.to_string(),
            Kind::Numbers(most) => most.to_string(),
            Kind::Regex | Kind::File | Kind::Text => "x".to_owned(),
        };
        let set = Setting { name: spec.name.to_owned(), value: Some(value) };
        let after = Options::from_layers(&[Layer::command_line(vec![set])]).expect(spec.name);
        assert_ne!(before, format!("{after:?}"), "{} changes nothing", spec.name);
    }
}

#[test]
fn the_three_notations_say_the_same() {
    let parameters = Layer::pass_parameters("only='a;b' ; time;position=early").unwrap();
    let environment = Layer::environment("-orthant-only='a;b'\t--orthant-time\n position=early ").unwrap();
    let file = "\u{feff}# kernels\r\n only = a;b   # not the rest\r\n\r\n-orthant-time\nposition=early";
    let file = Layer::config_file("orthant.conf", file).unwrap();
    assert_eq!(parameters.settings, environment.settings);
    assert_eq!(parameters.settings, file.settings);
    assert_eq!(file.settings[0].value.as_deref(), Some("a;b"));
}

#[test]
fn later_settings_and_later_layers_win() {
    let layers = [
        Layer::config_file("c", "budget = 7\nreport = a.jsonl").unwrap(),
        Layer::environment("budget=8 budget=9").unwrap(),
        Layer::pass_parameters("report=").unwrap(),
    ];
    let options = Options::from_layers(&layers).unwrap();
    assert_eq!(options.budget, 9);
    assert_eq!(options.report, None);
}

#[test]
fn values_of_every_kind() {
    assert!(options("time").time && options("time=On").time && options("time=1").time);
    assert!(!options("enable=no").enable);
    assert_eq!(options("budget=1_000").budget, 1000);
    assert_eq!(options(&format!("budget={}", u64::MAX)).budget, u64::MAX);
    assert_eq!(options(r"only=^a\.b$").only.unwrap().as_str(), r"^a\.b$");
    assert_eq!(options("report='my file'").report, Some("my file".into()));
    assert_eq!(options("print-after=detect,detect").print_after, ["detect", "detect"]);
    assert_eq!(options("").budget, Options::default().budget);
    // A `#` inside a word of a file is no comment, and a quoted one never is.
    let file = Layer::config_file("c", "report = a#b\nonly='x #y'  # z 'w").unwrap();
    let values: Vec<_> = file.settings.iter().filter_map(|s| s.value.as_deref()).collect();
    assert_eq!(values, ["a#b", "x #y"]);
}

#[test]
fn sizes_have_units() {
    for (text, bytes) in [("48K", 48 << 10), ("2m", 2 << 20), ("1_024", 1024), ("1G", 1 << 30)] {
        assert_eq!(options(&format!("l1-bytes={text}")).l1_bytes, Some(bytes), "{text}");
    }
    assert_eq!(options("l2-bytes=1M l2-bytes=").l2_bytes, None);
    for wrong in ["0", "K", "-1K", "1.5M", "1T", "2000G", "1KK", "\u{212a}"] {
        assert_eq!(
            message(&format!("l1-bytes={wrong}")),
            format!(
                "ORTHANT_OPTS: option 'l1-bytes' cannot be '{wrong}': it takes a number of bytes up to 1024G, as 48K or 2M"
            )
        );
    }
}

#[test]
fn lists_of_numbers() {
    assert_eq!(options("tiles=32,64").tiles, [32, 64]);
    assert_eq!(options("tiles='8, 1'").tiles, [8, 1]);
    assert_eq!(options("tiles=8 tiles=").tiles, [0; 0]);
    for wrong in ["a", "8,", "-1", "8;9", "1048577"] {
        assert_eq!(
            message(&format!("tiles={wrong}")),
            format!(
                "ORTHANT_OPTS: option 'tiles' cannot be '{wrong}': it takes a comma-separated list of whole numbers up to 1048576"
            )
        );
    }
}

#[test]
fn messages_name_origin_option_value_and_remedy() {
    assert_eq!(
        message("positon=late"),
        "ORTHANT_OPTS: unknown option 'positon' (did you mean 'position'?); the options are enable, position, \
         only, report, stop-after, print-after, schedule, tiles, tuned, least-gain, least-length, registers, panels, align-arrays, rows, parallel, \
         threads, machine, l1-bytes, l2-bytes, l1-ways, l2-ways, l3-bytes, line-bytes, schedule-in, schedule-out, assumptions, tiers, use-counts, count-checks, delicm, expand, time, budget, \
         shape-candidates, shape-alphas, shape-shifts"
    );
    assert_eq!(
        message("position=lat"),
        "ORTHANT_OPTS: option 'position' cannot be 'lat': it takes early or late (did you mean 'late'?)"
    );
    assert_eq!(message("budget"), "ORTHANT_OPTS: option 'budget' needs a value: it takes a whole number");
    assert_eq!(message("budget=-1"), "ORTHANT_OPTS: option 'budget' cannot be '-1': it takes a whole number");
    assert_eq!(message("budget="), "ORTHANT_OPTS: option 'budget' cannot be '': it takes a whole number");
    assert_eq!(
        message("only=(a"),
        "ORTHANT_OPTS: option 'only' cannot be '(a': it takes a regular expression (unclosed group)"
    );
    assert_eq!(message("=x"), "ORTHANT_OPTS: '=x' has no option's name: write NAME=VALUE");
    assert!(message("only='a").starts_with("ORTHANT_OPTS: the quote ' in ''a' is not closed"));
    let in_file = Layer::config_file("my.conf", "time\n\nenable = maybe\n").unwrap_err().to_string();
    assert_eq!(in_file, "my.conf:3: option 'enable' cannot be 'maybe': it takes true or false");
    // An open quote in a file ends with its line and is reported there.
    let open = Layer::config_file("my.conf", "only='a\ntime\n").unwrap_err();
    assert_eq!(open.line, Some(1));
    let command_line = Layer::command_line(vec![Setting { name: "tim".into(), value: None }]);
    let error = Options::from_layers(&[command_line]).unwrap_err().to_string();
    assert!(error.starts_with("command line: unknown option 'tim' (did you mean 'time'?)"), "{error}");
}

#[test]
fn long_and_binary_values_stay_readable_in_messages() {
    let text = message(&format!("budget=\u{1b}[31m{}", "9".repeat(100_000)));
    assert!(text.len() < 200 && !text.contains('\u{1b}'), "{text}");
    assert!(!message("report='a\0b'").contains('\0'));
}

fn setting() -> impl Strategy<Value = Setting> {
    let any_text = prop_oneof![any::<String>(), "[ab'\"#; =\\\\]{0,8}"];
    (0..TABLE.len(), any_text, any::<u64>(), any::<bool>()).prop_map(|(row, text, number, bare)| {
        let spec = &TABLE[row];
        let value = match spec.kind {
            Kind::Flag if bare => None,
            Kind::Flag => Some((number % 2 == 0).to_string()),
            Kind::Choice(words) => Some(words[number as usize % words.len()].to_owned()),
            Kind::Choices(words) => Some(words.join(",")),
            Kind::Number(low, high) => Some(number.clamp(low, high).to_string()),
            Kind::Bytes(most) => Some(number.clamp(1, most).to_string()),
            Kind::Numbers(most) => Some(format!("{},1", number % most)),
            Kind::Regex => Some(regex::escape(&text)),
            Kind::File => Some(text.replace('\0', "")),
            Kind::Text => Some(text),
        };
        Setting { name: spec.name.to_owned(), value }
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2000,
        rng_seed: RngSeed::Fixed(2),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn text_and_settings_round_trip(settings in proptest::collection::vec(setting(), 0..6)) {
        for origin in [Origin::PassParameters, Origin::Environment, Origin::File("f".to_owned())] {
            // A configuration file has no notation for a line end inside a value.
            let in_file = matches!(origin, Origin::File(_));
            let has_line_end = |s: &Setting| s.value.as_ref().is_some_and(|v| v.contains('\n'));
            if in_file && settings.iter().any(has_line_end) {
                continue;
            }
            let layer = Layer { origin: origin.clone(), settings: settings.clone() };
            let text = layer.to_text();
            prop_assert_eq!(Layer::read(origin, &text), Ok(layer), "from {:?}", text);
        }
    }

    #[test]
    fn no_text_panics_and_what_is_read_is_valid(text in prop_oneof![
        any::<String>(),
        "([a-z-]{0,8}=?[a-z0-9'\"(*]{0,8}[; \n#]){0,5}",
        "((-orthant-)?(only|time|budget|position|report)(=[a-z0-9'\"(*]{0,5})?[; \n#]){0,5}",
    ]) {
        for layer in [
            Layer::pass_parameters(&text),
            Layer::environment(&text),
            Layer::config_file("f", &text),
        ] {
            match layer {
                Ok(layer) => prop_assert!(Options::from_layers(&[layer]).is_ok()),
                Err(error) => prop_assert!(error.to_string().lines().count() == 1, "{error}"),
            }
        }
    }
}
