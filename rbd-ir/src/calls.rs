//! Calls of the runtime's loops, after a straight line or in place of one.

use crate::graph::OperationCount;
use crate::kernel::ArrayId;
use crate::products::{ColumnGroup, Panels};
use nalgebra::SVector;
use rbd_runtime::Scalar;
use rbd_runtime::loops::crba::crba;
use rbd_runtime::loops::of_model::Owned;
use rbd_runtime::loops::rnea_derivatives::{Results, rnea_derivatives_of_slices};
use rbd_runtime::loops::{LANES, Strip, WORLD, padded};
use std::sync::Arc;

/// A call of loops that the runtime has.
#[derive(Clone, Debug, PartialEq)]
pub enum Call {
    /// `out = m^-1`, by the factors of m.
    Inverse {
        /// A full, symmetric and positive definite matrix.
        m: ArrayId,
        /// Memory for a factor.
        g: ArrayId,
        /// The result.
        out: ArrayId,
        /// The loops.
        panels: Box<Panels>,
    },
    /// The mass matrix, by loops over tables.
    MassMatrix {
        /// The robot.
        robot: Arc<Owned>,
        /// The configuration.
        q: ArrayId,
        /// The result.
        out: ArrayId,
        /// How many rows it has.
        n: usize,
    },
    /// Inverse dynamics and its derivatives, by loops over tables.
    Derivatives {
        /// The robot.
        robot: Arc<Owned>,
        /// The configuration.
        q: ArrayId,
        /// The velocity.
        v: ArrayId,
        /// The acceleration; zero, where there is none.
        a: Option<ArrayId>,
        /// External forces, if any.
        fext: Option<ArrayId>,
        /// Torques, and their derivatives by q, v and a.
        out: [ArrayId; 4],
    },
    /// Forward dynamics and its derivatives, by loops over tables.
    ForwardDerivatives {
        /// The robot.
        robot: Arc<Owned>,
        /// The terms of its matrices.
        terms: Box<Terms>,
        /// The configuration.
        q: ArrayId,
        /// The velocity.
        v: ArrayId,
        /// The torques.
        tau: ArrayId,
        /// External forces, if any.
        fext: Option<ArrayId>,
        /// Accelerations, and their derivatives by q, v and tau.
        out: [ArrayId; 4],
    },
}

/// The terms of `rbd_runtime::loops::aba_derivatives`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    /// Of M^-1.
    pub panels: Panels,
    /// Of its product with the derivative by q.
    pub by_q: Vec<ColumnGroup>,
    /// Of that with the derivative by v.
    pub by_v: Vec<ColumnGroup>,
    /// Whether the columns of a floating base that need no product are left out.
    pub knows_base: bool,
}

impl Call {
    /// The robot whose tables it reads, if it reads tables.
    pub fn robot(&self) -> Option<&Owned> {
        match self {
            Self::Inverse { .. } => None,
            Self::MassMatrix { robot, .. }
            | Self::Derivatives { robot, .. }
            | Self::ForwardDerivatives { robot, .. } => Some(robot),
        }
    }

    /// The same on other arrays.
    #[must_use]
    pub fn renumbered(self, to: impl Fn(ArrayId) -> ArrayId) -> Self {
        match self {
            Self::Inverse { m, g, out, panels } => Self::Inverse { m: to(m), g: to(g), out: to(out), panels },
            Self::MassMatrix { robot, q, out, n } => Self::MassMatrix { robot, q: to(q), out: to(out), n },
            Self::Derivatives { robot, q, v, a, fext, out } => Self::Derivatives {
                robot,
                q: to(q),
                v: to(v),
                a: a.map(&to),
                fext: fext.map(&to),
                out: out.map(&to),
            },
            Self::ForwardDerivatives { robot, terms, q, v, tau, fext, out } => Self::ForwardDerivatives {
                robot,
                terms,
                q: to(q),
                v: to(v),
                tau: to(tau),
                fext: fext.map(&to),
                out: out.map(&to),
            },
        }
    }

    /// The arrays that it reads whole.
    pub fn reads(&self) -> Vec<ArrayId> {
        match *self {
            Self::Inverse { m, .. } => vec![m],
            Self::MassMatrix { q, .. } => vec![q],
            Self::ForwardDerivatives { q, v, tau, fext, .. } => [q, v, tau].into_iter().chain(fext).collect(),
            Self::Derivatives { q, v, a, fext, .. } => [q, v].into_iter().chain(a).chain(fext).collect(),
        }
    }

    /// The arrays that it needs for itself.
    pub fn uses(&self) -> Vec<ArrayId> {
        match *self {
            Self::Inverse { g, .. } => vec![g],
            _ => Vec::new(),
        }
    }

    /// The arrays that it writes whole.
    pub fn results(&self) -> Vec<ArrayId> {
        match *self {
            Self::Inverse { out, .. } | Self::MassMatrix { out, .. } => vec![out],
            Self::Derivatives { out, .. } | Self::ForwardDerivatives { out, .. } => out.to_vec(),
        }
    }

    /// Its arithmetic. In loops over tables that is one of each lane of a register that is used, and per row a number that
    /// was counted once.
    pub fn count(&self) -> OperationCount {
        let of = |adds, muls, divs| OperationCount { adds, muls, divs, ..OperationCount::default() };
        match self {
            Self::Inverse { panels, .. } => {
                let n = panels.n();
                let terms: usize = panels.groups().map(ColumnGroup::multiplications).sum();
                of(terms, terms + n * n, n)
            }
            Self::MassMatrix { robot, .. } => {
                let (above, below) = windows(robot);
                let fused = 6 * LANES * (above + below) + 130 * robot.rows();
                of(fused, fused, 0)
            }
            Self::Derivatives { robot, .. } => {
                let fused = pairs(robot) + 330 * robot.rows();
                of(fused, fused, 0)
            }
            Self::ForwardDerivatives { robot, terms, .. } => {
                let n = terms.panels.n();
                let groups = terms.panels.groups().chain(&terms.by_q).chain(&terms.by_v);
                let products: usize = groups.map(ColumnGroup::multiplications).sum();
                let fused = pairs(robot) + 500 * robot.rows() + products + 3 * n * n;
                of(fused, fused + n * n, n)
            }
        }
    }

    /// Entries of results that are zero in every state: array, row and column.
    pub fn zeros(&self) -> Vec<(ArrayId, usize, usize)> {
        let of = |array: ArrayId, zeros: Vec<(usize, usize)>| {
            zeros.into_iter().map(move |(row, column)| (array, row, column))
        };
        match self {
            Self::Inverse { out, panels, .. } => of(*out, panels.zeros().collect()).collect(),
            Self::MassMatrix { robot, out, .. } => of(*out, unrelated(robot)).collect(),
            Self::Derivatives { robot, out, .. } => {
                let zeros = unrelated(robot);
                out[1..].iter().flat_map(|array| of(*array, zeros.clone())).collect()
            }
            Self::ForwardDerivatives { terms, out, .. } => {
                let n = terms.panels.n();
                let apart: Vec<(usize, usize)> = terms.panels.zeros().collect();
                let known = |turning: usize| {
                    let of_axis = move |k: usize| (0..n).filter(move |r| *r > 2 || *r == k);
                    (0..3).flat_map(move |k| of_axis(k).map(move |r| (r, turning + k)))
                };
                let still = (0..3).flat_map(|c| (0..n).map(move |r| (r, c)));
                let base: [Vec<_>; 2] = if terms.knows_base {
                    [still.chain(known(3)).collect(), known(0).collect()]
                } else {
                    [Vec::new(), Vec::new()]
                };
                let all = out[1..].iter().flat_map(|array| of(*array, apart.clone()));
                all.chain(out[1..].iter().zip(base).flat_map(|(array, zeros)| of(*array, zeros))).collect()
            }
        }
    }

    /// Does what the loops do, with the terms that their tables name and no others.
    pub fn run<T: Scalar>(&self, memory: &mut [Vec<T>]) {
        let of = |id: ArrayId| memory[id.index()].clone();
        let result = match self {
            Self::Inverse { m, panels, .. } => inverse(&of(*m), panels),
            Self::MassMatrix { robot, q, n, .. } => {
                let mut m = vec![T::from_f64(f64::NAN); n * n];
                let tables = robot.tables::<MOST_ROWS>().expect("robots that are run are small");
                crba(&tables, &of(*q), None, *n, &mut m);
                m
            }
            Self::Derivatives { .. } => return self.derivatives(memory),
            Self::ForwardDerivatives { .. } => return self.forward_derivatives(memory),
        };
        memory[self.results()[0].index()] = result;
    }

    /// By the loops themselves: they work on every scalar.
    fn derivatives<T: Scalar>(&self, memory: &mut [Vec<T>]) {
        let Self::Derivatives { robot, q, v, a, fext, out } = self else { return };
        let of = |id: ArrayId| memory[id.index()].clone();
        let (q, v) = (of(*q), of(*v));
        let a = a.map_or_else(|| vec![T::zero(); v.len()], of);
        let results = inverse_dynamics(robot, [&q, &v, &a], fext.map(of));
        for (id, result) in out.iter().zip(results) {
            memory[id.index()] = result;
        }
    }

    /// From those of inverse dynamics, and with products of whole matrices.
    fn forward_derivatives<T: Scalar>(&self, memory: &mut [Vec<T>]) {
        let Self::ForwardDerivatives { robot, terms, q, v, tau, fext, out } = self else { return };
        let of = |id: ArrayId| memory[id.index()].clone();
        let (q, v, tau, fext) = (of(*q), of(*v), of(*tau), fext.map(of));
        let [bias, _, _, m] = inverse_dynamics(robot, [&q, &v, &vec![T::zero(); v.len()]], fext.clone());
        let minv = inverse(&m, &terms.panels);
        let ddq = accelerations(&minv, &m, &tau, &bias);
        let [_, dq, dv, _] = inverse_dynamics(robot, [&q, &v, &ddq], fext);
        let minus_product = |d: Vec<T>| -> Vec<T> {
            d.chunks(v.len().max(1)).flat_map(|column| product(&minv, column)).map(|x| -x).collect()
        };
        let results = [ddq, minus_product(dq), minus_product(dv), minv.clone()];
        for (id, result) in out.iter().zip(results) {
            memory[id.index()] = result;
        }
    }
}

/// Rows and columns of coordinates that are not on one path.
fn unrelated(robot: &Owned) -> Vec<(usize, usize)> {
    let topology = robot.topology();
    let coordinate = |row: usize| usize::from(topology.coordinate[row]);
    let n = topology.coordinate.iter().map(|c| usize::from(*c) + 1).max().unwrap_or(0);
    let mut related = vec![false; n * n];
    for joint in topology.joints {
        let last = usize::from(joint.first) + joint.kind.nv() - 1;
        let above = |k: &usize| (topology.parent[*k] != WORLD).then(|| usize::from(topology.parent[*k]));
        for end in std::iter::successors(Some(last), above) {
            for (a, b) in
                cells((usize::from(joint.first), last + 1), (usize::from(topology.first[end]), end + 1))
            {
                related[coordinate(a) * n + coordinate(b)] = true;
                related[coordinate(b) * n + coordinate(a)] = true;
            }
        }
    }
    cells((0, n), (0, n)).filter(|(row, column)| !related[column * n + row]).collect()
}

/// Torques and their derivatives, by the loops themselves.
fn inverse_dynamics<T: Scalar>(robot: &Owned, state: [&[T]; 3], fext: Option<Vec<T>>) -> [Vec<T>; 4] {
    let n = state[1].len();
    let mut results = [n, n * n, n * n, n * n].map(|n| vec![T::from_f64(f64::NAN); n]);
    let [tau, dq, dv, da] = &mut results;
    let fext: Option<Vec<SVector<T, 6>>> =
        fext.map(|fext| fext.chunks(6).map(SVector::from_column_slice).collect());
    let tables = robot.tables::<MOST_ROWS>().expect("robots that are run are small");
    rnea_derivatives_of_slices(&tables, state, None, fext.as_deref(), Results { tau, dq, dv, da });
    results
}

/// As `rbd_runtime::linalg::RefinedSolution`.
fn accelerations<T: Scalar>(minv: &[T], m: &[T], tau: &[T], bias: &[T]) -> Vec<T> {
    let drive: Vec<T> = tau.iter().zip(bias).map(|(t, b)| *t - *b).collect();
    let guess = product(minv, &drive);
    let left: Vec<T> = drive.iter().zip(product(m, &guess)).map(|(d, x)| *d - x).collect();
    guess.iter().zip(product(minv, &left)).map(|(g, x)| *g + x).collect()
}

/// Fused products of a robot's pairs of rows, lanes that are not used included.
fn pairs(robot: &Owned) -> usize {
    let (above, below) = windows(robot);
    LANES * (18 * above + 24 * below)
}

/// Length of arrays over rows where loops are run without being compiled for a robot.
const MOST_ROWS: usize = padded(128);

/// How many registers of a robot's windows have rows above and below a column.
pub fn windows(robot: &Owned) -> (usize, usize) {
    let strips = robot.topology().strips.iter();
    let of = |mask: u8, strip: &Strip| if mask == 0 { 0 } else { usize::from(strip.to - strip.from) };
    strips.fold((0, 0), |(above, below), s| (above + of(s.above, s), below + of(s.below, s)))
}

fn product<T: Scalar>(a: &[T], x: &[T]) -> Vec<T> {
    let n = x.len();
    (0..n).map(|r| (0..n).fold(T::zero(), |sum, k| a[k * n + r].mul_add(x[k], sum))).collect()
}

/// What is not written is NaN, so that a term that should not be there is seen.
fn inverse<T: Scalar>(m: &[T], panels: &Panels) -> Vec<T> {
    let n = panels.n();
    let unset = T::from_f64(f64::NAN);
    // Row k of L in column k, and G by columns.
    let (mut l, mut g, mut out) = (vec![unset; n * n], vec![unset; n * n], vec![unset; n * n]);
    let mut d = vec![unset; n];
    for panel in &panels.factor {
        let columns = || panel.columns.0..panel.columns.1;
        for block in &panel.blocks {
            for (row, column) in cells(block.rows, panel.columns) {
                let sum = block
                    .terms()
                    .fold(m[column * n + row], |sum, k| sum - l[k * n + row] * (l[k * n + column] * d[k]));
                l[column * n + row] = sum;
            }
        }
        for c in columns().rev() {
            d[c] = l[c * n + c];
            for row in 0..c {
                l[c * n + row] /= d[c];
            }
            for b in panel.columns.0..c {
                for row in 0..=b {
                    let change = l[c * n + row] * l[c * n + b] * d[c];
                    l[b * n + row] -= change;
                }
            }
        }
    }
    for panel in &panels.invert {
        let columns = || panel.columns.0..panel.columns.1;
        for block in &panel.blocks {
            for (row, column) in cells(block.rows, panel.columns) {
                let terms = block.terms();
                g[column * n + row] =
                    terms.fold(T::zero(), |sum, k| sum - g[k * n + row] * l[k * n + column]);
            }
        }
        for c in columns().rev() {
            g[c * n..c * n + c].fill(T::zero());
            g[c * n + c] = T::one();
            for row in c + 1..panel.columns.1 {
                g[c * n + row] = T::zero();
            }
            for row in c + 1..n {
                for k in c + 1..panel.columns.1 {
                    let change = g[k * n + row] * l[k * n + c];
                    g[c * n + row] -= change;
                }
            }
        }
    }
    for group in &panels.gram {
        for block in &group.blocks {
            for (row, column) in cells(block.rows, group.columns) {
                let terms = block.terms();
                let sum = terms.fold(T::zero(), |sum, k| sum + g[k * n + row] * g[k * n + column] / d[k]);
                if row >= column {
                    out[column * n + row] = sum;
                    out[row * n + column] = sum;
                }
            }
        }
    }
    out
}

/// Rows and columns of a block.
fn cells(rows: (usize, usize), columns: (usize, usize)) -> impl Iterator<Item = (usize, usize)> {
    (columns.0..columns.1).flat_map(move |c| (rows.0..rows.1).map(move |r| (r, c)))
}
