//! Values, with their equality and order.

use serde_json::Value as Json;
use std::cmp::Ordering;
use std::rc::Rc;

#[derive(Debug, Clone)]
pub(super) enum Value {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Double(f64),
    Text(Rc<str>),
    List(Rc<Vec<Value>>),
    /// Order is irrelevant.
    Map(Rc<Vec<(Value, Value)>>),
    /// The result of `type(value)`, and its name in a rule.
    Type(&'static str),
}

/// The names of types.
pub(super) const TYPES: [&str; 9] = [
    "bool",
    "int",
    "uint",
    "double",
    "string",
    "list",
    "map",
    "null_type",
    "type",
];

impl Value {
    /// Numbers of JSON are doubles.
    pub(super) fn from_json(json: &Json) -> Self {
        match json {
            Json::Null => Value::Null,
            Json::Bool(b) => Value::Bool(*b),
            Json::Number(n) => Value::Double(n.as_f64().unwrap_or(f64::NAN)),
            Json::String(text) => Value::Text(text.as_str().into()),
            Json::Array(items) => {
                Value::List(Rc::new(items.iter().map(Value::from_json).collect()))
            }
            Json::Object(map) => Value::Map(Rc::new(
                map.iter()
                    .map(|(k, v)| (Value::Text(k.as_str().into()), Value::from_json(v)))
                    .collect(),
            )),
        }
    }

    /// `None` if the values have no order. Numbers compare across types.
    pub(super) fn order(&self, other: &Value) -> Option<Ordering> {
        match (self, other) {
            (Value::Int(a), Value::Int(b)) => Some(a.cmp(b)),
            (Value::Uint(a), Value::Uint(b)) => Some(a.cmp(b)),
            (Value::Int(a), Value::Uint(b)) => Some(i128::from(*a).cmp(&i128::from(*b))),
            (Value::Uint(a), Value::Int(b)) => Some(i128::from(*a).cmp(&i128::from(*b))),
            (Value::Text(a), Value::Text(b)) => Some(a.cmp(b)),
            (Value::Bool(a), Value::Bool(b)) => Some(a.cmp(b)),
            (a, b) => a.number()?.partial_cmp(&b.number()?),
        }
    }

    pub(super) fn get(&self, key: &Value) -> Option<&Value> {
        match self {
            Value::Map(pairs) => pairs.iter().find(|(k, _)| k == key).map(|(_, v)| v),
            Value::List(items) => {
                let index = key.number().filter(|n| n.fract() == 0.0 && *n >= 0.0)?;
                items.get(index as usize)
            }
            _ => None,
        }
    }

    pub(super) fn kind(&self) -> &'static str {
        match self {
            Value::Null => "null_type",
            Value::Bool(_) => "bool",
            Value::Int(_) => "int",
            Value::Uint(_) => "uint",
            Value::Double(_) => "double",
            Value::Text(_) => "string",
            Value::List(_) => "list",
            Value::Map(_) => "map",
            Value::Type(_) => "type",
        }
    }

    fn number(&self) -> Option<f64> {
        match self {
            Value::Int(n) => Some(*n as f64),
            Value::Uint(n) => Some(*n as f64),
            Value::Double(n) => Some(*n),
            _ => None,
        }
    }
}

/// Values of different types are unequal, except that numbers compare across types.
impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Value::Null, Value::Null) => true,
            (Value::List(a), Value::List(b)) => a == b,
            (Value::Type(a), Value::Type(b)) => a == b,
            (Value::Map(a), Value::Map(b)) => {
                a.len() == b.len()
                    && a.iter()
                        .all(|(key, value)| other.get(key).is_some_and(|v| v == value))
            }
            _ => self.order(other) == Some(Ordering::Equal),
        }
    }
}
