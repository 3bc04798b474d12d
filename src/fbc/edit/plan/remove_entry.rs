//! `remove-entry`: removes a channel entry and handles the edges to it.
//!
//! `relink`: its successors inherit its `replaces` and skips. `skip`: additionally they skip it.
//! `leave`: the edges stay and name a missing entry. Skips of it always stay: its users upgrade by
//! them.
//!
//! For an entry listed several times with equal content, removes the last one: edges still lead to
//! the others, so none changes.

use super::channel_draft::ChannelDraft;
use super::refused::Refused;
use super::relink::relink_step;
use super::{CatalogView, PlanStep};
use crate::model::{ChannelBlob, Located, Package};
use protocol::operation::DanglingEdges;

pub(super) fn plan(
    view: &CatalogView<'_>,
    package: &str,
    channel: &str,
    name: &str,
    then: DanglingEdges,
) -> Result<Vec<PlanStep>, Refused> {
    let package = view.package(package)?;
    let channel = view.channel(package, channel)?;
    if let Some(again) = listed_again(channel, name) {
        let mut draft = ChannelDraft::new(channel);
        draft.remove(again);
        return Ok(draft.finish().into_iter().collect());
    }
    Ok(take_out(package, channel, view.entry(channel, name)?, then)
        .into_iter()
        .collect())
}

/// The last listing of an entry that is listed several times with equal content.
fn listed_again(channel: &ChannelBlob, name: &str) -> Option<usize> {
    let mut listed = channel
        .entries
        .iter()
        .enumerate()
        .filter(|(_, entry)| entry.name.as_str() == name);
    let (_, first) = listed.next()?;
    let mut last = None;
    for (at, entry) in listed {
        if !first.says_the_same(entry) {
            return None;
        }
        last = Some(at);
    }
    last
}

/// The channel without the entry `at`.
pub(super) fn take_out(
    package: &Package,
    channel: &Located<ChannelBlob>,
    at: usize,
    then: DanglingEdges,
) -> Option<PlanStep> {
    match then {
        DanglingEdges::Relink => relink_step(package, channel, at, false),
        DanglingEdges::Skip => relink_step(package, channel, at, true),
        DanglingEdges::Leave => {
            let mut draft = ChannelDraft::new(channel);
            draft.remove(at);
            draft.finish()
        }
    }
}
