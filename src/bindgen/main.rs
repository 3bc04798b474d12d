//! The `wasm-bindgen` that trunk runs. It takes a program's lazy parts out (functions marked
//! `#[wasm_split]`), before it generates the script of the rest. The script also links the parts,
//! so that it imports nothing: a worker starts from a blob, which resolves no imports.
//!
//! Parts are written to `snippets/NAME` below the output folder, which trunk copies. The script
//! gets them from `switchyard.part(FILE)`, a promise of a compiled module.

use std::error::Error;
use std::fs;
use std::path::Path;
use wasm_bindgen_cli_support::Bindgen;
use wasm_split_cli_support::{Options, transform};

const LINK_SCRIPT: &str = "./parts.js";

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if args.iter().any(|arg| arg == "--version") {
        println!("wasm-bindgen {}", env!("CARGO_PKG_VERSION"));
        return Ok(());
    }
    let value = |option: &str| args.iter().find_map(|arg| arg.strip_prefix(option));
    let (Some(out_dir), Some(name), Some(input)) = (
        value("--out-dir="),
        value("--out-name="),
        args.iter().find(|arg| !arg.starts_with('-')),
    ) else {
        return Err("usage: wasm-bindgen --out-dir=DIR --out-name=NAME PROGRAM.wasm".into());
    };
    generate(Path::new(out_dir), name, &fs::read(input)?)
}

fn generate(out_dir: &Path, name: &str, program: &[u8]) -> Result<(), Box<dyn Error>> {
    let mut bindgen = Bindgen::new();
    bindgen.out_name(name).typescript(false).web(true)?;
    if !has_parts(program) {
        return Ok(bindgen
            .input_bytes(name, program.to_vec())
            .generate(out_dir)?);
    }
    let parts_dir = out_dir.join("snippets").join(name);
    fs::create_dir_all(&parts_dir)?;
    let rest = parts_dir.join("rest");
    let mut options = Options::new(program);
    options.output_dir = &parts_dir;
    options.main_out_path = &rest;
    options.link_name = LINK_SCRIPT;
    transform(options).map_err(|error| format!("{name} cannot be split: {error:#}"))?;
    // The parts import the linker's function table.
    bindgen
        .keep_lld_exports(true)
        .input_bytes(name, fs::read(&rest)?)
        .generate(out_dir)?;
    let link_script = parts_dir.join(LINK_SCRIPT);
    let script = out_dir.join(format!("{name}.js"));
    let bundled = bundle(
        &fs::read_to_string(&script)?,
        &fs::read_to_string(&link_script)?,
    )?;
    fs::write(script, bundled)?;
    fs::remove_file(rest)?;
    Ok(fs::remove_file(link_script)?)
}

/// Whether a program imports the loader of a part.
fn has_parts(program: &[u8]) -> bool {
    let import = b"__wasm_split_load_";
    program.windows(import.len()).any(|bytes| bytes == import)
}

/// Puts the script that links the parts in front of the program's script, which imports it.
fn bundle(script: &str, link_script: &str) -> Result<String, String> {
    let mut loaders = Vec::new();
    let mut linking = String::new();
    for line in link_script.lines() {
        if let Some(definition) = line.strip_prefix("export const ") {
            let (loader, _) = definition.split_once(' ').unwrap_or((definition, ""));
            loaders.push(loader);
            linking.push_str("const ");
            linking.push_str(definition);
        } else if let Some(file) = between(line, "fetch(new URL(\"./", ".wasm\", import.meta.url))")
        {
            linking.push_str(&format!("const src = switchyard.part({file:?});"));
        } else if !line.starts_with("import ") {
            linking.push_str(&line.replace(
                "WebAssembly.instantiateStreaming(src, imports)",
                "WebAssembly.instantiate(await src, imports)",
            ));
        }
        linking.push('\n');
    }
    let mut rest = String::new();
    for line in script.lines() {
        if let Some(import) = between(line, "import * as ", &format!(" from {LINK_SCRIPT:?}")) {
            rest.push_str(&format!("const {import} = {{ {} }};", loaders.join(", ")));
        } else {
            rest.push_str(line);
        }
        rest.push('\n');
    }
    let bundled = linking + &rest;
    if ["import.meta", "\nimport ", "instantiateStreaming(src"]
        .iter()
        .any(|left| bundled.contains(left))
    {
        return Err("the generated scripts have another form than this program knows".to_owned());
    }
    Ok(bundled)
}

fn between<'a>(line: &'a str, before: &str, after: &str) -> Option<&'a str> {
    let (_, rest) = line.split_once(before)?;
    Some(rest.split_once(after)?.0)
}
