//! Hosts that the plugin must refuse: those that bring another LLVM than the one it was built for.
//!
//! A small C program plays the host: it loads the plugin as LLVM does and prints the API version that it is
//! offered. LLVM's own is accepted; with the version that no LLVM has, the host is told to go without the plugin.

use filetests::Toolchain;
use std::path::Path;
use std::process::Command;

const HOST: &str = r#"
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
struct info { uint32_t api; const char *name, *version; void *call, *other; };
int main(int count, char **words) {
  void *plugin = dlopen(words[1], RTLD_NOW);
  if (!plugin) { puts(dlerror()); return 1; }
  struct info (*get)(void) = (struct info (*)(void))dlsym(plugin, "llvmGetPassPluginInfo");
  struct info info = get();
  printf("api %u of %s\n", info.api, info.name);
  return 0;
}
"#;

/// A host that asks from several threads at once, as a linker does that optimizes several modules.
const THREADS: &str = r#"
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
enum { COUNT = 8 };
struct info { uint32_t api; const char *name, *version; void *call, *other; };
static struct info (*get)(void);
static pthread_barrier_t all;
static void *ask(void *answer) {
  pthread_barrier_wait(&all);
  *(struct info *)answer = get();
  return NULL;
}
int main(int count, char **words) {
  void *plugin = dlopen(words[1], RTLD_NOW);
  if (!plugin) { puts(dlerror()); return 1; }
  get = (struct info (*)(void))dlsym(plugin, "llvmGetPassPluginInfo");
  pthread_barrier_init(&all, NULL, COUNT);
  pthread_t threads[COUNT];
  struct info answers[COUNT];
  for (int i = 0; i < COUNT; i++) pthread_create(&threads[i], NULL, ask, &answers[i]);
  for (int i = 0; i < COUNT; i++) pthread_join(threads[i], NULL);
  for (int i = 0; i < COUNT; i++) printf("api %u of %s\n", answers[i].api, answers[i].name);
  return 0;
}
"#;

/// What LLVM exports, with another version.
const OLD_LLVM: &str = "void LLVMGetVersion(unsigned *a, unsigned *b, unsigned *c) { if (a) *a = 14; if (b) *b = 0; if (c) *c = 6; }\n";

fn toolchain() -> Toolchain {
    Toolchain::beside_this_test().unwrap_or_else(|message| panic!("{message}"))
}

#[track_caller]
fn clang(folder: &Path, args: &[&str]) {
    let clang = toolchain().llvm("clang").unwrap_or_else(|message| panic!("{message}"));
    let status = Command::new(clang).args(args).current_dir(folder).status().unwrap();
    assert!(status.success(), "clang {args:?}");
}

/// Compiles the host with more arguments and gives what it and the plugin say.
#[track_caller]
fn host(folder: &Path, args: &[&str]) -> (String, String) {
    host_of(HOST, folder, args)
}

#[track_caller]
fn host_of(source: &str, folder: &Path, args: &[&str]) -> (String, String) {
    std::fs::write(folder.join("host.c"), source).unwrap();
    std::fs::write(folder.join("llvm.c"), OLD_LLVM).unwrap();
    if args.contains(&"libLLVM-14.so.1") {
        clang(folder, &["-shared", "-fPIC", "llvm.c", "-o", "libLLVM-14.so.1"]);
    }
    clang(folder, &[&["host.c", "-o", "host"], args].concat());
    let plugin = toolchain().plugin();
    assert!(
        plugin.is_file(),
        "{} is missing; build it first: `cargo build -p plugin -p cli`",
        plugin.display()
    );
    let output = Command::new(folder.join("host")).arg(plugin).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    assert!(output.status.success(), "{}", output.status);
    (text(output.stdout), text(output.stderr))
}

#[test]
fn a_host_without_another_llvm_is_served() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(host(folder.path(), &[]), ("api 2 of orthant\n".into(), String::new()));
}

#[track_caller]
fn is_refused(args: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let (offered, said) = host(folder.path(), args);
    assert_eq!(offered, format!("api {} of orthant\n", u32::MAX));
    assert_eq!(said.lines().count(), 1, "one sentence: {said}");
    assert!(said.starts_with("orthant: this plugin was built for LLVM 22."), "{said}");
    assert!(said.contains("14") && said.contains("load it into clang-22"), "{said}");
}

#[test]
fn a_host_with_another_llvm_in_it_is_refused() {
    is_refused(&["llvm.c", "-rdynamic"]);
}

#[test]
fn a_host_with_another_shared_llvm_is_refused() {
    is_refused(&["libLLVM-14.so.1", "-Wl,-rpath,$ORIGIN", "-Wl,--no-as-needed"]);
}

#[test]
fn several_threads_ask_at_once() {
    let folder = tempfile::tempdir().unwrap();
    for _ in 0..20 {
        let (said, complaint) = host_of(THREADS, folder.path(), &["-lpthread"]);
        let lines: Vec<&str> = said.lines().collect();
        assert_eq!(lines.len(), 8, "{said}");
        assert!(lines.iter().all(|line| *line == lines[0]), "{said}");
        assert_eq!(complaint, "");
    }
}
