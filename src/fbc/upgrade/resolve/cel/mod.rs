//! The Common Expression Language, as far as catalogs use it in `olm.constraint` (`olm-resolution` 3.3).
//!
//! One variable, `properties`. Literals, operators, field and index access, the macros `has`, `all`, `exists`,
//! `exists_one`, `map` and `filter`, the functions on texts, conversions and `semver_compare`. Bytes, timestamps and
//! durations are refused. Knows nothing of bundles.

mod check;
mod error;
mod eval;
mod lex;
mod parse;
mod pattern;
#[cfg(test)]
mod tests;
mod types;
mod value;

use error::CompileError;
use serde_json::Value as Json;

/// A rule that compiles to a truth value.
#[derive(Debug, Clone)]
pub(in super::super) struct Program {
    root: parse::Expr,
}

impl Program {
    /// The error is the reference's where a name is unknown or the type is wrong, else of its form.
    pub(in super::super) fn compile(rule: &str) -> Result<Self, String> {
        let shown = |error: CompileError| error.show(rule);
        let root = parse::parse(rule).map_err(shown)?;
        match check::type_of(&root).map_err(shown)? {
            types::Type::Bool => Ok(Self { root }),
            _ => Err("cel expressions must have type Bool".to_owned()),
        }
    }

    /// Evaluates with `properties`; an evaluation error counts as false.
    pub(in super::super) fn is_true(&self, properties: &Json) -> bool {
        eval::evaluate(&self.root, properties).is_ok_and(|v| v == value::Value::Bool(true))
    }
}

/// What a rule of a CustomResourceDefinition says of the value that it calls `self`; `None` where it is about a change, or
/// uses a function that catalogs do not have.
#[cfg(test)]
pub(crate) fn of_self(rule: &str, value: &Json) -> Option<bool> {
    let root = parse::parse(rule)
        .ok()
        .filter(|_| !rule.contains("oldSelf"))?;
    // A name that nothing binds is the one variable.
    match eval::evaluate(&root, value) {
        Ok(value::Value::Bool(holds)) => Some(holds),
        _ => None,
    }
}
