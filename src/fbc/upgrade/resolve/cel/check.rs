//! Static types: whether a rule yields a truth value, and that every name and function is known.

use super::CompileError;
use super::parse::{Expr, Kind, Macro};
use super::value::Value;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Type {
    Null,
    Bool,
    Int,
    Uint,
    Double,
    Text,
    List,
    Map,
    /// Known only when it is evaluated.
    Dyn,
}

/// The functions, with their number of arguments and type. Methods begin with a dot; the receiver is an argument.
const FUNCTIONS: [(&str, usize, Type); 15] = [
    ("size", 1, Type::Int),
    (".size", 1, Type::Int),
    (".contains", 2, Type::Bool),
    (".startsWith", 2, Type::Bool),
    (".endsWith", 2, Type::Bool),
    (".matches", 2, Type::Bool),
    ("matches", 2, Type::Bool),
    ("int", 1, Type::Int),
    ("uint", 1, Type::Uint),
    ("double", 1, Type::Double),
    ("string", 1, Type::Text),
    ("bool", 1, Type::Bool),
    ("dyn", 1, Type::Dyn),
    ("semver_compare", 2, Type::Int),
    ("type", 1, Type::Dyn),
];

pub(super) fn type_of(expr: &Expr) -> Result<Type, CompileError> {
    Checker { variables: Vec::new() }.check(expr)
}

struct Checker<'a> {
    /// Names that macros around the expression bind.
    variables: Vec<&'a str>,
}

impl<'a> Checker<'a> {
    fn check(&mut self, expr: &'a Expr) -> Result<Type, CompileError> {
        let no_overload = |what: &str| CompileError::new(expr.at, format!("found no matching overload for '{what}'"));
        Ok(match &expr.kind {
            Kind::Literal(value) => match value {
                Value::Null => Type::Null,
                Value::Bool(_) => Type::Bool,
                Value::Int(_) => Type::Int,
                Value::Uint(_) => Type::Uint,
                Value::Double(_) => Type::Double,
                Value::Text(_) => Type::Text,
                Value::List(_) => Type::List,
                Value::Map(_) => Type::Map,
            },
            Kind::Name(name) if self.variables.contains(&name.as_str()) => Type::Dyn,
            Kind::Name(name) if name == "properties" => Type::List,
            Kind::Name(name) => return Err(undeclared(expr.at, name)),
            Kind::List(items) => {
                items.iter().try_for_each(|e| self.check(e).map(drop))?;
                Type::List
            }
            Kind::Map(pairs) => {
                for (key, value) in pairs {
                    self.check(key)?;
                    self.check(value)?;
                }
                Type::Map
            }
            Kind::Field(of, _) => match self.check(of)? {
                Type::Map | Type::Dyn => Type::Dyn,
                _ => return Err(CompileError::new(expr.at, "type does not support field selection")),
            },
            Kind::Has(of, _) => match self.check(of)? {
                Type::Map | Type::Dyn => Type::Bool,
                _ => return Err(CompileError::new(expr.at, "type does not support field selection")),
            },
            Kind::Index(of, index) => {
                let (of, index) = (self.check(of)?, self.check(index)?);
                match (of, index) {
                    (Type::List, Type::Int | Type::Dyn) | (Type::Map | Type::Dyn, _) => Type::Dyn,
                    _ => return Err(no_overload("_[_]")),
                }
            }
            Kind::Not(inner) => self.truth(inner, "!_")?,
            Kind::Negate(inner) => match self.check(inner)? {
                found @ (Type::Int | Type::Double | Type::Dyn) => found,
                _ => return Err(no_overload("-_")),
            },
            Kind::And(all) => {
                all.iter().try_for_each(|e| self.truth(e, "_&&_").map(drop))?;
                Type::Bool
            }
            Kind::Or(all) => {
                all.iter().try_for_each(|e| self.truth(e, "_||_").map(drop))?;
                Type::Bool
            }
            Kind::Binary(operator, left, right) => {
                let (left, right) = (self.check(left)?, self.check(right)?);
                binary(operator, left, right).ok_or_else(|| no_overload(&format!("_{operator}_")))?
            }
            Kind::Condition(condition, yes, no) => {
                self.truth(condition, "_?_:_")?;
                let (yes, no) = (self.check(yes)?, self.check(no)?);
                match (yes, no) {
                    (a, b) if a == b => a,
                    (Type::Dyn, _) | (_, Type::Dyn) => Type::Dyn,
                    _ => return Err(no_overload("_?_:_")),
                }
            }
            Kind::Call(name, arguments) => {
                let types = arguments.iter().map(|e| self.check(e)).collect::<Result<Vec<_>, _>>()?;
                let shown = name.strip_prefix('.').unwrap_or(name);
                let mut named = FUNCTIONS.iter().filter(|(f, ..)| f == name).peekable();
                if named.peek().is_none() {
                    return Err(undeclared(expr.at, shown));
                }
                match named.find(|(_, count, _)| *count == types.len()) {
                    Some((_, _, result)) if accepts(shown, &types) => *result,
                    _ => return Err(no_overload(shown)),
                }
            }
            Kind::Macro(kind, over, variable, bodies) => {
                match self.check(over)? {
                    Type::List | Type::Map | Type::Dyn => {}
                    _ => return Err(CompileError::new(expr.at, "expression cannot be range of a comprehension")),
                }
                self.variables.push(variable);
                let result = self.body(*kind, bodies);
                self.variables.pop();
                result?
            }
        })
    }

    fn body(&mut self, kind: Macro, bodies: &'a [Expr]) -> Result<Type, CompileError> {
        match (kind, bodies) {
            (Macro::Map, [condition, value]) => {
                self.truth(condition, "_?_:_")?;
                self.check(value)?;
            }
            (Macro::Map, bodies) => bodies.iter().try_for_each(|e| self.check(e).map(drop))?,
            (_, bodies) => bodies.iter().try_for_each(|e| self.truth(e, "_&&_").map(drop))?,
        }
        Ok(if matches!(kind, Macro::Map | Macro::Filter) { Type::List } else { Type::Bool })
    }

    fn truth(&mut self, expr: &'a Expr, operator: &str) -> Result<Type, CompileError> {
        match self.check(expr)? {
            Type::Bool | Type::Dyn => Ok(Type::Bool),
            _ => Err(CompileError::new(expr.at, format!("found no matching overload for '{operator}'"))),
        }
    }
}

fn undeclared(at: usize, name: &str) -> CompileError {
    CompileError::new(at, format!("undeclared reference to '{name}' (in container '')"))
}

fn is_number(found: Type) -> bool {
    matches!(found, Type::Int | Type::Uint | Type::Double)
}

fn binary(operator: &str, left: Type, right: Type) -> Option<Type> {
    let dynamic = left == Type::Dyn || right == Type::Dyn;
    match operator {
        "==" | "!=" => {
            let comparable = dynamic || left == right || left == Type::Null || right == Type::Null;
            comparable.then_some(Type::Bool)
        }
        "<" | "<=" | ">" | ">=" => {
            let ordered = |t| is_number(t) || matches!(t, Type::Text | Type::Bool | Type::Dyn);
            let same = left == right || dynamic || (is_number(left) && is_number(right));
            (ordered(left) && ordered(right) && same).then_some(Type::Bool)
        }
        "in" => matches!(right, Type::List | Type::Map | Type::Dyn).then_some(Type::Bool),
        _ => {
            let adds = |t| is_number(t) || (operator == "+" && matches!(t, Type::Text | Type::List));
            match (left, right) {
                (Type::Dyn, Type::Dyn) => Some(Type::Dyn),
                (Type::Dyn, other) | (other, Type::Dyn) => adds(other).then_some(other),
                (a, b) => (a == b && adds(a) && !(operator == "%" && a == Type::Double)).then_some(a),
            }
        }
    }
}

fn accepts(function: &str, types: &[Type]) -> bool {
    let text = |t: &Type| matches!(t, Type::Text | Type::Dyn);
    match function {
        "size" => types.iter().all(|t| matches!(t, Type::Text | Type::List | Type::Map | Type::Dyn)),
        "contains" | "startsWith" | "endsWith" | "matches" => types.iter().all(text),
        "int" | "uint" | "double" => types.iter().all(|t| is_number(*t) || text(t)),
        "bool" => types.iter().all(|t| *t == Type::Bool || text(t)),
        "string" => types.iter().all(|t| is_number(*t) || *t == Type::Bool || text(t)),
        _ => true,
    }
}
