//! An operator repository among the opened items, whose files are found operator by operator. A
//! public one has tens of thousands, and the browser provides each separately: before an operator
//! is in view, only its folders' names are known.

use super::file_tree::{FileTree, FileWalk, Node, WalkObserver, sort_out};
use futures::future::join_all;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

const OPERATORS: &str = "operators";
const CATALOGS: &str = "catalogs";
/// Git's folder. Only its index is read.
const GIT: &str = ".git";
const GIT_INDEX: &str = "index";
const MAPPING: &str = "ci.yaml";

/// Files or folders with their paths.
type Named = Vec<(String, Node)>;

/// Files of a repository that are found together.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum RepositoryPart {
    /// An operator's folder, and its folders in catalogs.
    Operator(String),
    /// A whole catalog, and the `ci.yaml` of every operator: the input of a promotion.
    Catalog(String),
}

/// The names of a repository's folders, and which parts were walked completely.
#[derive(Debug, Clone)]
pub(super) struct RepositoryFolders {
    names: Rc<FolderNames>,
    parts: BTreeSet<RepositoryPart>,
}

#[derive(Debug)]
struct FolderNames {
    /// Operator folders by name.
    operators: BTreeMap<String, Node>,
    /// Operator folders in catalogs, by catalog and operator.
    catalogs: BTreeMap<String, BTreeMap<String, Node>>,
    /// Files outside operators, with their repository paths.
    files: Vec<(String, Node)>,
}

impl RepositoryFolders {
    /// Finds the folders of a repository; `None` if `root` is something else. Lists two levels of
    /// folders.
    pub(super) async fn find(root: &Node) -> Option<Self> {
        let all = |_: usize| true;
        let top = root.children(&all).await.ok()?;
        let (operators, catalogs) = (top.get(OPERATORS)?.clone(), top.get(CATALOGS)?.clone());
        let mut files: Vec<(String, Node)> = Vec::new();
        let mut folders_of = |children: BTreeMap<String, Node>, above: &str| {
            let (folders, others): (BTreeMap<_, _>, BTreeMap<_, _>) =
                children.into_iter().partition(|(_, node)| node.is_folder());
            files.extend(
                others
                    .into_iter()
                    .map(|(name, node)| (format!("{above}{name}"), node)),
            );
            folders
        };
        let operators = folders_of(operators.children(&all).await.ok()?, "operators/");
        let in_catalogs = folders_of(catalogs.children(&all).await.ok()?, "catalogs/");
        let listed = join_all(in_catalogs.values().map(|node| node.children(&all))).await;
        let catalogs: BTreeMap<String, BTreeMap<String, Node>> = in_catalogs
            .into_keys()
            .zip(listed)
            .map(|(name, children)| {
                let folders =
                    folders_of(children.unwrap_or_default(), &format!("catalogs/{name}/"));
                (name, folders)
            })
            .collect();
        let git = top.get(GIT).filter(|node| node.is_folder()).cloned();
        folders_of(top, "");
        if let Some(git) = git
            && let Some(index) = git
                .children(&all)
                .await
                .ok()
                .and_then(|mut children| children.remove(GIT_INDEX))
        {
            files.push((format!("{GIT}/{GIT_INDEX}"), index));
        }
        let is_one = !operators.is_empty() && catalogs.values().any(|catalog| !catalog.is_empty());
        is_one.then(|| Self {
            names: Rc::new(FolderNames {
                operators,
                catalogs,
                files,
            }),
            parts: BTreeSet::new(),
        })
    }

    /// Adds the folder names of the table, with a trailing `/`, to `walk`. Returns the files outside
    /// operators.
    fn outline(&self, root: &str, walk: &mut FileWalk) -> Named {
        let operators = self
            .names
            .operators
            .keys()
            .map(|name| format!("{root}/{OPERATORS}/{name}/"));
        let in_catalogs = self.names.catalogs.iter().flat_map(|(catalog, operators)| {
            operators
                .keys()
                .map(move |name| format!("{root}/{CATALOGS}/{catalog}/{name}/"))
        });
        let names = operators.chain(in_catalogs);
        walk.unreadable
            .extend(names.map(|path| (path, String::new())));
        let files = self.names.files.iter();
        files
            .map(|(path, node)| (format!("{root}/{path}"), node.clone()))
            .collect()
    }

    /// Returns the folders to walk, and the files, for these parts.
    fn folders_of(&self, root: &str, parts: &BTreeSet<RepositoryPart>) -> (Named, Named) {
        let mut folders = BTreeMap::new();
        let mut with_mappings = false;
        for part in parts {
            match part {
                RepositoryPart::Operator(name) => {
                    if let Some(node) = self.names.operators.get(name) {
                        folders.insert(format!("{root}/{OPERATORS}/{name}"), node.clone());
                    }
                    for (catalog, operators) in &self.names.catalogs {
                        if let Some(node) = operators.get(name) {
                            folders.insert(
                                format!("{root}/{CATALOGS}/{catalog}/{name}"),
                                node.clone(),
                            );
                        }
                    }
                }
                RepositoryPart::Catalog(catalog) => {
                    with_mappings = true;
                    for (name, node) in self.names.catalogs.get(catalog).into_iter().flatten() {
                        folders.insert(format!("{root}/{CATALOGS}/{catalog}/{name}"), node.clone());
                    }
                }
            }
        }
        let mappings = self.names.operators.iter().filter(|(name, _)| {
            with_mappings && !folders.contains_key(&format!("{root}/{OPERATORS}/{name}"))
        });
        let mappings = mappings
            .map(|(name, node)| (format!("{root}/{OPERATORS}/{name}"), node.clone()))
            .collect();
        (folders.into_iter().collect(), mappings)
    }
}

impl FileTree {
    /// Checks whether a single folder with an operator repository was opened; then only requested
    /// parts are walked ([`FileTree::walk_parts`]).
    pub async fn find_repository(&mut self) {
        let Some(root) = self.only_folder() else {
            return;
        };
        let mut found = RepositoryFolders::find(root).await;
        if let (Some(found), Some(before)) = (&mut found, self.repository.take()) {
            found.parts = before.parts;
        }
        self.repository = found;
    }

    /// Returns the requested parts that were not walked yet; none if all files are known anyway.
    pub fn lacking(
        &self,
        wanted: impl IntoIterator<Item = RepositoryPart>,
    ) -> BTreeSet<RepositoryPart> {
        let Some(repository) = &self.repository else {
            return BTreeSet::new();
        };
        wanted
            .into_iter()
            .filter(|part| !repository.parts.contains(part))
            .collect()
    }

    /// Marks these parts as walked, so that later walks include them.
    pub fn note_walked(&mut self, parts: impl IntoIterator<Item = RepositoryPart>) {
        if let Some(repository) = &mut self.repository {
            repository.parts.extend(parts);
        }
    }

    /// Finds the files of parts of the repository.
    pub async fn walk_parts(&self, parts: &BTreeSet<RepositoryPart>) -> FileWalk {
        let (Some(repository), Some(root)) = (&self.repository, self.repository_name()) else {
            return FileWalk::default();
        };
        let (folders, mapped) = repository.folders_of(root, parts);
        let mut walk = FileWalk::default();
        let files = with_mappings(mapped, &mut walk).await;
        walk.add(folders, files, &WalkObserver::NONE).await;
        walk.sort()
    }

    /// Returns the folders and files where a repository walk starts.
    pub(super) async fn repository_start(&self, walk: &mut FileWalk) -> Option<(Named, Named)> {
        let (repository, root) = (self.repository.as_ref()?, self.repository_name()?);
        let mut files = repository.outline(root, walk);
        let (folders, mapped) = repository.folders_of(root, &repository.parts);
        files.extend(with_mappings(mapped, walk).await);
        Some((folders, files))
    }
}

/// Returns the `ci.yaml` of each of these folders.
async fn with_mappings(folders: Named, walk: &mut FileWalk) -> Named {
    let all = |_: usize| true;
    let listed = join_all(folders.iter().map(|(_, node)| node.children(&all))).await;
    let (mut files, mut none) = (Vec::new(), Vec::new());
    for ((path, _), children) in folders.into_iter().zip(listed) {
        match children.map(|mut children| children.remove(MAPPING)) {
            Ok(Some(node)) => sort_out((format!("{path}/{MAPPING}"), node), &mut none, &mut files),
            Ok(None) => {}
            Err(error) => walk
                .unreadable
                .push((path, super::file_tree::error_message(&error))),
        }
    }
    files
}
