//! The only folder that a page may read and write. Lists, reads and replaces its files, and refuses
//! paths that lead out of it.

use crate::error::{CliError, io_reason};
use crate::input::catalog_name;
use crate::write::{self, FolderLocks, NewText};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// Folders of this name belong to git, so they are neither listed nor written.
const GIT_FOLDER: &str = ".git";

#[derive(Debug)]
pub(super) struct Folder {
    /// Absolute, with links resolved.
    path: PathBuf,
    name: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct FileEntry {
    /// Relative to the folder, with `/`.
    pub path: String,
    pub size: u64,
    /// In milliseconds since 1970.
    pub modified: u64,
}

/// Why a request is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The path leads out of the folder, or is not a path.
    Outside(String),
    NotFound(String),
    /// The file differs from what the page read, or could not be written. No file was written.
    NotWritten(String),
    /// The request is invalid.
    Malformed(String),
}

/// A file of a save.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct SavedFile {
    path: String,
    /// Number of old bytes; `None` for a new file.
    before: Option<u64>,
    /// Number of new bytes.
    after: u64,
}

/// The header of a save, which is a line of JSON. The old and new bytes of each file follow.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct SaveHeader {
    files: Vec<SavedFile>,
}

impl Folder {
    pub fn open(dir: &Path) -> Result<Self, CliError> {
        let path = dir
            .canonicalize()
            .map_err(|error| CliError::io(dir, &error).hint("name the folder of a catalog"))?;
        if !path.is_dir() {
            return Err(cli_error!("{} is not a folder", dir.display())
                .hint("name the folder of a catalog"));
        }
        let name = catalog_name(&path);
        Ok(Self { path, name })
    }

    /// Warns about leftovers of killed runs in the folder and beside it.
    pub fn report_leftovers(&self) {
        let files = self.list().into_iter();
        write::report_leftovers(&self.path, files.map(|file| self.path.join(file.path)));
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// Lists all files, sorted by path. Omits links that lead out of the folder, and anything that
    /// is not a file.
    pub fn list(&self) -> Vec<FileEntry> {
        let mut found = BTreeMap::new();
        let mut folders = vec![(self.path.clone(), String::new())];
        while let Some((folder, prefix)) = folders.pop() {
            let Ok(entries) = fs::read_dir(&folder) else {
                continue;
            };
            for entry in entries.flatten() {
                let Ok(name) = entry.file_name().into_string() else {
                    continue;
                };
                let path = format!("{prefix}{name}");
                let Ok(file_type) = entry.file_type() else {
                    continue;
                };
                if file_type.is_dir() {
                    if name != GIT_FOLDER {
                        folders.push((entry.path(), format!("{path}/")));
                    }
                } else if let Ok(target) = self.resolve(&path)
                    && let Ok(metadata) = fs::metadata(&target)
                    && metadata.is_file()
                {
                    found.insert(
                        path.clone(),
                        FileEntry {
                            path,
                            size: metadata.len(),
                            modified: modified_at(&metadata),
                        },
                    );
                }
            }
        }
        found.into_values().collect()
    }

    /// Reads a file. Returns its bytes and its modification time, in milliseconds since 1970.
    pub fn read(&self, path: &str) -> Result<(Vec<u8>, u64), Refusal> {
        let target = self.resolve(path)?;
        let failed = |error: std::io::Error| match error.kind() {
            ErrorKind::NotFound => Refusal::NotFound(format!("{path} is not there")),
            _ => Refusal::NotFound(format!("{path}: {}", io_reason(&error))),
        };
        let metadata = fs::metadata(&target).map_err(failed)?;
        if !metadata.is_file() {
            return Err(Refusal::NotFound(format!("{path} is not a file")));
        }
        Ok((fs::read(&target).map_err(failed)?, modified_at(&metadata)))
    }

    /// Writes all files of a save or none. Returns their number.
    pub fn save(&self, body: &[u8]) -> Result<usize, Refusal> {
        let end = body
            .iter()
            .position(|byte| *byte == b'\n')
            .ok_or_else(|| malformed("the save has no first line"))?;
        let header: SaveHeader =
            serde_json::from_slice(&body[..end]).map_err(|error| malformed(&error.to_string()))?;
        let mut remaining = &body[end + 1..];
        let mut texts: Vec<NewText<'_>> = Vec::new();
        for file in &header.files {
            let old = match file.before {
                Some(length) => Some(split_bytes(&mut remaining, length)?),
                None => None,
            };
            let new = split_bytes(&mut remaining, file.after)?;
            let path = self.resolve(&file.path)?;
            if texts.iter().any(|text| text.path == path) {
                return Err(malformed(&format!("{} is there twice", file.path)));
            }
            texts.push(NewText::new(path, file.path.clone(), old, new));
        }
        if !remaining.is_empty() {
            return Err(malformed("the save is longer than it says"));
        }
        let count = texts.len();
        let result = FolderLocks::wait(&[&self.path]).and_then(|locks| write::write(texts, &locks));
        result.map(|()| count).map_err(|error| {
            if let CliError::Interrupted(signal) = error {
                write::end_by_signal(signal);
            }
            Refusal::NotWritten(error.message())
        })
    }

    /// Returns the path on disk, with links resolved. A new file's folders need not exist yet.
    fn resolve(&self, path: &str) -> Result<PathBuf, Refusal> {
        let outside = || Refusal::Outside(format!("`{path}` is not a path inside the folder"));
        if !path.split('/').all(is_plain_name) {
            return Err(outside());
        }
        let joined = self.path.join(path);
        let (mut existing, mut missing) = (joined.as_path(), Vec::new());
        let resolved = loop {
            match existing.canonicalize() {
                Ok(resolved) => break resolved,
                // A dangling link must not be written through.
                Err(_) if existing.symlink_metadata().is_ok() => return Err(outside()),
                Err(_) => {
                    missing.extend(existing.file_name());
                    existing = existing
                        .parent()
                        .filter(|parent| parent.starts_with(&self.path))
                        .ok_or_else(outside)?;
                }
            }
        };
        let relative = resolved.strip_prefix(&self.path).map_err(|_| outside())?;
        // A link may lead into a git folder by another name.
        if relative
            .iter()
            .any(|part| part.eq_ignore_ascii_case(GIT_FOLDER))
        {
            return Err(outside());
        }
        Ok(missing
            .iter()
            .rev()
            .fold(resolved, |path, name| path.join(name)))
    }
}

/// Whether a part of a path is an ordinary name, on each platform.
fn is_plain_name(part: &str) -> bool {
    let is_special = part.is_empty() || [".", ".."].contains(&part);
    let has_separator = part.contains(['\\', '\0']) || (cfg!(windows) && part.contains(':'));
    !is_special && !has_separator && !part.eq_ignore_ascii_case(GIT_FOLDER)
}

/// Splits off the first bytes of a save.
fn split_bytes<'a>(remaining: &mut &'a [u8], length: u64) -> Result<&'a [u8], Refusal> {
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    let (bytes, rest) = remaining
        .split_at_checked(length)
        .ok_or_else(|| malformed("the save is shorter than it says"))?;
    *remaining = rest;
    Ok(bytes)
}

fn malformed(reason: &str) -> Refusal {
    Refusal::Malformed(reason.to_owned())
}

/// Returns the modification time of a file, in milliseconds since 1970; 0 if it is unknown.
fn modified_at(metadata: &fs::Metadata) -> u64 {
    let modified = metadata.modified().ok();
    let since_epoch = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    since_epoch.map_or(0, |duration| {
        u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    fn folder(files: &[(&str, &str)]) -> (TempDir, Folder) {
        let temporary = TempDir::new().unwrap();
        for (path, text) in files {
            let path = temporary.path().join("top").join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let folder = Folder::open(&temporary.path().join("top")).unwrap();
        (temporary, folder)
    }

    fn save(files: &[(&str, Option<&str>, &str)]) -> Vec<u8> {
        let list: Vec<serde_json::Value> = files
            .iter()
            .map(|(path, before, after)| {
                serde_json::json!({ "path": path, "before": before.map(str::len), "after": after.len() })
            })
            .collect();
        let mut body = format!("{}\n", serde_json::json!({ "files": list })).into_bytes();
        for (_, before, after) in files {
            body.extend(before.unwrap_or_default().bytes().chain(after.bytes()));
        }
        body
    }

    #[test]
    fn all_files_are_written_or_none() {
        let (top, folder) = folder(&[("a.yaml", "old a"), ("p/b.yaml", "old b")]);
        let read = |path: &str| fs::read_to_string(top.path().join("top").join(path)).ok();
        let both = [
            ("a.yaml", Some("old a"), "new a"),
            ("p/b.yaml", Some("old b"), "new b"),
            ("q/c.yaml", None, "c"),
        ];
        assert_eq!(folder.save(&save(&both)), Ok(3));
        assert_eq!(
            [read("a.yaml"), read("p/b.yaml"), read("q/c.yaml")].map(Option::unwrap),
            ["new a", "new b", "c"]
        );
        // One of the files differs from what was read.
        let one = [
            ("a.yaml", Some("new a"), "newer a"),
            ("p/b.yaml", Some("old b"), "newer b"),
        ];
        assert!(
            matches!(folder.save(&save(&one)), Err(Refusal::NotWritten(why)) if why.contains("b.yaml"))
        );
        let conflicting = [
            ("a.yaml", Some("new a"), "newer a"),
            ("q/c.yaml", None, "d"),
        ];
        assert!(matches!(
            folder.save(&save(&conflicting)),
            Err(Refusal::NotWritten(_))
        ));
        assert_eq!(
            [read("a.yaml"), read("q/c.yaml")].map(Option::unwrap),
            ["new a", "c"]
        );
    }

    #[test]
    fn paths_cannot_leave_the_folder() {
        let (top, folder) = folder(&[("a.yaml", "a"), (".git/config", "x")]);
        fs::write(top.path().join("secret"), "s").unwrap();
        for path in [
            "../secret",
            "/etc/passwd",
            "p/../../secret",
            "",
            ".",
            "a.yaml/",
            "p//b",
            "..\\secret",
            ".git/config",
            ".GIT/x",
            "a\0b",
        ] {
            assert!(
                matches!(folder.read(path), Err(Refusal::Outside(_))),
                "{path}"
            );
            assert!(
                matches!(
                    folder.save(&save(&[(path, None, "x")])),
                    Err(Refusal::Outside(_))
                ),
                "{path}"
            );
        }
        assert!(matches!(
            folder.read("none.yaml"),
            Err(Refusal::NotFound(_))
        ));
        assert!(matches!(folder.read("p/q/r"), Err(Refusal::NotFound(_))));
        assert_eq!(
            folder
                .list()
                .iter()
                .map(|file| file.path.as_str())
                .collect::<Vec<_>>(),
            ["a.yaml"]
        );
        assert_eq!(fs::read_to_string(top.path().join("secret")).unwrap(), "s");
    }

    #[cfg(unix)]
    #[test]
    fn links_that_lead_out_are_refused() {
        use std::os::unix::fs::symlink;
        let (top, folder) = folder(&[("a.yaml", "a"), (".git/hooks/x", "x")]);
        fs::create_dir(top.path().join("other")).unwrap();
        fs::write(top.path().join("other/secret"), "s").unwrap();
        let at = |path: &str| top.path().join("top").join(path);
        symlink("../other/secret", at("file")).unwrap();
        symlink("../other", at("folder")).unwrap();
        symlink("../other/new", at("nowhere")).unwrap();
        symlink(".git/hooks", at("hooks")).unwrap();
        symlink("a.yaml", at("inside")).unwrap();
        for path in [
            "file",
            "folder/secret",
            "folder/new",
            "nowhere",
            "hooks/x",
            "hooks/new",
        ] {
            assert!(
                matches!(folder.read(path), Err(Refusal::Outside(_))),
                "{path}"
            );
            assert!(
                matches!(
                    folder.save(&save(&[(path, None, "x")])),
                    Err(Refusal::Outside(_))
                ),
                "{path}"
            );
        }
        assert_eq!(
            folder
                .list()
                .iter()
                .map(|file| file.path.as_str())
                .collect::<Vec<_>>(),
            ["a.yaml", "inside"]
        );
        assert_eq!(folder.save(&save(&[("inside", Some("a"), "b")])), Ok(1));
        assert_eq!(fs::read_to_string(at("a.yaml")).unwrap(), "b");
        assert!(at("inside").symlink_metadata().unwrap().is_symlink());
    }

    #[test]
    fn malformed_saves_are_refused() {
        let (_top, folder) = folder(&[("a.yaml", "a")]);
        for body in [
            &b""[..],
            b"{}\n",
            b"{\"files\":[{\"path\":\"b\",\"before\":null,\"after\":9}]}\nx",
            b"{\"files\":[{\"path\":\"b\",\"before\":null,\"after\":1}]}\nxy",
            b"{\"files\":[{\"path\":\"b\",\"before\":18446744073709551615,\"after\":1}]}\nxy",
            b"{\"files\":[{\"path\":\"b\",\"before\":null,\"after\":1},{\"path\":\"b\",\"before\":null,\"after\":1}]}\nxy",
        ] {
            assert!(matches!(folder.save(body), Err(Refusal::Malformed(_))), "{}", String::from_utf8_lossy(body));
        }
        assert_eq!(folder.list().len(), 1);
    }
}
