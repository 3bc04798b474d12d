//! `cargo dev release`: the files of a release, in `target/release-files`. They are reproducible: the same sources and
//! tools give the same bytes.

use crate::build::{self, Page};
use crate::files::{create_folder, files_below, hex_digest, read, write};
use crate::run::{BuildTools, locked_version, output, path_with, project, run, say};
use crate::setup;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The targets of the program.
const TARGETS: [&str; 2] = ["x86_64-unknown-linux-musl", "aarch64-unknown-linux-musl"];
/// Files of `release` that are placed beside the site.
const BESIDE_THE_SITE: [&str; 3] = ["_headers", "nginx.conf", "Caddyfile"];
const SHELLS: [(&str, &str); 3] = [
    ("bash", "switchyard.bash"),
    ("zsh", "_switchyard"),
    ("fish", "switchyard.fish"),
];

/// A Node script that compresses the files named on the lines of its input, since the build needs Node anyway. The
/// copies, which end in `.gz` and `.br`, are written beside them.
const PACK: &str = "
const { readFileSync, writeFileSync } = require('fs');
const zlib = require('zlib');
const quality = { [zlib.constants.BROTLI_PARAM_QUALITY]: 11 };
for (const path of readFileSync(0, 'utf8').split('\\n').filter(Boolean)) {
  const bytes = readFileSync(path);
  writeFileSync(path + '.gz', zlib.gzipSync(bytes, { level: 9 }));
  writeFileSync(path + '.br', zlib.brotliCompressSync(bytes, { params: quality }));
}
";

/// Makes all files of a release. `quick` uses the builds of page and program that are quick to make, for testing the
/// assembly.
pub(crate) fn all(quick: bool) -> Result<(), String> {
    let tools = setup::all_for_build()?;
    let site = build::site(&tools, if quick { Page::Quick } else { Page::Release })?;
    let version = locked_version("switchyard")?;
    let out = project().join("target/release-files");
    fresh(&out)?;
    let staged = project().join("target/release-staged");
    fresh(&staged)?;
    let page = staged.join("site");
    copy(&site, &page)?;
    pack_beside(&page)?;
    for name in BESIDE_THE_SITE {
        copy(&project().join("release").join(name), &page.join(name))?;
    }
    let name = format!("switchyard-web-{version}");
    write_archive(members(&page, &name)?, &out.join(format!("{name}.tar.gz")))?;
    let mut programs = Vec::new();
    for target in targets(quick) {
        programs.push((target, program(&tools, &site, target, quick)?));
    }
    // The output of a program is the same on all machines.
    let runs = |program: &Path| output(Command::new(program).arg("--version")).is_some();
    let mut runnable = programs.iter().filter(|(_, program)| runs(program));
    let beside = runnable
        .next()
        .map_or(Ok(Vec::new()), |(_, program)| beside_the_program(program))?;
    for (target, program) in &programs {
        let name = format!("switchyard-{version}-{target}.tar.gz");
        let program = member("switchyard", read(program)?, true);
        write_archive([vec![program], beside.clone()].concat(), &out.join(name))?;
    }
    copy(
        &project().join("release/Containerfile"),
        &out.join("Containerfile"),
    )?;
    write(
        &out.join(format!("switchyard-{version}.cdx.json")),
        bill(&version)?,
    )?;
    write_sums(&out)?;
    println!("The release is in {}", out.display());
    Ok(())
}

/// Returns the targets that this machine can build for. Reports those left out.
fn targets(quick: bool) -> Vec<&'static str> {
    let installed =
        output(Command::new("rustup").args(["target", "list", "--installed"])).unwrap_or_default();
    let (mut here, missing): (Vec<&str>, Vec<&str>) = TARGETS
        .into_iter()
        .partition(|target| installed.lines().any(|line| line == *target));
    for target in missing {
        say(&format!(
            "no program for {target}: `rustup target add {target}`"
        ));
    }
    if quick {
        here.truncate(1);
    }
    here
}

/// Builds the program with the page in it. Its bytes contain no local path. The linker is the toolchain's own, which
/// also links for other machines.
fn program(tools: &BuildTools, site: &Path, target: &str, quick: bool) -> Result<PathBuf, String> {
    let profile = if quick { "dev" } else { "release" };
    say(&format!("building the program for {target}"));
    let flags = format!(
        "{} -Clinker=rust-lld -Clink-self-contained=yes",
        build::without_paths()
    );
    let mut cargo = Command::new("cargo");
    cargo
        .args([
            "build",
            "--locked",
            "--bin",
            "switchyard",
            "--features",
            "site",
            "--profile",
            profile,
            "--target",
            target,
        ])
        .current_dir(project())
        .env("PATH", path_with(&tools.path))
        .env("SWITCHYARD_SITE", site)
        .env("RUSTFLAGS", flags);
    run(&mut cargo, "See what the compiler printed above.")?;
    let folder = if quick { "debug" } else { "release" };
    Ok(project()
        .join("target")
        .join(target)
        .join(folder)
        .join("switchyard"))
}

/// Collects the files to unpack beside a program: its manual, its completions, and the scripts for CI.
fn beside_the_program(program: &Path) -> Result<Vec<Member>, String> {
    let mut found = Vec::new();
    for name in ["LICENSE", "README.md", "CHANGELOG.md"] {
        found.push(member(name, read(&project().join(name))?, false));
    }
    for (shell, name) in SHELLS {
        let script = output(Command::new(program).args(["completion", shell]));
        let script = script
            .ok_or_else(|| format!("{} prints no completion for {shell}", program.display()))?;
        found.push(member(
            &format!("completions/{name}"),
            script.into_bytes(),
            false,
        ));
    }
    let pages = project().join("target/release-staged/man1");
    run(
        Command::new(program).args(["--quiet", "man"]).arg(&pages),
        "The program that was just built does not run here.",
    )?;
    found.extend(members(&pages, "man/man1")?);
    for name in ["check-pull-request.sh", "get-release.sh"] {
        found.push(member(
            &format!("ci/{name}"),
            read(&project().join("ci").join(name))?,
            true,
        ));
    }
    Ok(found)
}

/// Lists the crates that program and page depend on, in the CycloneDX format.
fn bill(version: &str) -> Result<String, String> {
    let mut cargo = Command::new("cargo");
    cargo
        .args(["tree", "--locked", "--workspace", "--target", "all"])
        .args(["--exclude", "switchyard-dev"])
        .args(["--exclude", "switchyard-test-support"])
        .args(["--edges", "normal,build", "--prefix", "none"])
        .args(["--format", "{p}|{l}"])
        .current_dir(project());
    let tree = output(&mut cargo).ok_or("cargo tree failed")?;
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

/// Writes `SHA256SUMS` for all files.
fn write_sums(out: &Path) -> Result<(), String> {
    let mut text = String::new();
    for (name, place) in files_below(out, &[])? {
        text.push_str(&format!("{}  {name}\n", hex_digest(&read(&place)?)));
    }
    write(&out.join("SHA256SUMS"), text)
}

/// Writes compressed copies beside the files of a site.
fn pack_beside(site: &Path) -> Result<(), String> {
    let paths: Vec<String> = files_below(site, &[])?
        .into_values()
        .map(|path| path.display().to_string())
        .collect();
    let failed = |e: std::io::Error| format!("node could not pack the files: {e}");
    let mut child = Command::new("node")
        .args(["-e", PACK])
        .stdin(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    if let Some(mut stdin) = child.stdin.take() {
        std::io::Write::write_all(&mut stdin, paths.join("\n").as_bytes()).map_err(failed)?;
    }
    match child.wait().map_err(failed)?.success() {
        true => Ok(()),
        false => Err("node could not pack the files; see above".to_owned()),
    }
}

/// A file of an archive.
#[derive(Debug, Clone)]
struct Member {
    /// With `/`.
    path: String,
    bytes: Vec<u8>,
    is_program: bool,
}

/// Writes a compressed archive whose bytes depend only on its members.
fn write_archive(mut members: Vec<Member>, to: &Path) -> Result<(), String> {
    members.sort_by(|a, b| a.path.cmp(&b.path));
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::best()));
    let failed = |e: std::io::Error| format!("cannot make {}: {e}", to.display());
    for member in &members {
        let mut header = tar::Header::new_ustar();
        header.set_mode(if member.is_program { 0o755 } else { 0o644 });
        header.set_size(member.bytes.len() as u64);
        header.set_mtime(0);
        archive
            .append_data(&mut header, &member.path, member.bytes.as_slice())
            .map_err(failed)?;
    }
    let packed = archive.into_inner().and_then(GzEncoder::finish);
    write(to, packed.map_err(failed)?)
}

fn member(path: &str, bytes: Vec<u8>, is_program: bool) -> Member {
    Member {
        path: path.to_owned(),
        bytes,
        is_program,
    }
}

/// Reads all files below a folder. Their paths in an archive are below `prefix`.
fn members(folder: &Path, prefix: &str) -> Result<Vec<Member>, String> {
    let files = files_below(folder, &[])?.into_iter();
    files
        .map(|(path, place)| Ok(member(&format!("{prefix}/{path}"), read(&place)?, false)))
        .collect()
}

fn fresh(folder: &Path) -> Result<(), String> {
    if folder.exists() {
        std::fs::remove_dir_all(folder)
            .map_err(|e| format!("cannot remove {}: {e}", folder.display()))?;
    }
    create_folder(folder)
}

/// Copies a file, or all files below a folder.
fn copy(from: &Path, to: &Path) -> Result<(), String> {
    if from.is_file() {
        return write(to, read(from)?);
    }
    files_below(from, &[])?
        .into_iter()
        .try_for_each(|(path, place)| write(&to.join(path), read(&place)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_shipped_dependencies_and_no_test_dependency() {
        let bill: Value = serde_json::from_str(&bill("0.1.0").unwrap()).unwrap();
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
            let members = paths.map(|path| member(path, path.as_bytes().to_vec(), path == "b"));
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
