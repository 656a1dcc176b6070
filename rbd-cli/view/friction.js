// Contacts with friction at velocity level: impulses that push, and stay within Coulomb's cones.
//
// Formulas and their sources are in docs/math.md#contacts-with-friction. Of the methods there, sweeps of projected
// Gauss-Seidel and Newton's steps by modes are here; the method of multipliers and continuation are not.

/**
 * Contacts, each of three rows (two tangents, then the normal), or of one row without friction, such as a limit.
 *
 * @typedef {object} FrictionProblem
 * @property {ArrayLike<number>} starts First row of each contact, and the number of all rows.
 * @property {ArrayLike<number>} friction Coefficient of friction of each contact.
 * @property {ArrayLike<number>} delassus Symmetric matrix G, 1/kg.
 * @property {ArrayLike<number>} compliance Velocity by which each contact yields over its impulse, 1/kg.
 * @property {ArrayLike<number>} free Velocities g of the rows without impulses, m/s.
 */

/**
 * What a solution took, and how far a fixed-point step would move its scaled impulses.
 *
 * @typedef {{ residual: number, sweeps: number, newton: number }} FrictionReport
 */

/**
 * A solver, which keeps its memory from problem to problem.
 *
 * `solve(problem, impulses)` begins from the impulses, and writes those of the solution there.
 *
 * @param {{ target?: number, sweeps?: number, newton?: number, enough?: number, rounds?: number }} settings
 *     The residual at which a search ends, and the most sweeps and steps of a round. After the first round, the residual
 *     `enough` ends the search, or the last round does.
 * @returns {(problem: FrictionProblem, impulses: Float64Array) => FrictionReport}
 */
function frictionSolver({ target = 1e-6, sweeps = 10, newton = 6, enough = 1e-4, rounds = 6 } = {}) {
  // What Newton's diagonal is shifted by, so that redundant contacts have one solution.
  const SHIFT = Number.EPSILON * 1e6;
  const next = new Float64Array(3);
  let room = 0, n = 0, count = 0, residual = Infinity, starts, friction, g, free, scales, f, c, best, system, active;

  // Memory for so many rows.
  function grow(rows) {
    if (rows <= room) return;
    room = rows + 12;
    [free, scales, f, c, best] = Array.from({ length: 5 }, () => new Float64Array(room));
    [g, system, active] = [new Float64Array(room * room), new Float64Array(room * (room + 1)), new Int32Array(room)];
  }

  // Scales blocks of the diagonal to a mean of one, and velocities to a largest of one, which is returned.
  function scaled(problem) {
    let largest = 0, velocity = 0;
    for (let k = 0; k < count; k++) {
      const from = starts[k], to = starts[k + 1];
      let mean = 0;
      for (let r = from; r < to; r++) mean += (problem.delassus[r * n + r] + problem.compliance[k]) / (to - from);
      largest = Math.max(largest, mean);
      scales.fill(mean, from, to);
    }
    for (let r = 0; r < n; r++) {
      // A contact that no impulse moves has none.
      scales[r] = scales[r] > largest * Number.EPSILON ** 2 ? 1 / Math.sqrt(scales[r]) : 0;
      free[r] = problem.free[r] * scales[r];
      velocity = Math.max(velocity, Math.abs(free[r]));
    }
    if (!(velocity > 0)) velocity = 1;
    for (let r = 0; r < n; r++) {
      free[r] /= velocity;
      for (let s = 0; s < n; s++) g[r * n + s] = problem.delassus[r * n + s] * scales[r] * scales[s];
    }
    for (let k = 0; k < count; k++) {
      for (let r = starts[k]; r < starts[k + 1]; r++) g[r * n + r] += problem.compliance[k] * scales[r] ** 2;
    }
    return velocity;
  }

  // Writes the nearest point of a friction cone to `next`.
  function project(x, y, z, mu) {
    const across = Math.sqrt(x * x + y * y);
    // The polar first: without friction, the normal's line below the tip is within both conditions.
    if (mu * across <= -z) next.fill(0);
    else if (across <= mu * z) [next[0], next[1], next[2]] = [x, y, z];
    else {
      const up = (mu * across + z) / (mu * mu + 1), share = (mu * up) / across;
      [next[0], next[1], next[2]] = [x * share, y * share, up];
    }
  }

  // Writes where a fixed-point step of a contact leads to `next`, and returns its number of rows.
  function towards(k, share) {
    const r = starts[k];
    if (starts[k + 1] === r + 1) {
      next[0] = Math.max(0, f[r] - c[r]);
      return 1;
    }
    const mu = friction[k], slip = Math.sqrt(c[r] * c[r] + c[r + 1] * c[r + 1]);
    project(f[r] - c[r] * share, f[r + 1] - c[r + 1] * share, f[r + 2] - (c[r + 2] + mu * slip) * share, mu);
    return 3;
  }

  // Computes velocities of rows.
  function move(from, to) {
    for (let r = from; r < to; r++) {
      let sum = free[r];
      for (let s = 0; s < n; s++) sum += g[r * n + s] * f[s];
      c[r] = sum;
    }
  }

  // Computes velocities and the residual, and keeps the best impulses.
  function look() {
    let worst = 0;
    move(0, n);
    for (let k = 0; k < count; k++) {
      const rows = towards(k, 1);
      for (let r = 0; r < rows; r++) {
        const change = Math.abs(f[starts[k] + r] - next[r]);
        if (!(change <= worst)) worst = change;
      }
    }
    if (worst < residual) {
      residual = worst;
      best.set(f);
    }
    return worst;
  }

  // Sweeps over contact after contact. Returns the number of sweeps.
  function sweep(most) {
    for (let taken = 1; taken <= most; taken++) {
      let change = 0;
      for (let k = 0; k < count; k++) {
        move(starts[k], starts[k + 1]);
        // The largest eigenvalue of a scaled block of three is at most three: this step is at least half of the best.
        const rows = towards(k, 1 / 1.5);
        for (let r = 0; r < rows; r++) {
          change = Math.max(change, Math.abs(f[starts[k] + r] - next[r]));
          f[starts[k] + r] = next[r];
        }
      }
      if (change <= target) return taken;
    }
    return most;
  }

  // Whether a contact is open, or how it holds: "stick" or "slide".
  function mode(k) {
    const r = starts[k], normal = starts[k + 1] - 1;
    if (!(f[normal] - c[normal] > 0)) return "open";
    if (normal === r) return "stick";
    const x = f[r] - c[r], y = f[r + 1] - c[r + 1];
    return Math.sqrt(x * x + y * y) < friction[k] * (f[normal] - c[normal]) ? "stick" : "slide";
  }

  // A row of Newton's system: a times row r of G, and b times row s, and what is left of the equation.
  function put(at, size, a, r, b, s, rest) {
    const row = at * (size + 1);
    for (let k = 0; k < size; k++) system[row + k] = a * g[r * n + active[k]] + b * g[s * n + active[k]];
    // Impulses of open contacts go to zero.
    for (let k = size; k < n; k++) rest += (a * g[r * n + active[k]] + b * g[s * n + active[k]]) * f[active[k]];
    system[row + size] = rest;
  }

  // One of Newton's steps: equations of open, sticking and sliding contacts, linearised.
  function step() {
    const modes = Array.from({ length: count }, (_, k) => mode(k));
    let size = 0, end = n;
    for (let k = 0; k < count; k++) {
      for (let r = starts[k]; r < starts[k + 1]; r++) active[modes[k] === "open" ? --end : size++] = r;
    }
    let at = 0;
    for (let k = 0; k < count; k++) {
      if (modes[k] === "open") continue;
      const r = starts[k], normal = starts[k + 1] - 1, own = at;
      if (modes[k] === "slide") {
        const x = f[r] - c[r], y = f[r + 1] - c[r + 1], across = Math.sqrt(x * x + y * y), mu = friction[k];
        const e = across > 0 ? [x / across, y / across] : [0, 0], turn = across > 0 ? (mu * Math.max(0, f[normal])) / across : 0;
        for (let t = 0; t < 2; t++, at++) {
          const h = [((t === 0) - e[t] * e[0]) * turn, ((t === 1) - e[t] * e[1]) * turn];
          put(at, size, h[0], r, h[1], r + 1, mu * f[normal] * e[t] - f[r + t]);
          const row = at * (size + 1) + own;
          system[row + t] += 1;
          system[row] -= h[0];
          system[row + 1] -= h[1];
          system[row + 2] -= mu * e[t];
        }
      }
      for (let s = modes[k] === "slide" ? normal : r; s <= normal; s++, at++) {
        put(at, size, 1, s, 0, s, -c[s]);
        system[at * (size + 1) + at] += SHIFT;
      }
    }
    eliminate(size);
    for (let k = 0; k < n; k++) f[active[k]] = k < size ? f[active[k]] + system[k * (size + 1) + size] : 0;
  }

  // Solves the system in place, by elimination with row pivots. An unknown whose pivot is lost in rounding is zero.
  function eliminate(size) {
    const width = size + 1, least = Number.EPSILON ** 2;
    for (let k = 0; k < size; k++) {
      let pivot = k;
      for (let r = k + 1; r < size; r++) if (Math.abs(system[r * width + k]) > Math.abs(system[pivot * width + k])) pivot = r;
      if (pivot !== k) {
        for (let s = k; s < width; s++) {
          const kept = system[k * width + s];
          system[k * width + s] = system[pivot * width + s];
          system[pivot * width + s] = kept;
        }
      }
      if (!(Math.abs(system[k * width + k]) > least)) continue;
      for (let r = k + 1; r < size; r++) {
        const factor = system[r * width + k] / system[k * width + k];
        if (factor === 0) continue;
        for (let s = k; s < width; s++) system[r * width + s] -= factor * system[k * width + s];
      }
    }
    for (let k = size - 1; k >= 0; k--) {
      const pivot = system[k * width + k];
      let sum = system[k * width + size];
      for (let s = k + 1; s < size; s++) sum -= system[k * width + s] * system[s * width + size];
      system[k * width + size] = Math.abs(pivot) > least ? sum / pivot : 0;
    }
  }

  // Newton's steps until the residual is small, or does not fall any more. Returns their number.
  function improve(most) {
    let now = look(), taken = 0, inVain = 0;
    while (taken < most && inVain <= most / 2 && now > target && now < Infinity) {
      const before = residual;
      step();
      taken++;
      now = look();
      inVain = now < before ? 0 : inVain + 1;
    }
    return taken;
  }

  return (problem, impulses) => {
    ({ starts, friction } = problem);
    count = friction.length;
    n = starts[count];
    grow(n);
    const velocity = scaled(problem), taken = { residual: 0, sweeps: 0, newton: 0 };
    residual = Infinity;
    let begins = false;
    for (let k = 0; k < count; k++) {
      const r = starts[k], of = (i) => (scales[i] > 0 ? impulses[i] / (scales[i] * velocity) : 0);
      if (starts[k + 1] === r + 1) f[r] = Math.max(0, of(r));
      else {
        project(of(r), of(r + 1), of(r + 2), friction[k]);
        for (let i = 0; i < 3; i++) f[r + i] = next[i];
      }
      begins ||= f[starts[k + 1] - 1] > 0;
    }
    if (begins) taken.newton += improve(Math.min(4, newton));
    if (!(residual <= target)) {
      // No impulses are finite, whatever those to begin from are.
      if (!begins || residual === Infinity) f.fill(0, 0, n);
      else f.set(best);
      look();
    }
    for (let round = 0; round < rounds && residual > (round === 0 ? target : enough); round++) {
      taken.sweeps += sweep(sweeps);
      taken.newton += improve(newton);
      f.set(best);
    }
    f.set(best);
    move(0, n);
    // Impulses in their cones, and none at open contacts.
    let changes = 0;
    for (let k = 0; k < count; k++) {
      const r = starts[k], rows = starts[k + 1] - r;
      if (mode(k) === "open") next.fill(0);
      else if (rows === 1) next[0] = Math.max(0, f[r]);
      else project(f[r], f[r + 1], f[r + 2], friction[k]);
      for (let i = 0; i < rows; i++) {
        changes += f[r + i] !== next[i];
        f[r + i] = next[i];
      }
    }
    if (changes > 0) {
      residual = Infinity;
      look();
    }
    taken.residual = residual;
    for (let r = 0; r < n; r++) impulses[r] = f[r] * scales[r] * velocity;
    return taken;
  };
}
