//! Routines as the interpreter of kernels runs them, and code that is made at run time.

use super::{cells, robot, terms};
use nalgebra::SVector;
use rbd_ir::calls::{Call, Routine};
use rbd_ir::products::Panels;
use rbd_runtime::Scalar;
use rbd_runtime::dispatch::{Dispatched, Recast};
use rbd_runtime::loops::Tables;
use rbd_runtime::loops::aba::aba;
use rbd_runtime::loops::aba_derivatives_solved;
use rbd_runtime::loops::crba::crba;
use rbd_runtime::loops::minv::minv;
use rbd_runtime::loops::of_model::{Owned, Padded};
use rbd_runtime::loops::padded;
use rbd_runtime::loops::rnea::rnea;
use rbd_runtime::loops::rnea_derivatives::{Results, rnea_derivatives_of_slices};
use std::sync::Arc;

/// The most rows that robots may have whose loops are run without being compiled for them.
pub const MOST_ROWS: usize = 1024;

/// Lengths of arrays over rows. A robot takes the shorter one if that has room for it.
const SHORT: usize = padded(128);
const LONG: usize = padded(MOST_ROWS);

/// Runs a routine on a kernel's arrays, with the terms that its tables name and no others.
///
/// # Panics
/// If the robot has more than [`MOST_ROWS`] rows.
pub fn run<T: Scalar>(call: &Call, memory: &mut [Vec<T>]) {
    let prepared = Prepared::new(call);
    let unset = T::from_f64(f64::NAN);
    let mut results: Vec<Vec<T>> =
        call.results.iter().map(|id| vec![unset; memory[id.index()].len()]).collect();
    let reads: Vec<&[T]> = call.reads().map(|id| &memory[id.index()][..]).collect();
    let mut slices: Vec<&mut [T]> = results.iter_mut().map(Vec::as_mut_slice).collect();
    prepared.run(&reads, &mut slices, &mut vec![unset; scratch(call)]);
    for (id, result) in call.results.iter().zip(results) {
        memory[id.index()] = result;
    }
}

/// A call with the robot's numbers as its loops read them.
#[derive(Clone, Debug)]
pub struct Prepared {
    call: Call,
    robot: Option<Lengths>,
}

/// A robot, by the length of the arrays that its loops are compiled for.
#[derive(Clone, Debug)]
enum Lengths {
    Short(Padded<Arc<Owned>, SHORT>),
    Long(Padded<Arc<Owned>, LONG>),
}

impl Prepared {
    /// # Panics
    /// If the robot has more than [`MOST_ROWS`] rows.
    pub fn new(call: &Call) -> Self {
        let robot = call.robot.clone().map(|robot| match Padded::new(Arc::clone(&robot)) {
            Some(short) => Lengths::Short(short),
            None => Lengths::Long(Padded::new(robot).expect("arrays have room for the robot")),
        });
        Self { call: call.clone(), robot }
    }

    /// The call.
    pub fn call(&self) -> &Call {
        &self.call
    }

    /// Runs the routine on the arrays that [`Call::reads`] and [`Call::results`] list, in that order, with
    /// [`scratch`] numbers for itself. Allocates nothing.
    ///
    /// # Panics
    /// If there are fewer arrays or numbers.
    pub fn run<T: Scalar>(&self, reads: &[&[T]], results: &mut [&mut [T]], scratch: &mut [T]) {
        let mut rest = reads.iter().copied();
        let given = self.call.arguments.iter().map(|id| id.map(|_| rest.next().expect("an array for each")));
        let mut given = given.chain(std::iter::repeat(None));
        match &self.robot {
            Some(Lengths::Short(robot)) => loops(&self.call, &robot.tables(), given, results, scratch),
            Some(Lengths::Long(robot)) => loops(&self.call, &robot.tables(), given, results, scratch),
            None => {
                let m = given.next().flatten().unwrap_or_default();
                inverse(m, &terms(&self.call).panels, scratch, results[0]);
            }
        }
    }
}

/// Length of the arrays over rows that a call takes.
fn length(call: &Call) -> usize {
    let rows = call.robot().map_or(0, Owned::rows);
    if padded(rows) <= SHORT { SHORT } else { LONG }
}

/// Bytes of stack that [`Prepared::run`] takes at most, optimised or not. It keeps its arrays there.
pub fn stack<T>(call: &Call) -> usize {
    let (length, number) = (length(call), size_of::<T>());
    let merges = call.robot().is_some_and(|robot| robot.topology().merges());
    let matrices = if merges { 3 * length * length } else { 0 };
    (NUMBERS_A_ROW * length + matrices) * number * COPIES
}

/// Numbers of all arrays over rows, a row: the loops' own are at most 150, those of the tables 34, forces 6,
/// and some are copied.
const NUMBERS_A_ROW: usize = 384;
/// Without optimisation, arrays are copied to where they are kept.
const COPIES: usize = if cfg!(debug_assertions) { 4 } else { 1 };

/// Runs a routine that reads tables, on these arguments.
fn loops<'a, T: Scalar, const P: usize>(
    call: &Call,
    tables: &Tables<'_, P>,
    mut given: impl Iterator<Item = Option<&'a [T]>>,
    results: &mut [&mut [T]],
    scratch: &mut [T],
) {
    let mut next = || given.next().flatten();
    match call.routine {
        Routine::Inverse => unreachable!("an inverse reads no tables"),
        Routine::Crba => {
            let n = robot(call).coordinates();
            crba(tables, next().unwrap_or_default(), None, (n, false), results[0]);
        }
        Routine::Rnea | Routine::Aba => {
            let state = [(); 3].map(|()| next().unwrap_or_default());
            let forces = Forces::<T, P>::new(next());
            match call.routine {
                Routine::Rnea => rnea(tables, state, None, forces.given(), results[0]),
                _ => aba(tables, state, None, forces.given(), results[0]),
            }
        }
        Routine::Minv => {
            let n = robot(call).coordinates();
            minv(tables, next().unwrap_or_default(), None, n, results[0]);
        }
        Routine::AbaDerivativesSolved => {
            let state = [(); 3].map(|()| next().unwrap_or_default());
            let forces = Forces::<T, P>::new(next());
            let [ddq, dq, dv, dtau] = results else { panic!("four results") };
            let out = aba_derivatives_solved::Results { ddq, dq, dv, dtau };
            aba_derivatives_solved::aba_derivatives_solved(tables, state, None, forces.given(), out);
        }
        Routine::RneaDerivatives => {
            let [q, v] = [(); 2].map(|()| next().unwrap_or_default());
            let still = [T::zero(); P];
            let a = next().unwrap_or(&still[..v.len()]);
            let forces = Forces::<T, P>::new(next());
            let [tau, dq, dv, da] = results else { panic!("four results") };
            let out = Results { tau, dq, dv, da, leaves_zeros: false };
            rnea_derivatives_of_slices(tables, [q, v, a], None, forces.given(), out);
        }
        Routine::AbaDerivatives => {
            let state = [(); 3].map(|()| next().unwrap_or_default());
            let forces = Forces::<T, P>::new(next());
            let [ddq, dq, dv, minv] = results else { panic!("four results") };
            let forward = Forward { ddq, dq, dv, minv, scratch };
            forward.run(tables, &terms(call).panels, state, forces.given());
        }
    }
}

/// Returns how many numbers [`Prepared::run`] needs for itself.
pub fn scratch(call: &Call) -> usize {
    match call.routine {
        Routine::Inverse => scratch_of_inverse(terms(call).panels.n()),
        Routine::AbaDerivatives => {
            let n = terms(call).panels.n();
            n * n + 3 * n + scratch_of_inverse(n)
        }
        Routine::Crba
        | Routine::Rnea
        | Routine::Aba
        | Routine::RneaDerivatives
        | Routine::Minv
        | Routine::AbaDerivativesSolved => 0,
    }
}

/// Returns whether [`Prepared::run`] has room for a call's robot.
pub fn has_room_for(call: &Call) -> bool {
    call.robot().is_none_or(|robot| robot.rows() <= MOST_ROWS && robot.coordinates() <= MOST_ROWS)
}

/// External forces, six numbers each, if there are any.
pub(super) struct Forces<T, const P: usize>(Option<([SVector<T, 6>; P], usize)>);

impl<T: Scalar, const P: usize> Forces<T, P> {
    pub fn new(numbers: Option<&[T]>) -> Self {
        Self(numbers.map(|numbers| {
            let mut all = [SVector::from([T::zero(); 6]); P];
            for (force, numbers) in all.iter_mut().zip(numbers.chunks(6)) {
                *force = SVector::from_column_slice(numbers);
            }
            (all, numbers.len() / 6)
        }))
    }

    pub fn given(&self) -> Option<&[SVector<T, 6>]> {
        self.0.as_ref().map(|(all, count)| &all[..*count])
    }
}

/// Results of forward dynamics and its derivatives.
struct Forward<'a, T> {
    ddq: &'a mut [T],
    dq: &'a mut [T],
    dv: &'a mut [T],
    minv: &'a mut [T],
    scratch: &'a mut [T],
}

impl<T: Scalar> Forward<'_, T> {
    /// From those of inverse dynamics, and with products of whole matrices.
    fn run<const P: usize>(
        self,
        tables: &Tables<'_, P>,
        panels: &Panels,
        [q, v, tau]: [&[T]; 3],
        fext: Option<&[SVector<T, 6>]>,
    ) {
        let Self { ddq, dq, dv, minv, scratch } = self;
        let n = v.len();
        let (m, scratch) = scratch.split_at_mut(n * n);
        let (bias, scratch) = scratch.split_at_mut(n);
        let (drive, scratch) = scratch.split_at_mut(n);
        let (column, scratch) = scratch.split_at_mut(n);
        let still = [T::zero(); P];
        let out = Results { tau: &mut *bias, dq: &mut *dq, dv: &mut *dv, da: &mut *m, leaves_zeros: false };
        rnea_derivatives_of_slices(tables, [q, v, &still[..n]], None, fext, out);
        inverse(m, panels, scratch, minv);
        // As `rbd_runtime::linalg::RefinedSolution`.
        for ((drive, tau), bias) in drive.iter_mut().zip(tau).zip(&*bias) {
            *drive = *tau - *bias;
        }
        multiply(minv, drive, ddq);
        multiply(m, ddq, column);
        drive.iter_mut().zip(&*column).for_each(|(drive, x)| *drive -= *x);
        multiply(minv, drive, column);
        ddq.iter_mut().zip(&*column).for_each(|(ddq, x)| *ddq += *x);
        let out = Results { tau: bias, dq: &mut *dq, dv: &mut *dv, da: m, leaves_zeros: false };
        rnea_derivatives_of_slices(tables, [q, v, ddq], None, fext, out);
        for result in dq.chunks_mut(n.max(1)).chain(dv.chunks_mut(n.max(1))) {
            column.copy_from_slice(result);
            multiply(minv, column, result);
            for x in result {
                *x = -*x;
            }
        }
    }
}

/// `out = a x`, with the best instructions of this processor.
fn multiply<T: Scalar>(a: &[T], x: &[T], out: &mut [T]) {
    T::dispatch(Multiply { a, x, out });
}

struct Multiply<'a, T> {
    a: &'a [T],
    x: &'a [T],
    out: &'a mut [T],
}

impl<T: Scalar> Dispatched<T> for Multiply<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Scalar>(self, recast: Recast<T, S>) {
        let (a, x, out) = (recast.slice(self.a), recast.slice(self.x), recast.slice_mut(self.out));
        out.fill(S::zero());
        for (column, x) in a.chunks(x.len().max(1)).zip(x) {
            for (out, a) in out.iter_mut().zip(column) {
                *out = a.mul_add(*x, *out);
            }
        }
    }
}

fn scratch_of_inverse(n: usize) -> usize {
    2 * n * n + n
}

/// Computes the inverse of the matrix `m`.
/// Entries that are not written are NaN, so that a term that should not be there is seen.
fn inverse<T: Scalar>(m: &[T], panels: &Panels, scratch: &mut [T], out: &mut [T]) {
    let n = panels.n();
    let scratch = &mut scratch[..scratch_of_inverse(n)];
    let unset = T::from_f64(f64::NAN);
    scratch.fill(unset);
    out.fill(unset);
    // Row k of L in column k, and G by columns.
    let (l, scratch) = scratch.split_at_mut(n * n);
    let (g, d) = scratch.split_at_mut(n * n);
    for panel in &panels.factor {
        let columns = || panel.columns.0..panel.columns.1;
        for block in &panel.blocks {
            for (row, column) in cells(block.rows, panel.columns) {
                let sum = block
                    .terms()
                    .fold(m[column * n + row], |sum, k| sum - l[k * n + row] * (l[k * n + column] * d[k]));
                l[column * n + row] = sum;
            }
        }
        for c in columns().rev() {
            d[c] = l[c * n + c];
            for row in 0..c {
                l[c * n + row] /= d[c];
            }
            for b in panel.columns.0..c {
                for row in 0..=b {
                    let change = l[c * n + row] * l[c * n + b] * d[c];
                    l[b * n + row] -= change;
                }
            }
        }
    }
    for panel in &panels.invert {
        let columns = || panel.columns.0..panel.columns.1;
        for block in &panel.blocks {
            for (row, column) in cells(block.rows, panel.columns) {
                let terms = block.terms();
                g[column * n + row] =
                    terms.fold(T::zero(), |sum, k| sum - g[k * n + row] * l[k * n + column]);
            }
        }
        for c in columns().rev() {
            g[c * n..c * n + c].fill(T::zero());
            g[c * n + c] = T::one();
            for row in c + 1..panel.columns.1 {
                g[c * n + row] = T::zero();
            }
            for row in c + 1..n {
                for k in c + 1..panel.columns.1 {
                    let change = g[k * n + row] * l[k * n + c];
                    g[c * n + row] -= change;
                }
            }
        }
    }
    for group in &panels.gram {
        for block in &group.blocks {
            for (row, column) in cells(block.rows, group.columns) {
                let terms = block.terms();
                let sum = terms.fold(T::zero(), |sum, k| sum + g[k * n + row] * g[k * n + column] / d[k]);
                if row >= column {
                    out[column * n + row] = sum;
                    out[row * n + column] = sum;
                }
            }
        }
    }
}
