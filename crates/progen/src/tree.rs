//! The tree of a generated program: what is printed as C, and what the minimizer cuts.
//!
//! Every cut the minimizer may make keeps the program free of undefined behaviour: a statement may go, a loop
//! may become one iteration at its first value (which lies in the interval of its variable), an operation may
//! become one of its operands of the same class (all integer values are unsigned, all floating-point values
//! lie in [-4, 4]). Subscripts are never touched, because their bounds were proven as a whole.

use std::fmt::Write;

/// What an expression computes; an expression may stand for another of the same class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// An `unsigned` or `unsigned long` value: every operation is defined.
    Unsigned,
    /// A `double` in [-4, 4].
    Float,
    /// Used as a truth value.
    Condition,
    /// Anything else: a subscript, a place.
    Fixed,
}

/// An expression: text with sub-expressions in it.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it computes.
    pub class: Class,
    /// Its text, in order.
    pub parts: Vec<Part>,
}

/// A piece of an expression.
#[derive(Clone, Debug)]
pub enum Part {
    /// C text.
    Text(String),
    /// A sub-expression.
    Sub(Expr),
}

impl Expr {
    /// An expression without sub-expressions.
    pub fn text(class: Class, text: impl Into<String>) -> Expr {
        Expr { class, parts: vec![Part::Text(text.into())] }
    }

    /// Every `@` of `pattern` stands for the next operand.
    pub fn of(class: Class, pattern: &str, operands: impl IntoIterator<Item = Expr>) -> Expr {
        let mut operands = operands.into_iter();
        let mut parts = Vec::new();
        for (index, text) in pattern.split('@').enumerate() {
            if index > 0 {
                parts.extend(operands.next().map(Part::Sub));
            }
            parts.push(Part::Text(text.to_owned()));
        }
        Expr { class, parts }
    }

    /// The C text.
    pub fn render(&self, out: &mut String) {
        for part in &self.parts {
            match part {
                Part::Text(text) => out.push_str(text),
                Part::Sub(expr) => expr.render(out),
            }
        }
    }

    /// The expressions it could be replaced by, the simplest first.
    pub fn simpler(&self) -> Vec<Expr> {
        let constant = match self.class {
            Class::Unsigned => "1u",
            Class::Float => "0.5",
            Class::Condition => "1",
            Class::Fixed => return Vec::new(),
        };
        let mut simpler = Vec::new();
        if !matches!(self.parts.as_slice(), [Part::Text(text)] if text.len() <= 4) {
            simpler.push(Expr::text(self.class, constant));
        }
        let subs = self.parts.iter().filter_map(|part| match part {
            Part::Sub(sub) if sub.class == self.class => Some(sub.clone()),
            _ => None,
        });
        simpler.extend(subs);
        simpler
    }

    /// Visits it and its sub-expressions, outermost first, until `visit` says that it is done.
    fn visit(&mut self, visit: &mut dyn FnMut(&mut Expr) -> bool) -> bool {
        visit(self)
            || self.parts.iter_mut().any(|part| match part {
                Part::Sub(sub) => sub.visit(visit),
                Part::Text(_) => false,
            })
    }
}

/// A statement.
#[derive(Clone, Debug)]
pub enum Node {
    /// One line.
    Line(Expr),
    /// A loop: `head { body tail }`; `once` declares what the body needs when the loop is taken away.
    Loop {
        /// Declarations before the loop.
        before: String,
        /// The loop's head, up to the brace.
        head: Expr,
        /// Declarations that make the body stand without the loop.
        once: String,
        /// What is repeated.
        body: Vec<Node>,
        /// What follows the body inside the loop.
        tail: String,
        /// What follows the closing brace: the condition of a do-while loop.
        end: String,
        /// What follows the loop.
        after: String,
    },
    /// A conditional.
    If {
        /// The condition.
        condition: Expr,
        /// If it holds.
        then: Vec<Node>,
        /// If it does not.
        otherwise: Vec<Node>,
    },
}

impl Node {
    fn render(&self, depth: usize, out: &mut String) {
        let pad = "  ".repeat(depth);
        match self {
            Node::Line(line) => {
                out.push_str(&pad);
                line.render(out);
                out.push('\n');
            }
            Node::Loop { before, head, body, tail, end, after, .. } => {
                let _ = write!(out, "{pad}{{ {before}\n{pad}");
                head.render(out);
                out.push_str(" {\n");
                render_all(body, depth + 1, out);
                if !tail.is_empty() {
                    let _ = writeln!(out, "{pad}  {tail}");
                }
                let _ = writeln!(out, "{pad}}} {end} {after} }}");
            }
            Node::If { condition, then, otherwise } => {
                let _ = write!(out, "{pad}if (");
                condition.render(out);
                out.push_str(") {\n");
                render_all(then, depth + 1, out);
                if !otherwise.is_empty() {
                    let _ = writeln!(out, "{pad}}} else {{");
                    render_all(otherwise, depth + 1, out);
                }
                let _ = writeln!(out, "{pad}}}");
            }
        }
    }

    fn visit_exprs(&mut self, visit: &mut dyn FnMut(&mut Expr) -> bool) -> bool {
        match self {
            Node::Line(line) => line.visit(visit),
            Node::Loop { head, body, .. } => {
                head.visit(visit) || body.iter_mut().any(|node| node.visit_exprs(visit))
            }
            Node::If { condition, then, otherwise } => {
                condition.visit(visit) || then.iter_mut().chain(otherwise).any(|node| node.visit_exprs(visit))
            }
        }
    }
}

fn render_all(nodes: &[Node], depth: usize, out: &mut String) {
    for node in nodes {
        node.render(depth, out);
    }
}

/// One function with its nests, and how `main` calls it.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its symbol.
    pub name: String,
    /// The parameter list.
    pub params: String,
    /// Declarations of its scalars.
    pub locals: Vec<String>,
    /// The nests.
    pub body: Vec<Node>,
    /// What it returns: a digest of its scalars.
    pub result: String,
    /// The argument lists of its calls.
    pub calls: Vec<String>,
}

impl Function {
    fn render(&self, out: &mut String) {
        let _ = writeln!(out, "__attribute__((noinline)) unsigned long {}({}) {{", self.name, self.params);
        for local in &self.locals {
            let _ = writeln!(out, "  {local}");
        }
        render_all(&self.body, 1, out);
        let _ = writeln!(out, "done:\n  return {};\n}}\n", self.result);
    }
}

/// A program: what is common, the functions, `main`.
#[derive(Clone, Debug)]
pub struct Program {
    /// Its functions.
    pub functions: Vec<Function>,
}

impl Program {
    /// The C source. It is also C++.
    pub fn render(&self) -> String {
        let mut out = crate::runtime::PROLOGUE.to_owned();
        for function in &self.functions {
            function.render(&mut out);
        }
        out.push_str("QUIET int main(void) {\n");
        for function in &self.functions {
            for (index, call) in function.calls.iter().enumerate() {
                let name = &function.name;
                let _ = writeln!(out, "  fill(); show(\"{name}\", {index}, {name}({call}));");
            }
        }
        out.push_str("  return 0;\n}\n");
        out
    }
}

/// A cut: the number of a place, and what to do there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// Delete call number `.1` of function `.0`.
    Call(usize, usize),
    /// Delete node number `.1` (in preorder) of function `.0`.
    Node(usize, usize),
    /// Replace node number `.1` by its body.
    Unwrap(usize, usize),
    /// Drop the else part of node number `.1`.
    Otherwise(usize, usize),
    /// Replace expression number `.1` by simpler form number `.2`.
    Expr(usize, usize, usize),
}

/// The program after the cut; none if there is no such place.
pub fn cut(program: &Program, cut: Cut) -> Option<Program> {
    let mut program = program.clone();
    let done = match cut {
        Cut::Call(function, call) => {
            let calls = &mut program.functions[function].calls;
            let possible = calls.len() > 1 && call < calls.len();
            if possible {
                calls.remove(call);
            }
            possible
        }
        Cut::Node(function, number) => {
            edit(&mut program.functions[function].body, &mut { number }, &mut |_| Some(Vec::new()))
        }
        Cut::Unwrap(function, number) => {
            edit(&mut program.functions[function].body, &mut { number }, &mut unwrap)
        }
        Cut::Otherwise(function, number) => {
            edit(&mut program.functions[function].body, &mut { number }, &mut drop_otherwise)
        }
        Cut::Expr(function, number, form) => {
            let mut left = number;
            let mut replaced = false;
            let body = &mut program.functions[function].body;
            body.iter_mut().any(|node| {
                node.visit_exprs(&mut |expr| {
                    if left > 0 {
                        left -= 1;
                        return false;
                    }
                    if let Some(simple) = expr.simpler().into_iter().nth(form) {
                        *expr = simple;
                        replaced = true;
                    }
                    true
                })
            });
            replaced
        }
    };
    done.then_some(program)
}

/// How many nodes a function has.
pub fn nodes(function: &Function) -> usize {
    count_all(&function.body)
}

/// How many expressions a function has.
pub fn exprs(function: &Function) -> usize {
    let mut count = 0;
    for node in &mut function.body.clone() {
        node.visit_exprs(&mut |_| {
            count += 1;
            false
        });
    }
    count
}

fn unwrap(node: &Node) -> Option<Vec<Node>> {
    match node {
        Node::Line(_) => None,
        Node::If { then, .. } => Some(then.clone()),
        Node::Loop { before, once, body, after, .. } => {
            // `break` and `continue` of the body need a loop still, one that runs once.
            (!once.is_empty()).then(|| {
                vec![Node::Loop {
                    before: before.clone(),
                    head: Expr::text(Class::Fixed, format!("{once} do")),
                    once: String::new(),
                    body: body.clone(),
                    tail: String::new(),
                    end: "while (0);".to_owned(),
                    after: after.clone(),
                }]
            })
        }
    }
}

fn drop_otherwise(node: &Node) -> Option<Vec<Node>> {
    match node {
        Node::If { condition, then, otherwise } if !otherwise.is_empty() => {
            Some(vec![Node::If { condition: condition.clone(), then: then.clone(), otherwise: Vec::new() }])
        }
        _ => None,
    }
}

/// Replaces node number `number` by what `change` makes of it; whether it did.
fn edit(
    nodes: &mut Vec<Node>,
    number: &mut usize,
    change: &mut dyn FnMut(&Node) -> Option<Vec<Node>>,
) -> bool {
    for index in 0..nodes.len() {
        if *number == 0 {
            let Some(new) = change(&nodes[index]) else { return false };
            nodes.splice(index..=index, new);
            return true;
        }
        *number -= 1;
        let parts = match &mut nodes[index] {
            Node::Line(_) => continue,
            Node::Loop { body, .. } => vec![body],
            Node::If { then, otherwise, .. } => vec![then, otherwise],
        };
        for part in parts {
            let here = count_all(part);
            if *number < here {
                return edit(part, number, change);
            }
            *number -= here;
        }
    }
    false
}

fn count_all(nodes: &[Node]) -> usize {
    nodes
        .iter()
        .map(|node| match node {
            Node::Line(_) => 1,
            Node::Loop { body, .. } => 1 + count_all(body),
            Node::If { then, otherwise, .. } => 1 + count_all(then) + count_all(otherwise),
        })
        .sum()
}
