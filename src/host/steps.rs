//! Determines what a step changed for the page: channels, entries and unused files.

use crate::views::status::changed_paths;
use catalog::model::{ChannelBlob, Package};
use protocol::views::UnusedFileRow;
use session::{Applied, Root, Session};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use syntax::place::Text;

/// All packages of the session. Packages are shared, so each costs only a pointer.
#[derive(Debug, Default)]
pub(super) struct Snapshot {
    roots: BTreeMap<String, BTreeMap<Text, Arc<Package>>>,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct ChangedEntries {
    /// By catalog and package: pairs of channel and entry. "" as the entry means the channel
    /// itself.
    packages: BTreeMap<(String, Text), BTreeSet<(Text, Text)>>,
}

impl Snapshot {
    pub(super) fn take(session: &Session) -> Self {
        let packages = |root: &Root| {
            let packages = root.catalog().packages();
            packages
                .map(|package| (package.name.clone(), package.clone()))
                .collect()
        };
        let roots = session.roots().iter();
        Self {
            roots: roots
                .map(|root| (root.name.clone(), packages(root)))
                .collect(),
        }
    }
}

impl ChangedEntries {
    /// Compares the packages of an applied step with those in `before`.
    pub(super) fn since(before: &Snapshot, session: &Session, applied: &Applied) -> Self {
        let empty = Package::default();
        let packages = applied.packages.iter().map(|(root, name)| {
            let key = (root.clone(), name.clone());
            let old = before
                .roots
                .get(root)
                .and_then(|packages| packages.get(name))
                .map_or(&empty, |package| package);
            let new = session
                .root(Some(root))
                .ok()
                .and_then(|root| root.catalog().package(name));
            let entries = changed_entries(old, new.map_or(&empty, |package| package));
            (key, entries)
        });
        Self {
            packages: packages.collect(),
        }
    }

    /// Adds the changes of an earlier part of this step.
    pub(super) fn extend(&mut self, other: Self) {
        for (key, entries) in other.packages {
            self.packages.entry(key).or_default().extend(entries);
        }
    }

    /// Whether the step concerned the package.
    pub(crate) fn has_package(&self, root: &str, package: &str) -> bool {
        self.packages
            .keys()
            .any(|(catalog, name)| catalog == root && **name == *package)
    }

    /// Returns the changed channels and entries of a package, as pairs of channel and entry; "" as
    /// the entry means the channel itself.
    pub(crate) fn entries<'a>(
        &'a self,
        root: &'a str,
        package: &'a str,
    ) -> impl Iterator<Item = (Text, Text)> + 'a {
        let packages = self
            .packages
            .iter()
            .filter(move |((catalog, name), _)| catalog == root && **name == *package);
        packages.flat_map(|(_, entries)| entries.iter().cloned())
    }
}

fn changed_entries(old: &Package, new: &Package) -> BTreeSet<(Text, Text)> {
    let mut changed = BTreeSet::new();
    if old.default_channel() != new.default_channel() {
        changed.extend(
            [old, new].map(|package| (Text::from(package.default_channel()), Text::default())),
        );
    }
    let channels = old.channels.iter().chain(&new.channels);
    let names: BTreeSet<&Text> = channels.map(|channel| &channel.name.value).collect();
    let (old_channels, new_channels) = (old.channels_by_name(), new.channels_by_name());
    for name in names {
        let old = old_channels
            .get(&**name)
            .and_then(|blobs| blobs.first().copied());
        let new = new_channels
            .get(&**name)
            .and_then(|blobs| blobs.first().copied());
        if let (Some(old), Some(new)) = (old, new)
            && Arc::ptr_eq(&old.data, &new.data)
        {
            continue;
        }
        let old = edges_by_entry(old.map(|channel| &**channel));
        let new = edges_by_entry(new.map(|channel| &**channel));
        if old.is_empty() != new.is_empty() || old.keys().ne(new.keys()) {
            changed.insert((name.clone(), Text::default()));
        }
        let entries: BTreeSet<&Text> = old.keys().chain(new.keys()).copied().collect();
        let differing = entries
            .into_iter()
            .filter(|entry| old.get(entry) != new.get(entry));
        changed.extend(differing.map(|entry| (name.clone(), entry.clone())));
    }
    changed
}

/// The edges of an entry's line, without positions.
#[derive(PartialEq)]
struct EntryEdges<'a> {
    replaces: &'a Text,
    skips: Vec<&'a Text>,
    skip_range: &'a Text,
}

/// Returns the edges of each line of each entry: an entry that is listed twice has two lines.
fn edges_by_entry(channel: Option<&ChannelBlob>) -> BTreeMap<&Text, Vec<EntryEdges<'_>>> {
    let mut lines: BTreeMap<&Text, Vec<EntryEdges<'_>>> = BTreeMap::new();
    for entry in channel.map_or(&[][..], |channel| &channel.entries) {
        let edges = EntryEdges {
            replaces: &entry.replaces.value,
            skips: entry.skips.iter().map(|skip| &skip.value).collect(),
            skip_range: &entry.skip_range.value,
        };
        lines.entry(&entry.name.value).or_default().push(edges);
    }
    lines
}

/// The unused files that the page already has.
#[derive(Debug, Default)]
pub(super) struct UnusedFilesSent {
    /// By path.
    reasons: BTreeMap<String, Option<String>>,
    /// Files that had unsaved edits when the rows were sent; an undo may have reverted them since.
    edited: Vec<String>,
}

impl UnusedFilesSent {
    /// Returns all unused files and records them as sent.
    pub(super) fn all(&mut self, session: &Session) -> Vec<UnusedFileRow> {
        let unused = session::unused_files(session);
        self.reasons = unused
            .iter()
            .map(|file| (file.path.clone(), file.reason.clone()))
            .collect();
        self.edited = changed_paths(session);
        unused
    }

    /// Returns all unused files if an edit changed the set; `None` if the page is up to date. Takes
    /// time linear in the edited files.
    pub(super) fn after_edit(&mut self, session: &Session) -> Option<Vec<UnusedFileRow>> {
        let edited = changed_paths(session);
        let has_changed = edited
            .iter()
            .chain(&self.edited)
            .any(|path| self.may_have_changed(session, path));
        self.edited = edited;
        has_changed.then(|| self.all(session))
    }

    fn may_have_changed(&self, session: &Session, path: &str) -> bool {
        // An ignore file can affect any file.
        if path.ends_with(".indexignore") {
            return true;
        }
        let unused = session::unused_file(session, path);
        unused.map(|file| file.reason).as_ref() != self.reasons.get(path)
    }
}
