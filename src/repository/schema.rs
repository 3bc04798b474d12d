//! The pipeline's schemas of `ci.yaml` and `release-config.yaml`, and their violations: the same
//! number as its validator finds, in its wording.

use super::document;
use super::document::{Kind, Node};
use protocol::enum_with_text;

/// Constraints on a value. Absent ones do not constrain.
#[derive(Debug, Clone, Copy)]
pub(super) struct Schema {
    kind: Type,
    allowed_values: &'static [&'static str],
    /// For a mapping: schemas of these keys.
    fields: &'static [(&'static str, &'static Schema)],
    /// For a mapping: required keys.
    required: &'static [&'static str],
    /// For a mapping: whether keys outside `fields` are refused.
    refuses_other_keys: bool,
    /// For a list: the schema of each item.
    items: Option<&'static Schema>,
    /// For a list: whether it must have an item.
    requires_item: bool,
    /// For a list: whether equal items are refused.
    requires_distinct_items: bool,
}

enum_with_text! {
    fn name;
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    enum Type {
        Text = "string",
        Bool = "boolean",
        List = "array",
        Map = "object",
    }
}

impl Type {
    fn accepts(self, kind: &Kind<'_>) -> bool {
        matches!(
            (self, kind),
            (Type::Text, Kind::Text(_))
                | (Type::Bool, Kind::Bool(_))
                | (Type::List, Kind::List)
                | (Type::Map, Kind::Map)
        )
    }
}

const fn new(kind: Type) -> Schema {
    Schema {
        kind,
        allowed_values: &[],
        fields: &[],
        required: &[],
        refuses_other_keys: false,
        items: None,
        requires_item: false,
        requires_distinct_items: false,
    }
}

const TEXT: Schema = new(Type::Text);
const BOOL: Schema = new(Type::Bool);
const DISTINCT_TEXTS: Schema = Schema {
    items: Some(&TEXT),
    requires_item: true,
    requires_distinct_items: true,
    ..new(Type::List)
};

pub(super) const CI: Schema = Schema {
    fields: &[
        (
            "updateGraph",
            &Schema {
                allowed_values: &["replaces-mode", "semver-mode"],
                ..new(Type::Text)
            },
        ),
        (
            "reviewers",
            &Schema {
                items: Some(&TEXT),
                requires_item: true,
                ..new(Type::List)
            },
        ),
        ("merge", &BOOL),
        ("cert_project_id", &TEXT),
        (
            "fbc",
            &Schema {
                refuses_other_keys: true,
                fields: &[
                    ("enabled", &BOOL),
                    (
                        "version_promotion_strategy",
                        &Schema {
                            allowed_values: &["review-needed", "always", "never"],
                            ..new(Type::Text)
                        },
                    ),
                    (
                        "catalog_mapping",
                        &Schema {
                            items: Some(&MAPPING),
                            ..new(Type::List)
                        },
                    ),
                ],
                ..new(Type::Map)
            },
        ),
    ],
    ..new(Type::Map)
};

const MAPPING: Schema = Schema {
    fields: &[
        ("template_name", &TEXT),
        ("catalog_names", &DISTINCT_TEXTS),
        (
            "type",
            &Schema {
                allowed_values: &["olm.template.basic", "olm.semver"],
                ..new(Type::Text)
            },
        ),
    ],
    required: &["template_name", "type", "catalog_names"],
    ..new(Type::Map)
};

pub(super) const RELEASE_CONFIG: Schema = Schema {
    refuses_other_keys: true,
    fields: &[
        ("merge", &BOOL),
        (
            "catalog_templates",
            &Schema {
                items: Some(&CATALOG_TEMPLATE),
                requires_item: true,
                requires_distinct_items: true,
                ..new(Type::List)
            },
        ),
    ],
    required: &["catalog_templates"],
    ..new(Type::Map)
};

const CATALOG_TEMPLATE: Schema = Schema {
    fields: &[
        ("template_name", &TEXT),
        ("channels", &DISTINCT_TEXTS),
        ("defaultChannel", &TEXT),
        ("replaces", &TEXT),
        ("skips", &DISTINCT_TEXTS),
        ("skipRange", &TEXT),
    ],
    required: &["template_name", "channels"],
    ..new(Type::Map)
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Violation {
    pub line: u32,
    /// In the validator's wording.
    pub message: String,
}

/// Returns all violations in a value, in text order.
pub(super) fn violations(schema: &Schema, node: Node<'_>) -> Vec<Violation> {
    let mut violations = Vec::new();
    check(schema, node, &mut violations);
    violations
}

pub(super) fn violations_of_empty(schema: &Schema) -> Vec<Violation> {
    vec![Violation {
        line: 1,
        message: format!("None is not of type '{}'", schema.kind.name()),
    }]
}

fn check(schema: &Schema, node: Node<'_>, violations: &mut Vec<Violation>) {
    let kind = node.kind();
    let mut add = |line: u32, message: String| violations.push(Violation { line, message });
    if !schema.kind.accepts(&kind) {
        add(
            node.line(),
            format!(
                "{} is not of type '{}'",
                document::repr(node),
                schema.kind.name()
            ),
        );
    }
    if !schema.allowed_values.is_empty()
        && !matches!(&kind, Kind::Text(text) if schema.allowed_values.contains(&&**text))
    {
        let values = document::list(schema.allowed_values.iter().copied());
        add(
            node.line(),
            format!("{} is not one of {values}", document::repr(node)),
        );
    }
    match kind {
        Kind::List => check_list(schema, node, violations),
        Kind::Map => check_map(schema, node, violations),
        _ => {}
    }
}

fn check_list(schema: &Schema, node: Node<'_>, violations: &mut Vec<Violation>) {
    let mut add = |line: u32, message: String| violations.push(Violation { line, message });
    let items = node.items();
    if schema.requires_item && items.is_empty() {
        add(node.line(), "[] should be non-empty".to_owned());
    }
    if schema.requires_distinct_items {
        let duplicate =
            (0..items.len()).find(|&at| items[..at].iter().any(|before| before.equals(items[at])));
        if let Some(at) = duplicate {
            let message = format!("{} has non-unique elements", document::repr(node));
            add(items[at].line(), message);
        }
    }
    if let Some(item_schema) = schema.items {
        for item in items {
            check(item_schema, item, violations);
        }
    }
}

fn check_map(schema: &Schema, node: Node<'_>, violations: &mut Vec<Violation>) {
    let mut add = |line: u32, message: String| violations.push(Violation { line, message });
    for name in schema
        .required
        .iter()
        .filter(|name| node.get(name).is_none())
    {
        add(node.line(), format!("'{name}' is a required property"));
    }
    let field_schema = |key: Node<'_>| {
        let name = key.text()?;
        let field = schema.fields.iter().find(|(field, _)| *field == name);
        field.map(|(_, schema)| *schema)
    };
    let pairs = node.pairs();
    if schema.refuses_other_keys {
        let keys = pairs.iter().map(|(key, _)| *key);
        let extra: Vec<Node<'_>> = keys.filter(|key| field_schema(*key).is_none()).collect();
        if let Some(first) = extra.first() {
            let mut names: Vec<String> = extra.iter().map(|key| document::repr(*key)).collect();
            names.dedup();
            let verb = if names.len() == 1 { "was" } else { "were" };
            let names = names.join(", ");
            add(
                first.line(),
                format!("Additional properties are not allowed ({names} {verb} unexpected)"),
            );
        }
    }
    for (key, value) in pairs {
        if let Some(schema) = field_schema(key) {
            check(schema, value, violations);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;

    fn violations(schema: &Schema, text: &str) -> Vec<(u32, String)> {
        let document = Document::read(text.as_bytes().to_vec()).expect("a readable document");
        let root = document.root().expect("a value");
        super::violations(schema, root)
            .into_iter()
            .map(|violation| (violation.line, violation.message))
            .collect()
    }

    #[test]
    fn each_violation_is_reported_at_its_line() {
        let text = "reviewers: []\nupdateGraph: 5\nfbc:\n  enabled: yes please\n  more: 1\n  other: 2\n  catalog_mapping:\n  - template_name: a.yaml\n    catalogs_names: [v4.20]\n    type: olm.composite\n  - 1\nwhatever: passes\n";
        let message = |line: u32, text: &str| (line, text.to_owned());
        assert_eq!(
            violations(&CI, text),
            [
                message(1, "[] should be non-empty"),
                message(2, "5 is not of type 'string'"),
                message(2, "5 is not one of ['replaces-mode', 'semver-mode']"),
                message(
                    5,
                    "Additional properties are not allowed ('more', 'other' were unexpected)"
                ),
                message(4, "'yes please' is not of type 'boolean'"),
                message(8, "'catalog_names' is a required property"),
                message(
                    10,
                    "'olm.composite' is not one of ['olm.template.basic', 'olm.semver']"
                ),
                message(11, "1 is not of type 'object'"),
            ]
        );
        assert!(violations(&CI, "fbc: {enabled: true}\nreviewers: [a]\n").is_empty());
    }

    #[test]
    fn items_of_a_release_config_may_have_other_keys() {
        let text = "catalog_templates:\n- {template_name: a.yaml, channels: [x], other: 1}\n- {channels: [x], template_name: a.yaml, other: 1}\n";
        assert_eq!(
            violations(&RELEASE_CONFIG, text).len(),
            1,
            "the two are equal"
        );
        assert_eq!(
            violations(&RELEASE_CONFIG, "- a\n"),
            [(1, "['a'] is not of type 'object'".to_owned())]
        );
        assert_eq!(
            violations(
                &RELEASE_CONFIG,
                "catalog_templates: [{template_name: a, channels: [1.0, 1]}]\n"
            )
            .len(),
            3
        );
    }
}
