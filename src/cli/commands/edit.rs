//! `switchyard edit`: applies operations to a folder or a template, or the same ones to several. Prints the patch or
//! writes the files. All operations succeed in all folders, or nothing changes.

mod answer;

use super::{file_changes, render};
use crate::args::OperationInputs;
use crate::args::edit::EditArgs;
use crate::error::{self, CliError, CliResult};
use crate::input::disk::{Disk, only_package};
use crate::input::templates::{self, Rendered};
use crate::input::{self, config_file};
use crate::output;
use crate::output::formats::TextOrData;
use crate::write::FolderLocks;
use ::catalog::model::{Package, Template};
use ::edit::command_line;
use ::edit::plan::bundles::nothing_to_migrate;
use ::edit::plan::icon;
use answer::{Edited, is_complete};
use protocol::operation::EditOp;
use session::{Preview, Refused};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::io::BufRead;
use std::path::{Path, PathBuf};

pub(super) fn run(args: EditArgs) -> CliResult {
    let folders: Vec<&Path> = std::iter::once(&args.dir)
        .chain(&args.also_in)
        .map(PathBuf::as_path)
        .collect();
    once_each(&folders)?;
    if folders.iter().any(|folder| input::is_dash(folder)) {
        return Err(
            CliError::new("standard input cannot be edited").hint("name the folder of a catalog")
        );
    }
    // Don't hold the lock while the user is still writing the operations.
    let lines = match args.stdin && args.operation.is_none() {
        true => from_lines(std::io::stdin().lock(), &folders)?,
        false => Vec::new(),
    };
    let locks = args
        .write
        .then(|| FolderLocks::wait(&folders))
        .transpose()?;
    let mut disks = folders
        .iter()
        .map(|folder| Disk::open_any(folder, &args.known))
        .collect::<Result<Vec<_>, _>>()?;
    let ops: Vec<(Vec<usize>, EditOp)> = match (args.operation, args.stdin) {
        (Some(_), true) => {
            return Err(
                CliError::new("both an operation and --stdin are given").hint("use one of them")
            );
        }
        (None, false) => {
            return Err(CliError::new("no operation").hint("`switchyard edit --help` lists them"));
        }
        (Some(operation), false) => match disks.first() {
            Some(disk) => {
                let ops = operation.into_ops(&OnDisk(disk))?.into_iter();
                ops.map(|op| ((0..folders.len()).collect(), op)).collect()
            }
            None => Vec::new(),
        },
        (None, true) => lines,
    };
    let mut opened = BTreeMap::new();
    let ops = ops
        .into_iter()
        .map(|(targets, op)| Ok((targets, with_data(op, &mut opened)?)))
        .collect::<Result<Vec<_>, CliError>>()?;
    let manner = Manner {
        locks: locks.as_ref(),
        require_pass: args.require_pass,
        format: args.format,
    };
    carry_out(&mut disks, &folders, &ops, manner)
}

/// The output options of an edit.
#[derive(Debug, Clone, Copy)]
pub(super) struct Manner<'a> {
    /// `None` prints the patch and writes nothing.
    pub(super) locks: Option<&'a FolderLocks>,
    pub(super) require_pass: bool,
    pub(super) format: TextOrData,
}

/// Applies each operation in the folders at its indices, and prints the patch or writes the files.
pub(super) fn carry_out(
    disks: &mut [Disk],
    folders: &[&Path],
    ops: &[(Vec<usize>, EditOp)],
    args: Manner<'_>,
) -> CliResult {
    let several = disks.len() > 1;
    let mut first: Option<Preview> = None;
    let mut notes: Vec<String> = Vec::new();
    let mut edited: Vec<Edited> = Vec::new();
    for (at, disk) in disks.iter_mut().enumerate() {
        let own: Vec<EditOp> = ops
            .iter()
            .filter(|(targets, _)| targets.contains(&at))
            .map(|(_, op)| for_template(op, disk.template()))
            .collect();
        let folder = folders.get(at).copied().unwrap_or(Path::new("."));
        // An unreadable configuration does not prevent an edit; `validate` reports it.
        if let Ok(source) = config_file::advice(folder, None, None) {
            disk.session.set_advice_source(source);
        }
        if folder.is_dir() {
            let packages = own
                .iter()
                .filter_map(|op| op.package().map(str::to_owned))
                .collect();
            templates::render_nearby(disk, folder, &packages)?
                .iter()
                .for_each(warn);
        }
        let prefix = if several {
            format!("{}: ", disk.name())
        } else {
            String::new()
        };
        let preview = disk
            .session
            .preview(&own)
            .map_err(|error| in_folder(mention_unreadable(error, &own, disk), &prefix))?;
        let writes = match (args.locks.is_some(), args.require_pass) {
            (false, _) => Writes::Nothing,
            (true, false) => Writes::All,
            (true, true) => Writes::WhatPasses,
        };
        report_failing(&preview, &prefix, folder, writes);
        if several {
            if let Some(reason) = first.as_ref().and_then(|first| first.differs(&preview)) {
                notes.push(format!(
                    "{prefix}differs from {}: {reason}",
                    folders
                        .first()
                        .map_or(Path::new("."), |first| first)
                        .display()
                ));
            }
            first.get_or_insert_with(|| preview.clone());
        }
        let before = disk.root()?.catalog().clone();
        let applied = disk
            .session
            .apply("edit", &own)
            .map_err(|error| in_folder(error, &prefix))?;
        if !applied.files.is_empty() {
            for remark in answer::remarks(&own, &before, disk.root()?.catalog()) {
                let message = format!("{prefix}{}", remark.message);
                output::print_diagnostic("note", &message, None, &remark.help);
            }
        }
        answer::print_new_warnings(&applied.consequences.problems_gained, &prefix);
        let summary = applied.consequences.summary();
        if applied.files.is_empty() {
            let reason = match &own[..] {
                [EditOp::Migrate { package, .. }] => {
                    let catalog = disk.root()?.catalog();
                    let is_selected =
                        |p: &&Package| package.as_deref().is_none_or(|name| &*p.name == name);
                    nothing_to_migrate(catalog.packages().map(|p| &**p).filter(is_selected))
                }
                _ => "nothing to change: the catalog already says so".to_owned(),
            };
            notes.push(format!("{prefix}{reason}"));
        } else if !summary.is_empty() {
            notes.push(format!("{prefix}{summary}"));
        }
        edited.push(Edited::new(
            folder,
            disk,
            &preview,
            !applied.files.is_empty(),
            summary,
        )?);
    }
    if args.require_pass && report_catalogs_that_fail(disks)? {
        return Ok(error::FAILED);
    }
    let TextOrData::Data(form) = args.format else {
        if let Some(locks) = args.locks {
            for path in file_changes::write(disks, locks)? {
                output::print_note(&format!("wrote {path}"));
            }
        } else {
            output::print_raw(&file_changes::patch(disks)?)?;
        }
        edited.iter().for_each(Edited::print_rendered);
        notes.iter().for_each(|line| output::print_note(line));
        return Ok(0);
    };
    let answer = answer::to_json(&edited, disks, args.locks.is_some())?;
    if let Some(locks) = args.locks {
        file_changes::write(disks, locks)?;
    }
    output::print_data(form, &answer)?;
    Ok(0)
}

/// Retargets an operation to the open template, if there is one.
fn for_template(op: &EditOp, template: Option<&str>) -> EditOp {
    let mut op = op.clone();
    if let Some(template) = template {
        *op.catalog_mut() = Some(template.to_owned());
    }
    op
}

/// Reports the catalogs that would not pass and returns whether there are any. A template has no verdict, but its
/// rendered catalog has.
fn report_catalogs_that_fail(disks: &[Disk]) -> Result<bool, CliError> {
    let mut is_there = false;
    for disk in disks {
        let root = disk
            .rendered_root()
            .filter(|root| is_complete(root))
            .map_or_else(|| disk.root(), Ok)?;
        if let Some(message) = root
            .verdict()
            .opm_message
            .as_ref()
            .filter(|_| !root.is_template())
        {
            let message = format!(
                "{} would not pass opm validate:\n{}",
                disk.name(),
                message.trim_end()
            );
            output::print_diagnostic(
                "error",
                &message,
                None,
                "nothing was written; leave out --require-pass to do it anyway",
            );
            is_there = true;
        }
    }
    Ok(is_there)
}

/// The files that a run writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Writes {
    Nothing,
    /// With `--require-pass`: nothing if a catalog fails.
    WhatPasses,
    All,
}

/// Reports a package that passes now and will fail, with alternatives that keep it passing. Must run before anything is
/// printed or written.
fn report_failing(preview: &Preview, prefix: &str, folder: &Path, writes: Writes) {
    let root = output::path_as_word(folder);
    // `opm` has no verdict on a template.
    let passes = if folder.is_dir() {
        "passes opm validate"
    } else {
        "has no errors"
    };
    let write = if writes == Writes::Nothing {
        ""
    } else {
        " --write"
    };
    let commands = preview
        .alternatives
        .iter()
        .map(|ops| command_line::dry_run_command(&without_catalog(ops), &root));
    let commands: Vec<String> = commands
        .map(|command| format!("\n    {command}{write}"))
        .collect();
    // The alternatives were tried on the present state.
    let when = match writes {
        Writes::All if commands.is_empty() => {
            "it is written anyway; --require-pass would prevent that"
        }
        Writes::All => {
            "it is written anyway; --require-pass would prevent that. After you revert it, "
        }
        Writes::Nothing | Writes::WhatPasses => "",
    };
    let help = match commands.len() {
        0 => when.to_owned(),
        1 => format!("{when}this keeps it passing:{}", commands.concat()),
        _ => format!("{when}each of these keeps it passing:{}", commands.concat()),
    };
    for failing in &preview.consequences.failing {
        let message = format!(
            "{prefix}package `{}` {passes}, but fails after this edit: {}",
            failing.package, failing.message
        );
        output::print_diagnostic("warning", &message, None, &help);
    }
}

fn without_catalog(ops: &[EditOp]) -> Vec<EditOp> {
    let mut ops = ops.to_vec();
    ops.iter_mut().for_each(|op| *op.catalog_mut() = None);
    ops
}

/// Refuses a folder that is given twice, because it would be edited twice.
pub(super) fn once_each(folders: &[impl AsRef<Path>]) -> Result<(), CliError> {
    let mut seen = BTreeSet::new();
    for folder in folders {
        let folder = folder.as_ref();
        if !seen.insert(
            folder
                .canonicalize()
                .unwrap_or_else(|_| folder.to_path_buf()),
        ) {
            return Err(
                CliError::new(format!("{} is named twice", folder.display()))
                    .hint("name each catalog once"),
            );
        }
    }
    Ok(())
}

/// Adds a hint to a refusal about a missing package: the first file with an unreadable document, which may contain it.
fn mention_unreadable(mut refused: Refused, ops: &[EditOp], disk: &Disk) -> Refused {
    let Ok(root) = disk.root() else {
        return refused;
    };
    let catalog = root.catalog();
    let is_missing = ops
        .iter()
        .filter_map(EditOp::package)
        .any(|name| catalog.package(name).is_none());
    if is_missing && let Some(fault) = catalog.each_load_fault().next() {
        let separator = if refused.help.is_empty() { "" } else { "; " };
        refused.help.push_str(&format!(
            "{separator}a document of {} could not be read, and may be of this package",
            fault.location.file
        ));
    }
    refused
}

/// Converts a refusal to an error. `prefix` names the folder if there are several.
fn in_folder(refused: Refused, prefix: &str) -> CliError {
    Refused {
        reason: format!("{prefix}{}", refused.reason),
        ..refused
    }
    .into()
}

/// Warns that the next render overwrites the edit.
fn warn(rendered: &Rendered) {
    let here = std::env::current_dir()
        .and_then(std::fs::canonicalize)
        .unwrap_or_default();
    let template = rendered
        .template
        .strip_prefix(&here)
        .unwrap_or(&rendered.template)
        .display();
    let is = if rendered.certain {
        "is rendered"
    } else {
        "seems to be rendered"
    };
    let message = format!(
        "package `{}` {is} from {template}: the next render will lose this edit",
        rendered.package
    );
    let help = match rendered.holds_entries {
        true => format!("edit the template instead: switchyard edit {template} …"),
        false => "edit the template's images as text, then render it".to_owned(),
    };
    output::print_diagnostic("warning", &message, None, &help);
}

/// Inputs of operations that are read from the disk.
struct OnDisk<'a>(&'a Disk);

impl OperationInputs for OnDisk<'_> {
    fn only_package(&self) -> Result<String, CliError> {
        let root = self.0.rendered_root().map_or_else(|| self.0.root(), Ok)?;
        // A semver template does not name its package.
        if self.is_semver_template() && root.catalog().packages().next().is_none() {
            return Ok(String::new());
        }
        only_package(root.catalog().packages(), "the catalog has").map(str::to_owned)
    }

    fn is_semver_template(&self) -> bool {
        let root = self.0.root();
        root.is_ok_and(|root| matches!(root.template(), Some(Template::Semver(_))))
    }

    fn text_at(&self, file: &str, at: &str) -> Result<String, CliError> {
        Ok(self.0.session.files().text_at(file, at)?)
    }

    fn icon(&self, file: &Path) -> Result<String, CliError> {
        let icon = icon::from_bytes(&input::read_file(file)?)?;
        output::print_note(&format!("icon: {}, {} bytes", icon.media_type, icon.size));
        Ok(icon.data)
    }

    fn text(&self, file: &Path) -> Result<String, CliError> {
        Ok(String::from_utf8_lossy(&input::read_file(file)?).into_owned())
    }

    fn bundles(
        &self,
        from: &Path,
        image: Option<&str>,
    ) -> Result<Vec<serde_json::Value>, CliError> {
        let mut blobs = render::blobs_of(from, image.unwrap_or_default())?;
        blobs.retain(|blob| blob["schema"] == "olm.bundle");
        // Rendered bundles have an image already; the user may override it for a single one.
        if let (Some(image), [blob]) = (image.filter(|image| !image.contains("{{")), &mut blobs[..])
        {
            blob["image"] = image.into();
        }
        Ok(blobs)
    }
}

/// Adds the data of a folder that the operation refers to. `opened` caches folders from other operations.
fn with_data(mut op: EditOp, opened: &mut BTreeMap<String, Disk>) -> Result<EditOp, CliError> {
    if op.lacks_files()
        && let Some(copy) = op.package_copy()
    {
        let disk = match opened.entry(copy.from.clone()) {
            Entry::Occupied(existing) => existing.into_mut(),
            Entry::Vacant(place) => place.insert(Disk::open(Path::new(copy.from))?),
        };
        *copy.files = session::package_text(&disk.session, None, copy.package)?;
    }
    Ok(op)
}

/// Reads one operation per line, with the indices of its folders. Skips blank lines.
fn from_lines(
    input: impl BufRead,
    folders: &[&Path],
) -> Result<Vec<(Vec<usize>, EditOp)>, CliError> {
    let mut ops = Vec::new();
    for (number, line) in input.lines().enumerate() {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        let mut op: EditOp = serde_json::from_str(&line).map_err(|error| {
            CliError::new(format!("line {}: {error}", number + 1))
                .hint("write one operation per line, such as {\"op\":\"set-replaces\",…}; none was applied")
        })?;
        let catalog = op.catalog_mut().take();
        let is_selected = |folder: &Path| {
            catalog
                .as_deref()
                .is_none_or(|catalog| names(folder, catalog))
        };
        let targets: Vec<usize> = (0..folders.len())
            .filter(|at| folders.get(*at).is_some_and(|f| is_selected(f)))
            .collect();
        if targets.is_empty() {
            let catalog = catalog.unwrap_or_default();
            let which = if folders.len() > 1 {
                "which is none of these folders"
            } else {
                "which is not this folder"
            };
            let reason = format!(
                "line {}: the operation is for catalog `{catalog}`, {which}",
                number + 1
            );
            return Err(CliError::new(reason)
                .hint("run it on that catalog's folder, or name it with --also-in"));
        }
        ops.push((targets, op));
    }
    Ok(ops)
}

/// Whether this folder is a catalog of a larger tree: its path ends with the folder's path.
fn names(dir: &Path, catalog: &str) -> bool {
    let catalog = Path::new(catalog.trim_matches('/'));
    catalog.as_os_str().is_empty() || dir.canonicalize().is_ok_and(|dir| dir.ends_with(catalog))
}
