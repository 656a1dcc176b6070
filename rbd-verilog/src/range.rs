//! Magnitudes of values: upper bounds by intervals, and lower bounds over random states.
//!
//! Intervals ignore relations between values: a sine and a cosine are never both 1.
//! Products of inverse matrices are small, but intervals do not see it.
//! So intervals hold for every state but are often loose.
//! Of a sum only the whole has to fit, since integers wrap.

use crate::straight::{Element, Op, Operand, Straight};
use rbd_runtime::random::{Random, State};
use rbd_runtime::{JointKind, Model};
use std::fmt;
use std::str::FromStr;

/// Largest magnitudes of inputs, for rotating and sliding coordinates alike.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Configuration coordinates, rad or m. Quaternions have magnitude one.
    pub q: f64,
    /// Velocities, rad/s or m/s.
    pub v: f64,
    /// Accelerations, rad/s^2 or m/s^2.
    pub a: f64,
    /// Torques, N m or N.
    pub tau: f64,
    /// External forces and moments, N and N m.
    pub fext: f64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { q: 3.2, v: 2.0, a: 10.0, tau: 50.0, fext: 50.0 }
    }
}

impl fmt::Display for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { q, v, a, tau, fext } = self;
        write!(f, "q={q},v={v},a={a},tau={tau},fext={fext}")
    }
}

impl FromStr for Limits {
    type Err = String;

    /// Parses text such as `q=3,v=1.5,a=5`. Missing magnitudes have their default.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut limits = Self::default();
        for part in text.split(',') {
            let example = "write magnitudes as in q=3,v=1.5,a=5,tau=50,fext=20";
            let (name, number) = part.split_once('=').ok_or(format!("`{part}` has no `=`; {example}"))?;
            let limit = match name.trim() {
                "q" => &mut limits.q,
                "v" => &mut limits.v,
                "a" => &mut limits.a,
                "tau" => &mut limits.tau,
                "fext" => &mut limits.fext,
                other => return Err(format!("`{other}` is not among q, v, a, tau and fext; {example}")),
            };
            let magnitude = number.trim().parse::<f64>().ok().filter(|x| x.is_finite() && *x > 0.0);
            *limit = magnitude.ok_or(format!("`{number}` is no positive number; {example}"))?;
        }
        Ok(limits)
    }
}

impl Limits {
    /// A random state within the limits.
    pub fn state(&self, model: &Model<f64>, seed: u64) -> State {
        let random = &mut Random::new(seed ^ 0x1f2e_3d4c_5b6a_7988);
        let mut q = random.vector(model.nq, self.q);
        for body in &model.bodies {
            if matches!(body.kind, JointKind::Spherical | JointKind::Floating) {
                let at = body.idx_q + body.kind.nq() - 4;
                q.as_mut_slice()[at..at + 4].copy_from_slice(&random.quaternion());
            }
        }
        let forces = random.vector(6 * model.bodies.len(), self.fext);
        State {
            q,
            v: random.vector(model.nv, self.v),
            a: random.vector(model.nv, self.a),
            tau: random.vector(model.nv, self.tau),
            fext: (0..model.bodies.len()).map(|i| forces.fixed_rows::<6>(6 * i).into_owned()).collect(),
        }
    }

    /// Largest magnitude of an input. It is infinite for the inverse of the mass matrix.
    fn of(&self, model: &Model<f64>, element: Element) -> f64 {
        let is_quaternion = |index: usize| {
            model.bodies.iter().any(|body| {
                let at = body.idx_q + body.kind.nq().saturating_sub(4);
                let rotates = matches!(body.kind, JointKind::Spherical | JointKind::Floating);
                rotates && (at..at + 4).contains(&index)
            })
        };
        match element.name {
            "q" if is_quaternion(element.index) => 1.0,
            "q" => self.q,
            "v" => self.v,
            "a" => self.a,
            "tau" => self.tau,
            "fext" => self.fext,
            _ => f64::INFINITY,
        }
    }
}

/// Inputs at a state. The inverse of the mass matrix is the reference's.
pub fn inputs(elements: &[Element], model: &Model<f64>, state: &State) -> Vec<f64> {
    let minv = elements.iter().any(|e| e.name == "minv").then(|| model.minv(state.q.as_slice()));
    let of = |element: &Element| match element.name {
        "q" => state.q[element.index],
        "v" => state.v[element.index],
        "a" => state.a[element.index],
        "tau" => state.tau[element.index],
        "fext" => state.fext[element.index / 6][element.index % 6],
        "minv" => minv.as_ref().expect("it is computed where it is asked for")[element.index],
        other => unreachable!("{other} is no input"),
    };
    elements.iter().map(of).collect()
}

/// Largest magnitude of each operation within the limits, by intervals. Infinite if unknown.
pub fn by_intervals(straight: &Straight, model: &Model<f64>, limits: Limits) -> Vec<f64> {
    let mut intervals: Vec<(f64, f64)> = Vec::with_capacity(straight.ops.len());
    for op in &straight.ops {
        let of = |operand: Operand| match operand {
            Operand::Const(x) => (x, x),
            Operand::Value(k) => intervals[k as usize],
        };
        let interval = match *op {
            Op::Input(k) => {
                let most = limits.of(model, straight.inputs[k as usize]);
                (-most, most)
            }
            Op::Sin(_) | Op::Cos(_) => (-1.0, 1.0),
            Op::Add(a, b) => (of(a).0 + of(b).0, of(a).1 + of(b).1),
            Op::Sub(a, b) => (of(a).0 - of(b).1, of(a).1 - of(b).0),
            Op::Mul { a, b, negated } => {
                let (x, y) = (of(a), of(b));
                let ends = [x.0 * y.0, x.0 * y.1, x.1 * y.0, x.1 * y.1];
                // Infinity times zero.
                let ends = ends.map(|e| if e.is_nan() { 0.0 } else { e });
                let mut low = ends.into_iter().fold(f64::INFINITY, f64::min);
                let high = ends.into_iter().fold(f64::NEG_INFINITY, f64::max);
                if a == b {
                    low = low.max(0.0);
                }
                if negated { (-high, -low) } else { (low, high) }
            }
            Op::Sqrt(a) => {
                let (low, high) = of(a);
                (low.max(0.0).sqrt(), high.max(0.0).sqrt())
            }
            Op::Recip(a) => match of(a) {
                (low, high) if low <= 0.0 && high >= 0.0 => (f64::NEG_INFINITY, f64::INFINITY),
                (low, high) => (1.0 / high, 1.0 / low),
            },
        };
        let known = !interval.0.is_nan() && !interval.1.is_nan();
        intervals.push(if known { interval } else { (f64::NEG_INFINITY, f64::INFINITY) });
    }
    intervals.into_iter().map(|(low, high)| low.abs().max(high.abs())).collect()
}

/// Largest magnitude of each operation over some random states.
pub fn by_states(straight: &Straight, model: &Model<f64>, limits: Limits, states: u64) -> Vec<f64> {
    by_seeds(straight, model, limits, 0..states)
}

/// Largest magnitude of each operation over the random states of some seeds.
pub fn by_seeds(
    straight: &Straight,
    model: &Model<f64>,
    limits: Limits,
    seeds: impl Iterator<Item = u64>,
) -> Vec<f64> {
    let mut most = vec![0.0_f64; straight.ops.len()];
    for seed in seeds {
        let state = limits.state(model, seed);
        let values = straight.run(&inputs(&straight.inputs, model, &state));
        most.iter_mut().zip(values).for_each(|(most, x)| *most = most.max(x.abs()));
    }
    most
}

/// Bits before the point for numbers up to a magnitude, sign included. `None` if it is infinite.
pub fn bits_before(magnitude: f64) -> Option<i32> {
    match magnitude {
        x if !x.is_finite() => None,
        0.0 => Some(1),
        x => Some(x.log2().floor() as i32 + 2),
    }
}

impl Straight {
    /// For each operation, true if its value must fit.
    ///
    /// Factors, angles, divisors and results must. Parts of sums need not.
    pub fn has_to_fit(&self) -> Vec<bool> {
        let mut has_to = vec![false; self.ops.len()];
        let mut mark = |operand| {
            if let Operand::Value(k) = operand {
                has_to[k as usize] = true;
            }
        };
        for op in &self.ops {
            if !matches!(op, Op::Add(..) | Op::Sub(..)) {
                op.operands().for_each(&mut mark);
            }
        }
        self.results.iter().for_each(|e| mark(e.from));
        has_to
    }

    /// Value that must fit and has the largest magnitude.
    pub fn largest(&self, magnitudes: &[f64]) -> Option<(usize, f64)> {
        let has_to = self.has_to_fit();
        let known = magnitudes.iter().copied().enumerate().filter(|(k, _)| has_to[*k]);
        known.max_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// For each operation, true if it depends on an input array.
    pub fn depending_on(&self, name: &str) -> Vec<bool> {
        let mut depends: Vec<bool> = Vec::with_capacity(self.ops.len());
        for op in &self.ops {
            let is_it = matches!(op, Op::Input(i) if self.inputs[*i as usize].name == name);
            let reads = |operand| matches!(operand, Operand::Value(k) if depends[k as usize]);
            let found = is_it || op.operands().any(reads);
            depends.push(found);
        }
        depends
    }

    /// Inputs on which a value depends.
    pub fn depends_on(&self, value: usize) -> Vec<Element> {
        let mut needed = vec![false; self.ops.len()];
        needed[value] = true;
        let mut found = Vec::new();
        for k in (0..=value).rev() {
            if !needed[k] {
                continue;
            }
            if let Op::Input(i) = self.ops[k] {
                found.push(self.inputs[i as usize]);
            }
            for operand in self.ops[k].operands() {
                if let Operand::Value(v) = operand {
                    needed[v as usize] = true;
                }
            }
        }
        found.reverse();
        found
    }
}
