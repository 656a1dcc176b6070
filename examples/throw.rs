//! A box is thrown onto a table so that it comes to rest at a place and an angle: `cargo run --release
//! --example throw`; `tools/plot_examples.py throw` draws `docs/throw.svg`.
//!
//! The box lands on a corner, falls onto the others, and slides until friction stops it. Newton's method
//! finds the velocity to throw it with. Its Jacobian is the product of the matrices of all steps
//! (`friction_step_derivatives`), which goes through impacts and sliding. Central differences of whole
//! throws are printed beside it.
//!
//! The corners are a little compliant. Four rigid ones share the weight in many ways, and how the box turns
//! depends on which.

mod curves;
mod recording;

use curves::{Curve, Panel};
use nalgebra::{Matrix3, SMatrix, SVector, UnitQuaternion, Vector3};
use rbd::{ContactMode, ContactSurface, FrictionSettings};
use recording::Recording;

// 0.4 m long, 0.2 m wide and 0.1 m high.
rbd::rbd_robot! {
    pub struct Block {
        urdf: "tests/friction/block.urdf",
        base: floating,
        functions: [crba],
        frames: {
            "a": { link: "block", xyz: [0.2, 0.1, -0.05] },
            "b": { link: "block", xyz: [0.2, -0.1, -0.05] },
            "c": { link: "block", xyz: [-0.2, 0.1, -0.05] },
            "d": { link: "block", xyz: [-0.2, -0.1, -0.05] },
        },
        contacts: ["a", "b", "c", "d"],
    }
}

const STEP: f64 = 2e-3;
const SECONDS: f64 = 1.4;
const FRICTION: f64 = 0.4;
/// Compliance of the corners, 1/kg.
const COMPLIANCE: f64 = 1e-2;
/// Where it is to come to rest: x and y, m, and the angle about the vertical, rad.
const TARGET: Vector3<f64> = Vector3::new(0.9, 0.3, 1.2);

/// Derivatives of a state, in its tangent space, by the three numbers that a throw has.
type Columns = SMatrix<f64, 6, 3>;

/// A throw and where it ends.
struct Thrown {
    /// x and y, m, and the angle about the vertical, rad.
    end: Vector3<f64>,
    /// The derivative of the end by the throw.
    by_throw: Matrix3<f64>,
    /// Time, x, and the angle.
    path: Vec<(f64, f64, f64)>,
    /// Steps in which corners met the table, slid on it, and stuck.
    modes: [usize; 3],
    /// The largest velocity at the end.
    speed: f64,
    recording: Recording,
}

fn angle(q: &SVector<f64, 7>) -> f64 {
    UnitQuaternion::from_quaternion(nalgebra::Quaternion::new(q[6], q[3], q[4], q[5])).euler_angles().2
}

/// Throws the box with velocities along x and y, m/s, and about the vertical, rad/s.
fn throw(with: &Vector3<f64>) -> Thrown {
    let turned = UnitQuaternion::from_euler_angles(0.02, 0.1, 0.0).coords;
    let mut q = SVector::from([0.0, 0.0, 0.2, turned.x, turned.y, turned.z, turned.w]);
    let mut v = SVector::from([with[0], with[1], 0.0, 0.0, 0.0, with[2]]);
    // Nothing of the start's configuration depends on the throw.
    let (mut dq, mut dv) = (Columns::zeros(), Columns::zeros());
    for (column, row) in [0, 1, 5].into_iter().enumerate() {
        dv[(row, column)] = 1.0;
    }
    let (settings, mut last) = (FrictionSettings::default(), None);
    let (mut path, mut modes, mut recording) = (Vec::new(), [0; 3], Recording::default());
    for k in 0..(SECONDS / STEP) as usize {
        let t = k as f64 * STEP;
        path.push((t, q[0], angle(&q)));
        recording.add(t, q.as_slice(), v.as_slice());
        let table = Block::contact_placements(&q).map(|corner| {
            Some(ContactSurface::ground(corner.translation.z, FRICTION).with_compliance(COMPLIANCE))
        });
        let of = Block::friction_step_derivatives(
            &q,
            &v,
            &SVector::zeros(),
            STEP,
            &table,
            &settings,
            last.as_ref(),
        );
        assert!(of.contacts.converged, "{:?}", of.contacts.residuals);
        (dq, dv) = (of.step.dq_dq * dq + of.step.dq_dv * dv, of.step.dv_dq * dq + of.step.dv_dv * dv);
        for (count, mode) in modes.iter_mut().zip([ContactMode::Open, ContactMode::Slide, ContactMode::Stick])
        {
            *count += usize::from(of.contacts.modes.contains(&mode));
        }
        (q, v, last) = (of.step.q, of.step.v, Some(of.contacts));
    }
    // Changes of q are in the box's axes. At rest its vertical axis is the table's.
    let turned = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), angle(&q)).to_rotation_matrix();
    let place = turned.matrix() * dq.fixed_rows::<3>(0);
    let mut by_throw = Matrix3::zeros();
    by_throw.fixed_rows_mut::<2>(0).copy_from(&place.fixed_rows::<2>(0));
    by_throw.fixed_rows_mut::<1>(2).copy_from(&dq.fixed_rows::<1>(5));
    let end = Vector3::new(q[0], q[1], angle(&q));
    Thrown { end, by_throw, path, modes, speed: v.amax(), recording }
}

fn main() -> std::io::Result<()> {
    let mut with = Vector3::new(1.5, 0.2, 1.0);
    let mut throws: Vec<Thrown> = Vec::new();
    loop {
        let thrown = throw(&with);
        let error = TARGET - thrown.end;
        println!(
            "throw {}: {:.4} and {:.4} m/s, {:.4} rad/s; comes to rest {:.1e} m and {:.1e} rad away",
            throws.len(),
            with[0],
            with[1],
            with[2],
            error.xy().norm(),
            error[2].abs()
        );
        let change = thrown.by_throw.lu().solve(&error).expect("a throw moves the end");
        let found = error.amax() < 1e-9;
        throws.push(thrown);
        if found || throws.len() > 20 {
            break;
        }
        with += change;
    }
    let last = throws.last().expect("there is one");
    let h = 1e-6;
    let by_differences = Matrix3::from_columns(&[0, 1, 2].map(|k| {
        let moved = |h: f64| throw(&(with + Vector3::ith(k, h))).end;
        (moved(h) - moved(-h)) / (2.0 * h)
    }));
    let [open, slides, sticks] = last.modes;
    println!(
        "{open} steps with a corner in the air, {slides} with one that slides, {sticks} with one that sticks"
    );
    println!(
        "the end by the throw, by products of steps:{}and by central differences:{by_differences}",
        last.by_throw
    );
    let off = (last.by_throw - by_differences).amax() / by_differences.amax();
    println!("largest difference of these: {off:.1e} of the largest number");
    assert!((TARGET - last.end).amax() < 1e-9 && last.speed < 1e-6, "it lies where it is to");
    assert!(off < 1e-6 && slides > 50, "the gradient is that of differences");

    let curve = |of: &dyn Fn(&(f64, f64, f64)) -> f64| -> Vec<Curve> {
        let names = ["first throw", "second", "third", "last"];
        let drawn = throws.iter().take(3).chain(throws.last());
        names
            .into_iter()
            .zip(drawn)
            .map(|(name, of_throw)| (name, of_throw.path.iter().map(|p| (p.0, of(p))).collect()))
            .collect()
    };
    let panel = |title, curves| Panel { title, scale: "linear", curves };
    let panels = [
        panel("x, m; it is to come to rest at 0.9", curve(&|p| p.1)),
        panel("angle, rad; it is to come to rest at 1.2", curve(&|p| p.2)),
    ];
    last.recording.write("throw", "tests/friction/block.urdf", " --floating")?;
    curves::write("throw", "seconds; a box is thrown onto a table, four throws of Newton's method", &panels)
}
