//! Which numbers of a state are moved together, and from where.

use crate::Number;

/// Numbers of a state that are moved together, at least.
pub const BLOCK: usize = 4;

/// Numbers of a state that are moved together where there are so many: a cache line, or two of eight doubles.
pub const fn tile<T: Number>(states: usize) -> usize {
    if T::IS_DOUBLE { 2 * states } else { 16 }
}

/// Where the numbers of a state's row come from, by blocks of [`BLOCK`] numbers and by tiles.
///
/// A record of numbers is the first number of a block or tile, and for each of its numbers the bytes from
/// the first entry of the states side by side to its own.
#[derive(Debug, Default)]
pub struct Blocks {
    /// How many numbers a row has.
    length: usize,
    /// How many states are side by side, and the bytes of a number.
    of: (usize, usize),
    /// How many entries of the states side by side are read.
    entries: usize,
    /// The entry of each number; none, if these are the entries in order.
    order: Option<Box<[u32]>>,
    /// All numbers in blocks, by their first ones.
    all: Vec<u32>,
    /// Records of numbers that may differ from zero: blocks of what is in no tile, and tiles.
    numbers: [Vec<u32>; 2],
    /// The first ones of blocks that are zero in every state, likewise.
    zeros: [Vec<u32>; 2],
}

#[cfg_attr(not(target_arch = "x86_64"), expect(dead_code))]
impl Blocks {
    /// A row of these numbers for so many states side by side: the entry that each is, and whether that can
    /// differ from zero. There are no blocks of fewer numbers than a block has.
    pub fn new<T: Number>(numbers: &[(usize, bool)], states: usize) -> Self {
        let (length, tile) = (numbers.len(), tile::<T>(states));
        let in_order = numbers.iter().enumerate().all(|(k, (entry, _))| k == *entry);
        let mut blocks = Self {
            length,
            of: (states, size_of::<T>()),
            entries: numbers.iter().map(|(entry, _)| entry + 1).max().unwrap_or(0),
            order: (!in_order).then(|| numbers.iter().map(|(entry, _)| *entry as u32).collect()),
            all: begins(0, length).collect(),
            ..Self::default()
        };
        let bytes = states * size_of::<T>();
        assert!(u32::try_from(blocks.entries.max(length) * bytes).is_ok(), "records are of 32 bits");
        let in_tiles = length - length % tile;
        let tiles = (0..in_tiles).step_by(tile).map(|begin| (1, begin as u32, tile));
        for (kind, begin, size) in tiles.chain(begins(in_tiles, length).map(|begin| (0, begin, BLOCK))) {
            let some = &numbers[begin as usize..][..size];
            if some.iter().any(|(_, is_nonzero)| *is_nonzero) {
                blocks.numbers[kind].push(begin);
                blocks.numbers[kind].extend(some.iter().map(|(entry, _)| (entry * bytes) as u32));
            } else {
                blocks.zeros[kind].push(begin);
            }
        }
        blocks
    }

    /// All entries of so many, in order.
    pub fn in_order<T: Number>(length: usize, states: usize) -> Self {
        Self::new::<T>(&(0..length).map(|k| (k, true)).collect::<Vec<_>>(), states)
    }

    /// How many numbers a row has.
    pub fn length(&self) -> usize {
        self.length
    }

    /// The entry of a number.
    pub fn entry(&self, k: usize) -> usize {
        self.order.as_ref().map_or(k, |order| order[k] as usize)
    }

    /// All numbers in blocks, by their first ones, each below [`Self::length`] by a block.
    pub fn all(&self) -> &[u32] {
        &self.all
    }

    /// Records of blocks and of tiles that may differ from zero. Each block is within a row, and each entry
    /// within [`Self::entries`].
    pub fn numbers(&self) -> [&[u32]; 2] {
        self.numbers.each_ref().map(Vec::as_slice)
    }

    /// Blocks and tiles that are zero in every state, by their first ones. Each is within a row.
    pub fn zeros(&self) -> [&[u32]; 2] {
        self.zeros.each_ref().map(Vec::as_slice)
    }

    /// How many entries of the states side by side are read.
    pub fn entries(&self) -> usize {
        self.entries
    }

    /// Whether they are of so many states side by side, of this type of numbers.
    pub fn are_of<T: Number>(&self, states: usize) -> bool {
        self.of == (states, size_of::<T>())
    }
}

/// Where blocks of the numbers from here to there begin: the last one earlier, where they are no whole number
/// of blocks.
fn begins(from: usize, to: usize) -> impl Iterator<Item = u32> {
    let last = to.checked_sub(BLOCK);
    (from..to).step_by(BLOCK).filter_map(move |begin| Some(begin.min(last?) as u32))
}
