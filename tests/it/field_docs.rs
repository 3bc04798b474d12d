//! Statements from the documentation of OLM, checked against the program: tests/data/field-docs;
//! its README describes the notation.

use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;
use test_support::{Folder, Run};

/// Minimum number of cases, to detect a page that is not read.
const FEWEST: usize = 80;

/// A section of a page.
struct Case {
    title: String,
    fences: Vec<Fence>,
}

/// A fence: its info words and its lines.
struct Fence {
    words: Vec<String>,
    lines: Vec<String>,
}

fn cases(page: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    let mut open: Option<Fence> = None;
    for line in page.lines() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(info)) => {
                let words = info.split_whitespace().map(str::to_owned).collect();
                open = Some(Fence {
                    words,
                    lines: Vec::new(),
                });
            }
            (Some(_), Some(_)) => cases.last_mut().unwrap().fences.extend(open.take()),
            (Some(fence), None) => fence.lines.push(line.to_owned()),
            (None, None) => {
                if let Some(title) = line.strip_prefix("## ") {
                    cases.push(Case {
                        title: title.to_owned(),
                        fences: Vec::new(),
                    });
                }
            }
        }
    }
    assert!(open.is_none(), "a fence is open at the end");
    cases
}

/// The blobs of a catalog in the notation.
fn blobs(lines: &[String]) -> Vec<Value> {
    let mut blobs: Vec<Value> = Vec::new();
    let mut bundles: Vec<Value> = Vec::new();
    let mut deprecations: Vec<Value> = Vec::new();
    let (mut package, mut without) = (String::new(), Vec::new());
    for line in lines {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "package" => {
                let (name, default) = rest.split_once(' ').unwrap();
                package = name.to_owned();
                blobs.push(
                    json!({"schema": "olm.package", "name": name, "defaultChannel": default}),
                );
            }
            "channel" => {
                blobs.push(json!({"schema": "olm.channel", "package": package, "name": rest, "entries": []}));
            }
            "bundle" => bundles.push(bundle(&package, rest)),
            "without" => without.push(rest.to_owned()),
            "version" | "property" => {
                let (name, rest) = rest.split_once(' ').unwrap();
                let bundle = bundles
                    .iter_mut()
                    .find(|bundle| bundle["name"] == name)
                    .unwrap();
                if word == "version" {
                    bundle["properties"][0]["value"]["version"] = rest.into();
                } else {
                    let (kind, value) = rest.split_once(' ').unwrap();
                    let value: Value =
                        serde_json::from_str(value).unwrap_or_else(|e| panic!("{e}: {value}"));
                    bundle["properties"]
                        .as_array_mut()
                        .unwrap()
                        .push(json!({"type": kind, "value": value}));
                }
            }
            "deprecated" => {
                let (what, message) = rest.split_once(": ").unwrap();
                let (kind, name) = what.split_once(' ').unwrap_or((what, ""));
                let mut reference = json!({"schema": format!("olm.{kind}")});
                if !name.is_empty() {
                    reference["name"] = name.into();
                }
                deprecations.push(json!({"reference": reference, "message": message}));
            }
            name => {
                let entry = entry(name, rest);
                if !bundles.iter().any(|bundle| bundle["name"] == name) {
                    bundles.push(bundle(&package, name));
                }
                let channel = blobs
                    .iter_mut()
                    .rfind(|blob| blob["schema"] == "olm.channel")
                    .unwrap();
                channel["entries"].as_array_mut().unwrap().push(entry);
            }
        }
    }
    bundles.retain(|bundle| !without.iter().any(|name| bundle["name"] == **name));
    blobs.extend(bundles);
    if !deprecations.is_empty() {
        blobs.push(
            json!({"schema": "olm.deprecations", "package": package, "entries": deprecations}),
        );
    }
    blobs
}

/// `NAME [replaces N] [skips N,N] [skipRange R…]`.
fn entry(name: &str, rest: &str) -> Value {
    let mut entry = json!({ "name": name });
    let (rest, range) = match rest.split_once("skipRange ") {
        Some((rest, range)) => (rest, Some(range)),
        None => (rest, None),
    };
    let pairs: Vec<&str> = rest.split_whitespace().collect();
    for pair in pairs.chunks(2) {
        match pair {
            ["replaces", name] => entry["replaces"] = (*name).into(),
            ["skips", names] => entry["skips"] = names.split(',').collect(),
            other => panic!("{other:?} is not part of an entry"),
        }
    }
    if let Some(range) = range {
        entry["skipRange"] = range.into();
    }
    entry
}

/// A bundle whose name ends in its version.
fn bundle(package: &str, name: &str) -> Value {
    let version = name
        .split_once(".v")
        .unwrap_or_else(|| panic!("{name} has no version"))
        .1;
    let value = json!({"packageName": package, "version": version});
    json!({
        "schema": "olm.bundle", "package": package, "name": name, "image": format!("quay.io/{package}/{package}:v{version}"),
        "properties": [{"type": "olm.package", "value": value}],
    })
}

/// `CRD SCOPE VERSION,… {FIELDS}`: a CRD whose first version is the stored one.
fn definition(line: &str) -> Option<String> {
    let mut parts = line.strip_prefix("CRD ")?.splitn(3, ' ');
    let (scope, versions, fields) = (parts.next()?, parts.next()?, parts.next()?);
    let mut text = format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: boats.example.com}}\nspec:\n  \
         group: example.com\n  scope: {scope}\n  names: {{kind: Boat, plural: boats}}\n  versions:\n"
    );
    for (at, version) in versions.split(',').enumerate() {
        let _ = writeln!(
            text,
            "  - name: {version}\n    served: true\n    storage: {}\n    schema: {{openAPIV3Schema: {{type: object, properties: {fields}}}}}",
            at == 0
        );
    }
    Some(text)
}

/// Catalogs in the format of a `resolve` request.
fn offered(case: &Case) -> Vec<Value> {
    let catalogs = case
        .fences
        .iter()
        .filter(|fence| fence.words[0] == "catalog");
    let one = |fence: &Fence| {
        let name = fence.words.get(1).map_or("c", String::as_str);
        let priority: i64 = fence
            .words
            .get(3)
            .map_or(0, |number| number.parse().unwrap());
        json!({"name": name, "priority": priority, "blobs": blobs(&fence.lines)})
    };
    catalogs.map(one).collect()
}

/// Splits the words of a question as a shell does.
fn split_words(line: &str) -> Vec<String> {
    let parts = line.split('\'').enumerate();
    parts
        .flat_map(|(at, part)| match at % 2 {
            0 => part.split_whitespace().map(str::to_owned).collect(),
            _ => vec![part.to_owned()],
        })
        .collect()
}

fn ask(folder: &Folder, case: &Case, question: &str) -> Run {
    match question.strip_prefix("resolve ") {
        Some(request) => {
            let mut request: Value =
                serde_json::from_str(request).unwrap_or_else(|e| panic!("{e}: {request}"));
            request["catalogs"] = offered(case).into();
            folder.run_with(&["resolve", "--request", "-"], &request.to_string())
        }
        None => folder.run(
            &split_words(question)
                .iter()
                .map(String::as_str)
                .collect::<Vec<_>>(),
        ),
    }
}

/// Expected parts that an answer lacks.
fn wrong(run: &Run, right: &[&str]) -> Vec<String> {
    let output = format!("{}{}", run.stdout, run.stderr);
    let mut status = 0;
    let mut wrong = Vec::new();
    for line in right {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "exit" => status = rest.parse().unwrap(),
            "says" => match rest.strip_prefix("not: ") {
                Some(text) if output.contains(text) => wrong.push((*line).to_owned()),
                None if !output.contains(rest) => wrong.push((*line).to_owned()),
                _ => {}
            },
            pointer if pointer.starts_with('/') => {
                let right: Value =
                    serde_json::from_str(rest).unwrap_or_else(|e| panic!("{e}: {rest}"));
                let answer: Value = serde_json::from_str(&run.stdout).unwrap_or(Value::Null);
                let got = answer.pointer(pointer);
                if got != Some(&right) {
                    wrong.push(format!(
                        "{line}, but {}",
                        got.map_or("nothing".to_owned(), Value::to_string)
                    ));
                }
            }
            other => panic!("`{other}` is not part of an answer"),
        }
    }
    if run.status != status {
        wrong.push(format!("exit {status}, but {}", run.status));
    }
    if !wrong.is_empty() {
        wrong.push(format!("\n{output}"));
    }
    wrong
}

fn folder_of(case: &Case) -> Folder {
    let folder = Folder::new(&[]);
    for fence in &case.fences {
        match fence.words[0].as_str() {
            "catalog" => {
                let name = fence.words.get(1).map_or("c", String::as_str);
                let text: String = blobs(&fence.lines)
                    .iter()
                    .map(|blob| format!("{blob:#}\n"))
                    .collect();
                folder.write(&format!("{name}/catalog.json"), &text);
            }
            "file" => {
                let text =
                    definition(&fence.lines[0]).unwrap_or_else(|| fence.lines.join("\n") + "\n");
                folder.write(&fence.words[1], &text);
            }
            "ask" => {}
            other => panic!("a fence of `{other}`"),
        }
    }
    folder
}

#[test]
fn answers_match_the_documentation() {
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/field-docs");
    let mut failures = Vec::new();
    let (mut count, mut questions) = (0, 0);
    let mut paths: Vec<_> = std::fs::read_dir(&pages)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    for path in paths.iter().filter(|path| !path.ends_with("README.md")) {
        let page = path.file_name().unwrap().to_string_lossy();
        for case in cases(&std::fs::read_to_string(path).unwrap()) {
            count += 1;
            let folder = folder_of(&case);
            let questions_of_case = case.fences.iter().filter(|fence| fence.words[0] == "ask");
            let lines: Vec<&str> = questions_of_case
                .flat_map(|fence| &fence.lines)
                .map(String::as_str)
                .collect();
            let blocks: Vec<&[&str]> = lines.chunk_by(|_, next| !next.starts_with("$ ")).collect();
            assert!(!blocks.is_empty(), "{page}: {} asks nothing", case.title);
            for block in blocks {
                let (question, right) = block.split_first().unwrap();
                let question = question.strip_prefix("$ ").unwrap();
                questions += 1;
                let wrong = wrong(&ask(&folder, &case, question), right);
                if !wrong.is_empty() {
                    failures.push(format!(
                        "{page}: {}\n  {question}\n  {}",
                        case.title,
                        wrong.join("\n  ")
                    ));
                }
            }
        }
    }
    println!("{count} cases, {questions} questions");
    assert!(count >= FEWEST, "only {count} cases");
    assert!(
        failures.is_empty(),
        "{} of {questions} answers:\n\n{}",
        failures.len(),
        failures.join("\n\n")
    );
}
