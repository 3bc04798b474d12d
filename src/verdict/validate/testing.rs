//! Test helpers that judge packages.

use super::judge::judge_package;
use super::report::PackageReport;
use super::settings::Settings;
use catalog::testing::PackageBuilder;
use protocol::diagnostic::Profile;

pub trait Judge {
    /// Judges with `opm`'s rules only.
    fn judge(self) -> Judged;

    /// Returns the messages of one of our own rules, with all rules on.
    fn advice(self, rule: &str) -> Vec<String>;
}

impl Judge for PackageBuilder {
    fn judge(self) -> Judged {
        let settings = Settings::from_profile(Profile::Opm);
        Judged(judge_package(&self.build(), &settings))
    }

    fn advice(self, rule: &str) -> Vec<String> {
        let settings = Settings::from_profile(Profile::Strict);
        let advice = judge_package(&self.build(), &settings).advice;
        let of_rule = advice.into_iter().filter(|f| f.rule.id == rule);
        of_rule.map(|f| f.message).collect()
    }
}

/// A report with accessors for tests.
pub struct Judged(PackageReport);

impl std::ops::Deref for Judged {
    type Target = PackageReport;

    fn deref(&self) -> &PackageReport {
        &self.0
    }
}

impl Judged {
    pub fn rules(&self) -> Vec<&str> {
        self.findings.iter().map(|f| f.rule.id).collect()
    }

    pub fn tree(&self) -> String {
        self.0.tree.as_ref().map(|t| t.draw()).unwrap_or_default()
    }
}
