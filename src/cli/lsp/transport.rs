//! The protocol's message frames: headers, an empty line, and the announced number of bytes of
//! JSON. An unreadable message is reported, and reading continues with the next one.

use serde_json::Value;
use std::io::{self, BufRead, Read, Write};

/// An event for the server.
#[derive(Debug, PartialEq)]
pub(super) enum Incoming {
    Message(Value),
    FolderRead,
    /// The client has disconnected.
    End,
    /// The reason why a frame does not contain a message.
    Malformed(String),
}

/// Limit for a message, in bytes. A client that announces more is not trusted.
const MAX_MESSAGE_BYTES: u64 = 1 << 30;
const MAX_HEADER_BYTES: u64 = 8 * 1024;

/// Reads the next frame; `None` after the client has disconnected.
pub(super) fn read(input: &mut impl BufRead) -> io::Result<Option<Incoming>> {
    let mut length = None;
    loop {
        let Some(line) = read_header_line(input)? else {
            return Ok(None);
        };
        let line = line.trim_ascii();
        if line.is_empty() {
            // Tolerate empty lines between messages.
            if let Some(length) = length {
                return read_content(input, length);
            }
            continue;
        }
        let text = String::from_utf8_lossy(line);
        let Some((name, value)) = text.split_once(':') else {
            return Ok(Some(Incoming::Malformed(
                "a header without a colon".to_owned(),
            )));
        };
        if name.trim().eq_ignore_ascii_case("content-length") {
            let value = value.trim();
            let Ok(bytes) = value.parse() else {
                let reason = format!("`{value}` is no length");
                return Ok(Some(Incoming::Malformed(reason)));
            };
            length = Some(bytes);
        }
    }
}

pub(super) fn write(output: &mut impl Write, message: &Value) -> io::Result<()> {
    let text = message.to_string();
    write!(output, "Content-Length: {}\r\n\r\n{text}", text.len())?;
    output.flush()
}

/// Reads a line including its line break. Cuts it if it is too long. `None` at the end of the
/// input.
fn read_header_line(input: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    let read = input
        .by_ref()
        .take(MAX_HEADER_BYTES)
        .read_until(b'\n', &mut line)?;
    Ok((read > 0).then_some(line))
}

fn read_content(input: &mut impl BufRead, length: u64) -> io::Result<Option<Incoming>> {
    if length > MAX_MESSAGE_BYTES {
        io::copy(&mut input.by_ref().take(length), &mut io::sink())?;
        return Ok(Some(Incoming::Malformed(format!(
            "a message of {length} bytes is too long"
        ))));
    }
    let mut bytes = Vec::new();
    let read = input.by_ref().take(length).read_to_end(&mut bytes)?;
    if (read as u64) < length {
        return Ok(None);
    }
    Ok(Some(match serde_json::from_slice(&bytes) {
        Ok(message) => Incoming::Message(message),
        Err(error) => Incoming::Malformed(error.to_string()),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn all(input: &[u8]) -> Vec<Incoming> {
        let mut input = input;
        let mut found = Vec::new();
        while let Some(message) = read(&mut input).unwrap() {
            found.push(message);
        }
        found
    }

    #[test]
    fn round_trips() {
        let mut bytes = Vec::new();
        write(&mut bytes, &json!({ "a": "ä" })).unwrap();
        write(&mut bytes, &json!(1)).unwrap();
        assert_eq!(
            all(&bytes),
            [
                Incoming::Message(json!({ "a": "ä" })),
                Incoming::Message(json!(1))
            ]
        );
    }

    #[test]
    fn a_malformed_message_does_not_hide_later_ones() {
        let malformed = |incoming: &Incoming| matches!(incoming, Incoming::Malformed(_));
        for broken in [
            "Content-Length: 3\r\n\r\n{\"a",
            "Content-Length: x\r\n\r\n",
            "nonsense\r\n",
            "Content-Length: -1\r\n\r\n",
        ] {
            let found = all(format!("{broken}content-length: 2\nContent-Type: x\n\n[]").as_bytes());
            assert!(malformed(&found[0]), "{broken}");
            assert_eq!(found[1..], [Incoming::Message(json!([]))], "{broken}");
        }
        assert_eq!(all(b"Content-Length: 9\r\n\r\n{}"), [], "cut short");
        assert!(all(&vec![b'x'; 20_000]).iter().all(malformed));
    }
}
