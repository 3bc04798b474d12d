//! Provides files of an operator repository on demand.

use super::Actions;
use crate::browser::repository_folders::RepositoryPart;
use leptos::prelude::*;
use protocol::response::AskError;

impl Actions {
    /// Provides the files of these parts, unless already provided. The error is why they are
    /// unavailable.
    pub async fn find_parts(self, wanted: Vec<RepositoryPart>) -> Result<(), String> {
        if self
            .tree
            .with_value(|tree| tree.lacking(wanted.clone()).is_empty())
        {
            return Ok(());
        }
        let turn = self.walking_parts.get_value();
        let _turn = turn.lock().await;
        let (tree, number) = (self.tree.get_value(), self.opens.get_value());
        let parts = tree.lacking(wanted);
        if parts.is_empty() {
            return Ok(());
        }
        let walk = tree.walk_parts(&parts).await;
        // A newer open has its own files.
        if self.opens.get_value() != number {
            return Ok(());
        }
        let operators = parts.iter().filter_map(|part| match part {
            RepositoryPart::Operator(name) => Some(name.clone()),
            RepositoryPart::Catalog(_) => None,
        });
        self.client
            .get_value()
            .list_files(operators.collect(), &walk)
            .await
            .map_err(AskError::into_reason)?;
        if self.opens.get_value() == number {
            self.tree.update_value(|tree| tree.note_walked(parts));
        }
        Ok(())
    }
}
