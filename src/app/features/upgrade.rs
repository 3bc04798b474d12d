//! Upgrade paths: of one version, of all versions, and compared between catalogs. The panel shows
//! the path under the selected lens with the reason for each step, the other lens's path, the
//! effect of other channels, and the effect of both paths on the selected cluster.

mod compare;
mod everyone;
mod matrix;

use crate::context::navigation;
use crate::prelude::*;
use crate::state::entries::format_origin as installed_name;
use crate::widgets::short_text::rest_item;
pub use compare::Compare;
pub use everyone::EveryoneTable;
use everyone::version_or_name;
use protocol::MATCHED_OPM;
use protocol::destination::{Destination, EdgeKind, PathStart, UpgradeError};
use protocol::judgement::Tone;
use protocol::request::Target;
use protocol::upgrades::{ClusterView, UnreadableParts};
use protocol::views::{
    ChannelAnswer, Lens, Origin, PathStep, StatusCondition, UpgradeAnswer, UpgradePath,
};
use protocol::words::reason_for_no_answer;

/// Longest error that is shown without collapsing it.
const EXCERPT_CHARS: usize = 160;

#[component]
pub fn UpgradePathPanel() -> impl IntoView {
    let app = app_context();
    let answer = memo(move |_| app.current.view.with(|view| view.answer.clone()));
    let lens = memo(move |_| app.store.question.with(|question| question.lens));
    let has_package = move || app.current.view.with(|view| !view.package.is_empty());
    let heading = move || match answer.with(|answer| answer.origin.clone()) {
        Origin::Fresh => "Upgrade path from a fresh install".to_owned(),
        origin => format!(
            "Upgrade path from {}",
            app.current
                .view
                .with(|view| installed_name(&origin, &view.bundles))
        ),
    };
    view! {
        <Show when=has_package>
            <section aria-labelledby="paths-title">
                <h3 class="inspector-heading" id="paths-title">{heading}</h3>
                {failing_catalog_notice(app)}
                {move || ask_link(app)}
                {move || view! { <BothLenses app answer=answer.get() lens=lens.get()/> }}
            </section>
        </Show>
    }
    .into_any()
}

/// Renders the link that asks for the path from a selected bundle, unless the question concerns it.
fn ask_link(app: AppContext) -> Option<impl IntoView> {
    let name = app.current.target.with(|target| match target {
        Target::Entry { name, .. } | Target::Bundle { name } => Some(name.clone()),
        _ => None,
    })?;
    let origin = Origin::Installed(name.clone());
    let question = app.store.question;
    let is_current_question = question.with(|question| question.origin == origin);
    let label = app.current.view.with(|view| {
        let is_bundle = view.bundles.iter().any(|(bundle, _)| *bundle == name);
        // The path that is still shown may start from it.
        let verb = if view.answer.origin == origin {
            "Draw"
        } else {
            "Show"
        };
        let version = installed_name(&origin, &view.bundles);
        (is_bundle && !is_current_question).then(|| format!("{verb} the path from {version}"))
    })?;
    let ask = move |_| {
        let channel = untrack(|| app.store.question_in_view()).channel;
        app.ask_upgrade(|question| {
            question.origin = Origin::Installed(name.clone());
            question.channel = channel;
        });
    };
    Some(
        view! { <p class="paths-hint"><button type="button" class="link" on:click=ask>{label}</button></p> },
    )
}

#[component]
fn BothLenses(app: AppContext, answer: UpgradeAnswer, lens: Lens) -> impl IntoView {
    let UpgradeAnswer {
        origin,
        v0,
        v1,
        difference,
        channels,
        cluster,
        unknown,
        is_partial,
        incomplete: unreadable,
    } = answer;
    if let Some(unknown) = unknown {
        return view! {
            {incomplete_notice(unreadable)}
            <p class="path-error">{in_code(&unknown)}</p>
        }
        .into_any();
    }
    let on_cluster = on_cluster(cluster.as_ref(), &v0, &v1);
    // The lenses can fail for different reasons.
    let differs = difference.is_some() || v0.error != v1.error;
    let (chosen, other) = if lens == Lens::V0 { (v0, v1) } else { (v1, v0) };
    let installed = (origin != Origin::Fresh).then(|| {
        let bundles = app.current.view.with_untracked(|view| view.bundles.clone());
        installed_name(&origin, &bundles)
    });
    let other_name = format!("Path under {}", words::lens(other.lens));
    let scope = is_partial.then_some("in what could be read");
    view! {
        {incomplete_notice(unreadable)}
        <div class="paths-answer">
            {path_summary(app, &chosen, installed.as_deref(), !differs, scope)}
            {differs.then(|| path_summary(app, &other, installed.as_deref(), false, scope))}
            {difference
                .map(|difference| {
                    view! {
                        <p class="path-difference">
                            <Glyph icon=Icon::Warning/>
                            <span>
                                <strong>"OLM Classic and OLM v1 differ. "</strong>
                                {difference.with_one_channel.map(|remark| in_code(&remark))}
                            </span>
                        </p>
                    }
                })}
        </div>
        {on_cluster}
        {path_details(app, chosen, true)}
        {differs
            .then(|| {
                view! {
                    <details class="paths-more">
                        <summary class="paths-summary">{other_name}</summary>
                        {path_details(app, other, false)}
                    </details>
                }
            })}
        {(lens == Lens::V0 && channels.len() > 1).then(|| view! { <OtherChannels app channels installed scope/> })}
    }
    .into_any()
}

/// Renders a lens's answer in one line. `is_of_both`: the other lens has the same answer.
fn path_summary(
    app: AppContext,
    path: &UpgradePath,
    installed: Option<&str>,
    is_of_both: bool,
    scope: Option<&'static str>,
) -> AnyView {
    let is_chosen = app
        .store
        .question
        .with_untracked(|question| question.lens == path.lens);
    // Show the end first: the steps are listed below.
    let (answer, tone) = destination(
        path.steps.last().map(version).as_deref(),
        installed,
        path.error.as_ref(),
        path.is_stuck,
    );
    let lens = match (is_of_both, path.lens) {
        (true, _) => "Classic and OLM v1",
        (false, Lens::V0) => "Classic",
        (false, Lens::V1) => "OLM v1",
    };
    let through = if is_of_both {
        shared_scope([Lens::V0, Lens::V1].map(|lens| question_scope(app, lens)))
    } else {
        question_scope(app, path.lens)
    };
    let steps = path.steps.len() as u32;
    let further = (steps > 1).then(|| format!("in {}", words::count(steps, "step")));
    let scope = scope.map(|scope| view! { <span class="path-further">{scope}</span> });
    view! {
        <p class="path-line" data-chosen=is_chosen.then_some("true")>
            <span class="path-lens">{lens}</span>
            <span class="path-through">{through}</span>
            <span class="path-next" data-destination=tone.name()>{answer}</span>
            {further.map(|further| view! { <span class="path-further">{further}</span> })}
            {scope}
        </p>
    }
    .into_any()
}

/// Describes the end of a path, or why there is none, with its tone.
fn destination(
    next: Option<&str>,
    installed: Option<&str>,
    error: Option<&UpgradeError>,
    is_stuck: bool,
) -> (String, Tone) {
    let start = PathStart {
        next,
        installed,
        error: error.map(|error| error.kind),
        is_stuck,
    };
    let to = Destination::from(start);
    let reason = match to {
        Destination::NoUpdate | Destination::NotInstallable => {
            reason_for_no_answer(error.map_or("", |error| &error.text))
        }
        _ => "",
    };
    let text = match reason {
        "" => to.to_string(),
        reason => format!("{to}: {reason}"),
    };
    (text, to.tone())
}

/// Renders an error. Resolver errors list every bundle that was tried, but their first words say
/// what is wrong: a long text is collapsed.
fn error_view(error: &str) -> AnyView {
    match excerpt(error) {
        None => view! { <p class="path-error">{in_code(error)}</p> }.into_any(),
        Some(excerpt) => view! {
            <details class="path-error">
                <summary>{in_code(&format!("{excerpt}…"))}</summary>
                {in_code(error)}
            </details>
        }
        .into_any(),
    }
}

/// Returns the first whole words of a text that is longer than [`EXCERPT_CHARS`].
fn excerpt(text: &str) -> Option<&str> {
    let (end, _) = text.char_indices().nth(EXCERPT_CHARS)?;
    let start = &text[..end];
    Some(start.rsplit_once(' ').map_or(start, |(words, _)| words))
}

/// Renders the steps with their reasons, and why the path ends.
fn path_details(app: AppContext, path: UpgradePath, is_chosen: bool) -> AnyView {
    let name = format!("Path under {}", words::lens(path.lens));
    let UpgradePath {
        steps,
        end,
        looped,
        error,
        notes,
        conditions,
        ..
    } = path;
    let end = without_repeated_reasons(end, steps.last());
    let is_empty = steps.is_empty();
    view! {
        <div class="path" data-chosen=is_chosen.then_some("true")>
            <ol class="path-steps" aria-label=name hidden=is_empty>
                {steps.into_iter().enumerate().map(|(index, step)| step_item(app, step, index == 0)).collect_view()}
            </ol>
            {looped.then(|| view! { <p class="path-error">"The steps form a cycle: an installation in it is upgraded forever."</p> })}
            {end.into_iter().map(|line| view! { <p class="path-why">{in_code(&line)}</p> }).collect_view()}
            // After the reasons: it lists every version that was tried.
            {error.map(|error| error_view(&error.text))}
            {conditions.into_iter().map(condition_view).collect_view()}
            {notes.into_iter().map(|note| view! { <p class="path-note">{in_code(&note)}</p> }).collect_view()}
        </div>
    }
    .into_any()
}

/// Renders the cluster's condition for a deprecation on the path.
fn condition_view(condition: StatusCondition) -> AnyView {
    let StatusCondition {
        kind,
        message,
        when,
    } = condition;
    view! {
        <p class="path-why">
            <span aria-hidden="true">"⊘ "</span>
            <code>{kind}</code>
            ", "
            {in_code(&when)}
            ": "
            {message}
        </p>
    }
    .into_any()
}

/// Returns the reasons why a path ends, without those of its last step.
fn without_repeated_reasons(end: Vec<String>, last: Option<&PathStep>) -> Vec<String> {
    let reasons = last.map(|step| step.why.as_slice()).unwrap_or_default();
    let without_reason = |line: String| {
        let Some(rest) = reasons
            .iter()
            .find_map(|reason| line.strip_prefix(reason.as_str()))
        else {
            return Some(line);
        };
        let rest = rest.trim_start_matches([':', ' ']);
        (!rest.is_empty()).then(|| rest.to_owned())
    };
    end.into_iter().filter_map(without_reason).collect()
}

/// Describes the scope of the question under a lens.
fn question_scope(app: AppContext, lens: Lens) -> String {
    let question = untrack(|| app.store.question_in_view());
    let default = app.current.view.with(|view| view.default_channel.clone());
    let mut scope = match lens {
        Lens::V0 if question.channel.is_empty() => format!("channel {default}"),
        Lens::V0 => format!("channel {}", question.channel),
        Lens::V1 => words::name_channels(&question.channels),
    };
    if lens == Lens::V1 && !question.range.is_empty() {
        scope.push_str(&format!(", {}", question.range));
    }
    scope
}

/// Describes the scopes of Classic and OLM v1 in one text.
fn shared_scope([classic, v1]: [String; 2]) -> String {
    if classic == v1 {
        return classic;
    }
    format!("{classic} (Classic), {v1} (OLM v1)")
}

fn step_item(app: AppContext, step: PathStep, is_first: bool) -> AnyView {
    let PathStep {
        name,
        channel,
        edge,
        why,
        on_cluster,
        ..
    } = step;
    let target = match channel {
        None => Target::Bundle { name: name.clone() },
        Some(channel) => Target::Entry {
            channel,
            name: name.clone(),
        },
    };
    // Explain the next step in full; for later ones the edge is enough.
    let why = why.into_iter().take(if is_first { usize::MAX } else { 1 });
    view! {
        <li class="path-step">
            <button type="button" class="link" on:click=move |_| app.select(target.clone())>{name}</button>
            {(edge != EdgeKind::None).then(|| view! { <span class="path-edge">{edge.as_str()}</span> })}
            {why.map(|line| view! { <span class="path-why">{in_code(&line)} "."</span> }).collect_view()}
            {on_cluster
                .map(|remark| view! { <span class="path-remark"><span aria-hidden="true">"⚠ "</span>{remark}</span> })}
        </li>
    }
    .into_any()
}

fn version(step: &PathStep) -> String {
    if step.version.is_empty() {
        step.name.clone()
    } else {
        step.version.clone()
    }
}

/// The effect of each channel that Classic does not follow.
#[component]
fn OtherChannels(
    app: AppContext,
    channels: Vec<ChannelAnswer>,
    installed: Option<String>,
    scope: Option<&'static str>,
) -> impl IntoView {
    let question = untrack(|| app.store.question_in_view());
    let is_subscribed = move |answer: &ChannelAnswer| {
        if question.channel.is_empty() {
            answer.is_default
        } else {
            answer.channel == question.channel
        }
    };
    // Do not draw collapsed content.
    let is_open = RwSignal::new(false);
    let items = move || {
        let item = |answer: &ChannelAnswer| {
            channel_item(
                app,
                answer.clone(),
                is_subscribed(answer),
                installed.as_deref(),
            )
        };
        is_open
            .get()
            .then(|| channels.iter().map(item).collect_view())
    };
    view! {
        <details class="elsewhere" on:toggle=move |_| is_open.set(true)>
            <summary class="elsewhere-summary">"On another channel" {scope.map(|scope| format!(", {scope}"))}</summary>
            <ul aria-label="On another channel">
                {items}
            </ul>
        </details>
    }
    .into_any()
}

fn channel_item(
    app: AppContext,
    answer: ChannelAnswer,
    is_subscribed: bool,
    installed: Option<&str>,
) -> AnyView {
    let ChannelAnswer {
        channel,
        is_default,
        next,
        error,
        is_stuck,
    } = answer;
    let step = next.as_ref().map(version_or_name);
    let (text, tone) = destination(step, installed, error.as_ref(), is_stuck);
    let error = error.map_or_else(String::new, |error| error.text);
    let subscription = channel.clone();
    let label = format!("Subscribe to {channel}");
    view! {
        <li class="elsewhere-item" title=error>
            <span class="elsewhere-channel">
                {is_default.then(|| view! { <span aria-hidden="true">"★ "</span> })}
                {channel}
            </span>
            <span class="elsewhere-next" data-stays=next.is_none().then_some("true") data-destination=tone.name()>
                {text}
            </span>
            {if is_subscribed {
                view! { <span class="dim">"subscribed"</span> }.into_any()
            } else {
                view! {
                    <button
                        type="button"
                        class="link"
                        aria-label=label
                        on:click=move |_| {
                            let channel = subscription.clone();
                            app.ask_upgrade(|question| question.channel = channel);
                        }
                    >
                        "Subscribe"
                    </button>
                }
                    .into_any()
            }}
        </li>
    }
    .into_any()
}

/// `None` if no cluster is selected.
fn on_cluster(
    cluster: Option<&Result<ClusterView, String>>,
    v0: &UpgradePath,
    v1: &UpgradePath,
) -> Option<AnyView> {
    let cluster = cluster?.as_ref().ok()?;
    let name = format!("On OpenShift {}", cluster.openshift);
    let kubernetes = cluster.kubernetes.as_ref();
    let kubernetes = kubernetes.map(|version| format!(" with Kubernetes {version}"));
    let remarks = cluster_remarks(v0, v1)
        .into_iter()
        .map(|LensRemark { lens, text }| {
            let lens = lens.map(|lens| view! { <strong>{lens}": "</strong> });
            view! { <p class="path-why">{lens}{in_code(&text)}</p> }
        })
        .collect_view();
    let heading = name.clone();
    let view = view! {
        <div class="path-cluster" role="group" aria-label=name>
            <p><strong>{heading}</strong>{kubernetes}</p>
            {remarks}
        </div>
    };
    Some(view.into_any())
}

/// A remark about the cluster. `lens` is `None` if it applies to both.
#[derive(Debug, PartialEq, Eq)]
struct LensRemark {
    lens: Option<&'static str>,
    text: String,
}

fn cluster_remarks(v0: &UpgradePath, v1: &UpgradePath) -> Vec<LensRemark> {
    let (classic, extension) = (path_remarks(v0), path_remarks(v1));
    let with_lens =
        |lens, texts: Vec<String>| texts.into_iter().map(move |text| LensRemark { lens, text });
    if classic == extension {
        return with_lens(None, classic).collect();
    }
    with_lens(Some("Classic"), classic)
        .chain(with_lens(Some("OLM v1"), extension))
        .collect()
}

fn path_remarks(path: &UpgradePath) -> Vec<String> {
    match (path.on_cluster.is_empty(), path.next()) {
        (false, _) => path.on_cluster.clone(),
        (true, Some(_)) => vec![
            "Nothing blocks the cluster's update, and the next version starts on it.".to_owned(),
        ],
        (true, None) => vec!["Nothing blocks the cluster's update.".to_owned()],
    }
}

/// Warns that the catalog in view fails `opm validate`: `opm` does not serve it, so the answers do
/// not apply yet.
fn failing_catalog_notice(app: AppContext) -> AnyView {
    let fails = memo(move |_| {
        let row = app.store.root_row();
        row.is_some_and(|row| row.is_catalog() && !row.passed)
    });
    view! {
        <Show when=move || fails.get()>
            <p class="path-difference">
                <Glyph icon=Icon::Warning/>
                <span>
                    "This catalog fails opm validate: opm " {MATCHED_OPM} " does not serve it until that is fixed. "
                    <button type="button" class="link" on:click=move |_| navigation::show_problems(app)>
                        "Show the problems"
                    </button>
                </span>
            </p>
        </Show>
    }
    .into_any()
}

/// Lists the unreadable places in the catalog; `None` if everything is readable.
fn incomplete_notice(parts: UnreadableParts) -> Option<impl IntoView> {
    let app = app_context();
    let summary = format!(
        "Incomplete: {} could not be read",
        words::count(parts.count as u32, "place")
    );
    (parts.count > 0).then(|| {
        let rest = parts.count - parts.listed.len();
        view! {
            <details class="paths-more">
                <summary class="paths-summary">
                    <Glyph icon=Icon::Warning/>
                    <span>{summary}</span>
                </summary>
                <p>"This answer uses only the part of the catalog that could be read."</p>
                <ul aria-label="What could not be read">
                    {parts.listed.into_iter().map(|place| view! { <li>{in_code(&place)}</li> }).collect_view()}
                    {rest_item(rest)}
                </ul>
                <button type="button" class="link" on:click=move |_| navigation::show_problems(app)>
                    "Show them in Problems"
                </button>
            </details>
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_path_does_not_repeat_the_last_reason() {
        let step = PathStep {
            why: vec!["`p.v2` is the head of channel `stable`".into()],
            ..PathStep::default()
        };
        let end = |line: &str| without_repeated_reasons(vec![line.to_owned()], Some(&step));
        assert_eq!(
            end("`p.v2` is the head of channel `stable`: nothing follows"),
            ["nothing follows"]
        );
        assert!(end("`p.v2` is the head of channel `stable`").is_empty());
        assert_eq!(end("nothing replaces `p.v1`"), ["nothing replaces `p.v1`"]);
    }

    #[test]
    fn a_common_answer_names_the_channels_of_both_lenses() {
        let scope = |v1: &str| shared_scope(["channel stable".to_owned(), v1.to_owned()]);
        assert_eq!(scope("channel stable"), "channel stable");
        assert_eq!(
            scope("any channel"),
            "channel stable (Classic), any channel (OLM v1)"
        );
    }

    #[test]
    fn facts_common_to_both_lenses_are_reported_once() {
        let path = |on_cluster: &[&str], steps: usize| UpgradePath {
            on_cluster: on_cluster.iter().map(ToString::to_string).collect(),
            steps: vec![PathStep::default(); steps],
            ..UpgradePath::default()
        };
        let held = path(&["`a` holds it"], 1);
        let remark = |lens, text: &str| LensRemark {
            lens,
            text: text.to_owned(),
        };
        assert_eq!(
            cluster_remarks(&held, &held),
            [remark(None, "`a` holds it")]
        );
        let report = cluster_remarks(&held, &path(&[], 1));
        assert_eq!(report[0], remark(Some("Classic"), "`a` holds it"));
        assert_eq!(report[1].lens, Some("OLM v1"));
        assert!(
            report[1]
                .text
                .ends_with("and the next version starts on it."),
            "{report:?}"
        );
        assert_eq!(
            cluster_remarks(&path(&[], 0), &path(&[], 0)),
            [remark(None, "Nothing blocks the cluster's update.")]
        );
    }
}
