//! The preview of unapplied operations: diff and consequences. Queries the worker with a delay
//! after the last change.

use super::alternatives::{Alternatives, way_of_key, way_title};
use crate::components::consequences::{ConsequenceList, JudgementMark};
use crate::components::diff;
use crate::context::{AppContext, InputPace, Overlay, QuerySlot};
use crate::edits::other_catalogs;
use crate::edits::suggestions::catalog_name;
use crate::reactive::effect;
use crate::state::store;
use crate::widgets::announce;
use crate::widgets::buttons::Button;
use crate::widgets::dom;
use crate::widgets::short_text::in_code;
use crate::words::{self, place};
use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;
use protocol::operation::EditOp;
use protocol::request::PreviewScope;
use protocol::response::{OperationRefusal, OtherCatalog, OtherCatalogOutcome};
use protocol::views::{Consequences, FileDiff};
use std::time::Duration;

/// Debounce time before the worker is queried.
const REST: Duration = Duration::from_millis(120);

/// The preview of the current operations.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Preview {
    /// The form is not complete.
    #[default]
    Nothing,
    Waiting,
    Shown {
        /// The previewed operations.
        ops: Vec<EditOp>,
        diffs: Vec<FileDiff>,
        consequences: Box<Consequences>,
        /// Alternatives, if a package would fail unnecessarily.
        instead: Vec<Vec<EditOp>>,
        /// Every other open catalog.
        elsewhere: Vec<OtherCatalog>,
    },
    Refused(OperationRefusal),
}

/// The preview of changing operations.
#[derive(Clone, Copy)]
pub struct Live {
    pub preview: RwSignal<Preview>,
    /// The last queried operations.
    previewed: StoredValue<Vec<EditOp>>,
    scope: PreviewScope,
    /// The selected alternative to the requested operations.
    chosen: RwSignal<Option<Vec<EditOp>>>,
    /// The label of the button that selected the alternative, if it differs from its title.
    way_name: RwSignal<Option<(String, Vec<EditOp>)>>,
}

impl Live {
    /// Whether it shows an alternative.
    pub fn is_of_another_way(self) -> bool {
        self.chosen.with(Option::is_some)
    }

    /// The selected alternative: *Apply* applies it.
    pub fn other_way(self) -> Option<Vec<EditOp>> {
        self.chosen.get_untracked()
    }

    /// The selected alternative as text; `None` if there is none.
    pub fn way_in_words(self) -> Option<String> {
        self.chosen
            .with(|chosen| chosen.as_deref().map(|ops| self.title_of(ops)))
    }

    fn title_of(self, ops: &[EditOp]) -> String {
        let chosen = self
            .way_name
            .get()
            .filter(|(_, chosen_ops)| chosen_ops == ops);
        chosen.map_or_else(|| way_title(ops), |(name, _)| name)
    }

    /// Selects an alternative with the label of its button.
    pub fn take_way(self, name: String, ops: Vec<EditOp>) {
        self.way_name.set(Some((name, ops.clone())));
        self.chosen.set(Some(ops));
    }

    /// Whether the requested operations are refused.
    pub fn is_refused(self) -> bool {
        self.preview
            .with(|preview| matches!(preview, Preview::Refused(_)))
    }

    /// Handles the keys of alternatives.
    pub fn on_key(self, event: &KeyboardEvent) {
        let way = self.preview.with_untracked(|preview| match preview {
            Preview::Shown { instead, .. } => way_of_key(event, instead).cloned(),
            _ => None,
        });
        if way.is_some() {
            event.prevent_default();
            self.chosen.set(way);
        }
    }

    /// The operations for their own catalog and the others, for exactly these operations: queries
    /// again if the preview is of something else.
    pub async fn everywhere(
        self,
        app: AppContext,
        ops: &[EditOp],
    ) -> Result<(Vec<EditOp>, Vec<OtherCatalog>), OperationRefusal> {
        let is_known = self
            .previewed
            .try_with_value(|previewed| *previewed == ops)
            .unwrap_or_default();
        if is_known
            && let Some(Preview::Shown { ops, elsewhere, .. }) = self.preview.try_get_untracked()
        {
            return Ok((ops, elsewhere));
        }
        let answer = app.store.preview(ops.to_vec(), self.scope).await?;
        Ok((answer.ops, answer.elsewhere))
    }
}

/// The revision of the workspace, for queries whose answer an edit may change.
pub fn revision(app: AppContext) -> Memo<u64> {
    memo(move |_| app.store.status.with(|status| status.revision))
}

/// Follows `ops` (`None`: incomplete) and keeps the last preview, with every other open catalog: of
/// all operations, or of those that each catalog lacks. A selected alternative takes precedence.
pub fn follow(app: AppContext, scope: PreviewScope, ops: Signal<Option<Vec<EditOp>>>) -> Live {
    let preview = RwSignal::new(Preview::Nothing);
    let previewed = StoredValue::new(Vec::new());
    let chosen = RwSignal::new(None::<Vec<EditOp>>);
    let ticket = StoredValue::new(0u32);
    let turn = QuerySlot::default();
    let pace = InputPace::default();
    effect(move |before: Option<Option<Vec<EditOp>>>| {
        let wanted = chosen.get().or_else(|| ops.get());
        if before.as_ref() == Some(&wanted) {
            return wanted;
        }
        ticket.update_value(|ticket| *ticket += 1);
        let mine = ticket.get_value();
        let Some(ops) = wanted.clone() else {
            turn.leave();
            preview.set(Preview::Nothing);
            return wanted;
        };
        if preview.with_untracked(|preview| !matches!(preview, Preview::Shown { .. })) {
            preview.set(Preview::Waiting);
        }
        let ask = move || {
            if ticket.try_get_value() != Some(mine) {
                return;
            }
            turn.run(async move {
                let answer = app.store.preview(ops.clone(), scope).await;
                if ticket.try_get_value() == Some(mine) {
                    previewed.try_set_value(ops);
                    preview.try_set(to_preview(answer));
                }
            });
        };
        pace.run(REST, ask);
        wanted
    });
    Live {
        preview,
        previewed,
        scope,
        chosen,
        way_name: RwSignal::default(),
    }
}

fn to_preview(answer: Result<store::Preview, OperationRefusal>) -> Preview {
    match answer {
        Ok(store::Preview {
            ops,
            diffs,
            consequences,
            instead,
            elsewhere,
        }) => Preview::Shown {
            ops,
            diffs,
            consequences: Box::new(consequences),
            instead,
            elsewhere,
        },
        Err(refusal) => Preview::Refused(refusal),
    }
}

/// The region *Preview*, including *Consequences*.
#[component]
pub fn PreviewPane(
    app: AppContext,
    live: Live,
    /// The selected roots of other catalogs; only these are previewed.
    #[prop(optional, into)]
    also: Signal<Vec<String>>,
    /// The missing fields, without which there is no preview.
    #[prop(optional, into)]
    missing: Signal<String>,
    /// Fixes are shown beside a refusal, so it need not mention them.
    #[prop(optional)]
    has_ways: bool,
    /// Shown above the diff, and below a refusal.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    let preview = live.preview;
    let node = NodeRef::<html::Section>::new();
    // The pressed button disappears and loses the focus.
    effect(move |was: Option<bool>| {
        let is = live.is_of_another_way();
        if was.is_some_and(|was| was != is)
            && let Some(node) = node.get_untracked()
        {
            dom::focus(&node);
        }
        is
    });
    announce::follow(move || preview.with(announcement));
    view! {
        <section node_ref=node class="preview" aria-label="Preview" tabindex="0">
            {move || live.chosen.get().map(|ops| take_preview(live, &ops))}
            {move || match preview.get() {
                Preview::Refused(refusal) => {
                    let root = live.previewed.with_value(|ops| ops.first().and_then(EditOp::catalog).map(str::to_owned));
                    let help = if has_ways { String::new() } else { refusal.help.clone() };
                    Some(view! { <RefusalNote app refusal=OperationRefusal { help, ..refusal } root/> })
                }
                _ => None,
            }}
            {children.map(|children| children())}
            {move || match preview.get() {
                Preview::Refused(_) => ().into_any(),
                Preview::Nothing => {
                    // Missing fields are mentioned once, beside the submit button.
                    let note = move || match missing.with(String::is_empty) {
                        true => "Fill in the form to see what it changes.",
                        false => "What it changes is shown here.",
                    };
                    view! { <p class="preview-note">{note}</p> }.into_any()
                }
                Preview::Waiting => view! { <p class="preview-note">"Computing the preview…"</p> }.into_any(),
                Preview::Shown { diffs, consequences, instead, elsewhere, .. } => {
                    let on_choose = Callback::new(move |ops| live.chosen.set(Some(ops)));
                    view! { <PreviewResult app diffs consequences=*consequences instead on_choose elsewhere also/> }.into_any()
                }
            }}
        </section>
    }
}

/// The selected alternative, and the way back.
fn take_preview(live: Live, ops: &[EditOp]) -> AnyView {
    let back = move |()| live.chosen.set(None);
    view! {
        <div class="preview-taken">
            <p><strong>"Alternative: "</strong>{live.title_of(ops)}</p>
            <Button label="Back to the original edit" on_press=back/>
        </div>
    }
    .into_any()
}

/// The preview in one line, for screen readers.
pub fn announcement(preview: &Preview) -> String {
    match preview {
        Preview::Nothing | Preview::Waiting => String::new(),
        Preview::Refused(refusal) => format!("Cannot be done: {}", refusal.reason),
        Preview::Shown {
            consequences,
            instead,
            ..
        } => match instead.len() {
            0 => consequences.summary.clone(),
            1 => format!("{}; 1 alternative keeps it passing", consequences.summary),
            ways => format!(
                "{}; {ways} alternatives keep it passing",
                consequences.summary
            ),
        },
    }
}

/// A refused edit of a file can be made by hand. `root` is the file's catalog; `None`: the one in
/// view.
#[component]
pub fn RefusalNote(
    app: AppContext,
    refusal: OperationRefusal,
    root: Option<String>,
) -> impl IntoView {
    let OperationRefusal {
        reason,
        help,
        location,
        report,
        convertible,
    } = refusal;
    let by_hand = location
        .clone()
        .filter(|location| !location.file.is_empty());
    view! {
        <div class="refusal">
            <p><strong>"Cannot be done: "</strong>{in_code(&reason)}</p>
            {(!help.is_empty()).then(|| view! { <p>{in_code(&help)}</p> })}
            {location.map(|location| view! { <p class="mono">{place(&location)}</p> })}
            {by_hand
                .map(|location| {
                    let go = move |()| app.edit_as_text(root.clone(), (*location).clone());
                    view! { <Button label="Edit as text" on_press=go/> }
                })}
            {(!convertible.is_empty())
                .then(|| {
                    let convert = move |()| {
                        app.overlays.open(Overlay::ConvertTemplate { template: convertible.clone() });
                    };
                    view! { <Button label="Convert template…" on_press=convert/> }
                })}
            {(!report.is_empty())
                .then(|| {
                    let copy = move |()| app.exports.copy_report(report.clone());
                    view! { <Button label="Copy report" on_press=copy/> }
                })}
        </div>
    }
    .into_any()
}

#[component]
fn PreviewResult(
    app: AppContext,
    diffs: Vec<FileDiff>,
    consequences: Consequences,
    instead: Vec<Vec<EditOp>>,
    on_choose: Callback<Vec<EditOp>>,
    elsewhere: Vec<OtherCatalog>,
    also: Signal<Vec<String>>,
) -> impl IntoView {
    // Without a change there are no consequences.
    let is_same = diffs.is_empty();
    let failing = consequences.failing.clone();
    view! {
        <section class="preview-consequences" aria-label="Consequences">
            <h3 class="preview-title">"Consequences of this edit"</h3>
            <JudgementMark judgement=consequences.judgement/>
            <ConsequenceList consequences/>
        </section>
        {(!failing.is_empty()).then(|| view! { <Alternatives failing instead on_choose/> })}
        <h3 class="preview-title">"Changes"</h3>
        {saved_note(&diffs).map(|text| view! { <p class="preview-note">{text}</p> })}
        {is_same.then(|| view! { <p class="preview-note">"No change: the files already say this."</p> })}
        {diff::diffs(diffs)}
        {elsewhere.into_iter().filter_map(|other| render_other_catalog(app, other, also)).collect_view()}
    }
    .into_any()
}

/// The size of the changed files, if they become much smaller.
fn saved_note(diffs: &[FileDiff]) -> Option<String> {
    const WORTH_TELLING: u64 = 1000;
    let of_files = || diffs.iter().filter(|file| !file.is_rendered);
    let before: u64 = of_files().map(|file| file.bytes_before).sum();
    let after: u64 = of_files().map(|file| file.bytes_after).sum();
    let less = before
        .checked_sub(after)
        .filter(|less| *less >= WORTH_TELLING)?;
    Some(format!(
        "Saves {}: {} become {}.",
        words::bytes(less),
        words::bytes(before),
        words::bytes(after)
    ))
}

/// The expandable preview of another catalog.
fn render_other_catalog(
    app: AppContext,
    other: OtherCatalog,
    also: Signal<Vec<String>>,
) -> Option<AnyView> {
    let name = app
        .store
        .status
        .with_untracked(|status| catalog_name(&status.roots, &other.root));
    let verdict = other_catalogs::verdict(&other.outcome);
    let body = match other.outcome {
        OtherCatalogOutcome::Absent | OtherCatalogOutcome::Refused(_) => return None,
        OtherCatalogOutcome::Previewed {
            diffs,
            consequences,
            ..
        } => view! {
            <ConsequenceList consequences=*consequences/>
            {diff::diffs(diffs)}
        }
        .into_any(),
    };
    let summary = verdict.map(|(_, text)| text);
    let root = other.root;
    let is_left_out = move || also.with(|also| !also.contains(&root));
    let view = view! {
        <details class="preview-there" hidden=is_left_out>
            <summary class="preview-there-name">
                <strong>{name}</strong>
                " "
                <span class="dim">{summary}</span>
            </summary>
            {body}
        </details>
    };
    Some(view.into_any())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_clearly_smaller_files() {
        let file = |before, after| FileDiff {
            bytes_before: before,
            bytes_after: after,
            ..FileDiff::default()
        };
        let text = format!(
            "Saves {}: {} become {}.",
            words::bytes(42_000),
            words::bytes(50_000),
            words::bytes(8_000)
        );
        assert_eq!(
            saved_note(&[file(40_000, 4_000), file(10_000, 4_000)]),
            Some(text)
        );
        assert_eq!(saved_note(&[file(1_000, 900)]), None);
        assert_eq!(saved_note(&[file(10, 5_000)]), None);
        assert_eq!(
            saved_note(&[FileDiff {
                is_rendered: true,
                ..file(40_000, 10)
            }]),
            None,
            "rendered files are not counted"
        );
    }
}
