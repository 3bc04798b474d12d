//! Walks a package in `opm`'s order and runs the rules of each step.

use super::findings::{Findings, Phase, TreeNode, TreePosition};
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

pub fn walk(scope: &Scope<'_>, rules: &[EnabledRule], out: &mut Findings) {
    run_conversion_rules(scope, rules, out);
    if scope.is_defined() {
        run_model_rules(scope, rules, out);
    }
}

/// Runs the conversion rules, blob by blob.
fn run_conversion_rules(scope: &Scope<'_>, rules: &[EnabledRule], out: &mut Findings) {
    let package = scope.package;
    out.phase = Phase::Packages;
    run_rules(rules, out, |check, out| {
        if let Check::Definition(f) = check {
            f(scope, out);
        }
    });
    for (nth, channel) in package.channels.iter().enumerate() {
        (out.phase, out.nth) = (Phase::Channels, nth as u32);
        out.tree_position = TreePosition::channel(&channel.name.value);
        run_rules(rules, out, |check, out| {
            if let Check::ChannelBlob(f) = check {
                f(scope, channel, out);
            }
        });
    }
    for (nth, bundle) in package.bundles.iter().enumerate() {
        (out.phase, out.nth) = (Phase::Bundles, nth as u32);
        out.tree_position = TreePosition {
            bundle: Some(bundle.name.value.clone()),
            ..TreePosition::default()
        };
        run_rules(rules, out, |check, out| {
            if let Check::BundleBlob(f) = check {
                f(scope, bundle, out);
            }
        });
    }
    (out.phase, out.nth) = (Phase::CrossChecks, 0);
    out.tree_position = TreePosition::default();
    run_rules(rules, out, |check, out| {
        if let Check::Cross(f) = check {
            f(scope, out);
        }
    });
    for (nth, deprecations) in package.deprecations.iter().enumerate() {
        (out.phase, out.nth) = (Phase::Deprecations, nth as u32);
        run_rules(rules, out, |check, out| match check {
            Check::Deprecations(f) => f(scope, deprecations, out),
            // Part 0 of a refusal is the blob itself.
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
fn run_model_rules(scope: &Scope<'_>, rules: &[EnabledRule], out: &mut Findings) {
    out.tree_position = TreePosition::default();
    run_rules(rules, out, |check, out| {
        if let Check::Package(f) = check {
            f(scope, out);
        }
    });
    for channel in &scope.channels {
        let position = TreePosition::channel(&channel.blob.name.value);
        out.tree_position = position.clone();
        run_rules(rules, out, |check, out| {
            if let Check::Channel(f) = check {
                f(scope, channel, out);
            }
        });
        for entry in scope.entries(channel) {
            out.tree_position = TreePosition {
                bundle: Some(entry.entry.name.value.clone()),
                ..position.clone()
            };
            run_rules(rules, out, |check, out| {
                if let Check::Entry(f) = check {
                    f(scope, &entry, out);
                }
            });
        }
        out.tree_position = TreePosition {
            after_children: true,
            ..position
        };
        run_rules(rules, out, |check, out| {
            if let Check::ChannelEnd(f) = check {
                f(scope, channel, out);
            }
        });
    }
    out.tree_position = TreePosition {
        after_children: true,
        ..TreePosition::default()
    };
    run_rules(rules, out, |check, out| {
        if let Check::PackageEnd(f) = check {
            f(scope, out);
        }
    });
}

fn run_rules(
    rules: &[EnabledRule],
    out: &mut Findings,
    mut apply: impl FnMut(Check, &mut Findings),
) {
    for (index, &(Rule { doc, check }, severity)) in rules.iter().enumerate() {
        (out.rule, out.rule_index, out.severity) = (doc, index as u16, severity);
        apply(*check, out);
    }
    out.rule = &RuleDoc::UNSET;
}
