//! How long the command line takes for an operator repository, as a whole process: the status of
//! the real one in the corpus, and the check of one operator in a copy with as many operators as
//! the public repository. Numbers are printed, never asserted: `cargo bench --bench repository`.

mod support;

use std::path::Path;
use std::process::{Command, Stdio};
use support::{measure, ms};
use test_support::corpus;

/// Copies of each operator's folder, for about as many operators as in the public repository.
const COPIES: usize = 28;

fn main() {
    let Some(repository) = corpus()
        .map(|corpus| corpus.join("repository"))
        .filter(|folder| folder.is_dir())
    else {
        return;
    };
    let operators = names(&repository.join("operators"));
    time(
        "repository status of the shared part",
        5,
        &["repo", "status"],
        &repository,
        &[],
    );
    let Some(operator) = operators.first() else {
        return;
    };
    time(
        "repository check of one operator",
        11,
        &["repo", "check"],
        &repository,
        &["--operator", operator],
    );

    let large = std::env::temp_dir().join(format!("switchyard-bench-{}", std::process::id()));
    copy(&repository, &large);
    for (name, copy_number) in operators
        .iter()
        .flat_map(|name| (1..COPIES).map(move |number| (name, number)))
    {
        copy(
            &repository.join("operators").join(name),
            &large
                .join("operators")
                .join(format!("{name}-{copy_number}")),
        );
    }
    let title = format!(
        "repository check of one operator of {}",
        names(&large.join("operators")).len()
    );
    time(
        &title,
        11,
        &["repo", "check"],
        &large,
        &["--operator", operator],
    );
    let _ = std::fs::remove_dir_all(&large);
}

fn time(title: &str, times: usize, verb: &[&str], folder: &Path, more: &[&str]) {
    let run = || {
        let mut program = Command::new(env!("CARGO_BIN_EXE_switchyard"));
        program
            .args(verb)
            .arg(folder)
            .args(more)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        // Findings change the exit status.
        program.status().expect("the program runs");
    };
    println!("{title}: {} ms", ms(measure(times, run)));
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder)
        .expect("the folder is there")
        .flatten();
    let mut names: Vec<String> = entries
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder for the copy");
    for entry in std::fs::read_dir(from)
        .expect("the folder is there")
        .flatten()
    {
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &to);
        } else {
            std::fs::copy(entry.path(), to).expect("the file is copied");
        }
    }
}
