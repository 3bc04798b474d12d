//! Promotes operators from one OpenShift version to the next: copies each operator's catalog, and
//! adds the new one to its mapping.

use super::document;
use super::document::{Kind, Node};
use super::file_change::{FileChange, edit_text};
use super::layout;
use super::layout::{EntryKind, Files, files_below, join};
use super::operator::{Ci, is_migrated};
use super::rules::{CATALOG_WITHOUT_V, Finding, Problem};
use catalog::roots::catalog_version;
use catalog::version::openshift::{self, OpenShift};
use protocol::counting::first_of;
use protocol::enum_with_text;
use serde_json::Value;
use std::collections::BTreeSet;
use syntax::did_you_mean::did_you_mean;

/// The source and target catalogs.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    pub from: &'a str,
    pub to: &'a str,
    /// Folder names of the operators to promote; empty for all.
    pub operators: &'a [String],
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Promotion {
    pub operators: Vec<Promoted>,
    /// Violated limits, and effects that the pipeline does not report.
    pub remarks: Vec<Finding>,
    /// Operators that cannot be promoted.
    pub problems: Vec<Problem>,
}

/// An operator in the source catalog.
#[derive(Debug, Clone, PartialEq)]
pub struct Promoted {
    pub operator: String,
    pub strategy: Strategy,
    /// Files that the target catalog lacks.
    pub copied: Vec<FileChange>,
    /// Value and text of `ci.yaml` with the target. `None` if it already has the target, or lacks
    /// the source.
    pub ci: Option<(Value, FileChange)>,
}

enum_with_text! {
    pub fn name;
    /// How an operator is promoted.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Strategy {
        /// Together with all others of this strategy.
        Always = "always",
        /// On its own, after its owners agree.
        ReviewNeeded = "review-needed",
        Never = "never",
    }
}

/// Plans the promotion of all or the given operators.
///
/// # Errors
///
/// If the source catalog does not exist.
pub fn plan(files: &dyn Files, request: &Request<'_>) -> Result<Promotion, Problem> {
    let source = join(layout::CATALOGS, request.from);
    let all = layout::catalogs(files);
    if !all.iter().any(|name| name == request.from) {
        let hint = did_you_mean(
            request.from,
            all.iter().map(String::as_str),
            "the catalogs are the folders in `catalogs`",
        );
        return Err(
            Problem::new("", source, format!("there is no catalog {}", request.from)).help(hint),
        );
    }
    if request.from == request.to || request.to.is_empty() || request.to.contains(['/', '\\']) {
        let message = format!(
            "cannot promote to catalog `{}` from {}",
            request.to, request.from
        );
        return Err(Problem::new("", source, message).help("name the next one, such as v4.22"));
    }
    let mut promotion = Promotion::default();
    if let Some(with_v) = layout::name_with_v(request.to) {
        let message = format!(
            "catalog name `{0}` lacks its `v`: no cluster uses `catalogs/{0}`",
            request.to
        );
        let remark = Finding::warning(
            CATALOG_WITHOUT_V,
            join(layout::CATALOGS, request.to),
            message,
        );
        promotion
            .remarks
            .push(remark.help(format!("write `--to {with_v}`")));
    }
    let existing = layout::folders(files, &source);
    let missing = request
        .operators
        .iter()
        .filter(|name| !existing.contains(name));
    promotion.problems.extend(missing.map(|name| {
        let folder = layout::catalog_folder(request.from, name);
        Problem::new(
            name,
            folder,
            format!("catalog {} does not have the operator", request.from),
        )
    }));
    let is_requested =
        |name: &String| request.operators.is_empty() || request.operators.contains(name);
    for operator in existing.into_iter().filter(is_requested) {
        match promote_operator(files, request, &operator, &mut promotion.remarks) {
            Ok(promoted) => promotion.operators.push(promoted),
            Err(problem) => promotion.problems.push(problem),
        }
    }
    Ok(promotion)
}

fn promote_operator(
    files: &dyn Files,
    request: &Request<'_>,
    operator: &str,
    remarks: &mut Vec<Finding>,
) -> Result<Promoted, Problem> {
    let Some(ci) = Ci::read(files, operator)? else {
        let problem = Problem::new(operator, layout::ci_path(operator), "there is no such file");
        return Err(problem.help("create it: it tells the pipeline how to promote the operator"));
    };
    let strategy = read_strategy(&ci, remarks)?;
    let mut promoted = Promoted {
        operator: operator.to_owned(),
        strategy,
        copied: Vec::new(),
        ci: None,
    };
    if strategy == Strategy::Never {
        return Ok(promoted);
    }
    promoted.copied = copy_files(files, request, operator)?;
    remarks.extend(check_limits(request, operator, &promoted.copied));
    promoted.ci = add_to_mapping(ci, request, operator)?;
    Ok(promoted)
}

fn read_strategy(ci: &Ci, remarks: &mut Vec<Finding>) -> Result<Strategy, Problem> {
    let fbc = ci.document.root().and_then(|root| root.get("fbc"));
    let Some(node) = fbc.and_then(|fbc| fbc.get("version_promotion_strategy")) else {
        return Ok(Strategy::ReviewNeeded);
    };
    Ok(match node.text().as_deref() {
        Some("always") => Strategy::Always,
        Some("review-needed") => Strategy::ReviewNeeded,
        Some("never") => Strategy::Never,
        _ => {
            let message = format!(
                "the strategy {} is unknown, and counts as `never`",
                document::repr(node)
            );
            let remark =
                Finding::warning("strategy-unknown", &*ci.path, message).on_line(node.line());
            remarks.push(remark.help("write `review-needed`, `always` or `never`"));
            Strategy::Never
        }
    })
}

/// Copies the operator's files to the target; none if the target already has one of them.
fn copy_files(
    files: &dyn Files,
    request: &Request<'_>,
    operator: &str,
) -> Result<Vec<FileChange>, Problem> {
    let (source, target) = (
        layout::catalog_folder(request.from, operator),
        layout::catalog_folder(request.to, operator),
    );
    if files
        .entries(&target)
        .iter()
        .any(|entry| entry.kind == EntryKind::File)
    {
        return Ok(Vec::new());
    }
    files_below(files, &source)
        .into_iter()
        .map(|path: String| {
            let after = files
                .read(&path)
                .map_err(|failure| Problem::new(operator, &*path, failure.to_string()))?;
            let relative = path.strip_prefix(&source).unwrap_or(&path);
            Ok(FileChange {
                path: format!("{target}{relative}"),
                before: None,
                after,
            })
        })
        .collect()
}

/// Adds the target to `ci.yaml`, after the other catalogs of the first template with the source.
fn add_to_mapping(
    ci: Ci,
    request: &Request<'_>,
    operator: &str,
) -> Result<Option<(Value, FileChange)>, Problem> {
    let items = ci.mapping().map_or_else(Vec::new, Node::items);
    let [to, from] = [request.to, request.from].map(|catalog| {
        items.iter().position(|item| {
            let names = item
                .get("catalog_names")
                .filter(|names| names.kind() == Kind::List);
            let names = names.map_or_else(Vec::new, Node::items);
            names
                .iter()
                .any(|name| name.text().as_deref() == Some(catalog))
        })
    });
    let (None, Some(at)) = (to, from) else {
        return Ok(None);
    };
    let before = ci.document.root().map_or(Value::Null, Node::value);
    let mut after = before.clone();
    if let Some(names) = after["fbc"]["catalog_mapping"][at]["catalog_names"].as_array_mut() {
        names.push(request.to.into());
    }
    let path = ci.path;
    let text = ci.document.into_text();
    let new = edit_text(operator, &path, &text, &before, &after)?;
    Ok(Some((
        after,
        FileChange {
            path,
            before: Some(text),
            after: new,
        },
    )))
}

/// Reports limits of the target's OpenShift version that the copied files violate.
fn check_limits(request: &Request<'_>, operator: &str, copied: &[FileChange]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let Some(file) = copied.first() else {
        return findings;
    };
    let blobs: Vec<Value> = copied
        .iter()
        .filter_map(|file| bundle::read_documents(&file.after).ok())
        .flatten()
        .collect();
    let bundles = || blobs.iter().filter(|blob| blob["schema"] == "olm.bundle");
    if is_migrated(request.to)
        && bundles().any(|bundle| bundle_property(bundle, "olm.bundle.object").is_some())
    {
        let message = format!(
            "the catalog embeds bundle objects, which catalog {} must not contain",
            request.to
        );
        let remark = Finding::warning("bundle-objects-copied", &*file.path, message);
        findings.push(remark.help(format!(
            "render it again: `switchyard repo render --operator {operator} --catalog {} --write`",
            request.to
        )));
    }
    let Some((major, minor)) = catalog_version(request.to) else {
        return findings;
    };
    let target = OpenShift::new(major, minor);
    let heads = heads(&blobs);
    let capped: Vec<&str> = bundles()
        .filter(|bundle: &&Value| {
            let limit =
                bundle_property(bundle, "olm.maxOpenShiftVersion").map(|value| value.to_string());
            let limit = limit.and_then(|text| openshift::parse_limit(&text).ok());
            limit.is_some_and(|limit| limit < target)
                && bundle["name"]
                    .as_str()
                    .is_some_and(|name| heads.contains(name))
        })
        .filter_map(|bundle| bundle["name"].as_str())
        .collect();
    if !capped.is_empty() {
        let message = format!(
            "channel heads have an `olm.maxOpenShiftVersion` below OpenShift {target}: {}",
            first_of(capped.iter(), 3)
        );
        findings.push(
            Finding::warning("max-openshift-version", &*file.path, message)
                .help("release a version that allows it"),
        );
    }
    findings
}

fn bundle_property<'v>(bundle: &'v Value, kind: &str) -> Option<&'v Value> {
    let mut properties = bundle["properties"].as_array()?.iter();
    properties
        .find(|property| property["type"] == kind)
        .map(|property| &property["value"])
}

/// Returns the entries that no entry of their channel replaces or skips.
fn heads(blobs: &[Value]) -> BTreeSet<&str> {
    let mut heads = BTreeSet::new();
    for channel in blobs.iter().filter(|blob| blob["schema"] == "olm.channel") {
        let entries = || channel["entries"].as_array().into_iter().flatten();
        let mut superseded: BTreeSet<&str> = entries()
            .filter_map(|entry| entry["replaces"].as_str())
            .collect();
        superseded.extend(
            entries()
                .flat_map(|entry| entry["skips"].as_array().into_iter().flatten())
                .filter_map(Value::as_str),
        );
        heads.extend(
            entries()
                .filter_map(|entry| entry["name"].as_str())
                .filter(|name| !superseded.contains(name)),
        );
    }
    heads
}
