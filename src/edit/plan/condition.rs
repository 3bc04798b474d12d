//! The condition of `--where`, which selects bundles of a package.
//!
//! ```text
//! condition   any { "or" any }
//! any         one { "and" one }
//! one         ["not"] ( test | "(" condition ")" )
//! test        "version" comparison...   all must hold, as in `version >=1.2.0 <1.3.0`
//!             FIELD "=" TEXT
//!             FIELD "!=" TEXT
//!             FIELD "~" TEXT            the field contains the text
//!             "has" TYPE                the bundle has a property of this type
//! FIELD       name | image | channel    of the channels that list the bundle, one must match;
//!                                       for `!=`, none may equal the text
//! TEXT        a word, or anything in '…' or "…"
//! ```
//!
//! Parsed into postfix notation, so deep parentheses cost no stack. Knows bundles and channels, but
//! no operations.

mod lex;
#[cfg(test)]
mod tests;

use super::{CatalogView, Refused, did_you_mean};
use catalog::model::{BundleBlob, Located, Package};
use catalog::version::Version;
use catalog::version::blang::Range;
use lex::{Token, TokenKind};
use std::collections::HashMap;

/// Returns the bundles that an operation applies to, in load order: a named one, or all that meet a
/// condition. Refuses a condition that none meets.
pub(super) fn select<'a>(
    view: &CatalogView<'a>,
    package: &'a Package,
    bundle: Option<&str>,
    condition: Option<&str>,
) -> Result<Vec<&'a Located<BundleBlob>>, Refused> {
    match (bundle, condition) {
        (Some(bundle), None) => Ok(vec![view.bundle(package, bundle)?]),
        (None, Some(condition)) => find_matching(package, condition),
        (Some(_), Some(_)) => Err(Refused::new("both a bundle and a condition are given")
            .help("name the bundle, or use `--where`")),
        (None, None) => {
            Err(Refused::new("no bundles are named")
                .help("name one with `--bundle`, or use `--where`"))
        }
    }
}

fn find_matching<'a>(
    package: &'a Package,
    text: &str,
) -> Result<Vec<&'a Located<BundleBlob>>, Refused> {
    let condition = Condition::parse(text)?;
    let mut channels: HashMap<&str, Vec<&str>> = HashMap::with_capacity(package.bundles.len());
    for channel in &package.channels {
        for entry in &channel.entries {
            channels
                .entry(entry.name.as_str())
                .or_default()
                .push(channel.name.as_str());
        }
    }
    let bundles: Vec<_> = package
        .bundles
        .iter()
        .filter(|b| {
            condition.matches(
                b,
                channels.get(b.name.as_str()).map_or(&[][..], Vec::as_slice),
            )
        })
        .collect();
    if bundles.is_empty() {
        let all = package.bundles.len();
        return Err(refused!(
            "none of the {all} bundles of package `{}` meets `{text}`",
            package.name
        )
        .help("`switchyard list bundles` shows their names, versions and channels"));
    }
    Ok(bundles)
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Condition {
    /// In postfix order; never empty, and well formed.
    steps: Vec<PostfixToken>,
}

#[derive(Debug, Clone, PartialEq)]
enum PostfixToken {
    Test(Test),
    Not,
    And,
    Or,
}

#[derive(Debug, Clone, PartialEq)]
enum Test {
    Version(Vec<Range>),
    Text(Field, Relation, String),
    Has(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Name,
    Image,
    Channel,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Relation {
    Is,
    IsNot,
    Contains,
}

/// The error in a condition, and its character offset (from 0).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ConditionError {
    offset: usize,
    message: String,
    help: String,
}

impl ConditionError {
    fn new(offset: usize, message: impl Into<String>) -> Self {
        let help = "write a condition such as `version >=1.2.0 <1.3.0 and channel=stable`, `name~rc`, `not has olm.gvk`";
        Self {
            offset,
            message: message.into(),
            help: help.to_owned(),
        }
    }
}

impl Condition {
    /// Parses a condition.
    ///
    /// # Errors
    ///
    /// If the text is not a condition: the position, and what was expected.
    pub fn parse(text: &str) -> Result<Self, Refused> {
        Parser::new(text).and_then(Parser::parse).map_err(|error| {
            let reason = format!(
                "the condition cannot be read at character {}: {}",
                error.offset + 1,
                error.message
            );
            Refused::new(reason).help(error.help)
        })
    }

    /// Whether the bundle meets the condition. `channels` are those that list the bundle.
    pub fn matches(&self, bundle: &BundleBlob, channels: &[&str]) -> bool {
        let mut stack: Vec<bool> = Vec::new();
        for step in &self.steps {
            let value = match step {
                PostfixToken::Test(test) => test.matches(bundle, channels),
                PostfixToken::Not => !stack.pop().unwrap_or_default(),
                PostfixToken::And | PostfixToken::Or => {
                    let (right, left) = (
                        stack.pop().unwrap_or_default(),
                        stack.pop().unwrap_or_default(),
                    );
                    if *step == PostfixToken::And {
                        left && right
                    } else {
                        left || right
                    }
                }
            };
            stack.push(value);
        }
        stack.pop().unwrap_or_default()
    }
}

impl Test {
    fn matches(&self, bundle: &BundleBlob, channels: &[&str]) -> bool {
        match self {
            Test::Version(ranges) => Version::parse(bundle.version())
                .is_ok_and(|version| ranges.iter().all(|range| range.contains(&version))),
            Test::Has(kind) => bundle.has_property(kind),
            Test::Text(field, relation, operand) => {
                let values = match field {
                    Field::Name => &[bundle.name.as_str()][..],
                    Field::Image => &[bundle.image.as_str()],
                    Field::Channel => channels,
                };
                match relation {
                    Relation::Is => values.contains(&operand.as_str()),
                    Relation::IsNot => !values.contains(&operand.as_str()),
                    Relation::Contains => values.iter().any(|text| text.contains(operand.as_str())),
                }
            }
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PendingOperator {
    Open { offset: usize },
    Or,
    And,
    Not,
}

struct Parser<'t> {
    tokens: Vec<Token<'t>>,
    next: usize,
    /// Length in characters: the position of errors at the end.
    end: usize,
    steps: Vec<PostfixToken>,
    pending: Vec<PendingOperator>,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str) -> Result<Self, ConditionError> {
        let (steps, pending) = (Vec::new(), Vec::new());
        Ok(Self {
            tokens: lex::tokenize(text)?,
            next: 0,
            end: text.chars().count(),
            steps,
            pending,
        })
    }

    fn parse(mut self) -> Result<Condition, ConditionError> {
        loop {
            self.parse_operand()?;
            // Closing parentheses may follow an operand, then an operator or the end.
            loop {
                let Some(token) = self.take() else {
                    self.apply_pending(0);
                    return match self.pending.pop() {
                        Some(PendingOperator::Open { offset }) => {
                            Err(ConditionError::new(offset, "this `(` is not closed"))
                        }
                        _ => Ok(Condition { steps: self.steps }),
                    };
                };
                match (token.kind, token.text) {
                    (TokenKind::Close, _) => {
                        self.apply_pending(0);
                        if self.pending.pop().is_none() {
                            return Err(ConditionError::new(
                                token.offset,
                                "this `)` closes nothing",
                            ));
                        }
                    }
                    (TokenKind::Word, "and") => {
                        self.apply_pending(2);
                        self.pending.push(PendingOperator::And);
                        break;
                    }
                    (TokenKind::Word, "or") => {
                        self.apply_pending(1);
                        self.pending.push(PendingOperator::Or);
                        break;
                    }
                    _ => return Err(self.unexpected("`and`, `or` or the end", Some(token))),
                }
            }
        }
    }

    /// Parses opening parentheses and `not`s, then a test.
    fn parse_operand(&mut self) -> Result<(), ConditionError> {
        loop {
            match self.take() {
                Some(Token {
                    kind: TokenKind::Open,
                    offset,
                    ..
                }) => self.pending.push(PendingOperator::Open { offset }),
                Some(token) if token.kind == TokenKind::Word => {
                    if token.text == "not" {
                        self.pending.push(PendingOperator::Not);
                        continue;
                    }
                    let test = self.parse_test(token)?;
                    self.steps.push(PostfixToken::Test(test));
                    return Ok(());
                }
                other => return Err(self.unexpected("a condition", other)),
            }
        }
    }

    fn parse_test(&mut self, first: Token<'t>) -> Result<Test, ConditionError> {
        let field = match first.text {
            "version" => return self.parse_version_test(),
            "has" => return Ok(Test::Has(self.expect_text("a property's type")?.to_owned())),
            "name" => Field::Name,
            "image" => Field::Image,
            "channel" => Field::Channel,
            other => {
                let fields = ["version", "name", "image", "channel", "has", "not"];
                let error = ConditionError::new(first.offset, format!("unknown field `{other}`"));
                return Err(ConditionError {
                    help: did_you_mean(other, fields, &error.help),
                    ..error
                });
            }
        };
        let Some(token) = self.take() else {
            return Err(ConditionError::new(
                self.end,
                format!("expected `=`, `!=` or `~` after `{}`", first.text),
            ));
        };
        let relation = match (token.kind, token.text) {
            (TokenKind::Operator, "=" | "==") => Relation::Is,
            (TokenKind::Operator, "!=") => Relation::IsNot,
            (TokenKind::Operator, "~") => Relation::Contains,
            _ => {
                let expected = format!("`=`, `!=` or `~` after `{}`", first.text);
                return Err(self.unexpected(&expected, Some(token)));
            }
        };
        Ok(Test::Text(
            field,
            relation,
            self.expect_text("a value")?.to_owned(),
        ))
    }

    /// Parses all comparisons that follow.
    fn parse_version_test(&mut self) -> Result<Test, ConditionError> {
        let mut ranges = Vec::new();
        while let Some(token) = self
            .peek()
            .filter(|token| token.kind == TokenKind::Operator)
        {
            self.next += 1;
            let version = self.expect_text("a version")?;
            let comparison = format!("{}{version}", token.text);
            let range = Range::parse(&comparison).map_err(|_| {
                let message = format!("`{comparison}` is not a version comparison");
                ConditionError {
                    help: "write an operator (`>=`, `<`, `=`, …) and a full version".to_owned(),
                    ..ConditionError::new(token.offset, message)
                }
            })?;
            ranges.push(range);
        }
        if ranges.is_empty() {
            let offset = self.peek().map_or(self.end, |token| token.offset);
            return Err(ConditionError::new(
                offset,
                "expected a comparison after `version`, such as `>=1.2.0`",
            ));
        }
        Ok(Test::Version(ranges))
    }

    fn expect_text(&mut self, expected: &str) -> Result<&'t str, ConditionError> {
        match self.take() {
            Some(Token {
                kind: TokenKind::Word | TokenKind::Quoted,
                text,
                ..
            }) => Ok(text),
            other => Err(self.unexpected(expected, other)),
        }
    }

    fn unexpected(&self, expected: &str, found: Option<Token<'_>>) -> ConditionError {
        let (offset, found) = match found {
            Some(token) => (token.offset, format!("`{}`", token.text)),
            None => (self.end, "the end".to_owned()),
        };
        ConditionError::new(offset, format!("expected {expected}, found {found}"))
    }

    /// Applies pending operators of at least this precedence (`or` 1, `and` 2, `not` 3).
    fn apply_pending(&mut self, min_precedence: u8) {
        loop {
            let (precedence, step) = match self.pending.last() {
                Some(PendingOperator::Or) => (1, PostfixToken::Or),
                Some(PendingOperator::And) => (2, PostfixToken::And),
                Some(PendingOperator::Not) => (3, PostfixToken::Not),
                Some(PendingOperator::Open { .. }) | None => return,
            };
            if precedence < min_precedence {
                return;
            }
            self.pending.pop();
            self.steps.push(step);
        }
    }

    fn peek(&self) -> Option<Token<'t>> {
        self.tokens.get(self.next).copied()
    }

    fn take(&mut self) -> Option<Token<'t>> {
        let token = self.peek()?;
        self.next += 1;
        Some(token)
    }
}
