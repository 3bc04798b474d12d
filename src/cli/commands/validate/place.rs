//! Places of problems as reports for other programs name them: paths as seen from where the command runs, which for a job
//! of a pipeline is the repository.

use crate::config_file;
use crate::standard_input;
use std::path::Path;

/// The path of a file of a catalog. What a template renders to is in no file, so the template is named instead.
pub(super) fn path(catalog: &Path, file: &str) -> String {
    if standard_input::is_meant(catalog) {
        return config_file::from_here(Path::new("."), file);
    }
    if catalog.is_file() {
        config_file::from_here(catalog, "")
    } else {
        config_file::from_here(catalog, file)
    }
}

/// Whether lines and columns of problems are those of the file that [`path`] names.
pub(super) fn has_lines(catalog: &Path) -> bool {
    standard_input::is_meant(catalog) || !catalog.is_file()
}
