//! A method for each function of the table: arguments and results are slices, matrices by columns.

use crate::{Batch, Error, Id, Robot, Workspace};

macro_rules! methods {
    ($($(#[doc = $doc:literal])* $name:ident = $id:ident($($input:ident),*) -> ($($output:ident),*);)*) => {
        #[allow(clippy::too_many_arguments, reason = "as many as the function has")]
        impl Robot {
            $(
                $(#[doc = $doc])*
                ///
                /// # Errors
                /// Those of [`Function::call`](crate::Function::call), and if the function was not loaded.
                pub fn $name(
                    &self,
                    workspace: &mut Workspace,
                    $($input: &[f64],)*
                    $($output: &mut [f64],)*
                ) -> Result<(), Error> {
                    self.by_id(Id::$id)?.call(workspace, &[$($input),*], &mut [$($output),*])
                }
            )*
        }

        #[allow(clippy::too_many_arguments, reason = "as many as the function has")]
        impl Batch<'_> {
            $(
                $(#[doc = $doc])*
                ///
                /// # Errors
                /// Those of [`Batch::call`](crate::Batch::call), and if the function was not loaded.
                pub fn $name(
                    &self,
                    $($input: &[f64],)*
                    $($output: &mut [f64],)*
                ) -> Result<(), Error> {
                    self.call(self.robot().by_id(Id::$id)?, &[$($input),*], &mut [$($output),*])
                }
            )*
        }

        /// Name, arguments and results of each method.
        #[cfg(test)]
        const METHODS: &[(Id, &str, &[&str], &[&str])] =
            &[$((Id::$id, stringify!($name), &[$(stringify!($input)),*], &[$(stringify!($output)),*])),*];
    };
}

methods! {
    /// Inverse dynamics.
    rnea = Rnea(q, v, a) -> (tau);
    /// Inverse dynamics under external forces.
    rnea_fext = RneaFext(q, v, a, fext) -> (tau);
    /// Torques at zero acceleration.
    bias = Bias(q, v) -> (tau);
    /// Torques at rest.
    gravity = Gravity(q) -> (tau);
    /// Forward dynamics.
    aba = Aba(q, v, tau) -> (ddq);
    /// Forward dynamics under external forces.
    aba_fext = AbaFext(q, v, tau, fext) -> (ddq);
    /// Mass matrix.
    crba = Crba(q) -> (m);
    /// Inverse of the mass matrix.
    minv = Minv(q) -> (minv);
    /// Inverse dynamics and its first derivatives.
    rnea_derivatives = RneaDerivatives(q, v, a) -> (tau, dtau_dq, dtau_dv, dtau_da);
    /// Inverse dynamics and its first derivatives, under external forces.
    rnea_derivatives_fext = RneaDerivativesFext(q, v, a, fext) -> (tau, dtau_dq, dtau_dv, dtau_da);
    /// Forward dynamics and its first derivatives.
    aba_derivatives = AbaDerivatives(q, v, tau) -> (ddq, ddq_dq, ddq_dv, ddq_dtau);
    /// Forward dynamics and its first derivatives, under external forces.
    aba_derivatives_fext = AbaDerivativesFext(q, v, tau, fext) -> (ddq, ddq_dq, ddq_dv, ddq_dtau);
    /// Poses of all bodies in the world: for each a rotation by columns, then a translation.
    forward_kinematics = ForwardKinematics(q) -> (placements);
    /// Centre of mass.
    center_of_mass = CenterOfMass(q) -> (com);
    /// Velocity of the centre of mass.
    center_of_mass_velocity = CenterOfMassVelocity(q, v) -> (com_velocity);
    /// Jacobian of the centre of mass.
    center_of_mass_jacobian = CenterOfMassJacobian(q) -> (com_jacobian);
    /// Momentum about the centre of mass.
    centroidal_momentum = CentroidalMomentum(q, v) -> (momentum);
    /// Centroidal momentum matrix.
    centroidal_momentum_matrix = CentroidalMomentumMatrix(q) -> (momentum_matrix);
    /// Rate of the centroidal momentum.
    centroidal_momentum_rate = CentroidalMomentumRate(q, v, a) -> (rate);
    /// Kinetic energy.
    kinetic_energy = KineticEnergy(q, v) -> (energy);
    /// Potential energy.
    potential_energy = PotentialEnergy(q) -> (energy);
    /// Coriolis matrix.
    coriolis_matrix = CoriolisMatrix(q, v) -> (coriolis);
    /// Torque regressor.
    regressor = Regressor(q, v, a) -> (regressor);
}

#[cfg(test)]
mod tests {
    use super::METHODS;

    /// Names, order and number are the table's.
    #[test]
    fn methods_are_rows_of_the_table() {
        for (id, name, inputs, outputs) in METHODS {
            let spec = id.spec();
            assert_eq!(spec.name, *name);
            assert_eq!(spec.params.iter().map(|p| p.name).collect::<Vec<_>>(), *inputs);
            assert_eq!(spec.outputs.iter().map(|o| o.name).collect::<Vec<_>>(), *outputs);
        }
    }
}
