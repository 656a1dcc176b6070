//! The table of functions that a robot can have: what each is called, takes, gives and means, and how it is computed.
//!
//! Whatever depends on a function reads its row: signatures, documentation, traits and result structs, the search, the
//! report, the tests' adapters. To add a function is to write its algorithm, a variant of [`Function`] and a row, and
//! to have the runtime's `functions.rs` written again (`rbd-build/tests/runtime_functions.rs` says how).

use crate::algorithms::joints::Robot;
use crate::algorithms::{Draft, aba, aba_derivatives, crba, rnea, rnea_derivatives};
use crate::family::Family;
use crate::signature::{
    A, DDQ, DDQ_DQ, DDQ_DTAU, DDQ_DV, DTAU_DA, DTAU_DQ, DTAU_DV, FEXT, M, MINV, Output, Param, Q, Shape, TAU,
    TAU_GIVEN, V,
};
use crate::strategy::{self as strategies, Strategy};
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
}

/// All that is known of a function.
#[derive(Debug)]
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
    /// Whether the runtime has loops for it.
    pub loops: bool,
    /// The ways in which it can be computed for a tree.
    pub(crate) strategies: fn(&Tree) -> Vec<Strategy>,
    /// What computes a stage of it.
    pub(crate) trace: for<'g> fn(&Robot<'g>, &mut Draft<'g>),
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
pub static FUNCTIONS: [Spec; 12] = [
    Spec {
        function: Function::Rnea,
        name: "rnea",
        aliases: &["rnea", "inverseDynamics"],
        family: Family::InverseDynamics,
        equation: "tau = M(q) a + C(q, v) v + g(q)",
        doc: "Inverse dynamics: the torques (N m, N) that give the accelerations `a` at `q`, `v`.",
        params: &[Q, V, A],
        outputs: &[TAU],
        result: None,
        searched_as: &[Function::Rnea],
        loops: false,
        strategies: strategies::torques,
        trace: rnea::trace,
    },
    Spec {
        function: Function::RneaFext,
        name: "rnea_fext",
        aliases: &[],
        family: Family::ExternalForces,
        equation: "tau = M(q) a + C(q, v) v + g(q) - sum_i J_i(q)^T fext_i",
        doc: "Inverse dynamics under external forces: `fext[i]` is the force `[force; moment]` on moving body i, \
              in its joint frame.",
        params: &[Q, V, A, FEXT],
        outputs: &[TAU],
        result: None,
        searched_as: &[Function::Rnea],
        loops: false,
        strategies: strategies::torques,
        trace: rnea::trace,
    },
    Spec {
        function: Function::Bias,
        name: "bias",
        aliases: &["nonLinearEffects", "nle"],
        family: Family::InverseDynamics,
        equation: "tau = C(q, v) v + g(q)",
        doc: "Torques at zero acceleration: Coriolis, centrifugal and gravity terms, C(q, v) v + g(q).",
        params: &[Q, V],
        outputs: &[TAU],
        result: None,
        searched_as: &[Function::Rnea],
        loops: false,
        strategies: strategies::torques,
        trace: rnea::trace,
    },
    Spec {
        function: Function::Gravity,
        name: "gravity",
        aliases: &["computeGeneralizedGravity"],
        family: Family::InverseDynamics,
        equation: "tau = g(q)",
        doc: "Torques that hold the robot at rest, g(q).",
        params: &[Q],
        outputs: &[TAU],
        result: None,
        searched_as: &[Function::Rnea],
        loops: false,
        strategies: strategies::torques,
        trace: rnea::trace,
    },
    Spec {
        function: Function::Aba,
        name: "aba",
        aliases: &["aba", "forwardDynamics"],
        family: Family::ForwardDynamics,
        equation: "ddq = M(q)^-1 (tau - C(q, v) v - g(q))",
        doc: "Forward dynamics: the accelerations under the torques `tau` at `q`, `v`.",
        params: &[Q, V, TAU_GIVEN],
        outputs: &[DDQ],
        result: None,
        searched_as: &[Function::Rnea, Function::Crba],
        loops: false,
        strategies: strategies::accelerations,
        trace: aba::trace,
    },
    Spec {
        function: Function::AbaFext,
        name: "aba_fext",
        aliases: &[],
        family: Family::ExternalForces,
        equation: "ddq = M(q)^-1 (tau - C(q, v) v - g(q) + sum_i J_i(q)^T fext_i)",
        doc: "Forward dynamics under external forces: `fext[i]` is the force `[force; moment]` on moving body i, \
              in its joint frame.",
        params: &[Q, V, TAU_GIVEN, FEXT],
        outputs: &[DDQ],
        result: None,
        searched_as: &[Function::Rnea, Function::Crba],
        loops: false,
        strategies: strategies::accelerations,
        trace: aba::trace,
    },
    Spec {
        function: Function::Crba,
        name: "crba",
        aliases: &["crba"],
        family: Family::MassMatrix,
        equation: "m = M(q)",
        doc: "The joint-space mass matrix M(q), full and symmetric.",
        params: &[Q],
        outputs: &[M],
        result: None,
        searched_as: &[Function::Crba],
        loops: true,
        strategies: strategies::mass_matrix,
        trace: crba::trace,
    },
    Spec {
        function: Function::Minv,
        name: "minv",
        aliases: &["computeMinverse", "Minv"],
        family: Family::InverseMassMatrix,
        equation: "minv = M(q)^-1",
        doc: "The inverse of the mass matrix, full and symmetric.",
        params: &[Q],
        outputs: &[MINV],
        result: None,
        searched_as: &[Function::Crba],
        loops: true,
        strategies: strategies::inverse,
        trace: aba_derivatives::trace_inverse,
    },
    Spec {
        function: Function::RneaDerivatives,
        name: "rnea_derivatives",
        aliases: &["computeRNEADerivatives"],
        family: Family::InverseDynamicsDerivatives,
        equation: "tau = M(q) a + C(q, v) v + g(q), dtau_dq = d tau/d q, dtau_dv = d tau/d v, dtau_da = M(q)",
        doc: "Inverse dynamics and its derivatives: `dtau_dq` in the tangent space of q, `dtau_dv`, and `dtau_da`, \
              which is M(q).",
        params: &[Q, V, A],
        outputs: &[TAU, DTAU_DQ, DTAU_DV, DTAU_DA],
        result: Some("RneaDerivatives"),
        searched_as: &[Function::RneaDerivatives, Function::Crba],
        loops: true,
        strategies: strategies::torque_derivatives,
        trace: rnea_derivatives::trace,
    },
    Spec {
        function: Function::RneaDerivativesFext,
        name: "rnea_derivatives_fext",
        aliases: &[],
        family: Family::ExternalForces,
        equation: "tau = M(q) a + C(q, v) v + g(q) - sum_i J_i(q)^T fext_i, dtau_dq = d tau/d q, dtau_dv = d tau/d v, \
                   dtau_da = M(q)",
        doc: "The same under external forces. Each is constant in its own body's joint frame: it turns with the body. \
              A force fixed in the world needs a term of its own in `dtau_dq`.",
        params: &[Q, V, A, FEXT],
        outputs: &[TAU, DTAU_DQ, DTAU_DV, DTAU_DA],
        result: Some("RneaDerivatives"),
        searched_as: &[Function::RneaDerivatives, Function::Crba],
        loops: true,
        strategies: strategies::torque_derivatives,
        trace: rnea_derivatives::trace,
    },
    Spec {
        function: Function::AbaDerivatives,
        name: "aba_derivatives",
        aliases: &["computeABADerivatives"],
        family: Family::ForwardDynamicsDerivatives,
        equation: "ddq = M(q)^-1 (tau - C(q, v) v - g(q)), ddq_dq = -M^-1 d tau/d q, ddq_dv = -M^-1 d tau/d v, \
                   ddq_dtau = M^-1",
        doc: "Forward dynamics and its derivatives: `ddq_dq` in the tangent space of q, `ddq_dv`, and `ddq_dtau`, \
              which is the inverse of M(q).",
        params: &[Q, V, TAU_GIVEN],
        outputs: &[DDQ, DDQ_DQ, DDQ_DV, DDQ_DTAU],
        result: Some("AbaDerivatives"),
        searched_as: &[Function::RneaDerivatives, Function::Crba],
        loops: true,
        strategies: strategies::acceleration_derivatives,
        trace: aba_derivatives::trace,
    },
    Spec {
        function: Function::AbaDerivativesFext,
        name: "aba_derivatives_fext",
        aliases: &[],
        family: Family::ExternalForces,
        equation: "ddq = M(q)^-1 (tau - C(q, v) v - g(q) + sum_i J_i(q)^T fext_i), ddq_dq = -M^-1 d tau/d q, \
                   ddq_dv = -M^-1 d tau/d v, ddq_dtau = M^-1",
        doc: "The same under external forces. Each is constant in its own body's joint frame: it turns with the body. \
              A force fixed in the world needs a term of its own in `ddq_dq`.",
        params: &[Q, V, TAU_GIVEN, FEXT],
        outputs: &[DDQ, DDQ_DQ, DDQ_DV, DDQ_DTAU],
        result: Some("AbaDerivatives"),
        searched_as: &[Function::RneaDerivatives, Function::Crba],
        loops: true,
        strategies: strategies::acceleration_derivatives,
        trace: aba_derivatives::trace,
    },
];

// A row is found by its place.
const _: () = {
    let mut k = 0;
    while k < FUNCTIONS.len() {
        assert!(FUNCTIONS[k].function as usize == k);
        k += 1;
    }
};

impl Function {
    /// Every function, in the order in which they are documented.
    pub const ALL: [Self; FUNCTIONS.len()] = {
        let mut all = [Self::Rnea; FUNCTIONS.len()];
        let mut k = 0;
        while k < all.len() {
            all[k] = FUNCTIONS[k].function;
            k += 1;
        }
        all
    };

    /// Its row.
    pub fn spec(self) -> &'static Spec {
        &FUNCTIONS[self as usize]
    }

    /// Whether it can be computed by loops over tables.
    pub fn has_loops(self) -> bool {
        self.spec().loops
    }

    /// Its name in Rust.
    pub fn name(self) -> &'static str {
        self.spec().name
    }

    /// The function with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|f| f.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
