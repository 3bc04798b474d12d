//! Advice of our own, one rule a file: what `opm` takes and authors mostly regret.
//!
//! To add a rule: a file here with its `DOC` (made with [`RuleDoc::advice`](super::RuleDoc), with bad and good
//! examples) and its check, and a line in [`ADVICE`], which is ordered by the files' names. A check only reports; it
//! must stay linear in entries and bundles, and it is not run at all when the rule is off.

pub(super) mod description_missing;
pub(super) mod icon_missing;
pub(super) mod image_tag;

use super::rule::{Check, Rule};

pub(super) const ADVICE: &[Rule] = &[
    Rule { doc: &description_missing::DOC, check: Check::Definition(description_missing::check) },
    Rule { doc: &icon_missing::DOC, check: Check::Definition(icon_missing::check) },
    Rule { doc: &image_tag::DOC, check: Check::BundleBlob(image_tag::check) },
];
