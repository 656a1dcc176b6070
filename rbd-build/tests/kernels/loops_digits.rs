//! Digits that the loops over tables keep, against the generic reference in double-doubles, which
//! is exact here.

use crate::common::twice::Twice;
use rbd_runtime::loops::crba::crba;
use rbd_runtime::loops::of_model::Owned;
use rbd_runtime::loops::rnea::rnea;
use rbd_runtime::loops::rnea_derivatives::{Results, rnea_derivatives_of_slices};
use rbd_runtime::random::{Options, State, random_model, random_state};
use rbd_runtime::{JointKind, Model, Scalar};

/// tau, and its derivatives by q, v and a, column after column, by loops.
fn by_loops(owned: &Owned, s: &State, fext: bool) -> [Vec<f64>; 4] {
    by_loops_at(owned, s, None, fext)
}

/// Results of the loops with known sines and cosines.
fn by_loops_at(owned: &Owned, s: &State, angles: Option<[&[f64]; 2]>, fext: bool) -> [Vec<f64>; 4] {
    let nv = s.v.len();
    let mut out = [nv, nv * nv, nv * nv, nv * nv].map(|n| vec![f64::NAN; n]);
    let [tau, dq, dv, da] = &mut out;
    let padded = owned.padded::<112>().expect("at most 104 rows");
    let tables = padded.tables();
    let state = [s.q.as_slice(), s.v.as_slice(), s.a.as_slice()];
    let fext = fext.then_some(&s.fext[..]);
    rnea_derivatives_of_slices(
        &tables,
        state,
        angles,
        fext,
        Results { tau, dq, dv, da, leaves_zeros: false },
    );
    out
}

/// Results of the reference, with twice the digits.
fn exactly(model: &Model<f64>, s: &State, fext: bool) -> [Vec<f64>; 4] {
    let cast = |x: &[f64]| -> Vec<Twice> { x.iter().map(|x| Twice::from_f64(*x)).collect() };
    let forces: Vec<_> = s.fext.iter().map(|f| f.map(Twice::from_f64)).collect();
    let (q, v, a) = (cast(s.q.as_slice()), cast(s.v.as_slice()), cast(s.a.as_slice()));
    let d = model.cast().rnea_derivatives(&q, &v, &a, fext.then_some(&forces[..]));
    let back = |x: &[Twice]| x.iter().map(|x| x.to_f64()).collect();
    [d.tau.as_slice(), d.dtau_dq.as_slice(), d.dtau_dv.as_slice(), d.dtau_da.as_slice()].map(back)
}

fn largest<'a>(x: impl IntoIterator<Item = &'a f64>) -> f64 {
    x.into_iter().fold(0.0, |m: f64, x| m.max(x.abs()))
}

/// Largest error of each result over its largest entry, and of each matrix's row over that row's
/// largest entry.
fn errors(got: &[Vec<f64>; 4], exact: &[Vec<f64>; 4]) -> (f64, f64) {
    let nv = got[0].len();
    let (mut of_all, mut of_row) = (0.0_f64, 0.0_f64);
    for (got, exact) in got.iter().zip(exact) {
        assert!(got.iter().all(|x| x.is_finite()));
        let difference: Vec<f64> = got.iter().zip(exact).map(|(x, y)| x - y).collect();
        of_all = of_all.max(largest(&difference) / largest(exact));
        for row in (0..nv).filter(|_| exact.len() > nv) {
            let scale = largest(exact.iter().skip(row).step_by(nv));
            // A zero row shows the rounding of terms that cancel, here as in the reference.
            if scale > 1e-9 * largest(exact) {
                of_row = of_row.max(largest(difference.iter().skip(row).step_by(nv)) / scale);
            }
        }
    }
    (of_all, of_row)
}

/// A chain of `n` rotations about any axes.
fn chain(seed: u64, n: usize) -> Model<f64> {
    let kinds = [JointKind::Revolute].into();
    random_model(seed, &Options { bodies: n, kinds, branching: 0.0, on_world: 0.0, ..Options::default() })
}

#[test]
fn chains_keep_their_digits_to_a_hundred_links() {
    for (seed, n) in [(1, 7), (2, 8), (3, 12), (4, 30), (5, 60), (6, 100)] {
        let model = chain(seed, n);
        let s = random_state(&model, seed);
        let owned = Owned::from_model(&model).expect("bodies with mass");
        let (of_all, of_row) = errors(&by_loops(&owned, &s, false), &exactly(&model, &s, false));
        assert!(of_all < 1e-12, "{n} links: {of_all:.1e} of the largest entry");
        assert!(of_row < ROWS, "{n} links: {of_row:.1e} of a row's largest entry");
    }
}

/// A robot half a kilometre away moves as one ten kilometres away, to the bit, and both as they should.
#[test]
fn chains_keep_their_digits_far_from_the_origin() {
    // The last one is several chains on the world.
    for (seed, n, on_world) in [(1, 7, 0.0), (3, 12, 0.0), (4, 20, 0.0), (7, 14, 0.3)] {
        let kinds = [JointKind::Revolute, JointKind::Prismatic].into();
        let near =
            random_model(seed, &Options { bodies: n, kinds, branching: 0.0, on_world, ..Options::default() });
        let s = random_state(&near, seed);
        let results = [500.0, 1e4].map(|away| {
            let mut far = near.clone();
            for body in far.bodies.iter_mut().filter(|body| body.parent.is_none()) {
                body.placement.translation += nalgebra::Vector3::new(away, -0.7 * away, 0.1 * away);
            }
            let got = by_loops(&Owned::from_model(&far).expect("bodies with mass"), &s, true);
            let (of_all, of_row) = errors(&got, &exactly(&far, &s, true));
            assert!(of_all < 1e-12, "{n} links, {away} m: {of_all:.1e} of the largest entry");
            assert!(of_row < ROWS, "{n} links, {away} m: {of_row:.1e} of a row's largest entry");
            got
        });
        assert_eq!(results[0], results[1], "{n} links");
    }
}

/// Allowed error of a row, relative to its own largest entry, however small that is in the matrix.
const ROWS: f64 = 1e-11;

#[test]
fn random_trees_of_every_joint_kind() {
    for seed in 0..24 {
        let floating = seed % 2 == 0;
        let options = match seed % 3 {
            0 => Options { bodies: 9 + seed as usize, floating, armature: true, ..Options::default() },
            1 => Options::everything(8, floating),
            _ => Options { mimic: 0.5, ..Options::everything(10, floating) },
        };
        let model = random_model(seed, &options);
        let s = random_state(&model, seed);
        for longest in [1, 8, 1000] {
            let owned = Owned::with_segments(&model, longest).expect("bodies with mass");
            let fext = seed % 4 < 2;
            let (of_all, of_row) = errors(&by_loops(&owned, &s, fext), &exactly(&model, &s, fext));
            assert!(of_all < 1e-12, "{seed}, segments of {longest}: {of_all:.1e} of the largest entry");
            assert!(of_row < ROWS, "{seed}, segments of {longest}: {of_row:.1e} of a row's largest entry");
        }
    }
}

#[test]
fn torques_and_mass_matrix_alone_are_those_that_come_with_the_derivatives() {
    for seed in 0..12 {
        let model = random_model(seed, &Options::everything(9, seed % 2 == 0));
        let s = random_state(&model, seed);
        let owned = Owned::from_model(&model).expect("bodies with mass");
        let [tau, _, _, m] = by_loops(&owned, &s, true);
        let padded = owned.padded::<112>().expect("at most 104 rows");
        let tables = padded.tables();
        let (mut tau_alone, mut m_alone) = (vec![f64::NAN; model.nv], vec![f64::NAN; model.nv * model.nv]);
        let state = [s.q.as_slice(), s.v.as_slice(), s.a.as_slice()];
        rnea(&tables, state, None, Some(&s.fext[..]), &mut tau_alone);
        crba(&tables, state[0], None, (model.nv, false), &mut m_alone);
        for (alone, together) in [(tau_alone, tau), (m_alone, m)] {
            let difference: Vec<f64> = alone.iter().zip(&together).map(|(x, y)| x - y).collect();
            assert!(
                alone.iter().all(|x| x.is_finite()) && largest(&difference) <= 1e-14 * largest(&together)
            );
        }
    }
}

/// Sines and cosines of angles are known, and other coordinates themselves. If a joint follows
/// another by a ratio, its angle is known as well.
#[test]
fn given_sines_and_cosines_are_those_that_are_used() {
    for seed in 0..12 {
        let mimic = if seed % 3 == 0 { 0.4 } else { 0.0 };
        let model = random_model(seed, &Options { mimic, ..Options::everything(9, seed % 2 == 0) });
        let s = random_state(&model, seed);
        let owned = Owned::from_model(&model).expect("bodies with mass");
        let geared = model.bodies.iter().any(|b| b.mimic.as_ref().is_some_and(|m| m.multiplier.abs() != 1.0));
        let mut blind = s.clone();
        let [mut sin, mut cos] = [vec![f64::NAN; model.nq], vec![f64::NAN; model.nq]];
        for body in &model.bodies {
            let at = match body.kind {
                JointKind::Revolute | JointKind::Continuous => body.idx_q,
                JointKind::Planar => body.idx_q + 2,
                _ => continue,
            };
            (sin[at], cos[at]) = s.q[at].sin_cos();
            if !geared {
                blind.q[at] = f64::NAN;
            }
        }
        let got = by_loops_at(&owned, &blind, Some([&sin[..], &cos[..]]), true);
        let (of_all, _) = errors(&got, &exactly(&model, &s, true));
        assert!(of_all < 1e-12, "{seed}: {of_all:.1e} of the largest entry");
        let (mut m, mut tau) = (vec![f64::NAN; model.nv * model.nv], vec![f64::NAN; model.nv]);
        let padded = owned.padded::<112>().expect("at most 104 rows");
        let tables = padded.tables();
        let state = [blind.q.as_slice(), s.v.as_slice(), s.a.as_slice()];
        rnea(&tables, state, Some([&sin[..], &cos[..]]), Some(&s.fext[..]), &mut tau);
        let off = tau.iter().zip(&got[0]).fold(0.0_f64, |off, (x, y)| off.max((x - y).abs()));
        assert!(off <= 1e-13 * largest(&got[0]), "{seed}: {off:.1e}");
        crba(&tables, blind.q.as_slice(), Some([&sin[..], &cos[..]]), (model.nv, false), &mut m);
        let off = m.iter().zip(&got[3]).fold(0.0_f64, |off, (x, y)| off.max((x - y).abs()));
        assert!(off <= 1e-13 * largest(&got[3]), "{seed}: {off:.1e}");
    }
}
