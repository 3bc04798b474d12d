//! `switchyard man`: the manual pages, generated from the same texts as `--help`.

use crate::error::{CliError, CliResult};
use crate::input::walk::io_reason;
use crate::output;
use clap_mangen::Man;
use std::fs;
use std::path::Path;

/// Prints the page of the program, or writes the pages of all commands to a folder.
pub(super) fn run(dir: Option<&Path>) -> CliResult {
    let mut command = crate::command();
    command.build();
    let Some(dir) = dir else {
        output::raw(&page(command)?)?;
        return Ok(0);
    };
    let failed =
        |error: std::io::Error| CliError::new(format!("{}: {}", dir.display(), io_reason(&error)));
    fs::create_dir_all(dir).map_err(failed)?;
    let mut pages = Vec::new();
    collect(command, &mut pages)?;
    for (name, text) in &pages {
        fs::write(dir.join(name), text).map_err(failed)?;
    }
    output::note(&format!("wrote {} pages to {}", pages.len(), dir.display()));
    Ok(0)
}

/// The pages of a command and its subcommands, by file name.
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

/// A page in ASCII, which every typesetter reads without an encoding option.
fn page(command: clap::Command) -> Result<Vec<u8>, CliError> {
    let mut text = Vec::new();
    Man::new(command).render(&mut text)?;
    Ok(in_ascii(&String::from_utf8_lossy(&text)).into_bytes())
}

/// The text with other characters as escapes of roff.
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
