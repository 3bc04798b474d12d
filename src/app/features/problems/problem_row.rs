//! A problem in a list: message, position and fixes; with the reason if it is open.

use super::new_problems::is_new;
use super::problem_detail::Detail;
use super::problem_list::{ProblemRow, toggle_id};
use crate::components::fix_button::FixButton;
use crate::components::place_link::place_link;
use crate::context::AppContext;
use crate::reactive::{effect, memo};
use crate::state::problems::brief::brief;
use crate::widgets::code_text::in_code;
use crate::widgets::dom;
use crate::widgets::icon::{Glyph, Icon};
use crate::words;
use leptos::either::Either;
use leptos::html;
use leptos::prelude::*;
use protocol::diagnostic::{Diagnostic, Fix, Severity};

/// Maximum number of fixes in a row; an open problem shows all.
const FIXES: usize = 2;

/// A severity's icon: each has its own shape, and a label for screen readers.
pub(super) fn sign(problem: &Diagnostic) -> impl IntoView + use<> {
    let word = words::severity(problem);
    let (tone, icon) = match problem.severity {
        Severity::Error => ("error", Icon::Error),
        Severity::Warning => ("advice", Icon::Warning),
        Severity::Info => ("info", Icon::Info),
    };
    view! {
        <span class="mark" data-tone=tone>
            <Glyph icon=icon/>
            <span class="visually-hidden">{word}": "</span>
        </span>
    }
}

/// The row of the list. `opened` stores the height of the open one.
pub(super) fn row(
    app: AppContext,
    found: ProblemRow,
    rows: Memo<Vec<ProblemRow>>,
    stop: Memo<Option<usize>>,
    opened: RwSignal<(f64, f64)>,
) -> impl IntoView {
    let board = app.problem_list;
    let Some(problem) = app
        .store
        .problems
        .with_untracked(|problems| problems.get(found.index).cloned())
    else {
        return Either::Left(());
    };
    let index = memo(move |_| {
        rows.with(|rows| {
            let row = rows.iter().find(|row| row.key == found.key);
            row.map_or(found.index, |row| row.index)
        })
    });
    let is_open = memo(move |_| board.open.get() == Some(index.get()));
    let is_stop = memo(move |_| stop.get() == Some(index.get()));
    let tab = Signal::derive(move || if is_stop.get() { "0" } else { "-1" });
    let whole = NodeRef::<html::Div>::new();
    let size = RwSignal::new((0.0, 0.0));
    dom::follow_size(whole, size);
    effect(move |_| {
        if is_open.get() && size.get().1 > 0.0 {
            opened.set(size.get());
        }
    });
    let details = problem.clone();
    let detail_id = move || format!("problem-detail-{}", index.get());
    let meta = meta(app, &problem, index, is_open, tab);
    // The heading is hidden in a one-row list.
    let of = problem.package.clone().unwrap_or_default();
    let elsewhere = move || {
        if of.is_empty() || app.current.package.with(|current| *current == of) {
            String::new()
        } else {
            format!("{of}: ")
        }
    };
    let known = problem.clone();
    let is_new = memo(move |_| is_new(app, &known));
    Either::Right(view! {
        <li class="problem" data-depth=found.key.depth.to_string() data-new=move || is_new.get().then_some("true")>
            <div class="problem-whole" node_ref=whole data-told-here="" data-open=move || is_open.get().then_some("true")>
                <button
                    type="button"
                    class="problem-toggle"
                    id=move || toggle_id(index.get())
                    data-problem=move || index.get().to_string()
                    aria-expanded=move || is_open.get().to_string()
                    aria-controls=move || is_open.get().then(detail_id)
                    tabindex=move || tab.get()
                    on:click=move |_| {
                        if is_open.get_untracked() {
                            board.close();
                            board.stop.set(Some(index.get_untracked()));
                        } else {
                            app.open_problem(index.get_untracked());
                        }
                    }
                >
                    {sign(&problem)}
                    {move || is_new.get().then(|| view! { <span class="problem-new">"new"</span> " " })}
                    <span class="problem-of" aria-hidden="true">{elsewhere}</span>
                    {message(&problem.message)}
                </button>
                {meta}
                <Show when=move || is_open.get()>
                    <div class="problem-detail" id=detail_id>
                        <Detail app problem=details.clone()/>
                    </div>
                </Show>
            </div>
        </li>
    })
}

/// The message, abbreviated while the problem is closed. Screen readers always get all of it.
fn message(whole: &str) -> impl IntoView + use<> {
    let short = Some(brief(whole)).filter(|short| short != whole);
    let hides = short.is_some().then_some("true");
    view! {
        <span class="problem-message" title=whole.to_owned() data-brief=hides>
            {short.map(|short| view! { <span class="problem-brief" aria-hidden="true">{in_code(&short)}</span> })}
            <span class="problem-full">{in_code(whole)}</span>
        </span>
    }
}

/// The second line: rule, cause, position, fixes.
fn meta(
    app: AppContext,
    problem: &Diagnostic,
    index: Memo<usize>,
    is_open: Memo<bool>,
    tab: Signal<&'static str>,
) -> impl IntoView + use<> {
    let origin = if problem.opm {
        "reported by opm validate"
    } else {
        "Switchyard’s advice; opm validate accepts it"
    };
    let follows = problem
        .follows
        .as_ref()
        .map(|cause| match cause.rule.as_str() {
            // No rule reports the cause, so it has no other row.
            "" => (since(&cause.message), cause.message.clone()),
            rule => (format!("follows from {rule}"), String::new()),
        });
    let location = problem.location.clone();
    let place = (!location.file.is_empty()).then(|| {
        let place = words::place(&location);
        let tip = format!("Show in source: {place}");
        view! {
            <button
                type="button"
                class="link problem-place"
                title=tip
                tabindex=move || tab.get()
                on:click=move |_| app.show_source(location.clone())
            >
                <bdi>{place}</bdi>
            </button>
        }
    });
    let go = problem.hides_text().then(|| {
        let (label, location) = (
            words::go_to_line(&problem.location),
            problem.location.clone(),
        );
        view! {
            <button
                type="button"
                class="button"
                tabindex=move || tab.get()
                on:click=move |_| app.show_source(location.clone())
            >
                {label}
            </button>
        }
    });
    let fixes = first_of_each_kind(&problem.fixes);
    let more = problem.fixes.len() - fixes.len();
    let fixes = fixes
        .into_iter()
        .map(|fix| view! { <FixButton app problem=problem.clone() fix tab/> })
        .collect_view();
    view! {
        <div class="problem-meta">
            <span class="problem-rule" title=origin>{problem.rule.clone()}</span>
            {follows
                .map(|(text, whole)| {
                    let whole: String = whole.chars().filter(|letter| *letter != '`').collect();
                    view! { <span class="problem-follows" title=whole>{in_code(&text)}</span> }
                })}
            {place}
            <span class="problem-fixes">
                {go}
                {fixes}
                {(more > 0).then(|| more_fixes(app, index, more, is_open, tab))}
            </span>
        </div>
    }
}

/// Fixes that do not fit in the row: shown below when it is open.
fn more_fixes(
    app: AppContext,
    index: Memo<usize>,
    more: usize,
    is_open: Memo<bool>,
    tab: Signal<&'static str>,
) -> impl IntoView + use<> {
    let label = if more == 1 {
        "1 more fix".to_owned()
    } else {
        format!("{more} more fixes")
    };
    view! {
        <button
            type="button"
            class="link"
            hidden=move || is_open.get()
            aria-label=label.clone()
            title=label
            tabindex=move || tab.get()
            on:click=move |_| app.open_problem(index.get_untracked())
        >
            {format!("+{more}")}
        </button>
    }
}

/// A cause in the row of its consequence: the part after a comma is shown when the problem is open.
fn since(cause: &str) -> String {
    let claim = cause
        .split_once("`, ")
        .map_or(cause.to_owned(), |(claim, _)| format!("{claim}`"));
    format!("since {claim}")
}

/// The fixes in a row: two of the same kind would be indistinguishable there.
fn first_of_each_kind(fixes: &[Fix]) -> Vec<Fix> {
    let mut out: Vec<Fix> = Vec::new();
    for fix in fixes {
        if out.len() < FIXES && !out.iter().any(|known| known.kind == fix.kind) {
            out.push(fix.clone());
        }
    }
    out
}

/// A problem in another view such as the inspector: links to the list.
pub fn problem_item(app: AppContext, problem: Diagnostic) -> impl IntoView {
    let place =
        (!problem.location.file.is_empty()).then(|| place_link(app, problem.location.clone()));
    let fixes = problem
        .fixes
        .iter()
        .cloned()
        .map(|fix| view! { <FixButton app problem=problem.clone() fix tab=Signal::stored("0")/> })
        .collect_view();
    let known = problem.clone();
    view! {
        <li class="problem-short">
            <p>{sign(&problem)} " " {in_code(&problem.message)}</p>
            <p class="problem-meta">
                <button type="button" class="link" on:click=move |_| app.open_problem_like(&known)>
                    "Explain"
                    <span class="visually-hidden">{format!(" {}", problem.rule)}</span>
                </button>
                {place}
            </p>
            <div class="problem-fixes" hidden=problem.fixes.is_empty()>{fixes}</div>
        </li>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::since;

    #[test]
    fn a_cause_is_cut_before_its_reason() {
        let cause = "`a.v3` replaces `a.v22`, which is not in the channel and may be a misspelling of `a.v2`";
        assert_eq!(since(cause), "since `a.v3` replaces `a.v22`");
        assert_eq!(since("the channel is empty"), "since the channel is empty");
    }
}
