//! Sorting that is compiled once. The standard library's sort is compiled anew for each type and
//! comparison, 7 kB each time: a sixth of the code of the page's workers, for lists of a few dozen
//! items. Here, only comparing and moving are generic. Use the standard sort for long lists while a
//! user waits.

use std::cmp::Ordering;

/// A list that is short or rarely sorted. The order of equal elements is kept, as with `sort`.
pub trait SortSmall<T> {
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
        let places = in_order(self.len(), &mut |a, b| self.get(a).cmp(&self.get(b)));
        move_to(self, places);
    }

    fn sort_small_by(&mut self, mut compare: impl FnMut(&T, &T) -> Ordering) {
        let places = in_order(self.len(), &mut |a, b| match (self.get(a), self.get(b)) {
            (Some(a), Some(b)) => compare(a, b),
            _ => Ordering::Equal,
        });
        move_to(self, places);
    }

    fn sort_small_by_key<K: Ord>(&mut self, mut key: impl FnMut(&T) -> K) {
        let places = in_order(self.len(), &mut |a, b| {
            self.get(a).map(&mut key).cmp(&self.get(b).map(&mut key))
        });
        move_to(self, places);
    }
}

/// Returns the positions of `count` elements in sorted order.
fn in_order(count: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut places: Vec<usize> = (0..count).collect();
    places.sort_by(|&a, &b| compare(a, b));
    places
}

/// Moves the element at `from[place]` to each `place`, along the cycles of this permutation.
fn move_to<T>(elements: &mut [T], mut from: Vec<usize>) {
    for start in 0..from.len() {
        let mut place = start;
        while let Some(next) = from
            .get_mut(place)
            .map(|next| std::mem::replace(next, place))
        {
            if next == start || next == place {
                break;
            }
            elements.swap(place, next);
            place = next;
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
