//! Why a command could not run, and how it is said.

use super::output;
use fbc::edit::plan::Refused;
use std::io;

/// Exit status of a verdict that is "fails".
pub(super) const FAILED: u8 = 1;
/// Exit status of a command that could not run, or that was refused.
pub(super) const COULD_NOT_RUN: u8 = 2;

/// A command ends with an exit status, or with one of these.
#[derive(Debug)]
pub(super) enum CliError {
    /// What went wrong, where (`file:line`), and what to do ("" when there is nothing to say).
    Message {
        message: String,
        place: Option<String>,
        hint: String,
    },
    /// As that, in `opm`'s own words, whose lines stay as they are; with the place at fault.
    OpmSays {
        message: String,
        place: Option<String>,
        hint: String,
    },
    /// An operation was refused.
    Refused(Refused),
    /// A signal came while files were written; none is.
    Interrupted(i32),
    /// Nobody reads the output any more.
    BrokenPipe,
}

pub(super) type CliResult = Result<u8, CliError>;

impl CliError {
    pub(super) fn new(message: impl Into<String>) -> Self {
        CliError::Message {
            message: message.into(),
            place: None,
            hint: String::new(),
        }
    }

    pub(super) fn hint(self, text: impl Into<String>) -> Self {
        match self {
            CliError::Message { message, place, .. } => CliError::Message {
                message,
                place,
                hint: text.into(),
            },
            other => other,
        }
    }

    /// Where it went wrong.
    pub(super) fn at(self, place: impl Into<String>) -> Self {
        match self {
            CliError::Message { message, hint, .. } => CliError::Message {
                message,
                place: Some(place.into()),
                hint,
            },
            other => other,
        }
    }

    /// What went wrong, without the place and the hint.
    pub(super) fn message(&self) -> String {
        match self {
            CliError::Message { message, .. } | CliError::OpmSays { message, .. } => {
                message.clone()
            }
            CliError::Refused(refused) => refused.reason.clone(),
            CliError::Interrupted(_) => "interrupted".to_owned(),
            CliError::BrokenPipe => "nobody reads the output".to_owned(),
        }
    }

    pub(super) fn print(&self) {
        match self {
            CliError::Message {
                message,
                place,
                hint,
            } => {
                output::print_diagnostic("error", message, place.as_deref(), hint);
            }
            CliError::OpmSays {
                message,
                place,
                hint,
            } => {
                output::complain_in_their_words(message, place.as_deref(), hint);
            }
            CliError::Refused(refused) => {
                let place = refused
                    .location
                    .as_ref()
                    .map(|l| format!("{}:{}:{}", l.file, l.line, l.column));
                output::print_diagnostic(
                    "refused",
                    &refused.reason,
                    place.as_deref(),
                    &refused.help,
                );
            }
            CliError::Interrupted(_) => {
                output::print_diagnostic("interrupted", "nothing was written", None, "")
            }
            CliError::BrokenPipe => {}
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

impl From<serde_json::Error> for CliError {
    fn from(error: serde_json::Error) -> Self {
        if error.is_io() {
            io::Error::from(error).into()
        } else {
            CliError::new(error.to_string())
        }
    }
}
