//! A robot of any size for contact dynamics: the reference's matrices, padded with joints that move
//! nothing. The generator's tests use it too.
#![allow(dead_code)]

use nalgebra::{DMatrix, DVector, SMatrix, SVector};
use rbd_runtime::contact::{Carried, ContactTable, Mechanics, PathJoint, SecondOrderMechanics};
use rbd_runtime::linalg::{ColumnGroup, RowBlock};
use rbd_runtime::model::Frame;
use rbd_runtime::reference::*;
use rbd_runtime::spatial::Placement;
use rbd_runtime::{
    ContactKind, FrameAccelerationDerivatives, FrameVelocityDerivatives, JointKind, Model, ReferenceFrame,
    RneaDerivatives, RneaHessian, Scalar,
};
use std::cell::RefCell;

const LOCAL: ReferenceFrame = ReferenceFrame::Local;

pub struct Padded<'m, T: Scalar, const NV: usize, const NB: usize, const NC: usize> {
    model: &'m Model<T>,
    data: RefCell<Data<T>>,
    q: Vec<T>,
    contacts: [(usize, ContactKind); NC],
    /// Second frames of closed loops.
    second: [Option<usize>; NC],
    table: [ContactTable; NC],
    /// Joints from the root to each contact's frames.
    paths: [[Vec<PathJoint>; 2]; NC],
    has_factors: bool,
}

impl<'m, T: Scalar, const NV: usize, const NB: usize, const NC: usize> Padded<'m, T, NV, NB, NC> {
    /// A robot with contacts; `numbers` is the model in `f64`.
    pub fn of(
        numbers: &Model<f64>,
        model: &'m Model<T>,
        q: &[T],
        contacts: [(usize, ContactKind); NC],
    ) -> Self {
        Self::closed(numbers, model, q, contacts, [None; NC])
    }

    /// A robot with closed loops: contacts with a second frame.
    pub fn closed(
        numbers: &Model<f64>,
        model: &'m Model<T>,
        q: &[T],
        contacts: [(usize, ContactKind); NC],
        second: [Option<usize>; NC],
    ) -> Self {
        assert!(model.nv <= NV && model.bodies.len() <= NB, "{} {}", model.nv, model.bodies.len());
        let mut row = 0;
        let carried = |frame: usize| {
            let Frame { body, placement, .. } = &numbers.frames[frame];
            let rows = core::array::from_fn(|i| core::array::from_fn(|j| placement.rotation[(i, j)]));
            Carried { body: *body, placement: (rows, placement.translation.into()) }
        };
        let table = core::array::from_fn(|k| {
            let (frame, kind) = contacts[k];
            let first = row;
            row += kind.rows();
            let support = const { &[(0, NV)] };
            ContactTable { kind, row: first, frame: carried(frame), second: second[k].map(carried), support }
        });
        let path = |frame: usize| {
            let bodies = &numbers.bodies;
            let way = std::iter::successors(numbers.frames[frame].body, |body| bodies[*body].parent);
            let mut path: Vec<_> = way
                .map(|body| {
                    let first = bodies[body].idx_v;
                    PathJoint { body, first, end: first + bodies[body].kind.nv() }
                })
                .collect();
            path.reverse();
            path
        };
        let paths = core::array::from_fn(|k| [path(contacts[k].0), second[k].map_or_else(Vec::new, path)]);
        Self {
            paths,
            model,
            data: RefCell::new(Data::new(model)),
            q: q.to_vec(),
            contacts,
            second,
            table,
            has_factors: false,
        }
    }

    /// The robot with factors of its mass matrix, as generated code has them.
    pub fn with_factors(self) -> Self {
        assert!(self.second.iter().all(Option::is_none), "closed loops have none");
        Self { has_factors: true, ..self }
    }

    /// True if no coordinate belongs to two joints that move a contact's frames.
    pub fn is_plain(&self, contact: usize) -> bool {
        let mut joints = self.paths[contact].concat();
        joints.sort_by_key(|joint| joint.body);
        joints.dedup();
        let mut coordinates: Vec<_> = joints.iter().map(|joint| joint.first).collect();
        coordinates.sort_unstable();
        coordinates.windows(2).all(|pair| pair[0] != pair[1])
    }

    fn frame(&self, contact: usize) -> usize {
        if contact < NC { self.contacts[contact].0 } else { self.second[contact - NC].unwrap() }
    }

    pub fn pad(&self, x: &DVector<T>) -> SVector<T, NV> {
        assert!(x.len() <= NV, "{}", x.len());
        SVector::from_fn(|k, _| if k < x.len() { x[k] } else { T::zero() })
    }

    fn wide<const R: usize, const C: usize>(&self, m: &DMatrix<T>) -> SMatrix<T, R, C> {
        SMatrix::from_fn(|r, c| if r < m.nrows() && c < m.ncols() { m[(r, c)] } else { T::zero() })
    }

    fn own<'a>(&self, x: &'a SVector<T, NV>) -> &'a [T] {
        &x.as_slice()[..self.model.nv]
    }
}

impl<T: Scalar, const NV: usize, const NB: usize, const NC: usize> Mechanics<T, NV, NB, NC>
    for Padded<'_, T, NV, NB, NC>
{
    type Factors = Vec<T>;
    const HAS_FACTORS: bool = true;
    fn factors() -> Vec<T> {
        vec![T::zero(); NV * NV]
    }
    fn contacts(&self) -> &[ContactTable; NC] {
        &self.table
    }
    fn placement(&self, contact: usize) -> Placement<T> {
        let frame = self.frame(contact);
        frame_placement(self.model, &mut self.data.borrow_mut(), &self.q, frame)
    }
    fn jacobian(&self, contact: usize, out: &mut SMatrix<T, 6, NV>) {
        let frame = self.frame(contact);
        *out = self.wide(frame_jacobian(self.model, &mut self.data.borrow_mut(), &self.q, frame, LOCAL));
    }
    fn velocity(&self, contact: usize, v: &SVector<T, NV>, out: &mut SVector<T, 6>) {
        let (frame, data) = (self.frame(contact), &mut self.data.borrow_mut());
        *out = frame_velocity(self.model, data, &self.q, self.own(v), frame, LOCAL);
    }
    fn bias_acceleration(&self, contact: usize, v: &SVector<T, NV>, out: &mut SVector<T, 6>) {
        let (frame, data) = (self.frame(contact), &mut self.data.borrow_mut());
        *out = frame_bias_acceleration(self.model, data, &self.q, self.own(v), frame, LOCAL);
    }
    fn velocity_derivatives(
        &self,
        contact: usize,
        v: &SVector<T, NV>,
        out: &mut FrameVelocityDerivatives<T, NV>,
    ) {
        let (frame, data) = (self.frame(contact), &mut self.data.borrow_mut());
        let found = frame_derivatives(self.model, data, &self.q, self.own(v), self.own(v), frame, LOCAL);
        *out = FrameVelocityDerivatives {
            velocity: found.velocity,
            dv_dq: self.wide(&found.dv_dq),
            dv_dv: self.wide(&found.jacobian),
        };
    }
    fn acceleration_derivatives(
        &self,
        contact: usize,
        v: &SVector<T, NV>,
        a: &SVector<T, NV>,
        out: &mut FrameAccelerationDerivatives<T, NV>,
    ) {
        let (frame, data) = (self.frame(contact), &mut self.data.borrow_mut());
        let found = frame_derivatives(self.model, data, &self.q, self.own(v), self.own(a), frame, LOCAL);
        *out = FrameAccelerationDerivatives {
            acceleration: found.acceleration,
            da_dq: self.wide(&found.da_dq),
            da_dv: self.wide(&found.da_dv),
            da_da: self.wide(&found.jacobian),
        };
    }
    fn row_factors(
        &self,
        v: &SVector<T, NV>,
        tau: &SVector<T, NV>,
        factors: &mut [T],
        pivots: &mut [T],
        reduced: &mut [T],
        paths: &mut [T],
        velocities: &mut [T],
        accelerations: &mut [T],
    ) -> bool {
        if !self.has_factors {
            return false;
        }
        let m: SMatrix<T, NV, NV> = {
            let own = crba(self.model, &mut self.data.borrow_mut(), &self.q).clone();
            self.wide(&own)
        };
        let mut l = m;
        for k in (0..NV).rev() {
            let pivot = if k < self.model.nv { T::one() / l[(k, k)] } else { T::one() };
            pivots[k] = pivot;
            let row: Vec<T> = (0..k).map(|i| l[(k, i)]).collect();
            for i in 0..k {
                for j in 0..=i {
                    l[(i, j)] -= row[i] * pivot * row[j];
                }
                l[(k, i)] = row[i] * pivot;
            }
        }
        factors.copy_from_slice(l.as_slice());
        let inward = |x: &mut [T]| {
            for k in (0..NV).rev() {
                for i in 0..k {
                    let change = l[(k, i)] * x[k];
                    x[i] -= change;
                }
            }
        };
        let drive = tau - self.bias(v);
        reduced.copy_from_slice(drive.as_slice());
        inward(reduced);
        let rows: usize = self.table.iter().map(|contact| contact.kind.rows()).sum();
        for (k, contact) in self.table.iter().enumerate() {
            let (mut jacobian, mut velocity, mut drift) =
                (SMatrix::zeros(), SVector::zeros(), SVector::zeros());
            self.jacobian(k, &mut jacobian);
            self.velocity(k, v, &mut velocity);
            self.bias_acceleration(k, v, &mut drift);
            if contact.kind == ContactKind::Point {
                let turned = velocity.fixed_rows::<3>(3).cross(&velocity.fixed_rows::<3>(0));
                (0..3).for_each(|r| drift[r] += turned[r]);
            }
            for r in 0..contact.kind.rows() {
                let mut path: Vec<T> = (0..NV).map(|c| jacobian[(r, c)]).collect();
                inward(&mut path);
                let (row, mut free) = (contact.row + r, drift[r]);
                for c in 0..NV {
                    paths[c * rows + row] = path[c];
                    free += path[c] * pivots[c] * reduced[c];
                }
                (velocities[row], accelerations[row]) = (velocity[r], free);
            }
        }
        true
    }
    fn accelerations(
        &self,
        factors: &mut [T],
        pivots: &mut [T],
        reduced: &mut [T],
        accelerations: &mut [T],
    ) -> bool {
        for k in 0..NV {
            let mut sum = reduced[k] * pivots[k];
            for i in 0..k {
                sum -= factors[i * NV + k] * accelerations[i];
            }
            accelerations[k] = sum;
        }
        self.has_factors
    }
    fn inverse(&self, factors: &mut [T], pivots: &mut [T], minv: &mut [T]) -> bool {
        for column in 0..NV {
            let mut x: Vec<T> = (0..NV).map(|k| if k == column { T::one() } else { T::zero() }).collect();
            for k in (0..NV).rev() {
                for i in 0..k {
                    let change = factors[i * NV + k] * x[k];
                    x[i] -= change;
                }
            }
            self.accelerations(factors, pivots, &mut x, &mut minv[column * NV..][..NV]);
        }
        self.has_factors
    }
    fn row_and_torque_derivatives(
        &self,
        v: &SVector<T, NV>,
        a: &SVector<T, NV>,
        forces: &mut [T],
        by_q: &mut [T],
        by_v: &mut [T],
        velocities_by_q: &mut [T],
        torques_by_q: &mut [T],
        torques_by_v: &mut [T],
    ) -> bool {
        if !self.has_factors {
            return false;
        }
        let rows = forces.len();
        let mut on_bodies = [SVector::<T, 6>::zeros(); NB];
        for (k, contact) in self.table.iter().enumerate() {
            let (mut velocity, mut acceleration) =
                (FrameVelocityDerivatives::zeros(), FrameAccelerationDerivatives::zeros());
            self.velocity_derivatives(k, v, &mut velocity);
            self.acceleration_derivatives(k, v, a, &mut acceleration);
            let (linear, angular) =
                (velocity.velocity.fixed_rows::<3>(0), velocity.velocity.fixed_rows::<3>(3));
            for c in 0..NV {
                let moved = |by_velocity: SVector<T, 6>, by_acceleration: SVector<T, 6>| {
                    let mut moved = by_acceleration;
                    if contact.kind == ContactKind::Point {
                        let turned = by_velocity.fixed_rows::<3>(3).cross(&linear)
                            + angular.cross(&by_velocity.fixed_rows::<3>(0));
                        (0..3).for_each(|r| moved[r] += turned[r]);
                    }
                    moved
                };
                let [dv_dq, dv_dv] = [velocity.dv_dq, velocity.dv_dv].map(|d| d.column(c).into_owned());
                let [da_dq, da_dv] =
                    [acceleration.da_dq, acceleration.da_dv].map(|d| d.column(c).into_owned());
                let (q, v) = (moved(dv_dq, da_dq), moved(dv_dv, da_dv));
                for r in 0..contact.kind.rows() {
                    let at = c * rows + contact.row + r;
                    (by_q[at], by_v[at], velocities_by_q[at]) = (q[r], v[r], dv_dq[r]);
                }
            }
            let frame = &self.model.frames[self.frame(k)];
            if let Some(body) = frame.body {
                let mut force = SVector::<T, 6>::zeros();
                (0..contact.kind.rows()).for_each(|r| force[r] = forces[contact.row + r]);
                on_bodies[body] += frame.placement.act_force(&force);
            }
        }
        let mut torques = RneaDerivatives::zeros();
        self.rnea_derivatives_fext(v, a, &on_bodies, &mut torques);
        torques_by_q.copy_from_slice(torques.dtau_dq.as_slice());
        torques_by_v.copy_from_slice(torques.dtau_dv.as_slice());
        true
    }
    fn minv(&self, out: &mut SMatrix<T, NV, NV>) {
        *out = self.wide(minv(self.model, &mut self.data.borrow_mut(), &self.q));
        (self.model.nv..NV).for_each(|k| out[(k, k)] = T::one());
    }
    fn bias(&self, v: &SVector<T, NV>) -> SVector<T, NV> {
        self.pad(bias(self.model, &mut self.data.borrow_mut(), &self.q, self.own(v)))
    }
    fn rnea_fext(
        &self,
        v: &SVector<T, NV>,
        a: &SVector<T, NV>,
        fext: &[SVector<T, 6>; NB],
    ) -> SVector<T, NV> {
        let (data, fext) = (&mut self.data.borrow_mut(), &fext[..self.model.bodies.len()]);
        self.pad(rnea(self.model, data, &self.q, self.own(v), self.own(a), Some(fext)))
    }
    fn rnea_derivatives_fext(
        &self,
        v: &SVector<T, NV>,
        a: &SVector<T, NV>,
        fext: &[SVector<T, 6>; NB],
        out: &mut RneaDerivatives<T, NV>,
    ) {
        let (data, fext) = (&mut self.data.borrow_mut(), &fext[..self.model.bodies.len()]);
        let d = rnea_derivatives(self.model, data, &self.q, self.own(v), self.own(a), Some(fext));
        *out = RneaDerivatives {
            tau: self.pad(&d.tau),
            dtau_dq: self.wide(&d.dtau_dq),
            dtau_dv: self.wide(&d.dtau_dv),
            dtau_da: self.wide(&d.dtau_da),
        };
    }
    fn relatives(&self) -> [&[ColumnGroup<'_>]; 2] {
        let by_v: &[ColumnGroup<'_>] = const {
            &[ColumnGroup { columns: (0, NV), blocks: &[RowBlock { rows: (0, NV), terms: &[(0, NV)] }] }]
        };
        let by_q: &[ColumnGroup<'_>] = const {
            &[ColumnGroup { columns: (3, NV), blocks: &[RowBlock { rows: (0, NV), terms: &[(0, NV)] }] }]
        };
        let floats = self.model.bodies.first().is_some_and(|base| base.kind == JointKind::Floating);
        [if floats { by_q } else { by_v }, by_v]
    }
}

impl<T: Scalar, const NV: usize, const NB: usize, const NC: usize> SecondOrderMechanics<T, NV, NB, NC>
    for Padded<'_, T, NV, NB, NC>
{
    fn paths(&self, contact: usize) -> [&[PathJoint]; 2] {
        self.paths[contact].each_ref().map(Vec::as_slice)
    }
    fn rnea_hessian(
        &self,
        v: &SVector<T, NV>,
        a: &SVector<T, NV>,
        mu: &SVector<T, NV>,
        out: &mut RneaHessian<T, NV>,
    ) {
        let (n, data) = (self.model.nv, &mut self.data.borrow_mut());
        let all = rnea_second_derivatives(self.model, data, &self.q, self.own(v), self.own(a), None);
        let sum = |pages: &[DMatrix<T>], r: usize, c: usize| {
            (0..n).fold(T::zero(), |sum, k| sum + mu[k] * pages[c][(k, r)])
        };
        for (to, pages) in [
            (&mut out.dqdq, &all.d2tau_dqdq),
            (&mut out.dqdv, &all.d2tau_dqdv),
            (&mut out.dvdv, &all.d2tau_dvdv),
            (&mut out.dqda, &all.d2tau_dqda),
        ] {
            *to = SMatrix::from_fn(|r, c| if r < n && c < n { sum(pages, r, c) } else { T::zero() });
        }
    }
}
