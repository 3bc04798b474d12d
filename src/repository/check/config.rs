//! Checks of `ci.yaml` and of a bundle's `release-config.yaml`, also in places that the pipeline
//! does not read.

use super::CheckResult;
use crate::document::{self, Document, Kind, Node};
use crate::layout::{self, Entry, EntryKind, Files, RELEASE_CONFIG, join};
use crate::operator::{Bundle, Failure, read_document};
use crate::release::{self, SEMVER_CHANNELS};
use crate::rules::{CATALOG_WITHOUT_V, Finding, MISSPELT_CATALOG_NAMES};
use crate::schema::{self, CI};
use syntax::hashed::HashMap;
use template::mapping;

pub(super) const CI_SCHEMA: &str = "check_schema_operator_ci_config";
pub(super) const CATALOG_USAGE: &str = "check_catalog_usage_ci_config";

/// A file name that the pipeline does not read.
const WRONG_FILE_NAME: &str = "release-config.yml";

/// An operator's `ci.yaml` as the pipeline's checks read it.
pub(super) struct Config<'a> {
    pub operator: &'a str,
    pub path: String,
    document: Result<Option<Document>, Failure>,
}

/// The value of a configuration key.
#[derive(Debug, Clone, Copy)]
pub(super) enum Setting<'d> {
    Absent,
    Value(Node<'d>),
}

impl<'a> Config<'a> {
    pub(super) fn read(files: &dyn Files, operator: &'a str) -> Self {
        let path = layout::ci_path(operator);
        let document = read_document(files, &path);
        Self {
            operator,
            path,
            document,
        }
    }

    /// Returns the document; `None` if the file is missing, which counts as empty.
    pub(super) fn document(&self) -> Result<Option<&Document>, Failure> {
        self.document
            .as_ref()
            .map(Option::as_ref)
            .map_err(Clone::clone)
    }

    fn failure(&self, line: u32, why: &str) -> Failure {
        Failure::new(&*self.path, line, why)
    }

    /// Returns a key of `fbc`. The pipeline crashes if `fbc` has no keys.
    pub(super) fn fbc(&self, key: &str) -> Result<Setting<'_>, Failure> {
        let Some(document) = self.document()? else {
            return Ok(Setting::Absent);
        };
        let root = document.root().filter(|root| root.is_map());
        let root = root.ok_or_else(|| self.failure(1, "the file is not a mapping"))?;
        let Some(fbc) = root.get("fbc") else {
            return Ok(Setting::Absent);
        };
        if !fbc.is_map() {
            return Err(self.failure(fbc.line(), "`fbc` is not a mapping"));
        }
        Ok(fbc.get(key).map_or(Setting::Absent, Setting::Value))
    }
}

/// Validates `ci.yaml` against the pipeline's schema.
pub(super) fn check_ci_schema(config: &Config<'_>) -> CheckResult {
    let Some(document) = config.document()? else {
        return Ok(Vec::new());
    };
    let violations = document.root().map_or_else(
        || schema::violations_of_empty(&CI),
        |root| schema::violations(&CI, root),
    );
    Ok(violations.into_iter().map(|violation| {
        let message = format!(
            "Operator's 'ci.yaml' contains invalid data which does not comply with the schema: {}",
            violation.message
        );
        Finding::error(CI_SCHEMA, &*config.path, message).on_line(violation.line)
    }).collect())
}

/// Reports catalogs that are named by two templates, or twice by one.
pub(super) fn check_catalog_usage(config: &Config<'_>) -> CheckResult {
    let mapping = match config.fbc("catalog_mapping")? {
        Setting::Value(mapping) if document::is_true(mapping) => mapping,
        _ => return Ok(Vec::new()),
    };
    let mut usages: Vec<CatalogUsage> = Vec::new();
    let mut indices: HashMap<String, usize> = HashMap::default();
    for item in mapping_items(config, mapping)? {
        let item = item?;
        let template = item
            .get("template_name")
            .map_or_else(|| "None".to_owned(), document::repr);
        let Some(names) = item.get("catalog_names") else {
            continue;
        };
        let names = document::loop_items(names)
            .ok_or_else(|| config.failure(names.line(), "`catalog_names` is not a list"))?;
        for name in names {
            let line = name.node().map_or(item.line(), Node::line);
            let key = name
                .key()
                .ok_or_else(|| config.failure(line, "a catalog name is not a string"))?;
            let index = *indices.entry(key).or_insert(usages.len());
            match usages.get_mut(index) {
                Some(usage) => {
                    usage.templates.push(template.clone());
                    usage.last_line = line;
                }
                None => usages.push(CatalogUsage {
                    catalog: name.text(),
                    templates: vec![template.clone()],
                    last_line: line,
                }),
            }
        }
    }
    let report = |usage: CatalogUsage| {
        let message = format!(
            "Operator's 'ci.yaml' contains multiple templates '[{}]' for the same catalog '{}'.",
            usage.templates.join(", "),
            usage.catalog
        );
        Finding::error(CATALOG_USAGE, &*config.path, message)
            .on_line(usage.last_line)
            .help("name each catalog only once, in one template: a later rendering would overwrite an earlier one")
    };
    usages.retain(|usage| usage.templates.len() > 1);
    Ok(usages.into_iter().map(report).collect())
}

struct CatalogUsage {
    catalog: String,
    templates: Vec<String>,
    /// The line where it is named last.
    last_line: u32,
}

/// Reports problems of the mapping that the pipeline does not report.
pub(super) fn ci_remarks(files: &dyn Files, config: &Config<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let Ok(Setting::Value(mapping)) = config.fbc("catalog_mapping") else {
        return findings;
    };
    let catalogs = layout::catalogs(files);
    for item in mapping.items() {
        if let Some((key, _)) = item.entry("catalogs_names") {
            let message = "the pipeline does not read `catalogs_names`; the key is `catalog_names`, despite its documentation";
            let finding = Finding::warning(MISSPELT_CATALOG_NAMES, &*config.path, message)
                .on_line(key.line());
            findings.push(finding.fix("write `catalog_names`"));
        }
        if let Some(template) = item
            .get("template_name")
            .filter(|name| matches!(name.kind(), Kind::Text(_)))
        {
            let path = layout::template_path(config.operator, &document::text(template));
            if matches!(files.read(&path), Err(crate::ReadFailure::NotThere)) {
                let message = format!(
                    "there is no {path}; a release creates it with only the released bundle"
                );
                findings.push(
                    Finding::warning("template-missing", &*config.path, message)
                        .on_line(template.line()),
                );
            }
        }
        let names = item.get("catalog_names").map_or_else(Vec::new, Node::items);
        for name in &names {
            let Some(text) = name.text() else { continue };
            if let Some(with_v) = layout::name_with_v(&text) {
                let message = format!(
                    "catalog name `{text}` lacks its `v`: the pipeline renders `catalogs/{text}`, which no cluster uses"
                );
                let finding = Finding::warning(CATALOG_WITHOUT_V, &*config.path, message)
                    .on_line(name.line());
                let is_listed = |name: &Node<'_>| name.text().as_deref() == Some(&*with_v);
                findings.push(if names.iter().any(is_listed) {
                    finding.help(format!("remove `{text}`: `{with_v}` is listed too"))
                } else {
                    finding.fix(format!("write `{with_v}`"))
                });
            } else if !catalogs.iter().any(|catalog| *catalog == text) {
                let message = format!("there is no catalog `{text}` yet; a release creates it");
                findings.push(
                    Finding::warning("catalog-missing", &*config.path, message)
                        .on_line(name.line()),
                );
            }
        }
    }
    findings
}

pub(super) const BUNDLE_RELEASE_CONFIG: &str = "check_bundle_release_config";
pub(super) const RELEASE_CONFIG_SCHEMA: &str = "check_validate_schema_bundle_release_config";

/// Validates `release-config.yaml` against the pipeline's schema. An empty file counts as missing.
pub(super) fn check_release_config_schema(bundle: &Bundle<'_>) -> CheckResult {
    let Some(root) = bundle.release_config()? else {
        return Ok(Vec::new());
    };
    let path = bundle.release_config_path();
    Ok(schema::violations(&schema::RELEASE_CONFIG, root)
        .into_iter()
        .map(|violation| {
        let message = format!(
            "Bundle's 'release-config.yaml' contains invalid data which does not comply with the schema: {}",
            violation.message
        );
        Finding::error(RELEASE_CONFIG_SCHEMA, &*path, message).on_line(violation.line)
    })
        .collect())
}

/// Checks `release-config.yaml` against the mapping in `ci.yaml`.
pub(super) fn check_release_config(bundle: &Bundle<'_>, config: &Config<'_>) -> CheckResult {
    let Some(root) = bundle.release_config()? else {
        return Ok(Vec::new());
    };
    let path = bundle.release_config_path();
    let is_enabled = match config.fbc("enabled")? {
        Setting::Value(value) => document::is_true(value),
        Setting::Absent => false,
    };
    if !is_enabled {
        let message = "Bundle's 'release-config.yaml' is used but FBC is not enabled for the operator. Update the \
            'fbc.enabled' field in the ci.yaml file.";
        return Ok(vec![
            Finding::error(BUNDLE_RELEASE_CONFIG, path, message)
                .on_line(root.line())
                .help("write `enabled: true` in `ci.yaml`"),
        ]);
    }
    let mappings = items_by_template(config)?;
    let failure = |line: u32, why: &str| Failure::new(&*path, line, why);
    if root.kind() != Kind::Map {
        return Err(failure(root.line(), "the file is not a mapping"));
    }
    let templates = root
        .get("catalog_templates")
        .ok_or_else(|| failure(root.line(), "there is no `catalog_templates`"))?;
    let items = document::loop_items(templates)
        .ok_or_else(|| failure(templates.line(), "`catalog_templates` is not a list"))?;
    let mut findings = Vec::new();
    for item in items {
        let item = item.node().filter(|item| item.is_map());
        let item = item.ok_or_else(|| {
            failure(
                templates.line(),
                "an item of `catalog_templates` is not a mapping",
            )
        })?;
        let name = item
            .get("template_name")
            .ok_or_else(|| failure(item.line(), "an item has no `template_name`"))?;
        let key = document::PyItem::Node(name)
            .key()
            .ok_or_else(|| failure(name.line(), "`template_name` is not a string"))?;
        let Some(mapping) = mappings.get(&key) else {
            let message = format!(
                "Bundle's 'release-config.yaml' contains a catalog template '{}' that is not defined in the ci.yaml file \
                 under 'catalog_mapping'. Add the template to the 'catalog_mapping.",
                document::text(name)
            );
            findings
                .push(Finding::error(BUNDLE_RELEASE_CONFIG, &*path, message).on_line(name.line()));
            continue;
        };
        let kind = mapping.get("type").ok_or_else(|| {
            config.failure(mapping.line(), "the mapping of the template has no `type`")
        })?;
        if kind.text().as_deref() == Some("olm.semver") {
            findings.extend(check_semver_channels(&path, item, name)?);
        }
    }
    Ok(findings)
}

fn check_semver_channels(
    path: &str,
    item: Node<'_>,
    template: Node<'_>,
) -> Result<Option<Finding>, Failure> {
    let failure = |line: u32, why: &str| Failure::new(path, line, why);
    let channels = item
        .get("channels")
        .ok_or_else(|| failure(item.line(), "an item has no `channels`"))?;
    let channel_items = document::loop_items(channels)
        .ok_or_else(|| failure(channels.line(), "`channels` is not a list"))?;
    if channel_items.iter().any(|channel| channel.key().is_none()) {
        return Err(failure(channels.line(), "a channel is not a string"));
    }
    if channel_items
        .iter()
        .all(|channel| SEMVER_CHANNELS.contains(&channel.text().as_str()))
    {
        return Ok(None);
    }
    let message = format!(
        "Bundle's 'release-config.yaml' contains a semver catalog template '{}' with invalid channels: {}. Allowed \
         channels are: {}. Follow olm [documentation](https://olm.operatorframework.io/docs/reference/catalog-templates/\
         #specification) to see more details about semver template.",
        document::text(template),
        document::text(channels),
        document::list(SEMVER_CHANNELS),
    );
    Ok(Some(
        Finding::error(BUNDLE_RELEASE_CONFIG, path, message).on_line(channels.line()),
    ))
}

/// Returns the items of `catalog_mapping`, each an error if it is no mapping.
fn mapping_items<'c>(
    config: &'c Config<'_>,
    mapping: Node<'c>,
) -> Result<impl Iterator<Item = Result<Node<'c>, Failure>>, Failure> {
    let failure = move |text| config.failure(mapping.line(), text);
    let items =
        document::loop_items(mapping).ok_or_else(|| failure("`catalog_mapping` is not a list"))?;
    let is_map = |item: &Node<'c>| item.is_map();
    Ok(items.into_iter().map(move |item| {
        let item = item.node().filter(is_map);
        item.ok_or_else(|| failure("an item of `catalog_mapping` is not a mapping"))
    }))
}

/// Returns the mapping items by template. Of several for one template the last counts.
fn items_by_template<'c>(config: &'c Config<'_>) -> Result<HashMap<String, Node<'c>>, Failure> {
    let mut mappings = HashMap::default();
    let Setting::Value(mapping) = config.fbc("catalog_mapping")? else {
        return Ok(mappings);
    };
    for item in mapping_items(config, mapping)? {
        let item = item?;
        let name = item
            .get("template_name")
            .ok_or_else(|| config.failure(item.line(), "a mapping has no `template_name`"))?;
        let key = document::PyItem::Node(name)
            .key()
            .ok_or_else(|| config.failure(name.line(), "`template_name` is not a string"))?;
        mappings.insert(key, item);
    }
    Ok(mappings)
}

/// Reports effects of releasing the bundle that the pipeline does not report.
pub(super) fn release_config_remarks(bundle: &Bundle<'_>, config: &Config<'_>) -> Vec<Finding> {
    let request = release::Request {
        operator: config.operator,
        bundle: &bundle.version,
        image: release::UNBUILT_IMAGE,
    };
    let remarks = release::plan(bundle.files, &request)
        .map(|release| release.remarks)
        .unwrap_or_default();
    remarks
        .into_iter()
        .filter(|finding| finding.check != "semver-channel-unknown")
        .collect()
}

/// Reports release configurations that the pipeline does not read: in the operator's folder, in its
/// templates, in subfolders of bundles, or with another extension.
pub(super) fn find_unread_release_configs(files: &dyn Files, operator: &str) -> Vec<Finding> {
    let folder = layout::operator_folder(operator);
    let mut findings = Vec::new();
    let mut report_in = |folder: &str, is_bundle: bool, why: &str| {
        for Entry { name, kind } in files.entries(folder) {
            let (why, help) = match (&*name, is_bundle) {
                _ if kind == EntryKind::Folder => continue,
                (WRONG_FILE_NAME, true) => ("its name ends in `.yml`", "rename it to"),
                (RELEASE_CONFIG | WRONG_FILE_NAME, false) => {
                    (why, "put it in the bundle's folder as")
                }
                _ => continue,
            };
            let message = format!("the pipeline does not read this file: {why}");
            let finding = Finding::warning("release-config-unread", join(folder, &name), message);
            findings.push(finding.help(format!("{help} `{RELEASE_CONFIG}`")));
        }
    };
    report_in(&folder, false, "it is next to the bundles, not inside one");
    for entry in files.entries(&folder) {
        if entry.kind != EntryKind::Folder {
            continue;
        }
        let inner = join(&folder, &entry.name);
        let is_bundle = layout::is_bundle(files, &inner);
        let why = if entry.name == mapping::FOLDER {
            "it is among the templates"
        } else {
            "its folder lacks `manifests` or `metadata`, so it is not a bundle"
        };
        report_in(&inner, is_bundle, why);
        if is_bundle {
            for part in ["manifests", "metadata"] {
                let why = "it is in a subfolder of the bundle";
                report_in(&join(&inner, part), false, why);
            }
        }
    }
    findings
}
