//! Finishes a page that trunk built: content hashes in the names of the worker's files, the page's
//! parts and the boot script, one style sheet, wasm without function names, and the list of files
//! that the service worker stores (`public/sw.js`).

use crate::files::{files_below, fingerprint, integrity, read, read_text, write};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

const BOOT_SCRIPT: &str = "boot.js";
/// The script that stores the page for offline use.
const SERVICE_WORKER: &str = "sw.js";
/// The script that removes a stored page.
const RETIRED_SERVICE_WORKER: &str = "sw-retired.js";
/// The build's part of the service worker is between these marks.
const BUILD_START: &str = "/* build */\n";
const BUILD_END: &str = "/* end of build */";
/// Length of a wasm module's magic number and version, in bytes.
const WASM_PREAMBLE: usize = 8;
/// Id of a wasm module's custom sections.
const CUSTOM_SECTION: u8 = 0;

struct StyleSheetLink {
    /// Range in the page, including the line break.
    range: Range<usize>,
    file: PathBuf,
}

/// Finishes the page in this folder. If `is_offline_capable`, a service worker stores it.
pub fn finish(dist: &Path, is_offline_capable: bool) -> Result<(), String> {
    let page = dist.join("index.html");
    let html = without_snippet_preloads(read_text(&page)?);
    let html = hash_worker_names(dist, &html)?;
    let html = hash_boot_address(dist, &html)?;
    name_parts(dist)?;
    let mut html = join_style_sheets(dist, html)?;
    if is_offline_capable {
        let attribute = format!(" data-offline=\"{SERVICE_WORKER}\"");
        html = add_boot_attributes(dist, &html, &attribute)?;
    }
    strip_function_names(dist)?;
    write(&page, html)?;
    // Last, because it lists the digests of all files.
    if is_offline_capable {
        list_files_in_service_worker(dist)
    } else {
        retire_service_worker(dist)
    }
}

/// Names the worker's files by their content hash, as trunk does for the page's, and puts the names
/// into the boot script, so that a page never loads the worker of another build from a cache.
fn hash_worker_names(dist: &Path, html: &str) -> Result<String, String> {
    let [script, wasm] = ["worker.js", "worker_bg.wasm"].map(|name| dist.join(name));
    let hash = fingerprint(&[read(&script)?, read(&wasm)?].concat());
    let names = [
        format!("worker-{hash:016x}.js"),
        format!("worker-{hash:016x}_bg.wasm"),
    ];
    for (from, name) in [script, wasm].iter().zip(&names) {
        std::fs::rename(from, dist.join(name))
            .map_err(|e| format!("cannot rename {}: {e}", from.display()))?;
    }
    let [script, wasm] = &names;
    let attributes = format!(" data-worker-js=\"{script}\" data-worker-wasm=\"{wasm}\"");
    add_boot_attributes(dist, html, &attributes)
}

/// Removes trunk's preloads of the parts: they are not scripts, and load later.
fn without_snippet_preloads(html: String) -> String {
    let tags = html.split_inclusive('>');
    tags.filter(|tag| !tag.contains("/snippets/")).collect()
}

/// Names each part of the page's program that its script loads by the program's hash, where
/// `boot.js` looks for it, and removes those of earlier builds.
fn name_parts(dist: &Path) -> Result<(), String> {
    let folder = dist.join("snippets");
    let files = files_below(dist, &[])?;
    let script = files
        .iter()
        .find(|(name, _)| name.starts_with("page-") && name.ends_with(".js"));
    let (Some((name, script)), true) = (script, folder.is_dir()) else {
        return Ok(());
    };
    let (program, script) = (name.trim_end_matches(".js"), read_text(script)?);
    for (name, path) in files_below(&folder.join("page"), &[])? {
        if script.contains(&format!("{:?}", name.trim_end_matches(".wasm"))) {
            write(&dist.join(format!("{program}-{name}")), read(&path)?)?;
        }
    }
    std::fs::remove_dir_all(&folder).map_err(|e| format!("cannot remove {}: {e}", folder.display()))
}

/// Adds the boot script's content hash to its address: a reloaded page may otherwise get the script
/// of an earlier build from the browser's cache. The file keeps its name.
fn hash_boot_address(dist: &Path, html: &str) -> Result<String, String> {
    let hash = fingerprint(&read(&dist.join(BOOT_SCRIPT))?);
    let start = html
        .find(BOOT_SCRIPT)
        .ok_or_else(|| format!("the page in {} does not name {BOOT_SCRIPT}", dist.display()))?;
    let (before, after) = html.split_at(start + BOOT_SCRIPT.len());
    Ok(format!("{before}?{hash:016x}{after}"))
}

fn add_boot_attributes(dist: &Path, html: &str, attributes: &str) -> Result<String, String> {
    let position = html
        .find(" data-js=")
        .ok_or_else(|| format!("the page in {} has no boot script", dist.display()))?;
    let (before, after) = html.split_at(position);
    Ok([before, attributes, after].concat())
}

/// Joins the style sheets in their order: one request, and better compression.
fn join_style_sheets(dist: &Path, mut html: String) -> Result<String, String> {
    let mut sheets = Vec::new();
    let mut first_start = None;
    while let Some(link) = first_style_sheet(&html) {
        first_start.get_or_insert(link.range.start);
        sheets.push(dist.join(link.file));
        html.replace_range(link.range, "");
    }
    let Some(start) = first_start else {
        return Err(format!("the page in {} has no style sheet", dist.display()));
    };
    let name = write_style_sheet(dist, &sheets)?;
    for sheet in &sheets {
        std::fs::remove_file(sheet)
            .map_err(|e| format!("cannot remove {}: {e}", sheet.display()))?;
    }
    html.insert_str(start, &style_sheet_tag(&name));
    Ok(html)
}

/// Replaces the page's style sheet by those of the sources, joined. Returns the name of the new
/// file.
pub fn restyle(dist: &Path, sheets: &[PathBuf]) -> Result<String, String> {
    let page = dist.join("index.html");
    let mut html = read_text(&page)?;
    let old = first_style_sheet(&html)
        .ok_or_else(|| format!("the page in {} has no style sheet", dist.display()))?;
    let name = write_style_sheet(dist, sheets)?;
    html.replace_range(old.range, &style_sheet_tag(&name));
    write(&page, html)?;
    if old.file != Path::new(&name) {
        // A leftover style sheet is harmless.
        let _ = std::fs::remove_file(dist.join(old.file));
    }
    Ok(name)
}

fn style_sheet_tag(name: &str) -> String {
    format!("<link rel=\"stylesheet\" href=\"./{name}\">\n")
}

/// Writes the sheets as one file, named by its content. Returns its name.
fn write_style_sheet(dist: &Path, sheets: &[PathBuf]) -> Result<String, String> {
    let mut joined = Vec::new();
    for sheet in sheets {
        joined.extend(read(sheet)?);
    }
    let name = format!("style-{:016x}.css", fingerprint(&joined));
    write(&dist.join(&name), joined)?;
    Ok(name)
}

/// Removes the function names from the wasm modules.
fn strip_function_names(dist: &Path) -> Result<(), String> {
    for (name, path) in files_below(dist, &[])? {
        if name.ends_with(".wasm")
            && let Some(stripped) = module_without_names(&read(&path)?)
        {
            write(&path, stripped)?;
        }
    }
    Ok(())
}

/// Returns the style sheets that `index.html` names for trunk, in order.
pub fn style_sheets_in(html: &str) -> Vec<&str> {
    html.split_inclusive('>')
        .filter(|tag: &&str| attribute(tag, "rel") == Some("css"))
        .filter_map(|tag| attribute(tag, "href"))
        .collect()
}

fn first_style_sheet(html: &str) -> Option<StyleSheetLink> {
    let mut searched = 0;
    loop {
        let start = searched + html[searched..].find("<link ")?;
        let mut end = start + html[start..].find('>')? + 1;
        let tag = &html[start..end];
        searched = end;
        if attribute(tag, "rel") != Some("stylesheet") {
            continue;
        }
        if html[end..].starts_with('\n') {
            end += 1;
        }
        return Some(StyleSheetLink {
            range: start..end,
            file: PathBuf::from(attribute(tag, "href")?.trim_start_matches("./")),
        });
    }
}

/// Returns the value of an attribute, quoted or not.
fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let (_, value) = tag.split_once(&format!(" {name}="))?;
    match value.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next(),
        None => value.split([' ', '>']).next(),
    }
}

/// Returns a copy of a module without the function names, which only debuggers read. `None` if it
/// has none or cannot be parsed.
fn module_without_names(module: &[u8]) -> Option<Vec<u8>> {
    let mut stripped = module.get(..WASM_PREAMBLE)?.to_vec();
    let mut start = WASM_PREAMBLE;
    while start < module.len() {
        let (size, content) = read_leb128(module, start + 1)?;
        let end = content
            .checked_add(size)
            .filter(|end| *end <= module.len())?;
        let is_custom = module[start] == CUSTOM_SECTION;
        if !is_custom || custom_section_name(&module[content..end])? != b"name" {
            stripped.extend_from_slice(&module[start..end]);
        }
        start = end;
    }
    (stripped.len() < module.len()).then_some(stripped)
}

fn custom_section_name(section: &[u8]) -> Option<&[u8]> {
    let (length, start) = read_leb128(section, 0)?;
    section.get(start..start.checked_add(length)?)
}

/// Reads an unsigned 32-bit number. Returns it with the offset after it.
fn read_leb128(bytes: &[u8], mut offset: usize) -> Option<(usize, usize)> {
    let mut value = 0usize;
    for shift in (0..35).step_by(7) {
        let byte = *bytes.get(offset)?;
        offset += 1;
        value |= usize::from(byte & 0x7f).checked_shl(shift)?;
        if byte < 0x80 {
            return Some((value, offset));
        }
    }
    None
}

/// Writes the list of a finished page's files into its service worker. The page itself has the
/// empty path.
fn list_files_in_service_worker(dist: &Path) -> Result<(), String> {
    let mut digests = BTreeMap::new();
    for (path, file) in files_below(dist, &[SERVICE_WORKER, RETIRED_SERVICE_WORKER])? {
        let path = if path == "index.html" {
            String::new()
        } else {
            path
        };
        digests.insert(path, integrity(&read(&file)?));
    }
    let path = dist.join(SERVICE_WORKER);
    let script = insert_digests(&read_text(&path)?, &digests)
        .ok_or_else(|| format!("{} has no marks of the build", path.display()))?;
    write(&path, script)
}

/// Replaces the service worker by the script that removes a stored page. During development, the
/// page must always come from the sources.
fn retire_service_worker(dist: &Path) -> Result<(), String> {
    let script = read(&dist.join(RETIRED_SERVICE_WORKER))?;
    write(&dist.join(SERVICE_WORKER), script)
}

/// Inserts the digests, by path, into the service worker; `None` if it lacks the marks of the
/// build.
fn insert_digests(script: &str, digests: &BTreeMap<String, String>) -> Option<String> {
    let start = script.find(BUILD_START)? + BUILD_START.len();
    let end = start + script[start..].find(BUILD_END)?;
    let list: String = digests
        .iter()
        .map(|(path, digest)| format!("  {path:?}: {digest:?},\n"))
        .collect();
    let build = fingerprint(list.as_bytes());
    Some(format!(
        "{}const BUILD = '{build:016x}';\nconst FILES = {{\n{list}}};\n{}",
        &script[..start],
        &script[end..]
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_read_with_and_without_quotes() {
        assert_eq!(
            attribute("<link rel=\"stylesheet\" href=\"./a.css\"/>", "href"),
            Some("./a.css")
        );
        assert_eq!(
            attribute("<link href=./a.css rel=stylesheet>", "rel"),
            Some("stylesheet")
        );
        assert_eq!(attribute("<link rel=icon>", "href"), None);
    }

    #[test]
    fn style_sheets_become_one_where_the_first_stood() {
        let dist = std::env::temp_dir().join(format!("switchyard-finish-{}", std::process::id()));
        std::fs::create_dir_all(&dist).unwrap();
        for (name, text) in [
            ("a-1.css", "a{}\n"),
            ("b-2.css", "b{}\n"),
            ("worker.js", "x"),
            ("worker_bg.wasm", "y"),
            ("boot.js", "z"),
        ]
        .into_iter()
        .chain([
            ("sw.js", "/* build */\n/* end of build */\n"),
            ("sw-retired.js", ""),
        ]) {
            std::fs::write(dist.join(name), text).unwrap();
        }
        let html = "<link rel=icon href=data:,>\n<link rel=stylesheet href=./a-1.css>\n\
            <link rel=\"stylesheet\" href=\"./b-2.css\" integrity=\"x\"/>\n<script src=boot.js data-js=p.js></script>\n";
        std::fs::write(dist.join("index.html"), html).unwrap();
        finish(&dist, true).unwrap();
        let finished = std::fs::read_to_string(dist.join("index.html")).unwrap();
        let mut files: Vec<String> = std::fs::read_dir(&dist)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| {
                !["index.html", "boot.js", "sw.js", "sw-retired.js"].contains(&name.as_str())
            })
            .collect();
        files.sort();
        let [style, script, wasm] = <[String; 3]>::try_from(files).unwrap();
        assert_eq!(
            std::fs::read_to_string(dist.join(&style)).unwrap(),
            "a{}\nb{}\n"
        );
        let kept = std::fs::read_to_string(dist.join("sw.js")).unwrap();
        std::fs::remove_dir_all(&dist).unwrap();
        let page = integrity(finished.as_bytes());
        assert!(
            kept.contains(&format!("  \"\": \"{page}\",\n")),
            "the page is kept as it is in the end: {kept}"
        );
        assert_eq!(
            finished,
            format!(
                "<link rel=icon href=data:,>\n<link rel=\"stylesheet\" href=\"./{style}\">\n\
                <script src=boot.js?{:016x} data-worker-js=\"{script}\" data-worker-wasm=\"{wasm}\" data-offline=\"sw.js\" data-js=p.js></script>\n",
                fingerprint(b"z")
            )
        );
    }

    #[test]
    fn only_the_name_section_is_removed() {
        let preamble = b"\0asm\x01\0\0\0";
        let code = [10u8, 2, 7, 7];
        let names = [&[0u8, 7][..], b"\x04name\x01\x02"].concat();
        let other = [&[0u8, 4][..], b"\x03abc"].concat();
        let module = [&preamble[..], &other, &code, &names, &other].concat();
        assert_eq!(
            module_without_names(&module),
            Some([&preamble[..], &other, &code, &other].concat())
        );
        assert_eq!(
            module_without_names(&[&preamble[..], &code].concat()),
            None,
            "there is nothing to drop"
        );
        assert_eq!(
            module_without_names(&module[..module.len() - 1]),
            None,
            "a cut module stays as it is"
        );
    }
}

#[cfg(test)]
mod offline_tests {
    use super::*;

    #[test]
    fn the_script_lists_all_other_files_of_the_build() {
        let dist = std::env::temp_dir().join(format!("switchyard-offline-{}", std::process::id()));
        std::fs::create_dir_all(dist.join("sample")).unwrap();
        let source =
            "// before\n/* build */\nconst BUILD = 'none';\n/* end of build */\n// after\n";
        for (name, text) in [
            ("index.html", ""),
            ("sw.js", source),
            ("sw-retired.js", "// gives up"),
            ("sample/a.yaml", "abc"),
        ] {
            std::fs::write(dist.join(name), text).unwrap();
        }
        list_files_in_service_worker(&dist).unwrap();
        let first = std::fs::read_to_string(dist.join("sw.js")).unwrap();
        let list = "const FILES = {\n  \"\": \"sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\",\n  \
            \"sample/a.yaml\": \"sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=\",\n};\n";
        assert!(
            first.starts_with("// before\n/* build */\nconst BUILD = '") && first.contains(list),
            "{first}"
        );
        assert!(first.ends_with("/* end of build */\n// after\n"));

        list_files_in_service_worker(&dist).unwrap();
        assert_eq!(
            std::fs::read_to_string(dist.join("sw.js")).unwrap(),
            first,
            "the same files, the same script"
        );
        std::fs::write(dist.join("sample/a.yaml"), "abd").unwrap();
        list_files_in_service_worker(&dist).unwrap();
        assert_ne!(std::fs::read_to_string(dist.join("sw.js")).unwrap(), first);

        retire_service_worker(&dist).unwrap();
        assert_eq!(
            std::fs::read_to_string(dist.join("sw.js")).unwrap(),
            "// gives up"
        );
        std::fs::remove_dir_all(&dist).unwrap();
    }
}
