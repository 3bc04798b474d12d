//! *Try on a cluster…*: installation settings on the left, manifests on the right; copied or saved
//! as a file. The workspace stays unchanged.

mod install_form;
mod manifests;

use crate::context::{AppContext, app_context, debounced_query, is_answered, submit_when_ready};
use crate::reactive::{effect, memo};
use crate::widgets::button::{Button, Look};
use crate::widgets::combobox::Choice as Suggestion;
use crate::widgets::dialog::{Dialog, Size};
use crate::widgets::dom;
use crate::widgets::field::{ComboField, SelectField};
use crate::widgets::icon::Icon;
use crate::widgets::segmented::Segmented;
use install_form::{Choice, InstallForm, fault};
use leptos::html;
use leptos::prelude::*;
use manifests::Manifests;
use protocol::install::{InstallManifests, InstallRefusal, InstallValue};
use protocol::response::OperationRefusal;

/// The answer for the current values.
type Found = Signal<Option<Result<InstallManifests, InstallRefusal>>>;

#[component]
pub fn TryOnCluster() -> impl IntoView {
    let app = app_context();
    let form = RwSignal::new(app.current.view.with_untracked(|view| {
        let target = app.current.target.get_untracked();
        app.store
            .question
            .with_untracked(|question| InstallForm::begun(view, &target, question))
    }));
    let asked = memo(move |_| form.with(InstallForm::request));
    let revision = memo(move |_| app.store.status.with(|status| status.revision));
    let wanted = Signal::derive(move || Some((asked.get().ok()?, revision.get())));
    let answered = debounced_query(wanted, move |(request, revision)| async move {
        let answer = app.store.ask(request.clone()).await;
        let found = answer.unwrap_or_else(|error| {
            let OperationRefusal { reason, help, .. } = error.into();
            Err(InstallRefusal {
                value: None,
                reason,
                help,
            })
        });
        Some(((request, revision), found))
    });
    let found: Found = Signal::derive(move || {
        answered.with(|answered| answered.as_ref().map(|(_, found)| found.clone()))
    });
    let cannot = Signal::derive(move || {
        answered.with(|answered| {
            let is_refused = !matches!(answered, Some((_, Ok(_))));
            let is_present = wanted.with(|wanted| is_answered(wanted.as_ref(), answered));
            answered.is_none() || (is_refused && is_present)
        })
    });
    let copy = submit_when_ready(wanted, answered, move |_, found| {
        if let Ok(manifests) = found {
            app.exports
                .copy_text(manifests.yaml, "Manifests copied.".to_owned());
        }
    });
    let download = submit_when_ready(wanted, answered, move |_, found| {
        if let Ok(manifests) = found {
            app.exports.download_text(
                &form.with_untracked(InstallForm::file_name),
                "application/yaml",
                &manifests.yaml,
            );
        }
    });
    let lens = memo(move |_| form.with(|form| form.choice(Choice::V1)));
    let node = NodeRef::<html::Form>::new();
    effect(move |_| {
        if let Some(form) = node.get() {
            // Run after the dialog has taken the focus.
            request_animation_frame(move || dom::focus_first_empty(&form));
        }
    });
    let help = form.with_untracked(|form| {
        format!(
            "Manifests that install {} on a cluster; apply them with kubectl or oc.",
            form.package()
        )
    });
    view! {
        <Dialog title="Try on a cluster…" size=Size::Form on_close=move |()| app.overlays.close()>
            <form
                node_ref=node
                class="form"
                novalidate
                on:submit=move |event| {
                    event.prevent_default();
                    copy();
                }
            >
                <div class="form-fields">
                    <p class="form-help">{help}</p>
                    <Segmented
                        label="OLM"
                        options=&[("v0", "OLM Classic"), ("v1", "OLM v1")]
                        selected=Signal::derive(move || if lens.get() { "v1" } else { "v0" })
                        on_select=move |key| form.update(|form| form.choose(Choice::V1, key == "v1"))
                    />
                    {move || fields(app, form, found, lens.get())}
                </div>
                <Manifests found missing=Signal::derive(move || asked.get().err())/>
                <div class="form-foot">
                    <Button label="Close" on_press=move |()| app.overlays.close()/>
                    <Button label="Download" icon=Icon::Download disabled=cannot on_press=move |()| download()/>
                    <Button label="Copy" look=Look::Primary disabled=cannot on_press=move |()| copy()/>
                </div>
            </form>
        </Dialog>
    }
    .into_any()
}

/// The fields of one lens.
fn fields(app: AppContext, form: RwSignal<InstallForm>, found: Found, is_v1: bool) -> AnyView {
    let text = move |value, label, hint| text_field(app, form, found, (value, label, hint));
    let select = move |choice, label, options| select_field(form, choice, label, options);
    let is_added = memo(move |_| form.with(|form| !form.choice(Choice::There)));
    let of_catalog = move || {
        let name = match is_added.get() {
            true => "Empty: the package's name followed by -catalog.",
            false => "As the cluster lists it.",
        };
        view! {
            {is_added.get().then(|| text(InstallValue::CatalogImage, "Catalog image", "REGISTRY/NAME:TAG, or with a digest."))}
            {text(InstallValue::CatalogName, "Catalog name", name)}
        }
        .into_any()
    };
    let catalog = move || {
        let options = [
            ("", "added from an image"),
            ("yes", "on the cluster already"),
        ];
        view! {
            {select(Choice::There, "Catalog", options)}
            {of_catalog}
        }
        .into_any()
    };
    let namespace = move || {
        let hint = "Empty: what the bundle suggests, else the package's name.";
        text(InstallValue::Namespace, "Namespace", hint)
    };
    if is_v1 {
        let policies = [("", "CatalogProvided"), ("yes", "SelfCertified")];
        return view! {
            {text(InstallValue::Channel, "Channels", "Empty: all. Names, separated by commas.")}
            {text(InstallValue::Range, "Version range", "Empty: any version.")}
            {select(Choice::SelfCertified, "Upgrade constraint policy", policies)}
            {catalog()}
            {namespace()}
            {text(InstallValue::ServiceAccount, "Service account", "Empty: none. Only OLM v1 before v1.11.0 needs one.")}
        }
        .into_any();
    }
    let approvals = [("", "Automatic"), ("yes", "Manual")];
    view! {
        {text(InstallValue::Channel, "Channel", "Empty: the default channel.")}
        {text(InstallValue::StartingCsv, "Starting CSV", "Empty: the channel's head.")}
        {select(Choice::Manual, "Approval", approvals)}
        {catalog()}
        {text(InstallValue::CatalogNamespace, "Catalog namespace", "Empty: the operator's namespace, if the catalog is added from an image.")}
        {namespace()}
        {text(InstallValue::TargetNamespaces, "Target namespaces", "Empty: all, or the operator's own if the bundle requires it.")}
    }
    .into_any()
}

fn text_field(
    app: AppContext,
    form: RwSignal<InstallForm>,
    found: Found,
    (value, label, hint): (InstallValue, &'static str, &'static str),
) -> AnyView {
    let choices = app.current.view.with_untracked(|view| match value {
        InstallValue::Channel => view
            .channels
            .iter()
            .map(|name| Suggestion::new(name, ""))
            .collect(),
        InstallValue::StartingCsv => view
            .bundles
            .iter()
            .map(|(name, version)| Suggestion::new(name, version))
            .collect(),
        _ => Vec::new(),
    });
    let error = Signal::derive(move || {
        found.with(|found| {
            found
                .as_ref()
                .and_then(|found| found.as_ref().err())
                .map(|refusal| fault(refusal, value))
        })
    });
    view! {
        <ComboField
            label
            value=Signal::derive(move || form.with(|form| form.text(value).to_owned()))
            choices=Signal::stored(choices)
            on_change=move |text| form.update(|form| form.set(value, text))
            on_done=|()| ()
            hint=Signal::stored(hint.to_owned())
            error=Signal::derive(move || error.get().unwrap_or_default())
        />
    }
    .into_any()
}

/// `options` are keys and labels for no and yes.
fn select_field(
    form: RwSignal<InstallForm>,
    choice: Choice,
    label: &'static str,
    options: [(&'static str, &'static str); 2],
) -> AnyView {
    let options: Vec<(String, String)> = options
        .map(|(key, text)| (key.to_owned(), text.to_owned()))
        .to_vec();
    let chosen = move || {
        if form.with(|form| form.choice(choice)) {
            "yes"
        } else {
            ""
        }
    };
    view! {
        <SelectField
            label
            value=Signal::derive(move || chosen().to_owned())
            options=Signal::stored(options)
            on_change=move |key: String| form.update(|form| form.choose(choice, !key.is_empty()))
        />
    }
    .into_any()
}
