//! Reports configuration problems of open operators as problems of a catalog, with their fixes.

use super::Host;
use crate::repository::{RepositoryFiles, configuration_fix, fix_title};
use ::repository::Finding;
use ::repository::check::check_configuration;
use catalog::model::FileId;
use protocol::diagnostic::{Diagnostic, Fix, Location};
use std::collections::BTreeSet;

impl Host {
    /// Finds configuration problems of open operators that concern the catalog or template `root`.
    pub(super) fn configuration_problems(&self, root: &str) -> Vec<Diagnostic> {
        let Some(repository) = &self.repository else {
            return Vec::new();
        };
        let files = RepositoryFiles::new(repository, &self.session, &*self.source);
        let operators = match repository.place.operator_of(root) {
            Some(operator) => vec![operator],
            None => repository.operators.iter().cloned().collect(),
        };
        let mut problems = Vec::new();
        for operator in operators {
            let released = self.released_versions(&operator);
            for finding in
                check_configuration(&files, &operator, &|version| released.contains(version))
            {
                let fixes = self.fix(&files, &finding).into_iter().collect();
                problems.push(self.configuration_problem(root, &operator, finding, fixes));
            }
        }
        // Each operator repeats the problems of the repository's own configuration.
        let mut seen: BTreeSet<(String, u32, String)> = BTreeSet::new();
        problems.retain(|problem| {
            seen.insert((
                problem.location.file.clone(),
                problem.location.line,
                problem.message.clone(),
            ))
        });
        problems
    }

    fn released_versions(&self, operator: &str) -> BTreeSet<String> {
        let Some(repository) = &self.repository else {
            return BTreeSet::new();
        };
        let belongs_to_operator =
            |path: &str| repository.place.operator_of(path).as_deref() == Some(operator);
        let mut versions = BTreeSet::new();
        for root in self.session.roots().iter().filter(|root| root.is_catalog()) {
            let files = root.catalog().files().iter();
            let files: BTreeSet<FileId> = files
                .filter(|file| belongs_to_operator(&root.full_path(&file.path)))
                .map(|file| file.id)
                .collect();
            let packages = root.catalog().packages();
            let bundles = packages.flat_map(|package| &package.bundles);
            let bundles = bundles.filter(|bundle| files.contains(&bundle.file));
            versions.extend(bundles.map(|bundle| bundle.version().to_owned()));
        }
        versions
    }

    fn configuration_problem(
        &self,
        root: &str,
        operator: &str,
        finding: Finding,
        fixes: Vec<Fix>,
    ) -> Diagnostic {
        let line = finding.line.unwrap_or(1);
        let repository = self.repository.as_ref();
        let opened = repository.map(|repository| repository.place.opened_path(&finding.file));
        Diagnostic {
            help: finding.help,
            catalog: root.to_owned(),
            package: Some(operator.to_owned()),
            // The file belongs to no catalog, so its path is absolute in the session.
            location: Location {
                file: format!("/{}", opened.unwrap_or_default()),
                line,
                column: 1,
                end_line: line,
                end_column: 1,
            },
            fixes,
            ..Diagnostic::new(finding.check, finding.severity, finding.message)
        }
    }

    fn fix(&self, files: &RepositoryFiles<'_>, finding: &Finding) -> Option<Fix> {
        let change = configuration_fix(files, finding)?;
        let path = self.repository.as_ref()?.place.opened_path(&change.path);
        let changes = self.session.changes();
        let ops = changes.file_text_ops(&path, &change.after).ok()?;
        (!ops.is_empty()).then(|| Fix {
            title: fix_title(finding),
            ops,
            ..Fix::default()
        })
    }
}
