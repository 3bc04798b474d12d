//! `switchyard lsp`: a language server over standard input and output.
//!
//! What an editor shows is what the commands say of the same text: a catalog is opened as `validate` opens it, with the
//! editor's buffers in place of the files that they were read from. No state outlives a text: after each change the catalog
//! is judged anew, from the indexes of the files that stayed.

mod actions;
mod buffer;
mod catalog;
mod catalog_folder;
mod completions;
mod definition;
mod file_uri;
mod folder_reader;
mod hover;
mod problems;
mod rename;
mod server;
mod session;
mod symbol;
mod transport;

use crate::error::CliResult;
use std::path::PathBuf;

/// Serves one client until it leaves. `dirs` are the catalogs that were named.
pub(super) fn run(dirs: &[PathBuf]) -> CliResult {
    server::serve(dirs)
}
