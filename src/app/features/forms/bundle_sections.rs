//! The parts of the form for dropped bundles: the dropped files, the new package, the channels, and
//! the entries.

use super::bundle_form::BundleForm;
use super::icon_field::check_picture;
use super::text_file_field::TextFileField;
use crate::components::deprecation_preview::Picture;
use crate::edits::bundle_form_values::{OfferedChannel, facts};
use crate::edits::bundle_forms::RANGE_HINT;
use crate::edits::command::{EditCommand, Field};
use crate::edits::form_values::FormValues;
use crate::edits::suggestions::hint;
use crate::reactive::{effect, memo};
use crate::widgets::announce;
use crate::widgets::combobox::Choice;
use crate::widgets::dom;
use crate::widgets::fields::{ComboField, LineField, SelectField};
use crate::widgets::icon::{Glyph, Icon as IconOf};
use crate::widgets::short_text::in_code;
use leptos::prelude::*;
use protocol::bundles::{BundleMessage, BundleRow, NewPackageFields};
use protocol::inspection::IconView;
use wasm_bindgen_futures::spawn_local;

/// Dropped items that are not valid bundles for `opm`, with location and remedy.
#[component]
pub(super) fn Refusals(form: BundleForm) -> impl IntoView {
    let refused = memo(move |_| form.read.with(|(_, read)| read.refused.clone()));
    move || refused.get().into_iter().map(refusal).collect_view()
}

/// Parts of the bundles that `opm` accepts and ignores, with location and remedy.
#[component]
pub(super) fn Advice(form: BundleForm) -> impl IntoView {
    let advice = memo(move |_| form.read.with(|(_, read)| read.advice.clone()));
    view! {
        <Show when=move || advice.with(|advice| !advice.is_empty())>
            <section class="bundle-advice" aria-label="Advice">
                <h3 class="preview-title">"Advice"</h3>
                <ul>{move || advice.get().into_iter().map(remark).collect_view()}</ul>
            </section>
        </Show>
    }
    .into_any()
}

fn remark(of: BundleMessage) -> impl IntoView {
    let place = place(&of);
    view! {
        <li>
            <p class="asked-remark"><Glyph icon=IconOf::Warning/> <span>{in_code(&of.message)}</span></p>
            {(!place.is_empty()).then(|| view! { <p class="mono">{place}</p> })}
            {(!of.help.is_empty()).then(|| view! { <p class="field-hint">{in_code(&of.help)}</p> })}
        </li>
    }
}

/// `manifests/csv.yaml:12`, as far as known.
fn place(message: &BundleMessage) -> String {
    match (message.file.as_str(), message.line) {
        ("", _) => String::new(),
        (file, 0) => file.to_owned(),
        (file, line) => format!("{file}:{line}"),
    }
}

fn refusal(refused: BundleMessage) -> impl IntoView {
    let place = place(&refused);
    let BundleMessage {
        source,
        message,
        help,
        ..
    } = refused;
    announce::alert(format!("{source} is not added: {message}"));
    view! {
        <div class="refusal">
            <p><strong>{source}</strong>" is not added: "{in_code(&message)}</p>
            {(!place.is_empty()).then(|| view! { <p class="mono">{place}</p> })}
            {(!help.is_empty()).then(|| view! { <p>{in_code(&help)}</p> })}
        </div>
    }
}

/// The bundles; each of several can be deselected.
#[component]
pub(super) fn Bundles(form: BundleForm) -> impl IntoView {
    let rows = memo(move |_| form.read.with(|(_, read)| read.bundles.clone()));
    let (id, error) = (dom::fresh_id("bundles"), form.error(Field::Bundle));
    view! {
        <fieldset class="also-in" aria-labelledby=id.clone()>
            <legend class="field-label" id=id.clone()>{move || if rows.with(Vec::len) == 1 { "Bundle" } else { "Bundles" }}</legend>
            {move || {
                let rows = rows.get();
                let are_several = rows.len() > 1;
                rows.into_iter().map(|row| bundle(form, row, are_several)).collect_view()
            }}
            {move || {
                let error = error.get();
                (!error.is_empty()).then(|| view! { <p class="field-error">{error}</p> })
            }}
        </fieldset>
    }
    .into_any()
}

fn bundle(form: BundleForm, row: BundleRow, are_several: bool) -> impl IntoView {
    let note = dom::fresh_id("note");
    let told = facts(&row);
    let there = row.is_there.then_some(match form.is_for_template() {
        true => "The template already has it.",
        false => "The catalog already has a bundle of this name; it is not changed.",
    });
    let (name, own) = (row.name.clone(), row.name.clone());
    let label = match are_several {
        true => {
            let is_in = move || form.values.with(|values| !values.left_out.contains(&own));
            view! {
                <label class="check">
                    <input
                        type="checkbox"
                        aria-describedby=note.clone()
                        prop:checked=is_in
                        on:change=move |event| {
                            let is_on = event_target_checked(&event);
                            form.change(|values| {
                                if is_on { values.left_out.remove(&name) } else { values.left_out.insert(name.clone()) };
                            });
                        }
                    />
                    <span class="mono">{row.name}</span>
                </label>
            }
            .into_any()
        }
        false => view! { <p class="mono">{name}</p> }.into_any(),
    };
    view! {
        <div class="also-in-row">
            {label}
            <p class=if are_several { "also-in-note" } else { "field-hint" } id=note>
                <span>{told}</span>
                {there.map(|words| view! { <span>" · "{words}</span> })}
            </p>
        </div>
    }
}

/// The fields of the new package.
#[component]
pub(super) fn NewPackage(form: BundleForm) -> impl IntoView {
    let name = memo(move |_| form.ask(|asked| asked.new_package().map(|(name, _)| name.clone())));
    let several = move || form.read.with(|(_, read)| read.new_packages.len() > 1);
    let texts = memo(move |_| form.ask(|asked| asked.texts()).unwrap_or_default());
    let channels = Signal::derive(move || {
        form.ask(|asked| asked.entered_names())
            .into_iter()
            .map(|name| Choice::new(name, ""))
            .collect::<Vec<_>>()
    });
    let id = dom::fresh_id("new-package");
    view! {
        <Show when=several>
            <p class="field-hint">"New packages are filled in from their newest bundle."</p>
        </Show>
        <Show when=move || name.with(Option::is_some)>
            <fieldset class="also-in" aria-labelledby=id.clone()>
                <legend class="field-label" id=id.clone()>"New package " {move || name.get()}</legend>
                <p class="field-hint">"The catalog does not have this package yet. It is filled in from the bundle."</p>
                <ComboField
                    label="Default channel"
                    value=Signal::derive(move || texts.with(|texts| texts.default_channel.clone()))
                    choices=channels
                    on_change=move |text: String| form.change(|values| values.default_channel = Some(text))
                    on_done=move |()| ()
                />
                <TextFileField
                    label="Description"
                    value=Signal::derive(move || texts.with(|texts| texts.description.clone()))
                    on_change=move |text: String| form.change(|values| values.description = Some(text))
                    hint=Signal::stored("Markdown. Empty: none.".to_owned())
                />
                <Icon form/>
            </fieldset>
        </Show>
    }
    .into_any()
}

/// The bundle's icon, with a checkbox.
#[component]
fn Icon(form: BundleForm) -> impl IntoView {
    let icon = memo(move |_| {
        let of = |texts: &NewPackageFields| (texts.icon_type.clone(), texts.icon.clone());
        form.ask(|asked| {
            asked
                .new_package()
                .map(|(_, texts)| of(texts))
                .unwrap_or_default()
        })
    });
    let picture = RwSignal::new(IconView::None);
    effect(move |_| {
        let (media_type, data) = icon.get();
        if data.is_empty() {
            return picture.set(IconView::None);
        }
        spawn_local(async move {
            picture.try_set(check_picture(form.app, media_type, data).await);
        });
    });
    view! {
        <Show
            when=move || icon.with(|(_, data)| !data.is_empty())
            fallback=|| view! { <p class="field-hint">"The bundle has no icon. Add one with Set icon…"</p> }
        >
            <label class="check">
                <input
                    type="checkbox"
                    prop:checked=move || form.values.with(|values| !values.without_icon)
                    on:change=move |event| {
                        let is_on = event_target_checked(&event);
                        form.change(|values| values.without_icon = !is_on);
                    }
                />
                "Use the bundle's icon"
            </label>
            {move || view! { <Picture picture=picture.get() class="field-icon"/> }}
        </Show>
    }
    .into_any()
}

/// The target channels.
#[component]
pub(super) fn Channels(form: BundleForm) -> impl IntoView {
    let offered = memo(move |_| form.ask(|asked| asked.channels()));
    let names = memo(move |_| {
        offered.with(|all| {
            all.iter()
                .map(|channel| (channel.name.clone(), channel.is_new))
                .collect::<Vec<_>>()
        })
    });
    let is_ticked = move |name: &str| {
        offered.with(|all| {
            all.iter().any(
                |OfferedChannel {
                     name: known,
                     is_ticked,
                     ..
                 }| known == name && *is_ticked,
            )
        })
    };
    let (id, error) = (dom::fresh_id("channels"), form.error(Field::ToChannel));
    view! {
        <fieldset class="also-in" aria-labelledby=id.clone()>
            <legend class="field-label" id=id.clone()>"To channels"</legend>
            <div class="channel-boxes">
                <For each=move || names.get() key=Clone::clone let:channel>
                    {
                        let (name, is_new) = channel;
                        let (own, data) = (name.clone(), name.clone());
                        view! {
                            <label class="check">
                                <input
                                    type="checkbox"
                                    prop:checked=move || is_ticked(&own)
                                    on:change=move |event| {
                                        let is_on = event_target_checked(&event);
                                        form.change(|values| {
                                            values.channels.insert(data.clone(), is_on);
                                        });
                                    }
                                />
                                <span>{name} {is_new.then(|| view! { <span class="dim">" (new)"</span> })}</span>
                            </label>
                        }
                    }
                </For>
            </div>
            <Show
                when=move || form.ask(|asked| asked.takes_other_channels())
                fallback=|| {
                    view! { <p class="field-hint">"These are the template's lists of bundles; rendering derives the channels from the versions."</p> }
                }
            >
                <LineField
                    label="Other channels"
                    value=Signal::derive(move || form.values.with(|values| values.other_channels.clone()))
                    on_change=move |text: String| form.change(|values| values.other_channels = text)
                    hint=Signal::stored("Channels to add: one name, or several separated by commas.".to_owned())
                />
            </Show>
            {move || {
                let error = error.get();
                (!error.is_empty()).then(|| view! { <p class="field-error">{error}</p> })
            }}
        </fieldset>
    }
    .into_any()
}

/// The position in the channels, as in *Promote bundle…*; several bundles enter by version.
#[component]
pub(super) fn Entry(form: BundleForm) -> impl IntoView {
    let said = move |field: Field, text: String| {
        let values = FormValues::default().with(field, text);
        hint(EditCommand::Promote, field, &values).to_owned()
    };
    let ways = ["", "head", "chain", "skipped"].map(|way| {
        let words = if way.is_empty() { "by version" } else { way };
        (way.to_owned(), words.to_owned())
    });
    let how = Signal::derive(move || form.values.with(|values| values.how.clone()));
    view! {
        <Show
            when=move || form.ask(|asked| asked.says_entry())
            fallback=|| view! { <p class="field-hint">"Each bundle is placed by its version."</p> }
        >
            <SelectField
                label="As"
                value=how
                options=Signal::stored(ways.to_vec())
                on_change=move |text: String| form.change(|values| values.how = text)
                hint=Signal::derive(move || said(Field::As, how.get()))
            />
            <ComboField
                label="Replaces"
                value=Signal::derive(move || form.values.with(|values| values.replaces.clone()))
                choices=Signal::derive(move || form.ask(|asked| asked.replaces_choices()))
                on_change=move |text: String| form.change(|values| values.replaces = text)
                on_done=move |()| ()
                hint=Signal::stored(said(Field::Replaces, String::new()))
            />
            <ComboField
                label="Skip range"
                value=Signal::derive(move || form.ask(|asked| asked.skip_range()))
                choices=Signal::derive(move || form.ask(|asked| asked.skip_range_choices()))
                on_change=move |text: String| form.change(|values| values.skip_range = Some(text))
                on_done=move |()| ()
                hint=Signal::stored(RANGE_HINT.to_owned())
            />
        </Show>
    }
    .into_any()
}
