//! Advice on deprecations.

use super::super::rules::prelude::*;
use syntax::hashed::HashSet;

pub const DEFAULT_CHANNEL_DEPRECATED: RuleDoc = RuleDoc::advice(
    "default-channel-deprecated",
    Severity::Warning,
    Profile::Community,
    "The default channel is deprecated, but the package is not.",
    "Anyone who installs without choosing a channel gets this one, along with a warning not to use it.",
    "Set a channel that is not deprecated as the default, or deprecate the package if there is none.",
)
.in_templates()
.for_supported_packages()
.bad(examples![concat!(
    package!("etcd", "alpha"),
    channel!("etcd", "alpha", "- name: etcd.v1.0.0"),
    channel!("etcd", "stable", "- name: etcd.v1.0.0"),
    bundle!("etcd", "1.0.0"),
    "---\nschema: olm.deprecations\npackage: etcd\nentries:\n- reference:\n    schema: olm.channel\n    name: alpha\n",
    "  message: alpha ends with version 2; use stable\n",
)])
.good(examples![concat!(
    package!("etcd", "stable"),
    channel!("etcd", "alpha", "- name: etcd.v1.0.0"),
    channel!("etcd", "stable", "- name: etcd.v1.0.0"),
    bundle!("etcd", "1.0.0"),
    "---\nschema: olm.deprecations\npackage: etcd\nentries:\n- reference:\n    schema: olm.channel\n    name: alpha\n",
    "  message: alpha ends with version 2; use stable\n",
)]);

pub fn check_default_channel_deprecated(scope: &Scope<'_>, out: &mut Findings) {
    let Some(deprecations) = scope.package.deprecations.first() else {
        return;
    };
    let Some(package) = scope
        .package
        .packages
        .first()
        .filter(|p| !p.default_channel.is_empty())
    else {
        return;
    };
    if deprecations
        .entries
        .iter()
        .any(|e| e.schema.as_str() == "olm.package")
    {
        return;
    }
    let channels = deprecations
        .entries
        .iter()
        .filter(|e| e.schema.as_str() == "olm.channel");
    let deprecated: HashSet<&str> = channels.map(|e| e.name.as_str()).collect();
    let name = &package.default_channel.value;
    if !deprecated.contains(&**name) {
        return;
    }
    // Each fix names a channel: the operation sets a single default.
    let fixes = default_channel_fixes(scope)
        .into_iter()
        .filter(|fix| {
            let channel = fix.ops.first().and_then(EditOp::new_default_channel);
            fix.ops.len() == 1 && channel.is_some_and(|channel| !deprecated.contains(channel))
        })
        .map(|fix| Fix { safe: false, ..fix });
    let message = format!("the default channel `{name}` is deprecated");
    let at = Anchor::new(BlobRef::Package(0), package.default_channel.place);
    out.report(Finding::new(at, message).channel(name).fixes(fixes));
}

pub const HEAD_DEPRECATED: RuleDoc = RuleDoc::advice(
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
.bad(examples![concat!(
    etcd!(),
    "---\nschema: olm.deprecations\npackage: etcd\nentries:\n- reference:\n    schema: olm.bundle\n    name: \
     etcd.v1.0.0\n  message: etcd.v1.0.0 loses data; use etcd.v1.0.1\n",
)])
.good(examples![concat!(
    package!("etcd", "stable"),
    channel!("etcd", "stable", "- name: etcd.v1.0.0", "- name: etcd.v1.0.1\n  replaces: etcd.v1.0.0"),
    bundle!("etcd", "1.0.0"),
    bundle!("etcd", "1.0.1"),
    "---\nschema: olm.deprecations\npackage: etcd\nentries:\n- reference:\n    schema: olm.bundle\n    name: \
     etcd.v1.0.0\n  message: etcd.v1.0.0 loses data; use etcd.v1.0.1\n",
)]);

pub fn check_head_deprecated(scope: &Scope<'_>, out: &mut Findings) {
    let Some(deprecations) = scope.package.deprecations.first() else {
        return;
    };
    let Some(channel) = scope.channel(scope.package.default_channel()) else {
        return;
    };
    let name = &channel.blob.name.value;
    let find = |schema: &str, name: &str| {
        deprecations
            .entries
            .iter()
            .find(|e| e.schema.as_str() == schema && e.name.as_str() == name)
    };
    if find("olm.package", "").is_some() || find("olm.channel", name).is_some() {
        return;
    }
    for &head in channel.heads() {
        let entry = channel.entries[head];
        let Some(deprecation) = find("olm.bundle", &entry.name.value) else {
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
        let undeprecate = scope.undeprecate_bundle(&entry.name.value);
        let finding = Finding::new(channel.anchor(entry.name.place), message)
            .channel(name)
            .bundle(&entry.name.value)
            .related(related)
            .fixes([Fix::from_op(
                format!("remove the deprecation of `{}`", entry.name.value),
                false,
                undeprecate,
            )]);
        out.report(finding);
    }
}
