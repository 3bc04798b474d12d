//! `switchyard validate`: the verdict of `opm validate`, with every problem, its location and its
//! fix.

mod reports;

use super::file_changes;
use crate::args::ValidateArgs;
use crate::error::{self, CliError, CliResult};
use crate::input::changed_since::{self, Selection};
use crate::input::disk::Disk;
use crate::input::{self, config_file, templates};
use crate::output::formats::{Data, ValidateFormat};
use crate::output::problems::Report;
use crate::output::{self, Paint};
use crate::write::FolderLocks;
use protocol::MATCHED_OPM;
use protocol::counting::count_of;
use serde_json::{Value, json};
use session::Verdict;
use std::path::{Path, PathBuf};
use verdict::validate::explain::documents;
use verdict::validate::{OpmVersion, RELEASE_LENGTH_SINCE};

/// Returns the worst status of all catalogs. An unreadable catalog does not hide others.
pub(super) fn run(args: &ValidateArgs) -> CliResult {
    let dirs = match &args.changed_since {
        None => args.dirs.clone(),
        Some(revision) => changed_folders(args, revision)?,
    };
    if let Some(version) = args.opm_version {
        output::print_note(&opm_version_note(version));
    }
    match (args.format, &dirs[..]) {
        (ValidateFormat::Sarif, _) => print_sarif(&dirs, args),
        (ValidateFormat::Junit, _) => print_junit(&dirs, args),
        (_, [dir]) if args.changed_since.is_none() => validate_one(dir, args),
        _ => validate_several(&dirs, args),
    }
}

/// Selects the catalogs that changed since a revision. Reports the unchanged ones.
fn changed_folders(args: &ValidateArgs, revision: &str) -> Result<Vec<PathBuf>, CliError> {
    let Selection {
        changed,
        unchanged,
        remark,
    } = changed_since::select(&args.dirs, revision, args.config.as_deref())?;
    if !remark.is_empty() {
        output::print_note(&remark);
    }
    if !unchanged.is_empty() {
        let names: Vec<String> = unchanged
            .iter()
            .map(|dir| dir.display().to_string())
            .collect();
        output::print_note(&format!(
            "not validated, because nothing changed since {revision}: {}",
            names.join(", ")
        ));
    }
    Ok(changed)
}

/// Prints the verdict on a single catalog as the whole answer.
fn validate_one(dir: &Path, args: &ValidateArgs) -> CliResult {
    let disk = open_and_fix(dir, args)?;
    let verdict = disk.root()?.verdict();
    match args.format {
        ValidateFormat::Data(form) => {
            let mut answer = verdict_json("format", output::FORMAT.into(), verdict);
            add_opm_version(&mut answer, args.opm_version);
            output::print_data(form, &answer)?;
        }
        format => print(format, &render_verdict(format, dir, &disk, verdict))?,
    }
    Ok(status(verdict))
}

/// Prints the verdict of each catalog under its name; data formats get one document for all.
fn validate_several(dirs: &[PathBuf], args: &ValidateArgs) -> CliResult {
    let mut catalogs = Vec::new();
    let status = for_each_catalog(dirs, args, |dir, opened| {
        let disk = opened?;
        let verdict = disk.root()?.verdict();
        match args.format {
            ValidateFormat::Data(_) => {
                let dir = dir.display().to_string().into();
                catalogs.push(verdict_json("dir", dir, verdict));
            }
            format => print(
                format,
                &with_heading(format, dir, &render_verdict(format, dir, &disk, verdict)),
            )?,
        }
        Ok(status(verdict))
    })?;
    if let ValidateFormat::Data(form) = args.format {
        let passed = status == 0;
        let mut answer =
            json!({ "format": output::FORMAT, "passed": passed, "catalogs": catalogs });
        add_opm_version(&mut answer, args.opm_version);
        output::print_data(form, &answer)?;
    }
    Ok(status)
}

fn print_sarif(dirs: &[PathBuf], args: &ValidateArgs) -> CliResult {
    let mut log = reports::Log::default();
    let status = for_each_catalog(dirs, args, |dir, opened| {
        let mut disk = opened.inspect_err(|error| log.add_failure(dir, error))?;
        log.add(dir, &mut disk)?;
        Ok(status(disk.root()?.verdict()))
    })?;
    output::print_data(Data::Json, &log.finish())?;
    Ok(status)
}

fn print_junit(dirs: &[PathBuf], args: &ValidateArgs) -> CliResult {
    let mut suites = reports::Suites::default();
    let status = for_each_catalog(dirs, args, |dir, opened| {
        let disk = opened.inspect_err(|error| suites.add_failure(dir, error))?;
        suites.add(dir, &disk)?;
        Ok(status(disk.root()?.verdict()))
    })?;
    output::print_text(&suites.finish())?;
    Ok(status)
}

/// Validates catalogs one after the other and returns the worst status. Prints why a catalog could
/// not be validated.
fn for_each_catalog(
    dirs: &[PathBuf],
    args: &ValidateArgs,
    mut report: impl FnMut(&Path, Result<Disk, CliError>) -> CliResult,
) -> CliResult {
    let mut worst = 0;
    for dir in dirs {
        match report(dir, open_and_fix(dir, args)) {
            Ok(status) => worst = worst.max(status),
            Err(CliError::BrokenPipe) => return Err(CliError::BrokenPipe),
            Err(error) => {
                output::print_error(&error);
                worst = worst.max(error::COULD_NOT_RUN);
            }
        }
    }
    Ok(worst)
}

fn print(format: ValidateFormat, text: &str) -> Result<(), CliError> {
    match format {
        ValidateFormat::Opm | ValidateFormat::OpmData(_) => output::print_raw(text.as_bytes()),
        _ => output::print_text(text),
    }
}

/// Opens and validates a catalog. With `--fix`, applies the safe fixes.
fn open_and_fix(dir: &Path, args: &ValidateArgs) -> Result<Disk, CliError> {
    let is_stdin = input::is_dash(dir);
    if is_stdin && args.fix {
        return Err(
            CliError::new("standard input cannot be fixed").hint("name the folder of a catalog")
        );
    }
    // The configuration for a template's rendered catalog is beside the template.
    let folder = if dir.is_file() {
        dir.parent().filter(|folder| !folder.as_os_str().is_empty())
    } else {
        Some(dir)
    };
    let config_folder = folder.filter(|_| !is_stdin).unwrap_or(Path::new("."));
    let advice = config_file::advice(config_folder, args.config.as_deref(), args.profile)?;
    let writes = args.fix && args.write;
    let locks = writes.then(|| FolderLocks::wait(&[dir])).transpose()?;
    let mut disk = if args.format == ValidateFormat::Opm && (args.fix || dir.is_dir()) {
        // `opm` prints nothing for an empty folder.
        Disk::open_without_warning(dir)?
    } else if args.fix {
        Disk::open(dir)?
    } else {
        templates::open(dir, &args.known, false)?
    };
    disk.session.set_advice_source(advice);
    if args.opm_version.is_some() {
        disk.session.set_opm_version(args.opm_version);
    }
    if args.fix {
        apply_safe_fixes(&mut disk, locks.as_ref(), args.format)?;
    }
    Ok(disk)
}

/// Returns `opm`'s rules that are newer than a version.
fn newer_rules(version: OpmVersion) -> Vec<&'static str> {
    documents()
        .filter(|doc| doc.since.is_some_and(|since| since > version))
        .map(|doc| doc.id)
        .collect()
}

fn opm_version_note(version: OpmVersion) -> String {
    if version > OpmVersion::NEWEST {
        return format!(
            "opm {version} may have rules that Switchyard does not know: it matches opm {MATCHED_OPM}"
        );
    }
    let mut newer = newer_rules(version);
    if version < RELEASE_LENGTH_SINCE && !newer.contains(&"bundle-release-format") {
        newer.push("bundle-release-format as to the length");
    }
    let left_out = if newer.is_empty() {
        "no rule is newer".to_owned()
    } else {
        format!("left out because they are newer: {}", newer.join(", "))
    };
    format!("opm {version}: {left_out}; nothing else about opm {version} is promised")
}

fn add_opm_version(answer: &mut Value, version: Option<OpmVersion>) {
    if let Some(version) = version {
        answer["opm_version"] = version.to_string().into();
        answer["rules_left_out"] = json!(newer_rules(version));
    }
}

/// Formats the output of `opm validate -o json` and `-o yaml`.
fn opm_data(form: Data, message: Option<&str>) -> String {
    let error = message.map(|message| json!({ "message": message }));
    match form {
        Data::Json => {
            let error = error.map_or_else(String::new, |error| {
                let text = escape_html(&error["message"].to_string());
                format!(",\n  \"error\": {{\n    \"message\": {text}\n  }}")
            });
            let passed = message.is_none();
            format!("{{\n  \"passed\": {passed}{error}\n}}\n")
        }
        Data::Yaml => {
            let mut verdict = json!({ "passed": message.is_none() });
            if let Some(error) = error {
                verdict["error"] = error;
            }
            let yaml = bundle::to_yaml(&[verdict]);
            format!("{}\n", yaml.strip_prefix("---\n").unwrap_or(&yaml))
        }
    }
}

/// Escapes characters of HTML in JSON, as Go does.
fn escape_html(json: &str) -> String {
    let mut text = String::new();
    for c in json.chars() {
        match c {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                text.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            _ => text.push(c),
        }
    }
    text
}

fn status(verdict: &Verdict) -> u8 {
    if verdict.passed { 0 } else { error::FAILED }
}

/// Returns the verdict as JSON, after a first field.
fn verdict_json(key: &str, value: Value, verdict: &Verdict) -> Value {
    json!({
        key: value,
        "passed": verdict.passed,
        "opm_message": verdict.opm_message,
        "diagnostics": verdict.diagnostics,
    })
}

fn render_verdict(format: ValidateFormat, dir: &Path, disk: &Disk, verdict: &Verdict) -> String {
    match format {
        ValidateFormat::Opm => verdict
            .opm_message
            .as_ref()
            .map(|message| format!("{}\n", message.trim_end_matches('\n')))
            .unwrap_or_default(),
        ValidateFormat::OpmData(form) => opm_data(form, verdict.opm_message.as_deref()),
        // These formats have all catalogs in one document.
        ValidateFormat::Data(_) | ValidateFormat::Sarif | ValidateFormat::Junit => String::new(),
        ValidateFormat::Github => reports::github(
            if input::is_dash(dir) {
                Path::new(".")
            } else {
                dir
            },
            verdict,
        ),
        ValidateFormat::Text => {
            // For standard input, suggest commands for the folder that it came from.
            let folder = if input::is_dash(dir) {
                "DIR".to_owned()
            } else {
                output::path_as_word(dir)
            };
            let report = Report {
                verdict,
                session: &disk.session,
                folder: &folder,
                paint: Paint::stdout(),
            };
            let ending = if disk.is_empty() {
                " (the catalog is empty)"
            } else {
                ""
            };
            let text = if output::is_quiet() {
                report.verdict_line()
            } else {
                report.text()
            };
            format!("{}{ending}\n", text.trim_end_matches('\n'))
        }
    }
}

/// Puts the folder's name before the verdict on one of several catalogs, if the format does not
/// contain it.
fn with_heading(format: ValidateFormat, dir: &Path, text: &str) -> String {
    let dir = dir.display();
    match format {
        ValidateFormat::Text if text.trim_end().contains('\n') => format!("{dir}:\n\n{text}\n"),
        ValidateFormat::Text => format!("{dir}: {text}"),
        ValidateFormat::Opm if !text.is_empty() => format!("{dir}: {text}"),
        _ => text.to_owned(),
    }
}

/// Applies the safe fixes in rounds, since one fix can uncover another problem, and reports them.
/// Without locks, prints a patch: on standard output with the format `text`, else on standard
/// error, because standard output has the report.
fn apply_safe_fixes(
    disk: &mut Disk,
    locks: Option<&FolderLocks>,
    format: ValidateFormat,
) -> Result<(), CliError> {
    // Problems that follow from an unreadable blob are validated again once it can be read.
    let fixed = session::fix_all(&mut disk.session, "fix", None, |problem, fix| {
        let cause = problem.follows.as_ref();
        fix.safe && cause.is_none_or(|cause| !cause.rule.starts_with("blob-"))
    })?;
    for title in &fixed.done {
        output::print_note(&format!("fixed: {title}"));
    }
    for (title, reason) in &fixed.refused {
        output::print_diagnostic("not fixed", title, None, reason);
    }
    if fixed.unfinished {
        output::print_note("the fixes keep causing new problems; fix the rest by hand");
    }
    if fixed.done.is_empty() {
        output::print_note("no safe fixes");
    } else if let Some(locks) = locks {
        for path in file_changes::write(std::slice::from_ref(disk), locks)? {
            output::print_note(&format!("wrote {path}"));
        }
    } else {
        let patch = file_changes::patch(std::slice::from_ref(disk))?;
        if format == ValidateFormat::Text {
            output::print_raw(&patch)?;
        } else {
            String::from_utf8_lossy(&patch)
                .lines()
                .for_each(output::print_note);
        }
    }
    let remaining = disk.root()?.verdict().diagnostics.len();
    if remaining > 0 && !fixed.done.is_empty() {
        output::print_note(&format!("{} left", count_of(remaining, "problem")));
    }
    Ok(())
}
