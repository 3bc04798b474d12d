//! OpenShift and Kubernetes versions: I19 (M1, M2, M4, M5, K1 and K2 of `olm-resolution` section 4; M3 needs the next
//! catalog and is in the matrix).

use super::context::{CheckedChannel, Context};
use super::{Findings, Invariant, Severity};
use crate::compare::cluster_limit::{Limit, OpenShift, kubernetes_minor, min_kube};
use crate::hashed::HashMap;
use crate::model::Package;
use crate::place::Text;
use crate::upgrade::Lens;

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
    kubernetes(context, findings, package, cluster);
    if limits.values().all(|limit| *limit == Limit::None) {
        return;
    }
    for channel in context.present() {
        for entry in &channel.new {
            let name = &entry.name.value;
            match limits.get(name) {
                Some(Limit::Unreadable(reason)) => {
                    let message = format!(
                        "no cluster that runs `{name}` can be upgraded: olm.maxOpenShiftVersion: {reason}"
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
        falls(context, findings, channel, &limits);
        if let Some(cluster) = cluster {
            no_way_out(context, findings, channel, &limits, cluster);
        }
    }
}

/// K1: a minimum above the catalog's cluster version; K2: a minimum that falls between a version
/// and its next.
fn kubernetes(
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
            let Some(step) = channel.v0(number).and_then(|path| path.next.as_ref()) else {
                continue;
            };
            let (name, next) = (context.name(number), context.name(step.to));
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

/// M4: a limit that falls between a version and its next.
fn falls(
    context: &Context<'_>,
    findings: &mut Findings<'_>,
    channel: &CheckedChannel<'_>,
    limits: &HashMap<&Text, Limit>,
) {
    for &number in &channel.installed {
        let Some(step) = channel.v0(number).and_then(|path| path.next.as_ref()) else {
            continue;
        };
        let (name, next) = (context.name(number), context.name(step.to));
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

/// M2: no version on the path unblocks the cluster.
fn no_way_out(
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
    let mut free: HashMap<u32, bool> = HashMap::default();
    for &start in &channel.installed {
        let mut way = Vec::new();
        let mut at = Some(start);
        let found = loop {
            let Some(here) = at else { break false };
            if let Some(&known) = free.get(&here) {
                break known;
            }
            if !blocks(here) {
                break true;
            }
            free.insert(here, false);
            way.push(here);
            at = channel
                .v0(here)
                .and_then(|path| path.next.as_ref())
                .map(|step| step.to);
        };
        way.into_iter().for_each(|number| {
            free.insert(number, found);
        });
        if !found {
            let name = context.name(start);
            let next = cluster.next();
            let message = format!(
                "whoever runs `{name}` cannot move to OpenShift {next}: no update of it allows that"
            );
            findings.add(channel.name(), &name, message, String::new());
        }
    }
}
