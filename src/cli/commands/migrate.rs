//! `switchyard migrate`: replaces the CSVs in a catalog by their metadata, and reports the saved
//! bytes.

use super::edit::{EditOptions, TargetedOp, apply};
use super::render::{catalog_files, opm_refusal};
use crate::args::author::MigrateArgs;
use crate::error::{CliError, CliResult};
use crate::input;
use crate::input::disk::Disk;
use crate::output;
use crate::output::formats::TextOrData;
use crate::write::FolderLocks;
use ::edit::plan::bundles::METADATA;
use protocol::operation::EditOp;
use session::Session;
use std::path::Path;

pub(super) fn run(args: &MigrateArgs) -> CliResult {
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
    require_renderable_catalog(&args.dir)?;
    let op = EditOp::Migrate {
        catalog: None,
        package: None,
    };
    let saving = describe_saving(&args.dir, &op)?;
    let mut disks = [Disk::open(&args.dir)?];
    let options = EditOptions {
        locks: locks.as_ref(),
        require_pass: args.require_pass,
        format: TextOrData::Text,
    };
    let ops = [TargetedOp {
        folders: vec![0],
        op,
    }];
    let status = apply(&mut disks, &folders, &ops, options)?;
    if let Some(saving) = saving {
        output::print_note(&saving);
    }
    Ok(status)
}

/// Refuses a folder that `opm` would not render, or that is not a catalog.
fn require_renderable_catalog(dir: &Path) -> Result<(), CliError> {
    let hint = "`switchyard render --migrate-level` prints a bundle with its metadata";
    let files = catalog_files(dir, "bundle", hint)?;
    bundle::read_catalog(&files).map_err(|refusal| opm_refusal(refusal, Some(dir)))?;
    Ok(())
}

/// Tries the migration on a copy of the catalog; `None` if nothing changes.
fn describe_saving(dir: &Path, op: &EditOp) -> Result<Option<String>, CliError> {
    let mut trial = Disk::open(dir)?;
    let migrated_before = count_migrated(&trial.session);
    trial.session.apply("migrate", std::slice::from_ref(op))?;
    let bundles = count_migrated(&trial.session).saturating_sub(migrated_before);
    let (mut bytes_before, mut bytes_after) = (0_u64, 0_u64);
    for file in trial.session.changes().review()? {
        bytes_before += file.bytes_before;
        bytes_after += file.bytes_after;
    }
    let difference = bytes_before.saturating_sub(bytes_after);
    Ok((bundles > 0).then(|| {
        format!("{bundles} bundles: {bytes_before} bytes become {bytes_after}, {difference} fewer")
    }))
}

/// Counts the bundles whose CSV is replaced by metadata.
fn count_migrated(session: &Session) -> usize {
    let packages = session
        .roots()
        .iter()
        .flat_map(|root| root.catalog().packages());
    let bundles = packages.flat_map(|package| &package.bundles);
    bundles
        .filter(|bundle| {
            let mut properties = bundle.properties.iter();
            properties.any(|property| *property.kind == *METADATA)
        })
        .count()
}
