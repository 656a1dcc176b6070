//! Functions that go together: each family is a trait of the runtime, which a robot implements if it has all of them.

use crate::functions::{FUNCTIONS, Function, Spec};

/// A trait that generated robots implement, and its functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Torques of a motion.
    InverseDynamics,
    /// Accelerations under torques.
    ForwardDynamics,
    /// The mass matrix.
    MassMatrix,
    /// Its inverse.
    InverseMassMatrix,
    /// First derivatives of the torques.
    InverseDynamicsDerivatives,
    /// First derivatives of the accelerations.
    ForwardDynamicsDerivatives,
    /// Dynamics under forces on the bodies.
    ExternalForces,
    /// Where the bodies are.
    Bodies,
    /// Where frames are and how they move.
    Frames,
    /// Centre of mass and momentum.
    Centroidal,
    /// First derivatives of the momentum and its rate.
    CentroidalDynamicsDerivatives,
    /// Kinetic and potential energy.
    Energy,
    /// The Coriolis matrix.
    Coriolis,
    /// What is linear in inertias, by these.
    Regressors,
    /// Second derivatives, contracted and whole.
    SecondDerivatives,
}

impl Family {
    /// All of them, in the order in which they are documented.
    pub const ALL: [Self; 15] = {
        let [a, b, c, d, e, f, g] = Self::DEFAULT;
        let [h, i, j] = [Self::Bodies, Self::Frames, Self::Centroidal];
        let [k, l] = [Self::CentroidalDynamicsDerivatives, Self::Energy];
        [a, b, c, d, e, f, g, h, i, j, k, l, Self::Coriolis, Self::Regressors, Self::SecondDerivatives]
    };

    /// Those that are generated where no functions are listed. The trait `rbd::Robot` is all of these.
    pub const DEFAULT: [Self; 7] = [
        Self::InverseDynamics,
        Self::ForwardDynamics,
        Self::MassMatrix,
        Self::InverseMassMatrix,
        Self::InverseDynamicsDerivatives,
        Self::ForwardDynamicsDerivatives,
        Self::ExternalForces,
    ];

    /// The trait's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::InverseDynamics => "InverseDynamics",
            Self::ForwardDynamics => "ForwardDynamics",
            Self::MassMatrix => "MassMatrix",
            Self::InverseMassMatrix => "InverseMassMatrix",
            Self::InverseDynamicsDerivatives => "InverseDynamicsDerivatives",
            Self::ForwardDynamicsDerivatives => "ForwardDynamicsDerivatives",
            Self::ExternalForces => "ExternalForces",
            Self::Bodies => "Bodies",
            Self::Frames => "Frames",
            Self::Centroidal => "Centroidal",
            Self::CentroidalDynamicsDerivatives => "CentroidalDynamicsDerivatives",
            Self::Energy => "Energy",
            Self::Coriolis => "Coriolis",
            Self::Regressors => "Regressors",
            Self::SecondDerivatives => "SecondDerivatives",
        }
    }

    /// Its name among those of functions, in the option `functions`: all functions of the family.
    pub fn option(self) -> &'static str {
        match self {
            Self::InverseDynamics => "inverse_dynamics",
            Self::ForwardDynamics => "forward_dynamics",
            Self::MassMatrix => "mass_matrix",
            Self::InverseMassMatrix => "inverse_mass_matrix",
            Self::InverseDynamicsDerivatives => "inverse_dynamics_derivatives",
            Self::ForwardDynamicsDerivatives => "forward_dynamics_derivatives",
            Self::ExternalForces => "external_forces",
            Self::Bodies => "bodies",
            Self::Frames => "frames",
            Self::Centroidal => "centroidal",
            Self::CentroidalDynamicsDerivatives => "centroidal_dynamics_derivatives",
            Self::Energy => "energy",
            Self::Coriolis => "coriolis",
            Self::Regressors => "regressors",
            Self::SecondDerivatives => "second_derivatives",
        }
    }

    /// What the trait's documentation says first.
    pub fn doc(self) -> &'static str {
        match self {
            Self::InverseDynamics => "Robots with inverse dynamics: the torques of a motion.",
            Self::ForwardDynamics => "Robots with forward dynamics: the accelerations under torques.",
            Self::MassMatrix => "Robots with a mass matrix.",
            Self::InverseMassMatrix => "Robots with the inverse of the mass matrix.",
            Self::InverseDynamicsDerivatives => "Robots with first derivatives of inverse dynamics.",
            Self::ForwardDynamicsDerivatives => "Robots with first derivatives of forward dynamics.",
            Self::ExternalForces => "Robots with dynamics under external forces.",
            Self::Bodies => "Robots with the poses of their bodies.",
            Self::Frames => "Robots with functions of frames.",
            Self::Centroidal => "Robots with a centre of mass and the momentum about it.",
            Self::CentroidalDynamicsDerivatives => "Robots with first derivatives of centroidal dynamics.",
            Self::Energy => "Robots with kinetic and potential energy.",
            Self::Coriolis => "Robots with a Coriolis matrix.",
            Self::Regressors => "Robots with regressors.",
            Self::SecondDerivatives => {
                "Robots with second derivatives of inverse and forward dynamics, as Hessians of weighted sums and as tensors."
            }
        }
    }

    /// Whether the runtime has a trait for it. Results with a size for each body, and frames, which are a type of the
    /// robot's own, do not fit one.
    pub fn is_trait(self) -> bool {
        !matches!(self, Self::Bodies | Self::Frames | Self::Regressors)
    }

    /// Its functions.
    pub fn functions(self) -> impl Iterator<Item = &'static Spec> {
        FUNCTIONS.iter().filter(move |spec| spec.family == self)
    }
}

impl Function {
    /// Those that are generated where none are listed.
    pub fn default_ones() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|f| Family::DEFAULT.contains(&f.spec().family))
    }

    /// Whether it is of a frame.
    pub fn is_of_frame(self) -> bool {
        self.spec().family == Family::Frames
    }

    /// Whether it is of a frame, and what it gives depends on the reference frame.
    pub fn has_reference(self) -> bool {
        self.is_of_frame() && self != Self::FramePlacement
    }

    /// The functions that a name in the option `functions` stands for: one, or a family's.
    pub fn named(name: &str) -> Option<Vec<Self>> {
        let family = || {
            let family = Family::ALL.into_iter().find(|family| family.option() == name)?;
            Some(family.functions().map(|spec| spec.function).collect())
        };
        Self::from_name(name).map(|function| vec![function]).or_else(family)
    }

    /// The names that [`Self::named`] knows.
    pub fn names() -> Vec<&'static str> {
        FUNCTIONS.iter().map(|spec| spec.name).chain(Family::ALL.map(Family::option)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_is_of_one_family_and_every_name_known() {
        let functions: Vec<Function> =
            Family::ALL.iter().flat_map(|f| f.functions()).map(|spec| spec.function).collect();
        assert_eq!(functions.len(), FUNCTIONS.len());
        for name in Function::names() {
            assert!(!Function::named(name).expect("known").is_empty(), "{name}");
        }
        assert_eq!(Function::named("mass_matrix"), Some(vec![Function::Crba]));
        assert_eq!(Function::named("mass"), None);
    }
}
