//! A robot's state for second derivatives: of each row, its motion subspace and the subspace's rates
//! (docs/math.md#subspace-rates), of each subtree the inertia, Coriolis operator and force. All in one frame: that of a
//! floating base that alone is on the world, else the world's.

use super::super::tables::{Rows, Tables, WORLD};
use super::super::{LANES, Register};
use super::frames::*;
use super::operators::*;
use super::vectors::*;
use crate::{JointKind, Scalar};
use nalgebra::SVector;

/// What a state is made from. Slices that are too short count as zero beyond their end.
pub struct Given<'a, S> {
    /// Configuration.
    pub q: &'a [S],
    /// Velocity.
    pub v: &'a [S],
    /// Acceleration; zero, where empty.
    pub a: &'a [S],
    /// What torques are multiplied with; zero, where empty.
    pub mu: &'a [S],
    /// Force on each joint's body in its joint frame; none, where empty.
    pub fext: &'a [SVector<S, 6>],
}

/// The element of a vector, or zero.
#[inline(always)]
pub fn element<S: Scalar>(x: &[S], k: usize) -> S {
    if k < x.len() { x[k] } else { S::zero() }
}

/// Everything that a row or its subtree has.
pub struct State<S, const P: usize> {
    /// Rotation, three columns, and origin of the frame of a body (at its joint's last row).
    placement: Rows<S, 12, P>,
    /// Velocity, acceleration (less gravity) and multiplier's motion of a row's body.
    body: Rows<S, 18, P>,
    /// The same of the body that carries it.
    carrier: Rows<S, 18, P>,
    /// Columns of the motion subspaces, mimic ratios included.
    pub s: Rows<S, 6, P>,
    /// `v_parent x s`.
    pub p: Rows<S, 6, P>,
    /// `a_parent x s + v_parent x p`.
    pub r: Rows<S, 6, P>,
    /// `p + v x s`.
    pub x: Rows<S, 6, P>,
    /// `w_parent x s`, with the multiplier's motion.
    pub o: Rows<S, 6, P>,
    /// Inertia of the subtree.
    pub inertia: Rows<S, 10, P>,
    /// Its Coriolis operator.
    pub coriolis: Rows<S, 12, P>,
    /// The force on it.
    pub force: Rows<S, 6, P>,
    /// `sum I w`, `sum B^T w` and `sum B(I, w)` over it: what the multiplier makes of the inertias.
    pub multiplied: Rows<S, 21, P>,
}

impl<S: Scalar, const P: usize> State<S, P> {
    /// All zero.
    #[inline(always)]
    pub fn zeros() -> Self {
        Self {
            placement: Rows::zeros(),
            body: Rows::zeros(),
            carrier: Rows::zeros(),
            s: Rows::zeros(),
            p: Rows::zeros(),
            r: Rows::zeros(),
            x: Rows::zeros(),
            o: Rows::zeros(),
            inertia: Rows::zeros(),
            coriolis: Rows::zeros(),
            force: Rows::zeros(),
            multiplied: Rows::zeros(),
        }
    }

    /// All of it.
    #[inline(always)]
    pub fn fill<X: Register<S>>(&mut self, tables: &Tables<'_, P>, given: &Given<'_, S>) {
        self.place::<X>(tables, given.q);
        self.move_bodies(tables, given);
        self.rates::<X>(tables);
        self.bodies::<X>(tables);
        self.forces::<X>(tables, given.fext);
        self.multiply::<X>(tables);
        self.sums(tables, true);
    }

    /// What does not depend on the multiplier; `multiplied` and o are left as they are.
    #[inline(always)]
    pub fn fill_without_multiplier<X: Register<S>>(&mut self, tables: &Tables<'_, P>, given: &Given<'_, S>) {
        self.place::<X>(tables, given.q);
        self.move_bodies(tables, given);
        self.rates::<X>(tables);
        self.bodies::<X>(tables);
        self.forces::<X>(tables, given.fext);
        self.sums(tables, false);
    }

    /// The same state with other accelerations and another multiplier.
    #[inline(always)]
    pub fn accelerate<X: Register<S>>(&mut self, tables: &Tables<'_, P>, given: &Given<'_, S>) {
        self.move_bodies(tables, given);
        self.rates::<X>(tables);
        self.bodies::<X>(tables);
        self.forces::<X>(tables, given.fext);
        self.multiply::<X>(tables);
        self.sums(tables, true);
    }

    /// Whether the common frame is that of the first body.
    #[inline(always)]
    fn floats(tables: &Tables<'_, P>) -> bool {
        let mut floats = false;
        for (k, joint) in tables.topology.joints.iter().enumerate() {
            match k {
                0 => floats = matches!(joint.kind, JointKind::Floating) && joint.parent == WORLD,
                _ => floats &= joint.parent != WORLD,
            }
        }
        floats
    }

    /// Placements of the bodies, and s.
    #[inline(always)]
    fn place<X: Register<S>>(&mut self, tables: &Tables<'_, P>, q: &[S]) {
        let topology = &tables.topology;
        let (mut sin, mut cos) = ([S::zero(); P], [S::one(); P]);
        let mut angle = [S::zero(); P];
        let mut row = 0;
        while row < topology.rows.min(P) {
            if row < topology.position.len() {
                let at = element(q, usize::from(topology.position[row]));
                let (ratio, offset) = (tables.ratio.0[0][row], tables.offset.0[0][row]);
                angle[row] = at.mul_add(S::from_f64(ratio), S::from_f64(offset));
            }
            row += 1;
        }
        row = 0;
        while row + LANES <= P && row < topology.rows {
            if let (Some(angle), Some(sin), Some(cos)) = (
                angle.get(row..).and_then(<[S]>::first_chunk),
                sin.get_mut(row..).and_then(<[S]>::first_chunk_mut),
                cos.get_mut(row..).and_then(<[S]>::first_chunk_mut),
            ) {
                let (s, c) = X::load(angle).sin_cos();
                s.store(sin);
                c.store(cos);
            }
            row += LANES;
        }
        let (zero, one) = (S::zero(), S::one());
        let identity = [one, zero, zero, zero, one, zero, zero, zero, one];
        let floats = Self::floats(tables);
        for (number, joint) in topology.joints.iter().enumerate() {
            let (first, n) = (usize::from(joint.first), joint.kind.nv());
            let last = first + n - 1;
            if last >= P {
                return;
            }
            let (mut rotation, mut origin) = (identity, [zero; 3]);
            if joint.parent != WORLD {
                (rotation, origin) = split(self.placement.at(usize::from(joint.parent)));
            }
            let (at_rest, shift) = split(constants(tables.placement.at(last)));
            let mut axes = product(rotation, at_rest);
            let mut at = add(origin, turn(rotation, shift));
            let ratio = S::from_f64(tables.ratio.0[0][first]);
            match joint.kind {
                JointKind::Revolute | JointKind::Continuous => {
                    axes = turned(axes, sin[first], cos[first]);
                    let axis = scale(ratio, third(axes));
                    self.s.set(first, join(cross(at, axis), axis));
                }
                JointKind::Prismatic => {
                    at = add_scaled(angle[first], third(axes), at);
                    self.s.set(first, join(scale(ratio, third(axes)), [zero; 3]));
                }
                JointKind::Planar => {
                    let from = usize::from(joint.position);
                    let moved = [element(q, from), element(q, from + 1), zero];
                    at = add(at, turn(axes, moved));
                    axes = turned(axes, sin[last], cos[last]);
                    self.s.set(first, join([axes[0], axes[1], axes[2]], [zero; 3]));
                    self.s.set(first + 1, join([axes[3], axes[4], axes[5]], [zero; 3]));
                    self.s.set(last, join(cross(at, third(axes)), third(axes)));
                }
                JointKind::Spherical | JointKind::Floating => {
                    let from = usize::from(joint.position);
                    let n = joint.kind.nq();
                    let body = constants(tables.joint_frame.at(last));
                    let mut frame = product(axes, body);
                    if floats && number == 0 {
                        (frame, at) = (identity, [zero; 3]);
                    } else {
                        if n == 7 {
                            let x = [element(q, from), element(q, from + 1), element(q, from + 2)];
                            at = add(at, turn(frame, x));
                        }
                        frame = product(frame, quaternion(q, from + n - 4));
                    }
                    // The row's frame, from that of the joint.
                    axes = product(frame, transposed(body));
                    for k in 0..3 {
                        let axis = [frame[3 * k], frame[3 * k + 1], frame[3 * k + 2]];
                        self.s.set(last - 2 + k, join(cross(at, axis), axis));
                        if n == 7 {
                            self.s.set(first + k, join(axis, [zero; 3]));
                        }
                    }
                }
            }
            self.placement.set(last, together(axes, at));
        }
    }

    /// Velocities, accelerations and the multiplier's motions, from the root.
    #[inline(always)]
    fn move_bodies(&mut self, tables: &Tables<'_, P>, given: &Given<'_, S>) {
        let topology = &tables.topology;
        let [x, y, z] = tables.gravity;
        let mut world = [S::zero(); 18];
        let mut up = [S::from_f64(-x), S::from_f64(-y), S::from_f64(-z)];
        if Self::floats(tables) {
            // The world as the base sees it.
            let joint = topology.joints[0];
            let (axes, _) = split(constants(tables.placement.at(5)));
            let frame = product(axes, constants(tables.joint_frame.at(5)));
            let frame = product(frame, quaternion(given.q, usize::from(joint.position) + 3));
            up = turn(transposed(frame), up);
        }
        for k in 0..3 {
            world[6 + k] = up[k];
        }
        for joint in topology.joints {
            let (first, n) = (usize::from(joint.first), joint.kind.nv());
            let carrier = match joint.parent {
                WORLD => world,
                parent => self.body.at(usize::from(parent)),
            };
            let velocity = [carrier[0], carrier[1], carrier[2], carrier[3], carrier[4], carrier[5]];
            let (mut along, mut body) = ([S::zero(); 6], carrier);
            for row in first..first + n {
                if row >= topology.coordinate.len() {
                    return;
                }
                let c = usize::from(topology.coordinate[row]);
                let s = self.s.at(row);
                let (a, mu) = (element(given.a, c), element(given.mu, c));
                along = add_scaled(element(given.v, c), s, along);
                for k in 0..6 {
                    body[6 + k] = a.mul_add(s[k], body[6 + k]);
                    body[12 + k] = mu.mul_add(s[k], body[12 + k]);
                }
            }
            let turning = motion_cross(velocity, along);
            for k in 0..6 {
                body[k] += along[k];
                body[6 + k] += turning[k];
            }
            for row in first..first + n {
                self.carrier.set(row, carrier);
                self.body.set(row, body);
            }
        }
    }

    /// p, r, x and o.
    #[inline(always)]
    fn rates<X: Register<S>>(&mut self, tables: &Tables<'_, P>) {
        let mut row = 0;
        while row < tables.topology.rows {
            let s = self.s.load::<X>(row);
            let (v, a, w) = three(self.carrier.load::<X>(row));
            let (own, _, _) = three(self.body.load::<X>(row));
            let p = motion_cross(v, s);
            self.p.store(row, p);
            self.r.store(row, add(motion_cross(a, s), motion_cross(v, p)));
            self.x.store(row, add(p, motion_cross(own, s)));
            self.o.store(row, motion_cross(w, s));
            row += LANES;
        }
    }

    /// Each body's own inertia and what follows from it. Rows without a body have no mass.
    #[inline(always)]
    fn bodies<X: Register<S>>(&mut self, tables: &Tables<'_, P>) {
        let mut row = 0;
        while row < tables.topology.rows {
            let (rotation, origin) = split(self.placement.load::<X>(row));
            let (v, _, _) = three(self.body.load::<X>(row));
            let [mass] = load_constants::<S, X, 1, P>(&tables.mass, row);
            let center = load_constants::<S, X, 3, P>(&tables.center, row);
            let [xx, xy, xz, yy, yz, zz] = load_constants::<S, X, 6, P>(&tables.spread, row);
            let c = add(origin, turn(rotation, center));
            let h = scale(mass, c);
            // Second moments about the common origin: R S R^T + m c c^T.
            let x = turn(rotation, [xx, xy, xz]);
            let y = turn(rotation, [xy, yy, yz]);
            let z = turn(rotation, [xz, yz, zz]);
            let (pxx, pyy, pzz) = (
                second_moment(rotation, x, y, z, h, c, 0, 0),
                second_moment(rotation, x, y, z, h, c, 1, 1),
                second_moment(rotation, x, y, z, h, c, 2, 2),
            );
            let i = [
                mass,
                h[0],
                h[1],
                h[2],
                pyy + pzz,
                -second_moment(rotation, x, y, z, h, c, 0, 1),
                -second_moment(rotation, x, y, z, h, c, 0, 2),
                pxx + pzz,
                -second_moment(rotation, x, y, z, h, c, 1, 2),
                pxx + pyy,
            ];
            self.inertia.store(row, i);
            self.coriolis.store(row, coriolis(i, v));
            row += LANES;
        }
    }

    /// Each body's own force, before the sums of the inertias are formed.
    #[inline(always)]
    fn forces<X: Register<S>>(&mut self, tables: &Tables<'_, P>, fext: &[SVector<S, 6>]) {
        let mut row = 0;
        while row < tables.topology.rows {
            let i = self.inertia.load::<X>(row);
            let (v, a, _) = three(self.body.load::<X>(row));
            let f = add(inertia_times(i, a), force_cross(v, inertia_times(i, v)));
            self.force.store(row, f);
            row += LANES;
        }
        self.push(tables, fext);
    }

    /// What the multiplier makes of each body's own inertia, before the sums of the inertias are formed.
    #[inline(always)]
    fn multiply<X: Register<S>>(&mut self, tables: &Tables<'_, P>) {
        let mut row = 0;
        while row < tables.topology.rows {
            let (i, b) = (self.inertia.load::<X>(row), self.coriolis.load::<X>(row));
            let (_, _, w) = three(self.body.load::<X>(row));
            let (iw, bw, of) = (inertia_times(i, w), coriolis_transposed(b, w), coriolis(i, w));
            let mut multiplied = [i[0]; 21];
            for k in 0..6 {
                multiplied[k] = iw[k];
            }
            for k in 0..3 {
                multiplied[6 + k] = bw[k];
            }
            for k in 0..12 {
                multiplied[9 + k] = of[k];
            }
            self.multiplied.store(row, multiplied);
            row += LANES;
        }
    }

    /// Takes the external forces off.
    #[inline(always)]
    fn push(&mut self, tables: &Tables<'_, P>, fext: &[SVector<S, 6>]) {
        for (joint, fext) in tables.topology.joints.iter().zip(fext) {
            let last = usize::from(joint.first) + joint.kind.nv() - 1;
            let (axes, at) = split(self.placement.at(last));
            let frame = product(axes, constants(tables.joint_frame.at(last)));
            let [fext] = fext.data.0;
            let force = turn(frame, linear(fext));
            let moment = cross_add(at, force, turn(frame, angular(fext)));
            self.force.set(last, sub(self.force.at(last), join(force, moment)));
        }
    }

    /// Sums over subtrees. All rows of a joint have the same.
    #[inline(always)]
    fn sums(&mut self, tables: &Tables<'_, P>, multiplied: bool) {
        let topology = &tables.topology;
        let mut row = topology.rows.min(P);
        while row > 1 {
            row -= 1;
            if row >= topology.first.len() || row >= topology.parent.len() {
                continue;
            }
            let onto = if usize::from(topology.first[row]) < row {
                row - 1
            } else if topology.parent[row] != WORLD {
                usize::from(topology.parent[row])
            } else {
                continue;
            };
            gather(&mut self.inertia, row, onto);
            gather(&mut self.coriolis, row, onto);
            gather(&mut self.force, row, onto);
            if multiplied {
                gather(&mut self.multiplied, row, onto);
            }
        }
    }
}
