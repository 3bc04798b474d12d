//! Everyone's next step, for the page.

use super::{unread_places, upgrade};
use fbc::model::Package;
use fbc::order::SortSmall;
use fbc::upgrade::everyone::{self, Marks, PathSummaries, newest_first};
use fbc::upgrade::installed_set::InstalledVersions;
use fbc::upgrade::{EdgeKind, UpgradeIndex};
use fbc::workspace::Root;
use protocol::upgrades::{BundleVersion, EveryoneRow, EveryoneView, PathMark, PathSummary};
use protocol::views::UpgradeQuestion;
use std::collections::HashSet;

pub(crate) fn view(root: &Root, package: &Package, question: &UpgradeQuestion) -> EveryoneView {
    let index = UpgradeIndex::new(package);
    let everyone = everyone::every_path(&index, &upgrade::v1(question));
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
    let row = |(number, installed): (u32, &fbc::upgrade::Installed)| {
        let one = |channel: &str, courses: &PathSummaries| {
            course(&everyone.versions, channel, courses, number)
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
                .filter_map(|(channel, courses)| one(channel, courses))
                .collect(),
        }
    };
    let all = everyone
        .v0
        .iter()
        .map(|(channel, courses)| (channel.to_string(), courses));
    let refused = all.chain([(String::new(), &everyone.v1)]);
    EveryoneView {
        root: root.name.clone(),
        package: package.name.to_string(),
        channels: everyone
            .v0
            .iter()
            .map(|(channel, _)| channel.to_string())
            .collect(),
        rows: people.into_iter().map(row).collect(),
        refused: refused
            .filter_map(|(channel, courses)| {
                Some((channel, courses.refused.as_ref()?.text.clone()))
            })
            .collect(),
        outcome: None,
        incomplete: unread_places(root),
    }
}

/// `None` if the courses do not include this version.
pub(super) fn course(
    versions: &InstalledVersions,
    channel: &str,
    courses: &PathSummaries,
    number: u32,
) -> Option<PathSummary> {
    let course = courses.get(number)?;
    Some(PathSummary {
        channel: channel.to_owned(),
        next: course.next.as_ref().map(|hop| stop(versions, hop.to)),
        edge: course
            .next
            .as_ref()
            .map_or(EdgeKind::None, |hop| hop.edge)
            .as_str()
            .to_owned(),
        last: stop(versions, course.last),
        steps: course.steps,
        marks: marks(course.marks),
        error: course.error.map_or("", |kind| kind.as_str()).to_owned(),
    })
}

pub(super) fn stop(versions: &InstalledVersions, number: u32) -> BundleVersion {
    versions
        .get(number)
        .map_or_else(BundleVersion::default, |installed| BundleVersion {
            name: installed.name.to_string(),
            version: installed.version.to_string(),
        })
}

fn marks(marks: Marks) -> Vec<PathMark> {
    let all = [
        (marks.looped, PathMark::Loop),
        (marks.stuck, PathMark::Stuck),
        (marks.goes_back, PathMark::GoesBack),
        (marks.prerelease, PathMark::Prerelease),
        (marks.long_way, PathMark::LongWay),
    ];
    all.into_iter()
        .filter_map(|(set, mark)| set.then_some(mark))
        .collect()
}
