//! `switchyard resolve`: resolves several subscriptions with catalogs and installed bundles, from
//! JSON to JSON.

use crate::args::ResolveArgs;
use crate::error::{COULD_NOT_RUN, CliError, CliResult, FAILED};
use crate::input;
use crate::output;
use crate::output::formats::Data;
use crate::output::problems::Incomplete;
use ::catalog::index::index_bytes;
use ::catalog::model::FileId;
use ::catalog::{Catalog, Content, TreeEntry};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use upgrade::resolve::{self, CatalogSet, Csv, Gvk, Request, Resolution, State, Subscription};
use upgrade::{ErrorKind, UpgradeError};

pub(super) fn resolve(args: &ResolveArgs) -> CliResult {
    let text = read_text(&args.request)?;
    let name = if input::is_dash(&args.request) {
        "standard input".to_owned()
    } else {
        args.request.display().to_string()
    };
    let hint = "`switchyard resolve --help` shows the shape of a request";
    let mut requests = Vec::new();
    for value in serde_json::Deserializer::from_str(&text).into_iter::<Value>() {
        let request = value.and_then(ResolveRequest::deserialize);
        requests.push(request.map_err(|e| cli_error!("{name}: {e}").hint(hint))?);
    }
    if requests.is_empty() {
        return Err(cli_error!("{name} has no request").hint(hint));
    }
    let mut status = 0;
    for request in requests {
        let catalogs: Vec<(String, Catalog)> = request
            .catalogs
            .iter()
            .map(|input| (input.name.clone(), input.index()))
            .collect();
        let mut incomplete = Incomplete::default();
        for (name, catalog) in &catalogs {
            incomplete.add(name, catalog);
        }
        let outcome = resolve_request(request, &catalogs);
        let request_status = match &outcome {
            Ok(_) => 0,
            Err(error) if error.kind == ErrorKind::NotKnown => COULD_NOT_RUN,
            Err(_) => FAILED,
        };
        let mut data = outcome_json(outcome);
        incomplete.mark(&mut data);
        let text = match args.format {
            Data::Json => format!("{}\n", output::escape_controls(&data.to_string())),
            Data::Yaml => format!("---\n{}", output::serialize(Data::Yaml, &data)?),
        };
        output::print_raw(text.as_bytes())?;
        status = status.max(incomplete.report(args.partial.partial, request_status));
    }
    Ok(status)
}

fn read_text(path: &Path) -> Result<String, CliError> {
    let text = if input::is_dash(path) {
        std::io::read_to_string(std::io::stdin())
    } else {
        std::fs::read_to_string(path)
    };
    text.map_err(|e| cli_error!("cannot read {}: {e}", path.display()))
}

/// A request. Unknown fields are refused.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ResolveRequest {
    catalogs: Vec<CatalogInput>,
    subscriptions: Vec<SubscriptionInput>,
    #[serde(default)]
    installed: Vec<CsvInput>,
    #[serde(default)]
    fail_forward: bool,
    /// Ignored, like the next two fields: they occur in recorded answers, which are also valid
    /// requests.
    #[serde(rename = "id")]
    _id: Option<IgnoredAny>,
    #[serde(rename = "result")]
    _result: Option<IgnoredAny>,
    #[serde(rename = "alternatives")]
    _alternatives: Option<IgnoredAny>,
}

/// A catalog with its blobs. Its namespace defaults to the one that is resolved.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CatalogInput {
    name: String,
    #[serde(default)]
    namespace: String,
    #[serde(default)]
    priority: i64,
    blobs: Vec<Value>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
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
#[serde(deny_unknown_fields)]
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
#[serde(deny_unknown_fields)]
struct Property {
    r#type: String,
    #[serde(default)]
    value: Value,
}

/// A CRD description of a CSV, which may have further fields.
#[derive(Debug, Deserialize)]
struct Crd {
    name: String,
    #[serde(default)]
    version: String,
    #[serde(default)]
    kind: String,
}

fn resolve_request(
    request: ResolveRequest,
    catalogs: &[(String, Catalog)],
) -> Result<Resolution, UpgradeError> {
    let catalogs = request
        .catalogs
        .iter()
        .zip(catalogs)
        .map(|(input, (_, catalog))| resolve::Catalog {
            name: input.name.as_str().into(),
            namespace: input.namespace.as_str().into(),
            priority: input.priority,
            packages: catalog.packages().map(|package| &**package).collect(),
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

impl CatalogInput {
    /// Reads the blobs as if they were a catalog file.
    fn index(&self) -> Catalog {
        let text: String = self.blobs.iter().map(|blob| format!("{blob}\n")).collect();
        let entry = TreeEntry {
            id: FileId(0),
            path: "blobs".into(),
            content: Content::Indexed(Arc::new(index_bytes(text.as_bytes()))),
        };
        Catalog::new("", vec![entry])
    }
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
        let properties = |list: Vec<Property>| {
            list.into_iter()
                .map(|property| (property.r#type.into(), property.value.to_string().into()))
                .collect()
        };
        Csv {
            name: self.name.into(),
            version: self.version.into(),
            properties: self.properties.map(properties),
            owned: crd_kinds(self.owned),
            required: crd_kinds(self.required),
            phase: self.phase.into(),
            replaces: self.replaces.into(),
        }
    }
}

fn crd_kinds(list: Vec<Crd>) -> Vec<Gvk> {
    list.into_iter()
        .map(|crd| Gvk::from_crd(&crd.name, &crd.version, &crd.kind))
        .collect()
}

fn outcome_json(outcome: Result<Resolution, UpgradeError>) -> Value {
    let mut data = match outcome {
        Err(error) => json!({ "kind": error.kind.as_str(), "error": error.text, "why": [] }),
        Ok(resolution) => resolution_json(&resolution),
    };
    data["format"] = output::FORMAT.into();
    data
}

fn resolution_json(resolution: &Resolution) -> Value {
    let mut bundles: Vec<Value> = Vec::new();
    for bundle in &resolution.bundles {
        let mut data = json!({
            "catalog": bundle.catalog,
            "package": bundle.package,
            "channel": bundle.channel,
            "name": bundle.name,
        });
        if !bundle.replaces.is_empty() {
            data["replaces"] = (*bundle.replaces).into();
        }
        bundles.push(data);
    }
    let mut why = resolution.why.clone();
    let mut subscriptions: Vec<Value> = Vec::new();
    for outcome in &resolution.subscriptions {
        if !matches!(outcome.state, State::Installs | State::Updates) {
            why.push(format!(
                "subscription `{}`: {}",
                outcome.subscription, outcome.why
            ));
        }
        subscriptions.push(json!({
            "name": outcome.subscription,
            "state": outcome.state.as_str(),
            "installed": Some(&*outcome.installed).filter(|name| !name.is_empty()),
            "bundle": Some(&*outcome.bundle).filter(|name| !name.is_empty()),
            "why": outcome.why,
        }));
    }
    json!({ "bundles": bundles, "subscriptions": subscriptions, "why": why })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_a_misspelt_field() {
        let error = |request: Value| {
            serde_json::from_value::<ResolveRequest>(request)
                .map_err(|error| error.to_string())
                .unwrap_err()
        };
        for (request, field) in [
            (json!({"catalog": []}), "catalog"),
            (
                json!({"catalogs": [], "subscriptions": [{"chanel": "c"}]}),
                "chanel",
            ),
            (json!({"catalogs": [{"prority": 1}]}), "prority"),
            (
                json!({"installed": [{"name": "n", "properties": [{"typ": 1}]}]}),
                "typ",
            ),
        ] {
            let message = error(request);
            assert!(
                message.starts_with(&format!("unknown field `{field}`, expected ")),
                "{message}"
            );
        }
        let recorded = json!({"catalogs": [], "subscriptions": [], "id": "x", "result": {}});
        assert!(serde_json::from_value::<ResolveRequest>(recorded).is_ok());
    }
}
