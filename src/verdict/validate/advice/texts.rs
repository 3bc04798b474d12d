//! Advice on the texts that a catalog shows to people, and on text that `opm` does not read.

use super::super::rules::prelude::*;
use catalog::model::load_rule;
use syntax::place::{Spanned, Text};

pub const DESCRIPTION_MISSING: RuleDoc = RuleDoc::advice(
    "description-missing",
    Severity::Warning,
    Profile::Strict,
    "A package has no description.",
    "Consoles and catalog sites show the package's `description` in their lists, before users open a bundle; \
     without it they show only a name. Packages generated from bundles have none, so this rule is \
     in the `strict` profile only.",
    "Write a `description` in the `olm.package` blob.",
)
.bad(examples![etcd!()])
.good(examples![concat!(
    package!("etcd", "stable", "description: Keeps etcd clusters running.\n"),
    channel!("etcd", "stable", "- name: etcd.v1.0.0"),
    bundle!("etcd", "1.0.0"),
)]);

pub fn check_description_missing(scope: &Scope<'_>, out: &mut Findings) {
    let Some(package) = scope
        .package
        .packages
        .first()
        .filter(|p| !p.has_description)
    else {
        return;
    };
    let message = format!("package `{}` has no description", scope.package.name);
    out.report(out.finding(package.name.place, message));
}

/// Checked by [`crate::validate::blobs_without_package`].
pub const TEXT_IGNORED: RuleDoc = RuleDoc::advice(
    load_rule::TEXT_IGNORED,
    Severity::Warning,
    Profile::Community,
    "`opm` ignores the rest of a file without an error.",
    "A file that begins with `{` is JSON if its first object is, and JSON objects need no separator. An object with a \
     mistake, such as a comma before `}`, can still be YAML: then `opm` stops reading after it, without a message, and \
     all further objects are missing from the catalog.",
    "Correct the object, or write `---` after it if it is meant as YAML.",
)
.bad(examples![
    "{\"schema\": \"example.note\", \"name\": \"a\",}\n{\"schema\": \"example.note\", \"name\": \"b\"}\n",
])
.good(examples![
    "{\"schema\": \"example.note\", \"name\": \"a\"}\n{\"schema\": \"example.note\", \"name\": \"b\"}\n",
]);

pub const ICON_MISSING: RuleDoc = RuleDoc::advice(
    "icon-missing",
    Severity::Warning,
    Profile::Strict,
    "A package has no icon.",
    "Consoles and catalog sites show the package's `icon`; without one they show a placeholder. A quarter of the \
     packages of OpenShift's community catalog have none, so this rule is in the `strict` profile only.",
    "Add an `icon` with `base64data` and `mediatype` to the `olm.package` blob.",
)
.bad(examples![etcd!()])
.good(examples![concat!(
    package!("etcd", "stable", "icon:\n  base64data: PHN2Zy8+\n  mediatype: image/svg+xml\n"),
    channel!("etcd", "stable", "- name: etcd.v1.0.0"),
    bundle!("etcd", "1.0.0"),
)]);

pub fn check_icon_missing(scope: &Scope<'_>, out: &mut Findings) {
    let Some(package) = scope.package.packages.first().filter(|p| !p.has_icon) else {
        return;
    };
    let message = format!("package `{}` has no icon", scope.package.name);
    out.report(out.finding(package.name.place, message));
}

pub const PLACEHOLDER: RuleDoc = RuleDoc::advice(
    "placeholder",
    Severity::Warning,
    Profile::Community,
    "A value contains a placeholder such as `${VERSION}` that was not filled in.",
    "Scripts and templates leave placeholders behind when a variable is not set. `opm` accepts most of them as names.",
    "Write the value, or run the script again with the variable set.",
)
.bad(examples![stable!("- name: etcd.v1.0.0\n  replaces: etcd.v${PREVIOUS}"; "1.0.0"),
    concat!(
        etcd!(),
        "---\nschema: olm.deprecations\npackage: etcd\nentries:\n- reference:\n    schema: olm.bundle\n    name: ",
        "etcd.v1.0.0\n  message: use {{ next_version }}\n",
    )])
.good(examples![concat!(
    package!("etcd", "stable"),
    channel!("etcd", "stable", "- name: etcd.v1.0.0\n  replaces: etcd.v0.9.0"),
    bundle!("etcd", "1.0.0"),
    "---\nschema: olm.deprecations\npackage: etcd\nentries:\n- reference:\n    schema: olm.bundle\n    name: ",
    "etcd.v1.0.0\n  message: use a version > 1.0.0, it costs < $5\n",
)]);

/// Maximum length of a variable's name, in characters.
const MAX_VARIABLE_LENGTH: usize = 64;

/// Placeholder words: whole words in upper case.
const WORDS: [&str; 6] = [
    "CHANGEME",
    "CHANGE_ME",
    "FIXME",
    "REPLACEME",
    "REPLACE_ME",
    "TODO",
];

pub fn check_placeholder_in_package(scope: &Scope<'_>, out: &mut Findings) {
    let Some(package) = scope.package.packages.first() else {
        return;
    };
    report_placeholder(out, "the package's name", &package.name, |f| f);
    report_placeholder(out, "the default channel", &package.default_channel, |f| f);
}

pub fn check_placeholder_in_channel(_: &Scope<'_>, channel: &ChannelBlob, out: &mut Findings) {
    let name = &channel.name.value;
    report_placeholder(out, "the channel's name", &channel.name, |f| {
        f.channel(name)
    });
    for entry in &channel.entries {
        let of_entry = |f: Finding| f.channel(name).bundle(&entry.name.value);
        report_placeholder(out, "the entry's name", &entry.name, of_entry);
        report_placeholder(out, "`replaces`", &entry.replaces, of_entry);
        report_placeholder(out, "`skipRange`", &entry.skip_range, of_entry);
        for skip in &entry.skips {
            report_placeholder(out, "`skips`", skip, of_entry);
        }
    }
}

pub fn check_placeholder_in_bundle(_: &Scope<'_>, bundle: &BundleBlob, out: &mut Findings) {
    let of_bundle = |f: Finding| f.bundle(&bundle.name.value);
    report_placeholder(out, "the bundle's name", &bundle.name, of_bundle);
    report_placeholder(out, "the image", &bundle.image, of_bundle);
    for property in &bundle.package_properties {
        report_placeholder(out, "the version", &property.version, of_bundle);
    }
}

pub fn check_placeholder_in_deprecations(
    _: &Scope<'_>,
    blob: &DeprecationsBlob,
    out: &mut Findings,
) {
    for entry in &blob.entries {
        report_placeholder(out, "the name", &entry.name, |f| f);
        report_placeholder(out, "the message", &entry.message, |f| f);
    }
}

fn report_placeholder(
    out: &mut Findings,
    subject: &str,
    text: &Spanned<Text>,
    with_subject: impl FnOnce(Finding) -> Finding,
) {
    if let Some(placeholder) = placeholder(text.as_str()) {
        let message = format!("{subject} contains the placeholder `{placeholder}`");
        out.report(with_subject(out.finding(text.place, message)));
    }
}

/// Finds the first placeholder in a text: `${X}`, `$(X)`, `{{ X }}`, `<x-y>`, `%X%`, or one of
/// [`WORDS`].
fn placeholder(text: &str) -> Option<&str> {
    // A quick check: there are many names, and they rarely contain these characters.
    if !text
        .bytes()
        .any(|b| b.is_ascii_uppercase() || matches!(b, b'$' | b'{' | b'<' | b'%'))
    {
        return None;
    }
    for (at, c) in text
        .char_indices()
        .filter(|(_, c)| matches!(c, '$' | '{' | '<' | '%'))
    {
        let rest = &text[at..];
        let (open, close) = match c {
            '$' if rest.starts_with("${") => ("${", "}"),
            '$' if rest.starts_with("$(") => ("$(", ")"),
            '{' if rest.starts_with("{{") => ("{{", "}}"),
            '<' => ("<", ">"),
            '%' => ("%", "%"),
            _ => continue,
        };
        let inside = &rest[open.len()..];
        // Variable names are short; do not scan a long text to its end.
        let near = inside
            .char_indices()
            .nth(MAX_VARIABLE_LENGTH)
            .map_or(inside, |(end, _)| &inside[..end]);
        let Some(end) = near.find(close) else {
            continue;
        };
        let name = &near[..end];
        let mut letters = name.chars();
        let starts_like_a_name = letters
            .next()
            .is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
        let fits = match open {
            "<" => starts_like_a_name && letters.all(|c| is_word(c) || c == '-'),
            "%" => starts_like_a_name && name.chars().all(|c| c.is_ascii_uppercase() || c == '_'),
            _ => !name.trim().is_empty(),
        };
        if fits {
            return Some(&rest[..open.len() + end + close.len()]);
        }
    }
    text.split(|c| !is_word(c))
        .find(|word| WORDS.contains(word))
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::placeholder;

    #[test]
    fn texts_with_placeholder() {
        for (text, found) in [
            ("etcd.v${VERSION}", "${VERSION}"),
            ("etcd.v$(VERSION)", "$(VERSION)"),
            ("{{ .Version }}", "{{ .Version }}"),
            ("quay.io/org/etcd:<version>", "<version>"),
            ("quay.io/org/etcd@sha256:REPLACE_ME", "REPLACE_ME"),
            ("use %NEXT%", "%NEXT%"),
            ("a < b, then <your-channel>", "<your-channel>"),
        ] {
            assert_eq!(placeholder(text), Some(found), "{text}");
        }
    }

    #[test]
    fn texts_without_placeholder() {
        for text in [
            "",
            "etcd.v1.0.0",
            ">=1.0.0 <1.1.0",
            ">=1.0.0 <1.1.0 || >1.2.0",
            "costs $5",
            "{}",
            "${}",
            "50% of 60%",
            "Todo",
            "see <https://example.com>",
            "{{",
            "<é>",
            "methods",
        ] {
            assert_eq!(placeholder(text), None, "{text}");
        }
    }
}
