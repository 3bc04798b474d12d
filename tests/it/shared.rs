//! Where tests find recorded answers and real catalogs, which are not all part of the repository.

use serde_json::Value;
use std::path::{Path, PathBuf};

/// The folder of real catalogs (`corpus`) and recorded answers (`oracle`): what `SWITCHYARD_SHARED` names, or `../shared`.
pub(crate) fn folder() -> Option<PathBuf> {
    let folder = std::env::var_os("SWITCHYARD_SHARED").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"),
        PathBuf::from,
    );
    folder.is_dir().then_some(folder)
}

/// The cases of a table of recorded answers: of the folder that `SWITCHYARD_ORACLE` names, else of the shared folder, else
/// the slice that is committed.
///
/// A folder that is named and lacks the table leaves it to the next.
pub(crate) fn table(name: &str) -> Vec<Value> {
    let file = format!("{name}.jsonl");
    let slice = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data/oracle")
        .join(&file);
    let named = std::env::var_os("SWITCHYARD_ORACLE").map(PathBuf::from);
    let whole = named
        .into_iter()
        .chain(folder().map(|folder| folder.join("oracle")))
        .map(|folder| folder.join(&file));
    let path = whole.into_iter().find(|path| path.is_file()).unwrap_or_else(|| {
        println!("skipped in part: only slices of recorded answers are here (SWITCHYARD_ORACLE, SWITCHYARD_SHARED)");
        slice
    });
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    text.lines()
        .map(|line| {
            serde_json::from_str(line).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
        })
        .collect()
}
