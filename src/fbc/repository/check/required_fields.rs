//! ClusterServiceVersion fields that the pipeline requires.

use super::Checked;
use super::time::is_iso;
use crate::repository::bundle_folder::Bundle;
use crate::repository::bundle_folder::Failure;
use crate::repository::document::{Kind, Node};
use crate::repository::finding::Finding;
use crate::repository::python;

pub(super) const CHECK: &str = "check_required_fields";

/// A required field.
struct Field {
    path: &'static str,
    is_valid: fn(Node<'_>) -> bool,
    is_error: bool,
}

const fn required_field(path: &'static str, is_valid: fn(Node<'_>) -> bool) -> Field {
    Field {
        path,
        is_valid,
        is_error: true,
    }
}

const fn advised_field(path: &'static str, is_valid: fn(Node<'_>) -> bool) -> Field {
    Field {
        path,
        is_valid,
        is_error: false,
    }
}

const FIELDS: [Field; 15] = [
    advised_field("metadata.annotations.capabilities", |value| {
        value
            .text()
            .is_some_and(|text| CAPABILITIES.contains(&&*text))
    }),
    advised_field("metadata.annotations.categories", |value| {
        python::text(value)
            .split(',')
            .all(|name| CATEGORIES.contains(&name.trim()))
    }),
    advised_field("metadata.annotations.containerImage", |value| {
        is_image(&python::text(value))
    }),
    advised_field("metadata.annotations.createdAt", |value| {
        matches!(value.kind(), Kind::Time(_)) || is_iso(&python::text(value))
    }),
    advised_field("metadata.annotations.repository", |value| {
        is_address(&python::text(value))
    }),
    advised_field("metadata.annotations.support", |value| {
        has_letters(&python::text(value), 3)
    }),
    advised_field("metadata.annotations.description", |value| {
        has_letters(&python::text(value), 10)
    }),
    required_field("spec.displayName", |value| {
        first_line_has(&python::text(value), 3)
    }),
    required_field("spec.description", |value| {
        has_letters(&python::text(value), 20)
    }),
    required_field("spec.icon", is_icon),
    required_field("spec.version", |value| {
        value
            .text()
            .is_some_and(|text| semver::Version::parse(&text).is_ok())
    }),
    required_field("spec.maintainers", |value| {
        is_list_with(value, ["name", "email"])
    }),
    required_field("spec.provider.name", |value| {
        first_line_has(&python::text(value), 3)
    }),
    required_field("spec.links", |value| is_list_with(value, ["name", "url"])),
    advised_field("spec.keywords", |value| {
        let items = value.items();
        !items.is_empty() && items.iter().all(|item| item.text().is_some())
    }),
];

const CAPABILITIES: [&str; 5] = [
    "Basic Install",
    "Seamless Upgrades",
    "Full Lifecycle",
    "Deep Insights",
    "Auto Pilot",
];

const CATEGORIES: [&str; 16] = [
    "AI/Machine Learning",
    "Application Runtime",
    "Big Data",
    "Cloud Provider",
    "Developer Tools",
    "Database",
    "Drivers and plugins",
    "Integration & Delivery",
    "Logging & Tracing",
    "Modernization & Migration",
    "Monitoring",
    "Networking",
    "OpenShift Optional",
    "Security",
    "Storage",
    "Streaming & Messaging",
];

const MEDIA_TYPES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/svg+xml"];

pub(super) fn check(bundle: &Bundle<'_>) -> Checked {
    let (path, csv) = bundle.csv()?;
    let mut found = Vec::new();
    for field in &FIELDS {
        let value = looked_up(path, csv, field.path)?.filter(|value| value.kind() != Kind::Null);
        let message = match value {
            None => format!("CSV does not define {}", field.path),
            Some(value) if !(field.is_valid)(value) => {
                format!("CSV contains an invalid value for {}", field.path)
            }
            Some(_) => continue,
        };
        let finding = match field.is_error {
            true => Finding::error(CHECK, path, message),
            false => Finding::warning(CHECK, path, message),
        };
        found.push(finding.on_line(value.map(Node::line)));
    }
    Ok(found)
}

/// The value at a path of keys. The pipeline crashes if a value on the path cannot have keys.
fn looked_up<'d>(file: &str, root: Node<'d>, path: &str) -> Result<Option<Node<'d>>, Failure> {
    let mut at = root;
    for key in path.split('.') {
        let fails = || {
            Failure::new(
                file,
                at.line(),
                format!("`{path}` cannot be looked up: the parent of `{key}` is not a mapping"),
            )
        };
        match at.kind() {
            Kind::Map => match at.get(key) {
                Some(value) => at = value,
                None => return Ok(None),
            },
            // Python's `in` also works on texts and lists.
            Kind::Text(text) if !text.contains(key) => return Ok(None),
            Kind::List
                if at
                    .items()
                    .iter()
                    .all(|item| item.text().as_deref() != Some(key)) =>
            {
                return Ok(None);
            }
            _ => return Err(fails()),
        }
    }
    Ok(Some(at))
}

fn has_letters(text: &str, count: usize) -> bool {
    text.chars().nth(count - 1).is_some()
}

fn first_line_has(text: &str, count: usize) -> bool {
    has_letters(text.split('\n').next().unwrap_or_default(), count)
}

fn is_address(text: &str) -> bool {
    let rest = text
        .strip_prefix("https://")
        .or_else(|| text.strip_prefix("http://"));
    rest.is_some_and(|rest| !rest.is_empty() && !rest.starts_with('\n'))
}

/// Whether the text starts like an image: parts followed by slashes, and a tag after the last part.
fn is_image(text: &str) -> bool {
    let mut rest = text;
    while let Some((part, behind)) = rest.split_once('/') {
        if part.is_empty() {
            return false;
        }
        rest = behind;
        if let Some((name, tag)) = rest.split_once(':')
            && !name.is_empty()
            && !name.contains('/')
            && !tag.is_empty()
            && !tag.starts_with('\n')
        {
            return true;
        }
    }
    false
}

/// Whether it is a non-empty list of mappings in which each of these keys has a text.
fn is_list_with(value: Node<'_>, keys: [&str; 2]) -> bool {
    let items = value.items();
    let has_all = |item: &Node<'_>| {
        keys.iter()
            .all(|key| item.get(key).is_some_and(|value| value.text().is_some()))
    };
    !items.is_empty() && items.iter().all(has_all)
}

fn is_icon(value: Node<'_>) -> bool {
    let is_valid = |icon: Node<'_>| {
        let text = |key: &str| icon.get(key).and_then(Node::text).unwrap_or_default();
        MEDIA_TYPES.contains(&&*text("mediatype")) && is_base64(&text("base64data"))
    };
    is_list_with(value, ["base64data", "mediatype"]) && value.items().into_iter().all(is_valid)
}

/// Base64 on one line with padding.
fn is_base64(text: &str) -> bool {
    let data = text.trim_end_matches('=');
    let padding = text.len() - data.len();
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'+' || byte == b'/';
    text.len() >= 4 && text.len().is_multiple_of(4) && padding <= 2 && data.bytes().all(is_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_has_a_repository_and_a_tag() {
        for text in [
            "quay.io/a/b:v1",
            "quay.io/b:v1",
            "quay.io/b@sha256:00",
            "localhost:5000/b:1",
            "a/b:c/d:e",
        ] {
            assert!(is_image(text), "{text}");
        }
        for text in [
            "b:v1",
            "quay.io/a/b",
            "/a:b",
            "quay.io//b",
            "quay.io/b:",
            "",
        ] {
            assert!(!is_image(text), "{text}");
        }
    }

    #[test]
    fn base64_is_in_one_line() {
        for (text, valid) in [
            ("aWNvbg==", true),
            ("aWNv", true),
            ("aWNvb", false),
            ("aWN", false),
            ("aWNv\n", false),
            ("a===", false),
        ] {
            assert_eq!(is_base64(text), valid, "{text}");
        }
    }

    #[test]
    fn lengths_are_of_letters() {
        assert!(first_line_has("abc\n", 3) && !first_line_has("ab\ncd", 3));
        assert!(has_letters("éèà", 3) && !has_letters("éè", 3));
        assert!(is_address("https://x") && !is_address("ftp://x") && !is_address("https://"));
    }
}
