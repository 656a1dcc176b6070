//! Contacts of robots with inertias and gravity at run time, beside the compiled robot.

use super::contacts::within;
use nalgebra::{DMatrix, Matrix3, SVector, Vector3};
use rbd::ContactAxes;
use rbd::spatial::Inertia;
use rbd_jit::{Base, ContactKind, ContactSettings, Engine, Loaded, Options, Parameters, Robot};

rbd::rbd_robot! {
    struct Carrier {
        urdf: "../robots/double_pendulum.urdf",
        base: floating,
        functions: [crba],
        contacts: { "link1": plane, "base_link": point },
        inertia: {
            runtime: ["link1"],
            loads: { "hand": { link: "link2", xyz: [0.1, -0.2, 0.4], rpy: [0.3, 0.2, -0.5] } },
        },
        gravity: runtime,
    }
}

const NV: usize = Carrier::NV;
const NR: usize = Carrier::CONTACT_ROWS;

fn robot() -> Robot {
    Robot::from_urdf(concat!(env!("CARGO_MANIFEST_DIR"), "/../robots/double_pendulum.urdf"))
        .base(Base::Floating)
        .functions(["crba"])
        .contact("link1", ContactKind::Plane)
        .contacts(["base_link"])
        .inertia_at_run_time(["link1"])
        .load_at("hand", "link2", [0.1, -0.2, 0.4], [0.3, 0.2, -0.5])
        .gravity_at_run_time(true)
}

#[test]
fn parameters_reach_every_function() {
    let mut given =
        CarrierParameters::default().with(CarrierInertia::Hand, Inertia::point(1.5, [0.1, 0.2, -0.3])).with(
            CarrierInertia::Link1,
            Inertia::from_com(2.0, &Vector3::new(0.1, 0.0, 0.2), &Matrix3::identity()),
        );
    given.gravity = [1.0, -2.0, -8.0];
    let inertia = [CarrierInertia::Link1, CarrierInertia::Hand].map(|of| given[of]);
    for engine in [Engine::best(), Engine::Interpreter] {
        let options = Options { engine: Some(engine), ..Options::default() };
        let loaded = robot().load_with(options).unwrap();
        let names = loaded.model().run_time.inertias.iter().map(|inertia| inertia.name.as_str());
        assert_eq!(names.collect::<Vec<_>>(), ["link1", "hand"]);
        let of_urdf = CarrierParameters::default();
        check(&loaded, Parameters { inertia: inertia.as_flattened(), gravity: &given.gravity }, &given);
        check(&loaded, Parameters::default(), &of_urdf);
        check(&loaded, Parameters { gravity: &given.gravity, ..Parameters::default() }, &{
            let mut gravity_alone = of_urdf;
            gravity_alone.gravity = given.gravity;
            gravity_alone
        });
    }
}

fn check(loaded: &Loaded, parameters: Parameters<'_>, expected: &CarrierParameters<f64>) {
    let (robot, mut work) = (loaded.contacts_with(parameters), loaded.workspace());
    let numbers = |first: f64| SVector::<f64, NV>::from_fn(|k, _| (first + 1.7 * k as f64).sin());
    let q = Carrier::integrate(&Carrier::neutral(), &numbers(0.3));
    let (v, x) = (numbers(1.1), numbers(2.4) * 5.0);
    let [qs, vs, xs] = [q.as_slice(), v.as_slice(), x.as_slice()];
    let [mut a, mut b, mut c] = [vec![f64::NAN; NV], vec![f64::NAN; NR], vec![f64::NAN; NR]];
    let (mut d, mut e) = (vec![f64::NAN; NV], vec![f64::NAN; NR]);
    let [mut qq, mut qv, mut qt] = [(); 3].map(|()| vec![f64::NAN; NV * NV]);
    let [mut fq, mut fv, mut ft] = [(); 3].map(|()| vec![f64::NAN; NR * NV]);
    let mut square = vec![f64::NAN; NR * NR];
    let work = &mut work;
    for active in [[true, false], [true, true]] {
        // Robots at run time take the inverse of the mass matrix, and compiled ones its factors. The
        // inverse has errors of its largest eigenvalue, which a solution divides by the least one of the
        // Delassus matrix.
        let rows = if active[1] { NR } else { 6 };
        let (minv, delassus) =
            (Carrier::minv_with(expected, &q), Carrier::delassus_with(expected, &q, &active));
        let minv = DMatrix::from_fn(NV, NV, |r, c| minv[(r, c)]);
        let delassus = DMatrix::from_fn(rows, rows, |r, c| delassus[(r, c)]);
        let (largest, least) = (minv.symmetric_eigenvalues().max(), delassus.symmetric_eigenvalues().min());
        let tolerance = 1e-13 * largest / least.max(1e-4);
        let close = |found: &[f64], expected: &[f64]| within(tolerance, found, expected);
        for axes in ContactAxes::ALL {
            let settings = ContactSettings { mu: 1e-4, iterations: 2, axes, ..ContactSettings::default() };
            let of = rbd::ContactSettings::<f64, 2>::default().proximal(1e-4, 2).in_axes(axes);
            robot.contact_dynamics(work, qs, vs, xs, &active, &settings, &mut a, &mut b, &mut c).unwrap();
            let compiled = Carrier::contact_dynamics_with(expected, &q, &v, &x, &active, &of);
            close(&a, compiled.ddq.as_slice());
            close(&b, compiled.forces.as_slice());
            close(&c, compiled.residual.as_slice());
            let first = [&mut a[..], &mut b, &mut c];
            let (by, forces_by) = ([&mut qq[..], &mut qv, &mut qt], [&mut fq[..], &mut fv, &mut ft]);
            robot
                .contact_dynamics_derivatives(work, qs, vs, xs, &active, &settings, first, by, forces_by)
                .unwrap();
            let compiled = Carrier::contact_dynamics_derivatives_with(expected, &q, &v, &x, &active, &of);
            for (found, expected) in
                [(&qq, compiled.ddq_dq), (&qv, compiled.ddq_dv), (&qt, compiled.ddq_dtau)]
            {
                close(found, expected.as_slice());
            }
            for (found, expected) in
                [(&fq, compiled.forces_dq), (&fv, compiled.forces_dv), (&ft, compiled.forces_dtau)]
            {
                close(found, expected.as_slice());
            }
            robot.contact_impulse(work, qs, vs, &active, 0.3, &settings, &mut a, &mut b, &mut c).unwrap();
            let compiled = Carrier::contact_impulse_with(expected, &q, &v, &active, 0.3, &of);
            close(&a, compiled.v_plus.as_slice());
            close(&b, compiled.impulses.as_slice());
            let first = [&mut a[..], &mut b, &mut c];
            let (by, forces_by) = ([&mut qq[..], &mut qv, &mut d], [&mut fq[..], &mut fv, &mut e]);
            robot
                .contact_impulse_derivatives(work, qs, vs, &active, 0.3, &settings, first, by, forces_by)
                .unwrap();
            let compiled = Carrier::contact_impulse_derivatives_with(expected, &q, &v, &active, 0.3, &of);
            close(&qq, compiled.v_plus_dq.as_slice());
            close(&qv, compiled.v_plus_dv.as_slice());
            close(&fq, compiled.impulses_dq.as_slice());
            robot.contact_inverse_dynamics(work, qs, vs, xs, &b, axes, &mut d).unwrap();
            let forces = SVector::from_column_slice(&b);
            let compiled = Carrier::contact_inverse_dynamics_in_with(expected, &q, &v, &x, &forces, axes);
            close(&d, compiled.as_slice());
            robot.contact_jacobian(work, qs, &active, axes, &mut fq).unwrap();
            close(&fq, Carrier::contact_jacobian_in(&q, &active, axes).as_slice());
            robot.delassus(work, qs, &active, axes, &mut square).unwrap();
            close(&square, Carrier::delassus_in_with(expected, &q, &active, axes).as_slice());
            robot.contact_errors(work, qs, &active, &settings, &mut b).unwrap();
            close(&b, Carrier::contact_errors(&q, &active, &of).as_slice());
        }
    }
    let mut placements = [f64::NAN; 24];
    robot.contact_placements(work, qs, &mut placements).unwrap();
    for (found, expected) in placements.chunks(12).zip(Carrier::contact_placements(&q)) {
        within(1e-13, &found[..9], expected.rotation.as_slice());
        within(1e-13, &found[9..], expected.translation.as_slice());
    }
}

/// Lengths are checked by every function, whether it reads them or not.
#[test]
fn other_lengths_are_refused() {
    let loaded = robot().load().unwrap();
    let said = |parameters: Parameters<'_>| {
        let mut work = loaded.workspace();
        let (q, mut placements) = (vec![0.0; loaded.nq()], [0.0; 24]);
        let robot = loaded.contacts_with(parameters);
        robot.contact_placements(&mut work, &q, &mut placements).unwrap_err().to_string()
    };
    let message = "`contact_placements`: `inertia` has 20 numbers, and was given 10";
    assert_eq!(said(Parameters { inertia: &[0.0; 10], gravity: &[] }), message);
    let message = "`contact_placements`: `gravity` has 3 numbers, and was given 2";
    assert_eq!(said(Parameters { inertia: &[], gravity: &[0.0; 2] }), message);
}
