//! States share blobs, and Old is only checked for invariants that New breaks: these tests compare
//! both shortcuts with a full check.

use super::*;
use catalog::model::{Located, Package};
use catalog::testing::package;
use proptest::prelude::*;
use std::cell::RefCell;
use std::sync::Arc;
use test_support::any_package_text as any_package;

/// Returns all findings for both states without shared blobs.
fn by_looking_at_all(old: &str, new: &str) -> Vec<Finding> {
    let all = |old: &Package, new: &Package, around: &CatalogContext<'_>| {
        check(
            &Context::new(&Pair::new(Some(old), Some(new)), around),
            ALL.iter(),
        )
    };
    let around = CatalogContext {
        ocp: Some((4, 19)),
        ..CatalogContext::default()
    };
    let before = all(&package(old), &package(old), &around.before());
    let is_known = |finding: &Finding| {
        before.iter().any(|was| {
            (was.invariant, &was.channel, &was.subject)
                == (finding.invariant, &finding.channel, &finding.subject)
        })
    };
    all(&package(old), &package(new), &around)
        .into_iter()
        .filter(|finding| !is_known(finding))
        .collect()
}

/// Shares the equal parts of both states, as an edit does.
fn share_equal_parts(old: &Package, mut new: Package) -> Package {
    fn share<T: PartialEq>(old: &[Located<T>], new: &mut [Located<T>]) {
        for blob in new {
            if let Some(same) = old.iter().find(|old| *old.data == *blob.data) {
                blob.data = same.data.clone();
            }
        }
    }
    share(&old.packages, &mut new.packages);
    share(&old.channels, &mut new.channels);
    share(&old.bundles, &mut new.bundles);
    share(&old.deprecations, &mut new.deprecations);
    new
}

/// Replaces one word of a package text.
fn replace_word(text: &str, at: usize, word: &str) -> String {
    let words: Vec<&str> = text.split_inclusive([' ', '\n']).collect();
    let Some(old) = words.get(at % words.len().max(1)) else {
        return text.to_owned();
    };
    // Keep the names of channels and entries, so that most bundles do not change.
    if !old.contains("r:") && !old.contains("s:") && !old.contains("sr:") {
        return text.to_owned();
    }
    let end = if old.trim_end().ends_with(';') {
        ";"
    } else {
        ""
    };
    let end = format!("{end}{}", &old[old.trim_end().len()..]);
    let at = at % words.len();
    words
        .iter()
        .enumerate()
        .map(|(i, old)| {
            if i == at {
                format!("{word}{end}")
            } else {
                (*old).to_owned()
            }
        })
        .collect()
}

proptest! {
    #[test]
    fn shortcuts_find_the_same_as_a_full_check(
        old in any_package(),
        other in any_package(),
        at in any::<usize>(),
        word in prop::sample::select(vec!["r:a", "r:e", "s:b", "s:f", "sr:<2.0.0", "sr:<9.0.0", "sr:bad"]),
    ) {
        for new in [replace_word(&old, at, word), other] {
            let naive = by_looking_at_all(&old, &new);
            let before = Arc::new(package(&old));
            let after = Arc::new(share_equal_parts(&before, package(&new)));
            let around = CatalogContext { ocp: Some((4, 19)), ..CatalogContext::default() };
            let edit = Pair::for_edit(Some(&before), Some(&after), &RefCell::default());
            prop_assert_eq!(&new_findings(&edit, &around), &naive, "{} -> {}", old, new);
            prop_assert_eq!(&new_findings(&Pair::new(Some(&before), Some(&after)), &around), &naive, "{} -> {}", old, new);
        }
    }
}
