//! Our output, checked by the `opm` binary that `SWITCHYARD_OPM_BINARY` names.

use std::path::Path;
use std::process::Command;
use test_support::Folder;

fn catalog(package: &str) -> String {
    let mut text = format!("schema: olm.package\nname: {package}\ndefaultChannel: stable\n");
    for channel in ["stable", "fast"] {
        text.push_str(&format!(
            "---\nschema: olm.channel\npackage: {package}\nname: {channel}\nentries:\n- name: {package}.v1.0.0\n\
             - name: {package}.v1.1.0\n  replaces: {package}.v1.0.0\n"
        ));
    }
    for version in ["1.0.0", "1.1.0"] {
        text.push_str(&format!(
            "---\nschema: olm.bundle\npackage: {package}\nname: {package}.v{version}\n\
             image: example.com/{package}:v{version}\nproperties:\n- type: olm.package\n  \
             value: {{packageName: {package}, version: {version}}}\n"
        ));
    }
    text
}

/// Runs `opm validate` on a folder of catalogs; returns whether it passes, and the message.
fn validate(opm: &Path, folder: &Folder, name: &str) -> (bool, String) {
    let output = Command::new(opm)
        .arg("validate")
        .arg(folder.path().join(name))
        .output()
        .unwrap();
    (
        output.status.success(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    )
}

#[test]
fn created_merged_and_cut_catalogs_pass_opm_itself() {
    let Some(opm) = std::env::var_os("SWITCHYARD_OPM_BINARY") else {
        println!("skipped: SWITCHYARD_OPM_BINARY names no opm");
        return;
    };
    let opm = Path::new(&opm);
    let yard = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data/bundles/yard")
        .display()
        .to_string();
    let folder = Folder::new(&[
        ("a/pier/catalog.yaml", &catalog("pier")),
        ("b/mole/catalog.yaml", &catalog("mole")),
    ]);
    folder.run(&["merge", "a", "b", "--out", "merged"]).ok();
    folder
        .run(&[
            "subset",
            "merged",
            "--package",
            "pier",
            "--channel",
            "stable",
            "--out",
            "part",
        ])
        .ok();
    // From scratch: the package, its channel, and the bundle in it.
    let package = folder.run(&["init", "yard", "-c", "stable", "-o", "yaml"]);
    package.ok();
    folder.write("made/yard/catalog.yaml", &package.stdout);
    folder
        .run(&[
            "edit",
            "made",
            "add-channel",
            "--package",
            "yard",
            "--channel",
            "stable",
            "--write",
        ])
        .ok();
    let add = [
        "edit",
        "made",
        "add-bundle",
        "--from",
        &yard,
        "--image",
        "example.com/yard:v1.2.0",
        "--to",
        "stable",
    ];
    folder.run(&[&add[..], &["--write"]].concat()).ok();
    for name in ["merged", "part", "made"] {
        assert_eq!(
            validate(opm, &folder, name),
            (true, String::new()),
            "{name}"
        );
    }
    // The check can fail.
    let broken = folder
        .read("made/yard/catalog.yaml")
        .replace("defaultChannel: stable", "defaultChannel: none");
    folder.write("made/yard/catalog.yaml", &broken);
    assert!(!validate(opm, &folder, "made").0);
}
