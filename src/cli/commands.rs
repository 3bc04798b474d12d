//! Runs the commands, one file per command or group: calls the library and prints its answer as
//! text or data.

mod crds;
mod diff;
mod edit;
mod explain;
mod file_changes;
mod manifests;
mod matrix;
mod migrate;
mod new_catalog;
mod output_folder;
mod queries;
mod render;
mod repository;
mod resolve;
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
use protocol::MATCHED_OPM;
use serde_json::json;
use std::fs;
use std::path::Path;

/// The version of OLM Classic whose behavior is computed.
const OLM: &str = "v0.46.0";
/// The version of operator-controller, for OLM v1.
const OPERATOR_CONTROLLER: &str = "v1.11.0";

/// Runs a command and returns the exit status.
pub(super) fn run(command: Command) -> CliResult {
    match command {
        Command::Validate(args) => validate::run(&args),
        Command::Changed(args) => changed_since::run(&args),
        Command::Explain { rule, output } => explain::run(rule.as_deref(), output.format),
        Command::List(args) => queries::list(&args),
        Command::Graph(args) => queries::graph(&args),
        Command::Next(args) => upgrades::next(&args),
        Command::Path(args) => upgrades::path(&args),
        Command::Resolve(args) => resolve::resolve(&args),
        Command::Range(args) => queries::range(&args),
        Command::Crds(args) => crds::run(&args),
        Command::Diff(args) => diff::run(&args),
        Command::Matrix(args) => matrix::run(&args),
        Command::Repo(command) => repository::run(&command),
        Command::Manifests(args) => manifests::manifests(&args),
        Command::Edit(args) => edit::run(args),
        Command::Render(args) => render::render(&args),
        Command::Migrate(args) => migrate::run(&args),
        Command::Subset(args) => new_catalog::subset(&args),
        Command::Merge(args) => new_catalog::merge(&args),
        Command::Init(args) => render::init(&args),
        Command::Generate(Generate::Dockerfile(args)) => render::dockerfile(&args),
        Command::Template(command) => render::template(&command),
        Command::Lsp { dirs, stdio: _ } => lsp::run(&dirs),
        Command::Serve(args) => serve::run(&args),
        Command::Version(args) => print_version(args.format),
        Command::Completion { shell } => print_completion(shell),
        Command::Man { dir } => print_manual(dir.as_deref()),
    }
}

fn print_version(format: TextOrData) -> CliResult {
    let version = env!("CARGO_PKG_VERSION");
    match format {
        TextOrData::Data(form) => {
            output::print_data(
                form,
                &json!({
                    "format": output::FORMAT,
                    "version": version,
                    "opm": MATCHED_OPM,
                    "olm": OLM,
                    "operator_controller": OPERATOR_CONTROLLER,
                }),
            )?;
        }
        TextOrData::Text => output::print_text(&format!(
            "switchyard {version}, matches opm {MATCHED_OPM}, OLM {OLM} and operator-controller {OPERATOR_CONTROLLER}\n"
        ))?,
    }
    Ok(0)
}

fn print_completion(shell: Shell) -> CliResult {
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
        output::print_raw(&manual_page(command)?)?;
        return Ok(0);
    };
    let io_error = |error: std::io::Error| CliError::io(dir, &error);
    fs::create_dir_all(dir).map_err(io_error)?;
    let mut pages = Vec::new();
    collect_pages(command, &mut pages)?;
    for (file_name, text) in &pages {
        fs::write(dir.join(file_name), text).map_err(io_error)?;
    }
    output::print_note(&format!("wrote {} pages to {}", pages.len(), dir.display()));
    Ok(0)
}

/// Collects the pages of a command and its visible subcommands, with their file names.
fn collect_pages(
    command: clap::Command,
    pages: &mut Vec<(String, Vec<u8>)>,
) -> Result<(), CliError> {
    for subcommand in command.get_subcommands() {
        if !subcommand.is_hide_set() {
            collect_pages(subcommand.clone(), pages)?;
        }
    }
    let name = command
        .get_display_name()
        .unwrap_or_else(|| command.get_name())
        .to_owned();
    pages.push((format!("{name}.1"), manual_page(command)?));
    Ok(())
}

/// Renders the manual page of a command in ASCII, which every typesetter reads without an encoding
/// option.
fn manual_page(command: clap::Command) -> Result<Vec<u8>, CliError> {
    let mut text = Vec::new();
    Man::new(command).render(&mut text)?;
    Ok(escape_non_ascii(&String::from_utf8_lossy(&text)).into_bytes())
}

/// Replaces characters outside of ASCII by roff escapes.
fn escape_non_ascii(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii() {
            out.push(c);
        } else {
            out.push_str(&format!("\\[u{:04X}]", u32::from(c)));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::escape_non_ascii;

    #[test]
    fn other_characters_are_escaped() {
        assert_eq!(
            escape_non_ascii("blobs, … \\-\\-x \u{1f600}"),
            "blobs, \\[u2026] \\-\\-x \\[u1F600]"
        );
    }
}
