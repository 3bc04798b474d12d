//! `switchyard list`, in the columns of `opm alpha list` (`opm-semantics` 6.4); `graph`, in formats
//! of other tools; and `range`: the versions that a range admits. Catalogs need not validate.

use crate::args::{DialectArg, GraphArgs, LensArg, ListArgs, ListWhat, RangeArgs};
use crate::error::{self, CliError, CliResult};
use crate::input::disk::{Disk, packages};
use crate::input::templates;
use crate::output::formats::{GraphFormat, TextOrData};
use crate::output::problems::Incomplete;
use crate::output::{self, table};
use ::catalog::graph::PackageGraph;
use ::catalog::graph::export::{MermaidOptions, Names, check_edges, dot, json, mermaid, svg};
use ::catalog::graph::layout::{LayoutRequest, layout};
use ::catalog::model::{ChannelBlob, FileId, Located, Package};
use ::catalog::version::Dialect;
use ::catalog::version::blang::Range;
use ::catalog::version::version_line::difference;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use upgrade::status_conditions::{ConditionType, Scope, message};

/// A column of a list: its heading, and its key in data.
type Column = (&'static str, &'static str);

const PACKAGE_COLUMNS: [Column; 3] = [
    ("NAME", "name"),
    ("DISPLAY NAME", "display_name"),
    ("DEFAULT CHANNEL", "default_channel"),
];
const CHANNEL_COLUMNS: [Column; 3] = [
    ("PACKAGE", "package"),
    ("CHANNEL", "channel"),
    ("HEAD", "head"),
];
const BUNDLE_COLUMNS: [Column; 7] = [
    ("PACKAGE", "package"),
    ("CHANNEL", "channel"),
    ("BUNDLE", "bundle"),
    ("REPLACES", "replaces"),
    ("SKIPS", "skips"),
    ("SKIP RANGE", "skip_range"),
    ("IMAGE", "image"),
];

/// Package and name of bundles.
type BundleNames = BTreeSet<(String, String)>;

pub(super) fn list(args: &ListArgs) -> CliResult {
    let disk = templates::open(&args.dir, &args.known, args.partial.partial)?;
    let root = disk.root()?;
    let catalog = root.catalog();
    let incomplete = Incomplete::for_catalog(&disk.name(), catalog);
    let packages = packages(
        catalog,
        &args.packages.names(),
        |package| !package.packages.is_empty() || !package.channels.is_empty(),
        &incomplete,
        args.partial.partial,
    )?;
    let mentioning = match &args.mentions {
        Some(text) if args.what == ListWhat::Bundles => {
            Some(find_mentioning(&disk, &packages, text)?)
        }
        Some(_) => {
            return Err(CliError::new("--mentions is for bundles")
                .hint("`switchyard list bundles DIR --mentions TEXT`"));
        }
        None => None,
    };
    let packages = packages.into_iter();
    let (columns, rows): (&[Column], Vec<Row>) = match args.what {
        ListWhat::Packages => (&PACKAGE_COLUMNS, packages.map(package_row).collect()),
        ListWhat::Channels => (&CHANNEL_COLUMNS, packages.flat_map(channel_rows).collect()),
        ListWhat::Bundles => {
            let rows = packages.flat_map(|package| bundle_rows(package, mentioning.as_ref()));
            (&BUNDLE_COLUMNS, rows.collect())
        }
    };
    match args.output.format {
        TextOrData::Data(form) => {
            let rows: Vec<Value> = rows.into_iter().map(|row| row.into_json(columns)).collect();
            let mut answer = json!({ "format": output::FORMAT, "rows": rows });
            incomplete.mark(&mut answer);
            output::print_data(form, &answer)?;
        }
        TextOrData::Text => {
            let header: Vec<&str> = columns.iter().map(|(heading, _)| *heading).collect();
            let cells: Vec<Vec<String>> = rows
                .iter()
                .map(|row| row.cells.iter().map(cell_to_text).collect())
                .collect();
            output::print_text(&table(&header, &cells))?;
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

struct Row {
    cells: Vec<Value>,
    /// The deprecation of the listed object itself. Users of a bundle see those of its channel and
    /// its package as separate conditions.
    deprecation: Option<Deprecation>,
}

struct Deprecation {
    condition: ConditionType,
    message: String,
    /// The deprecated package, channel or bundle.
    subject: String,
}

impl Row {
    fn new(package: &Package, scope: Scope<'_>, cells: Vec<Value>) -> Self {
        let deprecation = message(package, scope).map(|message| Deprecation {
            condition: scope.condition(),
            message: message.to_owned(),
            subject: match scope {
                Scope::Package => package.name.to_string(),
                Scope::Channel(name) => format!("{} {name}", package.name),
                Scope::Bundle(name) => name.to_owned(),
            },
        });
        Self { cells, deprecation }
    }

    fn into_json(self, columns: &[Column]) -> Value {
        let keys = columns.iter().map(|(_, key)| (*key).to_owned());
        let mut object: Map<String, Value> = keys.zip(self.cells).collect();
        if let Some(Deprecation {
            condition, message, ..
        }) = self.deprecation
        {
            let condition = json!({ "type": condition.as_str(), "message": message });
            object.insert("conditions".to_owned(), json!([condition]));
        }
        Value::Object(object)
    }
}

/// Lists each condition once: a bundle has one row per channel.
fn deprecation_lines(rows: &[Row]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for deprecation in rows.iter().filter_map(|row| row.deprecation.as_ref()) {
        let line = format!(
            "{} {}: {}",
            deprecation.condition.as_str(),
            deprecation.subject,
            deprecation.message
        );
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
        .and_then(|channel| joined_heads(package, channel));
    let display_name = head
        .and_then(|name| package.bundle(&name))
        .map_or("", |bundle| &*bundle.display_name);
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
                json!(joined_heads(package, channel).unwrap_or_default()),
            ];
            Row::new(package, Scope::Channel(name), cells)
        })
        .collect()
}

/// Finds the bundles whose blob contains the text.
fn find_mentioning(
    disk: &Disk,
    packages: &[&Package],
    text: &str,
) -> Result<BundleNames, CliError> {
    let root = disk.root()?;
    let mut by_file: BTreeMap<FileId, Vec<(u32, &Package, &str)>> = BTreeMap::new();
    for package in packages {
        for bundle in &package.bundles {
            let blob = (bundle.index, *package, bundle.name.as_str());
            by_file.entry(bundle.file).or_default().push(blob);
        }
    }
    let mut found = BundleNames::new();
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

/// Returns the rows of the selected bundles; `None` selects all.
fn bundle_rows(package: &Package, selected: Option<&BundleNames>) -> Vec<Row> {
    let mut rows = Vec::new();
    for channel in sorted_channels(package) {
        let is_listed = |name: &str| {
            selected.is_none_or(|bundles| {
                bundles.contains(&(package.name.to_string(), name.to_owned()))
            })
        };
        let mut entries: Vec<_> = channel
            .entries
            .iter()
            .filter(|entry| is_listed(entry.name.as_str()))
            .collect();
        entries.sort_by(|a, b| a.name.value.cmp(&b.name.value));
        for entry in entries {
            let skips: Vec<&str> = entry.skips.iter().map(|name| name.as_str()).collect();
            let bundle = package.bundle(entry.name.as_str());
            let cells = vec![
                json!(&*package.name),
                json!(channel.name.as_str()),
                json!(entry.name.as_str()),
                json!(entry.replaces.as_str()),
                json!(skips),
                json!(entry.skip_range.as_str()),
                json!(bundle.map_or("", |bundle| bundle.image.as_str())),
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

fn joined_heads(package: &Package, channel: &Located<ChannelBlob>) -> Option<String> {
    let graph = PackageGraph::build(package);
    let channel = graph
        .channels
        .iter()
        .find(|other| other.blob.file == channel.file && other.blob.index == channel.index)?;
    let names: Vec<&str> = channel
        .heads
        .iter()
        .map(|&node| graph.name_at(channel, node))
        .collect();
    Some(names.join(","))
}

fn cell_to_text(value: &Value) -> String {
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
        |package| !package.channels.is_empty(),
        &incomplete,
        args.partial.partial,
    )?;
    let graphs: Vec<PackageGraph> = packages
        .iter()
        .map(|package| PackageGraph::build(package))
        .collect();
    match args.format {
        GraphFormat::Mermaid | GraphFormat::OpmMermaid => {
            check_edges(&graphs)?;
            let only_package = match names[..] {
                [name] => Some(name),
                _ => None,
            };
            print_mermaid(&packages, only_package, args.format)?;
        }
        GraphFormat::Dot => {
            check_edges(&graphs)?;
            output::print_raw(dot(&graphs).as_bytes())?;
        }
        GraphFormat::Data(form) => {
            let mut answer = json(&graphs);
            incomplete.mark(&mut answer);
            output::print_data(form, &answer)?;
        }
        GraphFormat::Svg => match graphs.as_slice() {
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

fn print_mermaid(
    packages: &[&Package],
    only_package: Option<&str>,
    format: GraphFormat,
) -> Result<(), CliError> {
    let names = if format == GraphFormat::Mermaid {
        Names::Escaped
    } else {
        Names::AsTheyAre
    };
    let options = MermaidOptions {
        package: only_package,
        classic: true,
        names,
    };
    let graph = mermaid(packages, options);
    if graph.odd_names > 0 {
        output::print_note(match names {
            Names::Escaped => {
                "some names contain Mermaid syntax and are escaped; `--format opm-mermaid` writes them as opm does"
            }
            Names::AsTheyAre => {
                "some names contain Mermaid syntax, which a viewer may graph; `--format mermaid` escapes them"
            }
        });
    }
    for warning in &graph.warnings {
        output::print_note(warning);
    }
    output::print_raw(graph.text.as_bytes())
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
                    other_dialect_hint(dialect, &args.range),
                );
            }
            if let Some(expanded) = expanded.as_ref().filter(|_| !output::is_quiet()) {
                let note = if is_impossible(dialect, &args.range) {
                    "; no version can satisfy it"
                } else {
                    ""
                };
                output::print_text(&format!("{} is {expanded}{note}\n", args.range))?;
            }
            let rows: Vec<Vec<String>> = judged
                .iter()
                .map(|(version, admitted)| {
                    let admission = match admitted {
                        Some(true) => "in",
                        Some(false) => "out",
                        None => "no version",
                    };
                    vec![(*version).to_owned(), admission.to_owned()]
                })
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

/// Whether a skipRange excludes every version.
fn is_impossible(dialect: Dialect, text: &str) -> bool {
    let range = match dialect {
        Dialect::Blang => Range::parse(text).ok(),
        Dialect::Masterminds => None,
    };
    range.is_some_and(|range| difference(&range, None).is_empty())
}

/// Returns the remedy for a text that only the other dialect can parse; else `""`.
fn other_dialect_hint(dialect: Dialect, range: &str) -> &'static str {
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
