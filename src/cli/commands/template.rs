//! `switchyard template`: converts templates to catalogs and back.

use crate::args::template::{ConvertArgs, ConvertKind, RenderArgs, RenderFormat, TemplateCommand};
use crate::error::{CliError, CliResult};
use crate::input::bundle_files::{self, Source};
use crate::input::template_bundles::BundlesArgs;
use crate::output;
use crate::output::formats::Data;
use crate::{input::standard_input, input::walk};
use fbc::bundle::{self, File, Migration};
use fbc::graph::export::Names;
use fbc::ignore::FILE_NAME;
use fbc::template::convert;
use fbc::template::fault::TemplateFault;
use fbc::template::render::{
    Bundles, Missing, Options, Refused, TemplateType, complete_package, facts, render,
};
use serde_json::Value;
use std::io::Read;
use std::path::Path;

pub(super) fn run(command: &TemplateCommand) -> CliResult {
    match command {
        TemplateCommand::Render(args) => render_template(args),
        TemplateCommand::Convert(args) => convert(args),
    }
}

fn render_template(args: &RenderArgs) -> CliResult {
    let kind = args
        .kind()
        .as_deref()
        .map(TemplateType::from_name)
        .transpose()
        .map_err(|message| refusal_error(message, String::new()))?;
    let level = args.migrate_level.as_deref().unwrap_or_default();
    let migration = Migration::from_level(level)
        .map_err(|refusal| refusal_error(refusal.message, refusal.help))?;
    let text = read(args.file())?;
    let known = args.known.read()?;
    let options = Options {
        kind,
        migration,
        missing: Missing::Refused,
    };
    let mut rendered = render(&text, &known, options).map_err(|refusal| {
        let hint = missing(
            &refusal,
            &text,
            &known,
            Options {
                missing: Missing::LeftOut,
                ..options
            },
        );
        let path = args.file().display().to_string();
        let fault =
            TemplateFault::behind(&refusal.message, &path, &text).filter(|_| hint.is_empty());
        let hint = fault.map_or(hint, |fault| format!("{}: {}", fault.place(), fault.help));
        refusal_error(refusal.message, hint)
    })?;
    let is_semver = match kind {
        Some(kind) => kind == TemplateType::Semver,
        None => TemplateType::detect(&text).is_ok_and(|kind| kind == TemplateType::Semver),
    };
    if is_semver {
        complete_package(&mut rendered, &known)
            .iter()
            .for_each(|remark| output::note(remark));
    }
    match args.format {
        RenderFormat::Json => output::raw(bundle::to_json(&rendered.blobs_in_order()).as_bytes())?,
        RenderFormat::Yaml => output::raw(bundle::to_yaml(&rendered.blobs_in_order()).as_bytes())?,
        RenderFormat::Mermaid => {
            let drawn = facts::drawing(&rendered.blobs, Names::AsTheyAre)
                .map_err(|message| refusal_error(message, String::new()))?;
            drawn
                .warnings
                .iter()
                .for_each(|warning| output::note(warning));
            output::raw(drawn.text.as_bytes())?;
        }
    }
    Ok(0)
}

/// All unknown bundles, if one is the reason for the refusal.
fn missing(refused: &Refused, text: &[u8], known: &dyn Bundles, options: Options) -> String {
    if refused.missing.is_empty() {
        return String::new();
    }
    let missing = match render(text, known, options) {
        Ok(rendered) => rendered.missing,
        Err(again) => again.missing,
    };
    format!(
        "pass the bundles with --bundles; missing: {}",
        missing.join(", ")
    )
}

fn convert(args: &ConvertArgs) -> CliResult {
    let files = match args.known.is_empty() {
        true => files(&args.catalog)?,
        false => rendered_files(&args.catalog, &args.known)?,
    };
    let template = match args.kind {
        ConvertKind::Basic => convert::basic(&files),
        ConvertKind::Substitutes => convert::substitutes(&files),
        ConvertKind::Semver => semver(&files),
    };
    let template = template.map_err(|message| refusal_error(message, String::new()))?;
    let text = match args.format {
        Data::Json => convert::to_json(&template),
        Data::Yaml => convert::to_yaml(&template),
    };
    output::raw(text.as_bytes())?;
    Ok(0)
}

fn semver(files: &[File]) -> Result<Value, String> {
    let blobs = bundle::read_catalog(files).map_err(|refusal| refusal.message)?;
    match convert::semver(&blobs) {
        Ok(semver) => {
            semver
                .remarks
                .iter()
                .for_each(|remark| output::note(remark));
            Ok(semver.template)
        }
        Err(differences) => {
            let list: String = differences
                .iter()
                .map(|line| format!("\n  {line}"))
                .collect();
            Err(format!("no semver template renders to this catalog:{list}"))
        }
    }
}

/// `opm`'s message with all its lines.
fn refusal_error(message: String, hint: String) -> CliError {
    CliError::OpmSays {
        message,
        place: None,
        hint,
    }
}

/// The text of a file or of standard input.
fn read(path: &Path) -> Result<Vec<u8>, CliError> {
    let mut text = Vec::new();
    let read = match standard_input::is_dash(path) {
        true => std::io::stdin().lock().read_to_end(&mut text).map(drop),
        false => std::fs::read(path).map(|bytes| text = bytes),
    };
    let name = path.display();
    read.map_err(|error| {
        CliError::new(format!(
            "unable to open \"{name}\": {}",
            walk::io_reason(&error)
        ))
    })?;
    Ok(text)
}

/// The rendered catalog of a template, as a file.
fn rendered_files(path: &Path, known: &BundlesArgs) -> Result<Vec<File>, CliError> {
    let (text, known, options) = (read(path)?, known.read()?, Options::default());
    let rendered = render(&text, &known, options).map_err(|refusal| {
        let hint = missing(
            &refusal,
            &text,
            &known,
            Options {
                missing: Missing::LeftOut,
                ..options
            },
        );
        refusal_error(refusal.message, hint)
    })?;
    let bytes = bundle::to_json(&rendered.blobs_in_order()).into_bytes();
    Ok(vec![File {
        path: path.display().to_string(),
        bytes,
    }])
}

/// The files of a catalog in walk order, without ignored ones.
fn files(path: &Path) -> Result<Vec<File>, CliError> {
    if !path.is_dir() {
        return Ok(vec![File {
            path: path.display().to_string(),
            bytes: read(path)?,
        }]);
    }
    match bundle_files::read(path)? {
        Source::Catalog(files, None) => Ok(files
            .into_iter()
            .filter(|file| file.path.rsplit('/').next() != Some(FILE_NAME))
            .collect()),
        Source::Catalog(_, Some(obstacle)) => Err(CliError::new(obstacle)),
        Source::Bundle(_) => Err(CliError::new(format!(
            "{} is a bundle directory, not a catalog",
            path.display()
        ))),
    }
}
