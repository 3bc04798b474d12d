//! `switchyard edit` on packages, bundles and properties: what it prints, what it writes, what it refuses.

use super::cli_support::{Folder, Run};

const CATALOG: &str = "\
---
schema: olm.package
name: p
defaultChannel: stable # for everyone
---
schema: olm.channel
package: p
name: stable
entries:
  - name: p.v1.0.0
  - name: p.v1.1.0 # the good one
    replaces: p.v1.0.0
---
schema: olm.bundle
package: p
name: p.v1.0.0
image: quay.io/p/p:v1.0.0
properties:
  - type: olm.package
    value: {packageName: p, version: 1.0.0}
---
schema: olm.bundle
package: p
name: p.v1.1.0
image: quay.io/p/p:v1.1.0 # the image
properties:
  - type: olm.package
    value: {packageName: p, version: 1.1.0}
  - type: olm.gvk
    value:
      group: p.io
      kind: P
      version: v1
relatedImages:
  - name: operator
    image: quay.io/p/p:v1.1.0
  - name: other
    image: quay.io/p/other:v1
";

fn folder() -> Folder {
    Folder::new(&[("p/catalog.yaml", CATALOG)])
}

/// Applies an operation on package `p`, and tells the file after it.
fn written(folder: &Folder, operation: &[&str]) -> String {
    edit(folder, operation).ok();
    folder.read("p/catalog.yaml")
}

fn edit(folder: &Folder, operation: &[&str]) -> Run {
    let (name, options) = operation.split_first().unwrap();
    folder.run(&[&["edit", ".", name, "--package", "p"], options, &["--write"]].concat())
}

#[test]
fn a_description_is_written_as_a_block_and_taken_away() {
    let folder = folder();
    let text = written(&folder, &["set-description", "--text", "# P\n\nDoes it.\n"]);
    let package = "defaultChannel: stable # for everyone\n";
    assert_eq!(text, CATALOG.replace(package, &format!("{package}description: |\n  # P\n\n  Does it.\n")));
    assert_eq!(
        written(&folder, &["set-description", "--text", "It's: b"]).lines().nth(4),
        Some("description: 'It''s: b'")
    );
    assert_eq!(written(&folder, &["set-description", "--text="]), CATALOG);
}

#[test]
fn a_description_that_is_so_already_changes_nothing() {
    let folder = folder();
    folder.write(
        "p/catalog.yaml",
        &CATALOG.replace("name: p\nd", "name: p\ndescription: >-\n  one\n  two # no comment\nd"),
    );
    let before = folder.read("p/catalog.yaml");
    let run = edit(&folder, &["set-description", "--text", "one two # no comment"]);
    run.ok();
    assert!(run.stderr.contains("nothing to change"), "{}", run.stderr);
    assert_eq!(folder.read("p/catalog.yaml"), before);
}

#[test]
fn an_icon_is_told_by_its_content() {
    let folder = folder();
    folder.write("icon.txt", "<?xml version=\"1.0\"?><svg/>");
    folder.write("no.svg", "<html/>");
    let run = edit(&folder, &["set-icon", "--file", "icon.txt"]);
    run.ok();
    assert!(run.stderr.contains("icon: image/svg+xml, 27 bytes"), "{}", run.stderr);
    let icon = "icon:\n  base64data: PD94bWwgdmVyc2lvbj0iMS4wIj8+PHN2Zy8+\n  mediatype: image/svg+xml\n";
    assert!(folder.read("p/catalog.yaml").contains(icon));
    assert_eq!(written(&folder, &["set-icon", "--file", "none"]), CATALOG);
    let run = edit(&folder, &["set-icon", "--file", "no.svg"]);
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("the icon is markup, but no SVG"), "{}", run.stderr);
    let run = edit(&folder, &["set-icon", "--file", "gone.svg"]);
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("gone.svg: no such file or directory"), "{}", run.stderr);
}
