//! Looks up rule documentation by id.

use super::advice::ADVICE;
use super::config_rules::CONFIG;
use super::rule::Rule;
use super::rule_doc::RuleDoc;
use super::rules::{LOADING, RULES};

/// Returns the documentation of any rule: loading, conversion, model, advice or configuration.
pub fn explain(rule_id: &str) -> Option<&'static RuleDoc> {
    documents().find(|doc| doc.id == rule_id)
}

/// Returns all rules: `opm`'s in its own order, then our own by name, then those about the
/// configuration.
pub fn documents() -> impl Iterator<Item = &'static RuleDoc> {
    LOADING
        .iter()
        .chain(once(RULES))
        .chain(once(ADVICE))
        .chain(CONFIG)
}

/// Returns each rule's documentation once: a rule may run at several levels.
fn once(rules: &'static [Rule]) -> impl Iterator<Item = &'static RuleDoc> {
    rules
        .iter()
        .enumerate()
        .filter(move |&(i, _)| {
            rules[..i]
                .iter()
                .all(|earlier| earlier.doc.id != rules[i].doc.id)
        })
        .map(|(_, rule)| rule.doc)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_rule_is_documented_once() {
        let mut ids = BTreeSet::new();
        for doc in documents() {
            assert!(ids.insert(doc.id), "{} is documented twice", doc.id);
            assert!(
                doc.id
                    .chars()
                    .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'),
                "{}",
                doc.id
            );
            for (what, text) in [("summary", doc.summary), ("why", doc.why), ("fix", doc.fix)] {
                assert!(text.len() > 20, "{} has no {what}", doc.id);
                assert!(
                    text.ends_with('.'),
                    "{} ends its {what} without a period",
                    doc.id
                );
            }
            assert_eq!(doc.opm, !doc.opm_message.is_empty(), "{}", doc.id);
            assert_eq!(explain(doc.id), Some(doc));
        }
        assert_eq!(explain("no-such-rule"), None);
    }

    #[test]
    fn declared_causes_and_followers_match() {
        let causes: BTreeSet<_> = documents().flat_map(|doc| doc.causes).collect();
        let followed: BTreeSet<_> = documents().flat_map(|doc| doc.follows).collect();
        assert_eq!(causes, followed);
    }

    #[test]
    fn loading_rules_are_documented() {
        for rule in catalog::model::load_rule::ALL {
            assert!(explain(rule).is_some(), "{rule}");
        }
    }
}
