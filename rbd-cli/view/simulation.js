// The robot's state, and its motion by the generated functions.

const STEP = 1e-3;

// A robot at rest, with functions that move it.
function simulation() {
  const { JOINTS, NB, NQ, NV } = robot;
  const q = robot.neutral(), v = new Float64Array(NV), a = new Float64Array(NV), tau = new Float64Array(NV);
  const moved = new Float64Array(NV), fext = new Float64Array(6 * NB), placements = new Float64Array(12 * NB);
  const owners = JOINTS.filter((joint) => joint.nv === 1);
  // Inertia that each coordinate feels, so that damping is a rate.
  const inertia = new Float64Array(NV);
  // Coordinates of a base that floats, which a spring holds where it began.
  const base = JOINTS.filter(({ kind, parent }) => kind === "floating" && parent === null);
  const free = base.flatMap(({ idx_v, nv }) => Array.from({ length: nv }, (_, k) => idx_v + k));
  const home = new Float64Array(NQ), way = new Float64Array(NV);
  const state = { q, v, placements, damping: 1, pull: null, time: 0, owners, floats: free.length > 0, held: true };

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
  };

  // Moves a joint of one coordinate.
  state.set = (joint, position) => {
    q[joint.idx_q] = position;
    v[joint.idx_v] = 0;
    place();
  };

  // Takes a configuration as it is.
  state.take = (configuration) => {
    q.set(configuration);
    v.fill(0);
    place();
  };

  state.rest = () => v.fill(0);

  // The pose of a body, or of the world for -1.
  state.pose = (body) => (body < 0 ? IDENTITY : fromPlacement(placements, 12 * body));

  // The force of the mouse, a spring between a point of a body and a target, on the body in its frame.
  function pulled() {
    const { body, point, target, before } = state.pull, pose = state.pose(body), at = transform(pose, point);
    const speed = scale(subtract(at, before ?? at), 1 / STEP);
    state.pull.before = at;
    const force = subtract(scale(subtract(target, at), state.stiffness), scale(speed, 0.02 * state.stiffness));
    const local = turnBack(pose, force);
    fext.set([...local, ...cross(point, local)], 6 * body);
  }

  // Semi-implicit Euler. A joint that meets a limit stops there.
  state.step = () => {
    fext.fill(0);
    if (state.pull) pulled();
    for (let i = 0; i < NV; i++) tau[i] = 0;
    for (const { idx_v: i } of owners) tau[i] = -state.damping * inertia[i] * v[i];
    if (state.held && state.floats) {
      robot.difference(q, home, way);
      // Critically damped, within a twentieth of a second.
      for (const i of free) tau[i] = inertia[i] * (400 * way[i] - 40 * v[i]);
    }
    robot.aba_fext(q, v, tau, fext, a);
    for (let i = 0; i < NV; i++) moved[i] = STEP * (v[i] += STEP * a[i]);
    robot.integrate(q, moved, q);
    for (const { idx_q, idx_v, lower, upper } of owners) {
      if (!(lower < upper)) continue;
      if (q[idx_q] < lower) [q[idx_q], v[idx_v]] = [lower, Math.max(0, v[idx_v])];
      if (q[idx_q] > upper) [q[idx_q], v[idx_v]] = [upper, Math.min(0, v[idx_v])];
    }
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
