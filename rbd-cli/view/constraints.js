// What keeps a motion within bounds: the base that is held, and limits of joints.
//
// Formulas are in docs/math.md#motion-of-the-page. M is the mass matrix. Columns of its inverse are accelerations by
// a unit force at rest, without gravity.

// Constraints of the state q, v. `owners` are joints of one coordinate, `free` the base's coordinates.
function constraints(q, v, owners, free) {
  const { NB, NQ, NV } = robot;
  const still = new Float64Array(NV), unit = new Float64Array(NV), none = new Float64Array(6 * NB);
  const response = new Float64Array(NV), way = new Float64Array(NV);

  // A column of M's inverse, from accelerations by gravity alone.
  function column(i, byGravity) {
    unit[i] = 1;
    robot.aba_fext(q, still, unit, none, response);
    unit[i] = 0;
    return response.map((x, k) => x - byGravity[k]);
  }

  const byGravity = () => robot.aba_fext(q, still, still, none);

  // How far a point of a body gives way to a unit force of the softest direction, 1/kg.
  //
  // With accelerations a by the force alone it is a' M a, twice the kinetic energy of a as velocities.
  function mobility(body, pose, point) {
    const force = new Float64Array(6 * NB), before = byGravity();
    return Math.max(...[[1, 0, 0], [0, 1, 0], [0, 0, 1]].map((direction) => {
      const along = turnBack(pose, direction);
      force.set([...along, ...cross(point, along)], 6 * body);
      robot.aba_fext(q, still, still, force, response);
      return 2 * robot.kinetic_energy(q, response.map((x, i) => x - before[i]))[0];
    }));
  }

  // The base's columns of M's inverse, and the inverse of its block of them, by Gauss and Jordan.
  // They are computed again when a coordinate has moved by so much: errors are made good by the next steps.
  const MOVED = 0.03, weighed = new Float64Array(NQ).fill(Infinity);
  let columns = [], weights = [];
  function weigh() {
    if (q.every((x, i) => Math.abs(x - weighed[i]) < MOVED)) return;
    weighed.set(q);
    const n = free.length, before = byGravity();
    columns = free.map((i) => column(i, before));
    const rows = free.map((i, r) => [...columns.map((c) => c[i]), ...free.map((_, k) => (k === r ? 1 : 0))]);
    for (let k = 0; k < n; k++) {
      // The block is positive definite: so are its pivots.
      const pivot = rows[k].map((x) => x / rows[k][k]);
      for (let r = 0; r < n; r++) rows[r] = r === k ? pivot : rows[r].map((x, c) => x - rows[r][k] * pivot[c]);
    }
    weights = rows.map((row) => row.slice(n));
  }

  // Forces on the base that take it to its place within a twentieth of a second, critically damped.
  function hold(home, tau, fext) {
    weigh();
    robot.difference(q, home, way);
    robot.aba_fext(q, v, tau, fext, response);
    const missing = free.map((i) => 400 * way[i] - 40 * v[i] - response[i]);
    free.forEach((i, r) => { tau[i] = dot(weights[r], missing); });
  }

  // Stops joints at their limits by impulses, which lose energy. A base that is held takes no part.
  function stop(held) {
    const beyond = ({ idx_q, idx_v, lower, upper }) => lower < upper && ((q[idx_q] <= lower && v[idx_v] < 0) || (q[idx_q] >= upper && v[idx_v] > 0));
    const hits = owners.filter(beyond);
    if (hits.length > 0) {
      const before = byGravity();
      if (held) weigh();
      for (const joint of hits) {
        if (!beyond(joint)) continue;
        const change = column(joint.idx_v, before);
        if (held) {
          const on = free.map((i) => change[i]);
          weights.map((row) => dot(row, on)).forEach((force, k) => columns[k].forEach((x, i) => { change[i] -= force * x; }));
        }
        const impulse = -v[joint.idx_v] / change[joint.idx_v];
        for (let i = 0; i < NV; i++) v[i] += impulse * change[i];
      }
    }
    clamp();
  }

  // Takes back by how much joints are beyond their limits.
  function clamp() {
    for (const { idx_q, lower, upper } of owners) if (lower < upper) q[idx_q] = Math.min(Math.max(q[idx_q], lower), upper);
  }

  return { hold, stop, clamp, mobility };
}
