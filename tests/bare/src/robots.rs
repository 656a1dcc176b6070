//! The robots, and calls of their functions.

use crate::entries::{More, Results, entries, everything, kinematics, second_derivatives};
use rbd_runtime::Mechanism;

macro_rules! robots {
    ($($stem:literal)*) => { $(include!(concat!(env!("RBD_BARE"), "/", $stem, ".rs"));)* };
}
robots! { "double_pendulum" "gripper" "four_bar" "looped" "long" "touching" "euler" "runge" "damped" "driven" }

#[cfg(bare_all)]
robots! { "iiwa14" "hyq" }

#[cfg(bare_all)]
entries! {
    iiwa14_f64: Iiwa14, f64, 7, 7;
    iiwa14_f32: Iiwa14, f32, 7, 7;
    hyq_f64: Hyq, f64, { Hyq::NQ }, { Hyq::NV };
}

entries! {
    double_pendulum_f64: DoublePendulum, f64, 2, 2;
    double_pendulum_f32: DoublePendulum, f32, 2, 2;
    double_pendulum_f64x4: DoublePendulum, rbd_runtime::lanes::F64x4, 2, 2;
    gripper_f64: Gripper, f64, 8, 7;
}

/// Functions with known sines and cosines, some of which compute those of other angles.
#[unsafe(no_mangle)]
pub fn gripper_at_f64(
    q: &nalgebra::SVector<f64, 8>,
    v: &nalgebra::SVector<f64, 7>,
    a: &nalgebra::SVector<f64, 7>,
    out: &mut Results<f64, 8, 7>,
) {
    let at = rbd_runtime::Posture::of(*q);
    out.vectors[0] = Gripper::rnea(&at, v, a);
    Gripper::minv_into(&at, &mut out.matrices[0]);
    Gripper::aba_derivatives_into(&at, v, a, &mut out.aba[0]);
}

type Forces<T> = <Gripper as Mechanism<8, 7>>::Forces<T>;
type Vectors<T> = (nalgebra::SVector<T, 8>, nalgebra::SVector<T, 7>, nalgebra::SVector<T, 7>);

/// Functions of the whole body, of a robot with every kind of joint.
#[unsafe(no_mangle)]
pub fn gripper_kinematics_f64((q, v, a): &Vectors<f64>, out: &mut More<f64, 7>) {
    kinematics::<Gripper, f64, 8, 7>(q, v, a, out);
}

/// Its second derivatives.
#[unsafe(no_mangle)]
pub fn gripper_second_f64((q, v, a): &Vectors<f64>, f: &Forces<f64>, out: &mut More<f64, 7>) {
    second_derivatives::<Gripper, f64, 8, 7>(q, v, a, f, out);
}

type ForcesOnLooped<T> = <Looped as Mechanism<2, 2>>::Forces<T>;

/// Torques, accelerations and the mass matrix by loops over tables.
#[unsafe(no_mangle)]
pub fn looped_f64(
    [q, v, a]: &[nalgebra::SVector<f64, 2>; 3],
    f: &ForcesOnLooped<f64>,
    out: &mut Results<f64, 2, 2>,
) {
    let at = rbd_runtime::Posture::of(*q);
    out.vectors = [
        Looped::rnea(q, v, a),
        Looped::rnea_fext(&at, v, a, f),
        Looped::bias(q, v),
        Looped::gravity(q),
        Looped::aba(q, v, a),
        Looped::aba_fext(&at, v, a, f),
        *q,
    ];
    Looped::crba_into(q, &mut out.matrices[0]);
}

/// What loops over tables solve for column by column, on a chain that is long enough for it.
#[unsafe(no_mangle)]
pub fn long_f64(
    [q, v, tau]: &[nalgebra::SVector<f64, 70>; 3],
    out: &mut rbd_runtime::AbaDerivatives<f64, 70>,
    minv: &mut nalgebra::SMatrix<f64, 70, 70>,
) {
    Long::aba_derivatives_into(q, v, tau, out);
    Long::minv_into(q, minv);
}

/// Everything of contacts and closed loops, whatever is active.
macro_rules! contacts {
    ($($name:ident: $scalar:ty;)*) => { $(
        /// With this scalar.
        #[unsafe(no_mangle)]
        pub fn $name(
            [q, v, tau]: &[nalgebra::SVector<$scalar, 3>; 3],
            active: &[bool; FourBar::NC],
            settings: &rbd_runtime::ContactSettings<$scalar, { FourBar::NC }>,
            out: &mut Contacts<$scalar>,
        ) {
            out.dynamics = FourBar::contact_dynamics(q, v, tau, active, settings);
            out.derivatives = FourBar::contact_dynamics_derivatives(q, v, tau, active, settings);
            out.impulse = FourBar::contact_impulse(q, v, active, settings.mu, settings);
            FourBar::contact_impulse_derivatives_into(
                q, v, active, settings.kp, settings, &mut out.impulse_derivatives,
            );
            // The functions in the contacts' own axes, also in these axes.
            let axes = settings.axes;
            out.tau = FourBar::contact_inverse_dynamics_in(q, v, tau, &out.dynamics.forces, axes);
            out.jacobian = FourBar::contact_jacobian_in(q, active, axes);
            out.delassus = FourBar::delassus_in(q, active, axes);
            out.errors = FourBar::contact_errors(q, active, settings);
            out.placements = FourBar::contact_placements(q);
        }
    )* };
}
contacts! { four_bar_contacts_f64: f64; }

/// Hessians under contacts: of a plane, a loop of points and a loop of planes.
#[unsafe(no_mangle)]
pub fn four_bar_hessian_f64(
    [q, v, tau, lambda]: &[nalgebra::SVector<f64, 3>; 4],
    active: &[bool; FourBar::NC],
    settings: &rbd_runtime::ContactSettings<f64, { FourBar::NC }>,
    kappa: &nalgebra::SVector<f64, ROWS>,
    first: &mut rbd_runtime::ContactDynamicsDerivatives<f64, 3, ROWS>,
    out: &mut rbd_runtime::ContactDynamicsHessian<f64, 3>,
) {
    FourBar::contact_dynamics_hessian_with_first_into(q, v, tau, active, settings, lambda, kappa, first, out);
}

#[cfg(bare_all)]
contacts! { four_bar_contacts_f32: f32; }

/// What contacts with the world have: rows of all of them at once, steps, and steps with friction.
macro_rules! touching {
    ($($name:ident: $scalar:ty;)*) => { $(
        /// With this scalar.
        #[unsafe(no_mangle)]
        pub fn $name(
            [q, v, tau]: &[nalgebra::SVector<$scalar, 2>; 3],
            active: &[bool; Touching::NC],
            settings: &rbd_runtime::ContactSettings<$scalar, { Touching::NC }>,
            surfaces: &[Option<rbd_runtime::ContactSurface<$scalar>>; Touching::NC],
            by: &rbd_runtime::FrictionSettings<$scalar>,
            derivatives: &mut rbd_runtime::ContactDynamicsDerivatives<$scalar, 2, { Touching::CONTACT_ROWS }>,
            last: &mut rbd_runtime::FrictionStep<
                $scalar, 2, 2, { Touching::NC }, { Touching::CONTACT_ROWS },
            >,
            step: &mut rbd_runtime::ContactStepDerivatives<$scalar, 2, 2, { Touching::CONTACT_ROWS }>,
            slid: &mut rbd_runtime::FrictionStepDerivatives<
                $scalar, 2, 2, { Touching::NC }, { Touching::CONTACT_ROWS },
            >,
            (joints, rubbed, worn): (
                &rbd_runtime::JointContacts<$scalar, 2>,
                &mut rbd_runtime::JointFrictionStep<$scalar, 2, 2, { Touching::NC }, { Touching::CONTACT_ROWS }>,
                &mut rbd_runtime::JointFrictionStepDerivatives<
                    $scalar, 2, 2, { Touching::NC }, { Touching::CONTACT_ROWS },
                >,
            ),
        ) -> $scalar {
            let dynamics = Touching::contact_dynamics(q, v, tau, active, settings);
            Touching::contact_dynamics_derivatives_into(q, v, tau, active, settings, derivatives);
            let (jacobian, delassus) = (Touching::contact_jacobian(q, active), Touching::delassus(q, active));
            *last = Touching::friction_step(q, v, tau, settings.kp, surfaces, by, Some(&*last));
            Touching::friction_step_derivatives_into(q, v, tau, settings.kp, surfaces, by, Some(&*last), slid);
            let known = Some(&*rubbed);
            *rubbed = Touching::friction_step_with_joints(q, v, tau, settings.kp, surfaces, joints, by, known);
            let (dt, known) = (settings.kp, Some(&*rubbed));
            Touching::friction_step_with_joints_derivatives_into(q, v, tau, dt, surfaces, joints, by, known, worn);
            let next = Touching::contact_step(q, v, tau, settings.kd, active, settings);
            Touching::contact_step_derivatives_into(q, v, tau, settings.kd, active, settings, step);
            dynamics.ddq.sum() + jacobian.sum() + delassus.sum() + next.q.sum() + next.v.sum()
        }
    )* };
}
touching! { touching_f64: f64; }
#[cfg(bare_all)]
touching! { touching_f32: f32; }

/// Steps of a robot with every joint kind, their derivatives and Hessians, and a rollout there and back.
macro_rules! steps {
    ($($name:ident: $robot:ident;)*) => { $(
        /// By this robot's integrator.
        #[unsafe(no_mangle)]
        pub fn $name(
            q: &nalgebra::SVector<f64, { $robot::NQ }>,
            [v, tau]: &[nalgebra::SVector<f64, { $robot::NV }>; 2],
            dt: f64,
            states: &mut [rbd_runtime::Step<f64, { $robot::NQ }, { $robot::NV }>],
            vectors: [&mut [nalgebra::SVector<f64, { $robot::NV }>]; 2],
            gradient: &mut [(nalgebra::SVector<f64, { $robot::NV }>, nalgebra::SVector<f64, { $robot::NV }>)],
            out: &mut rbd_runtime::StepDerivatives<f64, { $robot::NQ }, { $robot::NV }>,
            hessian: &mut rbd_runtime::StepHessian<f64, { $robot::NV }>,
        ) -> f64 {
            use rbd_runtime::DiscreteDynamics;
            let [controls, by_controls] = vectors;
            let next = $robot::step(q, v, tau, dt);
            $robot::step_derivatives_into(q, v, tau, dt, out);
            $robot::step_hessian_into(q, v, tau, dt, v, tau, hessian);
            $robot::rollout(q, v, controls, dt, states);
            $robot::rollout_sensitivity(q, v, controls, dt, (v, tau, &*by_controls), states, gradient);
            let (by_q, by_v) = $robot::rollout_adjoint(q, v, controls, dt, states, gradient, by_controls);
            next.q.sum() + next.v.sum() + by_q.sum() + by_v.sum()
        }
    )* };
}
steps! { euler_steps_f64: Euler; runge_steps_f64: Runge; damped_steps_f64: Damped; }

/// Steps under controls of some joints.
#[unsafe(no_mangle)]
pub fn damped_controls_f64(
    q: &nalgebra::SVector<f64, { Damped::NQ }>,
    v: &nalgebra::SVector<f64, { Damped::NV }>,
    u: &nalgebra::SVector<f64, { Damped::NU }>,
    dt: f64,
    out: &mut rbd_runtime::ActuatedStepDerivatives<f64, { Damped::NQ }, { Damped::NV }, { Damped::NU }>,
    hessian: &mut rbd_runtime::ActuatedStepHessian<f64, { Damped::NV }, { Damped::NU }>,
) {
    *out = Damped::actuated_step_derivatives(q, v, u, dt);
    *hessian = Damped::actuated_step_hessian(q, v, u, dt, v, v);
}

type Pair = (nalgebra::SVector<f64, 2>, nalgebra::SVector<f64, 2>);

/// Steps under contacts and rollouts, of controls of some joints, and with gravity at run time.
#[unsafe(no_mangle)]
pub fn driven_steps_f64(
    given: &DrivenParameters<f64>,
    ([q, v, tau], u): (&[nalgebra::SVector<f64, 2>; 3], &nalgebra::SVector<f64, 1>),
    settings: &rbd_runtime::ContactSettings<f64, 1>,
    ([torques, by_torques], [controls, by_controls]): (
        [&mut [nalgebra::SVector<f64, 2>]; 2],
        [&mut [nalgebra::SVector<f64, 1>]; 2],
    ),
    states: &mut [rbd_runtime::Step<f64, 2, 2>],
    [gradient, changes]: [&mut [Pair]; 2],
    held: &mut rbd_runtime::ContactStepDerivatives<f64, 2, 2, 3>,
    driven: &mut rbd_runtime::ActuatedContactStepDerivatives<f64, 2, 2, 1, 3>,
    hessian: &mut rbd_runtime::StepHessian<f64, 2>,
) -> f64 {
    use rbd_runtime::{ActuatedSteps, StepsWithParameters};
    let dt = settings.mu;
    Driven::contact_step_derivatives_with_into(given, q, v, tau, dt, &[true], settings, held);
    Driven::contact_step_hessian_into(q, v, tau, dt, &[true], settings, v, tau, hessian);
    *driven = Driven::actuated_contact_step_derivatives(q, v, u, dt, &[true], settings);
    let next = [
        Driven::contact_step_with(given, q, v, tau, dt, &[true], settings),
        Driven::actuated_contact_step(q, v, u, dt, &[true], settings),
    ];
    Driven::rollout_with(given, q, v, torques, dt, states);
    let along = (v, tau, &*by_torques);
    Driven::rollout_sensitivity_with(given, q, v, torques, dt, along, states, changes);
    let by_first = Driven::rollout_adjoint_with(given, q, v, torques, dt, states, gradient, by_torques);
    Driven::actuated_rollout(q, v, controls, dt, states);
    let along = (v, tau, &*by_controls);
    Driven::actuated_rollout_sensitivity(q, v, controls, dt, along, states, changes);
    let again = Driven::actuated_rollout_adjoint(q, v, controls, dt, states, gradient, by_controls);
    next.iter().map(|next| next.v.sum()).sum::<f64>() + by_first.0.sum() + again.1.sum()
}

const ROWS: usize = FourBar::CONTACT_ROWS;

/// What these write.
#[derive(Debug)]
pub struct Contacts<T> {
    dynamics: rbd_runtime::ContactDynamics<T, 3, ROWS>,
    derivatives: rbd_runtime::ContactDynamicsDerivatives<T, 3, ROWS>,
    impulse: rbd_runtime::ContactImpulse<T, 3, ROWS>,
    impulse_derivatives: rbd_runtime::ContactImpulseDerivatives<T, 3, ROWS>,
    tau: nalgebra::SVector<T, 3>,
    jacobian: nalgebra::SMatrix<T, ROWS, 3>,
    delassus: nalgebra::SMatrix<T, ROWS, ROWS>,
    errors: nalgebra::SVector<T, ROWS>,
    placements: [rbd_runtime::spatial::Placement<T>; FourBar::NC],
}

/// A panic that the test must find.
#[unsafe(no_mangle)]
pub fn panics_beyond_three(x: &[f64; 3], i: usize) -> f64 {
    x[i]
}

/// Panic handler of a machine without an operating system. The test shows that it is never called.
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}
