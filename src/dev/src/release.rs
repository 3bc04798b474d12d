//! `cargo dev release`: the files of a release, in `target/release-files`. They are reproducible: the same sources and
//! tools give the same bytes.

mod image;

use crate::build::{self, Page};
use crate::inputs::hex_digest;
use crate::run::{BuildTools, locked_version, output, path_with, project, run, say};
use crate::setup;
use image::Member;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The targets of the program, and the architecture's name in images.
const TARGETS: [(&str, &str); 2] = [
    ("x86_64-unknown-linux-musl", "amd64"),
    ("aarch64-unknown-linux-musl", "arm64"),
];
/// Files of `release` that are placed beside the site.
const BESIDE_THE_SITE: [&str; 3] = ["_headers", "nginx.conf", "Caddyfile"];
const SHELLS: [(&str, &str); 3] = [
    ("bash", "switchyard.bash"),
    ("zsh", "_switchyard"),
    ("fish", "switchyard.fish"),
];

/// A Node script that compresses files with `zlib`, since the build needs Node anyway. Each line of the input is a
/// path; copies with the requested endings, `gz` and `br`, are written beside it.
const PACK: &str = "
const { readFileSync, writeFileSync } = require('fs');
const zlib = require('zlib');
const quality = { [zlib.constants.BROTLI_PARAM_QUALITY]: 11 };
for (const path of readFileSync(0, 'utf8').split('\\n').filter(Boolean)) {
  const bytes = readFileSync(path);
  if (process.argv.includes('gz')) writeFileSync(path + '.gz', zlib.gzipSync(bytes, { level: 9 }));
  if (process.argv.includes('br')) writeFileSync(path + '.br', zlib.brotliCompressSync(bytes, { params: quality }));
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
        let program = program(&tools, &site, &target, quick)?;
        programs.push((target, program));
    }
    // The output of a program is the same on all machines.
    let runs = |program: &Path| output(Command::new(program).arg("--version")).is_some();
    let here = programs
        .iter()
        .map(|(_, program)| program)
        .find(|program| runs(program));
    let beside = here.map_or(Ok(Vec::new()), |program| beside_the_program(program))?;
    for (target, program) in &programs {
        let name = format!("switchyard-{version}-{target}.tar.gz");
        let program = member("switchyard", read(program)?, true);
        write_archive([vec![program], beside.clone()].concat(), &out.join(name))?;
    }
    copy(
        &project().join("release/Containerfile"),
        &out.join("Containerfile"),
    )?;
    let image = container(&programs, &staged, &version)?;
    write(&out.join(format!("switchyard-{version}-image.tar")), &image)?;
    write(
        &out.join(format!("switchyard-{version}.cdx.json")),
        bill(&version)?.as_bytes(),
    )?;
    write_sums(&out)?;
    println!("The release is in {}", out.display());
    Ok(())
}

/// The targets that this machine can build for. Reports those left out.
fn targets(quick: bool) -> Vec<String> {
    let installed =
        output(Command::new("rustup").args(["target", "list", "--installed"])).unwrap_or_default();
    let (here, missing): (Vec<&str>, Vec<&str>) = TARGETS
        .iter()
        .map(|(target, _)| *target)
        .partition(|target: &&str| installed.lines().any(|line| line == *target));
    for target in missing {
        say(&format!(
            "no program for {target}: `rustup target add {target}`"
        ));
    }
    let here = if quick {
        here.into_iter().take(1).collect()
    } else {
        here
    };
    here.into_iter().map(str::to_owned).collect()
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

/// The files to unpack beside a program: its manual, its completions, and the scripts for CI.
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

/// The image described by the container file, for every architecture with a program.
fn container(
    programs: &[(String, PathBuf)],
    staged: &Path,
    version: &str,
) -> Result<Vec<u8>, String> {
    let text = String::from_utf8(read(&project().join("release/Containerfile"))?);
    let text = text.map_err(|e| format!("release/Containerfile: {e}"))?;
    let mut layers = Vec::new();
    for (target, program) in programs {
        let machine = TARGETS.iter().find(|(known, _)| known == target);
        let (_, architecture) =
            machine.ok_or_else(|| format!("images have no name for {target}"))?;
        let archive = image::root_layer(read(program)?)?;
        let place = staged.join(format!("root-{architecture}.tar"));
        write(&place, &archive)?;
        node(PACK, &["gz"], place.display().to_string().as_bytes())?;
        let packed = place.with_extension("tar.gz");
        layers.push(image::Layer {
            architecture,
            archive_digest: hex_digest(&archive),
            packed: read(&packed)?,
        });
    }
    image::image(&image::Instructions::read(&text)?, layers, version)
}

fn bill(version: &str) -> Result<String, String> {
    let mut cargo = Command::new("cargo");
    cargo
        .args(["metadata", "--locked", "--format-version", "1"])
        .current_dir(project());
    let metadata = output(&mut cargo).ok_or("cargo metadata failed")?;
    let metadata = serde_json::from_str(&metadata).map_err(|e| format!("cargo metadata: {e}"))?;
    let lock = String::from_utf8(read(&project().join("Cargo.lock"))?)
        .map_err(|e| format!("Cargo.lock: {e}"))?;
    image::sbom(&metadata, &lock, version)
}

/// Writes `SHA256SUMS` for all files.
fn write_sums(out: &Path) -> Result<(), String> {
    let mut text = String::new();
    for (name, place) in files(out)? {
        text.push_str(&format!("{}  {name}\n", hex_digest(&read(&place)?)));
    }
    write(&out.join("SHA256SUMS"), text.as_bytes())
}

/// Writes compressed copies beside the files of a site.
fn pack_beside(site: &Path) -> Result<(), String> {
    let paths: Vec<String> = files(site)?
        .into_values()
        .map(|path| path.display().to_string())
        .collect();
    node(PACK, &["gz", "br"], paths.join("\n").as_bytes())
}

fn write_archive(members: Vec<Member>, to: &Path) -> Result<(), String> {
    let plain = to.with_extension("");
    write(&plain, &image::tar(members)?)?;
    node(PACK, &["gz"], plain.display().to_string().as_bytes())?;
    std::fs::remove_file(&plain).map_err(|e| format!("cannot remove {}: {e}", plain.display()))
}

/// Runs a Node script with these arguments and this input.
fn node(script: &str, args: &[&str], input: &[u8]) -> Result<(), String> {
    let failed = |e: std::io::Error| format!("node could not pack the files: {e}");
    let mut child = Command::new("node")
        .args(["-e", script])
        .args(args)
        .stdin(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    if let Some(mut stdin) = child.stdin.take() {
        std::io::Write::write_all(&mut stdin, input).map_err(failed)?;
    }
    match child.wait().map_err(failed)?.success() {
        true => Ok(()),
        false => Err("node could not pack the files; see above".to_owned()),
    }
}

fn member(path: &str, bytes: Vec<u8>, is_program: bool) -> Member {
    Member {
        path: path.to_owned(),
        bytes,
        is_program,
    }
}

/// All files below a folder, with their path in an archive below `prefix`.
fn members(folder: &Path, prefix: &str) -> Result<Vec<Member>, String> {
    let files = files(folder)?.into_iter();
    files
        .map(|(path, place)| Ok(member(&format!("{prefix}/{path}"), read(&place)?, false)))
        .collect()
}

/// All files below a folder, by path.
fn files(folder: &Path) -> Result<BTreeMap<String, PathBuf>, String> {
    let mut found = BTreeMap::new();
    let mut waiting = vec![(folder.to_owned(), String::new())];
    while let Some((folder, prefix)) = waiting.pop() {
        let entries = std::fs::read_dir(&folder)
            .map_err(|e| format!("cannot read {}: {e}", folder.display()))?;
        for entry in entries.flatten() {
            let path = format!("{prefix}{}", entry.file_name().to_string_lossy());
            match entry.path().is_dir() {
                true => waiting.push((entry.path(), format!("{path}/"))),
                false => drop(found.insert(path, entry.path())),
            }
        }
    }
    Ok(found)
}

fn fresh(folder: &Path) -> Result<(), String> {
    if folder.exists() {
        std::fs::remove_dir_all(folder)
            .map_err(|e| format!("cannot remove {}: {e}", folder.display()))?;
    }
    std::fs::create_dir_all(folder).map_err(|e| format!("cannot make {}: {e}", folder.display()))
}

/// Copies a file, or all files below a folder.
fn copy(from: &Path, to: &Path) -> Result<(), String> {
    if from.is_file() {
        return write(to, &read(from)?);
    }
    files(from)?
        .into_iter()
        .try_for_each(|(path, place)| write(&to.join(path), &read(&place)?))
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|e| format!("cannot read {}: {e}", path.display()))
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    let folder = path.parent().unwrap_or(path);
    std::fs::create_dir_all(folder)
        .map_err(|e| format!("cannot make {}: {e}", folder.display()))?;
    std::fs::write(path, bytes).map_err(|e| format!("cannot write {}: {e}", path.display()))
}
