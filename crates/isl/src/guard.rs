//! Checks that isl leaves out.
//!
//! isl checks most arguments and reports what does not fit. Where it does not, a wrong argument would read or write
//! memory that does not belong to it, so the bindings check first. Positions next to a dimension type are checked for
//! every function (the generator sees them); the other cases are the lines of `GUARDS` in `build/table.rs`, found by
//! calling every function with unfit arguments under valgrind.

use crate::error::{Error, ErrorKind, Result};
use crate::generated::{DimType, Space, Val};

fn invalid(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Invalid, message, None)
}

/// The `n` dimensions from `first` on are among `size`.
pub(crate) fn range(size: usize, first: usize, n: usize) -> Result<()> {
    match first.checked_add(n) {
        Some(end) if end <= size => Ok(()),
        _ => Err(invalid(format!("position {first} (length {n}) is not among {size} dimensions"))),
    }
}

/// There is a place for new dimensions before `position` of `size`.
pub(crate) fn gap(size: usize, position: usize) -> Result<()> {
    range(size, position, 0)
}

/// Dimensions of this type have positions.
pub(crate) fn positioned(kind: DimType) -> Result<()> {
    match kind {
        DimType::Cst | DimType::All => Err(invalid(format!("{kind:?} dimensions have no positions"))),
        _ => Ok(()),
    }
}

/// The `n` dimensions from `first` on are in both tuples of the relation space.
pub(crate) fn in_both_tuples(space: &Space, first: usize, n: usize) -> Result<()> {
    if !space.is_map()? {
        return Err(invalid("not the space of a relation"));
    }
    range(space.dim(DimType::In)?.min(space.dim(DimType::Out)?), first, n)
}

/// Both spaces have the same tuples.
pub(crate) fn same_tuples(one: &Space, other: &Space) -> Result<()> {
    match one.has_equal_tuples(other)? {
        true => Ok(()),
        false => Err(invalid("spaces don't match")),
    }
}

/// A divisor.
pub(crate) fn non_zero(value: &Val) -> Result<()> {
    match value.is_zero()? {
        false => Ok(()),
        true => Err(invalid("division by zero")),
    }
}

/// isl's reader is recursive: more than this many brackets or quantifiers inside each other, which nobody writes, could
/// exhaust the stack.
const DEEPEST: usize = 1000;

/// The text does not nest too deeply to be read.
pub(crate) fn nesting(text: &str) -> Result<()> {
    let (mut brackets, mut quantifiers) = (0usize, 0usize);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => brackets += 1,
            b')' | b']' | b'}' => brackets = brackets.saturating_sub(1),
            b';' => quantifiers = 0,
            // `exists (e: ...)` ends with its bracket; `exists e: ...` goes on to the end of the condition.
            b'e' if is_open_quantifier(&text[at..]) => quantifiers += 1,
            _ => continue,
        }
        if brackets + quantifiers > DEEPEST {
            return Err(invalid(format!("nested more than {DEEPEST} deep")));
        }
    }
    Ok(())
}

fn is_open_quantifier(text: &str) -> bool {
    text.strip_prefix("exists").is_some_and(|rest| !rest.trim_start().starts_with('('))
}

/// `text` is in the flow style that isl prints, with a name before each `:`. isl follows a null pointer when a key is
/// anything else.
///
/// ```text
/// value = { key : value, ... } | [ value, ... ] | "text" | word
/// ```
pub(crate) fn flow_style(text: &str) -> Result<()> {
    let mut reader = Flow { rest: text };
    reader.mapping()?;
    match reader.peek() {
        None => Ok(()),
        Some(_) => Err(reader.unexpected()),
    }
}

/// Reads flow style. Called after [`nesting`], so that its own recursion is bounded.
struct Flow<'a> {
    rest: &'a str,
}

impl Flow<'_> {
    fn peek(&mut self) -> Option<char> {
        self.rest = self.rest.trim_start();
        self.rest.chars().next()
    }

    fn unexpected(&self) -> Error {
        let near: String = self.rest.chars().take(20).collect();
        invalid(format!("syntax error before `{near}`"))
    }

    fn eat(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.rest = &self.rest[wanted.len_utf8()..];
        }
        found
    }

    fn expect(&mut self, wanted: char) -> Result<()> {
        if self.eat(wanted) { Ok(()) } else { Err(self.unexpected()) }
    }

    fn value(&mut self) -> Result<()> {
        match self.peek() {
            Some('{') => self.mapping(),
            Some('[') => self.sequence(),
            Some('"') => self.quoted(),
            _ => self.word(),
        }
    }

    fn mapping(&mut self) -> Result<()> {
        self.expect('{')?;
        loop {
            match self.peek() {
                Some('"') => self.quoted()?,
                _ => self.name()?,
            }
            self.expect(':')?;
            self.value()?;
            if !self.eat(',') {
                return self.expect('}');
            }
        }
    }

    fn sequence(&mut self) -> Result<()> {
        self.expect('[')?;
        if self.eat(']') {
            return Ok(());
        }
        loop {
            self.value()?;
            if !self.eat(',') {
                return self.expect(']');
            }
        }
    }

    fn quoted(&mut self) -> Result<()> {
        self.expect('"')?;
        match self.rest.find('"') {
            Some(end) => {
                self.rest = &self.rest[end + 1..];
                Ok(())
            }
            None => Err(self.unexpected()),
        }
    }

    fn name(&mut self) -> Result<()> {
        match self.peek() {
            Some(first) if first.is_ascii_alphabetic() || first == '_' => self.word(),
            _ => Err(self.unexpected()),
        }
    }

    fn word(&mut self) -> Result<()> {
        self.peek();
        let inside = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        let end = self.rest.find(|c| !inside(c)).unwrap_or(self.rest.len());
        if end == 0 {
            return Err(self.unexpected());
        }
        self.rest = &self.rest[end..];
        Ok(())
    }
}
