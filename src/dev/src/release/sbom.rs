//! The list of crates in a release, in the CycloneDX format, from `cargo metadata` and `Cargo.lock`.

use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The parts of `cargo metadata --format-version 1` in use.
#[derive(Debug, Deserialize)]
pub(crate) struct Metadata {
    packages: Vec<Package>,
    workspace_members: Vec<String>,
    resolve: Resolve,
}

#[derive(Debug, Deserialize)]
struct Package {
    id: String,
    name: String,
    version: String,
    license: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Debug, Deserialize)]
struct Node {
    id: String,
    deps: Vec<Dependency>,
}

#[derive(Debug, Deserialize)]
struct Dependency {
    pkg: String,
    dep_kinds: Vec<DependencyKind>,
}

#[derive(Debug, Deserialize)]
struct DependencyKind {
    kind: Option<String>,
}

/// The crates that the program and the page depend on. `lock` is the text of `Cargo.lock`.
pub(crate) fn sbom(metadata: &Metadata, lock: &str, version: &str) -> Result<String, String> {
    let shipped = shipped_packages(metadata);
    let is_member = |package: &Package| metadata.workspace_members.contains(&package.id);
    let mut crates: Vec<&Package> = metadata
        .packages
        .iter()
        .filter(|package| shipped.contains(package.id.as_str()) && !is_member(package))
        .collect();
    crates.sort_by_key(|package| (&package.name, &package.version));
    if crates.is_empty() {
        return Err("cargo metadata names no crates".to_owned());
    }
    let components: Vec<Value> = crates
        .iter()
        .map(|package| component(package, lock))
        .collect();
    let all = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "name": "switchyard",
                "version": version,
                "licenses": [{ "expression": "Apache-2.0" }],
            }
        },
        "components": components,
    });
    Ok(format!("{all:#}\n"))
}

/// The ids of our shipped packages and everything they need at run or build time.
fn shipped_packages(metadata: &Metadata) -> BTreeSet<&str> {
    let is_shipped = |package: &&Package| {
        metadata.workspace_members.contains(&package.id)
            && package.name.starts_with("switchyard")
            && package.name != "switchyard-dev"
    };
    let roots = metadata.packages.iter().filter(is_shipped);
    let mut waiting: Vec<&str> = roots.map(|package| package.id.as_str()).collect();
    let mut seen = BTreeSet::new();
    while let Some(id) = waiting.pop() {
        if !seen.insert(id) {
            continue;
        }
        let node = metadata.resolve.nodes.iter().find(|node| node.id == id);
        for dependency in node.map_or(&[][..], |node| &node.deps) {
            let mut kinds = dependency.dep_kinds.iter();
            if kinds.any(|kind| kind.kind.as_deref() != Some("dev")) {
                waiting.push(&dependency.pkg);
            }
        }
    }
    seen
}

fn component(package: &Package, lock: &str) -> Value {
    let Package { name, version, .. } = package;
    let mut component = json!({
        "type": "library",
        "name": name,
        "version": version,
        "purl": format!("pkg:cargo/{name}@{version}"),
    });
    if let Some(license) = &package.license {
        // Older manifests write a choice with `/`.
        component["licenses"] = json!([{ "expression": license.replace('/', " OR ") }]);
    }
    if let Some(sum) = checksum(lock, name, version) {
        component["hashes"] = json!([{ "alg": "SHA-256", "content": sum }]);
    }
    component
}

fn checksum<'l>(lock: &'l str, name: &str, version: &str) -> Option<&'l str> {
    let start = format!("name = \"{name}\"\nversion = \"{version}\"\n");
    let mut packages = lock.split("[[package]]\n");
    let package = packages.find(|package| package.starts_with(&start))?;
    let mut lines = package.lines();
    lines.find_map(|line| line.strip_prefix("checksum = \"")?.strip_suffix('"'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn components(metadata: &str, lock: &str) -> Vec<Value> {
        let metadata = serde_json::from_str(metadata).expect("it is metadata");
        let text = sbom(&metadata, lock, "0.1.0").expect("it names crates");
        let all: Value = serde_json::from_str(&text).expect("it is JSON");
        all["components"].as_array().expect("a list").clone()
    }

    #[test]
    fn lists_shipped_dependencies_with_checksums_and_no_test_dependency() {
        let project = crate::tools::project();
        let mut cargo = std::process::Command::new("cargo");
        cargo
            .args(["metadata", "--locked", "--offline", "--format-version", "1"])
            .current_dir(&project);
        let metadata = crate::run::output(&mut cargo).expect("cargo metadata");
        let lock = std::fs::read_to_string(project.join("Cargo.lock")).expect("the lock file");
        let parts = components(&metadata, &lock);
        let has = |name: &&str| parts.iter().any(|part| part["name"] == **name);
        for name in ["clap", "leptos", "lsp-types", "serde", "tachys"] {
            assert!(has(&name), "{name} is missing");
        }
        for name in ["boon", "proptest", "switchyard"] {
            assert!(!has(&name), "{name} does not ship");
        }
        let unchecked: Vec<&Value> = parts
            .iter()
            .filter(|part| part["hashes"].is_null())
            .collect();
        assert!(unchecked.is_empty(), "{unchecked:?}");
    }

    #[test]
    fn build_dependencies_are_listed_and_dev_dependencies_are_not() {
        let metadata = r#"{
            "workspace_members": ["s", "d"],
            "packages": [
                {"id": "s", "name": "switchyard", "version": "0.1.0", "source": null, "license": "Apache-2.0"},
                {"id": "d", "name": "switchyard-dev", "version": "0.1.0", "source": null},
                {"id": "b", "name": "b", "version": "2.0.0", "source": "registry", "license": null},
                {"id": "a", "name": "a", "version": "1.0.0", "source": "registry", "license": "MIT/Apache-2.0"},
                {"id": "t", "name": "t", "version": "3.0.0", "source": "registry"}
            ],
            "resolve": {"nodes": [
                {"id": "s", "deps": [{"pkg": "a", "dep_kinds": [{"kind": null}]}, {"pkg": "t", "dep_kinds": [{"kind": "dev"}]}]},
                {"id": "a", "deps": [{"pkg": "b", "dep_kinds": [{"kind": "build"}]}]},
                {"id": "b", "deps": []}
            ]}
        }"#;
        let lock = "[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nchecksum = \"abc\"\n";
        let parts = components(metadata, lock);
        let names: Vec<&Value> = parts.iter().map(|part| &part["purl"]).collect();
        assert_eq!(names, ["pkg:cargo/a@1.0.0", "pkg:cargo/b@2.0.0"]);
        assert_eq!(parts[0]["licenses"][0]["expression"], "MIT OR Apache-2.0");
        assert_eq!(parts[0]["hashes"][0]["content"], "abc");
    }
}
