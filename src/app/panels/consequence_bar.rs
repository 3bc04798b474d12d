//! The bar with the effect of the last edit on users, and its undo. The parts of the bar are
//! counted from the worker's answer, and each leads to what it counts.

use crate::commands::Command;
use crate::components::consequences::{ConsequenceList, JudgementMark};
use crate::context::{AppContext, app_context};
use crate::edits::form_values::catalog_name;
use crate::reactive::effect;
use crate::state::store::{LastChange, Tab};
use crate::widgets::buttons::{Button, IconButton};
use crate::widgets::dom;
use crate::widgets::icon::Icon;
use crate::widgets::short_text::in_code;
use crate::words::{self, count};
use leptos::html;
use leptos::prelude::*;
use protocol::counting::first_of;
use protocol::diagnostic::{Diagnostic, Severity};
use protocol::judgement::{Judgement, Tone};
use protocol::query::Compare;
use protocol::upgrades::Baseline;
use protocol::views::{Consequences, EntryLocation, Hit, RootRow, VerdictChange};
use wasm_bindgen_futures::spawn_local;

#[component]
pub fn ConsequenceBar() -> impl IntoView {
    let app = app_context();
    let node = NodeRef::<html::Section>::new();
    let (came_from, on_focusin) = dom::remember_origin(node);
    // Undo and Dismiss remove the focused button: restore the focus.
    effect(move |_| {
        app.store.last_change.with(Option::is_some);
        request_animation_frame(move || {
            if dom::is_focus_lost() {
                came_from.try_update_value(|from| from.take().inspect(dom::Origin::give_back));
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
                        LastChange::Made { title, consequences } => bar_view(app, title, *consequences),
                        LastChange::Undone { title } => undone(app, title),
                    })
            }}
        </section>
    }
    .into_any()
}

/// Renders the consequences of a step, with its undo.
fn bar_view(app: AppContext, title: String, consequences: Consequences) -> AnyView {
    // A step that restores the disk's state is neither better nor worse.
    let is_as_on_disk = app
        .store
        .status
        .with_untracked(|status| is_as_on_disk(&consequences, &status.roots));
    let judgement = if is_as_on_disk {
        Judgement::Neutral
    } else {
        consequences.judgement
    };
    let parts = Some(parts(&consequences)).filter(|parts| !parts.is_empty() && !is_as_on_disk);
    let reason = Some(reason(app, &consequences)).filter(|text| !is_as_on_disk && !text.is_empty());
    let has_row = parts.is_some() || reason.is_some();
    let verdict = verdict_text(app, &consequences);
    // The reason repeats the verdict, which is then hidden unless another package is in view.
    let is_reason = reason
        .as_deref()
        .is_some_and(|reason| reason.eq_ignore_ascii_case(&verdict));
    let verdict = Some(verdict).filter(|verdict| !verdict.is_empty() && (has_row || is_as_on_disk));
    let more = NodeRef::<html::Details>::new();
    let summary = if is_as_on_disk {
        AS_ON_DISK.to_owned()
    } else {
        consequences.summary.clone()
    };
    let whole = format!("{title}: {summary}");
    let since_save =
        (!is_as_on_disk).then(|| view! { <SinceSave app consequences=consequences.clone()/> });
    view! {
        // One line is enough if another package is in view.
        <div class="consequence-bar" class:is-elsewhere=move || !elsewhere(app).is_empty() data-tone=judgement.name()>
            <JudgementMark judgement/>
            <div class="consequence-text" title=whole>
                <strong class="consequence-title">{title}</strong>
                <span class="consequence-of">{move || elsewhere(app)}</span>
                // Beside the parts, the summary is only for screen readers: the expandable list has
                // all consequences.
                <span class="dim" class:visually-hidden=has_row>{in_code(&summary)}</span>
                {verdict.map(|text| view! {
                    <span class="dim" hidden=move || is_reason && elsewhere(app).is_empty()>" " {in_code(&text)}</span>
                })}
            </div>
            <div class="consequence-follows">
                {reason.map(|text| view! { <span class="consequence-reason" title=text.replace('`', "")>{in_code(&text)}</span> })}
                {parts.map(|parts| view! { <Parts app parts more/> })}
            </div>
            <details class="consequence-more" node_ref=more>
                <summary class="consequence-summary">"All consequences"</summary>
                {(!is_as_on_disk).then(|| view! { <p class="dim">"This edit, against the state before it:"</p> })}
                <ConsequenceList consequences/>
                {since_save}
            </details>
            {buttons(app, Command::Undo.label(), Command::Undo, Signal::derive(move || !app.store.status.can_undo()))}
        </div>
    }
    .into_any()
}

/// Returns the reason of the judgement. Verdicts include the catalog if several are open. Bundle
/// names omit the judged package.
fn reason(app: AppContext, consequences: &Consequences) -> String {
    let of_verdict = app.store.status.with_untracked(|status| {
        let verdict = consequences
            .verdicts
            .iter()
            .find(|verdict| verdict.words.eq_ignore_ascii_case(&consequences.reason));
        verdict.filter(|_| status.roots.len() > 1).map(|other| {
            format!(
                "{} {}",
                catalog_name(&status.roots, &other.root),
                other.words
            )
        })
    });
    of_verdict.unwrap_or_else(|| {
        app.store.judged.with_untracked(|judged| {
            judged
                .iter()
                .fold(consequences.reason.clone(), |text, (_, package, _)| {
                    without_package(&text, package)
                })
        })
    })
}

/// Describes the verdict after a step: of the single catalog, of all if they are equal, or else of
/// the worst ones. Returns "" for a template, which has none.
fn verdict_text(app: AppContext, consequences: &Consequences) -> String {
    let several = untrack(|| app.store.status.has_several_roots());
    let name = |root: &str| app.current.name_of_catalog(root);
    join_verdicts(&consequences.verdicts, several, &name)
}

fn join_verdicts(
    verdicts: &[VerdictChange],
    several: bool,
    name: &dyn Fn(&str) -> String,
) -> String {
    let Some(first) = verdicts.first() else {
        return String::new();
    };
    let named = |verdict: &VerdictChange| format!("{} {}", name(&verdict.root), verdict.words);
    match verdicts {
        [_] if !several => first.words.clone(),
        [_] => named(first),
        _ if verdicts.iter().all(|verdict| verdict.words == first.words) => {
            let number = words::count(verdicts.len() as u32, "catalog");
            format!("each of {number} {}", first.words)
        }
        _ => {
            let worst = |verdict: &&VerdictChange| !verdict.passed_after;
            let failing: Vec<String> = verdicts.iter().filter(worst).map(named).collect();
            match failing.is_empty() {
                true => format!(
                    "{} pass opm validate",
                    words::count(verdicts.len() as u32, "catalog")
                ),
                false => first_of(failing.iter(), NAMED),
            }
        }
    }
}

/// Maximum number of failing catalogs named.
const NAMED: usize = 2;

/// Shortens names such as `p.v1.0.0` to `v1.0.0`.
fn without_package(text: &str, package: &str) -> String {
    if package.is_empty() {
        text.to_owned()
    } else {
        text.replace(&format!("`{package}.v"), "`v")
    }
}

/// Names the packages judged by the step if none of them is in view, e.g. `in cert-manager of
/// v4.20`.
fn elsewhere(app: AppContext) -> String {
    let (root, package) = (app.store.root.get(), app.current.package.get());
    let several = app.store.status.has_several_roots();
    app.store.judged.with(|judged| {
        if judged.is_empty()
            || judged
                .iter()
                .any(|(known_root, name, _)| *known_root == root && *name == package)
        {
            return String::new();
        }
        let named = |(known_root, name, _): &(String, String, bool)| match several {
            true => format!("{name} of {known_root}"),
            false => name.clone(),
        };
        format!(
            "in {} ",
            words::list_names(&judged.iter().map(named).collect::<Vec<_>>())
        )
    })
}

/// The text after a step that restores the edited catalogs to the state on disk.
const AS_ON_DISK: &str = "the catalog is as it is on disk";

/// Whether all catalogs that a step changed are as they were read.
fn is_as_on_disk(consequences: &Consequences, roots: &[RootRow]) -> bool {
    let is_clean = |root: &str| roots.iter().any(|row| row.root == root && !row.edited);
    !consequences.verdicts.is_empty()
        && consequences
            .verdicts
            .iter()
            .all(|verdict| is_clean(&verdict.root))
}

/// The effect of all unsaved steps together, if there are several. The bar compares a step only
/// with the previous one.
#[component]
fn SinceSave(app: AppContext, consequences: Consequences) -> impl IntoView {
    let announced = RwSignal::new(String::new());
    let root = consequences
        .verdicts
        .first()
        .map(|verdict| verdict.root.clone())
        .filter(|_| app.store.status.unsaved_edits() > 1);
    if let Some(root) = root {
        spawn_local(async move {
            let old = Baseline::Disk;
            let Ok(consequences) = app.store.ask(Compare { old, root }).await else {
                return;
            };
            let titles = consequences
                .packages
                .iter()
                .map(|row| format!("{}: {}", row.package, row.headline));
            announced.try_set(words::list_names(&titles.collect::<Vec<_>>()));
        });
    }
    view! {
        <p class="consequence-since" hidden=move || announced.with(String::is_empty)>
            <span class="dim">"All unsaved edits, against what is on disk: "</span>
            {announced}
        </p>
    }
    .into_any()
}

/// The label of the redo; *Redo* is already the button in the header.
const DO_AGAIN: &str = "Do it again";

/// Renders an undone step with its redo, without the consequences shown when it was applied.
fn undone(app: AppContext, title: String) -> AnyView {
    view! {
        <div class="consequence-bar" data-tone=Judgement::Neutral.name()>
            <div class="consequence-text">
                <strong class="consequence-title">{title}</strong>
                <span class="consequence-of">{move || elsewhere(app)}</span>
            </div>
            {buttons(app, DO_AGAIN, Command::Redo, Signal::derive(move || !app.store.status.can_redo()))}
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

/// Counts of the consequences: each button cycles through what it counts.
#[component]
fn Parts(
    app: AppContext,
    parts: Vec<ConsequencePart>,
    more: NodeRef<html::Details>,
) -> impl IntoView {
    let button = |ConsequencePart {
                      tone,
                      text,
                      targets,
                  }: ConsequencePart| {
        let next = StoredValue::new(0usize);
        let press = move |_| {
            let at = next.get_value();
            next.set_value((at + 1) % targets.len().max(1));
            match targets.get(at) {
                Some(PartTarget::List) => open(more),
                Some(targets) => go(app, targets.clone()),
                None => {}
            }
        };
        view! {
            <li>
                <button type="button" class="consequence-part" data-tone=tone.name() on:click=press>{text}</button>
            </li>
        }
    };
    view! { <ul class="consequence-parts" aria-label="What changed">{parts.into_iter().map(button).collect_view()}</ul> }
        .into_any()
}

fn open(more: NodeRef<html::Details>) {
    if let Some(more) = more.get_untracked() {
        // Setting an attribute cannot fail.
        let _ = more.set_attribute("open", "");
    }
}

fn go(app: AppContext, targets: PartTarget) {
    match targets {
        PartTarget::Problem(problem) => app.open_problem_like(&problem),
        PartTarget::EntryLocation(EntryLocation {
            root,
            package,
            channel,
            name,
        }) => {
            if app
                .store
                .tab
                .with_untracked(|tab| !matches!(tab, Tab::Graph | Tab::Table))
            {
                app.store.tab.show(Tab::Graph);
            }
            app.show_hit(Hit {
                root,
                package,
                channel,
                bundle: name,
                ..Hit::default()
            });
        }
        PartTarget::Everyone => app.store.tab.show(Tab::Everyone),
        PartTarget::List => {}
    }
}

/// The target of a part.
#[derive(Debug, Clone, PartialEq)]
pub enum PartTarget {
    Problem(Box<Diagnostic>),
    EntryLocation(EntryLocation),
    /// The upgrade map.
    Everyone,
    /// The list of all consequences: removed objects can only be listed.
    List,
}

/// A part of the consequences: each press goes to the next target.
#[derive(Debug, Clone, PartialEq)]
pub struct ConsequencePart {
    pub tone: Tone,
    pub text: String,
    pub targets: Vec<PartTarget>,
}

/// Returns the parts of an edit's consequences, worst first; empty if there are none.
pub fn parts(consequences: &Consequences) -> Vec<ConsequencePart> {
    let spots = |spots: &[EntryLocation]| {
        spots
            .iter()
            .cloned()
            .map(PartTarget::EntryLocation)
            .collect::<Vec<_>>()
    };
    let of_level = |severity| {
        let gained = consequences
            .problems_gained
            .iter()
            .map(|problem| &problem.0);
        gained
            .filter(|problem| problem.severity == severity)
            .collect::<Vec<&Diagnostic>>()
    };
    let [errors, warnings, infos] =
        [Severity::Error, Severity::Warning, Severity::Info].map(of_level);
    let problems = |problems: Vec<&Diagnostic>| {
        problems
            .into_iter()
            .cloned()
            .map(|p| PartTarget::Problem(Box::new(p)))
            .collect()
    };
    let heads: Vec<PartTarget> = consequences
        .heads_moved
        .iter()
        .map(|(_, spot)| PartTarget::EntryLocation(spot.clone()))
        .collect();
    let solved = consequences
        .problems_lost
        .iter()
        .map(|_| PartTarget::List)
        .take(1)
        .collect();
    let number = |count: usize| count as u32;
    // Errors of an unfinished text are temporary.
    let of_errors = match consequences.judgement {
        Judgement::Unfinished | Judgement::Unknown => Tone::Advice,
        _ => Tone::Bad,
    };
    let graver = [
        (
            of_errors,
            number(errors.len()),
            "new error",
            problems(errors),
        ),
        (
            Tone::Bad,
            number(consequences.newly_stranded.len()),
            "newly stranded",
            spots(&consequences.newly_stranded),
        ),
        (
            Tone::Advice,
            number(warnings.len()),
            "new warning",
            problems(warnings),
        ),
        (
            Tone::Plain,
            number(infos.len()),
            "new info",
            problems(infos),
        ),
        (
            Tone::Plain,
            number(consequences.new_channels.len()),
            "new channel",
            spots(&consequences.new_channels),
        ),
        (Tone::Plain, number(heads.len()), "head moved", heads),
    ];
    let better = [
        (
            Tone::Good,
            number(consequences.no_longer_stranded.len()),
            "no longer stranded",
            spots(&consequences.no_longer_stranded),
        ),
        (
            Tone::Good,
            number(consequences.problems_lost.len()),
            "problem solved",
            solved,
        ),
    ];
    let part = |(tone, number, what, targets)| ConsequencePart {
        tone,
        text: count_of(number, what),
        targets,
    };
    let affected = ConsequencePart {
        tone: Tone::Plain,
        text: consequences.affected.clone(),
        targets: if consequences.affected.is_empty() {
            Vec::new()
        } else {
            vec![PartTarget::Everyone]
        },
    };
    let all = graver
        .into_iter()
        .map(part)
        .chain([affected])
        .chain(better.into_iter().map(part));
    all.filter(|part| !part.targets.is_empty()).collect()
}

/// Formats a count, e.g. `2 heads moved`, `1 newly stranded`.
fn count_of(number: u32, what: &str) -> String {
    match what.split_once(' ') {
        Some((thing @ ("head" | "problem"), done)) => format!("{} {done}", count(number, thing)),
        _ if matches!(what, "new error" | "new warning" | "new channel") => count(number, what),
        _ => format!("{number} {what}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::Json;
    #[test]
    fn the_verdict_names_catalogs_where_several_are_open() {
        let verdict = |root: &str, words: &str, passed_after: bool| VerdictChange {
            root: root.into(),
            words: words.into(),
            passed_after,
            ..VerdictChange::default()
        };
        let join = |verdicts: &[VerdictChange], several| {
            join_verdicts(verdicts, several, &|root| root.to_owned())
        };
        let (passes, fails) = ("still passes opm validate", "fails opm validate now");
        let a = verdict("a", passes, true);
        assert_eq!(join(&[], false), "");
        assert_eq!(join(std::slice::from_ref(&a), false), passes);
        assert_eq!(
            join(std::slice::from_ref(&a), true),
            "a still passes opm validate"
        );
        let b = verdict("b", passes, true);
        assert_eq!(
            join(&[a.clone(), b], true),
            "each of 2 catalogs still passes opm validate"
        );
        let c = verdict("c", fails, false);
        assert_eq!(join(&[a, c], true), "c fails opm validate now");
    }

    #[test]
    fn a_bundle_is_named_without_its_package() {
        assert_eq!(
            without_package("users of `p.v1.0.0` get `q.v2`", "p"),
            "users of `v1.0.0` get `q.v2`"
        );
        assert_eq!(
            without_package("channel `p` is gone", "p"),
            "channel `p` is gone"
        );
        assert_eq!(without_package("`p.v1`", ""), "`p.v1`");
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

    #[test]
    fn parts_are_counted_and_lead_somewhere() {
        assert!(parts(&Consequences::default()).is_empty());
        let spot = |name: &str| EntryLocation {
            channel: "stable".into(),
            name: name.into(),
            ..EntryLocation::default()
        };
        let problem = |severity| {
            Json(Diagnostic {
                opm: true,
                ..Diagnostic::new("rule", severity, "")
            })
        };
        let consequences = Consequences {
            problems_gained: vec![
                problem(Severity::Info),
                problem(Severity::Warning),
                problem(Severity::Error),
                problem(Severity::Error),
            ],
            problems_lost: vec![problem(Severity::Error)],
            heads_moved: vec![("stable: head was a, is b".into(), spot("b"))],
            new_channels: vec![spot("x"), spot("y")],
            newly_stranded: vec![spot("a"), spot("c")],
            affected: "1 version affected in each of 2 catalogs".into(),
            ..Consequences::default()
        };
        let parts = parts(&consequences);
        let texts: Vec<&str> = parts.iter().map(|part| part.text.as_str()).collect();
        assert_eq!(
            texts,
            [
                "2 new errors",
                "2 newly stranded",
                "1 new warning",
                "1 new info",
                "2 new channels",
                "1 head moved",
                "1 version affected in each of 2 catalogs",
                "1 problem solved"
            ]
        );
        assert_eq!(parts[0].targets.len(), 2);
        assert_eq!(parts[0].tone, Tone::Bad);
        let begun = Consequences {
            judgement: Judgement::Unfinished,
            ..consequences
        };
        assert_eq!(super::parts(&begun)[0].tone, Tone::Advice);
        assert_eq!(
            parts[1].targets,
            [
                PartTarget::EntryLocation(spot("a")),
                PartTarget::EntryLocation(spot("c"))
            ]
        );
        assert_eq!(parts[6].targets, [PartTarget::Everyone]);
    }
}
