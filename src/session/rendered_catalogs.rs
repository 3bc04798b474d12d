//! Rendered catalogs: the output of open templates, each a read-only catalog beside its template.
//!
//! A template is rendered when its catalog is requested, and again when the template or one of its
//! bundles changes. The text is generated and never saved: a history step only contains the
//! template's change, from which the rendering follows.

mod text;

use super::change_tracker::ChangeTracker;
use super::export::ChangedFile;
use super::file::{FileState, Version};
use super::open_bundles::{OpenBundles, ReadBundles, bundle_folder_of};
use super::published::bundles_only_in;
use super::root::Root;
use super::{Changes, Refused, Session, Templates, catalog_positions, take_file_id};
use catalog::Content;
use catalog::diff::{CONTEXT, text_diff};
use catalog::model::{Body, FileId, FileIndex, Template};
use catalog::roots::{catalog_version, name_of};
use edit::refused;
use protocol::diagnostic::{Diagnostic, Location};
use protocol::templates::{MissingBundle, rendered_name};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;
use syntax::hashed::HashSet;
use syntax::order::SortSmall;
use syntax::place::Place;
use template::render::{Missing, NO_BUNDLES, Options, render};
use template::source_lines::{self, RenderedItem, find_item, find_reference};
use template::{self};
use text::RenderedText;

/// The inputs of a rendered catalog.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Rendering {
    /// Path of the template in the session.
    pub template: String,
    /// Unknown bundles that were left out, in template order.
    pub missing: Vec<MissingBundle>,
    /// Why rendering failed, in `opm`'s wording.
    pub refused: Option<String>,
    /// The source of each referenced bundle: a catalog or bundle folder, by its path in the
    /// session.
    pub found: BTreeMap<String, String>,
    /// The reference of each referenced bundle, by bundle name.
    references: BTreeMap<String, String>,
    /// The template's file.
    file: Option<Arc<FileIndex>>,
}

#[derive(Debug)]
pub(super) struct RenderedFile {
    pub(super) id: FileId,
    pub(super) file: FileState,
    state: Rc<RenderedState>,
}

#[derive(Debug)]
pub(super) struct RenderedState {
    pub(super) rendering: Rc<Rendering>,
    version: Version,
    references: HashSet<String>,
    bundles: ReadBundles,
    text_blobs: RenderedText,
}

impl Rendering {
    /// Whether all bundles are known, so that `opm validate`'s verdict can be computed.
    pub fn is_complete(&self) -> bool {
        self.missing.is_empty() && self.refused.is_none()
    }

    /// Returns the reference of a bundle; `None` for one defined in the template.
    pub fn reference_of(&self, bundle: &str) -> Option<&str> {
        self.references.get(bundle).map(String::as_str)
    }

    /// Returns the template's type and content; `None` if its file is not a template any more.
    pub fn template(&self) -> Option<&Template> {
        template::template_of_file(self.file.as_ref()?)
    }

    pub fn entry_line(&self, package: &str, channel: &str, name: &str) -> Option<Location> {
        self.line(RenderedItem::Entry {
            package,
            channel,
            name,
            reference: self.reference_of(name),
        })
    }

    pub fn channel_line(&self, package: &str, channel: &str) -> Option<Location> {
        self.line(RenderedItem::Channel { package, channel })
    }

    pub fn bundle_line(&self, name: &str) -> Option<Location> {
        self.line(RenderedItem::Bundle {
            name,
            reference: self.reference_of(name),
        })
    }

    pub fn package_line(&self, package: &str) -> Option<Location> {
        self.line(RenderedItem::Package(package))
    }

    pub fn first_line(&self) -> Location {
        self.at(Place::default())
    }

    fn line(&self, thing: RenderedItem<'_>) -> Option<Location> {
        Some(self.at(find_item(self.template()?, thing)?))
    }

    /// Returns a location in the template's file, which is named without its folder.
    fn at(&self, place: Place) -> Location {
        let blob = self.file.as_ref().and_then(|file| file.blobs.first());
        let line = blob.map_or(0, |blob| blob.line);
        Location {
            file: name_of(&self.template).to_owned(),
            line: line + place.line + 1,
            column: place.column + 1,
            end_line: line + place.end_line + 1,
            end_column: place.end_column + 1,
        }
    }

    /// Moves a problem of the rendered catalog to the template.
    pub(super) fn locate(&self, problem: &mut Diagnostic) {
        let package = problem.package.as_deref().unwrap_or_default();
        let (channel, bundle) = (problem.channel.as_deref(), problem.bundle.as_deref());
        let entry = channel
            .zip(bundle)
            .and_then(|(channel, name)| self.entry_line(package, channel, name));
        let line = entry
            .or_else(|| self.bundle_line(bundle?))
            .or_else(|| self.channel_line(package, channel?))
            .or_else(|| self.package_line(package));
        problem.location = line.unwrap_or_else(|| self.first_line());
        // Related places and fixes refer to text that is not stored.
        problem.related.clear();
        problem.fixes.clear();
    }
}

impl Session {
    /// Opens the rendered catalog of a template, beside it. Returns its name.
    pub fn show_rendered(&mut self, template: &str) -> Result<String, Refused> {
        let root = self.root(Some(template))?;
        let template = root.name.clone();
        match root.template() {
            None => return Err(refused!("`{template}` is not a template")),
            Some(Template::Composite) => {
                return Err(Refused::new(
                    "a composite template cannot be rendered: opm v1.74.0 no longer supports them",
                )
                .help("render the templates of its packages one by one"));
            }
            Some(_) => {}
        }
        if !self.files.rendered.contains_key(&template) {
            self.add_rendered_file(&template);
            self.add_rendered_root(&template);
            self.preview_cache = None;
            self.revision += 1;
        }
        Ok(rendered_name(&template))
    }

    pub fn hide_rendered(&mut self, template: &str) {
        if self.files.rendered.remove(template).is_some() {
            let name = rendered_name(template);
            self.roots.retain(|root| root.name != name);
            self.preview_cache = None;
            self.revision += 1;
        }
    }

    /// Renders again after the roots were rebuilt, if the templates still exist.
    pub(super) fn add_rendered_roots(&mut self) {
        let templates: Vec<String> = std::mem::take(&mut self.files.rendered)
            .into_keys()
            .collect();
        for template in templates
            .into_iter()
            .filter(|template| {
                self.roots
                    .iter()
                    .any(|root| root.name == *template && root.is_template())
            })
            .collect::<Vec<_>>()
        {
            self.add_rendered_file(&template);
            self.add_rendered_root(&template);
        }
    }

    fn add_rendered_file(&mut self, template: &str) {
        let id = take_file_id(&mut self.next_id);
        let state = Rc::new(self.templates().rendered_state(template, id, None));
        let version = Some(state.version.clone());
        let file = FileState {
            path: rendered_name(template),
            opened: None,
            saved: version.clone(),
            current: version,
        };
        self.files
            .rendered
            .insert(template.to_owned(), RenderedFile { id, file, state });
    }

    fn add_rendered_root(&mut self, template: &str) {
        let config = self.configuration.config_of(&self.files, template);
        let Some(RenderedFile { id, state, .. }) = self.files.rendered.get(template) else {
            return;
        };
        let (content, rendering) = (state.version.content.clone(), Rc::clone(&state.rendering));
        let judged = &mut self.counters.packages_judged;
        let mut root = Root::for_file(
            rendered_name(template),
            Some(rendering),
            (*id, content),
            config,
            &mut self.open_catalogs,
            judged,
        );
        root.update_verdict(&self.open_catalogs);
        self.roots.push(root);
    }

    pub(super) fn render_again(&mut self, tracker: &mut ChangeTracker) {
        if self.files.rendered.is_empty() || tracker.files.is_empty() {
            return;
        }
        let templates: Vec<String> = self
            .files
            .rendered
            .iter()
            .filter(|(template, rendered)| {
                self.templates()
                    .is_affected(template, &rendered.state, tracker)
            })
            .map(|(template, _)| template.clone())
            .collect();
        for template in templates {
            let Some(RenderedFile { id, state, .. }) = self.files.rendered.get(&template) else {
                continue;
            };
            let new = self.templates().rendered_state(&template, *id, Some(state));
            self.set_rendered(&template, Rc::new(new), tracker);
        }
    }

    pub(super) fn set_rendered(
        &mut self,
        template: &str,
        state: Rc<RenderedState>,
        tracker: &mut ChangeTracker,
    ) {
        let name = rendered_name(template);
        let Some(at) = self.roots.iter().position(|root| root.name == name) else {
            return;
        };
        let Some(rendered) = self.files.rendered.get_mut(template) else {
            return;
        };
        let old = std::mem::replace(&mut rendered.state, Rc::clone(&state));
        let (before, after) = (
            rendered.file.current.replace(state.version.clone()),
            Some(state.version.clone()),
        );
        rendered.file.saved.clone_from(&after);
        let id = rendered.id;
        let changes_judgement = old.rendering.is_complete() != state.rendering.is_complete();
        self.roots[at].set_rendering(Rc::clone(&state.rendering));
        tracker.record_rendering(template, old);
        self.set_in_root(at, id, &name, (before.as_ref(), after.as_ref()), tracker);
        if changes_judgement {
            tracker.record_all_packages(at, &self.roots[at]);
        }
    }

    /// Restores the renderings from before the changes. The roots restore their results.
    pub(super) fn restore_rendered(&mut self, tracker: &mut ChangeTracker) {
        for (template, state) in std::mem::take(&mut tracker.rendered) {
            self.set_rendered(&template, state, tracker);
        }
        tracker.rendered.clear();
    }
}

impl<'w> Templates<'w> {
    /// Returns the sorted paths of the templates whose rendered catalogs are open.
    pub fn rendered_templates(&self) -> impl Iterator<Item = &'w str> + use<'w> {
        self.session.files.rendered.keys().map(String::as_str)
    }

    /// Renders a template with the open bundles.
    fn rendered_state(
        &self,
        template: &str,
        id: FileId,
        before: Option<&RenderedState>,
    ) -> RenderedState {
        let version = self.session.files.version_at(template);
        let file = version.and_then(|version| version.index()).cloned();
        let facts = file
            .as_ref()
            .and_then(|file| template::template_of_file(file));
        let references = facts.map_or_else(Vec::new, source_lines::references);
        let references: HashSet<String> = references.into_iter().map(str::to_owned).collect();
        let mut rendering = Rendering {
            template: template.to_owned(),
            file: file.clone(),
            ..Rendering::default()
        };
        let no_cache = ReadBundles::default();
        let cache = before.map_or(&no_cache, |before| &before.bundles);
        let source = OpenBundles::new(self.session, &self.catalogs_for(template), cache);
        let text = match version {
            Some(version) if facts.is_some() => self
                .session
                .files
                .text_of(version)
                .map_err(|refused| refused.reason),
            _ => Err("the file is no longer a template".to_owned()),
        };
        let options = Options {
            missing: Missing::LeftOut,
            ..Options::default()
        };
        let (blobs, missing) = match text.map(|text| render(&text, &source, options)) {
            Ok(Ok(rendered)) => {
                rendering.references = rendered.origins.iter().cloned().collect();
                (rendered.blobs_in_order(), rendered.missing)
            }
            Ok(Err(refused)) => {
                // Without its bundles, nothing is known to be wrong with the template.
                let lacks_bundles =
                    refused.message.ends_with(NO_BUNDLES) && !refused.missing.is_empty();
                rendering.refused = (!lacks_bundles).then_some(refused.message);
                (Vec::new(), refused.missing)
            }
            Err(reason) => {
                rendering.refused = Some(reason);
                (Vec::new(), Vec::new())
            }
        };
        let bundles = source.into_read();
        rendering.found = bundles
            .iter()
            .map(|(reference, bundles)| (reference.clone(), bundles.source_path().to_owned()))
            .collect();
        let place = |reference: &str| {
            facts.and_then(|facts| find_reference(facts, reference).first().copied())
        };
        let missing = missing.into_iter().map(|reference| MissingBundle {
            location: place(&reference).map(|place| rendering.at(place)),
            reference,
        });
        rendering.missing = missing.collect();
        let text_blobs = RenderedText::new(blobs, before.map(|before| &before.text_blobs));
        let content = Content::Indexed(Arc::new(text_blobs.index()));
        let version = Version::with_text(id, text_blobs.text(), content);
        RenderedState {
            rendering: Rc::new(rendering),
            version,
            references,
            bundles,
            text_blobs,
        }
    }

    /// Returns the rendering of a template, whether its catalog is open or not.
    pub(super) fn rendering_of(&self, template: &str) -> Rc<RenderedState> {
        match self.session.files.rendered.get(template) {
            Some(open) => Rc::clone(&open.state),
            None => Rc::new(self.rendered_state(template, FileId(self.session.next_id), None)),
        }
    }

    /// Returns the bundles for rendering a template.
    pub(super) fn bundles_for<'k>(
        &self,
        template: &str,
        cache: &'k RenderedState,
    ) -> OpenBundles<'k>
    where
        'w: 'k,
    {
        OpenBundles::new(self.session, &self.catalogs_for(template), &cache.bundles)
    }

    /// Returns the indices of catalogs in the order in which a template's bundles are looked up:
    /// its targets first; by newest OpenShift version.
    fn catalogs_for(&self, template: &str) -> Vec<usize> {
        let targets: BTreeSet<&str> = self.rendered_from(template).map(|(root, _)| root).collect();
        let mut catalogs: Vec<usize> = catalog_positions(&self.session.roots).collect();
        catalogs.sort_small_by_key(|&at| {
            let name = self.session.roots[at].name.as_str();
            (!targets.contains(name), Reverse(catalog_version(name)))
        });
        catalogs
    }

    fn is_affected(&self, template: &str, state: &RenderedState, tracker: &ChangeTracker) -> bool {
        tracker.files.iter().any(|(id, before)| {
            let Some(file) = self.session.files.by_id.get(id) else {
                return false;
            };
            if file.path == template || bundle_folder_of(&file.path).is_some() {
                return true;
            }
            let before = before.as_ref().and_then(Version::index);
            let after = file.current.as_ref().and_then(Version::index);
            let removed = bundles_only_in(before, after).into_iter();
            removed.chain(bundles_only_in(after, before)).any(|bundle| {
                [&bundle.image, &bundle.name]
                    .into_iter()
                    .any(|reference| state.references.contains(reference.as_str()))
            })
        })
    }

    pub(super) fn current_renderings(
        &self,
        tracker: &ChangeTracker,
    ) -> BTreeMap<String, Rc<RenderedState>> {
        tracker
            .rendered
            .keys()
            .filter_map(|template| {
                Some((
                    template.clone(),
                    Rc::clone(&self.session.files.rendered.get(template)?.state),
                ))
            })
            .collect()
    }
}

impl Changes<'_> {
    pub(super) fn rendered_changes(&self, tracker: &ChangeTracker) -> Vec<ChangedFile> {
        tracker
            .rendered
            .iter()
            .filter_map(|(template, before)| {
                let after = &self.session.files.rendered.get(template)?.state.version;
                let [old, new] = [&before.version, after]
                    .map(|version| self.session.files.text_of(version).unwrap_or_default());
                let hunks = text_diff(&old, &new, CONTEXT);
                let name = rendered_name(template);
                let changed = ChangedFile {
                    is_rendered: true,
                    ..self.changed_file(&name, false, hunks)
                };
                (!changed.hunks.is_empty()).then_some(ChangedFile {
                    root: name,
                    ..changed
                })
            })
            .collect()
    }
}

impl RenderedState {
    /// Returns the version of the bundle with this reference.
    pub(super) fn version_of(&self, reference: &str) -> Option<String> {
        let (name, _) = self
            .rendering
            .references
            .iter()
            .find(|(_, targets)| *targets == reference)?;
        let blobs = &self.version.index()?.blobs;
        blobs.iter().find_map(|blob| match &blob.body {
            Body::Bundle(bundle) if bundle.name.as_str() == name => {
                Some(bundle.version().to_owned())
            }
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests;
