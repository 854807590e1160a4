//! `cargo xtask realworld`: `orthant cc` as the compiler of projects that know nothing of it.
//!
//! Each project is fetched as Debian's source package (the upstream archive, unpatched; apt verifies it), built
//! twice from fresh copies, once with `clang-22` and once with `orthant cc`, and its own test suite is run both
//! times. The two must agree. The plugin's report shows that it took part: how many functions with loops it saw.
//!
//! The list of sources is private to this task: it lives in a folder of its own, and the user's apt
//! configuration is neither read for sources nor changed.

use crate::workspace::{Built, Profile, Workspace};
use crate::{Failure, Outcome, command, setup};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// A project and how its authors build and test it.
struct Project {
    name: &'static str,
    /// Debian's source package.
    source: &'static str,
    /// What it is written in and built with, for the table.
    kind: &'static str,
    /// Debian packages that its build needs beyond ours.
    needs: &'static [&'static str],
    /// Shell commands, run in the unpacked archive with `CC` and `CXX` set.
    build: &'static str,
    test: &'static str,
}

const CMAKE: &[&str] = &["cmake"];

const PROJECTS: &[Project] = &[
    Project {
        name: "zlib",
        source: "zlib",
        kind: "C, configure",
        needs: &[],
        build: "./configure && make -j2",
        test: "make test",
    },
    Project {
        name: "lz4",
        source: "lz4",
        kind: "C, make",
        needs: &[],
        build: r#"make -j2 CC="$CC" lib lz4"#,
        test: r#"make CC="$CC" check && make -C tests CC="$CC" test-fuzzer test-frametest FUZZER_TIME=-T10s"#,
    },
    Project {
        name: "libpng",
        source: "libpng1.6",
        kind: "C, configure",
        needs: &["zlib1g-dev"],
        build: "./configure --disable-dependency-tracking && make -j2",
        test: "make check",
    },
    Project {
        name: "cjson",
        source: "cjson",
        kind: "C, CMake",
        needs: CMAKE,
        build: "cmake -B build -DCMAKE_BUILD_TYPE=Release && cmake --build build -j2",
        test: "ctest --test-dir build --output-on-failure",
    },
    Project {
        name: "double-conversion",
        source: "double-conversion",
        kind: "C++, CMake",
        needs: CMAKE,
        build: "cmake -B build -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=ON && cmake --build build -j2",
        test: "ctest --test-dir build --output-on-failure",
    },
];

/// How one build and its tests went.
struct Tried {
    built: bool,
    passed: bool,
    seconds: f64,
}

/// Builds and tests the named projects, or all of them.
pub fn run(ws: &Workspace, names: &[String]) -> Outcome {
    let chosen = choose(names)?;
    setup::ensure()?;
    let needs: Vec<_> = chosen.iter().flat_map(|p| p.needs).copied().collect();
    setup::ensure_packages(&needs, "the chosen projects are built with these")?;
    let built = ws.build(Profile::Release)?;
    let place = Place::new(built.plugin.parent().expect("in a folder").join("realworld"))?;
    place.update()?;
    let mut rows = Vec::new();
    for project in &chosen {
        rows.push(compare(project, &place, &built)?);
    }
    println!("\n| project | version | built with | clang-22 | orthant cc | functions with loops seen |");
    println!("|---|---|---|---|---|---|");
    for row in &rows {
        println!("{}", row.text);
    }
    match rows.iter().all(|row| row.good) {
        true => Ok(()),
        false => {
            Err(Failure::failed(format!("not all projects agree; the logs are in {}", place.dir.display())))
        }
    }
}

fn choose(names: &[String]) -> Outcome<Vec<&'static Project>> {
    if names.is_empty() {
        return Ok(PROJECTS.iter().collect());
    }
    let find = |name: &String| {
        PROJECTS.iter().find(|p| p.name == name).ok_or_else(|| {
            let known: Vec<_> = PROJECTS.iter().map(|p| p.name).collect();
            Failure::Missing(format!("no project {name}; there are: {}", known.join(", ")))
        })
    };
    names.iter().map(find).collect()
}

struct Row {
    text: String,
    good: bool,
}

fn compare(project: &Project, place: &Place, built: &Built) -> Outcome<Row> {
    let archive = place.fetch(project.source)?;
    let plain = attempt(project, place, &archive, "clang", ["clang-22", "clang++-22"], None)?;
    let report = place.dir.join(format!("{}.report.jsonl", project.name));
    let _ = fs::remove_file(&report); // the plugin appends
    let orthant = built.orthant.display();
    let (cc, cxx) = (format!("{orthant} cc"), format!("{orthant} c++"));
    let ours = attempt(project, place, &archive, "orthant", [&cc, &cxx], Some(&report))?;
    let seen = fs::read_to_string(&report).map(|text| text.lines().count()).unwrap_or(0);
    let version = version_of(&archive);
    let good = ours.built && ours.passed && seen > 0;
    let text = format!(
        "| {} | {version} | {} | {} | {} | {seen} |",
        project.name,
        project.kind,
        plain.words(),
        ours.words()
    );
    Ok(Row { text, good })
}

impl Tried {
    fn words(&self) -> String {
        let what = match (self.built, self.passed) {
            (false, _) => "does not build",
            (true, false) => "tests fail",
            (true, true) => "tests pass",
        };
        format!("{what} ({:.0} s)", self.seconds)
    }
}

fn attempt(
    project: &Project,
    place: &Place,
    archive: &Path,
    side: &str,
    drivers: [&str; 2],
    report: Option<&Path>,
) -> Outcome<Tried> {
    let tree = place.unpack(archive, &format!("{}-{side}", project.name))?;
    let log = place.dir.join(format!("{}-{side}.log", project.name));
    println!("{}: building and testing with {} (log: {})", project.name, drivers[0], log.display());
    let start = Instant::now();
    let step = |script: &str| {
        let mut shell = Command::new("sh");
        shell.args(["-e", "-c", script]).current_dir(&tree).env("CC", drivers[0]).env("CXX", drivers[1]);
        shell.env_remove("ORTHANT_CONFIG").env_remove("ORTHANT_OPTS").env_remove("MAKEFLAGS");
        if let Some(report) = report {
            shell.env("ORTHANT_OPTS", format!("report={}", report.display()));
        }
        logged(&mut shell, &log)
    };
    let built = step(project.build)?;
    let passed = built && step(project.test)?;
    Ok(Tried { built, passed, seconds: start.elapsed().as_secs_f64() })
}

/// Runs the command with its output appended to the log; whether it succeeded.
fn logged(command: &mut Command, log: &Path) -> Outcome<bool> {
    let io = |e: std::io::Error| Failure::failed(format!("{}: {e}", log.display()));
    let file = File::options().create(true).append(true).open(log).map_err(io)?;
    let errors = file.try_clone().map_err(io)?;
    let status = command.stdin(Stdio::null()).stdout(file).stderr(errors).status();
    Ok(status.map_err(|e| Failure::failed(format!("sh: {e}")))?.success())
}

/// `NAME_1.2.orig.tar.gz` is version 1.2.
fn version_of(archive: &Path) -> String {
    let name = archive.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let version = name.split_once('_').and_then(|(_, rest)| rest.split_once(".orig."));
    version.map_or(name.clone(), |(version, _)| version.to_owned())
}

/// The folder in which everything happens, with an apt configuration of its own.
struct Place {
    dir: PathBuf,
}

impl Place {
    fn new(dir: PathBuf) -> Outcome<Place> {
        let place = Place { dir };
        for part in ["apt/lists/partial", "apt/cache/archives/partial", "sources"] {
            let part = place.dir.join(part);
            fs::create_dir_all(&part).map_err(|e| Failure::failed(format!("{}: {e}", part.display())))?;
        }
        let key = "/usr/share/keyrings/debian-archive-keyring.gpg";
        place.write(
            "apt/sources.list",
            &format!("deb-src [signed-by={key}] http://deb.debian.org/debian bookworm main\n"),
        )?;
        let apt = place.dir.join("apt");
        let apt = apt.display();
        place.write(
            "apt/conf",
            &format!(
                "Dir::Etc::sourcelist \"{apt}/sources.list\";\nDir::Etc::sourceparts \"-\";\n\
                 Dir::State::lists \"{apt}/lists\";\nDir::Cache \"{apt}/cache\";\nAPT::Sandbox::User \"\";\n"
            ),
        )?;
        Ok(place)
    }

    fn write(&self, name: &str, text: &str) -> Outcome {
        let file = self.dir.join(name);
        fs::write(&file, text).map_err(|e| Failure::failed(format!("{}: {e}", file.display())))
    }

    fn apt_get(&self) -> Command {
        let mut apt = Command::new("apt-get");
        apt.env("APT_CONFIG", self.dir.join("apt/conf")).current_dir(self.dir.join("sources")).arg("-q");
        apt
    }

    fn update(&self) -> Outcome {
        command::run(self.apt_get().arg("update"))
    }

    /// Downloads the source package, unless it is there, and returns the upstream archive.
    fn fetch(&self, source: &str) -> Outcome<PathBuf> {
        command::run(self.apt_get().args(["source", "--download-only", source]))?;
        let sources = self.dir.join("sources");
        let entries =
            fs::read_dir(&sources).map_err(|e| Failure::failed(format!("{}: {e}", sources.display())))?;
        let mut archives = entries.filter_map(|entry| Some(entry.ok()?.path()));
        let upstream = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with(&format!("{source}_")) && name.contains(".orig.tar.") && !name.ends_with(".asc")
        };
        archives
            .find(upstream)
            .ok_or_else(|| Failure::failed(format!("no upstream archive of {source} was downloaded")))
    }

    fn unpack(&self, archive: &Path, name: &str) -> Outcome<PathBuf> {
        let tree = self.dir.join(name);
        let io = |e: std::io::Error| Failure::failed(format!("{}: {e}", tree.display()));
        if tree.exists() {
            fs::remove_dir_all(&tree).map_err(io)?;
        }
        let _ = fs::remove_file(self.dir.join(format!("{name}.log")));
        fs::create_dir_all(&tree).map_err(io)?;
        command::output(
            Command::new("tar").args(["--strip-components=1", "-xf"]).arg(archive).arg("-C").arg(&tree),
        )?;
        Ok(tree)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_in_the_archive_s_name() {
        assert_eq!(version_of(Path::new("x/libpng1.6_1.6.39.orig.tar.gz")), "1.6.39");
        assert_eq!(version_of(Path::new("odd.tar.gz")), "odd.tar.gz");
    }

    #[test]
    fn an_unknown_project_is_refused_with_the_list() {
        assert_eq!(choose(&[]).unwrap_or_default().len(), PROJECTS.len());
        match choose(&["zlib".into(), "nonesuch".into()]) {
            Err(Failure::Missing(message)) => {
                assert!(message.contains("nonesuch") && message.contains("libpng"))
            }
            _ => panic!("accepted"),
        }
    }
}
