//! Adds an item of a release configuration to a template, like the pipeline, on values.

use super::document::{self, Node};
use super::finding::{Finding, Problem};
use crate::did_you_mean::{differ_only_in_numbers, differ_only_in_version, near_names};
use crate::template::render::TemplateType;
use serde_json::{Map, Value, json};

/// Template types that the pipeline edits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Basic,
    Semver,
}

impl Kind {
    pub(super) fn rendered_type(self) -> TemplateType {
        match self {
            Kind::Basic => TemplateType::Basic,
            Kind::Semver => TemplateType::Semver,
        }
    }
}

/// An item of a release configuration.
#[derive(Debug, Clone)]
pub(super) struct Item {
    pub channels: Vec<String>,
    pub default_channel: Option<String>,
    /// The given ones of `replaces`, `skips` and `skipRange`.
    edges: Vec<(&'static str, Value)>,
    image: String,
}

/// The context of an item.
#[derive(Debug, Clone, Copy)]
pub(super) struct Subject<'a> {
    pub operator: &'a str,
    /// Path of the template.
    pub path: &'a str,
    /// Path of the release configuration, and the item's line.
    pub config: &'a str,
    pub line: u32,
}

/// A template after the addition.
#[derive(Debug)]
pub(super) struct Changed {
    pub value: Value,
    /// Silent effects in the pipeline.
    pub remarks: Vec<Finding>,
}

const EDGES: [&str; 3] = ["replaces", "skips", "skipRange"];

/// The channels of a semver template.
pub(super) const SEMVER_CHANNELS: [&str; 3] = ["Fast", "Candidate", "Stable"];

impl Item {
    /// Parses an item; the error says what is missing.
    pub(super) fn read(node: Node<'_>, image: &str) -> Result<Self, String> {
        let channels = node.get("channels").ok_or("a template has no `channels`")?;
        let names: Option<Vec<String>> = channels
            .items()
            .into_iter()
            .map(|name| name.text().map(|text| text.into_owned()))
            .collect();
        let names = names
            .filter(|_| channels.kind() == document::Kind::List)
            .ok_or("`channels` is not a list of names")?;
        let default = node
            .get("defaultChannel")
            .filter(|default| super::python::is_true(*default));
        let edges = EDGES
            .into_iter()
            .filter_map(|key| Some((key, node.get(key)?.value())))
            .collect();
        Ok(Self {
            channels: names,
            default_channel: default.map(super::python::text),
            edges,
            image: image.to_owned(),
        })
    }
}

/// Adds an item to the template. `None`: the file does not exist yet. `bundle_name` is called if
/// the bundle's name is needed.
pub(super) fn apply(
    kind: Kind,
    template: Option<&Value>,
    item: &Item,
    bundle_name: &dyn Fn() -> Result<String, Problem>,
    subject: &Subject<'_>,
) -> Result<Changed, Problem> {
    let mut remarks = Vec::new();
    let value = match (kind, template) {
        (Kind::Basic, None) => new_basic(item, &bundle_name()?, subject)?,
        (Kind::Basic, Some(template)) => {
            amended_basic(template, item, &bundle_name()?, subject, &mut remarks)?
        }
        (Kind::Semver, None) => new_semver(item),
        (Kind::Semver, Some(template)) => amended_semver(template, item, subject, &mut remarks)?,
    };
    if kind == Kind::Semver {
        remarks.extend(semver_remarks(item, subject));
    }
    Ok(Changed { value, remarks })
}

impl Subject<'_> {
    fn problem(&self, message: impl Into<String>) -> Problem {
        Problem::new(self.operator, self.path, message).help("correct the template")
    }

    fn remark(&self, check: &'static str, message: impl Into<String>) -> Finding {
        Finding::warning(check, self.config, message).on_line(self.line)
    }
}

fn entry(item: &Item, name: &str) -> Value {
    let mut entry = Map::new();
    entry.insert("name".to_owned(), name.into());
    entry.extend(
        item.edges
            .iter()
            .map(|(key, value)| ((*key).to_owned(), value.clone())),
    );
    Value::Object(entry)
}

fn channel(name: &str, package: &str, entries: Vec<Value>) -> Value {
    json!({"schema": "olm.channel", "name": name, "package": package, "entries": entries})
}

fn new_basic(item: &Item, name: &str, subject: &Subject<'_>) -> Result<Value, Problem> {
    let Some(first) = item.channels.first() else {
        return Err(Problem::new(
            subject.operator,
            subject.config,
            "the item names no channel",
        )
        .on_line(subject.line)
        .help("name the channels that the bundle goes into"));
    };
    let default = item.default_channel.as_ref().unwrap_or(first);
    let mut entries =
        vec![json!({"schema": "olm.package", "name": subject.operator, "defaultChannel": default})];
    entries.extend(
        item.channels
            .iter()
            .map(|of| channel(of, subject.operator, vec![entry(item, name)])),
    );
    entries.push(json!({"schema": "olm.bundle", "image": item.image}));
    Ok(json!({"schema": "olm.template.basic", "entries": entries}))
}

fn amended_basic(
    template: &Value,
    item: &Item,
    name: &str,
    subject: &Subject<'_>,
    remarks: &mut Vec<Finding>,
) -> Result<Value, Problem> {
    let mut template = template.clone();
    let entries = template.get_mut("entries").and_then(Value::as_array_mut);
    let entries = entries.ok_or_else(|| subject.problem("the template has no `entries` list"))?;
    if entries.iter().any(|blob| !blob["schema"].is_string()) {
        return Err(subject.problem("an item of `entries` has no `schema`"));
    }
    let is = |blob: &Value, schema: &str| blob["schema"] == schema;
    if entries.iter().any(|blob| {
        is(blob, "olm.channel") && !(blob["name"].is_string() && blob["entries"].is_array())
    }) {
        return Err(subject.problem("an `olm.channel` in it has no `name` or no `entries` list"));
    }
    if entries
        .iter()
        .any(|blob| is(blob, "olm.bundle") && !blob["image"].is_string())
    {
        return Err(subject.problem("an `olm.bundle` in it has no `image`"));
    }
    remarks.extend(default_channel_remark(entries, item, subject));
    let known: Vec<String> = entries
        .iter()
        .filter(|blob| is(blob, "olm.channel"))
        .map(|blob| text(&blob["name"]))
        .collect();
    for new in item.channels.iter().filter(|new| !known.contains(new)) {
        remarks.extend(new_channel_remark(entries, new, &known, subject));
        entries.push(channel(new, subject.operator, Vec::new()));
    }
    if !entries
        .iter()
        .any(|blob| is(blob, "olm.bundle") && blob["image"] == *item.image)
    {
        entries.push(json!({"schema": "olm.bundle", "image": item.image}));
    }
    let new = entry(item, name);
    for blob in entries.iter_mut().filter(|blob| is(blob, "olm.channel")) {
        let channel = text(&blob["name"]);
        if !item.channels.contains(&channel) {
            continue;
        }
        let Some(listed) = blob["entries"].as_array_mut() else {
            continue;
        };
        if listed.contains(&new) {
            continue;
        }
        if listed.iter().any(|known| known["name"] == *name) {
            let message = format!(
                "channel `{channel}` already lists `{name}` with other edges: the pipeline adds a second entry"
            );
            let remark = subject.remark("entry-twice", message);
            remarks.push(
                remark.help("remove the entry from the template first, or give the same edges"),
            );
        }
        let replaced = new["replaces"]
            .as_str()
            .filter(|replaced| !listed.iter().any(|known| known["name"] == **replaced));
        if let Some(replaced) = replaced.filter(|_| !listed.is_empty()) {
            let listed = listed.iter().filter_map(|known| known["name"].as_str());
            let near = near_names(
                replaced,
                listed.filter(|name| !differ_only_in_numbers(replaced, name)),
            );
            let help = near
                .first()
                .map_or_else(String::new, |near| format!("did you mean `{near}`?"));
            let message =
                format!("`replaces` names `{replaced}`, which channel `{channel}` does not list");
            remarks.push(subject.remark("replaced-entry-missing", message).help(help));
        }
        listed.push(new.clone());
    }
    Ok(template)
}

/// Remarks that the default channel of an existing package does not change.
fn default_channel_remark(
    entries: &[Value],
    item: &Item,
    subject: &Subject<'_>,
) -> Option<Finding> {
    let wanted = item.default_channel.as_deref()?;
    let package = entries
        .iter()
        .find(|blob| blob["schema"] == "olm.package")?;
    let is = text(&package["defaultChannel"]);
    (is != wanted).then(|| {
        let message =
            format!("`defaultChannel: {wanted}` is not used: the default channel of the package stays `{is}`");
        subject.remark("default-channel-kept", message).help(format!("change it in {}", subject.path))
    })
}

/// Remarks on channels that the template does not have yet.
fn new_channel_remark(
    entries: &[Value],
    new: &str,
    known: &[String],
    subject: &Subject<'_>,
) -> Vec<Finding> {
    let mut found = Vec::new();
    let package = entries
        .iter()
        .find(|blob| blob["schema"] == "olm.package")
        .map(|blob| text(&blob["name"]));
    if let Some(package) = package.filter(|package| package != subject.operator) {
        let message = format!(
            "the new channel `{new}` gets the folder's name `{}` as its package, but the package is `{package}`",
            subject.operator
        );
        found.push(
            subject
                .remark("channel-of-another-package", message)
                .help("correct it in the template afterwards"),
        );
    }
    // `stable-3.9` beside `stable` or `stable-3.17` is a channel of another version.
    let others = known.iter().map(String::as_str);
    let near = near_names(
        new,
        others.filter(|name| !differ_only_in_version(new, name)),
    );
    if let Some(near) = near.first() {
        let message = format!("channel `{new}` is new, but its name is close to `{near}`");
        found.push(
            subject
                .remark("channel-new", message)
                .help(format!("did you mean `{near}`?")),
        );
    }
    found
}

fn new_semver(item: &Item) -> Value {
    let mut template = Map::new();
    template.insert("Schema".to_owned(), "olm.semver".into());
    template.insert("GenerateMajorChannels".to_owned(), true.into());
    template.insert("GenerateMinorChannels".to_owned(), true.into());
    let bundles = json!({"Bundles": [{"Image": item.image}]});
    template.extend(
        item.channels
            .iter()
            .map(|channel| (channel.clone(), bundles.clone())),
    );
    Value::Object(template)
}

fn amended_semver(
    template: &Value,
    item: &Item,
    subject: &Subject<'_>,
    remarks: &mut Vec<Finding>,
) -> Result<Value, Problem> {
    let mut template = template.clone();
    let fields = template
        .as_object_mut()
        .ok_or_else(|| subject.problem("the template is not a mapping"))?;
    for channel in &item.channels {
        if !fields.contains_key(channel) {
            if let Some(other) = fields.keys().find(|key| key.eq_ignore_ascii_case(channel)) {
                let message = format!(
                    "the template has `{other}`, but the pipeline would add `{channel}` as well"
                );
                remarks.push(
                    subject
                        .remark("channel-new", message)
                        .help(format!("rename it to `{channel}` in the template")),
                );
            }
            fields.insert(channel.clone(), json!({"Bundles": []}));
        }
        let bundles = fields
            .get_mut(channel)
            .and_then(|of| of.get_mut("Bundles"))
            .and_then(Value::as_array_mut);
        let bundles =
            bundles.ok_or_else(|| subject.problem(format!("`{channel}` has no `Bundles` list")))?;
        let new = json!({"Image": item.image});
        if !bundles.contains(&new) {
            bundles.push(new);
        }
    }
    Ok(template)
}

/// Remarks on settings that a semver template ignores.
fn semver_remarks(item: &Item, subject: &Subject<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    let ignored: Vec<String> = item
        .edges
        .iter()
        .map(|(key, _)| format!("`{key}`"))
        .collect();
    if !ignored.is_empty() {
        let message = format!(
            "{} not used: a semver template generates its own edges",
            list_names(&ignored)
        );
        found.push(
            subject
                .remark("edges-not-used", message)
                .help("leave it out, or use a basic template"),
        );
    }
    if let Some(default) = &item.default_channel {
        let message = format!(
            "`defaultChannel: {default}` is not used: a semver template chooses its own default channel"
        );
        found.push(
            subject
                .remark("default-channel-kept", message)
                .help("write `DefaultChannelTypePreference` in the template"),
        );
    }
    for channel in item
        .channels
        .iter()
        .filter(|channel| !SEMVER_CHANNELS.contains(&channel.as_str()))
    {
        let message =
            format!("a semver template has no channel `{channel}`: nothing is rendered for it");
        found.push(
            subject
                .remark("semver-channel-unknown", message)
                .help("channels are Candidate, Fast and Stable"),
        );
    }
    found
}

fn list_names(names: &[String]) -> String {
    let verb = if names.len() == 1 { "is" } else { "are" };
    format!("{} {verb}", names.join(", "))
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
