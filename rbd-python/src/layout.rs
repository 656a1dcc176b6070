//! Places of numbers in arguments and results: by columns in Rust, by numpy's index in Python.

use crate::real::Real;
use rbd_build::signature::{Dim, Dims, Kind, Output, Param, Sizes};
use rbd_jit::Place;
use rbd_runtime::Scalar;
use rbd_runtime::dispatch::{Dispatched, Recast};

/// One state's numbers of an argument or a result.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Name in Python.
    pub name: String,
    /// Shape in Python.
    pub shape: Vec<usize>,
    /// Distance in numbers between neighbours of each axis, in Rust.
    pub strides: Vec<usize>,
    /// Length in Rust.
    pub length: usize,
    /// True for poses: rotations and translations in Rust, 4 x 4 matrices in Python.
    pub is_pose: bool,
    /// True if Rust's order is C's.
    pub is_c: bool,
    /// True if Rust's order is Fortran's.
    pub is_fortran: bool,
    /// True of an argument that is repeated if it has fewer axes, as one number for all contacts is.
    pub is_repeated: bool,
    /// Type of a result that is none of the robot's numbers, as numpy calls it.
    pub dtype: Option<&'static str>,
}

/// Returns whether each axis steps over all numbers of those before it.
fn follow<'a>(mut axes: impl Iterator<Item = &'a (usize, usize)>) -> bool {
    let mut step = 1;
    axes.all(|(n, stride)| {
        let is_next = *stride == step;
        step *= n;
        is_next
    })
}

impl Layout {
    fn new(name: &str, axes: &[(usize, usize)]) -> Self {
        // `lambda` is a word of Python's grammar.
        let name = if name == "lambda" { "lambda_" } else { name };
        let (shape, strides): (Vec<usize>, Vec<usize>) = axes.iter().copied().unzip();
        let length = shape.iter().product();
        let (is_c, is_fortran) = (axes.len() < 2 || follow(axes.iter().rev()), follow(axes.iter()));
        let (is_pose, is_repeated, dtype) = (false, false, None);
        Self { name: name.into(), shape, strides, length, is_pose, is_c, is_fortran, is_repeated, dtype }
    }

    /// A vector or a scalar that no function of the table has.
    pub fn flat(name: &str, shape: &[usize]) -> Self {
        let mut axes: Vec<(usize, usize)> = shape.iter().map(|n| (*n, 1)).collect();
        for k in (1..axes.len()).rev() {
            axes[k - 1].1 = axes[k].1 * axes[k].0;
        }
        Self::new(name, &axes)
    }

    /// A matrix by columns.
    pub fn matrix(name: &str, rows: usize, columns: usize) -> Self {
        Self::new(name, &[(rows, 1), (columns, rows)])
    }

    /// An argument of a row of the table.
    pub fn of_param(param: &Param, sizes: Sizes) -> Self {
        match param.kind {
            Kind::Configuration => Self::flat(param.name, &[sizes.nq]),
            Kind::Tangent => Self::flat(param.name, &[sizes.nv]),
            Kind::Forces => Self::flat(param.name, &[sizes.nb, 6]),
            Kind::Inertias => Self::flat(param.name, &[sizes.np, 10]),
            Kind::Gravity => Self::flat(param.name, &[3]),
        }
    }

    /// A result of a row of the table. A tensor by bodies or inertias has their axis before the last.
    pub fn of_output(output: &Output, sizes: Sizes) -> Self {
        let n = |dim: Dim| dim.of(sizes);
        let name = output.name;
        match output.shape {
            Dims::Scalar => Self::flat(name, &[]),
            Dims::Vector(rows) => Self::flat(name, &[n(rows)]),
            // Both orders are one: nothing is transposed.
            Dims::Matrix(rows, columns) if output.symmetric => Self::flat(name, &[n(rows), n(columns)]),
            Dims::Matrix(rows, columns) => Self::matrix(name, n(rows), n(columns)),
            Dims::Tensor(Dim::Fixed(1), columns, Dim::Nb) => Self::flat(name, &[sizes.nb, n(columns)]),
            Dims::Tensor(rows, columns, slices @ (Dim::Nb | Dim::Np)) => {
                let (i, j, k) = (n(rows), n(columns), n(slices));
                Self::new(name, &[(i, 1), (k, i * j), (j, i)])
            }
            Dims::Tensor(rows, columns, slices) => {
                let (i, j, k) = (n(rows), n(columns), n(slices));
                Self::new(name, &[(i, 1), (j, i), (k, i * j)])
            }
            Dims::Placement => Self::flat(name, &[4, 4]).of_poses(1),
            Dims::Placements(slices) => Self::flat(name, &[n(slices), 4, 4]).of_poses(n(slices)),
        }
    }

    /// The layout of so many poses.
    fn of_poses(self, count: usize) -> Self {
        Self { length: 12 * count, is_pose: true, is_c: false, is_fortran: false, ..self }
    }

    /// Numbers of one state in Python.
    pub fn numbers(&self) -> usize {
        self.shape.iter().product()
    }

    /// Source of each number of a state, in C's order.
    pub fn places(&self) -> Vec<Place> {
        if self.is_pose {
            let matrix = |pose: usize| {
                let entry = move |k: usize| match (k / 4, k % 4) {
                    (3, 3) => Place::One,
                    (3, _) => Place::Zero,
                    (i, j) => Place::Entry(12 * pose + 3 * j + i),
                };
                (0..16).map(entry)
            };
            return (0..self.length / 12).flat_map(matrix).collect();
        }
        let entry = |k: usize| {
            let (mut rest, mut entry) = (k, 0);
            for (n, stride) in self.shape.iter().zip(&self.strides).rev() {
                entry += rest % n * stride;
                rest /= n;
            }
            Place::Entry(entry)
        };
        (0..self.numbers()).map(entry).collect()
    }

    /// Writes the numbers of states in C's order.
    pub fn all_in_c<T: Real>(&self, from: &[T], to: &mut [T]) {
        if let ([rows, columns], [1, _]) = (&self.shape[..], &self.strides[..])
            && *rows >= TILE
            && *columns >= TILE
        {
            return T::dispatch(Transposed { from, to, rows: *rows, columns: *columns });
        }
        let to = to.chunks_exact_mut(self.numbers().max(1));
        from.chunks_exact(self.length.max(1)).zip(to).for_each(|(from, to)| self.in_c(from, to));
    }

    /// Writes a state's numbers in C's order.
    pub fn in_c<T: Real>(&self, from: &[T], to: &mut [T]) {
        if self.is_pose {
            return poses(from, to);
        }
        match (&self.shape[..], &self.strides[..]) {
            ([], _) | ([_], _) => to.copy_from_slice(from),
            ([rows, columns], [1, _]) => transposed(from, to, *rows, *columns),
            ([i, j, k], [by_i, by_j, by_k]) => {
                for a in 0..*i {
                    for b in 0..*j {
                        for c in 0..*k {
                            to[(a * j + b) * k + c] = from[a * by_i + b * by_j + c * by_k];
                        }
                    }
                }
            }
            _ => to.copy_from_slice(from),
        }
    }
}

/// Rows and columns of a tile, which registers hold.
const TILE: usize = 4;

/// Matrices by columns, to be written by rows.
struct Transposed<'a, T> {
    from: &'a [T],
    to: &'a mut [T],
    rows: usize,
    columns: usize,
}

impl<T: Real> Dispatched<T> for Transposed<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Scalar>(self, recast: Recast<T, S>) {
        let Self { rows, columns, .. } = self;
        let (from, to) = (recast.slice(self.from), recast.slice_mut(self.to));
        let each = from.chunks_exact(rows * columns).zip(to.chunks_exact_mut(rows * columns));
        for (from, to) in each {
            for column in begins(columns) {
                for row in begins(rows) {
                    tile(&from[column * rows + row..], &mut to[row * columns + column..], rows, columns);
                }
            }
        }
    }
}

/// Starts of tiles. The last tile overlaps the one before where they do not fit.
#[inline(always)]
fn begins(count: usize) -> impl Iterator<Item = usize> {
    (0..count.div_ceil(TILE)).map(move |k| (k * TILE).min(count - TILE))
}

/// Transposes the first rows and columns of a matrix by columns.
#[inline(always)]
fn tile<S: Copy>(from: &[S], to: &mut [S], rows: usize, columns: usize) {
    let line = |k: usize| -> [S; TILE] { std::array::from_fn(|i| from[k * rows..][..TILE][i]) };
    let [a, b, c, d] = [line(0), line(1), line(2), line(3)];
    for i in 0..TILE {
        to[i * columns..][..TILE].copy_from_slice(&[a[i], b[i], c[i], d[i]]);
    }
}

/// A matrix by columns, written by rows.
fn transposed<T: Real>(from: &[T], to: &mut [T], rows: usize, columns: usize) {
    for (column, from) in from.chunks_exact(rows.max(1)).enumerate() {
        from.iter().enumerate().for_each(|(row, x)| to[row * columns + column] = *x);
    }
}

/// Rotations by columns and translations, as matrices `[[R, p], [0, 1]]`.
fn poses<T: Real>(from: &[T], to: &mut [T]) {
    for (pose, matrix) in from.chunks_exact(12).zip(to.chunks_exact_mut(16)) {
        for i in 0..3 {
            for j in 0..4 {
                matrix[4 * i + j] = pose[3 * j + i];
            }
        }
        matrix[12..].copy_from_slice(&[T::zero(), T::zero(), T::zero(), T::one()]);
    }
}
