//! Generates the channels of a semver template: their bundles, edges, and the default channel
//! (`opm-semantics` 4.3).

use super::bundles::Source;
use super::facts;
use super::rendered::{Bundle, Rendered};
use super::semver_input::{ARCHETYPES, Input, Stream, read};
use crate::go_text::quote;
use crate::order::SortSmall;
use crate::syntax::base64;
use crate::version::Version;
use serde_json::{Map, Value, json};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A bundle in a list.
#[derive(Debug, Clone)]
struct Member {
    name: String,
    version: Version,
}

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
        return Err("render: no bundles specified or no bundles could be rendered".to_owned());
    }
    let mut package = None;
    let mut members = Vec::new();
    for images in &input.images {
        let listed = images
            .iter()
            .filter_map(|image| bundles.get(image.as_str()));
        let of_list = archetype(listed, &mut package)
            .map_err(|error| format!("render: unable to post-process bundle info: {error}"))?;
        members.push(of_list);
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

/// The bundles of one list, ascending by version. All must have the first bundle's package.
fn archetype<'b>(
    listed: impl Iterator<Item = &'b Bundle>,
    package: &mut Option<String>,
) -> Result<Vec<Member>, String> {
    let mut members: Vec<Member> = Vec::new();
    for bundle in listed {
        let (of, version) = facts::package_and_version(&bundle.blob)?;
        // An empty name does not count: the next bundle may provide it.
        match package.as_deref() {
            Some(known) if !known.is_empty() && known != of => {
                return Err(format!(
                    "bundle {} does not belong to this package: {}",
                    quote(&of),
                    quote(known)
                ));
            }
            Some(known) if !known.is_empty() => {}
            _ => *package = Some(of),
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
    at: usize,
}

/// The best default channel so far.
struct Best {
    archetype: usize,
    stream: Option<Stream>,
    version: Version,
    name: String,
}

struct Channels {
    entries: BTreeMap<String, Vec<Entry>>,
    default: String,
}

impl Channels {
    fn new(input: &Input, members: &[Vec<Member>]) -> Self {
        let mut entries: BTreeMap<String, Vec<Entry>> = BTreeMap::new();
        let mut steps = Vec::new();
        let mut best: Option<Best> = None;
        let streams = [(input.major, Stream::Major), (input.minor, Stream::Minor)];
        let streams: Vec<Stream> = streams
            .into_iter()
            .filter_map(|(wanted, stream)| wanted.then_some(stream))
            .collect();
        for (archetype, members) in members.iter().enumerate() {
            for member in members {
                for &stream in &streams {
                    let channel = name(archetype, stream, &member.version);
                    let version = &member.version;
                    if !entries.contains_key(&channel)
                        && is_better(archetype, stream, version, best.as_ref(), input.preference)
                    {
                        let (version, name) = (version.clone(), channel.clone());
                        best = Some(Best {
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
                        at: listed.len() - 1,
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

    /// The package, with description and icon from the last bundle of its default channel.
    fn package(&self, name: &str, bundles: &[Bundle]) -> Value {
        let mut package = Map::new();
        package.insert("schema".to_owned(), "olm.package".into());
        package.insert("name".to_owned(), name.into());
        package.insert("defaultChannel".to_owned(), self.default.as_str().into());
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
                package.insert("icon".to_owned(), icon);
            }
            if let Some(text) = spec["description"].as_str().filter(|text| !text.is_empty()) {
                package.insert("description".to_owned(), text.into());
            }
        }
        Value::Object(package)
    }

    fn blobs(self, package: &str) -> impl Iterator<Item = Value> + '_ {
        self.entries.into_iter().map(move |(name, entries)| {
            let entries: Vec<Value> = entries.into_iter().map(entry).collect();
            json!({ "schema": "olm.channel", "name": name, "package": package, "entries": entries })
        })
    }
}

fn entry(entry: Entry) -> Value {
    let mut fields = Map::new();
    fields.insert("name".to_owned(), entry.name.into());
    if !entry.replaces.is_empty() {
        fields.insert("replaces".to_owned(), entry.replaces.into());
    }
    if !entry.skips.is_empty() {
        fields.insert("skips".to_owned(), entry.skips.into());
    }
    Value::Object(fields)
}

fn name(archetype: usize, stream: Stream, version: &Version) -> String {
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
    best: Option<&Best>,
    preference: Stream,
) -> bool {
    let zero = Version::parse("0.0.0").ok();
    let (at, than, of) = match best {
        Some(best) => (best.archetype, Some(&best.version), best.stream),
        None => (0, zero.as_ref(), None),
    };
    let by_version = than.map_or(Ordering::Greater, |than| version.cmp_precedence(than));
    match archetype.cmp(&at).then(by_version) {
        Ordering::Greater => true,
        Ordering::Less => false,
        Ordering::Equal => match of {
            Some(of) if of == stream => false,
            _ if stream == preference => true,
            Some(of) if of == preference => false,
            of => Some(stream) > of,
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
        .and_then(|listed| listed.get_mut(step.at))
    {
        entry.replaces = replaces.to_owned();
        entry.skips = lower
            .iter()
            .filter(|name| **name != replaces)
            .map(|name| (*name).to_owned())
            .collect();
    }
}

/// The first icon of a ClusterServiceVersion, if all of them are icons.
fn icon(icons: &Value) -> Option<Value> {
    let icons = icons.as_array()?;
    let mut read = Vec::new();
    for icon in icons {
        let text = |name: &str| match icon.as_object() {
            None => icon.is_null().then(String::new),
            Some(fields) => match fields
                .iter()
                .rfind(|(key, _)| crate::go_text::names_field(key, name))
            {
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
