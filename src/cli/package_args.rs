//! `switchyard edit`: the operations on packages, bundles and their properties as words.

use super::edit_args::Surroundings;
use crate::fbc::edit::op::EditOp;
use clap::Subcommand;
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub(super) enum PackageOperation {
    /// Set the package's description
    SetDescription {
        #[arg(long, value_name = "P")]
        package: String,
        /// An empty text takes the description away
        #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
        text: String,
    },
    /// Set the package's icon
    SetIcon {
        #[arg(long, value_name = "P")]
        package: String,
        /// An SVG, PNG, JPEG or GIF image, told by its content; `none` takes the icon away
        #[arg(long, value_name = "FILE|none")]
        file: PathBuf,
    },
}

impl PackageOperation {
    pub(super) fn into_op<S: Surroundings>(self, surroundings: &S) -> Result<EditOp, S::Error> {
        let catalog = None;
        Ok(match self {
            PackageOperation::SetDescription { package, text } => EditOp::SetDescription { catalog, package, text },
            PackageOperation::SetIcon { package, file } => {
                let data = if file.as_os_str() == "none" { None } else { Some(surroundings.icon(&file)?) };
                EditOp::SetIcon { catalog, package, data }
            }
        })
    }
}
