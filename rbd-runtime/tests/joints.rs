//! Joints against equivalent ones: mimic joints against independent ones, joints of several
//! coordinates against chains of revolute and prismatic ones.

use crate::common::{close, for_all, models};
use nalgebra::{
    DMatrix, DVector, Isometry3, Matrix3, Rotation3, Translation3, Unit, UnitQuaternion, Vector3,
};
use rbd_runtime::model::{Body, RunTime, plane_basis};
use rbd_runtime::random::{Random, random_state};
use rbd_runtime::reference::{Data, forward_kinematics, rnea};
use rbd_runtime::spatial::{Inertia, Placement, dot};
use rbd_runtime::{JointKind, JointLimits, Model};

/// Poses of bodies are the products of nalgebra's isometries, for each kind of joint.
#[test]
fn forward_kinematics_agrees_with_isometries() {
    let isometry = |r: Matrix3<f64>, p| {
        let r = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(r));
        Isometry3::from_parts(Translation3::from(p), r)
    };
    let quaternion = |q: &[f64]| {
        let q = nalgebra::Quaternion::new(q[3], q[0], q[1], q[2]);
        UnitQuaternion::new_unchecked(q)
    };
    for_all(|model, x| {
        let mut data = Data::new(model);
        let got = forward_kinematics(model, &mut data, x.q.as_slice());
        let mut expected: Vec<Isometry3<f64>> = Vec::new();
        for b in &model.bodies {
            let q = &x.q.as_slice()[b.idx_q..];
            let one = b.mimic.map_or(q[0], |m| m.multiplier * q[0] + m.offset);
            let about = |angle| UnitQuaternion::from_axis_angle(&Unit::new_unchecked(b.axis), angle);
            let (r, p) = match b.kind {
                JointKind::Revolute | JointKind::Continuous => (about(one), Vector3::zeros()),
                JointKind::Prismatic => (UnitQuaternion::identity(), b.axis * one),
                JointKind::Planar => {
                    let (ex, ey) = plane_basis(&b.axis);
                    (about(q[2]), ex * q[0] + ey * q[1])
                }
                JointKind::Spherical => (quaternion(q), Vector3::zeros()),
                JointKind::Floating => (quaternion(&q[3..]), Vector3::new(q[0], q[1], q[2])),
            };
            let local = isometry(b.placement.rotation, b.placement.translation)
                * Isometry3::from_parts(Translation3::from(p), r);
            expected.push(b.parent.map_or(local, |p| expected[p] * local));
        }
        for (got, expected) in got.iter().zip(&expected) {
            close("position", &got.translation, &expected.translation.vector, 1e-13);
            let rotation = expected.rotation.to_rotation_matrix();
            close("rotation", &got.rotation, rotation.matrix(), 1e-13);
        }
    });
}

/// The tree with all joints independent, and the map G from the velocities to its velocities.
fn without_mimic(model: &Model<f64>) -> (Model<f64>, DMatrix<f64>) {
    let mut full = model.clone();
    let (mut nq, mut nv) = (0, 0);
    for b in &mut full.bodies {
        (b.mimic, b.idx_q, b.idx_v) = (None, nq, nv);
        (nq, nv) = (nq + b.kind.nq(), nv + b.kind.nv());
    }
    (full.nq, full.nv) = (nq, nv);
    let mut g = DMatrix::zeros(nv, model.nv);
    for (b, f) in model.bodies.iter().zip(&full.bodies) {
        for k in 0..b.kind.nv() {
            g[(f.idx_v + k, b.idx_v + k)] = b.mimic.map_or(1.0, |m| m.multiplier);
        }
    }
    (full, g)
}

/// The configuration of the tree without mimic joints.
fn full_configuration(model: &Model<f64>, full: &Model<f64>, q: &DVector<f64>) -> DVector<f64> {
    let mut out = DVector::zeros(full.nq);
    for (b, f) in model.bodies.iter().zip(&full.bodies) {
        for k in 0..b.kind.nq() {
            let x = q[b.idx_q + k];
            out[f.idx_q + k] = b.mimic.map_or(x, |m| m.multiplier * x + m.offset);
        }
    }
    out
}

/// A robot with mimic joints is the robot without, its coordinates tied: every quantity is contracted with G.
#[test]
fn mimic_joints_are_contractions() {
    for model in models().iter().filter(|m| m.bodies.iter().any(|b| b.mimic.is_some())) {
        let x = random_state(model, 5);
        let (full, g) = without_mimic(model);
        let gt = g.transpose();
        let (qf, vf, af) = (full_configuration(model, &full, &x.q), &g * &x.v, &g * &x.a);
        let (q, v, a, fext) = (x.q.as_slice(), x.v.as_slice(), x.a.as_slice(), x.fext.as_slice());
        let (qf, vf, af) = (qf.as_slice(), vf.as_slice(), af.as_slice());
        close("tau", &model.rnea_fext(q, v, a, fext), &(&gt * full.rnea_fext(qf, vf, af, fext)), 1e-13);
        close("M", &model.crba(q), &(&gt * full.crba(qf) * &g), 1e-13);
        let got = model.rnea_derivatives(q, v, a, Some(fext));
        let of_full = full.rnea_derivatives(qf, vf, af, Some(fext));
        close("dtau_dq", &got.dtau_dq, &(&gt * of_full.dtau_dq * &g), 1e-12);
        close("dtau_dv", &got.dtau_dv, &(&gt * of_full.dtau_dv * &g), 1e-12);
    }
}

fn body(parent: Option<usize>, kind: JointKind, axis: Vector3<f64>, at: usize) -> Body<f64> {
    Body {
        joint: "joint".into(),
        link: "link".into(),
        parent,
        kind,
        axis,
        placement: Placement::identity(),
        inertia: Inertia::zero(),
        idx_q: at,
        idx_v: at,
        mimic: None,
        limits: JointLimits::NONE,
        damping: 0.0,
        friction: 0.0,
        armature: 0.0,
    }
}

fn tree(bodies: Vec<Body<f64>>) -> Model<f64> {
    Model {
        name: "tree".into(),
        pinocchio_order: (0..bodies.len()).collect(),
        nq: bodies.iter().map(Body::nq).sum(),
        nv: bodies.iter().map(Body::nv).sum(),
        bodies,
        frames: vec![],
        gravity: Vector3::new(1.0, 2.0, -9.0),
        base_inertia: Inertia::zero(),
        damping_enters: false,
        friction_smoothing: None,
        run_time: RunTime::none(),
    }
}

/// One joint of several coordinates, then an arm of two joints, against a chain of simple joints
/// with massless bodies in place of the first joint. The body's own Jacobian maps the rates of the
/// chain to those of the joint.
fn joint_equals_chain(kind: JointKind, normal: Vector3<f64>, axes: &[(JointKind, Vector3<f64>)], seed: u64) {
    let r = &mut Random::new(seed);
    let n = axes.len();
    let foot = Placement { rotation: r.rotation(), translation: r.vector3(1.0) };
    let inertia = r.inertia();
    let mut chain: Vec<_> = (0..n).map(|k| body(k.checked_sub(1), axes[k].0, axes[k].1, k)).collect();
    chain[0].placement = foot;
    chain[n - 1].inertia = inertia;
    let mut joint = vec![body(None, kind, normal, 0)];
    (joint[0].placement, joint[0].inertia) = (foot, inertia);
    for k in 0..2 {
        let mut arm = body(Some(n - 1 + k), JointKind::Revolute, r.unit3(), n + k);
        arm.placement = Placement { rotation: r.rotation(), translation: r.vector3(1.0) };
        arm.inertia = r.inertia();
        chain.push(arm.clone());
        (arm.parent, arm.idx_q, arm.idx_v) = (Some(k), kind.nq() + k, kind.nv() + k);
        joint.push(arm);
    }
    let (chain, joint) = (tree(chain), tree(joint));

    let x = random_state(&chain, seed);
    let mut data = Data::new(&chain);
    let (q, v, a) = (x.q.as_slice(), x.v.as_slice(), x.a.as_slice());
    let pose = foot.inverse().compose(&forward_kinematics(&chain, &mut data, q)[n - 1]);
    let rotation = Rotation3::from_matrix_unchecked(pose.rotation);
    let quaternion = UnitQuaternion::from_rotation_matrix(&rotation).coords;
    let (ex, ey) = plane_basis(&normal);
    let mut q_joint = match kind {
        JointKind::Planar => vec![pose.translation.dot(&ex), pose.translation.dot(&ey), x.q[2]],
        JointKind::Spherical => quaternion.as_slice().to_vec(),
        _ => [pose.translation.as_slice(), quaternion.as_slice()].concat(),
    };
    q_joint.extend(&q[n..]);

    // v_joint = S^T (motion of the body), S orthonormal; the map's columns from unit rates
    let subspace = Data::new(&joint).motion_subspace(0).to_vec();
    let mut weightless = chain.clone();
    weightless.gravity.fill(0.0);
    let motion = |v: &[f64], a: &[f64], data: &mut Data<f64>| {
        rnea(&weightless, data, q, v, a, None);
        let project = |m| subspace.iter().map(|s| dot(s, m)).collect::<Vec<_>>();
        (project(&data.v[n - 1]), project(&data.a[n - 1]))
    };
    let mut map = DMatrix::identity(joint.nv, chain.nv);
    for k in 0..n {
        let e = crate::common::unit(chain.nv, k);
        let column = motion(e.as_slice(), &vec![0.0; chain.nv], &mut data).0;
        map.view_mut((0, k), (n, 1)).copy_from_slice(&column);
    }
    let (mut v_joint, mut a_joint) = motion(v, a, &mut data);
    v_joint.extend(&v[n..]);
    a_joint.extend(&a[n..]);
    let fext: Vec<_> = joint.bodies.iter().zip(&x.fext).map(|(_, f)| *f).collect();
    let mut fext_chain = vec![nalgebra::Vector6::zeros(); n - 1];
    fext_chain.extend(&fext);

    let back = map.transpose();
    let tau_joint = joint.rnea_fext(&q_joint, &v_joint, &a_joint, &fext);
    let tau_chain = chain.rnea_fext(q, v, a, &fext_chain);
    close("tau", &tau_chain, &(&back * &tau_joint), 1e-12);
    close("M", &chain.crba(q), &(&back * joint.crba(&q_joint) * &map), 1e-12);
    let ddq = joint.aba_fext(&q_joint, &v_joint, tau_joint.as_slice(), &fext);
    close("ddq", &ddq, &a_joint, 1e-10);
    close("chain ddq", &chain.aba_fext(q, v, tau_chain.as_slice(), &fext_chain), &x.a, 1e-9);
}

#[test]
fn a_planar_joint_is_two_prismatic_and_a_revolute() {
    let r = &mut Random::new(9);
    for (seed, normal) in
        [Vector3::z(), Vector3::x(), -Vector3::z(), r.unit3(), r.unit3()].into_iter().enumerate()
    {
        let (x, y) = plane_basis(&normal);
        let (slide, turn) = (JointKind::Prismatic, JointKind::Revolute);
        joint_equals_chain(JointKind::Planar, normal, &[(slide, x), (slide, y), (turn, normal)], seed as u64);
    }
}

#[test]
fn a_spherical_joint_is_three_revolute_ones() {
    let turn = [Vector3::z(), Vector3::y(), Vector3::x()].map(|axis| (JointKind::Revolute, axis));
    for seed in 0..5 {
        joint_equals_chain(JointKind::Spherical, Vector3::zeros(), &turn, seed);
    }
}

#[test]
fn a_floating_joint_is_three_prismatic_and_three_revolute_ones() {
    let axes = [Vector3::x(), Vector3::y(), Vector3::z()];
    let mut chain = axes.map(|axis| (JointKind::Prismatic, axis)).to_vec();
    chain.extend(axes.map(|axis| (JointKind::Revolute, axis)));
    for seed in 0..5 {
        joint_equals_chain(JointKind::Floating, Vector3::zeros(), &chain, seed);
    }
}
