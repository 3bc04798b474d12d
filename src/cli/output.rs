//! Writing: JSON and text on standard output, complaints on standard error, colors only where they are wanted.

use super::error::CliError;
use anstyle::{AnsiColor, Style};
use serde_json::Value;
use std::io::{self, IsTerminal, Write};

/// Version of the JSON shapes.
pub(super) const FORMAT: u64 = 1;

/// Writes one JSON value and a line break.
pub(super) fn json(value: &Value) -> Result<(), CliError> {
    let mut out = io::stdout().lock();
    serde_json::to_writer_pretty(&mut out, value)?;
    writeln!(out)?;
    Ok(())
}

/// Writes text as it is.
pub(super) fn text(text: &str) -> Result<(), CliError> {
    bytes(text.as_bytes())
}

/// Writes bytes as they are.
pub(super) fn bytes(bytes: &[u8]) -> Result<(), CliError> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()?;
    Ok(())
}

/// Says something to a person. Nobody listening is no error.
pub(super) fn note(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// `error: message`, the place, and a hint.
pub(super) fn complain(kind: &str, message: &str, place: Option<&str>, hint: &str) {
    let paint = Paint::stderr();
    let mut text = format!("{}: {message}", paint.error(kind));
    if let Some(place) = place {
        text.push_str(&format!("\n  {} {place}", paint.dim("-->")));
    }
    if !hint.is_empty() {
        text.push_str(&format!("\n  {} {hint}", paint.hint("help:")));
    }
    note(&text);
}

/// Colors, or none.
#[derive(Debug, Clone, Copy)]
pub(super) struct Paint {
    on: bool,
}

impl Paint {
    pub(super) fn stdout() -> Self {
        Self { on: io::stdout().is_terminal() && allowed() }
    }

    pub(super) fn stderr() -> Self {
        Self { on: io::stderr().is_terminal() && allowed() }
    }

    pub(super) fn error(self, text: &str) -> String {
        self.paint(Style::new().bold().fg_color(Some(AnsiColor::Red.into())), text)
    }

    pub(super) fn warning(self, text: &str) -> String {
        self.paint(Style::new().bold().fg_color(Some(AnsiColor::Yellow.into())), text)
    }

    pub(super) fn hint(self, text: &str) -> String {
        self.paint(Style::new().fg_color(Some(AnsiColor::Cyan.into())), text)
    }

    pub(super) fn dim(self, text: &str) -> String {
        self.paint(Style::new().dimmed(), text)
    }

    fn paint(self, style: Style, text: &str) -> String {
        if self.on { format!("{style}{text}{style:#}") } else { text.to_owned() }
    }
}

/// Whether the environment wants colors at all (no-color.org, and terminals that can show none).
fn allowed() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty()) && std::env::var_os("TERM").is_none_or(|t| t != "dumb")
}
