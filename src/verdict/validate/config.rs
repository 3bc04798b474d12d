//! Parses `.switchyard.yaml`, the configuration of advice, into [`Settings`] and complaints.
//! `session/configuration.rs` selects the file that applies to a catalog;
//! `cli/input/config_file.rs` finds it on disk.
//!
//! Uses our own reader instead of serde, so that each complaint has its line and none hides the
//! others. Invalid parts are reported and skipped, so a file for another version of Switchyard
//! still works.

use super::config_rules::{INVALID, UNUSED, diagnostic};
use super::explain::{documents, explain};
use super::rule_doc::RuleDoc;
use super::settings::{Settings, Suppression};
use edit::plan::did_you_mean;
use protocol::diagnostic::{Diagnostic, Location, Profile, Severity};
use syntax::document::{Document, Reader, Sink};
use syntax::error::SyntaxError;
use syntax::place::LineIndex;
use syntax::scalar;
use syntax::tree::{NodeId, NodeKind, Tree};

pub use super::config_rules::FILE_NAME;

/// Rules of earlier versions, which a configuration may still name.
const RETIRED: [&str; 8] = [
    "api-of-two-packages",
    "bundle-name-form",
    "channel-priority",
    "dependency-package-and-api",
    "deprecation-message-thin",
    "major-jump",
    "max-openshift-version-decreases",
    "replaced-and-skipped",
];

/// The content of a configuration, and its errors.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Config {
    pub settings: Settings,
    /// Problems of the file, each with a position in it. They never affect the verdict.
    pub complaints: Vec<Diagnostic>,
}

/// Parses a configuration. `file` is its display path in problems; `profile` overrides the one in
/// the file.
pub fn parse(file: &str, text: &[u8], profile: Option<Profile>) -> Config {
    let mut config = Config::default();
    let mut read = FirstDocument {
        file,
        config: &mut config,
        document_count: 0,
    };
    let mut reader = Reader::default();
    reader.feed(text, &mut read);
    reader.finish(&mut read);
    if let Some(profile) = profile {
        config.settings.set_profile(profile);
    }
    config
}

/// The suppression matched no problem.
pub(super) fn unused_suppression(suppression: &Suppression) -> Diagnostic {
    let mut description = format!("`{}`", suppression.rule);
    for (kind, name) in [
        ("package", &suppression.package),
        ("channel", &suppression.channel),
        ("bundle", &suppression.bundle),
    ] {
        if let Some(name) = name {
            description.push_str(&format!(", {kind} `{name}`"));
        }
    }
    let mut diagnostic = diagnostic(
        &UNUSED,
        suppression.at.clone(),
        format!("this suppression matches nothing: {description}"),
        UNUSED.fix,
    );
    diagnostic.package.clone_from(&suppression.package);
    diagnostic
}

/// Keeps the first document and reports others.
struct FirstDocument<'c> {
    file: &'c str,
    config: &'c mut Config,
    document_count: u32,
}

impl Sink for FirstDocument<'_> {
    fn document(&mut self, document: Document<'_>) {
        let lines = LineIndex::new(document.text);
        let mut read = DocumentParser {
            file: self.file,
            document: &document,
            lines,
            config: self.config,
        };
        self.document_count += 1;
        match &document.parsed {
            _ if self.document_count > 1 => read.report_at(
                0,
                0,
                "there is more than one document",
                "write one document only",
            ),
            Ok(tree) => {
                if let Some(root) = tree.root() {
                    read.root(tree, root);
                }
            }
            Err(SyntaxError { at, problem, .. }) => {
                read.report_at(*at as usize, *at as usize, problem, "")
            }
        }
    }
}

struct Field {
    key: String,
    at: NodeId,
    value: NodeId,
}

struct DocumentParser<'r, 'd> {
    file: &'r str,
    document: &'r Document<'d>,
    lines: LineIndex,
    config: &'r mut Config,
}

impl DocumentParser<'_, '_> {
    fn root(&mut self, tree: &Tree, root: NodeId) {
        for Field { key, at, value } in self.fields(tree, root, "the configuration") {
            match key.as_str() {
                "profile" => self.profile(tree, value),
                "rules" => {
                    for rule in self.fields(tree, value, "`rules`") {
                        self.rule(tree, &rule);
                    }
                }
                "suppress" => {
                    let value = tree.resolve_alias(value);
                    if tree.kind(value).is_sequence() {
                        for item in tree.children(value) {
                            self.suppression(tree, item);
                        }
                    } else if tree.kind(value) != NodeKind::Absent {
                        self.report(
                            tree,
                            value,
                            "`suppress` is not a list",
                            "begin each suppression with `- rule:`",
                        );
                    }
                }
                other => self.unknown_key(tree, at, other, &["profile", "rules", "suppress"]),
            }
        }
    }

    fn profile(&mut self, tree: &Tree, value: NodeId) {
        let word = self.word(tree, value);
        match Profile::ALL
            .into_iter()
            .find(|profile| profile.name() == word)
        {
            Some(profile) => self.config.settings.set_profile(profile),
            None => {
                let names = Profile::ALL.map(Profile::name);
                let help = did_you_mean(
                    &word,
                    names,
                    "the profiles are `opm`, `community` and `strict`",
                );
                self.report(tree, value, &format!("unknown profile `{word}`"), &help);
            }
        }
    }

    fn rule(&mut self, tree: &Tree, field: &Field) {
        let Some(doc) = self.advice(tree, field.at, &field.key) else {
            return;
        };
        let word = self.word(tree, field.value);
        let severity = match word.as_str() {
            // `off` and `on` are text here, although YAML 1.1 reads them as booleans.
            "off" | "false" => None,
            "on" | "true" => Some(doc.severity),
            "warning" => Some(Severity::Warning),
            "info" => Some(Severity::Info),
            _ => {
                let help = did_you_mean(
                    &word,
                    ["off", "on", "warning", "info"],
                    "write `off`, `on`, `warning` or `info`",
                );
                return self.report(tree, field.value, &format!("unknown level `{word}`"), &help);
            }
        };
        self.config.settings.change(doc, severity);
    }

    fn suppression(&mut self, tree: &Tree, item: NodeId) {
        let (mut rule, mut reason) = (None, None);
        let (mut package, mut channel, mut bundle) = (None, None, None);
        for Field { key, at, value } in self.fields(tree, item, "a suppression") {
            let word = self.word(tree, value);
            match key.as_str() {
                "rule" => rule = self.advice(tree, value, &word).or(rule),
                "reason" => reason = Some(word),
                "package" => package = Some(word),
                "channel" => channel = Some(word),
                "bundle" => bundle = Some(word),
                other => {
                    let known = ["rule", "package", "channel", "bundle", "reason"];
                    // The scope of an invalid suppression is unknown: drop it, so that it does not
                    // suppress too much.
                    rule = None;
                    reason.get_or_insert_with(|| "-".to_owned());
                    self.unknown_key(tree, at, other, &known);
                    break;
                }
            }
        }
        let names_rule = tree
            .pairs(tree.resolve_alias(item))
            .any(|(key, _)| self.word(tree, key) == "rule");
        if !names_rule && tree.kind(tree.resolve_alias(item)).is_mapping() {
            self.report(
                tree,
                item,
                "a suppression has no `rule`",
                "write its `rule`",
            );
        }
        if reason
            .as_deref()
            .is_none_or(|reason| reason.trim().is_empty())
        {
            return self.report(
                tree,
                item,
                "a suppression has no reason",
                "add a `reason`, so that the next reader knows why",
            );
        }
        if let Some(rule) = rule {
            let range = tree.range(item);
            let at = self.location(range.start, range.start);
            self.config.settings.suppress(Suppression {
                rule: rule.id,
                package,
                channel,
                bundle,
                at,
            });
        }
    }

    /// Returns the documentation of a configurable rule.
    fn advice(&mut self, tree: &Tree, at: NodeId, id: &str) -> Option<&'static RuleDoc> {
        let Some(doc) = explain(id) else {
            if RETIRED.contains(&id) {
                return None;
            }
            let ids = documents().filter(|d| !d.opm).map(|d| d.id);
            let help = did_you_mean(id, ids, "`switchyard explain` lists all rules");
            self.report(tree, at, &format!("unknown rule `{id}`"), &help);
            return None;
        };
        if doc.opm {
            let message = format!("`{id}` is a rule of `opm` and cannot be turned off");
            self.report(
                tree,
                at,
                &message,
                "only Switchyard's own rules can be turned off or suppressed",
            );
            return None;
        }
        Some(doc)
    }

    fn unknown_key(&mut self, tree: &Tree, at: NodeId, key: &str, known: &[&str]) {
        let listed = format!("known keys are `{}`", known.join("`, `"));
        let help = did_you_mean(key, known.iter().copied(), &listed);
        self.report(tree, at, &format!("unknown key `{key}`"), &help);
    }

    /// Returns the fields of a mapping. The first of several fields with one name counts.
    fn fields(&mut self, tree: &Tree, node: NodeId, description: &str) -> Vec<Field> {
        let node = tree.resolve_alias(node);
        if tree.kind(node) == NodeKind::Absent {
            return Vec::new();
        }
        if !tree.kind(node).is_mapping() {
            self.report(
                tree,
                node,
                &format!("{description} is not a mapping"),
                "write `key: value`",
            );
            return Vec::new();
        }
        let mut fields = Vec::new();
        let mut seen = syntax::hashed::HashSet::default();
        for (key, value) in tree.pairs(node) {
            let word = self.word(tree, key);
            if seen.insert(word.clone()) {
                fields.push(Field {
                    key: word,
                    at: key,
                    value,
                });
            } else {
                self.report(
                    tree,
                    key,
                    &format!("`{word}` is written twice"),
                    "keep one: only the first counts",
                );
            }
        }
        fields
    }

    /// Returns the text of a scalar of any YAML type; "" for lists and mappings.
    fn word(&self, tree: &Tree, node: NodeId) -> String {
        scalar::decode(tree, self.document.text, node).into_owned()
    }

    fn report(&mut self, tree: &Tree, node: NodeId, message: &str, help: &str) {
        let range = tree.range(node);
        self.report_at(range.start, range.end, message, help);
    }

    fn report_at(&mut self, start: usize, end: usize, message: &str, help: &str) {
        let location = self.location(start, end);
        self.config
            .complaints
            .push(diagnostic(&INVALID, location, message.to_owned(), help));
    }

    fn location(&self, start: usize, end: usize) -> Location {
        let place = self.lines.place(self.document.text, start..end);
        let (line, column) = (self.document.line + 1, |line| {
            if line == 0 { self.document.column } else { 0 }
        });
        Location {
            file: self.file.to_owned(),
            line: line + place.line,
            column: 1 + place.column + column(place.line),
            end_line: line + place.end_line,
            end_column: 1 + place.end_column + column(place.end_line),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Config {
        parse("c.yaml", text.as_bytes(), None)
    }

    fn complaints(text: &str) -> Vec<String> {
        let described = |d: Diagnostic| {
            format!(
                "{}:{}: {}; {}",
                d.location.line, d.location.column, d.message, d.help
            )
        };
        read(text).complaints.into_iter().map(described).collect()
    }

    #[test]
    fn a_whole_configuration() {
        let config = read(
            "---\n# ours\nprofile: strict\nrules:\n  description-missing: off\n  icon-missing: info\nsuppress:\n\
             - rule: image-tag\n  package: etcd\n  bundle: etcd.v1.0.0\n  reason: built before digests were asked for\n",
        );
        assert_eq!(config.complaints, []);
        let settings = config.settings;
        assert_eq!(settings.profile(), Profile::Strict);
        assert_eq!(
            settings.severity(explain("description-missing").unwrap()),
            None
        );
        assert_eq!(
            settings.severity(explain("icon-missing").unwrap()),
            Some(Severity::Info)
        );
        assert!(
            settings
                .suppression(
                    "image-tag",
                    Some("etcd"),
                    Some("stable"),
                    Some("etcd.v1.0.0")
                )
                .is_some()
        );
        assert!(
            settings
                .suppression("image-tag", Some("etcd"), None, Some("etcd.v2.0.0"))
                .is_none()
        );
        assert!(
            settings
                .suppression("icon-missing", Some("etcd"), None, None)
                .is_none()
        );
    }

    #[test]
    fn errors_have_a_line_and_a_hint() {
        let text = "profle: strict\nprofile: strickt\nrules:\n  image-tga: off\n  image-tag: loud\n  channel-cycle: off\n\
                    suppress:\n- rule: image-tag\n- package: p\n  reason: r\n- rule: image-tag\n  pakage: p\n  reason: r\n";
        assert_eq!(
            complaints(text),
            [
                "1:1: unknown key `profle`; did you mean `profile`?",
                "2:10: unknown profile `strickt`; did you mean `strict`?",
                "4:3: unknown rule `image-tga`; did you mean `image-tag`?",
                "5:14: unknown level `loud`; write `off`, `on`, `warning` or `info`",
                "6:3: `channel-cycle` is a rule of `opm` and cannot be turned off; only Switchyard's own rules can be \
                 turned off or suppressed",
                "8:3: a suppression has no reason; add a `reason`, so that the next reader knows why",
                "9:3: a suppression has no `rule`; write its `rule`",
                "12:3: unknown key `pakage`; did you mean `package`?",
            ]
        );
        assert!(read(text).settings.suppressions().is_empty());
    }

    #[test]
    fn other_shapes_are_reported_and_an_empty_file_is_valid() {
        assert_eq!(read(""), Config::default());
        assert_eq!(read("# nothing yet\n").complaints, []);
        assert_eq!(read("suppress:\nrules:\n").complaints, []);
        assert_eq!(
            complaints("- a\n"),
            ["1:1: the configuration is not a mapping; write `key: value`"]
        );
        assert_eq!(
            complaints("suppress: all\n"),
            ["1:11: `suppress` is not a list; begin each suppression with `- rule:`"]
        );
        assert_eq!(
            complaints("profile: opm\nprofile: opm\n"),
            ["2:1: `profile` is written twice; keep one: only the first counts"]
        );
        assert_eq!(
            complaints("profile: opm\n---\nrules: {}\n"),
            ["3:1: there is more than one document; write one document only"]
        );
        assert_eq!(complaints("profile: [\n").len(), 1);
        let deep = "[".repeat(10_000);
        assert_eq!(complaints(&deep).len(), 1);
    }

    #[test]
    fn the_requested_profile_takes_precedence() {
        assert_eq!(
            parse("c.yaml", b"profile: strict", Some(Profile::Opm))
                .settings
                .profile(),
            Profile::Opm
        );
    }
}
