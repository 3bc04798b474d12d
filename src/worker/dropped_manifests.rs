//! Subscriptions and ClusterExtensions among dropped files, read as questions about their package's next upgrade.
//!
//! A drop contains questions if one of its files holds such an object and none belongs to a catalog: a catalog that
//! stores such an object beside its blobs is opened as a catalog.

use super::views::manifest_question;
use fbc::bundle::File;
use fbc::index::index_bytes;
use fbc::manifests::{ManifestErrorAt, ParsedManifest, parse_files};
use fbc::model::{Body, FileIndex};
use fbc::workspace::Workspace;
use protocol::manifests::DroppedManifests;

/// A file's path as dropped, and the questions of its objects.
pub(crate) type FileQuestions = (String, Result<Vec<ParsedManifest>, ManifestErrorAt>);

/// The questions of dropped files; `None` if the files are something else.
pub(crate) fn find_manifests(files: &[File]) -> Option<Vec<FileQuestions>> {
    let texts = || files.iter().filter(|file| is_text(&file.path));
    if texts().any(|file| is_of_catalog(&index_bytes(&file.bytes))) {
        return None;
    }
    let parsed = parse_files(texts().map(|file| file.bytes.as_slice()));
    let questions: Vec<FileQuestions> = texts()
        .zip(parsed)
        .filter_map(|(file, parsed)| Some((file.path.clone(), parsed.questions?)))
        .collect();
    (!questions.is_empty()).then_some(questions)
}

/// The questions, matched against the open catalogs; `root` is the one in view.
pub(crate) fn questions(
    workspace: &Workspace,
    by_file: Vec<FileQuestions>,
    root: &str,
) -> DroppedManifests {
    let mut dropped = DroppedManifests::default();
    for (file, found) in by_file {
        match found {
            Ok(found) => {
                let of = |parsed: &ParsedManifest| {
                    manifest_question::view(workspace, &file, parsed, root)
                };
                dropped.questions.extend(found.iter().map(of));
            }
            Err(at) => dropped.refused.push(manifest_question::remark(&file, at)),
        }
    }
    dropped
}

fn is_text(path: &str) -> bool {
    [".yaml", ".yml", ".json"]
        .iter()
        .any(|ending| path.ends_with(ending))
}

/// Whether a file contains blobs of a catalog, or is a template.
fn is_of_catalog(index: &FileIndex) -> bool {
    index.blobs.iter().any(|blob| match &blob.body {
        Body::Unreadable => false,
        Body::Other(other) => other.template.is_some(),
        _ => true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SUBSCRIPTION: &str = "apiVersion: operators.coreos.com/v1alpha1\nkind: Subscription\nmetadata:\n  name: s\nspec:\n  name: p\n";

    fn found(files: &[(&str, &str)]) -> Option<usize> {
        let file = |(path, text): &(&str, &str)| File {
            path: (*path).to_owned(),
            bytes: text.as_bytes().to_vec(),
        };
        let files: Vec<File> = files.iter().map(file).collect();
        find_manifests(&files).map(|questions| questions.len())
    }

    #[test]
    fn objects_that_ask_are_found_alone_and_among_others() {
        assert_eq!(found(&[("s.yaml", SUBSCRIPTION)]), Some(1));
        let other = "apiVersion: v1\nkind: Namespace\nmetadata: {name: n}\n";
        assert_eq!(
            found(&[
                ("n.yaml", other),
                ("s.yml", SUBSCRIPTION),
                ("README.md", "schema: olm.package")
            ]),
            Some(1)
        );
        assert_eq!(found(&[("n.yaml", other)]), None);
        let list = format!(
            "apiVersion: v1\nkind: List\nitems:\n- {}",
            SUBSCRIPTION.trim_end().replace('\n', "\n  ") + "\n"
        );
        assert_eq!(found(&[("all.yaml", &list)]), Some(1));
        assert_eq!(
            found(&[("s.txt", SUBSCRIPTION)]),
            None,
            "only YAML and JSON are read"
        );
    }

    #[test]
    fn reports_unreadable_objects_that_contain_a_question() {
        let odd = SUBSCRIPTION.replace("  name: p\n", "  channel: c\n");
        let files = [File {
            path: "s.yaml".into(),
            bytes: odd.into_bytes(),
        }];
        let questions = find_manifests(&files).expect("it asks");
        assert_eq!(
            questions[0]
                .1
                .as_ref()
                .expect_err("no package")
                .error
                .reason,
            "it has no `spec.name`"
        );
    }

    #[test]
    fn catalog_files_are_not_questions() {
        let catalog = "schema: olm.package\nname: p\n";
        assert_eq!(
            found(&[("c.yaml", catalog), ("s.yaml", SUBSCRIPTION)]),
            None
        );
        assert_eq!(
            found(&[("c.yaml", &format!("{catalog}---\n{SUBSCRIPTION}"))]),
            None
        );
        assert_eq!(
            found(&[("t.yaml", "schema: olm.semver\n"), ("s.yaml", SUBSCRIPTION)]),
            None
        );
    }
}
