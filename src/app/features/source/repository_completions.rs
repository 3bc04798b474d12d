//! Completions in `ci.yaml` and `release-config.yaml`: names of templates, channels, entries and
//! catalogs.

use crate::widgets::editor::Suggestion;
use completion::cursor_context::{CursorContext, CursorPart};
use protocol::repository::OperatorView;

const TYPES: [&str; 2] = ["olm.template.basic", "olm.semver"];
const STRATEGIES: [&str; 3] = ["always", "review-needed", "never"];

/// Whether a file is one of these.
pub fn is_configuration(file: &str) -> bool {
    matches!(
        file.rsplit('/').next(),
        Some("ci.yaml" | "release-config.yaml")
    )
}

/// Suggestions at a position of such a file of an operator, in a repository with these catalogs.
pub fn suggestions(
    spot: &CursorContext,
    of: &OperatorView,
    catalogs: &[String],
) -> Vec<Suggestion> {
    let choice = |name: &str, detail: &str| Suggestion {
        label: name.to_owned(),
        insert: name.to_owned(),
        detail: detail.to_owned(),
    };
    let own = of.templates.iter().filter(|template| {
        let template_name = spot
            .around
            .iter()
            .flatten()
            .find(|(key, _)| key == "template_name");
        template_name.is_none_or(|(_, name)| *name == template.name)
    });
    let names = |of: Vec<&String>, detail: &str| {
        let mut found: Vec<Suggestion> = Vec::new();
        for name in of {
            if found.iter().all(|known| known.label != *name) {
                found.push(choice(name, detail));
            }
        }
        found
    };
    let list = spot
        .path
        .rsplit('.')
        .find(|key| *key != "[]")
        .unwrap_or_default();
    match &spot.part {
        CursorPart::Value(key) if key == "template_name" => of
            .templates
            .iter()
            .map(|template| choice(&template.name, &template.kind))
            .collect(),
        CursorPart::Value(key) if key == "type" => {
            TYPES.iter().map(|kind| choice(kind, "")).collect()
        }
        CursorPart::Value(key) if key == "version_promotion_strategy" => STRATEGIES
            .iter()
            .map(|strategy| choice(strategy, ""))
            .collect(),
        CursorPart::Value(key) if key == "replaces" => {
            names(own.flat_map(|of| &of.entries).collect(), "entry")
        }
        CursorPart::Value(key) if key == "defaultChannel" => {
            names(own.flat_map(|of| &of.channels).collect(), "channel")
        }
        CursorPart::Item if list == "channels" => {
            names(own.flat_map(|of| &of.channels).collect(), "channel")
        }
        CursorPart::Item if list == "skips" => {
            names(own.flat_map(|of| &of.entries).collect(), "entry")
        }
        CursorPart::Item if list == "catalog_names" => names(catalogs.iter().collect(), "catalog"),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use completion::cursor_context::at;
    use protocol::repository::OperatorTemplate;

    fn labels(text: &str) -> Vec<String> {
        let template = |name: &str, channels: &[&str]| OperatorTemplate {
            name: name.to_owned(),
            channels: channels.iter().map(|name| (*name).to_owned()).collect(),
            entries: vec!["o.v1".to_owned()],
            ..OperatorTemplate::default()
        };
        let of = OperatorView {
            templates: vec![
                template("basic.yaml", &["stable"]),
                template("old.yaml", &["alpha"]),
            ],
            ..OperatorView::default()
        };
        let lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
        let column = lines.last().map_or(0, |line| line.chars().count() as u32) + 1;
        let spot = at(&lines, &[], column);
        suggestions(&spot, &of, &["v4.18".to_owned()])
            .into_iter()
            .map(|found| found.label)
            .collect()
    }

    #[test]
    fn names_of_the_repository_are_offered() {
        let head = "catalog_templates:\n  - template_name: ";
        assert_eq!(labels(head), ["basic.yaml", "old.yaml"]);
        assert_eq!(labels(&format!("{head}old.yaml\n    replaces: ")), ["o.v1"]);
        assert_eq!(
            labels("fbc:\n  catalog_mapping:\n    - catalog_names:\n        - "),
            ["v4.18"]
        );
        assert_eq!(labels("fbc:\n  version_promotion_strategy: "), STRATEGIES);
        assert!(is_configuration("/r/operators/o/ci.yaml") && !is_configuration("catalog.yaml"));
    }
}
