//! Finds the `.switchyard.yaml` of a catalog on disk: the file of `--config`, or the nearest from
//! the catalog's folder upward. `verdict/validate/config.rs` parses it.

use crate::args::Profile;
use crate::error::CliError;
use session::AdviceSource;
use std::path::{Component, Path, PathBuf};
use verdict::validate::config::FILE_NAME;

/// Returns the advice to report for the catalog in `folder`: from the configuration `config`, else
/// the nearest one. `profile` overrides the one in the file.
pub(crate) fn advice(
    folder: &Path,
    config: Option<&Path>,
    profile: Option<Profile>,
) -> Result<AdviceSource, CliError> {
    let profile = profile.map(Into::into);
    let Some(path) = path(folder, config) else {
        return Ok(AdviceSource::Given {
            file: FILE_NAME.to_owned(),
            text: Vec::new(),
            profile,
        });
    };
    let text = std::fs::read(&path).map_err(|error| {
        CliError::io(&path, &error).hint("with --config, name a file that can be read")
    })?;
    Ok(AdviceSource::Given {
        file: relative_path(folder, &path),
        text,
        profile,
    })
}

/// Returns the advice to report if `text` replaces the configuration file `path`.
pub(crate) fn advice_of_text(folder: &Path, path: &Path, text: &str) -> AdviceSource {
    AdviceSource::Given {
        file: relative_path(folder, path),
        text: text.as_bytes().to_vec(),
        profile: None,
    }
}

/// Returns the path of `config`, else of the nearest configuration.
pub(crate) fn path(folder: &Path, config: Option<&Path>) -> Option<PathBuf> {
    config
        .map(Path::to_path_buf)
        .or_else(|| find_nearest(folder))
}

/// Finds the configuration in the folder or in its nearest ancestor.
fn find_nearest(folder: &Path) -> Option<PathBuf> {
    let folder = std::fs::canonicalize(folder).ok()?;
    folder
        .ancestors()
        .map(|ancestor| ancestor.join(FILE_NAME))
        .find(|path| path.is_file())
}

/// Returns the path of a file relative to a folder, with `/`, and with `..` where necessary.
fn relative_path(folder: &Path, file: &Path) -> String {
    let (Ok(folder), Ok(file_path)) = (std::fs::canonicalize(folder), std::fs::canonicalize(file))
    else {
        return file.display().to_string();
    };
    let shared = folder
        .components()
        .zip(file_path.components())
        .take_while(|(a, b)| a == b)
        .count();
    let up = folder.components().skip(shared).map(|_| "..".to_owned());
    let down = file_path
        .components()
        .skip(shared)
        .map(|part| part.as_os_str().to_string_lossy().into_owned());
    up.chain(down).collect::<Vec<_>>().join("/")
}

/// Converts a path relative to the catalog's folder to one relative to the current folder, as
/// needed for annotations.
pub(crate) fn from_current_dir(folder: &Path, relative: &str) -> String {
    let current_dir = std::env::current_dir().unwrap_or_default();
    let folder = folder.strip_prefix(&current_dir).unwrap_or(folder);
    let path = clean(&folder.join(relative));
    path.to_string_lossy()
        .replace(std::path::MAIN_SEPARATOR, "/")
}

/// Removes redundant parts of a path. The current folder becomes the empty path.
pub(crate) fn clean(path: &Path) -> PathBuf {
    let mut cleaned = PathBuf::new();
    for part in path.components() {
        let can_pop = matches!(cleaned.components().next_back(), Some(Component::Normal(_)));
        match part {
            Component::CurDir => {}
            Component::ParentDir if can_pop => drop(cleaned.pop()),
            Component::ParentDir if cleaned.has_root() => {}
            part => cleaned.push(part),
        }
    }
    cleaned
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_annotations() {
        for (folder, relative, path) in [
            (".", "catalog.yaml", "catalog.yaml"),
            (
                "catalogs/v4.18",
                "p/catalog.yaml",
                "catalogs/v4.18/p/catalog.yaml",
            ),
            (
                "./catalogs/v4.18/",
                "../.switchyard.yaml",
                "catalogs/.switchyard.yaml",
            ),
            ("v4.18", "../../x.yaml", "../x.yaml"),
            ("/elsewhere/c", "a.yaml", "/elsewhere/c/a.yaml"),
        ] {
            assert_eq!(
                from_current_dir(Path::new(folder), relative),
                path,
                "{folder} {relative}"
            );
        }
        let here = std::env::current_dir().unwrap();
        assert_eq!(from_current_dir(&here.join("c"), "a.yaml"), "c/a.yaml");
    }

    #[test]
    fn paths_are_cleaned() {
        for (path, cleaned) in [
            ("catalog/", "catalog"),
            ("./a/../b", "b"),
            (".", ""),
            ("../a", "../a"),
            ("/a/./b", "/a/b"),
        ] {
            assert_eq!(clean(Path::new(path)), Path::new(cleaned), "{path}");
        }
    }
}
