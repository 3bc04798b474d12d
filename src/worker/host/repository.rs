//! Requests and changes in the open repository.

use super::{Host, Refused};
use crate::repository::{
    ListedFile, Repository, RepositoryFiles, Touched, WithTexts, dropped_texts, plan,
};
use crate::views::{refusal, repository};
use fbc::repository::place::Place;
use fbc::repository::{FileChange, Problem};
use fbc::workspace::NewFile;
use protocol::ResponseBody;
use protocol::operation::EditOp;
use protocol::repository::{RepositoryStatus, RepositoryTask};
use protocol::request::{OpenMode, PackageRequest};

impl Host {
    /// Opens the files of a repository by name: they are read on demand. `others` are indexed files beside it.
    pub fn open_repository(
        &mut self,
        mode: OpenMode,
        place: Place,
        listed: Vec<ListedFile>,
        others: Vec<NewFile>,
    ) -> ResponseBody {
        let mut repository = Repository::new(place, listed);
        let mut files = others;
        if let (OpenMode::Reload, Some(before)) = (mode, &self.repository) {
            files.extend(repository.read_again(before, &*self.source));
        }
        self.repository = Some(repository);
        self.open_files(mode, files)
    }

    /// Adds files of the repository by name that were not known before.
    pub fn list_files(&mut self, listed: Vec<ListedFile>) -> ResponseBody {
        match &mut self.repository {
            Some(repository) => {
                repository.list(listed);
                ResponseBody::FilesListed
            }
            None => ResponseBody::Failed {
                message: no_repository().reason,
            },
        }
    }

    /// The operator of the repository that an opened path belongs to.
    pub fn operator_of(&self, path: &str) -> Option<String> {
        self.repository.as_ref()?.place.operator_of(path)
    }

    /// The repository's part of the status.
    pub(super) fn repository_status(&self) -> Option<RepositoryStatus> {
        let repository = self.repository.as_ref()?;
        Some(RepositoryStatus {
            name: repository.place.name().to_owned(),
            open: repository.operators.iter().cloned().collect(),
        })
    }

    pub(super) fn repository_view(&self) -> Result<ResponseBody, Refused> {
        self.in_repository(|_, files| ResponseBody::Repository(Box::new(repository::view(files))))
    }

    pub(super) fn operator_view(&self, operator: &str) -> Result<ResponseBody, Refused> {
        self.in_repository(|of, files| {
            ResponseBody::Operator(Box::new(repository::operator(of, files, operator)))
        })
    }

    pub(super) fn release_form(
        &self,
        operator: &str,
        bundle: &str,
        dropped: &[(String, String)],
    ) -> Result<ResponseBody, Refused> {
        self.in_repository(|of, files| {
            let files = WithTexts::new(files, dropped_texts(operator, bundle, dropped));
            ResponseBody::ReleaseForm(Box::new(repository::form(
                &of.place, &files, operator, bundle,
            )))
        })
    }

    pub(super) fn plan_repository(&self, task: &RepositoryTask) -> Result<ResponseBody, Refused> {
        self.in_repository(|of, files| {
            ResponseBody::RepositoryPlan(Box::new(repository::plan(
                &of.place,
                files,
                &plan(of, files, task),
            )))
        })
    }

    /// Reads the files of an operator into the workspace.
    pub(super) fn open_operator(&mut self, operator: &str) -> Result<ResponseBody, Refused> {
        self.read_operator(operator)?;
        Ok(ResponseBody::Opened(Box::new(self.status())))
    }

    /// Applies a task as one step.
    pub(super) fn apply_repository(
        &mut self,
        task: &RepositoryTask,
        view: Option<PackageRequest>,
    ) -> ResponseBody {
        let planned = self.in_repository(|of, files| {
            let planned = plan(of, files, task);
            let failed = planned
                .catalogs
                .iter()
                .filter_map(|of| of.outcome.as_ref().err());
            let is_whole =
                planned.pull_requests.len() > 1 || !matches!(task, RepositoryTask::Release(_));
            let failed = failed.filter(|_| is_whole && matches!(task, RepositoryTask::Release(_)));
            if let Some(problem) = planned.refused.iter().chain(failed).next() {
                return Err(refused(problem));
            }
            let changes = planned
                .applied()
                .into_iter()
                .cloned()
                .collect::<Vec<FileChange>>();
            Ok((planned.title, changes))
        });
        let (title, changes) = match planned {
            Ok(Ok(planned)) => planned,
            Ok(Err(why)) | Err(why) => return ResponseBody::Refused(refusal(why)),
        };
        match self.text_ops(&changes) {
            Ok(ops) => self.step(view, |workspace| workspace.apply(&title, &ops)),
            Err(why) => ResponseBody::Refused(refusal(why)),
        }
    }

    /// Operations for these changes; opens the files for them.
    fn text_ops(&mut self, changes: &[FileChange]) -> Result<Vec<EditOp>, Refused> {
        let paths = changes.iter().map(|change| change.path.clone()).collect();
        self.read_files(paths)?;
        let Some(repository) = &self.repository else {
            return Ok(Vec::new());
        };
        let mut ops = Vec::new();
        for change in changes {
            ops.extend(
                self.workspace
                    .file_text_ops(&repository.place.opened(&change.path), &change.after)?,
            );
        }
        Ok(ops)
    }

    /// Opens the files that operations concern, for operations that were recorded while those were open.
    pub(super) fn open_touched<'o>(&mut self, ops: impl Iterator<Item = &'o EditOp>) {
        let Some(repository) = &self.repository else {
            return;
        };
        let touched: Vec<Touched> = ops.filter_map(|op| repository.touched_by(op)).collect();
        for of in touched {
            // Applying the operation reports what cannot be opened.
            let _ = match of {
                Touched::Operator(operator) => self.read_operator(&operator),
                Touched::File(path) => self.read_files(vec![path]),
            };
        }
    }

    /// Opens the operator that owns a path of the workspace.
    pub(super) fn open_owner(&mut self, path: &str) {
        let owner = self
            .repository
            .as_ref()
            .and_then(|repository| repository.place.operator_of(path));
        if let Some(operator) = owner {
            // Unreadable files are reported where they are shown.
            let _ = self.read_operator(&operator);
        }
    }

    fn read_operator(&mut self, operator: &str) -> Result<(), Refused> {
        let files = match &mut self.repository {
            Some(repository) => repository.read_operator(operator, &*self.source),
            None => return Err(no_repository()),
        };
        self.add_read(files)
    }

    fn read_files(&mut self, paths: Vec<String>) -> Result<(), Refused> {
        let files = match &mut self.repository {
            Some(repository) => repository.read_files(paths, &*self.source),
            None => return Err(no_repository()),
        };
        self.add_read(files)
    }

    fn add_read(&mut self, mut files: Vec<NewFile>) -> Result<(), Refused> {
        // Files that an edit created or changed stay as they are.
        files.retain(|file| !self.workspace.knows(&file.path));
        if !files.is_empty() {
            self.prefetch.forget();
            self.workspace.add_beside(files)?;
            self.find_wholes();
        }
        Ok(())
    }

    fn in_repository<T>(
        &self,
        answer: impl FnOnce(&Repository, &RepositoryFiles<'_>) -> T,
    ) -> Result<T, Refused> {
        let repository = self.repository.as_ref().ok_or_else(no_repository)?;
        Ok(answer(
            repository,
            &RepositoryFiles::new(repository, &self.workspace, &*self.source),
        ))
    }
}

fn no_repository() -> Refused {
    Refused::new("no operator repository is open")
}

fn refused(problem: &Problem) -> Refused {
    let place = match (problem.file.as_str(), problem.line) {
        ("", _) => String::new(),
        (file, None) => format!("{file}: "),
        (file, Some(line)) => format!("{file}:{line}: "),
    };
    Refused::new(format!("{place}{}", problem.message)).help(problem.help.clone())
}
