//! Archives of every kind, made here, and what is refused of them.

use super::*;
use std::io::{Cursor, Write};
use std::ops::Range;
use std::rc::Rc;

/// Bytes in memory.
struct Memory;

#[derive(Clone)]
struct Part(Rc<Vec<u8>>, Range<usize>);

impl Part {
    fn new(bytes: Vec<u8>) -> Self {
        let all = 0..bytes.len();
        Self(Rc::new(bytes), all)
    }

    fn bytes(&self) -> &[u8] {
        &self.0[self.1.clone()]
    }
}

impl Store for Memory {
    type Bytes = Part;
    type Reader<'a> = Cursor<Vec<u8>>;

    fn open(&self, part: &Part) -> Cursor<Vec<u8>> {
        Cursor::new(part.bytes().to_vec())
    }

    fn size(&self, part: &Part) -> u64 {
        part.1.len() as u64
    }

    fn part(&self, Part(bytes, range): &Part, from: u64, len: u64) -> io::Result<Part> {
        let start = range.start + from as usize;
        let end = start + len as usize;
        if end > range.end { Err(io::Error::other("cut off")) } else { Ok(Part(bytes.clone(), start..end)) }
    }

    fn keep(&self, bytes: &mut dyn Read) -> io::Result<Part> {
        let mut all = Vec::new();
        bytes.read_to_end(&mut all)?;
        Ok(Part::new(all))
    }
}

fn tar(files: &[(&str, &str)]) -> Vec<u8> {
    let mut tar = tar::Builder::new(Vec::new());
    for (path, text) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(text.len() as u64);
        // Set by hand, since the library writes no path that leads out.
        header.as_old_mut().name[..path.len()].copy_from_slice(path.as_bytes());
        header.set_mode(0o644);
        header.set_cksum();
        tar.append(&header, text.as_bytes()).unwrap();
    }
    tar.into_inner().unwrap()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gz.write_all(bytes).unwrap();
    gz.finish().unwrap()
}

fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (path, bytes) in files {
        zip.start_file(*path, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn open(bytes: Vec<u8>) -> Result<(Packing, Vec<(String, String)>), String> {
    open_within(bytes, &Limits::default())
}

fn open_within(bytes: Vec<u8>, limits: &Limits) -> Result<(Packing, Vec<(String, String)>), String> {
    let unpacked = unpack(&Memory, &Part::new(bytes), limits).map_err(|refused| refused.to_string())?;
    let text =
        |part: Option<Part>| part.map_or("a link".to_owned(), |p| String::from_utf8(p.bytes().to_vec()).unwrap());
    Ok((unpacked.packing, unpacked.members.into_iter().map(|m| (m.path, text(m.bytes))).collect()))
}

fn files(list: &[(&str, &str)]) -> Vec<(String, String)> {
    list.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
}

const CATALOG: [(&str, &str); 2] = [("b/catalog.yaml", "schema: olm.package"), ("./a.json", "{}")];

#[test]
fn archives_are_known_by_name() {
    for (name, stem_of) in [("a.zip", "a"), ("a.b.TAR.GZ", "a.b"), ("c.tgz", "c"), ("d.tar", "d")] {
        assert_eq!(stem(name), Some(stem_of), "{name}");
    }
    for name in ["catalog.yaml", ".zip", "zip", "a.gz", "ä.tgx"] {
        assert_eq!(stem(name), None, "{name}");
    }
}

#[test]
fn each_packing_gives_the_files() {
    let told = files(&[("a.json", "{}"), ("b/catalog.yaml", "schema: olm.package")]);
    assert_eq!(open(tar(&CATALOG)), Ok((Packing::Tar, told.clone())));
    assert_eq!(open(gzip(&tar(&CATALOG))), Ok((Packing::TarGz, told.clone())));
    let zipped = CATALOG.map(|(path, text)| (path, text.as_bytes()));
    assert_eq!(open(zip(&zipped)), Ok((Packing::Zip, told)));
    assert_eq!(open(zip(&[])).unwrap_err(), "it holds no file");
}

#[test]
fn what_leads_out_is_refused() {
    for path in ["../x", "a/../../x", "/etc/passwd", "..\\x", "C:\\x"] {
        let refused = open(tar(&[("ok.yaml", ""), (path, "x")])).unwrap_err();
        assert!(refused.contains("leads out") && refused.contains(path), "{refused}");
        let refused = open(zip(&[(path, b"x")])).unwrap_err();
        assert!(refused.contains("leads out"), "{refused}");
    }
}

#[test]
fn bombs_end_at_a_limit() {
    let zeros = vec![0; 4 << 20];
    let strict = Limits { ratio: 20, matters: 1 << 20, ..Limits::default() };
    for bomb in [gzip(&zeros), zip(&[("a", &zeros)])] {
        let refused = open_within(bomb, &strict).unwrap_err();
        assert!(refused.contains("20 times"), "{refused}");
    }
    let few = Limits { files: 2, ..Limits::default() };
    let refused = open_within(tar(&[("a", ""), ("b", ""), ("c", "")]), &few).unwrap_err();
    assert!(refused.contains("2 files"), "{refused}");
    let small = Limits { file: 1 << 20, ..Limits::default() };
    let refused = open_within(zip(&[("a", &zeros[..(2 << 20)])]), &small).unwrap_err();
    assert!(refused.contains("1 MB in one file"), "{refused}");
    let little = Limits { total: 3 << 20, ..Limits::default() };
    let refused = open_within(zip(&[("a", &zeros[..(2 << 20)]), ("b", &zeros[..(2 << 20)])]), &little).unwrap_err();
    assert!(refused.contains("3 MB in all"), "{refused}");
}

#[test]
fn what_is_no_archive_is_refused_and_never_panics() {
    for text in ["", "schema: olm.package", "PK\u{3}\u{4}rest", "\u{1f}"] {
        let opened = open(text.as_bytes().to_vec());
        assert!(opened.is_err(), "{text}: {opened:?}");
    }
    let whole = gzip(&tar(&CATALOG));
    for end in 0..whole.len() {
        let _ = open(whole[..end].to_vec());
    }
    let whole = zip(&[("a", b"text"), ("b", b"more")]);
    for end in 0..whole.len() {
        assert!(open(whole[..end].to_vec()).is_err(), "cut at {end}");
    }
}

#[test]
fn links_are_what_they_name_or_nothing() {
    let mut builder = tar::Builder::new(Vec::new());
    let mut add = |path: &str, kind: tar::EntryType, target: &str, text: &str| {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(kind);
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        if target.is_empty() {
            builder.append_data(&mut header, path, text.as_bytes()).unwrap();
        } else {
            builder.append_link(&mut header, path, target).unwrap();
        }
    };
    add("v1/catalog.yaml", tar::EntryType::Regular, "", "one");
    add("v2/catalog.yaml", tar::EntryType::Symlink, "../v1/catalog.yaml", "");
    add("hard.yaml", tar::EntryType::Link, "v1/catalog.yaml", "");
    add("out.yaml", tar::EntryType::Symlink, "../../etc/passwd", "");
    let told =
        files(&[("hard.yaml", "one"), ("out.yaml", "a link"), ("v1/catalog.yaml", "one"), ("v2/catalog.yaml", "one")]);
    assert_eq!(open(builder.into_inner().unwrap()), Ok((Packing::Tar, told)));
}

#[test]
fn images_give_their_configs_layer_upon_layer() {
    let base = tar(&[("etc/passwd", "root"), ("configs/a/catalog.yaml", "old"), ("configs/b/catalog.yaml", "gone")]);
    let next = gzip(&tar(&[("configs/a/catalog.yaml", "new"), ("configs/.wh.b", ""), ("configs/c.yaml", "c")]));
    let text = |bytes: &[u8]| -> String { bytes.iter().map(|&b| b as char).collect() };
    let told = files(&[("configs/a/catalog.yaml", "new"), ("configs/c.yaml", "c")]);

    let mut docker = tar::Builder::new(Vec::new());
    let mut add = |path: &str, bytes: &[u8]| {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        docker.append_data(&mut header, path, bytes).unwrap();
    };
    add("manifest.json", br#"[{"Config":"c.json","Layers":["1/layer.tar","2/layer.tar"]}]"#);
    add("1/layer.tar", &base);
    add("2/layer.tar", &next);
    assert_eq!(open(docker.into_inner().unwrap()), Ok((Packing::Tar, told.clone())));

    let mut oci = tar::Builder::new(Vec::new());
    let mut add = |path: &str, bytes: &[u8]| {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        oci.append_data(&mut header, path, bytes).unwrap();
    };
    add("oci-layout", br#"{"imageLayoutVersion":"1.0.0"}"#);
    add("index.json", br#"{"manifests":[{"digest":"sha256:aa"}]}"#);
    add("blobs/sha256/aa", br#"{"manifests":[{"digest":"sha256:bb"}]}"#);
    add("blobs/sha256/bb", br#"{"layers":[{"digest":"sha256:11"},{"digest":"sha256:22"}]}"#);
    add("blobs/sha256/11", &base);
    add("blobs/sha256/22", &next);
    assert_eq!(open(oci.into_inner().unwrap()), Ok((Packing::Tar, told)));

    let refused = |layer: &[u8]| {
        let layer = text(layer);
        open(tar(&[("manifest.json", r#"[{"Layers":["l"]}]"#), ("l", layer.as_str())])).unwrap_err()
    };
    assert!(refused(&tar(&[("etc/passwd", "root")])).contains("no `/configs`"));
    let missing = open(tar(&[("manifest.json", r#"[{"Layers":["l"]}]"#)])).unwrap_err();
    assert!(missing.contains("layer `l` is not in it"), "{missing}");
}
