//! Runs the commands, one file per command or group: calls the library and prints its answer as
//! text or JSON.

mod cluster;
mod crds;
mod diff;
mod edit;
mod explain;
mod file_changes;
mod new_catalog;
mod queries;
mod render;
mod repository;
mod upgrades;
mod validate;

use crate::args::author::Generate;
use crate::args::{self, Command};
use crate::error::{CliError, CliResult};
use crate::input::changed_since;
use crate::output::formats::TextOrData;
use crate::{lsp, output, serve};
use clap_complete::Shell;
use clap_mangen::Man;
use serde_json::json;
use std::fs;
use std::path::Path;
use verdict::validate::MATCHED_OPM;

/// Runs a command and returns the exit status.
pub(super) fn run(command: Command) -> CliResult {
    match command {
        Command::Validate(args) => validate::run(&args),
        Command::Changed(args) => changed_since::run(&args),
        Command::Explain { rule, format } => explain::run(rule.as_deref(), format),
        Command::List(args) => queries::list(&args),
        Command::Graph(args) => queries::graph(&args),
        Command::Next(args) => upgrades::next(&args),
        Command::Path(args) => upgrades::path(&args),
        Command::Resolve(args) => cluster::resolve(&args),
        Command::Range(args) => queries::range(&args),
        Command::Crds(args) => crds::run(&args),
        Command::Diff(args) => diff::run(&args),
        Command::Matrix(args) => upgrades::matrix(&args),
        Command::Repo(command) => repository::run(&command),
        Command::Manifests(args) => cluster::manifests(&args),
        Command::Edit(args) => edit::run(args),
        Command::Render(args) => render::render(&args),
        Command::Migrate(args) => new_catalog::migrate(&args),
        Command::Subset(args) => new_catalog::subset(&args),
        Command::Merge(args) => new_catalog::merge(&args),
        Command::Init(args) => render::init(&args),
        Command::Generate(Generate::Dockerfile(args)) => render::dockerfile(&args),
        Command::Template(command) => render::template(&command),
        Command::Lsp { dirs, stdio: _ } => lsp::run(&dirs),
        Command::Serve(args) => serve::run(&args),
        Command::Version(args) => version(args.format),
        Command::Completion { shell } => completion(shell),
        Command::Man { dir } => print_manual(dir.as_deref()),
    }
}

/// The version of OLM Classic whose behavior the upgrades and resolutions follow.
const OLM: &str = "v0.46.0";
/// The version of operator-controller, for OLM v1.
const OPERATOR_CONTROLLER: &str = "v1.11.0";

fn version(format: TextOrData) -> CliResult {
    let own = env!("CARGO_PKG_VERSION");
    match format {
        TextOrData::Data(form) => {
            output::print_data(
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
        TextOrData::Text => output::print_text(&format!(
            "switchyard {own}, matches opm {MATCHED_OPM}, OLM {OLM} and operator-controller {OPERATOR_CONTROLLER}\n"
        ))?,
    }
    Ok(0)
}

fn completion(shell: Shell) -> CliResult {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut args::command(), "switchyard", &mut script);
    output::print_raw(&script)?;
    Ok(0)
}

/// Prints the program's manual page, or writes the pages of all commands to a folder.
fn print_manual(dir: Option<&Path>) -> CliResult {
    let mut command = args::command();
    command.build();
    let Some(dir) = dir else {
        output::print_raw(&page(command)?)?;
        return Ok(0);
    };
    let failed = |error: std::io::Error| CliError::io(dir, &error);
    fs::create_dir_all(dir).map_err(failed)?;
    let mut pages = Vec::new();
    collect(command, &mut pages)?;
    for (name, text) in &pages {
        fs::write(dir.join(name), text).map_err(failed)?;
    }
    output::print_note(&format!("wrote {} pages to {}", pages.len(), dir.display()));
    Ok(0)
}

/// Collects the pages of a command and its visible subcommands, with their file names.
fn collect(command: clap::Command, pages: &mut Vec<(String, Vec<u8>)>) -> Result<(), CliError> {
    let below: Vec<clap::Command> = command
        .get_subcommands()
        .filter(|one| !one.is_hide_set())
        .cloned()
        .collect();
    below
        .into_iter()
        .try_for_each(|command| collect(command, pages))?;
    let name = command
        .get_display_name()
        .unwrap_or_else(|| command.get_name())
        .to_owned();
    pages.push((format!("{name}.1"), page(command)?));
    Ok(())
}

/// Renders a page in ASCII, which every typesetter reads without an encoding option.
fn page(command: clap::Command) -> Result<Vec<u8>, CliError> {
    let mut text = Vec::new();
    Man::new(command).render(&mut text)?;
    Ok(in_ascii(&String::from_utf8_lossy(&text)).into_bytes())
}

/// Replaces characters outside of ASCII by roff escapes.
fn in_ascii(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c.is_ascii() {
            true => out.push(c),
            false => out.push_str(&format!("\\[u{:04X}]", u32::from(c))),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::in_ascii;

    #[test]
    fn other_characters_are_escaped() {
        assert_eq!(
            in_ascii("blobs, … \\-\\-x \u{1f600}"),
            "blobs, \\[u2026] \\-\\-x \\[u1F600]"
        );
    }
}
