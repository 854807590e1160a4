//! Where real projects come from: Debian's source packages, of which the upstream archive is taken, unpatched; apt
//! verifies it.
//!
//! The list of sources is private: it lives in a folder of its own, and the user's apt configuration is neither read for
//! sources nor changed.

use crate::{Failure, Outcome, command};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder in which everything happens, with an apt configuration of its own.
pub struct Place {
    /// Where it is.
    pub dir: PathBuf,
}

impl Place {
    /// Makes the folder, or takes the one that is there.
    pub fn new(dir: PathBuf) -> Outcome<Place> {
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

    /// Asks Debian for its list of sources.
    pub fn update(&self) -> Outcome {
        command::run(self.apt_get().arg("update"))
    }

    /// Downloads the source package, unless it is there, and returns the upstream archive.
    pub fn fetch(&self, source: &str) -> Outcome<PathBuf> {
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

    /// A fresh copy of the archive, in a folder of that name.
    pub fn unpack(&self, archive: &Path, name: &str) -> Outcome<PathBuf> {
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

/// `NAME_1.2.orig.tar.gz` is version 1.2.
pub fn version_of(archive: &Path) -> String {
    let name = archive.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let version = name.split_once('_').and_then(|(_, rest)| rest.split_once(".orig."));
    version.map_or(name.clone(), |(version, _)| version.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_in_the_archive_s_name() {
        assert_eq!(version_of(Path::new("x/libpng1.6_1.6.39.orig.tar.gz")), "1.6.39");
        assert_eq!(version_of(Path::new("odd.tar.gz")), "odd.tar.gz");
    }
}
