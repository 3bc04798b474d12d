//! `switchyard`: the command line.
//!
//! Results go to standard output, messages for people to standard error. Exit status: 0 done or
//! passed, 1 the verdict is "fails" (or an invariant named by `--deny` is broken), 2 could not run
//! or refused, with nothing written.
//!
//! Each layer may use those before it: `error` and `output` (printing), `write` (replacing files),
//! `args` (the command line), `input` (reading), `lsp` and `serve` (servers for an editor and a
//! browser), `commands` (one file per command).

/// Creates an [`error::CliError`] with a formatted message.
macro_rules! cli_error {
    ($($message:tt)*) => { $crate::error::CliError::new(format!($($message)*)) };
}

mod args;
mod commands;
mod error;
mod input;
mod lsp;
mod output;
mod serve;
mod write;

use crate::args::Arguments;
pub use crate::args::command;
use crate::error::CliError;
use clap::FromArgMatches;
use std::ffi::OsString;
use std::process::ExitCode;

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let arguments = match parse(std::env::args_os().collect()) {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version are results. Any other error means that the command could not run.
            let status = if error.use_stderr() {
                error::COULD_NOT_RUN
            } else {
                0
            };
            let _ = error.print();
            return ExitCode::from(status);
        }
    };
    output::configure(arguments.quiet, arguments.color);
    if let Err(error) = output::change_folder(&arguments.folders) {
        output::print_error(&error);
        return ExitCode::from(error::COULD_NOT_RUN);
    }
    match commands::run(arguments.command) {
        Ok(status) => ExitCode::from(status),
        Err(CliError::BrokenPipe) => ExitCode::SUCCESS,
        Err(error) => {
            output::print_error(&error);
            if let CliError::Interrupted(signal) = error {
                write::end_by_signal(signal);
            }
            ExitCode::from(error::COULD_NOT_RUN)
        }
    }
}

fn parse(args: Vec<OsString>) -> Result<Arguments, clap::Error> {
    let matches = command()
        .color(clap_color(&args))
        .try_get_matches_from(args)?;
    Arguments::from_arg_matches(&matches)
}

/// Finds `--color` for help and clap's errors, which are printed before the arguments are parsed.
fn clap_color(args: &[OsString]) -> clap::ColorChoice {
    let args: Vec<String> = args
        .iter()
        .map(|arg| arg.to_string_lossy().into_owned())
        .collect();
    let choice =
        args.iter()
            .enumerate()
            .find_map(|(index, arg)| match arg.strip_prefix("--color") {
                Some("") => args.get(index + 1).map(String::as_str),
                Some(value) => value.strip_prefix('='),
                None => None,
            });
    match choice {
        Some("always") => clap::ColorChoice::Always,
        Some("never") => clap::ColorChoice::Never,
        _ => clap::ColorChoice::Auto,
    }
}

#[cfg(test)]
mod tests {
    use super::command;

    /// Values whose option describes them.
    const SELF_EXPLANATORY: [&str; 15] = [
        "true",
        "false",
        "auto",
        "always",
        "never",
        "packages",
        "channels",
        "bundles",
        "CatalogProvided",
        "SelfCertified",
        "bash",
        "elvish",
        "fish",
        "powershell",
        "zsh",
    ];

    /// Collects every option and argument without a help line, of a command and its subcommands.
    fn collect_missing_help(command: &clap::Command, parent: &str, found: &mut Vec<String>) {
        let path = format!("{parent} {}", command.get_name());
        if command.get_about().is_none() {
            found.push(path.clone());
        }
        for argument in command.get_arguments().filter(|a| a.get_help().is_none()) {
            found.push(format!("{path}: {argument}"));
        }
        // `switchyard explain` describes the invariants.
        let explained = |argument: &&clap::Arg| argument.get_id() != "deny";
        for value in command
            .get_arguments()
            .filter(explained)
            .flat_map(clap::Arg::get_possible_values)
        {
            if value.get_help().is_none()
                && !value.is_hide_set()
                && !SELF_EXPLANATORY.contains(&value.get_name())
            {
                found.push(format!("{path}: value {}", value.get_name()));
            }
        }
        command
            .get_subcommands()
            .for_each(|below| collect_missing_help(below, &path, found));
    }

    #[test]
    fn every_option_has_a_line_of_help() {
        let mut found = Vec::new();
        let mut command = command();
        command.build();
        collect_missing_help(&command, "", &mut found);
        assert_eq!(found, Vec::<String>::new());
    }
}
