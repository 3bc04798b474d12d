//! Exports the session as an archive (in the format it was opened from, else zip), a patch,
//! commands, operations or a single file. Names in archives and patches, and folders in commands,
//! are relative to the dropped folder.

use crate::views::{lanes, package, subset};
use catalog::archive::Packing;
use catalog::graph::PackageGraph;
use catalog::graph::export::{
    MermaidOptions, Names, TooManyEdges, check_edges, dot, json, mermaid, svg,
};
use catalog::graph::layout::{LayoutRequest, layout};
use catalog::roots::name_of;
use edit::refused;
use flate2::Compression;
use flate2::write::GzEncoder;
use protocol::request::{Export, GraphFormat, LaneOptions};
use protocol::response::Exported;
use session::{Refused, Session};
use std::io::{Cursor, Write};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

const ZIP: &str = "application/zip";
const PATCH: &str = "text/x-diff";
const BINARY: &str = "application/octet-stream";

pub(super) fn export(
    session: &Session,
    export: &Export,
    packing: Packing,
) -> Result<Exported, Refused> {
    let folder = top_folder(session);
    match export {
        Export::Changed => {
            let bytes = zip(session, session.files().changed_paths())?;
            Ok(exported(format!("{folder}-changed.zip"), ZIP, bytes))
        }
        Export::All => export_all(session, &folder, packing),
        Export::Patch { message } => {
            let patch = session.changes().patch()?;
            Ok(patch_file(format!("{folder}.patch"), message, &patch))
        }
        Export::PatchOf {
            files,
            message,
            name,
        } => {
            let patch = session
                .changes()
                .patch_of(|path| files.iter().any(|file| file == path))?;
            Ok(patch_file(name.clone(), message, &patch))
        }
        Export::Commands => {
            let bytes = join_lines(session.changes().commands());
            Ok(exported("commands.sh", "text/x-shellscript", bytes))
        }
        Export::Operations => export_operations(session),
        Export::File { path } => {
            let name = path.rsplit('/').next().unwrap_or(path);
            Ok(exported(name, BINARY, session.files().bytes(path)?))
        }
        Export::Subset(subset) => {
            let files = subset::files(session, subset)?;
            let files = files
                .iter()
                .map(|(path, bytes)| Ok((path.as_str(), bytes.as_slice())));
            Ok(exported(
                format!("{}.zip", subset.name),
                ZIP,
                zip_files(files)?,
            ))
        }
        Export::Dockerfile { root } => {
            let folder = match name_of(&subset::catalog(session, root)?.name) {
                "" => "catalog",
                name => name,
            };
            let bytes = subset::dockerfile(folder).into_bytes();
            Ok(exported(
                format!("{folder}.Dockerfile"),
                "text/plain",
                bytes,
            ))
        }
        Export::Graph {
            root,
            package,
            lanes,
            format,
        } => export_graph(session, root, package, lanes, *format),
        Export::AtFirst { path } => {
            let bytes = session.changes().bytes_before_history(path)?;
            let bytes = bytes.ok_or_else(|| refused!("`{path}` did not exist before the edits"))?;
            Ok(exported(path, BINARY, bytes))
        }
    }
}

fn exported(name: impl Into<String>, mime: &str, bytes: Vec<u8>) -> Exported {
    Exported {
        name: name.into(),
        mime: mime.to_owned(),
        bytes,
    }
}

fn export_all(session: &Session, folder: &str, packing: Packing) -> Result<Exported, Refused> {
    Ok(match packing {
        Packing::Zip => exported(
            format!("{folder}.zip"),
            ZIP,
            zip(session, session.files().paths())?,
        ),
        Packing::Tar => exported(
            format!("{folder}.tar"),
            "application/x-tar",
            tar(session, Vec::new())?,
        ),
        Packing::TarGz => {
            let gz = tar(session, GzEncoder::new(Vec::new(), Compression::default()))?;
            let bytes = gz.finish().map_err(|error| archive_failure(&error))?;
            exported(format!("{folder}.tar.gz"), "application/gzip", bytes)
        }
    })
}

fn export_operations(session: &Session) -> Result<Exported, Refused> {
    let ops = session.changes().operations().into_iter();
    let json = ops
        .map(serde_json::to_string)
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| refused!("an operation cannot be written: {error}"))?;
    Ok(exported(
        "operations.jsonl",
        "application/x-ndjson",
        join_lines(json),
    ))
}

fn export_graph(
    session: &Session,
    root: &str,
    package: &str,
    lanes: &LaneOptions,
    format: GraphFormat,
) -> Result<Exported, Refused> {
    let found = package::find(session.root(Some(root))?, package)?;
    let graph = PackageGraph::build(found);
    let check_size = || {
        check_edges([&graph])
            .map_err(|error| Refused::new(error.to_string()).help(TooManyEdges::HELP))
    };
    let (extension, mime, text) = match format {
        GraphFormat::Svg => {
            // The image is exported without a selection.
            let request = LayoutRequest {
                selected: None,
                ..lanes::request(lanes)
            };
            let text = svg(&graph, &layout(&graph, &request));
            ("svg", "image/svg+xml", text)
        }
        GraphFormat::Mermaid => {
            check_size()?;
            let options = MermaidOptions {
                package: Some(package),
                classic: true,
                names: Names::Escaped,
            };
            ("mmd", "text/plain", mermaid(&[&**found], options).text)
        }
        GraphFormat::Dot => {
            check_size()?;
            ("dot", "text/vnd.graphviz", dot(&[graph]))
        }
        GraphFormat::Json => (
            "json",
            "application/json",
            format!("{:#}\n", json(&[graph])),
        ),
    };
    let name = format!("{}.{extension}", package.replace(['/', '\\'], "-"));
    Ok(exported(name, mime, text.into_bytes()))
}

/// Starts the patch with a message, unless it is empty.
fn patch_file(name: String, message: &str, patch: &[u8]) -> Exported {
    let bytes = match message.trim_end() {
        "" => patch.to_vec(),
        message => [message.as_bytes(), b"\n\n", patch].concat(),
    };
    exported(name, PATCH, bytes)
}

/// Returns the name of the folder that contains all files; `catalogs` if there is none.
fn top_folder(session: &Session) -> String {
    let mut folders = session
        .files()
        .paths()
        .map(|path| path.split_once('/').map_or("", |(folder, _)| folder));
    match folders.next() {
        Some(first) if !first.is_empty() && folders.all(|other| other == first) => first.to_owned(),
        _ => "catalogs".to_owned(),
    }
}

fn zip<'a>(
    session: &'a Session,
    paths: impl IntoIterator<Item = &'a str>,
) -> Result<Vec<u8>, Refused> {
    zip_files(paths.into_iter().map(|path| {
        Ok((
            session.changes().relative_to_opened(path),
            session.files().bytes(path)?,
        ))
    }))
}

/// Packs files into a zip without dates, so that equal edits give equal bytes.
fn zip_files<P: AsRef<str>, B: AsRef<[u8]>>(
    files: impl IntoIterator<Item = Result<(P, B), Refused>>,
) -> Result<Vec<u8>, Refused> {
    let failure = |error: &dyn std::fmt::Display| refused!("the zip cannot be written: {error}");
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for file in files {
        let (path, bytes) = file?;
        let bytes = bytes.as_ref();
        let options = options.large_file(u32::try_from(bytes.len()).is_err());
        zip.start_file(path.as_ref(), options)
            .map_err(|error| failure(&error))?;
        zip.write_all(bytes).map_err(|error| failure(&error))?;
    }
    Ok(zip.finish().map_err(|error| failure(&error))?.into_inner())
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
        written.map_err(|error| archive_failure(&error))?;
    }
    tar.into_inner().map_err(|error| archive_failure(&error))
}

fn archive_failure(error: &std::io::Error) -> Refused {
    refused!("the archive cannot be written: {error}")
}

/// Ends each line with a line feed.
fn join_lines(lines: Vec<String>) -> Vec<u8> {
    let lines = lines.into_iter().map(|line| line + "\n");
    lines.collect::<String>().into_bytes()
}
