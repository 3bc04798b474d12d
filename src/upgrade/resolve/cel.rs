//! The Common Expression Language, as far as catalogs use it in `olm.constraint` (`olm-resolution`
//! 3.3).
//!
//! Supports one variable (`properties`), literals, operators, field and index access, the macros
//! `has`, `all`, `exists`, `exists_one`, `map` and `filter`, string functions, conversions and
//! `semver_compare`. Refuses bytes, timestamps and durations. Knows no bundles.

mod check;
mod eval;
mod parse;
#[cfg(test)]
mod tests;

use parse::CompileError;
use serde_json::Value as Json;

/// A rule that compiles to a boolean.
#[derive(Debug, Clone)]
pub(in super::super) struct Program {
    root: parse::Expr,
}

impl Program {
    /// Compiles a rule. Unknown names and type errors are reported in the reference's wording,
    /// syntax errors in our own.
    pub(in super::super) fn compile(rule: &str) -> Result<Self, String> {
        let format_error = |error: CompileError| error.show(rule);
        let root = parse::parse(rule).map_err(format_error)?;
        match check::type_of(&root).map_err(format_error)? {
            check::Type::Bool => Ok(Self { root }),
            _ => Err("cel expressions must have type Bool".to_owned()),
        }
    }

    /// Evaluates with `properties`; an evaluation error counts as false.
    pub(in super::super) fn is_true(&self, properties: &Json) -> bool {
        eval::evaluate(&self.root, properties).is_ok_and(|v| v == parse::Value::Bool(true))
    }
}

/// Returns the result of a CustomResourceDefinition rule about the value `self`; `None` if the rule
/// concerns a change, or uses a function that catalogs do not have.
#[cfg(any(test, feature = "testing"))]
pub fn evaluate_self(rule: &str, value: &Json) -> Option<bool> {
    let root = parse::parse(rule)
        .ok()
        .filter(|_| !rule.contains("oldSelf"))?;
    // Every unbound name is the single variable.
    match eval::evaluate(&root, value) {
        Ok(parse::Value::Bool(holds)) => Some(holds),
        _ => None,
    }
}
