//! The result of an edit as JSON, the diff of a template's rendered catalog, and remarks on
//! operations: stranded users, and differences between the catalog and a bundle's CSV.

use crate::commands::file_changes;
use crate::error::CliError;
use crate::input::disk::Disk;
use crate::output;
use crate::output::problems::format_location;
use ::catalog::Catalog;
use ::catalog::diff::{self, FilePatch};
use ::catalog::model::{ChannelBlob, Package};
use ::catalog::version::blang::Range;
use ::catalog::version::version_in_name;
use ::edit::add_bundles::CsvEdges;
use protocol::counting::count_of;
use protocol::diagnostic::{Diagnostic, Severity};
use protocol::operation::{ChangedReplaces, DanglingEdges, EditOp};
use serde::Serialize;
use serde_json::{Value, json};
use session::{Preview, Root};
use std::path::Path;

/// At most this many new warnings are printed.
const MAX_WARNINGS: usize = 3;

/// An edited catalog or template.
#[derive(Serialize)]
pub(super) struct Edited {
    /// As given on the command line.
    catalog: String,
    #[serde(rename = "changed")]
    is_changed: bool,
    /// `None` for a template with missing bundles.
    passed: Option<bool>,
    opm_message: Option<String>,
    summary: String,
    rendered: Option<Rendered>,
}

/// The rendered catalog of a template.
#[derive(Serialize)]
struct Rendered {
    missing: Vec<String>,
    refused: Option<String>,
    patch: String,
}

/// Whether a rendered catalog has all of its bundles, so that `opm` has a verdict on it.
pub(super) fn is_complete(root: &Root) -> bool {
    root.rendering()
        .is_none_or(|rendering| rendering.is_complete())
}

impl Edited {
    pub fn new(
        folder: &Path,
        disk: &Disk,
        preview: &Preview,
        is_changed: bool,
        summary: String,
    ) -> Result<Self, CliError> {
        let rendered = disk.rendered_root().and_then(|root| {
            let rendering = root.rendering()?;
            // The rendered catalog has no path on disk: derive one from the template's.
            let path = format!("{}.rendered", disk.template().unwrap_or_default());
            let files = preview.files.iter().filter(|file| file.is_rendered);
            let patches = files.map(|file| FilePatch {
                path: path.as_bytes(),
                is_new: false,
                hunks: &file.hunks,
            });
            Some(Rendered {
                missing: rendering
                    .missing
                    .iter()
                    .map(|missing| missing.reference.clone())
                    .collect(),
                refused: rendering.refused.clone(),
                patch: String::from_utf8_lossy(&diff::patch(&patches.collect::<Vec<_>>()))
                    .into_owned(),
            })
        });
        let validated = disk.rendered_root().map_or_else(|| disk.root(), Ok)?;
        let verdict = Some(validated)
            .filter(|root| is_complete(root) && !root.is_template())
            .map(Root::verdict);
        Ok(Self {
            catalog: folder.display().to_string(),
            is_changed,
            summary,
            passed: verdict.map(|verdict| verdict.passed),
            opm_message: verdict.and_then(|verdict| verdict.opm_message.clone()),
            rendered,
        })
    }

    /// Prints the diff of the rendered catalog separately from the template's patch, which is input
    /// for `git apply`.
    pub fn print_rendered(&self) {
        let Some(rendered) = &self.rendered else {
            return;
        };
        if let Some(refused) = &rendered.refused {
            output::print_extra(&format!("{} cannot be rendered: {refused}", self.catalog));
            return;
        }
        if !rendered.missing.is_empty() {
            let missing = rendered.missing.join(", ");
            output::print_note(&format!(
                "{}: left out missing bundles: {missing}",
                self.catalog
            ));
        }
        if !rendered.patch.is_empty() {
            output::print_extra(&format!("{} renders to:\n{}", self.catalog, rendered.patch));
        } else if self.is_changed {
            output::print_note(&format!("{} renders to the same catalog", self.catalog));
        }
    }
}

/// Returns the edited catalogs as JSON, with the changed files and their patch.
pub(super) fn to_json(edited: &[Edited], disks: &[Disk], written: bool) -> Result<Value, CliError> {
    Ok(json!({
        "format": output::FORMAT,
        "catalogs": edited,
        "files": file_changes::files(disks)?,
        "patch": String::from_utf8_lossy(&file_changes::patch(disks)?),
        "written": written,
    }))
}

/// A remark on an operation, and the remedy.
pub(super) struct Remark {
    pub message: String,
    pub help: String,
}

/// Prints the first warnings that an edit causes. Errors are part of its summary.
pub(super) fn print_new_warnings(gained: &[Diagnostic], catalog: &str) {
    let warnings: Vec<&Diagnostic> = gained
        .iter()
        .filter(|problem| problem.severity == Severity::Warning)
        .collect();
    for problem in warnings.iter().take(MAX_WARNINGS) {
        let kind = format!("new warning[{}]", problem.rule);
        let message = format!("{catalog}{}", problem.message);
        let location =
            (!problem.location.file.is_empty()).then(|| format_location(&problem.location));
        output::print_diagnostic(&kind, &message, location.as_deref(), &problem.help);
    }
    let more = warnings.len().saturating_sub(MAX_WARNINGS);
    if more > 0 {
        let more = count_of(more, "more new warning");
        output::print_note(&format!(
            "{catalog}{more}; `switchyard validate` lists them"
        ));
    }
}

/// Collects remarks on operations that changed the catalog `before` to `after`.
pub(super) fn remarks(ops: &[EditOp], before: &Catalog, after: &Catalog) -> Vec<Remark> {
    let mut remarks = Vec::new();
    for op in ops {
        let package = op.package().unwrap_or_default();
        let (Some(before), Some(after)) = (before.package(package), after.package(package)) else {
            continue;
        };
        match op {
            EditOp::AddBundle {
                bundle,
                blob: Some(blob),
                ..
            } => add_csv_remarks(&mut remarks, after, bundle, &CsvEdges::from_blob(blob)),
            EditOp::Substitute {
                bundle,
                by: Some(by),
                ..
            } => remarks.extend(substitution_remark(before, after, bundle, by)),
            EditOp::RenameBundle { bundle, to, .. } => {
                remarks.push(rename_remark(before, after, bundle, to));
            }
            EditOp::RemoveBundle { bundle, then, .. } => {
                remarks.extend(removal_remark(before, after, bundle, *then));
            }
            _ => {
                if let Some(ChangedReplaces {
                    entry,
                    replaces: Some(replaces),
                }) = op.changed_replaces()
                {
                    remarks.extend(unlisted_replaces_remark(
                        after,
                        entry.channel,
                        entry.name,
                        replaces,
                    ));
                }
            }
        }
    }
    remarks
}

fn substitution_remark(
    before: &Package,
    after: &Package,
    bundle: &str,
    by: &str,
) -> Option<Remark> {
    let channels = channels_without_update(before, after, bundle)?;
    Some(Remark {
        message: stranded_message(bundle, &channels),
        help: format!("`--skip-old` lets `{by}` skip it, so that they get `{by}`"),
    })
}

fn stranded_message(bundle: &str, channels: &str) -> String {
    format!(
        "users who have `{bundle}` installed get no update in {channels}: no entry names it any more"
    )
}

fn rename_remark(before: &Package, after: &Package, bundle: &str, to: &str) -> Remark {
    let mut message =
        format!("installed users and the CSV in the bundle's image keep the name `{bundle}`");
    let mut help = format!("rebuild the image with a CSV named `{to}`");
    if let Some(channels) = channels_without_update(before, after, bundle) {
        message.push_str(&format!(
            "; they get no update in {channels}, because no entry names it any more"
        ));
        help.insert_str(0, &format!("`--skip-old` lets `{to}` skip the old name; "));
    }
    Remark { message, help }
}

fn removal_remark(
    before: &Package,
    after: &Package,
    bundle: &str,
    then: DanglingEdges,
) -> Option<Remark> {
    let is_listed = before.channels.iter().any(|channel| lists(channel, bundle));
    if !is_listed || after.bundle(bundle).is_some() {
        return None;
    }
    let Some(channels) = channels_without_update(before, after, bundle) else {
        return (then == DanglingEdges::Skip).then(|| Remark {
            message: format!("users who have `{bundle}` installed keep an update"),
            help: "`--then relink` drops the name instead, and leaves them without one".to_owned(),
        });
    };
    let message = stranded_message(bundle, &channels);
    let help = match then {
        DanglingEdges::Relink => {
            "`--then skip` keeps their update, if an entry replaced it".to_owned()
        }
        DanglingEdges::Skip | DanglingEdges::Leave => {
            format!(
                "release a newer bundle there that skips it, or keep it and use `deprecate --bundle {bundle}`"
            )
        }
    };
    Some(Remark { message, help })
}

fn unlisted_replaces_remark(
    after: &Package,
    channel: &str,
    name: &str,
    replaces: &str,
) -> Option<Remark> {
    let channel = after.channels.iter().find(|c| c.name.as_str() == channel)?;
    (!lists(channel, replaces)).then(|| Remark {
        message: format!(
            "channel `{}` does not list `{replaces}`, which `{name}` replaces now",
            channel.name.value
        ),
        help: "users of that version get the update, but the channel leads nobody to it; add it with `promote`, or name \
               an entry of the channel"
            .to_owned(),
    })
}

fn add_csv_remarks(remarks: &mut Vec<Remark>, after: &Package, bundle: &str, csv: &CsvEdges) {
    for channel in &after.channels {
        for entry in channel.entries.iter().filter(|e| e.name.as_str() == bundle) {
            for difference in csv.differences(entry) {
                remarks.push(Remark {
                    message: format!("channel `{}`: {difference}", channel.name.value),
                    help: "only the channel's entry counts, not the CSV".to_owned(),
                });
            }
        }
    }
}

/// Names the channels that listed a bundle and no longer list, replace or skip it.
fn channels_without_update(before: &Package, after: &Package, bundle: &str) -> Option<String> {
    let names: Vec<String> = before
        .channels
        .iter()
        .filter(|channel| lists(channel, bundle))
        .filter(|channel| {
            let mut channels = after.channels.iter();
            let edited = channels.find(|edited| edited.name.value == channel.name.value);
            edited.is_some_and(|edited| !lists(edited, bundle) && !has_update(edited, bundle))
        })
        .map(|channel| format!("`{}`", channel.name.value))
        .collect();
    match names.as_slice() {
        [] => None,
        [name] => Some(format!("channel {name}")),
        names => Some(format!("channels {}", names.join(", "))),
    }
}

fn lists(channel: &ChannelBlob, bundle: &str) -> bool {
    channel.entries.iter().any(|e| e.name.as_str() == bundle)
}

/// Whether an entry replaces or skips the bundle, by name or by its version.
fn has_update(channel: &ChannelBlob, bundle: &str) -> bool {
    let version = version_in_name(bundle).map(|(_, version)| version);
    let is_in_range = |range: &str| match (&version, Range::parse(range)) {
        (Some(version), Ok(parsed)) => !range.is_empty() && parsed.contains(version),
        _ => false,
    };
    channel.entries.iter().any(|entry| {
        entry.replaces.as_str() == bundle
            || entry.skips.iter().any(|skip| skip.as_str() == bundle)
            || is_in_range(entry.skip_range.as_str())
    })
}
