//! A refusal of a document's text: the place, and `opm`'s message.

/// Why a document cannot be read, or cannot become JSON.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{opm}")]
pub struct SyntaxError {
    /// Byte of the document where the problem was found; at most its length.
    pub at: u32,
    /// `opm`'s message with all its prefixes (`error converting YAML to JSON: yaml: line 3: ...`).
    pub opm: String,
    /// The message without prefixes and line number.
    pub problem: String,
}

impl SyntaxError {
    /// Creates a failure of Go's YAML reader; `line` as that reader counts, 0 without one.
    pub(crate) fn yaml(at: usize, line: u32, problem: impl Into<String>) -> Self {
        let problem = problem.into();
        let place = if line == 0 {
            String::new()
        } else {
            format!("line {line}: ")
        };
        Self {
            at: at as u32,
            opm: format!("error converting YAML to JSON: yaml: {place}{problem}"),
            problem,
        }
    }

    /// Creates a failure of the step from YAML values to JSON.
    pub(crate) fn conversion(at: usize, problem: impl Into<String>) -> Self {
        let problem = problem.into();
        Self {
            at: at as u32,
            opm: format!("error converting YAML to JSON: {problem}"),
            problem,
        }
    }

    /// Creates a failure whose message has no prefix.
    pub(crate) fn bare(at: usize, problem: impl Into<String>) -> Self {
        let problem = problem.into();
        Self {
            at: at as u32,
            opm: problem.clone(),
            problem,
        }
    }
}
