//! As much of HTTP as a browser on the same machine needs: a request has size limits, an answer has a length, and the
//! connection closes after it. Must know neither pages nor folders.

use crate::output::percent;
use std::io::{self, BufRead, Read, Write};

/// A request without its body.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Request {
    pub(super) method: String,
    /// Without the query, decoded.
    pub(super) path: String,
    /// Not decoded.
    pub(super) query: String,
    /// Names in lower case.
    headers: Vec<(String, String)>,
}

/// A response.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Response {
    pub(super) status: u16,
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) body: Vec<u8>,
}

/// Longest line of a request, in bytes, and most lines.
const MOST_LINE: u64 = 16 * 1024;
const MOST_HEADERS: usize = 100;

impl Request {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }

    /// A parameter of the query, decoded.
    pub(super) fn parameter(&self, name: &str) -> Option<String> {
        let pairs = self
            .query
            .split('&')
            .filter_map(|pair| pair.split_once('='));
        pairs
            .into_iter()
            .find(|(key, _)| *key == name)
            .and_then(|(_, value)| decode(value))
    }

    /// Length of the body; `None` if it is missing or chunked.
    pub(super) fn length(&self) -> Option<u64> {
        if self.header("transfer-encoding").is_some() {
            return None;
        }
        self.header("content-length")?.parse().ok()
    }
}

impl Response {
    pub(super) fn new(status: u16, kind: &str, body: impl Into<Vec<u8>>) -> Self {
        Self {
            status,
            headers: vec![("Content-Type", kind.to_owned())],
            body: body.into(),
        }
    }

    pub(super) fn text(status: u16, text: &str) -> Self {
        Self::new(status, "text/plain; charset=utf-8", format!("{text}\n"))
    }

    pub(super) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    pub(super) fn write(&self, output: &mut impl Write, with_body: bool) -> io::Result<()> {
        let mut head = format!("HTTP/1.1 {} {}\r\n", self.status, reason(self.status));
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str(&format!(
            "Content-Length: {}\r\nConnection: close\r\n\r\n",
            self.body.len()
        ));
        output.write_all(head.as_bytes())?;
        if with_body {
            output.write_all(&self.body)?;
        }
        output.flush()
    }
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        409 => "Conflict",
        411 => "Length Required",
        413 => "Content Too Large",
        _ => "Internal Server Error",
    }
}

/// Reads a request up to its body; the inner error is the response to an invalid one. `None`: the connection was
/// closed.
pub(super) fn read(input: &mut impl BufRead) -> io::Result<Option<Result<Request, Response>>> {
    let Some(first) = line(input)? else {
        return Ok(None);
    };
    let refused = |why: &str| Ok(Some(Err(Response::text(400, why))));
    let mut parts = first.split(' ');
    let (Some(method), Some(target), Some(version), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return refused("this is not a request of HTTP/1.1");
    };
    if !version.starts_with("HTTP/1.") || !target.starts_with('/') {
        return refused("this is not a request of HTTP/1.1");
    }
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let Some(path) = decode(path) else {
        return refused("the path is not UTF-8, or wrongly escaped");
    };
    let mut request = Request {
        method: method.to_owned(),
        path,
        query: query.to_owned(),
        headers: Vec::new(),
    };
    loop {
        match line(input)? {
            None => return refused("the request is cut short"),
            Some(line) if line.is_empty() => return Ok(Some(Ok(request))),
            Some(_) if request.headers.len() >= MOST_HEADERS => return refused("too many headers"),
            Some(line) => match line.split_once(':') {
                Some((name, value)) if !name.is_empty() && !name.contains(' ') => {
                    let name = name.to_ascii_lowercase();
                    // Two different values would be ambiguous.
                    if ["host", "origin", "content-length"].contains(&name.as_str())
                        && request.header(&name).is_some()
                    {
                        return refused("a header is there twice");
                    }
                    request.headers.push((name, value.trim().to_owned()));
                }
                _ => return refused("a header without a name"),
            },
        }
    }
}

/// A line without its end; `None` at the end of the input. A line that is too long is cut, which makes it an invalid
/// header.
fn line(input: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    if input
        .by_ref()
        .take(MOST_LINE)
        .read_until(b'\n', &mut bytes)?
        == 0
    {
        return Ok(None);
    }
    let text = String::from_utf8_lossy(&bytes);
    Ok(Some(text.trim_end_matches(['\r', '\n']).to_owned()))
}

/// Decodes the escapes of a text; `None` if the result is not UTF-8.
fn decode(text: &str) -> Option<String> {
    String::from_utf8(percent::decode(text)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(text: &str) -> Result<Request, u16> {
        read(&mut text.as_bytes())
            .unwrap()
            .unwrap()
            .map_err(|refused| refused.status)
    }

    #[test]
    fn a_request_is_taken_apart() {
        let found =
            request("GET /a%20b?path=x%2Fy&z=1 HTTP/1.1\r\nHost: 127.0.0.1:1\r\nX: y\r\n\r\n")
                .unwrap();
        assert_eq!(
            (found.method.as_str(), found.path.as_str()),
            ("GET", "/a b")
        );
        assert_eq!(found.parameter("path").as_deref(), Some("x/y"));
        assert_eq!(
            (found.header("host"), found.header("none")),
            (Some("127.0.0.1:1"), None)
        );
        assert_eq!(read(&mut &b""[..]).unwrap(), None);
    }

    #[test]
    fn malformed_requests_are_refused() {
        for text in [
            "hello\r\n\r\n",
            "GET / HTTP/1.1 x\r\n\r\n",
            "GET http://other/ HTTP/1.1\r\n\r\n",
            "GET /%ff HTTP/1.1\r\n\r\n",
            "GET /%2 HTTP/1.1\r\n\r\n",
            "GET / HTTP/1.1\r\nno header\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\n",
            &format!("GET / HTTP/1.1\r\n{}\r\n", "a: b\r\n".repeat(200)),
            &format!("GET /{} HTTP/1.1\r\n\r\n", "a".repeat(40_000)),
        ] {
            assert_eq!(request(text), Err(400), "{}", &text[..text.len().min(60)]);
        }
    }

    #[test]
    fn a_length_is_known_or_not() {
        let length = |headers: &str| {
            request(&format!("PUT / HTTP/1.1\r\n{headers}\r\n"))
                .unwrap()
                .length()
        };
        assert_eq!(length("Content-Length: 12\r\n"), Some(12));
        assert_eq!(
            length("Content-Length: 12\r\nTransfer-Encoding: chunked\r\n"),
            None
        );
        assert_eq!(length("Content-Length: -1\r\n"), None);
        assert_eq!(length(""), None);
    }
}
