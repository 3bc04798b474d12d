//! Requests and responses of HTTP/1.1, and which requests may access the folder's files.

use crate::input::walk;
use std::io::{self, BufRead, Read, Write};

/// Limits for a request: bytes of a line, and number of headers.
const MAX_LINE_BYTES: u64 = 16 * 1024;
const MAX_HEADERS: usize = 100;

/// A request without its body.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Request {
    pub method: String,
    /// Without the query, decoded.
    pub path: String,
    /// Not decoded.
    pub query: String,
    /// Names in lower case.
    headers: Vec<(String, String)>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Response {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub body: Vec<u8>,
}

impl Request {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(other, _)| other == name)
            .map(|(_, value)| value.as_str())
    }

    /// Adds the header of a line. The error is the reason why it is invalid.
    fn add_header(&mut self, line: &str) -> Result<(), &'static str> {
        let header = line
            .split_once(':')
            .filter(|(name, _)| !name.is_empty() && !name.contains(' '));
        let Some((name, value)) = header else {
            return Err("a header without a name");
        };
        let name = name.to_ascii_lowercase();
        // Two different values would be ambiguous.
        if ["host", "origin", "content-length"].contains(&&*name) && self.header(&name).is_some() {
            return Err("a header is there twice");
        }
        self.headers.push((name, value.trim().to_owned()));
        Ok(())
    }

    /// Returns a parameter of the query, decoded.
    pub fn parameter(&self, name: &str) -> Option<String> {
        let mut pairs = self
            .query
            .split('&')
            .filter_map(|pair| pair.split_once('='));
        let (_, value) = pairs.find(|(key, _)| *key == name)?;
        decode(value)
    }

    /// Returns the length of the body; `None` if it is missing or chunked.
    pub fn length(&self) -> Option<u64> {
        if self.header("transfer-encoding").is_some() {
            return None;
        }
        self.header("content-length")?.parse().ok()
    }
}

impl Response {
    pub fn new(status: u16, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        Self {
            status,
            headers: vec![("Content-Type", content_type.to_owned())],
            body: body.into(),
        }
    }

    pub fn text(status: u16, text: &str) -> Self {
        Self::new(status, "text/plain; charset=utf-8", format!("{text}\n"))
    }

    pub fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    pub fn write(&self, output: &mut impl Write, with_body: bool) -> io::Result<()> {
        let mut head = format!(
            "HTTP/1.1 {} {}\r\n",
            self.status,
            reason_phrase(self.status)
        );
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

fn reason_phrase(status: u16) -> &'static str {
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

/// Reads a request up to its body. The inner error is the response to an invalid one. `None` if the
/// connection was closed.
pub(super) fn read(input: &mut impl BufRead) -> io::Result<Option<Result<Request, Response>>> {
    let Some(request_line) = read_line(input)? else {
        return Ok(None);
    };
    let mut parts = request_line.split(' ');
    let (Some(method), Some(target), Some(version), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return refuse("this is not a request of HTTP/1.1");
    };
    if !version.starts_with("HTTP/1.") || !target.starts_with('/') {
        return refuse("this is not a request of HTTP/1.1");
    }
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let Some(path) = decode(path) else {
        return refuse("the path is not UTF-8, or wrongly escaped");
    };
    let mut request = Request {
        method: method.to_owned(),
        path,
        query: query.to_owned(),
        headers: Vec::new(),
    };
    loop {
        match read_line(input)? {
            None => return refuse("the request is cut short"),
            Some(line) if line.is_empty() => return Ok(Some(Ok(request))),
            Some(_) if request.headers.len() >= MAX_HEADERS => return refuse("too many headers"),
            Some(line) => {
                if let Err(reason) = request.add_header(&line) {
                    return refuse(reason);
                }
            }
        }
    }
}

fn refuse(reason: &str) -> io::Result<Option<Result<Request, Response>>> {
    Ok(Some(Err(Response::text(400, reason))))
}

/// Reads a line without its line break; `None` at the end of the input. Cuts a line that is too
/// long, which makes it an invalid header.
fn read_line(input: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    if input
        .by_ref()
        .take(MAX_LINE_BYTES)
        .read_until(b'\n', &mut bytes)?
        == 0
    {
        return Ok(None);
    }
    let text = String::from_utf8_lossy(&bytes);
    Ok(Some(text.trim_end_matches(['\r', '\n']).to_owned()))
}

/// Decodes percent escapes; `None` if the result is not UTF-8.
fn decode(text: &str) -> Option<String> {
    String::from_utf8(walk::percent_decode(text)?).ok()
}

/// The host names and the token that requests must have.
#[derive(Debug, Clone)]
pub(super) struct Guard {
    /// Names of the server, with the port.
    hosts: Vec<String>,
    token: String,
}

/// Why a request is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RejectedRequest {
    /// It is for another host name, such as one rebound to this machine, or from another site.
    Elsewhere,
    NoToken,
}

impl Guard {
    pub fn new(port: u16, token: &str) -> Self {
        let hosts = ["127.0.0.1", "localhost", "[::1]"]
            .map(|name| format!("{name}:{port}"))
            .to_vec();
        Self {
            hosts,
            token: token.to_owned(),
        }
    }

    /// Checks that a request is for this server, and comes from one of its pages or the address
    /// bar.
    pub fn check_origin(&self, request: &Request) -> Result<(), RejectedRequest> {
        let is_host = |host: &str| self.hosts.iter().any(|own| own.eq_ignore_ascii_case(host));
        if !request.header("host").is_some_and(is_host) {
            return Err(RejectedRequest::Elsewhere);
        }
        match request.header("origin") {
            Some(origin) if !origin.strip_prefix("http://").is_some_and(is_host) => {
                Err(RejectedRequest::Elsewhere)
            }
            _ => Ok(()),
        }
    }

    /// Checks that a request may access the files of the folder.
    pub fn check_file_access(&self, request: &Request) -> Result<(), RejectedRequest> {
        self.check_origin(request)?;
        if request
            .header("sec-fetch-site")
            .is_some_and(|site| site != "same-origin")
        {
            return Err(RejectedRequest::Elsewhere);
        }
        let token = request
            .header("authorization")
            .and_then(|value| value.strip_prefix("Bearer "));
        match token {
            Some(token) if is_equal(token.as_bytes(), self.token.as_bytes()) => Ok(()),
            _ => Err(RejectedRequest::NoToken),
        }
    }
}

/// Compares in constant time, so that the duration does not reveal a prefix.
fn is_equal(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len()
        && a.iter()
            .zip(b)
            .fold(0, |difference, (a, b)| difference | (a ^ b))
            == 0
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
    fn a_request_is_parsed() {
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

#[cfg(test)]
mod guard_tests {
    use super::*;
    use crate::serve::http;

    fn check_request(headers: &str) -> Result<(), RejectedRequest> {
        let text = format!("GET /api/files HTTP/1.1\r\n{headers}\r\n");
        let request = http::read(&mut text.as_bytes()).unwrap().unwrap().unwrap();
        Guard::new(8170, "secret").check_file_access(&request)
    }

    #[test]
    fn only_our_page_with_the_token_is_allowed() {
        let token = "Authorization: Bearer secret\r\n";
        for own in [
            "Host: 127.0.0.1:8170\r\n",
            "Host: LOCALHOST:8170\r\nOrigin: http://localhost:8170\r\nSec-Fetch-Site: same-origin\r\n",
        ] {
            assert_eq!(check_request(&format!("{own}{token}")), Ok(()));
            for wrong in [
                "",
                "Authorization: Bearer secre\r\n",
                "Authorization: Bearer \r\n",
                "Authorization: secret\r\n",
            ] {
                assert_eq!(
                    check_request(&format!("{own}{wrong}")),
                    Err(RejectedRequest::NoToken)
                );
            }
        }
        for elsewhere in [
            "",
            "Host: evil.example:8170\r\n",
            "Host: 127.0.0.1:80\r\n",
            "Host: 127.0.0.1\r\n",
            "Host: 127.0.0.1:8170\r\nOrigin: http://evil.example\r\n",
            "Host: 127.0.0.1:8170\r\nOrigin: null\r\n",
            "Host: 127.0.0.1:8170\r\nOrigin: http://127.0.0.1:8171\r\n",
            "Host: 127.0.0.1:8170\r\nOrigin: https://127.0.0.1:8170\r\n",
            "Host: 127.0.0.1:8170\r\nSec-Fetch-Site: cross-site\r\n",
            "Host: 127.0.0.1:8170\r\nSec-Fetch-Site: same-site\r\n",
        ] {
            assert_eq!(
                check_request(&format!("{elsewhere}{token}")),
                Err(RejectedRequest::Elsewhere),
                "{elsewhere}"
            );
        }
    }
}
