//! An operator repository: opened by name, read on demand, and changed in one step per task.

use super::*;
use crate::repository::{Listed, ListedFile, RepositoryFiles};
use ::repository::layout::{Files, Place, ReadFailure};
use protocol::repository::{
    CellState, CellVerdict, OperatorView, ReleaseDraft, ReleaseForm, RepositoryPlan,
    RepositoryTask, RepositoryView, SubmitMode,
};

struct OpenedRepository {
    host: Host,
    source: Rc<MemorySource>,
    files: Vec<(String, Vec<u8>)>,
    /// A file listed with more than its real size.
    large: &'static str,
}

/// Returns our own small repository without files whose path contains `leave_out`.
fn files(leave_out: &str) -> Vec<(String, Vec<u8>)> {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/repository");
    let (mut found, mut waiting) = (Vec::new(), vec![top.clone()]);
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(folder)
            .expect("a folder")
            .map(|entry| entry.expect("an entry").path())
        {
            match entry.is_dir() {
                true => waiting.push(entry),
                false => {
                    let path =
                        format!("top/{}", entry.strip_prefix(&top).expect("below").display());
                    found.push((path, std::fs::read(entry).expect("a file")));
                }
            }
        }
    }
    found.retain(|(path, _)| leave_out.is_empty() || !path.contains(leave_out));
    found.sort();
    found
}

impl OpenedRepository {
    fn new(files: Vec<(String, Vec<u8>)>) -> Self {
        let source = Rc::new(MemorySource::default());
        let mut opened = Self {
            host: Host::new(source.clone()),
            source,
            files,
            large: "",
        };
        assert!(matches!(
            opened.open(OpenMode::Replace),
            Ok(Opened::Anew(_))
        ));
        opened
    }

    fn open(&mut self, mode: OpenMode) -> QueryResult<Open> {
        let place =
            Place::find(self.files.iter().map(|(path, _)| path.as_str())).expect("a repository");
        let mut listed = Vec::new();
        for (path, bytes) in &self.files {
            let id = self.host.new_file_id();
            self.source.insert(id, bytes);
            listed.push(ListedFile {
                path: path.clone(),
                listed: Listed::File {
                    id,
                    size: match path == self.large {
                        true => 65 << 20,
                        false => bytes.len() as u64,
                    },
                },
            });
        }
        self.host.open_repository(mode, place, listed, Vec::new())
    }

    fn view(&mut self) -> RepositoryView {
        match self.host.answer(ListOperators {}) {
            Ok(view) => view,
            other => panic!("{other:?}"),
        }
    }

    fn operator(&mut self, name: &str) -> OperatorView {
        match self.host.answer(Operator {
            operator: name.into(),
        }) {
            Ok(view) => view,
            other => panic!("{other:?}"),
        }
    }

    fn states(&mut self, name: &str) -> Vec<(String, CellState)> {
        self.operator(name)
            .cells
            .into_iter()
            .map(|cell| (cell.catalog, cell.state))
            .collect()
    }

    fn form(&mut self, operator: &str, bundle: &str) -> ReleaseForm {
        let (operator, bundle, dropped) = (operator.into(), bundle.into(), Vec::new());
        match self.host.answer(PrepareRelease {
            operator,
            bundle,
            dropped,
        }) {
            Ok(form) => form,
            other => panic!("{other:?}"),
        }
    }

    fn plan(&mut self, task: &RepositoryTask) -> RepositoryPlan {
        match self.host.answer(task.clone()) {
            Ok(plan) => plan,
            other => panic!("{other:?}"),
        }
    }

    fn apply(&mut self, task: RepositoryTask) -> Applied {
        match self.host.answer(ApplyRepository { task, view: None }) {
            Ok(applied) => applied,
            other => panic!("{other:?}"),
        }
    }

    fn release(&mut self, hand_in: SubmitMode) -> RepositoryTask {
        let form = self.form("harbor", "1.2.0");
        RepositoryTask::Release(ReleaseDraft {
            operator: "harbor".into(),
            bundle: "1.2.0".into(),
            image: form.image,
            items: form.draft,
            hand_in,
            dropped: Vec::new(),
        })
    }
}

fn fresh(names: &[&str]) -> Vec<(String, CellState)> {
    names
        .iter()
        .map(|name| ((*name).to_owned(), CellState::Fresh))
        .collect()
}

#[test]
fn a_repository_opens_by_names_and_reads_operators_on_demand() {
    let mut opened = OpenedRepository::new(files(""));
    let view = opened.view();
    assert_eq!(view.catalogs, ["v4.18", "v4.17", "v4.16"]);
    let names: Vec<(&str, &[u32])> = view
        .operators
        .iter()
        .map(|row| (row.name.as_str(), row.catalogs.as_slice()))
        .collect();
    assert_eq!(
        names,
        [
            ("harbor", &[0, 1, 2][..]),
            ("lantern", &[0, 1]),
            ("tide", &[])
        ]
    );
    assert_eq!(opened.source.spans_read(), 0, "nothing was read for it");

    let harbor = opened.operator("harbor");
    assert!(
        harbor
            .cells
            .iter()
            .all(|cell| cell.state == CellState::Fresh && cell.verdict == CellVerdict::Passes)
    );
    assert!(opened.source.spans_read() > 0);
    assert_eq!(
        opened.host.status().roots.len(),
        0,
        "not in the session yet"
    );
    let lantern = opened.operator("lantern");
    assert_eq!(lantern.left_out, ["check_network_policy_presence"]);
    let without_v = lantern
        .findings
        .iter()
        .find(|finding| finding.check == "catalog-without-v")
        .expect("a result");
    assert_eq!(
        (without_v.file.as_str(), without_v.line),
        ("operators/lantern/ci.yaml", 10)
    );
    assert_eq!(without_v.fix, "Write `v4.19`");
}

#[test]
fn a_name_is_not_written_into_a_list_that_has_it() {
    let mut files = files("");
    let path = "top/operators/lantern/ci.yaml";
    let found = files.iter_mut().find(|(file, _)| file == path);
    let (_, text) = found.expect("the configuration");
    text.extend_from_slice(b"        - v4.19\n");
    let mut opened = OpenedRepository::new(files);
    let lantern = opened.operator("lantern");
    let mut findings = lantern.findings.iter();
    let without_v = findings.find(|finding| finding.check == "catalog-without-v");
    let without_v = without_v.expect("a finding");
    assert_eq!(without_v.help, "remove `4.19`: `v4.19` is listed too");
    assert_eq!(without_v.fix, "", "no second `v4.19`");
}

const NEIGHBOUR: &str = "top/catalogs/v4.18/theirs/catalog.yaml";

/// Returns the repository with an additional operator, which fails.
fn with_neighbour() -> Vec<(String, Vec<u8>)> {
    let mut files = files("");
    let text = "schema: olm.channel\nname: stable\npackage: theirs\nentries: []\n";
    files.push((NEIGHBOUR.to_owned(), text.as_bytes().to_vec()));
    files
}

fn verdict<'v>(view: &'v OperatorView, catalog: &str) -> &'v CellVerdict {
    let cell = view.cells.iter().find(|cell| cell.catalog == catalog);
    &cell.expect("a cell").verdict
}

#[test]
fn the_verdict_is_for_the_whole_catalog() {
    let mut opened = OpenedRepository::new(with_neighbour());
    let harbor = opened.operator("harbor");
    assert_eq!(verdict(&harbor, "v4.17"), &CellVerdict::Passes);
    let CellVerdict::Fails(message) = verdict(&harbor, "v4.18") else {
        panic!("{harbor:?}")
    };
    assert!(
        message.starts_with("`theirs` fails opm validate: "),
        "{message}"
    );
    let finding = harbor
        .findings
        .iter()
        .find(|finding| finding.opened == NEIGHBOUR)
        .expect("a finding");
    assert!(
        finding.help.contains("ask the maintainers of `theirs`"),
        "{finding:?}"
    );

    let task = opened.release(SubmitMode::All);
    let plan = opened.plan(&task);
    let catalog = |name: &str| {
        let planned = plan.catalogs.iter().find(|catalog| catalog.catalog == name);
        planned.expect("a planned catalog")
    };
    assert!(catalog("v4.17").passes && !catalog("v4.18").passes);
    assert!(catalog("v4.18").message.contains("`theirs`"));
}

#[test]
fn a_part_of_a_catalog_is_not_reported_to_pass() {
    let mut opened = OpenedRepository::new(with_neighbour());
    opened.large = NEIGHBOUR;
    opened.open(OpenMode::Replace).unwrap();
    let harbor = opened.operator("harbor");
    assert_eq!(verdict(&harbor, "v4.18"), &CellVerdict::PartPasses);
}

#[test]
fn an_operator_opens_with_its_templates_and_one_catalog_per_version() {
    let mut opened = OpenedRepository::new(files(""));
    let Ok(status) = opened.host.answer(OpenOperator {
        operator: "lantern".into(),
    }) else {
        panic!("not opened")
    };
    let roots: Vec<&str> = status.roots.iter().map(|row| row.root.as_str()).collect();
    assert_eq!(
        roots,
        [
            "top/catalogs/v4.17",
            "top/catalogs/v4.18",
            "top/operators/lantern/catalog-templates/semver.yaml"
        ]
    );
}

#[test]
fn a_bundle_names_the_catalogs_that_have_and_lack_it() {
    let mut opened = OpenedRepository::new(files(""));
    let lantern = opened.operator("lantern");
    let bundles: Vec<(&str, String, String)> = lantern
        .bundles
        .iter()
        .map(|bundle| {
            let names = |names: &[String]| names.join(" ");
            let (with, without) = (names(&bundle.catalogs), names(&bundle.lacking));
            (bundle.version.as_str(), with, without)
        })
        .collect();
    let expected = [
        ("0.3.0", "", "v4.17 v4.18"),
        ("0.2.0", "v4.18", "v4.17"),
        ("0.1.0", "v4.17 v4.18", ""),
    ];
    assert_eq!(
        bundles,
        expected.map(|(version, with, without)| (version, with.to_owned(), without.to_owned()))
    );
    assert_eq!(
        lantern.cells[0].template,
        "top/operators/lantern/catalog-templates/semver.yaml"
    );
}

#[test]
fn a_changed_template_is_open_with_its_mapping_and_catalogs() {
    let mut opened = OpenedRepository::new(files("1.2.0/release-config.yaml"));
    let release = opened.release(SubmitMode::All);
    opened.apply(release);
    let template = "top/operators/harbor/catalog-templates/basic.yaml".to_owned();
    let Ok(targets) = opened.host.answer(ListRenderTargets { template }) else {
        panic!("no targets")
    };
    assert_eq!(targets.mapping, "top/operators/harbor/ci.yaml");
    let catalogs = targets.targets.iter().map(|target| target.catalog.as_str());
    assert_eq!(catalogs.collect::<Vec<_>>(), ["v4.17", "v4.18"]);
}

#[test]
fn a_release_with_catalogs_that_cannot_be_rendered_is_refused_in_its_preview() {
    let mut files = files("1.2.0/release-config.yaml");
    let template = "top/operators/harbor/catalog-templates/basic.yaml";
    let found = files.iter_mut().find(|(path, _)| path == template);
    let (_, text) = found.expect("the template");
    text.extend_from_slice(b"  - schema: olm.bundle\n    image: quay.io/example/harbor:v9.9.9\n");
    let mut opened = OpenedRepository::new(files);
    let config = opened.release(SubmitMode::ConfigOnly);
    assert!(opened.plan(&config).refused.is_empty());
    let task = opened.release(SubmitMode::All);
    let plan = opened.plan(&task);
    assert!(plan.catalogs.iter().any(|catalog| catalog.is_refused));
    assert!(!plan.refused.is_empty());
    let apply = ApplyRepository { task, view: None };
    assert!(opened.host.answer(apply).is_err());
}

#[test]
fn an_unknown_image_is_previewed_but_not_written() {
    let mut opened = OpenedRepository::new(files("1.2.0/release-config.yaml"));
    let mut plan = |hand_in| {
        let RepositoryTask::Release(draft) = opened.release(hand_in) else {
            panic!("a release")
        };
        opened.plan(&RepositoryTask::Release(ReleaseDraft {
            image: String::new(),
            ..draft
        }))
    };
    let config = plan(SubmitMode::ConfigOnly);
    assert_eq!(
        config.notes,
        [
            "The image is not known yet: the preview names `image-that-the-pipeline-builds` in its place."
        ]
    );
    assert_eq!(config.refused, []);
    assert!(config.catalogs.iter().all(|catalog| catalog.passes));
    assert_eq!(
        plan(SubmitMode::All).refused[0].message,
        "templates and catalogs name the image, which is not known yet"
    );
}

#[test]
fn a_release_is_one_step_and_two_pull_requests() {
    let mut opened = OpenedRepository::new(files("1.2.0/release-config.yaml"));
    let form = opened.form("harbor", "1.2.0");
    assert_eq!(form.image, "quay.io/example/harbor:v1.2.0");
    let basic = form
        .draft
        .iter()
        .find(|item| item.template == "basic.yaml")
        .expect("a template");
    assert_eq!(
        (basic.channels.as_slice(), basic.replaces.as_deref()),
        (
            &["stable".to_owned(), "fast".to_owned()][..],
            Some("harbor.v1.1.0")
        )
    );

    let only = opened.release(SubmitMode::ConfigOnly);
    let plan = opened.plan(&only);
    assert_eq!(plan.refused, []);
    assert_eq!((plan.pull_requests.len(), plan.catalogs.len()), (1, 3));
    assert!(
        plan.catalogs
            .iter()
            .all(|catalog| catalog.passes && catalog.diff.is_some()),
        "{:?}",
        plan.catalogs
    );
    assert_eq!(
        opened.apply(only).status.changed_files,
        ["top/operators/harbor/1.2.0/release-config.yaml"]
    );
    assert!(opened.host.answer(Undo { view: None }).is_ok());

    let all = opened.release(SubmitMode::All);
    let handed = opened.plan(&all).pull_requests;
    assert_eq!(
        handed
            .iter()
            .map(|request| request.files.len())
            .collect::<Vec<_>>(),
        [1, 5]
    );
    let applied = opened.apply(all);
    assert_eq!(
        (
            applied.status.history.len(),
            applied.status.changed_files.len()
        ),
        (1, 6)
    );
    assert_eq!(
        opened.states("harbor"),
        fresh(&["v4.16", "v4.17", "v4.18"]),
        "a release leaves all catalogs fresh"
    );

    let export = Export::PatchOf {
        files: handed[1].files.clone(),
        message: "title\n".into(),
        name: "x.patch".into(),
    };
    let Ok(Exported { bytes, .. }) = opened.host.answer(export) else {
        panic!("none")
    };
    let text = String::from_utf8(bytes).expect("text");
    assert!(
        text.starts_with("title\n\ndiff --git a/catalogs/v4.16/harbor/catalog.yaml b/"),
        "{text}"
    );
    assert!(!text.contains("release-config"));

    // A new worker receives only the names and the steps.
    let steps = vec![ReplayStep {
        title: applied.title.clone(),
        ops: applied.ops.clone(),
    }];
    let mut other = OpenedRepository::new(files("1.2.0/release-config.yaml"));
    let Ok(Replayed {
        refused, status, ..
    }) = other.host.answer(Replay { steps })
    else {
        panic!("not replayed")
    };
    assert_eq!(
        (refused.len(), status.changed_files),
        (0, applied.status.changed_files)
    );
}

#[test]
fn stale_catalogs_promotion_and_corrections_are_steps() {
    let mut opened = OpenedRepository::new(files(""));
    opened.apply(RepositoryTask::Render {
        operator: "lantern".into(),
    });
    let states = opened.states("lantern");
    assert_eq!(states[0], ("v4.17".to_owned(), CellState::Fresh));
    opened.apply(RepositoryTask::Fix {
        operator: "lantern".into(),
        check: "catalog-without-v".into(),
        file: "operators/lantern/ci.yaml".into(),
        line: 10,
    });
    assert!(
        opened
            .states("lantern")
            .iter()
            .any(|(name, _)| name == "v4.19")
    );
    let promote = RepositoryTask::Promote {
        from: "v4.18".into(),
        to: "v4.20".into(),
        operators: Vec::new(),
    };
    let plan = opened.plan(&promote);
    assert!(
        plan.notes
            .iter()
            .any(|note| note.starts_with("With all others: harbor")),
        "{:?}",
        plan.notes
    );
    let applied = opened.apply(promote);
    assert!(
        applied
            .status
            .roots
            .iter()
            .any(|row| row.root == "top/catalogs/v4.20"),
        "a separate catalog"
    );
    assert!(
        opened
            .states("harbor")
            .contains(&("v4.20".to_owned(), CellState::Fresh))
    );
    assert_eq!(opened.view().catalogs[0], "v4.20");
}

#[test]
fn a_template_that_renders_to_a_failing_catalog_is_not_rendered() {
    let mut files = files("");
    let template = "top/operators/harbor/catalog-templates/basic.yaml";
    for (path, text) in &mut files {
        if path == template {
            *text = String::from_utf8_lossy(text)
                .replace(
                    "        replaces: harbor.v1.0.0\n",
                    "        replaces: harbor.v1.0.0\n      - name: harbor.v1.2.0\n        replaces: harbor.v1.1.0\n",
                )
                .into_bytes();
        }
    }
    let mut opened = OpenedRepository::new(files);
    let view = opened.operator("harbor");
    let stale: Vec<(&str, bool)> = view
        .cells
        .iter()
        .filter(|cell| cell.state == CellState::Stale)
        .map(|cell| (cell.catalog.as_str(), cell.can_be_rendered()))
        .collect();
    assert_eq!(stale, [("v4.17", false), ("v4.18", false)]);
    let reasons: Vec<(&str, &str, &str)> = view
        .findings
        .iter()
        .filter(|finding| finding.opened == template)
        .map(|finding| {
            (
                finding.file.as_str(),
                finding.message.as_str(),
                finding.help.as_str(),
            )
        })
        .collect();
    let [(file, message, help)] = reasons[..] else {
        panic!("{reasons:?}")
    };
    assert_eq!(file, "operators/harbor/catalog-templates/basic.yaml");
    assert!(
        message.starts_with("the catalog rendered from `basic.yaml` fails opm validate: ")
            && message.contains("`harbor.v1.2.0`"),
        "{message}"
    );
    assert_eq!(
        help,
        "add the images of the missing bundles to `basic.yaml` and render it with `opm`, or remove the entries"
    );
    let plan = opened.plan(&RepositoryTask::Render {
        operator: "harbor".into(),
    });
    assert!(plan.pull_requests.is_empty() && plan.catalogs.iter().all(|c| c.is_refused));
}

#[test]
fn reading_the_folder_again_keeps_the_steps() {
    let mut opened = OpenedRepository::new(files(""));
    opened.apply(RepositoryTask::Render {
        operator: "lantern".into(),
    });
    let changed = opened.host.status().changed_files;
    opened.files.push((
        "top/catalogs/v4.19/tide/catalog.yaml".into(),
        b"---\nschema: olm.package\nname: tide\n".to_vec(),
    ));
    assert!(matches!(
        opened.open(OpenMode::Reload),
        Ok(Opened::Replayed(_))
    ));
    assert_eq!(opened.host.status().changed_files, changed);
    assert_eq!(opened.view().catalogs[0], "v4.19");
}

#[test]
fn a_broken_file_is_one_finding_and_other_operators_are_answered() {
    let mut all = files("");
    for (path, text) in &mut all {
        match path.as_str() {
            "top/operators/lantern/ci.yaml" => *text = b"fbc:\n  catalog_mapping: [\n".to_vec(),
            "top/operators/harbor/catalog-templates/old.yaml" => *text = b"entries: [\n".to_vec(),
            _ => {}
        }
    }
    let mut opened = OpenedRepository::new(all);
    let lantern = opened.operator("lantern");
    let errors: Vec<&str> = lantern
        .findings
        .iter()
        .filter(|f| f.is_error)
        .map(|f| f.file.as_str())
        .collect();
    assert_eq!(
        errors
            .iter()
            .filter(|file| **file == "operators/lantern/ci.yaml")
            .count(),
        errors.len()
    );
    assert!(!errors.is_empty());
    let harbor = opened.operator("harbor");
    assert!(
        harbor
            .findings
            .iter()
            .any(|f| f.file == "operators/harbor/catalog-templates/old.yaml")
    );
    let state = |name: &str| {
        harbor
            .cells
            .iter()
            .find(|cell| cell.catalog == name)
            .map(|cell| cell.state)
    };
    assert_eq!(
        (state("v4.16"), state("v4.18")),
        (Some(CellState::NotJudged), Some(CellState::Fresh))
    );
}

#[test]
fn configuration_errors_are_among_the_problems_and_can_be_corrected() {
    let mut opened = OpenedRepository::new(files(""));
    let problems = |opened: &mut OpenedRepository, root: &str| match opened
        .host
        .answer(Problems { root: root.into() })
    {
        Ok(problems) => problems
            .into_iter()
            .map(|problem| problem.0)
            .collect::<Vec<_>>(),
        other => panic!("{other:?}"),
    };
    assert!(
        opened
            .host
            .answer(OpenOperator {
                operator: "lantern".into()
            })
            .is_ok()
    );
    let found = problems(&mut opened, "top/catalogs/v4.18");
    let at = found
        .iter()
        .position(|finding| finding.rule == "catalog-without-v")
        .expect("found");
    let place = &found[at].location;
    assert_eq!(
        (place.file.as_str(), place.line),
        ("/top/operators/lantern/ci.yaml", 10)
    );
    assert!(
        found
            .iter()
            .any(|finding| finding.rule == "release-config-unread"),
        "{found:?}"
    );
    assert!(
        found
            .iter()
            .all(|finding| !finding.opm || finding.rule != "catalog-without-v"),
        "the verdict is not its business"
    );
    let target = protocol::request::Target::Problem { index: at as u32 };
    let inspect = Inspect {
        root: "top/catalogs/v4.18".into(),
        package: "lantern".into(),
        target,
    };
    let Ok(view) = opened.host.answer(inspect) else {
        panic!("not inspected")
    };
    assert_eq!(view.title, "catalog-without-v");
    let [fix] = found[at].fixes.as_slice() else {
        panic!("{:?}", found[at].fixes)
    };
    let apply = Apply {
        ops: Json(fix.ops.clone()),
        title: fix.title.clone(),
        view: None,
    };
    assert!(opened.host.answer(apply).is_ok());
    assert!(
        problems(&mut opened, "top/catalogs/v4.18")
            .iter()
            .all(|finding| finding.rule != "catalog-without-v")
    );
}

#[test]
fn an_unfollowed_link_is_a_finding_at_its_place() {
    let mut opened = OpenedRepository::new(files("catalogs/v4.18/lantern"));
    let (id, reason) = (
        opened.host.new_file_id(),
        "it is a symbolic link".to_owned(),
    );
    let path = "top/catalogs/v4.18/lantern/catalog.yaml".to_owned();
    opened
        .host
        .list_files(vec![ListedFile {
            path,
            listed: Listed::Unreadable { id, reason },
        }])
        .unwrap();
    let lantern = opened.operator("lantern");
    let finding = lantern
        .findings
        .iter()
        .find(|finding| finding.file == "catalogs/v4.18/lantern/catalog.yaml")
        .expect("a finding");
    assert!(
        finding.is_error && finding.message.ends_with("it is a symbolic link"),
        "{finding:?}"
    );
    let harbor = opened.operator("harbor");
    let neighbours = harbor
        .findings
        .iter()
        .map(|finding| finding.message.as_str());
    assert_eq!(
        neighbours.collect::<Vec<_>>(),
        [
            "`lantern` fails opm validate: `lantern/catalog.yaml` cannot be read: it is a symbolic link"
        ],
        "the pipeline judges the whole catalog"
    );
}

#[test]
fn an_open_file_that_cannot_be_read_exists() {
    let mut opened = OpenedRepository::new(files(""));
    opened.operator("harbor");
    opened.source.clear();
    let host = &opened.host;
    let repository = host.repository.as_ref().expect("a repository");
    let files = RepositoryFiles::new(repository, &host.session, &*host.source);
    let read = files.read("operators/harbor/ci.yaml");
    assert!(matches!(read, Err(ReadFailure::Refused(_))), "{read:?}");
    assert_eq!(
        files.read("operators/harbor/none.yaml"),
        Err(ReadFailure::NotThere)
    );
}

#[test]
fn an_operator_is_answered_once_its_files_arrive() {
    let all = files("");
    let of_lantern = |path: &str| path.contains("/lantern/");
    let (late, early): (Vec<_>, Vec<_>) = all.into_iter().partition(|(path, _)| of_lantern(path));
    let mut opened = OpenedRepository::new(early);
    let names = |opened: &mut OpenedRepository, paths: &[&str]| {
        let listed = paths.iter().map(|path| ListedFile {
            path: (*path).to_owned(),
            listed: Listed::Folder {
                id: opened.host.new_file_id(),
            },
        });
        let listed = listed.collect();
        opened.host.list_files(listed)
    };
    names(
        &mut opened,
        &[
            "top/operators/lantern/",
            "top/catalogs/v4.17/lantern/",
            "top/catalogs/v4.18/lantern/",
        ],
    )
    .unwrap();
    let row = opened
        .view()
        .operators
        .into_iter()
        .find(|row| row.name == "lantern")
        .expect("by name");
    assert_eq!(
        (row.catalogs.len(), opened.operator("lantern").cells.len()),
        (2, 0)
    );
    let mut listed = Vec::new();
    for (path, bytes) in late {
        let id = opened.host.new_file_id();
        opened.source.insert(id, &bytes);
        listed.push(ListedFile {
            path,
            listed: Listed::File {
                id,
                size: bytes.len() as u64,
            },
        });
    }
    assert!(matches!(opened.host.list_files(listed), Ok(())));
    assert!(
        opened
            .states("lantern")
            .contains(&("v4.17".to_owned(), CellState::Stale))
    );
}
