//! `switchyard list`: packages, channels, bundles, in the columns of `opm alpha list` (`opm-semantics` 6.4). A catalog
//! that does not validate is listed all the same.

use super::packages;
use crate::args::{ListArgs, ListWhat};
use crate::error::CliResult;
use crate::formats::TextOrData;
use crate::incomplete::Incomplete;
use crate::output;
use crate::rendered;
use crate::table::table;
use fbc::graph::PackageGraph;
use fbc::model::{ChannelBlob, Located, Package};
use serde_json::{Map, Value, json};

pub(super) fn run(args: &ListArgs) -> CliResult {
    let disk = rendered::open(&args.dir, &args.known, args.partial.partial)?;
    let root = disk.root()?;
    let catalog = root.catalog();
    let incomplete = Incomplete::of(&disk.name(), catalog);
    let is_listed = |p: &Package| !p.packages.is_empty() || !p.channels.is_empty();
    let packages = packages(catalog, &args.packages.names(), is_listed, (&incomplete, args.partial))?;
    let (header, rows): (&[(&str, &str)], Vec<Vec<Value>>) = match args.what {
        ListWhat::Packages => (&PACKAGES, packages.iter().map(|p| package_row(p)).collect()),
        ListWhat::Channels => (&CHANNELS, packages.iter().flat_map(|p| channel_rows(p)).collect()),
        ListWhat::Bundles => (&BUNDLES, packages.iter().flat_map(|p| bundle_rows(p)).collect()),
    };
    match args.format {
        TextOrData::Data(form) => {
            let rows = rows.into_iter().map(|row| {
                let cells = header.iter().map(|(_, key)| (*key).to_owned()).zip(row);
                Value::Object(cells.collect::<Map<_, _>>())
            });
            let mut answer = json!({ "format": output::FORMAT, "rows": rows.collect::<Vec<_>>() });
            incomplete.mark(&mut answer);
            output::data(form, &answer)?;
        }
        TextOrData::Text => {
            let names: Vec<&str> = header.iter().map(|(name, _)| *name).collect();
            let rows: Vec<Vec<String>> = rows.iter().map(|row| row.iter().map(cell).collect()).collect();
            output::text(&table(&names, &rows))?;
        }
    }
    if !root.verdict().passed {
        output::note("this catalog does not pass opm validate; `switchyard validate` says why");
    }
    Ok(incomplete.tell(args.partial, 0))
}

const PACKAGES: [(&str, &str); 3] =
    [("NAME", "name"), ("DISPLAY NAME", "display_name"), ("DEFAULT CHANNEL", "default_channel")];
const CHANNELS: [(&str, &str); 3] = [("PACKAGE", "package"), ("CHANNEL", "channel"), ("HEAD", "head")];
const BUNDLES: [(&str, &str); 7] = [
    ("PACKAGE", "package"),
    ("CHANNEL", "channel"),
    ("BUNDLE", "bundle"),
    ("REPLACES", "replaces"),
    ("SKIPS", "skips"),
    ("SKIP RANGE", "skip_range"),
    ("IMAGE", "image"),
];

fn package_row(package: &Package) -> Vec<Value> {
    let default = package.default_channel();
    let head = package.channel(default).and_then(|channel| head(package, channel));
    let display_name = head.and_then(|name| package.bundle(&name)).map_or("", |b| &*b.display_name);
    vec![json!(&*package.name), json!(display_name), json!(default)]
}

fn channel_rows(package: &Package) -> Vec<Vec<Value>> {
    sorted(package)
        .into_iter()
        .map(|channel| {
            vec![json!(&*package.name), json!(channel.name.as_str()), json!(head(package, channel).unwrap_or_default())]
        })
        .collect()
}

fn bundle_rows(package: &Package) -> Vec<Vec<Value>> {
    let mut rows = Vec::new();
    for channel in sorted(package) {
        let mut entries: Vec<_> = channel.entries.iter().collect();
        entries.sort_by(|a, b| a.name.value.cmp(&b.name.value));
        for entry in entries {
            let skips: Vec<&str> = entry.skips.iter().map(|s| s.as_str()).collect();
            rows.push(vec![
                json!(&*package.name),
                json!(channel.name.as_str()),
                json!(entry.name.as_str()),
                json!(entry.replaces.as_str()),
                json!(skips),
                json!(entry.skip_range.as_str()),
                json!(package.bundle(entry.name.as_str()).map_or("", |b| b.image.as_str())),
            ]);
        }
    }
    rows
}

fn sorted(package: &Package) -> Vec<&Located<ChannelBlob>> {
    let mut channels: Vec<_> = package.channels.iter().collect();
    channels.sort_by(|a, b| a.name.value.cmp(&b.name.value));
    channels
}

/// The channel's head; several are joined, as none of them is *the* head.
fn head(package: &Package, channel: &Located<ChannelBlob>) -> Option<String> {
    let graph = PackageGraph::build(package);
    let found = graph.channels.iter().find(|c| c.blob.file == channel.file && c.blob.index == channel.index)?;
    let names: Vec<&str> = found.heads.iter().map(|&node| graph.name_at(found, node)).collect();
    Some(names.join(","))
}

fn cell(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(","),
        other => other.to_string(),
    }
}
