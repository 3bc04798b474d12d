//! `migrate`: embedded objects become `olm.csv.metadata`, as `opm render --migrate-level` does it, in the text as it is.

use super::edit::{Manner, carry_out};
use super::render::told;
use crate::author_args::MigrateArgs;
use crate::bundle_files::{self, Source};
use crate::disk::Disk;
use crate::error::{CliError, CliResult};
use crate::output;
use crate::write::{folder_locks, leftover};
use fbc::bundle;
use protocol::operation::EditOp;
use serde_json::Value;
use std::path::Path;

pub(super) fn run(args: &MigrateArgs) -> CliResult {
    let folders: [&Path; 1] = [&args.dir];
    if crate::standard_input::is_meant(&args.dir) {
        return Err(CliError::new("standard input cannot be edited").hint("name the folder of a catalog"));
    }
    let _turn = args.write.then(|| folder_locks::wait(&folders)).transpose()?;
    if args.write {
        leftover::clear(&folders);
    }
    let ops = operations(&args.dir)?;
    let mut disks = [Disk::open(&args.dir)?];
    let count = ops.len() / 2;
    let ops: Vec<(Vec<usize>, EditOp)> = ops.into_iter().map(|op| (vec![0], op)).collect();
    let saved = if ops.is_empty() { None } else { Some(saved(&disks, &ops)?) };
    let status = carry_out(&mut disks, &folders, &ops, Manner { write: args.write, require_pass: args.require_pass })?;
    if let Some((before, after)) = saved {
        let less = before.saturating_sub(after);
        output::note(&format!("{count} bundles: {before} bytes become {after}, {less} fewer"));
    }
    Ok(status)
}

/// Two for each bundle that the migration changes: its objects go, its metadata comes.
fn operations(dir: &Path) -> Result<Vec<EditOp>, CliError> {
    let blobs = match bundle_files::read(dir)? {
        Source::Catalog(files, None) => bundle::read_catalog(&files).map_err(|refusal| told(refusal, Some(dir)))?,
        Source::Catalog(_, Some(obstacle)) => return Err(CliError::new(obstacle)),
        Source::Bundle(_) => {
            return Err(CliError::new(format!("{} is a bundle, not a catalog", dir.display()))
                .hint("`switchyard render --migrate-level` prints a bundle with its metadata"));
        }
    };
    let mut ops = Vec::new();
    for blob in &blobs {
        let Some(mut metadata) = bundle::csv_metadata(blob).map_err(|refusal| told(refusal, Some(dir)))? else {
            continue;
        };
        let text = |key: &str| blob[key].as_str().unwrap_or_default().to_owned();
        let (package, bundle, condition) = (text("package"), Some(text("name")), None);
        ops.push(EditOp::RemoveProperty {
            catalog: None,
            package: package.clone(),
            bundle: bundle.clone(),
            condition: None,
            kind: "olm.bundle.object".to_owned(),
            value: None,
        });
        let kind = "olm.csv.metadata".to_owned();
        let value = metadata.get_mut("value").map(Value::take).unwrap_or_default();
        ops.push(EditOp::AddProperty { catalog: None, package, bundle, condition, kind, value });
    }
    Ok(ops)
}

/// Bytes of the files that change, before and after.
fn saved(disks: &[Disk], ops: &[(Vec<usize>, EditOp)]) -> Result<(u64, u64), CliError> {
    let [disk] = disks else { return Ok((0, 0)) };
    let mut tried = Disk::open(disk.folder())?;
    let ops: Vec<EditOp> = ops.iter().map(|(_, op)| op.clone()).collect();
    tried.workspace.apply("migrate", &ops)?;
    let mut sizes = (0, 0);
    for file in tried.workspace.review()? {
        sizes.0 += tried.workspace.bytes_before_history(&file.path)?.map_or(0, |bytes| bytes.len() as u64);
        sizes.1 += tried.workspace.bytes(&file.path)?.len() as u64;
    }
    Ok(sizes)
}
