//! A static file server on the local machine, for developing and for journeys, with a cache lifetime that is unlimited for
//! files named by their content. After changes of the sources it updates the open page and shows compiler errors in it.

use crate::build::{self, Page};
use crate::run::{BuildTools, project, say};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

const PORT: u16 = 8080;
/// Extra paths of a page that follows the sources.
const NEWS: &str = "_dev/news";
const FOLLOW: &str = "_dev/follow.js";
const FOLLOW_TAG: &str = "<script type=\"module\" src=\"./_dev/follow.js\"></script></head>";
/// Interval of comments to a page that follows, to detect closed connections.
const BEAT: Duration = Duration::from_secs(15);

struct Site {
    root: PathBuf,
    under: String,
    board: Option<Arc<Board>>,
}

/// Serves a folder until the process is ended. `--port N` (0 = any), `--under /some/path`. With a board, the pages
/// receive the messages posted there.
pub(crate) fn folder(dir: &Path, args: &[&str], board: Option<Arc<Board>>) -> Result<(), String> {
    let option = |name: &str| {
        args.iter()
            .position(|a| *a == name)
            .and_then(|i| args.get(i + 1))
            .copied()
    };
    let under = option("--under")
        .unwrap_or("/")
        .trim_matches('/')
        .to_owned();
    let listener = match option("--port") {
        Some(text) => {
            let port: u16 = text
                .parse()
                .map_err(|_| format!("--port takes a number from 0 to 65535, not `{text}`"))?;
            TcpListener::bind(("127.0.0.1", port)).map_err(|e| {
                format!("port {port} cannot be used ({e}); name another with --port")
            })?
        }
        None => TcpListener::bind(("127.0.0.1", PORT))
            .or_else(|_| TcpListener::bind(("127.0.0.1", 0)))
            .map_err(|e| format!("no local port can be used: {e}"))?,
    };
    let address = listener.local_addr().map_err(|e| e.to_string())?;
    let path = if under.is_empty() {
        String::from("/")
    } else {
        format!("/{under}/")
    };
    println!(
        "Serving {} on http://{address}{path}  (end with Ctrl+C)",
        dir.display()
    );
    let root = dir
        .canonicalize()
        .map_err(|e| format!("cannot open {}: {e}", dir.display()))?;
    let site = Arc::new(Site { root, under, board });
    for stream in listener.incoming().flatten() {
        let site = site.clone();
        std::thread::spawn(move || {
            // A client that disconnects is not an error.
            let _ = answer(stream, &site);
        });
    }
    Ok(())
}

fn answer(stream: TcpStream, site: &Site) -> std::io::Result<()> {
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
        let mut parts = request.split_whitespace();
        let (method, target) = (parts.next().unwrap_or(""), parts.next().unwrap_or("/"));
        let path = (method == "GET" || method == "HEAD")
            .then(|| below(&site.under, target))
            .flatten();
        if let Some(board) = site
            .board
            .as_ref()
            .filter(|_| path.as_deref() == Some(NEWS))
        {
            return send_events(stream, board);
        }
        let follows = site.board.is_some();
        let found = match path.as_deref() {
            Some(FOLLOW) if follows => {
                Some((include_bytes!("follow.js").to_vec(), PathBuf::from(FOLLOW)))
            }
            path => path
                .and_then(|path| locate(&site.root, path))
                .and_then(|file| Some((std::fs::read(&file).ok()?, file))),
        };
        let (status, kind, kept, body) = match found {
            Some((bytes, file)) if follows && file.extension().is_some_and(|e| e == "html") => {
                let html = String::from_utf8_lossy(&bytes).replacen("</head>", FOLLOW_TAG, 1);
                ("200 OK", content_type(&file), "no-cache", html.into_bytes())
            }
            Some((bytes, file)) => ("200 OK", content_type(&file), cache_policy(&file), bytes),
            None => (
                "404 Not Found",
                "text/plain; charset=utf-8",
                "no-cache",
                b"not found\n".to_vec(),
            ),
        };
        write!(
            stream,
            "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nCache-Control: {kept}\r\n\r\n",
            body.len()
        )?;
        if method != "HEAD" {
            stream.write_all(&body)?;
        }
        stream.flush()?;
    }
}

/// Returns how long a browser may cache a file: without limit if the file is named by its content, such as
/// `page-09ab…_bg.wasm`.
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
        "no-cache"
    }
}

/// Sends events until the client disconnects.
fn send_events(mut stream: TcpStream, board: &Board) -> std::io::Result<()> {
    let mut seen = board.number();
    stream.write_all(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\n\r\n",
    )?;
    loop {
        match board.next_after(seen, BEAT) {
            Some((number, news)) => {
                seen = number;
                stream.write_all(news.event().as_bytes())?;
            }
            None => stream.write_all(b": still here\n\n")?,
        }
        stream.flush()?;
    }
}

/// Returns the path that a request names below the site's own; `None` if it is outside.
fn below(under: &str, target: &str) -> Option<String> {
    let path = target.split(['?', '#']).next()?.trim_start_matches('/');
    percent_decode(path.strip_prefix(under)?.trim_start_matches('/'))
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

/// How often files are checked for changes, which takes 5 ms.
const LOOK: Duration = Duration::from_millis(250);

/// The events that open pages receive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PageEvent {
    /// File name of the new style sheet.
    Style(String),
    /// A page was built and must be reloaded.
    Built,
    /// A build is running.
    Building,
    /// The compiler's output for sources that do not build.
    Failed(String),
}

impl PageEvent {
    /// Formats a server-sent event.
    pub(crate) fn event(&self) -> String {
        let (name, text) = match self {
            PageEvent::Style(sheet) => ("style", sheet.as_str()),
            PageEvent::Built => ("built", ""),
            PageEvent::Building => ("building", ""),
            PageEvent::Failed(message) => ("failed", message.as_str()),
        };
        let lines: String = text
            .split('\n')
            .map(|line| format!("data: {}\n", line.trim_end_matches('\r')))
            .collect();
        format!("event: {name}\n{lines}\n")
    }
}

/// The newest event, for any number of pages.
#[derive(Debug, Default)]
pub(crate) struct Board {
    newest: Mutex<(u64, Option<PageEvent>)>,
    changed: Condvar,
}

impl Board {
    pub(crate) fn post(&self, news: PageEvent) {
        let mut newest = self.newest.lock().unwrap_or_else(PoisonError::into_inner);
        *newest = (newest.0 + 1, Some(news));
        self.changed.notify_all();
    }

    /// Returns the number of the latest event.
    pub(crate) fn number(&self) -> u64 {
        self.newest.lock().unwrap_or_else(PoisonError::into_inner).0
    }

    /// Waits for an event after this number; `None` after `patience`.
    pub(crate) fn next_after(&self, number: u64, patience: Duration) -> Option<(u64, PageEvent)> {
        let newest = self.newest.lock().unwrap_or_else(PoisonError::into_inner);
        let (newest, _) = self
            .changed
            .wait_timeout_while(newest, patience, |newest| newest.0 == number)
            .unwrap_or_else(PoisonError::into_inner);
        let (now, news) = &*newest;
        news.clone()
            .filter(|_| *now != number)
            .map(|news| (*now, news))
    }
}

/// Watches the sources forever.
pub(crate) fn sources(tools: &BuildTools, page: Page, board: &Board) -> ! {
    let mut known = dates(&build::sources());
    // After a failed build, even a change of a style sheet needs a build.
    let mut is_behind = false;
    loop {
        std::thread::sleep(LOOK);
        let now = dates(&build::sources());
        let changed = differing(&known, &now);
        if changed.is_empty() {
            continue;
        }
        // Some editors write a file in two steps, so wait for the second.
        std::thread::sleep(LOOK / 5);
        known = dates(&build::sources());
        let news = follow_change(tools, page, &changed, is_behind, board);
        is_behind = matches!(news, PageEvent::Failed(_));
        board.post(news);
    }
}

fn follow_change(
    tools: &BuildTools,
    page: Page,
    changed: &[PathBuf],
    is_behind: bool,
    board: &Board,
) -> PageEvent {
    say(&format!(
        "changed: {}",
        changed
            .iter()
            .map(|path: &PathBuf| {
                path.strip_prefix(project())
                    .unwrap_or(path)
                    .display()
                    .to_string()
            })
            .collect::<Vec<_>>()
            .join(", ")
    ));
    if !is_behind && changed.iter().all(|path| is_style(path)) {
        return match build::restyle(page) {
            Ok(sheet) => PageEvent::Style(sheet),
            Err(message) => failure_event(message),
        };
    }
    board.post(PageEvent::Building);
    match build::again(tools, page) {
        Ok(()) => {
            say("built; open pages are loaded again");
            PageEvent::Built
        }
        Err(message) => failure_event(message),
    }
}

fn failure_event(message: String) -> PageEvent {
    eprintln!("cargo dev: not built; the page stays as it was");
    let is_progress = |line: &str| {
        ["Blocking ", "Compiling ", "Finished ", "Building "]
            .iter()
            .any(|word| line.trim_start().starts_with(word))
    };
    PageEvent::Failed(
        message
            .lines()
            .filter(|line| !is_progress(line))
            .collect::<Vec<_>>()
            .join("\n"),
    )
}

fn is_style(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "css")
}

fn dates(files: &[PathBuf]) -> BTreeMap<PathBuf, SystemTime> {
    let date =
        |file: &PathBuf| Some((file.clone(), std::fs::metadata(file).ok()?.modified().ok()?));
    files.iter().filter_map(date).collect()
}

/// Returns the files that are new, removed or have another date.
fn differing(
    before: &BTreeMap<PathBuf, SystemTime>,
    now: &BTreeMap<PathBuf, SystemTime>,
) -> Vec<PathBuf> {
    let gone = before.keys().filter(|file| !now.contains_key(*file));
    let other = now
        .iter()
        .filter(|(file, date)| before.get(*file) != Some(date))
        .map(|(file, _)| file);
    gone.chain(other).cloned().collect()
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

#[cfg(test)]
mod follow_tests {
    use super::*;

    #[test]
    fn news_are_events() {
        assert_eq!(PageEvent::Built.event(), "event: built\ndata: \n\n");
        assert_eq!(
            PageEvent::Failed("a\r\nb".to_owned()).event(),
            "event: failed\ndata: a\ndata: b\n\n"
        );
    }

    #[test]
    fn failures_omit_the_build_progress() {
        let compiler_output =
            "   Compiling a v1\nerror: x\n  --> src/a.rs:1:1\n    Finished `developing`\n";
        assert_eq!(
            failure_event(compiler_output.to_owned()),
            PageEvent::Failed("error: x\n  --> src/a.rs:1:1".to_owned())
        );
    }

    #[test]
    fn a_waiting_page_receives_later_events() {
        let board = Board::default();
        let seen = board.number();
        assert_eq!(board.next_after(seen, Duration::ZERO), None);
        board.post(PageEvent::Building);
        board.post(PageEvent::Built);
        let (number, news) = board.next_after(seen, Duration::ZERO).unwrap();
        assert_eq!(news, PageEvent::Built);
        assert_eq!(board.next_after(number, Duration::ZERO), None);
    }

    #[test]
    fn added_removed_and_changed_files_differ() {
        let files = |of: &[(&str, u64)]| -> BTreeMap<PathBuf, SystemTime> {
            of.iter()
                .map(|(n, s)| {
                    (
                        PathBuf::from(n),
                        SystemTime::UNIX_EPOCH + Duration::from_secs(*s),
                    )
                })
                .collect()
        };
        let before = files(&[("a", 1), ("b", 1), ("c", 1)]);
        let after = files(&[("b", 1), ("c", 2), ("d", 1)]);
        assert_eq!(
            differing(&before, &after),
            ["a", "c", "d"].map(PathBuf::from)
        );
    }
}
