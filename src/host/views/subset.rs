//! Subsets of a catalog: their content and files.

use ::bundle::dockerfile::{DEFAULT_IMAGE, Dockerfile};
use edit::plan::subset::Unreadable;
use edit::refused;
use protocol::subset::{SavedSubset, Selection, SubsetCounts, SubsetView};
use session::{Counts, Refused, Root, Session, Subset};
use std::collections::BTreeMap;

const RENDER_FIRST: &str = "render the template to a catalog, and choose that";

pub(crate) fn view(
    session: &Session,
    root: &str,
    selection: &Selection,
) -> Result<SubsetView, Refused> {
    let subset = cut_subset(session, root, selection)?;
    let (kept, left_out): (Vec<_>, Vec<_>) = subset.files.iter().partition(|file| file.is_read());
    Ok(SubsetView {
        kept: counts(subset.remaining),
        total: counts(subset.total),
        passed: subset.verdict.passed,
        message: subset.verdict.opm_message.clone().unwrap_or_default(),
        files: kept
            .into_iter()
            .map(|file| (file.path.clone(), file.len()))
            .collect(),
        left_out: left_out.into_iter().map(|file| file.path.clone()).collect(),
        losses: subset.losses,
    })
}

/// Returns the files of a subset: paths, beginning with the folder's name, and bytes.
pub(crate) fn files(
    session: &Session,
    subset: &SavedSubset,
) -> Result<Vec<(String, Vec<u8>)>, Refused> {
    let name = &subset.name;
    if name.is_empty() || name.starts_with('.') || name.contains(['/', '\\', '\0']) {
        return Err(refused!("`{name}` is not a valid folder name")
            .help("use letters, digits, `-` and `.`, without a `.` at the start"));
    }
    let cut = cut_subset(session, &subset.root, &subset.selection)?;
    let mut files = Vec::with_capacity(cut.files.len() + 1);
    for file in &cut.files {
        if let Some(bytes) = session.files().subset_bytes(file)? {
            files.push((format!("{name}/{}", file.path), bytes));
        }
    }
    if subset.dockerfile {
        files.push((format!("{name}.Dockerfile"), dockerfile(name).into_bytes()));
    }
    Ok(files)
}

/// Returns the Dockerfile of a catalog's folder, as written by `opm generate dockerfile`.
pub(crate) fn dockerfile(folder: &str) -> String {
    Dockerfile {
        folder,
        builder: DEFAULT_IMAGE,
        base: DEFAULT_IMAGE,
        labels: &BTreeMap::new(),
    }
    .text()
}

/// Returns a root that is a folder of files; refuses templates and rendered catalogs.
pub(crate) fn catalog<'s>(session: &'s Session, root: &str) -> Result<&'s Root, Refused> {
    let found = session.root(Some(root))?;
    if found.is_catalog() {
        return Ok(found);
    }
    let reason = if found.is_template() {
        format!("`{root}` is a template, not a catalog")
    } else {
        format!("`{root}` is rendered and has no folder on disk")
    };
    Err(Refused::new(reason).help(RENDER_FIRST))
}

fn cut_subset(session: &Session, root: &str, selection: &Selection) -> Result<Subset, Refused> {
    catalog(session, root)?;
    session::subset(session, Some(root), selection, Unreadable::Refused)
}

fn counts(counts: Counts) -> SubsetCounts {
    let Counts {
        packages,
        channels,
        entries,
        bundles,
    } = counts;
    SubsetCounts {
        packages,
        channels,
        entries,
        bundles,
    }
}
