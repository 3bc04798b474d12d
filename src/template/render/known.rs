//! Locally available bundles: from catalogs by image and name, and from bundle folders. Also
//! completes a rendered package with their texts.

use super::entries::{Bundles, Rendered};
use bundle::{self, File, Image};
use catalog::index::index_bytes;
use catalog::model::{Blob, Body};
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use syntax::go_text::string_or_empty;
use syntax::order::SortSmall;

/// Collected bundles. The first one found for an image or name is used.
#[derive(Debug, Default)]
pub struct Known {
    catalogs: Vec<File>,
    images: HashMap<String, BundleSource>,
    names: HashMap<String, BundleSource>,
    /// The blobs of packages, by name.
    packages: HashMap<String, Vec<BundleSource>>,
    image_folders: HashMap<String, Vec<File>>,
    folders: Vec<Folder>,
}

#[derive(Debug, Clone)]
struct BundleSource {
    catalog: usize,
    span: Range<usize>,
}

/// A bundle folder without a known image.
#[derive(Debug)]
struct Folder {
    files: Vec<File>,
    bundle: BundleIdentity,
}

/// The properties of a bundle by which a reference finds its folder.
#[derive(Debug)]
pub struct BundleIdentity {
    pub name: String,
    pub package: String,
    pub version: String,
}

impl BundleIdentity {
    /// Reads the bundle in a folder; the error explains why the folder cannot be rendered.
    pub fn from_files(files: &[File]) -> Result<Self, String> {
        let blob = bundle::render(files, Image::Unknown).map_err(|refusal| refusal.message)?;
        let mut properties = blob["properties"].as_array().into_iter().flatten();
        let package_property = properties.find(|property| property["type"] == "olm.package");
        let version =
            package_property.map(|property| string_or_empty(&property["value"]["version"]));
        Ok(Self {
            name: string_or_empty(&blob["name"]),
            package: string_or_empty(&blob["package"]),
            version: version.unwrap_or_default(),
        })
    }

    /// Whether a reference is the bundle's name, or an image named after its package and version.
    pub fn is_called(&self, reference: &str) -> bool {
        self.name == reference || self.has_image(reference)
    }

    fn has_image(&self, image: &str) -> bool {
        is_called_after(image, &self.package, &self.version)
    }
}

impl Known {
    /// Adds the bundles of a catalog's file. Returns why a part is unreadable, if any; the rest is
    /// added.
    pub fn add_catalog(&mut self, file: File) -> Option<String> {
        let index = index_bytes(&file.bytes);
        let catalog = self.catalogs.len();
        for blob in &index.blobs {
            let source = BundleSource {
                catalog,
                span: span(blob),
            };
            if let Body::Package(package) = &blob.body {
                let name = package.name.as_str().to_owned();
                self.packages.entry(name).or_default().push(source);
                continue;
            }
            let Body::Bundle(bundle) = &blob.body else {
                continue;
            };
            if !bundle.image.is_empty() {
                self.images
                    .entry(bundle.image.as_str().to_owned())
                    .or_insert_with(|| source.clone());
            }
            if !bundle.name.is_empty() {
                self.names
                    .entry(bundle.name.as_str().to_owned())
                    .or_insert(source);
            }
        }
        let fault = index.unreadable().and_then(|blob| blob.faults.first());
        let reason = fault.map(|fault| format!("{}: {}", file.path, fault.message));
        self.catalogs.push(file);
        reason
    }

    pub fn add_folder_of(&mut self, image: &str, files: Vec<File>) {
        self.image_folders.entry(image.to_owned()).or_insert(files);
    }

    /// Adds a bundle folder, found by the bundle's name and by images named after its package and
    /// version.
    pub fn add_folder(&mut self, files: Vec<File>) -> Result<(), String> {
        let bundle = BundleIdentity::from_files(&files)?;
        self.folders.push(Folder { files, bundle });
        Ok(())
    }

    /// Returns the CustomResourceDefinitions of a bundle, by its name or image; `None` if its
    /// objects are unknown.
    pub fn definitions(&self, name: &str, image: &str) -> Result<Option<Vec<Value>>, String> {
        let from_folder = |files: &[File]| {
            bundle::definitions_of_directory(files)
                .map(Some)
                .map_err(|refusal| refusal.message)
        };
        if let Some(files) = self.image_folders.get(image).filter(|_| !image.is_empty()) {
            return from_folder(files);
        }
        let mut folders = self.folders.iter();
        if let Some(folder) =
            folders.find(|folder| folder.bundle.name == name || folder.bundle.has_image(image))
        {
            return from_folder(&folder.files);
        }
        let in_catalog = self.names.get(name).or_else(|| self.images.get(image));
        let blob = in_catalog.map_or(Ok(None), |source| self.bundle_in_catalog(source))?;
        Ok(blob.as_ref().and_then(bundle::definitions))
    }

    /// Returns the bundles as catalog files: catalogs as they are, and folders as blobs of the
    /// images they are provided for or that `references` name.
    pub fn into_catalog_files(self, references: &[&str]) -> Result<Vec<File>, String> {
        let mut images: Vec<&str> = self.image_folders.keys().map(String::as_str).collect();
        images.sort_small();
        images.extend(references);
        let mut text = Vec::new();
        let mut written = HashSet::new();
        for image in images {
            if self.images.contains_key(image)
                || self.names.contains_key(image)
                || !written.insert(image)
            {
                continue;
            }
            if let Some(blob) = self.bundle(image)? {
                text.extend_from_slice(bundle::to_json(&[blob]).as_bytes());
            }
        }
        let folders_file = File {
            path: "folders.json".to_owned(),
            bytes: text,
        };
        let mut files = self.catalogs;
        files.extend((!folders_file.bytes.is_empty()).then_some(folders_file));
        Ok(files)
    }

    /// Returns the readable `olm.package` blobs of a package, each with its file.
    pub fn packages(&self, name: &str) -> impl Iterator<Item = (&str, Value)> {
        let sources = self.packages.get(name).into_iter().flatten();
        sources.filter_map(|source| {
            let blob = self.bundle_in_catalog(source).ok().flatten()?;
            Some((self.catalogs.get(source.catalog)?.path.as_str(), blob))
        })
    }

    pub fn len(&self) -> usize {
        self.images.len().max(self.names.len()) + self.image_folders.len() + self.folders.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn bundle_in_catalog(&self, source: &BundleSource) -> Result<Option<Value>, String> {
        let catalog = &self.catalogs[source.catalog];
        let bytes = catalog
            .bytes
            .get(source.span.clone())
            .unwrap_or_default()
            .to_vec();
        let read = bundle::read_catalog(&[File {
            path: catalog.path.clone(),
            bytes,
        }]);
        Ok(read.map_err(|refusal| refusal.message)?.into_iter().next())
    }
}

impl Bundles for Known {
    fn bundle(&self, reference: &str) -> Result<Option<Value>, String> {
        if reference.is_empty() {
            return Ok(None);
        }
        if let Some(source) = self.images.get(reference) {
            return self.bundle_in_catalog(source);
        }
        let from_folder = |files: &[File]| {
            bundle::render(files, Image::Reference(reference))
                .map(Some)
                .map_err(|refusal| refusal.message)
        };
        if let Some(files) = self.image_folders.get(reference) {
            return from_folder(files);
        }
        if let Some(source) = self.names.get(reference) {
            return self.bundle_in_catalog(source);
        }
        let mut folders = self.folders.iter();
        let folder = folders.find(|folder| folder.bundle.is_called(reference));
        folder.map_or(Ok(None), |folder| from_folder(&folder.files))
    }
}

/// Whether an image is named after a package and version: its repository is the package's name,
/// optionally with `-bundle`, and its tag the version, optionally with a `v`.
pub fn is_called_after(image: &str, package: &str, version: &str) -> bool {
    let last = image.rsplit('/').next().unwrap_or_default();
    let tagged = last.split('@').next().unwrap_or_default();
    let Some((repository, tag)) = tagged.split_once(':') else {
        return false;
    };
    let repository = repository.strip_suffix("-bundle").unwrap_or(repository);
    let tag = tag.strip_prefix('v').unwrap_or(tag);
    !version.is_empty() && repository == package && tag == version
}

fn span(blob: &Blob) -> Range<usize> {
    blob.start as usize..blob.end as usize
}

/// Fills in missing texts of the package. Returns one sentence for each with its actual or possible
/// source.
pub fn complete_package(rendered: &mut Rendered, known: &Known) -> Vec<String> {
    let Some(at) = rendered
        .blobs
        .iter()
        .position(|blob| has_schema(blob, "olm.package"))
    else {
        return Vec::new();
    };
    let package = &rendered.blobs[at];
    let name = string_or_empty(&package["name"]);
    let head = rendered
        .blobs
        .iter()
        .filter(|blob| has_schema(blob, "olm.channel") && blob["name"] == package["defaultChannel"])
        .filter_map(|channel| channel["entries"].as_array()?.last()?["name"].as_str())
        .next()
        .unwrap_or_default()
        .to_owned();
    let reference = rendered.origins.iter().find(|(name, _)| *name == head);
    let source = reference.and_then(|(_, reference)| known.bundle(reference).ok().flatten());
    // With a ClusterServiceVersion there is nothing to add: `opm` already used it.
    let Some(source) = source.filter(|blob| bundle::cluster_service_version(blob).is_none()) else {
        return Vec::new();
    };
    let mut remarks = Vec::new();
    let mut missing = Vec::new();
    for field in ["description", "icon"] {
        if !rendered.blobs[at][field].is_null() {
            continue;
        }
        let from_bundle = metadata(&source).map(|metadata| metadata[field].clone());
        let from_bundle = from_bundle.filter(|value| field == "description" && is_text(value));
        let found = match from_bundle {
            Some(value) => Some((value, format!("`olm.csv.metadata` of {head}"))),
            None => known
                .packages(&name)
                .filter(|(_, blob)| !blob[field].is_null() && blob[field] != "")
                .map(|(file, blob)| (blob[field].clone(), format!("`olm.package` of {file}")))
                .next(),
        };
        match (found, rendered.blobs[at].as_object_mut()) {
            (Some((value, from)), Some(fields)) => {
                fields.insert(field.to_owned(), value);
                remarks.push(format!("package {name}: the {field} is from {from}"));
            }
            _ => missing.push(field),
        }
    }
    if !missing.is_empty() {
        remarks.push(format!(
            "package {name} gets no {}: opm takes it from the ClusterServiceVersion of {head}, which this catalog does not have; \
             name its bundle directory with --bundles, or a catalog whose `olm.package` has it",
            missing.join(" and no ")
        ));
    }
    remarks
}

fn has_schema(blob: &Value, schema: &str) -> bool {
    blob["schema"] == schema
}

fn metadata(bundle: &Value) -> Option<&Value> {
    let mut properties = bundle["properties"].as_array()?.iter();
    Some(&properties.find(|property| property["type"] == "olm.csv.metadata")?["value"])
}

fn is_text(value: &Value) -> bool {
    value.as_str().is_some_and(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::super::{Options, render};
    use super::*;
    use bundle::File;

    const TEMPLATE: &str =
        "Schema: olm.semver\nStable:\n  Bundles:\n  - Image: example.com/icon:v1.0.0\n";

    fn catalog(package: &str, property: &str) -> Known {
        let text = format!(
            "---\nschema: olm.package\nname: icon\ndefaultChannel: x\n{package}---\nschema: olm.channel\npackage: icon\nname: x\n\
             entries:\n- name: icon.v1.0.0\n---\nschema: olm.bundle\npackage: icon\nname: icon.v1.0.0\n\
             image: example.com/icon:v1.0.0\nproperties:\n- type: olm.package\n  value: {{packageName: icon, version: 1.0.0}}\n\
             {property}"
        );
        let mut known = Known::default();
        assert_eq!(
            known.add_catalog(File {
                path: "icon/catalog.yaml".into(),
                bytes: text.into_bytes(),
            }),
            None
        );
        known
    }

    fn complete(known: &Known) -> (Value, Vec<String>) {
        let mut rendered = render(TEMPLATE.as_bytes(), known, Options::default()).unwrap();
        let remarks = complete_package(&mut rendered, known);
        let package = rendered
            .blobs
            .into_iter()
            .find(|blob| blob["schema"] == "olm.package");
        (package.unwrap(), remarks)
    }

    #[test]
    fn content_of_a_migrated_catalog_is_kept() {
        let known = catalog(
            "description: Old.\nicon: {base64data: aWNvbg==, mediatype: image/png}\n",
            "- type: olm.csv.metadata\n  value: {description: Shows a picture.}\n",
        );
        let (package, remarks) = complete(&known);
        assert_eq!(package["description"], "Shows a picture.");
        assert_eq!(package["icon"]["base64data"], "aWNvbg==");
        assert_eq!(
            remarks,
            [
                "package icon: the description is from `olm.csv.metadata` of icon.v1.0.0",
                "package icon: the icon is from `olm.package` of icon/catalog.yaml"
            ]
        );
    }

    #[test]
    fn missing_bundles_are_reported() {
        let (package, remarks) = complete(&catalog("", ""));
        assert!(package["icon"].is_null() && package["description"].is_null());
        let [remark] = &remarks[..] else {
            panic!("{remarks:?}")
        };
        assert!(
            remark.starts_with("package icon gets no description and no icon: opm takes it from"),
            "{remark}"
        );
    }

    #[test]
    fn a_cluster_service_version_takes_precedence() {
        let csv = r#"{"kind":"ClusterServiceVersion","metadata":{"name":"icon.v1.0.0"},"spec":{"description":"New."}}"#;
        let data = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, csv);
        let known = catalog(
            "icon: {base64data: aWNvbg==, mediatype: image/png}\n",
            &format!("- type: olm.bundle.object\n  value: {{data: {data}}}\n"),
        );
        let (package, remarks) = complete(&known);
        assert_eq!(package["description"], "New.");
        assert!(package["icon"].is_null(), "the bundle has none");
        assert_eq!(remarks, Vec::<String>::new());
    }
}
