//! The container image of a release as an archive of the OCI image layout, as described by `Containerfile`, and its list of
//! crates in the CycloneDX format. No container engine is involved, so the bytes depend only on the programs.

use crate::inputs::hex_digest;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The instructions of a container file that copies a single program.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Instructions<'t> {
    user: &'t str,
    port: &'t str,
    entrypoint: Vec<String>,
    command: Vec<String>,
}

/// A program for one architecture, as a layer.
pub(crate) struct Layer {
    /// The name in images: `amd64`, `arm64`.
    pub(crate) architecture: &'static str,
    /// SHA-256 of the uncompressed archive, in hexadecimal digits.
    pub(crate) archive_digest: String,
    /// The archive compressed with gzip.
    pub(crate) packed: Vec<u8>,
}

impl<'t> Instructions<'t> {
    /// The error names a missing or unknown instruction.
    pub(crate) fn read(text: &'t str) -> Result<Self, String> {
        let mut lines = text
            .lines()
            .filter(|line| !line.is_empty() && !line.starts_with('#'));
        let mut next = |name: &str| {
            let line = lines.next().unwrap_or_default();
            let value = line
                .strip_prefix(name)
                .and_then(|rest| rest.strip_prefix(' '));
            value.ok_or_else(|| format!("the container file has `{line}` where {name} is expected"))
        };
        if (next("FROM")?, next("COPY")?) != ("scratch", "switchyard /switchyard") {
            return Err("the container file is to hold the program and nothing else".to_owned());
        }
        let found = Self {
            user: next("USER")?,
            port: next("EXPOSE")?,
            entrypoint: parse_list(next("ENTRYPOINT")?)?,
            command: parse_list(next("CMD")?)?,
        };
        match lines.next() {
            None => Ok(found),
            Some(more) => Err(format!("the container file has `{more}` after its CMD")),
        }
    }

    fn config(&self, layer: &Layer) -> Value {
        json!({
            "architecture": layer.architecture,
            "os": "linux",
            "config": {
                "User": self.user,
                "ExposedPorts": { format!("{}/tcp", self.port): {} },
                "Entrypoint": self.entrypoint,
                "Cmd": self.command,
            },
            "rootfs": { "type": "layers", "diff_ids": [format!("sha256:{}", layer.archive_digest)] },
        })
    }
}

/// The exec form of an instruction: a JSON list of strings.
fn parse_list(text: &str) -> Result<Vec<String>, String> {
    serde_json::from_str(text).map_err(|e| format!("`{text}` is not a list of words: {e}"))
}

/// The layer with the program as the only file of its root.
pub(crate) fn root_layer(program: Vec<u8>) -> Result<Vec<u8>, String> {
    tar(vec![Member {
        path: "switchyard".to_owned(),
        bytes: program,
        is_program: true,
    }])
}

/// The archive of one image for all of these architectures.
pub(crate) fn image(
    instructions: &Instructions<'_>,
    layers: Vec<Layer>,
    version: &str,
) -> Result<Vec<u8>, String> {
    let mut blobs = Blobs::default();
    let mut manifests = Vec::new();
    for layer in layers {
        let config = blobs.add_json("config.v1+json", &instructions.config(&layer));
        let packed = blobs.add("layer.v1.tar+gzip", layer.packed);
        let manifest = json!({
            "schemaVersion": 2,
            "mediaType": "application/vnd.oci.image.manifest.v1+json",
            "config": config,
            "layers": [packed],
        });
        let mut descriptor = blobs.add_json("manifest.v1+json", &manifest);
        descriptor["platform"] = json!({ "architecture": layer.architecture, "os": "linux" });
        manifests.push(descriptor);
    }
    let mut descriptor = blobs.add_json("index.v1+json", &index(&manifests));
    // The first name is read by Docker, the second by podman.
    descriptor["annotations"] = json!({
        "io.containerd.image.name": format!("localhost/switchyard:{version}"),
        "org.opencontainers.image.ref.name": format!("switchyard:{version}"),
    });
    blobs.push("index.json", index(&[descriptor]).to_string().into_bytes());
    let layout = json!({ "imageLayoutVersion": "1.0.0" });
    blobs.push("oci-layout", layout.to_string().into_bytes());
    tar(blobs.0)
}

fn index(manifests: &[Value]) -> Value {
    json!({
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.index.v1+json",
        "manifests": manifests,
    })
}

/// Files named by the digest of their content.
#[derive(Default)]
struct Blobs(Vec<Member>);

impl Blobs {
    fn add_json(&mut self, media_type: &str, value: &Value) -> Value {
        self.add(media_type, value.to_string().into_bytes())
    }

    /// Adds a blob and returns its descriptor.
    fn add(&mut self, media_type: &str, bytes: Vec<u8>) -> Value {
        let digest = hex_digest(&bytes);
        let size = bytes.len();
        let path = format!("blobs/sha256/{digest}");
        if self.0.iter().all(|known| known.path != path) {
            self.push(&path, bytes);
        }
        json!({
            "mediaType": format!("application/vnd.oci.image.{media_type}"),
            "digest": format!("sha256:{digest}"),
            "size": size,
        })
    }

    fn push(&mut self, path: &str, bytes: Vec<u8>) {
        self.0.push(Member {
            path: path.to_owned(),
            bytes,
            is_program: false,
        });
    }
}

/// A file of an archive.
#[derive(Debug, Clone)]
pub(crate) struct Member {
    /// With `/`.
    pub(crate) path: String,
    pub(crate) bytes: Vec<u8>,
    pub(crate) is_program: bool,
}

pub(crate) fn tar(mut members: Vec<Member>) -> Result<Vec<u8>, String> {
    members.sort_by(|a, b| a.path.cmp(&b.path));
    let mut archive = tar::Builder::new(Vec::new());
    for member in &members {
        let mut header = tar::Header::new_ustar();
        header.set_mode(if member.is_program { 0o755 } else { 0o644 });
        header.set_size(member.bytes.len() as u64);
        header.set_uid(0);
        header.set_gid(0);
        header.set_mtime(0);
        archive
            .append_data(&mut header, &member.path, member.bytes.as_slice())
            .map_err(|e| format!("cannot archive {}: {e}", member.path))?;
    }
    archive
        .into_inner()
        .map_err(|e| format!("cannot finish the archive: {e}"))
}

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
    let roots = metadata.packages.iter().filter(|package: &&Package| {
        metadata.workspace_members.contains(&package.id)
            && package.name.starts_with("switchyard")
            && !["switchyard-dev", "switchyard-test-support"].contains(&package.name.as_str())
    });
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
    use crate::run::project;
    use std::collections::BTreeMap;
    use std::process::Command;

    fn made(programs: &[(&'static str, &str)]) -> Vec<u8> {
        let text = std::fs::read_to_string(project().join("release/Containerfile")).unwrap();
        let instructions = Instructions::read(&text).unwrap();
        let layer = |(architecture, program): &(&'static str, &str)| {
            let archive = root_layer(program.as_bytes().to_vec()).unwrap();
            let packed = [b"packed ", &archive[..]].concat();
            Layer {
                architecture,
                archive_digest: hex_digest(&archive),
                packed,
            }
        };
        image(&instructions, programs.iter().map(layer).collect(), "1.2.3").unwrap()
    }

    /// The files of an archive, as tar reads them.
    fn unpacked(archive: &[u8]) -> BTreeMap<String, Vec<u8>> {
        let folder = std::env::temp_dir().join(format!("switchyard-image-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("a.tar"), archive).unwrap();
        assert!(
            Command::new("tar")
                .args(["-xf", "a.tar"])
                .current_dir(&folder)
                .status()
                .unwrap()
                .success()
        );
        let files = super::super::files(&folder).unwrap();
        let files = files.into_iter().filter(|(path, _)| path != "a.tar");
        let files = files
            .map(|(path, place)| (path, std::fs::read(place).unwrap()))
            .collect();
        std::fs::remove_dir_all(&folder).unwrap();
        files
    }

    /// What a descriptor leads to; its size and digest are those of the file.
    fn led_to<'f>(files: &'f BTreeMap<String, Vec<u8>>, descriptor: &Value) -> &'f [u8] {
        let digest = descriptor["digest"].as_str().unwrap();
        let digest = digest.strip_prefix("sha256:").unwrap();
        let bytes = &files[&format!("blobs/sha256/{digest}")];
        assert_eq!(hex_digest(bytes), digest);
        assert_eq!(descriptor["size"], bytes.len());
        bytes
    }

    fn parsed(bytes: &[u8]) -> Value {
        serde_json::from_slice(bytes).unwrap()
    }

    #[test]
    fn each_machine_finds_its_program_and_how_it_is_run() {
        let programs = [("amd64", "one"), ("arm64", "two")];
        let files = unpacked(&made(&programs));
        assert_eq!(parsed(&files["oci-layout"])["imageLayoutVersion"], "1.0.0");
        let top = parsed(&files["index.json"]);
        let all = parsed(led_to(&files, &top["manifests"][0]));
        let manifests = all["manifests"].as_array().unwrap();
        assert_eq!(manifests.len(), programs.len());
        for (descriptor, (architecture, program)) in manifests.iter().zip(programs) {
            assert_eq!(descriptor["platform"]["architecture"], architecture);
            let manifest = parsed(led_to(&files, descriptor));
            let layer = led_to(&files, &manifest["layers"][0]);
            let archive = layer.strip_prefix(b"packed ").unwrap();
            let program = BTreeMap::from([("switchyard".to_owned(), program.as_bytes().to_vec())]);
            assert_eq!(unpacked(archive), program);
            let config = parsed(led_to(&files, &manifest["config"]));
            assert_eq!(config["architecture"], architecture);
            let layers = json!([format!("sha256:{}", hex_digest(archive))]);
            assert_eq!(config["rootfs"]["diff_ids"], layers);
            let run = &config["config"];
            assert_eq!(run["User"], "65532:65532", "the user is not root");
            assert_eq!(run["Entrypoint"], json!(["/switchyard"]));
            let command = json!(["serve", "--listen", "0.0.0.0", "--port", "8170"]);
            assert_eq!(run["Cmd"], command);
        }
    }

    #[test]
    fn the_same_programs_make_the_same_bytes() {
        let programs = [("amd64", "one"), ("arm64", "two")];
        assert_eq!(made(&programs), made(&programs));
        assert_ne!(
            made(&programs),
            made(&[("amd64", "one"), ("arm64", "other")])
        );
    }

    #[test]
    fn a_container_file_that_does_more_is_refused() {
        let file = "FROM scratch\nCOPY switchyard /switchyard\nUSER 1\nEXPOSE 2\nENTRYPOINT [\"a\"]\nCMD []\n";
        assert!(Instructions::read(file).is_ok());
        for other in [
            file.replace("scratch", "debian"),
            file.replace("USER 1\n", ""),
            format!("{file}VOLUME /x\n"),
            file.replace("CMD []\n", ""),
        ] {
            assert!(Instructions::read(&other).is_err(), "{other}");
        }
    }

    #[test]
    fn the_order_of_members_does_not_matter() {
        let member = |path: &str| Member {
            path: path.to_owned(),
            bytes: path.as_bytes().to_vec(),
            is_program: path == "b",
        };
        let archived = tar(vec![member("b"), member("a/c.txt")]).unwrap();
        assert_eq!(archived, tar(vec![member("a/c.txt"), member("b")]).unwrap());
        let mut read = tar::Archive::new(&archived[..]);
        let listed: Vec<(String, u32, u64)> = read
            .entries()
            .unwrap()
            .map(|entry| {
                let entry = entry.unwrap();
                let path = entry.path().unwrap().display().to_string();
                let header = entry.header();
                (path, header.mode().unwrap(), header.mtime().unwrap())
            })
            .collect();
        assert_eq!(
            listed,
            [("a/c.txt".to_owned(), 0o644, 0), ("b".to_owned(), 0o755, 0)]
        );
    }
}

#[cfg(test)]
mod sbom_tests {
    use super::*;

    fn components(metadata: &str, lock: &str) -> Vec<Value> {
        let metadata = serde_json::from_str(metadata).expect("it is metadata");
        let text = sbom(&metadata, lock, "0.1.0").expect("it names crates");
        let all: Value = serde_json::from_str(&text).expect("it is JSON");
        all["components"].as_array().expect("a list").clone()
    }

    #[test]
    fn lists_shipped_dependencies_with_checksums_and_no_test_dependency() {
        let project = crate::run::project();
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
