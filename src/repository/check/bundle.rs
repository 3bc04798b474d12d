//! Checks a bundle: required fields of its ClusterServiceVersion, its names, its default channel,
//! and whether it contains a NetworkPolicy.
//!
//! The default channel must fit the catalog in which the pipeline tests the bundle. That catalog
//! has the bundle in a single channel: one of `channels.v1`, in random order (`stable` without the
//! annotation). Its default channel is `channel.default.v1`, or else that channel. If they differ,
//! the catalog image cannot be built.

use super::CheckResult;
use super::config::{Config, Setting};
use super::iso_date::is_iso_date;
use crate::document::{self, Kind, Node};
use crate::layout::{self, EntryKind, join};
use crate::operator::{Bundle, Failure, read_document};
use crate::rules::Finding;
use protocol::counting::quoted;
use std::collections::BTreeSet;

pub(super) const REQUIRED_FIELDS: &str = "check_required_fields";
pub(super) const OPERATOR_NAME: &str = "check_operator_name";
pub(super) const VERSION_FOLDER: &str = "check_operator_version_directory_name";
pub(super) const NETWORK_POLICY: &str = "check_network_policy_presence";

/// Annotations with the bundle's channels and its default channel.
const CHANNELS: &str = "operators.operatorframework.io.bundle.channels.v1";
const DEFAULT_CHANNEL: &str = "operators.operatorframework.io.bundle.channel.default.v1";

/// The channel of a bundle without channel annotations.
const IMPLICIT_CHANNEL: &str = "stable";

/// Sources of an operator name, as the pipeline calls them.
const ANNOTATIONS: &str = "from annotations.yaml";
const CSV: &str = "from the CSV";

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
        document::text(value)
            .split(',')
            .all(|name| CATEGORIES.contains(&name.trim()))
    }),
    advised_field("metadata.annotations.containerImage", |value| {
        is_image(&document::text(value))
    }),
    advised_field("metadata.annotations.createdAt", |value| {
        matches!(value.kind(), Kind::Time(_)) || is_iso_date(&document::text(value))
    }),
    advised_field("metadata.annotations.repository", |value| {
        is_address(&document::text(value))
    }),
    advised_field("metadata.annotations.support", |value| {
        has_letters(&document::text(value), 3)
    }),
    advised_field("metadata.annotations.description", |value| {
        has_letters(&document::text(value), 10)
    }),
    required_field("spec.displayName", |value| {
        first_line_has(&document::text(value), 3)
    }),
    required_field("spec.description", |value| {
        has_letters(&document::text(value), 20)
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
        first_line_has(&document::text(value), 3)
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

pub(super) fn check_required_fields(bundle: &Bundle<'_>) -> CheckResult {
    let (path, csv) = bundle.csv()?;
    let mut findings = Vec::new();
    for field in &FIELDS {
        let value = look_up(path, csv, field.path)?.filter(|value| value.kind() != Kind::Null);
        let message = match value {
            None => format!("CSV does not define {}", field.path),
            Some(value) if !(field.is_valid)(value) => {
                format!("CSV contains an invalid value for {}", field.path)
            }
            Some(_) => continue,
        };
        let finding = if field.is_error {
            Finding::error(REQUIRED_FIELDS, path, message)
        } else {
            Finding::warning(REQUIRED_FIELDS, path, message)
        };
        findings.push(finding.on_line(value.map(Node::line)));
    }
    Ok(findings)
}

/// Looks up a path of keys. Fails where the pipeline would crash: at a value that cannot have keys.
fn look_up<'d>(file: &str, root: Node<'d>, path: &str) -> Result<Option<Node<'d>>, Failure> {
    let mut node = root;
    for key in path.split('.') {
        match node.kind() {
            Kind::Map => match node.get(key) {
                Some(value) => node = value,
                None => return Ok(None),
            },
            // The pipeline tests with Python's `in`, which also works on texts and lists.
            Kind::Text(text) if !text.contains(key) => return Ok(None),
            Kind::List
                if node
                    .items()
                    .iter()
                    .all(|item| item.text().as_deref() != Some(key)) =>
            {
                return Ok(None);
            }
            _ => {
                return Err(Failure::new(
                    file,
                    node.line(),
                    format!("`{path}` cannot be looked up: the parent of `{key}` is not a mapping"),
                ));
            }
        }
    }
    Ok(Some(node))
}

fn has_letters(text: &str, count: usize) -> bool {
    text.chars().nth(count - 1).is_some()
}

fn first_line_has(text: &str, count: usize) -> bool {
    has_letters(text.split('\n').next().unwrap_or_default(), count)
}

fn is_address(text: &str) -> bool {
    let address = text
        .strip_prefix("https://")
        .or_else(|| text.strip_prefix("http://"));
    address.is_some_and(|address| !address.is_empty() && !address.starts_with('\n'))
}

/// Whether the text starts like an image: parts followed by slashes, and a tag after the last part.
fn is_image(text: &str) -> bool {
    let mut remaining = text;
    while let Some((part, behind)) = remaining.split_once('/') {
        if part.is_empty() {
            return false;
        }
        remaining = behind;
        if let Some((name, tag)) = remaining.split_once(':')
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
    !items.is_empty()
        && items.iter().all(|item: &Node<'_>| {
            keys.iter()
                .all(|key| item.get(key).is_some_and(|value| value.text().is_some()))
        })
}

fn is_icon(value: Node<'_>) -> bool {
    is_list_with(value, ["base64data", "mediatype"])
        && value.items().into_iter().all(|icon: Node<'_>| {
            let [media_type, data] = ["mediatype", "base64data"]
                .map(|key| icon.get(key).and_then(Node::text).unwrap_or_default());
            MEDIA_TYPES.contains(&&*media_type) && is_base64(&data)
        })
}

/// Whether the text is padded base64 on one line.
fn is_base64(text: &str) -> bool {
    let data = text.trim_end_matches('=');
    let padding = text.len() - data.len();
    text.len() >= 4
        && text.len().is_multiple_of(4)
        && padding <= 2
        && data
            .bytes()
            .all(|byte: u8| byte.is_ascii_alphanumeric() || byte == b'+' || byte == b'/')
}

/// Compares the default channel with the bundle's channels. Other checks report unreadable files.
pub(super) fn default_channel_remarks(bundle: &Bundle<'_>, config: &Config<'_>) -> Vec<Finding> {
    let is_enabled =
        matches!(config.fbc("enabled"), Ok(Setting::Value(value)) if document::is_true(value));
    if !is_enabled {
        return Vec::new();
    }
    let finding = bundle.with_annotations(|path, annotations| {
        let default = annotations.get(DEFAULT_CHANNEL)?;
        // The pipeline turns null into the text `None`.
        let name = match default.kind() {
            Kind::Null => "None".to_owned(),
            _ => document::text(default).trim().to_owned(),
        };
        let channels: BTreeSet<String> = match annotations.get(CHANNELS) {
            Some(channels) => document::text(channels)
                .split(',')
                .map(|channel| channel.trim().to_owned())
                .collect(),
            None => BTreeSet::from([IMPLICIT_CHANNEL.to_owned()]),
        };
        if name.is_empty() {
            return None;
        }
        let quoted = quoted(&channels).join(", ");
        let finding = if !channels.contains(&name) {
            let first_channel = channels.first().map_or("", String::as_str);
            Finding::error(
                "default-channel-not-own",
                path,
                format!(
                    "the default channel `{name}` is not one of the bundle's channels ({quoted}): the pipeline tries the \
                     bundle in a catalog that has only these, so its default channel is missing and it cannot be built"
                ),
            )
            .help(format!(
                "write `{DEFAULT_CHANNEL}: {first_channel}`; the default channel of the package stays as the template has it"
            ))
        } else if channels.len() > 1 {
            Finding::warning(
                "default-channel-by-chance",
                path,
                format!(
                    "the bundle names several channels ({quoted}): the pipeline tries it in a catalog that has only one of \
                     them, in no fixed order, and that cannot be built unless it is the default channel `{name}`"
                ),
            )
            .help(format!(
                "write `{CHANNELS}: {name}`; the channels of a release are those in `release-config.yaml`"
            ))
        } else {
            return None;
        };
        Some(finding.on_line(default.line()))
    });
    finding.ok().flatten().flatten().into_iter().collect()
}

pub(super) fn check_operator_name(bundle: &Bundle<'_>) -> CheckResult {
    let unreadable = |source: &str, failure: Failure| {
        let message = format!(
            "Invalid operator name in {source} for {}",
            bundle.display_name()
        );
        let finding = Finding::error(OPERATOR_NAME, failure.file, message).on_line(failure.line);
        Ok(vec![finding.help(failure.reason)])
    };
    let annotated = match bundle.annotated_name() {
        Ok(name) if name.is_empty() => {
            return Ok(vec![Finding::error(
                OPERATOR_NAME,
                &*bundle.folder,
                "Bundle does not define the operator name in annotations.yaml",
            )]);
        }
        Ok(name) => name,
        Err(failure) => return unreadable("annotations.yaml", failure),
    };
    let csv_name = match bundle.csv_name() {
        Ok(name) => name,
        Err(failure) => return unreadable("CSV", failure),
    };
    let versions = layout::bundles(bundle.files, bundle.operator).into_iter();
    let others: Vec<Bundle<'_>> = versions
        .filter(|version| *version != bundle.version)
        .map(|version| Bundle::at(bundle.files, bundle.operator, &version))
        .collect();
    let mut findings = Vec::new();
    if !others.is_empty() {
        let other_names: BTreeSet<String> = others
            .iter()
            .filter_map(|other| other.annotated_name().ok())
            .collect();
        findings.extend(check_consistency(
            &annotated,
            other_names,
            ANNOTATIONS,
            &bundle.folder,
        ));
        let other_names: BTreeSet<String> = others
            .iter()
            .filter_map(|other| other.csv_name().ok())
            .collect();
        findings.extend(check_consistency(
            &csv_name,
            other_names,
            CSV,
            &bundle.folder,
        ));
    }
    // The operator of a single bundle can still be renamed: an error. With several: a warning.
    let mismatch = |message: String| {
        if others.is_empty() {
            Finding::error(OPERATOR_NAME, &*bundle.folder, message)
        } else {
            Finding::warning(OPERATOR_NAME, &*bundle.folder, message)
        }
    };
    if annotated != csv_name {
        findings.push(mismatch(format!(
            "Operator name {ANNOTATIONS} ({annotated}) does not match the name defined in the CSV ({csv_name})"
        )));
    }
    if annotated != bundle.operator {
        findings.push(mismatch(format!(
            "Operator name {ANNOTATIONS} ({annotated}) does not match the operator's directory name ({})",
            bundle.operator
        )));
    }
    Ok(findings)
}

fn check_consistency(
    own: &str,
    other_names: BTreeSet<String>,
    from: &str,
    folder: &str,
) -> Option<Finding> {
    if let (1, Some(common)) = (other_names.len(), other_names.first()) {
        let message = format!(
            "Operator name {from} ({own}) does not match the name defined in other bundles ({common})"
        );
        return (common != own).then(|| Finding::error(OPERATOR_NAME, folder, message));
    }
    let mut all = other_names;
    all.insert(own.to_owned());
    let all = document::list(all.iter().map(String::as_str));
    Some(Finding::warning(
        OPERATOR_NAME,
        folder,
        format!("Operator name {from} is not consistent across bundles: {all}"),
    ))
}

pub(super) fn check_version_folder(bundle: &Bundle<'_>) -> CheckResult {
    let (path, csv) = bundle.csv()?;
    let version = match csv.get("spec") {
        None => None,
        Some(spec) if spec.is_map() => spec.get("version"),
        Some(spec) => return Err(Failure::new(path, spec.line(), "`spec` is not a mapping")),
    };
    let stated = version.filter(|version| document::is_true(*version));
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
        stated.map_or_else(String::new, document::text),
    );
    let line = version.map(Node::line);
    Ok(vec![
        Finding::error(VERSION_FOLDER, path, message)
            .on_line(line)
            .help("name the folder after `spec.version`"),
    ])
}

pub(super) fn check_network_policy(bundle: &Bundle<'_>) -> CheckResult {
    let folder = join(&bundle.folder, "manifests");
    let entries = bundle.files.entries(&folder).into_iter();
    let manifests: Vec<String> = entries
        .filter(|entry| entry.kind != EntryKind::Folder)
        .map(|entry| entry.name)
        .collect();
    let mut findings = Vec::new();
    for ending in [".yaml", ".yml"] {
        for name in manifests.iter().filter(|name| name.ends_with(ending)) {
            let path = join(&folder, name);
            let Some(document) = read_document(bundle.files, &path)? else {
                continue;
            };
            let Some(root) = document.root().filter(|root| root.is_map()) else {
                continue;
            };
            let Some(kind) = root
                .get("kind")
                .filter(|kind| kind.text().as_deref() == Some("NetworkPolicy"))
            else {
                continue;
            };
            let version = root
                .get("apiVersion")
                .filter(|version| document::is_true(*version));
            let version = version.map(|version| {
                version.text().ok_or_else(|| {
                    Failure::new(&*path, version.line(), "`apiVersion` is not a string")
                })
            });
            let version = version.transpose()?.unwrap_or_default();
            if version.starts_with("networking.k8s.io/") {
                let message = format!(
                    "Bundle contains a NetworkPolicy in {name}. Network policies are not a supported resource that \
                     Operator Lifecycle Manager(OLM) can install and manage."
                );
                findings.push(
                    Finding::error(NETWORK_POLICY, path, message)
                        .on_line(kind.line())
                        .help("remove the file from the bundle"),
                );
            }
        }
    }
    Ok(findings)
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
    fn lengths_are_in_characters() {
        assert!(first_line_has("abc\n", 3) && !first_line_has("ab\ncd", 3));
        assert!(has_letters("éèà", 3) && !has_letters("éè", 3));
        assert!(is_address("https://x") && !is_address("ftp://x") && !is_address("https://"));
    }
}
