//! Label selectors over catalogs, with Kubernetes semantics and error texts.

use super::answer::{ErrorKind, UpgradeError};
use catalog::model::is_dns_subdomain;
use serde::Deserialize;
use std::collections::BTreeMap;
use syntax::go_text::quote;

/// Kubernetes' maximum length of a label's name or value, in bytes.
const MAX_NAME: usize = 63;

/// A label selector in a ClusterExtension, as written.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct SelectorSpec {
    match_labels: BTreeMap<String, String>,
    match_expressions: Vec<Expression>,
}

/// A requirement on one label, as written.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Expression {
    key: String,
    operator: String,
    values: Vec<String>,
}

/// A validated selector. The default selects everything.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Selector {
    requirements: Vec<Requirement>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Requirement {
    key: String,
    condition: LabelCondition,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum LabelCondition {
    In(Vec<String>),
    NotIn(Vec<String>),
    Exists,
    DoesNotExist,
}

impl SelectorSpec {
    /// Validates the selector; the error has the text of Kubernetes.
    fn to_selector(&self) -> Result<Selector, String> {
        let labels = self.match_labels.iter().map(|(key, value)| {
            Ok(Requirement::new(
                key,
                LabelCondition::In(vec![value.clone()]),
            ))
        });
        let expressions = self
            .match_expressions
            .iter()
            .map(Expression::to_requirement);
        let requirements = labels
            .chain(expressions)
            .map(|requirement| requirement.and_then(Requirement::check))
            .collect::<Result<_, _>>()?;
        Ok(Selector { requirements })
    }
}

impl Expression {
    /// The error has the text of Kubernetes.
    fn to_requirement(&self) -> Result<Requirement, String> {
        let condition = match self.operator.as_str() {
            "In" => LabelCondition::In(self.values.clone()),
            "NotIn" => LabelCondition::NotIn(self.values.clone()),
            "Exists" => LabelCondition::Exists,
            "DoesNotExist" => LabelCondition::DoesNotExist,
            other => {
                return Err(format!(
                    "{} is not a valid label selector operator",
                    quote(other)
                ));
            }
        };
        match condition {
            LabelCondition::In(_) | LabelCondition::NotIn(_) if self.values.is_empty() => Err(
                "values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty"
                    .to_owned(),
            ),
            LabelCondition::Exists | LabelCondition::DoesNotExist if !self.values.is_empty() => {
                Err(
                    "values: Invalid value: values set must be empty for exists and does not exist"
                        .to_owned(),
                )
            }
            condition => Ok(Requirement::new(&self.key, condition)),
        }
    }
}

impl Selector {
    /// Parses the text form (`tier=gold,env!=test,region in (eu, us),!old`), or a label selector as
    /// JSON. The error is OLM's (E1 in docs/reference/olm-resolution.md).
    pub fn parse(text: &str) -> Result<Self, UpgradeError> {
        let text = text.trim();
        let selector = if text.starts_with('{') {
            serde_json::from_str::<SelectorSpec>(text)
                .map_err(|error| error.to_string())
                .and_then(|spec| spec.to_selector())
        } else {
            split_outside_parentheses(text)
                .into_iter()
                .map(str::trim)
                .filter(|term| !term.is_empty())
                .map(|term| parse_term(term)?.check())
                .collect::<Result<_, _>>()
                .map(|requirements| Self { requirements })
        };
        selector.map_err(|reason| {
            UpgradeError::new(
                ErrorKind::Selector,
                format!("desired catalog selector is invalid: {reason}"),
            )
        })
    }

    /// Whether the selector selects a catalog; `label` looks up its labels.
    pub fn selects<'a>(&self, label: impl Fn(&str) -> Option<&'a str>) -> bool {
        self.requirements.iter().all(|requirement| {
            let value = label(&requirement.key);
            match &requirement.condition {
                LabelCondition::In(values) => {
                    value.is_some_and(|value| values.iter().any(|listed| listed == value))
                }
                LabelCondition::NotIn(values) => {
                    value.is_none_or(|value| values.iter().all(|listed| listed != value))
                }
                LabelCondition::Exists => value.is_some(),
                LabelCondition::DoesNotExist => value.is_none(),
            }
        })
    }
}

impl Requirement {
    fn new(key: &str, condition: LabelCondition) -> Self {
        let key = key.to_owned();
        Self { key, condition }
    }

    /// Validates key and values like Kubernetes.
    fn check(self) -> Result<Self, String> {
        let key = &self.key;
        if !is_label_key(key) {
            return Err(format!(
                "key: Invalid value: {}: name part must consist of alphanumeric characters, '-', '_' or '.', and must \
                 start and end with an alphanumeric character",
                quote(key)
            ));
        }
        if let LabelCondition::In(values) | LabelCondition::NotIn(values) = &self.condition
            && let Some((index, value)) = values
                .iter()
                .enumerate()
                .find(|(_, value)| !value.is_empty() && !is_label_value(value))
        {
            return Err(format!(
                "values[{index}][{key}]: Invalid value: {}: a valid label must be an empty string or consist of \
                 alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
                quote(value)
            ));
        }
        Ok(self)
    }
}

/// Whether the text is a name with an optional domain prefix.
fn is_label_key(key: &str) -> bool {
    let (prefix, name) = key
        .split_once('/')
        .map_or((None, key), |(prefix, name)| (Some(prefix), name));
    is_label_value(name) && prefix.is_none_or(is_dns_subdomain)
}

fn is_label_value(text: &str) -> bool {
    let is_end = |b: Option<u8>| b.is_some_and(|b| b.is_ascii_alphanumeric());
    let has_valid_chars = text
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'));
    has_valid_chars
        && text.len() <= MAX_NAME
        && is_end(text.bytes().next())
        && is_end(text.bytes().last())
}

fn parse_term(term: &str) -> Result<Requirement, String> {
    let refuse = || Err(format!("unable to parse requirement: {}", quote(term)));
    if let Some(set) = term.strip_suffix(')') {
        let Some((operator, values)) = set.split_once('(') else {
            return refuse();
        };
        let values: Vec<String> = values.split(',').map(|v| v.trim().to_owned()).collect();
        return match operator.split_whitespace().collect::<Vec<_>>()[..] {
            [key, "in"] => Ok(Requirement::new(key, LabelCondition::In(values))),
            [key, "notin"] => Ok(Requirement::new(key, LabelCondition::NotIn(values))),
            _ => refuse(),
        };
    }
    let (key, condition) = if let Some((key, value)) = term.split_once("!=") {
        (key, LabelCondition::NotIn(vec![value.trim().to_owned()]))
    } else if let Some((key, value)) = term.split_once("==").or_else(|| term.split_once('=')) {
        (key, LabelCondition::In(vec![value.trim().to_owned()]))
    } else if let Some(key) = term.strip_prefix('!') {
        (key, LabelCondition::DoesNotExist)
    } else {
        (term, LabelCondition::Exists)
    };
    let key = key.trim();
    if key.is_empty() || key.contains(|c: char| c.is_whitespace() || c == '(') {
        return refuse();
    }
    Ok(Requirement::new(key, condition))
}

fn split_outside_parentheses(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut is_inside = false;
    for (index, c) in text.char_indices() {
        match c {
            '(' => is_inside = true,
            ')' => is_inside = false,
            ',' if !is_inside => {
                parts.push(&text[start..index]);
                start = index + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selects(selector: &str) -> bool {
        let label = |key: &str| {
            [("tier", "gold"), ("env", "prod")]
                .iter()
                .find(|(k, _)| *k == key)
                .map(|(_, v)| *v)
        };
        Selector::parse(selector).unwrap().selects(label)
    }

    #[test]
    fn selects_by_label() {
        for selector in [
            "",
            "tier=gold",
            "tier == gold, env!=test",
            "tier in (silver, gold),!old",
            "x notin (a)",
            "env",
        ] {
            assert!(selects(selector), "{selector}");
        }
        for selector in [
            "tier=silver",
            "!tier",
            "x",
            "x in (a)",
            r#"{"matchLabels":{"tier":"x"}}"#,
        ] {
            assert!(!selects(selector), "{selector}");
        }
    }

    #[test]
    fn refuses_with_a_reason() {
        let json = r#"{"matchExpressions":[{"key":"x","operator":"bad"}]}"#;
        assert_eq!(
            Selector::parse(json).map_err(|e| e.text),
            Err(r#"desired catalog selector is invalid: "bad" is not a valid label selector operator"#.to_owned())
        );
        assert!(
            Selector::parse("a b").is_err()
                && Selector::parse("a)").is_err()
                && Selector::parse("=x").is_err()
        );
    }

    #[test]
    fn refuses_invalid_labels() {
        for text in [
            "tier>5",
            "tier=a=b",
            "!tier=gold",
            "a=b c",
            "-a",
            "a/b/c",
            "a=(",
            r#"{"matchLabel":{"a":"b"}}"#,
        ] {
            assert!(Selector::parse(text).is_err(), "{text}");
        }
        assert!(Selector::parse("olm.operatorframework.io/metadata.name=x, a in (,b), c=").is_ok());
    }
}
