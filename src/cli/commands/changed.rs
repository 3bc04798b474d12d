//! `switchyard changed`: which catalogs differ from a revision, for scripts.

use crate::args::ChangedArgs;
use crate::changed_since;
use crate::error::CliResult;
use crate::output;

/// A line for each catalog.
pub(super) fn run(args: &ChangedArgs) -> CliResult {
    let selection = changed_since::select(&args.dirs, &args.since, args.config.as_deref())?;
    if !selection.remark.is_empty() {
        output::note(&selection.remark);
    }
    for catalog in &selection.changed {
        output::raw(format!("{}\n", catalog.display()).as_bytes())?;
    }
    Ok(0)
}
