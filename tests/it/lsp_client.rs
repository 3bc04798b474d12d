//! A client of `switchyard lsp` that sends messages and waits for the answers, as an editor does.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;
use test_support::Folder;

/// Longest wait for an answer, generous for a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct Client {
    child: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    asked: i64,
    /// The published diagnostics of each document.
    pub(crate) shown: BTreeMap<String, Vec<Value>>,
    /// Requests by the server.
    pub(crate) requests: Vec<Value>,
}

impl Client {
    /// Starts the server in a folder with these arguments, without sending a message.
    pub(crate) fn start(folder: &Folder, args: &[&str]) -> Self {
        let mut child = folder
            .command(&["lsp"])
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            while let Some(message) = read(&mut output) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let input = child.stdin.take();
        Self {
            child,
            input,
            messages,
            asked: 0,
            shown: BTreeMap::new(),
            requests: Vec::new(),
        }
    }

    /// Starts and initializes like an editor with the folder open and all capabilities.
    pub(crate) fn start_initialized(folder: &Folder, args: &[&str]) -> Self {
        let folders = json!([{ "uri": uri(folder, ""), "name": "top" }]);
        Self::start_with_folders(folder, args, folders)
    }

    /// Like an editor with these folders open.
    pub(crate) fn start_with_folders(folder: &Folder, args: &[&str], folders: Value) -> Self {
        let mut client = Self::start(folder, args);
        let capabilities = json!({ "workspace": {
            "workspaceEdit": { "documentChanges": true, "resourceOperations": ["create", "rename", "delete"] },
            "didChangeWatchedFiles": { "dynamicRegistration": true },
        } });
        let answer = client.ask(
            "initialize",
            json!({ "processId": null, "rootUri": null, "capabilities": capabilities, "workspaceFolders": folders }),
        );
        assert_eq!(
            answer["result"]["serverInfo"]["name"], "switchyard",
            "{answer}"
        );
        client.notify("initialized", json!({}));
        client
    }

    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(bytes).unwrap();
        input.flush().unwrap();
    }

    pub(crate) fn send(&mut self, message: &Value) {
        let text = message.to_string();
        self.raw(format!("Content-Length: {}\r\n\r\n{text}", text.len()).as_bytes());
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a request and waits for the answer.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        self.asked += 1;
        let id = self.asked;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        self.answer(&json!(id))
    }

    pub(crate) fn result(&mut self, method: &str, params: Value) -> Value {
        let mut answer = self.ask(method, params);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].take()
    }

    /// Waits for the answer to a request; stores other messages.
    pub(crate) fn answer(&mut self, id: &Value) -> Value {
        loop {
            let message = self.messages.recv_timeout(PATIENCE).expect("an answer");
            match message["method"].as_str() {
                Some("textDocument/publishDiagnostics") => {
                    let uri = message["params"]["uri"].as_str().unwrap().to_owned();
                    self.shown.insert(
                        uri,
                        message["params"]["diagnostics"].as_array().unwrap().clone(),
                    );
                }
                Some(_) => self.requests.push(message),
                None if message["id"] == *id => return message,
                None => panic!("nobody asked for {message}"),
            }
        }
    }

    pub(crate) fn open(&mut self, folder: &Folder, path: &str, text: &str) {
        let document =
            json!({ "uri": uri(folder, path), "languageId": "yaml", "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }

    /// The diagnostics after everything sent so far is validated.
    pub(crate) fn diagnostics_of(&mut self, folder: &Folder, path: &str) -> Vec<Value> {
        // Diagnostics are published before the next message is handled.
        let here = json!({ "textDocument": { "uri": uri(folder, path) }, "position": { "line": 0, "character": 0 } });
        self.ask("textDocument/hover", here.clone());
        self.ask("textDocument/hover", here);
        self.shown
            .get(&uri(folder, path))
            .cloned()
            .unwrap_or_default()
    }

    /// Shuts down properly; returns the exit status.
    pub(crate) fn end(mut self) -> i32 {
        let answer = self.ask("shutdown", Value::Null);
        assert_eq!(answer["result"], Value::Null, "{answer}");
        self.notify("exit", Value::Null);
        self.child.wait().unwrap().code().unwrap()
    }

    /// Disconnects without a message; returns the exit status.
    pub(crate) fn disconnect(mut self) -> i32 {
        drop(self.input.take());
        self.child.wait().unwrap().code().unwrap()
    }
}

/// The URI of a path whose characters need no escape.
pub(crate) fn uri(folder: &Folder, path: &str) -> String {
    let path = folder.path().join(path).display().to_string();
    format!("file://{}", path.trim_end_matches('/').replace(' ', "%20"))
}

fn read(output: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim() {
            "" => break,
            line => length = line.strip_prefix("Content-Length: ")?.parse().ok()?,
        }
    }
    let mut bytes = vec![0; length];
    output.read_exact(&mut bytes).ok()?;
    serde_json::from_slice(&bytes).ok()
}
