//! *Release…*: a bundle's target templates, with its channels and edges in each, and a live preview
//! of the pipeline's result.

use super::plan_view::note;
use super::{Findings, Foot, Planned, plan_task};
use crate::components::preview::RefusalNote;
use crate::prelude::*;
use crate::widgets::buttons::Segmented;
use crate::widgets::combobox::Choice;
use crate::widgets::dialog::{Dialog, Size};
use crate::widgets::fields::{Checklist, ChecklistItem, ComboField, LineField, SelectField};
use protocol::repository::{
    ReleaseDraft, ReleaseForm, ReleaseItem, RepositoryTask, SubmitMode, TemplateOffer,
};
use protocol::response::OperationRefusal;
use std::collections::BTreeSet;

/// The type of templates whose releases name neither channels nor edges.
const SEMVER: &str = "olm.semver";

#[component]
pub(super) fn ReleaseDialog(
    operator: String,
    bundle: String,
    dropped: Vec<(String, String)>,
) -> impl IntoView {
    let app = app_context();
    let form = RwSignal::new(None::<Result<ReleaseForm, OperationRefusal>>);
    let (name, version, files) = (operator.clone(), bundle.clone(), dropped.clone());
    spawn_local(async move {
        let answer = app.repository.release_form(name, version, files).await;
        form.try_set(Some(answer));
    });
    view! {
        <Dialog title=format!("Release {operator} {bundle}") size=Size::Wide on_close=move |()| app.overlays.close()>
            {move || match form.get() {
                None => {
                    view! {
                        <div class="dialog-body" tabindex="-1">
                            <p class="preview-note">"Reading the bundle and the templates…"</p>
                        </div>
                    }
                        .into_any()
                }
                Some(Err(refusal)) => {
                    view! {
                        <div class="dialog-body" tabindex="-1"><RefusalNote app refusal root=None/></div>
                    }
                        .into_any()
                }
                Some(Ok(form)) => {
                    let dropped = dropped.clone();
                    view! { <ReleaseFields app form dropped/> }.into_any()
                }
            }}
        </Dialog>
    }
    .into_any()
}

#[component]
fn ReleaseFields(
    app: AppContext,
    form: ReleaseForm,
    dropped: Vec<(String, String)>,
) -> impl IntoView {
    let image = RwSignal::new(form.image.clone());
    let items = RwSignal::new(form.draft.clone());
    let hand_in = RwSignal::new(SubmitMode::ConfigOnly);
    let (operator, bundle) = (form.operator.clone(), form.bundle.clone());
    let released = operator.clone();
    let task = derived(move || {
        let items = items.get();
        (!items.is_empty()).then(|| {
            RepositoryTask::Release(ReleaseDraft {
                operator: released.clone(),
                bundle: bundle.clone(),
                image: image.with(|image| image.trim().to_owned()),
                items,
                hand_in: hand_in.get(),
                dropped: dropped.clone(),
            })
        })
    });
    let plan = plan_task(app, task);
    let intro = match (form.is_written, form.draft.is_empty()) {
        (true, _) => "Filled in as the bundle’s `release-config.yaml` says.",
        (false, false) => "Filled in from the previous release.",
        (false, true) => "Choose the templates that the bundle goes into.",
    };
    let label = derived(move || match hand_in.get() {
        SubmitMode::ConfigOnly => "Write release-config.yaml".to_owned(),
        SubmitMode::All => "Write all files".to_owned(),
    });
    let planned_operator = operator.clone();
    view! {
        <div class="dialog-body repo-release" tabindex="-1">
            <div class="repo-release-head">
                {note(intro)}
                {(!form.findings.is_empty())
                    .then(|| {
                        let operator = operator.clone();
                        view! { <Findings app operator findings=form.findings.clone() label="What is not filled in"/> }
                    })}
                <LineField
                    label="Image"
                    value=image
                    on_change=move |text: String| image.set(text)
                    hint=Signal::stored(
                        "The image that the pipeline builds from the bundle. Leave it empty if you do not know it yet.".to_owned(),
                    )
                />
            </div>
            <div class="repo-release-form">
                <Items offers=form.templates.clone() name=form.name.clone() items/>
                <fieldset class="repo-fieldset">
                    <legend class="field-label">"Hand in"</legend>
                    <Segmented
                        label="Hand in"
                        hint="The pipeline makes templates and catalogs from release-config.yaml once the bundle is merged."
                        options=&[("config", "release-config.yaml only"), ("all", "Templates and catalogs too")]
                        selected=derived(move || match hand_in.get() {
                            SubmitMode::ConfigOnly => "config",
                            SubmitMode::All => "all",
                        })
                        on_select=move |key| hand_in.set(if key == "all" { SubmitMode::All } else { SubmitMode::ConfigOnly })
                    />
                    <p class="field-hint">
                        {move || match hand_in.get() {
                            SubmitMode::ConfigOnly => "One pull request with the bundle. The pipeline does the rest after the merge.",
                            SubmitMode::All => "Two pull requests: first the bundle, then templates and catalogs.",
                        }}
                    </p>
                </fieldset>
            </div>
            <div class="repo-release-preview">
                {move || if task.with(Option::is_none) {
                    note("Choose a template to see what the pipeline makes of it.")
                } else {
                    let operator = planned_operator.clone();
                    view! { <Planned app plan operator/> }.into_any()
                }}
            </div>
        </div>
        <Foot app label task plan/>
    }
    .into_any()
}

/// All templates in the mapping, each with its own fields when selected.
#[component]
pub(super) fn Items(
    offers: Vec<TemplateOffer>,
    /// The bundle's name; "" if it is unreadable.
    name: String,
    items: RwSignal<Vec<ReleaseItem>>,
) -> impl IntoView {
    let parts = offers
        .into_iter()
        .map(|offer| item(offer, &name, items))
        .collect_view();
    view! { <div class="repo-items">{parts}</div> }.into_any()
}

/// Adds or removes an item. Added ones are in the order of selection.
fn set_ticked(items: &mut Vec<ReleaseItem>, offer: &TemplateOffer, is_on: bool) {
    items.retain(|item| item.template != offer.template);
    if is_on {
        let channel = offer.default_channel.as_ref().or(offer.channels.first());
        items.push(ReleaseItem {
            template: offer.template.clone(),
            channels: channel.cloned().into_iter().collect(),
            replaces: offer.predecessor.clone(),
            ..ReleaseItem::default()
        });
    }
}

fn item(offer: TemplateOffer, bundle: &str, items: RwSignal<Vec<ReleaseItem>>) -> AnyView {
    // The pipeline refuses a duplicate entry.
    let is_listed = offer.entries.iter().any(|entry| entry == bundle);
    let name = offer.template.clone();
    let release_item =
        memo(move |_| items.with(|items| items.iter().find(|item| item.template == name).cloned()));
    let is_on = memo(move |_| release_item.with(Option::is_some));
    let note = if is_listed {
        format!("already has {bundle}")
    } else {
        format!(
            "{} → {}",
            offer.kind.trim_start_matches("olm.template."),
            offer.catalogs.join(", ")
        )
    };
    let label = offer.template.clone();
    let stored_offer = StoredValue::new(offer);
    view! {
        <fieldset class="repo-item">
            <legend class="visually-hidden">{label.clone()}</legend>
            <label class="repo-tick">
                <input
                    type="checkbox"
                    disabled=is_listed
                    prop:checked=move || is_on.get()
                    on:change=move |event| {
                        let is_on = event_target_checked(&event);
                        stored_offer.with_value(|offer| items.update(|items| set_ticked(items, offer, is_on)));
                    }
                />
                <span class="mono">{label}</span>
                <span class="dim">{note}</span>
            </label>
            <Show when=move || is_on.get()>{item_fields(stored_offer, release_item, items)}</Show>
        </fieldset>
    }
    .into_any()
}

fn read_item<T: Default>(item: Memo<Option<ReleaseItem>>, read: impl Fn(&ReleaseItem) -> T) -> T {
    item.with(|item| item.as_ref().map(read).unwrap_or_default())
}

fn non_empty(typed: &str) -> Option<String> {
    let text = typed.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

fn item_fields(
    stored_offer: StoredValue<TemplateOffer>,
    release_item: Memo<Option<ReleaseItem>>,
    items: RwSignal<Vec<ReleaseItem>>,
) -> AnyView {
    let offer = stored_offer.get_value();
    let update = move |change: &dyn Fn(&mut ReleaseItem)| {
        items.update(|items| {
            let is_release_item = |item: &&mut ReleaseItem| {
                stored_offer.with_value(|offer| item.template == offer.template)
            };
            if let Some(item) = items.iter_mut().find(is_release_item) {
                change(item);
            }
        });
    };
    let text = move |read: fn(&ReleaseItem) -> Option<String>| {
        derived(move || read_item(release_item, read).unwrap_or_default())
    };
    let known = StoredValue::new(offer.channels.clone());
    let entries = StoredValue::new(offer.entries.clone());
    // The known names, and the chosen ones that are not known.
    let listed = move |known: StoredValue<Vec<String>>, read: fn(&ReleaseItem) -> Vec<String>| {
        derived(move || {
            let mut names = known.get_value();
            let mut chosen = read_item(release_item, read);
            chosen.retain(|name| !names.contains(name));
            names.extend(chosen);
            let item = |name| ChecklistItem {
                name,
                note: String::new(),
            };
            names.into_iter().map(item).collect::<Vec<_>>()
        })
    };
    let channels = listed(known, |item| item.channels.clone());
    let in_channels = derived(move || {
        read_item(release_item, |item| {
            item.channels.iter().cloned().collect::<BTreeSet<_>>()
        })
    });
    let choices = Signal::stored(
        offer
            .entries
            .iter()
            .map(|name| Choice::new(name.as_str(), ""))
            .collect::<Vec<_>>(),
    );
    let added = RwSignal::new(String::new());
    let skipped = derived(move || {
        read_item(release_item, |item| {
            item.skips.iter().cloned().collect::<BTreeSet<_>>()
        })
    });
    let entry_items = listed(entries, |item| item.skips.clone());
    let defaults = {
        let keeps = match &offer.default_channel {
            None => "As it is".to_owned(),
            Some(channel) => format!("As it is: {channel}"),
        };
        derived(move || {
            let chosen = read_item(release_item, |item| item.channels.clone());
            let options = chosen.into_iter().map(|name| (name.clone(), name));
            std::iter::once((String::new(), keeps.clone()))
                .chain(options)
                .collect::<Vec<_>>()
        })
    };
    let none = derived(move || match in_channels.with(BTreeSet::is_empty) {
        true => "Choose one channel at least.".to_owned(),
        false => String::new(),
    });
    let is_semver = offer.kind == SEMVER;
    let choose_channels = move |names: BTreeSet<String>| {
        let ordered = known.with_value(|known| in_order(known, names));
        update(&|item| item.channels.clone_from(&ordered));
    };
    let choose_skips = move |names: BTreeSet<String>| {
        // Entries are listed newest first; skips are written oldest first.
        let oldest_first: Vec<String> =
            entries.with_value(|known| known.iter().rev().cloned().collect());
        let ordered = in_order(&oldest_first, names);
        update(&|item| item.skips.clone_from(&ordered));
    };
    view! {
        <div class="repo-item-fields">
            <Checklist
                label="Channels"
                items=channels
                ticked=in_channels
                on_change=choose_channels
                error=none
            />
            {(!is_semver)
                .then(|| {
                    view! {
                        <ComboField
                            label="New channel"
                            value=added
                            choices=Signal::stored(Vec::new())
                            on_change=move |name: String| added.set(name)
                            on_done=move |()| {
                                let name = added.get_untracked().trim().to_owned();
                                if !name.is_empty() {
                                    update(&|item| {
                                        if !item.channels.contains(&name) {
                                            item.channels.push(name.clone());
                                        }
                                    });
                                    added.set(String::new());
                                }
                            }
                            hint="It is added when you leave the field."
                        />
                        <ComboField
                            label="Replaces"
                            value=text(|item| item.replaces.clone())
                            choices=choices
                            on_change=move |name: String| update(&|item| item.replaces = non_empty(&name))
                            hint=Signal::stored(String::new())
                        />
                        <Checklist
                            label="Skips"
                            items=entry_items
                            ticked=skipped
                            on_change=choose_skips
                        />
                        <LineField
                            label="Skip range"
                            value=text(|item| item.skip_range.clone())
                            on_change=move |range: String| update(&|item| item.skip_range = non_empty(&range))
                            hint="Such as >=1.0.0 <1.2.0."
                        />
                        <SelectField
                            label="Default channel"
                            value=text(|item| item.default_channel.clone())
                            options=defaults
                            on_change=move |name: String| update(&|item| item.default_channel = non_empty(&name))
                        />
                    }
                })}
        </div>
    }
    .into_any()
}

/// Returns known names in their order, then the others.
fn in_order(known: &[String], names: BTreeSet<String>) -> Vec<String> {
    let mut ordered: Vec<String> = known
        .iter()
        .filter(|name| names.contains(*name))
        .cloned()
        .collect();
    ordered.extend(names.into_iter().filter(|name| !known.contains(name)));
    ordered
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn a_template_is_selected_with_its_default_channel_and_predecessor() {
        let offer = TemplateOffer {
            template: "basic.yaml".into(),
            channels: vec!["fast".into(), "stable".into()],
            entries: vec!["o.v3".into(), "o.v2".into(), "o.v1".into()],
            predecessor: Some("o.v2".into()),
            default_channel: Some("stable".into()),
            ..TemplateOffer::default()
        };
        let mut items = Vec::new();
        set_ticked(&mut items, &offer, true);
        assert_eq!(
            (items[0].channels.as_slice(), items[0].replaces.as_deref()),
            (&["stable".to_owned()][..], Some("o.v2"))
        );
        set_ticked(&mut items, &offer, false);
        assert!(items.is_empty());
    }
}
