//! The top bar: location, installed version, lens, undo and redo, saving.
//!
//! *Cluster version* and *Installed* apply to both lenses. The rest of the upgrade question is a
//! subscription for Classic (channel, approval, starting CSV), and a ClusterExtension for OLM v1
//! (channels, version range, policy). It is one sentence until opened, and then a row of fields
//! with equal height under both lenses.

use crate::commands::{Command, PALETTE_KEYS};
use crate::context::{AppContext, Overlay, Theme, app_context, debounced_query};
use crate::edits::form_values::{catalog_name, names};
use crate::panels::drop_target::FileInputs;
use crate::reactive::{effect, memo};
use crate::state::entries::{EVERYONE, FRESH, field_text as origin_text, resolve};
use crate::state::store::Tab;
use crate::widgets::announce;
use crate::widgets::buttons::with_keys;
use crate::widgets::buttons::{IconButton, Segmented};
use crate::widgets::combobox::{Choice, Combobox};
use crate::widgets::dom::field_text;
use crate::widgets::icon::{Glyph, Icon};
use crate::words;
use leptos::prelude::*;
use protocol::counting::first_of;
use protocol::query::AdmittedVersions;
use protocol::views::{Approval, Lens, Origin, Policy, RangeView, UpgradeQuestion};

#[component]
pub fn Header() -> impl IntoView {
    let app = app_context();
    let changed = move || app.store.status.with(|status| status.changed_files.len());
    view! {
        <header class="header">
            <FileInputs/>
            <span class="brand">
                <Glyph icon=Icon::Brand/>
                "Switchyard"
            </span>
            <Crumbs app/>
            <IconButton
                label=Command::OpenFolder.label()
                icon=Icon::Folder
                quiet=true
                on_press=move |()| Command::OpenFolder.run(app)
            />
            <button
                type="button"
                class="omnibox"
                aria-haspopup="dialog"
                on:click=move |_| app.overlays.open(Overlay::Palette)
            >
                <span class="omnibox-text">"Search"<span class="omnibox-more">" or command"</span></span>
                {PALETTE_KEYS.split('+').map(|key| view! { <kbd>{key}</kbd> }).collect_view()}
            </button>
            <div class="header-end">
                <Installed/>
                <Segmented
                    label="Lens"
                    hint="Which OLM's rules decide what an installed version upgrades to. Classic (v0) follows a \
                          Subscription along channel edges; OLM v1 resolves a ClusterExtension by version range."
                    options=&[("v0", "Classic (v0)"), ("v1", "OLM v1")]
                    selected=Signal::derive(move || match app.store.question.get().lens {
                        Lens::V0 => "v0",
                        Lens::V1 => "v1",
                    })
                    on_select=move |key| {
                        app.ask_upgrade(|question| question.lens = if key == "v1" { Lens::V1 } else { Lens::V0 });
                    }
                />
                <IconButton
                    label=Command::Undo.label()
                    keys=Command::Undo.keys()
                    icon=Icon::Undo
                    disabled=Signal::derive(move || !app.store.status.can_undo())
                    on_press=move |()| Command::Undo.run(app)
                />
                <IconButton
                    label=Command::Redo.label()
                    keys=Command::Redo.keys()
                    icon=Icon::Redo
                    disabled=Signal::derive(move || !app.store.status.can_redo())
                    on_press=move |()| Command::Redo.run(app)
                />
                <ThemeButton app/>
                <button
                    type="button"
                    class="button"
                    data-look=move || { if changed() > 0 { "primary" } else { "plain" } }
                    aria-haspopup="dialog"
                    on:click=move |_| Command::Review.run(app)
                >
                    {Command::Review.label()}
                    {move || {
                        let files = changed();
                        (files > 0).then(|| format!(" · {}", words::count(files as u32, "file")))
                    }}
                </button>
            </div>
        </header>
    }
    .into_any()
}

#[component]
fn Crumbs(app: AppContext) -> impl IntoView {
    let catalog = move || {
        app.store
            .status
            .with(|status| catalog_name(&status.roots, &app.store.root.get()))
    };
    let repository = memo(move |_| app.store.status.repository_name());
    let is_shown = app.repository.in_view;
    let back = move || {
        (repository.with(Option::is_some) && !is_shown.get()).then(|| {
            view! {
                <button
                    type="button"
                    class="link"
                    title=with_keys("Back to the repository", Command::Repository.keys())
                    on:click=move |_| Command::Repository.run(app)
                >
                    "Repository"
                </button>
                <span class="crumb" aria-hidden="true">"/"</span>
            }
        })
    };
    let place = move || match (is_shown.get(), repository.get()) {
        (true, Some(name)) => name,
        // The name of the folder that contains everything is redundant here.
        (_, Some(name)) => catalog()
            .trim_start_matches(&format!("{name}/"))
            .replace('/', " / "),
        (_, None) => catalog().replace('/', " / "),
    };
    view! {
        <div class="crumbs">
            {back} <span class="crumb">{place}</span>
            <span class="crumb" aria-hidden="true">{move || if place().is_empty() { "" } else { "/" }}</span>
            <h1 class="crumb-here">
                {move || {
                    let package = app.current.package.get();
                    match (is_shown.get(), package.is_empty()) {
                        (true, _) => "Repository".to_owned(),
                        (false, true) => "No package".to_owned(),
                        (false, false) => package,
                    }
                }}
            </h1>
        </div>
    }
    .into_any()
}

#[component]
fn ThemeButton(app: AppContext) -> impl IntoView {
    let label = Signal::derive(move || format!("Theme: {}", app.preferences.theme.get().name()));
    let icon = Signal::derive(move || match app.preferences.theme.get() {
        Theme::System => Icon::System,
        Theme::Light => Icon::Sun,
        Theme::Dark => Icon::Moon,
    });
    view! { <IconButton label=label icon=icon quiet=true on_press=move |()| app.preferences.set_theme(app.preferences.theme.get_untracked().next())/> }
}

#[component]
fn ClusterVersion(app: AppContext) -> impl IntoView {
    let current = memo(move |_| app.store.question.with(|question| question.cluster.clone()));
    let typed = RwSignal::new(None::<String>);
    let ask = move |()| {
        if let Some(text) = typed.get_untracked() {
            typed.set(None);
            app.ask_upgrade(|question| question.cluster = text.trim().to_owned());
        }
    };
    let fault = memo(move |_| {
        app.current.view.with(|view| match &view.answer.cluster {
            Some(Err(error)) => error.replace('`', ""),
            _ => String::new(),
        })
    });
    announce::follow_alert(move || fault.get());
    view! {
        <span class="question-field">
            <QuestionText
                label="Cluster version"
                id="question-cluster"
                placeholder="any, or 4.18.3"
                title="The cluster's OpenShift version, to show what blocks its update and what does not start on it"
                note="question-cluster-fault"
                is_wrong=Signal::derive(move || fault.with(|fault| !fault.is_empty()))
                text=Signal::derive(move || typed.get().unwrap_or_else(|| current.get()))
                on_type=move |text| typed.set(Some(text))
                ask
            />
            <span class="admitted-error" id="question-cluster-fault">{move || fault.get()}</span>
        </span>
    }
    .into_any()
}

/// Text in the field that is not submitted yet.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Typed {
    /// Catalog and package in view when it was typed. The text is discarded for another package.
    place: (String, String),
    text: String,
    /// Whether it was submitted by Enter, a suggestion, or blur.
    is_done: bool,
}

#[component]
fn Installed() -> impl IntoView {
    let app = app_context();
    // Unsubmitted text, which answers must not overwrite.
    let typed = RwSignal::new(None::<Typed>);
    let current = memo(move |_| {
        let origin = app.store.question.with(|question| question.origin.clone());
        app.current
            .view
            .with(|view| origin_text(&origin, &view.bundles))
    });
    let place = memo(move |_| (app.store.root.get(), app.current.package.get()));
    let typed_here = move || {
        typed
            .get()
            .filter(|typed| place.with(|place| typed.place == *place))
    };
    let text =
        Signal::derive(move || typed_here().map_or_else(|| current.get(), |typed| typed.text));
    let choices = Signal::derive(move || {
        let mut choices = vec![
            Choice::new(FRESH, "nothing is installed"),
            Choice::new(EVERYONE, "every published version"),
        ];
        app.current.view.with(|view| {
            let name = |name: &String| origin_text(&Origin::Installed(name.clone()), &view.bundles);
            choices.extend(
                view.bundles
                    .iter()
                    .map(|(bundle, _)| Choice::new(name(bundle), bundle.as_str())),
            );
        });
        choices
    });
    let typed_origin =
        move || text.with(|text| app.current.view.with(|view| resolve(text, &view.bundles)));
    let wrong = Signal::derive(move || {
        let typed_origin = typed_origin();
        app.current
            .view
            .with(|view| view.answer.unknown.is_some() && view.answer.origin == typed_origin)
    });
    // A version refers to a bundle of the package in view: submit text that was typed before the
    // package is loaded afterwards.
    effect(move |_| {
        let is_there = app.current.view.with(|view| {
            place.with(|(root, package)| view.root == *root && view.package == *package)
        });
        let is_done = typed_here().is_some_and(|typed| typed.is_done);
        if is_done && text.with(|text| text.trim().eq_ignore_ascii_case(EVERYONE)) {
            typed.set(None);
            app.store.tab.show(Tab::Everyone);
            return;
        }
        if is_there && is_done {
            let origin = untrack(typed_origin);
            typed.set(None);
            app.ask_upgrade(|question| question.origin = origin);
        }
    });
    let done = move |()| {
        typed.update(|typed| {
            if let Some(typed) = typed {
                typed.is_done = true;
            }
        });
    };
    view! {
        <div class="installed">
            <label class="installed-label" for="installed-field">"Installed"</label>
            <Combobox
                id="installed-field"
                value=text
                choices=choices
                on_change=move |text| {
                    typed.set(Some(Typed { place: place.get_untracked(), text, is_done: false }));
                }
                on_done=Callback::new(done)
                completes=true
                invalid=wrong
            />
        </div>
    }
    .into_any()
}

/// Maximum number of admitted versions named.
const NAMED: usize = 6;

#[component]
pub fn UpgradeQueryBar() -> impl IntoView {
    let app = app_context();
    let is_there = move || app.current.package.with(|package| !package.is_empty());
    let lens = memo(move |_| app.store.question.with(|question| question.lens));
    let opened = RwSignal::new(None::<bool>);
    let is_specific = memo(move |_| app.store.question.with(|question| !asks_nothing(question)));
    let is_open = memo(move |_| opened.get().unwrap_or(is_specific.get()));
    let summary = move || {
        let default = app.current.view.with(|view| view.default_channel.clone());
        app.store
            .question
            .with(|question| question_summary(question, &default))
    };
    view! {
        <Show when=is_there>
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
                    (true, Lens::V1) => view! { <Extension app/> }.into_any(),
                }}
            </div>
        </Show>
    }
    .into_any()
}

/// Whether the question is the default one. Ignores the lens, which is chosen elsewhere and opens
/// no fields.
fn asks_nothing(question: &UpgradeQuestion) -> bool {
    let unasked = UpgradeQuestion {
        lens: question.lens,
        ..UpgradeQuestion::default()
    };
    *question == unasked
}

/// Formats the question as a sentence. `default` is the package's default channel.
fn question_summary(question: &UpgradeQuestion, default: &str) -> String {
    let channels = question.channels.join(", ");
    let mut parts = match question.lens {
        Lens::V0 => {
            let channel = if question.channel.is_empty() {
                default
            } else {
                question.channel.as_str()
            };
            let approval = match question.approval {
                Approval::Automatic => "automatic approval",
                Approval::Manual => "manual approval",
            };
            vec![format!("Subscription to {channel}"), approval.to_owned()]
        }
        Lens::V1 => {
            let whence = if channels.is_empty() {
                "any channel".to_owned()
            } else {
                format!("channels {channels}")
            };
            let range = if question.range.is_empty() {
                "any version"
            } else {
                question.range.as_str()
            };
            vec![format!("ClusterExtension of {whence}"), range.to_owned()]
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
    let is_fresh = memo(move |_| {
        app.store
            .question
            .with(|question| question.origin == Origin::Fresh)
    });
    view! {
        <div class="question" role="group" aria-label="Subscription">
            <div class="question-fields">
            <span class="question-field">
                <label class="question-label" for="question-channel">"Subscribed channel"</label>
                <Channel app/>
            </span>
            <QuestionChoice
                label="Approval"
                name="Approval"
                options=&[("automatic", "Automatic"), ("manual", "Manual")]
                selected=Signal::derive(move || match app.store.question.with(|question| question.approval) {
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

/// The channel that a Classic subscription follows.
#[component]
fn Channel(app: AppContext) -> impl IntoView {
    let chosen = memo(move |_| app.store.question.with(|question| question.channel.clone()));
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
                let other = chosen.get();
                let has_other = !other.is_empty() && !names.contains(&other);
                names.extend(has_other.then(|| other.clone()));
                names
                    .into_iter()
                    .map(|name| {
                        let is_default = name == default;
                        let value = if is_default { String::new() } else { name.clone() };
                        let own = value.clone();
                        let is_chosen = move || chosen.with(|chosen| *chosen == own);
                        let text = match is_default {
                            true => format!("{name} (default)"),
                            false if has_other && name == other => format!("{name} (not in this package)"),
                            false => name,
                        };
                        view! { <option value=value prop:selected=is_chosen>{text}</option> }
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
    let current = memo(move |_| {
        app.store
            .question
            .with(|question| question.starting_csv.clone())
    });
    let choices = Signal::derive(move || {
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
fn Extension(app: AppContext) -> impl IntoView {
    let current = memo(move |_| {
        app.store
            .question
            .with(|question| question.channels.join(", "))
    });
    let choices = Signal::derive(move || {
        app.current.view.with(|view| {
            view.channels
                .iter()
                .map(|name| Choice::new(name, ""))
                .collect::<Vec<_>>()
        })
    });
    let ask_channels =
        move |text: String| app.ask_upgrade(|question| question.channels = names(&text));
    // Discard an unsubmitted range when the lens changes.
    on_cleanup(move || app.draft_query.type_range(None));
    let wanted = Signal::derive(move || {
        let view = app.current.view.get();
        let revision = app.store.status.with(|status| status.revision);
        let question = UpgradeQuestion {
            lens: Lens::V1,
            ..app.draft_query.question.get()
        };
        (!view.package.is_empty())
            .then(|| (view.root.clone(), view.package.clone(), revision, question))
    });
    let range_view = debounced_query(wanted, move |(root, package, _, question)| {
        let query = AdmittedVersions {
            root,
            package,
            question,
        };
        async move { app.store.ask(query).await.ok() }
    });
    // Show matching versions only if a range is given.
    let is_range_asked = move || {
        app.draft_query.range.with(Option::is_some)
            || app
                .store
                .question
                .with(|question| !question.range.is_empty())
    };
    view! {
        <div class="question" role="group" aria-label="ClusterExtension" data-told=move || is_range_asked().to_string()>
            <div class="question-fields">
            <QuestionNames
                label="Channels"
                id="question-channels"
                placeholder="any"
                current
                choices
                ask=ask_channels
            />
            <Range app range_view/>
            <QuestionChoice
                label="Policy"
                name="Upgrade constraint policy"
                options=&[("catalog", "CatalogProvided"), ("self", "SelfCertified")]
                selected=Signal::derive(move || match app.store.question.with(|question| question.policy) {
                    Policy::CatalogProvided => "catalog",
                    Policy::SelfCertified => "self",
                })
                on_select=move |key| app.ask_upgrade(|question| {
                    question.policy = if key == "self" { Policy::SelfCertified } else { Policy::CatalogProvided };
                })
            />
            <ClusterVersion app/>
            </div>
            <div class="question-told">
                <p class="admitted" id="question-admitted">
                    {move || range_view.get().map(|range_view| view! { <Admitted range_view/> })}
                </p>
                <Pins app range_view/>
            </div>
        </div>
    }
    .into_any()
}

/// Submits a version range.
fn ask_range(app: AppContext, range: &str) {
    app.draft_query.type_range(None);
    app.ask_upgrade(|question| question.range = range.trim().to_owned());
}

/// The version range, with matching versions while typing.
#[component]
fn Range(app: AppContext, range_view: ReadSignal<Option<RangeView>>) -> impl IntoView {
    let current = memo(move |_| app.store.question.with(|question| question.range.clone()));
    let text = move || app.draft_query.range.get().unwrap_or_else(|| current.get());
    let ask = move |()| {
        if let Some(range) = app.draft_query.range.get_untracked() {
            ask_range(app, &range);
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
                is_wrong=Signal::derive(is_wrong)
                text=Signal::derive(text)
                on_type=move |text| app.draft_query.type_range(Some(text))
                ask
            />
        </span>
    }
    .into_any()
}

/// Ranges that pin a version, one press each; another press releases it.
#[component]
fn Pins(app: AppContext, range_view: ReadSignal<Option<RangeView>>) -> impl IntoView {
    let current = memo(move |_| app.store.question.with(|question| question.range.clone()));
    let pins = memo(move |_| {
        range_view
            .with(|range_view| {
                range_view
                    .as_ref()
                    .map(|range_view| range_view.pins.clone())
            })
            .unwrap_or_default()
    });
    let pin = move |(range, means): (String, String)| {
        let own = range.clone();
        let is_on = memo(move |_| current.with(|current| *current == own));
        let name = format!("Pin to {range}: {means}");
        let pressed = range.clone();
        view! {
            <button
                type="button"
                class="chip"
                title=means
                aria-label=name
                aria-pressed=move || is_on.get().to_string()
                on:click=move |_| ask_range(app, if is_on.get_untracked() { "" } else { &pressed })
            >
                <span class="mono">{range}</span>
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
                let versions = some(&range_view.left_out);
                let note = format!("leaves out {} ({versions}): the range names no pre-release", words::count(left_out, "pre-release"));
                view! { <span class="dim">{note}</span> }
            })}
        {(!range_view.refusal.is_empty()).then(|| view! { <span class="admitted-refusal">{range_view.refusal}</span> })}
    }
    .into_any()
}

/// Formats the admitted versions, e.g. `admits 3 of 20: 1.29.2, 1.29.1, 1.29.0`.
fn admission_note(range_view: &RangeView) -> String {
    let count = range_view.admitted.len();
    if range_view.range.is_empty() {
        return format!("any of {}", words::count(range_view.total, "version"));
    }
    match count {
        0 => format!(
            "admits none of {}",
            words::count(range_view.total, "version")
        ),
        _ => format!(
            "admits {count} of {}: {}",
            range_view.total,
            some(&range_view.admitted)
        ),
    }
}

fn some(names: &[String]) -> String {
    first_of(names.iter(), NAMED)
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
        let v1 = UpgradeQuestion {
            lens: Lens::V1,
            channels: vec!["a".into(), "b".into()],
            range: ">=1".into(),
            policy: Policy::SelfCertified,
            cluster: "4.18".into(),
            ..classic
        };
        let expected = "ClusterExtension of channels a, b · >=1 · SelfCertified · OpenShift 4.18";
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
