//! Tables of users, for the page.

use fbc::compare::invariants::{self, Broken, GroupedFinding, group_findings};
use fbc::compare::{TableRow, UserTable as Table};
use fbc::consequences::{Consequences, PackageTable, tone_of};
use protocol::counting::first_of;
use protocol::judgement::{UserTable, UserTableRow};
use protocol::upgrades::BrokenRow;

/// Most versions of a broken rule that are named; the rest is counted.
const SUBJECTS: usize = 3;
/// Most channels of a broken rule that are named.
const CHANNELS: usize = 4;
/// Most bundles of a row that are named.
const NAMES: usize = 300;

/// One table per changed package.
pub(super) fn tables(found: &Consequences) -> Vec<UserTable> {
    let several = found.tables.len() > 1 || found.tables.iter().any(|table| table.roots.len() > 1);
    let broken_groups = found.group_broken(SUBJECTS);
    let table = |of: &PackageTable| {
        let is_own = |root: &str, package: &str| {
            of.roots.iter().any(|of| of == root) && *of.package == *package
        };
        let mut broken: Vec<BrokenRow> = Vec::new();
        for row in broken_groups
            .iter()
            .filter(|(root, package, _)| is_own(root, package))
            .filter(|(.., of)| of.severity != invariants::Severity::Info)
            .map(|(.., of)| broken_row(of))
        {
            // Skip repetitions from another catalog.
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
            ..to_user_table(&of.table, broken)
        }
    };
    found.tables.iter().map(table).collect()
}

/// For a single package that the context gives.
pub(super) fn package_table(table: &Table, broken: &[Broken]) -> UserTable {
    to_user_table(
        table,
        group_findings(broken.iter().flat_map(|of| &of.findings), SUBJECTS)
            .iter()
            .filter(|of| of.severity != invariants::Severity::Info)
            .map(broken_row)
            .collect(),
    )
}

fn to_user_table(table: &Table, broken: Vec<BrokenRow>) -> UserTable {
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

fn broken_row(grouped_finding: &GroupedFinding) -> BrokenRow {
    BrokenRow {
        invariant: grouped_finding.invariant.name.to_owned(),
        id: grouped_finding.invariant.id.to_owned(),
        also: grouped_finding
            .also
            .iter()
            .map(|also| also.name.to_owned())
            .collect(),
        error: grouped_finding.severity == invariants::Severity::Error,
        channel: first_of(grouped_finding.channels.iter(), CHANNELS),
        message: grouped_finding.message.clone(),
        count: grouped_finding.count as u32,
        help: grouped_finding.help.clone(),
        rule: grouped_finding.invariant.rule.to_owned(),
        why: grouped_finding.invariant.why.to_owned(),
    }
}

/// Capitalizes a sentence. A name keeps its case.
pub(super) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}
