//! `cargo dev release`: the files of a release, in `target/release-files`. They are reproducible:
//! the same sources and tools give the same bytes.

use crate::build::{self, Page};
use crate::files::{create_folder, files_below, hex_digest, read, write};
use crate::run::{BuildTools, cargo, locked_version, output, path_with, project, run, say};
use crate::setup;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The targets that the program is built for.
const TARGETS: [&str; 2] = ["x86_64-unknown-linux-musl", "aarch64-unknown-linux-musl"];
/// Files of `release` that are added to the site.
const SERVER_CONFIGS: [&str; 3] = ["_headers", "nginx.conf", "Caddyfile"];
/// Shells, and the names of their completion scripts.
const COMPLETIONS: [(&str, &str); 3] = [
    ("bash", "switchyard.bash"),
    ("zsh", "_switchyard"),
    ("fish", "switchyard.fish"),
];

/// A Node script that compresses the files named on the lines of its input, since the build needs
/// Node anyway. The copies, which end in `.gz` and `.br`, are written beside them.
const COMPRESS_SCRIPT: &str = "
const { readFileSync, writeFileSync } = require('fs');
const zlib = require('zlib');
const quality = { [zlib.constants.BROTLI_PARAM_QUALITY]: 11 };
for (const path of readFileSync(0, 'utf8').split('\\n').filter(Boolean)) {
  const bytes = readFileSync(path);
  writeFileSync(path + '.gz', zlib.gzipSync(bytes, { level: 9 }));
  writeFileSync(path + '.br', zlib.brotliCompressSync(bytes, { params: quality }));
}
";

/// Builds a release with this page. With [`Page::Quick`], the program is without optimisations and
/// for one target, to test the assembly of a release.
pub fn build_release(kind: Page) -> Result<(), String> {
    let tools = setup::all_for_build()?;
    let site = build::site(&tools, kind)?;
    let version = locked_version("switchyard")?;
    let out = project().join("target/release-files");
    recreate_folder(&out)?;
    let staging = project().join("target/release-staged");
    recreate_folder(&staging)?;
    let page = staging.join("site");
    copy(&site, &page)?;
    write_compressed_copies(&page)?;
    for name in SERVER_CONFIGS {
        copy(&project().join("release").join(name), &page.join(name))?;
    }
    let name = format!("switchyard-web-{version}");
    write_archive(
        read_members(&page, &name)?,
        &out.join(format!("{name}.tar.gz")),
    )?;
    write_program_archives(&tools, &site, kind, &version, &out)?;
    copy(
        &project().join("release/Containerfile"),
        &out.join("Containerfile"),
    )?;
    write(
        &out.join(format!("switchyard-{version}.cdx.json")),
        bill_of_materials(&version)?,
    )?;
    write_checksums(&out)?;
    println!("The release is in {}", out.display());
    Ok(())
}

/// Writes an archive for each target: the program, its manual and completions, and scripts for CI.
fn write_program_archives(
    tools: &BuildTools,
    site: &Path,
    kind: Page,
    version: &str,
    out: &Path,
) -> Result<(), String> {
    let mut programs = Vec::new();
    for target in available_targets(kind) {
        programs.push((target, build_program(tools, site, target, kind)?));
    }
    // Manual and completions are the same for all targets, so any program that runs here can print
    // them.
    let mut runnable = programs
        .iter()
        .filter(|(_, program)| output(Command::new(program).arg("--version")).is_some());
    let companions = match runnable.next() {
        Some((_, program)) => companion_files(program)?,
        None => Vec::new(),
    };
    for (target, program) in &programs {
        let name = format!("switchyard-{version}-{target}.tar.gz");
        let program = Member::new("switchyard", read(program)?, EXECUTABLE);
        let members = [vec![program], companions.clone()].concat();
        write_archive(members, &out.join(name))?;
    }
    Ok(())
}

/// Returns the targets that this machine can build for, and announces those left out.
fn available_targets(kind: Page) -> Vec<&'static str> {
    let installed =
        output(Command::new("rustup").args(["target", "list", "--installed"])).unwrap_or_default();
    let (mut available, missing): (Vec<&str>, Vec<&str>) = TARGETS
        .into_iter()
        .partition(|target| installed.lines().any(|line| line == *target));
    for target in missing {
        say(&format!(
            "no program for {target}: `rustup target add {target}`"
        ));
    }
    if kind == Page::Quick {
        available.truncate(1);
    }
    available
}

/// Builds the program with the page in it. Its bytes contain no local path. The linker is the
/// toolchain's own, which also links for other machines.
fn build_program(
    tools: &BuildTools,
    site: &Path,
    target: &str,
    kind: Page,
) -> Result<PathBuf, String> {
    let (profile, folder) = match kind {
        Page::Release => ("release", "release"),
        _ => ("dev", "debug"),
    };
    say(&format!("building the program for {target}"));
    let flags = format!(
        "{} -Clinker=rust-lld -Clink-self-contained=yes",
        build::path_remapping_flags()
    );
    run(
        cargo()
            .args(["build", "--locked", "--bin", "switchyard"])
            .args(["--features", "site"])
            .args(["--profile", profile, "--target", target])
            .env("PATH", path_with(&tools.path))
            .env("SWITCHYARD_SITE", site)
            .env("RUSTFLAGS", flags),
        "See what the compiler printed above.",
    )?;
    Ok(project()
        .join("target")
        .join(target)
        .join(folder)
        .join("switchyard"))
}

/// Collects the other files of a program's archive: documents, manual, completions, and scripts for
/// CI.
fn companion_files(program: &Path) -> Result<Vec<Member>, String> {
    let mut members = Vec::new();
    for name in ["LICENSE", "README.md", "CHANGELOG.md"] {
        let text = read(&project().join(name))?;
        members.push(Member::new(name, text, PLAIN));
    }
    for (shell, name) in COMPLETIONS {
        let script = output(Command::new(program).args(["completion", shell]));
        let script = script
            .ok_or_else(|| format!("{} prints no completion for {shell}", program.display()))?;
        members.push(Member::new(
            &format!("completions/{name}"),
            script.into_bytes(),
            PLAIN,
        ));
    }
    let pages = project().join("target/release-staged/man1");
    run(
        Command::new(program).args(["--quiet", "man"]).arg(&pages),
        "The program that was just built does not run here.",
    )?;
    members.extend(read_members(&pages, "man/man1")?);
    for name in ["check-pull-request.sh", "get-release.sh"] {
        members.push(Member::new(
            &format!("ci/{name}"),
            read(&project().join("ci").join(name))?,
            EXECUTABLE,
        ));
    }
    Ok(members)
}

/// Lists the crates that the program and the page depend on, in the CycloneDX format.
fn bill_of_materials(version: &str) -> Result<String, String> {
    let tree = output(
        cargo()
            .args(["tree", "--locked", "--workspace", "--target", "all"])
            .args(["--exclude", "switchyard-dev"])
            .args(["--exclude", "switchyard-test-support"])
            .args(["--edges", "normal,build", "--prefix", "none"])
            .args(["--format", "{p}|{l}"]),
    )
    .ok_or("cargo tree failed")?;
    // A line is `NAME vVERSION (DETAILS)|LICENSE (*)`.
    let crates: BTreeSet<(&str, &str, &str)> = tree
        .lines()
        .filter_map(|line| {
            let (package, license) = line.split_once('|')?;
            let mut words = package.split(' ');
            let (name, version) = (words.next()?, words.next()?.strip_prefix('v')?);
            let license = license.strip_suffix(" (*)").unwrap_or(license);
            (!name.starts_with("switchyard")).then_some((name, version, license))
        })
        .collect();
    let components: Vec<Value> = crates
        .into_iter()
        .map(|(name, version, license)| {
            json!({
                "type": "library",
                "name": name,
                "version": version,
                "purl": format!("pkg:cargo/{name}@{version}"),
                // Older manifests write a choice with `/`.
                "licenses": [{ "expression": license.replace('/', " OR ") }],
            })
        })
        .collect();
    let document = json!({
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
    Ok(format!("{document:#}\n"))
}

fn write_checksums(out: &Path) -> Result<(), String> {
    let mut text = String::new();
    for (name, path) in files_below(out, &[])? {
        text.push_str(&format!("{}  {name}\n", hex_digest(&read(&path)?)));
    }
    write(&out.join("SHA256SUMS"), text)
}

fn write_compressed_copies(site: &Path) -> Result<(), String> {
    let paths: Vec<String> = files_below(site, &[])?
        .into_values()
        .map(|path| path.display().to_string())
        .collect();
    let failed = |e: std::io::Error| format!("node could not pack the files: {e}");
    let mut child = Command::new("node")
        .args(["-e", COMPRESS_SCRIPT])
        .stdin(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    if let Some(mut stdin) = child.stdin.take() {
        std::io::Write::write_all(&mut stdin, paths.join("\n").as_bytes()).map_err(failed)?;
    }
    if child.wait().map_err(failed)?.success() {
        Ok(())
    } else {
        Err("node could not pack the files; see above".to_owned())
    }
}

/// A file of an archive.
#[derive(Debug, Clone)]
struct Member {
    /// Path in the archive, with `/`.
    path: String,
    bytes: Vec<u8>,
    mode: u32,
}

/// Modes of members.
const PLAIN: u32 = 0o644;
const EXECUTABLE: u32 = 0o755;

impl Member {
    fn new(path: &str, bytes: Vec<u8>, mode: u32) -> Self {
        Self {
            path: path.to_owned(),
            bytes,
            mode,
        }
    }
}

/// Writes a compressed archive whose bytes depend only on its members.
fn write_archive(mut members: Vec<Member>, to: &Path) -> Result<(), String> {
    members.sort_by(|a, b| a.path.cmp(&b.path));
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::best()));
    let failed = |e: std::io::Error| format!("cannot make {}: {e}", to.display());
    for member in &members {
        let mut header = tar::Header::new_ustar();
        header.set_mode(member.mode);
        header.set_size(member.bytes.len() as u64);
        header.set_mtime(0);
        archive
            .append_data(&mut header, &member.path, member.bytes.as_slice())
            .map_err(failed)?;
    }
    let packed = archive.into_inner().and_then(GzEncoder::finish);
    write(to, packed.map_err(failed)?)
}

/// Reads all files below a folder. Their paths in the archive start with `prefix`.
fn read_members(folder: &Path, prefix: &str) -> Result<Vec<Member>, String> {
    let files = files_below(folder, &[])?.into_iter();
    files
        .map(|(relative, path)| {
            let bytes = read(&path)?;
            Ok(Member::new(&format!("{prefix}/{relative}"), bytes, PLAIN))
        })
        .collect()
}

fn recreate_folder(folder: &Path) -> Result<(), String> {
    if folder.exists() {
        std::fs::remove_dir_all(folder)
            .map_err(|e| format!("cannot remove {}: {e}", folder.display()))?;
    }
    create_folder(folder)
}

/// Copies a file, or a folder with everything below it.
fn copy(from: &Path, to: &Path) -> Result<(), String> {
    if from.is_file() {
        return write(to, read(from)?);
    }
    files_below(from, &[])?
        .into_iter()
        .try_for_each(|(relative, path)| write(&to.join(relative), read(&path)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_shipped_dependencies_and_no_test_dependency() {
        let bill: Value = serde_json::from_str(&bill_of_materials("0.1.0").unwrap()).unwrap();
        let components = bill["components"].as_array().unwrap();
        let has = |name: &&str| components.iter().any(|part| part["name"] == **name);
        for name in ["clap", "leptos", "lsp-types", "serde", "tachys"] {
            assert!(has(&name), "{name} is missing");
        }
        for name in ["boon", "proptest", "switchyard"] {
            assert!(!has(&name), "{name} does not ship");
        }
    }

    #[test]
    fn the_order_of_members_does_not_matter() {
        let folder = std::env::temp_dir().join(format!("switchyard-tar-{}", std::process::id()));
        let archived = |paths: [&str; 2], name: &str| {
            let members = paths.map(|path| {
                let mode = if path == "b" { EXECUTABLE } else { PLAIN };
                Member::new(path, path.as_bytes().to_vec(), mode)
            });
            let file = folder.join(name);
            write_archive(members.to_vec(), &file).unwrap();
            read(&file).unwrap()
        };
        let archive = archived(["b", "a/c.txt"], "1");
        assert_eq!(archive, archived(["a/c.txt", "b"], "2"));
        let unpacked = flate2::read::GzDecoder::new(&archive[..]);
        let listed: Vec<(String, u32)> = tar::Archive::new(unpacked)
            .entries()
            .unwrap()
            .map(|entry| {
                let entry = entry.unwrap();
                let path = entry.path().unwrap().display().to_string();
                (path, entry.header().mode().unwrap())
            })
            .collect();
        assert_eq!(
            listed,
            [("a/c.txt".to_owned(), 0o644), ("b".to_owned(), 0o755)]
        );
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
