//! Centre of mass and momentum of the moving bodies. Links fixed to the world do not count, as in
//! Pinocchio.

use super::common_frame::composite_in_world;
use super::data::Data;
use super::kinematics::{accelerations, forward_kinematics, velocities};
use crate::spatial::{Inertia, Vector6, angular, force_cross, join, linear, motion_cross};
use crate::{Model, Scalar};
use nalgebra::{DMatrix, Vector3};

/// Mass and first moment of all moving bodies in the world, after `composite_in_world`.
fn total<T: Scalar>(model: &Model<T>, data: &Data<T>) -> Inertia<T> {
    let mut sum = Inertia::zero();
    for (composite, b) in data.composite.iter().zip(&model.bodies) {
        if b.parent.is_none() {
            sum += *composite;
        }
    }
    sum
}

/// Centre of mass of the moving bodies in the world, metres.
pub fn center_of_mass<T: Scalar>(model: &Model<T>, data: &mut Data<T>, q: &[T]) -> Vector3<T> {
    forward_kinematics(model, data, q);
    composite_in_world(model, data);
    total(model, data).com()
}

/// The derivative (3 x nv) of the centre of mass by the configuration (tangent space): the linear
/// momentum of each column, by the mass.
pub fn center_of_mass_jacobian<T: Scalar>(model: &Model<T>, data: &mut Data<T>, q: &[T]) -> DMatrix<T> {
    let momentum = centroidal_momentum_matrix(model, data, q).rows(0, 3).into_owned();
    let mass = total(model, data).mass;
    momentum.map(|x| x / mass)
}

/// Velocity of the centre of mass in the world, m/s: the sum of the bodies' linear momenta, by the mass.
pub fn center_of_mass_velocity<T: Scalar>(
    model: &Model<T>,
    data: &mut Data<T>,
    q: &[T],
    v: &[T],
) -> Vector3<T> {
    let momentum = linear(&centroidal_momentum(model, data, q, v));
    momentum / total(model, data).mass
}

/// The map A_g (6 x nv) from v to the momentum `[linear; angular]` about the centre of mass, in world axes
/// (docs/math.md#reference-algorithms).
pub fn centroidal_momentum_matrix<'d, T: Scalar>(
    model: &Model<T>,
    data: &'d mut Data<T>,
    q: &[T],
) -> &'d DMatrix<T> {
    let com = center_of_mass(model, data, q);
    data.centroidal.fill(T::zero());
    for (i, b) in model.bodies.iter().enumerate() {
        for (k, column) in data.columns(i).enumerate() {
            let s = data.world_from_body[i].act_motion(&data.s[column]);
            let momentum = data.composite[i].apply(&s);
            let mut out = data.centroidal.column_mut(b.idx_v + k);
            out += about(&com, &momentum);
        }
    }
    &data.centroidal
}

/// A force in the world, with its moment about the point `com`.
fn about<T: Scalar>(com: &Vector3<T>, f: &Vector6<T>) -> Vector6<T> {
    join(&linear(f), &(angular(f) - com.cross(&linear(f))))
}

/// The sum over the bodies of forces, each in its body's frame: about the centre of mass, in the
/// world's axes.
fn sum_about_com<T: Scalar>(
    model: &Model<T>,
    data: &mut Data<T>,
    q: &[T],
    force: impl Fn(&Data<T>, usize) -> Vector6<T>,
) -> Vector6<T> {
    let com = center_of_mass(model, data, q);
    let mut sum = Vector6::zeros();
    for i in 0..model.bodies.len() {
        sum += data.world_from_body[i].act_force(&force(data, i));
    }
    about(&com, &sum)
}

/// Momentum `[linear; angular]` about the centre of mass, in world axes.
pub fn centroidal_momentum<T: Scalar>(model: &Model<T>, data: &mut Data<T>, q: &[T], v: &[T]) -> Vector6<T> {
    forward_kinematics(model, data, q);
    velocities(model, data, v);
    sum_about_com(model, data, q, |data, i| model.bodies[i].inertia.apply(&data.v[i]))
}

/// The force that body i's motion takes, without gravity.
fn force_of_motion<T: Scalar>(model: &Model<T>, data: &Data<T>, i: usize) -> Vector6<T> {
    let inertia = &model.bodies[i].inertia;
    inertia.apply(&data.a[i]) + force_cross(&data.v[i], &inertia.apply(&data.v[i]))
}

/// Rate of [`centroidal_momentum`].
pub fn centroidal_momentum_rate<T: Scalar>(
    model: &Model<T>,
    data: &mut Data<T>,
    q: &[T],
    v: &[T],
    a: &[T],
) -> Vector6<T> {
    forward_kinematics(model, data, q);
    accelerations(model, data, v, Some(a));
    sum_about_com(model, data, q, |data, i| force_of_motion(model, data, i))
}

/// Centroidal momentum and its rate with their derivatives, each 6 x nv.
#[derive(Clone, Debug, PartialEq)]
pub struct CentroidalDerivatives<T: Scalar> {
    /// Momentum.
    pub momentum: Vector6<T>,
    /// Rate of the momentum.
    pub rate: Vector6<T>,
    /// Derivative of the momentum by the configuration (tangent space).
    pub dmomentum_dq: DMatrix<T>,
    /// Derivative of the rate by the configuration (tangent space).
    pub drate_dq: DMatrix<T>,
    /// Derivative of the rate by the velocity.
    pub drate_dv: DMatrix<T>,
    /// Derivative of the rate by the acceleration: the centroidal momentum matrix.
    pub drate_da: DMatrix<T>,
}

/// Change of a body's motion.
#[derive(Clone, Copy)]
struct Change<T> {
    v: Vector6<T>,
    a: Vector6<T>,
    /// Motion that carries the body, in the world.
    by: Vector6<T>,
}

/// Centroidal momentum, its rate and their derivatives: by the chain rule on the sweep outward, one
/// coordinate at a time.
pub fn centroidal_derivatives<T: Scalar>(
    model: &Model<T>,
    data: &mut Data<T>,
    q: &[T],
    v: &[T],
    a: &[T],
) -> CentroidalDerivatives<T> {
    let momentum = centroidal_momentum(model, data, q, v);
    let rate = centroidal_momentum_rate(model, data, q, v, a);
    let drate_da = centroidal_momentum_matrix(model, data, q).clone();
    let com_jacobian = center_of_mass_jacobian(model, data, q);
    let com = center_of_mass(model, data, q);
    accelerations(model, data, v, Some(a));
    let zero = || DMatrix::zeros(6, model.nv);
    let (mut dmomentum_dq, mut drate_dq, mut drate_dv) = (zero(), zero(), zero());
    for c in 0..model.nv {
        let by_q = changes(model, data, v, c, true);
        let by_v = changes(model, data, v, c, false);
        let (mut dh_dq, mut df_dq, mut df_dv) = (Vector6::zeros(), Vector6::zeros(), Vector6::zeros());
        for (i, b) in model.bodies.iter().enumerate() {
            let (inertia, at) = (&b.inertia, &data.world_from_body[i]);
            let (v_i, h) = (&data.v[i], inertia.apply(&data.v[i]));
            let force = |x: &Change<T>| {
                inertia.apply(&x.a) + force_cross(&x.v, &h) + force_cross(v_i, &inertia.apply(&x.v))
            };
            let carried = |f: &Vector6<T>| force_cross(&by_q[i].by, &at.act_force(f));
            dh_dq += at.act_force(&inertia.apply(&by_q[i].v)) + carried(&h);
            df_dq += at.act_force(&force(&by_q[i])) + carried(&force_of_motion(model, data, i));
            df_dv += at.act_force(&force(&by_v[i]));
        }
        let shift = Vector3::new(com_jacobian[(0, c)], com_jacobian[(1, c)], com_jacobian[(2, c)]);
        let moved = |f: &Vector6<T>, whole: &Vector6<T>| {
            about(&com, f) - join(&Vector3::zeros(), &shift.cross(&linear(whole)))
        };
        dmomentum_dq.set_column(c, &moved(&dh_dq, &momentum));
        drate_dq.set_column(c, &moved(&df_dq, &rate));
        drate_dv.set_column(c, &about(&com, &df_dv));
    }
    CentroidalDerivatives { momentum, rate, dmomentum_dq, drate_dq, drate_dv, drate_da }
}

/// Change of the bodies' motions, in their frames, by coordinate c of the configuration or of the
/// velocity.
fn changes<T: Scalar>(
    model: &Model<T>,
    data: &Data<T>,
    v: &[T],
    c: usize,
    by_q: bool,
) -> alloc::vec::Vec<Change<T>> {
    let zero = Change { v: Vector6::zeros(), a: Vector6::zeros(), by: Vector6::zeros() };
    let mut all: alloc::vec::Vec<Change<T>> = alloc::vec::Vec::new();
    for (i, b) in model.bodies.iter().enumerate() {
        let at = &data.parent_from_body[i];
        let parent = b.parent.map_or(zero, |p| all[p]);
        let down = |m: &Vector6<T>| at.act_inv_motion(m);
        let mut change = Change { v: down(&parent.v), a: down(&parent.a), by: parent.by };
        let v_joint = data.joint_motion(model, i, Some(v));
        let own = c.checked_sub(b.idx_v).filter(|k| *k < b.kind.nv());
        if let Some(k) = own {
            let s = data.motion_subspace(i)[k];
            let (v_parent, a_parent) = b
                .parent
                .map_or((Vector6::zeros(), Vector6::zeros()), |p| (down(&data.v[p]), down(&data.a[p])));
            if by_q {
                change.v += motion_cross(&v_parent, &s);
                change.a += motion_cross(&a_parent, &s);
                change.by += data.world_from_body[i].act_motion(&s);
            } else {
                change.v += s;
                change.a += motion_cross(&data.v[i], &s);
            }
        }
        change.a += motion_cross(&change.v, &v_joint);
        all.push(change);
    }
    all
}
