//! Enabled advice rules with their severities, and suppressed problems. Must not know the
//! configuration file, which [`super::config`] parses.

use super::advice::ADVICE;
use super::advice::dependencies::DEPENDENCY_NOT_HERE;
use super::explain::explain;
use super::findings::Finding;
use super::rule::EnabledRule;
use super::rule_doc::{OpmVersion, RuleDoc};
use super::rules::RULES;
use protocol::diagnostic::{Location, Profile, Severity};
use std::collections::{BTreeMap, BTreeSet};

/// A profile, its overridden rules, and suppressions.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Settings {
    profile: Profile,
    /// Drops rules that `opm` introduced after this version; `None`: drops none.
    opm_version: Option<OpmVersion>,
    /// By rule id; `None` is off.
    changed: BTreeMap<&'static str, Option<Severity>>,
    suppressions: Vec<Suppression>,
    /// Positions in `suppressions` by rule and package.
    by_rule: BTreeMap<(&'static str, Option<String>), Vec<usize>>,
}

/// A suppressed problem. `None` matches any.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suppression {
    pub rule: &'static str,
    pub package: Option<String>,
    pub channel: Option<String>,
    pub bundle: Option<String>,
    /// Its position in the configuration file.
    pub at: Location,
}

impl Settings {
    /// Creates the settings of a profile, without overrides.
    pub fn from_profile(profile: Profile) -> Self {
        Self {
            profile,
            ..Self::default()
        }
    }

    pub fn profile(&self) -> Profile {
        self.profile
    }

    pub fn set_profile(&mut self, profile: Profile) {
        self.profile = profile;
    }

    pub fn set_opm_version(&mut self, version: Option<OpmVersion>) {
        self.opm_version = version;
    }

    pub fn opm_version(&self) -> Option<OpmVersion> {
        self.opm_version
    }

    pub fn suppressions(&self) -> &[Suppression] {
        &self.suppressions
    }

    /// Returns the severity of this rule's problems; `None` if the rule is off. `opm`'s own rules
    /// are always errors.
    pub fn severity(&self, doc: &RuleDoc) -> Option<Severity> {
        if doc.opm {
            return Some(doc.severity);
        }
        match self.changed.get(doc.id) {
            Some(severity) => *severity,
            None => (doc.profile <= self.profile).then_some(doc.severity),
        }
    }

    /// Whether an enabled rule depends on other open catalogs.
    pub fn looks_at_other_catalogs(&self) -> bool {
        self.severity(&DEPENDENCY_NOT_HERE).is_some()
    }

    /// Returns the position of the first suppression that matches a problem.
    pub fn suppression(
        &self,
        rule: &str,
        package: Option<&str>,
        channel: Option<&str>,
        bundle: Option<&str>,
    ) -> Option<usize> {
        if self.suppressions.is_empty() {
            return None;
        }
        let doc = explain(rule).filter(|doc| !doc.opm)?;
        let listed = |package: Option<String>| {
            self.by_rule
                .get(&(doc.id, package))
                .map_or(&[][..], |list| list)
        };
        let narrow = package.map_or(&[][..], |package| listed(Some(package.to_owned())));
        let matches = |pattern: &Option<String>, name: Option<&str>| {
            pattern.is_none() || pattern.as_deref() == name
        };
        narrow.iter().chain(listed(None)).copied().find(|&at| {
            self.suppressions
                .get(at)
                .is_some_and(|s| matches(&s.channel, channel) && matches(&s.bundle, bundle))
        })
    }

    /// Whether a finding about a package is suppressed; adds the suppression to `used`.
    pub(super) fn suppresses(
        &self,
        package: &str,
        finding: &Finding,
        used: &mut BTreeSet<usize>,
    ) -> bool {
        let (channel, bundle) = (finding.channel.as_deref(), finding.bundle.as_deref());
        let suppression = self.suppression(finding.rule.id, Some(package), channel, bundle);
        used.extend(suppression);
        suppression.is_some()
    }

    pub(super) fn change(&mut self, doc: &RuleDoc, severity: Option<Severity>) {
        self.changed.insert(doc.id, severity);
    }

    pub(super) fn suppress(&mut self, suppression: Suppression) {
        let at = self.suppressions.len();
        self.by_rule
            .entry((suppression.rule, suppression.package.clone()))
            .or_default()
            .push(at);
        self.suppressions.push(suppression);
    }

    /// Returns `opm`'s rules, up to the selected version.
    pub(super) fn opm_rules(&self) -> impl Iterator<Item = EnabledRule> {
        let rules = RULES
            .iter()
            .filter(move |rule| match (self.opm_version, rule.doc.since) {
                (Some(version), Some(since)) => since <= version,
                _ => true,
            });
        rules.map(|rule| (rule, rule.doc.severity))
    }

    pub(super) fn advice(&self) -> impl Iterator<Item = EnabledRule> {
        ADVICE
            .iter()
            .filter_map(|rule| Some((rule, self.severity(rule.doc)?)))
    }
}

#[cfg(test)]
mod tests {
    use crate::validate::testing::Judge;
    use catalog::testing::PackageBuilder;

    #[test]
    fn advice_is_optional_and_never_in_the_message_of_opm() {
        let sketch = || PackageBuilder::new("p").channel("c", &["a"]);
        assert_eq!(
            sketch().advice("description-missing"),
            ["package `p` has no description"]
        );
        let report = sketch().judge();
        assert!(report.findings.is_empty() && report.tree().is_empty() && report.refusal.is_none());
    }
}
