//! Decides which folders of an opened tree are catalogs.
//!
//! A folder is only split into sibling folders that are named after OCP versions or share most of
//! their packages; otherwise it is one root, and a package defined twice is its error. The user can
//! override this for a folder. A git repository with one catalog in a folder is no catalog itself,
//! since `opm` cannot read `.git`, and neither is a folder of templates, alone or beside a catalog.

use crate::version::openshift::{self, Certainty};
use std::collections::{BTreeMap, BTreeSet};
use syntax::order::SortSmall;
use syntax::place::Text;

/// Maximum number of siblings with one package that are compared with each other.
const MAX_COMPARED_SIBLINGS: usize = 64;

/// The usual name of the folder that a template beside it is rendered into.
pub const RENDERED_FOLDER: &str = "catalog";

/// What a file is to a catalog.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileRole {
    /// It has blobs, or is too broken to tell.
    Blobs,
    Template,
    Other,
}

/// The path of a file of the tree, and the packages that it defines.
#[derive(Debug)]
pub struct RootFile<'a> {
    /// Path in the session, with `/`.
    pub path: &'a str,
    /// Names defined by its `olm.package` blobs.
    pub packages: Vec<Text>,
    pub role: FileRole,
}

/// The catalog folders of a tree.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Roots {
    /// Catalog folders, sorted; "" is the whole tree. None contains another. Empty if the tree has
    /// templates and no blobs.
    pub roots: Vec<String>,
    /// Folders that were split, and those that the user keeps whole, sorted.
    pub folders: Vec<Folder>,
}

/// A folder that could be one catalog or several.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Folder {
    pub path: String,
    /// Whether the user keeps it whole.
    pub as_one: bool,
    /// Whether it would be split unless kept whole.
    pub splits: bool,
}

impl Roots {
    pub fn root_of(&self, path: &str) -> Option<&str> {
        self.roots
            .iter()
            .map(String::as_str)
            .find(|root| is_below(path, root))
    }
}

/// Whether `path` is in the folder `root` ("" contains everything).
pub fn is_below(path: &str, root: &str) -> bool {
    root.is_empty()
        || path
            .strip_prefix(root)
            .is_some_and(|rest| rest.starts_with('/'))
}

/// Returns the `.git` that a path is or is in.
pub fn git_folder(path: &str) -> Option<&str> {
    let mut end = 0;
    path.split('/').find_map(|part| {
        end += part.len() + 1;
        (part == ".git").then(|| &path[..end - 1])
    })
}

/// Returns the part of `path` below `root`.
pub fn relative<'a>(path: &'a str, root: &str) -> &'a str {
    path.strip_prefix(root)
        .map_or(path, |rest| rest.strip_prefix('/').unwrap_or(rest))
}

/// Finds the catalogs of a tree. `as_one` are the folders to keep whole.
pub fn find(files: &[RootFile<'_>], as_one: &BTreeSet<String>) -> Roots {
    let has = |role: FileRole| files.iter().any(|file| file.role == role);
    if as_one.is_empty() && has(FileRole::Template) && !has(FileRole::Blobs) {
        return Roots::default();
    }
    let tree = Tree::new(files);
    let mut found = Roots::default();
    let top = tree.top();
    tree.split(&top, as_one, &mut found);
    if found.roots.is_empty() {
        found.roots.push(top);
    }
    found.roots.sort_small();
    found.folders.sort_small();
    found
}

/// Returns the folder of a path; "" at the top.
pub fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Joins a folder, "" for the top, and a path in it.
pub fn join(folder: &str, path: &str) -> String {
    if folder.is_empty() {
        path.to_owned()
    } else {
        format!("{folder}/{path}")
    }
}

/// Returns the last part of a path.
pub fn name_of(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// Returns the OpenShift version in the innermost folder name of a path that has one.
pub fn openshift_version(path: &str) -> Option<(u64, u64)> {
    path.rsplit('/').find_map(certain_openshift_version)
}

/// Returns the OpenShift version in the name or path of a whole catalog. Here a bare full version
/// like `4.18.3` is OpenShift's; inside a catalog it would be an operator's.
pub fn catalog_version(path: &str) -> Option<(u64, u64)> {
    openshift_version(path)
        .or_else(|| openshift::in_name(name_of(path)).map(|(version, _)| version.parts()))
}

/// The folders of the tree, and the packages defined in or below each.
#[derive(Default)]
struct Tree<'a> {
    packages: BTreeMap<String, BTreeSet<Text>>,
    /// Direct child folders of each folder.
    children: BTreeMap<String, BTreeSet<String>>,
    /// Folders that directly contain files.
    with_files: BTreeSet<String>,
    /// Folders that contain `.git`.
    repositories: BTreeSet<String>,
    templates: Vec<&'a str>,
}

impl<'f> Tree<'f> {
    fn new(files: &[RootFile<'f>]) -> Self {
        let mut tree = Self::default();
        for file in files {
            tree.repositories.extend(repository_of(file.path));
            if file.role == FileRole::Template {
                tree.templates.push(file.path);
            }
            let mut folder = parent(file.path);
            tree.with_files.insert(folder.to_owned());
            loop {
                tree.packages
                    .entry(folder.to_owned())
                    .or_default()
                    .extend(file.packages.iter().cloned());
                if folder.is_empty() {
                    break;
                }
                let above = parent(folder);
                tree.children
                    .entry(above.to_owned())
                    .or_default()
                    .insert(folder.to_owned());
                folder = above;
            }
        }
        tree
    }

    /// Returns the opened folder: the single top folder that contains everything, else the whole
    /// tree.
    fn top(&self) -> String {
        let mut folders = self.children.get("").into_iter().flatten();
        match (folders.next(), folders.next()) {
            (Some(only), None) if !self.with_files.contains("") => only.clone(),
            _ => String::new(),
        }
    }

    /// Finds the catalog roots at and below `top`; each folder in `as_one` is one root.
    fn split(&self, top: &str, as_one: &BTreeSet<String>, found: &mut Roots) {
        let mut pending = vec![top.to_owned()];
        while let Some(folder) = pending.pop() {
            if as_one.contains(&folder) {
                let splits = self.splits(&folder, &BTreeSet::new());
                found.folders.push(Folder {
                    path: folder.clone(),
                    as_one: true,
                    splits,
                });
                found.roots.push(folder);
                continue;
            }
            let children = self.relevant_children(&folder, as_one);
            if self.splits(&folder, as_one) {
                found.folders.push(Folder {
                    path: folder,
                    as_one: false,
                    splits: true,
                });
                pending.extend(children.into_iter().map(str::to_owned));
            } else if let Some(only) = self.only_catalog(&folder, &children) {
                pending.push(only.to_owned());
            } else {
                found.roots.push(folder);
            }
        }
    }

    /// Returns the child that defines all packages of a git repository or of a folder with
    /// templates beside it, such as an operator's. Items that were opened together at "" are
    /// separate whatever their names.
    fn only_catalog<'a>(&self, folder: &str, children: &[&'a str]) -> Option<&'a str> {
        let [only] = children else { return None };
        let is_beside = |template: &&str| is_below(template, folder) && !is_below(template, only);
        let is_rendered = (folder.is_empty() || name_of(only) == RENDERED_FOLDER)
            && self.templates.iter().any(is_beside);
        let is_separate = is_rendered || self.repositories.contains(folder);
        (is_separate && self.packages.get(folder) == self.packages.get(*only)).then_some(*only)
    }

    /// Whether the folder, or one below it, is split.
    fn splits(&self, folder: &str, as_one: &BTreeSet<String>) -> bool {
        let mut pending = vec![folder];
        while let Some(folder) = pending.pop() {
            if as_one.contains(folder) {
                return true;
            }
            let children = self.relevant_children(folder, as_one);
            if !self.catalog_siblings(&children).is_empty() {
                return true;
            }
            pending.extend(children);
        }
        false
    }

    /// Returns the child folders that define packages, that the user keeps whole, or that contain a
    /// folder kept whole.
    fn relevant_children(&self, folder: &str, as_one: &BTreeSet<String>) -> Vec<&str> {
        let children = self
            .children
            .get(folder)
            .into_iter()
            .flatten()
            .map(String::as_str);
        children
            .filter(|child| {
                self.packages.get(*child).is_some_and(|p| !p.is_empty())
                    || as_one
                        .iter()
                        .any(|whole| whole == child || is_below(whole, child))
            })
            .collect()
    }

    /// Returns the siblings that are separate catalogs; empty if the folder is one catalog.
    fn catalog_siblings<'a>(&self, siblings: &[&'a str]) -> BTreeSet<&'a str> {
        let versions: BTreeSet<&str> = siblings
            .iter()
            .copied()
            .filter(|s| certain_openshift_version(name_of(s)).is_some())
            .collect();
        if versions.len() > 1 {
            return versions;
        }
        let similar = self.similar_siblings(siblings);
        if similar.len() > 1 && similar.len() * 2 > siblings.len() {
            similar
        } else {
            BTreeSet::new()
        }
    }

    /// Returns the siblings that share more than half of their packages with another sibling.
    fn similar_siblings<'a>(&self, siblings: &[&'a str]) -> BTreeSet<&'a str> {
        // Siblings by package: compares two siblings only if they share one, so that thousands of
        // package folders do not cost quadratic time.
        let mut definers: BTreeMap<&Text, Vec<&'a str>> = BTreeMap::new();
        for sibling in siblings {
            for package in self.packages.get(*sibling).into_iter().flatten() {
                definers.entry(package).or_default().push(sibling);
            }
        }
        let mut common: BTreeMap<(&'a str, &'a str), usize> = BTreeMap::new();
        for definers in definers.values() {
            if definers.len() > MAX_COMPARED_SIBLINGS {
                continue;
            }
            for (i, a) in definers.iter().enumerate() {
                for b in &definers[i + 1..] {
                    *common.entry((a, b)).or_default() += 1;
                }
            }
        }
        let size = |sibling: &str| self.packages.get(sibling).map_or(0, BTreeSet::len);
        common
            .into_iter()
            .filter(|((a, b), count)| count * 2 > size(a).max(size(b)))
            .flat_map(|((a, b), _)| [a, b])
            .collect()
    }
}

/// Returns the folder that contains the `.git` of a path in it.
fn repository_of(path: &str) -> Option<String> {
    let parts: Vec<&str> = path.split('/').collect();
    let git = parts.iter().position(|part| *part == ".git")?;
    Some(parts[..git].join("/"))
}

fn certain_openshift_version(name: &str) -> Option<(u64, u64)> {
    openshift::in_name(name)
        .filter(|(_, certainty)| *certainty == Certainty::Certain)
        .map(|(version, _)| version.parts())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roots(files: &[(&str, &[&str])], as_one: &[&str]) -> Roots {
        let files: Vec<RootFile<'_>> = files
            .iter()
            .map(|(path, names)| RootFile {
                path,
                packages: names.iter().map(|name| Text::from(*name)).collect(),
                role: match (names.is_empty(), path.contains("template")) {
                    (false, _) => FileRole::Blobs,
                    (true, true) => FileRole::Template,
                    (true, false) => FileRole::Other,
                },
            })
            .collect();
        find(&files, &as_one.iter().map(|s| (*s).to_owned()).collect())
    }

    #[test]
    fn one_folder_is_one_catalog() {
        let found = roots(
            &[
                ("cat/a/catalog.yaml", &["a"]),
                ("cat/b/catalog.yaml", &["b"]),
            ],
            &[],
        );
        assert_eq!(found.roots, ["cat"]);
        assert!(found.folders.is_empty());
        assert_eq!(roots(&[], &[]).roots, [""]);
        assert_eq!(roots(&[("catalog.yaml", &["a"])], &[]).roots, [""]);
    }

    #[test]
    fn the_folder_of_git_is_found_at_any_depth() {
        let paths = [".git", "a/.git/refs/x", "a/.gitignore", "x.git/config"];
        assert_eq!(
            paths.map(git_folder),
            [Some(".git"), Some("a/.git"), None, None]
        );
    }

    #[test]
    fn a_repository_with_one_catalog_folder_is_not_a_catalog() {
        let git = ("w/.git/config", &[][..]);
        let catalog = ("w/v4.20/a/catalog.yaml", &["a"][..]);
        assert_eq!(roots(&[git, catalog], &[]).roots, ["w/v4.20"]);
        assert_eq!(
            roots(&[("w/.git", &[][..]), catalog], &[]).roots,
            ["w/v4.20"]
        );
        assert_eq!(roots(&[git, catalog], &["w"]).roots, ["w"], "kept whole");
        let beside = ("w/b/catalog.yaml", &["b"][..]);
        assert_eq!(roots(&[git, catalog, beside], &[]).roots, ["w"]);
        assert_eq!(roots(&[("w/x.yaml", &[][..]), catalog], &[]).roots, ["w"]);
    }

    #[test]
    fn templates_are_no_part_of_the_catalog_beside_them() {
        let template = ("op/catalog-templates/basic.yaml", &[][..]);
        let ci = ("op/ci.yaml", &[][..]);
        assert_eq!(roots(&[template, ci], &[]), Roots::default());
        assert_eq!(roots(&[template, ci], &["op"]).roots, ["op"], "kept whole");
        let catalog = ("op/catalog/a/catalog.yaml", &["a"][..]);
        assert_eq!(roots(&[template, ci, catalog], &[]).roots, ["op/catalog"]);
        assert_eq!(roots(&[ci, catalog], &[]).roots, ["op"], "no template");
        let package = ("op/a/catalog.yaml", &["a"][..]);
        assert_eq!(roots(&[template, package], &[]).roots, ["op"]);
        let beside = ("catalogs/v4.20/op/catalog.yaml", &["a"][..]);
        assert_eq!(roots(&[template, ci, beside], &[]).roots, ["catalogs"]);
        let versions: &[(&str, &[&str])] = &[
            ("w/v4.18/catalog/c.yaml", &["a"]),
            ("w/v4.18/template.yaml", &[]),
            ("w/v4.19/catalog/c.yaml", &["a"]),
        ];
        assert_eq!(roots(versions, &[]).roots, ["w/v4.18/catalog", "w/v4.19"]);
    }

    #[test]
    fn folders_named_by_version_are_catalogs() {
        let files: &[(&str, &[&str])] = &[
            ("repo/README.md", &[]),
            ("repo/catalogs/v4.18/a/c.yaml", &["a"]),
            ("repo/catalogs/v4.19/b/c.yaml", &["b"]),
        ];
        let found = roots(files, &[]);
        assert_eq!(found.roots, ["repo/catalogs/v4.18", "repo/catalogs/v4.19"]);
        assert_eq!(found.root_of("repo/README.md"), None);
        assert_eq!(
            found.root_of("repo/catalogs/v4.18/a/c.yaml"),
            Some("repo/catalogs/v4.18")
        );
        let whole = roots(files, &["repo/catalogs"]);
        assert_eq!(whole.roots, ["repo/catalogs"]);
        assert!(whole.folders.contains(&Folder {
            path: "repo/catalogs".to_owned(),
            as_one: true,
            splits: true
        }));
        assert_eq!(roots(files, &["repo"]).roots, ["repo"]);
    }

    #[test]
    fn an_empty_folder_is_a_catalog_if_the_user_keeps_it_whole() {
        let files: &[(&str, &[&str])] = &[
            ("old/a/c.yaml", &["a"]),
            ("new/v4.18/.indexignore", &[]),
            ("new/v4.19/c.yaml", &[]),
        ];
        assert_eq!(roots(files, &[]).roots, [""]);
        let found = roots(files, &["new/v4.18", "new/v4.19"]);
        assert_eq!(found.roots, ["new/v4.18", "new/v4.19", "old"]);
        assert_eq!(
            roots(&files[1..], &["new/v4.18", "new/v4.19"]).roots,
            ["new/v4.18", "new/v4.19"]
        );
    }

    #[test]
    fn folders_that_share_most_packages_are_catalogs() {
        let found = roots(
            &[
                ("r/prod/c.yaml", &["a", "b", "c"]),
                ("r/stage/c.yaml", &["a", "b", "d"]),
            ],
            &[],
        );
        assert_eq!(found.roots, ["r/prod", "r/stage"]);
    }

    #[test]
    fn several_catalogs_stay_separate_beside_a_similar_folder() {
        let names: &[&str] = &["a", "b"];
        let versions = [
            ("repo/v4.18/c.yaml", names),
            ("repo/v4.19/c.yaml", names),
            ("copy/c.yaml", names),
        ];
        assert_eq!(
            roots(&versions, &[]).roots,
            ["copy", "repo/v4.18", "repo/v4.19"]
        );
        let stages = [
            ("repo/prod/c.yaml", names),
            ("repo/stage/c.yaml", names),
            ("copy/c.yaml", names),
        ];
        assert_eq!(
            roots(&stages, &[]).roots,
            ["copy", "repo/prod", "repo/stage"]
        );
        assert_eq!(
            roots(&stages, &["repo"]).roots,
            ["copy", "repo"],
            "unless the user decides otherwise"
        );
    }

    #[test]
    fn a_package_defined_twice_among_many_is_an_error_not_a_split() {
        let files: &[(&str, &[&str])] = &[
            ("r/a/c.yaml", &["a"]),
            ("r/a2/c.yaml", &["a"]),
            ("r/b/c.yaml", &["b"]),
            ("r/c/c.yaml", &["c"]),
        ];
        assert_eq!(roots(files, &[]).roots, ["r"]);
    }

    #[test]
    fn the_innermost_folder_names_the_openshift_version() {
        assert_eq!(
            openshift_version("catalogs/v4.18/etcd/catalog.yaml"),
            Some((4, 18))
        );
        assert_eq!(
            openshift_version("/repo/v4.18/rhoai/ocp-4.19"),
            Some((4, 19))
        );
        assert_eq!(openshift_version("catalogs/etcd-1.2/catalog.yaml"), None);
        assert_eq!(openshift_version("catalogs/1.2/catalog.yaml"), None);
        assert_eq!(
            openshift_version("catalogs/openshift-v4.18/etcd/4.17.1/catalog.yaml"),
            Some((4, 18))
        );
        assert_eq!(openshift_version("etcd/4.17.1/catalog.yaml"), None);
        assert_eq!(catalog_version("catalogs/4.17.1"), Some((4, 17)));
        assert_eq!(catalog_version("v4.18/etcd"), Some((4, 18)));
    }

    #[test]
    fn versions_are_distinguished_from_other_names() {
        for name in [
            "4.18",
            "v4.18",
            "ocp-4.18",
            "OCP-v4.18",
            "openshift-v4.18",
            "v4.18-prod",
            "v4.18.0-rc1",
            "v4.18.3",
        ] {
            assert!(certain_openshift_version(name).is_some(), "{name}");
        }
        for name in ["v4", "4.18.1", "stable", "v4.x", "1.2.3"] {
            assert!(certain_openshift_version(name).is_none(), "{name}");
        }
    }
}
