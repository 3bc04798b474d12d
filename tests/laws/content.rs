//! The operations on packages, bundles and properties, told a second time on plain values; and such operations at random.

use super::naive::Naive;
use rand::Rng;
use serde_json::json;
use switchyard::fbc::edit::op::EditOp;
use switchyard::fbc::model::Package;

/// The package after an operation that was not refused.
pub fn apply(after: &mut Naive, op: &EditOp) {
    match op {
        EditOp::SetDescription { text, .. } if text.is_empty() => {
            after.package.as_object_mut().unwrap().remove("description");
        }
        EditOp::SetDescription { text, .. } => after.package["description"] = json!(text),
        EditOp::SetIcon { data: None, .. } => {
            after.package.as_object_mut().unwrap().remove("icon");
        }
        EditOp::SetIcon { data: Some(data), .. } => {
            let mediatype = if data.starts_with("iVBOR") { "image/png" } else { "image/svg+xml" };
            after.package["icon"] = json!({ "base64data": data, "mediatype": mediatype });
        }
        _ => unreachable!("{op:?} is told elsewhere"),
    }
}

/// The operation names the blob of this title.
pub fn names(op: &EditOp, title: &str) -> bool {
    match op {
        EditOp::SetDescription { package, .. } | EditOp::SetIcon { package, .. } => {
            title == format!("package {package}")
        }
        _ => unreachable!("{op:?} is told elsewhere"),
    }
}

/// An operation on a package.
pub fn random_op<R: Rng>(random: &mut R, package: &Package) -> Option<EditOp> {
    const TEXTS: [&str; 5] = ["", "A text", "it's: \"old\" # no", "# Heading\n\n- one\n- two\n", "ä – ü"];
    const ICONS: [Option<&str>; 3] = [None, Some("PHN2Zy8+"), Some("iVBORw0KGgoAAAANSUhEUg==")];
    let (catalog, name) = (None, package.name.to_string());
    Some(match random.random_range(0..2) {
        0 => EditOp::SetDescription { catalog, package: name, text: TEXTS[random.random_range(0..5)].to_owned() },
        _ => EditOp::SetIcon { catalog, package: name, data: ICONS[random.random_range(0..3)].map(str::to_owned) },
    })
}
