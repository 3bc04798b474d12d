//! Data types of an upgrade question and its answer, and the repetition of steps to a path. Knows
//! neither Classic nor v1.

use catalog::version::version_line::Cut;
use protocol::upgrades::BundleVersion;
use syntax::hashed::HashSet;
use syntax::place::Text;

pub use protocol::destination::{EdgeKind, ErrorKind, UpgradeError};
pub use protocol::views::{Lens, Policy};

/// The installed bundle. Carries its version, because the catalog may no longer contain the bundle.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Installed {
    pub name: Text,
    pub version: Text,
    /// The release that a cluster with the gate BundleReleaseSupport reports apart from the
    /// version; `None` without the gate.
    pub release: Option<Text>,
}

/// The default allows any channel and any version along the catalog's own edges.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Options {
    /// v1: the allowed channels; empty allows all. v0: only the first counts, as the subscribed
    /// channel; none (or "") means any channel, the default one first.
    pub channels: Vec<String>,
    /// v1 only: a version range in Masterminds syntax; `None` or "" means no filter.
    pub range: Option<String>,
    /// v1 only.
    pub policy: Policy,
    /// v0 only, and only for a fresh install: the bundle to install first.
    pub starting_csv: Option<String>,
    /// v0 only: the Subscription's name in messages; defaults to the package name.
    pub subscription: Option<String>,
}

impl Options {
    /// Creates the options of a question about one channel.
    pub fn for_channel(channel: &str) -> Self {
        Self {
            channels: vec![channel.to_owned()],
            ..Self::default()
        }
    }

    pub(super) fn subscription_name<'o>(&'o self, package: &'o str) -> &'o str {
        match self.subscription.as_deref() {
            None | Some("") => package,
            Some(name) => name,
        }
    }
}

/// The next step of an installed bundle.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Answer {
    /// `None` without an error: the installed bundle is kept.
    pub next: Option<Successor>,
    /// Sentences for the user, with names in backticks, the most important first.
    pub why: Vec<String>,
    pub error: Option<UpgradeError>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Successor {
    pub name: Text,
    /// The spelling in the bundle's first `olm.package` property; with the gate
    /// BundleReleaseSupport without the build metadata that is a release.
    pub version: Text,
    /// As in [`Installed::release`]: "" if the bundle has none.
    pub release: Option<Text>,
    /// The channel of the entry with the edge; "" if no channel lists the bundle (v1).
    pub channel: Text,
    pub edge: EdgeKind,
    /// v1 with several catalogs: the catalog that offers the bundle; otherwise "".
    pub catalog: Text,
}

impl Installed {
    pub fn new(name: impl Into<Text>, version: impl Into<Text>) -> Self {
        Self {
            name: name.into(),
            version: version.into(),
            release: None,
        }
    }
}

impl From<&Installed> for BundleVersion {
    fn from(installed: &Installed) -> Self {
        Self {
            name: installed.name.to_string(),
            version: installed.version.to_string(),
        }
    }
}

impl Successor {
    pub fn as_installed(&self) -> Installed {
        Installed {
            name: self.name.clone(),
            version: self.version.clone(),
            release: self.release.clone(),
        }
    }
}

impl Answer {
    pub fn fail(error: UpgradeError, why: Vec<String>) -> Self {
        Self {
            next: None,
            why,
            error: Some(error),
        }
    }
}

/// The next step of an unlisted version. Classic keeps the installed bundle without an error.
pub type UnlistedStep = Result<Option<Installed>, ErrorKind>;

/// The next step of all unlisted versions.
#[derive(Debug, Clone)]
pub struct UnlistedSteps {
    /// Consecutive stretches of the version axis, ascending from its start.
    pub stretches: Vec<(Cut, UnlistedStep)>,
}

impl UnlistedSteps {
    pub(super) fn everywhere(step: UnlistedStep) -> Self {
        Self {
            stretches: vec![(Cut::start(), step)],
        }
    }
}

/// The visited names, starting with the installed one (or the first one installed).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Path {
    pub steps: Vec<Text>,
    /// Whether the last name is a repetition: the path is then an endless cycle.
    pub looped: bool,
    /// One sentence per step, and why the path ends.
    pub why: Vec<String>,
    /// The error that ended the path, if any.
    pub error: Option<UpgradeError>,
}

/// Calls `next` with its own last answer until no step follows. Terminates because names eventually
/// repeat.
pub fn follow(
    installed: Option<&Installed>,
    mut next: impl FnMut(Option<&Installed>) -> Answer,
) -> Path {
    let mut path = Path {
        steps: installed.iter().map(|i| i.name.clone()).collect(),
        ..Path::default()
    };
    let mut seen: HashSet<Text> = path.steps.iter().cloned().collect();
    let mut current = installed.cloned();
    loop {
        let answer = next(current.as_ref());
        path.why.extend(answer.why.into_iter().next());
        path.error = answer.error;
        let Some(step) = answer.next else { return path };
        path.looped = !seen.insert(step.name.clone());
        path.steps.push(step.name.clone());
        if path.looped {
            path.why.push(format!(
                "`{}` is already on the path: the path is a cycle",
                step.name
            ));
            return path;
        }
        current = Some(step.as_installed());
    }
}
