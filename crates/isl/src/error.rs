//! Errors: what isl reports, and what goes wrong on the way to it.

use std::error::Error as StdError;
use std::fmt;

/// The result of every call into isl.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong, in kinds that a caller can act on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The operation budget is spent (see [`Ctx::with_budget`](crate::Ctx::with_budget)).
    Budget,
    /// The arguments do not fit: different spaces, a position out of range, text that does not parse.
    Invalid,
    /// isl does not support the operation on these arguments.
    Unsupported,
    /// The objects belong to different contexts.
    MixedContexts,
    /// A closure returned an error of its own, made with [`Error::other`].
    Callback,
    /// The computation was aborted.
    Aborted,
    /// There is no memory left.
    OutOfMemory,
    /// isl found itself in a state it does not expect.
    Internal,
    /// isl gave no reason.
    Unknown,
}

/// An error from isl or from a closure that isl called.
///
/// One pointer wide, so that `Result<Set>` stays small.
pub struct Error(Box<Detail>);

#[derive(Debug)]
struct Detail {
    kind: ErrorKind,
    message: String,
    place: Option<(String, u32)>,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

impl Error {
    /// An error of `kind` with isl's message and the place in isl's source that raised it.
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>, place: Option<(String, u32)>) -> Error {
        Error(Box::new(Detail { kind, message: message.into(), place, source: None }))
    }

    /// Wraps any error, so that a closure can pass it through isl; [`Error::into_other`] gets it back.
    pub fn other(error: impl Into<Box<dyn StdError + Send + Sync>>) -> Error {
        let source = error.into();
        Error(Box::new(Detail {
            kind: ErrorKind::Callback,
            message: source.to_string(),
            place: None,
            source: Some(source),
        }))
    }

    /// The kind of error.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// isl's message, or that of the wrapped error.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The file in isl's source that raised the error.
    pub fn file(&self) -> Option<&str> {
        self.0.place.as_ref().map(|place| place.0.as_str())
    }

    /// The line in [`Error::file`].
    pub fn line(&self) -> Option<u32> {
        self.0.place.as_ref().map(|place| place.1)
    }

    /// The operation budget is spent: the same call may succeed with a larger one.
    pub fn is_budget(&self) -> bool {
        self.kind() == ErrorKind::Budget
    }

    /// The error that [`Error::other`] wrapped, or this error unchanged.
    pub fn into_other(mut self) -> Result<Box<dyn StdError + Send + Sync>, Error> {
        self.0.source.take().ok_or(self)
    }

    /// Adds the text that was being read: isl only says `syntax error`.
    pub(crate) fn reading(mut self, text: &str) -> Error {
        if self.kind() == ErrorKind::Invalid {
            self.0.message = format!("{} in `{}`", self.0.message, shortened(text));
        }
        self
    }
}

/// The first characters of `text`, enough to recognize it.
fn shortened(text: &str) -> String {
    const LIMIT: usize = 200;
    match text.char_indices().nth(LIMIT) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind() {
            ErrorKind::Callback => write!(f, "{}", self.message()),
            _ => write!(f, "isl: {}", self.message()),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("kind", &self.0.kind)
            .field("message", &self.0.message)
            .field("place", &self.0.place)
            .field("source", &self.0.source)
            .finish()
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source.as_ref().map(|source| source.as_ref() as _)
    }
}
