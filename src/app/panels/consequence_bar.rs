//! The bar with the effect of the last edit on users, and its undo.

use crate::commands::Command;
use crate::components::consequences::{ConsequenceList, JudgementMark};
use crate::edits::form_values::catalog_name;
use crate::prelude::*;
use crate::state::store::LastChange;
use crate::widgets::buttons::LazyDetails;
use protocol::judgement::{Judgement, UserTable};
use protocol::views::{Consequences, PackageRef, RootRow};

/// The text after a step that restores the edited catalogs to the state on disk.
const AS_ON_DISK: &str = "the catalog is as it is on disk";
/// The label of the redo; *Redo* is already the button in the header.
const DO_AGAIN: &str = "Do it again";

#[component]
pub fn ConsequenceBar() -> impl IntoView {
    let app = app_context();
    let node = NodeRef::<html::Section>::new();
    let (focus_origin, on_focusin) = dom::remember_origin(node);
    // Undo and Dismiss remove the focused button: restore the focus.
    effect(move |_| {
        app.store.last_change.with(Option::is_some);
        request_animation_frame(move || {
            if dom::is_focus_lost() {
                focus_origin
                    .try_update_value(|origin| origin.take().inspect(dom::Origin::restore_focus));
            }
        });
    });
    view! {
        <section node_ref=node on:focusin=on_focusin class="consequence" aria-label="Last edit" hidden=move || app.store.last_change.with(Option::is_none)>
            {move || {
                app.store
                    .last_change
                    .get()
                    .map(|change| match change {
                        LastChange::Made { title, consequences } => applied_step(app, title, *consequences),
                        LastChange::Undone { title } => undone_step(app, title),
                    })
            }}
        </section>
    }
    .into_any()
}

/// Renders the consequences of a step, with its undo.
fn applied_step(app: AppContext, title: String, consequences: Consequences) -> AnyView {
    // A step that restores the disk's state is neither better nor worse.
    let is_as_on_disk = app
        .store
        .status
        .with_untracked(|status| is_as_on_disk(&consequences, &status.roots));
    let (judgement, summary) = if is_as_on_disk {
        (Judgement::Neutral, AS_ON_DISK.to_owned())
    } else {
        let tables = consequences.tables.iter();
        let mut broken = tables
            .filter(|table| !table.is_unchanged())
            .filter_map(UserTable::broken_rule);
        let summary = match broken.next() {
            Some(rule) => format!("{}; {rule}", consequences.summary),
            None => consequences.summary.clone(),
        };
        (consequences.judgement, summary)
    };
    let full_text = format!("{title}: {summary}");
    view! {
        // One line is enough if another package is in view.
        <div class="consequence-bar" class:is-elsewhere=move || !packages_elsewhere(app).is_empty() data-tone=judgement.name()>
            <JudgementMark judgement/>
            <div class="consequence-text" title=full_text>
                <strong class="consequence-title">{title}</strong>
                <span class="consequence-of">{move || packages_elsewhere(app)}</span>
                <span class="dim">{in_code(&summary)}</span>
            </div>
            <LazyDetails
                class="consequence-more"
                summary_class="consequence-summary"
                summary="All consequences".into_any()
            >
                <p class="dim">"Compared with before this edit:"</p>
                <ConsequenceList consequences/>
            </LazyDetails>
            {buttons(app, Command::Undo.label(), Command::Undo, derived(move || !app.store.status.can_undo()))}
        </div>
    }
    .into_any()
}

/// Names the packages judged by the step if none of them is in view, e.g. `in cert-manager of
/// v4.20`.
fn packages_elsewhere(app: AppContext) -> String {
    let in_view = PackageRef {
        root: app.store.root.get(),
        package: app.current.package.get(),
    };
    app.store.judged.with(|judged| {
        if judged.is_empty() || judged.contains(&in_view) {
            return String::new();
        }
        app.store
            .status
            .with(|status| format!("in {} ", list_packages(judged, &status.roots)))
    })
}

fn list_packages(judged: &[PackageRef], roots: &[RootRow]) -> String {
    if let [first, _, ..] = judged
        && judged.iter().all(|other| other.package == first.package)
    {
        return format!("{} of {} catalogs", first.package, judged.len());
    }
    let names = judged
        .iter()
        .map(|PackageRef { root, package }| match roots {
            [] | [_] => package.clone(),
            _ => format!("{package} of {}", catalog_name(roots, root)),
        });
    words::list_names(&names.collect::<Vec<_>>())
}

/// Whether all catalogs that a step changed are as they were read.
fn is_as_on_disk(consequences: &Consequences, roots: &[RootRow]) -> bool {
    let is_clean = |root: &str| roots.iter().any(|row| row.root == root && !row.edited);
    !consequences.verdicts.is_empty()
        && consequences
            .verdicts
            .iter()
            .all(|verdict| is_clean(&verdict.root))
}

/// Renders an undone step with its redo, without the consequences shown when it was applied.
fn undone_step(app: AppContext, title: String) -> AnyView {
    view! {
        <div class="consequence-bar" data-tone=Judgement::Neutral.name()>
            <div class="consequence-text">
                <strong class="consequence-title">{title}</strong>
                <span class="consequence-of">{move || packages_elsewhere(app)}</span>
            </div>
            {buttons(app, DO_AGAIN, Command::Redo, derived(move || !app.store.status.can_redo()))}
        </div>
    }
    .into_any()
}

fn buttons(
    app: AppContext,
    label: &'static str,
    command: Command,
    disabled: Signal<bool>,
) -> impl IntoView {
    view! {
        <Button label=label disabled on_press=move |()| command.run(app)/>
        <IconButton label="Dismiss" icon=Icon::Close quiet=true on_press=move |()| app.store.last_change.dismiss()/>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::views::VerdictChange;

    #[test]
    fn packages_of_several_catalogs_are_counted() {
        let root = |root: &str, label: &str| RootRow {
            root: root.into(),
            label: label.into(),
            ..RootRow::default()
        };
        let roots = [root("r/v4.17", "v4.17"), root("r/v4.18", "v4.18")];
        let judged = |root: &str| PackageRef {
            root: root.into(),
            package: "p".into(),
        };
        let all = [judged("r/v4.17"), judged("r/v4.18")];
        assert_eq!(list_packages(&all, &roots), "p of 2 catalogs");
        assert_eq!(list_packages(&all[..1], &roots), "p of v4.17");
        assert_eq!(list_packages(&all[..1], &roots[..1]), "p");
    }

    #[test]
    fn a_step_back_to_the_disk_is_not_judged() {
        let verdict = VerdictChange {
            root: "a".into(),
            ..VerdictChange::default()
        };
        let consequences = Consequences {
            verdicts: vec![verdict],
            ..Consequences::default()
        };
        let row = |edited| {
            [RootRow {
                root: "a".into(),
                edited,
                ..RootRow::default()
            }]
        };
        assert!(is_as_on_disk(&consequences, &row(false)));
        assert!(!is_as_on_disk(&consequences, &row(true)));
        assert!(
            !is_as_on_disk(&Consequences::default(), &row(false)),
            "a template has no verdict"
        );
    }
}
