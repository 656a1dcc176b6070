//! Random robots with the numbers that people write: right angles of a few digits, nearly parallel
//! axes, nearly vanishing lengths, links of milligrams, limbs that differ in one digit.

use super::reference;
use super::twice::Twice;
use nalgebra::{DMatrix, Matrix3, RowDVector, Vector3};
use rbd_build::Function;
use rbd_runtime::random::{Random, State, random_state};
use rbd_runtime::spatial::{Inertia, Placement, rotation_about};
use rbd_runtime::{JointKind, Model, Scalar};

/// Angles as files have them, and angles close to them.
#[allow(clippy::approx_constant, reason = "as files have them")]
const ANGLES: [f64; 20] = [
    1.5707963267948966,
    1.57079632679,
    1.570796327,
    1.5708,
    1.57,
    3.141592653589793,
    3.14159265359,
    3.1416,
    0.7854,
    0.785398163397,
    2.0944,
    1e-3,
    4e-6,
    1e-7,
    2e-8,
    1e-9,
    1e-11,
    1e-12,
    1e-14,
    6.123e-17,
];

/// Lengths in units of the robot's size.
const LENGTHS: [f64; 12] = [0.1, 0.25, 0.3, 1.0, 1e-2, 1e-3, 1e-6, 1e-9, 1e-12, 1e-15, 3e-17, 20.0];

/// Differences between numbers of limbs that are otherwise equal.
const DIFFERENCES: [f64; 9] = [1e-15, 1e-14, 1e-13, 1e-12, 1e-10, 1e-8, 1e-5, 1e-2, -2.0];

fn pick(r: &mut Random, from: &[f64]) -> f64 {
    let x = from[r.below(from.len())];
    if r.chance(0.3) { -x } else { x }
}

fn angle(r: &mut Random) -> f64 {
    if r.chance(0.5) { 0.0 } else { pick(r, &ANGLES) }
}

fn rotation(r: &mut Random) -> Matrix3<f64> {
    let mut about = |axis: Vector3<f64>| {
        let (s, c) = angle(r).sin_cos();
        rotation_about(&axis, s, c)
    };
    about(Vector3::z()) * about(Vector3::y()) * about(Vector3::x())
}

fn length(r: &mut Random, size: f64) -> f64 {
    if r.chance(0.4) { 0.0 } else { size * pick(r, &LENGTHS) }
}

fn axis(r: &mut Random) -> Vector3<f64> {
    let mut axis = Vector3::ith(r.below(3), if r.chance(0.3) { -1.0 } else { 1.0 });
    if r.chance(0.5) {
        axis[r.below(3)] += pick(r, &[1e-3, 1e-6, 1e-7, 1e-8, 1e-9, 1e-12, 1e-15, 0.5, 1.0]);
    }
    let norm = axis.norm();
    if norm > 0.1 { axis / norm } else { Vector3::x() }
}

/// A link of some shape and size. Its principal inertias may be far apart, its products of inertia
/// nearly zero.
fn inertia(r: &mut Random, mass: f64, size: f64) -> Inertia<f64> {
    let mass = mass * pick(r, &[1.0, 0.5, 2.0, 0.01]).abs();
    let com = Vector3::from_fn(|_, _| length(r, size * 0.3));
    // Principal inertias of a box with these edges.
    let edges = Vector3::from_fn(|_, _| size * pick(r, &[0.1, 0.2, 0.3, 1e-3]).abs());
    let square = edges.component_mul(&edges);
    let principal =
        Vector3::new(square.y + square.z, square.x + square.z, square.x + square.y) * (mass / 12.0);
    let turn = rotation(r);
    let central = turn * Matrix3::from_diagonal(&principal) * turn.transpose();
    let mut inertia = Inertia::from_com(mass, &com, &central);
    inertia.j = (inertia.j + inertia.j.transpose()) * 0.5;
    inertia
}

/// The joints with numbers of these kinds, and the size of the robot's parts, m.
pub fn as_written(model: &Model<f64>, seed: u64) -> (Model<f64>, f64) {
    let (mut model, r) = (model.clone(), &mut Random::new(seed));
    let size = pick(r, &[1.0, 1.0, 1e-2, 1e-3, 1e-4, 30.0]).abs();
    let mass = pick(r, &[1.0, 1.0, 1e-3, 1e-6, 1e-9, 1e3]).abs();
    model.frames.clear();
    for body in &mut model.bodies {
        body.placement =
            Placement { rotation: rotation(r), translation: Vector3::from_fn(|_, _| length(r, size)) };
        body.inertia = inertia(r, mass, size);
        (body.armature, body.damping) =
            (body.armature * mass * size * size, body.damping * mass * size * size);
        if !matches!(body.kind, JointKind::Spherical | JointKind::Floating) {
            body.axis = axis(r);
        }
        if let Some(mimic) = &mut body.mimic {
            mimic.multiplier = pick(r, &[1.0, 0.5, 2.0]);
            mimic.offset = angle(r);
        }
    }
    (model, size)
}

/// A random state. Sliding joints move by the size of the robot.
pub fn state_of_size(model: &Model<f64>, size: f64, seed: u64) -> State {
    let mut state = random_state(model, seed);
    for body in &model.bodies {
        let slides = match body.kind {
            JointKind::Revolute | JointKind::Continuous | JointKind::Spherical => 0,
            JointKind::Prismatic => 1,
            JointKind::Planar => 2,
            JointKind::Floating => 3,
        };
        // A joint that follows has its leader's coordinate.
        if body.mimic.is_none() {
            (0..slides).for_each(|k| state.q[body.idx_q + k] *= size);
            (0..slides).for_each(|k| state.v[body.idx_v + k] *= size);
            (0..slides).for_each(|k| state.a[body.idx_v + k] *= size);
        }
    }
    state
}

/// Makes the body a copy of another, but perhaps for one number, and mirrored or not.
pub fn copy_numbers(model: &mut Model<f64>, from: usize, to: usize, r: &mut Random) {
    let source = model.bodies[from].clone();
    let body = &mut model.bodies[to];
    (body.axis, body.placement, body.inertia) = (source.axis, source.placement, source.inertia);
    if r.chance(0.5) {
        mirror(&mut body.placement, &mut body.axis, &mut body.inertia);
    }
    if r.chance(0.7) {
        let factor = 1.0 + DIFFERENCES[r.below(DIFFERENCES.len())];
        let axis = r.below(3);
        match r.below(4) {
            0 => body.placement.translation[axis] *= factor,
            1 => body.inertia.h[axis] *= factor.abs().min(1.01),
            2 => body.inertia.mass *= 1.0 + (factor.abs() - 1.0).abs().min(0.5),
            _ => {
                let (s, c) = (factor - 1.0).sin_cos();
                body.placement.rotation *= rotation_about(&Vector3::ith(axis, 1.0), s, c);
            }
        }
    }
}

/// Across the plane of x and z: a left limb from a right one.
fn mirror(placement: &mut Placement<f64>, axis: &mut Vector3<f64>, inertia: &mut Inertia<f64>) {
    let across = Matrix3::from_diagonal(&Vector3::new(1.0, -1.0, 1.0));
    placement.rotation = across * placement.rotation * across;
    placement.translation = across * placement.translation;
    // An axis is not a vector that mirrors: rotations turn round.
    *axis = -(across * *axis);
    inertia.h = across * inertia.h;
    inertia.j = across * inertia.j * across;
}

/// Value of a function by the reference with twice the digits, and the allowed error of each row.
///
/// The allowed error is [`ROW`] of the row's largest entry, plus the effect of [`ROUNDINGS`]
/// roundings of every number of the robot. The second part is the conditioning. A row may be the
/// small difference of large terms, as the gravity torque about a nearly vertical axis. Rounding
/// the robot's numbers once then costs digits by any formula. If M is inverted, `M X = B`, the
/// effect of rounding M and B is `|M^-1| |M| |X|` (Higham 2002, section 7.2).
pub struct Expected {
    pub outputs: Vec<(&'static str, DMatrix<Twice>)>,
    tolerances: Vec<Vec<f64>>,
}

const ROW: f64 = 1e-12;
const ROUNDINGS: f64 = 512.0;
/// Roundings if M is inverted: the first elimination is rounded before the rest.
const ROUNDINGS_INVERTING: f64 = 32768.0;
/// Bound relative to a function's largest entry, below which a number is its rounding error. A
/// derivative that vanishes by a symmetry does so in every shaken robot, but not in one whose
/// frames are rounded.
const NOTHING: f64 = f64::EPSILON / 16.0;

impl Expected {
    /// By the reference with twice the digits.
    pub fn new(function: Function, model: &Model<f64>, state: &State, seed: u64) -> Self {
        let exact = |model: &Model<f64>| reference(function, &model.cast::<Twice>(), state);
        let outputs = exact(model);
        let largest = |row: RowDVector<Twice>| row.iter().fold(0.0, |most: f64, x| larger(most, x.to_f64()));
        let rows = |x: &DMatrix<Twice>| x.row_iter().map(|r| largest(r.into_owned())).collect::<Vec<f64>>();
        let inverts = function.name().starts_with("aba") || function == Function::Minv;
        let rounding = f64::EPSILON * if inverts { ROUNDINGS_INVERTING } else { ROUNDINGS };
        let mut tolerances: Vec<Vec<f64>> = Vec::new();
        let least = NOTHING * outputs.iter().flat_map(|(_, x)| rows(x)).fold(0.0, larger);
        for (_, x) in &outputs {
            tolerances.push(rows(x).iter().map(|row| (ROW * row).max(least)).collect());
        }
        let raise = |tolerances: &mut Vec<f64>, changes: &[f64]| {
            tolerances.iter_mut().zip(changes).for_each(|(t, change)| *t = t.max(rounding * change));
        };
        for k in 0..3 {
            let near = exact(&shaken(model, &mut Random::new(seed ^ (0x9e1 + k))));
            for (tolerances, ((_, near), (_, x))) in tolerances.iter_mut().zip(near.iter().zip(&outputs)) {
                raise(tolerances, &rows(&((near - x) / Twice::from_f64(SHAKE))));
            }
        }
        if inverts {
            let (model, q) = (model.cast::<Twice>(), state.q.map(Twice::from_f64));
            let size = |x: &DMatrix<Twice>| x.map(|x| Twice::from_f64(x.to_f64().abs()));
            let condition = size(&model.minv(q.as_slice())) * size(&model.crba(q.as_slice()));
            for (tolerances, (_, x)) in tolerances.iter_mut().zip(&outputs) {
                raise(tolerances, &rows(&(&condition * size(x))));
            }
        }
        Self { outputs, tolerances }
    }

    /// Worst row of this output, as a multiple of its allowed error.
    pub fn excess(&self, k: usize, found: &DMatrix<Twice>) -> f64 {
        let rows = (found - &self.outputs[k].1)
            .row_iter()
            .map(|row| row.iter().fold(0.0, |most, x| larger(most, x.to_f64())))
            .collect::<Vec<_>>();
        let excess = |error: f64, tolerance: f64| if error == 0.0 { 0.0 } else { error / tolerance };
        rows.iter()
            .zip(&self.tolerances[k])
            .fold(0.0, |worst, (error, tolerance)| larger(worst, excess(*error, *tolerance)))
    }
}

/// The larger in size; NaN is larger than all.
fn larger(a: f64, b: f64) -> f64 {
    if b.is_nan() || a.is_nan() { f64::INFINITY } else { a.max(b.abs()) }
}

/// Relative change of every number that shows its effect: far above the doubles' own rounding.
const SHAKE: f64 = 1e-12;

fn shaken(model: &Model<f64>, r: &mut Random) -> Model<f64> {
    let mut model = model.clone();
    for body in &mut model.bodies {
        let mut off = |scale: f64| r.uniform(-SHAKE, SHAKE) * scale;
        let Placement { rotation, translation } = &mut body.placement;
        let length = translation.amax();
        translation.iter_mut().for_each(|x| *x += off(length));
        // Each entry by itself: rounding does not keep frames orthonormal.
        rotation.iter_mut().for_each(|x| *x += off(1.0));
        if body.kind.nv() == 1 || body.kind == JointKind::Planar {
            body.axis.iter_mut().for_each(|x| *x += off(1.0));
        }
        let Inertia { mass, h, j } = &mut body.inertia;
        *mass += off(*mass);
        let moment = h.amax();
        h.iter_mut().for_each(|x| *x += off(moment));
        let d = j.diagonal().map(|x| x.abs().sqrt());
        for a in 0..3 {
            for b in 0..=a {
                let change = off(d[a] * d[b]);
                j[(a, b)] += change;
                j[(b, a)] = j[(a, b)];
            }
        }
        body.armature += off(body.armature);
        if let Some(mimic) = &mut body.mimic {
            mimic.multiplier += off(mimic.multiplier);
            mimic.offset += off(1.0);
        }
    }
    model
}
