//! The table of type conversions: what each C parameter and result becomes in Rust.
//!
//! A C type that no arm mentions makes its function uncovered, with the type as the reason.

use std::collections::BTreeSet;

use crate::parse::{Declarations, Function, Ownership, Signature, Type, Value};
use crate::table;

/// What a C parameter becomes.
#[derive(Clone, Debug)]
pub enum Argument {
    /// `isl_ctx *`: `&Ctx`.
    Context,
    /// `__isl_take isl_X *`: `X` by value.
    Take(String),
    /// `__isl_keep isl_X *`: `&X`.
    Keep(String),
    /// `enum isl_X`: the Rust enumeration.
    Enumeration(String),
    /// `const char *`: `&str`.
    Text,
    /// An arithmetic type.
    Number(Number),
    /// A function pointer together with its user pointer: a closure.
    Closure(Callback),
    /// The user pointer that belongs to the closure before it.
    User,
    /// `isl_bool *`: a `bool` next to the result.
    AlsoTruth,
    /// `__isl_give isl_X **`: an `X` next to the result.
    AlsoGive(String),
}

/// The arithmetic types and how they are spelled on both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// `int`, kept as `i32`.
    Int,
    /// `int` or `unsigned` that counts or indexes: `usize`.
    Position,
    /// `long`: `i64`.
    Long,
    /// `unsigned long`: `u64`.
    UnsignedLong,
    /// `size_t`: `usize`.
    Size,
    /// `uint32_t`: `u32`.
    Hash,
    /// `double`: `f64`.
    Double,
}

/// What a C result becomes; every one is wrapped in `Result`.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// `__isl_give isl_X *`: `X`.
    Give(String),
    /// A pointer that may be null without an error: `Option<X>`.
    GiveOptional(String),
    /// `isl_bool`: `bool`.
    Truth,
    /// `isl_stat`: `()`.
    Status,
    /// `isl_size`: `usize`.
    Size,
    /// `enum isl_X`: the Rust enumeration.
    Enumeration(String),
    /// `int`, where -1 without an error means "not found": `Option<usize>`.
    Found,
    /// An arithmetic type.
    Number(Number),
    /// `const char *`: `Option<String>`.
    Text,
    /// `__isl_give char *`: `String`.
    OwnedText,
    /// `void`: `()`.
    Nothing,
}

/// A C callback with its user pointer last.
#[derive(Clone, Debug)]
pub struct Callback {
    pub arguments: Vec<Argument>,
    pub outcome: Outcome,
}

/// A function all of whose types are covered.
#[derive(Clone, Debug)]
pub struct Classified {
    pub arguments: Vec<(String, Argument)>,
    pub outcome: Outcome,
}

/// The types that exist: handles and enumerations.
pub struct Types {
    /// C names of the owned types.
    pub handles: BTreeSet<String>,
    /// The handles that can be copied.
    pub copyable: BTreeSet<String>,
    /// The handles with a `dim` function, which tells how many dimensions there are of a type.
    pub with_dimensions: BTreeSet<String>,
    enumerations: BTreeSet<String>,
}

impl Types {
    /// A handle is a type with a `free` function.
    pub fn of(declarations: &Declarations) -> Types {
        let with_function = |ending: &str| -> BTreeSet<String> {
            let names = declarations.functions.iter().filter_map(|f| f.name.strip_suffix(ending));
            names.filter(|name| !table::OPAQUE_TYPES.contains(name)).map(str::to_owned).collect()
        };
        let handles = with_function("_free");
        Types {
            handles: handles.clone(),
            copyable: with_function("_copy"),
            with_dimensions: with_function("_dim")
                .into_iter()
                .filter(|name| handles.contains(name))
                .collect(),
            enumerations: declarations.enumerations.iter().map(|e| e.name.clone()).collect(),
        }
    }

    /// The conversions for `function`, or the reason why there are none.
    pub fn classify(&self, function: &Function) -> Result<Classified, String> {
        let Signature { result, parameters } = &function.signature;
        let mut arguments: Vec<(String, Argument)> = Vec::new();
        for parameter in parameters {
            let after_closure = matches!(arguments.last(), Some((_, Argument::Closure(_))));
            let argument = if after_closure && is_void_pointer(&parameter.ty) {
                Argument::User
            } else {
                self.argument(parameter)?
            };
            arguments.push((parameter.name.clone(), argument));
        }
        let closures = arguments.iter().filter(|a| matches!(a.1, Argument::Closure(_))).count();
        let users = arguments.iter().filter(|a| matches!(a.1, Argument::User)).count();
        if closures != users {
            return Err("has a callback without a user pointer".into());
        }
        let name = function.name.as_str();
        let outcome = match self.outcome(result)? {
            Outcome::Give(ty) if table::OPTIONAL_RESULT.contains(&name) => Outcome::GiveOptional(ty),
            Outcome::Number(Number::Int) if table::TRUTH_AS_INT.contains(&name) => Outcome::Truth,
            Outcome::Number(Number::Int) if table::SEARCHES.iter().any(|end| name.ends_with(end)) => {
                Outcome::Found
            }
            outcome => outcome,
        };
        Ok(Classified { arguments, outcome })
    }

    fn argument(&self, value: &Value) -> Result<Argument, String> {
        match &value.ty {
            Type::Enum(name) if self.enumerations.contains(name) => Ok(Argument::Enumeration(name.clone())),
            Type::Function(signature) => self.callback(signature).map(Argument::Closure),
            Type::Named { constant, name, pointers } => match (name.as_str(), *pointers, value.ownership) {
                ("isl_ctx", 1, _) => Ok(Argument::Context),
                ("char", 1, _) if *constant => Ok(Argument::Text),
                (handle, 1, Ownership::Take) if self.handles.contains(handle) => {
                    Ok(Argument::Take(handle.into()))
                }
                (handle, 1, Ownership::Keep) if self.handles.contains(handle) => {
                    Ok(Argument::Keep(handle.into()))
                }
                ("isl_bool", 1, Ownership::None) => Ok(Argument::AlsoTruth),
                (handle, 2, Ownership::Give) if self.handles.contains(handle) => {
                    Ok(Argument::AlsoGive(handle.into()))
                }
                ("int", 0, _) if table::POSITIONS.contains(&value.name.as_str()) => {
                    Ok(Argument::Number(Number::Position))
                }
                (word, 0, _) => number(word).map(Argument::Number).ok_or_else(|| unknown(value)),
                _ => Err(unknown(value)),
            },
            _ => Err(unknown(value)),
        }
    }

    fn callback(&self, signature: &Signature) -> Result<Callback, String> {
        let Some((user, parameters)) = signature.parameters.split_last() else {
            return Err("has a callback without parameters".into());
        };
        if !is_void_pointer(&user.ty) {
            return Err("has a callback without a user pointer".into());
        }
        let arguments: Result<Vec<_>, String> = parameters.iter().map(|p| self.argument(p)).collect();
        let arguments = arguments?;
        if arguments.iter().any(|a| matches!(a, Argument::AlsoTruth | Argument::AlsoGive(_) | Argument::Text))
        {
            return Err("has a callback with an unusual parameter".into());
        }
        let outcome = match self.outcome(&signature.result)? {
            outcome
            @ (Outcome::Give(_) | Outcome::Truth | Outcome::Status | Outcome::Number(Number::Int)) => outcome,
            _ => return Err("has a callback with an unusual result".into()),
        };
        Ok(Callback { arguments, outcome })
    }

    fn outcome(&self, value: &Value) -> Result<Outcome, String> {
        match &value.ty {
            Type::Enum(name) if self.enumerations.contains(name) => Ok(Outcome::Enumeration(name.clone())),
            Type::Named { constant, name, pointers } => match (name.as_str(), *pointers, value.ownership) {
                ("void", 0, _) => Ok(Outcome::Nothing),
                ("isl_bool", 0, _) => Ok(Outcome::Truth),
                ("isl_stat", 0, _) => Ok(Outcome::Status),
                ("isl_size", 0, _) => Ok(Outcome::Size),
                ("char", 1, Ownership::Give) => Ok(Outcome::OwnedText),
                ("char", 1, _) if *constant => Ok(Outcome::Text),
                (handle, 1, Ownership::Give) if self.handles.contains(handle) => {
                    Ok(Outcome::Give(handle.into()))
                }
                (word, 0, _) => number(word).map(Outcome::Number).ok_or_else(|| unknown(value)),
                _ => Err(unknown(value)),
            },
            _ => Err(unknown(value)),
        }
    }
}

fn number(word: &str) -> Option<Number> {
    Some(match word {
        "int" => Number::Int,
        "unsigned" | "unsigned int" => Number::Position,
        "long" => Number::Long,
        "unsigned long" => Number::UnsignedLong,
        "size_t" => Number::Size,
        "uint32_t" => Number::Hash,
        "double" => Number::Double,
        _ => return None,
    })
}

fn is_void_pointer(ty: &Type) -> bool {
    matches!(ty, Type::Named { name, pointers: 1, .. } if name == "void")
}

fn unknown(value: &Value) -> String {
    let spelled = match &value.ty {
        Type::Named { name, pointers, .. } => format!("{name} {}", "*".repeat(*pointers)),
        Type::Enum(name) => format!("enum {name}"),
        Type::Function(_) => "a function pointer".into(),
        Type::Other(text) => text.clone(),
    };
    let note = match value.ownership {
        Ownership::None => " without an ownership annotation",
        _ => "",
    };
    format!("uses `{}`{note}", spelled.trim())
}
