//! `switchyard lsp`: a language server over standard input and output.
//!
//! One thread reads messages, one answers them in order, and folders are read on separate threads.

mod host;
mod transport;

use crate::error::CliResult;
use host::DiskHost;
use language_server::{Server, answer_malformed, plain};
use std::collections::VecDeque;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver};
use transport::Incoming;

/// Exit status if the session ends without `shutdown`.
const LEFT_EARLY: u8 = 1;

/// Serves one client until it disconnects. `dirs` are the catalogs given by the user.
pub(super) fn run(dirs: &[PathBuf]) -> CliResult {
    let (sender, receiver) = mpsc::sync_channel(64);
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
    let here = std::env::current_dir()?;
    let catalogs = dirs.iter().map(|dir| plain(&here.join(dir))).collect();
    let mut server = Server::new(catalogs, Box::new(host));
    serve(&mut server, &receiver, &mut io::stdout().lock())?;
    Ok(if server.is_shut_down() { 0 } else { LEFT_EARLY })
}

/// Answers until the client disconnects. Changes that arrive together are validated once.
fn serve(
    server: &mut Server,
    receiver: &Receiver<Incoming>,
    output: &mut impl Write,
) -> io::Result<()> {
    let mut waiting: VecDeque<Incoming> = VecDeque::new();
    loop {
        if waiting.is_empty() {
            waiting.push_back(receiver.recv().unwrap_or(Incoming::End));
        }
        waiting.extend(receiver.try_iter());
        while let Some(incoming) = waiting.pop_front() {
            let answer = match incoming {
                Incoming::Malformed(reason) => Some(answer_malformed(reason)),
                Incoming::FolderRead => None,
                Incoming::End => return Ok(()),
                Incoming::Message(message) if message["method"] == "exit" => return Ok(()),
                Incoming::Message(message) => {
                    let is_cancelled = !message["id"].is_null()
                        && waiting.iter().any(|other: &Incoming| match other {
                            Incoming::Message(other) => {
                                other["method"] == "$/cancelRequest"
                                    && other["params"]["id"] == message["id"]
                            }
                            Incoming::Malformed(_) | Incoming::FolderRead | Incoming::End => false,
                        });
                    server.take(message, is_cancelled)
                }
            };
            if let Some(answer) = answer {
                transport::write(output, &answer)?;
            }
        }
        for message in server.settle() {
            transport::write(output, &message)?;
        }
    }
}
