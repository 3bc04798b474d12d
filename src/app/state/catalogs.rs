//! Catalogs that are created in the page.
//!
//! Catalogs consist of files, so a new one has a placeholder file: the empty file of all its
//! packages, or an `.indexignore`, which `opm` reads without treating it as part of the catalog.
//! Placeholders can be recreated from their paths, so work on a catalog that was never on disk can
//! be continued like any other.

use protocol::enum_with_text;

/// The initial content of an `.indexignore`.
const IGNORE: &str =
    "# Files that are not part of the catalog: one pattern per line, as in .gitignore.\n";
const IGNORE_NAME: &str = ".indexignore";
/// Maximum number of minor versions between the ends of a range.
const MAX_VERSION_SPAN: u32 = 50;

/// The file layout of a catalog's packages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Layout {
    /// A folder with a file per package.
    #[default]
    Folders,
    /// One file for all packages.
    OneFile,
}

enum_with_text! {
    fn file_name;
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum Format {
        #[default]
        Yaml = "catalog.yaml",
        Json = "catalog.json",
    }
}

/// A new catalog, or one for each OpenShift version.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NewCatalog {
    pub name: String,
    /// Names of version folders in it, such as `v4.18`; empty for a single catalog.
    pub versions: Vec<String>,
    pub layout: Layout,
    pub format: Format,
}

impl NewCatalog {
    pub fn roots(&self) -> Vec<String> {
        match self.versions.as_slice() {
            [] => vec![self.name.clone()],
            versions => versions
                .iter()
                .map(|version| format!("{}/{version}", self.name))
                .collect(),
        }
    }

    /// Returns the paths of the placeholder files with their text.
    pub fn files(&self) -> Vec<(String, &'static str)> {
        let (name, text) = match (self.layout, self.format) {
            (Layout::Folders, _) => (IGNORE_NAME, IGNORE),
            (Layout::OneFile, format) => (format.file_name(), ""),
        };
        self.roots()
            .into_iter()
            .map(|root| (format!("{root}/{name}"), text))
            .collect()
    }

    /// Returns the path of the first package's file in a catalog's folder, with `{{.Package}}`.
    pub fn first_file(&self) -> String {
        match self.layout {
            Layout::Folders => format!("{{{{.Package}}}}/{}", self.format.file_name()),
            Layout::OneFile => self.format.file_name().to_owned(),
        }
    }

    /// Returns why the catalog cannot be created; "" if it can.
    pub fn complaint<'p>(&self, mut open_paths: impl Iterator<Item = &'p str>) -> String {
        let name = self.name.as_str();
        if name.is_empty() || name.contains(['/', '\\']) || matches!(name, "." | "..") {
            return "Name the folder of the catalog, such as `catalog`".to_owned();
        }
        let is_taken = open_paths.any(|path| path.split('/').next() == Some(name));
        if is_taken {
            format!("Something named {name} is already open")
        } else {
            String::new()
        }
    }
}

/// Parses OpenShift versions as folder names, from a text like `4.16, v4.17` or `4.16-4.18`. The
/// error names the invalid part.
pub fn parse_versions(text: &str) -> Result<Vec<String>, String> {
    let mut names: Vec<String> = Vec::new();
    for part in text
        .split([',', ' ', '\n', '\t', ';'])
        .filter(|part| !part.is_empty())
    {
        let invalid = || format!("`{part}` is not an OpenShift version such as 4.18");
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (major, from) = parse_version(first).ok_or_else(invalid)?;
        let (last_major, to) = parse_version(last).ok_or_else(invalid)?;
        if major != last_major || from > to || to - from > MAX_VERSION_SPAN {
            return Err(invalid());
        }
        for minor in from..=to {
            let name = format!("v{major}.{minor}");
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    Ok(names)
}

fn parse_version(text: &str) -> Option<(u32, u32)> {
    let (major, minor) = text.trim_start_matches('v').split_once('.')?;
    let number = |part: &str| {
        part.parse()
            .ok()
            .filter(|_| part.len() < 4 && part.bytes().all(|b| b.is_ascii_digit()))
    };
    Some((number(major)?, number(minor)?))
}

/// Returns the text of the placeholder file with this path and size in bytes; `None` if no
/// placeholder has them.
pub fn placeholder_text(path: &str, size: u64) -> Option<&'static str> {
    let (folder, name) = path.rsplit_once('/')?;
    if folder.split('/').count() > 2 {
        return None;
    }
    let text = match name {
        IGNORE_NAME => IGNORE,
        "catalog.yaml" | "catalog.json" => "",
        _ => return None,
    };
    (text.len() as u64 == size).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_parsed_in_common_forms() {
        let names = |text: &str| parse_versions(text).map(|names| names.join(" "));
        assert_eq!(names("4.16, v4.17 4.16"), Ok("v4.16 v4.17".to_owned()));
        assert_eq!(names("4.16-4.18"), Ok("v4.16 v4.17 v4.18".to_owned()));
        assert_eq!(names(" "), Ok(String::new()));
        for wrong in ["4", "4.x", "4.18-4.16", "4.16-5.1", "four", "4.1-4.99"] {
            assert!(parse_versions(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_placeholder_is_recognized_by_path_and_size() {
        for layout in [Layout::Folders, Layout::OneFile] {
            for format in [Format::Yaml, Format::Json] {
                let versions = vec!["v4.16".to_owned(), "v4.17".to_owned()];
                for versions in [Vec::new(), versions] {
                    let new = NewCatalog {
                        name: "c".into(),
                        versions,
                        layout,
                        format,
                    };
                    let files = new.files();
                    assert_eq!(files.len(), new.roots().len());
                    let listing: Vec<(String, u64)> = files
                        .iter()
                        .map(|(path, text)| (path.clone(), text.len() as u64))
                        .collect();
                    assert!(
                        listing
                            .iter()
                            .all(|(path, size)| placeholder_text(path, *size).is_some()),
                        "{new:?}"
                    );
                }
            }
        }
        assert_eq!(placeholder_text("c/catalog.yaml", 9), None);
        assert_eq!(placeholder_text("c/other.yaml", 0), None);
        assert_eq!(
            placeholder_text("repo/catalogs/v4.18/catalog.yaml", 0),
            None
        );
    }

    #[test]
    fn the_layout_places_the_first_package() {
        let first_file = |layout, format| {
            NewCatalog {
                layout,
                format,
                ..NewCatalog::default()
            }
            .first_file()
        };
        assert_eq!(
            first_file(Layout::Folders, Format::Json),
            "{{.Package}}/catalog.json"
        );
        assert_eq!(first_file(Layout::OneFile, Format::Yaml), "catalog.yaml");
    }

    #[test]
    fn a_duplicate_name_is_refused() {
        let with_name = |name: &str| NewCatalog {
            name: name.to_owned(),
            ..NewCatalog::default()
        };
        assert_eq!(with_name("c").complaint(["d/catalog.yaml"].into_iter()), "");
        assert_eq!(
            with_name("d").complaint(["d/catalog.yaml"].into_iter()),
            "Something named d is already open"
        );
        assert!(!with_name("a/b").complaint([].into_iter()).is_empty());
        assert!(!with_name("").complaint([].into_iter()).is_empty());
    }
}
