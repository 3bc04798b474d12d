//! Options for withdrawing a head, beside its form.

use super::form::Form;
use crate::components::preview::LivePreview;
use crate::edits::command::{EditCommand, Field};
use crate::edits::form_values::FormValues;
use crate::edits::titles::title;
use crate::prelude::*;
use protocol::operation::{DanglingEdges, EditOp};
use protocol::request::Target;
use protocol::response::PackageView;
use protocol::views::{EntryState, TableRow};
use std::collections::HashSet;

#[derive(Debug, Clone, PartialEq, Eq)]
struct WithdrawnHead {
    bundle: String,
    channels: Vec<String>,
    version: String,
    /// The next head by channel; `None` if the channel has several heads, or no other entry. Equal
    /// neighbours are merged.
    next: Vec<Option<String>>,
}

/// Returns `None` if the bundle is not a head. Of the entries that only it names, the highest
/// becomes the head.
fn withdrawn_head(view: &PackageView, bundle: &str) -> Option<WithdrawnHead> {
    let is_head = |row: &&TableRow| row.states.contains(&EntryState::Head);
    let next_head = |channel: &String| {
        let rest = view.table.iter().filter(|row| row.channel == *channel);
        let rest = rest.filter(|row| row.entry != bundle && !row.is_absent());
        let edges = rest.clone();
        let edges = edges.flat_map(|row| row.skips.iter().chain([&row.replaces]));
        let named: HashSet<&String> = edges.collect();
        let is_only = !rest.clone().any(|row| is_head(&row));
        let unnamed = rest.map(|row| &row.entry);
        let unnamed: HashSet<&String> = unnamed.filter(|name| !named.contains(name)).collect();
        let is_next = |(name, _): &&(String, String)| unnamed.contains(name);
        let (name, _) = view.bundles.iter().find(is_next).filter(|_| is_only)?;
        Some(name.clone())
    };
    let heads = view
        .table
        .iter()
        .filter(|row| row.entry == bundle)
        .filter(is_head);
    let channels: Vec<_> = heads.clone().map(|row| row.channel.clone()).collect();
    let mut next: Vec<_> = channels.iter().map(next_head).collect();
    next.dedup();
    Some(WithdrawnHead {
        bundle: bundle.to_owned(),
        version: heads.clone().next()?.version.clone(),
        channels,
        next,
    })
}

/// Options for withdrawing a head, whose users have no successor to update to: deprecate it, remove
/// it, or add a fixed release. Shown while the withdrawal itself is refused.
#[component]
pub(super) fn WithdrawHead(form: Form, live: LivePreview) -> impl IntoView {
    let withdrawal = memo(move |_| {
        let view = form.view().filter(|_| live.is_refused())?;
        let ops = <[EditOp; 1]>::try_from(form.operations().ok()?);
        let Ok(
            [
                EditOp::Withdraw {
                    catalog,
                    package,
                    bundle,
                    ..
                },
            ],
        ) = ops
        else {
            return None;
        };
        let (head, then) = (withdrawn_head(&view, &bundle)?, DanglingEdges::Relink);
        Some((
            head,
            EditOp::RemoveBundle {
                catalog,
                package,
                bundle,
                then,
            },
        ))
    });
    move || Some(withdrawal_options(form, live, withdrawal.get()?))
}

fn withdrawal_options(
    form: Form,
    live: LivePreview,
    (head, remove): (WithdrawnHead, EditOp),
) -> impl IntoView {
    let app = form.app;
    let subject = untrack(|| {
        let values = FormValues::default().with(Field::Catalog, form.text(Field::Catalog));
        values.with(Field::Package, form.text(Field::Package))
    });
    let fixed = fixed_release(subject.clone(), &head);
    let heads = match head.channels.as_slice() {
        [_] => "Promote it as the new head; then this one can be withdrawn.".to_owned(),
        [first, others @ ..] => format!(
            "Add it to {first} as the new head, then promote it to {}; after that this one can be \
             withdrawn.",
            words::list_names(others)
        ),
        [] => String::new(),
    };
    let WithdrawnHead {
        bundle,
        channels,
        next,
        ..
    } = head;
    let deprecated = bundle.clone();
    let deprecate = move |()| {
        let target = Target::Bundle {
            name: deprecated.clone(),
        };
        app.open_form_with(EditCommand::Deprecate, target, subject.clone());
    };
    let remove = next.iter().any(Option::is_some).then(|| {
        let ops = vec![remove];
        // Use the title of the history step.
        let title = title(&ops, 0);
        let label = title.clone();
        let new_head = match next.as_slice() {
            [Some(head)] => format!(
                "`{head}` becomes the head of {}. ",
                words::list_names(&channels)
            ),
            _ => String::new(),
        };
        let explanation = format!(
            "{new_head}Neither Classic nor OLM v1 goes back to a lower version: clusters that already run \
             `{bundle}` update to a later entry that names it or holds it in a skipRange. The preview shows who gets what."
        );
        option(label, &explanation, move |()| {
            live.choose_alternative(title.clone(), ops.clone())
        })
    });
    let stay = "It stays the head, and its users see your message.";
    let add = move |()| {
        app.open_form_with(EditCommand::AddBundle, Target::Package, fixed.clone());
    };
    view! {
        <section class="preview-consequences" aria-label="Instead">
            <h3 class="preview-title">"Instead"</h3>
            <ul class="withdraw-options">
                {option("Deprecate it", stay, deprecate)}
                {remove}
                {option("Add a fixed release", &heads, add)}
            </ul>
        </section>
    }
}

/// Returns the initial values of *Add bundle…* in the package of `values`: the next patch version,
/// named like the faulty release, in the first of its channels.
fn fixed_release(values: FormValues, head: &WithdrawnHead) -> FormValues {
    let channel = head.channels.first().cloned();
    let values = values.with(Field::ToChannel, channel.unwrap_or_default());
    match next_patch(&head.version) {
        Some(next) if head.bundle.contains(&head.version) => values
            .with(Field::Bundle, head.bundle.replacen(&head.version, &next, 1))
            .with(Field::Version, next),
        _ => values,
    }
}

/// Returns `1.8.2` for `1.8.1`; `None` for anything but three numbers.
fn next_patch(version: &str) -> Option<String> {
    let (minor, patch) = version.rsplit_once('.')?;
    let mut parts = minor.split('.');
    if parts.clone().count() != 2 || !parts.all(|part| part.parse::<u64>().is_ok()) {
        return None;
    }
    let next = patch.parse::<u64>().ok()?.checked_add(1)?;
    Some(format!("{minor}.{next}"))
}

/// Renders one option with its effect. `` `code` `` is marked up.
fn option(
    label: impl Into<String>,
    note: &str,
    on_press: impl Fn(()) + Send + Sync + 'static,
) -> AnyView {
    let label: String = label.into();
    view! {
        <li>
            <Button label on_press/>
            <p class="preview-note">{in_code(note)}</p>
        </li>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(entry: &str, replaces: &str, states: &[EntryState]) -> TableRow {
        TableRow {
            channel: "stable".into(),
            entry: entry.into(),
            version: entry.trim_start_matches("p.v").into(),
            replaces: replaces.into(),
            states: states.to_vec(),
            ..TableRow::default()
        }
    }

    fn view(table: &[TableRow]) -> PackageView {
        let bundles = table.iter();
        PackageView {
            table: table.to_vec(),
            bundles: bundles
                .map(|row| (row.entry.clone(), row.version.clone()))
                .collect(),
            ..PackageView::default()
        }
    }

    #[test]
    fn a_fixed_release_is_the_next_patch_in_a_channel_of_the_head() {
        let head_in = |channel: &str| TableRow {
            channel: channel.into(),
            ..row("p.v1.8.1", "", &[EntryState::Head])
        };
        let view = view(&[head_in("alpha"), head_in("stable")]);
        let head = withdrawn_head(&view, "p.v1.8.1").expect("a head");
        assert_eq!(head.channels, ["alpha", "stable"]);
        let fixed = fixed_release(FormValues::default(), &head);
        let texts = [Field::Bundle, Field::Version, Field::ToChannel]
            .map(|field| fixed.get(field).to_owned());
        assert_eq!(texts, ["p.v1.8.2", "1.8.2", "alpha"]);
        assert_eq!(
            [
                next_patch("1.8.1-rc1"),
                next_patch("1.8"),
                next_patch("1.a.1")
            ],
            [None, None, None]
        );
    }

    #[test]
    fn the_next_head_is_the_highest_entry_that_only_the_head_names() {
        let next = |table: &[TableRow]| {
            let head = withdrawn_head(&view(table), "p.v3").expect("a head");
            let names = head.next.into_iter();
            names.map(Option::unwrap_or_default).collect::<Vec<_>>()
        };
        let head = row("p.v3", "p.v2", &[EntryState::Head]);
        let table = [head.clone(), row("p.v2", "p.v1", &[]), row("p.v1", "", &[])];
        assert_eq!(next(&table), ["p.v2"]);
        assert_eq!(withdrawn_head(&view(&table), "p.v2"), None);
        assert_eq!(next(&[head]), [""]);
        let skipping = |entry, skips: &[&str], states: &[EntryState]| TableRow {
            skips: skips.iter().map(|name| (*name).to_owned()).collect(),
            ..row(entry, "p.v0", states)
        };
        let skipped = [
            skipping("p.v3", &["p.v1", "p.v2"], &[EntryState::Head]),
            row("p.v2", "", &[]),
            row("p.v1", "", &[]),
        ];
        assert_eq!(next(&skipped), ["p.v2"], "not the first that it skips");
        let replaced = [
            row("p.v3", "p.v1", &[EntryState::Head]),
            skipping("p.v2", &["p.v1"], &[]),
            row("p.v1", "", &[]),
        ];
        assert_eq!(next(&replaced), ["p.v2"], "not the one that it replaces");
        let in_fast = |row: TableRow| TableRow {
            channel: "fast".into(),
            ..row
        };
        let fast = [
            in_fast(row("p.v3", "p.v1", &[EntryState::Head])),
            in_fast(row("p.v1", "", &[])),
        ];
        assert_eq!(next(&[&table[..], &fast].concat()), ["p.v2", "p.v1"]);
    }
}
