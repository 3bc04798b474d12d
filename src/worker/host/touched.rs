//! The packages, channels and entries whose facts a step changed, so that lists and lanes can mark them.

use fbc::model::{ChannelBlob, Package};
use fbc::place::Text;
use fbc::workspace::{Applied, Workspace};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// All packages of the workspace. They are shared, so each costs a pointer.
#[derive(Debug, Default)]
pub(super) struct Snapshot {
    roots: BTreeMap<String, BTreeMap<Text, Arc<Package>>>,
}

/// Changed channels and entries, by catalog and package.
#[derive(Debug, Clone, Default)]
pub(crate) struct Touched {
    packages: BTreeMap<(String, Text), BTreeSet<(Text, Text)>>,
}

impl Snapshot {
    pub(super) fn take(workspace: &Workspace) -> Self {
        let of_root = |root: &fbc::workspace::Root| {
            let packages = root.catalog().packages();
            (
                root.name.clone(),
                packages
                    .map(|package| (package.name.clone(), package.clone()))
                    .collect(),
            )
        };
        Self {
            roots: workspace.roots().iter().map(of_root).collect(),
        }
    }
}

impl Touched {
    pub(super) fn since(before: &Snapshot, workspace: &Workspace, applied: &Applied) -> Self {
        let empty = Package::default();
        let packages = applied.packages.iter().map(|(root, name)| {
            let key = (root.clone(), name.clone());
            let old = before
                .roots
                .get(root)
                .and_then(|packages| packages.get(name))
                .map_or(&empty, |package| package);
            let new = workspace
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

    /// Adds the changes of another part of the same step.
    pub(super) fn extend(&mut self, other: Self) {
        for (key, entries) in other.packages {
            self.packages.entry(key).or_default().extend(entries);
        }
    }

    pub(crate) fn has(&self, root: &str, package: &str) -> bool {
        self.packages
            .keys()
            .any(|(of, name)| of == root && **name == *package)
    }

    /// Pairs of channel and entry; the entry "" is the channel itself.
    pub(crate) fn entries<'a>(
        &'a self,
        root: &'a str,
        package: &'a str,
    ) -> impl Iterator<Item = (Text, Text)> + 'a {
        let of_package = self
            .packages
            .iter()
            .filter(move |((of, name), _)| of == root && **name == *package);
        of_package.flat_map(|(_, entries)| entries.iter().cloned())
    }
}

fn changed_entries(old: &Package, new: &Package) -> BTreeSet<(Text, Text)> {
    let mut changed = BTreeSet::new();
    if old.default_channel() != new.default_channel() {
        changed.extend(
            [old, new].map(|package| (Text::from(package.default_channel()), Text::default())),
        );
    }
    let names: BTreeSet<&Text> = [old, new]
        .into_iter()
        .flat_map(|p| &p.channels)
        .map(|c| &c.name.value)
        .collect();
    let blobs = [old, new].map(Package::channels_by_name);
    for name in names {
        let [was, is] = blobs
            .each_ref()
            .map(|blobs| blobs.get(&**name)?.first().copied());
        if was
            .zip(is)
            .is_some_and(|(was, is)| Arc::ptr_eq(&was.data, &is.data))
        {
            continue;
        }
        let (was, is) = (lines(was.map(|c| &**c)), lines(is.map(|c| &**c)));
        if was.is_empty() != is.is_empty() || was.keys().ne(is.keys()) {
            changed.insert((name.clone(), Text::default()));
        }
        let both: BTreeSet<&Text> = was.keys().chain(is.keys()).copied().collect();
        changed.extend(
            both.iter()
                .filter(|e| was.get(*e) != is.get(*e))
                .map(|e| (name.clone(), (*e).clone())),
        );
    }
    changed
}

/// The edges of a line, without places: replaces, skips, skip range.
type EntryEdges<'a> = (&'a Text, Vec<&'a Text>, &'a Text);

/// A channel's lines for each entry; more than one if the entry is listed twice.
fn lines(channel: Option<&ChannelBlob>) -> BTreeMap<&Text, Vec<EntryEdges<'_>>> {
    let mut lines: BTreeMap<&Text, Vec<EntryEdges<'_>>> = BTreeMap::new();
    for entry in channel.map_or(&[][..], |channel| &channel.entries) {
        let skips = entry.skips.iter().map(|skip| &skip.value).collect();
        lines.entry(&entry.name.value).or_default().push((
            &entry.replaces.value,
            skips,
            &entry.skip_range.value,
        ));
    }
    lines
}
