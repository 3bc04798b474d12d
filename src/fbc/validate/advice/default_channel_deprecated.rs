//! `default-channel-deprecated`: users who install without choosing get a channel that will be removed.

use super::super::rules::prelude::*;
use crate::hashed::HashSet;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::advice(
    "default-channel-deprecated",
    Severity::Warning,
    Profile::Community,
    "The default channel is deprecated, but the package is not.",
    "Anyone who installs without choosing a channel gets this one, along with a warning not to use it.",
    "Set a channel that is not deprecated as the default, or deprecate the package if there is none.",
)
.in_templates()
.for_supported_packages()
.bad(&[Example::Catalog(concat!(
    package!("etcd", "alpha"),
    channel!("etcd", "alpha", "- name: etcd.v1.0.0"),
    channel!("etcd", "stable", "- name: etcd.v1.0.0"),
    bundle!("etcd", "1.0.0"),
    "---\nschema: olm.deprecations\npackage: etcd\nentries:\n- reference:\n    schema: olm.channel\n    name: alpha\n",
    "  message: alpha ends with version 2; use stable\n",
))])
.good(&[Example::Catalog(concat!(
    package!("etcd", "stable"),
    channel!("etcd", "alpha", "- name: etcd.v1.0.0"),
    channel!("etcd", "stable", "- name: etcd.v1.0.0"),
    bundle!("etcd", "1.0.0"),
    "---\nschema: olm.deprecations\npackage: etcd\nentries:\n- reference:\n    schema: olm.channel\n    name: alpha\n",
    "  message: alpha ends with version 2; use stable\n",
))]);

pub(in crate::validate) fn check(scope: &Scope<'_>, out: &mut Findings) {
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
        .filter_map(|mut fix| match &fix.ops[..] {
            [EditOp::SetDefaultChannel { channel, .. }]
                if !deprecated.contains(channel.as_str()) =>
            {
                fix.safe = false;
                Some(fix)
            }
            _ => None,
        });
    let message = format!("the default channel `{name}` is deprecated");
    let at = Anchor::new(BlobRef::Package(0), package.default_channel.place);
    out.report(
        Finding::new(at, message)
            .help(DOC.fix)
            .channel(name)
            .fixes(fixes),
    );
}
