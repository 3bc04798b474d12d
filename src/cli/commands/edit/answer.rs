//! The result of an edit: as JSON for programs, and the diff of a template's rendered catalog.

use crate::error::CliError;
use crate::input::disk::Disk;
use crate::{output, output::file_changes};
use fbc::diff::{self, FilePatch};
use fbc::workspace::{Preview, Root};
use serde_json::{Value, json};
use std::path::Path;

/// An edited catalog or template.
pub(super) struct Edited {
    /// As given on the command line.
    catalog: String,
    is_changed: bool,
    summary: String,
    /// `None` for a template with missing bundles.
    passed: Option<bool>,
    opm_message: Option<String>,
    rendered: Option<Rendered>,
}

/// The rendered catalog of a template.
struct Rendered {
    missing: Vec<String>,
    refused: Option<String>,
    /// The diff of the rendered catalog.
    patch: String,
}

/// Whether a rendered catalog has all of its bundles, so that `opm` has a verdict on it.
pub(super) fn is_complete(root: &Root) -> bool {
    root.rendering()
        .is_none_or(|rendering| rendering.is_complete())
}

impl Edited {
    pub(super) fn new(
        folder: &Path,
        disk: &Disk,
        preview: &Preview,
        is_changed: bool,
        summary: String,
    ) -> Result<Self, CliError> {
        let rendered = disk.rendered_root().and_then(|root| {
            let rendering = root.rendering()?;
            // A made-up name: the rendered catalog is not on disk.
            let path = format!("{}.rendered", disk.template().unwrap_or_default());
            let files = preview.files.iter().filter(|file| file.is_rendered);
            let patches = files.map(|file| FilePatch {
                path: path.as_bytes(),
                is_new: false,
                hunks: &file.hunks,
            });
            Some(Rendered {
                missing: rendering
                    .missing
                    .iter()
                    .map(|missing| missing.reference.clone())
                    .collect(),
                refused: rendering.refused.clone(),
                patch: String::from_utf8_lossy(&diff::patch(&patches.collect::<Vec<_>>()))
                    .into_owned(),
            })
        });
        let judged = disk.rendered_root().map_or_else(|| disk.root(), Ok)?;
        let verdict = Some(judged)
            .filter(|root| is_complete(root) && !root.is_template())
            .map(Root::verdict);
        Ok(Self {
            catalog: folder.display().to_string(),
            is_changed,
            summary,
            passed: verdict.map(|verdict| verdict.passed),
            opm_message: verdict.and_then(|verdict| verdict.opm_message.clone()),
            rendered,
        })
    }

    /// Prints the diff of the rendered catalog separately from the template's patch, which is input for `git apply`.
    pub(super) fn print_rendered(&self) {
        let Some(rendered) = &self.rendered else {
            return;
        };
        if let Some(refused) = &rendered.refused {
            output::lines(&format!("{} cannot be rendered: {refused}", self.catalog));
            return;
        }
        if !rendered.missing.is_empty() {
            let missing = rendered.missing.join(", ");
            output::note(&format!(
                "{}: left out missing bundles: {missing}",
                self.catalog
            ));
        }
        match rendered.patch.is_empty() {
            true if self.is_changed => {
                output::note(&format!("{} renders to the same catalog", self.catalog))
            }
            true => {}
            false => output::lines(&format!("{} renders to:\n{}", self.catalog, rendered.patch)),
        }
    }

    fn to_json(&self) -> Value {
        let rendered = self
            .rendered
            .as_ref()
            .map(|rendered| json!({"missing": rendered.missing, "refused": rendered.refused, "patch": rendered.patch}));
        json!({
            "catalog": self.catalog,
            "changed": self.is_changed,
            "passed": self.passed,
            "opm_message": self.opm_message,
            "summary": self.summary,
            "rendered": rendered,
        })
    }
}

/// The result as JSON.
pub(super) fn to_json(edited: &[Edited], disks: &[Disk], written: bool) -> Result<Value, CliError> {
    let files = file_changes::files(disks)?;
    Ok(json!({
        "format": output::FORMAT,
        "catalogs": edited.iter().map(Edited::to_json).collect::<Vec<_>>(),
        "files": files.into_iter().map(|(file, new)| json!({"file": file, "new": new})).collect::<Vec<_>>(),
        "patch": String::from_utf8_lossy(&file_changes::patch(disks)?),
        "written": written,
    }))
}
