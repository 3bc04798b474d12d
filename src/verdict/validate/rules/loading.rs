//! The documentation of the rules of walking and loading: refusals before `opm` knows any package.
//! [`catalog`] checks them where it walks files, and [`catalog::model`] where it reads blobs.

use crate::validate::example::{Content, Example};
use crate::validate::rule_doc::RuleDoc;
use catalog::model::load_rule;

/// Sorted in `opm`'s order.
pub const LOADING: &[RuleDoc] = &[
    RuleDoc::opm(
        load_rule::IGNORE_LINE_TOO_LONG,
        "bufio.Scanner: token too long",
        "A line of an `.indexignore` is 64 KiB or longer.",
        "`opm` reads the patterns line by line with a buffer of that size, before it reads anything else.",
        "Break the line up, with one pattern per line.",
    )
    .bad(&[Example::Tree(&[(".indexignore", Content::Repeated("docs/", 13108)), ("catalog.yaml", Content::Text(catalog!()))])])
    .good(&[Example::Tree(&[(".indexignore", Content::Text("docs/\n*.md\n")), ("catalog.yaml", Content::Text(catalog!()))])]),
    RuleDoc::opm(
        load_rule::WALK_LINK_TO_DIRECTORY,
        "read DIR/PATH: is a directory",
        "A symbolic link in the catalog points to a directory.",
        "`opm` does not follow links to directories; it opens them as files, which fails.",
        "Remove the link, put the files in its place, or list it in `.indexignore`.",
    )
    .bad(&[Example::Tree(&[("catalog.yaml", Content::Text(catalog!())), ("shared", Content::LinkToDirectory)])])
    .good(&[Example::Tree(&[(".indexignore", Content::Text("shared\n")), ("catalog.yaml", Content::Text(catalog!())), ("shared", Content::LinkToDirectory)])]),
    RuleDoc::opm(
        load_rule::WALK_BROKEN_LINK,
        "open PATH: no such file or directory",
        "A symbolic link in the catalog is broken.",
        "`opm` opens every path that is not ignored, and fails on this one.",
        "Remove the link, or list it in `.indexignore`.",
    )
    .bad(&[Example::Tree(&[("catalog.yaml", Content::Text(catalog!())), ("more.yaml", Content::BrokenLink)])])
    .good(examples![catalog!()]),
    RuleDoc::opm(
        load_rule::WALK_UNREADABLE,
        "open PATH: <error>",
        "A file of the catalog cannot be read.",
        "`opm` reads every file that is not ignored, whatever its name.",
        "Make the file readable, or list it in `.indexignore`.",
    )
    .bad(&[Example::Tree(&[("catalog.yaml", Content::Text(catalog!())), ("more.yaml", Content::Unreadable("permission denied"))])])
    .good(examples![catalog!()]),
    RuleDoc::opm(
        load_rule::DOCUMENT_SEPARATOR,
        "invalid Yaml document separator: <rest>",
        "A line begins with `---`, followed by something other than whitespace or a comment.",
        "`opm` splits a file at every line that begins with three dashes, inside quoted text too.",
        "Write the separator on a line of its own, or indent the text that begins with dashes.",
    )
    .bad(examples![catalog!("---- the next version\n")])
    .good(examples![concat!(etcd!(), "--- # the old name\nschema: example.note\n")]),
    RuleDoc::opm(
        load_rule::YAML_SYNTAX,
        "error converting YAML to JSON: yaml: line %d: <error>",
        "`opm` cannot read a document as YAML.",
        "`opm` reads YAML 1.1. It also reads files that are not catalogs (a README, a Dockerfile), and most of them \
         fail here.",
        "Correct the text, or list the file in `.indexignore` if it is not part of the catalog.",
    )
    .bad(&[Example::Tree(&[("README.md", Content::Text("# Our catalog\n\nNote: this is: no YAML\n")), ("catalog.yaml", Content::Text(catalog!()))])])
    .good(&[Example::Tree(&[(".indexignore", Content::Text("*.md\n")), ("README.md", Content::Text("# Our catalog\n\nNote: this is: no YAML\n")), ("catalog.yaml", Content::Text(catalog!()))])]),
    RuleDoc::opm(
        load_rule::JSON_SYNTAX,
        "invalid character %s ...",
        "A JSON object is malformed.",
        "A file that begins with `{` is read as concatenated JSON objects.",
        "Correct the text; look for a missing or extra comma, quote or brace just before the reported position.",
    )
    .bad(examples![
            "{\"schema\": \"example.note\", \"name\": \"a\"}\n{\"schema\": \"example.note\", \"name\": \"b\"}\n{\"schema\": \"example.note\", \"name\": \"c\",}\n",
        ])
    .good(&[Example::Tree(&[("catalog.yaml", Content::Text(catalog!())), ("note.json", Content::Text("{\"schema\": \"example.note\", \"name\": \"etcd\"}\n"))])]),
    RuleDoc::opm(
        load_rule::BLOB_NOT_OBJECT,
        "json: cannot unmarshal %s into Go value of type map[string]interface {}",
        "A document is not a mapping.",
        "Every blob is an object with a `schema`; a string or a list at the top level is not. Prose files fail \
         here.",
        "Write an object, or list the file in `.indexignore` if it is not part of the catalog.",
    )
    .bad(&[Example::Tree(&[("NOTES", Content::Text("Ask the team before a release.\n")), ("catalog.yaml", Content::Text(catalog!()))])])
    .good(&[Example::Tree(&[(".indexignore", Content::Text("NOTES\n")), ("NOTES", Content::Text("Ask the team before a release.\n")), ("catalog.yaml", Content::Text(catalog!()))])]),
    RuleDoc::opm(
        load_rule::BLOB_DUPLICATE_FOLDED_KEY,
        "duplicate keys for key %q: [...]",
        "Two keys of a blob differ only in upper and lower case.",
        "Field names are matched without regard to case, so both would set the same field.",
        "Remove one of the keys.",
    )
    .bad(examples![concat!("schema: olm.package\nname: etcd\nName: etcd\ndefaultChannel: stable\n", channel!("etcd", "stable", "- name: etcd.v1.0.0"), bundle!("etcd", "1.0.0"))])
    .good(examples![catalog!()]),
    RuleDoc::opm(
        load_rule::BLOB_META_NOT_STRING,
        "expected value for key %q to be a string, got <value>",
        "`schema`, `package` or `name` of a blob is not a string.",
        "In YAML, plain `1.10`, `yes`, `on` and `null` are not strings; these fields take strings only.",
        "Write a name, or put the value in quotes if it is meant as one.",
    )
    .bad(examples![catalog!("---\nschema: olm.channel\npackage: etcd\nname: 1.10\nentries:\n- name: etcd.v1.0.0\n")])
    .good(examples![catalog!("---\nschema: olm.channel\npackage: etcd\nname: '1.10'\nentries:\n- name: etcd.v1.0.0\n")]),
    RuleDoc::opm(
        load_rule::BLOB_MISSING_SCHEMA,
        "object '...' is missing root schema field",
        "A document has no `schema`.",
        "The schema says what a blob is. An empty document (a stray `---`, comments before the first `---`) has none either.",
        "Write the `schema`, remove the empty document, or list the file in `.indexignore`.",
    )
    .bad(examples![concat!("---\n# Our catalog\n---\n", etcd!())])
    .good(examples![concat!("# Our catalog\n", etcd!())]),
    RuleDoc::opm(
        load_rule::BLOB_PARSE_PACKAGE,
        "parse package: <error>",
        "A field of an `olm.package` blob has the wrong type.",
        "`opm` checks the types of known fields; an unquoted number or `yes` is not a string.",
        "Write a value of the type that the message names: a number that is meant as text needs quotes.",
    )
    .bad(examples![concat!(package!("etcd", "stable", "description: 1.0\n"), channel!("etcd", "stable", "- name: etcd.v1.0.0"), bundle!("etcd", "1.0.0"))])
    .good(examples![concat!(package!("etcd", "stable", "description: '1.0'\n"), channel!("etcd", "stable", "- name: etcd.v1.0.0"), bundle!("etcd", "1.0.0"))]),
    RuleDoc::opm(
        load_rule::BLOB_PARSE_CHANNEL,
        "parse channel: <error>",
        "A field of an `olm.channel` blob has the wrong type.",
        "`opm` checks the types of known fields: `entries` is a list of objects, `skips` a list of strings.",
        "Write a value of the type that the message names: a list has a dash before each item, a number that is meant as text \
         needs quotes.",
    )
    .bad(examples![stable!("- name: etcd.v1.0.0\n  skips: etcd.v0.9.0"; "1.0.0")])
    .good(examples![stable!("- name: etcd.v1.0.0\n  skips:\n  - etcd.v0.9.0"; "1.0.0")]),
    RuleDoc::opm(
        load_rule::BLOB_PARSE_BUNDLE,
        "parse bundle: <error>",
        "A field of an `olm.bundle` blob has the wrong type.",
        "`opm` checks the types of known fields: `properties` and `relatedImages` are lists of objects.",
        "Write a value of the type that the message names: a list has a dash before each item, a number that is meant as text \
         needs quotes.",
    )
    .bad(examples![etcd!("relatedImages: quay.io/example/etcd:v1\n")])
    .good(examples![etcd!("relatedImages:\n- name: etcd\n  image: quay.io/example/etcd:v1\n")]),
    RuleDoc::opm(
        load_rule::BLOB_PARSE_DEPRECATION,
        "parse deprecation: <error>",
        "A field of an `olm.deprecations` blob has the wrong type.",
        "`opm` checks the types of known fields: `entries` is a list of objects with a `reference` and a `message`.",
        "Write a value of the type that the message names: a list has a dash before each item, a number that is meant as text \
         needs quotes.",
    )
    .bad(examples![catalog!(deprecations!("package: etcd\n", "- reference:\n    schema: olm.bundle\n    name: etcd.v1.0.0\n  message: 1.0"))])
    .good(examples![catalog!(deprecations!("package: etcd\n", "- reference:\n    schema: olm.bundle\n    name: etcd.v1.0.0\n  message: use something newer"))]),
    RuleDoc::opm(
        load_rule::BLOB_BUNDLE_OBJECT,
        "read bundle objects: package %q, bundle %q: <error>",
        "An `olm.bundle.object` property cannot be read.",
        "Embedded objects are base64 of JSON or YAML; `opm` decodes them while it loads.",
        "Encode the object again, or remove the property when the bundle has an image.",
    )
    .bad(examples![etcd!("- type: olm.bundle.object\n  value:\n    data: not base64!\n")])
    .good(examples![etcd!("- type: olm.bundle.object\n  value:\n    data: e30=\n")]),
];
