//! Checks that a bundle's folder is named after its ClusterServiceVersion's version.

use super::Checked;
use crate::repository::bundle_folder::{Bundle, Failure};
use crate::repository::document::Node;
use crate::repository::finding::Finding;
use crate::repository::python;

pub(super) const CHECK: &str = "check_operator_version_directory_name";

pub(super) fn check(bundle: &Bundle<'_>) -> Checked {
    let (path, csv) = bundle.csv()?;
    let version = match csv.get("spec") {
        None => None,
        Some(spec) if spec.is_map() => spec.get("version"),
        Some(spec) => return Err(Failure::new(path, spec.line(), "`spec` is not a mapping")),
    };
    let stated = version.filter(|version| python::is_true(*version));
    // A numeric version never equals the folder name.
    if stated
        .and_then(Node::text)
        .is_some_and(|text| text == bundle.version)
    {
        return Ok(Vec::new());
    }
    let message = format!(
        "Bundle directory name '{}/{}' does not match the expected operator CSV version '{}' from ./{path}.",
        bundle.operator,
        bundle.version,
        stated.map_or_else(String::new, python::text),
    );
    let line = version.map(Node::line);
    Ok(vec![
        Finding::error(CHECK, path, message)
            .on_line(line)
            .help("name the folder after `spec.version`"),
    ])
}
