// SPDX-License-Identifier: Apache-2.0
// What is drawn at a time: shapes of all motions, tendons, contacts, surfaces of pressure fields, frames.

// safe for the colour-blind [Okabe, Ito, Color universal design, 2008]
const series = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];
const muted = ["#8fa8c8", "#d9a679", "#8dbfa5", "#c9a3bd", "#d8c27a", "#9cc5d6", "#b3a08c", "#a3b18a"];
const hiddenGroup = 3;  // and on: shapes for collisions, as MuJoCo's viewer has it

const rgb = (text) => [1, 3, 5].map((k) => parseInt(text.slice(k, k + 2), 16) / 255);
const isGrey = (c) => c[0] === 0.5 && c[1] === 0.5 && c[2] === 0.5;

// a geom or site without a colour of its own has one of its body
function colourOf(g) {
  const own = isGrey(g.rgba) ? (g.body === 0 ? [0.62, 0.65, 0.68] : rgb(muted[g.body % muted.length])) : g.rgba.slice(0, 3);
  return [...own, g.rgba[3]];
}

// shapes by what they are made of, each uploaded once
function makeShapes(gl, data) {
  const made = new Map(), size = { box: boxShape, plane: planeShape, sphere: sphereShape, ellipsoid: sphereShape, cylinder: cylinderShape };
  const build = (g) => g.type === "mesh" ? meshShape(data.meshes[g.mesh])
    : g.type === "hfield" ? heightShape(data.fields[g.mesh])
      : g.type === "capsule" ? capsuleShape(g.size[0], g.size[1]) : size[g.type]();
  return (g) => {
    const key = `${g.type} ${g.mesh} ${g.type === "capsule" ? g.size : ""}`;
    if (!made.has(key)) {
      const source = build(g);
      made.set(key, { ...upload(gl, source), source });
    }
    return made.get(key);
  };
}

// what the shape is multiplied with
function scaleOf(g) {
  const [a, b, c] = g.size;
  return { sphere: [a, a, a], cylinder: [a, a, b], box: [a, b, c], ellipsoid: [a, b, c], plane: [a, b, 0] }[g.type] || [1, 1, 1];
}

function makeScene(canvas, data, pictures) {
  const shapeOf = makeShapes(canvas.gl, data), box = boundsOf(data, 60), first = boundsOf(data, 1);
  const uploaded = pictures.map((picture) => uploadPicture(canvas.gl, picture, canvas.slow));
  const prepared = (g) => ({ ...g, shape: shapeOf(g), scale: scaleOf(g), colour: colourOf(g), placed: placeLook(g, scaleOf(g), data, uploaded) });
  const drawable = (g) => g.type !== "mesh" || data.meshes[g.mesh].face.length > 0;
  const drawn = data.geoms.filter(drawable).map(prepared), wide = 40 * box.size;
  const planes = drawn.filter((g) => g.type === "plane"), solids = drawn.filter((g) => g.type !== "plane");
  // a motion of a model with other sizes
  const resized = (sizes) => data.geoms.map((g, i) => ({ ...g, size: sizes.slice(3 * i, 3 * i + 3) }))
    .filter((g) => g.type !== "plane" && drawable(g)).map(prepared);
  planes.forEach((g) => {
    g.scale = [g.size[0] || wide, g.size[1] || wide, 1];
    g.placed = placeLook(g, g.scale, data, uploaded);
  });
  return {
    data, box, unit: first.size, planes, sites: data.sites.map(prepared),
    solids: data.motions.map((m) => m.sizes ? resized(m.sizes) : solids),
    show: { hulls: false, sites: false, tendons: true, contacts: true, frames: false, shadows: true },
    seen: data.motions.map(() => true),
    marks: [],  // more lines, above all
  };
}

// of several motions each has its colour, the later ones translucent
function motionColour(scene, g, motion, moving) {
  const own = rgb(series[motion % series.length]);
  return motion > 0 ? [...own, 0.4] : moving && scene.data.motions.length > 1 ? [...own, g.colour[3]] : g.colour;
}

// of later motions only what moves
function addItems(list, scene, shown, poses, motion) {
  for (const g of shown) {
    const { pos, quat } = place(poses[g.body], g.pos, g.quat);
    const moving = !scene.data.still[g.body], colour = motionColour(scene, g, motion, moving);
    if (motion === 0 || moving) {
      const look = moving && scene.data.motions.length > 1 ? null : g.placed;
      list.push({ shape: g.shape, pos, quat, size: g.scale, colour, look, reach: g.reach, flat: g.type === "hfield", body: g.body });
    }
  }
}

function pushLine(lines, from, to, r0, r1, colour) {
  lines.push(...from, ...to, r0, r1, ...colour);
}

// from blue at rest to orange
const levelColour = (s) => [mix(0.16, 0.95, s), mix(0.32, 0.60, s), mix(0.62, 0.10, s), 1];

function addTendons(lines, scene, motion, m, frame) {
  const total = scene.data.tendons.reduce((n, t) => n + t.lines.reduce((a, b) => a + b, 0), 0);
  const at = (k) => [0, 1, 2].map((j) =>
    mix(motion.path[3 * (frame.at * total + k) + j], motion.path[3 * (frame.next * total + k) + j], frame.share));
  let k = 0;
  scene.data.tendons.forEach((t, i) => {
    const level = motion.level[frame.at * scene.data.tendons.length + i];
    const colour = m === 0 ? levelColour(level) : [...rgb(series[m % series.length]), 0.6];
    for (const n of t.lines) {
      let last = at(k);
      for (let p = 1; p < n; p++) {
        const point = at(k + p);
        pushLine(lines, last, point, t.width, t.width, colour);
        last = point;
      }
      k += n;
    }
  });
}

// an arrow whose head takes up to its last third
function addArrow(lines, from, to, thick, colour) {
  const way = sub(to, from), size = length(way), radius = Math.min(thick, size / 15), head = 5 * radius;
  const neck = add(from, times(way, 1 - head / (size || 1)));
  pushLine(lines, from, neck, radius, radius, colour);
  pushLine(lines, neck, to, 2.6 * radius, -1, colour);
}

// a force as large as the weight of the model is 0.4 of its size long, a larger one at most twice that
function addContacts(lines, scene, motion, m, frame) {
  const unitSize = scene.unit, colour = m === 0 ? [0.90, 0.36, 0.0, 1] : [...rgb(series[m % series.length]), 0.7];
  for (let k = motion.first[frame.at]; k < motion.first[frame.at + 1]; k++) {
    const pos = [...motion.contact.subarray(6 * k, 6 * k + 3)], force = [...motion.contact.subarray(6 * k + 3, 6 * k + 6)];
    const size = length(force), long = Math.min(0.4 * size / (scene.data.weight || 1), 0.8) * unitSize;
    pushLine(lines, pos, pos, 0.008 * unitSize, 0.008 * unitSize, colour);
    if (long > 0.01 * unitSize) {
      addArrow(lines, pos, add(pos, times(unit(force), long)), 0.006 * unitSize, colour);
    }
  }
}

// the surface of pressure fields, from blue to orange at the largest pressure of the motion
function addSurface(faces, { first, begin, corner, pressure, most }, frame) {
  for (let f = first[frame.at]; f < first[frame.at + 1]; f++) {
    const colour = levelColour(pressure[f] / most);
    for (let k = begin[f] + 1; k + 1 < begin[f + 1]; k++) {
      for (const i of [begin[f], k, k + 1]) {
        faces.push(corner[3 * i], corner[3 * i + 1], corner[3 * i + 2], ...colour);
      }
    }
  }
}

function addFrames(lines, scene, poses) {
  const axes = [[0.84, 0.37, 0, 1], [0, 0.62, 0.45, 1], [0, 0.45, 0.70, 1]], long = 0.07 * scene.unit;
  for (const { pos, quat } of poses.slice(1)) {
    axes.forEach((colour, k) => {
      const axis = [0, 0, 0];
      axis[k] = long;
      pushLine(lines, pos, add(pos, rotate(quat, axis)), 0.04 * long, 0.04 * long, colour);
    });
  }
}

function collect(scene, time) {
  const { data, show } = scene, items = [], lines = [], faces = [], above = [];
  data.motions.forEach((motion, m) => {
    if (!scene.seen[m]) {
      return;
    }
    const frame = frameAt(motion, time), poses = posesAt(motion, frame, data.bodies.length);
    addItems(items, scene, scene.solids[m].filter((g) => show.hulls || g.group < hiddenGroup), poses, m);
    if (show.sites) {
      addItems(items, scene, scene.sites, poses, m);
    }
    if (show.tendons && motion.path) {
      addTendons(lines, scene, motion, m, frame);
    }
    if (show.contacts) {
      addContacts(above, scene, motion, m, frame);
      if (motion.surface) {
        addSurface(faces, motion.surface, frame);
      }
    }
    if (show.frames && m === 0) {
      addFrames(above, scene, poses);
    }
  });
  const ground = [];
  addItems(ground, scene, scene.planes, posesAt(data.motions[0], frameAt(data.motions[0], time), data.bodies.length), 0);
  above.push(...scene.marks);
  return { items, ground, lines, faces, above };
}

// false for what lies behind a side of the picture
function inView(matrix, item) {
  const row = (k) => [matrix[k], matrix[4 + k], matrix[8 + k], matrix[12 + k]], w = row(3);
  return [0, 1].every((k) => [1, -1].every((sign) => {
    const side = row(k).map((x, i) => w[i] + sign * x);
    return dot(side, item.pos) + side[3] >= -(item.reach || 0) * length(side);
  }));
}

// a plane that no geom's shadow leaves: n . x = d
function planeOf(item) {
  const n = rotate(item.quat, [0, 0, 1]);
  return n[2] > 0.5 ? [...n, dot(n, item.pos)] : null;
}

function drawGrounds(c, scene, lensNow, ground, look) {
  for (const item of ground) {
    const n = rotate(item.quat, [0, 0, 1]), below = dot(n, sub(lensNow.eye, item.pos)) < 0;
    const tint = item.look ? 1 : isGrey(item.colour) ? 0 : 0.25;
    const own = item.colour.slice(0, 3).map((x, k) => mix(look.ground[k], x, tint));
    const coloured = { ...item, colour: [...own, (below ? 0.3 : 1) * item.colour[3]] };
    drawGround(c, lensNow, coloured, { line: look.line, cell: 10 ** Math.round(Math.log10(scene.unit) - 0.5), reach: 25 * scene.box.size });
  }
}

function drawScene(c, scene, camera, time, look) {
  const lensNow = lens(camera, c.canvas.width / c.canvas.height), { items: all, ground, lines, faces, above } = collect(scene, time);
  const items = all.filter((i) => inView(lensNow.matrix, i));
  const opaque = items.filter((i) => i.colour[3] >= 0.99), glass = items.filter((i) => i.colour[3] < 0.99 && i.colour[3] > 0);
  const pixel = c.canvas.width / Math.max(c.canvas.clientWidth, 1), plane = ground.length > 0 ? planeOf(ground[0]) : null;
  clearCanvas(c, look.sky);
  drawSolids(c, lensNow, opaque);
  drawLines(c, lensNow, lines, 0.9 * pixel);
  drawGrounds(c, scene, lensNow, ground, look);
  if (plane && scene.show.shadows && dot(plane, lensNow.eye) > plane[3]) {
    drawShadows(c, lensNow, all.filter((i) => i.colour[3] >= 0.99 && !i.flat && i.reach < scene.box.size), plane);
  }
  drawGlass(c, lensNow, glass);
  c.gl.disable(c.gl.DEPTH_TEST);
  drawFaces(c, lensNow, faces);
  drawLines(c, lensNow, above, 1.5 * pixel);
}
