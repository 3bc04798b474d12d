//! Sets the current version of a file, and records the previous state, for undo after a refusal and
//! for consequences.

use super::file::Version;
use super::rendered_catalogs::RenderedState;
use super::root::{Root, RootSnapshot, Verdict};
use super::{OpenFiles, Session};
use catalog::Content;
use catalog::model::{FileId, Package};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;
use syntax::place::Text;
use verdict::compare::ChangedValues;
use verdict::consequences::{self, Consequences, PackageChange, RootChange};

/// Records all changes since its creation, by index of the root.
#[derive(Debug, Default)]
pub(super) struct ChangeTracker {
    roots: BTreeMap<usize, RootBefore>,
    /// The previous versions of changed files.
    pub(super) files: BTreeMap<FileId, Option<Version>>,
    /// The previous states of rendered catalogs that were rendered again, by path of the template.
    pub(super) rendered: BTreeMap<String, Rc<RenderedState>>,
    /// Whether requirements of other catalogs may be affected, so that verdicts beyond the tracked
    /// roots were updated too.
    provides_changed: bool,
    /// Whether all changes are free text, possibly incomplete.
    pub(super) is_typed: bool,
}

#[derive(Debug, Default)]
struct RootBefore {
    verdict: Rc<Verdict>,
    /// The previous states of packages named by changed blobs.
    packages: BTreeMap<Text, Option<Arc<Package>>>,
    /// Packages whose facts changed.
    changed: BTreeSet<Text>,
    /// Whether all packages are judged differently, so that even packages with unchanged facts
    /// count.
    all_judged: bool,
    /// The root's results after judging its changed packages.
    snapshot: Option<RootSnapshot>,
}

/// By index of the root.
pub(super) type RootSnapshots = BTreeMap<usize, RootSnapshot>;

/// Packages by index of their root and by name; `None`: removed.
pub(super) type PackageStates = BTreeMap<(usize, Text), Option<Arc<Package>>>;

impl RootBefore {
    fn new(verdict: Rc<Verdict>) -> Self {
        Self {
            verdict,
            ..Self::default()
        }
    }

    /// Drops packages that did not change after all.
    fn drop_unchanged(&mut self, root: &Root) {
        let Self {
            packages,
            changed,
            all_judged,
            ..
        } = self;
        changed.retain(|name| {
            *all_judged
                || !packages
                    .get(name)
                    .is_some_and(|p| p.as_ref() == root.catalog.package(name))
        });
    }
}

impl ChangeTracker {
    /// Returns the current results of the tracked roots. `None` if the change affects other roots.
    pub(super) fn snapshots(&self, roots: &[Root]) -> Option<RootSnapshots> {
        if self.provides_changed {
            return None;
        }
        self.roots
            .iter()
            .map(|(at, before)| Some((*at, roots.get(*at)?.snapshot(&before.changed))))
            .collect()
    }

    /// Combines this tracker with `later`, which started when this one ended.
    pub(super) fn followed_by(mut self, later: Self, roots: &[Root]) -> Self {
        for (at, later) in later.roots {
            let Some(earlier) = self.roots.get_mut(&at) else {
                self.roots.insert(at, later);
                continue;
            };
            for (name, package) in later.packages {
                earlier.packages.entry(name).or_insert(package);
            }
            earlier.changed.extend(later.changed);
            earlier.all_judged |= later.all_judged;
            if let Some(root) = roots.get(at) {
                earlier.drop_unchanged(root);
            }
        }
        for (id, version) in later.files {
            self.files.entry(id).or_insert(version);
        }
        for (path, state) in later.rendered {
            self.rendered.entry(path).or_insert(state);
        }
        self.provides_changed |= later.provides_changed;
        self.is_typed &= later.is_typed;
        self
    }

    /// Records that a rendered catalog is rendered again; `before` is its previous state.
    pub(super) fn record_rendering(&mut self, template: &str, before: Rc<RenderedState>) {
        self.rendered.entry(template.to_owned()).or_insert(before);
    }

    /// Records that every package of this root is now judged differently.
    pub(super) fn record_all_packages(&mut self, at: usize, root: &Root) {
        if let Some(before) = self.roots.get_mut(&at) {
            before.all_judged = true;
            before
                .changed
                .extend(root.catalog.packages().map(|package| package.name.clone()));
        }
    }

    /// Records the results of a root before results of the same state are restored.
    pub(super) fn snapshot_before(&mut self, at: usize, root: &Root) {
        if let Some(before) = self.roots.get_mut(&at) {
            before.snapshot = Some(root.snapshot(&before.changed));
        }
    }

    pub(super) fn changed_packages(&self, roots: &[Root]) -> Vec<(String, Text)> {
        self.roots
            .iter()
            .flat_map(|(at, before)| {
                let name = roots.get(*at).map_or_else(String::new, |r| r.name.clone());
                before
                    .changed
                    .iter()
                    .map(move |package| (name.clone(), package.clone()))
                    .collect::<Vec<_>>()
            })
            .collect()
    }

    /// Returns the current states of the changed packages, after judging.
    pub(super) fn outcome(&self, roots: &[Root]) -> PackageStates {
        self.roots
            .iter()
            .flat_map(|(at, before)| {
                let current = |name: &Text| roots.get(*at)?.catalog.package(name).cloned();
                before
                    .changed
                    .iter()
                    .map(|name| ((*at, name.clone()), current(name)))
                    .collect::<Vec<_>>()
            })
            .collect()
    }

    /// Returns the effects of the change on packages, in any catalog.
    pub(super) fn changed_values(&self, roots: &[Root]) -> ChangedValues {
        let mut changed_values = ChangedValues::default();
        for (at, before) in &self.roots {
            let Some(root) = roots.get(*at) else { continue };
            for name in &before.changed {
                let old = before
                    .packages
                    .get(name)
                    .and_then(Option::as_ref)
                    .map(|p| &**p);
                changed_values.extend(ChangedValues::between(
                    old,
                    root.catalog.package(name).map(|p| &**p),
                ));
            }
        }
        changed_values
    }

    pub(super) fn consequences(&self, session: &Session) -> Consequences {
        let mut roots = self.roots.keys().filter_map(|at| session.roots.get(*at));
        let edits_template = roots.any(Root::is_template);
        Consequences::join(self.roots.iter().filter_map(|(at, before)| {
            let root = session.roots.get(*at)?;
            // A template in the folder of a catalog is a root of its own.
            let is_unchanged = edits_template
                && root.is_catalog()
                && before.changed.iter().all(|package| package.is_empty())
                && before.verdict == root.shared_verdict();
            (!is_unchanged).then(|| self.root_consequences(root, before, session))
        }))
    }

    fn root_consequences(
        &self,
        root: &Root,
        before: &RootBefore,
        session: &Session,
    ) -> Consequences {
        let packages = before.changed.iter().map(|name| PackageChange {
            before: before.packages.get(name).and_then(Option::as_ref),
            after: root.catalog.package(name),
        });
        let mut consequences = consequences::for_root(&RootChange {
            root: &root.name,
            before: &before.verdict,
            after: root.verdict(),
            catalog: root.catalog(),
            resolver_cache: root.resolver_cache(),
            unpublished: session
                .changes()
                .find_unpublished(root, before.packages.values().flatten()),
            packages: packages.collect(),
            is_failure: root.failure_test(),
        });
        let is_judged = root.rendering().is_none_or(|rendering| {
            let before = self.rendered.get(&rendering.template);
            rendering.is_complete() && before.is_none_or(|before| before.rendering.is_complete())
        });
        if root.is_template() || !is_judged {
            // `opm` does not judge it.
            consequences.verdicts.clear();
        }
        let unreadable = self.files_being_typed(&session.files, root);
        if !unreadable.is_empty() {
            return consequences.with_unreadable_files(&root.name, unreadable);
        }
        if root.is_template() && self.rendered.contains_key(&root.name) {
            // Effects on users are reported for the rendered catalog.
            let Consequences {
                problems_gained,
                problems_lost,
                ..
            } = consequences;
            return Consequences {
                problems_gained,
                problems_lost,
                ..Consequences::default()
            };
        }
        consequences
    }

    /// Returns the files of a root, by their relative path, that the user is typing in and that are
    /// unreadable now but were readable before.
    fn files_being_typed(&self, files: &OpenFiles, root: &Root) -> Vec<String> {
        let typed = self.files.iter().filter(|_| self.is_typed);
        let files = typed.filter_map(|(id, before)| Some((files.by_id.get(id)?, before.as_ref()?)));
        let broken = files.filter(|(file, before)| {
            let is_faulty =
                |version: &Version| version.index().is_some_and(|index| index.has_faults());
            root.contains_file(&file.path)
                && file.current.as_ref().is_some_and(is_faulty)
                && !is_faulty(before)
        });
        broken
            .map(|(file, _)| root.relative(&file.path).to_owned())
            .collect()
    }
}

impl Session {
    /// Sets the current version. Verdicts are stale until [`Session::judge_changes`].
    pub(super) fn set(
        &mut self,
        id: FileId,
        version: Option<Version>,
        tracker: &mut ChangeTracker,
    ) {
        self.preview_cache = None;
        let Some(file) = self.files.by_id.get_mut(&id) else {
            return;
        };
        // A file that the host has written is never removed, only emptied.
        let version = match version {
            None if file.saved.is_some() => Some(Version::empty(id)),
            version => version,
        };
        let old = std::mem::replace(&mut file.current, version.clone());
        let path = file.path.clone();
        tracker.files.entry(id).or_insert_with(|| old.clone());
        self.files.by_path.insert(path.clone(), id);
        for at in 0..self.roots.len() {
            let root = &self.roots[at];
            if root.rendering().is_some() || !root.contains_file(&path) {
                continue;
            }
            self.set_in_root(at, id, &path, (old.as_ref(), version.as_ref()), tracker);
        }
    }

    /// Like [`Session::set`], for one of the roots that contain the file.
    pub(super) fn set_in_root(
        &mut self,
        at: usize,
        id: FileId,
        path: &str,
        (old, new): (Option<&Version>, Option<&Version>),
        tracker: &mut ChangeTracker,
    ) {
        let Some(root) = self.roots.get_mut(at) else {
            return;
        };
        let before = tracker.roots.entry(at);
        let before = before.or_insert_with(|| RootBefore::new(root.shared_verdict()));
        for name in affected_packages(old, new, root) {
            let package = root.catalog.package(&name).cloned();
            before.packages.entry(name).or_insert(package);
        }
        before
            .changed
            .extend(root.update(id, path, new.map(|v| v.content.clone())));
        if root.is_template() {
            self.origins.take();
        }
    }

    /// Renders catalogs affected by the changes again, and judges all changes.
    pub(super) fn judge_changes(&mut self, tracker: &mut ChangeTracker) {
        self.render_again(tracker);
        for (at, before) in &mut tracker.roots {
            let Some(root) = self.roots.get(*at) else {
                continue;
            };
            before.drop_unchanged(root);
            before.snapshot = Some(root.snapshot(&before.changed));
        }
        let others = self.rejudge(tracker);
        let others = others.into_iter();
        tracker
            .roots
            .extend(others.map(|(at, verdict)| (at, RootBefore::new(verdict))));
    }

    /// Restores the previous files and verdicts. Nothing is judged again unless other catalogs were
    /// affected.
    pub(super) fn restore(&mut self, mut tracker: ChangeTracker) {
        self.restore_rendered(&mut tracker);
        let can_restore = !tracker.provides_changed
            && tracker
                .roots
                .values()
                .all(|before| before.snapshot.is_some());
        if !can_restore {
            self.rejudge(&mut tracker);
            return;
        }
        for (at, before) in &tracker.roots {
            if let (Some(root), Some(snapshot)) = (self.roots.get_mut(*at), &before.snapshot) {
                root.restore_snapshot(snapshot);
            }
        }
    }

    /// Judges the changes and updates the affected verdicts. If these catalogs now provide
    /// something different, the verdicts of catalogs that require it are updated too. Returns the
    /// latter if their verdict changed, with the previous verdict.
    fn rejudge(&mut self, tracker: &mut ChangeTracker) -> Vec<(usize, Rc<Verdict>)> {
        let mut provides_changed = false;
        for (at, before) in &tracker.roots {
            if let Some(root) = self.roots.get_mut(*at) {
                root.update_published(&self.files);
                provides_changed |= root.judge(
                    &before.changed,
                    &mut self.open_catalogs,
                    &mut self.counters.packages_judged,
                );
            }
        }
        tracker.provides_changed |= provides_changed;
        let mut others = Vec::new();
        for (at, root) in self.roots.iter_mut().enumerate() {
            if provides_changed {
                root.invalidate_cross_package();
            }
            let is_touched = tracker.roots.contains_key(&at);
            if is_touched {
                root.update_verdict(&self.open_catalogs);
            } else if provides_changed && root.config().settings.looks_at_other_catalogs() {
                let before = root.shared_verdict();
                root.update_verdict(&self.open_catalogs);
                if *root.verdict() != *before {
                    others.push((at, before));
                }
            }
        }
        others
    }
}

/// Returns the packages that may differ between the two versions.
fn affected_packages(old: Option<&Version>, new: Option<&Version>, root: &Root) -> BTreeSet<Text> {
    let contents = || old.iter().chain(&new).map(|v| &v.content);
    if root.is_template() || contents().any(|c| matches!(c, Content::Ignore(_))) {
        return root.catalog.packages().map(|p| p.name.clone()).collect();
    }
    let indexes = contents().filter_map(|c| match c {
        Content::Indexed(index) => Some(index),
        _ => None,
    });
    indexes
        .flat_map(|index| &index.blobs)
        .map(|blob| blob.body.package().cloned().unwrap_or_default())
        .collect()
}
