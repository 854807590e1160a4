//! Where things are: the repository, its crates, its files, and what cargo builds.

use crate::{Failure, Outcome, command};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The repository.
pub struct Workspace {
    /// Its top folder.
    pub root: PathBuf,
}

/// Which build of the project is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// `target/debug`
    Dev,
    /// `target/release`
    Release,
}

/// One crate of the workspace, as its manifest has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    /// The crate's name.
    pub name: String,
    /// Its dependencies, in every section of the manifest.
    pub dependencies: Vec<Dependency>,
}

/// One line of a `[dependencies]` section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependency {
    /// The crate depended on.
    pub name: String,
    /// Whether it is a crate of this workspace.
    pub local: bool,
    /// Whether only tests and examples see it.
    pub dev: bool,
}

impl Workspace {
    /// Finds the repository that this program belongs to: cargo says so; without cargo, the build did.
    pub fn find() -> Outcome<Workspace> {
        let manifest = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
        let from_cargo = manifest.filter(|dir| dir.ends_with("crates/xtask"));
        let dir = from_cargo.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")));
        match dir.ancestors().nth(2) {
            Some(root) if root.join("Cargo.toml").is_file() => Ok(Workspace { root: root.to_owned() }),
            _ => Err(Failure::failed(format!(
                "{} is not in a checkout of Orthant; use `cargo xtask`",
                dir.display()
            ))),
        }
    }

    /// A cargo to be run in the repository.
    pub fn cargo(&self, subcommand: &str) -> Command {
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.arg(subcommand).current_dir(&self.root);
        cargo
    }

    /// What `cargo metadata` says about the workspace's own crates.
    pub fn metadata(&self) -> Outcome<Value> {
        let text = command::output(self.cargo("metadata").args(["--no-deps", "--format-version=1"]))?;
        serde_json::from_str(&text).map_err(|e| Failure::failed(format!("cargo metadata: {e}")))
    }

    /// The crates of the workspace with their dependencies.
    pub fn packages(&self) -> Outcome<Vec<Package>> {
        Ok(packages(&self.metadata()?))
    }

    /// The folder that a profile's binaries end up in.
    pub fn out_dir(&self, profile: Profile) -> Outcome<PathBuf> {
        let metadata = self.metadata()?;
        let target = metadata["target_directory"].as_str();
        let target = target.ok_or_else(|| Failure::failed("cargo metadata has no target_directory"))?;
        Ok(Path::new(target).join(match profile {
            Profile::Dev => "debug",
            Profile::Release => "release",
        }))
    }

    /// Builds the plugins and the command, and says where they are.
    pub fn build(&self, profile: Profile) -> Outcome<Built> {
        let dir = self.build_packages(&["plugin", "cli", "qemu"], profile)?;
        Ok(Built { plugin: dir.join("liborthant.so"), orthant: dir.join("orthant") })
    }

    /// Builds a plugin whose run-time checks can be left out (`ORTHANT_DROP_CHECKS`), and runs `work` with it in its place;
    /// afterwards the usual one is there again.
    pub fn with_droppable_checks<T>(
        &self,
        profile: Profile,
        work: impl FnOnce(&Path) -> Outcome<T>,
    ) -> Outcome<T> {
        let done = self
            .build_with(&["-p", "plugin", "--features", "plugin/drop-checks"], profile)
            .and_then(|folder| work(&folder.join("liborthant.so")));
        self.build_packages(&["plugin"], profile)?;
        done
    }

    /// Builds what `orthant profile` needs, which does not include LLVM; the command.
    pub fn build_profiler(&self, profile: Profile) -> Outcome<PathBuf> {
        Ok(self.build_packages(&["cli", "qemu"], profile)?.join("orthant"))
    }

    /// Builds packages; the folder with the results.
    fn build_packages(&self, packages: &[&str], profile: Profile) -> Outcome<PathBuf> {
        let names: Vec<_> = packages.iter().flat_map(|package| ["-p", package]).collect();
        self.build_with(&names, profile)
    }

    fn build_with(&self, args: &[&str], profile: Profile) -> Outcome<PathBuf> {
        let mut cargo = self.cargo("build");
        cargo.args(args);
        if profile == Profile::Release {
            cargo.arg("--release");
        }
        command::run(&mut cargo)?;
        self.out_dir(profile)
    }

    /// Every file of the repository that is, or is about to be, under version control.
    pub fn files(&self) -> Outcome<BTreeSet<PathBuf>> {
        let mut git = Command::new("git");
        git.current_dir(&self.root).args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
        let names = command::output(&mut git)?;
        let listed = names.split('\0').filter(|name| !name.is_empty()).map(PathBuf::from);
        // A file deleted but not yet committed as deleted is still listed.
        Ok(listed.filter(|file| self.root.join(file).is_file()).collect())
    }
}

/// What a build of the project yields.
pub struct Built {
    /// `liborthant.so`
    pub plugin: PathBuf,
    /// The command.
    pub orthant: PathBuf,
}

fn packages(metadata: &Value) -> Vec<Package> {
    let packages = metadata["packages"].as_array().into_iter().flatten();
    packages
        .map(|package| Package {
            name: package["name"].as_str().unwrap_or_default().to_owned(),
            dependencies: package["dependencies"].as_array().into_iter().flatten().map(dependency).collect(),
        })
        .collect()
}

fn dependency(value: &Value) -> Dependency {
    Dependency {
        name: value["name"].as_str().unwrap_or_default().to_owned(),
        local: value["path"].is_string(),
        dev: value["kind"].as_str() == Some("dev"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_yields_crates_and_edges() {
        let metadata = serde_json::json!({ "packages": [{ "name": "a", "dependencies": [
            { "name": "b", "path": "/x/b", "kind": null },
            { "name": "tempfile", "kind": "dev" },
        ]}]});
        let expected = vec![Package {
            name: "a".into(),
            dependencies: vec![
                Dependency { name: "b".into(), local: true, dev: false },
                Dependency { name: "tempfile".into(), local: false, dev: true },
            ],
        }];
        assert_eq!(packages(&metadata), expected);
    }
}
