//! The keys of each schema, and of the properties that OLM reads, each with a sentence of help. Data only.

/// A key of a mapping. `schema` is the blob's schema, or the type of a property for keys in its `value`. `path` is the
/// path of the mapping; `*` means any depth below.
pub struct Key {
    pub schema: &'static str,
    pub path: &'static str,
    pub name: &'static str,
    /// The syntax after the key.
    pub shape: Shape,
    pub help: &'static str,
}

/// The syntax of a key's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    Scalar,
    List,
    Map,
}

use Shape::{List, Map, Scalar};

/// The schemas of OLM.
pub const SCHEMAS: [(&str, &str); 4] = [
    (
        "olm.package",
        "A package: its name, default channel, description and icon.",
    ),
    (
        "olm.channel",
        "A channel: its entries and the upgrades between them.",
    ),
    (
        "olm.bundle",
        "A bundle: one version of the operator, its image and properties.",
    ),
    (
        "olm.deprecations",
        "What is deprecated in a package, and the message users see.",
    ),
];

/// The types of properties that OLM reads.
pub const TYPES: [(&str, &str); 9] = [
    (
        "olm.package",
        "The package and version of the bundle. Each bundle has exactly one.",
    ),
    ("olm.gvk", "An API that the bundle provides."),
    (
        "olm.gvk.required",
        "An API that another bundle must provide.",
    ),
    (
        "olm.package.required",
        "Another package that must be installed, in a version range.",
    ),
    (
        "olm.constraint",
        "What the bundle needs: constraints combined with all, any and not, or a CEL rule.",
    ),
    (
        "olm.maxOpenShiftVersion",
        "The last minor version of OpenShift that it runs on, such as \"4.18\".",
    ),
    (
        "olm.csv.metadata",
        "What consoles show about the bundle: texts, links, install modes, APIs.",
    ),
    (
        "olm.bundle.object",
        "A manifest of the bundle, in base64. New catalogs have olm.csv.metadata instead.",
    ),
    (
        "olm.channel",
        "An obsolete way to name a channel. Only olm.channel blobs are read.",
    ),
];

const fn key(
    schema: &'static str,
    path: &'static str,
    name: &'static str,
    shape: Shape,
    help: &'static str,
) -> Key {
    Key {
        schema,
        path,
        name,
        shape,
        help,
    }
}

pub const KEYS: &[Key] = &[
    key(
        "",
        "",
        "schema",
        Scalar,
        "The kind of blob. Schemas other than OLM's are kept but not read.",
    ),
    key(
        "",
        "",
        "package",
        Scalar,
        "The package that the blob belongs to.",
    ),
    key(
        "",
        "",
        "name",
        Scalar,
        "The name, unique among blobs of this schema in the package.",
    ),
    key(
        "",
        "",
        "properties",
        List,
        "Properties: each has a type, which determines the form of its value.",
    ),
    key(
        "olm.package",
        "",
        "name",
        Scalar,
        "The package's name. Channels, bundles and deprecations name it.",
    ),
    key(
        "olm.package",
        "",
        "defaultChannel",
        Scalar,
        "The channel that is followed when a user names none. It must exist.",
    ),
    key(
        "olm.package",
        "",
        "description",
        Scalar,
        "What the operator is for, as Markdown.",
    ),
    key(
        "olm.package",
        "",
        "icon",
        Map,
        "The picture that consoles show for the package.",
    ),
    key(
        "olm.package",
        "icon",
        "base64data",
        Scalar,
        "The bytes of the picture, in base64 with padding.",
    ),
    key(
        "olm.package",
        "icon",
        "mediatype",
        Scalar,
        "The media type of the picture, such as image/svg+xml or image/png.",
    ),
    key(
        "olm.channel",
        "",
        "name",
        Scalar,
        "The channel's name, which subscriptions follow.",
    ),
    key(
        "olm.channel",
        "",
        "entries",
        List,
        "The entries of the channel. Exactly one must be its head, which nothing replaces or skips.",
    ),
    key(
        "olm.channel",
        "entries.[]",
        "name",
        Scalar,
        "The bundle that the entry lists. The package must contain a bundle of this name.",
    ),
    key(
        "olm.channel",
        "entries.[]",
        "replaces",
        Scalar,
        "The entry that upgrades to this one. It may be absent from the channel.",
    ),
    key(
        "olm.channel",
        "entries.[]",
        "skips",
        List,
        "Entries that upgrade straight to this one. Nobody is upgraded to a skipped entry; a cluster that runs it can \
         still upgrade.",
    ),
    key(
        "olm.channel",
        "entries.[]",
        "skipRange",
        Scalar,
        "Versions that upgrade straight to this entry, such as >=1.0.0 <1.3.0. They need not be in the channel, and \
         are not marked as skipped.",
    ),
    key(
        "olm.bundle",
        "",
        "name",
        Scalar,
        "The bundle's name, as the entries of channels list it.",
    ),
    key(
        "olm.bundle",
        "",
        "image",
        Scalar,
        "The bundle's image, preferably by digest.",
    ),
    key(
        "olm.bundle",
        "",
        "relatedImages",
        List,
        "All images the operator uses, so that mirroring tools copy them.",
    ),
    key(
        "olm.bundle",
        "relatedImages.[]",
        "name",
        Scalar,
        "What the image is for. It may be empty.",
    ),
    key(
        "olm.bundle",
        "relatedImages.[]",
        "image",
        Scalar,
        "The image, preferably by digest.",
    ),
    key(
        "olm.bundle",
        "properties.[]",
        "type",
        Scalar,
        "What the property means. Types are case-sensitive; unknown ones are kept.",
    ),
    key(
        "olm.bundle",
        "properties.[]",
        "value",
        Map,
        "The property's value. Required.",
    ),
    key(
        "",
        "properties.[]",
        "type",
        Scalar,
        "What the property means. Types are case-sensitive; unknown ones are kept.",
    ),
    key(
        "",
        "properties.[]",
        "value",
        Map,
        "The property's value. Required.",
    ),
    key(
        "olm.deprecations",
        "",
        "package",
        Scalar,
        "The package whose parts are deprecated. A package has at most one such blob.",
    ),
    key(
        "olm.deprecations",
        "",
        "entries",
        List,
        "What is deprecated: the package, channels, bundles, each once.",
    ),
    key(
        "olm.deprecations",
        "entries.[]",
        "reference",
        Map,
        "What is deprecated.",
    ),
    key(
        "olm.deprecations",
        "entries.[]",
        "message",
        Scalar,
        "The message users see. Say what to use instead, and until when the deprecated item is supported.",
    ),
    key(
        "olm.deprecations",
        "entries.[].reference",
        "schema",
        Scalar,
        "olm.package, olm.channel or olm.bundle.",
    ),
    key(
        "olm.deprecations",
        "entries.[].reference",
        "name",
        Scalar,
        "The channel or the bundle; leave it out for the package itself.",
    ),
    // Keys in the values of properties, by type.
    key(
        "@olm.package",
        "",
        "packageName",
        Scalar,
        "The bundle's package. It must be the one that the blob names.",
    ),
    key(
        "@olm.package",
        "",
        "version",
        Scalar,
        "The bundle's version, by semver. Quote what looks like a number.",
    ),
    key(
        "@olm.package",
        "",
        "release",
        Scalar,
        "Orders bundles of one version. Up to 20 characters; a bundle without a release comes before one that has one.",
    ),
    key(
        "@olm.package.required",
        "",
        "packageName",
        Scalar,
        "The package that is needed.",
    ),
    key(
        "@olm.package.required",
        "",
        "versionRange",
        Scalar,
        "The accepted versions, such as >=1.0.0 <2.0.0.",
    ),
    key("@olm.gvk", "", "group", Scalar, "The API's group."),
    key("@olm.gvk", "", "kind", Scalar, "The API's kind."),
    key(
        "@olm.gvk",
        "",
        "version",
        Scalar,
        "The API's version, such as v1.",
    ),
    key(
        "@olm.gvk.required",
        "",
        "group",
        Scalar,
        "The group of the API that is needed.",
    ),
    key(
        "@olm.gvk.required",
        "",
        "kind",
        Scalar,
        "The kind of the API that is needed.",
    ),
    key(
        "@olm.gvk.required",
        "",
        "version",
        Scalar,
        "The version of the API that is needed.",
    ),
    key(
        "@olm.constraint",
        "",
        "failureMessage",
        Scalar,
        "The message when a CEL rule is not met.",
    ),
    key(
        "@olm.constraint",
        "*",
        "gvk",
        Map,
        "An API: group, version, kind.",
    ),
    key(
        "@olm.constraint",
        "*",
        "package",
        Map,
        "A package: packageName, versionRange.",
    ),
    key(
        "@olm.constraint",
        "*",
        "cel",
        Map,
        "A rule in CEL over the properties of a bundle.",
    ),
    key(
        "@olm.constraint",
        "*",
        "all",
        Map,
        "All of these constraints, met by the same bundle.",
    ),
    key(
        "@olm.constraint",
        "*",
        "any",
        Map,
        "At least one of these constraints.",
    ),
    key(
        "@olm.constraint",
        "*",
        "not",
        Map,
        "None of these constraints.",
    ),
    key(
        "@olm.constraint",
        "*",
        "constraints",
        List,
        "The constraints to combine.",
    ),
    key(
        "@olm.constraint",
        "*",
        "rule",
        Scalar,
        "The rule, such as properties.exists(p, p.type == \"olm.gvk\").",
    ),
    key(
        "@olm.constraint",
        "*",
        "packageName",
        Scalar,
        "The package that is needed.",
    ),
    key(
        "@olm.constraint",
        "*",
        "versionRange",
        Scalar,
        "The accepted versions, such as >=1.0.0 <2.0.0.",
    ),
    key("@olm.constraint", "*", "group", Scalar, "The API's group."),
    key("@olm.constraint", "*", "kind", Scalar, "The API's kind."),
    key(
        "@olm.constraint",
        "*",
        "version",
        Scalar,
        "The API's version.",
    ),
    key(
        "@olm.csv.metadata",
        "",
        "displayName",
        Scalar,
        "The operator's name as consoles show it.",
    ),
    key(
        "@olm.csv.metadata",
        "",
        "description",
        Scalar,
        "What the operator does, as Markdown.",
    ),
    key(
        "@olm.csv.metadata",
        "",
        "annotations",
        Map,
        "Annotations of the bundle's manifest. All values are text.",
    ),
    key(
        "@olm.csv.metadata",
        "",
        "labels",
        Map,
        "Labels of the bundle's manifest. All values are text.",
    ),
    key(
        "@olm.csv.metadata",
        "",
        "keywords",
        List,
        "Words to find the operator by.",
    ),
    key(
        "@olm.csv.metadata",
        "",
        "maturity",
        Scalar,
        "How mature the operator is, such as stable or alpha.",
    ),
    key(
        "@olm.csv.metadata",
        "",
        "minKubeVersion",
        Scalar,
        "The lowest Kubernetes version it runs on.",
    ),
    key(
        "@olm.csv.metadata",
        "",
        "installModes",
        List,
        "Which namespaces the operator can watch: its own, one, several or all.",
    ),
    key(
        "@olm.csv.metadata",
        "",
        "links",
        List,
        "Links with a name and a url.",
    ),
    key(
        "@olm.csv.metadata",
        "",
        "provider",
        Map,
        "Who provides the operator: name and url.",
    ),
    key(
        "@olm.csv.metadata",
        "",
        "maintainers",
        List,
        "Who maintains it: name and email.",
    ),
    key(
        "@olm.csv.metadata",
        "",
        "crdDescriptions",
        Map,
        "The custom resources that it owns and requires.",
    ),
    key(
        "@olm.csv.metadata",
        "",
        "apiServiceDefinitions",
        Map,
        "The API services that it owns and requires.",
    ),
    key(
        "@olm.csv.metadata",
        "",
        "nativeAPIs",
        List,
        "APIs of Kubernetes that it needs.",
    ),
    key(
        "@olm.bundle.object",
        "",
        "data",
        Scalar,
        "The manifest, in base64.",
    ),
    key(
        "@olm.channel",
        "",
        "channelName",
        Scalar,
        "The channel's name.",
    ),
    key("@olm.channel", "", "priority", Scalar, "An integer."),
];

/// Returns the keys of a mapping: first those of the schema, then those of any schema.
pub fn keys_at(schema: &str, path: &str) -> Vec<&'static Key> {
    let own = KEYS
        .iter()
        .filter(|key| key.schema == schema && !schema.is_empty())
        .filter(|key: &&Key| key.path == path || (key.path == "*" && !schema.is_empty()));
    let mut found: Vec<&Key> = own.collect();
    let is_known = SCHEMAS.iter().any(|(known, _)| *known == schema);
    for key in KEYS
        .iter()
        .filter(|key| key.schema.is_empty() && key.path == path && !schema.starts_with('@'))
    {
        let belongs = match key.name {
            // A known schema lists these keys itself.
            "package" => {
                schema != "olm.package" && !found.iter().any(|known| known.name == "package")
            }
            "properties" => schema != "olm.deprecations",
            "name" => !is_known,
            name => !found.iter().any(|known| known.name == name),
        };
        if belongs {
            found.push(key);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn names(schema: &str, path: &str) -> Vec<&'static str> {
        keys_at(schema, path).iter().map(|key| key.name).collect()
    }

    #[test]
    fn each_schema_has_its_keys_once() {
        assert_eq!(
            names("olm.package", ""),
            [
                "name",
                "defaultChannel",
                "description",
                "icon",
                "schema",
                "properties"
            ]
        );
        assert_eq!(
            names("olm.channel", "entries.[]"),
            ["name", "replaces", "skips", "skipRange"]
        );
        assert_eq!(
            names("olm.deprecations", ""),
            ["package", "entries", "schema"]
        );
        assert_eq!(names("olm.bundle", "properties.[]"), ["type", "value"]);
        assert_eq!(names("", ""), ["schema", "package", "name", "properties"]);
        assert_eq!(names("@olm.gvk", ""), ["group", "kind", "version"]);
        assert!(names("@olm.constraint", "all.constraints.[]").contains(&"cel"));
        assert!(names("olm.package", "entries.[]").is_empty());
        for key in KEYS {
            assert!(
                key.help.ends_with('.') && key.help.len() < 160,
                "{}",
                key.name
            );
        }
    }

    #[test]
    fn no_key_is_listed_twice() {
        let all: HashSet<_> = KEYS
            .iter()
            .map(|key| (key.schema, key.path, key.name))
            .collect();
        assert_eq!(all.len(), KEYS.len());
    }
}
