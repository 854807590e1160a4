//! Files mapped into another process, and the way up its stack.
//!
//! The calls on a stack are found as a debugger finds them: the compiler's tables (`.eh_frame`, in every program and library, also
//! stripped ones) say for each address where the caller's registers are. A stack whose tables are missing or damaged ends there.

use crate::decode;
use crate::lookahead::Instructions;
use addr2line::gimli::{
    BaseAddresses, CfaRule, CieOrFde, EhFrame, EndianSlice, NativeEndian, RegisterRule, UnwindContext,
    UnwindSection, X86_64,
};
use iced_x86::Instruction;
use object::{Object, ObjectSection, ObjectSegment, ObjectSymbol, SymbolKind};
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};
use trace::code::Pc;

/// Calls that are followed upwards.
const DEEPEST: usize = 256;

/// A mapped file; its own addresses are the process's minus `bias`.
pub struct Image {
    /// The file.
    pub path: PathBuf,
    /// What its own addresses must be increased by.
    pub bias: u64,
    /// Whether its code is described, or counts as the call that reached it.
    pub described: bool,
    mapped: Range<u64>,
    code: Vec<(Range<u64>, Vec<u8>)>,
    stubs: Vec<Range<u64>>,
    entries: BTreeSet<u64>,
    tables: Vec<u8>,
    tables_at: u64,
    /// Functions with a table: begin, end, where the table is.
    functions: Vec<(u64, u64, usize)>,
}

/// The registers that lead up a stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Registers {
    /// Where the program is.
    pub pc: u64,
    /// The stack pointer.
    pub sp: u64,
    /// The frame pointer, if the function has one.
    pub bp: u64,
}

/// A call: where it is, and where its function begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame {
    /// An address inside the instruction that runs or calls.
    pub at: u64,
    /// The beginning of its function, if it is in a described file.
    pub entry: Option<u64>,
}

/// Functions with a table in a file, sorted: begin, end, where the table is. They are in stripped files, too.
pub fn functions(file: &object::File<'_>) -> Vec<(u64, u64, usize)> {
    let Some(tables) = file.section_by_name(".eh_frame") else { return Vec::new() };
    let (section, bases) = eh_frame(tables.data().unwrap_or_default(), tables.address());
    let mut entries = section.entries(&bases);
    let mut found = Vec::new();
    while let Ok(Some(entry)) = entries.next() {
        if let CieOrFde::Fde(partial) = entry
            && let Ok(fde) = partial.parse(EhFrame::cie_from_offset)
        {
            found.push((fde.initial_address(), fde.end_address(), fde.offset()));
        }
    }
    found.sort_unstable();
    found
}

fn eh_frame(tables: &[u8], at: u64) -> (EhFrame<EndianSlice<'_, NativeEndian>>, BaseAddresses) {
    let mut section = EhFrame::new(tables, NativeEndian);
    section.set_address_size(8);
    (section, BaseAddresses::default().set_eh_frame(at))
}

impl Image {
    fn read(path: &Path, start: u64, described: bool) -> Option<Image> {
        let bytes = std::fs::read(path).ok()?;
        let file = object::File::parse(&*bytes).ok()?;
        let first = file.segments().min_by_key(|s| s.file_range().0)?;
        let bias = start.wrapping_sub(first.address().wrapping_sub(first.file_range().0));
        let end = file.segments().map(|s| s.address() + s.size()).max()?;
        let range = |address: u64, size: u64| address..address.saturating_add(size);
        let code =
            file.segments().filter_map(|s| Some((range(s.address(), s.size()), s.data().ok()?.to_vec())));
        let is_stub = |s: &object::Section| s.name().is_ok_and(|name| name.starts_with(".plt"));
        let symbols = file.symbols().chain(file.dynamic_symbols());
        let named = symbols.filter(|s| s.kind() == SymbolKind::Text && s.is_definition());
        let tables = file.section_by_name(".eh_frame");
        Some(Image {
            path: path.to_owned(),
            bias,
            described,
            mapped: first.address().wrapping_add(bias)..end.wrapping_add(bias),
            code: code.collect(),
            stubs: file.sections().filter(is_stub).map(|s| range(s.address(), s.size())).collect(),
            entries: named.map(|s| s.address()).collect(),
            tables_at: tables.as_ref().map_or(0, ObjectSection::address),
            tables: tables.and_then(|s| s.data().ok()).unwrap_or_default().to_vec(),
            functions: functions(&file),
        })
    }

    fn section(&self) -> (EhFrame<EndianSlice<'_, NativeEndian>>, BaseAddresses) {
        eh_frame(&self.tables, self.tables_at)
    }

    fn table_of(&self, own: u64) -> Option<(u64, usize)> {
        let after = self.functions.partition_point(|f| f.0 <= own);
        let (start, end, offset) = *self.functions.get(after.checked_sub(1)?)?;
        (own < end).then_some((start, offset))
    }

    /// Where the function around one of the file's own addresses begins: by its symbol, or its table if that begins later (a
    /// function without a symbol).
    fn entry(&self, own: u64) -> Option<u64> {
        let symbol = self.entries.range(..=own).next_back().copied();
        symbol.max(self.table_of(own).map(|(start, _)| start))
    }

    fn is_stub(&self, own: u64) -> bool {
        self.stubs.iter().any(|range| range.contains(&own))
    }

    /// The caller's registers.
    fn caller(&self, at: u64, registers: Registers, read: &dyn Fn(u64) -> Option<u64>) -> Option<Registers> {
        let own = at.wrapping_sub(self.bias);
        let (section, bases) = self.section();
        let (_, offset) = self.table_of(own)?;
        let fde = section.fde_from_offset(&bases, offset.into(), EhFrame::cie_from_offset).ok()?;
        let mut context = UnwindContext::new();
        let row = fde.unwind_info_for_address(&section, &bases, &mut context, own).ok()?;
        let frame = match row.cfa() {
            CfaRule::RegisterAndOffset { register, offset } => {
                let base = match *register {
                    X86_64::RSP => registers.sp,
                    X86_64::RBP => registers.bp,
                    _ => return None,
                };
                base.wrapping_add_signed(*offset)
            }
            // The stubs of the dynamic linker: the return address is on top, or below an argument.
            CfaRule::Expression(_) => registers.sp.wrapping_add(if own & 15 >= 11 { 16 } else { 8 }),
        };
        let saved = |rule: RegisterRule<usize>, now: u64| match rule {
            RegisterRule::Offset(offset) => read(frame.wrapping_add_signed(offset)),
            RegisterRule::Undefined | RegisterRule::SameValue => Some(now),
            _ => None,
        };
        let pc = match row.register(X86_64::RA) {
            RegisterRule::Undefined => return None,
            rule => saved(rule, registers.pc)?,
        };
        Some(Registers { pc, sp: frame, bp: saved(row.register(X86_64::RBP), registers.bp)? })
    }
}

/// All files of a process.
#[derive(Default)]
pub struct Images {
    /// Which files are described: the program, and libraries whose name contains one of these.
    program: PathBuf,
    libraries: Vec<String>,
    /// The files, in the order in which they were found.
    pub list: Vec<Image>,
}

impl Images {
    /// Nothing is known yet but what is to be described.
    pub fn new(program: PathBuf, libraries: Vec<String>) -> Images {
        Images { program, libraries, list: Vec::new() }
    }

    /// Reads what is new in a process's list of mappings.
    pub fn update(&mut self, maps: &str) {
        for line in maps.lines() {
            let words: Vec<&str> = line.splitn(6, ' ').collect();
            let [range, _, "00000000", _, _, path] = words.as_slice() else { continue };
            let path = Path::new(path.trim_start());
            let start = range.split_once('-').and_then(|(start, _)| u64::from_str_radix(start, 16).ok());
            let (Some(start), true) = (start, path.is_absolute()) else { continue };
            if self.list.iter().any(|image| image.path == path) {
                continue;
            }
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let described = path == self.program || self.libraries.iter().any(|l| name.contains(l.as_str()));
            self.list.extend(Image::read(path, start, described));
        }
    }

    /// The file at an address.
    pub fn at(&self, pc: u64) -> Option<&Image> {
        self.list.iter().find(|image| image.mapped.contains(&pc))
    }

    /// The calls on a stack, innermost first.
    pub fn stack(&self, mut registers: Registers, read: &dyn Fn(u64) -> Option<u64>) -> Vec<Frame> {
        let mut frames = Vec::new();
        let mut at = registers.pc;
        while let Some(image) = self.at(at).filter(|_| frames.len() < DEEPEST) {
            let own = at.wrapping_sub(image.bias);
            let described = image.described && !image.is_stub(own);
            let entry = if described { image.entry(own).map(|e| e.wrapping_add(image.bias)) } else { None };
            frames.push(Frame { at, entry });
            match image.caller(at, registers, read) {
                // The stack grows downwards: callers are further up.
                Some(caller) if caller.sp > registers.sp && caller.pc != 0 => registers = caller,
                _ => break,
            }
            // Inside the instruction that called.
            at = registers.pc - 1;
        }
        frames
    }
}

/// The code of the described files.
impl Instructions for std::rc::Rc<std::cell::RefCell<Images>> {
    fn instruction(&self, pc: Pc) -> Option<Instruction> {
        let images = self.borrow();
        let image = images.at(pc).filter(|image| image.described)?;
        let own = pc.wrapping_sub(image.bias);
        if image.is_stub(own) {
            return None;
        }
        let (range, bytes) = image.code.iter().find(|(range, _)| range.contains(&own))?;
        let bytes = bytes.get((own - range.start) as usize..)?;
        decode::decode(&bytes[..bytes.len().min(15)], pc)
    }

    fn entry_of(&self, pc: Pc) -> Option<Pc> {
        let images = self.borrow();
        let image = images.at(pc)?;
        image.entry(pc.wrapping_sub(image.bias)).map(|entry| entry.wrapping_add(image.bias))
    }

    fn is_wanted(&self, _: Pc) -> bool {
        true
    }
}
