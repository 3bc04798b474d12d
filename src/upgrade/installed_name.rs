//! Parses an installed bundle from user input: `NAME`, or `NAME@VERSION` if the catalog does not
//! know the version.
//!
//! The version matters because skip ranges match versions. It comes from the catalog or from the
//! name (with a note); otherwise the question is refused rather than answered with a guess. A name
//! that the package never mentions is probably a typo and is refused unless an answer leads on from
//! it.

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
    /// Refuses a name that the package never mentions, unless an answer leads on from it.
    pub fn confirm(&self, leads_on: bool) -> Result<(), UnknownInstalled> {
        match &self.doubt {
            Some(doubt) if !leads_on => Err(doubt.clone()),
            _ => Ok(()),
        }
    }
}

/// Parses `text`. `own` is the package in each catalog that has it. `others` are the other packages
/// of these catalogs: a subscription may move from one package to another.
pub fn read<'a>(
    text: &str,
    own: &[&'a Package],
    others: impl IntoIterator<Item = &'a Package>,
) -> Result<InstalledName, UnknownInstalled> {
    let text = text.trim();
    let known = AskedPackage { own };
    let (name, given_version) = match text.rsplit_once('@') {
        Some((name, version)) if !known.has_bundle(text) => (name, Some(version)),
        _ => (text, None),
    };
    if name.is_empty() {
        let help = "give the name of the installed bundle, or NAME@VERSION".to_owned();
        return Err(UnknownInstalled {
            reason: "no installed bundle is named".to_owned(),
            help,
        });
    }
    match given_version {
        Some("") => Err(UnknownInstalled {
            reason: format!("`{text}` has no version after the @"),
            help: format!("write NAME@VERSION, such as `{name}@1.2.3`"),
        }),
        // Reject an invalid version, unless a bundle has exactly this one.
        Some(version)
            if Version::parse(version).is_err()
                && known.versions(name).all(|own| own != version) =>
        {
            let help = format!("a version has three numbers, such as `{name}@1.2.3`");
            Err(UnknownInstalled {
                reason: format!("`{version}` is not a version"),
                help,
            })
        }
        Some(version) => Ok(known.with_version(name, version)),
        None => known.without_version(name, others),
    }
}

/// The package in each catalog that has it.
struct AskedPackage<'a, 'k> {
    own: &'k [&'a Package],
}

impl<'a> AskedPackage<'a, '_> {
    fn with_version(&self, name: &str, version: &str) -> InstalledName {
        let mut notes = Vec::new();
        let listed: BTreeSet<&str> = self.versions(name).collect();
        if !listed.is_empty() && !listed.contains(version) {
            let listed = listed.into_iter().collect::<Vec<_>>().join(", ");
            notes.push(format!(
                "the catalog's bundle `{name}` has version {listed}; the answer is for {version}, as given"
            ));
        } else if listed.is_empty() && !self.mentions(name) {
            let near = did_you_mean(name, self.names(), "");
            let near = if near.is_empty() {
                near
            } else {
                format!(": {near}")
            };
            notes.push(format!(
                "nothing in package `{}` mentions `{name}`{near}",
                self.package()
            ));
        }
        InstalledName {
            installed: Installed::new(name, version),
            notes,
            doubt: None,
        }
    }

    fn without_version(
        &self,
        name: &str,
        others: impl IntoIterator<Item = &'a Package>,
    ) -> Result<InstalledName, UnknownInstalled> {
        let certain = |version: &str, notes| InstalledName {
            installed: Installed::new(name, version),
            notes,
            doubt: None,
        };
        if let Some(version) = self.versions(name).next() {
            return Ok(certain(version, Vec::new()));
        }
        let foreign = others
            .into_iter()
            .filter(|other| self.own.iter().all(|own| own.name != other.name));
        let mut foreign = foreign.filter_map(|other| Some((other, other.bundle(name)?.version())));
        if let Some((other, version)) = foreign.find(|(_, version)| !version.is_empty()) {
            return Ok(certain(
                version,
                vec![format!("`{name}` is a bundle of package `{}`", other.name)],
            ));
        }
        let from_name = version_in_name(name).map(|(text, _)| text);
        let help = format!("write NAME@VERSION, such as `{name}@1.2.3`");
        let reason = match (self.has_bundle(name), self.mentions(name)) {
            (true, _) => "its bundle has none",
            (false, true) => "entries mention it, but the catalog has no such bundle",
            (false, false) => {
                return match self.name_of_version(name) {
                    Some(whole) => self.without_version(&whole, []),
                    None => self.parse_unmentioned(name, from_name, certain),
                };
            }
        };
        match from_name {
            Some(version) => {
                let note = format!("version {version} of `{name}` is read from its name: {reason}");
                Ok(certain(version, vec![note]))
            }
            None => Err(UnknownInstalled {
                reason: format!("the version of `{name}` is unknown: {reason}"),
                help,
            }),
        }
    }

    /// Returns the name that a bundle of this version would have, following the other names. `None`
    /// if that bundle exists: the user then probably confused version and name.
    fn name_of_version(&self, version: &str) -> Option<String> {
        Version::parse(version).ok()?;
        let (other, version_of_other) = self
            .names()
            .find_map(|name| Some((name, version_in_name(name)?.0)))?;
        let whole = format!("{}{version}", other.strip_suffix(version_of_other)?);
        (!self.has_bundle(&whole)).then_some(whole)
    }

    /// Handles an unmentioned name: an old version of this operator, or a typo.
    fn parse_unmentioned(
        &self,
        name: &str,
        version: Option<&str>,
        certain: impl Fn(&str, Vec<String>) -> InstalledName,
    ) -> Result<InstalledName, UnknownInstalled> {
        let package = self.package();
        let stem = |name: &str| version_in_name(name).map(|(text, _)| name.len() - text.len());
        let beginning = stem(name).and_then(|end| name.get(..end));
        let is_of_operator = beginning.is_some_and(|beginning| {
            self.names()
                .any(|other| stem(other).and_then(|end| other.get(..end)) == Some(beginning))
        });
        let really = format!(
            "if it is installed, write `{name}@{}`",
            version.unwrap_or("VERSION")
        );
        let help = match did_you_mean(name, self.names(), "") {
            near if near.is_empty() => really,
            // A name in the operator's usual form is probably a removed version rather than a typo.
            near if is_of_operator && version.is_some() => format!("{really}. Otherwise: {near}"),
            near => format!("{near} Otherwise, {really}"),
        };
        let unknown = UnknownInstalled {
            reason: format!("nothing in package `{package}` mentions `{name}`"),
            help,
        };
        match version.filter(|_| is_of_operator) {
            Some(version) => {
                let note = format!(
                    "nothing in package `{package}` mentions `{name}`; its version {version} is read from its name"
                );
                Ok(InstalledName {
                    doubt: Some(unknown),
                    ..certain(version, vec![note])
                })
            }
            None => Err(unknown),
        }
    }

    fn package(&self) -> &str {
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
            .filter(move |b| *b.name.value == *name);
        bundles
            .map(|bundle| bundle.version())
            .filter(|version| !version.is_empty())
    }

    fn mentions(&self, name: &str) -> bool {
        self.names().any(|known| known == name)
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

    fn parse(text: &str) -> Result<InstalledName, UnknownInstalled> {
        // Entries only mention `p.v3.0.0` and `odd`.
        let package = package("c: p.v4.2.0@4.2.0 r:p.v3.0.0; p.v4.1.0@4.1.0 s:odd");
        read(text, &[&package], [])
    }

    #[test]
    fn a_bundle_of_the_catalog_has_its_version() {
        let parsed = parse("p.v4.1.0").unwrap();
        assert_eq!(
            (&*parsed.installed.version, parsed.notes.len()),
            ("4.1.0", 0)
        );
    }

    #[test]
    fn a_mentioned_bundle_has_the_version_in_its_name() {
        let parsed = parse("p.v3.0.0").unwrap();
        assert_eq!(&*parsed.installed.version, "3.0.0");
        assert!(parsed.notes[0].contains("read from its name"), "{parsed:?}");
        assert!(parsed.confirm(false).is_ok());
        let unknown = parse("odd").unwrap_err();
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
            let unknown = parse(typo).unwrap_err();
            assert!(
                unknown.help.contains(&format!("`{expected}`")),
                "{typo}: {unknown:?}"
            );
        }
        assert!(
            parse("nonsense")
                .unwrap_err()
                .help
                .contains("nonsense@VERSION")
        );
    }

    #[test]
    fn an_unknown_version_means_a_removed_bundle() {
        let parsed = parse("5.0.0").unwrap();
        assert_eq!(
            (&*parsed.installed.name, &*parsed.installed.version),
            ("p.v5.0.0", "5.0.0")
        );
        let unknown = parsed.confirm(false).unwrap_err();
        assert!(
            unknown.help.contains("write `p.v5.0.0@5.0.0`"),
            "{unknown:?}"
        );
        let mentioned = parse("3.0.0").unwrap();
        assert_eq!(
            (&*mentioned.installed.name, mentioned.confirm(false).is_ok()),
            ("p.v3.0.0", true)
        );
    }

    #[test]
    fn an_unmentioned_bundle_counts_if_it_can_be_updated() {
        let parsed = parse("p.v0.1.0").unwrap();
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
            let parsed = parse(text).unwrap();
            assert_eq!(&*parsed.installed.version, version, "{text}");
            assert!(parsed.confirm(false).is_ok());
        }
        assert!(parse("gone@1.0.0").unwrap().notes[0].contains("mentions `gone`"));
        assert!(parse("p.v4.1.0@4.1.1").unwrap().notes[0].contains("4.1.0"));
        assert!(parse("odd@2.0.0").unwrap().notes.is_empty());
        for text in ["", "@1.0.0", "odd@", "odd@9", "p.v4.1.0@v4.1.1"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_bundle_of_another_package_is_known() {
        let (own, mut other) = (package("c: p.v2@2.0.0 r:q.v1"), package("c: q.v0@0.9.0"));
        other.name = "q".into();
        let parsed = read("q.v0", &[&own], [&other]).unwrap();
        assert_eq!(
            (&*parsed.installed.version, &*parsed.notes[0]),
            ("0.9.0", "`q.v0` is a bundle of package `q`")
        );
    }
}
