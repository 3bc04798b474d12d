//! Plans an operation on a template: as on a catalog, but as patches of the single document that
//! contains all blobs.
//!
//! A planned change of a blob becomes the same change below `entries[N]`, so splicing, style and
//! verification work as for any blob. What a basic template does not contain (properties, the image
//! of a bundle) is refused. The lists of a semver template and the substitutions of a substitutes
//! template have their own plans.

mod semver;
mod substitutions;

use super::render::{Bundles, Missing, Options, render};
use super::unfold::TemplateBlobs;
use catalog::Catalog;
use catalog::model::{Body, Template};
use catalog::version::version_in_name;
use edit::item_change::resolve_items;
use edit::patch::{Patch, Value, path};
use edit::plan::{self, CatalogView, PlanStep, Refused};
use edit::refused;
use protocol::operation::EditOp;
use serde_json::json;
use syntax::order::SortSmall;
use syntax::tree::Format;

const ENTRIES: &str = "entries";

#[derive(Clone, Copy)]
pub struct EditTarget<'a> {
    pub template: &'a Template,
    /// The blobs of the template; `catalog` contains the same blobs.
    pub blobs: &'a TemplateBlobs,
    pub catalog: &'a Catalog,
    pub text: &'a [u8],
    pub format: Format,
    pub bundles: &'a dyn NamedBundles,
}

/// Bundles by name.
pub trait NamedBundles {
    /// Returns the reference of a bundle that the template is rendered with.
    fn reference_of(&self, bundle: &str) -> Option<String>;

    /// Returns the version of the bundle that the template is rendered with by this reference.
    fn version_of(&self, reference: &str) -> Option<String>;

    /// Finds a bundle of an open catalog.
    fn find_open(&self, bundle: &str) -> Option<BundleImage>;
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BundleImage {
    pub image: String,
    pub version: String,
}

/// A planned change of a template's document.
#[derive(Debug, Clone, PartialEq)]
pub struct TemplateEdit {
    pub patches: Vec<Patch>,
    pub requirement: Option<Requirement>,
}

/// What must hold for the rendering of the changed template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Requirement {
    /// `opm` renders it: a substitution may have a base that is not lower, or a duplicate image.
    Renders,
    DefaultChannel(String),
}

impl TemplateEdit {
    fn new(patches: Vec<Patch>) -> Self {
        Self {
            patches,
            requirement: None,
        }
    }
}

impl Requirement {
    /// Renders the changed document, and refuses it if the requirement does not hold.
    pub fn check(&self, text: &[u8], bundles: &dyn Bundles) -> Result<(), Refused> {
        let options = Options {
            missing: Missing::LeftOut,
            ..Options::default()
        };
        let rendered = render(text, bundles, options);
        match self {
            Requirement::Renders => rendered.map(drop).map_err(|refused| {
                refused!("the changed template cannot be rendered: {}", refused.message)
                    .help("a substitution replaces a bundle with a higher version; each bundle and each image may occur only once")
            }),
            Requirement::DefaultChannel(channel) => {
                let rendered = rendered.map_err(|refused| Refused::new(refused.message))?;
                check_default_channel(&rendered.blobs, channel)
            }
        }
    }
}

fn check_default_channel(blobs: &[serde_json::Value], channel: &str) -> Result<(), Refused> {
    let package = blobs.iter().find(|blob| blob["schema"] == "olm.package");
    let default = package
        .and_then(|package| package["defaultChannel"].as_str())
        .unwrap_or_default();
    if default == channel {
        return Ok(());
    }
    Err(semver::not_expressible(&format!(
        "its default channel is `{default}`, which follows from the most stable list and the highest version"
    )))
}

/// Returns the operations that a template refuses whatever their values, with the reasons.
pub fn impossible_operations(template: &Template) -> impl Iterator<Item = (&'static str, Refused)> {
    let refusal = move |name: &&'static str| Some((*name, check_possible(name, template).err()?));
    EditOp::NAMES.iter().filter_map(refusal)
}

/// Refuses an operation, by its name, that is impossible in a template whatever its values.
fn check_possible(name: &str, template: &Template) -> Result<(), Refused> {
    match (template, name) {
        (_, "replace-text") => Ok(()),
        (Template::Composite, _) => Err(Refused::new(
            "a composite template has no entries: it names other templates",
        )
        .help("edit the template of the package, or this one as text")),
        (_, "migrate") => Err(Refused::new(
            "the bundles of a template are migrated when it is rendered",
        )
        .help("render it with `--migrate-level=bundle-object-to-csv-metadata`, or migrate the rendered catalog")),
        (_, "add-package" | "remove-package") => {
            Err(Refused::new("a template defines one package")
                .help("create another template, or delete this one's file"))
        }
        (_, "copy-package") => {
            Err(Refused::new("a package can only be copied into a catalog, not into a template")
                .help("copy the file of the package's own template"))
        }
        (Template::Semver(semver), _) => semver::check_possible(name, semver),
        (Template::Basic(_), "add-property" | "remove-property") => {
            Err(Refused::new("the bundles of a template have no properties: these come with the images")
                .help(
                    "change them where the bundle's image is built, or convert the template to a substitutes template",
                )
                .convertible())
        }
        _ => Ok(()),
    }
}

/// Plans an operation other than free text.
pub fn plan(op: &EditOp, target: &EditTarget<'_>) -> Result<TemplateEdit, Refused> {
    check_possible(op.name(), target.template)?;
    match target.template {
        Template::Semver(semver) => return semver::plan(op, target, semver),
        Template::Substitutes(template) => {
            if let Some(patch) = substitutions::plan(op, target, template)? {
                return Ok(TemplateEdit {
                    patches: vec![patch],
                    requirement: Some(Requirement::Renders),
                });
            }
        }
        Template::Basic(_) | Template::Composite => {}
    }
    check_applies(op, target)?;
    let view = CatalogView {
        catalog: target.catalog,
        is_basic_template: target.is_basic(),
    };
    let steps = plan::plan(op, &view)?;
    let mut edits = EntryEdits::default();
    if let EditOp::Substitute {
        bundle,
        image: Some(image),
        ..
    } = op
        && target.is_basic()
    {
        edits.change_image(target, bundle, image)?;
    }
    for step in steps {
        edits.add(step, target)?;
    }
    Ok(TemplateEdit::new(edits.into_patches()))
}

fn not_expressible(template: &str, why: &str, help: &str) -> Refused {
    refused!("a {template} cannot express this: {why}")
        .help(help)
        .convertible()
}

impl EditTarget<'_> {
    fn is_basic(&self) -> bool {
        matches!(self.template, Template::Basic(_))
    }

    /// Returns the images of the entries, each with the index of its entry.
    fn images(&self) -> impl Iterator<Item = (usize, &str)> {
        let written = self.blobs.index.blobs.iter().take(self.blobs.written);
        written
            .enumerate()
            .filter_map(|(index, blob)| match &blob.body {
                Body::Bundle(bundle) => Some((index, bundle.image.as_str())),
                _ => None,
            })
    }

    /// Returns the entry with the image of a bundle, if the bundle is known.
    fn image_entry(&self, bundle: &str) -> Option<usize> {
        let reference = self.bundles.reference_of(bundle)?;
        self.images()
            .find(|(_, image)| *image == reference)
            .map(|(index, _)| index)
    }

    /// Returns the only entry whose image is tagged with the version in a bundle's name.
    fn tagged_entry(&self, bundle: &str) -> Option<usize> {
        let (version, _) = version_in_name(bundle)?;
        let mut tagged = self
            .images()
            .filter(|(_, image)| tag_version(image) == Some(version));
        let (index, _) = tagged.next()?;
        tagged.next().is_none().then_some(index)
    }

    /// Returns the index of the entry of a blob of the catalog. A basic template writes a bundle as
    /// its image.
    fn entry(&self, index: u32) -> Result<usize, Refused> {
        let by_name = || match &self.blobs.index.blobs.get(index as usize)?.body {
            Body::Bundle(bundle) => self.image_entry(bundle.name.as_str()),
            _ => None,
        };
        self.blobs.item(index).or_else(by_name).ok_or_else(|| {
            Refused::new("the template names this bundle in its channels only")
                .help("its properties come with its image when the template is rendered")
        })
    }
}

/// The planned changes of the entries, by current positions.
#[derive(Debug, Default)]
struct EntryEdits {
    patches: Vec<Patch>,
    /// Added items with the current position they precede; several at one position keep their
    /// order.
    added: Vec<(usize, Value)>,
    removed: Vec<usize>,
}

impl EntryEdits {
    /// Changes the image of a basic template's bundle.
    fn change_image(
        &mut self,
        target: &EditTarget<'_>,
        bundle: &str,
        image: &str,
    ) -> Result<(), Refused> {
        plan::check_image(image)?;
        let entry = target
            .image_entry(bundle)
            .or_else(|| target.tagged_entry(bundle));
        let entry = entry.ok_or_else(|| {
            refused!(
                "cannot tell which image of the template belongs to `{bundle}`"
            )
            .help("name a catalog that has the bundle with `--bundles`, or leave out the image and change it as text")
        })?;
        // Each image may be listed once.
        if target.images().any(|(_, listed)| listed == image) {
            self.removed.push(entry);
        } else {
            self.patches.push(Patch::put(
                path![ENTRIES, entry, "image"],
                image,
                &["schema"],
            ));
        }
        Ok(())
    }

    fn add(&mut self, step: PlanStep, target: &EditTarget<'_>) -> Result<(), Refused> {
        match step {
            PlanStep::Patch {
                index,
                mut patches,
                items,
                ..
            } => {
                let entry = target.entry(index)?;
                // In a basic template a bundle has only its image, so there is nothing to resolve.
                if !target.is_basic() {
                    let within = Some((ENTRIES, entry));
                    let resolved = resolve_items(target.text, target.format, within, &items);
                    let resolved = resolved
                        .map_err(|refusal| Refused::new(refusal.reason).help(refusal.help))?;
                    patches.extend(resolved);
                }
                let entry = path![ENTRIES, entry];
                self.patches
                    .extend(patches.into_iter().map(|patch| patch.below(&entry)));
            }
            PlanStep::RemoveBlob { index, .. } => self.removed.push(target.entry(index)?),
            PlanStep::AddBlob { after, value, .. } => self.add_blob(after, value, target),
            PlanStep::RemoveCopy { .. }
            | PlanStep::CreateFile { .. }
            | PlanStep::CreateText { .. }
            | PlanStep::AppendText { .. }
            | PlanStep::ReplaceText { .. } => {
                return Err(
                    Refused::new("this is not possible in a template").help("edit it as text")
                );
            }
        }
        Ok(())
    }

    /// Adds a bundle after the last bundle, and anything else after the item of blob `after`.
    fn add_blob(&mut self, after: Option<u32>, value: Value, target: &EditTarget<'_>) {
        let image = value
            .get("image")
            .filter(|_| value["schema"] == "olm.bundle");
        let blobs = target.blobs;
        let is_bundle = |index: &usize| matches!(blobs.index.blobs[*index].body, Body::Bundle(_));
        let previous = match image {
            Some(_) => (0..blobs.written).rfind(is_bundle),
            None => after.and_then(|index| blobs.item(index)),
        };
        let index = previous.map_or(blobs.written, |item| item + 1);
        let value = match image.filter(|_| target.is_basic()) {
            // The image provides the rest of the bundle.
            Some(image) => json!({ "schema": "olm.bundle", "image": image }),
            None => value,
        };
        self.added.push((index, value));
    }

    fn into_patches(self) -> Vec<Patch> {
        let Self {
            mut patches,
            mut added,
            removed,
        } = self;
        added.sort_small_by_key(|(at, _)| *at);
        // Added items shift those after them.
        let shift = |item: usize| item + added.iter().filter(|(at, _)| *at <= item).count();
        let mut removed: Vec<usize> = removed.into_iter().map(shift).collect();
        removed.sort_small_by(|a, b| b.cmp(a));
        // Last one first, so that positions stay valid.
        let added = added.into_iter().rev();
        patches.extend(added.map(|(at, value)| Patch::insert_item(path![ENTRIES], at, value)));
        patches.extend(
            removed
                .into_iter()
                .map(|item| Patch::remove(path![ENTRIES, item])),
        );
        patches
    }
}

/// Returns the version in an image's tag, as in `…:v1.2.0`.
fn tag_version(image: &str) -> Option<&str> {
    let last = image.rsplit('/').next()?;
    let (_, tag) = last.split('@').next()?.split_once(':')?;
    Some(tag.strip_prefix('v').unwrap_or(tag))
}

/// Checks that an operation makes sense in this basic or substitutes template; otherwise returns
/// the reason and the remedy.
fn check_applies(op: &EditOp, target: &EditTarget<'_>) -> Result<(), Refused> {
    match op {
        // A substitutes template contains complete bundles.
        _ if !target.is_basic() => Ok(()),
        EditOp::Substitute { by: None, .. } => {
            Err(Refused::new("a basic template has no substitutions to remove")
                .help("name the bundle that takes the place with `--by`"))
        }
        EditOp::Substitute { by: Some(by), .. } if by.contains('/') => {
            Err(refused!("`{by}` is an image, and channels name bundles")
                .help("name the bundle with `--by` and its image with `--image`"))
        }
        EditOp::RemoveBundle { bundle, .. } | EditOp::SetImage { bundle: Some(bundle), .. }
            if target.image_entry(bundle).is_some() =>
        {
            Ok(())
        }
        EditOp::RemoveBundle { bundle, .. } => Err(refused!(
            "the image of `{bundle}` is known only after the template is rendered"
        )
        .help("open a catalog that has the bundle; or remove its entries with `remove-entry`, and its image as text")),
        EditOp::SetImage { .. } => {
            Err(Refused::new("the bundle of an image is known only after the template is rendered")
                .help("open a catalog that has the bundle, or change the image as text"))
        }
        EditOp::AddBundle { package, bundle, image, to, .. } => {
            let package = target.catalog.package(package);
            let mut channels = package.into_iter().flat_map(|package| &package.channels);
            if let Some(channel) = channels.find(|channel| channel.has_entry(bundle)) {
                return Err(refused!("channel `{}` already lists `{bundle}`", channel.name.value)
                    .help("add its image to `entries` as text"));
            }
            if target.images().any(|(_, known)| known == image) {
                return Err(refused!("the template already has `{image}`")
                    .help("add the bundle to a channel as text"));
            }
            match to {
                Some(_) => Ok(()),
                None => Err(Refused::new("a template names a bundle only in its channels")
                    .help("name the channel to add it to")),
            }
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_added_at_one_place_keep_their_order() {
        let edits = EntryEdits {
            added: vec![(2, "c".into()), (2, "d".into())],
            removed: vec![1, 3],
            ..EntryEdits::default()
        };
        assert_eq!(
            edits.into_patches(),
            [
                Patch::insert_item(path![ENTRIES], 2, "d"),
                Patch::insert_item(path![ENTRIES], 2, "c"),
                Patch::remove(path![ENTRIES, 5]),
                Patch::remove(path![ENTRIES, 1]),
            ]
        );
    }
}
