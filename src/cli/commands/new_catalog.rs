//! `switchyard subset` and `merge`: a new catalog, with the unchanged bytes of existing ones.

use super::edit::require_distinct;
use super::output_folder::{self, OutputFile};
use crate::args::{MergeArgs, SubsetArgs};
use crate::error::{CliError, CliResult};
use crate::input::catalog_name;
use crate::input::disk::Disk;
use crate::output;
use ::catalog::Catalog;
use ::edit::command_line::quote;
use ::edit::plan::Refused;
use ::edit::plan::subset::Unreadable;
use ::edit::refused;
use protocol::subset::{EntrySelection, LostRequirement, PackageScoped, Selection};
use session::merge::{
    Conflict, FileConflict, MergeChoice, MergeError, MergeSource, SourceFiles, contributions,
};
use session::merge_files::{MergedFolder, place_files};
use session::{Counts, Subset};
use std::path::{Path, PathBuf};
use verdict::validate::Verdict;

pub(super) fn subset(args: &SubsetArgs) -> CliResult {
    if let Some(out) = &args.out.out {
        output_folder::require_empty(out)?;
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
    let files = read_subset(&disk, &subset)?;
    match &args.out.out {
        Some(out) => output_folder::write_new(out, files)?,
        None => output::print_raw(&output_folder::join(&files)?)?,
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

fn read_subset(disk: &Disk, subset: &Subset) -> Result<Vec<OutputFile>, CliError> {
    let mut files = Vec::with_capacity(subset.files.len());
    for file in &subset.files {
        let on_disk = disk.path_on_disk(&file.path);
        let bytes = match disk.session.files().subset_bytes(file)? {
            Some(bytes) => bytes,
            None if file.ignored && on_disk.is_file() => std::fs::read(&on_disk)?,
            None => {
                output::print_note(&format!("skipped {}: not a readable file", file.path));
                continue;
            }
        };
        let path = on_disk
            .strip_prefix(disk.folder())
            .unwrap_or(file.path.as_ref())
            .to_path_buf();
        files.push(OutputFile {
            path,
            has_blobs: !file.ignored,
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
    } = subset.remaining;
    let total = subset.total;
    output::print_note(&format!(
        "{packages} of {} packages, {channels} of {} channels, {entries} of {} entries, {bundles} of {} bundles",
        total.packages, total.channels, total.entries, total.bundles
    ));
    let removals = subset.losses.removals().into_iter();
    let requirements = subset
        .losses
        .requirements
        .iter()
        .map(LostRequirement::sentence);
    for line in removals.chain(requirements) {
        output::print_note(&line);
    }
    let help = if before.passed {
        format!("{name} itself passes: please report this as a bug")
    } else {
        format!(
            "{name} does not pass either; `switchyard validate` shows every problem with its place"
        )
    };
    warn_if_failing(&subset.verdict, &help);
}

/// Warns if a new catalog would not pass `opm validate`.
fn warn_if_failing(verdict: &Verdict, help: &str) {
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
        output_folder::require_empty(out)?;
    }
    let names: Vec<String> = args
        .dirs
        .iter()
        .map(|dir| dir.display().to_string())
        .collect();
    require_distinct(&args.dirs)?;
    let choices = args
        .take
        .iter()
        .map(|text| parse_choice(text, &args.dirs))
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
    let contributions = contributions(&sources, &choices, unreadable)
        .map_err(|error| merge_error(error, &args.dirs))?;
    report_shared_packages(&contributions, &names);
    let failing_hint = failing_hint(&disks)?;
    let Some(out) = &args.out.out else {
        return print_merged(&disks, &contributions, &failing_hint);
    };
    let merged = place_files(
        &sources,
        &folder_labels(&args.dirs),
        &contributions,
        &choices,
        &|source, path| read_ignored(&disks, source, path),
    )
    .map_err(|error| merge_error(error, &args.dirs))?;
    report_merge(&merged, &names, &failing_hint);
    let files = merged.files.into_iter().map(|file| OutputFile {
        path: PathBuf::from(&file.path),
        has_blobs: !file.ignored,
        bytes: file.bytes,
    });
    output_folder::write_new(out, files.collect())?;
    Ok(0)
}

/// Returns the hint for a merged catalog that would not pass: the catalogs that fail on their own.
fn failing_hint(disks: &[Disk]) -> Result<String, CliError> {
    let mut failing = Vec::new();
    for disk in disks {
        if !disk.root()?.verdict().passed {
            failing.push(disk.name());
        }
    }
    Ok(match &failing[..] {
        [] => "each catalog passes on its own: please report this as a bug".to_owned(),
        [name] => format!(
            "{name} fails `opm validate` on its own; `switchyard validate` lists its problems"
        ),
        names => format!("{} fail `opm validate` on their own", names.join(", ")),
    })
}

/// Prints the merged catalog as one stream, regardless of files.
fn print_merged(disks: &[Disk], contributions: &SourceFiles, failing_hint: &str) -> CliResult {
    let mut files = Vec::new();
    for (disk, contributed) in disks.iter().zip(&contributions.files) {
        for file in contributed.iter().filter(|file| !file.ignored) {
            let Some(bytes) = disk.session.files().subset_bytes(file)? else {
                continue;
            };
            files.push(OutputFile {
                path: disk.folder().join(&file.path),
                has_blobs: true,
                bytes,
            });
        }
    }
    let text = output_folder::join(&files)?;
    let merged = Disk::from_text(Path::new("the merged catalog"), text.clone());
    warn_if_failing(merged.root()?.verdict(), failing_hint);
    output::print_raw(&text)?;
    Ok(0)
}

/// Parses `PACKAGE=DIR` or `FILE=DIR`. Both parts may contain `=`.
fn parse_choice(text: &str, dirs: &[PathBuf]) -> Result<MergeChoice, CliError> {
    for (position, _) in text.match_indices('=') {
        let (what, dir) = (&text[..position], Path::new(&text[position + 1..]));
        if let Some(from) = dirs.iter().position(|candidate| candidate == dir) {
            return Ok(MergeChoice {
                what: what.to_owned(),
                from,
            });
        }
    }
    let hint =
        "write --take PACKAGE=DIR or --take FILE=DIR, with DIR spelled as on the command line";
    Err(cli_error!("--take {text} names none of the catalogs").hint(hint))
}

/// Returns a unique folder name for each catalog, for files that have to move: the last part of
/// its path, with a number if that is taken.
fn folder_labels(dirs: &[PathBuf]) -> Vec<String> {
    let mut labels: Vec<String> = Vec::new();
    for dir in dirs {
        let path = dir.canonicalize().unwrap_or_else(|_| dir.clone());
        let name = catalog_name(&path);
        let numbered = (2..).map(|number| format!("{name}-{number}"));
        let mut candidates = std::iter::once(name.clone()).chain(numbered);
        labels.extend(candidates.find(|label| !labels.contains(label)));
    }
    labels
}

/// Reads an ignored file of the catalog with this index. Notes a file that cannot be read.
fn read_ignored(disks: &[Disk], source: usize, path: &str) -> Result<Option<Vec<u8>>, Refused> {
    let Some(on_disk) = disks
        .get(source)
        .map(|disk| disk.path_on_disk(path))
        .filter(|on_disk| on_disk.is_file())
    else {
        output::print_note(&format!("skipped {path}: not a readable file"));
        return Ok(None);
    };
    std::fs::read(&on_disk)
        .map(Some)
        .map_err(|error| refused!("{}: {error}", on_disk.display()))
}

/// Reports packages that are in several catalogs, and the catalog that each was taken from.
fn report_shared_packages(contributions: &SourceFiles, names: &[String]) {
    for (package, owner) in &contributions.shared {
        let name = names.get(*owner).map_or("", String::as_str);
        output::print_note(&format!(
            "package {package} is in several catalogs: taken from {name}"
        ));
    }
}

fn report_merge(merged: &MergedFolder, names: &[String], failing_hint: &str) {
    for file in &merged.files {
        let from: Vec<&str> = file
            .from
            .iter()
            .filter_map(|source| names.get(*source))
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
    warn_if_failing(&merged.verdict, failing_hint);
}

/// Describes every conflict, with its locations and the options that resolve it.
fn merge_error(error: MergeError, dirs: &[PathBuf]) -> CliError {
    let conflicts = match error {
        MergeError::Refused(refused) => return refused.into(),
        MergeError::Conflicts(conflicts) => conflicts,
    };
    let lines: Vec<String> = conflicts
        .iter()
        .map(|conflict| describe_conflict(conflict, dirs))
        .collect();
    let count = match conflicts.len() {
        1 => "one conflict".to_owned(),
        count => format!("{count} conflicts"),
    };
    cli_error!(
        "{count} between the catalogs; nothing was merged\n{}",
        lines.join("\n")
    )
    .hint("add one --take for each; `switchyard diff` shows how packages differ")
}

/// Describes a conflict on one line, and each option that resolves it on another.
fn describe_conflict(conflict: &Conflict, dirs: &[PathBuf]) -> String {
    let dir = |source: usize| dirs.get(source).map_or(Path::new(""), PathBuf::as_path);
    let (subject, sources, description) = match conflict {
        Conflict::Package { name, places } => {
            let locations: Vec<String> = places
                .iter()
                .map(|(source, location)| {
                    let path = dir(*source).join(&location.file);
                    format!("{}:{}", path.display(), location.line)
                })
                .collect();
            let sources = places.iter().map(|(source, _)| *source).collect();
            let locations = locations.join(" and ");
            (
                name,
                sources,
                format!("package `{name}` is not the same in {locations}"),
            )
        }
        Conflict::File { path, why, sources } => {
            let paths: Vec<String> = sources
                .iter()
                .map(|source| dir(*source).join(path).display().to_string())
                .collect();
            let why = match why {
                FileConflict::Formats => "one is YAML and the other JSON",
                FileConflict::Contents => "neither has blobs, and their content differs",
                FileConflict::Ignored => "only one of them is ignored by an `.indexignore`",
            };
            (
                path,
                sources.clone(),
                format!("{} cannot be merged: {why}", paths.join(" and ")),
            )
        }
    };
    let options = sources.into_iter().map(|source| {
        let choice = format!("{subject}={}", dir(source).display());
        format!("\n  --take {}", quote(&choice))
    });
    description + &options.collect::<String>()
}
