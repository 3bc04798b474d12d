//! Treats the blobs inside a template as separate documents, so that all catalog code can read
//! them; positions stay those of the file.
//!
//! A basic template only contains bundle images. All that is known of a bundle before rendering is
//! a name in a channel; so for each listed name without a bundle one is inferred, with the version
//! at the end of the name.

use catalog::model::blob::PackageProperty;
use catalog::model::{Blob, Body, BundleBlob, FileIndex};
use catalog::version::version_in_name;
use std::collections::HashSet;
use std::sync::Arc;
use syntax::place::{Spanned, Text};

/// A template's blobs with their positions in the template.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TemplateBlobs {
    /// The items in order, then inferred bundles. Start, end and line are the document's, shared by
    /// several blobs.
    pub index: FileIndex,
    /// Blobs from this index on are inferred and have no position.
    pub written: usize,
}

impl TemplateBlobs {
    /// Returns the index of a blob in `entries`; `None` for an inferred one.
    pub fn item(&self, index: u32) -> Option<usize> {
        let index = index as usize;
        (index < self.written).then_some(index)
    }
}

/// Returns the template content of a file; empty if it is not a template.
pub fn unfold(file: &FileIndex) -> TemplateBlobs {
    let Some((document, template)) = file.blobs.first().zip(super::template_of_file(file)) else {
        return TemplateBlobs {
            index: FileIndex::new(file.size, Vec::new()),
            written: 0,
        };
    };
    let mut blobs: Vec<Blob> = template
        .items()
        .iter()
        .map(|item| Blob {
            body: item.body.clone(),
            faults: item.faults.as_slice().into(),
            ..document.clone()
        })
        .collect();
    let written = blobs.len();
    let inferred = infer_bundles(&blobs);
    blobs.extend(inferred.into_iter().map(|(_, bundle)| Blob {
        body: Body::Bundle(Arc::new(bundle)),
        faults: Box::default(),
        ..document.clone()
    }));
    TemplateBlobs {
        index: FileIndex::new(file.size, blobs),
        written,
    }
}

/// Returns the index of a catalog file with inferred bundles for listed but undefined names. Each
/// has the position of its listing in the channel's blob.
pub fn with_inferred(file: &FileIndex) -> FileIndex {
    let mut blobs = file.blobs.clone();
    let inferred = infer_bundles(&file.blobs).into_iter();
    blobs.extend(inferred.map(|(channel, bundle)| Blob {
        body: Body::Bundle(Arc::new(bundle)),
        faults: Box::default(),
        ..file.blobs[channel].clone()
    }));
    FileIndex::new(file.size, blobs)
}

/// Returns the listed bundles without a blob, each with the index of the first listing channel.
fn infer_bundles(blobs: &[Blob]) -> Vec<(usize, BundleBlob)> {
    let mut known: HashSet<(&Text, &Text)> = HashSet::new();
    for blob in blobs {
        if let Body::Bundle(bundle) = &blob.body {
            known.insert((&bundle.package.value, &bundle.name.value));
        }
    }
    let mut bundles = Vec::new();
    for (index, blob) in blobs.iter().enumerate() {
        let Body::Channel(channel) = &blob.body else {
            continue;
        };
        let package = &channel.package.value;
        for entry in &channel.entries {
            if entry.name.is_empty() || !known.insert((package, &entry.name.value)) {
                continue;
            }
            let property = version_in_name(&entry.name.value).map(|(version, _)| PackageProperty {
                package_name: Spanned::new(package.clone(), entry.name.place),
                version: Spanned::new(Text::from(version), entry.name.place),
                release: None,
            });
            let bundle = BundleBlob {
                package: Spanned::new(package.clone(), entry.name.place),
                name: entry.name.clone(),
                package_properties: property.into_iter().collect(),
                place: entry.place,
                ..BundleBlob::default()
            };
            bundles.push((index, bundle));
        }
    }
    bundles
}

#[cfg(test)]
mod tests {
    use super::*;
    use catalog::index::index_bytes;

    #[test]
    fn listed_names_become_bundles_with_the_version_in_their_name() {
        let text = "---\nschema: olm.template.basic\nentries:\n- schema: olm.package\n  name: p\n- schema: olm.channel\n  package: p\n  \
            name: a\n  entries: [{name: p.v1.0.0}, {name: odd}]\n- schema: olm.channel\n  package: p\n  name: b\n  entries: [{name: \
            p.v1.0.0}]\n- schema: olm.bundle\n  image: q/p:v1\n";
        let unfolded = unfold(&index_bytes(text.as_bytes()));
        assert_eq!((unfolded.written, unfolded.index.blobs.len()), (4, 6));
        assert_eq!((unfolded.item(3), unfolded.item(4)), (Some(3), None));
        let bundles = unfolded.index.blobs[4..]
            .iter()
            .map(|blob| match &blob.body {
                Body::Bundle(bundle) => (
                    bundle.name.as_str(),
                    bundle.version(),
                    bundle.package.as_str(),
                ),
                other => panic!("{other:?}"),
            });
        assert_eq!(
            bundles.collect::<Vec<_>>(),
            [("p.v1.0.0", "1.0.0", "p"), ("odd", "", "p")]
        );
        assert!(
            unfolded.index.blobs.iter().all(|blob| blob.line == 1),
            "places are the document's"
        );
    }

    #[test]
    fn other_blobs_do_not_unfold() {
        for text in [
            "",
            "schema: olm.package\nname: p\n",
            "schema: olm.semver\n",
            "a: [\n",
        ] {
            assert!(
                unfold(&index_bytes(text.as_bytes())).index.blobs.is_empty(),
                "{text}"
            );
        }
    }
}
