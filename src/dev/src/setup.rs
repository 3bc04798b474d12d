//! Sets up missing tools, each step with its reason; finished steps are skipped.

use crate::files::{files_below, fingerprint, read, write};
use crate::run::{
    BuildTools, TRUNK, WASM_TARGET, cache_folder, cargo, find_program, output, path_with, project,
    run, run_within, say,
};
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Time limit for a download by rustup.
const RUSTUP_LIMIT: Duration = Duration::from_secs(120);
/// Time limit for the download of a browser.
const BROWSER_LIMIT: Duration = Duration::from_secs(300);
/// Debian's packages with a compiler for wasm.
const DEBIAN_WASM_PACKAGES: [&str; 5] = [
    "rustc-web",
    "cargo-web",
    "rust-web-src",
    "rust-web-llvm",
    "lld-22",
];
/// A crate without code. Building it builds the standard library.
const WASM_STD_MANIFEST: &str = "\
[package]
name = \"wasm-std\"
version = \"0.0.0\"
edition = \"2021\"
[workspace]
[profile.release]
panic = \"abort\"
";
/// The package of the `wasm-bindgen` that trunk runs.
const BINDGEN: &str = "src/bindgen";
/// Cargo's settings for building tools. They run for seconds, so optimizing them fully would never
/// pay off.
const TOOL_PROFILE: [(&str, &str); 3] = [
    ("CARGO_PROFILE_RELEASE_LTO", "off"),
    ("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16"),
    ("CARGO_PROFILE_RELEASE_STRIP", "true"),
];

/// Sets up the tools for building the page: the wasm target, trunk, wasm-bindgen.
pub fn all_for_build() -> Result<BuildTools, String> {
    let mut tools = wasm_compiler()?;
    // Trunk fetches and serves nothing here; without TLS, it needs no C library. It only starts the
    // other tools, which need no less time if it is optimized.
    let trunk = ["trunk", "--version", TRUNK, "--no-default-features"];
    tools.path.push(install_tool("trunk", TRUNK, &trunk, "0")?);
    let sources = files_below(&project().join(BINDGEN), &[])?;
    let sources: Result<Vec<_>, _> = sources.into_values().map(|file| read(&file)).collect();
    let version = format!("{:016x}", fingerprint(&sources?.concat()));
    let bindgen = ["--path", BINDGEN];
    tools
        .path
        .push(install_tool("wasm-bindgen", &version, &bindgen, "1")?);
    Ok(tools)
}

/// Sets up the test runner's packages and a browser for the journeys. Returns the browser's path.
pub fn all_for_browser() -> Result<PathBuf, String> {
    journey_packages()?;
    chromium()
}

/// Sets up the packages of the journeys and links them into `tests/e2e`. Returns their folder.
pub fn journey_packages() -> Result<PathBuf, String> {
    let modules = node_modules()?;
    link_node_modules(&modules)?;
    Ok(modules)
}

/// Adds rustfmt and clippy, for the checks.
pub fn components() {
    for (component, program) in [("rustfmt", "rustfmt"), ("clippy", "cargo-clippy")] {
        if output(Command::new(program).arg("--version")).is_none() {
            say(&format!(
                "adding the Rust component {component}, for the checks"
            ));
            run_within(
                Command::new("rustup").args(["component", "add", component]),
                RUSTUP_LIMIT,
            );
        }
    }
}

/// Sets up a compiler for wasm: rustup's, or Debian's with a library built from its source.
pub fn wasm_compiler() -> Result<BuildTools, String> {
    let plain = BuildTools {
        path: Vec::new(),
        env: Vec::new(),
    };
    if has_wasm_library(Command::new("rustc").current_dir(project())) {
        return Ok(plain);
    }
    say(&format!(
        "adding the Rust target {WASM_TARGET}, for the page (rustup, at most two minutes)"
    ));
    if run_within(
        Command::new("rustup")
            .args(["target", "add", WASM_TARGET])
            .current_dir(project()),
        RUSTUP_LIMIT,
    ) && has_wasm_library(Command::new("rustc").current_dir(project()))
    {
        return Ok(plain);
    }
    debian_wasm_compiler()
}

fn has_wasm_library(rustc: &mut Command) -> bool {
    let args = ["--print", "target-libdir", "--target", WASM_TARGET];
    let Some(dir) = output(rustc.args(args)) else {
        return false;
    };
    let Ok(files) = std::fs::read_dir(dir.trim()) else {
        return false;
    };
    files
        .flatten()
        .any(|file| file.file_name().to_string_lossy().starts_with("libcore-"))
}

/// Sets up Debian's compiler for the wasm build only, with the library built once from Debian's
/// source package.
fn debian_wasm_compiler() -> Result<BuildTools, String> {
    let hint = format!(
        "rustup could not add the target {WASM_TARGET}: check the network, or run `rustup target add {WASM_TARGET}` yourself and try again"
    );
    if find_program("apt-get").is_none() {
        return Err(hint);
    }
    let tools = BuildTools {
        path: vec![PathBuf::from("/usr/bin")],
        env: vec![
            ("RUSTC", "/usr/bin/rustc".into()),
            ("CARGO", "/usr/bin/cargo".into()),
            // The two compilers would rebuild each other's work in one folder.
            (
                "CARGO_TARGET_DIR",
                project().join("target/debian-wasm").display().to_string(),
            ),
        ],
    };
    if has_wasm_library(&mut Command::new("/usr/bin/rustc")) {
        return Ok(tools);
    }
    say(&format!(
        "rustup could not add the target: installing Debian's Rust for the wasm build ({})",
        DEBIAN_WASM_PACKAGES.join(", ")
    ));
    apt_install(&DEBIAN_WASM_PACKAGES).map_err(|e| format!("{e} {hint}"))?;
    build_wasm_library(&hint)?;
    if has_wasm_library(&mut Command::new("/usr/bin/rustc")) {
        Ok(tools)
    } else {
        Err(hint)
    }
}

/// Builds the wasm standard library with Debian's compiler, and installs it where the compiler
/// finds it.
fn build_wasm_library(hint: &str) -> Result<(), String> {
    say("building the wasm standard library from Debian's source, once");
    let crate_dir = cache_folder()?.join("wasm-std");
    write(&crate_dir.join("Cargo.toml"), WASM_STD_MANIFEST)?;
    write(&crate_dir.join("src/lib.rs"), "")?;
    run(
        Command::new("/usr/bin/cargo")
            .args([
                "build",
                "--release",
                "-Z",
                "build-std=std,panic_abort",
                "--target",
                WASM_TARGET,
            ])
            .current_dir(&crate_dir)
            .env("PATH", path_with(&[PathBuf::from("/usr/bin")]))
            .env("RUSTC", "/usr/bin/rustc")
            .env("RUSTFLAGS", "-Cembed-bitcode=yes")
            .env("RUSTC_BOOTSTRAP", "1")
            .env_remove("CARGO_TARGET_DIR"),
        hint,
    )?;
    let from = crate_dir
        .join("target")
        .join(WASM_TARGET)
        .join("release/deps");
    let to = Path::new("/usr/lib/rustlib").join(WASM_TARGET).join("lib");
    for (name, file) in files_below(&from, &[])? {
        if name.ends_with(".rlib") && !name.starts_with("libwasm_std-") {
            write(&to.join(&name), read(&file)?).map_err(|e| format!("{e}. {hint}"))?;
        }
    }
    Ok(())
}

/// Returns the folder of a tool of exactly this version: an installed one, or one that cargo builds
/// from `source` into the cache.
fn install_tool(
    name: &str,
    version: &str,
    source: &[&str],
    opt_level: &str,
) -> Result<PathBuf, String> {
    let root = cache_folder()?.join(format!("{name}-{version}"));
    if !root.join("bin").join(name).is_file() {
        if let Some(folder) = folder_on_path(name, version) {
            return Ok(folder);
        }
        say(&format!(
            "building {name} into {} (a few minutes, once)",
            root.display()
        ));
        run(
            cargo()
                .args(["install", "--locked", "--root"])
                .arg(&root)
                .args(source)
                .env("CARGO_TARGET_DIR", root.join("target"))
                .envs(TOOL_PROFILE)
                .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", opt_level)
                .env_remove("RUSTFLAGS"),
            "It is built from crates.io and needs a C compiler and a network; run `cargo dev setup` again.",
        )?;
        // Only the program is needed from now on. A leftover folder only costs space.
        let _ = std::fs::remove_dir_all(root.join("target"));
    }
    Ok(root.join("bin"))
}

/// Returns the folder of a program on the PATH that reports this version.
fn folder_on_path(program: &str, version: &str) -> Option<PathBuf> {
    let found = find_program(program)?;
    let reported = output(Command::new(&found).arg("--version"))?;
    if !reported.split_whitespace().any(|word| word == version) {
        return None;
    }
    found.parent().map(Path::to_path_buf)
}

/// Installs the packages of `tests/e2e/package-lock.json` (Playwright, axe, Puppeteer, TypeScript),
/// once for each version of that file. Returns their folder.
pub fn node_modules() -> Result<PathBuf, String> {
    let e2e = project().join("tests/e2e");
    let [package, lock] = ["package.json", "package-lock.json"].map(|name| read(&e2e.join(name)));
    let (package, lock) = (package?, lock?);
    let dir = cache_folder()?.join(format!("npm-{:016x}", fingerprint(&lock)));
    let completion_mark = dir.join("node_modules/.package-lock.json");
    if !completion_mark.is_file() {
        say(&format!(
            "installing Playwright, axe, Puppeteer and TypeScript from npm into {}",
            dir.display()
        ));
        write(&dir.join("package.json"), package)?;
        write(&dir.join("package-lock.json"), lock)?;
        run(
            Command::new("npm")
                .args(["ci", "--no-audit", "--no-fund"])
                .current_dir(&dir)
                .env("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1"),
            "Node 20 or newer with npm and a network are needed; install Node and run `cargo dev setup` again.",
        )?;
    }
    Ok(dir.join("node_modules"))
}

/// Links the packages into `tests/e2e`, where the journeys find them, so that the checkout contains
/// no copy.
fn link_node_modules(target: &Path) -> Result<(), String> {
    let link = project().join("tests/e2e/node_modules");
    if std::fs::read_link(&link).is_ok_and(|to| to == target) {
        return Ok(());
    }
    if link.is_symlink() {
        std::fs::remove_file(&link)
            .map_err(|e| format!("cannot replace the link {}: {e}", link.display()))?;
    } else if link.exists() {
        // Keep a folder that the user installed there; it works as well.
        return Ok(());
    }
    #[cfg(unix)]
    let result = std::os::unix::fs::symlink(target, &link);
    #[cfg(windows)]
    let result = std::os::windows::fs::symlink_dir(target, &link);
    result.map_err(|e| {
        format!(
            "cannot link {} to {}: {e}",
            link.display(),
            target.display()
        )
    })
}

/// Finds or installs a Chromium: the one named by `SWITCHYARD_CHROMIUM`, an installed one,
/// Playwright's own, or Debian's.
fn chromium() -> Result<PathBuf, String> {
    if let Some(program) = std::env::var_os("SWITCHYARD_CHROMIUM") {
        return Ok(PathBuf::from(program));
    }
    if let Some(program) = installed_chromium() {
        return Ok(program);
    }
    say("no Chromium found: asking Playwright for its own (at most five minutes)");
    let cli = node_modules()?.join(".bin/playwright");
    let browsers = cache_folder()?.join("browsers");
    if run_within(
        Command::new(cli)
            .args(["install", "chromium"])
            .env("PLAYWRIGHT_BROWSERS_PATH", browsers),
        BROWSER_LIMIT,
    ) && let Some(program) = installed_chromium()
    {
        return Ok(program);
    }
    say("Playwright could not fetch one: installing Debian's package chromium");
    apt_install(&["chromium", "fonts-dejavu-core"])?;
    installed_chromium().ok_or_else(|| {
        "no Chromium could be had: install one and name it in SWITCHYARD_CHROMIUM".into()
    })
}

fn installed_chromium() -> Option<PathBuf> {
    [
        "chromium",
        "chromium-browser",
        "google-chrome",
        "google-chrome-stable",
    ]
    .iter()
    .find_map(|name| find_program(name))
    .or_else(playwright_chromium)
}

/// Finds or installs the second engine, for the journeys that run in two engines: the Firefox named
/// by `SWITCHYARD_FIREFOX`, an installed one, or Debian's. Playwright's own lacks the protocol that
/// drives the journeys.
pub fn firefox() -> Option<PathBuf> {
    find_or_install_engine("SWITCHYARD_FIREFOX", "Firefox", &["firefox-esr"], || {
        ["firefox-esr", "firefox"]
            .iter()
            .find_map(|name| find_program(name))
    })
}

/// Finds or installs the third engine, for a journey of the release checks: the driver named by
/// `SWITCHYARD_WEBKIT`, an installed one, or Debian's, with the screen that it needs.
pub fn webkit() -> Option<PathBuf> {
    let packages = ["webkit2gtk-driver", "xvfb"];
    find_or_install_engine("SWITCHYARD_WEBKIT", "WebKit", &packages, || {
        find_program("Xvfb").and_then(|_| find_program("WebKitWebDriver"))
    })
}

/// Finds an engine with `find`, or installs Debian's packages. Without it, its journeys are
/// reported as skipped.
fn find_or_install_engine(
    variable: &str,
    name: &str,
    packages: &[&str],
    find: impl Fn() -> Option<PathBuf>,
) -> Option<PathBuf> {
    let configured = std::env::var_os(variable).map(PathBuf::from);
    if let Some(program) = configured.or_else(&find) {
        return Some(program);
    }
    say(&format!(
        "no {name} found: installing Debian's {}",
        packages.join(" and ")
    ));
    if let Err(message) = apt_install(packages) {
        say(&format!(
            "NO {name}: its journeys are skipped ({message}). Install one, or name it in {variable}."
        ));
    }
    find()
}

fn playwright_chromium() -> Option<PathBuf> {
    let browsers = cache_folder().ok()?.join("browsers");
    let dirs = std::fs::read_dir(browsers)
        .ok()?
        .flatten()
        .filter(|d| d.file_name().to_string_lossy().starts_with("chromium-"));
    dirs.map(|d| d.path().join("chrome-linux/chrome"))
        .find(|p| p.is_file())
}

fn apt_install(packages: &[&str]) -> Result<(), String> {
    let hint = "Run it as root, or install these packages yourself.";
    if find_program("apt-get").is_none() {
        return Err(format!(
            "there is no apt-get here to install {}.",
            packages.join(" ")
        ));
    }
    if !may_install(packages) {
        return Err(format!("{} was not installed. {hint}", packages.join(" ")));
    }
    let needs_sudo = output(Command::new("id").arg("-u")).is_some_and(|id| id.trim() != "0")
        && find_program("sudo").is_some();
    let apt_get = || {
        let mut command = Command::new(if needs_sudo { "sudo" } else { "apt-get" });
        if needs_sudo {
            command.args(["-n", "apt-get"]);
        }
        command.env("DEBIAN_FRONTEND", "noninteractive");
        command
    };
    run(apt_get().args(["-qq", "update"]), hint)?;
    run(
        apt_get()
            .args(["-qq", "install", "-y", "--no-install-recommends"])
            .args(packages),
        hint,
    )
}

/// Asks the user at a terminal whether to install the packages. Without a terminal, as in CI,
/// starting the command counts as consent.
fn may_install(packages: &[&str]) -> bool {
    if !std::io::stdin().is_terminal() {
        return true;
    }
    print!("Install {} with apt-get? [Y/n] ", packages.join(" "));
    let mut answer = String::new();
    // A closed terminal is not consent.
    let is_answered = std::io::stdout().flush().is_ok()
        && std::io::stdin().read_line(&mut answer).is_ok_and(|n| n > 0);
    is_answered && ["", "y", "yes"].contains(&answer.trim().to_lowercase().as_str())
}
