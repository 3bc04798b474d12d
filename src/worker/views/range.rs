//! Version ranges while the user types them. For OLM v1: admitted versions, errors, and ranges that pin. For
//! `skipRange`: caught versions.

use super::bundles;
use super::upgrade::known_version;
use fbc::edit::plan;
use fbc::model::Package;
use fbc::version::Version;
use fbc::version::masterminds::{self, Constraint};
use protocol::request::RangePurpose;
use protocol::views::{EntryRef, Origin, RangeMatches, RangeView, UpgradeQuestion};
use std::collections::HashSet;

pub(crate) fn view(package: &Package, question: &UpgradeQuestion) -> RangeView {
    let range = question.range.as_str();
    let versions = versions(package, &question.channels);
    let mut view = RangeView {
        range: range.to_owned(),
        total: versions.len() as u32,
        ..RangeView::default()
    };
    view.pins = pins(package, &question.origin, &versions);
    if range.is_empty() {
        view.admitted = versions.into_iter().map(|(text, _)| text).collect();
        return view;
    }
    match Constraint::parse(range) {
        Ok(constraint) => {
            for (text, version) in versions {
                let Some(version) = version else { continue };
                if constraint.check(&version) {
                    view.admitted.push(text);
                } else if constraint.refuses_as_prerelease(&version) {
                    view.left_out.push(text);
                }
            }
            if !masterminds::is_admitted(range) {
                view.refusal = refusal(range);
            }
        }
        Err(error) => view.error = error.to_string(),
    }
    view
}

pub(crate) fn caught(
    package: &Package,
    entry: &EntryRef,
    text: String,
    purpose: RangePurpose,
) -> RangeMatches {
    let text = text.trim().to_owned();
    let found =
        plan::version_ranges::range_matches(package, &entry.channel, &entry.name, &text, purpose);
    let characters =
        |bytes: usize| text.get(..bytes).map_or(0, |before| before.chars().count()) as u32;
    let wrong = found.error.as_ref().and_then(|error| error.at.clone());
    RangeMatches {
        caught: found
            .versions
            .into_iter()
            .map(|v| (v.name, v.version, v.listed))
            .collect(),
        total: found.total as u32,
        own: found.own,
        error: found.error.map(|error| error.reason).unwrap_or_default(),
        wrong: wrong.map(|at| (characters(at.start), characters(at.end))),
        text,
    }
}

fn refusal(range: &str) -> String {
    let length = range.chars().count();
    if length > masterminds::MAX_LENGTH {
        return format!(
            "{length} characters; the API allows at most {}",
            masterminds::MAX_LENGTH
        );
    }
    format!(
        "OLM v1 can parse this range, but the ClusterExtension API rejects it: {}",
        masterminds::NOT_ADMITTED
    )
}

/// Each version once, highest first, of bundles that an entry of the channels refers to (empty: all channels). `None`:
/// the range does not parse.
fn versions(package: &Package, channels: &[String]) -> Vec<(String, Option<Version>)> {
    let selected = package
        .channels
        .iter()
        .filter(|channel| channels.iter().any(|name| *name == *channel.name.value));
    let listed: HashSet<&str> = selected
        .flat_map(|channel| &channel.entries)
        .map(|entry| entry.name.value.as_ref())
        .collect();
    let of_channels = |name: &str| channels.is_empty() || listed.contains(name);
    let mut seen = HashSet::new();
    bundles(package)
        .into_iter()
        .filter(|bundle| of_channels(&bundle.name.value) && seen.insert(bundle.version()))
        .map(|bundle| {
            (
                bundle.version().to_owned(),
                Version::parse(bundle.version()).ok(),
            )
        })
        .collect()
}

/// Ranges that pin the installed version (else the highest release) to its z-stream, its major version, or itself.
fn pins(
    package: &Package,
    origin: &Origin,
    versions: &[(String, Option<Version>)],
) -> Vec<(String, String)> {
    let installed = known_version(package, origin);
    let all = || versions.iter().filter_map(|(_, version)| version.as_ref());
    let is_release = |version: &&Version| version.prerelease().is_empty();
    let Some(version) =
        installed.or_else(|| all().find(is_release).or_else(|| all().next()).cloned())
    else {
        return Vec::new();
    };
    let exact = (version.to_string(), "this version only".to_owned());
    // A range with an `x` admits no prerelease.
    if !version.prerelease().is_empty() {
        return vec![exact];
    }
    let (major, minor) = (version.major(), version.minor());
    vec![
        (
            format!("{major}.{minor}.x"),
            format!("patches of {major}.{minor} only"),
        ),
        (format!("{major}.x"), format!("major version {major} only")),
        exact,
    ]
}
