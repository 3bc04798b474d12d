//! A bundle's requirements with the bundles of the catalog that meet them, and its dependents. OLM Classic installs a
//! bundle only together with bundles that meet all its requirements.

use super::InspectionSubject;
use super::property::{is_required, property_facts};
use fbc::model::{BundleBlob, Located, Package};
use fbc::upgrade::resolve::{Constraint, Offered};
use fbc::version::Version;
use protocol::counting::count_of;
use protocol::inspection::Fact;
use serde_json::Value;
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// Most packages that are listed for a requirement.
const NAMED: usize = 3;

/// One fact per requirement; its note lists what meets it, if anything does.
pub(super) fn requirement_facts(
    subject: InspectionSubject<'_>,
    blob: &Located<BundleBlob>,
    document: Option<&Value>,
) -> Vec<Fact> {
    let facts = property_facts(subject, blob, document)
        .into_iter()
        .zip(&blob.properties);
    let required = facts.filter(|(fact, _)| is_required(&fact.label));
    let facts = required.map(|(fact, property)| {
        let value = property.value.as_deref().unwrap_or_default();
        let Some(constraint) = Constraint::from_property(&property.kind, value) else {
            return fact;
        };
        let by = met_by(subject, blob, &constraint, value);
        let answer = match by.as_slice() {
            [] => unmet(subject, &property.kind, value),
            by => format!("Met under Classic by {}", met_by_names(by)),
        };
        let note = if fact.note.is_empty() {
            answer
        } else {
            format!("{answer}. Its message: {}", fact.note)
        };
        Fact { note, ..fact }
    });
    or_none(facts.collect())
}

/// An explicit fact if there are no requirements.
fn or_none(mut facts: Vec<Fact>) -> Vec<Fact> {
    if facts.is_empty() {
        facts.push(Fact::default());
    }
    facts
}

/// The other packages with a bundle that requires one of these bundles, which belong to the package in view.
pub(super) fn required_by<'b>(
    subject: InspectionSubject<'_>,
    bundles: impl Iterator<Item = &'b BundleBlob> + Clone,
) -> Vec<Fact> {
    let own = subject.package;
    let parts: BTreeSet<&str> = bundles.clone().flat_map(offered_parts).collect();
    let requires = |bundle: &BundleBlob| {
        bundle
            .properties
            .iter()
            .filter(|property| is_required(&property.kind))
            .any(|property| {
                let value = property.value.as_deref().unwrap_or_default();
                let may_be = asks_for_anything(value)
                    || value.contains(&*own.name)
                    || parts.iter().any(|part| value.contains(part));
                may_be
                    && Constraint::from_property(&property.kind, value).is_some_and(|constraint| {
                        bundles.clone().any(|bundle| {
                            constraint.is_met_by(&Offered::from_bundle(&own.name, bundle))
                        })
                    })
            })
    };
    let mut facts = Vec::new();
    for package in subject
        .catalog()
        .packages()
        .filter(|package| package.name != own.name)
    {
        let mut by: Vec<&Located<BundleBlob>> = package
            .bundles
            .iter()
            .filter(|bundle| requires(bundle))
            .collect();
        by.sort_by(|a, b| by_version(a, b));
        let Some(best) = by.last() else { continue };
        let name = &best.name.value;
        let note = match by.len() - 1 {
            0 => format!("by `{name}`"),
            more => format!("by `{name}` and {}", count_of(more, "other version")),
        };
        // A template's line belongs to the package in view.
        let location = subject
            .catalog()
            .location(best.file, best.index, best.place);
        let location = subject.made.is_none().then_some(location);
        facts.push(Fact {
            label: String::new(),
            value: package.name.to_string(),
            note,
            location,
        });
    }
    or_none(facts)
}

/// A package that meets a requirement: its best bundle that does, and the number of others.
struct Supplier {
    bundle: String,
    others: usize,
}

/// Every package with a bundle that meets it. Of its own package only the bundle itself counts: no other can be
/// installed beside it.
fn met_by(
    subject: InspectionSubject<'_>,
    own: &BundleBlob,
    constraint: &Constraint,
    value: &str,
) -> Vec<Supplier> {
    let mut by = Vec::new();
    for package in subject.catalog().packages() {
        let is_own = package.name == subject.package.name;
        let meets = package.bundles.iter().filter(|bundle| {
            (!is_own || bundle.name.value == own.name.value)
                && may_meet(package, bundle, value)
                && constraint.is_met_by(&Offered::from_bundle(&package.name, bundle))
        });
        let mut meets: Vec<&BundleBlob> = meets.map(|bundle| &**bundle).collect();
        meets.sort_by(|a, b| by_version(a, b));
        if let Some(best) = meets.last() {
            by.push(Supplier {
                bundle: best.name.value.to_string(),
                others: meets.len() - 1,
            });
        }
    }
    by
}

/// Bundles without a version come first.
fn by_version(a: &BundleBlob, b: &BundleBlob) -> Ordering {
    match (Version::parse(a.version()), Version::parse(b.version())) {
        (Ok(a), Ok(b)) => a.cmp_precedence(&b),
        (a, b) => a.is_ok().cmp(&b.is_ok()),
    }
}

/// A cheap filter: the text of a bundle that meets a requirement contains the required package, group or label. A CEL
/// rule can match any bundle.
fn may_meet(package: &Package, bundle: &BundleBlob, value: &str) -> bool {
    asks_for_anything(value)
        || value.contains(&*package.name)
        || offered_parts(bundle).any(|part| value.contains(part))
}

fn asks_for_anything(value: &str) -> bool {
    value.contains("\"cel\"") || value.contains("\"not\"")
}

/// Strings that the text of every dependent on an API or label of the bundle contains.
fn offered_parts(bundle: &BundleBlob) -> impl Iterator<Item = &str> {
    let offers = bundle
        .properties
        .iter()
        .filter(|property| matches!(&*property.kind, "olm.gvk" | "olm.label"));
    let parts =
        offers.flat_map(|property| quoted_parts(property.value.as_deref().unwrap_or_default()));
    parts.filter(|part| part.len() > 2)
}

/// The strings of a compact JSON value, including field names, as written.
fn quoted_parts(json: &str) -> impl Iterator<Item = &str> {
    json.split('"')
        .skip(1)
        .step_by(2)
        .filter(|part| !matches!(*part, "group" | "version" | "kind" | "label"))
}

fn met_by_names(by: &[Supplier]) -> String {
    let one = |met: &Supplier| match met.others {
        0 => format!("`{}`", met.bundle),
        more => format!("`{}` and {}", met.bundle, count_of(more, "other version")),
    };
    let mut parts: Vec<String> = by.iter().take(NAMED).map(one).collect();
    match by.len().saturating_sub(NAMED) {
        0 => {}
        more => parts.push(count_of(more, "more package")),
    }
    parts.join("; ")
}

/// The missing part, if known.
fn unmet(subject: InspectionSubject<'_>, kind: &str, value: &str) -> String {
    let name = match kind {
        "olm.package.required" => serde_json::from_str::<Value>(value)
            .ok()
            .and_then(|value| Some(value.get("packageName")?.as_str()?.to_owned())),
        _ => None,
    };
    match name {
        Some(name) if subject.catalog().package(&name).is_some() => {
            format!("Unmet: this catalog’s `{name}` has no version in the range")
        }
        Some(name) => format!("Unmet: this catalog has no package `{name}`"),
        None => "Unmet: no bundle of this catalog has it".to_owned(),
    }
}
