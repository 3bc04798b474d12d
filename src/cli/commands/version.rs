//! `switchyard version` and `switchyard completion`: what the program says of itself.

use crate::error::CliResult;
use crate::formats::TextOrData;
use crate::output;
use clap_complete::Shell;
use serde_json::json;

/// The `opm` whose verdicts, lists and drawings these are.
const OPM: &str = "v1.72.0";

pub(super) fn run(format: TextOrData) -> CliResult {
    let own = env!("CARGO_PKG_VERSION");
    match format {
        TextOrData::Data(form) => {
            output::data(
                form,
                &json!({ "format": output::FORMAT, "version": own, "opm": OPM }),
            )?;
        }
        TextOrData::Text => output::text(&format!("switchyard {own}, matches opm {OPM}\n"))?,
    }
    Ok(0)
}

pub(super) fn completion(shell: Shell) -> CliResult {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut crate::command(), "switchyard", &mut script);
    output::raw(&script)?;
    Ok(0)
}
