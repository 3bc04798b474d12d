//! Why a command could not run. Must not know how errors are printed.

use ::catalog::graph::export::TooManyEdges;
use ::edit::plan::Refused;
use std::io;
use std::path::Path;

/// Exit status of a negative verdict.
pub(super) const FAILED: u8 = 1;
/// Exit status of a command that could not run or was refused.
pub(super) const COULD_NOT_RUN: u8 = 2;

/// Why a command ends without a result.
#[derive(Debug)]
pub(super) enum CliError {
    /// A message, its location (`file:line`), and a hint (`""` for none).
    Message {
        message: String,
        location: Option<String>,
        hint: String,
        /// Whether the message has `opm`'s own wording. Its line breaks are kept, because users
        /// search for these lines.
        is_opms: bool,
    },
    /// An operation was refused.
    Refused(Refused),
    /// This signal arrived while files were being written. No file was changed.
    Interrupted(i32),
    /// The reader of the output has closed it.
    BrokenPipe,
}

pub(super) type CliResult = Result<u8, CliError>;

impl CliError {
    pub fn new(message: impl Into<String>) -> Self {
        CliError::Message {
            message: message.into(),
            location: None,
            hint: String::new(),
            is_opms: false,
        }
    }

    /// Creates an error in `opm`'s own wording.
    pub fn opm(message: String) -> Self {
        let mut error = Self::new(message);
        if let CliError::Message { is_opms, .. } = &mut error {
            *is_opms = true;
        }
        error
    }

    /// Creates the message `path: reason`.
    pub fn io(path: &Path, error: &io::Error) -> Self {
        Self::new(format!("{}: {}", path.display(), io_reason(error)))
    }

    pub fn hint(mut self, text: impl Into<String>) -> Self {
        if let CliError::Message { hint, .. } = &mut self {
            *hint = text.into();
        }
        self
    }

    pub fn at(mut self, new_location: impl Into<String>) -> Self {
        if let CliError::Message { location, .. } = &mut self {
            *location = Some(new_location.into());
        }
        self
    }

    /// Returns the message without the location and the hint.
    pub fn message(&self) -> String {
        match self {
            CliError::Message { message, .. } => message.clone(),
            CliError::Refused(refused) => refused.reason.clone(),
            CliError::Interrupted(_) => "interrupted".to_owned(),
            CliError::BrokenPipe => "nobody reads the output".to_owned(),
        }
    }
}

impl From<io::Error> for CliError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => CliError::BrokenPipe,
            _ => CliError::new(error.to_string()),
        }
    }
}

impl From<Refused> for CliError {
    fn from(refused: Refused) -> Self {
        CliError::Refused(refused)
    }
}

impl From<TooManyEdges> for CliError {
    fn from(error: TooManyEdges) -> Self {
        CliError::new(error.to_string()).hint(TooManyEdges::HELP)
    }
}

impl From<serde_json::Error> for CliError {
    fn from(error: serde_json::Error) -> Self {
        if error.is_io() {
            io::Error::from(error).into()
        } else {
            CliError::new(error.to_string())
        }
    }
}

/// Formats an error as Go does: in lower case, without a number.
pub(super) fn io_reason(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_lowercase().chain(chars).collect()
    })
}
