//! Findings of the pipeline's checks with our own additions, and problems in a repository.

/// A finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The pipeline's name of the check, `check_…`, or the name of our own addition.
    pub check: &'static str,
    pub severity: Severity,
    pub message: String,
    /// Path in the repository.
    pub file: String,
    /// From 1.
    pub line: Option<u32>,
    /// The remedy; may be empty.
    pub help: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    Error,
    Warning,
}

impl Severity {
    pub fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
        }
    }
}

impl Finding {
    pub(super) fn error(
        check: &'static str,
        file: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        let (file, message) = (file.into(), message.into());
        Self {
            check,
            severity: Severity::Error,
            message,
            file,
            line: None,
            help: String::new(),
        }
    }

    pub(super) fn warning(
        check: &'static str,
        file: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        Self {
            severity: Severity::Warning,
            ..Self::error(check, file, message)
        }
    }

    pub(super) fn on_line(self, line: impl Into<Option<u32>>) -> Self {
        Self {
            line: line.into(),
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

/// A problem in a repository. Everything that does not depend on it is still answered.
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
