//! `switchyard edit`: operations on a folder. Prints the patch, or writes the files; all operations or none.

use crate::cli::disk::Disk;
use crate::cli::edit_args::{EditArgs, Surroundings};
use crate::cli::error::{CliError, CliResult};
use crate::cli::{output, walk};
use crate::fbc::edit::op::EditOp;
use crate::fbc::edit::plan::icon;
use std::io::BufRead;
use std::path::Path;

pub(super) fn run(args: EditArgs) -> CliResult {
    let mut disk = Disk::open(&args.dir)?;
    let ops = match (args.operation, args.stdin) {
        (Some(_), true) => {
            return Err(CliError::new("an operation is named, and --stdin too").hint("use one of them"));
        }
        (None, false) => {
            return Err(CliError::new("no operation").hint("`switchyard edit --help` lists them"));
        }
        (Some(operation), false) => {
            vec![operation.into_op(&OnDisk(&disk))?]
        }
        (None, true) => from_lines(std::io::stdin().lock(), &args.dir)?,
    };
    let ops = ops.into_iter().map(with_data).collect::<Result<Vec<_>, _>>()?;
    let applied = disk.workspace.apply("edit", &ops)?;
    if args.write {
        for path in disk.write()? {
            output::note(&format!("wrote {path}"));
        }
    } else {
        output::bytes(&disk.workspace.patch()?)?;
    }
    if applied.files.is_empty() {
        output::note("nothing to change: it says so already");
    } else {
        let summary = applied.consequences.summary();
        if !summary.is_empty() {
            output::note(&summary);
        }
    }
    Ok(0)
}

/// What operations take from the disk.
struct OnDisk<'a>(&'a Disk);

impl Surroundings for OnDisk<'_> {
    type Error = CliError;

    fn standing(&self, file: &str, at: &str) -> Result<String, CliError> {
        Ok(self.0.workspace.text_at(file, at)?)
    }

    fn icon(&self, file: &Path) -> Result<String, CliError> {
        let failed = |error: std::io::Error| CliError::new(format!("{}: {}", file.display(), walk::words(&error)));
        let icon = icon::of_bytes(&std::fs::read(file).map_err(failed)?)?;
        output::note(&format!("icon: {}, {} bytes", icon.media_type, icon.size));
        Ok(icon.data)
    }
}

/// The operation with the data that it names by a folder.
fn with_data(op: EditOp) -> Result<EditOp, CliError> {
    match op {
        EditOp::CopyPackage { catalog, package, from, files } if files.is_empty() => {
            let files = Disk::open(Path::new(&from))?.workspace.package_text(None, &package)?;
            Ok(EditOp::CopyPackage { catalog, package, from, files })
        }
        op => Ok(op),
    }
}

/// One operation a line; blank lines are passed over.
fn from_lines(input: impl BufRead, dir: &Path) -> Result<Vec<EditOp>, CliError> {
    let mut ops = Vec::new();
    for (number, line) in input.lines().enumerate() {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        let mut op: EditOp = serde_json::from_str(&line).map_err(|error| {
            CliError::new(format!("line {}: {error}", number + 1))
                .hint("write one operation a line, as {\"op\":\"set-replaces\",…}; none was applied")
        })?;
        if let Some(catalog) = op.catalog_mut().take()
            && !names(dir, &catalog)
        {
            let reason = format!("line {}: the operation is for catalog `{catalog}`, not for this folder", number + 1);
            return Err(CliError::new(reason).hint("run it on that catalog's folder"));
        }
        ops.push(op);
    }
    Ok(ops)
}

/// Whether a catalog of a larger tree is this folder: its path ends as the folder's does.
fn names(dir: &Path, catalog: &str) -> bool {
    let catalog = Path::new(catalog.trim_matches('/'));
    catalog.as_os_str().is_empty() || dir.canonicalize().is_ok_and(|dir| dir.ends_with(catalog))
}
