//! The files of the page: embedded in the program, or in a folder.

use crate::error::CliError;
use crate::input::walk::io_reason;
use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};

include!(concat!(env!("OUT_DIR"), "/embedded_site.rs"));

/// Folders beside the program that may hold the page.
const BESIDE: [&str; 2] = ["switchyard-web", "../share/switchyard/web"];

/// The source of the page.
#[derive(Debug)]
pub(super) enum Site {
    Embedded,
    Folder(PathBuf),
}

impl Site {
    /// The page in `given`; else the embedded one; else one beside the program.
    pub(super) fn find(given: Option<&Path>) -> Result<Self, CliError> {
        if let Some(folder) = given {
            let place = folder.canonicalize().map_err(|error| {
                CliError::new(format!("{}: {}", folder.display(), io_reason(&error)))
                    .hint("--site names the folder of a page")
            })?;
            return match place.join("index.html").is_file() {
                true => Ok(Site::Folder(place)),
                false => Err(
                    CliError::new(format!("{} has no index.html", folder.display()))
                        .hint("--site names the unpacked switchyard-web of a release"),
                ),
            };
        }
        if !EMBEDDED.is_empty() {
            return Ok(Site::Embedded);
        }
        let program = std::env::current_exe()
            .and_then(|program| program.canonicalize())
            .ok();
        let folder = program.as_deref().and_then(Path::parent);
        let beside = folder
            .into_iter()
            .flat_map(|folder| BESIDE.map(|name| folder.join(name)));
        let found = beside
            .into_iter()
            .find(|place| place.join("index.html").is_file());
        found.and_then(|place| place.canonicalize().ok()).map(Site::Folder).ok_or_else(|| {
            CliError::new("this program was built without the page, and there is none beside it").hint(
                "unpack the switchyard-web of the same release beside the program as `switchyard-web`, or name its folder \
                 with --site",
            )
        })
    }

    /// A file by its URL path, with its content type.
    pub(super) fn file(&self, path: &str) -> Option<(Cow<'static, [u8]>, &'static str)> {
        let path = path.trim_start_matches('/');
        let path = if path.is_empty() { "index.html" } else { path };
        let bytes = match self {
            Site::Embedded => EMBEDDED
                .iter()
                .find(|(name, _)| *name == path)
                .map(|(_, bytes)| Cow::Borrowed(*bytes)),
            Site::Folder(folder) => read(folder, path).map(Cow::Owned),
        };
        bytes.map(|bytes| (bytes, content_type(path)))
    }
}

fn read(folder: &Path, path: &str) -> Option<Vec<u8>> {
    let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_));
    if !Path::new(path).components().all(is_plain) {
        return None;
    }
    let place = folder.join(path).canonicalize().ok()?;
    (place.starts_with(folder) && place.is_file())
        .then(|| std::fs::read(place).ok())
        .flatten()
}

fn content_type(path: &str) -> &'static str {
    match path.rsplit_once('.').map_or("", |(_, ending)| ending) {
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
