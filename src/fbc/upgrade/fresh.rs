//! What a fresh install gets, without explanations.

use super::answer::{Installed, Lens, Options};
use super::index::UpgradeIndex;
use super::subscription::Subscription;
use super::v1;

impl UpgradeIndex {
    /// Classic: subscribed to `channel`, or to any where that is "", the default one first. `None`: nothing can be installed.
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
                Some(Installed::new(
                    newest.name.clone(),
                    newest.version_text.clone(),
                ))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::package;
    use super::*;

    #[test]
    fn it_is_what_the_explained_answer_says() {
        for text in [
            "c: b@2.0.0 r:a; a@1.0.0\nd: z@3.0.0",
            "c: b@2.0.0 r:a; a@1.0.0",
            "c: a@1.0.0; b@2.0.0",
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
        assert_eq!(
            UpgradeIndex::of_nothing("p").fresh_install(Lens::V0, ""),
            None
        );
        assert_eq!(
            UpgradeIndex::of_nothing("p").fresh_install(Lens::V1, ""),
            None
        );
    }
}
