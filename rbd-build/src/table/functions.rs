//! The table of functions: names, parameters, results, documentation, strategies and algorithm of each.
//!
//! Signatures, documentation, traits, result structs, the search, the report and tests read the rows.
//! A new function needs its algorithm, a variant of [`Function`] and a row.
//! `cargo xtask bless` then writes the runtime's `functions.rs`.

mod contacts;
mod dynamics;
mod form;
mod kinematics;
mod parameters;
mod second_order;

pub use contacts::{CONTACT_FUNCTIONS, ContactParam, ContactSpec, contact_functions};
pub use form::Form;

use crate::algorithms::Draft;
use crate::algorithms::robot::SymbolicRobot;
use crate::algorithms::strategy::Strategy;
use crate::signatures::second_order::DQDQ;
use crate::signatures::signature::{Dims, Output, Param};
use crate::table::family::Family;
use crate::tree::Tree;

/// A function of a generated robot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Function {
    /// Inverse dynamics.
    Rnea,
    /// Inverse dynamics under external forces.
    RneaFext,
    /// Torques at zero acceleration.
    Bias,
    /// Torques at rest.
    Gravity,
    /// Forward dynamics.
    Aba,
    /// Forward dynamics under external forces.
    AbaFext,
    /// Mass matrix.
    Crba,
    /// Inverse of the mass matrix.
    Minv,
    /// Inverse dynamics and its first derivatives.
    RneaDerivatives,
    /// Inverse dynamics and its first derivatives, with external forces held constant in the body frames.
    RneaDerivativesFext,
    /// Forward dynamics and its first derivatives.
    AbaDerivatives,
    /// Forward dynamics and its first derivatives, with external forces held constant in the body frames.
    AbaDerivativesFext,
    /// Forward kinematics.
    ForwardKinematics,
    /// Pose of a frame in the world.
    FramePlacement,
    /// Jacobian of a frame.
    FrameJacobian,
    /// Velocity of a frame.
    FrameVelocity,
    /// Spatial acceleration of a frame, without gravity.
    FrameAcceleration,
    /// Classical acceleration of a frame, without gravity.
    /// Its linear part is the acceleration of the frame's origin.
    FrameClassicalAcceleration,
    /// Rate of the components of `frame_velocity` at zero joint accelerations, dJ/dt v.
    FrameBiasAcceleration,
    /// Velocity of a frame and its derivatives.
    FrameVelocityDerivatives,
    /// Spatial acceleration of a frame and its derivatives.
    FrameAccelerationDerivatives,
    /// Centre of mass of all moving bodies, in the world.
    CenterOfMass,
    /// Velocity of the centre of mass, in the world.
    CenterOfMassVelocity,
    /// Jacobian of the centre of mass.
    CenterOfMassJacobian,
    /// Momentum about the centre of mass, in the world's axes.
    CentroidalMomentum,
    /// Centroidal momentum matrix.
    CentroidalMomentumMatrix,
    /// Rate of the centroidal momentum.
    CentroidalMomentumRate,
    /// Centroidal momentum, its rate, and their derivatives.
    CentroidalDerivatives,
    /// Kinetic energy of all moving bodies and rotors.
    KineticEnergy,
    /// Kinetic energy and its gradients.
    KineticEnergyDerivatives,
    /// Potential energy in the field of gravity, zero for a point at the world's origin.
    PotentialEnergy,
    /// Coriolis matrix.
    CoriolisMatrix,
    /// Torque regressor.
    Regressor,
    /// Regressor of the kinetic energy, with ten inertial parameters a body.
    KineticEnergyRegressor,
    /// Regressor of the potential energy, with ten inertial parameters a body.
    PotentialEnergyRegressor,
    /// Derivatives of inverse dynamics by the parameters at run time.
    RneaParameterDerivatives,
    /// Derivatives of forward dynamics by the parameters at run time.
    AbaParameterDerivatives,
    /// Weighted sum of the torques, its gradient and its Hessian.
    RneaHessian,
    /// Hessian of weighted torques, with external forces held constant in the body frames.
    RneaHessianFext,
    /// Weighted sum of the accelerations, its gradient and its Hessian.
    AbaHessian,
    /// Hessian of weighted accelerations, with external forces held constant in the body frames.
    AbaHessianFext,
    /// Second derivatives of inverse dynamics.
    RneaSecondDerivatives,
    /// Second derivatives of inverse dynamics, with external forces held constant in the body frames.
    RneaSecondDerivativesFext,
    /// Second derivatives of forward dynamics.
    AbaSecondDerivatives,
    /// Second derivatives of forward dynamics, with external forces held constant in the body frames.
    AbaSecondDerivativesFext,
}

/// Row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Spec {
    /// The function.
    pub function: Function,
    /// Name in Rust.
    pub name: &'static str,
    /// Names in Pinocchio: C++ functions, and the fields of `Data` that they fill.
    pub aliases: &'static [&'static str],
    /// Trait with the function.
    pub family: Family,
    /// Equation.
    pub equation: &'static str,
    /// Documentation in generated code.
    pub doc: &'static str,
    /// Parameters, in order.
    pub params: &'static [Param],
    /// Results, in order.
    pub outputs: &'static [Output],
    /// Runtime's struct of several results. A single result is returned directly.
    pub result: Option<&'static str>,
    /// Functions whose search for forms of bodies also serves this one.
    pub searched_as: &'static [Function],
    /// Strategies for a tree.
    pub(crate) strategies: fn(&Tree) -> Vec<Strategy>,
    /// Algorithm that traces a stage.
    pub(crate) trace: for<'g> fn(&SymbolicRobot<'g>, &mut Draft<'g>),
}

impl Spec {
    /// The output, if there is only one.
    pub fn only_output(&self) -> Option<Output> {
        self.result.is_none().then(|| self.outputs[0])
    }

    /// True for a large result, which users may want written in place.
    pub fn is_large(&self) -> bool {
        !matches!(self.only_output().map(|o| o.shape), Some(Dims::Scalar | Dims::Vector(_)))
    }
}

/// The table, in the order of [`Function`].
pub static FUNCTIONS: [Spec; KERNELS + second_order::ROWS.len()] = {
    let mut all = [dynamics::ROWS[0]; KERNELS + second_order::ROWS.len()];
    let mut k = 0;
    while k < all.len() {
        let of_kinematics = dynamics::ROWS.len();
        let (of_parameters, of_second_order) = (of_kinematics + kinematics::ROWS.len(), KERNELS);
        all[k] = if k < of_kinematics {
            dynamics::ROWS[k]
        } else if k < of_parameters {
            kinematics::ROWS[k - of_kinematics]
        } else if k < of_second_order {
            parameters::ROWS[k - of_parameters]
        } else {
            second_order::ROWS[k - of_second_order]
        };
        k += 1;
    }
    all
};

/// Number of functions with kernels.
const KERNELS: usize = dynamics::ROWS.len() + kinematics::ROWS.len() + parameters::ROWS.len();

// A row's index is its function's number.
const _: () = {
    let mut k = 0;
    while k < FUNCTIONS.len() {
        assert!(FUNCTIONS[k].function as usize == k);
        k += 1;
    }
};

/// Placeholder for the algorithm of a function that is never a kernel.
fn composed(_: &SymbolicRobot<'_>, _: &mut Draft<'_>) {
    unreachable!("it is composed of other functions' results")
}

impl Function {
    /// Functions of every target, in the order of documentation.
    ///
    /// Later rows of [`FUNCTIONS`] are second derivatives, for Rust and C.
    /// Rust's runtime has loops over tables for them. C has loops for all but Hessians of accelerations.
    pub const ALL: [Self; KERNELS] = {
        let mut all = [Self::Rnea; KERNELS];
        let mut k = 0;
        while k < all.len() {
            all[k] = FUNCTIONS[k].function;
            k += 1;
        }
        all
    };

    /// True for second derivatives, which are kernels or composed.
    ///
    /// Compositions call loops over tables, or use other functions' results
    /// ([`Way`](crate::table::routines::Way)).
    pub fn is_second_order(self) -> bool {
        self.spec().family == Family::SecondDerivatives
    }

    /// Returns the function under external forces.
    pub fn with_forces(self) -> Option<Self> {
        Self::from_name(&format!("{}_fext", self.name()))
    }

    /// Returns the function under external forces if it can be called with zero forces instead of this one.
    ///
    /// Hessians are too short to share code.
    pub fn under_forces(self) -> Option<Self> {
        self.with_forces().filter(|f| !f.spec().outputs.contains(&DQDQ))
    }

    /// Row of the table.
    pub fn spec(self) -> &'static Spec {
        &FUNCTIONS[self as usize]
    }

    /// True if the runtime has a loop implementation.
    pub fn has_loops(self) -> bool {
        use Function as F;
        let inverse_dynamics = [F::RneaDerivatives, F::RneaDerivativesFext, F::Crba];
        let forward_dynamics = [F::AbaDerivatives, F::AbaDerivativesFext, F::Minv];
        inverse_dynamics.contains(&self)
            || forward_dynamics.contains(&self)
            || self.is_vector()
            || self.is_second_order()
    }

    /// True if the results are torques or accelerations alone.
    pub(crate) fn is_vector(self) -> bool {
        use Function as F;
        [F::Rnea, F::RneaFext, F::Bias, F::Gravity, F::Aba, F::AbaFext].contains(&self)
    }

    /// Name in Rust.
    pub fn name(self) -> &'static str {
        self.spec().name
    }

    /// Returns the function of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        FUNCTIONS.iter().find(|spec| spec.name == name).map(|spec| spec.function)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signatures::signature::Q;

    /// A row describes itself: its equation contains each output.
    #[test]
    fn equations_name_what_is_given() {
        for spec in &FUNCTIONS {
            for output in spec.outputs {
                let left = format!("{} =", output.name);
                assert!(spec.equation.contains(&left), "{}: no `{left}` in `{}`", spec.name, spec.equation);
            }
            assert_eq!(spec.result.is_none(), spec.outputs.len() == 1, "{}", spec.name);
            assert_eq!(spec.params[0], Q, "{}", spec.name);
        }
    }

    #[test]
    fn a_name_is_of_one_function() {
        for (k, spec) in FUNCTIONS.iter().enumerate() {
            let other = |s: &&Spec| s.name == spec.name || s.aliases.iter().any(|a| spec.aliases.contains(a));
            assert!(!FUNCTIONS[..k].iter().any(|s| other(&s)), "{}", spec.name);
            assert_eq!(Function::from_name(spec.name), Some(spec.function));
        }
    }
}
