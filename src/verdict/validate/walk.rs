//! Walks a package in `opm`'s order and runs the rules of each step.

use super::findings::{Findings, TreeNode};
use super::report::PackageReport;
use super::rule::{Check, EnabledRule, Rule};
use super::rule_doc::RuleDoc;
use super::rules::RULES;
use super::scope::Scope;
use catalog::model::Package;

/// Judges one package for `opm`'s message alone. Skips findings and thus the simulation of fixes,
/// which costs more than the rules.
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
pub fn walk(scope: &Scope<'_>, rules: &[EnabledRule], out: &mut Findings) {
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
        out.tree_position = (Some(channel.name.value.clone()), None, false);
        run(rules, out, |check, out| {
            if let Check::ChannelBlob(f) = check {
                f(scope, channel, out);
            }
        });
    }
    for (nth, bundle) in package.bundles.iter().enumerate() {
        (out.phase, out.nth) = (2, nth as u32);
        out.tree_position = (None, Some(bundle.name.value.clone()), false);
        run(rules, out, |check, out| {
            if let Check::BundleBlob(f) = check {
                f(scope, bundle, out);
            }
        });
    }
    (out.phase, out.nth) = (3, 0);
    out.tree_position = (None, None, false);
    run(rules, out, |check, out| {
        if let Check::Cross(f) = check {
            f(scope, out);
        }
    });
    for (nth, deprecations) in package.deprecations.iter().enumerate() {
        (out.phase, out.nth) = (4, nth as u32);
        run(rules, out, |check, out| match check {
            Check::Deprecations(f) => f(scope, deprecations, out),
            Check::Deprecation(f) if scope.is_defined() => {
                for entry in (1..).zip(&deprecations.entries) {
                    f(scope, deprecations, entry, out);
                }
            }
            _ => {}
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
