//! Chooses the position of a new key among existing keys.

/// The position (from 0) of a new key in `keys`. `peers` are the keys of neighbouring mappings,
/// nearest first; `all_sorted` means that the blob's keys are sorted wherever visible.
///
/// The neighbours' order counts first: after the key that precedes it there, before the one that
/// follows. Then sorted order, then after the last key of `after`, then as early as the neighbours'
/// order allows, or at the end.
pub(super) fn position(
    keys: &[&str],
    key: &str,
    peers: &[Vec<String>],
    all_sorted: bool,
    after: &[&str],
) -> usize {
    let at = |name: &String| keys.iter().position(|k| k == name);
    let habit = peers.iter().find_map(|peer| {
        let own = peer.iter().position(|k| k == key)?;
        let first = peer[..own]
            .iter()
            .rev()
            .find_map(at)
            .map(|before| before + 1);
        let last = peer[own + 1..].iter().find_map(at);
        (first.is_some() || last.is_some())
            .then(|| (first.unwrap_or(0), last.unwrap_or(keys.len())))
    });
    let (first, last) = habit.unwrap_or((0, keys.len()));
    let customary = || {
        after
            .iter()
            .filter_map(|name| keys.iter().position(|k| k == name))
            .max()
    };
    let wanted = match all_sorted && keys.is_sorted() {
        true => keys.partition_point(|k| *k < key),
        false => customary().map_or(if habit.is_some() { first } else { keys.len() }, |before| {
            before + 1
        }),
    };
    wanted.min(last.max(first)).max(first)
}

/// Arranges new keys in the neighbours' order; other keys keep their order.
pub(super) fn arrange<'k>(
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
            position(&arranged, key, peers, all_sorted, &keys[..index]),
            key,
        );
    }
    arranged
}

/// Whether all these key lists are sorted, and one is long enough to be significant.
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
    fn neighbors_habits_come_first() {
        let habit = peers(&[&["name"], &["skips", "name", "replaces"]]);
        assert_eq!(position(&["name"], "skips", &habit, false, &["name"]), 0);
        assert_eq!(position(&["name"], "replaces", &habit, false, &[]), 1);
        assert_eq!(
            arrange(&["name", "replaces", "skips"], &habit, false),
            ["skips", "name", "replaces"]
        );
        let habit = peers(&[&["name", "skipRange"]]);
        assert_eq!(
            arrange(&["name", "replaces", "skipRange"], &habit, false),
            ["name", "replaces", "skipRange"]
        );
    }

    #[test]
    fn then_sorted_order_then_the_given_place() {
        assert_eq!(position(&["entries", "schema"], "name", &[], true, &[]), 1);
        assert_eq!(
            position(&["schema", "name"], "package", &[], true, &["schema"]),
            1
        );
        assert_eq!(
            position(&["schema", "name"], "package", &[], false, &["none"]),
            2
        );
        assert_eq!(position(&["name"], "entries", &[], false, &["name"]), 1);
        assert!(are_sorted(&peers(&[&["a", "b", "c"], &["x"]])));
        assert!(
            !are_sorted(&peers(&[&["a", "b"]]))
                && !are_sorted(&peers(&[&["a", "b", "c"], &["y", "x"]]))
        );
    }
}
