//! A parser for the subset of C that preprocessed isl headers are written in.
//!
//! The input is a sequence of top-level items. Two kinds matter: enumerations (`enum N { ... };` and
//! `typedef enum { ... } N;`) and function prototypes. Struct declarations, typedefs and variables carry nothing
//! that the bindings need and are skipped, and so are deprecated functions. A prototype is
//!
//! ```text
//! annotation* type name ( parameter, ... ) attribute* ;
//! parameter  = annotation* type name? | annotation* type ( * name ) ( parameter, ... )
//! type       = (const | struct | enum | word)+ *...*
//! ```
//!
//! where an annotation is one of the words `annotated_give`, `annotated_take`, `annotated_keep` and
//! `annotated_null`, which stand for isl's `__isl_give` and so on. What the grammar does not cover (arrays, pointers
//! to function pointers) becomes [`Type::Other`], so that the next stage can name it when it refuses the function.

/// What isl's annotation says about a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ownership {
    /// Nothing: the pointer is not annotated.
    None,
    /// The callee gives the object to the caller.
    Give,
    /// The callee takes the object away from the caller.
    Take,
    /// The callee only looks at the object.
    Keep,
    /// The returned pointer is always null (the result of a `free`).
    Null,
}

/// A C type as far as isl uses them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// A plain word such as `int`, `unsigned long` or `isl_bool`, and how many `*` follow it.
    Named { constant: bool, name: String, pointers: usize },
    /// `enum NAME`.
    Enum(String),
    /// A pointer to a function.
    Function(Box<Signature>),
    /// Anything else, as text.
    Other(String),
}

/// A parameter or, without a name, a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    pub name: String,
    pub ownership: Ownership,
    pub ty: Type,
}

/// Result and parameters of a function or callback.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    pub result: Value,
    pub parameters: Vec<Value>,
}

/// A function prototype.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    pub name: String,
    pub signature: Signature,
    /// The prototype in C, on one line.
    pub prototype: String,
}

/// An enumeration with the value of every constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enumeration {
    pub name: String,
    pub constants: Vec<(String, i64)>,
}

/// Everything the headers declare, in order, each function once.
#[derive(Debug, Default)]
pub struct Declarations {
    pub functions: Vec<Function>,
    pub enumerations: Vec<Enumeration>,
}

/// Parses preprocessed C text.
pub fn parse(text: &str) -> Result<Declarations, String> {
    let tokens = tokenize(text)?;
    let mut found = Declarations::default();
    for item in items(&tokens) {
        if let Some(enumeration) = parse_enumeration(item)? {
            found.enumerations.push(enumeration);
        } else if let Some(function) = parse_function(item)
            && !found.functions.iter().any(|f| f.name == function.name)
        {
            found.functions.push(function);
        }
    }
    Ok(found)
}

/// Splits into words, numbers and single punctuation characters. String literals become one token.
fn tokenize(text: &str) -> Result<Vec<&str>, String> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = match first {
            'a'..='z' | 'A'..='Z' | '_' | '0'..='9' => {
                rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len())
            }
            '"' => match rest[1..].find('"') {
                Some(end) => end + 2,
                None => return Err("a string literal in the headers does not end".into()),
            },
            _ => first.len_utf8(),
        };
        tokens.push(&rest[..length]);
        rest = rest[length..].trim_start();
    }
    Ok(tokens)
}

/// The top-level items: the tokens up to a `;` outside braces, or up to the `}` that ends a function body.
fn items<'t, 'a>(tokens: &'t [&'a str]) -> Vec<&'t [&'a str]> {
    let mut items = Vec::new();
    let (mut start, mut depth) = (0, 0usize);
    for (at, token) in tokens.iter().enumerate() {
        match *token {
            "{" => depth += 1,
            "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        let body_ends = *token == "}" && depth == 0 && tokens[start] == "static";
        if depth == 0 && (*token == ";" || body_ends) {
            let end = if body_ends { at + 1 } else { at };
            items.push(&tokens[start..end]);
            start = at + 1;
        }
    }
    items.retain(|item| !item.is_empty());
    items
}

/// `enum N { ... }` or `typedef enum { ... } N`.
fn parse_enumeration(item: &[&str]) -> Result<Option<Enumeration>, String> {
    let (name, body) = match item {
        ["enum", name, "{", body @ .., "}"] | ["typedef", "enum", "{", body @ .., "}", name] => (*name, body),
        _ => return Ok(None),
    };
    let mut constants: Vec<(String, i64)> = Vec::new();
    let mut next = 0;
    for entry in body.split(|token| *token == ",") {
        let (constant, value) = match entry {
            [] => continue,
            [constant] => (*constant, next),
            [constant, "=", value @ ..] => (*constant, constant_value(value, &constants)?),
            _ => return Err(format!("enum {name}: cannot read `{}`", entry.join(" "))),
        };
        constants.push((constant.to_owned(), value));
        next = value + 1;
    }
    Ok(Some(Enumeration { name: name.to_owned(), constants }))
}

/// The value of an enumeration constant: a number, its negation, or an earlier constant.
fn constant_value(tokens: &[&str], earlier: &[(String, i64)]) -> Result<i64, String> {
    let known = |word: &str| earlier.iter().find(|(name, _)| name == word).map(|c| c.1);
    let value = match tokens {
        ["-", number] => number.parse::<i64>().ok().map(|n| -n),
        ["(", inner @ .., ")"] => return constant_value(inner, earlier),
        [word] => word.parse().ok().or_else(|| known(word)),
        _ => None,
    };
    value.ok_or_else(|| format!("cannot evaluate the enumeration constant `{}`", tokens.join(" ")))
}

/// A prototype, or nothing when the item is something else.
fn parse_function(item: &[&str]) -> Option<Function> {
    let no_prototype =
        matches!(item.first(), Some(&("typedef" | "static" | "extern"))) || item.contains(&"{");
    if no_prototype || item.contains(&"__deprecated__") {
        return None;
    }
    let open = item.iter().position(|token| *token == "(")?;
    let close = matching(item, open)?;
    let (result, name) = item[..open].split_last().map(|(name, head)| (head, *name))?;
    if !is_word(name) || result.is_empty() {
        return None;
    }
    let mut result = parse_value(result);
    result.name.clear();
    Some(Function {
        name: name.to_owned(),
        signature: Signature { result, parameters: parse_parameters(&item[open + 1..close]) },
        prototype: render(&item[..=close]),
    })
}

/// The index of the `)` that closes the `(` at `open`.
fn matching(tokens: &[&str], open: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match *token {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

fn parse_parameters(tokens: &[&str]) -> Vec<Value> {
    if tokens.is_empty() || tokens == ["void"] {
        return Vec::new();
    }
    split_at_commas(tokens).into_iter().map(parse_value).collect()
}

/// Splits at the commas outside parentheses.
fn split_at_commas<'t, 'a>(tokens: &'t [&'a str]) -> Vec<&'t [&'a str]> {
    let mut parts = Vec::new();
    let (mut start, mut depth) = (0, 0i32);
    for (at, token) in tokens.iter().enumerate() {
        match *token {
            "(" => depth += 1,
            ")" => depth -= 1,
            "," if depth == 0 => {
                parts.push(&tokens[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&tokens[start..]);
    parts
}

/// A parameter, or the part of a prototype before the function's name.
fn parse_value(tokens: &[&str]) -> Value {
    if let Some(callback) = parse_callback(tokens) {
        return callback;
    }
    let mut ownership = Ownership::None;
    let (mut constant, mut enumeration, mut pointers) = (false, false, 0);
    let mut words: Vec<&str> = Vec::new();
    let mut name = "";
    for token in tokens {
        match *token {
            "annotated_give" => ownership = Ownership::Give,
            "annotated_take" => ownership = Ownership::Take,
            "annotated_keep" => ownership = Ownership::Keep,
            "annotated_null" => ownership = Ownership::Null,
            "const" => constant = true,
            "struct" => {}
            "enum" => enumeration = true,
            "*" => pointers += 1,
            word if !is_word(word) => return other(tokens),
            word if pointers > 0 => name = word,
            word => words.push(word),
        }
    }
    // Without a `*` the last word is the name, unless it belongs to the type.
    if pointers == 0 && words.len() > 1 && !is_type_word(words[words.len() - 1]) {
        name = words.pop().unwrap_or_default();
    }
    let spelled = words.join(" ");
    let ty = match (enumeration, pointers) {
        (true, 0) => Type::Enum(spelled),
        (true, _) => return other(tokens),
        (false, _) => Type::Named { constant, name: spelled, pointers },
    };
    Value { name: name.to_owned(), ownership, ty }
}

fn other(tokens: &[&str]) -> Value {
    Value { name: String::new(), ownership: Ownership::None, ty: Type::Other(render(tokens)) }
}

/// `result (*name)(parameters)`.
fn parse_callback(tokens: &[&str]) -> Option<Value> {
    let open = tokens.iter().position(|token| *token == "(")?;
    let ["(", "*", name, ")", "(", parameters @ .., ")"] = &tokens[open..] else {
        return None;
    };
    Some(Value {
        name: (*name).to_owned(),
        ownership: Ownership::None,
        ty: Type::Function(Box::new(Signature {
            result: parse_value(&tokens[..open]),
            parameters: parse_parameters(parameters),
        })),
    })
}

fn is_word(token: &str) -> bool {
    token.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

fn is_type_word(token: &str) -> bool {
    matches!(token, "int" | "unsigned" | "long" | "char" | "double" | "void" | "size_t")
}

/// The tokens as C text, with isl's own annotations.
fn render(tokens: &[&str]) -> String {
    let mut text = String::new();
    for token in tokens {
        let token = token
            .strip_prefix("annotated_")
            .map_or_else(|| (*token).to_owned(), |word| format!("__isl_{word}"));
        let glued = text.is_empty()
            || text.ends_with(['(', '*'])
            || matches!(token.as_str(), ")" | "," | "[" | "]")
            || (token == "(" && !text.ends_with(','));
        if !glued {
            text.push(' ');
        }
        text.push_str(&token);
    }
    text
}
