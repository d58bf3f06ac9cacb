// SPDX-License-Identifier: Apache-2.0
// The point of a shape under the mouse: a ray from the camera against triangles.

// the ray through a point of the canvas, which is -1 to 1 wide and high
function rayAt(camera, aspect, x, y) {
  const eye = eyeOf(camera), z = unit(sub(eye, camera.target)), right = unit(cross([0, 0, 1], z)), up = cross(z, right);
  const reach = Math.tan(fovy / 2), way = add(times(right, x * aspect * reach), times(up, y * reach));
  return { from: eye, way: unit(sub(way, z)), facing: z };
}

// how far along the ray a triangle is met, Infinity if it is not [Moeller, Trumbore, Fast minimum storage ray-triangle
// intersection, 1997]
function meetTriangle(from, way, a, b, c) {
  const e1 = sub(b, a), e2 = sub(c, a), p = cross(way, e2), size = dot(e1, p);
  if (Math.abs(size) < 1e-20) {
    return Infinity;
  }
  const s = sub(from, a), u = dot(s, p) / size, q = cross(s, e1), v = dot(way, q) / size, far = dot(e2, q) / size;
  return u >= 0 && v >= 0 && u + v <= 1 && far > 0 ? far : Infinity;
}

// the distance to a shape whose vertices are multiplied with `size`
function meetShape(ray, item) {
  const back = [item.quat[0], -item.quat[1], -item.quat[2], -item.quat[3]], { vertex, index } = item.shape.source;
  const from = rotate(back, sub(ray.from, item.pos)), way = rotate(back, ray.way);
  const point = (k) => [0, 1, 2].map((j) => vertex[3 * index[k] + j] * item.size[j]);
  let nearest = Infinity;
  for (let k = 0; k < index.length; k += 3) {
    nearest = Math.min(nearest, meetTriangle(from, way, point(k), point(k + 1), point(k + 2)));
  }
  return nearest;
}

// false if the ray passes the sphere about an item
function isNear(ray, item) {
  const to = sub(item.pos, ray.from), along = dot(to, ray.way);
  return length(sub(to, times(ray.way, along))) <= item.reach * 1.01;
}

// the nearest item and the point on it; null if there is none
function pick(ray, items) {
  let found = null;
  for (const item of items.filter((i) => isNear(ray, i))) {
    const far = meetShape(ray, item);
    if (far < (found ? found.far : Infinity)) {
      found = { item, far };
    }
  }
  return found && { item: found.item, point: add(ray.from, times(ray.way, found.far)) };
}

// where the ray meets the plane through a point that faces the camera
function meetPlane(ray, point) {
  const far = dot(sub(point, ray.from), ray.facing) / dot(ray.way, ray.facing);
  return add(ray.from, times(ray.way, far));
}
