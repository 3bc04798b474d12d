//! `switchyard graph`: the upgrade graph in formats of other tools.

use super::packages;
use crate::args::GraphArgs;
use crate::error::{CliError, CliResult};
use crate::input::rendered_catalog;
use crate::output;
use crate::output::formats::GraphFormat;
use crate::output::incomplete::Incomplete;
use fbc::graph::PackageGraph;
use fbc::graph::export::{
    MermaidOptions, Names, TooManyEdges, check_edges, dot, json, mermaid, svg,
};
use fbc::graph::layout::{LayoutRequest, layout};

pub(super) fn run(args: &GraphArgs) -> CliResult {
    let disk = rendered_catalog::open(&args.dir, &args.known, args.partial.partial)?;
    let catalog = disk.root()?.catalog();
    let incomplete = Incomplete::for_catalog(&disk.name(), catalog);
    let names = args.packages.names();
    let packages = packages(
        catalog,
        &names,
        |p| !p.channels.is_empty(),
        (&incomplete, args.partial),
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
                output::note(match names {
                    Names::Escaped => {
                        "some names contain Mermaid syntax and are escaped; `--format opm-mermaid` writes them as opm does"
                    }
                    Names::AsTheyAre => {
                        "some names contain Mermaid syntax, which a viewer may run; `--format mermaid` escapes them"
                    }
                });
            }
            drawn.warnings.iter().for_each(|w| output::note(w));
            output::raw(drawn.text.as_bytes())?;
        }
        GraphFormat::Dot => output::raw(dot(&drawn()?).as_bytes())?,
        GraphFormat::Data(form) => {
            let mut answer = json(&graphs());
            incomplete.mark(&mut answer);
            output::data(form, &answer)?;
        }
        GraphFormat::Svg => match graphs().as_slice() {
            [graph] => {
                output::raw(svg(graph, &layout(graph, &LayoutRequest::default())).as_bytes())?
            }
            _ => {
                return Err(CliError::new("an SVG can show only one package")
                    .hint("name the package after DIR"));
            }
        },
    }
    Ok(incomplete.report(args.partial, 0))
}
