//! Recursive-descent parser: text to syntax tree.
//!
//! The grammar is in `docs/imp.md`; every rule of it is one function here. Binary operators are parsed by
//! precedence climbing. The parser stops at the first error: what it expected, what it found, and where.
//!
//! No input makes it panic or overflow the stack: statements nest at most [`MAX_DEPTH`] deep and so does
//! each expression, counted over operators as well as over brackets (a sum of a million terms is refused
//! rather than made into a tree a million deep).

use crate::ast::*;
use crate::diag::{Diagnostic, Span};
use crate::lexer::{Lexed, Tok, Token, Word, lex};

type Parsed<T> = Result<T, Diagnostic>;

/// Parses a program. Names are not looked up yet.
pub fn parse(source: &str) -> Parsed<Ast> {
    let Lexed { tokens, comments } = lex(source)?;
    let mut parser = Parser { tokens, at: 0, depth: 0 };
    let decls = parser.declarations()?;
    let body = parser.block()?;
    match parser.peek() {
        Tok::End => Ok(Ast { decls, body, comments }),
        Tok::Word(Word::Param | Word::Array) => {
            Err(parser.unexpected("a statement").help("declarations come before the first statement"))
        }
        _ => Err(parser.unexpected("a statement")),
    }
}

struct Parser {
    /// Never empty: the last token is the end.
    tokens: Vec<Token>,
    at: usize,
    /// How many statements enclose the current one.
    depth: usize,
}

/// An expression and the length of the longest path in it.
struct Measured {
    expr: Expr,
    depth: usize,
}

/// How deep the parser recurses for one expression. The formatter writes at most three levels for one
/// operation of the tree, so whatever it prints can be read again.
const MAX_BRACKETS: usize = 4 * MAX_DEPTH;

fn too_deep(span: Span) -> Diagnostic {
    let message = format!("this expression has more than {MAX_DEPTH} nested operations");
    Diagnostic::new(span, message).help("compute a part of it in a statement of its own")
}

impl Parser {
    fn token(&self) -> &Token {
        &self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    fn peek(&self) -> &Tok {
        &self.token().tok
    }

    fn span(&self) -> Span {
        self.token().span
    }

    fn advance(&mut self) -> Span {
        let span = self.span();
        self.at += 1;
        span
    }

    /// Where the last token read ended.
    fn last_end(&self) -> usize {
        self.tokens[self.at.saturating_sub(1).min(self.tokens.len() - 1)].span.end
    }

    fn unexpected(&self, expected: &str) -> Diagnostic {
        Diagnostic::new(self.span(), format!("expected {expected}, found {}", self.peek().describe()))
    }

    fn is_sym(&self, text: &str) -> bool {
        matches!(self.peek(), Tok::Sym(symbol) if *symbol == text)
    }

    fn eat_sym(&mut self, text: &str) -> bool {
        let found = self.is_sym(text);
        if found {
            self.advance();
        }
        found
    }

    fn sym(&mut self, text: &str) -> Parsed<Span> {
        if self.is_sym(text) { Ok(self.advance()) } else { Err(self.unexpected(&format!("`{text}`"))) }
    }

    fn is_word(&self, word: Word) -> bool {
        *self.peek() == Tok::Word(word)
    }

    fn word(&mut self, word: Word, help: &str) -> Parsed<Span> {
        if self.is_word(word) {
            return Ok(self.advance());
        }
        Err(self.unexpected(&format!("`{}`", word.text())).help(help))
    }

    fn ident(&mut self, what: &str) -> Parsed<Ident> {
        match self.peek() {
            Tok::Ident(name) => {
                let name = name.clone();
                Ok(Ident { name, span: self.advance() })
            }
            Tok::Word(word) => {
                let help = format!("`{}` is a reserved word and cannot be a name", word.text());
                Err(self.unexpected(what).help(help))
            }
            _ => Err(self.unexpected(what)),
        }
    }

    /// decl = "param" param { "," param } | "array" array { "," array }
    fn declarations(&mut self) -> Parsed<Vec<Decl>> {
        let mut decls = Vec::new();
        loop {
            let start = self.span();
            if self.is_word(Word::Param) {
                self.advance();
                let params = self.comma_list(Parser::param)?;
                decls.push(Decl::Params(params, Span::new(start.start, self.last_end())));
            } else if self.is_word(Word::Array) {
                self.advance();
                let arrays = self.comma_list(Parser::array)?;
                decls.push(Decl::Arrays(arrays, Span::new(start.start, self.last_end())));
            } else {
                return Ok(decls);
            }
            while self.eat_sym(";") {}
        }
    }

    fn comma_list<T>(&mut self, mut item: impl FnMut(&mut Parser) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut items = vec![item(self)?];
        while self.eat_sym(",") {
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// param = name [ compare expr | "in" expr ".." expr ]
    fn param(&mut self) -> Parsed<ParamDecl> {
        let name = self.ident("the name of a parameter")?;
        if self.is_word(Word::In) {
            self.advance();
            let low = self.expr()?;
            self.sym("..").map_err(|d| d.help("write a range as `in LOW .. HIGH`"))?;
            let high = self.expr()?;
            return Ok(ParamDecl { name, range: ParamRange::Between(low, high) });
        }
        let range = match self.binary_operator() {
            Some(op) if op.takes_integers() && !op.gives_integer() => {
                self.advance();
                ParamRange::Compare(op, self.expr()?)
            }
            _ => ParamRange::Any,
        };
        Ok(ParamDecl { name, range })
    }

    /// array = name "[" expr { "," expr } "]"
    fn array(&mut self) -> Parsed<ArrayDecl> {
        let name = self.ident("the name of an array")?;
        self.sym("[").map_err(|d| d.help("give the extents, as in `array a[n, m]`"))?;
        let extents = self.comma_list(Parser::expr)?;
        self.sym("]")?;
        Ok(ArrayDecl { name, extents })
    }

    /// block = { statement [ ";" ] }
    fn block(&mut self) -> Parsed<Block> {
        let mut block = Vec::new();
        loop {
            while self.eat_sym(";") {}
            let starts = matches!(
                self.peek(),
                Tok::Ident(_) | Tok::Word(Word::Skip | Word::If | Word::While | Word::For | Word::Assume)
            );
            if !starts {
                return Ok(block);
            }
            block.push(self.statement()?);
        }
    }

    fn nested_block(&mut self) -> Parsed<Block> {
        if self.depth >= MAX_DEPTH {
            let message = format!("statements nest more than {MAX_DEPTH} deep here");
            return Err(Diagnostic::new(self.span(), message).help("split the program"));
        }
        self.depth += 1;
        let block = self.block();
        self.depth -= 1;
        block
    }

    /// statement = [ name ":" ] ( skip | assignment | if | while | for | assume )
    fn statement(&mut self) -> Parsed<Stmt> {
        let start = self.span().start;
        let label = match (self.peek(), self.tokens.get(self.at + 1).map(|t| &t.tok)) {
            (Tok::Ident(_), Some(Tok::Sym(":"))) => {
                let label = self.ident("a label")?;
                self.advance();
                Some(label)
            }
            _ => None,
        };
        let kind = match self.peek() {
            Tok::Word(Word::Skip) => {
                self.advance();
                StmtKind::Skip
            }
            Tok::Word(Word::If) => self.if_statement()?,
            Tok::Word(Word::While) => self.while_statement()?,
            Tok::Word(Word::For) => self.for_statement()?,
            Tok::Word(Word::Assume) => {
                self.advance();
                StmtKind::Assume(self.expr()?)
            }
            Tok::Ident(_) => self.assignment()?,
            _ => return Err(self.unexpected("a statement")),
        };
        Ok(Stmt { label, kind, span: Span::new(start, self.last_end()) })
    }

    /// assignment = name [ "[" expr { "," expr } "]" ] ":=" expr
    fn assignment(&mut self) -> Parsed<StmtKind> {
        let target = self.ident("a variable")?;
        let mut subscripts = Vec::new();
        if self.eat_sym("[") {
            subscripts = self.comma_list(Parser::expr)?;
            self.sym("]")?;
        }
        if !self.is_sym(":=") {
            let help = if self.is_sym("=") {
                "assignment is written `:=`"
            } else {
                "a statement is `x := e`, `a[i] := e`, `if`, `while`, `for`, `assume` or `skip`"
            };
            return Err(self.unexpected("`:=`").help(help));
        }
        self.advance();
        let value = self.expr()?;
        Ok(StmtKind::Assign { target, subscripts, value })
    }

    /// if = "if" expr "then" block [ "else" block ] "fi"
    fn if_statement(&mut self) -> Parsed<StmtKind> {
        const HELP: &str = "write `if CONDITION then ... else ... fi`";
        self.advance();
        let cond = self.expr()?;
        let then_word = self.word(Word::Then, HELP)?;
        let then = self.nested_block()?;
        let els = if self.is_word(Word::Else) { Some((self.advance(), self.nested_block()?)) } else { None };
        if els.is_none() && !self.is_word(Word::Fi) {
            return Err(self.unexpected("a statement, `else` or `fi`").help(HELP));
        }
        let end = self.word(Word::Fi, HELP)?;
        Ok(StmtKind::If { cond, then_word, then, els, end })
    }

    /// while = "while" expr "do" block "done"
    fn while_statement(&mut self) -> Parsed<StmtKind> {
        const HELP: &str = "write `while CONDITION do ... done`";
        self.advance();
        let cond = self.expr()?;
        let do_word = self.word(Word::Do, HELP)?;
        let body = self.nested_block()?;
        let end = self.word(Word::Done, HELP)?;
        Ok(StmtKind::While { cond, do_word, body, end })
    }

    /// for = "for" name "from" expr "to" expr [ "by" [ "-" ] number ] "do" block "done"
    fn for_statement(&mut self) -> Parsed<StmtKind> {
        const HELP: &str = "write `for i from FIRST to LAST do ... done`";
        self.advance();
        let counter = self.ident("the loop's counter")?;
        self.word(Word::From, HELP)?;
        let from = self.expr()?;
        self.word(Word::To, HELP)?;
        let to = self.expr()?;
        let by = if self.is_word(Word::By) { Some(self.step()?) } else { None };
        let do_word = self.word(Word::Do, HELP)?;
        let body = self.nested_block()?;
        let end = self.word(Word::Done, HELP)?;
        Ok(StmtKind::For { counter, from, to, by, do_word, body, end })
    }

    fn step(&mut self) -> Parsed<(i64, Span)> {
        let start = self.advance();
        let negative = self.eat_sym("-");
        let Tok::Int(size) = *self.peek() else {
            return Err(self
                .unexpected("a number")
                .help("the step of a `for` loop is a number other than 0"));
        };
        let span = start.to(self.advance());
        if size == 0 {
            return Err(Diagnostic::new(span, "the step of a loop cannot be 0")
                .help("use `while` for a loop without a step"));
        }
        Ok((if negative { -size } else { size }, span))
    }

    fn expr(&mut self) -> Parsed<Expr> {
        Ok(self.binary(1, 0)?.expr)
    }

    fn binary_operator(&self) -> Option<BinOp> {
        Some(match self.peek() {
            Tok::Sym(text) => match *text {
                "+" => BinOp::Add,
                "-" => BinOp::Sub,
                "*" => BinOp::Mul,
                "/" => BinOp::Div,
                "%" => BinOp::Mod,
                "<=" => BinOp::Le,
                "<" => BinOp::Lt,
                ">=" | "=>" => BinOp::Ge,
                ">" => BinOp::Gt,
                "==" => BinOp::Eq,
                "<>" | "!=" => BinOp::Ne,
                "=" => BinOp::Iff,
                _ => return None,
            },
            Tok::Word(Word::Mod) => BinOp::Mod,
            Tok::Word(Word::And) => BinOp::And,
            Tok::Word(Word::Or) => BinOp::Or,
            _ => return None,
        })
    }

    /// Operators that bind at least as tightly as `least`; all of them associate to the left.
    fn binary(&mut self, least: u8, above: usize) -> Parsed<Measured> {
        let mut left = self.unary(above)?;
        while let Some(op) = self.binary_operator().filter(|op| op.precedence() >= least) {
            self.advance();
            let right = self.binary(op.precedence() + 1, above + 1)?;
            let span = left.expr.span.to(right.expr.span);
            let depth = self.deeper(left.depth.max(right.depth), span)?;
            let kind = ExprKind::Binary(op, Box::new(left.expr), Box::new(right.expr));
            left = Measured { expr: Expr { kind, span }, depth };
        }
        Ok(left)
    }

    /// One more level; refuses the one too many.
    fn deeper(&self, depth: usize, span: Span) -> Parsed<usize> {
        if depth < MAX_DEPTH { Ok(depth + 1) } else { Err(too_deep(span)) }
    }

    /// unary = "-" unary | ( "!" | "not" ) comparison | atom
    fn unary(&mut self, above: usize) -> Parsed<Measured> {
        let start = self.span();
        let above = above + 1;
        if above > MAX_BRACKETS {
            return Err(too_deep(start));
        }
        let (op, operand) = if self.eat_sym("-") {
            (UnOp::Neg, self.unary(above)?)
        } else if self.is_sym("!") || self.is_word(Word::Not) {
            self.advance();
            (UnOp::Not, self.binary(NOT_PRECEDENCE + 1, above)?)
        } else {
            return self.atom(above);
        };
        let span = start.to(operand.expr.span);
        let depth = self.deeper(operand.depth, span)?;
        Ok(Measured { expr: Expr { kind: ExprKind::Unary(op, Box::new(operand.expr)), span }, depth })
    }

    /// atom = number | "true" | "false" | name subscripts? | "(" expr ")" | ("min" | "max") "(" expr "," expr ")"
    fn atom(&mut self, above: usize) -> Parsed<Measured> {
        let start = self.span();
        let kind = match self.peek().clone() {
            Tok::Int(value) => {
                self.advance();
                ExprKind::Int(value)
            }
            Tok::Word(word @ (Word::True | Word::False)) => {
                self.advance();
                ExprKind::Bool(word == Word::True)
            }
            Tok::Word(word @ (Word::Min | Word::Max)) => return self.extremum(word, above),
            Tok::Ident(_) => return self.variable(above),
            Tok::Sym("(") => {
                self.advance();
                let inner = self.binary(1, above)?;
                let end = self.sym(")")?;
                return Ok(Measured { expr: Expr { span: start.to(end), ..inner.expr }, ..inner });
            }
            _ => return Err(self.unexpected("an expression")),
        };
        Ok(Measured { expr: Expr { kind, span: start }, depth: 1 })
    }

    fn extremum(&mut self, word: Word, above: usize) -> Parsed<Measured> {
        let start = self.advance();
        let op = if word == Word::Min { BinOp::Min } else { BinOp::Max };
        let help = format!("`{0}` takes two operands: `{0}(a, b)`", word.text());
        self.sym("(").map_err(|d| d.help(&help))?;
        let left = self.binary(1, above)?;
        self.sym(",").map_err(|d| d.help(&help))?;
        let right = self.binary(1, above)?;
        let span = start.to(self.sym(")")?);
        let depth = self.deeper(left.depth.max(right.depth), span)?;
        let kind = ExprKind::Binary(op, Box::new(left.expr), Box::new(right.expr));
        Ok(Measured { expr: Expr { kind, span }, depth })
    }

    fn variable(&mut self, above: usize) -> Parsed<Measured> {
        let name = self.ident("a variable")?;
        if !self.eat_sym("[") {
            let span = name.span;
            return Ok(Measured { expr: Expr { kind: ExprKind::Var(name.name), span }, depth: 1 });
        }
        let mut deepest = 0;
        let subscripts = self.comma_list(|parser| {
            let subscript = parser.binary(1, above)?;
            deepest = deepest.max(subscript.depth);
            Ok(subscript.expr)
        })?;
        let span = name.span.to(self.sym("]")?);
        let depth = self.deeper(deepest, span)?;
        Ok(Measured { expr: Expr { kind: ExprKind::Index(name, subscripts), span }, depth })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(source: &str) -> String {
        parse(source).expect_err(source).message
    }

    #[test]
    fn messages_name_what_was_expected() {
        assert_eq!(error("while i <= n x := 1 done"), "expected `do`, found `x`");
        assert_eq!(error("x = 1"), "expected `:=`, found `=`");
        assert_eq!(error("x := "), "expected an expression, found the end of the program");
        assert_eq!(
            error("if x < 1 then y := 2"),
            "expected a statement, `else` or `fi`, found the end of the program"
        );
        assert_eq!(error("a[1 := 2"), "expected `]`, found `:=`");
        assert_eq!(error("for do from 1 to 2 do done"), "expected the loop's counter, found `do`");
        assert_eq!(error("done"), "expected a statement, found `done`");
        assert_eq!(error("x := 1; param n"), "expected a statement, found `param`");
        assert_eq!(error("x := 99999999999999999999"), "this number is too large");
        assert_eq!(error("(* never closed"), "this comment is never closed");
    }

    #[test]
    fn depth_is_bounded() {
        let brackets = format!("x := {}1{}", "(".repeat(100_000), ")".repeat(100_000));
        assert!(error(&brackets).contains("nested operations"));
        let sum = format!("x := 1{}", " + 1".repeat(100_000));
        assert!(error(&sum).contains("nested operations"));
        let minus = format!("x := {}1", "-".repeat(100_000));
        assert!(error(&minus).contains("nested operations"));
        let subscripts = format!("x := {}1{}", "a[".repeat(100_000), "]".repeat(100_000));
        assert!(error(&subscripts).contains("nested operations"));
        let blocks = "while true do ".repeat(100_000);
        assert!(error(&blocks).contains("nest more than"));
        assert!(parse(&format!("x := 1{}", " + 1".repeat(90))).is_ok());
    }

    #[test]
    fn not_takes_a_comparison() {
        let ast = parse("if ! a < b and c > d then skip fi").unwrap();
        let StmtKind::If { cond, .. } = &ast.body[0].kind else { panic!() };
        let ExprKind::Binary(BinOp::And, left, _) = &cond.kind else { panic!("{cond:?}") };
        assert!(matches!(left.kind, ExprKind::Unary(UnOp::Not, _)));
    }
}
