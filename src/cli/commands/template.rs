//! `switchyard template`: from templates to catalogs and back.

use crate::error::{self, CliError, CliResult};
use crate::formats::Data;
use crate::output;
use crate::template_args::{ConvertArgs, ConvertKind, RenderArgs, RenderFormat, TemplateCommand};
use crate::{standard_input, walk};
use fbc::bundle::{self, File, Migration};
use fbc::graph::export::Names;
use fbc::ignore::{FILE_NAME, IgnoreRules};
use fbc::template::convert;
use fbc::template::render::{Kind, Missing, Options, Refused, facts, render};
use std::io::Read;
use std::path::Path;

pub(super) fn run(command: &TemplateCommand) -> CliResult {
    match command {
        TemplateCommand::Render(args) => rendered(args),
        TemplateCommand::Convert(args) => converted(args),
    }
}

fn rendered(args: &RenderArgs) -> CliResult {
    let kind = match args.kind.as_deref().map(Kind::named).transpose() {
        Ok(kind) => kind,
        Err(words) => return Ok(refuse(&words, "")),
    };
    let Some(migration) = args.migrate_level.as_deref().map_or(Some(Migration::None), migration) else {
        let level = args.migrate_level.as_deref().unwrap_or_default();
        return Ok(refuse(&format!("unknown migration level {level:?}"), LEVELS));
    };
    let text = read(&args.file)?;
    let known = args.known.read()?;
    let rendered = match render(&text, &known, Options { kind, migration, missing: Missing::Refused }) {
        Ok(rendered) => rendered,
        Err(refused) => {
            let missing = missing(&refused, &text, &known, Options { kind, migration, missing: Missing::LeftOut });
            return Ok(refuse(&refused.message, &missing));
        }
    };
    match args.format {
        RenderFormat::Json => output::raw(bundle::to_json(&rendered.arranged()).as_bytes())?,
        RenderFormat::Yaml => output::raw(bundle::to_yaml(&rendered.arranged()).as_bytes())?,
        RenderFormat::Mermaid => match facts::drawing(&rendered.blobs, Names::AsTheyAre) {
            Ok(drawn) => {
                drawn.warnings.iter().for_each(|warning| output::note(warning));
                output::raw(drawn.text.as_bytes())?;
            }
            Err(words) => return Ok(refuse(&words, "")),
        },
    }
    Ok(0)
}

const LEVELS: &str = "levels are none, bundle-object-to-csv-metadata and all";

fn migration(level: &str) -> Option<Migration> {
    match level {
        "" | "none" => Some(Migration::None),
        "bundle-object-to-csv-metadata" | "all" => Some(Migration::BundleObjectToCsvMetadata),
        _ => None,
    }
}

/// All bundles that are not known, where one is the reason.
fn missing(refused: &Refused, text: &[u8], known: &dyn fbc::template::render::Bundles, options: Options) -> String {
    if refused.missing.is_empty() {
        return String::new();
    }
    let missing = match render(text, known, options) {
        Ok(rendered) => rendered.missing,
        Err(again) => again.missing,
    };
    format!("--bundles names where bundles are; not known: {}", missing.join(", "))
}

fn converted(args: &ConvertArgs) -> CliResult {
    let files = files(&args.catalog)?;
    let template = match args.kind {
        ConvertKind::Basic => convert::basic(&files),
        ConvertKind::Substitutes => convert::substitutes(&files),
        ConvertKind::Semver => {
            let blobs = bundle::read_catalog(&files).map_err(|refusal| CliError::new(refusal.message))?;
            match convert::semver(&blobs) {
                Ok(semver) => {
                    semver.remarks.iter().for_each(|remark| output::note(remark));
                    Ok(semver.template)
                }
                Err(differences) => {
                    let list: String = differences.iter().map(|line| format!("\n  {line}")).collect();
                    let words = format!("no semver template makes this catalog:{list}");
                    return Ok(refuse(&words, "convert it to a basic template, which can say every graph"));
                }
            }
        }
    };
    let template = match template {
        Ok(template) => template,
        Err(words) => return Ok(refuse(&words, "")),
    };
    let text = match args.format {
        Data::Json => convert::to_json(&template),
        Data::Yaml => convert::to_yaml(&template),
    };
    output::raw(text.as_bytes())?;
    Ok(0)
}

/// Says `opm`'s words as they are, in all their lines.
fn refuse(words: &str, help: &str) -> u8 {
    output::say(&format!("error: {words}"));
    if !help.is_empty() {
        output::note(&format!("help: {help}"));
    }
    error::COULD_NOT_RUN
}

/// The text of a file, or what comes on standard input.
fn read(path: &Path) -> Result<Vec<u8>, CliError> {
    let mut text = Vec::new();
    let read = match standard_input::is_meant(path) {
        true => std::io::stdin().lock().read_to_end(&mut text).map(drop),
        false => std::fs::read(path).map(|bytes| text = bytes),
    };
    let name = path.display();
    read.map_err(|error| CliError::new(format!("unable to open \"{name}\": {}", walk::words(&error))))?;
    Ok(text)
}

/// The files of a catalog that count, in walk order.
fn files(path: &Path) -> Result<Vec<File>, CliError> {
    if !path.is_dir() {
        return Ok(vec![File { path: path.display().to_string(), bytes: read(path)? }]);
    }
    let found = walk::walk(path)?;
    let mut rules = IgnoreRules::default();
    let is_rules = |path: &str| path.rsplit('/').next() == Some(FILE_NAME);
    for file in found.iter().filter(|file| is_rules(&file.path)) {
        let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let _ = rules.add(folder, &read(&file.on_disk)?);
    }
    let counts = found.iter().filter(|file| !is_rules(&file.path) && !rules.ignores(&file.path));
    counts.map(|file| Ok(File { path: file.path.clone(), bytes: read(&file.on_disk)? })).collect()
}
