//! Putting a version of a file in force, and remembering what was so before.

use super::Workspace;
use super::file::Version;
use super::root::{Root, Standing, Verdict};
use crate::catalog::Content;
use crate::compare::ChangedValues;
use crate::consequences::{self, Consequences, PackageChange, RootChange};
use crate::model::{Body, FileId, Package};
use crate::place::Text;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

/// What changes since it was made, by position of the root.
#[derive(Debug, Default)]
pub(super) struct Watch {
    roots: BTreeMap<usize, Before>,
    /// Other catalogs are offered something else, so that more than the watched roots was concluded.
    offers_changed: bool,
}

#[derive(Debug)]
struct Before {
    verdict: Rc<Verdict>,
    /// Packages that the touched blobs name, as they were.
    packages: BTreeMap<Text, Option<Arc<Package>>>,
    /// Packages whose facts changed.
    changed: BTreeSet<Text>,
    /// What the root concluded, once something else was.
    standing: Option<Standing>,
}

/// By position of the root.
pub(super) type Standings = BTreeMap<usize, Standing>;

/// Packages by position of their root and by name; `None`: gone.
pub(super) type Outcome = BTreeMap<(usize, Text), Option<Arc<Package>>>;

impl Watch {
    /// What the watched roots conclude now. `None` where the change reaches beyond them.
    pub(super) fn standings(&self, roots: &[Root]) -> Option<Standings> {
        if self.offers_changed {
            return None;
        }
        self.roots.iter().map(|(at, before)| Some((*at, roots.get(*at)?.standing(&before.changed)))).collect()
    }

    pub(super) fn changed_packages(&self, roots: &[Root]) -> Vec<(String, Text)> {
        let of_root = |(at, before): (&usize, &Before)| {
            let name = roots.get(*at).map_or_else(String::new, |r| r.name.clone());
            before.changed.iter().map(move |package| (name.clone(), package.clone())).collect::<Vec<_>>()
        };
        self.roots.iter().flat_map(of_root).collect()
    }

    /// The changed packages as they are now, once what changed is settled.
    pub(super) fn outcome(&self, roots: &[Root]) -> Outcome {
        let of_root = |(at, before): (&usize, &Before)| {
            let now = |name: &Text| roots.get(*at)?.catalog.package(name).cloned();
            before.changed.iter().map(|name| ((*at, name.clone()), now(name))).collect::<Vec<_>>()
        };
        self.roots.iter().flat_map(of_root).collect()
    }

    /// What the change does to packages, whatever catalog they are in.
    pub(super) fn footprint(&self, roots: &[Root]) -> ChangedValues {
        let mut footprint = ChangedValues::default();
        for (at, before) in &self.roots {
            let Some(root) = roots.get(*at) else { continue };
            for name in &before.changed {
                let was = before.packages.get(name).and_then(Option::as_ref).map(|p| &**p);
                footprint.extend(ChangedValues::of(was, root.catalog.package(name).map(|p| &**p)));
            }
        }
        footprint
    }
}

impl Workspace {
    /// Puts a version in force. Verdicts are stale until [`Workspace::settle`].
    pub(super) fn set(&mut self, id: FileId, version: Option<Version>, watch: &mut Watch) {
        self.rehearsal = None;
        let Some(file) = self.files.get_mut(&id) else { return };
        // What the host has written is never taken away, only emptied.
        let version = match version {
            None if file.saved.is_some() => Some(Version::empty(id)),
            version => version,
        };
        let old = std::mem::replace(&mut file.now, version.clone());
        let path = file.path.clone();
        self.by_path.insert(path.clone(), id);
        for at in self.roots_of(&path) {
            self.set_in(at, id, &path, (old.as_ref(), version.as_ref()), watch);
        }
    }

    /// As [`Workspace::set`], for one of the roots that the file is part of.
    fn set_in(
        &mut self,
        at: usize,
        id: FileId,
        path: &str,
        (old, new): (Option<&Version>, Option<&Version>),
        watch: &mut Watch,
    ) {
        let Some(root) = self.roots.get_mut(at) else { return };
        let before = watch.roots.entry(at).or_insert_with(|| Before {
            verdict: root.shared_verdict(),
            packages: BTreeMap::new(),
            changed: BTreeSet::new(),
            standing: None,
        });
        for name in names(old, new, root) {
            let package = root.catalog.package(&name).cloned();
            before.packages.entry(name).or_insert(package);
        }
        before.changed.extend(root.update(id, path, new.map(|v| v.content.clone())));
        if root.is_template() {
            self.origins.take();
        }
    }

    /// Judges what changed.
    pub(super) fn settle(&mut self, watch: &mut Watch) {
        for (at, before) in &mut watch.roots {
            let Some(root) = self.roots.get(*at) else { continue };
            before
                .changed
                .retain(|name| before.packages.get(name).is_none_or(|p| p.as_ref() != root.catalog.package(name)));
            before.standing = Some(root.standing(&before.changed));
        }
        let others = self.rejudge(watch);
        for (at, verdict) in others {
            let (packages, changed) = (BTreeMap::new(), BTreeSet::new());
            watch.roots.insert(at, Before { verdict, packages, changed, standing: None });
        }
    }

    /// The files are as they were: so are the verdicts. What was settled is not judged again unless other catalogs
    /// heard of it.
    pub(super) fn restore(&mut self, mut watch: Watch) {
        let is_kept = !watch.offers_changed && watch.roots.values().all(|before| before.standing.is_some());
        if !is_kept {
            self.rejudge(&mut watch);
            return;
        }
        for (at, before) in &watch.roots {
            if let (Some(root), Some(standing)) = (self.roots.get_mut(*at), &before.standing) {
                root.stand(standing);
            }
        }
    }

    /// Instead of [`Workspace::settle`], where the same state was settled once: concludes what was concluded then.
    pub(super) fn stand(&mut self, then: &Standings, watch: &mut Watch) {
        for (at, standing) in then {
            let Some(root) = self.roots.get_mut(*at) else { continue };
            if let Some(before) = watch.roots.get_mut(at) {
                before.standing = Some(root.standing(&before.changed));
            }
            root.stand(standing);
        }
    }

    /// Judges what changed, and concludes the catalogs that it lies in. Where these offer something else to others now,
    /// those are concluded too that ask for it. The answer is the ones among these that say something else, with
    /// what they said.
    fn rejudge(&mut self, watch: &mut Watch) -> Vec<(usize, Rc<Verdict>)> {
        let mut offers_changed = false;
        for (at, before) in &watch.roots {
            self.remember_published(*at);
            if let Some(root) = self.roots.get_mut(*at) {
                offers_changed |= root.judge(&before.changed, &mut self.opened, &mut self.counters.packages_judged);
            }
        }
        watch.offers_changed |= offers_changed;
        let mut others = Vec::new();
        for (at, root) in self.roots.iter_mut().enumerate() {
            if offers_changed {
                root.forget_market();
            }
            let is_touched = watch.roots.contains_key(&at);
            if is_touched {
                root.conclude(&self.opened);
            } else if offers_changed && root.config().settings.looks_at_other_catalogs() {
                let before = root.shared_verdict();
                root.conclude(&self.opened);
                if *root.verdict() != *before {
                    others.push((at, before));
                }
            }
        }
        others
    }

    pub(super) fn consequences(&self, watch: &Watch) -> Consequences {
        let change = |(at, before): (&usize, &Before)| {
            let root = self.roots.get(*at)?;
            let packages = before.changed.iter().map(|name| PackageChange {
                before: before.packages.get(name).and_then(Option::as_ref),
                after: root.catalog.package(name),
            });
            let mut follow = consequences::of_root(&RootChange {
                root: &root.name,
                before: &before.verdict,
                after: root.verdict(),
                catalog: root.catalog(),
                resolver_cache: root.resolver_cache(),
                packages: packages.collect(),
                is_failure: root.failure(),
            });
            if root.is_template() {
                // `opm` has no verdict on it.
                follow.verdicts.clear();
            }
            Some(follow)
        };
        Consequences::joined(watch.roots.iter().filter_map(change))
    }
}

/// Packages that a change from one version to the other can touch.
fn names(old: Option<&Version>, new: Option<&Version>, root: &Root) -> BTreeSet<Text> {
    let contents = || old.iter().chain(&new).map(|v| &v.content);
    if root.is_template() || contents().any(|c| matches!(c, Content::Ignore(_))) {
        return root.catalog.packages().map(|p| p.name.clone()).collect();
    }
    let indexes = contents().filter_map(|c| match c {
        Content::Indexed(index) => Some(index),
        _ => None,
    });
    indexes.flat_map(|index| &index.blobs).map(|blob| package_name(&blob.body)).collect()
}

pub(super) fn package_name(body: &Body) -> Text {
    match body {
        Body::Package(b) => b.name.value.clone(),
        Body::Channel(b) => b.package.value.clone(),
        Body::Bundle(b) => b.package.value.clone(),
        Body::Deprecations(b) => b.package.value.clone(),
        Body::Other(b) => b.package.value.clone(),
        Body::Unreadable => Text::default(),
    }
}
