//! Semver templates: decoded like `opm`, strictly and with unquoted scalars converted to text, and
//! turned into channels (`opm-semantics` 4.3).

use super::entries::{Bundle, Rendered, Source};
use super::facts;
use catalog::version::Version;
use serde_json::{Value, json};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use syntax::go_text::{format_float, format_key_float, names_field, quote};
use syntax::order::SortSmall;
use syntax::scalar::{self, Typed};
use syntax::tree::{Format, NodeId, Tree};
use syntax::{self, base64, value};

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
pub(crate) const ARCHETYPES: [&str; 3] = ["candidate", "fast", "stable"];

/// Semver templates are never deeper; deeper content is refused for its type.
const MAX_DEPTH: usize = 64;

/// Fields of a semver template in their usual order.
pub(crate) const FIELDS: [&str; 7] = [
    "schema",
    "generateMajorChannels",
    "generateMinorChannels",
    "defaultChannelTypePreference",
    "candidate",
    "fast",
    "stable",
];

/// Parses the template; the error is `opm`'s.
pub(super) fn read(text: &[u8]) -> Result<Input, String> {
    let data = decode(text)?;
    if data.schema != "olm.semver" {
        return Err("readFile: input file has unknown schema, should be \"olm.semver\"".to_owned());
    }
    let (major, minor) = (data.major, data.minor || !data.major);
    let preference = match data.preference.as_str() {
        "" if minor => Stream::Minor,
        "" => Stream::Major,
        "minor" if minor => Stream::Minor,
        "major" if major => Stream::Major,
        kind @ ("minor" | "major") => return Err(type_mismatch(kind)),
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

fn type_mismatch(kind: &str) -> String {
    format!(
        "schema attribute mismatch: DefaultChannelTypePreference set to '{kind}' doesn't make sense if not generating {kind}-version channels"
    )
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
    let mut duplicates = Vec::new();
    if let Some(root) = tree.root() {
        collect_duplicate_keys(&tree, text, root, 0, &mut duplicates);
    }
    if !duplicates.is_empty() {
        return Err(format!(
            "error converting YAML to JSON: yaml: unmarshal errors:\n  {}",
            duplicates.join("\n  ")
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

/// Collects duplicate keys, in `opm`'s wording and order: those inside a value before the value's
/// own.
fn collect_duplicate_keys(
    tree: &Tree,
    text: &[u8],
    node: NodeId,
    depth: usize,
    duplicates: &mut Vec<String>,
) {
    let node = tree.resolve_alias(node);
    if depth > MAX_DEPTH {
        return;
    }
    if tree.kind(node).is_sequence() {
        tree.children(node)
            .for_each(|item| collect_duplicate_keys(tree, text, item, depth + 1, duplicates));
    }
    if !tree.kind(node).is_mapping() {
        return;
    }
    let mut seen: Vec<String> = Vec::new();
    for (key, value) in tree.pairs(node) {
        collect_duplicate_keys(tree, text, value, depth + 1, duplicates);
        let spelled = format_key(tree, text, key);
        if seen.contains(&spelled) {
            let before = &text[..tree.range(value).start];
            let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
            duplicates.push(format!("line {line}: key {spelled} already set in map"));
        } else {
            seen.push(spelled);
        }
    }
}

/// Formats a key like Go's `%#v`.
fn format_key(tree: &Tree, text: &[u8], key: NodeId) -> String {
    match scalar::resolve(tree, text, key).ok().flatten() {
        None | Some(Typed::Null) => "interface {}(nil)".to_owned(),
        Some(Typed::Bool(value)) => value.to_string(),
        Some(Typed::Int(value)) => value.to_string(),
        Some(Typed::Uint(value)) => format!("0x{value:x}"),
        Some(Typed::Float(value)) => format_float(value),
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

impl Decoder<'_> {
    fn template(&mut self, root: NodeId, data: &mut Data) {
        self.fields(
            root,
            "SemverTemplateData",
            "semver.SemverTemplateData",
            &FIELDS,
            |decoder, field, value| match field {
                "schema" => decoder.string(value, "string", &mut data.schema),
                "generateMajorChannels" => decoder.boolean(value, &mut data.major),
                "generateMinorChannels" => decoder.boolean(value, &mut data.minor),
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

    /// Passes each field of a mapping to `decode` by its proper name, in canonical order.
    fn fields(
        &mut self,
        node: NodeId,
        name: &'static str,
        go: &str,
        known: &[&'static str],
        mut decode: impl FnMut(&mut Self, &'static str, NodeId),
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
            decode(self, field, entry.value_node);
            self.path.pop();
        }
        self.inside = outer;
    }

    /// Reads a text field; a number or boolean becomes text.
    fn string(&mut self, node: NodeId, go: &str, into: &mut String) {
        match self.resolve(node) {
            Some(Typed::Null) => {}
            Some(Typed::Bool(value)) => *into = value.to_string(),
            Some(Typed::Int(value)) => *into = value.to_string(),
            Some(Typed::Uint(value)) => *into = value.to_string(),
            Some(Typed::Float(value)) => *into = format_key_float(value),
            Some(Typed::Text(text)) => *into = text.into_owned(),
            None => self.mismatch(node, go),
        }
    }

    fn boolean(&mut self, node: NodeId, into: &mut bool) {
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

    /// Records a refusal if it is the first; Go reports no others.
    fn refuse(&mut self, reason: String) {
        self.refused.get_or_insert(reason);
    }
}

/// A bundle in a list.
#[derive(Debug, Clone)]
struct Member {
    name: String,
    version: Version,
}

/// What `opm` reports if no bundle of a semver template is known.
pub const NO_BUNDLES: &str = "render: no bundles specified or no bundles could be rendered";

pub(super) fn render(text: &[u8], source: &mut Source<'_>) -> Result<Rendered, String> {
    let input = read(text).map_err(|error| format!("render: unable to read file: {error}"))?;
    let mut images: Vec<&String> = Vec::new();
    for image in input.images.iter().flatten() {
        if !images.contains(&image) {
            images.push(image);
        }
    }
    let mut bundles: HashMap<&str, Bundle> = HashMap::new();
    let mut order = Vec::new();
    for image in images {
        if let Some(bundle) = source.bundle(image)? {
            order.push(image.as_str());
            bundles.insert(image, bundle);
        }
    }
    if bundles.is_empty() {
        return Err(NO_BUNDLES.to_owned());
    }
    let mut package = None;
    let mut members = Vec::new();
    for images in &input.images {
        let listed = images
            .iter()
            .filter_map(|image| bundles.get(image.as_str()));
        let sorted = sort_list(listed, &mut package)
            .map_err(|error| format!("render: unable to post-process bundle info: {error}"))?;
        members.push(sorted);
    }
    let package = package.unwrap_or_default();
    let channels = Channels::new(&input, &members);
    let bundles: Vec<Bundle> = order
        .into_iter()
        .filter_map(|image| bundles.remove(image))
        .collect();
    let mut blobs = vec![channels.package(&package, &bundles)];
    blobs.extend(channels.blobs(&package));
    Ok(Rendered::new(blobs, bundles))
}

/// Returns the bundles of one list, ascending by version. All must have the first bundle's package.
fn sort_list<'b>(
    listed: impl Iterator<Item = &'b Bundle>,
    package: &mut Option<String>,
) -> Result<Vec<Member>, String> {
    let mut members: Vec<Member> = Vec::new();
    for bundle in listed {
        let (package_name, version) = facts::package_and_version(&bundle.blob)?;
        // An empty name does not count: the next bundle may provide it.
        match package.as_deref() {
            Some(known) if !known.is_empty() && known != package_name => {
                return Err(format!(
                    "bundle {} does not belong to this package: {}",
                    quote(&package_name),
                    quote(known)
                ));
            }
            Some(known) if !known.is_empty() => {}
            _ => *package = Some(package_name),
        }
        let name = bundle.name().to_owned();
        if members.iter().any(|member| member.name == name) {
            return Err(format!("duplicate bundle name {}", quote(&name)));
        }
        members.push(Member { name, version });
    }
    let mut seen = BTreeSet::new();
    let mut conflicts = BTreeSet::new();
    for member in &members {
        let stripped = member.version.without_build().to_string();
        if !seen.insert(stripped.clone()) {
            let version = quote(&member.version.to_string());
            conflicts.insert(format!(
                "bundle version {version} cannot be compared to {}",
                quote(&stripped)
            ));
        }
    }
    let conflicts: Vec<String> = conflicts.into_iter().collect();
    let message = match &conflicts[..] {
        [] => {
            members.sort_small_by(|a, b| a.version.cmp_precedence(&b.version));
            return Ok(members);
        }
        [one] => one.clone(),
        several => format!("[{}]", several.join(", ")),
    };
    Err(format!(
        "encountered bundle versions which differ only by build metadata, which cannot be ordered: {message}"
    ))
}

#[derive(Debug, Clone, Default)]
struct Entry {
    name: String,
    replaces: String,
    skips: Vec<String>,
}

/// An entry being added to a channel.
struct NewEntry<'m> {
    archetype: usize,
    stream: Stream,
    channel: String,
    member: &'m Member,
    /// Its index in the channel.
    index: usize,
}

/// The best default channel so far.
struct DefaultCandidate {
    archetype: usize,
    stream: Option<Stream>,
    version: Version,
    name: String,
}

struct Channels {
    /// By channel name.
    entries: BTreeMap<String, Vec<Entry>>,
    /// The name of the default channel; "" without channels.
    default: String,
}

impl Channels {
    fn new(input: &Input, members: &[Vec<Member>]) -> Self {
        let mut entries: BTreeMap<String, Vec<Entry>> = BTreeMap::new();
        let mut steps = Vec::new();
        let mut best: Option<DefaultCandidate> = None;
        let streams = [(input.major, Stream::Major), (input.minor, Stream::Minor)];
        let streams: Vec<Stream> = streams
            .into_iter()
            .filter_map(|(is_enabled, stream)| is_enabled.then_some(stream))
            .collect();
        for (archetype, members) in members.iter().enumerate() {
            for member in members {
                for &stream in &streams {
                    let channel = channel_name(archetype, stream, &member.version);
                    let version = &member.version;
                    if !entries.contains_key(&channel)
                        && is_better(archetype, stream, version, best.as_ref(), input.preference)
                    {
                        let (version, name) = (version.clone(), channel.clone());
                        best = Some(DefaultCandidate {
                            archetype,
                            stream: Some(stream),
                            version,
                            name,
                        });
                    }
                    let listed = entries.entry(channel.clone()).or_default();
                    listed.push(Entry {
                        name: member.name.clone(),
                        ..Entry::default()
                    });
                    steps.push(NewEntry {
                        archetype,
                        stream,
                        channel,
                        member,
                        index: listed.len() - 1,
                    });
                }
            }
        }
        link(&mut entries, steps);
        Self {
            entries,
            default: best.map_or_else(String::new, |best| best.name),
        }
    }

    /// Returns the package, with description and icon from the last bundle of its default channel.
    fn package(&self, name: &str, bundles: &[Bundle]) -> Value {
        let mut package = json!({
            "schema": "olm.package",
            "name": name,
            "defaultChannel": self.default,
        });
        let head = self
            .entries
            .get(&self.default)
            .and_then(|entries| entries.last());
        let bundle = head.and_then(|head| bundles.iter().find(|bundle| bundle.name() == head.name));
        if let Some(spec) = bundle
            .and_then(|bundle| bundle.csv.as_ref())
            .and_then(|csv| csv.get("spec"))
        {
            if let Some(icon) = icon(&spec["icon"]) {
                package["icon"] = icon;
            }
            if let Some(text) = spec["description"].as_str().filter(|text| !text.is_empty()) {
                package["description"] = text.into();
            }
        }
        package
    }

    fn blobs(self, package: &str) -> impl Iterator<Item = Value> + '_ {
        self.entries.into_iter().map(move |(name, entries)| {
            let entries: Vec<Value> = entries.into_iter().map(entry_json).collect();
            json!({ "schema": "olm.channel", "name": name, "package": package, "entries": entries })
        })
    }
}

fn entry_json(entry: Entry) -> Value {
    let mut fields = json!({ "name": entry.name });
    if !entry.replaces.is_empty() {
        fields["replaces"] = entry.replaces.into();
    }
    if !entry.skips.is_empty() {
        fields["skips"] = entry.skips.into();
    }
    fields
}

fn channel_name(archetype: usize, stream: Stream, version: &Version) -> String {
    let archetype = ARCHETYPES[archetype];
    match stream {
        Stream::Major => format!("{archetype}-v{}", version.major()),
        Stream::Minor => format!("{archetype}-v{}.{}", version.major(), version.minor()),
    }
}

/// Whether a channel is a better default than the best so far, judged by its first (lowest) bundle.
fn is_better(
    archetype: usize,
    stream: Stream,
    version: &Version,
    best: Option<&DefaultCandidate>,
    preference: Stream,
) -> bool {
    let zero = Version::parse("0.0.0").ok();
    let (at, than, best_stream) = match best {
        Some(best) => (best.archetype, Some(&best.version), best.stream),
        None => (0, zero.as_ref(), None),
    };
    let by_version = than.map_or(Ordering::Greater, |than| version.cmp_precedence(than));
    match archetype.cmp(&at).then(by_version) {
        Ordering::Greater => true,
        Ordering::Less => false,
        Ordering::Equal => match best_stream {
            Some(best) if best == stream => false,
            _ if stream == preference => true,
            Some(best) if best == preference => false,
            best => Some(stream) > best,
        },
    }
}

/// Creates the edges. The highest version of each minor stream replaces that of the previous minor
/// stream of the same major, and skips all other lower ones.
fn link(entries: &mut BTreeMap<String, Vec<Entry>>, mut steps: Vec<NewEntry<'_>>) {
    steps.sort_small_by(|a, b| {
        let by_list = a.archetype.cmp(&b.archetype).then(a.stream.cmp(&b.stream));
        by_list.then_with(|| a.member.version.cmp_precedence(&b.member.version))
    });
    let mut before = String::new();
    let mut lower: BTreeSet<&str> = BTreeSet::new();
    for pair in steps.windows(2) {
        let [this, next] = pair else { continue };
        let (a, b) = (&this.member.version, &next.member.version);
        let leaves_major =
            (this.archetype, this.stream, a.major()) != (next.archetype, next.stream, b.major());
        let leaves_minor = a.minor() != b.minor();
        if leaves_major || leaves_minor {
            set_edges(entries, this, &before, &lower);
        }
        if leaves_major {
            lower.clear();
            before.clear();
        } else {
            if leaves_minor {
                before.clone_from(&this.member.name);
            }
            lower.insert(&this.member.name);
        }
    }
    // The last one only has edges if there are lower versions of its major.
    if let Some(last) = steps.last().filter(|_| !lower.is_empty()) {
        set_edges(entries, last, &before, &lower);
    }
}

fn set_edges(
    entries: &mut BTreeMap<String, Vec<Entry>>,
    step: &NewEntry<'_>,
    replaces: &str,
    lower: &BTreeSet<&str>,
) {
    if let Some(entry) = entries
        .get_mut(&step.channel)
        .and_then(|listed| listed.get_mut(step.index))
    {
        entry.replaces = replaces.to_owned();
        entry.skips = lower
            .iter()
            .filter(|name| **name != replaces)
            .map(|name| (*name).to_owned())
            .collect();
    }
}

/// Returns the first icon of a ClusterServiceVersion, if all of them are icons.
fn icon(icons: &Value) -> Option<Value> {
    let icons = icons.as_array()?;
    let mut read = Vec::new();
    for icon in icons {
        let text = |name: &str| match icon.as_object() {
            None => icon.is_null().then(String::new),
            Some(fields) => match fields.iter().rfind(|(key, _)| names_field(key, name)) {
                None | Some((_, Value::Null)) => Some(String::new()),
                Some((_, value)) => value.as_str().map(str::to_owned),
            },
        };
        let data = text("base64data")?;
        base64::decode(data.as_bytes())?;
        let data: String = data.chars().filter(|c| !matches!(c, '\r' | '\n')).collect();
        read.push(json!({ "base64data": data, "mediatype": text("mediatype")? }));
    }
    read.into_iter().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> String {
        read(text.as_bytes()).expect_err("a refusal")
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
