//! Judges a catalog like `opm validate`, but reports all problems at once, with positions and
//! fixes.
//!
//! One file per subject under [`rules`] (`opm`'s) and `advice` (our own, selected by [`Settings`]).
//! [`judge_package`] checks one package; its report can be cached while the package's facts do not
//! change. [`verdict`] cheaply combines the reports of all packages with the loading errors. Must
//! not read text: positions are part of the facts.
//!
//! `opm` stops at its first refusal while loading (in path order) or converting (packages,
//! channels, bundles, cross checks, deprecations, each in load order), and gathers the remaining
//! problems in a tree. [`Verdict::opm_message`] follows that order; the diagnostics do not stop.

#[macro_use]
mod example;
#[macro_use]
mod rule;

mod advice;
mod blobs_without_package;
mod catalog_context;
mod channel_scope;
pub mod config;
mod config_rules;
mod cross_package;
mod diagnostic_context;
pub mod explain;
mod explanation_chains;
mod findings;
mod fix_builder;
mod judge;
mod known_diagnostics;
mod misnamed;
mod misspelt_package;
mod related_findings;
mod report;
mod requirements;
mod rule_doc;
mod rules;
mod scope;
mod settings;
mod simulation;
mod spelling;
#[cfg(test)]
mod testing;
mod unreadable_text;
mod verdict;
mod walk;

pub use advice::prereleases::PRERELEASE_UNASKED;
pub use advice::prereleases::{STABLE_HEAD_PRERELEASE, is_unfinished};
pub use catalog_context::PublishedBundles;
pub use cross_package::{CrossPackageAdvice, advise};
pub use example::{Content, Example};
pub use explain::explain;
pub use findings::TreeNode;
pub use findings::{Anchor, BlobRef, Finding, OpmRefusal};
pub use judge::{advise_package, judge_package};
pub use known_diagnostics::KnownDiagnostics;
pub use report::PackageReport;
pub use requirements::{OpenCatalogs, Provides};
pub use rule_doc::{OpmVersion, RuleDoc};
pub use rules::bundle_properties::RELEASE_LENGTH_SINCE;
pub use rules::entry_without_bundle::ENTRY_WITHOUT_BUNDLE;
pub use settings::{Settings, Suppression};
pub use spelling::edit_count;
pub use unreadable_text::{UnreadableText, describe_unreadable};
pub use verdict::{
    MOST_LOAD_PROBLEMS, Verdict, judge, judge_change, judge_configured, judge_with, opm_message,
    verdict, verdict_of_known,
};
pub use verdict::{judge_template_package, template_verdict};
pub use walk::judge_for_message;
