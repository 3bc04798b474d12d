//! *Try on a cluster…*: installation settings on the left; on the right the manifests with remarks,
//! or the reason why there are none. They can be copied or saved as a file. The session does not
//! change.

use crate::components::preview::revision;
use crate::context::{AppContext, app_context, debounced_query, is_answered, submit_when_ready};
use crate::edits::form_values::{is_absent, names};
use crate::reactive::{effect, memo};
use crate::widgets::buttons::{Button, Look, Segmented};
use crate::widgets::combobox::Choice as Suggestion;
use crate::widgets::dialog::{Dialog, Size};
use crate::widgets::fields::{ComboField, SelectField};
use crate::widgets::icon::Icon;
use crate::widgets::short_text::in_code;
use crate::widgets::{announce, dom};
use crate::words;
use leptos::html;
use leptos::prelude::*;
use protocol::manifests::{InstallManifests, InstallRefusal, InstallRequest, InstallValue};
use protocol::request::Target;
use protocol::response::{OperationRefusal, PackageView};
use protocol::views::{Approval, Lens, Policy, UpgradeQuestion};

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
    let request = memo(move |_| form.with(InstallForm::request));
    let revision = revision(app);
    let wanted = Signal::derive(move || Some((request.get().ok()?, revision.get())));
    let answered = debounced_query(wanted, move |(request, revision)| async move {
        let answer = app.store.ask(request.clone()).await;
        let answer = answer.unwrap_or_else(|error| {
            let OperationRefusal { reason, help, .. } = error.into();
            Err(InstallRefusal {
                value: None,
                reason,
                help,
            })
        });
        Some(((request, revision), answer))
    });
    let answer: Found = Signal::derive(move || {
        answered.with(|answered| answered.as_ref().map(|(_, answer)| answer.clone()))
    });
    let cannot = Signal::derive(move || {
        answered.with(|answered| {
            let is_refused = !matches!(answered, Some((_, Ok(_))));
            let is_present = wanted.with(|wanted| is_answered(wanted.as_ref(), answered));
            answered.is_none() || (is_refused && is_present)
        })
    });
    let copy = submit_when_ready(wanted, answered, move |_, answer| {
        if let Ok(manifests) = answer {
            app.exports
                .copy_text(manifests.yaml, "Manifests copied.".to_owned());
        }
    });
    let download = submit_when_ready(wanted, answered, move |_, answer| {
        if let Ok(manifests) = answer {
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
                    {move || fields(app, form, answer, lens.get())}
                </div>
                <Manifests answer missing=Signal::derive(move || request.get().err())/>
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

/// Renders the fields of one lens.
fn fields(app: AppContext, form: RwSignal<InstallForm>, answer: Found, is_v1: bool) -> AnyView {
    let text = move |value, label, hint| text_field(app, form, answer, (value, label, hint));
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
    answer: Found,
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
        answer.with(|answer| {
            answer
                .as_ref()
                .and_then(|answer| answer.as_ref().err())
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
            hint=hint
            error=Signal::derive(move || error.get().unwrap_or_default())
        />
    }
    .into_any()
}

/// Renders a choice. `options` are keys and labels for no and yes.
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

/// The values of the form.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct InstallForm {
    /// The request, except image, channels and target namespaces.
    request: InstallRequest,
    /// Whether the cluster already has the catalog.
    is_there: bool,
    image: String,
    /// For a Subscription.
    channel: String,
    /// For a ClusterExtension, as typed.
    channels: String,
    /// As typed.
    target_namespaces: String,
}

impl InstallForm {
    /// Returns the initial values for a selection in a package, completed from the upgrade
    /// question. A selected bundle becomes the first and only one to be installed.
    fn begun(view: &PackageView, target: &Target, question: &UpgradeQuestion) -> Self {
        let (channel, bundle) = match target {
            Target::Package | Target::Problem { .. } => (None, None),
            Target::Channel { channel } => (Some(channel.clone()), None),
            Target::Entry { channel, name } => (Some(channel.clone()), Some(name)),
            Target::Bundle { name } => (channel_of(view, name), Some(name)),
        };
        let known = bundle.and_then(|name| view.bundles.iter().find(|(known, _)| known == name));
        let (starting_csv, range, approval) = match known {
            Some((name, version)) => (name.clone(), version.clone(), Approval::Manual),
            None if channel.is_some() => (String::new(), String::new(), question.approval),
            None => (
                question.starting_csv.clone(),
                question.range.clone(),
                question.approval,
            ),
        };
        Self {
            channels: channel
                .clone()
                .unwrap_or_else(|| question.channels.join(", ")),
            channel: channel.unwrap_or_else(|| question.channel.clone()),
            request: InstallRequest {
                root: view.root.clone(),
                package: view.package.clone(),
                lens: question.lens,
                starting_csv,
                range,
                approval,
                policy: question.policy,
                ..InstallRequest::default()
            },
            ..Self::default()
        }
    }

    /// Returns the request, or what is missing.
    fn request(&self) -> Result<InstallRequest, &'static str> {
        let image = self.image.trim();
        if !self.is_there && image.is_empty() {
            return Err(
                "Type the image that the catalog is pushed to, or set Catalog to 'on the cluster already'.",
            );
        }
        if self.is_there && self.request.catalog_name.trim().is_empty() {
            return Err("Type the name that the catalog has on the cluster.");
        }
        let mut request = self.request.clone();
        for text in [
            &mut request.namespace,
            &mut request.catalog_name,
            &mut request.catalog_namespace,
            &mut request.starting_csv,
            &mut request.range,
            &mut request.service_account,
        ] {
            *text = text.trim().to_owned();
        }
        request.image = (!self.is_there).then(|| image.to_owned());
        request.target_namespaces = names(&self.target_namespaces);
        request.channels = match request.lens {
            Lens::V0 => Some(self.channel.trim().to_owned())
                .filter(|name| !name.is_empty())
                .into_iter()
                .collect(),
            Lens::V1 => names(&self.channels),
        };
        Ok(request)
    }

    /// Returns the text of a value.
    fn text(&self, value: InstallValue) -> &str {
        let request = &self.request;
        match value {
            InstallValue::Namespace => &request.namespace,
            InstallValue::CatalogImage => &self.image,
            InstallValue::CatalogName => &request.catalog_name,
            InstallValue::CatalogNamespace => &request.catalog_namespace,
            InstallValue::Channel if request.lens == Lens::V1 => &self.channels,
            InstallValue::Channel => &self.channel,
            InstallValue::StartingCsv => &request.starting_csv,
            InstallValue::TargetNamespaces => &self.target_namespaces,
            InstallValue::Range => &request.range,
            InstallValue::ServiceAccount => &request.service_account,
        }
    }

    fn set(&mut self, value: InstallValue, text: String) {
        let request = &mut self.request;
        *match value {
            InstallValue::Namespace => &mut request.namespace,
            InstallValue::CatalogImage => &mut self.image,
            InstallValue::CatalogName => &mut request.catalog_name,
            InstallValue::CatalogNamespace => &mut request.catalog_namespace,
            InstallValue::Channel if request.lens == Lens::V1 => &mut self.channels,
            InstallValue::Channel => &mut self.channel,
            InstallValue::StartingCsv => &mut request.starting_csv,
            InstallValue::TargetNamespaces => &mut self.target_namespaces,
            InstallValue::Range => &mut request.range,
            InstallValue::ServiceAccount => &mut request.service_account,
        } = text;
    }

    /// Whether the named option is selected.
    fn choice(&self, choice: Choice) -> bool {
        match choice {
            Choice::V1 => self.request.lens == Lens::V1,
            Choice::Manual => self.request.approval == Approval::Manual,
            Choice::SelfCertified => self.request.policy == Policy::SelfCertified,
            Choice::There => self.is_there,
        }
    }

    fn choose(&mut self, choice: Choice, is_so: bool) {
        match choice {
            Choice::V1 => self.request.lens = if is_so { Lens::V1 } else { Lens::V0 },
            Choice::Manual => {
                self.request.approval = if is_so {
                    Approval::Manual
                } else {
                    Approval::Automatic
                }
            }
            Choice::SelfCertified => {
                self.request.policy = if is_so {
                    Policy::SelfCertified
                } else {
                    Policy::CatalogProvided
                };
            }
            Choice::There => self.is_there = is_so,
        }
    }

    fn file_name(&self) -> String {
        let olm = if self.request.lens == Lens::V1 {
            "olm-v1"
        } else {
            "olm-classic"
        };
        format!("{}-{olm}.yaml", self.request.package)
    }

    fn package(&self) -> &str {
        &self.request.package
    }
}

/// A choice between two options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Choice {
    V1,
    Manual,
    SelfCertified,
    /// Whether the cluster already has the catalog.
    There,
}

/// Returns the error of the field with the refused value; "" for other fields.
fn fault(refusal: &InstallRefusal, value: InstallValue) -> String {
    if refusal.value != Some(value) {
        return String::new();
    }
    let reason = refusal.reason.replace('`', "");
    let mut letters = reason.chars();
    let reason: String = letters
        .next()
        .into_iter()
        .flat_map(char::to_uppercase)
        .chain(letters)
        .collect();
    format!("{reason}: {}", refusal.help.replace('`', ""))
}

/// Returns a channel that lists a bundle, preferably the default channel.
fn channel_of(view: &PackageView, name: &str) -> Option<String> {
    let mut listing = view
        .table
        .iter()
        .filter(|row| row.entry == name && !is_absent(row))
        .map(|row| &row.channel);
    let first = listing.clone().next();
    listing
        .find(|channel| **channel == view.default_channel)
        .or(first)
        .cloned()
}

#[component]
fn Manifests(
    #[prop(into)] answer: Signal<Option<Result<InstallManifests, InstallRefusal>>>,
    /// What the form lacks.
    #[prop(into)]
    missing: Signal<Option<&'static str>>,
) -> impl IntoView {
    let content = move || {
        match (missing.get(), answer.get()) {
        (Some(missing), _) => view! { <p class="preview-note">{missing}</p> }.into_any(),
        (None, None) => view! { <p class="preview-note">"Writing the manifests…"</p> }.into_any(),
        (None, Some(Err(refusal))) => view! {
            <div class="refusal">
                <p><strong>"The manifests cannot be written: "</strong>{in_code(&refusal.reason)}</p>
                <p>{in_code(&refusal.help)}</p>
            </div>
        }
        .into_any(),
        (None, Some(Ok(written))) => text(written),
    }
    };
    announce::follow(move || answer.with(announcement));
    view! {
        <section class="preview" aria-label="Manifests" tabindex="0">{content}</section>
    }
    .into_any()
}

fn text(written: InstallManifests) -> AnyView {
    let InstallManifests {
        yaml,
        remarks,
        bundle,
    } = written;
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
fn announcement(answer: &Option<Result<InstallManifests, InstallRefusal>>) -> String {
    match answer {
        None => String::new(),
        Some(Err(refusal)) => format!("The manifests cannot be written: {}", refusal.reason),
        Some(Ok(written)) => {
            let objects = written.yaml.lines().filter(|line| *line == "---").count();
            let remarks = written.remarks.len();
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
    use protocol::views::TableRow;
    fn view() -> PackageView {
        let row = |channel: &str, entry: &str, state: &[&str]| TableRow {
            channel: channel.into(),
            entry: entry.into(),
            state: state.iter().map(ToString::to_string).collect(),
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
                row("stable", "p.v2", &["head"]),
                row("stable", "p.v1", &["not in this channel"]),
                row("fast", "p.v1", &[]),
            ],
            ..PackageView::default()
        }
    }

    fn begun(target: &Target, question: &UpgradeQuestion) -> InstallRequest {
        let mut form = InstallForm::begun(&view(), target, question);
        form.set(InstallValue::CatalogImage, " quay.io/me/catalog:v1 ".into());
        form.request().unwrap()
    }

    #[test]
    fn starts_with_the_selected_entry() {
        let question = UpgradeQuestion::default();
        let request = begun(&Target::Package, &question);
        assert_eq!(
            (
                request.package.as_str(),
                request.root.as_str(),
                request.channels.len()
            ),
            ("p", "c", 0)
        );
        assert_eq!(request.image.as_deref(), Some("quay.io/me/catalog:v1"));
        let request = begun(
            &Target::Channel {
                channel: "fast".into(),
            },
            &question,
        );
        assert_eq!(
            (request.channels, request.starting_csv),
            (vec!["fast".to_owned()], String::new())
        );
        let request = begun(
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
        let request = begun(
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
        let request = begun(
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
        let request = begun(&Target::Package, &question);
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
        let request = begun(&Target::Package, &classic);
        assert_eq!(
            (request.channels, request.approval),
            (vec!["fast".to_owned()], Approval::Manual)
        );
    }

    #[test]
    fn each_field_is_a_value_of_the_request() {
        let mut form = InstallForm::begun(&view(), &Target::Package, &UpgradeQuestion::default());
        assert!(form.request().unwrap_err().starts_with("Type the image"));
        form.choose(Choice::There, true);
        assert!(form.request().unwrap_err().starts_with("Type the name"));
        let values = [
            InstallValue::Namespace,
            InstallValue::CatalogImage,
            InstallValue::CatalogName,
            InstallValue::CatalogNamespace,
            InstallValue::Channel,
            InstallValue::StartingCsv,
            InstallValue::TargetNamespaces,
            InstallValue::Range,
            InstallValue::ServiceAccount,
        ];
        for value in values {
            form.set(value, format!("{value:?}"));
        }
        for value in values {
            assert_eq!(form.text(value), format!("{value:?}"));
        }
        form.set(InstallValue::TargetNamespaces, "a, b".into());
        let request = form.request().unwrap();
        assert_eq!(
            (request.image, request.target_namespaces),
            (None, vec!["a".to_owned(), "b".to_owned()])
        );
        assert_eq!(request.channels, ["Channel"]);
        assert_eq!(form.file_name(), "p-olm-classic.yaml");
        for choice in [
            Choice::V1,
            Choice::Manual,
            Choice::SelfCertified,
            Choice::There,
        ] {
            form.choose(choice, true);
            assert!(form.choice(choice));
            form.choose(choice, false);
            assert!(!form.choice(choice));
        }
    }

    #[test]
    fn a_refusal_is_shown_at_its_field() {
        let refusal = InstallRefusal {
            value: Some(InstallValue::Namespace),
            reason: "`No` is not the name of a namespace".into(),
            help: "use `a-z`".into(),
        };
        assert_eq!(
            fault(&refusal, InstallValue::Namespace),
            "No is not the name of a namespace: use a-z"
        );
        assert_eq!(fault(&refusal, InstallValue::Range), "");
        let refusal = InstallRefusal {
            reason: "channel `x` has no bundle".into(),
            ..refusal
        };
        assert_eq!(
            fault(&refusal, InstallValue::Namespace),
            "Channel x has no bundle: use a-z"
        );
    }

    #[test]
    fn spoken_text_summarizes_the_manifests() {
        let written = InstallManifests {
            yaml: "---\na: 1\n---\nb: 2\n".into(),
            ..InstallManifests::default()
        };
        assert_eq!(announcement(&Some(Ok(written))), "2 objects, 0 remarks");
        let refusal = InstallRefusal {
            reason: "no".into(),
            ..InstallRefusal::default()
        };
        assert_eq!(
            announcement(&Some(Err(refusal))),
            "The manifests cannot be written: no"
        );
        assert_eq!(announcement(&None), "");
    }
}
