//! What templates render to: which catalogs, and the operations that write them.

use super::WorkspaceStore;
use super::edits::unexpected;
use protocol::operation::EditOp;
use protocol::response::OperationRefusal;
use protocol::templates::{RenderRequest, RenderTargets};
use protocol::{RequestBody, ResponseBody};

impl WorkspaceStore {
    /// The catalogs that a template is rendered into.
    pub async fn render_targets(self, template: String) -> Result<RenderTargets, OperationRefusal> {
        match self.asked(RequestBody::RenderTargets { template }).await? {
            ResponseBody::RenderTargets(targets) => Ok(*targets),
            other => Err(unexpected(other)),
        }
    }

    /// The operations that write what a template renders to; none where nothing has to change.
    pub async fn render(self, template: String, what: RenderRequest) -> Result<Vec<EditOp>, OperationRefusal> {
        match self.asked(RequestBody::Render { template, what }).await? {
            ResponseBody::Operations(ops) => Ok(ops.0),
            other => Err(unexpected(other)),
        }
    }
}
