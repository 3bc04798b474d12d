//! `remove-entry`: takes a line out of a channel and says what becomes of the edges that named it.
//!
//! `relink`: what replaced it now replaces what it replaced. `skip`: the same, and what replaced it also skips it.
//! `leave`: the edges stay and name an absent entry. Skips that name it stay in every case: they are how its users go on.

use super::draft::Draft;
use super::order;
use super::refused::Refused;
use super::{CatalogView, Step};
use crate::fbc::edit::op::Then;

pub(super) fn plan(
    view: &CatalogView<'_>,
    package: &str,
    channel: &str,
    name: &str,
    then: Then,
) -> Result<Vec<Step>, Refused> {
    let channel = view.channel(view.package(package)?, channel)?;
    let at = view.entry(channel, name)?;
    let mut draft = Draft::new(channel);
    if then != Then::Leave {
        let target = channel.entries[at].replaces.as_str();
        for (i, _) in channel.entries.iter().enumerate().filter(|(i, e)| *i != at && order::replaces(e, name)) {
            draft.set_replaces(i, target);
            if then == Then::Skip {
                draft.add_skips(i, [name]);
            }
        }
    }
    draft.remove(at);
    Ok(draft.finish().into_iter().collect())
}
