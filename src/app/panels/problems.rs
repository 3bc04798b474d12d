//! The problems of the catalog in view, and how one problem looks wherever it is listed.

use crate::app::desk::{Desk, desk};
use crate::app::panels::inspector::place_link;
use crate::app::panels::words;
use crate::app::widgets::button::Button;
use crate::app::widgets::icon::{Glyph, Icon};
use crate::fbc::diagnostic::{Diagnostic, Severity};
use leptos::prelude::*;

/// So many problems are drawn; the rest is counted.
const SHOWN: usize = 400;

/// Which problems are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Which {
    #[default]
    All,
    Errors,
    Advice,
    /// Of the package in view.
    Here,
}

impl Which {
    const EACH: [(Which, &'static str); 4] =
        [(Which::All, "All"), (Which::Errors, "Errors"), (Which::Advice, "Advice"), (Which::Here, "This package")];

    fn takes(self, problem: &Diagnostic, package: &str) -> bool {
        match self {
            Which::All => true,
            Which::Errors => problem.severity == Severity::Error,
            Which::Advice => problem.severity != Severity::Error,
            Which::Here => problem.package.as_deref() == Some(package),
        }
    }
}

/// Problems by package, in their own order; what belongs to no package comes first under "".
pub fn grouped(problems: &[Diagnostic], which: Which, package: &str) -> Vec<(String, Vec<Diagnostic>)> {
    let mut groups: Vec<(String, Vec<Diagnostic>)> = Vec::new();
    for problem in problems.iter().filter(|problem| which.takes(problem, package)).take(SHOWN) {
        let name = problem.package.clone().unwrap_or_default();
        match groups.iter_mut().find(|(known, _)| *known == name) {
            Some((_, list)) => list.push(problem.clone()),
            None => groups.push((name, vec![problem.clone()])),
        }
    }
    groups.sort_by_key(|(name, list)| {
        let has_error = list.iter().any(|problem| problem.severity == Severity::Error);
        (!name.is_empty(), !has_error)
    });
    groups
}

#[component]
pub fn Problems() -> impl IntoView {
    let desk = desk();
    let which = RwSignal::new(Which::All);
    let groups = Memo::new(move |_| {
        let package = desk.package.get();
        desk.session.problems.with(|problems| grouped(problems, which.get(), &package))
    });
    let count = move |wanted: Which| {
        let package = desk.package.get();
        desk.session.problems.with(|problems| problems.iter().filter(|problem| wanted.takes(problem, &package)).count())
    };
    let is_clean = move || desk.session.problems.with(|problems| problems.is_empty());
    view! {
        <section aria-label="Problems">
            <div class="below-head">
                <h2 class="below-title">"Problems"</h2>
                <span class="dim" hidden=move || !is_clean()>"None"</span>
                <div class="chips" role="group" aria-label="Filter problems" hidden=is_clean>
                    {Which::EACH
                        .into_iter()
                        .map(|(kind, label)| {
                            view! {
                                <button
                                    type="button"
                                    class="chip"
                                    aria-pressed=move || (which.get() == kind).to_string()
                                    on:click=move |_| which.set(kind)
                                >
                                    {label}
                                    <span class="chip-count">{move || count(kind)}</span>
                                </button>
                            }
                        })
                        .collect_view()}
                </div>
            </div>
            {move || {
                groups
                    .get()
                    .into_iter()
                    .map(|(name, list)| {
                        let heading = if name.is_empty() { "The catalog".to_owned() } else { name };
                        view! {
                            <h3 class="problem-group">{heading}</h3>
                            <ul>
                                {list.into_iter().map(|problem| problem_item(desk, problem)).collect_view()}
                            </ul>
                        }
                    })
                    .collect_view()
            }}
            <p class="dim" hidden=move || { count(which.get()) <= SHOWN }>
                {move || format!("{} more are not listed here.", count(which.get()).saturating_sub(SHOWN))}
            </p>
        </section>
    }
    .into_any()
}

/// One problem: what is so, where, what to do, and the ways out.
pub fn problem_item(desk: Desk, problem: Diagnostic) -> impl IntoView {
    let severity = words::severity(&problem);
    let (tone, icon) = match problem.severity {
        Severity::Error => ("error", Icon::Error),
        Severity::Warning => ("advice", Icon::Warning),
        Severity::Info => ("info", Icon::Info),
    };
    let Diagnostic { rule, message, help, location, related, fixes, opm, package, .. } = problem;
    let go = package.clone();
    view! {
        <li class="problem">
            <span class="mark" data-tone=tone>
                <Glyph icon=icon/>
                <span class="visually-hidden">{severity}</span>
            </span>
            <div class="problem-body">
                <p class="problem-line">
                    <span class="problem-message">{in_code(&message)}</span>
                    <span class="problem-rule" title=if opm { "opm validate refuses this" } else { "advice of Switchyard" }>
                        {rule}
                    </span>
                    {(!location.file.is_empty()).then(|| place_link(desk, location))}
                </p>
                {(!help.is_empty()).then(|| view! { <p class="problem-help">{in_code(&help)}</p> })}
                {related
                    .into_iter()
                    .map(|other| {
                        view! {
                            <p class="problem-help">
                                {in_code(&other.message)} " "
                                {(!other.location.file.is_empty()).then(|| place_link(desk, other.location))}
                            </p>
                        }
                    })
                    .collect_view()}
                {(!fixes.is_empty())
                    .then(|| {
                        view! {
                            <div class="problem-fixes">
                                {fixes
                                    .into_iter()
                                    .map(|fix| {
                                        let (title, ops, go) = (fix.title.clone(), fix.ops, go.clone());
                                        view! {
                                            <Button
                                                label=fix.title
                                                on_press=move |()| {
                                                    if let Some(package) = &go
                                                        && desk.package.get_untracked() != *package
                                                    {
                                                        desk.show_package(package.clone());
                                                    }
                                                    desk.confirm(title.clone(), ops.clone());
                                                }
                                            />
                                        }
                                    })
                                    .collect_view()}
                            </div>
                        }
                    })}
            </div>
        </li>
    }
    .into_any()
}

/// Text in which names stand in backticks, with those in the monospaced face.
pub fn in_code(text: &str) -> impl IntoView + use<> {
    text.split('`')
        .enumerate()
        .map(|(index, part)| {
            let part = part.to_owned();
            if index % 2 == 1 { view! { <code>{part}</code> }.into_any() } else { part.into_any() }
        })
        .collect_view()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fbc::diagnostic::Location;

    fn problem(package: Option<&str>, severity: Severity) -> Diagnostic {
        Diagnostic {
            rule: "r".into(),
            severity,
            opm: true,
            message: "m".into(),
            help: String::new(),
            catalog: String::new(),
            package: package.map(str::to_owned),
            channel: None,
            bundle: None,
            location: Location::default(),
            related: Vec::new(),
            fixes: Vec::new(),
            follows: None,
            explanation: None,
        }
    }

    fn shape(which: Which) -> Vec<(String, usize)> {
        let problems = [
            problem(Some("b"), Severity::Warning),
            problem(Some("a"), Severity::Error),
            problem(None, Severity::Error),
            problem(Some("b"), Severity::Info),
        ];
        grouped(&problems, which, "b").into_iter().map(|(name, list)| (name, list.len())).collect()
    }

    #[test]
    fn what_concerns_the_catalog_comes_first_then_packages_with_errors() {
        assert_eq!(shape(Which::All), [(String::new(), 1), ("a".into(), 1), ("b".into(), 2)]);
    }

    #[test]
    fn filters_narrow() {
        assert_eq!(shape(Which::Errors), [(String::new(), 1), ("a".into(), 1)]);
        assert_eq!(shape(Which::Advice), [("b".into(), 2)]);
        assert_eq!(shape(Which::Here), [("b".into(), 2)]);
    }
}
