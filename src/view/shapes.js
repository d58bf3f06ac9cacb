// SPDX-License-Identifier: Apache-2.0
// Triangles of shapes: { vertex, normal, index }. Unit shapes are scaled to their size when they are drawn.

function shape() {
  return { vertex: [], normal: [], index: [] };
}

// a patch of (m + 1) x (n + 1) points; at(u, v) gives [point, normal] for u and v from 0 to 1
function addPatch(s, m, n, at) {
  const first = s.vertex.length / 3;
  for (let i = 0; i <= m; i++) {
    for (let j = 0; j <= n; j++) {
      const [point, normal] = at(i / m, j / n);
      s.vertex.push(...point);
      s.normal.push(...normal);
    }
  }
  for (let i = 0; i < m; i++) {
    for (let j = 0; j < n; j++) {
      const a = first + i * (n + 1) + j, b = a + n + 1;
      s.index.push(a, b, a + 1, a + 1, b, b + 1);
    }
  }
}

const around = (v) => [Math.cos(2 * Math.PI * v), Math.sin(2 * Math.PI * v)];

// in parts: drawn without a graphics card, a triangle with corners behind the camera may lose its pattern
function planeShape() {
  const s = shape();
  addPatch(s, 16, 16, (u, v) => [[2 * u - 1, 2 * v - 1, 0], [0, 0, 1]]);
  return s;
}

function boxShape() {
  const s = shape();
  for (let k = 0; k < 6; k++) {
    const axis = k % 3, sign = k < 3 ? 1 : -1, normal = [0, 0, 0];
    normal[axis] = sign;
    addPatch(s, 1, 1, (u, v) => {
      const point = [0, 0, 0];
      point[axis] = sign;
      point[(axis + 1) % 3] = sign * (2 * u - 1);
      point[(axis + 2) % 3] = 2 * v - 1;
      return [point, normal];
    });
  }
  return s;
}

// between two latitudes, moved along z
function addBall(s, from, to, radius, z, rings) {
  addPatch(s, rings, 32, (u, v) => {
    const latitude = mix(from, to, u), [x, y] = around(v), c = Math.cos(latitude);
    const normal = [c * x, c * y, Math.sin(latitude)];
    return [add(times(normal, radius), [0, 0, z]), normal];
  });
}

function addTube(s, radius, half) {
  addPatch(s, 1, 32, (u, v) => {
    const [x, y] = around(v);
    return [[radius * x, radius * y, half * (2 * u - 1)], [x, y, 0]];
  });
}

function sphereShape() {
  const s = shape();
  addBall(s, -Math.PI / 2, Math.PI / 2, 1, 0, 20);
  return s;
}

function cylinderShape() {
  const s = shape();
  addTube(s, 1, 1);
  for (const z of [-1, 1]) {
    addPatch(s, 1, 32, (u, v) => {
      const [x, y] = around(v);
      return [[u * x, u * y, z], [0, 0, z]];
    });
  }
  return s;
}

// its ends stay round, so it has its own size
function capsuleShape(radius, half) {
  const s = shape();
  addBall(s, -Math.PI / 2, 0, radius, -half, 8);
  addTube(s, radius, half);
  addBall(s, 0, Math.PI / 2, radius, half, 8);
  return s;
}

function heightShape(field) {
  const s = shape(), { rows, columns, size, height } = field;
  const up = (i, j) => size[2] * height[Math.min(Math.max(i, 0), rows - 1) * columns + Math.min(Math.max(j, 0), columns - 1)];
  const dx = 2 * size[0] / (columns - 1), dy = 2 * size[1] / (rows - 1);
  addPatch(s, rows - 1, columns - 1, (u, v) => {
    const i = Math.round(u * (rows - 1)), j = Math.round(v * (columns - 1));
    const slope = [(up(i, j - 1) - up(i, j + 1)) / (2 * dx), (up(i - 1, j) - up(i + 1, j)) / (2 * dy), 1];
    return [[size[0] * (2 * v - 1), size[1] * (2 * u - 1), up(i, j)], unit(slope)];
  });
  return s;
}

// normals of triangles, as long as twice their areas
function faceNormals(vertex, face) {
  const normal = new Float32Array(face.length);
  for (let f = 0; f < face.length; f += 3) {
    const p = [0, 1, 2].map((k) => vertex.subarray(3 * face[f + k], 3 * face[f + k] + 3));
    normal.set(cross(sub(p[1], p[0]), sub(p[2], p[0])), f);
  }
  return normal;
}

// which corners each vertex has: those of vertex v are list[first[v]] ... list[first[v + 1] - 1]
function cornersOf(count, face) {
  const first = new Uint32Array(count + 2), list = new Uint32Array(face.length);
  face.forEach((v) => first[v + 2]++);
  for (let v = 0; v < count; v++) {
    first[v + 2] += first[v + 1];
  }
  face.forEach((v, corner) => { list[first[v + 1]++] = corner; });
  return { first, list };
}

// the mean normal about a corner, of triangles within 40 degrees of its own
function cornerNormal(corner, corners, vertex, of) {
  const own = unit(of(corner));
  let sum = [0, 0, 0];
  for (let k = corners.first[vertex]; k < corners.first[vertex + 1]; k++) {
    const other = of(corners.list[k]);
    if (dot(own, other) >= 0.76 * length(other)) {
      sum = add(sum, other);
    }
  }
  return unit(sum);
}

// a mesh that is smooth except across edges of more than 40 degrees; a vertex comes once for each of its normals
function meshShape({ vertex, face }) {
  const normals = faceNormals(vertex, face), corners = cornersOf(vertex.length / 3, face);
  const of = (corner) => { const f = corner - corner % 3; return [normals[f], normals[f + 1], normals[f + 2]]; };
  const s = { vertex: [], normal: [], index: new Uint32Array(face.length) }, known = new Map();
  for (let corner = 0; corner < face.length; corner++) {
    const v = face[corner], normal = cornerNormal(corner, corners, v, of);
    const same = (known.get(v) || []).find((i) => dot(normal, s.normal.slice(3 * i, 3 * i + 3)) > 0.999);
    s.index[corner] = same === undefined ? s.vertex.length / 3 : same;
    if (same === undefined) {
      known.set(v, [...(known.get(v) || []), s.vertex.length / 3]);
      s.vertex.push(vertex[3 * v], vertex[3 * v + 1], vertex[3 * v + 2]);
      s.normal.push(...normal);
    }
  }
  return s;
}
