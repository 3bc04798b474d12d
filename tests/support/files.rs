//! Files of the project, and the real catalogs and recorded answers that are only partly in it.

use serde_json::Value;
use std::path::{Path, PathBuf};

/// The top of the repository.
pub fn project() -> PathBuf {
    let support = Path::new(env!("CARGO_MANIFEST_DIR"));
    support.ancestors().nth(2).unwrap().to_owned()
}

pub fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// A path of the project without the project.
pub fn relative_path(path: &Path) -> String {
    let path = path.strip_prefix(project()).unwrap_or(path);
    path.display().to_string()
}

/// The files with an extension below a folder of the project, in order; there must be some.
pub fn files_below(folder: &str, extension: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    walk(&project().join(folder), &mut files);
    files.retain(|file| file.extension().is_some_and(|e| e == extension));
    files.sort();
    assert!(!files.is_empty(), "no .{extension} below {folder}");
    files
}

/// The files below a folder with their paths in it, in order.
pub fn read_tree(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut paths = Vec::new();
    walk(folder, &mut paths);
    let mut files: Vec<(String, Vec<u8>)> = paths
        .into_iter()
        .map(|path| {
            let name = path.strip_prefix(folder).unwrap().to_str().unwrap();
            (name.to_owned(), std::fs::read(&path).unwrap())
        })
        .collect();
    files.sort();
    files
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.is_symlink() {
            walk(&path, files);
        } else {
            files.push(path);
        }
    }
}

/// The folder of real catalogs (`corpus`) and recorded answers (`oracle`): `SWITCHYARD_SHARED`, or
/// `../shared`.
pub fn shared_folder() -> Option<PathBuf> {
    let configured = std::env::var_os("SWITCHYARD_SHARED").map(PathBuf::from);
    let folder = configured.unwrap_or_else(|| project().join("../shared"));
    folder.is_dir().then_some(folder)
}

/// The folder of real catalogs; prints a line if there is none.
pub fn corpus() -> Option<PathBuf> {
    let corpus = shared_folder().map(|shared| shared.join("corpus"));
    let corpus = corpus.filter(|corpus| corpus.is_dir());
    if corpus.is_none() {
        println!("skipped: no folder of real catalogs (SWITCHYARD_SHARED)");
    }
    corpus
}

/// The cases of a table of recorded answers: from the folder in `SWITCHYARD_ORACLE`, else from the
/// shared folder, else the committed slice. A folder without the table is skipped.
pub fn recorded_answers(name: &str) -> Vec<Value> {
    let file = format!("{name}.jsonl");
    let configured = std::env::var_os("SWITCHYARD_ORACLE").map(PathBuf::from);
    let folders = configured
        .into_iter()
        .chain(shared_folder().map(|shared| shared.join("oracle")));
    let whole = folders.map(|folder| folder.join(&file));
    let path = whole.into_iter().find(|path| path.is_file()).unwrap_or_else(|| {
        println!("skipped in part: only slices of recorded answers are here (SWITCHYARD_ORACLE, SWITCHYARD_SHARED)");
        project().join("tests/data/oracle").join(&file)
    });
    json_lines(&path)
}

/// The cases of a table of recorded answers for authors of bundles and templates; empty if it is
/// missing.
pub fn recorded_answers_for_authors(name: &str) -> Vec<Value> {
    let path = shared_folder().map(|shared| shared.join(format!("oracle/author/{name}.jsonl")));
    match path.filter(|path| path.is_file()) {
        Some(path) => json_lines(&path),
        None => {
            println!("skipped: the recorded answers of {name} are not here (SWITCHYARD_SHARED)");
            Vec::new()
        }
    }
}

fn json_lines(path: &Path) -> Vec<Value> {
    read(path)
        .lines()
        .map(|line| {
            serde_json::from_str(line).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
        })
        .collect()
}
