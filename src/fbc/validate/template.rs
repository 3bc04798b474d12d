//! What can be said of a template before it is rendered.
//!
//! `opm validate` says nothing of templates, so neither is its verdict claimed: the rules about packages, channels, edges
//! and deprecations are ours here. Rules about bundles wait until the images are bundles.

use super::judge::judge_package;
use super::report::PackageReport;
use super::settings::Settings;
use super::verdict::{Verdict, verdict};
use crate::catalog::Catalog;
use crate::model::Package;
use protocol::diagnostic::Severity;

/// Rules about what a template itself says.
const APPLIES: &[&str] = &[
    "package-no-name",
    "package-duplicate",
    "package-name-dns1123",
    "package-no-channels",
    "default-channel-unset",
    "channel-unknown-package",
    "channel-no-name",
    "channel-duplicate",
    "channel-empty",
    "channel-head-none",
    "channel-head-multiple",
    "channel-cycle",
    "channel-stranded",
    "entry-duplicate",
    "bundle-no-name",
    "skip-empty",
    "skiprange-invalid",
    "deprecation-no-package",
    "deprecation-unknown-package",
    "deprecation-multiple",
    "deprecation-ref-no-schema",
    "deprecation-ref-duplicate",
    "deprecation-bundle-not-found",
    "deprecation-channel-not-found",
    "deprecation-package-named",
    "deprecation-ref-unknown-schema",
    "deprecation-message",
    "channel-name-kubernetes",
    "default-channel-deprecated",
    "deprecation-message-thin",
    "edge-backwards",
    "edge-misspelt",
    "head-deprecated",
    "major-jump",
    "replaced-and-skipped",
    "skip-range-empty",
    "skip-range-self",
    "skip-range-unbounded",
    "stable-head-prerelease",
];

/// Judges one package of a template.
pub fn judge_template_package(package: &Package, settings: &Settings) -> PackageReport {
    let mut report = judge_package(package, settings);
    report.findings.retain(|finding| APPLIES.contains(&finding.rule.id));
    report.advice.retain(|finding| APPLIES.contains(&finding.rule.id));
    report
}

/// What is wrong with a template. It passes when nothing is; `opm`'s words are never among it.
pub fn template_verdict<'a>(
    catalog: &Catalog,
    reports: impl IntoIterator<Item = (&'a Package, &'a PackageReport)>,
) -> Verdict {
    let mut verdict = verdict(catalog, reports);
    for diagnostic in &mut verdict.diagnostics {
        diagnostic.opm = false;
        // A template is no file that a catalog could ignore.
        diagnostic.fixes.retain(|fix| fix.kind != "ignore-file");
    }
    verdict.passed = verdict.diagnostics.iter().all(|diagnostic| diagnostic.severity != Severity::Error);
    verdict.opm_message = None;
    verdict
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validate::explain;

    #[test]
    fn the_rules_are_rules() {
        for rule in APPLIES {
            assert!(explain(rule).is_some(), "{rule}");
        }
    }
}
