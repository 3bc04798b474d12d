//! The details of a problem: the reason, fixes, the affected part of the graph, related positions,
//! and the rule's documentation.

use super::chain_diagram::Chains;
use super::fixes::Fixes;
use crate::components::place_link::place_link;
use crate::context::AppContext;
use crate::widgets::code_text::in_code;
use leptos::prelude::*;
use protocol::diagnostic::{Cause, Diagnostic, Related};
use protocol::query::Explain;
use protocol::views::RuleText;
use wasm_bindgen_futures::spawn_local;

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
    let has_own = why.is_some();
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
        {follows.map(|cause| because(app, cause))}
        {why.map(|why| view! { <p class="detail-why">{in_code(&why)}</p> })}
        // Without an explanation of this problem, use the rule's text.
        {move || {
            rule.get()
                .filter(|_| !has_own)
                .map(|rule| view! { <p class="detail-why">{in_code(&rule.why)}</p> })
        }}
        {(!help.is_empty())
            .then(|| view! { <p class="detail-help"><span class="detail-label">"What to do"</span> {in_code(&help)}</p> })}
        {has_fixes.then(|| view! { <Fixes app problem/> })}
        // Placed last, since its height would push the fixes out of a low panel.
        {(!chains.is_empty()).then(|| view! { <Chains app channel chains/> })}
        {(!related.is_empty()).then(|| places(app, related))}
        {move || rule.get().map(|rule| about(rule, has_own))}
    }
    .into_any()
}

fn because(app: AppContext, cause: Cause) -> impl IntoView {
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
            {(!location.file.is_empty()).then(|| place_link(app, location))}
        </p>
    }
    .into_any()
}

fn places(app: AppContext, related: Vec<Related>) -> impl IntoView {
    let items = related.into_iter().map(|other| {
        view! {
            <li>
                {in_code(&other.message)} " "
                {(!other.location.file.is_empty()).then(|| place_link(app, other.location))}
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

/// The rule's documentation, folded because all of its problems share it.
fn about(rule: RuleText, has_own: bool) -> impl IntoView {
    let RuleText {
        rule,
        opm,
        summary,
        why,
        fix,
        opm_message,
        since,
        profile,
        bad,
        good,
    } = rule;
    let origin = match opm {
        true if since.is_empty() => "A rule of opm validate.".to_owned(),
        true => format!("A rule of opm validate, {since}."),
        false => format!(
            "Switchyard’s advice, in profile {} and stricter; opm validate accepts it.",
            profile.name()
        ),
    };
    view! {
        <details class="detail-rule">
            <summary class="detail-summary">"About " <code>{rule}</code></summary>
            <p>{in_code(&summary)} " " <span class="dim">{origin}</span></p>
            {has_own.then(|| view! { <p><span class="detail-label">"Why"</span> {in_code(&why)}</p> })}
            <p><span class="detail-label">"Fix"</span> {in_code(&fix)}</p>
            {(!opm_message.is_empty())
                .then(|| view! { <p><span class="detail-label">"opm says"</span> <code>{opm_message}</code></p> })}
            {examples("Has the problem", bad)}
            {examples("Is fine", good)}
        </details>
    }
    .into_any()
}

/// Small example catalogs. Shows paths if there are several or an unusual one.
fn examples(label: &'static str, examples: Vec<Vec<(String, String)>>) -> impl IntoView {
    let has_none = examples.is_empty();
    let shown = examples.into_iter().map(|files| {
        let is_plain = matches!(files.as_slice(), [(path, _)] if path.starts_with("catalog."));
        let files = files.into_iter().map(|(path, text)| {
            let name = format!("{label}: {path}");
            view! {
                {(!is_plain).then(|| view! { <p class="example-path">{path}</p> })}
                <pre class="example" tabindex="0" role="region" aria-label=name>{text}</pre>
            }
        });
        view! { <div class="example-catalog">{files.collect_view()}</div> }
    });
    view! {
        <div class="examples" hidden=has_none>
            <p class="detail-label">{label}</p>
            {shown.collect_view()}
        </div>
    }
    .into_any()
}
