//! `switchyard next` and `switchyard path`: from here, where? Also for catalogs that do not validate.

use super::{only_package, package};
use crate::args::{LensArg, PartialArgs, PolicyArg, UpgradeArgs};
use crate::disk::Disk;
use crate::error::{COULD_NOT_RUN, CliError, CliResult};
use crate::formats::TextOrData;
use crate::incomplete::Incomplete;
use crate::output::{self, one_line};
use crate::rendered;
use fbc::did_you_mean::did_you_mean;
use fbc::model::Package;
use fbc::upgrade::installed_name::{self, InstalledName, UnknownInstalled};
use fbc::upgrade::resolve::{self, CatalogSet};
use fbc::upgrade::selector::Selector;
use fbc::upgrade::{Answer, ErrorKind, Installed, Lens, Options, Path, Policy, UpgradeError, UpgradeIndex, v1};
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;

pub(super) fn next(args: &UpgradeArgs) -> CliResult {
    let question = Question::new(args)?;
    let mut answer = question.next();
    question.check_installed(answer.next.is_some(), &mut answer.why)?;
    let installed = question.installed().map(|i| &*i.name);
    let step = answer.next.as_ref();
    match args.format {
        TextOrData::Data(form) => {
            let mut told = json!({
                "format": output::FORMAT,
                "lens": lens_name(question.lens),
                "package": question.package,
                "installed": installed,
                "next": step.map(|s| &*s.name),
                "version": step.map(|s| &*s.version),
                "channel": step.map(|s| &*s.channel),
                "edge": step.map_or("none", |s| s.edge.as_str()),
                "why": answer.why,
                "error": answer.error.as_ref().map(|e| json!({ "kind": e.kind.as_str(), "text": e.text })),
            });
            question.incomplete.mark(&mut told);
            output::data(form, &told)?;
        }
        TextOrData::Text => {
            let from = one_line(installed.unwrap_or("fresh install"));
            output::text(&match (step, &answer.error) {
                (Some(step), _) => format!("{from} -> {} ({})\n", one_line(&step.name), step.edge.as_str()),
                (None, Some(error)) => format!("{from}: {}\n", one_line(&error.text)),
                (None, None) => format!("{from}: stays\n"),
            })?;
            output::reasons("why", &answer.why)?;
        }
    }
    Ok(question.incomplete.report(args.partial, status(answer.error.as_ref())))
}

pub(super) fn path(args: &UpgradeArgs) -> CliResult {
    let question = Question::new(args)?;
    let mut path = question.path();
    let from = usize::from(question.installed().is_some());
    question.check_installed(path.steps.len() > from, &mut path.why)?;
    match args.format {
        TextOrData::Data(form) => {
            let steps: Vec<&str> = path.steps.iter().map(|s| &**s).collect();
            let mut told = json!({
                "format": output::FORMAT,
                "lens": lens_name(question.lens),
                "package": question.package,
                "steps": steps,
                "why": path.why,
                "loop": path.looped,
                "error": path.error.as_ref().map(|e| json!({ "kind": e.kind.as_str(), "text": e.text })),
            });
            question.incomplete.mark(&mut told);
            output::data(form, &told)?;
        }
        TextOrData::Text => {
            let mut text: String = path.steps.iter().map(|step| format!("{}\n", one_line(step))).collect();
            if let Some(error) = &path.error {
                text.push_str(&format!("({})\n", one_line(&error.text)));
            }
            output::text(&text)?;
            output::reasons("why", &path.why)?;
        }
    }
    Ok(question.incomplete.report(args.partial, status(path.error.as_ref())))
}

/// That OLM refuses is an answer; that the search for it was too long is none.
fn status(error: Option<&UpgradeError>) -> u8 {
    match error {
        Some(error) if error.kind == ErrorKind::NotKnown => COULD_NOT_RUN,
        _ => 0,
    }
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
    /// `None`: a fresh install.
    named: Option<InstalledName>,
    options: Options,
    catalogs: Vec<CatalogPackage>,
    incomplete: Incomplete,
    partial: PartialArgs,
    selector: Option<Selector>,
}

/// What a catalog catalog_packages of the package.
struct CatalogPackage {
    name: String,
    priority: i32,
    index: UpgradeIndex,
    /// All packages of the catalog: under Classic, requirements are met from them.
    packages: Vec<Arc<Package>>,
}

impl Question {
    fn new(args: &UpgradeArgs) -> Result<Self, CliError> {
        of_the_lens(args)?;
        let first = rendered::open(&args.dir, &args.known, args.partial.partial)?;
        let catalog = first.root()?.catalog();
        let mut incomplete = Incomplete::of(&first.name(), catalog);
        let wanted = match args.package.name() {
            Some(name) => name,
            None => only_package(catalog.packages(), "the catalog has").inspect_err(|_| {
                incomplete.report(args.partial, 0);
            })?,
        };
        let empty = Package { name: wanted.into(), ..Package::default() };
        // A package that another catalog catalog_packages need not be in the first one.
        let own = match catalog.package(wanted) {
            Some(package) => package,
            None if args.catalog.is_empty() => package(catalog, wanted).inspect_err(|_| {
                incomplete.report(args.partial, 0);
            })?,
            None => &empty,
        };
        let name = args.dir.canonicalize().ok().and_then(|d| Some(d.file_name()?.to_string_lossy().into_owned()));
        let mut catalogs = vec![CatalogPackage {
            name: name.unwrap_or_default(),
            priority: 0,
            index: UpgradeIndex::new(own),
            packages: catalog.packages().cloned().collect(),
        }];
        for catalog in &args.catalog {
            let (name, dir, priority) = named_catalog(catalog)?;
            let disk = Disk::open(&dir)?;
            let package = disk.root()?.catalog().package(wanted).map_or(&empty, |p| &**p);
            incomplete.add(&disk.name(), disk.root()?.catalog());
            let packages = disk.root()?.catalog().packages().cloned().collect();
            catalogs.push(CatalogPackage { name, priority, index: UpgradeIndex::new(package), packages });
        }
        let selector = match &args.selector {
            None => None,
            Some(text) => {
                let parsed = Selector::parse(text);
                Some(parsed.map_err(|e| CliError::new(e.text))?)
            }
        };
        let offered = || catalogs.iter().flat_map(|offer| &offer.packages).map(|package| &**package);
        let asked: Vec<&Package> = offered().filter(|package| *package.name == *wanted).collect();
        if asked.is_empty() {
            incomplete.report(args.partial, 0);
            return Err(CliError::new(format!("no catalog has a package \"{wanted}\"")).hint(did_you_mean(
                wanted,
                offered().map(|package| &*package.name),
                "`switchyard list packages DIR` lists them",
            )));
        }
        let named = match &args.installed {
            None => None,
            Some(text) => Some(installed_name::read(text, &asked, offered()).map_err(|unknown| {
                incomplete.report(args.partial, 0);
                refused(unknown)
            })?),
        };
        Ok(Self {
            named,
            incomplete,
            partial: args.partial,
            lens: match args.lens {
                LensArg::V0 => Lens::V0,
                LensArg::V1 => Lens::V1,
            },
            package: wanted.to_owned(),
            options: Options {
                channels: args.channel.clone(),
                range: args.version.clone(),
                policy: match args.policy {
                    None | Some(PolicyArg::CatalogProvided) => Policy::CatalogProvided,
                    Some(PolicyArg::SelfCertified) => Policy::SelfCertified,
                },
                starting_csv: args.starting_csv.clone(),
            },
            catalogs,
            selector,
        })
    }

    fn installed(&self) -> Option<&Installed> {
        self.named.as_ref().map(|named| &named.installed)
    }

    /// Adds what is known of the installed bundle to the reasons, or refuses.
    fn check_installed(&self, leads_on: bool, why: &mut Vec<String>) -> Result<(), CliError> {
        if let Some(named) = &self.named {
            named.confirm(leads_on).map_err(|unknown| {
                self.incomplete.report(self.partial, 0);
                refused(unknown)
            })?;
            why.extend(named.notes.iter().cloned());
            if self.options.starting_csv.is_some() {
                why.push("`--starting-csv` counts only for a fresh install".to_owned());
            }
        }
        Ok(())
    }

    fn next(&self) -> Answer {
        match self.lens {
            Lens::V0 => self.catalog_set().next(&self.subscribed(), &self.package, self.installed(), &self.options),
            Lens::V1 => {
                let installed = self.installed();
                v1::next(&self.catalog_packages(), self.selector.as_ref(), &self.package, installed, &self.options)
            }
        }
    }

    fn path(&self) -> Path {
        match self.lens {
            Lens::V0 => self.catalog_set().path(&self.subscribed(), &self.package, self.installed(), &self.options),
            Lens::V1 => {
                let installed = self.installed();
                v1::path(&self.catalog_packages(), self.selector.as_ref(), &self.package, installed, &self.options)
            }
        }
    }

    /// The catalog that a Classic subscription names: DIR.
    fn subscribed(&self) -> String {
        self.catalogs.first().map_or_else(String::new, |offer| offer.name.clone())
    }

    /// All catalogs as Classic's resolver sees them, so that requirements between bundles count.
    fn catalog_set(&self) -> CatalogSet<'_> {
        let catalogs = self.catalogs.iter().map(|offer| resolve::Catalog {
            name: offer.name.as_str().into(),
            namespace: "".into(),
            priority: offer.priority.into(),
            packages: offer.packages.iter().map(|p| &**p).collect(),
        });
        CatalogSet::new(catalogs.collect())
    }

    fn catalog_packages(&self) -> Vec<v1::Catalog<'_>> {
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

fn refused(unknown: UnknownInstalled) -> CliError {
    CliError::new(unknown.reason).hint(unknown.help)
}

/// What a lens has no such thing for would be ignored; it is refused, with the lens that has it.
fn of_the_lens(args: &UpgradeArgs) -> Result<(), CliError> {
    let (foreign, other): (&[(&str, bool)], LensArg) = match args.lens {
        LensArg::V0 => (
            &[
                ("--version", args.version.is_some()),
                ("--policy", args.policy.is_some()),
                ("--selector", args.selector.is_some()),
                ("more than one --channel", args.channel.len() > 1),
            ],
            LensArg::V1,
        ),
        LensArg::V1 => (&[("--starting-csv", args.starting_csv.is_some())], LensArg::V0),
    };
    let named: Vec<&str> = foreign.iter().filter(|(_, given)| *given).map(|(name, _)| *name).collect();
    if named.is_empty() {
        return Ok(());
    }
    let words = |lens| match lens {
        LensArg::V0 => ("OLM Classic", "v0"),
        LensArg::V1 => ("OLM v1", "v1"),
    };
    let ((theirs, flag), (ours, _)) = (words(other), words(args.lens));
    let belong = if named.len() == 1 { "belongs" } else { "belong" };
    Err(CliError::new(format!("{} {belong} to {theirs}; {ours} has no such thing", named.join(", ")))
        .hint(format!("ask with `--lens {flag}`, or leave it out")))
}

/// `NAME=DIR[:PRIORITY]`.
pub(super) fn named_catalog(text: &str) -> Result<(String, PathBuf, i32), CliError> {
    let (name, rest) = text.split_once('=').ok_or_else(|| {
        CliError::new(format!("`{text}` is not a catalog")).hint("write NAME=DIR or NAME=DIR:PRIORITY")
    })?;
    let (dir, priority) = match rest.rsplit_once(':').and_then(|(dir, n)| Some((dir, n.parse().ok()?))) {
        Some((dir, priority)) => (dir, priority),
        None => (rest, 0),
    };
    Ok((name.to_owned(), PathBuf::from(dir), priority))
}
