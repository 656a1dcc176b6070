//! Numbers of states in rows, side by side in registers and back: squares are transposed in registers.

use super::Level;
use super::assembler::{Address, Assembler};
use super::codes::{Size, Width};
use crate::Number;
use crate::allocate::Register;
use crate::memory::Pages;
use crate::turn::{BLOCK, tile};
use iced_x86::{Code, Register as General};

/// Machine code that transposes, for four states or eight.
#[derive(Debug)]
pub struct Turn {
    pack: Pages,
    unpack: Pages,
    clear: Pages,
    unpack_tile: Pages,
    clear_tile: Pages,
    states: usize,
}

/// The row of the first state, how far apart rows are in bytes, and where numbers are side by side.
const ROWS: General = General::RDI;
const APART: General = General::RSI;
const PACKED: General = General::RDX;
/// The list of blocks, and how many there are.
const LIST: General = General::RCX;
const LEFT: General = General::R8;
/// The block at hand, and the addresses of its rows: of the first, the fourth and the seventh.
const AT: General = General::RAX;
const THIRDS: [General; 3] = [General::R9, General::R10, General::R11];

impl Turn {
    /// For so many states, if this processor has what it needs and the system gives memory.
    pub fn new(level: Level, states: usize) -> Option<Self> {
        assert!(states == 4 || states == 8 && level == Level::Avx512);
        let pages = |step: fn(&mut Assembler, usize)| Pages::new(&each_block(states, step)).ok();
        let make = || {
            Some(Self {
                pack: pages(pack)?,
                unpack: pages(unpack)?,
                clear: pages(|out, states| clear(out, states, BLOCK))?,
                unpack_tile: pages(unpack_tile)?,
                clear_tile: pages(|out, states| clear(out, states, tile(states)))?,
                states,
            })
        };
        level.is_there().then(make).flatten()
    }

    /// Blocks of numbers of all states: `packed[k * states + state] = rows[state * length + k]` for `k` from
    /// each of the list on. `rows` begins with the first state's.
    pub fn pack<T: Number>(&self, rows: &[T], length: usize, packed: &mut [T], list: &[u32]) {
        self.check::<T>(rows.len(), length, packed.len(), list, BLOCK);
        // SAFETY: as `check` found, all blocks are within both.
        unsafe {
            let (rows, packed) = (rows.as_ptr().cast_mut().cast(), packed.as_mut_ptr().cast());
            run(&self.pack, rows, length, packed, list);
        }
    }

    /// The inverse of [`Self::pack`], of blocks and of tiles.
    pub fn unpack<T: Number>(
        &self,
        packed: &[T],
        rows: &mut [T],
        length: usize,
        [blocks, tiles]: [&[u32]; 2],
    ) {
        self.check::<T>(rows.len(), length, packed.len(), blocks, BLOCK);
        self.check::<T>(rows.len(), length, packed.len(), tiles, tile(self.states));
        for (code, list) in [(&self.unpack_tile, tiles), (&self.unpack, blocks)] {
            // SAFETY: as `check` found, all blocks and tiles are within both.
            unsafe {
                let (rows, packed) = (rows.as_mut_ptr().cast(), packed.as_ptr().cast_mut().cast());
                run(code, rows, length, packed, list);
            }
        }
    }

    /// Zeros in these blocks and tiles of each state.
    pub fn clear<T: Number>(&self, rows: &mut [T], length: usize, [blocks, tiles]: [&[u32]; 2]) {
        self.check::<T>(rows.len(), length, length * self.states, blocks, BLOCK);
        self.check::<T>(rows.len(), length, length * self.states, tiles, tile(self.states));
        for (code, list) in [(&self.clear_tile, tiles), (&self.clear, blocks)] {
            // SAFETY: as `check` found, all blocks and tiles are within the rows.
            unsafe { run(code, rows.as_mut_ptr().cast(), length, std::ptr::null_mut(), list) }
        }
    }

    fn check<T: Number>(&self, rows: usize, length: usize, packed: usize, list: &[u32], size: usize) {
        assert!(T::IS_DOUBLE, "blocks are of doubles");
        let end = list.iter().max().map_or(0, |last| *last as usize + size);
        assert!(end <= length && rows >= length * self.states && packed >= length * self.states);
    }
}

/// Runs one of the codes.
///
/// # Safety
/// The code is one of [`Turn`]'s. From `rows` on there are as many rows of so many numbers as it has states,
/// and from `packed` on, unless the code clears, as many numbers. Each block of the list is within a row.
unsafe fn run(pages: &Pages, rows: *mut f64, length: usize, packed: *mut f64, list: &[u32]) {
    // SAFETY: the pages hold a function of this type, made by `each_block` for this processor. It reads and
    // writes blocks of the list alone, which the caller promises to be there.
    unsafe {
        let code: extern "sysv64" fn(*mut f64, usize, *mut f64, *const u32, usize) =
            std::mem::transmute(pages.begin());
        code(rows, 8 * length, packed, list.as_ptr(), list.len());
    }
}

/// A loop over blocks, which does this with each.
fn each_block(states: usize, step: fn(&mut Assembler, usize)) -> Vec<u8> {
    let mut out = Assembler::new(Size::Double);
    out.test(LEFT);
    let done = out.jump(Code::Je_rel32_64);
    // To the fourth row.
    let again = out.here();
    out.load_index(AT, Address::new(LIST, 0));
    out.lea(THIRDS[0], Address::new(ROWS, 0).scaled(AT, 8));
    out.lea(THIRDS[1], Address::new(THIRDS[0], 0).scaled(APART, 2));
    out.lea(THIRDS[1], Address::new(THIRDS[1], 0).indexed(APART));
    if states > 4 {
        out.lea(THIRDS[2], Address::new(THIRDS[1], 0).scaled(APART, 2));
        out.lea(THIRDS[2], Address::new(THIRDS[2], 0).indexed(APART));
    }
    // Bytes of all states.
    out.multiply(AT, AT, 8 * states as i32);
    step(&mut out, states);
    out.add_general(LIST, 4);
    out.add_general(LEFT, -1);
    let jump = out.jump(Code::Jne_rel32_64);
    out.land(jump, again);
    out.land(done, out.here());
    out.plain(Code::VEX_Vzeroupper);
    out.plain(Code::Retnq);
    out.finish()
}

/// A state's row of the block.
fn row(state: usize) -> Address {
    let third = Address::new(THIRDS[state / 3], 0);
    match state % 3 {
        0 => third,
        k => third.scaled(APART, k as u32),
    }
}

/// The numbers of all states of the block's entry.
fn packed(entry: usize, states: usize) -> Address {
    Address::new(PACKED, 8 * (entry * states) as i64).indexed(AT)
}

fn pack(out: &mut Assembler, states: usize) {
    if states == 4 {
        let all = [0, 1, 2, 3].map(Register);
        all.into_iter().enumerate().for_each(|(k, to)| out.load(Width::Four, to, row(k)));
        turned(out, all).into_iter().enumerate().for_each(|(k, from)| {
            out.store(Width::Four, packed(k, states), from);
        });
        return;
    }
    // Rows 0 and 2, 1 and 3, 4 and 6, 5 and 7.
    for (k, (low, high)) in [(0, 2), (1, 3), (4, 6), (5, 7)].into_iter().enumerate() {
        out.load(Width::Four, Register(k as u8), row(low));
        out.insert_upper(Register(k as u8), row(high));
    }
    for k in 0..2 {
        let [low, high] = [4 + 2 * k, 5 + 2 * k].map(Register);
        let [a, b] = [2 * k, 2 * k + 1].map(Register);
        out.unpack_wide([low, high], a, b);
    }
    for (k, (of, pairs)) in [(4, 0x88), (5, 0x88), (4, 0xdd), (5, 0xdd)].into_iter().enumerate() {
        out.shuffle_pairs(Register(8), Register(of), Register(of + 2), pairs);
        out.store(Width::Eight, packed(k, states), Register(8));
    }
}

fn unpack(out: &mut Assembler, states: usize) {
    let all = [0, 1, 2, 3].map(Register);
    let width = if states == 4 { Width::Four } else { Width::Eight };
    all.into_iter().enumerate().for_each(|(k, to)| out.load(width, to, packed(k, states)));
    if states == 4 {
        turned(out, all).into_iter().enumerate().for_each(|(k, from)| {
            out.store(Width::Four, row(k), from);
        });
        return;
    }
    // Pairs of entries of states 0, 2, 4, 6 and of states 1, 3, 5, 7; then all four.
    out.unpack_wide([Register(4), Register(5)], all[0], all[1]);
    out.unpack_wide([Register(6), Register(7)], all[2], all[3]);
    for k in 0..2 {
        let [a, b] = [4 + k, 6 + k].map(Register);
        let k = usize::from(k);
        // Lanes of 128 bits: 0 0 1 1 and 2 2 3 3 of both by turns, by way of 0 1 0 1 and 2 3 2 3.
        for (first, pairs) in [(0, 0x44), (4, 0xee)] {
            out.shuffle_pairs(Register(8), a, b, pairs);
            out.shuffle_pairs(Register(8), Register(8), Register(8), 0xd8);
            out.store(Width::Four, row(first + k), Register(8));
            out.store_upper(row(first + 2 + k), Register(8));
        }
    }
}

/// Two cache lines of each row of eight states, or one of four: a line that is written in one go is fetched
/// once.
fn unpack_tile(out: &mut Assembler, states: usize) {
    for half in 0..2 {
        let width = if states == 4 { Width::Four } else { Width::Eight };
        for k in 0..states {
            out.load(width, Register(k as u8), packed(half * states + k, states));
        }
        let first = 2 * states + half * states;
        let row = |state: usize| Register((first + state) as u8);
        if states == 4 {
            let pairs = [4, 5, 6, 7].map(Register);
            out.interleave(pairs, [0, 1, 2, 3].map(Register));
            for (k, (pair, halves)) in [(0, 0x20), (1, 0x20), (0, 0x31), (1, 0x31)].into_iter().enumerate() {
                out.halves(row(k), pairs[pair], pairs[pair + 2], halves);
            }
            continue;
        }
        // Pairs of entries: of even states, then of odd ones.
        for k in 0..4 {
            let [low, high] = [8 + 2 * k, 9 + 2 * k].map(Register);
            out.unpack_wide([low, high], Register(2 * k), Register(2 * k + 1));
        }
        for odd in 0..2 {
            let pairs = [8, 10, 12, 14].map(|k| Register(k + odd));
            // States 0 and 4, then 2 and 6.
            for (from, lanes) in [(0, 0x88), (2, 0xdd)] {
                out.shuffle_pairs(Register(0), pairs[0], pairs[1], lanes);
                out.shuffle_pairs(Register(1), pairs[2], pairs[3], lanes);
                let state = from + usize::from(odd);
                out.shuffle_pairs(row(state), Register(0), Register(1), 0x88);
                out.shuffle_pairs(row(state + 4), Register(0), Register(1), 0xdd);
            }
        }
    }
    for state in 0..states {
        for half in 0..2 {
            let width = if states == 4 { Width::Four } else { Width::Eight };
            let from = Register((2 * states + half * states + state) as u8);
            out.store(width, row(state).plus((8 * half * states) as i64), from);
        }
    }
}

fn clear(out: &mut Assembler, states: usize, numbers: usize) {
    out.zero(Width::Four, Register(0));
    for state in 0..states {
        for k in (0..numbers).step_by(4) {
            out.store(Width::Four, row(state).plus(8 * k as i64), Register(0));
        }
    }
}

/// Four by four.
fn turned(out: &mut Assembler, rows: [Register; 4]) -> [Register; 4] {
    let pairs = [4, 5, 6, 7].map(Register);
    out.interleave(pairs, rows);
    for (k, (pair, halves)) in [(0, 0x20), (1, 0x20), (0, 0x31), (1, 0x31)].into_iter().enumerate() {
        out.halves(rows[k], pairs[pair], pairs[pair + 2], halves);
    }
    rows
}
