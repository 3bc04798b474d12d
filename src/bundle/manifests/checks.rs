//! Validates names and images against the rules of clusters and the content of the catalog.

use super::manifest::{
    BundleDocument, CatalogOnCluster, InstallRequest, Manifest, ManifestError, suggested_namespace,
};
use catalog::model::pull_spec::check_pull_spec;
use catalog::model::{Package, is_dns_label, is_dns_subdomain};
use protocol::manifests::InstallValue;
use serde_json::json;
use syntax::did_you_mean::did_you_mean;

/// Maximum number of characters of a namespace name. Valid names and images are ASCII.
const MAX_LABEL: usize = 63;
/// Maximum number of characters of an image in a ClusterCatalog.
const MAX_IMAGE: usize = 1000;
/// Maximum number of characters of the tag of that image.
const MAX_TAG: usize = 127;
/// Maximum number of names listed; the others are omitted.
const MAX_LISTED: usize = 12;

/// Whether OLM creates this namespace together with its only OperatorGroup, which selects all
/// namespaces.
pub fn has_global_operator_group(namespace: &str) -> bool {
    ["operators", "openshift-operators"].contains(&namespace)
}

/// The validated catalog of an installation.
pub(super) struct Catalog<'a> {
    pub name: String,
    /// The image to add; `None` if the catalog exists already.
    pub image: Option<&'a str>,
}

impl Catalog<'_> {
    /// Whether OLM polls the catalog's image: a tag can move to another image, a digest cannot.
    pub fn is_polled(&self) -> bool {
        self.image.is_some_and(|image| !image.contains('@'))
    }
}

impl<'a> InstallRequest<'a> {
    pub(super) fn catalog(&self) -> Result<Catalog<'a>, ManifestError> {
        match self.catalog {
            CatalogOnCluster::Existing { name } => {
                check_object_name("catalog", name)?;
                Ok(Catalog {
                    name: name.clone(),
                    image: None,
                })
            }
            CatalogOnCluster::Added { image, name } => {
                let name = name
                    .clone()
                    .filter(|name| !name.is_empty())
                    .unwrap_or_else(|| format!("{}-catalog", self.package.name));
                check_object_name("catalog", &name)?;
                check_image(image).map_err(|error| error.in_value(InstallValue::CatalogImage))?;
                Ok(Catalog {
                    name,
                    image: Some(image),
                })
            }
        }
    }

    /// Returns the validated target namespace: the requested one, the bundle's suggestion, or the
    /// package's name.
    pub(super) fn namespace(
        &self,
        bundle: &str,
        document: &BundleDocument<'_>,
    ) -> Result<String, ManifestError> {
        let requested = self.namespace.filter(|name| !name.is_empty());
        let name = match requested {
            Some(name) => name.to_owned(),
            None => {
                let suggested = document(bundle).as_ref().and_then(suggested_namespace);
                suggested.unwrap_or_else(|| self.package.name.to_string())
            }
        };
        check_namespace_name(&name).map_err(|error| error.in_value(InstallValue::Namespace))?;
        Ok(name)
    }
}

/// Returns the namespace object, unless the cluster already has the namespace.
pub(super) fn namespace_object(name: &str) -> Option<Manifest> {
    let object = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": name } });
    (!has_global_operator_group(name) && name != "default").then(|| Manifest::new(object))
}

pub(super) fn check_namespace_name(name: &str) -> Result<(), ManifestError> {
    if name.len() <= MAX_LABEL && is_dns_label(name) {
        return Ok(());
    }
    let reason = format!("`{name}` is not a valid namespace name");
    Err(ManifestError::new(
        reason,
        format!(
            "use at most {MAX_LABEL} lower-case letters, digits and hyphens; begin and end with a letter or a digit"
        ),
    ))
}

/// Validates a Kubernetes name: a DNS subdomain (RFC 1123).
pub(super) fn check_object_name(kind: &str, name: &str) -> Result<(), ManifestError> {
    if is_dns_subdomain(name) {
        return Ok(());
    }
    let help =
        "use lower-case letters, digits, hyphens and dots; begin and end with a letter or a digit";
    Err(ManifestError::new(
        format!("`{name}` is not a valid name for a {kind}"),
        help,
    ))
}

/// Validates an image by the rules of a ClusterCatalog. A CatalogSource would accept more and fail
/// later.
fn check_image(image: &str) -> Result<(), ManifestError> {
    if image.is_empty() {
        return Err(ManifestError::new(
            "no catalog image is given",
            "name the image that the catalog is pushed to",
        ));
    }
    let refused = |reason: &str| {
        let help = "write it as REGISTRY/NAME:TAG or REGISTRY/NAME@sha256:DIGEST";
        Err(ManifestError::new(
            format!("`{image}` is not a valid catalog image: {reason}"),
            help,
        ))
    };
    if let Err(error) = check_pull_spec(image) {
        return refused(&error.to_string());
    }
    if image.len() > MAX_IMAGE {
        return refused(&format!("it is longer than {MAX_IMAGE} characters"));
    }
    let Some((_, name)) = image.split_once('/') else {
        return refused("it names no registry");
    };
    if name.contains('@') {
        return Ok(());
    }
    let last = name.rsplit('/').next().unwrap_or(name);
    match last.split_once(':') {
        None => refused("it has neither tag nor digest"),
        Some((_, tag)) if tag.len() > MAX_TAG => {
            refused(&format!("its tag is longer than {MAX_TAG} characters"))
        }
        Some(_) => Ok(()),
    }
}

pub(super) fn check_channel(package: &Package, name: &str) -> Result<(), ManifestError> {
    if package.channel(name).is_some() {
        return Ok(());
    }
    let names = || package.channels.iter().map(|channel| channel.name.as_str());
    let all = match names().count() {
        0 => "the package has no channels".to_owned(),
        _ => format!("the package has {}", quote_names(names())),
    };
    Err(ManifestError::new(
        format!("package `{}` has no channel `{name}`", package.name),
        did_you_mean(name, names(), &all),
    ))
}

/// Checks `startingCSV` against the channel's entries with a bundle, including skipped ones.
pub(super) fn check_starting_csv(
    package: &Package,
    channel: &str,
    name: &str,
) -> Result<(), ManifestError> {
    let entries = package
        .channel(channel)
        .map_or(&[][..], |channel| &channel.entries);
    let names = || {
        entries
            .iter()
            .map(|entry| entry.name.as_str())
            .filter(|name| package.bundle(name).is_some())
    };
    if names().any(|listed| listed == name) {
        return Ok(());
    }
    let all = match names().count() {
        0 => "the channel has no bundles".to_owned(),
        _ => format!("the channel has {}", quote_names(names())),
    };
    Err(ManifestError::new(
        format!("channel `{channel}` has no bundle `{name}`"),
        did_you_mean(name, names(), &all),
    ))
}

/// Quotes names in backticks, up to a limit.
pub(super) fn quote_names<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let mut names: Vec<String> = names
        .take(MAX_LISTED + 1)
        .map(|name| format!("`{name}`"))
        .collect();
    if names.len() > MAX_LISTED {
        names.truncate(MAX_LISTED);
        names.push("…".to_owned());
    }
    names.join(", ")
}
