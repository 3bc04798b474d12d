//! `skip-empty`: an empty name among the skips of an entry. `opm`: `skip[0] is empty`.

use super::prelude::*;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::opm(
    "skip-empty",
    "skip[%d] is empty",
    "An entry skips an empty name.",
    "Each skip names an entry from which users upgrade directly; an empty one is a mistake.",
    "Remove the empty item from `skips`, or write the intended name.",
)
.in_templates()
.bad(&[Example::Catalog(concat!(
    package!("etcd", "stable"),
    channel!("etcd", "stable", "- name: etcd.v1.0.0\n  skips:\n  - ''"),
    bundle!("etcd", "1.0.0")
))])
.good(&[Example::Catalog(concat!(
    package!("etcd", "stable"),
    channel!(
        "etcd",
        "stable",
        "- name: etcd.v1.0.0\n  skips:\n  - etcd.v0.9.0"
    ),
    bundle!("etcd", "1.0.0")
))]);

pub(in crate::validate) fn check(scope: &Scope<'_>, view: &EntryView<'_>, out: &mut Findings) {
    for (i, skip) in view.entry.skips.iter().enumerate() {
        if skip.is_empty() {
            let (channel, name) = (&view.channel.blob.name.value, &view.entry.name.value);
            let at = view.channel.anchor(skip.place);
            let finding =
                Finding::new(at, format!("entry `{name}` skips an empty name")).help(DOC.fix);
            let remove = scope.ops().remove_skip(channel, name, vec![String::new()]);
            // Not safe: an empty item is often a placeholder filled with nothing, so a name may be
            // missing.
            let remove = fix("remove the empty item", false, remove);
            out.fail(
                format!("skip[{i}] is empty"),
                finding.channel(channel).bundle(name).fixes([remove]),
            );
        }
    }
}
