//! The order in which batches write results.

use crate::Number;
use crate::blocks::Blocks;
use std::sync::OnceLock;

/// A number that a batch writes: an entry, zero or one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// An entry of the result, by columns as [`Function::call`](crate::Function::call) gives it.
    Entry(usize),
    /// Zero.
    Zero,
    /// One.
    One,
}

/// The order of all results of a function. Zero and one are two entries more than a result has.
#[derive(Debug)]
pub struct Order {
    /// Entry of each number, for each result.
    results: Vec<Box<[u32]>>,
    /// Blocks by which lanes are unpacked in this order.
    blocks: OnceLock<Vec<Blocks>>,
}

/// Number of constants after a result's entries: zero and one.
pub const BESIDE: usize = 2;

impl Order {
    /// The order of results of these lengths, or what is wrong: a result and the entry that it has not.
    pub fn new(lengths: &[usize], places: &[Vec<Place>]) -> Result<Self, (usize, usize)> {
        let result = |(k, places): (usize, &Vec<Place>)| {
            let length = lengths[k];
            let entry = |place: &Place| match *place {
                Place::Entry(entry) if entry >= length => Err((k, entry)),
                Place::Entry(entry) => Ok(entry as u32),
                Place::Zero => Ok(length as u32),
                Place::One => Ok(length as u32 + 1),
            };
            places.iter().map(entry).collect()
        };
        let results = places.iter().enumerate().map(result).collect::<Result<_, _>>()?;
        Ok(Self { results, blocks: OnceLock::new() })
    }

    /// Length of a state's result, in numbers.
    pub fn length(&self, k: usize) -> usize {
        self.results[k].len()
    }

    /// Writes a result of one state in this order.
    pub fn write<T: Number>(&self, k: usize, from: &[T], to: &mut [T]) {
        for (to, entry) in to.iter_mut().zip(&*self.results[k]) {
            let entry = *entry as usize;
            *to = from.get(entry).copied().unwrap_or_else(|| beside(entry - from.len()));
        }
    }

    /// Blocks for this many states side by side, of results whose entries can differ from zero or not.
    pub fn blocks<T: Number>(&self, is_nonzero: &[Vec<bool>], states: usize) -> &[Blocks] {
        let of = |(entries, is_nonzero): (&[u32], &Vec<bool>)| {
            let is_one = |entry: usize| entry > is_nonzero.len();
            let can_differ = |entry: usize| is_nonzero.get(entry).copied().unwrap_or(is_one(entry));
            let numbers = entries.iter().map(|entry| *entry as usize);
            let numbers: Vec<_> = numbers.map(|entry| (entry, can_differ(entry))).collect();
            Blocks::new::<T>(&numbers, states)
        };
        self.blocks
            .get_or_init(|| self.results.iter().map(|entries| &**entries).zip(is_nonzero).map(of).collect())
    }
}

/// Constant at index `k` after a result's entries: zero or one.
pub fn beside<T: Number>(k: usize) -> T {
    if k == 0 { T::zero() } else { T::one() }
}
