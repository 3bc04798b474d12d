//! Manual pages and completion scripts: valid, with every command and every option.

use clap::Command;
use std::process::Command as Process;
use test_support::Folder;

/// The name of each command, with its options.
fn commands(command: &Command, above: &[String], found: &mut Vec<(Vec<String>, Vec<String>)>) {
    let path = [above, &[command.get_name().to_owned()]].concat();
    let is_shown = |argument: &&clap::Arg| !argument.is_hide_set();
    let options = command
        .get_arguments()
        .filter(is_shown)
        .filter_map(|argument| argument.get_long());
    found.push((path.clone(), options.map(str::to_owned).collect()));
    command
        .get_subcommands()
        .for_each(|below| commands(below, &path, found));
}

fn all() -> Vec<(Vec<String>, Vec<String>)> {
    let mut command = cli::command();
    command.build();
    let mut found = Vec::new();
    commands(&command, &[], &mut found);
    assert!(found.len() > 40, "{found:?}");
    found
}

/// Whether a program is installed; prints a line if not.
fn is_installed(program: &str) -> bool {
    let found = Process::new(program).arg("--version").output().is_ok();
    if !found {
        println!("skipped: {program} is not installed");
    }
    found
}

#[test]
fn every_command_has_a_page_with_its_options() {
    let folder = Folder::new(&[]);
    let run = folder.run(&["man", "pages/man1"]);
    run.ok();
    let all = all();
    assert_eq!(
        run.stderr,
        format!("wrote {} pages to pages/man1\n", all.len())
    );
    for (path, options) in &all {
        let page = folder.read(&format!("pages/man1/{}.1", path.join("-")));
        for part in [".TH ", ".SH NAME", ".SH SYNOPSIS", ".SH DESCRIPTION"] {
            assert!(page.contains(part), "{path:?} has no {part}");
        }
        for option in options {
            let written = format!("\\-\\-{}", option.replace('-', "\\-"));
            assert!(page.contains(&written), "{path:?} has no {option}");
        }
    }
    let top = folder.run(&["man"]);
    top.ok();
    assert_eq!(top.stdout, folder.read("pages/man1/switchyard.1"));
    let edit = folder.read("pages/man1/switchyard-edit-promote.1");
    assert!(edit.contains("switchyard\\-edit\\-promote"), "{edit}");
}

#[test]
fn the_typesetter_accepts_the_pages_without_a_warning() {
    if !is_installed("groff") {
        return;
    }
    let folder = Folder::new(&[]);
    folder.run(&["man", "pages"]).ok();
    for entry in std::fs::read_dir(folder.path().join("pages")).unwrap() {
        let page = entry.unwrap().path();
        let output = Process::new("groff")
            .args(["-man", "-Tutf8", "-wall", "-z"])
            .arg(&page)
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            output.status.success() && stderr.is_empty(),
            "{}: {stderr}",
            page.display()
        );
    }
}

#[test]
fn a_folder_that_cannot_be_created_is_an_error() {
    let folder = Folder::new(&[("file", "")]);
    let run = folder.run(&["man", "file"]);
    run.status(2);
    assert!(run.stderr.starts_with("error: file: "), "{}", run.stderr);
}

#[test]
fn every_shell_completes_every_command_and_option() {
    let folder = Folder::new(&[]);
    for shell in ["bash", "zsh", "fish"] {
        let run = folder.run(&["completion", shell]);
        run.ok();
        for (path, options) in all() {
            let name = path.last().unwrap();
            assert!(
                run.stdout.contains(name.as_str()),
                "{shell} does not complete {path:?}"
            );
            for option in options {
                let written = if shell == "fish" {
                    format!("-l {option}")
                } else {
                    format!("--{option}")
                };
                assert!(
                    run.stdout.contains(&written),
                    "{shell} does not complete {path:?} {written}"
                );
            }
        }
        folder.write("script", &run.stdout);
        if is_installed(shell) {
            let args: &[&str] = if shell == "fish" {
                &["--no-execute", "script"]
            } else {
                &["-n", "script"]
            };
            let output = Process::new(shell)
                .args(args)
                .current_dir(folder.path())
                .output()
                .unwrap();
            assert!(
                output.status.success(),
                "{shell}: {}",
                String::from_utf8_lossy(&output.stderr)
            );
        }
    }
}

/// Bash's completions after these words.
fn bash_completions(folder: &Folder, words: &[&str]) -> Vec<String> {
    let line = words.join(" ");
    let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    let script = format!(
        "source ./script\nCOMP_WORDS=({}) COMP_CWORD={} COMP_LINE='{line}' COMP_POINT={}\n\
         _switchyard switchyard \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD-1]}}\"\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"\n",
        quoted.join(" "),
        quoted.len() - 1,
        line.len(),
    );
    let output = Process::new("bash")
        .args(["--norc", "-c", &script])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && stderr.is_empty(), "{stderr}");
    String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(str::to_owned)
        .collect()
}

#[test]
fn bash_completes_valid_arguments() {
    if !is_installed("bash") {
        return;
    }
    let folder = Folder::new(&[]);
    folder.write("script", &folder.run(&["completion", "bash"]).stdout);
    assert_eq!(
        bash_completions(&folder, &["switchyard", "val"]),
        ["validate"]
    );
    assert_eq!(
        bash_completions(&folder, &["switchyard", "validate", "--changed"]),
        ["--changed-since"]
    );
    assert_eq!(
        bash_completions(&folder, &["switchyard", "validate", "--format", "sa"]),
        ["sarif"]
    );
    assert_eq!(
        bash_completions(&folder, &["switchyard", "edit", "set-def"]),
        ["set-default-channel"]
    );
}
