//! A static file server on the local machine, for developing and for journeys. Browsers may cache
//! files that are named by their content without a limit. Pages that follow the sources receive
//! events.

use crate::watch::Board;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

const HOST: &str = "127.0.0.1";
const DEFAULT_PORT: u16 = 8080;
/// Extra paths of a page that follows the sources.
const EVENTS_PATH: &str = "_dev/news";
const FOLLOW_SCRIPT_PATH: &str = "_dev/follow.js";
const FOLLOW_TAG: &str = "<script type=\"module\" src=\"./_dev/follow.js\"></script></head>";
/// Interval of comments to a page that follows, to detect closed connections.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// The cache policy of files that may change under their name.
const REVALIDATE: &str = "no-cache";

struct Site {
    root: PathBuf,
    /// Path of the site on the server, without slashes at its ends.
    base_path: String,
    board: Option<Arc<Board>>,
}

/// Serves a folder until the process is ended. Options: `--port N` (0 for any), `--under
/// /some/path`. With a board, the pages receive the events posted there.
pub fn serve_folder(dir: &Path, args: &[&str], board: Option<Arc<Board>>) -> Result<(), String> {
    let base_path = option_value(args, "--under")
        .unwrap_or("/")
        .trim_matches('/')
        .to_owned();
    let listener = bind(option_value(args, "--port"))?;
    let address = listener.local_addr().map_err(|e| e.to_string())?;
    let path = if base_path.is_empty() {
        String::from("/")
    } else {
        format!("/{base_path}/")
    };
    println!(
        "Serving {} on http://{address}{path}  (end with Ctrl+C)",
        dir.display()
    );
    let root = dir
        .canonicalize()
        .map_err(|e| format!("cannot open {}: {e}", dir.display()))?;
    let site = Arc::new(Site {
        root,
        base_path,
        board,
    });
    for stream in listener.incoming().flatten() {
        let site = site.clone();
        std::thread::spawn(move || {
            // A client that disconnects is not an error.
            let _ = handle_connection(stream, &site);
        });
    }
    Ok(())
}

fn option_value<'a>(args: &[&'a str], name: &str) -> Option<&'a str> {
    let position = args.iter().position(|arg| *arg == name)?;
    args.get(position + 1).copied()
}

/// Listens on the requested port, or else on the default port, or on any port if that is in use.
fn bind(port: Option<&str>) -> Result<TcpListener, String> {
    let Some(text) = port else {
        return TcpListener::bind((HOST, DEFAULT_PORT))
            .or_else(|_| TcpListener::bind((HOST, 0)))
            .map_err(|e| format!("no local port can be used: {e}"));
    };
    let port: u16 = text
        .parse()
        .map_err(|_| format!("--port takes a number from 0 to 65535, not `{text}`"))?;
    TcpListener::bind((HOST, port))
        .map_err(|e| format!("port {port} cannot be used ({e}); name another with --port"))
}

/// Answers the requests of a connection until the client closes it.
fn handle_connection(mut stream: TcpStream, site: &Site) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    loop {
        let mut request = String::new();
        if reader.read_line(&mut request)? == 0 {
            return Ok(());
        }
        skip_headers(&mut reader)?;
        let mut parts = request.split_whitespace();
        let (method, target) = (parts.next().unwrap_or(""), parts.next().unwrap_or("/"));
        let path = if method == "GET" || method == "HEAD" {
            path_in_site(&site.base_path, target)
        } else {
            None
        };
        if let Some(board) = &site.board
            && path.as_deref() == Some(EVENTS_PATH)
        {
            return send_events(stream, board);
        }
        let response = match path {
            Some(path) => response_for(site, &path),
            None => Response::not_found(),
        };
        response.write_to(&mut stream, method != "HEAD")?;
    }
}

fn skip_headers(reader: &mut impl BufRead) -> std::io::Result<()> {
    let mut header = String::new();
    // The headers end with an empty line, `\r\n`.
    while reader.read_line(&mut header)? > 2 {
        header.clear();
    }
    Ok(())
}

struct Response {
    status: &'static str,
    content_type: &'static str,
    cache_control: &'static str,
    body: Vec<u8>,
}

impl Response {
    fn not_found() -> Self {
        Self {
            status: "404 Not Found",
            content_type: "text/plain; charset=utf-8",
            cache_control: REVALIDATE,
            body: b"not found\n".to_vec(),
        }
    }

    fn write_to(&self, stream: &mut TcpStream, with_body: bool) -> std::io::Result<()> {
        write!(
            stream,
            "HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nCache-Control: {}\r\n\r\n",
            self.status,
            self.content_type,
            self.body.len(),
            self.cache_control
        )?;
        if with_body {
            stream.write_all(&self.body)?;
        }
        stream.flush()
    }
}

fn response_for(site: &Site, path: &str) -> Response {
    let is_followed = site.board.is_some();
    let (file, mut body) = if is_followed && path == FOLLOW_SCRIPT_PATH {
        (PathBuf::from(path), include_bytes!("follow.js").to_vec())
    } else {
        let file = locate(&site.root, path);
        let Some((file, bytes)) =
            file.and_then(|file| Some((file.clone(), std::fs::read(file).ok()?)))
        else {
            return Response::not_found();
        };
        (file, bytes)
    };
    let mut cache_control = cache_policy(&file);
    if is_followed
        && file
            .extension()
            .is_some_and(|extension| extension == "html")
    {
        let html = String::from_utf8_lossy(&body).replacen("</head>", FOLLOW_TAG, 1);
        (cache_control, body) = (REVALIDATE, html.into_bytes());
    }
    Response {
        status: "200 OK",
        content_type: content_type(&file),
        cache_control,
        body,
    }
}

/// Returns how long a browser may cache a file: without limit if the file is named by its content,
/// such as `page-09ab…_bg.wasm`.
fn cache_policy(file: &Path) -> &'static str {
    let name = file
        .file_stem()
        .and_then(|stem| stem.to_str())
        .unwrap_or("");
    if name
        .split(['-', '_'])
        .any(|part: &str| part.len() >= 12 && part.bytes().all(|b| b.is_ascii_hexdigit()))
    {
        "public, max-age=31536000, immutable"
    } else {
        REVALIDATE
    }
}

/// Sends events until the client disconnects.
fn send_events(mut stream: TcpStream, board: &Board) -> std::io::Result<()> {
    let mut last_sent = board.number();
    stream.write_all(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\n\r\n",
    )?;
    loop {
        match board.next_after(last_sent, HEARTBEAT) {
            Some((number, event)) => {
                last_sent = number;
                stream.write_all(event.to_server_sent().as_bytes())?;
            }
            None => stream.write_all(b": still here\n\n")?,
        }
        stream.flush()?;
    }
}

/// Returns the path of a request relative to the site's base path; `None` if it is outside.
fn path_in_site(base_path: &str, target: &str) -> Option<String> {
    let path = target.split(['?', '#']).next()?.trim_start_matches('/');
    percent_decode(path.strip_prefix(base_path)?.trim_start_matches('/'))
}

/// Finds the file of a path; `None` if it is outside the folder or missing.
fn locate(root: &Path, decoded: &str) -> Option<PathBuf> {
    let relative = Path::new(decoded);
    if !relative
        .components()
        .all(|part| matches!(part, Component::Normal(_)))
    {
        return None;
    }
    let file = if decoded.is_empty() || decoded.ends_with('/') {
        root.join(relative).join("index.html")
    } else {
        root.join(relative)
    };
    file.is_file().then_some(file)
}

fn percent_decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        if byte == b'%' {
            let hex = std::str::from_utf8(tail.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(hex, 16).ok()?);
            rest = &tail[2..];
        } else {
            bytes.push(byte);
            rest = tail;
        }
    }
    String::from_utf8(bytes).ok()
}

fn content_type(file: &Path) -> &'static str {
    match file.extension().and_then(|e| e.to_str()).unwrap_or("") {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "wasm" => "application/wasm",
        "json" => "application/json",
        "webmanifest" => "application/manifest+json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "yaml" | "yml" | "md" | "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_with_a_content_hash_may_be_cached() {
        let is_kept = |name: &str| cache_policy(Path::new(name)).contains("immutable");
        assert!(
            is_kept("a/page-5f39ae813ee76240_bg.wasm") && is_kept("style-00f39ae813ee7624.css")
        );
        assert!(
            !is_kept("boot.js")
                && !is_kept("index.html")
                && !is_kept("sample/lantern/catalog.yaml")
        );
    }
}
