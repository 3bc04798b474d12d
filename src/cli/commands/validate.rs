//! `switchyard validate`: the verdict of `opm validate`, with every problem, its place and its way out.

use crate::cli::args::{ValidateArgs, ValidateFormat};
use crate::cli::config_file;
use crate::cli::disk::Disk;
use crate::cli::error::{self, CliResult};
use crate::cli::output::{self, Paint};
use crate::cli::problems::Report;
use crate::fbc::diagnostic::Severity;
use crate::fbc::workspace::Verdict;
use serde_json::json;
use std::path::Path;

pub(super) fn run(args: &ValidateArgs) -> CliResult {
    let advice = config_file::advice(&args.dir, args.config.as_deref(), args.profile)?;
    let mut disk = Disk::open(&args.dir)?;
    disk.workspace.advise(advice);
    if args.fix {
        fix(&mut disk, args.write, args.format == ValidateFormat::Text)?;
    }
    let root = disk.root()?;
    let verdict = root.verdict();
    match args.format {
        ValidateFormat::Json => output::json(&json!({
            "format": output::FORMAT,
            "passed": verdict.passed,
            "opm_message": verdict.opm_message,
            "diagnostics": verdict.diagnostics,
        }))?,
        ValidateFormat::Opm => {
            if let Some(message) = &verdict.opm_message {
                output::text(&format!("{}\n", message.trim_end_matches('\n')))?;
            }
        }
        ValidateFormat::Github => output::text(&github(&args.dir, verdict))?,
        ValidateFormat::Text => {
            let folder = args.dir.display().to_string();
            let report = Report { verdict, workspace: &disk.workspace, folder: &folder, paint: Paint::stdout() };
            output::text(&report.text())?;
        }
    }
    Ok(if verdict.passed { 0 } else { error::FAILED })
}

/// Applies the safe fixes, in rounds, since one can bring up another; says what was done and what was not.
///
/// The patch goes to standard output where that is text; elsewhere it stays what `--format` says.
fn fix(disk: &mut Disk, write: bool, text: bool) -> Result<(), error::CliError> {
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
        let patch = disk.workspace.patch()?;
        match text {
            true => output::bytes(&patch)?,
            false => output::note(String::from_utf8_lossy(&patch).trim_end()),
        }
    }
    let left = disk.root()?.verdict().diagnostics.len();
    if left > 0 && !fixed.done.is_empty() {
        output::note(&format!("{left} {} left to be looked at", if left == 1 { "problem" } else { "problems" }));
    }
    Ok(())
}

/// Workflow commands of GitHub Actions: one annotation a problem. Files are named as seen from where the command runs,
/// which for a workflow is the repository.
fn github(folder: &Path, verdict: &Verdict) -> String {
    let data = |text: &str| text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    let property = |text: &str| data(text).replace(':', "%3A").replace(',', "%2C");
    let mut out = String::new();
    for d in &verdict.diagnostics {
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
            format!(
                "file={},line={line},endLine={},col={column}{end},",
                property(&config_file::from_here(folder, &at.file)),
                at.end_line
            )
        };
        let message = data(&format!("{}{help}", d.message));
        out.push_str(&format!("::{level} {place}title={}::{message}\n", property(&d.rule)));
    }
    if let Some(message) = verdict.opm_message.as_ref().filter(|_| verdict.diagnostics.is_empty()) {
        out.push_str(&format!("::error title=opm validate::{}\n", data(message)));
    }
    out
}
