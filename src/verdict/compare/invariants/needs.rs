//! Requirements between bundles (I16), and on OpenShift and Kubernetes versions (I19: M1, M2, M4,
//! M5, K1 and K2 of `olm-resolution` section 4; M3 needs the next catalog and is in the matrix).

use super::context::{CheckedChannel, Context};
use super::{Findings, Invariant, Severity};
use crate::compare::Touched;
use crate::compare::cluster::first_unblocked;
use catalog::Catalog;
use catalog::model::{BundleBlob, Located, Package};
use catalog::version::Version;
use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use syntax::hashed::HashMap;
use syntax::place::Text;
use upgrade::cluster::{Limit, OpenShift, kubernetes_minor, min_kube};
use upgrade::resolve::{
    CatalogSet, Constraint, Gvk, Offered, ResolverCache, required_gvk, required_package,
};
use upgrade::{ErrorKind, Lens, Options, UpgradeError, UpgradeIndex, v0};

pub static REQUIREMENT_LOST: Invariant = Invariant {
    id: "I16",
    name: "requirement-lost",
    severity: Severity::Error,
    rule: "This package still provides what other bundles of the catalog require from it, and a fresh install from \
           each channel still finds everything it requires.",
    why: "Classic installs a bundle only together with all that it requires; if that is gone, it silently installs an \
          older bundle or cannot resolve the namespace.",
    fix: "Keep an entry that provides the API in the chain, or first release versions of the \
          requiring bundles without the requirement.",
    check: requirement_lost,
};

fn requirement_lost(context: &Context<'_>, findings: &mut Findings<'_>) {
    let (Some(old), Some(new)) = (context.catalogs.old, context.catalogs.new) else {
        return;
    };
    // A catalog compared with itself loses nothing.
    if std::ptr::eq(old, new) {
        return;
    }
    let local_cache = RefCell::default();
    let resolver_cache = context.catalogs.resolver_cache.unwrap_or(&local_cache);
    check_provided(context, findings, new, resolver_cache);
    check_constraints(context, findings, new, resolver_cache);
    // Skip packages without requirements: building a `CatalogSet` is expensive.
    if !context.pair.needs_solver() {
        return;
    }
    let Some(package) = context.new_package().filter(|package| {
        package
            .bundles
            .iter()
            .any(|bundle| bundle.has_requirements())
    }) else {
        return;
    };
    let install = |catalog_set: &CatalogSet<'_>, channel: &str| {
        catalog_set.next("", &package.name, None, &Options::for_channel(channel))
    };
    let after = resolver_cache
        .borrow_mut()
        .catalog_set(new.packages(), &package.name);
    // Other packages matter here, so unchanged channels are checked too.
    let present = context
        .pair
        .channels
        .iter()
        .filter(|channel| channel.in_new)
        .map(|channel| &channel.name);
    // If the resolver gave up, the answer is unknown: do not blame the change.
    let known = |error: UpgradeError| Some(error).filter(|error| error.kind != ErrorKind::NotKnown);
    let refused: Vec<_> = present
        .filter_map(|name| Some((name, install(&after, name).error.and_then(known)?)))
        .collect();
    if refused.is_empty() {
        return;
    }
    let before = resolver_cache
        .borrow_mut()
        .catalog_set(old.packages(), &package.name);
    for (name, error) in refused {
        if install(&before, name).error.is_none() {
            let message = format!("channel `{name}` is no longer installable: {}", error.text);
            findings.add(name, name, message, String::new());
        }
    }
}

/// Whether no channel's chain changed, nor anything but channels.
fn keeps_all_chains(context: &Context<'_>) -> bool {
    let mut channels = context.channels.iter();
    context.pair.touched() == Touched::Channels && channels.all(|channel| channel.keeps_its_chain())
}

/// Reports APIs and versions that the catalog requires from this package and that only Old's chains
/// provide.
fn check_provided(
    context: &Context<'_>,
    findings: &mut Findings<'_>,
    catalog: &Catalog,
    resolver_cache: &RefCell<ResolverCache>,
) {
    if keeps_all_chains(context) {
        return;
    }
    let offer = |package: Option<&Package>, index: &UpgradeIndex| Provided::new(package, index);
    let (before, after) = (
        offer(context.pair.old, &context.pair.old_index),
        offer(context.pair.new, &context.pair.new_index),
    );
    let lost: BTreeSet<&Gvk> = before.gvks.difference(&after.gvks).collect();
    let fewer = before.versions.len() != after.versions.len()
        || before.versions.keys().ne(after.versions.keys());
    if lost.is_empty() && !fewer {
        return;
    }
    let mut resolver_cache = resolver_cache.borrow_mut();
    let others = || catalog.packages().filter(|p| p.name != context.pair.name);
    let is_provided = |gvk: &Gvk| others().any(|p| offers(p, gvk));
    for bundle in others()
        .filter(|p| resolver_cache.requires_by_name(p))
        .flat_map(|p| &p.bundles)
    {
        for property in &bundle.properties {
            let Some(value) = &property.value else {
                continue;
            };
            let message = match &*property.kind {
                "olm.gvk.required" => match required_gvk(value)
                    .filter(|gvk| lost.contains(gvk) && !is_provided(gvk))
                {
                    Some(Gvk {
                        group,
                        version,
                        kind,
                    }) => {
                        format!(
                            "`{}` cannot be installed: it requires {kind} ({group}/{version}), which no chain here provides",
                            bundle.name.value
                        )
                    }
                    None => continue,
                },
                "olm.package.required" => match required_package(value) {
                    Some((name, range)) if *name == *context.pair.name => {
                        let meets =
                            |offer: &Provided| offer.versions.values().any(|v| range.contains(v));
                        if !meets(&before) || meets(&after) {
                            continue;
                        }
                        format!(
                            "`{}` cannot be installed: it requires a version that no chain here has now: {value}",
                            bundle.name.value
                        )
                    }
                    _ => continue,
                },
                _ => continue,
            };
            findings.add(&Text::default(), &bundle.name.value, message, String::new());
        }
    }
}

/// Reports each `olm.constraint` of another package that Old's chains satisfy, but neither New's
/// nor any other package's do.
fn check_constraints(
    context: &Context<'_>,
    findings: &mut Findings<'_>,
    catalog: &Catalog,
    resolver_cache: &RefCell<ResolverCache>,
) {
    if keeps_all_chains(context) {
        return;
    }
    let others = || catalog.packages().filter(|p| p.name != context.pair.name);
    let requiring: Vec<&Package> = others()
        .filter(|package| resolver_cache.borrow_mut().requires_anything(package))
        .map(|package| &**package)
        .collect();
    let (Some(old), false) = (context.pair.old, requiring.is_empty()) else {
        return;
    };
    let before = bundles_in_channels(old, &context.pair.old_index);
    let after = context.pair.new.map_or_else(Vec::new, |new| {
        bundles_in_channels(new, &context.pair.new_index)
    });
    let stays = |bundle: &Located<BundleBlob>| {
        after
            .iter()
            .any(|other| Arc::ptr_eq(&bundle.data, &other.data))
    };
    if before.iter().all(|bundle| stays(bundle)) {
        return;
    }
    let offered = |package: &Package, bundles: &[&Located<BundleBlob>]| -> Vec<Offered> {
        bundles
            .iter()
            .map(|bundle| Offered::from_bundle(&package.name, bundle))
            .collect()
    };
    let before = offered(old, &before);
    let after = context
        .pair
        .new
        .map_or_else(Vec::new, |new| offered(new, &after));
    let meets = |constraint: &Constraint, some: &[Offered]| {
        some.iter().any(|bundle| constraint.is_met_by(bundle))
    };
    // Expensive: built only if something is lost.
    let elsewhere: OnceCell<Vec<Offered>> = OnceCell::new();
    let all = || {
        others()
            .flat_map(|package| {
                offered(
                    package,
                    &bundles_in_channels(package, &UpgradeIndex::new(package)),
                )
            })
            .collect()
    };
    for bundle in requiring.iter().flat_map(|package| &package.bundles) {
        let constraints = bundle
            .properties
            .iter()
            .filter(|property| &*property.kind == "olm.constraint");
        for value in constraints.filter_map(|property| property.value.as_ref()) {
            let Some(constraint) = Constraint::read(value) else {
                continue;
            };
            let is_lost = meets(&constraint, &before) && !meets(&constraint, &after);
            if is_lost && !meets(&constraint, elsewhere.get_or_init(all)) {
                let message = format!(
                    "`{}` cannot be installed: no chain meets its constraint now: {value}",
                    bundle.name.value
                );
                findings.add(&Text::default(), &bundle.name.value, message, String::new());
            }
        }
    }
}

fn bundles_in_channels<'a>(
    package: &'a Package,
    index: &UpgradeIndex,
) -> Vec<&'a Located<BundleBlob>> {
    let channels: BTreeSet<&Text> = package
        .channels
        .iter()
        .map(|channel| &channel.name.value)
        .collect();
    let orders = channels
        .into_iter()
        .filter_map(|channel| v0::order(index, channel).ok());
    let names: BTreeSet<Text> = orders.flatten().collect();
    package
        .bundles
        .iter()
        .filter(|bundle| names.contains(&bundle.name.value))
        .collect()
}

/// Whether a bundle of the package's chains provides the API.
fn offers(package: &Package, gvk: &Gvk) -> bool {
    let provides = |bundle: &BundleBlob| {
        let apis = bundle
            .properties
            .iter()
            .filter(|p| &*p.kind == "olm.gvk")
            .filter_map(|p| p.value.as_ref());
        apis.filter(|value| value.contains(&gvk.kind))
            .any(|value| required_gvk(value).as_ref() == Some(gvk))
    };
    // Most packages do not provide it, and need no index.
    package.bundles.iter().any(|bundle| provides(bundle))
        && Provided::new(Some(package), &UpgradeIndex::new(package))
            .gvks
            .contains(gvk)
}

/// What a package's chains provide.
#[derive(Default)]
struct Provided {
    gvks: BTreeSet<Gvk>,
    versions: BTreeMap<String, Version>,
}

impl Provided {
    fn new(package: Option<&Package>, index: &UpgradeIndex) -> Self {
        let mut offer = Self::default();
        let Some(package) = package else { return offer };
        for bundle in bundles_in_channels(package, index) {
            let gvks = bundle.properties.iter().filter(|p| &*p.kind == "olm.gvk");
            offer
                .gvks
                .extend(gvks.filter_map(|p| required_gvk(p.value.as_ref()?)));
            if let Ok(version) = Version::parse(bundle.version()) {
                offer.versions.insert(bundle.version().to_owned(), version);
            }
        }
        offer
    }
}

pub static PLATFORM: Invariant = Invariant {
    id: "I19",
    name: "platform",
    severity: Severity::Error,
    rule: "`olm.maxOpenShiftVersion` parses, is not below the catalog's OpenShift version, and is not lowered by an \
           update; every version allows the next OpenShift version or has an update that does; the catalog's clusters meet \
           `minKubeVersion`, and no update lowers it.",
    why: "OpenShift blocks the cluster's upgrade to the next minor version while an installed operator does not allow \
          that version, whether Classic or OLM v1 installed it. If no update in this catalog allows it, the \
          administrator can only remove the operator. A \
          bundle that requires a newer Kubernetes is still resolved and then stays `Pending`.",
    fix: "Write `\"MAJOR.MINOR\"` in quotes, and before the next OpenShift minor version ships, release a bundle \
          that allows it. Raise `minKubeVersion` only in updates, to a version that the catalog's clusters have.",
    check: platform,
};

fn platform(context: &Context<'_>, findings: &mut Findings<'_>) {
    let Some(package) = context.new_package() else {
        return;
    };
    let limits: HashMap<&Text, Limit> = package
        .bundles
        .iter()
        .map(|bundle| (&bundle.name.value, Limit::from_bundle(bundle, Lens::V0)))
        .collect();
    let cluster = context
        .catalogs
        .ocp
        .map(|(major, minor)| OpenShift::new(major, minor));
    check_kubernetes(context, findings, package, cluster);
    if limits.values().all(|limit| *limit == Limit::None) {
        return;
    }
    for channel in context.present() {
        for entry in &channel.new {
            let name = &entry.name.value;
            match limits.get(name) {
                Some(Limit::Unreadable(reason)) => {
                    let message = format!(
                        "no cluster that runs `{name}` can be upgraded, because of its olm.maxOpenShiftVersion: {reason}"
                    );
                    findings.add(channel.name(), name, message, String::new());
                }
                Some(Limit::UpTo(max)) if cluster.is_some_and(|cluster| *max < cluster) => {
                    let message = format!(
                        "`{name}` supports OpenShift up to {max}, below the catalog's own version"
                    );
                    findings.add(channel.name(), name, message, String::new());
                }
                _ => {}
            }
        }
        check_limit_lowered(context, findings, channel, &limits);
        if let Some(cluster) = cluster {
            check_never_unblocked(context, findings, channel, &limits, cluster);
        }
    }
}

/// Reports K1, a minimum above the catalog's cluster version, and K2, an update that lowers the
/// minimum.
fn check_kubernetes(
    context: &Context<'_>,
    findings: &mut Findings<'_>,
    package: &Package,
    cluster: Option<OpenShift>,
) {
    let asks = package
        .bundles
        .iter()
        .filter(|bundle| !bundle.min_kube_version.is_empty());
    let minima: HashMap<&Text, &Text> = asks
        .map(|bundle| (&bundle.name.value, &bundle.min_kube_version))
        .collect();
    if minima.is_empty() {
        return;
    }
    let shipped = cluster.and_then(kubernetes_minor);
    for channel in context.present() {
        for name in channel.chain().into_iter().flatten() {
            let Some(minimum) = minima.get(name) else {
                continue;
            };
            let message = match (min_kube(minimum), shipped) {
                (None, _) => format!(
                    "minKubeVersion `{minimum}` of `{name}` is not a version, so no cluster meets it"
                ),
                (Some(version), Some(minor)) if (version.major(), version.minor()) > (1, minor) => {
                    format!(
                        "`{name}` never starts: it requires Kubernetes {minimum}, the catalog's clusters have 1.{minor}"
                    )
                }
                _ => continue,
            };
            findings.add(channel.name(), name, message, String::new());
        }
        for &number in &channel.installed {
            let Some(next) = channel.pair.v0.new.next_version(number) else {
                continue;
            };
            let (name, next) = (context.name(number), context.name(next));
            let minimum = |name: &Text| min_kube(minima.get(name)?);
            let (Some(is), Some(then)) = (minimum(&name), minimum(&next)) else {
                continue;
            };
            if then.cmp_precedence(&is).is_lt() {
                let message = format!(
                    "the update from `{name}` to `{next}` lowers minKubeVersion from {is} to {then}"
                );
                findings.add(channel.name(), &name, message, String::new());
            }
        }
    }
}

/// Reports M4: an update that lowers the limit.
fn check_limit_lowered(
    context: &Context<'_>,
    findings: &mut Findings<'_>,
    channel: &CheckedChannel<'_>,
    limits: &HashMap<&Text, Limit>,
) {
    for &number in &channel.installed {
        let Some(next) = channel.pair.v0.new.next_version(number) else {
            continue;
        };
        let (name, next) = (context.name(number), context.name(next));
        let (Some(is), Some(Limit::UpTo(then))) = (limits.get(&name), limits.get(&next)) else {
            continue;
        };
        let fell = match is {
            Limit::None => true,
            Limit::UpTo(max) => then < max,
            Limit::Unreadable(_) => false,
        };
        if fell {
            let message = format!(
                "the update from `{name}` to `{next}` lowers the limit to OpenShift {then}"
            );
            findings.add(channel.name(), &name, message, String::new());
        }
    }
}

/// Reports M2: no version on the path unblocks the cluster.
fn check_never_unblocked(
    context: &Context<'_>,
    findings: &mut Findings<'_>,
    channel: &CheckedChannel<'_>,
    limits: &HashMap<&Text, Limit>,
    cluster: OpenShift,
) {
    let blocks = |number: u32| {
        limits
            .get(&context.name(number))
            .is_some_and(|limit| limit.blocks(cluster))
    };
    let unblocked = first_unblocked(&channel.pair.v0.new, blocks);
    for &start in &channel.installed {
        if blocks(start) && unblocked.get(&start).copied().flatten().is_none() {
            let name = context.name(start);
            let next = cluster.next();
            let message = format!(
                "users of `{name}` cannot move to OpenShift {next}: no update of it allows that"
            );
            findings.add(channel.name(), &name, message, String::new());
        }
    }
}
