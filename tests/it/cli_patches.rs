//! The patch that `switchyard edit` prints, applied by the real git: files with names of any kind, links, new files.

use super::cli_support::Folder;
use super::patches::git_apply;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn package(name: &str) -> String {
    format!(
        "schema: olm.package\nname: {name}\ndefaultChannel: a\n---\nschema: olm.channel\npackage: {name}\nname: a\nentries:\n- name: {name}.v1.0.0\n"
    )
}

/// All files of a folder.
fn tree(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let (mut files, mut folders) = (BTreeMap::new(), vec![folder.to_path_buf()]);
    while let Some(at) = folders.pop() {
        for entry in fs::read_dir(at).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.insert(path.strip_prefix(folder).unwrap().to_path_buf(), fs::read(&path).unwrap());
            }
        }
    }
    files
}

/// Runs `edit` with operations in JSON; the bytes that it printed.
fn edit(folder: &Path, ops: &str, more: &[&str]) -> Vec<u8> {
    use std::io::Write;
    let mut child = Command::new(env!("CARGO_BIN_EXE_switchyard"))
        .args(["edit", ".", "--stdin"])
        .args(more)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(ops.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// The names of files, of which a system may take only some.
fn names() -> Vec<OsString> {
    let mut names: Vec<OsString> =
        ["plain.yaml", "with blanks .yaml", " a\"q\\uote\".yaml", "\u{fc}n\u{ef}\u{1f600}.yaml", "tab\tand\nline.yaml"]
            .map(OsString::from)
            .to_vec();
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStringExt;
        names.push(OsString::from_vec(b"no-\xff\xfeutf8.yaml".to_vec()));
        names.push(OsString::from_vec(b"no-\xfe\xffutf8.yaml".to_vec()));
    }
    names
}

#[test]
fn the_patch_is_what_is_written() {
    let (printed, written) = (Folder::new(&[]), Folder::new(&[]));
    let mut ops = String::new();
    for (number, name) in names().iter().enumerate() {
        let package_name = format!("p{number}");
        let mut text = package(&package_name);
        match number {
            1 => text = text.replace('\n', "\r\n"),
            2 => text = text.trim_end().to_owned(),
            _ => {}
        }
        for folder in [&printed, &written] {
            let below = folder.path().join(format!("d {number}"));
            fs::create_dir_all(&below).unwrap();
            fs::write(below.join(name), &text).unwrap();
        }
        ops.push_str(&format!(
            "{{\"op\":\"add-channel\",\"package\":\"{package_name}\",\"channel\":\"b\",\"from\":\"a\"}}\n"
        ));
    }
    ops.push_str("{\"op\":\"replace-text\",\"file\":\"new d/n\u{e9}w.yaml\",\"at\":\"1:1-1:1\",\"before\":\"\",\"text\":\"# new\\n\"}\n");
    let before = tree(printed.path());
    let patch = edit(printed.path(), &ops, &[]);
    assert_eq!(tree(printed.path()), before);
    edit(written.path(), &ops, &["--write"]);
    let after = tree(written.path());
    assert_eq!(after.len(), before.len() + 1, "{:?}", after.keys());
    assert!(before.iter().all(|(path, text)| after[path] != *text));
    match git_apply(printed.path(), &patch, false) {
        None => return println!("skipped in part: git is not installed, no patch was applied by it"),
        Some(applied) => assert_eq!(applied, Ok(()), "{}", String::from_utf8_lossy(&patch)),
    }
    assert_eq!(tree(printed.path()), after);
    assert_eq!(git_apply(printed.path(), &patch, true), Some(Ok(())));
    assert_eq!(tree(printed.path()), before);
}

#[cfg(unix)]
#[test]
fn a_link_is_patched_where_it_leads() {
    let folder = Folder::new(&[("c/real.txt", &package("p")), ("c/.indexignore", "real.txt\n")]);
    std::os::unix::fs::symlink("real.txt", folder.path().join("c/catalog.yaml")).unwrap();
    let op = "{\"op\":\"add-channel\",\"package\":\"p\",\"channel\":\"b\",\"from\":\"a\"}\n";
    let patch = edit(&folder.path().join("c"), op, &[]);
    let Some(applied) = git_apply(&folder.path().join("c"), &patch, false) else {
        return println!("skipped in part: git is not installed, no patch was applied by it");
    };
    assert_eq!(applied, Ok(()));
    assert!(folder.read("c/catalog.yaml").contains("name: b"));
    assert!(folder.path().join("c/catalog.yaml").is_symlink());
}

/// What docs/commands.md says of a catalog in a folder of a repository.
#[test]
fn git_passes_over_a_patch_in_a_folder_of_a_repository_unless_it_is_named() {
    let folder = Folder::new(&[("catalogs/v4.19/p/catalog.yaml", &package("p"))]);
    let catalog = folder.path().join("catalogs/v4.19");
    let git = |at: &Path, args: &[&str]| {
        let output = Command::new("git").args(args).current_dir(at).output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    if Command::new("git").arg("--version").output().is_err() {
        println!("skipped: git is not installed");
        return;
    }
    assert_eq!(git(folder.path(), &["init", "-q", "."]).0, Some(0));
    let op = "{\"op\":\"add-channel\",\"package\":\"p\",\"channel\":\"b\"}\n";
    fs::write(folder.path().join("edit.patch"), edit(&catalog, op, &[])).unwrap();
    let before = tree(&catalog);
    assert_eq!(git(&catalog, &["apply", "../../edit.patch"]), (Some(0), String::new()), "silent, and nothing done");
    assert_eq!(tree(&catalog), before);
    let (status, told) = git(folder.path(), &["apply", "--directory=catalogs/v4.19", "edit.patch"]);
    assert_eq!(status, Some(0), "{told}");
    let applied = tree(&catalog);
    assert_ne!(applied, before);
    let (status, told) = git(&catalog, &["apply", "-R", "--directory=catalogs/v4.19", "../../edit.patch"]);
    assert_eq!((status, tree(&catalog)), (Some(0), before), "{told}");
    edit(&catalog, op, &["--write"]);
    assert_eq!(tree(&catalog), applied, "the patch is what --write writes");
}
