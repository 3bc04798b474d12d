//! Rules about `olm.package` blobs.

use super::prelude::*;
use catalog::model::{is_dns_label, is_dns_subdomain};

pub const PACKAGE_NO_NAME: RuleDoc = RuleDoc::opm(
    "package-no-name",
    "config contains package with no name",
    "An `olm.package` blob has no `name`.",
    "Channels and bundles belong to a package by its name, so a package without a name cannot have any.",
    "Write the package's `name`, or remove the blob.",
)
.in_templates()
.bad(examples![catalog!("---\nschema: olm.package\ndefaultChannel: stable\n")])
.good(examples![catalog!()]);

pub fn check_package_no_name(scope: &Scope<'_>, out: &mut Findings) {
    for (nth, package) in scope.package.packages.iter().enumerate() {
        if package.name.is_empty() {
            out.nth = nth as u32;
            let at = out.here(package.name.place);
            out.refuse(
                PACKAGE_NO_NAME.opm_message.to_owned(),
                Finding::new(at, "a package has no name"),
            );
        }
    }
}

pub const PACKAGE_DUPLICATE: RuleDoc = RuleDoc::opm(
    "package-duplicate",
    "duplicate package %q",
    "A package is defined by more than one `olm.package` blob.",
    "A catalog may define each package only once. A folder with a catalog for each OCP version is not a catalog itself.",
    "Remove all but one of the blobs, or validate each catalog folder by itself.",
)
.in_templates()
.bad(examples![catalog!("---\n", package!("etcd", "stable"))])
.good(examples![catalog!()]);

pub fn check_package_duplicate(scope: &Scope<'_>, out: &mut Findings) {
    for (nth, package) in scope.package.packages.iter().enumerate().skip(1) {
        if package.name.is_empty() {
            continue;
        }
        out.nth = nth as u32;
        let first = Anchor::new(BlobRef::Package(0), scope.package.packages[0].name.place);
        let finding = out
            .finding(
                package.name.place,
                format!("package `{}` is defined again", package.name.value),
            )
            .related([("first defined here".to_owned(), first)]);
        out.refuse(
            format!("duplicate package {}", quote(&package.name.value)),
            finding,
        );
    }
}

pub const PACKAGE_NAME_DNS1123: RuleDoc = RuleDoc::opm(
    "package-name-dns1123",
    "invalid package name %q: [...]",
    "A package's name is not a DNS label (RFC 1123).",
    "Objects in the cluster are named after the package, and their names allow only `a-z`, `0-9` and `-`, up to 63 characters.",
    "Give the package a name of lower-case letters, digits and dashes that begins and ends with a letter or digit.",
)
.in_templates()
.bad(examples![concat!(package!("Etcd_Operator", "stable"), channel!("Etcd_Operator", "stable", "- name: etcd.v1.0.0"), "---\nschema: olm.bundle\npackage: Etcd_Operator\nname: etcd.v1.0.0\nimage: quay.io/example/etcd:v1\nproperties:\n- type: olm.package\n  value:\n    packageName: Etcd_Operator\n    version: 1.0.0\n")])
.good(examples![concat!(package!("etcd-operator", "stable"), channel!("etcd-operator", "stable", "- name: etcd-operator.v1.0.0"), bundle!("etcd-operator", "1.0.0"))]);

/// Maximum length of a DNS label (RFC 1123), in bytes.
const MAX_LABEL_LENGTH: usize = 63;
/// The message of Kubernetes' validation.
const NOT_A_LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must \
    start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is \
    '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

pub fn check_package_name_dns1123(scope: &Scope<'_>, out: &mut Findings) {
    for (nth, package) in scope.package.packages.iter().enumerate() {
        let name = package.name.as_str();
        let label_problems = label_problems(name);
        if name.is_empty() || label_problems.is_empty() {
            continue;
        }
        out.nth = nth as u32;
        let finding = out.finding(
            package.name.place,
            format!("`{name}` is not a valid package name"),
        );
        // `opm` prints the problems as a Go list: separated by blanks, without quotes.
        out.refuse(
            format!(
                "invalid package name {}: [{}]",
                quote(name),
                label_problems.join(" ")
            ),
            finding,
        );
    }
}

fn label_problems(name: &str) -> Vec<&'static str> {
    let mut label_problems = Vec::new();
    if name.len() > MAX_LABEL_LENGTH {
        label_problems.push("must be no more than 63 characters");
    }
    if !is_dns_label(name) {
        label_problems.push(if is_dns_subdomain(name) {
            "must not contain dots"
        } else {
            NOT_A_LABEL
        });
    }
    label_problems
}

pub const PACKAGE_NO_CHANNELS: RuleDoc = RuleDoc::opm(
    "package-no-channels",
    "package must contain at least one channel",
    "A package has no channel.",
    "Users can install bundles only through channels, so a package without one offers nothing.",
    "Add an `olm.channel` blob for the package, or remove the package.",
)
.misses(Missing::Channels)
.in_templates()
.bad(examples!["schema: olm.package\nname: etcd\n"])
.good(examples![catalog!()]);

pub fn check_package_no_channels(scope: &Scope<'_>, out: &mut Findings) {
    if scope.channels.is_empty() && scope.missing_default_channel().is_none() {
        let at = Anchor::new(BlobRef::Package(0), scope.package.packages[0].name.place);
        let message = format!("package `{}` has no channels", scope.package.name);
        out.fail(PACKAGE_NO_CHANNELS.opm_message, Finding::new(at, message));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels() {
        for good in ["a", "my-operator", "3scale", "a--b"] {
            assert!(label_problems(good).is_empty(), "{good}");
        }
        assert_eq!(label_problems("a.b"), ["must not contain dots"]);
        assert_eq!(label_problems("A"), [NOT_A_LABEL]);
        assert_eq!(label_problems("-a"), [NOT_A_LABEL]);
        assert_eq!(label_problems(&"a".repeat(64)).len(), 1);
        assert_eq!(label_problems(&"A".repeat(64)).len(), 2);
    }
}
