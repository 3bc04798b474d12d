//! `add-package`: a package from nothing, as `opm init` prints it, in a file as the catalog's other packages have theirs.

use super::refused::Refused;
use super::{CatalogView, PlanStep, Value, icon};
use crate::model::{Blob, Body};
use crate::syntax::tree::Format;

/// The operation's fields.
pub(super) struct NewPackage<'a> {
    pub(super) name: &'a str,
    /// "" if not given yet.
    pub(super) default_channel: &'a str,
    pub(super) description: Option<&'a str>,
    /// In base64.
    pub(super) icon: Option<&'a str>,
}

pub(super) fn plan(view: &CatalogView<'_>, new: &NewPackage<'_>) -> Result<Vec<PlanStep>, Refused> {
    if new.name.is_empty() || new.name.contains(['/', '\\']) || matches!(new.name, "." | "..") {
        return Err(Refused::new(format!("`{}` is no name of a package", new.name))
            .help("use lower case letters, digits and `-`"));
    }
    if let Some(present) = view.catalog.package(new.name).and_then(|package| package.packages.first()) {
        return Err(Refused::new(format!("package `{}` is in this catalog already", new.name))
            .help("change it with `set-description`, `set-icon` and `set-default-channel`")
            .at(view.location(present.file, present.index, present.name.place)));
    }
    let mut says = vec![
        ("schema", Value::from("olm.package")),
        ("name", new.name.into()),
        ("defaultChannel", new.default_channel.into()),
    ];
    if let Some(data) = new.icon {
        let icon = icon::read(data)?;
        says.push(("icon", Value::map([("base64data", icon.data.as_str()), ("mediatype", icon.media_type)])));
    }
    if let Some(description) = new.description.filter(|text| !text.is_empty()) {
        says.push(("description", description.into()));
    }
    let value = Value::map(says);
    let steps = match home(view, new.name) {
        Home::New { path, format } => PlanStep::CreateFile { path, format, value },
        Home::Shared { file, format } => PlanStep::AddBlob { file, after: None, format, value },
    };
    Ok(vec![steps])
}

/// The location of the package.
enum Home {
    New {
        path: String,
        format: Format,
    },
    /// A file that holds several packages, or the only one.
    Shared {
        file: crate::model::FileId,
        format: Format,
    },
}

/// As the catalog's first package is laid out: in a folder or a file of its name, else in one file with all others.
fn home(view: &CatalogView<'_>, name: &str) -> Home {
    let fresh = |path: &String| view.file_at(path).is_none() && !view.catalog.ignore_rules().ignores(path);
    let mut shared = None;
    for file in view.catalog.files().iter().filter(|file| !file.ignored) {
        let blobs: &[Blob] = file.index().map_or(&[], |index| &index.blobs);
        for blob in blobs {
            let Body::Package(package) = &blob.body else { continue };
            let (other, format) = (package.name.as_str(), blob.format);
            let path = named_after(&file.path, other, name);
            if let Some(path) = path.filter(|path| fresh(path)) {
                return Home::New { path, format };
            }
            shared.get_or_insert(Home::Shared { file: file.id, format });
        }
    }
    match shared {
        Some(shared) => shared,
        None => Home::New { path: format!("{name}/catalog.yaml"), format: Format::Yaml },
    }
}

/// The path with the other package's name exchanged, where a folder or the file is named so.
fn named_after(path: &str, other: &str, name: &str) -> Option<String> {
    let stem = |part: &str| part.rsplit_once('.').map_or(part.len(), |(stem, _)| stem.len());
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
    use super::named_after;

    #[test]
    fn a_package_goes_where_its_name_stands() {
        let named = |path| named_after(path, "a", "b");
        assert_eq!(named("a/catalog.yaml").as_deref(), Some("b/catalog.yaml"));
        assert_eq!(named("packages/a.json").as_deref(), Some("packages/b.json"));
        assert_eq!(named("catalog.yaml"), None);
    }
}
