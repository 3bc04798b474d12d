//! The skips of a promoted bundle's other entries: a new entry skips nothing by default, so the
//! form offers to skip the same.

use super::command::{EditCommand, Field};
use super::form_values::{FormValues, PackageNames};
use super::suggestions::is_absent;
use protocol::counting::first_of;
use protocol::operation::{EditOp, EntryPlace};
use protocol::views::TableRow;

/// Maximum number of names listed.
const NAMED: usize = 3;

/// The skips of the bundle's entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PromotedSkips {
    /// All entries have these skips.
    Agreed(Vec<String>),
    /// The entries differ.
    Differ,
}

/// The skips of the form's bundle in the channels that list it; `None` if there are none.
pub fn promoted_skips(values: &FormValues, table: &[TableRow]) -> Option<PromotedSkips> {
    let (bundle, to) = (values.get(Field::Bundle), values.get(Field::ToChannel));
    let mut listed = table
        .iter()
        .filter(|row| row.entry == bundle && row.channel != to && !is_absent(row));
    let first = listed.next()?;
    let sorted = |row: &TableRow| {
        let mut names = row.skips.clone();
        names.sort_unstable();
        names
    };
    let (wanted, mut is_any) = (sorted(first), !first.skips.is_empty());
    let mut agree = true;
    for row in listed {
        is_any |= !row.skips.is_empty();
        agree &= sorted(row) == wanted;
    }
    match (is_any, agree) {
        (false, _) => None,
        (true, true) => Some(PromotedSkips::Agreed(first.skips.clone())),
        (true, false) => Some(PromotedSkips::Differ),
    }
}

impl PromotedSkips {
    /// The hint below the checkbox, or instead of it if there is no choice.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Agreed(_) => {
                "Its entries in other channels skip them. Unless this is ticked, the new entry skips nothing."
            }
            Self::Differ => {
                "Its entries in other channels skip different versions. The new entry skips nothing: use Add skip… afterwards."
            }
        }
    }

    /// The label of the checkbox; `None` if there is no choice.
    pub fn label(&self) -> Option<String> {
        match self {
            Self::Agreed(names) => Some(format!("Also skip {}", first_of(names.iter(), NAMED))),
            Self::Differ => None,
        }
    }
}

/// The operation that adds the skips, if selected.
pub fn operation(
    command: EditCommand,
    values: &FormValues,
    catalog: Option<&str>,
    names: PackageNames<'_>,
) -> Option<EditOp> {
    let is_wanted = command == EditCommand::Promote && !values.get(Field::SkipsToo).is_empty();
    match promoted_skips(values, names.table).filter(|_| is_wanted)? {
        PromotedSkips::Agreed(skip) => {
            let [package, channel, name] =
                [Field::Package, Field::ToChannel, Field::Bundle].map(|field| values.get(field));
            let op = EntryPlace::new(package, channel, name).add_skips(skip, None);
            Some(op.in_catalog(catalog.map(str::to_owned)))
        }
        PromotedSkips::Differ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(channel: &str, skips: &[&str]) -> TableRow {
        let skips = skips.iter().map(|name| (*name).to_owned()).collect();
        TableRow {
            channel: channel.into(),
            entry: "p.v2".into(),
            skips,
            ..TableRow::default()
        }
    }

    #[test]
    fn skips_are_offered_where_all_channels_agree() {
        let values = FormValues::default()
            .with(Field::Bundle, "p.v2")
            .with(Field::ToChannel, "new");
        let found = |rows: &[TableRow]| promoted_skips(&values, rows);
        assert_eq!(found(&[row("a", &[]), row("b", &[])]), None);
        let same = [row("a", &["x", "y"]), row("b", &["y", "x"])];
        let agreed = Some(PromotedSkips::Agreed(vec!["x".into(), "y".into()]));
        assert_eq!(found(&same), agreed);
        assert_eq!(
            found(&[row("a", &["x"]), row("b", &[])]),
            Some(PromotedSkips::Differ)
        );
        assert_eq!(
            found(&[row("new", &["x"])]),
            None,
            "an entry of the target channel does not count"
        );
        assert_eq!(
            agreed.and_then(|of| of.label()).as_deref(),
            Some("Also skip x, y")
        );

        let names = PackageNames {
            table: &same,
            ..PackageNames::default()
        };
        let made = |values: &FormValues| operation(EditCommand::Promote, values, None, names);
        assert_eq!(made(&values), None, "the checkbox is not ticked");
        let Some(EditOp::AddSkip {
            channel,
            name,
            skip,
            ..
        }) = made(&values.clone().with(Field::SkipsToo, "yes"))
        else {
            panic!("no skips");
        };
        assert_eq!(
            (channel.as_str(), name.as_str(), skip.len()),
            ("new", "p.v2", 2)
        );
    }
}
