//! Static types of expressions.

use std::fmt;
use std::rc::Rc;

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
    /// The type of a type.
    Of(Rc<Type>),
    /// A property's value: known only at evaluation, and not iterable by a macro.
    Any,
    /// Known only at evaluation.
    Dyn,
    /// The element type of an empty list: unifies with anything.
    Free,
}

impl Type {
    pub(super) fn list(element: Type) -> Self {
        Type::List(Rc::new(element))
    }

    pub(super) fn map(key: Type, value: Type) -> Self {
        Type::Map(Rc::new(key), Rc::new(value))
    }

    pub(super) fn type_of(found: Type) -> Self {
        Type::Of(Rc::new(found))
    }

    /// The type with this name in the language.
    pub(super) fn from_name(name: &str) -> Option<Self> {
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

    pub(super) fn is_open(&self) -> bool {
        matches!(self, Type::Any | Type::Dyn | Type::Free)
    }

    pub(super) fn is_number(&self) -> bool {
        matches!(self, Type::Int | Type::Uint | Type::Double)
    }

    /// Whether a value of this type may be one of the other.
    pub(super) fn may_be(&self, other: &Type) -> bool {
        self.is_open() || self == other
    }

    /// Whether `self` is assignable to `other`.
    pub(super) fn fits(&self, other: &Type) -> bool {
        match (self, other) {
            (Type::List(a), Type::List(b)) => a.fits(b),
            (Type::Map(a, b), Type::Map(c, d)) => a.fits(c) && b.fits(d),
            (Type::Of(_), Type::Of(_)) => true,
            (a, b) => a.is_open() || b.is_open() || a == b,
        }
    }
}

/// The common type of both.
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
            Type::Of(found) => write!(f, "type({found})"),
            Type::Any => f.write_str("any"),
            Type::Dyn | Type::Free => f.write_str("dyn"),
        }
    }
}
