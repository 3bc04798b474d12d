//! `switchyard explain`: what a rule is about.

use crate::cli::error::{CliError, CliResult};
use crate::cli::output;
use crate::cli::table::table;
use crate::fbc::edit::plan::refused::did_you_mean;
use crate::fbc::validate::explain::{documents, explain};

pub(super) fn run(rule: Option<&str>) -> CliResult {
    let Some(id) = rule else {
        let rows = documents()
            .map(|d| vec![d.id.to_owned(), if d.opm { "opm" } else { "ours" }.to_owned(), d.summary.to_owned()]);
        output::text(&table(&["RULE", "OF", "SUMMARY"], &rows.collect::<Vec<_>>()))?;
        return Ok(0);
    };
    let Some(doc) = explain(id) else {
        let ids = documents().map(|d| d.id);
        return Err(CliError::new(format!("no rule `{id}`")).hint(did_you_mean(
            id,
            ids,
            "`switchyard explain` lists all rules",
        )));
    };
    let whose = if doc.opm { "a rule of opm validate" } else { "our own advice; opm does not refuse for it" };
    let mut text = format!("{}: {whose}\n\n{}\n\nWhy: {}\n\nWhat to do: {}\n", doc.id, doc.summary, doc.why, doc.fix);
    if !doc.opm_message.is_empty() {
        text.push_str(&format!("\nopm says: {}\n", doc.opm_message));
    }
    output::text(&text)?;
    Ok(0)
}
