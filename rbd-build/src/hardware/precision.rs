//! What fixed point loses: functions run on integers and on `f64`, over random states.

use super::range::{self, Limits, bits_before};
use super::straight::{Op, Operand, Straight};
use super::{Format, range::inputs};
use rbd_runtime::Model;
use rbd_runtime::fixed::{SineSteps, sine, wrap};

/// Bits behind the point, by operation.
#[derive(Clone, Debug)]
pub struct Formats {
    /// Bits of every number.
    pub bits: u32,
    /// Bits behind the point of each value; negative where even the last one counts more than 1.
    frac: Vec<i32>,
    /// Those of constants, where all have the same.
    constants: Option<i32>,
}

impl Formats {
    /// One format for all: what runs so is [`rbd_runtime::Fixed`], bit for bit.
    pub fn common(straight: &Straight, format: Format) -> Self {
        let frac = format.frac as i32;
        Self { bits: format.bits, frac: vec![frac; straight.ops.len()], constants: Some(frac) }
    }

    /// A format for each value: as many bits behind the point as twice these magnitudes leave.
    pub fn by_value(straight: &Straight, bits: u32, magnitudes: &[f64]) -> Self {
        let of = |(op, magnitude): (&Op, &f64)| {
            // What has no bound gets one anyway; nothing stands more than so far behind the point.
            let before = bits_before(2.0 * magnitude).unwrap_or(bits as i32);
            let frac = (bits as i32 - before).clamp(-16, 40);
            match op {
                // The integer sine takes and gives no more than this.
                Op::Sin(_) | Op::Cos(_) | Op::Input(_) => frac.clamp(1, bits as i32 - 2),
                _ => frac,
            }
        };
        let mut frac: Vec<i32> = straight.ops.iter().zip(magnitudes).map(of).collect();
        for op in &straight.ops {
            if let Op::Sin(Operand::Value(k)) | Op::Cos(Operand::Value(k)) = op {
                frac[*k as usize] = frac[*k as usize].clamp(1, bits as i32 - 2);
            }
        }
        Self { bits, frac, constants: None }
    }

    fn of(&self, operand: Operand) -> i32 {
        match operand {
            Operand::Value(k) => self.frac[k as usize],
            Operand::Const(x) => self.constants.unwrap_or_else(|| {
                (self.bits as i32 - bits_before(x).expect("constants are finite")).clamp(-16, 40)
            }),
        }
    }
}

/// The nearest in steps of `2^-to` of a number in steps of `2^-from`, ties upwards.
fn rescaled(x: i128, from: i32, to: i32) -> i128 {
    match from - to {
        0 => x,
        shift @ 1.. => (x + (1 << (shift - 1))) >> shift,
        shift => x << -shift,
    }
}

impl Straight {
    /// The results for these inputs, on integers in these formats.
    pub fn run_on_integers(&self, formats: &Formats, inputs: &[f64]) -> Vec<f64> {
        let bits = formats.bits;
        let mut values: Vec<i32> = Vec::with_capacity(self.ops.len());
        let most = (1_i128 << (bits - 1)) - 1;
        let quantised = |x: f64, frac: i32| {
            (x * 2_f64.powi(frac) + 0.5).floor().clamp(-(most as f64) - 1.0, most as f64) as i32
        };
        let wrapped = |x: i128| wrap(x as i64, bits);
        for (k, op) in self.ops.iter().enumerate() {
            let to = formats.frac[k];
            let of = |operand: Operand| match operand {
                Operand::Const(x) => quantised(x, formats.of(operand)),
                Operand::Value(k) => values[k as usize],
            };
            let scaled = |operand: Operand| match operand {
                // A constant of a sum is made in the sum's format.
                Operand::Const(x) => i128::from(quantised(x, to)),
                Operand::Value(_) => rescaled(of(operand).into(), formats.of(operand), to),
            };
            let value = match *op {
                Op::Input(i) => quantised(inputs[i as usize], to),
                Op::Sin(a) | Op::Cos(a) => {
                    let turn_shift = formats.of(a) as u32 + 1;
                    let steps = SineSteps { turn_shift, ..SineSteps::new(to as u32, bits) };
                    let turns = rbd_runtime::fixed::product(of(a), steps.turn, turn_shift, bits);
                    let ahead = if matches!(op, Op::Cos(_)) { 1 << (bits - 2) } else { 0 };
                    sine(wrap(i64::from(turns) + ahead, bits), &steps)
                }
                Op::Mul { a, b, negated } => {
                    let x = if negated { wrap(-i64::from(of(a)), bits) } else { of(a) };
                    let exact = i128::from(x) * i128::from(of(b));
                    wrapped(rescaled(exact, formats.of(a) + formats.of(b), to))
                }
                Op::Add(a, b) => wrapped(scaled(a) + scaled(b)),
                Op::Sub(a, b) => wrapped(scaled(a) - scaled(b)),
                Op::Sqrt(a) => {
                    let x = f64::from(of(a).max(0)) * (-f64::from(formats.of(a))).exp2();
                    quantised(x.sqrt(), to)
                }
                Op::Recip(a) => {
                    let (below, above) = (i128::from(of(a)), 1_i128 << (formats.of(a) + to).max(0));
                    match below {
                        0 => most as i32,
                        _ => {
                            let quotient = (above + below.abs() / 2) / below;
                            quotient.clamp(-most - 1, most) as i32
                        }
                    }
                }
            };
            values.push(value);
        }
        let result = |e: &super::straight::Entry| {
            let x = match e.from {
                Operand::Const(x) => {
                    let frac = formats.of(e.from);
                    f64::from(quantised(x, frac)) / 2_f64.powi(frac)
                }
                Operand::Value(k) => f64::from(values[k as usize]) / 2_f64.powi(formats.frac[k as usize]),
            };
            if e.negated { -x } else { x }
        };
        self.results.iter().map(result).collect()
    }
}

/// The largest error of an array that a function gives.
#[derive(Clone, Debug, PartialEq)]
pub struct Error {
    /// The array.
    pub name: &'static str,
    /// Its largest error, in its unit, against `f64` and exact inputs.
    pub worst: f64,
    /// The row in which that is.
    pub row: usize,
    /// The largest magnitude of its entries.
    pub largest: f64,
}

/// The largest errors over so many random states, array by array.
pub fn errors(
    straight: &Straight,
    formats: &Formats,
    model: &Model<f64>,
    limits: Limits,
    states: u64,
) -> Vec<Error> {
    let mut all: Vec<Error> = Vec::new();
    for seed in 0..states {
        let given = inputs(&straight.inputs, model, &limits.state(model, seed));
        let exact = straight.results_of(&straight.run(&given));
        let found = straight.run_on_integers(formats, &given);
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

/// What a function needs of a format, and what it loses.
#[derive(Clone, Debug)]
pub struct Precision {
    /// Bits before the point, the sign included, that random states need.
    pub by_states: i32,
    /// Bits that intervals give as enough for every state; `None` where they have no bound.
    pub by_intervals: Option<i32>,
    /// The largest value that has to fit, and the inputs that it depends on.
    pub largest: (f64, Vec<super::straight::Element>),
    /// Errors in the format; where it has too few bits they are as large as the numbers.
    pub errors: Vec<Error>,
    /// Errors with a format for each value and as many bits in all, where the common one has too few.
    pub errors_by_value: Option<Vec<Error>>,
}

impl Precision {
    /// Of a function in a format.
    pub fn new(straight: &Straight, model: &Model<f64>, format: Format, limits: Limits, states: u64) -> Self {
        let found = range::by_states(straight, model, limits, states);
        let bound = range::by_intervals(straight, model, limits);
        let (value, largest) = straight.largest(&found).unwrap_or((0, 0.0));
        let by_states = bits_before(largest).unwrap_or(i32::MAX);
        let common = Formats::common(straight, format);
        let fits = by_states <= format.bits as i32 - format.frac as i32;
        let errors_by_value = (!fits).then(|| {
            let formats = Formats::by_value(straight, format.bits, &found);
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

    /// Whether random states fit the format.
    pub fn fits(&self, format: Format) -> bool {
        self.by_states <= format.bits as i32 - format.frac as i32
    }
}
