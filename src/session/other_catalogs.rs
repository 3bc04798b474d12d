//! Previews the same operations in the other open catalogs and compares the results.
//!
//! The result is the same if the operations find the same values as in their own catalog and change
//! them in the same way ([`ChangedValues`](verdict::compare::ChangedValues)); anything else may
//! differ. Facts do not contain descriptions and icons, so for these the removed lines are compared
//! too.

use super::history::Preview;
use super::{Refused, Session};
use catalog::diff::LineKind;
use catalog::model::Template;
use edit::add_bundles;
use protocol::operation::EditOp;

#[derive(Debug, Clone, PartialEq)]
pub struct OtherCatalog {
    /// The root's name.
    pub root: String,
    /// The operations adapted to it.
    pub ops: Vec<EditOp>,
    pub outcome: OtherCatalogOutcome,
}

/// The effect of operations in another catalog.
#[derive(Debug, Clone, PartialEq)]
pub enum OtherCatalogOutcome {
    /// The catalog does not have the package.
    Absent,
    Refused(Refused),
    /// `differs`: the difference from the operations' own catalog, with names in backticks; `None`
    /// if everything they change is the same.
    Previewed {
        preview: Box<Preview>,
        differs: Option<String>,
    },
}

impl Preview {
    /// Returns the difference between two previews, of one session or of two; `None` if the results
    /// are the same.
    pub fn differs(&self, other: &Preview) -> Option<String> {
        if other.files.is_empty() && !self.files.is_empty() {
            return Some("it already has this change".to_owned());
        }
        if let Some(reason) = self.changed_values.first_difference(&other.changed_values) {
            return Some(reason);
        }
        let is_text = self.changed_values.is_empty();
        (is_text && removed_lines(self) != removed_lines(other))
            .then(|| "the removed text differs there".to_owned())
    }
}

/// Returns the removed lines, trimmed.
fn removed_lines(preview: &Preview) -> Vec<&[u8]> {
    let lines = preview
        .files
        .iter()
        .flat_map(|file| &file.hunks)
        .flat_map(|hunk| &hunk.lines);
    lines
        .filter(|line| line.kind == LineKind::Removed)
        .map(|line| line.text.trim_ascii())
        .collect()
}

/// Returns the effect of `ops` in their own catalog and in every other one, in catalog order. `ops`
/// belong to one catalog; free text applies to no other, and a copied package comes from one.
///
/// # Errors
///
/// If the operations are refused in their own catalog.
pub fn preview_in_all_catalogs(
    session: &mut Session,
    ops: &[EditOp],
) -> Result<(Preview, Vec<OtherCatalog>), Refused> {
    let own_preview = session.preview(ops)?;
    // An operation on a rendered catalog is an operation on its template.
    let own_name = ops.first().and_then(|op| session.root(op.catalog()).ok());
    let own_name = own_name.map(|root| {
        root.rendering()
            .map_or(&root.name, |rendering| &rendering.template)
            .clone()
    });
    // A substitution belongs to its substitutes template.
    let is_repeatable = ops.iter().all(|op| match op {
        EditOp::Substitute { .. } => !session
            .root(op.catalog())
            .is_ok_and(|root| matches!(root.template(), Some(Template::Substitutes(_)))),
        _ => !op.is_for_one_catalog(),
    });
    let (Some(own_name), true) = (own_name, is_repeatable) else {
        return Ok((own_preview, Vec::new()));
    };
    // A catalog without the package is reported; a template without it is skipped, since
    // templates mostly concern other packages.
    let names: Vec<String> = session
        .roots()
        .iter()
        .filter(|root| root.rendering().is_none())
        .filter(|root| {
            !root.is_template()
                || ops.iter().all(|op| {
                    let package = op.package();
                    !matches!(op, EditOp::Migrate { .. })
                        && package.is_none_or(|name| root.catalog().package(name).is_some())
                })
        })
        .map(|root| root.name.clone())
        .filter(|name| *name != own_name)
        .collect();
    let preview_cache = session.preview_cache.take();
    let others = names.into_iter().map(|root| {
        let ops = with_catalog(ops, &root);
        OtherCatalog {
            outcome: preview_in_catalog(session, &ops, &root, &own_preview),
            ops,
            root,
        }
    });
    let others = others.collect();
    session.preview_cache = preview_cache;
    Ok((own_preview, others))
}

/// The effect of operations in their own catalog and in all others.
#[derive(Debug, Clone, PartialEq)]
pub struct LackingPreview {
    /// The operations that their own catalog lacks.
    pub ops: Vec<EditOp>,
    pub preview: Preview,
    pub others: Vec<OtherCatalog>,
}

/// Returns the effect of those `ops` that each open catalog lacks
/// ([`add_bundles::missing_operations`]): in their own catalog, and in all others. Templates and
/// their renderings are skipped.
///
/// # Errors
///
/// If they are refused in their own catalog.
pub fn preview_lacking(session: &mut Session, ops: &[EditOp]) -> Result<LackingPreview, Refused> {
    let root = session.root(ops.first().and_then(EditOp::catalog))?;
    // Changes of a template reach catalogs by rendering.
    let is_repeatable = root.is_catalog();
    let own_name = root.name.clone();
    let lacks = add_bundles::missing_operations(ops, root.catalog());
    let own_preview = session.preview(&lacks)?;
    let others: Vec<(String, Vec<EditOp>)> = session
        .roots()
        .iter()
        .filter(|root| is_repeatable && root.name != own_name && root.is_catalog())
        .map(|root| {
            let lacks = add_bundles::missing_operations(ops, root.catalog());
            (root.name.clone(), lacks)
        })
        .collect();
    let preview_cache = session.preview_cache.take();
    let added = ops.iter().filter_map(|op| match op {
        EditOp::AddBundle { bundle, .. } => Some(bundle.as_str()),
        _ => None,
    });
    let added: Vec<&str> = added.collect();
    let others = others.into_iter().map(|(root, lacks_other)| {
        let differs = add_bundles::first_difference(&lacks, &lacks_other);
        let ops = with_catalog(&lacks_other, &root);
        let outcome = match session.preview_alone(&ops) {
            Ok(preview) => {
                let differs = differs.or_else(|| {
                    let [own, other] = [&own_preview, &preview]
                        .map(|preview| preview.changed_values.clone().without_bundles(&added));
                    own.first_difference(&other)
                });
                OtherCatalogOutcome::Previewed {
                    differs,
                    preview: Box::new(preview),
                }
            }
            Err(refused) => OtherCatalogOutcome::Refused(refused),
        };
        OtherCatalog { root, ops, outcome }
    });
    let others = others.collect();
    session.preview_cache = preview_cache;
    Ok(LackingPreview {
        ops: lacks,
        preview: own_preview,
        others,
    })
}

fn preview_in_catalog(
    session: &mut Session,
    ops: &[EditOp],
    root: &str,
    own_preview: &Preview,
) -> OtherCatalogOutcome {
    if !ops.iter().all(|op| {
        let catalog = session.root(Some(root)).map(super::Root::catalog);
        op.package()
            .is_none_or(|name| catalog.is_ok_and(|catalog| catalog.package(name).is_some()))
    }) {
        return OtherCatalogOutcome::Absent;
    }
    match session.preview_alone(ops) {
        Ok(preview) => OtherCatalogOutcome::Previewed {
            differs: own_preview.differs(&preview),
            preview: Box::new(preview),
        },
        Err(refused) => OtherCatalogOutcome::Refused(refused),
    }
}

/// Redirects operations to another catalog.
fn with_catalog(ops: &[EditOp], root: &str) -> Vec<EditOp> {
    let mut ops = ops.to_vec();
    for op in &mut ops {
        *op.catalog_mut() = Some(root.to_owned());
    }
    ops
}

#[cfg(test)]
mod tests {
    use super::super::{AdviceSource, open};
    use super::*;
    use catalog::testing::MemorySource;
    use std::rc::Rc;

    fn catalog(edges: &str) -> String {
        format!(
            "schema: olm.package\nname: p\ndefaultChannel: c\n---\nschema: olm.channel\npackage: p\nname: c\nentries:\n{edges}"
        )
    }

    fn session(catalogs: &[(&str, String)]) -> Session {
        let host = Rc::new(MemorySource::default());
        let files = catalogs.iter().enumerate().map(|(id, (name, text))| {
            host.add(id as u32, &format!("tree/{name}/p/catalog.yaml"), text)
        });
        let files = files.collect();
        let mut session = open(files, host);
        session.set_advice_source(AdviceSource::Nearest(None));
        session
    }

    fn op(json: &str) -> EditOp {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn each_other_catalog_has_its_own_outcome() {
        let mut session = session(&[
            (
                "v4.17",
                catalog("- {name: p.v1.0.0}\n- {name: p.v1.1.0, replaces: p.v1.0.0}\n"),
            ),
            (
                "v4.18",
                catalog(
                    "- {name: p.v0.9.0}\n- {name: p.v1.0.0, replaces: p.v0.9.0}\n- name: p.v1.1.0\n  replaces: p.v1.0.0 # here\n",
                ),
            ),
            (
                "v4.19",
                catalog("- {name: p.v1.0.0}\n- {name: p.v1.1.0, replaces: p.v0.9.0}\n"),
            ),
            ("v4.20", catalog("- {name: p.v1.1.0}\n")),
            ("v4.21", catalog("- {name: p.v1.0.0}\n")),
            ("v4.22", "schema: olm.package\nname: q\n".to_owned()),
        ]);
        let cut = op(
            r#"{"op":"set-replaces","catalog":"v4.17","package":"p","channel":"c","name":"p.v1.1.0","replaces":null}"#,
        );
        let revision = session.revision();
        let (own_preview, others) = preview_in_all_catalogs(&mut session, &[cut]).unwrap();
        assert_eq!(own_preview.files.len(), 1);
        let outcomes: Vec<(&str, String)> = others
            .iter()
            .map(|other| {
                let outcome = match &other.outcome {
                    OtherCatalogOutcome::Absent => "absent".to_owned(),
                    OtherCatalogOutcome::Refused(refused) => format!("refused: {}", refused.reason),
                    OtherCatalogOutcome::Previewed { differs, .. } => {
                        differs.clone().unwrap_or("same".to_owned())
                    }
                };
                (other.root.as_str(), outcome)
            })
            .collect();
        let expected = [
            ("tree/v4.18", "same"),
            (
                "tree/v4.19",
                "`p.v1.1.0` in `c`: replaces is `p.v0.9.0` there, `p.v1.0.0` here",
            ),
            ("tree/v4.20", "it already has this change"),
            ("tree/v4.21", "refused: channel `c` has no entry `p.v1.1.0`"),
            ("tree/v4.22", "absent"),
        ];
        assert_eq!(
            outcomes,
            expected.map(|(root, outcome)| (root, outcome.to_owned()))
        );
        assert_eq!(session.revision(), revision, "nothing changed");
    }

    #[test]
    fn descriptions_are_compared_verbatim() {
        let with = |text: &str| format!("schema: olm.package\nname: p\ndescription: {text}\n");
        let mut session = session(&[
            ("v1", with("old")),
            ("v2", with("old")),
            ("v3", with("other")),
        ]);
        let set = op(r#"{"op":"set-description","catalog":"v1","package":"p","text":"new"}"#);
        let (_, others) = preview_in_all_catalogs(&mut session, &[set]).unwrap();
        let differs: Vec<_> = others
            .iter()
            .map(|other| match &other.outcome {
                OtherCatalogOutcome::Previewed { differs, .. } => differs.as_deref(),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(differs, [None, Some("the removed text differs there")]);
    }

    #[test]
    fn each_catalog_gets_its_missing_parts() {
        let package = "schema: olm.package\nname: p\ndefaultChannel: c\n".to_owned();
        let mut session = session(&[
            ("v1", package.clone()),
            ("v2", package),
            ("v3", catalog("- {name: p.v1.0.0}\n")),
        ]);
        let add = |rest: &str| {
            op(&format!(
                r#"{{"op":"add-channel","catalog":"v1","package":"p","channel":"{rest}"}}"#
            ))
        };
        let LackingPreview {
            ops,
            preview,
            others,
        } = preview_lacking(&mut session, &[add("c"), add("d")]).unwrap();
        assert_eq!((ops.len(), preview.files.len()), (2, 1));
        let found: Vec<_> = others
            .iter()
            .map(|other| match &other.outcome {
                OtherCatalogOutcome::Previewed { differs, .. } => {
                    (other.ops.len(), differs.as_deref())
                }
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(found, [(2, None), (1, Some("channel `c` already exists"))]);
        assert_eq!(others[1].ops[0].catalog(), Some("tree/v3"));
    }

    #[test]
    fn free_text_edits_apply_to_one_catalog() {
        let mut session = session(&[("v1", catalog("")), ("v2", catalog(""))]);
        let text = op(
            r#"{"op":"replace-text","catalog":"v1","file":"p/catalog.yaml","at":"1:1-1:1","before":"","text":"\n"}"#,
        );
        assert_eq!(
            preview_in_all_catalogs(&mut session, &[text]).map(|(_, others)| others.len()),
            Ok(0)
        );
    }
}
