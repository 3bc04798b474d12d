//! What a fresh install gets, without explanations.

use super::answer::{Installed, Lens, Options};
use super::candidates::flaw;
use super::index::UpgradeIndex;
use super::subscription::Subscription;
use super::v1;
use crate::version::Version;

impl UpgradeIndex {
    /// Classic: the first bundle for a subscription to `channel`; "" means any channel, the default
    /// one first. `None`: nothing can be installed.
    pub fn fresh_install(&self, lens: Lens, channel: &str) -> Option<Installed> {
        match lens {
            Lens::V0 => {
                let options = Options {
                    channels: vec![channel.to_owned()],
                    ..Options::default()
                };
                let subscription = Subscription::new(self, true, &options).ok()?;
                let next = subscription.choose(None).ok()??.successor(None)?;
                Some(Installed::new(next.name, next.version))
            }
            Lens::V1 => {
                let newest = v1::newest(self, &Options::default())?;
                flaw(newest)
                    .is_none()
                    .then(|| Installed::new(newest.name.clone(), newest.version_text.clone()))
            }
        }
    }

    /// Whether OLM v1 refuses the bundle that it chooses for a fresh install.
    pub fn refuses_fresh_install(&self) -> bool {
        v1::newest(self, &Options::default()).is_some_and(|newest| flaw(newest).is_some())
    }

    /// The installed bundle is the channel's head, or the result of a fresh install under v1.
    pub fn is_at_end(&self, lens: Lens, installed: &Installed, options: &Options) -> bool {
        let version = || Version::parse(&installed.version).ok();
        match lens {
            Lens::V0 => {
                let subscription = Subscription::new(self, false, options).ok();
                let head = subscription.as_ref().and_then(|of| of.listed.first());
                head.is_some_and(|head| head.entry.name == installed.name)
            }
            Lens::V1 => v1::newest(self, options).is_some_and(|newest| {
                let same = newest.version.as_ref().ok().zip(version());
                newest.name == installed.name
                    || same.is_some_and(|(a, b)| a.cmp_precedence(&b).is_eq())
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::package;
    use super::*;

    #[test]
    fn equals_the_explained_answer() {
        for text in [
            "c: b@2.0.0 r:a; a@1.0.0\nd: z@3.0.0",
            "c: b@2.0.0 r:a; a@1.0.0",
            "c: a@1.0.0; b@2.0.0",
            "c: b@2.0.0 r:a !required; a@1.0.0",
        ] {
            let index = UpgradeIndex::new(&package(text));
            for lens in [Lens::V0, Lens::V1] {
                let explained = index
                    .next(lens, None, &Options::default())
                    .next
                    .map(|next| next.name);
                assert_eq!(
                    index.fresh_install(lens, "").map(|found| found.name),
                    explained,
                    "{text} {lens:?}"
                );
            }
        }
        assert_eq!(UpgradeIndex::empty("p").fresh_install(Lens::V0, ""), None);
        assert_eq!(UpgradeIndex::empty("p").fresh_install(Lens::V1, ""), None);
    }
}
