//! A loaded robot with its workspace, as `rbd_runtime::AnyRobot`: what compiled robots are too.

use crate::{Error, Id, Loaded, Number, Workspace};
use rbd_runtime::{AnyRobot, Refused};
use std::borrow::Borrow;

/// A loaded robot together with memory for its calls, behind the trait of compiled robots.
///
/// It holds the robot itself, a reference or an `Arc`.
///
/// ```
/// use rbd_jit::{Robot, Runner};
/// use rbd_runtime::AnyRobot;
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let urdf = concat!(env!("CARGO_MANIFEST_DIR"), "/../robots/double_pendulum.urdf");
/// let mut robot: Box<dyn AnyRobot> = Box::new(Runner::new(Robot::from_urdf(urdf).load()?));
/// let (mut q, mut tau) = (vec![0.0; robot.nq()], vec![0.0; robot.nv()]);
/// robot.neutral(&mut q)?;
/// robot.gravity(&q, &mut tau)?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Runner<R, T = f64> {
    robot: R,
    workspace: Workspace<T>,
}

impl<R: Borrow<Loaded<T>>, T: Number> Runner<R, T> {
    /// The robot with a workspace of its own.
    pub fn new(robot: R) -> Self {
        let workspace = robot.borrow().workspace();
        Self { robot, workspace }
    }

    /// The robot.
    pub fn robot(&self) -> &Loaded<T> {
        self.robot.borrow()
    }

    fn parts(&mut self) -> (&Loaded<T>, &mut Workspace<T>) {
        (self.robot.borrow(), &mut self.workspace)
    }
}

/// An error of a call as the trait's.
fn refused(error: Error) -> Refused {
    match error {
        Error::Length { name, expected, given, .. } => Refused::Length { name, expected, given },
        // Of another count is a function that takes gravity or inertias, which the trait has not.
        Error::NotAsked(function) | Error::NotThereYet { function, .. } | Error::Count { function, .. } => {
            Refused::Missing { function }
        }
        other => unreachable!("{other}: the workspace is the robot's"),
    }
}

impl<R: Borrow<Loaded<T>>, T: Number> AnyRobot<T> for Runner<R, T> {
    fn name(&self) -> &str {
        &self.robot().model().name
    }

    fn nq(&self) -> usize {
        self.robot().nq()
    }

    fn nv(&self) -> usize {
        self.robot().nv()
    }

    fn joint_count(&self) -> usize {
        self.robot().joint_names().len()
    }

    fn joint_name(&self, joint: usize) -> Option<&str> {
        self.robot().joint_names().nth(joint)
    }

    fn neutral(&mut self, q: &mut [T]) -> Result<(), Refused> {
        self.robot().neutral(q).map_err(refused)
    }

    fn integrate(&mut self, q: &[T], dv: &[T], out: &mut [T]) -> Result<(), Refused> {
        self.robot().integrate(q, dv, out).map_err(refused)
    }

    fn difference(&mut self, q0: &[T], q1: &[T], out: &mut [T]) -> Result<(), Refused> {
        self.robot().difference(q0, q1, out).map_err(refused)
    }

    fn rnea(&mut self, q: &[T], v: &[T], a: &[T], tau: &mut [T]) -> Result<(), Refused> {
        let (robot, workspace) = self.parts();
        robot.rnea(workspace, q, v, a, tau).map_err(refused)
    }

    fn bias(&mut self, q: &[T], v: &[T], tau: &mut [T]) -> Result<(), Refused> {
        let (robot, workspace) = self.parts();
        robot.bias(workspace, q, v, tau).map_err(refused)
    }

    fn gravity(&mut self, q: &[T], tau: &mut [T]) -> Result<(), Refused> {
        let (robot, workspace) = self.parts();
        robot.gravity(workspace, q, tau).map_err(refused)
    }

    fn aba(&mut self, q: &[T], v: &[T], tau: &[T], ddq: &mut [T]) -> Result<(), Refused> {
        let (robot, workspace) = self.parts();
        robot.aba(workspace, q, v, tau, ddq).map_err(refused)
    }

    fn crba(&mut self, q: &[T], m: &mut [T]) -> Result<(), Refused> {
        let (robot, workspace) = self.parts();
        robot.crba(workspace, q, m).map_err(refused)
    }

    fn minv(&mut self, q: &[T], minv: &mut [T]) -> Result<(), Refused> {
        let (robot, workspace) = self.parts();
        robot.minv(workspace, q, minv).map_err(refused)
    }

    fn rnea_derivatives(
        &mut self,
        q: &[T],
        v: &[T],
        a: &[T],
        tau: &mut [T],
        [dq, dv, da]: [&mut [T]; 3],
    ) -> Result<(), Refused> {
        let (robot, workspace) = self.parts();
        let function = robot.by_id(Id::RneaDerivatives).map_err(refused)?;
        function.call(workspace, &[q, v, a], &mut [tau, dq, dv, da]).map_err(refused)
    }

    fn aba_derivatives(
        &mut self,
        q: &[T],
        v: &[T],
        tau: &[T],
        ddq: &mut [T],
        [dq, dv, dtau]: [&mut [T]; 3],
    ) -> Result<(), Refused> {
        let (robot, workspace) = self.parts();
        let function = robot.by_id(Id::AbaDerivatives).map_err(refused)?;
        function.call(workspace, &[q, v, tau], &mut [ddq, dq, dv, dtau]).map_err(refused)
    }
}
