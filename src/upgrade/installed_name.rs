//! Parses an installed bundle from user input: `NAME`, or `NAME@VERSION` if the catalog does not
//! know the version.
//!
//! The version matters because skip ranges match versions. It comes from the catalog or from the
//! name (with a note); otherwise the question is refused rather than answered with a guess. A name
//! that the package never mentions is probably a typo and is refused unless a step follows it.

use super::answer::Installed;
use catalog::model::Package;
use catalog::version::{Version, version_in_name};
use std::collections::BTreeSet;
use syntax::did_you_mean::did_you_mean;

/// The installed bundle, as far as it is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstalledName {
    pub installed: Installed,
    /// Where the version comes from, and other remarks. Sentences with names in backticks.
    pub notes: Vec<String>,
    /// The error if no step follows; `None` if the name is certain.
    doubt: Option<UnknownInstalled>,
}

/// Why a name cannot be answered. Both texts start in lower case, with names in backticks.
#[derive(Debug, Clone, PartialEq, Eq, Default, thiserror::Error)]
#[error("{reason}")]
pub struct UnknownInstalled {
    pub reason: String,
    /// The suggested remedy.
    pub help: String,
}

impl InstalledName {
    /// Refuses a name that the package never mentions, unless a step follows it.
    pub fn confirm(&self, has_next_step: bool) -> Result<(), UnknownInstalled> {
        match &self.doubt {
            Some(doubt) if !has_next_step => Err(doubt.clone()),
            _ => Ok(()),
        }
    }
}

/// Parses `text`. `own` is the package in each catalog that has it. `others` are the other packages
/// of these catalogs: a subscription may move from one package to another.
pub fn parse<'a>(
    text: &str,
    own: &[&'a Package],
    others: impl IntoIterator<Item = &'a Package>,
) -> Result<InstalledName, UnknownInstalled> {
    let text = text.trim();
    let package = CatalogPackage { own };
    let (name, version) = match text.rsplit_once('@') {
        Some((name, version)) if !package.has_bundle(text) => (name, Some(version)),
        _ => (text, None),
    };
    if name.is_empty() {
        return Err(UnknownInstalled {
            reason: "no installed bundle is named".to_owned(),
            help: "give the name of the installed bundle, or NAME@VERSION".to_owned(),
        });
    }
    let Some(version) = version else {
        return package.find_version(name, others);
    };
    if version.is_empty() {
        return Err(UnknownInstalled {
            reason: format!("`{text}` has no version after the @"),
            help: suggest_version(name),
        });
    }
    // An invalid version is accepted if a bundle has exactly this one.
    let is_of_bundle = || package.versions(name).any(|listed| listed == version);
    if Version::parse(version).is_err() && !is_of_bundle() {
        return Err(UnknownInstalled {
            reason: format!("`{version}` is not a version"),
            help: format!("a version has three numbers, such as `{name}@1.2.3`"),
        });
    }
    Ok(package.with_version(name, version))
}

fn suggest_version(name: &str) -> String {
    format!("write NAME@VERSION, such as `{name}@1.2.3`")
}

fn certain(name: &str, version: &str, notes: Vec<String>) -> InstalledName {
    InstalledName {
        installed: Installed::new(name, version),
        notes,
        doubt: None,
    }
}

/// Returns the part of a name before its version.
fn stem(name: &str) -> Option<&str> {
    let (version, _) = version_in_name(name)?;
    name.get(..name.len() - version.len())
}

struct CatalogPackage<'a, 'k> {
    own: &'k [&'a Package],
}

impl<'a> CatalogPackage<'a, '_> {
    fn with_version(&self, name: &str, version: &str) -> InstalledName {
        let listed: BTreeSet<&str> = self.versions(name).collect();
        if listed.is_empty() && !self.mentions(name) {
            let suggestion = did_you_mean(name, self.names(), "");
            let separator = if suggestion.is_empty() { "" } else { ": " };
            let note = format!(
                "nothing in package `{}` mentions `{name}`{separator}{suggestion}",
                self.name()
            );
            return certain(name, version, vec![note]);
        }
        if listed.is_empty() || listed.contains(version) {
            return certain(name, version, Vec::new());
        }
        let listed = Vec::from_iter(listed).join(", ");
        let note = format!(
            "the catalog's bundle `{name}` has version {listed}; the answer is for {version}, as given"
        );
        certain(name, version, vec![note])
    }

    /// Finds the version of a name in the catalogs, or reads it from the name.
    fn find_version(
        &self,
        name: &str,
        others: impl IntoIterator<Item = &'a Package>,
    ) -> Result<InstalledName, UnknownInstalled> {
        if let Some(version) = self.versions(name).next() {
            return Ok(certain(name, version, Vec::new()));
        }
        let others = others
            .into_iter()
            .filter(|other| self.own.iter().all(|own| own.name != other.name));
        let mut versions = others.filter_map(|other| Some((other, other.bundle(name)?.version())));
        if let Some((other, version)) = versions.find(|(_, version)| !version.is_empty()) {
            let note = format!("`{name}` is a bundle of package `{}`", other.name);
            return Ok(certain(name, version, vec![note]));
        }
        let reason = if self.has_bundle(name) {
            "its bundle has none"
        } else if self.mentions(name) {
            "entries mention it, but the catalog has no such bundle"
        } else {
            return match self.name_with_version(name) {
                Some(full_name) => {
                    let found = self.find_version(&full_name, []);
                    found.map(|found| self.explain_for_version(name, found))
                }
                None => self.parse_unmentioned(name),
            };
        };
        match version_in_name(name) {
            Some((version, _)) => {
                let note = format!("version {version} of `{name}` is read from its name: {reason}");
                Ok(certain(name, version, vec![note]))
            }
            None => Err(UnknownInstalled {
                reason: format!("the version of `{name}` is unknown: {reason}"),
                help: suggest_version(name),
            }),
        }
    }

    /// Explains an answer for a version: the user did not write the bundle's name.
    fn explain_for_version(&self, version: &str, found: InstalledName) -> InstalledName {
        let Some(doubt) = found.doubt else {
            return found;
        };
        let reason = format!("package `{}` has no version {version}", self.name());
        let note = format!(
            "{reason}; the answer is for a bundle `{}`",
            found.installed.name
        );
        InstalledName {
            installed: found.installed,
            notes: vec![note],
            doubt: Some(UnknownInstalled { reason, ..doubt }),
        }
    }

    /// Returns the name that a bundle of this version would have, following the other names. `None`
    /// if that bundle exists: the user then probably confused version and name.
    fn name_with_version(&self, version: &str) -> Option<String> {
        Version::parse(version).ok()?;
        let full_name = format!("{}{version}", self.names().find_map(stem)?);
        (!self.has_bundle(&full_name)).then_some(full_name)
    }

    /// Handles an unmentioned name: an old version of this operator, or a typo.
    fn parse_unmentioned(&self, name: &str) -> Result<InstalledName, UnknownInstalled> {
        let package = self.name();
        let version = version_in_name(name).map(|(version, _)| version);
        let is_of_operator = stem(name).is_some_and(|stem_of_name| {
            self.names().any(|other| stem(other) == Some(stem_of_name))
        });
        let if_installed = format!(
            "if it is installed, write `{name}@{}`",
            version.unwrap_or("VERSION")
        );
        let suggestion = did_you_mean(name, self.names(), "");
        let help = if suggestion.is_empty() {
            if_installed
        } else if is_of_operator && version.is_some() {
            // A name in the operator's usual form is probably a removed version rather than a typo.
            format!("{if_installed}. Otherwise: {suggestion}")
        } else {
            format!("{suggestion} Otherwise, {if_installed}")
        };
        let unknown = UnknownInstalled {
            reason: format!("nothing in package `{package}` mentions `{name}`"),
            help,
        };
        let Some(version) = version.filter(|_| is_of_operator) else {
            return Err(unknown);
        };
        let note = format!(
            "nothing in package `{package}` mentions `{name}`; its version {version} is read from its name"
        );
        Ok(InstalledName {
            doubt: Some(unknown),
            ..certain(name, version, vec![note])
        })
    }

    fn name(&self) -> &str {
        self.own.first().map_or("", |package| &package.name)
    }

    fn has_bundle(&self, name: &str) -> bool {
        self.own
            .iter()
            .any(|package| package.bundle(name).is_some())
    }

    /// Iterates over the versions of the bundles with this name.
    fn versions(&self, name: &str) -> impl Iterator<Item = &'a str> {
        let bundles = self
            .own
            .iter()
            .flat_map(|package| &package.bundles)
            .filter(move |bundle| *bundle.name.value == *name);
        bundles
            .map(|bundle| bundle.version())
            .filter(|version| !version.is_empty())
    }

    fn mentions(&self, name: &str) -> bool {
        self.names().any(|mentioned| mentioned == name)
    }

    /// Iterates over the names of bundles and entries, and names that entries refer to.
    fn names(&self) -> impl Iterator<Item = &'a str> {
        self.own
            .iter()
            .flat_map(|&package| package.mentioned_names())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use catalog::testing::package;

    fn parse_in_package(text: &str) -> Result<InstalledName, UnknownInstalled> {
        // Entries only mention `p.v3.0.0` and `odd`.
        let package = package("c: p.v4.2.0@4.2.0 r:p.v3.0.0; p.v4.1.0@4.1.0 s:odd");
        parse(text, &[&package], [])
    }

    #[test]
    fn a_bundle_of_the_catalog_has_its_version() {
        let parsed = parse_in_package("p.v4.1.0").unwrap();
        assert_eq!(
            (&*parsed.installed.version, parsed.notes.len()),
            ("4.1.0", 0)
        );
    }

    #[test]
    fn a_mentioned_bundle_has_the_version_in_its_name() {
        let parsed = parse_in_package("p.v3.0.0").unwrap();
        assert_eq!(&*parsed.installed.version, "3.0.0");
        assert!(parsed.notes[0].contains("read from its name"), "{parsed:?}");
        assert!(parsed.confirm(false).is_ok());
        let unknown = parse_in_package("odd").unwrap_err();
        assert!(
            unknown.reason.contains("version of `odd` is unknown"),
            "{unknown:?}"
        );
        assert!(unknown.help.contains("NAME@VERSION"), "{unknown:?}");
    }

    #[test]
    fn a_typo_is_refused_with_a_suggestion() {
        for (typo, expected) in [
            ("p.v4.1.O", "p.v4.1.0"),
            ("q.v4.1.0", "p.v4.1.0"),
            ("p.4.1.0", "p.v4.1.0"),
            ("4.1.0", "p.v4.1.0"),
            ("ood", "odd"),
        ] {
            let unknown = parse_in_package(typo).unwrap_err();
            assert!(
                unknown.help.contains(&format!("`{expected}`")),
                "{typo}: {unknown:?}"
            );
        }
        assert!(
            parse_in_package("nonsense")
                .unwrap_err()
                .help
                .contains("nonsense@VERSION")
        );
    }

    #[test]
    fn an_unknown_version_means_a_removed_bundle() {
        let parsed = parse_in_package("5.0.0").unwrap();
        assert_eq!(
            (&*parsed.installed.name, &*parsed.installed.version),
            ("p.v5.0.0", "5.0.0")
        );
        assert_eq!(
            parsed.notes,
            ["package `p` has no version 5.0.0; the answer is for a bundle `p.v5.0.0`"]
        );
        let unknown = parsed.confirm(false).unwrap_err();
        assert_eq!(unknown.reason, "package `p` has no version 5.0.0");
        assert!(
            unknown.help.contains("write `p.v5.0.0@5.0.0`"),
            "{unknown:?}"
        );
        let mentioned = parse_in_package("3.0.0").unwrap();
        assert_eq!(
            (&*mentioned.installed.name, mentioned.confirm(false).is_ok()),
            ("p.v3.0.0", true)
        );
    }

    #[test]
    fn an_unmentioned_bundle_counts_if_it_can_be_updated() {
        let parsed = parse_in_package("p.v0.1.0").unwrap();
        assert_eq!(&*parsed.installed.version, "0.1.0");
        assert!(parsed.confirm(true).is_ok());
        assert!(
            parsed
                .confirm(false)
                .unwrap_err()
                .reason
                .contains("mentions `p.v0.1.0`")
        );
    }

    #[test]
    fn a_given_version_takes_precedence() {
        for (text, version) in [
            ("odd@2.0.0", "2.0.0"),
            ("gone@1.0.0", "1.0.0"),
            ("p.v4.1.0@4.1.1", "4.1.1"),
        ] {
            let parsed = parse_in_package(text).unwrap();
            assert_eq!(&*parsed.installed.version, version, "{text}");
            assert!(parsed.confirm(false).is_ok());
        }
        assert!(parse_in_package("gone@1.0.0").unwrap().notes[0].contains("mentions `gone`"));
        assert!(parse_in_package("p.v4.1.0@4.1.1").unwrap().notes[0].contains("4.1.0"));
        assert!(parse_in_package("odd@2.0.0").unwrap().notes.is_empty());
        for text in ["", "@1.0.0", "odd@", "odd@9", "p.v4.1.0@v4.1.1"] {
            assert!(parse_in_package(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_bundle_of_another_package_is_known() {
        let (own, mut other) = (package("c: p.v2@2.0.0 r:q.v1"), package("c: q.v0@0.9.0"));
        other.name = "q".into();
        let parsed = parse("q.v0", &[&own], [&other]).unwrap();
        assert_eq!(
            (&*parsed.installed.version, &*parsed.notes[0]),
            ("0.9.0", "`q.v0` is a bundle of package `q`")
        );
    }
}
