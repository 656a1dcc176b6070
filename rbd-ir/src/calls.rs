//! Calls of the runtime's loops, after a straight line or in place of one.

mod run;

use crate::graph::OperationCount;
use crate::kernel::ArrayId;
use crate::products::{ColumnGroup, Panels};
use rbd_runtime::loops::of_model::Owned;
use rbd_runtime::loops::{LANES, Strip, WORLD};
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
    /// Inverse dynamics, by loops over tables.
    Torques {
        /// The robot.
        robot: Arc<Owned>,
        /// The configuration.
        q: ArrayId,
        /// The velocity; zero, where there is none.
        v: Option<ArrayId>,
        /// The acceleration; zero, where there is none.
        a: Option<ArrayId>,
        /// External forces, if any.
        fext: Option<ArrayId>,
        /// The result.
        out: ArrayId,
    },
    /// Forward dynamics, by loops over tables.
    Accelerations {
        /// The robot, of which no joint follows another.
        robot: Arc<Owned>,
        /// The configuration.
        q: ArrayId,
        /// The velocity.
        v: ArrayId,
        /// The torques.
        tau: ArrayId,
        /// External forces, if any.
        fext: Option<ArrayId>,
        /// The result.
        out: ArrayId,
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
            | Self::Torques { robot, .. }
            | Self::Accelerations { robot, .. }
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
            Self::Torques { robot, q, v, a, fext, out } => {
                let [v, a, fext] = [v, a, fext].map(|id| id.map(&to));
                Self::Torques { robot, q: to(q), v, a, fext, out: to(out) }
            }
            Self::Accelerations { robot, q, v, tau, fext, out } => {
                let [q, v, tau, out] = [q, v, tau, out].map(&to);
                Self::Accelerations { robot, q, v, tau, fext: fext.map(&to), out }
            }
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
            Self::Torques { q, v, a, fext, .. } => [q].into_iter().chain(v).chain(a).chain(fext).collect(),
            Self::ForwardDerivatives { q, v, tau, fext, .. }
            | Self::Accelerations { q, v, tau, fext, .. } => [q, v, tau].into_iter().chain(fext).collect(),
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
            Self::Inverse { out, .. }
            | Self::MassMatrix { out, .. }
            | Self::Torques { out, .. }
            | Self::Accelerations { out, .. } => vec![out],
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
            Self::Torques { robot, .. } => {
                let fused = 200 * robot.rows();
                of(fused, fused, 0)
            }
            Self::Accelerations { robot, .. } => {
                let fused = 350 * robot.rows();
                of(fused, fused, robot.rows())
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
            Self::Torques { .. } | Self::Accelerations { .. } => Vec::new(),
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
}

/// Rows and columns of coordinates that are not on one path.
fn unrelated(robot: &Owned) -> Vec<(usize, usize)> {
    let topology = robot.topology();
    let coordinate = |row: usize| usize::from(topology.coordinate[row]);
    let n = robot.coordinates();
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

/// Fused products of a robot's pairs of rows, lanes that are not used included.
fn pairs(robot: &Owned) -> usize {
    let (above, below) = windows(robot);
    LANES * (18 * above + 24 * below)
}

/// How many registers of a robot's windows have rows above and below a column.
pub fn windows(robot: &Owned) -> (usize, usize) {
    let strips = robot.topology().strips.iter();
    let of = |mask: u8, strip: &Strip| if mask == 0 { 0 } else { usize::from(strip.to - strip.from) };
    strips.fold((0, 0), |(above, below), s| (above + of(s.above, s), below + of(s.below, s)))
}

/// Rows and columns of a block.
fn cells(rows: (usize, usize), columns: (usize, usize)) -> impl Iterator<Item = (usize, usize)> {
    (columns.0..columns.1).flat_map(move |c| (rows.0..rows.1).map(move |r| (r, c)))
}
