//! Creates a template for a catalog that has none, as operations that create its file, so that they
//! can be previewed, applied and undone. The result is rendered and refused unless it equals the
//! catalog.

use super::convert_template::{
    Conversion, NotConverted, convert, differing_bundles, rendered_with, template_text,
};
use super::open_bundles::{OpenBundles, ReadBundles};
use super::{Refused, Templates, catalog_positions};
use bundle::{self, File};
use catalog::roots::join;
use edit::refused;
use repository::layout;
use serde_json::Value;
use syntax::tree::Format;
use template::mapping;
use template::render::TemplateType;

#[derive(Debug, Clone, Copy)]
pub struct NewTemplate<'a> {
    /// The catalog's root name.
    pub root: &'a str,
    /// `None`: all packages of the catalog.
    pub package: Option<&'a str>,
    pub kind: TemplateType,
    /// The path of its file; "" for the default one.
    pub path: &'a str,
}

impl Templates<'_> {
    /// Returns the default path of a catalog's template: in the operator's folder of a repository,
    /// else in a folder beside the catalog, or inside it if nothing beside it is open.
    pub fn default_template_path(&self, new_template: &NewTemplate<'_>) -> Result<String, Refused> {
        let root = &self.session.root(Some(new_template.root))?.name;
        let file = format!("{}/{}.yaml", mapping::FOLDER, new_template.kind.name());
        if let (Some(place), Some(package)) = (&self.session.repository, new_template.package) {
            return Ok(place.opened_path(&layout::template_path(
                package,
                &format!("{}.yaml", new_template.kind.name()),
            )));
        }
        let folder = root
            .rsplit_once('/')
            .map_or(root.as_str(), |(above, _)| above);
        Ok(join(folder, &file))
    }

    /// Returns the operations that create the template. Rendered with the catalog's bundles, its
    /// text equals the catalog.
    pub fn template_conversion(
        &self,
        request: NewTemplate<'_>,
    ) -> Result<Conversion, NotConverted> {
        let root = self.session.root(Some(request.root))?;
        if !root.is_catalog() {
            return Err(refused!("`{}` is not a catalog", root.name).into());
        }
        let path = match request.path.trim() {
            "" => self.default_template_path(&request)?,
            path => path.to_owned(),
        };
        self.check_new_path(&path)?;
        let mut blobs = self.catalog_blobs(request.root)?;
        if let Some(package) = request.package {
            blobs.retain(|blob| match blob["schema"].as_str() {
                Some("olm.package") => blob["name"] == package,
                _ => blob["package"] == package,
            });
        }
        if blobs.is_empty() {
            return Err(Refused::new("there is nothing to make a template of")
                .help("add a package first")
                .into());
        }
        let (template, remarks) = convert(request.kind, &blobs)?;
        let format = if path.ends_with(".json") {
            Format::Json
        } else {
            Format::Yaml
        };
        let text = template_text(&template, format);
        // The catalog's own bundles come first: another catalog may define the same images
        // differently.
        let own_index = self
            .session
            .roots
            .iter()
            .position(|other| other.name == root.name);
        let catalogs = catalog_positions(&self.session.roots);
        let others = catalogs.filter(|at| Some(*at) != own_index);
        let order: Vec<usize> = own_index.into_iter().chain(others).collect();
        let no_cache = ReadBundles::default();
        let after = rendered_with(
            text.as_bytes(),
            &OpenBundles::new(self.session, &order, &no_cache),
        )?;
        let before = bundle::arrange(blobs);
        if before != after {
            return Err(differing_bundles(&before, &after).into());
        }
        Ok(Conversion {
            ops: self
                .session
                .changes()
                .text_change_ops(&path, &[], text.as_bytes())?,
            remarks,
        })
    }

    /// Returns the blobs of a catalog's files, as `opm` loads them.
    fn catalog_blobs(&self, root: &str) -> Result<Vec<Value>, Refused> {
        let root = self.session.root(Some(root))?;
        let mut files = Vec::new();
        for file in root.catalog().files().iter().filter(|file| !file.ignored) {
            let Some(version) = self.session.files.version(file.id) else {
                continue;
            };
            let bytes = self.session.files.text_of(version)?;
            files.push(File {
                path: file.path.clone(),
                bytes,
            });
        }
        bundle::read_catalog(&files).map_err(|refusal| {
            let place = refusal
                .file
                .map_or_else(String::new, |file| format!("{file}: "));
            refused!("the catalog cannot be read: {place}{}", refusal.message)
                .help("correct its errors first")
        })
    }

    /// Checks that a file can be created there and is saved with the others.
    fn check_new_path(&self, path: &str) -> Result<(), Refused> {
        let is_text = [".yaml", ".yml", ".json"]
            .iter()
            .any(|ending| path.ends_with(ending));
        let is_clean = path.split('/').all(|part| !matches!(part, "" | "." | ".."));
        if !is_text || !is_clean {
            return Err(refused!("`{path}` is not the path of a YAML or JSON file")
                .help("write it as `FOLDER/NAME.yaml`, beginning with a folder that is open"));
        }
        let is_taken = self.session.files.paths().any(|other| {
            other == path
                || other
                    .strip_prefix(path)
                    .is_some_and(|rest| rest.starts_with('/'))
        });
        if is_taken {
            return Err(refused!("`{path}` is already there").help("choose another name"));
        }
        let top = path.split('/').next().unwrap_or_default();
        let is_open = self
            .session
            .files
            .paths()
            .any(|other| other.split_once('/').map_or("", |(top, _)| top) == top)
            || self.session.files.paths().all(|other| !other.contains('/'));
        if !is_open {
            return Err(
                refused!("no folder `{top}` is open, so the file could not be saved")
                    .help("begin the path with a folder that is open"),
            );
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Session, open};
    use super::*;
    use catalog::testing::MemorySource;
    use std::rc::Rc;

    fn blobs(package: &str, channel: &str) -> String {
        let bundle = |n: &str| {
            format!(
                "---\nschema: olm.bundle\npackage: {package}\nname: {package}.v{n}\nimage: q/{package}:v{n}\nproperties:\n- type: olm.package\n  value: {{packageName: {package}, version: {n}}}\n"
            )
        };
        format!(
            "---\nschema: olm.package\nname: {package}\ndefaultChannel: {channel}\n---\nschema: olm.channel\npackage: {package}\nname: {channel}\nentries:\n- name: {package}.v1.0.0\n- name: {package}.v1.1.0\n  replaces: {package}.v1.0.0\n{}{}",
            bundle("1.0.0"),
            bundle("1.1.0")
        )
    }

    fn open_session(files: &[(&str, String)]) -> Session {
        let host = Rc::new(MemorySource::default());
        let files = files
            .iter()
            .enumerate()
            .map(|(at, (path, text))| host.add(at as u32, path, text))
            .collect();
        open(files, host)
    }

    fn make_template(
        session: &Session,
        kind: TemplateType,
        package: Option<&str>,
        path: &str,
    ) -> Result<Conversion, String> {
        let root = session
            .roots()
            .iter()
            .find(|root| root.is_catalog())
            .expect("a catalog")
            .name
            .clone();
        session
            .templates()
            .template_conversion(NewTemplate {
                root: &root,
                package,
                kind,
                path,
            })
            .map_err(|not| match not {
                NotConverted::Refused(refused) => refused.reason,
                NotConverted::Differs(differences) => differences.join("; "),
            })
    }

    #[test]
    fn a_new_template_is_among_the_changed_files() {
        let mut session = open_session(&[("top/c/catalog.yaml", blobs("p", "stable-v1"))]);
        for (kind, expected) in [
            (TemplateType::Basic, "schema: olm.template.basic"),
            (TemplateType::Semver, "schema: olm.semver"),
            (
                TemplateType::Substitutes,
                "schema: olm.template.substitutes",
            ),
        ] {
            let conversion = make_template(&session, kind, Some("p"), "").expect("made");
            session.apply("make", &conversion.ops).expect("applied");
            let path = format!("top/catalog-templates/{}.yaml", kind.name());
            let text =
                String::from_utf8(session.files().bytes(&path).expect("a file")).expect("text");
            assert!(text.contains(expected), "{text}");
            assert!(
                session
                    .root(Some(&path))
                    .expect("a root")
                    .template()
                    .is_some()
            );
            assert_eq!(session.files().changed_paths(), [path.as_str()]);
            assert!(
                make_template(&session, kind, None, &path)
                    .expect_err("twice")
                    .contains("already there")
            );
            session.undo().expect("one step");
            assert_eq!(session.files().changed_paths(), Vec::<&str>::new());
        }
    }

    #[test]
    fn one_of_several_packages_can_be_chosen() {
        let files = [
            ("top/c/p.yaml", blobs("p", "fast")),
            ("top/c/q.yaml", blobs("q", "fast")),
        ];
        let session = open_session(&files);
        let text = |package| {
            format!(
                "{:?}",
                make_template(&session, TemplateType::Basic, package, "top/t.yaml")
                    .expect("made")
                    .ops
            )
        };
        assert!(text(Some("q")).contains("q/q:v1.0.0") && !text(Some("q")).contains("q/p:v1.0.0"));
        assert!(text(None).contains("q/q:v1.0.0") && text(None).contains("q/p:v1.0.0"));
    }

    #[test]
    fn inexpressible_catalogs_and_invalid_paths_are_refused() {
        let session = open_session(&[("top/c/catalog.yaml", blobs("p", "odd"))]);
        let refused = |kind, path| make_template(&session, kind, None, path).expect_err("refused");
        assert!(refused(TemplateType::Semver, "").contains("odd"));
        for path in ["/t.yaml", "top/../t.yaml", "top/t", "top/", "top/c"] {
            assert!(
                refused(TemplateType::Basic, path).contains("is not the path"),
                "{path}"
            );
        }
        assert!(refused(TemplateType::Basic, "other/t.yaml").contains("no folder `other` is open"));
    }
}
