//! Records the effects of steps: changed channels and entries, unused files, and the state of the disk.

use super::{Host, refused_steps};
use crate::views::changes;
use crate::views::status::changed_paths;
use catalog::model::{ChannelBlob, Package};
use protocol::disk_check::{BothSides, DiskCheck, DiskFile, DiskState};
use protocol::query::{CheckDisk, HandleWithFiles, Merge, NoteSaved, QueryResult, TakeTheirs};
use protocol::response::{OperationRefusal, Saved};
use protocol::views::UnusedFileRow;
use session::{Applied, HostFile, HostFileState, Session};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use syntax::place::Text;

/// All packages of the session. Packages are shared, so each costs only a pointer.
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
    pub(super) fn take(session: &Session) -> Self {
        let of_root = |root: &session::Root| {
            let packages = root.catalog().packages();
            (
                root.name.clone(),
                packages
                    .map(|package| (package.name.clone(), package.clone()))
                    .collect(),
            )
        };
        Self {
            roots: session.roots().iter().map(of_root).collect(),
        }
    }
}

impl Touched {
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

    pub(crate) fn has(&self, root: &str, package: &str) -> bool {
        self.packages
            .keys()
            .any(|(catalog, name)| catalog == root && **name == *package)
    }

    /// Returns the changed channels and entries of a package, as pairs of channel and entry; "" as the entry means the
    /// channel itself.
    pub(crate) fn entries<'a>(
        &'a self,
        root: &'a str,
        package: &'a str,
    ) -> impl Iterator<Item = (Text, Text)> + 'a {
        let of_package = self
            .packages
            .iter()
            .filter(move |((catalog, name), _)| catalog == root && **name == *package);
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

/// The edges of an entry's line, without positions: `replaces`, `skips`, `skipRange`.
type EntryEdges<'a> = (&'a Text, Vec<&'a Text>, &'a Text);

/// Returns the lines of each entry; an entry that is listed twice has two.
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

/// The unused files that the page already has.
#[derive(Debug, Default)]
pub(super) struct UnusedFilesSent {
    /// Reasons by path.
    rows: BTreeMap<String, String>,
    /// Files that had unsaved edits when the rows were sent; an undo may have reverted them since.
    edited: Vec<String>,
}

impl UnusedFilesSent {
    /// Returns all unused files and records them as sent.
    pub(super) fn all(&mut self, session: &Session) -> Vec<UnusedFileRow> {
        let all = session::unused_files(session);
        self.rows = all
            .iter()
            .map(|stray| (stray.path.clone(), stray.reason.clone()))
            .collect();
        self.edited = changed_paths(session);
        all.into_iter()
            .map(|stray| UnusedFileRow {
                path: stray.path,
                reason: stray.reason,
            })
            .collect()
    }

    /// Returns all unused files if an edit changed the set; `None` if the page is up to date. Takes time linear in the
    /// edited files.
    pub(super) fn after_edit(&mut self, session: &Session) -> Option<Vec<UnusedFileRow>> {
        let edited = changed_paths(session);
        let is_other = |path: &String| {
            // An ignore file can affect any file.
            path.ends_with(".indexignore")
                || session::unused_file(session, path)
                    .map(|unused| unused.reason)
                    .as_ref()
                    != self.rows.get(path)
        };
        let are_others = edited.iter().chain(&self.edited).any(is_other);
        self.edited = edited;
        are_others.then(|| self.all(session))
    }
}

impl HandleWithFiles<CheckDisk> for Host {
    fn handle_with_files(&mut self, _: CheckDisk, files: Vec<DiskFile>) -> QueryResult<CheckDisk> {
        let check = |file: DiskFile| {
            let path = file.path.clone();
            let state = self
                .check(file)
                .unwrap_or_else(|reason| DiskState::Unreadable { reason });
            DiskCheck { path, state }
        };
        Ok(files.into_iter().map(check).collect())
    }
}

impl HandleWithFiles<Merge> for Host {
    fn handle_with_files(&mut self, _: Merge, files: Vec<DiskFile>) -> QueryResult<Merge> {
        let files = files.into_iter().map(|file| self.existing_file(file));
        let files = files
            .collect::<Result<_, _>>()
            .map_err(OperationRefusal::new)?;
        let rebased = session::rebase(&mut self.session, files)?;
        Ok(self.replay_rebased(rebased))
    }
}

impl HandleWithFiles<TakeTheirs> for Host {
    fn handle_with_files(
        &mut self,
        TakeTheirs { view }: TakeTheirs,
        mut files: Vec<DiskFile>,
    ) -> QueryResult<TakeTheirs> {
        let file = files
            .pop()
            .ok_or_else(|| OperationRefusal::new("the request has no file"))?;
        let file = self.existing_file(file).map_err(OperationRefusal::new)?;
        self.step(view, |session| session::take_theirs(session, file))
    }
}

impl HandleWithFiles<NoteSaved> for Host {
    fn handle_with_files(&mut self, _: NoteSaved, files: Vec<DiskFile>) -> QueryResult<NoteSaved> {
        let mut differing = Vec::new();
        for file in files {
            let path = file.path.clone();
            let same = self.existing_file(file).and_then(|file| {
                session::mark_saved(&mut self.session, file).map_err(|why| why.reason)
            });
            if same != Ok(true) {
                differing.push(path);
            }
        }
        Ok(Saved {
            status: self.status(),
            differing,
        })
    }
}

impl Host {
    fn check(&mut self, file: DiskFile) -> Result<DiskState, String> {
        let DiskFile { path, bytes } = file;
        let host = bytes?.map(|bytes| HostFile {
            id: self.new_file_id(),
            path: path.clone(),
            bytes,
        });
        Ok(
            match session::compare_with_host(&mut self.session, &path, host)
                .map_err(|refused| refused.reason)?
            {
                HostFileState::AsRead => DiskState::AsRead,
                HostFileState::AsHere => DiskState::AsHere,
                HostFileState::Gone => DiskState::Gone,
                HostFileState::Changed(changed) => {
                    let rebased = changed.merged.map_err(|refused| refused.reason)?;
                    DiskState::Changed(Box::new(BothSides {
                        theirs: changes::file_diff(&changed.theirs),
                        mine: changes::file_diff(&changed.mine),
                        fitting: rebased.kept_steps() as u32,
                        refused: refused_steps(&rebased),
                    }))
                }
            },
        )
    }

    fn existing_file(&mut self, file: DiskFile) -> Result<HostFile, String> {
        let DiskFile { path, bytes } = file;
        match bytes? {
            Some(bytes) => Ok(HostFile {
                id: self.new_file_id(),
                path,
                bytes,
            }),
            None => Err(format!("{path} is no longer on disk")),
        }
    }
}
