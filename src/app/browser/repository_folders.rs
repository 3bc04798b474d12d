//! Finds the files of an opened operator repository, one operator at a time. A public repository
//! has tens of thousands of files, and the browser provides each separately: until an operator is
//! in view, only its folders' names are known.

use super::file_tree::{FileTree, FileWalk, Node, WalkObserver, error_message};
use crate::state::save_state::FileFailure;
use futures::future::join_all;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

const OPERATORS: &str = "operators";
const CATALOGS: &str = "catalogs";
/// Git's folder. Only its index is read.
const GIT: &str = ".git";
const GIT_INDEX: &str = "index";
/// An operator's file that maps its templates to catalogs.
const MAPPING: &str = "ci.yaml";

/// Files or folders with their paths.
type PathNodes = Vec<(String, Node)>;
type Folders = BTreeMap<String, Node>;

/// Files of a repository that are found together.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum RepositoryPart {
    /// An operator's folder, and its folders in catalogs.
    Operator(String),
    /// A whole catalog, and the `ci.yaml` of every operator: the input of a promotion.
    Catalog(String),
}

/// Where a walk begins.
#[derive(Debug, Default)]
pub(super) struct WalkStart {
    pub(super) folders: PathNodes,
    /// Already found.
    pub(super) files: PathNodes,
}

/// The names of a repository's folders, and which parts were walked completely.
#[derive(Debug, Clone)]
pub(super) struct RepositoryFolders {
    names: Rc<FolderNames>,
    walked: BTreeSet<RepositoryPart>,
}

#[derive(Debug)]
struct FolderNames {
    /// Operator folders by name.
    operators: Folders,
    /// Operator folders in catalogs, by catalog and operator.
    catalogs: BTreeMap<String, Folders>,
    /// Files outside operators, with their repository paths.
    files: PathNodes,
}

impl RepositoryFolders {
    /// Finds the folders of a repository; `None` if `root` is something else. Lists two levels of
    /// folders.
    pub(super) async fn find(root: &Node) -> Option<Self> {
        let top = root.children(&list_all).await.ok()?;
        let (operators, catalogs) = (top.get(OPERATORS)?.clone(), top.get(CATALOGS)?.clone());
        let operators = operators.children(&list_all).await.ok()?;
        let catalogs = catalogs.children(&list_all).await.ok()?;
        let git_index = find_git_index(&top).await;
        let mut files = PathNodes::new();
        let operators = split_off_files(operators, &format!("{OPERATORS}/"), &mut files);
        let catalogs = split_off_files(catalogs, &format!("{CATALOGS}/"), &mut files);
        let listed = join_all(catalogs.values().map(|node| node.children(&list_all))).await;
        let catalogs: BTreeMap<String, Folders> = catalogs
            .into_keys()
            .zip(listed)
            .map(|(name, children)| {
                let parent = format!("{CATALOGS}/{name}/");
                let folders = split_off_files(children.unwrap_or_default(), &parent, &mut files);
                (name, folders)
            })
            .collect();
        split_off_files(top, "", &mut files);
        files.extend(git_index.map(|index| (format!("{GIT}/{GIT_INDEX}"), index)));
        let is_repository =
            !operators.is_empty() && catalogs.values().any(|catalog| !catalog.is_empty());
        is_repository.then(|| Self {
            names: Rc::new(FolderNames {
                operators,
                catalogs,
                files,
            }),
            walked: BTreeSet::new(),
        })
    }

    /// Adds the folders of all operators to the unreadable paths of `walk`, with a trailing `/` and
    /// without a message: their files are not known yet. Returns the files outside operators.
    fn add_outline(&self, root: &str, walk: &mut FileWalk) -> PathNodes {
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
        let paths = operators.chain(in_catalogs);
        walk.unreadable.extend(paths.map(|path| FileFailure {
            path,
            reason: String::new(),
        }));
        let files = self.names.files.iter();
        files
            .map(|(path, node)| (format!("{root}/{path}"), node.clone()))
            .collect()
    }

    /// Returns the folders of these parts, and the mappings of operators whose other files are not
    /// needed.
    async fn start_of_parts(
        &self,
        root: &str,
        parts: &BTreeSet<RepositoryPart>,
        walk: &mut FileWalk,
    ) -> WalkStart {
        let mut folders = Folders::new();
        let mut needs_mappings = false;
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
                    needs_mappings = true;
                    for (name, node) in self.names.catalogs.get(catalog).into_iter().flatten() {
                        folders.insert(format!("{root}/{CATALOGS}/{catalog}/{name}"), node.clone());
                    }
                }
            }
        }
        let mappings = self.names.operators.iter().filter(|(name, _)| {
            needs_mappings && !folders.contains_key(&format!("{root}/{OPERATORS}/{name}"))
        });
        let mapped = mappings
            .map(|(name, node)| (format!("{root}/{OPERATORS}/{name}"), node.clone()))
            .collect();
        WalkStart {
            files: find_mappings(mapped, walk).await,
            folders: folders.into_iter().collect(),
        }
    }
}

impl FileTree {
    /// Checks whether a single folder with an operator repository was opened; then only requested
    /// parts are walked ([`FileTree::walk_parts`]).
    pub async fn find_repository(&mut self) {
        let Some(root) = self.only_folder() else {
            return;
        };
        let mut repository = RepositoryFolders::find(root).await;
        if let (Some(repository), Some(before)) = (&mut repository, self.repository.take()) {
            repository.walked = before.walked;
        }
        self.repository = repository;
    }

    /// Returns the requested parts that were not walked yet; none if all files are known anyway.
    pub fn missing_parts(
        &self,
        requested: impl IntoIterator<Item = RepositoryPart>,
    ) -> BTreeSet<RepositoryPart> {
        let Some(repository) = &self.repository else {
            return BTreeSet::new();
        };
        requested
            .into_iter()
            .filter(|part| !repository.walked.contains(part))
            .collect()
    }

    /// Marks these parts as walked, so that later walks include them.
    pub fn mark_walked(&mut self, parts: impl IntoIterator<Item = RepositoryPart>) {
        if let Some(repository) = &mut self.repository {
            repository.walked.extend(parts);
        }
    }

    /// Finds the files of these parts of the repository.
    pub async fn walk_parts(&self, parts: &BTreeSet<RepositoryPart>) -> FileWalk {
        let (Some(repository), Some(root)) = (&self.repository, self.repository_name()) else {
            return FileWalk::default();
        };
        let mut walk = FileWalk::default();
        let start = repository.start_of_parts(root, parts, &mut walk).await;
        walk.add(start, &WalkObserver::NONE).await;
        walk.sort()
    }

    /// Returns the folders and files where the walk of a repository starts; `None` if the tree is
    /// no repository.
    pub(super) async fn repository_start(&self, walk: &mut FileWalk) -> Option<WalkStart> {
        let (repository, root) = (self.repository.as_ref()?, self.repository_name()?);
        let outline = repository.add_outline(root, walk);
        let walked = &repository.walked;
        let mut start = repository.start_of_parts(root, walked, walk).await;
        start.files.extend(outline);
        Some(start)
    }
}

/// Lists a folder to its end.
fn list_all(_count: usize) -> bool {
    true
}

/// Returns the folders among the children, and adds the files to `files`, with `parent` before
/// their names.
fn split_off_files(
    children: BTreeMap<String, Node>,
    parent: &str,
    files: &mut PathNodes,
) -> Folders {
    let (folders, others): (Folders, Folders) =
        children.into_iter().partition(|(_, node)| node.is_folder());
    files.extend(
        others
            .into_iter()
            .map(|(name, node)| (format!("{parent}{name}"), node)),
    );
    folders
}

async fn find_git_index(top: &BTreeMap<String, Node>) -> Option<Node> {
    let git = top.get(GIT).filter(|node| node.is_folder())?;
    git.children(&list_all).await.ok()?.remove(GIT_INDEX)
}

/// Returns the `ci.yaml` of each of these operator folders.
async fn find_mappings(folders: PathNodes, walk: &mut FileWalk) -> PathNodes {
    let listed = join_all(folders.iter().map(|(_, node)| node.children(&list_all))).await;
    let mut files = PathNodes::new();
    for ((path, _), children) in folders.into_iter().zip(listed) {
        match children.map(|mut children| children.remove(MAPPING)) {
            Ok(Some(node)) if !node.is_folder() => files.push((format!("{path}/{MAPPING}"), node)),
            Ok(_) => {}
            Err(error) => {
                let reason = error_message(&error);
                walk.unreadable.push(FileFailure { path, reason });
            }
        }
    }
    files
}
