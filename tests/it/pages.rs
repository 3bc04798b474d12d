//! The documentation is right: the shown output of commands is the program's output, links have
//! targets, and the files and folders in the tables "Where things are" exist.
//!
//! A page that runs commands names its folder in a comment: `<!-- runs in tests/data/docs -->`. Its
//! `console` fences run in order in a copy of that folder. A line `$ command` is followed by its
//! output, errors included; a line `…` matches any lines. `<!-- ends with 1 -->` before a fence is
//! the exit status of its last command, 0 by default. `UPDATE_EXPECT=1` updates fences that differ.

use expect_test::expect_file;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;
use test_support::{files_below, project, read, relative_path};

/// Pages whose `sh` fences have commands with placeholders, which another test fills in.
const WITH_PLACEHOLDERS: &[&str] = &["README.md"];

struct Page {
    path: PathBuf,
    /// The folder that its commands run in, if any.
    runs_in: Option<String>,
    fences: Vec<Fence>,
}

/// A `console` fence.
struct Fence {
    /// Lines of the page, from 0, without the fence's own marks.
    lines: std::ops::Range<usize>,
    status: i32,
    commands: Vec<Shown>,
}

/// A command and its output according to the page.
struct Shown {
    command: String,
    output: Vec<String>,
}

fn pages() -> Vec<Page> {
    let mut files = files_below("docs", "md");
    files.push(project().join("README.md"));
    files
        .into_iter()
        .map(|path| page(&path, &read(&path)))
        .collect()
}

fn page(path: &Path, text: &str) -> Page {
    let comment = |line: &str, start: &str| {
        Some(
            line.strip_prefix("<!-- ")?
                .strip_prefix(start)?
                .trim_end_matches("-->")
                .trim()
                .to_owned(),
        )
    };
    let lines: Vec<&str> = text.lines().collect();
    let mut page = Page {
        path: path.to_owned(),
        runs_in: None,
        fences: Vec::new(),
    };
    let mut status = 0;
    let mut at = 0;
    while at < lines.len() {
        if let Some(folder) = comment(lines[at], "runs in ") {
            page.runs_in = Some(folder);
        } else if let Some(number) = comment(lines[at], "ends with ") {
            status = number
                .parse()
                .unwrap_or_else(|_| panic!("{}: {}", path.display(), lines[at]));
        } else if lines[at] == "```console" {
            let end = at
                + 1
                + lines[at + 1..]
                    .iter()
                    .position(|line| *line == "```")
                    .expect("a fence ends");
            let mut commands: Vec<Shown> = Vec::new();
            for line in &lines[at + 1..end] {
                match (line.strip_prefix("$ "), commands.last_mut()) {
                    (Some(command), _) => commands.push(Shown {
                        command: command.to_owned(),
                        output: Vec::new(),
                    }),
                    (None, Some(command)) => command.output.push((*line).to_owned()),
                    (None, None) => panic!(
                        "{}:{}: a fence begins with a command",
                        path.display(),
                        at + 2
                    ),
                }
            }
            page.fences.push(Fence {
                lines: at + 1..end,
                status,
                commands,
            });
            status = 0;
            at = end;
        }
        at += 1;
    }
    page
}

/// The output of a command and its exit status. `None` without a shell.
fn run(command: &str, folder: &Path) -> Option<(Vec<String>, i32)> {
    let binary = test_support::program().parent()?.to_owned();
    let old = std::env::var_os("PATH").unwrap_or_default();
    let path =
        std::env::join_paths(std::iter::once(binary).chain(std::env::split_paths(&old))).ok()?;
    let both = format!("{{ {command}\n}} 2>&1");
    let output = Command::new("sh")
        .args(["-c", &both])
        .current_dir(folder)
        .env("PATH", path)
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Some((
        text.lines().map(str::to_owned).collect(),
        output.status.code().unwrap_or(-1),
    ))
}

/// Whether the output matches the page, in which `…` stands for any lines.
fn is_expected_output(expected: &[String], lines: &[String]) -> bool {
    match expected.split_first() {
        None => lines.is_empty(),
        Some((first, rest)) if first == "…" => {
            (0..=lines.len()).any(|skipped| is_expected_output(rest, &lines[skipped..]))
        }
        Some((first, rest)) => {
            lines.first() == Some(first) && is_expected_output(rest, &lines[1..])
        }
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap_or_else(|e| panic!("{}: {e}", from.display())) {
        let path = entry.unwrap().path();
        let to = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &to)
        } else {
            std::fs::copy(&path, &to).map(|_| ()).unwrap()
        }
    }
}

#[test]
fn program_output_matches_the_pages() {
    let mut commands = 0;
    for page in pages() {
        if page.fences.is_empty() {
            continue;
        }
        let folder = TempDir::new().unwrap();
        let runs_in = page.runs_in.as_ref().unwrap_or_else(|| {
            panic!(
                "{}: on what do its commands run?",
                relative_path(&page.path)
            )
        });
        copy(&project().join(runs_in), folder.path());
        let mut lines: Vec<String> = read(&page.path).lines().map(str::to_owned).collect();
        let mut outputs = Vec::new();
        for fence in &page.fences {
            let mut output = Vec::new();
            let mut status = 0;
            for one in &fence.commands {
                let Some((printed, ended)) = run(&one.command, folder.path()) else {
                    return println!("skipped: sh is not installed");
                };
                commands += 1;
                let is_right = is_expected_output(&one.output, &printed);
                output.push(format!("$ {}", one.command));
                output.extend(if is_right {
                    one.output.clone()
                } else {
                    printed
                });
                status = ended;
            }
            assert_eq!(
                status,
                fence.status,
                "{}: the end of the fence in line {}",
                relative_path(&page.path),
                fence.lines.start
            );
            outputs.push(output);
        }
        // The last fence first, so that the lines of the others do not move.
        for (fence, output) in page.fences.iter().zip(outputs).rev() {
            lines.splice(fence.lines.clone(), output);
        }
        expect_file![&page.path].assert_eq(&(lines.join("\n") + "\n"));
    }
    assert!(commands > 15, "only {commands} commands are run");
}

/// Every command that a reader could copy runs in a test: in the one above, or in the one named
/// here.
#[test]
fn every_command_line_is_run() {
    let mut unrun = Vec::new();
    for path in files_below("docs", "md")
        .into_iter()
        .chain([project().join("README.md")])
    {
        let name = relative_path(&path);
        if name.starts_with("docs/decisions") || WITH_PLACEHOLDERS.contains(&name.as_str()) {
            continue;
        }
        let text = read(&path);
        for fence in text.split("\n```sh\n").skip(1) {
            let fence = fence.split("\n```").next().unwrap_or_default();
            let lines = fence.lines().filter(|line| line.starts_with("switchyard "));
            unrun.extend(lines.map(|line| format!("{name}: {line}")));
        }
    }
    assert_eq!(unrun, Vec::<String>::new());
}

/// None of a reader's first commands is refused.
#[test]
fn the_command_lines_of_the_readme_run() {
    let folder = TempDir::new().unwrap();
    copy(&project().join("tests/data/docs"), folder.path());
    let text = read(&project().join("README.md"));
    let mut commands = 0;
    for line in text.lines().filter(|line| line.starts_with("switchyard ")) {
        let line = line
            .replace("DIR", "catalogs/v4.19")
            .replace("OLD", "catalogs/v4.18")
            .replace("NEW", "catalogs/v4.19");
        let Some((output, status)) = run(&line, folder.path()) else {
            return println!("skipped: sh is not installed");
        };
        assert!(status < 2, "{line}\n{}", output.join("\n"));
        commands += 1;
    }
    assert_eq!(commands, 5);
}

#[test]
fn links_have_targets() {
    let mut broken = Vec::new();
    let top = [
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "CHANGELOG.md",
    ];
    for path in files_below("docs", "md")
        .into_iter()
        .chain(top.map(|name| project().join(name)))
    {
        // Code may contain `](` too: keep every second part between backticks.
        let text: String = read(&path).split('`').step_by(2).collect();
        for target in text
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next())
        {
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            if file.contains("://") || file.contains(char::is_whitespace) {
                continue;
            }
            let to = if file.is_empty() {
                path.clone()
            } else {
                path.parent().unwrap().join(file)
            };
            if !to.exists() {
                broken.push(format!("{}: {target}", relative_path(&path)));
            } else if !anchor.is_empty()
                && to.extension().is_some_and(|e| e == "md")
                && !headings(&read(&to)).contains(&anchor.to_owned())
            {
                broken.push(format!(
                    "{}: {target} has no such heading",
                    relative_path(&path)
                ));
            }
        }
    }
    assert_eq!(broken, Vec::<String>::new());
}

/// The anchors that a page's headings get.
fn headings(text: &str) -> Vec<String> {
    let headings = text.lines().filter(|line| line.starts_with('#'));
    let anchor = |heading: &str| {
        let heading = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = heading
            .chars()
            .filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    headings.map(anchor).collect()
}

#[test]
fn every_page_is_in_the_index() {
    let index = read(&project().join("docs/README.md"));
    let missing: Vec<String> = files_below("docs", "md")
        .iter()
        .map(|path| relative_path(path).trim_start_matches("docs/").to_owned())
        .filter(|name| {
            !name.contains('/') && name != "README.md" && !index.contains(&format!("]({name}"))
        })
        .collect();
    assert_eq!(missing, Vec::<String>::new());
}

#[test]
fn compares_the_output_on_a_page() {
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    assert!(
        is_expected_output(&lines("a\n…\nd"), &lines("a\nb\nc\nd"))
            && is_expected_output(&lines("a\n…"), &lines("a"))
    );
    assert!(
        !is_expected_output(&lines("a\n…\nd"), &lines("a\nb\nc"))
            && !is_expected_output(&lines("a"), &lines("a\nb"))
    );
    let page = page(
        Path::new("p.md"),
        "<!-- runs in x -->\n<!-- ends with 1 -->\n```console\n$ one\n1\n$ two\n```\n",
    );
    assert_eq!((page.runs_in.as_deref(), page.fences.len()), (Some("x"), 1));
    let fence = &page.fences[0];
    assert_eq!(
        (fence.lines.clone(), fence.status, fence.commands.len()),
        (3..6, 1, 2)
    );
    assert_eq!(
        (&*fence.commands[0].command, &fence.commands[0].output[..]),
        ("one", &lines("1")[..])
    );
}

/// Pages with a table "Where things are".
const MAPS: [&str; 2] = ["ARCHITECTURE.md", "docs/where-things-are.md"];
/// Paths relative to the project; all others are relative to `src`.
const AT_THE_TOP: [&str; 10] = [
    "action.yml",
    "ci",
    "docs",
    "fuzz",
    "index.html",
    "public",
    "release",
    "style",
    "tests",
    "target",
];

/// The rows of the table of changes and places.
fn rows_of_map(text: &str) -> Vec<&str> {
    let from = text
        .lines()
        .skip_while(|line| !line.starts_with("| to change |"));
    from.skip(2)
        .take_while(|line| line.starts_with('|'))
        .collect()
}

/// The paths in a row's second cell, in order. A file without a folder is beside or in the previous
/// path.
fn paths_in_row(row: &str) -> Vec<PathBuf> {
    let cell = row.split('|').nth(2).unwrap_or("");
    let mut paths: Vec<PathBuf> = Vec::new();
    for name in cell.split('`').skip(1).step_by(2) {
        let first = name.split('/').next().unwrap_or("");
        let base = if AT_THE_TOP.contains(&first) {
            project()
        } else {
            project().join("src")
        };
        let path = match paths.last() {
            Some(before)
                if !name.contains('/') && name.contains('.') && !AT_THE_TOP.contains(&first) =>
            {
                let folder = if before.is_dir() {
                    before.clone()
                } else {
                    folder_of(before)
                };
                folder.join(name)
            }
            _ => base.join(name),
        };
        paths.push(path);
    }
    paths
}

fn folder_of(file: &Path) -> PathBuf {
    file.parent().map(Path::to_owned).unwrap_or_default()
}

#[test]
fn mapped_paths_exist() {
    let mut count = 0;
    let mut missing = Vec::new();
    for map in MAPS {
        for row in rows_of_map(&read(&project().join(map))) {
            let paths = paths_in_row(row);
            assert!(!paths.is_empty(), "{map}: no place in {row}");
            count += paths.len();
            missing.extend(
                paths
                    .into_iter()
                    .filter(|path| !path.exists())
                    .map(|path| format!("{map}: {}", path.display())),
            );
        }
    }
    assert_eq!(missing, Vec::<String>::new());
    assert!(count > 60, "{count} places in both tables");
}

#[test]
fn missing_paths_are_found() {
    let found = paths_in_row(
        "| x | `catalog/graph/layout` (positions), `no_such.rs`; `ci/check-pull-request.sh` |",
    );
    assert_eq!(
        found.iter().map(|path| path.exists()).collect::<Vec<_>>(),
        [true, false, true]
    );
}
