//! Generates manifests: CatalogSource, OperatorGroup and Subscription under OLM Classic,
//! ClusterCatalog and ClusterExtension under OLM v1.

use super::checks::{
    Catalog, check_channel, check_namespace_name, check_object_name, check_starting_csv,
    has_global_operator_group, namespace_object, quote_names,
};
use super::manifest::{
    BundleDocument, InstallMode, InstallModes, InstallRequest, Manifest, ManifestError, Manifests,
    owns_api_services,
};
use catalog::model::blob::UnsupportedByV1;
use catalog::version::masterminds::{MAX_LENGTH, is_admitted};
use protocol::manifests::InstallValue;
use protocol::views::Approval;
use serde_json::{Value, json};
use upgrade::{ErrorKind, Lens, Options, Policy, UpgradeIndex, v1 as resolution};

/// A label of every ClusterCatalog.
const NAME_LABEL: &str = "olm.operatorframework.io/metadata.name";

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

/// Generates the objects that install a package under OLM Classic.
pub fn classic(
    request: InstallRequest<'_>,
    classic: Classic<'_>,
    document: &BundleDocument<'_>,
) -> Result<Manifests, ManifestError> {
    let package = request.package;
    check_object_name("Subscription", &package.name)?;
    let channel =
        channel(request, classic.channel).map_err(|error| error.in_value(InstallValue::Channel))?;
    let starting = classic.starting_csv.filter(|name| !name.is_empty());
    if let Some(name) = starting {
        check_starting_csv(package, channel, name)?;
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
    let bundle = match answer.next {
        Some(step) => step.name.to_string(),
        None => starting.unwrap_or_default().to_owned(),
    };
    let catalog = request.catalog()?;
    let namespace = request.namespace(&bundle, document)?;
    let source_namespace = match (
        classic.catalog_namespace.filter(|name| !name.is_empty()),
        catalog.image,
    ) {
        (Some(name), _) => {
            check_namespace_name(name)?;
            name
        }
        (None, Some(_)) => &namespace,
        (None, None) => {
            let reason = format!("the namespace of catalog `{}` is not set", catalog.name);
            let help = "use `openshift-marketplace` on OpenShift; elsewhere it is usually `olm`";
            return Err(ManifestError::new(reason, help));
        }
    };
    let modes = document(&bundle)
        .as_ref()
        .and_then(InstallModes::from_bundle);
    let group = operator_group(
        &package.name,
        &namespace,
        classic.target_namespaces,
        &bundle,
        modes,
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
        Some(name) => check_channel(package, name).map(|()| name),
        None if package.default_channel().is_empty() => {
            let names = quote_names(package.channels.iter().map(|channel| channel.name.as_str()));
            let reason = format!("package `{}` has no default channel", package.name);
            Err(ManifestError::new(
                reason,
                format!("name one of its channels: {names}"),
            ))
        }
        None => {
            check_channel(package, package.default_channel()).map(|()| package.default_channel())
        }
    }
}

fn catalog_source(catalog: &Catalog<'_>, namespace: &str) -> Option<Manifest> {
    let image = catalog.image?;
    // Otherwise namespaces that require restricted pods, as most new ones do, reject the pod.
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

/// Creates the OperatorGroup; `None` if the namespace already has one.
fn operator_group(
    package: &str,
    namespace: &str,
    targets: &[String],
    bundle: &str,
    modes: Option<InstallModes>,
) -> Result<Option<Manifest>, ManifestError> {
    let supports = |mode| modes.as_ref().is_none_or(|modes| modes.supports(mode));
    if has_global_operator_group(namespace) {
        if !targets.is_empty() {
            let reason = format!(
                "namespace `{namespace}` can have only one OperatorGroup, and the one it has is for all namespaces"
            );
            return Err(ManifestError::new(
                reason,
                "install into a namespace of its own",
            ));
        }
        if supports(InstallMode::AllNamespaces) {
            return Ok(None);
        }
        let error = unsupported_mode(bundle, InstallMode::AllNamespaces, modes.as_ref());
        return Err(error.in_value(InstallValue::Namespace));
    }
    for target in targets {
        check_namespace_name(target)?;
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
        return Err(unsupported_mode(bundle, mode, modes.as_ref()));
    }
    let spec = if targets.is_empty() {
        json!({})
    } else {
        json!({ "targetNamespaces": targets })
    };
    let remark = modes.is_none().then(|| {
        format!(
            "The catalog does not say which install modes `{bundle}` supports; this OperatorGroup uses {}.",
            mode.as_str()
        )
    });
    Ok(Some(Manifest::with_remarks(
        json!({
            "apiVersion": "operators.coreos.com/v1",
            "kind": "OperatorGroup",
            "metadata": { "name": package, "namespace": namespace },
            "spec": spec,
        }),
        remark,
    )))
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

/// Generates the objects that install a package under OLM v1.
pub fn v1(
    request: InstallRequest<'_>,
    v1: V1<'_>,
    document: &BundleDocument<'_>,
) -> Result<Manifests, ManifestError> {
    let package = &*request.package.name;
    check_object_name("package of a ClusterExtension", package)?;
    for channel in v1.channels {
        let known = check_channel(request.package, channel);
        known
            .and_then(|()| check_object_name("channel of a ClusterExtension", channel))
            .map_err(|error| error.in_value(InstallValue::Channel))?;
    }
    let range = v1.range.filter(|range| !range.is_empty());
    let (bundle, refusal) = choose_bundle(request, v1.channels, range)?;
    let catalog = request.catalog()?;
    let namespace = request.namespace(&bundle, document)?;
    let account = v1.service_account.filter(|name| !name.is_empty());
    if let Some(account) = account {
        check_object_name("service account", account)?;
    }
    let unsupported =
        document(&bundle).and_then(|document| refusal_after_choice(&bundle, &document));
    let account_remark = match account {
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
        remarks.chain([account_remark.to_owned()]),
    ));
    Ok(Manifests { objects, bundle })
}

/// Explains why OLM v1 refuses the bundle after choosing it; `None` if it does not.
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

/// Returns the bundle that OLM v1 would choose, or its error; fails if no bundle of the catalog
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
        )),
        (_, Some(error)) if error.kind == ErrorKind::None => {
            let bundles = request.package.bundles.iter();
            let versions = quote_names(bundles.map(|bundle| bundle.version()));
            let error =
                ManifestError::new(error.text, format!("the package has versions {versions}"));
            Err(if range.is_empty() {
                error.in_value(InstallValue::Channel)
            } else {
                error
            })
        }
        _ if !range.is_empty() && !is_admitted(range) => {
            let reason = format!("the ClusterExtension API rejects version range `{range}`");
            let help = format!(
                "write it in at most {MAX_LENGTH} characters, without hyphen ranges or leading zeros"
            );
            Err(ManifestError::new(reason, help))
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

/// Returns the installing account, with more permissions than it needs.
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
