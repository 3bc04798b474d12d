//! `switchyard subset`: a part of a catalog as a catalog, with unchanged bytes.

use crate::args::SubsetArgs;
use crate::error::{CliError, CliResult};
use crate::input::disk::Disk;
use crate::output;
use crate::output::catalog_output::{self, OutputFile};
use fbc::catalog::Catalog;
use fbc::edit::plan::subset::Unreadable;
use fbc::validate::Verdict;
use fbc::workspace::{Counts, Subset};
use protocol::subset::{EntrySelection, PackageScoped, Selection};

pub(super) fn run(args: &SubsetArgs) -> CliResult {
    if let Some(out) = &args.out.out {
        catalog_output::require_empty(out)?;
    }
    let disk = Disk::open(&args.dir)?;
    let root = disk.root()?;
    let selection = selection(args, root.catalog());
    let unreadable = if args.partial.partial {
        Unreadable::LeftOut
    } else {
        Unreadable::Refused
    };
    let subset = disk.workspace.subset(None, &selection, unreadable)?;
    tell(&disk.name(), root.verdict(), &subset);
    let files = files(&disk, &subset)?;
    match &args.out.out {
        Some(out) => catalog_output::write(out, files)?,
        None => output::raw(&catalog_output::join(&files)?)?,
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

/// `PACKAGE=VALUE`, or a value for every package. A channel's name may contain `=`, too.
fn parse_scope(text: &str, catalog: &Catalog) -> PackageScoped {
    match text.split_once('=') {
        Some((package, value)) if catalog.package(package).is_some() => {
            PackageScoped::one(package, value)
        }
        _ => PackageScoped::every(text),
    }
}

/// The files with their texts.
pub(super) fn files(disk: &Disk, subset: &Subset) -> Result<Vec<OutputFile>, CliError> {
    let mut files = Vec::with_capacity(subset.files.len());
    for file in &subset.files {
        let place = disk.place(&file.path);
        let bytes = match disk.workspace.subset_bytes(file)? {
            Some(bytes) => bytes,
            None if file.ignored && place.is_file() => std::fs::read(&place)?,
            None => {
                output::note(&format!("skipped {}: not a readable file", file.path));
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
fn tell(name: &str, before: &Verdict, subset: &Subset) {
    let Counts {
        packages,
        channels,
        entries,
        bundles,
        ..
    } = subset.kept;
    let of = subset.of;
    output::note(&format!(
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
pub(super) fn would_not_pass(verdict: &Verdict, help: &str) {
    if let Some(message) = &verdict.opm_message {
        output::print_diagnostic(
            "warning",
            &format!("this would not pass opm validate:\n{message}"),
            None,
            help,
        );
    }
}
