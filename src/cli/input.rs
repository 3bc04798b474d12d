//! Reads the input of commands: catalogs, templates, repositories, manifests and settings.

pub(crate) mod bundle_files;
pub(crate) mod changed_since;
pub(crate) mod config_file;
pub(crate) mod disk;
pub(crate) mod manifest_files;
pub(crate) mod repository_files;
pub(crate) mod templates;
pub(crate) mod upgrade_question;
pub(crate) mod walk;

use crate::error::CliError;
use std::io::{self, Read};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The folder argument for standard input, and the name of the file that is read from it.
pub(crate) const STDIN_NAME: &str = "-";
/// Upper limit for threads.
const MAX_THREADS: usize = 8;

/// Returns the name of a catalog's folder, whose path is absolute.
pub(crate) fn catalog_name(folder: &Path) -> String {
    folder.file_name().map_or_else(
        || "catalog".to_owned(),
        |name| name.to_string_lossy().into_owned(),
    )
}

/// Reads a file. The error names its path.
pub(crate) fn read_file(path: &Path) -> Result<Vec<u8>, CliError> {
    std::fs::read(path).map_err(|error| CliError::io(path, &error))
}

/// Whether a folder argument means standard input.
pub(crate) fn is_dash(folder: &Path) -> bool {
    folder == Path::new(STDIN_NAME)
}

/// Reads a file or standard input.
pub(crate) fn read_any(path: &Path) -> io::Result<Vec<u8>> {
    if !is_dash(path) {
        return std::fs::read(path);
    }
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads standard input. Empty input is an error, because the program that writes it must have
/// failed.
pub(crate) fn read_stdin() -> Result<Vec<u8>, CliError> {
    let text = read_any(Path::new(STDIN_NAME))
        .map_err(|e| cli_error!("cannot read standard input: {e}"))?;
    if text.trim_ascii().is_empty() {
        return Err(CliError::new("standard input is empty")
            .hint("pipe a catalog into it: opm render IMAGE | switchyard validate -"));
    }
    Ok(text)
}

/// Processes items in parallel. The results are in the order of the items.
pub(super) fn in_parallel<T: Sync, R: Send>(
    items: &[T],
    process: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut results = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else {
                return results;
            };
            results.push((index, process(item)));
        }
    };
    let threads = std::thread::available_parallelism()
        .map_or(1, usize::from)
        .min(items.len())
        .min(MAX_THREADS);
    let mut results: Vec<(usize, R)> = match threads {
        0 | 1 => work(),
        threads => std::thread::scope(|scope| {
            let handles: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            handles
                .into_iter()
                .flat_map(|handle| {
                    handle
                        .join()
                        .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
                })
                .collect()
        }),
    };
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}
