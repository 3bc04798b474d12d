//! Judges a catalog like `opm validate`, but reports all problems at once, with positions and
//! fixes.
//!
//! One file per rule under [`rules`] (`opm`'s) and `advice` (our own, selected by [`Settings`]).
//! [`judge_package`] checks one package; its report can be cached while the package's facts stay
//! the same. [`verdict`] cheaply combines the reports of all packages with the loading errors.
//! Knows no text: positions come from the facts.
//!
//! `opm` stops at its first refusal while loading (in path order) or converting (packages,
//! channels, bundles, cross checks, deprecations, each in load order), and gathers the remaining
//! problems in a tree. [`Verdict::opm_message`] follows that order; the diagnostics do not stop.

#[macro_use]
mod example;

pub(crate) mod advice;
mod blobs_without_package;
mod catalog_context;
mod causes;
mod channel_scope;
pub mod config;
mod config_rules;
mod cross_package;
mod diagnostic_context;
pub mod explain;
mod explanation_chains;
mod finding;
mod findings;
mod fix_builder;
mod in_several_channels;
mod judge;
mod known_diagnostics;
mod misnamed_entry;
mod misspelt_package;
mod open_catalogs;
mod package_ops;
mod report;
mod requirements;
mod rule;
mod rule_doc;
pub mod rules;
mod scope;
mod settings;
mod simulation;
mod spelling;
mod suggest;
mod template;
#[cfg(test)]
mod testing;
mod tree;
mod unreadable_text;
mod verdict;
mod walk;

pub use advice::prerelease_unasked::PRERELEASE_UNASKED;
pub use advice::stable_head_prerelease::{STABLE_HEAD_PRERELEASE, is_unfinished};
pub use catalog_context::PublishedBundles;
pub use cross_package::{CrossPackageAdvice, advise};
pub use example::{Content, Example};
pub use explain::explain;
pub use finding::{Anchor, BlobRef, Finding, OpmRefusal};
pub use judge::{advise_package, judge_package};
pub use known_diagnostics::KnownDiagnostics;
pub use open_catalogs::{OpenCatalogs, Provides};
pub use report::PackageReport;
pub use rule_doc::{MATCHED_OPM, OpmVersion, RuleDoc};
pub use rules::bundle_release_format::LENGTH_SINCE as RELEASE_LENGTH_SINCE;
pub use settings::{Settings, Suppression};
pub use spelling::edit_count;
pub use template::{judge_template_package, template_verdict};
pub use tree::TreeNode;
pub use unreadable_text::{UnreadableText, place_of};
pub use verdict::{
    MOST_LOAD_PROBLEMS, Verdict, judge, judge_change, judge_configured, judge_with, opm_message,
    verdict, verdict_of_known,
};
pub use walk::judge_for_message;
