//! `switchyard`: the library for CI and scripts.
//!
//! Results go to standard output, words for a person to standard error. Exit status: 0 done or passed, 1 the verdict is
//! "fails" (or an invariant named by `--deny` is broken), 2 could not run or refused, with nothing written.

mod args;
mod chains;
mod channel_args;
mod commands;
mod config_file;
mod disk;
mod edit_args;
mod edit_examples;
mod error;
mod output;
mod package_args;
mod problems;
mod sources;
mod table;
mod walk;

pub use edit_args::operation_from_words;

use clap::{CommandFactory, FromArgMatches};
use error::CliError;
use std::process::ExitCode;

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let command = args::Arguments::command().mut_subcommand("edit", edit_examples::with_examples);
    let parsed = command.try_get_matches().and_then(|matches| args::Arguments::from_arg_matches(&matches));
    let arguments = match parsed {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version are answers; anything else could not run.
            let code = if error.use_stderr() { error::COULD_NOT_RUN } else { 0 };
            let _ = error.print();
            return ExitCode::from(code);
        }
    };
    match commands::run(arguments.command) {
        Ok(status) => ExitCode::from(status),
        Err(CliError::BrokenPipe) => ExitCode::SUCCESS,
        Err(error) => {
            error.print();
            ExitCode::from(error::COULD_NOT_RUN)
        }
    }
}
