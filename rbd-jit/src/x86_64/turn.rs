//! Numbers of states in rows, side by side in registers and back: squares are transposed in registers.

use super::Level;
use super::assembler::{Address, Assembler};
use super::codes::{Size, Width};
use crate::Number;
use crate::allocate::Register;
use crate::blocks::{BLOCK, Blocks, tile};
use crate::memory::Pages;
use iced_x86::{Code, Register as General};

/// Machine code that transposes, for four or eight states of doubles, eight or 16 in single precision.
#[derive(Debug)]
pub struct Turn {
    pack: Pages,
    /// Code for blocks, and for tiles.
    unpack: [Pages; 2],
    clear: [Pages; 2],
    states: usize,
    size: Size,
}

/// The row of the first state, how far apart rows are in bytes, and where numbers are side by side.
const ROWS: General = General::RDI;
const APART: General = General::RSI;
const PACKED: General = General::RDX;
/// The list of blocks, and how many there are.
const LIST: General = General::RCX;
const LEFT: General = General::R8;
/// The block at hand, or where one of its numbers is.
const AT: General = General::RAX;
/// The addresses of the block's rows: of the first, of the fourth, and so on.
const THIRDS: [General; 6] =
    [General::R9, General::R10, General::R11, General::RBX, General::RBP, General::R12];
/// Number of registers in [`THIRDS`] that callees need not keep.
const FREE: usize = 3;

/// Code generation of a loop's step.
struct Step {
    out: Assembler,
    states: usize,
    size: Size,
    /// True if the list has records ([`Blocks::numbers`]), and no first numbers alone.
    has_records: bool,
}

impl Turn {
    /// Makes code for this many states, if this processor has the instructions and the system gives memory.
    pub fn new<T: Number>(level: Level, states: usize) -> Option<Self> {
        let (size, tile) = (Size::of::<T>(), tile::<T>(states));
        assert_eq!(states, level.widest(size).numbers());
        let step = |has_records| Step { out: Assembler::new(size), states, size, has_records };
        let pages = |numbers: usize, has_records: bool, write: &dyn Fn(&mut Step)| {
            Pages::alone(&step(has_records).each(numbers, write)).ok()
        };
        let make = || {
            let unpack = |step: &mut Step| match size {
                Size::Double => step.unpack(),
                Size::Single => step.unpack_single(),
            };
            let unpack_tile = |step: &mut Step| match size {
                Size::Double => step.unpack_tile(),
                Size::Single => step.unpack_single_tile(),
            };
            let pack = |step: &mut Step| match size {
                Size::Double => step.pack(),
                Size::Single => step.pack_single(),
            };
            Some(Self {
                pack: pages(BLOCK, false, &pack)?,
                unpack: [pages(BLOCK, true, &unpack)?, pages(tile, true, &unpack_tile)?],
                clear: [
                    pages(BLOCK, false, &|step| step.clear(BLOCK))?,
                    pages(tile, false, &|step| step.clear(tile))?,
                ],
                states,
                size,
            })
        };
        level.is_there().then(make).flatten()
    }

    /// Numbers of all states: `packed[k * states + state] = rows[state * length + k]`.
    pub fn pack<T: Number>(&self, rows: &[T], packed: &mut [T], blocks: &Blocks) {
        let length = self.length::<T>(rows.len(), packed.len(), blocks);
        // SAFETY: as `length` found, all blocks are within both.
        unsafe {
            let (rows, packed) = (rows.as_ptr().cast_mut(), packed.as_mut_ptr());
            run(&self.pack, rows, length, packed, blocks.all(), 1);
        }
    }

    /// `rows[state * length + k] = packed[entry(k) * states + state]`, and zeros where entries are zero,
    /// unless they are there.
    pub fn unpack<T: Number>(&self, packed: &[T], rows: &mut [T], blocks: &Blocks, are_zeros_there: bool) {
        let length = self.length::<T>(rows.len(), packed.len(), blocks);
        let (rows, packed) = (rows.as_mut_ptr(), packed.as_ptr().cast_mut());
        let records = [1 + BLOCK, 1 + tile::<T>(self.states)];
        for kind in [1, 0] {
            let zeros = if are_zeros_there { &[] } else { blocks.zeros()[kind] };
            let numbers = blocks.numbers()[kind];
            if !numbers.is_empty() {
                // SAFETY: as `length` found, all blocks, tiles and entries are within both.
                unsafe { run(&self.unpack[kind], rows, length, packed, numbers, records[kind]) };
            }
            if !zeros.is_empty() {
                // SAFETY: likewise.
                unsafe { run(&self.clear[kind], rows, length, std::ptr::null_mut(), zeros, 1) };
            }
        }
    }

    /// Length of a row. Rows of all states are within `rows` numbers. Entries that are read or, if all are in
    /// order, written are within `packed` numbers of states side by side.
    fn length<T: Number>(&self, rows: usize, packed: usize, blocks: &Blocks) -> usize {
        let length = blocks.length();
        assert!(self.size == Size::of::<T>() && blocks.are_of::<T>(self.states));
        assert!(rows >= length * self.states && packed >= blocks.entries() * self.states);
        length
    }
}

/// Runs one of the codes, with records of so many numbers.
///
/// # Safety
/// The code is one of [`Turn`]'s of this type of numbers, and the list of a kind that it is made for. From
/// `rows` on there are as many rows of so many numbers as it has states. Each block of the list is within a
/// row. From `packed` on are the entries that the list names, unless the code clears.
unsafe fn run<T: Number>(
    pages: &Pages,
    rows: *mut T,
    length: usize,
    packed: *mut T,
    list: &[u32],
    record: usize,
) {
    // SAFETY: the pages hold a function of this type, made by `Step::each` for this processor. It reads and
    // writes what the records of the list say alone, which the caller promises to be there, and keeps what
    // callees keep.
    unsafe {
        let code: extern "sysv64" fn(*mut T, usize, *mut T, *const u32, usize) =
            std::mem::transmute(pages.begin());
        code(rows, size_of::<T>() * length, packed, list.as_ptr(), list.len() / record);
    }
}

impl Step {
    /// Loops over blocks of `numbers` numbers, and writes the code for each.
    fn each(mut self, numbers: usize, write: &dyn Fn(&mut Self)) -> Vec<u8> {
        let thirds = self.states.div_ceil(3);
        let saved = &THIRDS[FREE.min(thirds)..thirds];
        saved.iter().for_each(|register| self.out.general(Code::Push_r64, *register));
        self.out.test(LEFT);
        let done = self.out.jump(Code::Je_rel32_64);
        let again = self.out.here();
        self.out.load_index(AT, Address::new(LIST, 0));
        let size = self.size.bytes();
        self.out.lea(THIRDS[0], Address::new(ROWS, 0).scaled(AT, size as u32));
        for k in 1..thirds {
            self.out.lea(THIRDS[k], Address::new(THIRDS[k - 1], 0).scaled(APART, 2));
            self.out.lea(THIRDS[k], Address::new(THIRDS[k], 0).indexed(APART));
        }
        write(&mut self);
        let record = if self.has_records { 1 + numbers } else { 1 };
        self.out.add_general(LIST, 4 * record as i32);
        self.out.add_general(LEFT, -1);
        let jump = self.out.jump(Code::Jne_rel32_64);
        self.out.land(jump, again);
        self.out.land(done, self.out.here());
        self.out.plain(Code::VEX_Vzeroupper);
        saved.iter().rev().for_each(|register| self.out.general(Code::Pop_r64, *register));
        self.out.plain(Code::Retnq);
        self.out.finish()
    }

    /// Width of as many lanes as there are states.
    fn all(&self) -> Width {
        Width::of(self.states)
    }

    /// A state's row of the block.
    fn row(&self, state: usize) -> Address {
        let third = Address::new(THIRDS[state / 3], 0);
        match state % 3 {
            0 => third,
            k => third.scaled(APART, k as u32),
        }
    }

    /// The numbers of all states of the block's entry, where entries are in order.
    fn packed(&self, entry: usize) -> Address {
        let bytes = self.size.bytes() as usize * entry * self.states;
        Address::new(PACKED, bytes as i64).indexed(AT)
    }

    /// Loads the numbers of all states of the record's entry.
    fn load(&mut self, to: Register, entry: usize) {
        self.out.load_index(AT, Address::new(LIST, 4 * (1 + entry as i64)));
        self.out.load(self.all(), to, Address::new(PACKED, 0).indexed(AT));
    }

    /// Makes the block's first number the bytes of its entries.
    fn begin_at_entries(&mut self) {
        self.out.multiply(AT, AT, self.size.bytes() as i32 * self.states as i32);
    }

    fn pack(&mut self) {
        self.begin_at_entries();
        if self.states == 4 {
            let all = [0, 1, 2, 3].map(Register);
            all.into_iter().enumerate().for_each(|(k, to)| self.out.load(Width::Four, to, self.row(k)));
            turned(&mut self.out, all).into_iter().enumerate().for_each(|(k, from)| {
                self.out.store(Width::Four, self.packed(k), from);
            });
            return;
        }
        // Rows 0 and 2, 1 and 3, 4 and 6, 5 and 7.
        for (k, (low, high)) in [(0, 2), (1, 3), (4, 6), (5, 7)].into_iter().enumerate() {
            self.out.load(Width::Four, Register(k as u8), self.row(low));
            self.out.insert_upper(Register(k as u8), self.row(high));
        }
        for k in 0..2 {
            let [low, high] = [4 + 2 * k, 5 + 2 * k].map(Register);
            let [a, b] = [2 * k, 2 * k + 1].map(Register);
            self.out.unpack_pairs([low, high], a, b);
        }
        for (k, (of, pairs)) in [(4, 0x88), (5, 0x88), (4, 0xdd), (5, 0xdd)].into_iter().enumerate() {
            self.out.shuffle_pairs(Register(8), Register(of), Register(of + 2), pairs);
            self.out.store(Width::Eight, self.packed(k), Register(8));
        }
    }

    fn unpack(&mut self) {
        let all = [0, 1, 2, 3].map(Register);
        all.into_iter().enumerate().for_each(|(k, to)| self.load(to, k));
        if self.states == 4 {
            turned(&mut self.out, all).into_iter().enumerate().for_each(|(k, from)| {
                self.out.store(Width::Four, self.row(k), from);
            });
            return;
        }
        // Pairs of entries of states 0, 2, 4, 6 and of states 1, 3, 5, 7; then all four.
        self.out.unpack_pairs([Register(4), Register(5)], all[0], all[1]);
        self.out.unpack_pairs([Register(6), Register(7)], all[2], all[3]);
        for k in 0..2 {
            let [a, b] = [4 + k, 6 + k].map(Register);
            let k = usize::from(k);
            // Lanes of 128 bits: 0 0 1 1 and 2 2 3 3 of both by turns, by way of 0 1 0 1 and 2 3 2 3.
            for (first, pairs) in [(0, 0x44), (4, 0xee)] {
                self.out.shuffle_pairs(Register(8), a, b, pairs);
                self.out.shuffle_pairs(Register(8), Register(8), Register(8), 0xd8);
                self.out.store(Width::Four, self.row(first + k), Register(8));
                self.out.store_upper(self.row(first + 2 + k), Register(8));
            }
        }
    }

    /// Two cache lines of each row of eight states, or one of four: a line that is written in one go is
    /// fetched once.
    fn unpack_tile(&mut self) {
        let states = self.states;
        for half in 0..2 {
            for k in 0..states {
                self.load(Register(k as u8), half * states + k);
            }
            let first = 2 * states + half * states;
            let row = |state: usize| Register((first + state) as u8);
            if states == 4 {
                let pairs = [4, 5, 6, 7].map(Register);
                self.out.interleave(pairs, [0, 1, 2, 3].map(Register));
                let halves = [(0, 0x20), (1, 0x20), (0, 0x31), (1, 0x31)];
                for (k, (pair, halves)) in halves.into_iter().enumerate() {
                    self.out.halves(row(k), pairs[pair], pairs[pair + 2], halves);
                }
                continue;
            }
            // Pairs of entries: of even states, then of odd ones.
            for k in 0..4 {
                let [low, high] = [8 + 2 * k, 9 + 2 * k].map(Register);
                self.out.unpack_pairs([low, high], Register(2 * k), Register(2 * k + 1));
            }
            for odd in 0..2 {
                let pairs = [8, 10, 12, 14].map(|k| Register(k + odd));
                // States 0 and 4, then 2 and 6.
                for (from, lanes) in [(0, 0x88), (2, 0xdd)] {
                    self.out.shuffle_pairs(Register(0), pairs[0], pairs[1], lanes);
                    self.out.shuffle_pairs(Register(1), pairs[2], pairs[3], lanes);
                    let state = from + usize::from(odd);
                    self.out.shuffle_pairs(row(state), Register(0), Register(1), 0x88);
                    self.out.shuffle_pairs(row(state + 4), Register(0), Register(1), 0xdd);
                }
            }
        }
        for state in 0..states {
            for half in 0..2 {
                let from = Register((2 * states + half * states + state) as u8);
                self.out.store(self.all(), self.row(state).plus((8 * half * states) as i64), from);
            }
        }
    }

    fn clear(&mut self, numbers: usize) {
        self.out.zero(Width::Four, Register(0));
        let wide = if self.size == Size::Single && numbers > 4 { Width::Eight } else { Width::Four };
        for state in 0..self.states {
            for k in (0..numbers).step_by(wide.numbers()) {
                let to = self.row(state).plus(self.size.bytes() * k as i64);
                self.out.store(wide, to, Register(0));
            }
        }
    }

    /// Bytes of a register with a number of each state.
    fn bytes(&self) -> usize {
        self.states * self.size.bytes() as usize
    }

    /// Registers that begin with states 0, 1, 2 and 3, in parts of four numbers, from those of four entries;
    /// and the inverse. In part k the states are these and 4 k more.
    fn fours(&mut self, all: [Register; 4], scratch: [Register; 4]) {
        let bytes = self.bytes();
        let [a, b, c, d] = all;
        let [low, high, low_of_other, high_of_other] = scratch;
        self.out.unpack_singles(bytes, [low, high], a, b);
        self.out.unpack_singles(bytes, [low_of_other, high_of_other], c, d);
        self.out.unpack_halves(bytes, [a, b], low, low_of_other);
        self.out.unpack_halves(bytes, [c, d], high, high_of_other);
    }

    fn pack_single(&mut self) {
        self.begin_at_entries();
        let bytes = self.bytes();
        let (all, scratch) = ([0, 1, 2, 3].map(Register), [4, 5, 6, 7].map(Register));
        for (k, to) in all.into_iter().enumerate() {
            self.out.load(Width::Four, to, self.row(k));
            for part in 1..self.states / 4 {
                self.out.insert_part(bytes, to, self.row(4 * part + k), part as u32);
            }
        }
        self.fours(all, scratch);
        all.into_iter().enumerate().for_each(|(k, from)| self.out.store(self.all(), self.packed(k), from));
    }

    fn unpack_single(&mut self) {
        let bytes = self.bytes();
        let (all, scratch) = ([0, 1, 2, 3].map(Register), [4, 5, 6, 7].map(Register));
        all.into_iter().enumerate().for_each(|(k, to)| self.load(to, k));
        self.fours(all, scratch);
        for (k, from) in all.into_iter().enumerate() {
            self.out.store(Width::Four, self.row(k), from);
            for part in 1..self.states / 4 {
                self.out.store_part(bytes, self.row(4 * part + k), from, part as u32);
            }
        }
    }

    /// A cache line of each row: in one go of 16 states, in two of eight.
    fn unpack_single_tile(&mut self) {
        let scratch = |k: usize| Register((self.states + k) as u8);
        let scratch = [scratch(0), scratch(1), scratch(2), scratch(3)];
        for begin in (0..16).step_by(self.states) {
            for k in 0..self.states {
                self.load(Register(k as u8), begin + k);
            }
            for four in (0..self.states as u8).step_by(4) {
                self.fours([four, four + 1, four + 2, four + 3].map(Register), scratch);
            }
            for state in 0..4 {
                let of = |k: u8| Register(4 * k + state as u8);
                if self.states == 8 {
                    for (first, halves) in [(0, 0x20), (4, 0x31)] {
                        self.out.halves(scratch[0], of(0), of(1), halves);
                        let to = self.row(first + state).plus(4 * begin as i64);
                        self.out.store(Width::Eight, to, scratch[0]);
                    }
                    continue;
                }
                // Parts 0 and 2 of each, then 1 and 3.
                for (first, parts) in [(0, 0x88), (4, 0xdd)] {
                    self.out.shuffle_pairs(scratch[0], of(0), of(1), parts);
                    self.out.shuffle_pairs(scratch[1], of(2), of(3), parts);
                    for (more, parts) in [(0, 0x88), (8, 0xdd)] {
                        self.out.shuffle_pairs(scratch[2], scratch[0], scratch[1], parts);
                        self.out.store(Width::Sixteen, self.row(first + more + state), scratch[2]);
                    }
                }
            }
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
