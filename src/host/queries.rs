//! Answers queries about the session, its problems and dropped files.

use super::Host;
use crate::export;
use crate::views::dropped;
use crate::views::inspect::{self, picture};
use crate::views::{
    bundles, changes, compare, package, problems, source, status, subset, template, upgrade,
};
use ::bundle::File;
use catalog::model::Package;
use edit::refused;
use protocol::Json;
use protocol::disk_check::{DiskFile, ToBeWritten};
use protocol::manifests::InstallRequest;
use protocol::query::*;
use protocol::request::{Export, PackageRequest, PreviewScope, Target};
use protocol::response::{ChosenEdits, Previewed, Review};
use protocol::subset::SavedSubset;
use protocol::templates::{Conversion, ConversionRequest, RenderRequest};
use protocol::upgrades::EveryoneView;
use session::{AdviceSource, Edit, NotConverted, Refused, Session, TextSearch};
use verdict::consequences::Consequences;

answer!(Packages, |host, Packages { root }| {
    let root = host.session.root(Some(&root))?;
    Ok(status::rows(host.view_input(), root))
});

answer!(PackageRequest, |host, request| {
    Ok(package::view(host.view_input(), &request)?)
});

answer!(Explain, |_host, Explain { rule }| {
    Ok(problems::rule_text(&rule)?)
});

answer!(ReadSource, |host, query| {
    let ReadSource {
        root,
        file,
        at,
        place,
    } = query;
    Ok(source::lines(&host.session, root, file, &at, place)?)
});

answer!(FindText, |host, query| {
    let search = TextSearch {
        text: &query.text,
        from: query.from,
        backwards: query.backwards,
    };
    Ok(source::find(
        &host.session,
        &query.root,
        &query.file,
        search,
    )?)
});

answer!(Find, |host, Find { text, root, limit }| {
    host.search_index.refresh(&host.session);
    Ok(status::find(
        &host.search_index,
        &host.session,
        &text,
        &root,
        limit as usize,
    ))
});

answer!(SearchText, |host, SearchText { text, root, limit }| {
    Ok(source::search_text(
        &host.session,
        &text,
        &root,
        limit as usize,
    ))
});

answer!(AdmittedVersions, |host, query| {
    let package = host.package(&query.root, &query.package)?;
    Ok(upgrade::range_view(package, &query.question))
});

answer!(CaughtVersions, |host, query| {
    let package = host.package(&query.root, &query.package)?;
    Ok(upgrade::caught_versions(
        package,
        &query.entry,
        query.text,
        query.purpose,
    ))
});

answer!(CheckPicture, |_host, CheckPicture { media_type, data }| {
    Ok(picture(&media_type, &data))
});

answer!(PreviewEdit, |host, PreviewEdit { ops, scope }| {
    let previewed = match scope {
        PreviewScope::Own => host
            .session
            .preview(&ops.0)
            .map(|preview| (None, preview, Vec::new())),
        PreviewScope::All => {
            let previewed = session::preview_in_all_catalogs(&mut host.session, &ops.0);
            previewed.map(|(preview, others)| (None, preview, others))
        }
        PreviewScope::Lacking => {
            let previewed = session::preview_lacking(&mut host.session, &ops.0);
            previewed.map(|previewed| (Some(previewed.ops), previewed.preview, previewed.others))
        }
    };
    let (lacking, preview, elsewhere) =
        previewed.map_err(|refused| changes::refusal(&host.session, &ops.0, refused))?;
    Ok(Previewed {
        lacking: lacking.map(Json),
        diffs: preview.files.iter().map(changes::file_diff).collect(),
        consequences: changes::consequences(&preview.consequences),
        alternatives: preview.alternatives.into_iter().map(Json).collect(),
        elsewhere: elsewhere.into_iter().map(changes::other_catalog).collect(),
    })
});

answer!(Everyone, |host, query| {
    let root = host.session.root(Some(&query.root))?;
    let now = package::find(root, &query.package)?.clone();
    if query.ops.0.is_empty() {
        return Ok(compare::everyone_view(root, &now, &query.question));
    }
    let everyone_after = |session: &Session, consequences: Consequences| {
        let root = session.root(Some(&query.root))?;
        let package = package::find(root, &query.package)?;
        Ok::<_, Refused>(EveryoneView {
            outcome: Some(changes::outcome(root, &now, package, &consequences)),
            ..compare::everyone_view(root, package, &query.question)
        })
    };
    let view = host.session.simulate(&query.ops.0, everyone_after)?;
    Ok(view?)
});

answer!(Compare, |host, Compare { old, root }| {
    let root = host.session.root(Some(&root))?;
    Ok(compare::catalogs(&host.session, old, root)?)
});

answer!(ComparePackage, |host, query| {
    let root = host.session.root(Some(&query.root))?;
    Ok(compare::package(
        &host.session,
        &query.old,
        root,
        &query.package,
        &query.cluster,
    )?)
});

answer!(Unsaved, |host, Unsaved { root, package }| {
    let root = host.session.root(Some(&root))?;
    Ok(compare::unsaved_changes(&host.session, root, &package))
});

answer!(Matrix, |host, Matrix { roots, package }| {
    let roots = roots
        .iter()
        .map(|name| host.session.root(Some(name)))
        .collect::<Result<Vec<_>, _>>()?;
    Ok(compare::matrix_view(&roots, &package))
});

answer!(ReviewChanges, |host, ReviewChanges {}| {
    let files = host.session.changes().review()?;
    let steps = host.session.changes().steps_in_effect(&files);
    let paths = host.session.changes().patch_paths(&files);
    Ok(Review {
        steps: steps.into_iter().map(changes::step_in_effect).collect(),
        starts_at_repository: paths.start_at_repository,
        files: files
            .iter()
            .zip(paths.paths)
            .map(|(file, path)| changes::review_file(&host.session, file, path))
            .collect(),
    })
});

answer!(ListRenderTargets, |host, ListRenderTargets { template }| {
    Ok(template::view(&host.session, template)?)
});

answer!(Render, |host, Render { template, what }| {
    Ok(Json(match what {
        RenderRequest::Into(catalogs) => {
            host.session.templates().render_ops(&template, &catalogs)?
        }
        RenderRequest::AlsoInto(catalog) => host
            .session
            .templates()
            .add_catalog_ops(&template, &catalog)?,
    }))
});

answer!(ConversionRequest, |host, request| {
    match template::conversion(&host.session, request) {
        Ok(converted) => Ok(Conversion::Made {
            ops: Json(converted.ops),
            remarks: converted.remarks,
        }),
        Err(NotConverted::Differs(differences)) => Ok(Conversion::Differs(differences)),
        Err(NotConverted::Refused(refused)) => Err(refused.into()),
    }
});

answer!(Export, |host, export| {
    Ok(export::export(&host.session, &export, host.packing)?)
});

answer!(ListWrites, |host, ListWrites {}| {
    let paths = host.session.files().changed_paths().into_iter();
    let files = paths.map(|path| {
        Ok(ToBeWritten {
            path: path.to_owned(),
            crc: crc32fast::hash(&host.session.files().bytes(path)?),
            ops: Json(host.session.changes().text_ops(path)?),
        })
    });
    files.collect()
});

answer!(Subset, |host, Subset { root, selection }| {
    Ok(subset::view(&host.session, &root, &selection)?)
});

answer!(SavedSubset, |host, subset| {
    Ok(subset::files(&host.session, &subset)?)
});

answer!(InstallRequest, |host, request| {
    Ok(upgrade::install_manifests(&host.session, &request)?)
});

answer!(RelevantFiles, |host, RelevantFiles { mut paths }| {
    paths.retain(|path| host.session.changes().affects_catalogs(path));
    Ok(paths)
});

answer!(Fingerprint, |host, Fingerprint { paths }| {
    let fingerprint = |path: String| {
        let bytes = host.session.files().bytes_on_disk(&path).ok()??;
        Some((path, crc32fast::hash(&bytes)))
    };
    Ok(paths.into_iter().filter_map(fingerprint).collect())
});

answer!(TreatAsOne, |host, TreatAsOne { folder, as_one }| {
    host.session.treat_as_one(&folder, as_one);
    host.validate_whole_folders();
    Ok(host.status())
});

answer!(ShowRendered, |host, ShowRendered { template, shown }| {
    host.open_owner(&template);
    if shown {
        host.session.show_rendered(&template)?;
    } else {
        host.session.hide_rendered(&template);
    }
    Ok(host.status())
});

answer!(SetProfile, |host, SetProfile { profile }| {
    host.profile = profile;
    host.session
        .set_advice_source(AdviceSource::Nearest(profile));
    Ok(host.status())
});

answer!(Apply, |host, Apply { ops, title, view }| {
    host.run_step(view, |session| session.apply(&title, &ops.0))
});

answer!(
    ApplyToLastStep,
    |host, ApplyToLastStep { ops, title, view }| {
        host.run_step(view, |session| session.apply_to_last_step(&title, &ops.0))
    }
);

answer!(FixAll, |host, query| {
    host.run_step(query.view, |session| {
        let title = format!("Fix all: {}", query.rule);
        let fixed = session::fix_all(session, &title, Some(&query.root), |problem, fix| {
            let is_in_package = query.package.is_none() || problem.package == query.package;
            is_in_package && problem.rule == query.rule && fix.safe && fix.kind == query.kind
        })?;
        match fixed.refused.into_iter().next() {
            Some((title, reason)) if fixed.done.is_empty() => Err(refused!("{title}: {reason}")),
            _ => Ok(fixed.applied),
        }
    })
});

answer!(RevertFile, |host, RevertFile { file, view }| {
    host.run_step(view, |session| session.revert_file(&file))
});

answer!(Undo, |host, Undo { view }| {
    let applied = host.session.undo();
    let applied = applied.ok_or_else(|| Refused::new("there is nothing to undo"))?;
    Ok(host.applied_response(applied, view, Vec::new()))
});

answer!(Redo, |host, Redo { view }| {
    let applied = host.session.redo();
    let applied = applied.ok_or_else(|| Refused::new("there is nothing to redo"))?;
    Ok(host.applied_response(applied, view, Vec::new()))
});

answer!(GoTo, |host, GoTo { steps, view }| {
    let applied = host.session.go_to(steps).unwrap_or_default();
    Ok(host.applied_response(applied, view, Vec::new()))
});

answer!(Replay, |host, Replay { steps }| {
    let steps = steps.into_iter().map(|step| (step.title, step.ops.0));
    Ok(host.replay(steps.collect()))
});

answer!(ChooseEdits, |host, ChooseEdits { edits, left_out }| {
    let edits = edits.into_iter().map(|edit| (edit.title, edit.ops.0));
    let edits: Vec<Edit> = edits.collect();
    host.open_required_parts(edits.iter().flat_map(|(_, ops)| ops));
    let is_left_out = |at: usize| left_out.contains(&at);
    let needs = host.session.undo_for_choice(&edits, is_left_out)?;
    host.changed_entries.truncate(host.session.applied_steps());
    let chosen = edits.into_iter().zip(&needs).enumerate();
    let chosen = chosen.filter(|(at, (_, needed))| needed.is_none() && !is_left_out(*at));
    let replayed = host.replay(chosen.map(|(_, (edit, _))| edit).collect());
    Ok(ChosenEdits { needs, replayed })
});

answer!(Problems, |host, Problems { root }| {
    let own = host.session.root(Some(&root))?.problems().cloned();
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
        &host.session,
        root,
        package,
        target,
        &others,
    )?)
});

impl HandleWithFiles<ReadBundles> for Host {
    fn handle_with_files(
        &mut self,
        ReadBundles { placement }: ReadBundles,
        files: Vec<DiskFile>,
    ) -> QueryResult<ReadBundles> {
        let Some(sources) = dropped::find_bundles(readable_files(files)) else {
            return Ok(None);
        };
        let (read, refused) = dropped::read(&sources, placement.image.trim());
        Ok(Some(bundles::view(
            &self.session,
            read,
            refused,
            &placement,
        )))
    }
}

impl HandleWithFiles<ReadManifests> for Host {
    fn handle_with_files(
        &mut self,
        ReadManifests { root }: ReadManifests,
        files: Vec<DiskFile>,
    ) -> QueryResult<ReadManifests> {
        let manifests = dropped::find_manifests(&readable_files(files));
        Ok(manifests.map(|manifests| dropped::questions(&self.session, manifests, &root)))
    }
}

/// Skips unreadable files, as `opm` skips dangling links.
fn readable_files(files: Vec<DiskFile>) -> Vec<File> {
    let readable = files.into_iter().filter_map(|DiskFile { path, bytes }| {
        Some(File {
            path,
            bytes: bytes.ok()??,
        })
    });
    readable.collect()
}

impl Host {
    fn package(&self, root: &str, package: &str) -> Result<&Package, Refused> {
        let root = self.session.root(Some(root))?;
        package::find(root, package).map(|package| &**package)
    }
}
