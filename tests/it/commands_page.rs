//! The tables of docs/commands.md match the program: commands and operations as in `--help`
//! (`UPDATE_EXPECT=1` updates them), each exit status, and the meaning of each range.

use std::collections::BTreeSet;
use test_support::{Folder, project, read};

/// The commands that `--help` lists, each with its one-line description.
fn listed_commands(help: &str) -> Vec<(String, String)> {
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
fn commands_and_operations_match_the_help() {
    let folder = Folder::new(&[]);
    let commands = listed_commands(&folder.run(&["--help"]).stdout);
    let operations = listed_commands(&folder.run(&["edit", "--help"]).stdout);
    assert!(
        commands.len() > 10 && operations.len() > 20,
        "{commands:?} {operations:?}"
    );
    let path = project().join("docs/commands.md");
    let page = read(&path);
    let expected = with_rows(
        &with_rows(&page, "| command | |", &commands),
        "| operation | |",
        &operations,
    );
    expect_test::expect_file![path].assert_eq(&expected);
}

#[test]
fn lists_of_the_help_are_read() {
    let help =
        "A\n\nCommands:\n  one     The first\n  second  A long\n          line\n\nOptions:\n  -h\n";
    let rows = listed_commands(help);
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

fn manual() -> String {
    read(&project().join("docs/commands.md"))
}

/// The cells of the rows below a header with this prefix, without code markup.
fn rows(manual: &str, header: &str) -> Vec<Vec<String>> {
    let lines = manual
        .lines()
        .skip_while(|line| !line.starts_with(header))
        .skip(2);
    let rows = lines.take_while(|line| line.starts_with('|'));
    let cells = |line: &str| {
        let line = line.replace("\\|", "\u{0}");
        let inside = line.trim_start_matches('|').trim_end_matches('|');
        inside
            .split('|')
            .map(|cell| cell.trim().replace('\u{0}', "|"))
            .collect()
    };
    let rows: Vec<Vec<String>> = rows.map(cells).collect();
    assert!(!rows.is_empty(), "no table below {header}");
    rows
}

fn definition(versions: &[&str]) -> String {
    let mut text =
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: ps.example.com\n\
                    spec:\n  group: example.com\n  scope: Namespaced\n  versions:\n"
            .to_owned();
    for (at, version) in versions.iter().enumerate() {
        let storage = at == 0;
        text.push_str(&format!(
            "  - name: {version}\n    served: true\n    storage: {storage}\n    schema:\n      openAPIV3Schema: {{type: object}}\n"
        ));
    }
    text
}

fn folder() -> Folder {
    let entries = "- name: p.v1.0.0\n- name: p.v1.1.0\n  replaces: p.v1.0.0\n";
    let bundle = |version: &str| {
        format!(
            "---\nschema: olm.bundle\npackage: p\nname: p.v{version}\nimage: quay.io/p:v{version}\nproperties:\n\
             - type: olm.package\n  value:\n    packageName: p\n    version: {version}\n"
        )
    };
    let good = format!(
        "schema: olm.package\nname: p\ndefaultChannel: stable\n---\nschema: olm.channel\npackage: p\nname: stable\nentries:\n\
         {entries}{}{}",
        bundle("1.0.0"),
        bundle("1.1.0")
    );
    let other = good
        .replace(entries, "- name: p.v1.1.0\n")
        .replace(&bundle("1.0.0"), "");
    let request = "{\"catalogs\":[{\"name\":\"c\",\"blobs\":[{\"schema\":\"olm.package\",\"name\":\"p\",\"defaultChannel\":\"stable\"},\
                   {\"schema\":\"olm.channel\",\"package\":\"p\",\"name\":\"stable\",\"entries\":[{\"name\":\"p.v1.0.0\"}]},\
                   {\"schema\":\"olm.bundle\",\"package\":\"p\",\"name\":\"p.v1.0.0\",\"image\":\"quay.io/p:v1.0.0\",\"properties\":\
                   [{\"type\":\"olm.package\",\"value\":{\"packageName\":\"p\",\"version\":\"1.0.0\"}}]}]}],\
                   \"subscriptions\":[{\"name\":\"s\",\"package\":\"p\",\"channel\":\"stable\",\"catalog\":\"c\"}]}";
    let folder = Folder::new(&[
        ("good/catalog.yaml", &good),
        ("other/catalog.yaml", &other),
        (
            "bad/catalog.yaml",
            &good.replace("defaultChannel: stable", "defaultChannel: gone"),
        ),
        ("old.yaml", &definition(&["v1", "v2"])),
        ("new.yaml", &definition(&["v2"])),
        ("torn/catalog.yaml", &good),
        ("torn/more.yaml", "schema: olm.channel\nname: 'p\n"),
        ("request.json", request),
        (
            "unmet.json",
            &request.replace(
                "\"package\":\"p\",\"channel\"",
                "\"package\":\"q\",\"channel\"",
            ),
        ),
        (
            "misspelt.json",
            &request.replace(
                "\"channel\":\"stable\",\"catalog\"",
                "\"chanel\":\"stable\",\"catalog\"",
            ),
        ),
        ("empty.yaml", ""),
    ]);
    std::fs::create_dir(folder.path().join("empty")).unwrap();
    super::repository_support::write_into(&folder, "repository/");
    folder
}

#[test]
fn exit_statuses_match_their_table() {
    let folder = folder();
    let mut wrong = Vec::new();
    let mut seen = BTreeSet::new();
    for row in rows(&manual(), "| command | status |") {
        let [command, status, ..] = &row[..] else {
            panic!("{row:?}")
        };
        let line = command
            .trim_matches('`')
            .strip_prefix("switchyard ")
            .unwrap();
        let (line, input) = line.split_once(" < ").unwrap_or((line, ""));
        let input = if input.is_empty() {
            String::new()
        } else {
            folder.read(input)
        };
        let args: Vec<&str> = line.split(' ').collect();
        seen.insert(args[0].to_owned());
        let run = folder.run_with(&args, &input);
        if run.status.to_string() != *status {
            wrong.push(format!(
                "{command} ends with {}, not {status}\n{}{}",
                run.status, run.stdout, run.stderr
            ));
        }
        // A command that could not run prints the reason and no answer; a partial answer is
        // printed.
        let in_part = args[0] == "validate" || args.iter().any(|word| word.ends_with("torn"));
        let silent =
            run.status == 2 && (run.stderr.is_empty() || !run.stdout.is_empty() && !in_part);
        if silent {
            wrong.push(format!(
                "{command} ends with 2: {}{}",
                run.stdout, run.stderr
            ));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    // Every command has its rows.
    let help = folder.run(&["--help"]).stdout;
    let commands = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty());
    let commands: Vec<&str> = commands
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert!(commands.len() > 10, "{help}");
    for command in commands {
        assert!(
            seen.contains(command),
            "no row of `{command}` in docs/commands.md"
        );
    }
}

#[test]
fn ranges_in_the_manual_match_their_description() {
    let folder = Folder::new(&[]);
    for (header, lens) in [
        ("| written | means, `--lens v1`", "v1"),
        ("| written | means, `--lens v0`", "v0"),
    ] {
        for row in rows(&manual(), header) {
            let [written, means] = &row[..] else {
                panic!("{row:?}")
            };
            let means = means.trim_matches('`');
            for range in written.split("`, `") {
                let range = range.trim_matches('`');
                let run = folder.run(&["range", "--lens", lens, range]);
                assert_eq!(run.stdout, format!("{range} is {means}\n"));
            }
        }
    }
}
