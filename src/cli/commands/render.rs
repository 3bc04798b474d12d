//! `render`, `init` and `generate`: the same output as `opm` from the same arguments; and
//! `template`: converts templates to catalogs and back.

use crate::args::BundlesArgs;
use crate::args::author::{
    ConvertArgs, ConvertKind, DockerfileArgs, InitArgs, RenderArgs, RenderFormat, TemplateCommand,
    TemplateRenderArgs,
};
use crate::error::{CliError, CliResult, io_reason};
use crate::input;
use crate::input::bundle_files::{self, CatalogFiles, Source};
use crate::input::config_file::clean;
use crate::output;
use crate::output::formats::Data;
use ::catalog::graph::export::Names;
use ::catalog::ignore::FILE_NAME;
use bundle::dockerfile::Dockerfile;
use bundle::{self, File, Image, Migration, NewPackage, Refusal, Remark};
use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use syntax::go_text::quote;
use template::convert;
use template::fault::TemplateFault;
use template::render::{Bundles, Missing, Options, Refused, TemplateType, complete_package, facts};

/// Go's error for a quote in a quoted field.
const MISPLACED_QUOTE: &str = "extraneous or missing \" in quoted-field";

pub(super) fn render(args: &RenderArgs) -> CliResult {
    let format = blob_format(&args.output)?;
    let level = if args.migrate {
        "all"
    } else {
        &args.migrate_level
    };
    let migration = Migration::from_level(level).map_err(|refusal| opm_refusal(refusal, None))?;
    let image = args.image_ref_template.as_deref().unwrap_or_default();
    let mut blobs = Vec::new();
    for reference in &args.references {
        let mut rendered = render_reference(reference, image)?;
        bundle::migrate(&mut rendered, migration)
            .map_err(|refusal| opm_refusal(refusal, Some(reference)))?;
        blobs.extend(rendered);
    }
    print_blobs(blobs, format)
}

/// Renders the blobs of a reference. `image` is the image of a bundle that is rendered from its
/// files, or a template for it.
pub(super) fn render_reference(reference: &Path, image: &str) -> Result<Vec<Value>, CliError> {
    let name = reference.display().to_string();
    let prefix = format!("render reference {}: ", quote(&name));
    let image = Image::from_text(image, &name);
    let source = bundle_files::read(reference).map_err(|mut error| {
        if let CliError::Message { message, .. } = &mut error {
            message.insert_str(0, &prefix);
        }
        error
    })?;
    let blobs = match source {
        Source::Bundle(files) => {
            for remark in bundle::advice(&files) {
                print_advice(remark, reference);
            }
            bundle::render(&files, image).map(|blob| vec![blob])
        }
        Source::Catalog(CatalogFiles { files, obstacle }) => {
            match (bundle::read_catalog(&files), obstacle) {
                (Ok(_), Some(obstacle)) => {
                    return Err(cli_error!("{prefix}{obstacle}"));
                }
                (blobs, _) => blobs,
            }
        }
    };
    blobs.map_err(|refusal| {
        opm_refusal(
            Refusal {
                message: format!("{prefix}{}", refusal.message),
                ..refusal
            },
            Some(reference),
        )
    })
}

/// Prints advice to standard error. It changes neither the output nor the exit status.
fn print_advice(remark: Remark, reference: &Path) {
    let location = location(remark.file, remark.line, Some(reference));
    output::print_diagnostic("advice", &remark.message, location.as_deref(), &remark.help);
}

/// Converts a refusal to an error in `opm`'s own wording, with its location.
pub(super) fn opm_refusal(refusal: Refusal, reference: Option<&Path>) -> CliError {
    let location = location(refusal.file, refusal.line, reference);
    let error = CliError::opm(refusal.message).hint(refusal.help);
    match location {
        Some(location) => error.at(location),
        None => error,
    }
}

/// Formats a location: a file of a reference, and the line in it.
fn location(file: Option<String>, line: Option<u32>, reference: Option<&Path>) -> Option<String> {
    let file = file.map(|file| match reference {
        Some(reference) if reference.is_dir() => reference.join(file).display().to_string(),
        Some(reference) => reference.display().to_string(),
        None => file,
    })?;
    Some(match line {
        Some(line) => format!("{file}:{line}"),
        None => file,
    })
}

/// Parses a format, with an error worded as in `opm`.
fn blob_format(name: &str) -> Result<Data, CliError> {
    match name {
        "json" => Ok(Data::Json),
        "yaml" => Ok(Data::Yaml),
        _ => Err(cli_error!(
            "invalid --output value {}, expected (json|yaml)",
            quote(name)
        )),
    }
}

fn print_blobs(blobs: Vec<Value>, format: Data) -> CliResult {
    let blobs = bundle::arrange(blobs);
    let text = match format {
        Data::Json => bundle::to_json(&blobs),
        Data::Yaml => bundle::to_yaml(&blobs),
    };
    output::print_raw(text.as_bytes())?;
    Ok(0)
}

pub(super) fn init(args: &InitArgs) -> CliResult {
    let name = only_argument(&args.name)?;
    let format = blob_format(&args.output)?;
    let description = read_option("description", args.description.as_ref())?;
    // Each invalid UTF-8 byte is replaced, as in Go.
    let description = description.map(|bytes| {
        bytes.utf8_chunks().fold(String::new(), |text, chunk| {
            text + chunk.valid() + &"\u{fffd}".repeat(chunk.invalid().len())
        })
    });
    let icon = read_option("icon", args.icon.as_ref())?;
    let package = NewPackage {
        name,
        default_channel: &args.default_channel,
        description: description.as_deref(),
        icon: icon.as_deref(),
    };
    let blob = bundle::package(&package).map_err(|refusal| opm_refusal(refusal, None))?;
    print_blobs(vec![blob], format)
}

/// Reads the file of an option, with an error worded as in `opm`.
fn read_option(option: &str, path: Option<&OsString>) -> Result<Option<Vec<u8>>, CliError> {
    let Some(path) = path.filter(|path| !path.is_empty()).map(Path::new) else {
        return Ok(None);
    };
    std::fs::read(path).map(Some).map_err(|error| {
        cli_error!(
            "open {option} file: open {}: {}",
            path.display(),
            io_reason(&error)
        )
    })
}

fn only_argument<T>(arguments: &[T]) -> Result<&T, CliError> {
    match arguments {
        [argument] => Ok(argument),
        _ => Err(cli_error!("accepts 1 arg(s), received {}", arguments.len())),
    }
}

pub(super) fn dockerfile(args: &DockerfileArgs) -> CliResult {
    // Cleaned as by Go's `path.Clean`.
    let mut dir = clean(only_argument(&args.dir)?);
    if dir.as_os_str().is_empty() {
        dir.push(".");
    }
    let default = bundle::dockerfile::DEFAULT_IMAGE;
    if args.builder_image == "scratch" {
        return Err(
            CliError::new("invalid builder image: \"scratch\"").hint("name an image that has opm")
        );
    }
    let labels = parse_labels(&args.extra_labels)?;
    let name = dir.file_name().map_or_else(
        || dir.display().to_string(),
        |name| name.to_string_lossy().into_owned(),
    );
    let parent = dir.parent().filter(|parent| !parent.as_os_str().is_empty());
    let file = parent
        .map_or_else(PathBuf::new, Path::to_path_buf)
        .join(format!("{name}.Dockerfile"));
    let display_dir = dir.display().to_string();
    if file.symlink_metadata().is_ok() {
        let path = quote(&file.display().to_string());
        return Err(cli_error!("path {path}: file already exists").hint("remove it first"));
    }
    let metadata = std::fs::metadata(&dir)
        .map_err(|error| cli_error!("stat {display_dir}: {}", io_reason(&error)))?;
    if !metadata.is_dir() {
        return Err(cli_error!(
            "provided root path {} is not a directory",
            quote(&display_dir)
        )
        .hint("name the folder of the catalog"));
    }
    let base = args.binary_image.as_ref().unwrap_or(&args.base_image);
    if base.is_empty() {
        return Err(CliError::new("base image is unset"));
    }
    let builder = match &args.binary_image {
        Some(image) if args.builder_image == default => image,
        _ => &args.builder_image,
    };
    let text = Dockerfile {
        folder: &name,
        builder,
        base,
        labels: &labels,
    }
    .text();
    std::fs::write(&file, text)?;
    Ok(0)
}

/// Parses labels in flag syntax: comma-separated lists of `key=value`, in which quotes protect a
/// comma.
fn parse_labels(flags: &[String]) -> Result<BTreeMap<String, String>, CliError> {
    let mut labels = BTreeMap::new();
    let mut pairs = Vec::new();
    for flag in flags {
        let flag_pairs = parse_csv_record(flag).map_err(|error| {
            let flag = quote(flag);
            let message =
                format!("invalid argument {flag} for \"-l, --extra-labels\" flag: {error}");
            CliError::new(message)
                .hint("put the whole label in quotes, and write each quote in it twice")
        })?;
        pairs.extend(flag_pairs);
    }
    for pair in pairs {
        let Some((key, value)) = pair.split_once('=') else {
            return Err(cli_error!("invalid label {}", quote(&pair)).hint("write it as key=value"));
        };
        labels.insert(key.to_owned(), value.to_owned());
    }
    Ok(labels)
}

/// Parses the first record of comma-separated values as Go's `encoding/csv` does. Its error lacks
/// the location.
fn parse_csv_record(text: &str) -> Result<Vec<String>, &'static str> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let text = text.replace("\r\n", "\n");
    let mut rest = text.trim_start_matches('\n');
    if rest.is_empty() {
        return Err("EOF");
    }
    let mut fields = Vec::new();
    loop {
        let mut field = String::new();
        match rest.strip_prefix('"') {
            None => {
                let end = rest.find([',', '\n']).unwrap_or(rest.len());
                let (plain, after) = rest.split_at(end);
                if plain.contains('"') {
                    return Err("bare \" in non-quoted-field");
                }
                field.push_str(plain);
                rest = after;
            }
            Some(mut quoted) => loop {
                let (text, after) = quoted.split_once('"').ok_or(MISPLACED_QUOTE)?;
                field.push_str(text);
                rest = after;
                // Two quotes mean one.
                let Some(more) = after.strip_prefix('"') else {
                    break;
                };
                field.push('"');
                quoted = more;
            },
        }
        fields.push(field);
        match rest.strip_prefix(',') {
            Some(more) => rest = more,
            None if rest.is_empty() || rest.starts_with('\n') => return Ok(fields),
            None => return Err(MISPLACED_QUOTE),
        }
    }
}

pub(super) fn template(command: &TemplateCommand) -> CliResult {
    match command {
        TemplateCommand::Render(args) => render_template(args),
        TemplateCommand::Convert(args) => convert(args),
    }
}

fn render_template(args: &TemplateRenderArgs) -> CliResult {
    let kind = args
        .kind()
        .as_deref()
        .map(TemplateType::from_name)
        .transpose()
        .map_err(CliError::opm)?;
    let level = args.migrate_level.as_deref().unwrap_or_default();
    let migration = Migration::from_level(level).map_err(|refusal| opm_refusal(refusal, None))?;
    let text = read_template(args.file())?;
    let known = args.known.read()?;
    let options = Options {
        kind,
        migration,
        missing: Missing::Refused,
    };
    let mut rendered = template::render::render(&text, &known, options).map_err(|refusal| {
        let hint = missing_bundles_hint(&refusal, &text, &known, options);
        let path = args.file().display().to_string();
        let fault =
            TemplateFault::from_error(&refusal.message, &path, &text).filter(|_| hint.is_empty());
        let hint = fault.map_or(hint, |fault| format!("{}: {}", fault.place(), fault.help));
        CliError::opm(refusal.message).hint(hint)
    })?;
    let is_semver = match kind {
        Some(kind) => kind == TemplateType::Semver,
        None => TemplateType::detect(&text).is_ok_and(|kind| kind == TemplateType::Semver),
    };
    if is_semver {
        for remark in complete_package(&mut rendered, &known) {
            output::print_note(&remark);
        }
    }
    match args.format {
        RenderFormat::Json => {
            output::print_raw(bundle::to_json(&rendered.blobs_in_order()).as_bytes())?
        }
        RenderFormat::Yaml => {
            output::print_raw(bundle::to_yaml(&rendered.blobs_in_order()).as_bytes())?
        }
        RenderFormat::Mermaid => {
            let graph = facts::drawing(&rendered.blobs, Names::AsTheyAre).map_err(CliError::opm)?;
            for warning in &graph.warnings {
                output::print_note(warning);
            }
            output::print_raw(graph.text.as_bytes())?;
        }
    }
    Ok(0)
}

/// Lists all missing bundles; `""` if the refusal has another reason.
fn missing_bundles_hint(
    refused: &Refused,
    text: &[u8],
    known: &dyn Bundles,
    options: Options,
) -> String {
    if refused.missing.is_empty() {
        return String::new();
    }
    let options = Options {
        missing: Missing::LeftOut,
        ..options
    };
    let missing = match template::render::render(text, known, options) {
        Ok(rendered) => rendered.missing,
        Err(refused) => refused.missing,
    };
    format!(
        "pass the bundles with --bundles; missing: {}",
        missing.join(", ")
    )
}

fn convert(args: &ConvertArgs) -> CliResult {
    let files = if args.known.is_empty() {
        read_catalog(&args.catalog)?
    } else {
        render_to_file(&args.catalog, &args.known)?
    };
    let template = match args.kind {
        ConvertKind::Basic => convert::basic(&files),
        ConvertKind::Substitutes => convert::substitutes(&files),
        ConvertKind::Semver => convert_to_semver(&files),
    };
    let template = template.map_err(CliError::opm)?;
    let text = match args.format {
        Data::Json => convert::to_json(&template),
        Data::Yaml => convert::to_yaml(&template),
    };
    output::print_raw(text.as_bytes())?;
    Ok(0)
}

fn convert_to_semver(files: &[File]) -> Result<Value, String> {
    let blobs = bundle::read_catalog(files).map_err(|refusal| refusal.message)?;
    match convert::semver(&blobs) {
        Ok(semver) => {
            for remark in &semver.remarks {
                output::print_note(remark);
            }
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

/// Reads a file or standard input, with an error worded as in `opm`.
fn read_template(path: &Path) -> Result<Vec<u8>, CliError> {
    input::read_any(path).map_err(|error| {
        let reason = io_reason(&error);
        cli_error!("unable to open \"{}\": {reason}", path.display())
    })
}

/// Renders a template and returns the catalog as a file.
fn render_to_file(path: &Path, known: &BundlesArgs) -> Result<Vec<File>, CliError> {
    let (text, known, options) = (read_template(path)?, known.read()?, Options::default());
    let rendered = template::render::render(&text, &known, options).map_err(|refusal| {
        let hint = missing_bundles_hint(&refusal, &text, &known, options);
        CliError::opm(refusal.message).hint(hint)
    })?;
    let bytes = bundle::to_json(&rendered.blobs_in_order()).into_bytes();
    Ok(vec![File {
        path: path.display().to_string(),
        bytes,
    }])
}

/// Reads the files of a catalog in walk order, without ignored ones.
fn read_catalog(path: &Path) -> Result<Vec<File>, CliError> {
    if !path.is_dir() {
        return Ok(vec![File {
            path: path.display().to_string(),
            bytes: read_template(path)?,
        }]);
    }
    let mut files = catalog_files(path, "bundle directory", "")?;
    files.retain(|file| file.path.rsplit('/').next() != Some(FILE_NAME));
    Ok(files)
}

/// Reads the files of a catalog. Refuses a bundle, which the message calls `noun`.
pub(super) fn catalog_files(path: &Path, noun: &str, hint: &str) -> Result<Vec<File>, CliError> {
    match bundle_files::read(path)? {
        Source::Catalog(catalog) => match catalog.obstacle {
            Some(obstacle) => Err(CliError::new(obstacle)),
            None => Ok(catalog.files),
        },
        Source::Bundle(_) => {
            Err(cli_error!("{} is a {noun}, not a catalog", path.display()).hint(hint))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{MISPLACED_QUOTE, parse_csv_record};

    #[test]
    fn labels_are_separated_by_commas() {
        let split =
            |text: &str| parse_csv_record(text).unwrap_or_else(|error| vec![error.to_owned()]);
        assert_eq!(split("a=1,b=x=y"), ["a=1", "b=x=y"]);
        assert_eq!(split("\"k=a,b\",c=2"), ["k=a,b", "c=2"]);
        assert_eq!(split("\"k=a\"\"b\""), ["k=a\"b"]);
        assert_eq!(split("a=1,"), ["a=1", ""]);
        assert_eq!(split("a=1\nb=2"), ["a=1"]);
        assert_eq!(split("\"a=1\nb=2\""), ["a=1\nb=2"]);
        assert_eq!(split(""), [""; 0]);
    }

    /// The errors are those of `opm` v1.74.0.
    #[test]
    fn quotes_inside_labels_are_refused() {
        for (text, error) in [
            ("a=\"b\"", "bare \" in non-quoted-field"),
            ("x=1,a=\"b\"", "bare \" in non-quoted-field"),
            ("\"a\"=b", MISPLACED_QUOTE),
            ("\"a=b", MISPLACED_QUOTE),
            ("\n", "EOF"),
        ] {
            assert_eq!(parse_csv_record(text), Err(error), "{text}");
        }
    }
}
