//! A stable sort with little generated code, for short lists.
//!
//! The standard library's sort is compiled for each type and comparison, 7 kB each time: a sixth of
//! the code of the page's workers. Here only comparing and moving elements is generic. Use the
//! standard sort for long lists while a user waits.

use std::cmp::Ordering;

/// Sorts a slice that is short or rarely sorted. Equal elements keep their order.
pub trait SortSmall<T> {
    /// Sorts like `sort`.
    fn sort_small(&mut self)
    where
        T: Ord;
    /// Sorts by a comparison, like `sort_by`.
    fn sort_small_by(&mut self, compare: impl FnMut(&T, &T) -> Ordering);
    /// Sorts by a key that is computed for each comparison, like `sort_by_key`.
    fn sort_small_by_key<K: Ord>(&mut self, key: impl FnMut(&T) -> K);
}

impl<T> SortSmall<T> for [T] {
    fn sort_small(&mut self)
    where
        T: Ord,
    {
        let positions = sorted_positions(self.len(), &mut |a, b| self.get(a).cmp(&self.get(b)));
        apply_permutation(self, positions);
    }

    fn sort_small_by(&mut self, mut compare: impl FnMut(&T, &T) -> Ordering) {
        let positions =
            sorted_positions(self.len(), &mut |a, b| match (self.get(a), self.get(b)) {
                (Some(a), Some(b)) => compare(a, b),
                _ => Ordering::Equal,
            });
        apply_permutation(self, positions);
    }

    fn sort_small_by_key<K: Ord>(&mut self, mut key: impl FnMut(&T) -> K) {
        let positions = sorted_positions(self.len(), &mut |a, b| {
            self.get(a).map(&mut key).cmp(&self.get(b).map(&mut key))
        });
        apply_permutation(self, positions);
    }
}

/// Returns the positions of `count` elements in sorted order.
fn sorted_positions(count: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut positions: Vec<usize> = (0..count).collect();
    positions.sort_by(|&a, &b| compare(a, b));
    positions
}

/// Moves the element at `sources[i]` to position `i`, for each `i`, cycle by cycle.
fn apply_permutation<T>(elements: &mut [T], mut sources: Vec<usize>) {
    for start in 0..sources.len() {
        let mut position = start;
        while let Some(source) = sources.get_mut(position) {
            let source = std::mem::replace(source, position);
            if source == start || source == position {
                break;
            }
            elements.swap(position, source);
            position = source;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The order is that of the standard library, also for equal elements.
        #[test]
        fn elements_are_in_order(list in prop::collection::vec((0u8..5, any::<u16>()), 0..80)) {
            let sorted = |sort: fn(&mut Vec<(u8, u16)>)| {
                let mut list = list.clone();
                sort(&mut list);
                list
            };
            prop_assert_eq!(sorted(|list| list.sort_small()), sorted(|list| list.sort()));
            prop_assert_eq!(
                sorted(|list| list.sort_small_by(|a, b| (b.0 / 2).cmp(&(a.0 / 2)).then(a.0.cmp(&b.0)))),
                sorted(|list| list.sort_by(|a, b| (b.0 / 2).cmp(&(a.0 / 2)).then(a.0.cmp(&b.0))))
            );
            prop_assert_eq!(sorted(|list| list.sort_small_by_key(|e| e.0)), sorted(|list| list.sort_by_key(|e| e.0)));
        }
    }
}
