//! Links problems of a package: consequences to their cause, and a mistake copied into several channels to one fix.

use super::findings::{Causes, Finding, NameCorrection};
use super::rule_doc::SharedCause;
use protocol::diagnostic::Fix;
use protocol::operation::EditOp;
use std::collections::BTreeMap;
use syntax::hashed::HashMap;
use syntax::place::Text;

/// Sets the cause of each consequence, and attaches the cause's fix. Keeps a cause that a rule found itself unless a
/// shared cause applies.
pub fn link(findings: &mut [Finding]) {
    let mut shared = SharedCauses::default();
    for finding in findings.iter() {
        finding
            .rule
            .causes
            .iter()
            .for_each(|kind| shared.add(*kind, finding));
    }
    for finding in findings.iter_mut() {
        if let Some(cause) = finding
            .rule
            .follows
            .iter()
            .find_map(|kind| shared.find_cause(*kind, finding))
        {
            finding.follows = Some(cause);
        }
    }
}

/// The shared causes of a package, each at its first finding, by affected channel or bundle.
#[derive(Default)]
struct SharedCauses {
    undefined: Option<Causes>,
    in_order: HashMap<Text, (Causes, NameCorrection)>,
    misspelt: HashMap<String, (Causes, NameCorrection)>,
    nameless: HashMap<Text, Causes>,
    doubled: HashMap<Text, (Causes, Option<Fix>)>,
    unparsed: HashMap<Text, Causes>,
}

impl SharedCauses {
    fn add(&mut self, kind: SharedCause, finding: &Finding) {
        match (kind, &finding.channel, &finding.bundle) {
            (SharedCause::Undefined, ..) => {
                self.undefined.get_or_insert_with(|| cause(finding));
            }
            (SharedCause::EntryMisnamed, Some(channel), _) => {
                for respell in finding.respell.iter().filter(|respell| respell.in_order) {
                    self.in_order
                        .entry(channel.clone())
                        .or_insert_with(|| (cause(finding), respell.clone()));
                }
            }
            (SharedCause::BundleMisnamed, ..) => {
                for respell in &finding.respell {
                    // No channel lists the bundle's name, and a deprecation fails to find the other name.
                    for name in [&*respell.replacement, &*respell.was] {
                        self.misspelt
                            .entry(name.to_owned())
                            .or_insert_with(|| (cause(finding), respell.clone()));
                    }
                }
            }
            (SharedCause::EntryNameless, Some(channel), _) => {
                self.nameless
                    .entry(channel.clone())
                    .or_insert_with(|| cause(finding));
            }
            (SharedCause::EntryDoubled, Some(channel), _) => {
                let first_fix = finding.fixes.first();
                self.doubled
                    .entry(channel.clone())
                    .or_insert_with(|| (cause(finding), first_fix.cloned()));
            }
            (SharedCause::PropertiesUnparsed, _, Some(bundle)) => {
                self.unparsed
                    .entry(bundle.clone())
                    .or_insert_with(|| cause(finding));
            }
            (
                SharedCause::EntryMisnamed | SharedCause::EntryNameless | SharedCause::EntryDoubled,
                None,
                _,
            )
            | (SharedCause::PropertiesUnparsed, _, None) => {}
        }
    }

    /// Returns the cause of this kind that affects the finding's subject.
    fn find_cause(&self, kind: SharedCause, finding: &mut Finding) -> Option<Causes> {
        let channel = finding.channel.as_ref();
        match kind {
            SharedCause::Undefined => self
                .undefined
                .clone()
                .filter(|first| first.at != finding.at),
            SharedCause::EntryMisnamed => {
                let (cause, respell) = channel.and_then(|channel| self.in_order.get(channel))?;
                finding.respell = vec![respell.clone()];
                Some(cause.clone())
            }
            SharedCause::BundleMisnamed => {
                let (cause, respell) = finding
                    .bundle
                    .as_deref()
                    .and_then(|bundle| self.misspelt.get(bundle))?;
                // The heads belong to the entry's channel, which this finding does not concern.
                finding.respell = vec![NameCorrection {
                    heads: Vec::new(),
                    ..respell.clone()
                }];
                Some(cause.clone())
            }
            SharedCause::EntryNameless => channel
                .and_then(|channel| self.nameless.get(channel))
                .cloned(),
            SharedCause::EntryDoubled => {
                let (cause, fix) = channel.and_then(|channel| self.doubled.get(channel))?;
                finding
                    .fixes
                    .splice(0..0, fix.clone().filter(leads_to_one_head));
                Some(cause.clone())
            }
            SharedCause::PropertiesUnparsed => finding
                .bundle
                .as_ref()
                .and_then(|bundle| self.unparsed.get(bundle))
                .cloned(),
        }
    }
}

fn leads_to_one_head(fix: &Fix) -> bool {
    fix.heads.len() == 1 && fix.note.is_empty()
}

fn cause(finding: &Finding) -> Causes {
    Causes {
        rule: finding.rule.id,
        message: finding.message.clone(),
        at: finding.at,
    }
}

/// Maximum number of channels in a combined fix: every problem carries the operations of all of them.
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
pub fn offer(findings: &mut [Finding]) {
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
    use crate::validate::testing::Judge;
    use catalog::testing::PackageBuilder;
    use protocol::operation::EditOp;

    #[test]
    fn one_slip_in_three_channels_has_one_fix_for_all_of_them() {
        let channel = ["p.v1.0.0", "p.v1.1.0 r:p.v1.0.00", "p.v1.2.0 r:p.v1.1.0"];
        let slipped = |name: &'static str, sketch: PackageBuilder| sketch.channel(name, &channel);
        let sketch = PackageBuilder::new("p")
            .version("p.v1.0.0", "1.0.0")
            .version("p.v1.1.0", "1.1.0");
        let sketch = sketch
            .version("p.v1.2.0", "1.2.0")
            .channel("good", &["p.v1.0.0", "p.v1.1.0 r:p.v1.0.0"]);
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
        let sketch = PackageBuilder::new("p")
            .version("p.v1.0.0", "1.0.0")
            .version("p.v1.1.0", "1.1.0");
        let report = sketch
            .channel("a", &["p.v1.0.0", "p.v1.1.0 r:p.v1.0.00"])
            .channel("b", &["p.v1.0.0", "p.v1.1.0 r:p.v1.0.0"])
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
