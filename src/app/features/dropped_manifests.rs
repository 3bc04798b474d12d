//! Dropped Subscriptions and ClusterExtensions as a list of upgrade questions: each with what the
//! catalog lacks to answer it, and a link to the answer.

use crate::components::preview::refusal_text;
use crate::context::drops;
use crate::prelude::*;
use crate::widgets::dialog::Dialog;
use crate::words::{file_line, manifest_heading, question_text, remark_sentence};
use protocol::manifests::{DroppedManifests, ManifestQuestion, ManifestRemark};

#[component]
pub fn DroppedManifestsDialog(dropped: DroppedManifests) -> impl IntoView {
    let app = app_context();
    let DroppedManifests { questions, refused } = dropped;
    let has_catalog = app
        .store
        .status
        .with_untracked(|status| status.roots.iter().any(|row| !row.is_template()));
    let no_catalog_note = (!has_catalog).then_some(
        "No catalog is open to answer this. Open the catalog of the cluster, then drop the file again.",
    );
    let has_questions = !questions.is_empty();
    view! {
        <Dialog title="Where will it go?" on_close=move |()| app.overlays.close()>
            <div class="dialog-body form-inputs" tabindex="-1">
                {no_catalog_note.map(|text| view! { <p>{text}</p> })}
                {refused.into_iter().map(refusal_view).collect_view()}
                {has_questions
                    .then(|| {
                        view! {
                            <ul class="render-targets" aria-label="Questions">
                                {questions.into_iter().map(|manifest| question_view(app, manifest, has_catalog)).collect_view()}
                            </ul>
                        }
                    })}
            </div>
            <div class="dialog-foot">
                <Button label="Close" look=Look::Quiet on_press=move |()| app.overlays.close()/>
                {(!has_catalog)
                    .then(|| {
                        let open = move |()| {
                            app.overlays.close();
                            drops::open_folder(app);
                        };
                        view! { <Button label="Open folder…" look=Look::Primary on_press=open/> }
                    })}
            </div>
        </Dialog>
    }
    .into_any()
}

fn question_view(app: AppContext, manifest: ManifestQuestion, has_catalog: bool) -> impl IntoView {
    let title = manifest_heading(&manifest);
    let text = question_text(&manifest);
    let location = file_line(&manifest.file, manifest.line);
    let name = format!("{title}, {text}");
    // Without a catalog, every remark would say that the package is missing.
    let remarks = if has_catalog {
        manifest.remarks.clone()
    } else {
        Vec::new()
    };
    let show_label = manifest.roots.first().map(|root| {
        let catalog = app.current.name_of_catalog(root);
        format!("Show in {catalog}")
    });
    view! {
        <li class="render-target" aria-label=name>
            <p><strong>{title}</strong> " " <span class="dim">{location}</span></p>
            <div class="render-details">
                <p>{text}</p>
                {remarks.into_iter().map(remark_view).collect_view()}
            </div>
            {show_label.map(|label| view! { <Button label on_press=move |()| drops::ask_manifest(app, manifest.clone())/> })}
        </li>
    }
}

fn remark_view(remark: ManifestRemark) -> impl IntoView {
    let location = format!(" ({})", file_line(&remark.file, remark.line));
    view! {
        <p class="form-remark">
            <Glyph icon=Icon::Warning/>
            <span>{in_code(&remark_sentence(&remark))} <span class="mono">{location}</span></span>
        </p>
    }
}

fn refusal_view(remark: ManifestRemark) -> impl IntoView {
    announce::alert(format!("Cannot be answered: {}", remark.reason));
    view! {
        <div class="refusal">
            {refusal_text(
                "Cannot be answered: ",
                &remark.reason,
                &remark.help,
                Some(file_line(&remark.file, remark.line)),
            )}
        </div>
    }
}
