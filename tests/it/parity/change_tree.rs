//! Changes to the tree of files: names, folders, links, `.indexignore`.

use super::case::Tree;
use super::pools::{PATTERNS, chance, pick};
use rand::Rng;
use rand::rngs::SmallRng;
use rand::seq::IndexedRandom;

pub(crate) fn change(rng: &mut SmallRng, tree: &mut Tree) -> String {
    let paths: Vec<String> = tree.files.keys().cloned().collect();
    let path = paths
        .choose(rng)
        .cloned()
        .unwrap_or_else(|| "a.yaml".to_owned());
    let what = rng.random_range(0..16);
    match what {
        0..=6 => return ignore(rng, tree, &paths),
        7 => {
            if let Some(bytes) = tree.files.remove(&path) {
                tree.put(&odd_path(rng, &path), bytes);
            }
        }
        8 => {
            let bytes = tree.files.get(&path).cloned().unwrap_or_default();
            tree.put(&odd_path(rng, &path), bytes);
        }
        9 => tree.put(&odd_path(rng, &path), Vec::new()),
        10 => {
            let text = pick(
                rng,
                &[
                    "# A readme\n\nText.\n",
                    "FROM scratch\nADD a /configs\n",
                    "\n",
                    "null",
                    "a: b\n",
                    "schema: x\n",
                    "{}",
                    "[]",
                    "text",
                    "schema: x\n---\n",
                    "\u{0}\u{1}",
                ],
            );
            let name = pick(
                rng,
                &[
                    "README.md",
                    "Dockerfile",
                    ".DS_Store",
                    ".git/config",
                    "OWNERS",
                    "a/b/c.txt",
                    "catalog",
                    "z.json",
                    "0.yaml",
                ],
            );
            tree.put(name, text.as_bytes().to_vec());
        }
        11 => {
            let target = match rng.random_range(0..4) {
                0 => "nowhere".to_owned(),
                1 => ".".to_owned(),
                _ => path.rsplit('/').next().unwrap_or(&path).to_owned(),
            };
            let link = format!("{}link.yaml", path.rfind('/').map_or("", |i| &path[..=i]));
            tree.links.insert(link, target);
        }
        12 => {
            let dir = pick(rng, &["empty", ".indexignore", "a.yaml", "-x/y", ".git"]);
            if !tree.has(dir) {
                tree.dirs.push(dir.to_owned());
            }
        }
        13 => {
            // Move everything into a subfolder.
            let files = std::mem::take(&mut tree.files);
            let folder = pick(rng, &["deeper", "-a", ".a", "a b", "é", "a.yaml"]);
            tree.files = files
                .into_iter()
                .map(|(path, bytes)| (format!("{folder}/{path}"), bytes))
                .collect();
        }
        14 => drop(tree.files.remove(&path)),
        _ => {
            // Join two files.
            let other = paths.choose(rng).cloned().unwrap_or_default();
            if other != path
                && let Some(bytes) = tree.files.remove(&other)
                && let Some(into) = tree.files.get_mut(&path)
            {
                into.extend_from_slice(pick(rng, &["", "\n", "---\n", "\n---\n"]).as_bytes());
                into.extend(bytes);
            }
        }
    }
    format!("tree, {path}: change {what}")
}

fn odd_path(rng: &mut SmallRng, path: &str) -> String {
    let (folder, name) = path.rsplit_once('/').map_or(("", path), |(f, n)| (f, n));
    let slash = if folder.is_empty() { "" } else { "/" };
    let name = match rng.random_range(0..12) {
        0 => format!("{name}.bak"),
        1 => format!("{name}~"),
        2 => format!(".{name}"),
        3 => format!("x/{name}"),
        4 => name.to_uppercase(),
        5 => name.replace(".yaml", ".json"),
        6 => name.split('.').next().unwrap_or(name).to_owned(),
        7 => format!("é {name}"),
        8 => format!("[a]{name}"),
        9 => format!("\\{name}"),
        10 => format!("a\n{name}"),
        _ => format!("{name}/{name}"),
    };
    format!("{folder}{slash}{name}")
}

/// Patterns from the pool and patterns from the tree's names.
fn ignore(rng: &mut SmallRng, tree: &mut Tree, paths: &[String]) -> String {
    let mut lines = String::new();
    for _ in 0..rng.random_range(1..5) {
        let path = paths.choose(rng).cloned().unwrap_or_default();
        let name = path.rsplit('/').next().unwrap_or_default().to_owned();
        let folder = path.split('/').next().unwrap_or_default().to_owned();
        let pattern = match rng.random_range(0..12) {
            0 => path,
            1 => format!("/{path}"),
            2 => name,
            3 => format!("{folder}/"),
            4 => format!("!{path}"),
            5 => format!("!{name}"),
            6 => format!("{folder}/*"),
            7 => format!("**/{name}"),
            8 => path
                .chars()
                .map(|c| if chance(rng, 10) { '?' } else { c })
                .collect(),
            9 => format!(
                "{}*",
                path.chars()
                    .take(rng.random_range(0..=path.chars().count()))
                    .collect::<String>()
            ),
            _ => pick(rng, &PATTERNS).to_owned(),
        };
        lines.push_str(&pattern);
        lines.push_str(pick(
            rng,
            &["\n", "\n", "\n", "\r\n", "\n\n", " \n", "\n# c\n", "\r"],
        ));
    }
    if chance(rng, 2) {
        lines.push_str(&"x".repeat(65_530 + rng.random_range(0..10)));
        lines.push_str(if chance(rng, 50) { "\n" } else { "" });
    }
    let folder = match paths.choose(rng).and_then(|p| p.rsplit_once('/')) {
        Some((folder, _)) if chance(rng, 40) => format!("{folder}/"),
        _ => String::new(),
    };
    let path = format!("{folder}.indexignore");
    if !tree.has(&path) || chance(rng, 50) {
        tree.put(&path, lines.clone().into_bytes());
    }
    format!("{path}: {lines:?}")
}
