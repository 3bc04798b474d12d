//! Checks the default channel in a bundle's annotations against the catalog in which the pipeline
//! tests the bundle.
//!
//! That catalog has the bundle in a single channel: one of `channels.v1`, in random order (`stable`
//! without the annotation). Its default channel is `channel.default.v1`, or else that channel. If
//! they differ, the catalog image cannot be built.

use super::ci::{Config, Setting};
use crate::repository::bundle_folder::Bundle;
use crate::repository::document::Kind;
use crate::repository::finding::Finding;
use crate::repository::python;
use std::collections::BTreeSet;

const CHANNELS: &str = "operators.operatorframework.io.bundle.channels.v1";
const DEFAULT: &str = "operators.operatorframework.io.bundle.channel.default.v1";

/// The channel of a bundle without channel annotations.
const WITHOUT_CHANNELS: &str = "stable";

/// Problems of the annotations. Other checks report unreadable files.
pub(super) fn remarks(bundle: &Bundle<'_>, config: &Config<'_>) -> Vec<Finding> {
    let is_enabled =
        matches!(config.fbc("enabled"), Ok(Setting::Value(value)) if python::is_true(value));
    if !is_enabled {
        return Vec::new();
    }
    let finding = bundle.with_annotations(|path, annotations| {
        let default = annotations.get(DEFAULT)?;
        // The pipeline turns null into the text `None`.
        let name = match default.kind() {
            Kind::Null => "None".to_owned(),
            _ => python::text(default).trim().to_owned(),
        };
        let channels: BTreeSet<String> = match annotations.get(CHANNELS) {
            Some(channels) => python::text(channels)
                .split(',')
                .map(|channel| channel.trim().to_owned())
                .collect(),
            None => BTreeSet::from([WITHOUT_CHANNELS.to_owned()]),
        };
        if name.is_empty() {
            return None;
        }
        let quoted = channels
            .iter()
            .map(|channel| format!("`{channel}`"))
            .collect::<Vec<_>>()
            .join(", ");
        let finding = if !channels.contains(&name) {
            let own = channels.first().map_or("", String::as_str);
            Finding::error(
                "default-channel-not-own",
                path,
                format!(
                    "the default channel `{name}` is not one of the bundle's channels ({quoted}): the pipeline tries the \
                     bundle in a catalog that has only these, so its default channel is missing and it cannot be built"
                ),
            )
            .help(format!(
                "write `{DEFAULT}: {own}`; the default channel of the package stays as the template has it"
            ))
        } else if channels.len() > 1 {
            Finding::warning(
                "default-channel-by-chance",
                path,
                format!(
                    "the bundle names several channels ({quoted}): the pipeline tries it in a catalog that has only one of \
                     them, in no fixed order, and that cannot be built unless it is the default channel `{name}`"
                ),
            )
            .help(format!(
                "write `{CHANNELS}: {name}`; the channels of a release are those in `release-config.yaml`"
            ))
        } else {
            return None;
        };
        Some(finding.on_line(default.line()))
    });
    finding.ok().flatten().flatten().into_iter().collect()
}
