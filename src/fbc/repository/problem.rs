//! Problems in a repository.

/// A problem. Everything else is still answered.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// The operator's folder name; "" for none.
    pub operator: String,
    /// Path in the repository.
    pub file: String,
    /// From 1.
    pub line: Option<u32>,
    pub message: String,
    /// The remedy; may be empty.
    pub help: String,
}

impl Problem {
    pub(super) fn new(operator: &str, file: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            operator: operator.to_owned(),
            file: file.into(),
            line: None,
            message: message.into(),
            help: String::new(),
        }
    }

    pub(super) fn on_line(self, line: u32) -> Self {
        Self {
            line: Some(line),
            ..self
        }
    }

    pub(super) fn help(self, help: impl Into<String>) -> Self {
        Self {
            help: help.into(),
            ..self
        }
    }
}
