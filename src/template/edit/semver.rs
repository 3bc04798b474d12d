//! Edits a semver template: an operation becomes a change of its three lists and its flags.
//! Operations that these cannot express are refused, with a suggested conversion to a basic
//! template.
//!
//! Channels and edges follow from bundle versions, so an operation on a channel changes the list
//! behind the channel.

use super::{BundleImage, EditTarget, Requirement, TemplateEdit};
use crate::render::semver::{ARCHETYPES, FIELDS};
use crate::source_lines::list_of_channel;
use catalog::model::Semver;
use catalog::version::Version;
use edit::item_change::Fields;
use edit::patch::{Patch, Value, path};
use edit::plan::{self, Refused};
use edit::refused;
use protocol::operation::{Choice, DanglingEdges, EditOp};
use serde_json::json;
use syntax::go_text::names_field;
use syntax::scalar;
use syntax::tree::{NodeId, Tree};

/// Why edges cannot be chosen.
const EDGES: &str = "an entry's edges follow from the versions of the bundles";
/// Why there is nothing else to change.
const ONLY_LISTS: &str = "it has only lists of images";

pub(super) fn not_expressible(why: &str) -> Refused {
    super::not_expressible(
        "semver template",
        why,
        "convert it to a basic template, or edit the text",
    )
}

/// Refuses an operation, by its name, that the lists and flags cannot express whatever its values.
pub(super) fn check_possible(name: &str, semver: &Semver) -> Result<(), Refused> {
    let has_choice = semver.generate_major_channels && semver.generate_minor_channels;
    Err(not_expressible(match name {
        "promote" | "add-bundle" | "remove-entry" | "remove-bundle" | "substitute" => return Ok(()),
        "set-default-channel" if has_choice => return Ok(()),
        "set-default-channel" => {
            "its default channel follows from the most stable list and the highest version"
        }
        "rename-bundle" => "names come with the images",
        "add-channel" | "rename-channel" | "remove-channel" => {
            "its channels follow from the versions of the bundles"
        }
        "withdraw" | "set-replaces" | "add-skip" | "remove-skip" | "set-skip-range"
        | "rebuild-edges" => EDGES,
        _ => ONLY_LISTS,
    }))
}

pub(super) fn plan(
    op: &EditOp,
    target: &EditTarget<'_>,
    semver: &Semver,
) -> Result<TemplateEdit, Refused> {
    let tree =
        syntax::parse(target.text, target.format).map_err(|error| Refused::new(error.opm))?;
    let lists = Lists {
        semver,
        target,
        tree: &tree,
    };
    let mut patches = match op {
        EditOp::Promote {
            bundle,
            to,
            how,
            replaces,
            skip_range,
            ..
        } => {
            if how.is_some() || *replaces != Choice::Default || *skip_range != Choice::Default {
                return Err(not_expressible(EDGES));
            }
            let found = lists.find_bundle(bundle).ok_or_else(|| {
                refused!("the image of `{bundle}` is unknown")
                    .help("open the catalog or the bundle folder that has it, or add the bundle by its image")
            })?;
            vec![lists.add(bundle, &found.version, &found.image, to)?]
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
        } => {
            let to = to.as_ref().ok_or_else(|| {
                Refused::new("a semver template has bundles only in its lists")
                    .help("name candidate, fast or stable as the channel to add it to")
            })?;
            let has_edges = !(replaces.is_default() && skip_range.is_default());
            if how.is_some() || has_edges || !skips.is_empty() {
                return Err(not_expressible(EDGES));
            }
            vec![lists.add(bundle, version, image, to)?]
        }
        EditOp::RemoveEntry {
            channel,
            name,
            then,
            ..
        } => {
            check_relinked(*then)?;
            let list = find_list(channel)?;
            let image = lists.known_image(name)?;
            let at = lists.images(list).position(|known| known == image);
            let at = at.ok_or_else(|| refused!("`{list}` does not list `{name}`"))?;
            vec![remove(list, at)]
        }
        EditOp::RemoveBundle { bundle, then, .. } => {
            // Accept `skip`, the default, although the lists cannot express it: the report names
            // the stranded users.
            if *then == DanglingEdges::Leave {
                check_relinked(*then)?;
            }
            let image = lists.known_image(bundle)?;
            let positions = lists.positions_of(&image);
            if positions.is_empty() {
                return Err(refused!("no list has `{bundle}`"));
            }
            positions
                .into_iter()
                .map(|(list, at)| remove(list, at))
                .collect()
        }
        EditOp::SetDefaultChannel { channel, .. } => {
            find_list(channel)?;
            let kind = if channel.contains('.') {
                "minor"
            } else {
                "major"
            };
            return Ok(TemplateEdit {
                patches: vec![lists.put("defaultChannelTypePreference", kind.into())],
                requirement: Some(Requirement::DefaultChannel(channel.clone())),
            });
        }
        EditOp::Substitute {
            bundle,
            by: Some(by),
            image,
            skip_old,
            ..
        } => {
            if *skip_old {
                return Err(not_expressible(
                    "skips follow from the versions of the bundles",
                ));
            }
            lists.substitute(bundle, image.as_deref().unwrap_or(by))?
        }
        _ => return Err(not_expressible(ONLY_LISTS)),
    };
    // From last to first, so that positions stay valid.
    patches.reverse();
    Ok(TemplateEdit::new(patches))
}

/// Refuses `skip` and `leave`: removing a bundle removes it from the generated channels, so there
/// are no edges to leave.
fn check_relinked(then: DanglingEdges) -> Result<(), Refused> {
    match then {
        DanglingEdges::Relink => Ok(()),
        DanglingEdges::Skip | DanglingEdges::Leave => Err(not_expressible(
            "what replaces a removed entry follows from the versions of the bundles",
        )),
    }
}

/// Returns the list behind a channel name, or a list by its own name.
fn find_list(channel: &str) -> Result<&'static str, Refused> {
    let by_name = ARCHETYPES
        .into_iter()
        .find(|list| list.eq_ignore_ascii_case(channel));
    by_name.or_else(|| list_of_channel(channel)).ok_or_else(|| {
        refused!(
            "a semver template generates no channel `{channel}`"
        )
        .help("name candidate, fast or stable, or a channel generated from one, such as stable-v1")
        .convertible()
    })
}

fn remove(list: &str, at: usize) -> Patch {
    Patch::remove(path![list, "bundles", at])
}

/// The lists of a template, and the spelling of its keys.
struct Lists<'a> {
    semver: &'a Semver,
    target: &'a EditTarget<'a>,
    tree: &'a Tree,
}

impl Lists<'_> {
    fn images(&self, list: &str) -> impl Iterator<Item = &str> {
        let lists = self
            .semver
            .streams()
            .into_iter()
            .filter(move |(name, _)| *name == list);
        lists.flat_map(|(_, images)| images.iter().map(|image| image.as_str()))
    }

    /// Returns the positions of an image: the list, and the index in it.
    fn positions_of(&self, image: &str) -> Vec<(&'static str, usize)> {
        let mut positions = Vec::new();
        for list in ARCHETYPES {
            for (index, listed) in self.images(list).enumerate() {
                if listed == image {
                    positions.push((list, index));
                }
            }
        }
        positions
    }

    /// Finds a bundle that the template renders, or an open one.
    fn find_bundle(&self, bundle: &str) -> Option<BundleImage> {
        let bundles = self.target.bundles;
        let reference = bundles.reference_of(bundle);
        let rendered = reference.and_then(|image| {
            let version = bundles.version_of(&image)?;
            Some(BundleImage { image, version })
        });
        rendered.or_else(|| bundles.find_open(bundle))
    }

    /// Returns the image of a bundle that the template renders.
    fn known_image(&self, bundle: &str) -> Result<String, Refused> {
        self.target.bundles.reference_of(bundle).ok_or_else(|| {
            refused!("the image of `{bundle}` is unknown").help(
                "open the catalog or the bundle folder that has it, or edit the template as text",
            )
        })
    }

    /// Replaces an image in all lists. Each is given by itself or by its bundle's name.
    fn substitute(&self, bundle: &str, by: &str) -> Result<Vec<Patch>, Refused> {
        let old = if !self.positions_of(bundle).is_empty() {
            bundle.to_owned()
        } else if bundle.contains('/') {
            return Err(refused!("no list has the image `{bundle}`")
                .help("name an image of the template, as it is written there"));
        } else {
            self.known_image(bundle)?
        };
        let image = self
            .find_bundle(by)
            .map_or_else(|| by.to_owned(), |found| found.image);
        plan::check_image(&image)?;
        if image == old {
            return Err(refused!("`{old}` cannot take its own place").help("name another image"));
        }
        let mut lists_with_new: Vec<&str> = ARCHETYPES
            .into_iter()
            .filter(|list| self.images(list).any(|listed| listed == image))
            .collect();
        let mut patches = Vec::new();
        for (list, at) in self.positions_of(&old) {
            patches.push(if lists_with_new.contains(&list) {
                remove(list, at)
            } else {
                lists_with_new.push(list);
                Patch::set(path![list, "bundles", at, "image"], image.as_str())
            });
        }
        Ok(patches)
    }

    fn add(&self, bundle: &str, version: &str, image: &str, to: &str) -> Result<Patch, Refused> {
        let list = find_list(to)?;
        if list_of_channel(to).is_some() {
            self.check_version(bundle, version, to, list)?;
        }
        if self.images(list).any(|listed| listed == image) {
            let name = if bundle.is_empty() { image } else { bundle };
            return Err(
                refused!("`{list}` already lists `{name}`").help("name another list or image")
            );
        }
        let (item, bundles) = (json!({ self.spell("image"): image }), self.spell("bundles"));
        let fields = self.fields();
        let root = self.tree.root();
        let list_node = root
            .and_then(|root| fields.value(root, list))
            .filter(|node| self.tree.kind(*node).is_mapping());
        let Some(list_node) = list_node else {
            return Ok(self.put(list, json!({ bundles: [item] })));
        };
        Ok(match fields.list(list_node, "bundles") {
            Some(items) => {
                let at = if self.is_descending(&items) {
                    0
                } else {
                    items.len()
                };
                Patch::insert_item(path![list, "bundles"], at, item)
            }
            None => Patch::set(path![list, &*bundles], vec![item]),
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
        let parsed = Version::parse(version).map_err(|error| {
            refused!("version `{version}` of `{bundle}` cannot be read: {error}")
                .help("a semver template derives the channel from the version")
        })?;
        let major = self.semver.generate_major_channels;
        let major = major.then(|| format!("{list}-v{}", parsed.major()));
        let minor = self.semver.generate_minor_channels;
        let minor = minor.then(|| format!("{list}-v{}.{}", parsed.major(), parsed.minor()));
        let channels: Vec<String> = major.into_iter().chain(minor).collect();
        if channels.iter().any(|channel| channel == to) {
            return Ok(());
        }
        let into = channels.join("` and `");
        Err(
            refused!("version {version} of `{bundle}` goes into `{into}`, not into `{to}`").help(
                format!("use `{list}`: a semver template derives the channel from the version"),
            ),
        )
    }

    fn fields(&self) -> Fields<'_> {
        Fields {
            tree: self.tree,
            text: self.target.text,
        }
    }

    /// Sets a possibly missing top-level field.
    fn put(&self, field: &str, value: Value) -> Patch {
        let before = FIELDS.iter().take_while(|name| **name != field);
        let before: Vec<String> = before.map(|name| self.spell(name)).collect();
        let before: Vec<&str> = before.iter().map(String::as_str).collect();
        Patch::put(path![&*self.spell(field)], value, &before)
    }

    /// Returns the spelling of a key anywhere in the document; a new one is capitalized if `schema`
    /// is.
    fn spell(&self, field: &str) -> String {
        if let Some(key) = self.find_key(field) {
            return key;
        }
        let schema = self.find_key("schema").unwrap_or_default();
        if schema.starts_with(|c: char| c.is_ascii_uppercase()) {
            field[..1].to_ascii_uppercase() + &field[1..]
        } else {
            field.to_owned()
        }
    }

    fn find_key(&self, field: &str) -> Option<String> {
        let nodes = (0..self.tree.len() as u32).map(NodeId);
        let mappings = nodes.filter(|node| self.tree.kind(*node).is_mapping());
        let mut keys = mappings
            .flat_map(|mapping| self.tree.pairs(mapping))
            .filter_map(|(key, _)| scalar::text(self.tree, self.target.text, key));
        keys.find(|key| names_field(key, field))
            .map(|key| key.into_owned())
    }

    /// Whether a list starts with its newest bundle.
    fn is_descending(&self, items: &[NodeId]) -> bool {
        let version = |item: &NodeId| {
            let image = self.fields().value(*item, "image")?;
            let image = scalar::text(self.tree, self.target.text, image)?;
            Version::parse(&self.target.bundles.version_of(&image)?).ok()
        };
        let versions: Vec<Version> = items.iter().filter_map(version).collect();
        match (versions.first(), versions.last()) {
            (Some(first), Some(last)) => first.cmp_precedence(last).is_gt(),
            _ => false,
        }
    }
}
