//! `orthant tune` with real compilers: what it writes is read by the compiler, and what cannot be tuned is said.
//! Nothing here depends on what is faster.

mod common;

use common::orthant_with_plugin;
use std::path::Path;
use std::process::Output;

/// One nest that can be reordered, and a result that depends on it.
const PROGRAM: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static double a[300][300], b[300][300];
void turn(void) {
  for (int i = 0; i < 300; i++)
    for (int j = 0; j < 300; j++)
      a[j][i] = b[j][i] * 3 + 1;
}
int main(int argc, char **argv) {
  if (argc > 1 && atoi(argv[1]) == 3)
    return 3;
  for (int i = 0; i < 300; i++)
    b[i][i] = i;
  turn();
  if (argc > 1)
    printf("%ld\n", (long)clock() + (long)&argc);
  printf("%a %a\n", a[7][7], a[299][299]);
  return 0;
}
"#;

fn tune(folder: &Path, source: &str, more: &[&str]) -> Output {
    std::fs::write(folder.join("a.c"), source).unwrap();
    let mut command = orthant_with_plugin();
    command.current_dir(folder).args(["tune", "a.c", "--runs=1"]).args(more).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn what_was_measured_is_used_by_the_compiler() {
    let folder = tempfile::tempdir().unwrap();
    let output = tune(folder.path(), PROGRAM, &["--only=^turn$", "-o", "t.json", "--", "-O3", "-g"]);
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{err}");
    assert!(out.contains("turn (a.c:7:3): ") && out.contains("compile with -orthant-tuned=t.json"), "{out}");
    // Without new loops there is other code, so that was tried.
    assert!(err.contains("turn (a.c:7:3): schedule=keep: "), "{err}");

    let file = folder.path().join("t.json");
    let mut tuned = report::tuned::Tuned::read(&std::fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!((tuned.nests.len(), tuned.nests[0].function.as_str()), (1, "turn"));
    tuned.nests[0].options = "least-gain=0 tiles=16".into();
    std::fs::write(&file, tuned.json()).unwrap();
    let explained = |source: &str| {
        std::fs::write(folder.path().join("a.c"), source).unwrap();
        let mut command = orthant_with_plugin();
        command.current_dir(folder.path()).args(["explain", "--only=^turn$", "--tuned=t.json", "a.c"]);
        text(&command.output().unwrap().stdout)
    };
    let used = explained(PROGRAM);
    assert!(used.contains("tuned least-gain=0 tiles=16") && used.contains("tiled 16 x 16"), "{used}");
    assert!(explained(&format!("\n{PROGRAM}")).contains("tiled 16 x 16"), "moved loops are the same");
    let changed = explained(&PROGRAM.replace("* 3 + 1", "* 3 + a[i][j]"));
    assert!(changed.contains("run `orthant tune` again") && !changed.contains("tiled 16 x 16"), "{changed}");
}

#[test]
fn what_cannot_be_tuned_is_said_with_a_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |source: &str, more: &[&str]| {
        let output = tune(folder.path(), source, more);
        assert!(!output.status.success() && !folder.path().join("orthant-tuned.json").exists());
        text(&output.stderr)
    };
    let said = refused(PROGRAM, &["--", "-O3", "--", "1"]);
    assert!(said.contains("does not print the same twice") && said.contains("help: "), "{said}");
    let said = refused(PROGRAM, &["--", "--", "3"]);
    assert!(said.contains("ends with status 3") && said.contains("second --"), "{said}");
    let said = refused("int main(void) { return 0; }", &[]);
    assert!(said.contains("no loop nest to tune") && said.contains("orthant explain"), "{said}");
    let said = refused("int main(void) { retur 0; }", &[]);
    assert!(said.contains("a.c:1:"), "{said}");
}
