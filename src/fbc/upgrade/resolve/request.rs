//! Data types of a resolution request and its answer.

use super::gvk::Gvk;
use crate::model::Package;
use crate::place::Text;

/// The namespace being resolved; catalogs and subscriptions without a namespace use it.
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
    /// "" means any channel.
    pub channel: Text,
    pub catalog: Text,
    pub catalog_namespace: Text,
    /// "" if there is none.
    pub starting_csv: Text,
    /// `status.installedCSV`; "" if there is none.
    pub installed_csv: Text,
}

/// A ClusterServiceVersion in the namespace.
#[derive(Debug, Clone, Default)]
pub struct Csv {
    pub name: Text,
    pub version: Text,
    /// Type and JSON value of each property; `None` without the annotation that holds them.
    pub properties: Option<Vec<(Text, Text)>>,
    /// Owned and required CRDs; used only without properties.
    pub owned: Vec<Gvk>,
    pub required: Vec<Gvk>,
    pub phase: Text,
    /// "" if there is none.
    pub replaces: Text,
}

/// The contents of a namespace, and its subscriptions.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// Its name in messages; "" means [`NAMESPACE`].
    pub namespace: Text,
    pub subscriptions: Vec<Subscription>,
    pub installed: Vec<Csv>,
    /// The operator group's strategy `TechPreviewUnsafeFailForward`.
    pub fail_forward: bool,
}

/// A catalog bundle to install.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chosen {
    pub catalog: Text,
    pub package: Text,
    pub channel: Text,
    pub name: Text,
    /// The installed CSV that it replaces; "" if there is none.
    pub replaces: Text,
    pub version: Text,
}

/// The bundles to install, sorted by name, each with its reason.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Resolution {
    pub bundles: Vec<Chosen>,
    pub why: Vec<String>,
    /// The outcome of each subscription, by name.
    pub subscriptions: Vec<Outcome>,
}

/// The outcome of a subscription.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    pub subscription: Text,
    pub state: State,
    /// The installed CSV; "" if there is none.
    pub installed: Text,
    /// The bundle to install; "" if there is none.
    pub bundle: Text,
    /// One sentence, with names in backticks.
    pub why: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum State {
    Installs,
    Updates,
    /// The head of its channel is installed.
    UpToDate,
    /// Entries update the installed CSV, but none of them can be installed.
    HeldBack,
    /// No entry updates the installed CSV, and it is not the head. OLM reports nothing in this
    /// case.
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
