//! The manifests that try a package on a cluster.

use super::package;
use fbc::manifests::{self, CatalogOnCluster, Classic, Manifests, Unfit, V1};
use fbc::upgrade;
use fbc::workspace::{Refused, Workspace};
use protocol::ResponseBody;
use protocol::trial::{Trial, TrialManifests, TrialRefusal};
use protocol::views::{Approval, Lens, Policy};

pub(crate) fn answer(workspace: &Workspace, trial: &Trial) -> Result<ResponseBody, Refused> {
    Ok(match of(workspace, trial)? {
        Ok(written) => ResponseBody::TrialManifests(Box::new(TrialManifests {
            yaml: written.yaml(),
            remarks: written.remarks().map(str::to_owned).collect(),
            bundle: written.bundle,
        })),
        Err(Unfit { reason, help, value }) => ResponseBody::NoTrial(Box::new(TrialRefusal { value, reason, help })),
    })
}

fn of(workspace: &Workspace, trial: &Trial) -> Result<Result<Manifests, Unfit>, Refused> {
    let root = workspace.root(Some(&trial.root))?;
    let package = package::find(root, &trial.package)?;
    let name = trial.catalog_name.clone();
    let catalog = match &trial.image {
        Some(image) => CatalogOnCluster::Added { image: image.clone(), name: Some(name) },
        None => CatalogOnCluster::There { name },
    };
    let tried = manifests::Trial { package, catalog: &catalog, namespace: Some(&trial.namespace) };
    let document = |name: &str| {
        let blob = package.bundle(name)?;
        workspace.blob_document(root, blob.file, blob.index)
    };
    Ok(match trial.lens {
        Lens::V0 => {
            let asked = Classic {
                channel: trial.channels.first().map(String::as_str),
                approval: approval(trial.approval),
                starting_csv: Some(&trial.starting_csv),
                catalog_namespace: Some(&trial.catalog_namespace),
                target_namespaces: &trial.target_namespaces,
            };
            manifests::classic(tried, asked, &document)
        }
        Lens::V1 => {
            let asked = V1 {
                channels: &trial.channels,
                range: Some(&trial.range),
                policy: policy(trial.policy),
                service_account: Some(&trial.service_account),
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
