//! `orthant cc`, `c++`, `fc` with fake compilers: what they are called with, and what comes back.

mod common;

use common::{Fakes, fails, orthant, stderr, succeeds};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::Command;

/// The arguments that the compiler gets for these, with the plugin's path as PLUGIN.
fn passed(driver: &str, arguments: &[&str]) -> Vec<String> {
    let fakes = Fakes::new("exit 0");
    succeeds(fakes.orthant().arg(driver).args(arguments));
    fakes.called().1.iter().map(|argument| argument.replace(&fakes.plugin(), "PLUGIN")).collect()
}

#[test]
fn each_driver_is_its_own_compiler() {
    for (driver, tool) in [("cc", "clang"), ("c++", "clang++"), ("fc", "flang")] {
        let fakes = Fakes::new("exit 0");
        succeeds(fakes.orthant().args([driver, "-c", "a.f90"]));
        assert_eq!(fakes.called().0, tool);
    }
}

#[test]
fn a_link_to_the_binary_is_a_driver() {
    for (driver, tool) in [("orthant-cc", "clang"), ("orthant-c++", "clang++"), ("orthant-fc", "flang")] {
        let fakes = Fakes::new("exit 0");
        let link = fakes.path(driver);
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_orthant"), &link).unwrap();
        succeeds(fakes.give(common::clean(&link)).args(["cc", "-c", "a.c"]));
        let (called, arguments) = fakes.called();
        assert_eq!(called, tool);
        // `cc` is an ordinary argument here.
        assert_eq!(arguments[1..], ["cc", "-c", "a.c"]);
    }
}

#[test]
fn compiling_gets_the_plugin_and_nothing_else_changes() {
    for arguments in [
        &["-c", "a.c"][..],
        &["-S", "a.c", "-o", "a.s"],
        &["-O3", "-S", "-emit-llvm", "a.c"],
        &["a.c", "b.o", "-lm", "-o", "a"],
        &["-###", "-c", "a.c"],
        &["@arguments.rsp"],
        &["-x", "c", "-", "-c", "-o", "a b.o"],
        &["-D", "X=\"q\" ' $HOME *", "-c", "a.c", ""],
        &["-c", "a.ll"],
    ] {
        let passed = passed("cc", arguments);
        assert_eq!(passed[0], "-fpass-plugin=PLUGIN");
        assert_eq!(passed[1..], *arguments);
    }
}

#[test]
fn everything_else_passes_untouched() {
    for arguments in [
        &[][..],
        &["--version"],
        &["--help"],
        &["-v"],
        &["-E", "a.c"],
        &["-M", "a.c"],
        &["-fsyntax-only", "a.c"],
        &["a.o", "b.o", "-o", "a"],
        &["-shared", "-o", "liba.so", "a.o"],
        &["-c", "a.s"],
        &["-c", "a.S"],
        &["-print-search-dirs"],
        &["-dumpversion"],
        &["-###", "a.o"],
    ] {
        assert_eq!(passed("cc", arguments), *arguments);
    }
}

#[test]
fn lld_loads_the_plugin_when_it_optimizes() {
    let link = ["-Xlinker", "--load-pass-plugin=PLUGIN"];
    let arguments = ["-flto=thin", "-fuse-ld=lld", "a.o", "-o", "a"];
    assert_eq!(passed("cc", &arguments), [&link[..], &arguments].concat());
    let arguments = ["-flto", "-fuse-ld=lld", "a.c"];
    assert_eq!(passed("c++", &arguments), [&["-fpass-plugin=PLUGIN"], &link[..], &arguments].concat());
}

#[test]
fn arguments_need_not_be_unicode() {
    use std::os::unix::ffi::OsStrExt as _;
    let fakes = Fakes::new("exit 0");
    let name = std::ffi::OsStr::from_bytes(b"\xff\xfe.c");
    succeeds(fakes.orthant().args(["cc", "-c"]).arg(name));
    let record = std::fs::read(fakes.path("record")).unwrap();
    assert!(record.ends_with(b"\n-c\n\xff\xfe.c\n"));
}

#[test]
fn own_options_reach_the_plugin_in_its_variable() {
    let fakes = Fakes::new("exit 0");
    let arguments =
        ["-orthant-only=a b", "-mllvm", "-orthant-budget=7", "-c", "--orthant-time", "a.c", "-mllvm", "-x"];
    succeeds(fakes.orthant().arg("cc").args(arguments).env("ORTHANT_OPTS", "budget=1"));
    assert_eq!(fakes.called().1[1..], ["-c", "a.c", "-mllvm", "-x"]);
    assert_eq!(fakes.options(), "budget=1 only='a b' budget=7 time");
    // On an assembly file and a link step they are as harmless.
    for step in [["-c", "a.s"], ["-o", "a.o"]] {
        succeeds(fakes.orthant().arg("cc").args(["-orthant-time"]).args(step));
        assert_eq!(fakes.called().1, step);
    }
}

#[test]
fn wrong_options_are_refused_before_the_compiler_runs() {
    let fakes = Fakes::new("exit 0");
    let said = fails(fakes.orthant().args(["cc", "-orthant-positon=late", "-c", "a.c"]), 2);
    assert!(said.contains("command line: unknown option 'positon' (did you mean 'position'?)"), "{said}");
    let said = fails(fakes.orthant().args(["cc", "-c", "a.c"]).env("ORTHANT_OPTS", "budget=many"), 2);
    assert!(said.contains("ORTHANT_OPTS: option 'budget' cannot be 'many'"), "{said}");
    let config = fakes.path("orthant.conf");
    std::fs::write(&config, "time\nbudget = few\n").unwrap();
    let said = fails(fakes.orthant().args(["cc", "-c", "a.c"]).env("ORTHANT_CONFIG", &config), 2);
    assert!(said.contains("orthant.conf:2: option 'budget' cannot be 'few'"), "{said}");
    fails(fakes.orthant().args(["cc", "-c", "a.c"]).env("ORTHANT_CONFIG", "/no/such/file"), 2);
    assert!(!fakes.path("record").exists(), "the compiler ran");
}

#[test]
fn exit_codes_signals_and_streams_are_the_compilers() {
    let fakes = Fakes::new("cat; echo out; echo err >&2; exit 43");
    let mut child = fakes.orthant();
    let input = fakes.path("input");
    std::fs::write(&input, "in\n").unwrap();
    let output =
        child.args(["cc", "-c", "a.c"]).stdin(std::fs::File::open(&input).unwrap()).output().unwrap();
    assert_eq!(output.status.code(), Some(43));
    assert_eq!((common::stdout(&output), stderr(&output)), ("in\nout\n".into(), "err\n".into()));

    let fakes = Fakes::new("kill -TERM $$");
    let status = fakes.orthant().args(["cc", "-c", "a.c"]).status().unwrap();
    assert_eq!(status.signal(), Some(15));
}

#[test]
fn a_missing_compiler_or_plugin_is_said_with_a_remedy() {
    let empty = tempfile::tempdir().unwrap();
    for (driver, package) in [("cc", "clang-22"), ("c++", "clang-22"), ("fc", "flang-22")] {
        let said = fails(orthant().args([driver, "--version"]).env("PATH", empty.path()), 127);
        assert!(
            said.contains("is not installed") && said.contains(&format!("apt-get install {package}")),
            "{said}"
        );
    }
    let said = fails(orthant().args(["cc", "--version"]).env("ORTHANT_CLANG", "/no/such/clang"), 127);
    assert!(said.contains("ORTHANT_CLANG names /no/such/clang"), "{said}");

    let fakes = Fakes::new("exit 0");
    let said = fails(fakes.orthant().args(["cc", "-c", "a.c"]).env("ORTHANT_PLUGIN", "/no/plugin.so"), 127);
    assert!(said.contains("ORTHANT_PLUGIN names /no/plugin.so"), "{said}");
    // What needs no plugin works without it.
    succeeds(fakes.orthant().args(["cc", "a.o"]).env("ORTHANT_PLUGIN", "/no/plugin.so"));
}

#[test]
fn the_plugin_is_found_beside_the_binary_and_in_lib() {
    for place in ["bin/liborthant.so", "lib/liborthant.so", "lib/orthant/liborthant.so"] {
        let fakes = Fakes::new("exit 0");
        let prefix = fakes.path("prefix");
        std::fs::create_dir_all(prefix.join("bin")).unwrap();
        std::fs::create_dir_all(prefix.join("lib/orthant")).unwrap();
        let binary = prefix.join("bin/orthant");
        std::fs::copy(env!("CARGO_BIN_EXE_orthant"), &binary).unwrap();
        let plugin = prefix.join(place);
        std::fs::write(&plugin, "").unwrap();
        let link = fakes.path("elsewhere");
        std::os::unix::fs::symlink(&binary, &link).unwrap();
        succeeds(fakes.give(common::clean(&link)).env_remove("ORTHANT_PLUGIN").args(["cc", "-c", "a.c"]));
        let flag = fakes.called().1.remove(0);
        let found = std::path::PathBuf::from(flag.strip_prefix("-fpass-plugin=").unwrap());
        assert!(found.is_absolute());
        assert_eq!(found.canonicalize().unwrap(), plugin.canonicalize().unwrap());
    }
}

#[test]
fn tools_are_found_through_llvm_config_when_they_are_not_on_the_path() {
    let fakes = Fakes::new("exit 0");
    let config = fakes.path("path/llvm-config-22");
    std::fs::create_dir(fakes.path("path")).unwrap();
    std::fs::write(&config, format!("#!/bin/sh\necho {}\n", fakes.folder.path().display())).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&config, mode).unwrap();
    let path = format!("{}:/usr/bin:/bin", fakes.path("path").display());
    // /usr/bin may have a clang-22 of its own, so only the fake folder and a shell may be searched.
    let shell = fakes.path("path/sh");
    std::os::unix::fs::symlink("/bin/sh", shell).unwrap();
    let only = path.split(':').next().unwrap();
    let mut command = fakes.orthant();
    succeeds(command.env_remove("ORTHANT_CLANG").env("PATH", only).args(["cc", "--version"]));
    assert_eq!(fakes.called().0, "clang");
}

#[test]
fn a_process_name_of_nothing_is_survived() {
    let output = Command::new(env!("CARGO_BIN_EXE_orthant")).arg0("").arg("-V").output().unwrap();
    assert!(output.status.success());
}

#[test]
fn compiling_for_this_machine_means_its_caches_unless_somebody_says_otherwise() {
    let fakes = Fakes::new("exit 0");
    let options = |arguments: &[&str], environment: &str| {
        succeeds(fakes.orthant().env("ORTHANT_OPTS", environment).args(["cc", "-c", "a.c"]).args(arguments));
        fakes.options()
    };
    assert_eq!(options(&["-march=native"], ""), "machine=native");
    assert_eq!(options(&["-march=native", "-march=x86-64"], ""), "");
    assert_eq!(options(&["-march=native", "-orthant-machine=target"], ""), "machine=target");
    assert_eq!(options(&["-march=native"], "machine=generic"), "machine=generic");
}
