//! Checks that the operator has the same name in a bundle's annotations, its ClusterServiceVersion,
//! its folder and the other bundles.

use super::Checked;
use crate::repository::bundle_folder::Bundle;
use crate::repository::finding::Finding;
use crate::repository::layout;
use crate::repository::python;
use std::collections::BTreeSet;

pub(super) const CHECK: &str = "check_operator_name";

const ANNOTATIONS: &str = "from annotations.yaml";
const CSV: &str = "from the CSV";

pub(super) fn check(bundle: &Bundle<'_>) -> Checked {
    let error = |message: String| Finding::error(CHECK, &*bundle.folder, message);
    let warning = |message: String| Finding::warning(CHECK, &*bundle.folder, message);
    let annotated = match bundle.annotated_name() {
        Ok(name) if name.is_empty() => {
            return Ok(vec![error(
                "Bundle does not define the operator name in annotations.yaml".to_owned(),
            )]);
        }
        Ok(name) => name,
        Err(failure) => {
            let message = format!(
                "Invalid operator name in annotations.yaml for {}",
                bundle.display_name()
            );
            let finding = Finding::error(CHECK, failure.file, message).on_line(failure.line);
            return Ok(vec![finding.help(failure.why)]);
        }
    };
    let csv_name = match bundle.csv_name() {
        Ok(name) => name,
        Err(failure) => {
            let message = format!("Invalid operator name in CSV for {}", bundle.display_name());
            let finding = Finding::error(CHECK, failure.file, message).on_line(failure.line);
            return Ok(vec![finding.help(failure.why)]);
        }
    };
    let versions = layout::bundles(bundle.files, bundle.operator).into_iter();
    let others: Vec<Bundle<'_>> = versions
        .filter(|version| *version != bundle.version)
        .map(|version| Bundle::at(bundle.files, bundle.operator, &version))
        .collect();
    let mut found = Vec::new();
    if !others.is_empty() {
        let of_others: BTreeSet<String> = others
            .iter()
            .filter_map(|other| other.annotated_name().ok())
            .collect();
        found.extend(consistency(
            &annotated,
            of_others,
            ANNOTATIONS,
            &bundle.folder,
        ));
        let of_others: BTreeSet<String> = others
            .iter()
            .filter_map(|other| other.csv_name().ok())
            .collect();
        found.extend(consistency(&csv_name, of_others, CSV, &bundle.folder));
    }
    // A single bundle can still be renamed, so it gets an error; otherwise a warning.
    let of_weight = |message: String| {
        if others.is_empty() {
            error(message)
        } else {
            warning(message)
        }
    };
    if annotated != csv_name {
        found.push(of_weight(format!(
            "Operator name {ANNOTATIONS} ({annotated}) does not match the name defined in the CSV ({csv_name})"
        )));
    }
    if annotated != bundle.operator {
        found.push(of_weight(format!(
            "Operator name {ANNOTATIONS} ({annotated}) does not match the operator's directory name ({})",
            bundle.operator
        )));
    }
    Ok(found)
}

fn consistency(
    own: &str,
    of_others: BTreeSet<String>,
    from: &str,
    folder: &str,
) -> Option<Finding> {
    if let (1, Some(common)) = (of_others.len(), of_others.first()) {
        let message = format!(
            "Operator name {from} ({own}) does not match the name defined in other bundles ({common})"
        );
        return (common != own).then(|| Finding::error(CHECK, folder, message));
    }
    let mut all = of_others;
    all.insert(own.to_owned());
    let all = python::list(all.iter().map(String::as_str));
    Some(Finding::warning(
        CHECK,
        folder,
        format!("Operator name {from} is not consistent across bundles: {all}"),
    ))
}
