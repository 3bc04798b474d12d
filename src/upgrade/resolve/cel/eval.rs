//! Evaluates expressions. Errors carry no text: they only count as "not true".
//!
//! Patterns of `matches` are compiled once per evaluation. Their size is limited, so the cost of a
//! match is known before it runs.

use super::parse::{Expr, ExprKind, Macro, TYPES, Value};
use catalog::version::Version;
use regex_lite::{Regex, RegexBuilder};
use serde_json::Value as Json;
use std::cmp::Ordering;
use std::rc::Rc;
use syntax::go_text::format_float;
use syntax::hashed::HashMap;

/// The evaluation failed: a missing field, a wrong type or an overflow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Failed;

type Result<T> = std::result::Result<T, Failed>;

/// Elements that macros may visit in one evaluation; nested macros multiply. Long texts and
/// patterns count more than once.
const MAX_STEPS: usize = 1_000_000;

/// Maximum size of a compiled pattern in bytes: more than the thousand repetitions that Go accepts.
const MAX_PATTERN: usize = 64 << 10;
/// Bytes of a compiled pattern that a match visits per evaluation step.
const BYTES_PER_STEP: usize = 512;

/// Bytes of a concatenated text per evaluation step.
const TEXT_BYTES_PER_STEP: usize = 16;

/// Exactly representable as a double.
const TWO_TO_63: f64 = (1_u64 << 63) as f64;

pub(super) fn evaluate(expr: &Expr, properties: &Json) -> Result<Value> {
    let properties = Value::from_json(properties);
    Evaluation {
        properties,
        variables: Vec::new(),
        steps: 0,
        patterns: Patterns::default(),
    }
    .value(expr)
}

struct Evaluation<'a> {
    properties: Value,
    variables: Vec<(&'a str, Value)>,
    steps: usize,
    patterns: Patterns,
}

impl<'a> Evaluation<'a> {
    fn value(&mut self, expr: &'a Expr) -> Result<Value> {
        match &expr.kind {
            ExprKind::Literal(value) => Ok(value.clone()),
            ExprKind::Name(name) => match self.variables.iter().rev().find(|(n, _)| n == name) {
                Some((_, value)) => Ok(value.clone()),
                None => Ok(match TYPES.iter().find(|kind| *kind == name) {
                    Some(kind) => Value::Type(kind),
                    None => self.properties.clone(),
                }),
            },
            ExprKind::List(items) => Ok(Value::List(Rc::new(
                items.iter().map(|e| self.value(e)).collect::<Result<_>>()?,
            ))),
            ExprKind::Map(pairs) => {
                let mut entries: Vec<(Value, Value)> = Vec::with_capacity(pairs.len());
                for (key, value) in pairs {
                    let (key, value) = (self.value(key)?, self.value(value)?);
                    // The last of several equal keys counts.
                    entries.retain(|(known, _)| *known != key);
                    entries.push((key, value));
                }
                Ok(Value::Map(Rc::new(entries)))
            }
            ExprKind::Field(of, field) => self.field(of, field)?.ok_or(Failed),
            ExprKind::Has(of, field) => Ok(Value::Bool(self.field(of, field)?.is_some())),
            ExprKind::Index(container, index) => {
                let (container, index) = (self.value(container)?, self.value(index)?);
                container.get(&index).cloned().ok_or(Failed)
            }
            ExprKind::Not(inner) => Ok(Value::Bool(!self.truth(inner)?)),
            ExprKind::Negate(inner) => match self.value(inner)? {
                Value::Int(n) if n == i64::MIN => Ok(Value::Int(n)),
                Value::Int(n) => n.checked_neg().map(Value::Int).ok_or(Failed),
                Value::Double(n) => Ok(Value::Double(-n)),
                _ => Err(Failed),
            },
            ExprKind::And(all) => self.logical(all, false),
            ExprKind::Or(all) => self.logical(all, true),
            ExprKind::Binary(operator, left, right) => {
                let (left, right) = (self.value(left)?, self.value(right)?);
                let result = binary(operator, &left, &right)?;
                // Chained macros can double a text or list at every link.
                self.steps += match &result {
                    Value::Text(text) => text.len() / TEXT_BYTES_PER_STEP,
                    Value::List(items) => items.len(),
                    _ => 0,
                };
                if self.steps > MAX_STEPS {
                    Err(Failed)
                } else {
                    Ok(result)
                }
            }
            ExprKind::Condition(condition, yes, no) => {
                if self.truth(condition)? {
                    self.value(yes)
                } else {
                    self.value(no)
                }
            }
            ExprKind::Call(name, arguments) => {
                let values = arguments
                    .iter()
                    .map(|e| self.value(e))
                    .collect::<Result<Vec<_>>>()?;
                match (name.strip_prefix('.').unwrap_or(name), values.as_slice()) {
                    ("matches", [Value::Text(text), Value::Text(pattern)]) => {
                        self.matches(text, pattern)
                    }
                    (name, values) => call(name, values).ok_or(Failed),
                }
            }
            ExprKind::Macro(kind, over, variable, bodies) => {
                let items = match self.value(over)? {
                    Value::List(items) => items,
                    Value::Map(pairs) => {
                        Rc::new(pairs.iter().map(|(key, _)| key.clone()).collect())
                    }
                    _ => return Err(Failed),
                };
                self.each(*kind, &items, variable, bodies)
            }
        }
    }

    fn matches(&mut self, text: &str, pattern: &Rc<str>) -> Result<Value> {
        let allowed = MAX_STEPS.saturating_sub(self.steps);
        let Some((cost, found)) = self.patterns.is_match(text, pattern, allowed) else {
            // Exhaust the budget.
            self.steps = MAX_STEPS + 1;
            return Err(Failed);
        };
        self.steps += cost;
        found.map(Value::Bool).ok_or(Failed)
    }

    fn truth(&mut self, expr: &'a Expr) -> Result<bool> {
        match self.value(expr)? {
            Value::Bool(b) => Ok(b),
            _ => Err(Failed),
        }
    }

    fn field(&mut self, expr: &'a Expr, field: &str) -> Result<Option<Value>> {
        match self.value(expr)? {
            expr @ Value::Map(_) => Ok(expr.get(&Value::Text(field.into())).cloned()),
            _ => Err(Failed),
        }
    }

    /// Evaluates `&&` or `||`: a deciding operand absorbs the errors of the others.
    fn logical(&mut self, all: &'a [Expr], decisive: bool) -> Result<Value> {
        let mut result = Ok(Value::Bool(!decisive));
        for expr in all {
            match self.truth(expr) {
                Ok(b) if b == decisive => return Ok(Value::Bool(decisive)),
                Ok(_) => {}
                Err(failed) => result = Err(failed),
            }
        }
        result
    }

    /// Evaluates the bodies of a macro for each item.
    fn each(
        &mut self,
        kind: Macro,
        items: &[Value],
        variable: &'a str,
        bodies: &'a [Expr],
    ) -> Result<Value> {
        let decisive = kind == Macro::Exists;
        let mut collected = Vec::new();
        let mut count = 0;
        let mut failed = false;
        for item in items {
            self.steps += 1;
            if self.steps > MAX_STEPS {
                return Err(Failed);
            }
            self.variables.push((variable, item.clone()));
            let outcome = self.element(kind, item, bodies);
            self.variables.pop();
            match (kind, outcome) {
                (Macro::All | Macro::Exists, Ok(Some(Value::Bool(b)))) if b == decisive => {
                    return Ok(Value::Bool(decisive));
                }
                (Macro::All | Macro::Exists, Err(Failed)) => failed = true,
                (Macro::All | Macro::Exists, Ok(_)) => {}
                (Macro::ExistsOne, outcome) => {
                    count += usize::from(outcome? == Some(Value::Bool(true)))
                }
                (Macro::Filter | Macro::Map, outcome) => collected.extend(outcome?),
            }
        }
        match kind {
            Macro::All | Macro::Exists if failed => Err(Failed),
            Macro::All | Macro::Exists => Ok(Value::Bool(!decisive)),
            Macro::ExistsOne => Ok(Value::Bool(count == 1)),
            Macro::Filter | Macro::Map => Ok(Value::List(Rc::new(collected))),
        }
    }

    /// Returns the contribution of one element.
    fn element(&mut self, kind: Macro, item: &Value, bodies: &'a [Expr]) -> Result<Option<Value>> {
        match (kind, bodies) {
            (Macro::Map, [value]) => self.value(value).map(Some),
            (Macro::Map, [condition, value]) => {
                if self.truth(condition)? {
                    self.value(value).map(Some)
                } else {
                    Ok(None)
                }
            }
            (Macro::Filter, [condition]) => Ok(self.truth(condition)?.then(|| item.clone())),
            (_, [body]) => Ok(Some(Value::Bool(self.truth(body)?))),
            _ => Err(Failed),
        }
    }
}

fn binary(operator: &str, left: &Value, right: &Value) -> Result<Value> {
    let ordered = |test: fn(Ordering) -> bool| {
        left.order(right)
            .map(|o| Value::Bool(test(o)))
            .ok_or(Failed)
    };
    match operator {
        "==" => Ok(Value::Bool(left == right)),
        "!=" => Ok(Value::Bool(left != right)),
        "<" => ordered(Ordering::is_lt),
        "<=" => ordered(Ordering::is_le),
        ">" => ordered(Ordering::is_gt),
        ">=" => ordered(Ordering::is_ge),
        "in" => match right {
            Value::List(items) => Ok(Value::Bool(items.contains(left))),
            Value::Map(_) => Ok(Value::Bool(right.get(left).is_some())),
            _ => Err(Failed),
        },
        _ => arithmetic(operator, left, right).ok_or(Failed),
    }
}

/// Computes an operator, only between values of one type.
fn arithmetic(operator: &str, left: &Value, right: &Value) -> Option<Value> {
    match (left, right) {
        (Value::Int(a), Value::Int(b)) => {
            let compute = match operator {
                "+" => i64::checked_add,
                "-" => i64::checked_sub,
                "*" => i64::checked_mul,
                "/" => i64::checked_div,
                _ => i64::checked_rem,
            };
            compute(*a, *b).map(Value::Int)
        }
        (Value::Uint(a), Value::Uint(b)) => {
            let compute = match operator {
                "+" => u64::checked_add,
                "-" => u64::checked_sub,
                "*" => u64::checked_mul,
                "/" => u64::checked_div,
                _ => u64::checked_rem,
            };
            compute(*a, *b).map(Value::Uint)
        }
        (Value::Double(a), Value::Double(b)) => Some(Value::Double(match operator {
            "+" => a + b,
            "-" => a - b,
            "*" => a * b,
            "/" => a / b,
            _ => return None,
        })),
        (Value::Text(a), Value::Text(b)) if operator == "+" => {
            Some(Value::Text(format!("{a}{b}").into()))
        }
        (Value::List(a), Value::List(b)) if operator == "+" => {
            let both = a.iter().chain(b.iter()).cloned();
            Some(Value::List(Rc::new(both.collect())))
        }
        _ => None,
    }
}

fn call(name: &str, arguments: &[Value]) -> Option<Value> {
    Some(match (name, arguments) {
        ("size", [Value::Text(text)]) => Value::Int(text.chars().count() as i64),
        ("size", [Value::List(items)]) => Value::Int(items.len() as i64),
        ("size", [Value::Map(pairs)]) => Value::Int(pairs.len() as i64),
        ("contains", [Value::Text(a), Value::Text(b)]) => Value::Bool(a.contains(&**b)),
        ("startsWith", [Value::Text(a), Value::Text(b)]) => Value::Bool(a.starts_with(&**b)),
        ("endsWith", [Value::Text(a), Value::Text(b)]) => Value::Bool(a.ends_with(&**b)),
        ("semver_compare", [a, b]) => {
            let version = |v: &Value| Version::parse_tolerant(&text_of(v)?).ok();
            Value::Int(version(a)?.cmp_precedence(&version(b)?) as i64)
        }
        ("int", [value]) => Value::Int(match value {
            Value::Int(n) => *n,
            Value::Uint(n) => i64::try_from(*n).ok()?,
            Value::Double(n) if n.abs() < TWO_TO_63 => *n as i64,
            Value::Text(text) => text.parse().ok()?,
            _ => return None,
        }),
        ("uint", [value]) => Value::Uint(match value {
            Value::Int(n) => u64::try_from(*n).ok()?,
            Value::Uint(n) => *n,
            Value::Double(n) if *n >= 0.0 && *n < 2.0 * TWO_TO_63 => *n as u64,
            Value::Text(text) if !text.starts_with('+') => text.parse().ok()?,
            _ => return None,
        }),
        ("double", [value]) => Value::Double(match value {
            Value::Int(n) => *n as f64,
            Value::Uint(n) => *n as f64,
            Value::Double(n) => *n,
            Value::Text(text) => text.parse().ok()?,
            _ => return None,
        }),
        ("bool", [Value::Bool(b)]) => Value::Bool(*b),
        ("bool", [Value::Text(text)]) => match &**text {
            "1" | "t" | "T" | "true" | "TRUE" | "True" => Value::Bool(true),
            "0" | "f" | "F" | "false" | "FALSE" | "False" => Value::Bool(false),
            _ => return None,
        },
        ("string", [value]) => Value::Text(text_of(value)?.into()),
        ("dyn", [value]) => value.clone(),
        ("type", [value]) => Value::Type(value.kind()),
        _ => return None,
    })
}

/// Formats like Go; numbers get the shortest text that round-trips.
fn text_of(value: &Value) -> Option<String> {
    Some(match value {
        Value::Text(text) => text.to_string(),
        Value::Bool(b) => b.to_string(),
        Value::Int(n) => n.to_string(),
        Value::Uint(n) => n.to_string(),
        Value::Double(n) => format_float(*n),
        _ => return None,
    })
}

/// Patterns compiled during the evaluation; `None` for invalid ones.
#[derive(Debug, Default)]
struct Patterns {
    known: HashMap<Rc<str>, Option<Regex>>,
}

impl Patterns {
    /// Whether the text matches, and the number of steps. `allowed` is the remaining budget. The
    /// outer `None` means that it is exceeded, the inner one that the pattern is invalid.
    fn is_match(
        &mut self,
        text: &str,
        pattern: &Rc<str>,
        allowed: usize,
    ) -> Option<(usize, Option<bool>)> {
        let mut cost = 1;
        let regex = match self.known.get(pattern) {
            Some(known) => known,
            None => {
                cost += pattern.len();
                let compile = || {
                    let builder = &mut RegexBuilder::new(pattern);
                    builder.size_limit(MAX_PATTERN).build().ok()
                };
                self.known.entry(pattern.clone()).or_insert_with(compile)
            }
        };
        let Some(regex) = regex else {
            return Some((cost, None));
        };
        // A repetition count is the only means by which a program outgrows its pattern.
        let size = if pattern.contains('{') {
            MAX_PATTERN
        } else {
            pattern.len()
        };
        cost += text.len().saturating_mul(size) / BYTES_PER_STEP;
        (cost <= allowed).then(|| (cost, Some(regex.is_match(text))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_compiled_once_and_each_match_is_counted() {
        let mut patterns = Patterns::default();
        let pattern: Rc<str> = "(a{100}){9}".into();
        let (first, found) = patterns.is_match("aaa", &pattern, usize::MAX).unwrap();
        let (again, _) = patterns.is_match("aaa", &pattern, usize::MAX).unwrap();
        assert!(first > again && found == Some(false), "{first} {again}");
        assert_eq!(patterns.is_match(&"a".repeat(1000), &pattern, 100), None);
        let found = |patterns: &mut Patterns, text: &str, pattern: &str| {
            patterns
                .is_match(text, &pattern.into(), usize::MAX)
                .unwrap()
                .1
        };
        for invalid in ["(", "((a{200}){200}){200}"] {
            assert_eq!(found(&mut patterns, "a", invalid), None, "{invalid}");
        }
        assert_eq!(found(&mut patterns, "xay", "a"), Some(true));
    }
}
