//! A Subscription or a ClusterExtension as a question of the page: which catalogs have the package, and what they lack
//! of the object's references.

use super::package;
use fbc::manifests::{Approval, ManifestErrorAt, ParsedManifest};
use fbc::model::Package;
use fbc::upgrade::{Lens, Policy};
use fbc::workspace::{Root, Workspace};
use protocol::manifests::{ManifestQuestion, ManifestRemark};
use protocol::views::{self, Origin, UpgradeQuestion};

/// `file` is its path as dropped, `root` the catalog in view.
pub(crate) fn view(
    workspace: &Workspace,
    file: &str,
    parsed: &ParsedManifest,
    root: &str,
) -> ManifestQuestion {
    let mut roots: Vec<&Root> = workspace
        .roots()
        .iter()
        .filter(|root| !root.is_template())
        .collect();
    let packages: Vec<&str> = roots
        .iter()
        .flat_map(|root| root.catalog().packages())
        .map(|of| &*of.name)
        .collect();
    let name = &parsed.package.value;
    let unknown = parsed.unknown_package(packages);
    roots.retain(|root| root.catalog().package(name).is_some());
    // Keep the order of the others.
    if let Some(at) = roots.iter().position(|of| of.name == root) {
        roots[..=at].rotate_right(1);
    }
    let known = roots
        .first()
        .and_then(|root| package::find(root, name).ok());
    let installed = parsed
        .installed
        .as_ref()
        .map(|installed| installed.value.clone());
    let unowned = || {
        let csv = parsed.unowned_csv(known?)?;
        Some(csv.installed_name())
    };
    let installed = installed.or_else(unowned);
    let mut remarks: Vec<ManifestRemark> = match known {
        Some(package) => parsed
            .blockers(package)
            .into_iter()
            .chain(parsed.missing_in(package, installed.as_deref()))
            .map(|at| remark(file, at))
            .collect(),
        None => vec![remark(file, unknown)],
    };
    let missing_csv = parsed.missing_csv();
    remarks.extend(
        parsed
            .notes
            .iter()
            .chain(&missing_csv)
            .map(|note| ManifestRemark {
                file: file.to_owned(),
                line: parsed.line,
                reason: note.clone(),
                help: String::new(),
            }),
    );
    ManifestQuestion {
        kind: parsed.kind().to_owned(),
        name: parsed.name.clone(),
        file: file.to_owned(),
        line: parsed.line,
        package: name.clone(),
        question: question(
            parsed,
            known.map(|package| &**package),
            installed.as_deref(),
        ),
        roots: roots.into_iter().map(|root| root.name.clone()).collect(),
        remarks,
    }
}

/// A remark at a line of a manifest.
pub(crate) fn remark(file: &str, at: ManifestErrorAt) -> ManifestRemark {
    ManifestRemark {
        file: file.to_owned(),
        line: at.line,
        reason: at.error.reason,
        help: at.error.help,
    }
}

fn question(
    parsed: &ParsedManifest,
    package: Option<&Package>,
    installed: Option<&str>,
) -> UpgradeQuestion {
    let names: Vec<String> = parsed
        .channels
        .iter()
        .map(|channel| channel.value.clone())
        .collect();
    let origin = match installed {
        Some(installed) => Origin::Installed(as_listed(installed, package)),
        None => Origin::Fresh,
    };
    let base = UpgradeQuestion {
        origin,
        ..UpgradeQuestion::default()
    };
    match parsed.lens {
        Lens::V0 => {
            let channel = names.into_iter().next().unwrap_or_default();
            let is_default = package.is_some_and(|package| package.default_channel() == channel);
            UpgradeQuestion {
                lens: views::Lens::V0,
                channel: if is_default { String::new() } else { channel },
                approval: match parsed.approval {
                    Approval::Automatic => views::Approval::Automatic,
                    Approval::Manual => views::Approval::Manual,
                },
                starting_csv: parsed
                    .starting_csv
                    .as_ref()
                    .map(|name| name.value.clone())
                    .unwrap_or_default(),
                ..base
            }
        }
        Lens::V1 => UpgradeQuestion {
            lens: views::Lens::V1,
            channels: names,
            range: parsed
                .range
                .as_ref()
                .map(|range| range.value.clone())
                .unwrap_or_default(),
            policy: match parsed.policy {
                Policy::CatalogProvided => views::Policy::CatalogProvided,
                Policy::SelfCertified => views::Policy::SelfCertified,
            },
            ..base
        },
    }
}

/// The bundle's name alone if the catalog has it in that version; else as in the object's status.
fn as_listed(installed: &str, package: Option<&Package>) -> String {
    let listed = installed.rsplit_once('@').filter(|(name, version)| {
        package
            .and_then(|package| package.bundle(name))
            .is_some_and(|bundle| bundle.version() == *version)
    });
    listed.map_or(installed, |(name, _)| name).to_owned()
}
