//! Export and import of schedules.

use isl::Ctx;
use model::Scop;
use schedule::legality::Reductions::Kept;
use schedule::{Decision, ImportError, Options, Tiling, from_json, identity, optimize, to_json};

const PREFIX_SUM: &str = "scop prefix\nparam n [2, 1000]\narray A [n] 8\nstmt S { S[i] : 1 <= i < n }
  read { S[i] -> A[i - 1] }\n  write { S[i] -> A[i] }\norder { for { S } }";

const COLUMNS: &str =
    "scop columns\nparam n [1, 100000]\narray A [n, n] 8\nstmt S { S[i, j] : 0 <= i, j < n }
  read { S[i, j] -> A[j, i] }\n  write { S[i, j] -> A[j, i] }\norder { for { for { S } } }";

fn read(text: &str) -> (Scop, dataflow::Dependences) {
    let scop = Scop::parse(&Ctx::new(), text).unwrap();
    let dependences = dataflow::dependences(&scop, &Default::default()).unwrap();
    (scop, dependences)
}

#[test]
fn what_is_written_is_read() {
    let (scop, dependences) = read(COLUMNS);
    let options = Options { tiling: Tiling::Sizes(vec![4, 8]), ..Default::default() };
    let Decision::New(new) = optimize(&scop, &dependences, &options).unwrap() else { panic!("no new order") };
    let text = to_json(&scop, &new.schedule).unwrap();
    assert!(text.contains("\"format\": \"orthant-schedule-1\""), "{text}");
    assert!(text.contains("\"counters\": [\n        \"i\",\n        \"j\"\n      ]"), "{text}");
    let back = from_json(&scop, &dependences, &text, Kept).unwrap();
    assert!(back.get_map().unwrap().is_equal(&new.schedule.get_map().unwrap()).unwrap());
    // The options for code generation come back too.
    let c = |schedule| astgen::print_c(&scop, &astgen::generate(&scop, schedule, &scop.context).unwrap());
    assert_eq!(c(&back), c(&new.schedule));
}

#[test]
fn an_illegal_edit_is_refused() {
    let (scop, dependences) = read(PREFIX_SUM);
    let text = to_json(&scop, &identity(&scop).unwrap()).unwrap();
    from_json(&scop, &dependences, &text, Kept).unwrap();
    let edited = text.replace("[(i)]", "[(-i)]");
    assert_ne!(edited, text);
    let message = from_json(&scop, &dependences, &edited, Kept).unwrap_err().to_string();
    assert_eq!(
        message,
        "the schedule is not legal: with n = 3: S[1] writes A[1], then S[2] reads it (flow); the schedule runs S[2] at [-2] before S[1] at [-1]"
    );
}

#[test]
fn other_texts_are_refused() {
    let (scop, dependences) = read(PREFIX_SUM);
    let text = to_json(&scop, &identity(&scop).unwrap()).unwrap();
    let refuse = |text: &str| from_json(&scop, &dependences, text, Kept).unwrap_err();
    assert!(matches!(refuse(""), ImportError::Json(_)));
    assert!(matches!(refuse("[]"), ImportError::Json(_)));
    assert!(matches!(refuse(&text.replace("schedule-1", "schedule-9")), ImportError::Format(_)));
    let other = text.replace("\"name\": \"S\"", "\"name\": \"U\"");
    assert!(refuse(&other).to_string().contains("no statement U"));
    let deeper = text.replace("\"i\"", "\"i\", \"j\"");
    assert!(refuse(&deeper).to_string().contains("S is in 1 loops, not in 2"), "{}", refuse(&deeper));
    let broken = text.replace("domain", "donain");
    assert!(matches!(refuse(&broken), ImportError::Tree(_)));
}

/// `C[i, j] += A[i, k] * B[k, j]`, or with `B` the same array as `C`.
fn product(other: &str) -> String {
    format!(
        "scop product\nparam n [1, 100000]\narray A [n, n] 8\narray B [n, n] 8\narray C [n, n] 8\n\
         stmt S {{ S[i, j, k] : 0 <= i, j, k < n }}\n  read {{ S[i, j, k] -> C[i, j] }}\n  \
         read {{ S[i, j, k] -> A[i, k] }}\n  read {{ S[i, j, k] -> {other}[k, j] }}\n  \
         write {{ S[i, j, k] -> C[i, j] }}\norder {{ for {{ for {{ for {{ S }} }} }} }}"
    )
}

/// How many marks of a tree are left when it has been read: a mark above loops over these counters, in the loops over those.
fn marks_left(text: &str, outer: &[&str], mark: &str, inner: &[&str]) -> usize {
    let (scop, dependences) = read(text);
    let band = |counters: &[&str], child: &str| {
        let row = |counter: &&str| format!("{{ S[i, j, k] -> [({counter})] }}");
        let rows = counters.iter().map(row).collect::<Vec<_>>().join(", ");
        match counters {
            [] => child.to_owned(),
            _ => format!("child: {{ schedule: \"[n] -> [{rows}]\", {child} }}"),
        }
    };
    let marked = format!("child: {{ mark: \"{mark}\", {} }}", band(inner, ""));
    let domain = "[n] -> { S[i, j, k] : 0 <= i, j, k < n }";
    let tree = format!("{{ domain: \"{domain}\", {} }}", band(outer, &marked)).replace(",  }", " }");
    let json = serde_json::json!({ "format": schedule::FORMAT, "scop": "product", "schedule": tree });
    let back = from_json(&scop, &dependences, &json.to_string(), Kept).unwrap();
    to_json(&scop, &back).unwrap().matches(mark).count()
}

#[test]
fn promises_that_cannot_be_proved_are_dropped() {
    let plain = product("B");
    assert_eq!(marks_left(&plain, &[], "registers", &["k", "i", "j"]), 1);
    assert_eq!(marks_left(&plain, &["i"], "registers", &["k", "j"]), 0, "too few loops");
    assert_eq!(marks_left(&plain, &[], "registers", &["i", "j", "k"]), 0, "a cell for several columns");
    assert_eq!(
        marks_left(&product("C"), &[], "registers", &["i", "j", "k"]),
        0,
        "a row that is written is read"
    );
    assert_eq!(marks_left(&plain, &["i", "k"], "vector", &["j"]), 1);
    assert_eq!(marks_left(&plain, &["i", "j"], "vector", &["k"]), 0, "a sum");
    assert_eq!(marks_left(&plain, &["i", "j"], "mine", &["k"]), 1, "no promise");
}

#[test]
fn wavefronts_that_cannot_be_proved_are_dropped() {
    let plain = product("B");
    assert_eq!(marks_left(&plain, &["i"], "wave 1 1", &["k", "j"]), 1);
    assert_eq!(marks_left(&plain, &["i"], "wave 2 1", &["k", "j"]), 0, "not the starts of tiles");
    assert_eq!(marks_left(&plain, &["i"], "wave 1 2", &["k", "j"]), 0, "not the starts of tiles");
    assert_eq!(marks_left(&plain, &["i"], "wave", &["k", "j"]), 0, "no sizes");
    assert_eq!(marks_left(&plain, &["i", "k"], "wave 1 1", &["j"]), 0, "one loop");
    let diagonal = "scop product\nparam n [1, 1000]\narray A [n + 1, n + 1] 8
stmt S { S[i, j, k] : 0 <= i, j, k < n }\n  read { S[i, j, k] -> A[i, j + 1] }\n  write { S[i, j, k] -> A[i + 1, j] }
order { for { for { for { S } } } }";
    assert_eq!(marks_left(diagonal, &[], "wave 1 1", &["i", "i + j", "k"]), 1);
    assert_eq!(marks_left(diagonal, &[], "wave 1 1", &["i", "j", "k"]), 0, "a column to the left");
    assert_eq!(marks_left(diagonal, &[], "wave 1 1", &["i", "k", "j"]), 0, "an earlier k");
    assert_eq!(marks_left(diagonal, &["i"], "wave 1 1", &["j", "k"]), 1, "nothing inside of a row");
}

#[test]
fn blocks_are_written_and_read() {
    let (scop, dependences) = read(&product("B"));
    let Decision::New(new) = optimize(&scop, &dependences, &Options::default()).unwrap() else {
        panic!("no new order")
    };
    let text = to_json(&scop, &new.schedule).unwrap();
    let back = from_json(&scop, &dependences, &text, Kept).unwrap();
    let again = to_json(&scop, &back).unwrap();
    assert_eq!((again.matches("registers").count(), again.matches("vector").count()), (1, 1), "{again}");
}
