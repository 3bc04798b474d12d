//! What several rules ask of a channel's graph.

use crate::fbc::validate::scope::ChannelScope;
use std::collections::HashSet;

/// Entries that no other entry of the channel replaces or skips, in list order.
pub(in crate::fbc::validate) fn heads(channel: &ChannelScope<'_>) -> Vec<usize> {
    let named: HashSet<&str> =
        channel.entries.iter().flat_map(|e| e.skips.iter().map(|s| s.as_str()).chain([e.replaces.as_str()])).collect();
    (0..channel.entries.len()).filter(|&e| !named.contains(channel.name_of(e))).collect()
}
