//! Numbers of states in rows, side by side for lanes and back.

use crate::Number;

#[cfg(target_arch = "x86_64")]
use crate::x86_64;
use crate::zeros::Blocks;
#[cfg(target_arch = "x86_64")]
use std::sync::OnceLock;

/// Numbers of a state that are moved together, at least.
pub const BLOCK: usize = 4;

/// Numbers of a state that are moved together where there are so many.
pub const fn tile(states: usize) -> usize {
    2 * states
}

/// Moves numbers of so many states.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    states: usize,
    #[cfg(target_arch = "x86_64")]
    native: Option<&'static x86_64::Turn>,
}

impl Turn {
    /// For so many states side by side, which this processor's code has. Of doubles it is machine code.
    pub fn of<T: Number>(states: usize) -> Self {
        #[cfg(target_arch = "x86_64")]
        static MADE: [OnceLock<Option<x86_64::Turn>>; 2] = [const { OnceLock::new() }; 2];
        Self {
            states,
            #[cfg(target_arch = "x86_64")]
            native: match states {
                _ if !T::IS_DOUBLE => None,
                4 => MADE[0].get_or_init(|| x86_64::Turn::new(x86_64::Level::Avx2, 4)).as_ref(),
                8 => MADE[1].get_or_init(|| x86_64::Turn::new(x86_64::Level::Avx512, 8)).as_ref(),
                _ => None,
            },
        }
    }

    /// Rows of some states, side by side. Where there are fewer states, the last one is repeated.
    pub fn pack<T: Number>(&self, rows: &[T], length: usize, packed: &mut [T], blocks: &Blocks) {
        #[cfg(target_arch = "x86_64")]
        if let Some(native) = self.native
            && length >= BLOCK
            && rows.len() == length * self.states
        {
            return native.pack(rows, length, packed, &blocks.all);
        }
        let _ = blocks;
        let last = (rows.len() / length.max(1)).saturating_sub(1);
        for (k, packed) in packed.chunks_exact_mut(self.states).take(length).enumerate() {
            for (state, x) in packed.iter_mut().enumerate() {
                *x = rows[state.min(last) * length + k];
            }
        }
    }

    /// Rows of some states, which were side by side; zeros where these are known.
    pub fn unpack<T: Number>(&self, packed: &[T], rows: &mut [T], length: usize, blocks: &Blocks) {
        #[cfg(target_arch = "x86_64")]
        if let Some(native) = self.native
            && length >= BLOCK
            && rows.len() == length * self.states
        {
            native.unpack(packed, rows, length, blocks.numbers.each_ref().map(Vec::as_slice));
            return native.clear(rows, length, blocks.zeros.each_ref().map(Vec::as_slice));
        }
        let _ = blocks;
        for (state, row) in rows.chunks_exact_mut(length.max(1)).enumerate() {
            for (x, packed) in row.iter_mut().zip(packed.chunks_exact(self.states)) {
                *x = packed[state];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// There and back, whatever is zero.
    #[test]
    fn rows_come_back() {
        for states in [4, 8] {
            for length in 0..70 {
                for count in [1, states - 1, states] {
                    let is_nonzero: Vec<bool> = (0..length).map(|k| k % 7 > 2 && k / 20 != 1).collect();
                    let number = |k: usize| if is_nonzero[k % length] { 1.0 + k as f64 } else { 0.0 };
                    let rows: Vec<f64> = (0..count * length).map(number).collect();
                    let mut packed = vec![0.5; length * states];
                    let turn = Turn::of::<f64>(states);
                    turn.pack(&rows, length, &mut packed, &Blocks::new(&vec![true; length], states));
                    for (k, x) in packed.iter().enumerate() {
                        let (entry, state) = (k / states, (k % states).min(count - 1));
                        assert_eq!(*x, rows[state * length + entry], "{entry} of {length}, {state}");
                    }
                    let mut back = vec![0.25; count * length];
                    turn.unpack(&packed, &mut back, length, &Blocks::new(&is_nonzero, states));
                    assert_eq!(back, rows, "{states}, {length}, {count}");
                }
            }
        }
    }
}
