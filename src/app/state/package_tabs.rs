//! Tabs of packages, each with its last view, and the packages with unsaved edits. The page defines
//! what a view is: the type parameter `V`.

use std::collections::BTreeSet;

/// A package of a catalog.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct PackageRef {
    pub root: String,
    pub package: String,
}

impl PackageRef {
    pub fn is(&self, root: &str, package: &str) -> bool {
        self.root == root && self.package == package
    }
}

/// The position of a tab if two are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Half {
    #[default]
    Left,
    Right,
}

impl Half {
    pub fn other(self) -> Self {
        match self {
            Half::Left => Half::Right,
            Half::Right => Half::Left,
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct PackageTabs<V> {
    tabs: Vec<PackageTab<V>>,
    current: usize,
    /// Id of the tab shown beside the current one.
    second: Option<u32>,
    /// Position of the current tab; left if it is alone.
    half: Half,
    last_id: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub struct PackageTab<V> {
    pub id: u32,
    pub place: PackageRef,
    /// The tab's last view; for the current tab, the view when it became current.
    pub view: V,
}

impl<V> Default for PackageTabs<V> {
    fn default() -> Self {
        Self {
            tabs: Vec::new(),
            current: 0,
            second: None,
            half: Half::Left,
            last_id: 0,
        }
    }
}

impl<V: Clone + Default> PackageTabs<V> {
    pub fn tabs(&self) -> &[PackageTab<V>] {
        &self.tabs
    }

    /// Returns the id of the current tab; 0 if nothing is open.
    pub fn current(&self) -> u32 {
        self.tabs.get(self.current).map_or(0, |open| open.id)
    }

    /// Returns the tab shown beside the current one.
    pub fn second(&self) -> Option<&PackageTab<V>> {
        let id = self.second?;
        self.tabs.iter().find(|open| open.id == id)
    }

    /// Returns where the current tab is shown.
    pub fn half(&self) -> Half {
        self.half
    }

    /// Shows a package beside the current one. With a `view`, in the second tab if it has the
    /// package, or else in a new tab; otherwise in any tab that has it, with its last view.
    pub fn open_second(&mut self, place: PackageRef, view: Option<V>) {
        let (current, second) = (self.current(), self.second);
        let is_reusable = |open: &PackageTab<V>| {
            open.place == place && open.id != current && (view.is_none() || Some(open.id) == second)
        };
        let reused = self.tabs.iter().find(|open| is_reusable(open));
        if reused.is_none_or(|open| Some(open.id) != second) {
            let half = self.half;
            self.close_second();
            self.half = half;
        }
        let reused = self.tabs.iter().position(is_reusable);
        let index = reused.unwrap_or_else(|| self.insert_after_current(place));
        let Some(open) = self.tabs.get_mut(index) else {
            return;
        };
        if let Some(view) = view {
            open.view = view;
        }
        self.second = Some(open.id);
    }

    /// Makes the second tab the current one; both keep their positions. Returns the new current
    /// tab; `None` if there is no second tab.
    pub fn swap_focus(&mut self, current_view: V) -> Option<PackageTab<V>> {
        let index = self
            .tabs
            .iter()
            .position(|open| Some(open.id) == self.second)?;
        self.store_view(current_view);
        self.second = Some(self.current());
        self.current = index;
        self.half = self.half.other();
        self.tabs.get(index).cloned()
    }

    /// Shows the current tab alone. Closes a second view of the same package and keeps all other
    /// tabs.
    pub fn close_second(&mut self) {
        let current = self
            .tabs
            .get(self.current)
            .map(|open| (open.id, open.place.clone()));
        if let (Some((id, place)), Some(second)) = (current, self.second) {
            self.tabs
                .retain(|open| open.id != second || open.place != place);
            self.current = self
                .tabs
                .iter()
                .position(|open| open.id == id)
                .unwrap_or_default();
        }
        self.clear_second();
    }

    /// Records that the current tab now shows another package.
    pub fn set_current_package(&mut self, place: PackageRef) {
        match self.tabs.get_mut(self.current) {
            Some(open) => open.place = place,
            None => self.insert(0, place, V::default()),
        }
    }

    /// Opens a package in a new tab after the current one, or switches to its tab. `current_view`
    /// is the view of the current tab. Returns the tab to show.
    pub fn open(&mut self, place: PackageRef, current_view: V) -> PackageTab<V> {
        let index = self.tabs.iter().position(|open| open.place == place);
        let is_second = index
            .and_then(|index| self.tabs.get(index))
            .is_some_and(|open| Some(open.id) == self.second);
        if is_second && let Some(open) = self.swap_focus(current_view.clone()) {
            return open;
        }
        self.store_view(current_view);
        self.current = index.unwrap_or_else(|| self.insert_after_current(place));
        self.tabs[self.current].clone()
    }

    /// Moves the current package to a new tab. Its former tab returns to the package and view
    /// `before`, or else keeps the package.
    pub fn move_to_new_tab(&mut self, before: Option<(PackageRef, V)>, current_view: V) {
        let Some(open) = self.tabs.get_mut(self.current) else {
            return;
        };
        let place = open.place.clone();
        match before {
            Some((place, view)) => (open.place, open.view) = (place, view),
            None => open.view = current_view.clone(),
        }
        self.current += 1;
        self.insert(self.current, place, current_view);
    }

    /// Switches to a tab. `None`: it is the current one, or closed.
    pub fn switch_to(&mut self, id: u32, current_view: V) -> Option<PackageTab<V>> {
        if Some(id) == self.second {
            return self.swap_focus(current_view);
        }
        let index = self
            .tabs
            .iter()
            .position(|open| open.id == id)
            .filter(|index| *index != self.current)?;
        self.store_view(current_view);
        self.current = index;
        self.tabs.get(index).cloned()
    }

    /// Returns the id of the tab `step` positions after the current one, wrapping around.
    pub fn neighbor(&self, step: isize) -> u32 {
        let count = self.tabs.len().max(1) as isize;
        let index = (self.current as isize + step).rem_euclid(count) as usize;
        self.tabs.get(index).map_or(0, |open| open.id)
    }

    /// Closes a tab, except the last one. Returns the tab to show instead of the current one.
    pub fn close(&mut self, id: u32) -> Option<PackageTab<V>> {
        let index = self.tabs.iter().position(|open| open.id == id)?;
        if self.tabs.len() < 2 {
            return None;
        }
        let second = self.second;
        if index == self.current || second == Some(id) {
            self.clear_second();
        }
        self.tabs.remove(index);
        if index != self.current {
            self.current -= usize::from(index < self.current);
            return None;
        }
        // The second tab remains visible.
        let second = self.tabs.iter().position(|open| Some(open.id) == second);
        self.current = second.unwrap_or(index.min(self.tabs.len() - 1));
        self.tabs.get(self.current).cloned()
    }

    /// Drops tabs of removed packages, except the current one.
    pub fn retain_present(&mut self, is_present: impl Fn(&PackageRef) -> bool) {
        let current = self.current();
        self.tabs
            .retain(|open| open.id == current || is_present(&open.place));
        self.current = self
            .tabs
            .iter()
            .position(|open| open.id == current)
            .unwrap_or_default();
        if self.second().is_none() {
            self.clear_second();
        }
    }

    fn clear_second(&mut self) {
        (self.second, self.half) = (None, Half::Left);
    }

    fn store_view(&mut self, view: V) {
        if let Some(open) = self.tabs.get_mut(self.current) {
            open.view = view;
        }
    }

    /// Inserts a tab with the default view. Returns its index.
    fn insert_after_current(&mut self, place: PackageRef) -> usize {
        let index = (self.current + 1).min(self.tabs.len());
        self.insert(index, place, V::default());
        index
    }

    fn insert(&mut self, index: usize, place: PackageRef, view: V) {
        self.last_id += 1;
        self.tabs.insert(
            index,
            PackageTab {
                id: self.last_id,
                place,
                view,
            },
        );
    }
}

/// Packages with unsaved edits in all known catalogs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EditedPackages(BTreeSet<PackageRef>);

impl EditedPackages {
    pub fn contains(&self, place: &PackageRef) -> bool {
        self.0.contains(place)
    }

    /// Replaces the edited packages of a catalog. `packages` are all of its packages, with whether
    /// they are edited.
    pub fn replace_root<'a>(
        &mut self,
        root: &str,
        packages: impl Iterator<Item = (&'a str, bool)>,
    ) {
        self.0.retain(|place| place.root != root);
        for (package, is_edited) in packages {
            self.set(root, package, is_edited);
        }
    }

    pub fn set(&mut self, root: &str, package: &str, is_edited: bool) {
        let place = PackageRef {
            root: root.to_owned(),
            package: package.to_owned(),
        };
        if is_edited {
            self.0.insert(place);
        } else {
            self.0.remove(&place);
        }
    }

    /// Drops the packages of catalogs without edits.
    pub fn retain_roots(&mut self, is_edited: impl Fn(&str) -> bool) {
        self.0.retain(|place| is_edited(&place.root));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edited_packages_are_known_by_catalog() {
        let mut edited = EditedPackages::default();
        edited.replace_root(
            "v4.20",
            [("a", true), ("b", true), ("c", false)].into_iter(),
        );
        edited.set("v4.19", "a", true);
        edited.replace_root("v4.20", [("a", true), ("b", false)].into_iter());
        assert!(edited.contains(&place("a")) && !edited.contains(&place("b")));
        edited.retain_roots(|root| root == "v4.20");
        assert_eq!(edited.0.len(), 1);
        edited.set("v4.20", "a", false);
        assert!(!edited.contains(&place("a")));
    }

    fn place(package: &str) -> PackageRef {
        PackageRef {
            root: "v4.20".to_owned(),
            package: package.to_owned(),
        }
    }

    fn packages(opened: &PackageTabs<u8>) -> Vec<&str> {
        opened
            .tabs()
            .iter()
            .map(|open| open.place.package.as_str())
            .collect()
    }

    fn active_package(opened: &PackageTabs<u8>) -> &str {
        opened
            .tabs()
            .iter()
            .find(|open| open.id == opened.current())
            .map_or("", |open| &open.place.package)
    }

    #[test]
    fn choosing_a_package_shows_it_in_the_current_tab() {
        let mut opened = PackageTabs::default();
        opened.set_current_package(place("a"));
        opened.set_current_package(place("b"));
        assert_eq!(packages(&opened), ["b"]);
    }

    #[test]
    fn a_package_has_one_tab_and_keeps_its_state() {
        let mut opened = PackageTabs::default();
        opened.set_current_package(place("a"));
        assert_eq!(opened.open(place("b"), 1).view, 0);
        assert_eq!(opened.open(place("c"), 2).place, place("c"));
        assert_eq!(packages(&opened), ["a", "b", "c"]);
        assert_eq!(opened.open(place("a"), 3).view, 1, "the tab that has it");
        let c = opened.tabs()[2].id;
        assert_eq!(opened.switch_to(c, 4).map(|open| open.view), Some(3));
        assert_eq!(opened.switch_to(c, 5), None, "it is the current one");
        assert_eq!(opened.neighbor(1), opened.tabs()[0].id);
        assert_eq!(opened.neighbor(-1), opened.tabs()[1].id);
    }

    #[test]
    fn a_branch_does_not_change_the_other_tab() {
        let mut opened = PackageTabs::default();
        opened.set_current_package(place("a"));
        opened.set_current_package(place("b"));
        opened.move_to_new_tab(Some((place("a"), 7)), 8);
        assert_eq!(
            (packages(&opened), active_package(&opened)),
            (vec!["a", "b"], "b")
        );
        assert_eq!(opened.tabs()[0].view, 7);
        opened.move_to_new_tab(None, 9);
        assert_eq!(packages(&opened), ["a", "b", "b"]);
    }

    #[test]
    fn closing_shows_a_neighbor_and_the_last_tab_stays() {
        let mut opened = PackageTabs::default();
        opened.set_current_package(place("a"));
        opened.open(place("b"), 0);
        opened.open(place("c"), 0);
        let ids: Vec<u32> = opened.tabs().iter().map(|open| open.id).collect();
        assert_eq!(opened.close(ids[0]), None, "it was not the current one");
        assert_eq!(active_package(&opened), "c");
        assert_eq!(
            opened.close(ids[2]).map(|open| open.place),
            Some(place("b"))
        );
        assert_eq!(opened.close(ids[1]), None);
        assert_eq!(packages(&opened), ["b"]);
    }

    fn second(opened: &PackageTabs<u8>) -> Option<&str> {
        opened.second().map(|open| &*open.place.package)
    }

    #[test]
    fn two_tabs_are_seen_at_once_and_stay_where_they_are() {
        let mut opened = PackageTabs::default();
        opened.set_current_package(place("a"));
        opened.open_second(place("b"), None);
        assert_eq!(
            (active_package(&opened), second(&opened), opened.half()),
            ("a", Some("b"), Half::Left)
        );
        assert_eq!(
            opened.swap_focus(7).map(|open| open.place),
            Some(place("b"))
        );
        assert_eq!(
            (active_package(&opened), second(&opened), opened.half()),
            ("b", Some("a"), Half::Right)
        );
        assert_eq!(
            opened.second().map(|open| open.view),
            Some(7),
            "as it was left"
        );
        assert_eq!(
            opened.open(place("c"), 1).place,
            place("c"),
            "another tab replaces the current one"
        );
        assert_eq!((second(&opened), opened.half()), (Some("a"), Half::Right));
        let a = opened.tabs()[0].id;
        assert_eq!(
            opened.switch_to(a, 2).map(|open| open.view),
            Some(7),
            "it is seen already"
        );
        assert_eq!(
            (active_package(&opened), second(&opened), opened.half()),
            ("a", Some("c"), Half::Left)
        );
        assert_eq!(opened.open(place("c"), 3).place, place("c"));
        assert_eq!((second(&opened), opened.half()), (Some("a"), Half::Right));
    }

    #[test]
    fn a_package_is_seen_beside_itself() {
        let mut opened = PackageTabs::default();
        opened.set_current_package(place("a"));
        opened.open_second(place("a"), Some(1));
        opened.open_second(place("a"), Some(2));
        assert_eq!(
            (packages(&opened), opened.second().map(|open| open.view)),
            (vec!["a", "a"], Some(2))
        );
        opened.swap_focus(3);
        opened.open_second(place("c"), None);
        assert_eq!(
            (packages(&opened), second(&opened), opened.half()),
            (vec!["a", "c"], Some("c"), Half::Right)
        );
        opened.open_second(place("a"), Some(4));
        assert_eq!(
            (packages(&opened), second(&opened)),
            (vec!["a", "a", "c"], Some("a")),
            "c stays open"
        );
        opened.close_second();
        assert_eq!((packages(&opened), second(&opened)), (vec!["a", "c"], None));
        opened.open_second(place("b"), None);
        opened.swap_focus(0);
        opened.close_second();
        assert_eq!(
            (packages(&opened), active_package(&opened), opened.half()),
            (vec!["a", "b", "c"], "b", Half::Left)
        );
    }

    #[test]
    fn closing_or_losing_one_of_two_visible_tabs_keeps_the_other() {
        let two = || {
            let mut opened = PackageTabs::default();
            opened.set_current_package(place("x"));
            opened.open(place("a"), 0);
            opened.open_second(place("b"), None);
            opened.swap_focus(0);
            opened
        };
        let mut opened = two();
        assert_eq!(
            opened.close(opened.current()).map(|open| open.place),
            Some(place("a"))
        );
        assert_eq!(
            (active_package(&opened), second(&opened), opened.half()),
            ("a", None, Half::Left)
        );
        let mut opened = two();
        let a = opened.second().map_or(0, |open| open.id);
        assert_eq!(opened.close(a), None);
        assert_eq!(
            (active_package(&opened), second(&opened), opened.half()),
            ("b", None, Half::Left)
        );
        let mut opened = two();
        opened.retain_present(|place| place.package != "a");
        assert_eq!(
            (packages(&opened), second(&opened), opened.half()),
            (vec!["x", "b"], None, Half::Left)
        );
    }

    #[test]
    fn tabs_of_removed_packages_are_closed() {
        let mut opened = PackageTabs::default();
        opened.set_current_package(place("a"));
        opened.open(place("b"), 0);
        opened.open(place("c"), 0);
        opened.retain_present(|place| place.package == "b");
        assert_eq!(
            (packages(&opened), active_package(&opened)),
            (vec!["b", "c"], "c")
        );
        opened.retain_present(|_| false);
        assert_eq!(packages(&opened), ["c"]);
    }
}
