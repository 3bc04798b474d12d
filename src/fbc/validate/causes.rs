//! Which problems of a package only follow from another one of the package.

use super::finding::{Finding, Follows, Respell};
use crate::hashed::HashMap;
use crate::place::Text;
use protocol::diagnostic::Fix;

/// Problems of the graph, for which each edge of a channel counts.
const OF_GRAPH: &[&str] = &["channel-head-multiple", "channel-head-none", "channel-stranded", "channel-cycle"];
/// Problems of a bundle that has no `olm.package` property as long as its properties do not parse.
const OF_PROPERTIES: &[&str] = &[
    "bundle-package-property-count",
    "bundle-package-property-match",
    "bundle-package-property",
    "bundle-version-semver",
];

/// Problems that a bundle's name in place of an entry's takes away, or the other way round.
const BY_BUNDLE_NAME: &[&str] = &["bundle-not-in-channel", "deprecation-bundle-not-found"];

/// Says of each finding what it follows from, where it does, and offers there what helps with the cause.
pub(super) fn link(findings: &mut [Finding]) {
    let undefined = first(findings, |f| f.rule.id.ends_with("-unknown-package"));
    let mut misspelt: HashMap<String, (Follows, Respell)> = HashMap::default();
    // Channels that would be in order if an entry had the name of its bundle.
    let mut in_order: HashMap<Text, (Follows, Respell)> = HashMap::default();
    let mut doubled: HashMap<Text, (Follows, Option<Fix>)> = HashMap::default();
    // An entry without a name is what every entry without a `replaces` names, for `opm`.
    let mut nameless: HashMap<Text, Follows> = HashMap::default();
    let mut unparsed: HashMap<Text, Follows> = HashMap::default();
    for finding in findings.iter() {
        match (finding.rule.id, &finding.channel, &finding.bundle) {
            ("entry-without-bundle", channel, _) => {
                for respell in &finding.respell {
                    if let (Some(channel), true) = (channel, respell.in_order) {
                        in_order.entry(channel.clone()).or_insert_with(|| (cause(finding), respell.clone()));
                    }
                    // The one is the bundle's that no channel lists, the other what a deprecation names in vain.
                    for name in [&*respell.meant, &*respell.was] {
                        let slip = || (cause(finding), respell.clone());
                        misspelt.entry(name.to_owned()).or_insert_with(slip);
                    }
                }
            }
            ("entry-duplicate", Some(channel), _) => {
                doubled.entry(channel.clone()).or_insert_with(|| (cause(finding), finding.fixes.first().cloned()));
            }
            ("bundle-no-name", Some(channel), _) => {
                nameless.entry(channel.clone()).or_insert_with(|| cause(finding));
            }
            ("bundle-properties-parse", _, Some(bundle)) => {
                unparsed.entry(bundle.clone()).or_insert_with(|| cause(finding));
            }
            _ => {}
        }
    }
    for finding in findings.iter_mut() {
        let id = finding.rule.id;
        if finding.follows.is_some() && !OF_GRAPH.contains(&id) {
            continue;
        }
        finding.follows = if id.ends_with("-unknown-package") {
            // One definition is missing, however many blobs miss it.
            undefined.clone().filter(|first| first.at != finding.at)
        } else if BY_BUNDLE_NAME.contains(&id) {
            let slip = finding.bundle.as_deref().and_then(|bundle| misspelt.get(bundle)).cloned();
            slip.map(|(cause, respell)| {
                // The heads are those of the entry's channel, which this is not about.
                finding.respell = vec![Respell { heads: Vec::new(), ..respell }];
                cause
            })
        } else if OF_GRAPH.contains(&id) {
            let channel = finding.channel.as_ref();
            if let Some((cause, respell)) = channel.and_then(|channel| in_order.get(channel)) {
                finding.respell = vec![respell.clone()];
                Some(cause.clone())
            } else if let Some(cause) = channel.filter(|_| id == "channel-cycle").and_then(|c| nameless.get(c)) {
                Some(cause.clone())
            } else if let Some((cause, fix)) = channel.and_then(|channel| doubled.get(channel)) {
                finding.fixes.splice(0..0, fix.clone().filter(leads_to_one_head));
                Some(cause.clone())
            } else {
                finding.follows.take()
            }
        } else if OF_PROPERTIES.contains(&id) {
            finding.bundle.as_ref().and_then(|bundle| unparsed.get(bundle)).cloned()
        } else {
            None
        };
    }
}

fn leads_to_one_head(fix: &Fix) -> bool {
    fix.heads.len() == 1 && fix.note.is_empty()
}

fn first(findings: &[Finding], is_it: impl Fn(&Finding) -> bool) -> Option<Follows> {
    findings.iter().find(|finding| is_it(finding)).map(cause)
}

fn cause(finding: &Finding) -> Follows {
    Follows { rule: finding.rule.id, message: finding.message.clone(), at: finding.at }
}
