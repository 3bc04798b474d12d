//! The question of a user's next upgrade, under both lenses, version ranges while the user types them, and the
//! manifests that try a package on a cluster.

use super::{bundles, package, unread_places};
use ::bundle::manifests::{self, CatalogOnCluster, Classic, ManifestError, Manifests, V1};
use ::upgrade::ask::{self, Offer, Reach, Reply, Resolver};
use ::upgrade::installed_name::{self, InstalledName, UnknownInstalled};
use ::upgrade::status_conditions::{ConditionsAt, merge_conditions, remarks, when};
use ::upgrade::{self, Answer, Installed, Options, Successor};
use catalog::model::Package;
use catalog::version::Version;
use catalog::version::masterminds::{self, Constraint};
use catalog::version::openshift::{self, OpenShift};
use edit::plan;
use protocol::destination::{Destination, PathStart};
use protocol::install::{InstallManifests, InstallRefusal, InstallRequest};
use protocol::request::RangePurpose;
use protocol::upgrades::ClusterView;
use protocol::views::{
    Approval, ChannelAnswer, EntryRef, Lens, Origin, PathStep, Policy, RangeMatches, RangeView,
    StatusCondition, UpgradeAnswer, UpgradePath, UpgradeQuestion,
};
use session::{Refused, Root, Session};
use std::collections::HashSet;
use std::sync::Arc;
use verdict::compare::cluster::{Cluster, NextStepOnCluster, PathOnCluster, kubernetes};

/// The subject of the answer. The selected entry, if every version is in question or nothing else was chosen. A new
/// install's starting point does not count as chosen.
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
        (Origin::Everyone, Some(name)) => Origin::Installed(name.to_owned()),
        (Origin::Fresh, Some(name)) if question.starting_csv.is_empty() && has(name) => {
            Origin::Installed(name.to_owned())
        }
        (origin, _) => origin.clone(),
    }
}

/// The version of the installed bundle, if known.
pub(super) fn known_version(package: &Package, origin: &Origin) -> Option<Version> {
    let Origin::Installed(text) = origin else {
        return None;
    };
    Version::parse(
        &installed_name::read(text, &[package], [])
            .ok()?
            .installed
            .version,
    )
    .ok()
}

/// The question in Classic's terms.
pub(super) fn classic(package: &Package, question: &UpgradeQuestion) -> Options {
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

/// The question in OLM v1's terms.
pub(super) fn v1(question: &UpgradeQuestion) -> Options {
    Options {
        channels: question.channels.clone(),
        range: Some(question.range.clone()).filter(|range| !range.is_empty()),
        policy: policy(question.policy),
        ..Options::default()
    }
}

/// Classic respects requirements as OLM does, met from the bundles of the same catalog.
pub(super) fn answer(
    root: &Root,
    package: &Arc<Package>,
    origin: Origin,
    question: &UpgradeQuestion,
) -> UpgradeAnswer {
    let (version, cluster) = cluster_version(&question.cluster);
    if origin == Origin::Everyone {
        return UpgradeAnswer {
            origin,
            cluster,
            incomplete: unread_places(root),
            ..UpgradeAnswer::default()
        };
    }
    // As the command line accepts it: a bundle that the catalog lacks is given with its version.
    let known = match &origin {
        Origin::Installed(text) => installed_name::read(
            text,
            &[&**package],
            root.catalog().packages().map(|other| &**other),
        )
        .map(Some),
        _ => Ok(None),
    };
    let answer = match known {
        Ok(known) => known_answer(root, package, (origin, known), question, version),
        Err(unknown) => unknown_answer(root, origin, &unknown),
    };
    UpgradeAnswer { cluster, ..answer }
}

/// An unknown version has no answer.
fn unknown_answer(root: &Root, origin: Origin, unknown: &UnknownInstalled) -> UpgradeAnswer {
    let unknown = format!("{}: {}", unknown.reason, unknown.help);
    UpgradeAnswer {
        origin,
        unknown,
        incomplete: unread_places(root),
        ..UpgradeAnswer::default()
    }
}

fn known_answer(
    root: &Root,
    package: &Arc<Package>,
    (origin, known): (Origin, Option<InstalledName>),
    question: &UpgradeQuestion,
    cluster: Option<OpenShift>,
) -> UpgradeAnswer {
    let index = root.resolver_cache().borrow_mut().index(package);
    let installed = known.as_ref().map(|known| known.installed.clone());
    let classic = classic(package, question);
    let stocked = || {
        root.resolver_cache()
            .borrow_mut()
            .catalog_set(root.catalog().packages(), &package.name)
    };
    let catalog_set = index.needs_solver().then(stocked);
    let next_v0 = |at: Option<&Installed>, options: &Options| match &catalog_set {
        Some(catalog_set) => catalog_set.next("", &package.name, at, options),
        None => index.next(upgrade::Lens::V0, at, options),
    };
    let v1_options = v1(question);
    let reply = |options: &Options, resolver: Resolver<'_>| {
        let question = ask::Question {
            package: &package.name,
            installed: installed.as_ref(),
            options,
            resolver,
            offers: vec![Offer {
                catalog: "",
                package,
            }],
        };
        ask::ask(&question, Reach::WholePath)
    };
    let resolver = match &catalog_set {
        Some(catalogs) => Resolver::Requirements {
            catalogs,
            source: "",
        },
        None => Resolver::Edges(&index),
    };
    let mut v0 = path(Lens::V0, &reply(&classic, resolver));
    let only = [upgrade::v1::Catalog::only(&index)];
    let resolver = Resolver::V1 {
        catalogs: &only,
        selector: None,
    };
    let mut v1 = path(Lens::V1, &reply(&v1_options, resolver));
    if let Some(known) = &known {
        if let Err(unknown) = known.confirm(!v0.steps.is_empty() || !v1.steps.is_empty()) {
            return unknown_answer(root, origin, &unknown);
        }
        for path in [&mut v0, &mut v1] {
            path.notes.splice(0..0, known.notes.iter().cloned());
        }
    }
    v0.notes.extend(approval_remark(question.approval, &v0));
    if let Some(version) = cluster {
        let installed = installed.as_ref().map(|installed| &*installed.name);
        [&mut v0, &mut v1]
            .into_iter()
            .for_each(|path| mark_on_cluster(path, version, package, installed));
    }
    if let Some(installed) = &installed {
        let is_stuck = |path: &UpgradePath, lens, options: &Options| {
            path.steps.is_empty() && !index.is_at_end(lens, installed, options)
        };
        v0.is_stuck = is_stuck(&v0, upgrade::Lens::V0, &classic);
        v1.is_stuck = is_stuck(&v1, upgrade::Lens::V1, &v1_options);
    }
    let mut difference = difference(&v0, &v1, installed.as_ref());
    if let (false, true, Some(channel)) = (
        difference.is_empty(),
        question.channels.is_empty(),
        classic.channels.first(),
    ) {
        let options = Options {
            channels: vec![channel.clone()],
            ..v1_options
        };
        let on_it = index.next(upgrade::Lens::V1, installed.as_ref(), &options);
        if let Some(step) = on_it
            .next
            .filter(|step| v1.next().is_none_or(|next| *next.name != *step.name))
        {
            let name = &step.name;
            difference.push_str(&format!(
                " OLM v1 looks at every channel; with channel `{channel}` alone it would go to `{name}`."
            ));
        }
    }
    let mut seen = HashSet::new();
    let channel_names = package
        .channels
        .iter()
        .map(|channel| &channel.name.value)
        .filter(|name| seen.insert(*name));
    let channels = channel_names
        .map(|name| {
            let is_at_end = |options: &Options| {
                let is_end = |installed| index.is_at_end(upgrade::Lens::V0, installed, options);
                installed.as_ref().is_some_and(is_end)
            };
            on_channel(package, name, is_at_end, |options| {
                next_v0(installed.as_ref(), options)
            })
        })
        .collect();
    let incomplete = unread_places(root);
    UpgradeAnswer {
        origin,
        v0,
        v1,
        difference,
        channels,
        incomplete,
        ..UpgradeAnswer::default()
    }
}

/// The path as the page shows it, with remarks of OLM v1 on its steps.
fn path(lens: Lens, reply: &Reply) -> UpgradePath {
    let condition_remarks = remarks(&reply.conditions)
        .into_iter()
        .map(|remark| format!("Deprecation conditions of the ClusterExtension: {remark}."));
    let refusals = reply
        .refusals
        .iter()
        .map(|refusal| format!("{}.", refusal.sentence()));
    let error = reply.error.as_ref();
    UpgradePath {
        lens,
        steps: reply.steps.iter().map(step).collect(),
        looped: reply.looped,
        end: reply.end.clone(),
        error_kind: error.map_or_else(String::new, |error| error.kind.as_str().to_owned()),
        error: error.map(|error| error.text.clone()),
        conditions: conditions(&reply.conditions),
        notes: condition_remarks.chain(refusals).collect(),
        ..UpgradePath::default()
    }
}

/// The status conditions of deprecations on the way.
fn conditions(points: &[ConditionsAt]) -> Vec<StatusCondition> {
    merge_conditions(points)
        .into_iter()
        .map(|(condition, holds_at)| StatusCondition {
            kind: condition.kind.as_str().to_owned(),
            message: condition.message.clone(),
            when: when(&holds_at, points),
        })
        .collect()
}

fn step(step: &ask::Step) -> PathStep {
    let Successor {
        name,
        version,
        channel,
        edge,
        ..
    } = &step.successor;
    PathStep {
        name: name.to_string(),
        version: version.to_string(),
        channel: channel.to_string(),
        edge: edge.as_str().to_owned(),
        why: step.why.clone(),
        on_cluster: String::new(),
    }
}

/// The effect of the approval mode on the steps.
fn approval_remark(approval: Approval, path: &UpgradePath) -> Option<String> {
    manifest_approval(approval).remark(&path.next()?.name, path.steps.len() > 1)
}

fn on_channel(
    package: &Package,
    channel: &str,
    is_at_end: impl Fn(&Options) -> bool,
    next: impl Fn(&Options) -> Answer,
) -> ChannelAnswer {
    let options = Options {
        channels: vec![channel.to_owned()],
        ..Options::default()
    };
    let answer = next(&options);
    let next = answer.next.as_ref();
    ChannelAnswer {
        channel: channel.to_owned(),
        is_default: channel == package.default_channel(),
        next: next.map_or_else(String::new, |step| step.name.to_string()),
        version: next.map_or_else(String::new, |step| step.version.to_string()),
        error: answer.error.map_or_else(String::new, |error| error.text),
        is_stuck: answer.next.is_none() && !is_at_end(&options),
    }
}

/// The difference between the two answers; "" if they lead to the same version.
fn difference(v0: &UpgradePath, v1: &UpgradePath, installed: Option<&Installed>) -> String {
    let name = |path: &UpgradePath| path.next().map(|step| step.name.clone());
    let end = |path: &UpgradePath| path.steps.last().map(|step| step.name.clone());
    let fails = |path: &UpgradePath| path.steps.is_empty() && path.error.is_some();
    let last = |path: &UpgradePath| {
        end(path).map_or_else(|| "stays".to_owned(), |name| format!("ends at `{name}`"))
    };
    if name(v0) == name(v1) && fails(v0) == fails(v1) {
        return match end(v0) == end(v1) {
            true => String::new(),
            false => format!(
                "The next step is the same, but later Classic {} and OLM v1 {}.",
                last(v0),
                last(v1)
            ),
        };
    }
    let quoted = |name: &str| format!("`{name}`");
    let installed = installed.map(|installed| quoted(&installed.name));
    let goes = |path: &UpgradePath| {
        let next = path.next().map(|step| quoted(&step.name));
        let start = PathStart {
            next: next.as_deref(),
            installed: installed.as_deref(),
            error: &path.error_kind,
            is_stuck: path.is_stuck,
        };
        Destination::from(start).to_string()
    };
    format!("Classic: {}; OLM v1: {}.", goes(v0), goes(v1))
}

/// The version that a text contains, and its view for the page; `None` for "".
pub(super) fn cluster_version(text: &str) -> (Option<OpenShift>, ClusterView) {
    if text.is_empty() {
        return (None, ClusterView::default());
    }
    match openshift::parse_cluster(text) {
        Ok(version) => {
            let kubernetes = kubernetes(version).unwrap_or_default();
            (
                Some(version),
                ClusterView {
                    openshift: version.to_string(),
                    kubernetes,
                    error: String::new(),
                },
            )
        }
        Err(reason) => {
            let error = format!("{reason}: write it as 4.18 or 4.18.3");
            (
                None,
                ClusterView {
                    error,
                    ..ClusterView::default()
                },
            )
        }
    }
}

/// Adds the consequences for the cluster to a path that begins with the installed version.
fn mark_on_cluster(
    path: &mut UpgradePath,
    version: OpenShift,
    package: &Package,
    installed: Option<&str>,
) {
    let lens = match path.lens {
        Lens::V0 => upgrade::Lens::V0,
        Lens::V1 => upgrade::Lens::V1,
    };
    let steps = path.steps.iter().map(|step| step.name.as_str());
    let names = installed.into_iter().chain(steps).map(Into::into);
    let on = PathOnCluster::new(Cluster { version, lens }, std::iter::once(package), names);
    let next = path.next().map(|step| step.name.as_str());
    let messages = NextStepOnCluster::new(&on, installed, next).messages;
    let remarks = on
        .remarks()
        .into_iter()
        .skip(usize::from(installed.is_some()));
    for (step, remark) in path.steps.iter_mut().zip(remarks) {
        step.on_cluster = remark;
    }
    path.on_cluster = messages;
}

pub(crate) fn range_view(package: &Package, question: &UpgradeQuestion) -> RangeView {
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

pub(crate) fn install_manifests(
    session: &Session,
    request: &InstallRequest,
) -> Result<Result<InstallManifests, InstallRefusal>, Refused> {
    let written = manifests(session, request)?;
    Ok(written
        .map(|written| InstallManifests {
            yaml: written.yaml(),
            remarks: written.remarks().map(str::to_owned).collect(),
            bundle: written.bundle,
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
    let name = request.catalog_name.clone();
    let catalog = match &request.image {
        Some(image) => CatalogOnCluster::Added {
            image: image.clone(),
            name: Some(name),
        },
        None => CatalogOnCluster::Existing { name },
    };
    let tried = manifests::InstallRequest {
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
            let asked = Classic {
                channel: request.channels.first().map(String::as_str),
                approval: manifest_approval(request.approval),
                starting_csv: Some(&request.starting_csv),
                catalog_namespace: Some(&request.catalog_namespace),
                target_namespaces: &request.target_namespaces,
            };
            manifests::classic(tried, asked, &document)
        }
        Lens::V1 => {
            let asked = V1 {
                channels: &request.channels,
                range: Some(&request.range),
                policy: policy(request.policy),
                service_account: Some(&request.service_account),
            };
            manifests::v1(tried, asked, &document)
        }
    })
}

pub(super) fn manifest_approval(approval: Approval) -> manifests::Approval {
    match approval {
        Approval::Automatic => manifests::Approval::Automatic,
        Approval::Manual => manifests::Approval::Manual,
    }
}

pub(super) fn policy(policy: Policy) -> upgrade::Policy {
    match policy {
        Policy::CatalogProvided => upgrade::Policy::CatalogProvided,
        Policy::SelfCertified => upgrade::Policy::SelfCertified,
    }
}
