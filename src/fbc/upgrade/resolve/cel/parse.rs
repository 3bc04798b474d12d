//! Parser; expands macros.

use super::error::CompileError;
use super::lex::{Token, tokens};
use super::value::Value;

/// Maximum tree depth. Everything that walks trees recurses.
const MAX_DEPTH: u32 = 120;
/// Maximum bracket nesting: each level takes several parser calls.
const MAX_NESTING: u32 = 60;
/// Names reserved for variables but allowed for fields.
const RESERVED: [&str; 18] = [
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "in",
    "let",
    "loop",
    "package",
    "namespace",
    "return",
    "var",
    "void",
    "while",
];

#[derive(Debug, Clone)]
pub(super) struct Expr {
    pub kind: ExprKind,
    /// First byte in the rule; for a call, its bracket.
    pub at: usize,
    depth: u32,
}

#[derive(Debug, Clone)]
pub(super) enum ExprKind {
    Literal(Value),
    Name(String),
    List(Vec<Expr>),
    Map(Vec<(Expr, Expr)>),
    Field(Box<Expr>, String),
    /// `has(e.field)`
    Has(Box<Expr>, String),
    Index(Box<Expr>, Box<Expr>),
    Not(Box<Expr>),
    Negate(Box<Expr>),
    And(Vec<Expr>),
    Or(Vec<Expr>),
    Binary(&'static str, Box<Expr>, Box<Expr>),
    Condition(Box<Expr>, Box<Expr>, Box<Expr>),
    /// A method's receiver is its first argument.
    Call(String, Vec<Expr>),
    Macro(Macro, Box<Expr>, String, Vec<Expr>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Macro {
    All,
    Exists,
    ExistsOne,
    Filter,
    Map,
}

pub(super) fn parse(rule: &str) -> Result<Expr, CompileError> {
    let mut parser = Parser {
        tokens: tokens(rule)?,
        at: 0,
        end: rule.len(),
        nesting: 0,
    };
    let expr = parser.expression()?;
    if parser.at < parser.tokens.len() {
        return parser.unexpected_token();
    }
    Ok(expr)
}

struct Parser {
    tokens: Vec<(usize, Token)>,
    at: usize,
    end: usize,
    nesting: u32,
}

/// Binary operators by precedence, loosest first.
const LEVELS: [&[&str]; 3] = [
    &["==", "!=", "<=", ">=", "<", ">", "in"],
    &["+", "-"],
    &["*", "/", "%"],
];

type Parsed = Result<Expr, CompileError>;

impl Parser {
    fn expression(&mut self) -> Parsed {
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            return Err(CompileError::new(
                self.position(),
                "expression recursion limit exceeded",
            ));
        }
        let condition = self.parse_joined("||", ExprKind::Or, |p| {
            p.parse_joined("&&", ExprKind::And, |p| p.binary(0))
        })?;
        let at = self.position();
        let expr = if self.take("?") {
            let yes = self.parse_joined("||", ExprKind::Or, |p| {
                p.parse_joined("&&", ExprKind::And, |p| p.binary(0))
            })?;
            self.expect(":")?;
            let no = self.expression()?;
            let depth = condition.depth.max(yes.depth).max(no.depth);
            node(
                ExprKind::Condition(Box::new(condition), Box::new(yes), Box::new(no)),
                at,
                depth,
            )?
        } else {
            condition
        };
        self.nesting -= 1;
        Ok(expr)
    }

    fn parse_joined(
        &mut self,
        sign: &str,
        kind: fn(Vec<Expr>) -> ExprKind,
        inner: fn(&mut Self) -> Parsed,
    ) -> Parsed {
        let at = self.position();
        let first = inner(self)?;
        let mut all = vec![first];
        while self.take(sign) {
            all.push(inner(self)?);
        }
        if all.len() == 1 {
            return Ok(all.swap_remove(0));
        }
        let depth = all.iter().map(|e| e.depth).max().unwrap_or(0);
        node(kind(all), at, depth)
    }

    fn binary(&mut self, level: usize) -> Parsed {
        let Some(operators) = LEVELS.get(level) else {
            return self.unary();
        };
        let mut left = self.binary(level + 1)?;
        loop {
            let at = self.position();
            let Some(operator) = operators.iter().find(|o| self.take(o)) else {
                return Ok(left);
            };
            let right = self.binary(level + 1)?;
            let depth = left.depth.max(right.depth);
            left = node(
                ExprKind::Binary(operator, Box::new(left), Box::new(right)),
                at,
                depth,
            )?;
        }
    }

    fn unary(&mut self) -> Parsed {
        let at = self.position();
        let mut signs = Vec::new();
        while let Some(sign) = ["!", "-"].into_iter().find(|s| self.take(s)) {
            signs.push(sign);
        }
        let mut expr = self.member()?;
        for sign in signs.into_iter().rev() {
            let depth = expr.depth;
            let inner = Box::new(expr);
            expr = node(
                if sign == "!" {
                    ExprKind::Not(inner)
                } else {
                    ExprKind::Negate(inner)
                },
                at,
                depth,
            )?;
        }
        Ok(expr)
    }

    fn member(&mut self) -> Parsed {
        let mut expr = self.primary()?;
        loop {
            let at = self.position();
            if self.take("[") {
                let index = self.expression()?;
                self.expect("]")?;
                let depth = expr.depth.max(index.depth);
                expr = node(ExprKind::Index(Box::new(expr), Box::new(index)), at, depth)?;
            } else if self.take(".") {
                let name = self.name()?;
                let at_call = self.position();
                let depth = expr.depth;
                expr = if self.take("(") {
                    let arguments = self.list(")")?;
                    method(expr, name, arguments, at_call)?
                } else {
                    node(ExprKind::Field(Box::new(expr), name), at, depth)?
                };
            } else {
                return Ok(expr);
            }
        }
    }

    fn primary(&mut self) -> Parsed {
        let at = self.position();
        let Some((_, token)) = self.tokens.get(self.at).cloned() else {
            return self.unexpected_token();
        };
        self.at += 1;
        let literal = |value| node(ExprKind::Literal(value), at, 0);
        match token {
            // Only its negation fits into 64 bits.
            Token::Int(i64::MIN)
                if !matches!(
                    self.tokens.get(self.at.wrapping_sub(2)),
                    Some((_, Token::Sign("-")))
                ) =>
            {
                Err(CompileError::new(at, "invalid int literal"))
            }
            Token::Int(n) => literal(Value::Int(n)),
            Token::Uint(n) => literal(Value::Uint(n)),
            Token::Double(n) => literal(Value::Double(n)),
            Token::Text(text) => literal(Value::Text(text.into())),
            Token::Sign("(") => {
                let inner = self.expression()?;
                self.expect(")")?;
                Ok(inner)
            }
            Token::Sign("[") => {
                let items = self.list("]")?;
                let depth = items.iter().map(|e| e.depth).max().unwrap_or(0);
                node(ExprKind::List(items), at, depth)
            }
            Token::Sign("{") => self.map(at),
            Token::Name(name) => match name.as_str() {
                "true" => literal(Value::Bool(true)),
                "false" => literal(Value::Bool(false)),
                "null" => literal(Value::Null),
                reserved if RESERVED.contains(&reserved) => Err(CompileError::new(
                    at,
                    format!("reserved identifier: {reserved}"),
                )),
                _ => {
                    let at_call = self.position();
                    if !self.take("(") {
                        return node(ExprKind::Name(name), at, 0);
                    }
                    let arguments = self.list(")")?;
                    call(name, arguments, at_call)
                }
            },
            // A leading dot names the root container, which all names are in.
            Token::Sign(".") if matches!(self.tokens.get(self.at), Some((_, Token::Name(_)))) => {
                self.primary()
            }
            Token::Sign(_) => {
                self.at -= 1;
                self.unexpected_token()
            }
        }
    }

    fn map(&mut self, at: usize) -> Parsed {
        let mut pairs = Vec::new();
        let mut depth = 0;
        while !self.take("}") {
            let key = self.expression()?;
            self.expect(":")?;
            let value = self.expression()?;
            depth = depth.max(key.depth).max(value.depth);
            pairs.push((key, value));
            if !self.take(",") {
                self.expect("}")?;
                break;
            }
        }
        node(ExprKind::Map(pairs), at, depth)
    }

    /// Comma-separated expressions up to `end`.
    fn list(&mut self, end: &str) -> Result<Vec<Expr>, CompileError> {
        let mut items = Vec::new();
        while !self.take(end) {
            items.push(self.expression()?);
            if !self.take(",") {
                self.expect(end)?;
                break;
            }
            // A list may end with a comma, the arguments of a call may not.
            if end == ")"
                && self
                    .tokens
                    .get(self.at)
                    .is_some_and(|(_, token)| *token == Token::Sign(")"))
            {
                return self.unexpected_token();
            }
        }
        Ok(items)
    }

    fn name(&mut self) -> Result<String, CompileError> {
        match self.tokens.get(self.at) {
            Some((_, Token::Name(name))) => {
                self.at += 1;
                Ok(name.clone())
            }
            _ => self.unexpected_token(),
        }
    }

    fn take(&mut self, sign: &str) -> bool {
        let found = match self.tokens.get(self.at) {
            Some((_, Token::Sign(s))) => *s == sign,
            Some((_, Token::Name(name))) => name == "in" && sign == "in",
            _ => false,
        };
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, sign: &str) -> Result<(), CompileError> {
        if self.take(sign) {
            Ok(())
        } else {
            self.unexpected_token()
        }
    }

    fn position(&self) -> usize {
        self.tokens.get(self.at).map_or(self.end, |(at, _)| *at)
    }

    fn unexpected_token<T>(&self) -> Result<T, CompileError> {
        let what = if self.at < self.tokens.len() {
            "Syntax error: unexpected input"
        } else {
            "Syntax error: mismatched input '<EOF>'"
        };
        Err(CompileError::new(self.position(), what))
    }
}

fn node(kind: ExprKind, at: usize, depth: u32) -> Parsed {
    if depth >= MAX_DEPTH {
        return Err(CompileError::new(at, "expression recursion limit exceeded"));
    }
    Ok(Expr {
        kind,
        at,
        depth: depth + 1,
    })
}

fn call(name: String, mut arguments: Vec<Expr>, at: usize) -> Parsed {
    let depth = arguments.iter().map(|e| e.depth).max().unwrap_or(0);
    if name == "has" {
        let at_argument = arguments.first().map_or(at, |argument| argument.at);
        return match (arguments.pop(), arguments.is_empty()) {
            (
                Some(Expr {
                    kind: ExprKind::Field(of, field),
                    ..
                }),
                true,
            ) => node(ExprKind::Has(of, field), at, depth),
            _ => Err(CompileError::new(
                at_argument,
                "invalid argument to has() macro",
            )),
        };
    }
    node(ExprKind::Call(name, arguments), at, depth)
}

fn method(receiver: Expr, name: String, arguments: Vec<Expr>, at: usize) -> Parsed {
    let depth = arguments
        .iter()
        .map(|e| e.depth)
        .max()
        .unwrap_or(0)
        .max(receiver.depth);
    let kind = match (name.as_str(), arguments.len()) {
        ("all", 2) => Macro::All,
        ("exists", 2) => Macro::Exists,
        ("exists_one", 2) => Macro::ExistsOne,
        ("filter", 2) => Macro::Filter,
        ("map", 2 | 3) => Macro::Map,
        _ => {
            let arguments = std::iter::once(receiver).chain(arguments).collect();
            return node(ExprKind::Call(format!(".{name}"), arguments), at, depth);
        }
    };
    let mut arguments = arguments.into_iter();
    match arguments.next() {
        Some(Expr {
            kind: ExprKind::Name(variable),
            ..
        }) => node(
            ExprKind::Macro(kind, Box::new(receiver), variable, arguments.collect()),
            at,
            depth,
        ),
        argument => {
            let at = argument.map_or(at, |argument| argument.at);
            Err(CompileError::new(at, "argument must be a simple name"))
        }
    }
}
