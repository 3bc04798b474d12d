//! `switchyard edit --write` on a real disk: preserved attributes, protected files, and the text of
//! `--help`.

use std::fs;
use test_support::Folder;

const PACKAGE: &str = "schema: olm.package\nname: NAME\ndefaultChannel: a\n---\nschema: olm.channel\npackage: NAME\nname: a\nentries:\n- name: NAME.v1.0.0\n---\nschema: olm.channel\npackage: NAME\nname: b\nentries:\n- name: NAME.v1.0.0\n---\nschema: olm.bundle\npackage: NAME\nname: NAME.v1.0.0\nimage: quay.io/x/y:v1\nproperties:\n- type: olm.package\n  value: {packageName: NAME, version: 1.0.0}\n";

fn text(name: &str) -> String {
    PACKAGE.replace("NAME", name)
}

fn folder() -> Folder {
    Folder::new(&[
        ("p/catalog.yaml", &text("p")),
        ("q/catalog.yaml", &text("q")),
    ])
}

/// Changes the default channel of both packages.
const BOTH: &str = "{\"op\":\"set-default-channel\",\"package\":\"p\",\"channel\":\"b\"}\n{\"op\":\"set-default-channel\",\"package\":\"q\",\"channel\":\"b\"}\n";

/// Files of the folder, to detect leftover temporary files.
fn names(folder: &Folder, below: &str) -> Vec<String> {
    let entries = fs::read_dir(folder.path().join(below)).unwrap();
    let mut names: Vec<String> = entries
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[cfg(unix)]
#[test]
fn permissions_and_links_are_preserved() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = folder();
    let elsewhere = Folder::new(&[("real.yaml", &text("q"))]);
    let file = folder.path().join("p/catalog.yaml");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o750)).unwrap();
    fs::remove_file(folder.path().join("q/catalog.yaml")).unwrap();
    symlink(
        elsewhere.path().join("real.yaml"),
        folder.path().join("q/catalog.yaml"),
    )
    .unwrap();
    let run = folder.run_with(&["edit", ".", "--stdin", "--write"], BOTH);
    run.ok();
    assert_eq!(
        fs::metadata(&file).unwrap().permissions().mode() & 0o777,
        0o750
    );
    assert!(
        fs::symlink_metadata(folder.path().join("q/catalog.yaml"))
            .unwrap()
            .is_symlink()
    );
    assert!(elsewhere.read("real.yaml").contains("defaultChannel: b"));
    assert_eq!(
        (names(&folder, "p"), names(&elsewhere, "")),
        (vec!["catalog.yaml".into()], vec!["real.yaml".into()])
    );
}

/// A pipe in place of an icon file pauses the command between reading the catalog and writing it.
#[cfg(unix)]
#[test]
fn a_file_that_changed_since_it_was_read_is_not_overwritten() {
    use std::io::Write;
    use std::process::Command;
    let folder = folder();
    let pipe = folder.path().join("icon.svg");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let child = folder.start(&[
        "edit",
        "p",
        "set-icon",
        "--package",
        "p",
        "--file",
        "icon.svg",
        "--write",
    ]);
    // Opening the pipe blocks until the command reads it, after it has read the catalog.
    let mut icon = fs::OpenOptions::new().write(true).open(&pipe).unwrap();
    let theirs = text("p").replace("v1.0.0", "v1.0.1");
    folder.write("p/catalog.yaml", &theirs);
    icon.write_all(b"<svg xmlns=\"http://www.w3.org/2000/svg\"/>")
        .unwrap();
    drop(icon);
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("changed on disk since it was"), "{stderr}");
    assert_eq!(
        (folder.read("p/catalog.yaml"), names(&folder, "p")),
        (theirs, vec!["catalog.yaml".to_owned()])
    );
}

#[test]
fn a_file_that_cannot_be_written_leaves_all_unchanged() {
    let folder = Folder::new(&[("p/catalog.yaml", &text("p")), ("q.yaml", &text("q"))]);
    // The folder of the new file would have to replace a file.
    let new = "{\"op\":\"replace-text\",\"file\":\"q.yaml/new.yaml\",\"at\":\"1:1-1:1\",\"before\":\"\",\"text\":\"# new\\n\"}\n";
    let run = folder.run_with(
        &["edit", ".", "--stdin", "--write"],
        &format!("{}{new}", BOTH),
    );
    run.status(2);
    assert!(
        run.stderr.contains("q.yaml/new.yaml") || run.stderr.contains("q.yaml"),
        "{}",
        run.stderr
    );
    assert_eq!(
        (folder.read("p/catalog.yaml"), folder.read("q.yaml")),
        (text("p"), text("q"))
    );
    assert_eq!(
        (names(&folder, "p"), names(&folder, "")),
        (
            vec!["catalog.yaml".to_owned()],
            vec!["p".to_owned(), "q.yaml".to_owned()]
        )
    );
}

#[test]
fn a_new_file_creates_its_folders() {
    let folder = folder();
    let new = "{\"op\":\"replace-text\",\"file\":\"r/s/catalog.yaml\",\"at\":\"1:1-1:1\",\"before\":\"\",\"text\":\"# new\\n\"}\n";
    folder
        .run_with(&["edit", ".", "--stdin", "--write"], new)
        .ok();
    assert_eq!(folder.read("r/s/catalog.yaml"), "# new\n");
}

#[test]
fn help_has_an_example_of_each_operation() {
    let folder = folder();
    let all = folder.run(&["edit", "--help"]);
    all.ok();
    assert!(
        all.stdout
            .contains("switchyard edit DIR promote --package p"),
        "{}",
        all.stdout
    );
    assert!(
        all.stdout.contains("--stdin --write < operations.jsonl"),
        "{}",
        all.stdout
    );
    let one = folder.run(&["edit", ".", "promote", "--help"]);
    one.ok();
    assert!(
        one.stdout
            .contains("Example:\n  switchyard edit DIR promote"),
        "{}",
        one.stdout
    );
}

#[cfg(unix)]
#[test]
fn a_read_only_file_is_refused_before_anything_is_written() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder();
    let file = folder.path().join("q/catalog.yaml");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o444)).unwrap();
    let run = folder.run_with(&["edit", ".", "--stdin", "--write"], BOTH);
    run.status(2);
    assert!(
        run.stderr.contains("q/catalog.yaml is read-only"),
        "{}",
        run.stderr
    );
    assert_eq!(
        (folder.read("p/catalog.yaml"), folder.read("q/catalog.yaml")),
        (text("p"), text("q"))
    );
    assert_eq!(
        fs::metadata(&file).unwrap().permissions().mode() & 0o777,
        0o444
    );
}

/// Run as root, the test can change owners; run as another user, it checks that owners stay.
#[cfg(unix)]
#[test]
fn owner_and_mode_are_preserved() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
    let folder = folder();
    let file = folder.path().join("p/catalog.yaml");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    let _ = chown(&file, Some(1234), Some(2345));
    let before = fs::metadata(&file).unwrap();
    folder
        .run(&[
            "edit",
            "p",
            "set-default-channel",
            "--package",
            "p",
            "--channel",
            "b",
            "--write",
        ])
        .ok();
    let after = fs::metadata(&file).unwrap();
    assert!(folder.read("p/catalog.yaml").contains("defaultChannel: b"));
    assert_eq!(
        (after.uid(), after.gid(), after.mode()),
        (before.uid(), before.gid(), before.mode())
    );
}

#[cfg(unix)]
#[test]
fn a_file_shared_by_catalogs_is_written_once_and_stays_shared() {
    use std::os::unix::fs::{MetadataExt, symlink};
    let set = [
        "set-default-channel",
        "--package",
        "p",
        "--channel",
        "b",
        "--also-in",
        "two",
        "--also-in",
        "three",
    ];
    let folder = Folder::new(&[
        ("one/catalog.yaml", &text("p")),
        ("two/a", "# a\n"),
        ("three/a", "# a\n"),
    ]);
    symlink(
        "../one/catalog.yaml",
        folder.path().join("two/catalog.yaml"),
    )
    .unwrap();
    fs::hard_link(
        folder.path().join("one/catalog.yaml"),
        folder.path().join("three/catalog.yaml"),
    )
    .unwrap();
    let patch = folder.run(&[&["edit", "one"], &set[..]].concat());
    patch.ok();
    assert_eq!(
        patch.stdout.matches("+++ b/").count(),
        2,
        "{}",
        patch.stdout
    );
    let run = folder.run(&[&["edit", "one"], &set[..], &["--write"]].concat());
    run.ok();
    for catalog in ["one", "two", "three"] {
        assert!(
            folder
                .read(&format!("{catalog}/catalog.yaml"))
                .contains("defaultChannel: b"),
            "{catalog}"
        );
        assert_eq!(
            names(&folder, catalog).len(),
            if catalog == "one" { 1 } else { 2 }
        );
    }
    assert!(folder.path().join("two/catalog.yaml").is_symlink());
    let number = |catalog: &str| {
        fs::metadata(folder.path().join(catalog).join("catalog.yaml"))
            .unwrap()
            .ino()
    };
    assert_eq!(number("one"), number("three"));
    // Two different edits of one file conflict.
    let ops = "{\"op\":\"set-default-channel\",\"catalog\":\"one\",\"package\":\"p\",\"channel\":\"a\"}\n{\"op\":\"add-channel\",\"catalog\":\"two\",\"package\":\"p\",\"channel\":\"new\"}\n";
    let before = folder.read("one/catalog.yaml");
    let run = folder.run_with(
        &["edit", "one", "--also-in", "two", "--stdin", "--write"],
        ops,
    );
    run.status(2);
    assert!(
        run.stderr
            .contains("are the same file, but the edits differ"),
        "{}",
        run.stderr
    );
    assert_eq!(folder.read("one/catalog.yaml"), before);
}

#[test]
fn a_failed_rename_rolls_back_all_files() {
    let folder = Folder::new(&[("p/catalog.yaml", &text("p")), ("z.yaml", &text("q"))]);
    // A folder is in the place of the last file.
    let new = |path: &str| {
        format!(
            "{{\"op\":\"replace-text\",\"file\":\"{path}\",\"at\":\"1:1-1:1\",\"before\":\"\",\"text\":\"# new\\n\"}}\n"
        )
    };
    fs::create_dir_all(folder.path().join("zz/taken.yaml")).unwrap();
    let ops = format!(
        "{BOTH}{}{}",
        new("fresh/folder/new.yaml"),
        new("zz/taken.yaml")
    );
    let run = folder.run_with(&["edit", ".", "--stdin", "--write"], &ops);
    run.status(2);
    assert_eq!(
        (folder.read("p/catalog.yaml"), folder.read("z.yaml")),
        (text("p"), text("q"))
    );
    assert_eq!(names(&folder, ""), ["p", "z.yaml", "zz"]);
}

/// A run holds the lock on the folder while it writes.
#[cfg(unix)]
#[test]
fn a_locked_folder_is_reported_and_nothing_is_written() {
    let folder = folder();
    let set = [
        "edit",
        "p",
        "set-default-channel",
        "--package",
        "p",
        "--channel",
        "b",
    ];
    let other = fs::File::open(folder.path()).unwrap();
    other.lock().unwrap();
    // A run that only prints does not wait.
    folder.run(&set).ok();
    let run = folder.run(&[&set[..], &["--write"]].concat());
    run.status(2);
    assert!(
        run.stderr.contains("another run is writing in"),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr
            .contains("nothing was written; run it again when that run has ended"),
        "{}",
        run.stderr
    );
    assert_eq!(folder.read("p/catalog.yaml"), text("p"));
    drop(other);
    folder.run(&[&set[..], &["--write"]].concat()).ok();
    assert!(folder.read("p/catalog.yaml").contains("defaultChannel: b"));
}

/// A large file is in memory once, whether the patch is printed or written. With two copies, this
/// test would exceed its memory limit.
#[cfg(target_os = "linux")]
#[test]
fn a_large_file_is_in_memory_only_once() {
    const BUNDLES: usize = 60;
    const LIMIT_IN_KB: usize = 115_000 + BUNDLES * 1_000;
    let name = |n: usize| format!("p.v1.{n}.0");
    let entry = |n: usize| format!("- name: {}\n", name(n));
    let line = format!("      {}\n", "a line of a description ".repeat(4));
    let bundle = |n: usize| {
        let head = format!(
            "---\nschema: olm.bundle\nname: {0}\npackage: p\nimage: quay.io/p/p:{n}\nproperties:\n",
            name(n)
        );
        let version =
            format!("- type: olm.package\n  value: {{packageName: p, version: 1.{n}.0}}\n");
        head + &version
            + "- type: note\n  value:\n    text: |\n"
            + &line.repeat(1_000_000 / line.len())
    };
    let channel = "schema: olm.package\nname: p\ndefaultChannel: a\n---\nschema: olm.channel\npackage: p\nname: a\nentries:\n";
    let entries: String = (0..BUNDLES).map(entry).collect();
    let bundles: String = (0..BUNDLES).map(bundle).collect();
    let before = format!("{channel}{entries}{bundles}");
    let folder = Folder::new(&[("p/catalog.yaml", &before)]);
    let edit = format!(
        "ulimit -v {LIMIT_IN_KB}; exec \"$0\" edit . set-skip-range --name {} --channel a --skip-range '<1.0.0'",
        name(59)
    );
    for (more, changes) in [("", false), (" --write", true)] {
        let run = std::process::Command::new("sh")
            .args([
                "-c",
                &format!("{edit}{more}"),
                test_support::program().to_str().unwrap(),
            ])
            .current_dir(folder.path())
            .output()
            .unwrap();
        assert!(
            run.status.success(),
            "{more}: {}",
            String::from_utf8_lossy(&run.stderr)
        );
        let now = folder.read("p/catalog.yaml");
        let edited = before.replace(
            "- name: p.v1.59.0\n",
            "- name: p.v1.59.0\n  skipRange: <1.0.0\n",
        );
        assert!(
            now == if changes { edited } else { before.clone() },
            "{more}"
        );
    }
}

/// Everything below a folder: files with their content, links with their targets, folders with "".
#[cfg(unix)]
fn tree(root: &std::path::Path) -> std::collections::BTreeMap<std::path::PathBuf, String> {
    let mut tree = std::collections::BTreeMap::new();
    let mut waiting = vec![root.to_path_buf()];
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let metadata = path.symlink_metadata().unwrap();
            let content = if metadata.is_symlink() {
                format!("{:?}", fs::read_link(&path).unwrap())
            } else if metadata.is_dir() {
                waiting.push(path.clone());
                String::new()
            } else {
                fs::read_to_string(&path).unwrap()
            };
            tree.insert(path, content);
        }
    }
    tree
}

/// A cloned catalog may contain a folder that imitates an earlier run's: no run may replace or
/// remove anything because of it, regardless of its place and content.
#[cfg(unix)]
#[test]
fn a_planted_record_is_reported_and_never_followed() {
    use std::os::unix::fs::{MetadataExt, symlink};
    let outside = Folder::new(&[("victim", "precious"), ("other", "evil")]);
    fs::create_dir(outside.path().join("empty")).unwrap();
    let victim = outside.path().join("victim");
    let metadata = fs::metadata(&victim).unwrap();
    let written = metadata
        .modified()
        .unwrap()
        .duration_since(std::time::UNIX_EPOCH);
    let at = |path: &str| outside.path().join(path).display().to_string();
    for place in ["", "p/", "p/deep/"] {
        let folder = folder();
        let planted = format!("{place}.switchyard-1-0");
        let area = folder.path().join(&planted).display().to_string();
        let owner =
            serde_json::json!({"process": 1, "folders": [folder.path().join("p")], "first": area});
        let identity = serde_json::json!({
            "number": metadata.ino(), "len": metadata.len(), "written": written.clone().unwrap().as_nanos(),
        });
        let record = serde_json::json!({"staged_in": [area], "entries": [
            {"place": at("victim"), "staged": at("none"), "kept": at("other"), "identity": identity, "folders": []},
            {"place": at("none"), "staged": at("none"), "kept": null, "identity": identity, "folders": [at("empty")]},
        ]});
        folder.write(&format!("{planted}/owner"), &owner.to_string());
        folder.write(&format!("{planted}/record"), &record.to_string());
        folder.write(&format!("{planted}/.indexignore"), "*\n");
        folder.write(
            &format!("{planted}/files.txt"),
            &format!("0 {:?}\n", at("victim")),
        );
        symlink(
            outside.path(),
            folder.path().join(format!("{planted}/0.old")),
        )
        .unwrap();
        let (around, before) = (tree(outside.path()), tree(&folder.path().join(&planted)));
        let set = "edit p set-default-channel --package p --channel b --write";
        let run = folder.run(&set.split(' ').collect::<Vec<_>>());
        run.ok();
        assert!(folder.read("p/catalog.yaml").contains("defaultChannel: b"));
        assert_eq!(tree(outside.path()), around, "{planted}");
        assert_eq!(tree(&folder.path().join(&planted)), before, "{planted}");
        assert!(
            run.stderr
                .contains(&format!("{planted} was left by a run that was killed")),
            "{}",
            run.stderr
        );
    }
}

#[cfg(unix)]
#[test]
fn no_file_is_created_through_a_linked_folder() {
    let outside = Folder::new(&[]);
    let folder = folder();
    std::os::unix::fs::symlink(outside.path(), folder.path().join("r")).unwrap();
    let new = "{\"op\":\"replace-text\",\"file\":\"r/new.yaml\",\"at\":\"1:1-1:1\",\"before\":\"\",\"text\":\"# new\\n\"}\n";
    let run = folder.run_with(
        &["edit", ".", "--stdin", "--write"],
        &format!("{BOTH}{new}"),
    );
    run.status(2);
    let expected = "r/new.yaml would be created outside of the catalog";
    assert!(run.stderr.contains(expected), "{}", run.stderr);
    assert_eq!(
        (names(&outside, ""), folder.read("p/catalog.yaml")),
        (vec![], text("p"))
    );
}

/// A link, file or pipe may have the name of a staging folder: it is not opened.
#[cfg(unix)]
#[test]
fn planted_names_that_are_no_folders_are_ignored() {
    use std::os::unix::fs::symlink;
    let outside = Folder::new(&[("0.new", "x")]);
    let folder = folder();
    symlink(outside.path(), folder.path().join(".switchyard-link")).unwrap();
    folder.write(".switchyard-file", "x");
    let pipe = folder.path().join(".switchyard-pipe");
    assert!(
        std::process::Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let set = "edit p set-default-channel --package p --channel b --write";
    let run = folder.run(&set.split(' ').collect::<Vec<_>>());
    run.ok();
    assert!(!run.stderr.contains("killed"), "{}", run.stderr);
    assert_eq!(outside.read("0.new"), "x");
}

/// Other users can neither read nor add files in the folder during the run.
#[cfg(unix)]
#[test]
fn the_staging_folder_is_private_and_beside_the_catalog() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder();
    // The run blocks at a pipe in the middle of staging, because only its second operation reads
    // the icon.
    let watch = std::thread::spawn({
        let root = folder.path().to_path_buf();
        move || {
            let mut modes = std::collections::BTreeSet::new();
            let since = std::time::Instant::now();
            while modes.is_empty() && since.elapsed().as_secs() < 60 {
                for entry in fs::read_dir(&root).unwrap().flatten() {
                    let name = entry.file_name().into_string().unwrap();
                    if name.starts_with(".switchyard-")
                        && let Ok(metadata) = entry.metadata()
                    {
                        modes.insert((metadata.is_dir(), metadata.permissions().mode() & 0o777));
                    }
                }
            }
            modes
        }
    });
    let mut run = folder.run_with(&["edit", "p", "--stdin", "--write"], "");
    for channel in ["b", "a"].iter().cycle() {
        if watch.is_finished() {
            break;
        }
        let op = format!(
            "{{\"op\":\"set-default-channel\",\"package\":\"p\",\"channel\":\"{channel}\"}}\n"
        );
        run = folder.run_with(&["edit", "p", "--stdin", "--write"], &op);
    }
    run.ok();
    assert_eq!(
        watch.join().unwrap().into_iter().collect::<Vec<_>>(),
        [(true, 0o700)]
    );
    assert_eq!(names(&folder, ""), ["p", "q"]);
}
