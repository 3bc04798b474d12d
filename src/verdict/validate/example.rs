//! Example catalogs of rules, printed with their documentation and checked by their tests.

/// An example bundle with its `---`: package, version, and further properties as lines.
macro_rules! bundle {
    ($package:literal, $version:literal) => {
        bundle!($package, $version, "")
    };
    ($package:literal, $version:literal, $properties:literal) => {
        concat!(
            "---\nschema: olm.bundle\npackage: ",
            $package,
            "\nname: ",
            $package,
            ".v",
            $version,
            "\nimage: quay.io/example/",
            $package,
            "@sha256:1f0b2c8e6a3d4957b1c0e9f8a7d6c5b4a3928170615f4e3d2c1b0a9f8e7d6c5b\nproperties:\n",
            "- type: olm.package\n  value:\n    packageName: ",
            $package,
            "\n    version: ",
            $version,
            "\n",
            $properties,
        )
    };
}

/// An example channel with its `---`: package, name, and entries as lines.
macro_rules! channel {
    ($package:literal, $name:literal, $($entry:literal),+ $(,)?) => {
        concat!(
            "---\nschema: olm.channel\npackage: ",
            $package,
            "\nname: ",
            $name,
            "\nentries:\n",
            $($entry, "\n"),+
        )
    };
}

/// An example package, the first blob of its catalog: name, default channel, and further fields as
/// lines.
macro_rules! package {
    ($name:literal, $default:literal) => {
        package!($name, $default, "")
    };
    ($name:literal, $default:literal, $fields:literal) => {
        concat!(
            "schema: olm.package\nname: ",
            $name,
            "\ndefaultChannel: ",
            $default,
            "\n",
            $fields
        )
    };
}

/// The smallest catalog that `opm` accepts: one bundle, with more properties as lines.
macro_rules! etcd {
    ($($properties:literal)?) => {
        concat!(
            package!("etcd", "stable"),
            channel!("etcd", "stable", "- name: etcd.v1.0.0"),
            bundle!("etcd", "1.0.0" $(, $properties)?),
        )
    };
}

/// A catalog with one channel: its entries, and the versions of its bundles.
macro_rules! stable {
    ($($entry:literal),+; $($version:literal),+) => {
        concat!(
            package!("etcd", "stable"),
            channel!("etcd", "stable", $($entry),+),
            $(bundle!("etcd", $version)),+
        )
    };
}

/// A catalog with two versions: further fields of the second one as lines.
macro_rules! two_versions {
    ($($fields:literal)?) => {
        stable!(
            "- name: etcd.v1.0.0",
            "- name: etcd.v1.1.0\n  replaces: etcd.v1.0.0"
            $(, $fields)?;
            "1.0.0", "1.1.0"
        )
    };
}

/// A catalog with one channel: its entries, and its bundles as text.
macro_rules! stable_text {
    ($($entry:literal),+; $($bundle:literal),+) => {
        concat!(
            package!("etcd", "stable"),
            channel!("etcd", "stable", $($entry),+),
            $($bundle),+
        )
    };
}

/// A second package with one bundle, whose further properties are lines.
macro_rules! vault {
    ($($properties:literal)?) => {
        concat!(
            "---\n",
            package!("vault", "stable"),
            channel!("vault", "stable", "- name: vault.v1.0.0"),
            bundle!("vault", "1.0.0" $(, $properties)?),
        )
    };
}

/// The smallest catalog with further content.
macro_rules! catalog {
    ($($more:tt)*) => {
        concat!(etcd!(), $($more)*)
    };
}

/// Example deprecations with their `---`: the fields before the entries, and the entries as lines.
macro_rules! deprecations {
    ($fields:literal, $($entry:literal),+ $(,)?) => {
        concat!("---\nschema: olm.deprecations\n", $fields, "entries:\n", $($entry, "\n"),+)
    };
}

/// Examples of one file each.
macro_rules! examples {
    ($($text:expr),+ $(,)?) => {
        &[$(Example::Catalog($text)),+]
    };
}

/// A catalog that has a rule's problem, or one that does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Example {
    /// One file: `catalog.yaml`, or `catalog.json` if it starts with a brace.
    Catalog(&'static str),
    /// A published catalog and its later state, each one file as in [`Example::Catalog`].
    Changed {
        before: &'static str,
        now: &'static str,
    },
    /// Several files by path.
    Tree(&'static [(&'static str, Content)]),
}

/// The content at a path of an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    Text(&'static str),
    /// A text too long to print: repeats a string.
    Repeated(&'static str, usize),
    LinkToDirectory,
    BrokenLink,
    /// Unreadable, with the system's message.
    Unreadable(&'static str),
}

impl Example {
    pub fn files(&self) -> Vec<(&'static str, Content)> {
        match *self {
            Example::Catalog(text) | Example::Changed { now: text, .. }
                if text.starts_with('{') =>
            {
                vec![("catalog.json", Content::Text(text))]
            }
            Example::Catalog(text) | Example::Changed { now: text, .. } => {
                vec![("catalog.yaml", Content::Text(text))]
            }
            Example::Tree(paths) => paths.to_vec(),
        }
    }

    /// `None` unless the example shows a change.
    pub fn before(&self) -> Option<&'static str> {
        match *self {
            Example::Changed { before, .. } => Some(before),
            Example::Catalog(_) | Example::Tree(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validate::config;
    use crate::validate::explain::documents;
    use crate::validate::{Verdict, judge_change, judge_configured};
    use catalog::index::index_bytes;
    use catalog::model::FileId;
    use catalog::{self, Catalog, TreeEntry};
    use protocol::diagnostic::Profile;
    use std::sync::Arc;

    fn catalog(paths: Vec<(&str, Content)>) -> Catalog {
        let entries = paths.into_iter().enumerate().map(|(nth, (path, content))| {
            let bytes = match content {
                Content::Text(text) => text.as_bytes().to_vec(),
                Content::Repeated(text, times) => text.repeat(times).into_bytes(),
                _ => Vec::new(),
            };
            let content = match content {
                Content::LinkToDirectory => catalog::Content::LinkToDirectory,
                Content::BrokenLink => catalog::Content::BrokenLink,
                Content::Unreadable(message) => catalog::Content::Unreadable(message.to_owned()),
                _ if path.ends_with(".indexignore") => catalog::Content::Ignore(bytes.into()),
                _ => catalog::Content::Indexed(Arc::new(index_bytes(&bytes))),
            };
            TreeEntry {
                id: FileId(nth as u32),
                path: path.to_owned(),
                content,
            }
        });
        Catalog::new("catalog", entries.collect())
    }

    /// Loads and judges an example, with all rules on. A configuration is placed above the catalog.
    fn verdict(example: &Example) -> Verdict {
        let (above, inside): (Vec<_>, Vec<_>) = example
            .files()
            .into_iter()
            .partition(|(path, _)| path.starts_with("../"));
        let text = above.first().map_or("", |(_, content)| {
            if let Content::Text(text) = *content {
                text
            } else {
                ""
            }
        });
        let config = config::parse(
            "../.switchyard.yaml",
            text.as_bytes(),
            Some(Profile::Strict),
        );
        let now = catalog(inside);
        match example.before() {
            None => judge_configured(&now, &config),
            Some(before) => judge_change(
                &catalog(Example::Catalog(before).files()),
                &now,
                &config.settings,
            ),
        }
    }

    #[test]
    fn bad_examples_have_the_problem() {
        for doc in documents() {
            assert!(
                !doc.bad.is_empty() && !doc.good.is_empty(),
                "{} has no examples",
                doc.id
            );
            for example in doc.bad {
                let verdict = verdict(example);
                let has_diagnostic = verdict.diagnostics.iter().any(|d| d.rule == doc.id);
                // If another rule reports the problem better, only check `opm`'s message.
                let in_opm_message = doc.opm
                    && verdict
                        .opm_message
                        .as_ref()
                        .is_some_and(|m| m.contains(doc.opm_message));
                assert!(
                    has_diagnostic || in_opm_message,
                    "{}: {:#?}\n{example:?}",
                    doc.id,
                    verdict.diagnostics
                );
                let passes = !doc.opm && doc.id != "config-inside-catalog";
                assert_eq!(
                    verdict.passed, passes,
                    "{}: {:?}\n{example:?}",
                    doc.id, verdict.opm_message
                );
            }
        }
    }

    #[test]
    fn good_examples_pass_and_do_not_have_it() {
        for doc in documents() {
            for example in doc.good {
                let verdict = verdict(example);
                assert!(
                    verdict.passed,
                    "{}: {:?}\n{example:?}",
                    doc.id, verdict.opm_message
                );
                let own: Vec<_> = verdict
                    .diagnostics
                    .iter()
                    .filter(|d| d.rule == doc.id)
                    .collect();
                assert!(own.is_empty(), "{}: {own:#?}\n{example:?}", doc.id);
            }
        }
    }
}
