//! Ids of elements that commands focus, in any panel.

/// The search box of the packages.
pub const SEARCH_PACKAGES: &str = "search-packages";
/// The choice of the baseline for comparison.
pub const COMPARE_WITH: &str = "compare-with";

/// The inspector field with this label.
pub fn in_place_field(label: &str) -> String {
    format!("in-place-{}", label.to_lowercase().replace(' ', "-"))
}

/// The heading of the package's dependents in the inspector.
pub const REQUIRED_BY: &str = "required-by";

/// The selected entry in the graph: a selector, since each graph numbers its nodes.
pub const SELECTED_NODE: &str = ".graph-area .node.selected";
