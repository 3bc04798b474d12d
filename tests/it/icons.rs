//! The icons of real packages are shown: the limits against icons that block a tab affect none of
//! them.

use ::catalog::model::picture;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::path::{Path, PathBuf};
use test_support::shared_folder;

#[test]
fn icons_of_real_packages_are_shown() {
    let Some(corpus) = shared_folder()
        .map(|shared| shared.join("corpus"))
        .filter(|folder| folder.is_dir())
    else {
        println!("skipped: no folder of real catalogs (SWITCHYARD_SHARED)");
        return;
    };
    let mut files = Vec::new();
    for group in ["operatorhub", "redhat", "community/v4.20"] {
        gather(&corpus.join(group), &mut files);
    }
    let (mut accepted, mut refused) = (0, Vec::new());
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        for (at, line) in lines.iter().enumerate() {
            let Some(data) = field(line, "base64data").filter(|data| data.len() > 40) else {
                continue;
            };
            let near = &lines[at.saturating_sub(2)..(at + 3).min(lines.len())];
            let Some(kind) = near.iter().find_map(|line| field(line, "mediatype")) else {
                continue;
            };
            let Ok(bytes) = STANDARD.decode(data) else {
                continue;
            };
            match picture::why_refused(kind, &bytes) {
                None => accepted += 1,
                Some(reason) => refused.push(format!("{}: {kind}: {reason}", file.display())),
            }
        }
    }
    println!(
        "icons of real packages: {accepted} shown, {} not: {refused:#?}",
        refused.len()
    );
    assert!(
        accepted > 100 && refused.len() * 50 < accepted,
        "{refused:#?}"
    );
}

fn gather(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            gather(&path, files)
        } else {
            files.push(path)
        }
    }
}

/// The value of a one-line field in YAML or JSON.
fn field<'l>(line: &'l str, name: &str) -> Option<&'l str> {
    let (key, value) = line.split_once(':')?;
    (key.trim_matches('"') == name)
        .then(|| value.trim().trim_end_matches(',').trim_matches(['"', '\'']))
}
