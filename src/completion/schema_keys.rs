//! The keys of each schema, and of the properties that OLM reads, each with a sentence of help.

pub struct Mapping {
    /// The blob's schema, `@` and the type of a property for its `value`, or "" for any schema.
    schema: &'static str,
    /// The mapping's path below the blob or the property's value; `*` for any depth.
    path: &'static str,
    keys: &'static [Key],
}

pub struct Key {
    pub name: &'static str,
    pub shape: Shape,
    pub help: &'static str,
}

/// A schema or a property type with its help.
pub struct Described {
    pub name: &'static str,
    pub help: &'static str,
}

/// The syntax of a key's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    Scalar,
    List,
    Map,
}

pub const SCHEMAS: [Described; 4] = [
    described(
        "olm.package",
        "A package: its name, default channel, description and icon.",
    ),
    described(
        "olm.channel",
        "A channel: its entries and the upgrades between them.",
    ),
    described(
        "olm.bundle",
        "A bundle: one version of the operator, its image and properties.",
    ),
    described(
        "olm.deprecations",
        "What is deprecated in a package, and the message users see.",
    ),
];

/// The types of properties that OLM reads.
pub const TYPES: [Described; 9] = [
    described(
        "olm.package",
        "The package and version of the bundle. Each bundle has exactly one.",
    ),
    described("olm.gvk", "An API that the bundle provides."),
    described(
        "olm.gvk.required",
        "An API that another bundle must provide.",
    ),
    described(
        "olm.package.required",
        "Another package that must be installed, in a version range.",
    ),
    described(
        "olm.constraint",
        "What the bundle needs: constraints combined with all, any and not, or a CEL rule.",
    ),
    described(
        "olm.maxOpenShiftVersion",
        "The last minor version of OpenShift that it runs on, such as \"4.18\".",
    ),
    described(
        "olm.csv.metadata",
        "What consoles show about the bundle: texts, links, install modes, APIs.",
    ),
    described(
        "olm.bundle.object",
        "A manifest of the bundle, in base64. New catalogs have olm.csv.metadata instead.",
    ),
    described(
        "olm.channel",
        "An obsolete way to name a channel. Only olm.channel blobs are read.",
    ),
];

const fn described(name: &'static str, help: &'static str) -> Described {
    Described { name, help }
}

const fn scalar(name: &'static str, help: &'static str) -> Key {
    let shape = Shape::Scalar;
    Key { name, shape, help }
}

const fn list(name: &'static str, help: &'static str) -> Key {
    let shape = Shape::List;
    Key { name, shape, help }
}

const fn map(name: &'static str, help: &'static str) -> Key {
    let shape = Shape::Map;
    Key { name, shape, help }
}

const fn mapping(schema: &'static str, path: &'static str, keys: &'static [Key]) -> Mapping {
    Mapping { schema, path, keys }
}

/// The known keys, by mapping.
pub const MAPPINGS: &[Mapping] = &[
    mapping(
        "",
        "",
        &[
            scalar(
                "schema",
                "The kind of blob. Schemas other than OLM's are kept but not read.",
            ),
            scalar("package", "The package that the blob belongs to."),
            scalar(
                "name",
                "The name, unique among blobs of this schema in the package.",
            ),
            list(
                "properties",
                "Properties: each has a type, which determines the form of its value.",
            ),
        ],
    ),
    mapping(
        "olm.package",
        "",
        &[
            scalar(
                "name",
                "The package's name. Channels, bundles and deprecations name it.",
            ),
            scalar(
                "defaultChannel",
                "The channel that Subscriptions follow if they name none. It must exist.",
            ),
            scalar("description", "What the operator is for, as Markdown."),
            map("icon", "The picture that consoles show for the package."),
        ],
    ),
    mapping(
        "olm.package",
        "icon",
        &[
            scalar(
                "base64data",
                "The bytes of the picture, in base64 with padding.",
            ),
            scalar(
                "mediatype",
                "The media type of the picture, such as image/svg+xml or image/png.",
            ),
        ],
    ),
    mapping(
        "olm.channel",
        "",
        &[
            scalar("name", "The channel's name, which subscriptions follow."),
            list(
                "entries",
                "The entries of the channel. Exactly one must be its head, which nothing replaces or skips.",
            ),
        ],
    ),
    mapping(
        "olm.channel",
        "entries.[]",
        &[
            scalar(
                "name",
                "The bundle that the entry lists. The package must contain a bundle of this name.",
            ),
            scalar(
                "replaces",
                "The previous entry, whose users upgrade to this one. The channel need not list it.",
            ),
            list(
                "skips",
                "Entries that upgrade straight to this one. Nobody is upgraded to a skipped entry; a cluster that runs it can \
         still upgrade.",
            ),
            scalar(
                "skipRange",
                "Versions that upgrade straight to this entry, such as >=1.0.0 <1.3.0. They need not be in the channel, and \
         are not marked as skipped.",
            ),
        ],
    ),
    mapping(
        "olm.bundle",
        "",
        &[
            scalar(
                "name",
                "The bundle's name, as the entries of channels list it.",
            ),
            scalar("image", "The bundle's image, preferably by digest."),
            list(
                "relatedImages",
                "All images the operator uses, so that mirroring tools copy them.",
            ),
        ],
    ),
    mapping(
        "olm.bundle",
        "relatedImages.[]",
        &[
            scalar("name", "What the image is for. It may be empty."),
            scalar("image", "The image, preferably by digest."),
        ],
    ),
    mapping(
        "",
        "properties.[]",
        &[
            scalar(
                "type",
                "What the property means. Types are case-sensitive; unknown ones are kept.",
            ),
            map("value", "The property's value. Required."),
        ],
    ),
    mapping(
        "olm.deprecations",
        "",
        &[
            scalar(
                "package",
                "The package whose parts are deprecated. A package has at most one such blob.",
            ),
            list(
                "entries",
                "What is deprecated: the package, channels, bundles, each once.",
            ),
        ],
    ),
    mapping(
        "olm.deprecations",
        "entries.[]",
        &[
            map("reference", "What is deprecated."),
            scalar(
                "message",
                "The message users see. Say what to use instead, and until when the deprecated item is supported.",
            ),
        ],
    ),
    mapping(
        "olm.deprecations",
        "entries.[].reference",
        &[
            scalar("schema", "olm.package, olm.channel or olm.bundle."),
            scalar(
                "name",
                "The channel or the bundle; leave it out for the package itself.",
            ),
        ],
    ),
    mapping(
        "@olm.package",
        "",
        &[
            scalar(
                "packageName",
                "The bundle's package. It must be the one that the blob names.",
            ),
            scalar(
                "version",
                "The bundle's version, by semver. Quote what looks like a number.",
            ),
            scalar(
                "release",
                "Orders bundles of one version. Up to 20 characters; a bundle without a release comes before one that has one.",
            ),
        ],
    ),
    mapping(
        "@olm.package.required",
        "",
        &[
            scalar("packageName", "The package that is needed."),
            scalar(
                "versionRange",
                "The accepted versions, such as >=1.0.0 <2.0.0.",
            ),
        ],
    ),
    mapping(
        "@olm.gvk",
        "",
        &[
            scalar("group", "The API's group."),
            scalar("kind", "The API's kind."),
            scalar("version", "The API's version, such as v1."),
        ],
    ),
    mapping(
        "@olm.gvk.required",
        "",
        &[
            scalar("group", "The group of the API that is needed."),
            scalar("kind", "The kind of the API that is needed."),
            scalar("version", "The version of the API that is needed."),
        ],
    ),
    mapping(
        "@olm.constraint",
        "",
        &[scalar(
            "failureMessage",
            "The message when a CEL rule is not met.",
        )],
    ),
    mapping(
        "@olm.constraint",
        "*",
        &[
            map("gvk", "An API: group, version, kind."),
            map("package", "A package: packageName, versionRange."),
            map("cel", "A rule in CEL over the properties of a bundle."),
            map("all", "All of these constraints, met by the same bundle."),
            map("any", "At least one of these constraints."),
            map("not", "None of these constraints."),
            list("constraints", "The constraints to combine."),
            scalar(
                "rule",
                "The rule, such as properties.exists(p, p.type == \"olm.gvk\").",
            ),
            scalar("packageName", "The package that is needed."),
            scalar(
                "versionRange",
                "The accepted versions, such as >=1.0.0 <2.0.0.",
            ),
            scalar("group", "The API's group."),
            scalar("kind", "The API's kind."),
            scalar("version", "The API's version."),
        ],
    ),
    mapping(
        "@olm.csv.metadata",
        "",
        &[
            scalar("displayName", "The operator's name as consoles show it."),
            scalar("description", "What the operator does, as Markdown."),
            map(
                "annotations",
                "Annotations of the bundle's manifest. All values are text.",
            ),
            map(
                "labels",
                "Labels of the bundle's manifest. All values are text.",
            ),
            list("keywords", "Words to find the operator by."),
            scalar(
                "maturity",
                "How mature the operator is, such as stable or alpha.",
            ),
            scalar(
                "minKubeVersion",
                "The lowest Kubernetes version it runs on.",
            ),
            list(
                "installModes",
                "Which namespaces the operator can watch: its own, one, several or all.",
            ),
            list("links", "Links with a name and a url."),
            map("provider", "Who provides the operator: name and url."),
            list("maintainers", "Who maintains it: name and email."),
            map(
                "crdDescriptions",
                "The custom resources that it owns and requires.",
            ),
            map(
                "apiServiceDefinitions",
                "The API services that it owns and requires.",
            ),
            list("nativeAPIs", "APIs of Kubernetes that it needs."),
        ],
    ),
    mapping(
        "@olm.bundle.object",
        "",
        &[scalar("data", "The manifest, in base64.")],
    ),
    mapping(
        "@olm.channel",
        "",
        &[
            scalar("channelName", "The channel's name."),
            scalar("priority", "An integer."),
        ],
    ),
];

/// Returns the keys of a mapping: first those of the schema, then those of any schema.
pub fn keys_at(schema: &str, path: &str) -> Vec<&'static Key> {
    let mut keys: Vec<&Key> = if schema.is_empty() {
        Vec::new()
    } else {
        listed_keys(schema, path).collect()
    };
    if schema.starts_with('@') {
        return keys;
    }
    let is_known_schema = SCHEMAS.iter().any(|known| known.name == schema);
    for key in listed_keys("", path) {
        let is_new = !keys.iter().any(|listed| listed.name == key.name);
        let belongs = match key.name {
            // A known schema lists these keys itself.
            "package" => schema != "olm.package" && is_new,
            "properties" => schema != "olm.deprecations",
            "name" => !is_known_schema,
            _ => is_new,
        };
        if belongs {
            keys.push(key);
        }
    }
    keys
}

fn listed_keys(schema: &str, path: &str) -> impl Iterator<Item = &'static Key> {
    MAPPINGS
        .iter()
        .filter(move |mapping| mapping.schema == schema)
        .filter(move |mapping| mapping.path == path || mapping.path == "*")
        .flat_map(|mapping| mapping.keys)
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
        for Key { name, help, .. } in MAPPINGS.iter().flat_map(|mapping| mapping.keys) {
            assert!(help.ends_with('.') && help.len() < 160, "{name}");
        }
    }

    #[test]
    fn no_key_is_listed_twice() {
        let keys = MAPPINGS.iter().flat_map(|mapping| {
            mapping
                .keys
                .iter()
                .map(|key| (mapping.schema, mapping.path, key.name))
        });
        assert_eq!(keys.clone().collect::<HashSet<_>>().len(), keys.count());
    }
}
