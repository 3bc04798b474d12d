//! A language server for catalogs and templates: messages in, messages out. Must not know files, threads or the transport:
//! a [`Host`] opens catalogs.
//!
//! The editor shows the same results as the commands: a catalog is opened as in `validate`, with the editor's buffers
//! in place of their files. After each change the catalog is validated again from scratch. Changes that arrive together
//! are validated once.

mod buffer;
mod catalog;
mod editor;
mod features;
mod problems;

pub use buffer::{Buffer, Buffers, from_path, plain};
pub use catalog::{Extent, Host, NotRead, Source, is_of_catalog, name_in};
use editor::Editor;
use features::Client;
use features::DocumentContext;
use lsp_types as lsp;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use session::Refused;
use std::path::PathBuf;

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

/// Serves one client. It answers in the order of the messages.
pub struct Server {
    editor: Editor,
    state: State,
    /// Number of requests sent by the server.
    requests: u32,
}

/// An error response: code and message.
struct Failure(i64, String);

impl From<Refused> for Failure {
    fn from(refused: Refused) -> Self {
        let help = if refused.help.is_empty() {
            String::new()
        } else {
            format!("; {}", refused.help)
        };
        Failure(REQUEST_FAILED, format!("{}{help}", refused.reason))
    }
}

type Answer = Result<Value, Failure>;

impl Server {
    /// `catalogs` are the folders given by the user.
    pub fn new(catalogs: Vec<PathBuf>, host: Box<dyn Host>) -> Self {
        Self {
            editor: Editor::new(catalogs, host),
            state: State::New,
            requests: 0,
        }
    }

    /// Validates the changed catalogs. Returns the messages about their problems.
    pub fn settle(&mut self) -> Vec<Value> {
        if self.state != State::Initialized {
            return Vec::new();
        }
        let published = self.editor.settle().into_iter().map(|diagnostics| {
            json!({
                "jsonrpc": "2.0", "method": "textDocument/publishDiagnostics", "params": diagnostics,
            })
        });
        published.collect()
    }

    /// Whether the client asked to end, so that it may disconnect.
    pub fn is_shut_down(&self) -> bool {
        self.state == State::ShutDown
    }

    /// Takes a message. Returns the answer, or a request to the client. `is_cancelled`: a later message cancels it.
    pub fn take(&mut self, mut message: Value, is_cancelled: bool) -> Option<Value> {
        // A message that is not an object has none of these keys.
        let mut take = |key: &str| message.get_mut(key).map(Value::take).unwrap_or_default();
        let (id, params) = (take("id"), take("params"));
        let Some(method) = message["method"].as_str() else {
            // A response to one of the server's requests, or an invalid message.
            let is_answer = message.get("result").is_some() || message.get("error").is_some();
            return match is_answer {
                true => None,
                false => Some(answer(
                    id,
                    Err(Failure(
                        INVALID_REQUEST,
                        "a message without a method".to_owned(),
                    )),
                )),
            };
        };
        if id.is_null() {
            return match (self.state, method) {
                (State::Initialized, "initialized") => self.watch_files(),
                (State::Initialized, _) => {
                    self.notification(method, params);
                    None
                }
                (State::New | State::ShutDown, _) => None,
            };
        }
        let failure = |code, message: String| Err(Failure(code, message));
        let result = match (self.state, method) {
            _ if is_cancelled => failure(REQUEST_CANCELLED, "cancelled by the client".to_owned()),
            (State::New, "initialize") => self.initialize(params),
            (State::New, _) => failure(NOT_INITIALIZED, "`initialize` comes first".to_owned()),
            (State::ShutDown, _) | (_, "initialize") => {
                failure(INVALID_REQUEST, format!("`{method}` is not expected now"))
            }
            (State::Initialized, "shutdown") => {
                self.state = State::ShutDown;
                Ok(Value::Null)
            }
            (State::Initialized, _) => self.request(method, params),
        };
        Some(answer(id, result))
    }

    fn initialize(&mut self, params: Value) -> Answer {
        let params: lsp::InitializeParams = read(params)?;
        #[expect(
            deprecated,
            reason = "clients that know no workspace folders name their root so"
        )]
        let root = params.root_uri.as_ref();
        let folders = params
            .workspace_folders
            .as_deref()
            .unwrap_or_default()
            .iter()
            .map(|folder| &folder.uri);
        let mut folders: Vec<PathBuf> = folders
            .filter_map(|uri| self.editor.host.path(uri))
            .collect();
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
        self.editor.start();
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
        self.requests += 1;
        let id = format!("switchyard-{}", self.requests);
        Some(json!({
            "jsonrpc": "2.0", "id": id, "method": "client/registerCapability",
            "params": { "registrations": [registration] },
        }))
    }

    /// Handles a notification. Ignores unknown and invalid ones, which need no response.
    fn notification(&mut self, method: &str, params: Value) {
        match method {
            "textDocument/didOpen" => {
                if let Ok(params) = read::<lsp::DidOpenTextDocumentParams>(params) {
                    let document = params.text_document;
                    self.editor
                        .open(document.uri, document.version, document.text);
                }
            }
            "textDocument/didChange" => {
                if let Ok(params) = read::<lsp::DidChangeTextDocumentParams>(params) {
                    let document = params.text_document;
                    self.editor
                        .change(&document.uri, document.version, &params.content_changes);
                }
            }
            "textDocument/didClose" => {
                if let Ok(params) = read::<lsp::DidCloseTextDocumentParams>(params) {
                    self.editor.close(&params.text_document.uri);
                }
            }
            "textDocument/didSave" => {
                if let Ok(params) = read::<lsp::DidSaveTextDocumentParams>(params) {
                    self.editor.changed_on_disk(&params.text_document.uri);
                }
            }
            "workspace/didChangeWatchedFiles" => {
                if let Ok(params) = read::<lsp::DidChangeWatchedFilesParams>(params) {
                    params
                        .changes
                        .into_iter()
                        .for_each(|change| self.editor.changed_on_disk(&change.uri));
                }
            }
            "workspace/didChangeWorkspaceFolders" => {
                if let Ok(params) = read::<lsp::DidChangeWorkspaceFoldersParams>(params) {
                    let removed = self.folder_paths(&params.event.removed);
                    let added = self.folder_paths(&params.event.added);
                    let folders = &mut self.editor.client.folders;
                    folders.retain(|folder| !removed.contains(folder));
                    folders.extend(added);
                }
            }
            _ => {}
        }
    }

    fn request(&mut self, method: &str, params: Value) -> Answer {
        match method {
            "textDocument/hover" => {
                let place = read::<lsp::HoverParams>(params)?.text_document_position_params;
                let document = self.editor.context(&place.text_document.uri);
                let hover = document
                    .and_then(|mut document| features::hover(&mut document, place.position));
                serialize(&hover)
            }
            "textDocument/completion" => {
                let place = read::<lsp::CompletionParams>(params)?.text_document_position;
                let document = self.editor.context(&place.text_document.uri);
                let items = document.and_then(|mut document| {
                    let buffer = document.files.buffer(&document.path)?;
                    Some(features::complete(document.catalog, buffer, place.position))
                });
                serialize(&items.unwrap_or_default())
            }
            "textDocument/definition" => {
                let place =
                    read::<lsp::GotoDefinitionParams>(params)?.text_document_position_params;
                let document = self.editor.context(&place.text_document.uri);
                let found = document
                    .map(|mut document| features::definitions(&mut document, place.position));
                serialize(&found.unwrap_or_default())
            }
            "textDocument/codeAction" => {
                let params: lsp::CodeActionParams = read(params)?;
                let kinds = params.context.only.unwrap_or_default();
                let is_requested = kinds.is_empty()
                    || kinds
                        .iter()
                        .any(|kind| ["", "quickfix"].contains(&kind.as_str()));
                let document = self
                    .editor
                    .context(&params.text_document.uri)
                    .filter(|_| is_requested);
                let found = document.map(|mut document| {
                    features::fixes(&mut document, params.range, &params.context.diagnostics)
                });
                serialize(&found.unwrap_or_default())
            }
            "textDocument/prepareRename" => {
                let place: lsp::TextDocumentPositionParams = read(params)?;
                let mut document = self.context(&place.text_document.uri)?;
                serialize(&features::prepare_rename(&mut document, place.position)?)
            }
            "textDocument/rename" => {
                let params: lsp::RenameParams = read(params)?;
                let place = params.text_document_position;
                let mut document = self.context(&place.text_document.uri)?;
                serialize(&features::rename(
                    &mut document,
                    place.position,
                    &params.new_name,
                )?)
            }
            _ => Err(Failure(
                METHOD_NOT_FOUND,
                format!("`{method}` is not known"),
            )),
        }
    }

    fn context(&mut self, uri: &lsp::Uri) -> Result<DocumentContext<'_>, Failure> {
        let not_open = || Refused::new("the document is not part of a catalog");
        Ok(self.editor.context(uri).ok_or_else(not_open)?)
    }

    fn folder_paths(&self, folders: &[lsp::WorkspaceFolder]) -> Vec<PathBuf> {
        folders
            .iter()
            .filter_map(|folder| self.editor.host.path(&folder.uri))
            .collect()
    }
}

/// Returns the error response to input that is not a message.
pub fn answer_malformed(reason: String) -> Value {
    answer(Value::Null, Err(Failure(PARSE_ERROR, reason)))
}

/// Returns the response to a request.
fn answer(id: Value, answer: Answer) -> Value {
    match answer {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err(Failure(code, message)) => {
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

fn read<T: DeserializeOwned>(params: Value) -> Result<T, Failure> {
    serde_json::from_value(params).map_err(|error| Failure(INVALID_PARAMS, error.to_string()))
}

fn serialize(answer: &impl Serialize) -> Answer {
    serde_json::to_value(answer).map_err(|error| Failure(REQUEST_FAILED, error.to_string()))
}
