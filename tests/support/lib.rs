//! Shared test support.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod command_line;
mod files;
mod random_packages;

pub use ::catalog::testing::{MemorySource, PackageBuilder};
pub use command_line::{Folder, GitRepository, Run, has_program, program, switchyard};
pub use files::{
    corpus, files_below, project, read, read_tree, recorded_answers, recorded_answers_for_authors,
    relative_path, shared_folder,
};
pub use random_packages::{any_channels, any_package_text};
