//! Advice about content of a bundle directory that `opm` accepts but omits from the blob, silently
//! or with a warning only. Does not change what is rendered or refused.

use super::objects::{CSV_KIND, Object, manifests, object};
use super::value::{first_document, second_document};
use super::{File, Remark, metadata};
use syntax::json;

/// The annotation of a ClusterServiceVersion with additional properties.
const PROPERTIES: &str = "olm.properties";
/// The lists that a file of `metadata` may contain.
const LISTS: [&str; 2] = ["dependencies", "properties"];

/// Returns advice about content that `opm` accepts and ignores, in file order; empty for a
/// directory that [`super::render`] refuses.
pub fn advice(files: &[File]) -> Vec<Remark> {
    let (Ok(manifests), Ok(metadata)) = (manifests(files), metadata::metadata(files)) else {
        return Vec::new();
    };
    let mut remarks = manifest_remarks(files);
    remarks.extend(annotation_remark(manifests.csv()));
    for (_, file) in super::files_in(files, "metadata") {
        remarks.extend(metadata_remarks(file));
    }
    if metadata.package.is_empty() {
        remarks.push(Remark {
            message: "the annotations name no package, so opm prints nothing for this bundle"
                .to_owned(),
            file: None,
            line: None,
            help: format!("set `{}` in `metadata/annotations.yaml`", metadata::PACKAGE),
        });
    }
    remarks
}

/// Reports skipped files, ClusterServiceVersions and documents of `manifests`.
fn manifest_remarks(files: &[File]) -> Vec<Remark> {
    let mut remarks = Vec::new();
    let mut first_csv: Option<&str> = None;
    for (name, file) in super::files_in(files, "manifests") {
        if name.starts_with('.') {
            continue;
        }
        let object = match object(file) {
            Ok(object) => object,
            Err(refusal) => {
                remarks.push(remark(
                    file,
                    refusal.line,
                    format!(
                        "opm leaves this file out of the bundle: {}",
                        refusal.message
                    ),
                    "correct the file, or move it out of `manifests`",
                ));
                continue;
            }
        };
        if object.kind() == CSV_KIND {
            match first_csv {
                None => first_csv = Some(&file.path),
                Some(first) => remarks.push(remark(
                    file,
                    Some(1),
                    format!(
                        "opm leaves this ClusterServiceVersion out of the bundle: it uses the one in {first}"
                    ),
                    "keep one ClusterServiceVersion in `manifests`",
                )),
            }
        }
        remarks.extend(second_document(&file.bytes).map(|line| {
            remark(
                file,
                Some(line),
                "opm reads only the first document of this file".to_owned(),
                "put each object into a file of its own",
            )
        }));
    }
    remarks
}

/// Reports a properties annotation that is not JSON.
fn annotation_remark(csv: &Object) -> Option<Remark> {
    let text = csv.value["metadata"]["annotations"][PROPERTIES].as_str()?;
    json::parse(text.as_bytes()).err()?;
    let refusal = csv.refusal(
        &["metadata", "annotations", PROPERTIES].map(str::to_owned),
        format!("annotation {PROPERTIES} is not JSON, so opm reads no properties from it"),
        "write a JSON list of objects with `type` and `value`",
    );
    Some(Remark {
        message: refusal.message,
        file: refusal.file,
        line: refusal.line,
        help: refusal.help,
    })
}

/// Reports an unreadable file of `metadata`, or its unreadable lists.
fn metadata_remarks(file: &File) -> Vec<Remark> {
    let document = match first_document(&file.bytes) {
        Ok(document) => document,
        Err((line, reason)) => {
            return vec![remark(
                file,
                Some(line),
                format!("opm leaves this file out of the bundle: {reason}"),
                "correct the file, or move it out of `metadata`",
            )];
        }
    };
    let list_remark = |list: &str| {
        let node = metadata::unreadable_list(&document, list)?;
        Some(remark(
            file,
            Some(document.line_of(node)),
            format!("opm cannot read these {list}, and renders the bundle without them"),
            "write a list of objects with `type` and `value`",
        ))
    };
    LISTS.into_iter().filter_map(list_remark).collect()
}

fn remark(file: &File, line: Option<u32>, message: String, help: &str) -> Remark {
    Remark {
        message,
        file: Some(file.path.clone()),
        line,
        help: help.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use crate::{File, Image, advice, render};

    const CSV: &str = "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata:\n  name: pier.v1.0.0\nspec:\n  version: 1.0.0\n";
    const ANNOTATIONS: &str =
        "annotations:\n  operators.operatorframework.io.bundle.package.v1: pier\n";

    fn files(more: &[(&str, &str)]) -> Vec<File> {
        let own = [
            ("manifests/csv.yaml", CSV),
            ("metadata/annotations.yaml", ANNOTATIONS),
        ];
        // A repeated value replaces the earlier one.
        let kept = own
            .iter()
            .filter(|(path, _)| more.iter().all(|(other, _)| other != path));
        kept.chain(more)
            .map(|(path, text)| File {
                path: (*path).to_owned(),
                bytes: text.as_bytes().into(),
            })
            .collect()
    }

    /// Returns path, line and message of the only remark about an accepted directory.
    fn only(more: &[(&str, &str)]) -> (String, u32, String) {
        let files = files(more);
        render(&files, Image::Unknown).unwrap();
        let found = advice(&files);
        let [remark] = &found[..] else {
            panic!("{found:?}")
        };
        assert!(!remark.help.is_empty());
        (
            remark.file.clone().unwrap_or_default(),
            remark.line.unwrap_or_default(),
            remark.message.clone(),
        )
    }

    #[test]
    fn a_good_bundle_has_no_remarks() {
        assert_eq!(advice(&files(&[])), []);
        let dependencies =
            "dependencies:\n- type: olm.package\n  value: {packageName: mole, version: 1.0.0}\n";
        assert_eq!(
            advice(&files(&[
                ("metadata/dependencies.yaml", dependencies),
                ("manifests/.hidden", "[")
            ])),
            []
        );
    }

    #[test]
    fn a_refused_bundle_has_no_remarks() {
        let files = files(&[
            ("manifests/csv.yaml", "kind: ["),
            ("metadata/more.yaml", "["),
        ]);
        assert!(render(&files, Image::Unknown).is_err());
        assert_eq!(advice(&files), []);
    }

    #[test]
    fn omitted_manifests_are_reported() {
        let (file, line, message) = only(&[("manifests/role.yaml", "apiVersion: v1\nkind: [\n")]);
        assert_eq!(file, "manifests/role.yaml");
        assert!(
            line >= 2 && message.starts_with("opm leaves this file out of the bundle: "),
            "{line} {message}"
        );
        let (_, _, message) = only(&[("manifests/notes.yaml", "a: 1\n")]);
        assert!(message.contains("Object 'Kind' is missing"), "{message}");
        let (file, _, message) = only(&[("manifests/older.yaml", CSV)]);
        assert_eq!(file, "manifests/older.yaml");
        assert!(
            message.ends_with("it uses the one in manifests/csv.yaml"),
            "{message}"
        );
        let two = "kind: Role\napiVersion: v1\n---\nkind: Role\napiVersion: v1\n";
        let expected = (
            "manifests/two.yaml".to_owned(),
            4,
            "opm reads only the first document of this file".to_owned(),
        );
        assert_eq!(only(&[("manifests/two.yaml", two)]), expected);
    }

    #[test]
    fn omitted_metadata_is_reported() {
        let (file, line, message) = only(&[(
            "metadata/dependencies.yaml",
            "dependencies:\n  olm.package: mole\n",
        )]);
        assert_eq!((file.as_str(), line), ("metadata/dependencies.yaml", 2));
        assert!(message.contains("these dependencies"), "{message}");
        let (file, _, message) = only(&[("metadata/properties.yaml", "properties: [\n")]);
        assert_eq!(file, "metadata/properties.yaml");
        assert!(message.starts_with("opm leaves this file out"), "{message}");
        let channels =
            "annotations:\n  operators.operatorframework.io.bundle.channels.v1: stable\n";
        let (_, _, message) = only(&[("metadata/annotations.yaml", channels)]);
        assert!(message.contains("name no package"), "{message}");
    }

    #[test]
    fn an_annotation_without_json_is_reported_at_its_line() {
        let csv = CSV.replace("spec:", "  annotations:\n    olm.properties: '[{'\nspec:");
        let (file, line, message) = only(&[("manifests/csv.yaml", &csv)]);
        assert_eq!((file.as_str(), line), ("manifests/csv.yaml", 6));
        assert!(message.contains("is not JSON"), "{message}");
    }
}
