//! Checks of a bundle's `release-config.yaml`.

use super::Checked;
use super::ci::{Config, Setting, item_texts};
use super::obstacles::NOT_BUILT;
use crate::hashed::HashMap;
use crate::repository::bundle_folder::{Bundle, Failure};
use crate::repository::document::{Kind, Node};
use crate::repository::finding::Finding;
use crate::repository::python;
use crate::repository::release;
use crate::repository::schema::{self, RELEASE_CONFIG};
use crate::repository::template_edit::SEMVER_CHANNELS;

pub(super) const CHECK: &str = "check_bundle_release_config";
pub(super) const SCHEMA: &str = "check_validate_schema_bundle_release_config";

/// Validates the file against its schema. An empty file counts as missing.
pub(super) fn schema(bundle: &Bundle<'_>) -> Checked {
    let Some(root) = bundle.release_config()? else {
        return Ok(Vec::new());
    };
    let path = bundle.release_config_path();
    let finding = |violation: schema::Violation| {
        let message = format!(
            "Bundle's 'release-config.yaml' contains invalid data which does not comply with the schema: {}",
            violation.message
        );
        Finding::error(SCHEMA, &*path, message).on_line(violation.line)
    };
    Ok(schema::violations(&RELEASE_CONFIG, root)
        .into_iter()
        .map(finding)
        .collect())
}

/// Checks the file against the mapping in `ci.yaml`.
pub(super) fn check(bundle: &Bundle<'_>, config: &Config<'_>) -> Checked {
    let Some(root) = bundle.release_config()? else {
        return Ok(Vec::new());
    };
    let path = bundle.release_config_path();
    let is_enabled = match config.fbc("enabled")? {
        Setting::Value(value) => python::is_true(value),
        Setting::Absent => false,
    };
    if !is_enabled {
        let message = "Bundle's 'release-config.yaml' is used but FBC is not enabled for the operator. Update the \
            'fbc.enabled' field in the ci.yaml file.";
        return Ok(vec![
            Finding::error(CHECK, path, message)
                .on_line(root.line())
                .help("write `enabled: true` in `ci.yaml`"),
        ]);
    }
    let mapped = mapping_items(config)?;
    let fails = |line: u32, why: &str| Failure::new(&*path, line, why);
    if root.kind() != Kind::Map {
        return Err(fails(root.line(), "the file is not a mapping"));
    }
    let templates = root
        .get("catalog_templates")
        .ok_or_else(|| fails(root.line(), "there is no `catalog_templates`"))?;
    let items = python::loop_items(templates)
        .ok_or_else(|| fails(templates.line(), "`catalog_templates` is not a list"))?;
    let mut found = Vec::new();
    for item in items {
        let item = item.node().filter(|item| item.is_map());
        let item = item.ok_or_else(|| {
            fails(
                templates.line(),
                "an item of `catalog_templates` is not a mapping",
            )
        })?;
        let name = item
            .get("template_name")
            .ok_or_else(|| fails(item.line(), "an item has no `template_name`"))?;
        let key = python::PyItem::Node(name)
            .key()
            .ok_or_else(|| fails(name.line(), "`template_name` is not a string"))?;
        let Some(mapping) = mapped.get(&key) else {
            let message = format!(
                "Bundle's 'release-config.yaml' contains a catalog template '{}' that is not defined in the ci.yaml file \
                 under 'catalog_mapping'. Add the template to the 'catalog_mapping.",
                python::text(name)
            );
            found.push(Finding::error(CHECK, &*path, message).on_line(name.line()));
            continue;
        };
        let kind = mapping.get("type").ok_or_else(|| {
            Failure::new(
                &*config.path,
                mapping.line(),
                "the mapping of the template has no `type`",
            )
        })?;
        if kind.text().as_deref() != Some("olm.semver") {
            continue;
        }
        let channels = item
            .get("channels")
            .ok_or_else(|| fails(item.line(), "an item has no `channels`"))?;
        let met = python::loop_items(channels)
            .ok_or_else(|| fails(channels.line(), "`channels` is not a list"))?;
        if met.iter().any(|channel| channel.key().is_none()) {
            return Err(fails(channels.line(), "a channel is not a string"));
        }
        if item_texts(&met)
            .iter()
            .all(|channel| SEMVER_CHANNELS.contains(&channel.as_str()))
        {
            continue;
        }
        let message = format!(
            "Bundle's 'release-config.yaml' contains a semver catalog template '{}' with invalid channels: {}. Allowed \
             channels are: {}. Follow olm [documentation](https://olm.operatorframework.io/docs/reference/catalog-templates/\
             #specification) to see more details about semver template.",
            python::text(name),
            python::text(channels),
            python::list(SEMVER_CHANNELS),
        );
        found.push(Finding::error(CHECK, &*path, message).on_line(channels.line()));
    }
    Ok(found)
}

/// Mapping items by template; the last of several for one template counts.
fn mapping_items<'c>(config: &'c Config<'_>) -> Result<HashMap<String, Node<'c>>, Failure> {
    let mut mapped = HashMap::default();
    let Setting::Value(mapping) = config.fbc("catalog_mapping")? else {
        return Ok(mapped);
    };
    let fails = |line: u32, why: &str| Failure::new(&*config.path, line, why);
    let items = python::loop_items(mapping)
        .ok_or_else(|| fails(mapping.line(), "`catalog_mapping` is not a list"))?;
    for item in items {
        let item = item.node().filter(|item| item.is_map());
        let item = item.ok_or_else(|| {
            fails(
                mapping.line(),
                "an item of `catalog_mapping` is not a mapping",
            )
        })?;
        let name = item
            .get("template_name")
            .ok_or_else(|| fails(item.line(), "a mapping has no `template_name`"))?;
        let key = python::PyItem::Node(name)
            .key()
            .ok_or_else(|| fails(name.line(), "`template_name` is not a string"))?;
        mapped.insert(key, item);
    }
    Ok(mapped)
}

/// Silent effects of releasing the bundle.
pub(super) fn remarks(bundle: &Bundle<'_>, config: &Config<'_>) -> Vec<Finding> {
    let request = release::Request {
        operator: config.operator,
        bundle: &bundle.version,
        image: NOT_BUILT,
    };
    let is_reported = |finding: &Finding| finding.check != "semver-channel-unknown";
    let remarks = release::plan(bundle.files, &request)
        .map(|release| release.remarks)
        .unwrap_or_default();
    remarks.into_iter().filter(is_reported).collect()
}
