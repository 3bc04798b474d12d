//! Edits a semver template: an operation becomes a change of its three lists and its flags.
//! Operations that these cannot express are refused, with a suggested conversion to a basic
//! template.
//!
//! Channels and edges follow from bundle versions, so an operation on a channel changes the list
//! behind the channel.

use super::file_updates::FileUpdate;
use super::open_bundles::OpenBundles;
use super::rendered_catalogs::RenderedState;
use super::{Planner, Refused, template_updates};
use catalog::model::{FileId, Semver, Template};
use catalog::version::Version;
use edit::patch::{Intent, Patch, PathSegment, Value, WhenEmpty, path};
use edit::plan as planning;
use protocol::operation::{Choice, DanglingEdges, EditOp};
use std::cmp::Ordering;
use syntax::go_text::names_field;
use syntax::tree::{NodeId, Tree};
use syntax::{self, scalar};
use template::render::{Missing, Options, render};
use template::source_lines::list_of_channel;

/// The template's document.
const DOCUMENT: u32 = 0;

/// Fields of a semver template in their usual order.
const FIELDS: [&str; 7] = [
    "schema",
    "generateMajorChannels",
    "generateMinorChannels",
    "defaultChannelTypePreference",
    "candidate",
    "fast",
    "stable",
];

/// A change of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Change {
    /// Adds an image to a list.
    Add { list: &'static str, image: String },
    /// Removes an image from a list.
    Remove { list: &'static str, at: usize },
    /// Replaces one image with another.
    Replace {
        list: &'static str,
        at: usize,
        image: String,
    },
    /// The type of the default channel, and the resulting channel.
    SetDefaultChannelType { kind: &'static str, channel: String },
}

/// The context of planning.
struct View<'a> {
    semver: &'a Semver,
    rendered: &'a RenderedState,
    open: OpenBundles<'a>,
}

impl Planner<'_> {
    /// Like [`Planner::lower`], for a semver template.
    pub(super) fn semver_file_updates(
        &mut self,
        at: usize,
        file: FileId,
        op: &EditOp,
    ) -> Result<Vec<FileUpdate>, Refused> {
        let rendered = self
            .session
            .templates()
            .rendering_of(&self.session.roots[at].name);
        let Some(Template::Semver(semver)) = self.session.roots[at].template() else {
            return Ok(Vec::new());
        };
        let open = self
            .session
            .templates()
            .bundles_for(&self.session.roots[at].name, &rendered);
        let changes = plan(
            op,
            &View {
                semver,
                rendered: &rendered,
                open,
            },
        )?;
        let version = self.readable(at, file)?;
        let document = self.session.files.blob(file, DOCUMENT)?;
        self.session.files.pin(version)?;
        let original = self
            .session
            .files
            .read(version, document.start, document.end)?;
        let tree =
            syntax::parse(&original, document.format).map_err(|error| Refused::new(error.opm))?;
        let intents = intents(
            &Spelling {
                tree: &tree,
                text: &original,
            },
            &changes,
            &rendered,
        );
        let edited = self.edit_document_text(at, file, &intents)?;
        for change in &changes {
            if let Change::SetDefaultChannelType { channel, .. } = change {
                self.check_default(
                    &self.session.roots[at].name,
                    &rendered,
                    &edited.text,
                    channel,
                )?;
            }
        }
        Ok(vec![self.finish_blob(at, file, DOCUMENT, edited)?])
    }

    /// Refuses a different default channel.
    fn check_default(
        &self,
        template: &str,
        rendered: &RenderedState,
        text: &[u8],
        channel: &str,
    ) -> Result<(), Refused> {
        let source = self.session.templates().bundles_for(template, rendered);
        let options = Options {
            missing: Missing::LeftOut,
            ..Options::default()
        };
        let blobs = render(text, &source, options)
            .map_err(|refused| Refused::new(refused.message))?
            .blobs;
        let package = blobs.iter().find(|blob| blob["schema"] == "olm.package");
        let default = package
            .and_then(|package| package["defaultChannel"].as_str())
            .unwrap_or_default();
        if default == channel {
            return Ok(());
        }
        let why = format!(
            "its default channel is `{default}`, which follows from the most stable list and the highest version"
        );
        Err(not_expressible(&why))
    }
}

fn plan(op: &EditOp, view: &View<'_>) -> Result<Vec<Change>, Refused> {
    match op {
        EditOp::Promote {
            bundle,
            to,
            how,
            replaces,
            skip_range,
            ..
        } => {
            if how.is_some() || *replaces != Choice::Default || *skip_range != Choice::Default {
                return Err(view
                    .not_expressible("an entry's edges follow from the versions of the bundles"));
            }
            let Some((image, version)) = view
                .rendered
                .bundle(bundle)
                .or_else(|| view.open.find_bundle(bundle))
            else {
                return Err(Refused::new(format!("the image of `{bundle}` is unknown"))
                    .help("open the catalog or the bundle folder that has it, or add the bundle by its image"));
            };
            view.add(bundle, &version, &image, to)
                .map(|change| vec![change])
        }
        EditOp::AddBundle {
            bundle,
            version,
            image,
            to,
            how,
            replaces,
            skip_range,
            skips,
            ..
        } => match to {
            Some(_)
                if how.is_some()
                    || !replaces.is_default()
                    || !skip_range.is_default()
                    || !skips.is_empty() =>
            {
                Err(view
                    .not_expressible("an entry's edges follow from the versions of the bundles"))
            }
            Some(to) => view
                .add(bundle, version, image, to)
                .map(|change| vec![change]),
            None => Err(
                Refused::new("a semver template has bundles only in its lists")
                    .help("name candidate, fast or stable as the channel to add it to"),
            ),
        },
        EditOp::RemoveEntry {
            channel,
            name,
            then,
            ..
        } => {
            view.only_relinked(*then)?;
            let list = view.list_of(channel)?;
            let (image, _) = view.known_version(name)?;
            let at = view.images(list).position(|known| known == image);
            let at = at.ok_or_else(|| Refused::new(format!("`{list}` does not list `{name}`")))?;
            Ok(vec![Change::Remove { list, at }])
        }
        EditOp::RemoveBundle { bundle, then, .. } => {
            // `skip`, the default, is more than the lists can express: the report names the
            // stranded users.
            if *then == DanglingEdges::Leave {
                view.only_relinked(*then)?;
            }
            let (image, _) = view.known_version(bundle)?;
            let lists = view.semver.streams().into_iter();
            let changes: Vec<Change> = lists
                .flat_map(|(list, _)| {
                    let places = view
                        .images(list)
                        .enumerate()
                        .filter(|(_, known)| *known == image);
                    places
                        .map(move |(at, _)| Change::Remove { list, at })
                        .collect::<Vec<_>>()
                })
                .collect();
            match changes.is_empty() {
                true => Err(Refused::new(format!("no list has `{bundle}`"))),
                false => Ok(changes),
            }
        }
        EditOp::SetDefaultChannel { channel, .. } => {
            view.prefer(channel).map(|change| vec![change])
        }
        EditOp::Substitute {
            bundle,
            by: Some(by),
            image,
            skip_old,
            ..
        } => {
            if *skip_old {
                return Err(view.not_expressible("skips follow from the versions of the bundles"));
            }
            view.substitute(bundle, image.as_deref().unwrap_or(by))
        }
        EditOp::RenameBundle { .. } => Err(view.not_expressible("names come with the images")),
        EditOp::Migrate { .. } => Err(template_updates::not_migrated()),
        _ => {
            Err(view.not_expressible("channels and edges follow from the versions of its bundles"))
        }
    }
}

fn not_expressible(why: &str) -> Refused {
    Refused::new(format!("a semver template cannot express this: {why}"))
        .help(
            "convert it to a basic template (`switchyard template convert basic FILE --bundles DIR`), or edit the text",
        )
        .convertible()
}

impl View<'_> {
    fn not_expressible(&self, why: &str) -> Refused {
        not_expressible(why)
    }

    /// Removing a bundle removes it from the generated channels: there are no edges to leave.
    fn only_relinked(&self, then: DanglingEdges) -> Result<(), Refused> {
        match then {
            DanglingEdges::Relink => Ok(()),
            DanglingEdges::Skip | DanglingEdges::Leave => Err(self.not_expressible(
                "what replaces a removed entry follows from the versions of the bundles",
            )),
        }
    }

    /// The list behind a channel name, or a list by its own name.
    fn list_of(&self, channel: &str) -> Result<&'static str, Refused> {
        let by_name = ["candidate", "fast", "stable"]
            .into_iter()
            .find(|list| list.eq_ignore_ascii_case(channel));
        by_name.or_else(|| list_of_channel(channel)).ok_or_else(|| {
            Refused::new(format!("a semver template generates no channel `{channel}`"))
                .help("name candidate, fast or stable, or a channel generated from one, such as stable-v1")
                .convertible()
        })
    }

    fn images(&self, list: &str) -> impl Iterator<Item = &str> {
        let lists = self
            .semver
            .streams()
            .into_iter()
            .filter(move |(name, _)| *name == list);
        lists.flat_map(|(_, images)| images.iter().map(|image| image.as_str()))
    }

    /// Image and version of a bundle that the template renders.
    fn known_version(&self, bundle: &str) -> Result<(String, String), Refused> {
        self.rendered.bundle(bundle).ok_or_else(|| {
            Refused::new(format!("the image of `{bundle}` is unknown")).help(
                "open the catalog or the bundle folder that has it, or edit the template as text",
            )
        })
    }

    /// Replaces an image in all lists. Each is given by itself or by its bundle's name.
    fn substitute(&self, bundle: &str, by: &str) -> Result<Vec<Change>, Refused> {
        let lists = self.semver.streams().map(|(list, _)| list);
        let old = match lists
            .iter()
            .any(|list| self.images(list).any(|image| image == bundle))
        {
            true => bundle.to_owned(),
            false if bundle.contains('/') => {
                return Err(Refused::new(format!("no list has the image `{bundle}`"))
                    .help("name an image of the template, as it is written there"));
            }
            false => self.known_version(bundle)?.0,
        };
        let found = self
            .rendered
            .bundle(by)
            .or_else(|| self.open.find_bundle(by));
        let image = found.map_or_else(|| by.to_owned(), |(image, _)| image);
        planning::check_image(&image)?;
        if image == old {
            return Err(Refused::new(format!("`{old}` cannot take its own place"))
                .help("name another image"));
        }
        let mut changes = Vec::new();
        for list in lists {
            let mut has_new = self.images(list).any(|known| known == image);
            for (at, _) in self
                .images(list)
                .enumerate()
                .filter(|(_, known)| *known == old)
            {
                changes.push(match has_new {
                    true => Change::Remove { list, at },
                    false => Change::Replace {
                        list,
                        at,
                        image: image.clone(),
                    },
                });
                has_new = true;
            }
        }
        Ok(changes)
    }

    fn add(&self, bundle: &str, version: &str, image: &str, to: &str) -> Result<Change, Refused> {
        let list = self.list_of(to)?;
        if list_of_channel(to).is_some() {
            self.check_version(bundle, version, to, list)?;
        }
        if self.images(list).any(|known| known == image) {
            let name = if bundle.is_empty() { image } else { bundle };
            return Err(Refused::new(format!("`{list}` already lists `{name}`"))
                .help("name another list or image"));
        }
        Ok(Change::Add {
            list,
            image: image.to_owned(),
        })
    }

    /// Refuses a version that does not lead to the channel.
    fn check_version(
        &self,
        bundle: &str,
        version: &str,
        to: &str,
        list: &str,
    ) -> Result<(), Refused> {
        let read = Version::parse(version).map_err(|error| {
            Refused::new(format!(
                "version `{version}` of `{bundle}` cannot be read: {error}"
            ))
            .help("a semver template derives the channel from the version")
        })?;
        let channels = self.channels(list, &read);
        if channels.iter().any(|channel| channel == to) {
            return Ok(());
        }
        let into = channels.join("` and `");
        Err(Refused::new(format!(
            "version {version} of `{bundle}` goes into `{into}`, not into `{to}`"
        ))
        .help(format!(
            "use `{list}`: a semver template derives the channel from the version"
        )))
    }

    /// The channels of a list that contain a version.
    fn channels(&self, list: &str, version: &Version) -> Vec<String> {
        let major = self
            .semver
            .generate_major_channels
            .then(|| format!("{list}-v{}", version.major()));
        let minor = self
            .semver
            .generate_minor_channels
            .then(|| format!("{list}-v{}.{}", version.major(), version.minor()));
        major.into_iter().chain(minor).collect()
    }

    fn prefer(&self, channel: &str) -> Result<Change, Refused> {
        if !(self.semver.generate_major_channels && self.semver.generate_minor_channels) {
            return Err(self.not_expressible(
                "its default channel follows from the most stable list and the highest version",
            ));
        }
        self.list_of(channel)?;
        let kind = if channel.contains('.') {
            "minor"
        } else {
            "major"
        };
        Ok(Change::SetDefaultChannelType {
            kind,
            channel: channel.to_owned(),
        })
    }
}

/// The document, for copying its key spelling.
struct Spelling<'t> {
    tree: &'t Tree,
    text: &'t [u8],
}

impl Spelling<'_> {
    /// A field's key as written in a mapping, and its value. The last of several spellings in byte
    /// order counts.
    fn field(&self, mapping: NodeId, field: &str) -> Option<(String, NodeId)> {
        let mapping = self.tree.resolve_alias(mapping);
        if !self.tree.kind(mapping).is_mapping() {
            return None;
        }
        let pairs = self.tree.pairs(mapping);
        let named_pairs = pairs.filter_map(|(key, value)| {
            Some((scalar::text(self.tree, self.text, key)?.into_owned(), value))
        });
        named_pairs
            .filter(|(key, _)| names_field(key, field))
            .max_by(|(a, _), (b, _)| a.cmp(b))
    }

    fn top(&self, field: &str) -> Option<(String, NodeId)> {
        self.field(self.tree.root()?, field)
    }

    /// A new key, capitalized if the existing ones are.
    fn spell_key(&self, field: &str) -> String {
        let known = FIELDS.iter().find_map(|name| self.top(name));
        match known.is_some_and(|(key, _)| key.starts_with(|c: char| c.is_ascii_uppercase())) {
            true => field[..1].to_ascii_uppercase() + &field[1..],
            false => field.to_owned(),
        }
    }

    /// The key of an image in a list, as written.
    fn image_key(&self, list: Option<NodeId>) -> String {
        let items = list.map(|list| {
            self.tree
                .children(self.tree.resolve_alias(list))
                .collect::<Vec<_>>()
        });
        let first = items
            .unwrap_or_default()
            .into_iter()
            .find_map(|item| self.field(item, "image"));
        let of_others = || {
            ["candidate", "fast", "stable"]
                .into_iter()
                .find_map(|name| {
                    let (_, bundles) = self.field(self.top(name)?.1, "bundles")?;
                    let mut items = self.tree.children(self.tree.resolve_alias(bundles));
                    self.field(items.next()?, "image")
                })
        };
        first
            .or_else(of_others)
            .map_or_else(|| self.spell_key("image"), |(key, _)| key)
    }

    fn is_list(&self, node: NodeId) -> bool {
        self.tree.kind(self.tree.resolve_alias(node)).is_sequence()
    }

    fn is_mapping(&self, node: NodeId) -> bool {
        self.tree.kind(self.tree.resolve_alias(node)).is_mapping()
    }

    /// Existing keys that precede a field's position, in order.
    fn before(&self, field: &str) -> Vec<String> {
        let before = FIELDS.iter().take_while(|name| **name != field);
        before
            .filter_map(|name| self.top(name))
            .map(|(key, _)| key)
            .collect()
    }
}

fn intents(spelling: &Spelling<'_>, changes: &[Change], rendered: &RenderedState) -> Vec<Intent> {
    let mut intents: Vec<Intent> = Vec::new();
    // From last to first, so that positions stay valid.
    for change in changes.iter().rev() {
        intents.push(match change {
            Change::Add { list, image } => add(spelling, list, image, rendered).into(),
            Change::Remove { list, at } => {
                Patch::remove(path![*list, "bundles", *at], WhenEmpty::Keep).into()
            }
            Change::Replace { list, at, image } => {
                let path = image_path(spelling, list, *at).unwrap_or_default();
                Patch::set(path, Value::from(image.as_str())).into()
            }
            Change::SetDefaultChannelType { kind, .. } => {
                put_patch(spelling, "defaultChannelTypePreference", Value::from(*kind)).into()
            }
        });
    }
    intents
}

/// The path of an image in a list, with keys as written.
fn image_path(spelling: &Spelling<'_>, list: &str, at: usize) -> Option<Vec<PathSegment>> {
    let (list, node) = spelling.top(list)?;
    let (bundles, items) = spelling.field(node, "bundles")?;
    let item = spelling
        .tree
        .children(spelling.tree.resolve_alias(items))
        .nth(at)?;
    let (image, _) = spelling.field(item, "image")?;
    Some(vec![
        PathSegment::Key(list),
        PathSegment::Key(bundles),
        PathSegment::Index(at),
        PathSegment::Key(image),
    ])
}

/// Sets a possibly missing top-level field.
fn put_patch(spelling: &Spelling<'_>, field: &str, value: Value) -> Patch {
    match spelling.top(field) {
        Some((key, _)) => Patch::set(vec![PathSegment::Key(key)], value),
        None => {
            let after = spelling.before(field);
            let after: Vec<&str> = after.iter().map(String::as_str).collect();
            Patch::insert_key(Vec::new(), &spelling.spell_key(field), value, &after)
        }
    }
}

fn add(spelling: &Spelling<'_>, list: &str, image: &str, rendered: &RenderedState) -> Patch {
    let known = spelling
        .top(list)
        .filter(|(_, node)| spelling.is_mapping(*node));
    let bundles = known
        .as_ref()
        .and_then(|(_, node)| spelling.field(*node, "bundles"));
    let item = Value::map([(
        spelling.image_key(bundles.as_ref().map(|(_, node)| *node)),
        image,
    )]);
    match (known, bundles) {
        (Some((key, _)), Some((bundles, node))) if spelling.is_list(node) => {
            let items = spelling
                .tree
                .children(spelling.tree.resolve_alias(node))
                .count();
            let at = if is_descending(spelling, node, rendered) {
                0
            } else {
                items
            };
            Patch::insert_item(
                vec![PathSegment::Key(key), PathSegment::Key(bundles)],
                at,
                item,
            )
        }
        (Some((key, _)), Some((bundles, _))) => Patch::set(
            vec![PathSegment::Key(key), PathSegment::Key(bundles)],
            Value::List(vec![item]),
        ),
        (Some((key, _)), None) => {
            let bundles = spelling.spell_key("bundles");
            Patch::insert_key(
                vec![PathSegment::Key(key)],
                &bundles,
                Value::List(vec![item]),
                &[],
            )
        }
        (None, _) => {
            let bundles = spelling.spell_key("bundles");
            put_patch(
                spelling,
                list,
                Value::Map(vec![(bundles, Value::List(vec![item]))]),
            )
        }
    }
}

/// Whether a list starts with its newest bundle.
fn is_descending(spelling: &Spelling<'_>, list: NodeId, rendered: &RenderedState) -> bool {
    let items: Vec<NodeId> = spelling
        .tree
        .children(spelling.tree.resolve_alias(list))
        .collect();
    let version = |item: NodeId| {
        let (_, image) = spelling.field(item, "image")?;
        let image = scalar::text(spelling.tree, spelling.text, image)?;
        Version::parse(&rendered.version_of(&image)?).ok()
    };
    let versions: Vec<Version> = items.into_iter().filter_map(version).collect();
    match (versions.first(), versions.last()) {
        (Some(first), Some(last)) => first.cmp_precedence(last) == Ordering::Greater,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Session, open};
    use super::*;
    use catalog::testing::MemorySource;
    use std::rc::Rc;

    const TEMPLATE: &str = "---\n# lists\nSchema: olm.semver\nGenerateMajorChannels: true\nGenerateMinorChannels: true\nCandidate:\n  Bundles:\n  - Image: q/p:v1.0.0\n  - Image: q/p:v1.1.0   # newest\nFast:\n  Bundles:\n  - Image: q/p:v1.0.0\n";

    fn catalog() -> String {
        ["1.0.0", "1.1.0", "1.2.0"]
            .iter()
            .map(|n| {
                format!(
                    "---\nschema: olm.bundle\npackage: p\nname: p.v{n}\nimage: q/p:v{n}\nproperties:\n- type: olm.package\n  value: {{packageName: p, version: {n}}}\n"
                )
            })
            .collect()
    }

    fn open_session(template: &str) -> Session {
        let host = Rc::new(MemorySource::default());
        let files = vec![
            host.add(0, "top/p/catalog.yaml", catalog()),
            host.add(1, "top/semver.yaml", template),
        ];
        open(files, host)
    }

    fn text(session: &Session) -> String {
        String::from_utf8(session.files().bytes("top/semver.yaml").expect("open")).expect("text")
    }

    fn promote(catalog: &str, bundle: &str, to: &str) -> EditOp {
        EditOp::Promote {
            catalog: Some(catalog.to_owned()),
            package: "p".to_owned(),
            bundle: bundle.to_owned(),
            to: to.to_owned(),
            how: None,
            replaces: Choice::Default,
            skip_range: Choice::Default,
        }
    }

    #[test]
    fn a_promotion_is_an_image_in_the_channels_list() {
        let mut session = open_session(TEMPLATE);
        let name = session.show_rendered("semver.yaml").expect("rendered");
        session
            .apply("edit", &[promote(&name, "p.v1.1.0", "fast-v1.1")])
            .expect("said");
        assert_eq!(text(&session), format!("{TEMPLATE}  - Image: q/p:v1.1.0\n"));
        let channels = |session: &Session| {
            let package = session
                .root(Some(&name))
                .expect("rendered")
                .catalog()
                .package("p")
                .cloned()
                .expect("p");
            package
                .channels
                .iter()
                .map(|channel| channel.name.value.to_string())
                .collect::<Vec<_>>()
        };
        assert!(channels(&session).contains(&"fast-v1.1".to_owned()));
        session
            .apply("edit", &[promote(&name, "p.v1.0.0", "stable")])
            .expect("a list that is not there yet");
        assert!(
            text(&session).ends_with("Stable:\n  Bundles:\n  - Image: q/p:v1.0.0\n"),
            "{}",
            text(&session)
        );
        let kept = session
            .changes()
            .operations()
            .into_iter()
            .cloned()
            .collect::<Vec<_>>();
        // Without its rendered catalog open, as after reopening.
        let mut again = open_session(TEMPLATE);
        again.apply("again", &kept).expect("applied again");
        assert_eq!(text(&again), text(&session));
    }

    #[test]
    fn a_new_bundle_is_appended_after_the_newest() {
        let mut session = open_session(&TEMPLATE.replace(
            "  - Image: q/p:v1.0.0\n  - Image: q/p:v1.1.0   # newest\n",
            "  - Image: q/p:v1.1.0   # newest\n  - Image: q/p:v1.0.0\n",
        ));
        session
            .apply("edit", &[promote("top/semver.yaml", "p.v1.2.0", "stable")])
            .expect("an open catalog has it");
        assert!(
            text(&session).ends_with("Stable:\n  Bundles:\n  - Image: q/p:v1.2.0\n"),
            "{}",
            text(&session)
        );
        session.undo();
        let add = EditOp::AddBundle {
            catalog: Some("top/semver.yaml".to_owned()),
            package: "p".to_owned(),
            bundle: "p.v1.2.0".to_owned(),
            version: "1.2.0".to_owned(),
            release: None,
            image: "q/p:v1.2.0".to_owned(),
            to: Some("candidate".to_owned()),
            how: None,
            replaces: Choice::Default,
            skip_range: Choice::Default,
            skips: Vec::new(),
            blob: None,
        };
        session.apply("edit", &[add]).expect("added");
        assert!(
            text(&session)
                .contains("  Bundles:\n  - Image: q/p:v1.2.0\n  - Image: q/p:v1.1.0   # newest\n")
        );
    }

    #[test]
    fn a_removed_entry_leaves_its_list() {
        let mut session = open_session(TEMPLATE);
        let name = session.show_rendered("semver.yaml").expect("rendered");
        let remove = |then| EditOp::RemoveEntry {
            catalog: Some(name.clone()),
            package: "p".to_owned(),
            channel: "candidate-v1".to_owned(),
            name: "p.v1.1.0".to_owned(),
            then,
        };
        let refused = session
            .apply("edit", &[remove(DanglingEdges::Leave)])
            .expect_err("there are no edges");
        assert!(
            refused
                .reason
                .starts_with("a semver template cannot express this"),
            "{refused:?}"
        );
        session
            .apply("edit", &[remove(DanglingEdges::Relink)])
            .expect("removed");
        assert_eq!(
            text(&session),
            TEMPLATE.replace("  - Image: q/p:v1.1.0   # newest\n", "")
        );
        session.undo();
        let all = EditOp::RemoveBundle {
            catalog: Some(name.clone()),
            package: "p".to_owned(),
            bundle: "p.v1.0.0".to_owned(),
            then: DanglingEdges::Relink,
        };
        session.apply("edit", &[all]).expect("removed");
        assert!(!text(&session).contains("v1.0.0"), "{}", text(&session));
    }

    #[test]
    fn the_default_channel_is_a_preference_or_refused() {
        let mut session = open_session(TEMPLATE);
        let name = session.show_rendered("semver.yaml").expect("rendered");
        let set = |channel: &str| EditOp::SetDefaultChannel {
            catalog: Some(name.clone()),
            package: "p".to_owned(),
            channel: channel.to_owned(),
        };
        session
            .apply("edit", &[set("fast-v1")])
            .expect("the major one");
        assert!(text(&session).contains(
            "GenerateMinorChannels: true\nDefaultChannelTypePreference: major\nCandidate:"
        ));
        let refused = session
            .apply("edit", &[set("candidate-v1")])
            .expect_err("not by a preference");
        assert!(
            refused.reason.contains("`fast-v1`") && refused.help.contains("convert"),
            "{refused:?}"
        );
        assert!(refused.convertible);
    }

    #[test]
    fn changes_that_versions_determine_are_refused() {
        let mut session = open_session(TEMPLATE);
        let name = session.show_rendered("semver.yaml").expect("rendered");
        let reason =
            |session: &mut Session, op| session.apply("no", &[op]).expect_err("refused").reason;
        assert_eq!(
            reason(&mut session, promote(&name, "p.v1.1.0", "fast-v2")),
            "version 1.1.0 of `p.v1.1.0` goes into `fast-v1` and `fast-v1.1`, not into `fast-v2`"
        );
        assert_eq!(
            reason(&mut session, promote(&name, "p.v1.0.0", "fast")),
            "`fast` already lists `p.v1.0.0`"
        );
        assert_eq!(
            reason(&mut session, promote(&name, "p.v1.0.0", "beta")),
            "a semver template generates no channel `beta`"
        );
    }
}
