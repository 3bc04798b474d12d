//! `switchyard merge`: several catalogs as one, with unchanged bytes. The user chooses where they differ.

use super::subset::would_not_pass;
use crate::args::MergeArgs;
use crate::error::{CliError, CliResult};
use crate::input::disk::Disk;
use crate::output;
use crate::output::catalog_output::{self, OutputFile};
use fbc::edit::command_line::quote;
use fbc::edit::plan::Refused;
use fbc::edit::plan::subset::Unreadable;
use fbc::workspace::merge::{
    Conflict, FileConflict, MergeChoice, MergeError, MergeSource, SourceFiles, contributions,
};
use fbc::workspace::merge_files::{MergedFolder, place_files};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

pub(super) fn run(args: &MergeArgs) -> CliResult {
    if let Some(out) = &args.out.out {
        catalog_output::require_empty(out)?;
    }
    let names: Vec<String> = args
        .dirs
        .iter()
        .map(|dir| dir.display().to_string())
        .collect();
    once_each(&args.dirs)?;
    let takes = args
        .take
        .iter()
        .map(|take| read_take(take, &args.dirs))
        .collect::<Result<Vec<_>, _>>()?;
    let disks = args
        .dirs
        .iter()
        .map(|dir| Disk::open(dir))
        .collect::<Result<Vec<_>, _>>()?;
    let sources: Vec<MergeSource<'_>> = names
        .iter()
        .zip(&disks)
        .map(|(name, disk)| MergeSource {
            name,
            workspace: &disk.workspace,
        })
        .collect();
    let unreadable = if args.partial.partial {
        Unreadable::LeftOut
    } else {
        Unreadable::Refused
    };
    let given = contributions(&sources, &takes, unreadable)
        .map_err(|error| merge_failure(error, &args.dirs))?;
    tell_shared(&given, &names);
    let failing = failing(&disks)?;
    let Some(out) = &args.out.out else {
        return print(&disks, &given, &failing);
    };
    let read_ignored = |at: usize, path: &str| read_ignored(&disks, at, path);
    let merged = place_files(&sources, &labels(&args.dirs), &given, &takes, &read_ignored)
        .map_err(|error| merge_failure(error, &args.dirs))?;
    tell(&merged, &names, &failing);
    let file = |file: fbc::workspace::merge_files::MergedFile| OutputFile {
        path: PathBuf::from(&file.path),
        counts: !file.ignored,
        bytes: file.bytes,
    };
    catalog_output::write(out, merged.files.into_iter().map(file).collect())?;
    Ok(0)
}

/// The warning if the merged catalog would not pass.
fn failing(disks: &[Disk]) -> Result<String, CliError> {
    let mut failing = Vec::new();
    for disk in disks {
        if !disk.root()?.verdict().passed {
            failing.push(disk.name());
        }
    }
    Ok(match &failing[..] {
        [] => "each catalog passes on its own: please report this as a bug".to_owned(),
        [one] => format!(
            "{one} fails `opm validate` on its own; `switchyard validate` lists its problems"
        ),
        several => format!("{} fail `opm validate` on their own", several.join(", ")),
    })
}

/// Prints the content of all catalogs as one stream, regardless of files.
fn print(disks: &[Disk], given: &SourceFiles, failing: &str) -> CliResult {
    let mut files = Vec::new();
    for (disk, own) in disks.iter().zip(&given.files) {
        for file in own.iter().filter(|file| !file.ignored) {
            let Some(bytes) = disk.workspace.subset_bytes(file)? else {
                continue;
            };
            files.push(OutputFile {
                path: disk.folder().join(&file.path),
                counts: true,
                bytes,
            });
        }
    }
    let text = catalog_output::join(&files)?;
    let merged = Disk::from_text(Path::new("the merged catalog"), text.clone());
    would_not_pass(merged.root()?.verdict(), failing);
    output::raw(&text)?;
    Ok(0)
}

/// `WHAT=DIR`, where both parts may contain `=`.
fn read_take(text: &str, dirs: &[PathBuf]) -> Result<MergeChoice, CliError> {
    for (at, _) in text.match_indices('=') {
        let (what, dir) = (&text[..at], Path::new(&text[at + 1..]));
        if let Some(from) = dirs.iter().position(|own| own == dir) {
            return Ok(MergeChoice {
                what: what.to_owned(),
                from,
            });
        }
    }
    let hint =
        "write --take PACKAGE=DIR or --take FILE=DIR, with DIR spelled as on the command line";
    Err(CliError::new(format!("--take {text} names none of the catalogs")).hint(hint))
}

fn once_each(dirs: &[PathBuf]) -> Result<(), CliError> {
    let mut seen = BTreeSet::new();
    for dir in dirs {
        if !seen.insert(dir.canonicalize().unwrap_or_else(|_| dir.clone())) {
            return Err(CliError::new(format!("{} is named twice", dir.display()))
                .hint("name each catalog once"));
        }
    }
    Ok(())
}

/// Unique folder names for files that have to move: the last part of a catalog's path.
fn labels(dirs: &[PathBuf]) -> Vec<String> {
    let mut labels: Vec<String> = Vec::new();
    for dir in dirs {
        let whole = dir.canonicalize().unwrap_or_else(|_| dir.clone());
        let name = whole.file_name().map_or_else(
            || "catalog".to_owned(),
            |name| name.to_string_lossy().into_owned(),
        );
        let numbered = (2..).map(|number| format!("{name}-{number}"));
        labels.extend(
            std::iter::once(name.clone())
                .chain(numbered)
                .find(|label| !labels.contains(label)),
        );
    }
    labels
}

fn read_ignored(disks: &[Disk], at: usize, path: &str) -> Result<Option<Vec<u8>>, Refused> {
    let Some(place) = disks
        .get(at)
        .map(|disk| disk.place(path))
        .filter(|place| place.is_file())
    else {
        output::note(&format!("skipped {path}: not a readable file"));
        return Ok(None);
    };
    std::fs::read(&place)
        .map(Some)
        .map_err(|error| Refused::new(format!("{}: {error}", place.display())))
}

/// Reports things that are in several catalogs, and the catalog that each was taken from.
fn tell_shared(given: &SourceFiles, names: &[String]) {
    for (package, owner) in &given.shared {
        let name = names.get(*owner).map_or("", String::as_str);
        output::note(&format!(
            "package {package} is in several catalogs: taken from {name}"
        ));
    }
}

fn tell(merged: &MergedFolder, names: &[String], failing: &str) {
    for file in &merged.files {
        let from: Vec<&str> = file
            .from
            .iter()
            .filter_map(|at| names.get(*at))
            .map(String::as_str)
            .collect();
        match (&file.moved_from, &from[..]) {
            (Some(old), [name]) => output::note(&format!("{old} of {name} becomes {}", file.path)),
            (None, [_, _, ..]) if !file.ignored => {
                output::note(&format!(
                    "{} combines the blobs of {}, in that order",
                    file.path,
                    from.join(", ")
                ));
            }
            _ => {}
        }
    }
    let counts = merged.counts;
    output::note(&format!(
        "{} packages, {} channels, {} bundles",
        counts.packages, counts.channels, counts.bundles
    ));
    would_not_pass(&merged.verdict, failing);
}

/// Every conflict, with its places and the options that resolve it.
fn merge_failure(error: MergeError, dirs: &[PathBuf]) -> CliError {
    let conflicts = match error {
        MergeError::Refused(refused) => return refused.into(),
        MergeError::Conflicts(conflicts) => conflicts,
    };
    let name = |at: usize| {
        dirs.get(at)
            .map_or_else(String::new, |dir| dir.display().to_string())
    };
    let mut lines = Vec::new();
    for conflict in &conflicts {
        let (what, sources, line) = match conflict {
            Conflict::Package {
                name: package,
                places,
            } => {
                let place = |(at, place): &(usize, protocol::diagnostic::Location)| {
                    format!(
                        "{}:{}",
                        Path::new(&name(*at)).join(&place.file).display(),
                        place.line
                    )
                };
                let places: Vec<String> = places.iter().map(place).collect();
                let sources: Vec<usize> = sources_of(conflict);
                (
                    package,
                    sources,
                    format!(
                        "package `{package}` is not the same in {}",
                        places.join(" and ")
                    ),
                )
            }
            Conflict::File { path, why, .. } => {
                let sources = sources_of(conflict);
                let places: Vec<String> = sources
                    .iter()
                    .map(|at| Path::new(&name(*at)).join(path).display().to_string())
                    .collect();
                let why = match why {
                    FileConflict::Formats => "one is YAML and the other JSON",
                    FileConflict::Contents => "neither has blobs, and their content differs",
                    FileConflict::Ignored => "only one of them is ignored by an `.indexignore`",
                };
                (
                    path,
                    sources,
                    format!("{} cannot be merged: {why}", places.join(" and ")),
                )
            }
        };
        lines.push(line);
        lines.extend(
            sources
                .iter()
                .map(|at| format!("  --take {}", quote(&format!("{what}={}", name(*at))))),
        );
    }
    let count = match conflicts.len() {
        1 => "one conflict".to_owned(),
        count => format!("{count} conflicts"),
    };
    CliError::new(format!(
        "{count} between the catalogs; nothing was merged\n{}",
        lines.join("\n")
    ))
    .hint("add one --take for each; `switchyard diff` shows how packages differ")
}

fn sources_of(conflict: &Conflict) -> Vec<usize> {
    match conflict {
        Conflict::Package { places, .. } => places.iter().map(|(at, _)| *at).collect(),
        Conflict::File { sources, .. } => sources.clone(),
    }
}
