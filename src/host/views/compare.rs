//! Comparisons for the page: two catalogs, versions by catalogs, the next step of every version, and tables of users.

use super::upgrade::{cluster_version, v1};
use super::{changes, unread_places, unread_places_of_all};
use ::upgrade::everyone::{self, PathSummaries, newest_first};
use ::upgrade::installed_set::InstalledVersions;
use ::upgrade::{EdgeKind, Installed, UpgradeIndex};
use catalog::Catalog;
use catalog::model::Package;
use catalog::roots::{catalog_version, name_of};
use protocol::Json;
use protocol::counting::{and_more, first_of};
use protocol::diagnostic::{Diagnostic, Severity};
use protocol::judgement::{UserTable, UserTableRow};
use protocol::upgrades::{
    Baseline, BrokenRow, BundleVersion, ComparedKind, ComparedRow, Comparison, EntryChange,
    EveryoneRow, EveryoneView, MatrixCell, MatrixColumn, MatrixRow, MatrixView, PackageComparison,
    PathSummary,
};
use protocol::views::UpgradeQuestion;
use session::{Refused, Root, Session};
use std::borrow::Cow;
use std::collections::HashSet;
use syntax::order::SortSmall;
use verdict::compare::cluster::sentences;
use verdict::compare::invariants::{self, CatalogContext, Finding, GroupedFinding, group_findings};
use verdict::compare::matrix::{self, Cell, Matrix};
use verdict::compare::{
    self, ChangeKind, Effect, HiddenText, Pair, TableRow, Unpublished, UserTable as Table,
};
use verdict::consequences::{self, Consequences, PackageTable, VerdictChange, tone_of};
use verdict::validate::Verdict;

pub(crate) fn catalogs(
    session: &Session,
    against: Baseline,
    new: &Root,
) -> Result<Comparison, Refused> {
    let (verdict, gained) = verdict(session, &against, new)?;
    let old = old(session, &against, new)?;
    let (pairs, same) = compare::catalogs(&old, new.catalog());
    let around = around(&old, new);
    let row = |(pair, mut comparison): (Pair<'_>, compare::Comparison)| {
        let unpublished = find_unpublished(session, &against, (&old, new), &pair.name);
        comparison.leave_out(&unpublished);
        // Count as in the package's own table and in the consequence bar.
        let broken = match comparison.hidden {
            Some(_) => Vec::new(),
            None => invariants::find_broken(&pair, &around, &unpublished),
        };
        let findings = invariants::group_findings(&broken, 1);
        let names = |severity| invariants::causes(&findings, severity).len() as u32;
        ComparedRow {
            package: comparison.package.to_string(),
            kind: kind(comparison.kind),
            hit: comparison.hit() as u32,
            stranded: comparison.count(Effect::Stranded) as u32,
            downgraded: comparison.count(Effect::Downgrade) as u32,
            rerouted: comparison.count(Effect::Rerouted) as u32,
            gained: comparison.count(Effect::Gained) as u32,
            is_hidden: comparison.hidden.is_some(),
            is_fresh_changed: comparison.fresh.iter().any(|fresh| !fresh.is_same()),
            is_unlisted_changed: !comparison.unlisted.is_empty(),
            errors: names(Severity::Error),
            warnings: names(Severity::Warning),
            summary: summary(&comparison),
            headline: capital(&comparison.table().headline()),
        }
    };
    Ok(Comparison {
        root: new.name.clone(),
        new_passed: new.verdict().passed,
        new_message: verdict.opm_message.clone(),
        verdict: verdict.to_text(),
        verdict_tone: verdict.tone(),
        new_problems: gained
            .into_iter()
            .filter(|problem| !(problem.opm && problem.severity == Severity::Error))
            .map(Json)
            .collect(),
        packages: pairs.into_iter().map(row).collect(),
        old: against,
        same: same as u32,
        incomplete: unread_places_of_all([("old", &*old), ("new", new.catalog())]),
    })
}

pub(crate) fn package(
    session: &Session,
    against: Baseline,
    new: &Root,
    (name, cluster): (&str, &str),
) -> Result<PackageComparison, Refused> {
    let old = old(session, &against, new)?;
    let pair = pair(&old, new, name);
    let unpublished = find_unpublished(session, &against, (&old, new), name);
    let mut comparison = pair.compare();
    comparison.leave_out(&unpublished);
    comparison.hide(HiddenText::between(&old, new.catalog()).reason(&pair));
    let found = match comparison.hidden {
        Some(_) => Vec::new(),
        None => invariants::find_broken(&pair, &around(&old, new), &unpublished),
    };
    let (version, cluster) = cluster_version(cluster);
    let on_cluster = version.map(|version| {
        sentences(
            comparison.users.iter().zip(&pair.on_cluster(version)),
            version,
        )
    });
    Ok(PackageComparison {
        old: against,
        root: new.name.clone(),
        package: name.to_owned(),
        changes: comparison.sentences(),
        entries: match comparison.hidden {
            Some(_) => Vec::new(),
            None => changes::entries(&pair, &comparison.entries),
        },
        table: package_table(&comparison.table(), &found),
        cluster,
        on_cluster: on_cluster.unwrap_or_default(),
    })
}

/// Returns the entries of a package that differ from the disk. Does not compute users, so the cost depends on the
/// changed files only.
pub(crate) fn unsaved_changes(session: &Session, root: &Root, name: &str) -> Vec<EntryChange> {
    let old = session.changes().on_disk(root);
    let pair = pair(&old, root, name);
    changes::entries(&pair, &pair.changes().entries)
}

fn pair<'a>(old: &'a Catalog, new: &'a Root, name: &str) -> Pair<'a> {
    let package = |catalog: &'a Catalog| catalog.package(name).map(|package| &**package);
    Pair::new(package(old), package(new.catalog()))
}

/// Returns the catalog that users have now.
pub(crate) fn old<'a>(
    session: &'a Session,
    against: &Baseline,
    new: &'a Root,
) -> Result<Cow<'a, Catalog>, Refused> {
    Ok(match against {
        Baseline::Disk => Cow::Owned(session.changes().on_disk(new)),
        Baseline::Catalog(root) => Cow::Borrowed(session.root(Some(root))?.catalog()),
    })
}

/// Finds the unpublished bundles of a package, which no user has. Compared with another catalog, every bundle counts as
/// published.
fn find_unpublished(
    session: &Session,
    against: &Baseline,
    (old, new): (&Catalog, &Root),
    package: &str,
) -> Unpublished {
    match against {
        Baseline::Disk => {
            let states = old
                .package(package)
                .into_iter()
                .chain(new.catalog().package(package));
            session.changes().find_unpublished(new, states)
        }
        Baseline::Catalog(_) => Unpublished::default(),
    }
}

/// Compares the verdict with that of the users' current catalog. Also returns the new problems.
fn verdict(
    session: &Session,
    against: &Baseline,
    new: &Root,
) -> Result<(VerdictChange, Vec<Diagnostic>), Refused> {
    let between = |before: &Verdict| {
        let change = VerdictChange::between(&new.name, before, new.verdict());
        (change, consequences::problems_gained(before, new.verdict()))
    };
    Ok(match against {
        Baseline::Disk => between(
            &session
                .changes()
                .verdict_on_disk(new, &session.changes().on_disk(new)),
        ),
        Baseline::Catalog(root) => between(session.root(Some(root))?.verdict()),
    })
}

fn around<'a>(old: &'a Catalog, new: &'a Root) -> CatalogContext<'a> {
    CatalogContext {
        old: Some(old),
        new: Some(new.catalog()),
        ocp: catalog_version(&new.name),
        neighbors: &[],
        resolver_cache: Some(new.resolver_cache()),
    }
}

pub(super) fn kind(kind: ChangeKind) -> ComparedKind {
    match kind {
        ChangeKind::Changed => ComparedKind::Changed,
        ChangeKind::Added => ComparedKind::Added,
        ChangeKind::Removed => ComparedKind::Removed,
    }
}

fn summary(comparison: &compare::Comparison) -> String {
    if comparison.hidden.is_some() {
        return "not known: text could not be read".to_owned();
    }
    let sentences = comparison.sentences();
    match &sentences[..] {
        [] if comparison.hit() == 0 => "bundles changed".to_owned(),
        [] => "only ways changed".to_owned(),
        [only] => only.clone(),
        [first, rest @ ..] => format!("{first}, {}", and_more(rest.len())),
    }
}

pub(crate) fn matrix_view(roots: &[&Root], package: &str) -> MatrixView {
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
        let who = bundle_version(&matrix.versions, row.number);
        MatrixRow {
            name: who.name,
            version: who.version,
            cells: row
                .cells
                .iter()
                .map(|matrix_cell| cell(&matrix, row.number, matrix_cell))
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

fn cell(matrix: &Matrix, number: u32, matrix_cell: &Cell) -> MatrixCell {
    let one = |channel: &str, summary: &everyone::PathSummary| {
        let paths = PathSummaries {
            members: vec![number],
            paths: vec![summary.clone()],
            ..PathSummaries::default()
        };
        path_summary(&matrix.versions, channel, &paths, number)
    };
    MatrixCell {
        present: matrix_cell.present,
        v1: matrix_cell
            .v1
            .as_ref()
            .and_then(|path| one("", path))
            .unwrap_or_default(),
        v0: matrix_cell
            .v0
            .iter()
            .filter_map(|(channel, path)| one(channel, path))
            .collect(),
        max: matrix_cell.limit.to_string(),
        blocks: matrix_cell.blocks,
        unblocked_at: matrix_cell
            .unblocked_by
            .map(|number| bundle_version(&matrix.versions, number)),
        status: matrix_cell.status(),
        says: matrix_cell.describe(&matrix.versions),
    }
}

pub(crate) fn everyone_view(
    root: &Root,
    package: &Package,
    question: &UpgradeQuestion,
) -> EveryoneView {
    let index = UpgradeIndex::new(package);
    let everyone = everyone::every_path(&index, &v1(question));
    let in_catalog: HashSet<(&str, &str)> = package
        .bundles
        .iter()
        .map(|bundle| (bundle.name.as_str(), bundle.version()))
        .collect();
    let deprecations = package.deprecations.iter().flat_map(|blob| &blob.entries);
    let deprecated: HashSet<&str> = deprecations
        .filter(|entry| entry.schema.as_str() == "olm.bundle")
        .map(|entry| entry.name.as_str())
        .collect();
    let mut people: Vec<_> = everyone.versions.iter().collect();
    people.sort_small_by(|(_, a), (_, b)| newest_first(a, b));
    let row = |(number, installed): (u32, &Installed)| {
        let one = |channel: &str, paths: &PathSummaries| {
            path_summary(&everyone.versions, channel, paths, number)
        };
        EveryoneRow {
            name: installed.name.to_string(),
            version: installed.version.to_string(),
            in_catalog: in_catalog.contains(&(&*installed.name, &*installed.version)),
            deprecated: deprecated.contains(&*installed.name),
            v1: one("", &everyone.v1).unwrap_or_default(),
            v0: everyone
                .v0
                .iter()
                .filter_map(|(channel, paths)| one(channel, paths))
                .collect(),
        }
    };
    EveryoneView {
        rows: people.into_iter().map(row).collect(),
        outcome: None,
        incomplete: unread_places(root),
    }
}

/// Summarizes the path of a version; `None` if `paths` lacks it.
fn path_summary(
    versions: &InstalledVersions,
    channel: &str,
    paths: &PathSummaries,
    number: u32,
) -> Option<PathSummary> {
    let path = paths.get(number)?;
    Some(PathSummary {
        channel: channel.to_owned(),
        next: path
            .next
            .as_ref()
            .map(|hop| bundle_version(versions, hop.to)),
        edge: path.next.as_ref().map_or(EdgeKind::None, |hop| hop.edge),
        last: bundle_version(versions, path.last),
        steps: path.steps,
        marks: path.marks.list(),
        error: path.error,
    })
}

fn bundle_version(versions: &InstalledVersions, number: u32) -> BundleVersion {
    let installed = versions.get(number);
    installed.map(BundleVersion::from).unwrap_or_default()
}

/// Maximum number of versions named for a broken rule; the others are counted.
const SUBJECTS: usize = 3;
/// Maximum number of channels named for a broken rule.
const CHANNELS: usize = 4;
/// Maximum number of bundles named in a row.
const NAMES: usize = 300;

/// Builds one table per changed package.
pub(super) fn tables(found: &Consequences) -> Vec<UserTable> {
    let several = found.tables.len() > 1 || found.tables.iter().any(|table| table.roots.len() > 1);
    let broken_groups = found.group_broken(SUBJECTS);
    let table = |package_table: &PackageTable| {
        let is_own = |root: &str, package: &str| {
            package_table
                .roots
                .iter()
                .any(|package_table| package_table == root)
                && *package_table.package == *package
        };
        let mut broken: Vec<BrokenRow> = Vec::new();
        for row in broken_groups
            .iter()
            .filter(|(root, package, _)| is_own(root, package))
            .filter(|(.., finding)| finding.severity != Severity::Info)
            .map(|(.., finding)| broken_row(finding))
        {
            // Skip repetitions from another catalog.
            if !broken.contains(&row) {
                broken.push(row);
            }
        }
        UserTable {
            catalogs: if several {
                package_table.roots.clone()
            } else {
                Vec::new()
            },
            package: if several {
                package_table.package.to_string()
            } else {
                String::new()
            },
            ..to_user_table(&package_table.table, broken)
        }
    };
    found.tables.iter().map(table).collect()
}

/// Builds the table of a single package, without its name and catalogs.
pub(super) fn package_table(table: &Table, broken: &[Finding]) -> UserTable {
    to_user_table(
        table,
        group_findings(broken, SUBJECTS)
            .iter()
            .filter(|finding| finding.severity != Severity::Info)
            .map(broken_row)
            .collect(),
    )
}

fn to_user_table(table: &Table, broken: Vec<BrokenRow>) -> UserTable {
    let row = |row: &TableRow| UserTableRow {
        fate: row.fate,
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
        error: grouped_finding.severity == Severity::Error,
        channel: first_of(grouped_finding.channels.iter(), CHANNELS),
        message: grouped_finding.message.clone(),
        count: grouped_finding.count as u32,
        help: grouped_finding.help.clone(),
        rule: grouped_finding.invariant.rule.to_owned(),
        why: grouped_finding.invariant.why.to_owned(),
    }
}

/// Capitalizes a sentence. A name in backticks keeps its case.
pub(super) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}
