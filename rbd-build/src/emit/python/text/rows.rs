//! Results in numpy's order. Matrices are stored by columns in Rust and by rows in numpy's arrays: element `[i, j]` is
//! entry (i, j) in both, and so is written to another place.
// The same for every robot.

use crate::arrays::{Place, Real};
use nalgebra::SMatrix;
use rbd_runtime::Scalar;
use rbd_runtime::spatial::Placement;

/// What a number of a result holds: that of one state, or those of several in lanes.
pub trait Lay<R: Real> {
    type From: Scalar;
    /// How many states.
    const STATES: usize;
    fn state(number: Self::From, state: usize) -> R;
}

/// One state.
pub struct One;

impl<R: Real> Lay<R> for One {
    type From = R;
    const STATES: usize = 1;
    #[inline(always)]
    fn state(number: R, _: usize) -> R {
        number
    }
}

/// As many as there are lanes.
pub struct Many;

impl<R: Real> Lay<R> for Many {
    type From = R::Lanes;
    const STATES: usize = R::LANES;
    #[inline(always)]
    fn state(number: R::Lanes, state: usize) -> R {
        // A number that is known when this is compiled makes of each lane a load.
        match state {
            0 => R::lane::<0>(number),
            1 => R::lane::<1>(number),
            2 => R::lane::<2>(number),
            3 => R::lane::<3>(number),
            4 => R::lane::<4>(number),
            5 => R::lane::<5>(number),
            6 => R::lane::<6>(number),
            7 => R::lane::<7>(number),
            8 => R::lane::<8>(number),
            9 => R::lane::<9>(number),
            10 => R::lane::<10>(number),
            11 => R::lane::<11>(number),
            12 => R::lane::<12>(number),
            13 => R::lane::<13>(number),
            14 => R::lane::<14>(number),
            _ => R::lane::<15>(number),
        }
    }
}

/// Where the states of a result with `size` numbers each are.
struct Places<'a, R> {
    numbers: &'a mut [Place<R>],
    size: usize,
}

impl<'a, R: Real> Places<'a, R> {
    #[inline(always)]
    fn of<L: Lay<R>>(numbers: &'a mut [Place<R>], size: usize) -> Self {
        assert!(numbers.len() == L::STATES * size);
        Self { numbers, size }
    }

    /// The numbers of place `at` of every state.
    #[inline(always)]
    fn put<L: Lay<R>>(&mut self, at: usize, number: L::From) {
        assert!(at < self.size);
        for state in 0..L::STATES {
            // SAFETY: `at` is below `size`, and there are `size` numbers of each of so many states, as `of` checked.
            unsafe { self.numbers.get_unchecked_mut(state * self.size + at) }.write(L::state(number, state));
        }
    }
}

/// A number.
#[inline(always)]
pub fn scalar<R: Real, L: Lay<R>>(number: &L::From, places: &mut [Place<R>]) {
    Places::of::<L>(places, 1).put::<L>(0, *number);
}

/// A matrix, or a vector as a matrix of one column: `[i, j]`.
#[inline(always)]
pub fn matrix<R: Real, L: Lay<R>, const I: usize, const J: usize>(
    matrix: &SMatrix<L::From, I, J>,
    places: &mut [Place<R>],
) {
    let mut places = Places::of::<L>(places, I * J);
    for i in 0..I {
        for j in 0..J {
            places.put::<L>(i * J + j, matrix.data.0[j][i]);
        }
    }
}

/// An array of matrices: entry (i, j) of matrix k is `[i, j, k]`.
#[inline(always)]
pub fn tensor<R: Real, L: Lay<R>, const I: usize, const J: usize, const K: usize>(
    tensor: &[SMatrix<L::From, I, J>; K],
    places: &mut [Place<R>],
) {
    let mut places = Places::of::<L>(places, I * J * K);
    for i in 0..I {
        for j in 0..J {
            for (k, matrix) in tensor.iter().enumerate() {
                places.put::<L>((i * J + j) * K + k, matrix.data.0[j][i]);
            }
        }
    }
}

/// A matrix a body: entry (i, j) of that of body k is `[i, k, j]`.
#[inline(always)]
pub fn by_bodies<R: Real, L: Lay<R>, const I: usize, const J: usize, const K: usize>(
    bodies: &[SMatrix<L::From, I, J>; K],
    places: &mut [Place<R>],
) {
    let mut places = Places::of::<L>(places, I * J * K);
    for i in 0..I {
        for (k, matrix) in bodies.iter().enumerate() {
            for j in 0..J {
                places.put::<L>((i * K + k) * J + j, matrix.data.0[j][i]);
            }
        }
    }
}

/// Poses as matrices `[[R, p], [0, 1]]`.
#[inline(always)]
pub fn placements<R: Real, L: Lay<R>>(poses: &[Placement<L::From>], places: &mut [Place<R>]) {
    let mut places = Places::of::<L>(places, 16 * poses.len());
    for (k, pose) in poses.iter().enumerate() {
        for i in 0..3 {
            for j in 0..3 {
                places.put::<L>(16 * k + 4 * i + j, pose.rotation.data.0[j][i]);
            }
            places.put::<L>(16 * k + 4 * i + 3, pose.translation.data.0[0][i]);
            places.put::<L>(16 * k + 12 + i, L::From::from_f64(0.0));
        }
        places.put::<L>(16 * k + 15, L::From::from_f64(1.0));
    }
}
