//! Status conditions of deprecations, as answers give them: in JSON under `conditions`, for a person below the answer.

use crate::error::CliError;
use crate::output;
use fbc::upgrade::Lens;
use fbc::upgrade::status_conditions::{
    Condition, ConditionsAt, merge_conditions, remarks, unknown_status, when,
};
use serde_json::{Value, json};

/// Adds `conditions` to an answer, those that are unknown, and the catalogs that they come from; each only where there are
/// any.
pub(super) fn mark(answer: &mut Value, way: &[ConditionsAt]) {
    let mut add = |key: &str, rows: Vec<Value>| {
        if !rows.is_empty() {
            answer[key] = rows.into();
        }
    };
    let set = way.iter().flat_map(|at| {
        at.conditions.iter().map(move |c| {
            json!({ "installed": at.installed.as_deref(), "type": c.kind.as_str(), "message": c.message })
        })
    });
    add("conditions", set.collect());
    let unknown = way.iter().filter(|at| at.is_unknown).flat_map(|at| {
        let installed = at.installed.as_deref();
        unknown_status(installed).map(|c| {
            json!({ "installed": installed, "type": c.kind.as_str(), "reason": c.reason, "message": c.message })
        })
    });
    add("unknown_conditions", unknown.collect());
    let catalogs = way.iter().filter_map(|at| {
        let other = at.other_catalog.as_ref()?;
        Some(json!({
            "installed": at.installed.as_deref(),
            "conditions_from": other.conditions_from,
            "bundle_from": other.bundle_from,
        }))
    });
    add("condition_catalogs", catalogs.collect());
}

/// The conditions below an answer, each once.
pub(super) fn print(lens: Lens, way: &[ConditionsAt]) -> Result<(), CliError> {
    let line = |(condition, points): (&Condition, Vec<Option<&str>>)| {
        let message = condition.message.replace('\n', "; ");
        format!(
            "{}, {}: {message}",
            condition.kind.as_str(),
            when(&points, way)
        )
    };
    let conditions = merge_conditions(way).into_iter().map(line);
    let lines: Vec<String> = conditions.chain(remarks(way)).collect();
    let label = match lens {
        Lens::V0 => "status conditions of the Subscription",
        Lens::V1 => "status conditions of the ClusterExtension",
    };
    output::reasons(label, &lines)
}
