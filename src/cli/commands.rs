//! One file per command: from its arguments to the library and back to text or JSON.

mod crds;
mod diff;
mod edit;
mod explain;
mod graph;
mod list;
mod man;
mod manifests;
mod matrix;
mod merge;
mod migrate;
mod next_and_path;
mod range;
mod render;
mod repository;
mod resolve;
mod rules_page;
mod subset;
mod template;
mod validate;

use crate::args::author::Generate;
use crate::args::{Command, PartialArgs};
use crate::error::{CliError, CliResult};
use crate::output;
use crate::output::formats::TextOrData;
use crate::output::incomplete::Incomplete;
use crate::{input::changed_since, lsp, serve};
use clap_complete::Shell;
use fbc::catalog::Catalog;
use fbc::edit::plan::did_you_mean;
use fbc::model::Package;
use fbc::validate::MATCHED_OPM;
use serde_json::json;

/// Runs a command and returns the exit status.
pub(super) fn run(command: Command) -> CliResult {
    match command {
        Command::Validate(args) => validate::run(&args),
        Command::Changed(args) => changed_since::run(&args),
        Command::Explain { rule, format } => explain::run(rule.as_deref(), format),
        Command::List(args) => list::run(&args),
        Command::Graph(args) => graph::run(&args),
        Command::Next(args) => next_and_path::next(&args),
        Command::Path(args) => next_and_path::path(&args),
        Command::Resolve(args) => resolve::run(&args),
        Command::Range(args) => range::run(&args),
        Command::Crds(args) => crds::run(&args),
        Command::Diff(args) => diff::run(&args),
        Command::Matrix(args) => matrix::run(&args),
        Command::Repo(command) => repository::run(&command),
        Command::Manifests(args) => manifests::run(&args),
        Command::Edit(args) => edit::run(args),
        Command::Render(args) => render::render(&args),
        Command::Migrate(args) => migrate::run(&args),
        Command::Subset(args) => subset::run(&args),
        Command::Merge(args) => merge::run(&args),
        Command::Init(args) => render::init(&args),
        Command::Generate(Generate::Dockerfile(args)) => render::dockerfile(&args),
        Command::Template(command) => template::run(&command),
        Command::Lsp { dirs, stdio: _ } => lsp::run(&dirs),
        Command::Serve(args) => serve::run(&args),
        Command::Version { format } => version(format),
        Command::Completion { shell } => completion(shell),
        Command::Man { dir } => man::run(dir.as_deref()),
    }
}

/// Finds a package of a catalog; the error suggests similar names.
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

/// The given packages; without any, all that meet `counts`. The error about an unknown name includes unreadable parts
/// of the catalog, which may contain it.
fn packages<'a>(
    catalog: &'a Catalog,
    names: &[&str],
    counts: fn(&Package) -> bool,
    (incomplete, partial): (&Incomplete, PartialArgs),
) -> Result<Vec<&'a Package>, CliError> {
    if names.is_empty() {
        return Ok(catalog
            .packages()
            .map(|p| &**p)
            .filter(|p| counts(p))
            .collect());
    }
    names
        .iter()
        .map(|name| package(catalog, name))
        .collect::<Result<_, _>>()
        .inspect_err(|_| {
            incomplete.report(partial, 0);
        })
}

/// The version of OLM Classic whose behavior the upgrades and resolutions follow.
const OLM: &str = "v0.46.0";
/// The version of OLM v1.
const OPERATOR_CONTROLLER: &str = "v1.11.0";

fn version(format: TextOrData) -> CliResult {
    let own = env!("CARGO_PKG_VERSION");
    match format {
        TextOrData::Data(form) => {
            output::data(
                form,
                &json!({
                    "format": output::FORMAT,
                    "version": own,
                    "opm": MATCHED_OPM,
                    "olm": OLM,
                    "operator_controller": OPERATOR_CONTROLLER,
                }),
            )?;
        }
        TextOrData::Text => output::text(&format!(
            "switchyard {own}, matches opm {MATCHED_OPM}, OLM {OLM} and operator-controller {OPERATOR_CONTROLLER}\n"
        ))?,
    }
    Ok(0)
}

fn completion(shell: Shell) -> CliResult {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut crate::command(), "switchyard", &mut script);
    output::raw(&script)?;
    Ok(0)
}
