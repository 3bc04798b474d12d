//! The container image of a release, as an archive of the OCI image layout: what `Containerfile` describes, made without a
//! container engine, so that its bytes depend on nothing but the programs. (`podman load` and `docker load` read it, and
//! `skopeo copy` brings it to a registry as it is.)

use super::tar::{self, Member};
use crate::sha256::hex_digest;

/// The instructions of a container file that copies a program and says how it is run.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Instructions<'t> {
    user: &'t str,
    port: &'t str,
    /// In JSON, as they stand there.
    entrypoint: &'t str,
    command: &'t str,
}

/// A program for one kind of machine, as a layer.
pub(crate) struct Layer {
    /// As images name it: `amd64`, `arm64`.
    pub(crate) architecture: &'static str,
    /// The SHA-256 of its archive, in hexadecimal digits: whoever writes large files has them digested faster than here.
    pub(crate) archive_digest: String,
    /// The archive packed by gzip, and its digest.
    pub(crate) packed: (Vec<u8>, String),
}

impl<'t> Instructions<'t> {
    /// An error names what such a file does not say, or what is not known here.
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
            entrypoint: next("ENTRYPOINT")?,
            command: next("CMD")?,
        };
        match lines.next() {
            None => Ok(found),
            Some(more) => Err(format!("the container file has `{more}` after its CMD")),
        }
    }

    fn config(&self, layer: &Layer) -> String {
        let Self {
            user,
            port,
            entrypoint,
            command,
        } = self;
        format!(
            r#"{{"architecture":"{}","os":"linux","config":{{"User":"{user}","ExposedPorts":{{"{port}/tcp":{{}}}},"Entrypoint":{entrypoint},"Cmd":{command}}},"rootfs":{{"type":"layers","diff_ids":["sha256:{}"]}}}}"#,
            layer.architecture, layer.archive_digest
        )
    }
}

/// The layer that holds the program: the only file of its root.
pub(crate) fn root_of(program: Vec<u8>) -> Result<Vec<u8>, String> {
    tar::archive(vec![Member {
        path: "switchyard".to_owned(),
        bytes: program,
        is_program: true,
    }])
}

/// The archive of one image for all of these machines.
pub(crate) fn image(
    instructions: &Instructions<'_>,
    layers: Vec<Layer>,
    version: &str,
) -> Result<Vec<u8>, String> {
    let mut blobs = Blobs::default();
    let mut manifests = Vec::new();
    for layer in layers {
        let config = blobs.add(
            "config.v1+json",
            instructions.config(&layer).into_bytes(),
            "",
        );
        let architecture = layer.architecture;
        let (packed, digest) = layer.packed;
        let packed = blobs.add_digested("layer.v1.tar+gzip", packed, &digest, "");
        let manifest = format!(
            r#"{{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","config":{config},"layers":[{packed}]}}"#
        );
        let platform = format!(r#","platform":{{"architecture":"{architecture}","os":"linux"}}"#);
        manifests.push(blobs.add("manifest.v1+json", manifest.into_bytes(), &platform));
    }
    let all = index(&manifests.join(","));
    // What podman, and what Docker calls it when it is loaded.
    let name = format!(
        r#","annotations":{{"io.containerd.image.name":"localhost/switchyard:{version}","org.opencontainers.image.ref.name":"switchyard:{version}"}}"#
    );
    let top = index(&blobs.add("index.v1+json", all.into_bytes(), &name));
    blobs
        .0
        .push(file("index.json".to_owned(), top.into_bytes()));
    blobs.0.push(file(
        "oci-layout".to_owned(),
        br#"{"imageLayoutVersion":"1.0.0"}"#.to_vec(),
    ));
    tar::archive(blobs.0)
}

fn index(manifests: &str) -> String {
    format!(
        r#"{{"schemaVersion":2,"mediaType":"application/vnd.oci.image.index.v1+json","manifests":[{manifests}]}}"#
    )
}

/// Files that are named by their content.
#[derive(Default)]
struct Blobs(Vec<Member>);

impl Blobs {
    /// Adds one, and gives what others name it by, with `more` of it.
    fn add(&mut self, kind: &str, bytes: Vec<u8>, more: &str) -> String {
        let digest = hex_digest(&bytes);
        self.add_digested(kind, bytes, &digest, more)
    }

    fn add_digested(&mut self, kind: &str, bytes: Vec<u8>, digest: &str, more: &str) -> String {
        let size = bytes.len();
        let path = format!("blobs/sha256/{digest}");
        if self.0.iter().all(|known| known.path != path) {
            self.0.push(file(path, bytes));
        }
        format!(
            r#"{{"mediaType":"application/vnd.oci.image.{kind}","digest":"sha256:{digest}","size":{size}{more}}}"#
        )
    }
}

fn file(path: String, bytes: Vec<u8>) -> Member {
    Member {
        path,
        bytes,
        is_program: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Json;
    use crate::tools::project;
    use std::collections::BTreeMap;
    use std::process::Command;

    fn made(programs: &[(&'static str, &str)]) -> Vec<u8> {
        let text = std::fs::read_to_string(project().join("release/Containerfile")).unwrap();
        let instructions = Instructions::read(&text).unwrap();
        let layer = |(architecture, program): &(&'static str, &str)| {
            let archive = root_of(program.as_bytes().to_vec()).unwrap();
            let packed = [b"packed ", &archive[..]].concat();
            let digest = hex_digest(&packed);
            Layer {
                architecture,
                archive_digest: hex_digest(&archive),
                packed: (packed, digest),
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
    fn led_to<'f>(files: &'f BTreeMap<String, Vec<u8>>, descriptor: &Json) -> &'f [u8] {
        let digest = descriptor
            .text("digest")
            .strip_prefix("sha256:")
            .unwrap()
            .to_owned();
        let bytes = &files[&format!("blobs/sha256/{digest}")];
        assert_eq!(hex_digest(bytes), digest);
        assert_eq!(
            descriptor.at("size"),
            Some(&Json::Number(bytes.len().to_string()))
        );
        bytes
    }

    fn json(bytes: &[u8]) -> Json {
        Json::read(std::str::from_utf8(bytes).unwrap()).unwrap()
    }

    #[test]
    fn each_machine_finds_its_program_and_how_it_is_run() {
        let programs = [("amd64", "one"), ("arm64", "two")];
        let files = unpacked(&made(&programs));
        assert_eq!(
            json(&files["oci-layout"]).text("imageLayoutVersion"),
            "1.0.0"
        );
        let top = json(&files["index.json"]);
        let all = json(led_to(&files, &top.list("manifests")[0]));
        assert_eq!(all.list("manifests").len(), programs.len());
        for (manifest, (architecture, program)) in all.list("manifests").iter().zip(programs) {
            assert_eq!(
                manifest.at("platform").unwrap().text("architecture"),
                architecture
            );
            let manifest = json(led_to(&files, manifest));
            let layer = led_to(&files, &manifest.list("layers")[0]);
            let archive = layer.strip_prefix(b"packed ").unwrap();
            assert_eq!(
                unpacked(archive),
                BTreeMap::from([("switchyard".to_owned(), program.as_bytes().to_vec())])
            );
            let config = json(led_to(&files, manifest.at("config").unwrap()));
            assert_eq!(config.text("architecture"), architecture);
            let roots = config.at("rootfs").unwrap().list("diff_ids");
            assert_eq!(
                roots,
                [Json::Text(format!("sha256:{}", hex_digest(archive)))]
            );
            let run = config.at("config").unwrap();
            assert_eq!(run.text("User"), "65532:65532", "nobody is root");
            let words = |text: &str| {
                text.split(' ')
                    .map(|word| Json::Text(word.to_owned()))
                    .collect::<Vec<_>>()
            };
            assert_eq!(run.list("Entrypoint"), words("/switchyard"));
            assert_eq!(run.list("Cmd"), words("serve --listen 0.0.0.0 --port 8170"));
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
}
