//! `switchyard manifests`: the manifests that install a package on a cluster for a trial.

use super::package;
use crate::args::{LensArg, ManifestFormat, ManifestsArgs};
use crate::error::{CliError, CliResult};
use crate::input::disk::only_package;
use crate::output::incomplete::Incomplete;
use crate::{input::rendered_catalog, input::upgrade_question, output};
use fbc::manifests::{self, CatalogOnCluster, Classic, InstallRequest, V1};

pub(super) fn run(args: &ManifestsArgs) -> CliResult {
    upgrade_question::refuse_options_of_other_lens(
        args.lens,
        &[
            ("--catalog-namespace", args.catalog_namespace.is_some()),
            ("--target-namespace", !args.target_namespace.is_empty()),
            ("--approval", args.approval.is_some()),
            ("--starting-csv", args.starting_csv.is_some()),
        ],
        &[
            ("--version", args.version.is_some()),
            ("--policy", args.policy.is_some()),
            ("--service-account", args.service_account.is_some()),
            ("more than one --channel", args.channel.len() > 1),
        ],
    )?;
    let disk = rendered_catalog::open(&args.dir, &args.known, args.partial.partial)?;
    let root = disk.root()?;
    let catalog = root.catalog();
    let incomplete = Incomplete::for_catalog(&disk.name(), catalog);
    let found = match args.package.name() {
        Some(name) => package(catalog, name),
        None => only_package(catalog.packages(), "the catalog has")
            .and_then(|name| package(catalog, name)),
    };
    let package = found.inspect_err(|_| {
        incomplete.report(args.partial, 0);
    })?;
    let on_cluster = match (&args.catalog_image, &args.catalog_name) {
        (Some(image), name) => CatalogOnCluster::Added {
            image: image.clone(),
            name: name.clone(),
        },
        (None, name) => CatalogOnCluster::Existing {
            name: name.clone().unwrap_or_default(),
        },
    };
    let request = InstallRequest {
        package,
        catalog: &on_cluster,
        namespace: args.namespace.as_deref(),
    };
    let document = |name: &str| {
        let blob = package.bundle(name)?;
        disk.workspace.blob_document(root, blob.file, blob.index)
    };
    let written = match args.lens {
        LensArg::V0 => {
            let options = Classic {
                channel: args.channel.first().map(String::as_str),
                approval: args.approval.map(Into::into).unwrap_or_default(),
                starting_csv: args.starting_csv.as_deref(),
                catalog_namespace: args.catalog_namespace.as_deref(),
                target_namespaces: &args.target_namespace,
            };
            manifests::classic(request, options, &document)
        }
        LensArg::V1 => {
            let options = V1 {
                channels: &args.channel,
                range: args.version.as_deref(),
                policy: args.policy.map(Into::into).unwrap_or_default(),
                service_account: args.service_account.as_deref(),
            };
            manifests::v1(request, options, &document)
        }
    };
    let written = written.map_err(|error| CliError::new(error.reason).hint(error.help))?;
    match args.format {
        ManifestFormat::Yaml => output::raw(written.yaml().as_bytes())?,
        ManifestFormat::Json => {
            written.remarks().for_each(output::note);
            output::raw(
                format!("{}\n", output::harmless(&format!("{:#}", written.list()))).as_bytes(),
            )?;
        }
    }
    Ok(incomplete.report(args.partial, 0))
}
