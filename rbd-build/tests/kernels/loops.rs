//! The runtime's loops with the tables that are made for them, against the reference with twice the digits.

use crate::common::{self, twice::Twice};
use crate::plain::Plain;
use crate::sizes::of_all;
use nalgebra::{DMatrix, DVector, SMatrix, SVector};
use proptest::prelude::*;
use rbd_build::Function;
use rbd_build::calls::Routine;
use rbd_build::products::{self, Panels, Support};
use rbd_runtime::linalg::{ColumnGroup, RefinedSolution, RowBlock, SymmetricInverse};
use rbd_runtime::loops::{aba_derivatives, aba_derivatives_solved};
use rbd_runtime::random::{Options, State, random_model, random_state};
use rbd_runtime::spatial::Vector6;
use rbd_runtime::{JointKind, Model, Scalar};

/// Doubles: `f64` for one size, whose loops are compiled for each type of processor; for other
/// sizes a type that is compiled once.
trait Number: Scalar {
    fn number(self) -> f64;
}
impl Number for f64 {
    fn number(self) -> f64 {
        self
    }
}
impl Number for Plain {
    fn number(self) -> f64 {
        self.0
    }
}

/// Tables as the runtime reads them. They are as few as the tests.
fn leaked(groups: &[products::ColumnGroup]) -> &'static [ColumnGroup<'static>] {
    let block =
        |b: &products::RowBlock| RowBlock { rows: b.rows, terms: Vec::leak(b.terms.clone()) as &'static [_] };
    let group = |g: &products::ColumnGroup| ColumnGroup {
        columns: g.columns,
        blocks: Vec::leak(g.blocks.iter().map(block).collect()),
    };
    Vec::leak(groups.iter().map(group).collect())
}

/// The inverse in memory of `N` rows, which the matrix need not fill. Memory is NaN before.
fn inverse_in<T: Number, const N: usize>(m: &DMatrix<f64>, panels: &Panels) -> DMatrix<f64> {
    let (n, nan) = (m.nrows(), T::from_f64(f64::NAN));
    let padded = SMatrix::from_fn(|r, c| if r.max(c) < n { T::from_f64(m[(r, c)]) } else { nan });
    let (mut g, mut out) = (SMatrix::<T, N, N>::repeat(nan), SMatrix::repeat(nan));
    let [factor, invert, gram] = [&panels.factor, &panels.invert, &panels.gram].map(|g| leaked(g));
    T::dispatch(SymmetricInverse { m: &padded, g: &mut g, out: &mut out, factor, invert, gram });
    DMatrix::from_fn(n, n, |r, c| out[(r, c)].number())
}

fn inverse<T: Number>(m: &DMatrix<f64>) -> DMatrix<f64> {
    let panels = Panels::new(&Support::new(m.nrows(), |r, c| m[(r, c)] != 0.0));
    match m.nrows() {
        0..=23 => inverse_in::<T, 23>(m, &panels),
        _ => inverse_in::<T, 130>(m, &panels),
    }
}

fn accelerations_in<const N: usize>(
    minv: &DMatrix<f64>,
    m: &DMatrix<f64>,
    [tau, bias]: [&DVector<f64>; 2],
) -> DVector<f64> {
    let n = m.nrows();
    let padded = |m: &DMatrix<f64>| {
        SMatrix::<Plain, N, N>::from_fn(|r, c| Plain(if r.max(c) < n { m[(r, c)] } else { 0.0 }))
    };
    let [tau, bias] =
        [tau, bias].map(|x| SVector::<Plain, N>::from_fn(|k, _| Plain(x.get(k).copied().unwrap_or(0.0))));
    let mut out = SVector::repeat(Plain(f64::NAN));
    let (minv, m) = (padded(minv), padded(m));
    Plain::dispatch(RefinedSolution { minv: &minv, m: &m, tau: &tau, bias: &bias, out: &mut out });
    DVector::from_fn(n, |r, _| out[r].0)
}

fn relative_error(found: &DMatrix<f64>, expected: &DMatrix<Twice>) -> f64 {
    common::relative_error(found, &expected.map(Twice::to_f64))
}

fn twice(x: &DVector<f64>) -> Vec<Twice> {
    x.iter().map(|x| Twice::from_f64(*x)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// If joints mimic others of other limbs, the factors have entries that the matrix has not.
    #[test]
    fn inverses_of_trees(seed: u64, bodies in 1_usize..=30, floating: bool, everything: bool) {
        let options = match everything {
            true => Options::everything(bodies, floating),
            false => Options { bodies, floating, branching: 0.5, on_world: 0.2, ..Options::default() },
        };
        let model = random_model(seed, &options);
        let state = random_state(&model, seed);
        let m = model.cast::<Twice>().crba(&twice(&state.q));
        let rounded = m.map(Twice::to_f64);
        let eigenvalues = rounded.symmetric_eigenvalues();
        let condition = eigenvalues.max() / eigenvalues.min();
        // Inverse of the rounded matrix, not of the robot's: the loops know no more digits.
        let expected = inverse_of(&rounded);
        for found in [inverse::<f64>(&rounded), inverse::<Plain>(&rounded)] {
            let error = relative_error(&found, &expected);
            prop_assert!(error <= 1e-15 * condition.max(10.0), "{error:e}, condition {condition:e}");
            prop_assert_eq!(&found, &found.transpose());
        }
    }
}

/// By the factors `L D L^T`, column by column.
fn inverse_of(m: &DMatrix<f64>) -> DMatrix<Twice> {
    let n = m.nrows();
    let mut a = m.map(Twice::from_f64);
    let mut x = DMatrix::from_fn(n, n, |r, c| Twice::from_f64(f64::from(u8::from(r == c))));
    for k in 0..n {
        for r in (0..n).filter(|r| *r != k) {
            let ratio = a[(r, k)] / a[(k, k)];
            for c in 0..n {
                let (of_a, of_x) = (ratio * a[(k, c)], ratio * x[(k, c)]);
                a[(r, c)] -= of_a;
                x[(r, c)] -= of_x;
            }
        }
    }
    DMatrix::from_fn(n, n, |r, c| x[(r, c)] / a[(r, r)])
}

/// Accelerations and derivatives of forward dynamics by the loops that generated code calls. With `solves`,
/// columns are solved for.
fn by_loops<T: Number, const NQ: usize, const NV: usize, const P: usize>(
    model: &Model<f64>,
    state: &State,
    fext: Option<&[Vector6<f64>]>,
    given: bool,
    solves: bool,
) -> [DMatrix<f64>; 4] {
    let function = Function::AbaDerivatives;
    let plan = if solves { function.trace_solving_loops(model) } else { function.trace_loops(model) };
    let plan = plan.expect("there are loops");
    let call = plan.stages[0].scalar.kernel.calls().next().expect("a call");
    let (mut q, v) = (sized::<f64, NQ>(&state.q), sized::<T, NV>(&state.v));
    // If sines and cosines are known, angles are not read: they are NaN.
    let given = given.then(|| [f64::sin, f64::cos].map(|f| q.map(|x| T::from_f64(f(x)))));
    for body in model.bodies.iter().filter(|_| given.is_some()) {
        match body.kind {
            JointKind::Revolute | JointKind::Continuous => q[body.idx_q] = f64::NAN,
            JointKind::Planar => q[body.idx_q + 2] = f64::NAN,
            _ => {}
        }
    }
    let (q, nan) = (q.map(T::from_f64), T::from_f64(f64::NAN));
    let fext = fext.map(|forces| forces.iter().map(|f| f.map(T::from_f64)).collect::<Vec<_>>());
    let mut ddq = SVector::repeat(nan);
    let [mut dq, mut dv, mut dtau] = [SMatrix::repeat(nan); 3];
    let padded = call.robot().expect("it reads tables").padded::<P>().expect("P is enough");
    let tables = padded.tables();
    let (v, tau) = (&v, &sized::<T, NV>(&state.tau));
    match (call.routine, &call.terms) {
        (Routine::AbaDerivatives, Some(terms)) => {
            let panels = &terms.panels;
            let [factor, invert, gram, by_q, by_v] =
                [&panels.factor, &panels.invert, &panels.gram, &terms.by_q, &terms.by_v].map(|g| leaked(g));
            let terms =
                aba_derivatives::Terms { factor, invert, gram, by_q, by_v, knows_base: terms.knows_base };
            let out = aba_derivatives::Results { ddq: &mut ddq, dq: &mut dq, dv: &mut dv, dtau: &mut dtau };
            aba_derivatives::aba_derivatives(
                &tables,
                &terms,
                (&q, given.as_ref().map(|[s, c]| (s, c))),
                [v, tau],
                fext.as_deref(),
                out,
            );
        }
        (Routine::AbaDerivativesSolved, None) => {
            let [dq, dv, dtau] = [&mut dq, &mut dv, &mut dtau].map(SMatrix::as_mut_slice);
            let out = aba_derivatives_solved::Results { ddq: ddq.as_mut_slice(), dq, dv, dtau };
            aba_derivatives_solved::aba_derivatives_solved(
                &tables,
                [q.as_slice(), v.as_slice(), tau.as_slice()],
                given.as_ref().map(|[s, c]| [s.as_slice(), c.as_slice()]),
                fext.as_deref(),
                out,
            );
        }
        _ => panic!("another call"),
    }
    let dynamic = |m: &SMatrix<T, NV, NV>| DMatrix::from_fn(NV, NV, |r, c| m[(r, c)].number());
    [DMatrix::from_fn(NV, 1, |r, _| ddq[r].number()), dynamic(&dq), dynamic(&dv), dynamic(&dtau)]
}

fn sized<T: Scalar, const N: usize>(x: &DVector<f64>) -> SVector<T, N> {
    SVector::from_iterator(x.iter().map(|x| T::from_f64(*x)))
}

/// Largest relative errors: by products with the inverse, and with columns that are solved for if no joints
/// mimic others.
fn check_loops<T: Number, const NQ: usize, const NV: usize, const P: usize>(
    model: &Model<f64>,
    seed: u64,
) -> [f64; 2] {
    let state = random_state(model, seed);
    let mut worst = [0.0_f64; 2];
    let fext: Vec<_> = state.fext.iter().map(|f| f.map(Twice::from_f64)).collect();
    let all_alone = model.bodies.iter().all(|b| b.mimic.is_none());
    for (with_forces, given) in [(false, all_alone), (true, false)] {
        let expected = model.cast::<Twice>().aba_derivatives(
            &twice(&state.q),
            &twice(&state.v),
            &twice(&state.tau),
            with_forces.then_some(&fext[..]),
        );
        let ddq = DMatrix::from_column_slice(model.nv, 1, expected.ddq.as_slice());
        let expected = [&ddq, &expected.ddq_dq, &expected.ddq_dv, &expected.ddq_dtau];
        for (worst, solves) in worst.iter_mut().zip([false, true]) {
            if solves && !all_alone {
                continue;
            }
            let forces = with_forces.then_some(&state.fext[..]);
            let found = by_loops::<T, NQ, NV, P>(model, &state, forces, given, solves);
            for (found, expected) in found.iter().zip(expected) {
                *worst = worst.max(relative_error(found, expected));
            }
        }
    }
    worst
}

/// Random trees that happen to have this many coordinates.
fn of_size(options: &Options, nq: usize, nv: usize) -> impl Iterator<Item = (u64, Model<f64>)> {
    let options = options.clone();
    let models = (0..).map(move |seed| (seed, random_model(seed, &options)));
    models.filter(move |(_, model)| (model.nq, model.nv) == (nq, nv))
}

#[test]
fn forward_derivatives_of_trees() {
    let free = Options { bodies: 13, floating: true, ..Options::default() };
    // Several trees on the world: no base, and accelerations of some do not depend on torques of others.
    let standing = Options { mimic: 0.0, on_world: 0.2, ..Options::everything(12, false) };
    let driven = Options { bodies: 14, mimic: 0.2, armature: true, damping: true, ..free.clone() };
    for (seed, model) in of_size(&free, 19, 18).take(8).chain(of_size(&driven, 19, 18).take(6)) {
        check_size(&model, seed, check_loops::<f64, 19, 18, 32>);
    }
    for (seed, model) in of_size(&standing, 19, 18).take(6) {
        check_size(&model, seed, check_loops::<f64, 19, 18, 32>);
    }
}

fn check_size(model: &Model<f64>, seed: u64, errors: fn(&Model<f64>, u64) -> [f64; 2]) {
    let eigenvalues = model.crba(random_state(model, seed).q.as_slice()).symmetric_eigenvalues();
    let condition = eigenvalues.max() / eigenvalues.min();
    for error in errors(model, seed) {
        assert!(error <= 1e-15 * condition.max(1e4), "{}: {error:e}, condition {condition:e}", model.name);
    }
}

#[test]
fn forward_derivatives_of_long_chains() {
    let chain = |bodies, seed| {
        let options = Options { bodies, branching: 0.0, on_world: 0.0, ..Options::default() };
        random_model(seed, &options)
    };
    let (mut worst, mut of_solved) = ((0.0_f64, 0.0_f64), 0.0_f64);
    for seed in 0..of_all(8, 1) {
        let model = chain(100, seed);
        let eigenvalues = model.crba(random_state(&model, seed).q.as_slice()).symmetric_eigenvalues();
        let condition = eigenvalues.max() / eigenvalues.min();
        let mut errors = vec![check_loops::<f64, 100, 100, 112>(&model, seed)];
        if seed < 3 {
            errors.push(check_loops::<Plain, 100, 100, 112>(&model, seed));
        }
        for [error, solved] in errors {
            println!("seed {seed}: {error:.1e}, solved {solved:.1e}, condition {condition:.1e}");
            worst = (worst.0.max(error), worst.1.max(error / condition));
            of_solved = of_solved.max(solved);
        }
    }
    assert!(worst.0 <= 1e-10, "{:e}", worst.0);
    // A rounding of M, as its inverse shows it, would be four times that.
    assert!(worst.1 <= 0.25 * f64::EPSILON, "{:e} of the condition number", worst.1);
    // M is not formed: no digits are lost to its rounding.
    assert!(of_solved <= 1e-11, "{of_solved:e}");
}

/// Accelerations and derivatives of forward dynamics as the loops compute them from inverse
/// dynamics.
fn forward(model: &Model<f64>, state: &State) -> [DMatrix<f64>; 4] {
    let (q, v) = (state.q.as_slice(), state.v.as_slice());
    let m = model.crba(q);
    let minv = inverse::<Plain>(&m);
    let ddq = accelerations_in::<130>(&minv, &m, [&state.tau, &model.bias(q, v)]);
    let d = model.rnea_derivatives(q, v, ddq.as_slice(), None);
    let (dq, dv) = (-&minv * d.dtau_dq, -&minv * d.dtau_dv);
    [DMatrix::from_column_slice(model.nv, 1, ddq.as_slice()), dq, dv, minv]
}

/// Without the refinement of the accelerations, `ddq_dq` is wrong by up to 4e-9 here. With another
/// inverse (Gauss-Jordan, four pivots at once) it is wrong by 2e-7.
#[test]
fn long_chains_keep_their_digits() {
    for (bodies, seeds) in [(12, 6), (30, 6), (50, 4), (100, 3_u64)] {
        for seed in 0..of_all(seeds, 1) {
            let options = Options { bodies, branching: 0.0, on_world: 0.0, ..Options::default() };
            let model = random_model(seed, &options);
            let state = random_state(&model, seed);
            let expected = model.cast::<Twice>().aba_derivatives(
                &twice(&state.q),
                &twice(&state.v),
                &twice(&state.tau),
                None,
            );
            let ddq = DMatrix::from_column_slice(model.nv, 1, expected.ddq.as_slice());
            let expected = [&ddq, &expected.ddq_dq, &expected.ddq_dv, &expected.ddq_dtau];
            for (k, (found, expected)) in forward(&model, &state).iter().zip(expected).enumerate() {
                let error = relative_error(found, expected);

                assert!(error <= 1e-10, "{bodies} bodies, seed {seed}, output {k}: {error:e}");
            }
        }
    }
}
