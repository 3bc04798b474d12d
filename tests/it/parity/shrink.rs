//! Makes a tree smaller while it still shows the same difference.

use super::case::Tree;

/// Most attempts for one tree.
const BUDGET: usize = 1500;

/// The smallest tree found for which `differs` still holds.
pub(crate) fn shrink(tree: Tree, mut differs: impl FnMut(&Tree) -> bool) -> Tree {
    let mut best = tree;
    let mut left = BUDGET;
    let mut attempt = |best: &mut Tree, smaller: Tree| {
        if left == 0 || smaller == *best {
            return false;
        }
        left -= 1;
        let still_differs = differs(&smaller);
        if still_differs {
            *best = smaller;
        }
        still_differs
    };
    for path in best.files.keys().cloned().collect::<Vec<_>>() {
        let mut smaller = best.clone();
        smaller.files.remove(&path);
        attempt(&mut best, smaller);
    }
    for path in best.links.keys().cloned().collect::<Vec<_>>() {
        let mut smaller = best.clone();
        smaller.links.remove(&path);
        attempt(&mut best, smaller);
    }
    let mut smaller = best.clone();
    smaller.dirs.clear();
    attempt(&mut best, smaller);
    for path in best.files.keys().cloned().collect::<Vec<_>>() {
        // Whole lines first, in ever smaller runs, then single bytes.
        let mut lines: Vec<Vec<u8>> = best.files[&path]
            .split_inclusive(|&b| b == b'\n')
            .map(<[u8]>::to_vec)
            .collect();
        reduce(&mut lines, |lines| {
            let mut smaller = best.clone();
            smaller.files.insert(path.clone(), lines.concat());
            attempt(&mut best, smaller)
        });
        let mut bytes: Vec<u8> = best.files[&path].clone();
        reduce(&mut bytes, |bytes| {
            let mut smaller = best.clone();
            smaller.files.insert(path.clone(), bytes.to_vec());
            attempt(&mut best, smaller)
        });
    }
    best
}

/// Removes runs of items while `keeps` accepts the rest.
fn reduce<T: Clone>(items: &mut Vec<T>, mut keeps: impl FnMut(&[T]) -> bool) {
    let mut run = items.len().div_ceil(2);
    while run > 0 && !items.is_empty() {
        let mut at = 0;
        while at < items.len() {
            let end = items.len().min(at + run);
            let rest = [&items[..at], &items[end..]].concat();
            if keeps(&rest) {
                *items = rest;
            } else {
                at = end;
            }
        }
        run /= 2;
    }
}

#[test]
fn a_tree_shrinks_to_the_failing_part() {
    let mut tree = Tree::default();
    tree.put("a", b"one\ntwo x\nthree\n".to_vec());
    tree.put("b", b"four\n".to_vec());
    let small = shrink(tree, |tree| {
        tree.files
            .get("a")
            .is_some_and(|bytes| bytes.contains(&b'x'))
    });
    assert_eq!(
        small.files.into_iter().collect::<Vec<_>>(),
        [("a".to_owned(), b"x".to_vec())]
    );
}
