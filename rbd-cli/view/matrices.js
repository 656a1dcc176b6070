// Matrices of four by four numbers and vectors of three, by columns.

const IDENTITY = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

const add = (a, b) => a.map((x, i) => x + b[i]);
const subtract = (a, b) => a.map((x, i) => x - b[i]);
const scale = (a, s) => a.map((x) => x * s);
const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const length = (a) => Math.hypot(...a);
const unit = (a) => scale(a, 1 / (length(a) || 1));

function multiply(a, b) {
  const out = new Array(16);
  for (let c = 0; c < 4; c++) {
    for (let r = 0; r < 4; r++) {
      out[4 * c + r] = a[r] * b[4 * c] + a[4 + r] * b[4 * c + 1] + a[8 + r] * b[4 * c + 2] + a[12 + r] * b[4 * c + 3];
    }
  }
  return out;
}

// A pose of twelve numbers, three columns of a rotation and a translation, from an entry of an array on.
function fromPlacement(p, at = 0) {
  return [
    p[at], p[at + 1], p[at + 2], 0, p[at + 3], p[at + 4], p[at + 5], 0,
    p[at + 6], p[at + 7], p[at + 8], 0, p[at + 9], p[at + 10], p[at + 11], 1,
  ];
}

const translation = ([x, y, z]) => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, y, z, 1];
const scaling = ([x, y, z]) => [x, 0, 0, 0, 0, y, 0, 0, 0, 0, z, 0, 0, 0, 0, 1];
const origin = (m) => [m[12], m[13], m[14]];

const transform = (m, [x, y, z]) => [0, 1, 2].map((r) => m[r] * x + m[4 + r] * y + m[8 + r] * z + m[12 + r]);
const turn = (m, [x, y, z]) => [0, 1, 2].map((r) => m[r] * x + m[4 + r] * y + m[8 + r] * z);
const turnBack = (m, [x, y, z]) => [0, 1, 2].map((c) => m[4 * c] * x + m[4 * c + 1] * y + m[4 * c + 2] * z);

// The inverse of a matrix whose last row is 0, 0, 0, 1.
function inverse(m) {
  const columns = [m.slice(0, 3), m.slice(4, 7), m.slice(8, 11)];
  const rows = [cross(columns[1], columns[2]), cross(columns[2], columns[0]), cross(columns[0], columns[1])];
  const determinant = dot(columns[0], rows[0]) || 1;
  const [a, b, c] = rows.map((row) => scale(row, 1 / determinant)), t = origin(m);
  return [a[0], b[0], c[0], 0, a[1], b[1], c[1], 0, a[2], b[2], c[2], 0, -dot(a, t), -dot(b, t), -dot(c, t), 1];
}

// A pose at a point, with its z axis along a direction.
function pointing(at, direction) {
  const z = unit(direction), x = unit(cross(Math.abs(z[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0], z)), y = cross(z, x);
  return [...x, 0, ...y, 0, ...z, 0, ...at, 1];
}

function perspective(angle, aspect, near, far) {
  const f = 1 / Math.tan(angle / 2), range = 1 / (near - far);
  return [f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) * range, -1, 0, 0, 2 * far * near * range, 0];
}

function lookingAt(eye, target, up) {
  const z = unit(subtract(eye, target)), x = unit(cross(up, z)), y = cross(z, x);
  return [x[0], y[0], z[0], 0, x[1], y[1], z[1], 0, x[2], y[2], z[2], 0, -dot(x, eye), -dot(y, eye), -dot(z, eye), 1];
}
