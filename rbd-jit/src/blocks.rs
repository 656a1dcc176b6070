//! Blocks of a state's numbers that are moved together, and the entries that they come from.

use crate::Number;

/// Numbers of a state that are moved together, at least.
pub const BLOCK: usize = 4;

/// Length of a tile, whose numbers are moved together: a cache line, or two of eight doubles.
pub const fn tile<T: Number>(states: usize) -> usize {
    if T::IS_DOUBLE { 2 * states } else { 16 }
}

/// Sources of the numbers of a state's row, by blocks of [`BLOCK`] numbers and by tiles.
///
/// A record of numbers is the first number of a block or tile, and for each of its numbers the bytes from
/// the first entry of the states side by side to its own.
#[derive(Debug, Default)]
pub struct Blocks {
    /// Length of a row, in numbers.
    length: usize,
    /// Number of states side by side, and number of bytes of a number.
    of: (usize, usize),
    /// Number of entries read of the states side by side.
    entries: usize,
    /// Entry of each number; `None` if the numbers are the entries in order.
    order: Option<Box<[u32]>>,
    /// All numbers in blocks, by their first ones.
    all: Vec<u32>,
    /// Records of numbers that may differ from zero: blocks outside of tiles, and tiles.
    numbers: [Vec<u32>; 2],
    /// First numbers of blocks and of tiles that are zero in every state.
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

    /// Blocks of a row of `length` entries, in order.
    pub fn in_order<T: Number>(length: usize, states: usize) -> Self {
        Self::new::<T>(&(0..length).map(|k| (k, true)).collect::<Vec<_>>(), states)
    }

    /// Length of a row, in numbers.
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

    /// Number of entries read of the states side by side.
    pub fn entries(&self) -> usize {
        self.entries
    }

    /// True if the blocks are made for this many states side by side and this type of numbers.
    pub fn are_of<T: Number>(&self, states: usize) -> bool {
        self.of == (states, size_of::<T>())
    }
}

/// First numbers of the blocks in a range. The last block overlaps the one before if the range is no whole
/// number of blocks.
fn begins(from: usize, to: usize) -> impl Iterator<Item = u32> {
    let last = to.checked_sub(BLOCK);
    (from..to).step_by(BLOCK).filter_map(move |begin| Some(begin.min(last?) as u32))
}
