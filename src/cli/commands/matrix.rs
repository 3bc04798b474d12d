//! `switchyard matrix`: the versions of a package through the catalogs of several OpenShift versions.

use crate::args::MatrixArgs;
use crate::error::{CliError, CliResult};
use crate::input::disk::Disk;
use crate::input::disk::only_package;
use crate::output::formats::TextOrData;
use crate::output::incomplete::Incomplete;
use crate::output::table;
use crate::{input::mapped_catalogs, input::rendered_catalog, output};
use fbc::catalog::Catalog;
use fbc::compare::cluster::cluster_of;
use fbc::compare::matrix::{self, Cell, CellStatus, Matrix};
use fbc::did_you_mean::did_you_mean;
use fbc::model::Package;
use fbc::upgrade::everyone::PathSummary;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

pub(super) fn run(args: &MatrixArgs) -> CliResult {
    let (texts, behind) = package_behind(&args.catalogs, args.package.is_some());
    let mut disks: Vec<(String, Disk)> = Vec::new();
    for text in texts {
        let (name, dir) = parse_catalog_arg(text);
        match mapped_catalogs::folder(&dir) {
            Some(folder) => disks.extend(mapped_catalogs::open(
                &folder,
                &args.known,
                args.partial.partial,
            )?),
            None => disks.push((
                name,
                rendered_catalog::open(&dir, &args.known, args.partial.partial)?,
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
        incomplete.report(args.partial, 0);
        let names: BTreeSet<&str> = all
            .iter()
            .flat_map(|(_, catalog)| catalog.packages().map(|package| &*package.name))
            .collect();
        let hint = did_you_mean(package, names, "`switchyard list packages DIR` lists them");
        return Err(CliError::new(format!("no catalog has a package \"{package}\"")).hint(hint));
    }
    let matrix = matrix::matrix(&catalogs, package);
    match args.format {
        TextOrData::Data(form) => {
            let mut answer = to_json(&matrix, package);
            incomplete.mark(&mut answer);
            output::data(form, &answer)?;
        }
        TextOrData::Text => output::text(&to_text(&matrix))?,
    }
    for name in matrix.of_unknown_version() {
        output::note(&format!(
            "the name of `{name}` contains no OpenShift version, so olm.maxOpenShiftVersion is ignored there; \
             write `v4.N=DIR`"
        ));
    }
    Ok(incomplete.report(args.partial, 0))
}

/// The catalogs, and the package if it follows them: the last argument, unless it is a folder.
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

/// `NAME=DIR`, or a folder with a name that starts at the part with the OpenShift version.
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
    let row = |row: &matrix::Row| {
        let name = matrix
            .versions
            .get(row.number)
            .map_or("", |i| &i.name)
            .to_owned();
        let cells = row.cells.iter().map(|cell| cell.describe(&matrix.versions));
        std::iter::once(name).chain(cells).collect()
    };
    table(&header, &matrix.rows.iter().map(row).collect::<Vec<_>>())
}

fn to_json(matrix: &Matrix, package: &str) -> Value {
    let columns = matrix
        .columns
        .iter()
        .map(|column| json!({ "catalog": column.name, "ocp": column.cluster.map(|cluster| cluster.to_string()) }));
    let row = |row: &matrix::Row| {
        let installed = matrix.versions.get(row.number);
        json!({
            "installed": installed.map(|i| &*i.name),
            "version": installed.map(|i| &*i.version),
            "cells": row.cells.iter().map(|of| cell(matrix, of)).collect::<Vec<_>>(),
        })
    };
    json!({
        "format": output::FORMAT,
        "package": package,
        "columns": columns.collect::<Vec<_>>(),
        "rows": matrix.rows.iter().map(row).collect::<Vec<_>>(),
    })
}

fn cell(matrix: &Matrix, of: &Cell) -> Value {
    let name = |number: u32| matrix.versions.get(number).map(|i| i.name.to_string());
    let path = |path: &PathSummary| {
        json!({
            "next": path.next.as_ref().and_then(|step| name(step.to)),
            "final": name(path.last),
            "marks": path.marks.labels(),
            "error": path.error.map(|kind| kind.as_str()),
        })
    };
    let classic = of.v0.iter().map(|(channel, of)| {
        let mut answer = path(of);
        answer["channel"] = (**channel).into();
        answer
    });
    json!({
        "present": of.present,
        "status": match of.status() {
            CellStatus::GoesOn => "goes-on",
            CellStatus::Ends => "ends",
            CellStatus::Partly => "partly",
            CellStatus::Lost => "lost",
            CellStatus::Ahead => "ahead",
        },
        "v0": classic.collect::<Vec<_>>(),
        "v1": of.v1.as_ref().map(path),
        "max_openshift_version": Some(of.limit.to_string()).filter(|text| !text.is_empty()),
        "blocks": of.blocks,
        "unblocked_by": of.unblocked_by.and_then(name),
        "unblocked_by_v1": of.unblocked_by_v1.and_then(name),
        "description": of.describe(&matrix.versions),
    })
}
