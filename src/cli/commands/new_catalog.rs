//! `switchyard subset` and `merge`: a new catalog with unchanged bytes; and `migrate`, which reports the saved bytes.

use super::edit::{Manner, carry_out, once_each};
use super::file_changes::{self, OutputFile};
use super::render::{catalog_files, opm_refusal};
use crate::args::author::MigrateArgs;
use crate::args::{MergeArgs, SubsetArgs};
use crate::error::{CliError, CliResult};
use crate::input;
use crate::input::disk::Disk;
use crate::output;
use crate::output::formats::TextOrData;
use crate::write::FolderLocks;
use ::catalog::Catalog;
use ::edit::command_line::quote;
use ::edit::plan::Refused;
use ::edit::plan::bundles::METADATA;
use ::edit::plan::subset::Unreadable;
use protocol::operation::EditOp;
use protocol::subset::{EntrySelection, PackageScoped, Selection};
use session::merge::{
    Conflict, FileConflict, MergeChoice, MergeError, MergeSource, SourceFiles, contributions,
};
use session::merge_files::{MergedFolder, place_files};
use session::{Counts, Session, Subset};
use std::path::{Path, PathBuf};
use verdict::validate::Verdict;

pub(super) fn subset(args: &SubsetArgs) -> CliResult {
    if let Some(out) = &args.out.out {
        file_changes::require_empty(out)?;
    }
    let disk = Disk::open(&args.dir)?;
    let root = disk.root()?;
    let selection = selection(args, root.catalog());
    let unreadable = if args.partial.partial {
        Unreadable::LeftOut
    } else {
        Unreadable::Refused
    };
    let subset = session::subset(&disk.session, None, &selection, unreadable)?;
    report_subset(&disk.name(), root.verdict(), &subset);
    let files = files(&disk, &subset)?;
    match &args.out.out {
        Some(out) => file_changes::write_new(out, files)?,
        None => output::print_raw(&file_changes::join(&files)?)?,
    }
    Ok(0)
}

fn selection(args: &SubsetArgs, catalog: &Catalog) -> Selection {
    let scoped = |values: &[String]| {
        values
            .iter()
            .map(|value| parse_scope(value, catalog))
            .collect::<Vec<_>>()
    };
    Selection {
        packages: args.package.clone(),
        channels: scoped(&args.channel),
        entries: if args.heads_only {
            EntrySelection::Heads
        } else if !args.only.is_empty() {
            EntrySelection::Only(scoped(&args.only))
        } else if !args.to.is_empty() {
            EntrySelection::Between {
                from: scoped(&args.from),
                to: scoped(&args.to),
            }
        } else if !args.from.is_empty() {
            EntrySelection::From(scoped(&args.from))
        } else {
            EntrySelection::All
        },
        default_channels: scoped(&args.default_channel),
    }
}

/// Parses `PACKAGE=VALUE`, or a value for every package. A channel's name may contain `=`, too.
fn parse_scope(text: &str, catalog: &Catalog) -> PackageScoped {
    match text.split_once('=') {
        Some((package, value)) if catalog.package(package).is_some() => {
            PackageScoped::one(package, value)
        }
        _ => PackageScoped::every(text),
    }
}

/// Reads the files of a subset.
fn files(disk: &Disk, subset: &Subset) -> Result<Vec<OutputFile>, CliError> {
    let mut files = Vec::with_capacity(subset.files.len());
    for file in &subset.files {
        let place = disk.place(&file.path);
        let bytes = match disk.session.files().subset_bytes(file)? {
            Some(bytes) => bytes,
            None if file.ignored && place.is_file() => std::fs::read(&place)?,
            None => {
                output::print_note(&format!("skipped {}: not a readable file", file.path));
                continue;
            }
        };
        let path = place
            .strip_prefix(disk.folder())
            .unwrap_or(file.path.as_ref())
            .to_path_buf();
        files.push(OutputFile {
            path,
            counts: !file.ignored,
            bytes,
        });
    }
    Ok(files)
}

/// Reports the kept parts, and whether the result would not pass.
fn report_subset(name: &str, before: &Verdict, subset: &Subset) {
    let Counts {
        packages,
        channels,
        entries,
        bundles,
        ..
    } = subset.remaining;
    let of = subset.total;
    output::print_note(&format!(
        "{packages} of {} packages, {channels} of {} channels, {entries} of {} entries, {bundles} of {} bundles",
        of.packages, of.channels, of.entries, of.bundles
    ));
    let help = match before.passed {
        true => format!("{name} itself passes: please report this as a bug"),
        false => format!(
            "{name} does not pass either; `switchyard validate` shows every problem with its place"
        ),
    };
    would_not_pass(&subset.verdict, &help);
}

/// Reports that a new catalog would not pass `opm validate`.
fn would_not_pass(verdict: &Verdict, help: &str) {
    if let Some(message) = &verdict.opm_message {
        output::print_diagnostic(
            "warning",
            &format!("this would not pass opm validate:\n{message}"),
            None,
            help,
        );
    }
}

pub(super) fn merge(args: &MergeArgs) -> CliResult {
    if let Some(out) = &args.out.out {
        file_changes::require_empty(out)?;
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
            session: &disk.session,
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
    report_merge(&merged, &names, &failing);
    file_changes::write_new(
        out,
        merged
            .files
            .into_iter()
            .map(|file: session::merge_files::MergedFile| OutputFile {
                path: PathBuf::from(&file.path),
                counts: !file.ignored,
                bytes: file.bytes,
            })
            .collect(),
    )?;
    Ok(0)
}

/// Returns the hint for a merged catalog that would not pass: the catalogs that fail on their own.
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
            let Some(bytes) = disk.session.files().subset_bytes(file)? else {
                continue;
            };
            files.push(OutputFile {
                path: disk.folder().join(&file.path),
                counts: true,
                bytes,
            });
        }
    }
    let text = file_changes::join(&files)?;
    let merged = Disk::from_text(Path::new("the merged catalog"), text.clone());
    would_not_pass(merged.root()?.verdict(), failing);
    output::print_raw(&text)?;
    Ok(0)
}

/// Parses `WHAT=DIR`, where both parts may contain `=`.
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

/// Returns unique folder names for files that have to move: the last part of a catalog's path.
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
        output::print_note(&format!("skipped {path}: not a readable file"));
        return Ok(None);
    };
    std::fs::read(&place)
        .map(Some)
        .map_err(|error| Refused::new(format!("{}: {error}", place.display())))
}

/// Reports packages that are in several catalogs, and the catalog that each was taken from.
fn tell_shared(given: &SourceFiles, names: &[String]) {
    for (package, owner) in &given.shared {
        let name = names.get(*owner).map_or("", String::as_str);
        output::print_note(&format!(
            "package {package} is in several catalogs: taken from {name}"
        ));
    }
}

fn report_merge(merged: &MergedFolder, names: &[String], failing: &str) {
    for file in &merged.files {
        let from: Vec<&str> = file
            .from
            .iter()
            .filter_map(|at| names.get(*at))
            .map(String::as_str)
            .collect();
        match (&file.moved_from, &from[..]) {
            (Some(old), [name]) => {
                output::print_note(&format!("{old} of {name} becomes {}", file.path))
            }
            (None, [_, _, ..]) if !file.ignored => {
                output::print_note(&format!(
                    "{} combines the blobs of {}, in that order",
                    file.path,
                    from.join(", ")
                ));
            }
            _ => {}
        }
    }
    let counts = merged.counts;
    output::print_note(&format!(
        "{} packages, {} channels, {} bundles",
        counts.packages, counts.channels, counts.bundles
    ));
    would_not_pass(&merged.verdict, failing);
}

/// Describes every conflict, with its places and the options that resolve it.
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
                let places: Vec<String> = places
                    .iter()
                    .map(|(at, place): &(usize, protocol::diagnostic::Location)| {
                        format!(
                            "{}:{}",
                            Path::new(&name(*at)).join(&place.file).display(),
                            place.line
                        )
                    })
                    .collect();
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

pub(super) fn migrate(args: &MigrateArgs) -> CliResult {
    let folders: [&Path; 1] = [&args.dir];
    if input::is_dash(&args.dir) {
        return Err(
            CliError::new("standard input cannot be edited").hint("name the folder of a catalog")
        );
    }
    let locks = args
        .write
        .then(|| FolderLocks::wait(&folders))
        .transpose()?;
    check(&args.dir)?;
    let op = EditOp::Migrate {
        catalog: None,
        package: None,
    };
    let saved = measure_saving(&args.dir, &op)?;
    let mut disks = [Disk::open(&args.dir)?];
    let manner = Manner {
        locks: locks.as_ref(),
        require_pass: args.require_pass,
        format: TextOrData::Text,
    };
    let status = carry_out(&mut disks, &folders, &[(vec![0], op)], manner)?;
    if let Some((count, before, after)) = saved {
        let less = before.saturating_sub(after);
        output::print_note(&format!(
            "{count} bundles: {before} bytes become {after}, {less} fewer"
        ));
    }
    Ok(status)
}

/// Refuses a folder that `opm` would not render, or that is not a catalog.
fn check(dir: &Path) -> Result<(), CliError> {
    let hint = "`switchyard render --migrate-level` prints a bundle with its metadata";
    let files = catalog_files(dir, "bundle", hint)?;
    bundle::read_catalog(&files).map_err(|refusal| opm_refusal(refusal, Some(dir)))?;
    Ok(())
}

/// Returns the number of changed bundles, and the bytes of changed files before and after; `None` if nothing changes.
fn measure_saving(dir: &Path, op: &EditOp) -> Result<Option<(usize, u64, u64)>, CliError> {
    let mut tried = Disk::open(dir)?;
    let before = with_metadata(&tried.session);
    tried.session.apply("migrate", std::slice::from_ref(op))?;
    let mut sizes = (0, 0);
    for file in tried.session.changes().review()? {
        sizes.0 += file.bytes_before;
        sizes.1 += file.bytes_after;
    }
    let count = with_metadata(&tried.session).saturating_sub(before);
    Ok((count > 0).then_some((count, sizes.0, sizes.1)))
}

fn with_metadata(session: &Session) -> usize {
    let packages = session
        .roots()
        .iter()
        .flat_map(|root| root.catalog().packages());
    let bundles = packages.flat_map(|package| &package.bundles);
    bundles
        .filter(|bundle| {
            bundle
                .properties
                .iter()
                .any(|property| *property.kind == *METADATA)
        })
        .count()
}
