//! Runs the rules over one package.

use super::findings::Findings;
use super::findings::TreeNode;
use super::findings::{Finding, OpmRefusal};
use super::related_findings;
use super::requirements::Provides;
use super::requirements::Requirements;
use super::rule::RuleDoc;
use super::rule::{Check, EnabledRule, Rule};
use super::rules::RULES;
use super::scope::Scope;
use super::settings::Settings;
use super::simulation::Simulation;
use crate::model::Package;
use protocol::diagnostic::Fix;
use protocol::operation::EditOp;
use std::collections::BTreeSet;

/// The result of a package's rules.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PackageReport {
    /// Problems from `opm`'s rules.
    pub findings: Vec<Finding>,
    /// Problems from our own rules.
    pub advice: Vec<Finding>,
    /// Positions of the matching suppressions in the settings.
    pub suppressed: BTreeSet<usize>,
    /// `opm`'s first refusal in this package.
    pub refusal: Option<OpmRefusal>,
    /// `opm`'s tree for this package; `None` if it is empty.
    pub tree: Option<TreeNode>,
    /// What other packages may require from it.
    pub provides: Provides,
    /// What the package requires from others, if advice needs it.
    pub(super) requirements: Option<Box<Requirements>>,
}

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
    let beside_others = rules
        .iter()
        .any(|(rule, _)| matches!(rule.check, Check::CrossPackage(_)));
    report.requirements =
        beside_others.then(|| Box::new(Requirements::from_package(scope.package)));
    let mut out = Findings::new();
    walk(scope, &rules, &mut out);
    for finding in with_outcomes_and_causes(scope, out.finish().0) {
        let (channel, bundle) = (finding.channel.as_deref(), finding.bundle.as_deref());
        match settings.suppression(finding.rule.id, Some(&scope.package.name), channel, bundle) {
            Some(suppression) => {
                report.suppressed.insert(suppression);
            }
            None => report.advice.push(finding),
        }
    }
}

/// Adds the consequences of fixes, the causes, and combined fixes for several channels.
fn with_outcomes_and_causes(scope: &Scope<'_>, mut findings: Vec<Finding>) -> Vec<Finding> {
    for finding in &mut findings {
        simulate(scope, &mut finding.fixes);
    }
    related_findings::link(&mut findings);
    related_findings::offer(&mut findings);
    findings
}

/// Adds the outcome to each fix unless its rule did, and removes fixes that would be refused.
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

/// `opm`'s message for one package. Skips findings and thus the simulation of fixes, which costs
/// more than the rules.
pub fn judge_for_message(package: &Package) -> PackageReport {
    let mut out = Findings::new();
    let rules: Vec<EnabledRule> = RULES.iter().map(|rule| (rule, rule.doc.severity)).collect();
    walk(&Scope::new(package), &rules, &mut out);
    let (_, refusal, lines) = out.finish();
    PackageReport {
        refusal,
        tree: TreeNode::package(&package.name, lines),
        ..PackageReport::default()
    }
}

/// Runs these rules over the package.
pub(super) fn walk(scope: &Scope<'_>, rules: &[EnabledRule], out: &mut Findings) {
    convert(scope, rules, out);
    if scope.is_defined() {
        model(scope, rules, out);
    }
}

/// Runs the conversion rules, blob by blob.
fn convert(scope: &Scope<'_>, rules: &[EnabledRule], out: &mut Findings) {
    let package = scope.package;
    out.phase = 0;
    run(rules, out, |check, out| {
        if let Check::Definition(f) = check {
            f(scope, out);
        }
    });
    for (nth, channel) in package.channels.iter().enumerate() {
        (out.phase, out.nth) = (1, nth as u32);
        run(rules, out, |check, out| {
            if let Check::ChannelBlob(f) = check {
                f(scope, channel, out);
            }
        });
    }
    for (nth, bundle) in package.bundles.iter().enumerate() {
        (out.phase, out.nth) = (2, nth as u32);
        run(rules, out, |check, out| {
            if let Check::BundleBlob(f) = check {
                f(scope, bundle, out);
            }
        });
    }
    (out.phase, out.nth) = (3, 0);
    run(rules, out, |check, out| {
        if let Check::Cross(f) = check {
            f(scope, out);
        }
    });
    for (nth, deprecations) in package.deprecations.iter().enumerate() {
        (out.phase, out.nth) = (4, nth as u32);
        run(rules, out, |check, out| {
            if let Check::Deprecations(f) = check {
                f(scope, deprecations, out);
            }
        });
    }
}

/// Runs the model rules, from the package down.
fn model(scope: &Scope<'_>, rules: &[EnabledRule], out: &mut Findings) {
    out.tree_position = (None, None, false);
    run(rules, out, |check, out| {
        if let Check::Package(f) = check {
            f(scope, out);
        }
    });
    for channel in &scope.channels {
        let name = Some(channel.blob.name.value.clone());
        out.tree_position = (name.clone(), None, false);
        run(rules, out, |check, out| {
            if let Check::Channel(f) = check {
                f(scope, channel, out);
            }
        });
        for entry in scope.entries(channel) {
            out.tree_position = (name.clone(), Some(entry.entry.name.value.clone()), false);
            run(rules, out, |check, out| {
                if let Check::Entry(f) = check {
                    f(scope, &entry, out);
                }
            });
        }
        out.tree_position = (name, None, true);
        run(rules, out, |check, out| {
            if let Check::ChannelEnd(f) = check {
                f(scope, channel, out);
            }
        });
    }
    out.tree_position = (None, None, true);
    run(rules, out, |check, out| {
        if let Check::PackageEnd(f) = check {
            f(scope, out);
        }
    });
}

fn run(rules: &[EnabledRule], out: &mut Findings, mut apply: impl FnMut(Check, &mut Findings)) {
    for (index, &(Rule { doc, check }, severity)) in rules.iter().enumerate() {
        (out.rule, out.rule_index, out.severity) = (doc, index as u16, severity);
        apply(*check, out);
    }
    out.rule = &RuleDoc::UNSET;
}
