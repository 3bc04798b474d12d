//! The catalogs that a template is rendered into, and the template converted to another kind.

use fbc::template::freshness::{BlobKey, Differences};
use fbc::template::render::TemplateType;
use fbc::workspace::{self, Conversion, NotConverted, Refused, TargetState, Workspace};
use protocol::templates::{
    ConversionRequest, RenderState, RenderTarget, RenderTargets, TemplateKind,
};

pub(crate) fn view(workspace: &Workspace, template: String) -> Result<RenderTargets, Refused> {
    let targets = workspace.templates().render_targets(&template)?;
    let mapping = workspace.templates().template_mapping(&template);
    let (mapping, next) = mapping.map(|of| (of.path, of.next)).unwrap_or_default();
    Ok(RenderTargets {
        targets: targets.into_iter().map(target).collect(),
        template,
        mapping,
        next,
    })
}

/// The operations that convert a template, or create one from a catalog.
pub(crate) fn conversion(
    workspace: &Workspace,
    request: ConversionRequest,
) -> Result<Conversion, NotConverted> {
    match request {
        ConversionRequest::Convert { template, into } => {
            workspace.templates().conversion(&template, kind(into))
        }
        ConversionRequest::Make(of) => {
            workspace.templates().made_template(workspace::NewTemplate {
                root: &of.root,
                package: (!of.package.is_empty()).then_some(of.package.as_str()),
                kind: kind(of.kind),
                path: &of.path,
            })
        }
    }
}

fn kind(template_kind: TemplateKind) -> TemplateType {
    match template_kind {
        TemplateKind::Basic => TemplateType::Basic,
        TemplateKind::Substitutes => TemplateType::Substitutes,
        TemplateKind::Semver => TemplateType::Semver,
    }
}

fn target(of: workspace::RenderTarget) -> RenderTarget {
    let state = match of.state {
        TargetState::Fresh => RenderState::UpToDate,
        TargetState::Stale(Differences {
            added,
            removed,
            changed,
        }) => {
            let [added, removed, changed] =
                [added, removed, changed].map(|keys| keys.iter().map(name).collect());
            RenderState::OutOfDate {
                added,
                removed,
                changed,
            }
        }
        TargetState::NoCatalog => RenderState::Missing,
        TargetState::UnknownBundles(bundles) => RenderState::UnknownBundles(bundles),
        TargetState::Error(words) => RenderState::Error(words),
    };
    RenderTarget {
        catalog: of.catalog,
        folder: of.folder,
        state,
    }
}

/// A blob's name: `channel stable`.
fn name(key: &BlobKey) -> String {
    let kind = key.schema.strip_prefix("olm.").unwrap_or(&key.schema);
    match key.name.as_str() {
        "" => format!("{kind} of {}", key.package),
        name => format!("{kind} {name}"),
    }
}
