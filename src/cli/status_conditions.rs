//! Status conditions of deprecations, as answers give them: in JSON under `conditions`, for a person below the answer.

use crate::error::CliError;
use crate::output;
use fbc::upgrade::Lens;
use fbc::upgrade::status_conditions::{Condition, ConditionsAt, merge_conditions, when};
use serde_json::{Value, json};

/// Adds `conditions` to an answer; nothing where none is set.
pub(super) fn mark(answer: &mut Value, way: &[ConditionsAt]) {
    let rows = way.iter().flat_map(|(installed, conditions)| {
        conditions
            .iter()
            .map(move |c| json!({ "installed": installed.as_deref(), "type": c.kind.as_str(), "message": c.message }))
    });
    let rows: Vec<Value> = rows.collect();
    if !rows.is_empty() {
        answer["conditions"] = rows.into();
    }
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
    let lines: Vec<String> = merge_conditions(way).into_iter().map(line).collect();
    let label = match lens {
        Lens::V0 => "status conditions of the Subscription",
        Lens::V1 => "status conditions of the ClusterExtension",
    };
    output::reasons(label, &lines)
}
