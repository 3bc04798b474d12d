//! `migrate`: applies the operation `migrate` to a whole catalog and reports the saved bytes.

use super::edit::{Manner, carry_out};
use super::render::opm_refusal;
use crate::args::author::MigrateArgs;
use crate::error::{CliError, CliResult};
use crate::input::bundle_files::{self, Source};
use crate::input::disk::Disk;
use crate::output;
use crate::output::formats::TextOrData;
use crate::write::FolderLocks;
use fbc::bundle;
use fbc::edit::plan::bundles::METADATA;
use fbc::workspace::Workspace;
use protocol::operation::EditOp;
use std::path::Path;

pub(super) fn run(args: &MigrateArgs) -> CliResult {
    let folders: [&Path; 1] = [&args.dir];
    if crate::input::standard_input::is_dash(&args.dir) {
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
        output::note(&format!(
            "{count} bundles: {before} bytes become {after}, {less} fewer"
        ));
    }
    Ok(status)
}

/// Refuses a folder that `opm` would not render, or that is not a catalog.
fn check(dir: &Path) -> Result<(), CliError> {
    match bundle_files::read(dir)? {
        Source::Catalog(files, None) => {
            bundle::read_catalog(&files).map_err(|refusal| opm_refusal(refusal, Some(dir)))?;
            Ok(())
        }
        Source::Catalog(_, Some(obstacle)) => Err(CliError::new(obstacle)),
        Source::Bundle(_) => Err(CliError::new(format!(
            "{} is a bundle, not a catalog",
            dir.display()
        ))
        .hint("`switchyard render --migrate-level` prints a bundle with its metadata")),
    }
}

/// Number of changed bundles, and the bytes of changed files before and after; `None` if nothing changes.
fn measure_saving(dir: &Path, op: &EditOp) -> Result<Option<(usize, u64, u64)>, CliError> {
    let mut tried = Disk::open(dir)?;
    let before = with_metadata(&tried.workspace);
    tried.workspace.apply("migrate", std::slice::from_ref(op))?;
    let mut sizes = (0, 0);
    for file in tried.workspace.review()? {
        sizes.0 += file.bytes_before;
        sizes.1 += file.bytes_after;
    }
    let count = with_metadata(&tried.workspace).saturating_sub(before);
    Ok((count > 0).then_some((count, sizes.0, sizes.1)))
}

fn with_metadata(workspace: &Workspace) -> usize {
    let packages = workspace
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
