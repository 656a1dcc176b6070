//! Results of steps with friction, and what joints have of friction and limits.

use crate::{Error, Loaded, Number, StepDerivatives};
use rbd_runtime::friction::{ContactMode, FrictionIterations, FrictionReport, FrictionResiduals};

/// Results of `friction_step`: the next state, impulses, and how far they are from the laws of contact.
#[derive(Clone, Debug, PartialEq)]
pub struct FrictionStep<T = f64> {
    /// Configuration after the step (nq).
    pub q: Vec<T>,
    /// Velocity after the step (nv).
    pub v: Vec<T>,
    /// Impulses of the world on the robot, row by row, in the world's axes (nr), N s.
    ///
    /// Rows of closed loops are in the axes of the loop's first frame.
    pub impulses: Vec<T>,
    /// Mode of each contact (nc). Closed loops stick.
    pub modes: Vec<ContactMode>,
    /// Residuals of the laws of contact.
    pub residuals: FrictionResiduals<T>,
    /// Numbers of the solver's iterations.
    pub iterations: FrictionIterations,
    /// True if all residuals are at most the tolerance. If not, impulses are in their cones, and the others
    /// are the best that were found.
    pub converged: bool,
}

impl<T: Number> Default for FrictionStep<T> {
    fn default() -> Self {
        Self {
            q: Vec::new(),
            v: Vec::new(),
            impulses: Vec::new(),
            modes: Vec::new(),
            residuals: FrictionResiduals::zero(),
            iterations: FrictionIterations::default(),
            converged: false,
        }
    }
}

impl<T> FrictionStep<T> {
    /// Takes the solver's report: residuals, iterations and convergence.
    pub(super) fn report(&mut self, report: FrictionReport<T>) {
        let FrictionReport { residuals, iterations, converged } = report;
        (self.residuals, self.iterations, self.converged) = (residuals, iterations, converged);
    }
}

/// Results of `friction_step_derivatives`: a step, its derivatives, and whether there are any.
///
/// Each contact keeps its mode. Matrices are by columns.
#[derive(Clone, Debug, PartialEq)]
pub struct FrictionStepDerivatives<T = f64> {
    /// The next state and its derivatives in the tangent spaces of the old and the new state.
    pub step: StepDerivatives<T>,
    /// Derivative of the impulses by the configuration, in its tangent space (nr x nv).
    pub impulses_dq: Vec<T>,
    /// Derivative of the impulses by the velocity (nr x nv).
    pub impulses_dv: Vec<T>,
    /// Derivative of the impulses by the torques (nr x nv), s.
    pub impulses_dtau: Vec<T>,
    /// Results of `friction_step`: impulses, modes, and whether they converged.
    pub contacts: FrictionStep<T>,
    /// Distance of the nearest contact from another mode, without a unit: at zero, there is no derivative.
    pub margin: T,
}

impl<T: Number> Default for FrictionStepDerivatives<T> {
    fn default() -> Self {
        let [impulses_dq, impulses_dv, impulses_dtau] = [(); 3].map(|()| Vec::new());
        let (step, contacts) = (StepDerivatives::default(), FrictionStep::default());
        Self { step, impulses_dq, impulses_dv, impulses_dtau, contacts, margin: T::zero() }
    }
}

/// Dry friction of joints, and their distances from limits, at a configuration.
///
/// [`Loaded::joint_contacts`] writes those of the URDF.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JointContacts<T = f64> {
    /// Largest torque or force of dry friction (nv), N m or N. Zero for none.
    pub friction: Vec<T>,
    /// Distance from the lower limit (nv), rad or m: infinite for none, negative beyond it.
    pub to_lower: Vec<T>,
    /// Distance from the upper limit (nv).
    pub to_upper: Vec<T>,
}

/// Results of `friction_step_with_joints`: a step, and the impulses of friction and limits in joints.
#[derive(Clone, Debug, PartialEq)]
pub struct JointFrictionStep<T = f64> {
    /// The step.
    pub step: FrictionStep<T>,
    /// Impulses of dry friction and limits on the coordinates (nv): N m s, N s.
    ///
    /// Divided by the time of the step they are mean torques.
    pub joints: Vec<T>,
}

/// Results of `friction_step_with_joints_derivatives`: a step, its derivatives, and whether there are any.
///
/// Each contact and each coordinate keeps its mode. Matrices are by columns.
#[derive(Clone, Debug, PartialEq)]
pub struct JointFrictionStepDerivatives<T = f64> {
    /// The next state and its derivatives in the tangent spaces of the old and the new state.
    pub step: StepDerivatives<T>,
    /// Derivative of the contacts' impulses by the configuration, in its tangent space (nr x nv).
    pub impulses_dq: Vec<T>,
    /// Derivative of the contacts' impulses by the velocity (nr x nv).
    pub impulses_dv: Vec<T>,
    /// Derivative of the contacts' impulses by the torques (nr x nv), s.
    pub impulses_dtau: Vec<T>,
    /// Derivative of the impulses on coordinates by the configuration, in its tangent space (nv x nv).
    pub joints_dq: Vec<T>,
    /// Derivative of the impulses on coordinates by the velocity (nv x nv).
    pub joints_dv: Vec<T>,
    /// Derivative of the impulses on coordinates by the torques (nv x nv), s.
    pub joints_dtau: Vec<T>,
    /// Results of `friction_step_with_joints`: impulses, modes, and whether they converged.
    pub contacts: JointFrictionStep<T>,
    /// Distance of the nearest contact or coordinate from another mode, without a unit: at zero, there is no
    /// derivative.
    pub margin: T,
}

impl<T: Number> Default for JointFrictionStepDerivatives<T> {
    fn default() -> Self {
        let [impulses_dq, impulses_dv, impulses_dtau] = [(); 3].map(|()| Vec::new());
        let [joints_dq, joints_dv, joints_dtau] = [(); 3].map(|()| Vec::new());
        Self {
            step: StepDerivatives::default(),
            impulses_dq,
            impulses_dv,
            impulses_dtau,
            joints_dq,
            joints_dv,
            joints_dtau,
            contacts: JointFrictionStep::default(),
            margin: T::zero(),
        }
    }
}

impl<T: Number> Default for JointFrictionStep<T> {
    fn default() -> Self {
        Self { step: FrictionStep::default(), joints: Vec::new() }
    }
}

impl<T: Number> Loaded<T> {
    /// Writes friction and limits of the URDF, at a configuration.
    ///
    /// Joints of several coordinates have none, and neither have continuous and mimic joints.
    ///
    /// # Errors
    /// If `q` does not have the robot's length.
    pub fn joint_contacts(&self, q: &[T], out: &mut JointContacts<T>) -> Result<(), Error> {
        let (expected, given) = (self.nq(), q.len());
        if expected != given {
            return Err(Error::Length { function: "joint_contacts", name: "q", expected, given });
        }
        let infinite = T::from_f64(f64::INFINITY);
        let JointContacts { friction, to_lower, to_upper } = out;
        for (to, nothing) in
            [(&mut *friction, T::zero()), (&mut *to_lower, infinite), (&mut *to_upper, infinite)]
        {
            to.clear();
            to.resize(self.nv(), nothing);
        }
        for joint in self.joints().iter().filter(|joint| joint.nv == 1 && joint.mimic.is_none()) {
            let at = joint.idx_v;
            friction[at] = T::from_f64(joint.friction);
            if joint.nq == 1 {
                let q = q[joint.idx_q];
                to_lower[at] = q - T::from_f64(joint.lower);
                to_upper[at] = T::from_f64(joint.upper) - q;
            }
        }
        Ok(())
    }
}
