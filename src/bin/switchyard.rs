//! The command line.

use std::process::ExitCode;

fn main() -> ExitCode {
    switchyard::cli::main()
}
