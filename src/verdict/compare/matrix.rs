//! Versions by catalogs, for an operator whose cluster moves from one OpenShift version to the
//! next, each with its own catalog: whether a catalog has the version, whether the version has an
//! update, and whether it blocks the cluster's upgrade.

use super::cluster::first_unblocked;
use super::users::no_update;
use catalog::Catalog;
use catalog::model::Package;
use protocol::destination::Destination;
use protocol::upgrades::VersionStatus;
use std::cell::RefCell;
use std::collections::BTreeSet;
use syntax::hashed::HashMap;
use syntax::order::SortSmall;
use syntax::place::Text;
use upgrade::cluster::{Limit, OpenShift, cluster_of};
use upgrade::everyone::{
    PathSummaries, PathSummary, classic_path_summaries, newest_first, path_summaries,
};
use upgrade::installed_set::{InstalledSet, InstalledVersions};
use upgrade::resolve::{CatalogSet, ResolverCache};
use upgrade::{Installed, Lens, Options, UpgradeIndex};

/// A package in several catalogs, in the order of cluster upgrades.
#[derive(Debug)]
pub struct Matrix {
    pub columns: Vec<Column>,
    /// Every version that one of the catalogs publishes.
    pub versions: InstalledVersions,
    /// Highest version first.
    pub rows: Vec<Row>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    pub name: String,
    /// The OpenShift version in the catalog's name.
    pub cluster: Option<OpenShift>,
}

#[derive(Debug)]
pub struct Row {
    /// The version's number in [`Matrix::versions`].
    pub number: u32,
    /// One per column.
    pub cells: Vec<Cell>,
}

/// The effect of a catalog on an installed version.
#[derive(Debug)]
pub struct Cell {
    /// Whether the catalog contains the bundle.
    pub present: bool,
    /// Whether neither a bundle nor the name gives a version, so that no skip range can match.
    pub unversioned: bool,
    /// Whether only later catalogs contain the bundle.
    pub ahead: bool,
    /// Path under v1, with all channels.
    pub v1: Option<PathSummary>,
    /// Paths under Classic, one per channel that lists or mentions the version in this or the
    /// previous catalog: default channel first, then by name.
    pub v0: Vec<(Text, PathSummary)>,
    /// The limit of the installed bundle, which is from this catalog or the nearest earlier one
    /// that has it.
    pub limit: Limit,
    /// Whether the installed bundle blocks this catalog's cluster from its next minor version, by
    /// Classic or OLM v1.
    pub blocks: bool,
    /// If it blocks: the first version on Classic's path that does not.
    pub unblocked_by: Option<u32>,
    /// Like `unblocked_by`, on OLM v1's path.
    pub unblocked_by_v1: Option<u32>,
}

pub struct MatrixCatalog<'a> {
    pub name: &'a str,
    /// `None` if the catalog lacks the package.
    pub package: Option<&'a Package>,
    index: UpgradeIndex,
    /// Set if the package has requirements.
    catalog_set: Option<CatalogSet<'a>>,
}

impl<'a> MatrixCatalog<'a> {
    pub fn new(
        name: &'a str,
        catalog: &'a Catalog,
        package: &str,
        resolver_cache: &RefCell<ResolverCache>,
    ) -> Self {
        let found = catalog.package(package).map(|package| &**package);
        let index = found.map_or_else(|| UpgradeIndex::empty(package), UpgradeIndex::new);
        let mut cache = resolver_cache.borrow_mut();
        Self {
            name,
            package: found,
            catalog_set: index
                .needs_solver()
                .then(|| cache.catalog_set(catalog.packages(), package)),
            index,
        }
    }
}

pub fn matrix(catalogs: &[MatrixCatalog<'_>]) -> Matrix {
    let indexes = || catalogs.iter().map(|catalog| &catalog.index);
    let versions = InstalledVersions::from_indexes(indexes());
    let installed: Vec<Installed> = versions
        .iter()
        .map(|(_, installed)| installed.clone())
        .collect();
    let mut rows: Vec<Row> = versions
        .all()
        .into_iter()
        .map(|number| Row {
            number,
            cells: Vec::new(),
        })
        .collect();
    let mut limits: HashMap<u32, Limit> = HashMap::default();
    let columns: Vec<Column> = catalogs
        .iter()
        .map(|catalog| Column {
            name: catalog.name.to_owned(),
            cluster: cluster_of(catalog.name),
        })
        .collect();
    let published: BTreeSet<u32> = indexes()
        .flat_map(|index| versions.bundles(index))
        .collect();
    let mut seen: BTreeSet<u32> = BTreeSet::new();
    let previous = std::iter::once(None).chain(catalogs.iter().map(Some));
    for ((catalog, column), previous) in catalogs.iter().zip(&columns).zip(previous) {
        let paths = ColumnPaths::new(catalog, previous, &versions, &installed);
        seen.extend(&paths.present);
        for bundle in catalog.package.iter().flat_map(|p| &p.bundles) {
            let installed = Installed::new(bundle.name.value.clone(), bundle.version());
            limits.extend(
                versions
                    .number(&installed)
                    .map(|number| (number, Limit::from_bundle(bundle, Lens::V0))),
            );
        }
        let cells = ColumnCells::new(paths, &limits, column.cluster);
        for row in &mut rows {
            let is_ahead = published.contains(&row.number) && !seen.contains(&row.number);
            row.cells.push(cells.cell(row.number, &versions, is_ahead));
        }
    }
    let installed = |row: &Row| {
        versions
            .get(row.number)
            .cloned()
            .unwrap_or_else(|| Installed::new("", ""))
    };
    rows.sort_small_by(|a, b| newest_first(&installed(a), &installed(b)));
    Matrix {
        columns,
        versions,
        rows,
    }
}

impl Matrix {
    /// Returns the catalogs of unknown OpenShift version that contain a bundle with
    /// `olm.maxOpenShiftVersion`: whether the bundle blocks their clusters is unknown.
    pub fn columns_of_unknown_version(&self) -> impl Iterator<Item = &str> {
        let has_limit = |column: usize| {
            let mut cells = self
                .rows
                .iter()
                .filter_map(move |row| row.cells.get(column));
            cells.any(|cell| cell.present && cell.limit != Limit::None)
        };
        let unknown = self
            .columns
            .iter()
            .enumerate()
            .filter(|(_, column)| column.cluster.is_none());
        unknown
            .filter(move |(index, _)| has_limit(*index))
            .map(|(_, column)| column.name.as_str())
    }
}

/// The paths of all versions in one catalog.
struct ColumnPaths {
    present: BTreeSet<u32>,
    v1: PathSummaries,
    v0: Vec<(Text, PathSummaries)>,
}

impl ColumnPaths {
    fn new(
        catalog: &MatrixCatalog<'_>,
        previous: Option<&MatrixCatalog<'_>>,
        versions: &InstalledVersions,
        installed: &[Installed],
    ) -> Self {
        let index = &catalog.index;
        let installed_set = InstalledSet::new(index, installed);
        let default = catalog.package.map_or("", Package::default_channel);
        // Subscriptions may still name a channel of the previous catalog.
        let packages = catalog
            .package
            .into_iter()
            .chain(previous.and_then(|previous| previous.package));
        let names: BTreeSet<(bool, Text)> = packages
            .flat_map(|p| &p.channels)
            .map(|c| (*c.name.value != *default, c.name.value.clone()))
            .collect();
        Self {
            present: versions.bundles(index).into_iter().collect(),
            v1: path_summaries(
                &installed_set,
                versions,
                versions.all(),
                Lens::V1,
                &Options::default(),
            ),
            v0: names
                .into_iter()
                .map(|(_, name): (bool, Text)| {
                    let previous = previous.map(|previous| &previous.index);
                    let members = versions.members([index].into_iter().chain(previous), &name);
                    let paths = classic_path_summaries(
                        &installed_set,
                        versions,
                        members,
                        &Options::for_channel(&name),
                        catalog.catalog_set.as_ref(),
                    );
                    (name, paths)
                })
                .collect(),
        }
    }
}

struct ColumnCells<'l> {
    paths: ColumnPaths,
    limits: &'l HashMap<u32, Limit>,
    cluster: Option<OpenShift>,
    /// For each channel of Classic, the first version that does not block the cluster.
    unblocked: Vec<HashMap<u32, Option<u32>>>,
    unblocked_v1: HashMap<u32, Option<u32>>,
}

impl<'l> ColumnCells<'l> {
    fn new(
        paths: ColumnPaths,
        limits: &'l HashMap<u32, Limit>,
        cluster: Option<OpenShift>,
    ) -> Self {
        let blocks = |number| blocks(limits, cluster, number);
        let classic = paths.v0.iter();
        Self {
            unblocked: classic
                .map(|(_, paths)| first_unblocked(paths, blocks))
                .collect(),
            unblocked_v1: first_unblocked(&paths.v1, blocks),
            paths,
            limits,
            cluster,
        }
    }

    fn cell(&self, number: u32, versions: &InstalledVersions, is_ahead: bool) -> Cell {
        let installed = versions.get(number);
        let classic = self.paths.v0.iter();
        Cell {
            present: self.paths.present.contains(&number),
            unversioned: installed.is_some_and(|installed| installed.version.is_empty()),
            ahead: is_ahead,
            v1: self.paths.v1.get(number).cloned(),
            v0: classic
                .filter_map(|(name, paths)| Some((name.clone(), paths.get(number)?.clone())))
                .collect(),
            limit: self.limits.get(&number).cloned().unwrap_or(Limit::None),
            blocks: blocks(self.limits, self.cluster, number),
            unblocked_by: self
                .unblocked
                .iter()
                .find_map(|unblocked| unblocked.get(&number).copied().flatten()),
            unblocked_by_v1: self.unblocked_v1.get(&number).copied().flatten(),
        }
    }
}

fn blocks(limits: &HashMap<u32, Limit>, cluster: Option<OpenShift>, number: u32) -> bool {
    let limit = limits.get(&number).unwrap_or(&Limit::None);
    cluster.is_some_and(|cluster| limit.blocks(cluster))
}

impl Cell {
    pub fn status(&self) -> VersionStatus {
        if self.ahead {
            return VersionStatus::Ahead;
        }
        let paths: Vec<&PathSummary> = self
            .v0
            .iter()
            .map(|(_, path)| path)
            .chain(&self.v1)
            .collect();
        let continues = |path: &&PathSummary| path.next.is_some();
        let ends =
            |path: &&PathSummary| path.next.is_none() && !path.marks.stuck && path.error.is_none();
        if paths.iter().any(continues) {
            let is_lost = |path: &&PathSummary| !(continues(path) || self.present && ends(path));
            return if paths.iter().any(is_lost) {
                VersionStatus::Partly
            } else {
                VersionStatus::GoesOn
            };
        }
        if self.present && paths.iter().any(ends) {
            VersionStatus::Ends
        } else {
            VersionStatus::Lost
        }
    }

    /// Describes the cell in a few words.
    pub fn describe(&self, versions: &InstalledVersions) -> String {
        if self.ahead {
            return "not present yet".to_owned();
        }
        let name = |number: u32| versions.get(number).map_or("", |installed| &installed.name);
        // `None`: unknown.
        let destination = |path: &PathSummary| match &path.next {
            Some(step) => Some(Destination::UpdatesTo(name(step.to))),
            None if self.unversioned => None,
            None if path.error.is_some() || path.marks.stuck => Some(no_update(path.error)),
            None => Some(Destination::AtEnd),
        };
        let describe = |destination: Option<Destination<'_>>| match destination {
            Some(Destination::AtEnd) => "end of its path".to_owned(),
            Some(step) if self.unversioned => {
                format!("{step} unless a skip range contains its unknown version")
            }
            Some(destination) => destination.to_string(),
            None => "next step unknown: its version is unknown".to_owned(),
        };
        let v0: BTreeSet<String> = self
            .v0
            .iter()
            .map(|(_, path)| describe(destination(path)))
            .collect();
        let v1 = self.v1.as_ref().map(destination);
        let v0: Vec<String> = v0.into_iter().collect();
        let mut parts = vec![if self.present {
            "present".to_owned()
        } else {
            "gone".to_owned()
        }];
        match (&v0[..], v1) {
            ([], Some(v1)) => parts.push(describe(v1)),
            ([only], Some(v1)) if *only == describe(v1) => parts.push(describe(v1)),
            (_, v1) => {
                parts.push(format!("Classic {}", v0.join(" or ")));
                parts.extend(v1.map(|v1| match v1 {
                    Some(Destination::RefusedByV1) => describe(v1),
                    _ => format!("OLM v1 {}", describe(v1)),
                }));
            }
        }
        if self.blocks {
            let limit = match &self.limit {
                Limit::Unreadable(_) => "an unreadable limit".to_owned(),
                limit => limit.to_string(),
            };
            let until = self.describe_unblocking(name);
            parts.push(format!("blocks cluster updates beyond {limit}{until}"));
        }
        parts.join(", ")
    }

    /// Formats until which version the installed bundle blocks the cluster; "" if for good.
    fn describe_unblocking<'v>(&self, name: impl Fn(u32) -> &'v str) -> String {
        match (self.unblocked_by, self.unblocked_by_v1) {
            (None, None) => String::new(),
            (Some(v0), Some(v1)) if v0 == v1 => format!(" until {}", name(v0)),
            (Some(v0), None) if self.v1.is_none() => format!(" until {}", name(v0)),
            (None, Some(v1)) if self.v0.is_empty() => format!(" until {}", name(v1)),
            (Some(v0), Some(v1)) => format!(
                " until {} under Classic, {} under OLM v1",
                name(v0),
                name(v1)
            ),
            (Some(v0), None) => format!(" until {} under Classic, for good under OLM v1", name(v0)),
            (None, Some(v1)) => format!(" until {} under OLM v1, for good under Classic", name(v1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use catalog::testing::package;

    /// A catalog that contains only `package`.
    fn column<'a>(name: &'a str, package: &'a Package) -> MatrixCatalog<'a> {
        let catalog = upgrade::resolve::Catalog {
            name: "".into(),
            namespace: "".into(),
            priority: 0,
            packages: vec![package],
        };
        MatrixCatalog {
            name,
            package: Some(package),
            index: UpgradeIndex::new(package),
            catalog_set: Some(CatalogSet::new(vec![catalog])),
        }
    }

    fn render_matrix(catalogs: &[(&str, &str)], name: &str) -> Vec<String> {
        let packages: Vec<(&str, Package)> = catalogs
            .iter()
            .map(|(name, text)| (*name, package(text)))
            .collect();
        let columns: Vec<_> = packages.iter().map(|(name, p)| column(name, p)).collect();
        let matrix = matrix(&columns);
        let row = matrix
            .rows
            .iter()
            .find(|row| matrix.versions.by_name(name).contains(&row.number))
            .unwrap();
        row.cells
            .iter()
            .map(|cell| cell.describe(&matrix.versions))
            .collect()
    }

    #[test]
    fn shows_a_version_across_catalogs() {
        let catalogs = [
            ("v4.18", "c: b@1.1.0 r:a max:4.19; a@1.0.0 max:4.18"),
            ("v4.19", "c: c@1.2.0 r:b; b@1.1.0 max:4.19"),
            ("v4.20", "c: c@1.2.0"),
        ];
        assert_eq!(
            render_matrix(&catalogs, "a"),
            [
                "present, updates to b, blocks cluster updates beyond 4.18 until b",
                "gone, no update, blocks cluster updates beyond 4.18",
                "gone, no update, blocks cluster updates beyond 4.18"
            ]
        );
        assert_eq!(
            render_matrix(&catalogs, "b"),
            [
                "present, end of its path",
                "present, updates to c, blocks cluster updates beyond 4.19 until c",
                "gone, no update, blocks cluster updates beyond 4.19"
            ]
        );
        assert_eq!(
            render_matrix(&catalogs, "c"),
            [
                "not present yet",
                "present, end of its path",
                "present, end of its path"
            ]
        );
    }

    #[test]
    fn the_cluster_is_blocked_under_any_catalog_name() {
        let package = "c: b@1.1.0 r:a; a@1.0.0 max:4.18";
        for name in [
            "v4.18",
            "v4.18.0-rc1",
            "v4.18.3",
            "openshift-v4.18",
            "v4.18-prod",
            "4.18.3",
            "ocp418",
        ] {
            assert_eq!(
                render_matrix(&[(name, package)], "a"),
                ["present, updates to b, blocks cluster updates beyond 4.18 until b"],
                "{name}"
            );
        }
        assert_eq!(
            render_matrix(&[("prod", package)], "a"),
            ["present, updates to b"]
        );
    }

    #[test]
    fn a_name_without_a_version_does_not_hide_a_limit_silently() {
        let limited = package("c: b@1.1.0 r:a; a@1.0.0 max:4.18");
        let plain = package("c: b@1.1.0 r:a; a@1.0.0");
        let unknown = |catalogs: &[MatrixCatalog<'_>]| -> Vec<String> {
            matrix(catalogs)
                .columns_of_unknown_version()
                .map(str::to_owned)
                .collect()
        };
        assert_eq!(
            unknown(&[column("prod", &limited), column("v4.19", &limited)]),
            ["prod"]
        );
        assert_eq!(unknown(&[column("prod", &plain)]), [""; 0]);
    }

    #[test]
    fn each_lens_has_its_own_way_out() {
        // Classic follows one channel; OLM v1 considers all.
        let catalog = "c: d@1.3.0 r:a max:4.18; a@1.0.0 max:4.18\ne: x@2.0.0 r:d";
        assert_eq!(
            render_matrix(&[("v4.18", catalog)], "a"),
            [
                "present, updates to d, blocks cluster updates beyond 4.18 until x under OLM v1, for good under Classic"
            ]
        );
    }

    #[test]
    fn an_unknown_version_is_not_lost() {
        let catalog = "c: b@1.1.0 r:a s:odd; a@1.0.0 r:older sr:<1.0.0";
        assert_eq!(
            render_matrix(&[("v4.18", catalog)], "older"),
            [
                "gone, Classic updates to a unless a skip range contains its unknown version, OLM v1 next step unknown: \
                 its version is unknown"
            ]
        );
    }

    #[test]
    fn an_unmet_requirement_is_no_update_under_classic() {
        let package = package("c: b@1.1.0 r:a !required; a@1.0.0");
        let matrix = matrix(&[column("v4.18", &package)]);
        let oldest = &matrix.rows.last().unwrap().cells[0];
        assert_eq!(
            oldest.describe(&matrix.versions),
            "present, Classic no update, refused by OLM v1"
        );
        let reason = oldest.v0[0].1.held_back.as_deref().unwrap();
        assert!(reason.starts_with("`b` needs the API"), "{reason}");
        assert!(
            reason.ends_with(", which this catalog does not provide"),
            "{reason}"
        );
    }

    #[test]
    fn a_version_beside_a_second_head_is_lost() {
        let (first, second) = (
            package("c: b@2.0.0; a@1.0.0"),
            package("c: c@3.0.0; a@1.0.0"),
        );
        let matrix = matrix(&[column("v4.18", &first), column("v4.19", &second)]);
        let cell = |name: &str| {
            let numbers = matrix.versions.by_name(name);
            &matrix
                .rows
                .iter()
                .find(|row| numbers.contains(&row.number))
                .unwrap()
                .cells[0]
        };
        assert_eq!(
            (cell("a").status(), cell("c").status()),
            (VersionStatus::Lost, VersionStatus::Ahead)
        );
    }

    #[test]
    fn lenses_may_differ_and_channels_may_disappear() {
        let catalogs = [
            ("v4.18", "c: a@1.0.0\nd: a@1.0.0"),
            ("v4.19", "c: b@2.0.0 r:a; a@1.0.0"),
        ];
        assert_eq!(
            render_matrix(&catalogs, "a"),
            [
                "present, end of its path",
                "present, Classic no update or updates to b, OLM v1 updates to b"
            ]
        );
    }
}
