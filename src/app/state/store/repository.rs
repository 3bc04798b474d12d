//! The open repository: queries and tasks.

use super::WorkspaceStore;
use super::edits::unexpected;
use leptos::prelude::*;
use protocol::repository::{
    OperatorView, ReleaseForm, RepositoryPlan, RepositoryTask, RepositoryView,
};
use protocol::response::OperationRefusal;
use protocol::{RequestBody, ResponseBody};

impl WorkspaceStore {
    /// The names of operators and catalogs.
    pub async fn repository(self) -> Result<RepositoryView, OperationRefusal> {
        match self.request(RequestBody::Repository).await? {
            ResponseBody::Repository(view) => Ok(*view),
            other => Err(unexpected(other)),
        }
    }

    /// The details of one operator.
    pub async fn operator(self, operator: String) -> Result<OperatorView, OperationRefusal> {
        match self.request(RequestBody::Operator { operator }).await? {
            ResponseBody::Operator(view) => Ok(*view),
            other => Err(unexpected(other)),
        }
    }

    /// Reads the files of an operator into the workspace.
    pub async fn open_operator(self, operator: String) -> Result<(), OperationRefusal> {
        match self.request(RequestBody::OpenOperator { operator }).await? {
            ResponseBody::Opened(status) => {
                self.take_status(*status);
                Ok(())
            }
            other => Err(unexpected(other)),
        }
    }

    /// The possible targets of a bundle's release. `dropped` are files of a bundle that the
    /// repository does not have.
    pub async fn release_form(
        self,
        operator: String,
        bundle: String,
        dropped: Vec<(String, String)>,
    ) -> Result<ReleaseForm, OperationRefusal> {
        match self
            .request(RequestBody::ReleaseForm {
                operator,
                bundle,
                dropped,
            })
            .await?
        {
            ResponseBody::ReleaseForm(form) => Ok(*form),
            other => Err(unexpected(other)),
        }
    }

    /// The result of a task. Changes nothing.
    pub async fn plan_repository(
        self,
        task: RepositoryTask,
    ) -> Result<RepositoryPlan, OperationRefusal> {
        match self.request(RequestBody::PlanRepository(task)).await? {
            ResponseBody::RepositoryPlan(plan) => Ok(*plan),
            other => Err(unexpected(other)),
        }
    }

    /// Carries out a task as one step.
    pub async fn apply_repository(
        self,
        task: RepositoryTask,
        shown: impl FnOnce(),
    ) -> Result<(), OperationRefusal> {
        self.change(
            RequestBody::ApplyRepository {
                task,
                view: self.view_request(),
            },
            shown,
        )
        .await
    }

    /// The folder of the open repository; `None` if there is none.
    pub fn repository_name(self) -> Option<String> {
        self.status
            .with(|status| status.repository.as_ref().map(|of| of.name.clone()))
    }
}
