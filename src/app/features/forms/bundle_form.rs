//! The dialog for dropped bundles: targets on the left, consequences on the right. The worker
//! rereads the files after each change of the form.

use super::also_in::{AlsoIn, OtherCatalogs};
use super::apply::{APPLY_KEYS, ApplyButton, all_operations, missing_fields_note, refuse};
use super::control::PLACEMENTS;
use super::form::typed_before_note;
use crate::components::preview::{PreviewPane, follow, refusal_text};
use crate::context::{BundleDrop, drops};
use crate::edits::bundle_form_values::{
    BundleFormState, BundleInput, accepts_bundles, describe_bundle,
};
use crate::edits::command::{EditCommand, Field};
use crate::edits::drafts::BundlesText;
use crate::edits::form_values::{FieldError, FormValues, find_catalog, find_error};
use crate::edits::hints::hint;
use crate::prelude::*;
use crate::widgets::combobox::Choice;
use crate::widgets::dialog::FormDialog;
use crate::widgets::fields::{
    Check, ComboField, LineField, SelectField, error_note, select_options,
};
use protocol::bundles::{BundleMessage, BundlePlacement, BundleRow, DroppedBundles};
use protocol::operation::{EditOp, PromoteAs};
use protocol::request::PreviewScope;

/// State shared by the parts of the form.
#[derive(Clone, Copy)]
pub(super) struct BundleForm {
    pub(super) app: AppContext,
    dropped: StoredValue<BundleDrop, LocalStorage>,
    pub(super) input: RwSignal<BundleInput>,
    /// The name of the target catalog.
    catalog: RwSignal<String>,
    /// The last answer of the worker, with the query it answers.
    pub(super) answer: RwSignal<(BundlePlacement, DroppedBundles)>,
    /// Why the last query failed; "" if it succeeded.
    failure: RwSignal<String>,
    /// The channel that the bundles were dropped on.
    lane: StoredValue<Option<String>>,
    lacks_image: bool,
    /// Whether the user has tried to apply: only then errors are shown.
    tried: RwSignal<bool>,
    press: Press,
}

impl BundleForm {
    fn new(app: AppContext, dropped: BundleDrop) -> Self {
        let root = drops::catalog_for_bundles(app).unwrap_or_default();
        let bundles = &dropped.content.bundles;
        // Deselect the bundles that the catalog already has, unless it has all of them.
        let left_out = if bundles.iter().all(|row| row.is_there) {
            Default::default()
        } else {
            let present = bundles.iter().filter(|row| row.is_there);
            present.map(|row| row.name.clone()).collect()
        };
        let is_same_package = bundles
            .iter()
            .all(|row| row.package == dropped.place.package);
        let lane = Some(dropped.place.channel.clone())
            .filter(|channel| is_same_package && !channel.is_empty());
        let placement = BundlePlacement {
            root: root.clone(),
            ..BundlePlacement::default()
        };
        Self {
            app,
            input: RwSignal::new(BundleInput {
                left_out,
                ..BundleInput::default()
            }),
            catalog: RwSignal::new(app.current.name_of_catalog(&root)),
            lacks_image: bundles.iter().any(|row| row.image.is_empty()),
            answer: RwSignal::new((placement, dropped.content.clone())),
            failure: RwSignal::default(),
            lane: StoredValue::new(lane),
            tried: RwSignal::new(false),
            press: Press::default(),
            dropped: StoredValue::new_local(dropped),
        }
    }

    fn draft(self) -> BundlesText {
        BundlesText {
            names: self.dropped.with_value(|dropped| {
                dropped
                    .content
                    .bundles
                    .iter()
                    .map(|row| row.name.clone())
                    .collect()
            }),
            catalog: self.catalog.get_untracked(),
            input: self.input.get_untracked(),
        }
    }

    fn restore(self, text: BundlesText) {
        self.catalog.set(text.catalog);
        self.input.set(text.input);
    }

    /// Calls `read` with the current state of the form.
    pub(super) fn with_state<T>(self, read: impl FnOnce(BundleFormState<'_>) -> T) -> T {
        self.input.with(|input| {
            self.answer.with(|(_, bundles)| {
                self.lane.with_value(|lane| {
                    read(BundleFormState {
                        input,
                        dropped: bundles,
                        lane: lane.as_deref(),
                        lacks_image: self.lacks_image,
                    })
                })
            })
        })
    }

    fn root(self) -> Option<String> {
        let roots = self.app.store.status.with(|status| status.roots.clone());
        self.catalog
            .with(|name| find_catalog(&roots, name).map(str::to_owned))
    }

    /// Returns the query for the worker; `None` if no catalog has the typed name.
    fn placement(self) -> Option<BundlePlacement> {
        let root = self.root()?;
        let file = self.app.drops.first_package_file(&root);
        Some(self.with_state(|state| state.placement(&root, &file)))
    }

    /// Returns the operations for the current values, or `before` until the worker has answered.
    fn ops(self, before: Option<Vec<EditOp>>) -> Option<Vec<EditOp>> {
        let current = self
            .placement()
            .filter(|_| !self.with_state(|state| state.adds_nothing()))?;
        self.answer.with(|(placement, read)| match &read.ops.0 {
            _ if *placement != current => before,
            ops => (!ops.is_empty()).then(|| ops.clone()),
        })
    }

    async fn query(self, placement: BundlePlacement) {
        let Some(files) = self.dropped.try_with_value(|dropped| dropped.files.clone()) else {
            return;
        };
        match drops::read_bundles(self.app, &files, placement.clone()).await {
            Ok(read) => {
                self.failure.try_set(String::new());
                self.answer.try_set((placement, read));
            }
            Err(reason) => drop(self.failure.try_set(reason)),
        }
    }

    fn follow_placement(self) {
        let request = derived(move || {
            let placement = self.placement()?;
            self.answer
                .with(|(answered, _)| *answered != placement)
                .then_some(placement)
        });
        debounced_query(request, move |placement| async move {
            self.query(placement).await;
            None::<()>
        });
    }

    fn errors(self) -> Vec<FieldError> {
        let mut errors = self.with_state(|state| state.errors());
        if self.root().is_none() {
            errors.push(FieldError::new(
                Field::Catalog,
                "no catalog of this name is open",
            ));
        }
        errors
    }

    /// Returns the error of a field, which is shown after the first attempt to apply.
    pub(super) fn error(self, field: Field) -> Signal<String> {
        derived(move || {
            if !self.tried.get() {
                return String::new();
            }
            find_error(&self.errors(), field)
        })
    }

    /// Returns the target template; `None` if the target is a catalog.
    fn template(self) -> Option<String> {
        self.answer
            .with(|(placement, read)| read.target.is_template().then(|| placement.root.clone()))
    }

    pub(super) fn is_for_template(self) -> bool {
        self.answer.with(|(_, read)| read.target.is_template())
    }
}

#[component]
pub fn BundleDialog(dropped: BundleDrop) -> impl IntoView {
    let app = app_context();
    let form = BundleForm::new(app, dropped);
    let opened = StoredValue::new(form.draft());
    let draft = app
        .overlays
        .kept
        .try_update_value(|kept| opened.with_value(|opened| kept.bundles.take(opened)));
    let is_typed_before = RwSignal::new(false);
    if let Some(draft) = draft.flatten() {
        form.restore(draft);
        is_typed_before.set(true);
    }
    form.follow_placement();
    // The last preview stays while the user types.
    let ops = memo(move |before: Option<&Option<_>>| form.ops(before.cloned().flatten()));
    let live = follow(app, PreviewScope::Lacking, ops.into());
    let others = OtherCatalogs::follow(live);
    let on_open = move |node: web_sys::HtmlFormElement| {
        let is_missing =
            untrack(|| form.with_state(|state| state.image().is_empty() && !state.adds_nothing()));
        match (is_missing, is_typed_before.get_untracked()) {
            (true, _) => dom::focus_first_empty(&node),
            (false, true) => _ = dom::focus_first(".form-inputs"),
            (false, false) => _ = dom::focus_first(".form-fields"),
        }
    };
    let start_again = Callback::new(move |()| {
        is_typed_before.set(false);
        form.restore(opened.get_value());
        form.tried.set(false);
        // The pressed button disappears, which loses the focus: restore it.
        request_animation_frame(|| _ = dom::focus_first(".form-inputs"));
    });
    let keep_and_close = move |()| {
        let (opened, now) = (opened.get_value(), form.draft());
        let typed = (now != opened).then_some(now);
        app.overlays
            .kept
            .update_value(|kept| kept.bundles.keep(opened, typed));
        app.overlays.close();
    };
    // The names of the missing fields; nothing can be applied until they are filled in.
    let missing = derived(move || {
        let lacks = form
            .errors()
            .iter()
            .any(|error| error.field == Field::Image);
        let is_empty = form.with_state(|state| state.image().is_empty());
        if lacks && is_empty {
            Field::Image.label().to_owned()
        } else {
            String::new()
        }
    });
    let adds_nothing = memo(move |_| form.with_state(|state| state.adds_nothing()));
    let is_missing =
        memo(move |_| adds_nothing.get() || missing.with(|missing| !missing.is_empty()));
    let note = dom::fresh_id("why-not");
    let foot_note = move || match (adds_nothing.get(), missing.get()) {
        (true, _) => "Nothing to add.".to_owned(),
        (false, missing) if missing.is_empty() => APPLY_KEYS.to_owned(),
        (false, missing) => missing_fields_note(&missing),
    };
    let apply = move || {
        form.tried.set(true);
        if untrack(|| form.errors().is_empty() && !adds_nothing.get()) && form.press.begin() {
            spawn_local(async move {
                let Some(placement) = untrack(|| form.placement()) else {
                    return form.press.end();
                };
                if form
                    .answer
                    .with_untracked(|(answered, _)| *answered != placement)
                {
                    form.query(placement.clone()).await;
                }
                let ops = live.chosen_ops().or_else(|| untrack(|| form.ops(None)));
                let Some(ops) = ops.filter(|_| !form.press.is_gone()) else {
                    return form.press.end();
                };
                let (title, place) = untrack(|| {
                    (
                        form.with_state(|state| state.title()),
                        form.with_state(|state| shown_package(state, &placement.root)),
                    )
                });
                if let Some((all, others)) =
                    all_operations(app, live, others, form.press, ops).await
                {
                    let title = if others == 0 {
                        title
                    } else {
                        format!("{title}, in {} catalogs", others + 1)
                    };
                    let refused = move |refusal| refuse(live, form.press, refusal);
                    match untrack(|| form.template()) {
                        Some(template) => {
                            drops::apply_to_template(app, title, all, template, refused)
                        }
                        None => drops::apply_and_show(app, title, all, place, refused),
                    }
                }
            });
        }
    };
    let has_any = form
        .dropped
        .with_value(|dropped| !dropped.content.bundles.is_empty());
    let has_bundles = move || form.answer.with(|(_, read)| !read.bundles.is_empty());
    let title = form
        .dropped
        .with_value(|dropped| match dropped.content.bundles.as_slice() {
            [] => "Not added".to_owned(),
            [one] => format!("Add {}", one.name),
            several => format!("Add {}", words::count(several.len() as u32, "bundle")),
        });
    let help = move || match (has_any, form.is_for_template()) {
        (true, false) => view! {
            "Adds what " <code>"opm render"</code>
            " reads, in the file and style of the package's other bundles if it has any."
        }
        .into_any(),
        (true, true) => {
            "Adds its image to the template. The bundle is opened too, so that the template can be \
                         rendered with it."
                .into_any()
        }
        (false, _) => {
            view! { <code>"opm render"</code> " rejects it too. Correct it and drop it again." }
                .into_any()
        }
    };
    let failure_note = move || {
        let failure = form.failure.get();
        let message = format!("The files cannot be read: {failure}.");
        (!failure.is_empty()).then(|| view! { <p class="field-error">{message}</p> })
    };
    let other_roots = derived(move || others.selected_roots());
    let side = has_any.then(|| {
        view! {
            <Show when=move || !adds_nothing.get() fallback=move || nothing_to_add(form)>
                <PreviewPane app live also=other_roots missing>{failure_note}</PreviewPane>
            </Show>
        }
    });
    let alternative = move || match form.template() {
        Some(template) => {
            let use_only = move |()| drops::use_bundles_for_rendering(app, template.clone());
            view! { <Button label="Use for rendering only" look=Look::Quiet on_press=use_only/> }
        }
        None => {
            let open = move |()| drops::open_bundles_as_catalog(app);
            view! { <Button label="Open as a catalog instead" look=Look::Quiet on_press=open/> }
        }
    };
    let verb = derived(move || {
        if form.is_for_template() {
            "Add to the template"
        } else {
            "Apply"
        }
    });
    let foot = view! {
        {alternative}
        <p class="form-foot-note dim" id=note.clone()>{foot_note}</p>
        <Button label="Cancel" on_press=move |()| app.overlays.close()/>
        <Show when=has_bundles>
            <ApplyButton app others note=note.clone() disabled=is_missing verb/>
        </Show>
    };
    view! {
        <FormDialog
            title
            on_open
            on_close=keep_and_close
            on_submit=move |()| apply()
            side=side.into_any()
            foot=foot.into_any()
        >
            <p class="form-help">{help}</p>
            {move || is_typed_before.get().then(|| typed_before_note(start_again))}
            <AlsoIn app others package=derived(|| None::<String>)/>
            <div class="form-inputs" prop:inert=move || live.has_alternative()>
                <Refusals form/>
                <Advice form/>
                <Show when=has_bundles>
                    <Fields form/>
                </Show>
            </div>
        </FormDialog>
    }
    .into_any()
}

/// Replaces the preview if the catalog already has all bundles.
fn nothing_to_add(form: BundleForm) -> AnyView {
    let explanation = move || {
        let bundles = form.with_state(|state| match state.only_row() {
            Some(row) => format!("`{}`", row.name),
            None => "these bundles".to_owned(),
        });
        let catalog = form.catalog.get();
        format!("{catalog} already has {bundles}, in the channels that are ticked. Nothing to add.")
    };
    view! {
        <section class="preview" aria-label="Preview" tabindex="0">
            <p class="preview-note">{move || in_code(&explanation())}</p>
        </section>
    }
    .into_any()
}

/// Returns the root and the package to show after the bundles are added.
fn shown_package(state: BundleFormState<'_>, root: &str) -> (String, String) {
    let package = state
        .dropped
        .bundles
        .first()
        .map_or_else(String::new, |row| row.package.clone());
    (root.to_owned(), package)
}

#[component]
fn Fields(form: BundleForm) -> impl IntoView {
    let app = form.app;
    let catalogs = derived(move || {
        app.store.status.with(|status| {
            let catalogs = status.roots.iter().filter(|row| accepts_bundles(row));
            let choice = |row: &protocol::views::RootRow| {
                let note = row.template.as_ref().map_or_else(
                    || words::count(row.packages, "package"),
                    |template| template.kind.clone(),
                );
                Choice::new(app.current.name_of_catalog(&row.root), note)
            };
            catalogs.map(choice).collect::<Vec<_>>()
        })
    });
    let image_hint = move || {
        let bundle_image = form
            .with_state(|state| state.only_row().map(|row| row.image.clone()))
            .filter(|_| !form.lacks_image);
        match bundle_image {
            Some(image) => format!("Leave empty to use the bundle's own, {image}."),
            None => {
                let is_guess = form
                    .with_state(|state| state.input.image.is_none() && !state.image().is_empty());
                let source = is_guess.then_some("Filled in from the newest bundle's image. ");
                source.unwrap_or_default().to_owned()
                    + "An image reference, or a template for it with {{.Package}}, {{.Name}} and {{.Version}}."
            }
        }
    };
    let drop_note = form.dropped.with_value(|dropped| {
        let other = dropped
            .content
            .bundles
            .iter()
            .find(|row| row.package != dropped.place.package);
        other
            .filter(|_| !dropped.place.package.is_empty())
            .map(|row| {
                format!(
                    "It belongs to package {}, but you dropped it on {}.",
                    row.package, dropped.place.package
                )
            })
    });
    let image_field = move || {
        view! {
            <ComboField
                label="Image"
                value=derived(move || form.with_state(|state| state.image()))
                choices=derived(move || form.with_state(|state| state.image_choices()))
                on_change=move |text: String| form.input.update(|input| input.image = Some(text))
                hint=derived(image_hint)
                error=form.error(Field::Image)
            />
        }
    };
    // Fields for what the files do not contain come first.
    let is_image_first = form.lacks_image;
    view! {
        {is_image_first.then(image_field)}
        <ComboField
            label="Catalog"
            value=form.catalog
            choices=catalogs
            on_change=move |text: String| form.catalog.set(text)
            error=form.error(Field::Catalog)
        />
        {drop_note.map(|text| view! { <p class="field-hint">{text}</p> })}
        <Bundles form/>
        {(!is_image_first).then(image_field)}
        {new_package_note(form)}
        <Channels form/>
        <Entry form/>
    }
    .into_any()
}

/// Dropped items that are not valid bundles for `opm`, with location and remedy.
#[component]
fn Refusals(form: BundleForm) -> impl IntoView {
    let refused = memo(move |_| form.answer.with(|(_, read)| read.refused.clone()));
    move || refused.get().into_iter().map(refusal_view).collect_view()
}

/// Parts of the bundles that `opm` accepts but ignores, with location and remedy.
#[component]
fn Advice(form: BundleForm) -> impl IntoView {
    let advice = memo(move |_| form.answer.with(|(_, read)| read.advice.clone()));
    view! {
        <Show when=move || advice.with(|advice| !advice.is_empty())>
            <section class="bundle-advice" aria-label="Advice">
                <h3 class="preview-title">"Advice"</h3>
                <ul>{move || advice.get().into_iter().map(advice_view).collect_view()}</ul>
            </section>
        </Show>
    }
    .into_any()
}

fn advice_view(advice: BundleMessage) -> impl IntoView {
    let location = location(&advice);
    view! {
        <li>
            <p class="form-remark"><Glyph icon=Icon::Warning/> <span>{in_code(&advice.message)}</span></p>
            {location.map(|location| view! { <p class="mono">{location}</p> })}
            {(!advice.help.is_empty()).then(|| view! { <p class="field-hint">{in_code(&advice.help)}</p> })}
        </li>
    }
}

/// Formats the location as far as it is known, e.g. `manifests/csv.yaml:12`.
fn location(message: &BundleMessage) -> Option<String> {
    match (message.file.as_str(), message.line) {
        ("", _) => None,
        (file, 0) => Some(file.to_owned()),
        (file, line) => Some(format!("{file}:{line}")),
    }
}

fn refusal_view(refused: BundleMessage) -> impl IntoView {
    let heading = format!("{} is not added: ", refused.source);
    announce::alert(format!("{heading}{}", refused.message));
    view! {
        <div class="refusal">{refusal_text(&heading, &refused.message, &refused.help, location(&refused))}</div>
    }
}

/// The bundles. If there are several, each can be deselected.
#[component]
fn Bundles(form: BundleForm) -> impl IntoView {
    let rows = memo(move |_| form.answer.with(|(_, read)| read.bundles.clone()));
    let (id, error) = (dom::fresh_id("bundles"), form.error(Field::Bundle));
    view! {
        <fieldset class="also-in" aria-labelledby=id.clone()>
            <legend class="field-label" id=id.clone()>{move || if rows.with(Vec::len) == 1 { "Bundle" } else { "Bundles" }}</legend>
            {move || {
                let rows = rows.get();
                let are_several = rows.len() > 1;
                rows.into_iter().map(|row| bundle_row(form, row, are_several)).collect_view()
            }}
            {error_note(error)}
        </fieldset>
    }
    .into_any()
}

fn bundle_row(form: BundleForm, row: BundleRow, are_several: bool) -> impl IntoView {
    let note = dom::fresh_id("note");
    let facts = describe_bundle(&row);
    let presence = row.is_there.then_some(if form.is_for_template() {
        "The template already has it."
    } else {
        "The catalog already has a bundle of this name; it is not changed."
    });
    let name = row.name.clone();
    let label = if are_several {
        let ticked = name.clone();
        let is_ticked = move || form.input.with(|input| !input.left_out.contains(&ticked));
        view! {
            <Check
                checked=derived(is_ticked)
                on_change=move |is_on| form.input.update(|input| {
                    if is_on {
                        input.left_out.remove(&name);
                    } else {
                        input.left_out.insert(name.clone());
                    }
                })
                described_by=note.clone()
            >
                <span class="mono">{row.name}</span>
            </Check>
        }
        .into_any()
    } else {
        view! { <p class="mono">{name}</p> }.into_any()
    };
    view! {
        <div class="also-in-row">
            {label}
            <p class=if are_several { "also-in-note" } else { "field-hint" } id=note>
                <span>{facts}</span>
                {presence.map(|sentence| view! { <span>" · "{sentence}</span> })}
            </p>
        </div>
    }
}

/// Renders the note about the source of the fields of new packages.
fn new_package_note(form: BundleForm) -> impl IntoView {
    let text = memo(move |_| {
        form.answer
            .with(|(_, read)| match read.new_packages.as_slice() {
                [] => None,
                [new] => Some(format!(
                    "The catalog does not have package {} yet. It is created from the bundle.",
                    new.name
                )),
                _ => Some("New packages are filled in from their newest bundle.".to_owned()),
            })
    });
    move || {
        text.get()
            .map(|text| view! { <p class="field-hint">{text}</p> })
    }
}

/// The target channels.
#[component]
fn Channels(form: BundleForm) -> impl IntoView {
    let channels = memo(move |_| form.with_state(|state| state.channels()));
    let names = memo(move |_| {
        channels.with(|all| {
            all.iter()
                .map(|channel| (channel.name.clone(), channel.is_new))
                .collect::<Vec<_>>()
        })
    });
    let is_ticked = move |name: &str| {
        channels.with(|all| {
            all.iter()
                .any(|channel| channel.name == name && channel.is_ticked)
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
                        let (ticked, changed) = (name.clone(), name.clone());
                        view! {
                            <Check
                                checked=derived(move || is_ticked(&ticked))
                                on_change=move |is_on| form.input.update(|input| _ = input.channels.insert(changed.clone(), is_on))
                            >
                                <span>{name} {is_new.then(|| view! { <span class="dim">" (new)"</span> })}</span>
                            </Check>
                        }
                    }
                </For>
            </div>
            <Show
                when=move || form.with_state(|state| state.can_create_channels())
                fallback=|| {
                    view! { <p class="field-hint">"These are the template's lists of bundles; rendering derives the channels from the versions."</p> }
                }
            >
                <LineField
                    label="Other channels"
                    value=derived(move || form.input.with(|input| input.other_channels.clone()))
                    on_change=move |text: String| form.input.update(|input| input.other_channels = text)
                    hint=Signal::stored("Channels to add: one name, or several separated by commas.".to_owned())
                />
            </Show>
            {error_note(error)}
        </fieldset>
    }
    .into_any()
}

/// The position in the channels, as in *Promote bundle…*. Several bundles are added in version
/// order.
#[component]
fn Entry(form: BundleForm) -> impl IntoView {
    let field_hint = move |field: Field, text: String| {
        let values = FormValues::default().with(field, text);
        hint(EditCommand::Promote, field, &values).to_owned()
    };
    let how = derived(move || {
        let how = form.input.with(|input| input.how);
        how.map_or("", PromoteAs::as_str).to_owned()
    });
    view! {
        <Show
            when=move || form.with_state(|state| state.has_entry_fields())
            fallback=|| view! { <p class="field-hint">"Each bundle is placed by its version."</p> }
        >
            <SelectField
                label="As"
                value=how
                options=Signal::stored(select_options(PLACEMENTS))
                on_change=move |text: String| form.input.update(|input| input.how = PromoteAs::parse(&text))
                hint=derived(move || field_hint(Field::As, how.get()))
            />
            <ComboField
                label="Replaces"
                value=derived(move || form.input.with(|input| input.replaces.clone()))
                choices=derived(move || form.with_state(|state| state.replaces_choices()))
                on_change=move |text: String| form.input.update(|input| input.replaces = text)
                hint=Signal::stored(field_hint(Field::Replaces, String::new()))
            />
            <ComboField
                label="Skip range"
                value=derived(move || form.with_state(|state| state.skip_range()))
                choices=derived(move || form.with_state(|state| state.skip_range_choices()))
                on_change=move |text: String| form.input.update(|input| input.skip_range = Some(text))
                hint=Signal::stored("From the bundle's olm.skipRange, else like the channel's newest entries. Empty: no range.".to_owned())
            />
        </Show>
    }
    .into_any()
}
