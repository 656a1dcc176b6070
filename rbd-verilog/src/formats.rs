//! Formats of values: the number of bits behind each point.

use crate::range::{Limits, bits_before, by_seeds};
use crate::straight::{Element, Op, Operand, Straight};
use crate::{Format, Refusal};
use rbd_runtime::Model;
use std::ops::Range;

/// Seeds of the random states by which formats are chosen and checked. Tests and vectors use others.
const STATES: Range<u64> = 1 << 32..(1 << 32) + 2000;
/// Safety factor on magnitudes found in random states: two bits.
///
/// With one bit and a tenth of the states, a value of iiwa14's `aba_derivatives` wrapped in one of a
/// thousand others.
const TO_SPARE: f64 = 4.0;
/// Most bits behind a point.
const MOST: u32 = 40;
/// Most bits that a product drops, and that a reciprocal's numerator has. Both fit 64 bits.
pub(super) const WIDEST: u32 = 62;

/// Bits behind the point of each value.
#[derive(Clone, Debug)]
pub struct Formats {
    /// Bits of every number, and default bits behind the point.
    pub format: Format,
    /// Bits behind the point, for each operation.
    pub(super) frac: Vec<u32>,
    /// True if all constants have the common format. Else each has as many bits behind the point as fit.
    common_constants: bool,
    /// True if all values have one format.
    pub is_common: bool,
}

impl Formats {
    /// One format for all values. Results are those of [`rbd_runtime::Fixed`], bit for bit.
    pub fn common(straight: &Straight, format: Format) -> Self {
        let frac = vec![format.frac; straight.ops.len()];
        Self { format, frac, common_constants: true, is_common: true }
    }

    /// A format for each value, with room for four times its magnitude in random states.
    ///
    /// All entries of an input array share a format.
    ///
    /// Terms of a sum are rounded to the sum's format. Terms alone need not fit, since integers wrap.
    pub fn each(straight: &Straight, model: &Model<f64>, limits: Limits, format: Format) -> Self {
        let magnitudes = by_seeds(straight, model, limits, STATES);
        let bits = format.bits;
        let own = |magnitude: f64| fitting(bits, TO_SPARE * magnitude);
        let mut frac: Vec<u32> = magnitudes.iter().map(|m| own(*m)).collect();
        for (k, op) in straight.ops.iter().enumerate() {
            match *op {
                // An angle that is no coordinate is such a value. The integer sine accepts and returns no
                // more bits than `bits - 2`.
                Op::Sin(Operand::Value(angle)) | Op::Cos(Operand::Value(angle)) => {
                    frac[angle as usize] = frac[angle as usize].min(bits - 2);
                    frac[k] = frac[k].min(bits - 2);
                }
                _ => {}
            }
        }
        let is_input =
            |op: &Op, name: &str| matches!(op, Op::Input(i) if straight.inputs[*i as usize].name == name);
        for name in straight.names_of_inputs() {
            let of_name = || (0..frac.len()).filter(|k| is_input(&straight.ops[*k], name));
            let least = of_name().map(|k| frac[k]).min().unwrap_or(1).min(bits - 2);
            let places: Vec<usize> = of_name().collect();
            places.into_iter().for_each(|k| frac[k] = least);
        }
        let mut formats = Self { format, frac, common_constants: false, is_common: false };
        // Parts of sums. Each precedes the only operation that reads it.
        for (k, reader) in straight.parts_of_sums().into_iter().enumerate().rev() {
            if let Some(reader) = reader {
                formats.frac[k] = formats.frac[reader];
            }
        }
        for (k, op) in straight.ops.iter().enumerate() {
            formats.frac[k] = match *op {
                Op::Mul { a, b, .. } => {
                    let exact = formats.of(a) + formats.of(b);
                    // Rounding drops at least one bit.
                    formats.frac[k].clamp(exact.saturating_sub(WIDEST), exact - 1)
                }
                Op::Recip(a) => formats.frac[k].min(WIDEST - formats.of(a)),
                _ => formats.frac[k],
            };
        }
        formats
    }

    /// Formats of [`Straight::gradient`], where M^-1 and values computed from it exceed torques.
    ///
    /// They have room for twice their magnitude in random states, and at most the common format's bits behind
    /// the point.
    /// Other values have the common format.
    pub fn gradient(straight: &Straight, model: &Model<f64>, limits: Limits, format: Format) -> Self {
        let found = by_seeds(straight, model, limits, STATES);
        let of = |values: &mut dyn Iterator<Item = f64>| {
            fitting(format.bits, 2.0 * values.fold(0.0, f64::max)).min(format.frac)
        };
        let is_minv =
            |k: usize| matches!(straight.ops[k], Op::Input(i) if straight.inputs[i as usize].name == "minv");
        let minv = of(&mut (0..found.len()).filter(|k| is_minv(*k)).map(|k| found[k]));
        let results = of(&mut straight.results.iter().filter_map(|e| match e.from {
            Operand::Value(k) => Some(found[k as usize]),
            Operand::Const(_) => None,
        }));
        let mut formats = Self { is_common: false, ..Self::common(straight, format) };
        for (k, depends) in straight.depending_on("minv").into_iter().enumerate() {
            if depends {
                formats.frac[k] = if is_minv(k) { minv } else { results };
            }
        }
        formats
    }

    /// Bits behind the point of an operand.
    pub(super) fn of(&self, operand: Operand) -> u32 {
        match operand {
            Operand::Value(k) => self.frac[k as usize],
            Operand::Const(_) if self.common_constants => self.format.frac,
            Operand::Const(x) => fitting(self.format.bits, x),
        }
    }

    /// Bits behind the point of an output array: the fewest of its entries.
    pub(super) fn of_result(&self, straight: &Straight, element: Element) -> u32 {
        let entries = straight.results.iter().filter(|e| e.element.name == element.name);
        let fracs = entries.filter_map(|e| match e.from {
            Operand::Value(k) => Some(self.frac[k as usize]),
            Operand::Const(_) => None,
        });
        fracs.min().unwrap_or(self.format.frac)
    }

    /// Checks that values fit, over random states.
    ///
    /// # Errors
    /// The value that exceeds its format most.
    pub fn check(&self, straight: &Straight, model: &Model<f64>, limits: Limits) -> Result<(), Refusal> {
        let found = by_seeds(straight, model, limits, STATES);
        let has_to = straight.has_to_fit();
        let needed = |k: usize| bits_before(found[k]).map_or(i32::MAX, |before| before + self.frac[k] as i32);
        let worst = (0..found.len()).filter(|k| has_to[*k]).max_by_key(|k| needed(*k));
        match worst.map(|k| (k, needed(k))) {
            Some((k, needed)) if needed > self.format.bits as i32 => {
                let format = Format { frac: self.frac[k], ..self.format };
                Err(Refusal::DoesNotFit { largest: found[k], needed, format })
            }
            _ => Ok(()),
        }
    }
}

/// Most bits behind the point with which a magnitude fits.
fn fitting(bits: u32, magnitude: f64) -> u32 {
    let before = bits_before(magnitude).unwrap_or(bits as i32);
    (bits as i32 - before).clamp(1, MOST as i32) as u32
}

impl Straight {
    /// Names of the input arrays.
    fn names_of_inputs(&self) -> Vec<&'static str> {
        let mut names: Vec<&'static str> = self.inputs.iter().map(|e| e.name).collect();
        names.dedup();
        names
    }

    /// For each operation, the sum of which it is a part: a sum, difference or product that nothing else
    /// reads.
    fn parts_of_sums(&self) -> Vec<Option<usize>> {
        let mut readers: Vec<Vec<usize>> = vec![Vec::new(); self.ops.len()];
        for (k, op) in self.ops.iter().enumerate() {
            for operand in op.operands() {
                if let Operand::Value(v) = operand {
                    readers[v as usize].push(k);
                }
            }
        }
        for entry in &self.results {
            // A result is no part, since it is also output.
            if let Operand::Value(v) = entry.from {
                readers[v as usize].push(usize::MAX);
            }
        }
        let is_sum = |k: usize| k < self.ops.len() && matches!(self.ops[k], Op::Add(..) | Op::Sub(..));
        let part = |k: usize| match (self.ops[k], &readers[k][..]) {
            (Op::Add(..) | Op::Sub(..) | Op::Mul { .. }, [only]) if is_sum(*only) => Some(*only),
            _ => None,
        };
        (0..self.ops.len()).map(part).collect()
    }
}
