//! Offers one fix for a mistake copied into several channels of a package. Each channel has its own
//! problem and fix; the combined fix is offered beside it.

use super::finding::Finding;
use crate::hashed::HashMap;
use protocol::diagnostic::Fix;
use protocol::operation::EditOp;
use std::collections::BTreeMap;

/// With more channels each is fixed separately: every problem carries the operations of all
/// channels.
const MOST_CHANNELS: usize = 64;

/// The part of a fix that is equal in several channels: its text, and its operation without the
/// channel.
#[derive(PartialEq, Eq, Hash)]
struct Sameness {
    title: String,
    note: String,
    operation: String,
}

/// The operation and the resulting heads per channel.
type PerChannel = BTreeMap<String, (EditOp, Vec<String>)>;

/// Adds to the first (most probable) fix of a problem a combined fix for all channels with the same
/// first fix. Safe fixes need none: they are applied together anyway.
pub(super) fn offer(findings: &mut [Finding]) {
    let mut all: HashMap<Sameness, PerChannel> = HashMap::default();
    for fix in findings.iter().filter_map(|finding| finding.fixes.first()) {
        if let Some((sameness, channel, op)) = in_one_channel(fix) {
            all.entry(sameness)
                .or_default()
                .entry(channel)
                .or_insert_with(|| (op, fix.heads.clone()));
        }
    }
    all.retain(|_, channels| (2..=MOST_CHANNELS).contains(&channels.len()));
    if all.is_empty() {
        return;
    }
    for finding in findings {
        let Some(first) = finding.fixes.first() else {
            continue;
        };
        let channels = in_one_channel(first).and_then(|(sameness, ..)| all.get(&sameness));
        if let Some(together) = channels.map(|channels| together(first, channels)) {
            finding.fixes.insert(1, together);
        }
    }
}

fn together(fix: &Fix, channels: &PerChannel) -> Fix {
    let is_same = channels.values().all(|(_, heads)| *heads == fix.heads);
    Fix {
        title: format!("{}, in {} channels", fix.title, channels.len()),
        safe: false,
        ops: channels.values().map(|(op, _)| op.clone()).collect(),
        kind: format!("{}-in-channels", fix.kind),
        heads: if is_same {
            fix.heads.clone()
        } else {
            Vec::new()
        },
        note: fix.note.clone(),
    }
}

/// Splits a fix with one operation on an entry of one channel.
fn in_one_channel(fix: &Fix) -> Option<(Sameness, String, EditOp)> {
    let [op] = fix.ops.as_slice() else {
        return None;
    };
    let mut plain = op.clone();
    let channel = std::mem::take(plain.entry_channel_mut()?);
    let operation = serde_json::to_string(&plain).ok()?;
    let sameness = Sameness {
        title: fix.title.clone(),
        note: fix.note.clone(),
        operation,
    };
    (!fix.safe).then(|| (sameness, channel, op.clone()))
}

#[cfg(test)]
mod tests {
    use crate::validate::testing::Sketch;
    use protocol::operation::EditOp;

    #[test]
    fn one_slip_in_three_channels_has_one_fix_for_all_of_them() {
        let channel = ["p.v1.0.0", "p.v1.1.0>p.v1.0.00", "p.v1.2.0>p.v1.1.0"];
        let slipped = |name: &'static str, sketch: Sketch| sketch.channel(name, &channel);
        let sketch = Sketch::new("p")
            .version("p.v1.0.0", "1.0.0")
            .version("p.v1.1.0", "1.1.0");
        let sketch = sketch
            .version("p.v1.2.0", "1.2.0")
            .channel("good", &["p.v1.0.0", "p.v1.1.0>p.v1.0.0"]);
        let report = slipped("c", slipped("b", slipped("a", sketch))).judge();
        assert_eq!(report.findings.len(), 3);
        for finding in &report.findings {
            let [own, all, ..] = finding.fixes.as_slice() else {
                panic!("two fixes: {:?}", finding.fixes)
            };
            let channels = |ops: &[EditOp]| {
                let channel = |op: &EditOp| match op {
                    EditOp::SetReplaces {
                        channel,
                        name,
                        replaces,
                        ..
                    } => {
                        assert_eq!(
                            (name.as_str(), replaces.as_deref()),
                            ("p.v1.1.0", Some("p.v1.0.0"))
                        );
                        channel.clone()
                    }
                    other => panic!("{other:?}"),
                };
                ops.iter().map(channel).collect::<Vec<_>>()
            };
            assert_eq!(
                channels(&own.ops),
                [finding.channel.as_deref().expect("a channel")]
            );
            assert_eq!(channels(&all.ops), ["a", "b", "c"]);
            assert_eq!(all.title, format!("{}, in 3 channels", own.title));
            assert_eq!(all.heads, ["p.v1.2.0"], "the same in each");
            assert!(!all.safe);
        }
    }

    #[test]
    fn other_slips_are_fixed_each_by_itself() {
        let sketch = Sketch::new("p")
            .version("p.v1.0.0", "1.0.0")
            .version("p.v1.1.0", "1.1.0");
        let report = sketch
            .channel("a", &["p.v1.0.0", "p.v1.1.0>p.v1.0.00"])
            .channel("b", &["p.v1.0.0", "p.v1.1.0>p.v1.0.0"])
            .judge();
        assert!(
            report
                .findings
                .iter()
                .flat_map(|finding| &finding.fixes)
                .all(|fix| fix.ops.len() == 1)
        );
    }
}
