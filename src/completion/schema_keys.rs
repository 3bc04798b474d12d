//! The keys of each schema, and of the properties that OLM reads, each with a sentence of help. Data only.

/// The keys of a mapping. `schema` is the blob's schema, or the type of a property for keys in its `value`. `path` is
/// the path of the mapping; `*` means any depth, the value itself included.
pub struct Mapping {
    schema: &'static str,
    path: &'static str,
    keys: &'static [Key],
}

/// Name, the syntax after the key, and help.
pub type Key = (&'static str, Shape, &'static str);

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

const fn mapping(schema: &'static str, path: &'static str, keys: &'static [Key]) -> Mapping {
    Mapping { schema, path, keys }
}

/// The known keys, by mapping. Schemas with `@` are types of properties.
pub const MAPPINGS: &[Mapping] = &[
    mapping(
        "",
        "",
        &[
            (
                "schema",
                Scalar,
                "The kind of blob. Schemas other than OLM's are kept but not read.",
            ),
            ("package", Scalar, "The package that the blob belongs to."),
            (
                "name",
                Scalar,
                "The name, unique among blobs of this schema in the package.",
            ),
            (
                "properties",
                List,
                "Properties: each has a type, which determines the form of its value.",
            ),
        ],
    ),
    mapping(
        "olm.package",
        "",
        &[
            (
                "name",
                Scalar,
                "The package's name. Channels, bundles and deprecations name it.",
            ),
            (
                "defaultChannel",
                Scalar,
                "The channel that is followed when a user names none. It must exist.",
            ),
            (
                "description",
                Scalar,
                "What the operator is for, as Markdown.",
            ),
            (
                "icon",
                Map,
                "The picture that consoles show for the package.",
            ),
        ],
    ),
    mapping(
        "olm.package",
        "icon",
        &[
            (
                "base64data",
                Scalar,
                "The bytes of the picture, in base64 with padding.",
            ),
            (
                "mediatype",
                Scalar,
                "The media type of the picture, such as image/svg+xml or image/png.",
            ),
        ],
    ),
    mapping(
        "olm.channel",
        "",
        &[
            (
                "name",
                Scalar,
                "The channel's name, which subscriptions follow.",
            ),
            (
                "entries",
                List,
                "The entries of the channel. Exactly one must be its head, which nothing replaces or skips.",
            ),
        ],
    ),
    mapping(
        "olm.channel",
        "entries.[]",
        &[
            (
                "name",
                Scalar,
                "The bundle that the entry lists. The package must contain a bundle of this name.",
            ),
            (
                "replaces",
                Scalar,
                "The entry that upgrades to this one. It may be absent from the channel.",
            ),
            (
                "skips",
                List,
                "Entries that upgrade straight to this one. Nobody is upgraded to a skipped entry; a cluster that runs it can \
         still upgrade.",
            ),
            (
                "skipRange",
                Scalar,
                "Versions that upgrade straight to this entry, such as >=1.0.0 <1.3.0. They need not be in the channel, and \
         are not marked as skipped.",
            ),
        ],
    ),
    mapping(
        "olm.bundle",
        "",
        &[
            (
                "name",
                Scalar,
                "The bundle's name, as the entries of channels list it.",
            ),
            ("image", Scalar, "The bundle's image, preferably by digest."),
            (
                "relatedImages",
                List,
                "All images the operator uses, so that mirroring tools copy them.",
            ),
        ],
    ),
    mapping(
        "olm.bundle",
        "relatedImages.[]",
        &[
            ("name", Scalar, "What the image is for. It may be empty."),
            ("image", Scalar, "The image, preferably by digest."),
        ],
    ),
    mapping(
        "",
        "properties.[]",
        &[
            (
                "type",
                Scalar,
                "What the property means. Types are case-sensitive; unknown ones are kept.",
            ),
            ("value", Map, "The property's value. Required."),
        ],
    ),
    mapping(
        "olm.deprecations",
        "",
        &[
            (
                "package",
                Scalar,
                "The package whose parts are deprecated. A package has at most one such blob.",
            ),
            (
                "entries",
                List,
                "What is deprecated: the package, channels, bundles, each once.",
            ),
        ],
    ),
    mapping(
        "olm.deprecations",
        "entries.[]",
        &[
            ("reference", Map, "What is deprecated."),
            (
                "message",
                Scalar,
                "The message users see. Say what to use instead, and until when the deprecated item is supported.",
            ),
        ],
    ),
    mapping(
        "olm.deprecations",
        "entries.[].reference",
        &[
            ("schema", Scalar, "olm.package, olm.channel or olm.bundle."),
            (
                "name",
                Scalar,
                "The channel or the bundle; leave it out for the package itself.",
            ),
        ],
    ),
    mapping(
        "@olm.package",
        "",
        &[
            (
                "packageName",
                Scalar,
                "The bundle's package. It must be the one that the blob names.",
            ),
            (
                "version",
                Scalar,
                "The bundle's version, by semver. Quote what looks like a number.",
            ),
            (
                "release",
                Scalar,
                "Orders bundles of one version. Up to 20 characters; a bundle without a release comes before one that has one.",
            ),
        ],
    ),
    mapping(
        "@olm.package.required",
        "",
        &[
            ("packageName", Scalar, "The package that is needed."),
            (
                "versionRange",
                Scalar,
                "The accepted versions, such as >=1.0.0 <2.0.0.",
            ),
        ],
    ),
    mapping(
        "@olm.gvk",
        "",
        &[
            ("group", Scalar, "The API's group."),
            ("kind", Scalar, "The API's kind."),
            ("version", Scalar, "The API's version, such as v1."),
        ],
    ),
    mapping(
        "@olm.gvk.required",
        "",
        &[
            ("group", Scalar, "The group of the API that is needed."),
            ("kind", Scalar, "The kind of the API that is needed."),
            ("version", Scalar, "The version of the API that is needed."),
        ],
    ),
    mapping(
        "@olm.constraint",
        "",
        &[(
            "failureMessage",
            Scalar,
            "The message when a CEL rule is not met.",
        )],
    ),
    mapping(
        "@olm.constraint",
        "*",
        &[
            ("gvk", Map, "An API: group, version, kind."),
            ("package", Map, "A package: packageName, versionRange."),
            ("cel", Map, "A rule in CEL over the properties of a bundle."),
            (
                "all",
                Map,
                "All of these constraints, met by the same bundle.",
            ),
            ("any", Map, "At least one of these constraints."),
            ("not", Map, "None of these constraints."),
            ("constraints", List, "The constraints to combine."),
            (
                "rule",
                Scalar,
                "The rule, such as properties.exists(p, p.type == \"olm.gvk\").",
            ),
            ("packageName", Scalar, "The package that is needed."),
            (
                "versionRange",
                Scalar,
                "The accepted versions, such as >=1.0.0 <2.0.0.",
            ),
            ("group", Scalar, "The API's group."),
            ("kind", Scalar, "The API's kind."),
            ("version", Scalar, "The API's version."),
        ],
    ),
    mapping(
        "@olm.csv.metadata",
        "",
        &[
            (
                "displayName",
                Scalar,
                "The operator's name as consoles show it.",
            ),
            (
                "description",
                Scalar,
                "What the operator does, as Markdown.",
            ),
            (
                "annotations",
                Map,
                "Annotations of the bundle's manifest. All values are text.",
            ),
            (
                "labels",
                Map,
                "Labels of the bundle's manifest. All values are text.",
            ),
            ("keywords", List, "Words to find the operator by."),
            (
                "maturity",
                Scalar,
                "How mature the operator is, such as stable or alpha.",
            ),
            (
                "minKubeVersion",
                Scalar,
                "The lowest Kubernetes version it runs on.",
            ),
            (
                "installModes",
                List,
                "Which namespaces the operator can watch: its own, one, several or all.",
            ),
            ("links", List, "Links with a name and a url."),
            ("provider", Map, "Who provides the operator: name and url."),
            ("maintainers", List, "Who maintains it: name and email."),
            (
                "crdDescriptions",
                Map,
                "The custom resources that it owns and requires.",
            ),
            (
                "apiServiceDefinitions",
                Map,
                "The API services that it owns and requires.",
            ),
            ("nativeAPIs", List, "APIs of Kubernetes that it needs."),
        ],
    ),
    mapping(
        "@olm.bundle.object",
        "",
        &[("data", Scalar, "The manifest, in base64.")],
    ),
    mapping(
        "@olm.channel",
        "",
        &[
            ("channelName", Scalar, "The channel's name."),
            ("priority", Scalar, "An integer."),
        ],
    ),
];

fn keys_of(schema: &str, path: &str) -> impl Iterator<Item = &'static Key> {
    MAPPINGS
        .iter()
        .filter(move |known| known.schema == schema)
        .filter(move |known| known.path == path || known.path == "*")
        .flat_map(|known| known.keys)
}

/// Returns the keys of a mapping: first those of the schema, then those of any schema.
pub fn keys_at(schema: &str, path: &str) -> Vec<&'static Key> {
    let mut found: Vec<&Key> = match schema {
        "" => Vec::new(),
        schema => keys_of(schema, path).collect(),
    };
    let is_known = SCHEMAS.iter().any(|(known, _)| *known == schema);
    for key in keys_of("", path).filter(|_| !schema.starts_with('@')) {
        let is_new = !found.iter().any(|known| known.0 == key.0);
        let belongs = match key.0 {
            // A known schema lists these keys itself.
            "package" => schema != "olm.package" && is_new,
            "properties" => schema != "olm.deprecations",
            "name" => !is_known,
            _ => is_new,
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
        keys_at(schema, path).iter().map(|key| key.0).collect()
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
        for (name, _, help) in MAPPINGS.iter().flat_map(|known| known.keys) {
            assert!(help.ends_with('.') && help.len() < 160, "{name}");
        }
    }

    #[test]
    fn no_key_is_listed_twice() {
        let keys = MAPPINGS.iter().flat_map(|known| {
            known
                .keys
                .iter()
                .map(|key| (known.schema, known.path, key.0))
        });
        assert_eq!(keys.clone().collect::<HashSet<_>>().len(), keys.count());
    }
}
