//! An arm under computed torque in the viewer rerun (<https://rerun.io>): joints, skeleton, centre of
//! mass, torques, energies and the error of the controller.
//!
//! ```sh
//! cargo run --release --manifest-path examples/rerun/Cargo.toml -- arm.rrd
//! pip install rerun-sdk==0.36.3 && rerun arm.rrd
//! ```
//!
//! The arm begins beside its curve, and is pushed at the wrist for a fifth of a second.

use rbd::ReferenceFrame::LocalWorldAligned;
use rbd::nalgebra::{Matrix3, SVector, Vector3};
use rerun::{LineStrips3D, Points3D, RecordingStream, Scalars, SeriesLines, Transform3D, TransformAxes3D};

rbd::rbd_robot! {
    /// KUKA LBR iiwa 14.
    pub struct Iiwa14 {
        urdf: "../../robots/iiwa14.urdf",
        functions: [rnea, aba, forward_kinematics, frame_jacobian, center_of_mass, kinetic_energy, potential_energy],
        frames: ["iiwa_link_6"],
    }
}

const N: usize = Iiwa14::NV;
type Vector = SVector<f64, N>;

/// Seconds of a step and of the whole; steps between two that are logged.
const STEP: f64 = 1e-3;
const SECONDS: f64 = 4.0;
const EVERY: usize = 10;
/// When the wrist is pushed by 60 N along the world's y.
const PUSH: std::ops::Range<f64> = 2.0..2.2;

/// Configuration, velocity and acceleration of the curve: each joint swings at its own speed.
fn curve(t: f64) -> [Vector; 3] {
    let rate = |i: usize| 1.0 + 0.2 * i as f64;
    [
        Vector::from_fn(|i, _| 0.5 * (rate(i) * t).sin()),
        Vector::from_fn(|i, _| 0.5 * rate(i) * (rate(i) * t).cos()),
        Vector::from_fn(|i, _| -0.5 * rate(i) * rate(i) * (rate(i) * t).sin()),
    ]
}

fn single(x: &Vector3<f64>) -> [f32; 3] {
    [x.x as f32, x.y as f32, x.z as f32]
}

/// Columns of a rotation.
fn columns(r: &Matrix3<f64>) -> [[f32; 3]; 3] {
    [0, 1, 2].map(|k| single(&r.column(k).into_owned()))
}

/// Logs a state under names that the viewer makes a tree of.
fn log(
    to: &RecordingStream,
    q: &Vector,
    v: &Vector,
    tau: &Vector,
    error: f64,
) -> rerun::RecordingStreamResult<()> {
    let poses = Iiwa14::forward_kinematics(q);
    let bones = Iiwa14::JOINTS.iter().zip(&poses).map(|(joint, pose)| {
        let from = joint.parent.map_or([0.0; 3], |parent| single(&poses[parent].translation));
        [from, single(&pose.translation)]
    });
    to.log("world/skeleton", &LineStrips3D::new(bones).with_radii([0.02]))?;
    let com = Iiwa14::center_of_mass(q);
    to.log("world/centre_of_mass", &Points3D::new([single(&com)]).with_radii([0.03]))?;
    for (joint, pose) in Iiwa14::JOINTS.iter().zip(&poses) {
        let at = Transform3D::from_translation_mat3x3(single(&pose.translation), columns(&pose.rotation));
        to.log(format!("world/joints/{}", joint.name), &at)?;
    }
    to.log("torques", &Scalars::new(tau.iter().copied()))?;
    to.log("error", &Scalars::single(error))?;
    to.log("energies", &Scalars::new([Iiwa14::kinetic_energy(q, v), Iiwa14::potential_energy(q)]))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "arm.rrd".into());
    let to = rerun::RecordingStreamBuilder::new("rbd").save(&path)?;
    to.log_static("world", &rerun::ViewCoordinates::RIGHT_HAND_Z_UP())?;
    for joint in Iiwa14::JOINTS {
        to.log_static(format!("world/joints/{}", joint.name), &TransformAxes3D::new(0.1))?;
    }
    to.log_static("torques", &SeriesLines::new().with_names(Iiwa14::JOINTS.map(|joint| joint.name)))?;
    to.log_static("error", &SeriesLines::new().with_names(["largest error of a joint, rad"]))?;
    to.log_static("energies", &SeriesLines::new().with_names(["kinetic, J", "potential, J"]))?;

    let (mut q, mut v) = (Vector::repeat(0.2), Vector::zeros());
    let (mut pushed, mut last) = (0.0_f64, 0.0);
    for k in 0..(SECONDS / STEP) as usize {
        let t = k as f64 * STEP;
        let [q_wanted, v_wanted, a_wanted] = curve(t);
        let a = a_wanted + (v_wanted - v) * 40.0 + (q_wanted - q) * 400.0;
        let tau = Iiwa14::rnea(&q, &v, &a);
        last = (q - q_wanted).amax();
        if PUSH.contains(&t) {
            pushed = pushed.max(last);
        }
        if k % EVERY == 0 {
            to.set_duration_secs("time", t);
            log(&to, &q, &v, &tau, last)?;
        }
        // The world's push acts on the arm, and the controller does not know it.
        let force = Vector3::y() * if PUSH.contains(&t) { 60.0 } else { 0.0 };
        let jacobian = Iiwa14::frame_jacobian(&q, Iiwa14Frame::IiwaLink6, LocalWorldAligned);
        let external = jacobian.fixed_rows::<3>(0).tr_mul(&force);
        v += Iiwa14::aba(&q, &v, &(tau + external)) * STEP;
        q += v * STEP;
    }
    to.flush_blocking()?;
    println!(
        "{path}: pushed {pushed:.3} rad off the curve, {last:.1e} rad at the end; open it by `rerun {path}`"
    );
    assert!(pushed > 0.01 && last < 2e-3);
    Ok(())
}
