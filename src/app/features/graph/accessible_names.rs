//! Text for assistive technology: names of nodes, lanes and links.

use crate::state::entries::Changes;
use crate::words;
use protocol::counting::count_of;
use protocol::lanes::{EntryNode, EntryNodeKind, Lane, Marks};
use protocol::upgrades::ComparedKind;

/// Lists the states of a node in a fixed order.
fn states(marks: &Marks, lane: &Lane) -> Vec<&'static str> {
    [
        (marks.head, "head"),
        (lane.is_default, "default channel"),
        (marks.skipped, "skipped"),
        (marks.deprecated_bundle, "deprecated"),
        (marks.absent, "not in this channel"),
        (marks.stranded, "stranded"),
        (marks.cycle, "in a cycle"),
        (marks.duplicate, "listed twice"),
        (marks.no_bundle, "no bundle"),
    ]
    .into_iter()
    .filter_map(|(applies, word)| applies.then_some(word))
    .collect()
}

/// Formats the name of a node: `ENTRY in CHANNEL`, its version, and its states.
pub fn node(node: &EntryNode, lane: &Lane) -> String {
    let channel = &lane.channel;
    let mut parts = vec![match node.kind {
        EntryNodeKind::Stack => format!(
            "{} of {} in {channel}",
            count_of(node.count as usize, "entry"),
            node.name
        ),
        EntryNodeKind::Entry | EntryNodeKind::Ghost | EntryNodeKind::Removed => {
            format!("{} in {channel}", node.name)
        }
    }];
    if !node.version.is_empty() && !node.name.contains(&node.version) {
        parts.push(format!("version {}", node.version));
    }
    // A removed entry has no other states.
    if node.kind == EntryNodeKind::Removed {
        parts.extend(["not in this channel", "removed"].map(String::from));
        return parts.join(", ");
    }
    parts.extend(states(&node.marks, lane).into_iter().map(String::from));
    parts.extend(node.problem.as_ref().map(words::problem));
    if node.edited {
        parts.push("unsaved change".into());
    }
    parts.join(", ")
}

/// Formats the name of a lane, e.g. `Channel stable, default channel, 20 entries`.
pub fn lane(lane: &Lane) -> String {
    let mut text = format!("Channel {}", lane.channel);
    if lane.is_default {
        text.push_str(", default channel");
    }
    if lane.removed {
        text.push_str(", removed");
        return text;
    }
    if lane.deprecated {
        text.push_str(", deprecated");
    }
    text.push_str(&format!(", {}", count_of(lane.entries as usize, "entry")));
    if let Some(problem) = &lane.problem {
        text.push_str(&format!(", {}", words::problem(problem)));
    }
    text
}

/// The differences of a stack from the other catalog.
#[derive(Debug, PartialEq, Eq)]
pub struct StackChanges {
    /// Each kind as a symbol, e.g. `+Δ−`: a stack has no room for counts.
    pub symbols: String,
    /// In words, e.g. `2 added, 1 changed`.
    pub text: String,
}

/// Returns `None` if no entry of the stack differs.
pub fn stack(changes: &Changes, node: &EntryNode, channel: &str) -> Option<StackChanges> {
    if changes.is_empty() {
        return None;
    }
    let members = node.members.iter();
    let kinds: Vec<ComparedKind> = members
        .filter_map(|name| changes.get(&(channel.to_owned(), name.clone())))
        .map(|(kind, _)| *kind)
        .collect();
    let mut symbols = String::new();
    let mut phrases = Vec::new();
    for kind in ComparedKind::ALL {
        let count = kinds.iter().filter(|other| **other == kind).count();
        if count > 0 {
            symbols.push_str(kind.glyph());
            phrases.push(format!("{count} {}", kind.label()));
        }
    }
    (!symbols.is_empty()).then(|| StackChanges {
        symbols,
        text: phrases.join(", "),
    })
}

/// Returns the names that only the other catalog lists in this channel, in order.
pub fn removed_names<'a>(changes: &'a Changes, lane: &Lane) -> Vec<&'a str> {
    let gone = changes.iter().filter(|((channel, _), (change, _))| {
        *change == ComparedKind::Removed && *channel == lane.channel
    });
    let mut names: Vec<&str> = gone.map(|((_, name), _)| name.as_str()).collect();
    names.sort_unstable();
    names
}

/// Describes how an entry differs from the other catalog, e.g. `changed: replaces a added`; "" if
/// it does not.
pub fn change(changes: &Changes, channel: &str, name: &str) -> String {
    match changes.get(&(channel.to_owned(), name.to_owned())) {
        Some((change, detail)) if detail.is_empty() => change.label().to_owned(),
        Some((_, detail)) => detail.clone(),
        None => String::new(),
    }
}

/// Describes how to restore a removed entry.
pub fn restore_hint(is_compared: bool) -> &'static str {
    if is_compared {
        "Only in the catalog you compare with."
    } else {
        "Not saved yet: Undo brings it back."
    }
}

/// Formats the name of a lane's heading, with its removed entries.
pub fn heading(lane: &Lane, removed: &[&str]) -> String {
    if removed.is_empty() || lane.removed {
        return self::lane(lane);
    }
    format!("{}, removed: {}", self::lane(lane), removed.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::views::ProblemMark;
    fn stable() -> Lane {
        Lane {
            channel: "stable".into(),
            is_default: true,
            entries: 2,
            ..Lane::default()
        }
    }

    #[test]
    fn a_node_is_named_by_entry_channel_and_states() {
        let mut entry = EntryNode {
            name: "op.v1.2.3".into(),
            version: "1.2.3".into(),
            marks: Marks {
                head: true,
                deprecated_bundle: true,
                ..Marks::default()
            },
            ..EntryNode::default()
        };
        assert_eq!(
            node(&entry, &stable()),
            "op.v1.2.3 in stable, head, default channel, deprecated"
        );
        entry.problem = Some(ProblemMark {
            errors: 2,
            warnings: 1,
            worst: "`op.v1.2.3` is a head too".into(),
        });
        assert!(
            node(&entry, &stable())
                .ends_with(", deprecated, 2 errors, 1 warning: op.v1.2.3 is a head too")
        );
        entry.version = "1.2.3+5".into();
        assert!(node(&entry, &stable()).contains(", version 1.2.3+5,"));
        assert_eq!(
            lane(&stable()),
            "Channel stable, default channel, 2 entries"
        );
        let stack_of = |names: &[&str]| EntryNode {
            members: names.iter().map(ToString::to_string).collect(),
            ..entry.clone()
        };
        let at = |name: &str| ("stable".to_owned(), name.to_owned());
        let changes = Changes::from([
            (at("a"), (ComparedKind::Removed, String::new())),
            (at("b"), (ComparedKind::Removed, String::new())),
            (at("c"), (ComparedKind::Added, String::new())),
        ]);
        let text = stack(&changes, &stack_of(&["a", "b", "c", "d"]), "stable");
        assert_eq!(
            text,
            Some(StackChanges {
                symbols: "+−".to_owned(),
                text: "1 added, 2 removed".to_owned(),
            })
        );
        assert_eq!(stack(&changes, &stack_of(&["d"]), "stable"), None);
        entry.kind = EntryNodeKind::Removed;
        assert_eq!(
            node(&entry, &stable()),
            "op.v1.2.3 in stable, version 1.2.3+5, not in this channel, removed"
        );
    }
}
