//! CatalogSource, OperatorGroup and Subscription: a trial under OLM Classic.

use super::checks::{
    Catalog, is_on_every_cluster, known_channel, known_entry, namespace_name, namespace_object,
    object_name, quote_names,
};
use super::install_modes::{InstallMode, InstallModes};
use super::manifest::{BundleDocument, InstallRequest, Manifest, ManifestError, Manifests};
use crate::upgrade::{Lens, Options, UpgradeIndex};
use protocol::install::InstallValue;
use serde_json::{Value, json};

/// `installPlanApproval` of a Subscription.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Approval {
    #[default]
    Automatic,
    Manual,
}

/// Settings of a Subscription. `None` and "" mean the default.
#[derive(Debug, Clone, Copy, Default)]
pub struct Classic<'a> {
    /// Defaults to the package's default channel.
    pub channel: Option<&'a str>,
    pub approval: Approval,
    /// The first bundle to install; defaults to the head.
    pub starting_csv: Option<&'a str>,
    /// The namespace of the CatalogSource. For an added one, defaults to the Subscription's
    /// namespace.
    pub catalog_namespace: Option<&'a str>,
    /// The namespaces that the operator watches. Defaults to all namespaces if the bundle supports
    /// that, else its own.
    pub target_namespaces: &'a [String],
}

impl Approval {
    pub fn as_str(self) -> &'static str {
        match self {
            Approval::Automatic => "Automatic",
            Approval::Manual => "Manual",
        }
    }

    /// The effect on a next step; `goes_on`: further steps follow.
    pub fn remark(self, next: &str, goes_on: bool) -> Option<String> {
        let again = if goes_on {
            ", and each step after it waits again"
        } else {
            ""
        };
        (self == Approval::Manual).then(|| {
            format!(
                "Manual approval: OLM waits until somebody approves the install plan for `{next}`{again}. A manual \
                 subscription makes all others in its namespace wait too."
            )
        })
    }
}

/// The objects of a trial under OLM Classic.
pub fn classic(
    request: InstallRequest<'_>,
    classic: Classic<'_>,
    document: &BundleDocument<'_>,
) -> Result<Manifests, ManifestError> {
    let package = request.package;
    object_name("Subscription", &package.name)?;
    let channel =
        channel(request, classic.channel).map_err(|error| error.in_value(InstallValue::Channel))?;
    let starting = classic.starting_csv.filter(|name| !name.is_empty());
    if let Some(name) = starting {
        known_entry(package, channel, name)
            .map_err(|error| error.in_value(InstallValue::StartingCsv))?;
    }
    let options = Options {
        channels: vec![channel.to_owned()],
        starting_csv: starting.map(str::to_owned),
        ..Options::default()
    };
    let answer = UpgradeIndex::new(package).next(Lens::V0, None, &options);
    let mut remarks: Vec<String> = answer
        .error
        .iter()
        .map(|error| format!("OLM will refuse it: {}", error.text))
        .collect();
    let bundle = match (answer.next, starting) {
        (Some(step), _) => step.name.to_string(),
        (None, starting) => starting.unwrap_or_default().to_owned(),
    };
    let catalog = request.catalog()?;
    let namespace = request.namespace(&bundle, document)?;
    let source_namespace = match (
        classic.catalog_namespace.filter(|name| !name.is_empty()),
        catalog.image,
    ) {
        (Some(name), _) => {
            namespace_name(name).map_err(|error| error.in_value(InstallValue::CatalogNamespace))?;
            name
        }
        (None, Some(_)) => &namespace,
        (None, None) => {
            let reason = format!("the namespace of catalog `{}` is not set", catalog.name);
            let help = "use `openshift-marketplace` on OpenShift; elsewhere it is usually `olm`";
            return Err(ManifestError::new(reason, help).in_value(InstallValue::CatalogNamespace));
        }
    };
    let modes = document(&bundle)
        .as_ref()
        .and_then(InstallModes::from_bundle);
    let group = operator_group(
        &package.name,
        &namespace,
        classic.target_namespaces,
        (&bundle, modes),
    )?;
    if starting.is_some() && classic.approval == Approval::Automatic {
        remarks.push(
            "OLM installs startingCSV and upgrades it at once; with Manual approval each upgrade waits.".to_owned(),
        );
    }
    let mut spec = json!({
        "channel": channel,
        "installPlanApproval": classic.approval.as_str(),
        "name": &*package.name,
        "source": catalog.name,
        "sourceNamespace": source_namespace,
    });
    if let Some(name) = starting {
        spec["startingCSV"] = name.into();
    }
    let subscription = json!({
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "Subscription",
        "metadata": { "name": &*package.name, "namespace": namespace },
        "spec": spec,
    });
    let mut objects: Vec<Manifest> = namespace_object(&namespace).into_iter().collect();
    objects.extend(catalog_source(&catalog, source_namespace));
    objects.extend(group);
    objects.push(Manifest::with_remarks(subscription, remarks));
    Ok(Manifests { objects, bundle })
}

fn channel<'a>(
    request: InstallRequest<'a>,
    name: Option<&'a str>,
) -> Result<&'a str, ManifestError> {
    let package = request.package;
    match name.filter(|name| !name.is_empty()) {
        Some(name) => known_channel(package, name).map(|()| name),
        None if package.default_channel().is_empty() => {
            let names = quote_names(package.channels.iter().map(|channel| channel.name.as_str()));
            let reason = format!("package `{}` has no default channel", package.name);
            Err(ManifestError::new(
                reason,
                format!("name one of its channels: {names}"),
            ))
        }
        None => {
            known_channel(package, package.default_channel()).map(|()| package.default_channel())
        }
    }
}

fn catalog_source(catalog: &Catalog<'_>, namespace: &str) -> Option<Manifest> {
    let image = catalog.image?;
    // Otherwise namespaces that require restricted pods, as most new ones do, refuse the pod.
    let pod = json!({ "securityContextConfig": "restricted" });
    let mut spec = json!({ "grpcPodConfig": pod, "image": image, "sourceType": "grpc" });
    if catalog.is_polled() {
        spec["updateStrategy"] = json!({ "registryPoll": { "interval": "10m" } });
    }
    Some(Manifest::new(json!({
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "CatalogSource",
        "metadata": { "name": catalog.name, "namespace": namespace },
        "spec": spec,
    })))
}

/// `None` if the namespace has one.
fn operator_group(
    package: &str,
    namespace: &str,
    targets: &[String],
    (bundle, modes): (&str, Option<InstallModes>),
) -> Result<Option<Manifest>, ManifestError> {
    let supports = |mode| modes.as_ref().is_none_or(|modes| modes.supports(mode));
    if is_on_every_cluster(namespace) {
        if !targets.is_empty() {
            let reason = format!(
                "namespace `{namespace}` can have only one OperatorGroup, and the one it has is for all namespaces"
            );
            return Err(
                ManifestError::new(reason, "install into a namespace of its own")
                    .in_value(InstallValue::TargetNamespaces),
            );
        }
        return match supports(InstallMode::AllNamespaces) {
            true => Ok(None),
            false => {
                let error = unsupported_mode(bundle, InstallMode::AllNamespaces, modes.as_ref());
                Err(error.in_value(InstallValue::Namespace))
            }
        };
    }
    for target in targets {
        namespace_name(target).map_err(|error| error.in_value(InstallValue::TargetNamespaces))?;
    }
    let own = vec![namespace.to_owned()];
    let (mode, targets) = match targets {
        [] if supports(InstallMode::AllNamespaces) => (InstallMode::AllNamespaces, Vec::new()),
        [] => (InstallMode::OwnNamespace, own),
        [only] if *only == namespace => (InstallMode::OwnNamespace, own),
        [only] => (InstallMode::SingleNamespace, vec![only.clone()]),
        several => (InstallMode::MultiNamespace, several.to_vec()),
    };
    if !supports(mode) {
        return Err(
            unsupported_mode(bundle, mode, modes.as_ref()).in_value(InstallValue::TargetNamespaces)
        );
    }
    let spec = match targets.is_empty() {
        true => json!({}),
        false => json!({ "targetNamespaces": targets }),
    };
    let unknown = || {
        format!(
            "The catalog does not say which install modes `{bundle}` supports; this OperatorGroup uses {}.",
            mode.as_str()
        )
    };
    let remark = modes.is_none().then(unknown);
    Ok(Some(Manifest::with_remarks(
        group(package, namespace, spec),
        remark,
    )))
}

fn group(package: &str, namespace: &str, spec: Value) -> Value {
    json!({
        "apiVersion": "operators.coreos.com/v1",
        "kind": "OperatorGroup",
        "metadata": { "name": package, "namespace": namespace },
        "spec": spec,
    })
}

fn unsupported_mode(
    bundle: &str,
    mode: InstallMode,
    modes: Option<&InstallModes>,
) -> ManifestError {
    let names = modes.map_or_else(String::new, InstallModes::names);
    let help = match mode {
        InstallMode::OwnNamespace => {
            "name a namespace other than its own for the operator to watch"
        }
        InstallMode::AllNamespaces => "install it into a namespace of its own",
        _ => "name other namespaces to watch, or none",
    };
    ManifestError::new(
        format!(
            "`{bundle}` does not support install mode {}; it supports {names}",
            mode.as_str()
        ),
        help,
    )
}
