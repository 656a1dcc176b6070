//! Frames and the whole body: rates and derivatives against dual numbers, and relations that follow
//! from definitions.

use crate::common::{by_columns, close, for_all, unit};
use nalgebra::{DMatrix, DVector};
use num_dual::Dual64;
use rbd_runtime::random::State;
use rbd_runtime::reference::*;
use rbd_runtime::spatial::join;
use rbd_runtime::{Model, ReferenceFrame};

/// A state whose numbers are dual: moved along a direction in q, v, and a.
struct Moved {
    q: DVector<Dual64>,
    v: DVector<Dual64>,
    a: DVector<Dual64>,
}

impl Moved {
    /// `x` moved by `dq` (tangent), `dv`.
    fn new(d: &Model<Dual64>, x: &State, dq: &DVector<f64>, dv: &DVector<f64>) -> Self {
        let dual = |x: &DVector<f64>, e: &DVector<f64>| x.zip_map(e, Dual64::new);
        let zero = DVector::zeros(d.nv);
        let q = x.q.map(Dual64::from);
        Self {
            q: d.integrate(q.as_slice(), dual(&zero, dq).as_slice()),
            v: dual(&x.v, dv),
            a: dual(&x.a, &zero),
        }
    }

    /// Motion in time: q moves by v, v by a.
    fn in_time(d: &Model<Dual64>, x: &State) -> Self {
        Self::new(d, x, &x.v, &x.a)
    }

    fn parts(&self) -> (&[Dual64], &[Dual64], &[Dual64]) {
        (self.q.as_slice(), self.v.as_slice(), self.a.as_slice())
    }
}

fn eps<'a>(x: impl IntoIterator<Item = &'a Dual64>) -> DVector<f64> {
    DVector::from_vec(x.into_iter().map(|x| x.eps).collect())
}

/// The derivatives of `f` by q and by v.
fn exact(
    model: &Model<f64>,
    x: &State,
    mut f: impl FnMut(&Model<Dual64>, &mut Data<Dual64>, &Moved) -> DVector<Dual64>,
) -> [DMatrix<f64>; 2] {
    let d: Model<Dual64> = model.cast();
    let (mut data, zero) = (Data::new(&d), DVector::zeros(model.nv));
    [true, false].map(|by_q| {
        by_columns(model.nv, |j| {
            let e = unit(model.nv, j);
            let (dq, dv) = if by_q { (&e, &zero) } else { (&zero, &e) };
            eps(&f(&d, &mut data, &Moved::new(&d, x, dq, dv)))
        })
    })
}

fn dynamic(x: impl IntoIterator<Item = Dual64>) -> DVector<Dual64> {
    DVector::from_vec(x.into_iter().collect())
}

/// Velocities are Jacobians times v, and accelerations rates of velocities: of the numbers in the
/// frame's own axes and in the world's; of the point's velocity, classical.
#[test]
fn accelerations_of_frames_are_rates() {
    for_all(|model, x| {
        let (q, v, a) = (x.q.as_slice(), x.v.as_slice(), x.a.as_slice());
        let d: Model<Dual64> = model.cast();
        let later = Moved::in_time(&d, x);
        let (q_d, v_d, _) = later.parts();
        let (mut data, mut data_d) = (Data::new(model), Data::new(&d));
        for frame in (0..model.frames.len()).step_by(3) {
            for reference in ReferenceFrame::ALL {
                let jacobian = frame_jacobian(model, &mut data, q, frame, reference).clone();
                let velocity = frame_velocity(model, &mut data, q, v, frame, reference);
                close("velocity", &velocity, &(&jacobian * &x.v), 1e-13);
                let rate = eps(&frame_velocity(&d, &mut data_d, q_d, v_d, frame, reference));
                let acceleration = match reference {
                    ReferenceFrame::LocalWorldAligned => frame_classical_acceleration,
                    _ => frame_acceleration,
                };
                let got = acceleration(model, &mut data, q, v, a, frame, reference);
                close("acceleration", &got, &rate, 1e-12);
                let bias = frame_bias_acceleration(model, &mut data, q, v, frame, reference);
                close("dJ/dt v", &bias, &(rate - jacobian * &x.a), 1e-12);
            }
            // The other two reference frames, turned.
            let at = frame_placement(model, &mut data, q, frame).rotation;
            let turned = |m: nalgebra::SVector<f64, 6>| {
                join(&(at * m.fixed_rows::<3>(0)), &(at * m.fixed_rows::<3>(3)))
            };
            for of in [frame_acceleration, frame_classical_acceleration] {
                let local = of(model, &mut data, q, v, a, frame, ReferenceFrame::Local);
                let aligned = of(model, &mut data, q, v, a, frame, ReferenceFrame::LocalWorldAligned);
                close("turned", &aligned, &turned(local), 1e-12);
            }
        }
    });
}

/// The linear rows of the Jacobian in the world's axes are the derivative of where the frame is.
#[test]
fn aligned_jacobians_are_derivatives_of_the_origin() {
    for_all(|model, x| {
        let frame = model.frames.len() - 1;
        let [by_q, _] = exact(model, x, |d, data, m| {
            dynamic(frame_placement(d, data, m.parts().0, frame).translation.iter().copied())
        });
        let reference = ReferenceFrame::LocalWorldAligned;
        let data = &mut Data::new(model);
        let got = frame_jacobian(model, data, x.q.as_slice(), frame, reference);
        close("origin", &got.rows(0, 3).into_owned(), &by_q, 1e-13);
    });
}

#[test]
fn derivatives_of_frames_are_those_of_dual_numbers() {
    for_all(|model, x| {
        let (q, v, a) = (x.q.as_slice(), x.v.as_slice(), x.a.as_slice());
        let frame = model.frames.len() - 1;
        for reference in ReferenceFrame::ALL {
            let got = frame_derivatives(model, &mut Data::new(model), q, v, a, frame, reference);
            let [dv_dq, dv_dv] = exact(model, x, |d, data, m| {
                let (q, v, _) = m.parts();
                dynamic(frame_velocity(d, data, q, v, frame, reference).iter().copied())
            });
            let [da_dq, da_dv] = exact(model, x, |d, data, m| {
                let (q, v, a) = m.parts();
                dynamic(frame_acceleration(d, data, q, v, a, frame, reference).iter().copied())
            });
            close("dv/dq", &got.dv_dq, &dv_dq, 1e-12);
            close("dv/dv", &got.jacobian, &dv_dv, 1e-12);
            close("da/dq", &got.da_dq, &da_dq, 1e-12);
            close("da/dv", &got.da_dv, &da_dv, 1e-12);
        }
    });
}

#[test]
fn the_centre_of_mass_moves_as_its_derivatives_say() {
    for_all(|model, x| {
        let (q, v, data) = (x.q.as_slice(), x.v.as_slice(), &mut Data::new(model));
        let jacobian = center_of_mass_jacobian(model, data, q);
        let [by_q, _] =
            exact(model, x, |d, data, m| dynamic(center_of_mass(d, data, m.parts().0).iter().copied()));
        close("Jacobian", &jacobian, &by_q, 1e-13);
        close("velocity", &center_of_mass_velocity(model, data, q, v), &(jacobian * &x.v), 1e-13);
    });
}

#[test]
fn centroidal_momentum_and_its_derivatives() {
    for_all(|model, x| {
        let (q, v, a) = (x.q.as_slice(), x.v.as_slice(), x.a.as_slice());
        let data = &mut Data::new(model);
        let got = centroidal_derivatives(model, data, q, v, a);
        let matrix = centroidal_momentum_matrix(model, data, q);
        close("momentum", &got.momentum, &(matrix * &x.v), 1e-13);
        let d: Model<Dual64> = model.cast();
        let later = Moved::in_time(&d, x);
        let (q_d, v_d, _) = later.parts();
        let rate = eps(&centroidal_momentum(&d, &mut Data::new(&d), q_d, v_d));
        close("rate", &got.rate, &rate, 1e-12);
        let [dh_dq, dh_dv] = exact(model, x, |d, data, m| {
            let (q, v, _) = m.parts();
            dynamic(centroidal_momentum(d, data, q, v).iter().copied())
        });
        let [df_dq, df_dv] = exact(model, x, |d, data, m| {
            let (q, v, a) = m.parts();
            dynamic(centroidal_momentum_rate(d, data, q, v, a).iter().copied())
        });
        close("dmomentum/dq", &got.dmomentum_dq, &dh_dq, 1e-12);
        close("drate/dq", &got.drate_dq, &df_dq, 1e-12);
        close("drate/dv", &got.drate_dv, &df_dv, 1e-12);
        close("drate/da", &got.drate_da, &dh_dv, 1e-12);
    });
}

/// Energies are linear in the inertias, and their gradients those of dual numbers.
#[test]
fn energies_by_configuration_velocity_and_parameters() {
    for_all(|model, x| {
        let (q, v, data) = (x.q.as_slice(), x.v.as_slice(), &mut Data::new(model));
        let got = kinetic_energy_derivatives(model, data, q, v);
        let [by_q, by_v] = exact(model, x, |d, data, m| {
            let (q, v, _) = m.parts();
            dynamic([kinetic_energy(d, data, q, v)])
        });
        close("dT/dq", &got.denergy_dq, &by_q, 1e-12);
        close("dT/dv", &got.denergy_dv, &by_v, 1e-12);
        close("M v", &got.denergy_dv, &(model.crba(q) * &x.v), 1e-12);
        let mut bare = model.clone();
        bare.bodies.iter_mut().for_each(|b| b.armature = 0.0);
        let parameters = DVector::from_iterator(
            10 * model.bodies.len(),
            model.bodies.iter().flat_map(|b| {
                let (m, h, j) = (b.inertia.mass, b.inertia.h, b.inertia.j);
                [m, h.x, h.y, h.z, j.m11, j.m12, j.m22, j.m13, j.m23, j.m33]
            }),
        );
        let kinetic = kinetic_energy_regressor(model, data, q, v).dot(&parameters);
        close("T", &[kinetic], &[kinetic_energy(&bare, data, q, v)], 1e-13);
        let potential = potential_energy_regressor(model, data, q).dot(&parameters);
        close("V", &[potential], &[potential_energy(model, data, q)], 1e-13);
    });
}
