//! Advice about content of a bundle directory that `opm` accepts but omits from the blob, silently
//! or with a warning only. Does not change what is rendered or refused.

use super::objects::{CSV_KIND, manifests, object};
use super::value::{first_document, second_document};
use super::{File, Remark, metadata};
use syntax::json;

/// The annotation of a ClusterServiceVersion with additional properties.
const PROPERTIES: &str = "olm.properties";
/// The lists that a file of `metadata` may contain.
const LISTS: [&str; 2] = ["dependencies", "properties"];

/// Returns the advice in file order; empty for a refused directory.
pub(super) fn advice(files: &[File]) -> Vec<Remark> {
    let (Ok(manifests), Ok(metadata)) = (manifests(files), metadata::metadata(files)) else {
        return Vec::new();
    };
    let mut findings = Vec::new();
    let mut first_csv: Option<&str> = None;
    for (name, file) in super::files_in(files, "manifests") {
        if name.starts_with('.') {
            continue;
        }
        match object(file) {
            Err(refusal) => findings.push(remark(
                file,
                refusal.line,
                format!(
                    "opm leaves this file out of the bundle: {}",
                    refusal.message
                ),
                "correct the file, or move it out of `manifests`",
            )),
            Ok(object) => {
                if object.kind() == CSV_KIND
                    && let Some(first) = first_csv.replace(first_csv.unwrap_or(&file.path))
                {
                    let message = format!(
                        "opm leaves this ClusterServiceVersion out of the bundle: it uses the one in {first}"
                    );
                    findings.push(remark(
                        file,
                        Some(1),
                        message,
                        "keep one ClusterServiceVersion in `manifests`",
                    ));
                }
                findings.extend(second_document(&file.bytes).map(|line| {
                    let message = "opm reads only the first document of this file".to_owned();
                    remark(
                        file,
                        Some(line),
                        message,
                        "put each object into a file of its own",
                    )
                }));
            }
        }
    }
    let annotations = &manifests.csv().value["metadata"]["annotations"];
    if let Some(text) = annotations[PROPERTIES].as_str()
        && json::parse(text.as_bytes()).is_err()
    {
        let message =
            format!("annotation {PROPERTIES} is not JSON, so opm reads no properties from it");
        let path = ["metadata", "annotations", PROPERTIES].map(str::to_owned);
        let at = manifests.csv().refusal(
            &path,
            message,
            "write a JSON list of objects with `type` and `value`",
        );
        findings.push(Remark {
            message: at.message,
            file: at.file,
            line: at.line,
            help: at.help,
        });
    }
    for (_, file) in super::files_in(files, "metadata") {
        match first_document(&file.bytes) {
            Err((line, reason)) => findings.push(remark(
                file,
                Some(line),
                format!("opm leaves this file out of the bundle: {reason}"),
                "correct the file, or move it out of `metadata`",
            )),
            Ok(document) => {
                for list in LISTS {
                    findings.extend(metadata::unreadable_list(&document, list).map(|node| {
                        let message = format!(
                            "opm cannot read these {list}, and renders the bundle without them"
                        );
                        let help = "write a list of objects with `type` and `value`";
                        remark(file, Some(document.line_of(node)), message, help)
                    }));
                }
            }
        }
    }
    if metadata.package.is_empty() {
        findings.push(Remark {
            message: "the annotations name no package, so opm prints nothing for this bundle"
                .to_owned(),
            file: None,
            line: None,
            help: format!("set `{}` in `metadata/annotations.yaml`", metadata::PACKAGE),
        });
    }
    findings
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
    fn a_good_bundle_has_none() {
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
    fn a_refused_bundle_has_none() {
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
