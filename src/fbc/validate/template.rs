//! Judges a template before it is rendered.
//!
//! `opm validate` does not check templates, so no verdict is claimed for them: the rules about
//! packages, channels, edges and deprecations count as ours here, and each declares that it
//! applies. Rules about bundles wait until the images are bundles.

use super::finding::Finding;
use super::judge::judge_package;
use super::report::PackageReport;
use super::rule_doc::AppliesTo;
use super::settings::Settings;
use super::verdict::{Verdict, verdict};
use crate::catalog::Catalog;
use crate::model::Package;
use protocol::diagnostic::Severity;
use std::sync::Arc;

/// Judges one package of a template.
pub fn judge_template_package(package: &Package, settings: &Settings) -> PackageReport {
    let mut report = judge_package(package, settings);
    let applies = |finding: &Finding| finding.rule.applies == AppliesTo::TemplatesToo;
    report.findings.retain(applies);
    report.advice.retain(applies);
    report
}

/// The problems of a template. It passes if there are none; never contains an `opm` message.
pub fn template_verdict<'a>(
    catalog: &Catalog,
    reports: impl IntoIterator<Item = (&'a Package, &'a PackageReport)>,
) -> Verdict {
    let mut verdict = verdict(catalog, reports);
    for diagnostic in verdict.diagnostics.iter_mut().map(Arc::make_mut) {
        diagnostic.opm = false;
        // A catalog cannot ignore its own template.
        diagnostic.fixes.retain(|fix| fix.kind != "ignore-file");
    }
    verdict.passed = verdict
        .diagnostics
        .iter()
        .all(|diagnostic| diagnostic.severity != Severity::Error);
    verdict.opm_message = None;
    verdict
}
