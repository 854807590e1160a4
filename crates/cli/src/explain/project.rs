//! The files of a whole project, from its `compile_commands.json`.
//!
//! CMake, Meson, ninja and bear write it: an array of `{directory, file, command | arguments}`. The compiler that it
//! names is replaced by ours of the same language, its flags are kept, less inputs, outputs and `-O0`: nothing is
//! optimized at that level, so there would be nothing to explain.

use super::compile::{Job, Language, only_flags};
use crate::failure::Failure;
use crate::tools::Tool;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

#[derive(serde::Deserialize)]
struct Entry {
    directory: PathBuf,
    file: PathBuf,
    command: Option<String>,
    arguments: Option<Vec<String>>,
}

/// One job per entry whose language is known. `path` is the file, or the folder it is in.
pub fn jobs(path: &Path, more: &[OsString]) -> Result<Vec<Job>, Failure> {
    let file = if path.is_dir() { path.join("compile_commands.json") } else { path.to_owned() };
    let name = file.display();
    let text = std::fs::read_to_string(&file).map_err(|error| {
        Failure::broken(format!("cannot read {name}: {error}"))
            .remedy("CMake writes it with -DCMAKE_EXPORT_COMPILE_COMMANDS=ON; for make, `bear -- make` does")
    })?;
    let entries: Vec<Entry> = serde_json::from_str(&text)
        .map_err(|error| Failure::broken(format!("{name} is no compilation database: {error}")))?;
    // Folders in it may be relative, to the database's own.
    let base = std::path::absolute(&file)
        .ok()
        .and_then(|file| file.parent().map(Path::to_owned))
        .unwrap_or_default();
    entries.into_iter().filter_map(|entry| job(entry, &base, more).transpose()).collect()
}

fn job(entry: Entry, base: &Path, more: &[OsString]) -> Result<Option<Job>, Failure> {
    let Some(Language::Compiled(tool)) = Language::of(&entry.file) else { return Ok(None) };
    let words = match (entry.arguments, entry.command) {
        (Some(words), _) => words,
        (None, Some(command)) => shlex::split(&command).ok_or_else(|| {
            Failure::broken(format!("{}: its command has an open quote: {command}", entry.file.display()))
        })?,
        (None, None) => Vec::new(),
    };
    let words: Vec<OsString> = words.into_iter().map(OsString::from).collect();
    let (compiler, arguments) = split(&words, &entry.file);
    let tool = if tool == Tool::Clang && compiler.iter().any(is_cxx) { Tool::ClangCxx } else { tool };
    let mut flags = only_flags(arguments, &entry.file);
    flags.retain(|flag| flag != "-O0");
    flags.extend(more.iter().cloned());
    let folder = base.join(entry.directory);
    Ok(Some(Job { file: entry.file, language: Language::Compiled(tool), flags, folder: Some(folder) }))
}

/// The compiler may be several words (`ccache gcc`, `orthant cc`): all before the first option or the input.
fn split<'a>(words: &'a [OsString], file: &Path) -> (&'a [OsString], &'a [OsString]) {
    let is_argument = |word: &OsString| {
        word.as_encoded_bytes().starts_with(b"-")
            || word.as_encoded_bytes().starts_with(b"@")
            || Path::new(word) == file
    };
    let at = words.iter().skip(1).position(is_argument).map_or(words.len(), |at| at + 1);
    words.split_at(at)
}

fn is_cxx(word: &OsString) -> bool {
    let name =
        Path::new(word).file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    name.contains("++")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jobs_of(text: &str) -> Result<Vec<Job>, Failure> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("compile_commands.json"), text).unwrap();
        jobs(folder.path(), &["-DMORE".into()])
    }

    #[test]
    fn entries_become_jobs() {
        let jobs = jobs_of(
            r#"[{"directory": "/b", "file": "../a.c", "command": "ccache gcc -O0 -g -DS='a b' -o a.o -c ../a.c"},
                {"directory": "sub", "file": "b.c", "arguments": ["orthant", "c++", "b.c", "-O2", "-c"], "output": "b.o"},
                {"directory": "/b", "file": "s.S", "command": "gcc -c s.S"}]"#,
        )
        .unwrap();
        assert_eq!(jobs.len(), 2);
        assert_eq!(jobs[0].language, Language::Compiled(Tool::Clang));
        assert_eq!(jobs[0].flags, ["-g", "-DS=a b", "-DMORE"]);
        assert_eq!(jobs[0].folder.as_deref(), Some(Path::new("/b")));
        assert_eq!(jobs[1].language, Language::Compiled(Tool::ClangCxx));
        assert_eq!(jobs[1].flags, ["-O2", "-DMORE"]);
        assert!(jobs[1].folder.as_ref().unwrap().is_absolute());
    }

    #[test]
    fn broken_databases_are_refused() {
        assert!(jobs_of("[{").unwrap_err().message().contains("no compilation database"));
        assert!(jobs_of("{}").is_err());
        let open = r#"[{"directory": "/", "file": "a.c", "command": "gcc 'a.c"}]"#;
        assert!(jobs_of(open).unwrap_err().message().contains("open quote"));
        assert!(jobs(Path::new("/no/such/folder"), &[]).is_err());
    }
}
