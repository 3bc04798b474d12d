//! Label selectors over catalogs, with Kubernetes semantics and error texts.

use super::answer::{ErrorKind, UpgradeError};
use serde::Deserialize;
use std::collections::BTreeMap;
use syntax::go_text::quote;

/// Kubernetes' maximum lengths of a label's domain prefix, and of its name or value, in bytes.
const MAX_PREFIX: usize = 253;
const MAX_NAME: usize = 63;

/// A label selector in a ClusterExtension.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct LabelSelector {
    pub match_labels: BTreeMap<String, String>,
    pub match_expressions: Vec<Expression>,
}

/// A requirement of a [`LabelSelector`] on one label.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Expression {
    pub key: String,
    pub operator: String,
    pub values: Vec<String>,
}

/// A validated selector. The default selects everything.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Selector {
    /// By label key.
    conditions: Vec<(String, LabelCondition)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum LabelCondition {
    In(Vec<String>),
    NotIn(Vec<String>),
    Exists,
    DoesNotExist,
}

impl LabelSelector {
    /// Validates the selector. The error is OLM's (E1).
    pub fn check(&self) -> Result<Selector, UpgradeError> {
        self.conditions()
            .map(|conditions| Selector { conditions })
            .map_err(invalid_selector)
    }

    fn conditions(&self) -> Result<Vec<(String, LabelCondition)>, String> {
        let labels = self
            .match_labels
            .iter()
            .map(|(key, value)| Ok((key.clone(), LabelCondition::In(vec![value.clone()]))));
        let expressions = self.match_expressions.iter().map(Expression::condition);
        labels
            .chain(expressions)
            .map(|condition| condition.and_then(check_condition))
            .collect()
    }
}

impl Expression {
    /// Returns label key and condition; the error has the text of Kubernetes.
    fn condition(&self) -> Result<(String, LabelCondition), String> {
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
            condition => Ok((self.key.clone(), condition)),
        }
    }
}

impl Selector {
    /// Parses the text form (`tier=gold,env!=test,region in (eu, us),!old`), or a `LabelSelector` as JSON.
    pub fn parse(text: &str) -> Result<Self, UpgradeError> {
        let text = text.trim();
        if text.starts_with('{') {
            return serde_json::from_str::<LabelSelector>(text)
                .map_err(|error| invalid_selector(error.to_string()))?
                .check();
        }
        let conditions = split_outside_parentheses(text)
            .into_iter()
            .map(str::trim)
            .filter(|term| !term.is_empty())
            .map(|term| parse_term(term).and_then(check_condition))
            .collect::<Result<_, String>>()
            .map_err(invalid_selector)?;
        Ok(Self { conditions })
    }

    /// Whether the selector selects a catalog; `label` looks up its labels.
    pub fn selects<'a>(&self, label: impl Fn(&str) -> Option<&'a str>) -> bool {
        self.conditions.iter().all(|(key, condition)| {
            let value = label(key);
            match condition {
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

fn invalid_selector(reason: String) -> UpgradeError {
    UpgradeError::new(
        ErrorKind::Selector,
        format!("desired catalog selector is invalid: {reason}"),
    )
}

/// Validates key and values like Kubernetes.
fn check_condition(
    (key, condition): (String, LabelCondition),
) -> Result<(String, LabelCondition), String> {
    if !is_label_key(&key) {
        return Err(format!(
            "key: Invalid value: {}: name part must consist of alphanumeric characters, '-', '_' or '.', and must start \
             and end with an alphanumeric character",
            quote(&key)
        ));
    }
    if let LabelCondition::In(values) | LabelCondition::NotIn(values) = &condition
        && let Some((index, value)) = values
            .iter()
            .enumerate()
            .find(|(_, value)| !value.is_empty() && !is_label_value(value))
    {
        return Err(format!(
            "values[{index}][{key}]: Invalid value: {}: a valid label must be an empty string or consist of alphanumeric \
             characters, '-', '_' or '.', and must start and end with an alphanumeric character",
            quote(value)
        ));
    }
    Ok((key, condition))
}

/// Whether the text is a name with an optional domain prefix.
fn is_label_key(key: &str) -> bool {
    let (prefix, name) = key
        .split_once('/')
        .map_or((None, key), |(prefix, name)| (Some(prefix), name));
    is_label_value(name)
        && prefix
            .is_none_or(|prefix| prefix.len() <= MAX_PREFIX && prefix.split('.').all(is_dns_label))
}

fn is_dns_label(part: &str) -> bool {
    let has_valid_chars = part
        .bytes()
        .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
    has_valid_chars && !part.is_empty() && !part.starts_with('-') && !part.ends_with('-')
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

fn parse_term(term: &str) -> Result<(String, LabelCondition), String> {
    let refuse = || Err(format!("unable to parse requirement: {}", quote(term)));
    if let Some(set) = term.strip_suffix(')') {
        let Some((operator, values)) = set.split_once('(') else {
            return refuse();
        };
        let values: Vec<String> = values.split(',').map(|v| v.trim().to_owned()).collect();
        return match operator.split_whitespace().collect::<Vec<_>>()[..] {
            [key, "in"] => Ok((key.to_owned(), LabelCondition::In(values))),
            [key, "notin"] => Ok((key.to_owned(), LabelCondition::NotIn(values))),
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
    Ok((key.to_owned(), condition))
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
