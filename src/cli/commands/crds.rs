//! `switchyard crds`: may the CustomResourceDefinitions of one file take the place of those of another?

use crate::args::{CrdsArgs, LensArg};
use crate::error::{self, CliError, CliResult};
use crate::formats::TextOrData;
use crate::output;
use fbc::crd;
use fbc::upgrade::Lens;
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::Path;

pub(super) fn run(args: &CrdsArgs) -> CliResult {
    let (old, new) = (read(&args.old)?, read(&args.new)?);
    let lens = match args.lens {
        LensArg::V0 => Lens::V0,
        LensArg::V1 => Lens::V1,
    };
    let name = |definition: &Value| definition["metadata"]["name"].as_str().unwrap_or_default().to_owned();
    // A definition that the old file does not have is simply new.
    let pairs = new.iter().filter_map(|n| Some((old.iter().find(|o| name(o) == name(n))?, n)));
    let judged: Vec<(String, Vec<String>)> =
        pairs.map(|(old, new)| (name(new), crd::objections(old, new, lens))).collect();
    let passed = judged.iter().all(|(_, objections)| objections.is_empty());
    match args.format {
        TextOrData::Data(form) => {
            let one = |(name, objections): &(String, Vec<String>)| json!({"name": name, "objections": objections});
            let crds: Vec<Value> = judged.iter().map(one).collect();
            output::data(form, &json!({"format": output::FORMAT, "passed": passed, "crds": crds}))?;
        }
        TextOrData::Text => {
            for (name, objections) in &judged {
                let verdict = match objections.is_empty() {
                    true => "may take the place of the old one",
                    false => "may not take the place of the old one:",
                };
                let lines: String = objections.iter().map(|line| format!("  {line}\n")).collect();
                output::text(&format!("{name} {verdict}\n{lines}"))?;
            }
            if judged.is_empty() {
                output::text("no CustomResourceDefinition is in both files\n")?;
            }
        }
    }
    Ok(if passed { 0 } else { error::FAILED })
}

/// The definitions of a file; other objects beside them mean nothing here.
fn read(path: &Path) -> Result<Vec<Value>, CliError> {
    let failed = |e: &dyn std::fmt::Display| CliError::new(format!("cannot read {}: {e}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|e| failed(&e))?;
    let documents: Result<Vec<Value>, _> = serde_yaml::Deserializer::from_str(&text).map(Value::deserialize).collect();
    let mut definitions = documents.map_err(|e| failed(&e))?;
    definitions.retain(|document| document["kind"] == "CustomResourceDefinition");
    if definitions.is_empty() {
        let complaint = CliError::new(format!("no CustomResourceDefinition in {}", path.display()));
        return Err(complaint.hint("a file holds them as YAML or JSON documents with `kind: CustomResourceDefinition`"));
    }
    Ok(definitions)
}
