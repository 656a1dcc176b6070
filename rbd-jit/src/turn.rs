//! Numbers of states in rows, side by side for lanes and back.

use crate::Number;
use crate::blocks::Blocks;

#[cfg(target_arch = "x86_64")]
use crate::blocks::BLOCK;
#[cfg(target_arch = "x86_64")]
use crate::x86_64::{self, Level};
#[cfg(target_arch = "x86_64")]
use std::sync::OnceLock;

/// Moves numbers of this many states between rows and lanes.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    states: usize,
    #[cfg(target_arch = "x86_64")]
    native: Option<&'static x86_64::Turn>,
}

impl Turn {
    /// Prepares moves of this many states side by side: by machine code, if the states fill a register of
    /// this processor.
    pub fn of<T: Number>(states: usize) -> Self {
        #[cfg(target_arch = "x86_64")]
        static MADE: [OnceLock<Option<x86_64::Turn>>; 4] = [const { OnceLock::new() }; 4];
        #[cfg(target_arch = "x86_64")]
        let made = |k: usize, level| MADE[k].get_or_init(|| x86_64::Turn::new::<T>(level, states)).as_ref();
        Self {
            states,
            #[cfg(target_arch = "x86_64")]
            native: match (T::IS_DOUBLE, states) {
                (true, 4) => made(0, Level::Avx2),
                (true, 8) => made(1, Level::Avx512),
                (false, 8) => made(2, Level::Avx2),
                (false, 16) => made(3, Level::Avx512),
                _ => None,
            },
        }
    }

    /// Rows of some states, side by side. Where there are fewer states, the last one is repeated.
    pub fn pack<T: Number>(&self, rows: &[T], packed: &mut [T], blocks: &Blocks) {
        let length = blocks.length();
        #[cfg(target_arch = "x86_64")]
        if let Some(native) = self.native
            && length >= BLOCK
            && rows.len() == length * self.states
        {
            return native.pack(rows, packed, blocks);
        }
        let last = (rows.len() / length.max(1)).saturating_sub(1);
        for (k, packed) in packed.chunks_exact_mut(self.states).take(length).enumerate() {
            for (state, x) in packed.iter_mut().enumerate() {
                *x = rows[state.min(last) * length + k];
            }
        }
    }

    /// Rows of some states, which were side by side; zeros where these are known, unless they are there.
    pub fn unpack<T: Number>(&self, packed: &[T], rows: &mut [T], blocks: &Blocks, are_zeros_there: bool) {
        let length = blocks.length();
        #[cfg(target_arch = "x86_64")]
        if let Some(native) = self.native
            && length >= BLOCK
            && rows.len() == length * self.states
        {
            return native.unpack(packed, rows, blocks, are_zeros_there);
        }
        let count = rows.len() / length.max(1);
        let lanes = |k: usize| &packed[blocks.entry(k) * self.states..][..count];
        if length == 1 {
            rows.copy_from_slice(lanes(0));
            return;
        }
        for k in 0..length {
            for (row, lane) in rows.chunks_exact_mut(length).zip(lanes(k)) {
                row[k] = *lane;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows come back the same, whatever is zero.
    #[test]
    fn rows_come_back() {
        for states in [4, 8] {
            come_back::<f64>(states);
        }
        for states in [8, 16] {
            come_back::<f32>(states);
        }
    }

    fn come_back<T: Number>(states: usize) {
        let turn = Turn::of::<T>(states);
        for length in 0..70 {
            for count in [1, states - 1, states] {
                let is_nonzero = |k: usize| k % 7 > 2 && k / 20 != 1;
                let number = |k: usize| if is_nonzero(k % length) { 1.0 + k as f64 } else { 0.0 };
                let rows: Vec<T> = (0..count * length).map(|k| T::from_f64(number(k))).collect();
                let mut packed = vec![T::from_f64(0.5); length * states];
                turn.pack(&rows, &mut packed, &Blocks::in_order::<T>(length, states));
                for (k, x) in packed.iter().enumerate() {
                    let (entry, state) = (k / states, (k % states).min(count - 1));
                    assert_eq!(*x, rows[state * length + entry], "{entry} of {length}, {state}");
                }
                let what = format!("{states}, {length}, {count}");
                let mut back = vec![T::from_f64(0.25); count * length];
                let numbers: Vec<_> = (0..length).map(|k| (k, is_nonzero(k))).collect();
                turn.unpack(&packed, &mut back, &Blocks::new::<T>(&numbers, states), false);
                assert_eq!(back, rows, "{what}");
                // Zeros that are there are left alone, or written again.
                let mut on_zeros = vec![T::zero(); count * length];
                turn.unpack(&packed, &mut on_zeros, &Blocks::new::<T>(&numbers, states), true);
                assert_eq!(on_zeros, rows, "{what}");
                // In another order, with some numbers twice and others not at all.
                let entry = |k: usize| (k * k + 3 * k) % length;
                let numbers: Vec<_> = (0..length).map(|k| (entry(k), is_nonzero(entry(k)))).collect();
                turn.unpack(&packed, &mut back, &Blocks::new::<T>(&numbers, states), false);
                for (k, x) in back.iter().enumerate() {
                    assert_eq!(*x, rows[k / length * length + entry(k % length)], "{what}: {k}");
                }
            }
        }
    }
}
