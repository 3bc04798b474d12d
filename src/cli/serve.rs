//! `switchyard serve`: serves the page on this machine, and the files of one folder to it.
//!
//! So a browser without file access can read and save through the program. Anyone who has the
//! address, which contains a token, may read and write that folder and nothing else. Pages of other
//! sites in the same browser may not.

mod folder;
mod http;

use crate::args::ServeArgs;
use crate::error::{CliError, CliResult};
use crate::output;
use folder::{Folder, Refusal};
use http::{Guard, RejectedRequest, Request, Response};
use serde_json::json;
use std::borrow::Cow;
use std::io::{self, BufReader, Read};
use std::net::{TcpListener, TcpStream};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The preferred port. It should stay the same, because browsers store a page's data by its
/// address.
const DEFAULT_PORT: u16 = 8170;
/// Timeout for reading from or writing to a connection.
const TIMEOUT: Duration = Duration::from_secs(30);
const MAX_SAVE_BYTES: u64 = 1 << 30;
/// At most this many bytes of a refused request are read.
const MAX_IGNORED_BYTES: u64 = 1 << 20;
const TOKEN_BYTES: usize = 24;

/// Announces the folder to the page. It precedes the page's own scripts, because modules run in
/// order.
const HOST_SCRIPT: &str = include_str!("serve/host.js");
const SCRIPT_TAG: &str = "<script type=\"module\" src=\"./api/host.js\"></script>";

/// With a folder, the page must be loaded from this server each time, because a cached page does
/// not know the folder. So the page's offline caching is disabled, and a copy cached at this
/// address by a server without a folder is discarded.
const OFFLINE_ATTRIBUTE: &str = " data-offline=\"sw.js\"";
const SERVICE_WORKER: &str = "/sw.js";
const RETIRED_SERVICE_WORKER: &str = "/sw-retired.js";

/// The page's content security policy, as in `index.html`, and headers that isolate it from other
/// sites.
const HEADERS: [(&str, &str); 6] = [
    (
        "Content-Security-Policy",
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: blob:; \
         worker-src 'self' blob:; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; \
         frame-ancestors 'none'",
    ),
    ("Cross-Origin-Embedder-Policy", "require-corp"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Referrer-Policy", "no-referrer"),
    ("X-Content-Type-Options", "nosniff"),
];

struct Server {
    site: Site,
    folder: Option<Folder>,
    /// `None` if the server listens beyond this machine and has no folder.
    guard: Option<Guard>,
}

pub(super) fn run(args: &ServeArgs) -> CliResult {
    let site = Site::find(args.site.as_deref())?;
    let folder = args.dir.as_deref().map(Folder::open).transpose()?;
    if let Some(folder) = &folder {
        folder.report_leftovers();
    }
    let is_local = args.listen.is_loopback();
    if folder.is_some() && !is_local {
        return Err(cli_error!(
            "a folder is served to this machine only, and {} is more",
            args.listen
        )
        .hint("leave out --listen, or DIR"));
    }
    let listener = listen(args)?;
    let address = listener.local_addr()?;
    let token = generate_token()?;
    let guard = is_local.then(|| Guard::new(address.port(), &token));
    let hash = if folder.is_some() {
        format!("#token={token}")
    } else {
        String::new()
    };
    output::print_text(&format!("http://{address}/{hash}\n"))?;
    output::print_note(&match &args.dir {
        Some(dir) => {
            format!(
                "the page reads and writes {}; anyone who has this address can, too. End with Ctrl+C",
                dir.display()
            )
        }
        None => "end with Ctrl+C".to_owned(),
    });
    let server = Arc::new(Server {
        site,
        folder,
        guard,
    });
    for stream in listener.incoming().flatten() {
        let server = server.clone();
        std::thread::spawn(move || {
            // A client that disconnects is not an error.
            let _ = server.serve(stream);
        });
    }
    Ok(0)
}

fn listen(args: &ServeArgs) -> Result<TcpListener, CliError> {
    let failed = |port: u16, error: io::Error| {
        cli_error!("cannot listen on {}:{port}: {error}", args.listen)
            .hint("name another port with --port")
    };
    match args.port {
        Some(port) => TcpListener::bind((args.listen, port)).map_err(|error| failed(port, error)),
        None => TcpListener::bind((args.listen, DEFAULT_PORT))
            .or_else(|_| TcpListener::bind((args.listen, 0)))
            .map_err(|error| failed(0, error)),
    }
}

/// Generates a random token in hexadecimal digits.
fn generate_token() -> Result<String, CliError> {
    let mut bytes = [0; TOKEN_BYTES];
    getrandom::fill(&mut bytes).map_err(|error| cli_error!("no random numbers: {error}"))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

impl Server {
    fn serve(&self, mut stream: TcpStream) -> io::Result<()> {
        stream.set_read_timeout(Some(TIMEOUT))?;
        stream.set_write_timeout(Some(TIMEOUT))?;
        let mut input = BufReader::new(stream.try_clone()?);
        let Some(request) = http::read(&mut input)? else {
            return Ok(());
        };
        let with_body = request
            .as_ref()
            .map_or(true, |request| request.method != "HEAD");
        let mut response = request
            .and_then(|request| self.answer(&request, &mut input))
            .unwrap_or_else(|refusal| refusal);
        response
            .headers
            .extend(HEADERS.map(|(name, value)| (name, value.to_owned())));
        response.write(&mut stream, with_body)?;
        // Read the rest of a refused request, so that the response arrives.
        let _ = stream.shutdown(std::net::Shutdown::Write);
        io::copy(&mut input.take(MAX_IGNORED_BYTES), &mut io::sink()).map(drop)
    }

    /// Answers a request. `Err` is the response to a refused one.
    fn answer(&self, request: &Request, input: &mut impl Read) -> Result<Response, Response> {
        if let Some(guard) = &self.guard {
            guard.check_origin(request).map_err(rejection)?;
        }
        match (
            request.path.strip_prefix("/api/"),
            &self.folder,
            &self.guard,
        ) {
            (Some("host.js"), Some(_), _) if is_get(request) => {
                let script = Response::new(200, "text/javascript; charset=utf-8", HOST_SCRIPT);
                Ok(script.with("Cache-Control", "no-cache"))
            }
            (Some(resource), Some(folder), Some(guard)) => {
                guard.check_file_access(request).map_err(rejection)?;
                answer_api(resource, folder, request, input)
            }
            (Some(_), _, _) => Err(Response::text(404, "no folder is served")),
            (None, _, _) if !is_get(request) => {
                Err(Response::text(405, "the page is only read").with("Allow", "GET, HEAD"))
            }
            (None, ..) => self
                .page(&request.path)
                .ok_or_else(|| Response::text(404, "there is no such file")),
        }
    }

    fn page(&self, path: &str) -> Option<Response> {
        let path = if self.folder.is_some() && path == SERVICE_WORKER {
            RETIRED_SERVICE_WORKER
        } else {
            path
        };
        let (bytes, content_type) = self.site.file(path)?;
        let bytes = if content_type.starts_with("text/html") && self.folder.is_some() {
            with_host_script(&String::from_utf8_lossy(&bytes)).into_bytes()
        } else {
            bytes.into_owned()
        };
        Some(Response::new(200, content_type, bytes).with("Cache-Control", "no-cache"))
    }
}

/// Inserts the host script before the page's own scripts and disables offline caching.
fn with_host_script(page: &str) -> String {
    let page = page.replacen(OFFLINE_ATTRIBUTE, "", 1);
    let (before, scripts) = page.split_at(page.find("<script").unwrap_or(page.len()));
    [before, SCRIPT_TAG, scripts].concat()
}

fn is_get(request: &Request) -> bool {
    request.method == "GET" || request.method == "HEAD"
}

/// Answers a request of the page about its folder.
fn answer_api(
    resource: &str,
    folder: &Folder,
    request: &Request,
    input: &mut impl Read,
) -> Result<Response, Response> {
    match (request.method.as_str(), resource) {
        ("GET", "files") => {
            let body = json!({ "name": folder.name(), "files": folder.list() }).to_string();
            Ok(not_cached(Response::new(200, "application/json", body)))
        }
        ("GET", "file") => {
            let path = request
                .parameter("path")
                .ok_or_else(|| Response::text(400, "no path is named"))?;
            let (bytes, modified) = folder.read(&path).map_err(refusal_response)?;
            let response = Response::new(200, "application/octet-stream", bytes);
            Ok(not_cached(
                response.with("Switchyard-Modified", modified.to_string()),
            ))
        }
        ("PUT", "files") => {
            let body = read_save(request, input)?;
            let written = folder.save(&body).map_err(refusal_response)?;
            Ok(not_cached(Response::new(
                200,
                "application/json",
                json!({ "written": written }).to_string(),
            )))
        }
        (_, "files" | "file") => {
            Err(Response::text(405, "it is read or saved").with("Allow", "GET, PUT"))
        }
        _ => Err(Response::text(404, "there is no such thing")),
    }
}

/// Reads the body of a save. `Err` is the response to an invalid one.
fn read_save(request: &Request, input: &mut impl Read) -> Result<Vec<u8>, Response> {
    let length = request
        .length()
        .ok_or_else(|| Response::text(411, "the length has to be told"))?;
    if length > MAX_SAVE_BYTES {
        return Err(Response::text(
            413,
            "a save of more than 1 GiB is not taken",
        ));
    }
    let mut body = Vec::new();
    let result = input.take(length).read_to_end(&mut body);
    if result.is_err() || (body.len() as u64) < length {
        return Err(Response::text(400, "the save is cut short"));
    }
    Ok(body)
}

fn not_cached(response: Response) -> Response {
    response.with("Cache-Control", "no-store")
}

fn rejection(rejected: RejectedRequest) -> Response {
    match rejected {
        RejectedRequest::Elsewhere => Response::text(403, "only the page of this program may ask"),
        RejectedRequest::NoToken => {
            Response::text(401, "open the address that `switchyard serve` printed")
        }
    }
}

fn refusal_response(refusal: Refusal) -> Response {
    match refusal {
        Refusal::Outside(reason) => Response::text(403, &reason),
        Refusal::NotFound(reason) => Response::text(404, &reason),
        Refusal::NotWritten(reason) => Response::text(409, &reason),
        Refusal::Malformed(reason) => Response::text(400, &reason),
    }
}

include!(concat!(env!("OUT_DIR"), "/embedded_site.rs"));

/// Folders that may contain the page, relative to that of the program.
const SITE_FOLDERS: [&str; 2] = ["switchyard-web", "../share/switchyard/web"];

/// The source of the page.
#[derive(Debug)]
enum Site {
    Embedded,
    Folder(PathBuf),
}

impl Site {
    /// Finds the page: the one of `--site`, else the embedded one, else one beside the program.
    fn find(option: Option<&Path>) -> Result<Self, CliError> {
        if let Some(folder) = option {
            return Self::open(folder);
        }
        if !EMBEDDED.is_empty() {
            return Ok(Site::Embedded);
        }
        let program = std::env::current_exe()
            .and_then(|program| program.canonicalize())
            .ok();
        let folder = program.as_deref().and_then(Path::parent);
        let found = folder
            .into_iter()
            .flat_map(|folder| SITE_FOLDERS.map(|name| folder.join(name)))
            .find(|folder| folder.join("index.html").is_file());
        let canonical = found.and_then(|folder| folder.canonicalize().ok());
        canonical.map(Site::Folder).ok_or_else(|| {
            CliError::new("this program was built without the page, and there is none beside it").hint(
                "unpack the switchyard-web of the same release beside the program as `switchyard-web`, or name its folder \
                 with --site",
            )
        })
    }

    fn open(folder: &Path) -> Result<Self, CliError> {
        let canonical = folder.canonicalize().map_err(|error| {
            CliError::io(folder, &error).hint("--site names the folder of a page")
        })?;
        if !canonical.join("index.html").is_file() {
            return Err(cli_error!("{} has no index.html", folder.display())
                .hint("--site names the unpacked switchyard-web of a release"));
        }
        Ok(Site::Folder(canonical))
    }

    /// Returns a file by its URL path, with its content type.
    fn file(&self, path: &str) -> Option<(Cow<'static, [u8]>, &'static str)> {
        let path = path.trim_start_matches('/');
        let path = if path.is_empty() { "index.html" } else { path };
        let bytes = match self {
            Site::Embedded => EMBEDDED
                .iter()
                .find(|(name, _)| *name == path)
                .map(|(_, bytes)| Cow::Borrowed(*bytes)),
            Site::Folder(folder) => read_below(folder, path).map(Cow::Owned),
        };
        bytes.map(|bytes| (bytes, content_type(path)))
    }
}

/// Reads a file below a folder; `None` if it is missing or outside.
fn read_below(folder: &Path, path: &str) -> Option<Vec<u8>> {
    let mut parts = Path::new(path).components();
    if !parts.all(|part| matches!(part, Component::Normal(_))) {
        return None;
    }
    let file = folder.join(path).canonicalize().ok()?;
    if !file.starts_with(folder) || !file.is_file() {
        return None;
    }
    std::fs::read(file).ok()
}

fn content_type(path: &str) -> &'static str {
    match path.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "wasm" => "application/wasm",
        "json" => "application/json",
        "webmanifest" => "application/manifest+json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "yaml" | "yml" => "text/yaml; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_gives_only_its_own_files() {
        let top = tempfile::TempDir::new().unwrap();
        std::fs::create_dir_all(top.path().join("site/sample")).unwrap();
        std::fs::write(top.path().join("secret"), "s").unwrap();
        std::fs::write(top.path().join("site/index.html"), "<p>").unwrap();
        std::fs::write(top.path().join("site/sample/a.yaml"), "a").unwrap();
        let site = Site::find(Some(&top.path().join("site"))).unwrap();
        assert_eq!(
            site.file("/").unwrap(),
            (b"<p>".to_vec().into(), "text/html; charset=utf-8")
        );
        assert!(site.file("/sample/a.yaml").is_some());
        for path in [
            "/../secret",
            "/sample",
            "/sample/../index.html",
            "//etc/passwd",
            "/none",
            "/./index.html/",
        ] {
            assert!(site.file(path).is_none(), "{path}");
        }
        assert!(Site::find(Some(top.path())).is_err());
    }
}
