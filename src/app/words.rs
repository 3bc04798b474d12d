//! Formats facts as plain text without markup.

use protocol::counting::{and_more, capitalize, count_of_errors, first_of, plural};
use protocol::diagnostic::Location;
use protocol::manifests::{ManifestQuestion, ManifestRemark};
use protocol::views::{Approval, Lens, Origin, PackageRow, Policy, ProblemMark, RootRow};

/// Messages of at most this many characters are shown completely.
const FULL_LENGTH: usize = 96;
/// Number of names kept of each list.
const MAX_NAMES: usize = 1;
/// Minimum length in bytes of a statement before a colon. The text after a later colon is a reason,
/// that after an earlier one is the message itself.
const MIN_STATEMENT: usize = 40;

/// Formats a count like [`protocol::counting::count_of`], with grouped digits: `12 345 entries`.
pub fn count(number: u32, one: &str) -> String {
    if number == 1 {
        format!("1 {one}")
    } else {
        format!("{} {}", group_digits(u64::from(number)), plural(one))
    }
}

/// Shortens a text to `max_chars` in its middle, since related names differ at both ends.
pub fn shorten(text: &str, max_chars: usize) -> String {
    let length = text.chars().count();
    if length <= max_chars {
        return text.to_owned();
    }
    let (head, tail) = (max_chars.saturating_sub(max_chars / 2 + 1), max_chars / 2);
    text.chars()
        .take(head)
        .chain(['…'])
        .chain(text.chars().skip(length - tail))
        .collect()
}

/// Turns an external reason into a clause of our sentence: without a full stop, and never empty.
pub fn clause(reason: &str) -> &str {
    let reason = reason.trim().trim_end_matches('.');
    if reason.is_empty() {
        "no reason given"
    } else {
        reason
    }
}

/// Lists names: `a, b, c`; more than three as `a, b, c and 2 more`.
pub fn list_names(names: &[String]) -> String {
    first_of(names.iter(), 3)
}

/// Formats `12345678` as `12 345 678`, with narrow no-break spaces. Four digits are not grouped.
pub fn group_digits(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) && digits.len() > 4 {
            out.push('\u{202f}');
        }
        out.push(digit);
    }
    out
}

/// Formats a size: `812 B`, `14.8 MB`. Uses powers of ten, as in file managers.
pub fn bytes(number: u64) -> String {
    match number {
        0..1_000 => format!("{number} B"),
        1_000..1_000_000 => format!("{:.0} kB", number as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", number as f64 / 1e6),
        _ => format!("{:.2} GB", number as f64 / 1e9),
    }
}

/// Formats `2 bundles are in none of the open files`.
pub fn not_open(bundles: u32) -> String {
    let verb = if bundles == 1 { "is" } else { "are" };
    format!(
        "{} {verb} in none of the open files",
        count(bundles, "bundle")
    )
}

/// Returns the verdict of a catalog, with the number of errors or of missing bundles.
pub fn verdict(row: &RootRow) -> String {
    if row.is_refused() {
        return "Cannot be rendered".to_owned();
    }
    match (row.missing_bundles(), row.is_template(), row.passed) {
        (missing @ 1.., ..) => format!("Not validated: {}", not_open(missing)),
        (0, false, true) => "Passes opm validate".to_owned(),
        (0, true, true) => "Template without errors".to_owned(),
        (0, is_template, false) => format!(
            "{}: {}",
            if is_template {
                "Template with errors"
            } else {
                "Fails opm validate"
            },
            count_of_errors(row.errors.max(1) as usize, row.following as usize)
        ),
    }
}

/// Accessible name of the item in the list.
pub fn catalog_item(row: &RootRow, name: &str) -> String {
    let verdict = verdict(row);
    let mut out = match &row.template {
        // A template without entries has no packages to count.
        Some(template) if !template.holds_entries => format!("{name}, {}", template.kind),
        _ => format!("{name}, {verdict}, {}", count(row.packages, "package")),
    };
    if row.edited {
        out.push_str(", edited");
    }
    out
}

/// Accessible name of the item in the list.
pub fn package_item(row: &PackageRow) -> String {
    let mut parts = vec![
        row.name.clone(),
        count(row.channels, "channel"),
        count(row.bundles, "bundle"),
    ];
    let problems = tally(row.errors, row.warnings, row.infos);
    if !problems.is_empty() {
        parts.push(problems);
    }
    if row.edited {
        parts.push("edited".to_owned());
    }
    if row.deprecated {
        parts.push("deprecated".to_owned());
    }
    parts.join(", ")
}

/// Formats a location: `sailoperator/catalog.yaml:105`; "" for the whole catalog.
pub fn location(location: &Location) -> String {
    if location.file.is_empty() {
        String::new()
    } else {
        file_line(&location.file, location.line)
    }
}

/// Returns the label of a button that goes to a position; the file is shown beside it.
pub fn go_to_line(location: &Location) -> String {
    format!("Go to line {}", location.line)
}

/// Describes the problems of an object: `2 errors, 1 warning: ` and the worst one.
pub fn problem(mark: &ProblemMark) -> String {
    let worst = without_backticks(&mark.worst);
    format!("{}: {worst}", tally(mark.errors, mark.warnings, 0))
}

fn without_backticks(text: &str) -> String {
    text.replace('`', "")
}

/// Formats counts of problems: `2 errors, 1 warning, 3 info`; omits zeros.
pub fn tally(errors: u32, warnings: u32, infos: u32) -> String {
    let parts = [
        (errors, count(errors, "error")),
        (warnings, count(warnings, "warning")),
        (infos, format!("{infos} info")),
    ];
    let parts: Vec<String> = parts
        .into_iter()
        .filter(|(number, _)| *number > 0)
        .map(|(_, text)| text)
        .collect();
    parts.join(", ")
}

/// Formats a fix as a step title: without backticks, capitalized if it starts with a word.
pub fn fix_title(title: &str) -> String {
    without_backticks(&capitalize(title))
}

pub fn lens(lens: Lens) -> &'static str {
    match lens {
        Lens::V0 => "Classic (v0)",
        Lens::V1 => "OLM v1",
    }
}

/// Formats a manifest's kind and name: `Subscription lamp`.
pub fn manifest_heading(manifest: &ManifestQuestion) -> String {
    format!("{} {}", manifest.kind, manifest.name)
        .trim_end()
        .to_owned()
}

/// Formats a file and line: `sub.yaml:3`.
pub fn file_line(file: &str, line: u32) -> String {
    format!("{file}:{line}")
}

/// Formats the question in one line, such as `lamp-operator, installed lamp-operator.v1.0.0,
/// channel stable, approval Manual.`
pub fn question_text(manifest: &ManifestQuestion) -> String {
    let question = &manifest.question;
    let mut parts = vec![manifest.package.clone()];
    parts.push(match &question.origin {
        Origin::Installed(name) => format!("installed {name}"),
        Origin::Fresh => "nothing installed".to_owned(),
    });
    match question.lens {
        Lens::V0 => {
            parts.push(match question.channel.as_str() {
                "" => "default channel".to_owned(),
                channel => format!("channel {channel}"),
            });
            if !question.starting_csv.is_empty() {
                parts.push(format!("starting CSV {}", question.starting_csv));
            }
            if question.approval == Approval::Manual {
                parts.push("approval Manual".to_owned());
            }
        }
        Lens::V1 => {
            parts.push(name_channels(&question.channels));
            if !question.range.is_empty() {
                parts.push(format!("version range {}", question.range));
            }
            if question.policy == Policy::SelfCertified {
                parts.push("policy SelfCertified".to_owned());
            }
        }
    }
    format!("{}.", parts.join(", "))
}

/// Names the channels that a ClusterExtension admits.
pub fn name_channels(channels: &[String]) -> String {
    match channels {
        [] => "any channel".to_owned(),
        [one] => format!("channel {one}"),
        several => format!("channels {}", several.join(", ")),
    }
}

/// Formats a remark as sentences with names in backticks.
pub fn remark_sentence(remark: &ManifestRemark) -> String {
    let mut sentence = capitalize(&remark.reason);
    if !remark.help.is_empty() {
        sentence.push_str(": ");
        sentence.push_str(&remark.help);
    }
    if !sentence.ends_with(['.', '?']) {
        sentence.push('.');
    }
    sentence
}

/// Abbreviates a long message. Returns it unchanged if nothing can be omitted.
pub fn abbreviate(message: &str) -> String {
    if message.chars().count() <= FULL_LENGTH {
        return message.to_owned();
    }
    let counted = count_names(message);
    if counted.chars().count() <= FULL_LENGTH {
        return counted;
    }
    match find_statement(&counted) {
        Some(statement) => statement.to_owned(),
        None => counted,
    }
}

/// Keeps the first name of each list and counts the others: "`a`, `b`, `c` and 4 more" becomes "`a`
/// and 6 more".
fn count_names(message: &str) -> String {
    // Text and names alternate.
    let parts: Vec<&str> = message.split('`').collect();
    let is_separator = |index: usize| parts.get(index).is_some_and(|text| *text == ", ");
    let mut counted = String::new();
    let mut index = 0;
    while let Some(part) = parts.get(index) {
        if index % 2 == 0 {
            counted.push_str(part);
            index += 1;
            continue;
        }
        let mut last = index;
        while is_separator(last + 1) && last + 2 < parts.len() {
            last += 2;
        }
        let names = (last - index) / 2 + 1;
        counted.push_str(&format!("`{part}`"));
        index = last + 1;
        if names <= MAX_NAMES {
            continue;
        }
        let following = parts.get(index).copied().unwrap_or_default();
        let (more, following) = split_more(following);
        counted.push_str(&format!(
            " {}{following}",
            and_more(names - MAX_NAMES + more)
        ));
        index += 1;
    }
    counted
}

/// Splits " and 4 more" off the start of a text. Returns the number, 0 if there is none, and the
/// remaining text.
fn split_more(text: &str) -> (usize, &str) {
    let parse = || {
        let (number, following) = text.strip_prefix(" and ")?.split_once(" more")?;
        Some((number.parse().ok()?, following))
    };
    parse().unwrap_or((0, text))
}

/// Returns the part before the first colon outside of names, if it is long enough.
fn find_statement(message: &str) -> Option<&str> {
    let mut is_in_name = false;
    for (position, letter) in message.char_indices() {
        match letter {
            '`' => is_in_name = !is_in_name,
            ':' if !is_in_name
                && position >= MIN_STATEMENT
                && message[position..].starts_with(": ") =>
            {
                return message.get(..position);
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::templates::{MissingBundle, RenderFailure, RenderedRow, TemplateRow};
    use protocol::views::UpgradeQuestion;

    #[test]
    fn a_fix_names_its_step() {
        assert_eq!(
            fix_title("let `p.v2` replace `p.v1`"),
            "Let p.v2 replace p.v1"
        );
        assert_eq!(fix_title("`p.v2` skips `p.v1`"), "p.v2 skips p.v1");
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(bytes(999), "999 B");
        assert_eq!(bytes(14_800_000), "14.8 MB");
        assert_eq!(group_digits(1234), "1234");
        assert_eq!(group_digits(1_234_567), "1\u{202f}234\u{202f}567");
        assert_eq!(count(1, "package"), "1 package");
    }

    #[test]
    fn shortened_texts_keep_both_ends() {
        assert_eq!(shorten("stable", 17), "stable");
        assert_eq!(shorten("community-operator-v1.2", 11), "commu…-v1.2");
        assert_eq!(shorten("1.31.0-nightly-2026-08-22", 12), "1.31.…-08-22");
    }

    #[test]
    fn a_refused_rendering_is_not_said_to_lack_bundles() {
        let row = RootRow {
            rendered: Some(RenderedRow {
                missing: vec![MissingBundle::default()],
                refused: Some(RenderFailure::default()),
                ..RenderedRow::default()
            }),
            ..RootRow::default()
        };
        assert_eq!(verdict(&row), "Cannot be rendered");
    }

    #[test]
    fn a_template_is_not_known_to_pass() {
        let template = |passed| RootRow {
            template: Some(TemplateRow::default()),
            passed,
            ..RootRow::default()
        };
        let validities = [true, false].map(|passed| template(passed).validity());
        assert_eq!(validities, [None, Some(false)]);
        let rendered = |missing| RootRow {
            rendered: Some(RenderedRow {
                missing: vec![MissingBundle::default(); missing],
                ..RenderedRow::default()
            }),
            passed: true,
            ..RootRow::default()
        };
        assert_eq!([0, 2].map(|n| rendered(n).validity()), [Some(true), None]);
        assert_eq!(
            verdict(&rendered(2)),
            "Not validated: 2 bundles are in none of the open files"
        );
    }

    #[test]
    fn a_catalog_item_includes_its_verdict() {
        let row = RootRow {
            errors: 3,
            following: 2,
            packages: 37,
            edited: true,
            ..RootRow::default()
        };
        assert_eq!(
            catalog_item(&row, "v4.19"),
            "v4.19, Fails opm validate: 3 errors (2 of them only follow from another), 37 packages, edited"
        );
    }

    #[test]
    fn describes_marks() {
        let row = PackageRow {
            name: "p".into(),
            channels: 1,
            bundles: 4,
            errors: 1,
            infos: 2,
            edited: true,
            deprecated: true,
            ..PackageRow::default()
        };
        assert_eq!(
            package_item(&row),
            "p, 1 channel, 4 bundles, 1 error, 2 info, edited, deprecated"
        );
    }

    #[test]
    fn question_text_lists_the_given_fields() {
        let question = UpgradeQuestion {
            origin: Origin::Installed("p.v1".into()),
            channel: "stable".into(),
            approval: Approval::Manual,
            ..UpgradeQuestion::default()
        };
        let (kind, name) = ("Subscription".to_owned(), "s".to_owned());
        let manifest = ManifestQuestion {
            kind,
            name,
            package: "p".into(),
            question,
            ..ManifestQuestion::default()
        };
        assert_eq!(manifest_heading(&manifest), "Subscription s");
        assert_eq!(
            question_text(&manifest),
            "p, installed p.v1, channel stable, approval Manual."
        );
        let question = UpgradeQuestion {
            lens: Lens::V1,
            channels: vec!["a".into(), "b".into()],
            range: ">=1.0.0".into(),
            policy: Policy::SelfCertified,
            ..UpgradeQuestion::default()
        };
        let manifest = ManifestQuestion {
            name: String::new(),
            question,
            ..manifest
        };
        assert_eq!(manifest_heading(&manifest), "Subscription");
        let expected =
            "p, nothing installed, channels a, b, version range >=1.0.0, policy SelfCertified.";
        assert_eq!(question_text(&manifest), expected);
    }

    #[test]
    fn a_remark_is_a_sentence() {
        let sentence = |reason: &str, help: &str| {
            remark_sentence(&ManifestRemark {
                reason: reason.into(),
                help: help.into(),
                ..ManifestRemark::default()
            })
        };
        assert_eq!(
            sentence("package `x` not found", "did you mean `y`?"),
            "Package `x` not found: did you mean `y`?"
        );
        assert_eq!(
            sentence("`selector` is ignored", ""),
            "`selector` is ignored."
        );
    }

    #[test]
    fn a_short_message_is_kept_whole() {
        assert_eq!(
            abbreviate("channel `a` has 2 heads: `b`, `c`"),
            "channel `a` has 2 heads: `b`, `c`"
        );
    }

    #[test]
    fn long_lists_of_names_are_counted() {
        let names = (0..8)
            .map(|n| format!("`grafana-operator.v5.0.{n}`"))
            .collect::<Vec<_>>()
            .join(", ");
        let message = format!("channel `v5` has stranded entries: {names} and 4 more");
        assert_eq!(
            abbreviate(&message),
            "channel `v5` has stranded entries: `grafana-operator.v5.0.0` and 11 more"
        );
        let message = format!("{names}: none of them is listed");
        assert_eq!(
            abbreviate(&message),
            "`grafana-operator.v5.0.0` and 7 more: none of them is listed"
        );
        assert_eq!(abbreviate(&names), "`grafana-operator.v5.0.0` and 7 more");
    }

    #[test]
    fn messages_of_a_parser_are_omitted() {
        let message = "skipRange `<=v0.10.1` of entry `dynatrace-operator.v0.10.2` is not a version range: Could not parse \
                       Range \"<=v0.10.1\": Could not parse comparator \"<=v\"";
        assert_eq!(
            abbreviate(message),
            "skipRange `<=v0.10.1` of entry `dynatrace-operator.v0.10.2` is not a version range"
        );
    }

    #[test]
    fn a_message_that_cannot_be_shortened_is_unchanged() {
        let message = "bundle `alloydb-omni-operator.v1.8.0` and 10 more require API `ClusterIssuer` (`cert-manager.io/v1`), \
                       which no package in this catalog provides";
        assert_eq!(abbreviate(message), message);
    }
}
