//! Errors of fixed point, by running functions on integers and on `f64` over random states.

use crate::formats::Formats;
use crate::integers::Integers;
use crate::range::{self, Limits, bits_before, inputs};
use crate::straight::Straight;
use crate::{Angles, Format};
use rbd_runtime::Model;

/// Largest error of an output array.
#[derive(Clone, Debug, PartialEq)]
pub struct Error {
    /// Name of the array.
    pub name: &'static str,
    /// Largest error against `f64` with exact inputs, in the array's unit.
    pub worst: f64,
    /// Row of the largest error.
    pub row: usize,
    /// Largest magnitude of an entry.
    pub largest: f64,
}

/// Largest errors of each array over random states.
pub fn errors(
    straight: &Straight,
    formats: &Formats,
    model: &Model<f64>,
    limits: Limits,
    states: u64,
) -> Vec<Error> {
    let mut all: Vec<Error> = Vec::new();
    let integers = Integers::new(straight, formats, Angles::Inside).expect("all is taken inside");
    for seed in 0..states {
        let state = limits.state(model, seed);
        let exact = straight.results_of(&straight.run(&inputs(&straight.inputs, model, &state)));
        let found = integers.numbers(&integers.run(&integers.inputs_at(model, &state)));
        for ((entry, x), y) in straight.results.iter().zip(exact).zip(found) {
            let name = entry.element.name;
            let k = all.iter().position(|e| e.name == name).unwrap_or_else(|| {
                all.push(Error { name, worst: 0.0, row: 0, largest: 0.0 });
                all.len() - 1
            });
            all[k].largest = all[k].largest.max(x.abs());
            if (x - y).abs() > all[k].worst {
                (all[k].worst, all[k].row) = ((x - y).abs(), entry.row);
            }
        }
    }
    all
}

/// Bits that a function needs, and its errors in a format.
#[derive(Clone, Debug)]
pub struct Precision {
    /// Bits before the point that random states need, sign included.
    pub by_states: i32,
    /// Bits before the point that suffice for every state, by intervals. `None` if they are unbounded.
    pub by_intervals: Option<i32>,
    /// Largest value that must fit, and the inputs on which it depends.
    pub largest: (f64, Vec<crate::straight::Element>),
    /// Errors in the format. With too few bits, they are as large as the numbers.
    pub errors: Vec<Error>,
    /// Errors with a format for each value of equal width, if the common format has too few bits.
    pub errors_by_value: Option<Vec<Error>>,
}

impl Precision {
    /// Measures a function in a format.
    pub fn new(straight: &Straight, model: &Model<f64>, format: Format, limits: Limits, states: u64) -> Self {
        let found = range::by_states(straight, model, limits, states);
        let bound = range::by_intervals(straight, model, limits);
        let (value, largest) = straight.largest(&found).unwrap_or((0, 0.0));
        let by_states = bits_before(largest).unwrap_or(i32::MAX);
        let common = Formats::common(straight, format);
        let fits = by_states <= format.bits as i32 - format.frac as i32;
        let errors_by_value = (!fits).then(|| {
            let formats = Formats::each(straight, model, limits, format);
            errors(straight, &formats, model, limits, states)
        });
        Self {
            by_states,
            by_intervals: straight.largest(&bound).map_or(Some(1), |(_, most)| bits_before(most)),
            largest: (largest, if straight.ops.is_empty() { Vec::new() } else { straight.depends_on(value) }),
            errors: errors(straight, &common, model, limits, states),
            errors_by_value,
        }
    }

    /// True if random states fit the format.
    pub fn fits(&self, format: Format) -> bool {
        self.by_states <= format.bits as i32 - format.frac as i32
    }
}
