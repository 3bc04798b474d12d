//! What stands in a namespace, what is asked of it and what is answered, as plain data.

use super::gvk::Gvk;
use crate::model::Package;
use crate::place::Text;

/// The namespace that is resolved; a catalog or subscription without a namespace means this one.
pub const NAMESPACE: &str = "ns";

/// A catalog that the namespace sees.
#[derive(Debug, Clone)]
pub struct Catalog<'a> {
    pub name: Text,
    pub namespace: Text,
    pub priority: i64,
    pub packages: Vec<&'a Package>,
}

#[derive(Debug, Clone, Default)]
pub struct Subscription {
    pub name: Text,
    pub package: Text,
    /// "" is any channel.
    pub channel: Text,
    pub catalog: Text,
    pub catalog_namespace: Text,
    /// "" when there is none.
    pub starting_csv: Text,
    /// `status.installedCSV`; "" when there is none.
    pub installed_csv: Text,
}

/// A ClusterServiceVersion in the namespace.
#[derive(Debug, Clone, Default)]
pub struct Csv {
    pub name: Text,
    pub version: Text,
    /// Type and JSON value of each property; `None` without the annotation that holds them.
    pub properties: Option<Vec<(Text, Text)>>,
    /// Owned and required CRDs, which count only without properties.
    pub owned: Vec<Gvk>,
    pub required: Vec<Gvk>,
    pub phase: Text,
    /// "" when there is none.
    pub replaces: Text,
}

/// What stands in the namespace and what it asks for.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// Its name for messages; "" is [`NAMESPACE`].
    pub namespace: Text,
    pub subscriptions: Vec<Subscription>,
    pub installed: Vec<Csv>,
    /// The operator group's strategy `TechPreviewUnsafeFailForward`.
    pub fail_forward: bool,
}

/// A catalog bundle that is to be installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chosen {
    pub catalog: Text,
    pub package: Text,
    pub channel: Text,
    pub name: Text,
    /// The installed CSV that it takes the place of; "" when there is none.
    pub replaces: Text,
    pub version: Text,
}

/// What is to be installed, sorted by name, and why each.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Resolution {
    pub bundles: Vec<Chosen>,
    pub why: Vec<String>,
    /// What becomes of each subscription, by name.
    pub subscriptions: Vec<Outcome>,
}

/// What becomes of a subscription.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    pub subscription: Text,
    pub state: State,
    /// What is installed now; "" for nothing.
    pub installed: Text,
    /// The bundle that is to be installed; "" when nothing is.
    pub bundle: Text,
    /// One sentence, names in backticks.
    pub why: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum State {
    Installs,
    Updates,
    /// It has the head of its channel.
    UpToDate,
    /// Entries lead on from what is installed, and none of them can be installed.
    HeldBack,
    /// No entry leads on from what is installed, and it is not the head. OLM reports nothing then.
    NoWayOn,
}

impl State {
    /// The spelling of the JSON contract.
    pub fn as_str(self) -> &'static str {
        match self {
            State::Installs => "installs",
            State::Updates => "updates",
            State::UpToDate => "up-to-date",
            State::HeldBack => "held-back",
            State::NoWayOn => "no-way-on",
        }
    }
}
