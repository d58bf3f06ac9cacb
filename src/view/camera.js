// SPDX-License-Identifier: Apache-2.0
// A camera that turns about a target, by mouse, touch and wheel; z is up.

const fovy = Math.PI / 4;

function makeCamera() {
  return { target: [0, 0, 0], distance: 1, azimuth: 0.9, elevation: 0.35, size: 1 };
}

function eyeOf(camera) {
  const { azimuth, elevation, distance, target } = camera, c = Math.cos(elevation);
  return add(target, times([c * Math.cos(azimuth), c * Math.sin(azimuth), Math.sin(elevation)], distance));
}

// where the camera is, its matrix, and how large a unit is at distance 1, in half heights of the canvas
function lens(camera, aspect) {
  const eye = eyeOf(camera), far = 60 * Math.max(camera.size, camera.distance);
  const matrix = product(perspective(fovy, aspect, camera.distance / 100, far), lookAt(eye, camera.target));
  return { eye, matrix, focus: 1 / Math.tan(fovy / 2) };
}

// the whole of a box of which centre and size are known
function fitCamera(camera, box, aspect) {
  camera.target = box.centre;
  camera.size = box.size;
  camera.distance = 0.53 * box.size / Math.tan(fovy / 2) / Math.min(aspect, 1);
}

function aimCamera(camera, eye, target) {
  const to = sub(eye, target);
  camera.target = target;
  camera.distance = length(to);
  camera.elevation = Math.asin(to[2] / camera.distance);
  camera.azimuth = Math.atan2(to[1], to[0]);
}

function turnCamera(camera, dx, dy) {
  const limit = Math.PI / 2 - 0.01;
  camera.azimuth -= 5 * dx;
  camera.elevation = Math.min(Math.max(camera.elevation + 5 * dy, -limit), limit);
}

// by shares of the height of the canvas
function moveCamera(camera, dx, dy) {
  const z = unit(sub(eyeOf(camera), camera.target)), x = unit(cross([0, 0, 1], z)), y = cross(z, x);
  const reach = 2 * camera.distance * Math.tan(fovy / 2);
  camera.target = add(camera.target, add(times(x, -dx * reach), times(y, dy * reach)));
}

function zoomCamera(camera, factor) {
  camera.distance = Math.min(Math.max(camera.distance * factor, camera.size / 200), camera.size * 20);
}

const middle = (a, b) => ({ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, apart: Math.hypot(a.x - b.x, a.y - b.y) });

// two fingers move and zoom
function pinch(camera, before, now, high) {
  moveCamera(camera, (now.x - before.x) / high, (now.y - before.y) / high);
  if (before.apart > 0 && now.apart > 0) {
    zoomCamera(camera, before.apart / now.apart);
  }
}

// hold(point): null, or { move(point), end() } where the pointer takes hold of something instead of turning
function followPointers(canvas, camera, changed, reset, hold) {
  const down = new Map(), held = new Map(), point = (e) => ({ x: e.clientX, y: e.clientY });
  const pair = () => middle(...down.values());
  canvas.addEventListener("pointerdown", (e) => {
    canvas.setPointerCapture(e.pointerId);
    const grip = hold && e.button === 0 && !e.shiftKey && down.size === 0 ? hold(point(e)) : null;
    if (grip) {
      held.set(e.pointerId, grip);
    } else {
      down.set(e.pointerId, point(e));
    }
    changed();
  });
  canvas.addEventListener("pointermove", (e) => {
    const last = down.get(e.pointerId), high = canvas.clientHeight;
    if (held.has(e.pointerId)) {
      held.get(e.pointerId).move(point(e));
      changed();
    }
    if (!last) {
      return;
    }
    const before = down.size === 2 ? pair() : null, now = point(e);
    down.set(e.pointerId, now);
    const dx = (now.x - last.x) / high, dy = (now.y - last.y) / high;
    if (before) {
      pinch(camera, before, pair(), high);
    } else if (e.buttons & 6 || e.shiftKey) {
      moveCamera(camera, dx, dy);
    } else {
      turnCamera(camera, dx, dy);
    }
    changed();
  });
  ["pointerup", "pointercancel"].forEach((name) => canvas.addEventListener(name, (e) => {
    down.delete(e.pointerId);
    if (held.has(e.pointerId)) {
      held.get(e.pointerId).end();
      held.delete(e.pointerId);
      changed();
    }
  }));
  canvas.addEventListener("wheel", (e) => {
    e.preventDefault();
    zoomCamera(camera, Math.exp(0.0012 * e.deltaY * (e.deltaMode === 1 ? 20 : 1)));
    changed();
  }, { passive: false });
  canvas.addEventListener("contextmenu", (e) => e.preventDefault());
  canvas.addEventListener("dblclick", reset);
}
