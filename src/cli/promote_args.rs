//! How a bundle enters a channel, as words.

use clap::ValueEnum;
use protocol::operation::{Choice, PromoteAs};

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum AsArg {
    /// The new head
    Head,
    /// In the chain; the next higher entry is changed to replace it
    Chain,
    /// Outside the chain: the next higher entry skips it
    Skipped,
}

impl From<AsArg> for PromoteAs {
    fn from(how: AsArg) -> Self {
        match how {
            AsArg::Head => PromoteAs::Head,
            AsArg::Chain => PromoteAs::Chain,
            AsArg::Skipped => PromoteAs::Skipped,
        }
    }
}

pub(super) fn choice(text: Option<String>) -> Choice {
    match text {
        None => Choice::Default,
        Some(text) => or_none(text).map_or(Choice::None, Choice::Value),
    }
}

pub(super) fn or_none(text: String) -> Option<String> {
    (text != "none").then_some(text)
}
