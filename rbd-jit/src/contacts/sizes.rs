//! Sizes of matrices for which functions of contacts are compiled.

use crate::Number;
use rbd_build::signature::Sizes;

/// A function that is compiled for each of the sizes.
pub(super) trait OfSize {
    /// Type of the results.
    type Output;
    /// Computes the function by matrices of so many coordinates, contacts, rows, and rows with coordinates.
    fn call<const NV: usize, const NC: usize, const NR: usize, const NA: usize>(self) -> Self::Output;
}

/// Sizes for which the runtime's functions are compiled here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compiled {
    Small,
    Medium,
    Large,
    Largest,
}

impl Compiled {
    /// All sizes. Single precision has two: each takes the compiler half a minute.
    const ALL: [Self; 4] = [Self::Small, Self::Medium, Self::Large, Self::Largest];

    /// Calls the function compiled for matrices of these sizes: coordinates, contacts, rows, and rows with
    /// coordinates.
    #[inline(always)]
    pub fn call<T: Number, F: OfSize>(self, function: F) -> F::Output {
        match (T::IS_DOUBLE, self) {
            // A quadruped on its feet, or an arm.
            (true, Self::Small) => function.call::<24, 4, 12, 36>(),
            // A humanoid on soles and hands.
            (true, Self::Medium) => function.call::<40, 8, 24, 64>(),
            (true, Self::Large) => function.call::<64, 32, 96, 160>(),
            (false, Self::Small | Self::Medium) => function.call::<40, 16, 48, 88>(),
            (true, Self::Largest) | (false, Self::Large | Self::Largest) => {
                function.call::<128, 64, 192, 320>()
            }
        }
    }

    /// Numbers of coordinates, contacts and rows.
    fn sizes<T: Number>(self) -> [usize; 3] {
        struct Read;
        impl OfSize for Read {
            type Output = [usize; 3];
            fn call<const NV: usize, const NC: usize, const NR: usize, const NA: usize>(self) -> [usize; 3] {
                [NV, NC, NR]
            }
        }
        self.call::<T, _>(Read)
    }

    /// Smallest sizes in which a robot has room, and their number of contacts.
    pub fn of<T: Number>(sizes: Sizes) -> Option<(Self, usize)> {
        let fits = |compiled: &&Self| {
            let [nv, nc, nr] = compiled.sizes::<T>();
            sizes.nv <= nv && sizes.nc <= nc && sizes.nr <= nr
        };
        Self::ALL.iter().find(fits).map(|compiled| (*compiled, compiled.sizes::<T>()[1]))
    }

    /// Bytes of stack that functions take at most, optimised or not: matrices are kept there.
    pub fn stack<T: Number>(self) -> usize {
        // Derivatives take most: of torques and accelerations, of forces with J^T and M^-1 J^T, and Delassus
        // matrices with factors and inverses.
        self.bytes::<T>([10, 10, 6])
    }

    /// Bytes of stack that a step with friction takes at most.
    pub fn stack_with_friction<T: Number>(self) -> usize {
        // Delassus matrices of contacts and of closed loops with factors, and the matrices of the solver.
        self.bytes::<T>([4, 8, 16])
    }

    /// Bytes of stack that derivatives of a step with friction take at most.
    pub fn stack_of_friction_derivatives<T: Number>(self) -> usize {
        // Beside the step's, derivatives of torques, velocities and impulses, and closed loops once more.
        self.bytes::<T>([14, 18, 20])
    }

    /// Bytes of stack that a step with friction and limits of joints takes at most.
    pub fn stack_with_joints<T: Number>(self) -> usize {
        // Problem and solver have rows of contacts and of coordinates: each of their matrices is as large as
        // one of rows, two wide ones and a square one.
        self.bytes::<T>([12, 24, 24])
    }

    /// Bytes of stack that derivatives of a step with friction and limits of joints take at most.
    pub fn stack_of_joint_derivatives<T: Number>(self) -> usize {
        // Both, with memory of the solver once more, and columns of all rows.
        self.bytes::<T>([38, 52, 48])
    }

    /// Bytes of stack that Hessians take at most.
    pub fn stack_of_hessians<T: Number>(self) -> usize {
        // Beside derivatives, the Hessians of torques and of the sum, and a Jacobian's columns with their
        // motions.
        self.bytes::<T>([22, 12, 6])
    }

    /// Bytes of so many matrices of nv x nv, nv x nr and nr x nr numbers.
    fn bytes<T: Number>(self, [square, wide, rows]: [usize; 3]) -> usize {
        let [nv, _, nr] = self.sizes::<T>();
        let numbers = square * nv * nv + wide * nv * nr + rows * nr * nr;
        let copies = if cfg!(debug_assertions) { 4 } else { 1 };
        numbers * size_of::<T>() * copies + 256 * 1024
    }
}
