//! Names of the elements that commands send the focus to, whichever panel has them.

/// The search box of the packages.
pub const SEARCH_PACKAGES: &str = "search-packages";
/// The choice of the catalog that the one in view is compared with.
pub const COMPARE_WITH: &str = "compare-with";

/// The field of the inspector that has this label.
pub fn in_place_field(label: &str) -> String {
    format!("in-place-{}", label.to_lowercase().replace(' ', "-"))
}

/// The heading of what requires the package in view, in the inspector.
pub const REQUIRED_BY: &str = "required-by";

/// The selected entry in the graph: a selector, since each graph numbers its cars.
pub const SELECTED_CAR: &str = ".graph-area .car.selected";
