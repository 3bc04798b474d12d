//! One file a command: from its words to the library and back to text or JSON.

mod crds;
mod diff;
mod edit;
mod explain;
mod graph;
mod list;
mod matrix;
mod range;
mod resolve;
mod upgrade;
mod validate;

use super::args::Command;
use super::error::{CliError, CliResult};
use crate::fbc::catalog::Catalog;
use crate::fbc::edit::plan::refused::did_you_mean;
use crate::fbc::model::Package;

/// Runs a command. The answer is the exit status.
pub(super) fn run(command: Command) -> CliResult {
    match command {
        Command::Validate(args) => validate::run(&args),
        Command::Explain { rule, format } => explain::run(rule.as_deref(), format),
        Command::List(args) => list::run(&args),
        Command::Graph(args) => graph::run(&args),
        Command::Next(args) => upgrade::next(&args),
        Command::Path(args) => upgrade::path(&args),
        Command::Resolve(args) => resolve::run(&args),
        Command::Range(args) => range::run(&args),
        Command::Crds(args) => crds::run(&args),
        Command::Diff(args) => diff::run(&args),
        Command::Matrix(args) => matrix::run(&args),
        Command::Edit(args) => edit::run(args),
    }
}

/// A package of a catalog, or a complaint with near names.
fn package<'a>(catalog: &'a Catalog, name: &str) -> Result<&'a Package, CliError> {
    catalog.package(name).map(|p| &**p).ok_or_else(|| {
        let names = catalog.packages().map(|p| &*p.name);
        CliError::new(format!("package \"{name}\" not found")).hint(did_you_mean(
            name,
            names,
            "`switchyard list packages DIR` lists them",
        ))
    })
}
