//! The preview of operations that are not applied yet: diff, consequences, and alternatives with
//! which no package starts to fail.

use crate::components::consequences::{ConsequenceList, JudgementMark};
use crate::components::diff;
use crate::context::{LatestAnswer, Overlay, is_answered, submit_when_ready};
use crate::edits::other_catalogs;
use crate::edits::titles::title;
use crate::prelude::*;
use crate::state::store;
use crate::widgets::buttons::LazyDetails;
use protocol::counting::and_more;
use protocol::operation::{DanglingEdges, EditOp, PromoteAs};
use protocol::request::PreviewScope;
use protocol::response::{OperationRefusal, OtherCatalog, OtherCatalogOutcome};
use protocol::views::{Consequences, FailingPackage, FileDiff};
use std::collections::BTreeSet;

#[derive(Debug, Clone, PartialEq, Default)]
pub enum Preview {
    /// The form is incomplete.
    #[default]
    Nothing,
    Waiting,
    Shown {
        ops: Vec<EditOp>,
        diffs: Vec<FileDiff>,
        consequences: Box<Consequences>,
        /// Alternatives with which no package starts to fail; empty if there are none.
        instead: Vec<Vec<EditOp>>,
        /// The effects on every other open catalog.
        elsewhere: Vec<OtherCatalog>,
    },
    Refused(OperationRefusal),
}

/// Maximum number of operations in the title of an alternative.
const MAX_TITLED: usize = 3;

type Previewed = (Vec<EditOp>, Preview);

/// An alternative to the requested operations: its title and operations.
type Alternative = (String, Vec<EditOp>);

/// A preview that follows the operations of a form.
#[derive(Clone, Copy)]
pub struct LivePreview {
    pub preview: Memo<Preview>,
    /// The last answer.
    answer: ReadSignal<Option<Previewed>>,
    /// A refusal of *Apply*, with the refused operations.
    refusal: RwSignal<Option<Previewed>>,
    /// The operations to preview; `None` if the form is incomplete.
    ops: Memo<Option<Vec<EditOp>>>,
    scope: PreviewScope,
    chosen: RwSignal<Option<Alternative>>,
}

impl LivePreview {
    pub fn has_alternative(self) -> bool {
        self.chosen.with(Option::is_some)
    }

    /// Returns the selected alternative, which *Apply* applies; untracked.
    pub fn chosen_ops(self) -> Option<Vec<EditOp>> {
        self.chosen.get_untracked().map(|(_, ops)| ops)
    }

    /// Returns the title of the selected alternative; `None` if none is selected.
    pub fn chosen_title(self) -> Option<String> {
        self.chosen.get().map(|(title, _)| title)
    }

    pub fn choose_alternative(self, title: String, ops: Vec<EditOp>) {
        self.chosen.set(Some((title, ops)));
    }

    /// Whether the requested operations are refused.
    pub fn is_refused(self) -> bool {
        self.preview
            .with(|preview| matches!(preview, Preview::Refused(_)))
    }

    /// Shows why the operations could not be applied, until they change.
    pub fn refuse(self, refusal: OperationRefusal) {
        if let Some(Some(ops)) = self.ops.try_get_untracked() {
            self.refusal.try_set(Some((ops, Preview::Refused(refusal))));
        }
    }

    /// Returns the operations for their own catalog and the effects on the others. Queries the
    /// worker again if the preview shows other operations.
    pub async fn ops_everywhere(
        self,
        app: AppContext,
        ops: &[EditOp],
    ) -> Result<(Vec<EditOp>, Vec<OtherCatalog>), OperationRefusal> {
        if let Some(Some((
            previewed,
            Preview::Shown {
                ops: own,
                elsewhere,
                ..
            },
        ))) = self.answer.try_get_untracked()
            && previewed == ops
        {
            return Ok((own, elsewhere));
        }
        let answer = app.store.preview(ops.to_vec(), self.scope).await?;
        Ok((answer.ops, answer.elsewhere))
    }
}

/// Returns the session's revision, which is part of a query whose answer may change with an edit.
pub fn revision(app: AppContext) -> Memo<u64> {
    memo(move |_| app.store.status.revision())
}

/// A question and the session's revision when it was asked.
type Revised<Q> = (Q, u64);

/// A dialog's question to the worker, asked again after each change of the form and after each
/// edit, and its last answer.
pub struct LiveAnswer<Q: Send + Sync + 'static, A: Send + Sync + 'static> {
    wanted: Signal<Option<Revised<Q>>>,
    answered: ReadSignal<LatestAnswer<Revised<Q>, A>>,
}

impl<Q: Send + Sync, A: Send + Sync> Clone for LiveAnswer<Q, A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<Q: Send + Sync, A: Send + Sync> Copy for LiveAnswer<Q, A> {}

impl<Q, A> LiveAnswer<Q, A>
where
    Q: Clone + PartialEq + Send + Sync + 'static,
    A: Clone + Send + Sync + 'static,
{
    /// Follows a question; `None`: the form is incomplete.
    pub fn follow<F: Future<Output = A> + 'static>(
        app: AppContext,
        question: Signal<Option<Q>>,
        ask: impl Fn(Q) -> F + Copy + 'static,
    ) -> Self {
        let revision = revision(app);
        let wanted = derived(move || Some((question.get()?, revision.get())));
        let answered =
            debounced_query(wanted, move |(question, revision): Revised<Q>| async move {
                let answer = ask(question.clone()).await;
                Some(((question, revision), answer))
            });
        Self { wanted, answered }
    }

    pub fn get(self) -> Option<A> {
        self.with(|answer| answer.cloned())
    }

    pub fn with<T>(self, read: impl FnOnce(Option<&A>) -> T) -> T {
        self.answered
            .with(|answered| read(answered.as_ref().map(|(_, answer)| answer)))
    }

    /// Whether a press has nothing to do: there is no answer, or the current one is not usable.
    pub fn is_blocked(self, is_usable: impl Fn(&A) -> bool) -> bool {
        self.answered.with(|answered| {
            let is_present = self
                .wanted
                .with(|wanted| is_answered(wanted.as_ref(), answered));
            let usable = answered.as_ref().map(|(_, answer)| is_usable(answer));
            usable.is_none_or(|is_usable| !is_usable && is_present)
        })
    }

    /// Returns the callback of a press, which calls `act` with the answer to the present question.
    pub fn on_press(self, act: impl Fn(A) + 'static) -> impl Fn() + Copy + 'static {
        submit_when_ready(self.wanted, self.answered, move |_, answer| act(answer))
    }
}

/// Previews `ops` (`None`: incomplete) as they change, and keeps the last preview until the next
/// one arrives. `scope` determines the operations for every other open catalog: all, or those that
/// it lacks. A selected alternative takes precedence.
pub fn follow(
    app: AppContext,
    scope: PreviewScope,
    ops: Signal<Option<Vec<EditOp>>>,
) -> LivePreview {
    let chosen = RwSignal::new(None::<Alternative>);
    let refusal = RwSignal::new(None::<Previewed>);
    let ops = memo(move |_| chosen.get().map(|(_, ops)| ops).or_else(|| ops.get()));
    let answer = debounced_query(ops.into(), move |ops: Vec<EditOp>| async move {
        let answer = app.store.preview(ops.clone(), scope).await;
        Some((ops, to_preview(answer)))
    });
    let preview = memo(move |_| {
        let Some(current) = ops.get() else {
            return Preview::Nothing;
        };
        let is_current = |(ops, _): &Previewed| *ops == current;
        if let Some((_, refused)) = refusal.get().filter(is_current) {
            return refused;
        }
        match answer.get() {
            Some((_, shown @ Preview::Shown { .. })) => shown,
            Some(previewed) if is_current(&previewed) => previewed.1,
            _ => Preview::Waiting,
        }
    });
    LivePreview {
        preview,
        answer,
        refusal,
        ops,
        scope,
        chosen,
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

/// The *Preview* region, including *Consequences*.
#[component]
pub fn PreviewPane(
    app: AppContext,
    live: LivePreview,
    /// The selected roots of other catalogs; only these are previewed.
    #[prop(optional, into)]
    also: Signal<Vec<String>>,
    /// The missing fields: nothing is previewed until they are filled in.
    #[prop(optional, into)]
    missing: Signal<String>,
    /// Whether fixes are shown beside a refusal, which then omits them.
    #[prop(optional)]
    has_fixes: bool,
    /// Shown above the diff or below a refusal.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    let preview = live.preview;
    let node = NodeRef::<html::Section>::new();
    // The pressed button disappears, which loses the focus: restore it.
    effect(move |before: Option<bool>| {
        let now = live.has_alternative();
        if before.is_some_and(|before| before != now)
            && let Some(node) = node.get_untracked()
        {
            dom::focus(&node);
            node.set_scroll_top(0);
        }
        now
    });
    announce::follow(move || preview.with(announcement));
    view! {
        <section node_ref=node class="preview" aria-label="Preview" tabindex="0">
            {move || live.chosen_title().map(|title| alternative_note(live, title))}
            {move || match preview.get() {
                Preview::Refused(refusal) => {
                    let root = live.ops.with(|ops| ops.as_ref()?.first()?.catalog().map(str::to_owned));
                    let help = if has_fixes { String::new() } else { refusal.help.clone() };
                    Some(view! { <RefusalNote app refusal=OperationRefusal { help, ..refusal } root/> })
                }
                _ => None,
            }}
            {children.map(|children| children())}
            {move || match preview.get() {
                Preview::Refused(_) => ().into_any(),
                Preview::Nothing => {
                    // The missing fields are already listed beside the submit button.
                    let note = move || if missing.with(String::is_empty) {
                        "Fill in the form to see what it changes."
                    } else {
                        "What it changes is shown here."
                    };
                    view! { <p class="preview-note">{note}</p> }.into_any()
                }
                Preview::Waiting => view! { <p class="preview-note">"Computing the preview…"</p> }.into_any(),
                Preview::Shown { diffs, consequences, instead, elsewhere, .. } => {
                    let on_choose = Callback::new(move |ops: Vec<EditOp>| live.choose_alternative(alternative_title(&ops), ops));
                    view! { <PreviewResult app diffs consequences=*consequences instead on_choose elsewhere also/> }.into_any()
                }
            }}
        </section>
    }
}

fn alternative_note(live: LivePreview, title: String) -> AnyView {
    let back = move |()| live.chosen.set(None);
    view! {
        <div class="preview-taken">
            <p><strong>"Alternative: "</strong>{title}</p>
            <Button label="Back to the original edit" on_press=back/>
        </div>
    }
    .into_any()
}

/// Summarizes the preview in one line, for screen readers.
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
            count => format!(
                "{}; {count} alternatives keep it passing",
                consequences.summary
            ),
        },
    }
}

/// Renders the answer to a dialog's query: `waiting` until it arrives, or the reason for a refusal.
pub fn answer_view<T>(
    app: AppContext,
    answer: Option<Result<T, OperationRefusal>>,
    waiting: &'static str,
    draw: impl FnOnce(T) -> AnyView,
) -> AnyView {
    match answer {
        None => view! { <p class="preview-note">{waiting}</p> }.into_any(),
        Some(Err(refusal)) => view! { <RefusalNote app refusal root=None/> }.into_any(),
        Some(Ok(answer)) => draw(answer),
    }
}

/// Renders the heading, the reason, the remedy and the position of a refusal.
pub fn refusal_text(
    heading: &str,
    reason: &str,
    help: &str,
    place: Option<String>,
) -> impl IntoView + use<> {
    view! {
        <p><strong>{heading.to_owned()}</strong>{in_code(reason)}</p>
        {(!help.is_empty()).then(|| view! { <p>{in_code(help)}</p> })}
        {place.map(|place| view! { <p class="mono">{place}</p> })}
    }
}

/// The reason for a refusal, with a link to the line, so that the user can edit the file by hand.
/// `root` is the file's catalog; `None` means the catalog in view.
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
        convertible,
    } = refusal;
    let by_hand = location
        .clone()
        .filter(|location| !location.file.is_empty());
    view! {
        <div class="refusal">
            {refusal_text("Cannot be done: ", &reason, &help, location.map(|location| words::location(&location)))}
            {by_hand
                .map(|location| {
                    let go = move |()| app.edit_as_text(root.clone(), (*location).clone());
                    view! { <Button label="Edit as text" on_press=go/> }
                })}
            {(!convertible.is_empty())
                .then(|| {
                    let convert = move |()| {
                        app.overlays.open(Overlay::ConvertTemplate { template: convertible.clone(), because: String::new() });
                    };
                    view! { <Button label="Convert template…" on_press=convert/> }
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
    let is_unchanged = diffs.is_empty();
    let failing = consequences.failing.clone();
    view! {
        <section class="preview-consequences" aria-label="Consequences">
            <h3 class="preview-title">"Consequences, compared with before this edit"</h3>
            <JudgementMark judgement=consequences.judgement/>
            <ConsequenceList consequences/>
        </section>
        {(!failing.is_empty()).then(|| view! { <Alternatives failing instead on_choose/> })}
        <h3 class="preview-title">"Changes"</h3>
        {is_unchanged.then(|| view! { <p class="preview-note">"No change: the files already say this."</p> })}
        {diff::render_diffs(diffs)}
        {elsewhere.into_iter().filter_map(|other| render_other_catalog(app, other, also)).collect_view()}
    }
    .into_any()
}

/// Renders the preview of another catalog, collapsed.
fn render_other_catalog(
    app: AppContext,
    other: OtherCatalog,
    also: Signal<Vec<String>>,
) -> Option<AnyView> {
    let name = app.current.name_of_catalog(&other.root);
    let outcome = other_catalogs::summarize_outcome(&other.outcome);
    let OtherCatalogOutcome::Previewed {
        diffs,
        consequences,
        ..
    } = other.outcome
    else {
        return None;
    };
    let outcome = outcome.map(|summary| summary.text);
    let summary =
        view! { <strong>{name}</strong> " " <span class="dim">{outcome}</span> }.into_any();
    let root = other.root;
    let hidden = derived(move || also.with(|also| !also.contains(&root)));
    let view = view! {
        <LazyDetails class="preview-there" summary_class="preview-there-name" summary hidden>
            <ConsequenceList consequences=*consequences/>
            {diff::render_diffs(diffs)}
        </LazyDetails>
    };
    Some(view.into_any())
}

/// The alternatives to operations that would make packages fail.
#[component]
fn Alternatives(
    failing: Vec<FailingPackage>,
    instead: Vec<Vec<EditOp>>,
    on_choose: Callback<Vec<EditOp>>,
) -> impl IntoView {
    let note = if instead.is_empty() {
        "No alternative keeps the package passing."
    } else {
        "Each alternative was tried and keeps the package passing. Choose one to preview it."
    };
    view! {
        <section class="preview-consequences" aria-label="Alternatives">
            <h3 class="preview-title">"Alternatives"</h3>
            <p class="preview-warning">
                <span aria-hidden="true">"✕ "</span>
                {in_code(&warning(&failing))}
            </p>
            <p class="preview-note">{note}</p>
            {(!instead.is_empty()).then(|| alternative_buttons(instead, on_choose))}
        </section>
    }
    .into_any()
}

fn alternative_buttons(instead: Vec<Vec<EditOp>>, on_choose: Callback<Vec<EditOp>>) -> AnyView {
    let button = move |ops: Vec<EditOp>| {
        let title = alternative_title(&ops);
        view! {
            <li><Button label=title on_press=move |()| on_choose.run(ops.clone())/></li>
        }
    };
    view! { <ol class="preview-alternatives" aria-label="Alternative edits">{instead.into_iter().map(button).collect_view()}</ol> }
        .into_any()
}

/// Names the packages that would start to fail, without duplicates.
pub fn warning(failing: &[FailingPackage]) -> String {
    let Some(first) = failing.first() else {
        return String::new();
    };
    let names: BTreeSet<&str> = failing.iter().map(|row| row.package.as_str()).collect();
    let names: Vec<&str> = names.into_iter().collect();
    match names.as_slice() {
        [name] => format!(
            "Package {name} passes now and would fail: {}",
            first.message
        ),
        names => format!(
            "Packages {} pass now and would all fail: {}",
            names.join(", "),
            first.message
        ),
    }
}

/// One operation is not enough for a title: alternatives may share the first.
fn alternative_title(ops: &[EditOp]) -> String {
    let describe = |op: &EditOp| format!("{}{}", title(std::slice::from_ref(op), 0), manner(op));
    let titles: Vec<String> = ops.iter().take(MAX_TITLED).map(describe).collect();
    match ops.len().saturating_sub(MAX_TITLED) {
        0 => titles.join("; "),
        more => format!("{}; {}", titles.join("; "), and_more(more)),
    }
}

/// Describes how an operation is done, to distinguish alternatives with equal titles.
fn manner(op: &EditOp) -> String {
    match op {
        EditOp::Promote { how: Some(how), .. } => match how {
            PromoteAs::Head => " as the head".to_owned(),
            PromoteAs::Chain => " into the chain".to_owned(),
            PromoteAs::Skipped => " as a skipped entry".to_owned(),
        },
        EditOp::Withdraw { by: Some(by), .. } => format!(", skipped by {by}"),
        _ => match op.dangling_edges() {
            Some(DanglingEdges::Relink) => ", relinked".to_owned(),
            Some(DanglingEdges::Skip) => ", relinked and skipped".to_owned(),
            Some(DanglingEdges::Leave) => ", edges left".to_owned(),
            None => String::new(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    fn op(json: &str) -> EditOp {
        serde_json::from_str(json).expect("an operation")
    }

    #[test]
    fn alternatives_have_different_titles() {
        let removed = |then: &str| {
            op(&format!(
                r#"{{"op":"remove-bundle","package":"p","bundle":"p.v1","then":"{then}"}}"#
            ))
        };
        assert_eq!(
            alternative_title(&[removed("relink")]),
            "Remove bundle p.v1, relinked"
        );
        assert_eq!(
            alternative_title(&[removed("skip")]),
            "Remove bundle p.v1, relinked and skipped"
        );
        let withdrawn = op(r#"{"op":"withdraw","package":"p","bundle":"p.v1","by":"p.v2"}"#);
        assert_eq!(
            alternative_title(&[withdrawn]),
            "Withdraw p.v1, skipped by p.v2"
        );
        let default = op(r#"{"op":"set-default-channel","package":"p","channel":"b"}"#);
        let channel = op(r#"{"op":"remove-channel","package":"p","channel":"a"}"#);
        let many = [
            default,
            channel,
            removed("relink"),
            removed("skip"),
            removed("leave"),
        ];
        assert_eq!(
            alternative_title(&many),
            "Set default channel of p to b; Remove channel a; Remove bundle p.v1, relinked; and 2 more"
        );
    }

    #[test]
    fn reports_a_failing_edit_plainly() {
        let failing = |package: &str, message: &str| FailingPackage {
            package: package.into(),
            message: message.into(),
            ..FailingPackage::default()
        };
        assert_eq!(warning(&[]), "");
        assert_eq!(
            warning(&[failing("p", "2 heads")]),
            "Package p passes now and would fail: 2 heads"
        );
        // A package that is in two catalogs is listed once.
        assert_eq!(
            warning(&[failing("p", "2 heads"), failing("p", "x")]),
            "Package p passes now and would fail: 2 heads"
        );
        assert_eq!(
            warning(&[failing("q", "2 heads"), failing("p", "x")]),
            "Packages p, q pass now and would all fail: 2 heads"
        );
    }
}
