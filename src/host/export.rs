//! Exports the session as archives (in the format it was opened from, else zip), a patch, commands, operations or a
//! single file. Names in archives and patches, and folders in commands, are relative to the dropped folder.

use crate::views::{lanes, package, subset};
use catalog::archive::Packing;
use catalog::graph::PackageGraph;
use catalog::graph::export::{
    MermaidOptions, Names, TooManyEdges, check_edges, dot, json, mermaid, svg,
};
use catalog::graph::layout::{LayoutRequest, layout};
use flate2::Compression;
use flate2::write::GzEncoder;
use protocol::request::{Export, GraphFormat, LaneOptions};
use protocol::response::Exported;
use session::{Refused, Session};
use std::io::{Cursor, Write};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

pub(super) fn export(
    session: &Session,
    what: &Export,
    packing: Packing,
) -> Result<Exported, Refused> {
    let name = name(session);
    let (name, mime, bytes) = match what {
        Export::Changed => (
            format!("{name}-changed.zip"),
            "application/zip",
            zip(session, session.files().changed_paths())?,
        ),
        Export::All => match packing {
            Packing::Zip => (
                format!("{name}.zip"),
                "application/zip",
                zip(session, session.files().paths())?,
            ),
            Packing::Tar => (
                format!("{name}.tar"),
                "application/x-tar",
                tar(session, Vec::new())?,
            ),
            Packing::TarGz => {
                let gz = tar(session, GzEncoder::new(Vec::new(), Compression::default()))?;
                (
                    format!("{name}.tar.gz"),
                    "application/gzip",
                    gz.finish().map_err(|error| unwritten(&error))?,
                )
            }
        },
        Export::Patch => (
            format!("{name}.patch"),
            "text/x-diff",
            session.changes().patch()?,
        ),
        Export::PatchOf {
            files,
            message,
            name,
        } => {
            let patch = session
                .changes()
                .patch_of(|path| files.iter().any(|file| file == path))?;
            let text = [message.trim_end().as_bytes(), b"\n\n", &patch].concat();
            (name.clone(), "text/x-diff", text)
        }
        Export::Commands => (
            "commands.sh".to_owned(),
            "text/x-shellscript",
            lines(session.changes().commands()),
        ),
        Export::Operations => {
            let ops = session.changes().operations().into_iter();
            let json = ops
                .map(serde_json::to_string)
                .collect::<Result<Vec<_>, _>>();
            let json = json.map_err(|error| {
                Refused::new(format!("an operation cannot be written: {error}"))
            })?;
            (
                "operations.jsonl".to_owned(),
                "application/x-ndjson",
                lines(json),
            )
        }
        Export::File { path } => {
            let name = path.rsplit('/').next().unwrap_or(path).to_owned();
            (
                name,
                "application/octet-stream",
                session.files().bytes(path)?,
            )
        }
        Export::Subset(wanted) => {
            let files = subset::files(session, wanted)?;
            let files = files
                .iter()
                .map(|(path, bytes)| (path.as_str(), bytes.as_slice()));
            (
                format!("{}.zip", wanted.name),
                "application/zip",
                zip_of(files.map(Ok))?,
            )
        }
        Export::Dockerfile { root } => {
            let root = subset::catalog(session, root)?;
            let folder = match root.label() {
                "" => "catalog",
                label => label,
            };
            (
                format!("{folder}.Dockerfile"),
                "text/plain",
                subset::dockerfile(folder).into_bytes(),
            )
        }
        Export::Graph {
            root,
            package,
            lanes,
            format,
        } => graph(session, root, package, lanes, *format)?,
        Export::AtFirst { path } => {
            let gone = || Refused::new(format!("`{path}` did not exist before the edits"));
            (
                path.clone(),
                "application/octet-stream",
                session
                    .changes()
                    .bytes_before_history(path)?
                    .ok_or_else(gone)?,
            )
        }
    };
    Ok(Exported {
        name,
        mime: mime.to_owned(),
        bytes,
    })
}

fn graph(
    session: &Session,
    root: &str,
    package: &str,
    lanes: &LaneOptions,
    format: GraphFormat,
) -> Result<(String, &'static str, Vec<u8>), Refused> {
    let exported = package::find(session.root(Some(root))?, package)?;
    let graph = || PackageGraph::build(exported);
    let drawn = || {
        let graph = graph();
        check_edges([&graph])
            .map(|()| graph)
            .map_err(|error| Refused::new(error.to_string()).help(TooManyEdges::HELP))
    };
    let (ending, mime, text) = match format {
        GraphFormat::Svg => {
            // The image is exported without a selection.
            let request = LayoutRequest {
                selected: None,
                ..lanes::request(lanes)
            };
            let graph = graph();
            (
                "svg",
                "image/svg+xml",
                svg(&graph, &layout(&graph, &request)),
            )
        }
        GraphFormat::Mermaid => {
            drawn()?;
            let options = MermaidOptions {
                package: Some(package),
                classic: true,
                names: Names::Escaped,
            };
            ("mmd", "text/plain", mermaid(&[&**exported], options).text)
        }
        GraphFormat::Dot => ("dot", "text/vnd.graphviz", dot(&[drawn()?])),
        GraphFormat::Json => (
            "json",
            "application/json",
            format!("{:#}\n", json(&[graph()])),
        ),
    };
    Ok((
        format!("{}.{ending}", package.replace(['/', '\\'], "-")),
        mime,
        text.into_bytes(),
    ))
}

/// Returns a file name derived from the folder that contains all files.
fn name(session: &Session) -> String {
    let mut tops = session
        .files()
        .paths()
        .map(|path| path.split_once('/').map_or("", |(top, _)| top));
    match tops.next() {
        Some(top) if !top.is_empty() && tops.all(|other| other == top) => top.to_owned(),
        _ => "catalogs".to_owned(),
    }
}

fn zip<'a>(
    session: &'a Session,
    paths: impl IntoIterator<Item = &'a str>,
) -> Result<Vec<u8>, Refused> {
    zip_of(paths.into_iter().map(|path| {
        Ok((
            session.changes().relative_to_opened(path),
            session.files().bytes(path)?,
        ))
    }))
}

/// Packs files into a zip without dates, so that equal edits give equal bytes.
fn zip_of<P: AsRef<str>, B: AsRef<[u8]>>(
    files: impl IntoIterator<Item = Result<(P, B), Refused>>,
) -> Result<Vec<u8>, Refused> {
    let failed =
        |error: &dyn std::fmt::Display| Refused::new(format!("the zip cannot be written: {error}"));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for file in files {
        let (path, bytes) = file?;
        let bytes = bytes.as_ref();
        let options = options.large_file(u32::try_from(bytes.len()).is_err());
        zip.start_file(path.as_ref(), options)
            .map_err(|error| failed(&error))?;
        zip.write_all(bytes).map_err(|error| failed(&error))?;
    }
    Ok(zip.finish().map_err(|error| failed(&error))?.into_inner())
}

/// Packs all files without dates and owners, so that equal edits give equal bytes.
fn tar<W: Write>(session: &Session, into: W) -> Result<W, Refused> {
    let mut tar = tar::Builder::new(into);
    for path in session.files().paths() {
        let bytes = session.files().bytes(path)?;
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        let written = tar.append_data(
            &mut header,
            session.changes().relative_to_opened(path).as_ref(),
            bytes.as_slice(),
        );
        written.map_err(|error| unwritten(&error))?;
    }
    tar.into_inner().map_err(|error| unwritten(&error))
}

fn unwritten(error: &std::io::Error) -> Refused {
    Refused::new(format!("the archive cannot be written: {error}"))
}

fn lines(lines: Vec<String>) -> Vec<u8> {
    lines
        .into_iter()
        .flat_map(|line| [line, "\n".to_owned()])
        .collect::<String>()
        .into_bytes()
}
