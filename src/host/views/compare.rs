//! Comparisons for the page: two catalogs, versions by catalogs, the next step of every version,
//! and tables of users.

use super::upgrade::{cluster_version, v1_options};
use super::{entry_changes, unreadable_parts, unreadable_parts_of_all};
use ::upgrade::everyone::{self, PathSummaries, newest_first};
use ::upgrade::installed_set::InstalledVersions;
use ::upgrade::{EdgeKind, Installed, UpgradeIndex};
use catalog::Catalog;
use catalog::model::Package;
use catalog::roots::{catalog_version, name_of};
use protocol::Json;
use protocol::counting::{and_more, capitalize, first_of};
use protocol::diagnostic::{Diagnostic, Severity};
use protocol::judgement::{UserTable, UserTableRow};
use protocol::upgrades::{
    Baseline, BrokenRow, BundleVersion, ComparedRow, Comparison, EntryChange, EveryoneRow,
    EveryoneView, MatrixCell, MatrixColumn, MatrixRow, MatrixView, PackageComparison, PathSummary,
};
use protocol::views::UpgradeQuestion;
use session::{Refused, Root, Session};
use std::borrow::Cow;
use std::collections::HashSet;
use syntax::order::SortSmall;
use verdict::compare::cluster::sentences;
use verdict::compare::invariants::{self, CatalogContext, GroupedFinding};
use verdict::compare::matrix::{self, Cell, Matrix, MatrixCatalog};
use verdict::compare::{self, Effect, HiddenText, Pair, TableRow, Unpublished};
use verdict::consequences::{self, Consequences, PackageTable, VerdictChange, tone_of};
use verdict::validate::Verdict;

/// Maximum number of versions named for a broken rule; the others are counted.
const MAX_SUBJECTS: usize = 3;
/// Maximum number of channels named for a broken rule.
const MAX_CHANNELS: usize = 4;
/// Maximum number of messages of one rule.
const MAX_ALIKE: usize = 1000;
/// Maximum number of bundles named in a row.
const MAX_NAMES: usize = 300;

pub(crate) fn catalogs(
    session: &Session,
    baseline: Baseline,
    new: &Root,
) -> Result<Comparison, Refused> {
    let (verdict, gained) = verdict_change(session, &baseline, new)?;
    let old = old(session, &baseline, new)?;
    let compare::ComparedCatalogs {
        differing: pairs,
        same,
    } = compare::compare_catalogs(&old, new.catalog());
    let context = catalog_context(&old, new);
    let row = |(pair, mut comparison): (Pair<'_>, compare::Comparison)| {
        let unpublished = find_unpublished(session, &baseline, (&old, new), &pair.name);
        comparison.drop_unpublished(&unpublished);
        // Count as in the package's own table and in the consequence bar.
        let broken = match comparison.hidden {
            Some(_) => Vec::new(),
            None => invariants::find_broken(&pair, &context, &unpublished),
        };
        let mut row = ComparedRow {
            package: comparison.package.to_string(),
            kind: comparison.kind,
            hit: comparison.count_affected() as u32,
            stranded: comparison.count(Effect::Stranded) as u32,
            update_lost: comparison.count_lost_updates() as u32,
            downgraded: comparison.count(Effect::Downgrade) as u32,
            rerouted: comparison.count(Effect::Rerouted) as u32,
            gained: comparison.count(Effect::Gained) as u32,
            is_hidden: comparison.hidden.is_some(),
            is_fresh_changed: comparison.fresh.iter().any(|fresh| !fresh.is_same()),
            is_unlisted_changed: !comparison.unlisted.is_empty(),
            summary: summary(&comparison),
            ..ComparedRow::default()
        };
        let mut consequences = Consequences::default();
        consequences.add_comparison(&new.name, comparison, broken);
        let findings = consequences.group_broken(1);
        let findings = findings.iter().map(|(.., finding)| finding);
        row.errors = invariants::causes(findings, Severity::Error).len() as u32;
        row
    };
    Ok(Comparison {
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
        old: baseline,
        same: same as u32,
        incomplete: unreadable_parts_of_all([("old", &*old), ("new", new.catalog())]),
    })
}

/// Compares one package with the baseline, also for a cluster's version ("" for none).
pub(crate) fn package(
    session: &Session,
    baseline: &Baseline,
    new: &Root,
    name: &str,
    cluster: &str,
) -> Result<PackageComparison, Refused> {
    let old = old(session, baseline, new)?;
    let pair = pair(&old, new, name);
    let unpublished = find_unpublished(session, baseline, (&old, new), name);
    let mut comparison = pair.compare();
    comparison.drop_unpublished(&unpublished);
    comparison.hide(HiddenText::between(&old, new.catalog()).reason(&pair));
    if pair.needs_solver() {
        comparison.note_unmet_requirements(new.catalog(), new.resolver_cache());
    }
    let broken = match comparison.hidden {
        Some(_) => Vec::new(),
        None => invariants::find_broken(&pair, &catalog_context(&old, new), &unpublished),
    };
    let (version, cluster) = cluster_version(cluster);
    let on_cluster = version.map(|version| {
        sentences(
            comparison.users.iter().zip(&pair.users_on_cluster(version)),
            version,
        )
    });
    let entries = match comparison.hidden {
        Some(_) => Vec::new(),
        None => entry_changes::entries(&pair, &comparison.entries),
    };
    // Those of channels that only one state has follow.
    let listed = comparison.entries.len();
    comparison.entries = entries.iter().take(listed).cloned().collect();
    let changes = comparison.sentences();
    let mut consequences = Consequences::default();
    consequences.add_comparison(&new.name, comparison, broken);
    Ok(PackageComparison {
        package: name.to_owned(),
        changes,
        entries,
        judgement: consequences.judgement(),
        table: tables(&consequences).pop().unwrap_or_default(),
        cluster,
        on_cluster: on_cluster.unwrap_or_default(),
    })
}

/// Returns the entries of a package that differ from the disk. Does not compute users, so the cost
/// depends on the changed files only.
pub(crate) fn unsaved_changes(session: &Session, root: &Root, name: &str) -> Vec<EntryChange> {
    let old = session.changes().on_disk(root);
    let pair = pair(&old, root, name);
    entry_changes::entries(&pair, &pair.changes().entries)
}

fn pair<'a>(old: &'a Catalog, new: &'a Root, name: &str) -> Pair<'a> {
    let package = |catalog: &'a Catalog| catalog.package(name).map(|package| &**package);
    Pair::new(package(old), package(new.catalog()))
}

/// Returns the catalog that users have now.
pub(crate) fn old<'a>(
    session: &'a Session,
    baseline: &Baseline,
    new: &'a Root,
) -> Result<Cow<'a, Catalog>, Refused> {
    Ok(match baseline {
        Baseline::Disk => Cow::Owned(session.changes().on_disk(new)),
        Baseline::Catalog(root) => Cow::Borrowed(session.root(Some(root))?.catalog()),
    })
}

/// Finds the unpublished bundles of a package, which no user has. Compared with another catalog,
/// every bundle counts as published.
fn find_unpublished(
    session: &Session,
    baseline: &Baseline,
    (old, new): (&Catalog, &Root),
    package: &str,
) -> Unpublished {
    match baseline {
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

/// Compares the verdict with that of the baseline. Also returns the new problems.
fn verdict_change(
    session: &Session,
    baseline: &Baseline,
    new: &Root,
) -> Result<(VerdictChange, Vec<Diagnostic>), Refused> {
    let between = |before: &Verdict, old: &Catalog| {
        let change = VerdictChange {
            was_empty: old.packages().next().is_none(),
            ..VerdictChange::between(&new.name, before, new.verdict())
        };
        (change, consequences::problems_gained(before, new.verdict()))
    };
    Ok(match baseline {
        Baseline::Disk => {
            let changes = session.changes();
            let on_disk = changes.on_disk(new);
            between(&changes.verdict_on_disk(new, &on_disk), &on_disk)
        }
        Baseline::Catalog(root) => {
            let old = session.root(Some(root))?;
            between(old.verdict(), old.catalog())
        }
    })
}

fn catalog_context<'a>(old: &'a Catalog, new: &'a Root) -> CatalogContext<'a> {
    CatalogContext {
        old: Some(old),
        new: Some(new.catalog()),
        ocp: catalog_version(&new.name),
        neighbors: &[],
        resolver_cache: Some(new.resolver_cache()),
    }
}

fn summary(comparison: &compare::Comparison) -> String {
    if comparison.hidden.is_some() {
        return "not known: text could not be read".to_owned();
    }
    let sentences = comparison.sentences();
    match &sentences[..] {
        [] if comparison.count_affected() == 0 => "bundles changed".to_owned(),
        [] => "only updates changed".to_owned(),
        [only] => only.clone(),
        [first, rest @ ..] => format!("{first}, {}", and_more(rest.len())),
    }
}

pub(crate) fn matrix_view(roots: &[&Root], package: &str) -> MatrixView {
    let catalogs: Vec<_> = roots
        .iter()
        .map(|root| MatrixCatalog::new(&root.name, root.catalog(), package, root.resolver_cache()))
        .collect();
    let matrix = matrix::matrix(&catalogs);
    let default_channel = |root: &str| {
        let catalog = catalogs.iter().find(|catalog| catalog.name == root);
        let package = catalog.and_then(|catalog| catalog.package);
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
        let bundle = bundle_version(&matrix.versions, row.number);
        MatrixRow {
            name: bundle.name,
            version: bundle.version,
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
        incomplete: unreadable_parts_of_all(
            roots
                .iter()
                .map(|root| (root.name.as_str(), root.catalog())),
        ),
    }
}

fn cell(matrix: &Matrix, number: u32, matrix_cell: &Cell) -> MatrixCell {
    let summarize = |channel: &str, summary: &everyone::PathSummary| {
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
            .and_then(|path| summarize("", path))
            .unwrap_or_default(),
        v0: matrix_cell
            .v0
            .iter()
            .filter_map(|(channel, path)| summarize(channel, path))
            .collect(),
        max: matrix_cell.limit.to_string(),
        blocks: matrix_cell.blocks,
        unblocked_at: matrix_cell
            .unblocked_by
            .map(|number| bundle_version(&matrix.versions, number)),
        status: matrix_cell.status(),
        summary: matrix_cell.describe(&matrix.versions),
    }
}

/// Computes the paths of all versions, under Classic with requirements.
pub(crate) fn everyone_view(
    root: &Root,
    package: &Package,
    question: &UpgradeQuestion,
) -> EveryoneView {
    let index = UpgradeIndex::new(package);
    let catalog_set = index.needs_solver().then(|| {
        let mut cache = root.resolver_cache().borrow_mut();
        cache.catalog_set(root.catalog().packages(), &package.name)
    });
    let everyone = everyone::every_path(&index, &v1_options(question), catalog_set.as_ref());
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
    let mut installed: Vec<_> = everyone.versions.iter().collect();
    installed.sort_small_by(|(_, a), (_, b)| newest_first(a, b));
    let row = |(number, installed): (u32, &Installed)| {
        let summarize = |channel: &str, paths: &PathSummaries| {
            path_summary(&everyone.versions, channel, paths, number)
        };
        EveryoneRow {
            name: installed.name.to_string(),
            version: installed.version.to_string(),
            in_catalog: in_catalog.contains(&(&*installed.name, &*installed.version)),
            deprecated: deprecated.contains(&*installed.name),
            v1: summarize("", &everyone.v1).unwrap_or_default(),
            v0: everyone
                .v0
                .iter()
                .filter_map(|(channel, paths)| summarize(channel, paths))
                .collect(),
        }
    };
    EveryoneView {
        rows: installed.into_iter().map(row).collect(),
        outcome: None,
        incomplete: unreadable_parts(root),
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
        held_back: path.held_back.clone(),
    })
}

fn bundle_version(versions: &InstalledVersions, number: u32) -> BundleVersion {
    let installed = versions.get(number);
    installed.map(BundleVersion::from).unwrap_or_default()
}

/// Builds one table per changed package. If there is only one package in one catalog, its table
/// does not name them.
pub(super) fn tables(found: &Consequences) -> Vec<UserTable> {
    let is_named = found.tables.len() > 1 || found.tables.iter().any(|table| table.roots.len() > 1);
    let groups = found.group_broken(MAX_SUBJECTS);
    let table = |table: &PackageTable| {
        let broken = groups
            .iter()
            .filter(|(root, package, finding)| {
                table.roots.iter().any(|own| own == root)
                    && table.package == **package
                    && finding.severity != Severity::Info
            })
            .map(|(.., finding)| broken_row(finding));
        let mut distinct: Vec<BrokenRow> = Vec::new();
        for row in broken {
            // Skip repetitions from another catalog.
            if !distinct.contains(&row) {
                distinct.push(row);
            }
        }
        let row = |row: &TableRow| UserTableRow {
            fate: row.impact,
            tone: tone_of(row.impact),
            cells: row.cells(),
            from: row
                .from
                .iter()
                .take(MAX_NAMES)
                .map(|installed| installed.name.to_string())
                .collect(),
        };
        let PackageTable {
            roots,
            package,
            table,
        } = table;
        let mut user_table = UserTable {
            headline: capitalize(&table.headline()),
            rows: table.rows.iter().map(row).collect(),
            unmet: table.unmet.clone(),
            broken: distinct,
            ..UserTable::default()
        };
        if is_named {
            (user_table.catalogs, user_table.package) = (roots.clone(), package.to_string());
        }
        user_table
    };
    found.tables.iter().map(table).collect()
}

/// Returns the messages to send, and the number of the others in a last one.
fn first_alike(messages: &[String]) -> Vec<String> {
    let rest = messages.len().saturating_sub(MAX_ALIKE);
    let rest = (rest > 0).then(|| and_more(rest));
    let first = messages.iter().take(MAX_ALIKE).cloned();
    first.chain(rest).collect()
}

fn broken_row(finding: &GroupedFinding) -> BrokenRow {
    let invariants = std::iter::once(&finding.invariant).chain(&finding.also);
    BrokenRow {
        invariants: invariants.map(|each| each.name.to_owned()).collect(),
        error: finding.severity == Severity::Error,
        channel: first_of(finding.channels.iter(), MAX_CHANNELS),
        message: finding.message.clone(),
        alike: first_alike(&finding.alike),
        help: finding.help.clone(),
        rule: finding.invariant.rule.to_owned(),
        why: finding.invariant.why.to_owned(),
    }
}
