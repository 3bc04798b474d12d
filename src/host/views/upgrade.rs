//! Answers the question of a user's next upgrade under both lenses, evaluates version ranges while
//! the user types them, and creates the manifests that try a package on a cluster.

use super::{bundles, is_partly_read, package, unreadable_parts};
use ::bundle::manifests::{self, CatalogOnCluster, Classic, ManifestError, Manifests, V1};
use ::upgrade::Options;
use ::upgrade::both_lenses::BothLenses;
use ::upgrade::cluster::kubernetes;
use ::upgrade::installed_name::{self, InstalledName, UnknownInstalled};
use catalog::model::Package;
use catalog::version::Version;
use catalog::version::masterminds::{self, Constraint};
use catalog::version::openshift::{self, OpenShift};
use edit::plan;
use protocol::manifests::{InstallManifests, InstallRefusal, InstallRequest};
use protocol::request::RangePurpose;
use protocol::upgrades::{ClusterInQuestion, ClusterView};
use protocol::views::{
    EntryRef, Lens, Origin, RangeMatches, RangePin, RangeView, TextRange, UpgradeAnswer,
    UpgradeQuestion,
};
use session::{Refused, Root, Session};
use std::collections::HashSet;
use std::sync::Arc;

/// Returns the origin of the answer: the selected bundle if the question asks for a new install
/// without a starting point.
pub(super) fn origin(
    package: &Package,
    question: &UpgradeQuestion,
    selected: Option<&str>,
) -> Origin {
    let has = |name: &str| {
        package
            .bundles
            .iter()
            .any(|bundle| bundle.name.as_str() == name)
    };
    match (&question.origin, selected) {
        (Origin::Fresh, Some(name)) if question.starting_csv.is_empty() && has(name) => {
            Origin::Installed(name.to_owned())
        }
        (origin, _) => origin.clone(),
    }
}

/// Returns the version of the installed bundle, if known.
fn known_version(package: &Package, origin: &Origin) -> Option<Version> {
    let Origin::Installed(text) = origin else {
        return None;
    };
    let known = installed_name::parse(text, &[package], []).ok()?;
    Version::parse(&known.installed.version).ok()
}

/// Converts the question to options of Classic's resolver.
pub(super) fn classic_options(package: &Package, question: &UpgradeQuestion) -> Options {
    let subscribed = if question.channel.is_empty() {
        package.default_channel()
    } else {
        &question.channel
    };
    Options {
        channels: Some(subscribed.to_owned())
            .filter(|channel| !channel.is_empty())
            .into_iter()
            .collect(),
        starting_csv: Some(question.starting_csv.clone()).filter(|name| !name.is_empty()),
        ..Options::default()
    }
}

/// Converts the question to options of OLM v1's resolver.
pub(super) fn v1_options(question: &UpgradeQuestion) -> Options {
    Options {
        channels: question.channels.clone(),
        range: Some(question.range.clone()).filter(|range| !range.is_empty()),
        policy: question.policy,
        ..Options::default()
    }
}

/// Answers the question. Under Classic, requirements can be met by the bundles of the same catalog.
pub(super) fn answer(
    root: &Root,
    package: &Arc<Package>,
    origin: Origin,
    question: &UpgradeQuestion,
) -> UpgradeAnswer {
    let (cluster, view) = cluster_version(&question.cluster);
    let is_partial = is_partly_read(root, package);
    let qualify = |statement: &mut String| {
        if is_partial {
            statement.insert_str(0, "in what could be read, ");
        }
    };
    let answer = match &origin {
        Origin::Fresh => answer_both(root, package, None, question, cluster),
        Origin::Installed(text) => {
            let others = root.catalog().packages().map(|other| &**other);
            installed_name::parse(text, &[&**package], others).and_then(|mut installed| {
                installed.notes.iter_mut().for_each(qualify);
                answer_both(root, package, Some(&installed), question, cluster)
            })
        }
    };
    let mut answer = answer.unwrap_or_else(|unknown| UpgradeAnswer {
        unknown: Some(format!("{}: {}", unknown.reason, unknown.help)),
        ..UpgradeAnswer::default()
    });
    for path in [&mut answer.v0, &mut answer.v1] {
        let steps = path.steps.iter_mut();
        let reasons = steps.filter_map(|step| step.why.first_mut());
        reasons.chain(&mut path.end).for_each(qualify);
    }
    answer.unknown.iter_mut().for_each(qualify);
    UpgradeAnswer {
        origin,
        cluster: view,
        is_partial,
        incomplete: unreadable_parts(root),
        ..answer
    }
}

fn answer_both(
    root: &Root,
    package: &Arc<Package>,
    installed: Option<&InstalledName>,
    question: &UpgradeQuestion,
    cluster: Option<OpenShift>,
) -> Result<UpgradeAnswer, UnknownInstalled> {
    let mut cache = root.resolver_cache().borrow_mut();
    let index = cache.index(package);
    let catalog_set = index
        .needs_solver()
        .then(|| cache.catalog_set(root.catalog().packages(), &package.name));
    drop(cache);
    BothLenses {
        package,
        index: &index,
        catalog_set: catalog_set.as_ref(),
        installed,
        classic: classic_options(package, question),
        approval: question.approval,
        v1: v1_options(question),
        cluster,
    }
    .answer()
}

/// Parses the OpenShift version that the user typed; also returns its view for the page.
pub(super) fn cluster_version(text: &str) -> (Option<OpenShift>, ClusterInQuestion) {
    if text.is_empty() {
        return (None, None);
    }
    match openshift::parse_cluster(text) {
        Ok(version) => {
            let view = ClusterView {
                openshift: version.to_string(),
                kubernetes: kubernetes(version),
            };
            (Some(version), Some(Ok(view)))
        }
        Err(reason) => {
            let error = format!("{reason}: write it as 4.18 or 4.18.3");
            (None, Some(Err(error)))
        }
    }
}

/// Evaluates the version range of a question, while the user types it.
pub(crate) fn range_view(package: &Package, question: &UpgradeQuestion) -> RangeView {
    let range = question.range.as_str();
    let versions = versions(package, &question.channels);
    let mut view = RangeView {
        range: range.to_owned(),
        total: versions.len() as u32,
        ..RangeView::default()
    };
    view.pins = pinning_ranges(package, &question.origin, &versions);
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
                view.refusal = api_refusal(range);
            }
        }
        Err(error) => view.error = error.to_string(),
    }
    view
}

/// Returns the versions that a skip range catches, while the user types it.
pub(crate) fn caught_versions(
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
    let error_span = found.error.as_ref().and_then(|error| error.at.clone());
    RangeMatches {
        caught: found.versions,
        total: found.total as u32,
        contains_own_version: found.contains_own,
        error: found.error.map(|error| error.reason).unwrap_or_default(),
        wrong: error_span.map(|span| TextRange {
            start: characters(span.start),
            end: characters(span.end),
        }),
        text,
    }
}

fn api_refusal(range: &str) -> String {
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

/// Returns the distinct versions of the bundles that the channels list (all bundles if `channels`
/// is empty), highest first; with `None` for an invalid version.
fn versions(package: &Package, channels: &[String]) -> Vec<(String, Option<Version>)> {
    let selected = package
        .channels
        .iter()
        .filter(|channel| channels.iter().any(|name| *name == *channel.name.value));
    let listed: HashSet<&str> = selected
        .flat_map(|channel| &channel.entries)
        .map(|entry| entry.name.value.as_ref())
        .collect();
    let is_selected = |name: &str| channels.is_empty() || listed.contains(name);
    let mut seen = HashSet::new();
    bundles(package)
        .into_iter()
        .filter(|bundle| is_selected(&bundle.name.value) && seen.insert(bundle.version()))
        .map(|bundle| {
            (
                bundle.version().to_owned(),
                Version::parse(bundle.version()).ok(),
            )
        })
        .collect()
}

/// Returns ranges that pin the installed version (otherwise the highest release) to its minor
/// version, its major version or itself, each with its meaning.
fn pinning_ranges(
    package: &Package,
    origin: &Origin,
    versions: &[(String, Option<Version>)],
) -> Vec<RangePin> {
    let pin = |range: String, meaning: String| RangePin { range, meaning };
    let installed = known_version(package, origin);
    let valid_versions = || versions.iter().filter_map(|(_, version)| version.as_ref());
    let is_release = |version: &&Version| version.prerelease().is_empty();
    let Some(version) = installed.or_else(|| {
        let highest_release = valid_versions().find(is_release);
        highest_release.or_else(|| valid_versions().next()).cloned()
    }) else {
        return Vec::new();
    };
    let exact = pin(version.to_string(), "this version only".to_owned());
    // A range with an `x` admits no prerelease.
    if !version.prerelease().is_empty() {
        return vec![exact];
    }
    let (major, minor) = (version.major(), version.minor());
    vec![
        pin(
            format!("{major}.{minor}.x"),
            format!("patches of {major}.{minor} only"),
        ),
        pin(format!("{major}.x"), format!("major version {major} only")),
        exact,
    ]
}

/// Creates the manifests that try a package on a cluster. The inner error is about a field of the
/// form.
pub(crate) fn install_manifests(
    session: &Session,
    request: &InstallRequest,
) -> Result<Result<InstallManifests, InstallRefusal>, Refused> {
    let manifests = manifests(session, request)?;
    Ok(manifests
        .map(|manifests| InstallManifests {
            yaml: manifests.yaml(),
            remarks: manifests.remarks().map(str::to_owned).collect(),
            bundle: manifests.bundle,
        })
        .map_err(|error| InstallRefusal {
            value: error.value,
            reason: error.reason,
            help: error.help,
        }))
}

fn manifests(
    session: &Session,
    request: &InstallRequest,
) -> Result<Result<Manifests, ManifestError>, Refused> {
    let root = session.root(Some(&request.root))?;
    let package = package::find(root, &request.package)?;
    let catalog = CatalogOnCluster::Added {
        image: request.image.clone(),
        name: None,
    };
    let install = manifests::InstallRequest {
        package,
        catalog: &catalog,
        namespace: Some(&request.namespace),
    };
    let document = |name: &str| {
        let blob = package.bundle(name)?;
        session.files().blob_document(root, blob.file, blob.index)
    };
    Ok(match request.lens {
        Lens::V0 => {
            let options = Classic {
                channel: request.channels.first().map(String::as_str),
                approval: request.approval,
                starting_csv: Some(&request.starting_csv),
                ..Classic::default()
            };
            manifests::classic(install, options, &document)
        }
        Lens::V1 => {
            let options = V1 {
                channels: &request.channels,
                range: Some(&request.range),
                policy: request.policy,
                service_account: None,
            };
            manifests::v1(install, options, &document)
        }
    })
}
