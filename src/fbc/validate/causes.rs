//! Which problems of a package only follow from another one of the package.

use super::findings::{Finding, Follows};
use crate::fbc::hashed::HashMap;
use crate::fbc::place::Text;

/// Problems of the graph, for which each edge of a channel counts.
const OF_GRAPH: &[&str] = &["channel-head-multiple", "channel-head-none", "channel-stranded", "channel-cycle"];
/// Problems of a bundle that has no `olm.package` property as long as its properties do not parse.
const OF_PROPERTIES: &[&str] = &[
    "bundle-package-property-count",
    "bundle-package-property-match",
    "bundle-package-property",
    "bundle-version-semver",
];

/// Says of each finding what it follows from, where it does.
pub(super) fn link(findings: &mut [Finding]) {
    let undefined = first(findings, |f| f.rule.id.ends_with("-unknown-package"));
    let mut misspelt: HashMap<String, Follows> = HashMap::default();
    // Channels that would have one head if an entry had the name of its bundle.
    let mut in_order: HashMap<Text, Follows> = HashMap::default();
    let mut doubled: HashMap<Text, Follows> = HashMap::default();
    // An entry without a name is what every entry without a `replaces` names, for `opm`.
    let mut nameless: HashMap<Text, Follows> = HashMap::default();
    let mut unparsed: HashMap<Text, Follows> = HashMap::default();
    for finding in findings.iter() {
        match (finding.rule.id, &finding.channel, &finding.bundle) {
            ("entry-without-bundle", channel, _) => {
                for respell in &finding.respell {
                    if let (Some(channel), [_]) = (channel, &respell.heads[..]) {
                        in_order.entry(channel.clone()).or_insert_with(|| cause(finding));
                    }
                    misspelt.entry(respell.meant.clone()).or_insert_with(|| cause(finding));
                }
            }
            ("entry-duplicate", Some(channel), _) => {
                doubled.entry(channel.clone()).or_insert_with(|| cause(finding));
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
        } else if id == "bundle-not-in-channel" {
            finding.bundle.as_deref().and_then(|bundle| misspelt.get(bundle)).cloned()
        } else if OF_GRAPH.contains(&id) {
            let of = |causes: &HashMap<Text, Follows>| causes.get(finding.channel.as_ref()?).cloned();
            let of_nameless = || of(&nameless).filter(|_| id == "channel-cycle");
            of(&in_order).or_else(of_nameless).or_else(|| of(&doubled)).or_else(|| finding.follows.take())
        } else if OF_PROPERTIES.contains(&id) {
            finding.bundle.as_ref().and_then(|bundle| unparsed.get(bundle)).cloned()
        } else {
            None
        };
    }
}

fn first(findings: &[Finding], is_it: impl Fn(&Finding) -> bool) -> Option<Follows> {
    findings.iter().find(|finding| is_it(finding)).map(cause)
}

fn cause(finding: &Finding) -> Follows {
    Follows { rule: finding.rule.id, message: finding.message.clone(), at: finding.at }
}
