//! Lexer and parser; expands macros.

use regex_lite::Regex;
use serde_json::Value as Json;
use std::cmp::Ordering;
use std::rc::Rc;
use std::sync::LazyLock;

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
        tokens: tokenize(rule)?,
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
        let condition = self.alternatives()?;
        let at = self.position();
        let expr = if self.accept("?") {
            let yes = self.alternatives()?;
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

    fn alternatives(&mut self) -> Parsed {
        self.parse_joined("||", ExprKind::Or, |p| {
            p.parse_joined("&&", ExprKind::And, |p| p.binary(0))
        })
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
        while self.accept(sign) {
            all.push(inner(self)?);
        }
        if all.len() == 1 {
            return Ok(all.swap_remove(0));
        }
        let depth = deepest(&all);
        node(kind(all), at, depth)
    }

    fn binary(&mut self, level: usize) -> Parsed {
        let Some(operators) = LEVELS.get(level) else {
            return self.unary();
        };
        let mut left = self.binary(level + 1)?;
        loop {
            let at = self.position();
            let Some(operator) = operators.iter().find(|o| self.accept(o)) else {
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
        while let Some(sign) = ["!", "-"].into_iter().find(|s| self.accept(s)) {
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
            if self.accept("[") {
                let index = self.expression()?;
                self.expect("]")?;
                let depth = expr.depth.max(index.depth);
                expr = node(ExprKind::Index(Box::new(expr), Box::new(index)), at, depth)?;
            } else if self.accept(".") {
                let name = self.name()?;
                let at_call = self.position();
                let depth = expr.depth;
                expr = if self.accept("(") {
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
                let depth = deepest(&items);
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
                    if !self.accept("(") {
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
        while !self.accept("}") {
            let key = self.expression()?;
            self.expect(":")?;
            let value = self.expression()?;
            depth = depth.max(key.depth).max(value.depth);
            pairs.push((key, value));
            if !self.accept(",") {
                self.expect("}")?;
                break;
            }
        }
        node(ExprKind::Map(pairs), at, depth)
    }

    /// Parses comma-separated expressions up to `end`.
    fn list(&mut self, end: &str) -> Result<Vec<Expr>, CompileError> {
        let mut items = Vec::new();
        while !self.accept(end) {
            items.push(self.expression()?);
            if !self.accept(",") {
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

    fn accept(&mut self, sign: &str) -> bool {
        let is_next = match self.tokens.get(self.at) {
            Some((_, Token::Sign(s))) => *s == sign,
            Some((_, Token::Name(name))) => name == "in" && sign == "in",
            _ => false,
        };
        self.at += usize::from(is_next);
        is_next
    }

    fn expect(&mut self, sign: &str) -> Result<(), CompileError> {
        if self.accept(sign) {
            Ok(())
        } else {
            self.unexpected_token()
        }
    }

    fn position(&self) -> usize {
        self.tokens.get(self.at).map_or(self.end, |(at, _)| *at)
    }

    fn unexpected_token<T>(&self) -> Result<T, CompileError> {
        let message = if self.at < self.tokens.len() {
            "Syntax error: unexpected input"
        } else {
            "Syntax error: mismatched input '<EOF>'"
        };
        Err(CompileError::new(self.position(), message))
    }
}

fn deepest(all: &[Expr]) -> u32 {
    all.iter().map(|expr| expr.depth).max().unwrap_or(0)
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
    let depth = deepest(&arguments);
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
    let depth = deepest(&arguments).max(receiver.depth);
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

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    Name(String),
    Int(i64),
    Uint(u64),
    Double(f64),
    Text(String),
    /// An operator or bracket.
    Sign(&'static str),
}

/// Longer signs first.
const SIGNS: [&str; 25] = [
    "&&", "||", "==", "!=", "<=", ">=", "<", ">", "!", "+", "-", "*", "/", "%", "?", ":", ".", ",",
    "(", ")", "[", "]", "{", "}", "=",
];

/// Splits a rule into tokens, each with the byte where it starts.
pub(super) fn tokenize(rule: &str) -> Result<Vec<(usize, Token)>, CompileError> {
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(c) = rule[at..].chars().next() {
        let rest = &rule[at..];
        let start = at;
        if c.is_ascii_whitespace() {
            at += 1;
        } else if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if let Some((text, length)) =
            parse_string(rest).map_err(|m| CompileError::new(start, m))?
        {
            out.push((start, Token::Text(text)));
            at += length;
        } else if c.is_ascii_alphabetic() || c == '_' {
            at += rest
                .bytes()
                .take_while(|b| b.is_ascii_alphanumeric() || *b == b'_')
                .count();
            out.push((start, Token::Name(rule[start..at].to_owned())));
        } else if c.is_ascii_digit()
            || (c == '.' && rest.as_bytes().get(1).is_some_and(u8::is_ascii_digit))
        {
            let (token, length) = parse_number(rest).map_err(|why| {
                // A minus sign belongs to its number.
                let signed = out
                    .last()
                    .filter(|(at, token)| *token == Token::Sign("-") && at + 1 == start);
                CompileError::new(signed.map_or(start, |(at, _)| *at), why)
            })?;
            out.push((start, token));
            at += length;
        } else if let Some(sign) = SIGNS.iter().find(|s| rest.starts_with(**s)) {
            out.push((start, Token::Sign(sign)));
            at += sign.len();
        } else {
            return Err(CompileError::new(
                start,
                format!("Syntax error: token recognition error at: '{c}'"),
            ));
        }
    }
    Ok(out)
}

/// Parses a number at the start, and returns its length.
fn parse_number(text: &str) -> Result<(Token, usize), &'static str> {
    const INVALID_INT: &str = "invalid int literal";
    static NUMBER: LazyLock<Regex> = LazyLock::new(|| {
        let exponent = "[eE][+-]?[0-9]+";
        let double = format!(r"[0-9]*\.[0-9]+(?:{exponent})?|[0-9]+{exponent}");
        let pattern = format!("^(?:({double})|(?:0x([0-9A-Fa-f]*)|([0-9]+))([uU])?)");
        Regex::new(&pattern).expect("a valid pattern")
    });
    let found = NUMBER.captures(text).ok_or(INVALID_INT)?;
    let group = |at| found.get(at).map(|group| group.as_str());
    let (double, hex, decimal, is_unsigned) = (group(1), group(2), group(3), group(4).is_some());
    let value = match hex {
        Some(hex) => u64::from_str_radix(hex, 16),
        None => decimal.unwrap_or_default().parse(),
    };
    let token = match (double, value) {
        (Some(double), _) => Token::Double(double.parse().map_err(|_| "invalid double literal")?),
        (None, Ok(value)) if is_unsigned => Token::Uint(value),
        (None, Err(_)) if is_unsigned => return Err("invalid uint literal"),
        // 2^63 is only valid after a minus sign; it lexes as the lowest integer, which is its own
        // wrapping negation.
        (None, Ok(value)) if hex.is_none() && value == 1_u64 << 63 => Token::Int(i64::MIN),
        (None, value) => {
            let value = value.ok().and_then(|value| i64::try_from(value).ok());
            Token::Int(value.ok_or(INVALID_INT)?)
        }
    };
    Ok((token, found[0].len()))
}

/// Parses a text literal at the start, and returns its length.
fn parse_string(text: &str) -> Result<Option<(String, usize)>, String> {
    let raw = text.starts_with(['r', 'R']);
    let body = &text[usize::from(raw)..];
    let Some(quote) = body.chars().next().filter(|c| matches!(c, '"' | '\'')) else {
        return Ok(None);
    };
    let triple = quote.to_string().repeat(3);
    let end = if body.starts_with(&triple) {
        triple
    } else {
        quote.to_string()
    };
    let mut out = String::new();
    let mut at = end.len();
    loop {
        let rest = &body[at..];
        if rest.starts_with(&end) {
            return Ok(Some((out, usize::from(raw) + at + end.len())));
        }
        let Some(c) = rest.chars().next().filter(|c| *c != '\n' || end.len() == 3) else {
            return Err("Syntax error: the text has no end".to_owned());
        };
        if c == '\\' && !raw {
            let (escaped, length) = parse_escape(rest).ok_or("Syntax error: unknown escape")?;
            let escaped = char::from_u32(escaped).ok_or("invalid unicode code point")?;
            out.push(escaped);
            at += length;
        } else {
            out.push(c);
            at += c.len_utf8();
        }
    }
}

/// Parses the code point of an escape at the start, and returns its length.
fn parse_escape(text: &str) -> Option<(u32, usize)> {
    let simple = |c| Some((u32::from(c), 2));
    let coded = |from: usize, digits: usize, radix: u32| {
        // `from_str_radix` would accept a sign.
        let code = text
            .get(from..from + digits)
            .filter(|code| code.bytes().all(|b| b.is_ascii_hexdigit()))?;
        let code = u32::from_str_radix(code, radix).ok()?;
        Some((code, from + digits))
    };
    match text[1..].chars().next()? {
        'n' => simple('\n'),
        't' => simple('\t'),
        'r' => simple('\r'),
        'a' => simple('\u{7}'),
        'b' => simple('\u{8}'),
        'f' => simple('\u{c}'),
        'v' => simple('\u{b}'),
        c @ ('\\' | '\'' | '"' | '`' | '?') => simple(c),
        'x' | 'X' => coded(2, 2, 16),
        'u' => coded(2, 4, 16),
        'U' => coded(2, 8, 16),
        '0'..='3' => coded(1, 3, 8),
        _ => None,
    }
}

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
    pub fn from_json(json: &Json) -> Self {
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

    /// Compares two values; `None` if they have no order. Numbers compare across types.
    pub fn order(&self, other: &Value) -> Option<Ordering> {
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

    pub fn get(&self, key: &Value) -> Option<&Value> {
        match self {
            Value::Map(pairs) => pairs.iter().find(|(k, _)| k == key).map(|(_, v)| v),
            Value::List(items) => {
                let index = key.number().filter(|n| n.fract() == 0.0 && *n >= 0.0)?;
                items.get(index as usize)
            }
            _ => None,
        }
    }

    pub fn kind(&self) -> &'static str {
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

/// The error, and its byte offset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CompileError {
    pub at: usize,
    pub message: String,
}

impl CompileError {
    pub fn new(at: usize, message: impl Into<String>) -> Self {
        Self {
            at,
            message: message.into(),
        }
    }

    /// Renders the error with its line and a marker below the position.
    pub fn show(&self, rule: &str) -> String {
        let before = rule.get(..self.at).unwrap_or(rule);
        let line = before.matches('\n').count();
        let column = before
            .rsplit('\n')
            .next()
            .unwrap_or_default()
            .chars()
            .count();
        let text = rule.split('\n').nth(line).unwrap_or_default();
        format!(
            "ERROR: <input>:{}:{}: {}\n | {text}\n | {}^",
            line + 1,
            column + 1,
            self.message,
            ".".repeat(column)
        )
    }
}
