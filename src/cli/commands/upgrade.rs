//! `switchyard next` and `switchyard path`: from here, where? Also for catalogs that do not validate.

use super::package;
use crate::cli::args::{LensArg, PolicyArg, TextOrJson, UpgradeArgs};
use crate::cli::disk::Disk;
use crate::cli::error::{CliError, CliResult};
use crate::cli::output;
use crate::fbc::model::Package;
use crate::fbc::upgrade::resolve::{self, Shelf};
use crate::fbc::upgrade::selector::Selector;
use crate::fbc::upgrade::{Answer, Installed, Lens, Options, Path, Policy, UpgradeIndex, v1};
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;

pub(super) fn next(args: &UpgradeArgs) -> CliResult {
    let question = Question::new(args)?;
    let answer = question.next();
    let installed = question.installed.as_ref().map(|i| &*i.name);
    let step = answer.next.as_ref();
    match args.format {
        TextOrJson::Json => output::json(&json!({
            "format": output::FORMAT,
            "lens": lens_name(question.lens),
            "package": args.package,
            "installed": installed,
            "next": step.map(|s| &*s.name),
            "version": step.map(|s| &*s.version),
            "channel": step.map(|s| &*s.channel),
            "edge": step.map_or("none", |s| s.edge.as_str()),
            "why": answer.why,
            "error": answer.error.as_ref().map(|e| json!({ "kind": e.kind.as_str(), "text": e.text })),
        }))?,
        TextOrJson::Text => {
            let from = installed.unwrap_or("fresh install");
            output::text(&match (step, &answer.error) {
                (Some(step), _) => format!("{from} -> {} ({})\n", step.name, step.edge.as_str()),
                (None, Some(error)) => format!("{from}: {}\n", error.text),
                (None, None) => format!("{from}: stays\n"),
            })?;
            answer.why.iter().for_each(|line| output::note(line));
        }
    }
    Ok(0)
}

pub(super) fn path(args: &UpgradeArgs) -> CliResult {
    let question = Question::new(args)?;
    let path = question.path();
    match args.format {
        TextOrJson::Json => {
            let steps: Vec<&str> = path.steps.iter().map(|s| &**s).collect();
            output::json(&json!({
                "format": output::FORMAT,
                "lens": lens_name(question.lens),
                "package": args.package,
                "steps": steps,
                "why": path.why,
                "loop": path.looped,
                "error": path.error.as_ref().map(|e| json!({ "kind": e.kind.as_str(), "text": e.text })),
            }))?;
        }
        TextOrJson::Text => {
            let mut text: String = path.steps.iter().map(|step| format!("{step}\n")).collect();
            if let Some(error) = &path.error {
                text.push_str(&format!("({})\n", error.text));
            }
            output::text(&text)?;
            path.why.iter().for_each(|line| output::note(line));
        }
    }
    Ok(0)
}

fn lens_name(lens: Lens) -> &'static str {
    match lens {
        Lens::V0 => "v0",
        Lens::V1 => "v1",
    }
}

/// A question with everything that is needed to answer it.
struct Question {
    lens: Lens,
    package: String,
    installed: Option<Installed>,
    options: Options,
    catalogs: Vec<Offer>,
    selector: Option<Selector>,
}

/// What a catalog offers of the package.
struct Offer {
    name: String,
    priority: i32,
    index: UpgradeIndex,
    /// All packages of the catalog: under Classic, requirements are met from them.
    packages: Vec<Arc<Package>>,
}

impl Question {
    fn new(args: &UpgradeArgs) -> Result<Self, CliError> {
        let first = Disk::open(&args.dir)?;
        let empty = Package { name: args.package.as_str().into(), ..Package::default() };
        let catalog = first.root()?.catalog();
        // A package that another catalog offers need not be in the first one.
        let own = match catalog.package(&args.package) {
            Some(package) => package,
            None if args.catalog.is_empty() => package(catalog, &args.package)?,
            None => &empty,
        };
        let installed_name = args.installed.as_deref().map(|i| i.split_once('@').map_or(i, |(name, _)| name));
        let version_in = |package: &Package| Some(package.bundle(installed_name?)?.version().to_owned());
        let mut found = version_in(own);
        let name = args.dir.canonicalize().ok().and_then(|d| Some(d.file_name()?.to_string_lossy().into_owned()));
        let mut catalogs = vec![Offer {
            name: name.unwrap_or_default(),
            priority: 0,
            index: UpgradeIndex::new(own),
            packages: catalog.packages().cloned().collect(),
        }];
        for catalog in &args.catalog {
            let (name, dir, priority) = named_catalog(catalog)?;
            let disk = Disk::open(&dir)?;
            let package = disk.root()?.catalog().package(&args.package).map_or(&empty, |p| &**p);
            found = found.or_else(|| version_in(package));
            let packages = disk.root()?.catalog().packages().cloned().collect();
            catalogs.push(Offer { name, priority, index: UpgradeIndex::new(package), packages });
        }
        let selector = match &args.selector {
            None => None,
            Some(text) => {
                let parsed = Selector::parse(text);
                Some(parsed.map_err(|e| CliError::new(e.text))?)
            }
        };
        Ok(Self {
            lens: match args.lens {
                LensArg::V0 => Lens::V0,
                LensArg::V1 => Lens::V1,
            },
            package: args.package.clone(),
            installed: args.installed.as_deref().map(|text| match text.split_once('@') {
                Some((name, version)) => Installed::new(name, version),
                None => Installed::new(text, found.unwrap_or_default()),
            }),
            options: Options {
                channels: args.channel.clone(),
                range: args.version.clone(),
                policy: match args.policy {
                    PolicyArg::CatalogProvided => Policy::CatalogProvided,
                    PolicyArg::SelfCertified => Policy::SelfCertified,
                },
                starting_csv: args.starting_csv.clone(),
            },
            catalogs,
            selector,
        })
    }

    fn next(&self) -> Answer {
        match self.lens {
            Lens::V0 => self.shelf().next(&self.subscribed(), &self.package, self.installed.as_ref(), &self.options),
            Lens::V1 => {
                let installed = self.installed.as_ref();
                v1::next(&self.offers(), self.selector.as_ref(), &self.package, installed, &self.options)
            }
        }
    }

    fn path(&self) -> Path {
        match self.lens {
            Lens::V0 => self.shelf().path(&self.subscribed(), &self.package, self.installed.as_ref(), &self.options),
            Lens::V1 => {
                let installed = self.installed.as_ref();
                v1::path(&self.offers(), self.selector.as_ref(), &self.package, installed, &self.options)
            }
        }
    }

    /// The catalog that a Classic subscription names: DIR.
    fn subscribed(&self) -> String {
        self.catalogs.first().map_or_else(String::new, |offer| offer.name.clone())
    }

    /// All catalogs as Classic's resolver sees them, so that requirements between bundles count.
    fn shelf(&self) -> Shelf<'_> {
        let catalogs = self.catalogs.iter().map(|offer| resolve::Catalog {
            name: offer.name.as_str().into(),
            namespace: "".into(),
            priority: offer.priority.into(),
            packages: offer.packages.iter().map(|p| &**p).collect(),
        });
        Shelf::new(catalogs.collect())
    }

    fn offers(&self) -> Vec<v1::Catalog<'_>> {
        self.catalogs
            .iter()
            .map(|o| v1::Catalog {
                name: &o.name,
                priority: o.priority,
                labels: &[],
                unavailable: false,
                package: Ok(&o.index),
            })
            .collect()
    }
}

/// `NAME=DIR[:PRIORITY]`.
pub(super) fn named_catalog(text: &str) -> Result<(String, PathBuf, i32), CliError> {
    let (name, rest) = text
        .split_once('=')
        .ok_or_else(|| CliError::new(format!("`{text}` is no catalog")).hint("write NAME=DIR or NAME=DIR:PRIORITY"))?;
    let (dir, priority) = match rest.rsplit_once(':').and_then(|(dir, n)| Some((dir, n.parse().ok()?))) {
        Some((dir, priority)) => (dir, priority),
        None => (rest, 0),
    };
    Ok((name.to_owned(), PathBuf::from(dir), priority))
}
