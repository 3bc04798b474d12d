//! Assembles packages from blobs, completely or for one changed file.

use super::*;

/// Initial distance of neighbouring ranks.
const GAP: u32 = 1 << 12;

impl Catalog {
    pub(super) fn renumber(&mut self) {
        let gap = GAP
            .min(u32::MAX / (self.files.len() as u32).saturating_add(2))
            .max(1);
        for (i, file) in self.files.iter_mut().enumerate() {
            file.rank = (i as u32 + 1).saturating_mul(gap);
        }
        self.index_positions();
    }

    pub(super) fn index_positions(&mut self) {
        self.position = self
            .files
            .iter()
            .enumerate()
            .map(|(i, f)| (f.id, i))
            .collect();
    }

    pub(super) fn assemble_all(&mut self) {
        let mut packages: HashMap<Text, Package> = HashMap::default();
        for file in self.files.iter().filter(|f| !f.ignored) {
            let Some(index) = file.index() else { continue };
            for (i, blob) in index.blobs.iter().enumerate() {
                let Some(name) = package_of(&blob.body) else {
                    continue;
                };
                let package = packages.entry(name.clone()).or_insert_with(|| Package {
                    name: name.clone(),
                    ..Package::default()
                });
                push(package, &blob.body, file.id, i as u32, file.rank);
            }
        }
        self.packages = packages
            .into_iter()
            .map(|(name, package)| (name, Arc::new(package)))
            .collect();
    }

    /// Applies changed patterns, which may change the effective files.
    pub(super) fn apply_ignore_rules(&mut self) -> BTreeSet<Text> {
        let before: Vec<(FileId, bool)> = self.files.iter().map(|f| (f.id, f.ignored)).collect();
        self.read_ignore_rules();
        let mut changed = BTreeSet::new();
        for (id, was_ignored) in before {
            let Some(file) = self.file(id) else { continue };
            let Some(index) = file.index().cloned() else {
                continue;
            };
            match (was_ignored, file.ignored) {
                (false, true) => changed.extend(self.exchange(id, Some(&index), None)),
                (true, false) => changed.extend(self.exchange(id, None, Some(&index))),
                _ => {}
            }
        }
        changed
    }

    pub(super) fn exchange(
        &mut self,
        id: FileId,
        before: Option<&FileIndex>,
        after: Option<&FileIndex>,
    ) -> BTreeSet<Text> {
        let rank = self.file(id).map_or(0, |f| f.rank);
        self.exchange_at(id, rank, before, after)
    }

    /// Replaces the blobs of one file in the packages that its old or new blobs name.
    pub(super) fn exchange_at(
        &mut self,
        id: FileId,
        rank: u32,
        before: Option<&FileIndex>,
        after: Option<&FileIndex>,
    ) -> BTreeSet<Text> {
        let mut parts: HashMap<Text, Package> = HashMap::default();
        for blob in before.map_or(&[][..], |i| &i.blobs) {
            if let Some(name) = package_of(&blob.body) {
                parts.entry(name.clone()).or_default();
            }
        }
        for (i, blob) in after.map_or(&[][..], |i| &i.blobs).iter().enumerate() {
            if let Some(name) = package_of(&blob.body) {
                push(
                    parts.entry(name.clone()).or_default(),
                    &blob.body,
                    id,
                    i as u32,
                    rank,
                );
            }
        }
        let mut changed = BTreeSet::new();
        for (name, part) in parts {
            let package = self.packages.entry(name.clone()).or_insert_with(|| {
                Arc::new(Package {
                    name: name.clone(),
                    ..Package::default()
                })
            });
            let package = Arc::make_mut(package);
            let mut differs = splice(&mut package.packages, part.packages, id, rank);
            differs |= splice(&mut package.channels, part.channels, id, rank);
            differs |= splice(&mut package.bundles, part.bundles, id, rank);
            differs |= splice(&mut package.deprecations, part.deprecations, id, rank);
            differs |= splice(&mut package.others, part.others, id, rank);
            if is_empty(package) {
                self.packages.remove(&name);
            }
            if differs {
                changed.insert(name);
            }
        }
        changed
    }
}

/// Replaces the run of one file in a list in load order. True if facts differ, not only positions.
fn splice<T: PartialEq>(
    list: &mut Vec<Located<T>>,
    new: Vec<Located<T>>,
    file: FileId,
    rank: u32,
) -> bool {
    let start = list.partition_point(|l| l.order >> 32 < u64::from(rank));
    let length = list[start..].iter().take_while(|l| l.file == file).count();
    let old = &list[start..start + length];
    let same = old.len() == new.len()
        && old
            .iter()
            .zip(&new)
            .all(|(a, b)| Arc::ptr_eq(&a.data, &b.data) || a.data == b.data);
    list.splice(start..start + length, new);
    !same
}

fn is_empty(package: &Package) -> bool {
    package.packages.is_empty()
        && package.channels.is_empty()
        && package.bundles.is_empty()
        && package.deprecations.is_empty()
        && package.others.is_empty()
}

/// The package that a blob names. Blobs of unknown schemas may name none.
fn package_of(body: &Body) -> Option<&Text> {
    match body {
        Body::Package(b) => Some(&b.name.value),
        Body::Channel(b) => Some(&b.package.value),
        Body::Bundle(b) => Some(&b.package.value),
        Body::Deprecations(b) => Some(&b.package.value),
        Body::Other(b) => Some(&b.package.value).filter(|name| !name.is_empty()),
        Body::Unreadable => None,
    }
}

fn push(package: &mut Package, body: &Body, file: FileId, index: u32, rank: u32) {
    let order = u64::from(rank) << 32 | u64::from(index);
    fn locate<T>(data: &Arc<T>, file: FileId, index: u32, order: u64) -> Located<T> {
        Located {
            file,
            index,
            order,
            data: data.clone(),
        }
    }
    match body {
        Body::Package(b) => package.packages.push(locate(b, file, index, order)),
        Body::Channel(b) => package.channels.push(locate(b, file, index, order)),
        Body::Bundle(b) => package.bundles.push(locate(b, file, index, order)),
        Body::Deprecations(b) => package.deprecations.push(locate(b, file, index, order)),
        Body::Other(b) => package.others.push(locate(b, file, index, order)),
        Body::Unreadable => {}
    }
}
