//! The tables of commands and operations in docs/commands.md match `--help`; `SWITCHYARD_BLESS=1` updates them.

use test_support::{Folder, project, read};

/// The commands that `--help` lists, each with its one-line description.
fn listed(help: &str) -> Vec<(String, String)> {
    let lines = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty());
    let mut rows: Vec<(String, String)> = Vec::new();
    for line in lines {
        match (
            line.strip_prefix("  ")
                .filter(|rest| !rest.starts_with(' ')),
            rows.last_mut(),
        ) {
            (Some(row), _) => {
                let (name, about) = row.split_once(' ').unwrap_or((row, ""));
                rows.push((name.to_owned(), about.trim().to_owned()));
            }
            (None, Some((_, about))) => *about = format!("{about} {}", line.trim()),
            (None, None) => panic!("{line}"),
        }
    }
    rows
}

/// The page with these rows in the table below the header.
fn with_rows(page: &str, header: &str, rows: &[(String, String)]) -> String {
    let header = format!("{header}\n|---|---|\n");
    let (before, after) = page
        .split_once(&header)
        .unwrap_or_else(|| panic!("docs/commands.md has no table {header}"));
    let rest: String = after
        .lines()
        .skip_while(|line| line.starts_with('|'))
        .map(|line| format!("{line}\n"))
        .collect();
    let rows: String = rows
        .iter()
        .map(|(name, about)| format!("| `{name}` | {} |\n", about.replace('|', "\\|")))
        .collect();
    format!("{before}{header}{rows}{rest}")
}

#[test]
fn the_tables_of_commands_are_those_of_the_help() {
    let folder = Folder::new(&[]);
    let commands = listed(&folder.run(&["--help"]).stdout);
    let operations = listed(&folder.run(&["edit", "--help"]).stdout);
    assert!(
        commands.len() > 10 && operations.len() > 20,
        "{commands:?} {operations:?}"
    );
    let path = project().join("docs/commands.md");
    let page = read(&path);
    let wanted = with_rows(
        &with_rows(&page, "| command | |", &commands),
        "| operation | |",
        &operations,
    );
    if std::env::var_os("SWITCHYARD_BLESS").is_some() {
        std::fs::write(&path, &wanted).unwrap();
    } else {
        assert!(
            page == wanted,
            "docs/commands.md is not what --help lists; run this test with SWITCHYARD_BLESS=1"
        );
    }
}

#[test]
fn lists_of_the_help_are_read() {
    let help =
        "A\n\nCommands:\n  one     The first\n  second  A long\n          line\n\nOptions:\n  -h\n";
    let rows = listed(help);
    assert_eq!(
        rows,
        [
            ("one".into(), "The first".into()),
            ("second".into(), "A long line".into())
        ]
    );
    let page = "x\n| a | |\n|---|---|\n| old | |\n\ny\n";
    assert_eq!(
        with_rows(page, "| a | |", &rows),
        "x\n| a | |\n|---|---|\n| `one` | The first |\n| `second` | A long line |\n\ny\n"
    );
}
