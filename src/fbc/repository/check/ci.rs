//! Checks of `ci.yaml`.

use super::Checked;
use crate::hashed::HashMap;
use crate::repository::bundle_folder::{Failure, read_document};
use crate::repository::document::{Document, Kind, Node};
use crate::repository::files::Files;
use crate::repository::finding::Finding;
use crate::repository::layout;
use crate::repository::python::{self, PyItem};
use crate::repository::rules::{CATALOG_WITHOUT_V, MISSPELT_CATALOG_NAMES};
use crate::repository::schema::{self, CI};

pub(super) const SCHEMA: &str = "check_schema_operator_ci_config";
pub(super) const USAGE: &str = "check_catalog_usage_ci_config";

/// An operator's `ci.yaml` as seen by the pipeline's checks.
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

    /// The document; `None` if the file is missing, which counts as empty.
    pub(super) fn document(&self) -> Result<Option<&Document>, Failure> {
        self.document
            .as_ref()
            .map(Option::as_ref)
            .map_err(Clone::clone)
    }

    /// A key of `fbc`. The pipeline crashes if `fbc` has no keys.
    pub(super) fn fbc(&self, key: &str) -> Result<Setting<'_>, Failure> {
        let Some(document) = self.document()? else {
            return Ok(Setting::Absent);
        };
        let fails = |line: u32, why: &str| Failure::new(&*self.path, line, why);
        let root = document.root().filter(|root| root.is_map());
        let root = root.ok_or_else(|| fails(1, "the file is not a mapping"))?;
        let Some(fbc) = root.get("fbc") else {
            return Ok(Setting::Absent);
        };
        if !fbc.is_map() {
            return Err(fails(fbc.line(), "`fbc` is not a mapping"));
        }
        Ok(fbc.get(key).map_or(Setting::Absent, Setting::Value))
    }
}

/// Validates the file against its schema.
pub(super) fn schema(config: &Config<'_>) -> Checked {
    let Some(document) = config.document()? else {
        return Ok(Vec::new());
    };
    let violations = document.root().map_or_else(
        || schema::violations_of_nothing(&CI),
        |root| schema::violations(&CI, root),
    );
    let finding = |violation: schema::Violation| {
        let message = format!(
            "Operator's 'ci.yaml' contains invalid data which does not comply with the schema: {}",
            violation.message
        );
        Finding::error(SCHEMA, &*config.path, message).on_line(violation.line)
    };
    Ok(violations.into_iter().map(finding).collect())
}

/// Catalogs in two templates, or twice in one.
pub(super) fn usage(config: &Config<'_>) -> Checked {
    let mapping = match config.fbc("catalog_mapping")? {
        Setting::Value(mapping) if python::is_true(mapping) => mapping,
        _ => return Ok(Vec::new()),
    };
    let fails = |line: u32, why: &str| Failure::new(&*config.path, line, why);
    let items = python::loop_items(mapping)
        .ok_or_else(|| fails(mapping.line(), "`catalog_mapping` is not a list"))?;
    // The catalogs in text order, each with the templates that name it and the line of the last
    // one.
    let mut templates: Vec<(String, Vec<String>, u32)> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::default();
    for item in items {
        let item = item.node().filter(|item| item.is_map());
        let item = item.ok_or_else(|| {
            fails(
                mapping.line(),
                "an item of `catalog_mapping` is not a mapping",
            )
        })?;
        let template = item
            .get("template_name")
            .map_or_else(|| "None".to_owned(), python::repr);
        let Some(names) = item.get("catalog_names") else {
            continue;
        };
        let names = python::loop_items(names)
            .ok_or_else(|| fails(names.line(), "`catalog_names` is not a list"))?;
        for name in names {
            let line = name.node().map_or(item.line(), Node::line);
            let key = name
                .key()
                .ok_or_else(|| fails(line, "a catalog name is not a string"))?;
            let at = *places.entry(key).or_insert(templates.len());
            match templates.get_mut(at) {
                Some((_, template_names, last)) => {
                    (template_names.push(template.clone()), *last = line).0
                }
                None => templates.push((name.text(), vec![template.clone()], line)),
            }
        }
    }
    let twice = templates
        .into_iter()
        .filter(|(_, template_names, _)| template_names.len() > 1);
    let finding = |(catalog, template_names, line): (String, Vec<String>, u32)| {
        let message = format!(
            "Operator's 'ci.yaml' contains multiple templates '[{}]' for the same catalog '{catalog}'.",
            template_names.join(", ")
        );
        Finding::error(USAGE, &*config.path, message)
            .on_line(line)
            .help("name each catalog only once, in one template: a later rendering would overwrite an earlier one")
    };
    Ok(twice.map(finding).collect())
}

/// Problems of the mapping that the pipeline does not report.
pub(super) fn remarks(files: &dyn Files, config: &Config<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    let Ok(Setting::Value(mapping)) = config.fbc("catalog_mapping") else {
        return found;
    };
    let catalogs = layout::catalogs(files);
    for item in mapping.items() {
        if let Some((key, _)) = item.entry("catalogs_names") {
            let message = "the pipeline does not read `catalogs_names`; the key is `catalog_names`, despite its documentation";
            let finding = Finding::warning(MISSPELT_CATALOG_NAMES, &*config.path, message)
                .on_line(key.line());
            found.push(finding.help("write `catalog_names`"));
        }
        if let Some(template) = item
            .get("template_name")
            .filter(|name| matches!(name.kind(), Kind::Text(_)))
        {
            let path = layout::template_path(config.operator, &python::text(template));
            if matches!(
                files.read(&path),
                Err(crate::repository::ReadFailure::NotThere)
            ) {
                let message = format!(
                    "there is no {path}; a release creates it with only the released bundle"
                );
                found.push(
                    Finding::warning("template-missing", &*config.path, message)
                        .on_line(template.line()),
                );
            }
        }
        for name in item.get("catalog_names").into_iter().flat_map(Node::items) {
            let Some(text) = name.text() else { continue };
            if let Some(with_v) = layout::with_v(&text) {
                let message = format!(
                    "catalog name `{text}` lacks its `v`: the pipeline renders `catalogs/{text}`, which no cluster uses"
                );
                let finding = Finding::warning(CATALOG_WITHOUT_V, &*config.path, message)
                    .on_line(name.line());
                found.push(finding.help(format!("write `{with_v}`")));
            } else if !catalogs.iter().any(|known| *known == text) {
                let message = format!("there is no catalog `{text}` yet; a release creates it");
                found.push(
                    Finding::warning("catalog-missing", &*config.path, message)
                        .on_line(name.line()),
                );
            }
        }
    }
    found
}

/// The texts met by a loop over a value.
pub(super) fn item_texts(met: &[PyItem<'_>]) -> Vec<String> {
    met.iter().map(|met| met.text()).collect()
}
