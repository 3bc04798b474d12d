//! Answers queries about the open repository and changes it.

use super::{Host, Refused};
use crate::repository::{
    ListedFile, OverlaidFiles, Repository, RepositoryFiles, RequiredPart, dropped_texts, plan,
};
use crate::views::repository;
use ::repository::layout::{Place, operator_of_template};
use ::repository::{FileChange, Problem};
use catalog::TreeEntry;
use catalog::source::ByteSource;
use edit::refused;
use protocol::operation::EditOp;
use protocol::query::{
    ApplyRepository, ListFiles, ListOperators, Open, OpenOperator, Operator, PrepareRelease,
    QueryResult,
};
use protocol::repository::{RepositoryStatus, RepositoryTask};
use protocol::request::OpenMode;

answer!(ListOperators, |host, _| {
    Ok(host.in_repository(|_, files| repository::view(files))?)
});

answer!(Operator, |host, Operator { operator }| {
    Ok(host.in_repository(|repo, files| repository::operator(&repo.place, files, &operator))?)
});

answer!(OpenOperator, |host, OpenOperator { operator }| {
    host.read_operator(&operator)?;
    Ok(host.status())
});

answer!(PrepareRelease, |host, query| {
    let PrepareRelease {
        operator,
        bundle,
        dropped,
    } = &query;
    Ok(host.in_repository(|repo, files| {
        let files = OverlaidFiles::new(files, dropped_texts(operator, bundle, dropped));
        repository::form(&repo.place, &files, operator, bundle)
    })?)
});

answer!(RepositoryTask, |host, task| {
    Ok(host.in_repository(|repo, files| {
        repository::plan(&repo.place, files, &plan(repo, files, &task))
    })?)
});

answer!(ApplyRepository, |host, query| {
    let ApplyRepository { task, view } = query;
    let (title, changes) = host.in_repository(|repo, files| {
        let planned = plan(repo, files, &task);
        if let Some(problem) = planned.refused.first() {
            return Err(refusal(problem));
        }
        let changes = planned
            .applied_changes()
            .into_iter()
            .cloned()
            .collect::<Vec<FileChange>>();
        Ok((planned.title, changes))
    })??;
    let ops = host.text_ops(&changes)?;
    host.run_step(view, |session| session.apply(&title, &ops))
});

impl Host {
    /// Opens a repository whose files are known by name and read on demand. `others` are indexed
    /// files outside of it.
    pub fn open_repository(
        &mut self,
        mode: OpenMode,
        place: Place,
        listed: Vec<ListedFile>,
        others: Vec<TreeEntry>,
    ) -> QueryResult<Open> {
        let mut repository = Repository::new(place, listed);
        let mut files = others;
        if let (OpenMode::Reload, Some(before)) = (mode, &self.repository) {
            files.extend(repository.reopen_files(before, &*self.source));
        }
        self.repository = Some(repository);
        self.open_files(mode, files)
    }

    /// Adds files of the open repository by name.
    pub fn list_files(&mut self, listed: Vec<ListedFile>) -> QueryResult<ListFiles> {
        let repository = self.repository.as_mut().ok_or_else(no_repository)?;
        repository.add_listed(listed);
        Ok(())
    }

    /// Returns the operator that an opened path belongs to.
    pub fn operator_of(&self, path: &str) -> Option<String> {
        self.repository.as_ref()?.place.operator_of(path)
    }

    /// Returns the repository's part of the status; `None` if no repository is open.
    pub(super) fn repository_status(&self) -> Option<RepositoryStatus> {
        let repository = self.repository.as_ref()?;
        Some(RepositoryStatus {
            name: repository.place.name().to_owned(),
        })
    }

    /// Opens the files to change and returns the operations that make these changes.
    fn text_ops(&mut self, changes: &[FileChange]) -> Result<Vec<EditOp>, Refused> {
        let paths = changes.iter().map(|change| change.path.clone()).collect();
        self.read_files(paths)?;
        let Some(repository) = &self.repository else {
            return Ok(Vec::new());
        };
        let mut ops = Vec::new();
        for change in changes {
            ops.extend(
                self.session
                    .changes()
                    .file_text_ops(&repository.place.opened_path(&change.path), &change.after)?,
            );
        }
        Ok(ops)
    }

    /// Opens the files that operations concern. Replayed operations may concern files that are not
    /// open yet.
    pub(super) fn open_required_parts<'o>(&mut self, ops: impl Iterator<Item = &'o EditOp>) {
        let Some(repository) = &self.repository else {
            return;
        };
        let parts: Vec<RequiredPart> = ops.filter_map(|op| repository.required_part(op)).collect();
        for part in parts {
            // If this fails, applying the operation reports the reason.
            let _ = match part {
                RequiredPart::Operator(operator) => self.read_operator(&operator),
                RequiredPart::File(path) => self.read_files(vec![path]),
            };
        }
    }

    /// Opens the operator that owns a session path.
    pub(super) fn open_owner(&mut self, path: &str) {
        if let Some(operator) = self.operator_of(path) {
            // Views report unreadable files.
            let _ = self.read_operator(&operator);
        }
    }

    fn read_operator(&mut self, operator: &str) -> Result<(), Refused> {
        self.add_files(|repository, source| repository.read_operator(operator, source))
    }

    /// Reads files. A template is read with its whole operator, whose `ci.yaml` and catalogs are its
    /// render targets.
    fn read_files(&mut self, paths: Vec<String>) -> Result<(), Refused> {
        for operator in paths.iter().filter_map(|path| operator_of_template(path)) {
            self.read_operator(operator)?;
        }
        self.add_files(|repository, source| repository.read_files(paths, source))
    }

    /// Reads files with `read` and adds them to the session.
    fn add_files(
        &mut self,
        read: impl FnOnce(&mut Repository, &dyn ByteSource) -> Vec<TreeEntry>,
    ) -> Result<(), Refused> {
        let repository = self.repository.as_mut().ok_or_else(no_repository)?;
        let mut files = read(repository, &*self.source);
        // Skip files that an edit created or changed.
        files.retain(|file| !self.session.files().has_path(&file.path));
        if !files.is_empty() {
            self.session.add_beside(files)?;
            self.validate_whole_folders();
        }
        Ok(())
    }

    /// Calls `answer` with the open repository and its files; refused if none is open.
    fn in_repository<T>(
        &self,
        answer: impl FnOnce(&Repository, &RepositoryFiles<'_>) -> T,
    ) -> Result<T, Refused> {
        let repository = self.repository.as_ref().ok_or_else(no_repository)?;
        Ok(answer(
            repository,
            &RepositoryFiles::new(repository, &self.session, &*self.source),
        ))
    }
}

fn no_repository() -> Refused {
    Refused::new("no operator repository is open")
}

fn refusal(problem: &Problem) -> Refused {
    let location = match (problem.file.as_str(), problem.line) {
        ("", _) => String::new(),
        (file, None) => format!("{file}: "),
        (file, Some(line)) => format!("{file}:{line}: "),
    };
    refused!("{location}{}", problem.message).help(problem.help.clone())
}
