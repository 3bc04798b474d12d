//! `switchyard repo check`: the static checks of a pull request.

use super::{findings_json, operator, print_finding};
use crate::args::repository::CheckArgs;
use crate::error::{self, CliError, CliResult};
use crate::input::repository_files::RepositoryFiles;
use crate::output;
use crate::output::formats::TextOrData;
use fbc::did_you_mean::did_you_mean;
use fbc::repository::check::{Request, check, obstacles};
use fbc::repository::{Files, Severity, layout};
use protocol::counting::count_of;
use serde_json::json;

pub(super) fn run(args: &CheckArgs) -> CliResult {
    let files = RepositoryFiles::open(&args.of.repository)?;
    operator(&files, &args.of.operator)?;
    if let Some(version) = &args.bundle {
        bundle(&files, &args.of.operator, version)?;
    }
    let request = Request {
        operator: &args.of.operator,
        bundle: args.bundle.as_deref(),
        catalogs: &args.catalog,
    };
    let report = check(&files, &request).with(obstacles(&files, &request));
    match args.of.repository.format {
        TextOrData::Data(form) => {
            let answer = json!({
                "format": output::FORMAT,
                "operator": args.of.operator,
                "bundle": args.bundle,
                "catalogs": args.catalog,
                "passed": report.has_passed(),
                "results": findings_json(&report.findings),
                "skipped": report.skipped,
            });
            output::data(form, &answer)?;
        }
        TextOrData::Text => {
            let mut text = String::new();
            for finding in &report.findings {
                print_finding(&files, finding, &mut text);
            }
            for name in &report.skipped {
                text.push_str(&format!(
                    "{name} is skipped: turned off for this operator by {}\n",
                    layout::CONFIG
                ));
            }
            let count = |severity| {
                report
                    .findings
                    .iter()
                    .filter(|finding| finding.severity == severity)
                    .count()
            };
            let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
            let verdict = if report.has_passed() {
                "passes"
            } else {
                "fails"
            };
            let counted = format!(
                "{}, {}",
                count_of(errors, "error"),
                count_of(warnings, "warning")
            );
            text.push_str(&format!("{verdict} the static checks: {counted}\n"));
            output::text(&text)?;
            if args.bundle.is_none() && args.catalog.is_empty() {
                output::note(
                    "checked: `ci.yaml`, templates, and whether the operator's catalogs pass `opm validate`; name a bundle or \
                     catalog of a pull request with --bundle or --catalog to run the pipeline's checks of it",
                );
            }
        }
    }
    Ok(if report.has_passed() {
        0
    } else {
        error::FAILED
    })
}

/// Refuses a bundle without a folder.
pub(super) fn bundle(
    files: &RepositoryFiles,
    operator: &str,
    version: &str,
) -> Result<(), CliError> {
    if files.is_folder(&layout::bundle_folder(operator, version)) {
        return Ok(());
    }
    let all = layout::bundles(files, operator);
    let hint = did_you_mean(
        version,
        all.iter().map(String::as_str),
        "each bundle has a folder in the operator's folder",
    );
    Err(CliError::new(format!("bundle \"{version}\" of {operator} not found")).hint(hint))
}
