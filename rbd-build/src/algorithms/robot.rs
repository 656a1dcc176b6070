//! Symbolic robot: each joint's change of frame, motion subspace and coordinates.

use super::ExprMatrix;
use super::ancestors::Ancestor;
use super::run_time::Given;
use crate::algebra::{Components, Force, Mat3, Motion, SpatialInertia, Step, Sym3, Transform, Vec3};
use crate::tree::{self, Lane, Place, ROUNDING, Tree, TreeBody};
use rbd_ir::graph::{Expr, Graph};
use rbd_ir::kernel::ArrayId;
use rbd_runtime::JointKind;
use rbd_runtime::spatial::{Inertia, Placement};

/// A robot at a symbolic configuration.
pub struct SymbolicRobot<'g> {
    pub graph: &'g Graph,
    pub tree: &'g Tree,
    pub bodies: Vec<SymbolicBody<'g>>,
    /// Parameters that are given at run time.
    pub given: Given,
}

/// A velocity-like quantity: for each body, the multiplier of each of its columns.
pub struct Coordinates<'g>(pub Vec<Vec<Expr<'g>>>);

impl<'g> Coordinates<'g> {
    /// Expressions of body `i`, one a column.
    pub fn of(&self, i: usize) -> &[Expr<'g>] {
        &self.0[i]
    }
}

/// A body at a symbolic configuration.
pub struct SymbolicBody<'g> {
    /// Number of the robot's bodies that this body stands for.
    pub lanes: u8,
    /// The change of frame to the parent (to the world, without one).
    pub transform: Transform<'g>,
    /// Motion subspace S, a column for each degree of freedom: unit vectors in the joint frame.
    pub columns: Vec<Motion<'g>>,
    /// The body's own inertia.
    pub inertia: SpatialInertia<'g>,
    /// Inertia that a root's joint does not feel: it counts for the mass, but in no motion.
    pub unfelt: SpatialInertia<'g>,
    /// Rotor inertia.
    pub armature: Expr<'g>,
    /// Viscous damping.
    pub damping: Expr<'g>,
    /// Coulomb friction, and its smoothing velocity.
    pub friction: (Expr<'g>, Expr<'g>),
}

impl<'g> SymbolicRobot<'g> {
    /// The robot at the configuration in the input array `q`.
    pub fn new(graph: &'g Graph, tree: &'g Tree, q: ArrayId, given: Given) -> Self {
        let bodies = tree.bodies.iter().map(|b| SymbolicBody::new(graph, tree, b, q, given)).collect();
        Self { graph, tree, bodies, given }
    }

    /// SymbolicBody indices, parents first.
    pub fn outward(&self) -> std::ops::Range<usize> {
        0..self.bodies.len()
    }

    /// SymbolicBody indices, children first.
    pub fn inward(&self) -> std::iter::Rev<std::ops::Range<usize>> {
        self.outward().rev()
    }

    /// The acceleration of the world that stands for gravity.
    pub fn minus_gravity(&self) -> Vec3<'g> {
        -self.gravity()
    }

    /// A velocity-like input, as [`Coordinates`].
    pub fn coordinates(&self, array: ArrayId) -> Coordinates<'g> {
        self.spread(&|dof| self.graph.input(array.0, dof))
    }

    /// A vector over the degrees of freedom, as [`Coordinates`].
    pub fn spread(&self, vector: &dyn Fn(usize) -> Expr<'g>) -> Coordinates<'g> {
        let of_body = |i: usize| {
            let of_column = |k: usize| {
                let of_lane = |l: &Lane| vector(l.idx_v + k) * Expr::constant(l.multiplier);
                self.graph.gather(&self.tree.bodies[i].lanes.iter().map(of_lane).collect::<Vec<_>>())
            };
            (0..self.bodies[i].columns.len()).map(of_column).collect()
        };
        Coordinates(self.outward().map(of_body).collect())
    }

    /// Torque-like [`Coordinates`] as a vector over the degrees of freedom. Joints that share a
    /// coordinate add up.
    pub fn collect(&self, x: &Coordinates<'g>) -> ExprMatrix<'g> {
        let mut out = ExprMatrix::zeros(self.tree.nv, 1);
        for i in self.outward() {
            for (k, x) in x.of(i).iter().enumerate() {
                self.add_to_vector(&mut out, (i, k), *x);
            }
        }
        out
    }

    /// Adds `x`, of the `k`-th column of body `i`, where it belongs in a vector over the degrees of freedom.
    pub fn add_to_vector(&self, out: &mut ExprMatrix<'g>, (i, k): (usize, usize), x: Expr<'g>) {
        for (lane, l) in self.tree.bodies[i].lanes.iter().enumerate() {
            out[(l.idx_v + k, 0)] += x.lane(lane) * Expr::constant(l.multiplier);
        }
    }

    /// Adds `m`, of the `k`-th column of body `i`, to the columns of a matrix with a row for each
    /// of m's numbers.
    pub fn add_column<X: Components<'g>>(&self, out: &mut ExprMatrix<'g>, (i, k): (usize, usize), m: &X) {
        for (lane, l) in self.tree.bodies[i].lanes.iter().enumerate() {
            for row in 0..out.rows() {
                out[(row, l.idx_v + k)] += m.component(row).lane(lane) * Expr::constant(l.multiplier);
            }
        }
    }

    /// Adds `x` to a matrix over the degrees of freedom, in the rows of a path's descendant. `x`
    /// belongs to the descendant's column `a` and to column `b` of a body on the path.
    pub fn add_to_rows(&self, out: &mut ExprMatrix<'g>, on: &Ancestor, (a, b): (usize, usize), x: Expr<'g>) {
        self.for_each_lane(on, x, |descendant, carrier, x| out[(descendant + a, carrier + b)] += x);
    }

    /// Adds `x` to a matrix over the degrees of freedom, in the columns of a path's descendant.
    pub fn add_to_columns(
        &self,
        out: &mut ExprMatrix<'g>,
        on: &Ancestor,
        (a, b): (usize, usize),
        x: Expr<'g>,
    ) {
        self.for_each_lane(on, x, |descendant, carrier, x| out[(carrier + b, descendant + a)] += x);
    }

    /// Visits the lanes of `x` with the first degrees of freedom of descendant and carrier.
    fn for_each_lane(&self, on: &Ancestor, x: Expr<'g>, mut visit: impl FnMut(usize, usize, Expr<'g>)) {
        for (k, lane) in on.lanes.clone().enumerate() {
            let Some(other) = self.tree.carrying_lane(on.body, Place { body: on.descendant, lane }) else {
                continue;
            };
            let (descendant, carrier) =
                (&self.tree.bodies[on.descendant].lanes[lane], &self.tree.bodies[on.body].lanes[other]);
            visit(
                descendant.idx_v,
                carrier.idx_v,
                x.lane(k) * Expr::constant(descendant.multiplier * carrier.multiplier),
            );
        }
    }

    /// The external force on body `i`, in its frame here, from the input array of `[[_; 6]; NB]`.
    pub fn external_force(&self, i: usize, array: ArrayId) -> Force<'g> {
        let lanes = &self.tree.bodies[i].lanes;
        let component = |k: usize| {
            let given = |l: &Lane| self.graph.input(array.0, l.body * 6 + k);
            self.graph.gather(&lanes.iter().map(given).collect::<Vec<_>>())
        };
        let given = Force { lin: Vec3([0, 1, 2].map(component)), ang: Vec3([3, 4, 5].map(component)) };
        // Given in the URDF's joint frame, which differs from ours by a constant change.
        let to_here = {
            let in_ours: Vec<_> = lanes.iter().map(|l| tree::inverse(&l.in_urdf_frame)).collect();
            constant_transform(self.graph, &in_ours)
        };
        to_here.force_to_parent(given)
    }
}

impl<'g> SymbolicBody<'g> {
    /// `S x`.
    pub fn joint_motion(&self, x: &[Expr<'g>]) -> Motion<'g> {
        self.columns.iter().zip(x).fold(Motion::ZERO, |sum, (s, x)| sum + *s * *x)
    }

    fn new(graph: &'g Graph, tree: &Tree, body: &'g TreeBody, q: ArrayId, given: Given) -> Self {
        let lanes = &body.lanes;
        let number = |f: &dyn Fn(&Lane) -> f64| graph.lane_constant(&lanes.iter().map(f).collect::<Vec<_>>());
        let inertia = |of: &dyn Fn(&Lane) -> &Inertia<f64>| SpatialInertia {
            m: number(&|l| of(l).mass),
            h: Vec3([0, 1, 2].map(|k| number(&|l| of(l).h[k]))),
            j: Sym3::from_upper(Mat3([0, 1, 2].map(|i| [0, 1, 2].map(|j| number(&|l| of(l).j[(i, j)]))))),
        };
        let coordinate = |k: usize| {
            let raw = |l: &Lane| graph.input(q.0, l.idx_q + k);
            graph.gather(&lanes.iter().map(raw).collect::<Vec<_>>())
        };
        let position = || {
            let of_lane = |l: &Lane| {
                graph.input(q.0, l.idx_q) * Expr::constant(l.multiplier) + Expr::constant(l.offset)
            };
            lanes.iter().map(of_lane).collect::<Vec<_>>()
        };
        let z = 2;
        let joint_steps = match body.kind {
            JointKind::Revolute | JointKind::Continuous => {
                let (s, c): (Vec<_>, Vec<_>) = lanes.iter().map(|l| joint_sin_cos(graph, l, q)).unzip();
                vec![Step::Rotate(Mat3::rotation(z, (graph.gather(&s), graph.gather(&c))))]
            }
            JointKind::Prismatic => {
                vec![Step::Translate(Vec3::unit(z) * graph.gather(&position()))]
            }
            JointKind::Planar => vec![
                Step::Rotate(Mat3::rotation(z, coordinate(2).sin_cos())),
                Step::Translate(Vec3([coordinate(0), coordinate(1), Expr::ZERO])),
            ],
            JointKind::Spherical => vec![Step::Rotate(quaternion_rotation([0, 1, 2, 3].map(coordinate)))],
            JointKind::Floating => vec![
                Step::Rotate(quaternion_rotation([3, 4, 5, 6].map(coordinate))),
                Step::Translate(Vec3([0, 1, 2].map(coordinate))),
            ],
        };
        let columns: &[usize] = match body.kind {
            JointKind::Revolute | JointKind::Continuous => &[5],
            JointKind::Prismatic => &[2],
            JointKind::Planar => &[0, 1, 5],
            JointKind::Spherical => &[3, 4, 5],
            JointKind::Floating => &[0, 1, 2, 3, 4, 5],
        };
        let placement = constant_transform(graph, &lanes.iter().map(|l| l.placement).collect::<Vec<_>>());
        Self {
            lanes: lanes.len() as u8,
            transform: Transform::new(joint_steps.into_iter().chain(placement.steps().iter().copied())),
            columns: columns.iter().map(|&k| Motion::unit(k)).collect(),
            inertia: inertia(&|l| &l.inertia) + given.inertia(graph, lanes),
            unfelt: inertia(&|l| &l.unfelt),
            armature: number(&|l| l.armature),
            damping: number(&|l| l.damping),
            friction: (number(&|l| l.friction), Expr::constant(tree.friction_smoothing)),
        }
    }
}

/// Sine and cosine of a revolute joint's angle. Right angles in the offset are free: they swap the
/// two.
fn joint_sin_cos<'g>(graph: &'g Graph, lane: &Lane, q: ArrayId) -> (Expr<'g>, Expr<'g>) {
    use std::f64::consts::FRAC_PI_2;
    let quarters = (lane.offset / FRAC_PI_2).round();
    let rest = lane.offset - quarters * FRAC_PI_2;
    // A rounding error of a right angle is not an angle.
    let rest = if rest.abs() <= ROUNDING * quarters.abs() { 0.0 } else { rest };
    let angle = graph.input(q.0, lane.idx_q) * Expr::constant(lane.multiplier) + Expr::constant(rest);
    let (s, c) = angle.sin_cos();
    match quarters.rem_euclid(4.0) as u8 {
        0 => (s, c),
        1 => (c, -s),
        2 => (-s, -c),
        _ => (-c, s),
    }
}

/// The constant change of frame that is placed so, in each lane.
pub fn constant_transform<'g>(graph: &'g Graph, placements: &[Placement<f64>]) -> Transform<'g> {
    let number = |f: &dyn Fn(&Placement<f64>) -> f64| {
        graph.lane_constant(&placements.iter().map(f).collect::<Vec<_>>())
    };
    let translation = Step::Translate(Vec3([0, 1, 2].map(|k| number(&|p| p.translation[k]))));
    // Rz(a) Rx(b), where it has that form: two planar rotations cost less than a full one.
    if placements.iter().all(|p| p.rotation[(2, 0)] == 0.0) {
        let entry = |i, j| number(&|p| p.rotation[(i, j)]);
        let about_x = Mat3::rotation(0, (entry(2, 1), entry(2, 2)));
        let about_z = Mat3::rotation(2, (entry(1, 0), entry(0, 0)));
        return Transform::new([Step::Rotate(about_x), Step::Rotate(about_z), translation]);
    }
    let rotation = Mat3([0, 1, 2].map(|i| [0, 1, 2].map(|j| number(&|p| p.rotation[(i, j)]))));
    Transform::new([Step::Rotate(rotation), translation])
}

/// The rotation matrix of a unit quaternion [x, y, z, w].
fn quaternion_rotation<'g>([x, y, z, w]: [Expr<'g>; 4]) -> Mat3<'g> {
    let one = Expr::ONE;
    let (x2, y2, z2) = (x * 2.0, y * 2.0, z * 2.0);
    let (xx, yy, zz) = (x * x2, y * y2, z * z2);
    let (xy, xz, yz) = (x * y2, x * z2, y * z2);
    let (wx, wy, wz) = (w * x2, w * y2, w * z2);
    Mat3([
        [one - (yy + zz), xy - wz, xz + wy],
        [xy + wz, one - (xx + zz), yz - wx],
        [xz - wy, yz + wx, one - (xx + yy)],
    ])
}
