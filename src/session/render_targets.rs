//! The target catalogs of a template: whether each equals the current rendering, and operations
//! that update it.
//!
//! A `ci.yaml` names them; otherwise, they are the open catalogs that are found to be rendered from
//! the template. The result is written as free text: a step contains what it wrote, so that it can
//! be undone, saved and applied again.

use super::export::ChangedFile;
use super::file::Version;
use super::open_bundles::{OpenBundles, ReadBundles};
use super::published::bundles_only_in;
use super::{Changes, OpenFiles, Refused, Templates, catalog_positions};
use catalog::diff::{CONTEXT, text_diff};
use catalog::model::{BundleBlob, FileId, Template};
use catalog::roots::{catalog_version, is_below, join, name_of, parent};
use edit::patch::{Patch, path};
use edit::refused;
use edit::verify::edit_blob;
use protocol::operation::EditOp;
use serde_json::Value;
use std::sync::Arc;
use syntax::order::SortSmall;
use template::freshness::{CatalogRendering, Differences, differences, render_for};
use template::mapping::{self, Mapping};
use template::render::TemplateType;
use template::{self, origin, update_catalog};

/// The usual name of a rendered file in these repositories.
const FILE_NAME: &str = "catalog.yaml";

/// A catalog that a template is rendered into.
#[derive(Debug, Clone, PartialEq)]
pub struct RenderTarget {
    /// Its name in the mapping, such as `v4.18`; without a mapping the catalog's own name.
    pub catalog: String,
    /// The folder in the session for the rendered files.
    pub folder: String,
    pub state: TargetState,
    /// Why rendering cannot write it, whatever the template renders; "" if it can.
    pub refused: String,
}

/// Whether a catalog equals the rendering of its template.
#[derive(Debug, Clone, PartialEq)]
pub enum TargetState {
    Fresh,
    /// What rendering would change, which may only be what versions of `opm` write differently.
    Stale(Differences),
    /// The catalog is not open, or contains nothing of the template. Rendering creates it.
    NoCatalog,
    UnknownBundles(Vec<String>),
    /// Why it cannot be rendered or compared.
    Error(String),
}

/// The item of a `ci.yaml` that lists the catalogs of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateMapping {
    /// Path of the `ci.yaml` in the session.
    pub path: String,
    /// The name of the next version's catalog: `v4.22` after `v4.21`; "" if no name has a version.
    pub next: String,
}

/// An item of the mapping in a `ci.yaml`.
pub(super) struct MappingItem {
    pub(super) file: FileId,
    /// Index in `catalog_mapping`.
    pub(super) index: usize,
    pub(super) mapping: Mapping,
}

struct PreparedTarget {
    catalog: String,
    folder: String,
    files: Vec<FileId>,
    rendered: CatalogRendering,
}

/// Returns why a catalog in several files cannot be rendered.
fn split_reason(files: &[FileId]) -> Option<String> {
    (files.len() > 1).then(|| {
        format!(
            "its blobs are in {} files: move them into one, as the release pipeline writes them, or edit the catalog",
            files.len()
        )
    })
}

impl Templates<'_> {
    /// Returns the target catalogs of a template, in mapping order.
    pub fn render_targets(&self, template: &str) -> Result<Vec<RenderTarget>, Refused> {
        let prepared = self.prepare(template, |_| true)?;
        let template = self.session.root(Some(template))?.template();
        let is_semver = matches!(template, Some(Template::Semver(_)));
        prepared
            .into_iter()
            .map(|target| self.compare_target(target, is_semver))
            .collect()
    }

    /// Returns the mapping of a template; `None` if there is none.
    pub fn template_mapping(&self, template: &str) -> Option<TemplateMapping> {
        let template = &self.session.root(Some(template)).ok()?.name;
        let MappingItem { file, mapping, .. } = self.find_mapping(template).ok()?;
        let path = self.session.files.by_id.get(&file)?.path.clone();
        Some(TemplateMapping {
            path,
            next: next_version(&mapping.catalogs),
        })
    }

    /// Returns operations that render a template into these catalogs, named as in the mapping. An
    /// up-to-date catalog needs none.
    ///
    /// # Errors
    ///
    /// If one of them cannot be rendered or written.
    pub fn render_ops(&self, template: &str, catalogs: &[String]) -> Result<Vec<EditOp>, Refused> {
        let prepared = self.prepare(template, |name| {
            catalogs.iter().any(|requested| requested == name)
        })?;
        if let Some(missing) = catalogs
            .iter()
            .find(|requested| prepared.iter().all(|target| target.catalog != **requested))
        {
            return Err(refused!("`{template}` is not rendered into `{missing}`")
                .help("add it to the mapping of the template in `ci.yaml`"));
        }
        let mut ops = Vec::new();
        for target in prepared {
            ops.extend(self.target_ops(target)?);
        }
        Ok(ops)
    }

    /// Returns operations that add a catalog to a template's mapping and render into it. A missing
    /// catalog is created with one file.
    pub fn add_catalog_ops(&self, template: &str, catalog: &str) -> Result<Vec<EditOp>, Refused> {
        let template = self.session.root(Some(template))?.name.clone();
        if catalog.is_empty()
            || catalog.contains(|c: char| c.is_whitespace() || "/\\\"'".contains(c))
        {
            return Err(refused!("`{catalog}` is not a valid catalog name")
                .help("use a name such as v4.22"));
        }
        let MappingItem {
            file,
            index,
            mapping,
        } = self.find_mapping(&template)?;
        if mapping.catalogs.iter().any(|existing| existing == catalog) {
            return Err(refused!(
                "`{template}` is already rendered into `{catalog}`"
            ));
        }
        // Keep the list sorted by version.
        let new_version = catalog_version(catalog);
        let is_before = |existing: &String| match (catalog_version(existing), new_version) {
            (Some(existing), Some(new)) => existing < new,
            _ => true,
        };
        let place = mapping.catalogs.iter().rposition(is_before);
        let place = place.map_or(0, |at| at + 1);
        let list = path!["fbc", "catalog_mapping", index, "catalog_names"];
        let mut ops = self.patch_ops(file, Patch::insert_item(list, place, catalog))?;
        let prepared = Mapping {
            catalogs: vec![catalog.to_owned()],
            ..mapping
        };
        for target in self.prepare_mapped(&template, &prepared, |_| true)? {
            ops.extend(self.target_ops(target)?);
        }
        Ok(ops)
    }

    /// Renders a template for the requested catalogs.
    fn prepare(
        &self,
        template: &str,
        is_requested: impl Fn(&str) -> bool,
    ) -> Result<Vec<PreparedTarget>, Refused> {
        let template = self.session.root(Some(template))?.name.clone();
        match self.find_mapping(&template) {
            Ok(item) => self.prepare_mapped(&template, &item.mapping, is_requested),
            Err(_) => self.prepare_by_origin(&template, is_requested),
        }
    }

    fn prepare_mapped(
        &self,
        template: &str,
        mapping: &Mapping,
        is_requested: impl Fn(&str) -> bool,
    ) -> Result<Vec<PreparedTarget>, Refused> {
        let text = self.template_text(template)?;
        let (above, operator) = operator_layout(template);
        let catalogs = mapping.catalogs.iter().filter(|name| is_requested(name));
        let targets = catalogs.map(|name| {
            let folder = self.folder_of(&above, name, &operator);
            PreparedTarget {
                rendered: self.render_for_catalog(template, name, &folder, mapping.kind, &text),
                catalog: name.clone(),
                files: self.session.files.files_below(&folder),
                folder,
            }
        });
        Ok(targets.collect())
    }

    /// Renders a template that has no mapping, for the catalogs whose package is found to be
    /// rendered from it.
    fn prepare_by_origin(
        &self,
        template: &str,
        is_requested: impl Fn(&str) -> bool,
    ) -> Result<Vec<PreparedTarget>, Refused> {
        let text = self.template_text(template)?;
        let targets = self.rendered_from(template).filter_map(|(root, package)| {
            let root = self.session.root(Some(root)).ok()?;
            let package = root.catalog.package(package)?;
            let mut files: Vec<FileId> = package.packages.iter().map(|blob| blob.file).collect();
            files.extend(package.channels.iter().map(|blob| blob.file));
            files.extend(package.bundles.iter().map(|blob| blob.file));
            files.sort_small();
            files.dedup();
            let first = files.first();
            let folder = first.map_or("", |first| parent(self.session.files.path_of(*first)));
            let catalog = root.label();
            is_requested(catalog).then(|| PreparedTarget {
                rendered: self.render_for_catalog(template, catalog, folder, None, &text),
                catalog: catalog.to_owned(),
                folder: folder.to_owned(),
                files,
            })
        });
        Ok(targets.collect())
    }

    fn render_for_catalog(
        &self,
        template: &str,
        catalog: &str,
        folder: &str,
        kind: Option<TemplateType>,
        text: &[u8],
    ) -> CatalogRendering {
        let no_cache = ReadBundles::default();
        let source = OpenBundles::new(
            self.session,
            &self.catalogs_near(template, folder),
            &no_cache,
        );
        render_for(catalog, text, kind, &source)
    }

    /// Returns the indices of catalogs in the order in which bundles for one of them are looked up:
    /// itself, then the template's other targets, then the rest; by nearest OpenShift version.
    fn catalogs_near(&self, template: &str, folder: &str) -> Vec<usize> {
        let targets: Vec<&str> = self.rendered_from(template).map(|(root, _)| root).collect();
        let own_version = catalog_version(folder);
        let mut catalogs: Vec<usize> = catalog_positions(&self.session.roots).collect();
        catalogs.sort_small_by_key(|&at| {
            let root = &self.session.roots[at];
            let other_version = catalog_version(&root.name);
            let distance = own_version.zip(other_version).map(|(targets, other)| {
                targets.0.abs_diff(other.0) * 1000 + targets.1.abs_diff(other.1)
            });
            (
                !is_below(folder, &root.name),
                !targets.contains(&root.name.as_str()),
                distance.unwrap_or(u64::MAX),
            )
        });
        catalogs
    }

    fn compare_target(
        &self,
        target: PreparedTarget,
        is_semver: bool,
    ) -> Result<RenderTarget, Refused> {
        let state = match (target.files.is_empty(), &target.rendered) {
            (_, CatalogRendering::UnknownBundles(missing)) => {
                TargetState::UnknownBundles(missing.clone())
            }
            (_, CatalogRendering::Refused(reason)) => TargetState::Error(reason.clone()),
            (true, CatalogRendering::Rendered(_)) => TargetState::NoCatalog,
            (false, CatalogRendering::Rendered(rendered)) => {
                match self.read_blobs(&target.files)? {
                    None => TargetState::Error("the catalog cannot be read".to_owned()),
                    Some(known) => match differences(&known, rendered, is_semver) {
                        found if found.is_empty() => TargetState::Fresh,
                        found => TargetState::Stale(found),
                    },
                }
            }
        };
        Ok(RenderTarget {
            refused: split_reason(&target.files).unwrap_or_default(),
            catalog: target.catalog,
            folder: target.folder,
            state,
        })
    }

    /// Drops the template of a file that its next render leaves as it is. Keeps it if a bundle was
    /// edited: rendering takes bundles from the catalog itself and would not notice.
    pub(super) fn without_kept_origin(
        &self,
        mut file: ChangedFile,
    ) -> Result<ChangedFile, Refused> {
        let files = &self.session.files;
        let (saved, current) = files.states(&file.path)?;
        let [old, new] = [saved, current].map(|version| version.and_then(Version::index));
        let new_bundles = bundles_only_in(new, old);
        let is_edited = |old: &&Arc<BundleBlob>| {
            let mut new = new_bundles.iter();
            new.any(|new| new.name.value == old.name.value && new != old)
        };
        if file.rendered_from.is_empty() || bundles_only_in(old, new).iter().any(is_edited) {
            return Ok(file);
        }
        let targets = self.prepare(&file.rendered_from, |catalog| {
            file.path.split('/').any(|part| part == catalog)
        });
        for target in targets.unwrap_or_default() {
            if is_below(&file.path, &target.folder)
                && self
                    .compare_target(target, false)
                    .is_ok_and(|found| found.state == TargetState::Fresh)
            {
                file.rendered_from.clear();
            }
        }
        Ok(file)
    }

    fn target_ops(&self, target: PreparedTarget) -> Result<Vec<EditOp>, Refused> {
        let PreparedTarget {
            catalog,
            folder,
            files,
            rendered,
        } = target;
        let rendered = match rendered {
            CatalogRendering::Rendered(rendered) => rendered,
            CatalogRendering::UnknownBundles(missing) => {
                return Err(
                    refused!("{catalog}: bundles are not open: {}", missing.join(", "))
                        .help("open a catalog or the bundle folders that have them"),
                );
            }
            CatalogRendering::Refused(reason) => {
                return Err(refused!("{catalog}: {reason}"));
            }
        };
        match files[..] {
            [] => {
                let path = format!("{folder}/{FILE_NAME}");
                self.session.changes().text_change_ops(
                    &path,
                    &[],
                    &update_catalog::new_text(&rendered),
                )
            }
            [file] => {
                let (path, version) = self.session.files.named_version(file)?;
                let text = self.session.files.text_of(version)?;
                let index = version.index().cloned().unwrap_or_default();
                let new =
                    update_catalog::updated_text(&text, &index, rendered).map_err(|reason| {
                        refused!("`{path}`: {reason}").help("render it again with `opm`")
                    })?;
                self.session.changes().text_change_ops(path, &text, &new)
            }
            _ => {
                let reason = split_reason(&files).unwrap_or_default();
                Err(refused!("{catalog}: {reason}"))
            }
        }
    }

    /// Returns the blobs of files; `None` if one is unreadable.
    fn read_blobs(&self, files: &[FileId]) -> Result<Option<Vec<Value>>, Refused> {
        let mut blobs = Vec::new();
        for file in files {
            let Some(version) = self.session.files.version(*file) else {
                return Ok(None);
            };
            let Some(index) = version.index() else {
                return Ok(None);
            };
            let text = self.session.files.text_of(version)?;
            match template::freshness::read(&text, index) {
                Some(read) => blobs.extend(read),
                None => return Ok(None),
            }
        }
        Ok(Some(blobs))
    }

    /// Finds the `ci.yaml` item that maps `template`.
    pub(super) fn find_mapping(&self, template: &str) -> Result<MappingItem, Refused> {
        for path in origin::mapping_paths(template) {
            let mappings = self.read_mappings(&path).unwrap_or_default();
            let item = mappings
                .into_iter()
                .find(|(_, mapping)| mapping.template == name_of(template));
            if let Some((index, mapping)) = item {
                return Ok(MappingItem {
                    file: self.session.files.by_path[&path],
                    index,
                    mapping,
                });
            }
        }
        Err(refused!("no `ci.yaml` maps `{template}` to catalogs")
            .help("write a `catalog_mapping` in the `ci.yaml` of the operator's folder"))
    }

    /// Returns operations that change a value of the first blob of a file.
    pub(super) fn patch_ops(&self, file: FileId, patch: Patch) -> Result<Vec<EditOp>, Refused> {
        let (path, version) = self.session.files.named_version(file)?;
        let text = self.session.files.text_of(version)?;
        let cannot_change =
            |reason: &str| refused!("`{path}` cannot be changed: {reason}").help("edit it as text");
        let blob = version.index().and_then(|index| index.blobs.first());
        let blob = blob.ok_or_else(|| cannot_change("it cannot be read"))?;
        let (start, end) = (blob.start as usize, blob.end as usize);
        let targets = text.get(start..end).unwrap_or_default();
        let edited = edit_blob(targets, blob.format, &[patch])
            .map_err(|refusal| cannot_change(&refusal.reason))?;
        let new = [&text[..start], &edited.text, &text[end..]].concat();
        self.session.changes().text_change_ops(path, &text, &new)
    }

    fn template_text(&self, template: &str) -> Result<Vec<u8>, Refused> {
        let version = self.session.files.version_at(template);
        let version = version.ok_or_else(|| refused!("`{template}` no longer exists"))?;
        self.session.files.text_of(version)
    }

    /// Returns the folder of an operator in a catalog: from the repository's layout, or another one
    /// with its name.
    fn folder_of(&self, above: &str, catalog: &str, operator: &str) -> String {
        let usual = join(above, &format!("catalogs/{catalog}/{operator}"));
        if self
            .session
            .files
            .by_path
            .keys()
            .any(|path| is_below(path, &usual))
        {
            return usual;
        }
        let part = format!("/{catalog}/{operator}/");
        let other = self.session.files.by_path.keys().find_map(|path| {
            let path = format!("/{path}");
            let at = path.find(&part)?;
            Some(path[1..at + part.len() - 1].to_owned())
        });
        other.unwrap_or(usual)
    }
}

impl Changes<'_> {
    /// Returns operations that set the text of a file, by its path in the session; a missing file
    /// is created.
    pub fn file_text_ops(&self, path: &str, text: &[u8]) -> Result<Vec<EditOp>, Refused> {
        let old = if self.session.files.has_path(path) {
            self.session.files.bytes(path).unwrap_or_default()
        } else {
            Vec::new()
        };
        self.text_change_ops(path, &old, text)
    }

    /// Returns operations that change the text of a file; a missing file is created.
    pub(super) fn text_change_ops(
        &self,
        path: &str,
        old: &[u8],
        new: &[u8],
    ) -> Result<Vec<EditOp>, Refused> {
        let (catalog, file) = self.named_path(path);
        // Each hunk is reverted, so both sides are swapped. The last hunk comes first.
        let hunks = text_diff(new, old, CONTEXT);
        hunks
            .iter()
            .rev()
            .map(|hunk| {
                let op = hunk.revert(Some(catalog.clone()), &file);
                op.ok_or_else(|| {
                    refused!("a line of `{path}` is not UTF-8 text").help("edit it elsewhere")
                })
            })
            .collect()
    }
}

impl OpenFiles {
    fn files_below(&self, folder: &str) -> Vec<FileId> {
        let below = self
            .by_path
            .iter()
            .filter(|(path, _)| is_below(path, folder));
        below
            .map(|(_, id)| *id)
            .filter(|id| {
                self.version(*id)
                    .and_then(Version::index)
                    .is_some_and(|index| !index.blobs.is_empty())
            })
            .collect()
    }
}

/// Returns the folder that contains `operators`, and the operator's folder, for a template in an
/// operator repository.
fn operator_layout(template: &str) -> (String, String) {
    let folder = parent(template);
    let operator = if name_of(folder) == mapping::FOLDER {
        parent(folder)
    } else {
        folder
    };
    let operators = parent(operator);
    (parent(operators).to_owned(), name_of(operator).to_owned())
}

/// Returns the name after the highest version among these, in the same format.
fn next_version(catalogs: &[String]) -> String {
    let versioned = catalogs.iter().filter_map(|name| {
        let (head, minor) = name.rsplit_once('.')?;
        Some((catalog_version(name)?, head, minor.parse::<u64>().ok()?))
    });
    versioned
        .max_by_key(|(version, ..)| *version)
        .map_or_else(String::new, |(_, head, minor)| {
            format!("{head}.{}", minor + 1)
        })
}

#[cfg(test)]
mod tests;
