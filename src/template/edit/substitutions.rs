//! Edits the substitutions of a substitutes template.
//!
//! A substitution replaces a bundle, given by its image, with another in every channel. It
//! expresses the operation *substitute*, *withdraw* in favour of an unlisted bundle, and the
//! removal of such a bundle. Everything else changes the template's entries.

use super::{EditTarget, not_expressible};
use catalog::model::Substitutes;
use edit::item_change::Fields;
use edit::patch::{Patch, path};
use edit::plan::{self, Refused, did_you_mean};
use edit::refused;
use protocol::operation::EditOp;
use serde_json::json;

const LIST: &str = "substitutions";

const TEMPLATE: &str = "substitution";

const HELP: &str = "remove the substitution, or convert the template to a basic one, which has the edges as they are rendered";

/// Returns the change of the substitutions that an operation means; `None` if it concerns the
/// entries.
pub(super) fn plan(
    op: &EditOp,
    target: &EditTarget<'_>,
    template: &Substitutes,
) -> Result<Option<Patch>, Refused> {
    let find = |bundle: &str| find_by_bundle(target, template, bundle);
    let base = |index: usize| template.substitutions[index].base.as_str();
    Ok(match op {
        EditOp::Substitute {
            package,
            bundle,
            by: Some(by),
            image,
            ..
        } => {
            let by = image.as_ref().unwrap_or(by);
            Some(substitute(target, template, (package, bundle), by)?)
        }
        EditOp::Substitute {
            bundle, by: None, ..
        } => {
            let index = find_by_base(template, bundle).or_else(|| find(bundle));
            let index = index.ok_or_else(|| {
                let bases = template
                    .substitutions
                    .iter()
                    .map(|substitution| substitution.base.as_str());
                let help = did_you_mean(bundle, bases, "name the bundle that is substituted");
                refused!("no substitution takes the place of `{bundle}`").help(help)
            })?;
            Some(remove(index))
        }
        EditOp::Withdraw {
            package,
            bundle,
            by: Some(by),
            channel,
            ..
        } => {
            let package = target.catalog.package(package);
            let package = package.filter(|package| {
                !package.channels.iter().any(|channel| channel.has_entry(by))
                    && target.bundles.find_open(by).is_some()
            });
            let Some(package) = package else {
                return Ok(None);
            };
            let mut lists = package
                .channels
                .iter()
                .filter(|channel| channel.has_entry(bundle));
            if !channel.is_empty()
                && lists.any(|list| !channel.iter().any(|name| *name == *list.name.value))
            {
                return Err(not_expressible(
                    TEMPLATE,
                    "a substitution is made in every channel that lists the bundle",
                    HELP,
                ));
            }
            Some(substitute(target, template, (&package.name, bundle), by)?)
        }
        EditOp::RemoveBundle { bundle, .. } => find(bundle).map(remove),
        EditOp::RemoveEntry { name, .. } => {
            let Some(index) = find(name) else {
                return Ok(None);
            };
            let channels = target
                .catalog
                .packages()
                .flat_map(|package| &package.channels);
            if channels
                .filter(|channel| channel.has_entry(base(index)))
                .count()
                > 1
            {
                let why = format!(
                    "`{name}` is in every channel that lists `{}`, which it takes the place of",
                    base(index)
                );
                return Err(not_expressible(TEMPLATE, &why, HELP));
            }
            Some(remove(index))
        }
        EditOp::SetImage {
            bundle: Some(bundle),
            image,
            ..
        } => {
            let Some(index) = find(bundle) else {
                return Ok(None);
            };
            plan::check_image(image)?;
            Some(set_image(index, image))
        }
        EditOp::Promote { bundle: name, .. }
        | EditOp::SetReplaces { name, .. }
        | EditOp::AddSkip { name, .. }
        | EditOp::RemoveSkip { name, .. }
        | EditOp::SetSkipRange { name, .. } => match find(name) {
            None => None,
            Some(index) => {
                let why = format!(
                    "`{name}` has the edges of `{}`, which it takes the place of",
                    base(index)
                );
                return Err(not_expressible(TEMPLATE, &why, HELP));
            }
        },
        _ => None,
    })
}

fn substitute(
    target: &EditTarget<'_>,
    template: &Substitutes,
    (package, base): (&str, &str),
    by: &str,
) -> Result<Patch, Refused> {
    let package = target.catalog.package(package).ok_or_else(|| {
        let names = target.catalog.packages().map(|package| &*package.name);
        let help = did_you_mean(package, names, "name the template's package");
        refused!("package `{package}` not found").help(help)
    })?;
    if package.bundle(base).is_none() && find_by_bundle(target, template, base).is_none() {
        let names = package.bundles.iter().map(|bundle| bundle.name.as_str());
        let help = "a substitution takes the place of a bundle of the template";
        return Err(
            refused!("the template has no bundle `{base}`").help(did_you_mean(base, names, help))
        );
    }
    // An open bundle may be given by its name.
    let open = target.bundles.find_open(by);
    let image = open.map_or_else(|| by.to_owned(), |open| open.image);
    plan::check_image(&image)?;
    match find_by_base(template, base) {
        Some(index) => Ok(set_image(index, &image)),
        None => add(target, &image, base),
    }
}

/// Returns the index of the substitution that introduces a bundle, if that bundle is open.
fn find_by_bundle(target: &EditTarget<'_>, template: &Substitutes, bundle: &str) -> Option<usize> {
    if template.substitutions.is_empty() {
        return None;
    }
    let image = target.bundles.reference_of(bundle)?;
    let mut substitutions = template.substitutions.iter();
    substitutions.position(|substitution| substitution.name.as_str() == image)
}

fn find_by_base(template: &Substitutes, base: &str) -> Option<usize> {
    let mut substitutions = template.substitutions.iter();
    substitutions.position(|substitution| substitution.base.as_str() == base)
}

fn remove(index: usize) -> Patch {
    Patch::remove(path![LIST, index])
}

fn set_image(index: usize, image: &str) -> Patch {
    Patch::set(path![LIST, index, "name"], image)
}

/// Adds a substitution that replaces `base` with the bundle of `image`.
fn add(target: &EditTarget<'_>, image: &str, base: &str) -> Result<Patch, Refused> {
    let tree =
        syntax::parse(target.text, target.format).map_err(|error| Refused::new(error.opm))?;
    let fields = Fields {
        tree: &tree,
        text: target.text,
    };
    let item = json!({ "name": image, "base": base });
    Ok(match tree.root().and_then(|root| fields.list(root, LIST)) {
        Some(items) => Patch::insert_item(path![LIST], items.len(), item),
        None => Patch::put(path![LIST], vec![item], &["schema", "entries"]),
    })
}
