//! Places the files of merged catalogs. Each keeps its path; blobs of several catalogs with one
//! path are concatenated, which loses nothing and is reported. Anything else is a conflict: with a
//! choice, one catalog keeps the path; the others' files with blobs move to a folder named after
//! their catalog, and their other files are dropped.
//!
//! The merged folder is then read as `opm` would: ignore patterns of one catalog must not hide a
//! file of another.

use super::Refused;
use super::merge::{
    Conflict, FileConflict, MergeChoice, MergeError, MergeSource, SourceFiles, name_source,
};
use super::subset::{Counts, SubsetFile};
use catalog::ignore;
use catalog::index::index_bytes;
use catalog::model::FileId;
use catalog::roots::name_of;
use catalog::{Catalog, Content, TreeEntry};
use edit::concatenate::{ConcatenatedFile, concatenate};
use edit::refused;
use std::collections::BTreeMap;
use std::sync::Arc;
use syntax::tree::Format;
use verdict::validate::{self, Verdict};

/// Several catalogs merged into one folder.
#[derive(Debug, Clone)]
pub struct MergedFolder {
    pub files: Vec<MergedFile>,
    pub verdict: Verdict,
    pub counts: Counts,
}

#[derive(Debug, Clone)]
pub struct MergedFile {
    pub path: String,
    /// Excluded by an `.indexignore`, or the patterns themselves.
    pub ignored: bool,
    pub bytes: Vec<u8>,
    /// Indices of the source catalogs, in the order of its blobs.
    pub from: Vec<usize>,
    /// The original path, if the file was moved.
    pub moved_from: Option<String>,
}

/// Reads an ignored file, which the session has not read, by the catalog's index and the path.
/// `None` if it cannot be read.
pub type ReadIgnored<'r> = dyn Fn(usize, &str) -> Result<Option<Vec<u8>>, Refused> + 'r;

/// Places the files of all catalogs in one folder. `labels` are folder names for moved files.
pub fn place_files(
    sources: &[MergeSource<'_>],
    labels: &[String],
    contributions: &SourceFiles,
    choices: &[MergeChoice],
    read_ignored: &ReadIgnored<'_>,
) -> Result<MergedFolder, MergeError> {
    let mut by_path: BTreeMap<&str, Vec<(usize, &SubsetFile)>> = BTreeMap::new();
    for (at, files) in contributions.files.iter().enumerate() {
        for file in files {
            by_path.entry(&file.path).or_default().push((at, file));
        }
    }
    let reader = Reader {
        sources,
        read_ignored,
    };
    let (mut files, mut conflicts) = (Vec::new(), Vec::new());
    for (path, parts) in by_path {
        let chosen = choices
            .iter()
            .rfind(|choice| choice.what == path)
            .map(|choice| choice.from);
        let winner = chosen.and_then(|from| parts.iter().find(|(at, _)| *at == from).copied());
        match (&parts[..], winner) {
            ([only], _) => files.extend(reader.file(path, &[*only])?),
            (_, Some(winner)) => {
                files.extend(reader.file(path, &[winner])?);
                for other in parts
                    .iter()
                    .filter(|(at, file)| *at != winner.0 && has_blobs(file))
                {
                    let label = labels.get(other.0).map_or("other", String::as_str);
                    let moved =
                        reader.file(&format!("{label}/{path}"), std::slice::from_ref(other))?;
                    files.extend(moved.map(|file| MergedFile {
                        moved_from: Some(path.to_owned()),
                        ..file
                    }));
                }
            }
            (_, None) => match find_conflict(&reader, &parts)? {
                None => files.extend(reader.file(path, &parts)?),
                Some(why) => {
                    let sources = parts.iter().map(|(at, _)| *at).collect();
                    conflicts.push(Conflict::File {
                        path: path.to_owned(),
                        sources,
                        why,
                    });
                }
            },
        }
    }
    if !conflicts.is_empty() {
        return Err(MergeError::Conflicts(conflicts));
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    check_paths(sources, &files)?;
    let catalog = merged_catalog(&files);
    check_ignored(sources, &files, &catalog)?;
    let (verdict, counts) = (validate::judge(&catalog), Counts::from_catalog(&catalog));
    Ok(MergedFolder {
        files,
        verdict,
        counts,
    })
}

fn has_blobs(file: &SubsetFile) -> bool {
    !file.ignored && file.index().is_some_and(|index| !index.blobs.is_empty())
}

/// Returns why files with one path cannot be joined; `None` if they can or are equal.
fn find_conflict(
    reader: &Reader<'_, '_>,
    parts: &[(usize, &SubsetFile)],
) -> Result<Option<FileConflict>, Refused> {
    let with_blobs = parts.iter().filter(|(_, file)| has_blobs(file)).count();
    if with_blobs == parts.len() {
        let blobs = parts
            .iter()
            .filter_map(|(_, file)| file.index())
            .flat_map(|index| &index.blobs);
        let mut formats: Vec<Format> = blobs.map(|blob| blob.format).collect();
        formats.dedup();
        return Ok((formats.len() > 1).then_some(FileConflict::Formats));
    }
    if with_blobs > 0 {
        return Ok(Some(FileConflict::Ignored));
    }
    let texts = parts
        .iter()
        .map(|file| reader.bytes(*file))
        .collect::<Result<Vec<_>, _>>()?;
    Ok(texts
        .windows(2)
        .any(|pair| pair[0] != pair[1])
        .then_some(FileConflict::Contents))
}

struct Reader<'a, 'r> {
    sources: &'a [MergeSource<'a>],
    read_ignored: &'a ReadIgnored<'r>,
}

impl Reader<'_, '_> {
    fn bytes(&self, (at, file): (usize, &SubsetFile)) -> Result<Option<Vec<u8>>, Refused> {
        let Some(source) = self.sources.get(at) else {
            return Ok(None);
        };
        let bytes = source
            .session
            .files
            .subset_bytes(file)
            .map_err(|refused| name_source(source, refused))?;
        match bytes {
            Some(bytes) => Ok(Some(bytes)),
            None => (self.read_ignored)(at, &file.path),
        }
    }

    /// Joins these files; `None` if none can be read.
    fn file(
        &self,
        path: &str,
        parts: &[(usize, &SubsetFile)],
    ) -> Result<Option<MergedFile>, Refused> {
        let mut texts = Vec::with_capacity(parts.len());
        for part in parts {
            texts.extend(self.bytes(*part)?);
        }
        let ignored = parts.iter().all(|(_, file)| file.ignored);
        let from = parts.iter().map(|(at, _)| *at).collect();
        let bytes = match parts.iter().filter(|(_, file)| has_blobs(file)).count() {
            0 | 1 => match texts.into_iter().next() {
                Some(bytes) => bytes,
                None => return Ok(None),
            },
            _ => concatenate(
                &texts
                    .iter()
                    .map(|text| ConcatenatedFile { path, text })
                    .collect::<Vec<_>>(),
            )?,
        };
        Ok(Some(MergedFile {
            path: path.to_owned(),
            ignored,
            bytes,
            from,
            moved_from: None,
        }))
    }
}

/// Refuses duplicate paths, and files where a folder must be.
fn check_paths(sources: &[MergeSource<'_>], files: &[MergedFile]) -> Result<(), Refused> {
    let by_path: BTreeMap<&str, &MergedFile> =
        files.iter().map(|file| (&*file.path, file)).collect();
    if let Some([first, second]) = files.windows(2).find(|pair| pair[0].path == pair[1].path) {
        let reason = format!(
            "two files would be named `{}`: one from {}, one from {}",
            first.path,
            source_name(sources, first),
            source_name(sources, second)
        );
        return Err(Refused::new(reason).help("rename one of the files first"));
    }
    for file in files {
        let folders = file
            .path
            .match_indices('/')
            .filter_map(|(at, _)| file.path.get(..at));
        if let Some(other) = folders.filter_map(|folder| by_path.get(folder)).next() {
            let reason = format!(
                "`{}` is a file in {}, and a folder in {}",
                other.path,
                source_name(sources, other),
                source_name(sources, file)
            );
            return Err(Refused::new(reason).help("rename one of them first"));
        }
    }
    Ok(())
}

fn source_name<'s>(sources: &[MergeSource<'s>], file: &MergedFile) -> &'s str {
    let source = file.from.first().and_then(|at| sources.get(*at));
    source.map_or("", |source| source.name)
}

fn merged_catalog(files: &[MergedFile]) -> Catalog {
    Catalog::new(
        "",
        files
            .iter()
            .zip(0..)
            .map(|(file, number)| {
                let content = if name_of(&file.path) == ignore::FILE_NAME {
                    Content::Ignore(file.bytes.as_slice().into())
                } else {
                    Content::Indexed(Arc::new(index_bytes(&file.bytes)))
                };
                TreeEntry {
                    id: FileId(number),
                    path: file.path.clone(),
                    content,
                }
            })
            .collect(),
    )
}

/// Checks that ignore patterns have the same effect as before.
fn check_ignored(
    sources: &[MergeSource<'_>],
    files: &[MergedFile],
    catalog: &Catalog,
) -> Result<(), Refused> {
    for file in files {
        let is_ignored = catalog.file_at(&file.path).is_some_and(|file| file.ignored);
        if is_ignored == file.ignored {
            continue;
        }
        let source = source_name(sources, file);
        let path = &file.path;
        return Err(if is_ignored {
            refused!("the `.indexignore` of another catalog would ignore `{path}` of {source}")
                .help("change that `.indexignore` first")
        } else {
            refused!(
                "`{path}` of {source} is ignored now, but would not be in the merged catalog"
            )
            .help("remove the file first, or add its pattern to the other catalog's `.indexignore`")
        });
    }
    Ok(())
}
