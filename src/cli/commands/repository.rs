//! `switchyard repo`: an operator repository and its release pipeline: checks of a pull request,
//! release, promotion to the next OpenShift version, and conversion to file-based catalogs.

mod changes;
mod status;

use crate::args::author::{
    CheckArgs, OnboardArgs, OperatorArgs, PromoteArgs, ReleaseArgs, RepositoryCommand,
    RepositoryRenderArgs,
};
use crate::error::{self, CliError, CliResult, io_reason};
use crate::input::repository_files::RepositoryFiles;
use crate::output::formats::TextOrData;
use crate::output::{self, Paint, one_line};
use ::repository::onboard::{self, ServedCatalog};
use ::repository::promote::{self, Promoted, Strategy};
use ::repository::release::{self, TemplateChange, render_catalogs};
use ::repository::render::{self, render_operator, unmapped_catalogs};
use ::repository::{FileChange, Files, Finding, Problem, check, layout};
use changes::{ChangedCatalog, Changes, files_json, location, lock, problem_json, refusal};
use protocol::counting::count_of;
use protocol::diagnostic::Severity;
use serde_json::{Value, json};
use std::path::PathBuf;
use syntax::did_you_mean::did_you_mean;

pub(super) fn run(command: &RepositoryCommand) -> CliResult {
    match command {
        RepositoryCommand::Status(args) => status::run(args),
        RepositoryCommand::Check(args) => check(args),
        RepositoryCommand::Release(args) => release(args),
        RepositoryCommand::Promote(args) => promote(args),
        RepositoryCommand::Onboard(args) => onboard(args),
        RepositoryCommand::Render(args) => render(args),
    }
}

fn findings_json(findings: &[Finding]) -> Value {
    findings
        .iter()
        .map(|finding: &Finding| {
            json!({
                "check": finding.check,
                "type": finding.severity.name(),
                "message": finding.message,
                "file": finding.file,
                "line": finding.line,
                "help": finding.help,
            })
        })
        .collect()
}

/// Formats a finding for people, as `validate` formats problems.
fn finding_to_text(files: &RepositoryFiles, finding: &Finding) -> String {
    let paint = Paint::stdout();
    let kind = format!("{}[{}]", finding.severity.name(), finding.check);
    let kind = match finding.severity {
        Severity::Error => paint.error(&kind),
        Severity::Warning | Severity::Info => paint.warning(&kind),
    };
    let location = location(files, &finding.file, finding.line);
    let mut text = format!(
        "{kind}: {}\n  {} {}\n",
        one_line(&finding.message),
        paint.dim("-->"),
        one_line(&location)
    );
    if !finding.help.is_empty() {
        text.push_str(&format!(
            "  {} {}\n",
            paint.hint("help:"),
            one_line(&finding.help)
        ));
    }
    text
}

fn check(args: &CheckArgs) -> CliResult {
    let OperatorArgs {
        repository,
        operator,
    } = &args.operator;
    let files = RepositoryFiles::open(repository)?;
    files.require_operator(operator)?;
    if let Some(version) = &args.bundle {
        require_bundle(&files, operator, version)?;
    }
    let request = check::Request {
        operator,
        bundle: args.bundle.as_deref(),
        catalogs: &args.catalog,
    };
    let report = check::check(&files, &request).with(check::obstacles(&files, &request));
    match repository.output.format {
        TextOrData::Data(form) => {
            let answer = json!({
                "format": output::FORMAT,
                "operator": operator,
                "bundle": args.bundle,
                "catalogs": args.catalog,
                "passed": report.has_passed(),
                "results": findings_json(&report.findings),
                "skipped": report.skipped,
            });
            output::print_data(form, &answer)?;
        }
        TextOrData::Text => {
            output::print_text(&report_to_text(&files, &report))?;
            if args.bundle.is_none() && args.catalog.is_empty() {
                output::print_note(
                    "checked: `ci.yaml`, templates, and whether the operator's catalogs pass `opm validate`; name a bundle or \
                     catalog of a pull request with --bundle or --catalog to check the pipeline's checks of it",
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

fn report_to_text(files: &RepositoryFiles, report: &check::Report) -> String {
    let mut text: String = report
        .findings
        .iter()
        .map(|finding| finding_to_text(files, finding))
        .collect();
    for name in &report.skipped {
        text.push_str(&format!(
            "{name} is skipped: turned off for this operator by {}\n",
            layout::CONFIG
        ));
    }
    let count = |severity| {
        let findings = report.findings.iter();
        findings
            .filter(|finding| finding.severity == severity)
            .count()
    };
    let verdict = if report.has_passed() {
        "passes"
    } else {
        "fails"
    };
    text.push_str(&format!(
        "{verdict} the static checks: {}, {}\n",
        count_of(count(Severity::Error), "error"),
        count_of(count(Severity::Warning), "warning")
    ));
    text
}

/// Refuses a bundle without a folder.
fn require_bundle(files: &RepositoryFiles, operator: &str, version: &str) -> Result<(), CliError> {
    if files.is_folder(&layout::bundle_folder(operator, version)) {
        return Ok(());
    }
    let all = layout::bundles(files, operator);
    let hint = did_you_mean(
        version,
        all.iter().map(String::as_str),
        "each bundle has a folder in the operator's folder",
    );
    Err(cli_error!("bundle \"{version}\" of {operator} not found").hint(hint))
}

fn onboard(args: &OnboardArgs) -> CliResult {
    let OperatorArgs {
        repository,
        operator,
    } = &args.operator;
    let files = RepositoryFiles::open(repository)?;
    let locks = lock(&files, args.write.write)?;
    files.require_operator(operator)?;
    let mut catalogs: Vec<ServedCatalog> = Vec::new();
    for (name, file) in &args.catalog {
        if catalogs.iter().any(|catalog| catalog.name == *name) {
            return Err(
                cli_error!("--catalog names {name} twice").hint("give one file for each catalog")
            );
        }
        catalogs.push(read_catalog(name, file)?);
    }
    let onboarding = onboard::plan(
        &files,
        &onboard::Request {
            operator,
            catalogs: &catalogs,
        },
    )
    .map_err(|problem| onboarding_error(&files, &problem, &catalogs))?;
    let (ci, ci_file) = onboarding.ci;
    let templates = onboarding
        .templates
        .iter()
        .map(|template| template.file.clone());
    let changes = Changes {
        files: templates.chain([ci_file]).collect(),
        catalogs: onboarding
            .catalogs
            .into_iter()
            .map(|catalog| ChangedCatalog::new(operator, catalog))
            .collect(),
        remarks: onboarding.remarks,
        ..Changes::default()
    };
    let head = json!({
        "operator": operator,
        "package": onboarding.package,
        "templates": template_values(&onboarding.templates),
        "ci": ci,
    });
    let remarks = ("remarks", findings_json(&changes.remarks));
    changes.finish(
        &files,
        repository.output.format,
        locks.as_ref(),
        head,
        remarks,
    )
}

/// Returns the templates as JSON, by path.
fn template_values(templates: &[TemplateChange]) -> Value {
    templates
        .iter()
        .map(|template| (template.file.path.clone(), template.value.clone()))
        .collect()
}

fn read_catalog(name: &str, file: &PathBuf) -> Result<ServedCatalog, CliError> {
    let path = file.display().to_string();
    let text = std::fs::read(file).map_err(|error| {
        cli_error!("{path}: {}", io_reason(&error)).hint(format!(
            "name the file with the output of `opm render` for catalog {name}"
        ))
    })?;
    Ok(ServedCatalog {
        name: name.to_owned(),
        file: path,
        text,
    })
}

/// Converts a problem to an error. A problem in a file of `--catalog` has its location in that
/// file, not in the repository.
fn onboarding_error(
    files: &RepositoryFiles,
    problem: &Problem,
    catalogs: &[ServedCatalog],
) -> CliError {
    if !catalogs.iter().any(|catalog| catalog.file == problem.file) {
        return refusal(files, problem);
    }
    let location = match problem.line {
        Some(line) => format!("{}:{line}", problem.file),
        None => problem.file.clone(),
    };
    CliError::new(&*problem.message)
        .at(location)
        .hint(&*problem.help)
}

fn promote(args: &PromoteArgs) -> CliResult {
    let files = RepositoryFiles::open(&args.repository)?;
    let locks = lock(&files, args.write.write)?;
    let operators = files.operators(&args.operator)?;
    // Without a name, all operators are promoted, including those that only a catalog has.
    let is_named = !args.operator.is_empty() || files.only_operator().is_some();
    let request = promote::Request {
        from: &args.from,
        to: &args.to,
        operators: if is_named { &operators } else { &[] },
    };
    let promotion = promote::plan(&files, &request).map_err(|problem| refusal(&files, &problem))?;
    let changes = Changes {
        files: promotion.operators.iter().flat_map(file_changes).collect(),
        catalogs: Vec::new(),
        remarks: promotion.remarks,
        problems: promotion.problems,
    };
    match args.repository.output.format {
        TextOrData::Text => {
            let status = changes.print(&files, locks.as_ref())?;
            for line in summary_lines(args, &promotion.operators) {
                output::print_note(&line);
            }
            Ok(status)
        }
        TextOrData::Data(form) => {
            if let Some(locks) = &locks {
                changes.write(&files, locks)?;
            }
            let operators: Value = promotion
                .operators
                .iter()
                .map(|operator| (operator.operator.clone(), promoted_json(operator)))
                .collect();
            let answer = json!({
                "format": output::FORMAT,
                "from": args.from,
                "to": args.to,
                "operators": operators,
                "remarks": findings_json(&changes.remarks),
                "problems": changes.problems.iter().map(problem_json).collect::<Vec<_>>(),
                "files": files_json(&changes),
                "written": args.write.write,
            });
            output::print_data(form, &answer)?;
            Ok(if changes.problems.is_empty() {
                0
            } else {
                error::FAILED
            })
        }
    }
}

fn file_changes(promoted: &Promoted) -> impl Iterator<Item = FileChange> {
    let ci = promoted.ci.as_ref().map(|(_, file)| file);
    promoted.copied.iter().chain(ci).cloned()
}

fn promoted_json(promoted: &Promoted) -> Value {
    match promoted.strategy {
        Strategy::Never => json!({"strategy": promoted.strategy.name()}),
        strategy => json!({
            "strategy": strategy.name(),
            "copied": promoted.copied.iter().map(|file| file.path.as_str()).collect::<Vec<_>>(),
            "ci": promoted.ci.as_ref().map(|(value, _)| value),
        }),
    }
}

/// Lists the promoted operators, one line per strategy.
fn summary_lines(args: &PromoteArgs, operators: &[Promoted]) -> Vec<String> {
    let names = |predicate: &dyn Fn(&Promoted) -> bool| {
        let names = operators
            .iter()
            .filter(|operator| predicate(operator))
            .map(|promoted| promoted.operator.as_str());
        names.collect::<Vec<_>>().join(", ")
    };
    let lines = [
        (
            format!("to {} without review", args.to),
            names(&|promoted| promoted.strategy == Strategy::Always && is_promoted(promoted)),
        ),
        (
            format!("to {} once their owners agree", args.to),
            names(&|promoted| promoted.strategy == Strategy::ReviewNeeded && is_promoted(promoted)),
        ),
        (
            format!("in {} already", args.to),
            names(&|promoted| promoted.strategy != Strategy::Never && !is_promoted(promoted)),
        ),
        (
            "never promoted".to_owned(),
            names(&|promoted| promoted.strategy == Strategy::Never),
        ),
    ];
    lines
        .into_iter()
        .filter(|(_, names)| !names.is_empty())
        .map(|(label, names)| format!("{label}: {names}"))
        .collect()
}

fn is_promoted(promoted: &Promoted) -> bool {
    !promoted.copied.is_empty() || promoted.ci.is_some()
}

fn release(args: &ReleaseArgs) -> CliResult {
    if args.image.is_empty() {
        return Err(CliError::new("--image is empty").hint("name the image of the bundle"));
    }
    let OperatorArgs {
        repository,
        operator,
    } = &args.operator;
    let files = RepositoryFiles::open(repository)?;
    let locks = lock(&files, args.write.write)?;
    files.require_operator(operator)?;
    require_bundle(&files, operator, &args.bundle)?;
    let request = release::Request {
        operator,
        bundle: &args.bundle,
        image: &args.image,
    };
    let release = release::plan(&files, &request).map_err(|problem| refusal(&files, &problem))?;
    let catalogs = render_catalogs(&files, &request, &release).into_iter();
    let changes = Changes {
        files: release
            .templates
            .iter()
            .map(|template| template.file.clone())
            .collect(),
        catalogs: catalogs
            .map(|catalog| ChangedCatalog::new(operator, catalog))
            .collect(),
        remarks: release.remarks,
        ..Changes::default()
    };
    let to_render = release.catalogs.iter().map(|catalog| {
        json!({
            "name": catalog.name,
            "template": catalog.template,
            "migrate": catalog.is_migrated,
        })
    });
    let head = json!({
        "operator": operator,
        "bundle": args.bundle,
        "image": args.image,
        "templates": template_values(&release.templates),
        "catalogs": to_render.collect::<Vec<_>>(),
    });
    let remarks = ("remarks", findings_json(&changes.remarks));
    changes.finish(
        &files,
        repository.output.format,
        locks.as_ref(),
        head,
        remarks,
    )
}

fn render(args: &RepositoryRenderArgs) -> CliResult {
    let files = RepositoryFiles::open(&args.repository)?.with_bundles(args.known.read()?);
    let locks = lock(&files, args.write.write)?;
    let operators = files.operators(&args.operator)?;
    if let Some(name) = unmapped_catalogs(&files, &operators, &args.catalog).first() {
        let all = layout::catalogs(&files);
        let hint = did_you_mean(
            name,
            all.iter().map(String::as_str),
            "`fbc.catalog_mapping` of `ci.yaml` names them",
        );
        return Err(cli_error!("no template is mapped to catalog \"{name}\"").hint(hint));
    }
    let mut changes = Changes::default();
    for operator in &operators {
        let request = render::Request {
            operator,
            catalogs: &args.catalog,
            stale_only: args.stale,
        };
        let rendering = render_operator(&files, &request);
        changes.catalogs.extend(
            rendering
                .catalogs
                .into_iter()
                .map(|catalog| ChangedCatalog::new(operator, catalog)),
        );
        changes.problems.extend(rendering.problems);
    }
    let problems = (
        "problems",
        changes.problems.iter().map(problem_json).collect(),
    );
    changes.finish(
        &files,
        args.repository.output.format,
        locks.as_ref(),
        json!({}),
        problems,
    )
}
