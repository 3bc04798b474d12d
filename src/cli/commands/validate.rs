//! `switchyard validate`: the verdict of `opm validate`, with every problem, its place and its way out.

use crate::cli::args::{Profile, ValidateArgs, ValidateFormat};
use crate::cli::disk::Disk;
use crate::cli::error::{self, CliResult};
use crate::cli::output::{self, Paint};
use crate::fbc::diagnostic::{Diagnostic, Severity};
use crate::fbc::workspace::{Verdict, Workspace};
use serde_json::json;

pub(super) fn run(args: &ValidateArgs) -> CliResult {
    let mut disk = Disk::open(&args.dir)?;
    if args.fix {
        fix(&mut disk, args.write)?;
    }
    let root = disk.root()?;
    let verdict = root.verdict();
    let shown: Vec<&Diagnostic> = verdict.diagnostics.iter().filter(|d| is_shown(d, args.profile)).collect();
    match args.format {
        ValidateFormat::Json => output::json(&json!({
            "format": output::FORMAT,
            "passed": verdict.passed,
            "opm_message": verdict.opm_message,
            "diagnostics": shown,
        }))?,
        ValidateFormat::Opm => {
            if let Some(message) = &verdict.opm_message {
                output::text(&format!("{}\n", message.trim_end_matches('\n')))?;
            }
        }
        ValidateFormat::Github => output::text(&github(&shown, verdict))?,
        ValidateFormat::Text => output::text(&text(&shown, verdict, &disk.workspace))?,
    }
    Ok(if verdict.passed { 0 } else { error::FAILED })
}

fn is_shown(diagnostic: &Diagnostic, profile: Profile) -> bool {
    match profile {
        Profile::Opm => diagnostic.opm,
        Profile::Community => diagnostic.opm || diagnostic.severity != Severity::Info,
        Profile::Strict => true,
    }
}

/// Applies the safe fixes, in rounds, since one can bring up another; says what was done and what was not.
fn fix(disk: &mut Disk, write: bool) -> Result<(), error::CliError> {
    let fixed = disk.workspace.fix_all("fix", None, |_, fix| fix.safe)?;
    for title in &fixed.done {
        output::note(&format!("fixed: {title}"));
    }
    for (title, reason) in &fixed.refused {
        output::complain("not fixed", title, None, reason);
    }
    if fixed.unfinished {
        output::note("the fixes bring up new ones again and again; look at what remains");
    }
    if fixed.done.is_empty() {
        output::note("nothing that is safe to fix");
    } else if write {
        for path in disk.write()? {
            output::note(&format!("wrote {path}"));
        }
    } else {
        // The patch is for a person here; the result on standard output stays what `--format` says.
        output::note(String::from_utf8_lossy(&disk.workspace.patch()?).trim_end());
    }
    let left = disk.root()?.verdict().diagnostics.len();
    if left > 0 && !fixed.done.is_empty() {
        output::note(&format!("{left} {} left to be looked at", if left == 1 { "problem" } else { "problems" }));
    }
    Ok(())
}

/// Each problem with its source line and a caret, then the verdict.
fn text(shown: &[&Diagnostic], verdict: &Verdict, workspace: &Workspace) -> String {
    let paint = Paint::stdout();
    let mut out = String::new();
    for diagnostic in shown {
        let kind = match diagnostic.severity {
            Severity::Error => paint.error("error"),
            Severity::Warning => paint.warning("warning"),
            Severity::Info => paint.hint("info"),
        };
        let origin = if diagnostic.opm { "" } else { " (not opm's)" };
        out.push_str(&format!("{kind}[{}]{origin}: {}\n", diagnostic.rule, printable(&diagnostic.message)));
        let at = &diagnostic.location;
        if !at.file.is_empty() {
            out.push_str(&format!("  {} {}:{}:{}\n", paint.dim("-->"), printable(&at.file), at.line, at.column));
            out.push_str(&snippet(diagnostic, workspace, paint));
        }
        for related in &diagnostic.related {
            let at = &related.location;
            let place = format!("{}:{}:{}", printable(&at.file), at.line, at.column);
            out.push_str(&format!("  {} {}: {place}\n", paint.dim("note:"), printable(&related.message)));
        }
        if !diagnostic.help.is_empty() {
            out.push_str(&format!("  {} {}\n", paint.hint("help:"), printable(&diagnostic.help)));
        }
        for fix in &diagnostic.fixes {
            let safe = if fix.safe { " (--fix applies it)" } else { "" };
            out.push_str(&format!("  {} {}{safe}\n", paint.hint("fix:"), printable(&fix.title)));
        }
        out.push('\n');
    }
    let errors = verdict.diagnostics.iter().filter(|d| d.opm && d.severity == Severity::Error).count();
    let warnings = verdict.diagnostics.iter().filter(|d| d.severity == Severity::Warning).count();
    let warnings = match warnings {
        0 => String::new(),
        1 => ", 1 warning".to_owned(),
        n => format!(", {n} warnings"),
    };
    out.push_str(&match (verdict.passed, errors) {
        (true, _) => format!("passes opm validate{warnings}\n"),
        (false, 1) => format!("fails opm validate: 1 error{warnings}\n"),
        (false, n) => format!("fails opm validate: {n} errors{warnings}\n"),
    });
    out
}

/// The first line of the place, with carets under it.
fn snippet(diagnostic: &Diagnostic, workspace: &Workspace, paint: Paint) -> String {
    let at = &diagnostic.location;
    let Ok(lines) = workspace.lines(&at.file, at.line, 1) else { return String::new() };
    let Some(line) = lines.lines.first() else { return String::new() };
    // A long line is cut around its place.
    let characters: Vec<char> = line.chars().collect();
    let from = (at.column as usize).saturating_sub(1).min(characters.len());
    let until = if at.end_line == at.line { (at.end_column as usize).saturating_sub(1) } else { characters.len() };
    let until = until.clamp(from, characters.len());
    let left = from.saturating_sub(60);
    let right = (left + 100).min(characters.len());
    let visible = |c: &char| if c.is_control() { ' ' } else { *c };
    let shown: String = characters[left..right].iter().map(visible).collect();
    let carets = "^".repeat(until.min(right).saturating_sub(from).max(1));
    let number = at.line.to_string();
    let blank = " ".repeat(number.len());
    format!(
        "  {blank} {bar}\n  {number} {bar} {}\n  {blank} {bar} {}{}\n",
        shown.trim_end(),
        " ".repeat(from - left),
        paint.error(&carets),
        bar = paint.dim("|"),
    )
}

/// Catalog text must not steer the terminal.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\n' { '\u{fffd}' } else { c }).collect()
}

/// Workflow commands of GitHub Actions: one annotation a problem.
fn github(shown: &[&Diagnostic], verdict: &Verdict) -> String {
    let data = |text: &str| text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    let property = |text: &str| data(text).replace(':', "%3A").replace(',', "%2C");
    let mut out = String::new();
    for d in shown {
        let level = match d.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "notice",
        };
        let at = &d.location;
        let help = if d.help.is_empty() { String::new() } else { format!("\n{}", d.help) };
        let place = if at.file.is_empty() {
            String::new()
        } else {
            let (line, column) = (at.line, at.column);
            let end = if at.end_line == line { format!(",endColumn={}", at.end_column) } else { String::new() };
            format!("file={},line={line},endLine={},col={column}{end},", property(&at.file), at.end_line)
        };
        let message = data(&format!("{}{help}", d.message));
        out.push_str(&format!("::{level} {place}title={}::{message}\n", property(&d.rule)));
    }
    if let Some(message) = verdict.opm_message.as_ref().filter(|_| shown.is_empty()) {
        out.push_str(&format!("::error title=opm validate::{}\n", data(message)));
    }
    out
}
