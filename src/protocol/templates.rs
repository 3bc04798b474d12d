//! Templates and their rendered form, as shown on the page.

use crate::Json;
use crate::diagnostic::Location;
use crate::operation::EditOp;
use serde::{Deserialize, Serialize};

/// A template as a root of the session.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TemplateRow {
    /// `basic template`, `semver template`, …
    pub kind: String,
    /// Whether it contains channels and entries, so that operations can change it; others are
    /// edited as text.
    pub holds_entries: bool,
    /// Whether it can be rendered; composite templates cannot.
    pub is_rendered: bool,
    /// Its content and rendered form, one sentence each.
    pub sentences: Vec<String>,
}

/// The kinds of templates that can be rendered and converted into each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum TemplateKind {
    Basic,
    Substitutes,
    Semver,
}

/// A template to create from a catalog.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewTemplate {
    pub root: String,
    /// "" for all packages.
    pub package: String,
    pub kind: TemplateKind,
    /// Path of the new file; "" for the default path.
    pub path: String,
}

/// The template of a rendered package.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RenderedFrom {
    /// The template's root, which is its path in the session.
    pub template: String,
    /// See [`TemplateRow::kind`] and [`TemplateRow::holds_entries`].
    pub kind: String,
    pub holds_entries: bool,
    /// Whether a `ci.yaml` or the bundles' images prove it; otherwise only name and place suggest
    /// it.
    pub certain: bool,
}

/// The rendered form of a template, as a root of the session.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RenderedRow {
    /// The template's root.
    pub template: String,
    /// See [`TemplateRow::kind`] and [`TemplateRow::holds_entries`].
    pub kind: String,
    pub holds_entries: bool,
    /// Bundles that are not open, in the order of the template.
    pub missing: Vec<MissingBundle>,
    /// Why it could not be rendered; `None` if it could.
    pub refused: Option<RenderFailure>,
    /// Catalogs and bundle folders that provide the bundles.
    pub sources: Vec<BundleSource>,
}

/// A provider of bundles for a rendering.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BundleSource {
    /// A catalog's root or the path of a bundle folder.
    pub root: String,
    /// Number of bundles from there.
    pub bundles: u32,
}

/// Why a template could not be rendered.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RenderFailure {
    /// In `opm`'s words.
    pub reason: String,
    /// The line of the template that has the first error.
    pub location: Location,
}

/// A bundle that a template refers to and that is not open.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MissingBundle {
    /// The reference in the template: an image, or a name.
    pub reference: String,
    /// Position of its first mention in the template's file.
    pub location: Option<Location>,
}

/// The catalogs that a template is rendered into.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RenderTargets {
    /// The template's root.
    pub template: String,
    /// Path of the `ci.yaml` that names them; "" if they are found by their bundles.
    pub mapping: String,
    /// Name of the catalog for the next version; "" if unknown.
    pub next: String,
    /// Sorted as in the mapping.
    pub targets: Vec<RenderTarget>,
}

/// A catalog that a template is rendered into.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RenderTarget {
    /// Its name in the mapping.
    pub catalog: String,
    /// The folder of the rendered catalog in the session.
    pub folder: String,
    pub state: RenderState,
    /// Why rendering cannot write it, whatever its state; "" if it can.
    pub refused: String,
}

impl RenderTarget {
    /// Whether rendering brings the catalog up to date.
    pub fn can_be_updated(&self) -> bool {
        self.refused.is_empty() && self.state.needs_rendering()
    }
}

/// How a catalog differs from the rendered form of its template if only versions of `opm` differ.
pub const OPM_DIFFERENCE: &str =
    "differs only in `skips` that repeat `replaces`, which not every version of opm writes";

/// Whether a catalog equals the rendered form of its template. Blobs are named like `channel
/// stable`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum RenderState {
    #[default]
    UpToDate,
    /// The changes that rendering again would make.
    OutOfDate {
        added: Vec<String>,
        removed: Vec<String>,
        changed: Vec<String>,
    },
    /// These blobs have an [`OPM_DIFFERENCE`].
    OtherOpm(Vec<String>),
    /// Nothing has been rendered there yet.
    Missing,
    /// The required bundles that are not open.
    UnknownBundles(Vec<String>),
    /// Why it cannot be rendered or compared.
    Error(String),
}

impl RenderState {
    /// Whether rendering brings the catalog up to date.
    pub fn needs_rendering(&self) -> bool {
        matches!(self, RenderState::OutOfDate { .. } | RenderState::Missing)
    }
}

/// A template to write, derived from another template or from a catalog.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ConversionRequest {
    /// Converts a template, or the template that a catalog is rendered from.
    Convert {
        template: String,
        into: TemplateKind,
    },
    /// Creates a template from a catalog, or from one of its packages.
    Make(NewTemplate),
}

/// The result of a [`ConversionRequest`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Conversion {
    Made {
        ops: Json<Vec<EditOp>>,
        /// Content that is lost although the template renders to the same catalog.
        remarks: Vec<String>,
    },
    /// No semver template renders to this graph. One line per difference.
    Differs(Vec<String>),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum RenderRequest {
    /// By their names in the mapping.
    Into(Vec<String>),
    /// A catalog that the mapping does not contain yet; rendering adds it.
    AlsoInto(String),
}

const RENDERED: &str = " (rendered)";

/// Returns the name of the root with a template's rendered form.
pub fn rendered_name(template: &str) -> String {
    format!("{template}{RENDERED}")
}

/// Returns the template of a rendered root; `None` for any other name.
pub fn template_of(root: &str) -> Option<&str> {
    root.strip_suffix(RENDERED)
}
