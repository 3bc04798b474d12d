//! `switchyard graph`: the upgrade graph in forms that others read.

use super::package;
use crate::cli::args::{GraphArgs, GraphFormat};
use crate::cli::disk::Disk;
use crate::cli::error::{CliError, CliResult};
use crate::cli::output;
use crate::fbc::graph::PackageGraph;
use crate::fbc::graph::export::{MermaidOptions, dot, json, mermaid, svg};
use crate::fbc::graph::layout::{LayoutRequest, layout};
use crate::fbc::model::Package;

pub(super) fn run(args: &GraphArgs) -> CliResult {
    let disk = Disk::open(&args.dir)?;
    let catalog = disk.root()?.catalog();
    let packages: Vec<&Package> = match &args.package {
        Some(name) => vec![package(catalog, name)?],
        None => catalog.packages().map(|p| &**p).filter(|p| !p.channels.is_empty()).collect(),
    };
    let graphs = || packages.iter().map(|p| PackageGraph::build(p)).collect::<Vec<_>>();
    match args.format {
        GraphFormat::Mermaid => {
            let drawn = mermaid(&packages, MermaidOptions { package: args.package.as_deref(), classic: true });
            drawn.warnings.iter().for_each(|w| output::note(w));
            output::text(&drawn.text)?;
        }
        GraphFormat::Dot => output::text(&dot(&graphs()))?,
        GraphFormat::Json => output::json(&json(&graphs()))?,
        GraphFormat::Svg => match graphs().as_slice() {
            [graph] => output::text(&svg(graph, &layout(graph, &LayoutRequest::default())))?,
            _ => return Err(CliError::new("a picture shows one package").hint("name it with `--package`")),
        },
    }
    Ok(0)
}
