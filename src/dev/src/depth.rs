//! How much is tried: what a commit waits for, or everything.

use std::time::{SystemTime, UNIX_EPOCH};

/// How much is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Depth {
    /// The checks that a commit waits for: the same cases each time.
    Commit,
    /// What a release needs: everything of which a commit tries a sample, with cases drawn from this seed.
    Release { seed: u32 },
}

/// What cases of a commit are drawn from. `.cargo/config.toml` sets it in the environment of whatever cargo starts, this
/// program too.
const OF_COMMITS: &str = "20261121";
/// The variable that proptest reads.
const OF_PROPTEST: &str = "PROPTEST_RNG_SEED";
/// Those that our own tests and journeys read.
const OF_OURS: [&str; 2] = ["SWITCHYARD_SEED", "SWITCHYARD_PARITY_SEED"];

impl Depth {
    /// The run of a release, with a seed that no run had before; one that somebody set goes before it.
    pub(crate) fn release() -> Self {
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |now| now.as_millis());
        Self::of_release((now % 1_000_000_000) as u32, |name| {
            std::env::var(name).ok()
        })
    }

    fn of_release(fresh: u32, set: impl Fn(&str) -> Option<String>) -> Self {
        let asked = OF_OURS
            .iter()
            .chain([&OF_PROPTEST])
            .filter_map(|name| set(name))
            .find(|seed| seed != OF_COMMITS);
        Self::Release {
            seed: asked.and_then(|seed| seed.parse().ok()).unwrap_or(fresh),
        }
    }

    pub(crate) fn is_release(self) -> bool {
        matches!(self, Self::Release { .. })
    }

    /// What the tests read of how much they try.
    pub(crate) fn env(self) -> Vec<(&'static str, String)> {
        let of = |name, value: &str| (name, value.to_owned());
        match self {
            // The same trees each time; what is new is looked for before a release.
            Depth::Commit => vec![of("SWITCHYARD_PARITY_SEED", "20261123")],
            Depth::Release { seed } => {
                let seeds = OF_OURS
                    .into_iter()
                    .chain([OF_PROPTEST])
                    .map(|name| (name, seed.to_string()));
                let mut env: Vec<_> = seeds.collect();
                env.extend([
                    of("SWITCHYARD_PASSING", "all"),
                    of("SWITCHYARD_PATCHES", "all"),
                    of("SWITCHYARD_CASES", "20000"),
                    of("SWITCHYARD_KILLS", "100"),
                    of("SWITCHYARD_LAW_RUNS", "25"),
                    of("SWITCHYARD_LAW_ACTS", "40"),
                ]);
                env
            }
        }
    }

    /// How the same cases are drawn again; `None` where they always are.
    pub(crate) fn again(self) -> Option<String> {
        match self {
            Depth::Commit => None,
            Depth::Release { seed } => Some(format!(
                "cases were drawn from the seed {seed}; SWITCHYARD_SEED={seed} draws them again"
            )),
        }
    }

    pub(crate) fn mutants(self) -> &'static str {
        if self.is_release() { "100000" } else { "4000" }
    }

    pub(crate) fn edits(self) -> &'static str {
        if self.is_release() { "10000" } else { "300" }
    }
}

#[cfg(test)]
mod tests {
    use super::{Depth, OF_COMMITS};

    #[test]
    fn a_release_draws_what_no_commit_did() {
        let seed_of = |name: &str| {
            let set = move |asked: &str| match asked {
                "PROPTEST_RNG_SEED" => Some(OF_COMMITS.to_owned()),
                asked => (asked == name).then(|| "77".to_owned()),
            };
            Depth::of_release(5, set)
        };
        assert_eq!(seed_of(""), Depth::Release { seed: 5 });
        assert_eq!(seed_of("SWITCHYARD_SEED"), Depth::Release { seed: 77 });
        for name in [
            "PROPTEST_RNG_SEED",
            "SWITCHYARD_SEED",
            "SWITCHYARD_PARITY_SEED",
        ] {
            let env = seed_of("").env();
            assert!(env.contains(&(name, "5".to_owned())), "{name}: {env:?}");
        }
        assert_ne!(Depth::release(), Depth::of_release(5, |_| None));
        assert!(Depth::release().again().is_some() && Depth::Commit.again().is_none());
    }

    #[test]
    fn the_seed_of_commits_is_that_of_the_configuration() {
        let config =
            std::fs::read_to_string(crate::tools::project().join(".cargo/config.toml")).unwrap();
        assert!(
            config.contains(&format!("PROPTEST_RNG_SEED = \"{OF_COMMITS}\"")),
            "{config}"
        );
    }
}
