//! Why an operation was refused. Nothing was changed.

pub use crate::did_you_mean::{did_you_mean, near_names};
use crate::edit::refusal::RefusalKind;
use protocol::diagnostic::Location;
use protocol::response::OperationRefusal;

/// A refusal: the reason, a suggestion, and the position.
///
/// `reason` and `help` start in lower case without a final period; names are in backticks.
#[derive(Debug, Clone, PartialEq, Eq, Default, thiserror::Error)]
#[error("{reason}")]
pub struct Refused {
    pub reason: String,
    /// The hint; may be empty.
    pub help: String,
    pub location: Option<Location>,
    /// The class, if the text could not be changed.
    pub kind: Option<RefusalKind>,
    /// This template type cannot express the request; another type may.
    pub convertible: bool,
}

impl From<Refused> for OperationRefusal {
    fn from(refused: Refused) -> Self {
        Self {
            reason: refused.reason,
            help: refused.help,
            location: refused.location.map(Box::new),
            ..Self::default()
        }
    }
}

impl Refused {
    pub fn new(reason: impl Into<String>) -> Self {
        Self {
            reason: reason.into(),
            help: String::new(),
            location: None,
            kind: None,
            convertible: false,
        }
    }

    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = help.into();
        self
    }

    pub fn convertible(mut self) -> Self {
        self.convertible = true;
        self
    }

    pub fn at(mut self, location: Location) -> Self {
        self.location = Some(location);
        self
    }
}
