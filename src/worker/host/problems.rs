//! The problems of a catalog, followed by those of the files that control how it is rendered: `ci.yaml` and
//! `release-config.yaml` of the open operators.

use super::Host;
use crate::repository::{RepositoryFiles, configuration_fix, fix_words};
use crate::views::inspect;
use fbc::repository::check::configuration;
use fbc::repository::{Finding, Severity};
use protocol::Json;
use protocol::diagnostic::{self, Diagnostic, Fix, Location};
use protocol::query::{Inspect, Problems};
use protocol::request::Target;
use std::collections::BTreeSet;

answer!(Problems, |host, Problems { root }| {
    let own = host.workspace.root(Some(&root))?.problems().cloned();
    let others = host.configuration_problems(&root);
    Ok(own.chain(others).map(Json).collect())
});

answer!(Inspect, |host, query| {
    let Inspect {
        root,
        package,
        target,
    } = &query;
    let others = match target {
        Target::Problem { .. } => host.configuration_problems(root),
        _ => Vec::new(),
    };
    Ok(inspect::inspect(
        &host.workspace,
        root,
        package,
        target,
        &others,
    )?)
});

impl Host {
    /// Problems in the configuration of the open operators that concern one of the repository's catalogs or templates.
    fn configuration_problems(&self, root: &str) -> Vec<Diagnostic> {
        let Some(repository) = &self.repository else {
            return Vec::new();
        };
        let files = RepositoryFiles::new(repository, &self.workspace, &*self.source);
        let operators = match repository.place.operator_of(root) {
            Some(operator) => vec![operator],
            None => repository.operators.iter().cloned().collect(),
        };
        let mut found = Vec::new();
        for operator in operators {
            let released = self.released_bundles(&operator);
            for finding in configuration(&files, &operator, &|version| released.contains(version)) {
                let fixes = self.fixes(&files, &finding);
                found.push(self.problem(root, &operator, finding, fixes));
            }
        }
        // Problems of the repository's own configuration repeat for each operator.
        let mut known: BTreeSet<(String, u32, String)> = BTreeSet::new();
        found.retain(|of| {
            known.insert((
                of.location.file.clone(),
                of.location.line,
                of.message.clone(),
            ))
        });
        found
    }

    /// The versions of an operator in any of the open catalogs.
    fn released_bundles(&self, operator: &str) -> BTreeSet<String> {
        let Some(repository) = &self.repository else {
            return BTreeSet::new();
        };
        let is_of = |path: &str| repository.place.operator_of(path).as_deref() == Some(operator);
        let mut versions = BTreeSet::new();
        for root in self
            .workspace
            .roots()
            .iter()
            .filter(|root| root.is_catalog())
        {
            for file in root
                .catalog()
                .files()
                .iter()
                .filter(|file| is_of(&root.full_path(&file.path)))
            {
                let bundles = root
                    .catalog()
                    .packages()
                    .flat_map(|package| &package.bundles);
                versions.extend(
                    bundles
                        .filter(|blob| blob.file == file.id)
                        .map(|blob| blob.version().to_owned()),
                );
            }
        }
        versions
    }

    fn problem(&self, root: &str, operator: &str, finding: Finding, fixes: Vec<Fix>) -> Diagnostic {
        let line = finding.line.unwrap_or(1);
        let opened = self
            .repository
            .as_ref()
            .map_or_else(String::new, |of| of.place.opened_path(&finding.file));
        let severity = match finding.severity {
            Severity::Error => diagnostic::Severity::Error,
            Severity::Warning => diagnostic::Severity::Warning,
        };
        Diagnostic {
            help: finding.help,
            catalog: root.to_owned(),
            package: Some(operator.to_owned()),
            // The file is in no catalog; its path starts at the top.
            location: Location {
                file: format!("/{opened}"),
                line,
                column: 1,
                end_line: line,
                end_column: 1,
            },
            fixes,
            ..Diagnostic::new(finding.check, severity, finding.message)
        }
    }

    fn fixes(&self, files: &RepositoryFiles<'_>, finding: &Finding) -> Vec<Fix> {
        let title = fix_words(finding);
        let change = configuration_fix(files, finding);
        let Some(change) = change else {
            return Vec::new();
        };
        let Some(repository) = &self.repository else {
            return Vec::new();
        };
        let ops = self
            .workspace
            .changes()
            .file_text_ops(&repository.place.opened_path(&change.path), &change.after);
        let fix = |ops| Fix {
            title,
            safe: false,
            ops,
            kind: String::new(),
            heads: Vec::new(),
            note: String::new(),
        };
        ops.ok()
            .filter(|ops| !ops.is_empty())
            .map(fix)
            .into_iter()
            .collect()
    }
}
