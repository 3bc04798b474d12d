//! `switchyard lsp`: a language server over standard input and output.
//!
//! The editor shows the same results as the commands: a catalog is opened as in `validate`, with the editor's buffers
//! in place of their files. After each change the catalog is validated again from scratch, except that the indexes of
//! unchanged files are reused.
//!
//! One thread reads messages, one answers them in order, and folders are read on separate threads. Changes that arrive
//! together are validated once.

mod buffer;
mod catalog;
mod editor_state;
mod features;
mod problems;
mod transport;

use crate::error::{CliError, CliResult};
use editor_state::{Client, EditorState};
use lsp_types as lsp;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use session::Refused;
use std::collections::VecDeque;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver};
use transport::Incoming;

const PARSE_ERROR: i64 = -32700;
const INVALID_REQUEST: i64 = -32600;
const METHOD_NOT_FOUND: i64 = -32601;
const INVALID_PARAMS: i64 = -32602;
const NOT_INITIALIZED: i64 = -32002;
const REQUEST_FAILED: i64 = -32803;
const REQUEST_CANCELLED: i64 = -32800;

/// Exit status if the client disconnects without `exit`.
const LEFT_EARLY: u8 = 1;

/// Serves one client until it disconnects. `dirs` are the catalogs given by the user.
pub(super) fn run(dirs: &[PathBuf]) -> CliResult {
    let (sender, receiver) = mpsc::sync_channel(64);
    let folder_read = sender.clone();
    // This thread ends with the process, even while it blocks.
    std::thread::spawn(move || {
        let mut input = io::stdin().lock();
        while let Ok(Some(incoming)) = transport::read(&mut input) {
            if sender.send(incoming).is_err() {
                return;
            }
        }
        let _ = sender.send(Incoming::End);
    });
    let here = std::env::current_dir()?;
    let catalogs = dirs
        .iter()
        .map(|dir| buffer::plain(&here.join(dir)))
        .collect();
    let mut server = Server {
        editor: EditorState::new(catalogs, folder_read),
        state: State::New,
        output: io::stdout().lock(),
        requests: 0,
    };
    server.run(&receiver)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Initialized,
    /// Waiting for `exit`.
    ShutDown,
}

struct Server<W> {
    editor: EditorState,
    state: State,
    output: W,
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

impl<W: Write> Server<W> {
    fn run(&mut self, receiver: &Receiver<Incoming>) -> CliResult {
        let mut waiting: VecDeque<Incoming> = VecDeque::new();
        loop {
            if waiting.is_empty() {
                waiting.push_back(receiver.recv().unwrap_or(Incoming::End));
            }
            waiting.extend(receiver.try_iter());
            while let Some(incoming) = waiting.pop_front() {
                let message = match incoming {
                    Incoming::Malformed(reason) => {
                        self.answer(Value::Null, Err(Failure(PARSE_ERROR, reason)))?;
                        continue;
                    }
                    Incoming::FolderRead => continue,
                    Incoming::End => return Ok(self.exit_status()),
                    Incoming::Message(message) => message,
                };
                if message["method"] == "exit" {
                    return Ok(self.exit_status());
                }
                let cancelled = !message["id"].is_null()
                    && waiting.iter().any(|other: &Incoming| match other {
                        Incoming::Message(other) => {
                            other["method"] == "$/cancelRequest"
                                && other["params"]["id"] == message["id"]
                        }
                        Incoming::Malformed(_) | Incoming::FolderRead | Incoming::End => false,
                    });
                self.take(message, cancelled)?;
            }
            if self.state == State::Initialized {
                for diagnostics in self.editor.settle() {
                    self.notify("textDocument/publishDiagnostics", &diagnostics)?;
                }
            }
        }
    }

    fn exit_status(&self) -> u8 {
        match self.state {
            State::ShutDown => 0,
            State::New | State::Initialized => LEFT_EARLY,
        }
    }

    fn take(&mut self, mut message: Value, cancelled: bool) -> Result<(), CliError> {
        // A message that is not an object has none of these keys.
        let mut take = |key: &str| message.get_mut(key).map(Value::take).unwrap_or_default();
        let (id, params) = (take("id"), take("params"));
        let Some(method) = message["method"].as_str() else {
            // A response to one of the server's requests, or an invalid message.
            let is_answer = message.get("result").is_some() || message.get("error").is_some();
            return match is_answer {
                true => Ok(()),
                false => self.answer(
                    id,
                    Err(Failure(
                        INVALID_REQUEST,
                        "a message without a method".to_owned(),
                    )),
                ),
            };
        };
        let is_request = !id.is_null();
        match (is_request, self.state, method) {
            (true, _, _) if cancelled => self.answer(
                id,
                Err(Failure(
                    REQUEST_CANCELLED,
                    "cancelled by the client".to_owned(),
                )),
            ),
            (true, State::New, "initialize") => {
                let answer = self.initialize(params);
                self.answer(id, answer)
            }
            (true, State::New, _) => self.answer(
                id,
                Err(Failure(
                    NOT_INITIALIZED,
                    "`initialize` comes first".to_owned(),
                )),
            ),
            (true, State::ShutDown, _) | (true, _, "initialize") => self.answer(
                id,
                Err(Failure(
                    INVALID_REQUEST,
                    format!("`{method}` is not expected now"),
                )),
            ),
            (true, State::Initialized, "shutdown") => {
                self.state = State::ShutDown;
                self.answer(id, Ok(Value::Null))
            }
            (true, State::Initialized, _) => {
                let answer = self.request(method, params);
                self.answer(id, answer)
            }
            (false, State::Initialized, "initialized") => self.watch_files(),
            (false, State::Initialized, _) => {
                self.notification(method, params);
                Ok(())
            }
            (false, State::New | State::ShutDown, _) => Ok(()),
        }
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
        let mut folders: Vec<PathBuf> = folders.filter_map(buffer::to_path).collect();
        if folders.is_empty() {
            folders.extend(root.and_then(buffer::to_path));
        }
        let workspace = params.capabilities.workspace.unwrap_or_default();
        let edit = workspace.workspace_edit.unwrap_or_default();
        let makes_files = edit
            .resource_operations
            .unwrap_or_default()
            .contains(&lsp::ResourceOperationKind::Create);
        let watched = workspace.did_change_watched_files.unwrap_or_default();
        let takes_versions = edit.document_changes.unwrap_or_default();
        self.editor.client = Client {
            folders,
            makes_files: makes_files && takes_versions,
            takes_versions,
            watches_files: watched.dynamic_registration.unwrap_or_default(),
        };
        self.state = State::Initialized;
        self.editor.start();
        let server_info = json!({ "name": "switchyard", "version": env!("CARGO_PKG_VERSION") });
        Ok(json!({ "capabilities": serialize(&capabilities())?, "serverInfo": server_info }))
    }

    /// Asks the client to report changes of files on disk.
    fn watch_files(&mut self) -> Result<(), CliError> {
        if !self.editor.client.watches_files {
            return Ok(());
        }
        let globs =
            ["**/*.{yaml,yml,json}", "**/.indexignore"].map(|glob| json!({ "globPattern": glob }));
        let registration = json!({
            "id": "files", "method": "workspace/didChangeWatchedFiles", "registerOptions": { "watchers": globs },
        });
        self.requests += 1;
        let id = format!("switchyard-{}", self.requests);
        self.send(&json!({
            "jsonrpc": "2.0", "id": id, "method": "client/registerCapability",
            "params": { "registrations": [registration] },
        }))
    }

    /// Ignores unknown or invalid notifications, which need no response.
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
                    let removed = folder_paths(&params.event.removed);
                    let folders = &mut self.editor.client.folders;
                    folders.retain(|folder| !removed.contains(folder));
                    folders.extend(folder_paths(&params.event.added));
                }
            }
            _ => {}
        }
    }

    fn request(&mut self, method: &str, params: Value) -> Answer {
        match method {
            "textDocument/hover" => {
                let params: lsp::HoverParams = read(params)?;
                let place = params.text_document_position_params;
                let looked = self.editor.look(&place.text_document.uri);
                serialize(&looked.and_then(|(path, mut files, catalog, _)| {
                    features::hover(catalog, &mut files, &path, place.position)
                }))
            }
            "textDocument/completion" => {
                let params: lsp::CompletionParams = read(params)?;
                let place = params.text_document_position;
                let looked = self.editor.look(&place.text_document.uri);
                let items = looked.and_then(|(path, mut files, catalog, _)| {
                    Some(features::complete(
                        catalog,
                        files.buffer(&path)?,
                        place.position,
                    ))
                });
                serialize(&items.unwrap_or_default())
            }
            "textDocument/definition" => {
                let params: lsp::GotoDefinitionParams = read(params)?;
                let place = params.text_document_position_params;
                let looked = self.editor.look(&place.text_document.uri);
                let found = looked.map(|(path, mut files, catalog, _)| {
                    features::definitions(catalog, &mut files, &path, place.position)
                });
                serialize(&found.unwrap_or_default())
            }
            "textDocument/codeAction" => {
                let params: lsp::CodeActionParams = read(params)?;
                let kinds = params.context.only.unwrap_or_default();
                let is_requested = kinds.is_empty()
                    || kinds
                        .iter()
                        .any(|kind| ["", "quickfix"].contains(&kind.as_str()));
                let looked = self
                    .editor
                    .look(&params.text_document.uri)
                    .filter(|_| is_requested);
                let found = looked.map(|(path, mut files, catalog, client)| {
                    features::fixes(
                        catalog,
                        &mut files,
                        client,
                        &path,
                        params.range,
                        &params.context.diagnostics,
                    )
                });
                serialize(&found.unwrap_or_default())
            }
            "textDocument/prepareRename" => {
                let place: lsp::TextDocumentPositionParams = read(params)?;
                let (path, mut files, catalog, _) = self
                    .editor
                    .look(&place.text_document.uri)
                    .ok_or_else(not_open)?;
                serialize(&features::prepare_rename(
                    catalog,
                    &mut files,
                    &path,
                    place.position,
                )?)
            }
            "textDocument/rename" => {
                let params: lsp::RenameParams = read(params)?;
                let place = params.text_document_position;
                let (path, mut files, catalog, client) = self
                    .editor
                    .look(&place.text_document.uri)
                    .ok_or_else(not_open)?;
                serialize(&features::rename(
                    catalog,
                    &mut files,
                    client,
                    &path,
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

    fn answer(&mut self, id: Value, answer: Answer) -> Result<(), CliError> {
        self.send(&match answer {
            Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
            Err(Failure(code, message)) => {
                json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
            }
        })
    }

    fn notify(&mut self, method: &str, params: &impl Serialize) -> Result<(), CliError> {
        let params = serde_json::to_value(params)?;
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }))
    }

    fn send(&mut self, message: &Value) -> Result<(), CliError> {
        Ok(transport::write(&mut self.output, message)?)
    }
}

fn folder_paths(folders: &[lsp::WorkspaceFolder]) -> Vec<PathBuf> {
    folders
        .iter()
        .filter_map(|folder| buffer::to_path(&folder.uri))
        .collect()
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

fn not_open() -> Failure {
    Failure(
        REQUEST_FAILED,
        "the document is not part of a catalog".to_owned(),
    )
}

fn read<T: DeserializeOwned>(params: Value) -> Result<T, Failure> {
    serde_json::from_value(params).map_err(|error| Failure(INVALID_PARAMS, error.to_string()))
}

fn serialize(answer: &impl Serialize) -> Answer {
    serde_json::to_value(answer).map_err(|error| Failure(REQUEST_FAILED, error.to_string()))
}
