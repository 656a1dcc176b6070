// Triangles: three corners after one another, with the normal of each.

// Triangles of corners; without normals, those of the flat triangles.
function triangles(corners, normals) {
  const positions = new Float32Array(corners);
  if (normals) return { positions, normals: new Float32Array(normals) };
  const flat = new Float32Array(positions.length);
  for (let i = 0; i + 8 < positions.length; i += 9) {
    const [a, b, c] = [0, 3, 6].map((k) => Array.from(positions.subarray(i + k, i + k + 3)));
    const n = unit(cross(subtract(b, a), subtract(c, a)));
    for (let k = 0; k < 9; k++) flat[i + k] = n[k % 3];
  }
  return { positions, normals: flat };
}

// A cube with edges of length one about the origin.
function cube() {
  const corners = [];
  for (let axis = 0; axis < 3; axis++) {
    for (const side of [-0.5, 0.5]) {
      const corner = (u, v) => {
        const p = [0, 0, 0];
        p[axis] = side;
        p[(axis + 1) % 3] = side > 0 ? u : v;
        p[(axis + 2) % 3] = side > 0 ? v : u;
        return p;
      };
      const [a, b, c, d] = [corner(-0.5, -0.5), corner(0.5, -0.5), corner(0.5, 0.5), corner(-0.5, 0.5)];
      corners.push(...a, ...b, ...c, ...a, ...c, ...d);
    }
  }
  return triangles(corners);
}

const ROUND = 28;

// A surface of revolution about z: rings as radius, height, and the normal's radius and height.
function revolved(rings) {
  const corners = [], normals = [];
  const put = ([r, z, nr, nz], k) => {
    const angle = (2 * Math.PI * k) / ROUND, c = Math.cos(angle), s = Math.sin(angle);
    corners.push(r * c, r * s, z);
    normals.push(nr * c, nr * s, nz);
  };
  for (let i = 0; i + 1 < rings.length; i++) {
    for (let k = 0; k < ROUND; k++) {
      put(rings[i], k), put(rings[i], k + 1), put(rings[i + 1], k + 1);
      put(rings[i], k), put(rings[i + 1], k + 1), put(rings[i + 1], k);
    }
  }
  return triangles(corners, normals);
}

// Radius one, height one about the origin.
const cylinder = () => revolved([[0, -0.5, 0, -1], [1, -0.5, 0, -1], [1, -0.5, 1, 0], [1, 0.5, 1, 0], [1, 0.5, 0, 1], [0, 0.5, 0, 1]]);

// Radius one.
function sphere() {
  const rings = [];
  for (let k = 0; k <= 14; k++) {
    const angle = Math.PI * (k / 14 - 0.5);
    rings.push([Math.cos(angle), Math.sin(angle), Math.cos(angle), Math.sin(angle)]);
  }
  return revolved(rings);
}

// From the origin along z, of length one, as thick as a twentieth.
const arrow = () => revolved([[0, 0, 0, -1], [0.025, 0, 0, -1], [0.025, 0, 1, 0], [0.025, 0.75, 1, 0], [0.07, 0.75, 0, -1], [0.07, 0.75, 0.96, 0.27], [0, 1, 0.96, 0.27]]);

// Distance along a ray to the nearest triangle, or infinity.
function hit({ positions: p }, from, along) {
  let nearest = Infinity;
  for (let i = 0; i + 8 < p.length; i += 9) {
    const ux = p[i + 3] - p[i], uy = p[i + 4] - p[i + 1], uz = p[i + 5] - p[i + 2];
    const vx = p[i + 6] - p[i], vy = p[i + 7] - p[i + 1], vz = p[i + 8] - p[i + 2];
    const px = along[1] * vz - along[2] * vy, py = along[2] * vx - along[0] * vz, pz = along[0] * vy - along[1] * vx;
    const determinant = ux * px + uy * py + uz * pz;
    if (determinant === 0) continue;
    const tx = from[0] - p[i], ty = from[1] - p[i + 1], tz = from[2] - p[i + 2];
    const u = (tx * px + ty * py + tz * pz) / determinant;
    if (u < 0 || u > 1) continue;
    const qx = ty * uz - tz * uy, qy = tz * ux - tx * uz, qz = tx * uy - ty * ux;
    const v = (along[0] * qx + along[1] * qy + along[2] * qz) / determinant;
    if (v < 0 || u + v > 1) continue;
    const distance = (vx * qx + vy * qy + vz * qz) / determinant;
    if (distance > 0 && distance < nearest) nearest = distance;
  }
  return nearest;
}
