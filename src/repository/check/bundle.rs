//! Checks of a bundle: required fields of its ClusterServiceVersion, its names, its default channel,
//! and whether it contains a NetworkPolicy. Dates are ISO 8601 as Python's `dateutil` parses it.
//!
//! The default channel must fit the catalog in which the pipeline tests the bundle. That catalog has
//! the bundle in a single channel: one of `channels.v1`, in random order (`stable` without the
//! annotation). Its default channel is `channel.default.v1`, or else that channel. If they differ,
//! the catalog image cannot be built.

use super::Checked;
use super::config::{Config, Setting};
use crate::document::{self, Kind, Node};
use crate::layout::{self, EntryKind, join};
use crate::operator::{Bundle, Failure, read_document};
use crate::rules::Finding;
use std::collections::BTreeSet;

pub(super) const REQUIRED_FIELDS: &str = "check_required_fields";

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
        document::text(value)
            .split(',')
            .all(|name| CATEGORIES.contains(&name.trim()))
    }),
    advised_field("metadata.annotations.containerImage", |value| {
        is_image(&document::text(value))
    }),
    advised_field("metadata.annotations.createdAt", |value| {
        matches!(value.kind(), Kind::Time(_)) || is_iso(&document::text(value))
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

pub(super) fn check_required_fields(bundle: &Bundle<'_>) -> Checked {
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
        let finding = match field.is_error {
            true => Finding::error(REQUIRED_FIELDS, path, message),
            false => Finding::warning(REQUIRED_FIELDS, path, message),
        };
        findings.push(finding.on_line(value.map(Node::line)));
    }
    Ok(findings)
}

/// Looks up a path of keys. Fails where the pipeline would crash: at a value that cannot have keys.
fn look_up<'d>(file: &str, root: Node<'d>, path: &str) -> Result<Option<Node<'d>>, Failure> {
    let mut at = root;
    for key in path.split('.') {
        match at.kind() {
            Kind::Map => match at.get(key) {
                Some(value) => at = value,
                None => return Ok(None),
            },
            // The pipeline tests with Python's `in`, which also works on texts and lists.
            Kind::Text(text) if !text.contains(key) => return Ok(None),
            Kind::List
                if at
                    .items()
                    .iter()
                    .all(|item| item.text().as_deref() != Some(key)) =>
            {
                return Ok(None);
            }
            _ => {
                return Err(Failure::new(
                    file,
                    at.line(),
                    format!("`{path}` cannot be looked up: the parent of `{key}` is not a mapping"),
                ));
            }
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

/// Whether a text is an ISO 8601 date, or such a date with a time.
pub(super) fn is_iso(text: &str) -> bool {
    text.is_ascii() && parse_time(text.as_bytes()).is_some()
}

fn parse_time(text: &[u8]) -> Option<()> {
    let (date, end) = common_date(text).or_else(|| uncommon_date(text))?;
    let time = match text.get(end..) {
        Some([_, time @ ..]) => time_of_day(time)?,
        _ => [0; 3],
    };
    is_valid(date, time).then_some(())
}

type Date = (i64, i64, i64);

/// Reads `YYYY`, `YYYY-MM`, `YYYY-MM-DD` or `YYYYMMDD`. Returns the date and where it ends.
fn common_date(text: &[u8]) -> Option<(Date, usize)> {
    let year = number(text, 0, 4)?;
    let mut at = 4;
    if at >= text.len() {
        return Some(((year, 1, 1), at));
    }
    let is_parted = text[at] == b'-';
    at += usize::from(is_parted);
    let month = number(text, at, 2)?;
    at += 2;
    if at >= text.len() {
        return is_parted.then_some(((year, month, 1), at));
    }
    if is_parted {
        if text[at] != b'-' {
            return None;
        }
        at += 1;
    }
    let day = number(text, at, 2)?;
    Some(((year, month, day), at + 2))
}

/// Reads a week date (`2024-W05-3`) or an ordinal date (`2024-366`).
fn uncommon_date(text: &[u8]) -> Option<(Date, usize)> {
    let year = number(text, 0, 4)?;
    let is_parted = text.get(4) == Some(&b'-');
    let mut at = 4 + usize::from(is_parted);
    if text.get(at) == Some(&b'W') {
        at += 1;
        let week = number(text, at, 2)?;
        at += 2;
        let mut day = 1;
        if at < text.len() {
            if (text[at] == b'-') != is_parted {
                return None;
            }
            at += usize::from(is_parted);
            day = number(text, at, 1)?;
            at += 1;
        }
        // The caller needs a valid date, not the exact one.
        return ((1..=53).contains(&week) && (1..=7).contains(&day)).then_some(((year, 1, 1), at));
    }
    let day = number(text, at, 3)?;
    let days = if is_leap(year) { 366 } else { 365 };
    (1..=days).contains(&day).then_some(((year, 1, 1), at + 3))
}

/// Reads hour, minute and second, with a fraction and a time zone.
fn time_of_day(text: &[u8]) -> Option<[i64; 3]> {
    if text.len() < 2 {
        return None;
    }
    let mut parts = [0; 3];
    let mut fraction = false;
    let (mut at, mut has_colons) = (0, false);
    for part in 0..=5 {
        if at >= text.len() {
            break;
        }
        if b"-+Zz".contains(&text[at]) {
            zone(&text[at..])?;
            at = text.len();
            break;
        }
        match (part, text[at] == b':') {
            (1, true) => (has_colons, at) = (true, at + 1),
            (2, is_colon) if has_colons => {
                if !is_colon {
                    return None;
                }
                at += 1;
            }
            _ => {}
        }
        if let Some(read) = parts.get_mut(part) {
            *read = number(text, at, 2)?;
            at += 2;
        } else if part == 3 && matches!(text[at], b'.' | b',') {
            let digits = text[at + 1..]
                .iter()
                .take_while(|byte| byte.is_ascii_digit())
                .count();
            if digits > 0 {
                fraction = text[at + 1..]
                    .iter()
                    .take(digits.min(6))
                    .any(|byte| *byte != b'0');
                at += 1 + digits;
            }
        }
    }
    let is_end_of_day = parts[0] == 24;
    if at < text.len() || (is_end_of_day && (parts[1] != 0 || parts[2] != 0 || fraction)) {
        return None;
    }
    if is_end_of_day {
        parts[0] = 0;
    }
    Some(parts)
}

fn zone(text: &[u8]) -> Option<()> {
    if text == b"Z" || text == b"z" {
        return Some(());
    }
    if ![3, 5, 6].contains(&text.len()) || !matches!(text[0], b'+' | b'-') {
        return None;
    }
    let hours = number(text, 1, 2)?;
    let minutes = match text.len() {
        3 => 0,
        _ => {
            let at = if text[3] == b':' { 4 } else { 3 };
            number(text, at, text.len() - at)?
        }
    };
    ((0..=23).contains(&hours) && minutes <= 59).then_some(())
}

/// Reads a number of this many bytes, with the blanks and sign that Python accepts.
fn number(text: &[u8], at: usize, length: usize) -> Option<i64> {
    let bytes = text.get(at..at + length)?;
    let text = std::str::from_utf8(bytes).ok()?.trim();
    let is_number = text.bytes().any(|byte| byte.is_ascii_digit());
    if is_number { text.parse().ok() } else { None }
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn is_valid((year, month, day): Date, [hour, minute, second]: [i64; 3]) -> bool {
    let days = match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return false,
    };
    (1..=9999).contains(&year)
        && (1..=days).contains(&day)
        && (0..=23).contains(&hour)
        && (0..=59).contains(&minute)
        && (0..=59).contains(&second)
}

const CHANNELS: &str = "operators.operatorframework.io.bundle.channels.v1";
const DEFAULT: &str = "operators.operatorframework.io.bundle.channel.default.v1";

/// The channel of a bundle without channel annotations.
const WITHOUT_CHANNELS: &str = "stable";

/// Compares the default channel with the bundle's channels. Other checks report unreadable files.
pub(super) fn default_channel_remarks(bundle: &Bundle<'_>, config: &Config<'_>) -> Vec<Finding> {
    let is_enabled =
        matches!(config.fbc("enabled"), Ok(Setting::Value(value)) if document::is_true(value));
    if !is_enabled {
        return Vec::new();
    }
    let finding = bundle.with_annotations(|path, annotations| {
        let default = annotations.get(DEFAULT)?;
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
            None => BTreeSet::from([WITHOUT_CHANNELS.to_owned()]),
        };
        if name.is_empty() {
            return None;
        }
        let quoted = channels
            .iter()
            .map(|channel| format!("`{channel}`"))
            .collect::<Vec<_>>()
            .join(", ");
        let finding = if !channels.contains(&name) {
            let own = channels.first().map_or("", String::as_str);
            Finding::error(
                "default-channel-not-own",
                path,
                format!(
                    "the default channel `{name}` is not one of the bundle's channels ({quoted}): the pipeline tries the \
                     bundle in a catalog that has only these, so its default channel is missing and it cannot be built"
                ),
            )
            .help(format!(
                "write `{DEFAULT}: {own}`; the default channel of the package stays as the template has it"
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

pub(super) const OPERATOR_NAME: &str = "check_operator_name";

const ANNOTATIONS: &str = "from annotations.yaml";
const CSV: &str = "from the CSV";

pub(super) fn check_operator_name(bundle: &Bundle<'_>) -> Checked {
    let annotated = match bundle.annotated_name() {
        Ok(name) if name.is_empty() => {
            return Ok(vec![Finding::error(
                OPERATOR_NAME,
                &*bundle.folder,
                "Bundle does not define the operator name in annotations.yaml",
            )]);
        }
        Ok(name) => name,
        Err(failure) => {
            let message = format!(
                "Invalid operator name in annotations.yaml for {}",
                bundle.display_name()
            );
            let finding =
                Finding::error(OPERATOR_NAME, failure.file, message).on_line(failure.line);
            return Ok(vec![finding.help(failure.why)]);
        }
    };
    let csv_name = match bundle.csv_name() {
        Ok(name) => name,
        Err(failure) => {
            let message = format!("Invalid operator name in CSV for {}", bundle.display_name());
            let finding =
                Finding::error(OPERATOR_NAME, failure.file, message).on_line(failure.line);
            return Ok(vec![finding.help(failure.why)]);
        }
    };
    let versions = layout::bundles(bundle.files, bundle.operator).into_iter();
    let others: Vec<Bundle<'_>> = versions
        .filter(|version| *version != bundle.version)
        .map(|version| Bundle::at(bundle.files, bundle.operator, &version))
        .collect();
    let mut findings = Vec::new();
    if !others.is_empty() {
        let of_others: BTreeSet<String> = others
            .iter()
            .filter_map(|other| other.annotated_name().ok())
            .collect();
        findings.extend(consistency(
            &annotated,
            of_others,
            ANNOTATIONS,
            &bundle.folder,
        ));
        let of_others: BTreeSet<String> = others
            .iter()
            .filter_map(|other| other.csv_name().ok())
            .collect();
        findings.extend(consistency(&csv_name, of_others, CSV, &bundle.folder));
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
        return (common != own).then(|| Finding::error(OPERATOR_NAME, folder, message));
    }
    let mut all = of_others;
    all.insert(own.to_owned());
    let all = document::list(all.iter().map(String::as_str));
    Some(Finding::warning(
        OPERATOR_NAME,
        folder,
        format!("Operator name {from} is not consistent across bundles: {all}"),
    ))
}

pub(super) const VERSION_FOLDER: &str = "check_operator_version_directory_name";

pub(super) fn check_version_folder(bundle: &Bundle<'_>) -> Checked {
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

pub(super) const NETWORK_POLICY: &str = "check_network_policy_presence";

pub(super) fn check_network_policy(bundle: &Bundle<'_>) -> Checked {
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
mod required_fields_tests {
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

#[cfg(test)]
mod time_tests {
    use super::is_iso;

    #[test]
    fn dates_are_those_of_iso_8601() {
        for text in [
            "2024",
            "2024-05",
            "2024-05-06",
            "20240506",
            "2024-05-06T07:08:09Z",
            "2024-05-06 07:08:09",
            "2024-05-06T07",
            "2024-05-06T0708",
            "2024-05-06T07:08:09.123456789+02:00",
            "2024-05-06T07:08:09,5-0330",
            "2024-05-06T24:00:00",
            "2024-W05-3",
            "2024W05",
            "2024-366",
            "2024-02-29",
        ] {
            assert!(is_iso(text), "{text}");
        }
        for text in [
            "",
            "24",
            "202405",
            "2024-13-01",
            "2023-02-29",
            "2023-366",
            "2024-05-06T",
            "2024-05-06T7:08:09",
            "2024-05-06T07:0809",
            "2024-05-06T07:08:61",
            "2024-05-06T24:00:01",
            "2024-05-06T07:08:09 UTC",
            "2024-05-06T07:08:09+25:00",
            "May 6, 2024",
            "yesterday",
            "2024-05-06T07:08:09é",
        ] {
            assert!(!is_iso(text), "{text}");
        }
    }
}
