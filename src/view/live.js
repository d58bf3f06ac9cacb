// SPDX-License-Identifier: Apache-2.0
// A page that simulates. It has what page.js asks of playback.js; the mouse pulls bodies, and arrows show the gradient.

const predictColour = [0.0, 0.62, 0.45, 1], pullColour = [0.80, 0.47, 0.65, 1];
const frameBudget = 14;  // ms of simulation in a frame at most
const predictShare = 4;  // a prediction is followed by so many times its own time without one

// tendons' levels become shares: activations are, lengths are seen within their range so far
function makeLevels(active) {
  const low = active.map(() => Infinity), high = active.map(() => -Infinity);
  return (levels) => Float64Array.from(levels, (x, i) => {
    low[i] = Math.min(low[i], x);
    high[i] = Math.max(high[i], x);
    return active[i] ? Math.min(Math.max(x, 0), 1) : high[i] > low[i] ? (x - low[i]) / (high[i] - low[i]) : 0;
  });
}

// puts what is drawn of the present state into the page's only motion
function makeFrame(simulator, data) {
  const motion = data.motions[0], shares = makeLevels(data.live.active);
  return () => {
    simulator.show();
    motion.pose = simulator.numbers("pose").slice();
    motion.contact = simulator.numbers("contact").slice();
    motion.first = [0, motion.contact.length / 6];
    if (motion.path) {
      motion.path = simulator.numbers("path").slice();
      motion.level = shares(simulator.numbers("level"));
    }
  };
}

// The derivative by a force on each body as an arrow. It is 0.4 of the model's size long where the force moves the coordinate as it
// would move the whole model in free flight, t^2 / 2m, and at most twice that; the path of the body that is predicted
function predictionMarks(simulator, data, scene, poses, seconds) {
  const lines = [], force = simulator.numbers("byForce"), ahead = simulator.numbers("ahead"), size = scene.unit;
  const free = seconds * seconds / (2 * data.live.mass);
  poses.forEach((pose, b) => {
    const { pos } = place(pose, data.live.centre.slice(3 * b, 3 * b + 3), [1, 0, 0, 0]);
    const by = [0, 1, 2].map((k) => force[6 * b + k]), long = 0.4 * size * Math.min(length(by) / free, 2);
    if (!data.still[b] && long > 0.01 * size) {
      addArrow(lines, pos, add(pos, times(unit(by), long)), 0.006 * size, predictColour);
    }
  });
  for (let k = 3; k < ahead.length; k += 3) {
    pushLine(lines, [...ahead.slice(k - 3, k)], [...ahead.slice(k, k + 3)], 0.004 * size, 0.004 * size, predictColour);
  }
  if (ahead.length > 0) {
    const end = [...ahead.slice(-3)];
    pushLine(lines, end, end, 0.02 * size, 0.02 * size, predictColour);
  }
  return lines;
}

function makePrediction(simulator, data, changed) {
  const { live } = data, aim = { body: live.body, axis: 2, steps: live.ahead, on: true };
  const p = { aim, made: false, cost: 0, last: -Infinity, steps: 0 };
  p.panel = addAim(data, aim, changed);
  p.parameters = [];
  p.ctrl = [];
  p.run = (now) => {
    if (!aim.on || now < p.last + predictShare * p.cost) {
      return;
    }
    if (p.steps !== aim.steps) {
      simulator.lookAhead(aim.steps);
      p.steps = aim.steps;
    }
    simulator.predict(aim.body, aim.axis);
    p.made = true;
    p.cost = performance.now() - now;
    p.last = performance.now();
  };
  p.addVelocities = () => {
    const group = addGroup(`Velocities (${live.velocities.length})`, live.velocities.length <= 12);
    p.velocities = live.velocities.map((name) => addSlope(group, name));
  };
  p.seconds = () => aim.steps * live.timestep;
  p.show = () => {
    const axis = "xyz"[aim.axis], seconds = p.seconds(), name = data.bodies[aim.body] || `body ${aim.body}`;
    const rows = [...p.ctrl, ...p.parameters];
    if (!aim.on || !p.made) {
      [...rows, ...p.velocities].forEach((row) => clearSlopes([row]));
      p.panel.show(seconds, "");
      return;
    }
    setSlopes(rows, [...simulator.numbers("byCtrl"), ...simulator.numbers("byParameter")], axis);
    setSlopes(p.velocities, simulator.numbers("byVelocity"), axis);
    p.panel.show(seconds, `the centre of mass of ${name} will be at ${axis} = ${simulator.numbers("ahead").at(aim.axis - 3).toFixed(3)} m`);
  };
  return p;
}

// what the mouse pulls: where it was taken hold of, in the body, and where it is drawn to
function makeHand(simulator, data, scene, camera, canvas, poses, grabbed) {
  const hand = { body: 0, local: null, to: null };
  const rayOf = (p) => {
    const { left, top, width, height } = canvas.getBoundingClientRect();
    return rayAt(camera, width / height, 2 * (p.x - left) / width - 1, 1 - 2 * (p.y - top) / height);
  };
  hand.hold = (p) => {
    const ray = rayOf(p), found = pick(ray, collect(scene, 0).items.filter((i) => i.colour[3] > 0));
    if (!found || data.still[found.item.body]) {
      return null;
    }
    const { body } = found.item, { pos, quat } = poses()[body];
    simulator.grab(body, found.point);
    Object.assign(hand, { body, to: found.point, local: rotate([quat[0], -quat[1], -quat[2], -quat[3]], sub(found.point, pos)) });
    grabbed(body);
    return {
      move: (at) => {
        if (hand.body) {
          hand.to = meetPlane(rayOf(at), found.point);
          simulator.move(hand.to);
        }
      },
      end: hand.letGo,
    };
  };
  hand.letGo = () => {
    simulator.letGo();
    hand.body = 0;
  };
  hand.marks = () => {
    if (!hand.body) {
      return [];
    }
    const { pos, quat } = poses()[hand.body], from = add(pos, rotate(quat, hand.local)), lines = [], size = scene.unit;
    pushLine(lines, from, hand.to, 0.006 * size, 0.006 * size, pullColour);
    pushLine(lines, hand.to, hand.to, 0.02 * size, 0.02 * size, pullColour);
    return lines;
  };
  return hand;
}

// a box about what happens in the first second
function firstSecond(simulator, data, frame) {
  const steps = Math.max(1, Math.round(0.05 / data.live.timestep)), poses = [], motion = data.motions[0];
  for (let k = 0; k < 20; k++) {
    frame();
    poses.push(...motion.pose);
    simulator.step(steps);
  }
  const whole = { ...motion, frames: 20, pose: poses };
  return boundsOf({ ...data, motions: [whole] }, 20);
}

// steps for so many seconds, as far as the time for a frame goes; what is left over is dropped
function makeClock(simulator, timestep) {
  const clock = { owed: 0, slow: false, pace: 0 };
  const chunk = Math.max(1, Math.round(0.002 / timestep));
  clock.advance = (seconds) => {
    const begin = performance.now();
    clock.owed += Math.min(seconds, 0.25);
    let n = Math.floor(clock.owed / timestep + 1e-9), used = 0, done = 0;
    for (; n > 0 && used < frameBudget; n -= chunk) {
      const now = Math.min(n, chunk);
      simulator.step(now);
      done += now;
      used = performance.now() - begin;
    }
    clock.slow = n > 0;
    clock.owed = clock.slow ? 0 : clock.owed - done * timestep;
    // simulated seconds in a second of computing
    clock.pace = done > 0 && used > 0 ? mix(clock.pace || done * timestep * 1000 / used, done * timestep * 1000 / used, 0.1) : clock.pace;
  };
  return clock;
}

// changed(): there is something to draw; stop(): the simulation cannot go on
async function makeLive(data, scene, camera, canvas, changed, stop) {
  const simulator = await openSimulator(data.live), frame = makeFrame(simulator, data), { live } = data;
  const clock = makeClock(simulator, live.timestep), player = { time: 0, moves: true, simulator, clock };
  const poses = () => posesAt(data.motions[0], { at: 0, next: 0, share: 0 }, data.bodies.length);
  const failed = (error) => {
    stop();
    fault(`The simulation stopped: ${error.message}. "again" begins anew.`);
  };
  // a failure ends in a sentence
  const trying = (action) => (...given) => {
    try {
      return action(...given);
    } catch (error) {
      return failed(error);
    }
  };
  const prediction = makePrediction(simulator, data, changed);
  prediction.ctrl = addSliders("Controls", live.ctrl, simulator.numbers("ctrl"), (i, value) => {
    simulator.numbers("ctrl")[i] = value;
    setRow(prediction.ctrl[i], value);
    changed();
  });
  prediction.parameters = addSliders("Parameters", live.parameters, simulator.numbers("parameter"), trying((i, value) => {
    simulator.numbers("parameter")[i] = value;
    try {
      simulator.setParameters();
    } finally {
      setRow(prediction.parameters[i], simulator.numbers("parameter")[i]);
      changed();
    }
  }));
  prediction.addVelocities();
  const hand = makeHand(simulator, data, scene, camera, canvas, poses, (body) => {
    prediction.aim.body = body;
    prediction.panel.body(body);
  });
  const begin = trying(() => {
    hand.letGo();
    const ctrl = simulator.numbers("ctrl").slice();
    simulator.reset();
    simulator.numbers("ctrl").set(ctrl);
    clock.owed = 0;
    byId("fault").hidden = true;
    frame();
    changed();
  });
  const first = trying(() => firstSecond(simulator, data, frame))() || scene.box;
  begin();
  const again = element("button", "again", byId("bar"));
  again.addEventListener("click", begin);
  byId("time").hidden = true;
  return Object.assign(player, {
    first: begin,
    last: () => {},
    seek: () => {},
    begin: () => {},
    step: trying((by) => {
      if (by > 0) {
        simulator.step(by);
        changed();
      }
    }),
    advance: trying((seconds) => {
      clock.advance(seconds);
      return true;
    }),
    redraw: () => {},
    // at first what happens soon; later where the bodies are
    box: () => (simulator.time() === live.start[0] ? first : { ...boundsOf(data, 1), size: first.size }),
    show: trying(() => {
      player.now = simulator.time();
      frame();
      prediction.run(performance.now());
      scene.marks = [...(prediction.aim.on && prediction.made ? predictionMarks(simulator, data, scene, poses(), prediction.seconds()) : []), ...hand.marks()];
      prediction.show();
      byId("clock").textContent = `${fixed(player.now)} s${clock.slow ? ", slower than asked" : ""}`;
    }),
    hold: trying(hand.hold),
  });
}
