//! The open repository: queries and tasks.

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

    /// The folder of the open repository; `None` if there is none.
    pub fn repository_name(self) -> Option<String> {
        self.status
            .with(|status| status.repository.as_ref().map(|of| of.name.clone()))
    }
}
