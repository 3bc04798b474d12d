//! A language server for catalogs and templates: messages in, messages out. Must not know files,
//! threads or the transport: a [`Host`] opens catalogs.
//!
//! The editor shows the same results as the commands: a catalog is opened as in `validate`, with
//! the editor's buffers in place of their files. After each change the catalog is validated again
//! from scratch. Changes that arrive together are validated once.

mod buffer;
mod catalog;
mod editor;
mod features;
mod problems;

pub use buffer::{Buffer, Buffers, normalize, uri_from_path};
use catalog::{Client, DocumentContext};
pub use catalog::{Extent, Host, OpenError, Source, has_catalog_schema, session_path};
use editor::Editor;
use lsp_types as lsp;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use session::Refused;
use std::path::PathBuf;

// Error codes of JSON-RPC and the language server protocol.
const PARSE_ERROR: i64 = -32700;
const INVALID_REQUEST: i64 = -32600;
const METHOD_NOT_FOUND: i64 = -32601;
const INVALID_PARAMS: i64 = -32602;
const NOT_INITIALIZED: i64 = -32002;
const REQUEST_FAILED: i64 = -32803;
const REQUEST_CANCELLED: i64 = -32800;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Initialized,
    /// Waiting for `exit`.
    ShutDown,
}

/// Serves one client. Handles its messages in order.
pub struct Server {
    editor: Editor,
    state: State,
    sent_requests: u32,
}

/// An error response.
struct Failure {
    code: i64,
    message: String,
}

impl Failure {
    fn new(code: i64, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
        }
    }
}

impl From<Refused> for Failure {
    fn from(refused: Refused) -> Self {
        let help = if refused.help.is_empty() {
            String::new()
        } else {
            format!("; {}", refused.help)
        };
        Failure::new(REQUEST_FAILED, format!("{}{help}", refused.reason))
    }
}

type ResponseResult = Result<Value, Failure>;

impl Server {
    /// Creates a server that opens the catalogs in these folders regardless of the client's
    /// documents.
    pub fn new(named_folders: Vec<PathBuf>, host: Box<dyn Host>) -> Self {
        Self {
            editor: Editor::new(named_folders, host),
            state: State::New,
            sent_requests: 0,
        }
    }

    /// Validates the changed catalogs. Returns the messages with their problems.
    pub fn publish_problems(&mut self) -> Vec<Value> {
        if self.state != State::Initialized {
            return Vec::new();
        }
        let messages = self.editor.publish_problems().into_iter();
        messages
            .map(|params| {
                json!({
                    "jsonrpc": "2.0", "method": "textDocument/publishDiagnostics", "params": params,
                })
            })
            .collect()
    }

    /// Whether the client has requested the shutdown, and so may disconnect.
    pub fn is_shut_down(&self) -> bool {
        self.state == State::ShutDown
    }

    /// Handles a message. Returns the response, or a request to the client. A request that a later
    /// message cancels gets an error response.
    pub fn handle(&mut self, mut message: Value, is_cancelled: bool) -> Option<Value> {
        // A message that is not an object has none of these keys.
        let mut take = |key: &str| message.get_mut(key).map(Value::take).unwrap_or_default();
        let (id, params) = (take("id"), take("params"));
        let Some(method) = message["method"].as_str() else {
            let is_response = message.get("result").is_some() || message.get("error").is_some();
            if is_response {
                return None;
            }
            let failure = Failure::new(INVALID_REQUEST, "a message without a method");
            return Some(response(id, Err(failure)));
        };
        if id.is_null() {
            return match (self.state, method) {
                (State::Initialized, "initialized") => self.watch_files(),
                (State::Initialized, _) => {
                    // An invalid notification needs no response.
                    let _ = self.handle_notification(method, params);
                    None
                }
                (State::New | State::ShutDown, _) => None,
            };
        }
        let failure = |code, message: &str| Err(Failure::new(code, message));
        let result = match (self.state, method) {
            _ if is_cancelled => failure(REQUEST_CANCELLED, "cancelled by the client"),
            (State::New, "initialize") => self.initialize(params),
            (State::New, _) => failure(NOT_INITIALIZED, "`initialize` comes first"),
            (State::ShutDown, _) | (_, "initialize") => {
                failure(INVALID_REQUEST, &format!("`{method}` is not expected now"))
            }
            (State::Initialized, "shutdown") => {
                self.state = State::ShutDown;
                Ok(Value::Null)
            }
            (State::Initialized, _) => self.handle_request(method, params),
        };
        Some(response(id, result))
    }

    fn initialize(&mut self, params: Value) -> ResponseResult {
        let params: lsp::InitializeParams = parse_params(params)?;
        #[expect(deprecated, reason = "clients without workspace folders set it")]
        let root = params.root_uri.as_ref();
        let mut folders =
            self.folder_paths(params.workspace_folders.as_deref().unwrap_or_default());
        if folders.is_empty() {
            folders.extend(root.and_then(|uri| self.editor.host.path(uri)));
        }
        let workspace = params.capabilities.workspace.unwrap_or_default();
        let edit = workspace.workspace_edit.unwrap_or_default();
        let can_create_files = edit
            .resource_operations
            .unwrap_or_default()
            .contains(&lsp::ResourceOperationKind::Create);
        let watched = workspace.did_change_watched_files.unwrap_or_default();
        let supports_versioned_edits = edit.document_changes.unwrap_or_default();
        self.editor.client = Client {
            folders,
            can_create_files: can_create_files && supports_versioned_edits,
            supports_versioned_edits,
            watches_files: watched.dynamic_registration.unwrap_or_default(),
        };
        self.state = State::Initialized;
        self.editor.open_named_folders();
        let server_info = json!({ "name": "switchyard", "version": env!("CARGO_PKG_VERSION") });
        Ok(json!({ "capabilities": serialize(&capabilities())?, "serverInfo": server_info }))
    }

    /// Asks the client to report changes of files on disk.
    fn watch_files(&mut self) -> Option<Value> {
        if !self.editor.client.watches_files {
            return None;
        }
        let globs =
            ["**/*.{yaml,yml,json}", "**/.indexignore"].map(|glob| json!({ "globPattern": glob }));
        let registration = json!({
            "id": "files", "method": "workspace/didChangeWatchedFiles", "registerOptions": { "watchers": globs },
        });
        self.sent_requests += 1;
        let id = format!("switchyard-{}", self.sent_requests);
        Some(json!({
            "jsonrpc": "2.0", "id": id, "method": "client/registerCapability",
            "params": { "registrations": [registration] },
        }))
    }

    /// Ignores unknown notifications.
    fn handle_notification(&mut self, method: &str, params: Value) -> Result<(), Failure> {
        match method {
            "textDocument/didOpen" => {
                let params: lsp::DidOpenTextDocumentParams = parse_params(params)?;
                let document = params.text_document;
                self.editor
                    .open(document.uri, document.version, document.text);
            }
            "textDocument/didChange" => {
                let params: lsp::DidChangeTextDocumentParams = parse_params(params)?;
                let document = params.text_document;
                self.editor
                    .change(&document.uri, document.version, &params.content_changes);
            }
            "textDocument/didClose" => {
                let params: lsp::DidCloseTextDocumentParams = parse_params(params)?;
                self.editor.close(&params.text_document.uri);
            }
            "textDocument/didSave" => {
                let params: lsp::DidSaveTextDocumentParams = parse_params(params)?;
                self.editor.handle_change_on_disk(&params.text_document.uri);
            }
            "workspace/didChangeWatchedFiles" => {
                let params: lsp::DidChangeWatchedFilesParams = parse_params(params)?;
                for change in params.changes {
                    self.editor.handle_change_on_disk(&change.uri);
                }
            }
            "workspace/didChangeWorkspaceFolders" => {
                let params: lsp::DidChangeWorkspaceFoldersParams = parse_params(params)?;
                let removed = self.folder_paths(&params.event.removed);
                let added = self.folder_paths(&params.event.added);
                let folders = &mut self.editor.client.folders;
                folders.retain(|folder| !removed.contains(folder));
                folders.extend(added);
            }
            _ => {}
        }
        Ok(())
    }

    fn handle_request(&mut self, method: &str, params: Value) -> ResponseResult {
        match method {
            "textDocument/hover" => self.hover(params),
            "textDocument/completion" => self.complete(params),
            "textDocument/definition" => self.find_definitions(params),
            "textDocument/codeAction" => self.find_fixes(params),
            "textDocument/prepareRename" => self.prepare_rename(params),
            "textDocument/rename" => self.rename(params),
            _ => Err(Failure::new(
                METHOD_NOT_FOUND,
                format!("`{method}` is not known"),
            )),
        }
    }

    fn hover(&mut self, params: Value) -> ResponseResult {
        let target = parse_params::<lsp::HoverParams>(params)?.text_document_position_params;
        let document = self.editor.context(&target.text_document.uri);
        let hover =
            document.and_then(|mut document| features::hover(&mut document, target.position));
        serialize(&hover)
    }

    fn complete(&mut self, params: Value) -> ResponseResult {
        let target = parse_params::<lsp::CompletionParams>(params)?.text_document_position;
        let document = self.editor.context(&target.text_document.uri);
        let items = document.and_then(|mut document| {
            let buffer = document.files.buffer(&document.path)?;
            Some(features::complete(
                document.catalog,
                buffer,
                target.position,
            ))
        });
        serialize(&items.unwrap_or_default())
    }

    fn find_definitions(&mut self, params: Value) -> ResponseResult {
        let target =
            parse_params::<lsp::GotoDefinitionParams>(params)?.text_document_position_params;
        let document = self.editor.context(&target.text_document.uri);
        let definitions =
            document.map(|mut document| features::definitions(&mut document, target.position));
        serialize(&definitions.unwrap_or_default())
    }

    fn find_fixes(&mut self, params: Value) -> ResponseResult {
        let params: lsp::CodeActionParams = parse_params(params)?;
        let kinds = params.context.only.unwrap_or_default();
        let is_requested = kinds.is_empty()
            || kinds
                .iter()
                .any(|kind| ["", "quickfix"].contains(&kind.as_str()));
        if !is_requested {
            return serialize(&Vec::<lsp::CodeAction>::new());
        }
        let document = self.editor.context(&params.text_document.uri);
        let fixes = document.map(|mut document| {
            problems::fixes(&mut document, params.range, &params.context.diagnostics)
        });
        serialize(&fixes.unwrap_or_default())
    }

    fn prepare_rename(&mut self, params: Value) -> ResponseResult {
        let target: lsp::TextDocumentPositionParams = parse_params(params)?;
        let mut document = self.context(&target.text_document.uri)?;
        serialize(&features::prepare_rename(&mut document, target.position)?)
    }

    fn rename(&mut self, params: Value) -> ResponseResult {
        let params: lsp::RenameParams = parse_params(params)?;
        let target = params.text_document_position;
        let mut document = self.context(&target.text_document.uri)?;
        serialize(&features::rename(
            &mut document,
            target.position,
            &params.new_name,
        )?)
    }

    fn context(&mut self, uri: &lsp::Uri) -> Result<DocumentContext<'_>, Failure> {
        let document = self.editor.context(uri);
        Ok(document.ok_or_else(|| Refused::new("the document is not part of a catalog"))?)
    }

    fn folder_paths(&self, folders: &[lsp::WorkspaceFolder]) -> Vec<PathBuf> {
        folders
            .iter()
            .filter_map(|folder| self.editor.host.path(&folder.uri))
            .collect()
    }
}

/// Returns the error response to input that is not a message.
pub fn respond_to_malformed(reason: String) -> Value {
    response(Value::Null, Err(Failure::new(PARSE_ERROR, reason)))
}

fn response(id: Value, result: ResponseResult) -> Value {
    match result {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err(Failure { code, message }) => {
            json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
        }
    }
}

fn capabilities() -> lsp::ServerCapabilities {
    lsp::ServerCapabilities {
        text_document_sync: Some(lsp::TextDocumentSyncCapability::Options(
            lsp::TextDocumentSyncOptions {
                open_close: Some(true),
                change: Some(lsp::TextDocumentSyncKind::INCREMENTAL),
                save: Some(lsp::TextDocumentSyncSaveOptions::Supported(true)),
                ..lsp::TextDocumentSyncOptions::default()
            },
        )),
        hover_provider: Some(lsp::HoverProviderCapability::Simple(true)),
        completion_provider: Some(lsp::CompletionOptions {
            trigger_characters: Some([":", " ", "-", "\"", "."].map(str::to_owned).to_vec()),
            ..lsp::CompletionOptions::default()
        }),
        definition_provider: Some(lsp::OneOf::Left(true)),
        code_action_provider: Some(lsp::CodeActionProviderCapability::Options(
            lsp::CodeActionOptions {
                code_action_kinds: Some(vec![lsp::CodeActionKind::QUICKFIX]),
                ..lsp::CodeActionOptions::default()
            },
        )),
        rename_provider: Some(lsp::OneOf::Right(lsp::RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: lsp::WorkDoneProgressOptions::default(),
        })),
        workspace: Some(lsp::WorkspaceServerCapabilities {
            workspace_folders: Some(lsp::WorkspaceFoldersServerCapabilities {
                supported: Some(true),
                change_notifications: Some(lsp::OneOf::Left(true)),
            }),
            file_operations: None,
        }),
        ..lsp::ServerCapabilities::default()
    }
}

fn parse_params<T: DeserializeOwned>(params: Value) -> Result<T, Failure> {
    serde_json::from_value(params).map_err(|error| Failure::new(INVALID_PARAMS, error.to_string()))
}

fn serialize(result: &impl Serialize) -> ResponseResult {
    serde_json::to_value(result).map_err(|error| Failure::new(REQUEST_FAILED, error.to_string()))
}
