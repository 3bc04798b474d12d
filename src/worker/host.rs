//! Owns the workspace and answers requests. Files arrive indexed, and bytes are reread through a [`ByteSource`]; must
//! not know how either is done.

mod disk;
mod dropped;
mod prefetch;
mod problems;
mod repository;
mod strays;
mod touched;

#[cfg(test)]
mod tests;

use super::archive::Packing;
use super::export;
use super::repository::Repository;
use super::views::inspect::picture;
use super::views::refusal;
use super::views::{
    bug_report, changes, compare, everyone, find, install, matrix, outcome, package, package_list,
    range, render_targets, rules, source, status, subset,
};
pub use disk::DiskFile;
use fbc::consequences::Consequences;
use fbc::model::FileId;
use fbc::search::Index;
use fbc::source::bytes::ByteSource;
use fbc::workspace::{
    self, AdviceSource, Applied, NewFile, Rebased, Refused, TextSearch, Workspace,
};
use prefetch::ViewPrefetch;
use protocol::diagnostic::Profile;
use protocol::disk_check::ToBeWritten;
use protocol::operation::EditOp;
use protocol::request::{OpenMode, PackageRequest, PreviewScope, ReplayStep};
use protocol::response;
use protocol::upgrades::EveryoneView;
use protocol::views::Status;
use protocol::{Json, RequestBody, ResponseBody};
use std::collections::BTreeMap;
use std::rc::Rc;
use strays::UnusedFilesSent;
use touched::{Snapshot, Touched};

/// A workspace and the additional state of its answers.
pub struct Host {
    source: Rc<dyn ByteSource>,
    workspace: Workspace,
    /// The things that each step of the history changed.
    touched: Vec<Touched>,
    /// For split folders, `opm validate`'s error for the whole. Costs as much as an open, so it is computed then.
    wholes: BTreeMap<String, String>,
    /// Added to the workspace's revision, so that revisions also grow from one open to the next.
    base: u64,
    next_file: u32,
    /// The user's choice; it survives the next open.
    profile: Option<Profile>,
    /// The archive format for exporting all files: the one they came in, else zip.
    packing: Packing,
    /// The omnibox's search index; empty until its first use.
    names: Index,
    prefetch: ViewPrefetch,
    strays: UnusedFilesSent,
    /// The open repository. The workspace has only those of its files that were requested.
    repository: Option<Repository>,
}

impl Host {
    /// A host without files.
    pub fn new(source: Rc<dyn ByteSource>) -> Self {
        let mut workspace = workspace::open(Vec::new(), source.clone());
        workspace.set_advice_source(AdviceSource::Nearest(None));
        let (touched, wholes) = (Vec::new(), BTreeMap::new());
        Self {
            source,
            workspace,
            touched,
            wholes,
            base: 0,
            next_file: 0,
            profile: None,
            packing: Packing::Zip,
            names: Index::default(),
            prefetch: ViewPrefetch::default(),
            strays: UnusedFilesSent::default(),
            repository: None,
        }
    }

    /// Counts every visible change during the host's life.
    pub fn revision(&self) -> u64 {
        self.base + self.workspace.revision()
    }

    /// A new id for original bytes, never reused.
    pub fn new_file_id(&mut self) -> FileId {
        self.next_file += 1;
        FileId(self.next_file - 1)
    }

    /// How the files of the next open were packed; `None` for files and folders.
    pub fn set_packing(&mut self, packing: Option<Packing>) {
        self.packing = packing.unwrap_or(Packing::Zip);
    }

    /// A file as it was opened, unless it was saved since.
    pub fn as_on_disk(&self, path: &str) -> Option<NewFile> {
        self.workspace.as_on_disk(path)
    }

    /// Takes indexed files. Answers `Opened`, or `Replayed` if applied steps had to be reapplied.
    pub fn open(&mut self, mode: OpenMode, files: Vec<NewFile>) -> ResponseBody {
        if mode != OpenMode::Add {
            self.repository = None;
        }
        self.open_files(mode, files)
    }

    fn open_files(&mut self, mode: OpenMode, files: Vec<NewFile>) -> ResponseBody {
        self.prefetch.forget();
        match mode {
            OpenMode::Replace => {
                self.renew(files);
                self.find_wholes();
                ResponseBody::Opened(Box::new(self.status()))
            }
            OpenMode::Reload => {
                let place = self
                    .repository
                    .as_ref()
                    .map(|repository| repository.place.clone());
                self.workspace.stand_in_repository(place);
                // Files that cannot be compared count as changed.
                if let Ok(Some(kept)) = self.workspace.reload_files(&files) {
                    self.find_wholes();
                    return self.kept(kept);
                }
                let forgotten = self.workspace.forgotten_by_a_rebase();
                let steps = match self.workspace.unsaved_steps() {
                    Ok(steps) => steps,
                    Err(refused) => {
                        return ResponseBody::Failed {
                            message: refused.reason,
                        };
                    }
                };
                let as_one: Vec<String> = self
                    .workspace
                    .folders()
                    .iter()
                    .filter(|f| f.as_one)
                    .map(|f| f.path.clone())
                    .collect();
                let rendered: Vec<String> = self
                    .workspace
                    .rendered_templates()
                    .map(str::to_owned)
                    .collect();
                self.renew(files);
                for folder in as_one {
                    self.workspace.treat_as_one(&folder, true);
                }
                for template in rendered {
                    // The template no longer exists, and neither does its catalog.
                    let _ = self.workspace.show_rendered(&template);
                }
                self.find_wholes();
                let replayed = self.replay(steps);
                Self::naming(forgotten, replayed)
            }
            OpenMode::Add => match self.workspace.add_beside(files) {
                Ok(kept) => {
                    self.find_wholes();
                    self.kept(kept)
                }
                Err(refused) => ResponseBody::Failed {
                    message: refused.reason,
                },
            },
        }
    }

    /// Answers any request except opens, cancels and those that need files on disk, which the caller handles.
    pub fn answer(&mut self, request: RequestBody) -> ResponseBody {
        self.prefetch.invalidate(&request);
        self.try_answer(request)
            .unwrap_or_else(|refused| ResponseBody::Failed {
                message: refused.reason,
            })
    }

    fn try_answer(&mut self, request: RequestBody) -> Result<ResponseBody, Refused> {
        Ok(match request {
            RequestBody::Open { .. }
            | RequestBody::ReadAhead { .. }
            | RequestBody::StopReadingAhead
            | RequestBody::CancelOpen
            | RequestBody::CancelRequests { .. } => {
                return Err(Refused::new("nothing is being opened"));
            }
            RequestBody::ListFiles { .. }
            | RequestBody::CheckDisk { .. }
            | RequestBody::Merge { .. }
            | RequestBody::TakeTheirs { .. }
            | RequestBody::Saved { .. }
            | RequestBody::ReadBundles { .. }
            | RequestBody::ReadManifests { .. } => {
                return Err(Refused::new("the files are not available here"));
            }
            RequestBody::TreatAsOne { folder, as_one } => {
                self.workspace.treat_as_one(&folder, as_one);
                self.find_wholes();
                ResponseBody::Opened(Box::new(self.status()))
            }
            RequestBody::Repository => self.repository_view()?,
            RequestBody::Operator { operator } => self.operator_view(&operator)?,
            RequestBody::OpenOperator { operator } => self.open_operator(&operator)?,
            RequestBody::ReleaseForm {
                operator,
                bundle,
                dropped,
            } => self.release_form(&operator, &bundle, &dropped)?,
            RequestBody::PlanRepository(task) => self.plan_repository(&task)?,
            RequestBody::ApplyRepository { task, view } => self.apply_repository(&task, view),
            RequestBody::ShowRendered { template, shown } => {
                self.open_owner(&template);
                match shown {
                    true => drop(self.workspace.show_rendered(&template)?),
                    false => self.workspace.hide_rendered(&template),
                }
                ResponseBody::Opened(Box::new(self.status()))
            }
            RequestBody::RenderTargets { template } => {
                render_targets::view(&self.workspace, &template)
            }
            RequestBody::Render { template, what } => {
                render_targets::operations(&self.workspace, &template, &what)
            }
            RequestBody::MakeTemplate(of) => render_targets::make(&self.workspace, &of),
            RequestBody::Convert { template, into } => {
                render_targets::convert(&self.workspace, &template, into)
            }
            RequestBody::Packages { root } => {
                let rows = package_list::rows(self.view_input(), self.workspace.root(Some(&root))?);
                ResponseBody::Packages { root, rows }
            }
            RequestBody::Package(wanted) => {
                ResponseBody::Package(Box::new(package::view(self.view_input(), &wanted)?))
            }
            RequestBody::Range {
                root,
                package,
                question,
            } => {
                let package = package::find(self.workspace.root(Some(&root))?, &package)?;
                ResponseBody::Range(Box::new(range::view(package, &question)))
            }
            RequestBody::RangeMatches {
                root,
                package,
                entry,
                text,
                purpose,
            } => {
                let package = package::find(self.workspace.root(Some(&root))?, &package)?;
                ResponseBody::RangeMatches(Box::new(range::caught(package, &entry, text, purpose)))
            }
            RequestBody::Inspect {
                root,
                package,
                target,
            } => self.inspection(&root, &package, &target)?,
            RequestBody::Source { root, file, at } => {
                ResponseBody::Source(Box::new(source::lines(&self.workspace, root, file, &at)?))
            }
            RequestBody::FindText {
                root,
                file,
                text,
                from,
                backwards,
            } => {
                let wanted = TextSearch {
                    text: &text,
                    from,
                    backwards,
                };
                ResponseBody::FoundText(source::find(&self.workspace, &root, &file, wanted)?)
            }
            RequestBody::Problems { root } => self.problems(root)?,
            RequestBody::SetProfile { profile } => {
                self.profile = profile;
                self.workspace
                    .set_advice_source(AdviceSource::Nearest(profile));
                ResponseBody::Opened(Box::new(self.status()))
            }
            RequestBody::Explain { rule } => ResponseBody::Explained(Box::new(rules::text(&rule)?)),
            RequestBody::Preview { ops, scope, view } => {
                let previewed = match scope {
                    PreviewScope::Own => self
                        .workspace
                        .preview(&ops.0)
                        .map(|preview| (None, preview, Vec::new())),
                    PreviewScope::All => {
                        let previewed = self.workspace.preview_in_all_catalogs(&ops.0);
                        previewed.map(|(preview, others)| (None, preview, others))
                    }
                    PreviewScope::Lacking => {
                        let previewed = self.workspace.preview_lacking(&ops.0);
                        previewed.map(|(lacking, preview, others)| (Some(lacking), preview, others))
                    }
                };
                match previewed {
                    Ok((lacking, preview, elsewhere)) => {
                        self.prefetch
                            .note_preview(lacking.as_ref().unwrap_or(&ops.0), view);
                        ResponseBody::Previewed {
                            lacking: lacking.map(Json),
                            diffs: preview.files.iter().map(changes::file_diff).collect(),
                            consequences: Box::new(changes::consequences(&preview.consequences)),
                            alternatives: preview.alternatives.into_iter().map(Json).collect(),
                            elsewhere: elsewhere.into_iter().map(changes::elsewhere).collect(),
                        }
                    }
                    Err(refused) => ResponseBody::Refused(bug_report::reported(
                        &self.workspace,
                        &ops.0,
                        refused,
                    )),
                }
            }
            RequestBody::Apply { ops, title, view } => {
                self.step(view, |workspace| workspace.apply(&title, &ops.0))
            }
            RequestBody::ApplyToLastStep { ops, title, view } => self.step(view, |workspace| {
                workspace.apply_to_last_step(&title, &ops.0)
            }),
            RequestBody::FixAll {
                root,
                rule,
                kind,
                package,
                view,
            } => self.step(view, |workspace| {
                let title = format!("Fix all: {rule}");
                let fixed = workspace.fix_all(&title, Some(&root), |problem, fix| {
                    let here = package.is_none() || problem.package == package;
                    here && problem.rule == rule && fix.safe && fix.kind == kind
                })?;
                match fixed.refused.into_iter().next() {
                    Some((title, reason)) if fixed.done.is_empty() => {
                        Err(Refused::new(format!("{title}: {reason}")))
                    }
                    _ => Ok(fixed.applied),
                }
            }),
            RequestBody::RevertFile { file, view, .. } => {
                self.step(view, |workspace| workspace.revert_file(&file))
            }
            RequestBody::Undo { view } => {
                let nothing = || Refused::new("there is nothing to undo");
                self.travel(view, |workspace| workspace.undo().ok_or_else(nothing))
            }
            RequestBody::Redo { view } => {
                let nothing = || Refused::new("there is nothing to redo");
                self.travel(view, |workspace| workspace.redo().ok_or_else(nothing))
            }
            RequestBody::GoTo { steps, view } => self.travel(view, |workspace| {
                Ok(workspace.go_to(steps).unwrap_or_default())
            }),
            RequestBody::Review => {
                let files = self.workspace.review()?;
                ResponseBody::Review {
                    steps: self
                        .workspace
                        .steps_in_effect(&files)
                        .into_iter()
                        .map(changes::in_effect)
                        .collect(),
                    git_folder: self.workspace.git_folder(&files),
                    files: files
                        .iter()
                        .map(|file| changes::reviewed(&self.workspace, file))
                        .collect(),
                }
            }
            RequestBody::ToBeWritten => {
                let paths = self.workspace.changed_paths();
                let files = paths.into_iter().map(|path| {
                    let (bytes, ops) =
                        (self.workspace.bytes(path)?, self.workspace.text_ops(path)?);
                    Ok(ToBeWritten {
                        path: path.to_owned(),
                        crc: crc32fast::hash(&bytes),
                        ops: Json(ops),
                    })
                });
                ResponseBody::ToBeWritten {
                    files: files.collect::<Result<_, Refused>>()?,
                }
            }
            // With a hint, as a file may have changed on disk.
            RequestBody::Export(what) => export::export(&self.workspace, &what, self.packing)
                .unwrap_or_else(|refused| ResponseBody::Refused(refusal(refused))),
            RequestBody::Replay { steps } => self.replay(
                steps
                    .into_iter()
                    .map(|ReplayStep { title, ops }| (title, ops.0))
                    .collect(),
            ),
            RequestBody::RelevantFiles { mut paths } => {
                paths.retain(|path| self.workspace.affects_catalogs(path));
                ResponseBody::RelevantFiles { paths }
            }
            RequestBody::Picture { media_type, data } => {
                ResponseBody::Picture(picture(&media_type, &data))
            }
            RequestBody::Fingerprint { paths } => {
                let bytes = |path: String| Some((self.workspace.bytes_on_disk(&path).ok()??, path));
                let found = paths.into_iter().filter_map(bytes);
                let found = found
                    .map(|(bytes, path)| (path, crc32fast::hash(&bytes)))
                    .collect();
                ResponseBody::Fingerprints { found }
            }
            RequestBody::Everyone {
                root,
                package,
                question,
                ops,
                view: asked,
            } => {
                let own = self.workspace.root(Some(&root))?;
                let now = package::find(own, &package)?.clone();
                if ops.0.is_empty() {
                    return Ok(ResponseBody::Everyone(Box::new(everyone::view(
                        own, &now, &question,
                    ))));
                }
                let look = |workspace: &Workspace, found: Consequences| {
                    let root = workspace.root(Some(&root))?;
                    let package = package::find(root, &package)?;
                    let view = everyone::view(root, package, &question);
                    Ok::<_, Refused>(EveryoneView {
                        outcome: Some(outcome::outcome(root, &now, package, &found)),
                        ..view
                    })
                };
                match self.workspace.simulate(&ops.0, look) {
                    Ok(view) => {
                        self.prefetch.note_preview(&ops.0, asked);
                        ResponseBody::Everyone(Box::new(view?))
                    }
                    Err(refused) => ResponseBody::Refused(refusal(refused)),
                }
            }
            RequestBody::Compare { old, root } => {
                let root = self.workspace.root(Some(&root))?;
                ResponseBody::Compared(Box::new(compare::catalogs(&self.workspace, old, root)?))
            }
            RequestBody::ComparePackage {
                old,
                root,
                package,
                cluster,
            } => {
                let root = self.workspace.root(Some(&root))?;
                let compared = compare::package(&self.workspace, old, root, (&package, &cluster))?;
                ResponseBody::ComparedPackage(Box::new(compared))
            }
            RequestBody::Unsaved { root, package } => {
                let root = self.workspace.root(Some(&root))?;
                ResponseBody::Unsaved {
                    entries: compare::unsaved(&self.workspace, root, &package),
                }
            }
            RequestBody::Matrix { roots, package } => {
                let roots = roots
                    .iter()
                    .map(|name| self.workspace.root(Some(name)))
                    .collect::<Result<Vec<_>, _>>()?;
                ResponseBody::Matrix(Box::new(matrix::view(&roots, &package)))
            }
            RequestBody::Subset { root, selection } => {
                match subset::view(&self.workspace, &root, &selection) {
                    Ok(view) => ResponseBody::Subset(Box::new(view)),
                    Err(refused) => ResponseBody::Refused(refusal(refused)),
                }
            }
            RequestBody::SubsetFiles(wanted) => match subset::files(&self.workspace, &wanted) {
                Ok(files) => ResponseBody::SubsetFiles { files },
                Err(refused) => ResponseBody::Refused(refusal(refused)),
            },
            RequestBody::InstallRequest(wanted) => install::answer(&self.workspace, &wanted)?,
            RequestBody::Find { text, limit } => {
                self.names.refresh(&self.workspace);
                find::find(&self.names, &self.workspace, &text, limit as usize)
            }
        })
    }

    fn renew(&mut self, files: Vec<NewFile>) {
        self.base = self.revision() + 1;
        self.workspace = workspace::open(files, self.source.clone());
        let place = self
            .repository
            .as_ref()
            .map(|repository| repository.place.clone());
        self.workspace.stand_in_repository(place);
        self.workspace
            .set_advice_source(AdviceSource::Nearest(self.profile));
        self.touched.clear();
        self.names = Index::default();
    }

    fn replay(&mut self, steps: Vec<(String, Vec<EditOp>)>) -> ResponseBody {
        self.open_touched(steps.iter().flat_map(|(_, ops)| ops));
        let first = self.workspace.applied_steps();
        let mut refused = Vec::new();
        for (title, ops) in steps {
            let (snapshot, revision) = (Snapshot::take(&self.workspace), self.workspace.revision());
            match self.workspace.apply(&title, &ops) {
                Ok(applied) if self.workspace.revision() != revision => {
                    self.note_step(&snapshot, &applied, false)
                }
                Ok(_) => {}
                Err(why) => refused.push((
                    ReplayStep {
                        title,
                        ops: Json(ops),
                    },
                    why.reason,
                )),
            }
        }
        self.replayed(first, refused)
    }

    /// New files did not affect the history. `kept` are the paths that it changes.
    fn kept(&mut self, kept: Vec<String>) -> ResponseBody {
        let steps = self.workspace.history().iter();
        let steps = steps
            .map(|step| ReplayStep {
                title: step.title.clone(),
                ops: Json(step.ops.clone()),
            })
            .collect();
        let status = Box::new(self.status());
        ResponseBody::Replayed {
            status,
            steps,
            refused: Vec::new(),
            kept,
            forgotten: Vec::new(),
        }
    }

    /// The same answer with the titles of steps that are no longer in the history.
    fn naming(titles: Vec<String>, answer: ResponseBody) -> ResponseBody {
        match answer {
            ResponseBody::Replayed {
                status,
                steps,
                refused,
                kept,
                ..
            } => ResponseBody::Replayed {
                status,
                steps,
                refused,
                kept,
                forgotten: titles,
            },
            other => other,
        }
    }

    /// The history was rebased: unsaved steps were reapplied.
    fn rebased(&mut self, rebased: Rebased) -> ResponseBody {
        self.touched = vec![Touched::default(); self.workspace.history().len()];
        let refused = rebased.refused.into_iter().filter_map(|(index, why)| {
            let (title, ops) = rebased.steps.get(index)?.clone();
            Some((
                ReplayStep {
                    title,
                    ops: Json(ops),
                },
                why.reason,
            ))
        });
        let replayed = self.replayed(0, refused.collect());
        Self::naming(rebased.forgotten, replayed)
    }

    /// Steps from `first` on were reapplied.
    fn replayed(&mut self, first: usize, refused: Vec<(ReplayStep, String)>) -> ResponseBody {
        let steps = self
            .workspace
            .history()
            .iter()
            .take(self.workspace.applied_steps())
            .skip(first);
        let steps = steps
            .map(|step| ReplayStep {
                title: step.title.clone(),
                ops: Json(step.ops.clone()),
            })
            .collect();
        let status = Box::new(self.status());
        ResponseBody::Replayed {
            status,
            steps,
            refused,
            kept: Vec::new(),
            forgotten: Vec::new(),
        }
    }

    /// Makes a new step and returns its consequences.
    fn step(
        &mut self,
        view: Option<PackageRequest>,
        step: impl FnOnce(&mut Workspace) -> Result<Applied, Refused>,
    ) -> ResponseBody {
        let snapshot = Snapshot::take(&self.workspace);
        let revision = self.workspace.revision();
        let steps = self.workspace.applied_steps();
        match step(&mut self.workspace) {
            // Operations that change nothing leave no step.
            Ok(applied) if self.workspace.revision() == revision => {
                self.prefetch.forget();
                self.applied(applied, view, Vec::new())
            }
            Ok(applied) => {
                let is_joined = self.workspace.applied_steps() == steps;
                self.note_step(&snapshot, &applied, is_joined);
                let ops = self
                    .workspace
                    .history()
                    .last()
                    .map_or_else(Vec::new, |step| step.ops.clone());
                self.applied(applied, view, ops)
            }
            Err(refused) => ResponseBody::Refused(refusal(refused)),
        }
    }

    /// Moves along the history and returns the consequences.
    fn travel(
        &mut self,
        view: Option<PackageRequest>,
        travel: impl FnOnce(&mut Workspace) -> Result<Applied, Refused>,
    ) -> ResponseBody {
        match travel(&mut self.workspace) {
            Ok(applied) => self.applied(applied, view, Vec::new()),
            Err(refused) => ResponseBody::Refused(refusal(refused)),
        }
    }

    /// `ops`: of the new step; empty if steps were undone or redone.
    fn applied(
        &mut self,
        applied: Applied,
        view: Option<PackageRequest>,
        ops: Vec<EditOp>,
    ) -> ResponseBody {
        let view = view.and_then(|asked| {
            // Applying a step increments the revision by one.
            let prefetched = self
                .prefetch
                .take(self.revision().saturating_sub(1), &ops, &asked);
            prefetched.or_else(|| package::view(self.view_input(), &asked).ok())
        });
        self.prefetch.forget();
        let strays = self.strays.after_edit(&self.workspace);
        let shown = self.view_input();
        let (mut packages, mut gone) = (Vec::new(), Vec::new());
        for (root, package) in &applied.packages {
            let of = self.workspace.root(Some(root)).ok();
            match of.and_then(|of| package_list::row(shown, of, package)) {
                Some(row) => packages.push((root.clone(), row)),
                None => gone.push((root.clone(), package.to_string())),
            }
        }
        ResponseBody::Applied(Box::new(response::Applied {
            status: status::status(shown, strays, self.repository_status()),
            packages,
            gone,
            consequences: changes::consequences(&applied.consequences),
            title: applied.title,
            ops: Json(ops),
            view,
        }))
    }

    /// Records a step at the end of the history. `is_joined`: it extends the previous step.
    fn note_step(&mut self, snapshot: &Snapshot, applied: &Applied, is_joined: bool) {
        let mut touched = Touched::since(snapshot, &self.workspace, applied);
        let before = self.workspace.history().len().saturating_sub(1);
        if is_joined && let Some(earlier) = self.touched.get(before) {
            touched.extend(earlier.clone());
        }
        self.touched.truncate(before);
        self.touched.push(touched);
    }

    fn find_wholes(&mut self) {
        let split = self
            .workspace
            .folders()
            .iter()
            .filter(|folder| !folder.as_one);
        self.wholes = split
            .map(|folder| {
                (
                    folder.path.clone(),
                    self.workspace
                        .whole_message(&folder.path)
                        .unwrap_or_default(),
                )
            })
            .collect();
    }

    /// The complete status.
    fn status(&mut self) -> Status {
        let strays = self.strays.all(&self.workspace);
        status::status(self.view_input(), Some(strays), self.repository_status())
    }

    fn view_input(&self) -> ViewInput<'_> {
        let touched = unsaved(&self.workspace, &self.touched);
        ViewInput {
            workspace: &self.workspace,
            touched,
            wholes: &self.wholes,
            revision: self.revision(),
        }
    }
}

/// The entries of `touched` for the steps between the disk and the present state, whichever of them is further along
/// the history.
fn unsaved<'a>(workspace: &Workspace, touched: &'a [Touched]) -> &'a [Touched] {
    let applied = workspace.applied_steps();
    let saved = workspace.saved_steps().unwrap_or_default();
    let touched = touched.get(saved.min(applied)..).unwrap_or_default();
    touched.get(..saved.abs_diff(applied)).unwrap_or(touched)
}

/// The input of views.
#[derive(Clone, Copy)]
pub(super) struct ViewInput<'a> {
    pub(super) workspace: &'a Workspace,
    /// The changes of the unsaved steps.
    pub(super) touched: &'a [Touched],
    pub(super) wholes: &'a BTreeMap<String, String>,
    pub(super) revision: u64,
}
