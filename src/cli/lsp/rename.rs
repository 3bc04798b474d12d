//! Renaming a channel, wherever its name is written.

use super::actions;
use super::catalog::Catalog;
use super::session::{Client, Files};
use super::symbol::{self, Role, Symbol};
use fbc::workspace::Refused;
use lsp_types::{Position, PrepareRenameResponse, WorkspaceEdit};
use protocol::operation::EditOp;
use std::path::Path;

/// The channel at a position, and where its name is.
pub(super) fn prepare(
    catalog: &Catalog,
    files: &mut Files<'_>,
    path: &Path,
    at: Position,
) -> Result<PrepareRenameResponse, Refused> {
    let symbol = channel(catalog, files, path, at)?;
    let buffer = files.buffer(path).ok_or_else(no_channel)?;
    Ok(PrepareRenameResponse::RangeWithPlaceholder {
        range: buffer.range(symbol.range.clone()),
        placeholder: symbol.name.to_string(),
    })
}

pub(super) fn rename(
    catalog: &mut Catalog,
    files: &mut Files<'_>,
    client: &Client,
    path: &Path,
    at: Position,
    to: &str,
) -> Result<WorkspaceEdit, Refused> {
    let symbol = channel(catalog, files, path, at)?;
    let (package, channel) = (symbol.package.to_string(), symbol.name.to_string());
    let op = EditOp::RenameChannel {
        catalog: None,
        package,
        channel,
        to: to.to_owned(),
    };
    actions::edit(catalog, files, client, &[op])
}

fn channel(
    catalog: &Catalog,
    files: &mut Files<'_>,
    path: &Path,
    at: Position,
) -> Result<Symbol, Refused> {
    symbol::in_file(catalog, files, path, at)
        .filter(|symbol| matches!(symbol.role, Role::Channel | Role::ChannelItself))
        .ok_or_else(no_channel)
}

fn no_channel() -> Refused {
    Refused::new("only channels can be renamed").help("put the caret on a channel's name")
}
