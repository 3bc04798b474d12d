//! Restricts a comparison to the versions in use.

use super::invariants::{EDGE_REWRITTEN_UNLISTED, Finding, is_of_unlisted};
use super::{Comparison, User};
use crate::hashed::HashSet;
use crate::place::Text;
use crate::upgrade::Installed;

/// Installed versions of one package.
#[derive(Debug, Clone, Default)]
pub struct InUse(pub Vec<Installed>);

impl InUse {
    pub fn has(&self, user: &User) -> bool {
        self.0.contains(&user.from)
    }
}

impl Comparison {
    /// Keeps only users on versions in use, and the `findings` that concern them or no version at
    /// all.
    pub fn keep_in_use(&mut self, in_use: &InUse, findings: &mut Vec<Finding>) {
        self.is_restricted = true;
        self.users.retain(|user| in_use.has(user));
        self.further.retain(|user| in_use.has(user));
        let names: HashSet<&Text> = in_use.0.iter().map(|installed| &installed.name).collect();
        for users in &mut self.unlisted {
            let inside = in_use.unlisted_in(&users.versions.interval, &self.known_names);
            users.versions.in_use = inside.cloned().collect();
        }
        for gone in &mut self.channels_gone {
            gone.keep_in_use(in_use, &self.known_names);
        }
        self.unlisted
            .retain(|users| !users.versions.in_use.is_empty());
        let unlisted: HashSet<String> = self
            .unlisted
            .iter()
            .map(|users| users.versions.range())
            .collect();
        findings.retain(|finding| {
            if is_of_unlisted(finding.invariant) {
                return unlisted.contains(&*finding.subject);
            }
            if finding.invariant.name == EDGE_REWRITTEN_UNLISTED.name && unlisted.is_empty() {
                return false;
            }
            !finding.invariant.is_of_installed() || names.contains(&finding.subject)
        });
    }
}
