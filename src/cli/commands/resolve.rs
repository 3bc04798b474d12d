//! `switchyard resolve`: several subscriptions, catalogs and installed bundles at once, as JSON in and JSON out.

mod fields;

pub(crate) use fields::HELP;

use crate::args::ResolveArgs;
use crate::error::{COULD_NOT_RUN, CliError, CliResult, FAILED};
use crate::formats::Data;
use crate::incomplete::Incomplete;
use crate::output;
use fbc::catalog::{Catalog, Content, TreeEntry};
use fbc::index::index_bytes;
use fbc::model::FileId;
use fbc::upgrade::resolve::{self, CatalogSet, Csv, Gvk, Request, Resolution, State, Subscription};
use fbc::upgrade::{ErrorKind, UpgradeError};
use serde::Deserialize;
use serde_json::{Value, json};
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

pub(super) fn run(args: &ResolveArgs) -> CliResult {
    let text = read(&args.request)?;
    let name = match args.request == Path::new("-") {
        true => "standard input".to_owned(),
        false => args.request.display().to_string(),
    };
    let shape = "`switchyard resolve --help` shows the shape of a request";
    let mut wishes = Vec::new();
    for value in serde_json::Deserializer::from_str(&text).into_iter::<Value>() {
        let value = value.map_err(|e| CliError::new(format!("{name}: {e}")).hint(shape))?;
        fields::check(&value).map_err(|unknown| {
            CliError::new(format!("{name}: {}", unknown.message)).hint(unknown.help)
        })?;
        let request = ResolveRequest::deserialize(value)
            .map_err(|e| CliError::new(format!("{name}: {e}")).hint(shape))?;
        wishes.push(request);
    }
    if wishes.is_empty() {
        return Err(CliError::new(format!("{name} has no request")).hint(shape));
    }
    let mut status = 0;
    for request in wishes {
        let catalogs: Vec<(String, Catalog)> = request
            .catalogs
            .iter()
            .map(|offered| (offered.name.clone(), catalog_of(offered)))
            .collect();
        let mut incomplete = Incomplete::default();
        catalogs
            .iter()
            .for_each(|(name, catalog)| incomplete.add(name, catalog));
        let outcome = answer(request, &catalogs);
        let own = match &outcome {
            Ok(_) => 0,
            Err(error) if error.kind == ErrorKind::NotKnown => COULD_NOT_RUN,
            Err(_) => FAILED,
        };
        let mut told = outcome_json(outcome);
        incomplete.mark(&mut told);
        let text = match args.format {
            Data::Json => format!("{}\n", output::harmless(&told.to_string())),
            Data::Yaml => format!("---\n{}", output::written(Data::Yaml, &told)?),
        };
        output::raw(text.as_bytes())?;
        status = status.max(incomplete.report(args.partial, own));
    }
    Ok(status)
}

fn read(path: &Path) -> Result<String, CliError> {
    let mut text = String::new();
    let read = if path == Path::new("-") {
        std::io::stdin().read_to_string(&mut text)
    } else {
        std::fs::File::open(path).and_then(|mut f| f.read_to_string(&mut text))
    };
    read.map_err(|e| CliError::new(format!("cannot read {}: {e}", path.display())))?;
    Ok(text)
}

/// One request.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ResolveRequest {
    catalogs: Vec<CatalogInput>,
    subscriptions: Vec<SubscriptionInput>,
    #[serde(default)]
    installed: Vec<CsvInput>,
    #[serde(default)]
    fail_forward: bool,
}

/// A catalog with its blobs. Without a namespace it is in the namespace that is resolved.
#[derive(Debug, Deserialize)]
struct CatalogInput {
    name: String,
    #[serde(default)]
    namespace: String,
    #[serde(default)]
    priority: i64,
    blobs: Vec<Value>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SubscriptionInput {
    name: String,
    package: String,
    #[serde(default)]
    channel: String,
    catalog: String,
    #[serde(default)]
    catalog_namespace: String,
    #[serde(default, rename = "startingCSV")]
    starting_csv: Option<String>,
    #[serde(default, rename = "installedCSV")]
    installed_csv: Option<String>,
}

/// An installed CSV: its properties, or the CRDs that it owns and requires.
#[derive(Debug, Deserialize)]
struct CsvInput {
    name: String,
    #[serde(default)]
    version: String,
    properties: Option<Vec<Property>>,
    #[serde(default)]
    owned: Vec<Crd>,
    #[serde(default)]
    required: Vec<Crd>,
    #[serde(default)]
    phase: String,
    #[serde(default)]
    replaces: String,
}

#[derive(Debug, Deserialize)]
struct Property {
    r#type: String,
    #[serde(default)]
    value: Value,
}

#[derive(Debug, Deserialize)]
struct Crd {
    name: String,
    #[serde(default)]
    version: String,
    #[serde(default)]
    kind: String,
}

fn answer(
    request: ResolveRequest,
    catalogs: &[(String, Catalog)],
) -> Result<Resolution, UpgradeError> {
    let catalogs = request
        .catalogs
        .iter()
        .zip(catalogs)
        .map(|(offered, (_, catalog))| resolve::Catalog {
            name: offered.name.as_str().into(),
            namespace: offered.namespace.as_str().into(),
            priority: offered.priority,
            packages: catalog.packages().map(|p| &**p).collect(),
        });
    let catalog_set = CatalogSet::new(catalogs.collect());
    let request = Request {
        subscriptions: request
            .subscriptions
            .into_iter()
            .map(SubscriptionInput::into_subscription)
            .collect(),
        installed: request
            .installed
            .into_iter()
            .map(CsvInput::into_csv)
            .collect(),
        fail_forward: request.fail_forward,
        ..Request::default()
    };
    catalog_set.resolve(&request)
}

/// The blobs through the same indexer as a catalog's file.
fn catalog_of(offered: &CatalogInput) -> Catalog {
    let text: String = offered
        .blobs
        .iter()
        .map(|blob| format!("{blob}\n"))
        .collect();
    let content = Content::Indexed(Arc::new(index_bytes(text.as_bytes())));
    Catalog::new(
        "",
        vec![TreeEntry {
            id: FileId(0),
            path: "blobs".into(),
            content,
        }],
    )
}

impl SubscriptionInput {
    fn into_subscription(self) -> Subscription {
        Subscription {
            name: self.name.into(),
            package: self.package.into(),
            channel: self.channel.into(),
            catalog: self.catalog.into(),
            catalog_namespace: self.catalog_namespace.into(),
            starting_csv: self.starting_csv.unwrap_or_default().into(),
            installed_csv: self.installed_csv.unwrap_or_default().into(),
        }
    }
}

impl CsvInput {
    fn into_csv(self) -> Csv {
        let crds = |list: Vec<Crd>| {
            list.into_iter()
                .map(|c| Gvk::of_crd(&c.name, &c.version, &c.kind))
                .collect()
        };
        let properties = |list: Vec<Property>| {
            list.into_iter()
                .map(|p| (p.r#type.into(), p.value.to_string().into()))
                .collect()
        };
        Csv {
            name: self.name.into(),
            version: self.version.into(),
            properties: self.properties.map(properties),
            owned: crds(self.owned),
            required: crds(self.required),
            phase: self.phase.into(),
            replaces: self.replaces.into(),
        }
    }
}

fn outcome_json(outcome: Result<Resolution, UpgradeError>) -> Value {
    let mut told = match outcome {
        Err(error) => json!({ "kind": error.kind.as_str(), "error": error.text, "why": [] }),
        Ok(resolution) => {
            let bundles: Vec<Value> = resolution
                .bundles
                .iter()
                .map(|b| {
                    let mut bundle = json!({ "catalog": &*b.catalog, "package": &*b.package, "channel": &*b.channel, "name": &*b.name });
                    if !b.replaces.is_empty() {
                        bundle["replaces"] = (*b.replaces).into();
                    }
                    bundle
                })
                .collect();
            let stays = resolution
                .subscriptions
                .iter()
                .filter(|s| !matches!(s.state, State::Installs | State::Updates));
            let stays = stays.map(|s| format!("subscription `{}`: {}", s.subscription, s.why));
            let why: Vec<String> = resolution.why.iter().cloned().chain(stays).collect();
            let subscriptions = resolution.subscriptions.iter().map(|s| {
                json!({
                    "name": &*s.subscription,
                    "state": s.state.as_str(),
                    "installed": Some(&*s.installed).filter(|name| !name.is_empty()),
                    "bundle": Some(&*s.bundle).filter(|name| !name.is_empty()),
                    "why": s.why,
                })
            });
            let subscriptions: Vec<Value> = subscriptions.collect();
            json!({ "bundles": bundles, "subscriptions": subscriptions, "why": why })
        }
    };
    told["format"] = output::FORMAT.into();
    told
}
