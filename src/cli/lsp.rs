//! `switchyard lsp`: a language server over standard input and output.
//!
//! One thread reads messages, one answers them in order, and folders are read on separate threads.

mod host;
mod transport;

use crate::error::CliResult;
use host::DiskHost;
use language_server::{Server, normalize, respond_to_malformed};
use serde_json::Value;
use std::collections::VecDeque;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver};
use transport::Incoming;

/// Exit status if the session ends without `shutdown`.
const ENDED_WITHOUT_SHUTDOWN: u8 = 1;
/// Number of messages that are read ahead.
const QUEUE_LENGTH: usize = 64;

/// Serves one client until it disconnects. The catalogs in `dirs` are open all the time.
pub(super) fn run(dirs: &[PathBuf]) -> CliResult {
    let (sender, receiver) = mpsc::sync_channel(QUEUE_LENGTH);
    let host = DiskHost::new(sender.clone());
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
    let current_dir = std::env::current_dir()?;
    let catalogs = dirs
        .iter()
        .map(|dir| normalize(&current_dir.join(dir)))
        .collect();
    let mut server = Server::new(catalogs, Box::new(host));
    serve(&mut server, &receiver, &mut io::stdout().lock())?;
    Ok(if server.is_shut_down() {
        0
    } else {
        ENDED_WITHOUT_SHUTDOWN
    })
}

/// Answers until the client disconnects. Changes that arrive together are validated once.
fn serve(
    server: &mut Server,
    receiver: &Receiver<Incoming>,
    output: &mut impl Write,
) -> io::Result<()> {
    let mut pending: VecDeque<Incoming> = VecDeque::new();
    loop {
        if pending.is_empty() {
            pending.push_back(receiver.recv().unwrap_or(Incoming::End));
        }
        pending.extend(receiver.try_iter());
        while let Some(incoming) = pending.pop_front() {
            let response = match incoming {
                Incoming::Malformed(reason) => Some(respond_to_malformed(reason)),
                Incoming::FolderRead => None,
                Incoming::End => return Ok(()),
                Incoming::Message(message) if message["method"] == "exit" => return Ok(()),
                Incoming::Message(message) => {
                    let is_cancelled = is_cancelled(&message, &pending);
                    server.handle(message, is_cancelled)
                }
            };
            if let Some(response) = response {
                transport::write(output, &response)?;
            }
        }
        for message in server.publish_problems() {
            transport::write(output, &message)?;
        }
    }
}

/// Whether one of the later messages cancels this request.
fn is_cancelled(message: &Value, later: &VecDeque<Incoming>) -> bool {
    let id = &message["id"];
    !id.is_null()
        && later.iter().any(|incoming| {
            matches!(incoming, Incoming::Message(other)
                if other["method"] == "$/cancelRequest" && other["params"]["id"] == *id)
        })
}
