//! `switchyard manifests`: prints the manifests that install a package on a cluster for a trial.

use crate::args::{LensArg, ManifestFormat, ManifestsArgs};
use crate::error::{CliError, CliResult};
use crate::input::disk::chosen_package;
use crate::input::{templates, upgrade_question};
use crate::output;
use crate::output::formats::Data;
use crate::output::problems::Incomplete;
use bundle::manifests::{self, CatalogOnCluster, Classic, InstallRequest, V1};

pub(super) fn manifests(args: &ManifestsArgs) -> CliResult {
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
    let disk = templates::open(&args.dir, &args.known, args.partial.partial)?;
    let root = disk.root()?;
    let catalog = root.catalog();
    let incomplete = Incomplete::for_catalog(&disk.name(), catalog);
    let package = chosen_package(catalog, args.package.name()).inspect_err(|_| {
        incomplete.report(args.partial.partial, 0);
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
        disk.session
            .files()
            .blob_document(root, blob.file, blob.index)
    };
    let manifests = match args.lens {
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
    let manifests = manifests.map_err(|error| CliError::new(error.reason).hint(error.help))?;
    match args.format {
        ManifestFormat::Yaml => output::print_raw(manifests.yaml().as_bytes())?,
        ManifestFormat::Json => {
            manifests.remarks().for_each(output::print_note);
            output::print_data(Data::Json, &manifests.list())?;
        }
    }
    Ok(incomplete.report(args.partial.partial, 0))
}
