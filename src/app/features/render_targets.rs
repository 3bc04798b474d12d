//! *Render to catalogs…*: a template's target catalogs, whether each is up to date, and actions to
//! render them again or add a version. Shows a preview before applying.

use crate::components::preview::{LiveAnswer, RefusalNote, answer_view};
use crate::context::templates;
use crate::prelude::*;
use crate::widgets::dialog::Dialog;
use crate::widgets::fields::LineField;
use crate::words::count;
use protocol::counting::first_of;
use protocol::query::ListRenderTargets;
use protocol::response::OperationRefusal;
use protocol::templates::{OPM_DIFFERENCE, RenderState, RenderTarget, RenderTargets};

/// Maximum number of blobs and of bundles named.
const MAX_NAMED: usize = 5;

/// State shared by the parts of the dialog.
#[derive(Clone, Copy)]
struct RenderDialog {
    app: AppContext,
    press: Press,
    /// Why the last action failed.
    refused: RwSignal<Option<OperationRefusal>>,
}

impl RenderDialog {
    fn render(self, targets: &RenderTargets, catalogs: Vec<String>) {
        let (app, targets) = (self.app, targets.clone());
        self.run(async move { templates::preview_render(app, &targets, catalogs).await });
    }

    fn add(self, targets: &RenderTargets, catalog: String) {
        let (app, targets) = (self.app, targets.clone());
        self.run(async move { templates::preview_added_target(app, &targets, &catalog).await });
    }

    /// Runs one action at a time; ignores presses in the meantime.
    fn run(self, task: impl Future<Output = Result<(), OperationRefusal>> + 'static) {
        if self.press.begin() {
            self.refused.set(None);
            spawn_local(async move {
                if let Err(refusal) = task.await {
                    self.refused.try_set(Some(refusal));
                }
                self.press.end();
            });
        }
    }
}

/// `adds`: the dialog was opened to add a version.
#[component]
pub fn RenderTargetsDialog(template: String, adds: bool) -> impl IntoView {
    let app = app_context();
    let dialog = RenderDialog {
        app,
        press: Press::default(),
        refused: RwSignal::new(None),
    };
    let name = app.current.name_of_catalog(&template);
    let template = Signal::stored(Some(template));
    let answer = LiveAnswer::follow(app, template, move |template| async move {
        let answer = app.store.ask(ListRenderTargets { template }).await;
        answer.map_err(OperationRefusal::from)
    });
    let body = move || {
        answer_view(app, answer.get(), "Rendering, to compare…", |targets| {
            view! { <Targets dialog targets adds/> }.into_any()
        })
    };
    view! {
        <Dialog title="Render to catalogs" on_close=move |()| app.overlays.close()>
            <div class="dialog-body form-inputs" tabindex="-1">
                <p class="form-help">
                    "What " <code>{name}</code>
                    " renders to, compared with each of its catalogs. Rendering shows a preview first."
                </p>
                {body}
                {move || dialog.refused.get().map(|refusal| view! { <RefusalNote app refusal root=None/> })}
            </div>
            <div class="dialog-foot">
                <Button label="Close" look=Look::Quiet on_press=move |()| app.overlays.close()/>
                {move || {
                    let targets = answer.get()?.ok()?;
                    let catalogs = templates::target_names(&targets);
                    let disabled = catalogs.is_empty();
                    let render = move |()| dialog.render(&targets, catalogs.clone());
                    Some(view! { <Button label="Render all" look=Look::Primary disabled=disabled on_press=render/> })
                }}
            </div>
        </Dialog>
    }
    .into_any()
}

#[component]
fn Targets(dialog: RenderDialog, targets: RenderTargets, adds: bool) -> impl IntoView {
    let all_targets = StoredValue::new(targets.clone());
    let rows = targets
        .targets
        .iter()
        .map(|target| target_row(dialog, all_targets, target.clone()))
        .collect_view();
    view! {
        <p>{summary(&targets)}</p>
        <ul class="render-targets" aria-label="Catalogs of the template">{rows}</ul>
        {match targets.mapping.as_str() {
            "" => {
                let note = "No `ci.yaml` names the catalogs of this template. Listed instead are the open catalogs that match it by \
                            version, images or folder. To add a version, write a `catalog_mapping` into the operator's `ci.yaml`.";
                view! { <p class="form-help">{in_code(note)}</p> }.into_any()
            }
            _ => view! { <AddedTarget dialog targets adds/> }.into_any(),
        }}
    }
    .into_any()
}

fn target_row(
    dialog: RenderDialog,
    all_targets: StoredValue<RenderTargets>,
    target: RenderTarget,
) -> impl IntoView {
    let name = format!("{}, {}", target.catalog, state_label(&target.state));
    let lines = details(&target);
    let catalog = target.catalog.clone();
    let render = move |()| {
        all_targets.with_value(|all_targets| dialog.render(all_targets, vec![catalog.clone()]))
    };
    view! {
        <li class="render-target" aria-label=name>
            <p>
                <strong>{target.catalog.clone()}</strong>
                " "
                <span class="render-state" data-tone=tone(&target.state)>{state_label(&target.state)}</span>
            </p>
            <div class="render-details">{lines.into_iter().map(|line| view! { <p>{in_code(&line)}</p> }).collect_view()}</div>
            {(target.refused.is_empty() && is_renderable(&target.state))
                .then(|| view! { <Button label=format!("Render {}", target.catalog) on_press=render/> })}
        </li>
    }
}

/// Adds a catalog to the mapping. The suggested name is the version after the highest one.
#[component]
fn AddedTarget(dialog: RenderDialog, targets: RenderTargets, adds: bool) -> impl IntoView {
    let name = RwSignal::new(targets.next.clone());
    let hint = format!(
        "The catalog's name in {}. The new catalog is rendered too.",
        targets.mapping
    );
    let node = NodeRef::<html::Form>::new();
    effect(move |_| {
        if adds && node.get().is_some() {
            // Run after the dialog has taken the focus.
            dom::focus_first_later(".render-added");
        }
    });
    view! {
        <form
            node_ref=node
            class="render-added"
            novalidate
            on:submit=move |event| {
                event.prevent_default();
                dialog.add(&targets, name.get_untracked().trim().to_owned());
            }
        >
            <LineField
                label="Version"
                value=name
                on_change=move |text: String| name.set(text)
                hint=Signal::stored(hint)
            />
            <button type="submit" class="button" data-look="plain">"Add a version…"</button>
        </form>
    }
    .into_any()
}

fn state_label(state: &RenderState) -> &'static str {
    match state {
        RenderState::UpToDate => "up to date",
        // The catalog may be ahead of its template.
        RenderState::OutOfDate { added, removed, .. }
            if added.is_empty() && !removed.is_empty() =>
        {
            "differs"
        }
        RenderState::OutOfDate { .. } => "out of date",
        RenderState::OtherOpm(_) => "up to date (other opm version)",
        RenderState::Missing => "missing",
        RenderState::UnknownBundles(_) => "unknown bundles",
        RenderState::Error(_) => "cannot be rendered",
    }
}

/// Whether rendering changes something, if only what another version of `opm` wrote.
fn is_renderable(state: &RenderState) -> bool {
    state.needs_rendering() || matches!(state, RenderState::OtherOpm(_))
}

fn tone(state: &RenderState) -> &'static str {
    match state {
        RenderState::UpToDate | RenderState::OtherOpm(_) => "good",
        RenderState::OutOfDate { .. } | RenderState::Missing => "changed",
        RenderState::UnknownBundles(_) | RenderState::Error(_) => "bad",
    }
}

/// Lists what rendering again would change, or why it is impossible, one item per line.
fn details(target: &RenderTarget) -> Vec<String> {
    let mut lines = state_details(target);
    if is_renderable(&target.state) && !target.refused.is_empty() {
        lines.push(format!("It cannot be rendered because {}.", target.refused));
    }
    lines
}

fn state_details(target: &RenderTarget) -> Vec<String> {
    match &target.state {
        RenderState::UpToDate => Vec::new(),
        RenderState::OutOfDate {
            added,
            removed,
            changed,
        } => {
            let effects = [("Adds", added), ("Removes", removed), ("Changes", changed)];
            let changes = effects.into_iter().filter(|(_, blobs)| !blobs.is_empty());
            changes
                .map(|(verb, blobs)| format!("{verb} {}.", join_names(blobs)))
                .collect()
        }
        RenderState::OtherOpm(changed) => {
            vec![format!("It {OPM_DIFFERENCE}: {}.", join_names(changed))]
        }
        RenderState::Missing => vec![format!("Rendering makes {}.", target.folder)],
        RenderState::UnknownBundles(bundles) => vec![
            format!(
                "{}: {}.",
                words::not_open(bundles.len() as u32),
                join_names(bundles)
            ),
            "Drop the bundle folders, or a catalog that has these bundles, on the page.".to_owned(),
        ],
        RenderState::Error(message) => vec![message.clone()],
    }
}

/// One sentence about all catalogs.
fn summary(targets: &RenderTargets) -> String {
    let all = targets.targets.len() as u32;
    let up_to_date = targets
        .targets
        .iter()
        .filter(|target| {
            matches!(
                target.state,
                RenderState::UpToDate | RenderState::OtherOpm(_)
            )
        })
        .count() as u32;
    match (all, all - up_to_date) {
        (0, _) => "No open catalog is rendered from this template.".to_owned(),
        (_, 0) => format!("{}: all up to date.", count(all, "catalog")),
        _ => format!("{up_to_date} of {} up to date.", count(all, "catalog")),
    }
}

fn join_names(names: &[String]) -> String {
    first_of(names.iter(), MAX_NAMED)
}

#[cfg(test)]
mod tests {
    use super::*;
    fn target(state: RenderState) -> RenderTarget {
        RenderTarget {
            catalog: "v4.20".into(),
            folder: "catalogs/v4.20/p".into(),
            state,
            refused: String::new(),
        }
    }

    fn names(list: &[&str]) -> Vec<String> {
        list.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn names_the_changes_of_a_render() {
        let stale = RenderState::OutOfDate {
            added: names(&["bundle p.v2"]),
            removed: Vec::new(),
            changed: names(&[
                "channel a",
                "channel b",
                "channel c",
                "channel d",
                "channel e",
                "channel f",
                "package p",
            ]),
        };
        let expected = [
            "Adds bundle p.v2.",
            "Changes channel a, channel b, channel c, channel d, channel e and 2 more.",
        ];
        assert_eq!(details(&target(stale)), expected);
        assert_eq!(
            details(&target(RenderState::UpToDate)),
            Vec::<String>::new()
        );
        let other_opm = RenderState::OtherOpm(names(&["channel a"]));
        assert!(!other_opm.needs_rendering());
        assert_eq!(
            details(&target(other_opm)),
            [
                "It differs only in `skips` that repeat `replaces`, which not every version of opm writes: channel a."
            ]
        );
        assert_eq!(
            details(&target(RenderState::Missing)),
            ["Rendering makes catalogs/v4.20/p."]
        );
    }

    #[test]
    fn a_split_catalog_that_is_ahead_differs_and_is_not_rendered() {
        let ahead = RenderState::OutOfDate {
            added: Vec::new(),
            removed: names(&["bundle p.v2"]),
            changed: Vec::new(),
        };
        assert_eq!(state_label(&ahead), "differs");
        let split = RenderTarget {
            refused: "its blobs are in 18 files".into(),
            ..target(ahead)
        };
        assert!(!split.can_be_updated());
        assert_eq!(
            details(&split),
            [
                "Removes bundle p.v2.",
                "It cannot be rendered because its blobs are in 18 files."
            ]
        );
        let other_opm = RenderTarget {
            state: RenderState::OtherOpm(names(&["channel a"])),
            ..split
        };
        assert_eq!(
            details(&other_opm)[1],
            "It cannot be rendered because its blobs are in 18 files."
        );
    }

    #[test]
    fn missing_bundles_are_counted() {
        let lacking = |bundles: &[&str]| {
            details(&target(RenderState::UnknownBundles(names(bundles))))[0].clone()
        };
        assert_eq!(
            lacking(&["q/p:v1"]),
            "1 bundle is in none of the open files: q/p:v1."
        );
        assert_eq!(
            lacking(&["q/p:v1", "q/p:v2"]),
            "2 bundles are in none of the open files: q/p:v1, q/p:v2."
        );
    }

    #[test]
    fn the_summary_counts_up_to_date_targets() {
        let summary_of = |states: Vec<RenderState>| {
            summary(&RenderTargets {
                targets: states.into_iter().map(target).collect(),
                ..RenderTargets::default()
            })
        };
        assert_eq!(
            summary_of(vec![RenderState::UpToDate, RenderState::UpToDate]),
            "2 catalogs: all up to date."
        );
        assert_eq!(
            summary_of(vec![RenderState::UpToDate, RenderState::Missing]),
            "1 of 2 catalogs up to date."
        );
        assert!(summary_of(Vec::new()).starts_with("No open catalog"));
    }
}
