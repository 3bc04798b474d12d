//! A plain static file server on the local machine: GET only, no header but type and length, as the plainest host.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Component, Path, PathBuf};

const PORT: u16 = 8080;

/// Serves a folder until the process is ended. `--port N` (0 = any), `--under /some/path`.
pub(crate) fn folder(dir: &Path, args: &[&str]) -> Result<(), String> {
    let option = |name: &str| args.iter().position(|a| *a == name).and_then(|i| args.get(i + 1)).copied();
    let under = option("--under").unwrap_or("/").trim_matches('/').to_owned();
    let listener = match option("--port") {
        Some(text) => {
            let port: u16 = text.parse().map_err(|_| format!("--port takes a number from 0 to 65535, not `{text}`"))?;
            TcpListener::bind(("127.0.0.1", port))
                .map_err(|e| format!("port {port} cannot be used ({e}); name another with --port"))?
        }
        None => TcpListener::bind(("127.0.0.1", PORT))
            .or_else(|_| TcpListener::bind(("127.0.0.1", 0)))
            .map_err(|e| format!("no local port can be used: {e}"))?,
    };
    let address = listener.local_addr().map_err(|e| e.to_string())?;
    let path = if under.is_empty() { String::from("/") } else { format!("/{under}/") };
    println!("Serving {} on http://{address}{path}  (end with Ctrl+C)", dir.display());
    let root = dir.canonicalize().map_err(|e| format!("cannot open {}: {e}", dir.display()))?;
    for stream in listener.incoming().flatten() {
        let (root, under) = (root.clone(), under.clone());
        std::thread::spawn(move || {
            // A visitor who hangs up early is no error of ours.
            let _ = answer(stream, &root, &under);
        });
    }
    Ok(())
}

fn answer(stream: TcpStream, root: &Path, under: &str) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut stream = stream;
    loop {
        let mut request = String::new();
        if reader.read_line(&mut request)? == 0 {
            return Ok(());
        }
        let mut header = String::new();
        while reader.read_line(&mut header)? > 2 {
            header.clear();
        }
        let mut words = request.split_whitespace();
        let (method, target) = (words.next().unwrap_or(""), words.next().unwrap_or("/"));
        let found = (method == "GET" || method == "HEAD").then(|| locate(root, under, target)).flatten();
        let (status, kind, body) = match found.and_then(|file| Some((std::fs::read(&file).ok()?, file))) {
            Some((bytes, file)) => ("200 OK", content_type(&file), bytes),
            None => ("404 Not Found", "text/plain; charset=utf-8", b"not found\n".to_vec()),
        };
        write!(
            stream,
            "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nCache-Control: no-cache\r\n\r\n",
            body.len()
        )?;
        if method != "HEAD" {
            stream.write_all(&body)?;
        }
        stream.flush()?;
    }
}

/// The file a request means; `None` when it is outside the folder or not there.
fn locate(root: &Path, under: &str, target: &str) -> Option<PathBuf> {
    let path = target.split(['?', '#']).next()?.trim_start_matches('/');
    let path = path.strip_prefix(under)?.trim_start_matches('/');
    let decoded = percent_decode(path)?;
    let relative = Path::new(&decoded);
    if !relative.components().all(|part| matches!(part, Component::Normal(_))) {
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
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "yaml" | "yml" | "md" | "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}
