//! The order of blobs in `opm`'s output.

use serde_json::Value;

/// Rank among the blobs of a package, and the sort key within it.
fn rank(blob: &Value) -> Option<(String, u8, String)> {
    let text = |key: &str| blob[key].as_str().unwrap_or_default().to_owned();
    let known = |package: String, rank: u8, by: String| {
        (!package.is_empty()).then_some((package, rank, by))
    };
    match &*text("schema") {
        "olm.package" => known(text("name"), 0, String::new()),
        "olm.channel" => known(text("package"), 1, text("name")),
        "olm.bundle" => known(text("package"), 2, text("name")),
        "olm.deprecations" => known(text("package"), 4, String::new()),
        // Blobs without a package keep their order.
        schema => {
            let package = text("package");
            let by = if package.is_empty() {
                String::new()
            } else {
                schema.to_owned()
            };
            Some((package, 3, by))
        }
    }
}

/// See [`super::arrange`].
pub(super) fn arrange(blobs: Vec<Value>) -> Vec<Value> {
    let mut ranked: Vec<_> = blobs
        .into_iter()
        .filter_map(|blob| {
            let (package, rank, by) = rank(&blob)?;
            Some(((package.is_empty(), package, rank, by), blob))
        })
        .collect();
    ranked.sort_by(|(a, _), (b, _)| a.cmp(b));
    ranked.into_iter().map(|(_, blob)| blob).collect()
}
