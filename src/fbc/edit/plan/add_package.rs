//! `add-package`: a new package as `opm init` prints it, in a file laid out like the catalog's
//! other packages.

use super::refused::Refused;
use super::{CatalogView, PlanStep, Value, icon};
use crate::model::{Blob, Body, FileId};
use crate::syntax::tree::Format;

/// The operation's fields.
pub(super) struct NewPackage<'a> {
    pub(super) name: &'a str,
    /// "" if not given yet.
    pub(super) default_channel: &'a str,
    pub(super) description: Option<&'a str>,
    /// In base64.
    pub(super) icon: Option<&'a str>,
    /// The file for the first package of a catalog.
    pub(super) file: Option<&'a str>,
}

pub(super) fn plan(view: &CatalogView<'_>, new: &NewPackage<'_>) -> Result<Vec<PlanStep>, Refused> {
    if new.name.is_empty() || new.name.contains(['/', '\\']) || matches!(new.name, "." | "..") {
        return Err(
            Refused::new(format!("`{}` is not a valid package name", new.name))
                .help("use lower-case letters, digits and `-`"),
        );
    }
    if let Some(present) = view
        .catalog
        .package(new.name)
        .and_then(|package| package.packages.first())
    {
        return Err(
            Refused::new(format!("package `{}` is already in this catalog", new.name))
                .help("change it with `set-description`, `set-icon` and `set-default-channel`")
                .at(view.location(present.file, present.index, present.name.place)),
        );
    }
    let mut fields = vec![
        ("schema", Value::from("olm.package")),
        ("name", new.name.into()),
        ("defaultChannel", new.default_channel.into()),
    ];
    if let Some(data) = new.icon {
        let icon = icon::read(data)?;
        fields.push((
            "icon",
            Value::map([
                ("base64data", icon.data.as_str()),
                ("mediatype", icon.media_type),
            ]),
        ));
    }
    if let Some(description) = new.description.filter(|text| !text.is_empty()) {
        fields.push(("description", description.into()));
    }
    let value = Value::map(fields);
    let step = match home(view, new)? {
        Home::New { path, format } => PlanStep::CreateFile {
            path,
            format,
            value,
        },
        Home::Shared { file, format } => PlanStep::AddBlob {
            file,
            after: None,
            format,
            value,
        },
    };
    Ok(vec![step])
}

/// Where the package is placed.
enum Home {
    New {
        path: String,
        format: Format,
    },
    /// A file with several packages, the only file, or an empty one.
    Shared {
        file: FileId,
        format: Format,
    },
}

/// Follows the layout of the catalog's first package: its own folder or file named after it, else
/// one file with all others. In a catalog without packages: the operation's file, an existing empty
/// file, or a new folder for the package.
fn home(view: &CatalogView<'_>, new: &NewPackage<'_>) -> Result<Home, Refused> {
    let mut shared = None;
    for file in view.catalog.files().iter().filter(|file| !file.ignored) {
        let blobs: &[Blob] = file.index().map_or(&[], |index| &index.blobs);
        for blob in blobs {
            let Body::Package(package) = &blob.body else {
                continue;
            };
            let (other, format) = (package.name.as_str(), blob.format);
            let path = named_after(&file.path, other, new.name);
            if let Some(home) = path.and_then(|path| free(view, path, format)) {
                return Ok(home);
            }
            shared.get_or_insert(Home::Shared {
                file: file.id,
                format,
            });
        }
    }
    if let Some(shared) = shared {
        return Ok(shared);
    }
    if let Some(path) = new.file {
        let format = format_of(path).filter(|_| is_inside(path));
        let format = format.ok_or_else(|| {
            Refused::new(format!("`{path}` is not a catalog file")).help(
                "name a path below the catalog's folder that ends in `.yaml`, `.yml` or `.json`",
            )
        })?;
        return free(view, path.to_owned(), format).ok_or_else(|| {
            Refused::new(format!(
                "the package cannot be written to `{path}`: it is not empty, or `.indexignore` ignores it"
            ))
            .help("name another file")
        });
    }
    let empty = view
        .catalog
        .files()
        .iter()
        .filter(|file| !file.ignored && !file.path.contains('/'));
    let mut empty = empty.filter_map(|file| Some((file.path.clone(), format_of(&file.path)?)));
    Ok(empty
        .find_map(|(path, format)| free(view, path, format))
        .unwrap_or_else(|| Home::New {
            path: format!("{}/catalog.yaml", new.name),
            format: Format::Yaml,
        }))
}

/// The path, if it is free for a package: no file or an empty one, and no rule ignores it.
fn free(view: &CatalogView<'_>, path: String, format: Format) -> Option<Home> {
    if view.catalog.ignore_rules().ignores(&path) {
        return None;
    }
    match view.file_at(&path) {
        None => Some(Home::New { path, format }),
        Some(file) => {
            let is_empty = file.index().is_some_and(|index| index.blobs.is_empty());
            is_empty.then_some(Home::Shared {
                file: file.id,
                format,
            })
        }
    }
}

fn format_of(path: &str) -> Option<Format> {
    match path.rsplit_once('.')?.1 {
        "yaml" | "yml" => Some(Format::Yaml),
        "json" => Some(Format::Json),
        _ => None,
    }
}

fn is_inside(path: &str) -> bool {
    path.split('/').all(|part| !matches!(part, "" | "." | "..")) && !path.contains('\\')
}

/// The path with the other package's name replaced, if a folder or the file is named after it.
fn named_after(path: &str, other: &str, name: &str) -> Option<String> {
    let stem = |part: &str| {
        part.rsplit_once('.')
            .map_or(part.len(), |(stem, _)| stem.len())
    };
    let mut is_named = false;
    let parts: Vec<String> = path
        .split('/')
        .map(|part| match part {
            part if part == other => {
                is_named = true;
                name.to_owned()
            }
            part if !other.is_empty() && part.get(..stem(part)) == Some(other) => {
                is_named = true;
                format!("{name}{}", part.get(stem(part)..).unwrap_or_default())
            }
            part => part.to_owned(),
        })
        .collect();
    is_named.then(|| parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_a_catalog_lies_in_it() {
        assert_eq!(format_of("a/catalog.json"), Some(Format::Json));
        assert_eq!(format_of("a/catalog"), None);
        assert!(
            is_inside("a/b.yaml")
                && !is_inside("../b.yaml")
                && !is_inside("/b.yaml")
                && !is_inside("a\\b.yaml")
        );
    }

    #[test]
    fn a_package_goes_to_a_path_with_its_name() {
        let new_path = |path| named_after(path, "a", "b");
        assert_eq!(
            new_path("a/catalog.yaml").as_deref(),
            Some("b/catalog.yaml")
        );
        assert_eq!(
            new_path("packages/a.json").as_deref(),
            Some("packages/b.json")
        );
        assert_eq!(new_path("catalog.yaml"), None);
    }
}
