//! `head-deprecated`: users who install get a deprecated bundle.

use super::super::rules::prelude::*;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::advice(
    "head-deprecated",
    Severity::Warning,
    Profile::Community,
    "The head of the default channel is deprecated, but the package is not.",
    "OLM Classic installs the head of the default channel, deprecated or not, for everyone who does not choose otherwise, \
     and there is no newer bundle to upgrade to. OLM v1 prefers any bundle that is not deprecated, even an older one.",
    "Add the bundle that takes its place, make another channel the default, or deprecate the package if there will be \
     no successor.",
)
.in_templates()
.for_supported_packages()
.bad(&[Example::Catalog(concat!(
    etcd!(),
    "---\nschema: olm.deprecations\npackage: etcd\nentries:\n- reference:\n    schema: olm.bundle\n    name: \
     etcd.v1.0.0\n  message: etcd.v1.0.0 loses data; use etcd.v1.0.1\n",
))])
.good(&[Example::Catalog(concat!(
    package!("etcd", "stable"),
    channel!("etcd", "stable", "- name: etcd.v1.0.0", "- name: etcd.v1.0.1\n  replaces: etcd.v1.0.0"),
    bundle!("etcd", "1.0.0"),
    bundle!("etcd", "1.0.1"),
    "---\nschema: olm.deprecations\npackage: etcd\nentries:\n- reference:\n    schema: olm.bundle\n    name: \
     etcd.v1.0.0\n  message: etcd.v1.0.0 loses data; use etcd.v1.0.1\n",
))]);

pub(in crate::validate) fn check(scope: &Scope<'_>, out: &mut Findings) {
    let Some(deprecations) = scope.package.deprecations.first() else {
        return;
    };
    let Some(channel) = scope.channel(scope.package.default_channel()) else {
        return;
    };
    let name = &channel.blob.name.value;
    let of = |schema: &str, name: &str| {
        let is = |e: &&DeprecationEntry| e.schema.as_str() == schema && e.name.as_str() == name;
        deprecations.entries.iter().find(is)
    };
    if of("olm.package", "").is_some() || of("olm.channel", name).is_some() {
        return;
    }
    for &head in channel.heads() {
        let entry = channel.entries[head];
        let Some(deprecation) = of("olm.bundle", &entry.name.value) else {
            continue;
        };
        let message = format!(
            "head `{}` of the default channel `{name}` is deprecated",
            entry.name.value
        );
        let related = [(
            "deprecated here".to_owned(),
            Anchor::new(BlobRef::Deprecations(0), deprecation.place),
        )];
        let undeprecate = scope.ops().undeprecate_bundle(&entry.name.value);
        let finding = Finding::new(channel.anchor(entry.name.place), message)
            .help(DOC.fix)
            .channel(name)
            .bundle(&entry.name.value)
            .related(related)
            .fixes([fix(
                format!("remove the deprecation of `{}`", entry.name.value),
                false,
                undeprecate,
            )]);
        out.report(finding);
    }
}
