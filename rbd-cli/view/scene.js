// The picture of a robot: its solids and lines, by what is shown.

const SHAPES = { box: cube(), cylinder: cylinder(), sphere: sphere(), arrow: arrow() };
const RED = [0.85, 0.2, 0.2, 1], GREEN = [0.15, 0.6, 0.25, 1], BLUE = [0.2, 0.4, 0.9, 1], ORANGE = [0.95, 0.55, 0.1, 1];

// Color of what has none.
const GREY = [0.72, 0.74, 0.78, 1];

// Triangles of a part of a mesh, whose corners are fractions of its box in 65535ths.
function mesh({ corners, lower, upper, color }) {
  const bytes = Uint8Array.from(atob(corners), (c) => c.charCodeAt(0));
  const whole = new Uint16Array(bytes.buffer), positions = new Float32Array(whole.length);
  whole.forEach((n, i) => { positions[i] = lower[i % 3] + ((upper[i % 3] - lower[i % 3]) * n) / 65535; });
  return { ...triangles(positions), color };
}

// What of a robot is drawn, for a simulation of it.
function scene(data, state) {
  const meshes = data.meshes.map((parts) => parts.map(mesh));
  const solids = data.solids.flatMap(({ body, pose, kind, size, color, collision, mesh }) => (kind === "mesh" ? meshes[mesh] : [SHAPES[kind]]).map((shape) => ({
    body,
    color: color ?? shape.color ?? GREY,
    collision,
    shape,
    local: multiply(fromPlacement(pose), scaling(kind === "cylinder" ? [size[0], size[0], size[1]] : kind === "sphere" ? [size[0], size[0], size[0]] : size)),
  })));
  // An ellipsoid of at most a size. A flat one is drawn a little thick.
  function ellipsoid(body, { pose, axes }, color, most = Infinity) {
    const largest = Math.max(...axes, 1e-6), factor = Math.min(1, most / largest);
    const drawn = axes.map((x) => factor * Math.max(x, 0.01 * largest));
    return { body, shape: SHAPES.sphere, local: multiply(fromPlacement(pose), scaling(drawn)), color };
  }
  const inertias = data.inertias.map((inertia) => ellipsoid(inertia.body, inertia.ellipsoid, [0.22, 0.45, 0.85, 0.5]));
  const marked = data.findings.map(({ mark }) => mark).filter(Boolean);
  const strange = marked.flatMap((mark) => (mark.ellipsoid ? [ellipsoid(mark.body, mark.ellipsoid, [...ORANGE.slice(0, 3), 0.6], 0.2 * data.size)] : []));
  const world = (solid) => ({ ...solid, matrix: multiply(state.pose(solid.body), solid.local) });

  // A bone of a body between two points, if they are not one.
  function bone(body, from, to) {
    const way = subtract(to, from), n = length(way), across = 0.012 * data.size;
    if (n < 1e-9) return [];
    const matrix = multiply(pointing(scale(add(from, to), 0.5), way), scaling([across, across, n]));
    return [{ body, shape: SHAPES.cylinder, color: [0.6, 0.64, 0.7, 1], matrix }];
  }

  // Without shapes, feet and other ends of bodies meet the ground: the skeleton has them.
  const ends = data.solids.length === 0 ? data.contacts : [];

  // Bones between joints, and to ends.
  function bones() {
    const joints = robot.JOINTS.flatMap(({ parent }, k) => {
      const [from, to] = [parent ?? -1, k].map((body) => origin(state.pose(body))), across = 0.0192 * data.size;
      const ball = { body: k, shape: SHAPES.sphere, color: BLUE, matrix: multiply(translation(to), scaling([across, across, across])) };
      return [ball, ...bone(parent ?? -1, from, to)];
    });
    return [...joints, ...ends.flatMap(([body, ...point]) => bone(body, origin(state.pose(body)), transform(state.pose(body), point)))];
  }

  // An arrow from a point, of a direction and length.
  function arrowAt(at, way, color) {
    const n = length(way);
    return n < 1e-9 * data.size ? [] : [{ body: -1, shape: SHAPES.arrow, color, matrix: multiply(pointing(at, way), scaling([n, n, n])) }];
  }

  // Torques that hold the robot against gravity, along the axes of the joints.
  function torques() {
    const tau = state.gravity();
    const share = ({ idx_v, effort }) => (Number.isFinite(effort) && effort > 0 ? tau[idx_v] / effort : 0);
    const most = state.owners.some((joint) => share(joint) !== 0) ? 1 : Math.max(1e-9, ...state.owners.map(({ idx_v }) => Math.abs(tau[idx_v])));
    return state.owners.flatMap((joint) => {
      const k = robot.JOINTS.indexOf(joint), pose = state.pose(k);
      const part = Math.max(-1, Math.min(1, share(joint) || tau[joint.idx_v] / most));
      return arrowAt(origin(pose), scale(turn(pose, data.axes[k]), 0.4 * data.size * part), Math.abs(part) > 0.999 ? RED : ORANGE);
    });
  }

  // The axes of joints that findings are about, through them.
  function axes() {
    return marked.flatMap(({ joint }) => {
      if (joint === null) return [];
      const pose = state.pose(joint), way = scale(turn(pose, data.axes[joint]), 0.25 * data.size), thick = 0.008 * data.size;
      if (length(way) === 0) return [];
      const rod = multiply(pointing(origin(pose), way), scaling([thick, thick, 2 * length(way)]));
      return [...arrowAt(origin(pose), way, ORANGE), { body: joint, shape: SHAPES.cylinder, color: ORANGE, matrix: rod }];
    });
  }

  // The ground of a recording and of a fixed base is at zero. A base that floats begins with its lowest point on it.
  const ground = state.ground && !data.trajectory ? state.ground.height : 0;

  function grid(color) {
    const points = [], n = 10, cell = data.size / 5;
    for (let k = -n; k <= n; k++) {
      for (const end of [-n * cell, n * cell]) points.push([k * cell, end, ground]);
      for (const end of [-n * cell, n * cell]) points.push([end, k * cell, ground]);
    }
    return { points, color };
  }

  // Solids and lines of everything that is shown.
  function picture(shown, color) {
    const parts = [], lines = [];
    if (shown.visual) parts.push(...solids.filter((s) => !s.collision).map(world));
    if (shown.collision) parts.push(...solids.filter((s) => s.collision).map(world));
    if (shown.skeleton) parts.push(...bones());
    if (shown.inertia) parts.push(...inertias.map(world));
    if (shown.findings) parts.push(...strange.map(world), ...axes());
    if (shown.center) {
      const r = 0.02 * data.size, center = Array.from(state.center());
      parts.push({ body: -1, shape: SHAPES.sphere, color: RED, matrix: multiply(translation(center), scaling([r, r, r])) });
      lines.push({ points: [center, [center[0], center[1], ground]], color: RED });
    }
    if (shown.gravity) parts.push(...torques());
    if (shown.forces && state.ground) {
      // Half of the robot's size is its weight.
      const part = (0.5 * data.size) / (9.81 * data.mass);
      for (const { point, force } of state.ground.touching) parts.push(...arrowAt(state.ground.place(point), scale(force, part), GREEN));
    }
    if (shown.frames) {
      const n = 0.08 * data.size;
      for (const [axis, of] of [[0, RED], [1, GREEN], [2, BLUE]]) {
        const points = robot.JOINTS.flatMap((_, k) => {
          const pose = state.pose(k), end = [0, 0, 0];
          end[axis] = n;
          return [origin(pose), transform(pose, end)];
        });
        lines.push({ points, color: of });
      }
    }
    if (shown.grid) lines.push(grid(color));
    if (state.pull) {
      const { body, point, target } = state.pull, at = transform(state.pose(body), point);
      parts.push(...arrowAt(at, subtract(target, at), RED));
    }
    return { solids: parts, lines };
  }

  // The nearest body on a ray, and the point in its frame.
  function pick(parts, from, along) {
    let best = null, nearest = Infinity;
    for (const { shape, matrix, body } of parts) {
      const back = inverse(matrix), distance = hit(shape, transform(back, from), turn(back, along));
      if (distance < nearest) [nearest, best] = [distance, body];
    }
    if (best === null) return null;
    const at = add(from, scale(along, nearest));
    return { body: best, at, point: transform(inverse(state.pose(best)), at) };
  }

  return { picture, pick };
}
