//! Options for withdrawing a head, which has no successor for its users. It can be deprecated, the
//! previous release can become the head again, or a fixed release can be added. If one channel
//! already has that release, the others can get it too, and the bundle is withdrawn from all of
//! them.

use crate::components::preview::Live;
use crate::context::AppContext;
use crate::edits::command::{EditCommand, Field};
use crate::edits::form_values::FormValues;
use crate::edits::suggestions::{catalog_name, is_absent};
use crate::edits::titles::title;
use crate::reactive::memo;
use crate::widgets::buttons::Button;
use crate::widgets::short_text::in_code;
use crate::words;
use leptos::prelude::*;
use protocol::operation::{Choice, DanglingEdges, EditOp, PromoteAs};
use protocol::request::Target;
use protocol::views::TableRow;

/// A head, and the head without it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct WithdrawnHead {
    bundle: String,
    /// The channels with this head.
    channels: Vec<String>,
    version: String,
    /// Name and version of the previous release; `None` if there is none.
    before: Option<(String, String)>,
    /// The channels that list it below another head, and the first such head.
    below: Vec<String>,
    above: Option<String>,
}

/// `None` if the bundle is not a head. The previous release is the one that the head replaces, or
/// else the next one below it in that channel.
fn withdrawn_head(table: &[TableRow], bundle: &str) -> Option<WithdrawnHead> {
    let mut heads = table
        .iter()
        .filter(|row| row.entry == bundle && row.state.iter().any(|word| word == "head"));
    let channels = heads.clone().map(|row| row.channel.clone()).collect();
    let head = heads.next()?;
    let listed = |name: &str| {
        let mut rows = table
            .iter()
            .filter(|row| row.channel == head.channel && row.entry == name && !is_absent(row));
        rows.next()
            .map(|row| (row.entry.clone(), row.version.clone()))
    };
    let is_head = |row: &&TableRow| row.state.iter().any(|word| word == "head");
    let listing = table
        .iter()
        .filter(|row| row.entry == bundle && !is_absent(row) && !is_head(row));
    let below: Vec<String> = listing.map(|row| row.channel.clone()).collect();
    let above = table
        .iter()
        .filter(is_head)
        .find(|row| below.contains(&row.channel) && !is_absent(row));
    Some(WithdrawnHead {
        above: above.map(|row| row.entry.clone()),
        below,
        bundle: bundle.to_owned(),
        channels,
        version: head.version.clone(),
        before: listed(&head.replaces).or_else(|| head.skips.iter().find_map(|name| listed(name))),
    })
}

/// Shown while the withdrawal itself is refused; if only some channels are named, mentions what
/// stays in the others.
#[component]
pub(super) fn WithdrawHead(
    app: AppContext,
    live: Live,
    values: RwSignal<FormValues>,
) -> impl IntoView {
    let head = memo(move |_| {
        let bundle = values.with(|values| values.get(Field::Bundle).to_owned());
        app.current
            .view
            .with(|view| withdrawn_head(&view.table, &bundle))
    });
    let is_refused = memo(move |_| live.is_refused());
    let is_of_some = memo(move |_| values.with(|values| !values.get(Field::Channel).is_empty()));
    move || {
        let head = head.get()?;
        let all = in_all_channels(app, live, &head, is_refused.get());
        match is_refused.get() {
            true => Some(ways(app, live, head, all).into_any()),
            false => all
                .filter(|_| is_of_some.get() && !live.is_of_another_way())
                .map(|all| {
                    view! {
                        <section class="preview-consequences" aria-label="Still the head">
                            <ul class="withdraw-ways">{all}</ul>
                        </section>
                    }
                    .into_any()
                }),
        }
    }
}

/// Withdraws from every channel in one step: the head of some channels first becomes the head of
/// all. `None` if no channel has a higher entry.
fn in_all_channels(
    app: AppContext,
    live: Live,
    head: &WithdrawnHead,
    is_refused: bool,
) -> Option<AnyView> {
    let above = head.above.clone()?;
    let ops = withdrawn_everywhere(package_target(app), head, &above);
    let from_some = vec![withdrawn_from(
        package_target(app),
        head,
        head.below.clone(),
    )];
    let heads = words::list_names(&head.channels);
    let explanation = format!(
        "`{}` is still the head in {heads}. There, `{above}` becomes the head, as it is in {}, and skips it.",
        head.bundle,
        words::list_names(&head.below)
    );
    let (title, bundle, below) = (
        format!("Withdraw {} from all channels", head.bundle),
        head.bundle.clone(),
        head.below.clone(),
    );
    let everywhere = move |()| live.take_way(title.clone(), ops.clone());
    let some = is_refused.then(|| {
        let label = format!("Withdraw it from {} alone", words::list_names(&below));
        let title = format!("Withdraw {bundle} from {}", words::list_names(&below));
        view! {
            <li>
                <Button label on_press=move |()| live.take_way(title.clone(), from_some.clone())/>
                <p class="preview-note">{in_code(&format!("It stays the head in {heads}: new installs there get it."))}</p>
            </li>
        }
    });
    Some(
        view! {
            <li>
                <Button label="Withdraw it there too" on_press=everywhere/>
                <p class="preview-note">{in_code(&explanation)}</p>
            </li>
            {some}
        }
        .into_any(),
    )
}

fn withdrawn_everywhere(target: OperationTarget, head: &WithdrawnHead, above: &str) -> Vec<EditOp> {
    let promote = |channel: &String| EditOp::Promote {
        catalog: target.catalog.clone(),
        package: target.package.clone(),
        bundle: above.to_owned(),
        to: channel.clone(),
        how: Some(PromoteAs::Head),
        replaces: Choice::Default,
        skip_range: Choice::Default,
    };
    let promoted = head.channels.iter().map(promote).collect::<Vec<_>>();
    promoted
        .into_iter()
        .chain([withdrawn_from(target, head, Vec::new())])
        .collect()
}

/// Without channels: from all that list it.
fn withdrawn_from(target: OperationTarget, head: &WithdrawnHead, channel: Vec<String>) -> EditOp {
    EditOp::Withdraw {
        catalog: target.catalog,
        package: target.package,
        bundle: head.bundle.clone(),
        by: None,
        channel,
    }
}

/// The leading arguments of operations.
struct OperationTarget {
    /// Set if several are open.
    catalog: Option<String>,
    package: String,
}

fn package_target(app: AppContext) -> OperationTarget {
    let (root, package) = (
        app.store.root.get_untracked(),
        app.current.package.get_untracked(),
    );
    let catalog = app.store.status.with_untracked(|status| {
        (status.roots.len() > 1).then(|| catalog_name(&status.roots, &root))
    });
    OperationTarget { catalog, package }
}

fn ways(app: AppContext, live: Live, head: WithdrawnHead, all: Option<AnyView>) -> impl IntoView {
    let fixed = fixed_release(&head);
    let heads = match head.channels.as_slice() {
        [_] => "Promote it as the new head; then this one can be withdrawn.".to_owned(),
        channels => format!(
            "Promote it as the new head of {}; then this one can be withdrawn from all of them. The form adds it to the \
             first.",
            words::list_names(channels)
        ),
    };
    let WithdrawnHead { bundle, before, .. } = head;
    let (deprecated, removed) = (bundle.clone(), bundle.clone());
    let deprecate = move |()| {
        let target = Target::Bundle {
            name: deprecated.clone(),
        };
        app.open_form_with(EditCommand::Deprecate, target, FormValues::default());
    };
    let back = before.map(|(name, version)| {
        let previous = if version.is_empty() { name } else { version };
        let ops = vec![without(app, &removed)];
        // Same title as its history step.
        let title = title(&ops, 0);
        let label = title.clone();
        let press = move |()| live.take_way(title.clone(), ops.clone());
        let explanation = format!(
            "{previous} is the head again: new installs get it, under Classic and OLM v1. Clusters that already run `{bundle}` \
             stay on it: neither Classic nor OLM v1 goes back to a lower version, and a later release has to name it to \
             take them along."
        );
        view! {
            <li>
                <Button label on_press=press/>
                <p class="preview-note">{in_code(&explanation)}</p>
            </li>
        }
    });
    view! {
        <section class="preview-consequences" aria-label="Instead">
            <h3 class="preview-title">"Instead"</h3>
            <ul class="withdraw-ways">
                {all}
                <li>
                    <Button label="Deprecate it" on_press=deprecate/>
                    <p class="preview-note">"It stays the head, and whoever has it sees your message."</p>
                </li>
                {back}
                <li>
                    <Button
                        label="Add a fixed release"
                        on_press=move |()| app.open_form_with(EditCommand::AddBundle, Target::Package, fixed.clone())
                    />
                    <p class="preview-note">{heads}</p>
                </li>
            </ul>
        </section>
    }
}

/// Initial values for *Add bundle…*: the next patch, named like the faulty release, in the first of
/// its channels.
fn fixed_release(head: &WithdrawnHead) -> FormValues {
    let values = FormValues::default().with(
        Field::ToChannel,
        head.channels.first().cloned().unwrap_or_default(),
    );
    match next_patch(&head.version) {
        Some(next) if head.bundle.contains(&head.version) => values
            .with(Field::Bundle, head.bundle.replacen(&head.version, &next, 1))
            .with(Field::Version, next),
        _ => values,
    }
}

/// `1.8.2` for `1.8.1`; `None` for anything but three numbers.
fn next_patch(version: &str) -> Option<String> {
    let (minor, patch) = version.rsplit_once('.')?;
    let is_minor =
        minor.split('.').count() == 2 && minor.split('.').all(|part| part.parse::<u64>().is_ok());
    Some(format!(
        "{minor}.{}",
        patch
            .parse::<u64>()
            .ok()
            .filter(|_| is_minor)?
            .checked_add(1)?
    ))
}

/// Removes the bundle with its entries, so that the previous release becomes the head.
fn without(app: AppContext, bundle: &str) -> EditOp {
    let OperationTarget { catalog, package } = package_target(app);
    EditOp::RemoveBundle {
        catalog,
        package,
        bundle: bundle.to_owned(),
        then: DanglingEdges::Relink,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(entry: &str, replaces: &str, state: &[&str]) -> TableRow {
        TableRow {
            channel: "stable".into(),
            entry: entry.into(),
            version: entry.trim_start_matches("p.v").into(),
            replaces: replaces.into(),
            state: state.iter().map(ToString::to_string).collect(),
            ..TableRow::default()
        }
    }

    #[test]
    fn a_fixed_release_is_the_next_patch_in_a_channel_of_the_head() {
        let of = |channel: &str| TableRow {
            channel: channel.into(),
            ..row("p.v1.8.1", "", &["head"])
        };
        let table = [of("alpha"), of("stable")];
        let head = withdrawn_head(&table, "p.v1.8.1").expect("a head");
        assert_eq!(head.channels, ["alpha", "stable"]);
        let fixed = fixed_release(&head);
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
    fn withdraws_a_head_of_some_channels_from_all_below_the_entry_above_it() {
        let of = |channel: &str, row: TableRow| TableRow {
            channel: channel.into(),
            ..row
        };
        let table = [
            of("alpha", row("p.v3", "p.v2", &["head"])),
            of("alpha", row("p.v2", "p.v1", &[])),
            of("beta", row("p.v2", "p.v1", &["head"])),
        ];
        let head = withdrawn_head(&table, "p.v2").expect("a head");
        assert_eq!(
            (head.below.as_slice(), head.above.as_deref()),
            (&["alpha".to_owned()][..], Some("p.v3"))
        );
        let package = OperationTarget {
            catalog: None,
            package: "p".into(),
        };
        let ops = withdrawn_everywhere(package, &head, "p.v3");
        let kinds: Vec<_> = ops.iter().map(EditOp::name).collect();
        assert_eq!(kinds, ["promote", "withdraw"]);
        assert!(
            matches!(&ops[0], EditOp::Promote { bundle, to, .. } if bundle == "p.v3" && to == "beta")
        );
        assert!(matches!(&ops[1], EditOp::Withdraw { channel, .. } if channel.is_empty()));
        assert_eq!(
            withdrawn_head(&table, "p.v3").expect("a head").above,
            None,
            "nothing is above it anywhere"
        );
    }

    #[test]
    fn the_release_before_a_head_is_its_replaced_entry() {
        let table = [
            row("p.v3", "p.v2", &["head"]),
            row("p.v2", "p.v1", &[]),
            row("p.v1", "", &[]),
        ];
        let head = withdrawn_head(&table, "p.v3").expect("a head");
        assert_eq!(head.before, Some(("p.v2".to_owned(), "2".to_owned())));
        assert_eq!(withdrawn_head(&table, "p.v2"), None);
        let alone = [row("p.v3", "p.v2", &["head"])];
        assert_eq!(withdrawn_head(&alone, "p.v3").expect("a head").before, None);
        let skipping = TableRow {
            skips: vec!["p.v2".into()],
            ..row("p.v3", "", &["head"])
        };
        let table = [skipping, row("p.v2", "", &[])];
        assert_eq!(
            withdrawn_head(&table, "p.v3")
                .expect("a head")
                .before
                .map(|of| of.0),
            Some("p.v2".to_owned())
        );
    }
}
