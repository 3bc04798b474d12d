//! Common imports of rules, and checks that several of them share.

pub use crate::validate::channel_scope::{ChannelScope, Graph};
pub use crate::validate::example::{Content, Example};
pub use crate::validate::explanation_chains::ExplanationChains;
pub(in crate::validate) use crate::validate::findings::Findings;
pub use crate::validate::findings::{Anchor, BlobRef, Causes, Corrected, Finding, NameCorrection};
pub use crate::validate::fix_builder::{FixBuilder, MisspeltEdge};
pub(in crate::validate) use crate::validate::rule_doc::{
    Missing, OpmVersion, RuleDoc, SharedCause,
};
pub use crate::validate::scope::{EntryView, Scope};
pub use crate::validate::simulation::Simulation;
pub use crate::validate::spelling::{misspelt, nearest};
pub use catalog::model::blob::DeprecationEntry;
pub use catalog::model::{BundleBlob, ChannelBlob, DeprecationsBlob};
pub use protocol::diagnostic::{
    Chain, ChainEntry, ChainLink, ChainMark, Explanation, Fix, Profile, Severity,
};
pub use protocol::operation::{Choice, DanglingEdges, EditOp, PromoteAs};
pub use syntax::go_text::quote;
pub use syntax::place::Place;

use crate::validate::explanation_chains::fold_one;
use catalog::version::Version;
use protocol::counting::first_of;
use syntax::order::SortSmall;

/// Maximum number of bundles in a new channel.
const MAX_BUNDLES: usize = 50;
/// The channel created for a package without channels.
const NEW_CHANNEL: &str = "stable";
/// Maximum number of channels offered as the default.
const MAX_DEFAULTS: usize = 5;
/// Maximum number of names in a message.
const MAX_NAMED: usize = 8;
/// Maximum number of names in an explanation.
pub const NAMES: usize = 20;

/// Builds fixes that set the default channel to a channel with entries. If there is only one and
/// the package names no other, the fix is unambiguous.
pub fn default_channel_fixes(scope: &Scope<'_>) -> Vec<Fix> {
    let mut names: Vec<&str> = scope
        .channels
        .iter()
        .filter(|c| !c.entries.is_empty())
        .map(|c| c.blob.name.as_str())
        .collect();
    names.sort_small();
    let is_named = scope
        .package
        .packages
        .iter()
        .any(|p| !p.default_channel.is_empty());
    let safe = names.len() == 1 && !is_named;
    names
        .into_iter()
        .take(MAX_DEFAULTS)
        .map(|name| {
            let op = EditOp::set_default_channel(&scope.package.name, name);
            Fix::from_op(format!("set the default channel to `{name}`"), safe, op)
        })
        .collect()
}

/// Builds the fix that defines a package which only other blobs mention: with its only channel as
/// the default, or with a channel that lists its bundles by version. `None` if there is more than
/// one plausible result.
pub fn define_package(scope: &Scope<'_>) -> Option<Fix> {
    let package = scope.package.name.to_string();
    let add_package = |default_channel: &str| EditOp::AddPackage {
        catalog: None,
        package: package.clone(),
        default_channel: default_channel.to_owned(),
        description: None,
        icon: None,
        file: None,
    };
    if !scope.package.channels.is_empty() {
        let [channel] = &scope.channels[..] else {
            return None;
        };
        let name = channel.blob.name.as_str();
        let title = format!("add package `{package}` with default channel `{name}`");
        return Some(Fix::from_op(title, false, add_package(name)).with_kind("define-package"));
    }
    let mut bundles: Vec<(Version, &str)> = Vec::new();
    for bundle in scope.package.bundles.iter().take(MAX_BUNDLES + 1) {
        bundles.push((Version::parse(bundle.version()).ok()?, bundle.name.as_str()));
    }
    bundles.sort_small_by(|(a, _), (b, _)| a.cmp_precedence(b));
    let is_ordered = bundles
        .windows(2)
        .all(|pair| pair[0].0.cmp_precedence(&pair[1].0).is_lt());
    if bundles.is_empty() || bundles.len() > MAX_BUNDLES || !is_ordered {
        return None;
    }
    let mut ops = vec![
        add_package(NEW_CHANNEL),
        EditOp::AddChannel {
            catalog: None,
            package: package.clone(),
            channel: NEW_CHANNEL.to_owned(),
            from: None,
        },
    ];
    ops.extend(bundles.iter().map(|(_, bundle)| EditOp::Promote {
        catalog: None,
        package: package.clone(),
        bundle: (*bundle).to_owned(),
        to: NEW_CHANNEL.to_owned(),
        how: None,
        replaces: Choice::default(),
        skip_range: Choice::default(),
    }));
    let title = format!(
        "add package `{package}` and channel `{NEW_CHANNEL}`, which lists its bundles in the order of their versions"
    );
    Some(Fix::new(title, false, ops).with_kind("define-package"))
}

pub fn set_skip_range(
    scope: &Scope<'_>,
    view: &EntryView<'_>,
    skip_range: Option<String>,
) -> EditOp {
    let (channel, name) = (&view.channel.blob.name.value, &view.entry.name.value);
    scope.place(channel, name).set_skip_range(skip_range)
}

/// Lists entry names in backticks, in list order, up to a limit.
pub fn shorten(channel: &ChannelScope<'_>, entries: &[usize]) -> String {
    first_of(
        entries.iter().map(|&e| format!("`{}`", channel.name_of(e))),
        MAX_NAMED,
    )
}

/// Builds a column of existing names for a missing one, with the probable one marked.
pub fn column<'n>(
    title: String,
    names: impl IntoIterator<Item = &'n str>,
    marks: impl Fn(&str) -> Vec<ChainMark>,
) -> Chain {
    let mut links: Vec<ChainLink> = Vec::new();
    for name in names {
        let marks = marks(name);
        if links.len() < MAX_NAMED || !marks.is_empty() && links.len() < NAMES {
            links.push(ChainLink::Entry(ChainEntry {
                name: name.to_owned(),
                marks,
                ..ChainEntry::default()
            }));
        } else {
            fold_one(&mut links);
        }
    }
    Chain { title, links }
}

/// Builds a column of the package's channels, with the default channel's status and the probable
/// channel.
pub fn channels_of(scope: &Scope<'_>, probable: Option<&str>) -> Chain {
    let default = scope.package.default_channel();
    let names = scope.channels.iter().map(|c| c.blob.name.as_str());
    column(
        format!("channels of `{}`", scope.package.name),
        names,
        |name| {
            let suggested = (probable == Some(name)).then_some(ChainMark::Suggested);
            (name == default)
                .then_some(ChainMark::Default)
                .into_iter()
                .chain(suggested)
                .collect()
        },
    )
}

pub fn misspelling(builder: &FixBuilder<'_, '_>, misspelt: &[MisspeltEdge<'_>]) -> Option<Causes> {
    let first = misspelt.iter().find(|m| m.same).or(misspelt.first())?;
    let field = if first.is_skip { "skips" } else { "replaces" };
    let (entry, intended) = (
        builder.channel.name_of(first.entry),
        builder.channel.name_of(first.intended),
    );
    let message = format!(
        "`{entry}` {field} `{}`, which is not in the channel and may be a misspelling of `{intended}`",
        first.written.value
    );
    Some(Causes {
        rule: None,
        message,
        at: builder.channel.anchor(first.written.place),
    })
}

/// Formats a reference in Go's `%#v` format.
pub fn reference(entry: &DeprecationEntry) -> String {
    format!(
        "declcfg.PackageScopedReference{{Schema:{}, Name:{}}}",
        quote(&entry.schema.value),
        quote(&entry.name.value)
    )
}

/// Names the subject of a deprecation.
pub fn thing(entry: &DeprecationEntry) -> String {
    match entry.schema.as_str() {
        "olm.package" => "the package".to_owned(),
        "olm.channel" => format!("channel `{}`", entry.name.value),
        "olm.bundle" => format!("bundle `{}`", entry.name.value),
        other => format!("`{other}` `{}`", entry.name.value),
    }
}
