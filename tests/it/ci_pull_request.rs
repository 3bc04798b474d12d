//! The steps of `docs/ci.md` and `action.yml`, run as the runners run them, on a repository with
//! good and bad pull requests. The program comes from a release made for the test, so no step may
//! skip the download.

use serde_yaml::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;
use test_support::{GitRepository, project, read};

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A repository whose branch is a pull request, and a release with the program.
struct Job {
    /// Contains the repository, releases, and the runner's files of a job.
    top: TempDir,
    repository: GitRepository,
    base: String,
}

/// The result of a job.
#[derive(Debug)]
struct JobResult {
    status: i32,
    output: String,
    summary: String,
}

impl Job {
    /// `fill` creates the catalogs of the repository, `change` the pull request.
    fn new(fill: impl Fn(&Path), change: impl Fn(&Path)) -> Option<Self> {
        if Command::new("bash").arg("--version").output().is_err()
            || Command::new("curl").arg("--version").output().is_err()
        {
            println!("skipped: bash or curl is not installed");
            return None;
        }
        let repository = GitRepository::new(&[("README.md", "catalogs\n")])?;
        fill(repository.0.path());
        let base = repository.commit("base");
        repository.git(&["checkout", "--quiet", "-b", "change"]);
        change(repository.0.path());
        repository.git(&["add", "--all"]);
        repository.git(&["commit", "--quiet", "--allow-empty", "--message", "change"]);
        let top = TempDir::new().unwrap();
        release(&top.path().join("releases").join(format!("v{VERSION}")));
        Some(Self {
            top,
            repository,
            base,
        })
    }

    /// Runs a script like a workflow step.
    fn step(&self, script: &str, shell: &[&str], env: &BTreeMap<String, String>) -> (i32, String) {
        let path = std::env::var("PATH").unwrap_or_default();
        let added = fs::read_to_string(self.top.path().join("path")).unwrap_or_default();
        let path = added
            .lines()
            .fold(path, |path, more| format!("{more}:{path}"));
        let output = Command::new("bash")
            .args(shell)
            .args(["-c", script])
            .current_dir(self.repository.0.path())
            .env("PATH", path)
            .env("GITHUB_PATH", self.top.path().join("path"))
            .env("GITHUB_OUTPUT", self.top.path().join("output"))
            .env("GITHUB_STEP_SUMMARY", self.top.path().join("step-summary"))
            .env("GITHUB_ACTION_PATH", project())
            .envs(env)
            .output()
            .unwrap();
        let text = [&output.stdout[..], &output.stderr[..]].concat();
        (
            output.status.code().unwrap(),
            String::from_utf8(text).unwrap(),
        )
    }

    /// Runs the action with these inputs.
    fn action(&self, with: &BTreeMap<String, String>) -> JobResult {
        let action: Value = serde_yaml::from_str(&read(&project().join("action.yml"))).unwrap();
        let value = |expression: &str| -> String {
            let inputs = |name: &str| {
                let default = action["inputs"][name]["default"]
                    .as_str()
                    .unwrap_or_else(|| panic!("no input {name}"));
                with.get(name)
                    .cloned()
                    .unwrap_or_else(|| default.to_owned())
            };
            let text = match expression {
                "runner.temp" => self.top.path().display().to_string(),
                "github.server_url" => format!("file://{}", self.top.path().display()),
                "github.action_repository" => "releases-of".to_owned(),
                expression => inputs(
                    expression
                        .strip_prefix("inputs.")
                        .unwrap_or_else(|| panic!("{expression}")),
                ),
            };
            match text.as_str() {
                "${{ github.event.pull_request.base.sha }}" => self.base.clone(),
                text => text.to_owned(),
            }
        };
        let (mut status, mut output) = (0, String::new());
        for step in action["runs"]["steps"].as_sequence().unwrap() {
            assert_eq!(step["shell"], "bash", "a composite step has a shell");
            let env = step["env"].as_mapping().unwrap().iter().map(|(key, text)| {
                (
                    key.as_str().unwrap().to_owned(),
                    fill_in(text.as_str().unwrap(), &value),
                )
            });
            let mut env: BTreeMap<String, String> = env.collect();
            if let Some(releases) = env.get_mut("SWITCHYARD_RELEASES") {
                assert_eq!(
                    *releases,
                    format!(
                        "file://{}/releases-of/releases/download",
                        self.top.path().display()
                    )
                );
                *releases = self.releases();
            }
            let shell = ["--noprofile", "--norc", "-e", "-o", "pipefail"];
            let (ended, text) = self.step(step["run"].as_str().unwrap(), &shell, &env);
            output.push_str(&text);
            status = ended;
            if status != 0 {
                break;
            }
        }
        let summary = fs::read_to_string(self.top.path().join("step-summary")).unwrap_or_default();
        let step_output = fs::read_to_string(self.top.path().join("output")).unwrap_or_default();
        if let Some(path) = step_output.trim().strip_prefix("summary=") {
            assert_eq!(
                fs::read_to_string(path).unwrap(),
                summary,
                "the output is the summary"
            );
        }
        JobResult {
            status,
            output,
            summary,
        }
    }

    fn releases(&self) -> String {
        format!("file://{}", self.top.path().join("releases").display())
    }
}

/// Fills in the expressions of a workflow.
fn fill_in(text: &str, value: &impl Fn(&str) -> String) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("${{") {
        let (expression, behind) = behind.split_once("}}").unwrap();
        out.push_str(before);
        out.push_str(&value(expression.trim()));
        rest = behind;
    }
    out + rest
}

/// Creates a release with the program that was built for this test.
fn release(folder: &Path) {
    fs::create_dir_all(folder).unwrap();
    let program = folder.join("switchyard");
    fs::write(
        &program,
        format!(
            "#!/bin/sh\nexec '{}' \"$@\"\n",
            test_support::program().display()
        ),
    )
    .unwrap();
    let script = format!(
        "set -e; chmod +x switchyard; for arch in x86_64 aarch64; do name=switchyard-{VERSION}-$arch-unknown-linux-musl.tar.gz; \
         tar -czf $name switchyard; sha256sum $name >> SHA256SUMS; done"
    );
    assert!(
        Command::new("bash")
            .args(["-c", &script])
            .current_dir(folder)
            .status()
            .unwrap()
            .success()
    );
}

/// The YAML blocks of the page, in order.
fn yaml_blocks() -> Vec<Value> {
    let page = read(&project().join("docs/ci.md"));
    let blocks = page
        .split("```yaml\n")
        .skip(1)
        .map(|rest| rest.split("```").next().unwrap().to_owned());
    blocks
        .map(|text| serde_yaml::from_str(&text).unwrap_or_else(|error| panic!("{error}:\n{text}")))
        .collect()
}

/// The inputs of the workflow step that uses the action.
fn inputs_of_the_page() -> BTreeMap<String, String> {
    let workflow = yaml_blocks()
        .into_iter()
        .find(|block| block.get("jobs").is_some())
        .unwrap();
    let steps = workflow["jobs"]["catalog"]["steps"].as_sequence().unwrap();
    let step = steps
        .iter()
        .find(|step| {
            step["uses"]
                .as_str()
                .is_some_and(|uses| uses.contains("/switchyard@"))
        })
        .unwrap();
    let version = step["uses"].as_str().unwrap().rsplit('@').next().unwrap();
    assert_eq!(version, format!("v{VERSION}"), "the page uses this release");
    let inputs = step["with"].as_mapping().unwrap().iter();
    inputs
        .map(|(key, value)| {
            (
                key.as_str().unwrap().to_owned(),
                value.as_str().unwrap().to_owned(),
            )
        })
        .collect()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let to = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &to)
        } else {
            fs::copy(&path, &to).map(|_| ()).unwrap()
        }
    }
}

fn beacon(version: &str) -> PathBuf {
    project().join("tests/data/catalogs/beacon").join(version)
}

/// Two catalogs of one operator.
fn beacons(repository: &Path) {
    copy(&beacon("v4.19"), &repository.join("catalogs/v4.19"));
    copy(&beacon("v4.19"), &repository.join("catalogs/v4.20"));
}

/// The path of any file in a folder.
fn any_file(folder: &Path) -> PathBuf {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    let first = entries.first().unwrap().clone();
    if first.is_dir() {
        any_file(&first)
    } else {
        first
    }
}

#[test]
fn a_good_pull_request_passes_and_untouched_catalogs_are_left_alone() {
    let change = |repository: &Path| {
        let file = any_file(&repository.join("catalogs/v4.20"));
        fs::write(&file, format!("{}\n", fs::read_to_string(&file).unwrap())).unwrap();
    };
    let Some(job) = Job::new(beacons, change) else {
        return;
    };
    let ended = job.action(&inputs_of_the_page());
    assert_eq!(ended.status, 0, "{ended:?}");
    assert!(
        ended.summary.contains("# `catalogs/v4.20`") && !ended.summary.contains("v4.19`"),
        "{ended:?}"
    );
    assert!(
        ended
            .output
            .contains("not validated, because nothing changed"),
        "{ended:?}"
    );
    assert!(!ended.output.contains("::error"), "{ended:?}");
}

#[test]
fn a_planted_fault_is_annotated_at_its_line() {
    let change = |repository: &Path| {
        let file = any_file(&repository.join("catalogs/v4.20"));
        let text = fs::read_to_string(&file).unwrap();
        let broken = text.replacen("skipRange: '>=1.0.0 <1.2.0'", "skipRange: 'not a range'", 1);
        assert_ne!(text, broken);
        fs::write(&file, broken).unwrap();
    };
    let Some(job) = Job::new(beacons, change) else {
        return;
    };
    let file = any_file(&job.repository.0.path().join("catalogs/v4.20"));
    let line = fs::read_to_string(&file)
        .unwrap()
        .lines()
        .position(|line| line.contains("not a range"))
        .unwrap()
        + 1;
    let path = file
        .strip_prefix(job.repository.0.path())
        .unwrap()
        .display()
        .to_string();
    let ended = job.action(&inputs_of_the_page());
    assert_eq!(ended.status, 1, "{ended:?}");
    let errors: Vec<&str> = ended
        .output
        .lines()
        .filter(|line| line.starts_with("::error "))
        .collect();
    assert!(
        errors
            .iter()
            .all(|error| error.contains(&format!("file={path},"))),
        "{errors:?}"
    );
    assert!(
        ended
            .output
            .lines()
            .any(|found| found.starts_with("::")
                && found.contains(&format!("file={path},line={line},"))),
        "line {line}: {ended:?}"
    );
    assert!(
        ended.summary.contains("What changes for users") && ended.summary.contains("not a range"),
        "the summary is written all the same: {ended:?}"
    );
}

#[test]
fn a_change_that_strands_users_fails_only_with_deny() {
    let change = |repository: &Path| {
        fs::remove_dir_all(repository.join("catalogs/v4.20")).unwrap();
        copy(&beacon("v4.20"), &repository.join("catalogs/v4.20"));
    };
    let Some(job) = Job::new(beacons, change) else {
        return;
    };
    let ended = job.action(&inputs_of_the_page());
    assert_eq!(ended.status, 1, "{ended:?}");
    assert!(
        ended.summary.contains("stranded") && !ended.output.contains("::error"),
        "{ended:?}"
    );
    let Some(job) = Job::new(beacons, change) else {
        return;
    };
    let mut with = inputs_of_the_page();
    with.remove("deny");
    assert_eq!(job.action(&with).status, 0);
}

#[test]
fn a_new_catalog_and_an_empty_change_pass() {
    let change = |repository: &Path| copy(&beacon("v4.19"), &repository.join("catalogs/v4.21"));
    for change in [&change as &dyn Fn(&Path), &|_: &Path| {}] {
        let Some(job) = Job::new(beacons, change) else {
            return;
        };
        let ended = job.action(&inputs_of_the_page());
        assert_eq!(ended.status, 0, "{ended:?}");
    }
}

#[test]
fn a_release_with_a_wrong_checksum_is_not_run() {
    let Some(job) = Job::new(beacons, |_| {}) else {
        return;
    };
    let folder = job.top.path().join("releases").join(format!("v{VERSION}"));
    for sums in [
        "",
        "0000000000000000000000000000000000000000000000000000000000000000  ",
    ] {
        let names = ["x86_64", "aarch64"]
            .map(|arch| format!("{sums}switchyard-{VERSION}-{arch}-unknown-linux-musl.tar.gz\n"));
        fs::write(
            folder.join("SHA256SUMS"),
            if sums.is_empty() {
                String::new()
            } else {
                names.concat()
            },
        )
        .unwrap();
        let ended = job.action(&inputs_of_the_page());
        assert_ne!(ended.status, 0, "{ended:?}");
        assert!(!ended.output.contains("switchyard 0"), "{ended:?}");
    }
}

#[test]
fn changed_operators_are_checked() {
    let fill = |repository: &Path| copy(&project().join("tests/data/repository"), repository);
    let change = |repository: &Path| {
        let file = repository.join("operators/lantern/0.3.0/release-config.yaml");
        fs::write(
            &file,
            format!("{}# now\n", fs::read_to_string(&file).unwrap()),
        )
        .unwrap();
    };
    let Some(job) = Job::new(fill, change) else {
        return;
    };
    let ended = job.action(&inputs_of_the_page());
    assert_eq!(ended.status, 0, "{ended:?}");
    assert!(
        ended
            .summary
            .contains("# Static checks of `lantern`, bundle `0.3.0`"),
        "{ended:?}"
    );
    assert!(
        ended.summary.contains("# Catalogs of `lantern`") && !ended.summary.contains("harbor`"),
        "{ended:?}"
    );
    let warned =
        "::warning file=operators/lantern/0.3.0/release-config.yaml,line=3,title=edges-not-used::";
    assert!(ended.output.contains(warned), "{ended:?}");
}

#[test]
fn the_gitlab_job_writes_its_reports() {
    let page = yaml_blocks();
    let job_of_page = page.iter().find_map(|block| block.get("catalog")).unwrap();
    let change = |repository: &Path| {
        fs::remove_dir_all(repository.join("catalogs/v4.20")).unwrap();
        copy(&beacon("v4.20"), &repository.join("catalogs/v4.20"));
    };
    let Some(job) = Job::new(beacons, change) else {
        return;
    };
    let variables = job_of_page["variables"].as_mapping().unwrap().iter();
    let mut env: BTreeMap<String, String> = variables
        .filter_map(|(key, value)| Some((key.as_str()?.to_owned(), value.as_str()?.to_owned())))
        .map(|(key, value)| {
            (
                key,
                value.replace("$CI_MERGE_REQUEST_DIFF_BASE_SHA", &job.base),
            )
        })
        .collect();
    env.insert("SWITCHYARD_RELEASES".to_owned(), job.releases());
    env.insert(
        "SWITCHYARD_FOLDER".to_owned(),
        job.top.path().join("bin").display().to_string(),
    );
    env.insert("SWITCHYARD_VERSION".to_owned(), VERSION.to_owned());
    env.insert(
        "GITHUB_PATH".to_owned(),
        job.top.path().join("path").display().to_string(),
    );
    let scripts = ["before_script", "script"]
        .map(|key| job_of_page[key].as_sequence().unwrap().clone())
        .concat();
    let ours = scripts
        .iter()
        .filter_map(Value::as_str)
        .filter(|line| line.starts_with("/opt/switchyard/"));
    let statuses: Vec<i32> = ours
        .map(|line| {
            job.step(
                &line.replace("/opt/switchyard", &project().display().to_string()),
                &[],
                &env,
            )
            .0
        })
        .collect();
    assert_eq!(statuses, [0, 1]);
    let at = |name: &str| read(&job.repository.0.path().join(name));
    assert!(at("junit.xml").starts_with("<?xml") && at("junit.xml").contains("catalogs/v4.20"));
    assert!(at("summary.md").contains("stranded"));
}

#[test]
fn the_tekton_task_defines_everything_that_the_script_reads() {
    let page = yaml_blocks();
    let task = page.iter().find(|block| block["kind"] == "Task").unwrap();
    let script = read(&project().join("ci/check-pull-request.sh"));
    let step = &task["spec"]["steps"][0];
    for variable in step["env"].as_sequence().unwrap() {
        let name = variable["name"].as_str().unwrap();
        assert!(script.contains(&format!("# {name} ")), "{name} is not read");
        let parameter = variable["value"].as_str().unwrap();
        let parameter = parameter
            .strip_prefix("$(params.")
            .and_then(|rest| rest.strip_suffix(')'))
            .unwrap();
        let known = task["spec"]["params"].as_sequence().unwrap().iter();
        assert!(
            known.into_iter().any(|known| known["name"] == parameter),
            "{parameter}"
        );
    }
    assert!(
        step["script"]
            .as_str()
            .unwrap()
            .contains("exec check-pull-request.sh")
    );
}

#[test]
fn the_hooks_run() {
    let hooks: Value =
        serde_yaml::from_str(&read(&project().join(".pre-commit-hooks.yaml"))).unwrap();
    let of_page = yaml_blocks()
        .into_iter()
        .find_map(|block| block.get("repos").cloned())
        .unwrap();
    assert_eq!(of_page[0]["rev"], format!("v{VERSION}").as_str());
    let used = &of_page[0]["hooks"][0];
    let hook = hooks
        .as_sequence()
        .unwrap()
        .iter()
        .find(|hook| hook["id"] == used["id"])
        .unwrap();
    let args = |value: &Value| -> Vec<String> {
        value
            .as_sequence()
            .unwrap()
            .iter()
            .map(|word| word.as_str().unwrap().to_owned())
            .collect()
    };
    let entry = hook["entry"].as_str().unwrap();
    let line = format!("{entry} {}", args(&used["args"]).join(" "));
    let Some(job) = Job::new(beacons, |_| {}) else {
        return;
    };
    let folder = job.top.path().join("releases").join(format!("v{VERSION}"));
    fs::write(job.top.path().join("path"), folder.display().to_string()).unwrap();
    assert_eq!(job.step(&line, &[], &BTreeMap::new()).0, 0);
    let file = any_file(&job.repository.0.path().join("catalogs/v4.20"));
    fs::write(&file, "schema: olm.package\nname: 'x\n").unwrap();
    let (status, output) = job.step(&line, &[], &BTreeMap::new());
    assert_eq!(status, 1, "{output}");
    assert!(
        output.contains("v4.20") && !output.contains("v4.19:"),
        "{output}"
    );
}
