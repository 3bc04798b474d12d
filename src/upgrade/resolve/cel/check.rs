//! Static type check: the rule yields a boolean, all names and functions are known, and all
//! operators get suitable operands. Follows the library that OLM uses, because a refusal there
//! fails a whole namespace.

use super::parse::{CompileError, Expr, ExprKind, Macro, Value};
use std::fmt;
use std::rc::Rc;

/// Functions with their number of arguments. Methods start with a dot; the receiver counts as an
/// argument.
const FUNCTIONS: [(&str, usize); 15] = [
    ("size", 1),
    (".size", 1),
    (".contains", 2),
    (".startsWith", 2),
    (".endsWith", 2),
    (".matches", 2),
    ("matches", 2),
    ("int", 1),
    ("uint", 1),
    ("double", 1),
    ("string", 1),
    ("bool", 1),
    ("dyn", 1),
    ("semver_compare", 2),
    ("type", 1),
];

pub(super) fn type_of(expr: &Expr) -> Result<Type, CompileError> {
    Checker {
        variables: Vec::new(),
    }
    .check(expr)
}

struct Checker<'a> {
    /// Names bound by enclosing macros, with their types.
    variables: Vec<(&'a str, Type)>,
}

impl<'a> Checker<'a> {
    fn check(&mut self, expr: &'a Expr) -> Result<Type, CompileError> {
        Ok(match &expr.kind {
            ExprKind::Literal(value) => literal(value),
            ExprKind::Name(name) => {
                match self.variables.iter().rev().find(|(bound, _)| bound == name) {
                    Some((_, value)) => value.clone(),
                    None if name == "properties" => Type::list(Type::map(Type::Text, Type::Any)),
                    None => Type::from_name(name)
                        .map(Type::type_of)
                        .ok_or_else(|| undeclared_name(expr.at, name))?,
                }
            }
            ExprKind::List(items) => Type::list(self.common_type(items.iter())?),
            ExprKind::Map(pairs) => {
                let key = self.common_type(pairs.iter().map(|(key, _)| key))?;
                Type::map(key, self.common_type(pairs.iter().map(|(_, value)| value))?)
            }
            ExprKind::Field(container, _) => self.field(expr, container)?,
            ExprKind::Has(container, _) => self.field(expr, container).map(|_| Type::Bool)?,
            ExprKind::Index(container, index) => {
                let (container, index) = (self.check(container)?, self.check(index)?);
                let element = match &container {
                    Type::List(element) => {
                        (index == Type::Int || index.is_open()).then(|| Type::clone(element))
                    }
                    Type::Map(key, value) => key.fits(&index).then(|| Type::clone(value)),
                    other => other.is_open().then_some(Type::Dyn),
                };
                element.ok_or_else(|| no_overload(expr.at, "_[_]", &[container, index]))?
            }
            ExprKind::Not(inner) => match self.check(inner)? {
                operand if operand.may_be(&Type::Bool) => Type::Bool,
                operand => return Err(no_overload(expr.at, "!_", &[operand])),
            },
            ExprKind::Negate(inner) => match self.check(inner)? {
                operand @ (Type::Int | Type::Double) => operand,
                operand if operand.is_open() => Type::Dyn,
                operand => return Err(no_overload(expr.at, "-_", &[operand])),
            },
            ExprKind::And(all) | ExprKind::Or(all) => {
                all.iter().try_for_each(|operand| self.truth(operand))?;
                Type::Bool
            }
            ExprKind::Binary(operator, left, right) => {
                let (left, right) = (self.check(left)?, self.check(right)?);
                let function = if *operator == "in" {
                    "@in".to_owned()
                } else {
                    format!("_{operator}_")
                };
                binary(operator, &left, &right)
                    .ok_or_else(|| no_overload(expr.at, &function, &[left, right]))?
            }
            ExprKind::Condition(condition, yes, no) => {
                let (condition, yes, no) =
                    (self.check(condition)?, self.check(yes)?, self.check(no)?);
                if !condition.may_be(&Type::Bool) || !yes.fits(&no) {
                    return Err(no_overload(expr.at, "_?_:_", &[condition, yes, no]));
                }
                join(&yes, &no)
            }
            ExprKind::Call(name, arguments) => self.call(expr.at, name, arguments)?,
            ExprKind::Macro(kind, over, variable, bodies) => {
                let element = self.element_type(over)?;
                self.variables.push((variable, element.clone()));
                let result = self.body(expr.at, *kind, element, bodies);
                self.variables.pop();
                result?
            }
        })
    }

    fn call(&mut self, at: usize, name: &str, arguments: &'a [Expr]) -> Result<Type, CompileError> {
        let types = arguments
            .iter()
            .map(|argument| self.check(argument))
            .collect::<Result<Vec<_>, _>>()?;
        let function = name.strip_prefix('.').unwrap_or(name);
        let mut names = FUNCTIONS.iter().map(|(name, _)| name);
        if !names.any(|name| name.strip_prefix('.').unwrap_or(name) == function) {
            return Err(undeclared_name(at, function));
        }
        let result_type = if FUNCTIONS.contains(&(name, types.len())) {
            result(function, &types)
        } else {
            None
        };
        result_type.ok_or_else(|| match (name.starts_with('.'), types.split_first()) {
            (true, Some((receiver, others))) => no_matching_overload(
                at,
                function,
                &format!("{receiver}.({})", list_types(others)),
            ),
            _ => no_overload(at, function, &types),
        })
    }

    /// Returns the type of the elements that a macro visits.
    fn element_type(&mut self, over: &'a Expr) -> Result<Type, CompileError> {
        match self.check(over)? {
            Type::List(element) => Ok(Type::clone(&element)),
            Type::Map(key, _) => Ok(Type::clone(&key)),
            Type::Dyn | Type::Free => Ok(Type::Dyn),
            range => Err(CompileError::new(
                over.at,
                format!(
                    "expression of type '{range}' cannot be range of a comprehension (must be list, map, or dynamic)"
                ),
            )),
        }
    }

    /// Returns the result type of the macro bodies for an `element`.
    fn body(
        &mut self,
        at: usize,
        kind: Macro,
        element: Type,
        bodies: &'a [Expr],
    ) -> Result<Type, CompileError> {
        let (condition, value) = match (kind, bodies) {
            (Macro::Map, [value]) => return Ok(Type::list(self.check(value)?)),
            (Macro::Map, [condition, value]) => (condition, Some(value)),
            (_, [condition]) => (condition, None),
            _ => return Ok(Type::Dyn),
        };
        if matches!(kind, Macro::All | Macro::Exists) {
            return self.truth(condition).map(|()| Type::Bool);
        }
        let condition = self.check(condition)?;
        let (each, result) = match value {
            Some(value) => Some(self.check(value)?),
            None => (kind == Macro::Filter).then_some(element),
        }
        .map_or((Type::Int, Type::Bool), |element| {
            (Type::list(element.clone()), Type::list(element))
        });
        if condition.may_be(&Type::Bool) {
            Ok(result)
        } else {
            Err(no_overload(at, "_?_:_", &[condition, each.clone(), each]))
        }
    }

    /// Returns the common type of all, or the dynamic type.
    fn common_type(&mut self, all: impl Iterator<Item = &'a Expr>) -> Result<Type, CompileError> {
        let mut common = None;
        for expr in all {
            let this = self.check(expr)?;
            common = Some(common.map_or_else(|| this.clone(), |common| join(&common, &this)));
        }
        Ok(common.unwrap_or(Type::Free))
    }

    fn field(&mut self, expr: &Expr, container: &'a Expr) -> Result<Type, CompileError> {
        match self.check(container)? {
            Type::Map(_, value) => Ok(Type::clone(&value)),
            other if other.is_open() => Ok(Type::Dyn),
            other => Err(CompileError::new(
                expr.at,
                format!("type '{other}' does not support field selection"),
            )),
        }
    }

    fn truth(&mut self, expr: &'a Expr) -> Result<(), CompileError> {
        match self.check(expr)? {
            actual if actual.may_be(&Type::Bool) => Ok(()),
            actual => Err(CompileError::new(
                expr.at,
                format!("expected type 'bool' but found '{actual}'"),
            )),
        }
    }
}

fn literal(value: &Value) -> Type {
    match value {
        Value::Null => Type::Null,
        Value::Bool(_) => Type::Bool,
        Value::Int(_) => Type::Int,
        Value::Uint(_) => Type::Uint,
        Value::Double(_) => Type::Double,
        Value::Text(_) => Type::Text,
        // No token has these types.
        Value::List(_) | Value::Map(_) | Value::Type(_) => Type::Dyn,
    }
}

fn undeclared_name(at: usize, name: &str) -> CompileError {
    CompileError::new(
        at,
        format!("undeclared reference to '{name}' (in container '')"),
    )
}

fn no_overload(at: usize, function: &str, types: &[Type]) -> CompileError {
    no_matching_overload(at, function, &format!("({})", list_types(types)))
}

fn no_matching_overload(at: usize, function: &str, arguments: &str) -> CompileError {
    CompileError::new(
        at,
        format!("found no matching overload for '{function}' applied to '{arguments}'"),
    )
}

fn list_types(types: &[Type]) -> String {
    types
        .iter()
        .map(Type::to_string)
        .collect::<Vec<_>>()
        .join(", ")
}

fn binary(operator: &str, left: &Type, right: &Type) -> Option<Type> {
    match operator {
        "==" | "!=" => left.fits(right).then_some(Type::Bool),
        "<" | "<=" | ">" | ">=" => {
            // Null represents timestamps and durations, which are ordered.
            let ordered = |operand: &Type| {
                operand.is_number()
                    || matches!(operand, Type::Text | Type::Bool | Type::Null)
                    || operand.is_open()
            };
            (ordered(left) && ordered(right) && left.fits(right)).then_some(Type::Bool)
        }
        "in" => match right {
            Type::List(element) => left.fits(element),
            Type::Map(key, _) => left.fits(key),
            right => right.is_open(),
        }
        .then_some(Type::Bool),
        _ => {
            let adds = |operand: &Type| {
                let counts = operand.is_number() && !(operator == "%" && *operand == Type::Double);
                counts || (operator == "+" && matches!(operand, Type::Text | Type::List(_)))
            };
            match (left, right) {
                (a, b) if a.is_open() && b.is_open() => Some(Type::Dyn),
                (open, other) | (other, open) if open.is_open() => {
                    adds(other).then(|| other.clone())
                }
                (a, b) => (a.fits(b) && adds(a)).then(|| join(a, b)),
            }
        }
    }
}

/// Returns the result type for arguments of the right number; `None` if the function does not take
/// these types.
fn result(function: &str, types: &[Type]) -> Option<Type> {
    let is_suitable = types.iter().all(|argument| accepts(function, argument));
    is_suitable.then(|| match function {
        "size" | "int" | "semver_compare" => Type::Int,
        "contains" | "startsWith" | "endsWith" | "matches" | "bool" => Type::Bool,
        "uint" => Type::Uint,
        "double" => Type::Double,
        "string" => Type::Text,
        "type" => types.first().cloned().map_or(Type::Dyn, Type::type_of),
        _ => Type::Dyn,
    })
}

/// Whether a function takes an argument of this type. Null represents a timestamp, which converts
/// to seconds and to text.
fn accepts(function: &str, argument: &Type) -> bool {
    if argument.is_open() {
        return true;
    }
    match function {
        "size" => matches!(argument, Type::Text | Type::List(_) | Type::Map(..)),
        "contains" | "startsWith" | "endsWith" | "matches" => *argument == Type::Text,
        "int" => argument.is_number() || matches!(argument, Type::Text | Type::Null),
        "uint" | "double" => argument.is_number() || *argument == Type::Text,
        "bool" => matches!(argument, Type::Bool | Type::Text),
        "string" => {
            argument.is_number() || matches!(argument, Type::Bool | Type::Text | Type::Null)
        }
        _ => true,
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Type {
    Null,
    Bool,
    Int,
    Uint,
    Double,
    Text,
    List(Rc<Type>),
    Map(Rc<Type>, Rc<Type>),
    /// A type as a value, and the type that it denotes.
    Of(Rc<Type>),
    /// A property's value: known only at evaluation, and not iterable by a macro.
    Any,
    /// Known only at evaluation.
    Dyn,
    /// The element type of an empty list: unifies with anything.
    Free,
}

impl Type {
    pub fn list(element: Type) -> Self {
        Type::List(Rc::new(element))
    }

    pub fn map(key: Type, value: Type) -> Self {
        Type::Map(Rc::new(key), Rc::new(value))
    }

    pub fn type_of(inner: Type) -> Self {
        Type::Of(Rc::new(inner))
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "bool" => Type::Bool,
            "int" => Type::Int,
            "uint" => Type::Uint,
            "double" => Type::Double,
            "string" => Type::Text,
            "list" => Type::list(Type::Dyn),
            "map" => Type::map(Type::Dyn, Type::Dyn),
            "null_type" => Type::Null,
            "type" => Type::type_of(Type::Dyn),
            _ => return None,
        })
    }

    pub fn is_open(&self) -> bool {
        matches!(self, Type::Any | Type::Dyn | Type::Free)
    }

    pub fn is_number(&self) -> bool {
        matches!(self, Type::Int | Type::Uint | Type::Double)
    }

    /// Whether a value of this type may be one of the other.
    pub fn may_be(&self, other: &Type) -> bool {
        self.is_open() || self == other
    }

    /// Whether `self` is assignable to `other`.
    pub fn fits(&self, other: &Type) -> bool {
        match (self, other) {
            (Type::List(a), Type::List(b)) => a.fits(b),
            (Type::Map(a, b), Type::Map(c, d)) => a.fits(c) && b.fits(d),
            (Type::Of(_), Type::Of(_)) => true,
            (a, b) => a.is_open() || b.is_open() || a == b,
        }
    }
}

pub(super) fn join(a: &Type, b: &Type) -> Type {
    match (a, b) {
        (a, b) if !a.fits(b) => Type::Dyn,
        (Type::Free, other) | (other, Type::Free) => other.clone(),
        (open, _) | (_, open) if open.is_open() => open.clone(),
        (Type::List(a), Type::List(b)) => Type::list(join(a, b)),
        (Type::Map(a, b), Type::Map(c, d)) => Type::map(join(a, c), join(b, d)),
        (a, _) => a.clone(),
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Null => f.write_str("null"),
            Type::Bool => f.write_str("bool"),
            Type::Int => f.write_str("int"),
            Type::Uint => f.write_str("uint"),
            Type::Double => f.write_str("double"),
            Type::Text => f.write_str("string"),
            Type::List(element) => write!(f, "list({element})"),
            Type::Map(key, value) => write!(f, "map({key}, {value})"),
            Type::Of(inner) => write!(f, "type({inner})"),
            Type::Any => f.write_str("any"),
            Type::Dyn | Type::Free => f.write_str("dyn"),
        }
    }
}
