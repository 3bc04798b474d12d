//! A change as `opm` sees it in each channel: heads, and entries that no path reaches.

use super::HeadsMoved;
use crate::graph::{ChannelGraph, PackageGraph};
use crate::place::Text;
use std::collections::{BTreeMap, BTreeSet};

/// Entries (channel and name) that `opm` calls stranded in one state only.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stranded {
    pub newly: Vec<(Text, Text)>,
    pub no_longer: Vec<(Text, Text)>,
}

impl Stranded {
    /// `None`: the package does not exist. Adds changed heads to `moved`.
    pub(super) fn between(
        old: Option<&PackageGraph>,
        new: Option<&PackageGraph>,
        moved: &mut Vec<HeadsMoved>,
    ) -> Self {
        let facts = |graph: Option<&PackageGraph>| -> BTreeMap<Text, ChannelState> {
            let channels = graph
                .into_iter()
                .flat_map(|g| g.channels.iter().map(move |c| (g, c)));
            channels
                .map(|(g, c)| (c.name.clone(), ChannelState::new(g, c)))
                .collect()
        };
        let (old, new) = (facts(old), facts(new));
        let none = ChannelState::default();
        let mut stranded = Self::default();
        let names: BTreeSet<&Text> = old.keys().chain(new.keys()).collect();
        for channel in names {
            let (was, is) = (
                old.get(channel).unwrap_or(&none),
                new.get(channel).unwrap_or(&none),
            );
            if was.heads != is.heads {
                moved.push(HeadsMoved {
                    channel: channel.clone(),
                    before: was.heads.clone(),
                    after: is.heads.clone(),
                });
            }
            let entry = |name: &Text| (channel.clone(), name.clone());
            stranded
                .newly
                .extend(is.stranded.difference(&was.stranded).map(entry));
            stranded
                .no_longer
                .extend(was.stranded.difference(&is.stranded).map(entry));
        }
        stranded
    }
}

#[derive(Debug, Default)]
struct ChannelState {
    heads: Vec<Text>,
    stranded: BTreeSet<Text>,
}

impl ChannelState {
    fn new(graph: &PackageGraph, channel: &ChannelGraph) -> Self {
        let name = |node: u32| Text::from(graph.name_at(channel, node));
        let stranded = (0..)
            .zip(&channel.nodes)
            .filter(|(_, node)| node.stranded)
            .map(|(i, _)| name(i))
            .collect();
        Self {
            heads: channel.heads.iter().map(|&node| name(node)).collect(),
            stranded,
        }
    }
}
