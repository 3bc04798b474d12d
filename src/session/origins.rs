//! Determines which packages of open catalogs are rendered from which open templates. Computed on
//! first use, and again after a template changes.

use super::Templates;
use catalog::Content;
use catalog::roots::parent;
use std::collections::{BTreeMap, BTreeSet};
use template::mapping::{self, Mapping};
use template::origin::{self, FolderMapping, Origin, Source};

/// By catalog name and package name.
pub(super) type Origins = BTreeMap<(String, String), Origin>;

impl<'w> Templates<'w> {
    /// Returns the template of a catalog's package; `None` if none was found.
    pub fn origin_of(&self, root: &str, package: &str) -> Option<&'w Origin> {
        self.origins().get(&(root.to_owned(), package.to_owned()))
    }

    /// Returns the template of a catalog's file, by its path in the session.
    pub fn origin_of_file(&self, path: &str) -> Option<&'w Origin> {
        let root = self
            .session
            .roots
            .iter()
            .find(|root| root.is_catalog() && root.contains_file(path))?;
        if self.origins().is_empty() {
            return None;
        }
        let index = root.catalog().file_at(root.relative(path))?.index()?;
        index
            .blobs
            .iter()
            .find_map(|blob| self.origin_of(&root.name, blob.body.package()?))
    }

    /// Returns the names of the catalogs and packages rendered from a template, by its path.
    pub fn rendered_from<'t>(
        &self,
        template: &'t str,
    ) -> impl Iterator<Item = (&'w str, &'w str)> + use<'w, 't> {
        let rendered = self
            .origins()
            .iter()
            .filter(move |(_, origin)| origin.template == template);
        rendered.map(|((root, package), _)| (root.as_str(), package.as_str()))
    }

    fn origins(&self) -> &'w Origins {
        let session = self.session;
        session.origins.get_or_init(|| self.find_origins())
    }

    fn find_origins(&self) -> Origins {
        let sources: Vec<Source<'_>> = self
            .session
            .roots
            .iter()
            .filter_map(|root| {
                Some(Source {
                    path: &root.name,
                    template: root.template()?,
                })
            })
            .collect();
        if sources.is_empty() {
            return Origins::new();
        }
        let mapped = self.mapping_files(&sources);
        let mut origins = Origins::new();
        for root in self.session.roots.iter().filter(|root| root.is_catalog()) {
            for package in root
                .catalog()
                .packages()
                .filter(|package| !package.name.is_empty())
            {
                let first_blob = package.blobs().next();
                let first_blob = first_blob.and_then(|blob| root.catalog().file(blob.file));
                let path = first_blob.map(|file| root.full_path(&file.path));
                if let Some(origin) =
                    path.and_then(|path| origin::find_origin(package, &path, &sources, &mapped))
                {
                    origins.insert((root.name.clone(), package.name.to_string()), origin);
                }
            }
        }
        origins
    }

    fn mapping_files(&self, sources: &[Source<'_>]) -> Vec<FolderMapping> {
        let paths: BTreeSet<String> = sources
            .iter()
            .flat_map(|source| origin::mapping_paths(source.path))
            .collect();
        paths
            .iter()
            .filter_map(|path| self.mapping_file(path))
            .collect()
    }

    fn mapping_file(&self, path: &str) -> Option<FolderMapping> {
        let mappings = self.read_mappings(path)?.into_iter();
        Some(FolderMapping {
            folder: parent(path).to_owned(),
            mappings: mappings.map(|(_, mapping)| mapping).collect(),
        })
    }

    /// Returns the mappings of a `ci.yaml` with their indices; `None` if it is not read.
    pub(super) fn read_mappings(&self, path: &str) -> Option<Vec<(usize, Mapping)>> {
        let version = self.session.files.version_at(path)?;
        let is_read = matches!(version.content, Content::Indexed(_))
            && version.pieces.len() <= mapping::MAX_BYTES;
        let text = self.session.files.text_of(version).ok();
        text.filter(|_| is_read)
            .map(|text| mapping::read_all(&text))
    }
}
