//! Opens the catalogs of a command. A template is rendered to a catalog with one file.

use crate::error::CliError;
use crate::input::disk::Disk;
use crate::input::standard_input;
use crate::input::template_bundles::BundlesArgs;
use crate::input::walk;
use crate::output;
use fbc::bundle;
use fbc::index::index_bytes;
use fbc::template;
use fbc::template::fault::TemplateFault;
use fbc::template::render::{Missing, Options, render};
use std::path::Path;

/// Like [`open`], but no bundle may be missing; `None` if the file is not a template.
pub(crate) fn open_catalog(path: &Path, bundles: &BundlesArgs) -> Result<Option<Disk>, CliError> {
    let is_other_file =
        path.is_file() && !standard_input::is_dash(path) && !is_template(&read(path)?);
    if is_other_file {
        Ok(None)
    } else {
        open(path, bundles, false).map(Some)
    }
}

/// Opens a folder as one catalog, or renders a template's file. With `partial`, unknown bundles are reported and
/// skipped.
pub(crate) fn open(path: &Path, bundles: &BundlesArgs, partial: bool) -> Result<Disk, CliError> {
    if !path.is_file() {
        return Disk::open(path);
    }
    let name = path.display();
    let text = read(path)?;
    if !is_template(&text) {
        return Disk::open(path);
    }
    let known = bundles.read()?;
    let options = Options {
        missing: Missing::LeftOut,
        ..Options::default()
    };
    let rendered = render(&text, &known, options).map_err(|refused| {
        if let Some(fault) = TemplateFault::behind(&refused.message, &name.to_string(), &text) {
            let message = format!("{name} cannot be rendered: {}", fault.message);
            return CliError::new(message).at(fault.place()).hint(fault.help);
        }
        let hint = match refused.missing.is_empty() {
            true => String::new(),
            false => format!(
                "pass the bundles with --bundles; missing: {}",
                refused.missing.join(", ")
            ),
        };
        CliError::new(format!("{name}: {}", refused.message)).hint(hint)
    })?;
    if !rendered.missing.is_empty() {
        let missing = rendered.missing.join(", ");
        if !partial {
            return Err(CliError::new(format!(
                "{name} cannot be rendered: missing bundles: {missing}"
            ))
            .hint("--bundles names the catalogs or bundle folders that have them"));
        }
        output::note(&format!("{name}: left out missing bundles: {missing}"));
    }
    Ok(Disk::from_text(
        path,
        bundle::to_json(&rendered.blobs_in_order()).into_bytes(),
    ))
}

fn read(path: &Path) -> Result<Vec<u8>, CliError> {
    std::fs::read(path)
        .map_err(|error| CliError::new(format!("{}: {}", path.display(), walk::io_reason(&error))))
}

fn is_template(text: &[u8]) -> bool {
    template::template_of_file(&index_bytes(text)).is_some()
}
