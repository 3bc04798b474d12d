//! Versions by catalogs, for the page.

use super::everyone::{course, stop};
use super::unread_places_of_all;
use fbc::compare::matrix::{self, Cell, CellStatus, Matrix};
use fbc::roots::name_of;
use fbc::upgrade::everyone::{PathSummaries, PathSummary};
use fbc::workspace::Root;
use protocol::upgrades::{self, MatrixCell, MatrixColumn, MatrixRow, MatrixView};

pub(crate) fn view(roots: &[&Root], package: &str) -> MatrixView {
    let catalogs: Vec<_> = roots
        .iter()
        .map(|root| {
            (
                root.name.as_str(),
                root.catalog().package(package).map(|p| &**p),
            )
        })
        .collect();
    let matrix = matrix::matrix(&catalogs, package);
    let default_channel = |root: &str| {
        let package = catalogs
            .iter()
            .find(|(name, _)| *name == root)
            .and_then(|(_, package)| *package);
        package
            .map(|package| package.default_channel().to_owned())
            .unwrap_or_default()
    };
    let column = |column: &matrix::Column| MatrixColumn {
        root: column.name.clone(),
        label: name_of(&column.name).to_owned(),
        ocp: column
            .cluster
            .map_or_else(String::new, |cluster| cluster.to_string()),
        default_channel: default_channel(&column.name),
    };
    let row = |row: &matrix::Row| {
        let who = stop(&matrix.versions, row.number);
        MatrixRow {
            name: who.name,
            version: who.version,
            cells: row
                .cells
                .iter()
                .map(|of| cell(&matrix, row.number, of))
                .collect(),
        }
    };
    MatrixView {
        package: package.to_owned(),
        columns: matrix.columns.iter().map(column).collect(),
        rows: matrix.rows.iter().map(row).collect(),
        incomplete: unread_places_of_all(
            roots
                .iter()
                .map(|root| (root.name.as_str(), root.catalog())),
        ),
    }
}

fn cell(matrix: &Matrix, number: u32, of: &Cell) -> MatrixCell {
    let one = |channel: &str, of: &PathSummary| {
        let courses = PathSummaries {
            members: vec![number],
            paths: vec![of.clone()],
            ..PathSummaries::default()
        };
        course(&matrix.versions, channel, &courses, number)
    };
    MatrixCell {
        present: of.present,
        v1: of
            .v1
            .as_ref()
            .and_then(|course| one("", course))
            .unwrap_or_default(),
        v0: of
            .v0
            .iter()
            .filter_map(|(channel, course)| one(channel, course))
            .collect(),
        max: of.limit.to_string(),
        blocks: of.blocks,
        unblocked_at: of.unblocked_by.map(|number| stop(&matrix.versions, number)),
        status: match of.status() {
            CellStatus::GoesOn => upgrades::VersionStatus::GoesOn,
            CellStatus::Ends => upgrades::VersionStatus::Ends,
            CellStatus::Partly => upgrades::VersionStatus::Partly,
            CellStatus::Lost => upgrades::VersionStatus::Lost,
            CellStatus::Ahead => upgrades::VersionStatus::Ahead,
        },
        says: of.describe(&matrix.versions),
    }
}
