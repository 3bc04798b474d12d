//! The result of a fresh install before and after, under each lens.

use super::Pair;
use super::users::is_lower;
use crate::model::Package;
use crate::place::Text;
use crate::upgrade::{Installed, Lens, UpgradeIndex};

/// A fresh install under one lens. `None`: nothing can be installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FreshInstall {
    pub lens: Lens,
    /// Classic: New's default channel, or Old's if New has none; "" if neither has one. Under v1
    /// "".
    pub channel: Text,
    pub old: Option<Installed>,
    pub new: Option<Installed>,
    /// Whether OLM v1 refuses the chosen bundle, in Old and in New.
    pub refused: [bool; 2],
}

impl FreshInstall {
    pub fn is_same(&self) -> bool {
        self.old == self.new && self.refused[0] == self.refused[1]
    }

    /// A lower version is installed, or nothing any more.
    pub fn is_worse(&self) -> bool {
        match (&self.old, &self.new) {
            (Some(old), Some(new)) => is_lower(&new.version, &old.version),
            (Some(_), None) => true,
            (None, _) => false,
        }
    }
}

impl Pair<'_> {
    /// Classic with each state's own default channel, then v1.
    pub fn fresh_installs(&self) -> Vec<FreshInstall> {
        let default =
            |package: Option<&Package>| Text::from(package.map_or("", Package::default_channel));
        let (was, is) = (default(self.old), default(self.new));
        let of = |lens, index: &UpgradeIndex, channel: &str| index.fresh_install(lens, channel);
        let lens = |lens, old: &str, new: &str, channel: Text| FreshInstall {
            lens,
            channel,
            old: of(lens, &self.old_index, old),
            new: of(lens, &self.new_index, new),
            refused: [&self.old_index, &self.new_index]
                .map(|index| lens == Lens::V1 && index.refuses_fresh_install()),
        };
        let channel = if is.is_empty() {
            was.clone()
        } else {
            is.clone()
        };
        vec![
            lens(Lens::V0, &was, &is, channel),
            lens(Lens::V1, "", "", Text::default()),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::super::Pair;
    use super::*;
    use crate::upgrade::testing::package;

    #[test]
    fn another_default_channel_changes_what_is_installed() {
        let (old, new) = (
            package("c: b@2.0.0 r:a; a@1.0.0\nd: a@1.0.0"),
            package("d: a@1.0.0\nc: b@2.0.0 r:a; a@1.0.0"),
        );
        let found = Pair::new(Some(&old), Some(&new)).fresh_installs();
        let name = |installed: &Option<Installed>| installed.as_ref().map(|i| i.name.to_string());
        assert_eq!(
            (name(&found[0].old), name(&found[0].new)),
            (Some("b".to_owned()), Some("a".to_owned()))
        );
        assert!(found[0].is_worse() && &*found[0].channel == "d");
        assert!(
            found[1].is_same(),
            "OLM v1 takes the highest version of all channels"
        );
        let gone = Pair::new(Some(&old), None).fresh_installs();
        assert!(gone.iter().all(FreshInstall::is_worse));
        let comes = Pair::new(None, Some(&old)).fresh_installs();
        assert!(
            comes
                .iter()
                .all(|fresh| !fresh.is_worse() && !fresh.is_same())
        );
    }
}
