//! The lenses that a finding applies to: the qualifier that checks write into messages and that
//! `grouped_finding` extracts again.

/// The lenses that a finding applies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub(super) struct AffectedLenses {
    pub classic: bool,
    pub v1: bool,
    /// Under OLM v1 only if the ClusterExtension allows this channel alone.
    pub is_one_channel: bool,
}

/// All qualifiers; none contains a later one.
const WORDS: [(AffectedLenses, &str); 5] = [
    (
        new(true, true, true),
        "under Classic, and under OLM v1 if only this channel is allowed",
    ),
    (
        new(false, true, true),
        "under OLM v1 if only this channel is allowed",
    ),
    (new(true, true, false), "under Classic and OLM v1"),
    (new(true, false, false), "under Classic"),
    (new(false, true, false), "under OLM v1"),
];

const fn new(classic: bool, v1: bool, is_one_channel: bool) -> AffectedLenses {
    AffectedLenses {
        classic,
        v1,
        is_one_channel,
    }
}

impl AffectedLenses {
    pub const CLASSIC: Self = new(true, false, false);
    pub const V1: Self = new(false, true, false);
    pub const BOTH: Self = new(true, true, false);

    /// OLM v1, with all channels or with a single one.
    pub fn v1(is_one_channel: bool) -> Self {
        new(false, true, is_one_channel)
    }

    /// "" for no lens.
    pub fn qualifier(self) -> &'static str {
        let wanted = Self {
            is_one_channel: self.is_one_channel && self.v1,
            ..self
        };
        WORDS
            .iter()
            .find(|(under, _)| *under == wanted)
            .map_or("", |(_, text)| text)
    }

    /// Extracts the qualifier of a message, with its text.
    pub fn in_message(message: &str) -> Option<(Self, &'static str)> {
        WORDS
            .iter()
            .find(|(_, text)| message.contains(text))
            .map(|(under, text)| (*under, *text))
    }

    /// The union. A finding with all channels also holds with one.
    pub fn and(self, other: Self) -> Self {
        let is_wide = |of: Self| of.v1 && !of.is_one_channel;
        Self {
            classic: self.classic || other.classic,
            v1: self.v1 || other.v1,
            is_one_channel: (self.v1 || other.v1) && !is_wide(self) && !is_wide(other),
        }
    }

    /// Whether `self` includes `other`.
    pub fn covers(self, other: Self) -> bool {
        let v1 = !other.v1 || (self.v1 && (!self.is_one_channel || other.is_one_channel));
        (self.classic || !other.classic) && v1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn qualifiers_are_extracted_from_messages() {
        for (under, text) in WORDS {
            assert_eq!(under.qualifier(), text);
            assert_eq!(
                AffectedLenses::in_message(&format!("whoever runs `a` gets nothing {text}; b")),
                Some((under, text))
            );
        }
        assert_eq!(AffectedLenses::in_message("`a` is gone"), None);
        assert_eq!(AffectedLenses::default().qualifier(), "");
    }

    #[test]
    fn one_channel_is_less_than_all() {
        let one = AffectedLenses::v1(true);
        assert_eq!(one.and(AffectedLenses::V1), AffectedLenses::V1);
        assert_eq!(one.and(AffectedLenses::CLASSIC).qualifier(), WORDS[0].1);
        assert!(
            AffectedLenses::V1.covers(one)
                && !one.covers(AffectedLenses::V1)
                && !AffectedLenses::CLASSIC.covers(one)
        );
        assert!(
            AffectedLenses::BOTH.covers(AffectedLenses::CLASSIC)
                && AffectedLenses::BOTH.covers(AffectedLenses::BOTH)
        );
    }
}
