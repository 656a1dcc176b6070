//! Products of matrices in machine code: loops over terms, whose sums stay in registers.
//!
//! The arithmetic is that of `rbd_runtime::linalg`: each entry is a sum of fused products in the order of its
//! terms, from zero on, so that neither tiles nor widths change a bit. Of one state, registers hold
//! neighbouring rows; of several states side by side, a row of all states.

use super::assembler::{Address, Assembler, Operand};
use super::body::Body;
use super::codes::{self, Size, Width};
use super::{COUNTER, Level, POINTERS};
use crate::allocate::Register;
use crate::lower::{At, COLUMNS};
use crate::pointers::Pointers;
use crate::products::chunks;
use iced_x86::{Code, Register as General};
use rbd_ir::kernel::ArrayId;
use rbd_ir::products::{ColumnGroup, Product, ProductKind, Range, RowBlock};

/// Addresses of the first factor, of the second one or the diagonal, and of the result.
const ADDRESSES: [General; 3] = [General::RAX, General::RDI, General::R8];
/// Counter of columns, beside [`COUNTER`].
const COLUMN: General = General::R10;

/// Number of terms above which a run is a loop.
const UNROLLED: usize = 4;

/// Rows that share a register, and the mask that names them where they do not fill it.
#[derive(Clone, Copy, Debug)]
struct Lines {
    row: usize,
    width: Width,
    mask: Option<General>,
}

/// Some rows of some columns, whose sums are in registers at once.
struct Tile<'t> {
    parts: &'t [Lines],
    columns: usize,
    terms: &'t [Range],
}

/// Numbers of the second factor that a tile reads. `begin` is the address of the first column's number of
/// term 0. `column` and `term` are the bytes to the next one.
#[derive(Clone, Copy)]
struct Factor {
    begin: Address,
    column: i64,
    term: i64,
}

/// A product in the making.
struct Writer<'w> {
    out: &'w mut Assembler,
    level: Level,
    /// Rows and columns.
    n: usize,
    states: usize,
    /// The size of a number.
    size: Size,
    /// Bytes of an entry, of all states.
    entry: i64,
    a: Address,
    result: Address,
    /// Free memory for [`COLUMNS`] columns.
    free: Address,
    is_negative: bool,
}

impl Body<'_> {
    /// Writes a product of matrices of `n` rows. From `columns` on, the workspace is free.
    pub fn product(&mut self, product: &Product, n: usize, columns: u32) {
        self.out.load_general(POINTERS, Address::new(General::RSP, 0));
        self.out.load_general(POINTERS, Address::new(POINTERS, 0));
        let free = self.work(columns);
        let (is_negative, arrays) = match product.kind {
            ProductKind::Negative { a, x } => (true, [a, x, x]),
            ProductKind::Gram { g, d, out } => (false, [g, d, out]),
        };
        let mut address = |k: usize| self.array(arrays[k], ADDRESSES[k]);
        let [a, second, result] = [address(0), address(1), address(2)];
        let (level, states, size) = (self.kernel.level, self.kernel.states, self.kernel.size);
        let entry = size.bytes() * states as i64;
        let out = &mut self.out;
        let mut writer = Writer { out, level, n, states, size, entry, a, result, free, is_negative };
        writer.masks(product);
        for group in &product.groups {
            if is_negative { writer.negative(group) } else { writer.gram(group, second) }
        }
        if !is_negative {
            writer.mirror();
        }
        self.load_bases_again();
    }

    /// The address of an array, in this register if it is nowhere else.
    fn array(&mut self, array: ArrayId, to: General) -> Address {
        match self.lowered.arrays[array.index()] {
            At::Work(begin) => self.work(begin),
            At::Pointer => {
                let location = self.kernel.arrays[array.index()].location;
                let place = Pointers::place(location).expect("looked at when the body was made");
                self.out.load_general(to, Address::new(POINTERS, 8 * place as i64));
                Address::new(to, 0)
            }
        }
    }
}

/// Mask register for this many rows of eight.
fn mask(rows: usize) -> General {
    [General::K3, General::K4, General::K5, General::K6][match rows {
        3 => 0,
        5 => 1,
        6 => 2,
        _ => 3,
    }]
}

impl Writer<'_> {
    /// Number of registers that a tile may have for itself.
    fn registers(&self) -> usize {
        if self.level == Level::Avx512 { 32 } else { 16 }
    }

    fn masks(&mut self, product: &Product) {
        if self.level != Level::Avx512 || self.states > 1 || self.size == Size::Single {
            return;
        }
        let blocks = || product.groups.iter().flat_map(|group| &group.blocks);
        for rows in [3, 5, 6, 7] {
            // Rows of a symmetric product begin at any column.
            let is_used = |block: &RowBlock| !self.is_negative || (block.rows.1 - block.rows.0) % 8 == rows;
            if blocks().any(is_used) {
                self.out.mask(mask(rows), (1 << rows) - 1, COUNTER);
            }
        }
    }

    /// Registers for these rows.
    fn parts(&self, (from, to): Range) -> Vec<Lines> {
        let part = |row: usize, width: Width| Lines { row, width, mask: None };
        if self.states > 1 {
            return (from..to).map(|row| part(row, Width::of(self.states))).collect();
        }
        // In single precision, four: rows that are left over go one by one.
        let full = if self.size == Size::Single { Width::Four } else { self.level.widest(self.size) };
        let (step, mut parts, mut row) = (full.numbers(), Vec::new(), from);
        while row + step <= to {
            parts.push(part(row, full));
            row += step;
        }
        match to - row {
            0 => {}
            rest @ (3 | 5 | 6 | 7) if full == Width::Eight => {
                parts.push(Lines { row, width: full, mask: Some(mask(rest)) });
            }
            // Rows that another register has as well: they are the same there.
            _ if full == Width::Four && !parts.is_empty() => parts.push(part(to - 4, full)),
            rest => {
                debug_assert!(rest < step);
                for width in self.size.widths(Width::Four) {
                    while row + width.numbers() <= to {
                        parts.push(part(row, width));
                        row += width.numbers();
                    }
                }
            }
        }
        parts
    }

    /// Offset of an entry from the first one, in bytes.
    fn at(&self, row: usize, column: usize) -> i64 {
        (column * self.n + row) as i64 * self.entry
    }

    /// `-a x` over `x` in a group's columns.
    fn negative(&mut self, group: &ColumnGroup) {
        let blocks: Vec<Vec<Lines>> = group.blocks.iter().map(|block| self.parts(block.rows)).collect();
        let registers = self.registers() - 1;
        // One tile needs no copy of `x`, since all its terms are read before a sum is written.
        let in_one = match &blocks[..] {
            [parts] => (registers / parts.len().max(1)).saturating_sub(1).min(COLUMNS),
            _ => 0,
        };
        let is_one = in_one >= 3.min(group.columns.1 - group.columns.0);
        let (most_parts, most) = if is_one { (usize::MAX, in_one) } else { self.tiles() };
        for (column, columns) in chunks(group.columns, most) {
            let mut x = self.result.plus(self.at(0, column));
            if !is_one {
                self.copy(x, self.free, columns * self.n * self.states);
                x = self.free;
            }
            let factor = Factor { begin: x, column: self.at(0, 1), term: self.entry };
            for (block, parts) in group.blocks.iter().zip(&blocks) {
                for parts in parts.chunks(most_parts.min(parts.len().max(1))) {
                    self.tile(&Tile { parts, columns, terms: &block.terms }, factor, column);
                }
            }
        }
    }

    /// The most registers of rows, and columns of a tile.
    fn tiles(&self) -> (usize, usize) {
        match (self.level, self.states) {
            (Level::Avx512, _) => (4, 6),
            (Level::Avx2, 1) => (3, 4),
            (Level::Avx2, _) => (3, 4),
        }
    }

    /// `g d g^T` in a group's columns, on and below the diagonal.
    fn gram(&mut self, group: &ColumnGroup, d: Address) {
        let Some(own) = group.blocks.last() else { return };
        let (most_parts, most) = self.tiles();
        for (column, columns) in chunks(group.columns, most) {
            let factor = self.scaled(d, &own.terms, column, columns);
            for block in &group.blocks {
                let parts = self.parts((block.rows.0.max(column), block.rows.1.max(column)));
                for parts in parts.chunks(most_parts) {
                    self.tile(&Tile { parts, columns, terms: &block.terms }, factor, column);
                }
            }
        }
    }

    /// Writes `d g^T` in these columns to the free memory.
    fn scaled(&mut self, d: Address, terms: &[Range], column: usize, columns: usize) -> Factor {
        let (n, x, y) = (self.n, Register(0), Register(1));
        if self.states > 1 {
            let width = Width::of(self.states);
            for k in terms.iter().flat_map(|(from, to)| *from..*to) {
                self.out.load(width, x, d.plus(k as i64 * self.entry));
                for c in 0..columns {
                    let g = Operand::Memory(self.a.plus(self.at(column + c, k)));
                    self.out.three(&codes::MUL, width, y, x, g);
                    self.out.store(width, self.free.plus(self.at(k, c)), y);
                }
            }
            return Factor { begin: self.free, column: self.at(0, 1), term: self.entry };
        }
        // Neighbours in a row of all columns, perhaps with some before them.
        let fits = |width: &Width| width.numbers() >= columns && width.numbers() <= n;
        let width = self.size.widths(self.level.widest(self.size).min(Width::Eight)).rev().find(fits);
        let bytes = self.size.bytes();
        let row = bytes * COLUMNS as i64;
        let mut before = 0;
        for k in terms.iter().flat_map(|(from, to)| *from..*to) {
            let to = self.free.plus(k as i64 * row);
            match width {
                Some(width) => {
                    before = column - column.min(n - width.numbers());
                    self.out.splat(width, x, Operand::Memory(d.plus(bytes * k as i64)));
                    let g = Operand::Memory(self.a.plus(self.at(column - before, k)));
                    self.out.three(&codes::MUL, width, y, x, g);
                    self.out.store(width, to, y);
                }
                // Fewer rows than a register has numbers, and no smaller register holds the columns.
                None => {
                    self.out.load(Width::One, x, d.plus(bytes * k as i64));
                    for c in 0..columns {
                        let g = Operand::Memory(self.a.plus(self.at(column + c, k)));
                        self.out.three(&codes::MUL, Width::One, y, x, g);
                        self.out.store(Width::One, to.plus(bytes * c as i64), y);
                    }
                }
            }
        }
        Factor { begin: self.free.plus(bytes * before as i64), column: bytes, term: row }
    }

    /// Copies numbers from one place to another.
    fn copy(&mut self, from: Address, to: Address, mut numbers: usize) {
        let mut at = 0;
        for width in self.size.widths(self.level.widest(self.size)) {
            while numbers >= width.numbers() {
                self.out.load(width, Register(0), from.plus(at));
                self.out.store(width, to.plus(at), Register(0));
                at += self.size.bytes() * width.numbers() as i64;
                numbers -= width.numbers();
            }
        }
    }

    /// The sums of a tile, written to the result's columns from this one on.
    fn tile(&mut self, tile: &Tile<'_>, x: Factor, column: usize) {
        let Tile { parts, columns, terms } = *tile;
        let count = parts.len() * columns;
        assert!(count + parts.len() < self.registers(), "a tile fits into registers");
        let sum = |part: usize, c: usize| Register((c * parts.len() + part) as u8);
        for c in 0..columns {
            for (p, part) in parts.iter().enumerate() {
                self.out.zero(part.width, sum(p, c));
            }
        }
        for &(from, to) in terms {
            let terms = to - from;
            let a = self.a.plus(self.at(0, from));
            let a_term = self.at(0, 1);
            if terms <= UNROLLED {
                for k in 0..terms as i64 {
                    let begin = x.begin.plus((from as i64 + k) * x.term);
                    self.term(tile, a.plus(k * a_term), Factor { begin, ..x });
                }
                continue;
            }
            self.out.small_number(COUNTER, -(terms as i32 * x.term as i32));
            self.out.small_number(COLUMN, 0);
            let again = self.out.here();
            let begin = x.begin.plus(to as i64 * x.term).indexed(COUNTER);
            self.term(tile, a.indexed(COLUMN), Factor { begin, ..x });
            self.out.add_general(COLUMN, a_term as i32);
            self.out.add_general(COUNTER, x.term as i32);
            let jump = self.out.jump(Code::Jne_rel32_64);
            self.out.land(jump, again);
        }
        for c in 0..columns {
            for (p, part) in parts.iter().enumerate() {
                let to = self.result.plus(self.at(part.row, column + c));
                self.out.store_masked(part.width, to, sum(p, c), part.mask);
            }
        }
    }

    /// Adds one term to the sums of a tile.
    fn term(&mut self, tile: &Tile<'_>, a: Address, x: Factor) {
        let Tile { parts, columns, .. } = *tile;
        let first = parts.len() * columns;
        let rows = |part: usize| Register((first + part) as u8);
        for (p, part) in parts.iter().enumerate() {
            self.out.load_masked(part.width, rows(p), a.plus(self.at(part.row, 0)), part.mask);
        }
        let number = Register((first + parts.len()) as u8);
        let widest = parts.iter().map(|part| part.width).max().unwrap_or(Width::One);
        let multiplied = &codes::FUSED[usize::from(self.is_negative)][codes::FORM_231];
        for c in 0..columns {
            let from = x.begin.plus(c as i64 * x.column);
            if self.states > 1 {
                self.out.load(widest, number, from);
            } else {
                self.out.splat(widest, number, Operand::Memory(from));
            }
            for (p, part) in parts.iter().enumerate() {
                let sum = Register((c * parts.len() + p) as u8);
                self.out.three(multiplied, part.width, sum, rows(p), Operand::Register(number));
            }
        }
    }

    /// Entries above the diagonal, from those below.
    fn mirror(&mut self) {
        let n = self.n;
        if self.states > 1 {
            return self.mirror_rows();
        }
        for row in (0..n).step_by(4) {
            let at = row.min(n.saturating_sub(4));
            // Blocks are of doubles.
            let in_blocks = if n < 4 || self.size == Size::Single { 0 } else { at & !3 };
            for column in (0..in_blocks).step_by(4) {
                self.mirror_block(at, column);
            }
            for row in row..(row + 4).min(n) {
                for column in in_blocks..row {
                    self.out.load(Width::One, Register(0), self.result.plus(self.at(row, column)));
                    self.out.store(Width::One, self.result.plus(self.at(column, row)), Register(0));
                }
            }
        }
    }

    /// Four rows and columns.
    fn mirror_block(&mut self, row: usize, column: usize) {
        let [a, b, c, d] = [0, 1, 2, 3].map(Register);
        let pairs = [4, 5, 6, 7].map(Register);
        for (k, to) in [a, b, c, d].into_iter().enumerate() {
            self.out.load(Width::Four, to, self.result.plus(self.at(row, column + k)));
        }
        // Pairs of columns, row by row, then pairs of pairs.
        self.out.interleave(pairs, [a, b, c, d]);
        for (k, half) in [(0, 0x20), (1, 0x20), (0, 0x31), (1, 0x31)].into_iter().enumerate() {
            let (pair, halves) = half;
            self.out.halves(Register(k as u8), pairs[pair], pairs[pair + 2], halves);
            let to = self.result.plus(self.at(column, row + k));
            self.out.store(Width::Four, to, Register(k as u8));
        }
    }

    /// Entries of several states.
    fn mirror_rows(&mut self) {
        let width = Width::of(self.states);
        for column in 0..self.n {
            for row in column + 1..self.n {
                self.out.load(width, Register(0), self.result.plus(self.at(row, column)));
                self.out.store(width, self.result.plus(self.at(column, row)), Register(0));
            }
        }
    }
}
