//! Rules about a channel's entries. [`super::entry_without_bundle`] has the rule for entries
//! without a bundle.

use super::prelude::*;
use catalog::model::Entry;
use catalog::version::range::{is_plain_repair, repair_range, versions_in};
use catalog::version::{Version, blang};
use syntax::hashed::HashMap;

/// Maximum number of repetitions removed at once.
const MAX_REMOVED: usize = 100;

pub const ENTRY_DUPLICATE: RuleDoc = RuleDoc::opm(
    "entry-duplicate",
    "invalid package %q, channel %q: duplicate entry %q",
    "A channel lists the same entry twice.",
    "An entry carries the upgrade edges of its bundle in this channel; with two of them it is ambiguous which edges \
     count.",
    "Merge `replaces`, `skips` and `skipRange` of both into one entry and remove the other.",
)
.causes(&[SharedCause::EntryDoubled])
.in_templates()
.bad(examples![stable!("- name: etcd.v1.0.0", "- name: etcd.v1.0.0\n  replaces: etcd.v0.9.0"; "1.0.0")])
.good(examples![stable!("- name: etcd.v1.0.0\n  replaces: etcd.v0.9.0"; "1.0.0")]);

/// The places where a channel lists an entry.
struct Listings<'a> {
    first: &'a Entry,
    others: usize,
    /// Whether none of the others has an edge that the first lacks.
    add_no_edge: bool,
}

pub fn check_entry_duplicate(scope: &Scope<'_>, channel: &ChannelBlob, out: &mut Findings) {
    let mut seen: HashMap<&str, Listings<'_>> =
        HashMap::with_capacity_and_hasher(channel.entries.len(), Default::default());
    let mut repeated = Vec::new();
    for entry in &channel.entries {
        // An alias has the position of its anchor, so positions do not distinguish repetitions
        // here.
        let listings = seen.entry(entry.name.as_str()).or_insert(Listings {
            first: entry,
            others: 0,
            add_no_edge: true,
        });
        if !std::ptr::eq(listings.first, entry) {
            listings.others += 1;
            listings.add_no_edge &= listings.first.covers(entry);
            repeated.push((entry, listings.first));
        }
    }
    for (entry, first) in repeated {
        let (name, place) = (&entry.name.value, entry.name.place);
        let opm = format!(
            "invalid package {}, channel {}: duplicate entry {}",
            quote(&channel.package.value),
            quote(&channel.name.value),
            quote(name)
        );
        let is_same = first.has_same_edges(entry);
        let removable = seen.get(name.as_ref()).filter(|all| all.add_no_edge);
        let fix = removable.map(|all| remove(scope, channel, name, all.others, is_same));
        let finding = out
            .finding(
                place,
                format!(
                    "entry `{name}` is already listed in channel `{}`",
                    channel.name.value
                ),
            )
            .help(if is_same {
                "both are identical: remove one of them"
            } else if first.covers(entry) {
                "this listing adds no edge: remove it"
            } else {
                ENTRY_DUPLICATE.fix
            })
            .bundle(name)
            .related([("first listed here".to_owned(), out.here(first.name.place))])
            .fixes(fix);
        out.refuse(opm, finding);
    }
}

/// Builds the fix that removes repetitions. The operation is refused if one of them adds an edge.
fn remove(
    scope: &Scope<'_>,
    channel: &ChannelBlob,
    name: &str,
    times: usize,
    is_safe: bool,
) -> Fix {
    let op = scope
        .place(&channel.name.value, name)
        .remove(DanglingEdges::Relink);
    let title = format!("list `{name}` in channel `{}` once", channel.name.value);
    Fix::new(title, is_safe, vec![op; times.min(MAX_REMOVED)]).with_kind("remove-duplicate")
}

pub const SKIP_EMPTY: RuleDoc = RuleDoc::opm(
    "skip-empty",
    "skip[%d] is empty",
    "An entry skips an empty name.",
    "Each skip names an entry from which users upgrade directly; an empty one is a mistake.",
    "Remove the empty item from `skips`, or write the intended name.",
)
.in_templates()
.bad(examples![
    stable!("- name: etcd.v1.0.0\n  skips:\n  - ''"; "1.0.0")
])
.good(examples![
    stable!("- name: etcd.v1.0.0\n  skips:\n  - etcd.v0.9.0"; "1.0.0")
]);

pub fn check_skip_empty(scope: &Scope<'_>, view: &EntryView<'_>, out: &mut Findings) {
    for (i, skip) in view.entry.skips.iter().enumerate() {
        if skip.is_empty() {
            let (channel, name) = (&view.channel.blob.name.value, &view.entry.name.value);
            let at = view.channel.anchor(skip.place);
            let finding = Finding::new(at, format!("entry `{name}` skips an empty name"));
            let remove = scope
                .place(channel, name)
                .remove_skips(vec![String::new()], None);
            // Not safe: an empty item is often a placeholder filled with nothing, so a name may be
            // missing.
            let remove = Fix::from_op("remove the empty item", false, remove);
            out.fail(
                format!("skip[{i}] is empty"),
                finding.channel(channel).bundle(name).fixes([remove]),
            );
        }
    }
}

pub const SKIPRANGE_INVALID: RuleDoc = RuleDoc::opm(
    "skiprange-invalid",
    "invalid skipRange %q: <error>",
    "A skipRange is not a version range.",
    "`opm` and OLM read the range with blang/semver: comparisons such as `>=1.0.0 <1.2.0` separated by spaces, `||` \
     between alternatives, full versions. Commas, `^`, `~` and a leading `v` belong to other dialects.",
    "Write the range with `>=` and `<` and full versions, or remove it.",
)
.since(69)
.in_templates()
.bad(examples![stable!("- name: etcd.v1.0.0\n  skipRange: '>=0.9.0, <1.0.0'"; "1.0.0")])
.good(examples![stable!("- name: etcd.v1.0.0\n  skipRange: '>=0.9.0 <1.0.0'"; "1.0.0")]);

pub fn check_skiprange_invalid(scope: &Scope<'_>, view: &EntryView<'_>, out: &mut Findings) {
    let range = &view.entry.skip_range;
    if range.is_empty() {
        return;
    }
    let Err(error) = blang::Range::parse(&range.value) else {
        return;
    };
    let name = &view.entry.name.value;
    let repaired = repair_range(&range.value).or_else(|| probable_range(scope, view));
    let dialect = other_dialect(&range.value);
    let help = match &repaired {
        None => dialect.unwrap_or(SKIPRANGE_INVALID.fix).to_owned(),
        Some(repaired) => match dialect {
            None => format!("did you mean `{repaired}`?"),
            Some(dialect) => format!("{dialect}: did you mean `{repaired}`?"),
        },
    };
    let mut fixes = Vec::new();
    fixes.extend(repaired.map(|r| {
        let safe = is_plain_repair(&range.value, &r);
        Fix::from_op(
            format!("write it as `{r}`"),
            safe,
            set_skip_range(scope, view, Some(r)),
        )
    }));
    fixes.push(
        Fix::from_op(
            "remove the skipRange",
            false,
            set_skip_range(scope, view, None),
        )
        .with_kind("remove-skip-range"),
    );
    let mut why = format!(
        "`opm` reads the range with blang/semver: comparisons of full versions separated by spaces, `||` between \
         alternatives. It could not read `{}`, so it is unknown which versions upgrade to `{name}` directly.",
        range.value
    );
    if let Some(dialect) = dialect {
        why.push_str(&format!(" Here {dialect}."));
    }
    let explanation = Explanation {
        why,
        names: vec![name.to_string()],
        chains: Vec::new(),
    };
    let message = format!(
        "skipRange `{}` of entry `{name}` is not a version range: {error}",
        range.value
    );
    let finding = view.finding(range.place, message).help(help);
    out.fail(
        format!("invalid skipRange {}: {error}", quote(&range.value)),
        finding.explain(explanation).fixes(fixes),
    );
}

/// Describes syntax in the text that only the `version` of a ClusterExtension accepts, which
/// another library parses.
fn other_dialect(range: &str) -> Option<&'static str> {
    if range.contains(',') {
        Some(
            "a comma between bounds belongs to the `version` of a ClusterExtension (OLM v1), not to a skipRange",
        )
    } else if range.contains(['^', '~']) {
        Some(
            "`^` and `~` belong to the `version` of a ClusterExtension (OLM v1), not to a skipRange",
        )
    } else if range
        .split(|c: char| !c.is_ascii_alphanumeric() && !"-+.".contains(c))
        .any(|part| {
            part.strip_prefix('v')
                .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        })
    {
        Some("versions in a skipRange have no leading `v`")
    } else {
        None
    }
}

/// Returns a replacement for an unrepairable text: everything below the entry, from the lowest
/// version in the text, or else from the lowest in the channel. `None` if the entry has no version
/// or nothing is below it.
fn probable_range(scope: &Scope<'_>, view: &EntryView<'_>) -> Option<String> {
    let version_of = |name: &str| Version::parse(scope.package.bundle(name)?.version()).ok();
    let own = version_of(&view.entry.name.value)?;
    let lowest = |versions: &mut dyn Iterator<Item = Version>| {
        versions
            .filter(|version| version.cmp_precedence(&own).is_lt())
            .min_by(Version::cmp_precedence)
    };
    let listed = view
        .channel
        .blob
        .entries
        .iter()
        .filter_map(|entry| version_of(&entry.name.value));
    let low = lowest(&mut versions_in(&view.entry.skip_range.value).into_iter())
        .or_else(|| lowest(&mut { listed }))?;
    Some(format!(">={low} <{own}"))
}

#[cfg(test)]
mod tests {
    use crate::validate::testing::Judge;
    use catalog::testing::PackageBuilder;
    use protocol::operation::EditOp;

    #[test]
    fn a_range_of_another_dialect_is_repaired() {
        let report = PackageBuilder::new("p")
            .channel("c", &["a sr:>=1.0.0,<2.0.0"])
            .judge();
        assert_eq!(report.rules(), ["skiprange-invalid"]);
        assert!(
            report
                .tree()
                .contains("invalid skipRange \">=1.0.0,<2.0.0\": "),
            "{}",
            report.tree()
        );
        let ops: Vec<&EditOp> = report.findings[0]
            .fixes
            .iter()
            .flat_map(|f| &f.ops)
            .collect();
        assert!(
            matches!(ops[0], EditOp::SetSkipRange { skip_range: Some(r), .. } if r == ">=1.0.0 <2.0.0")
        );
        assert!(matches!(
            ops[1],
            EditOp::SetSkipRange {
                skip_range: None,
                ..
            }
        ));
    }

    #[test]
    fn the_other_dialect_is_named() {
        let help = |range: &str| {
            let report = PackageBuilder::new("p")
                .channel("c", &[&format!("a {range}")])
                .judge();
            report.findings[0].help.clone()
        };
        assert_eq!(
            help("sr:>=1.0.0,<2.0.0"),
            "a comma between bounds belongs to the `version` of a ClusterExtension (OLM v1), not to a skipRange: did \
             you mean `>=1.0.0 <2.0.0`?"
        );
        assert_eq!(
            help("sr:<v2.0.0"),
            "versions in a skipRange have no leading `v`: did you mean `<2.0.0`?"
        );
    }

    #[test]
    fn an_irreparable_range_gets_a_probable_replacement() {
        let fixes = |skip_range: &str| {
            let own = format!("b {skip_range}");
            let sketch = PackageBuilder::new("p")
                .version("a", "0.8.0")
                .version("b", "1.0.0");
            let report = sketch.channel("c", &[&own, "a"]).judge();
            let finding = report
                .findings
                .iter()
                .find(|f| f.rule.id == "skiprange-invalid")
                .expect("an invalid range");
            finding
                .fixes
                .iter()
                .map(|fix| (fix.title.clone(), fix.safe))
                .collect::<Vec<_>>()
        };
        let probable_range = |text: &str| (format!("write it as `{text}`"), false);
        let removal = ("remove the skipRange".to_owned(), false);
        assert_eq!(
            fixes("sr:everything"),
            [probable_range(">=0.8.0 <1.0.0"), removal.clone()]
        );
        assert_eq!(
            fixes("sr:>=0.9<"),
            [probable_range(">=0.9.0 <1.0.0"), removal]
        );
    }
}
