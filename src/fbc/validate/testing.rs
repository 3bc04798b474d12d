//! Compact package notation for rule tests.

use super::judge::PackageReport;
use super::judge::judge_package;
use super::settings::Settings;
use crate::model::blob::PackageProperty;
use crate::model::{BundleBlob, ChannelBlob, Entry, FileId, Located, Package, PackageBlob};
use crate::place::{Place, Spanned, Text};
use protocol::diagnostic::Profile;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A package whose bundles are those that its channels list, with versions 0.0.1, 0.0.2, … by
/// default.
pub(super) struct Sketch {
    name: Text,
    default: Option<Text>,
    channels: Vec<(Text, Vec<Entry>)>,
    versions: BTreeMap<Text, Text>,
    releases: BTreeMap<Text, Text>,
}

impl Sketch {
    pub(super) fn new(name: &str) -> Self {
        Self {
            name: name.into(),
            default: None,
            channels: Vec::new(),
            versions: BTreeMap::new(),
            releases: BTreeMap::new(),
        }
    }

    /// Sets the default channel, which is the first one otherwise.
    pub(super) fn default(mut self, name: &str) -> Self {
        self.default = Some(name.into());
        self
    }

    pub(super) fn version(mut self, bundle: &str, version: &str) -> Self {
        self.versions.insert(bundle.into(), version.into());
        self
    }

    pub(super) fn release(mut self, bundle: &str, release: &str) -> Self {
        self.releases.insert(bundle.into(), release.into());
        self
    }

    /// Entries are written `NAME`, `NAME>REPLACES`, `NAME-SKIP`, `NAME>REPLACES-SKIP`, then ` ~RANGE`.
    pub(super) fn channel(mut self, name: &str, entries: &[&str]) -> Self {
        let entries = entries.iter().enumerate().map(|(i, text)| {
            let (edges, range) = text.split_once(" ~").unwrap_or((text, ""));
            let (edges, skip) = edges.split_once('-').unwrap_or((edges, ""));
            let (name, replaces) = edges.split_once('>').unwrap_or((edges, ""));
            let spanned = |text: &str| {
                let line = i as u32 + 1;
                Spanned::new(
                    Text::from(text),
                    Place {
                        start: line,
                        end: line + 1,
                        line,
                        ..Place::default()
                    },
                )
            };
            Entry {
                name: spanned(name),
                replaces: spanned(replaces),
                skips: (!skip.is_empty())
                    .then(|| spanned(skip))
                    .into_iter()
                    .collect(),
                skip_range: spanned(range),
                place: Place::default(),
            }
        });
        self.channels.push((name.into(), entries.collect()));
        self
    }

    pub(super) fn package(self) -> Package {
        // One file per schema, so that no two blobs share a position.
        fn located<T>(file: u32, index: usize, data: T) -> Located<T> {
            Located {
                file: FileId(file),
                index: index as u32,
                order: index as u64,
                data: Arc::new(data),
            }
        }
        fn plain(text: &Text) -> Spanned<Text> {
            Spanned::new(text.clone(), Place::default())
        }
        let default = self
            .default
            .or_else(|| self.channels.first().map(|c| c.0.clone()))
            .unwrap_or_default();
        let mut names: Vec<Text> = Vec::new();
        let mut seen = crate::hashed::HashSet::default();
        for entry in self.channels.iter().flat_map(|(_, entries)| entries) {
            if seen.insert(entry.name.value.clone()) {
                names.push(entry.name.value.clone());
            }
        }
        let bundles = names.iter().enumerate().map(|(i, name)| {
            let version = self
                .versions
                .get(name)
                .cloned()
                .unwrap_or_else(|| format!("0.0.{}", i + 1).into());
            let property = PackageProperty {
                package_name: plain(&self.name),
                version: plain(&version),
                release: self.releases.get(name).map(plain),
            };
            let bundle = BundleBlob {
                package: plain(&self.name),
                name: plain(name),
                image: plain(&"quay.io/o/x:v1".into()),
                package_properties: vec![property],
                ..Default::default()
            };
            located(2, i, bundle)
        });
        let bundles = bundles.collect();
        let package = PackageBlob {
            name: plain(&self.name),
            default_channel: plain(&default),
            ..Default::default()
        };
        let channels = self
            .channels
            .into_iter()
            .enumerate()
            .map(|(i, (name, entries))| {
                let channel = ChannelBlob {
                    package: plain(&self.name),
                    name: plain(&name),
                    entries,
                    ..ChannelBlob::default()
                };
                located(1, i, channel)
            });
        Package {
            channels: channels.collect(),
            name: self.name.clone(),
            packages: vec![located(0, 0, package)],
            bundles,
            ..Package::default()
        }
    }

    /// Uses `opm`'s rules only.
    pub(super) fn judge(self) -> Judged {
        Judged(judge_package(
            &self.package(),
            &Settings::from_profile(Profile::Opm),
        ))
    }

    /// The messages of one of our own rules, with all rules on.
    pub(super) fn advice(self, rule: &str) -> Vec<String> {
        let report = judge_package(&self.package(), &Settings::from_profile(Profile::Strict));
        report
            .advice
            .into_iter()
            .filter(|f| f.rule.id == rule)
            .map(|f| f.message)
            .collect()
    }
}

/// A report with accessors for tests.
pub(super) struct Judged(PackageReport);

impl std::ops::Deref for Judged {
    type Target = PackageReport;

    fn deref(&self) -> &PackageReport {
        &self.0
    }
}

impl Judged {
    pub(super) fn rules(&self) -> Vec<&str> {
        self.findings.iter().map(|f| f.rule.id).collect()
    }

    pub(super) fn tree(&self) -> String {
        self.0.tree.as_ref().map(|t| t.draw()).unwrap_or_default()
    }
}
