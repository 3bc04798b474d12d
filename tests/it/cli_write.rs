//! `switchyard edit --write` on a real disk: what stays of a file, what is not overwritten, what `--help` tells.

use super::cli_support::Folder;
use std::fs;

const PACKAGE: &str = "schema: olm.package\nname: NAME\ndefaultChannel: a\n---\nschema: olm.channel\npackage: NAME\nname: a\nentries:\n- name: NAME.v1.0.0\n---\nschema: olm.channel\npackage: NAME\nname: b\nentries:\n- name: NAME.v1.0.0\n---\nschema: olm.bundle\npackage: NAME\nname: NAME.v1.0.0\nimage: quay.io/x/y:v1\nproperties:\n- type: olm.package\n  value: {packageName: NAME, version: 1.0.0}\n";

fn text(name: &str) -> String {
    PACKAGE.replace("NAME", name)
}

fn folder() -> Folder {
    Folder::new(&[("p/catalog.yaml", &text("p")), ("q/catalog.yaml", &text("q"))])
}

/// Both packages get another default channel.
const BOTH: &str = "{\"op\":\"set-default-channel\",\"package\":\"p\",\"channel\":\"b\"}\n{\"op\":\"set-default-channel\",\"package\":\"q\",\"channel\":\"b\"}\n";

/// Files of the folder, so that a temporary one that is left is seen.
fn names(folder: &Folder, below: &str) -> Vec<String> {
    let entries = fs::read_dir(folder.path().join(below)).unwrap();
    let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[cfg(unix)]
#[test]
fn permissions_and_links_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = folder();
    let elsewhere = Folder::new(&[("real.yaml", &text("q"))]);
    let file = folder.path().join("p/catalog.yaml");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o750)).unwrap();
    fs::remove_file(folder.path().join("q/catalog.yaml")).unwrap();
    symlink(elsewhere.path().join("real.yaml"), folder.path().join("q/catalog.yaml")).unwrap();
    let run = folder.run_with(&["edit", ".", "--stdin", "--write"], BOTH);
    run.ok();
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o750);
    assert!(fs::symlink_metadata(folder.path().join("q/catalog.yaml")).unwrap().is_symlink());
    assert!(elsewhere.read("real.yaml").contains("defaultChannel: b"));
    assert_eq!((names(&folder, "p"), names(&elsewhere, "")), (vec!["catalog.yaml".into()], vec!["real.yaml".into()]));
}

/// A pipe instead of an icon file holds the command between reading the catalog and writing it.
#[cfg(unix)]
#[test]
fn a_file_that_changed_since_it_was_read_is_not_overwritten() {
    use std::io::Write;
    use std::process::{Command, Stdio};
    let folder = folder();
    let pipe = folder.path().join("icon.svg");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let child = Command::new(env!("CARGO_BIN_EXE_switchyard"))
        .args(["edit", "p", "set-icon", "--package", "p", "--file", "icon.svg", "--write"])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Opening waits until the command reads: the catalog has been read by then.
    let mut icon = fs::OpenOptions::new().write(true).open(&pipe).unwrap();
    let theirs = text("p").replace("v1.0.0", "v1.0.1");
    folder.write("p/catalog.yaml", &theirs);
    icon.write_all(b"<svg xmlns=\"http://www.w3.org/2000/svg\"/>").unwrap();
    drop(icon);
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("changed on disk since it was"), "{stderr}");
    assert_eq!((folder.read("p/catalog.yaml"), names(&folder, "p")), (theirs, vec!["catalog.yaml".to_owned()]));
}

#[test]
fn a_file_that_cannot_be_written_leaves_all_as_they_were() {
    let folder = Folder::new(&[("p/catalog.yaml", &text("p")), ("q.yaml", &text("q"))]);
    // The new file's folder would have to be where a file is.
    let new = "{\"op\":\"replace-text\",\"file\":\"q.yaml/new.yaml\",\"at\":\"1:1-1:1\",\"before\":\"\",\"text\":\"# new\\n\"}\n";
    let run = folder.run_with(&["edit", ".", "--stdin", "--write"], &format!("{}{new}", BOTH));
    run.status(2);
    assert!(run.stderr.contains("q.yaml/new.yaml") || run.stderr.contains("q.yaml"), "{}", run.stderr);
    assert_eq!((folder.read("p/catalog.yaml"), folder.read("q.yaml")), (text("p"), text("q")));
    assert_eq!(
        (names(&folder, "p"), names(&folder, "")),
        (vec!["catalog.yaml".to_owned()], vec!["p".to_owned(), "q.yaml".to_owned()])
    );
}

#[test]
fn a_new_file_comes_with_its_folders() {
    let folder = folder();
    let new = "{\"op\":\"replace-text\",\"file\":\"r/s/catalog.yaml\",\"at\":\"1:1-1:1\",\"before\":\"\",\"text\":\"# new\\n\"}\n";
    folder.run_with(&["edit", ".", "--stdin", "--write"], new).ok();
    assert_eq!(folder.read("r/s/catalog.yaml"), "# new\n");
}

#[test]
fn help_has_an_example_of_each_operation() {
    let folder = folder();
    let all = folder.run(&["edit", "--help"]);
    all.ok();
    assert!(all.stdout.contains("switchyard edit DIR promote --package p"), "{}", all.stdout);
    assert!(all.stdout.contains("--stdin --write < operations.jsonl"), "{}", all.stdout);
    let one = folder.run(&["edit", ".", "promote", "--help"]);
    one.ok();
    assert!(one.stdout.contains("Example:\n  switchyard edit DIR promote"), "{}", one.stdout);
}
