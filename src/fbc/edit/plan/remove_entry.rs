//! `remove-entry`: takes a line out of a channel and says what becomes of the edges that named it.
//!
//! `relink`: what replaced it now replaces what it replaced. `skip`: the same, and what replaced it also skips it.
//! `leave`: the edges stay and name an absent entry. Skips that name it stay in every case: they are how its users go on.

use super::draft::Draft;
use super::order;
use super::refused::Refused;
use super::{CatalogView, Step};
use crate::fbc::edit::op::Then;
use crate::fbc::model::{ChannelBlob, Located};

pub(super) fn plan(
    view: &CatalogView<'_>,
    package: &str,
    channel: &str,
    name: &str,
    then: Then,
) -> Result<Vec<Step>, Refused> {
    let channel = view.channel(view.package(package)?, channel)?;
    Ok(take_out(channel, view.entry(channel, name)?, then).into_iter().collect())
}

/// The channel without the entry `at`.
pub(super) fn take_out(channel: &Located<ChannelBlob>, at: usize, then: Then) -> Option<Step> {
    let entry = channel.entries.get(at)?;
    let name = entry.name.as_str();
    let mut draft = Draft::new(channel);
    if then != Then::Leave {
        for (i, _) in channel.entries.iter().enumerate().filter(|(i, e)| *i != at && order::replaces(e, name)) {
            draft.set_replaces(i, entry.replaces.as_str());
            if then == Then::Skip {
                draft.add_skips(i, [name]);
            }
        }
    }
    draft.remove(at);
    draft.finish()
}
