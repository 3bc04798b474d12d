//! What templates render to: which catalogs, and the operations that write them; and templates as others of another kind.

use super::WorkspaceStore;
use super::edits::unexpected;
use protocol::operation::EditOp;
use protocol::response::OperationRefusal;
use protocol::templates::{RenderRequest, RenderTargets};
use protocol::{RequestBody, ResponseBody};

/// A template as one of another kind.
#[derive(Debug, Clone, PartialEq)]
pub enum Conversion {
    /// `remarks`: what is lost though it renders to the same catalog.
    Made {
        ops: Vec<EditOp>,
        remarks: Vec<String>,
    },
    /// No semver template makes its graph: what differs.
    Differs(Vec<String>),
}

impl WorkspaceStore {
    /// The catalogs that a template is rendered into.
    pub async fn render_targets(self, template: String) -> Result<RenderTargets, OperationRefusal> {
        match self
            .request(RequestBody::RenderTargets { template })
            .await?
        {
            ResponseBody::RenderTargets(targets) => Ok(*targets),
            other => Err(unexpected(other)),
        }
    }

    /// The operations that write what a template renders to; none where nothing has to change.
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

    /// What converts a template (`Convert`), or makes one of a catalog (`MakeTemplate`).
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
