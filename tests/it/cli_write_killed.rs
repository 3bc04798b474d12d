//! Runs that are killed while they write, and runs that write the same file: real processes.
#![cfg(unix)]

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use test_support::Folder;

/// `SWITCHYARD_FILES` sets the number of written files; few by default, since most of the time is
/// spent on reading them.
fn files() -> usize {
    std::env::var("SWITCHYARD_FILES")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(150)
}

/// A package with one file per bundle; the channel is in the first file.
fn text(number: usize) -> String {
    let bundle = format!(
        "schema: olm.bundle\npackage: p\nname: p.v1.{number}.0\nimage: quay.io/p/p:v1.{number}.0\nproperties:\n- type: olm.package\n  value:\n    packageName: p\n    version: 1.{number}.0\n"
    );
    if number > 0 {
        return bundle;
    }
    let entry = |n: usize| match n {
        0 => "- name: p.v1.0.0\n".to_owned(),
        n => format!("- name: p.v1.{n}.0\n  replaces: p.v1.{}.0\n", n - 1),
    };
    let entries: String = (0..files()).map(entry).collect();
    format!(
        "schema: olm.package\nname: p\ndefaultChannel: a\n---\nschema: olm.channel\npackage: p\nname: a\nentries:\n{entries}---\n{bundle}"
    )
}

/// Adds a property to every bundle in the range.
fn mark(versions: &str, value: &str) -> String {
    format!(
        "{{\"op\":\"add-property\",\"package\":\"p\",\"where\":\"version {versions}\",\"type\":\"mark\",\"value\":\"{value}\"}}\n"
    )
}

fn start(folder: &Folder, args: &[&str], input: &str) -> Child {
    let mut child = folder
        .command(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input.as_bytes()).unwrap();
    child
}

fn staging(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names
        .filter(|name| name.starts_with(".switchyard"))
        .collect()
}

/// The old files that a killed run left.
fn old_texts(folder: &Path, staging: &[String]) -> BTreeSet<String> {
    let files = staging
        .iter()
        .flat_map(|name| fs::read_dir(folder.join(name)).unwrap())
        .map(|entry| entry.unwrap().path());
    files
        .filter(|path| path.extension().is_some_and(|end| end == "old"))
        .map(|path| fs::read_to_string(path).unwrap())
        .collect()
}

/// The changed files of the catalog; checks that all others are unchanged and that there are no new
/// ones.
fn changed_files(catalog: &Path) -> BTreeSet<usize> {
    let mut changed = BTreeSet::new();
    assert_eq!(
        fs::read_dir(catalog).unwrap().count(),
        files(),
        "files of the catalog"
    );
    for number in 0..files() {
        let now = fs::read_to_string(catalog.join(format!("{number:04}.yaml"))).unwrap();
        if now != text(number) {
            assert_eq!(now, text(number) + "- type: mark\n  value: x\n", "{number}");
            changed.insert(number);
        }
    }
    changed
}

/// Sends a signal unless the child has ended already. One that ends meanwhile still has its number.
fn kill(child: &mut Child, signal: &str) {
    if child.try_wait().unwrap().is_some() {
        return;
    }
    let id = child.id().to_string();
    assert!(
        Command::new("kill")
            .args([signal, &id])
            .status()
            .unwrap()
            .success()
    );
}

const SIGNALS: [&str; 6] = ["-INT", "-KILL", "-TERM", "-KILL", "-HUP", "-KILL"];

#[test]
fn a_signal_restores_every_file_and_a_kill_loses_none() {
    let folder = Folder::new(&[]);
    let catalog = folder.path().join("catalog");
    fs::create_dir(&catalog).unwrap();
    let write_all = || {
        (0..files()).for_each(|n| fs::write(catalog.join(format!("{n:04}.yaml")), text(n)).unwrap())
    };
    write_all();
    let ops = mark(">=1.0.0", "x");
    let write = ["edit", "catalog", "--stdin", "--write"];
    let wait_for_start = |child: &mut Child| {
        // Only the moment during writing is random, not the one during reading.
        let since = Instant::now();
        while staging(folder.path()).is_empty() && child.try_wait().unwrap().is_none() {
            assert!(
                since.elapsed() < Duration::from_secs(300),
                "nothing was written"
            );
            std::thread::sleep(Duration::from_micros(300));
        }
    };
    let mut child = start(&folder, &write, &ops);
    wait_for_start(&mut child);
    let since = Instant::now();
    assert!(child.wait().unwrap().success());
    let duration = since.elapsed();
    assert_eq!(
        (changed_files(&catalog).len(), staging(folder.path()).len()),
        (files(), 0)
    );
    let (mut random, mut tries, mut ended, mut half) = (StdRng::seed_from_u64(16), 0, 0, 0);
    // A run may end before its signal arrives, especially on a busy machine: try again then.
    while tries < SIGNALS.len() || ended < 3 && tries < 5 * SIGNALS.len() {
        let signal = SIGNALS[tries % SIGNALS.len()];
        tries += 1;
        write_all();
        let mut child = start(&folder, &write, &ops);
        wait_for_start(&mut child);
        std::thread::sleep(duration.mul_f64(random.random_range(0.0..0.95)));
        kill(&mut child, signal);
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        let written = changed_files(&catalog);
        if output.status.success() {
            assert_eq!(written.len(), files(), "{signal}");
        } else if signal != "-KILL" {
            assert_eq!(staging(folder.path()), Vec::<String>::new(), "{signal}");
            // A signal after the last file ends the run before or while it reports them.
            let is_reporting = stderr.is_empty() || stderr.starts_with("wrote 0000.yaml");
            if written.len() == files() && is_reporting {
                continue;
            }
            ended += 1;
            assert_eq!(written.len(), 0, "{signal}: {stderr}");
            assert!(
                stderr.contains("interrupted: nothing was written"),
                "{signal}: {stderr}"
            );
        } else {
            ended += 1;
            half += usize::from(!written.is_empty() && written.len() < files());
            // `changed_files` has checked that each file is complete. The old ones are in the
            // remaining folder.
            let left = staging(folder.path());
            for number in &written {
                assert!(
                    written.len() == files()
                        || old_texts(folder.path(), &left).contains(&text(*number)),
                    "the old text of {number} is lost"
                );
            }
            let is_reported = |stderr: &str| stderr.contains("was killed while it wrote");
            for command in ["list packages catalog", "validate catalog"] {
                let look = folder.run(&command.split(' ').collect::<Vec<_>>());
                assert_eq!(
                    is_reported(&look.stderr),
                    !left.is_empty(),
                    "{}",
                    look.stderr
                );
            }
            // The next run reports the remaining folder and works with the present files.
            let next = folder.run_with(
                &["edit", "catalog", "--stdin", "--write"],
                &mark(">=1.7.0 <1.8.0", "z"),
            );
            next.ok();
            assert_eq!(
                is_reported(&next.stderr),
                !left.is_empty(),
                "{}",
                next.stderr
            );
            assert_eq!(staging(folder.path()), left);
            let first = written.contains(&7).then_some("- type: mark\n  value: x\n");
            let seventh = fs::read_to_string(catalog.join("0007.yaml")).unwrap();
            let second = "- type: mark\n  value: z\n";
            assert_eq!(seventh, text(7) + first.unwrap_or_default() + second);
            for folder_left in left {
                fs::remove_dir_all(folder.path().join(folder_left)).unwrap();
            }
        }
    }
    println!(
        "{ended} of {tries} runs were ended while they wrote (writing takes {duration:?}), {half} with half of the files"
    );
    assert!(ended >= 3, "only {ended} runs were ended while they wrote");
}

#[test]
fn leftovers_of_a_killed_run_are_hidden_and_reported() {
    let folder = Folder::new(&[("c/0000.yaml", &text(0)), ("c/0001.yaml", &text(1))]);
    let clean = folder.run(&["validate", "c", "--format", "json"]);
    folder.write("c/deep/.switchyard-1-0/.indexignore", "*\n");
    folder.write("c/deep/.switchyard-1-0/0.new", &text(1));
    let left = folder.run(&["validate", "c", "--format", "json"]);
    assert_eq!((clean.status, clean.stdout), (left.status, left.stdout));
    assert!(
        left.stderr
            .contains("c/deep/.switchyard-1-0 was left by a run that was killed while it wrote"),
        "{}",
        left.stderr
    );
}

#[test]
fn the_folder_of_a_run_that_is_alive_is_not_reported() {
    let folder = Folder::new(&[("c/0000.yaml", &text(0)), (".switchyard-x/0.new", "x")]);
    let staging_folder = fs::File::open(folder.path().join(".switchyard-x")).unwrap();
    staging_folder.lock().unwrap();
    let run = folder.run(&["validate", "c"]);
    assert!(!run.stderr.contains(".switchyard-x"), "{}", run.stderr);
    drop(staging_folder);
    let run = folder.run(&["validate", "c", "c"]);
    assert_eq!(
        run.stderr.matches(".switchyard-x").count(),
        1,
        "{}",
        run.stderr
    );
}

const PACKAGE: &str = "schema: olm.package\nname: p\ndefaultChannel: a\n---\nschema: olm.channel\npackage: p\nname: a\nentries: []\n";

#[test]
fn runs_that_write_at_once_take_turns_and_no_update_is_lost() {
    let folder = Folder::new(&[("catalog/p.yaml", PACKAGE)]);
    let (mut children, mut channels) = (Vec::new(), BTreeSet::new());
    let mut collect = |children: &mut Vec<(String, Child)>| {
        for (channel, child) in children.drain(..) {
            let output = child.wait_with_output().unwrap();
            let stderr = String::from_utf8_lossy(&output.stderr);
            match output.status.code() {
                Some(0) => assert!(channels.insert(channel)),
                // On a busy machine, a run may wait too long for its turn and report that.
                Some(2) if stderr.contains("did not finish within 10 s") => {}
                other => panic!("{other:?}: {stderr}"),
            }
        }
    };
    for round in 0..10 {
        for number in 0..6 {
            let channel = format!("new-{round}-{number}");
            let op =
                format!("{{\"op\":\"add-channel\",\"package\":\"p\",\"channel\":\"{channel}\"}}\n");
            // Some use the folder, some the one above.
            let dir = if number % 2 == 0 { "catalog" } else { "." };
            let child = start(&folder, &["edit", dir, "--stdin", "--write"], &op);
            children.push((channel, child));
        }
        collect(&mut children);
    }
    let now = folder.read("catalog/p.yaml");
    assert!(
        channels.len() >= 30,
        "{} of 60 had their turn",
        channels.len()
    );
    for channel in &channels {
        assert!(
            now.contains(&format!("name: {channel}\n")),
            "{channel} exited 0 and is lost"
        );
    }
    assert_eq!(now.matches("name: new-").count(), channels.len());
}
