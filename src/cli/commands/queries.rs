//! `switchyard list`, in the columns of `opm alpha list` (`opm-semantics` 6.4); `graph`, in formats of other tools; and
//! `range`: the versions that a range admits. Catalogs need not validate.

use crate::args::{DialectArg, GraphArgs, LensArg, ListArgs, ListWhat, RangeArgs};
use crate::error::{self, CliError, CliResult};
use crate::input::disk::{Disk, packages};
use crate::input::templates;
use crate::output::formats::{GraphFormat, TextOrData};
use crate::output::problems::Incomplete;
use crate::output::{self, table};
use ::catalog::graph::PackageGraph;
use ::catalog::graph::export::{
    MermaidOptions, Names, TooManyEdges, check_edges, dot, json, mermaid, svg,
};
use ::catalog::graph::layout::{LayoutRequest, layout};
use ::catalog::model::{ChannelBlob, FileId, Located, Package};
use ::catalog::version::Dialect;
use ::catalog::version::blang::Range;
use ::catalog::version::version_line::difference;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use upgrade::status_conditions::{ConditionType, Scope, message};

pub(super) fn list(args: &ListArgs) -> CliResult {
    let disk = templates::open(&args.dir, &args.known, args.partial.partial)?;
    let root = disk.root()?;
    let catalog = root.catalog();
    let incomplete = Incomplete::for_catalog(&disk.name(), catalog);
    let packages = packages(
        catalog,
        &args.packages.names(),
        |p: &Package| !p.packages.is_empty() || !p.channels.is_empty(),
        (&incomplete, args.partial.partial),
    )?;
    let mentioning = match &args.mentions {
        Some(text) if args.what == ListWhat::Bundles => Some(mentioning(&disk, &packages, text)?),
        Some(_) => {
            return Err(CliError::new("--mentions is for bundles")
                .hint("`switchyard list bundles DIR --mentions TEXT`"));
        }
        None => None,
    };
    let (header, rows): (&[(&str, &str)], Vec<Row>) = match args.what {
        ListWhat::Packages => (&PACKAGES, packages.iter().map(|p| package_row(p)).collect()),
        ListWhat::Channels => (
            &CHANNELS,
            packages.iter().flat_map(|p| channel_rows(p)).collect(),
        ),
        ListWhat::Bundles => (
            &BUNDLES,
            packages
                .iter()
                .flat_map(|p| bundle_rows(p, mentioning.as_ref()))
                .collect(),
        ),
    };
    match args.output.format {
        TextOrData::Data(form) => {
            let rows = rows.into_iter().map(|row| {
                let mut object: Map<_, _> = header
                    .iter()
                    .map(|(_, key)| (*key).to_owned())
                    .zip(row.cells)
                    .collect();
                if let Some((condition, message, _)) = row.deprecation {
                    let condition = json!({ "type": condition.as_str(), "message": message });
                    object.insert("conditions".to_owned(), json!([condition]));
                }
                Value::Object(object)
            });
            let mut answer = json!({ "format": output::FORMAT, "rows": rows.collect::<Vec<_>>() });
            incomplete.mark(&mut answer);
            output::print_data(form, &answer)?;
        }
        TextOrData::Text => {
            let names: Vec<&str> = header.iter().map(|(name, _)| *name).collect();
            let cells: Vec<Vec<String>> = rows
                .iter()
                .map(|row| row.cells.iter().map(cell).collect())
                .collect();
            output::print_text(&table(&names, &cells))?;
            output::print_reasons(
                "status conditions that users see",
                &deprecation_lines(&rows),
            )?;
        }
    }
    if !root.verdict().passed {
        output::print_note("this catalog fails opm validate; `switchyard validate` shows why");
    }
    Ok(incomplete.report(args.partial.partial, 0))
}

const PACKAGES: [(&str, &str); 3] = [
    ("NAME", "name"),
    ("DISPLAY NAME", "display_name"),
    ("DEFAULT CHANNEL", "default_channel"),
];
const CHANNELS: [(&str, &str); 3] = [
    ("PACKAGE", "package"),
    ("CHANNEL", "channel"),
    ("HEAD", "head"),
];
const BUNDLES: [(&str, &str); 7] = [
    ("PACKAGE", "package"),
    ("CHANNEL", "channel"),
    ("BUNDLE", "bundle"),
    ("REPLACES", "replaces"),
    ("SKIPS", "skips"),
    ("SKIP RANGE", "skip_range"),
    ("IMAGE", "image"),
];

/// A row, and the deprecation of the listed thing itself: users of a bundle see those of its channel and its package as
/// separate conditions.
struct Row {
    cells: Vec<Value>,
    /// The condition that it sets, the message, and the subject of the row.
    deprecation: Option<(ConditionType, String, String)>,
}

impl Row {
    fn new(package: &Package, scope: Scope<'_>, cells: Vec<Value>) -> Self {
        let about = match scope {
            Scope::Package => package.name.to_string(),
            Scope::Channel(name) => format!("{} {name}", package.name),
            Scope::Bundle(name) => name.to_owned(),
        };
        let deprecation =
            message(package, scope).map(|message| (scope.condition(), message.to_owned(), about));
        Self { cells, deprecation }
    }
}

/// Lists each condition once: a bundle has one row per channel.
fn deprecation_lines(rows: &[Row]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for (condition, message, about) in rows.iter().filter_map(|row| row.deprecation.as_ref()) {
        let line = format!("{} {about}: {message}", condition.as_str());
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines
}

fn package_row(package: &Package) -> Row {
    let default = package.default_channel();
    let head = package
        .channel(default)
        .and_then(|channel| head(package, channel));
    let display_name = head
        .and_then(|name| package.bundle(&name))
        .map_or("", |b| &*b.display_name);
    Row::new(
        package,
        Scope::Package,
        vec![json!(&*package.name), json!(display_name), json!(default)],
    )
}

fn channel_rows(package: &Package) -> Vec<Row> {
    sorted_channels(package)
        .into_iter()
        .map(|channel| {
            let name = channel.name.as_str();
            let cells = vec![
                json!(&*package.name),
                json!(name),
                json!(head(package, channel).unwrap_or_default()),
            ];
            Row::new(package, Scope::Channel(name), cells)
        })
        .collect()
}

/// Returns package and name of each bundle whose blob contains the text.
fn mentioning(
    disk: &Disk,
    packages: &[&Package],
    text: &str,
) -> Result<BTreeSet<(String, String)>, CliError> {
    let root = disk.root()?;
    let mut by_file: BTreeMap<FileId, Vec<(u32, &Package, &str)>> = BTreeMap::new();
    for package in packages {
        for bundle in &package.bundles {
            let blob = (bundle.index, *package, bundle.name.as_str());
            by_file.entry(bundle.file).or_default().push(blob);
        }
    }
    let mut found = BTreeSet::new();
    for (id, bundles) in by_file {
        let Some(file) = root.catalog().file(id) else {
            continue;
        };
        let bytes = disk.session.files().bytes(&root.full_path(&file.path))?;
        for (index, package, name) in bundles {
            let blob = file
                .index()
                .and_then(|file| file.blobs.get(index as usize))
                .and_then(|blob| bytes.get(blob.start as usize..blob.end as usize));
            if blob.is_some_and(|blob| String::from_utf8_lossy(blob).contains(text)) {
                found.insert((package.name.to_string(), name.to_owned()));
            }
        }
    }
    Ok(found)
}

/// Returns the rows of bundles. `only` holds package and name of the listed ones; `None` lists all.
fn bundle_rows(package: &Package, only: Option<&BTreeSet<(String, String)>>) -> Vec<Row> {
    let mut rows = Vec::new();
    for channel in sorted_channels(package) {
        let is_listed = |name: &str| {
            only.is_none_or(|only| only.contains(&(package.name.to_string(), name.to_owned())))
        };
        let mut entries: Vec<_> = channel
            .entries
            .iter()
            .filter(|entry| is_listed(entry.name.as_str()))
            .collect();
        entries.sort_by(|a, b| a.name.value.cmp(&b.name.value));
        for entry in entries {
            let skips: Vec<&str> = entry.skips.iter().map(|s| s.as_str()).collect();
            let cells = vec![
                json!(&*package.name),
                json!(channel.name.as_str()),
                json!(entry.name.as_str()),
                json!(entry.replaces.as_str()),
                json!(skips),
                json!(entry.skip_range.as_str()),
                json!(
                    package
                        .bundle(entry.name.as_str())
                        .map_or("", |b| b.image.as_str())
                ),
            ];
            rows.push(Row::new(package, Scope::Bundle(entry.name.as_str()), cells));
        }
    }
    rows
}

fn sorted_channels(package: &Package) -> Vec<&Located<ChannelBlob>> {
    let mut channels: Vec<_> = package.channels.iter().collect();
    channels.sort_by(|a, b| a.name.value.cmp(&b.name.value));
    channels
}

/// Returns the channel's head. Several heads are joined, because none of them is *the* head.
fn head(package: &Package, channel: &Located<ChannelBlob>) -> Option<String> {
    let graph = PackageGraph::build(package);
    let found = graph
        .channels
        .iter()
        .find(|c| c.blob.file == channel.file && c.blob.index == channel.index)?;
    let names: Vec<&str> = found
        .heads
        .iter()
        .map(|&node| graph.name_at(found, node))
        .collect();
    Some(names.join(","))
}

fn cell(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items
            .iter()
            .filter_map(Value::as_str)
            .collect::<Vec<_>>()
            .join(","),
        other => other.to_string(),
    }
}

pub(super) fn graph(args: &GraphArgs) -> CliResult {
    let disk = templates::open(&args.dir, &args.known, args.partial.partial)?;
    let catalog = disk.root()?.catalog();
    let incomplete = Incomplete::for_catalog(&disk.name(), catalog);
    let names = args.packages.names();
    let packages = packages(
        catalog,
        &names,
        |p| !p.channels.is_empty(),
        (&incomplete, args.partial.partial),
    )?;
    let only = match names[..] {
        [name] => Some(name),
        _ => None,
    };
    let graphs = || {
        packages
            .iter()
            .map(|p| PackageGraph::build(p))
            .collect::<Vec<_>>()
    };
    let drawn = || {
        let graphs = graphs();
        check_edges(&graphs)
            .map(|()| graphs)
            .map_err(|error| CliError::new(error.to_string()).hint(TooManyEdges::HELP))
    };
    match args.format {
        GraphFormat::Mermaid | GraphFormat::OpmMermaid => {
            drawn()?;
            let names = if args.format == GraphFormat::Mermaid {
                Names::Escaped
            } else {
                Names::AsTheyAre
            };
            let drawn = mermaid(
                &packages,
                MermaidOptions {
                    package: only,
                    classic: true,
                    names,
                },
            );
            if drawn.odd_names > 0 {
                output::print_note(match names {
                    Names::Escaped => {
                        "some names contain Mermaid syntax and are escaped; `--format opm-mermaid` writes them as opm does"
                    }
                    Names::AsTheyAre => {
                        "some names contain Mermaid syntax, which a viewer may graph; `--format mermaid` escapes them"
                    }
                });
            }
            drawn.warnings.iter().for_each(|w| output::print_note(w));
            output::print_raw(drawn.text.as_bytes())?;
        }
        GraphFormat::Dot => output::print_raw(dot(&drawn()?).as_bytes())?,
        GraphFormat::Data(form) => {
            let mut answer = json(&graphs());
            incomplete.mark(&mut answer);
            output::print_data(form, &answer)?;
        }
        GraphFormat::Svg => match graphs().as_slice() {
            [graph] => {
                output::print_raw(svg(graph, &layout(graph, &LayoutRequest::default())).as_bytes())?
            }
            _ => {
                return Err(CliError::new("an SVG can show only one package")
                    .hint("name the package after DIR"));
            }
        },
    }
    Ok(incomplete.report(args.partial.partial, 0))
}

pub(super) fn range(args: &RangeArgs) -> CliResult {
    let dialect = match (args.dialect, args.lens) {
        (Some(DialectArg::Blang), _) | (None, LensArg::V0) => Dialect::Blang,
        (Some(DialectArg::Masterminds), _) | (None, LensArg::V1) => Dialect::Masterminds,
    };
    let parsed = dialect.parse(&args.range);
    let judged = match &parsed {
        Ok(range) => range.judge(args.versions.iter().map(String::as_str)),
        Err(_) => Vec::new(),
    };
    let expanded = parsed.as_ref().ok().map(|range| range.expand().to_string());
    let failure = parsed.as_ref().err().map(ToString::to_string);
    match args.output.format {
        TextOrData::Data(form) => {
            let versions: Map<String, Value> = judged
                .iter()
                .map(|(version, admitted)| ((*version).to_owned(), json!(admitted)))
                .collect();
            let answer = json!({
                "format": output::FORMAT,
                "ok": failure.is_none(),
                "error": failure,
                "expanded": expanded,
                "versions": versions,
            });
            output::print_data(form, &answer)?;
        }
        TextOrData::Text => {
            if let Some(failure) = &failure {
                output::print_diagnostic(
                    "error",
                    failure,
                    None,
                    other_dialect(dialect, &args.range),
                );
            }
            if let Some(expanded) = expanded.as_ref().filter(|_| !output::is_quiet()) {
                let note = match is_impossible(dialect, &args.range) {
                    true => "; no version can satisfy it",
                    false => "",
                };
                output::print_text(&format!("{} is {expanded}{note}\n", args.range))?;
            }
            let rows: Vec<_> = judged
                .iter()
                .map(|(v, a)| vec![(*v).to_owned(), admitted_word(a).to_owned()])
                .collect();
            if !rows.is_empty() {
                output::print_text(&table(&["VERSION", "RANGE"], &rows))?;
            }
        }
    }
    let admits_none =
        !judged.is_empty() && !judged.iter().any(|(_, admitted)| *admitted == Some(true));
    Ok(if failure.is_some() || admits_none {
        error::FAILED
    } else {
        0
    })
}

fn admitted_word(admitted: &Option<bool>) -> &'static str {
    match admitted {
        Some(true) => "in",
        Some(false) => "out",
        None => "no version",
    }
}

/// Whether a skipRange excludes every version.
fn is_impossible(dialect: Dialect, text: &str) -> bool {
    let range = match dialect {
        Dialect::Blang => Range::parse(text).ok(),
        Dialect::Masterminds => None,
    };
    range.is_some_and(|range| difference(&range, None).is_empty())
}

/// Returns the remedy for a text that this dialect cannot parse, if the other dialect can; else "".
fn other_dialect(dialect: Dialect, range: &str) -> &'static str {
    match dialect {
        Dialect::Blang if Dialect::Masterminds.parse(range).is_ok() => {
            "it is a valid range of a ClusterExtension: use --lens v1"
        }
        Dialect::Masterminds if Dialect::Blang.parse(range).is_ok() => {
            "it is a valid skipRange: use --lens v0"
        }
        _ => "",
    }
}
