//! Routines that kernels call.

use crate::arrays::{Arrays, Location};
use crate::lower::{Memory, Routine};
use crate::{Number, calls, products, sines};

impl Routine {
    /// Runs the routine, for several states side by side.
    pub fn run<T: Number>(&self, states: usize, arrays: &mut Arrays<'_, '_, T>) {
        match self {
            Self::Sines { count, angles, sin, cos } => {
                let Arrays { arrays, inputs, zeros, outputs, work } = arrays;
                let count = *count as usize * states;
                let (before, sines) = work.split_at_mut(*sin as usize * states);
                let (sin, cos) = sines.split_at_mut((*cos - *sin) as usize * states);
                let (row, begin) = match *angles {
                    Memory::Work(begin) => (&*before, begin),
                    Memory::Entry(place) => {
                        let row = match arrays[place.array.index()].location {
                            Location::Input(k) => inputs.get(k).copied().unwrap_or(zeros),
                            Location::Output(k) => &*outputs[k],
                            Location::Work(begin) => &before[begin..],
                        };
                        (row, place.index)
                    }
                    Memory::Splat(_) | Memory::Constant(_) => unreachable!("angles are in a row"),
                };
                let angles = &row[begin as usize * states..][..count];
                sines::sines_and_cosines(angles, &mut sin[..count], &mut cos[..count]);
            }
            Self::Product { product, rows, columns } => {
                debug_assert_eq!(states, 1, "machine code has products of its own");
                products::multiply(product, *rows, *columns as usize, arrays);
            }
            Self::Call { call, reads, results, memory } => {
                debug_assert_eq!(states, 1, "loops fill registers with one state");
                calls::run(call, reads, results, *memory as usize, arrays);
            }
        }
    }
}
