//! Combines the reports of all packages into the result of `opm validate` for the catalog.

use super::catalog_context::PublishedBundles;
use super::config::{self, Config};
use super::cross_package::{self, CrossPackageAdvice};
use super::diagnostic_context::Context;
use super::explain::explain;
use super::findings::{Anchor, Finding, OpmRefusal, Phase, TreeNode};
use super::judge::judge_package;
use super::known_diagnostics::KnownDiagnostics;
use super::report::PackageReport;
use super::requirements::OpenCatalogs;
use super::rule_doc::AppliesTo;
use super::rules::deprecations::{DEPRECATION_NO_PACKAGE, deprecation_no_package_message};
use super::settings::Settings;
use super::{blobs_without_package, config_rules, unreadable_text};
use catalog::model::{Package, load_rule};
use catalog::{Catalog, FirstLoadFaults, LoadFault, OmittedLoadFaults, walk_order};
use protocol::diagnostic::{Diagnostic, Fix, Location, Profile, Related, Severity};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;
use syntax::order::SortSmall;

/// Maximum number of loading problems listed per rule and file; one more counts the others. A
/// million messages about empty documents would use up memory.
pub const MOST_LOAD_PROBLEMS: usize = 1_000;

/// The judgement of a whole catalog.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Verdict {
    /// Whether `opm validate` exits with 0.
    pub passed: bool,
    /// `opm validate`'s message without the command's prefix; `None` if it passes.
    pub opm_message: Option<String>,
    /// All problems, ordered by file and position. Problems that an edit does not affect are shared
    /// by both verdicts.
    pub diagnostics: Vec<Arc<Diagnostic>>,
}

/// Judges a catalog from scratch, by `opm`'s rules alone: every package, then the whole.
pub fn judge(catalog: &Catalog) -> Verdict {
    judge_with(catalog, &Settings::from_profile(Profile::Opm))
}

pub fn judge_with(catalog: &Catalog, settings: &Settings) -> Verdict {
    judge_with_published(catalog, settings, &PublishedBundles::new()).0
}

/// Judges a catalog from scratch, its configuration included.
pub fn judge_configured(catalog: &Catalog, config: &Config) -> Verdict {
    let (mut verdict, used) =
        judge_with_published(catalog, &config.settings, &PublishedBundles::new());
    verdict.add_config(catalog, config, &used);
    verdict
}

/// Like [`judge_with`], including advice about published bundles of `old` that changed.
pub fn judge_change(old: &Catalog, catalog: &Catalog, settings: &Settings) -> Verdict {
    judge_with_published(catalog, settings, &cross_package::published_bundles(old)).0
}

/// Returns the verdict and the matching suppressions.
fn judge_with_published(
    catalog: &Catalog,
    settings: &Settings,
    published: &PublishedBundles,
) -> (Verdict, BTreeSet<usize>) {
    let reports: Vec<PackageReport> = catalog
        .packages()
        .map(|p| judge_package(p, settings))
        .collect();
    let pairs = || catalog.packages().map(|p| &**p).zip(&reports);
    let mut verdict = verdict(catalog, pairs());
    let open_catalogs = OpenCatalogs::for_one_catalog(
        pairs().map(|(package, report)| (&package.name, &report.provides)),
    );
    let advice = cross_package::advise(catalog, settings, pairs(), published, &open_catalogs);
    verdict.add_cross_package_advice(catalog, &advice);
    let mut used = advice.suppressed;
    used.extend(reports.iter().flat_map(|report| &report.suppressed));
    (verdict, used)
}

/// Combines the reports of all packages of the catalog. Packages must be sorted by name, as in
/// [`Catalog::packages`].
pub fn verdict<'a>(
    catalog: &Catalog,
    reports: impl IntoIterator<Item = (&'a Package, &'a PackageReport)>,
) -> Verdict {
    let context = Context::new(catalog);
    let reports: Vec<_> = reports.into_iter().collect();
    let opm_message = opm_message(catalog, reports.iter().copied());
    let of_packages = reports.iter().flat_map(|(package, report)| {
        report
            .findings
            .iter()
            .chain(&report.advice)
            .map(|finding| diagnostic(&context, catalog, package, finding))
    });
    let mut diagnostics: Vec<Arc<Diagnostic>> = of_packages.map(Arc::new).collect();
    diagnostics.extend(
        load_diagnostics(&context, catalog)
            .into_iter()
            .map(Arc::new),
    );
    Verdict::new(opm_message, diagnostics)
}

/// Like [`verdict`], for a catalog being edited, with cross-package advice: reuses the diagnostics
/// in `known` of unchanged packages. `name` is the catalog's name in its problems.
pub fn verdict_of_known<'a>(
    catalog: &Catalog,
    name: &str,
    reports: impl IntoIterator<Item = (&'a Package, &'a Rc<PackageReport>)>,
    advice: &Rc<CrossPackageAdvice>,
    known: &mut KnownDiagnostics,
) -> Verdict {
    let reports: Vec<_> = reports.into_iter().collect();
    let opm_message = opm_message(
        catalog,
        reports
            .iter()
            .map(|(package, report)| (*package, &***report)),
    );
    let context = Context::new(catalog);
    let mut diagnostics = known.update(&context, reports, advice, |package, finding| Diagnostic {
        catalog: name.to_owned(),
        ..diagnostic(&context, catalog, package, finding)
    });
    let of_loading = load_diagnostics(&context, catalog).into_iter();
    diagnostics.extend(of_loading.map(|diagnostic| {
        Arc::new(Diagnostic {
            catalog: name.to_owned(),
            ..diagnostic
        })
    }));
    Verdict::new(opm_message, diagnostics)
}

/// Returns the message of `opm validate`; `None` if it passes.
pub fn opm_message<'a>(
    catalog: &Catalog,
    reports: impl IntoIterator<Item = (&'a Package, &'a PackageReport)>,
) -> Option<String> {
    if let Some(fault) = catalog.each_load_fault().next() {
        return Some(fault.opm);
    }
    let mut first: Option<((Phase, u64), &OpmRefusal)> = None;
    let mut tree = TreeNode::leaf("invalid index".to_owned());
    for (package, report) in reports {
        if let Some(refusal) = &report.refusal {
            let key = (refusal.phase, order(package, refusal));
            if first.as_ref().is_none_or(|(least, _)| key < *least) {
                first = Some((key, refusal));
            }
        }
        tree.children.extend(report.tree.clone());
    }
    match first {
        Some(((_, order), refusal)) if refusal.rule.id == DEPRECATION_NO_PACKAGE.id => Some(
            deprecation_no_package_message(catalog.deprecations_before(order)),
        ),
        Some((_, refusal)) => Some(refusal.opm.clone()),
        None => (!tree.children.is_empty()).then(|| tree.draw()),
    }
}

impl Verdict {
    fn new(opm_message: Option<String>, mut diagnostics: Vec<Arc<Diagnostic>>) -> Self {
        sort(&mut diagnostics);
        Self {
            passed: opm_message.is_none(),
            opm_message,
            diagnostics,
        }
    }

    /// Returns `opm`'s message, "" if there is none. `opm` names no file of a YAML error, and counts
    /// its lines from the start of a document; like the problems, this message has file and line.
    pub fn located_message(&self) -> String {
        let message = self.opm_message.clone().unwrap_or_default();
        let mut problems = self.diagnostics.iter();
        match problems.find(|problem| problem.rule == load_rule::YAML_SYNTAX) {
            Some(problem) if message.contains("yaml: line ") => {
                let Location { file, line, .. } = &problem.location;
                format!("{file}:{line}: {}", problem.message)
            }
            _ => message,
        }
    }

    /// Adds the cross-package advice returned by [`cross_package::advise`].
    pub fn add_cross_package_advice(&mut self, catalog: &Catalog, advice: &CrossPackageAdvice) {
        if !advice.findings.is_empty() {
            let context = Context::new(catalog);
            let findings = advice
                .findings
                .iter()
                .filter_map(|(package, finding)| Some((catalog.package(package)?, finding)));
            let found =
                findings.map(|(package, finding)| diagnostic(&context, catalog, package, finding));
            self.diagnostics.extend(found.map(Arc::new));
            sort(&mut self.diagnostics);
        }
    }

    /// Adds our own problems without a package: complaints about the configuration, and
    /// suppressions that are not in `used`.
    pub fn add_config(&mut self, catalog: &Catalog, config: &Config, used: &BTreeSet<usize>) {
        let before = self.diagnostics.len();
        let mut used = used.clone();
        let own = blobs_without_package::advise(catalog, &config.settings, &mut used);
        self.diagnostics.extend(own.into_iter().map(Arc::new));
        let suppressions = config.settings.suppressions().iter().enumerate();
        let is_looked_for =
            |rule| explain(rule).is_some_and(|doc| config.settings.severity(doc).is_some());
        let unused = suppressions.filter(|(at, s)| !used.contains(at) && is_looked_for(s.rule));
        self.diagnostics.extend(
            unused.map(|(_, suppression)| Arc::new(config::unused_suppression(suppression))),
        );
        self.diagnostics
            .extend(config.complaints.iter().cloned().map(Arc::new));
        if catalog
            .file_at(config_rules::FILE_NAME)
            .is_some_and(|file| !file.ignored)
        {
            self.diagnostics
                .push(Arc::new(config_rules::inside_catalog()));
        }
        if self.diagnostics.len() > before {
            sort(&mut self.diagnostics);
        }
    }
}

/// Sorts by file in walk order, then by position.
fn sort(diagnostics: &mut [Arc<Diagnostic>]) {
    diagnostics.sort_small_by(|a, b| {
        walk_order(&a.location.file, &b.location.file)
            .then_with(|| location_key(a).cmp(&location_key(b)))
            .then_with(|| (&a.rule, &a.message).cmp(&(&b.rule, &b.message)))
    });
}

fn location_key(d: &Diagnostic) -> (u32, u32, u32, u32) {
    (
        d.location.line,
        d.location.column,
        d.location.end_line,
        d.location.end_column,
    )
}

/// Returns the load order of the refused blob, for comparing refusals of several packages.
fn order(package: &Package, refusal: &OpmRefusal) -> u64 {
    refusal
        .blob()
        .and_then(|blob| blob.find(package))
        .map_or(0, |(_, _, order)| order)
}

fn location(catalog: &Catalog, package: &Package, anchor: Anchor) -> Location {
    match anchor.blob.find(package) {
        Some((file, index, _)) => catalog.location(file, index, anchor.place),
        None => Location::default(),
    }
}

fn diagnostic(
    context: &Context<'_>,
    catalog: &Catalog,
    package: &Package,
    finding: &Finding,
) -> Diagnostic {
    let related = finding.related.iter().map(|(message, anchor)| Related {
        message: message.clone(),
        location: location(catalog, package, *anchor),
    });
    let mut fixes: Vec<Fix> = finding
        .corrected
        .iter()
        .filter_map(|corrected| context.corrected(package, corrected))
        .collect();
    fixes.extend(context.respelling_fixes(package, finding));
    fixes.extend(
        finding
            .fixes
            .iter()
            .map(|fix| context.in_its_place(package, fix)),
    );
    if !context.is_certain(finding) {
        fixes.iter_mut().for_each(|fix| fix.safe = false);
    }
    let follows = context.cause(package, finding, |at| location(catalog, package, at));
    let (mut help, mut explanation) = (finding.help.clone(), finding.explanation.clone());
    // The unreadable text may contain the missing object, so every other remedy would be a guess.
    if let Some(cause) = follows.as_ref().filter(|cause| cause.hides_text()) {
        fixes.clear();
        explanation = None;
        help = unreadable_text::remedy(cause);
    }
    Diagnostic {
        rule: finding.rule.id.to_owned(),
        severity: finding.severity,
        opm: finding.rule.opm,
        opm_since: finding
            .since
            .or(finding.rule.since)
            .map(|version| version.to_string()),
        message: finding.message.clone(),
        help,
        catalog: String::new(),
        package: (!package.name.is_empty()).then(|| package.name.to_string()),
        channel: finding.channel.as_ref().map(|c| c.to_string()),
        bundle: finding.bundle.as_ref().map(|b| b.to_string()),
        location: location(catalog, package, finding.at),
        related: related.collect(),
        fixes,
        follows,
        explanation,
    }
}

/// Returns the problems that prevent loading; per file and rule at most [`MOST_LOAD_PROBLEMS`],
/// then the number of the others.
fn load_diagnostics(context: &Context<'_>, catalog: &Catalog) -> Vec<Diagnostic> {
    let FirstLoadFaults { faults, omitted } = catalog.first_load_faults(MOST_LOAD_PROBLEMS);
    let mut diagnostics: Vec<Diagnostic> = faults
        .into_iter()
        .map(|fault| load_diagnostic(context, fault))
        .collect();
    diagnostics.extend(omitted.into_iter().map(
        |OmittedLoadFaults {
             count,
             first: fault,
         }| {
            let file = fault.location.file.clone();
            let (are, problems) = if count == 1 {
                ("is", "problem")
            } else {
                ("are", "problems")
            };
            Diagnostic {
                message: format!("{count} more {problems} like those before {are} in `{file}`"),
                help: format!(
                    "only the first {MOST_LOAD_PROBLEMS} are listed; correct them, and the next are"
                ),
                ..load_diagnostic(
                    context,
                    LoadFault {
                        correction: None,
                        ..fault
                    },
                )
            }
        },
    ));
    diagnostics
}

fn load_diagnostic(context: &Context<'_>, fault: LoadFault) -> Diagnostic {
    let fixes = context
        .corrected_fault(&fault)
        .into_iter()
        .chain(context.ignoring(fault.file, &fault.rule))
        .collect();
    Diagnostic {
        opm: true,
        help: fault.help,
        location: fault.location,
        fixes,
        ..Diagnostic::new(fault.rule, Severity::Error, fault.message)
    }
}

pub fn judge_template_package(package: &Package, settings: &Settings) -> PackageReport {
    let mut report = judge_package(package, settings);
    for findings in [&mut report.findings, &mut report.advice] {
        findings.retain(|finding| finding.rule.applies == AppliesTo::TemplatesToo);
    }
    report
}

/// Returns the problems of a template. It passes if there are none, and has no `opm` message.
pub fn template_verdict<'a>(
    catalog: &Catalog,
    reports: impl IntoIterator<Item = (&'a Package, &'a PackageReport)>,
) -> Verdict {
    let mut verdict = verdict(catalog, reports);
    for diagnostic in verdict.diagnostics.iter_mut().map(Arc::make_mut) {
        diagnostic.opm = false;
        // A catalog cannot ignore its own template.
        diagnostic.fixes.retain(|fix| fix.kind != "ignore-file");
    }
    verdict.passed = verdict
        .diagnostics
        .iter()
        .all(|diagnostic| diagnostic.severity != Severity::Error);
    verdict.opm_message = None;
    verdict
}

#[cfg(test)]
mod tests {
    use super::*;
    use catalog::index::index_bytes;
    use catalog::model::FileId;
    use catalog::{Content, TreeEntry};

    fn judge_files(files: &[(&str, &str)]) -> Verdict {
        let entries = files.iter().zip(0..).map(|((path, text), id)| TreeEntry {
            id: FileId(id),
            path: (*path).to_owned(),
            content: Content::Indexed(Arc::new(index_bytes(text.as_bytes()))),
        });
        judge(&Catalog::new("dir", entries.collect()))
    }

    fn without_schema(count: usize) -> Verdict {
        judge_files(&[("a.yaml", &"---\nname: a\n".repeat(count))])
    }

    #[test]
    fn one_fix_ignores_the_whole_folder_of_git() {
        let verdict = judge_files(&[
            ("p/.git/HEAD", "ref: refs/heads/main\n"),
            ("p/.git/a+b.yaml", "text\n"),
            ("p/README", "text\n"),
        ]);
        let titles = verdict.diagnostics.iter().map(|problem| {
            assert_eq!(problem.fixes.len(), 1, "{}", problem.location.file);
            problem.fixes[0].title.as_str()
        });
        assert_eq!(
            titles.collect::<Vec<_>>(),
            [
                "list `p/.git` in `.indexignore`",
                "list `p/.git` in `.indexignore`",
                "list `p/README` in `.indexignore`, if it is not part of the catalog"
            ]
        );
    }

    #[test]
    fn load_problems_beyond_a_limit_are_only_counted() {
        let listed = |count| without_schema(count).diagnostics;
        let all = listed(MOST_LOAD_PROBLEMS).len();
        assert_eq!(all, MOST_LOAD_PROBLEMS);
        let cut = listed(MOST_LOAD_PROBLEMS + 7);
        assert_eq!(cut.len(), MOST_LOAD_PROBLEMS + 1);
        let last = cut.last().unwrap();
        assert_eq!(
            last.message,
            "7 more problems like those before are in `a.yaml`"
        );
        assert_eq!((last.rule.as_str(), last.opm), (cut[0].rule.as_str(), true));
        assert!(
            last.location.line as usize > MOST_LOAD_PROBLEMS,
            "where the first of them is"
        );
        assert!(!without_schema(MOST_LOAD_PROBLEMS + 7).passed);
    }
}
