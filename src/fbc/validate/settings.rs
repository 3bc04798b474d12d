//! What is looked for beside `opm`'s rules, and how much of it counts. Knows no file: [`super::config`] reads one.

use super::advice::ADVICE;
use super::judge::Wanted;
use super::rule::RuleDoc;
use crate::fbc::diagnostic::{Profile, Severity};
use std::collections::BTreeMap;

/// A profile, and what differs from it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Settings {
    profile: Profile,
    /// By rule id: `None` is off.
    changed: BTreeMap<&'static str, Option<Severity>>,
}

impl Settings {
    /// A profile as it is.
    pub fn of(profile: Profile) -> Self {
        Self { profile, changed: BTreeMap::new() }
    }

    pub fn profile(&self) -> Profile {
        self.profile
    }

    /// How bad a problem of this rule is; `None` when nobody wants to know. `opm`'s own are always told, as errors.
    pub fn severity(&self, doc: &RuleDoc) -> Option<Severity> {
        if doc.opm {
            return Some(doc.severity);
        }
        match self.changed.get(doc.id) {
            Some(severity) => *severity,
            None => (doc.profile <= self.profile).then_some(doc.severity),
        }
    }

    /// The advice that is looked for.
    pub(super) fn advice(&self) -> impl Iterator<Item = Wanted> {
        ADVICE.iter().filter_map(|rule| Some((rule, self.severity(rule.doc)?)))
    }
}

#[cfg(test)]
mod tests {
    use crate::fbc::validate::testing::Sketch;

    #[test]
    fn advice_is_told_only_when_it_is_wanted_and_never_in_opms_tree() {
        let sketch = || Sketch::new("p").channel("c", &["a"]);
        assert_eq!(sketch().advice("description-missing"), ["package `p` has no description"]);
        let report = sketch().judge();
        assert!(report.findings.is_empty() && report.tree().is_empty() && report.refusal.is_none());
    }
}
