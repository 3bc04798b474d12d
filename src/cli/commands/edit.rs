//! `switchyard edit`: applies operations to a folder or a template, or the same ones to several.
//! Prints the patch or writes the files. All operations succeed in all folders, or nothing changes.

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
use answer::Edited;
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
    require_distinct(&folders)?;
    if folders.iter().any(|folder| input::is_dash(folder)) {
        return Err(
            CliError::new("standard input cannot be edited").hint("name the folder of a catalog")
        );
    }
    // Don't hold the lock while the user is still writing the operations.
    let ops_from_stdin = if args.stdin && args.operation.is_none() {
        read_ops(std::io::stdin().lock(), &folders)?
    } else {
        Vec::new()
    };
    let locks = args
        .write
        .then(|| FolderLocks::wait(&folders))
        .transpose()?;
    let mut disks = folders
        .iter()
        .map(|folder| Disk::open_any(folder, &args.known))
        .collect::<Result<Vec<_>, _>>()?;
    let mut ops: Vec<TargetedOp> = match (args.operation, args.stdin) {
        (Some(_), true) => {
            return Err(
                CliError::new("both an operation and --stdin are given").hint("use one of them")
            );
        }
        (None, false) => {
            return Err(CliError::new("no operation").hint("`switchyard edit --help` lists them"));
        }
        (Some(operation), false) => {
            let ops = operation.into_ops(&OnDisk(&disks[0]))?.into_iter();
            ops.map(|op| TargetedOp {
                folders: (0..folders.len()).collect(),
                op,
            })
            .collect()
        }
        (None, true) => ops_from_stdin,
    };
    let mut opened = BTreeMap::new();
    for targeted in &mut ops {
        add_copied_package(&mut targeted.op, &mut opened)?;
    }
    let options = EditOptions {
        locks: locks.as_ref(),
        require_pass: args.require_pass,
        format: args.format,
    };
    apply(&mut disks, &folders, &ops, options)
}

/// An operation, and the indices of the folders in which to apply it.
pub(super) struct TargetedOp {
    pub folders: Vec<usize>,
    pub op: EditOp,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct EditOptions<'a> {
    /// `None` prints the patch and writes nothing.
    pub locks: Option<&'a FolderLocks>,
    pub require_pass: bool,
    pub format: TextOrData,
}

/// Applies the operations, and prints the patch or writes the files.
pub(super) fn apply(
    disks: &mut [Disk],
    folders: &[&Path],
    ops: &[TargetedOp],
    options: EditOptions<'_>,
) -> CliResult {
    let is_one_of_several = disks.len() > 1;
    let mut run = EditRun::default();
    for (index, (disk, folder)) in disks.iter_mut().zip(folders).enumerate() {
        let ops: Vec<EditOp> = ops
            .iter()
            .filter(|targeted| targeted.folders.contains(&index))
            .map(|targeted| for_template(&targeted.op, disk.template()))
            .collect();
        let prefix = if is_one_of_several {
            format!("{}: ", disk.name())
        } else {
            String::new()
        };
        prepare(disk, folder, &ops)?;
        run.apply_in(disk, folder, &ops, &prefix, options)?;
    }
    if options.require_pass && report_failing_catalogs(disks)? {
        return Ok(error::FAILED);
    }
    let TextOrData::Data(form) = options.format else {
        if let Some(locks) = options.locks {
            for path in file_changes::write(disks, locks)? {
                output::print_note(&format!("wrote {path}"));
            }
        } else {
            output::print_raw(&file_changes::patch(disks)?)?;
        }
        run.edited.iter().for_each(Edited::print_rendered);
        run.notes.iter().for_each(|line| output::print_note(line));
        return Ok(0);
    };
    let answer = answer::to_json(&run.edited, disks, options.locks.is_some())?;
    if let Some(locks) = options.locks {
        file_changes::write(disks, locks)?;
    }
    output::print_data(form, &answer)?;
    Ok(0)
}

/// Sets the advice for the catalog, and warns about edits that the next render of a template would
/// overwrite.
fn prepare(disk: &mut Disk, folder: &Path, ops: &[EditOp]) -> Result<(), CliError> {
    // An unreadable configuration does not prevent an edit; `validate` reports it.
    if let Ok(source) = config_file::advice(folder, None, None) {
        disk.session.set_advice_source(source);
    }
    if folder.is_dir() {
        let packages = ops
            .iter()
            .filter_map(|op| op.package().map(str::to_owned))
            .collect();
        for rendered in templates::render_nearby(disk, folder, &packages)? {
            warn_of_render(&rendered);
        }
    }
    Ok(())
}

/// The outcome in the folders that were edited so far.
#[derive(Default)]
struct EditRun {
    /// The preview in the first of several folders, for comparison.
    first: Option<(PathBuf, Preview)>,
    /// Printed after the patch.
    notes: Vec<String>,
    edited: Vec<Edited>,
}

impl EditRun {
    /// Applies operations in one folder. `prefix` names it in messages if there are several.
    fn apply_in(
        &mut self,
        disk: &mut Disk,
        folder: &Path,
        ops: &[EditOp],
        prefix: &str,
        options: EditOptions<'_>,
    ) -> Result<(), CliError> {
        let preview = disk
            .session
            .preview(ops)
            .map_err(|error| in_folder(mention_unreadable(error, ops, disk), prefix))?;
        report_failing(&preview, prefix, folder, options);
        if !prefix.is_empty() {
            self.compare_with_first(&preview, folder, prefix);
        }
        let before = disk.root()?.catalog().clone();
        let applied = disk
            .session
            .apply("edit", ops)
            .map_err(|error| in_folder(error, prefix))?;
        let is_changed = !applied.files.is_empty();
        let summary = applied.consequences.summary();
        if is_changed {
            for remark in answer::remarks(ops, &before, disk.root()?.catalog()) {
                let message = format!("{prefix}{}", remark.message);
                output::print_diagnostic("note", &message, None, &remark.help);
            }
        }
        answer::print_new_warnings(&applied.consequences.problems_gained, prefix);
        if !is_changed {
            let reason = reason_for_no_change(disk, ops)?;
            self.notes.push(format!("{prefix}{reason}"));
        } else if !summary.is_empty() {
            self.notes.push(format!("{prefix}{summary}"));
        }
        self.edited
            .push(Edited::new(folder, disk, &preview, is_changed, summary)?);
        Ok(())
    }

    fn compare_with_first(&mut self, preview: &Preview, folder: &Path, prefix: &str) {
        let Some((first_folder, first)) = &self.first else {
            self.first = Some((folder.to_path_buf(), preview.clone()));
            return;
        };
        if let Some(reason) = first.differs(preview) {
            let first_folder = first_folder.display();
            self.notes
                .push(format!("{prefix}differs from {first_folder}: {reason}"));
        }
    }
}

fn reason_for_no_change(disk: &Disk, ops: &[EditOp]) -> Result<String, CliError> {
    let [EditOp::Migrate { package, .. }] = ops else {
        return Ok("nothing to change: the catalog already says so".to_owned());
    };
    let catalog = disk.root()?.catalog();
    let is_selected = |name: &str| package.as_deref().is_none_or(|selected| selected == name);
    let packages = catalog.packages().map(|package| &**package);
    Ok(nothing_to_migrate(
        packages.filter(|package: &&Package| is_selected(&package.name)),
    ))
}

/// Retargets an operation to the open template, if there is one.
fn for_template(op: &EditOp, template: Option<&str>) -> EditOp {
    let mut op = op.clone();
    if let Some(template) = template {
        *op.catalog_mut() = Some(template.to_owned());
    }
    op
}

/// Reports the catalogs that would not pass and returns whether there are any. A template has no
/// verdict, but its rendered catalog has.
fn report_failing_catalogs(disks: &[Disk]) -> Result<bool, CliError> {
    let mut has_failing = false;
    for disk in disks {
        let root = disk
            .rendered_root()
            .filter(|root| answer::is_complete(root))
            .map_or_else(|| disk.root(), Ok)?;
        if let Some(message) = &root.verdict().opm_message
            && !root.is_template()
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
            has_failing = true;
        }
    }
    Ok(has_failing)
}

/// Reports a package that passes now and will fail, with alternatives that keep it passing. Must
/// run before anything is printed or written.
fn report_failing(preview: &Preview, prefix: &str, folder: &Path, options: EditOptions<'_>) {
    let root = output::path_as_word(folder);
    // `opm` has no verdict on a template.
    let passes = if folder.is_dir() {
        "passes opm validate"
    } else {
        "has no errors"
    };
    let write = if options.locks.is_none() {
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
    // The alternatives were tried on the current state.
    let condition = if options.locks.is_none() || options.require_pass {
        ""
    } else if commands.is_empty() {
        "it is written anyway; --require-pass would prevent that"
    } else {
        "it is written anyway; --require-pass would prevent that. After you revert it, "
    };
    let help = match commands.len() {
        0 => condition.to_owned(),
        1 => format!("{condition}this keeps it passing:{}", commands.concat()),
        _ => format!(
            "{condition}each of these keeps it passing:{}",
            commands.concat()
        ),
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

/// Refuses a folder that is named twice, because it would be edited twice.
pub(super) fn require_distinct(folders: &[impl AsRef<Path>]) -> Result<(), CliError> {
    let mut distinct = BTreeSet::new();
    for folder in folders {
        let folder = folder.as_ref();
        let canonical = folder
            .canonicalize()
            .unwrap_or_else(|_| folder.to_path_buf());
        if !distinct.insert(canonical) {
            return Err(
                cli_error!("{} is named twice", folder.display()).hint("name each catalog once")
            );
        }
    }
    Ok(())
}

/// Adds a hint to a refusal about a missing package: the first file with an unreadable document,
/// which may contain it.
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

/// Warns that the next render of a template overwrites the edit.
fn warn_of_render(rendered: &Rendered) {
    let current_dir = std::env::current_dir()
        .and_then(std::fs::canonicalize)
        .unwrap_or_default();
    let template = rendered
        .template
        .strip_prefix(&current_dir)
        .unwrap_or(&rendered.template)
        .display();
    let verb = if rendered.certain {
        "is rendered"
    } else {
        "seems to be rendered"
    };
    let message = format!(
        "package `{}` {verb} from {template}: the next render will lose this edit",
        rendered.package
    );
    let help = if rendered.has_entries {
        format!("edit the template instead: switchyard edit {template} …")
    } else {
        "edit the template's images as text, then render it".to_owned()
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

    fn text_at(&self, file: &str, range: &str) -> Result<String, CliError> {
        Ok(self.0.session.files().text_at(file, range)?)
    }

    fn read_icon(&self, file: &Path) -> Result<String, CliError> {
        let icon = icon::from_bytes(&input::read_file(file)?)?;
        output::print_note(&format!("icon: {}, {} bytes", icon.media_type, icon.size));
        Ok(icon.data)
    }

    fn read_text(&self, file: &Path) -> Result<String, CliError> {
        Ok(String::from_utf8_lossy(&input::read_file(file)?).into_owned())
    }

    fn read_bundles(
        &self,
        reference: &Path,
        image: Option<&str>,
    ) -> Result<Vec<serde_json::Value>, CliError> {
        let mut blobs = render::render_reference(reference, image.unwrap_or_default())?;
        blobs.retain(|blob| blob["schema"] == "olm.bundle");
        // Rendered bundles have an image already; the user may override it for a single one.
        if let (Some(image), [blob]) = (image.filter(|image| !image.contains("{{")), &mut blobs[..])
        {
            blob["image"] = image.into();
        }
        Ok(blobs)
    }
}

/// Adds the files of a package that the operation copies from another catalog. `opened` caches
/// these catalogs.
fn add_copied_package(
    op: &mut EditOp,
    opened: &mut BTreeMap<String, Disk>,
) -> Result<(), CliError> {
    if op.lacks_files()
        && let Some(copy) = op.package_copy()
    {
        let disk = match opened.entry(copy.from.clone()) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => entry.insert(Disk::open(Path::new(copy.from))?),
        };
        *copy.files = session::package_text(&disk.session, None, copy.package)?;
    }
    Ok(())
}

/// Reads one operation per line. Skips blank lines.
fn read_ops(input: impl BufRead, folders: &[&Path]) -> Result<Vec<TargetedOp>, CliError> {
    let mut ops = Vec::new();
    for (number, line) in input.lines().enumerate() {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        let mut op: EditOp = serde_json::from_str(&line).map_err(|error| {
            cli_error!("line {}: {error}", number + 1)
                .hint("write one operation per line, such as {\"op\":\"set-replaces\",…}; none was applied")
        })?;
        let catalog = op.catalog_mut().take();
        let is_selected = |folder: &Path| {
            catalog
                .as_deref()
                .is_none_or(|catalog| is_catalog(folder, catalog))
        };
        let targets: Vec<usize> = folders
            .iter()
            .enumerate()
            .filter(|(_, folder)| is_selected(folder))
            .map(|(index, _)| index)
            .collect();
        if targets.is_empty() {
            let catalog = catalog.unwrap_or_default();
            let mismatch = if folders.len() > 1 {
                "which is none of these folders"
            } else {
                "which is not this folder"
            };
            let reason = format!(
                "line {}: the operation is for catalog `{catalog}`, {mismatch}",
                number + 1
            );
            return Err(CliError::new(reason)
                .hint("run it on that catalog's folder, or name it with --also-in"));
        }
        ops.push(TargetedOp {
            folders: targets,
            op,
        });
    }
    Ok(ops)
}

/// Whether a folder is this catalog of a larger tree: its path ends with the catalog's path.
fn is_catalog(dir: &Path, catalog: &str) -> bool {
    let catalog = Path::new(catalog.trim_matches('/'));
    catalog.as_os_str().is_empty() || dir.canonicalize().is_ok_and(|dir| dir.ends_with(catalog))
}
