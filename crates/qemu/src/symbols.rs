//! Names, source lines and text for the addresses of a profile.
//!
//! Everything comes from the files themselves: debug information if there is some, else symbols, else addresses. A loop
//! stands where its jump back does (the `for` or `while` in most compilers' debug information).

use crate::unwind;
use addr2line::Loader;
use iced_x86::{Decoder, DecoderOptions, Formatter, IntelFormatter, Mnemonic};
use model::SourceLoc;
use object::{Object, ObjectSegment, ObjectSymbol, ObjectSymbolTable, RelocationTarget};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use trace::Profile;
use trace::profile::{Address, Class, Frame};

/// A file with code.
struct File {
    loader: Option<Loader>,
    /// The code: addresses and bytes.
    code: Vec<(u64, Vec<u8>)>,
    /// Where functions begin and end.
    functions: Vec<(u64, u64)>,
    /// Functions of libraries by the place where the dynamic linker writes their addresses.
    imported: HashMap<u64, String>,
}

/// What is known of an address.
#[derive(Clone, Default)]
struct Place {
    function: String,
    loc: Option<SourceLoc>,
}

struct Symbols {
    files: Vec<File>,
    folder: PathBuf,
    known: HashMap<Address, Place>,
}

/// Fills in what the plugin could not know.
pub fn resolve(profile: &mut Profile) {
    let files = profile.collection.instrumented.iter().map(|file| File::read(Path::new(file))).collect();
    let folder = std::env::current_dir().unwrap_or_default();
    let mut symbols = Symbols { files, folder, known: HashMap::new() };
    for nest in &mut profile.nests {
        nest.context.iter_mut().for_each(|frame| symbols.frame(frame));
        for l in &mut nest.loops {
            l.calls.iter_mut().for_each(|frame| symbols.frame(frame));
            l.function = symbols.outer_function(l.address);
            l.loc = symbols.place(l.latch).loc.or_else(|| symbols.place(l.address).loc);
        }
        for statement in &mut nest.statements {
            let place = symbols.place(statement.address);
            statement.function = place.function;
            statement.loc = place.loc;
            statement.text = symbols.text(statement.address, statement.class);
        }
    }
    symbols.warn(profile);
}

impl File {
    fn read(path: &Path) -> File {
        let bytes = std::fs::read(path).unwrap_or_default();
        let Ok(file) = object::File::parse(&*bytes) else {
            return File { loader: None, code: Vec::new(), functions: Vec::new(), imported: HashMap::new() };
        };
        let code = file.segments().filter_map(|s| Some((s.address(), s.data().ok()?.to_vec())));
        let functions = unwind::functions(&file).into_iter().map(|(start, end, _)| (start, end)).collect();
        File { loader: Loader::new(path).ok(), code: code.collect(), functions, imported: imported(&file) }
    }

    /// Where the function around an address begins, by the tables for unwinding.
    fn begin(&self, address: u64) -> Option<u64> {
        let after = self.functions.partition_point(|f| f.0 <= address);
        let (start, end) = *self.functions.get(after.checked_sub(1)?)?;
        (address < end).then_some(start)
    }

    /// The bytes at an address.
    fn bytes(&self, address: u64) -> Option<&[u8]> {
        self.code
            .iter()
            .find_map(|(start, bytes)| bytes.get(usize::try_from(address.checked_sub(*start)?).ok()?..))
    }

    /// The library function that a stub jumps on to.
    fn stub(&self, address: u64) -> Option<&String> {
        let mut decoder = Decoder::with_ip(64, self.bytes(address)?, address, DecoderOptions::NONE);
        let jump = (0..3).map(|_| decoder.decode()).find(|i| i.mnemonic() == Mnemonic::Jmp)?;
        jump.is_ip_rel_memory_operand().then(|| self.imported.get(&jump.ip_rel_memory_address()))?
    }
}

impl Symbols {
    fn loader(&self, address: Address) -> Option<&Loader> {
        self.files.get(address.file as usize)?.loader.as_ref()
    }

    fn frame(&mut self, frame: &mut Frame) {
        frame.function = self.outer_function(frame.address);
        if frame.call.offset != 0 {
            frame.called_from = self.place(frame.call).loc;
        }
    }

    /// The function that an address is in, not one that was inlined there.
    fn outer_function(&self, address: Address) -> String {
        let symbol = self.loader(address).and_then(|loader| loader.find_symbol_info(address.offset));
        let begins = self.files.get(address.file as usize).and_then(|file| file.begin(address.offset));
        // The nearest symbol below may be that of another function: stripped files have some left.
        match symbol.filter(|symbol| begins.is_none_or(|begin| begin <= symbol.address())) {
            Some(symbol) => demangled(symbol.name()),
            None => format!("{:#x}", begins.unwrap_or(address.offset)),
        }
    }

    fn place(&mut self, address: Address) -> Place {
        if let Some(place) = self.known.get(&address) {
            return place.clone();
        }
        let place = self.find(address);
        self.known.insert(address, place.clone());
        place
    }

    fn find(&self, address: Address) -> Place {
        let mut place = Place { function: self.outer_function(address), loc: None };
        let Some(loader) = self.loader(address) else { return place };
        if let Ok(mut frames) = loader.find_frames(address.offset)
            && let Ok(Some(frame)) = frames.next()
        {
            if let Some(name) = frame.function.as_ref().and_then(|f| f.demangle().ok()) {
                place.function = name.into_owned();
            }
            place.loc = frame.location.and_then(|l| self.loc(l.file?, l.line?, l.column));
        }
        place
    }

    fn loc(&self, file: &str, line: u32, column: Option<u32>) -> Option<SourceLoc> {
        let path = Path::new(file);
        let short = path.strip_prefix(&self.folder).unwrap_or(path).to_string_lossy().into_owned();
        (line > 0).then(|| SourceLoc { file: short, line, column: column.unwrap_or(0) })
    }

    /// The instruction, with the name of what it calls.
    fn text(&self, address: Address, class: Class) -> String {
        let Some(file) = self.files.get(address.file as usize) else { return String::new() };
        let Some(bytes) = file.bytes(address.offset) else { return String::new() };
        let mut decoder =
            Decoder::with_ip(64, &bytes[..bytes.len().min(15)], address.offset, DecoderOptions::NONE);
        let instruction = decoder.decode();
        let target = instruction.near_branch_target();
        if class == Class::Call && target != 0 {
            let of_library = file.stub(target).map(|name| demangled(name));
            let name =
                of_library.unwrap_or_else(|| self.outer_function(Address { offset: target, ..address }));
            return format!("call {name}");
        }
        let mut text = String::new();
        let mut formatter = IntelFormatter::new();
        formatter.options_mut().set_space_after_operand_separator(true);
        formatter.format(&instruction, &mut text);
        text
    }

    fn warn(&self, profile: &mut Profile) {
        let loops = || profile.nests.iter().flat_map(|nest| &nest.loops);
        let (any, named) = (loops().count() > 0, loops().any(|l| !l.function.starts_with("0x")));
        let placed = loops().any(|l| l.loc.is_some());
        if any && !named {
            profile.warn("no-symbols", "the program has no symbols: functions are shown by their addresses");
        }
        if any && !placed {
            profile.warn(
                "no-debug-info",
                "the program has no debug information: compile it with -g for source lines",
            );
        }
    }
}

fn imported(file: &object::File<'_>) -> HashMap<u64, String> {
    let (Some(relocations), Some(table)) = (file.dynamic_relocations(), file.dynamic_symbol_table()) else {
        return HashMap::new();
    };
    let name = |target| match target {
        RelocationTarget::Symbol(index) => Some(table.symbol_by_index(index).ok()?.name().ok()?.to_owned()),
        _ => None,
    };
    relocations.filter_map(|(place, relocation)| Some((place, name(relocation.target())?))).collect()
}

fn demangled(name: &str) -> String {
    addr2line::demangle_auto(name.into(), None).into_owned()
}
