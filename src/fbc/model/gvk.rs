//! Validates group, version and kind of a Kubernetes API by the API server's rules for
//! CustomResourceDefinitions.

/// Maximum length of a group.
const SUBDOMAIN: usize = 253;
/// Maximum length of a version, a kind, or a part of a group.
const LABEL: usize = 63;

/// Why this cannot be an API, in lower case without a period. `None` if it can.
///
/// Follows the rules for a CustomResourceDefinition: the group is a DNS-1123 subdomain; the version
/// and the lower-cased kind are DNS-1035 labels.
pub fn gvk_fault(group: &str, version: &str, kind: &str) -> Option<String> {
    for (name, text) in [("group", group), ("version", version), ("kind", kind)] {
        if text.is_empty() {
            return Some(format!("it has no `{name}`"));
        }
    }
    if group.len() > SUBDOMAIN
        || !group
            .split('.')
            .all(|part| is_label(part, |c| c.is_ascii_alphanumeric()))
    {
        return Some(format!(
            "`{group}` is not an API group: use lower-case letters, digits and `-` in dot-separated parts"
        ));
    }
    if !is_label(version, |c| c.is_ascii_alphabetic()) {
        return Some(format!(
            "`{version}` is not an API version: it must begin with a letter, as `v1` does"
        ));
    }
    if !is_label(&kind.to_ascii_lowercase(), |c| c.is_ascii_alphabetic()) {
        return Some(format!(
            "`{kind}` is not a kind: use letters, digits and `-`, with a letter first"
        ));
    }
    None
}

/// Lower-case letters, digits and `-`; `begins` restricts the first character.
fn is_label(text: &str, begins: impl Fn(char) -> bool) -> bool {
    let inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    text.len() <= LABEL
        && text.starts_with(begins)
        && !text.ends_with('-')
        && text.chars().all(inner)
}

#[cfg(test)]
mod tests {
    use super::gvk_fault;

    #[test]
    fn valid_and_invalid_apis() {
        for (group, version, kind) in [
            ("etcd.database.coreos.com", "v1beta2", "EtcdCluster"),
            ("k8s.io", "v1", "K8sThing"),
            ("3scale.net", "v1alpha1", "A"),
        ] {
            assert_eq!(
                gvk_fault(group, version, kind),
                None,
                "{group} {version} {kind}"
            );
        }
        for (group, version, kind, expected) in [
            ("", "v1", "K", "it has no `group`"),
            ("g.io", "", "K", "it has no `version`"),
            ("g.io", "v1", "", "it has no `kind`"),
            ("G_ROUP!", "v1", "K", "`G_ROUP!` is not an API group"),
            ("g..io", "v1", "K", "`g..io` is not an API group"),
            ("g.io", "1", "K", "`1` is not an API version"),
            ("g.io", "v1", "A Kind", "`A Kind` is not a kind"),
            ("g.io", "v1", "9K", "`9K` is not a kind"),
        ] {
            let fault = gvk_fault(group, version, kind).unwrap_or_default();
            assert!(
                fault.starts_with(expected),
                "{group} {version} {kind}: {fault}"
            );
        }
    }
}
