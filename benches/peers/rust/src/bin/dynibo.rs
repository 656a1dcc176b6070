//! dynibo's side of the race: inverse and forward dynamics and the mass matrix, which are all it
//! has.
//!
//! dynibo has its own joint order and its own gravity, 9.80665, and takes a floating base's motion
//! in the world, angular before linear. The conversion is not timed: states are converted
//! beforehand, results when they are compared.

use dynibo::{BaseState, FloatingRobot, Frame, Robot, Twist};
use nalgebra_of_dynibo::{DMatrix, DVector, Matrix3, Quaternion, Translation3, UnitQuaternion, Vector3};
use peers::{Job, Jobs, States, serve};
use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;

/// One state in dynibo's order and frames. `motion` takes a velocity in our coordinates to one in its.
struct State {
    base: BaseState,
    q: Vec<f64>,
    v: Vec<f64>,
    a: Vec<f64>,
    tau: Vec<f64>,
    motion: DMatrix<f64>,
    floating: bool,
    /// Difference of its base's acceleration from ours: the rate of a turning velocity.
    drift: Vector3<f64>,
    /// The torques that our larger gravity adds.
    weight: Vec<f64>,
}

fn vector(x: &[f64]) -> Vector3<f64> {
    Vector3::from_column_slice(&x[..3])
}

/// `order` has our idx_q and idx_v for each of dynibo's joints.
fn convert(row: &[f64], states: &States, order: &[(usize, usize)], floating: bool) -> State {
    let (q, rest) = row.split_at(states.nq);
    let [v, a, tau] = [0, 1, 2].map(|i| &rest[i * states.nv..][..states.nv]);
    let first = if floating { 6 } else { 0 };
    let mut motion = DMatrix::zeros(states.nv, states.nv);
    for (i, (_, v)) in order.iter().enumerate() {
        motion[(first + i, *v)] = 1.0;
    }
    let pick = |x: &[f64]| order.iter().map(|(_, v)| x[*v]).collect();
    let by_q = order.iter().map(|(i, _)| q[*i]).collect();
    let (mut base, mut drift) = (BaseState::stationary(Frame::identity()).unwrap(), Vector3::zeros());
    if floating {
        let turn = UnitQuaternion::from_quaternion(Quaternion::new(q[6], q[3], q[4], q[5]));
        let rotation: Matrix3<f64> = *turn.to_rotation_matrix().matrix();
        motion.view_mut((0, 3), (3, 3)).copy_from(&rotation);
        motion.view_mut((3, 0), (3, 3)).copy_from(&rotation);
        let twist = |x: &[f64], more| Twist::new(turn * vector(&x[3..]), turn * vector(x) + more);
        drift = turn * vector(&v[3..]).cross(&vector(v));
        let frame = Frame::from_parts(Translation3::from(vector(q)), turn);
        base = BaseState::new(frame, twist(v, Vector3::zeros()), twist(a, drift)).unwrap();
    }
    let forces = &motion * DVector::from_column_slice(tau);
    State {
        base,
        q: by_q,
        v: pick(v),
        a: pick(a),
        tau: forces.as_slice().to_vec(),
        motion,
        floating,
        drift,
        weight: Vec::new(),
    }
}

/// Results in our coordinates, column by column.
///
/// Torques and masses are mapped by the motion's transpose, accelerations by its inverse. For a
/// rotation and a permutation the two are equal.
fn back(x: &[f64], state: &State, all: &mut Vec<f64>) {
    let n = state.motion.nrows();
    let m = state.motion.transpose() * DMatrix::from_column_slice(n, x.len() / n, x);
    if x.len() == n {
        all.extend(m.iter());
    } else {
        all.extend((m * &state.motion).iter());
    }
}

/// A result and its state, which only the comparison reads.
type Out = (Vec<f64>, Option<Rc<State>>);

#[derive(Clone, Copy)]
enum Kind {
    Inverse,
    Forward,
    Mass,
}

fn jobs<R: 'static>(
    mut robot: R,
    mut states: Vec<State>,
    gravity: fn(&mut R, &State, &mut [f64]),
    rnea: fn(&mut R, &State, &mut [f64]),
    aba: fn(&mut R, &State, &mut [f64]),
    crba: fn(&mut R, &State, &mut [f64]),
) -> Jobs {
    let n = states[0].motion.nrows();
    for state in &mut states {
        let mut torques = vec![0.0; n];
        gravity(&mut robot, state, &mut torques);
        state.weight = torques.iter().map(|x| x * (9.81 / 9.80665 - 1.0)).collect();
        state.tau.iter_mut().zip(&state.weight).for_each(|(x, more)| *x -= more);
    }
    let states: Rc<[Rc<State>]> = states.into_iter().map(Rc::new).collect();
    let robot = Rc::new(RefCell::new(robot));
    let job = |size: usize, call: fn(&mut R, &State, &mut [f64]), kind: Kind| {
        let robot = robot.clone();
        Job::new(
            states.clone(),
            move || Box::new((vec![0.0; size], None)),
            move |s: &Rc<State>, out: &mut Out| {
                call(&mut robot.borrow_mut(), s, &mut out.0);
                out.1.get_or_insert_with(|| s.clone());
            },
            move |(x, state), all| {
                let state = state.as_deref().expect("a state was run");
                let mut x = x.clone();
                match kind {
                    Kind::Inverse => x.iter_mut().zip(&state.weight).for_each(|(x, more)| *x += more),
                    Kind::Forward if state.floating => {
                        x[3..6].iter_mut().zip(&state.drift).for_each(|(x, more)| *x -= more);
                    }
                    _ => {}
                }
                back(&x, state, all);
            },
        )
    };
    Jobs::from([
        ("rnea", job(n, rnea, Kind::Inverse)),
        ("aba", job(n, aba, Kind::Forward)),
        ("crba", job(n * n, crba, Kind::Mass)),
    ])
}

fn load(robot: &str, folder: &Path) -> Option<Jobs> {
    let states = States::read(&folder.join(format!("{robot}.states")));
    let ours = std::fs::read_to_string(folder.join(format!("{robot}.joints"))).expect("the joints' file");
    let place = |name: &str| {
        let line = ours.split_whitespace().find_map(|x| x.strip_prefix(name)?.strip_prefix(':'))?;
        let (q, v) = line.split_once(':')?;
        Some((q.parse().ok()?, v.parse().ok()?))
    };
    let floating = ours.starts_with("root_joint:");
    let urdf = format!("{}/../../../robots/{robot}.urdf", env!("CARGO_MANIFEST_DIR"));
    let converted =
        |order: Vec<_>| states.rows.iter().map(|x| convert(x, &states, &order, floating)).collect::<Vec<_>>();
    Some(if floating {
        let it = FloatingRobot::from_urdf(&urdf).map_err(|e| eprintln!("dynibo, {robot}: {e}")).ok()?;
        let order = (0..it.joint_count()).map(|i| place(it.joint_name(i).unwrap())).collect::<Option<_>>()?;
        jobs(
            it,
            converted(order),
            |r, s, out| r.gravity(&s.base, &s.q, &[], out).unwrap(),
            |r, s, out| r.inverse_dynamics(&s.base, &s.q, &s.v, &s.a, &[], out).unwrap(),
            |r, s, out| r.forward_dynamics(&s.base, &s.q, &s.v, &s.tau, &[], out).unwrap(),
            |r, s, out| r.mass_matrix(&s.base, &s.q, out).unwrap(),
        )
    } else {
        let it = Robot::from_urdf(&urdf).map_err(|e| eprintln!("dynibo, {robot}: {e}")).ok()?;
        let order = (0..it.joint_count()).map(|i| place(it.joint_name(i).unwrap())).collect::<Option<_>>()?;
        jobs(
            it,
            converted(order),
            |r, s, out| r.gravity(&s.q, &[], out).unwrap(),
            |r, s, out| r.inverse_dynamics(&s.q, &s.v, &s.a, &[], out).unwrap(),
            |r, s, out| r.forward_dynamics(&s.q, &s.v, &s.tau, &[], out).unwrap(),
            |r, s, out| r.mass_matrix(&s.q, out).unwrap(),
        )
    })
}

fn main() {
    serve(load);
}
