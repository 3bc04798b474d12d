//! Release configurations in places that the pipeline does not read.

use crate::repository::files::{EntryKind, Files, join};
use crate::repository::finding::Finding;
use crate::repository::layout::{self, RELEASE_CONFIG};
use crate::template::mapping;

/// A similar file name.
const OTHER_ENDING: &str = "release-config.yml";

/// Finds them in the operator's folder, in its templates, in bundle subfolders, or with another
/// extension.
pub(super) fn release_configs(files: &dyn Files, operator: &str) -> Vec<Finding> {
    let folder = layout::operator_folder(operator);
    let mut found = Vec::new();
    let mut tell = |path: String, why: &str| {
        let message = format!("the pipeline does not read this file: {why}");
        let help = format!("put it in the bundle's folder as `{RELEASE_CONFIG}`");
        found.push(Finding::warning("release-config-unread", path, message).help(help));
    };
    let names_in = |folder: &str| -> Vec<String> {
        let entries = files
            .entries(folder)
            .into_iter()
            .filter(|entry| entry.kind != EntryKind::Folder);
        entries
            .map(|entry| entry.name)
            .filter(|name| [RELEASE_CONFIG, OTHER_ENDING].contains(&&**name))
            .collect()
    };
    for name in names_in(&folder) {
        tell(
            join(&folder, &name),
            "it is next to the bundles, not inside one",
        );
    }
    for entry in files
        .entries(&folder)
        .into_iter()
        .filter(|entry| entry.kind == EntryKind::Folder)
    {
        let inner = join(&folder, &entry.name);
        let names = names_in(&inner);
        let is_bundle = layout::is_bundle(files, &inner);
        for name in names {
            match (is_bundle, &*name) {
                (true, RELEASE_CONFIG) => {}
                (true, _) => tell(join(&inner, &name), "its name ends in `.yml`"),
                (false, _) if entry.name == mapping::FOLDER => {
                    tell(join(&inner, &name), "it is among the templates")
                }
                (false, _) => tell(
                    join(&inner, &name),
                    "its folder lacks `manifests` or `metadata`, so it is not a bundle",
                ),
            }
        }
        if is_bundle {
            for part in ["manifests", "metadata"] {
                let inner = join(&inner, part);
                for name in names_in(&inner) {
                    tell(join(&inner, &name), "it is in a subfolder of the bundle");
                }
            }
        }
    }
    found
}
