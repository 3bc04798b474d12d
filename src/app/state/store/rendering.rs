//! Renderings of templates: target catalogs, operations that write them, and template conversions.

use super::WorkspaceStore;
use super::edits::unexpected;
use protocol::operation::EditOp;
use protocol::response::OperationRefusal;
use protocol::templates::{RenderRequest, RenderTargets};
use protocol::{RequestBody, ResponseBody};

/// A converted template.
#[derive(Debug, Clone, PartialEq)]
pub enum Conversion {
    /// `remarks`: what is lost although it renders to the same catalog.
    Made {
        ops: Vec<EditOp>,
        remarks: Vec<String>,
    },
    /// No semver template produces its graph: the differences.
    Differs(Vec<String>),
}

impl WorkspaceStore {
    /// The target catalogs of a template.
    pub async fn render_targets(self, template: String) -> Result<RenderTargets, OperationRefusal> {
        match self
            .request(RequestBody::RenderTargets { template })
            .await?
        {
            ResponseBody::RenderTargets(targets) => Ok(*targets),
            other => Err(unexpected(other)),
        }
    }

    /// The operations that write the rendering of a template; none if it is up to date.
    pub async fn render(
        self,
        template: String,
        what: RenderRequest,
    ) -> Result<Vec<EditOp>, OperationRefusal> {
        match self.request(RequestBody::Render { template, what }).await? {
            ResponseBody::Operations(ops) => Ok(ops.0),
            other => Err(unexpected(other)),
        }
    }

    /// Converts a template (`Convert`), or creates one for a catalog (`MakeTemplate`).
    pub async fn conversion(self, asked: RequestBody) -> Result<Conversion, OperationRefusal> {
        match self.request(asked).await? {
            ResponseBody::Converted { ops, remarks } => Ok(Conversion::Made {
                ops: ops.0,
                remarks,
            }),
            ResponseBody::NotConverted { differences } => Ok(Conversion::Differs(differences)),
            other => Err(unexpected(other)),
        }
    }
}
