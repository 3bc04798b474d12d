//! Decodes a semver template like `opm`: strictly, with unquoted scalars converted to text.

use crate::go_text::{names_field, quote};
use crate::syntax::golang::key_float;
use crate::syntax::scalar::{self, Typed};
use crate::syntax::tree::{Format, NodeId, Tree};
use crate::syntax::{self, value};

/// The channel types of a semver template.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stream {
    Major,
    Minor,
}

/// The template's content with `opm`'s defaults.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Input {
    pub(super) major: bool,
    pub(super) minor: bool,
    pub(super) preference: Stream,
    /// Images of candidate, fast and stable.
    pub(super) images: [Vec<String>; 3],
}

/// Names of the three lists, least stable first.
pub(super) const ARCHETYPES: [&str; 3] = ["candidate", "fast", "stable"];

/// Parses the template; the error is `opm`'s.
pub(super) fn read(text: &[u8]) -> Result<Input, String> {
    let data = decode(text)?;
    if data.schema != "olm.semver" {
        return Err("readFile: input file has unknown schema, should be \"olm.semver\"".to_owned());
    }
    let (major, minor) = (data.major, data.minor || !data.major);
    let mismatch = |kind: &str| {
        format!(
            "schema attribute mismatch: DefaultChannelTypePreference set to '{kind}' doesn't make sense if not generating {kind}-version channels"
        )
    };
    let preference = match data.preference.as_str() {
        "" if minor => Stream::Minor,
        "" => Stream::Major,
        "minor" if minor => Stream::Minor,
        "major" if major => Stream::Major,
        kind @ ("minor" | "major") => return Err(mismatch(kind)),
        other => {
            let other = quote(other);
            return Err(format!(
                "unknown DefaultChannelTypePreference: {other}\nValid values are 'major' or 'minor'"
            ));
        }
    };
    Ok(Input {
        major,
        minor,
        preference,
        images: data.images,
    })
}

#[derive(Debug, Default)]
struct Data {
    schema: String,
    major: bool,
    minor: bool,
    preference: String,
    images: [Vec<String>; 3],
}

fn decode(text: &[u8]) -> Result<Data, String> {
    let tree = syntax::parse(text, Format::Yaml).map_err(|error| error.opm)?;
    value::check(&tree, text).map_err(|error| error.opm)?;
    let mut twice = Vec::new();
    if let Some(root) = tree.root() {
        keys_set_twice(&tree, text, root, 0, &mut twice);
    }
    if !twice.is_empty() {
        return Err(format!(
            "error converting YAML to JSON: yaml: unmarshal errors:\n  {}",
            twice.join("\n  ")
        ));
    }
    let mut decoder = Decoder {
        tree: &tree,
        text,
        path: Vec::new(),
        inside: "",
        refused: None,
    };
    let mut data = Data::default();
    if let Some(root) = tree.root() {
        decoder.template(root, &mut data);
    }
    match decoder.refused {
        Some(reason) => Err(format!(
            "error unmarshaling JSON: while decoding JSON: {reason}"
        )),
        None => Ok(data),
    }
}

/// Semver templates are never deeper; deeper content is refused for its type.
const DEEPEST: usize = 64;

/// Duplicate keys, in `opm`'s wording and order: those inside a value before the value's own.
fn keys_set_twice(tree: &Tree, text: &[u8], node: NodeId, depth: usize, twice: &mut Vec<String>) {
    let node = tree.resolve_alias(node);
    if depth > DEEPEST {
        return;
    }
    if tree.kind(node).is_sequence() {
        tree.children(node)
            .for_each(|item| keys_set_twice(tree, text, item, depth + 1, twice));
    }
    if !tree.kind(node).is_mapping() {
        return;
    }
    let mut seen: Vec<String> = Vec::new();
    for (key, value) in tree.pairs(node) {
        keys_set_twice(tree, text, value, depth + 1, twice);
        let spelled = format_key(tree, text, key);
        if seen.contains(&spelled) {
            let line = text[..tree.range(value).start]
                .iter()
                .filter(|&&byte| byte == b'\n')
                .count()
                + 1;
            twice.push(format!("line {line}: key {spelled} already set in map"));
        } else {
            seen.push(spelled);
        }
    }
}

/// A key in `%#v` format.
fn format_key(tree: &Tree, text: &[u8], key: NodeId) -> String {
    match scalar::resolve(tree, text, key).ok().flatten() {
        None | Some(Typed::Null) => "interface {}(nil)".to_owned(),
        Some(Typed::Bool(value)) => value.to_string(),
        Some(Typed::Int(value)) => value.to_string(),
        Some(Typed::Uint(value)) => format!("0x{value:x}"),
        Some(Typed::Float(value)) => crate::go_text::float(value),
        Some(Typed::Text(value)) => quote(&value),
    }
}

/// Decodes the template like Go and keeps its first refusal.
struct Decoder<'a> {
    tree: &'a Tree,
    text: &'a [u8],
    path: Vec<&'static str>,
    inside: &'static str,
    refused: Option<String>,
}

const TEMPLATE: [&str; 7] = [
    "schema",
    "generateMajorChannels",
    "generateMinorChannels",
    "defaultChannelTypePreference",
    "candidate",
    "fast",
    "stable",
];

impl Decoder<'_> {
    fn template(&mut self, root: NodeId, data: &mut Data) {
        self.fields(
            root,
            "SemverTemplateData",
            "semver.SemverTemplateData",
            &TEMPLATE,
            |decoder, field, value| match field {
                "schema" => decoder.string(value, "string", &mut data.schema),
                "generateMajorChannels" => decoder.truth(value, &mut data.major),
                "generateMinorChannels" => decoder.truth(value, &mut data.minor),
                "defaultChannelTypePreference" => {
                    decoder.string(value, "semver.StreamType", &mut data.preference)
                }
                name => {
                    if let Some(at) = ARCHETYPES.iter().position(|archetype| *archetype == name) {
                        decoder.archetype(value, &mut data.images[at]);
                    }
                }
            },
        );
    }

    fn archetype(&mut self, node: NodeId, images: &mut Vec<String>) {
        self.fields(
            node,
            "channelBundles",
            "semver.channelBundles",
            &["bundles"],
            |decoder, _, list| {
                let list = decoder.tree.resolve_alias(list);
                if !decoder.tree.kind(list).is_sequence() {
                    images.clear();
                    decoder.mismatch(list, "[]semver.bundleEntry");
                    return;
                }
                let items: Vec<NodeId> = decoder.tree.children(list).collect();
                *images = items.into_iter().map(|item| decoder.bundle(item)).collect();
            },
        );
    }

    fn bundle(&mut self, node: NodeId) -> String {
        let mut image = String::new();
        self.fields(
            node,
            "bundleEntry",
            "semver.bundleEntry",
            &["image"],
            |decoder, _, value| {
                decoder.string(value, "string", &mut image);
            },
        );
        image
    }

    /// Passes each field of a mapping to `take` by its proper name, in canonical order.
    fn fields(
        &mut self,
        node: NodeId,
        name: &'static str,
        go: &str,
        known: &[&'static str],
        mut take: impl FnMut(&mut Self, &'static str, NodeId),
    ) {
        let node = self.tree.resolve_alias(node);
        if !self.tree.kind(node).is_mapping() {
            self.mismatch(node, go);
            return;
        }
        let outer = self.inside;
        for entry in value::mapping_entries(self.tree, self.text, node).unwrap_or_default() {
            let exact = known.iter().find(|field| **field == entry.key);
            let Some(&field) =
                exact.or_else(|| known.iter().find(|field| names_field(&entry.key, field)))
            else {
                self.refuse(format!("json: unknown field {}", quote(&entry.key)));
                continue;
            };
            self.inside = name;
            self.path.push(field);
            take(self, field, entry.value_node);
            self.path.pop();
        }
        self.inside = outer;
    }

    /// A number or boolean becomes text if the field is a text.
    fn string(&mut self, node: NodeId, go: &str, into: &mut String) {
        match self.resolve(node) {
            Some(Typed::Null) => {}
            Some(Typed::Bool(value)) => *into = value.to_string(),
            Some(Typed::Int(value)) => *into = value.to_string(),
            Some(Typed::Uint(value)) => *into = value.to_string(),
            Some(Typed::Float(value)) => *into = key_float(value),
            Some(Typed::Text(text)) => *into = text.into_owned(),
            None => self.mismatch(node, go),
        }
    }

    fn truth(&mut self, node: NodeId, into: &mut bool) {
        match self.resolve(node) {
            Some(Typed::Null) => {}
            Some(Typed::Bool(value)) => *into = value,
            _ => self.mismatch(node, "bool"),
        }
    }

    fn resolve(&self, node: NodeId) -> Option<Typed<'_>> {
        scalar::resolve(self.tree, self.text, node).ok().flatten()
    }

    /// Refuses a value with another type than the field's; null has every type.
    fn mismatch(&mut self, node: NodeId, go: &str) {
        let kind = self.tree.kind(self.tree.resolve_alias(node));
        let found = match self.resolve(node) {
            Some(Typed::Null) => return,
            Some(typed) => typed.json_type(),
            None if kind.is_mapping() => "object",
            None => "array",
        };
        let place = match self.inside {
            "" => format!("value of type {go}"),
            name => format!("struct field {name}.{} of type {go}", self.path.join(".")),
        };
        self.refuse(format!("json: cannot unmarshal {found} into Go {place}"));
    }

    /// Go reports only the first refusal.
    fn refuse(&mut self, reason: String) {
        self.refused.get_or_insert(reason);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> String {
        read(text.as_bytes()).expect_err("it is refused")
    }

    #[test]
    fn absent_fields_have_defaults() {
        let input = read(b"schema: olm.semver\nstable: {bundles: [{image: 1.10}, {image: q/x}]}\n")
            .expect("a template");
        assert_eq!(
            (input.major, input.minor, input.preference),
            (false, true, Stream::Minor)
        );
        assert_eq!(input.images[2], ["1.1", "q/x"]);
        let input = read(b"Schema: olm.semver\nGenerateMajorChannels: yes\n").expect("a template");
        assert_eq!(
            (input.major, input.minor, input.preference),
            (true, false, Stream::Major)
        );
    }

    #[test]
    fn repeated_keys_are_refused_at_the_second_value() {
        let text = "schema: olm.semver\nfast:\n  bundles: []\nfast:\n  bundles: []\n";
        let expected = "error converting YAML to JSON: yaml: unmarshal errors:\n  line 5: key \"fast\" already set in map";
        assert_eq!(refusal(text), expected);
    }

    #[test]
    fn unexpected_content_is_refused_like_go_does() {
        let decoding = "error unmarshaling JSON: while decoding JSON: json: ";
        for (text, expected) in [
            ("schema: olm.semver\nnaem: 1\n", "unknown field \"naem\""),
            (
                "fast: {bundles: [{image: a, name: b}]}\n",
                "unknown field \"name\"",
            ),
            (
                "[1]\n",
                "cannot unmarshal array into Go value of type semver.SemverTemplateData",
            ),
            (
                "fast: 1\n",
                "cannot unmarshal number into Go struct field SemverTemplateData.fast of type semver.channelBundles",
            ),
            (
                "fast: {bundles: x}\n",
                "cannot unmarshal string into Go struct field channelBundles.fast.bundles of type []semver.bundleEntry",
            ),
            (
                "fast: {bundles: [{image: []}]}\n",
                "cannot unmarshal array into Go struct field bundleEntry.fast.bundles.image of type string",
            ),
        ] {
            assert_eq!(refusal(text), format!("{decoding}{expected}"), "{text}");
        }
        assert!(refusal("").starts_with("readFile: "));
        assert!(
            refusal("schema: olm.semver\ndefaultChannelTypePreference: Minor\n")
                .starts_with("unknown Default")
        );
    }
}
