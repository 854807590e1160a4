//! Files mapped into the program: where they are, which code of them is to be described, where functions begin.
//!
//! In user mode QEMU maps the program's files into its own address space, so `/proc/self/maps` names them all, libraries
//! loaded later included; the program's addresses are the host's minus a constant (`guest_base`).

use crate::unwind;
use object::{Object, ObjectSection, ObjectSegment, ObjectSymbol, SymbolKind};
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// An executable mapping of a file that is described.
#[derive(Debug, Clone)]
pub struct Module {
    /// The file.
    pub path: PathBuf,
    /// The program's addresses of its code.
    pub code: Range<u64>,
    /// What its own addresses must be increased by.
    pub bias: u64,
    /// Code that only jumps on into libraries.
    stubs: Vec<Range<u64>>,
    /// Where functions begin, by symbols and by the tables for unwinding.
    entries: BTreeSet<u64>,
    /// Where functions that statements are wanted of begin; `None`: all.
    wanted: Option<BTreeSet<u64>>,
    /// The names among those asked for that some function has.
    names: BTreeSet<String>,
    /// Where functions begin that begin (first) and end (second) the recording.
    moments: [BTreeSet<u64>; 2],
}

/// Which files are described, and which functions in them.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// The program itself.
    pub program: PathBuf,
    /// Libraries too whose file name contains one of these.
    pub libraries: Vec<String>,
    /// Functions with one of these names; empty: all.
    pub functions: Vec<String>,
    /// Functions that begin and end the recording.
    pub moments: [Option<String>; 2],
}

impl Selection {
    fn takes(&self, path: &Path) -> bool {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        path == self.program || self.libraries.iter().any(|library| name.contains(library.as_str()))
    }
}

/// Whether a function is meant: by its name with or without its path, without its parameters. The compiler's own versions of it
/// (`f.constprop.0`, `f.part.1`) are meant, too.
fn is_called(name: &str, meant: &str) -> bool {
    let plain = name.split('(').next().unwrap_or(name);
    let is = |name: &str| {
        let rest = name.strip_prefix(meant);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    is(plain) || plain.rsplit("::").next().is_some_and(is)
}

/// All described files.
#[derive(Debug, Default)]
pub struct Modules {
    /// What to describe.
    selection: Selection,
    /// Added to the program's addresses gives the host's.
    pub guest_base: u64,
    list: Vec<Module>,
    /// Executable mappings of anything else, so that they are not looked for again.
    others: Vec<Range<u64>>,
}

impl Modules {
    /// Nothing is known yet but what is wanted.
    pub fn new(selection: Selection) -> Modules {
        Modules { selection, ..Modules::default() }
    }

    /// The files, in the order in which they were found.
    pub fn files(&self) -> Vec<PathBuf> {
        let mut files: Vec<PathBuf> = Vec::new();
        for module in &self.list {
            if !files.contains(&module.path) {
                files.push(module.path.clone());
            }
        }
        files
    }

    /// Functions that were asked for and that no described file has by that name.
    pub fn missing(&self) -> Vec<&String> {
        let is_there = |name: &String| self.list.iter().any(|module| module.names.contains(name));
        self.selection.functions.iter().filter(|name| !is_there(name)).collect()
    }

    /// The described module with code at an address, looking for new mappings if the address is unknown.
    pub fn find(&mut self, pc: u64) -> Option<&Module> {
        let known = |m: &Modules| m.list.iter().position(|m| m.code.contains(&pc));
        if known(self).is_none() && !self.others.iter().any(|range| range.contains(&pc)) {
            self.scan();
            if known(self).is_none() && !self.others.iter().any(|range| range.contains(&pc)) {
                self.others.push(pc & !0xfff..(pc | 0xfff) + 1);
            }
        }
        known(self).map(|n| &self.list[n])
    }

    /// The module, if it is known already.
    pub fn at(&self, pc: u64) -> Option<&Module> {
        self.list.iter().find(|m| m.code.contains(&pc))
    }

    fn scan(&mut self) {
        let Ok(maps) = std::fs::read_to_string("/proc/self/maps") else { return };
        self.others.clear();
        for mut mapping in maps.lines().filter_map(mapping) {
            let Some(start) = mapping.range.start.checked_sub(self.guest_base) else { continue };
            mapping.range = start..mapping.range.end - self.guest_base;
            // The first mapping of a file has its headers and tells where the rest is.
            let known = self.list.iter().any(|m| m.path == mapping.path);
            let taken = !known && mapping.offset == 0 && self.selection.takes(&mapping.path);
            match taken.then(|| Module::read(&mapping, &self.selection)).flatten() {
                Some(module) => self.list.push(module),
                None => self.others.push(mapping.range),
            }
        }
    }
}

/// A file that is mapped.
#[derive(Debug, PartialEq, Eq)]
struct Mapping {
    range: Range<u64>,
    offset: u64,
    path: PathBuf,
}

/// Reads a line of `/proc/self/maps`. QEMU maps the program's code without the host's permission to execute it; what
/// the host may execute is QEMU's own.
fn mapping(line: &str) -> Option<Mapping> {
    let words: Vec<&str> = line.splitn(6, ' ').collect();
    let [range, permissions, offset, _, _, path] = words.as_slice() else { return None };
    let (start, end) = range.split_once('-')?;
    let path = Some(path.trim_start()).filter(|path| path.starts_with('/') && !permissions.contains('x'))?;
    let number = |text| u64::from_str_radix(text, 16).ok();
    Some(Mapping { range: number(start)?..number(end)?, offset: number(offset)?, path: path.into() })
}

impl Module {
    fn read(mapping: &Mapping, selection: &Selection) -> Option<Module> {
        let path = &mapping.path;
        let bytes = std::fs::read(path).ok()?;
        let file = object::File::parse(&*bytes).ok()?;
        let first = file.segments().min_by_key(|s| s.file_range().0)?;
        let bias = mapping.range.start.wrapping_sub(first.address().wrapping_sub(first.file_range().0));
        let executable = |s: &object::Segment<'_, '_>| match s.flags() {
            object::SegmentFlags::Elf { p_flags } => p_flags & object::elf::PF_X != 0,
            _ => false,
        };
        let segment = file.segments().find(executable)?;
        let start = segment.address().wrapping_add(bias);
        let code = start..start + segment.size();
        let is_stub = |name: &str| name.starts_with(".plt");
        let stubs = file.sections().filter(|s| s.name().is_ok_and(is_stub)).map(|s| {
            let start = s.address().wrapping_add(bias);
            start..start + s.size()
        });
        let tables = unwind::functions(&file);
        let mut entries: BTreeSet<u64> = tables.iter().map(|(start, ..)| start.wrapping_add(bias)).collect();
        let (mut wanted, mut names) = (BTreeSet::new(), BTreeSet::new());
        let mut moments: [BTreeSet<u64>; 2] = Default::default();
        for symbol in file.symbols().chain(file.dynamic_symbols()) {
            if symbol.kind() == SymbolKind::Text && symbol.is_definition() {
                let at = symbol.address().wrapping_add(bias);
                entries.insert(at);
                let Ok(name) = symbol.name() else { continue };
                let name = addr2line::demangle_auto(name.into(), None);
                for function in selection.functions.iter().filter(|f| is_called(&name, f)) {
                    wanted.insert(at);
                    names.insert(function.clone());
                }
                for (set, moment) in moments.iter_mut().zip(&selection.moments) {
                    set.extend(moment.as_ref().filter(|m| is_called(&name, m)).map(|_| at));
                }
            }
        }
        let wanted = (!selection.functions.is_empty()).then_some(wanted);
        let (path, stubs) = (path.clone(), stubs.collect());
        Some(Module { path, stubs, code, bias, entries, wanted, names, moments })
    }

    /// Whether there is code to be described at an address.
    pub fn describes(&self, pc: u64) -> bool {
        self.code.contains(&pc) && !self.stubs.iter().any(|range| range.contains(&pc))
    }

    /// Where the function around an address begins, if that is known.
    pub fn entry_of(&self, pc: u64) -> Option<u64> {
        self.entries.range(..=pc).next_back().copied()
    }

    /// Whether a function that begins (0) or ends (1) the recording is at an address.
    pub fn moment(&self, pc: u64) -> Option<usize> {
        self.moments.iter().position(|set| set.contains(&pc))
    }

    /// Whether statements of the function at this address are wanted.
    pub fn wants(&self, entry: u64) -> bool {
        self.wanted.as_ref().is_none_or(|wanted| wanted.contains(&entry))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_maps() {
        let line = "4000003000-4000004000 r--p 00002000 fe:00 10011817                       /tmp/a b";
        let expected = Mapping { range: 0x4000003000..0x4000004000, offset: 0x2000, path: "/tmp/a b".into() };
        assert_eq!(mapping(line), Some(expected));
        assert_eq!(mapping("7f6009244000-7f600939a000 r-xp 00026000 fe:00 326279 /usr/lib/libc.so.6"), None);
        assert_eq!(mapping("4000005000-4000026000 rw-p 00000000 00:00 0 "), None);
        assert_eq!(mapping(""), None);
    }

    #[test]
    fn functions_by_name() {
        let is_meant = |name| is_called(name, "f") || is_called(name, "a::g");
        assert!(is_meant("f") && is_meant("ns::f(int)") && is_meant("a::g"));
        assert!(is_meant("f.constprop.0") && is_meant("f.part.0.cold"));
        assert!(!is_meant("ff") && !is_meant("b::g"));
    }
}
