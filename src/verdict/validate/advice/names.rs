//! Advice on names of bundles, channels and custom schemas.

use super::super::rules::prelude::*;
use catalog::model::{OtherBlob, is_dns_subdomain};
use catalog::version::version_in_name;

pub const BUNDLE_NAME_KUBERNETES: RuleDoc = RuleDoc::advice(
    "bundle-name-kubernetes",
    Severity::Warning,
    Profile::Community,
    "A bundle's name is not a valid name for a Kubernetes object.",
    "OLM Classic creates a ClusterServiceVersion with the bundle's name. The name may contain lower-case letters, \
     digits, `-` and `.`, must begin and end with a letter or digit, and may have at most 253 characters; otherwise \
     the cluster rejects it when the operator is installed.",
    "Name the bundle and the ClusterServiceVersion in its image as Kubernetes allows, usually `PACKAGE.vVERSION`; write \
     `-` for the `+` of a version.",
)
.bad(examples![
    "schema: olm.package\nname: etcd\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: etcd\nname: \
     stable\nentries:\n- name: etcd_v1.0.0\n---\nschema: olm.bundle\npackage: etcd\nname: etcd_v1.0.0\nimage: \
     quay.io/example/etcd:v1\nproperties:\n- type: olm.package\n  value:\n    packageName: etcd\n    version: 1.0.0\n",
])
.good(examples![stable!("- name: etcd.v1.0.0-rc.1"; "1.0.0-rc.1")]);

pub fn check_bundle_name_kubernetes(_: &Scope<'_>, bundle: &BundleBlob, out: &mut Findings) {
    let name = &bundle.name.value;
    if name.is_empty() || is_dns_subdomain(name) {
        return;
    }
    let message = format!("bundle name `{name}` is not a valid name for a ClusterServiceVersion");
    out.report(out.finding(bundle.name.place, message));
}

pub const CHANNEL_NAME_KUBERNETES: RuleDoc = RuleDoc::advice(
    "channel-name-kubernetes",
    Severity::Warning,
    Profile::Community,
    "A channel's name cannot be used in a ClusterExtension.",
    "OLM v1 accepts only channel names of lower-case letters, digits, `-` and `.` that begin and end with a letter or \
     digit, up to 253 characters; the cluster refuses a ClusterExtension with any other. A Subscription of OLM \
     Classic can still use it.",
    "Give new channels names that Kubernetes accepts. A published channel has subscribers: add one with a better name \
     beside it, and deprecate the old one.",
)
.in_templates()
.bad(examples![concat!(
    package!("etcd", "Stable_v1"),
    channel!("etcd", "Stable_v1", "- name: etcd.v1.0.0"),
    bundle!("etcd", "1.0.0"),
)])
.good(examples![concat!(
    package!("etcd", "stable-v1.0"),
    channel!("etcd", "stable-v1.0", "- name: etcd.v1.0.0"),
    bundle!("etcd", "1.0.0"),
)]);

pub fn check_channel_name_kubernetes(_: &Scope<'_>, channel: &ChannelBlob, out: &mut Findings) {
    let name = &channel.name.value;
    if name.is_empty() || is_dns_subdomain(name) {
        return;
    }
    let message = format!("channel name `{name}` cannot be used under OLM v1");
    out.report(out.finding(channel.name.place, message));
}

pub const CUSTOM_SCHEMA_NAME: RuleDoc = RuleDoc::advice(
    "custom-schema-name",
    Severity::Warning,
    Profile::Community,
    "The `schema` or the `package` of a blob cannot be a key of the catalog image's cache.",
    "`opm validate` accepts the blob, but `opm serve --cache-only` fails on it since v1.69.0, and every generated \
     Dockerfile runs that command. Both names must begin with a letter or a digit and go on with letters, digits, dots, \
     underscores and hyphens.",
    "Rename the schema or the package, or move the blob out of the catalog's folder.",
)
.bad(examples![concat!(etcd!(), "---\nschema: example.com/notes\npackage: etcd\n"),
    concat!(etcd!(), "---\nschema: example.com.notes\npackage: ../etcd\n")])
.good(examples![concat!(
    etcd!(),
    "---\nschema: example.com.notes\npackage: etcd\n---\nschema: example_2-notes\n"
)]);

pub fn check_custom_schema_name(scope: &Scope<'_>, out: &mut Findings) {
    for (nth, blob) in (0..).zip(&scope.package.others) {
        if let Some((message, place)) = custom_schema_problem(blob) {
            out.report(Finding::new(
                Anchor::new(BlobRef::Other(nth), place),
                message,
            ));
        }
    }
}

/// Returns the message about a blob and the position of the wrong name. Like `opm`, checks the
/// schema first.
pub fn custom_schema_problem(blob: &OtherBlob) -> Option<(String, Place)> {
    let (schema, package) = (&blob.schema, &blob.package);
    // `opm` refuses a blob without a schema; see `blob-missing-schema`.
    if schema.is_empty() {
        return None;
    }
    let (field, name) = if !is_cache_key(schema.as_str()) {
        ("schema", schema)
    } else if !package.is_empty() && !is_cache_key(package.as_str()) {
        ("package", package)
    } else {
        return None;
    };
    let message = format!(
        "the catalog image cannot be built: its cache accepts no {field} `{}`",
        name.value
    );
    Some((message, name.place))
}

fn is_cache_key(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'))
}

pub const VERSION_NAME_MISMATCH: RuleDoc = RuleDoc::advice(
    "version-name-mismatch",
    Severity::Warning,
    Profile::Community,
    "A bundle's name ends with a version that is not the bundle's own.",
    "OLM goes by the version in the `olm.package` property; people, `replaces` and `skips` go by the name. When the two \
     differ, one of them was probably not updated for a release.",
    "Name the bundle after its version, or correct the version. Do not rename a bundle that is already published.",
)
.bad(examples![stable_text!("- name: etcd.v1.1.0"; "---\nschema: olm.bundle\npackage: etcd\nname: etcd.v1.1.0\nimage: quay.io/example/etcd:v1.1.0\nproperties:\n", "- type: olm.package\n  value:\n    packageName: etcd\n    version: 1.0.0\n")])
.good(examples![stable_text!("- name: etcd.v1.1.0-2"; "---\nschema: olm.bundle\npackage: etcd\nname: etcd.v1.1.0-2\nimage: quay.io/example/etcd:v1.1.0\nproperties:\n", "- type: olm.package\n  value:\n    packageName: etcd\n    version: 1.1.0+2\n")]);

pub fn check_version_name_mismatch(_: &Scope<'_>, bundle: &BundleBlob, out: &mut Findings) {
    let Some(version) = bundle
        .package_properties
        .first()
        .map(|p| &p.version)
        .filter(|v| !v.is_empty())
    else {
        return;
    };
    let name = &bundle.name.value;
    let Some((_, version_of_name)) = version_in_name(name) else {
        return;
    };
    let (version_of_name, is) = (
        to_plain_name(&version_of_name.to_string()),
        to_plain_name(version.as_str()),
    );
    let one_begins_the_other = version_of_name.starts_with(&is) || is.starts_with(&version_of_name);
    if core_of_version(&version_of_name) == core_of_version(&is) && one_begins_the_other {
        return;
    }
    let message = format!("bundle `{name}` has version {}", version.value);
    out.report(out.finding(version.place, message));
}

fn core_of_version(text: &str) -> String {
    text.split('-').next().unwrap_or_default().to_owned()
}

/// Replaces `+` and `_` by dashes and lowercases the text: a name cannot contain `+`.
fn to_plain_name(text: &str) -> String {
    text.replace(['+', '_'], "-").to_ascii_lowercase()
}
