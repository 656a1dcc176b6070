//! Loops over tables against the generic reference, which works body by body in link frames and
//! shares no code with them. `rbd-build/tests/kernels/loops_digits.rs` compares the derivatives,
//! with twice the digits.

use crate::common::{close, for_all, models};
use nalgebra::{DMatrix, DVector};
use num_dual::Dual64;
use rbd_runtime::lanes::F64x4;
use rbd_runtime::loops::aba::aba;
use rbd_runtime::loops::crba::crba;
use rbd_runtime::loops::minv::minv;
use rbd_runtime::loops::of_model::Owned;
use rbd_runtime::loops::rnea::rnea;
use rbd_runtime::loops::rnea_derivatives::{Results, rnea_derivatives_of_slices};
use rbd_runtime::loops::{LANES, WORLD};
use rbd_runtime::random::{Options, State, random_model, random_state};
use rbd_runtime::reference::Data;
use rbd_runtime::spatial::Vector6;
use rbd_runtime::{Model, Scalar};

fn torques<T: Scalar>(owned: &Owned, state: [&[T]; 3], fext: Option<&[Vector6<T>]>, nv: usize) -> Vec<T> {
    let mut tau = vec![T::from_f64(f64::NAN); nv];
    rnea(&owned.padded::<64>().expect("at most 56 rows").tables(), state, None, fext, &mut tau);
    tau
}

/// Results of the reference.
fn reference<T: Scalar>(model: &Model<T>, [q, v, a]: [&[T]; 3], fext: Option<&[Vector6<T>]>) -> DVector<T> {
    rbd_runtime::reference::rnea(model, &mut Data::new(model), q, v, a, fext).clone()
}

fn mass_matrix<T: Scalar>(owned: &Owned, q: &[T], nv: usize) -> DMatrix<T> {
    let mut m = DMatrix::from_element(nv, nv, T::from_f64(f64::NAN));
    crba(&owned.padded::<64>().expect("at most 56 rows").tables(), q, None, (nv, false), m.as_mut_slice());
    m
}

/// Calls `check` with segments of one joint, of some, and one for all.
fn for_all_segments(mut check: impl FnMut(&Model<f64>, &State, &Owned)) {
    for_all(|model, s| {
        for longest in [1, LANES, 1000] {
            check(model, s, &Owned::with_segments(model, longest).expect("bodies with mass"));
        }
        // Prismatic joints with limits, whose segment does not move with them.
        let mut model = model.clone();
        for body in &mut model.bodies {
            (body.limits.lower, body.limits.upper) = (-0.5, 0.5);
        }
        check(&model, s, &Owned::from_model(&model).expect("bodies with mass"));
    });
}

#[test]
fn torques_are_those_of_the_reference() {
    for_all_segments(|model, s, owned| {
        let (q, v, a) = (s.q.as_slice(), s.v.as_slice(), s.a.as_slice());
        let zeros = vec![0.0; model.nv];
        for fext in [None, Some(&s.fext[..])] {
            let expected = reference(model, [q, v, a], fext);
            close("tau", &torques(owned, [q, v, a], fext, model.nv), expected.iter(), 1e-13);
        }
        close(
            "bias",
            &torques(owned, [q, v, &[]], None, model.nv),
            reference(model, [q, v, &zeros], None).iter(),
            1e-13,
        );
        close(
            "gravity",
            &torques(owned, [q, &[], &[]], None, model.nv),
            reference(model, [q, &zeros, &zeros], None).iter(),
            1e-13,
        );
    });
}

/// Torques' derivatives in these matrices.
fn derivatives(owned: &Owned, s: &State, out: &mut [DMatrix<f64>; 3], leaves_zeros: bool) {
    let [dq, dv, da] = out.each_mut().map(|matrix| matrix.as_mut_slice());
    let out = Results { tau: &mut vec![0.0; s.v.len()], dq, dv, da, leaves_zeros };
    let state = [s.q.as_slice(), s.v.as_slice(), s.a.as_slice()];
    rnea_derivatives_of_slices(&owned.padded::<64>().unwrap().tables(), state, None, Some(&s.fext), out);
}

#[test]
fn zeros_that_are_there_may_be_left_alone() {
    let mut left = 0;
    for_all_segments(|model, s, owned| {
        let nv = model.nv;
        let mut expected = [(); 3].map(|()| DMatrix::from_element(nv, nv, f64::NAN));
        derivatives(owned, s, &mut expected, false);
        let mut found = [(); 3].map(|()| DMatrix::zeros(nv, nv));
        // On zeros, and on the results of another state.
        let other = random_state(model, 77);
        for state in [s, &other, s] {
            derivatives(owned, state, &mut found, true);
        }
        assert_eq!(found, expected);
        let (tables, mut m) = (owned.padded::<64>().unwrap(), DMatrix::zeros(nv, nv));
        for q in [&s.q, &other.q, &s.q] {
            crba(&tables.tables(), q.as_slice(), None, (nv, true), m.as_mut_slice());
        }
        assert_eq!(m, mass_matrix(owned, s.q.as_slice(), nv));
        left += m.iter().filter(|x| **x == 0.0).count();
    });
    assert!(left > 1000, "{left}");
}

#[test]
#[cfg(debug_assertions)]
#[should_panic(expected = "is not zero where its function leaves zeros alone")]
fn other_numbers_in_their_place_are_refused() {
    // Two limbs of a floating base.
    let options = Options { bodies: 40, floating: true, ..Options::default() };
    let model = random_model(3, &options);
    let owned = Owned::from_model(&model).expect("bodies with mass");
    let mut m = vec![1.0; model.nv * model.nv];
    let s = random_state(&model, 1);
    crba(&owned.padded::<64>().unwrap().tables(), s.q.as_slice(), None, (model.nv, true), &mut m);
}

/// Accelerations of robots without mimic joints.
fn accelerations<T: Scalar>(
    owned: &Owned,
    state: [&[T]; 3],
    fext: Option<&[Vector6<T>]>,
    nv: usize,
) -> Vec<T> {
    let mut ddq = vec![T::from_f64(f64::NAN); nv];
    aba(&owned.padded::<64>().expect("at most 56 rows").tables(), state, None, fext, &mut ddq);
    ddq
}

#[test]
fn accelerations_are_those_of_the_reference() {
    let mut compared = 0;
    for_all_segments(|model, s, owned| {
        if model.bodies.iter().any(|b| b.mimic.is_some()) {
            return;
        }
        compared += 1;
        let (q, v, tau) = (s.q.as_slice(), s.v.as_slice(), s.tau.as_slice());
        let eigenvalues = model.crba(q).symmetric_eigenvalues();
        let condition = eigenvalues.max() / eigenvalues.min();
        for fext in [None, Some(&s.fext[..])] {
            let expected = match fext {
                Some(fext) => model.aba_fext(q, v, tau, fext),
                None => model.aba(q, v, tau),
            };
            let found = accelerations(owned, [q, v, tau], fext, model.nv);
            close("ddq", &found, expected.iter(), 1e-15 * condition.max(100.0));
        }
    });
    assert!(compared > 20, "{compared}");
}

#[test]
fn mass_matrices_are_those_of_the_reference() {
    for_all_segments(|model, s, owned| {
        let q = s.q.as_slice();
        close("M", mass_matrix(owned, q, model.nv).iter(), model.crba(q).iter(), 1e-13);
    });
}

#[test]
fn inverses_by_articulated_bodies_are_those_of_the_reference() {
    let mut compared = 0;
    for_all_segments(|model, s, owned| {
        if model.bodies.iter().any(|b| b.mimic.is_some()) {
            return;
        }
        compared += 1;
        let (q, n) = (s.q.as_slice(), model.nv);
        let mut found = DMatrix::from_element(n, n, f64::NAN);
        minv(&owned.padded::<64>().expect("at most 56 rows").tables(), q, None, n, found.as_mut_slice());
        let m = model.crba(q);
        let eigenvalues = m.symmetric_eigenvalues();
        let condition = eigenvalues.max() / eigenvalues.min();
        assert_eq!(found, found.transpose());
        let expected = m.try_inverse().expect("a positive definite matrix");
        close("M^-1", found.iter(), expected.iter(), 1e-15 * condition.max(100.0));
    });
    assert!(compared > 20, "{compared}");
}

#[test]
fn a_horizontal_world_is_any_other() {
    let mut model = random_model(5, &Options::everything(7, true));
    model.gravity = nalgebra::Vector3::new(3.0, -4.0, 5.0);
    let s = random_state(&model, 5);
    let owned = Owned::from_model(&model).expect("bodies with mass");
    let (q, v, a) = (s.q.as_slice(), s.v.as_slice(), s.a.as_slice());
    close(
        "tau",
        &torques(&owned, [q, v, a], None, model.nv),
        reference(&model, [q, v, a], None).iter(),
        1e-13,
    );
}

#[test]
fn several_robots_on_one_world() {
    // Two floating bases and an arm on the world: the axes are those of the first.
    for seed in 0..8 {
        let options = Options { on_world: 0.4, ..Options::everything(7, false) };
        let mut model = random_model(seed, &options);
        let floating = random_model(seed, &Options { bodies: 1, floating: true, ..options.clone() });
        for body in &mut model.bodies {
            body.parent = body.parent.map(|p| p + 1);
            (body.idx_q, body.idx_v) = (body.idx_q + 7, body.idx_v + 6);
            if let Some(mimic) = &mut body.mimic {
                mimic.joint += 1;
            }
        }
        model.bodies.splice(0..0, floating.bodies);
        (model.nq, model.nv) = (model.nq + 7, model.nv + 6);
        let s = random_state(&model, seed);
        let (q, v, a) = (s.q.as_slice(), s.v.as_slice(), s.a.as_slice());
        for longest in [LANES, 1000] {
            let owned = Owned::with_segments(&model, longest).expect("bodies with mass");
            let expected = reference(&model, [q, v, a], Some(&s.fext[..]));
            close("tau", &torques(&owned, [q, v, a], Some(&s.fext[..]), model.nv), expected.iter(), 1e-13);
            close("M", mass_matrix(&owned, q, model.nv).iter(), model.crba(q).iter(), 1e-13);
        }
    }
}

#[test]
fn dual_numbers_and_states_in_lanes_go_the_same_way() {
    for (seed, model) in models().into_iter().take(4).enumerate() {
        let owned = Owned::from_model(&model).expect("bodies with mass");
        let s = random_state(&model, seed as u64);
        // A derivative by the velocity along the acceleration.
        let pairs = s.v.iter().zip(&s.a);
        let v: Vec<Dual64> = pairs.map(|(&v, &a)| Dual64::new(v, a)).collect();
        let [q, a] = [&s.q, &s.a].map(|x| x.iter().map(|&x| Dual64::from(x)).collect::<Vec<_>>());
        let tau = torques(&owned, [&q, &v, &a], None, model.nv);
        let expected = reference(&model.cast::<Dual64>(), [&q, &v, &a], None);
        let part = |x: &[Dual64], of: fn(&Dual64) -> f64| x.iter().map(of).collect::<Vec<_>>();
        close("dual", &part(&tau, |x| x.re), &part(expected.as_slice(), |x| x.re), 1e-13);
        close("dual", &part(&tau, |x| x.eps), &part(expected.as_slice(), |x| x.eps), 1e-13);

        let states: [State; 4] = core::array::from_fn(|i| random_state(&model, i as u64));
        let lanes = |of: fn(&State) -> &[f64], k: usize| F64x4::from([0, 1, 2, 3].map(|i| of(&states[i])[k]));
        let q: Vec<F64x4> = (0..model.nq).map(|k| lanes(|s| s.q.as_slice(), k)).collect();
        let m = mass_matrix(&owned, &q, model.nv);
        for (i, s) in states.iter().enumerate() {
            let lane: Vec<f64> = m.iter().map(|x| x.to_array()[i]).collect();
            close("lanes", &lane, model.crba(s.q.as_slice()).iter(), 1e-13);
        }
    }
}

#[test]
fn one_arm_knows_nothing_of_the_other() {
    // Two limbs on the world share registers and a segment. A NaN in one does not reach the other.
    let arm = Options { bodies: 3, branching: 0.0, on_world: 0.0, ..Options::default() };
    let mut model = random_model(3, &arm);
    let mut second = random_model(4, &arm);
    for body in &mut second.bodies {
        body.parent = body.parent.map(|p| p + 3);
        (body.idx_q, body.idx_v) = (body.idx_q + 3, body.idx_v + 3);
    }
    model.bodies.append(&mut second.bodies);
    (model.nq, model.nv) = (6, 6);
    for body in &mut model.bodies {
        (body.limits.lower, body.limits.upper) = (-0.5, 0.5);
    }
    let owned = Owned::from_model(&model).expect("bodies with mass");
    assert_eq!(owned.topology().segments.len(), 1);
    let s = random_state(&model, 3);
    for k in 0..6 {
        let mut q = s.q.clone();
        q[k] = f64::NAN;
        let tau = torques(&owned, [q.as_slice(), s.v.as_slice(), s.a.as_slice()], None, 6);
        let m = mass_matrix(&owned, q.as_slice(), 6);
        for i in (0..6).filter(|i| i / 3 != k / 3) {
            assert!(tau[i].is_finite() && m.row(i).iter().all(|x| x.is_finite()), "q{k} reaches row {i}");
        }
    }
}

#[test]
fn single_precision() {
    for_all(|model, s| {
        let owned = Owned::from_model(model).expect("bodies with mass");
        let q: Vec<f32> = s.q.iter().map(|&q| q as f32).collect();
        let rounded: Vec<f64> = q.iter().map(|&q| f64::from(q)).collect();
        let m: Vec<f64> = mass_matrix(&owned, &q, model.nv).iter().map(|&x| f64::from(x)).collect();
        close("M", &m, model.crba(&rounded).iter(), 1e-5);
    });
}

/// Returns whether the joint with first row `a` is, or carries, the joint with first row `b`, by
/// going up the tree.
fn carries(owned: &Owned, a: u16, b: u16) -> bool {
    let t = owned.topology();
    let mut at = b;
    loop {
        if at == a {
            return true;
        }
        match t.parent[usize::from(at)] {
            WORLD => return false,
            row => at = t.first[usize::from(row)],
        }
    }
}

#[test]
fn windows_and_strips_cover_every_pair_of_rows_once() {
    for model in models() {
        for longest in [1, LANES, 1000] {
            let owned = Owned::with_segments(&model, longest).expect("bodies with mass");
            let t = owned.topology();
            let mut row = 0;
            for window in t.windows {
                assert_eq!(usize::from(window.first), row);
                let mut column = 0;
                for strip in &t.strips[window.strips.0 as usize..window.strips.1 as usize] {
                    assert_eq!(strip.from, column);
                    for c in strip.from..strip.to {
                        assert_eq!(t.segment[usize::from(c)], t.segment[usize::from(strip.from)]);
                        for lane in 0..window.rows {
                            let (a, b) = (t.first[row + usize::from(lane)], t.first[usize::from(c)]);
                            let (above, below) = (carries(&owned, a, b) && a != b, carries(&owned, b, a));
                            assert_eq!(strip.above >> lane & 1 == 1, above);
                            assert_eq!(strip.below >> lane & 1 == 1, below);
                        }
                    }
                    column = strip.to;
                }
                assert_eq!(usize::from(column), t.rows);
                for r in row..row + usize::from(window.rows) {
                    assert_eq!(t.segment[r], window.segment);
                }
                row += usize::from(window.rows);
            }
            assert_eq!(row, t.rows);
        }
    }
}
