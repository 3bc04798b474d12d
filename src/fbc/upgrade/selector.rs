//! Label selectors over catalogs, with Kubernetes semantics.

use super::answer::{ErrorKind, UpgradeError};
use crate::go_text::quote;
use serde::Deserialize;

/// A label selector in a ClusterExtension.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct LabelSelector {
    pub match_labels: std::collections::BTreeMap<String, String>,
    pub match_expressions: Vec<Expression>,
}

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
    demands: Vec<(String, LabelCondition)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum LabelCondition {
    In(Vec<String>),
    NotIn(Vec<String>),
    Exists,
    DoesNotExist,
}

impl LabelSelector {
    /// The error is OLM's (E1).
    pub fn check(&self) -> Result<Selector, UpgradeError> {
        self.demands()
            .map(|demands| Selector { demands })
            .map_err(invalid)
    }

    fn demands(&self) -> Result<Vec<(String, LabelCondition)>, String> {
        let labels = self
            .match_labels
            .iter()
            .map(|(key, value)| Ok((key.clone(), LabelCondition::In(vec![value.clone()]))));
        let expressions = self.match_expressions.iter().map(|e| {
            let demand = match e.operator.as_str() {
                "In" => LabelCondition::In(e.values.clone()),
                "NotIn" => LabelCondition::NotIn(e.values.clone()),
                "Exists" => LabelCondition::Exists,
                "DoesNotExist" => LabelCondition::DoesNotExist,
                other => return Err(format!("{} is not a valid label selector operator", quote(other))),
            };
            match demand {
                LabelCondition::In(_) | LabelCondition::NotIn(_) if e.values.is_empty() => {
                    Err("values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty".to_owned())
                }
                LabelCondition::Exists | LabelCondition::DoesNotExist if !e.values.is_empty() => {
                    Err("values: Invalid value: values set must be empty for exists and does not exist".to_owned())
                }
                demand => Ok((e.key.clone(), demand)),
            }
        });
        labels
            .chain(expressions)
            .map(|demand| demand.and_then(check_condition))
            .collect()
    }
}

impl Selector {
    /// Parses the text form (`tier=gold,env!=test,region in (eu, us),!old`), or a `LabelSelector` as JSON.
    pub fn parse(text: &str) -> Result<Self, UpgradeError> {
        let text = text.trim();
        if text.starts_with('{') {
            return serde_json::from_str::<LabelSelector>(text)
                .map_err(|e| invalid(e.to_string()))?
                .check();
        }
        let demands = split_outside_parentheses(text)
            .into_iter()
            .map(str::trim)
            .filter(|term| !term.is_empty())
            .map(|text| term(text).and_then(check_condition))
            .collect::<Result<_, String>>()
            .map_err(invalid)?;
        Ok(Self { demands })
    }

    /// `label` looks up a label of the catalog.
    pub fn selects<'a>(&self, label: impl Fn(&str) -> Option<&'a str>) -> bool {
        self.demands.iter().all(|(key, demand)| {
            let value = label(key);
            match demand {
                LabelCondition::In(values) => value.is_some_and(|v| values.iter().any(|x| x == v)),
                LabelCondition::NotIn(values) => {
                    value.is_none_or(|v| values.iter().all(|x| x != v))
                }
                LabelCondition::Exists => value.is_some(),
                LabelCondition::DoesNotExist => value.is_none(),
            }
        })
    }
}

fn invalid(why: String) -> UpgradeError {
    UpgradeError::new(
        ErrorKind::Selector,
        format!("desired catalog selector is invalid: {why}"),
    )
}

/// Validates key and values like Kubernetes.
fn check_condition(
    (key, demand): (String, LabelCondition),
) -> Result<(String, LabelCondition), String> {
    if !is_key(&key) {
        return Err(format!(
            "key: Invalid value: {}: name part must consist of alphanumeric characters, '-', '_' or '.', and must start \
             and end with an alphanumeric character",
            quote(&key)
        ));
    }
    if let LabelCondition::In(values) | LabelCondition::NotIn(values) = &demand
        && let Some((at, value)) = values
            .iter()
            .enumerate()
            .find(|(_, value)| !value.is_empty() && !is_word(value))
    {
        return Err(format!(
            "values[{at}][{key}]: Invalid value: {}: a valid label must be an empty string or consist of alphanumeric \
             characters, '-', '_' or '.', and must start and end with an alphanumeric character",
            quote(value)
        ));
    }
    Ok((key, demand))
}

/// A name with an optional domain prefix.
fn is_key(key: &str) -> bool {
    let (prefix, name) = key
        .split_once('/')
        .map_or((None, key), |(prefix, name)| (Some(prefix), name));
    let is_label = |part: &str| {
        let inner = part
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
        inner && !part.is_empty() && !part.starts_with('-') && !part.ends_with('-')
    };
    is_word(name)
        && prefix.is_none_or(|prefix| prefix.len() <= 253 && prefix.split('.').all(is_label))
}

fn is_word(text: &str) -> bool {
    let is_end = |b: Option<u8>| b.is_some_and(|b| b.is_ascii_alphanumeric());
    let inner = text
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'));
    inner && text.len() <= 63 && is_end(text.bytes().next()) && is_end(text.bytes().last())
}

fn term(term: &str) -> Result<(String, LabelCondition), String> {
    let refuse = || Err(format!("unable to parse requirement: {}", quote(term)));
    if let Some(set) = term.strip_suffix(')') {
        let Some((head, values)) = set.split_once('(') else {
            return refuse();
        };
        let values: Vec<String> = values.split(',').map(|v| v.trim().to_owned()).collect();
        return match head.split_whitespace().collect::<Vec<_>>()[..] {
            [key, "in"] => Ok((key.to_owned(), LabelCondition::In(values))),
            [key, "notin"] => Ok((key.to_owned(), LabelCondition::NotIn(values))),
            _ => refuse(),
        };
    }
    let (key, demand) = if let Some((key, value)) = term.split_once("!=") {
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
    Ok((key.to_owned(), demand))
}

fn split_outside_parentheses(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut inside = false;
    for (i, c) in text.char_indices() {
        match c {
            '(' => inside = true,
            ')' => inside = false,
            ',' if !inside => {
                parts.push(&text[start..i]);
                start = i + 1;
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
    fn refuses_what_is_no_label() {
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
