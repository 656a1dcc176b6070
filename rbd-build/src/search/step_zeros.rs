//! Sparsity of a step's derivatives: entries that can differ from zero, from those of accelerations.
//!
//! Formulas are those of docs/math.md#discrete-step, with "can differ from zero" in the place of numbers: a
//! sum can where a term can, and a product where two factors can.

use rbd_runtime::{Integrator, JointKind, Model};

/// Names of the blocks, in the order of [`blocks`].
pub const BLOCKS: [&str; 6] = ["dq_dq", "dq_dv", "dq_dtau", "dv_dq", "dv_dv", "dv_dtau"];

/// Sparsity pattern of each block: a bit an entry, by columns.
/// `first` are the bits of `ddq_dq`, `ddq_dv` and `ddq_dtau`.
#[must_use]
pub fn blocks(integrator: Integrator, model: &Model<f64>, first: [&[u64]; 3]) -> [Vec<u64>; 6] {
    let n = model.nv;
    let first = first.map(|bits| Square::of_bits(n, bits));
    let (one, none, joints) = (Square::identity(n), Square::none(n), Square::of_joints(model));
    let [dq, dv] = match integrator {
        Integrator::SemiImplicit => semi_implicit(&first, &joints),
        Integrator::Explicit => {
            let [by_q, by_v, by_tau] = first;
            [[joints.clone(), joints, none], [by_q, by_v.or(&one), by_tau]]
        }
        Integrator::ImplicitDamping => {
            // x = (1 + dt M^-1 D)^-1 ddq. The inverse has what powers of M^-1 D have.
            let damping = model.damping();
            let through = first[2].columns_where(|k| damping[k] != 0.0);
            let mut inverse = one.or(&through);
            loop {
                let more = inverse.or(&inverse.times(&inverse));
                if more == inverse {
                    break;
                }
                inverse = more;
            }
            semi_implicit(&first.map(|by| inverse.times(&by)), &joints)
        }
        Integrator::Rk4 => rk4(&first, &joints),
    };
    dq.into_iter().chain(dv).map(|block| block.bits()).collect::<Vec<_>>().try_into().expect("six blocks")
}

/// Derivatives by q, v and tau.
type Each = [Square; 3];

fn semi_implicit([by_q, by_v, by_tau]: &Each, joints: &Square) -> [Each; 2] {
    let dv = [by_q.clone(), by_v.or(&Square::identity(joints.n)), by_tau.clone()];
    let [dq_dq, dq_dv, dq_dtau] = dv.each_ref().map(|by| joints.times(by));
    [[dq_dq.or(joints), dq_dv, dq_dtau], dv]
}

fn rk4(first: &Each, joints: &Square) -> [Each; 2] {
    let n = joints.n;
    let none = || [(); 3].map(|()| Square::none(n));
    let own = |by: &Each| [by[0].clone(), by[1].or(&Square::identity(n)), by[2].clone()];
    // Derivatives of the rate and of the acceleration of a stage, and the sums of all stages.
    let (mut rate, mut acceleration, mut along, mut gained) = (none(), none(), none(), none());
    for _ in 0..4 {
        let velocity = own(&acceleration);
        let mut place = rate.each_ref().map(|by| joints.times(by));
        place[0] = place[0].or(joints);
        rate = core::array::from_fn(|k| joints.times(&rate[k]).or(&joints.times(&velocity[k])));
        acceleration = core::array::from_fn(|k| first[0].times(&place[k]).or(&first[1].times(&velocity[k])));
        acceleration[2] = acceleration[2].or(&first[2]);
        along = core::array::from_fn(|k| along[k].or(&rate[k]));
        gained = core::array::from_fn(|k| gained[k].or(&acceleration[k]));
    }
    let mut dq = along.map(|by| joints.times(&by));
    dq[0] = dq[0].or(joints);
    [dq, own(&gained)]
}

/// A square matrix of bits, by columns, each of which begins with a word of its own.
#[derive(Clone, PartialEq, Eq)]
struct Square {
    n: usize,
    columns: Vec<Vec<u64>>,
}

impl Square {
    fn none(n: usize) -> Self {
        Self { n, columns: vec![vec![0; n.div_ceil(64)]; n] }
    }

    fn set(&mut self, row: usize, column: usize) {
        self.columns[column][row / 64] |= 1 << (row % 64);
    }

    fn has(&self, row: usize, column: usize) -> bool {
        (self.columns[column][row / 64] >> (row % 64)) & 1 == 1
    }

    fn identity(n: usize) -> Self {
        let mut made = Self::none(n);
        (0..n).for_each(|k| made.set(k, k));
        made
    }

    fn of_bits(n: usize, bits: &[u64]) -> Self {
        let mut made = Self::none(n);
        for k in (0..n * n).filter(|k| bits.get(k / 64).is_some_and(|word| (word >> (k % 64)) & 1 == 1)) {
            made.set(k % n, k / n);
        }
        made
    }

    /// Jacobians of `integrate`, and brackets. Turning does not depend on the translation.
    fn of_joints(model: &Model<f64>) -> Self {
        let mut made = Self::none(model.nv);
        for body in &model.bodies {
            let linear = match body.kind {
                JointKind::Floating => 3,
                JointKind::Planar => 2,
                _ => 0,
            };
            for column in 0..body.nv() {
                let rows = if column < linear { 0..linear } else { 0..body.nv() };
                rows.for_each(|row| made.set(body.idx_v + row, body.idx_v + column));
            }
        }
        made
    }

    fn or(&self, other: &Self) -> Self {
        let join = |(a, b): (&Vec<u64>, &Vec<u64>)| a.iter().zip(b).map(|(a, b)| a | b).collect();
        Self { n: self.n, columns: self.columns.iter().zip(&other.columns).map(join).collect() }
    }

    fn times(&self, other: &Self) -> Self {
        let mut made = Self::none(self.n);
        for (j, to) in made.columns.iter_mut().enumerate() {
            for k in (0..self.n).filter(|k| other.has(*k, j)) {
                to.iter_mut().zip(&self.columns[k]).for_each(|(to, of)| *to |= of);
            }
        }
        made
    }

    /// Only these columns.
    fn columns_where(&self, is_kept: impl Fn(usize) -> bool) -> Self {
        let keep = |(k, column): (usize, &Vec<u64>)| match is_kept(k) {
            true => column.clone(),
            false => vec![0; column.len()],
        };
        Self { n: self.n, columns: self.columns.iter().enumerate().map(keep).collect() }
    }

    fn bits(&self) -> Vec<u64> {
        let mut bits = vec![0; (self.n * self.n).div_ceil(64)];
        for k in (0..self.n * self.n).filter(|k| self.has(k % self.n, k / self.n)) {
            bits[k / 64] |= 1 << (k % 64);
        }
        bits
    }
}
