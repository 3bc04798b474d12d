//! The locations of recorded answers and real catalogs, which are only partly in the repository.

use serde_json::Value;
use std::path::{Path, PathBuf};

/// The folder of real catalogs (`corpus`) and recorded answers (`oracle`): `SWITCHYARD_SHARED`, or `../shared`.
pub(crate) fn folder() -> Option<PathBuf> {
    let folder = std::env::var_os("SWITCHYARD_SHARED").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"),
        PathBuf::from,
    );
    folder.is_dir().then_some(folder)
}

/// The cases of a table of recorded answers: from the folder in `SWITCHYARD_ORACLE`, else from the shared folder, else
/// the committed slice. A folder without the table is skipped.
pub(crate) fn table(name: &str) -> Vec<Value> {
    let file = format!("{name}.jsonl");
    let slice = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data/oracle")
        .join(&file);
    let given = std::env::var_os("SWITCHYARD_ORACLE").map(PathBuf::from);
    let whole = given
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
