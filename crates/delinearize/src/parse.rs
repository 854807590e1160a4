//! Polynomials from text: sums, differences, products, powers, parentheses, whole numbers and names.

use crate::poly::{Overflow, Poly};

/// Why a text is not a polynomial.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    /// Something else was expected.
    #[error("expected {expected} at {found:?}: write for example 8*(i*m + j) - 1")]
    Expected {
        /// What.
        expected: &'static str,
        /// What is there instead.
        found: String,
    },
    /// A number is too large.
    #[error(transparent)]
    Overflow(#[from] Overflow),
}

/// Reads a polynomial; `atom` says what a name stands for.
pub fn parse(text: &str, atom: impl Fn(&str) -> Poly) -> Result<Poly, ParseError> {
    let mut parser = Parser { rest: text.trim_start(), atom: &atom, depth: 0 };
    let poly = parser.sum()?;
    match parser.rest {
        "" => Ok(poly),
        _ => Err(parser.expected("the end")),
    }
}

/// Deeper nesting than anyone writes; the parser calls itself.
const MAX_DEPTH: u32 = 64;

struct Parser<'a> {
    rest: &'a str,
    atom: &'a dyn Fn(&str) -> Poly,
    depth: u32,
}

impl<'a> Parser<'a> {
    fn sum(&mut self) -> Result<Poly, ParseError> {
        let mut sum = match self.takes('-') {
            true => self.product()?.scale(-1)?,
            false => self.product()?,
        };
        loop {
            if self.takes('+') {
                sum = sum.add(&self.product()?)?;
            } else if self.takes('-') {
                sum = sum.sub(&self.product()?)?;
            } else {
                return Ok(sum);
            }
        }
    }

    fn product(&mut self) -> Result<Poly, ParseError> {
        let mut product = self.power()?;
        while self.takes('*') {
            product = product.mul(&self.power()?)?;
        }
        Ok(product)
    }

    fn power(&mut self) -> Result<Poly, ParseError> {
        let base = self.factor()?;
        if !self.takes('^') {
            return Ok(base);
        }
        let exponent: u8 = self.word().parse().map_err(|_| self.expected("an exponent up to 255"))?;
        (0..exponent).try_fold(Poly::constant(1), |power, _| Ok(power.mul(&base)?))
    }

    fn factor(&mut self) -> Result<Poly, ParseError> {
        if self.takes('(') {
            self.depth += 1;
            if self.depth > MAX_DEPTH {
                return Err(self.expected("fewer parentheses"));
            }
            let inner = self.sum()?;
            self.depth -= 1;
            return if self.takes(')') { Ok(inner) } else { Err(self.expected(")")) };
        }
        let before = self.rest;
        let word = self.word();
        match word.chars().next() {
            Some(first) if first.is_ascii_digit() => {
                word.parse().map(Poly::constant).map_err(|_| expected("a whole number", before))
            }
            Some(_) => Ok((self.atom)(word)),
            None => Err(self.expected("a number or a name")),
        }
    }

    fn takes(&mut self, symbol: char) -> bool {
        let rest = self.rest.strip_prefix(symbol);
        self.rest = rest.map_or(self.rest, str::trim_start);
        rest.is_some()
    }

    /// The letters, digits, dots and underscores that follow.
    fn word(&mut self) -> &'a str {
        let is_other = |c: char| !(c.is_alphanumeric() || c == '_' || c == '.');
        let (word, rest) = self.rest.split_at(self.rest.find(is_other).unwrap_or(self.rest.len()));
        self.rest = rest.trim_start();
        word
    }

    fn expected(&self, what: &'static str) -> ParseError {
        expected(what, self.rest)
    }
}

fn expected(what: &'static str, at: &str) -> ParseError {
    ParseError::Expected { expected: what, found: at.chars().take(20).collect() }
}
