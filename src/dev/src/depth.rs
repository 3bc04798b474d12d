//! The number of cases per check: for a commit, or for a release.

use std::time::{SystemTime, UNIX_EPOCH};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Depth {
    /// The same cases each time.
    Commit,
    /// Everything, with cases drawn from this seed.
    Release { seed: u32 },
}

/// The seed of a commit's cases, which `.cargo/config.toml` sets for everything that cargo starts.
const COMMIT_SEED: &str = "20261121";
/// The variable that proptest reads.
const PROPTEST_VARIABLE: &str = "PROPTEST_RNG_SEED";
/// The variables that our own tests and journeys read.
const OUR_VARIABLES: [&str; 2] = ["SWITCHYARD_SEED", "SWITCHYARD_PARITY_SEED"];

impl Depth {
    /// A release run with a fresh seed, unless a variable sets one.
    pub(crate) fn release() -> Self {
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |now| now.as_millis());
        Self::release_with((now % 1_000_000_000) as u32, |name| {
            std::env::var(name).ok()
        })
    }

    fn release_with(fresh: u32, set: impl Fn(&str) -> Option<String>) -> Self {
        let seed = OUR_VARIABLES
            .iter()
            .chain([&PROPTEST_VARIABLE])
            .filter_map(|name| set(name))
            .find(|seed| seed != COMMIT_SEED);
        Self::Release {
            seed: seed.and_then(|seed| seed.parse().ok()).unwrap_or(fresh),
        }
    }

    pub(crate) fn is_release(self) -> bool {
        matches!(self, Self::Release { .. })
    }

    /// The variables that set the number of cases for tests.
    pub(crate) fn env(self) -> Vec<(&'static str, String)> {
        let var = |name, value: &str| (name, value.to_owned());
        match self {
            Depth::Commit => vec![var("SWITCHYARD_PARITY_SEED", "20261123")],
            Depth::Release { seed } => {
                let seeds = OUR_VARIABLES
                    .into_iter()
                    .chain([PROPTEST_VARIABLE])
                    .map(|name| (name, seed.to_string()));
                let mut env: Vec<_> = seeds.collect();
                env.extend([
                    var("SWITCHYARD_PASSING", "all"),
                    var("SWITCHYARD_PATCHES", "all"),
                    var("SWITCHYARD_CASES", "20000"),
                    var("SWITCHYARD_KILLS", "100"),
                    var("SWITCHYARD_LAW_RUNS", "25"),
                    var("SWITCHYARD_LAW_ACTS", "40"),
                ]);
                env
            }
        }
    }

    /// How to repeat a run with the same cases; `None` if they never vary.
    pub(crate) fn repeat_hint(self) -> Option<String> {
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
    use super::{COMMIT_SEED, Depth};

    #[test]
    fn a_release_uses_a_fresh_seed() {
        let seed_of = |name: &str| {
            let set = move |variable: &str| match variable {
                "PROPTEST_RNG_SEED" => Some(COMMIT_SEED.to_owned()),
                variable => (variable == name).then(|| "77".to_owned()),
            };
            Depth::release_with(5, set)
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
        assert_ne!(Depth::release(), Depth::release_with(5, |_| None));
        assert!(Depth::release().repeat_hint().is_some() && Depth::Commit.repeat_hint().is_none());
    }

    #[test]
    fn the_seed_of_commits_is_that_of_the_configuration() {
        let config =
            std::fs::read_to_string(crate::tools::project().join(".cargo/config.toml")).unwrap();
        assert!(
            config.contains(&format!("PROPTEST_RNG_SEED = \"{COMMIT_SEED}\"")),
            "{config}"
        );
    }
}
