//! `skip-range-unbounded`: a skipRange without an upper bound.

use super::super::rules::prelude::*;
use super::ranges::{below, is_unbounded, skip_range, ways_to_end_below};
use crate::version::Version;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::advice(
    "skip-range-unbounded",
    Severity::Warning,
    Profile::Community,
    "A skipRange has no upper bound.",
    "It covers all later versions too, published or not. As long as the entry is listed, users of a later version \
     in another channel may be downgraded to it.",
    "End the range below the entry's own version: `>=1.0.0 <VERSION`.",
)
.in_templates()
.bad(&[Example::Catalog(concat!(
    package!("etcd", "stable"),
    channel!(
        "etcd",
        "stable",
        "- name: etcd.v1.0.0",
        "- name: etcd.v1.1.0\n  replaces: etcd.v1.0.0\n  skipRange: '>=1.0.0'"
    ),
    bundle!("etcd", "1.0.0"),
    bundle!("etcd", "1.1.0"),
))])
.good(&[Example::Catalog(concat!(
    package!("etcd", "stable"),
    channel!(
        "etcd",
        "stable",
        "- name: etcd.v1.0.0",
        "- name: etcd.v1.1.0\n  replaces: etcd.v1.0.0\n  skipRange: '>=1.0.0 <1.1.0'"
    ),
    bundle!("etcd", "1.0.0"),
    bundle!("etcd", "1.1.0"),
))]);

pub(in crate::validate) fn check(scope: &Scope<'_>, view: &EntryView<'_>, out: &mut Findings) {
    let Some(range) = skip_range(view).filter(is_unbounded) else {
        return;
    };
    let own = view
        .bundle
        .and_then(|(_, bundle)| Version::parse(bundle.version()).ok());
    let (name, text) = (&view.entry.name.value, &view.entry.skip_range);
    let message = format!(
        "skipRange `{}` of entry `{name}` has no upper bound",
        text.value
    );
    let help = own
        .as_ref()
        .map_or_else(|| DOC.fix.to_owned(), |own| format!("end it with `<{own}`"));
    let fixes = own.map_or_else(Vec::new, |own| {
        ways_to_end_below(scope, view, &range, &own, below(&range, &own))
    });
    let finding = Finding::new(view.channel.anchor(text.place), message)
        .help(help)
        .fixes(fixes);
    out.report(finding.channel(&view.channel.blob.name.value).bundle(name));
}
