//! Edits the substitutions of a substitutes template.
//!
//! A substitution replaces a bundle, given by its image, with another in every channel. It
//! expresses the operation *substitute*, *withdraw* in favour of an unlisted bundle, and the
//! removal of such a bundle. Everything else changes the template's entries, in
//! [`super::template_updates`].

use super::file_updates::FileUpdate;
use super::template_updates::DOCUMENT;
use super::{Planner, Refused, Root};
use catalog::model::{FileId, Package, Substitutes, Template};
use edit::patch::{Intent, Patch, PathSegment, Value, WhenEmpty, path};
use edit::plan;
use protocol::operation::EditOp;
use syntax::did_you_mean::did_you_mean;
use syntax::go_text::names_field;
use syntax::tree::{Format, Tree};
use syntax::{self, scalar};
use template::render::{Missing, Options, render};

/// The key of a template's substitutions.
const LIST: &str = "substitutions";

/// A change of the substitutions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SubstitutionChange {
    /// The bundle of `image` replaces `base`.
    Add {
        image: String,
        base: String,
    },
    /// Changes the image of the substitution at this index.
    SetImage {
        at: usize,
        image: String,
    },
    Remove {
        at: usize,
    },
}

use SubstitutionChange as Change;

impl Planner<'_> {
    /// The meaning of an operation for the substitutions of the template at this index; `None` if
    /// it concerns its entries, or the template has another type.
    pub(super) fn substitution_change(
        &self,
        at: usize,
        op: &EditOp,
    ) -> Result<Option<Change>, Refused> {
        let root = &self.session.roots[at];
        let Some(Template::Substitutes(template)) = root.template() else {
            return Ok(None);
        };
        let made = |bundle: &str| self.made_by(root, template, bundle);
        Ok(match op {
            EditOp::Substitute {
                package,
                bundle,
                by,
                image,
                ..
            } => Some(match by {
                Some(by) => {
                    let by = image.as_ref().unwrap_or(by);
                    self.substitute(root, template, (package, bundle), by)?
                }
                None => {
                    let by_base = template
                        .substitutions
                        .iter()
                        .position(|substitution| substitution.base.as_str() == bundle);
                    let at = by_base.or_else(|| made(bundle)).ok_or_else(|| {
                        let bases = template
                            .substitutions
                            .iter()
                            .map(|substitution| substitution.base.as_str());
                        Refused::new(format!("no substitution takes the place of `{bundle}`")).help(
                            did_you_mean(bundle, bases, "name the bundle that is substituted"),
                        )
                    })?;
                    Change::Remove { at }
                }
            }),
            EditOp::Withdraw {
                package,
                bundle,
                by: Some(by),
                channel,
                ..
            } => {
                let package = root
                    .catalog
                    .package(package)
                    .filter(|of| !is_listed(of, by));
                match package {
                    Some(package) if self.named_open(root, by).is_some() => {
                        let lists = package
                            .channels
                            .iter()
                            .filter(|channel| lists(channel, bundle));
                        if !channel.is_empty()
                            && lists
                                .clone()
                                .any(|of| !channel.contains(&of.name.value.to_string()))
                        {
                            return Err(not_expressible(
                                "a substitution is made in every channel that lists the bundle",
                            ));
                        }
                        Some(self.substitute(root, template, (&package.name, bundle), by)?)
                    }
                    _ => None,
                }
            }
            EditOp::RemoveBundle { bundle, .. } => made(bundle).map(|at| Change::Remove { at }),
            EditOp::RemoveEntry { name, .. } => match made(name) {
                None => None,
                Some(at) => {
                    let base = template.substitutions[at].base.as_str();
                    let channels = root
                        .catalog
                        .packages()
                        .flat_map(|package| &package.channels);
                    if channels.filter(|channel| lists(channel, base)).count() > 1 {
                        let why = format!(
                            "`{name}` is in every channel that lists `{base}`, which it takes the place of"
                        );
                        return Err(not_expressible(&why));
                    }
                    Some(Change::Remove { at })
                }
            },
            EditOp::SetImage {
                bundle: Some(bundle),
                image,
                ..
            } => match made(bundle) {
                None => None,
                Some(at) => {
                    plan::check_image(image)?;
                    Some(Change::SetImage {
                        at,
                        image: image.clone(),
                    })
                }
            },
            EditOp::Promote { bundle: name, .. }
            | EditOp::SetReplaces { name, .. }
            | EditOp::AddSkip { name, .. }
            | EditOp::RemoveSkip { name, .. }
            | EditOp::SetSkipRange { name, .. } => match made(name) {
                None => None,
                Some(at) => {
                    let base = template.substitutions[at].base.as_str();
                    return Err(not_expressible(&format!(
                        "`{name}` has the edges of `{base}`, which it takes the place of"
                    )));
                }
            },
            _ => None,
        })
    }

    pub(super) fn substitution_file_updates(
        &mut self,
        at: usize,
        file: FileId,
        change: Change,
    ) -> Result<Vec<FileUpdate>, Refused> {
        let (text, format) = self.document_text(at, file)?;
        let intent = intent(&text, format, change)?;
        let edited = self.edit_document_text(at, file, &[intent])?;
        let root = &self.session.roots[at];
        let rendered = self.session.templates().rendering_of(&root.name);
        let source = self.session.templates().bundles_for(&root.name, &rendered);
        let options = Options {
            missing: Missing::LeftOut,
            ..Options::default()
        };
        // Do not write what `opm` would refuse: a base that is not lower, or a duplicate image.
        render(&edited.text, &source, options).map_err(|refused| {
            Refused::new(format!("the template could not be rendered any more: {}", refused.message))
                .help("a substitution puts a higher version in the place of a bundle, and each bundle and image once")
        })?;
        drop(source);
        Ok(vec![self.finish_blob(at, file, DOCUMENT, edited)?])
    }

    fn substitute(
        &self,
        root: &Root,
        template: &Substitutes,
        (package, base): (&str, &str),
        by: &str,
    ) -> Result<Change, Refused> {
        let of = root.catalog.package(package).ok_or_else(|| {
            let names = root.catalog.packages().map(|package| &*package.name);
            Refused::new(format!("package `{package}` not found")).help(did_you_mean(
                package,
                names,
                "name the template's package",
            ))
        })?;
        let is_made = || self.made_by(root, template, base).is_some();
        if of.bundle(base).is_none() && !is_made() {
            let names = of.bundles.iter().map(|bundle| bundle.name.as_str());
            return Err(
                Refused::new(format!("the template has no bundle `{base}`")).help(did_you_mean(
                    base,
                    names,
                    "a substitution takes the place of a bundle of the template",
                )),
            );
        }
        // An open bundle may be given by its name.
        let image = self.named_open(root, by).unwrap_or_else(|| by.to_owned());
        plan::check_image(&image)?;
        Ok(
            match template
                .substitutions
                .iter()
                .position(|substitution| substitution.base.as_str() == base)
            {
                Some(at) => Change::SetImage { at, image },
                None => Change::Add {
                    image,
                    base: base.to_owned(),
                },
            },
        )
    }

    /// The index of the substitution that introduces a bundle, if that bundle is open.
    fn made_by(&self, root: &Root, template: &Substitutes, bundle: &str) -> Option<usize> {
        if template.substitutions.is_empty() {
            return None;
        }
        let rendered = self.session.templates().rendering_of(&root.name);
        let (_, image) = rendered.references().find(|(name, _)| *name == bundle)?;
        template
            .substitutions
            .iter()
            .position(|substitution| substitution.name.as_str() == image)
    }

    /// The image of an open bundle by its name.
    fn named_open(&self, root: &Root, name: &str) -> Option<String> {
        let rendered = self.session.templates().rendering_of(&root.name);
        self.session
            .templates()
            .bundles_for(&root.name, &rendered)
            .find_bundle(name)
            .map(|(image, _)| image)
    }
}

fn not_expressible(why: &str) -> Refused {
    Refused::new(format!("a substitution cannot express this: {why}"))
        .help(
            "remove the substitution, or convert the template to a basic one, which has the edges as they are rendered",
        )
        .convertible()
}

fn is_listed(package: &Package, name: &str) -> bool {
    package.channels.iter().any(|channel| lists(channel, name))
}

fn lists(channel: &catalog::model::ChannelBlob, name: &str) -> bool {
    channel
        .entries
        .iter()
        .any(|entry| entry.name.as_str() == name)
}

/// The change of the document's text.
fn intent(text: &[u8], format: Format, change: Change) -> Result<Intent, Refused> {
    Ok(match change {
        Change::SetImage { at, image } => {
            Patch::set(path![LIST, at, "name"], Value::from(image)).into()
        }
        Change::Remove { at } => Patch::remove(path![LIST, at], WhenEmpty::Keep).into(),
        Change::Add { image, base } => {
            let tree = syntax::parse(text, format).map_err(|error| Refused::new(error.opm))?;
            let item = Value::map([("name", image), ("base", base)]);
            match list(&tree, text) {
                Some((_, Some(items))) => Patch::insert_item(path![LIST], items, item).into(),
                Some((key, None)) => {
                    Patch::set(vec![PathSegment::Key(key)], Value::List(vec![item])).into()
                }
                None => Patch::insert_key(
                    Vec::new(),
                    LIST,
                    Value::List(vec![item]),
                    &["schema", "entries"],
                )
                .into(),
            }
        }
    })
}

/// The list's key as written, and its number of items; no number if its value is not a list.
fn list(tree: &Tree, text: &[u8]) -> Option<(String, Option<usize>)> {
    let root = tree.resolve_alias(tree.root()?);
    if !tree.kind(root).is_mapping() {
        return None;
    }
    let named_pairs = tree
        .pairs(root)
        .filter_map(|(key, value)| Some((scalar::text(tree, text, key)?.into_owned(), value)));
    let (key, value) = named_pairs
        .filter(|(key, _)| names_field(key, LIST))
        .last()?;
    let value = tree.resolve_alias(value);
    let items = tree
        .kind(value)
        .is_sequence()
        .then(|| tree.children(value).count());
    Some((key, items))
}

#[cfg(test)]
mod tests {
    use super::super::{Session, open};
    use super::*;
    use catalog::testing::MemorySource;
    use protocol::operation::DanglingEdges;
    use std::rc::Rc;

    const ENTRIES: &str = "schema: olm.template.substitutes\nentries:\n- schema: olm.package\n  name: p\n  defaultChannel: a # the only one\n- schema: olm.channel\n  package: p\n  name: a\n  entries:\n  - name: p.v1.0.0\n  - name: p.v1.1.0\n    replaces: p.v1.0.0\n";

    fn bundle(n: &str) -> String {
        format!(
            "schema: olm.bundle\npackage: p\nname: p.v{n}\nimage: q/p:v{n}\nproperties:\n- type: olm.package\n  value: {{packageName: p, version: {n}}}\n"
        )
    }

    fn template() -> String {
        let item = |n: &str| format!("- {}\n", bundle(n).trim_end().replace('\n', "\n  "));
        format!("{ENTRIES}{}{}", item("1.0.0"), item("1.1.0"))
    }

    fn open_session(template: &str) -> Session {
        let host = Rc::new(MemorySource::default());
        let catalog = ["1.0.1", "1.1.1"]
            .map(|n| format!("---\n{}", bundle(n)))
            .concat();
        let files = vec![
            host.add(0, "top/p/catalog.yaml", &catalog),
            host.add(1, "top/t.yaml", template),
        ];
        open(files, host)
    }

    fn text(session: &Session) -> String {
        String::from_utf8(session.files().bytes("top/t.yaml").expect("open")).expect("text")
    }

    fn substitute(catalog: &str, bundle: &str, by: Option<&str>) -> EditOp {
        EditOp::Substitute {
            catalog: Some(catalog.to_owned()),
            package: "p".to_owned(),
            bundle: bundle.to_owned(),
            by: by.map(str::to_owned),
            image: None,
            skip_old: false,
        }
    }

    fn entries(session: &Session, rendered: &str) -> Vec<String> {
        let package = session
            .root(Some(rendered))
            .expect("rendered")
            .catalog()
            .package("p")
            .cloned()
            .expect("p");
        package.channels[0]
            .entries
            .iter()
            .map(|entry| entry.name.value.to_string())
            .collect()
    }

    #[test]
    fn a_substitution_is_added_changed_and_removed() {
        let mut session = open_session(&template());
        let name = session.show_rendered("t.yaml").expect("rendered");
        session
            .apply("edit", &[substitute(&name, "p.v1.1.0", Some("q/p:v1.1.1"))])
            .expect("said");
        let expected = "substitutions:\n- name: q/p:v1.1.1\n  base: p.v1.1.0\n";
        let added = text(&session);
        assert_eq!(
            added.replace(expected, ""),
            template(),
            "nothing else changes: {added}"
        );
        assert!(added.contains(expected), "{added}");
        assert_eq!(
            entries(&session, &name),
            ["p.v1.0.0", "p.v1.1.0", "p.v1.1.1"]
        );
        session
            .apply(
                "edit",
                &[substitute("top/t.yaml", "p.v1.0.0", Some("p.v1.0.1"))],
            )
            .expect("by its name");
        assert!(text(&session).contains("- name: q/p:v1.0.1\n  base: p.v1.0.0\n"));
        session
            .apply("edit", &[substitute(&name, "p.v1.0.0", None)])
            .expect("removed");
        assert_eq!(text(&session), added);
        let image = EditOp::SetImage {
            catalog: Some(name.clone()),
            package: "p".to_owned(),
            bundle: Some("p.v1.1.1".to_owned()),
            condition: None,
            image: "q/p:other".to_owned(),
        };
        session.apply("edit", &[image]).expect("set");
        assert_eq!(
            text(&session),
            added.replace("- name: q/p:v1.1.1", "- name: q/p:other")
        );
    }

    #[test]
    fn edits_of_the_rendered_graph_become_substitutions() {
        let mut session = open_session(&template());
        let name = session.show_rendered("t.yaml").expect("rendered");
        let withdraw = EditOp::Withdraw {
            catalog: Some(name.clone()),
            package: "p".to_owned(),
            bundle: "p.v1.1.0".to_owned(),
            by: Some("p.v1.1.1".to_owned()),
            channel: Vec::new(),
        };
        session.apply("edit", &[withdraw]).expect("said");
        assert!(text(&session).contains("- name: q/p:v1.1.1\n  base: p.v1.1.0\n"));
        let set = EditOp::SetReplaces {
            catalog: Some(name.clone()),
            package: "p".to_owned(),
            channel: "a".to_owned(),
            name: "p.v1.1.1".to_owned(),
            replaces: None,
        };
        let refused = session
            .apply("no", &[set])
            .expect_err("its edges are another's");
        assert!(
            refused.reason.contains("has the edges of `p.v1.1.0`"),
            "{refused:?}"
        );
        assert!(refused.convertible);
        let remove = EditOp::RemoveEntry {
            catalog: Some(name.clone()),
            package: "p".to_owned(),
            channel: "a".to_owned(),
            name: "p.v1.1.1".to_owned(),
            then: DanglingEdges::Relink,
        };
        session.apply("edit", &[remove]).expect("its only channel");
        assert!(!text(&session).contains("v1.1.1"));
    }

    #[test]
    fn unrenderable_substitutions_are_refused() {
        let mut session = open_session(&template());
        let mut reason = |bundle: &str, by| {
            session
                .apply("no", &[substitute("top/t.yaml", bundle, by)])
                .expect_err("refused")
                .reason
        };
        assert_eq!(
            reason("p.v9", Some("q/p:v1.1.1")),
            "the template has no bundle `p.v9`"
        );
        assert_eq!(
            reason("p.v1.0.0", None),
            "no substitution takes the place of `p.v1.0.0`"
        );
        assert!(reason("p.v1.1.0", Some("q/p:v1.0.1")).contains("is not less than"));
        assert!(reason("p.v1.1.0", Some("a b")).contains("is not a valid image reference"));
    }

    #[test]
    fn bundles_of_a_substitutes_template_are_edited_in_full() {
        let mut session = open_session(&template());
        let property = EditOp::AddProperty {
            catalog: Some("top/t.yaml".to_owned()),
            package: "p".to_owned(),
            bundle: Some("p.v1.0.0".to_owned()),
            condition: None,
            kind: "olm.maxOpenShiftVersion".to_owned(),
            value: "4.18".into(),
        };
        session
            .apply("edit", &[property])
            .expect("it has properties");
        assert!(
            text(&session).contains("  - type: olm.maxOpenShiftVersion\n    value: \"4.18\"\n"),
            "{}",
            text(&session)
        );
    }
}
