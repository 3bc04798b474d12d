//! `deprecation-message-thin`: a deprecation that does not say what to do.

use super::super::rules::prelude::*;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::advice(
    "deprecation-message-thin",
    Severity::Info,
    Profile::Strict,
    "A deprecation's message is too short to help anybody.",
    "The message is all that administrators see of a deprecation, in the console and in the conditions of a \
     Subscription. One or two words cannot say since when, why, and what to use instead.",
    "Say what to use instead, and until when the deprecated item is supported.",
)
.in_templates()
.bad(&[Example::Catalog(concat!(
    etcd!(),
    "---\nschema: olm.deprecations\npackage: etcd\nentries:\n- reference:\n    schema: olm.package\n  message: EOL\n",
))])
.good(&[Example::Catalog(concat!(
    etcd!(),
    "---\nschema: olm.deprecations\npackage: etcd\nentries:\n- reference:\n    schema: olm.package\n  message: use \
     package vault, which takes over existing clusters\n",
))]);

/// A message of fewer words than this says nothing useful.
const WORDS: usize = 4;

pub(in crate::validate) fn check(
    _: &Scope<'_>,
    deprecations: &DeprecationsBlob,
    out: &mut Findings,
) {
    for entry in &deprecations.entries {
        let text = entry.message.as_str();
        // `opm` itself refuses an empty message.
        if text.is_empty() || text.split_whitespace().count() >= WORDS {
            continue;
        }
        let message = format!(
            "the deprecation of {} only says `{}`",
            thing(entry),
            text.trim()
        );
        out.report(Finding::new(out.here(entry.message.place), message).help(DOC.fix));
    }
}
