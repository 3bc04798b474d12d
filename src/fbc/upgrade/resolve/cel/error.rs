//! Compile errors.

/// The error, and its byte offset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CompileError {
    pub(super) at: usize,
    pub(super) message: String,
}

impl CompileError {
    pub(super) fn new(at: usize, message: impl Into<String>) -> Self {
        Self {
            at,
            message: message.into(),
        }
    }

    /// Renders the error with its line and a marker below the position.
    pub(super) fn show(&self, rule: &str) -> String {
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
