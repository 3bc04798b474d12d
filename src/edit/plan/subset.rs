//! Plans a subset: which blobs are removed, and what changes in the others.
//!
//! A catalog that passes `opm validate` still passes afterwards (`opm-semantics` 2.3). The
//! remaining entries of a channel are closed upwards: with an entry, every entry that replaces or
//! skips it remains. So there is still one head, and chains and skips stay complete; edges to
//! removed entries stay, since `opm` allows missing names. An upper bound also removes the head; if
//! that leaves several heads, the subset is refused. Channels without entries, unlisted bundles,
//! and the deprecations of both are removed. A removed default channel must be replaced.

use super::catalog_view::package_of;
use super::deprecate::remove_positions;
use super::entry_order::{Bundles, heads};
use super::packages::remove_blobs;
use super::{CatalogView, PlanResult, PlanStep, Refused, channels, did_you_mean};
use crate::patch::{Patch, path};
use catalog::model::{Body, ChannelBlob, DeprecationsBlob, Located, Package};
use catalog::version::Version;
use protocol::counting::{first_of, quoted};
use protocol::subset::{EntrySelection, PackageScoped, Selection};
use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

/// How to treat unreadable blobs and files, whose package is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unreadable {
    /// Refuse the subset if there are any.
    Refused,
    /// Remove them.
    LeftOut,
}

/// Plans a subset. An empty plan keeps everything.
pub fn plan(view: &CatalogView<'_>, selection: &Selection, unreadable: Unreadable) -> PlanResult {
    if selection.is_everything() {
        return Ok(Vec::new());
    }
    let mut steps = unreadable_blobs(view, unreadable)?;
    let packages = selected_packages(view, selection)?;
    let mut names: BTreeSet<&str> = packages.iter().map(|package| &*package.name).collect();
    check_scopes(view, selection, &packages)?;
    let has_named_packages = !selection.packages.is_empty();
    for package in packages {
        let subset = PackageSubset::new(view, selection, package)?;
        if !subset.add_steps(&mut steps)? {
            if has_named_packages {
                return Err(subset.empty_package_refusal());
            }
            names.remove(&*package.name);
        }
    }
    steps.extend(remove_other_packages(view, &names, has_named_packages));
    if names.is_empty() {
        return Err(Refused::new("the subset would be empty")
            .help("check the packages, channels and versions you selected"));
    }
    Ok(steps)
}

/// Returns the named packages without duplicates, or all.
fn selected_packages<'a>(
    view: &CatalogView<'a>,
    selection: &Selection,
) -> Result<Vec<&'a Package>, Refused> {
    if selection.packages.is_empty() {
        return Ok(view
            .catalog
            .packages()
            .map(|package| &**package)
            .filter(|p| !p.name.is_empty())
            .collect());
    }
    let names: BTreeSet<&str> = selection.packages.iter().map(String::as_str).collect();
    names.into_iter().map(|name| view.package(name)).collect()
}

/// Refuses a second version for a package, since one of the two would be ignored silently.
fn check_single_versions(versions: &[PackageScoped]) -> Result<(), Refused> {
    for (nth, second) in versions.iter().enumerate() {
        if let Some(first) = versions[..nth]
            .iter()
            .find(|first| first.package == second.package)
        {
            let subject = match &second.package {
                Some(name) => format!("package `{name}`"),
                None => "every package".to_owned(),
            };
            return Err(refused!(
                "{subject} has two versions: {} and {}",
                first.value,
                second.value
            )
            .help("give one version each; `--from A --to B` keeps a range"));
        }
    }
    Ok(())
}

/// Refuses packages and channels that the selection names without effect.
fn check_scopes(
    view: &CatalogView<'_>,
    selection: &Selection,
    packages: &[&Package],
) -> Result<(), Refused> {
    let (lower, upper): (&[PackageScoped], &[PackageScoped]) = match &selection.entries {
        EntrySelection::From(versions) | EntrySelection::Only(versions) => (versions, &[]),
        EntrySelection::Between { from, to } => (from, to),
        EntrySelection::All | EntrySelection::Heads => (&[], &[]),
    };
    check_single_versions(lower)?;
    check_single_versions(upper)?;
    for scoped in selection
        .channels
        .iter()
        .chain(&selection.default_channels)
        .chain(lower)
        .chain(upper)
    {
        let Some(name) = &scoped.package else {
            continue;
        };
        view.package(name)?;
        if !packages.iter().any(|package| *package.name == **name) {
            return Err(refused!(
                "`{name}={}` is for package `{name}`, which is not selected",
                scoped.value
            )
            .help(format!("add `--package {name}`")));
        }
    }
    for channel in selection
        .channels
        .iter()
        .chain(&selection.default_channels)
        .filter(|c| c.package.is_none())
    {
        if !packages
            .iter()
            .any(|package| package.channel(&channel.value).is_some())
        {
            let names = packages
                .iter()
                .flat_map(|package| &package.channels)
                .map(|c| c.name.as_str());
            let names: BTreeSet<&str> = names.collect();
            let refused = refused!(
                "none of the selected packages has a channel `{}`",
                channel.value
            );
            return Err(refused.help(did_you_mean(
                &channel.value,
                names,
                "`switchyard list channels` lists them",
            )));
        }
    }
    Ok(())
}

/// Refuses or removes unreadable blobs, whose package is unknown.
pub fn unreadable_blobs(view: &CatalogView<'_>, unreadable: Unreadable) -> PlanResult {
    let mut steps = Vec::new();
    for file in view.catalog.included_files() {
        if unreadable == Unreadable::Refused && file.is_unreadable() {
            return Err(refused!("`{}` cannot be read", file.path)
                .help("remove it or name it in `.indexignore`, or leave it out with `--partial`"));
        }
        for (index, blob) in (0..)
            .zip(file.blobs())
            .filter(|(_, blob)| matches!(blob.body, Body::Unreadable))
        {
            if unreadable == Unreadable::Refused {
                let place = blob
                    .faults
                    .first()
                    .map(|fault| fault.place)
                    .unwrap_or_default();
                return Err(
                    Refused::new("this blob cannot be read, so its package is unknown")
                        .help("fix it first, or leave it out with `--partial`")
                        .at(view.catalog.location(file.id, index, place)),
                );
            }
            steps.push(PlanStep::RemoveBlob {
                file: file.id,
                index,
            });
        }
    }
    Ok(steps)
}

/// Returns the steps that remove all blobs of other packages. Blobs without a package and with an
/// unknown schema belong to the catalog.
fn remove_other_packages(
    view: &CatalogView<'_>,
    names: &BTreeSet<&str>,
    has_named_packages: bool,
) -> Vec<PlanStep> {
    remove_blobs(view, |blob| match (&blob.body, package_of(blob)) {
        (Body::Other(_), Some("")) | (_, None) => false,
        // Blobs with an empty package are only removed if packages are selected.
        (_, Some("")) => has_named_packages,
        (_, Some(package)) => !names.contains(package),
    })
}

/// Returns the value for a package: its own, else the one for every package.
fn value_for<'s>(values: &'s [PackageScoped], package: &Package) -> Option<&'s str> {
    let specific = values
        .iter()
        .rfind(|value| value.package.as_deref() == Some(&*package.name));
    specific
        .or_else(|| values.iter().rfind(|value| value.package.is_none()))
        .map(|value| value.value.as_str())
}

/// The requested part of one package.
struct PackageSubset<'a, 's> {
    view: CatalogView<'a>,
    package: &'a Package,
    /// `None`: all.
    channels: Option<Vec<&'s str>>,
    entries: Entries<'s>,
    default_channel: Option<&'s str>,
}

/// A remaining channel, and the positions of its remaining entries.
struct RemainingChannel<'a> {
    channel: &'a Located<ChannelBlob>,
    entries: BTreeSet<usize>,
}

/// Which entries of a package's channels remain.
enum Entries<'s> {
    All,
    Versions(Bounds<'s>),
    Heads,
}

/// Version bounds as typed.
#[derive(Default)]
struct Bounds<'s> {
    from: Option<(&'s str, Version)>,
    to: Option<(&'s str, Version)>,
    only: Option<(&'s str, Version)>,
}

impl<'s> Bounds<'s> {
    fn parse(
        from: Option<&'s str>,
        to: Option<&'s str>,
        only: Option<&'s str>,
    ) -> Result<Entries<'s>, Refused> {
        let bounds = Self {
            from: from.map(parse_bound).transpose()?,
            to: to.map(parse_bound).transpose()?,
            only: only.map(parse_bound).transpose()?,
        };
        if let (Some((low, from)), Some((high, to))) = (&bounds.from, &bounds.to)
            && from.cmp_precedence(to).is_gt()
        {
            return Err(refused!("{low} is higher than {high}")
                .help("name the lower version with `--from` and the higher one with `--to`"));
        }
        let is_open = bounds.from.is_none() && bounds.to.is_none() && bounds.only.is_none();
        Ok(if is_open {
            Entries::All
        } else {
            Entries::Versions(bounds)
        })
    }

    /// Whether the version is requested. `written`: the bundle's own spelling.
    fn includes(&self, version: &Version, written: &str) -> bool {
        let from = self.from.as_ref().map(|(_, from)| from);
        from.is_none_or(|from| version.cmp_precedence(from).is_ge())
            && self.only.as_ref().is_none_or(|(text, only)| {
                // Build metadata only counts if it is given.
                version.cmp_precedence(only).is_eq() && (!text.contains('+') || *text == written)
            })
            && self.reaches(version)
    }

    /// Whether the version is not above the requested one.
    fn reaches(&self, version: &Version) -> bool {
        let to = self.to.as_ref().map(|(_, to)| to);
        to.is_none_or(|to| version.cmp_precedence(to).is_le())
    }

    /// Returns the command line option that requires readable versions of all entries.
    fn option(&self) -> &'static str {
        match (&self.only, &self.from) {
            (Some(_), _) => "--only",
            (None, Some(_)) => "--from",
            (None, None) => "--to",
        }
    }

    /// Describes the requested versions; the text follows "no entry".
    fn describe(&self) -> String {
        match (&self.only, &self.from, &self.to) {
            (Some((only, _)), ..) => format!("of version {only}"),
            (_, Some((from, _)), None) => format!("at {from} or later"),
            (_, None, Some((to, _))) => format!("at {to} or earlier"),
            (_, Some((from, _)), Some((to, _))) => format!("from {from} to {to}"),
            (None, None, None) => String::new(),
        }
    }
}

impl<'a, 's> PackageSubset<'a, 's> {
    fn new(
        view: &CatalogView<'a>,
        selection: &'s Selection,
        package: &'a Package,
    ) -> Result<Self, Refused> {
        let selected = selection.channels_of(&package.name);
        let entries = match &selection.entries {
            EntrySelection::All => Entries::All,
            EntrySelection::Heads => Entries::Heads,
            EntrySelection::From(from) => Bounds::parse(value_for(from, package), None, None)?,
            EntrySelection::Between { from, to } => {
                Bounds::parse(value_for(from, package), value_for(to, package), None)?
            }
            EntrySelection::Only(only) => Bounds::parse(None, None, value_for(only, package))?,
        };
        let is_for_this =
            |scoped: &&PackageScoped| scoped.package.as_deref() == Some(&*package.name);
        for channel in selection.channels.iter().filter(is_for_this) {
            view.channel(package, &channel.value)?;
        }
        let mut defaults = selection.default_channels.iter().rev();
        // A default for every package only applies to packages with such a channel.
        let default_channel = defaults.clone().find(is_for_this).or_else(|| {
            defaults.find(|c| c.package.is_none() && package.channel(&c.value).is_some())
        });
        let default_channel = default_channel.map(|channel| channel.value.as_str());
        let channels = (!selected.is_empty()).then_some(selected);
        Ok(Self {
            view: *view,
            package,
            channels,
            entries,
            default_channel,
        })
    }

    /// Adds the steps. Returns false if nothing of the package remains.
    fn add_steps(&self, steps: &mut Vec<PlanStep>) -> Result<bool, Refused> {
        if self.channels.is_none() && matches!(self.entries, Entries::All) {
            let all = self.package.channels.iter();
            let names: Vec<&str> = all.map(|channel| channel.name.as_str()).collect();
            self.set_default_channel(&names, steps)?;
            return Ok(true);
        }
        let remaining = self.remaining_channels()?;
        if remaining.is_empty() {
            return Ok(false);
        }
        self.remove_unselected(&remaining, steps);
        let names = remaining.iter().map(|r| r.channel.name.as_str());
        self.set_default_channel(&names.collect::<Vec<_>>(), steps)?;
        Ok(true)
    }

    /// Returns the remaining channels; none is empty.
    fn remaining_channels(&self) -> Result<Vec<RemainingChannel<'a>>, Refused> {
        let selected = self.channels.as_ref();
        let mut remaining = Vec::new();
        for channel in &self.package.channels {
            if selected.is_some_and(|names| !names.contains(&channel.name.as_str())) {
                continue;
            }
            let entries = self.remaining_entries(channel)?;
            if !entries.is_empty() {
                remaining.push(RemainingChannel { channel, entries });
            }
        }
        Ok(remaining)
    }

    fn remaining_entries(
        &self,
        channel: &Located<ChannelBlob>,
    ) -> Result<BTreeSet<usize>, Refused> {
        match &self.entries {
            Entries::All => Ok((0..channel.entries.len()).collect()),
            Entries::Heads => match heads(channel).as_slice() {
                [head] => Ok(BTreeSet::from([*head])),
                found => {
                    let has = if found.is_empty() {
                        "no head".to_owned()
                    } else {
                        format!("{} heads", found.len())
                    };
                    let reason = format!(
                        "channel `{}` of package `{}` has {has}",
                        channel.name.value, self.package.name
                    );
                    Err(Refused::new(reason)
                        .help("give it one head first, or select other channels")
                        .at(self.view.locate(channel, channel.name.place)))
                }
            },
            Entries::Versions(bounds) => self.entries_in_bounds(channel, bounds),
        }
    }

    /// Returns the entries with these versions. Below an upper bound, everything that replaces or
    /// skips one of them remains.
    fn entries_in_bounds(
        &self,
        channel: &Located<ChannelBlob>,
        bounds: &Bounds<'_>,
    ) -> Result<BTreeSet<usize>, Refused> {
        let bundles = Bundles::new(self.package);
        let mut kept = BTreeSet::new();
        let mut above_bound = BTreeSet::new();
        for (at, entry) in channel.entries.iter().enumerate() {
            let Some(version) = bundles.version(entry.name.as_str()) else {
                let name = entry.name.as_str();
                let why = if bundles.has(name) {
                    "has no single valid version"
                } else {
                    "has no bundle"
                };
                let reason = format!("`{name}` {why}, so `{}` cannot place it", bounds.option());
                return Err(Refused::new(reason)
                    .help("fix it first, or select other channels")
                    .at(self.view.locate(channel, entry.name.place)));
            };
            let bundle = self.package.bundle(entry.name.as_str());
            let written = bundle.map_or("", |bundle| bundle.version());
            if bounds.includes(&version.version, written) {
                kept.insert(at);
            } else if !bounds.reaches(&version.version) {
                above_bound.insert(at);
            }
        }
        if bounds.only.is_none() {
            close_upwards(channel, &mut kept, &above_bound);
        }
        self.check_single_head(channel, bounds, &kept)?;
        Ok(kept)
    }

    /// Refuses a channel with several heads, as `opm` does; removing upper entries may leave some.
    fn check_single_head(
        &self,
        channel: &Located<ChannelBlob>,
        bounds: &Bounds<'_>,
        kept: &BTreeSet<usize>,
    ) -> Result<(), Refused> {
        let heads = heads_among(channel, kept);
        if kept.is_empty() || heads.len() == 1 || bounds.from.is_some() && bounds.to.is_none() {
            return Ok(());
        }
        let names = quoted(heads);
        let has = match names.as_slice() {
            [] => "no head".to_owned(),
            names => format!("{} heads ({})", names.len(), first_of(names.iter(), 4)),
        };
        let reason = format!(
            "with only the entries {}, channel `{}` of package `{}` has {has}, which opm validate refuses",
            bounds.describe(),
            channel.name.value,
            self.package.name
        );
        let help =
            "keep one version, with `--only VERSION`, raise the bound, or select other channels";
        Err(Refused::new(reason)
            .help(help)
            .at(self.view.locate(channel, channel.name.place)))
    }

    fn empty_package_refusal(&self) -> Refused {
        let name = &self.package.name;
        let refused = match (&self.entries, &self.channels) {
            (Entries::Versions(bounds), _) => {
                let reason = format!(
                    "package `{name}` has no entry {} in the selected channels",
                    bounds.describe()
                );
                Refused::new(reason).help(self.describe_versions(bounds))
            }
            (_, Some(_)) => {
                let channels = self.package.channels.iter();
                let all = quoted(channels.map(|channel| &channel.name.value));
                let help = if all.is_empty() {
                    "it has no channels".to_owned()
                } else {
                    format!(
                        "it has {}; to select a channel of this package only, write `{name}=CHANNEL`",
                        all.join(", ")
                    )
                };
                refused!(
                    "package `{name}` has none of the selected channels, or they have no entries"
                )
                .help(help)
            }
            _ => refused!("package `{name}` has no channel with entries")
                .help("leave the package out"),
        };
        refused.at(self.view.locate_definition(self.package))
    }

    /// Describes the versions of the package's bundles, for a refusal.
    fn describe_versions(&self, bounds: &Bounds<'_>) -> String {
        let bundles = Bundles::new(self.package);
        let versions = self
            .package
            .bundles
            .iter()
            .filter_map(|b| bundles.version(b.name.as_str()));
        let mut versions: Vec<_> = versions.collect();
        versions.sort_by(|a, b| a.compare(b));
        match (versions.first(), versions.last()) {
            (Some(lowest), Some(highest)) if bounds.from.is_none() => format!(
                "its versions go from {} to {}; `switchyard list bundles` lists them",
                lowest.version, highest.version
            ),
            (_, Some(highest)) => {
                format!("the highest version of the package is {}", highest.version)
            }
            _ => "the package has no versions".to_owned(),
        }
    }

    /// Removes all other channels, entries and bundles, and the deprecations of removed objects.
    fn remove_unselected(&self, remaining: &[RemainingChannel<'_>], steps: &mut Vec<PlanStep>) {
        let mut bundles: HashSet<&str> = HashSet::new();
        let mut channels: HashSet<&str> = HashSet::new();
        for RemainingChannel { channel, entries } in remaining {
            channels.insert(channel.name.as_str());
            let entries = entries.iter().filter_map(|at| channel.entries.get(*at));
            bundles.extend(entries.map(|entry| entry.name.as_str()));
        }
        for channel in &self.package.channels {
            let Some(RemainingChannel { entries, .. }) = remaining
                .iter()
                .find(|r| (r.channel.file, r.channel.index) == (channel.file, channel.index))
            else {
                steps.push(PlanStep::remove(channel));
                continue;
            };
            let patches: Vec<Patch> = (0..channel.entries.len())
                .rev()
                .filter(|at| !entries.contains(at))
                .map(|at| Patch::remove(path!["entries", at]))
                .collect();
            if !patches.is_empty() {
                steps.push(PlanStep::patch(channel, patches));
            }
        }
        let removed = self
            .package
            .bundles
            .iter()
            .filter(|bundle| !bundles.contains(bundle.name.as_str()));
        steps.extend(removed.map(PlanStep::remove));
        for blob in &self.package.deprecations {
            let removed = self.deprecations_of_removed_objects(blob, &channels, &bundles);
            if !removed.is_empty() {
                steps.push(remove_positions(blob, removed));
            }
        }
    }

    /// Returns the positions of deprecations whose channel or bundle the subset removes.
    /// Deprecations of objects that never existed stay.
    fn deprecations_of_removed_objects(
        &self,
        blob: &DeprecationsBlob,
        channels: &HashSet<&str>,
        bundles: &HashSet<&str>,
    ) -> Vec<usize> {
        let entries = blob.entries.iter().enumerate();
        entries
            .filter(|(_, entry)| {
                let name = entry.name.as_str();
                match entry.schema.as_str() {
                    "olm.channel" => {
                        !channels.contains(name) && self.package.channel(name).is_some()
                    }
                    "olm.bundle" => !bundles.contains(name) && self.package.bundle(name).is_some(),
                    _ => false,
                }
            })
            .map(|(at, _)| at)
            .collect()
    }

    /// Sets the requested default channel. Refuses to drop the default channel without a
    /// replacement. `channels` are the remaining ones.
    fn set_default_channel(
        &self,
        channels: &[&str],
        steps: &mut Vec<PlanStep>,
    ) -> Result<(), Refused> {
        let quoted = quoted(channels).join(", ");
        let present = self.package.default_channel();
        let name = &self.package.name;
        let Some(requested) = self.default_channel else {
            if present.is_empty()
                || self.package.channel(present).is_none()
                || channels.contains(&present)
            {
                return Ok(());
            }
            let definition = self.package.packages.first();
            let reason =
                format!("the subset drops the default channel `{present}` of package `{name}`");
            let help = format!("choose another default channel: {quoted}");
            return Err(Refused::new(reason)
                .help(help)
                .at(definition.map(|p| self.view.locate(p, p.default_channel.place))));
        };
        if !channels.contains(&requested) {
            return Err(
                refused!("channel `{requested}` of package `{name}` is not selected")
                    .help(format!("choose the default channel from {quoted}")),
            );
        }
        let definition = self.view.definition(self.package)?;
        if definition.default_channel.as_str() != requested {
            steps.push(channels::set_default_step(definition, requested));
        }
        Ok(())
    }
}

/// Parses a version as people write it.
fn parse_bound(text: &str) -> Result<(&str, Version), Refused> {
    let version = Version::parse_tolerant(text).map_err(|error| {
        refused!("`{text}` is not a version: {error}").help("write it like `1.2.0`")
    })?;
    Ok((text, version))
}

/// Returns the entries that none of the others in `kept` replaces or skips.
fn heads_among<'c>(channel: &'c ChannelBlob, kept: &BTreeSet<usize>) -> Vec<&'c str> {
    let entries = || kept.iter().filter_map(|at| channel.entries.get(*at));
    let targets: HashSet<&str> = entries()
        .flat_map(|entry| entry.targets())
        .map(|name| name.as_str())
        .collect();
    entries()
        .map(|entry| entry.name.as_str())
        .filter(|name| !targets.contains(name))
        .collect()
}

/// Adds every entry that replaces or skips one of `kept` and, if `kept` is not empty, the single
/// head. Adds none of `above_bound`.
fn close_upwards(channel: &ChannelBlob, kept: &mut BTreeSet<usize>, above_bound: &BTreeSet<usize>) {
    if !kept.is_empty()
        && let [head] = heads(channel).as_slice()
        && !above_bound.contains(head)
    {
        kept.insert(*head);
    }
    let mut above: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, entry) in channel.entries.iter().enumerate() {
        let targets = entry.targets().map(|name| name.as_str());
        for name in targets.filter(|name| !name.is_empty()) {
            above.entry(name).or_default().push(at);
        }
    }
    let mut waiting: VecDeque<usize> = kept.iter().copied().collect();
    while let Some(at) = waiting.pop_front() {
        let Some(entry) = channel.entries.get(at) else {
            continue;
        };
        for &upper in above.get(entry.name.as_str()).into_iter().flatten() {
            if !above_bound.contains(&upper) && kept.insert(upper) {
                waiting.push_back(upper);
            }
        }
    }
}
