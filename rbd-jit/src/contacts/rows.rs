//! Kernels of the rows of all contacts, as generated code has them.
//!
//! They take the place of functions of frames, and factors of the mass matrix that of its inverse.

use crate::kept::RowsSource;
use crate::machine::Machine;
use crate::{Error, Function, Number};
use rbd_build::contact_rows::{CONTACT_ROWS, UNIT_FACTORS};
use rbd_build::signature::Sizes;

/// A kernel, by its row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowsKernel {
    Rows,
    Jacobian,
    Motion,
    Derivatives,
    Factors,
    Accelerations,
    Inverse,
    WithTorques,
    Constrained,
}

/// The kernels of a robot.
#[derive(Debug)]
pub(crate) struct Rows<T> {
    kernels: [Option<Function<T>>; CONTACT_ROWS.len()],
    /// Length of the factors of the mass matrix, in numbers.
    factors: usize,
}

impl<T> Default for Rows<T> {
    fn default() -> Self {
        Self { kernels: [const { None }; CONTACT_ROWS.len()], factors: 0 }
    }
}

impl<T: Number> Rows<T> {
    /// Makes the code of the kernels of a robot. Without one of them, the runtime calls functions of frames.
    pub fn new(sources: &[RowsSource], sizes: Sizes, machine: &Machine) -> Result<Self, Error> {
        let mut rows = Self::default();
        for source in sources {
            rows.kernels[source.number] = match Function::of_rows(source, sizes, machine) {
                Ok(kernel) => Some(kernel),
                Err(Error::NotThereYet { .. }) => None,
                Err(error) => return Err(error),
            };
        }
        let arrays = rows.kernels.iter().flatten().flat_map(Function::outputs);
        let factors = arrays.filter(|array| array.name == UNIT_FACTORS.name);
        rows.factors = factors.map(|array| array.length).max().unwrap_or(0);
        Ok(rows)
    }

    pub(super) fn get(&self, kernel: RowsKernel) -> Option<&Function<T>> {
        self.kernels[kernel as usize].as_ref()
    }

    /// Workspace size that the kernels need, in numbers.
    pub fn work(&self) -> usize {
        self.kernels.iter().flatten().map(Function::work).max().unwrap_or(0)
    }

    /// Length of the factors of the mass matrix, in numbers.
    pub fn factors(&self) -> usize {
        self.factors
    }
}

#[cfg(test)]
mod tests {
    use super::{CONTACT_ROWS, RowsKernel};
    use crate::{Base, Robot};

    /// The table's order is that of the kernels here.
    #[test]
    fn kernels_are_rows_of_the_table() {
        for (k, spec) in CONTACT_ROWS.iter().enumerate() {
            let kernel = match spec.name {
                "rows" => RowsKernel::Rows,
                "row_jacobian" => RowsKernel::Jacobian,
                "row_motion" => RowsKernel::Motion,
                "row_derivatives" => RowsKernel::Derivatives,
                "row_factors" => RowsKernel::Factors,
                "accelerations" => RowsKernel::Accelerations,
                "inverse" => RowsKernel::Inverse,
                "row_and_torque_derivatives" => RowsKernel::WithTorques,
                "constrained_accelerations" => RowsKernel::Constrained,
                other => panic!("{other} is not there"),
            };
            assert_eq!(kernel as usize, k);
        }
    }

    /// Robots without mimic joints, whose contacts have limbs of their own, have all kernels, and there is
    /// memory for the factors.
    #[test]
    fn every_kernel_is_there() {
        let urdf = concat!(env!("CARGO_MANIFEST_DIR"), "/../robots/double_pendulum.urdf");
        let robot = Robot::from_urdf(urdf).base(Base::Floating).functions(["crba"]).contacts(["link2"]);
        let robot = robot.load().unwrap();
        let rows = robot.rows();
        assert!(rows.kernels.iter().all(Option::is_some));
        assert!(rows.factors() > 0);
        assert!(robot.work_of_functions() >= robot.most_work() + rows.factors());
    }
}
