//! Checks whether a bundle contains a NetworkPolicy.

use super::Checked;
use crate::repository::bundle_folder::Bundle;
use crate::repository::bundle_folder::{Failure, read_document};
use crate::repository::files::{EntryKind, join};
use crate::repository::finding::Finding;
use crate::repository::python;

pub(super) const CHECK: &str = "check_network_policy_presence";

pub(super) fn check(bundle: &Bundle<'_>) -> Checked {
    let folder = join(&bundle.folder, "manifests");
    let entries = bundle.files.entries(&folder).into_iter();
    let manifests: Vec<String> = entries
        .filter(|entry| entry.kind != EntryKind::Folder)
        .map(|entry| entry.name)
        .collect();
    let mut found = Vec::new();
    for ending in [".yaml", ".yml"] {
        for name in manifests.iter().filter(|name| name.ends_with(ending)) {
            let path = join(&folder, name);
            let Some(document) = read_document(bundle.files, &path)? else {
                continue;
            };
            let Some(root) = document.root().filter(|root| root.is_map()) else {
                continue;
            };
            let Some(kind) = root
                .get("kind")
                .filter(|kind| kind.text().as_deref() == Some("NetworkPolicy"))
            else {
                continue;
            };
            let version = root
                .get("apiVersion")
                .filter(|version| python::is_true(*version));
            let version = version.map(|version| {
                version.text().ok_or_else(|| {
                    Failure::new(&*path, version.line(), "`apiVersion` is not a string")
                })
            });
            let version = version.transpose()?.unwrap_or_default();
            if version.starts_with("networking.k8s.io/") {
                let message = format!(
                    "Bundle contains a NetworkPolicy in {name}. Network policies are not a supported resource that \
                     Operator Lifecycle Manager(OLM) can install and manage."
                );
                found.push(
                    Finding::error(CHECK, path, message)
                        .on_line(kind.line())
                        .help("remove the file from the bundle"),
                );
            }
        }
    }
    Ok(found)
}
