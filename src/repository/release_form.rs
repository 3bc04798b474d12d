//! The input for a release form: the possible targets of a bundle, the defaults based on its
//! predecessors, and the resulting `release-config.yaml`.

use super::document::{Document, Kind, Node};
use super::file_change::{FileChange, edit_text, to_yaml};
use super::layout;
use super::layout::Files;
use super::operator::{Bundle, Ci, read_operator_document};
use super::rules::Problem;
use catalog::version::{Version, version_in_name};
use protocol::repository::{ReleaseItem, TemplateOffer};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use syntax::order::SortSmall;
use template::mapping::Mapping;

/// The type of a semver template in the mapping, and its channels.
const SEMVER: &str = "olm.semver";
const SEMVER_CHANNELS: [&str; 3] = ["Candidate", "Fast", "Stable"];

/// The initial values of a release form.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Form {
    /// The bundle's name, if it is readable.
    pub name: Option<String>,
    /// An image reference in the style of its predecessors'.
    pub image: String,
    pub offers: Vec<TemplateOffer>,
    /// From the bundle's own file, or else as for its predecessors.
    pub items: Vec<ReleaseItem>,
    /// Whether `items` come from the bundle's own file.
    pub is_written: bool,
    pub problems: Vec<Problem>,
}

struct ParsedTemplate {
    offer: TemplateOffer,
    value: Value,
}

/// Returns the form for an operator's bundle folder.
pub fn form(files: &dyn Files, operator: &str, bundle: &str) -> Form {
    let mut form = Form::default();
    let folder = Bundle::at(files, operator, bundle);
    match folder.name() {
        Ok(name) => form.name = Some(name),
        Err(failure) => form.problems.push(failure.into_problem(operator)),
    }
    let mut templates = Vec::new();
    match Ci::read(files, operator) {
        Ok(ci) => {
            for (_, mapping) in ci.iter().flat_map(|ci| &ci.mappings) {
                match read_template(files, operator, new_offer(mapping)) {
                    Ok(read) => templates.push(read),
                    Err(problem) => form.problems.push(problem),
                }
            }
        }
        Err(problem) => form.problems.push(problem),
    }
    let version = form
        .name
        .as_deref()
        .and_then(version_at_end)
        .or_else(|| Version::parse(bundle).ok());
    form.image = propose_image(&templates, bundle);
    for read in &mut templates {
        read.offer.predecessor = find_predecessor(read, version.as_ref());
    }
    form.items = propose_items(&templates, bundle);
    let path = folder.release_config_path();
    match folder.release_config() {
        Ok(Some(root)) => {
            form.items = parse_items(root);
            form.is_written = true;
        }
        Ok(None) => {}
        Err(failure) => {
            let problem = failure.into_problem(operator);
            form.problems
                .push(problem.help("correct the text of the file"));
        }
    }
    form.offers = templates.into_iter().map(|read| read.offer).collect();
    remove_refused(&mut form, operator, &path);
    form
}

/// Removes items and edges that the pipeline would refuse, and reports them.
fn remove_refused(form: &mut Form, operator: &str, config_path: &str) {
    let name = form.name.as_deref().unwrap_or_default();
    let (offers, problems) = (&form.offers, &mut form.problems);
    let is_written = form.is_written;
    form.items.retain_mut(|item| {
        let offer = offers.iter().find(|offer| offer.template == item.template);
        let Some(offer) = offer.filter(|offer| offer.kind != SEMVER) else {
            return true;
        };
        let has_entry = |entry: &str| offer.entries.iter().any(|existing| existing == entry);
        if has_entry(name) {
            if is_written {
                let path = layout::template_path(operator, &item.template);
                problems.push(
                    Problem::new(operator, path, format!("the template already has `{name}`"))
                        .help("nothing is left to release into it"),
                );
            }
            return false;
        }
        let mut report = |reason: String| {
            if is_written {
                problems
                    .push(Problem::new(operator, config_path, reason).help("choose another entry"));
            }
        };
        if let Some(replaces) = item
            .replaces
            .take_if(|replaces| *replaces == name || !has_entry(replaces))
        {
            let template = &item.template;
            report(if replaces == name {
                format!("`{name}` would replace itself")
            } else {
                format!("`{name}` would replace `{replaces}`, which `{template}` does not have")
            });
            if !is_written {
                item.replaces.clone_from(&offer.predecessor);
                item.skips
                    .retain(|skipped| item.replaces.as_ref() != Some(skipped));
            }
        }
        let mut seen = BTreeSet::new();
        item.skips.retain(|skipped| seen.insert(skipped.clone()));
        if item.skips.iter().any(|skipped| skipped == name) {
            item.skips.retain(|skipped| skipped != name);
            report(format!("`{name}` would skip itself"));
        }
        true
    });
}

/// Returns the readable templates in an operator's mapping.
pub fn offers(files: &dyn Files, operator: &str) -> Vec<TemplateOffer> {
    let Ok(Some(ci)) = Ci::read(files, operator) else {
        return Vec::new();
    };
    let mappings = ci.mappings.iter();
    mappings
        .filter_map(|(_, mapping)| {
            let read = read_template(files, operator, new_offer(mapping));
            Some(read.ok()?.offer)
        })
        .collect()
}

fn new_offer(mapping: &Mapping) -> TemplateOffer {
    let kind = mapping.kind.map_or("", |kind| kind.schema()).to_owned();
    TemplateOffer {
        template: mapping.template.clone(),
        kind,
        catalogs: mapping.catalogs.clone(),
        ..TemplateOffer::default()
    }
}

/// Writes these items into the `release-config.yaml` of a bundle. Keeps other content of an
/// existing file.
///
/// # Errors
///
/// If it is unreadable or cannot be changed without loss.
pub fn config_change(
    files: &dyn Files,
    operator: &str,
    bundle: &str,
    items: &[ReleaseItem],
) -> Result<FileChange, Problem> {
    let path = Bundle::at(files, operator, bundle).release_config_path();
    let listed: Vec<Value> = items.iter().map(item_value).collect();
    let document = read_operator_document(files, operator, &path, "correct the text of the file")?;
    let Some(document) = document else {
        let after = to_yaml(&json!({ "catalog_templates": listed }));
        return Ok(FileChange {
            path,
            before: None,
            after,
        });
    };
    let before = document.root().map_or(Value::Null, Node::value);
    let is_unchanged = document
        .root()
        .is_some_and(|root| parse_items(root) == items);
    let text = document.into_text();
    if is_unchanged {
        return Ok(FileChange {
            path,
            after: text.clone(),
            before: Some(text),
        });
    }
    let mut after = match &before {
        Value::Object(map) => map.clone(),
        _ => Map::new(),
    };
    after.insert("catalog_templates".to_owned(), Value::Array(listed));
    let after = edit_text(operator, &path, &text, &before, &Value::Object(after))?;
    Ok(FileChange {
        path,
        before: Some(text),
        after,
    })
}

fn item_value(item: &ReleaseItem) -> Value {
    let mut value = json!({ "template_name": item.template, "channels": item.channels });
    if let Some(replaces) = &item.replaces {
        value["replaces"] = replaces.as_str().into();
    }
    if !item.skips.is_empty() {
        value["skips"] = json!(item.skips);
    }
    if let Some(range) = &item.skip_range {
        value["skipRange"] = range.as_str().into();
    }
    if let Some(channel) = &item.default_channel {
        value["defaultChannel"] = channel.as_str().into();
    }
    value
}

fn parse_items(root: Node<'_>) -> Vec<ReleaseItem> {
    let listed = root
        .get("catalog_templates")
        .filter(|list| list.kind() == Kind::List);
    listed
        .map_or_else(Vec::new, Node::items)
        .into_iter()
        .map(parse_item)
        .collect()
}

fn parse_item(node: Node<'_>) -> ReleaseItem {
    let text = |key: &str| Some(node.get(key)?.text()?.into_owned());
    let [channels, skips] = ["channels", "skips"].map(|key| {
        let items = node.get(key).map_or_else(Vec::new, Node::items);
        items
            .into_iter()
            .filter_map(|item| item.text().map(|text| text.into_owned()))
            .collect()
    });
    ReleaseItem {
        template: text("template_name").unwrap_or_default(),
        channels,
        replaces: text("replaces"),
        skips,
        skip_range: text("skipRange"),
        default_channel: text("defaultChannel"),
    }
}

fn version_at_end(name: &str) -> Option<Version> {
    version_in_name(name).map(|(_, version)| version)
}

fn read_template(
    files: &dyn Files,
    operator: &str,
    mut offer: TemplateOffer,
) -> Result<ParsedTemplate, Problem> {
    let path = layout::template_path(operator, &offer.template);
    let document = read_operator_document(files, operator, &path, "correct the template")?;
    // The release creates a missing template.
    let value = document
        .as_ref()
        .and_then(Document::root)
        .map_or(Value::Null, Node::value);
    if offer.kind == SEMVER {
        offer.channels = SEMVER_CHANNELS.map(str::to_owned).to_vec();
        offer.images = semver_images(&value).map(str::to_owned).collect();
        return Ok(ParsedTemplate { offer, value });
    }
    for blob in template_blobs(&value) {
        match blob["schema"].as_str() {
            Some("olm.package") => {
                offer.default_channel = blob["defaultChannel"].as_str().map(str::to_owned)
            }
            Some("olm.channel") => {
                offer
                    .channels
                    .extend(blob["name"].as_str().map(str::to_owned));
                let names = list_items(&blob["entries"]).filter_map(|entry| entry["name"].as_str());
                for name in names {
                    if !offer.entries.iter().any(|existing| existing == name) {
                        offer.entries.push(name.to_owned());
                    }
                }
            }
            _ => {}
        }
    }
    offer
        .entries
        .sort_small_by(|a, b| compare_newest_first(a, b));
    Ok(ParsedTemplate { offer, value })
}

fn compare_newest_first(a: &str, b: &str) -> std::cmp::Ordering {
    Version::compare_optional(&version_at_end(b), &version_at_end(a))
}

fn list_items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn template_blobs(template: &Value) -> impl Iterator<Item = &Value> {
    list_items(&template["entries"])
}

/// Returns the channels of a basic template with their entries.
fn template_channels(template: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let channels = template_blobs(template).filter(|blob| blob["schema"] == "olm.channel");
    channels.filter_map(|channel| Some((channel["name"].as_str()?, &channel["entries"])))
}

/// Returns the newest entry below a version that has a bundle. Bundles of a template are images: an
/// entry has one if a tag has its version, or if images are named by digest.
fn find_predecessor(read: &ParsedTemplate, version: Option<&Version>) -> Option<String> {
    let images: Vec<&str> = template_blobs(&read.value)
        .filter(|blob| blob["schema"] == "olm.bundle")
        .filter_map(|blob| blob["image"].as_str())
        .collect();
    let has_bundle = |name: &str| {
        images.is_empty()
            || images.iter().any(|image| {
                let tag = image.rsplit_once(':').map_or("", |(_, tag)| tag);
                image.contains('@')
                    || version_in_name(name).is_none_or(|(version, _)| tag.contains(version))
            })
    };
    let entries = read.offer.entries.iter();
    let mut older = entries.filter(|name| match (version, version_at_end(name)) {
        (Some(new), Some(old)) => old.cmp_precedence(new).is_lt(),
        _ => true,
    });
    older.find(|name| has_bundle(name)).cloned()
}

/// Proposes the templates, channels and edges of the previous release.
fn propose_items(templates: &[ParsedTemplate], bundle: &str) -> Vec<ReleaseItem> {
    let mut all: Vec<&String> = templates
        .iter()
        .filter_map(|read| read.offer.predecessor.as_ref())
        .collect();
    all.sort_small_by(|a, b| compare_newest_first(a, b));
    let latest = all.first().map(|name| name.as_str());
    templates
        .iter()
        .filter_map(|read| latest_item(read, latest, bundle))
        .collect()
}

fn latest_item(read: &ParsedTemplate, latest: Option<&str>, bundle: &str) -> Option<ReleaseItem> {
    let template = read.offer.template.clone();
    if read.offer.kind == SEMVER {
        let channels: Vec<String> = SEMVER_CHANNELS
            .iter()
            .filter(|name| {
                let stream = field(&read.value, name);
                list_items(field(stream, "bundles")).next().is_some()
            })
            .map(|name| (*name).to_owned())
            .collect();
        return (!channels.is_empty()).then(|| ReleaseItem {
            template,
            channels,
            ..ReleaseItem::default()
        });
    }
    let latest = latest?;
    let mut item = ReleaseItem {
        template,
        ..ReleaseItem::default()
    };
    for (channel, entries) in template_channels(&read.value) {
        let Some(entry) = list_items(entries).find(|entry| entry["name"] == latest) else {
            continue;
        };
        if item.channels.is_empty() {
            propose_edges(&mut item, entry, latest, entries, bundle);
        }
        item.channels.push(channel.to_owned());
    }
    (!item.channels.is_empty()).then_some(item)
}

/// Sets the edges of an item like those of the previous entry: the new one skips the same names and
/// the entries in between.
fn propose_edges(
    item: &mut ReleaseItem,
    entry: &Value,
    latest: &str,
    entries: &Value,
    bundle: &str,
) {
    let replaced = entry["replaces"].as_str();
    let skips: Vec<String> = list_items(&entry["skips"])
        .filter_map(|name| name.as_str().map(str::to_owned))
        .collect();
    // If the entry skipped everything between itself and the one it replaces, continue that
    // pattern.
    if replaced.is_some()
        && skips.iter().any(|name| {
            match (version_at_end(name), replaced.and_then(version_at_end)) {
                (Some(skipped), Some(replaced)) => skipped.cmp_precedence(&replaced).is_gt(),
                _ => false,
            }
        })
    {
        item.replaces = replaced.map(str::to_owned);
        item.skips = skips;
        item.skips.push(latest.to_owned());
    } else {
        item.replaces = Some(latest.to_owned());
        if !skips.is_empty() {
            item.skips = skips;
            item.skips.extend(replaced.map(str::to_owned));
            let existing: Vec<&str> = list_items(entries)
                .filter_map(|entry| entry["name"].as_str())
                .collect();
            item.skips.retain(|name| existing.contains(&name.as_str()));
        }
    }
    if let Some(range) = entry["skipRange"].as_str()
        && let Some(old) = version_in_name(latest).map(|(text, _)| text)
        && range.contains(old)
    {
        item.skip_range = Some(range.replace(old, bundle));
    }
}

/// Returns a field of a template. Semver templates have keys such as `Bundles` and `Image`.
fn field<'v>(value: &'v Value, key: &str) -> &'v Value {
    let fields = value.as_object().into_iter().flatten();
    let mut names = fields.map(|(name, _)| name.as_str());
    &value[names
        .find(|name| name.eq_ignore_ascii_case(key))
        .unwrap_or(key)]
}

fn semver_images(template: &Value) -> impl Iterator<Item = &str> {
    let streams = template.as_object().into_iter().flatten();
    streams
        .flat_map(|(_, stream)| list_items(field(stream, "bundles")))
        .filter_map(|bundle| field(bundle, "image").as_str())
}

/// Derives the new bundle's image reference from those in the templates.
fn propose_image(templates: &[ParsedTemplate], bundle: &str) -> String {
    let images = templates.iter().flat_map(|read| {
        let basic_bundles =
            template_blobs(&read.value).filter(|blob| blob["schema"] == "olm.bundle");
        let basic = basic_bundles.filter_map(|bundle| bundle["image"].as_str());
        basic.chain(semver_images(&read.value))
    });
    let Some(last) = images.last().filter(|image| !image.is_empty()) else {
        return String::new();
    };
    let tagged = || last.rsplit_once(':').filter(|(_, tag)| !tag.contains('/'));
    let (repository, tag) = match last.split_once('@') {
        Some((repository, _)) => (repository, ""),
        None => tagged().unwrap_or((last, "")),
    };
    let prefix = if tag.starts_with('v') { "v" } else { "" };
    format!("{repository}:{prefix}{bundle}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> ParsedTemplate {
        let document = Document::read(text.as_bytes().to_vec()).expect("a readable document");
        let value = document.root().map_or(Value::Null, Node::value);
        let names: Vec<String> = template_channels(&value)
            .flat_map(|(_, entries)| list_items(entries))
            .filter_map(|entry| entry["name"].as_str().map(str::to_owned))
            .collect();
        let mut entries = names;
        entries.sort_small_by(|a, b| compare_newest_first(a, b));
        entries.dedup();
        ParsedTemplate {
            offer: TemplateOffer {
                template: "basic.yaml".into(),
                entries,
                ..TemplateOffer::default()
            },
            value,
        }
    }

    fn propose(entries: &str, bundle: &str) -> ReleaseItem {
        let text = format!(
            "schema: olm.template.basic\nentries:\n- schema: olm.channel\n  name: a\n  entries:\n{entries}"
        );
        let mut templates = [read(&text)];
        templates[0].offer.predecessor =
            find_predecessor(&templates[0], Version::parse(bundle).ok().as_ref());
        propose_items(&templates, bundle).pop().expect("an item")
    }

    fn fill_form(entries: &[&str], item: ReleaseItem, is_written: bool) -> Form {
        let offer = TemplateOffer {
            template: "basic.yaml".into(),
            entries: entries.iter().map(|name| (*name).to_owned()).collect(),
            predecessor: Some("o.v1.1.0".to_owned()),
            ..TemplateOffer::default()
        };
        let mut form = Form {
            name: Some("o.v1.2.0".into()),
            offers: vec![offer],
            items: vec![ReleaseItem {
                template: "basic.yaml".into(),
                ..item
            }],
            is_written,
            ..Form::default()
        };
        remove_refused(&mut form, "o", "operators/o/1.2.0/release-config.yaml");
        form
    }

    #[test]
    fn invalid_defaults_are_not_filled_in() {
        let existing = |is_written| {
            fill_form(
                &["o.v1.2.0", "o.v1.1.0"],
                ReleaseItem::default(),
                is_written,
            )
        };
        let written = existing(true);
        assert!(written.items.is_empty());
        assert_eq!(
            written.problems[0].message,
            "the template already has `o.v1.2.0`"
        );
        let proposed = existing(false);
        assert!(proposed.items.is_empty() && proposed.problems.is_empty());
        let item = ReleaseItem {
            replaces: Some("o.v1.0.9".into()),
            skips: vec!["o.v1.2.0".into(), "o.v1.1.0".into()],
            ..ReleaseItem::default()
        };
        let written = fill_form(&["o.v1.1.0"], item, true);
        assert_eq!(written.items[0].replaces, None);
        assert_eq!(written.items[0].skips, ["o.v1.1.0"]);
        let messages: Vec<&str> = written
            .problems
            .iter()
            .map(|problem| problem.message.as_str())
            .collect();
        assert_eq!(
            messages,
            [
                "`o.v1.2.0` would replace `o.v1.0.9`, which `basic.yaml` does not have",
                "`o.v1.2.0` would skip itself"
            ]
        );
        let itself = ReleaseItem {
            replaces: Some("o.v1.2.0".into()),
            skips: vec!["o.v1.1.0".into(), "o.v1.0.0".into(), "o.v1.0.0".into()],
            ..ReleaseItem::default()
        };
        let proposed = &fill_form(&["o.v1.1.0"], itself, false).items[0];
        assert_eq!(proposed.replaces.as_deref(), Some("o.v1.1.0"));
        assert_eq!(
            proposed.skips,
            ["o.v1.0.0"],
            "without itself and duplicates"
        );
    }

    #[test]
    fn replaces_follows_the_predecessor() {
        let item = propose(
            "  - name: o.v1.0.0\n  - {name: o.v1.1.0, replaces: o.v1.0.0}\n",
            "1.2.0",
        );
        assert_eq!(
            (item.replaces.as_deref(), item.skips.len()),
            (Some("o.v1.1.0"), 0)
        );
        assert_eq!(item.channels, ["a"]);
    }

    #[test]
    fn skips_include_the_latest_if_patches_are_skipped() {
        let entries = "  - name: o.v1.0.0\n  - {name: o.v1.1.0, replaces: o.v1.0.0}\n  - {name: o.v1.1.1, replaces: o.v1.0.0, skips: [o.v1.1.0], skipRange: '<1.1.1'}\n";
        let item = propose(entries, "1.1.2");
        assert_eq!(item.replaces.as_deref(), Some("o.v1.0.0"));
        assert_eq!(item.skips, ["o.v1.1.0", "o.v1.1.1"]);
        assert_eq!(item.skip_range.as_deref(), Some("<1.1.2"));
    }

    #[test]
    fn skips_follow_the_predecessor() {
        let entries = "  - name: o.v1.0.0\n  - {name: o.v1.1.0, replaces: o.v1.0.0}\n  - {name: o.v1.2.0, replaces: o.v1.1.0, skips: [o.v1.0.0]}\n";
        let item = propose(entries, "1.3.0");
        assert_eq!(item.replaces.as_deref(), Some("o.v1.2.0"));
        assert_eq!(item.skips, ["o.v1.0.0", "o.v1.1.0"]);
    }

    #[test]
    fn a_higher_version_is_no_predecessor() {
        let item = propose(
            "  - name: o.v1.0.0\n  - {name: o.v2.0.0, replaces: o.v1.0.0}\n",
            "1.0.1",
        );
        assert_eq!(item.replaces.as_deref(), Some("o.v1.0.0"));
    }

    #[test]
    fn an_entry_without_a_bundle_is_no_predecessor() {
        let entries = "  - name: o.v1.0.0\n  - {name: o.v1.1.0, replaces: o.v1.0.0}\n";
        let bundle = |image: &str| format!("{entries}- {{schema: olm.bundle, image: '{image}'}}\n");
        let replaces = |image: &str| propose(&bundle(image), "1.2.0").replaces;
        assert_eq!(replaces("q.io/a/o:v1.0.0").as_deref(), Some("o.v1.0.0"));
        assert_eq!(replaces("q.io/a/o:v1.1.0").as_deref(), Some("o.v1.1.0"));
        let by_digest = replaces("q.io/a/o@sha256:00");
        assert_eq!(by_digest.as_deref(), Some("o.v1.1.0"));
    }

    #[test]
    fn the_image_follows_the_pattern_of_the_others() {
        let proposed_image = |image: &str| {
            propose_image(
                &[read(&format!(
                    "entries:\n- {{schema: olm.bundle, image: '{image}'}}\n"
                ))],
                "1.2.0",
            )
        };
        assert_eq!(proposed_image("q.io/a/o:v1.1.0"), "q.io/a/o:v1.2.0");
        assert_eq!(proposed_image("q.io:5000/a/o:1.1.0"), "q.io:5000/a/o:1.2.0");
        assert_eq!(proposed_image("q.io/a/o@sha256:00"), "q.io/a/o:1.2.0");
        assert_eq!(proposed_image("q.io:5000/a/o"), "q.io:5000/a/o:1.2.0");
        let semver = "Schema: olm.semver\nStable:\n  Bundles:\n  - Image: q.io/a/o:1.1.0\n";
        assert_eq!(propose_image(&[read(semver)], "1.2.0"), "q.io/a/o:1.2.0");
    }
}
