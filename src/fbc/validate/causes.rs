//! Which problems of a package only follow from another one of the package. What follows from what, each rule says itself.

use super::finding::{Finding, Follows, Respell};
use super::rule_doc::Slip;
use crate::hashed::HashMap;
use crate::place::Text;
use protocol::diagnostic::Fix;

/// Says of each finding what it follows from, where it does, and offers there what helps with the cause. What a rule found
/// to be the cause by itself counts where there is no slip.
pub(super) fn link(findings: &mut [Finding]) {
    let mut slips = Slips::default();
    for finding in findings.iter() {
        finding.rule.tells.iter().for_each(|slip| slips.add(*slip, finding));
    }
    for finding in findings.iter_mut() {
        if let Some(cause) = finding.rule.follows.iter().find_map(|slip| slips.of(*slip, finding)) {
            finding.follows = Some(cause);
        }
    }
}

/// The slips of a package, each where it is first told, by the channel or bundle that it spoils.
#[derive(Default)]
struct Slips {
    undefined: Option<Follows>,
    in_order: HashMap<Text, (Follows, Respell)>,
    misspelt: HashMap<String, (Follows, Respell)>,
    nameless: HashMap<Text, Follows>,
    doubled: HashMap<Text, (Follows, Option<Fix>)>,
    unparsed: HashMap<Text, Follows>,
}

impl Slips {
    fn add(&mut self, slip: Slip, finding: &Finding) {
        match (slip, &finding.channel, &finding.bundle) {
            (Slip::Undefined, ..) => {
                self.undefined.get_or_insert_with(|| cause(finding));
            }
            (Slip::EntryMisnamed, Some(channel), _) => {
                for respell in finding.respell.iter().filter(|respell| respell.in_order) {
                    self.in_order.entry(channel.clone()).or_insert_with(|| (cause(finding), respell.clone()));
                }
            }
            (Slip::BundleMisnamed, ..) => {
                for respell in &finding.respell {
                    // The one is the bundle's that no channel lists, the other what a deprecation names in vain.
                    for name in [&*respell.meant, &*respell.was] {
                        let slip = || (cause(finding), respell.clone());
                        self.misspelt.entry(name.to_owned()).or_insert_with(slip);
                    }
                }
            }
            (Slip::EntryNameless, Some(channel), _) => {
                self.nameless.entry(channel.clone()).or_insert_with(|| cause(finding));
            }
            (Slip::EntryDoubled, Some(channel), _) => {
                let first_fix = finding.fixes.first();
                self.doubled.entry(channel.clone()).or_insert_with(|| (cause(finding), first_fix.cloned()));
            }
            (Slip::PropertiesUnparsed, _, Some(bundle)) => {
                self.unparsed.entry(bundle.clone()).or_insert_with(|| cause(finding));
            }
            (Slip::EntryMisnamed | Slip::EntryNameless | Slip::EntryDoubled, None, _)
            | (Slip::PropertiesUnparsed, _, None) => {}
        }
    }

    /// The slip of this kind that spoils what the finding is about.
    fn of(&self, slip: Slip, finding: &mut Finding) -> Option<Follows> {
        let channel = finding.channel.as_ref();
        match slip {
            Slip::Undefined => self.undefined.clone().filter(|first| first.at != finding.at),
            Slip::EntryMisnamed => {
                let (cause, respell) = channel.and_then(|channel| self.in_order.get(channel))?;
                finding.respell = vec![respell.clone()];
                Some(cause.clone())
            }
            Slip::BundleMisnamed => {
                let (cause, respell) = finding.bundle.as_deref().and_then(|bundle| self.misspelt.get(bundle))?;
                // The heads are those of the entry's channel, which this is not about.
                finding.respell = vec![Respell { heads: Vec::new(), ..respell.clone() }];
                Some(cause.clone())
            }
            Slip::EntryNameless => channel.and_then(|channel| self.nameless.get(channel)).cloned(),
            Slip::EntryDoubled => {
                let (cause, fix) = channel.and_then(|channel| self.doubled.get(channel))?;
                finding.fixes.splice(0..0, fix.clone().filter(leads_to_one_head));
                Some(cause.clone())
            }
            Slip::PropertiesUnparsed => finding.bundle.as_ref().and_then(|bundle| self.unparsed.get(bundle)).cloned(),
        }
    }
}

fn leads_to_one_head(fix: &Fix) -> bool {
    fix.heads.len() == 1 && fix.note.is_empty()
}

fn cause(finding: &Finding) -> Follows {
    Follows { rule: finding.rule.id, message: finding.message.clone(), at: finding.at }
}
