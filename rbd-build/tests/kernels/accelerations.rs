//! Accelerations by the runtime's loops over tables, against the reference with twice the digits,
//! and beside the straight line.

use crate::common::twice::Twice;
use crate::common::{evaluate, relative_error};
use crate::plain::Plain;
use crate::sizes::of_all;
use nalgebra::{DMatrix, DVector};
use rbd_build::Function;
use rbd_build::tree::{BodyForm, Moment, Origin, Rewrite, Tree};
use rbd_runtime::loops::aba::aba;
use rbd_runtime::loops::of_model::Owned;
use rbd_runtime::random::{Options, State, random_model, random_state};
use rbd_runtime::{JointKind, Model, Scalar};

fn cast<T: Scalar>(x: &DVector<f64>) -> Vec<T> {
    x.iter().map(|x| T::from_f64(*x)).collect()
}

/// Known sines and cosines of the configuration, if any.
type Angles<'a> = Option<[&'a [Plain]; 2]>;

fn by_loops<const P: usize>(owned: &Owned, s: &State, angles: Angles<'_>, fext: bool) -> DMatrix<f64> {
    let forces: Vec<_> = s.fext.iter().map(|f| f.map(Plain)).collect();
    let mut ddq = vec![Plain(f64::NAN); s.v.len()];
    let (q, v, tau) = (cast(&s.q), cast(&s.v), cast(&s.tau));
    let padded = owned.padded::<P>().expect("P is enough");
    let tables = padded.tables();
    aba(&tables, [&q, &v, &tau], angles, fext.then_some(&forces[..]), &mut ddq);
    DMatrix::from_iterator(ddq.len(), 1, ddq.iter().map(|x| x.0))
}

fn by_straight_line(model: &Model<f64>, s: &State) -> DMatrix<f64> {
    let form = BodyForm { share: None, moment: Moment::Entries, origin: Origin::AtChild };
    let tree = Tree::new(model, Rewrite::uniform(model, true, form));
    evaluate(&Function::Aba.trace_all(&tree)[0], s).remove(0).1
}

fn exactly(model: &Model<f64>, s: &State, fext: bool) -> DMatrix<f64> {
    let (q, v, tau) = (cast::<Twice>(&s.q), cast::<Twice>(&s.v), cast::<Twice>(&s.tau));
    let forces: Vec<_> = s.fext.iter().map(|f| f.map(Twice::from_f64)).collect();
    let model = model.cast::<Twice>();
    let ddq = if fext { model.aba_fext(&q, &v, &tau, &forces) } else { model.aba(&q, &v, &tau) };
    DMatrix::from_iterator(ddq.len(), 1, ddq.iter().map(|x| x.to_f64()))
}

/// Residual of the torques at these accelerations, relative to the largest sum of their terms'
/// magnitudes.
fn residual(model: &Model<f64>, s: &State, ddq: &DMatrix<f64>) -> f64 {
    let (q, v) = (cast::<Twice>(&s.q), cast::<Twice>(&s.v));
    let a: Vec<Twice> = ddq.iter().map(|x| Twice::from_f64(*x)).collect();
    let tau = model.cast::<Twice>().rnea(&q, &v, &a);
    let left = tau.iter().zip(&s.tau).fold(0.0, |m: f64, (a, b)| m.max((a.to_f64() - b).abs()));
    let sizes = model.crba(s.q.as_slice()).abs() * ddq.abs() + s.tau.abs();
    left / (sizes + model.bias(s.q.as_slice(), s.v.as_slice()).abs()).max()
}

/// Rotations, and some translations, one after the other.
fn chain(seed: u64, bodies: usize) -> Model<f64> {
    let kinds = [JointKind::Revolute, JointKind::Revolute, JointKind::Revolute, JointKind::Prismatic];
    let all = if seed.is_multiple_of(2) { &kinds[..1] } else { &kinds[..] };
    random_model(
        seed,
        &Options { bodies, kinds: all.into(), branching: 0.0, on_world: 0.0, ..Options::default() },
    )
}

fn check_chain<const P: usize>(seed: u64, bodies: usize) {
    let model = chain(seed, bodies);
    let s = random_state(&model, seed);
    let owned = Owned::from_model(&model).expect("bodies with mass");
    let exact = exactly(&model, &s, false);
    let found = by_loops::<P>(&owned, &s, None, false);
    let straight = by_straight_line(&model, &s);
    let [of_loops, of_line] = [&found, &straight].map(|ddq| relative_error(ddq, &exact));
    let [left_by_loops, left_by_line] = [&found, &straight].map(|ddq| residual(&model, &s, ddq));
    println!(
        "{bodies} links, seed {seed}: {of_loops:.1e}, straight line {of_line:.1e}; left {left_by_loops:.1e}, {left_by_line:.1e}"
    );
    assert!(of_loops <= 10.0 * of_line.max(1e-15), "{of_loops:e}, {of_line:e}");
    assert!(left_by_loops <= 10.0 * left_by_line.max(1e-16), "{left_by_loops:e}, {left_by_line:e}");
}

/// As accurate as the straight line, which uses the links' own frames.
#[test]
fn long_chains_keep_their_digits() {
    for bodies in [7, 12, 30, 60, 100] {
        (0..of_all(4, 1)).for_each(|seed| check_chain::<112>(seed, bodies));
    }
    (0..of_all(2, 1)).for_each(|seed| check_chain::<512>(seed, 500));
}

fn condition(model: &Model<f64>, s: &State) -> f64 {
    let eigenvalues = model.crba(s.q.as_slice()).symmetric_eigenvalues();
    eigenvalues.max() / eigenvalues.min()
}

/// With branches, several rows a joint, rotors, dampers and forces, in segments of one joint, of
/// some, and one for all.
#[test]
fn random_trees_of_every_joint_kind() {
    for seed in 0..of_all(24, 6) {
        let floating = seed % 2 == 0;
        let options = match seed % 3 {
            0 => Options {
                bodies: 9 + seed as usize,
                floating,
                armature: true,
                branching: 0.5,
                ..Options::default()
            },
            1 => Options { mimic: 0.0, ..Options::everything(8, floating) },
            _ => Options { mimic: 0.0, on_world: 0.3, ..Options::everything(12, floating) },
        };
        let model = random_model(seed, &options);
        let s = random_state(&model, seed);
        let condition = condition(&model, &s);
        for longest in [1, 8, 1000] {
            let owned = Owned::with_segments(&model, longest).expect("bodies with mass");
            let fext = seed % 4 < 2;
            let error = relative_error(&by_loops::<112>(&owned, &s, None, fext), &exactly(&model, &s, fext));
            assert!(
                error <= 1e-15 * condition.max(100.0),
                "{seed}, segments of {longest}: {error:e}, {condition:e}"
            );
        }
    }
}

/// Sines and cosines are known, but no angle.
#[test]
fn given_sines_and_cosines_are_those_that_are_used() {
    for seed in 0..8 {
        let model = random_model(seed, &Options { mimic: 0.0, ..Options::everything(9, seed % 2 == 0) });
        let s = random_state(&model, seed);
        let owned = Owned::from_model(&model).expect("bodies with mass");
        let mut blind = s.clone();
        let [mut sin, mut cos] = [vec![Plain(f64::NAN); model.nq], vec![Plain(f64::NAN); model.nq]];
        for body in &model.bodies {
            let at = match body.kind {
                JointKind::Revolute | JointKind::Continuous => body.idx_q,
                JointKind::Planar => body.idx_q + 2,
                _ => continue,
            };
            (sin[at], cos[at]) = (Plain(s.q[at].sin()), Plain(s.q[at].cos()));
            blind.q[at] = f64::NAN;
        }
        let error = relative_error(
            &by_loops::<112>(&owned, &blind, Some([&sin, &cos]), true),
            &exactly(&model, &s, true),
        );
        assert!(error <= 1e-15 * condition(&model, &s).max(100.0), "{seed}: {error:e}");
    }
}
