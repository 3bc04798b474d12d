//! An operator's `ci.yaml`: which template is rendered into which catalogs.

use super::document::{Document, Node};
use super::files::{Files, ReadFailure};
use super::finding::Problem;
use super::layout::ci_path;
use crate::template::mapping::{self, Mapping};

/// A readable `ci.yaml`.
#[derive(Debug)]
pub(super) struct Ci {
    pub path: String,
    pub document: Document,
    /// The readable items of `fbc.catalog_mapping`, each with its index.
    pub mappings: Vec<(usize, Mapping)>,
}

impl Ci {
    /// The operator's file; `None` if it does not exist.
    pub(super) fn read(files: &dyn Files, operator: &str) -> Result<Option<Self>, Problem> {
        let path = ci_path(operator);
        let problem = |message: String| Problem::new(operator, path.clone(), message);
        let text = match files.read(&path) {
            Ok(text) => text,
            Err(ReadFailure::NotThere) => return Ok(None),
            Err(ReadFailure::Refused(reason)) => return Err(problem(reason)),
        };
        if text.len() as u64 > mapping::LIMIT {
            let message = format!(
                "it has {} bytes; a `ci.yaml` may have at most {}",
                text.len(),
                mapping::LIMIT
            );
            return Err(problem(message));
        }
        let mappings = mapping::read_all(&text);
        let document = Document::read(text).map_err(|wrong| {
            problem(wrong.message)
                .on_line(wrong.line)
                .help("correct the text of the file")
        })?;
        Ok(Some(Self {
            path,
            document,
            mappings,
        }))
    }

    /// `fbc.catalog_mapping` as written.
    pub(super) fn mapping(&self) -> Option<Node<'_>> {
        self.document.root()?.get("fbc")?.get("catalog_mapping")
    }

    /// The line of a catalog's name in a mapping item.
    pub(super) fn line_of_catalog(&self, at: usize, catalog: &str) -> Option<u32> {
        let item = *self.mapping()?.items().get(at)?;
        let names = item.get("catalog_names")?.items();
        let name = names
            .into_iter()
            .find(|name| name.text().as_deref() == Some(catalog));
        name.map(Node::line)
    }

    /// The first line of a mapping item.
    pub(super) fn line_of_mapping(&self, at: usize) -> Option<u32> {
        self.mapping()?.items().get(at).map(|item| item.line())
    }
}
