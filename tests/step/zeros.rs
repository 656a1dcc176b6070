//! Entries of A and B that are said to be zero are zero, and those of single joints are known.

use super::{Damped, DampedAfloat, Motors, Plain, Runge, Semi, T, other, state};
use nalgebra::{DMatrix, SMatrix};
use rbd::{DiscreteDynamics, Mechanism, StepDerivatives};

fn dynamic<const R: usize, const C: usize>(of: &SMatrix<f64, R, C>) -> DMatrix<f64> {
    DMatrix::from_column_slice(R, C, of.as_slice())
}

/// No entry that differs from zero in any of some states is said to be zero.
fn compare<R: DiscreteDynamics<NQ, NV>, const NQ: usize, const NV: usize>(
    function: &str,
    blocks: [&str; 6],
    of: impl Fn(f64) -> [DMatrix<f64>; 6],
) {
    let states: Vec<_> = (0..8).map(|k| of(1.9 * f64::from(k))).collect();
    for (k, name) in blocks.into_iter().enumerate() {
        let structure = <R as Mechanism<NQ, NV>>::structure(function, name).expect("a block of A and B");
        assert_eq!((structure.rows(), structure.columns()), states[0][k].shape());
        for column in 0..structure.columns() {
            for row in 0..structure.rows() {
                let shown = states.iter().any(|blocks| blocks[k][(row, column)] != 0.0);
                assert!(!(shown && structure.is_zero(row, column)), "{name} ({row}, {column}) is not zero");
            }
        }
    }
}

fn check<R: DiscreteDynamics<NQ, NV>, const NQ: usize, const NV: usize>() {
    let blocks = ["dq_dq", "dq_dv", "dq_dtau", "dv_dq", "dv_dv", "dv_dtau"];
    compare::<R, NQ, NV>("step_derivatives", blocks, |seed| {
        let (q, [v, tau]) = state::<R, NQ, NV>(seed);
        let d = R::step_derivatives(&q, &v, &tau, 0.03);
        [d.dq_dq, d.dq_dv, d.dq_dtau, d.dv_dq, d.dv_dv, d.dv_dtau].map(|block| dynamic(&block))
    });
}

#[test]
fn entries_of_steps_that_are_said_to_be_zero_are() {
    check::<Semi, { Semi::NQ }, { Semi::NV }>();
    check::<Plain, { Plain::NQ }, { Plain::NV }>();
    check::<Runge, { Runge::NQ }, { Runge::NV }>();
    check::<T, { T::NQ }, { T::NV }>();
    check::<Damped, { Damped::NQ }, { Damped::NV }>();
    check::<DampedAfloat, { DampedAfloat::NQ }, { DampedAfloat::NV }>();
    check::<other::Semi, { other::Semi::NQ }, { other::Semi::NV }>();
}

/// Rows and columns of the entries of a block that can differ from zero.
fn entries<R: Mechanism<NQ, NV>, const NQ: usize, const NV: usize>(
    function: &str,
    block: &str,
) -> Vec<(usize, usize)> {
    R::structure(function, block).expect("a matrix of this function").nonzeros().collect()
}

#[test]
fn eulers_steps_have_the_zeros_of_accelerations() {
    let plain = |block| entries::<Plain, { Plain::NQ }, { Plain::NV }>("step_derivatives", block);
    let first = |block| entries::<Plain, { Plain::NQ }, { Plain::NV }>("aba_derivatives", block);
    assert_eq!(plain("dv_dq"), first("ddq_dq"));
    assert_eq!(plain("dv_dtau"), first("ddq_dtau"));
    // The configuration does not feel the torques, and each joint's depends on that joint alone.
    assert!(plain("dq_dtau").is_empty());
    assert_eq!(plain("dq_dq"), plain("dq_dv"));
    // Of the raft, whose joint is planar: translations do not turn it.
    let raft: Vec<_> = plain("dq_dq").into_iter().filter(|(row, _)| *row < 3).collect();
    assert_eq!(raft, [(0, 0), (1, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2)]);

    let semi =
        |block| entries::<other::Semi, { other::Semi::NQ }, { other::Semi::NV }>("step_derivatives", block);
    let first =
        |block| entries::<other::Semi, { other::Semi::NQ }, { other::Semi::NV }>("aba_derivatives", block);
    assert_eq!(semi("dv_dtau"), first("ddq_dtau"));
    assert_eq!(semi("dv_dq"), first("ddq_dq"));
    let with_diagonal = |mut of: Vec<(usize, usize)>| {
        of.extend((0..other::Semi::NV).map(|k| (k, k)));
        of.sort_by_key(|(row, column)| (*column, *row));
        of.dedup();
        of
    };
    assert_eq!(semi("dv_dv"), with_diagonal(first("ddq_dv")));
}

#[test]
fn the_structure_by_controls_has_their_columns() {
    let blocks = ["dq_dq", "dq_dv", "dq_du", "dv_dq", "dv_dv", "dv_du"];
    compare::<Motors, { Motors::NQ }, { Motors::NV }>("actuated_step_derivatives", blocks, |seed| {
        let (q, [v, tau]) = state::<Motors, { Motors::NQ }, { Motors::NV }>(seed);
        let d = Motors::actuated_step_derivatives(&q, &v, &tau.fixed_rows::<5>(0).into_owned(), 0.03);
        let squares = |of: [SMatrix<f64, { Motors::NV }, { Motors::NV }>; 2]| of.map(|of| dynamic(&of));
        let ([a, b], [c, e]) = (squares([d.dq_dq, d.dq_dv]), squares([d.dv_dq, d.dv_dv]));
        [a, b, dynamic(&d.dq_du), c, e, dynamic(&d.dv_du)]
    });
}

/// Whatever a result holds before, all of it is written.
fn overwrite<R: DiscreteDynamics<NQ, NV>, const NQ: usize, const NV: usize>() {
    let mut out = StepDerivatives::<f64, NQ, NV>::zeros();
    (out.q, out.v) = (out.q.map(|_| f64::NAN), out.v.map(|_| f64::NAN));
    for block in [&mut out.dq_dq, &mut out.dq_dv, &mut out.dq_dtau] {
        block.fill(f64::NAN);
    }
    for block in [&mut out.dv_dq, &mut out.dv_dv, &mut out.dv_dtau] {
        block.fill(f64::NAN);
    }
    for k in 0..3 {
        let (q, [v, tau]) = state::<R, NQ, NV>(f64::from(k));
        R::step_derivatives_into(&q, &v, &tau, 0.03, &mut out);
        assert_eq!(out, R::step_derivatives(&q, &v, &tau, 0.03));
    }
}

#[test]
fn results_are_written_whole() {
    overwrite::<Semi, { Semi::NQ }, { Semi::NV }>();
    overwrite::<Plain, { Plain::NQ }, { Plain::NV }>();
    overwrite::<Runge, { Runge::NQ }, { Runge::NV }>();
    overwrite::<DampedAfloat, { DampedAfloat::NQ }, { DampedAfloat::NV }>();
    overwrite::<other::Semi, { other::Semi::NQ }, { other::Semi::NV }>();
}
