// Level ground under a base that floats: points of the robot that meet it, and impulses at these and at limits of joints.
//
// A step at velocity level (docs/math.md#motion-of-the-page): impulses f of the rows J change velocities by W J' f, with
// the inverse W of the mass matrix, so that contacts and limits are kept at the end of the step.

/**
 * A point of a body that may meet the ground: the body, x, y, z in its frame, and the radius of a ball about it.
 *
 * @typedef {[number, number, number, number, number]} ContactPoint
 */

/**
 * Ground for the state q, v of a robot, whose bodies are at `placements`.
 *
 * @param {ContactPoint[]} points Points of the robot.
 * @param {number[][][]} subspaces Columns of each joint's motion subspace, linear and angular, in the body's frame.
 * @param {{ q: Float64Array, v: Float64Array, placements: Float64Array, owners: object[] }} of The state.
 */
function groundContacts(points, subspaces, { q, v, placements, owners }) {
  const { JOINTS, NV } = robot;
  // A point this near to the ground, m, or one that would be there within two steps, may touch it.
  const NEAR = 2e-3;
  // The share of a penetration that a step takes back, and the most by which it separates, m/s.
  const CORRECTION = 0.2, FASTEST = 0.5;
  // Compliance, as part of what a contact's impulse moves it by. Redundant contacts then share a load in one way, which
  // they keep, and slide by some 1e-6 m/s.
  const COMPLIANCE = 1e-6;
  // The most contacts of a body: the lowest point, and those that are farthest from the others.
  const MOST = 4;
  const solve = frictionSolver(), count = points.length;
  const heights = new Float64Array(count), before = new Float64Array(count).fill(NaN);
  const inverse = new Float64Array(NV * NV);
  // Impulses of the last step, by point and by coordinate, from which the solver begins.
  const kept = new Float64Array(3 * count), keptLimits = new Float64Array(NV);
  const problem = { starts: [], friction: [], compliance: [], delassus: null, free: null };
  let jacobian, moved, impulses = new Float64Array(0);
  const ground = { height: 0, friction: 0.7, touching: [], report: null };

  // Coordinates that move each body: the joint, the column of its subspace, and the coordinate.
  const paths = JOINTS.map((_, body) => {
    const path = [];
    for (let k = body; k !== null; k = JOINTS[k].parent) subspaces[k].forEach((column, i) => path.push({ joint: k, column, at: JOINTS[k].idx_v + i }));
    return path;
  });
  // Coordinates in which rows of a body's points, and of a limit, are not zero.
  const ofBody = paths.map((path) => Int32Array.from(new Set(path.map(({ at }) => at))));
  const ofLimit = Array.from({ length: NV }, (_, i) => Int32Array.of(i)), supports = [];

  // A point in the world.
  function place([body, x, y, z]) {
    const p = placements, at = 12 * body;
    return [0, 1, 2].map((r) => p[at + r] * x + p[at + 3 + r] * y + p[at + 6 + r] * z + p[at + 9 + r]);
  }

  // Height of each point over the ground.
  function measure() {
    const p = placements;
    for (let k = 0; k < count; k++) {
      const [body, x, y, z, radius] = points[k], at = 12 * body;
      heights[k] = p[at + 2] * x + p[at + 5] * y + p[at + 8] * z + p[at + 11] - radius - ground.height;
    }
  }

  // Points that may touch the ground in the next step.
  function near() {
    const found = new Map();
    for (let k = 0; k < count; k++) {
      const fallen = before[k] - heights[k];
      before[k] = heights[k];
      if (heights[k] - 2 * (fallen > 0 ? fallen : 0) > NEAR) continue;
      if (!found.has(points[k][0])) found.set(points[k][0], []);
      found.get(points[k][0]).push(k);
    }
    return Array.from(found.values()).flatMap((own) => (own.length > MOST ? spread(own) : own));
  }

  // The lowest of a body's points, and others as far from it and from each other as may be.
  function spread(own) {
    const at = own.map((k) => place(points[k])), chosen = [own.reduce((low, k, i) => (heights[k] < heights[own[low]] ? i : low), 0)];
    while (chosen.length < MOST) {
      const distance = (i) => Math.min(...chosen.map((j) => (at[i][0] - at[j][0]) ** 2 + (at[i][1] - at[j][1]) ** 2));
      chosen.push(own.reduce((far, _, i) => (distance(i) > distance(far) ? i : far), 0));
    }
    return Array.from(new Set(chosen), (i) => own[i]);
  }

  // Limits that joints may reach in the next step: the coordinate, the sign of its row, and the way that is left.
  function limits(dt) {
    return owners.flatMap(({ idx_q, idx_v, lower, upper }) => {
      if (!(lower < upper)) return [];
      const reach = 1e-4 + 2 * dt * Math.abs(v[idx_v]);
      if (q[idx_q] - lower < reach) return [{ at: idx_v, sign: 1, gap: q[idx_q] - lower }];
      if (upper - q[idx_q] < reach) return [{ at: idx_v, sign: -1, gap: upper - q[idx_q] }];
      return [];
    });
  }

  // The velocity that a gap asks for: it may close until the end of the step, and a penetration loses its share.
  const target = (gap, dt) => (gap > 0 ? -gap / dt : Math.min(FASTEST, (-CORRECTION * gap) / dt));

  // Three rows of a point, from a row on: its velocity along x, y and z by its body's coordinates.
  function pointRows(k, row) {
    const at = place(points[k]), p = placements;
    at[2] -= points[k][4];
    for (const { joint, column, at: coordinate } of paths[points[k][0]]) {
      const o = 12 * joint, to = row * NV + coordinate, [a, b, c, d, e, f] = column;
      const x = at[0] - p[o + 9], y = at[1] - p[o + 10], z = at[2] - p[o + 11];
      const wx = p[o] * d + p[o + 3] * e + p[o + 6] * f, wy = p[o + 1] * d + p[o + 4] * e + p[o + 7] * f;
      const wz = p[o + 2] * d + p[o + 5] * e + p[o + 8] * f;
      jacobian[to] += p[o] * a + p[o + 3] * b + p[o + 6] * c + wy * z - wz * y;
      jacobian[to + NV] += p[o + 1] * a + p[o + 4] * b + p[o + 7] * c + wz * x - wx * z;
      jacobian[to + 2 * NV] += p[o + 2] * a + p[o + 5] * b + p[o + 8] * c + wx * y - wy * x;
    }
  }

  // Memory for so many rows.
  function grow(rows) {
    if (impulses.length >= rows) return;
    const room = rows + 12;
    [jacobian, moved] = [new Float64Array(room * NV), new Float64Array(room * NV)];
    [problem.delassus, problem.free, impulses] = [new Float64Array(room * room), new Float64Array(room), new Float64Array(room)];
  }

  // Adds J v to the velocities of rows, and computes J W and G = J W J'.
  function products(rows) {
    const { free, delassus } = problem;
    moved.fill(0, 0, rows * NV);
    for (let r = 0; r < rows; r++) {
      const own = r * NV;
      for (const i of supports[r]) {
        const x = jacobian[own + i];
        free[r] += x * v[i];
        for (let k = 0; k < NV; k++) moved[own + k] += x * inverse[i * NV + k];
      }
      for (let s = 0; s <= r; s++) {
        const support = supports[s];
        let sum = 0;
        for (let k = 0; k < support.length; k++) sum += moved[own + support[k]] * jacobian[s * NV + support[k]];
        delassus[r * rows + s] = delassus[s * rows + r] = sum;
      }
    }
  }

  // Writes the problem of contacts and limits, and the impulses to begin from.
  function collect(contacts, bounds, dt) {
    const rows = 3 * contacts.length + bounds.length;
    robot.minv(q, inverse);
    grow(rows);
    jacobian.fill(0, 0, rows * NV);
    supports.length = problem.starts.length = problem.friction.length = problem.compliance.length = 0;
    for (let i = 0; i < contacts.length; i++) {
      const k = contacts[i];
      pointRows(k, 3 * i);
      for (let r = 0; r < 3; r++) supports.push(ofBody[points[k][0]]);
      problem.starts.push(3 * i);
      problem.friction.push(ground.friction);
      for (let r = 0; r < 3; r++) {
        problem.free[3 * i + r] = r < 2 ? 0 : -target(heights[k], dt);
        impulses[3 * i + r] = kept[3 * k + r];
      }
    }
    for (let i = 0; i < bounds.length; i++) {
      const { at, sign, gap } = bounds[i], row = 3 * contacts.length + i;
      problem.starts.push(row);
      problem.friction.push(0);
      jacobian[row * NV + at] = sign;
      supports.push(ofLimit[at]);
      problem.free[row] = -target(gap, dt);
      impulses[row] = sign * keptLimits[at];
    }
    problem.starts.push(rows);
    products(rows);
    for (let k = 0; k < problem.friction.length; k++) {
      const from = problem.starts[k], to = problem.starts[k + 1];
      let mean = 0;
      for (let r = from; r < to; r++) mean += problem.delassus[r * (rows + 1)] / (to - from);
      problem.compliance.push(COMPLIANCE * mean);
    }
  }

  // Changes the velocities by impulses of the ground and of limits. v are those at the end of a step without them.
  ground.resolve = (dt) => {
    measure();
    const contacts = near(), bounds = limits(dt), rows = 3 * contacts.length + bounds.length;
    ground.touching = [];
    if (rows === 0) {
      kept.fill(0);
      keptLimits.fill(0);
      return;
    }
    collect(contacts, bounds, dt);
    ground.report = solve(problem, impulses);
    for (let r = 0; r < rows; r++) for (let k = 0; k < NV; k++) v[k] += moved[r * NV + k] * impulses[r];
    kept.fill(0);
    keptLimits.fill(0);
    contacts.forEach((k, i) => {
      for (let r = 0; r < 3; r++) kept[3 * k + r] = impulses[3 * i + r];
      if (kept[3 * k + 2] > 0) ground.touching.push({ point: k, force: [0, 1, 2].map((r) => kept[3 * k + r] / dt) });
    });
    bounds.forEach(({ at, sign }, i) => { keptLimits[at] = sign * impulses[3 * contacts.length + i]; });
  };

  // Puts the ground under the lowest point, where there is one.
  ground.put = () => {
    ground.height = 0;
    measure();
    ground.height = count > 0 ? Math.min(...heights) : 0;
    ground.forget();
  };

  // Forgets the last step, as when the state is set.
  ground.forget = () => {
    before.fill(NaN);
    kept.fill(0);
    keptLimits.fill(0);
    ground.touching = [];
  };

  // Heights of all points over the ground, m, and where a point is.
  ground.heights = () => {
    measure();
    return heights;
  };
  ground.place = (k) => {
    const at = place(points[k]);
    return [at[0], at[1], at[2] - points[k][4]];
  };
  return ground;
}
