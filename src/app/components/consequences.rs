//! The consequences of an edit: facts, and tables of the effects on users. A table has one
//! sentence, one row per set of versions with the same effect, and the broken rules behind *Why?*.

use super::long_list::LongList;
use super::problem_parts::broken_item;
use crate::prelude::*;
use crate::widgets::buttons::Disclosure;
use protocol::judgement::{
    JudgedFact, Judgement, OPM_SAYS, USER_TABLE_COLUMNS, UpgradeImpact, UserTable, UserTableRow,
};
use protocol::views::Consequences;

/// Maximum number of rows shown; the others are expandable.
const MAX_ROWS: usize = 6;

#[component]
pub fn ConsequenceList(consequences: Consequences) -> impl IntoView {
    view! {
        <ul class="consequence-list">{consequences.facts.into_iter().map(render_fact).collect_view()}</ul>
        <UserTables tables=consequences.tables/>
    }
    .into_any()
}

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

fn render_fact(fact: JudgedFact) -> impl IntoView {
    let JudgedFact { tone, text, rest } = fact;
    let details = (!rest.is_empty()).then(|| {
        let render = |text: String| render_detail(&text);
        view! { <LongList class="consequence-rest" items=rest render/> }
    });
    view! { <li class="consequence-line" data-tone=tone.name()>{in_code(&text)} {details}</li> }
}

/// `opm`'s message may be a tree, so keep its indentation.
fn render_detail(text: &str) -> AnyView {
    match text.strip_prefix(OPM_SAYS) {
        Some(tree) if tree.contains('\n') => {
            view! { {OPM_SAYS.trim_end()} <pre class="consequence-tree">{tree.to_owned()}</pre> }
                .into_any()
        }
        _ => in_code(text).into_any(),
    }
}

#[component]
pub fn UserTables(tables: Vec<UserTable>) -> impl IntoView {
    tables.into_iter().map(render_table).collect_view()
}

fn render_table(table: UserTable) -> AnyView {
    // A single reason needs no press.
    let has_one_reason = table.broken.len() == 1;
    let broken_rule = table.broken_rule().filter(|_| !has_one_reason);
    let broken_rule = broken_rule.map(str::to_owned);
    let UserTable {
        catalogs,
        package,
        headline,
        mut rows,
        unmet,
        broken,
    } = table;
    // New installs have a row even if they get the same version.
    rows.retain(|row| row.fate != UpgradeImpact::Same);
    let scope = format_scope(&package, &catalogs);
    let caption = if package.is_empty() {
        "What users get".to_owned()
    } else {
        format!("What users of {package} get")
    };
    let label = caption.clone();
    // Without rows, only the headline is shown.
    let is_empty = rows.is_empty();
    let hidden_rows = if rows.len() > MAX_ROWS + 1 {
        rows.split_off(MAX_ROWS)
    } else {
        Vec::new()
    };
    let is_expanded = RwSignal::new(false);
    let hidden_count = hidden_rows.len() as u32;
    view! {
        <div class="user-table">
            {scope.map(|scope| view! { <p class="user-table-whose">{scope}</p> })}
            {broken_rule.map(|rule| view! { <p class="consequence-line" data-tone="bad">{in_code(&rule)}</p> })}
            <p class="user-table-headline"><strong>{headline}</strong></p>
            {unmet.iter().map(|unmet| view! { <p class="consequence-line" data-tone="advice">{in_code(unmet)}</p> }).collect_view()}
            <div class="user-table-scroll" tabindex="0" role="figure" aria-label=label hidden=is_empty>
                <table class="table user-table-grid">
                    <caption class="visually-hidden">{caption}</caption>
                    <thead>
                        <tr>{USER_TABLE_COLUMNS.into_iter().map(|name| view! { <th scope="col">{name}</th> }).collect_view()}</tr>
                    </thead>
                    <tbody>
                        {rows.into_iter().map(render_row).collect_view()}
                        {move || is_expanded.get().then(|| hidden_rows.iter().cloned().map(render_row).collect_view())}
                    </tbody>
                </table>
            </div>
            {(hidden_count > 0)
                .then(|| {
                    view! {
                        <button type="button" class="link" hidden=move || is_expanded.get() on:click=move |_| is_expanded.set(true)>
                            {format!("Show {} more", words::count(hidden_count, "row"))}
                        </button>
                    }
                })}
            {(!broken.is_empty())
                .then(|| {
                    view! {
                        <Disclosure class="user-table-why" label="Why?".into_any() open=has_one_reason>
                            <LongList
                                class="compare-list"
                                label="Broken invariants"
                                item_class="compare-broken"
                                items=broken
                                render=broken_item
                            />
                        </Disclosure>
                    }
                })}
        </div>
    }
    .into_any()
}

/// Names the package and the catalogs of a table; `None` if the package is obvious.
fn format_scope(package: &str, catalogs: &[String]) -> Option<String> {
    if package.is_empty() {
        return None;
    }
    let names = words::list_names(catalogs);
    Some(match catalogs.len() {
        0 | 1 => format!("{package} · {names}"),
        count => format!("{package} · in {count} catalogs: {names}"),
    })
}

/// Renders a row. The tooltip of its first cell names every bundle of the row.
fn render_row(row: UserTableRow) -> impl IntoView {
    let UserTableRow {
        fate,
        tone,
        cells: [from, cells @ ..],
        from: names,
    } = row;
    let cells = cells
        .into_iter()
        .map(|text| view! { <td>{in_code(&text)}</td> })
        .collect_view();
    view! {
        <tr data-tone=tone.name() data-fate=fate.as_str()>
            <th scope="row" title=names.join(", ")>{from}</th>
            {cells}
        </tr>
    }
}
