//! Runs the rules over one package.

use super::findings::{Finding, Findings, TreeNode};
use super::related_findings;
use super::report::PackageReport;
use super::requirements::{Provides, Requirements};
use super::rule::{Check, EnabledRule};
use super::scope::Scope;
use super::settings::Settings;
use super::simulation::Simulation;
use super::walk::walk;
use catalog::model::Package;
use protocol::diagnostic::Fix;
use protocol::operation::EditOp;

/// Judges one package by `opm`'s rules and the enabled advice. The report depends only on the
/// package's facts and the settings, not on file positions or other packages.
pub fn judge_package(package: &Package, settings: &Settings) -> PackageReport {
    let scope = Scope::new(package);
    let mut out = Findings::new();
    out.opm_version = settings.opm_version();
    let rules: Vec<EnabledRule> = settings.opm_rules().collect();
    walk(&scope, &rules, &mut out);
    let (findings, refusal, lines) = out.finish();
    let findings = with_outcomes_and_causes(&scope, findings);
    let tree = TreeNode::package(&package.name, lines);
    let mut report = PackageReport {
        findings,
        refusal,
        tree,
        provides: Provides::from_package(package),
        ..PackageReport::default()
    };
    advise(&scope, settings, &mut report);
    report
}

/// Runs the advice rules again with other settings; keeps the results of `opm`'s rules.
pub fn advise_package(package: &Package, settings: &Settings, report: &mut PackageReport) {
    advise(&Scope::new(package), settings, report);
}

fn advise(scope: &Scope<'_>, settings: &Settings, report: &mut PackageReport) {
    report.advice.clear();
    report.suppressed.clear();
    report.requirements = None;
    let rules: Vec<EnabledRule> = settings.advice().collect();
    if rules.is_empty() {
        return;
    }
    let needs_requirements = rules
        .iter()
        .any(|(rule, _)| matches!(rule.check, Check::CrossPackage(_)));
    report.requirements =
        needs_requirements.then(|| Box::new(Requirements::from_package(scope.package)));
    let mut out = Findings::new();
    walk(scope, &rules, &mut out);
    for finding in with_outcomes_and_causes(scope, out.finish().0) {
        if !settings.suppresses(&scope.package.name, &finding, &mut report.suppressed) {
            report.advice.push(finding);
        }
    }
}

/// Adds the consequences of fixes, and the causes.
fn with_outcomes_and_causes(scope: &Scope<'_>, mut findings: Vec<Finding>) -> Vec<Finding> {
    for finding in &mut findings {
        simulate(scope, &mut finding.fixes);
    }
    related_findings::link(&mut findings);
    findings
}

/// Adds the outcome to each fix that has none, and removes fixes that would be refused.
fn simulate(scope: &Scope<'_>, fixes: &mut Vec<Fix>) {
    fixes.retain_mut(|fix| {
        if !fix.heads.is_empty() {
            return true;
        }
        let channel = fix.ops.iter().find_map(EditOp::changed_channel);
        // The outcome of creating objects or editing text depends on files, which are unknown here.
        let by_name = fix.ops.iter().all(|op| {
            op.package().is_some()
                && !matches!(op, EditOp::Deprecate { .. } | EditOp::AddChannel { .. })
        });
        match scope.simulate(channel.unwrap_or_default(), &fix.ops) {
            Simulation::Outcome(outcome) if channel.is_some() => outcome.describe_in(fix),
            Simulation::Refused => return !by_name,
            _ => {}
        }
        true
    });
}
