//! Why a document is refused: the position and `opm`'s message.

/// Why a document cannot be read, or cannot become JSON.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{opm}")]
pub struct SyntaxError {
    /// Byte offset of the problem in the document; at most its length.
    pub at: u32,
    /// `opm`'s message with all prefixes (`error converting YAML to JSON: yaml: line 3: ...`).
    pub opm: String,
    /// The message without prefixes and line number.
    pub problem: String,
}

impl SyntaxError {
    /// Creates an error of Go's YAML reader. `line` is the line that it reports; 0 if it reports
    /// none.
    pub(crate) fn yaml(at: usize, line: u32, problem: impl Into<String>) -> Self {
        let problem = problem.into();
        let line_prefix = if line == 0 {
            String::new()
        } else {
            format!("line {line}: ")
        };
        Self {
            at: at as u32,
            opm: format!("error converting YAML to JSON: yaml: {line_prefix}{problem}"),
            problem,
        }
    }

    /// Creates the error for a document whose aliases expand too far.
    pub(crate) fn excessive_aliasing(at: usize) -> Self {
        Self::yaml(at, 0, "document contains excessive aliasing")
    }

    /// Creates an error of the conversion from YAML values to JSON.
    pub(crate) fn conversion(at: usize, problem: impl Into<String>) -> Self {
        let problem = problem.into();
        Self {
            at: at as u32,
            opm: format!("error converting YAML to JSON: {problem}"),
            problem,
        }
    }

    /// Creates an error whose message has no prefix.
    pub(crate) fn bare(at: usize, problem: impl Into<String>) -> Self {
        let problem = problem.into();
        Self {
            at: at as u32,
            opm: problem.clone(),
            problem,
        }
    }
}
