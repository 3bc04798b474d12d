//! The state of the form for dropped bundles: defaults, choices, errors, and the placement that
//! the worker previews.

use super::command::Field;
use super::form_values::{FieldError, parse_names};
use super::operations::parse_choice;
use crate::widgets::combobox::Choice;
use crate::words;
use protocol::Json;
use protocol::bundles::{
    BundlePlacement, BundleRow, BundleTarget, DroppedBundles, NewPackageFields, NewPackageRow,
};
use protocol::operation::{ChannelPlacement, PromoteAs};
use protocol::views::{EntryRef, RootRow};
use std::collections::{BTreeMap, BTreeSet};

/// The default channel of a new package.
const FIRST_CHANNEL: &str = "stable";

/// The user's input in the form. Absent values come from the bundles and the catalog.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BundleInput {
    pub image: Option<String>,
    /// Names of excluded bundles.
    pub left_out: BTreeSet<String>,
    /// Channels that the user selected or deselected.
    pub channels: BTreeMap<String, bool>,
    /// Other channels as a list.
    pub other_channels: String,
    /// How the bundle enters its channels; `None` for by version.
    pub how: Option<PromoteAs>,
    pub replaces: String,
    pub skip_range: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfferedChannel {
    pub name: String,
    pub is_ticked: bool,
    /// Whether the package does not have the channel yet.
    pub is_new: bool,
}

/// The user's input with its context, from which the values of the form follow.
#[derive(Debug, Clone, Copy)]
pub struct BundleFormState<'a> {
    pub input: &'a BundleInput,
    pub dropped: &'a DroppedBundles,
    /// The lane that the bundles were dropped on.
    pub lane: Option<&'a str>,
    /// Whether a bundle does not name its image.
    pub lacks_image: bool,
}

impl<'a> BundleFormState<'a> {
    fn chosen_rows(self) -> impl Iterator<Item = &'a BundleRow> {
        self.dropped
            .bundles
            .iter()
            .filter(move |row| !self.input.left_out.contains(&row.name))
    }

    /// Returns the bundle to add if there is exactly one: only then can its position in the
    /// channels be chosen.
    pub fn only_row(self) -> Option<&'a BundleRow> {
        let mut chosen = self.chosen_rows();
        chosen.next().filter(|_| chosen.next().is_none())
    }

    /// Whether the catalog already has each bundle in each selected channel.
    pub fn adds_nothing(self) -> bool {
        let channels = self.selected_channels();
        let is_listed = |row: &BundleRow| {
            let is_listed_in = |channel: &String| {
                self.dropped
                    .entries
                    .iter()
                    .any(|entry| entry.channel == *channel && entry.name == row.name)
            };
            channels.iter().all(is_listed_in)
        };
        !self.dropped.target.is_template()
            && self.chosen_rows().next().is_some()
            && self.chosen_rows().all(|row| row.is_there && is_listed(row))
    }

    fn new_package(self) -> Option<&'a NewPackageRow> {
        match self.dropped.new_packages.as_slice() {
            [one] => Some(one),
            _ => None,
        }
    }

    /// Returns the channels of the packages, then those that only the bundles name.
    pub fn channels(self) -> Vec<OfferedChannel> {
        let existing: Vec<&str> = self.dropped.channels.iter().map(String::as_str).collect();
        let in_bundles = self.channels_in_bundles(&existing);
        let preselected = self.preselected_channels(&existing, &in_bundles);
        let new = in_bundles
            .iter()
            .copied()
            .filter(|name| !existing.contains(name));
        existing
            .iter()
            .copied()
            .chain(new)
            .map(|name| OfferedChannel {
                name: name.to_owned(),
                is_ticked: match self.input.channels.get(name) {
                    Some(is_ticked) => *is_ticked,
                    None => preselected.contains(&name),
                },
                is_new: !existing.contains(&name),
            })
            .collect()
    }

    /// Returns the distinct channels that the bundles name, or the default of a new package.
    fn channels_in_bundles(self, existing: &[&str]) -> Vec<&'a str> {
        let mut names: Vec<&str> = Vec::new();
        for name in self.dropped.bundles.iter().flat_map(|row| &row.channels) {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        if self.dropped.target == BundleTarget::SemverTemplate {
            // A semver template generates its channels from versions.
            names.retain(|name| existing.contains(name));
        }
        if existing.is_empty() && names.is_empty() {
            names.push(FIRST_CHANNEL);
        }
        names
    }

    /// Returns the initially selected channels: the drop's lane, else the channels that the bundles
    /// name, else the default channel.
    fn preselected_channels(self, existing: &[&'a str], in_bundles: &[&'a str]) -> Vec<&'a str> {
        match self.lane {
            Some(lane) if self.dropped.target == BundleTarget::SemverTemplate => {
                // A list of the template is drawn as several lanes: `fast-v1.2`.
                let is_list_of_lane = |list: &&str| {
                    let suffix = lane.strip_prefix(list);
                    suffix.is_some_and(|suffix| suffix.is_empty() || suffix.starts_with('-'))
                };
                existing.iter().copied().filter(is_list_of_lane).collect()
            }
            Some(lane) => vec![lane],
            None if !self.dropped.new_packages.is_empty() => in_bundles.to_vec(),
            None => {
                let mut known = in_bundles.to_vec();
                known.retain(|name| existing.contains(name));
                if known.is_empty() {
                    known.extend(existing.first());
                }
                known
            }
        }
    }

    pub fn selected_channels(self) -> Vec<String> {
        let mut selected: Vec<String> = self
            .channels()
            .into_iter()
            .filter(|channel| channel.is_ticked)
            .map(|channel| channel.name)
            .collect();
        for name in parse_names(&self.input.other_channels) {
            if self.can_create_channels() && !selected.contains(&name) {
                selected.push(name);
            }
        }
        selected
    }

    /// Whether the bundles can create channels: those of a semver template are generated from
    /// versions.
    pub fn can_create_channels(self) -> bool {
        self.dropped.target != BundleTarget::SemverTemplate
    }

    /// Whether the bundle's position in a channel can be chosen: for a single bundle added to a
    /// catalog.
    pub fn has_entry_fields(self) -> bool {
        self.only_row().is_some() && !self.dropped.target.is_template()
    }

    /// Returns the fields of the new package; its default channel is a selected one.
    fn package_fields(self) -> Option<NewPackageFields> {
        let mut fields = self.new_package()?.fields.clone();
        let selected = self.selected_channels();
        if let Some(first) = selected.first()
            && !selected.contains(&fields.default_channel)
        {
            fields.default_channel = first.clone();
        }
        Some(fields)
    }

    /// Returns the text of the image field: a pattern based on the newest bundle's image if an
    /// image is missing.
    pub fn image(self) -> String {
        match &self.input.image {
            Some(image) => image.clone(),
            None if self.lacks_image => self.dropped.image_template.clone(),
            None => String::new(),
        }
    }

    /// Returns the text of the range field: from the bundle, else continuing the previous entries'
    /// pattern.
    pub fn skip_range(self) -> String {
        self.input
            .skip_range
            .clone()
            .or_else(|| self.range_in_bundle())
            .or_else(|| self.continued_range())
            .unwrap_or_default()
    }

    fn range_in_bundle(self) -> Option<String> {
        let range = &self.only_row()?.skip_range;
        (!range.is_empty()).then(|| range.clone())
    }

    /// Returns the range that continues the pattern of the newest entries in all selected channels;
    /// `None` if they differ.
    fn continued_range(self) -> Option<String> {
        let row = self.only_row()?;
        let channels = self.selected_channels();
        let range_in = |channel: &String| {
            let pattern = self
                .dropped
                .range_patterns
                .iter()
                .find(|pattern| pattern.channel == *channel)?;
            pattern.for_version(&row.version)
        };
        let first = range_in(channels.first()?)?;
        channels
            .iter()
            .all(|channel| range_in(channel).as_ref() == Some(&first))
            .then_some(first)
    }

    /// Returns the placement to query from the worker. `file` is as in [`BundlePlacement::file`].
    pub fn placement(self, root: &str, file: &str) -> BundlePlacement {
        let placement = match self.only_row() {
            Some(_) => ChannelPlacement {
                how: self.input.how,
                replaces: parse_choice(self.input.replaces.trim()),
                skip_range: parse_choice(match self.skip_range().trim() {
                    // The default would be the bundle's own range.
                    "" if self.input.skip_range.is_some() => "none",
                    range => range,
                }),
            },
            None => ChannelPlacement::default(),
        };
        BundlePlacement {
            root: root.to_owned(),
            image: self.image().trim().to_owned(),
            left_out: self.input.left_out.iter().cloned().collect(),
            channels: self.selected_channels(),
            entering: Json(placement),
            texts: self.package_fields(),
            file: file.to_owned(),
        }
    }

    /// The errors are shown only after the first attempt to apply.
    pub fn errors(self) -> Vec<FieldError> {
        let mut errors = Vec::new();
        let mut lacking_image = self.chosen_rows().filter(|row| row.image.is_empty());
        if !self.adds_nothing()
            && let Some(row) = lacking_image.next()
        {
            let image = self.image();
            let is_shared = self.only_row().is_none() && !image.is_empty() && !image.contains("{{");
            let reason = if is_shared {
                "Each bundle needs its own image: use a template".to_owned()
            } else {
                format!("The image of {} is needed", row.name)
            };
            errors.push(FieldError::new(Field::Image, reason));
        }
        if self.chosen_rows().next().is_none() {
            errors.push(FieldError::new(Field::Bundle, "No bundle is selected"));
        }
        if self.dropped.target.is_template() && self.selected_channels().is_empty() {
            errors.push(FieldError::new(
                Field::ToChannel,
                "A template lists each bundle in a channel: select a channel",
            ));
        }
        errors
    }

    pub fn image_choices(self) -> Vec<Choice> {
        let template = &self.dropped.image_template;
        if template.is_empty() {
            Vec::new()
        } else {
            vec![Choice::new(template, "as in the newest bundle")]
        }
    }

    pub fn replaces_choices(self) -> Vec<Choice> {
        let selected = self.selected_channels();
        let mut out = vec![Choice::new("none", "replaces nothing")];
        let from_bundle = self.only_row().map_or("", |row| row.replaces.as_str());
        for EntryRef { channel, name } in self
            .dropped
            .entries
            .iter()
            .filter(|entry| selected.contains(&entry.channel))
        {
            if out.iter().all(|choice| choice.value != *name) {
                let note = if name == from_bundle {
                    "from the bundle".to_owned()
                } else {
                    format!("in {channel}")
                };
                out.push(Choice::new(name, note));
            }
        }
        out
    }

    pub fn skip_range_choices(self) -> Vec<Choice> {
        let from_bundle = self
            .range_in_bundle()
            .map(|range| Choice::new(&range, "from the bundle"));
        let continued = self
            .continued_range()
            .map(|range| Choice::new(&range, "continues the previous entries"));
        from_bundle
            .into_iter()
            .chain(continued)
            .chain([Choice::new("none", "no skip range")])
            .collect()
    }

    pub fn title(self) -> String {
        let channels = self.selected_channels();
        let bundles = match (self.only_row(), self.chosen_rows().count() as u32) {
            (Some(row), _) => row.name.clone(),
            (None, count) => words::count(count, "bundle"),
        };
        if channels.is_empty() {
            format!("Add {bundles}")
        } else {
            format!("Add {bundles} to {}", channels.join(", "))
        }
    }
}

/// Whether dropped bundles can be added: to a file-based catalog or a template.
pub fn accepts_bundles(row: &RootRow) -> bool {
    row.is_catalog()
        || row
            .template
            .as_ref()
            .is_some_and(|template| template.is_rendered)
}

/// Returns the default target of dropped bundles: what is in view, or the template that renders it,
/// or else the first catalog.
pub fn default_bundle_target<'r>(roots: &'r [RootRow], root_in_view: &str) -> Option<&'r str> {
    let find_target = |name: &str| {
        roots
            .iter()
            .find(|row| row.root == name && accepts_bundles(row))
    };
    let in_view = roots.iter().find(|row| row.root == root_in_view);
    let rendering_template = in_view
        .and_then(|row| row.rendered.as_ref())
        .and_then(|rendered| find_target(&rendered.template));
    let first = || {
        roots
            .iter()
            .find(|row| row.is_catalog())
            .or_else(|| roots.iter().find(|row| accepts_bundles(row)))
    };
    find_target(root_in_view)
        .or(rendering_template)
        .or_else(first)
        .map(|row| row.root.as_str())
}

/// Returns a short description of a bundle's content.
pub fn describe_bundle(row: &BundleRow) -> String {
    let mut facts = vec![format!("package {}", row.package)];
    for (count, noun) in [
        (row.provides, "API"),
        (row.requires, "requirement"),
        (row.related_images, "related image"),
    ] {
        if count > 0 {
            facts.push(words::count(count, noun));
        }
    }
    facts.join(" · ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::bundles::RangePattern;
    use protocol::operation::Choice as Given;
    use protocol::templates::{RenderedRow, TemplateRow};

    fn row(name: &str, image: &str, channels: &[&str]) -> BundleRow {
        BundleRow {
            name: name.into(),
            package: "p".into(),
            image: image.into(),
            channels: channels.iter().map(|name| (*name).to_owned()).collect(),
            ..BundleRow::default()
        }
    }

    fn new_package(fields: NewPackageFields) -> NewPackageRow {
        NewPackageRow {
            name: "p".into(),
            fields,
        }
    }

    /// Returns a package with `stable` and `fast`.
    fn dropped_bundles(bundles: Vec<BundleRow>) -> DroppedBundles {
        DroppedBundles {
            bundles,
            channels: vec!["stable".into(), "fast".into()],
            entries: vec![
                EntryRef {
                    channel: "stable".into(),
                    name: "p.v1".into(),
                },
                EntryRef {
                    channel: "fast".into(),
                    name: "p.v2".into(),
                },
            ],
            image_template: "a/p:v{{.Version}}".into(),
            ..DroppedBundles::default()
        }
    }

    fn form_state<'a>(
        input: &'a BundleInput,
        dropped: &'a DroppedBundles,
        lane: Option<&'a str>,
    ) -> BundleFormState<'a> {
        BundleFormState {
            input,
            dropped,
            lane,
            lacks_image: dropped.bundles.iter().any(|row| row.image.is_empty()),
        }
    }

    fn ticked(input: &BundleInput, dropped: &DroppedBundles, lane: Option<&str>) -> Vec<String> {
        form_state(input, dropped, lane).selected_channels()
    }

    #[test]
    fn skips_bundles_that_the_catalog_already_has() {
        let input = BundleInput::default();
        let known = |name: &str| {
            dropped_bundles(vec![BundleRow {
                is_there: true,
                ..row(name, "", &["stable"])
            }])
        };
        assert!(form_state(&input, &known("p.v1"), None).adds_nothing());
        assert!(
            form_state(&input, &known("p.v1"), None).errors().is_empty(),
            "no image is required"
        );
        assert!(
            !form_state(&input, &known("p.v2"), None).adds_nothing(),
            "stable does not list it"
        );
        assert!(
            !form_state(
                &input,
                &dropped_bundles(vec![row("p.v1", "", &["stable"])]),
                None
            )
            .adds_nothing()
        );
    }

    #[test]
    fn preselects_channels_by_lane_and_bundle() {
        let input = BundleInput::default();
        let in_channels = |channels: &[&str]| dropped_bundles(vec![row("p.v3", "", channels)]);
        assert_eq!(
            ticked(&input, &in_channels(&["fast", "beta"]), None),
            ["fast"],
            "the catalog has no channel beta"
        );
        assert_eq!(
            ticked(&input, &in_channels(&["beta"]), None),
            ["stable"],
            "the default channel"
        );
        assert_eq!(
            ticked(&input, &in_channels(&["fast"]), Some("stable")),
            ["stable"],
            "the lane"
        );
        let new = DroppedBundles {
            new_packages: vec![new_package(NewPackageFields::default())],
            channels: Vec::new(),
            ..in_channels(&["beta", "fast"])
        };
        assert_eq!(ticked(&input, &new, None), ["beta", "fast"]);
        assert_eq!(
            ticked(
                &input,
                &DroppedBundles {
                    bundles: vec![row("p.v3", "", &[])],
                    ..new
                },
                None
            ),
            ["stable"]
        );
        let input = BundleInput {
            channels: BTreeMap::from([("fast".to_owned(), false), ("beta".to_owned(), true)]),
            other_channels: "gamma, beta".into(),
            ..input
        };
        assert_eq!(
            ticked(&input, &in_channels(&["fast", "beta"]), None),
            ["beta", "gamma"]
        );
    }

    #[test]
    fn skip_range_follows_the_previous_entries() {
        let pattern = |channel: &str, before: &str| RangePattern {
            channel: channel.into(),
            before: before.into(),
            ..RangePattern::default()
        };
        let dropped = |bundles| DroppedBundles {
            range_patterns: vec![pattern("stable", ">=1.0.0 <"), pattern("fast", ">=2.0.0 <")],
            ..dropped_bundles(bundles)
        };
        let new = |channels: &[&str]| BundleRow {
            version: "3.0.0".into(),
            ..row("p.v3", "", channels)
        };
        let range = |dropped: &DroppedBundles| {
            form_state(&BundleInput::default(), dropped, None).skip_range()
        };
        assert_eq!(range(&dropped(vec![new(&["stable"])])), ">=1.0.0 <3.0.0");
        assert_eq!(
            range(&dropped(vec![new(&["stable", "fast"])])),
            "",
            "the channels differ"
        );
        let with_range = BundleRow {
            skip_range: "<3.0.0".into(),
            ..new(&["stable"])
        };
        assert_eq!(
            range(&dropped(vec![with_range.clone()])),
            "<3.0.0",
            "the range of the bundle"
        );
        let cleared = BundleInput {
            skip_range: Some(String::new()),
            ..BundleInput::default()
        };
        assert_eq!(
            form_state(&cleared, &dropped(vec![new(&["stable"])]), None).skip_range(),
            ""
        );
        let with_range = dropped(vec![with_range]);
        let placement = form_state(&cleared, &with_range, None).placement("r", "");
        assert_eq!(placement.entering.0.skip_range, Given::None);
    }

    #[test]
    fn placement_has_the_values_of_the_form() {
        let dropped = dropped_bundles(vec![BundleRow {
            skip_range: "<3.0.0".into(),
            ..row("p.v3", "", &["fast"])
        }]);
        let input = BundleInput {
            how: Some(PromoteAs::Head),
            replaces: "none".into(),
            ..BundleInput::default()
        };
        let placement = form_state(&input, &dropped, None).placement("r", "");
        assert_eq!(
            (placement.image.as_str(), placement.channels.as_slice()),
            ("a/p:v{{.Version}}", &["fast".to_owned()][..])
        );
        let ChannelPlacement {
            how,
            replaces,
            skip_range,
        } = placement.entering.0;
        assert_eq!(
            (how, replaces, skip_range),
            (
                Some(PromoteAs::Head),
                Given::None,
                Given::Value("<3.0.0".into())
            )
        );
        let two = dropped_bundles(vec![row("p.v3", "a/b:c", &[]), row("p.v4", "a/b:d", &[])]);
        let placement = form_state(&input, &two, None).placement("r", "");
        assert_eq!(
            (placement.image.as_str(), placement.entering.0),
            ("", ChannelPlacement::default()),
            "each enters by its version"
        );
    }

    #[test]
    fn new_package_texts_come_from_the_bundle() {
        let texts = NewPackageFields {
            default_channel: "beta".into(),
            description: "d".into(),
            icon: "aWNvbg==".into(),
        };
        let dropped = DroppedBundles {
            bundles: vec![row("p.v3", "a/b:c", &["alpha", "beta"])],
            new_packages: vec![new_package(texts.clone())],
            ..DroppedBundles::default()
        };
        let texts_for = |input: &BundleInput| form_state(input, &dropped, None).package_fields();
        assert_eq!(texts_for(&BundleInput::default()), Some(texts));
        let without = BundleInput {
            channels: BTreeMap::from([("beta".to_owned(), false)]),
            ..BundleInput::default()
        };
        let texts = texts_for(&without).expect("a new package");
        assert_eq!(texts.default_channel, "alpha", "a selected channel");
    }

    #[test]
    fn missing_values_are_reported_at_their_field() {
        let input = BundleInput::default();
        let dropped = DroppedBundles {
            image_template: String::new(),
            ..dropped_bundles(vec![row("p.v3", "", &[])])
        };
        let errors = form_state(&input, &dropped, None).errors();
        assert_eq!(
            errors,
            [FieldError::new(Field::Image, "The image of p.v3 is needed")]
        );
        let out = BundleInput {
            left_out: BTreeSet::from(["p.v3".to_owned()]),
            ..input
        };
        assert_eq!(
            form_state(&out, &dropped, None).errors()[0].field,
            Field::Bundle
        );
    }

    #[test]
    fn the_step_title_names_the_added_bundles() {
        let (input, two) = (
            BundleInput::default(),
            dropped_bundles(vec![row("a", "x", &[]), row("b", "x", &[])]),
        );
        assert_eq!(
            form_state(&input, &two, Some("fast")).title(),
            "Add 2 bundles to fast"
        );
        let one = dropped_bundles(vec![row("a", "x", &[])]);
        assert_eq!(form_state(&input, &one, None).title(), "Add a to stable");
        assert_eq!(describe_bundle(&one.bundles[0]), "package p");
    }

    #[test]
    fn bundles_are_added_to_the_current_catalog() {
        let catalog = |root: &str| RootRow {
            root: root.into(),
            ..RootRow::default()
        };
        let template = |root: &str, is_rendered| RootRow {
            template: Some(TemplateRow {
                is_rendered,
                ..TemplateRow::default()
            }),
            ..catalog(root)
        };
        let rendered = RootRow {
            rendered: Some(RenderedRow {
                template: "t".into(),
                ..RenderedRow::default()
            }),
            ..catalog("of t")
        };
        let roots = [
            template("composite", false),
            template("t", true),
            catalog("a"),
            catalog("b"),
            rendered,
        ];
        let target = |here| default_bundle_target(&roots, here);
        assert_eq!(
            [target("b"), target("t"), target("of t")],
            [Some("b"), Some("t"), Some("t")]
        );
        assert_eq!(
            [target("composite"), target("")],
            [Some("a"); 2],
            "else the first catalog"
        );
        assert_eq!(default_bundle_target(&roots[..2], ""), Some("t"));
        assert_eq!(default_bundle_target(&roots[..1], "composite"), None);
    }

    #[test]
    fn semver_templates_offer_only_their_lists() {
        let dropped = DroppedBundles {
            target: BundleTarget::SemverTemplate,
            bundles: vec![row("p.v3", "a/p:v3", &["alpha", "stable"])],
            channels: ["candidate", "fast", "stable"].map(str::to_owned).to_vec(),
            ..DroppedBundles::default()
        };
        let input = BundleInput {
            other_channels: "more".into(),
            ..BundleInput::default()
        };
        assert_eq!(
            form_state(&input, &dropped, Some("fast-v1.2")).selected_channels(),
            ["fast"],
            "the list of the lane"
        );
        let offered: Vec<_> = form_state(&input, &dropped, None)
            .channels()
            .into_iter()
            .map(|channel| channel.name)
            .collect();
        assert_eq!(
            offered, dropped.channels,
            "alpha is not a list of the template"
        );
        assert_eq!(
            form_state(&input, &dropped, None).selected_channels(),
            ["stable"],
            "the channel in the bundle"
        );
        assert!(!form_state(&input, &dropped, None).has_entry_fields());
        let none = BundleInput {
            channels: BTreeMap::from([("stable".to_owned(), false)]),
            ..BundleInput::default()
        };
        assert_eq!(
            form_state(&none, &dropped, None).errors()[0].field,
            Field::ToChannel
        );
    }
}
