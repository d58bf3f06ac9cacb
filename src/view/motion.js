// SPDX-License-Identifier: Apache-2.0
// The data of the page: docs/view.md has their form. Numbers come as base64; poses between two frames are interpolated.

function bytesOf(text) {
  const raw = atob(text), bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) {
    bytes[i] = raw.charCodeAt(i);
  }
  return bytes.buffer;
}

// f4: numbers as they are; u4: whole numbers; u2: low + step k, column by column
function unpack({ of, data, low, step }) {
  if (of !== "u2") {
    return of === "f4" ? new Float32Array(bytesOf(data)) : new Uint32Array(bytesOf(data));
  }
  const whole = new Uint16Array(bytesOf(data)), n = low.length;
  return Float32Array.from(whole, (k, i) => low[i % n] + step[i % n] * k);
}

// polygons: corners face after face, with the place of the first corner of each face
function readSurface({ first, corners, corner, pressure }) {
  const counts = unpack(corners), begin = new Uint32Array(counts.length + 1);
  counts.forEach((n, i) => { begin[i + 1] = begin[i] + n; });
  const pressures = unpack(pressure);
  return { first: unpack(first), begin, corner: unpack(corner), pressure: pressures, most: pressures.reduce((a, b) => Math.max(a, b), 0) };
}

function readMotion(m) {
  const motion = { name: m.name, sizes: m.sizes, time: unpack(m.time), pose: unpack(m.pose) };
  motion.frames = motion.time.length;
  motion.end = motion.time[motion.frames - 1];
  if (m.path) {
    motion.path = unpack(m.path);
    motion.level = unpack(m.level);
  }
  motion.first = unpack(m.contact_first);
  motion.contact = unpack(m.contact);
  motion.surface = m.surface && readSurface(m.surface);
  motion.plots = m.plots.map(unpack);
  return motion;
}

// with the coarse meshes on a slow machine
function readData(data, slow) {
  data.motions = data.motions.map(readMotion);
  const meshes = data.coarse.length > 0 && slow ? data.coarse : data.meshes;
  data.meshes = meshes.map((m) => ({ vertex: unpack(m.vertex), face: unpack(m.face) }));
  data.looks.forEach((look) => {
    const g = data.geoms[look.geom];
    g.look = look;
    g.rgba = look.mean ? [...look.mean.map((x, k) => x * g.rgba[k]), g.rgba[3]] : g.rgba;
  });
  data.fields = data.fields.map((f) => ({ ...f, height: unpack(f.height) }));
  return data;
}

// the frame before a time, and the share of the way to the next one
function frameAt(motion, time) {
  let low = 0, high = motion.frames - 1;
  while (low < high) {
    const k = (low + high + 1) >> 1;
    if (motion.time[k] <= time) {
      low = k;
    } else {
      high = k - 1;
    }
  }
  const next = Math.min(low + 1, motion.frames - 1), gap = motion.time[next] - motion.time[low];
  return { at: low, next, share: gap > 0 ? Math.min(Math.max((time - motion.time[low]) / gap, 0), 1) : 0 };
}

// poses of all bodies: { pos, quat }
function posesAt(motion, frame, nbody) {
  const x = motion.pose, poses = [];
  for (let b = 0; b < nbody; b++) {
    const i = 7 * (frame.at * nbody + b), j = 7 * (frame.next * nbody + b);
    let sign = 0;
    for (let k = 3; k < 7; k++) {
      sign += x[i + k] * x[j + k];
    }
    const pos = [0, 1, 2].map((k) => mix(x[i + k], x[j + k], frame.share));
    const quat = [3, 4, 5, 6].map((k) => mix(x[i + k], sign < 0 ? -x[j + k] : x[j + k], frame.share));
    const size = Math.hypot(...quat);
    poses.push({ pos, quat: quat.map((k) => k / size) });
  }
  return poses;
}

// geoms that the camera looks at: those that move, or else all of them, the ground aside
function watched(data) {
  const solid = data.geoms.filter((g) => g.type !== "plane" && g.group < 3), moving = solid.filter((g) => !data.still[g.body]);
  return moving.length > 0 ? moving : solid;
}

// a box about them, of `most` frames of each motion
function boundsOf(data, most) {
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity], geoms = watched(data);
  for (const motion of data.motions) {
    for (let f = 0; f < motion.frames; f += Math.ceil(motion.frames / most)) {
      const poses = posesAt(motion, { at: f, next: f, share: 0 }, data.bodies.length);
      for (const g of geoms) {
        const { pos } = place(poses[g.body], g.pos, g.quat);
        pos.forEach((x, k) => {
          low[k] = Math.min(low[k], x - g.reach);
          high[k] = Math.max(high[k], x + g.reach);
        });
      }
    }
  }
  if (!(low[0] <= high[0])) {
    return { centre: [0, 0, 0], size: 2 };
  }
  return { centre: times(add(low, high), 0.5), size: Math.max(length(sub(high, low)), 1e-3) };
}
