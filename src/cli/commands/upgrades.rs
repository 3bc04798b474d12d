//! `switchyard next` and `path`: the next upgrade, and the path to the last one. Catalogs need not
//! validate.

use crate::args::UpgradeArgs;
use crate::error::{COULD_NOT_RUN, CliError, CliResult};
use crate::input::upgrade_question::{OpenedCatalogs, Question, requests};
use crate::output::formats::{Data, TextOrData};
use crate::output::problems;
use crate::output::{self, one_line};
use serde_json::{Value, json};
use upgrade::ask::{Reach, Reply};
use upgrade::status_conditions::{
    Condition, ConditionsAt, merge_conditions, remarks, unknown_status, when,
};
use upgrade::{ErrorKind, Lens, UpgradeError};

pub(super) fn next(args: &UpgradeArgs) -> CliResult {
    run(args, print_next)
}

pub(super) fn path(args: &UpgradeArgs) -> CliResult {
    run(args, print_path)
}

/// Answers one question, or one per object of a manifest. A question that cannot be answered does
/// not prevent the others.
fn run(
    args: &UpgradeArgs,
    print_answer: fn(&UpgradeArgs, &Question<'_>) -> CliResult,
) -> CliResult {
    let requests = requests(args)?;
    let opened = OpenedCatalogs::open(args)?;
    let is_one_of_several = requests.len() > 1;
    let mut status = 0;
    for request in requests {
        if let Some(manifest) = request.manifest.as_ref().filter(|_| is_one_of_several) {
            match args.output.format {
                TextOrData::Text => output::print_text(&format!("{}\n", manifest.heading()))?,
                TextOrData::Data(Data::Yaml) => output::print_text("---\n")?,
                TextOrData::Data(Data::Json) => {}
            }
        }
        match Question::new(&opened, request).and_then(|question| print_answer(args, &question)) {
            Ok(answer_status) => status = status.max(answer_status),
            Err(CliError::BrokenPipe) => return Err(CliError::BrokenPipe),
            Err(error) if is_one_of_several => {
                output::print_error(&error);
                status = COULD_NOT_RUN;
            }
            Err(error) => {
                opened.report(args.partial, 0);
                return Err(error);
            }
        }
    }
    Ok(opened.report(args.partial, status))
}

fn print_next(args: &UpgradeArgs, question: &Question<'_>) -> CliResult {
    let reply = question.ask(Reach::NextStep, args.cluster.cluster)?;
    let why = reply.next().map_or(&reply.end, |step| &step.why).clone();
    let why = question.reasons(&reply, why);
    let step = reply.next().map(|step| &step.successor);
    let next = step.map(|step| &*step.name);
    let installed = reply.installed.as_ref().map(|installed| &*installed.name);
    let on_cluster = reply.next_on_cluster();
    match args.output.format {
        TextOrData::Data(form) => {
            let mut data = question_json(question);
            data["installed"] = installed.into();
            data["next"] = next.into();
            data["version"] = step.map(|step| &*step.version).into();
            data["channel"] = step.map(|step| &*step.channel).into();
            data["edge"] = step.map_or("none", |step| step.edge.as_str()).into();
            data["why"] = why.into();
            data["error"] = error_json(reply.error.as_ref());
            if let Some(release) = step.and_then(|step| step.release.as_deref()) {
                data["release"] = release.into();
            }
            let cluster = on_cluster.as_ref().map(problems::next_json);
            add_optional_fields(&mut data, question, &reply, cluster);
            output::print_data(form, &data)?;
        }
        TextOrData::Text => {
            let from = one_line(installed.unwrap_or("fresh install"));
            output::print_text(&match (step, &reply.error) {
                (Some(step), _) => format!(
                    "{from} -> {} ({})\n",
                    one_line(&step.name),
                    step.edge.as_str()
                ),
                (None, Some(error)) => format!("{from}: {}\n", one_line(&error.text)),
                (None, None) => format!("{from}: stays\n"),
            })?;
            if let Some(on_cluster) = &on_cluster {
                output::print_text(&problems::next_text(on_cluster))?;
            }
            output::print_reasons("why", &why)?;
            print_conditions(question.lens, &reply.conditions)?;
        }
    }
    Ok(status(reply.error.as_ref()))
}

fn print_path(args: &UpgradeArgs, question: &Question<'_>) -> CliResult {
    let reply = question.ask(Reach::WholePath, args.cluster.cluster)?;
    let why = question.reasons(&reply, reply.main_reasons());
    let names = reply.names();
    match args.output.format {
        TextOrData::Data(form) => {
            let mut data = question_json(question);
            data["steps"] = json!(names);
            data["why"] = why.into();
            data["loop"] = reply.looped.into();
            data["error"] = error_json(reply.error.as_ref());
            let cluster = reply.on_cluster.as_ref().map(problems::path_json);
            add_optional_fields(&mut data, question, &reply, cluster);
            output::print_data(form, &data)?;
        }
        TextOrData::Text => {
            let remarks = match &reply.on_cluster {
                Some(on_cluster) => problems::path_remarks(on_cluster),
                None => vec![String::new(); names.len()],
            };
            let mut text: String = names
                .iter()
                .zip(remarks)
                .map(|(name, remark)| format!("{}{remark}\n", one_line(name)))
                .collect();
            if let Some(error) = &reply.error {
                text.push_str(&format!("({})\n", one_line(&error.text)));
            }
            output::print_text(&text)?;
            output::print_reasons("why", &why)?;
            print_conditions(question.lens, &reply.conditions)?;
        }
    }
    Ok(status(reply.error.as_ref()))
}

/// Returns the first fields of an answer.
fn question_json(question: &Question<'_>) -> Value {
    json!({
        "format": output::FORMAT,
        "lens": question.lens.name(),
        "package": question.package,
    })
}

fn error_json(error: Option<&UpgradeError>) -> Value {
    match error {
        Some(error) => json!({ "kind": error.kind.as_str(), "text": error.text }),
        None => Value::Null,
    }
}

/// Adds the optional fields of an answer: bundles that OLM v1 chooses but refuses, status
/// conditions, the cluster, the object that the question was read from, and unreadable parts of the
/// catalog.
fn add_optional_fields(
    data: &mut Value,
    question: &Question<'_>,
    reply: &Reply,
    cluster: Option<Value>,
) {
    if !reply.refusals.is_empty() {
        let rows = reply
            .refusals
            .iter()
            .map(|refusal| json!({ "bundle": refusal.bundle, "error": refusal.error }));
        data["install_refusals"] = rows.collect();
    }
    mark_conditions(data, &reply.conditions);
    if let Some(cluster) = cluster {
        data["cluster"] = cluster;
    }
    if let Some(manifest) = &question.manifest {
        data["manifest"] = manifest.json();
    }
    question.opened.incomplete.mark(data);
}

/// Returns the exit status. A refusal by OLM is an answer; an aborted search is not.
fn status(error: Option<&UpgradeError>) -> u8 {
    match error {
        Some(error) if error.kind == ErrorKind::NotKnown => COULD_NOT_RUN,
        _ => 0,
    }
}

/// Adds the conditions along a path to an answer, the unknown ones, and the catalogs that they come
/// from. Omits empty fields.
fn mark_conditions(answer: &mut Value, path: &[ConditionsAt]) {
    let mut add = |key: &str, rows: Vec<Value>| {
        if !rows.is_empty() {
            answer[key] = rows.into();
        }
    };
    let set = path.iter().flat_map(|at| {
        at.conditions.iter().map(move |c| {
            json!({ "installed": at.installed.as_deref(), "type": c.kind.as_str(), "message": c.message })
        })
    });
    add("conditions", set.collect());
    let unknown = path.iter().filter(|at| at.is_unknown).flat_map(|at| {
        let installed = at.installed.as_deref();
        unknown_status(installed).map(|c| {
            json!({ "installed": installed, "type": c.kind.as_str(), "reason": c.reason, "message": c.message })
        })
    });
    add("unknown_conditions", unknown.collect());
    let catalogs = path.iter().filter_map(|at| {
        let other = at.other_catalog.as_ref()?;
        Some(json!({
            "installed": at.installed.as_deref(),
            "conditions_from": other.conditions_from,
            "bundle_from": other.bundle_from,
        }))
    });
    add("condition_catalogs", catalogs.collect());
}

/// Prints each condition along a path once.
fn print_conditions(lens: Lens, path: &[ConditionsAt]) -> Result<(), CliError> {
    let conditions = merge_conditions(path).into_iter().map(
        |(condition, points): (&Condition, Vec<Option<&str>>)| {
            let message = condition.message.replace('\n', "; ");
            format!(
                "{}, {}: {message}",
                condition.kind.as_str(),
                when(&points, path)
            )
        },
    );
    let lines: Vec<String> = conditions.chain(remarks(path)).collect();
    let label = match lens {
        Lens::V0 => "status conditions of the Subscription",
        Lens::V1 => "status conditions of the ClusterExtension",
    };
    output::print_reasons(label, &lines)
}
