//! Requirements on a bundle.

use super::super::answer::UpgradeError;
use super::cel::Program;
use super::facts::Facts;
use super::gvk::{Gvk, field_of, gvk, invalid, string};
use crate::go_text::{names_field, quote};
use crate::version::Version;
use crate::version::blang::Range;
use serde_json::{Map, Value};
use std::fmt;

/// Maximum length of an `olm.constraint`, in bytes.
const MAX_CONSTRAINT: usize = 131_072;

/// A requirement. A constraint tree applies to a single bundle, never to several.
#[derive(Debug, Clone)]
pub(super) enum Predicate {
    Package {
        name: String,
        range: Range,
        range_text: String,
    },
    Gvk(Gvk),
    Label(String),
    All(Vec<Predicate>),
    Any(Vec<Predicate>),
    /// No child matches.
    Not(Vec<Predicate>),
    Cel {
        program: Program,
        rule: String,
        message: String,
    },
}

/// The requirement of a property; `None` if the property is not one.
pub(super) fn parse_property(kind: &str, value: &str) -> Option<Result<Predicate, UpgradeError>> {
    let parsed = || serde_json::from_str::<Value>(value).map_err(|e| invalid(e.to_string()));
    Some(match kind {
        "olm.package.required" => parsed()
            .and_then(|v| package(&string(&v, "packageName")?, &string(&v, "versionRange")?)),
        "olm.gvk.required" => parsed().and_then(|v| Ok(Predicate::Gvk(gvk(&v)?))),
        "olm.label.required" => parsed().and_then(|v| Ok(Predicate::Label(string(&v, "label")?))),
        "olm.constraint" => {
            if value.len() > MAX_CONSTRAINT {
                return Some(Err(invalid(format!(
                    "parse olm.constraint: olm.constraint value is greater than max constraint size {MAX_CONSTRAINT} bytes"
                ))));
            }
            parsed().and_then(|v| {
                check_keys(&v).map_err(|e| invalid(format!("parse olm.constraint: {e}")))?;
                constraint(&v).map_err(|e| {
                    invalid(format!(
                        "convert olm.constraint to resolver predicate: {}",
                        e.text
                    ))
                })
            })
        }
        _ => return None,
    })
}

impl Predicate {
    pub(super) fn holds(&self, facts: &Facts) -> bool {
        match self {
            Predicate::Package { name, range, .. } => {
                facts.belongs_to(name) && facts.versions().any(|v: &Version| range.contains(v))
            }
            Predicate::Gvk(gvk) => facts.gvks.iter().any(|offered| **offered == *gvk),
            Predicate::Label(label) => facts.labels.contains(label),
            Predicate::All(children) => children.iter().all(|c| c.holds(facts)),
            Predicate::Any(children) => children.iter().any(|c| c.holds(facts)),
            Predicate::Not(children) => !children.iter().any(|c| c.holds(facts)),
            Predicate::Cel { program, .. } => program.is_true(facts.cel()),
        }
    }
}

impl Predicate {
    /// The requirement for a person. [`fmt::Display`] has OLM's wording, which for a `not` lists
    /// what the bundle must not be.
    pub(super) fn in_words(&self) -> String {
        let join = |children: &[Predicate], between: &str| match children {
            [only] => only.in_words(),
            several => {
                let parts: Vec<String> = several
                    .iter()
                    .map(|child| format!("({})", child.in_words()))
                    .collect();
                parts.join(between)
            }
        };
        match self {
            Predicate::Not(children) if children.is_empty() => "any bundle".to_owned(),
            Predicate::Not(children) => format!("not ({})", join(children, " or ")),
            Predicate::All(children) if children.is_empty() => "any bundle".to_owned(),
            Predicate::All(children) => join(children, " and "),
            Predicate::Any(children) if children.is_empty() => "no bundle at all".to_owned(),
            Predicate::Any(children) => join(children, " or "),
            leaf => leaf.to_string(),
        }
    }
}

impl fmt::Display for Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let join = |f: &mut fmt::Formatter<'_>, children: &[Predicate], between: &str| {
            for (i, child) in children.iter().enumerate() {
                write!(f, "{}{child}", if i == 0 { "" } else { between })?;
            }
            Ok(())
        };
        match self {
            Predicate::Package {
                name, range_text, ..
            } => {
                write!(
                    f,
                    "with package: {name} and with version in range: {range_text}"
                )
            }
            Predicate::Gvk(Gvk {
                group,
                version,
                kind,
            }) => {
                write!(
                    f,
                    "providing an API with group: {group}, version: {version}, kind: {kind}"
                )
            }
            Predicate::Label(label) => write!(f, "with label: {label}"),
            Predicate::All(children) => join(f, children, " and "),
            Predicate::Any(children) => join(f, children, " or "),
            Predicate::Not(children) => join(f, children, " and not "),
            Predicate::Cel { rule, message, .. } => {
                write!(
                    f,
                    "with constraint: {} and message: {}",
                    quote(rule),
                    quote(message)
                )
            }
        }
    }
}

fn package(name: &str, range_text: &str) -> Result<Predicate, UpgradeError> {
    let range = Range::parse(range_text).map_err(|e| invalid(e.0))?;
    Ok(Predicate::Package {
        name: name.to_owned(),
        range,
        range_text: range_text.to_owned(),
    })
}

/// Keys allowed in a constraint and in its children.
const KEYS: [(&str, &[&str]); 7] = [
    ("failureMessage", &[]),
    ("gvk", &["group", "version", "kind"]),
    ("package", &["packageName", "versionRange"]),
    ("cel", &["rule"]),
    ("all", &["constraints"]),
    ("any", &["constraints"]),
    ("not", &["constraints"]),
];

/// Unknown keys at any depth are errors. The JSON reader limits nesting, so the recursion ends.
fn check_keys(value: &Value) -> Result<(), String> {
    let unknown = |key: &str| format!("json: unknown field {}", quote(key));
    let Some(map) = value.as_object() else {
        return Ok(());
    };
    for (key, value) in map {
        let (_, inner) = KEYS
            .iter()
            .find(|(name, _)| names_field(key, name))
            .ok_or_else(|| unknown(key))?;
        for (key, value) in value.as_object().into_iter().flatten() {
            if !inner.iter().any(|name| names_field(key, name)) {
                return Err(unknown(key));
            }
            for child in value.as_array().into_iter().flatten() {
                check_keys(child)?;
            }
        }
    }
    Ok(())
}

fn constraint(value: &Value) -> Result<Predicate, UpgradeError> {
    let empty = Map::new();
    let map = match value {
        Value::Object(map) => map,
        Value::Null => &empty,
        _ => {
            return Err(invalid(
                "json: cannot unmarshal into Go value of type constraints.Constraint".to_owned(),
            ));
        }
    };
    let inner = |field: &str| {
        map.iter()
            .find(|(k, v)| names_field(k, field) && !v.is_null())
            .map(|(_, v)| v)
    };
    let children = |v: &Value| -> Result<Vec<Predicate>, UpgradeError> {
        match field_of(v, "constraints")? {
            None | Some(Value::Null) => Ok(Vec::new()),
            Some(Value::Array(list)) => list.iter().map(constraint).collect(),
            Some(_) => Err(invalid(
                "json: cannot unmarshal into Go struct field .constraints".to_owned(),
            )),
        }
    };
    if let Some(v) = inner("gvk") {
        return Ok(Predicate::Gvk(gvk(v)?));
    }
    if let Some(v) = inner("package") {
        return package(&string(v, "packageName")?, &string(v, "versionRange")?);
    }
    if let Some(v) = inner("all") {
        return children(v).map(Predicate::All);
    }
    if let Some(v) = inner("any") {
        return children(v).map(Predicate::Any);
    }
    if let Some(v) = inner("not") {
        return children(v).map(Predicate::Not);
    }
    if let Some(v) = inner("cel") {
        let rule = string(v, "rule")?;
        let program = Program::compile(&rule).map_err(invalid)?;
        return Ok(Predicate::Cel {
            program,
            rule,
            message: string(value, "failureMessage")?,
        });
    }
    Err(invalid("constraint is empty".to_owned()))
}

/// Package and versions of an `olm.package.required` property, from its JSON value.
pub fn required_package(value: &str) -> Option<(String, Range)> {
    match parse_property("olm.package.required", value)? {
        Ok(Predicate::Package { name, range, .. }) => Some((name, range)),
        _ => None,
    }
}
