//! The dialog of an edit command: fields on the left, preview on the right.

use super::also_in::{AlsoIn, OtherCatalogs};
use super::apply::{ApplyFoot, all_operations, refuse};
use super::control::control;
use super::form::{Form, typed_before_note};
use super::withdraw_head::WithdrawHead;
use crate::commands::Command;
use crate::components::deprecation_preview::{DeprecationPreview, deprecation_text};
use crate::components::preview::{LivePreview, PreviewPane, follow};
use crate::components::templates::{FormNote, show_package_in_template};
use crate::context::drops;
use crate::edits::applicable::find_refusal;
use crate::edits::bundle_forms::fill_copy_form;
use crate::edits::command::{EditCommand, Field};
use crate::edits::form_values::{
    FormContext, FormParts, FormValues, catalog_name, entry_names, is_set_by_entries,
};
use crate::edits::prefill::prefills_only_choice;
use crate::edits::titles::title;
use crate::prelude::*;
use crate::reactive::Attempts;
use crate::widgets::dialog::{FormDialog, Size};
use crate::widgets::short_text::rest_item;
use protocol::operation::EditOp;
use protocol::query::Inspect;
use protocol::request::{PackageRequest, PreviewScope, Target};
use protocol::response::PackageView;
use protocol::templates::RenderedFrom;
use std::sync::Arc;

/// Maximum number of selected entries named.
const MAX_NAMED: usize = 6;
/// Replaces the command's help while an alternative is selected.
const ALTERNATIVE_HELP: &str = "An alternative is selected: Apply uses it instead of these fields.";

#[component]
pub fn CommandForm(command: EditCommand, values: FormValues) -> impl IntoView {
    let app = app_context();
    let known = FormContext {
        roots: app
            .store
            .status
            .with_untracked(|status| status.roots.clone()),
        packages: app
            .store
            .packages
            .with_untracked(|rows| rows.iter().map(|row| row.name.clone()).collect()),
        view: Some(app.current.view.get_untracked()),
        description: String::new(),
    };
    let values = if command.is_copy() {
        fill_copy_form(values, &known)
    } else {
        values
    };
    let initial_fields = values.filled_fields();
    let opened = StoredValue::new(values.clone());
    let form = Form {
        app,
        command,
        // Treat values passed by the caller as typed.
        touched: RwSignal::new(initial_fields.clone()),
        values: RwSignal::new(values),
        known: RwSignal::new(known),
        tried: RwSignal::new(false),
        typing: RwSignal::new(None),
        inputs: Attempts::default(),
        press: Press::default(),
    };
    form.fill();
    follow_package(form);
    let operations = memo(move |_| form.operations());
    let is_half_typed = memo(move |_| form.is_half_typed());
    let previewed = move || operations.get().ok().filter(|_| !is_half_typed.get());
    // In the other catalogs, create a package only if it is missing.
    let scope = if command == EditCommand::AddPackage {
        PreviewScope::Lacking
    } else {
        PreviewScope::All
    };
    let live = follow(app, scope, derived(previewed));
    let others = OtherCatalogs::follow(live);
    let errors = memo(move |_| match (form.tried.get(), operations.get()) {
        (true, Err(errors)) => errors,
        _ => Vec::new(),
    });
    let missing = derived(move || {
        let empty = |field: &Field| form.values.with(|values| values.get(*field).is_empty());
        let errors = operations.get().err().unwrap_or_default();
        let fields = errors.iter().map(|error| error.field).filter(empty);
        match fields.map(Field::label).collect::<Vec<_>>().as_slice() {
            [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
            names => names.concat(),
        }
    });
    let not_chosen = derived(move || form.not_chosen());
    let apply = move || {
        if !live.has_alternative() {
            if command == EditCommand::Promote {
                // A version that identifies a bundle selects it, even while the field still has the
                // focus.
                form.leave(Field::Bundle);
            }
            if !not_chosen.get_untracked().is_empty() {
                return;
            }
        }
        form.tried.set(true);
        if live.is_refused() {
            return;
        }
        if let Ok(ops) = live
            .chosen_ops()
            .map_or_else(|| operations.get_untracked(), Ok)
            && form.press.begin()
        {
            apply_everywhere(app, live, others, form.press, ops);
        }
    };
    let entries = form
        .values
        .with_untracked(|values| entry_names(command, values.several()));
    let is_for_several = !entries.is_empty();
    let channels = form
        .known
        .with_untracked(|known| known.view.as_ref().map_or(0, |view| view.channels.len()));
    let mut parts = form
        .values
        .with_untracked(|values| FormParts::new(command, &initial_fields, values, channels));
    parts
        .main
        .retain(|field| !(is_for_several && is_set_by_entries(command, *field)));
    let has_single_field = matches!(
        parts.main.as_slice(),
        [field] if prefills_only_choice(command, *field)
    );
    let asks_only_then = parts.main == [Field::Then];
    let size = if parts.main.len() + parts.more.len() == 1 {
        Size::SmallForm
    } else {
        Size::Form
    };
    let FormParts { known, main, more } = parts;
    let controls = move |fields: Vec<Field>| {
        fields
            .into_iter()
            .map(|field| control(form, field, errors))
            .collect_view()
    };
    let node = NodeRef::<html::Form>::new();
    let ignores_template = RwSignal::new(false);
    let rendered_from = derived(move || form.rendered_from().filter(|_| !ignores_template.get()));
    // The pressed button disappears, which loses the focus: restore it.
    let restore_focus = move || {
        request_animation_frame(move || {
            if let Some(form) = node.get_untracked() {
                dom::focus_first_empty(&form);
            }
        });
    };
    // Only now, so that the fields are restored as they were.
    let is_typed_before = RwSignal::new(form.take_kept(opened));
    let initial_fields = StoredValue::new(initial_fields);
    let start_again = Callback::new(move |()| {
        is_typed_before.set(false);
        form.start_again(opened.get_value(), initial_fields.get_value());
        restore_focus();
    });
    let to_template = Callback::new(move |from: RenderedFrom| {
        let package = untrack(|| form.text(Field::Package));
        if from.holds_entries {
            let template = form
                .known
                .with_untracked(|known| catalog_name(&known.roots, &from.template));
            form.set(Field::Catalog, template);
            restore_focus();
        } else {
            app.overlays.close();
        }
        show_package_in_template(app, from, package);
    });
    let ignore_template = Callback::new(move |()| {
        ignores_template.set(true);
        restore_focus();
    });
    let package = derived(move || (!command.adds_package()).then(|| form.text(Field::Package)));
    let typing = form.typing;
    // A field prefilled with its only choice still gets the focus.
    let on_open = move |form: web_sys::HtmlFormElement| {
        // Do not interrupt a user who has started typing.
        if typing.try_get_untracked() != Some(None) {
            return;
        }
        if !has_single_field && is_typed_before.get_untracked() {
            // All fields may be filled, and Enter on the submit button would apply the form.
            dom::focus_first_in(
                &form,
                ".form-inputs input:not([type='radio']), .form-inputs textarea",
            );
        } else if has_single_field
            || asks_only_then
            || command.is_copy()
            || command == EditCommand::AddChannel
        {
            // The first field may be filled in already, but decides about the others. On the submit
            // button, Enter would apply what nobody has read.
            dom::focus_first_in(&form, ".form-inputs :is(input, select)");
        } else {
            dom::focus_first_empty(&form);
        }
        // The hint that bundle files contain everything is above the field: show it first.
        if command == EditCommand::AddBundle {
            dom::scroll_to_top(&form, ".form-fields");
        }
    };
    app.overlays
        .register_form(Callback::new(move |()| form.keep(opened)));
    // An alternative to a refused withdrawal is not a withdrawal: use its own title.
    let heading = derived(move || {
        let title = live.chosen_title();
        let title = title.filter(|_| command == EditCommand::Withdraw);
        title.unwrap_or_else(|| command.label().to_owned())
    });
    let is_alternative = move || live.has_alternative();
    let addition = match command {
        EditCommand::Deprecate => {
            let deprecation_text = derived(move || {
                form.known.with(|known| {
                    form.values
                        .with(|values| deprecation_text(values, known.view.as_deref()?))
                })
            });
            view! { <DeprecationPreview deprecation_text/> }.into_any()
        }
        EditCommand::Withdraw => view! { <WithdrawHead form live/> }.into_any(),
        EditCommand::Promote => (move || offer_channel(form, live)).into_any(),
        _ => ().into_any(),
    };
    let other_roots = derived(move || others.selected_roots());
    let side = view! {
        <PreviewPane app live also=other_roots missing has_fixes=command == EditCommand::Withdraw>{addition}</PreviewPane>
    };
    view! {
        <FormDialog
            title=heading
            node
            size
            on_open
            on_close=move |()| {
                form.keep(opened);
                app.overlays.close();
            }
            on_submit=move |()| apply()
            side=side.into_any()
            foot=view! { <ApplyFoot app live others missing not_chosen/> }.into_any()
        >
            <p class="form-help">{move || if is_alternative() { ALTERNATIVE_HELP } else { command.help() }}</p>
            {move || is_typed_before.get().then(|| typed_before_note(start_again))}
            {(command == EditCommand::AddBundle).then(|| bundle_files_note(app))}
            <div class="form-known" prop:inert=is_alternative>{controls(known)}</div>
            {(!command.is_copy()).then(|| view! { <AlsoIn app others package/> })}
            <div class="form-inputs" prop:inert=is_alternative>
                <FormNote app from=rendered_from on_template=to_template on_ignore=ignore_template/>
                {is_for_several.then(|| selected_entries(entries))}
                {controls(main)}
                {(!more.is_empty()).then(|| view! {
                    <details class="form-more" open hidden=move || command == EditCommand::Promote && form.computes_edges()>
                        <summary>"More"</summary>
                        <div class="form-inputs">{controls(more)}</div>
                    </details>
                })}
            </div>
        </FormDialog>
    }
    .into_any()
}

/// Offers to add the channel, if a refused promotion names a missing one.
fn offer_channel(form: Form, live: LivePreview) -> Option<impl IntoView> {
    if !live.is_refused() || live.has_alternative() {
        return None;
    }
    let mut ops = form.operations().ok()?;
    let EditOp::Promote {
        catalog,
        package,
        to,
        ..
    } = ops.first()?
    else {
        return None;
    };
    let view = form.view()?;
    let can_be_added =
        !view.computes_edges() && find_refusal(EditCommand::AddChannel, &view).is_none();
    if !can_be_added || view.channels.contains(to) {
        return None;
    }
    let label = format!("Add channel {to} and promote to it");
    let add = EditOp::AddChannel {
        catalog: catalog.clone(),
        package: package.clone(),
        channel: to.clone(),
        from: None,
    };
    ops.insert(0, add);
    let title = label.clone();
    Some(
        view! { <Button label on_press=move |()| live.choose_alternative(title.clone(), ops.clone())/> },
    )
}

/// Applies the operations here and in the selected catalogs as one step.
fn apply_everywhere(
    app: AppContext,
    live: LivePreview,
    others: OtherCatalogs,
    press: Press,
    ops: Vec<EditOp>,
) {
    spawn_local(async move {
        let Some((all, others)) = all_operations(app, live, others, press, ops.clone()).await
        else {
            return;
        };
        let (title, refused) = (title(&ops, others), move |refusal| {
            refuse(live, press, refusal)
        });
        match ops.as_slice() {
            // Show the created object.
            [
                EditOp::AddPackage {
                    catalog, package, ..
                },
            ] => {
                let root = catalog
                    .clone()
                    .unwrap_or_else(|| app.store.root.get_untracked());
                drops::apply_and_show(app, title, all, (root, package.clone()), refused);
            }
            _ => app.apply_and_close(title, all, || (), refused),
        }
    });
}

/// Updates the sources of suggestions when *Catalog* or *Package* changes.
fn follow_package(form: Form) {
    let root = memo(move |_| form.root());
    let package = memo(move |_| form.text(Field::Package));
    let app = form.app;
    let set_view = move |view: Option<Arc<PackageView>>| {
        if form.known.try_update(|known| known.view = view).is_some() {
            form.fill();
        }
    };
    effect(move |_| {
        let (Some(root), package) = (root.get(), package.get()) else {
            return;
        };
        if app.store.root.get() == root && app.current.package.get() == package {
            // The current view may still show the previous package: wait for the new one. Ignore
            // the change made by this form.
            let view = Some(app.current.view.get())
                .filter(|view| view.root == root && view.package == package);
            if !form.press.is_under_way() {
                set_view(view);
            }
            return;
        }
        spawn_local(async move {
            let query = PackageRequest::new(root.clone(), package.clone());
            let view = app.store.ask(query).await.ok();
            if form.concerns(&root, &package) {
                set_view(view.map(Arc::new));
            }
        });
    });
    if form.command.changes_description() {
        effect(move |_| {
            let (Some(root), package) = (root.get(), package.get()) else {
                return;
            };
            spawn_local(async move {
                let query = Inspect {
                    root,
                    package,
                    target: Target::Package,
                };
                let answer = app.store.ask(query).await;
                let description =
                    answer.map_or_else(|_| String::new(), |inspection| inspection.description);
                if form
                    .known
                    .try_update(|known| known.description = description)
                    .is_some()
                {
                    form.fill();
                }
            });
        });
    }
}

/// Suggests the form for bundle files, which contain more than fields can express.
fn bundle_files_note(app: AppContext) -> impl IntoView {
    let run = move |command: Command| {
        move |()| {
            app.overlays.close_for_files();
            command.run(app);
        }
    };
    view! {
        <div class="form-files" role="group" aria-label="From its files">
            <p>"If you have the bundle’s files, add them instead: they contain everything but its image."</p>
            <Button label=Command::BundleFolder.label() on_press=run(Command::BundleFolder)/>
            <Button label=Command::BundleFile.label() on_press=run(Command::BundleFile)/>
        </div>
    }
}

/// Renders the entries that the form applies to.
fn selected_entries(names: Vec<String>) -> AnyView {
    let (count, more) = (names.len() as u32, names.len().saturating_sub(MAX_NAMED));
    view! {
        <div class="form-several" role="group" aria-label="For">
            <p class="field-label">{format!("For {}", words::count(count, "selected thing"))}</p>
            <ul class="form-several-names">
                {names.into_iter().take(MAX_NAMED).map(|name| view! { <li class="mono">{name}</li> }).collect_view()}
                {rest_item(more)}
            </ul>
        </div>
    }
    .into_any()
}
