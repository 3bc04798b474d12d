//! The condition of `--where`: which bundles of a package an operation is for.
//!
//! ```text
//! condition   any { "or" any }            any = one { "and" one }            one = ["not"] ( test | "(" condition ")" )
//! test        "version" comparison...     as in `version >=1.2.0 <1.3.0`; `opm`'s ranges, all must hold
//!             FIELD "=" TEXT              FIELD "!=" TEXT              FIELD "~" TEXT      (holds the text somewhere)
//!             "has" TYPE                  the bundle has a property of this type
//! FIELD       name | image | channel      a channel test is about the channels that list the bundle: one is enough,
//!                                         for `!=` none may be it
//! TEXT        a word, or anything in '…' or "…"
//! ```
//!
//! Read into postfix, so that deep parentheses cost no stack. Knows bundles and channels, nothing of operations.

mod lex;
#[cfg(test)]
mod tests;

use super::refused::{Refused, did_you_mean};
use crate::model::BundleBlob;
use crate::version::Version;
use crate::version::blang::Range;
use lex::{Kind, Token};

/// A condition that was understood.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Condition {
    /// Postfix: operands before their operator. Never empty, and well formed.
    steps: Vec<Step>,
}

#[derive(Debug, Clone, PartialEq)]
enum Step {
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
    Holds,
}

/// What is wrong with a condition, and the character (from 0) where it shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    at: usize,
    message: String,
    help: String,
}

impl Fault {
    fn new(at: usize, message: impl Into<String>) -> Self {
        let help = "write for example `version >=1.2.0 <1.3.0 and channel=stable`, `name~rc`, `not has olm.gvk`";
        Self { at, message: message.into(), help: help.to_owned() }
    }
}

impl Condition {
    /// # Errors
    /// The text is no condition: where, and what was expected.
    pub(super) fn parse(text: &str) -> Result<Self, Refused> {
        Parser::new(text).and_then(Parser::condition).map_err(|fault| {
            let reason = format!("the condition cannot be read at character {}: {}", fault.at + 1, fault.message);
            Refused::new(reason).help(fault.help)
        })
    }

    /// `channels` are those that list the bundle.
    pub(super) fn holds(&self, bundle: &BundleBlob, channels: &[&str]) -> bool {
        let mut stack: Vec<bool> = Vec::new();
        for step in &self.steps {
            let value = match step {
                Step::Test(test) => test.holds(bundle, channels),
                Step::Not => !stack.pop().unwrap_or_default(),
                Step::And | Step::Or => {
                    let (right, left) = (stack.pop().unwrap_or_default(), stack.pop().unwrap_or_default());
                    if *step == Step::And { left && right } else { left || right }
                }
            };
            stack.push(value);
        }
        stack.pop().unwrap_or_default()
    }
}

impl Test {
    fn holds(&self, bundle: &BundleBlob, channels: &[&str]) -> bool {
        match self {
            Test::Version(ranges) => Version::parse(bundle.version())
                .is_ok_and(|version| ranges.iter().all(|range| range.contains(&version))),
            Test::Has(kind) => bundle.properties.iter().any(|p| *p.kind == **kind),
            Test::Text(field, relation, wanted) => {
                let own = match field {
                    Field::Name => &[bundle.name.as_str()][..],
                    Field::Image => &[bundle.image.as_str()],
                    Field::Channel => channels,
                };
                match relation {
                    Relation::Is => own.contains(&wanted.as_str()),
                    Relation::IsNot => !own.contains(&wanted.as_str()),
                    Relation::Holds => own.iter().any(|text| text.contains(wanted.as_str())),
                }
            }
        }
    }
}

/// What waits on the operator stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Waiting {
    Open { at: usize },
    Or,
    And,
    Not,
}

struct Parser<'t> {
    tokens: Vec<Token<'t>>,
    next: usize,
    /// Characters of the text: where something is missing at its end.
    end: usize,
    steps: Vec<Step>,
    waiting: Vec<Waiting>,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str) -> Result<Self, Fault> {
        let (steps, waiting) = (Vec::new(), Vec::new());
        Ok(Self { tokens: lex::tokens(text)?, next: 0, end: text.chars().count(), steps, waiting })
    }

    fn condition(mut self) -> Result<Condition, Fault> {
        loop {
            self.operand()?;
            // Behind an operand: closing parentheses, then an operator or the end.
            loop {
                let Some(token) = self.take() else {
                    self.release(0);
                    return match self.waiting.pop() {
                        Some(Waiting::Open { at }) => Err(Fault::new(at, "this `(` is not closed")),
                        _ => Ok(Condition { steps: self.steps }),
                    };
                };
                match (token.kind, token.text) {
                    (Kind::Close, _) => {
                        self.release(0);
                        if self.waiting.pop().is_none() {
                            return Err(Fault::new(token.at, "this `)` closes nothing"));
                        }
                    }
                    (Kind::Word, "and") => {
                        self.release(2);
                        self.waiting.push(Waiting::And);
                        break;
                    }
                    (Kind::Word, "or") => {
                        self.release(1);
                        self.waiting.push(Waiting::Or);
                        break;
                    }
                    (_, text) => {
                        return Err(Fault::new(token.at, format!("`and`, `or` or the end is expected, not `{text}`")));
                    }
                }
            }
        }
    }

    /// Opening parentheses and `not`s, then a test.
    fn operand(&mut self) -> Result<(), Fault> {
        loop {
            let token = self.take().ok_or_else(|| Fault::new(self.end, "a test is expected, and the text ends"))?;
            match (token.kind, token.text) {
                (Kind::Open, _) => self.waiting.push(Waiting::Open { at: token.at }),
                (Kind::Word, "not") => self.waiting.push(Waiting::Not),
                (Kind::Word, _) => {
                    let test = self.test(token)?;
                    self.steps.push(Step::Test(test));
                    return Ok(());
                }
                (_, text) => return Err(Fault::new(token.at, format!("a test is expected, not `{text}`"))),
            }
        }
    }

    fn test(&mut self, first: Token<'t>) -> Result<Test, Fault> {
        let field = match first.text {
            "version" => return self.version(),
            "has" => return Ok(Test::Has(self.text("a property's type")?.to_owned())),
            "name" => Field::Name,
            "image" => Field::Image,
            "channel" => Field::Channel,
            other => {
                let fields = ["version", "name", "image", "channel", "has", "not"];
                let fault = Fault::new(first.at, format!("`{other}` is nothing that can be asked of a bundle"));
                return Err(Fault { help: did_you_mean(other, fields, &fault.help), ..fault });
            }
        };
        let Some(token) = self.take() else {
            return Err(Fault::new(self.end, format!("`=`, `!=` or `~` is expected behind `{}`", first.text)));
        };
        let relation = match (token.kind, token.text) {
            (Kind::Operator, "=" | "==") => Relation::Is,
            (Kind::Operator, "!=") => Relation::IsNot,
            (Kind::Operator, "~") => Relation::Holds,
            (_, text) => {
                let message = format!("`=`, `!=` or `~` is expected behind `{}`, not `{text}`", first.text);
                return Err(Fault::new(token.at, message));
            }
        };
        Ok(Test::Text(field, relation, self.text("a text")?.to_owned()))
    }

    /// Comparisons, as many as follow.
    fn version(&mut self) -> Result<Test, Fault> {
        let mut ranges = Vec::new();
        while let Some(token) = self.peek().filter(|token| token.kind == Kind::Operator) {
            self.next += 1;
            let version = self.text("a version")?;
            let comparison = format!("{}{version}", token.text);
            let range = Range::parse(&comparison).map_err(|_| {
                let message = format!("`{comparison}` is no comparison of versions");
                Fault {
                    help: "write an operator (`>=`, `<`, `=`, …) and a full version".to_owned(),
                    ..Fault::new(token.at, message)
                }
            })?;
            ranges.push(range);
        }
        if ranges.is_empty() {
            let at = self.peek().map_or(self.end, |token| token.at);
            return Err(Fault::new(at, "a comparison is expected behind `version`, such as `>=1.2.0`"));
        }
        Ok(Test::Version(ranges))
    }

    fn text(&mut self, what: &str) -> Result<&'t str, Fault> {
        match self.take() {
            Some(Token { kind: Kind::Word | Kind::Quoted, text, .. }) => Ok(text),
            Some(token) => Err(Fault::new(token.at, format!("{what} is expected, not `{}`", token.text))),
            None => Err(Fault::new(self.end, format!("{what} is expected, and the text ends"))),
        }
    }

    /// Operators that bind as tightly as this or tighter (`or` 1, `and` 2, `not` 3) have their operands now.
    fn release(&mut self, tightness: u8) {
        loop {
            let (own, step) = match self.waiting.last() {
                Some(Waiting::Or) => (1, Step::Or),
                Some(Waiting::And) => (2, Step::And),
                Some(Waiting::Not) => (3, Step::Not),
                Some(Waiting::Open { .. }) | None => return,
            };
            if own < tightness {
                return;
            }
            self.waiting.pop();
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
