//! Upgrade paths of one version, the next steps of all versions, and the comparison of catalogs. The panel has the path under
//! the selected lens with the reason of each step, beside it the other lens's path, the effect of
//! other channels, and the effect of both paths on the selected cluster.

mod compare;
mod everyone;

use crate::context::{AppContext, app_context};
use crate::reactive::memo;
use crate::state::entries::format_origin as installed_name;
use crate::widgets::icon::{Glyph, Icon};
use crate::widgets::short_text::in_code;
use crate::words;
pub use compare::{Compare, changes};
pub use everyone::EveryoneTable;
use everyone::version_or_name;
use leptos::prelude::*;
use protocol::destination::{Destination, EdgeKind, PathStart, UpgradeError};

use protocol::judgement::Tone;
use protocol::request::Target;
use protocol::upgrades::ClusterView;
use protocol::views::{
    ChannelAnswer, Lens, Origin, PathStep, StatusCondition, UpgradeAnswer, UpgradePath,
};
use protocol::words::reason_for_no_answer;

#[component]
pub fn UpgradePathPanel() -> impl IntoView {
    let app = app_context();
    let answer = memo(move |_| app.current.view.with(|view| view.answer.clone()));
    let is_there = move || app.current.view.with(|view| !view.package.is_empty());
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
        <Show when=is_there>
            <section aria-labelledby="ways-title">
                <h3 class="inspector-heading" id="ways-title">{heading}</h3>
                {move || from_selected(app).map(|(name, version, is_answered)| from_here(app, name, version, is_answered))}
                {move || {
                    view! { <BothLenses app answer=answer.get() lens={app.store.question.with(|question| question.lens)}/> }
                }}
            </section>
        </Show>
    }
    .into_any()
}

/// Returns the name and version of the selected bundle if the question concerns another one, and
/// whether the path that is still shown starts from it.
fn from_selected(app: AppContext) -> Option<(String, String, bool)> {
    let name = app.current.target.with(|target| match target {
        Target::Entry { name, .. } | Target::Bundle { name } => Some(name.clone()),
        _ => None,
    })?;
    app.current.view.with(|view| {
        let origin = Origin::Installed(name.clone());
        let is_bundle = view.bundles.iter().any(|(bundle, _)| *bundle == name);
        let is_current_question = app
            .store
            .question
            .with(|question| question.origin == origin);
        let is_answered = view.answer.origin == origin;
        (is_bundle && !is_current_question)
            .then(|| (name, installed_name(&origin, &view.bundles), is_answered))
    })
}

/// Renders the link that asks for the path from the selection.
fn from_here(app: AppContext, name: String, version: String, is_answered: bool) -> impl IntoView {
    let label = if is_answered {
        format!("Draw the path from {version}")
    } else {
        format!("Show the path from {version}")
    };
    let ask =
        move |_| app.ask_upgrade(|question| question.origin = Origin::Installed(name.clone()));
    view! { <p class="ways-hint"><button type="button" class="link" on:click=ask>{label}</button></p> }
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
        incomplete: places,
    } = answer;
    if let Some(unknown) = unknown {
        return view! {
            {incomplete(places)}
            <p class="way-error">{in_code(&unknown)}</p>
        }
        .into_any();
    }
    let on_cluster = on_cluster(cluster.as_ref(), &v0, &v1);
    let (chosen, other) = if lens == Lens::V0 { (v0, v1) } else { (v1, v0) };
    let differs = difference.is_some();
    let installed = (origin != Origin::Fresh).then(|| {
        let bundles = app.current.view.with_untracked(|view| view.bundles.clone());
        installed_name(&origin, &bundles)
    });
    let others_name = format!("Path under {}", words::lens(other.lens));
    view! {
        {incomplete(places)}
        <div class="ways-answer">
            {way_line(app, &chosen, installed.as_deref(), true)}
            {way_line(app, &other, installed.as_deref(), differs)}
            {difference
                .map(|difference| {
                    view! {
                        <p class="way-difference">
                            <Glyph icon=Icon::Warning/>
                            <span><strong>"OLM Classic and OLM v1 differ. "</strong>{in_code(&difference)}</span>
                        </p>
                    }
                })}
        </div>
        {on_cluster}
        {way(app, chosen, true)}
        {differs
            .then(|| {
                view! {
                    <details class="ways-more">
                        <summary class="ways-summary">{others_name}</summary>
                        {way(app, other, false)}
                    </details>
                }
            })}
        {(lens == Lens::V0 && channels.len() > 1).then(|| view! { <OtherChannels app channels installed/> })}
    }
    .into_any()
}

/// Renders a lens's answer in one line, or a note that it equals the other lens's answer.
fn way_line(
    app: AppContext,
    path: &UpgradePath,
    installed: Option<&str>,
    in_full: bool,
) -> impl IntoView + use<> {
    let is_chosen = app
        .store
        .question
        .with_untracked(|question| question.lens == path.lens);
    // Show the end first: the steps are listed below.
    let (answer, tone) = match in_full {
        true => destination(
            path.steps.last().map(version).as_deref(),
            installed,
            path.error.as_ref(),
            path.is_stuck,
        ),
        false => ("the same".to_owned(), Tone::Plain),
    };
    let steps = path.steps.len() as u32;
    let further = (in_full && steps > 1).then(|| format!("in {}", words::count(steps, "step")));
    view! {
        <p class="way-line" data-chosen=is_chosen.then_some("true")>
            <span class="way-lens">{if path.lens == Lens::V0 { "Classic" } else { "OLM v1" }}</span>
            <span class="way-through">{question_scope(app, path.lens)}</span>
            <span class="way-next" data-destination=tone.name()>{answer}</span>
            {further.map(|further| view! { <span class="way-further">{further}</span> })}
        </p>
    }
    .into_any()
}

/// Describes the next step.
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

/// Renders the reason why there is no answer. Resolver errors list every bundle that was tried: the
/// relevant part is the beginning.
fn no_answer(error: &str) -> AnyView {
    match beginning(error) {
        None => view! { <p class="way-error">{in_code(error)}</p> }.into_any(),
        Some(beginning) => view! {
            <details class="way-error">
                <summary>{in_code(&format!("{beginning}…"))}</summary>
                {in_code(error)}
            </details>
        }
        .into_any(),
    }
}

/// Returns the beginning of a text that is longer than a few lines.
fn beginning(text: &str) -> Option<&str> {
    const SHOWN: usize = 160;
    let cut = text.char_indices().nth(SHOWN).map(|(at, _)| at)?;
    Some(
        text[..cut]
            .rsplit_once(' ')
            .map_or(&text[..cut], |(whole, _)| whole),
    )
}

/// Renders the steps with their reasons, and why the path ends.
fn way(app: AppContext, path: UpgradePath, is_chosen: bool) -> impl IntoView + use<> {
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
        <div class="way" data-chosen=is_chosen.then_some("true")>
            <ol class="way-steps" aria-label=name hidden=is_empty>
                {steps.into_iter().enumerate().map(|(at, step)| step_item(app, step, at == 0)).collect_view()}
            </ol>
            {looped.then(|| view! { <p class="way-error">"The steps form a cycle: an installation in it is upgraded forever."</p> })}
            {error.map(|error| no_answer(&error.text))}
            {end.into_iter().map(|line| view! { <p class="way-why">{in_code(&line)}</p> }).collect_view()}
            {conditions.into_iter().map(condition).collect_view()}
            {notes.into_iter().map(|note| view! { <p class="way-note">{in_code(&note)}</p> }).collect_view()}
        </div>
    }
    .into_any()
}

/// Renders the cluster's condition for a deprecation on the path.
fn condition(condition: StatusCondition) -> impl IntoView {
    let StatusCondition {
        kind,
        message,
        when,
    } = condition;
    view! {
        <p class="way-why">
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
    let rest = |line: String| {
        let rest = reasons
            .iter()
            .find_map(|reason| line.strip_prefix(reason.as_str()));
        match rest.map(|rest| rest.trim_start_matches([':', ' '])) {
            Some(rest) => Some(rest.to_owned()).filter(|rest| !rest.is_empty()),
            None => Some(line),
        }
    };
    end.into_iter().filter_map(rest).collect()
}

/// Describes the scope of the question under a lens.
fn question_scope(app: AppContext, lens: Lens) -> String {
    let question = app.store.question.get();
    let default = app.current.view.with(|view| view.default_channel.clone());
    let mut scope = match lens {
        Lens::V0 if question.channel.is_empty() => format!("channel {default}"),
        Lens::V0 => format!("channel {}", question.channel),
        Lens::V1 => match question.channels.as_slice() {
            [] => "any channel".to_owned(),
            [only] => format!("channel {only}"),
            several => format!("channels {}", several.join(", ")),
        },
    };
    if lens == Lens::V1 && !question.range.is_empty() {
        scope.push_str(&format!(", {}", question.range));
    }
    scope
}

fn step_item(app: AppContext, step: PathStep, is_first: bool) -> impl IntoView {
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
        <li class="way-step">
            <button type="button" class="link" on:click=move |_| app.select(target.clone())>{name}</button>
            {(edge != EdgeKind::None).then(|| view! { <span class="way-edge">{edge.as_str()}</span> })}
            {why.map(|line| view! { <span class="way-why">{in_code(&line)} "."</span> }).collect_view()}
            {step_remark(on_cluster)}
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
) -> impl IntoView {
    let question = app.store.question.get_untracked();
    let here = move |answer: &ChannelAnswer| match question.channel.is_empty() {
        true => answer.is_default,
        false => answer.channel == question.channel,
    };
    // Do not draw collapsed content.
    let is_open = RwSignal::new(false);
    let items = move || {
        let item = |answer: &ChannelAnswer| {
            channel_item(app, answer.clone(), here(answer), installed.as_deref())
        };
        is_open
            .get()
            .then(|| channels.iter().map(item).collect_view())
    };
    view! {
        <details class="elsewhere" on:toggle=move |_| is_open.set(true)>
            <summary class="elsewhere-summary">"On another channel"</summary>
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
    is_here: bool,
    installed: Option<&str>,
) -> impl IntoView + use<> {
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
    let (subscribed, name) = (
        if is_default {
            String::new()
        } else {
            channel.clone()
        },
        channel.clone(),
    );
    view! {
        <li class="elsewhere-item" title=error>
            <span class="elsewhere-channel">
                {is_default.then(|| view! { <span aria-hidden="true">"★ "</span> })}
                {channel}
            </span>
            <span class="elsewhere-next" data-stays=next.is_none().then_some("true") data-destination=tone.name()>
                {text}
            </span>
            {if is_here {
                view! { <span class="dim">"subscribed"</span> }.into_any()
            } else {
                view! {
                    <button
                        type="button"
                        class="link"
                        aria-label=format!("Subscribe to {name}")
                        on:click=move |_| {
                            let channel = subscribed.clone();
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

/// Renders the effect on the selected cluster; `None` if no cluster is selected.
fn on_cluster(
    cluster: Option<&Result<ClusterView, String>>,
    v0: &UpgradePath,
    v1: &UpgradePath,
) -> Option<AnyView> {
    let cluster = cluster?.as_ref().ok()?;
    let name = format!("On OpenShift {}", cluster.openshift);
    let kubernetes = cluster.kubernetes.as_ref();
    let kubernetes = kubernetes.map(|version| format!(" with Kubernetes {version}"));
    let line = |(lens, text): (&'static str, String)| {
        let lens = (!lens.is_empty()).then(|| view! { <strong>{lens}": "</strong> });
        view! { <p class="way-why">{lens}{in_code(&text)}</p> }
    };
    let lines = lines(v0, v1).into_iter().map(line).collect_view();
    let heading = name.clone();
    let view = view! {
        <div class="way-cluster" role="group" aria-label=name>
            <p><strong>{heading}</strong>{kubernetes}</p>
            {lines}
        </div>
    };
    Some(view.into_any())
}

/// Renders the effect of a step on the cluster.
fn step_remark(remark: Option<String>) -> Option<AnyView> {
    let view = remark.map(
        |remark| view! { <span class="way-remark"><span aria-hidden="true">"⚠ "</span>{remark}</span> },
    );
    view.map(IntoAny::into_any)
}

/// Returns remarks with their lens; "" if they apply to both.
fn lines(v0: &UpgradePath, v1: &UpgradePath) -> Vec<(&'static str, String)> {
    let (classic, extension) = (path_remarks(v0), path_remarks(v1));
    if classic == extension {
        return classic.into_iter().map(|text| ("", text)).collect();
    }
    let with_lens = |lens, texts: Vec<String>| texts.into_iter().map(move |text| (lens, text));
    with_lens("Classic", classic)
        .chain(with_lens("OLM v1", extension))
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

/// Lists unreadable places; `None` if everything is readable.
fn incomplete(places: Vec<String>) -> Option<impl IntoView> {
    let summary = format!(
        "Incomplete: {} could not be read",
        words::count(places.len() as u32, "place")
    );
    (!places.is_empty()).then(|| {
        view! {
            <details class="ways-more">
                <summary class="ways-summary">
                    <Glyph icon=Icon::Warning/>
                    <span>{summary}</span>
                </summary>
                <p>"This answer uses only the part of the catalog that could be read."</p>
                <ul aria-label="What could not be read">
                    {places.into_iter().map(|place| view! { <li>{in_code(&place)}</li> }).collect_view()}
                </ul>
            </details>
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::views::PathStep;
    #[test]
    fn the_end_does_not_repeat_the_reason_of_the_last_step() {
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
    fn reports_once_what_both_lenses_have() {
        let path = |on_cluster: &[&str], steps: usize| UpgradePath {
            on_cluster: on_cluster.iter().map(ToString::to_string).collect(),
            steps: vec![PathStep::default(); steps],
            ..UpgradePath::default()
        };
        let held = path(&["`a` holds it"], 1);
        assert_eq!(lines(&held, &held), [("", "`a` holds it".to_owned())]);
        let report = lines(&held, &path(&[], 1));
        assert_eq!(report[0], ("Classic", "`a` holds it".to_owned()));
        assert_eq!(report[1].0, "OLM v1");
        assert!(
            report[1].1.ends_with("and the next version starts on it."),
            "{report:?}"
        );
        assert_eq!(
            lines(&path(&[], 0), &path(&[], 0)),
            [("", "Nothing blocks the cluster's update.".to_owned())]
        );
    }
}
