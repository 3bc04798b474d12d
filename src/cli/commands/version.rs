//! `switchyard version` and `switchyard completion`: what the program says of itself.

use crate::error::CliResult;
use crate::formats::TextOrData;
use crate::output;
use clap_complete::Shell;
use fbc::validate::MATCHED_OPM;
use serde_json::json;

/// The OLM Classic whose upgrades and resolutions these are.
const OLM: &str = "v0.46.0";
/// The OLM v1.
const OPERATOR_CONTROLLER: &str = "v1.11.0";

pub(super) fn run(format: TextOrData) -> CliResult {
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

pub(super) fn completion(shell: Shell) -> CliResult {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut crate::command(), "switchyard", &mut script);
    output::raw(&script)?;
    Ok(0)
}
