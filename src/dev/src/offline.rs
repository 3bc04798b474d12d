//! The list of files that the service worker of a built page stores (`public/sw.js`): all files of the build, each with
//! its digest.

use crate::inputs::integrity;
use crate::setup::fingerprint;
use std::collections::BTreeMap;
use std::path::Path;

/// The script that stores the page, and the one that removes a stored page.
pub(crate) const KEEPS: &str = "sw.js";
const GIVES_UP: &str = "sw-retired.js";
const FROM: &str = "/* build */\n";
const TO: &str = "/* end of build */";

/// Writes the list of a finished page's files into its service worker.
pub(crate) fn keep(dist: &Path) -> Result<(), String> {
    let mut files = BTreeMap::new();
    collect(dist, "", &mut files)?;
    let place = dist.join(KEEPS);
    let script =
        String::from_utf8(read(&place)?).map_err(|e| format!("{}: {e}", place.display()))?;
    let script = with_files(&script, &files)
        .ok_or_else(|| format!("{} has no marks of the build", place.display()))?;
    std::fs::write(&place, script).map_err(|e| format!("cannot write {}: {e}", place.display()))
}

/// Replaces the script by the one that removes a stored page: during development, the page must always come from the
/// sources.
pub(crate) fn give_up(dist: &Path) -> Result<(), String> {
    std::fs::write(dist.join(KEEPS), read(&dist.join(GIVES_UP))?)
        .map_err(|e| format!("cannot write {KEEPS}: {e}"))
}

/// Inserts these files, by path, into the script; `None` if the script has no place for them.
fn with_files(script: &str, files: &BTreeMap<String, String>) -> Option<String> {
    let from = script.find(FROM)? + FROM.len();
    let to = from + script[from..].find(TO)?;
    let list: String = files
        .iter()
        .map(|(path, digest)| format!("  {path:?}: {digest:?},\n"))
        .collect();
    let build = fingerprint(list.as_bytes());
    Some(format!(
        "{}const BUILD = '{build:016x}';\nconst FILES = {{\n{list}}};\n{}",
        &script[..from],
        &script[to..]
    ))
}

/// The digests of a page's files by path; the page itself has the empty path.
fn collect(
    folder: &Path,
    prefix: &str,
    files: &mut BTreeMap<String, String>,
) -> Result<(), String> {
    let entries =
        std::fs::read_dir(folder).map_err(|e| format!("cannot read {}: {e}", folder.display()))?;
    for entry in entries.flatten() {
        let path = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            collect(&entry.path(), &format!("{path}/"), files)?;
        } else if ![KEEPS, GIVES_UP].contains(&path.as_str()) {
            let known = if path == "index.html" {
                String::new()
            } else {
                path
            };
            files.insert(known, integrity(&read(&entry.path())?));
        }
    }
    Ok(())
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|e| format!("cannot read {}: {e}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_names_all_files_of_the_build_but_itself() {
        let dist = std::env::temp_dir().join(format!("switchyard-offline-{}", std::process::id()));
        std::fs::create_dir_all(dist.join("sample")).unwrap();
        let source =
            "// before\n/* build */\nconst BUILD = 'none';\n/* end of build */\n// after\n";
        for (name, text) in [
            ("index.html", ""),
            ("sw.js", source),
            ("sw-retired.js", "// gives up"),
            ("sample/a.yaml", "abc"),
        ] {
            std::fs::write(dist.join(name), text).unwrap();
        }
        keep(&dist).unwrap();
        let first = std::fs::read_to_string(dist.join("sw.js")).unwrap();
        let list = "const FILES = {\n  \"\": \"sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\",\n  \
            \"sample/a.yaml\": \"sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=\",\n};\n";
        assert!(
            first.starts_with("// before\n/* build */\nconst BUILD = '") && first.contains(list),
            "{first}"
        );
        assert!(first.ends_with("/* end of build */\n// after\n"));

        keep(&dist).unwrap();
        assert_eq!(
            std::fs::read_to_string(dist.join("sw.js")).unwrap(),
            first,
            "the same files, the same script"
        );
        std::fs::write(dist.join("sample/a.yaml"), "abd").unwrap();
        keep(&dist).unwrap();
        assert_ne!(std::fs::read_to_string(dist.join("sw.js")).unwrap(), first);

        give_up(&dist).unwrap();
        assert_eq!(
            std::fs::read_to_string(dist.join("sw.js")).unwrap(),
            "// gives up"
        );
        std::fs::remove_dir_all(&dist).unwrap();
    }
}
