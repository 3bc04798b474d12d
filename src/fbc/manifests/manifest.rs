//! What is asked for, and what comes of it: the request, the objects, and why there are none.

use crate::bundle;
use crate::model::Package;
use protocol::install::InstallValue;
use serde_json::{Value, json};

/// What is tried, and with which catalog. `None` and "" stand for the default.
#[derive(Debug, Clone, Copy)]
pub struct InstallRequest<'a> {
    pub package: &'a Package,
    pub catalog: &'a CatalogOnCluster,
    /// Where it is installed: by default what the bundle suggests, else a namespace of the package's name.
    pub namespace: Option<&'a str>,
}

/// How the cluster gets the catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CatalogOnCluster {
    /// Of an image, added with the rest. The name is by default that of the package with `-catalog` behind it.
    Added { image: String, name: Option<String> },
    /// It is there under this name.
    Existing { name: String },
}

/// What the blobs of bundles hold beyond the index, as JSON documents; `None` for a bundle that cannot be read.
pub type BundleDocument<'a> = dyn Fn(&str) -> Option<Value> + 'a;

/// Objects in the order in which they are applied.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Manifests {
    pub objects: Vec<Manifest>,
    /// The bundle that is installed first; "" if OLM finds none.
    pub bundle: String,
}

/// An object of a cluster.
#[derive(Debug, Clone, PartialEq)]
pub struct Manifest {
    pub object: Value,
    /// What whoever applies it should know, a sentence each.
    pub remarks: Vec<String>,
}

/// Why there are no such manifests. Begins in lower case; names stand in backticks.
#[derive(Debug, Clone, PartialEq, Eq, Default, thiserror::Error)]
#[error("{reason}")]
pub struct ManifestError {
    pub reason: String,
    /// What to do.
    pub help: String,
    /// The value of the request that is at fault, where one is.
    pub value: Option<InstallValue>,
}

impl ManifestError {
    pub(super) fn new(reason: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            reason: reason.into(),
            help: help.into(),
            value: None,
        }
    }

    pub(super) fn in_value(self, value: InstallValue) -> Self {
        Self {
            value: Some(value),
            ..self
        }
    }
}

impl Manifests {
    /// YAML with a document an object, remarks as comments above them.
    pub fn yaml(&self) -> String {
        let mut text = String::new();
        for Manifest { object, remarks } in &self.objects {
            let yaml = bundle::to_yaml(std::slice::from_ref(object));
            let body = yaml.strip_prefix("---\n").unwrap_or(&yaml);
            let remarks: String = remarks
                .iter()
                .map(|remark| format!("# {}\n", remark.replace('\n', " ")))
                .collect();
            text.push_str(&format!("---\n{remarks}{body}"));
        }
        text
    }

    /// One object that holds all of them, as `kubectl` takes it.
    pub fn list(&self) -> Value {
        let items: Vec<&Value> = self
            .objects
            .iter()
            .map(|manifest| &manifest.object)
            .collect();
        json!({ "apiVersion": "v1", "kind": "List", "items": items })
    }

    /// The remarks of all objects, in order.
    pub fn remarks(&self) -> impl Iterator<Item = &str> {
        self.objects
            .iter()
            .flat_map(|manifest| &manifest.remarks)
            .map(String::as_str)
    }
}

impl Manifest {
    pub(super) fn new(object: Value) -> Self {
        Self {
            object,
            remarks: Vec::new(),
        }
    }

    pub(super) fn remarked(object: Value, remarks: impl IntoIterator<Item = String>) -> Self {
        Self {
            object,
            remarks: remarks.into_iter().collect(),
        }
    }
}
