//! Finds a repository among the opened paths, by names alone; nothing is read.

use super::files::join;
use super::layout::{CATALOGS, CONFIG, OPERATORS};
use crate::template::mapping;
use std::collections::{BTreeMap, BTreeSet};

/// A repository among the opened paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// The folder with `operators` and `catalogs`; "" if these two were opened themselves.
    Whole { root: String },
    /// The folder of one operator, with `catalogs` beside it.
    Operator { above: String, operator: String },
}

/// Evidence from the names directly in a folder.
#[derive(Default)]
struct Signs<'a> {
    has_operators: bool,
    has_catalogs: bool,
    has_config: bool,
    /// Folders with a `ci.yaml`, and folders with templates or bundles.
    mapped: BTreeSet<&'a str>,
    filled: BTreeSet<&'a str>,
    catalog_operators: BTreeSet<&'a str>,
}

impl Place {
    /// The repository that contains most of the paths: the top folder of all, or the items opened
    /// together.
    pub fn find<'a>(paths: impl IntoIterator<Item = &'a str>) -> Option<Self> {
        let mut signs: BTreeMap<&str, Signs<'a>> = BTreeMap::new();
        for path in paths {
            note(signs.entry("").or_default(), path);
            if let Some((top, rest)) = path.split_once('/') {
                note(signs.entry(top).or_default(), rest);
            }
        }
        let whole = signs
            .iter()
            .find(|(_, of)| of.has_operators && (of.has_catalogs || of.has_config));
        if let Some((root, _)) = whole {
            return Some(Self::Whole {
                root: (*root).to_owned(),
            });
        }
        signs.into_iter().find_map(|(above, of)| {
            let is_operator = |name: &&&str| {
                of.filled.contains(**name)
                    && of.catalog_operators.contains(**name)
                    && **name != OPERATORS
            };
            let operator = of.mapped.iter().find(is_operator)?;
            Some(Self::Operator {
                above: above.to_owned(),
                operator: (*operator).to_owned(),
            })
        })
    }

    /// The opened folder; "" if there were several.
    pub fn name(&self) -> &str {
        match self {
            Self::Whole { root } => root,
            Self::Operator { above, .. } => above,
        }
    }

    /// The repository path of an opened path; `None` if it is outside.
    pub fn inside(&self, opened: &str) -> Option<String> {
        match self {
            Self::Whole { root } => below(opened, root).map(str::to_owned),
            Self::Operator { above, operator } => {
                let path = below(opened, above)?;
                if path == CATALOGS || below(path, CATALOGS).is_some() {
                    return Some(path.to_owned());
                }
                let own = below(path, operator)?;
                Some(join(&join(OPERATORS, operator), own))
            }
        }
    }

    /// The opened path of a repository path.
    pub fn opened_path(&self, path: &str) -> String {
        match self {
            Self::Whole { root } => join(root, path),
            Self::Operator { above, .. } => {
                let own = below(path, OPERATORS).unwrap_or(path);
                join(above, own)
            }
        }
    }

    /// The folder of the catalog that contains an opened path.
    pub fn catalog_folder(&self, opened: &str) -> Option<String> {
        let path = self.inside(opened)?;
        let (name, _) = below(&path, CATALOGS)?.split_once('/')?;
        Some(self.opened_path(&join(CATALOGS, name)))
    }

    /// The operator that an opened path belongs to.
    pub fn operator_of(&self, opened: &str) -> Option<String> {
        let path = self.inside(opened)?;
        let own = below(&path, OPERATORS).or_else(|| {
            below(&path, CATALOGS)?
                .split_once('/')
                .map(|(_, rest)| rest)
        })?;
        own.split_once('/').map(|(operator, _)| operator.to_owned())
    }
}

fn below<'p>(path: &'p str, folder: &str) -> Option<&'p str> {
    match folder {
        "" => Some(path),
        folder => path.strip_prefix(folder)?.strip_prefix('/'),
    }
}

/// Records the evidence of a path below a candidate.
fn note<'a>(signs: &mut Signs<'a>, path: &'a str) {
    let mut parts = path.split('/');
    let (first, second, third) = (parts.next().unwrap_or_default(), parts.next(), parts.next());
    let is_deeper = parts.next().is_some();
    match (first, second, third) {
        (CONFIG, None, _) => signs.has_config = true,
        (OPERATORS, Some(_), Some(_)) => signs.has_operators = true,
        (CATALOGS, Some(_), Some(operator)) if is_deeper => {
            signs.has_catalogs = true;
            signs.catalog_operators.insert(operator);
        }
        (folder, Some(mapping::FILE_NAME), None) => drop(signs.mapped.insert(folder)),
        (folder, Some(mapping::FOLDER), Some(_)) => drop(signs.filled.insert(folder)),
        (folder, Some(_), Some("manifests")) if is_deeper => drop(signs.filled.insert(folder)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(root: &str) -> Option<Place> {
        Some(Place::Whole {
            root: root.to_owned(),
        })
    }

    #[test]
    fn a_repository_is_recognised_by_names() {
        let operators = "r/operators/o/1.0.0/manifests/csv.yaml";
        assert_eq!(
            Place::find([operators, "r/catalogs/v4.18/o/catalog.yaml"]),
            whole("r")
        );
        assert_eq!(Place::find([operators, "r/config.yaml"]), whole("r"));
        assert_eq!(
            Place::find(["operators/o/ci.yaml", "catalogs/latest/o/catalog.yaml"]),
            whole("")
        );
        assert_eq!(
            Place::find([operators]),
            None,
            "`operators` alone is ambiguous"
        );
        assert_eq!(
            Place::find([
                "r/catalogs/v4.18/o/catalog.yaml",
                "r/catalogs/v4.19/o/catalog.yaml"
            ]),
            None
        );
    }

    #[test]
    fn an_operator_with_its_catalogs_beside_it_is_one() {
        for above in ["", "top/"] {
            let paths = [
                format!("{above}o/ci.yaml"),
                format!("{above}o/catalog-templates/basic.yaml"),
                format!("{above}catalogs/v4.18/o/catalog.yaml"),
            ];
            let place = Place::find(paths.iter().map(String::as_str)).expect("a repository");
            assert_eq!(
                place.inside(&paths[1]).as_deref(),
                Some("operators/o/catalog-templates/basic.yaml")
            );
            assert_eq!(place.opened_path("operators/o/ci.yaml"), paths[0]);
            assert_eq!(place.opened_path("catalogs/v4.18/o/catalog.yaml"), paths[2]);
            assert_eq!(
                place.catalog_folder(&paths[2]),
                Some(format!("{above}catalogs/v4.18"))
            );
            assert_eq!(place.operator_of(&paths[2]).as_deref(), Some("o"));
        }
    }

    #[test]
    fn paths_elsewhere_are_not_inside() {
        let place = Place::Whole {
            root: "r".to_owned(),
        };
        assert_eq!(place.inside("r2/operators/o/ci.yaml"), None);
        assert_eq!(
            place.operator_of("r/operators/o/ci.yaml").as_deref(),
            Some("o")
        );
        assert_eq!(place.operator_of("r/config.yaml"), None);
        assert_eq!(place.catalog_folder("r/operators/o/ci.yaml"), None);
    }
}
