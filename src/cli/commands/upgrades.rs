//! `switchyard next` and `path`: the next upgrade; `matrix`: the versions of a package through the catalogs of several
//! OpenShift versions. Catalogs need not validate.

use crate::args::{MatrixArgs, UpgradeArgs};
use crate::error::{COULD_NOT_RUN, CliError, CliResult};
use crate::input::disk::{Disk, only_package};
use crate::input::templates;
use crate::input::upgrade_question::{OpenedCatalogs, Question, requests};
use crate::output::formats::{Data, TextOrData};
use crate::output::problems::{self, Incomplete};
use crate::output::{self, one_line, table};
use ::catalog::Catalog;
use ::catalog::model::Package;
use protocol::upgrades::VersionStatus;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use syntax::did_you_mean::did_you_mean;
use upgrade::ask::{Reach, Reply};
use upgrade::cluster::cluster_of;
use upgrade::everyone::PathSummary;
use upgrade::status_conditions::{
    Condition, ConditionsAt, merge_conditions, remarks, unknown_status, when,
};
use upgrade::{ErrorKind, Lens, UpgradeError};
use verdict::compare::matrix::{self, Cell, Matrix};

pub(super) fn next(args: &UpgradeArgs) -> CliResult {
    run(args, next_of)
}

pub(super) fn path(args: &UpgradeArgs) -> CliResult {
    run(args, path_of)
}

/// Answers one question, or each object of a manifest in turn. A question without an answer does not prevent the
/// others.
fn run(args: &UpgradeArgs, answer: fn(&UpgradeArgs, &Question<'_>) -> CliResult) -> CliResult {
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
        match Question::new(&opened, request).and_then(|question| answer(args, &question)) {
            Ok(of_answer) => status = status.max(of_answer),
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

fn next_of(args: &UpgradeArgs, question: &Question<'_>) -> CliResult {
    let reply = question.ask(Reach::NextStep, args.cluster.cluster)?;
    let why = reply.next().map_or(&reply.end, |step| &step.why).clone();
    let why = question.reasons(&reply, why);
    let step = reply.next().map(|step| &step.successor);
    let next = step.map(|step| &*step.name);
    let installed = reply.installed.as_ref().map(|installed| &*installed.name);
    let on = reply.next_on_cluster();
    match args.output.format {
        TextOrData::Data(form) => {
            let mut data = json!({
                "format": output::FORMAT,
                "lens": question.lens.name(),
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
            let cluster = on.as_ref().map(problems::next_json);
            add_common(&mut data, question, &reply, cluster);
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
            output::print_text(&on.as_ref().map_or_else(String::new, problems::next_text))?;
            output::print_reasons("why", &why)?;
            print_conditions(question.lens, &reply.conditions)?;
        }
    }
    Ok(status(reply.error.as_ref()))
}

fn path_of(args: &UpgradeArgs, question: &Question<'_>) -> CliResult {
    let reply = question.ask(Reach::WholePath, args.cluster.cluster)?;
    let why = question.reasons(&reply, reply.main_reasons());
    let names = reply.names();
    let on = &reply.on_cluster;
    match args.output.format {
        TextOrData::Data(form) => {
            let steps: Vec<&str> = names.iter().map(|name| &**name).collect();
            let mut data = json!({
                "format": output::FORMAT,
                "lens": question.lens.name(),
                "package": question.package,
                "steps": steps,
                "why": why,
                "loop": reply.looped,
                "error": reply.error.as_ref().map(|e| json!({ "kind": e.kind.as_str(), "text": e.text })),
            });
            let cluster = on.as_ref().map(problems::path_json);
            add_common(&mut data, question, &reply, cluster);
            output::print_data(form, &data)?;
        }
        TextOrData::Text => {
            let remarks = on
                .as_ref()
                .map_or_else(|| vec![String::new(); names.len()], problems::path_remarks);
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

/// Adds the optional fields of the answers of `next` and `path`: bundles that OLM v1 chooses but refuses, status
/// conditions, the cluster, the object that the question was read from, and unreadable parts of the catalog.
fn add_common(data: &mut Value, question: &Question<'_>, reply: &Reply, cluster: Option<Value>) {
    if !reply.refusals.is_empty() {
        let rows = reply
            .refusals
            .iter()
            .map(|refusal| json!({ "bundle": &*refusal.bundle, "error": refusal.error }));
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
    let conditions = merge_conditions(way).into_iter().map(
        |(condition, points): (&Condition, Vec<Option<&str>>)| {
            let message = condition.message.replace('\n', "; ");
            format!(
                "{}, {}: {message}",
                condition.kind.as_str(),
                when(&points, way)
            )
        },
    );
    let lines: Vec<String> = conditions.chain(remarks(way)).collect();
    let label = match lens {
        Lens::V0 => "status conditions of the Subscription",
        Lens::V1 => "status conditions of the ClusterExtension",
    };
    output::print_reasons(label, &lines)
}

pub(super) fn matrix(args: &MatrixArgs) -> CliResult {
    let (texts, behind) = package_behind(&args.catalogs, args.package.is_some());
    let mut disks: Vec<(String, Disk)> = Vec::new();
    for text in texts {
        let (name, dir) = parse_catalog_arg(text);
        match templates::folder(&dir) {
            Some(folder) => disks.extend(templates::open_mapped(
                &folder,
                &args.known,
                args.partial.partial,
            )?),
            None => disks.push((
                name,
                templates::open(&dir, &args.known, args.partial.partial)?,
            )),
        }
    }
    let mut all: Vec<(&str, &Catalog)> = Vec::new();
    let mut incomplete = Incomplete::default();
    for (name, disk) in &disks {
        incomplete.add(&disk.name(), disk.root()?.catalog());
        all.push((name, disk.root()?.catalog()));
    }
    let package = match args.package.as_deref().or(behind) {
        Some(package) => package,
        None => only_package(
            all.iter().flat_map(|(_, catalog)| catalog.packages()),
            "the catalogs have",
        )?,
    };
    let catalogs: Vec<(&str, Option<&Package>)> = all
        .iter()
        .map(|(name, catalog)| (*name, catalog.package(package).map(|p| &**p)))
        .collect();
    if catalogs.iter().all(|(_, package)| package.is_none()) {
        incomplete.report(args.partial.partial, 0);
        let names: BTreeSet<&str> = all
            .iter()
            .flat_map(|(_, catalog)| catalog.packages().map(|package| &*package.name))
            .collect();
        let hint = did_you_mean(package, names, "`switchyard list packages DIR` lists them");
        return Err(CliError::new(format!("no catalog has a package \"{package}\"")).hint(hint));
    }
    let matrix = matrix::matrix(&catalogs, package);
    match args.output.format {
        TextOrData::Data(form) => {
            let mut answer = to_json(&matrix, package);
            incomplete.mark(&mut answer);
            output::print_data(form, &answer)?;
        }
        TextOrData::Text => output::print_text(&to_text(&matrix))?,
    }
    for name in matrix.of_unknown_version() {
        output::print_note(&format!(
            "the name of `{name}` contains no OpenShift version, so olm.maxOpenShiftVersion is ignored there; \
             write `v4.N=DIR`"
        ));
    }
    Ok(incomplete.report(args.partial.partial, 0))
}

/// Splits the catalogs from a package that follows them: the last argument, unless it exists on disk.
fn package_behind(args: &[String], is_named: bool) -> (&[String], Option<&str>) {
    match args {
        [catalogs @ .., last]
            if !is_named
                && !catalogs.is_empty()
                && !last.contains(['=', '/'])
                && !Path::new(last).exists() =>
        {
            (catalogs, Some(last))
        }
        catalogs => (catalogs, None),
    }
}

/// Parses `NAME=DIR`, or a folder. Its name starts at the part with the OpenShift version.
fn parse_catalog_arg(text: &str) -> (String, PathBuf) {
    if let Some((name, dir)) = text.split_once('=').filter(|_| !Path::new(text).exists()) {
        return (name.to_owned(), PathBuf::from(dir));
    }
    let dir = PathBuf::from(text);
    let path = dir.canonicalize().unwrap_or_else(|_| dir.clone());
    let path = if path.is_file() {
        path.with_extension("")
    } else {
        path
    };
    let parts: Vec<String> = path
        .iter()
        .map(|part| part.to_string_lossy().into_owned())
        .collect();
    // A parent folder may name the OpenShift version: `v4.18/etcd`.
    let from = parts
        .iter()
        .rposition(|part| cluster_of(part).is_some())
        .unwrap_or(parts.len().saturating_sub(1));
    let name = parts
        .get(from..)
        .map(|tail| tail.join("/"))
        .filter(|name| !name.is_empty());
    (name.unwrap_or_else(|| text.to_owned()), dir)
}

fn to_text(matrix: &Matrix) -> String {
    let mut header = vec!["INSTALLED"];
    header.extend(matrix.columns.iter().map(|column| column.name.as_str()));
    table(
        &header,
        &matrix
            .rows
            .iter()
            .map(|row: &matrix::Row| {
                let name = matrix
                    .versions
                    .get(row.number)
                    .map_or("", |i| &i.name)
                    .to_owned();
                let cells = row.cells.iter().map(|cell| cell.describe(&matrix.versions));
                std::iter::once(name).chain(cells).collect()
            })
            .collect::<Vec<_>>(),
    )
}

fn to_json(matrix: &Matrix, package: &str) -> Value {
    let columns = matrix
        .columns
        .iter()
        .map(|column| json!({ "catalog": column.name, "ocp": column.cluster.map(|cluster| cluster.to_string()) }));
    json!({
        "format": output::FORMAT,
        "package": package,
        "columns": columns.collect::<Vec<_>>(),
        "rows": matrix.rows.iter().map(|row: &matrix::Row| {
        let installed = matrix.versions.get(row.number);
        json!({
            "installed": installed.map(|i| &*i.name),
            "version": installed.map(|i| &*i.version),
            "cells": row.cells.iter().map(|one| cell(matrix, one)).collect::<Vec<_>>(),
        })
    }).collect::<Vec<_>>(),
    })
}

fn cell(matrix: &Matrix, cell: &Cell) -> Value {
    let name = |number: u32| matrix.versions.get(number).map(|i| i.name.to_string());
    let path = |path: &PathSummary| {
        json!({
            "next": path.next.as_ref().and_then(|step| name(step.to)),
            "final": name(path.last),
            "marks": path.marks.labels(),
            "error": path.error.map(|kind| kind.as_str()),
        })
    };
    let classic = cell.v0.iter().map(|(channel, summary)| {
        let mut answer = path(summary);
        answer["channel"] = (**channel).into();
        answer
    });
    json!({
        "present": cell.present,
        "status": match cell.status() {
            VersionStatus::GoesOn => "goes-on",
            VersionStatus::Ends => "ends",
            VersionStatus::Partly => "partly",
            VersionStatus::Lost => "lost",
            VersionStatus::Ahead => "ahead",
        },
        "v0": classic.collect::<Vec<_>>(),
        "v1": cell.v1.as_ref().map(path),
        "max_openshift_version": Some(cell.limit.to_string()).filter(|text| !text.is_empty()),
        "blocks": cell.blocks,
        "unblocked_by": cell.unblocked_by.and_then(name),
        "unblocked_by_v1": cell.unblocked_by_v1.and_then(name),
        "description": cell.describe(&matrix.versions),
    })
}
