//! Who gets which piece, and the order of the results: no threads, no messages.

use std::collections::VecDeque;
use std::time::Duration;

use crate::task::Task;

/// A piece of work as it travels: the bytes of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece(pub(crate) Vec<u8>);

impl From<&Task<'_>> for Piece {
    fn from(task: &Task<'_>) -> Self {
        Piece(task.encode())
    }
}

/// What there is to do next. `T` is what the result is given back with.
#[derive(Debug)]
pub enum Next<T> {
    /// A piece of work.
    Piece(T, Piece),
    /// Something that needs no work and is given back in its turn.
    Pass(T),
    /// Nothing yet.
    Later,
    /// Nothing any more.
    End,
}

/// The fewest pieces that a rank has at once: one in work and one that waits.
const LEAST: usize = 2;
/// The most pieces that a rank has at once.
const MOST: usize = 32;

/// What is known of a rank.
#[derive(Clone, Debug, Default)]
struct Hand {
    /// How many pieces it has.
    has: usize,
    /// The shortest round trip of a short message.
    round_trip: Duration,
    /// What a piece took lately.
    piece: Duration,
}

impl Hand {
    /// How many pieces it should have. A result and the next piece are a round trip apart for a short message, and three
    /// for one that is announced before it is sent.
    fn depth(&self) -> usize {
        let piece = self.piece.as_nanos().max(1);
        let behind = (3 * self.round_trip.as_nanos()).div_ceil(piece);
        // While no piece has come back nothing is known, and one more than the least does no harm.
        let behind = if self.piece.is_zero() { 2 } else { usize::try_from(behind).unwrap_or(MOST) };
        (1 + behind).clamp(LEAST, MOST)
    }
}

/// Pieces that are under way, in the order of the inputs.
#[derive(Debug)]
pub(crate) struct Farm<T> {
    hands: Vec<Hand>,
    slots: VecDeque<Slot<T>>,
    /// The number of the first slot.
    first: u64,
}

#[derive(Debug)]
struct Slot<T> {
    token: T,
    state: State,
}

#[derive(Debug)]
enum State {
    /// That rank has it.
    Out(usize),
    /// It can be given back.
    Back(Option<Result>),
}

/// What has come of a piece: the rank that has done it, and the bytes; nothing where there was no work.
type Result = (usize, Vec<u8>);

impl<T> Farm<T> {
    pub(crate) fn new(ranks: usize) -> Self {
        Farm { hands: vec![Hand::default(); ranks], slots: VecDeque::new(), first: 0 }
    }

    /// Notes the shortest round trip to a rank.
    pub(crate) fn round_trip(&mut self, rank: usize, time: Duration) {
        self.hands[rank].round_trip = time;
    }

    /// The rank for the next piece: the one with the fewest of those that want one. None where enough is under way; results
    /// that wait for an earlier one count too, so that the memory is bounded whoever is slow.
    pub(crate) fn wants(&self) -> Option<usize> {
        if !self.has_room() {
            return None;
        }
        let free = self.hands.iter().enumerate().filter(|(_, hand)| hand.has < hand.depth());
        free.min_by_key(|(_, hand)| hand.has).map(|(rank, _)| rank)
    }

    /// Whether more may be under way.
    fn has_room(&self) -> bool {
        self.slots.len() < self.hands.iter().map(|hand| 2 * hand.depth()).sum()
    }

    /// Notes a piece that goes to a rank, and gives its number.
    pub(crate) fn give(&mut self, rank: usize, token: T) -> u64 {
        self.hands[rank].has += 1;
        self.slots.push_back(Slot { token, state: State::Out(rank) });
        self.first + self.slots.len() as u64 - 1
    }

    /// Notes what needs no work.
    pub(crate) fn pass(&mut self, token: T) {
        self.slots.push_back(Slot { token, state: State::Back(None) });
    }

    /// Takes the result of a piece from the rank that had it; `false` where that rank has no such piece.
    pub(crate) fn back(&mut self, rank: usize, id: u64, took: Duration, result: Vec<u8>) -> bool {
        let at = id.checked_sub(self.first).and_then(|at| usize::try_from(at).ok());
        match at.and_then(|at| self.slots.get_mut(at)) {
            Some(slot) if matches!(slot.state, State::Out(owner) if owner == rank) => {
                slot.state = State::Back(Some((rank, result)));
                self.hands[rank].has -= 1;
                self.hands[rank].piece = took;
                true
            }
            _ => false,
        }
    }

    /// Takes what comes next in the order of the inputs, if it is there.
    pub(crate) fn ready(&mut self) -> Option<(T, Option<Result>)> {
        match self.slots.pop_front()? {
            Slot { token, state: State::Back(result) } => {
                self.first += 1;
                Some((token, result))
            }
            slot => {
                self.slots.push_front(slot);
                None
            }
        }
    }

    /// What is done, where the rest never will be.
    pub(crate) fn rest(self) -> impl Iterator<Item = (T, Option<Result>)> {
        self.slots.into_iter().filter_map(|slot| match slot.state {
            State::Back(result) => Some((slot.token, result)),
            State::Out(_) => None,
        })
    }

    /// Whether nothing is under way.
    pub(crate) fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn results_come_in_the_order_of_the_inputs() {
        let mut farm = Farm::new(2);
        let first = farm.give(0, "a");
        farm.pass("b");
        let third = farm.give(1, "c");
        assert!(farm.back(1, third, MS, vec![3]));
        assert_eq!(farm.ready(), None, "the first is still out");
        assert!(farm.back(0, first, MS, vec![1]));
        assert_eq!(farm.ready(), Some(("a", Some((0, vec![1])))));
        assert_eq!(farm.ready(), Some(("b", None)));
        assert_eq!(farm.ready(), Some(("c", Some((1, vec![3])))));
        assert!(farm.is_empty() && farm.ready().is_none());
    }

    #[test]
    fn what_is_done_is_not_lost() {
        let mut farm = Farm::new(2);
        farm.give(0, "never");
        let second = farm.give(1, "done");
        farm.pass("nothing to do");
        assert!(farm.back(1, second, MS, vec![2]));
        let rest: Vec<_> = farm.rest().collect();
        assert_eq!(rest, [("done", Some((1, vec![2]))), ("nothing to do", None)]);
    }

    #[test]
    fn nobody_gives_back_what_it_has_not() {
        let mut farm = Farm::new(2);
        let id = farm.give(0, ());
        assert!(!farm.back(1, id, MS, vec![]), "another rank has it");
        assert!(!farm.back(0, id + 1, MS, vec![]), "there is no such piece");
        assert!(farm.back(0, id, MS, vec![]));
        assert!(!farm.back(0, id, MS, vec![]), "it is back already");
        farm.ready();
        assert!(!farm.back(0, id, MS, vec![]), "it is long gone");
    }

    #[test]
    fn ranks_get_pieces_in_turn_and_the_memory_is_bounded() {
        let mut farm = Farm::new(3);
        let mut given = vec![];
        while let Some(rank) = farm.wants() {
            given.push((rank, farm.give(rank, ())));
        }
        assert_eq!(given[..4].iter().map(|(rank, _)| *rank).collect::<Vec<_>>(), [0, 1, 2, 0]);
        // The first piece hangs; the others are done again and again.
        let mut back = given.len();
        for (rank, id) in given.into_iter().skip(1) {
            assert!(farm.back(rank, id, MS, vec![]));
        }
        while let Some(rank) = farm.wants() {
            let id = farm.give(rank, ());
            assert!(farm.back(rank, id, MS, vec![]));
            back += 1;
            assert!(back < 100, "without bound");
        }
        assert_eq!(farm.ready(), None);
    }

    #[test]
    fn far_ranks_get_more() {
        let depth = |round_trip, piece| Hand { has: 0, round_trip, piece }.depth();
        assert_eq!(depth(Duration::from_micros(50), 60 * MS), 2);
        assert_eq!(depth(40 * MS, 60 * MS), 3);
        assert_eq!(depth(40 * MS, 10 * MS), 13);
        assert_eq!(depth(40 * MS, MS), MOST);
        assert_eq!(depth(Duration::ZERO, Duration::ZERO), 3);
    }
}
