//! Whole files or none.
//!
//! A tool writes into an unnamed temporary file ([`scratch`]), which vanishes with the process however that ends.
//! `write` copies it, when everything has succeeded, to a named temporary file beside the target and renames that:
//! a reader sees the old file or the new one, never a part. Devices, pipes and other special files cannot be
//! replaced and are written directly.

use crate::failure::Failure;
use std::fs::{File, Permissions};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// An unnamed file.
pub fn scratch() -> Result<File, Failure> {
    tempfile::tempfile().map_err(|error| {
        Failure::broken(format!("cannot create a temporary file: {error}"))
            .remedy("make room in the folder for temporary files, or let TMPDIR name another one")
    })
}

/// A second handle to a scratch file, for a child process.
pub fn handle(file: &File) -> Result<File, Failure> {
    file.try_clone().map_err(|error| Failure::broken(format!("cannot share a temporary file: {error}")))
}

/// Everything in a scratch file.
pub fn content(mut file: &File) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    file.rewind()
        .and_then(|()| file.read_to_end(&mut bytes))
        .map_err(|error| Failure::broken(format!("cannot read a temporary file: {error}")))?;
    Ok(bytes)
}

/// Refuses a target that cannot be written, before any work is done for it.
pub fn check(target: &Path) -> Result<(), Failure> {
    let failed = |why: &str| {
        let name = target.display();
        Err(Failure::broken(format!("cannot write {name}: {why}"))
            .remedy("give -o a file name in an existing folder"))
    };
    if target == Path::new("-") {
        return Ok(());
    }
    if target.is_dir() {
        return failed("it is a folder");
    }
    match folder(target) {
        folder if folder.is_dir() => Ok(()),
        folder => failed(&format!("{} is no folder", folder.display())),
    }
}

/// Puts the bytes where the user asked for them; `-` is standard output.
pub fn write(target: &Path, bytes: &[u8]) -> Result<(), Failure> {
    if target == Path::new("-") {
        return print(bytes);
    }
    // Through a link, the file it names is replaced, not the link.
    let real = target.canonicalize().unwrap_or_else(|_| target.to_owned());
    let special = real.metadata().is_ok_and(|data| !data.is_file());
    let written = if special { directly(&real, bytes) } else { replaced(&real, bytes) };
    written.map_err(|error| Failure::broken(format!("cannot write {}: {error}", target.display())))
}

fn directly(target: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::options().write(true).open(target)?;
    file.write_all(bytes)?;
    file.flush()
}

fn replaced(target: &Path, bytes: &[u8]) -> io::Result<()> {
    let permissions = match target.metadata() {
        Ok(data) => data.permissions(),
        Err(_) => Permissions::from_mode(0o666), // less the process's mask
    };
    let mut file =
        tempfile::Builder::new().prefix(".orthant-").permissions(permissions).tempfile_in(folder(target))?;
    file.write_all(bytes)?;
    file.persist(target)?;
    Ok(())
}

fn folder(target: &Path) -> PathBuf {
    match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// Writes to standard output. A reader that has gone (`| head`) has what it wanted.
pub fn print(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::broken(format!("cannot write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_replaced_whole_and_links_and_modes_stay() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("out");
        write(&file, b"one").unwrap();
        std::fs::set_permissions(&file, Permissions::from_mode(0o640)).unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&file, &link).unwrap();
        write(&link, b"two").unwrap();
        assert_eq!(std::fs::read(&file).unwrap(), b"two");
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn special_files_are_written_not_replaced() {
        let null = Path::new("/dev/null");
        write(null, b"text").unwrap();
        assert!(!null.metadata().unwrap().is_file());
        assert!(write(Path::new("/dev/full"), b"text").is_err());
    }

    #[test]
    fn targets_without_a_folder_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        assert!(check(folder.path()).is_err());
        assert!(check(&folder.path().join("none/out")).is_err());
        assert!(check(&folder.path().join("out")).is_ok());
        assert!(check(Path::new("-")).is_ok() && check(Path::new("bare-name")).is_ok());
    }
}
