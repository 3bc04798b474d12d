//! The values of *Save a part as…*, and the resulting selection.

use protocol::subset::{EntrySelection, PackageScoped, SavedSubset, Selection};
use std::collections::BTreeSet;

/// The choices for remaining entries.
pub(super) const ENTRIES: [(&str, &str); 5] = [
    ("all", "all versions"),
    ("from", "a version and everything newer"),
    ("to", "a version and everything older"),
    ("only", "one version"),
    ("heads", "heads only"),
];

/// The version field: the key of [`ENTRIES`] that needs it, its label and hint.
pub(super) const VERSION_FIELDS: [(&str, &str, &str); 3] = [
    (
        "from",
        "From version",
        "Everything that replaces or skips a kept entry is kept too.",
    ),
    (
        "to",
        "Up to version",
        "Refused where a channel would have several heads.",
    ),
    (
        "only",
        "Version",
        "Its entry keeps what it replaces and skips.",
    ),
];

/// The values of the form.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct SubsetForm {
    /// The catalog's root.
    pub(super) root: String,
    /// The catalog's name in the page.
    pub(super) label: String,
    /// All packages of the catalog.
    pub(super) all: Vec<String>,
    pub(super) packages: BTreeSet<String>,
    /// All channels of the package, if only one is selected.
    pub(super) all_channels: Vec<String>,
    /// Removed channels of a single package.
    pub(super) cut_channels: BTreeSet<String>,
    /// Remaining channels of several packages, as typed.
    pub(super) channels: String,
    /// A key of [`ENTRIES`].
    pub(super) entries: String,
    pub(super) version: String,
    pub(super) default_channel: String,
    /// As typed; "" while untouched.
    pub(super) name: String,
    pub(super) dockerfile: bool,
}

impl SubsetForm {
    /// The selection, or what is missing.
    pub(super) fn selection(&self) -> Result<Selection, &'static str> {
        if self.packages.is_empty() {
            return Err("Choose the packages to keep.");
        }
        let entries = match (self.entries.as_str(), self.version.trim()) {
            ("from", "") => return Err("Type the lowest version to keep."),
            ("to", "") => return Err("Type the highest version to keep."),
            ("only", "") => return Err("Type the version to keep."),
            ("from", version) => EntrySelection::From(vec![PackageScoped::every(version)]),
            ("to", version) => EntrySelection::Between {
                from: Vec::new(),
                to: vec![PackageScoped::every(version)],
            },
            ("only", version) => EntrySelection::Only(vec![PackageScoped::every(version)]),
            ("heads", _) => EntrySelection::Heads,
            _ => EntrySelection::All,
        };
        let channels: Vec<String> = match self.only_package() {
            Some(_) if self.cut_channels.is_empty() => Vec::new(),
            Some(_) => self
                .all_channels
                .iter()
                .filter(|name| !self.cut_channels.contains(*name))
                .cloned()
                .collect(),
            None => split_names(&self.channels),
        };
        if self.only_package().is_some() && !self.cut_channels.is_empty() && channels.is_empty() {
            return Err("Choose the channels to keep.");
        }
        // All packages means the whole catalog: blobs without a package stay too.
        let is_all = self.all.iter().all(|name| self.packages.contains(name));
        Ok(Selection {
            packages: if is_all {
                Vec::new()
            } else {
                self.packages.iter().cloned().collect()
            },
            channels: channels.iter().map(|text| self.parse_scope(text)).collect(),
            entries,
            default_channels: split_names(&self.default_channel)
                .iter()
                .map(|text| self.parse_scope(text))
                .collect(),
        })
    }

    pub(super) fn only_package(&self) -> Option<&String> {
        self.packages
            .iter()
            .next()
            .filter(|_| self.packages.len() == 1)
    }

    /// `PACKAGE=CHANNEL`, or a channel of every package.
    fn parse_scope(&self, text: &str) -> PackageScoped {
        match text.split_once('=') {
            Some((package, channel)) if self.packages.contains(package) => {
                PackageScoped::one(package, channel)
            }
            _ => PackageScoped::every(text),
        }
    }

    /// The folder's name: typed, or else the only package's, or else the catalog's.
    pub(super) fn folder(&self) -> String {
        match (self.name.trim(), self.only_package()) {
            ("", Some(package)) => package.clone(),
            ("", None) => format!(
                "{}-part",
                self.label.replace(['/', '\\'], "-").trim_start_matches('.')
            ),
            (name, _) => name.to_owned(),
        }
    }

    pub(super) fn saved_subset(&self, selection: Selection) -> SavedSubset {
        SavedSubset {
            root: self.root.clone(),
            selection,
            name: self.folder(),
            dockerfile: self.dockerfile,
        }
    }
}

/// Names separated by commas or blanks.
fn split_names(text: &str) -> Vec<String> {
    text.split([',', ' ', '\n', '\t'])
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(packages: &[&str]) -> SubsetForm {
        SubsetForm {
            root: "repo/v4.19".into(),
            label: "v4.19".into(),
            all: ["p", "q", "r"].map(str::to_owned).to_vec(),
            packages: packages.iter().map(|name| (*name).to_owned()).collect(),
            all_channels: ["stable", "beta"].map(str::to_owned).to_vec(),
            entries: "all".into(),
            ..SubsetForm::default()
        }
    }

    #[test]
    fn selecting_everything_requests_the_whole_catalog() {
        assert!(form(&["p", "q", "r"]).selection().unwrap().is_everything());
        assert_eq!(form(&["q", "p"]).selection().unwrap().packages, ["p", "q"]);
        assert!(form(&[]).selection().is_err());
    }

    #[test]
    fn channels_of_one_package_are_ticked_and_of_several_typed() {
        let cut = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let one = SubsetForm {
            cut_channels: cut(&["stable"]),
            default_channel: "beta".into(),
            ..form(&["p"])
        };
        let selection = one.selection().unwrap();
        assert_eq!(selection.channels, [PackageScoped::every("beta")]);
        assert_eq!(selection.default_channels, [PackageScoped::every("beta")]);
        assert!(
            SubsetForm {
                cut_channels: cut(&["stable", "beta"]),
                ..form(&["p"])
            }
            .selection()
            .is_err()
        );
        let several = SubsetForm {
            channels: "stable, p=beta".into(),
            ..form(&["p", "q"])
        };
        assert_eq!(
            several.selection().unwrap().channels,
            [
                PackageScoped::every("stable"),
                PackageScoped::one("p", "beta")
            ]
        );
    }

    #[test]
    fn a_version_is_needed_where_one_counts() {
        assert!(
            SubsetForm {
                entries: "from".into(),
                ..form(&["p"])
            }
            .selection()
            .is_err()
        );
        let from = SubsetForm {
            entries: "from".into(),
            version: " 1.2.0 ".into(),
            ..form(&["p"])
        };
        assert_eq!(
            from.selection().unwrap().entries,
            EntrySelection::From(vec![PackageScoped::every("1.2.0")])
        );
        let only = SubsetForm {
            entries: "only".into(),
            version: "1.2.0".into(),
            ..form(&["p"])
        };
        assert_eq!(
            only.selection().unwrap().entries,
            EntrySelection::Only(vec![PackageScoped::every("1.2.0")])
        );
        let heads = SubsetForm {
            entries: "heads".into(),
            ..form(&["p"])
        };
        assert_eq!(heads.selection().unwrap().entries, EntrySelection::Heads);
    }

    #[test]
    fn an_untouched_name_follows_the_selection() {
        assert_eq!(form(&["p"]).folder(), "p");
        assert_eq!(form(&["p", "q"]).folder(), "v4.19-part");
        assert_eq!(
            SubsetForm {
                name: " mirror ".into(),
                ..form(&["p"])
            }
            .folder(),
            "mirror"
        );
    }
}
