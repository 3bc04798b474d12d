//! Evaluates a comparator for a version: the truth table of `olm-resolution` 1.3.3.

use super::super::semantic::Version;
use super::parse::{Comparator, Operator, Precision};
use std::cmp::Ordering;

impl Comparator {
    /// Ignores the prerelease gate, which belongs to the group.
    pub(super) fn holds(&self, version: &Version) -> bool {
        match self.operator {
            Operator::Equal if self.precision == Precision::Full => {
                self.order(version) == Ordering::Equal
            }
            Operator::Equal | Operator::Tilde => self.tilde(version),
            Operator::NotEqual => self.not_equal(version),
            Operator::Greater => self.greater(version),
            Operator::GreaterOrEqual => self.order(version) != Ordering::Less,
            Operator::Less => self.order(version) == Ordering::Less,
            Operator::LessOrEqual => self.less_or_equal(version),
            Operator::Caret => self.caret(version),
        }
    }

    /// The order of `version` relative to the comparator's version, with missing parts as 0.
    fn order(&self, version: &Version) -> Ordering {
        let numbers = (version.major(), version.minor(), version.patch());
        numbers
            .cmp(&(self.major, self.minor, self.patch))
            .then_with(|| compare_prereleases(version.prerelease(), &self.prerelease))
    }

    fn same_major(&self, version: &Version) -> bool {
        version.major() == self.major
    }

    fn same_minor(&self, version: &Version) -> bool {
        self.same_major(version) && version.minor() == self.minor
    }

    fn not_equal(&self, version: &Version) -> bool {
        match self.precision {
            Precision::Full | Precision::Any => self.order(version) != Ordering::Equal,
            Precision::Minor => !self.same_major(version),
            Precision::Patch => {
                !self.same_minor(version) || version.prerelease() != self.prerelease
            }
        }
    }

    fn greater(&self, version: &Version) -> bool {
        match self.precision {
            Precision::Full | Precision::Any => self.order(version) == Ordering::Greater,
            Precision::Minor => version.major() > self.major,
            Precision::Patch => (version.major(), version.minor()) > (self.major, self.minor),
        }
    }

    /// `<=*` only holds for 0.0.z: the reference treats the filled-in zeros as written.
    fn less_or_equal(&self, version: &Version) -> bool {
        match self.precision {
            Precision::Full => self.order(version) != Ordering::Greater,
            Precision::Minor => version.major() <= self.major,
            Precision::Patch | Precision::Any => {
                (version.major(), version.minor()) <= (self.major, self.minor)
            }
        }
    }

    fn tilde(&self, version: &Version) -> bool {
        if self.order(version) == Ordering::Less {
            return false;
        }
        let zero = (self.major, self.minor, self.patch) == (0, 0, 0);
        match self.precision {
            Precision::Full | Precision::Any if zero => true,
            Precision::Minor => self.same_major(version),
            _ => self.same_minor(version),
        }
    }

    /// `^*` only holds for 0.0.0, for the same reason.
    fn caret(&self, version: &Version) -> bool {
        if self.order(version) == Ordering::Less || !self.same_major(version) {
            return false;
        }
        if self.major > 0 || self.precision == Precision::Minor {
            return true;
        }
        if version.minor() != self.minor {
            return false;
        }
        self.minor > 0 || self.precision == Precision::Patch || version.patch() == self.patch
    }
}

/// Compares like the reference: a numeric identifier beyond u64 counts as text.
fn compare_prereleases(a: &str, b: &str) -> Ordering {
    if a.is_empty() || b.is_empty() {
        return a.is_empty().cmp(&b.is_empty());
    }
    let key = |identifier: &str| {
        identifier
            .parse::<u64>()
            .map_or((1, 0), |number| (0, number))
    };
    let mut left = a.split('.');
    let mut right = b.split('.');
    loop {
        match (left.next(), right.next()) {
            (None, None) => return Ordering::Equal,
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (Some(l), Some(r)) => {
                let order = key(l).cmp(&key(r)).then_with(|| l.cmp(r));
                if order != Ordering::Equal {
                    return order;
                }
            }
        }
    }
}
