//! What the inspector shows of a package, a channel, an entry or a bundle.

use crate::Json;
use crate::diagnostic::{Diagnostic, Location};
use serde::{Deserialize, Serialize};

/// A line of the inspector.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Fact {
    pub label: String,
    pub value: String,
    /// A second, dimmed line: what it means.
    pub note: String,
    /// Where it is written, if it is.
    pub location: Option<Location>,
}

/// What a group of facts is about, where that decides how it is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum FactsAbout {
    #[default]
    Itself,
    /// What a bundle requires.
    Requires,
    /// What the head of a package's default channel requires, which new installs get.
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

/// A package's picture, as far as it may be shown.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum IconView {
    #[default]
    None,
    /// A `data:` URL.
    Shown(String),
    /// Why it is not decoded: lower case, without a period.
    Refused(String),
}

/// What the inspector shows.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Inspection {
    pub title: String,
    /// `package`, `channel`, `entry`, `bundle`.
    pub kind: String,
    pub version: String,
    /// Channels that list it: name, and whether it is the default channel.
    pub channels: Vec<(String, bool)>,
    pub groups: Vec<FactGroup>,
    pub icon: IconView,
    /// A package's description, whole.
    pub description: String,
    pub problems: Vec<Json<Diagnostic>>,
    pub location: Option<Location>,
}
