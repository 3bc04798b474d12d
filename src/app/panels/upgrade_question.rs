//! The upgrade question of the package in view.
//!
//! *Cluster version* applies to both lenses, like *Installed* in the header. The other fields are a
//! Subscription for Classic (channel, approval, starting CSV) and a ClusterExtension for OLM v1
//! (channels, version range, policy). The question is one line until opened, and then a row of
//! fields with equal height under both lenses.

use crate::edits::form_values::parse_names;
use crate::prelude::*;
use crate::widgets::buttons::Segmented;
use crate::widgets::combobox::{Choice, Combobox};
use crate::widgets::dom::field_text;
use protocol::counting::first_of;
use protocol::query::AdmittedVersions;
use protocol::views::{Approval, Lens, Origin, Policy, RangePin, RangeView, UpgradeQuestion};

const MAX_NAMED_VERSIONS: usize = 6;

#[component]
pub fn UpgradeQueryBar() -> impl IntoView {
    let app = app_context();
    let has_package = move || app.current.package.with(|package| !package.is_empty());
    let lens = question_part(app, |question| question.lens);
    // `None` until the user opens or closes the fields.
    let opened = RwSignal::new(None::<bool>);
    let is_specific = question_part(app, |question| !is_default_question(question));
    let is_open = memo(move |_| opened.get().unwrap_or(is_specific.get()));
    let summary = move || {
        let default = app.current.view.with(|view| view.default_channel.clone());
        question_summary(&app.store.question_in_view(), &default)
    };
    view! {
        <Show when=has_package>
            <div class="question-row" data-open=move || is_open.get().to_string()>
                <button
                    type="button"
                    class="question-toggle"
                    aria-expanded=move || is_open.get().to_string()
                    aria-label=move || is_open.get().then_some("Upgrade question")
                    title=move || if is_open.get() { "Close the upgrade question" } else { "Ask about other clusters" }
                    on:click=move |_| opened.set(Some(!is_open.get_untracked()))
                >
                    {move || {
                        let icon = if is_open.get() { Icon::ChevronUp } else { Icon::ChevronDown };
                        view! { <Glyph icon/> }
                    }}
                    {move || (!is_open.get()).then(|| view! { <span class="question-words">{summary()}</span> })}
                </button>
                {move || match (is_open.get(), lens.get()) {
                    (false, _) => ().into_any(),
                    (true, Lens::V0) => view! { <Subscription app/> }.into_any(),
                    (true, Lens::V1) => view! { <ClusterExtension app/> }.into_any(),
                }}
            </div>
        </Show>
    }
    .into_any()
}

fn question_part<T: PartialEq + Send + Sync + 'static>(
    app: AppContext,
    part: fn(&UpgradeQuestion) -> T,
) -> Memo<T> {
    memo(move |_| app.store.question.with(part))
}

/// Whether the question has its default values. Ignores the lens, which is chosen elsewhere and
/// opens no fields.
fn is_default_question(question: &UpgradeQuestion) -> bool {
    let default = UpgradeQuestion {
        lens: question.lens,
        ..UpgradeQuestion::default()
    };
    *question == default
}

/// Formats the question in one line. `default_channel` is that of the package.
fn question_summary(question: &UpgradeQuestion, default_channel: &str) -> String {
    let mut parts = match question.lens {
        Lens::V0 => {
            let channel = if question.channel.is_empty() {
                default_channel
            } else {
                question.channel.as_str()
            };
            let approval = match question.approval {
                Approval::Automatic => "automatic approval",
                Approval::Manual => "manual approval",
            };
            // The package may be unreadable.
            let subscription = format!("Subscription to {channel}");
            let subscription = subscription.trim_end_matches(" to ").to_owned();
            vec![subscription, approval.to_owned()]
        }
        Lens::V1 => {
            let source = words::name_channels(&question.channels);
            let range = if question.range.is_empty() {
                "any version"
            } else {
                question.range.as_str()
            };
            vec!["ClusterExtension".to_owned(), source, range.to_owned()]
        }
    };
    if question.lens == Lens::V0 && !question.starting_csv.is_empty() {
        parts.push(format!("starting with {}", question.starting_csv));
    }
    if question.policy == Policy::SelfCertified && question.lens == Lens::V1 {
        parts.push("SelfCertified".to_owned());
    }
    parts.push(match question.cluster.as_str() {
        "" => "any cluster version".to_owned(),
        version => format!("OpenShift {version}"),
    });
    parts.join(" · ")
}

#[component]
fn Subscription(app: AppContext) -> impl IntoView {
    let is_fresh = question_part(app, |question| question.origin == Origin::Fresh);
    view! {
        <div class="question" role="group" aria-label="Subscription">
            <div class="question-fields">
            <span class="question-field">
                <label class="question-label" for="question-channel">"Subscribed channel"</label>
                <SubscribedChannel app/>
            </span>
            <QuestionChoice
                label="Approval"
                name="Approval"
                options=&[("automatic", "Automatic"), ("manual", "Manual")]
                selected=derived(move || match app.store.question.with(|question| question.approval) {
                    Approval::Automatic => "automatic",
                    Approval::Manual => "manual",
                })
                on_select=move |key| app.ask_upgrade(|question| {
                    question.approval = if key == "manual" { Approval::Manual } else { Approval::Automatic };
                })
            />
            <Show when=move || is_fresh.get()>
                <StartingCsv app/>
            </Show>
            <ClusterVersion app/>
            </div>
        </div>
    }
    .into_any()
}

#[component]
fn ClusterVersion(app: AppContext) -> impl IntoView {
    let current = question_part(app, |question| question.cluster.clone());
    let typed = RwSignal::new(None::<String>);
    let submit = move |()| {
        if let Some(text) = typed.get_untracked() {
            typed.set(None);
            app.ask_upgrade(|question| question.cluster = text.trim().to_owned());
        }
    };
    let error = memo(move |_| {
        app.current.view.with(|view| match &view.answer.cluster {
            Some(Err(error)) => error.replace('`', ""),
            _ => String::new(),
        })
    });
    announce::follow_alert(move || error.get());
    view! {
        <span class="question-field">
            <QuestionText
                label="Cluster version"
                id="question-cluster"
                placeholder="any, or 4.18.3"
                title="The cluster's OpenShift version, to show what blocks its update and what does not start on it"
                note="question-cluster-fault"
                is_wrong=derived(move || error.with(|error| !error.is_empty()))
                text=derived(move || typed.get().unwrap_or_else(|| current.get()))
                on_type=move |text| typed.set(Some(text))
                ask=submit
            />
            <span class="admitted-error" id="question-cluster-fault">{move || error.get()}</span>
        </span>
    }
    .into_any()
}

/// A part of the question with a few fixed values. `name` is its accessible name.
#[component]
fn QuestionChoice(
    label: &'static str,
    name: &'static str,
    options: &'static [(&'static str, &'static str)],
    selected: Signal<&'static str>,
    #[prop(into)] on_select: Callback<&'static str>,
) -> impl IntoView {
    view! {
        <span class="question-field">
            <span class="question-label" aria-hidden="true">{label}</span>
            <Segmented label=name options selected on_select/>
        </span>
    }
    .into_any()
}

/// A part of the question that names something, with suggestions. `ask` receives the typed text.
#[component]
fn QuestionNames(
    label: &'static str,
    id: &'static str,
    placeholder: &'static str,
    current: Memo<String>,
    choices: Signal<Vec<Choice>>,
    #[prop(into)] ask: Callback<String>,
) -> impl IntoView {
    let text = RwSignal::new(String::new());
    effect(move |_| text.set(current.get()));
    view! {
        <span class="question-field">
            <label class="question-label" for=id>{label}</label>
            <Combobox
                id
                value=text
                choices
                placeholder
                on_change=move |typed| text.set(typed)
                on_done=Callback::new(move |()| ask.run(text.get_untracked()))
            />
        </span>
    }
    .into_any()
}

/// A line of text of the question. `note` is the id of the element that describes it.
#[component]
fn QuestionText(
    label: &'static str,
    id: &'static str,
    placeholder: &'static str,
    #[prop(optional)] title: Option<&'static str>,
    note: &'static str,
    is_wrong: Signal<bool>,
    text: Signal<String>,
    #[prop(into)] on_type: Callback<String>,
    #[prop(into)] ask: Callback<()>,
) -> impl IntoView {
    view! {
        <label class="question-label" for=id>{label}</label>
        <input
            class="field-input"
            id=id
            type="text"
            spellcheck="false"
            autocomplete="off"
            placeholder=placeholder
            title=title
            aria-describedby=note
            aria-invalid=move || is_wrong.get().then_some("true")
            use:field_text=text
            on:input=move |event| on_type.run(event_target_value(&event))
            on:change=move |_| ask.run(())
            on:keydown=move |event| {
                if event.key() == "Enter" {
                    ask.run(());
                }
            }
        />
    }
    .into_any()
}

#[component]
fn SubscribedChannel(app: AppContext) -> impl IntoView {
    let subscribed = memo(move |_| app.store.question_in_view().channel);
    let channels = memo(move |_| {
        app.current
            .view
            .with(|view| (view.channels.clone(), view.default_channel.clone()))
    });
    view! {
        <select
            class="field-input"
            id="question-channel"
            on:change=move |event| {
                let channel = event_target_value(&event);
                app.ask_upgrade(|question| question.channel = channel);
            }
        >
            {move || {
                let (mut names, default) = channels.get();
                // A Subscription may follow a channel that the package no longer has.
                let missing =
                    Some(subscribed.get()).filter(|name| !name.is_empty() && !names.contains(name));
                names.extend(missing.clone());
                names
                    .into_iter()
                    .map(|name| {
                        let is_default = name == default;
                        let (value, option_value) = (name.clone(), name.clone());
                        let is_selected = move || {
                            subscribed.with(|channel| *channel == value || channel.is_empty() && is_default)
                        };
                        let text = if is_default {
                            format!("{name} (default)")
                        } else if missing.as_ref() == Some(&name) {
                            format!("{name} (not in this package)")
                        } else {
                            name
                        };
                        view! { <option value=option_value prop:selected=is_selected>{text}</option> }
                    })
                    .collect_view()
            }}
        </select>
    }
    .into_any()
}

/// The first bundle of a fresh install.
#[component]
fn StartingCsv(app: AppContext) -> impl IntoView {
    let current = question_part(app, |question| question.starting_csv.clone());
    let choices = derived(move || {
        app.current.view.with(|view| {
            view.bundles
                .iter()
                .map(|(name, version)| Choice::new(name, version))
                .collect::<Vec<_>>()
        })
    });
    let ask = move |text: String| {
        app.ask_upgrade(|question| question.starting_csv = text.trim().to_owned());
    };
    view! {
        <QuestionNames
            label="Starting CSV"
            id="question-starting"
            placeholder="the channel's head"
            current
            choices
            ask
        />
    }
}

#[component]
fn ClusterExtension(app: AppContext) -> impl IntoView {
    let current = question_part(app, |question| question.channels.join(", "));
    let choices = derived(move || {
        app.current.view.with(|view| {
            view.channels
                .iter()
                .map(|name| Choice::new(name, ""))
                .collect::<Vec<_>>()
        })
    });
    let ask_channels =
        move |text: String| app.ask_upgrade(|question| question.channels = parse_names(&text));
    // Discard an unsubmitted range when the lens changes.
    on_cleanup(move || app.draft_query.type_range(None));
    let range_view = query_admitted_versions(app);
    // Show matching versions only if there is a range.
    let has_range = move || {
        app.draft_query.range.with(Option::is_some)
            || app
                .store
                .question
                .with(|question| !question.range.is_empty())
    };
    view! {
        <div class="question" role="group" aria-label="ClusterExtension" data-has-range=move || has_range().to_string()>
            <div class="question-fields">
            <QuestionNames
                label="Channels"
                id="question-channels"
                placeholder="any"
                current
                choices
                ask=ask_channels
            />
            <VersionRange app range_view/>
            <QuestionChoice
                label="Policy"
                name="Upgrade constraint policy"
                options=&[("catalog", "CatalogProvided"), ("self", "SelfCertified")]
                selected=derived(move || match app.store.question.with(|question| question.policy) {
                    Policy::CatalogProvided => "catalog",
                    Policy::SelfCertified => "self",
                })
                on_select=move |key| app.ask_upgrade(|question| {
                    question.policy = if key == "self" { Policy::SelfCertified } else { Policy::CatalogProvided };
                })
            />
            <ClusterVersion app/>
            </div>
            <div class="question-result">
                <p class="admitted" id="question-admitted">
                    {move || range_view.get().map(|range_view| view! { <Admitted range_view/> })}
                </p>
                <Pins app range_view/>
            </div>
        </div>
    }
    .into_any()
}

/// Queries the versions that the range admits, whenever the question or the session changes.
fn query_admitted_versions(app: AppContext) -> ReadSignal<Option<RangeView>> {
    let query = derived(move || {
        let view = app.current.view.get();
        let revision = app.store.status.revision();
        let question = UpgradeQuestion {
            lens: Lens::V1,
            ..app.draft_query.question.get()
        };
        let query = AdmittedVersions {
            root: view.root.clone(),
            package: view.package.clone(),
            question,
        };
        (!view.package.is_empty()).then_some((query, revision))
    });
    debounced_query(query, move |(query, _)| async move {
        app.store.ask(query).await.ok()
    })
}

fn submit_range(app: AppContext, range: &str) {
    app.draft_query.type_range(None);
    app.ask_upgrade(|question| question.range = range.trim().to_owned());
}

/// The version range, with matching versions while typing.
#[component]
fn VersionRange(app: AppContext, range_view: ReadSignal<Option<RangeView>>) -> impl IntoView {
    let current = question_part(app, |question| question.range.clone());
    let text = move || app.draft_query.range.get().unwrap_or_else(|| current.get());
    let ask = move |()| {
        if let Some(range) = app.draft_query.range.get_untracked() {
            submit_range(app, &range);
        }
    };
    let is_wrong = move || {
        range_view.with(|range_view| {
            range_view
                .as_ref()
                .is_some_and(|range_view| !range_view.error.is_empty())
        })
    };
    view! {
        <span class="question-field">
            <QuestionText
                label="Version range"
                id="question-range"
                placeholder="any, or >=1.2.0 <2.0.0"
                note="question-admitted"
                is_wrong=derived(is_wrong)
                text=derived(text)
                on_type=move |text| app.draft_query.type_range(Some(text))
                ask
            />
        </span>
    }
    .into_any()
}

/// Buttons for ranges that pin a version. A second press clears the range.
#[component]
fn Pins(app: AppContext, range_view: ReadSignal<Option<RangeView>>) -> impl IntoView {
    let current = question_part(app, |question| question.range.clone());
    let pins = memo(move |_| {
        range_view
            .with(|range_view| {
                range_view
                    .as_ref()
                    .map(|range_view| range_view.pins.clone())
            })
            .unwrap_or_default()
    });
    let pin = move |RangePin { range, meaning }: RangePin| {
        let range = StoredValue::new(range);
        let is_pinned =
            memo(move |_| current.with(|current| range.with_value(|range| current == range)));
        let name = format!("Pin to {}: {meaning}", range.get_value());
        let toggle = move |_| {
            let range = if is_pinned.get_untracked() {
                String::new()
            } else {
                range.get_value()
            };
            submit_range(app, &range);
        };
        view! {
            <button
                type="button"
                class="chip"
                title=meaning
                aria-label=name
                aria-pressed=move || is_pinned.get().to_string()
                on:click=toggle
            >
                <span class="mono">{range.get_value()}</span>
            </button>
        }
    };
    view! {
        <div class="pins" role="group" aria-label="Pin">
            {move || pins.get().into_iter().map(pin).collect_view()}
        </div>
    }
    .into_any()
}

#[component]
fn Admitted(range_view: RangeView) -> impl IntoView {
    if !range_view.error.is_empty() {
        return view! { <span class="admitted-error">{range_view.error}</span> }.into_any();
    }
    let left_out = range_view.left_out.len() as u32;
    view! {
        <span>{admission_note(&range_view)}</span>
        {(left_out > 0)
            .then(|| {
                let versions = list_versions(&range_view.left_out);
                let note = format!("leaves out {} ({versions}): the range names no pre-release", words::count(left_out, "pre-release"));
                view! { <span class="dim">{note}</span> }
            })}
        {(!range_view.refusal.is_empty()).then(|| view! { <span class="admitted-refusal">{range_view.refusal}</span> })}
    }
    .into_any()
}

/// Formats the admitted versions, e.g. `admits 3 of 20: 1.29.2, 1.29.1, 1.29.0`.
fn admission_note(range_view: &RangeView) -> String {
    if range_view.range.is_empty() {
        return format!("any of {}", words::count(range_view.total, "version"));
    }
    match range_view.admitted.len() {
        0 => format!(
            "admits none of {}",
            words::count(range_view.total, "version")
        ),
        count => format!(
            "admits {count} of {}: {}",
            range_view.total,
            list_versions(&range_view.admitted)
        ),
    }
}

fn list_versions(versions: &[String]) -> String {
    first_of(versions.iter(), MAX_NAMED_VERSIONS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_one_sentence() {
        let classic = UpgradeQuestion::default();
        assert_eq!(
            question_summary(&classic, "stable"),
            "Subscription to stable · automatic approval · any cluster version"
        );
        assert_eq!(
            question_summary(&classic, ""),
            "Subscription · automatic approval · any cluster version"
        );
        let v1 = UpgradeQuestion {
            lens: Lens::V1,
            channels: vec!["a".into(), "b".into()],
            range: ">=1".into(),
            policy: Policy::SelfCertified,
            cluster: "4.18".into(),
            ..classic
        };
        let expected = "ClusterExtension · channels a, b · >=1 · SelfCertified · OpenShift 4.18";
        assert_eq!(question_summary(&v1, "stable"), expected);
    }

    #[test]
    fn counts_and_names_the_admitted_versions() {
        let versions: Vec<String> = (0..9).rev().map(|patch| format!("1.2.{patch}")).collect();
        let view = |range: &str, admitted: &[String]| RangeView {
            range: range.into(),
            admitted: admitted.into(),
            total: 9,
            ..RangeView::default()
        };
        assert_eq!(admission_note(&view("", &versions)), "any of 9 versions");
        assert_eq!(
            admission_note(&view("1.2.8", &versions[..1])),
            "admits 1 of 9: 1.2.8"
        );
        assert_eq!(
            admission_note(&view(">3", &[])),
            "admits none of 9 versions"
        );
        assert!(admission_note(&view("1.2.x", &versions)).ends_with("1.2.4, 1.2.3 and 3 more"));
    }
}
