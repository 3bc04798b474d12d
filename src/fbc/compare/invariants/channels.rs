//! Channels: I7, I9, I14.

use super::context::{CheckedChannel, Context};
use super::{Findings, Invariant, Severity};
use crate::compare::users::is_lower;
use crate::hashed::HashMap;
use crate::place::Text;
use protocol::counting::count_of;

pub static HEAD_MOVES_BACK: Invariant = Invariant {
    id: "I7",
    name: "head-moves-back",
    severity: Severity::Warning,
    rule: "The head of a channel stays, or moves to a version that the old head upgrades to, never to a lower one.",
    why: "Fresh installs get the new head, and clusters on the old head never reach it.",
    fix: "Let the new head replace or skip the old one; to take a release back, ship a higher version that skips it.",
    check: head_moves_back,
};

pub static CHANNEL_GONE: Invariant = Invariant {
    id: "I9",
    name: "channel-gone",
    severity: Severity::Error,
    rule: "No channel disappears.",
    why: "A Classic subscription to it reports `no operators found in channel …`, and nothing in its whole namespace resolves from then on; a ClusterExtension that names it reports `no bundles found … in channels […]`.",
    fix: "Keep the channel and its entries, and deprecate it in `olm.deprecations` with a message that names the channel to move to.",
    check: channel_gone,
};

pub static DEFAULT_CHANNEL_CHANGED: Invariant = Invariant {
    id: "I9",
    name: "default-channel-changed",
    severity: Severity::Warning,
    rule: "The default channel does not change.",
    why: "Subscriptions without a channel prefer the default one, and dependencies are resolved from it first, so both \
          silently switch to the new channel. OLM v1 ignores the default channel.",
    fix: "If this is intended, announce it in the release notes.",
    check: default_channel_changed,
};

pub static GRAPH_INVALID: Invariant = Invariant {
    id: "I14",
    name: "graph-invalid",
    severity: Severity::Error,
    rule: "Every channel has exactly one head, no `replaces` cycle and no stranded entry, for `opm` and for Classic's \
           resolver.",
    why: "`opm validate` rejects the catalog, and the catalog server does not start with it; if it did, Classic could \
          resolve nothing in the namespace.",
    fix: "`switchyard validate` shows each problem with its line and the edits that fix it.",
    check: graph_invalid,
};

fn head_moves_back(context: &Context<'_>, findings: &mut Findings<'_>) {
    for channel in context.present().filter(|channel| channel.pair.in_old) {
        let (Some(old), Some(new)) = (channel.old_head(), channel.head()) else {
            continue;
        };
        if old == new {
            continue;
        }
        let version = |package: Option<&crate::model::Package>, name: &str| {
            package
                .and_then(|p| p.bundle(name))
                .map_or_else(String::new, |b| b.version().to_owned())
        };
        let comes = context.pair.versions.by_name(old).iter().any(|&number| {
            channel
                .v0(number)
                .is_some_and(|path| context.name(path.last) == *new)
        });
        let message = if is_lower(
            &version(context.pair.new, new),
            &version(context.pair.old, old),
        ) {
            format!("new users get the lower `{new}`: the head was `{old}`")
        } else if !comes {
            format!(
                "whoever runs `{old}`, the previous head, is not updated to the new head `{new}`"
            )
        } else {
            continue;
        };
        findings.add(
            channel.name(),
            new,
            message,
            format!("let `{new}` skip `{old}`"),
        );
    }
}

fn channel_gone(context: &Context<'_>, findings: &mut Findings<'_>) {
    for channel in context
        .channels
        .iter()
        .filter(|channel| !channel.pair.in_new)
    {
        let users = channel.pair.users.len();
        let versions = count_of(users, "version");
        let what = if context.pair.new.is_none() {
            " with the package"
        } else {
            ""
        };
        let message = format!(
            "channel `{}` is gone{what}: whoever subscribes to it gets no more updates, and a ClusterExtension that names it an error ({versions})",
            channel.name()
        );
        findings.add(channel.name(), channel.name(), message, String::new());
    }
}

fn default_channel_changed(context: &Context<'_>, findings: &mut Findings<'_>) {
    let (Some(old), Some(new)) = (context.pair.old, context.pair.new) else {
        return;
    };
    let (old, new) = (old.default_channel(), new.default_channel());
    if old != new {
        let message =
            format!("whoever names no channel now gets channel `{new}` instead of `{old}`");
        findings.add(&Text::default(), &new.into(), message, String::new());
    }
}

fn graph_invalid(context: &Context<'_>, findings: &mut Findings<'_>) {
    let Some(graph) = context.graph() else { return };
    let channels: HashMap<&Text, &CheckedChannel<'_>> = context
        .present()
        .map(|channel| (channel.name(), channel))
        .collect();
    for channel in graph
        .channels
        .iter()
        .filter(|channel| channels.contains_key(&channel.name))
    {
        let mut tell = |subject: &str, message: String| {
            findings.add(&channel.name, &subject.into(), message, String::new())
        };
        let names = |nodes: &[u32]| {
            nodes
                .iter()
                .map(|&node| format!("`{}`", graph.name_at(channel, node)))
                .collect::<Vec<_>>()
                .join(", ")
        };
        match channel.heads.len() {
            1 => {}
            0 => tell(
                "",
                "the channel has no head: nobody can install from it".to_owned(),
            ),
            n => tell(
                "",
                format!(
                    "the channel has {n} heads, where one is allowed: {}",
                    names(&channel.heads)
                ),
            ),
        }
        if !channel.cycle.is_empty() {
            tell(
                "",
                format!("`replaces` forms a cycle: {}", names(&channel.cycle)),
            );
        }
        let stranded = (0..).zip(&channel.nodes).filter(|(_, node)| node.stranded);
        for (node, _) in stranded {
            let name = graph.name_at(channel, node);
            tell(
                name,
                format!("whoever runs `{name}` is stranded: nothing leads from it to the head"),
            );
        }
        if channel.heads.len() == 1
            && channel.cycle.is_empty()
            && let Some(Err(error)) = channels.get(&channel.name).map(|channel| &channel.order)
        {
            tell("", error.text.clone());
        }
    }
}
