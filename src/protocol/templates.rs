//! Templates and what they render to, as the page shows them.

use crate::Json;
use crate::diagnostic::Location;
use crate::operation::EditOp;
use serde::{Deserialize, Serialize};

/// What a template is, as a root.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TemplateRow {
    /// `basic template`, `semver template`, …
    pub kind: String,
    /// It holds channels and entries, which operations can change; any other is edited as text.
    pub holds_entries: bool,
    /// It can be rendered; composite templates cannot.
    pub is_rendered: bool,
    /// Its content and what is rendered from it, a sentence each.
    pub says: Vec<String>,
}

/// The kinds of templates that are rendered, as they are converted into each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum TemplateKind {
    Basic,
    Substitutes,
    Semver,
}

/// A template that is to be made of a catalog.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewTemplate {
    pub root: String,
    /// "" for all packages.
    pub package: String,
    pub kind: TemplateKind,
    /// Where its file is to lie; "" for the usual place.
    pub path: String,
}

/// The template of a rendered package.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RenderedFrom {
    /// The template's root, which is its path in the workspace.
    pub template: String,
    /// As [`TemplateRow::kind`] and [`TemplateRow::holds_entries`].
    pub kind: String,
    pub holds_entries: bool,
    /// A `ci.yaml` or the bundles' images show it; otherwise only name and place do.
    pub certain: bool,
}

/// What a template renders to, as a root.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RenderedRow {
    /// The template's root.
    pub template: String,
    /// As [`TemplateRow::kind`] and [`TemplateRow::holds_entries`].
    pub kind: String,
    pub holds_entries: bool,
    /// Bundles that are not open, in the order of the template.
    pub missing: Vec<MissingBundle>,
    /// Why nothing could be rendered, in `opm`'s words; "" where something was.
    pub refused: String,
    /// Catalogs and bundle folders that the bundles are from, and how many bundles each gave.
    pub sources: Vec<(String, u32)>,
}

impl RenderedRow {
    /// Everything is there, so that the verdict is `opm`'s.
    pub fn is_complete(&self) -> bool {
        self.missing.is_empty()
    }
}

/// A bundle that a template names and that is not open.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MissingBundle {
    /// As the template names it: an image, or a name.
    pub reference: String,
    /// Where it does, in the template's file.
    pub location: Option<Location>,
}

/// The catalogs that a template is rendered into.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RenderTargets {
    /// The template's root.
    pub template: String,
    /// Path of the `ci.yaml` that names them; "" where they are found by their bundles.
    pub mapping: String,
    /// What the catalog of the next version would be called; "" where that is not known.
    pub next: String,
    /// In the order of the mapping.
    pub targets: Vec<RenderTarget>,
}

/// A catalog that a template is rendered into.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RenderTarget {
    /// As the mapping calls it.
    pub catalog: String,
    /// The folder in the workspace that what is rendered stands in.
    pub folder: String,
    pub state: RenderState,
}

/// Whether a catalog is what its template renders to. Blobs are named as `channel stable`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum RenderState {
    #[default]
    UpToDate,
    /// What rendering again would change.
    OutOfDate {
        added: Vec<String>,
        removed: Vec<String>,
        changed: Vec<String>,
    },
    /// Nothing was rendered there yet.
    Missing,
    /// Bundles that are not open.
    UnknownBundles(Vec<String>),
    /// Why it cannot be rendered or compared.
    Error(String),
}

impl RenderState {
    /// Rendering writes something.
    pub fn is_written(&self) -> bool {
        matches!(self, RenderState::OutOfDate { .. } | RenderState::Missing)
    }
}

/// Which template to write as one of another kind, or for a catalog that has none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ConversionRequest {
    /// The template, or the one that a catalog is rendered from.
    Convert {
        template: String,
        into: TemplateKind,
    },
    Make(NewTemplate),
}

/// A template as one of another kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Conversion {
    Made {
        ops: Json<Vec<EditOp>>,
        /// What is lost though it renders to the same catalog.
        remarks: Vec<String>,
    },
    /// No semver template makes its graph: what differs, a line each.
    Differs(Vec<String>),
}

/// What is to be rendered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum RenderRequest {
    /// Into these catalogs, as the mapping calls them.
    Into(Vec<String>),
    /// Into a catalog that the mapping does not name yet: it is added.
    AlsoInto(String),
}

const RENDERED: &str = " (rendered)";

/// The root of what a template renders to, by the template's.
pub fn rendered_name(template: &str) -> String {
    format!("{template}{RENDERED}")
}

/// The template of a rendered root; `None` for any other name.
pub fn template_of(root: &str) -> Option<&str> {
    root.strip_suffix(RENDERED)
}
