//! Edits a template: plans an operation as on a catalog, and applies it inside the single document
//! that contains all blobs.
//!
//! A planned blob change becomes the same change below `entries[N]`, so splicing, style and
//! verification work as for any blob. What a basic template does not contain (properties, the image
//! of a bundle) is refused; a substitutes template contains complete bundles, and
//! [`super::substitution_updates`] handles its substitutions.
//!
//! A rendered catalog is never edited: its operations are redirected to its template.

#[cfg(test)]
mod tests;

use super::file_updates::FileUpdate;
use super::{OpenFiles, Planner, Refused, Root, Templates};
use catalog::model::{Body, FileId, Template};
use catalog::roots::name_of;
use catalog::version::version_in_name;
use edit::patch::{Intent, ItemChange, Patch, Value, WhenEmpty, path, resolve_items_in};
use edit::plan::{self, BlobChange, CatalogView, Change, PlanStep, Presence};
use edit::verify::{EditedBlob, edit_blob_as};
use protocol::operation::EditOp;
use std::borrow::Cow;
use syntax::hashed::HashMap;
use syntax::order::SortSmall;
use syntax::tree::Format;
use template::{self, unfold::TemplateBlobs, unfold::unfold};

/// The list of a template's blobs.
const LIST: &str = "entries";

/// A template is the first document of its file.
pub(super) const DOCUMENT: u32 = 0;

/// The planned changes of the document, by current list positions.
#[derive(Debug, Default)]
struct DocumentEdits {
    /// Positions of images by the name of their bundle.
    images: HashMap<String, usize>,
    patches: Vec<(usize, Vec<BlobChange>)>,
    /// Changes of items that only the text distinguishes.
    items: Vec<(usize, Vec<ItemChange>)>,
    /// New bundles are written completely, as in a substitutes template.
    in_full: bool,
    /// Added items with the current position they precede; several at one position keep their
    /// order.
    added: Vec<(usize, Value)>,
    removed: Vec<usize>,
}

impl Planner<'_> {
    /// Redirects an operation on a rendered catalog to its template; others are returned unchanged.
    ///
    /// # Errors
    ///
    /// If it edits the rendered text.
    pub(super) fn redirect_to_template<'o>(
        &self,
        op: &'o EditOp,
    ) -> Result<Cow<'o, EditOp>, Refused> {
        let Some(name) = op
            .catalog()
            .filter(|name| !self.session.is_outside(Some(name)))
        else {
            return Ok(Cow::Borrowed(op));
        };
        let root = &self.session.roots[self.session.root_position(Some(name))?];
        let Some(rendering) = root.rendering() else {
            return Ok(Cow::Borrowed(op));
        };
        let template = &rendering.template;
        if let EditOp::ReplaceText { file, .. } = op
            && file != name_of(template)
        {
            return Err(Refused::new(format!(
                "`{file}` is rendered, so its text cannot be edited"
            ))
            .help(format!("edit `{template}`, which it is rendered from")));
        }
        let mut op = op.clone();
        *op.catalog_mut() = Some(template.clone());
        Ok(Cow::Owned(op))
    }

    /// Like [`Planner::lower`], for a template.
    pub(super) fn template_file_updates(
        &mut self,
        at: usize,
        op: &EditOp,
    ) -> Result<Vec<FileUpdate>, Refused> {
        let root = &self.session.roots[at];
        let Some(file) = root.catalog.files().first().map(|file| file.id) else {
            return Err(Refused::new("the template no longer exists"));
        };
        let is_text = matches!(op, EditOp::ReplaceText { .. });
        if matches!(root.template(), Some(Template::Semver(_))) && !is_text {
            return self.semver_file_updates(at, file, op);
        }
        if let Some(change) = self.substitution_change(at, op)? {
            return self.substitution_file_updates(at, file, change);
        }
        let index = self
            .session
            .files
            .version(file)
            .and_then(|version| version.index())
            .cloned()
            .unwrap_or_default();
        let unfolded = unfold(&index);
        let images = match op {
            EditOp::RemoveBundle { .. } | EditOp::SetImage { .. } | EditOp::Substitute { .. } => {
                self.session.templates().image_items(&root.name, &unfolded)
            }
            _ => HashMap::default(),
        };
        applies(root, op, &images)?;
        let view = CatalogView {
            catalog: &root.catalog,
            is_basic_template: matches!(root.template(), Some(Template::Basic(_))),
        };
        let steps = plan::plan(op, &view)?.steps;
        let in_full = matches!(root.template(), Some(Template::Substitutes(_)));
        let mut work = DocumentEdits {
            images,
            in_full,
            ..DocumentEdits::default()
        };
        if let EditOp::Substitute {
            bundle,
            image: Some(image),
            ..
        } = op
            && view.is_basic_template
        {
            work.change_image(&unfolded, bundle, image)?;
        }
        for step in steps {
            match step {
                PlanStep::ReplaceText {
                    file,
                    from,
                    to,
                    before,
                    text,
                } => {
                    let display_path = self.display_path(at, file);
                    return Ok(vec![self.replace_text(
                        display_path,
                        file,
                        (from, to),
                        &before,
                        text,
                    )?]);
                }
                step => work.add(step, &unfolded)?,
            }
        }
        match self.edit_document(at, file, work)? {
            Some(edited) => Ok(vec![self.finish_blob(at, file, DOCUMENT, edited)?]),
            None => Ok(Vec::new()),
        }
    }

    /// The document with the changes applied; `None` if there are none.
    fn edit_document(
        &self,
        root: usize,
        file: FileId,
        work: DocumentEdits,
    ) -> Result<Option<EditedBlob>, Refused> {
        let DocumentEdits {
            patches,
            items,
            added,
            removed,
            ..
        } = &work;
        if patches.is_empty() && items.is_empty() && added.is_empty() && removed.is_empty() {
            return Ok(None);
        }
        let mut intents: Vec<Intent> = Vec::new();
        for (item, changes) in work.patches {
            let inside = |change: BlobChange| {
                let path = [path![LIST, item], change.path].concat();
                BlobChange {
                    path,
                    change: change.change,
                }
                .intent()
            };
            intents.extend(changes.into_iter().map(inside));
        }
        if !work.items.is_empty() {
            let (text, format) = self.document_text(root, file)?;
            for (item, changes) in work.items {
                let resolved = resolve_items_in(&text, format, Some((LIST, item)), &changes)
                    .map_err(|refusal| self.refuse(root, file, DOCUMENT, refusal))?;
                let inside = |change: BlobChange| {
                    let path = [path![LIST, item], change.path].concat();
                    BlobChange {
                        path,
                        change: change.change,
                    }
                    .intent()
                };
                intents.extend(resolved.into_iter().map(inside));
            }
        }
        // Last one first, so that positions stay valid.
        let mut added = work.added;
        added.sort_small_by_key(|(at, _)| *at);
        for (at, value) in added.iter().rev() {
            intents.push(Patch::insert_item(path![LIST], *at, value.clone()).into());
        }
        // Added items shift those after them.
        let moved = |item: usize| item + added.iter().filter(|(at, _)| *at <= item).count();
        let mut removed: Vec<usize> = work.removed.iter().map(|&item| moved(item)).collect();
        removed.sort_small_by(|a, b| b.cmp(a));
        intents.extend(
            removed
                .into_iter()
                .map(|item| Patch::remove(path![LIST, item], WhenEmpty::Keep).into()),
        );
        self.edit_document_text(root, file, &intents).map(Some)
    }

    /// The template's document with changes in its text.
    pub(super) fn edit_document_text(
        &self,
        root: usize,
        file: FileId,
        intents: &[Intent],
    ) -> Result<EditedBlob, Refused> {
        let (original, format) = self.document_text(root, file)?;
        let edited = edit_blob_as(&original, format, intents);
        edited.map_err(|refusal| self.refuse(root, file, DOCUMENT, refusal))
    }

    pub(super) fn document_text(
        &self,
        root: usize,
        file: FileId,
    ) -> Result<(Vec<u8>, Format), Refused> {
        let version = self.readable(root, file)?;
        let document = self.session.files.blob(file, DOCUMENT)?;
        self.session.files.pin(version)?;
        Ok((
            self.session
                .files
                .read(version, document.start, document.end)?,
            document.format,
        ))
    }
}

impl Templates<'_> {
    /// Positions of a template's images by bundle name, if the bundles are open.
    fn image_items(&self, template: &str, unfolded: &TemplateBlobs) -> HashMap<String, usize> {
        let rendered = self.rendering_of(template);
        let written = unfolded
            .index
            .blobs
            .iter()
            .take(unfolded.written)
            .enumerate();
        let images: HashMap<&str, usize> = written
            .filter_map(|(at, blob)| match &blob.body {
                Body::Bundle(bundle) if !bundle.image.is_empty() => {
                    Some((bundle.image.as_str(), at))
                }
                _ => None,
            })
            .collect();
        let items = rendered
            .references()
            .filter_map(|(name, image)| Some((name.to_owned(), *images.get(image)?)));
        items.collect()
    }
}

impl DocumentEdits {
    /// Changes the image of a basic template's bundle.
    fn change_image(
        &mut self,
        unfolded: &TemplateBlobs,
        bundle: &str,
        image: &str,
    ) -> Result<(), Refused> {
        plan::check_image(image)?;
        let images: Vec<(usize, &str)> = unfolded.index.blobs[..unfolded.written]
            .iter()
            .enumerate()
            .filter_map(|(at, blob)| match &blob.body {
                Body::Bundle(bundle) => Some((at, bundle.image.as_str())),
                _ => None,
            })
            .collect();
        let old = self.images.get(bundle).copied().or_else(|| {
            let version = version_in_name(bundle)?.0;
            let mut tagged = images
                .iter()
                .filter(|(_, image)| version_of_tag(image) == Some(version));
            tagged
                .next()
                .filter(|_| tagged.next().is_none())
                .map(|(at, _)| *at)
        });
        let old = old.ok_or_else(|| {
            Refused::new(format!(
                "it is not known which image of the template is that of `{bundle}`"
            ))
            .help("name a catalog that has the bundle with `--bundles`, or leave out the image and change it as text")
        })?;
        // Each image may be listed once.
        if images.iter().any(|(_, known)| *known == image) {
            self.removed.push(old);
            return Ok(());
        }
        self.patches.push((
            old,
            vec![BlobChange {
                path: path!["image"],
                change: Change::Put {
                    value: image.into(),
                    after: &["schema"],
                    present: Presence::There,
                },
            }],
        ));
        Ok(())
    }

    fn add(&mut self, step: PlanStep, unfolded: &TemplateBlobs) -> Result<(), Refused> {
        let by_name = |index: u32| match &unfolded.index.blobs.get(index as usize)?.body {
            Body::Bundle(bundle) => self.images.get(bundle.name.as_str()).copied(),
            _ => None,
        };
        let written = |index: u32| {
            unfolded
                .item(index)
                .or_else(|| by_name(index))
                .ok_or_else(|| {
                    Refused::new("the template names this bundle in its channels only")
                        .help("its properties come with its image when the template is rendered")
                })
        };
        match step {
            PlanStep::Patch { index, changes, .. } => self.patches.push((written(index)?, changes)),
            PlanStep::RemoveBlob { index, .. } => self.removed.push(written(index)?),
            PlanStep::AddBlob { after, value, .. } => {
                let is_bundle =
                    |at: &usize| matches!(unfolded.index.blobs[*at].body, Body::Bundle(_));
                let behind = match image_of(&value) {
                    Some(_) => (0..unfolded.written).rfind(is_bundle),
                    None => after.and_then(|index| unfolded.item(index)),
                };
                let at = behind.map_or(unfolded.written, |item| item + 1);
                let image = image_of(&value).filter(|_| !self.in_full);
                self.added.push((at, image.map_or(value.clone(), by_image)));
            }
            PlanStep::PatchItems {
                index,
                changes,
                items,
                ..
            } if self.in_full && unfolded.item(index).is_some() => {
                let item = written(index)?;
                self.patches.push((item, changes));
                self.items.push((item, items));
            }
            // The template contains nothing else of an image.
            PlanStep::PatchItems { index, changes, .. } if unfolded.item(index).is_none() => {
                self.patches.push((written(index)?, changes));
            }
            PlanStep::PatchItems { .. }
            | PlanStep::RemoveCopy { .. }
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
}

/// The version in an image's tag, as in `…:v1.2.0`.
fn version_of_tag(image: &str) -> Option<&str> {
    let last = image.rsplit('/').next()?;
    let (_, tag) = last.split('@').next()?.split_once(':')?;
    Some(tag.strip_prefix('v').unwrap_or(tag))
}

/// The image of a new bundle.
fn image_of(blob: &Value) -> Option<&str> {
    let Value::Map(pairs) = blob else { return None };
    let text = |name: &str| {
        pairs.iter().find_map(|(key, value)| match value {
            Value::String(text) if key == name => Some(text.as_str()),
            _ => None,
        })
    };
    text("image").filter(|_| text("schema") == Some("olm.bundle"))
}

/// A bundle as written in a template: the image provides the rest.
fn by_image(image: &str) -> Value {
    Value::map([("schema", "olm.bundle"), ("image", image)])
}

/// Checks that an operation makes sense in this template; otherwise returns the reason and the
/// remedy.
fn applies(root: &Root, op: &EditOp, images: &HashMap<String, usize>) -> Result<(), Refused> {
    if matches!(op, EditOp::ReplaceText { .. }) {
        return Ok(());
    }
    let template = root.template();
    match template {
        Some(Template::Basic(_) | Template::Substitutes(_)) => {}
        // Planned by another module.
        Some(Template::Semver(_)) => return Ok(()),
        Some(Template::Composite) => {
            return Err(Refused::new(
                "a composite template has no entries: it names other templates",
            )
            .help("edit the template of the package, or this one as text"));
        }
        None => {
            return Err(
                Refused::new(format!("`{}` is no longer a template", root.name))
                    .help("edit it as text"),
            );
        }
    }
    match op {
        EditOp::Migrate { .. } => Err(not_migrated()),
        EditOp::AddPackage { .. } | EditOp::RemovePackage { .. } => {
            Err(Refused::new("a template defines one package")
                .help("create another template, or delete this one's file"))
        }
        EditOp::CopyPackage { .. } => {
            Err(Refused::new("a package can only be copied into a catalog, not into a template")
                .help("copy the file of the package's own template"))
        }
        // A substitutes template contains complete bundles.
        _ if matches!(template, Some(Template::Substitutes(_))) => Ok(()),
        EditOp::Substitute { by: None, .. } => {
            Err(Refused::new("a basic template has no substitutions to remove")
                .help("name the bundle that takes the place with `--by`"))
        }
        EditOp::Substitute { by: Some(by), .. } if by.contains('/') => {
            Err(Refused::new(format!("`{by}` is an image, and channels name bundles"))
                .help("name the bundle with `--by` and its image with `--image`"))
        }
        EditOp::RemoveBundle { bundle, .. } | EditOp::SetImage { bundle: Some(bundle), .. }
            if images.contains_key(bundle) =>
        {
            Ok(())
        }
        EditOp::RemoveBundle { bundle, .. } => Err(Refused::new(format!(
            "the image of `{bundle}` is known only after the template is rendered"
        ))
        .help("open a catalog that has the bundle; or remove its entries with `remove-entry`, and its image as text")),
        EditOp::SetImage { .. } => {
            Err(Refused::new("the bundle of an image is known only after the template is rendered")
                .help("open a catalog that has the bundle, or change the image as text"))
        }
        EditOp::AddProperty { .. } | EditOp::RemoveProperty { .. } => {
            Err(Refused::new("the bundles of a template have no properties: these come with the images")
                .help(
                    "change them where the bundle's image is built, or convert the template to a substitutes template",
                )
                .convertible())
        }
        EditOp::AddBundle { package, bundle, image, to, .. } => {
            let listing = root.catalog.package(package).and_then(|package| {
                let mut channels = package.channels.iter();
                channels.find(|channel| channel.entries.iter().any(|entry| entry.name.as_str() == bundle))
            });
            if let Some(channel) = listing {
                return Err(Refused::new(format!("channel `{}` already lists `{bundle}`", channel.name.value))
                    .help("add its image to `entries` as text"));
            }
            if template.is_some_and(|template| template.images().iter().any(|known| ***known == **image)) {
                return Err(Refused::new(format!("the template already has `{image}`"))
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

/// The refusal: bundles are migrated when a template is rendered.
pub(super) fn not_migrated() -> Refused {
    Refused::new("the bundles of a template are migrated when it is rendered")
        .help("render it with `--migrate-level=bundle-object-to-csv-metadata`, or migrate the rendered catalog")
}

/// The index of a blob in the `entries` of its document.
pub(super) fn item(files: &OpenFiles, root: &Root, file: FileId, index: u32) -> Option<usize> {
    let file = root.is_template().then(|| files.version(file)?.index())??;
    template::template_of_file(file)?;
    unfold(file).item(index)
}
