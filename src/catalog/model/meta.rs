//! Rules for blobs of any schema: an object, no keys that differ only in case, and text for schema,
//! package and name (`opm-semantics` 1.5). Also the rules for the names of APIs.

use super::blob::Fault;
use super::load_rule;
use super::lowering::add_quotes;
use super::view::{JsonKind, View};
use std::borrow::Cow;
use std::collections::BTreeMap;
use syntax::go_text::{fold, quote};
use syntax::place::Place;
use syntax::tree::{Format, NodeId};
use syntax::value::{self, MapEntry};

/// Maximum length of an API group, in bytes.
const MAX_SUBDOMAIN_LEN: usize = 253;
/// Maximum length of a version, a kind, or a part of a group, in bytes.
const MAX_LABEL_LEN: usize = 63;

/// A file of a bundle's `metadata` folder that authors copy into catalogs by mistake.
struct BundleFile {
    /// Beginning of its canonical JSON.
    prefix: &'static str,
    message: &'static str,
    help: &'static str,
}

const BUNDLE_FILES: [BundleFile; 3] = [
    BundleFile {
        prefix: "{\"dependencies\":[",
        message: "this is the `dependencies.yaml` of a bundle, not a blob",
        help: "`opm render` reads it from the bundle's `metadata` folder; in a catalog each \
               dependency is a property of the bundle: `olm.package.required` with `packageName` \
               and `versionRange`, or `olm.gvk.required`; list the file in `.indexignore`",
    },
    BundleFile {
        prefix: "{\"properties\":[",
        message: "this is the `properties.yaml` of a bundle, not a blob",
        help: "`opm render` reads it from the bundle's `metadata` folder; in a catalog the \
               properties are in the `olm.bundle` blob; list the file in `.indexignore`",
    },
    BundleFile {
        prefix: "{\"annotations\":{\"operators.operatorframework.io",
        message: "this is the `annotations.yaml` of a bundle, not a blob",
        help: "a bundle directory is not part of a catalog: `switchyard render` creates its blob; \
               list the file in `.indexignore`",
    },
];

/// Finds the first blob rule that a document breaks while `opm` decodes it. Does not look for a
/// missing schema, which `opm` finds later.
pub fn find_fault(
    view: &View<'_>,
    blob: NodeId,
    entries: &[MapEntry<'_>],
    format: Format,
) -> Option<Fault> {
    if view.kind(blob) != JsonKind::Object {
        let opm = if view.tree.root() == Some(blob) {
            value::not_a_mapping(view.tree, view.text)?
        } else {
            // `opm` reports nothing about blobs inside a document.
            String::new()
        };
        return Some(Fault {
            rule: Cow::Borrowed(load_rule::BLOB_NOT_OBJECT),
            opm,
            message: format!(
                "this is {}, but a blob must be an object",
                describe_kind(view.kind(blob))
            ),
            help: "write an object with a `schema`, or list the file in `.indexignore`".to_owned(),
            place: view.place(blob),
            correction: None,
        });
    }
    let prefix = match format {
        Format::Yaml => "error unmarshaling JSON: while decoding JSON: ",
        Format::Json => "",
    };
    find_folded_duplicates(view, entries, prefix)
        .or_else(|| find_non_string_meta(view, entries, prefix))
}

fn describe_kind(kind: JsonKind) -> &'static str {
    match kind {
        JsonKind::Null => "null",
        JsonKind::Bool => "a boolean",
        JsonKind::Number => "a number",
        JsonKind::String => "a string",
        JsonKind::Array => "a list",
        JsonKind::Object => "an object",
    }
}

fn find_folded_duplicates(
    view: &View<'_>,
    entries: &[MapEntry<'_>],
    prefix: &str,
) -> Option<Fault> {
    let mut spellings: BTreeMap<String, Vec<&MapEntry<'_>>> = BTreeMap::new();
    for entry in entries {
        spellings.entry(fold(&entry.key)).or_default().push(entry);
    }
    let duplicated: Vec<_> = spellings
        .iter()
        .filter(|(_, keys)| keys.len() > 1)
        .collect();
    let (_, keys) = duplicated.first()?;
    let messages: Vec<String> = duplicated
        .iter()
        .map(|(folded, keys)| {
            let keys: Vec<&str> = keys.iter().map(|e| &*e.key).collect();
            format!(
                "duplicate keys for key {}: [{}]",
                quote(folded),
                keys.join(" ")
            )
        })
        .collect();
    let opm = match &messages[..] {
        [one] => format!("{prefix}{one}"),
        _ => format!("{prefix}[{}]", messages.join(", ")),
    };
    Some(Fault {
        rule: Cow::Borrowed(load_rule::BLOB_DUPLICATE_FOLDED_KEY),
        opm,
        message: format!(
            "keys `{}` and `{}` differ only in case",
            keys[0].key, keys[1].key
        ),
        help: "remove one of them".to_owned(),
        place: view.place(keys[1].key_node),
        correction: None,
    })
}

fn find_non_string_meta(view: &View<'_>, entries: &[MapEntry<'_>], prefix: &str) -> Option<Fault> {
    let entry = ["schema", "package", "name"].iter().find_map(|name| {
        let entry = entries.iter().find(|e| fold(&e.key) == *name)?;
        (view.kind(entry.value_node) != JsonKind::String).then_some(entry)
    })?;
    let printed = value::format_as_bool_and_value(view.tree, view.text, entry.value_node);
    let help = match view.kind(entry.value_node) {
        JsonKind::Null => format!("write the {}", fold(&entry.key)),
        JsonKind::Array | JsonKind::Object => format!("write the {} as a text", fold(&entry.key)),
        _ if view.tree.node(entry.value_node).has_properties => {
            "remove the tag and put the value in quotes".to_owned()
        }
        _ => "put the value in quotes".to_owned(),
    };
    Some(Fault {
        rule: Cow::Borrowed(load_rule::BLOB_META_NOT_STRING),
        opm: format!(
            "{prefix}expected value for key {} to be a string, got {printed}",
            quote(&entry.key)
        ),
        message: format!(
            "`{}` is {}, but must be a string",
            entry.key,
            describe_kind(view.kind(entry.value_node))
        ),
        help,
        place: view.place(entry.value_node),
        correction: add_quotes(view, entry.value_node).map(Box::new),
    })
}

/// Creates the fault `object '...' is missing root schema field`.
pub fn missing_schema(canonical: &str, place: Place) -> Fault {
    let (message, help) = if canonical.is_empty() {
        (
            "an empty document has no `schema`",
            "remove the extra `---`, or what comes before the first `---`",
        )
    } else if let Some(file) = BUNDLE_FILES
        .iter()
        .find(|file| canonical.starts_with(file.prefix))
    {
        (file.message, file.help)
    } else {
        (
            "an object has no `schema`",
            "write its `schema`, or list the file in `.indexignore`",
        )
    };
    let newline = if canonical.is_empty() { "" } else { "\n" };
    Fault {
        rule: Cow::Borrowed(load_rule::BLOB_MISSING_SCHEMA),
        opm: format!("object '{canonical}{newline}' is missing root schema field"),
        message: message.to_owned(),
        help: help.to_owned(),
        place,
        correction: None,
    }
}

/// Explains why this cannot be an API, in lower case without a period. `None` if it can.
///
/// Follows the rules for a CustomResourceDefinition: the group is a DNS-1123 subdomain; the version
/// and the lower-cased kind are DNS-1035 labels.
pub fn gvk_fault(group: &str, version: &str, kind: &str) -> Option<String> {
    for (name, text) in [("group", group), ("version", version), ("kind", kind)] {
        if text.is_empty() {
            return Some(format!("it has no `{name}`"));
        }
    }
    let is_label = |text: &str| is_dns_label(text) && text.len() <= MAX_LABEL_LEN;
    let is_name = |text: &str| is_label(text) && text.starts_with(|c: char| c.is_alphabetic());
    if group.len() > MAX_SUBDOMAIN_LEN || !group.split('.').all(is_label) {
        return Some(format!(
            "`{group}` is not an API group: use lower-case letters, digits and `-` in dot-separated parts"
        ));
    }
    if !is_name(version) {
        return Some(format!(
            "`{version}` is not an API version: it must begin with a letter, as `v1` does"
        ));
    }
    if !is_name(&kind.to_ascii_lowercase()) {
        return Some(format!(
            "`{kind}` is not a kind: use letters, digits and `-`, with a letter first"
        ));
    }
    None
}

/// Whether the text is a DNS subdomain (RFC 1123), as required for most Kubernetes objects.
pub fn is_dns_subdomain(name: &str) -> bool {
    name.len() <= MAX_SUBDOMAIN_LEN && name.split('.').all(is_dns_label)
}

/// Whether the text is a DNS label (RFC 1123), of any length.
pub fn is_dns_label(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && !text.ends_with('-')
        && text
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
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
