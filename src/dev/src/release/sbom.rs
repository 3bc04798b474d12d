//! What a release is made of: a list of crates in the form of CycloneDX, from what cargo says of the locked packages.

use crate::json::Json;
use std::collections::BTreeSet;

/// The list, of the packages that the program and the page depend on. `metadata` is what `cargo metadata` prints, `lock` the
/// text of `Cargo.lock`.
pub(crate) fn sbom(metadata: &Json, lock: &str, version: &str) -> Result<String, String> {
    let resolved = metadata
        .at("resolve")
        .ok_or("cargo metadata names no dependencies")?;
    let nodes = resolved.list("nodes");
    let packages = metadata.list("packages");
    let members = metadata.list("workspace_members");
    let of_workspace = |json: &Json| members.iter().any(|member| json.at("id") == Some(member));
    let is_shipped = |name: &str| name.starts_with("switchyard") && name != "switchyard-dev";
    let roots = packages
        .iter()
        .filter(|package| of_workspace(package) && is_shipped(package.text("name")));
    let mut waiting: Vec<&str> = roots.map(|package| package.text("id")).collect();
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    while let Some(id) = waiting.pop() {
        if !seen.insert(id) {
            continue;
        }
        let node = nodes.iter().find(|node| node.text("id") == id);
        for needed in node.into_iter().flat_map(|node| node.list("deps")) {
            // What only tests need does not ship.
            let kinds = needed.list("dep_kinds");
            if kinds.iter().any(|kind| kind.text("kind") != "dev") {
                waiting.push(needed.text("pkg"));
            }
        }
    }
    let mut parts: Vec<String> = packages
        .iter()
        .filter(|package| seen.contains(package.text("id")) && !of_workspace(package))
        .map(|package| component(package, lock))
        .collect();
    parts.sort();
    if parts.is_empty() {
        return Err("cargo metadata names no crates".to_owned());
    }
    Ok(format!(
        "{{\n  \"bomFormat\": \"CycloneDX\",\n  \"specVersion\": \"1.5\",\n  \"version\": 1,\n  \"metadata\": {{\n    \
         \"component\": {{ \"type\": \"application\", \"name\": \"switchyard\", \"version\": {}, \
         \"licenses\": [{{ \"expression\": \"Apache-2.0\" }}] }}\n  }},\n  \"components\": [\n{}\n  ]\n}}\n",
        quoted(version),
        parts.join(",\n")
    ))
}

fn component(package: &Json, lock: &str) -> String {
    let (name, version) = (package.text("name"), package.text("version"));
    let license = match package.text("license") {
        "" => String::new(),
        // An old way to write a choice.
        license => format!(
            ", \"licenses\": [{{ \"expression\": {} }}]",
            quoted(&license.replace('/', " OR "))
        ),
    };
    let hash = match checksum(lock, name, version) {
        Some(sum) => format!(
            ", \"hashes\": [{{ \"alg\": \"SHA-256\", \"content\": {} }}]",
            quoted(sum)
        ),
        None => String::new(),
    };
    format!(
        "    {{ \"type\": \"library\", \"name\": {}, \"version\": {}, \"purl\": {}{license}{hash} }}",
        quoted(name),
        quoted(version),
        quoted(&format!("pkg:cargo/{name}@{version}"))
    )
}

fn checksum<'l>(lock: &'l str, name: &str, version: &str) -> Option<&'l str> {
    let start = format!("name = \"{name}\"\nversion = \"{version}\"\n");
    let package = lock
        .split("[[package]]\n")
        .find(|package| package.starts_with(&start))?;
    package
        .lines()
        .find_map(|line| line.strip_prefix("checksum = \"")?.strip_suffix('"'))
}

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => out.extend(['\\', letter]),
            letter if u32::from(letter) < 32 => {
                out.push_str(&format!("\\u{:04x}", u32::from(letter)))
            }
            letter => out.push(letter),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_this_repository_has_what_ships_and_not_what_only_tests_need() {
        let project = crate::tools::project();
        let mut cargo = std::process::Command::new("cargo");
        cargo
            .args(["metadata", "--locked", "--offline", "--format-version", "1"])
            .current_dir(&project);
        let metadata = crate::run::output(&mut cargo).expect("cargo metadata");
        let lock = std::fs::read_to_string(project.join("Cargo.lock")).unwrap();
        let text = sbom(&Json::read(&metadata).expect("JSON"), &lock, "0.1.0").unwrap();
        let read = Json::read(&text).expect("it is JSON");
        let parts = read.list("components");
        let has = |name: &str| parts.iter().any(|part| part.text("name") == name);
        assert!(
            ["clap", "leptos", "lsp-types", "serde", "tachys"]
                .iter()
                .all(|name| has(name)),
            "{text}"
        );
        assert!(
            !["boon", "proptest", "switchyard"]
                .iter()
                .any(|name| has(name)),
            "{text}"
        );
        let without_hash: Vec<&str> = parts
            .iter()
            .filter(|part| part.list("hashes").is_empty())
            .map(|part| part.text("name"))
            .collect();
        assert!(without_hash.is_empty(), "{without_hash:?}");
    }

    #[test]
    fn what_ships_is_listed_with_its_checksum() {
        let metadata = r#"{
            "workspace_members": ["s", "d"],
            "packages": [
                {"id": "s", "name": "switchyard", "version": "0.1.0", "source": null, "license": "Apache-2.0"},
                {"id": "d", "name": "switchyard-dev", "version": "0.1.0", "source": null},
                {"id": "a", "name": "a", "version": "1.0.0", "source": "registry", "license": "MIT/Apache-2.0"},
                {"id": "b", "name": "b", "version": "2.0.0", "source": "registry", "license": null},
                {"id": "t", "name": "t", "version": "3.0.0", "source": "registry"}
            ],
            "resolve": {"nodes": [
                {"id": "s", "deps": [{"pkg": "a", "dep_kinds": [{"kind": null}]}, {"pkg": "t", "dep_kinds": [{"kind": "dev"}]}]},
                {"id": "a", "deps": [{"pkg": "b", "dep_kinds": [{"kind": "build"}]}]},
                {"id": "b", "deps": []}
            ]}
        }"#;
        let lock =
            "[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nsource = \"r\"\nchecksum = \"abc\"\n";
        let text = sbom(&Json::read(metadata).unwrap(), lock, "0.1.0").unwrap();
        let read = Json::read(&text).expect("it is JSON");
        let names: Vec<&str> = read
            .list("components")
            .iter()
            .map(|part| part.text("purl"))
            .collect();
        assert_eq!(names, ["pkg:cargo/a@1.0.0", "pkg:cargo/b@2.0.0"]);
        assert!(
            text.contains("\"MIT OR Apache-2.0\"") && text.contains("\"content\": \"abc\""),
            "{text}"
        );
    }
}
