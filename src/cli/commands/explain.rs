//! `switchyard explain`: what a rule is about.

use crate::cli::error::{CliError, CliResult};
use crate::cli::output;
use crate::cli::table::table;
use crate::fbc::compare::invariants::{self, Invariant, Severity};
use crate::fbc::edit::plan::refused::did_you_mean;
use crate::fbc::validate::explain::{documents, explain};

pub(super) fn run(rule: Option<&str>) -> CliResult {
    let Some(id) = rule else {
        let rows = documents()
            .map(|d| vec![d.id.to_owned(), if d.opm { "opm" } else { "ours" }.to_owned(), d.summary.to_owned()]);
        let of_changes = invariants::ALL.iter().map(|i| vec![i.name.to_owned(), "diff".to_owned(), i.rule.to_owned()]);
        output::text(&table(&["RULE", "OF", "SUMMARY"], &rows.chain(of_changes).collect::<Vec<_>>()))?;
        return Ok(0);
    };
    let Some(doc) = explain(id) else {
        if let Some(invariant) = invariants::find(id) {
            output::text(&of_invariant(invariant))?;
            return Ok(0);
        }
        let ids = documents().map(|d| d.id).chain(invariants::ALL.iter().map(|i| i.name));
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

fn of_invariant(of: &Invariant) -> String {
    let number = if of.id.is_empty() { String::new() } else { format!(" ({})", of.id) };
    let gravity = match of.severity {
        Severity::Error => "users are harmed when it is broken",
        Severity::Warning => "a warning",
    };
    format!(
        "{}{number}: an invariant of `switchyard diff`; {gravity}\n\n{}\n\nWhy: {}\n\nWhat to do: {}\n\nTo fail when a \
         change breaks it: switchyard diff OLD NEW --deny {}\n",
        of.name, of.rule, of.why, of.fix, of.name
    )
}
