//! Templates as roots: their content, their rendered form, the template of a package, and the
//! catalogs that they are rendered into.

use super::bundles::STREAMS;
use ::template::freshness::{BlobKey, Differences};
use ::template::kind;
use ::template::origin::OriginReason;
use ::template::render::TemplateType;
use catalog::graph::channel_order::channels_in_order;
use catalog::model::{Semver, Template};
use protocol::counting::{count_of, first_of};
use protocol::diagnostic::{Location, Severity};
use protocol::response::ImpossibleOperation;
use protocol::templates::{
    BundleSource, ConversionRequest, RenderFailure, RenderState, RenderTarget, RenderTargets,
    RenderedFrom, RenderedRow, TemplateKind, TemplateRow,
};
use session::{self, Conversion, NotConverted, Refused, Rendering, Root, Session, TargetState};
use std::collections::BTreeMap;

/// Maximum number of catalogs listed by name.
const MAX_NAMED: usize = 8;

pub(crate) fn row(session: &Session, root: &Root) -> TemplateRow {
    let Some(template) = root.template() else {
        return TemplateRow {
            kind: "no longer a template".to_owned(),
            ..TemplateRow::default()
        };
    };
    let mut sentences = vec![match template {
        Template::Basic(_) | Template::Substitutes(_) => {
            format!(
                "Until it is rendered, only the images of its bundles are known: {}",
                count_images(template.images().len())
            )
        }
        Template::Semver(semver) => describe_semver(semver),
        Template::Composite => {
            "It names other templates, and opm v1.74.0 no longer renders it: edit it as text, or \
                                render the templates that it names"
                .to_owned()
        }
    }];
    sentences.extend(rendered_into(session, root));
    let is_rendered = !matches!(template, Template::Composite);
    sentences.extend(is_rendered.then(|| "opm validate checks the rendered catalog".to_owned()));
    TemplateRow {
        kind: kind(template).to_owned(),
        holds_entries: holds_entries(template),
        is_rendered,
        sentences,
    }
}

/// Describes the rendered form of a template.
pub(crate) fn rendered_row(session: &Session, rendering: &Rendering) -> RenderedRow {
    let mut sources: BTreeMap<&str, u32> = BTreeMap::new();
    rendering
        .found
        .values()
        .for_each(|place| *sources.entry(place).or_default() += 1);
    RenderedRow {
        template: rendering.template.clone(),
        kind: rendering
            .template()
            .map_or("no longer a template", kind)
            .to_owned(),
        holds_entries: rendering.template().is_some_and(holds_entries),
        missing: rendering.missing.clone(),
        refused: rendering.refused.as_ref().map(|reason| RenderFailure {
            reason: reason.clone(),
            location: failure_location(session, rendering, reason),
        }),
        sources: sources
            .into_iter()
            .map(|(root, bundles)| BundleSource {
                root: root.to_owned(),
                bundles,
            })
            .collect(),
    }
}

/// Returns the line of a template that a failure concerns: its first error, or else the line or the
/// field that the reason names, or else its first line.
fn failure_location(session: &Session, rendering: &Rendering, reason: &str) -> Location {
    let template = session.root(Some(&rendering.template)).ok();
    let mut problems = template.into_iter().flat_map(Root::problems);
    let error = problems
        .find(|problem| problem.severity == Severity::Error && !problem.location.file.is_empty());
    if let Some(error) = error {
        return error.location.clone();
    }
    let start = rendering.first_line();
    let text = session
        .files()
        .bytes(&rendering.template)
        .unwrap_or_default();
    match line_in_reason(reason, &String::from_utf8_lossy(&text)) {
        Some(line) => Location {
            line,
            end_line: line,
            ..start
        },
        None => start,
    }
}

/// Finds the line that a message of Go names: `yaml: line 4: …`, or `Go struct field T.name of …`.
fn line_in_reason(reason: &str, text: &str) -> Option<u32> {
    if let Some((_, rest)) = reason.split_once("line ") {
        let digits = rest.split(|c: char| !c.is_ascii_digit()).next()?;
        return digits.parse().ok();
    }
    let (_, field) = reason.split_once("Go struct field ")?;
    let key = field.split_whitespace().next()?.rsplit('.').next()?;
    let has_key = |line: &str| {
        let entry = line.trim_start_matches([' ', '-', '"']);
        let name = entry.split([':', '"']).next().unwrap_or_default();
        name.eq_ignore_ascii_case(key)
    };
    let index = text.lines().position(has_key)?;
    u32::try_from(index + 1).ok()
}

/// Returns the template that a package is rendered from, if known.
pub(crate) fn rendered_from(session: &Session, root: &str, package: &str) -> Option<RenderedFrom> {
    let origin = session.templates().origin_of(root, package)?;
    let template = session.root(Some(&origin.template)).ok()?.template()?;
    Some(RenderedFrom {
        template: origin.template.clone(),
        kind: kind(template).to_owned(),
        holds_entries: holds_entries(template),
        certain: origin.reason != OriginReason::Beside,
    })
}

/// Returns the substitutions of a substitutes template or of a rendered catalog's template, as
/// pairs of replaced bundle and replacement.
pub(super) fn substitutions(root: &Root) -> Option<Vec<(String, String)>> {
    let Template::Substitutes(template) = template_of(root)? else {
        return None;
    };
    Some(
        template
            .substitutions
            .iter()
            .map(|substitution| {
                (
                    substitution.base.value.to_string(),
                    substitution.name.value.to_string(),
                )
            })
            .collect(),
    )
}

/// Returns the operations that the template refuses whatever their values.
pub(super) fn impossible_operations(root: &Root) -> Vec<ImpossibleOperation> {
    let operations = template_of(root)
        .into_iter()
        .flat_map(::template::edit::impossible_operations);
    operations
        .map(|(name, refused)| ImpossibleOperation {
            operation: name.to_owned(),
            reason: refused.reason,
            is_convertible: refused.convertible,
        })
        .collect()
}

/// Returns the lists of a semver template; empty for other roots.
pub(super) fn lists(root: &Root) -> Vec<String> {
    match template_of(root) {
        Some(Template::Semver(_)) => STREAMS.map(str::to_owned).to_vec(),
        _ => Vec::new(),
    }
}

/// Returns the template that a root is, or is rendered from.
fn template_of(root: &Root) -> Option<&Template> {
    root.template().or_else(|| root.rendering()?.template())
}

fn holds_entries(template: &Template) -> bool {
    matches!(template, Template::Basic(_) | Template::Substitutes(_))
}

/// Names the catalogs that contain the rendered form and, for a semver template, its generated
/// channels.
fn rendered_into(session: &Session, root: &Root) -> Option<String> {
    let rendered: Vec<(&Root, &str)> = session
        .templates()
        .rendered_from(&root.name)
        .filter_map(|(catalog, package)| Some((session.root(Some(catalog)).ok()?, package)))
        .collect();
    let (first, package) = rendered.first()?;
    let is_certain = rendered.iter().all(|(catalog, package)| {
        let origin = session.templates().origin_of(&catalog.name, package);
        origin.is_some_and(|origin| origin.reason == OriginReason::Mapping)
    });
    let link = if is_certain {
        "Rendered into"
    } else {
        "Probably rendered into"
    };
    let names = first_of(
        rendered.iter().map(|(catalog, _)| catalog.label()),
        MAX_NAMED,
    );
    let is_semver = matches!(root.template(), Some(Template::Semver(_)));
    let channels = first.catalog().package(package).filter(|_| is_semver);
    let channels: Vec<&str> = channels
        .iter()
        .flat_map(|package| channels_in_order(package))
        .map(|channel| channel.name.as_str())
        .collect();
    Some(if channels.is_empty() {
        format!("{link} {names}")
    } else {
        format!("{link} {names} (channels: {})", channels.join(", "))
    })
}

fn describe_semver(semver: &Semver) -> String {
    let kinds = match (
        semver.generate_major_channels,
        semver.generate_minor_channels,
    ) {
        (true, true) => "a channel for each major and each minor version",
        (true, false) => "a channel for each major version",
        _ => "a channel for each minor version",
    };
    let streams = semver
        .streams()
        .into_iter()
        .filter(|(_, images)| !images.is_empty());
    let streams: Vec<String> = streams
        .map(|(name, list)| format!("{name} ({})", count_images(list.len())))
        .collect();
    let sources = if streams.is_empty() {
        "no bundles".to_owned()
    } else {
        streams.join(", ")
    };
    format!("It generates {kinds} from {sources}")
}

fn count_images(count: usize) -> String {
    count_of(count, "image")
}

pub(crate) fn view(session: &Session, template: String) -> Result<RenderTargets, Refused> {
    let targets = session.templates().render_targets(&template)?;
    let mapping = session.templates().template_mapping(&template);
    let (mapping, next) = mapping
        .map(|mapping| (mapping.path, mapping.next))
        .unwrap_or_default();
    Ok(RenderTargets {
        targets: targets.into_iter().map(target).collect(),
        template,
        mapping,
        next,
    })
}

/// Returns the operations that convert a template or create one from a catalog.
pub(crate) fn conversion(
    session: &Session,
    request: ConversionRequest,
) -> Result<Conversion, NotConverted> {
    match request {
        ConversionRequest::Convert { template, into } => session
            .templates()
            .conversion(&template, template_type(into)),
        ConversionRequest::Make(new) => {
            session
                .templates()
                .template_conversion(session::NewTemplate {
                    root: &new.root,
                    package: (!new.package.is_empty()).then_some(new.package.as_str()),
                    kind: template_type(new.kind),
                    path: &new.path,
                })
        }
    }
}

fn template_type(template_kind: TemplateKind) -> TemplateType {
    match template_kind {
        TemplateKind::Basic => TemplateType::Basic,
        TemplateKind::Substitutes => TemplateType::Substitutes,
        TemplateKind::Semver => TemplateType::Semver,
    }
}

fn target(target: session::RenderTarget) -> RenderTarget {
    let state = match target.state {
        TargetState::Fresh => RenderState::UpToDate,
        TargetState::Stale(Differences {
            added,
            removed,
            changed,
            only_by_opm_version,
        }) => {
            let [added, removed, changed] =
                [added, removed, changed].map(|keys| keys.iter().map(name).collect());
            if only_by_opm_version {
                RenderState::OtherOpm(changed)
            } else {
                RenderState::OutOfDate {
                    added,
                    removed,
                    changed,
                }
            }
        }
        TargetState::NoCatalog => RenderState::Missing,
        TargetState::UnknownBundles(bundles) => RenderState::UnknownBundles(bundles),
        TargetState::Error(words) => RenderState::Error(words),
    };
    RenderTarget {
        catalog: target.catalog,
        folder: target.folder,
        state,
        refused: target.refused,
    }
}

/// Formats a blob's name: `channel stable`.
fn name(key: &BlobKey) -> String {
    let kind = key.schema.strip_prefix("olm.").unwrap_or(&key.schema);
    match key.name.as_str() {
        "" => format!("{kind} of {}", key.package),
        name => format!("{kind} {name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::line_in_reason;

    #[test]
    fn finds_the_line_that_a_reason_names() {
        let text = "---\nSchema: olm.semver\nGenerateMajorChannels: perhaps\n";
        let line = |reason: &str| line_in_reason(reason, text);
        assert_eq!(
            line("error converting YAML to JSON: yaml: line 4: x"),
            Some(4)
        );
        let field = "json: cannot unmarshal string into Go struct field \
                     SemverTemplateData.generateMajorChannels of type bool";
        assert_eq!(line(field), Some(3));
        assert_eq!(line("no bundles"), None);
    }
}
