//! Tokens and comments of the language.
//!
//! The lexer turns the whole text into tokens first; comments are set aside with their spans, so that the
//! parser never sees them and the formatter can put them back. Comments are `#` to the end of the line and
//! `(* ... *)`, which nests. Identifiers start with a letter or `_` and go on with letters, digits and
//! `_`; letters are ASCII only, so that every name is also a name for isl and for C.
//!
//! Numbers are decimal and fit in an `i64`.

use crate::diag::{Diagnostic, Span};

/// What a token is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tok {
    /// A name.
    Ident(String),
    /// A number.
    Int(i64),
    /// A reserved word.
    Word(Word),
    /// An operator or a bracket, as it is written.
    Sym(&'static str),
    /// The end of the text.
    End,
}

macro_rules! words {
    ($($variant:ident $text:literal),* $(,)?) => {
        /// The reserved words.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs)] // each variant is the word itself
        pub enum Word { $($variant),* }

        impl Word {
            /// The word as it is written.
            pub fn text(self) -> &'static str {
                match self { $(Word::$variant => $text),* }
            }

            fn from_text(text: &str) -> Option<Word> {
                match text { $($text => Some(Word::$variant),)* _ => None }
            }
        }
    };
}

words! {
    And "and", Array "array", Assume "assume", By "by", Do "do", Done "done", Else "else", False "false", Fi "fi",
    For "for", From "from", If "if", In "in", Max "max", Min "min", Mod "mod", Not "not", Or "or", Param "param",
    Skip "skip", Then "then", To "to", True "true", While "while",
}

/// Longest first, so that the first match is the token.
const SYMBOLS: [&str; 24] = [
    ":=", "..", "<=", ">=", "=>", "<>", "==", "!=", "(", ")", "[", "]", ",", ";", ":", "<", ">", "=", "!",
    "+", "-", "*", "/", "%",
];

impl Tok {
    /// How a message names the token.
    pub fn describe(&self) -> String {
        match self {
            Tok::Ident(name) => format!("`{name}`"),
            Tok::Int(value) => format!("`{value}`"),
            Tok::Word(word) => format!("`{}`", word.text()),
            Tok::Sym(text) => format!("`{text}`"),
            Tok::End => "the end of the program".to_string(),
        }
    }
}

/// A token and where it stands.
#[derive(Clone, Debug)]
pub struct Token {
    /// What it is.
    pub tok: Tok,
    /// Where it is.
    pub span: Span,
}

/// The tokens (the last one is [`Tok::End`]) and the comments, both in order.
#[derive(Clone, Debug)]
pub struct Lexed {
    /// The tokens.
    pub tokens: Vec<Token>,
    /// The comments.
    pub comments: Vec<Span>,
}

/// Splits the text into tokens.
pub fn lex(source: &str) -> Result<Lexed, Diagnostic> {
    let mut lexer = Lexer { source, at: 0, lexed: Lexed { tokens: Vec::new(), comments: Vec::new() } };
    while lexer.at < source.len() {
        lexer.next()?;
    }
    let end = Span::new(source.len(), source.len());
    lexer.lexed.tokens.push(Token { tok: Tok::End, span: end });
    Ok(lexer.lexed)
}

struct Lexer<'s> {
    source: &'s str,
    at: usize,
    lexed: Lexed,
}

impl Lexer<'_> {
    /// Reads one token, one comment or one blank.
    fn next(&mut self) -> Result<(), Diagnostic> {
        let rest = &self.source[self.at..];
        let Some(first) = rest.chars().next() else { return Ok(()) };
        if first.is_whitespace() {
            self.at += first.len_utf8();
            return Ok(());
        }
        if first == '#' {
            let length = rest.find('\n').unwrap_or(rest.len());
            return self.comment(rest[..length].trim_end().len());
        }
        if rest.starts_with("(*") {
            return self.comment(self.block_comment_length()?);
        }
        if first.is_ascii_digit() {
            return self.number(rest);
        }
        if first.is_ascii_alphabetic() || first == '_' {
            let length = rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
            let text = &rest[..length];
            let tok = Word::from_text(text).map_or_else(|| Tok::Ident(text.to_string()), Tok::Word);
            return self.token(tok, length);
        }
        match SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
            Some(symbol) => self.token(Tok::Sym(symbol), symbol.len()),
            None => Err(Diagnostic::new(
                Span::new(self.at, self.at + first.len_utf8()),
                format!("a program cannot contain the character {first:?} here"),
            )
            .help(
                "comments start with `#` or are written `(* ... *)`; names use ASCII letters, digits and `_`",
            )),
        }
    }

    fn token(&mut self, tok: Tok, length: usize) -> Result<(), Diagnostic> {
        self.lexed.tokens.push(Token { tok, span: Span::new(self.at, self.at + length) });
        self.at += length;
        Ok(())
    }

    fn comment(&mut self, length: usize) -> Result<(), Diagnostic> {
        self.lexed.comments.push(Span::new(self.at, self.at + length));
        self.at += length;
        Ok(())
    }

    fn number(&mut self, rest: &str) -> Result<(), Diagnostic> {
        let length = rest.bytes().take_while(u8::is_ascii_digit).count();
        match rest[..length].parse() {
            Ok(value) => self.token(Tok::Int(value), length),
            Err(_) => Err(Diagnostic::new(Span::new(self.at, self.at + length), "this number is too large")
                .help(format!("values are 64-bit integers: at most {}", i64::MAX))),
        }
    }

    /// The length of the block comment that starts here, inner comments included.
    fn block_comment_length(&self) -> Result<usize, Diagnostic> {
        let bytes = self.source.as_bytes();
        let mut depth = 0usize;
        let mut at = self.at;
        while at + 1 < bytes.len() {
            match &bytes[at..at + 2] {
                b"(*" => {
                    depth += 1;
                    at += 2;
                }
                b"*)" => {
                    depth -= 1;
                    at += 2;
                    if depth == 0 {
                        return Ok(at - self.at);
                    }
                }
                _ => at += 1,
            }
        }
        Err(Diagnostic::new(Span::new(self.at, self.at + 2), "this comment is never closed")
            .help("close it with `*)`"))
    }
}
