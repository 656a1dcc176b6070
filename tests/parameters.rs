//! Parameters at run time of a generated robot: its functions take them, in every form and scalar.
//!
//! The algorithms are tested on random trees (`rbd-build/tests/kernels/run_time.rs`). Tested here
//! is the generated code around them.

use nalgebra::{DMatrix, SMatrix, SVector, Vector3};
use num_dual::Dual64;
use rbd::lanes::F64x4;
use rbd::reference::{self, Data};
use rbd::spatial::{Inertia, Placement};
use rbd::{
    ContactDynamicsDerivatives, ContactSettings, ContactsWithParameters, Dynamics, DynamicsWithParameters,
    Model, Scalar,
};

// By the name that generated code has for a type parameter, and with names that lists of all have.
rbd::rbd_robot! {
    pub struct U {
        urdf: "robots/double_pendulum.urdf",
        functions: [
            dynamics, potential_energy, rnea_hessian, aba_hessian, rnea_second_derivatives, rnea_second_derivatives_fext,
            aba_second_derivatives_fext, parameter_derivatives,
        ],
        frames: { "ALL": { link: "link2", xyz: [0.0, 0.1, 0.5] } },
        contacts: ["ALL"],
        inertia: {
            runtime: ["link1"],
            loads: { "hand": { link: "link2", xyz: [0.1, -0.2, 0.4], rpy: [0.3, 0.2, -0.5] } },
        },
        gravity: runtime,
    }
}
rbd::rbd_robot! {
    pub struct Weightless { urdf: "robots/double_pendulum.urdf", functions: [rnea, crba], gravity: runtime }
}

use {U as Pendulum, UInertia as PendulumInertia, UParameters as PendulumParameters};

type Vector = SVector<f64, 2>;
type Parameters = PendulumParameters<f64>;

fn state() -> [Vector; 3] {
    [[0.4, -1.1], [0.7, 0.3], [-2.0, 1.5]].map(Vector::from)
}

fn parameters() -> Parameters {
    let mut parameters =
        Parameters::default().with(PendulumInertia::Hand, Inertia::point(1.5, [0.1, 0.2, -0.3])).with(
            PendulumInertia::Link1,
            Inertia::from_com(2.0, &Vector3::new(0.1, 0.0, 0.2), &nalgebra::Matrix3::identity()),
        );
    parameters.gravity = [1.0, -2.0, -8.0];
    parameters
}

/// The model that contains these parameters.
fn model<T: Scalar>(parameters: &PendulumParameters<T>) -> Model<T> {
    let mut model = Pendulum::model::<T>();
    model.bodies[0].inertia = Inertia::from_parameters(parameters[PendulumInertia::Link1]);
    let hand: Placement<T> = model.frames.iter().find(|f| f.name == "hand").unwrap().placement;
    let load = Inertia::from_parameters(parameters[PendulumInertia::Hand]).transformed(&hand);
    model.bodies[1].inertia += load;
    model.gravity = Vector3::from(parameters.gravity);
    model
}

#[track_caller]
fn close<const R: usize, const C: usize>(got: &SMatrix<f64, R, C>, expected: &DMatrix<f64>) {
    let got = DMatrix::from_column_slice(R, C, got.as_slice());
    let error = (&got - expected).amax() / expected.amax().max(1.0);
    assert!(error < 1e-12, "{error:e}: {got} {expected}");
}

fn column(x: &nalgebra::DVector<f64>) -> DMatrix<f64> {
    DMatrix::from_column_slice(x.len(), 1, x.as_slice())
}

#[test]
fn functions_are_those_of_a_model_with_these_parameters() {
    let ([q, v, a], parameters) = (state(), parameters());
    let (p, m) = (&parameters, model(&parameters));
    let (qs, vs, xs) = (q.as_slice(), v.as_slice(), a.as_slice());
    close(&Pendulum::rnea_with(p, &q, &v, &a), &column(&m.rnea(qs, vs, xs)));
    close(&Pendulum::bias_with(p, &q, &v), &column(&m.bias(qs, vs)));
    close(&Pendulum::gravity_with(p, &q), &column(&m.gravity_torques(qs)));
    close(&Pendulum::aba_with(p, &q, &v, &a), &column(&m.aba(qs, vs, xs)));
    close(&Pendulum::crba_with(p, &q), &m.crba(qs));
    close(&Pendulum::minv_with(p, &q), &m.minv(qs));
    let fext =
        [SVector::from([1.0, 2.0, 3.0, -1.0, 0.5, 0.2]), SVector::from([0.3, -2.0, 1.0, 0.0, 1.5, -0.2])];
    close(&Pendulum::rnea_fext_with(p, &q, &v, &a, &fext), &column(&m.rnea_fext(qs, vs, xs, &fext)));
    close(&Pendulum::aba_fext_with(p, &q, &v, &a, &fext), &column(&m.aba_fext(qs, vs, xs, &fext)));
    let (got, expected) =
        (Pendulum::rnea_derivatives_with(p, &q, &v, &a), m.rnea_derivatives(qs, vs, xs, None));
    close(&got.dtau_dq, &expected.dtau_dq);
    close(&got.dtau_dv, &expected.dtau_dv);
    let mut got = rbd::AbaDerivatives::zeros();
    Pendulum::aba_derivatives_fext_with_into(p, &q, &v, &a, &fext, &mut got);
    let expected = m.aba_derivatives(qs, vs, xs, Some(&fext));
    close(&got.ddq_dq, &expected.ddq_dq);
    close(&got.ddq_dtau, &expected.ddq_dtau);
    // Known sines and cosines too. If an angle has an offset, those of its sum are used.
    close(&Pendulum::rnea_with(p, &rbd::Posture::of(q), &v, &a), &column(&m.rnea(qs, vs, xs)));
}

/// The defaults are the URDF's values, and functions without `_with` use them, also by traits.
#[test]
fn defaults_are_the_urdfs() {
    fn torques<R: Dynamics<2, 2>>([q, v, a]: &[Vector; 3]) -> Vector {
        R::rnea(q, v, a)
    }
    let ([q, v, a], default) = (state(), Parameters::default());
    let m = Pendulum::model::<f64>();
    close(&torques::<Pendulum>(&state()), &column(&m.rnea(q.as_slice(), v.as_slice(), a.as_slice())));
    assert_eq!(torques::<Pendulum>(&state()), Pendulum::rnea_with(&default, &q, &v, &a));
    assert_eq!(default.gravity, [0.0, 0.0, -9.81]);
    assert_eq!(default[PendulumInertia::Link1], m.bodies[0].inertia.parameters());
    assert_eq!(default[PendulumInertia::Hand], [0.0; 10]);
    assert_eq!(PendulumInertia::ALL.map(PendulumInertia::name), ["link1", "hand"]);
    let hessian = Pendulum::rnea_hessian(&q, &v, &a, &Vector::from([1.0, 0.0]));
    assert!((hessian.value - torques::<Pendulum>(&state())[0]).abs() < 1e-12);
}

/// Code for any robot that takes something at run time.
#[test]
fn parameters_pass_through_a_trait() {
    fn drives<R: DynamicsWithParameters<2, 2>>(
        p: &R::Parameters<f64>,
        [q, v, a]: &[Vector; 3],
    ) -> [Vector; 2] {
        let mut forward = rbd::AbaDerivatives::zeros();
        R::aba_derivatives_with_into(p, q, v, a, &mut forward);
        [R::rnea_with(p, q, v, a), R::crba_with(p, q) * forward.ddq]
    }
    let ([q, v, a], p) = (state(), parameters());
    let expected = Pendulum::crba_with(&p, &q) * Pendulum::aba_with(&p, &q, &v, &a);
    assert_eq!(drives::<Pendulum>(&p, &state())[0], Pendulum::rnea_with(&p, &q, &v, &a));
    assert!((drives::<Pendulum>(&p, &state())[1] - expected).amax() < 1e-11);
    assert_eq!(drives::<Pendulum>(&Default::default(), &state())[0], Pendulum::rnea(&q, &v, &a));
}

/// Code for any robot with contacts that takes something at run time: both traits have one type of it.
#[test]
fn parameters_pass_through_the_trait_of_contacts() {
    fn balance<R: ContactsWithParameters<2, 2, 1, 3> + DynamicsWithParameters<2, 2>>(
        p: &R::Parameters<f64>,
        [q, v, tau]: &[Vector; 3],
    ) -> [Vector; 2] {
        let (active, settings) = ([true], ContactSettings::default());
        let found = R::contact_dynamics_with(p, q, v, tau, &active, &settings);
        let mut by = ContactDynamicsDerivatives::zeros();
        R::contact_dynamics_derivatives_with_into(p, q, v, tau, &active, &settings, &mut by);
        assert_eq!((found.ddq, found.forces), (by.ddq, by.forces));
        let forces = R::contact_jacobian(q, &active).tr_mul(&found.forces);
        let torques = R::contact_inverse_dynamics_with(p, q, v, &found.ddq, &found.forces);
        [torques - tau, R::rnea_with(p, q, v, &found.ddq) - forces - tau]
    }
    for left in balance::<Pendulum>(&parameters(), &state()) {
        assert!(left.amax() < 1e-11, "{left}");
    }
}

/// Four arms with four loads, and single precision.
#[test]
fn parameters_are_of_any_scalar() {
    let ([q, v, a], one) = (state(), parameters());
    let wide = |x: &Vector| x.map(F64x4::splat);
    let mut several = one.map(F64x4::splat);
    several[PendulumInertia::Hand][0] = F64x4::from([0.0, 1.0, 2.0, 3.0]);
    let tau = Pendulum::rnea_with(&several, &wide(&q), &wide(&v), &wide(&a));
    for lane in 0..4 {
        let mut alone = one;
        alone[PendulumInertia::Hand][0] = lane as f64;
        let expected = Pendulum::rnea_with(&alone, &q, &v, &a);
        for k in 0..2 {
            assert!((tau[k].to_array()[lane] - expected[k]).abs() < 1e-12 * expected.amax());
        }
    }
    let single = |x: &Vector| x.map(|x| x as f32);
    let tau = Pendulum::rnea_with(&one.map(|x| x as f32), &single(&q), &single(&v), &single(&a));
    let expected = Pendulum::rnea_with(&one, &q, &v, &a);
    assert!((tau.map(f64::from) - expected).amax() < 1e-5 * expected.amax());
}

/// Each derivative by a parameter equals that of dual numbers through the generated functions and
/// the reference.
#[test]
fn derivatives_by_parameters_are_those_of_dual_numbers() {
    let ([q, v, x], p) = (state(), parameters());
    let dual = |x: &Vector| x.map(Dual64::from);
    let (torques, accelerations) = (
        Pendulum::rnea_parameter_derivatives_with(&p, &q, &v, &x),
        Pendulum::aba_parameter_derivatives_with(&p, &q, &v, &x),
    );
    assert!((torques.tau - Pendulum::rnea_with(&p, &q, &v, &x)).amax() < 1e-13);
    assert!((accelerations.ddq - Pendulum::aba_with(&p, &q, &v, &x)).amax() < 1e-12);
    let check = |p: &PendulumParameters<Dual64>, dtau: Vector, ddq: Vector| {
        let (q, v, x) = (dual(&q), dual(&v), dual(&x));
        let eps = |x: &[Dual64]| Vector::from_iterator(x.iter().map(|x| x.eps));
        let (qs, vs, xs) = (q.as_slice(), v.as_slice(), x.as_slice());
        for got in
            [eps(Pendulum::rnea_with(p, &q, &v, &x).as_slice()), eps(model(p).rnea(qs, vs, xs).as_slice())]
        {
            assert!((got - dtau).amax() < 1e-12 * (1.0 + dtau.amax()), "{got} {dtau}");
        }
        for got in
            [eps(Pendulum::aba_with(p, &q, &v, &x).as_slice()), eps(model(p).aba(qs, vs, xs).as_slice())]
        {
            assert!((got - ddq).amax() < 1e-11 * (1.0 + ddq.amax()), "{got} {ddq}");
        }
    };
    for (k, of) in PendulumInertia::ALL.into_iter().enumerate() {
        for column in 0..10 {
            let mut p = p.map(Dual64::from);
            p[of][column].eps = 1.0;
            check(
                &p,
                torques.dtau_dinertia[k].column(column).into(),
                accelerations.ddq_dinertia[k].column(column).into(),
            );
        }
    }
    for axis in 0..3 {
        let mut p = p.map(Dual64::from);
        p.gravity[axis].eps = 1.0;
        check(&p, torques.dtau_dgravity.column(axis).into(), accelerations.ddq_dgravity.column(axis).into());
    }
}

/// If only gravity is given at run time, the mass matrix takes no parameters.
#[test]
fn gravity_alone() {
    let [q, v, a] = state();
    let none = WeightlessParameters { gravity: [0.0; 3] };
    let zero = Vector::zeros();
    assert_eq!(Weightless::rnea_with(&none, &q, &zero, &zero), zero);
    assert!((Weightless::rnea_with(&none, &q, &zero, &a) - Weightless::crba(&q) * a).amax() < 1e-12);
    assert_ne!(Weightless::rnea(&q, &v, &a), Weightless::rnea_with(&none, &q, &v, &a));
}

/// Second derivatives, which consist of Hessians of single outputs, against the reference's
/// tensors.
#[test]
fn second_derivatives_are_those_of_a_model_with_these_parameters() {
    let ([q, v, x], p) = (state(), parameters());
    let (m, mu) = (model(&p), Vector::from([0.3, -1.2]));
    let (qs, vs, xs) = (q.as_slice(), v.as_slice(), x.as_slice());
    let pages = |got: &[SMatrix<f64, 2, 2>; 2], expected: &[DMatrix<f64>]| {
        got.iter().zip(expected).for_each(|(got, expected)| close(got, expected));
    };
    let contracted = |pages: &[DMatrix<f64>]| {
        DMatrix::from_fn(2, 2, |j, k| mu[0] * pages[k][(0, j)] + mu[1] * pages[k][(1, j)])
    };
    let of_torques = reference::rnea_second_derivatives(&m, &mut Data::new(&m), qs, vs, xs, None);
    let got = Pendulum::rnea_second_derivatives_with(&p, &q, &v, &x);
    pages(&got.d2tau_dqdq, &of_torques.d2tau_dqdq);
    pages(&got.d2tau_dqdv, &of_torques.d2tau_dqdv);
    pages(&got.d2tau_dvdv, &of_torques.d2tau_dvdv);
    pages(&got.d2tau_dqda, &of_torques.d2tau_dqda);
    let got = Pendulum::rnea_hessian_with(&p, &q, &v, &x, &mu);
    close(&got.dqdq, &contracted(&of_torques.d2tau_dqdq));
    close(&got.dqdv, &contracted(&of_torques.d2tau_dqdv));
    close(&got.dqda, &contracted(&of_torques.d2tau_dqda));

    let of_accelerations = reference::aba_second_derivatives(&m, &mut Data::new(&m), qs, vs, xs, None);
    let (mut first, mut got) = (rbd::AbaDerivatives::zeros(), rbd::AbaHessian::zeros());
    Pendulum::aba_hessian_with_first_with_into(&p, &q, &v, &x, &mu, &mut first, &mut got);
    assert_eq!(first, Pendulum::aba_derivatives_with(&p, &q, &v, &x));
    assert_eq!(got, Pendulum::aba_hessian_with(&p, &q, &v, &x, &mu));
    close(&got.dqdq, &contracted(&of_accelerations.d2ddq_dqdq));
    close(&got.dqdv, &contracted(&of_accelerations.d2ddq_dqdv));
    close(&got.dvdv, &contracted(&of_accelerations.d2ddq_dvdv));
    let fext =
        [SVector::from([1.0, 2.0, 3.0, -1.0, 0.5, 0.2]), SVector::from([0.3, -2.0, 1.0, 0.0, 1.5, 2.0])];
    let expected = reference::aba_second_derivatives(&m, &mut Data::new(&m), qs, vs, xs, Some(&fext));
    let got = Pendulum::aba_second_derivatives_fext_with(&p, &q, &v, &x, &fext);
    pages(&got.d2ddq_dqdq, &expected.d2ddq_dqdq);
    pages(&got.d2ddq_dqdv, &expected.d2ddq_dqdv);
    pages(&got.d2ddq_dvdv, &expected.d2ddq_dvdv);
    pages(&got.d2ddq_dqdtau, &expected.d2ddq_dqdtau);
    // Defaults are the URDF's values.
    let urdfs = Pendulum::model::<f64>();
    let expected = reference::rnea_second_derivatives(&urdfs, &mut Data::new(&urdfs), qs, vs, xs, None);
    pages(&Pendulum::rnea_second_derivatives(&q, &v, &x).d2tau_dqdq, &expected.d2tau_dqdq);
}

/// Dynamics under contacts obey their equations with parameters at run time.
#[test]
fn contacts_know_what_is_given() {
    assert_eq!((UContact::ALL.map(UContact::name), UFrame::ALL.len()), (["ALL"], 1));
    let ([q, v, tau], p, zero) = (state(), parameters(), Vector::zeros());
    let (m, j) = (Pendulum::crba_with(&p, &q), Pendulum::contact_jacobian(&q, &[true]));
    let (active, settings) = ([true], ContactSettings::default());
    for (p, v) in [(p, v), (p, zero), (Parameters::default(), zero)] {
        let found = Pendulum::contact_dynamics_with(&p, &q, &v, &tau, &active, &settings);
        let balance = Pendulum::rnea_with(&p, &q, &v, &found.ddq) - tau - j.tr_mul(&found.forces);
        assert!(balance.amax() < 1e-11, "{balance}");
        let torques = Pendulum::contact_inverse_dynamics_with(&p, &q, &v, &found.ddq, &found.forces);
        assert!((torques - tau).amax() < 1e-11);
    }
    let default = Parameters::default();
    let (given, by_default) = (
        Pendulum::contact_dynamics_with(&default, &q, &v, &tau, &active, &settings),
        Pendulum::contact_dynamics(&q, &v, &tau, &active, &settings),
    );
    assert_eq!(given, by_default);
    assert_ne!(given, Pendulum::contact_dynamics_with(&p, &q, &v, &tau, &active, &settings));
    let expected = j * Pendulum::minv_with(&p, &q) * j.transpose();
    assert!((Pendulum::delassus_with(&p, &q, &active) - expected).amax() < 1e-11);
    let impulse = Pendulum::contact_impulse_with(&p, &q, &v, &active, 0.0, &settings);
    assert!((m * (impulse.v_plus - v) - j.tr_mul(&impulse.impulses)).amax() < 1e-11);
    let by = Pendulum::contact_impulse_derivatives_with(&p, &q, &v, &active, 0.0, &settings);
    assert_eq!(by.v_plus, impulse.v_plus);
    assert!(
        (m * (by.v_plus_dv - SMatrix::<f64, 2, 2>::identity()) - j.tr_mul(&by.impulses_dv)).amax() < 1e-11
    );
    // The derivative is the change of the momentum with q, less that of constant impulses.
    let left = |q: &Vector| {
        let hit = Pendulum::contact_impulse_with(&p, q, &v, &active, 0.0, &settings);
        Pendulum::crba_with(&p, q) * (hit.v_plus - v)
            - Pendulum::contact_jacobian(q, &active).tr_mul(&impulse.impulses)
    };
    for k in 0..2 {
        let step = Vector::ith(k, 1e-6);
        let slope = (left(&(q + step)) - left(&(q - step))) / 2e-6;
        let got = j.tr_mul(&by.impulses_dq.column(k));
        assert!((got - slope).amax() < 1e-7 * (1.0 + slope.amax()), "{got}{slope}");
    }
    let own = Pendulum::delassus_in_with(&p, &q, &active, rbd::ContactAxes::Local);
    assert_eq!(own, Pendulum::delassus_with(&p, &q, &active));
    // At rest the tip is held: gravity torques hold it, at every configuration nearby.
    let by = Pendulum::contact_dynamics_derivatives_with(&p, &q, &zero, &tau, &active, &settings);
    assert!(by.ddq.amax() < 1e-10 && by.ddq_dq.amax() < 1e-9);
    let held = |q: &Vector| {
        Pendulum::gravity_with(&p, q) - Pendulum::contact_jacobian(q, &active).tr_mul(&by.forces)
    };
    for k in 0..2 {
        let step = Vector::ith(k, 1e-6);
        let slope = (held(&(q + step)) - held(&(q - step))) / 2e-6;
        let got = j.tr_mul(&by.forces_dq.column(k));
        assert!((got - slope).amax() < 1e-7 * (1.0 + slope.amax()), "{got}{slope}");
    }
}

/// The Hessian is the derivative of the first derivatives, with parameters at run time too.
#[test]
fn hessians_under_contacts_know_what_is_given() {
    let ([q, v, tau], p) = (state(), parameters());
    let (lambda, kappa) = (Vector::new(0.7, -0.4), Vector3::new(0.3, -1.1, 0.6));
    // Three rows and two joints: compliant.
    let settings = ContactSettings::default().proximal(0.1, 1);
    let got = Pendulum::contact_dynamics_hessian_with(&p, &q, &v, &tau, &[true], &settings, &lambda, &kappa);
    let e = Vector::new(0.8, -0.5);
    let given = |x: Vector, by: usize, k: usize| {
        let e = if by == k { e } else { Vector::zeros() };
        x.zip_map(&e, Dual64::new)
    };
    let settings_of_dual = ContactSettings::default().proximal(Dual64::from(0.1), 1);
    let parameters_of_dual: PendulumParameters<Dual64> = p.map(Dual64::from);
    let moved = |by: usize| {
        let d = Pendulum::contact_dynamics_derivatives_with(
            &parameters_of_dual,
            &given(q, by, 0),
            &given(v, by, 1),
            &given(tau, by, 2),
            &[true],
            &settings_of_dual,
        );
        let (lambda, kappa) = (lambda.map(Dual64::from), kappa.map(Dual64::from));
        (d.ddq_dq.transpose() * lambda + d.forces_dq.transpose() * kappa).map(|x| x.eps)
    };
    for (by, block) in [got.dqdq, got.dqdv, got.dqdtau].iter().enumerate() {
        assert!((block * e - moved(by)).amax() < 1e-10 * block.amax().max(1.0), "{by}");
    }
    let plain = Pendulum::contact_dynamics_hessian(&q, &v, &tau, &[true], &settings, &lambda, &kappa);
    let default = Parameters::default();
    let of_default =
        Pendulum::contact_dynamics_hessian_with(&default, &q, &v, &tau, &[true], &settings, &lambda, &kappa);
    assert_eq!(plain, of_default);
    assert_ne!(plain, got);
}
