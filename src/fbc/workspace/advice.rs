//! Which advice is wanted: of whom each catalog takes its configuration.

use super::Workspace;
use crate::fbc::diagnostic::Profile;
use crate::fbc::validate::Settings;
use crate::fbc::validate::config::{self, Config, FILE_NAME};
use std::rc::Rc;

/// Longest configuration that is read, in bytes.
const LIMIT: u64 = 1 << 20;

/// What the host wants to be looked for beside `opm`'s rules.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Advice {
    /// Nothing.
    #[default]
    None,
    /// For each catalog what the nearest `.switchyard.yaml` among the files says, from the catalog's own folder
    /// upward; the profile, where given, comes before the one that is written there.
    Nearest(Option<Profile>),
    /// One configuration for all catalogs, which the host has read; the profile as above.
    Given { file: String, text: Vec<u8>, profile: Option<Profile> },
}

impl Workspace {
    /// Says which advice is wanted, from now on.
    pub fn advise(&mut self, advice: Advice) {
        self.advice = advice;
        let configs: Vec<Rc<Config>> = self.roots.iter().map(|root| self.config_of(&root.name)).collect();
        for (root, config) in self.roots.iter_mut().zip(configs) {
            root.configure(config);
        }
        self.revision += 1;
    }

    /// Which advice is wanted.
    pub fn advice(&self) -> &Advice {
        &self.advice
    }

    /// Paths of the configuration files that some catalog goes by.
    pub fn config_files(&self) -> Vec<String> {
        let mut paths: Vec<String> = self.roots.iter().filter_map(|root| self.nearest_config(&root.name)).collect();
        paths.sort_unstable();
        paths.dedup();
        paths
    }

    /// The configuration of a catalog, once it is found where its files are.
    pub(super) fn config_of(&self, root: &str) -> Rc<Config> {
        Rc::new(match &self.advice {
            Advice::None => Config { settings: Settings::of(Profile::Opm), complaints: Vec::new() },
            Advice::Given { file, text, profile } => config::parse(file, text, *profile),
            Advice::Nearest(profile) => self.nearest(root, *profile),
        })
    }

    fn nearest(&self, root: &str, profile: Option<Profile>) -> Config {
        let Some(path) = self.nearest_config(root) else { return config::parse("", b"", profile) };
        let shown = relative(root, &path);
        let text = self.bytes(&path).unwrap_or_default();
        config::parse(&shown, &text, profile)
    }

    /// The path of the file that a catalog goes by.
    fn nearest_config(&self, root: &str) -> Option<String> {
        if !matches!(self.advice, Advice::Nearest(_)) {
            return None;
        }
        let mut folder = Some(root);
        while let Some(at) = folder {
            let path = super::root::join(at, FILE_NAME);
            if self.by_path.get(&path).and_then(|id| self.version(*id)).is_some_and(|v| v.pieces.len() <= LIMIT) {
                return Some(path);
            }
            folder = if at.is_empty() { None } else { Some(at.rsplit_once('/').map_or("", |(above, _)| above)) };
        }
        None
    }
}

/// The path of a file as seen from a folder that lies in its folder.
fn relative(folder: &str, path: &str) -> String {
    let above = path.rsplit_once('/').map_or("", |(above, _)| above);
    let depth = |folder: &str| if folder.is_empty() { 0 } else { folder.split('/').count() };
    "../".repeat(depth(folder).saturating_sub(depth(above))) + path.rsplit('/').next().unwrap_or(path)
}
