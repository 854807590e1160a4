//! From isl's names to Rust's.

/// `isl_union_pw_aff` becomes `UnionPwAff`.
pub fn type_name(c_name: &str) -> String {
    let stem = c_name.strip_prefix("isl_").unwrap_or(c_name);
    stem.split('_')
        .map(|part| match part {
            "qpolynomial" => "QPolynomial".to_owned(),
            _ => capitalized(part),
        })
        .collect()
}

fn capitalized(part: &str) -> String {
    let mut letters = part.chars();
    letters.next().map(|first| first.to_ascii_uppercase().to_string() + letters.as_str()).unwrap_or_default()
}

/// What follows the type's name in a function's name, as a Rust method name.
pub fn method_name(suffix: &str) -> String {
    let lower = suffix.to_ascii_lowercase();
    if lower.starts_with(|c: char| c.is_ascii_digit()) {
        return format!("pow{lower}");
    }
    identifier(&lower)
}

/// `name` as a Rust identifier.
pub fn identifier(name: &str) -> String {
    match name {
        "self" | "super" | "crate" | "Self" => format!("{name}_"),
        "as" | "break" | "const" | "continue" | "else" | "enum" | "extern" | "false" | "fn" | "for"
        | "if" | "impl" | "in" | "let" | "loop" | "match" | "mod" | "move" | "mut" | "pub" | "ref"
        | "return" | "static" | "struct" | "trait" | "true" | "type" | "unsafe" | "use" | "where"
        | "while" | "async" | "await" | "dyn" | "abstract" | "become" | "box" | "do" | "final" | "macro"
        | "override" | "priv" | "typeof" | "unsized" | "virtual" | "yield" | "try" | "gen" => {
            format!("r#{name}")
        }
        _ => name.to_owned(),
    }
}

/// The variant names of an enumeration: the constants without what they have in common, in camel case.
pub fn variant_names(constants: &[String]) -> Vec<String> {
    let parts: Vec<Vec<&str>> = constants.iter().map(|c| c.split('_').collect()).collect();
    let shared = shared_parts(&parts);
    parts.iter().map(|p| p[shared..].iter().map(|part| capitalized(part)).collect()).collect()
}

/// How many leading parts all constants share, leaving at least one part to each.
fn shared_parts(parts: &[Vec<&str>]) -> usize {
    let limit = parts.iter().map(|p| p.len() - 1).min().unwrap_or(0);
    (0..limit).take_while(|&i| parts.iter().all(|p| p[i] == parts[0][i])).count()
}
