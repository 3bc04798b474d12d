//! Finds the template that a package of a catalog is rendered from.
//!
//! The first applicable rule decides:
//! 1. a `ci.yaml` that maps the template names exactly its target catalogs;
//! 2. a template named after an OCP version is rendered into the catalog of that version;
//! 3. its bundles have the images of the package's bundles;
//! 4. it defines the package or is named after it, and is next to or above the catalog.
//!
//! Among several templates, the strongest reason wins, then the nearest one, then the first by
//! path.

use super::mapping::{FILE_NAME, FOLDER, Mapping};
use catalog::model::{Package, Template};
use catalog::roots::{is_below, join, name_of, openshift_version, parent};
use std::collections::HashSet;

#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// Path in the session.
    pub path: &'a str,
    pub template: &'a Template,
}

/// The mappings of one `ci.yaml`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderMapping {
    /// The folder of the `ci.yaml`.
    pub folder: String,
    pub mappings: Vec<Mapping>,
}

/// Why a package is considered rendered from a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum OriginReason {
    /// Only its name and location.
    Beside,
    Images,
    /// A `ci.yaml`.
    Mapping,
}

/// The template of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// Path of the template in the session.
    pub template: String,
    pub reason: OriginReason,
}

/// Finds the template that `package`, with its own file `path`, is rendered from.
pub fn find_origin(
    package: &Package,
    path: &str,
    sources: &[Source<'_>],
    mappings: &[FolderMapping],
) -> Option<Origin> {
    if sources.is_empty() {
        return None;
    }
    let images: HashSet<&str> = package
        .bundles
        .iter()
        .map(|bundle| bundle.image.as_str())
        .collect();
    let best = sources
        .iter()
        .filter_map(|source| {
            let reason = origin_reason(source, &package.name, path, &images, mappings)?;
            let is_for_version = target_version(source.path).is_some();
            Some((
                (reason, is_for_version, shared_parts(source.path, path)),
                source.path,
            ))
        })
        // `max_by` returns the last of equals, but the first should win.
        .rev()
        .max_by_key(|(rank, _)| *rank);
    best.map(|((reason, ..), template)| Origin {
        template: template.to_owned(),
        reason,
    })
}

/// Returns why a package may be rendered from a template; `None` if it is not.
fn origin_reason(
    source: &Source<'_>,
    package: &str,
    path: &str,
    images: &HashSet<&str>,
    mappings: &[FolderMapping],
) -> Option<OriginReason> {
    let shares_images = || {
        source
            .template
            .images()
            .iter()
            .any(|image| images.contains(&***image))
    };
    let defines = source.template.packages().any(|name| **name == *package);
    let defines_any = source.template.packages().next().is_some();
    if defines_any && !defines {
        return None;
    }
    if let Some((folder, mapping)) = find_mapping(source.path, mappings) {
        let mut catalogs = mapping?.catalogs.iter();
        let targets_catalog = catalogs.any(|name| path.split('/').any(|part| part == name));
        // A mapping does not name packages: if the template does not either, the operator's folder
        // does.
        let is_of_package = defines || shares_images() || name_of(folder) == package;
        return (targets_catalog && is_of_package).then_some(OriginReason::Mapping);
    }
    if let (Some(target), Some(version)) = (target_version(source.path), openshift_version(path))
        && target != version
    {
        return None;
    }
    if shares_images() {
        return Some(OriginReason::Images);
    }
    let folder = parent(source.path);
    let is_near = is_below(path, folder) || is_below(path, parent(folder));
    ((defines || source.path.split('/').any(|part| stem(part) == package)) && is_near)
        .then_some(OriginReason::Beside)
}

/// Finds the mapping that decides about a template: the folder of its `ci.yaml`, and the item for
/// the template, if any. Returns `None` without a `ci.yaml`.
fn find_mapping<'m>(
    template: &str,
    mappings: &'m [FolderMapping],
) -> Option<(&'m str, Option<&'m Mapping>)> {
    let (folder, name) = (parent(template), name_of(template));
    let operator = folder
        .strip_suffix(FOLDER)
        .map(|above| above.trim_end_matches('/'))
        .unwrap_or(folder);
    let folder_mapping = mappings
        .iter()
        .find(|folder| folder.folder == operator && !folder.mappings.is_empty())?;
    Some((
        &folder_mapping.folder,
        folder_mapping
            .mappings
            .iter()
            .find(|mapping| mapping.template == name),
    ))
}

/// Returns the possible paths of a template's mapping.
pub fn mapping_paths(template: &str) -> Vec<String> {
    let folder = parent(template);
    let mut paths = vec![join(folder, FILE_NAME)];
    if name_of(folder) == FOLDER {
        paths.push(join(parent(folder), FILE_NAME));
    }
    paths
}

/// Returns the OCP version in a template's name or folder.
fn target_version(path: &str) -> Option<(u64, u64)> {
    let without_extension = path
        .rsplit_once('.')
        .filter(|(_, end)| !end.contains('/'))
        .map_or(path, |(path, _)| path);
    openshift_version(without_extension)
}

/// Returns the number of leading folders that two paths share.
fn shared_parts(a: &str, b: &str) -> usize {
    parent(a)
        .split('/')
        .zip(b.split('/'))
        .take_while(|(a, b)| a == b)
        .count()
}

fn stem(part: &str) -> &str {
    part.rsplit_once('.').map_or(part, |(stem, _)| stem)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{mapping, template_of_file};
    use catalog::index::index_bytes;
    use catalog::model::{FileId, FileIndex};
    use catalog::{Catalog, Content, TreeEntry};
    use std::sync::Arc;

    fn basic(package: &str, image: &str) -> FileIndex {
        let text = format!(
            "schema: olm.template.basic\nentries:\n- {{schema: olm.package, name: {package}}}\n- {{schema: olm.bundle, image: {image}}}\n"
        );
        index_bytes(text.as_bytes())
    }

    fn semver(image: &str) -> FileIndex {
        index_bytes(
            format!("Schema: olm.semver\nStable:\n  Bundles: [{{Image: {image}}}]\n").as_bytes(),
        )
    }

    /// Returns the template at `path` of package `p` with one bundle, image `q/p:v1`.
    fn origin(
        path: &str,
        templates: &[(&str, FileIndex)],
        ci: &[(&str, &str)],
    ) -> Option<(String, OriginReason)> {
        let text = "schema: olm.package\nname: p\n---\nschema: olm.bundle\npackage: p\nname: p.v1.0.0\nimage: q/p:v1\n";
        let content = Content::Indexed(Arc::new(index_bytes(text.as_bytes())));
        let catalog = Catalog::new(
            "",
            vec![TreeEntry {
                id: FileId(0),
                path: path.to_owned(),
                content,
            }],
        );
        let sources: Vec<Source<'_>> = templates
            .iter()
            .filter_map(|(path, index)| {
                Some(Source {
                    path,
                    template: template_of_file(index)?,
                })
            })
            .collect();
        let mappings: Vec<FolderMapping> = ci
            .iter()
            .map(|(folder, text)| FolderMapping {
                folder: (*folder).to_owned(),
                mappings: mapping::read(text.as_bytes()),
            })
            .collect();
        let found = find_origin(catalog.package("p").expect("p"), path, &sources, &mappings);
        found.map(|origin| (origin.template, origin.reason))
    }

    const CI: &str = "fbc:\n  catalog_mapping:\n  - {template_name: old.yaml, catalog_names: [v4.18], type: x}\n  - {template_name: \
        new.yaml, catalog_names: [v4.19, v4.20], type: x}\n";

    #[test]
    fn a_mapping_decides_and_ignores_other_catalogs() {
        let templates = [
            (
                "operators/p/catalog-templates/new.yaml",
                basic("p", "q/p:v1"),
            ),
            (
                "operators/p/catalog-templates/old.yaml",
                basic("p", "q/p:v1"),
            ),
            (
                "operators/p/catalog-templates/unused.yaml",
                basic("p", "q/p:v1"),
            ),
            (
                "operators/o/catalog-templates/new.yaml",
                basic("o", "q/o:v1"),
            ),
        ];
        let ci = [("operators/p", CI), ("operators/o", CI)];
        let find_origin = |version: &str| {
            origin(
                &format!("catalogs/{version}/p/catalog.yaml"),
                &templates,
                &ci,
            )
        };
        let mapped_to = |name: &str| {
            Some((
                format!("operators/p/catalog-templates/{name}"),
                OriginReason::Mapping,
            ))
        };
        assert_eq!(find_origin("v4.18"), mapped_to("old.yaml"));
        assert_eq!(find_origin("v4.20"), mapped_to("new.yaml"));
        assert_eq!(find_origin("v4.21"), None, "no template maps to it");
    }

    #[test]
    fn a_semver_template_is_recognized_by_its_folder_or_its_images() {
        let template = |image: &str| [("operators/p/catalog-templates/new.yaml", semver(image))];
        let path = "catalogs/v4.19/p/catalog.yaml";
        let mapped = Some((
            "operators/p/catalog-templates/new.yaml".to_owned(),
            OriginReason::Mapping,
        ));
        assert_eq!(
            origin(path, &template("q/other:v1"), &[("operators/p", CI)]),
            mapped
        );
        let by_images = [("veneer/any.yaml", semver("q/p:v1"))];
        assert_eq!(
            origin("catalog/p/catalog.yaml", &by_images, &[]),
            Some(("veneer/any.yaml".to_owned(), OriginReason::Images))
        );
        assert_eq!(
            origin(
                "catalog/p/catalog.yaml",
                &[("veneer/any.yaml", semver("q/o:v1"))],
                &[]
            ),
            None
        );
    }

    #[test]
    fn without_a_mapping_the_version_and_the_place_decide() {
        let templates = [
            ("v4.18/catalog-template.yaml", basic("p", "mirror/p:v1")),
            ("v4.19/catalog-template.yaml", basic("p", "mirror/p:v1")),
        ];
        let template_of = |path: &str| origin(path, &templates, &[]).map(|(template, _)| template);
        assert_eq!(
            template_of("v4.19/catalog/p/catalog.json").as_deref(),
            Some("v4.19/catalog-template.yaml")
        );
        assert_eq!(template_of("v4.20/catalog/p/catalog.json"), None);
        let beside = [
            ("a/p/graph.yaml", basic("p", "mirror/p:v1")),
            ("b/p/graph.yaml", basic("p", "mirror/p:v1")),
        ];
        let near = Some(("b/p/graph.yaml".to_owned(), OriginReason::Beside));
        assert_eq!(origin("b/p/catalog/p/catalog.yaml", &beside, &[]), near);
        assert_eq!(
            origin(
                "c/p/catalog.yaml",
                &[("far/away/graph.yaml", basic("p", "mirror/p:v1"))],
                &[]
            ),
            None
        );
        assert_eq!(
            origin(
                "c/p/catalog.yaml",
                &[("c/graph.yaml", basic("o", "q/p:v1"))],
                &[]
            ),
            None,
            "another package"
        );
    }

    #[test]
    fn mappings_are_beside_templates_or_above_their_folder() {
        let paths = [
            "operators/p/catalog-templates/ci.yaml",
            "operators/p/ci.yaml",
        ];
        assert_eq!(
            mapping_paths("operators/p/catalog-templates/basic.yaml"),
            paths
        );
        assert_eq!(mapping_paths("template.yaml"), ["ci.yaml"]);
    }
}
