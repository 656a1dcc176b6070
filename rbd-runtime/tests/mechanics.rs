//! Laws of mechanics: Lagrange's equations, balances of energy and momentum, linearity in the inertias.

use crate::common::{by_columns, close, for_all, for_all_afloat, unit};
use nalgebra::{DMatrix, DVector, Vector3};
use num_dual::{Dual64, HyperDual64};
use rbd_runtime::reference::*;
use rbd_runtime::spatial::{Placement, force_cross, join};
use rbd_runtime::{Model, ReferenceFrame, Scalar};

fn cast<T: Scalar>(x: &DVector<f64>) -> DVector<T> {
    x.map(T::from_f64)
}

/// Inverse dynamics is Lagrange's equation (in Poincare's form, for joints of several coordinates)
/// `d/dt dL/dv + v_J x* (dL/dv) - dL/dq = tau`.
///
/// The energies' derivatives come from hyper-dual numbers: no Newton-Euler sweep enters.
#[test]
fn inverse_dynamics_is_lagranges_equation() {
    type H = HyperDual64;
    for_all(|model, x| {
        let mut free = model.clone();
        free.damping_enters = false;
        // By convention, armature of a joint of several coordinates is a constant on the diagonal
        // of M, without the velocity terms of a mass that moves in the child's frame.
        free.bodies.iter_mut().filter(|b| b.nv() > 1).for_each(|b| b.armature = 0.0);
        let h: Model<H> = free.cast();
        let mut data = Data::new(&h);
        let mut lagrangian = |q: &DVector<H>, v: &DVector<H>| {
            kinetic_energy(&h, &mut data, q.as_slice(), v.as_slice())
                - potential_energy(&h, &mut data, q.as_slice())
        };
        let eps = |k: usize, e: H| DVector::from_fn(model.nv, |j, _| if j == k { e } else { H::from(0.0) });
        let (e1, e2) = (H::new(0.0, 1.0, 0.0, 0.0), H::new(0.0, 0.0, 1.0, 0.0));
        let (q, v) = (cast::<H>(&x.q), cast::<H>(&x.v));
        let later_q = h.integrate(q.as_slice(), (&v * e2).as_slice());
        let later_v = &v + cast::<H>(&x.a) * e2;
        let mut tau = DVector::zeros(model.nv);
        let mut momentum = DVector::zeros(model.nv);
        for c in 0..model.nv {
            let of_time = lagrangian(&later_q, &(&later_v + eps(c, e1)));
            momentum[c] = of_time.eps1;
            let moved = h.integrate(q.as_slice(), eps(c, e1).as_slice());
            tau[c] = of_time.eps1eps2 - lagrangian(&moved, &v).eps1;
        }
        let data = Data::new(model);
        for (i, b) in model.bodies.iter().enumerate().filter(|(_, b)| b.nv() > 1) {
            let at = b.idx_v..b.idx_v + b.nv();
            let s = data.motion_subspace(i);
            let lift = |x: &[f64]| s.iter().zip(x).map(|(s, &x)| s * x).sum();
            let (v, p) = (lift(&x.v.as_slice()[at.clone()]), lift(&momentum.as_slice()[at.clone()]));
            for (k, s) in s.iter().enumerate() {
                tau[b.idx_v + k] += s.dot(&force_cross(&v, &p));
            }
        }
        let got = free.rnea(x.q.as_slice(), x.v.as_slice(), x.a.as_slice());
        close("tau", &got, &tau, 1e-12);
    });
}

/// The rate of kinetic and potential energy is the power of torques and external forces, less the
/// power of damping.
#[test]
fn energy_changes_by_the_power_that_is_fed() {
    for_all(|model, x| {
        let d: Model<Dual64> = model.cast();
        let time = Dual64::new(0.0, 1.0);
        let v = cast::<Dual64>(&x.v);
        let q = d.integrate(cast(&x.q).as_slice(), (&v * time).as_slice());
        let v = v + cast::<Dual64>(&x.a) * time;
        let mut data = Data::new(&d);
        let energy = kinetic_energy(&d, &mut data, q.as_slice(), v.as_slice())
            + potential_energy(&d, &mut data, q.as_slice());

        let mut data = Data::new(model);
        let (q, v) = (x.q.as_slice(), x.v.as_slice());
        let tau = rnea(model, &mut data, q, v, x.a.as_slice(), Some(&x.fext)).clone();
        let mut power = tau.dot(&x.v);
        for (i, b) in model.bodies.iter().enumerate() {
            power += x.fext[i].dot(&data.v[i]);
            let ratio = b.mimic.map_or(1.0, |m| m.multiplier);
            let joint = &x.v.as_slice()[b.idx_v..b.idx_v + b.kind.nv()];
            if model.damping_enters {
                power -= joint.iter().map(|v| b.damping * (ratio * v).powi(2)).sum::<f64>();
            }
        }
        close("power", &[energy.eps], &[power], 1e-12);

        let kinetic = kinetic_energy(model, &mut data, q, v);
        close("v M v / 2", &[kinetic], &[0.5 * x.v.dot(&(model.crba(q) * &x.v))], 1e-13);
    });
}

/// Gravity torques are the gradient of the potential energy.
#[test]
fn gravity_is_a_gradient() {
    for_all(|model, x| {
        let d: Model<Dual64> = model.cast();
        let gradient = DVector::from_fn(model.nv, |j, _| {
            let e = unit(model.nv, j).map(|x| Dual64::new(0.0, x));
            let q = d.integrate(cast(&x.q).as_slice(), e.as_slice());
            potential_energy(&d, &mut Data::new(&d), q.as_slice()).eps
        });
        close("gravity", &model.gravity_torques(x.q.as_slice()), &gradient, 1e-13);
    });
}

/// `C v` is the bias without gravity and damping, and `dM/dt = C + C^T` (so `dM/dt - 2C` is skew).
/// If each joint has one coordinate, C is that of the Christoffel symbols: half of the derivative
/// of `C v`.
#[test]
fn coriolis_matrix_is_consistent_with_the_mass_matrix() {
    for_all(|model, x| {
        let mut free = model.clone();
        free.damping_enters = false;
        free.gravity.fill(0.0);
        let (q, v) = (x.q.as_slice(), x.v.as_slice());
        let c = coriolis_matrix(model, &mut Data::new(model), q, v).clone();
        close("C v", &(&c * &x.v), &free.bias(q, v), 1e-12);

        let d: Model<Dual64> = model.cast();
        let e = x.v.map(|x| Dual64::new(0.0, x));
        let later = d.integrate(cast(&x.q).as_slice(), e.as_slice());
        let m_dot = d.crba(later.as_slice()).map(|x| x.eps);
        close("dM/dt", &(&c + c.transpose()), &m_dot, 1e-12);

        if free.bodies.iter().all(|b| b.kind.nv() == 1) {
            let by_v = free.rnea_derivatives(q, v, &vec![0.0; model.nv], None).dtau_dv;
            close("Christoffel", &c, &(by_v * 0.5), 1e-12);
        }
    });
}

/// The centroidal map gives the sum of the bodies' momenta, and its linear rows the centre of
/// mass's Jacobian.
#[test]
fn centroidal_momentum_is_the_sum_over_the_bodies() {
    for_all(|model, x| {
        let (q, v) = (x.q.as_slice(), x.v.as_slice());
        let mut data = Data::new(model);
        let a_g = centroidal_momentum_matrix(model, &mut data, q).clone();
        let com = center_of_mass(model, &mut data, q);
        bias(model, &mut data, q, v);
        let poses = forward_kinematics(model, &mut data, q).to_vec();
        let at_com = Placement { translation: com, ..Placement::identity() };
        let mut momentum = nalgebra::Vector6::zeros();
        let (mut mass, mut moment) = (0.0, Vector3::zeros());
        for ((b, v), pose) in model.bodies.iter().zip(&data.v).zip(&poses) {
            momentum += at_com.act_inv_force(&pose.act_force(&b.inertia.apply(v)));
            mass += b.inertia.mass;
            moment += pose.act_point(&b.inertia.com()) * b.inertia.mass;
        }
        close("momentum", &(&a_g * &x.v), &momentum, 1e-13);
        close("centre of mass", &com, &(moment / mass), 1e-14);

        let d: Model<Dual64> = model.cast();
        let jacobian = by_columns(model.nv, |j| {
            let e = unit(model.nv, j).map(|x| Dual64::new(0.0, x));
            let q = d.integrate(cast(&x.q).as_slice(), e.as_slice());
            let com = center_of_mass(&d, &mut Data::new(&d), q.as_slice());
            DVector::from_iterator(3, com.iter().map(|x| x.eps))
        });
        close("linear rows", &a_g.rows(0, 3).into_owned(), &(jacobian * mass), 1e-13);
    });
}

/// A robot in free fall, whatever its joints do: the momentum's rate is the weight, without moment
/// about the centre of mass.
#[test]
fn momentum_of_a_floating_robot_changes_by_its_weight_only() {
    for_all_afloat(|model, x| {
        let mut tau = x.tau.clone();
        tau.rows_mut(0, 6).fill(0.0);
        let ddq = model.aba(x.q.as_slice(), x.v.as_slice(), tau.as_slice());
        let d: Model<Dual64> = model.cast();
        let time = Dual64::new(0.0, 1.0);
        let v = cast::<Dual64>(&x.v);
        let q = d.integrate(cast(&x.q).as_slice(), (&v * time).as_slice());
        let v = v + cast::<Dual64>(&ddq) * time;
        let h = centroidal_momentum_matrix(&d, &mut Data::new(&d), q.as_slice()) * v;
        let mass: f64 = model.bodies.iter().map(|b| b.inertia.mass).sum();
        close("rate", &h.map(|x| x.eps), &join(&(model.gravity * mass), &Vector3::zeros()), 1e-11);
    });
}

/// Frame Jacobians are the derivatives of frame placements, and give frame velocities.
#[test]
fn frame_jacobians_are_derivatives_of_placements() {
    for_all(|model, x| {
        let (q, v) = (x.q.as_slice(), x.v.as_slice());
        let d: Model<Dual64> = model.cast();
        let (mut data, mut data_d) = (Data::new(model), Data::new(&d));
        for frame in (0..model.frames.len()).step_by(3) {
            let jacobian = frame_jacobian(model, &mut data, q, frame, ReferenceFrame::Local).clone();
            let r = frame_placement(model, &mut data, q, frame).rotation;
            let expected = by_columns(model.nv, |j| {
                let e = unit(model.nv, j).map(|x| Dual64::new(0.0, x));
                let q = d.integrate(cast(&x.q).as_slice(), e.as_slice());
                let moved = frame_placement(&d, &mut data_d, q.as_slice(), frame);
                let linear = r.transpose() * moved.translation.map(|x| x.eps);
                let spin = r.transpose() * moved.rotation.map(|x| x.eps);
                let angular = Vector3::new(spin[(2, 1)], spin[(0, 2)], spin[(1, 0)]);
                DVector::from_column_slice(join(&linear, &angular).as_slice())
            });
            close("Jacobian", &jacobian, &expected, 1e-13);
            let velocity = frame_velocity(model, &mut data, q, v, frame, ReferenceFrame::Local);
            close("velocity", &velocity, &(jacobian * &x.v), 1e-13);
        }
    });
}

/// Torques are linear in the inertias, with the regressor as the map.
#[test]
fn regressor_times_parameters_is_the_torque() {
    for_all(|model, x| {
        let mut bare = model.clone();
        bare.damping_enters = false;
        bare.bodies.iter_mut().for_each(|b| b.armature = 0.0);
        let (q, v, a) = (x.q.as_slice(), x.v.as_slice(), x.a.as_slice());
        let parameters = DVector::from_iterator(
            10 * model.bodies.len(),
            model.bodies.iter().flat_map(|b| {
                let (m, h, j) = (b.inertia.mass, b.inertia.h, b.inertia.j);
                [m, h.x, h.y, h.z, j.m11, j.m12, j.m22, j.m13, j.m23, j.m33]
            }),
        );
        let y: DMatrix<f64> = regressor(model, &mut Data::new(model), q, v, a).clone();
        close("Y pi", &(y * parameters), &bare.rnea(q, v, a), 1e-12);
    });
}
