//! The consequences of an edit: facts, and tables of the effects on users.

use super::user_table::UserTables;
use crate::widgets::code_text::in_code;
use crate::widgets::icon::{Glyph, Icon};
use leptos::prelude::*;
use protocol::judgement::{JudgedFact, Judgement, OPM_SAYS};
use protocol::views::Consequences;

#[component]
pub fn ConsequenceList(found: Consequences) -> impl IntoView {
    view! {
        <ul class="consequence-list">{found.facts.into_iter().map(fact).collect_view()}</ul>
        <UserTables tables=found.tables/>
    }
    .into_any()
}

/// The judgement as icon and text.
#[component]
pub fn JudgementMark(judgement: Judgement) -> impl IntoView {
    let icons: &[(Icon, &str)] = match judgement {
        Judgement::Neutral => &[],
        Judgement::Better => &[(Icon::Check, "good")],
        Judgement::Mixed => &[(Icon::Check, "good"), (Icon::Warning, "advice")],
        Judgement::Advice | Judgement::Unfinished | Judgement::Unknown => {
            &[(Icon::Warning, "advice")]
        }
        Judgement::Worse => &[(Icon::Error, "bad")],
    };
    let glyph = |(icon, tone): &(Icon, &'static str)| {
        view! { <span class="consequence-glyph" data-tone=*tone><Glyph icon=*icon/></span> }
    };
    view! {
        <span class="consequence-mood" data-tone=judgement.name() hidden=icons.is_empty()>
            {icons.iter().map(glyph).collect_view()}
            <span>{judgement.label()}</span>
        </span>
    }
    .into_any()
}

/// A fact, with its consequences below.
fn fact(fact: JudgedFact) -> impl IntoView {
    let JudgedFact { tone, text, rest } = fact;
    let rest = (!rest.is_empty()).then(|| {
        let items = rest
            .into_iter()
            .map(|text| view! { <li>{below(&text)}</li> })
            .collect_view();
        view! { <ul class="consequence-rest">{items}</ul> }
    });
    view! { <li class="consequence-line" data-tone=tone.name()>{in_code(&text)} {rest}</li> }
}

/// `opm`'s message may be a tree, so keep its indentation.
fn below(text: &str) -> AnyView {
    match text.strip_prefix(OPM_SAYS) {
        Some(tree) if tree.contains('\n') => {
            view! { {OPM_SAYS.trim_end()} <pre class="consequence-tree">{tree.to_owned()}</pre> }
                .into_any()
        }
        _ => in_code(text).into_any(),
    }
}
