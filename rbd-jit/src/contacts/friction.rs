//! Steps with friction, on slices: the runtime's steps, in matrices of the sizes that contacts have.

use super::Contacts;
use super::at::At;
use super::call::{padded, put};
use super::sizes::OfSize;
use crate::stack::with_stack;
use crate::steps::{check, moving_joints};
use crate::{Error, Loaded, Number, Parameters, Workspace};
use nalgebra::{SMatrix, SVector};
use rbd_build::signature::Sizes;
use rbd_runtime::ContactKind;
use rbd_runtime::contact::{
    FrictionDerivativesOut, FrictionVelocities, friction_step, friction_step_derivatives,
    friction_step_with_joints, friction_step_with_joints_derivatives,
};
use rbd_runtime::friction::{
    ContactMode, ContactSurface, FrictionIterations, FrictionReport, FrictionResiduals, FrictionSettings,
    JointContacts,
};
use rbd_runtime::step::move_on;
use std::cell::RefCell;

/// Arguments of a step with friction.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct FrictionGiven<'a, T> {
    /// Configuration.
    pub q: &'a [T],
    /// Velocity.
    pub v: &'a [T],
    /// Torques.
    pub tau: &'a [T],
    /// Time, s.
    pub dt: T,
    /// Surface that each contact meets.
    pub surfaces: &'a [Option<ContactSurface<T>>],
    /// Settings of the step and its solver.
    pub settings: &'a FrictionSettings<T>,
    /// Impulses of the last step, from which the solver begins.
    pub start: Option<&'a [T]>,
}

/// Results of a step with friction.
#[doc(hidden)]
#[derive(Debug)]
pub struct FrictionOut<'a, T> {
    /// Configuration.
    pub q: &'a mut [T],
    /// Velocity.
    pub v: &'a mut [T],
    /// Impulses.
    pub impulses: &'a mut [T],
    /// Modes.
    pub modes: &'a mut [ContactMode],
    /// Further results beside the step.
    pub more: FrictionMore<'a, T>,
}

/// Further results of a step with friction.
#[doc(hidden)]
#[derive(Debug)]
pub enum FrictionMore<'a, T> {
    /// Nothing.
    Nothing,
    /// Derivatives. Matrices are by columns.
    Derivatives {
        /// Derivatives of the next configuration by q, v and tau, then of the next velocity, then of the
        /// impulses.
        blocks: [&'a mut [T]; 9],
        /// Distance from another mode.
        margin: &'a mut T,
    },
    /// Friction and limits of joints.
    Joints(FrictionJoints<'a, T>),
    /// Friction and limits of joints, and derivatives.
    JointDerivatives {
        /// The joints.
        joints: FrictionJoints<'a, T>,
        /// Derivatives as in [`Self::Derivatives`], then those of the impulses on the coordinates.
        blocks: [&'a mut [T]; 12],
        /// Distance from another mode.
        margin: &'a mut T,
    },
}

/// Friction and limits of joints in a step, and where their impulses go.
#[doc(hidden)]
#[derive(Debug)]
pub struct FrictionJoints<'a, T> {
    /// Largest dry friction, and distances from the lower and the upper limits.
    pub given: [&'a [T]; 3],
    /// Impulses of the last step on the coordinates.
    pub start: Option<&'a [T]>,
    /// Impulses on the coordinates.
    pub impulses: &'a mut [T],
}

impl<T: Number> FrictionJoints<'_, T> {
    /// Friction and limits, and the impulses from which the solver begins, of as many coordinates as the
    /// matrices have. Those beyond the robot's have neither friction nor limits.
    fn padded<const NV: usize>(&self) -> (JointContacts<T, NV>, SVector<T, NV>) {
        let mut joints = JointContacts::<T, NV>::none();
        let all = [&mut joints.friction, &mut joints.to_lower, &mut joints.to_upper];
        for (to, from) in all.into_iter().zip(self.given) {
            to.as_mut_slice()[..from.len()].copy_from_slice(from);
        }
        (joints, self.start.map_or_else(SVector::zeros, padded::<T, NV>))
    }

    /// Why the lengths of what is given do not fit this many coordinates.
    fn check(&self, function: &'static str, nv: usize) -> Result<(), Error> {
        let [friction, to_lower, to_upper] = self.given;
        let lengths = [
            ("friction", nv, friction.len()),
            ("to_lower", nv, to_lower.len()),
            ("to_upper", nv, to_upper.len()),
            ("last.joints", nv, self.start.map_or(nv, <[T]>::len)),
            ("joints", nv, self.impulses.len()),
        ];
        check(function, lengths)
    }
}

/// Why the lengths of matrices do not fit: those of states, of impulses, and of impulses on coordinates.
fn check_blocks<T>(
    function: &'static str,
    (nv, nr): (usize, usize),
    blocks: &[&mut [T]],
) -> Result<(), Error> {
    for (k, block) in blocks.iter().enumerate() {
        let rows = if (6..9).contains(&k) { nr } else { nv };
        check(function, [("derivatives", rows * nv, block.len())])?;
    }
    Ok(())
}

impl<T> FrictionMore<'_, T> {
    /// Name of the function.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Nothing => "friction_step",
            Self::Derivatives { .. } => "friction_step_derivatives",
            Self::Joints(_) => "friction_step_with_joints",
            Self::JointDerivatives { .. } => "friction_step_with_joints_derivatives",
        }
    }
}

/// A step with friction, with arguments and results that fit.
#[derive(Debug)]
pub struct FrictionCall<'a, 'o, T: Number> {
    robot: &'a Loaded<T>,
    contacts: &'a Contacts,
    parameters: Parameters<'a, T>,
    work: &'a mut [T],
    given: FrictionGiven<'a, T>,
    out: FrictionOut<'o, T>,
}

impl<T: Number> FrictionCall<'_, '_, T> {
    /// Computes the step by matrices of the robot's size. [`Number::friction`] calls it, so that it is
    /// compiled in this crate and not again in those that use it.
    #[inline(always)]
    pub fn solve(self) -> FrictionReport<T> {
        // Robots have no contacts then, and nothing below is compiled.
        if !cfg!(feature = "contacts") {
            let (residuals, iterations) = (FrictionResiduals::zero(), FrictionIterations::default());
            return FrictionReport { residuals, iterations, converged: false };
        }
        let compiled = self.contacts.compiled;
        let stack = match self.out.more {
            FrictionMore::Nothing => compiled.stack_with_friction::<T>(),
            FrictionMore::Derivatives { .. } => compiled.stack_of_friction_derivatives::<T>(),
            FrictionMore::Joints(_) => compiled.stack_with_joints::<T>(),
            FrictionMore::JointDerivatives { .. } => compiled.stack_of_joint_derivatives::<T>(),
        };
        with_stack(stack, || compiled.call::<T, _>(self))
    }

    /// The robot, for matrices of these sizes.
    fn at<const NC: usize>(&mut self) -> At<'_, T, NC> {
        At {
            robot: self.robot,
            contacts: self.contacts,
            tables: self.contacts.tables[..].try_into().expect("there are as many"),
            q: self.given.q,
            parameters: self.parameters,
            work: RefCell::new(&mut *self.work),
        }
    }

    /// Surfaces of as many contacts as the matrices have.
    fn surfaces<const NC: usize>(&self) -> [Option<ContactSurface<T>>; NC] {
        let mut surfaces = [None; NC];
        surfaces[..self.given.surfaces.len()].copy_from_slice(self.given.surfaces);
        surfaces
    }

    /// Writes the next state, impulses and modes.
    fn write<const NV: usize, const NC: usize, const NR: usize>(
        &mut self,
        found: &FrictionVelocities<T, NV, NC, NR>,
    ) -> FrictionReport<T> {
        let Sizes { nv, nr, nc, .. } = self.contacts.sizes;
        let out = &mut self.out;
        self.robot.rounded().integrate_into(self.given.q, &found.motion.as_slice()[..nv], out.q);
        out.v.copy_from_slice(&found.v.as_slice()[..nv]);
        out.impulses.copy_from_slice(&found.impulses.as_slice()[..nr]);
        out.modes.copy_from_slice(&found.modes[..nc]);
        found.report
    }

    /// Writes derivatives of the next state and of impulses.
    fn write_derivatives<const NV: usize, const NR: usize>(
        (robot, contacts): (&Loaded<T>, &Contacts),
        along: (&[T], T),
        v: [&SMatrix<T, NV, NV>; 3],
        impulses: [&SMatrix<T, NR, NV>; 3],
        blocks: &mut [&mut [T]; 12],
    ) {
        let Sizes { nv, nr, .. } = contacts.sizes;
        let [dq_dq, dq_dv, dq_dtau, dv_dq, dv_dv, dv_dtau, f_by_q, f_by_v, f_by_tau, ..] = blocks;
        for (from, to) in v.into_iter().zip([&mut *dv_dq, &mut *dv_dv, &mut *dv_dtau]) {
            put(from, (nv, nv), to);
        }
        for (from, to) in impulses.into_iter().zip([f_by_q, f_by_v, f_by_tau]) {
            put(from, (nr, nv), to);
        }
        let joints = moving_joints(robot.model());
        move_on(joints, along, [dv_dq, dv_dv, dv_dtau], [dq_dq, dq_dv, dq_dtau]);
    }
}

impl<T: Number> OfSize for FrictionCall<'_, '_, T> {
    type Output = FrictionReport<T>;

    #[inline(never)]
    fn call<const NV: usize, const NC: usize, const NR: usize, const NA: usize>(self) -> FrictionReport<T> {
        match self.out.more {
            FrictionMore::Nothing => step_alone::<T, NV, NC, NR>(self),
            FrictionMore::Derivatives { .. } => derivatives::<T, NV, NC, NR>(self),
            FrictionMore::Joints(_) => with_joints::<T, NV, NC, NR, NA>(self),
            FrictionMore::JointDerivatives { .. } => joint_derivatives::<T, NV, NC, NR, NA>(self),
        }
    }
}

// Each has large matrices on the stack, which the others are not to take as well.
#[inline(never)]
fn step_alone<T: Number, const NV: usize, const NC: usize, const NR: usize>(
    mut call: FrictionCall<'_, '_, T>,
) -> FrictionReport<T> {
    let FrictionGiven { v, tau, dt, settings, start, .. } = call.given;
    let ([v, tau], start) = ([v, tau].map(padded::<T, NV>), start.map(padded::<T, NR>));
    let surfaces = call.surfaces();
    // Only derivatives read the entries that may be nonzero.
    let at: At<'_, T, NC> = call.at();
    let found =
        friction_step::<_, _, NV, _, NC, NR>(&at, (&v, &tau, dt), &surfaces, settings, start.as_ref());
    call.write(&found)
}

#[inline(never)]
fn derivatives<T: Number, const NV: usize, const NC: usize, const NR: usize>(
    mut call: FrictionCall<'_, '_, T>,
) -> FrictionReport<T> {
    let FrictionGiven { v, tau, dt, settings, start, .. } = call.given;
    let ([v, tau], start) = ([v, tau].map(padded::<T, NV>), start.map(padded::<T, NR>));
    let surfaces = call.surfaces();
    let [mut v_dq, mut v_dv, mut v_dtau] = [SMatrix::<T, NV, NV>::zeros(); 3];
    let [mut f_dq, mut f_dv, mut f_dtau] = [SMatrix::<T, NR, NV>::zeros(); 3];
    let at: At<'_, T, NC> = call.at();
    let out = FrictionDerivativesOut {
        v: [&mut v_dq, &mut v_dv, &mut v_dtau],
        impulses: [&mut f_dq, &mut f_dv, &mut f_dtau],
    };
    let state = (&v, &tau, dt);
    let (found, of_modes) = friction_step_derivatives(&at, state, &surfaces, settings, start.as_ref(), out);
    let report = call.write(&found);
    let of = (call.robot, call.contacts);
    if let FrictionMore::Derivatives { blocks, margin } = &mut call.out.more {
        let along = (&found.motion.as_slice()[..of.1.sizes.nv], dt);
        let [a, b, c, d, e, f, g, h, i] = blocks;
        let mut blocks = [&mut **a, b, c, d, e, f, g, h, i, &mut [], &mut [], &mut []];
        let (v, impulses) = ([&v_dq, &v_dv, &v_dtau], [&f_dq, &f_dv, &f_dtau]);
        FrictionCall::write_derivatives(of, along, v, impulses, &mut blocks);
        **margin = of_modes;
    }
    report
}

#[inline(never)]
fn joint_derivatives<T: Number, const NV: usize, const NC: usize, const NR: usize, const NA: usize>(
    mut call: FrictionCall<'_, '_, T>,
) -> FrictionReport<T> {
    let FrictionGiven { v, tau, dt, settings, start, .. } = call.given;
    let ([v, tau], start) = ([v, tau].map(padded::<T, NV>), start.map(padded::<T, NR>));
    let surfaces = call.surfaces();
    let (mut joints, mut of_joints) = (JointContacts::<T, NV>::none(), SVector::zeros());
    if let FrictionMore::JointDerivatives { joints: given, .. } = &call.out.more {
        (joints, of_joints) = given.padded();
    }
    let start = start.as_ref().map(|start| (start, &of_joints));
    let [mut v_dq, mut v_dv, mut v_dtau] = [SMatrix::<T, NV, NV>::zeros(); 3];
    let [mut f_dq, mut f_dv, mut f_dtau] = [SMatrix::<T, NR, NV>::zeros(); 3];
    let mut by_joints = [SMatrix::<T, NV, NV>::zeros(); 3];
    let at: At<'_, T, NC> = call.at();
    let out = FrictionDerivativesOut {
        v: [&mut v_dq, &mut v_dv, &mut v_dtau],
        impulses: [&mut f_dq, &mut f_dv, &mut f_dtau],
    };
    let (state, out) = ((&v, &tau, dt), (out, by_joints.each_mut()));
    let (found, on_joints, of_modes) = friction_step_with_joints_derivatives::<_, _, NV, _, NC, NR, NA>(
        &at, state, &surfaces, &joints, settings, start, out,
    );
    let report = call.write(&found);
    let of = (call.robot, call.contacts);
    if let FrictionMore::JointDerivatives { joints, blocks, margin } = &mut call.out.more {
        let nv = of.1.sizes.nv;
        joints.impulses.copy_from_slice(&on_joints.as_slice()[..nv]);
        let along = (&found.motion.as_slice()[..nv], dt);
        let (v, impulses) = ([&v_dq, &v_dv, &v_dtau], [&f_dq, &f_dv, &f_dtau]);
        FrictionCall::write_derivatives(of, along, v, impulses, blocks);
        for (from, to) in by_joints.iter().zip(&mut blocks[9..]) {
            put(from, (nv, nv), to);
        }
        **margin = of_modes;
    }
    report
}

#[inline(never)]
fn with_joints<T: Number, const NV: usize, const NC: usize, const NR: usize, const NA: usize>(
    mut call: FrictionCall<'_, '_, T>,
) -> FrictionReport<T> {
    let FrictionGiven { v, tau, dt, settings, start, .. } = call.given;
    let ([v, tau], start) = ([v, tau].map(padded::<T, NV>), start.map(padded::<T, NR>));
    let surfaces = call.surfaces();
    let (mut joints, mut of_joints) = (JointContacts::<T, NV>::none(), SVector::zeros());
    if let FrictionMore::Joints(given) = &call.out.more {
        (joints, of_joints) = given.padded();
    }
    let at: At<'_, T, NC> = call.at();
    let (found, on_joints) = friction_step_with_joints::<_, _, NV, _, NC, NR, NA>(
        &at,
        (&v, &tau, dt),
        &surfaces,
        &joints,
        settings,
        start.as_ref().map(|start| (start, &of_joints)),
    );
    let report = call.write(&found);
    if let FrictionMore::Joints(FrictionJoints { impulses, .. }) = &mut call.out.more {
        impulses.copy_from_slice(&on_joints.as_slice()[..call.contacts.sizes.nv]);
    }
    report
}

impl<T: Number> Loaded<T> {
    /// Why the robot has no step with friction, if it has none.
    ///
    /// # Errors
    /// If the robot was loaded without contacts, or one of them is a plane.
    pub fn friction_is_there(&self) -> Result<(), Error> {
        let contacts = self.contacts_for("friction_step")?;
        // A closed loop is held, of whatever kind it is.
        let is_plane = |of: &&super::Contact| of.kind == ContactKind::Plane && of.second.is_none();
        let plane = contacts.all().iter().find(is_plane);
        plane.map_or(Ok(()), |contact| Err(Error::Plane(contact.name.clone())))
    }
}

/// Computes a step of a robot with these inertias and this gravity.
pub(super) fn step<T: Number>(
    (robot, parameters): (&Loaded<T>, Parameters<'_, T>),
    workspace: &mut Workspace<T>,
    given: FrictionGiven<'_, T>,
    out: FrictionOut<'_, T>,
) -> Result<FrictionReport<T>, Error> {
    let function = out.more.name();
    let contacts = robot.contacts_for(function)?;
    robot.friction_is_there()?;
    let parameters = robot.own().unless(function, parameters)?;
    let Sizes { nq, nv, nr, nc, .. } = contacts.sizes;
    let lengths = [
        ("q", nq, given.q.len()),
        ("v", nv, given.v.len()),
        ("tau", nv, given.tau.len()),
        ("surfaces", nc, given.surfaces.len()),
        ("last.impulses", nr, given.start.map_or(nr, <[T]>::len)),
        ("next q", nq, out.q.len()),
        ("next v", nv, out.v.len()),
        ("impulses", nr, out.impulses.len()),
        ("modes", nc, out.modes.len()),
    ];
    check(function, lengths)?;
    match &out.more {
        FrictionMore::Nothing => {}
        FrictionMore::Derivatives { blocks, .. } => check_blocks(function, (nv, nr), blocks)?,
        FrictionMore::Joints(joints) => joints.check(function, nv)?,
        FrictionMore::JointDerivatives { joints, blocks, .. } => {
            joints.check(function, nv)?;
            check_blocks(function, (nv, nr), blocks)?;
        }
    }
    let work = workspace.memory();
    if work.len() < robot.work_of_functions() {
        return Err(Error::Workspace(function));
    }
    Ok(T::friction(FrictionCall { robot, contacts, parameters, work, given, out }))
}
