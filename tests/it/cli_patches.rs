//! The patch of `switchyard edit`, applied by the real git: files with unusual names, links, new
//! files.

use super::patches::git_apply;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use test_support::{Folder, switchyard};

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
                files.insert(
                    path.strip_prefix(folder).unwrap().to_path_buf(),
                    fs::read(&path).unwrap(),
                );
            }
        }
    }
    files
}

/// Runs `edit` with operations in JSON; returns the printed bytes.
fn edit(folder: &Path, ops: &str, more: &[&str]) -> Vec<u8> {
    use std::io::Write;
    let mut child = switchyard()
        .args(["edit", ".", "--stdin"])
        .args(more)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(ops.as_bytes()).unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    output.stdout
}

/// File names, of which a system may support only some.
fn names() -> Vec<OsString> {
    let mut names: Vec<OsString> = [
        "plain.yaml",
        "with blanks .yaml",
        " a\"q\\uote\".yaml",
        "\u{fc}n\u{ef}\u{1f600}.yaml",
        "tab\tand\nline.yaml",
    ]
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
fn the_patch_equals_the_written_files() {
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
        None => {
            return println!("skipped in part: git is not installed, no patch was applied by it");
        }
        Some(applied) => assert_eq!(applied, Ok(()), "{}", String::from_utf8_lossy(&patch)),
    }
    assert_eq!(tree(printed.path()), after);
    assert_eq!(git_apply(printed.path(), &patch, true), Some(Ok(())));
    assert_eq!(tree(printed.path()), before);
}

#[cfg(unix)]
#[test]
fn a_link_is_patched_at_its_target() {
    let folder = Folder::new(&[
        ("c/real.txt", &package("p")),
        ("c/.indexignore", "real.txt\n"),
    ]);
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

/// Runs `edit` in a folder; returns its output and its notes.
fn edit_in(here: &Path, arguments: &[&str]) -> (Vec<u8>, String) {
    let output = switchyard()
        .arg("edit")
        .args(arguments)
        .current_dir(here)
        .output()
        .unwrap();
    let noted = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{noted}");
    (output.stdout, noted)
}

/// Runs git with a patch on its standard input.
fn git(here: &Path, arguments: &[&str], patch: &[u8]) {
    use std::io::Write;
    let mut child = Command::new("git")
        .args(arguments)
        .current_dir(here)
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("git is installed");
    child.stdin.take().unwrap().write_all(patch).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(
        output.status.success(),
        "git {arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// The statements of docs/commands.md about `switchyard edit … | git apply`: from the top of the
/// repository, from the catalog, from outside, and, with the noted command, from a sibling folder;
/// for one catalog and for two.
#[test]
fn the_patch_applies_where_it_is_piped_to_git() {
    if Command::new("git").arg("--version").output().is_err() {
        println!("skipped: git is not installed");
        return;
    }
    let files = [
        ("catalogs/v4.19/p/c.yaml", package("p")),
        ("catalogs/v4.20/p/c.yaml", package("p")),
    ];
    let files = files.each_ref().map(|(path, text)| (*path, text.as_str()));
    let operation = ["add-channel", "--package", "p", "--channel", "b"];
    let with = |folder: &str, more: &[&str]| -> Vec<String> {
        let args = [folder]
            .into_iter()
            .chain(operation)
            .chain(more.iter().copied());
        args.map(str::to_owned).collect()
    };
    let written = Folder::new(&files);
    edit_in(
        written.path(),
        &[
            "catalogs/v4.19",
            operation[0],
            "--package",
            "p",
            "--channel",
            "b",
            "--write",
        ],
    );
    let one = tree(&written.path().join("catalogs"));
    edit_in(
        written.path(),
        &[
            "catalogs/v4.20",
            operation[0],
            "--package",
            "p",
            "--channel",
            "b",
            "--write",
        ],
    );
    let both = tree(&written.path().join("catalogs"));
    assert_ne!(one, both);

    let elsewhere = Folder::new(&[]);
    for is_repository in [true, false] {
        let cases: [(&str, Vec<String>, &BTreeMap<_, _>); 3] = [
            (".", with("catalogs/v4.19", &[]), &one),
            ("catalogs/v4.19", with(".", &[]), &one),
            (
                ".",
                with("catalogs/v4.19", &["--also-in", "catalogs/v4.20"]),
                &both,
            ),
        ];
        for (here, arguments, expected) in cases {
            let folder = Folder::new(&files);
            if is_repository {
                git(folder.path(), &["init", "-q"], b"");
            }
            let here = folder.path().join(here);
            let (patch, noted) = edit_in(
                &here,
                &arguments.iter().map(String::as_str).collect::<Vec<_>>(),
            );
            assert!(!noted.contains("git"), "a plain git apply does it: {noted}");
            git(&here, &["apply"], &patch);
            assert_eq!(
                tree(&folder.path().join("catalogs")),
                *expected,
                "{arguments:?}, repository: {is_repository}"
            );
        }
        let folder = Folder::new(&files);
        if is_repository {
            git(folder.path(), &["init", "-q"], b"");
        }
        let catalog = folder.path().join("catalogs/v4.19");
        let arguments = with(catalog.to_str().unwrap(), &[]);
        let (patch, _) = edit_in(
            elsewhere.path(),
            &arguments.iter().map(String::as_str).collect::<Vec<_>>(),
        );
        let base = if is_repository {
            folder.path()
        } else {
            &catalog
        };
        git(
            elsewhere.path(),
            &["-C", base.to_str().unwrap(), "apply"],
            &patch,
        );
        assert_eq!(
            tree(&folder.path().join("catalogs")),
            one,
            "from outside, repository: {is_repository}"
        );
    }
}

#[test]
fn a_command_is_suggested_if_git_would_skip_the_patch() {
    if Command::new("git").arg("--version").output().is_err() {
        println!("skipped: git is not installed");
        return;
    }
    let folder = Folder::new(&[
        ("catalogs/v4.19/p/c.yaml", &package("p")),
        ("docs/a.md", ""),
    ]);
    git(folder.path(), &["init", "-q"], b"");
    let docs = folder.path().join("docs");
    let operation = [
        "../catalogs/v4.19",
        "add-channel",
        "--package",
        "p",
        "--channel",
        "b",
    ];
    let (patch, noted) = edit_in(&docs, &operation);
    let before = tree(&folder.path().join("catalogs"));
    git(&docs, &["apply"], &patch);
    assert_eq!(
        tree(&folder.path().join("catalogs")),
        before,
        "git silently ignores the patch"
    );
    let command = noted.split('`').nth(1).expect("a command").to_owned();
    let args: Vec<&str> = command.split_whitespace().skip(1).collect();
    git(&docs, &args, &patch);
    assert_ne!(tree(&folder.path().join("catalogs")), before, "{command}");
}
