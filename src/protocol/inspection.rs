//! The inspector's content for a package, a channel, an entry or a bundle.

use crate::Json;
use crate::diagnostic::{Diagnostic, Location};
use serde::{Deserialize, Serialize};

/// A line of the inspector.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Fact {
    pub label: String,
    pub value: String,
    /// The meaning of the fact, shown as a second, dimmed line.
    pub note: String,
    /// The bundles of other packages that the note names.
    pub bundles: Vec<NamedBundle>,
    /// The position of the fact, if it is in a file.
    pub location: Option<Location>,
}

/// A bundle of a package of the catalog in view.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedBundle {
    pub package: String,
    pub name: String,
}

/// The subject of a group of facts, where it affects the presentation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum FactsAbout {
    #[default]
    Itself,
    Requires,
    /// Requirements of the head of a package's default channel, which new installs get.
    HeadRequires,
    RequiredBy,
    Provides,
    RelatedImages,
}

/// A titled group of facts.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FactGroup {
    pub about: FactsAbout,
    pub title: String,
    pub facts: Vec<Fact>,
}

/// A package's icon, if it is safe to show.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum IconView {
    #[default]
    None,
    /// A `data:` URL.
    Shown(String),
    /// Why it is not decoded: lower case, no final period.
    Refused(String),
}

/// The inspector's content.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Inspection {
    pub title: String,
    /// `package`, `channel`, `entry`, `absent entry`, `bundle`.
    pub kind: String,
    pub version: String,
    /// Channels that list it: name, and whether it is the default channel.
    pub channels: Vec<(String, bool)>,
    pub groups: Vec<FactGroup>,
    pub icon: IconView,
    /// A package's full description.
    pub description: String,
    pub problems: Vec<Json<Diagnostic>>,
    pub location: Option<Location>,
}
