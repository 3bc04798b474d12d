//! The rules about the configuration itself, with their diagnostics. Separate from
//! [`super::config`], which needs the documentation of all rules, including these.

use super::example::{Content, Example};
use super::rule_doc::RuleDoc;
use protocol::diagnostic::{Diagnostic, Location, Profile, Severity};

pub const FILE_NAME: &str = ".switchyard.yaml";

/// The rules about the configuration itself; always enabled.
pub const CONFIG: &[RuleDoc] = &[INVALID, INSIDE, UNUSED];

pub const INVALID: RuleDoc = RuleDoc::advice(
    "config-invalid",
    Severity::Warning,
    Profile::Opm,
    "Part of the configuration file is invalid and has no effect.",
    "A misspelt key or rule, or a suppression without a reason, has no effect. The rest of the file applies.",
    "Correct the line in the message; `switchyard explain` lists all rules.",
)
.bad(&[Example::Tree(&[
    ("../.switchyard.yaml", Content::Text("suppress:\n- rule: icon-missing\n  package: etcd\n")),
    ("catalog.yaml", Content::Text(catalog!())),
])])
.good(&[Example::Tree(&[
    (
        "../.switchyard.yaml",
        Content::Text(
            "suppress:\n- rule: icon-missing\n  package: etcd\n  reason: the console has a picture of its own for it\n",
        ),
    ),
    ("catalog.yaml", Content::Text(catalog!())),
])]);

const INSIDE: RuleDoc = RuleDoc::advice(
    "config-inside-catalog",
    Severity::Warning,
    Profile::Opm,
    "The configuration file is read as part of the catalog.",
    "`opm` reads every file of a catalog, whatever it is called, and refuses this one because it has no `schema`.",
    "Move the file to a folder above the catalog, or list it in an `.indexignore`.",
)
.bad(&[Example::Tree(&[
    (".switchyard.yaml", Content::Text("profile: strict\n")),
    ("catalog.yaml", Content::Text(catalog!())),
])])
.good(&[Example::Tree(&[
    (".indexignore", Content::Text(".switchyard.yaml\n")),
    (".switchyard.yaml", Content::Text("profile: strict\n")),
    ("catalog.yaml", Content::Text(catalog!())),
])]);

pub const UNUSED: RuleDoc = RuleDoc::advice(
    "config-unused-suppression",
    Severity::Info,
    Profile::Opm,
    "A suppression in the configuration file matches nothing.",
    "The problem it was for is gone, or it names the wrong thing; if kept, it may hide a new problem of the same kind.",
    "Remove the suppression, or correct what it names.",
)
.bad(&[Example::Tree(&[("../.switchyard.yaml", Content::Text("suppress:\n- rule: icon-missing\n  package: prometheus\n  reason: the console has a picture of its own for it\n")), ("catalog.yaml", Content::Text(catalog!()))])])
.good(&[Example::Tree(&[("../.switchyard.yaml", Content::Text("suppress:\n- rule: icon-missing\n  package: etcd\n  reason: the console has a picture of its own for it\n")), ("catalog.yaml", Content::Text(catalog!()))])]);

/// Reports that the configuration file is inside the catalog and not ignored.
pub fn inside_catalog() -> Diagnostic {
    let message =
        format!("`{FILE_NAME}` is inside the catalog, so `opm` reads it as catalog content");
    let start = Location {
        file: FILE_NAME.to_owned(),
        line: 1,
        column: 1,
        end_line: 1,
        end_column: 1,
    };
    diagnostic(&INSIDE, start, message, INSIDE.fix)
}

pub fn diagnostic(rule: &RuleDoc, location: Location, message: String, help: &str) -> Diagnostic {
    Diagnostic {
        help: help.to_owned(),
        location,
        ..Diagnostic::new(rule.id, rule.severity, message)
    }
}
