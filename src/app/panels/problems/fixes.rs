//! The ways out of a problem: what each does and leads to, its preview, and the same for all problems of a kind.

use super::in_code;
use crate::app::desk::Desk;
use crate::app::panels::words;
use crate::app::widgets::button::{Button, Look};
use crate::fbc::diagnostic::{Diagnostic, Fix};
use crate::fbc::edit::op::EditOp;
use leptos::prelude::*;
use std::collections::HashSet;

/// A way out as a button: opens its preview, where it can be applied.
#[component]
pub(super) fn FixButton(desk: Desk, problem: Diagnostic, fix: Fix, tab: Signal<&'static str>) -> impl IntoView {
    let title = words::fix_title(&fix.title);
    let name = format!("Fix: {}: {title}", doing(&fix));
    let shown = doing(&fix);
    view! {
        <button
            type="button"
            class="fix-button"
            aria-label=name.clone()
            title=name
            tabindex=move || tab.get()
            on:click=move |_| desk.confirm(title.clone(), desk.ops_of(&fix, &problem.catalog))
        >
            "Fix: " {shown}
        </button>
    }
    .into_any()
}

/// What a fix does, in a word or two: `add skip`.
fn doing(fix: &Fix) -> String {
    if fix.kind.is_empty() { words::fix_title(&fix.title) } else { fix.kind.replace('-', " ") }
}

/// All ways out of a problem.
#[component]
pub(super) fn Fixes(desk: Desk, problem: Diagnostic) -> impl IntoView {
    let items = problem.fixes.iter().map(|fix| one(desk, &problem, fix)).collect_view();
    view! {
        <ul class="fixes" aria-label="Ways out">{items}</ul>
    }
    .into_any()
}

fn one(desk: Desk, problem: &Diagnostic, fix: &Fix) -> impl IntoView + use<> {
    let title = words::fix_title(&fix.title);
    let leads_to = match fix.heads.as_slice() {
        [] => None,
        [head] => Some(format!("leads to the one head `{head}`")),
        heads => Some(format!("still leaves {} heads: `{}`", heads.len(), heads.join("`, `"))),
    };
    let ops = desk.ops_of(fix, &problem.catalog);
    let all = desk.session.problems.with_untracked(|problems| of_kind(problems, &problem.rule, fix));
    let (preview, apply) = ((title.clone(), ops.clone()), (title.clone(), ops));
    let (safe, word) = if fix.safe { ("true", "safe") } else { ("false", "to be looked at") };
    view! {
        <li class="fix">
            <div class="fix-head">
                <span class="fix-title">{in_code(&fix.title)}</span>
                <span class="fix-safe" data-safe=safe>{word}</span>
            </div>
            {leads_to.map(|text| view! { <p class="fix-note">{in_code(&text)}</p> })}
            {(!fix.note.is_empty()).then(|| view! { <p class="fix-note">{in_code(&fix.note)}</p> })}
            <div class="fix-actions">
                <NamedButton
                    label="Preview"
                    of=title.clone()
                    on_press=move |()| desk.confirm(preview.0.clone(), preview.1.clone())
                />
                <NamedButton
                    label="Apply"
                    of=title.clone()
                    on_press=move |()| apply_now(desk, apply.0.clone(), apply.1.clone())
                />
                {(all.len() > 1)
                    .then(|| {
                        let ops = joined(desk, &all);
                        let label = format!("Fix all {} of this kind", all.len());
                        let name = format!("{title}, and {} more like it", all.len() - 1);
                        view! { <Button label=label look=Look::Quiet on_press=move |()| desk.confirm(name.clone(), ops.clone())/> }
                    })}
            </div>
        </li>
    }
    .into_any()
}

/// A button whose name goes on with what it is about.
#[component]
fn NamedButton(label: &'static str, of: String, #[prop(into)] on_press: Callback<()>) -> impl IntoView {
    view! {
        <button type="button" class="button" aria-label=format!("{label}: {of}") on:click=move |_| on_press.run(())>
            {label}
        </button>
    }
    .into_any()
}

fn apply_now(desk: Desk, title: String, ops: Vec<EditOp>) {
    desk.apply(title, ops, move |end| match end {
        Ok(()) => {
            if let Some(index) = desk.board.successor() {
                desk.board.wanted.set(Some(index));
            }
        }
        Err(refusal) => desk.toasts.error(refusal.reason),
    });
}

/// Of each problem of the rule the first safe fix that does the same; empty where the fix is not safe or not of a kind.
fn of_kind(problems: &[Diagnostic], rule: &str, fix: &Fix) -> Vec<(String, Fix)> {
    if !fix.safe || fix.kind.is_empty() {
        return Vec::new();
    }
    let same = problems.iter().filter(|problem| problem.rule == rule);
    same.filter_map(|problem| {
        let fix = problem.fixes.iter().find(|other| other.safe && other.kind == fix.kind)?;
        Some((problem.catalog.clone(), fix.clone()))
    })
    .collect()
}

/// The operations of all, each once: two problems may have one way out.
fn joined(desk: Desk, fixes: &[(String, Fix)]) -> Vec<EditOp> {
    let mut seen = HashSet::new();
    let ops = fixes.iter().flat_map(|(catalog, fix)| desk.ops_of(fix, catalog));
    // Operations are strings, lists and options, which JSON can write.
    ops.filter(|op| serde_json::to_string(op).is_ok_and(|text| seen.insert(text))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fbc::diagnostic::{Location, Severity};

    fn fix(kind: &str, safe: bool) -> Fix {
        Fix { title: kind.into(), safe, ops: Vec::new(), kind: kind.into(), heads: Vec::new(), note: String::new() }
    }

    fn problem(rule: &str, fixes: Vec<Fix>) -> Diagnostic {
        Diagnostic {
            rule: rule.into(),
            severity: Severity::Error,
            opm: true,
            message: String::new(),
            help: String::new(),
            catalog: "c".into(),
            package: None,
            channel: None,
            bundle: None,
            location: Location::default(),
            related: Vec::new(),
            fixes,
            follows: None,
            explanation: None,
        }
    }

    #[test]
    fn all_of_a_kind_are_safe_ones_of_the_same_rule() {
        let problems = [
            problem("a", vec![fix("other", true), fix("same", true), fix("same", true)]),
            problem("a", vec![fix("same", false)]),
            problem("b", vec![fix("same", true)]),
            problem("a", vec![fix("same", true)]),
        ];
        assert_eq!(of_kind(&problems, "a", &fix("same", true)).len(), 2);
        assert!(
            of_kind(&problems, "a", &fix("same", false)).is_empty(),
            "what is to be looked at is looked at one by one"
        );
        assert!(of_kind(&problems, "a", &fix("", true)).is_empty());
    }
}
