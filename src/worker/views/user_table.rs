//! Tables of users, as the page shows them.

use fbc::compare::invariants::{self, Broken, Told, group_findings};
use fbc::compare::{TableRow, UserTable as Table};
use fbc::consequences::{Consequences, TableOf, tone_of};
use protocol::counting::first_of;
use protocol::judgement::{UserTable, UserTableRow};
use protocol::upgrades::BrokenRow;

/// So many versions of a broken rule are named; the rest is counted.
const SUBJECTS: usize = 3;
/// So many of its channels.
const CHANNELS: usize = 4;
/// So many bundles of a row are named in full.
const NAMES: usize = 300;

/// Of each package that changed.
pub(super) fn tables(found: &Consequences) -> Vec<UserTable> {
    let several = found.tables.len() > 1 || found.tables.iter().any(|of| of.roots.len() > 1);
    let told = found.group_broken(SUBJECTS);
    let table = |of: &TableOf| {
        let whose = |root: &str, package: &str| {
            of.roots.iter().any(|of| of == root) && *of.package == *package
        };
        let mut broken: Vec<BrokenRow> = Vec::new();
        for row in told
            .iter()
            .filter(|(root, package, _)| whose(root, package))
            .filter(|(.., of)| of.severity != invariants::Severity::Info)
            .map(|(.., of)| broken_row(of))
        {
            // The same in another catalog.
            if !broken.contains(&row) {
                broken.push(row);
            }
        }
        UserTable {
            catalogs: if several {
                of.roots.clone()
            } else {
                Vec::new()
            },
            package: if several {
                of.package.to_string()
            } else {
                String::new()
            },
            ..shown(&of.table, broken)
        }
    };
    found.tables.iter().map(table).collect()
}

/// Of the one package that is known.
pub(super) fn of_package(table: &Table, broken: &[Broken]) -> UserTable {
    shown(
        table,
        group_findings(broken.iter().flat_map(|of| &of.findings), SUBJECTS)
            .iter()
            .filter(|of| of.severity != invariants::Severity::Info)
            .map(broken_row)
            .collect(),
    )
}

fn shown(table: &Table, broken: Vec<BrokenRow>) -> UserTable {
    let row = |row: &TableRow| UserTableRow {
        fate: row.fate.as_str().to_owned(),
        tone: tone_of(row.fate),
        cells: row.cells(),
        from: row
            .from
            .iter()
            .take(NAMES)
            .map(|installed| installed.name.to_string())
            .collect(),
    };
    UserTable {
        headline: capital(&table.headline()),
        hit: table.hit() as u32,
        rows: table.rows.iter().map(row).collect(),
        broken,
        ..UserTable::default()
    }
}

fn broken_row(of: &Told) -> BrokenRow {
    BrokenRow {
        invariant: of.invariant.name.to_owned(),
        id: of.invariant.id.to_owned(),
        also: of.also.iter().map(|also| also.name.to_owned()).collect(),
        error: of.severity == invariants::Severity::Error,
        channel: first_of(of.channels.iter(), CHANNELS),
        message: of.message.clone(),
        count: of.count as u32,
        help: of.help.clone(),
        rule: of.invariant.rule.to_owned(),
        why: of.invariant.why.to_owned(),
    }
}

/// A sentence that stands alone. A name is written as it is.
pub(super) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}
