//! Embeds the built page in the program if the feature `site` is on. The files are in the folder
//! that `SWITCHYARD_SITE` names, or in `dist`, the output of `cargo dev build`.

use std::path::{Path, PathBuf};

fn main() {
    println!("cargo::rerun-if-env-changed=SWITCHYARD_SITE");
    let output = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"))
        .join("embedded_site.rs");
    let mut files = Vec::new();
    if std::env::var_os("CARGO_FEATURE_SITE").is_some() {
        let site = std::env::var_os("SWITCHYARD_SITE").map_or_else(
            || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../dist"),
            PathBuf::from,
        );
        println!("cargo::rerun-if-changed={}", site.display());
        assert!(
            site.join("index.html").is_file(),
            "the feature `site` needs a built page in {}: run `cargo dev build` first, or name its folder with SWITCHYARD_SITE",
            site.display()
        );
        collect_files(&site, "", &mut files);
    }
    files.sort();
    let mut text = String::from(
        "/// The page's files, by their paths.\nstatic EMBEDDED: &[(&str, &[u8])] = &[\n",
    );
    for (path, file) in &files {
        text.push_str(&format!(
            "    ({path:?}, include_bytes!({:?})),\n",
            file.display().to_string()
        ));
    }
    text.push_str("];\n");
    std::fs::write(&output, text).expect("OUT_DIR can be written");
}

/// Collects all files below a folder, except compressed copies. Pairs the path on the server with
/// the file.
fn collect_files(folder: &Path, prefix: &str, files: &mut Vec<(String, PathBuf)>) {
    for entry in std::fs::read_dir(folder)
        .expect("the page's folder can be read")
        .flatten()
    {
        let name = entry.file_name().to_string_lossy().into_owned();
        let file = entry
            .path()
            .canonicalize()
            .expect("the page's files can be read");
        if file.is_dir() {
            collect_files(&file, &format!("{prefix}{name}/"), files);
        } else if !name.ends_with(".br") && !name.ends_with(".gz") {
            files.push((format!("{prefix}{name}"), file));
        }
    }
}
