//! The pipeline's processing of a merged `release-config.yaml`: changed templates, and catalogs to
//! render. An item is added to a template like in the pipeline, on values.

use super::check::default_channel_findings;
use super::document::{self, Document, Node};
use super::file_change::{FileChange, edit_text, to_yaml};
use super::layout::{self, Files, join};
use super::operator::{Bundle, Ci, OperatorCatalogs, is_migrated, read_operator_document};
use super::render::{RenderedCatalog, Source, Templates, render_catalog};
use super::rules::{Finding, Problem};
use protocol::counting::quoted;
use serde_json::{Map, Value, json};
use syntax::did_you_mean::{differ_only_in_numbers, differ_only_in_version, near_names};
use syntax::go_text::string_or_empty;
use template::render::TemplateType;

/// Placeholder for the image of a bundle that is not built yet. A valid reference, because the
/// result is validated.
pub const UNBUILT_IMAGE: &str = "image-that-the-pipeline-builds";

/// A bundle to release.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The operator's folder name.
    pub operator: &'a str,
    /// The bundle's folder name.
    pub bundle: &'a str,
    pub image: &'a str,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Release {
    /// Changed templates, in the order of the release configuration.
    pub templates: Vec<TemplateChange>,
    /// Catalogs to render, in order; repeated if several items name one.
    pub catalogs: Vec<CatalogToRender>,
    /// Effects that the pipeline does not report.
    pub remarks: Vec<Finding>,
}

/// A template with its new value.
#[derive(Debug, Clone, PartialEq)]
pub struct TemplateChange {
    pub value: Value,
    pub file: FileChange,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogToRender {
    pub name: String,
    /// The template's file name.
    pub template: String,
    pub is_migrated: bool,
    pub kind: TemplateType,
}

/// A template during the processing of a release configuration.
struct Template {
    name: String,
    path: String,
    /// Text and value of the file; `None` if it does not exist.
    before: Option<(Vec<u8>, Value)>,
    /// The value with the items so far.
    current: Option<Value>,
}

/// Plans the release of a bundle.
///
/// # Errors
///
/// Why the pipeline refuses it, in its own wording if it has one. Then nothing is changed.
pub fn plan(files: &dyn Files, request: &Request<'_>) -> Result<Release, Problem> {
    let operator = request.operator;
    let folder = layout::bundle_folder(operator, request.bundle);
    let path = join(&folder, layout::RELEASE_CONFIG);
    let config = read_operator_document(files, operator, &path, "correct the text of the file")?;
    let root = config
        .as_ref()
        .and_then(Document::root)
        .filter(|root| document::is_true(*root));
    let root = root.ok_or_else(|| {
        Problem::new(operator, &*path, format!("Release config not found for {operator} {}", request.bundle))
            .help("write a `release-config.yaml` that says which templates and channels the bundle goes into")
    })?;
    let items = root
        .get("catalog_templates")
        .filter(|list| list.kind() == document::Kind::List);
    let items = items.ok_or_else(|| {
        let message = "`catalog_templates` is not a list of templates";
        Problem::new(operator, &*path, message).on_line(root.line())
    })?;
    let planner = ReleasePlanner {
        files,
        request,
        config_path: &path,
        ci: Ci::read(files, operator)?,
        bundle: Bundle::at(files, operator, request.bundle),
    };
    let mut release = Release {
        templates: Vec::new(),
        catalogs: Vec::new(),
        remarks: default_channel_findings(files, operator, request.bundle),
    };
    let mut templates: Vec<Template> = Vec::new();
    for item in items.items() {
        planner.add_item(item, &mut templates, &mut release)?;
    }
    for template in templates {
        release.templates.extend(template.change(operator)?);
    }
    Ok(release)
}

/// Processes the items of a release configuration.
struct ReleasePlanner<'a> {
    files: &'a dyn Files,
    request: &'a Request<'a>,
    config_path: &'a str,
    ci: Option<Ci>,
    bundle: Bundle<'a>,
}

/// The mapping of a template in `ci.yaml`, if the pipeline can use it.
struct TemplateTarget {
    kind: TemplateType,
    catalogs: Vec<String>,
}

impl ReleasePlanner<'_> {
    /// Adds the bundle to the template that the item names.
    fn add_item(
        &self,
        node: Node<'_>,
        templates: &mut Vec<Template>,
        release: &mut Release,
    ) -> Result<(), Problem> {
        let operator = self.request.operator;
        let name = node.get("template_name").and_then(Node::text);
        let name = name.ok_or_else(|| {
            self.config_problem(node.line(), "a template has no `template_name`".to_owned())
        })?;
        let item = Item::read(node, self.request.image)
            .map_err(|message| self.config_problem(node.line(), message))?;
        self.check_default_channel(node, &item, &name)?;
        let TemplateTarget { kind, catalogs } = self.template_target(node, &name)?;
        let index = match templates.iter().position(|other| other.name == *name) {
            Some(index) => index,
            None => {
                templates.push(Template::read(self.files, operator, &name)?);
                templates.len() - 1
            }
        };
        let template = &mut templates[index];
        let subject = Subject {
            operator,
            path: &template.path,
            config: self.config_path,
            line: node.line(),
        };
        let bundle_name = || {
            self.bundle
                .name()
                .map_err(|failure| failure.into_problem(operator))
        };
        let changed = apply(
            kind,
            template.current.as_ref(),
            &item,
            &bundle_name,
            &subject,
        )?;
        template.current = Some(changed.value);
        release.remarks.extend(changed.remarks);
        release
            .catalogs
            .extend(catalogs.into_iter().map(|catalog| CatalogToRender {
                is_migrated: is_migrated(&catalog),
                name: catalog,
                template: name.clone().into_owned(),
                kind,
            }));
        Ok(())
    }

    /// Refuses a default channel that is not among the item's channels.
    fn check_default_channel(
        &self,
        node: Node<'_>,
        item: &Item,
        template: &str,
    ) -> Result<(), Problem> {
        let Some(default) = item
            .default_channel
            .as_deref()
            .filter(|name| !item.channels.iter().any(|channel| channel == name))
        else {
            return Ok(());
        };
        let channels = document::list(item.channels.iter().map(String::as_str));
        let message = format!(
            "defaultChannel '{default}' not found in '{template}'. Available channels: {channels}"
        );
        let line = node.get("defaultChannel").map_or(node.line(), Node::line);
        Err(self
            .config_problem(line, message)
            .help("name one of the `channels` of the same item"))
    }

    /// Returns type and catalogs of the template that an item names.
    fn template_target(&self, node: Node<'_>, template: &str) -> Result<TemplateTarget, Problem> {
        let ci = self.ci.as_ref();
        let (index, catalogs) = find_mapping(ci, template).ok_or_else(|| {
            let line = node.get("template_name").map_or(node.line(), Node::line);
            let message = format!("Template mapping not found for '{template}' in ci.yaml.");
            self.config_problem(line, message)
                .help("add the template to `fbc.catalog_mapping` of `ci.yaml`, or correct its name")
        })?;
        let kind = match mapped_type(ci, index).as_deref() {
            Some("olm.template.basic") => TemplateType::Basic,
            Some("olm.semver") => TemplateType::Semver,
            Some(other) => {
                let message = format!("Unknown template type '{other}' in ci.yaml.");
                return Err(self
                    .ci_problem(index, message)
                    .help("write `olm.template.basic` or `olm.semver`"));
            }
            None => {
                let message = format!("the mapping of `{template}` has no `type`");
                return Err(self.ci_problem(index, message));
            }
        };
        let catalogs = catalogs.ok_or_else(|| {
            let message = format!("the mapping of `{template}` has no `catalog_names` list");
            self.ci_problem(index, message)
        })?;
        Ok(TemplateTarget { kind, catalogs })
    }

    fn config_problem(&self, line: u32, message: String) -> Problem {
        Problem::new(self.request.operator, self.config_path, message).on_line(line)
    }

    /// Returns a problem of a mapping item in `ci.yaml`.
    fn ci_problem(&self, index: usize, message: String) -> Problem {
        let operator = self.request.operator;
        let problem = Problem::new(operator, layout::ci_path(operator), message);
        problem.on_line(self.ci.as_ref().and_then(|ci| ci.line_of_mapping(index)))
    }
}

/// Renders each catalog of a release once: the new bundle from its folder, the others from the
/// committed catalogs.
pub fn render_catalogs(
    files: &dyn Files,
    request: &Request<'_>,
    release: &Release,
) -> Vec<RenderedCatalog> {
    let catalogs = OperatorCatalogs::find(files, request.operator);
    let folder = layout::bundle_folder(request.operator, request.bundle);
    let mut templates = Templates::new(files, request.operator);
    let mut rendered: Vec<RenderedCatalog> = Vec::new();
    // If several templates render into one catalog, the last one wins.
    for (at, catalog) in release.catalogs.iter().enumerate() {
        if release.catalogs[at + 1..]
            .iter()
            .any(|later| later.name == catalog.name)
        {
            continue;
        }
        let path = layout::template_path(request.operator, &catalog.template);
        let changed = release
            .templates
            .iter()
            .find(|change| change.file.path == path);
        let text = match changed {
            Some(change) => Ok(change.file.after.clone()),
            None => templates
                .read(&catalog.template)
                .map(Option::unwrap_or_default),
        };
        let outcome = text.and_then(|text| {
            let source = Source {
                path: &path,
                text: &text,
                kind: catalog.kind,
            };
            let bundles = catalogs
                .bundles_for(&catalog.name)
                .with_folder(request.image, &folder);
            render_catalog(&catalogs, &catalog.name, source, &bundles)
        });
        rendered.push(RenderedCatalog {
            name: catalog.name.clone(),
            template: path,
            outcome,
        });
    }
    rendered
}

/// Returns the index of a template's mapping item, and its catalogs.
fn find_mapping(ci: Option<&Ci>, template: &str) -> Option<(usize, Option<Vec<String>>)> {
    let items = ci?.mapping()?.items();
    let at = items.iter().position(|item: &Node<'_>| {
        item.get("template_name").and_then(Node::text).as_deref() == Some(template)
    })?;
    let names = items
        .get(at)?
        .get("catalog_names")
        .filter(|names| names.kind() == document::Kind::List);
    Some((
        at,
        names.map(|names| names.items().into_iter().map(document::text).collect()),
    ))
}

fn mapped_type(ci: Option<&Ci>, index: usize) -> Option<String> {
    let item = *ci?.mapping()?.items().get(index)?;
    item.get("type").map(document::text)
}

impl Template {
    fn read(files: &dyn Files, operator: &str, name: &str) -> Result<Self, Problem> {
        let path = layout::template_path(operator, name);
        let document = read_operator_document(files, operator, &path, "correct the template")?;
        let before = document.map(|document| {
            let value = document.root().map_or(Value::Null, Node::value);
            (document.into_text(), value)
        });
        let current = before.as_ref().map(|(_, value)| value.clone());
        Ok(Self {
            name: name.to_owned(),
            path,
            before,
            current,
        })
    }

    /// Returns the change of the file; `None` if its value is unchanged.
    fn change(self, operator: &str) -> Result<Option<TemplateChange>, Problem> {
        let Some(value) = self.current else {
            return Ok(None);
        };
        let (before, after) = match self.before {
            None => (None, to_yaml(&value)),
            Some((_, old)) if old == value => return Ok(None),
            Some((text, old)) => {
                let after = edit_text(operator, &self.path, &text, &old, &value)?;
                (Some(text), after)
            }
        };
        Ok(Some(TemplateChange {
            value,
            file: FileChange {
                path: self.path,
                before,
                after,
            },
        }))
    }
}

/// An item of a release configuration.
#[derive(Debug, Clone)]
pub(super) struct Item {
    pub channels: Vec<String>,
    pub default_channel: Option<String>,
    /// `replaces`, `skips` and `skipRange`, those that are given.
    edges: Vec<(&'static str, Value)>,
    image: String,
}

/// Where an item of a release configuration is, and what it changes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Subject<'a> {
    pub operator: &'a str,
    /// Path of the template.
    pub path: &'a str,
    /// Path of the release configuration, and the item's line.
    pub config: &'a str,
    pub line: u32,
}

/// A template with the item added.
#[derive(Debug)]
pub(super) struct Changed {
    pub value: Value,
    /// Effects that the pipeline does not report.
    pub remarks: Vec<Finding>,
}

const EDGES: [&str; 3] = ["replaces", "skips", "skipRange"];

pub(super) const SEMVER_CHANNELS: [&str; 3] = ["Fast", "Candidate", "Stable"];

impl Item {
    /// Parses an item; the error names what is missing.
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
            .filter(|default| super::document::is_true(*default));
        let edges = EDGES
            .into_iter()
            .filter_map(|key| Some((key, node.get(key)?.value())))
            .collect();
        Ok(Self {
            channels: names,
            default_channel: default.map(super::document::text),
            edges,
            image: image.to_owned(),
        })
    }
}

/// Adds an item to the template. `None`: the file does not exist yet. `bundle_name` is called if
/// the bundle's name is needed.
pub(super) fn apply(
    kind: TemplateType,
    template: Option<&Value>,
    item: &Item,
    bundle_name: &dyn Fn() -> Result<String, Problem>,
    subject: &Subject<'_>,
) -> Result<Changed, Problem> {
    let mut remarks = Vec::new();
    let is_semver = kind == TemplateType::Semver;
    let value = match template {
        None if is_semver => new_semver(item),
        None => new_basic(item, &bundle_name()?, subject)?,
        Some(template) if is_semver => amend_semver(template, item, subject, &mut remarks)?,
        Some(template) => amend_basic(template, item, &bundle_name()?, subject, &mut remarks)?,
    };
    if is_semver {
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

fn new_entry(item: &Item, name: &str) -> Value {
    let mut entry = Map::new();
    entry.insert("name".to_owned(), name.into());
    entry.extend(
        item.edges
            .iter()
            .map(|(key, value)| ((*key).to_owned(), value.clone())),
    );
    Value::Object(entry)
}

fn new_channel(name: &str, package: &str, entries: Vec<Value>) -> Value {
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
            .map(|channel| new_channel(channel, subject.operator, vec![new_entry(item, name)])),
    );
    entries.push(json!({"schema": "olm.bundle", "image": item.image}));
    Ok(json!({"schema": "olm.template.basic", "entries": entries}))
}

fn amend_basic(
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
    if entries.iter().any(|blob| {
        blob["schema"] == "olm.channel" && !(blob["name"].is_string() && blob["entries"].is_array())
    }) {
        return Err(subject.problem("an `olm.channel` in it has no `name` or no `entries` list"));
    }
    if entries
        .iter()
        .any(|blob| blob["schema"] == "olm.bundle" && !blob["image"].is_string())
    {
        return Err(subject.problem("an `olm.bundle` in it has no `image`"));
    }
    remarks.extend(default_channel_remark(entries, item, subject));
    let existing: Vec<String> = entries
        .iter()
        .filter(|blob| blob["schema"] == "olm.channel")
        .map(|blob| string_or_empty(&blob["name"]))
        .collect();
    for new in item.channels.iter().filter(|new| !existing.contains(new)) {
        remarks.extend(new_channel_remark(entries, new, &existing, subject));
        entries.push(new_channel(new, subject.operator, Vec::new()));
    }
    if !entries
        .iter()
        .any(|blob| blob["schema"] == "olm.bundle" && blob["image"] == *item.image)
    {
        entries.push(json!({"schema": "olm.bundle", "image": item.image}));
    }
    let new = new_entry(item, name);
    for blob in entries
        .iter_mut()
        .filter(|blob| blob["schema"] == "olm.channel")
    {
        let channel = string_or_empty(&blob["name"]);
        if !item.channels.contains(&channel) {
            continue;
        }
        let Some(listed) = blob["entries"].as_array_mut() else {
            continue;
        };
        if !listed.contains(&new) {
            remarks.extend(entry_remarks(&channel, listed, &new, name, subject));
            listed.push(new.clone());
        }
    }
    Ok(template)
}

/// Reports an entry that the channel already lists with other edges, and a replaced entry that it
/// does not list.
fn entry_remarks(
    channel: &str,
    listed: &[Value],
    new: &Value,
    name: &str,
    subject: &Subject<'_>,
) -> Vec<Finding> {
    let mut remarks = Vec::new();
    if listed.iter().any(|entry| entry["name"] == *name) {
        let message = format!(
            "channel `{channel}` already lists `{name}` with other edges: the pipeline adds a second entry"
        );
        let remark = subject.remark("entry-twice", message);
        remarks
            .push(remark.help("remove the entry from the template first, or give the same edges"));
    }
    let replaced = new["replaces"]
        .as_str()
        .filter(|replaced| !listed.iter().any(|entry| entry["name"] == **replaced));
    if let Some(replaced) = replaced.filter(|_| !listed.is_empty()) {
        let names = listed.iter().filter_map(|entry| entry["name"].as_str());
        let similar = near_names(
            replaced,
            names.filter(|name| !differ_only_in_numbers(replaced, name)),
        );
        let help = similar
            .first()
            .map_or_else(String::new, |name| format!("did you mean `{name}`?"));
        let message =
            format!("`replaces` names `{replaced}`, which channel `{channel}` does not list");
        remarks.push(subject.remark("replaced-entry-missing", message).help(help));
    }
    remarks
}

/// Reports that the default channel of an existing package does not change.
fn default_channel_remark(
    entries: &[Value],
    item: &Item,
    subject: &Subject<'_>,
) -> Option<Finding> {
    let requested = item.default_channel.as_deref()?;
    let package = entries
        .iter()
        .find(|blob| blob["schema"] == "olm.package")?;
    let present = string_or_empty(&package["defaultChannel"]);
    (present != requested).then(|| {
        let message =
            format!("`defaultChannel: {requested}` is not used: the default channel of the package stays `{present}`");
        subject.remark("default-channel-kept", message).help(format!("change it in {}", subject.path))
    })
}

/// Reports likely mistakes in a channel name that the template does not have yet.
fn new_channel_remark(
    entries: &[Value],
    new: &str,
    known: &[String],
    subject: &Subject<'_>,
) -> Vec<Finding> {
    let mut remarks = Vec::new();
    let package = entries
        .iter()
        .find(|blob| blob["schema"] == "olm.package")
        .map(|blob| string_or_empty(&blob["name"]));
    if let Some(package) = package.filter(|package| package != subject.operator) {
        let message = format!(
            "the new channel `{new}` gets the folder's name `{}` as its package, but the package is `{package}`",
            subject.operator
        );
        remarks.push(
            subject
                .remark("channel-of-another-package", message)
                .help("correct it in the template afterwards"),
        );
    }
    // `stable-3.9` beside `stable` or `stable-3.17` is no misspelling: it is another version's
    // channel.
    let others = known.iter().map(String::as_str);
    let near = near_names(
        new,
        others.filter(|name| !differ_only_in_version(new, name)),
    );
    if let Some(near) = near.first() {
        let message = format!("channel `{new}` is new, but its name is close to `{near}`");
        remarks.push(
            subject
                .remark("channel-new", message)
                .help(format!("did you mean `{near}`?")),
        );
    }
    remarks
}

fn new_semver(item: &Item) -> Value {
    let mut template = json!({
        "Schema": "olm.semver",
        "GenerateMajorChannels": true,
        "GenerateMinorChannels": true,
    });
    for channel in &item.channels {
        template[channel] = json!({"Bundles": [{"Image": item.image}]});
    }
    template
}

fn amend_semver(
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
            .and_then(|stream| stream.get_mut("Bundles"))
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

/// Reports settings that a semver template ignores.
fn semver_remarks(item: &Item, subject: &Subject<'_>) -> Vec<Finding> {
    let mut remarks = Vec::new();
    let ignored = quoted(item.edges.iter().map(|(key, _)| key));
    if !ignored.is_empty() {
        let message = format!(
            "{} not used: a semver template generates its own edges",
            list_names(&ignored)
        );
        remarks.push(
            subject
                .remark("edges-not-used", message)
                .help("leave it out, or use a basic template"),
        );
    }
    if let Some(default) = &item.default_channel {
        let message = format!(
            "`defaultChannel: {default}` is not used: a semver template chooses its own default channel"
        );
        remarks.push(
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
        remarks.push(
            subject
                .remark("semver-channel-unknown", message)
                .help("channels are Candidate, Fast and Stable"),
        );
    }
    remarks
}

fn list_names(names: &[String]) -> String {
    let verb = if names.len() == 1 { "is" } else { "are" };
    format!("{} {verb}", names.join(", "))
}
