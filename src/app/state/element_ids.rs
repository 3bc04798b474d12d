//! Ids and selectors of elements that commands focus or press.

pub const SEARCH_PACKAGES: &str = "search-packages";
/// Selector of the catalog in view in the list of catalogs.
pub const CATALOG_IN_VIEW: &str = ".side-list [aria-current=true]";
/// Id of the control for the baseline of a comparison.
pub const COMPARE_WITH: &str = "compare-with";

/// Id of the heading above the package's dependents in the inspector.
pub const REQUIRED_BY: &str = "required-by";

/// Selector of the selected entry in the graph. It has no fixed id, since each graph numbers its
/// nodes.
pub const SELECTED_NODE: &str = ".graph-area .node.selected";

/// Returns the id of the inspector field with this label.
pub fn in_place_field(label: &str) -> String {
    format!("in-place-{}", label.to_lowercase().replace(' ', "-"))
}

/// Selector of the button that opens the graph's legend, unless it is open.
pub const LEGEND: &str = ".graph-tools [aria-label=Legend][aria-expanded=false]";
