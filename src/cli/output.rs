//! Output: JSON and text on standard output, messages on standard error, colors on request.

pub(crate) mod formats;
pub(crate) mod problems;

use crate::error::CliError;
use ::edit::command_line::{quote, quote_bytes};
use anstyle::{AnsiColor, Style};
use clap::ValueEnum;
use formats::Data;
use serde_json::Value;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Version of the JSON shapes.
pub(super) const FORMAT: u64 = 1;
/// Blanks between two columns of a table.
const COLUMN_GAP: usize = 2;

/// When to use colors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ColorArg {
    Auto,
    Always,
    Never,
}

/// The output options of this process.
#[derive(Debug, Clone, Copy)]
struct OutputSettings {
    quiet: bool,
    color: ColorArg,
}

/// Set once, from the command line.
static SETTINGS: OnceLock<OutputSettings> = OnceLock::new();
/// The folder that `-C` changed to. Set once, from the command line.
static CHANGED_FOLDER: OnceLock<PathBuf> = OnceLock::new();

fn settings() -> OutputSettings {
    SETTINGS.get().copied().unwrap_or(OutputSettings {
        quiet: false,
        color: ColorArg::Auto,
    })
}

/// Sets the output options of this process; later calls have no effect.
pub(super) fn configure(quiet: bool, color: ColorArg) {
    let _ = SETTINGS.set(OutputSettings { quiet, color });
}

/// Whether to print only the bare answer.
pub(super) fn is_quiet() -> bool {
    settings().quiet
}

/// Applies `-C`: changes into each folder in turn. Printed commands use paths relative to the
/// user's original folder.
pub(super) fn change_folder(folders: &[PathBuf]) -> Result<(), CliError> {
    for folder in folders {
        std::env::set_current_dir(folder)
            .map_err(|error| CliError::io(folder, &error).hint("-C names the folder to run in"))?;
    }
    let _ = CHANGED_FOLDER.set(folders.iter().collect());
    Ok(())
}

/// Quotes a path as a word of the user's shell, relative to the user's original folder.
pub(super) fn path_as_word(path: &Path) -> String {
    let path = CHANGED_FOLDER
        .get()
        .map_or_else(|| path.to_path_buf(), |folder| folder.join(path));
    match path.to_str() {
        Some(text) => quote(text),
        None => quote_bytes(path.as_os_str().as_encoded_bytes()),
    }
}

/// Writes data and a line break.
pub(super) fn print_data(format: Data, value: &Value) -> Result<(), CliError> {
    print_raw(serialize(format, value)?.as_bytes())
}

/// Formats data as text with a final line break.
pub(super) fn serialize(format: Data, value: &Value) -> Result<String, CliError> {
    match format {
        Data::Json => Ok(format!("{}\n", escape_controls(&format!("{value:#}")))),
        Data::Yaml => {
            serde_yaml::to_string(value).map_err(|error| CliError::new(error.to_string()))
        }
    }
}

/// Prints the answer's reasons under a label, except in quiet mode.
pub(super) fn print_reasons(label: &str, lines: &[String]) -> Result<(), CliError> {
    if lines.is_empty() || is_quiet() {
        return Ok(());
    }
    let lines: String = lines
        .iter()
        .map(|line| format!("  {}\n", one_line(line)))
        .collect();
    print_text(&format!(
        "{}\n{lines}",
        Paint::stdout().hint(&format!("{label}:"))
    ))
}

/// Escapes terminal control characters in JSON, which keeps its meaning.
pub(super) fn escape_controls(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        if is_terminal_control(c) && c != '\n' {
            text.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            text.push(c);
        }
    }
    text
}

/// Prints text for people. Catalog text in it cannot control the terminal.
pub(super) fn print_text(text: &str) -> Result<(), CliError> {
    write_stdout(sanitize(text, Paint::stdout()).as_bytes())
}

/// Writes output for another program (an image, a patch, `opm`'s own message), unchanged unless it
/// goes to a terminal.
pub(super) fn print_raw(data: &[u8]) -> Result<(), CliError> {
    if io::stdout().is_terminal() {
        print_text(&String::from_utf8_lossy(data))
    } else {
        write_stdout(data)
    }
}

fn write_stdout(bytes: &[u8]) -> Result<(), CliError> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    Ok(out.flush()?)
}

/// Prints a remark on one line of standard error, except in quiet mode.
pub(super) fn print_note(line: &str) {
    if !is_quiet() {
        write_stderr(&one_line(line));
    }
}

/// Prints additional text on standard error, such as a diff, except in quiet mode.
pub(super) fn print_extra(text: &str) {
    if !is_quiet() {
        write_stderr(text.trim_end_matches('\n'));
    }
}

/// Prints text on standard error. Ignores failures, such as a closed stream.
pub(super) fn write_stderr(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", sanitize(text, Paint::stderr()));
}

/// Replaces inner line breaks, so that a name cannot imitate one of our own lines.
pub(super) fn one_line(text: &str) -> String {
    text.trim_end_matches('\n').replace('\n', "\u{fffd}")
}

/// Replaces terminal control characters, except for our own colors.
fn sanitize(text: &str, paint: Paint) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let len = match c {
            '\u{1b}' if paint.is_on => style_sequence_len(rest),
            _ => 0,
        };
        match len {
            0 if is_terminal_control(c) && c != '\n' => out.push('\u{fffd}'),
            0 => out.push(c),
            len => out.push_str(&rest[..len]),
        }
        rest = &rest[len.max(c.len_utf8())..];
    }
    out
}

/// Returns the length of the color or weight sequence at the start of a text; 0 if there is none.
fn style_sequence_len(text: &str) -> usize {
    let Some(rest) = text.strip_prefix("\u{1b}[") else {
        return 0;
    };
    let digits = rest
        .bytes()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let is_ours = ["0", "1", "2", "31", "33", "36"].contains(&&rest[..digits]);
    if is_ours && rest[digits..].starts_with('m') {
        2 + digits + 1
    } else {
        0
    }
}

/// Whether a character is a control character, separates lines, or changes the direction of
/// writing.
pub(super) fn is_terminal_control(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Prints why a command could not run.
pub(super) fn print_error(error: &CliError) {
    match error {
        CliError::Message {
            message,
            location,
            hint,
            is_opms,
        } => {
            let print = if *is_opms {
                print_diagnostic_lines
            } else {
                print_diagnostic
            };
            print("error", message, location.as_deref(), hint);
        }
        CliError::Refused(refused) => {
            let location = refused.location.as_ref();
            let location = location.map(|at| format!("{}:{}:{}", at.file, at.line, at.column));
            print_diagnostic(
                "refused",
                &refused.reason,
                location.as_deref(),
                &refused.help,
            );
        }
        CliError::Interrupted(_) => {
            print_diagnostic("interrupted", "nothing was written", None, "")
        }
        CliError::BrokenPipe => {}
    }
}

/// Prints `kind: message`, the location, and a hint.
pub(super) fn print_diagnostic(kind: &str, message: &str, location: Option<&str>, hint: &str) {
    // Indent further lines, so that they cannot imitate our own lines.
    print_diagnostic_lines(
        kind,
        &indent_further_lines(message),
        location,
        &indent_further_lines(hint),
    );
}

fn indent_further_lines(text: &str) -> String {
    text.trim_end().replace('\n', "\n    ")
}

fn print_diagnostic_lines(kind: &str, message: &str, location: Option<&str>, hint: &str) {
    let paint = Paint::stderr();
    let mut text = format!("{}: {message}", paint.error(kind));
    if let Some(location) = location {
        text.push_str(&format!("\n  {} {}", paint.dim("-->"), one_line(location)));
    }
    if !hint.is_empty() {
        text.push_str(&format!("\n  {} {}", paint.hint("help:"), hint));
    }
    write_stderr(&text);
}

/// Colors text, or leaves it plain.
#[derive(Debug, Clone, Copy)]
pub(super) struct Paint {
    is_on: bool,
}

impl Paint {
    pub fn stdout() -> Self {
        Self {
            is_on: wants_color(&io::stdout()),
        }
    }

    pub fn stderr() -> Self {
        Self {
            is_on: wants_color(&io::stderr()),
        }
    }

    pub fn error(self, text: &str) -> String {
        self.paint(
            Style::new().bold().fg_color(Some(AnsiColor::Red.into())),
            text,
        )
    }

    pub fn warning(self, text: &str) -> String {
        self.paint(
            Style::new().bold().fg_color(Some(AnsiColor::Yellow.into())),
            text,
        )
    }

    pub fn hint(self, text: &str) -> String {
        self.paint(Style::new().fg_color(Some(AnsiColor::Cyan.into())), text)
    }

    pub fn dim(self, text: &str) -> String {
        self.paint(Style::new().dimmed(), text)
    }

    fn paint(self, style: Style, text: &str) -> String {
        if self.is_on {
            format!("{style}{text}{style:#}")
        } else {
            text.to_owned()
        }
    }
}

fn wants_color(stream: &impl IsTerminal) -> bool {
    match settings().color {
        ColorArg::Always => true,
        ColorArg::Never => false,
        ColorArg::Auto => stream.is_terminal() && allows_color(),
    }
}

/// Whether the environment permits colors (no-color.org, and terminals without them).
fn allows_color() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
        && std::env::var_os("TERM").is_none_or(|t| t != "dumb")
}

/// Formats a table like `opm alpha list` (`opm-semantics` 6.4): at least two blanks between
/// columns, the last column not padded, always with a header.
pub(super) fn table(header: &[&str], rows: &[Vec<String>]) -> String {
    // Keep each row on one line, even if its names contain line breaks.
    let rows: Vec<Vec<String>> = rows
        .iter()
        .map(|row| row.iter().map(|cell| one_line(cell)).collect())
        .collect();
    let mut widths: Vec<usize> = header.iter().map(|cell| width(cell)).collect();
    for row in &rows {
        for (cell, column) in row.iter().zip(&mut widths) {
            *column = (*column).max(width(cell));
        }
    }
    let mut text = String::new();
    let header: Vec<String> = header.iter().map(|cell| (*cell).to_owned()).collect();
    for row in std::iter::once(&header).chain(&rows) {
        for (index, cell) in row.iter().enumerate() {
            text.push_str(cell);
            if index + 1 < row.len() {
                let padding = widths.get(index).map_or(0, |column| column - width(cell));
                text.push_str(&" ".repeat(padding + COLUMN_GAP));
            }
        }
        text.push('\n');
    }
    text
}

fn width(cell: &str) -> usize {
    cell.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_removed() {
        let paint = |is_on| Paint { is_on };
        let text = "a\u{1b}[2J\u{9b}31m\u{7}\r\tb\u{202e}c\nd";
        assert_eq!(
            sanitize(text, paint(false)),
            "a\u{fffd}[2J\u{fffd}31m\u{fffd}\u{fffd}\u{fffd}b\u{fffd}c\nd"
        );
        let ours = paint(true).error("error");
        assert_eq!(sanitize(&ours, paint(true)), ours);
        assert!(!sanitize(&ours, paint(false)).contains('\u{1b}'));
        assert!(!sanitize("\u{1b}[8mhidden\u{1b}]0;title\u{7}", paint(true)).contains('\u{1b}'));
        assert_eq!(one_line("a\nerror: b\n"), "a\u{fffd}error: b");
    }

    #[test]
    fn columns_line_up() {
        let rows = [vec!["foo".to_owned(), "a".to_owned(), "foo.v1".to_owned()]];
        assert_eq!(
            table(&["PACKAGE", "CHANNEL", "HEAD"], &rows),
            "PACKAGE  CHANNEL  HEAD\nfoo      a        foo.v1\n"
        );
    }
}
