//! The fixes of a problem: their effect, a preview, and the same for all problems of a kind.

use crate::context::AppContext;
use crate::widgets::button::{Button, Look};
use crate::widgets::code_text::in_code;
use crate::widgets::press_guard::Press;
use crate::words;
use leptos::prelude::*;
use protocol::diagnostic::{Diagnostic, Fix};
use protocol::operation::EditOp;

/// All fixes of a problem.
#[component]
pub(super) fn Fixes(app: AppContext, problem: Diagnostic) -> impl IntoView {
    let items = problem
        .fixes
        .iter()
        .map(|fix| one(app, &problem, fix))
        .collect_view();
    view! {
        <ul class="fixes" aria-label="Fixes">{items}</ul>
    }
    .into_any()
}

fn one(app: AppContext, problem: &Diagnostic, fix: &Fix) -> impl IntoView + use<> {
    let title = words::fix_title(&fix.title);
    let leads_to = match fix.heads.as_slice() {
        [] => None,
        [head] => Some(format!("leaves one head: `{head}`")),
        heads => Some(format!(
            "still leaves {} heads: `{}`",
            heads.len(),
            heads.join("`, `")
        )),
    };
    let ops = app.edits.fix_ops(fix, &problem.catalog);
    let count = app
        .store
        .problems
        .with_untracked(|problems| count_same_fixes(problems, &problem.rule, fix));
    let (rule, kind) = (problem.rule.clone(), fix.kind.clone());
    let (preview, apply) = ((title.clone(), ops.clone()), (title.clone(), ops));
    let (safe, word) = if fix.safe {
        ("true", "safe")
    } else {
        ("false", "review first")
    };
    let press = Press::new();
    view! {
        <li class="fix">
            <div class="fix-text">
                <div class="fix-head">
                    <span class="fix-title">{in_code(&fix.title)}</span>
                    <span class="fix-safe" data-safe=safe>{word}</span>
                </div>
                {leads_to.map(|text| view! { <p class="fix-note">{in_code(&text)}</p> })}
                {(!fix.note.is_empty()).then(|| view! { <p class="fix-note">{in_code(&fix.note)}</p> })}
            </div>
            <div class="fix-actions">
                <NamedButton
                    label="Preview"
                    of=title.clone()
                    on_press=move |()| app.edits.confirm(preview.0.clone(), preview.1.clone())
                />
                <NamedButton
                    label="Apply"
                    of=title.clone()
                    on_press=move |()| apply_now(app, press, apply.0.clone(), apply.1.clone())
                />
                {(count > 1)
                    .then(|| {
                        let label = format!("Fix all {count} of this kind");
                        let all = move |()| app.edits.fix_all(rule.clone(), kind.clone(), move || to_the_next(app));
                        view! { <Button label=label look=Look::Quiet on_press=all/> }
                    })}
            </div>
        </li>
    }
    .into_any()
}

/// A button whose accessible name includes its subject.
#[component]
fn NamedButton(
    label: &'static str,
    of: String,
    #[prop(into)] on_press: Callback<()>,
) -> impl IntoView {
    view! {
        <button type="button" class="button" aria-label=format!("{label}: {of}") on:click=move |_| on_press.run(())>
            {label}
        </button>
    }
    .into_any()
}

/// Ignores a second press until the first has ended.
fn apply_now(app: AppContext, press: Press, title: String, ops: Vec<EditOp>) {
    if !press.begin() {
        return;
    }
    app.edits.apply(title, ops, move |end| {
        press.end();
        match end {
            Ok(()) => to_the_next(app),
            Err(refusal) => app.notifications.toasts.error(refusal.reason),
        }
    });
}

/// Focuses the problem that takes the place of a fixed one.
fn to_the_next(app: AppContext) {
    if let Some(index) = app.problem_list.successor() {
        app.problem_list.wanted.set(Some(index));
    }
}

/// Number of problems of the rule with an equivalent safe fix; 0 if this one is not safe or has no
/// kind.
fn count_same_fixes(problems: &[Diagnostic], rule: &str, fix: &Fix) -> usize {
    let does_it = |other: &Fix| other.safe && other.kind == fix.kind;
    let same = problems
        .iter()
        .filter(|problem| problem.rule == rule && problem.fixes.iter().any(does_it));
    if fix.safe && !fix.kind.is_empty() {
        same.count()
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::diagnostic::Severity;

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
    fn all_of_a_kind_are_safe_ones_of_the_same_rule() {
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
            "what is to be looked at is looked at one by one"
        );
        assert_eq!(count_same_fixes(&problems, "a", &fix("", true)), 0);
    }
}
