//! How much is tried: what a commit waits for, or everything.

/// How much is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Depth {
    /// The checks that a commit waits for.
    Commit,
    /// What a release needs: everything of which a commit tries a sample.
    Release,
}

impl Depth {
    /// What the tests read of how much they try.
    pub(crate) fn env(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let env: &[(&str, &str)] = match self {
            // The same trees each time; what is new is looked for before a release.
            Depth::Commit => &[("SWITCHYARD_PARITY_SEED", "20261123")],
            Depth::Release => &[
                ("SWITCHYARD_PASSING", "all"),
                ("SWITCHYARD_PATCHES", "all"),
                ("SWITCHYARD_CASES", "20000"),
                ("SWITCHYARD_KILLS", "100"),
                ("SWITCHYARD_LAW_RUNS", "25"),
                ("SWITCHYARD_LAW_ACTS", "40"),
            ],
        };
        env.iter().copied()
    }

    pub(crate) fn mutants(self) -> &'static str {
        match self {
            Depth::Commit => "4000",
            Depth::Release => "100000",
        }
    }

    pub(crate) fn edits(self) -> &'static str {
        match self {
            Depth::Commit => "300",
            Depth::Release => "10000",
        }
    }
}
