//! ClusterCatalog and ClusterExtension: a trial under OLM v1.

use super::checks::{Catalog, known_channel, namespace_object, object_name};
use super::install_modes::{InstallMode, InstallModes, owns_api_services};
use super::manifest::{BundleDocument, InstallRequest, Manifest, ManifestError, Manifests};
use crate::model::blob::UnsupportedByV1;
use crate::upgrade::{ErrorKind, Options, Policy, UpgradeIndex, v1 as resolution};
use crate::version::masterminds::{MAX_LENGTH, is_admitted};
use protocol::install::InstallValue;
use serde_json::{Value, json};

/// The label that every ClusterCatalog has.
const NAME_LABEL: &str = "olm.operatorframework.io/metadata.name";

/// Settings of a ClusterExtension. `None` and "" mean the default.
#[derive(Debug, Clone, Copy, Default)]
pub struct V1<'a> {
    /// Defaults to all.
    pub channels: &'a [String],
    /// Defaults to any version.
    pub range: Option<&'a str>,
    pub policy: Policy,
    /// The ServiceAccount for installations under OLM v1 before v1.11.0; defaults to none.
    pub service_account: Option<&'a str>,
}

/// The objects of a trial under OLM v1.
pub fn v1(
    request: InstallRequest<'_>,
    v1: V1<'_>,
    document: &BundleDocument<'_>,
) -> Result<Manifests, ManifestError> {
    let package = &*request.package.name;
    object_name("package of a ClusterExtension", package)?;
    for channel in v1.channels {
        let known = known_channel(request.package, channel);
        known
            .and_then(|()| object_name("channel of a ClusterExtension", channel))
            .map_err(|error| error.in_value(InstallValue::Channel))?;
    }
    let range = v1.range.filter(|range| !range.is_empty());
    let (bundle, refusal) = choose_bundle(request, v1.channels, range)?;
    let catalog = request.catalog()?;
    let namespace = request.namespace(&bundle, document)?;
    let account = v1.service_account.filter(|name| !name.is_empty());
    if let Some(account) = account {
        object_name("service account", account)
            .map_err(|error| error.in_value(InstallValue::ServiceAccount))?;
    }
    let unsupported =
        document(&bundle).and_then(|document| refusal_after_choice(&bundle, &document));
    let of_account = match account {
        None => {
            "OLM v1 before v1.11.0 requires `spec.serviceAccount`: there, write the manifests with a service account."
        }
        Some(_) => {
            "OLM v1 from v1.11.0 on ignores `spec.serviceAccount` and warns about it: there, leave the service account out."
        }
    };
    let mut source = json!({
        "packageName": package,
        "selector": { "matchLabels": { NAME_LABEL: catalog.name } },
        "upgradeConstraintPolicy": match v1.policy {
            Policy::CatalogProvided => "CatalogProvided",
            Policy::SelfCertified => "SelfCertified",
        },
    });
    if !v1.channels.is_empty() {
        source["channels"] = json!(v1.channels);
    }
    if let Some(range) = range {
        source["version"] = range.into();
    }
    let mut extension = json!({
        "apiVersion": "olm.operatorframework.io/v1",
        "kind": "ClusterExtension",
        "metadata": { "name": package },
        "spec": {
            "namespace": namespace,
            "source": { "sourceType": "Catalog", "catalog": source },
        },
    });
    let mut objects: Vec<Manifest> = cluster_catalog(&catalog).into_iter().collect();
    objects.extend(namespace_object(&namespace));
    if let Some(account) = account {
        extension["spec"]["serviceAccount"] = json!({ "name": account });
        objects.extend(installer(account, &namespace));
    }
    let remarks = refusal.into_iter().chain(unsupported);
    objects.push(Manifest::with_remarks(
        extension,
        remarks.chain([of_account.to_owned()]),
    ));
    Ok(Manifests { objects, bundle })
}

/// Why OLM v1 refuses the bundle after choosing it, if it does.
fn refusal_after_choice(bundle: &str, document: &Value) -> Option<String> {
    let (error, supported) = if owns_api_services(document) {
        (UnsupportedByV1::OwnedApiServices, String::new())
    } else {
        let modes = InstallModes::from_bundle(document)?;
        if modes.supports(InstallMode::AllNamespaces) {
            return None;
        }
        let supported = format!("; it supports {}", modes.names());
        (UnsupportedByV1::NotAllNamespaces, supported)
    };
    Some(format!(
        "OLM v1 chooses `{bundle}` and then refuses to install it: {}{supported}.",
        error.olm_text()
    ))
}

/// The bundle that OLM v1 would choose, or its error; no manifests if no bundle of the catalog
/// fits.
fn choose_bundle(
    request: InstallRequest<'_>,
    channels: &[String],
    range: Option<&str>,
) -> Result<(String, Option<String>), ManifestError> {
    let options = Options {
        channels: channels.to_vec(),
        range: range.map(str::to_owned),
        ..Options::default()
    };
    let index = UpgradeIndex::new(request.package);
    let catalogs = [resolution::Catalog::only(&index)];
    let answer = resolution::next(&catalogs, None, &request.package.name, None, &options);
    let range = range.unwrap_or_default();
    match (answer.next, answer.error) {
        (_, Some(error)) if error.kind == ErrorKind::Range => Err(ManifestError::new(
            error.text,
            "write a range such as `>=1.2.0 <2.0.0`, `~1.2` or `1.2.3`",
        )
        .in_value(InstallValue::Range)),
        (_, Some(error)) if error.kind == ErrorKind::None => {
            let versions: Vec<&str> = request
                .package
                .bundles
                .iter()
                .map(|bundle| bundle.version())
                .collect();
            let versions = super::checks::quote_names(versions.into_iter());
            let error =
                ManifestError::new(error.text, format!("the package has versions {versions}"));
            Err(error.in_value(if range.is_empty() {
                InstallValue::Channel
            } else {
                InstallValue::Range
            }))
        }
        _ if !range.is_empty() && !is_admitted(range) => {
            let reason = format!("the ClusterExtension API rejects version range `{range}`");
            let help = format!(
                "write it in at most {MAX_LENGTH} characters, without hyphen ranges or leading zeros"
            );
            Err(ManifestError::new(reason, help).in_value(InstallValue::Range))
        }
        (Some(step), _) => Ok((step.name.to_string(), None)),
        (None, error) => Ok((
            String::new(),
            error.map(|error| format!("OLM v1 will refuse it: {}", error.text)),
        )),
    }
}

fn cluster_catalog(catalog: &Catalog<'_>) -> Option<Manifest> {
    let mut image = json!({ "ref": catalog.image? });
    if catalog.is_polled() {
        image["pollIntervalMinutes"] = 10.into();
    }
    Some(Manifest::new(json!({
        "apiVersion": "olm.operatorframework.io/v1",
        "kind": "ClusterCatalog",
        "metadata": { "name": catalog.name },
        "spec": { "source": { "type": "Image", "image": image } },
    })))
}

/// The installing account, with more than sufficient permissions.
fn installer(account: &str, namespace: &str) -> [Manifest; 2] {
    let subject: Value =
        json!({ "kind": "ServiceAccount", "name": account, "namespace": namespace });
    let binding = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRoleBinding",
        "metadata": { "name": account },
        "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin" },
        "subjects": [subject],
    });
    let account = json!({
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": { "name": account, "namespace": namespace },
    });
    let remark = "cluster-admin is for trials only. In production, bind a role with just the permissions this bundle needs.";
    [
        Manifest::new(account),
        Manifest::with_remarks(binding, [remark.to_owned()]),
    ]
}
