// The robot's state, and its motion by the generated functions.

const STEP = 1e-3;

// A robot at rest, with functions that move it. `contacts` are points that may meet the ground, and `subspaces` columns
// of the joints' motion subspaces, both for a base that floats.
function simulation({ contacts, subspaces }) {
  const { JOINTS, NB, NQ, NV } = robot;
  const q = robot.neutral(), v = new Float64Array(NV), a = new Float64Array(NV), tau = new Float64Array(NV);
  const moved = new Float64Array(NV), fext = new Float64Array(6 * NB), placements = new Float64Array(12 * NB);
  const owners = JOINTS.filter((joint) => joint.nv === 1);
  // Inertia that each coordinate feels, so that damping is a rate.
  const inertia = new Float64Array(NV);
  // Coordinates of a base that floats, which is held where it began.
  const base = JOINTS.filter(({ kind, parent }) => kind === "floating" && parent === null);
  const free = base.flatMap(({ idx_v, nv }) => Array.from({ length: nv }, (_, k) => idx_v + k));
  const home = new Float64Array(NQ), bounds = constraints(q, v, owners, free);
  const state = { q, v, placements, damping: 1, pull: null, time: 0, owners, floats: free.length > 0, held: false, grounded: true };
  state.ground = state.floats ? groundContacts(contacts, subspaces, state) : null;

  const holds = () => state.held && state.floats;
  // The ground takes no part while the base is held: legs may then swing through it.
  const stands = () => state.floats && !state.held && state.grounded;

  // The nearest position to zero that the limits allow.
  const start = ({ lower, upper }) => (lower < upper ? Math.min(Math.max(0, lower), upper) : 0);

  function place() {
    robot.forward_kinematics(q, placements);
  }

  state.reset = () => {
    robot.neutral(q);
    v.fill(0);
    for (const joint of owners) q[joint.idx_q] = start(joint);
    const m = robot.crba(q);
    for (let i = 0; i < NV; i++) inertia[i] = m[(NV + 1) * i];
    home.set(q);
    state.time = 0;
    place();
    state.ground?.put();
  };

  // Moves a joint of one coordinate.
  state.set = (joint, position) => {
    q[joint.idx_q] = position;
    v[joint.idx_v] = 0;
    place();
    state.ground?.forget();
  };

  // Takes a configuration as it is.
  state.take = (configuration) => {
    q.set(configuration);
    v.fill(0);
    place();
    state.ground?.forget();
  };

  state.rest = () => v.fill(0);

  // The pose of a body, or of the world for -1.
  state.pose = (body) => (body < 0 ? IDENTITY : fromPlacement(placements, 12 * body));

  // The force of the mouse, a spring between a point of a body and a target, on the body in its frame.
  function pulled() {
    const { body, point, target, before } = state.pull, pose = state.pose(body), at = transform(pose, point);
    const speed = scale(subtract(at, before ?? at), 1 / STEP);
    state.pull.before = at;
    // A light link is pulled softly: stiff springs need shorter steps.
    state.pull.stiffness ??= Math.min(state.stiffness, 1600 / bounds.mobility(body, pose, point));
    const force = subtract(scale(subtract(target, at), state.pull.stiffness), scale(speed, 0.02 * state.pull.stiffness));
    const local = turnBack(pose, force);
    fext.set([...local, ...cross(point, local)], 6 * body);
  }

  // Semi-implicit Euler. A joint that meets a limit stops there.
  state.step = () => {
    fext.fill(0);
    if (state.pull) pulled();
    for (let i = 0; i < NV; i++) tau[i] = 0;
    for (const { idx_v: i } of owners) tau[i] = -state.damping * inertia[i] * v[i];
    if (holds()) bounds.hold(home, tau, fext);
    robot.aba_fext(q, v, tau, fext, a);
    for (let i = 0; i < NV; i++) v[i] += STEP * a[i];
    if (stands()) state.ground.resolve(STEP);
    for (let i = 0; i < NV; i++) moved[i] = STEP * v[i];
    robot.integrate(q, moved, q);
    // Impulses of the ground are found together with those of limits.
    if (stands()) bounds.clamp();
    else bounds.stop(holds());
    state.time += STEP;
    place();
    return v.every(Number.isFinite);
  };

  state.energies = () => [robot.kinetic_energy(q, v)[0], robot.potential_energy(q)[0]];
  state.gravity = () => robot.gravity(q);
  state.center = () => robot.center_of_mass(q);
  state.reset();
  return state;
}
