//! `deprecate` and `undeprecate`, at three scopes: package, channel, bundle.
//!
//! Creates the package's `olm.deprecations` blob if there is none, and removes it with its last
//! deprecation.

use super::channel_draft::ENTRIES_AFTER;
use super::{CatalogView, PlanResult, PlanStep, Refused, catalog_view, did_you_mean};
use crate::item_change::append;
use crate::patch::{Patch, Value, path};

use catalog::model::{DeprecationsBlob, Located, Package};
use serde_json::json;

pub(super) fn deprecate(
    view: &CatalogView<'_>,
    package: &str,
    channel: Option<&str>,
    bundle: Option<&str>,
    message: &str,
) -> PlanResult {
    let package = view.package(package)?;
    let scope = Scope::new(channel, bundle)?;
    scope.check_exists(view, package)?;
    // `opm` refuses an empty message.
    if message.trim().is_empty() {
        return Err(
            refused!("the deprecation of {} has no message", scope.describe())
                .help("say what users should know: why it goes away, and what to use instead"),
        );
    }
    let entry = json!({ "reference": scope.reference(), "message": message });
    let Some(blob) = single_blob(view, package)? else {
        let value = json!({
            "schema": "olm.deprecations",
            "package": &*package.name,
            "entries": [entry],
        });
        return Ok(vec![catalog_view::add_first_of_schema(
            view,
            package,
            "deprecations",
            value,
        )?]);
    };
    let positions = scope.find(blob);
    let patch = match positions.as_slice() {
        [] => append("entries", blob.entries.len(), entry, ENTRIES_AFTER),
        [at] if blob.entries[*at].message.as_str() == message => return Ok(Vec::new()),
        [at] => Patch::put(path!["entries", *at, "message"], message, &["reference"]),
        [_, second, ..] => {
            return Err(
                refused!("{} is deprecated more than once", scope.describe())
                    .help("remove the deprecations first")
                    .at(view.locate(blob, blob.entries[*second].place)),
            );
        }
    };
    Ok(vec![PlanStep::patch(blob, vec![patch])])
}

pub(super) fn undeprecate(
    view: &CatalogView<'_>,
    package: &str,
    channel: Option<&str>,
    bundle: Option<&str>,
) -> PlanResult {
    let package = view.package(package)?;
    let scope = Scope::new(channel, bundle)?;
    let not_deprecated = || {
        Refused::new(match &scope {
            Scope::Package => format!("package `{}` is not deprecated", package.name),
            scope => format!(
                "{} of package `{}` is not deprecated",
                scope.describe(),
                package.name
            ),
        })
    };
    let Some(blob) = single_blob(view, package)? else {
        return Err(not_deprecated().help("the package has no deprecations"));
    };
    let positions = scope.find(blob);
    if positions.is_empty() {
        let names = blob.entries.iter().map(|e| e.name.as_str());
        let near = scope
            .name()
            .map_or(String::new(), |name| did_you_mean(name, names, ""));
        return Err(not_deprecated()
            .help(near)
            .at(view.locate(blob, blob.place)));
    }
    Ok(vec![remove_positions(blob, positions)])
}

/// Removes every deprecation of an object that is being removed, in any blob.
pub(super) fn remove_deprecations(package: &Package, scope: &Scope<'_>) -> Vec<PlanStep> {
    let by_blob = package
        .deprecations
        .iter()
        .map(|blob| (blob, scope.find(blob)));
    by_blob
        .filter(|(_, positions)| !positions.is_empty())
        .map(|(blob, positions)| remove_positions(blob, positions))
        .collect()
}

/// Returns the step that removes these entries (ascending) from the blob, or the blob if none
/// remains.
pub(super) fn remove_positions(
    blob: &Located<DeprecationsBlob>,
    positions: Vec<usize>,
) -> PlanStep {
    if positions.len() == blob.entries.len() {
        return PlanStep::remove(blob);
    }
    let patches = positions.into_iter().rev();
    let patches = patches.map(|at| Patch::remove(path!["entries", at]));
    PlanStep::patch(blob, patches.collect())
}

/// Returns the step that makes these deprecations refer to another name.
pub(super) fn rename_references(
    blob: &Located<DeprecationsBlob>,
    positions: Vec<usize>,
    name: &str,
) -> PlanStep {
    let renamed = |at: usize| Patch::set(path!["entries", at, "reference", "name"], name);
    PlanStep::patch(blob, positions.into_iter().map(renamed).collect())
}

pub(super) enum Scope<'a> {
    Package,
    Channel(&'a str),
    Bundle(&'a str),
}

impl<'a> Scope<'a> {
    fn new(channel: Option<&'a str>, bundle: Option<&'a str>) -> Result<Self, Refused> {
        match (channel, bundle) {
            (None, None) => Ok(Scope::Package),
            (Some(channel), None) => Ok(Scope::Channel(channel)),
            (None, Some(bundle)) => Ok(Scope::Bundle(bundle)),
            (Some(_), Some(_)) => Err(Refused::new("both a channel and a bundle are given")
                .help("use one operation for each")),
        }
    }

    fn check_exists(&self, view: &CatalogView<'_>, package: &Package) -> Result<(), Refused> {
        let (name, kind, names): (&str, &str, Vec<&str>) = match self {
            Scope::Package => return Ok(()),
            Scope::Channel(name) => (
                name,
                "channel",
                package.channels.iter().map(|c| c.name.as_str()).collect(),
            ),
            Scope::Bundle(name) => (
                name,
                "bundle",
                package.bundles.iter().map(|b| b.name.as_str()).collect(),
            ),
        };
        if names.contains(&name) {
            return Ok(());
        }
        let listed = format!("`switchyard list {kind}s` lists them");
        Err(
            refused!("package `{}` has no {kind} `{name}`", package.name)
                .help(did_you_mean(name, names, &listed))
                .at(view.locate_definition(package)),
        )
    }

    fn schema(&self) -> &'static str {
        match self {
            Scope::Package => "olm.package",
            Scope::Channel(_) => "olm.channel",
            Scope::Bundle(_) => "olm.bundle",
        }
    }

    fn name(&self) -> Option<&'a str> {
        match self {
            Scope::Package => None,
            Scope::Channel(name) | Scope::Bundle(name) => Some(name),
        }
    }

    fn reference(&self) -> Value {
        match self.name() {
            None => json!({ "schema": self.schema() }),
            Some(name) => json!({ "schema": self.schema(), "name": name }),
        }
    }

    fn describe(&self) -> String {
        match self {
            Scope::Package => "the package itself".to_owned(),
            Scope::Channel(name) => format!("channel `{name}`"),
            Scope::Bundle(name) => format!("bundle `{name}`"),
        }
    }

    /// Returns the positions of the deprecations for this object. A package is identified by the
    /// schema alone, whatever its `name`.
    pub fn find(&self, blob: &DeprecationsBlob) -> Vec<usize> {
        blob.entries
            .iter()
            .enumerate()
            .filter(|(_, e)| {
                e.schema.as_str() == self.schema()
                    && self.name().is_none_or(|name| e.name.as_str() == name)
            })
            .map(|(i, _)| i)
            .collect()
    }
}

fn single_blob<'a>(
    view: &CatalogView<'_>,
    package: &'a Package,
) -> Result<Option<&'a Located<DeprecationsBlob>>, Refused> {
    match package.deprecations.as_slice() {
        [] => Ok(None),
        [one] => Ok(Some(one)),
        [_, second, ..] => Err(refused!(
            "package `{}` has more than one `olm.deprecations` blob",
            package.name
        )
        .help("merge them into one first")
        .at(view.locate(second, second.package.place))),
    }
}
