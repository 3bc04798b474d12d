//! `switchyard next` and `switchyard path`: the next upgrade. Also for catalogs that do not validate.

use crate::args::UpgradeArgs;
use crate::error::{COULD_NOT_RUN, CliError, CliResult};
use crate::input::upgrade_question::{OpenedCatalogs, Question};
use crate::output::formats::{Data, TextOrData};
use crate::output::{self, one_line};
use crate::{input::manifest_file, output::cluster_check};
use fbc::upgrade::ask::{InstallRefusal, Reach};
use fbc::upgrade::status_conditions::{
    Condition, ConditionsAt, merge_conditions, remarks, unknown_status, when,
};
use fbc::upgrade::{ErrorKind, Lens, UpgradeError};
use serde_json::{Value, json};

pub(super) fn next(args: &UpgradeArgs) -> CliResult {
    run(args, next_of)
}

pub(super) fn path(args: &UpgradeArgs) -> CliResult {
    run(args, path_of)
}

/// Answers one question, or each object of a manifest in turn. A question without an answer does not prevent the
/// others.
fn run(args: &UpgradeArgs, answer: fn(&UpgradeArgs, &Question<'_>) -> CliResult) -> CliResult {
    let requests = manifest_file::requests(args)?;
    let opened = OpenedCatalogs::open(args)?;
    let is_one_of_several = requests.len() > 1;
    let mut status = 0;
    for request in requests {
        if let Some(manifest) = request.manifest.as_ref().filter(|_| is_one_of_several) {
            match args.format {
                TextOrData::Text => output::text(&format!("{}\n", manifest.heading()))?,
                TextOrData::Data(Data::Yaml) => output::text("---\n")?,
                TextOrData::Data(Data::Json) => {}
            }
        }
        match Question::new(&opened, request).and_then(|question| answer(args, &question)) {
            Ok(of_answer) => status = status.max(of_answer),
            Err(CliError::BrokenPipe) => return Err(CliError::BrokenPipe),
            Err(error) if is_one_of_several => {
                error.print();
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

fn next_of(args: &UpgradeArgs, question: &Question<'_>) -> CliResult {
    let reply = question.ask(Reach::NextStep);
    let mut why = reply.next().map_or(&reply.end, |step| &step.why).clone();
    let step = reply.next().map(|step| &step.successor);
    let next = step.map(|step| &*step.name);
    question.complete(next, false, &mut why)?;
    why.extend(reply.refusals.iter().map(InstallRefusal::sentence));
    let installed = question.installed().map(|installed| &*installed.name);
    let on = args
        .cluster
        .cluster
        .map(|version| question.next_on(version, next));
    match args.format {
        TextOrData::Data(form) => {
            let mut data = json!({
                "format": output::FORMAT,
                "lens": lens_name(question.lens),
                "package": question.package,
                "installed": installed,
                "next": next,
                "version": step.map(|s| &*s.version),
                "channel": step.map(|s| &*s.channel),
                "edge": step.map_or("none", |s| s.edge.as_str()),
                "why": why,
                "error": reply.error.as_ref().map(|e| json!({ "kind": e.kind.as_str(), "text": e.text })),
            });
            if let Some(release) = step.and_then(|step| step.release.as_deref()) {
                data["release"] = release.into();
            }
            add_refusals(&mut data, &reply.refusals);
            mark_conditions(&mut data, &reply.conditions);
            if let Some(on) = &on {
                data["cluster"] = cluster_check::next_json(on);
            }
            add_to(&mut data, question);
            output::data(form, &data)?;
        }
        TextOrData::Text => {
            let from = one_line(installed.unwrap_or("fresh install"));
            output::text(&match (step, &reply.error) {
                (Some(step), _) => format!(
                    "{from} -> {} ({})\n",
                    one_line(&step.name),
                    step.edge.as_str()
                ),
                (None, Some(error)) => format!("{from}: {}\n", one_line(&error.text)),
                (None, None) => format!("{from}: stays\n"),
            })?;
            output::text(
                &on.as_ref()
                    .map_or_else(String::new, cluster_check::next_text),
            )?;
            output::reasons("why", &why)?;
            print_conditions(question.lens, &reply.conditions)?;
        }
    }
    Ok(status(reply.error.as_ref()))
}

fn path_of(args: &UpgradeArgs, question: &Question<'_>) -> CliResult {
    let reply = question.ask(Reach::WholePath);
    let mut why = reply.main_reasons();
    let next = reply.next().map(|step| &*step.successor.name);
    question.complete(next, reply.steps.len() > 1, &mut why)?;
    why.extend(reply.refusals.iter().map(InstallRefusal::sentence));
    let names = question.names(&reply);
    let on = args
        .cluster
        .cluster
        .map(|version| question.path_on(version, &reply));
    match args.format {
        TextOrData::Data(form) => {
            let steps: Vec<&str> = names.iter().map(|name| &**name).collect();
            let mut data = json!({
                "format": output::FORMAT,
                "lens": lens_name(question.lens),
                "package": question.package,
                "steps": steps,
                "why": why,
                "loop": reply.looped,
                "error": reply.error.as_ref().map(|e| json!({ "kind": e.kind.as_str(), "text": e.text })),
            });
            add_refusals(&mut data, &reply.refusals);
            mark_conditions(&mut data, &reply.conditions);
            if let Some(on) = &on {
                data["cluster"] = cluster_check::path_json(on);
            }
            add_to(&mut data, question);
            output::data(form, &data)?;
        }
        TextOrData::Text => {
            let remarks = on.as_ref().map_or_else(
                || vec![String::new(); names.len()],
                cluster_check::path_remarks,
            );
            let mut text: String = names
                .iter()
                .zip(remarks)
                .map(|(name, remark)| format!("{}{remark}\n", one_line(name)))
                .collect();
            if let Some(error) = &reply.error {
                text.push_str(&format!("({})\n", one_line(&error.text)));
            }
            output::text(&text)?;
            output::reasons("why", &why)?;
            print_conditions(question.lens, &reply.conditions)?;
        }
    }
    Ok(status(reply.error.as_ref()))
}

/// Adds the bundles that OLM v1 chooses but refuses, if any.
fn add_refusals(data: &mut Value, refusals: &[InstallRefusal]) {
    if !refusals.is_empty() {
        let rows = refusals
            .iter()
            .map(|refusal| json!({ "bundle": &*refusal.bundle, "error": refusal.error }));
        data["install_refusals"] = rows.collect();
    }
}

/// Adds the object that the question is from, and unreadable parts of the catalog.
fn add_to(data: &mut Value, question: &Question<'_>) {
    if let Some(manifest) = &question.manifest {
        data["manifest"] = manifest.json();
    }
    question.opened.incomplete.mark(data);
}

/// A refusal by OLM is an answer; an aborted search is not.
fn status(error: Option<&UpgradeError>) -> u8 {
    match error {
        Some(error) if error.kind == ErrorKind::NotKnown => COULD_NOT_RUN,
        _ => 0,
    }
}

fn lens_name(lens: Lens) -> &'static str {
    match lens {
        Lens::V0 => "v0",
        Lens::V1 => "v1",
    }
}

/// Adds `conditions` to an answer, unknown conditions, and the catalogs that they come from; omits empty ones.
fn mark_conditions(answer: &mut Value, way: &[ConditionsAt]) {
    let mut add = |key: &str, rows: Vec<Value>| {
        if !rows.is_empty() {
            answer[key] = rows.into();
        }
    };
    let set = way.iter().flat_map(|at| {
        at.conditions.iter().map(move |c| {
            json!({ "installed": at.installed.as_deref(), "type": c.kind.as_str(), "message": c.message })
        })
    });
    add("conditions", set.collect());
    let unknown = way.iter().filter(|at| at.is_unknown).flat_map(|at| {
        let installed = at.installed.as_deref();
        unknown_status(installed).map(|c| {
            json!({ "installed": installed, "type": c.kind.as_str(), "reason": c.reason, "message": c.message })
        })
    });
    add("unknown_conditions", unknown.collect());
    let catalogs = way.iter().filter_map(|at| {
        let other = at.other_catalog.as_ref()?;
        Some(json!({
            "installed": at.installed.as_deref(),
            "conditions_from": other.conditions_from,
            "bundle_from": other.bundle_from,
        }))
    });
    add("condition_catalogs", catalogs.collect());
}

/// Prints each condition once, below an answer.
fn print_conditions(lens: Lens, way: &[ConditionsAt]) -> Result<(), CliError> {
    let line = |(condition, points): (&Condition, Vec<Option<&str>>)| {
        let message = condition.message.replace('\n', "; ");
        format!(
            "{}, {}: {message}",
            condition.kind.as_str(),
            when(&points, way)
        )
    };
    let conditions = merge_conditions(way).into_iter().map(line);
    let lines: Vec<String> = conditions.chain(remarks(way)).collect();
    let label = match lens {
        Lens::V0 => "status conditions of the Subscription",
        Lens::V1 => "status conditions of the ClusterExtension",
    };
    output::reasons(label, &lines)
}
