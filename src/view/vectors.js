// SPDX-License-Identifier: Apache-2.0
// Vectors of three numbers, quaternions (w, x, y, z), matrices of 4 x 4 by columns.

const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const times = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const length = (a) => Math.sqrt(dot(a, a));
const unit = (a) => times(a, 1 / (length(a) || 1));
const mix = (a, b, s) => a + (b - a) * s;

// q v q'
function rotate(q, v) {
  const axis = [q[1], q[2], q[3]];
  const t = add(cross(axis, v), times(v, q[0]));
  return add(v, times(cross(axis, t), 2));
}

// the rotation b, then a
function compose(a, b) {
  return [
    a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
    a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
    a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
    a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
  ];
}

// a pose seen from its parent, in the world
function place(parent, pos, quat) {
  return { pos: add(parent.pos, rotate(parent.quat, pos)), quat: compose(parent.quat, quat) };
}

function product(a, b) {
  const c = new Array(16);
  for (let j = 0; j < 16; j += 4) {
    for (let i = 0; i < 4; i++) {
      c[i + j] = a[i] * b[j] + a[4 + i] * b[j + 1] + a[8 + i] * b[j + 2] + a[12 + i] * b[j + 3];
    }
  }
  return c;
}

// from a frame at a pose into the world
function poseMatrix(pos, [w, x, y, z]) {
  return [
    1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y), 0,
    2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x), 0,
    2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y), 0,
    pos[0], pos[1], pos[2], 1,
  ];
}

// along the light l onto the plane n . x = d: x - l (n . x - d) / (l . n)
function flatten(l, [a, b, c, d]) {
  const s = 1 / dot(l, [a, b, c]);
  const column = (n, k) => [0, 1, 2].map((i) => (i === k ? 1 : 0) - s * l[i] * n);
  return [...column(a, 0), 0, ...column(b, 1), 0, ...column(c, 2), 0, ...times(l, s * d), 1];
}

// fovy in radians
function perspective(fovy, aspect, near, far) {
  const f = 1 / Math.tan(fovy / 2), d = 1 / (near - far);
  return [f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (near + far) * d, -1, 0, 0, 2 * near * far * d, 0];
}

// from `eye` to `target`, z up
function lookAt(eye, target) {
  const z = unit(sub(eye, target)), x = unit(cross([0, 0, 1], z)), y = cross(z, x);
  return [x[0], y[0], z[0], 0, x[1], y[1], z[1], 0, x[2], y[2], z[2], 0,
    -dot(x, eye), -dot(y, eye), -dot(z, eye), 1];
}
