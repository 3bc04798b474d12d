//! `switchyard repo promote`: promotes operators to the next OpenShift version.

use super::changes::{Changes, files_json, lock, refusal};
use super::{findings_json, operators, problem_json};
use crate::args::repository::PromoteArgs;
use crate::error::{self, CliResult};
use crate::input::repository_files::RepositoryFiles;
use crate::output;
use crate::output::formats::TextOrData;
use fbc::repository::promote::{Promoted, Request, Strategy, plan};
use serde_json::{Map, Value, json};

pub(super) fn run(args: &PromoteArgs) -> CliResult {
    let files = RepositoryFiles::open(&args.repository)?;
    let locks = lock(&files, args.write.write)?;
    let found = operators(&files, &args.operator)?;
    // Without a name, all operators are promoted, including those that only a catalog has.
    let is_named = !args.operator.is_empty() || files.only_operator().is_some();
    let request = Request {
        from: &args.from,
        to: &args.to,
        operators: if is_named { &found } else { &[] },
    };
    let promotion = plan(&files, &request).map_err(|problem| refusal(&files, &problem))?;
    let changed = |promoted: &Promoted| {
        promoted
            .copied
            .iter()
            .chain(promoted.ci.as_ref().map(|(_, file)| file))
            .cloned()
            .collect::<Vec<_>>()
    };
    let changes = Changes {
        files: promotion.operators.iter().flat_map(changed).collect(),
        catalogs: Vec::new(),
        remarks: promotion.remarks,
        problems: promotion.problems,
    };
    match args.repository.format {
        TextOrData::Text => {
            let status = changes.print(&files, locks.as_ref())?;
            summary_lines(args, &promotion.operators)
                .iter()
                .for_each(|line| output::note(line));
            Ok(status)
        }
        TextOrData::Data(form) => {
            if let Some(locks) = &locks {
                changes.write(&files, locks)?;
            }
            let operators = promotion
                .operators
                .iter()
                .map(|operator| (operator.operator.clone(), promoted_json(operator)));
            let answer = json!({
                "format": output::FORMAT,
                "from": args.from,
                "to": args.to,
                "operators": Value::Object(operators.collect::<Map<_, _>>()),
                "remarks": findings_json(&changes.remarks),
                "problems": changes.problems.iter().map(problem_json).collect::<Vec<_>>(),
                "files": files_json(&changes),
                "written": args.write.write,
            });
            output::data(form, &answer)?;
            Ok(if changes.problems.is_empty() {
                0
            } else {
                error::FAILED
            })
        }
    }
}

fn promoted_json(of: &Promoted) -> Value {
    match of.strategy {
        Strategy::Never => json!({"strategy": of.strategy.name()}),
        strategy => json!({
            "strategy": strategy.name(),
            "copied": of.copied.iter().map(|file| file.path.as_str()).collect::<Vec<_>>(),
            "ci": of.ci.as_ref().map(|(value, _)| value),
        }),
    }
}

/// The promoted operators, one line per strategy.
fn summary_lines(args: &PromoteArgs, operators: &[Promoted]) -> Vec<String> {
    let names = |predicate: &dyn Fn(&Promoted) -> bool| {
        let names = operators
            .iter()
            .filter(|operator| predicate(operator))
            .map(|of| of.operator.as_str());
        names.collect::<Vec<_>>().join(", ")
    };
    let goes = |promoted: &Promoted| !promoted.copied.is_empty() || promoted.ci.is_some();
    let lines = [
        (
            format!("to {} without review", args.to),
            names(&|of| of.strategy == Strategy::Always && goes(of)),
        ),
        (
            format!("to {} once their owners agree", args.to),
            names(&|of| of.strategy == Strategy::ReviewNeeded && goes(of)),
        ),
        (
            format!("in {} already", args.to),
            names(&|of| of.strategy != Strategy::Never && !goes(of)),
        ),
        (
            "never promoted".to_owned(),
            names(&|of| of.strategy == Strategy::Never),
        ),
    ];
    lines
        .into_iter()
        .filter(|(_, names)| !names.is_empty())
        .map(|(what, names)| format!("{what}: {names}"))
        .collect()
}
