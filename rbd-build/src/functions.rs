//! The table of functions that a robot can have: what each is called, takes, gives and means, and how it is computed.
//!
//! Whatever depends on a function reads its row: signatures, documentation, traits and result structs, the search, the
//! report, the tests' adapters. To add a function is to write its algorithm, a variant of [`Function`] and a row, and
//! to have the runtime's `functions.rs` written again (`rbd-build/tests/runtime_functions.rs` says how).

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
use crate::family::Family;
use crate::second_order::DQDQ;
use crate::signature::{Output, Param, Shape};
use crate::strategy::Strategy;
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
    /// The same under external forces that are constant in their body's frame.
    RneaDerivativesFext,
    /// Forward dynamics and its first derivatives.
    AbaDerivatives,
    /// The same under external forces that are constant in their body's frame.
    AbaDerivativesFext,
    /// Forward kinematics.
    ForwardKinematics,
    /// The pose of the frame in the world.
    FramePlacement,
    /// The Jacobian of the frame.
    FrameJacobian,
    /// The velocity of the frame.
    FrameVelocity,
    /// The spatial acceleration of the frame, without gravity.
    FrameAcceleration,
    /// The acceleration of the frame with that of the point at its origin as linear part, as an accelerometer without gravity has it.
    FrameClassicalAcceleration,
    /// The rate of the numbers of `frame_velocity` at zero joint accelerations, dJ/dt v.
    FrameBiasAcceleration,
    /// The velocity of the frame and its derivatives.
    FrameVelocityDerivatives,
    /// The spatial acceleration of the frame and its derivatives.
    FrameAccelerationDerivatives,
    /// The centre of mass of all moving bodies, in the world.
    CenterOfMass,
    /// The velocity of the centre of mass, in the world.
    CenterOfMassVelocity,
    /// The Jacobian of the centre of mass.
    CenterOfMassJacobian,
    /// The momentum about the centre of mass, in the world's axes.
    CentroidalMomentum,
    /// The centroidal momentum matrix.
    CentroidalMomentumMatrix,
    /// The rate of the centroidal momentum.
    CentroidalMomentumRate,
    /// The centroidal momentum, its rate, and their derivatives.
    CentroidalDerivatives,
    /// The kinetic energy of all moving bodies and rotors.
    KineticEnergy,
    /// The kinetic energy and its gradients.
    KineticEnergyDerivatives,
    /// The potential energy in the field of gravity, zero for a point at the world's origin.
    PotentialEnergy,
    /// The Coriolis matrix.
    CoriolisMatrix,
    /// The torque regressor.
    Regressor,
    /// For each body the kinetic energy by its ten parameters.
    KineticEnergyRegressor,
    /// For each body the potential energy by its ten parameters.
    PotentialEnergyRegressor,
    /// Derivatives of inverse dynamics by what is given at run time.
    RneaParameterDerivatives,
    /// Derivatives of forward dynamics by what is given at run time.
    AbaParameterDerivatives,
    /// A weighted sum of the torques, its gradient and its Hessian.
    RneaHessian,
    /// The same under external forces that are constant in their body's frame.
    RneaHessianFext,
    /// A weighted sum of the accelerations, its gradient and its Hessian.
    AbaHessian,
    /// The same under external forces that are constant in their body's frame.
    AbaHessianFext,
    /// Second derivatives of inverse dynamics.
    RneaSecondDerivatives,
    /// The same under external forces that are constant in their body's frame.
    RneaSecondDerivativesFext,
    /// Second derivatives of forward dynamics.
    AbaSecondDerivatives,
    /// The same under external forces that are constant in their body's frame.
    AbaSecondDerivativesFext,
}

/// All that is known of a function.
#[derive(Clone, Copy, Debug)]
pub struct Spec {
    /// The function.
    pub function: Function,
    /// Its name in Rust.
    pub name: &'static str,
    /// What Pinocchio calls it: its C++ functions, and the fields of `Data` that they fill.
    pub aliases: &'static [&'static str],
    /// The trait that has it.
    pub family: Family,
    /// What it computes, as an equation.
    pub equation: &'static str,
    /// Its documentation in generated code.
    pub doc: &'static str,
    /// What it takes, in order.
    pub params: &'static [Param],
    /// What it gives, in order.
    pub outputs: &'static [Output],
    /// The runtime's struct of several outputs; one output alone is returned as such.
    pub result: Option<&'static str>,
    /// The functions for whose sake ways of writing bodies are searched; what is found serves this one too.
    pub searched_as: &'static [Function],
    /// The ways in which it can be computed for a tree.
    pub(crate) strategies: fn(&Tree) -> Vec<Strategy>,
    /// What computes a stage of it.
    pub(crate) trace: for<'g> fn(&SymbolicRobot<'g>, &mut Draft<'g>),
}

impl Spec {
    /// The output that is the whole result, if there are no others.
    pub fn only_output(&self) -> Option<Output> {
        self.result.is_none().then(|| self.outputs[0])
    }

    /// Whether the result is so large that users may want it written where they have it.
    pub fn is_large(&self) -> bool {
        !matches!(self.only_output().map(|o| o.shape), Some(Shape::Scalar | Shape::Vector(_)))
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

/// How many functions have kernels of their own.
const KERNELS: usize = dynamics::ROWS.len() + kinematics::ROWS.len() + parameters::ROWS.len();

// A row is found by its place.
const _: () = {
    let mut k = 0;
    while k < FUNCTIONS.len() {
        assert!(FUNCTIONS[k].function as usize == k);
        k += 1;
    }
};

/// What stands for the algorithm of a function that is never a kernel.
fn by_the_runtime(_: &SymbolicRobot<'_>, _: &mut Draft<'_>) {
    unreachable!("the runtime computes it, by loops over tables")
}

impl Function {
    /// Every function that every target has, in the order in which they are documented. Those after them in
    /// [`FUNCTIONS`] are for Rust, whose runtime has loops over tables for them, and for C, which has some for all but Hessians of
    /// accelerations.
    pub const ALL: [Self; KERNELS] = {
        let mut all = [Self::Rnea; KERNELS];
        let mut k = 0;
        while k < all.len() {
            all[k] = FUNCTIONS[k].function;
            k += 1;
        }
        all
    };

    /// Whether the runtime has it, by loops over the robot's tables; C makes Hessians of accelerations, and where there are no
    /// loops all but Hessians of torques, of other functions ([`Self::parts_without_loops`]).
    pub fn is_by_tables(self) -> bool {
        self.spec().family == Family::SecondDerivatives
    }

    /// The same under external forces.
    pub fn with_forces(self) -> Option<Self> {
        Self::from_name(&format!("{}_fext", self.name()))
    }

    /// The function under external forces, if its code may serve without any. Hessians are too short for that.
    pub fn under_forces(self) -> Option<Self> {
        self.with_forces().filter(|f| !f.spec().outputs.contains(&DQDQ))
    }

    /// Its row.
    pub fn spec(self) -> &'static Spec {
        &FUNCTIONS[self as usize]
    }

    /// Whether it may be loops of the runtime.
    pub fn has_loops(self) -> bool {
        use Function as F;
        let inverse_dynamics = [F::RneaDerivatives, F::RneaDerivativesFext, F::Crba];
        let forward_dynamics = [F::AbaDerivatives, F::AbaDerivativesFext, F::Minv];
        inverse_dynamics.contains(&self)
            || forward_dynamics.contains(&self)
            || self.is_vector()
            || self.is_by_tables()
    }

    /// Whether it is torques or accelerations, and nothing besides.
    pub(crate) fn is_vector(self) -> bool {
        use Function as F;
        [F::Rnea, F::RneaFext, F::Bias, F::Gravity, F::Aba, F::AbaFext].contains(&self)
    }

    /// Its name in Rust.
    pub fn name(self) -> &'static str {
        self.spec().name
    }

    /// The function with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        FUNCTIONS.iter().find(|spec| spec.name == name).map(|spec| spec.function)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signature::Q;

    /// A row describes itself: its equation says what each output is.
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
