//! A release that is killed while it writes: each file is either old or new, the old files are
//! kept, and the leftover folder is reported. Real processes.
#![cfg(unix)]

use super::repository_support;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};
use test_support::Folder;

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

/// All files of the repository, and the number of hidden ones, which a killed run leaves.
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

fn remove_staging(root: &Path) {
    for name in ["", "operators", "catalogs"] {
        for entry in std::fs::read_dir(root.join(name)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if name.starts_with(".switchyard") {
                std::fs::remove_dir_all(&path).unwrap();
            }
        }
    }
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
fn a_release_that_is_killed_leaves_each_file_old_or_new() {
    let folder = repository();
    let (before, _) = files(folder.path());
    let restore = || {
        for path in files(folder.path()).0.keys() {
            if !before.contains_key(path) {
                std::fs::remove_file(folder.path().join(path)).unwrap();
            }
        }
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
        let mut child = folder
            .command(&RELEASE)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Only the moment during writing is random, not the one during rendering.
        let since = Instant::now();
        while files(folder.path()).1 == 0 && child.try_wait().unwrap().is_none() {
            assert!(
                since.elapsed() < Duration::from_secs(300),
                "nothing was written"
            );
        }
        match tries % 2 {
            // Once the first catalog is replaced, the others follow soon.
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
        for (path, text) in &now {
            let is_old = before.get(path) == Some(text);
            assert!(
                is_old || released.get(path) == Some(text),
                "{path} is neither old nor new"
            );
        }
        assert!(
            before.keys().all(|path| now.contains_key(path)),
            "a file is lost"
        );
        // The next run reports leftovers without touching them.
        let again = folder.run(&RELEASE);
        assert_eq!(files(folder.path()).1, left, "{}", again.stderr);
        assert_eq!(
            again.stderr.contains("was killed while it wrote"),
            left > 0,
            "{}",
            again.stderr
        );
        // As `git checkout` and `git clean` would do.
        remove_staging(folder.path());
    }
    println!(
        "{ended} of {tries} releases were killed while they wrote, {half} with half of the files"
    );
    assert!(
        ended >= 3,
        "only {ended} releases were killed while they wrote"
    );
}
