//! Archives of every format, and refusals.

use super::*;
use std::io::{Cursor, Write};

fn tar(files: &[(&str, &str)]) -> Vec<u8> {
    let mut tar = tar::Builder::new(Vec::new());
    for (path, text) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(text.len() as u64);
        // Set manually, since the library writes no path that leads outside.
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
        zip.start_file(*path, zip::write::SimpleFileOptions::default())
            .unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn open(bytes: Vec<u8>) -> Result<(Packing, Vec<(String, String)>), String> {
    open_within(bytes, &Limits::default())
}

fn open_within(
    bytes: Vec<u8>,
    limits: &Limits,
) -> Result<(Packing, Vec<(String, String)>), String> {
    let unpacked = unpack(&Memory, &Part::new(bytes), "catalog.yaml.gz", limits)
        .map_err(|refused| refused.to_string())?;
    let text = |part: Option<Part>| {
        part.map_or("a link".to_owned(), |p| {
            String::from_utf8(p.bytes().to_vec()).unwrap()
        })
    };
    Ok((
        unpacked.packing,
        unpacked
            .members
            .into_iter()
            .map(|m| (m.path, text(m.bytes)))
            .collect(),
    ))
}

fn files(list: &[(&str, &str)]) -> Vec<(String, String)> {
    list.iter()
        .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
        .collect()
}

const CATALOG: [(&str, &str); 2] = [
    ("b/catalog.yaml", "schema: olm.package"),
    ("./a.json", "{}"),
];

#[test]
fn archives_are_recognized_by_name() {
    let packed = [
        ("catalog.yaml.gz", "catalog"),
        ("a.gz", "a"),
        ("b.json.XZ", "b"),
        ("c.tar.zst", "c"),
        ("d.bz2", "d"),
    ];
    for (name, stem_of) in [
        ("a.zip", "a"),
        ("a.b.TAR.GZ", "a.b"),
        ("c.tgz", "c"),
        ("d.tar", "d"),
    ]
    .into_iter()
    .chain(packed)
    {
        assert_eq!(stem(name), Some(stem_of), "{name}");
    }
    for name in ["catalog.yaml", ".zip", "zip", ".gz", "ä.tgx"] {
        assert_eq!(stem(name), None, "{name}");
    }
}

#[test]
fn each_packing_gives_the_files() {
    let expected = files(&[("a.json", "{}"), ("b/catalog.yaml", "schema: olm.package")]);
    assert_eq!(open(tar(&CATALOG)), Ok((Packing::Tar, expected.clone())));
    assert_eq!(
        open(gzip(&tar(&CATALOG))),
        Ok((Packing::TarGz, expected.clone()))
    );
    let zipped = CATALOG.map(|(path, text)| (path, text.as_bytes()));
    assert_eq!(open(zip(&zipped)), Ok((Packing::Zip, expected)));
    assert_eq!(open(zip(&[])).unwrap_err(), "it contains no files");
}

#[test]
fn paths_outside_the_archive_are_refused() {
    for path in ["../x", "a/../../x", "/etc/passwd", "..\\x", "C:\\x"] {
        let refused = open(tar(&[("ok.yaml", ""), (path, "x")])).unwrap_err();
        assert!(
            refused.contains("leads out") && refused.contains(path),
            "{refused}"
        );
        let refused = open(zip(&[(path, b"x")])).unwrap_err();
        assert!(refused.contains("leads out"), "{refused}");
    }
}

#[test]
fn junk_in_a_gzip_named_tar_is_not_a_catalog() {
    let junk = gzip(b"neither a tar nor a catalog");
    for name in ["junk.tar.gz", "JUNK.TGZ"] {
        let refused = unpack(&Memory, &Part::new(junk.clone()), name, &Limits::default())
            .unwrap_err()
            .to_string();
        assert!(
            refused.contains("not a tar archive") && refused.contains("catalog.yaml.gz"),
            "{refused}"
        );
    }
    assert!(
        unpack(
            &Memory,
            &Part::new(junk),
            "catalog.yaml.gz",
            &Limits::default()
        )
        .is_ok()
    );
}

#[test]
fn bombs_end_at_a_limit() {
    let zeros = vec![0; 4 << 20];
    let strict = Limits {
        ratio: 20,
        always_allowed: 1 << 20,
        ..Limits::default()
    };
    for bomb in [gzip(&zeros), zip(&[("a", &zeros)])] {
        let refused = open_within(bomb, &strict).unwrap_err();
        assert!(refused.contains("20 times"), "{refused}");
    }
    let few = Limits {
        files: 2,
        ..Limits::default()
    };
    let refused = open_within(tar(&[("a", ""), ("b", ""), ("c", "")]), &few).unwrap_err();
    assert!(refused.contains("2 files"), "{refused}");
    let small = Limits {
        file: 1 << 20,
        ..Limits::default()
    };
    let refused = open_within(zip(&[("a", &zeros[..(2 << 20)])]), &small).unwrap_err();
    assert!(refused.contains("1 MB in one file"), "{refused}");
    let little = Limits {
        total: 3 << 20,
        ..Limits::default()
    };
    let refused = open_within(
        zip(&[("a", &zeros[..(2 << 20)]), ("b", &zeros[..(2 << 20)])]),
        &little,
    )
    .unwrap_err();
    assert!(refused.contains("3 MB in all"), "{refused}");
}

#[test]
fn damaged_and_encrypted_zips_are_refused() {
    let whole = zip(&[("catalog.yaml", b"schema: olm.package")]);
    for end in [whole.len() - 1, whole.len() / 2, 8] {
        let refused = open(whole[..end].to_vec()).unwrap_err();
        assert_eq!(
            refused, "it is cut off or damaged; fetch it again, or pack it again",
            "cut at {end}"
        );
    }
    let mut locked = whole;
    // Both the local header and the directory mark it as encrypted.
    let directory = locked
        .windows(4)
        .position(|four| four == b"PK\x01\x02")
        .unwrap();
    locked[6] |= 1;
    locked[directory + 8] |= 1;
    let refused = open(locked).unwrap_err();
    assert!(
        refused.starts_with("it is protected with a password"),
        "{refused}"
    );
}

#[test]
fn files_of_a_zip_are_counted_before_any_is_unpacked() {
    // The first one would be refused for another reason.
    let zipped = zip(&[("../a", b""), ("b", b""), ("c", b"")]);
    let few = Limits {
        files: 2,
        ..Limits::default()
    };
    assert!(open_within(zipped, &few).unwrap_err().contains("2 files"));
}

#[test]
fn other_bytes_are_refused_without_panic() {
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
fn a_single_compressed_file_is_one_file() {
    let expected = files(&[("catalog.yaml", "schema: olm.package\n")]);
    assert_eq!(
        open(gzip(b"schema: olm.package\n")),
        Ok((Packing::TarGz, expected))
    );
}

#[test]
fn other_file_types_are_named_in_the_refusal() {
    for (bytes, expected) in [
        (
            &b"<!DOCTYPE html><html><body>404</body></html>"[..],
            "it is an HTML page, which Switchyard cannot open; download",
        ),
        (
            b"\xfd7zXZ\0\0\x04",
            "it is an xz file, which Switchyard cannot open; unpack it",
        ),
        (
            b"\x28\xb5\x2f\xfd\0\0",
            "it is a zstd file, which Switchyard cannot open; unpack it",
        ),
        (
            b"BZh91AY&SY",
            "it is a bzip2 file, which Switchyard cannot open; unpack it",
        ),
        (
            b"%PDF-1.7",
            "it is a PDF document, which Switchyard cannot open",
        ),
        (b"schema: olm.package", "it is a file of unknown type"),
        (b"", "it is a file of unknown type"),
    ] {
        let refused = open(bytes.to_vec()).unwrap_err();
        assert!(refused.starts_with(expected), "{refused}");
    }
}

/// A header that announces a name of a gigabyte is refused before it is read.
#[test]
fn a_name_as_long_as_the_memory_is_refused() {
    for kind in [
        tar::EntryType::GNULongName,
        tar::EntryType::GNULongLink,
        tar::EntryType::XHeader,
    ] {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(kind);
        header.as_old_mut().name[..13].copy_from_slice(b"././@LongLink");
        header.set_size(2 << 20);
        header.set_cksum();
        let mut bytes = header.as_bytes().to_vec();
        bytes.resize(bytes.len() + (2 << 20), b'a');
        bytes.extend(tar(&[("catalog.yaml", "schema: olm.package")]));
        let refused = open(bytes).unwrap_err();
        assert!(
            refused.contains("1 MB in the name of one file"),
            "{refused}"
        );
    }
}

#[test]
fn links_resolve_to_their_target_or_are_unreadable() {
    let mut builder = tar::Builder::new(Vec::new());
    let mut add = |path: &str, kind: tar::EntryType, target: &str, text: &str| {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(kind);
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        if target.is_empty() {
            builder
                .append_data(&mut header, path, text.as_bytes())
                .unwrap();
        } else {
            builder.append_link(&mut header, path, target).unwrap();
        }
    };
    add("v1/catalog.yaml", tar::EntryType::Regular, "", "one");
    add(
        "v2/catalog.yaml",
        tar::EntryType::Symlink,
        "../v1/catalog.yaml",
        "",
    );
    add("hard.yaml", tar::EntryType::Link, "v1/catalog.yaml", "");
    add("out.yaml", tar::EntryType::Symlink, "../../etc/passwd", "");
    let expected = files(&[
        ("hard.yaml", "one"),
        ("out.yaml", "a link"),
        ("v1/catalog.yaml", "one"),
        ("v2/catalog.yaml", "one"),
    ]);
    assert_eq!(
        open(builder.into_inner().unwrap()),
        Ok((Packing::Tar, expected))
    );
}

#[test]
fn images_give_their_configs_layer_by_layer() {
    let base = tar(&[
        ("etc/passwd", "root"),
        ("configs/a/catalog.yaml", "old"),
        ("configs/b/catalog.yaml", "gone"),
    ]);
    let next = gzip(&tar(&[
        ("configs/a/catalog.yaml", "new"),
        ("configs/.wh.b", ""),
        ("configs/c.yaml", "c"),
    ]));
    let text = |bytes: &[u8]| -> String { bytes.iter().map(|&b| b as char).collect() };
    let expected = files(&[("configs/a/catalog.yaml", "new"), ("configs/c.yaml", "c")]);

    let mut docker = tar::Builder::new(Vec::new());
    let mut add = |path: &str, bytes: &[u8]| {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        docker.append_data(&mut header, path, bytes).unwrap();
    };
    add(
        "manifest.json",
        br#"[{"Config":"c.json","Layers":["1/layer.tar","2/layer.tar"]}]"#,
    );
    add("1/layer.tar", &base);
    add("2/layer.tar", &next);
    assert_eq!(
        open(docker.into_inner().unwrap()),
        Ok((Packing::Tar, expected.clone()))
    );

    let mut oci = tar::Builder::new(Vec::new());
    let mut add = |path: &str, bytes: &[u8]| {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        oci.append_data(&mut header, path, bytes).unwrap();
    };
    add("oci-layout", br#"{"imageLayoutVersion":"1.0.0"}"#);
    add("index.json", br#"{"manifests":[{"digest":"sha256:aa"}]}"#);
    add(
        "blobs/sha256/aa",
        br#"{"manifests":[{"digest":"sha256:bb"}]}"#,
    );
    add(
        "blobs/sha256/bb",
        br#"{"layers":[{"digest":"sha256:11"},{"digest":"sha256:22"}]}"#,
    );
    add("blobs/sha256/11", &base);
    add("blobs/sha256/22", &next);
    assert_eq!(
        open(oci.into_inner().unwrap()),
        Ok((Packing::Tar, expected))
    );

    let refused = |layer: &[u8]| {
        let layer = text(layer);
        open(tar(&[
            ("manifest.json", r#"[{"Layers":["l"]}]"#),
            ("l", layer.as_str()),
        ]))
        .unwrap_err()
    };
    assert!(refused(&tar(&[("etc/passwd", "root")])).contains("no `/configs`"));
    let missing = open(tar(&[("manifest.json", r#"[{"Layers":["l"]}]"#)])).unwrap_err();
    assert!(missing.contains("layer `l` is not in it"), "{missing}");
}

#[test]
fn bundle_images_give_their_two_folders() {
    let layer = tar(&[
        ("manifests/csv.yaml", "m"),
        ("metadata/annotations.yaml", "a"),
        ("tests/x", "t"),
    ]);
    let text: String = layer.iter().map(|&b| b as char).collect();
    let image = tar(&[
        ("manifest.json", r#"[{"Layers":["l"]}]"#),
        ("l", text.as_str()),
    ]);
    let unpacked_paths = |wanted: ImageContent| {
        let unpacked = unpack_content(
            &Memory,
            &Part::new(image.clone()),
            "b.tar",
            &Limits::default(),
            wanted,
        );
        unpacked
            .map(|unpacked| {
                unpacked
                    .members
                    .into_iter()
                    .map(|m| m.path)
                    .collect::<Vec<_>>()
            })
            .map_err(|e| e.to_string())
    };
    assert_eq!(
        unpacked_paths(ImageContent::CatalogOrBundle),
        Ok(vec![
            "manifests/csv.yaml".to_owned(),
            "metadata/annotations.yaml".to_owned()
        ])
    );
    assert!(
        unpacked_paths(ImageContent::Catalog).is_err_and(|error| error.contains("no `/configs`"))
    );
}
