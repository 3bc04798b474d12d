//! Which indexer gets which file. Pure: it deals numbers, the host carries the files.
//!
//! Largest first, a few in flight with each indexer, so that reading and indexing overlap and none ends up with the one
//! large file. A file that was with an indexer when it died is a suspect: it is tried once more, alone, so that the
//! next death names it. Such a file is never given to the host itself, which must not die of it.

use std::collections::BTreeMap;

/// More files in flight gain nothing (each is one stream and one buffer).
pub const IN_FLIGHT: usize = 4;

/// Files yet to be indexed, and who has which.
#[derive(Debug, Default)]
pub struct Dealer {
    /// Smallest first: dealt from the end.
    waiting: Vec<u32>,
    suspects: Vec<u32>,
    hands: BTreeMap<u32, Hand>,
}

#[derive(Debug, Default)]
struct Hand {
    files: Vec<u32>,
    /// It tries a suspect and gets nothing else meanwhile.
    alone: bool,
}

impl Dealer {
    /// Files by number, with their sizes.
    pub fn new(files: impl IntoIterator<Item = (u32, u64)>) -> Self {
        let mut files: Vec<_> = files.into_iter().collect();
        files.sort_by_key(|&(number, size)| (size, std::cmp::Reverse(number)));
        Self { waiting: files.into_iter().map(|(number, _)| number).collect(), ..Self::default() }
    }

    pub fn add_indexer(&mut self, indexer: u32) {
        self.hands.entry(indexer).or_default();
    }

    pub fn has_indexers(&self) -> bool {
        !self.hands.is_empty()
    }

    /// What is to be sent now: indexer and file.
    pub fn deal(&mut self) -> Vec<(u32, u32)> {
        let mut dealt = Vec::new();
        for (&indexer, hand) in &mut self.hands {
            if hand.files.is_empty()
                && let Some(suspect) = self.suspects.pop()
            {
                hand.alone = true;
                hand.files.push(suspect);
                dealt.push((indexer, suspect));
            }
        }
        // Round by round, so that the large ones are spread.
        for round in 0..IN_FLIGHT {
            for (&indexer, hand) in &mut self.hands {
                if hand.files.len() == round
                    && !hand.alone
                    && let Some(file) = self.waiting.pop()
                {
                    hand.files.push(file);
                    dealt.push((indexer, file));
                }
            }
        }
        dealt
    }

    /// An indexer is through with a file. False for a file that it does not have.
    pub fn done(&mut self, indexer: u32, file: u32) -> bool {
        let Some(hand) = self.hands.get_mut(&indexer) else { return false };
        let Some(at) = hand.files.iter().position(|&held| held == file) else { return false };
        hand.files.remove(at);
        hand.alone = false;
        true
    }

    /// An indexer died. The answer is the file that killed it, if that is known now; it is not dealt again.
    pub fn lost(&mut self, indexer: u32) -> Option<u32> {
        let hand = self.hands.remove(&indexer)?;
        if hand.alone {
            return hand.files.first().copied();
        }
        self.suspects.extend(hand.files);
        None
    }

    /// There are no indexers any more: what the host may index itself, and what it must not.
    pub fn take_over(&mut self) -> (Vec<u32>, Vec<u32>) {
        self.hands.clear();
        let mut waiting = std::mem::take(&mut self.waiting);
        waiting.reverse();
        (waiting, std::mem::take(&mut self.suspects))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(dealt: &[(u32, u32)], indexer: u32) -> Vec<u32> {
        dealt.iter().filter(|(to, _)| *to == indexer).map(|(_, file)| *file).collect()
    }

    fn dealer(sizes: &[u64], indexers: u32) -> Dealer {
        let mut dealer = Dealer::new(sizes.iter().enumerate().map(|(number, &size)| (number as u32, size)));
        for indexer in 0..indexers {
            dealer.add_indexer(indexer);
        }
        dealer
    }

    #[test]
    fn the_largest_go_first_and_are_spread() {
        let mut dealer = dealer(&[1, 90, 5, 80, 70, 60, 50, 40, 30, 2], 2);
        let dealt = dealer.deal();
        assert_eq!(of(&dealt, 0), [1, 4, 6, 8]);
        assert_eq!(of(&dealt, 1), [3, 5, 7, 2]);
        assert!(dealer.deal().is_empty());
        assert!(dealer.done(1, 5));
        assert!(!dealer.done(1, 5), "only once");
        assert_eq!(dealer.deal(), [(1, 9)]);
    }

    #[test]
    fn a_file_that_kills_twice_is_named_and_all_others_are_done() {
        let deadly = 3;
        let mut dealer = dealer(&[10, 20, 30, 40, 50, 60], 2);
        let (mut done, mut named, mut next_indexer) = (Vec::new(), Vec::new(), 2);
        loop {
            let dealt = dealer.deal();
            if dealt.is_empty() {
                break;
            }
            let mut dead = None;
            for (indexer, file) in dealt {
                if Some(indexer) == dead {
                    continue;
                }
                if file == deadly {
                    named.extend(dealer.lost(indexer));
                    dealer.add_indexer(next_indexer);
                    next_indexer += 1;
                    dead = Some(indexer);
                } else if dealer.done(indexer, file) {
                    done.push(file);
                }
            }
        }
        done.sort_unstable();
        assert_eq!(named, [deadly]);
        assert_eq!(done, [0, 1, 2, 4, 5]);
    }

    #[test]
    fn the_host_takes_over_what_is_not_suspect() {
        let mut dealer = dealer(&[9, 8, 7, 6, 5, 4], 1);
        dealer.deal();
        assert_eq!(dealer.lost(0), None);
        assert!(!dealer.has_indexers());
        assert_eq!(dealer.take_over(), (vec![4, 5], vec![0, 1, 2, 3]));
    }
}
