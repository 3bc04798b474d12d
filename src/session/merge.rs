//! Merges several catalogs: decides the contribution of each. Nothing is chosen silently: if
//! catalogs disagree on a package, the caller selects one. [`super::merge_files`] places the files.
//!
//! Packages are equal if their blobs have the same values in any order and spelling; the first
//! catalog's text is used. Blobs with unknown schemas, without a package or of a missing package
//! are all kept, each value as often as in the catalog that repeats it most.

use super::subset::{SubsetFile, remaining_files};
use super::{Refused, Session};
use catalog::Catalog;
use catalog::model::{BlobLocation, Body, FileId, Package};
use edit::plan::subset::{Unreadable, unreadable_blobs};
use edit::plan::{CatalogView, PlanStep};
use edit::refused;
use protocol::diagnostic::Location;
use std::collections::{BTreeMap, BTreeSet};
use syntax::hashed::HashMap;
use syntax::place::{Place, Text};
use syntax::value::canonical_json;

#[derive(Clone, Copy)]
pub struct MergeSource<'a> {
    /// The caller's name for it in refusals.
    pub name: &'a str,
    /// Its only root is the catalog.
    pub session: &'a Session,
}

/// Selects the source of a package or file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeChoice {
    /// The name of a package, or the path of a file.
    pub what: String,
    pub from: usize,
}

/// A disagreement between catalogs, which are given by index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Conflict {
    /// A package with different content, and its location in each catalog.
    Package {
        name: String,
        places: Vec<(usize, Location)>,
    },
    /// Files with one path that cannot be joined, and why.
    File {
        path: String,
        sources: Vec<usize>,
        why: FileConflict,
    },
}

/// Why files with one path cannot be joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileConflict {
    /// One is YAML and the other JSON.
    Formats,
    /// They contain no blobs and differ.
    Contents,
    /// An `.indexignore` excludes only one of them.
    Ignored,
}

/// Why catalogs were not merged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MergeError {
    Refused(Refused),
    /// The conflicts without a choice.
    Conflicts(Vec<Conflict>),
}

impl From<Refused> for MergeError {
    fn from(refused: Refused) -> Self {
        MergeError::Refused(refused)
    }
}

/// The contributions of each catalog, by index.
#[derive(Debug, Clone)]
pub struct SourceFiles {
    pub files: Vec<Vec<SubsetFile>>,
    /// Packages in several catalogs, with the selected one.
    pub shared: BTreeMap<Text, usize>,
}

/// Decides which catalog contributes each package and blob. Ignores `choices` of files.
pub fn contributions(
    sources: &[MergeSource<'_>],
    choices: &[MergeChoice],
    unreadable: Unreadable,
) -> Result<SourceFiles, MergeError> {
    let catalogs = sources
        .iter()
        .map(source_catalog)
        .collect::<Result<Vec<_>, _>>()?;
    let steps = catalogs
        .iter()
        .map(|catalog| unreadable_blobs(&CatalogView::new(catalog), unreadable));
    let mut steps = steps
        .zip(sources)
        .map(|(steps, source)| steps.map_err(|refused| name_source(source, refused)))
        .collect::<Result<Vec<Vec<PlanStep>>, _>>()?;
    for choice in choices {
        check_choice(sources, &catalogs, choice)?;
    }
    let (owners, shared) = owners(sources, &catalogs, choices)?;
    for (at, catalog) in catalogs.iter().enumerate() {
        let lost = own_packages(catalog).filter(|package| owners.get(&package.name) != Some(&at));
        steps[at].extend(lost.flat_map(Package::blobs).map(remove_blob));
    }
    let mut others: HashMap<String, u32> = HashMap::default();
    for ((source, catalog), steps) in sources.iter().zip(&catalogs).zip(&mut steps) {
        drop_duplicate_others(source, catalog, &mut others, steps)?;
    }
    let files = sources.iter().zip(steps).map(|(source, steps)| {
        let root = source.session.root(None)?;
        remaining_files(&source.session.files, root, steps, unreadable)
            .map_err(|refused| name_source(source, refused))
    });
    Ok(SourceFiles {
        files: files.collect::<Result<_, _>>()?,
        shared,
    })
}

fn source_catalog<'a>(source: &MergeSource<'a>) -> Result<&'a Catalog, Refused> {
    let root = source.session.root(None)?;
    if root.is_template() {
        return Err(refused!("`{}` is a template, not a catalog", source.name)
            .help("render it first and merge the result"));
    }
    Ok(root.catalog())
}

/// Refuses a choice that names neither a package nor a file of its catalog.
fn check_choice(
    sources: &[MergeSource<'_>],
    catalogs: &[&Catalog],
    choice: &MergeChoice,
) -> Result<(), Refused> {
    let name = sources.get(choice.from).map_or("", |source| source.name);
    if catalogs.get(choice.from).is_some_and(|catalog| {
        catalog.package(&choice.what).is_some() || catalog.file_at(&choice.what).is_some()
    }) {
        return Ok(());
    }
    Err(
        refused!("{name} has neither a package nor a file `{}`", choice.what)
            .help("name a package or file that several catalogs have, and one of those catalogs"),
    )
}

/// Adds the catalog's name to a refusal.
pub(super) fn name_source(source: &MergeSource<'_>, refused: Refused) -> Refused {
    Refused {
        reason: format!("{}: {}", source.name, refused.reason),
        ..refused
    }
}

/// Returns the packages that contain more than blobs of unknown schemas.
fn own_packages(catalog: &Catalog) -> impl Iterator<Item = &Package> {
    catalog
        .packages()
        .map(|package| &**package)
        .filter(|package| {
            let contributed =
                package.packages.len() + package.channels.len() + package.bundles.len();
            !package.name.is_empty() && contributed + package.deprecations.len() > 0
        })
}

fn remove_blob(BlobLocation { file, index, .. }: BlobLocation) -> PlanStep {
    PlanStep::RemoveBlob { file, index }
}

/// The selected catalog of each package; the second map contains only packages of several catalogs.
type Owners = (BTreeMap<Text, usize>, BTreeMap<Text, usize>);

fn owners(
    sources: &[MergeSource<'_>],
    catalogs: &[&Catalog],
    choices: &[MergeChoice],
) -> Result<Owners, MergeError> {
    let mut holders: BTreeMap<Text, Vec<(usize, &Package)>> = BTreeMap::new();
    for (at, catalog) in catalogs.iter().enumerate() {
        for package in own_packages(catalog) {
            holders
                .entry(package.name.clone())
                .or_default()
                .push((at, package));
        }
    }
    let (mut owners, mut shared, mut conflicts) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
    for (name, sharing) in holders {
        let chosen = choices
            .iter()
            .rfind(|choice| choice.what == *name)
            .map(|choice| choice.from);
        let owner = match (chosen, &sharing[..]) {
            (Some(from), _) if sharing.iter().any(|(at, _)| *at == from) => from,
            (_, [(first, _), others @ ..])
                if others.is_empty() || have_equal_blobs(sources, &sharing)? =>
            {
                *first
            }
            _ => {
                let places = sharing
                    .iter()
                    .filter_map(|(at, package)| Some((*at, location(catalogs.get(*at)?, package))))
                    .collect();
                conflicts.push(Conflict::Package {
                    name: name.to_string(),
                    places,
                });
                continue;
            }
        };
        if sharing.len() > 1 {
            shared.insert(name.clone(), owner);
        }
        owners.insert(name, owner);
    }
    if conflicts.is_empty() {
        Ok((owners, shared))
    } else {
        Err(MergeError::Conflicts(conflicts))
    }
}

/// Returns the location of a package's first blob.
fn location(catalog: &Catalog, package: &Package) -> Location {
    let first = package.blobs().next();
    first.map_or_else(Location::default, |blob| {
        catalog.location(blob.file, blob.index, Place::default())
    })
}

fn have_equal_blobs(
    sources: &[MergeSource<'_>],
    holders: &[(usize, &Package)],
) -> Result<bool, Refused> {
    if holders
        .windows(2)
        .any(|pair| pair[0].1.blobs().count() != pair[1].1.blobs().count())
    {
        return Ok(false);
    }
    let mut first: Option<Vec<String>> = None;
    for (at, package) in holders {
        let Some(source) = sources.get(*at) else {
            continue;
        };
        let mut values = package
            .blobs()
            .map(|blob| blob_value(source, blob.file, blob.index))
            .collect::<Result<Vec<_>, _>>()?;
        values.sort_unstable();
        match &first {
            None => first = Some(values),
            Some(first) if *first == values => {}
            Some(_) => return Ok(false),
        }
    }
    Ok(true)
}

/// Returns a blob's value, independent of spelling; without a value, its text.
fn blob_value(source: &MergeSource<'_>, file: FileId, index: u32) -> Result<String, Refused> {
    let (text, format) = source.session.files.blob_bytes(file, index)?;
    let tree = syntax::parse(&text, format).ok();
    let value = tree.and_then(|tree| canonical_json(&tree, &text, tree.root()?).ok());
    Ok(value.unwrap_or_else(|| String::from_utf8_lossy(&text).into_owned()))
}

/// Drops blobs of unknown schemas that other catalogs already contribute. `contributed` has the
/// number of blobs by value.
fn drop_duplicate_others(
    source: &MergeSource<'_>,
    catalog: &Catalog,
    contributed: &mut HashMap<String, u32>,
    steps: &mut Vec<PlanStep>,
) -> Result<(), Refused> {
    let owned: BTreeSet<&str> = own_packages(catalog)
        .map(|package| &*package.name)
        .collect();
    let mut counts: HashMap<String, u32> = HashMap::default();
    for file in catalog.files().iter().filter(|file| !file.ignored) {
        let Some(index) = file.index() else { continue };
        for (number, blob) in (0..).zip(&index.blobs) {
            let Body::Other(other) = &blob.body else {
                continue;
            };
            if owned.contains(other.package.as_str()) {
                continue;
            }
            let value = blob_value(source, file.id, number)?;
            let count = counts.entry(value.clone()).or_default();
            *count += 1;
            let contributed = contributed.entry(value).or_default();
            if *count <= *contributed {
                steps.push(PlanStep::RemoveBlob {
                    file: file.id,
                    index: number,
                });
            } else {
                *contributed = *count;
            }
        }
    }
    Ok(())
}
