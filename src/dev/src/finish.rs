//! Finishes a page that trunk built: content hashes in the names of the worker's files and the boot script, one style
//! sheet, wasm without function names, and the list of files that the service worker stores (`public/sw.js`).

use crate::files::{files_below, fingerprint, integrity, read, read_text, write};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const BOOT: &str = "boot.js";

/// Finishes the page in this folder. `is_kept`: a service worker keeps it for offline use.
pub(crate) fn site(dist: &Path, is_kept: bool) -> Result<(), String> {
    let page = dist.join("index.html");
    let html = read_text(&page)?;
    let html = with_one_style_sheet(
        dist,
        &with_named_boot(dist, &with_named_worker(dist, &html)?)?,
    )?;
    let html = if is_kept {
        with_boot_attributes(&html, &format!(" data-offline=\"{}\"", KEEPS))
    } else {
        Some(html)
    };
    let html = html.ok_or_else(|| format!("the page in {} has no boot script", dist.display()))?;
    without_names(dist)?;
    write(&page, html)?;
    // Last, because it lists the digests of all files.
    if is_kept { keep(dist) } else { give_up(dist) }
}

/// Names the worker's files by their content hash, as trunk does for the page's, and puts the names into the boot
/// script, so that a page never loads the worker of another build from a cache.
fn with_named_worker(dist: &Path, html: &str) -> Result<String, String> {
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
    with_boot_attributes(
        html,
        &format!(" data-worker-js=\"{script}\" data-worker-wasm=\"{wasm}\""),
    )
    .ok_or_else(|| format!("the page in {} has no boot script", dist.display()))
}

/// Adds the boot script's content hash to its address: a reloaded page may otherwise get the script of an earlier build
/// from the browser's cache. The file keeps its name.
fn with_named_boot(dist: &Path, html: &str) -> Result<String, String> {
    let hash = fingerprint(&read(&dist.join(BOOT))?);
    let at = html
        .find(BOOT)
        .ok_or_else(|| format!("the page in {} does not name {BOOT}", dist.display()))?;
    let behind = at + BOOT.len();
    Ok(format!(
        "{}?{hash:016x}{}",
        &html[..behind],
        &html[behind..]
    ))
}

/// Adds attributes to the boot script. `None` if the page has none.
fn with_boot_attributes(html: &str, attributes: &str) -> Option<String> {
    let at = html.find(" data-js=")?;
    Some([&html[..at], attributes, &html[at..]].concat())
}

/// Joins the style sheets in their order: one request, and better compression.
fn with_one_style_sheet(dist: &Path, html: &str) -> Result<String, String> {
    let (mut rest, mut sheets) = (html.to_owned(), Vec::new());
    let mut first = None;
    while let Some((from, to, name)) = style_sheet(&rest) {
        first.get_or_insert(from);
        sheets.push(dist.join(name));
        rest.replace_range(from..to, "");
    }
    let Some(at) = first else {
        return Err(format!("the page in {} has no style sheet", dist.display()));
    };
    let name = one_style_sheet(dist, &sheets)?;
    for sheet in &sheets {
        std::fs::remove_file(sheet)
            .map_err(|e| format!("cannot remove {}: {e}", sheet.display()))?;
    }
    rest.insert_str(at, &link(&name));
    Ok(rest)
}

/// Replaces the page's style sheet by those of the sources. Returns the new one's name.
pub(crate) fn restyle(dist: &Path, sheets: &[PathBuf]) -> Result<String, String> {
    let page = dist.join("index.html");
    let mut html = read_text(&page)?;
    let (from, to, before) = style_sheet(&html)
        .ok_or_else(|| format!("the page in {} has no style sheet", dist.display()))?;
    let name = one_style_sheet(dist, sheets)?;
    html.replace_range(from..to, &link(&name));
    write(&page, html)?;
    if before != Path::new(&name) {
        // A leftover style sheet is harmless.
        let _ = std::fs::remove_file(dist.join(before));
    }
    Ok(name)
}

fn link(name: &str) -> String {
    format!("<link rel=\"stylesheet\" href=\"./{name}\">\n")
}

/// Writes the sheets as one file, named by its content. Returns its name.
fn one_style_sheet(dist: &Path, sheets: &[PathBuf]) -> Result<String, String> {
    let mut whole = Vec::new();
    for sheet in sheets {
        whole.extend(read(sheet)?);
    }
    let name = format!("style-{:016x}.css", fingerprint(&whole));
    write(&dist.join(&name), whole)?;
    Ok(name)
}

fn without_names(dist: &Path) -> Result<(), String> {
    for (name, path) in files_below(dist, &[])? {
        if name.ends_with(".wasm")
            && let Some(shorter) = module_without_names(&read(&path)?)
        {
            write(&path, shorter)?;
        }
    }
    Ok(())
}

/// Returns the style sheets that `index.html` names for trunk, in order.
pub(crate) fn style_sheets_named(html: &str) -> Vec<&str> {
    html.split_inclusive('>')
        .filter(|tag: &&str| attribute(tag, "rel") == Some("css"))
        .filter_map(|tag| attribute(tag, "href"))
        .collect()
}

/// Returns the position of the first link to a style sheet, including its line break, and the name of its file.
fn style_sheet(html: &str) -> Option<(usize, usize, PathBuf)> {
    let mut before = 0;
    loop {
        let from = before + html[before..].find("<link ")?;
        let mut to = from + html[from..].find('>')? + 1;
        let tag = &html[from..to];
        before = to;
        if attribute(tag, "rel") != Some("stylesheet") {
            continue;
        }
        if html[to..].starts_with('\n') {
            to += 1;
        }
        return Some((
            from,
            to,
            PathBuf::from(attribute(tag, "href")?.trim_start_matches("./")),
        ));
    }
}

/// Returns the value of an attribute, quoted or not.
fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let at = tag.find(&format!(" {name}="))? + name.len() + 2;
    match tag[at..].strip_prefix('"') {
        Some(quoted) => quoted.split('"').next(),
        None => tag[at..].split([' ', '>']).next(),
    }
}

const PREAMBLE: usize = 8;
const CUSTOM: u8 = 0;

/// Removes the function names from a module, which only debuggers read. `None` if it has none or cannot be parsed; it
/// then stays unchanged.
fn module_without_names(module: &[u8]) -> Option<Vec<u8>> {
    let mut kept = module.get(..PREAMBLE)?.to_vec();
    let mut at = PREAMBLE;
    while at < module.len() {
        let (size, body) = number(module, at + 1)?;
        let end = body.checked_add(size).filter(|end| *end <= module.len())?;
        if module[at] != CUSTOM || custom_name(&module[body..end])? != b"name" {
            kept.extend_from_slice(&module[at..end]);
        }
        at = end;
    }
    (kept.len() < module.len()).then_some(kept)
}

fn custom_name(section: &[u8]) -> Option<&[u8]> {
    let (length, at) = number(section, 0)?;
    section.get(at..at.checked_add(length)?)
}

/// Reads an unsigned LEB128 number; also returns the offset after it.
fn number(bytes: &[u8], mut at: usize) -> Option<(usize, usize)> {
    let mut value = 0usize;
    for shift in (0..35).step_by(7) {
        let byte = *bytes.get(at)?;
        at += 1;
        value |= usize::from(byte & 0x7f).checked_shl(shift)?;
        if byte < 0x80 {
            return Some((value, at));
        }
    }
    None
}

/// The script that stores the page, and the one that removes a stored page.
pub(crate) const KEEPS: &str = "sw.js";
const GIVES_UP: &str = "sw-retired.js";
const FROM: &str = "/* build */\n";
const TO: &str = "/* end of build */";

/// Writes the list of a finished page's files into its service worker. The page itself has the empty path.
pub(crate) fn keep(dist: &Path) -> Result<(), String> {
    let mut digests = BTreeMap::new();
    for (path, file) in files_below(dist, &[KEEPS, GIVES_UP])? {
        let path = if path == "index.html" {
            String::new()
        } else {
            path
        };
        digests.insert(path, integrity(&read(&file)?));
    }
    let place = dist.join(KEEPS);
    let script = with_files(&read_text(&place)?, &digests)
        .ok_or_else(|| format!("{} has no marks of the build", place.display()))?;
    write(&place, script)
}

/// Replaces the script by the one that removes a stored page: during development, the page must always come from the
/// sources.
pub(crate) fn give_up(dist: &Path) -> Result<(), String> {
    write(&dist.join(KEEPS), read(&dist.join(GIVES_UP))?)
}

/// Inserts these files, by path, into the script; `None` if the script has no place for them.
fn with_files(script: &str, files: &BTreeMap<String, String>) -> Option<String> {
    let from = script.find(FROM)? + FROM.len();
    let to = from + script[from..].find(TO)?;
    let list: String = files
        .iter()
        .map(|(path, digest)| format!("  {path:?}: {digest:?},\n"))
        .collect();
    let build = fingerprint(list.as_bytes());
    Some(format!(
        "{}const BUILD = '{build:016x}';\nconst FILES = {{\n{list}}};\n{}",
        &script[..from],
        &script[to..]
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
        site(&dist, true).unwrap();
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
    fn only_the_names_go() {
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
    fn the_script_names_all_files_of_the_build_but_itself() {
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
        keep(&dist).unwrap();
        let first = std::fs::read_to_string(dist.join("sw.js")).unwrap();
        let list = "const FILES = {\n  \"\": \"sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\",\n  \
            \"sample/a.yaml\": \"sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=\",\n};\n";
        assert!(
            first.starts_with("// before\n/* build */\nconst BUILD = '") && first.contains(list),
            "{first}"
        );
        assert!(first.ends_with("/* end of build */\n// after\n"));

        keep(&dist).unwrap();
        assert_eq!(
            std::fs::read_to_string(dist.join("sw.js")).unwrap(),
            first,
            "the same files, the same script"
        );
        std::fs::write(dist.join("sample/a.yaml"), "abd").unwrap();
        keep(&dist).unwrap();
        assert_ne!(std::fs::read_to_string(dist.join("sw.js")).unwrap(), first);

        give_up(&dist).unwrap();
        assert_eq!(
            std::fs::read_to_string(dist.join("sw.js")).unwrap(),
            "// gives up"
        );
        std::fs::remove_dir_all(&dist).unwrap();
    }
}
