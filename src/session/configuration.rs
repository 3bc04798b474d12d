//! Selects the `.switchyard.yaml` of each catalog: an explicit one, or the nearest one above it.
//! `validate/config.rs` parses it.

use super::{OpenFiles, Session};
use catalog::roots::{join, name_of, parent};
use protocol::diagnostic::Profile;
use std::rc::Rc;
use syntax::order::SortSmall;
use verdict::validate::config::{self, Config, FILE_NAME};
use verdict::validate::{OpmVersion, Settings};

/// Maximum size of a configuration, in bytes.
const MAX_SIZE: u64 = 1 << 20;

/// The source of the advice configuration.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum AdviceSource {
    /// No configuration.
    #[default]
    None,
    /// For each catalog, the nearest `.switchyard.yaml` among the files, from the catalog's folder
    /// upward; the profile, if any, overrides that of the file.
    Nearest(Option<Profile>),
    /// One configuration for all catalogs, passed by the host; `profile`, if any, overrides that of
    /// the file.
    Given {
        file: String,
        text: Vec<u8>,
        profile: Option<Profile>,
    },
}

#[derive(Debug, Default)]
pub(super) struct Configuration {
    source: AdviceSource,
    /// See [`Session::set_opm_version`].
    opm_version: Option<OpmVersion>,
}

impl Session {
    pub fn set_advice_source(&mut self, advice_source: AdviceSource) {
        self.configuration.source = advice_source;
        self.configure_roots();
    }

    /// Disables `opm`'s rules that are newer than this version; `None`: disables none.
    pub fn set_opm_version(&mut self, version: Option<OpmVersion>) {
        self.configuration.opm_version = version;
        self.configure_roots();
    }

    fn configure_roots(&mut self) {
        self.preview_cache = None;
        let configs: Vec<Rc<Config>> = self
            .roots
            .iter()
            .map(|root| self.configuration.config_of(&self.files, &root.name))
            .collect();
        for (root, config) in self.roots.iter_mut().zip(configs) {
            root.configure(config, &self.open_catalogs);
        }
        self.revision += 1;
    }

    pub fn advice_source(&self) -> &AdviceSource {
        &self.configuration.source
    }

    pub fn config_files(&self) -> Vec<String> {
        let mut paths: Vec<String> = self
            .roots
            .iter()
            .filter_map(|root| self.configuration.nearest_config(&self.files, &root.name))
            .collect();
        paths.sort_small();
        paths.dedup();
        paths
    }
}

impl Configuration {
    /// Returns the configuration for a catalog at this path.
    pub(super) fn config_of(&self, files: &OpenFiles, root: &str) -> Rc<Config> {
        let mut config = match &self.source {
            AdviceSource::None => Config {
                settings: Settings::from_profile(Profile::Opm),
                complaints: Vec::new(),
            },
            AdviceSource::Given {
                file,
                text,
                profile,
            } => config::parse(file, text, *profile),
            AdviceSource::Nearest(profile) => match self.nearest_config(files, root) {
                Some(path) => {
                    let text = files.bytes(&path).unwrap_or_default();
                    config::parse(&relative(root, &path), &text, *profile)
                }
                None => config::parse("", b"", *profile),
            },
        };
        config.settings.set_opm_version(self.opm_version);
        Rc::new(config)
    }

    /// Returns the path of the configuration file that applies to a catalog.
    fn nearest_config(&self, files: &OpenFiles, root: &str) -> Option<String> {
        if !matches!(self.source, AdviceSource::Nearest(_)) {
            return None;
        }
        let mut folder = Some(root);
        while let Some(current) = folder {
            let path = join(current, FILE_NAME);
            if files
                .version_at(&path)
                .is_some_and(|v| v.pieces.len() <= MAX_SIZE)
            {
                return Some(path);
            }
            folder = (!current.is_empty()).then(|| parent(current));
        }
        None
    }
}

/// Returns the path of a file relative to a folder at or below the file's own folder.
fn relative(folder: &str, path: &str) -> String {
    let above = parent(path);
    let [depth, depth_above] =
        [folder, above].map(|folder| folder.split('/').filter(|part| !part.is_empty()).count());
    "../".repeat(depth.saturating_sub(depth_above)) + name_of(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Root, Session, open};
    use catalog::testing::MemorySource;
    use protocol::operation::EditOp;

    fn package(name: &str) -> String {
        let bundle = |version: &str| {
            format!(
                "---\nschema: olm.bundle\npackage: {name}\nname: {name}.v{version}\nimage: quay.io/x/y:v{version}\n\
                 properties:\n- type: olm.package\n  value: {{packageName: {name}, version: {version}}}\n"
            )
        };
        format!(
            "---\nschema: olm.package\nname: {name}\ndefaultChannel: a\n---\nschema: olm.channel\npackage: {name}\n\
             name: a\nentries:\n- name: {name}.v1.0.0\n- name: {name}.v1.1.0\n  replaces: {name}.v1.0.0\n  skipRange: \
             '>=1.0.0'\n{}{}",
            bundle("1.0.0"),
            bundle("1.1.0")
        )
    }

    fn advice_of(root: &Root) -> Vec<(&str, &str)> {
        root.verdict()
            .diagnostics
            .iter()
            .map(|d| (d.rule.as_str(), d.location.file.as_str()))
            .collect()
    }

    fn open_session(config: &str) -> Session {
        let host = Rc::new(MemorySource::default());
        let files = vec![
            host.add(0, "top/.switchyard.yaml", config),
            host.add(1, "top/v4.18/p/catalog.yaml", package("p")),
            host.add(2, "top/v4.18/q/catalog.yaml", package("q")),
            host.add(3, "top/v4.19/p/catalog.yaml", package("p")),
            host.add(4, "top/v4.19/q/catalog.yaml", package("q")),
        ];
        let mut session = open(files, host);
        session.set_advice_source(AdviceSource::Nearest(None));
        assert_eq!(session.roots().len(), 2);
        session
    }

    #[test]
    fn a_file_above_the_catalogs_applies_to_each() {
        let mut session = open_session(
            "suppress:\n- rule: skip-range-unbounded\n  package: p\n  reason: known\n- rule: edge-backwards\n  reason: old\n",
        );
        for root in session.roots() {
            let expected = [
                ("config-unused-suppression", "../.switchyard.yaml"),
                ("catalog-metadata-missing", "p/catalog.yaml"),
                ("skip-range-unbounded", "q/catalog.yaml"),
            ];
            assert_eq!(advice_of(root), expected);
            assert_eq!(
                root.full_path("../.switchyard.yaml"),
                "top/.switchyard.yaml"
            );
        }
        assert_eq!(session.config_files(), ["top/.switchyard.yaml"]);
        session.set_advice_source(AdviceSource::Nearest(Some(Profile::Opm)));
        assert_eq!(advice_of(&session.roots()[0]), []);
    }

    #[test]
    fn a_dependency_can_be_in_any_open_catalog() {
        let property = |kind: &str, value: &str| format!("- type: {kind}\n  value: {{{value}}}\n");
        let api = "group: q.io, version: v1, kind: Q";
        let needs = property(
            "olm.package.required",
            "packageName: q, versionRange: '>=1.0.0'",
        ) + &property("olm.gvk.required", api);
        let (p, o) = (package("p") + &needs, package("o"));
        let host = Rc::new(MemorySource::default());
        let catalogs = |q: &str| {
            vec![
                host.add(0, "top/v4.18/p/catalog.yaml", &p),
                host.add(1, "top/v4.18/o/catalog.yaml", &o),
                host.add(2, "top/v4.19/o/catalog.yaml", &o),
                host.add(3, "top/v4.19/q/catalog.yaml", q),
            ]
        };
        let mut session = open(
            catalogs(&(package("q") + &property("olm.gvk", api))),
            host.clone(),
        );
        session.set_advice_source(AdviceSource::Nearest(None));
        assert_eq!(session.roots().len(), 2);
        let missing = |session: &Session| {
            let diagnostics = session.roots()[0]
                .verdict()
                .diagnostics
                .iter()
                .filter(|d| d.rule == "dependency-not-here");
            diagnostics.map(|d| d.message.clone()).collect::<Vec<_>>()
        };
        assert_eq!(missing(&session), [""; 0]);
        let line = package("q").lines().count() + 2;
        let regroup = [EditOp::ReplaceText {
            catalog: Some("top/v4.19".to_owned()),
            file: "q/catalog.yaml".to_owned(),
            at: format!("{line}:18-{line}:22"),
            before: "q.io".to_owned(),
            text: "r.io".to_owned(),
            around: None,
        }];
        let before = session.counters();
        let gone = "bundle `p.v1.1.0` requires API `Q` (`q.io/v1`), which no package in the open catalogs provides";
        let applied = session.apply("Another group", &regroup).unwrap();
        assert_eq!(missing(&session), [gone]);
        assert_eq!(
            session.counters().packages_judged - before.packages_judged,
            1,
            "the other catalog is not checked again"
        );
        let gained = &applied.consequences.problems_gained;
        assert!(
            gained
                .iter()
                .any(|d| d.catalog == "top/v4.18" && d.message == gone),
            "{gained:?}"
        );
        session.undo();
        assert_eq!(missing(&session), [""; 0]);
        session.preview(&regroup).unwrap();
        assert_eq!(missing(&session), [""; 0], "a preview changes nothing");
    }

    #[test]
    fn a_profile_change_rechecks_nothing_and_an_edit_one_package() {
        let mut session = open_session("");
        let before = session.counters();
        session.set_advice_source(AdviceSource::Nearest(Some(Profile::Strict)));
        assert_eq!(session.counters(), before);
        assert!(
            advice_of(&session.roots()[0])
                .iter()
                .any(|(rule, _)| *rule == "icon-missing")
        );
        let op = EditOp::SetSkipRange {
            catalog: Some("v4.18".to_owned()),
            package: "p".to_owned(),
            channel: "a".to_owned(),
            name: "p.v1.1.0".to_owned(),
            skip_range: Some(">=1.0.0 <1.1.0".to_owned()),
        };
        let unbounded = |session: &Session| {
            let advice = advice_of(&session.roots()[0]);
            advice
                .iter()
                .filter(|(rule, _)| *rule == "skip-range-unbounded")
                .count()
        };
        assert_eq!(unbounded(&session), 2);
        session.apply("End it", &[op]).unwrap();
        assert_eq!(unbounded(&session), 1);
        assert_eq!(
            session.counters().packages_judged - before.packages_judged,
            1
        );
    }
}
