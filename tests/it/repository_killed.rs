//! A release that is killed while it writes: templates and catalogs are all as before or all released, and the next run puts
//! right what is left. Real processes.
#![cfg(unix)]

use super::cli_support::Folder;
use super::repository_support;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Catalogs that the operator is rendered into, so that writing takes a while.
const CATALOGS: usize = 40;
const TRIES: usize = 24;

/// The repository of the tests with many catalogs of harbor.
fn repository() -> Folder {
    let folder = repository_support::folder();
    let catalog = folder.read("catalogs/v4.18/harbor/catalog.yaml");
    let mut names = String::from("[\"v4.17\",\n        \"v4.18\"");
    for number in 0..CATALOGS {
        folder.write(
            &format!("catalogs/c{number:03}/harbor/catalog.yaml"),
            &catalog,
        );
        names.push_str(&format!(", c{number:03}"));
    }
    let mapping = folder.read("operators/harbor/ci.yaml");
    folder.write(
        "operators/harbor/ci.yaml",
        &mapping.replace("[\"v4.17\",\n        \"v4.18\"]", &format!("{names}]")),
    );
    folder
}

/// All files of the repository, with what is hidden in it apart: what a killed run left.
fn files(root: &Path) -> (BTreeMap<String, Vec<u8>>, usize) {
    let (mut found, mut left) = (BTreeMap::new(), 0);
    let mut waiting = vec![root.to_path_buf()];
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap())
        {
            let path = entry.path();
            if entry
                .file_name()
                .to_string_lossy()
                .starts_with(".switchyard")
            {
                left += 1;
            } else if path.is_dir() {
                waiting.push(path);
            } else {
                let name = path.strip_prefix(root).unwrap().display().to_string();
                found.insert(name, std::fs::read(&path).unwrap());
            }
        }
    }
    (found, left)
}

const RELEASE: [&str; 9] = [
    "repo",
    "release",
    "--operator",
    "harbor",
    "--bundle",
    "1.2.0",
    "--image",
    "quay.io/example/harbor:v1.2.0",
    "--write",
];

#[test]
fn a_release_that_is_killed_is_whole_or_none() {
    let folder = repository();
    let (before, _) = files(folder.path());
    let restore = || {
        for (path, text) in &before {
            std::fs::write(folder.path().join(path), text).unwrap();
        }
    };
    folder.run(&RELEASE).ok();
    let (released, left) = files(folder.path());
    assert_eq!(left, 0);
    let changed = released
        .iter()
        .filter(|(path, text)| before.get(*path) != Some(text))
        .count();
    assert!(changed >= CATALOGS, "only {changed} files are released");
    let first = folder.path().join("catalogs/c000/harbor/catalog.yaml");
    let inode = || {
        std::fs::metadata(&first)
            .ok()
            .map(|metadata| metadata.ino())
    };
    let (mut random, mut tries, mut ended, mut half) = (StdRng::seed_from_u64(25), 0, 0, 0);
    while tries < 4 || ended < 3 && tries < TRIES {
        tries += 1;
        restore();
        let as_it_was = inode();
        let mut child = Command::new(env!("CARGO_BIN_EXE_switchyard"))
            .args(RELEASE)
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // What is random is the moment of the writing, not of the rendering before it.
        let since = Instant::now();
        while files(folder.path()).1 == 0 && child.try_wait().unwrap().is_none() {
            assert!(
                since.elapsed() < Duration::from_secs(300),
                "nothing was written"
            );
        }
        match tries % 2 {
            // Once the first catalog is another file, the others are about to be.
            0 => while inode() == as_it_was && child.try_wait().unwrap().is_none() {},
            _ => std::thread::sleep(Duration::from_micros(random.random_range(0..8_000))),
        }
        child.kill().unwrap();
        let is_done = child.wait().unwrap().success();
        let (now, left) = files(folder.path());
        if is_done {
            assert_eq!((&now, left), (&released, 0));
            continue;
        }
        ended += 1;
        half += usize::from(now != before && now != released);
        // The next run settles what is left, and is asked for the same release: either it is made now, or it was made.
        let again = folder.run(&RELEASE);
        let (settled, left) = files(folder.path());
        assert_eq!((&settled, left), (&released, 0), "{}", again.stderr);
        assert!(
            now == before || now == released || again.stderr.contains("was killed while it wrote"),
            "{}",
            again.stderr
        );
    }
    println!(
        "{ended} of {tries} releases were killed while they wrote, {half} with half of the files"
    );
    assert!(
        ended >= 3,
        "only {ended} releases were killed while they wrote"
    );
}
