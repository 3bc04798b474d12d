//! The repository that is open: what the worker says of it, and what is done there.

use super::WorkspaceStore;
use leptos::prelude::*;
use protocol::query::OpenOperator;
use protocol::response::OperationRefusal;

impl WorkspaceStore {
    /// Reads the files of an operator into the workspace.
    pub async fn open_operator(self, operator: String) -> Result<(), OperationRefusal> {
        let status = self.ask(OpenOperator { operator }).await?;
        self.take_status(status);
        Ok(())
    }

    /// The folder of the repository that is open; `None` where what is open is none.
    pub fn repository_name(self) -> Option<String> {
        self.status
            .with(|status| status.repository.as_ref().map(|of| of.name.clone()))
    }
}
