//! *Try on a cluster…*: installation settings on the left; on the right the manifests with remarks,
//! or the reason why there are none. They can be copied or saved as a file. The session does not
//! change.

use crate::components::preview::{LiveAnswer, refusal_text};
use crate::context::saving;
use crate::edits::form_values::parse_names;
use crate::prelude::*;
use crate::widgets::buttons::Segmented;
use crate::widgets::combobox::Choice;
use crate::widgets::dialog::FormDialog;
use crate::widgets::fields::ComboField;
use protocol::counting::capitalize;
use protocol::manifests::{InstallManifests, InstallRefusal, InstallRequest, InstallValue};
use protocol::request::Target;
use protocol::response::{OperationRefusal, PackageView};
use protocol::views::{Approval, Lens, UpgradeQuestion};
use std::collections::HashMap;

/// The answer for the current values.
type InstallAnswer = LiveAnswer<InstallRequest, Result<InstallManifests, InstallRefusal>>;

#[component]
pub fn TryOnCluster() -> impl IntoView {
    let app = app_context();
    let form = RwSignal::new(app.current.view.with_untracked(|view| {
        let target = app.current.target.get_untracked();
        app.store
            .question
            .with_untracked(|question| InstallForm::initial(view, &target, question))
    }));
    let request = memo(move |_| form.with(InstallForm::request));
    let question = derived(move || request.get().ok());
    let answer = LiveAnswer::follow(app, question, move |request: InstallRequest| async move {
        let answer = app.store.ask(request).await;
        answer.unwrap_or_else(|error| {
            let OperationRefusal { reason, help, .. } = error.into();
            Err(InstallRefusal {
                value: None,
                reason,
                help,
            })
        })
    });
    let is_blocked = derived(move || answer.is_blocked(Result::is_ok));
    let copy = answer.on_press(move |answer| {
        if let Ok(manifests) = answer {
            saving::copy_text(app, manifests.yaml, "Manifests copied.".to_owned());
        }
    });
    let download = answer.on_press(move |answer| {
        if let Ok(manifests) = answer {
            saving::download_text(
                app,
                &form.with_untracked(InstallForm::file_name),
                "application/yaml",
                &manifests.yaml,
            );
        }
    });
    let is_v1 = memo(move |_| form.with(|form| form.request.lens == Lens::V1));
    let help = form.with_untracked(|form| {
        format!(
            "Manifests that install {} on a cluster; apply them with kubectl or oc.",
            form.request.package
        )
    });
    let foot = view! {
        <Button label="Close" on_press=move |()| app.overlays.close()/>
        <Button label="Download" icon=Icon::Download disabled=is_blocked on_press=move |()| download()/>
        <Button label="Copy" look=Look::Primary disabled=is_blocked on_press=move |()| copy()/>
    };
    view! {
        <FormDialog
            title="Try on a cluster…"
            on_open=|form: web_sys::HtmlFormElement| dom::focus_first_empty(&form)
            on_close=move |()| app.overlays.close()
            on_submit=move |()| copy()
            side=view! { <Manifests answer missing=derived(move || request.get().err())/> }.into_any()
            foot=foot.into_any()
        >
            <p class="form-help">{help}</p>
            <Segmented
                label="OLM"
                options=&[("v0", "OLM Classic"), ("v1", "OLM v1")]
                selected=derived(move || if is_v1.get() { "v1" } else { "v0" })
                on_select=move |key| form.update(|form| {
                    form.request.lens = if key == "v1" { Lens::V1 } else { Lens::V0 };
                })
            />
            {move || fields(app, form, answer, is_v1.get())}
        </FormDialog>
    }
    .into_any()
}

/// Renders the fields of one lens. Other settings can be edited in the manifests.
fn fields(
    app: AppContext,
    form: RwSignal<InstallForm>,
    answer: InstallAnswer,
    is_v1: bool,
) -> AnyView {
    let text = move |value, label, hint| text_field(app, form, answer, (value, label, hint));
    let (channel, empty) = if is_v1 {
        ("Channels", "Empty: all. Names, separated by commas.")
    } else {
        ("Channel", "Empty: the default channel.")
    };
    view! {
        {text(InstallValue::CatalogImage, "Catalog image", "REGISTRY/NAME:TAG, or with a digest.")}
        {text(InstallValue::Channel, channel, empty)}
        {text(
            InstallValue::Namespace,
            "Namespace",
            "Empty: what the bundle suggests, else the package's name.",
        )}
    }
    .into_any()
}

fn text_field(
    app: AppContext,
    form: RwSignal<InstallForm>,
    answer: InstallAnswer,
    (value, label, hint): (InstallValue, &'static str, &'static str),
) -> AnyView {
    let choices = app.current.view.with_untracked(|view| match value {
        InstallValue::Channel => view
            .channels
            .iter()
            .map(|name| Choice::new(name, ""))
            .collect(),
        _ => Vec::new(),
    });
    let error =
        derived(move || answer.with(|answer| Some(field_error(answer?.as_ref().err()?, value))));
    view! {
        <ComboField
            label
            value=derived(move || form.with(|form| form.text(value).to_owned()))
            choices=Signal::stored(choices)
            on_change=move |text| form.update(|form| _ = form.texts.insert(value, text))
            hint=hint
            error=derived(move || error.get().unwrap_or_default())
        />
    }
    .into_any()
}

/// The values of the form.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct InstallForm {
    /// The request, except the texts below.
    request: InstallRequest,
    /// As typed.
    texts: HashMap<InstallValue, String>,
    /// The initial channel, if the request names a bundle that was selected in it.
    bundle_channel: Option<String>,
}

impl InstallForm {
    /// Returns the initial values for a selection in a package, completed from the upgrade
    /// question. A selected bundle becomes the first and only one to be installed.
    fn initial(view: &PackageView, target: &Target, question: &UpgradeQuestion) -> Self {
        let (channel, bundle) = match target {
            Target::Package | Target::Problem { .. } => (None, None),
            Target::Channel { channel } => (Some(channel.clone()), None),
            Target::Entry { channel, name } => (Some(channel.clone()), Some(name)),
            Target::Bundle { name } => (preferred_channel(view, name), Some(name)),
        };
        let selected =
            bundle.and_then(|name| view.bundles.iter().find(|(bundle, _)| bundle == name));
        let (starting_csv, range) = match selected {
            Some((name, version)) => (name.clone(), version.clone()),
            None if channel.is_some() => Default::default(),
            None => (question.starting_csv.clone(), question.range.clone()),
        };
        let channel = channel.unwrap_or_else(|| match question.lens {
            Lens::V0 => question.channel.clone(),
            Lens::V1 => question.channels.join(", "),
        });
        Self {
            request: InstallRequest {
                root: view.root.clone(),
                package: view.package.clone(),
                lens: question.lens,
                starting_csv,
                range,
                // Otherwise the selected bundle would be upgraded at once.
                approval: if selected.is_some() {
                    Approval::Manual
                } else {
                    question.approval
                },
                policy: question.policy,
                ..InstallRequest::default()
            },
            bundle_channel: selected.is_some().then(|| channel.clone()),
            texts: HashMap::from([(InstallValue::Channel, channel)]),
        }
    }

    /// Returns the request, or what is missing.
    fn request(&self) -> Result<InstallRequest, &'static str> {
        let text = |value| self.text(value).trim().to_owned();
        let image = text(InstallValue::CatalogImage);
        if image.is_empty() {
            return Err("Type the image that the catalog is pushed to.");
        }
        let channel = text(InstallValue::Channel);
        let mut request = self.request.clone();
        if self
            .bundle_channel
            .as_ref()
            .is_some_and(|initial| *initial != channel)
        {
            // Another channel may not list the selected bundle.
            request.starting_csv.clear();
            request.range.clear();
        }
        Ok(InstallRequest {
            image,
            namespace: text(InstallValue::Namespace),
            channels: match self.request.lens {
                Lens::V0 if channel.is_empty() => Vec::new(),
                Lens::V0 => vec![channel],
                Lens::V1 => parse_names(&channel),
            },
            ..request
        })
    }

    fn text(&self, value: InstallValue) -> &str {
        self.texts.get(&value).map_or("", String::as_str)
    }

    fn file_name(&self) -> String {
        let olm = if self.request.lens == Lens::V1 {
            "olm-v1"
        } else {
            "olm-classic"
        };
        format!("{}-{olm}.yaml", self.request.package)
    }
}

/// Returns the error of the field with the refused value; "" for other fields.
fn field_error(refusal: &InstallRefusal, value: InstallValue) -> String {
    if refusal.value != Some(value) {
        return String::new();
    }
    let reason = capitalize(&refusal.reason.replace('`', ""));
    format!("{reason}: {}", refusal.help.replace('`', ""))
}

/// Returns a channel that lists a bundle, preferably the default channel.
fn preferred_channel(view: &PackageView, name: &str) -> Option<String> {
    let mut listing = view
        .table
        .iter()
        .filter(|row| row.entry == name && !row.is_absent())
        .map(|row| &row.channel);
    let first = listing.clone().next();
    listing
        .find(|channel| **channel == view.default_channel)
        .or(first)
        .cloned()
}

#[component]
fn Manifests(
    answer: InstallAnswer,
    /// What the form lacks.
    missing: Signal<Option<&'static str>>,
) -> impl IntoView {
    let content = move || {
        match (missing.get(), answer.get()) {
        (Some(missing), _) => view! { <p class="preview-note">{missing}</p> }.into_any(),
        (None, None) => view! { <p class="preview-note">"Writing the manifests…"</p> }.into_any(),
        (None, Some(Err(refusal))) => view! {
            <div class="refusal">
                {refusal_text("The manifests cannot be written: ", &refusal.reason, &refusal.help, None)}
            </div>
        }
        .into_any(),
        (None, Some(Ok(manifests))) => manifests_view(manifests),
    }
    };
    announce::follow(move || answer.with(announcement));
    view! {
        <section class="preview" aria-label="Manifests" tabindex="0">{content}</section>
    }
    .into_any()
}

fn manifests_view(manifests: InstallManifests) -> AnyView {
    let InstallManifests {
        yaml,
        remarks,
        bundle,
    } = manifests;
    view! {
        {(!bundle.is_empty()).then(|| view! { <p>"Installs "<code>{bundle}</code>" first."</p> })}
        {(!remarks.is_empty())
            .then(|| {
                view! {
                    <ul class="install-remarks" aria-label="What to know">
                        {remarks.into_iter().map(|remark| view! { <li>{in_code(&remark)}</li> }).collect_view()}
                    </ul>
                }
            })}
        <pre class="install-yaml">{yaml}</pre>
    }
    .into_any()
}

/// Summarizes the manifests in one line, for screen readers.
fn announcement(answer: Option<&Result<InstallManifests, InstallRefusal>>) -> String {
    match answer {
        None => String::new(),
        Some(Err(refusal)) => format!("The manifests cannot be written: {}", refusal.reason),
        Some(Ok(manifests)) => {
            let objects = manifests.yaml.lines().filter(|line| *line == "---").count();
            let remarks = manifests.remarks.len();
            format!(
                "{}, {}",
                words::count(objects as u32, "object"),
                words::count(remarks as u32, "remark")
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::views::{EntryState, Policy, TableRow};
    fn view() -> PackageView {
        let row = |channel: &str, entry: &str, states: &[EntryState]| TableRow {
            channel: channel.into(),
            entry: entry.into(),
            states: states.to_vec(),
            ..TableRow::default()
        };
        PackageView {
            root: "c".into(),
            package: "p".into(),
            default_channel: "stable".into(),
            bundles: vec![
                ("p.v2".into(), "2.0.0".into()),
                ("p.v1".into(), "1.0.0".into()),
            ],
            table: vec![
                row("alpha", "p.v2", &[]),
                row("stable", "p.v2", &[EntryState::Head]),
                row("stable", "p.v1", &[EntryState::Absent]),
                row("fast", "p.v1", &[]),
            ],
            ..PackageView::default()
        }
    }

    fn initial(target: &Target, question: &UpgradeQuestion) -> InstallRequest {
        let mut form = InstallForm::initial(&view(), target, question);
        form.texts
            .insert(InstallValue::CatalogImage, " quay.io/me/catalog:v1 ".into());
        form.request().unwrap()
    }

    #[test]
    fn starts_with_the_selected_entry() {
        let question = UpgradeQuestion::default();
        let request = initial(&Target::Package, &question);
        assert_eq!(
            (
                request.package.as_str(),
                request.root.as_str(),
                request.channels.len()
            ),
            ("p", "c", 0)
        );
        assert_eq!(request.image, "quay.io/me/catalog:v1");
        let request = initial(
            &Target::Channel {
                channel: "fast".into(),
            },
            &question,
        );
        assert_eq!(
            (request.channels, request.starting_csv),
            (vec!["fast".to_owned()], String::new())
        );
        let request = initial(
            &Target::Bundle {
                name: "p.v2".into(),
            },
            &question,
        );
        assert_eq!(
            (request.channels, request.starting_csv.as_str()),
            (vec!["stable".to_owned()], "p.v2")
        );
        assert_eq!(
            request.approval,
            Approval::Manual,
            "else it is upgraded at once"
        );
        let request = initial(
            &Target::Bundle {
                name: "p.v1".into(),
            },
            &question,
        );
        assert_eq!(
            request.channels,
            ["fast"],
            "the default channel only mentions it"
        );
        let v1 = UpgradeQuestion {
            lens: Lens::V1,
            ..question
        };
        let request = initial(
            &Target::Entry {
                channel: "alpha".into(),
                name: "p.v2".into(),
            },
            &v1,
        );
        assert_eq!(
            (request.channels, request.range.as_str()),
            (vec!["alpha".to_owned()], "2.0.0")
        );
    }

    #[test]
    fn without_a_selection_the_question_supplies_the_values() {
        let question = UpgradeQuestion {
            lens: Lens::V1,
            channels: vec!["a".into(), "b".into()],
            range: "~1".into(),
            policy: Policy::SelfCertified,
            ..UpgradeQuestion::default()
        };
        let request = initial(&Target::Package, &question);
        assert_eq!(
            (request.channels, request.range.as_str()),
            (question.channels.clone(), "~1")
        );
        assert_eq!(request.policy, Policy::SelfCertified);
        let classic = UpgradeQuestion {
            channel: "fast".into(),
            approval: Approval::Manual,
            ..UpgradeQuestion::default()
        };
        let request = initial(&Target::Package, &classic);
        assert_eq!(
            (request.channels, request.approval),
            (vec!["fast".to_owned()], Approval::Manual)
        );
    }

    #[test]
    fn each_field_sets_a_value_of_the_request() {
        let mut form = InstallForm::initial(&view(), &Target::Package, &UpgradeQuestion::default());
        assert!(form.request().unwrap_err().starts_with("Type the image"));
        for (value, text) in [
            (InstallValue::CatalogImage, "a/b:v1"),
            (InstallValue::Channel, "fast"),
            (InstallValue::Namespace, "lamp "),
        ] {
            form.texts.insert(value, text.into());
        }
        let request = form.request().unwrap();
        assert_eq!(request.image, "a/b:v1");
        assert_eq!(
            (request.channels, request.namespace),
            (vec!["fast".to_owned()], "lamp".to_owned())
        );
        assert_eq!(form.file_name(), "p-olm-classic.yaml");
    }

    #[test]
    fn a_refusal_is_shown_at_its_field() {
        let refusal = InstallRefusal {
            value: Some(InstallValue::Namespace),
            reason: "`No` is not the name of a namespace".into(),
            help: "use `a-z`".into(),
        };
        assert_eq!(
            field_error(&refusal, InstallValue::Namespace),
            "No is not the name of a namespace: use a-z"
        );
        assert_eq!(field_error(&refusal, InstallValue::Channel), "");
        let refusal = InstallRefusal {
            reason: "channel `x` has no bundle".into(),
            ..refusal
        };
        assert_eq!(
            field_error(&refusal, InstallValue::Namespace),
            "Channel x has no bundle: use a-z"
        );
    }

    #[test]
    fn spoken_text_summarizes_the_manifests() {
        let manifests = InstallManifests {
            yaml: "---\na: 1\n---\nb: 2\n".into(),
            ..InstallManifests::default()
        };
        assert_eq!(announcement(Some(&Ok(manifests))), "2 objects, 0 remarks");
        let refusal = InstallRefusal {
            reason: "no".into(),
            ..InstallRefusal::default()
        };
        assert_eq!(
            announcement(Some(&Err(refusal))),
            "The manifests cannot be written: no"
        );
        assert_eq!(announcement(None), "");
    }
}
