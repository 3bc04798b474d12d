//! Links consequences to their cause within a package.

use super::findings::{Causes, Finding, NameCorrection};
use super::rule_doc::SharedCause;
use protocol::diagnostic::Fix;
use syntax::hashed::HashMap;
use syntax::place::Text;

/// Sets the cause of each consequence, and attaches the cause's fix. Keeps a cause that a rule
/// found itself unless a shared cause applies.
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

/// A shared cause at its first finding, with the corrections that also solve its consequences.
struct Shared {
    cause: Causes,
    correction: Option<NameCorrection>,
    fix: Option<Fix>,
}

/// The shared causes of a package, by affected channel or bundle; "" for the package.
#[derive(Default)]
struct SharedCauses(HashMap<(SharedCause, Text), Shared>);

impl SharedCauses {
    fn add(&mut self, kind: SharedCause, finding: &Finding) {
        let mut insert = |subject: Text, correction: Option<NameCorrection>| {
            let fix = finding.fixes.first().cloned();
            self.0.entry((kind, subject)).or_insert_with(|| Shared {
                cause: cause(finding),
                correction,
                fix: fix.filter(|_| kind == SharedCause::EntryDoubled),
            });
        };
        if kind == SharedCause::BundleMisnamed {
            for correction in &finding.corrections {
                // The heads belong to the entry's channel, which the consequences do not concern.
                let correction = NameCorrection {
                    heads: Vec::new(),
                    ..correction.clone()
                };
                // No channel lists the bundle's name, and a deprecation does not find the other
                // name.
                insert(
                    correction.replacement.as_str().into(),
                    Some(correction.clone()),
                );
                insert(correction.was.clone(), Some(correction));
            }
            return;
        }
        let Some(subject) = subject(kind, finding) else {
            return;
        };
        match kind {
            SharedCause::EntryMisnamed => {
                if let Some(correction) = finding
                    .corrections
                    .iter()
                    .find(|correction| correction.in_order)
                {
                    insert(subject, Some(correction.clone()));
                }
            }
            _ => insert(subject, None),
        }
    }

    /// Returns the cause of this kind that affects the finding's subject.
    fn find_cause(&self, kind: SharedCause, finding: &mut Finding) -> Option<Causes> {
        let shared = self.0.get(&(kind, subject(kind, finding)?))?;
        if kind == SharedCause::Undefined && shared.cause.at == finding.at {
            return None;
        }
        if let Some(correction) = &shared.correction {
            finding.corrections = vec![correction.clone()];
        }
        let fix = shared.fix.clone().filter(leads_to_one_head);
        finding.fixes.splice(0..0, fix);
        Some(shared.cause.clone())
    }
}

/// Returns the channel or bundle that a cause of this kind affects; "" for the package.
fn subject(kind: SharedCause, finding: &Finding) -> Option<Text> {
    match kind {
        SharedCause::Undefined => Some(Text::default()),
        SharedCause::EntryMisnamed | SharedCause::EntryNameless | SharedCause::EntryDoubled => {
            finding.channel.clone()
        }
        SharedCause::BundleMisnamed | SharedCause::PropertiesUnparsed => finding.bundle.clone(),
    }
}

fn leads_to_one_head(fix: &Fix) -> bool {
    fix.heads.len() == 1 && fix.note.is_empty()
}

fn cause(finding: &Finding) -> Causes {
    Causes {
        rule: Some(finding.rule.id),
        message: finding.message.clone(),
        at: finding.at,
    }
}
