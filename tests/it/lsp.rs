//! `switchyard lsp`: diagnostics and edits match those of the commands, and no message of a client
//! stops the server.

use super::lsp_client::{Client, uri};
use serde_json::{Value, json};
use test_support::Folder;

pub(crate) const CATALOG: &str = "schema: olm.package
name: p
defaultChannel: stable
---
schema: olm.channel
package: p
name: stable
entries:
- name: p.v1.0.0
- name: p.v1.1.0
  replaces: v1.0.0
---
schema: olm.bundle
package: p
name: p.v1.0.0
image: quay.io/p:v1.0.0
properties:
- type: olm.package
  value: {packageName: p, version: 1.0.0}
---
schema: olm.bundle
package: p
name: p.v1.1.0
image: quay.io/p:v1.1.0
properties:
- type: olm.package
  value: {packageName: p, version: 1.1.0}
---
schema: olm.deprecations
package: p
entries:
- message: 'old 😀'
  reference: {schema: olm.channel, name: stable}
";

/// Removes the mark `‸` from a text; also returns its line and column (from 0, in UTF-16).
fn split_mark(text: &str) -> (String, Value) {
    let at = text.find('‸').expect("a mark");
    let line = text[..at].matches('\n').count();
    let start = text[..at].rfind('\n').map_or(0, |at| at + 1);
    (
        text.replace('‸', ""),
        json!({ "line": line, "character": text[start..at].encode_utf16().count() }),
    )
}

/// Sends a request for the mark's position in an open catalog.
fn answer_at_mark(method: &str, text: &str, more: Value) -> (Folder, Value) {
    let (text, position) = split_mark(text);
    let folder = Folder::new(&[
        ("c/p/catalog.yaml", &text),
        ("Makefile", "all:\n"),
        ("src/main.yaml", "a: b\n"),
    ]);
    let mut client = Client::start_initialized(&folder, &[]);
    client.open(&folder, "c/p/catalog.yaml", &text);
    let mut params = json!({ "textDocument": { "uri": uri(&folder, "c/p/catalog.yaml") }, "position": position });
    params
        .as_object_mut()
        .unwrap()
        .extend(more.as_object().cloned().unwrap_or_default());
    let answer = client.ask(method, params);
    assert_eq!(client.end(), 0);
    (folder, answer)
}

fn replace_once(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "{from}");
    text.replacen(from, to, 1)
}

/// Applies edits of the protocol to a text.
fn apply_edits(text: &str, edits: &Value) -> String {
    let offset = |at: &Value| {
        let line = at["line"].as_u64().unwrap() as usize;
        let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
        let mut units = 0;
        let inside = text[start..].char_indices().find(|(_, letter)| {
            let is_there = units >= at["character"].as_u64().unwrap();
            units += letter.len_utf16() as u64;
            is_there
        });
        inside.map_or(text.len(), |(at, _)| start + at)
    };
    let mut out = text.to_owned();
    for edit in edits.as_array().unwrap().iter().rev() {
        let range = offset(&edit["range"]["start"])..offset(&edit["range"]["end"]);
        out.replace_range(range, edit["newText"].as_str().unwrap());
    }
    out
}

/// Rule, message, line and column of each problem from `validate`.
pub(crate) fn validate_problems(folder: &Folder, args: &[&str]) -> Vec<(String, String, u64, u64)> {
    let run = folder.run(&[&["validate", "-o", "json"], args].concat());
    let json = run.json();
    let describe = |problem: &Value| {
        let text = |key: &str| problem[key].as_str().unwrap_or_default().to_owned();
        let help = if text("help").is_empty() {
            String::new()
        } else {
            format!("\n{}", text("help"))
        };
        let (line, column) = (
            problem["line"].as_u64().unwrap(),
            problem["column"].as_u64().unwrap(),
        );
        (
            text("rule"),
            format!("{}{help}", text("message")),
            line,
            column,
        )
    };
    let mut all: Vec<_> = json["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .map(describe)
        .collect();
    all.sort();
    all
}

/// The same from published diagnostics.
fn rules_and_places(published: &[Value]) -> Vec<(String, String, u64, u64)> {
    let describe = |problem: &Value| {
        let at = &problem["range"]["start"];
        let (line, column) = (
            at["line"].as_u64().unwrap() + 1,
            at["character"].as_u64().unwrap() + 1,
        );
        let text = |key: &str| problem[key].as_str().unwrap().to_owned();
        (text("code"), text("message"), line, column)
    };
    let mut all: Vec<_> = published.iter().map(describe).collect();
    all.sort();
    all
}

#[test]
fn published_problems_equal_those_of_validate() {
    let folder = Folder::new(&[
        (
            ".switchyard.yaml",
            "profile: strict\nrules:\n  image-tag: off\n",
        ),
        ("catalogs/v4.18/p/catalog.yaml", CATALOG),
        (
            "catalogs/v4.19/p/catalog.yaml",
            "schema: olm.package\nname: 'p\n",
        ),
        ("ci.yaml", "reviewers: []\n"),
    ]);
    let mut client = Client::start_initialized(&folder, &[]);
    for version in ["v4.18", "v4.19"] {
        let path = format!("catalogs/{version}/p/catalog.yaml");
        client.open(&folder, &path, &folder.read(&path));
        let published = client.diagnostics_of(&folder, &path);
        let expected = validate_problems(&folder, &[&format!("catalogs/{version}")]);
        assert!(!expected.is_empty());
        assert_eq!(rules_and_places(&published), expected, "{version}");
    }
    client.open(&folder, "ci.yaml", "reviewers: []\n");
    assert_eq!(
        client.diagnostics_of(&folder, "ci.yaml"),
        Vec::<Value>::new(),
        "no catalog, no problems"
    );
    let watched = client
        .requests
        .iter()
        .filter(|request| request["method"] == "client/registerCapability")
        .count();
    assert_eq!(watched, 1);
    assert_eq!(client.end(), 0);
}

#[test]
fn buffers_take_precedence_over_the_disk() {
    let other = [
        ("p.v", "q.v"),
        ("package: p", "package: q"),
        ("\nname: p\n", "\nname: q\n"),
        ("Name: p", "Name: q"),
    ]
    .iter()
    .fold(
        replace_once(CATALOG, "replaces: v1", "replaces: p.v1"),
        |text, (from, to)| text.replace(from, to),
    );
    let folder = Folder::new(&[("c/p/catalog.yaml", CATALOG), ("c/q/catalog.yaml", &other)]);
    let path = "c/p/catalog.yaml";
    let mut client = Client::start_initialized(&folder, &["c"]);
    client.open(&folder, path, CATALOG);
    let before = client.diagnostics_of(&folder, path);
    assert!(
        before
            .iter()
            .any(|problem| problem["code"] == "channel-head-multiple"),
        "{before:?}"
    );
    // Two changes in one message, the second after a character outside of the basic plane.
    let line = CATALOG
        .lines()
        .position(|line| line.contains("replaces: v1.0.0"))
        .unwrap();
    let old = CATALOG
        .lines()
        .position(|line| line.contains("old 😀"))
        .unwrap();
    let change = |line: usize, from: u64, to: u64, text: &str| {
        let at = |character: u64| json!({ "line": line, "character": character });
        json!({ "range": { "start": at(from), "end": at(to) }, "text": text })
    };
    let changes = json!([change(line, 12, 12, "p."), change(old, 17, 17, " and ä")]);
    client.notify(
        "textDocument/didChange",
        json!({ "textDocument": { "uri": uri(&folder, path), "version": 2 }, "contentChanges": changes }),
    );
    let published = client.diagnostics_of(&folder, path);
    let text = replace_once(
        &replace_once(CATALOG, "replaces: v1", "replaces: p.v1"),
        "old 😀'",
        "old 😀 and ä'",
    );
    folder.write(path, &text);
    let both = [
        published.clone(),
        client.shown[&uri(&folder, "c/q/catalog.yaml")].clone(),
    ]
    .concat();
    assert_eq!(rules_and_places(&both), validate_problems(&folder, &["c"]));
    assert!(
        !published
            .iter()
            .any(|problem| problem["code"] == "channel-head-multiple"),
        "{published:?}"
    );
    // A file on disk changes; its diagnostics are published although it is not open.
    let other = "c/q/catalog.yaml";
    folder.write(other, "schema: olm.package\nname: 'q\n");
    let changed = json!([{ "uri": uri(&folder, other), "type": 2 }]);
    client.notify(
        "workspace/didChangeWatchedFiles",
        json!({ "changes": changed }),
    );
    client.diagnostics_of(&folder, path);
    assert!(!client.shown[&uri(&folder, other)].is_empty());
    assert_eq!(client.end(), 0);
}

#[test]
fn closing_a_document_removes_its_problems() {
    let folder = Folder::new(&[("p/catalog.yaml", CATALOG)]);
    let mut client = Client::start_initialized(&folder, &[]);
    client.open(&folder, "p/catalog.yaml", CATALOG);
    assert!(!client.diagnostics_of(&folder, "p/catalog.yaml").is_empty());
    client.notify(
        "textDocument/didClose",
        json!({ "textDocument": { "uri": uri(&folder, "p/catalog.yaml") } }),
    );
    assert_eq!(
        client.diagnostics_of(&folder, "p/catalog.yaml"),
        Vec::<Value>::new()
    );
    assert_eq!(client.end(), 0);
}

#[test]
fn an_unsaved_configuration_applies() {
    let folder = Folder::new(&[
        ("top/.switchyard.yaml", "profile: opm\n"),
        ("top/v4.18/c.yaml", CATALOG),
    ]);
    let mut client = Client::start_initialized(&folder, &[]);
    client.open(&folder, "top/v4.18/c.yaml", CATALOG);
    let few = client.diagnostics_of(&folder, "top/v4.18/c.yaml").len();
    client.open(
        &folder,
        "top/.switchyard.yaml",
        "profile: strict\nprofil: x\n",
    );
    let many = client.diagnostics_of(&folder, "top/v4.18/c.yaml").len();
    assert!(few < many, "{few} {many}");
    let complaint = &client.shown[&uri(&folder, "top/.switchyard.yaml")];
    assert_eq!(complaint[0]["range"]["start"]["line"], 1, "{complaint:?}");
    assert_eq!(client.end(), 0);
}

#[test]
fn a_template_has_its_problems_at_its_lines() {
    let template = "schema: olm.template.basic\nentries:\n- schema: olm.package\n  name: p\n  defaultChannel: none\n- schema: olm.channel\n  package: p\n  name: a\n  entries:\n  - name: p.v1\n";
    let folder = Folder::new(&[("template.yaml", template)]);
    let mut client = Client::start_initialized(&folder, &[]);
    client.open(&folder, "template.yaml", template);
    let published = client.diagnostics_of(&folder, "template.yaml");
    assert!(
        published
            .iter()
            .any(|problem| problem["range"]["start"]["line"] == 4),
        "{published:?}"
    );
    assert_eq!(client.end(), 0);
}

#[test]
fn fixes_are_edits_of_the_buffer() {
    let range =
        json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 99, "character": 0 } });
    let more = json!({ "range": range, "context": { "diagnostics": [] } });
    let (folder, answer) = answer_at_mark("textDocument/codeAction", &format!("‸{CATALOG}"), more);
    let actions = answer["result"].as_array().unwrap();
    let here = json!({ "uri": uri(&folder, "c/p/catalog.yaml"), "version": 1 });
    assert!(
        actions.iter().all(|action| action["kind"] == "quickfix"),
        "{actions:?}"
    );
    let texts = actions
        .iter()
        .map(|action| &action["edit"]["documentChanges"][0])
        .map(|change| {
            assert_eq!(change["textDocument"], here);
            apply_edits(CATALOG, &change["edits"])
        });
    let text = texts
        .into_iter()
        .find(|text| text.contains("replaces: p.v1.0.0\n"))
        .expect("the fix of the typo");
    folder.write("c/p/catalog.yaml", &text);
    folder.run(&["validate", "c"]).ok();
    // Actions that the client does not request are not offered.
    let more = json!({ "range": { "start": { "line": 0, "character": 0 }, "end": { "line": 99, "character": 0 } },
        "context": { "diagnostics": [], "only": ["refactor"] } });
    let (_, answer) = answer_at_mark("textDocument/codeAction", &format!("‸{CATALOG}"), more);
    assert_eq!(answer["result"], json!([]));
}

#[test]
fn keys_and_names_are_completed() {
    let text = replace_once(CATALOG, "replaces: v1.0.0", "replaces: ‸");
    let (_, answer) = answer_at_mark("textDocument/completion", &text, json!({}));
    let items = answer["result"].as_array().unwrap();
    assert_eq!(items[0]["label"], "p.v1.0.0", "{items:?}");
    assert_eq!(
        items[0]["textEdit"]["range"]["start"],
        json!({ "line": 10, "character": 12 })
    );
    let (_, answer) = answer_at_mark(
        "textDocument/completion",
        &replace_once(CATALOG, "  replaces: v1.0.0", "  re‸"),
        json!({}),
    );
    let labels: Vec<&str> = answer["result"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["label"].as_str().unwrap())
        .collect();
    assert_eq!(labels, ["replaces", "skips", "skipRange"]);
}

#[test]
fn keys_and_names_are_explained() {
    let text = replace_once(CATALOG, "- name: p.v1.1.0", "- name: p.v1‸.1.0");
    let (_, answer) = answer_at_mark("textDocument/hover", &text, json!({}));
    let value = answer["result"]["contents"]["value"].as_str().unwrap();
    assert!(
        value.contains("version 1.1.0") && value.contains("in stable"),
        "{value}"
    );
    let (_, answer) = answer_at_mark(
        "textDocument/hover",
        &replace_once(CATALOG, "defaultChannel", "default‸Channel"),
        json!({}),
    );
    let value = answer["result"]["contents"]["value"].as_str().unwrap();
    assert!(
        value.contains("The channel that Subscriptions follow"),
        "{value}"
    );
    let (_, answer) = answer_at_mark(
        "textDocument/hover",
        &replace_once(CATALOG, "---", "--‸-"),
        json!({}),
    );
    assert_eq!(answer["result"], Value::Null);
}

#[test]
fn definitions_lead_from_edge_to_entry_to_bundle() {
    let good = replace_once(CATALOG, "replaces: v1", "replaces: p.v1");
    let line = |needle: &str, nth: usize| {
        let lines = good
            .lines()
            .enumerate()
            .filter(|(_, line)| line.contains(needle));
        lines.map(|(at, _)| at as u64).nth(nth).unwrap()
    };
    for (from, mark, lines) in [
        (
            "replaces: p.v1.0.0",
            "replaces: p.v1‸.0.0",
            vec![line("name: p.v1.0.0", 0)],
        ),
        (
            "- name: p.v1.0.0",
            "- name: p.‸v1.0.0",
            vec![line("name: p.v1.0.0", 1)],
        ),
        (
            "\nname: p.v1.1.0",
            "\nname: p.v1.1.0‸",
            vec![line("name: p.v1.1.0", 0)],
        ),
        (
            "defaultChannel: stable",
            "defaultChannel: ‸stable",
            vec![line("name: stable", 0)],
        ),
        (
            "name: stable}",
            "name: sta‸ble}",
            vec![line("name: stable", 0)],
        ),
        (
            "package: p\nname: stable",
            "package: ‸p\nname: stable",
            vec![line("name: p", 0)],
        ),
        ("entries:", "ent‸ries:", vec![]),
    ] {
        let (folder, answer) = answer_at_mark(
            "textDocument/definition",
            &replace_once(&good, from, mark),
            json!({}),
        );
        let found = answer["result"].as_array().unwrap();
        let found: Vec<u64> = found
            .iter()
            .inspect(|place| assert_eq!(place["uri"], uri(&folder, "c/p/catalog.yaml")))
            .map(|place| place["range"]["start"]["line"].as_u64().unwrap())
            .collect();
        assert_eq!(found, lines, "{mark}");
    }
}

#[test]
fn a_channel_is_renamed_wherever_it_is_named() {
    let text = replace_once(CATALOG, "\nname: stable", "\nname: sta‸ble");
    let (_, answer) = answer_at_mark("textDocument/prepareRename", &text, json!({}));
    assert_eq!(answer["result"]["placeholder"], "stable", "{answer}");
    let (_, answer) = answer_at_mark("textDocument/rename", &text, json!({ "newName": "fast" }));
    let changed = apply_edits(CATALOG, &answer["result"]["documentChanges"][0]["edits"]);
    assert_eq!(changed, CATALOG.replace("stable", "fast"));
    let (_, answer) = answer_at_mark("textDocument/rename", &text, json!({ "newName": "" }));
    assert_eq!(answer["error"]["code"], -32803, "{answer}");
    let (_, answer) = answer_at_mark(
        "textDocument/prepareRename",
        &replace_once(CATALOG, "name: p\n", "name: ‸p\n"),
        json!({}),
    );
    assert!(
        answer["error"]["message"]
            .as_str()
            .unwrap()
            .contains("only channels"),
        "{answer}"
    );
}

#[test]
fn no_client_message_ends_the_server() {
    let folder = Folder::new(&[("p/catalog.yaml", CATALOG)]);
    let mut client = Client::start(&folder, &[]);
    client.raw(b"Content-Length: 7\r\n\r\n{\"a\": ,");
    assert_eq!(client.answer(&Value::Null)["error"]["code"], -32700);
    client.raw(b"hello\r\n");
    assert_eq!(client.answer(&Value::Null)["error"]["code"], -32700);
    assert_eq!(
        client.ask("textDocument/hover", json!({}))["error"]["code"],
        -32002,
        "nothing before `initialize`"
    );
    assert_eq!(client.ask("initialize", json!(1))["error"]["code"], -32602);
    client.result("initialize", json!({ "capabilities": {} }));
    assert_eq!(
        client.ask("initialize", json!({ "capabilities": {} }))["error"]["code"],
        -32600
    );
    for message in [
        json!([]),
        json!(1),
        json!(null),
        json!({ "jsonrpc": "2.0", "id": "x" }),
        json!({}),
    ] {
        client.send(&message);
    }
    // Four without an id, and one with.
    for id in [
        Value::Null,
        Value::Null,
        Value::Null,
        json!("x"),
        Value::Null,
    ] {
        assert_eq!(client.answer(&id)["error"]["code"], -32600);
    }
    client.notify("textDocument/didOpen", json!({ "textDocument": 1 }));
    client.notify("textDocument/didChange", json!({}));
    client.notify(
        "textDocument/didClose",
        json!({ "textDocument": { "uri": "nothing" } }),
    );
    client.notify("nobody/knows", Value::Null);
    client.send(&json!({ "jsonrpc": "2.0", "id": 77, "result": null }));
    assert_eq!(
        client.ask("nobody/knows", Value::Null)["error"]["code"],
        -32601
    );
    for method in [
        "hover",
        "completion",
        "definition",
        "codeAction",
        "prepareRename",
        "rename",
    ] {
        assert_eq!(
            client.ask(&format!("textDocument/{method}"), json!({ "x": 1 }))["error"]["code"],
            -32602
        );
    }
    let nowhere = json!({ "textDocument": { "uri": "untitled:1" }, "position": { "line": 4294967295u32, "character": 4294967295u32 } });
    assert_eq!(client.result("textDocument/hover", nowhere), Value::Null);
    client.open(&folder, "p/catalog.yaml", CATALOG);
    let far = json!({ "line": 4294967295u32, "character": 4294967295u32 });
    let here = json!({ "uri": uri(&folder, "p/catalog.yaml"), "version": 2 });
    let change = json!([{ "range": { "start": far, "end": far }, "text": "\u{0}\u{feff}{{{" }]);
    client.notify(
        "textDocument/didChange",
        json!({ "textDocument": here, "contentChanges": change }),
    );
    let document = json!({ "uri": uri(&folder, "p/catalog.yaml") });
    for method in ["hover", "completion", "definition"] {
        client.result(
            &format!("textDocument/{method}"),
            json!({ "textDocument": document, "position": far }),
        );
    }
    client.ask(
        "textDocument/rename",
        json!({ "textDocument": document, "position": far, "newName": "x" }),
    );
    assert!(!client.diagnostics_of(&folder, "p/catalog.yaml").is_empty());
    assert_eq!(client.end(), 0);
}

#[test]
fn an_early_exit_ends_with_status_1() {
    let folder = Folder::new(&[]);
    assert_eq!(Client::start_initialized(&folder, &[]).disconnect(), 1);
    let mut client = Client::start(&folder, &["--stdio"]);
    client.notify("exit", Value::Null);
    assert_eq!(client.disconnect(), 1);
}

/// A file that is opened by itself may be in a home or system folder.
#[test]
fn without_an_open_folder_a_file_among_others_is_checked_alone() {
    let others = [
        ("notes.txt", "x"),
        ("other.yaml", "schema: olm.package\nname: 7\n"),
    ];
    let alone = Folder::new(&[("c.yaml", CATALOG)]);
    let folder = Folder::new(&[("home/c.yaml", CATALOG), ("cat/c.yaml", CATALOG)]);
    for (path, text) in others {
        folder.write(&format!("home/{path}"), text);
    }
    folder.write("cat/other.yaml", others[1].1);
    let mut client = Client::start_with_folders(&folder, &[], json!([]));
    client.open(&folder, "home/c.yaml", CATALOG);
    let published = client.diagnostics_of(&folder, "home/c.yaml");
    assert_eq!(
        rules_and_places(&published),
        validate_problems(&alone, &["."])
    );
    assert!(client.diagnostics_of(&folder, "home/other.yaml").is_empty());
    // A folder of nothing but catalog files is still a catalog.
    client.open(&folder, "cat/c.yaml", CATALOG);
    client.diagnostics_of(&folder, "cat/c.yaml");
    assert!(!client.diagnostics_of(&folder, "cat/other.yaml").is_empty());
    assert_eq!(client.end(), 0);
}

#[test]
fn a_folder_that_is_too_large_is_not_read() {
    let folder = Folder::new(&[
        ("c/c.yaml", CATALOG),
        ("c/other.yaml", "schema: olm.package\nname: 7\n"),
    ]);
    std::fs::create_dir(folder.path().join("c/many")).unwrap();
    for number in 0..20_001 {
        std::fs::File::create(folder.path().join(format!("c/many/{number}"))).unwrap();
    }
    let mut client = Client::start_initialized(&folder, &[]);
    client.open(&folder, "c/c.yaml", CATALOG);
    let since = std::time::Instant::now();
    let is_remark = |problem: &Value| {
        let message = problem["message"].as_str().unwrap_or_default();
        message.contains("only this file is checked") && message.contains("more than 20000 files")
    };
    while !client
        .diagnostics_of(&folder, "c/c.yaml")
        .iter()
        .any(is_remark)
    {
        assert!(since.elapsed().as_secs() < 60, "{:?}", client.shown);
    }
    assert!(client.diagnostics_of(&folder, "c/other.yaml").is_empty());
    client.open(&folder, "c/other.yaml", "schema: olm.package\nname: 7\n");
    assert!(!client.diagnostics_of(&folder, "c/other.yaml").is_empty());
    assert_eq!(client.end(), 0);
}

/// Pipes block until another program writes, and devices never end.
#[cfg(unix)]
#[test]
fn only_regular_files_are_read() {
    use std::os::unix::fs::symlink;
    let folder = Folder::new(&[
        ("c/p/c.yaml", CATALOG),
        ("c/q/c.yaml", "schema: olm.package\nname: q\n"),
    ]);
    let at = |path: &str| folder.path().join(path);
    for pipe in ["pipe.yaml", "c/pipe.yaml", "c/p/pipe.yaml"] {
        assert!(
            std::process::Command::new("mkfifo")
                .arg(at(pipe))
                .status()
                .unwrap()
                .success()
        );
    }
    symlink("/dev/zero", at("c/p/zero.yaml")).unwrap();
    for folders in [
        json!([]),
        json!([{ "uri": uri(&folder, ""), "name": "top" }]),
    ] {
        let mut client = Client::start_with_folders(&folder, &[], folders);
        client.open(&folder, "c/p/c.yaml", CATALOG);
        assert!(!client.diagnostics_of(&folder, "c/p/c.yaml").is_empty());
        for device in [uri(&folder, "c/p/zero.yaml"), "file:///dev/zero".to_owned()] {
            let document =
                json!({ "uri": device, "languageId": "yaml", "version": 1, "text": CATALOG });
            let here = json!({ "textDocument": { "uri": device }, "position": { "line": 1, "character": 2 } });
            client.ask("textDocument/hover", here.clone());
            client.notify("textDocument/didOpen", json!({ "textDocument": document }));
            assert!(client.ask("textDocument/hover", here.clone())["result"].is_object());
            client.notify(
                "textDocument/didClose",
                json!({ "textDocument": { "uri": device } }),
            );
            client.ask("textDocument/definition", here);
        }
        assert_eq!(client.end(), 0);
    }
}
