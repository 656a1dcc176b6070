//! Products of matrices in machine code: loops over terms, whose sums stay in registers.
//!
//! The arithmetic is that of `rbd_runtime::linalg`: each entry is a sum of fused products in the order of its
//! terms, from zero on, so that tiles do not change a bit. Of one state, registers hold two neighbouring
//! rows; of two states side by side, a row of both.

use super::assembler::{Address, Assembler, MUL, Width};
use super::body::Body;
use super::encode::{self, V, X};
use super::{FREE, POINTERS};
use crate::lower::{At, COLUMNS};
use crate::pointers::Pointers;
use crate::products::chunks;
use rbd_ir::kernel::ArrayId;
use rbd_ir::products::{ColumnGroup, Product, ProductKind, Range};

/// The addresses of the first factor, of the second one or the diagonal, of the result, and of free memory.
/// They are those of arrays otherwise, which are loaded again.
const A: X = X(4);
const SECOND: X = X(5);
const RESULT: X = X(6);
const COPY: X = X(7);
/// Pointers and counter of inner loops.
const FROM: X = FREE[0];
const OTHER: X = FREE[1];
const TO: X = X(9);
const COUNTER: X = X(10);
/// Registers of outer loops.
const OUTER: [X; 3] = [X(11), X(12), X(13)];

/// Number of terms above which a run is a loop.
const UNROLLED: usize = 4;
/// Registers of rows, and columns of a tile.
const TILE: (usize, usize) = (4, 4);

/// The sums of a tile, its rows and its numbers: registers that callees need not keep.
fn register(k: usize) -> V {
    V(if k < 8 { k } else { k + 8 } as u8)
}
const ROWS: usize = TILE.0 * TILE.1;
const NUMBERS: usize = ROWS + TILE.0;

/// A product in the making.
struct Writer<'w> {
    out: &'w mut Assembler,
    /// Rows and columns.
    n: usize,
    states: usize,
    /// Bytes of an entry, of all states.
    entry: usize,
    is_negative: bool,
}

/// Distances in bytes, within the second factor, to the next column and to the next term.
#[derive(Clone, Copy)]
struct Steps {
    column: usize,
    term: usize,
}

impl Body<'_> {
    /// Writes a product of matrices of `n` rows. From `columns` on, the workspace is free.
    pub fn product(&mut self, product: &Product, n: usize, columns: u32) {
        let (is_negative, arrays) = match product.kind {
            ProductKind::Negative { a, x } => (true, [a, x, x]),
            ProductKind::Gram { g, d, out } => (false, [g, d, out]),
        };
        for (array, to) in arrays.into_iter().zip([A, SECOND, RESULT]) {
            self.array(array, to);
        }
        let free = self.work(columns);
        self.out.address(COPY, free);
        let states = self.kernel.states;
        let mut writer = Writer { out: &mut self.out, n, states, entry: 8 * states, is_negative };
        for group in &product.groups {
            if is_negative { writer.negative(group) } else { writer.gram(group) }
        }
        if !is_negative {
            writer.mirror();
        }
        self.load_bases_again();
    }

    /// Loads the address of an array into a register.
    fn array(&mut self, array: ArrayId, to: X) {
        match self.lowered.arrays[array.index()] {
            At::Work(begin) => {
                let address = self.work(begin);
                self.out.address(to, address);
            }
            At::Pointer => {
                let location = self.kernel.arrays[array.index()].location;
                let place = Pointers::place(location).expect("looked at when the body was made");
                self.out.load_general(to, Address { base: POINTERS, bytes: 8 * place as u32 });
            }
        }
    }
}

impl Writer<'_> {
    /// Offset of an entry from the first one, in bytes.
    fn at(&self, row: usize, column: usize) -> usize {
        (column * self.n + row) * self.entry
    }

    /// Writes an address that is `bytes` further to a register.
    fn address(&mut self, to: X, base: X, bytes: usize) {
        self.out.address(to, Address { base, bytes: bytes as u32 });
    }

    /// Does something so often: again and again, or in a loop where that is more than a few times.
    fn repeat(&mut self, count: usize, mut step: impl FnMut(&mut Self)) {
        if count <= UNROLLED {
            return (0..count).for_each(|_| step(self));
        }
        self.out.number(COUNTER, count as u32);
        let again = self.out.here();
        step(self);
        self.out.push(encode::sub_immediate(COUNTER, COUNTER, 1));
        self.out.push(encode::cbnz(COUNTER, self.out.distance(again)));
    }

    /// `-a x` over `x` in a group's columns.
    fn negative(&mut self, group: &ColumnGroup) {
        for (column, columns) in chunks(group.columns, TILE.1) {
            self.copy(column, columns);
            let steps = Steps { column: self.at(0, 1), term: self.entry };
            for block in &group.blocks {
                self.tiles(block.rows, &block.terms, steps, (column, columns));
            }
        }
    }

    /// Copies some columns of `x`, since their sums are written over `x`.
    fn copy(&mut self, column: usize, columns: usize) {
        let numbers = columns * self.n * self.states;
        let at = self.at(0, column);
        self.address(FROM, RESULT, at);
        self.address(TO, COPY, 0);
        self.repeat(numbers / 2, |w| {
            w.out.push(encode::ldr_q_post(register(0), FROM, 16));
            w.out.push(encode::str_q_post(register(0), TO, 16));
        });
        if numbers % 2 == 1 {
            self.out.load(Width::One, register(0), Address { base: FROM, bytes: 0 });
            self.out.store(Width::One, Address { base: TO, bytes: 0 }, register(0));
        }
    }

    /// `g d g^T` in a group's columns, on and below the diagonal.
    fn gram(&mut self, group: &ColumnGroup) {
        let Some(own) = group.blocks.last() else { return };
        let steps = Steps { column: self.entry, term: COLUMNS * self.entry };
        for (column, columns) in chunks(group.columns, TILE.1) {
            self.scaled(&own.terms, column, columns, steps);
            for block in &group.blocks {
                let rows = (block.rows.0.max(column), block.rows.1.max(column));
                self.tiles(rows, &block.terms, steps, (column, columns));
            }
        }
    }

    /// Writes `d g^T` in these columns to the free memory: a row for each term.
    fn scaled(&mut self, terms: &[Range], column: usize, columns: usize, steps: Steps) {
        let bytes = (columns * self.entry) as u32;
        for &(from, to) in terms {
            let (d, g) = (from * self.entry, self.at(column, from));
            self.address(OTHER, SECOND, d);
            self.address(FROM, A, g);
            self.address(TO, COPY, from * steps.term);
            self.repeat(to - from, |w| {
                let (d, x) = (register(0), register(1));
                let here = |base: X, bytes: u32| Address { base, bytes };
                if w.states == 1 {
                    w.out.load_splat(Width::Two, d, here(OTHER, 0));
                } else {
                    w.out.load(Width::Two, d, here(OTHER, 0));
                }
                for at in (0..bytes).step_by(16) {
                    let width = if bytes - at < 16 { Width::One } else { Width::Two };
                    w.out.load(width, x, here(FROM, at));
                    w.out.three(&MUL, Width::Two, x, d, x);
                    w.out.store(width, here(TO, at), x);
                }
                w.address(OTHER, OTHER, w.entry);
                w.address(FROM, FROM, w.at(0, 1));
                w.address(TO, TO, steps.term);
            });
        }
    }

    /// The sums of these rows and columns, as many at once as there are registers for.
    fn tiles(&mut self, (from, to): Range, terms: &[Range], steps: Steps, columns: (usize, usize)) {
        let most = TILE.0 * 2 / self.states;
        for row in (from..to).step_by(most) {
            self.tile((row, most.min(to - row)), terms, steps, columns);
        }
    }

    /// Number of lanes in memory of each register, for this many rows.
    fn widths(&self, rows: usize) -> Vec<Width> {
        let numbers = rows * self.states;
        let mut widths = vec![Width::Two; numbers / 2];
        widths.resize(numbers.div_ceil(2), Width::One);
        widths
    }

    /// The sums of a tile, from this row and column on.
    fn tile(
        &mut self,
        (row, rows): (usize, usize),
        terms: &[Range],
        steps: Steps,
        (column, columns): (usize, usize),
    ) {
        let widths = self.widths(rows);
        let sum = |part: usize, c: usize| register(c * TILE.0 + part);
        for c in 0..columns {
            (0..widths.len()).for_each(|p| self.out.push(encode::movi_2d_zero(sum(p, c))));
        }
        for &(from, to) in terms {
            let at = self.at(row, from);
            self.address(FROM, A, at);
            self.address(OTHER, COPY, from * steps.term);
            self.repeat(to - from, |w| w.term(&widths, columns, steps));
        }
        let at = self.at(row, column);
        self.address(TO, RESULT, at);
        for c in 0..columns {
            for (p, width) in widths.iter().enumerate() {
                self.out.store(*width, Address { base: TO, bytes: 16 * p as u32 }, sum(p, c));
            }
            if c + 1 < columns {
                self.address(TO, TO, self.at(0, 1));
            }
        }
    }

    /// Adds one term to the sums of a tile, and goes to the next one.
    fn term(&mut self, widths: &[Width], columns: usize, steps: Steps) {
        for (p, width) in widths.iter().enumerate() {
            // Of one row, the upper half is a row of zeros, and is not stored.
            self.out.load(*width, register(ROWS + p), Address { base: FROM, bytes: 16 * p as u32 });
        }
        for c in 0..columns {
            let number = register(NUMBERS + c);
            let width = if self.states == 1 { Width::One } else { Width::Two };
            self.out.load(width, number, Address { base: OTHER, bytes: (c * steps.column) as u32 });
            for p in 0..widths.len() {
                let (sum, rows) = (register(c * TILE.0 + p), register(ROWS + p));
                self.out.push(match (self.states, self.is_negative) {
                    (1, true) => encode::fmls_2d_element(sum, rows, number, 0),
                    (1, false) => encode::fmla_2d_element(sum, rows, number, 0),
                    (_, true) => encode::fmls_2d(sum, rows, number),
                    (_, false) => encode::fmla_2d(sum, rows, number),
                });
            }
        }
        self.address(FROM, FROM, self.at(0, 1));
        self.address(OTHER, OTHER, steps.term);
    }

    /// Entries above the diagonal, from those below.
    fn mirror(&mut self) {
        let n = self.n;
        if n < 2 {
            return;
        }
        let [below, above, left] = OUTER;
        let (first, next, diagonal) = (self.at(1, 0), self.at(0, 1), self.at(1, 1));
        self.address(below, RESULT, first);
        self.address(above, RESULT, next);
        self.out.number(left, n as u32 - 1);
        let column = self.out.here();
        self.address(FROM, below, 0);
        self.address(TO, above, 0);
        self.address(COUNTER, left, 0);
        let row = self.out.here();
        let (load, store) = if self.states == 1 {
            (encode::ldr_d_post(register(0), FROM, 8), encode::str_d(register(0), TO, 0))
        } else {
            (encode::ldr_q_post(register(0), FROM, 16), encode::str_q(register(0), TO, 0))
        };
        self.out.push(load);
        self.out.push(store);
        self.address(TO, TO, next);
        self.out.push(encode::sub_immediate(COUNTER, COUNTER, 1));
        self.out.push(encode::cbnz(COUNTER, self.out.distance(row)));
        self.address(below, below, diagonal);
        self.address(above, above, diagonal);
        self.out.push(encode::sub_immediate(left, left, 1));
        self.out.push(encode::cbnz(left, self.out.distance(column)));
    }
}
