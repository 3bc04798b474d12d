//! Links consequences to their cause within a package.

use super::findings::{Causes, Finding, NameCorrection};
use super::rule_doc::SharedCause;
use protocol::diagnostic::Fix;
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
