//! A problem in a list: message, position and fixes. An open problem also shows the reason, all
//! fixes with a preview, the affected part of the graph, related positions, and the rule's
//! documentation. A fix can be applied to all problems of its kind.
//!
//! The affected part of the graph is drawn as chains side by side, newest on top, each entry with
//! its edge to the next. Marks are shown as text beside the shape.

use super::{ProblemRow, is_new, toggle_id};
use crate::components::problem_parts::{FixButton, location_link, severity_icon};
use crate::context::navigation;
use crate::prelude::*;
use protocol::diagnostic::{
    Cause, Chain, ChainEntry, ChainLink, ChainMark, Diagnostic, Fix, Related,
};
use protocol::operation::EditOp;
use protocol::query::Explain;
use protocol::request::Target;
use protocol::views::RuleText;

/// Maximum number of fixes in a closed row; an open problem shows all.
const MAX_FIXES: usize = 2;

pub(super) fn row(
    app: AppContext,
    problem_row: ProblemRow,
    rows: Memo<Vec<ProblemRow>>,
    tab_stop: Memo<Option<usize>>,
) -> Option<impl IntoView> {
    let state = app.problem_list;
    let problem = app
        .store
        .problems
        .with_untracked(|problems| problems.get(problem_row.index).cloned())?;
    let index = memo(move |_| {
        rows.with(|rows| {
            let row = rows.iter().find(|row| row.key == problem_row.key);
            row.map_or(problem_row.index, |row| row.index)
        })
    });
    let is_open = memo(move |_| state.open.get() == Some(index.get()));
    let is_tab_stop = memo(move |_| tab_stop.get() == Some(index.get()));
    let tab = derived(move || if is_tab_stop.get() { "0" } else { "-1" });
    let details = problem.clone();
    let detail_id = move || format!("problem-detail-{}", index.get());
    let meta = meta(app, &problem, index, is_open, tab);
    // The heading is hidden in a one-row list.
    let package = problem.package.clone().unwrap_or_default();
    let package_prefix = move || {
        if package.is_empty() || app.current.package.with(|current| *current == package) {
            String::new()
        } else {
            format!("{package}: ")
        }
    };
    let subject = problem.clone();
    let is_new = memo(move |_| is_new(app, &subject));
    Some(view! {
        <li class="problem" data-depth=problem_row.key.depth.to_string() data-new=move || is_new.get().then_some("true")>
            <div class="problem-whole" data-has-tip="" data-open=move || is_open.get().then_some("true")>
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
                            state.close();
                            state.stop.set(Some(index.get_untracked()));
                        } else {
                            navigation::open_problem(app, index.get_untracked());
                        }
                    }
                >
                    {severity_icon(problem.severity)}
                    {move || is_new.get().then(|| view! { <span class="problem-new">"new"</span> " " })}
                    <span class="problem-of" aria-hidden="true">{package_prefix}</span>
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

/// Renders the message, abbreviated while the problem is closed. Screen readers always get all of
/// it.
fn message(text: &str) -> impl IntoView + use<> {
    let short = Some(words::abbreviate(text)).filter(|short| short != text);
    let is_shortened = short.is_some().then_some("true");
    view! {
        <span class="problem-message" title=text.to_owned() data-brief=is_shortened>
            {short.map(|short| view! { <span class="problem-brief" aria-hidden="true">{in_code(&short)}</span> })}
            <span class="problem-full">{in_code(text)}</span>
        </span>
    }
}

/// Renders the second line: rule, cause, position, fixes.
fn meta(
    app: AppContext,
    problem: &Diagnostic,
    index: Memo<usize>,
    is_open: Memo<bool>,
    tab: Signal<&'static str>,
) -> impl IntoView + use<> {
    let origin = match (problem.opm, problem.is_of_opm()) {
        (true, _) => "reported by opm validate",
        (false, true) => "opm validate refuses the rendered catalog",
        (false, false) => "Switchyard’s advice; opm validate accepts it",
    };
    let cause = problem
        .follows
        .as_ref()
        .map(|cause| match cause.rule.as_str() {
            // No rule reports the cause, so no other row shows it.
            "" => (shorten_cause(&cause.message), cause.message.clone()),
            rule => (format!("follows from {rule}"), String::new()),
        });
    let location = problem.location.clone();
    let place = (!location.file.is_empty()).then(|| {
        let place = words::location(&location);
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
    let go_to_line = problem.hides_text().then(|| {
        let (label, location) = (
            words::go_to_line(&problem.location),
            problem.location.clone(),
        );
        view! {
            <button
                type="button"
                class="button"
                tabindex=move || tab.get()
                on:click=move |_| app.edit_as_text(None, location.clone())
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
            {cause
                .map(|(text, message)| {
                    let message = message.replace('`', "");
                    view! { <span class="problem-follows" title=message>{in_code(&text)}</span> }
                })}
            {place}
            <span class="problem-fixes">
                {go_to_line}
                {fixes}
                {(more > 0).then(|| more_fixes(app, index, more, is_open, tab))}
            </span>
        </div>
    }
}

/// Renders the fixes that do not fit in the row; they are shown below it when it is open.
fn more_fixes(
    app: AppContext,
    index: Memo<usize>,
    more: usize,
    is_open: Memo<bool>,
    tab: Signal<&'static str>,
) -> impl IntoView + use<> {
    let label = words::count(more as u32, "more fix");
    view! {
        <button
            type="button"
            class="link"
            hidden=move || is_open.get()
            aria-label=label.clone()
            title=label
            tabindex=move || tab.get()
            on:click=move |_| navigation::open_problem(app, index.get_untracked())
        >
            {format!("+{more}")}
        </button>
    }
}

/// Shortens a cause for the row of its consequence. The part after a comma is shown when the
/// problem is open.
fn shorten_cause(cause: &str) -> String {
    match cause.split_once("`, ") {
        Some((claim, _)) => format!("since {claim}`"),
        None => format!("since {cause}"),
    }
}

/// Returns the first fix of each kind, since fixes of one kind look alike in a row.
fn first_of_each_kind(fixes: &[Fix]) -> Vec<Fix> {
    let mut first: Vec<Fix> = Vec::new();
    for fix in fixes {
        if first.len() < MAX_FIXES && !first.iter().any(|other| other.kind == fix.kind) {
            first.push(fix.clone());
        }
    }
    first
}

/// Renders a problem in another view, such as the inspector, with a link to the list.
pub fn problem_item(app: AppContext, problem: Diagnostic) -> AnyView {
    let place =
        (!problem.location.file.is_empty()).then(|| location_link(app, problem.location.clone()));
    let fixes = problem
        .fixes
        .iter()
        .cloned()
        .map(|fix| view! { <FixButton app problem=problem.clone() fix tab=Signal::stored("0")/> })
        .collect_view();
    let subject = problem.clone();
    view! {
        <li class="problem-short">
            <p>{severity_icon(problem.severity)} " " {in_code(&problem.message)}</p>
            <p class="problem-meta">
                <button type="button" class="link" on:click=move |_| navigation::open_same_problem(app, &subject)>
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

#[component]
pub(super) fn Detail(app: AppContext, problem: Diagnostic) -> impl IntoView {
    let rule = RwSignal::new(None::<RuleText>);
    let id = problem.rule.clone();
    spawn_local(async move {
        let text = app.store.ask(Explain { rule: id }).await;
        rule.try_set(text.ok());
    });
    let explanation = problem.explanation.clone();
    let why = explanation
        .as_ref()
        .map(|explanation| explanation.why.clone())
        .filter(|why| !why.is_empty());
    let has_explanation = why.is_some();
    let chains = explanation
        .map(|explanation| explanation.chains)
        .unwrap_or_default();
    let channel = problem.channel.clone();
    let (help, follows, related) = (
        problem.help.clone(),
        problem.follows.clone(),
        problem.related.clone(),
    );
    let has_fixes = !problem.fixes.is_empty();
    view! {
        {follows.map(|cause| cause_view(app, cause))}
        {why.map(|why| view! { <p class="detail-why">{in_code(&why)}</p> })}
        // Without an explanation of this problem, use the rule's text.
        {move || {
            rule.get()
                .filter(|_| !has_explanation)
                .map(|rule| view! { <p class="detail-why">{in_code(&rule.why)}</p> })
        }}
        {(!help.is_empty())
            .then(|| view! { <p class="detail-help"><span class="detail-label">"What to do"</span> {in_code(&help)}</p> })}
        {has_fixes
            .then(|| {
                let items = problem.fixes.iter().map(|fix| fix_item(app, &problem, fix));
                view! { <ul class="fixes" aria-label="Fixes">{items.collect_view()}</ul> }
            })}
        // Placed last: its height would push the fixes out of a low panel.
        {(!chains.is_empty())
            .then(|| {
                let items = chains.into_iter().map(|chain| chain_view(app, channel.as_deref(), chain));
                view! { <div class="chains" role="group" aria-label="The part of the graph">{items.collect_view()}</div> }
            })}
        {(!related.is_empty()).then(|| related_view(app, related))}
        {move || rule.get().map(|rule| rule_view(rule, has_explanation))}
    }
    .into_any()
}

fn cause_view(app: AppContext, cause: Cause) -> AnyView {
    let Cause {
        rule,
        message,
        location,
    } = cause;
    view! {
        <p class="detail-follows">
            <span class="detail-label">"Follows from"</span>
            {in_code(&message)} " "
            {(!rule.is_empty()).then(|| view! { <span class="problem-rule">{rule}</span> })} " "
            {(!location.file.is_empty()).then(|| location_link(app, location))}
        </p>
    }
    .into_any()
}

fn related_view(app: AppContext, related: Vec<Related>) -> AnyView {
    let items = related.into_iter().map(|other| {
        view! {
            <li>
                {in_code(&other.message)} " "
                {(!other.location.file.is_empty()).then(|| location_link(app, other.location))}
            </li>
        }
    });
    view! {
        <div class="detail-places">
            <p class="detail-label">"See also"</p>
            <ul>{items.collect_view()}</ul>
        </div>
    }
    .into_any()
}

/// Renders the rule's documentation, collapsed because all problems of the rule share it.
fn rule_view(rule: RuleText, has_explanation: bool) -> AnyView {
    let RuleText {
        rule,
        opm,
        summary,
        why,
        fix,
        opm_message,
        since,
        profile,
    } = rule;
    let origin = if !opm {
        format!(
            "Switchyard’s advice, in profile {} and stricter; opm validate accepts it.",
            profile.name()
        )
    } else if since.is_empty() {
        "A rule of opm validate.".to_owned()
    } else {
        format!("A rule of opm validate, {since}.")
    };
    view! {
        <details class="detail-rule">
            <summary class="detail-summary">"About " <code>{rule}</code></summary>
            <p>{in_code(&summary)} " " <span class="dim">{origin}</span></p>
            {has_explanation.then(|| view! { <p><span class="detail-label">"Why"</span> {in_code(&why)}</p> })}
            <p><span class="detail-label">"Fix"</span> {in_code(&fix)}</p>
            {(!opm_message.is_empty())
                .then(|| view! { <p><span class="detail-label">"opm says"</span> <code>{opm_message}</code></p> })}
        </details>
    }
    .into_any()
}

fn fix_item(app: AppContext, problem: &Diagnostic, fix: &Fix) -> AnyView {
    let title = words::fix_title(&fix.title);
    let heads_note = match fix.heads.as_slice() {
        [] => None,
        [head] => Some(format!("leaves one head: `{head}`")),
        heads => Some(format!(
            "still leaves {} heads: `{}`",
            heads.len(),
            heads.join("`, `")
        )),
    };
    let ops = app.fix_ops(fix, &problem.catalog);
    let count = app
        .store
        .problems
        .with_untracked(|problems| count_same_fixes(problems, &problem.rule, fix));
    let (rule, kind) = (problem.rule.clone(), fix.kind.clone());
    let (safe, safety) = if fix.safe {
        ("true", "safe")
    } else {
        ("false", "review first")
    };
    let press = Press::default();
    let (previewed, applied) = ((title.clone(), ops.clone()), (title.clone(), ops));
    let preview = named_button("Preview", &title, move || {
        app.confirm(previewed.0.clone(), previewed.1.clone())
    });
    let apply = named_button("Apply", &title, move || {
        apply_now(app, press, applied.0.clone(), applied.1.clone())
    });
    view! {
        <li class="fix">
            <div class="fix-text">
                <div class="fix-head">
                    <span class="fix-title">{in_code(&fix.title)}</span>
                    <span class="fix-safe" data-safe=safe>{safety}</span>
                </div>
                {heads_note.map(|text| view! { <p class="fix-note">{in_code(&text)}</p> })}
                {(!fix.note.is_empty()).then(|| view! { <p class="fix-note">{in_code(&fix.note)}</p> })}
            </div>
            <div class="fix-actions">
                {preview}
                {apply}
                {(count > 1)
                    .then(|| {
                        let label = format!("Fix all {count} of this kind");
                        let all = move |()| app.session.fix_all(rule.clone(), kind.clone(), move || focus_next_problem(app));
                        view! { <Button label=label look=Look::Quiet on_press=all/> }
                    })}
            </div>
        </li>
    }
    .into_any()
}

/// Renders a button whose accessible name includes its subject.
fn named_button(label: &'static str, subject: &str, on_press: impl Fn() + 'static) -> AnyView {
    let name = format!("{label}: {subject}");
    view! { <button type="button" class="button" aria-label=name on:click=move |_| on_press()>{label}</button> }
        .into_any()
}

/// Applies operations. Ignores further presses until they are applied or refused.
fn apply_now(app: AppContext, press: Press, title: String, ops: Vec<EditOp>) {
    if !press.begin() {
        return;
    }
    app.session.apply(title, ops, move |end| {
        press.end();
        match end {
            Ok(()) => focus_next_problem(app),
            Err(refusal) => app.notifications.toasts.error(refusal.reason),
        }
    });
}

/// Focuses the problem that takes the place of a fixed one.
fn focus_next_problem(app: AppContext) {
    if let Some(index) = app.problem_list.successor() {
        app.problem_list.wanted.set(Some(index));
    }
}

/// Returns the number of problems of the rule with an equivalent safe fix; 0 if `fix` is not safe
/// or has no kind.
fn count_same_fixes(problems: &[Diagnostic], rule: &str, fix: &Fix) -> usize {
    let is_same = |other: &Fix| other.safe && other.kind == fix.kind;
    if !fix.safe || fix.kind.is_empty() {
        return 0;
    }
    problems
        .iter()
        .filter(|problem| problem.rule == rule && problem.fixes.iter().any(is_same))
        .count()
}

/// Renders a chain of entries, or of packages if there is no `channel`.
fn chain_view(app: AppContext, channel: Option<&str>, chain: Chain) -> AnyView {
    let Chain { title, links } = chain;
    let name = title.replace('`', "");
    let links = links.into_iter().map(|link| match link {
        ChainLink::Entry(entry) => chain_entry(app, channel, entry).into_any(),
        ChainLink::Folded(count) => {
            let text = format!("{count} more between");
            view! { <li class="chain-place"><span class="chain-folded">{text}</span></li> }
                .into_any()
        }
    });
    view! {
        <div class="chain">
            <p class="chain-title">{in_code(&title)}</p>
            <ol aria-label=name>{links.collect_view()}</ol>
        </div>
    }
    .into_any()
}

fn chain_entry(app: AppContext, channel: Option<&str>, entry: ChainEntry) -> AnyView {
    let ChainEntry {
        name,
        version,
        marks,
        edge,
    } = entry;
    let shape = shape(&marks);
    let version = (!version.is_empty() && !name.contains(&version)).then_some(version);
    let labels: Vec<&str> = marks.iter().map(|mark| mark.label()).collect();
    let states = (!labels.is_empty()).then(|| labels.join(", "));
    let is_listed = !marks
        .iter()
        .any(|mark| matches!(mark, ChainMark::Absent | ChainMark::Default));
    let target = channel.filter(|_| is_listed).map(|channel| Target::Entry {
        channel: channel.to_owned(),
        name: name.clone(),
    });
    let node = match target {
        Some(target) => view! {
            <button type="button" class="chain-node" data-shape=shape title="Select it" on:click=move |_| app.select(target.clone())>
                {name}
            </button>
        }
        .into_any(),
        None => view! { <span class="chain-node" data-shape=shape>{name}</span> }.into_any(),
    };
    view! {
        <li class="chain-place">
            {node}
            {version.map(|version| view! { <span class="chain-words">{version}</span> })}
            {states.map(|states| view! { <span class="chain-words" data-shape=shape>{states}</span> })}
            {(!edge.is_empty()).then(|| view! { <span class="chain-edge">{edge}</span> })}
        </li>
    }
    .into_any()
}

/// Returns the shape of an entry's most important mark.
fn shape(marks: &[ChainMark]) -> &'static str {
    let by_importance = [
        (ChainMark::Absent, "absent"),
        (ChainMark::NoBundle, "no-bundle"),
        (ChainMark::Stranded, "stranded"),
        (ChainMark::InCycle, "cycle"),
        (ChainMark::Suggested, "suggested"),
        (ChainMark::Head, "head"),
        (ChainMark::Named, "named"),
        (ChainMark::Skipped, "skipped"),
        (ChainMark::Meets, "meets"),
        (ChainMark::Default, "head"),
    ];
    by_importance
        .into_iter()
        .find(|(mark, _)| marks.contains(mark))
        .map_or("plain", |(_, shape)| shape)
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::diagnostic::Severity;
    #[test]
    fn a_cause_is_shortened_before_its_reason() {
        let cause = "`a.v3` replaces `a.v22`, which is not in the channel and may be a misspelling of `a.v2`";
        assert_eq!(shorten_cause(cause), "since `a.v3` replaces `a.v22`");
        assert_eq!(
            shorten_cause("the channel is empty"),
            "since the channel is empty"
        );
    }

    fn fix(kind: &str, safe: bool) -> Fix {
        Fix {
            title: kind.into(),
            safe,
            ops: Vec::new(),
            kind: kind.into(),
            heads: Vec::new(),
            note: String::new(),
        }
    }

    fn problem(rule: &str, fixes: Vec<Fix>) -> Diagnostic {
        Diagnostic {
            opm: true,
            catalog: "c".into(),
            fixes,
            ..Diagnostic::new(rule, Severity::Error, "")
        }
    }

    #[test]
    fn fixing_all_includes_only_safe_fixes_of_the_same_rule() {
        let problems = [
            problem(
                "a",
                vec![fix("other", true), fix("same", true), fix("same", true)],
            ),
            problem("a", vec![fix("same", false)]),
            problem("b", vec![fix("same", true)]),
            problem("a", vec![fix("same", true)]),
        ];
        assert_eq!(count_same_fixes(&problems, "a", &fix("same", true)), 2);
        assert_eq!(
            count_same_fixes(&problems, "a", &fix("same", false)),
            0,
            "fixes to review are reviewed one by one"
        );
        assert_eq!(count_same_fixes(&problems, "a", &fix("", true)), 0);
    }

    #[test]
    fn the_worst_mark_determines_the_shape_of_an_entry() {
        assert_eq!(shape(&[ChainMark::Head, ChainMark::NoBundle]), "no-bundle");
        assert_eq!(shape(&[ChainMark::Meets, ChainMark::Head]), "head");
        assert_eq!(shape(&[]), "plain");
    }
}
