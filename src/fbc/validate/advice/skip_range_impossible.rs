//! `skip-range-impossible`: a skipRange that no version can satisfy.

use super::super::rules::prelude::*;
use super::ranges::skip_range;
use crate::version::version_line::difference;

pub(in crate::validate) const DOC: RuleDoc = RuleDoc::advice(
    "skip-range-impossible",
    Severity::Warning,
    Profile::Community,
    "No version can satisfy a skipRange.",
    "Its comparisons exclude each other, as in `>=1.0.0 <1.0.0`. The range leads nobody to the entry: users on versions \
     that no `replaces` or `skips` names get no update.",
    "Correct the bounds: `>=OLDEST <VERSION`, where VERSION is that of the entry.",
)
.in_templates()
.bad(&[Example::Catalog(concat!(
    package!("etcd", "stable"),
    channel!(
        "etcd",
        "stable",
        "- name: etcd.v1.0.0",
        "- name: etcd.v1.1.0\n  replaces: etcd.v1.0.0\n  skipRange: '>=1.1.0 <1.1.0'"
    ),
    bundle!("etcd", "1.0.0"),
    bundle!("etcd", "1.1.0"),
))])
.good(&[Example::Catalog(concat!(
    package!("etcd", "stable"),
    channel!(
        "etcd",
        "stable",
        "- name: etcd.v1.0.0",
        "- name: etcd.v1.1.0\n  replaces: etcd.v1.0.0\n  skipRange: '>=0.9.0 <1.1.0'"
    ),
    bundle!("etcd", "1.0.0"),
    bundle!("etcd", "1.1.0"),
))]);

pub(in crate::validate) fn check(scope: &Scope<'_>, view: &EntryView<'_>, out: &mut Findings) {
    let Some(range) = skip_range(view) else {
        return;
    };
    if !difference(&range, None).is_empty() {
        return;
    }
    let (name, text) = (&view.entry.name.value, &view.entry.skip_range);
    let message = format!(
        "no version can satisfy skipRange `{}` of entry `{name}`",
        text.value
    );
    let finding = Finding::new(view.channel.anchor(text.place), message).help(DOC.fix);
    let remove = set_skip_range(scope, view, None);
    let finding = finding.fixes([fix("remove the skipRange", false, remove)]);
    out.report(finding.channel(&view.channel.blob.name.value).bundle(name));
}

#[cfg(test)]
mod tests {
    use crate::validate::testing::Sketch;

    #[test]
    fn an_impossible_range_is_independent_of_listed_versions() {
        let messages = |range: &str| {
            let sketch = Sketch::new("p").channel("c", &[&format!("b ~{range}")]);
            sketch.version("b", "4.3.1").advice("skip-range-impossible")
        };
        for range in [
            ">=4.3.0 <4.3.0",
            ">4.3.0 <4.3.1-0",
            "=4.3.0 !=4.3.0",
            "<0.0.0-0",
            "!=1.x",
            ">2.0.0 <1.0.0 || >4.0.0 <3.0.0",
        ] {
            assert_eq!(
                messages(range),
                [format!(
                    "no version can satisfy skipRange `{range}` of entry `b`"
                )]
            );
        }
        for range in [
            ">=4.3.0 <=4.3.0",
            ">=4.3.0 <4.3.0 || 1.0.0",
            "<0.0.0",
            "9.9.9",
        ] {
            assert_eq!(messages(range), [""; 0], "{range}");
        }
    }
}
