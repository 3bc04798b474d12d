//! The manifests that try a package on a cluster.

use super::package;
use fbc::manifests::{self, CatalogOnCluster, Classic, ManifestError, Manifests, V1};
use fbc::upgrade;
use fbc::workspace::{Refused, Workspace};
use protocol::install::{InstallManifests, InstallRefusal, InstallRequest};
use protocol::views::{Approval, Lens, Policy};

pub(crate) fn answer(
    workspace: &Workspace,
    request: &InstallRequest,
) -> Result<Result<InstallManifests, InstallRefusal>, Refused> {
    let written = manifests(workspace, request)?;
    Ok(written
        .map(|written| InstallManifests {
            yaml: written.yaml(),
            remarks: written.remarks().map(str::to_owned).collect(),
            bundle: written.bundle,
        })
        .map_err(|error| InstallRefusal {
            value: error.value,
            reason: error.reason,
            help: error.help,
        }))
}

fn manifests(
    workspace: &Workspace,
    request: &InstallRequest,
) -> Result<Result<Manifests, ManifestError>, Refused> {
    let root = workspace.root(Some(&request.root))?;
    let package = package::find(root, &request.package)?;
    let name = request.catalog_name.clone();
    let catalog = match &request.image {
        Some(image) => CatalogOnCluster::Added {
            image: image.clone(),
            name: Some(name),
        },
        None => CatalogOnCluster::Existing { name },
    };
    let tried = manifests::InstallRequest {
        package,
        catalog: &catalog,
        namespace: Some(&request.namespace),
    };
    let document = |name: &str| {
        let blob = package.bundle(name)?;
        workspace.files().blob_document(root, blob.file, blob.index)
    };
    Ok(match request.lens {
        Lens::V0 => {
            let asked = Classic {
                channel: request.channels.first().map(String::as_str),
                approval: approval(request.approval),
                starting_csv: Some(&request.starting_csv),
                catalog_namespace: Some(&request.catalog_namespace),
                target_namespaces: &request.target_namespaces,
            };
            manifests::classic(tried, asked, &document)
        }
        Lens::V1 => {
            let asked = V1 {
                channels: &request.channels,
                range: Some(&request.range),
                policy: policy(request.policy),
                service_account: Some(&request.service_account),
            };
            manifests::v1(tried, asked, &document)
        }
    })
}

pub(super) fn approval(approval: Approval) -> manifests::Approval {
    match approval {
        Approval::Automatic => manifests::Approval::Automatic,
        Approval::Manual => manifests::Approval::Manual,
    }
}

pub(super) fn policy(policy: Policy) -> upgrade::Policy {
    match policy {
        Policy::CatalogProvided => upgrade::Policy::CatalogProvided,
        Policy::SelfCertified => upgrade::Policy::SelfCertified,
    }
}
