//! The catalogs that a template is rendered into, and the template converted to another kind.

use super::refusal;
use fbc::template::freshness::{BlobKey, Differences};
use fbc::template::render::TemplateType;
use fbc::workspace::{self, Conversion, NotConverted, TargetState, Workspace};
use protocol::templates::{
    NewTemplate, RenderRequest, RenderState, RenderTarget, RenderTargets, TemplateKind,
};
use protocol::{Json, ResponseBody};

pub(crate) fn view(workspace: &Workspace, template: &str) -> ResponseBody {
    match workspace.render_targets(template) {
        Ok(targets) => {
            let mapping = workspace.template_mapping(template);
            let (mapping, next) = mapping.map(|of| (of.path, of.next)).unwrap_or_default();
            let targets = targets.into_iter().map(target).collect();
            let template = template.to_owned();
            ResponseBody::RenderTargets(Box::new(RenderTargets {
                template,
                mapping,
                next,
                targets,
            }))
        }
        Err(refused) => ResponseBody::Refused(refusal(refused)),
    }
}

/// The operations of a render request.
pub(crate) fn operations(
    workspace: &Workspace,
    template: &str,
    what: &RenderRequest,
) -> ResponseBody {
    let ops = match what {
        RenderRequest::Into(catalogs) => workspace.render_ops(template, catalogs),
        RenderRequest::AlsoInto(catalog) => workspace.add_catalog_ops(template, catalog),
    };
    match ops {
        Ok(ops) => ResponseBody::Operations(Json(ops)),
        Err(refused) => ResponseBody::Refused(refusal(refused)),
    }
}

/// The operations that convert a template.
pub(crate) fn convert(workspace: &Workspace, template: &str, into: TemplateKind) -> ResponseBody {
    answer(workspace.conversion(template, kind(into)))
}

/// The operations that create a template from a catalog.
pub(crate) fn make(workspace: &Workspace, of: &NewTemplate) -> ResponseBody {
    let package = (!of.package.is_empty()).then_some(of.package.as_str());
    answer(workspace.made_template(workspace::NewTemplate {
        root: &of.root,
        package,
        kind: kind(of.kind),
        path: &of.path,
    }))
}

fn kind(of: TemplateKind) -> TemplateType {
    match of {
        TemplateKind::Basic => TemplateType::Basic,
        TemplateKind::Substitutes => TemplateType::Substitutes,
        TemplateKind::Semver => TemplateType::Semver,
    }
}

fn answer(converted: Result<Conversion, NotConverted>) -> ResponseBody {
    match converted {
        Ok(conversion) => ResponseBody::Converted {
            ops: Json(conversion.ops),
            remarks: conversion.remarks,
        },
        Err(NotConverted::Differs(differences)) => ResponseBody::NotConverted { differences },
        Err(NotConverted::Refused(refused)) => ResponseBody::Refused(refusal(refused)),
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
