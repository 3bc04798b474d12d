//! Orders keys as the neighbouring mappings do.

/// Returns the position (from 0) of a new key in `keys`. `peers` are the keys of neighbouring
/// mappings, nearest first; `all_sorted` means that all key lists of the blob are sorted.
///
/// The neighbours' order counts first: after the key that precedes it there, before the one that
/// follows. Then sorted order, then after the last key of `after`, then as early as the neighbours'
/// order allows, or at the end.
pub(super) fn new_key_position(
    keys: &[&str],
    key: &str,
    peers: &[Vec<String>],
    all_sorted: bool,
    after: &[&str],
) -> usize {
    let peer_bounds = peers.iter().find_map(|peer| bounds_in(peer, keys, key));
    let (first, last) = peer_bounds.unwrap_or((0, keys.len()));
    let preferred = if all_sorted && keys.is_sorted() {
        keys.partition_point(|k| *k < key)
    } else if let Some(before) = keys.iter().rposition(|k| after.contains(k)) {
        before + 1
    } else if peer_bounds.is_some() {
        first
    } else {
        keys.len()
    };
    preferred.clamp(first, last.max(first))
}

/// Returns the lowest and highest position in `keys` at which `key` would be ordered as in `peer`;
/// `None` if `peer` lacks the key or has no key in common with `keys`.
fn bounds_in(peer: &[String], keys: &[&str], key: &str) -> Option<(usize, usize)> {
    let position_of = |name: &String| keys.iter().position(|k| k == name);
    let index = peer.iter().position(|k| k == key)?;
    let previous = peer[..index].iter().rev().find_map(position_of);
    let next = peer[index + 1..].iter().find_map(position_of);
    if previous.is_none() && next.is_none() {
        return None;
    }
    let first = previous.map_or(0, |previous| previous + 1);
    Some((first, next.unwrap_or(keys.len())))
}

/// Sorts keys into the neighbours' order; keys that the neighbours lack keep their order.
pub(super) fn arrange_keys<'k>(
    keys: &[&'k str],
    peers: &[Vec<String>],
    all_sorted: bool,
) -> Vec<&'k str> {
    let mut arranged: Vec<&str> = Vec::with_capacity(keys.len());
    if peers.is_empty() {
        return keys.to_vec();
    }
    for (index, key) in keys.iter().enumerate() {
        arranged.insert(
            new_key_position(&arranged, key, peers, all_sorted, &keys[..index]),
            key,
        );
    }
    arranged
}

/// Whether all these key lists are sorted, and one has at least three keys: the order of two may be
/// a coincidence.
pub(super) fn are_sorted(lists: &[Vec<String>]) -> bool {
    lists.iter().any(|keys| keys.len() > 2) && lists.iter().all(|keys| keys.is_sorted())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peers(lists: &[&[&str]]) -> Vec<Vec<String>> {
        lists
            .iter()
            .map(|list| list.iter().map(|&key| key.to_owned()).collect())
            .collect()
    }

    #[test]
    fn the_order_of_neighbors_takes_precedence() {
        let habit = peers(&[&["name"], &["skips", "name", "replaces"]]);
        assert_eq!(
            new_key_position(&["name"], "skips", &habit, false, &["name"]),
            0
        );
        assert_eq!(
            new_key_position(&["name"], "replaces", &habit, false, &[]),
            1
        );
        assert_eq!(
            arrange_keys(&["name", "replaces", "skips"], &habit, false),
            ["skips", "name", "replaces"]
        );
        let habit = peers(&[&["name", "skipRange"]]);
        assert_eq!(
            arrange_keys(&["name", "replaces", "skipRange"], &habit, false),
            ["name", "replaces", "skipRange"]
        );
    }

    #[test]
    fn then_sorted_order_then_the_given_position() {
        assert_eq!(
            new_key_position(&["entries", "schema"], "name", &[], true, &[]),
            1
        );
        assert_eq!(
            new_key_position(&["schema", "name"], "package", &[], true, &["schema"]),
            1
        );
        assert_eq!(
            new_key_position(&["schema", "name"], "package", &[], false, &["none"]),
            2
        );
        assert_eq!(
            new_key_position(&["name"], "entries", &[], false, &["name"]),
            1
        );
        assert!(are_sorted(&peers(&[&["a", "b", "c"], &["x"]])));
        assert!(
            !are_sorted(&peers(&[&["a", "b"]]))
                && !are_sorted(&peers(&[&["a", "b", "c"], &["y", "x"]]))
        );
    }
}
