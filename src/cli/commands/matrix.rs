//! `switchyard matrix`: the versions of a package through the catalogs of several OpenShift
//! versions. Catalogs need not validate.

use crate::args::MatrixArgs;
use crate::error::{CliError, CliResult};
use crate::input::disk::only_package;
use crate::input::templates;
use crate::output::formats::TextOrData;
use crate::output::problems::{self, Incomplete};
use crate::output::{self, table};
use ::catalog::Catalog;
use protocol::upgrades::VersionStatus;
use serde_json::{Value, json};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use syntax::did_you_mean::did_you_mean;
use upgrade::cluster::cluster_of;
use upgrade::everyone::PathSummary;
use verdict::compare::matrix::{self, Cell, Matrix, MatrixCatalog};

pub(super) fn run(args: &MatrixArgs) -> CliResult {
    let (catalog_args, trailing_package) = split_package(&args.catalogs, args.package.is_some());
    let disks = catalog_args
        .iter()
        .map(|text| {
            let (name, dir) = parse_catalog_arg(text);
            if dir.join("ci.yaml").is_file() {
                let hint = "write its catalogs with `switchyard repo render FOLDER --write`, and name those";
                return Err(cli_error!("{} is the folder of an operator", dir.display()).hint(hint));
            }
            let disk = templates::open(&dir, &args.known, args.partial.partial)?;
            Ok((name, disk))
        })
        .collect::<Result<Vec<_>, CliError>>()?;
    let mut all: Vec<(&str, &Catalog)> = Vec::new();
    let mut incomplete = Incomplete::default();
    for (name, disk) in &disks {
        problems::note_failing_catalog(&disk.name(), disk.root()?);
        incomplete.add(&disk.name(), disk.root()?.catalog());
        all.push((name, disk.root()?.catalog()));
    }
    let package = match args.package.as_deref().or(trailing_package) {
        Some(package) => package,
        None => only_package(
            all.iter().flat_map(|(_, catalog)| catalog.packages()),
            "the catalogs have",
        )?,
    };
    let cache = RefCell::default();
    let catalogs: Vec<MatrixCatalog<'_>> = all
        .iter()
        .map(|(name, catalog)| MatrixCatalog::new(name, catalog, package, &cache))
        .collect();
    if catalogs.iter().all(|catalog| catalog.package.is_none()) {
        incomplete.report(args.partial.partial, 0);
        let names: BTreeSet<&str> = all
            .iter()
            .flat_map(|(_, catalog)| catalog.packages().map(|package| &*package.name))
            .collect();
        let hint = did_you_mean(package, names, "`switchyard list packages DIR` lists them");
        return Err(cli_error!("no catalog has a package \"{package}\"").hint(hint));
    }
    let matrix = matrix::matrix(&catalogs);
    match args.output.format {
        TextOrData::Data(form) => {
            let mut answer = to_json(&matrix, package);
            incomplete.mark(&mut answer);
            output::print_data(form, &answer)?;
        }
        TextOrData::Text => output::print_text(&to_text(&matrix))?,
    }
    for name in matrix.columns_of_unknown_version() {
        output::print_note(&format!(
            "the name of `{name}` contains no OpenShift version, so olm.maxOpenShiftVersion is ignored there; \
             write `v4.N=DIR`"
        ));
    }
    Ok(incomplete.report(args.partial.partial, 0))
}

/// Splits off a package after the catalogs: the last argument, unless it exists on disk.
fn split_package(args: &[String], has_option: bool) -> (&[String], Option<&str>) {
    match args {
        [catalogs @ .., last]
            if !has_option
                && !catalogs.is_empty()
                && !last.contains(['=', '/'])
                && !Path::new(last).exists() =>
        {
            (catalogs, Some(last))
        }
        catalogs => (catalogs, None),
    }
}

/// Parses `NAME=DIR`, or a folder. The folder's name starts at the part with the OpenShift version.
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
    let name_start = parts
        .iter()
        .rposition(|part| cluster_of(part).is_some())
        .unwrap_or(parts.len().saturating_sub(1));
    let name = parts
        .get(name_start..)
        .map(|tail| tail.join("/"))
        .filter(|name| !name.is_empty());
    (name.unwrap_or_else(|| text.to_owned()), dir)
}

fn to_text(matrix: &Matrix) -> String {
    let mut header = vec!["INSTALLED"];
    header.extend(matrix.columns.iter().map(|column| column.name.as_str()));
    let rows: Vec<Vec<String>> = matrix
        .rows
        .iter()
        .map(|row| {
            let installed = matrix.versions.get(row.number);
            let name = installed.map_or("", |installed| &installed.name).to_owned();
            let cells = row.cells.iter().map(|cell| cell.describe(&matrix.versions));
            std::iter::once(name).chain(cells).collect()
        })
        .collect();
    table(&header, &rows)
}

fn to_json(matrix: &Matrix, package: &str) -> Value {
    let columns: Vec<Value> = matrix
        .columns
        .iter()
        .map(|column| {
            let cluster = column.cluster.map(|cluster| cluster.to_string());
            json!({ "catalog": column.name, "ocp": cluster })
        })
        .collect();
    let rows: Vec<Value> = matrix
        .rows
        .iter()
        .map(|row| {
            let installed = matrix.versions.get(row.number);
            let cells: Vec<Value> = row
                .cells
                .iter()
                .map(|cell| cell_to_json(matrix, cell))
                .collect();
            json!({
                "installed": installed.map(|installed| &*installed.name),
                "version": installed.map(|installed| &*installed.version),
                "cells": cells,
            })
        })
        .collect();
    json!({ "format": output::FORMAT, "package": package, "columns": columns, "rows": rows })
}

fn cell_to_json(matrix: &Matrix, cell: &Cell) -> Value {
    let name = |number: u32| version_name(matrix, number);
    let classic: Vec<Value> = cell
        .v0
        .iter()
        .map(|(channel, summary)| {
            let mut path = path_to_json(matrix, summary);
            path["channel"] = (**channel).into();
            path
        })
        .collect();
    json!({
        "present": cell.present,
        "status": match cell.status() {
            VersionStatus::GoesOn => "goes-on",
            VersionStatus::Ends => "ends",
            VersionStatus::Partly => "partly",
            VersionStatus::Lost => "lost",
            VersionStatus::Ahead => "ahead",
        },
        "v0": classic,
        "v1": cell.v1.as_ref().map(|path| path_to_json(matrix, path)),
        "max_openshift_version": Some(cell.limit.to_string()).filter(|text| !text.is_empty()),
        "blocks": cell.blocks,
        "unblocked_by": cell.unblocked_by.and_then(name),
        "unblocked_by_v1": cell.unblocked_by_v1.and_then(name),
        "description": cell.describe(&matrix.versions),
    })
}

fn path_to_json(matrix: &Matrix, path: &PathSummary) -> Value {
    json!({
        "next": path.next.as_ref().and_then(|step| version_name(matrix, step.to)),
        "final": version_name(matrix, path.last),
        "marks": path.marks.labels(),
        "error": path.error.map(|kind| kind.as_str()),
    })
}

fn version_name(matrix: &Matrix, number: u32) -> Option<String> {
    Some(matrix.versions.get(number)?.name.to_string())
}
