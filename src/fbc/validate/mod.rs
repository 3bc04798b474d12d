//! Judging a catalog as `opm validate` does, with all problems at once and each with its place and a way out.
//!
//! One file a rule under [`rules`], and under `advice` those that are our own: [`Settings`] say which of these are
//! wanted. [`judge_package`] looks at one package and can be cached as long as that package's facts do not change;
//! [`verdict`] combines the reports of all packages with what went wrong while loading, cheaply. Knows no text: places
//! come from the facts.
//!
//! `opm` stops at its first refusal while it loads (in path order) or converts (packages, channels, bundles, cross
//! checks, deprecations, each in load order), and gathers the rest in a tree. [`Verdict::opm_message`] follows that
//! order; the diagnostics do not stop.

#[macro_use]
mod example;

pub(crate) mod advice;
mod astray;
mod beside;
mod causes;
mod chains;
mod channel;
pub mod config;
mod config_rules;
mod context;
pub mod explain;
mod finding;
mod findings;
mod judge;
mod likeness;
mod loose;
mod market;
mod misnamed;
mod opened;
mod report;
mod rule;
mod rule_doc;
pub mod rules;
mod scope;
mod settings;
mod suggest;
mod template;
#[cfg(test)]
mod testing;
mod trade;
mod tree;
mod verdict;
mod ways;
mod whatif;

pub use beside::{MarketAdvice, advise};
pub use example::{Content, Example};
pub use explain::explain;
pub use finding::{Anchor, BlobRef, Finding, Refusal};
pub use judge::{advise_package, judge_package};
pub use market::Published;
pub use opened::{Offer, Opened};
pub use report::PackageReport;
pub use rule_doc::RuleDoc;
pub use settings::{Settings, Suppression};
pub use template::{judge_template_package, template_verdict};
pub use tree::TreeNode;
pub use verdict::{Verdict, judge, judge_change, judge_configured, judge_with, verdict};
