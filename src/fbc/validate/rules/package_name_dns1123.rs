//! `package-name-dns1123`: a package name that is not a DNS label. `opm`: `invalid package name
//! "P": [..]`. Kubernetes creates objects named after the package; the name must be a label of at
//! most 63 bytes.

use super::prelude::*;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::opm(
    "package-name-dns1123",
    "invalid package name %q: [...]",
    "A package's name is not a DNS label (RFC 1123).",
    "Objects in the cluster are named after the package, and their names allow only `a-z`, `0-9` and `-`, up to 63 characters.",
    "Give the package a name of lower-case letters, digits and dashes that begins and ends with a letter or digit.",
)
.in_templates()
.bad(&[Example::Catalog(concat!(package!("Etcd_Operator", "stable"), channel!("Etcd_Operator", "stable", "- name: etcd.v1.0.0"), "---\nschema: olm.bundle\npackage: Etcd_Operator\nname: etcd.v1.0.0\nimage: quay.io/example/etcd:v1\nproperties:\n- type: olm.package\n  value:\n    packageName: Etcd_Operator\n    version: 1.0.0\n"))])
.good(&[Example::Catalog(concat!(package!("etcd-operator", "stable"), channel!("etcd-operator", "stable", "- name: etcd-operator.v1.0.0"), bundle!("etcd-operator", "1.0.0")))]);

const NOT_A_LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must \
    start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is \
    '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

pub(in crate::validate) fn check(scope: &Scope<'_>, out: &mut Findings) {
    for (nth, package) in scope.package.packages.iter().enumerate() {
        let name = package.name.as_str();
        let problems = problems(name);
        if name.is_empty() || problems.is_empty() {
            continue;
        }
        out.nth = nth as u32;
        let finding = Finding::new(
            out.here(package.name.place),
            format!("`{name}` is not a valid package name"),
        )
        .help(DOC.fix);
        // The reference prints the problems as a Go list: separated by blanks, without quotes.
        out.refuse(
            format!(
                "invalid package name {}: [{}]",
                quote(name),
                problems.join(" ")
            ),
            finding,
        );
    }
}

fn problems(name: &str) -> Vec<&'static str> {
    let mut problems = Vec::new();
    if name.len() > 63 {
        problems.push("must be no more than 63 characters");
    }
    if !is_label(name) {
        problems.push(if is_subdomain(name) {
            "must not contain dots"
        } else {
            NOT_A_LABEL
        });
    }
    problems
}

/// Whether the name is a DNS subdomain (RFC 1123), as required for most Kubernetes objects.
pub(in crate::validate) fn is_subdomain(name: &str) -> bool {
    name.len() <= 253 && name.split('.').all(is_label)
}

fn is_label(text: &str) -> bool {
    let allowed = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    !text.is_empty() && text.bytes().all(allowed) && !text.starts_with('-') && !text.ends_with('-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels() {
        for good in ["a", "my-operator", "3scale", "a--b"] {
            assert!(problems(good).is_empty(), "{good}");
        }
        assert_eq!(problems("a.b"), ["must not contain dots"]);
        assert_eq!(problems("A"), [NOT_A_LABEL]);
        assert_eq!(problems("-a"), [NOT_A_LABEL]);
        assert_eq!(problems(&"a".repeat(64)).len(), 1);
        assert_eq!(problems(&"A".repeat(64)).len(), 2);
    }
}
