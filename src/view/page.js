// SPDX-License-Identifier: Apache-2.0
// The page: reads its data, draws while something moves, and answers mouse, touch and keys.

const looks = {
  light: { sky: [0.957, 0.965, 0.973], ground: [0.87, 0.89, 0.91], line: [0.55, 0.60, 0.66, 0.55] },
  dark: { sky: [0.082, 0.098, 0.118], ground: [0.16, 0.185, 0.21], line: [0.45, 0.50, 0.56, 0.45] },
};
const speeds = [0.05, 0.1, 0.25, 0.5, 1, 2, 4];

const state = {
  playing: false, speed: 1, theme: "light", stale: true, share: 1, last: 0, rate: 0, drawn: 0, counted: 0,
  get time() { return player.now ?? player.time; },
};
let data, scene, canvas, camera, player;

const changed = () => { state.stale = true; };

function setTheme(theme) {
  state.theme = theme;
  document.documentElement.dataset.theme = theme;
  player.redraw();
  changed();
}

function setPlaying(playing) {
  if (playing) {
    player.begin();
  }
  state.playing = playing && player.moves;
  state.last = performance.now();
  state.drawn = 0;
  byId("play").innerHTML = state.playing ? "&#10074;&#10074;" : "&#9654;";
  changed();
}

function reset() {
  fitCamera(camera, player.box(scene), canvas.canvas.clientWidth / canvas.canvas.clientHeight);
  changed();
}

function step(by) {
  setPlaying(false);
  player.step(by);
}

function changeSpeed(by) {
  const select = byId("speed");
  select.selectedIndex = Math.min(Math.max(select.selectedIndex + by, 0), speeds.length - 1);
  state.speed = speeds[select.selectedIndex];
}

const keys = {
  " ": () => setPlaying(!state.playing), ArrowLeft: () => step(-1), ArrowRight: () => step(1), Home: () => player.first(),
  End: () => player.last(), "+": () => changeSpeed(1), "=": () => changeSpeed(1), "-": () => changeSpeed(-1), f: reset,
};

function onKey(e) {
  const action = keys[e.key];
  if (action && !e.ctrlKey && !e.metaKey && !e.altKey && e.target.tagName !== "SELECT" && e.target.type !== "checkbox") {
    e.preventDefault();
    action();
  }
}

function addSwitch(parent, text, get, set) {
  const label = element("label", "", parent), box = document.createElement("input");
  box.type = "checkbox";
  box.checked = get();
  box.addEventListener("change", () => { set(box.checked); changed(); });
  label.append(box, text);
  return label;
}

function makePanel() {
  const panel = byId("panel"), { show } = scene, has = {
    hulls: data.geoms.some((g) => g.group >= hiddenGroup), sites: data.sites.length > 0, tendons: data.tendons.length > 0,
    contacts: data.motions.some((m) => m.contact.length > 0 || m.surface), frames: true, shadows: scene.planes.length > 0,
  };
  const names = {
    hulls: "collision shapes", sites: "sites", tendons: "tendons", contacts: "contacts and forces", frames: "body frames", shadows: "shadows",
  };
  Object.keys(names).filter((k) => has[k]).forEach((k) => addSwitch(panel, names[k], () => show[k], (on) => { show[k] = on; }));
  const view = element("button", "whole scene (f)", panel), theme = element("button", "light or dark", panel);
  view.addEventListener("click", reset);
  theme.addEventListener("click", () => setTheme(state.theme === "dark" ? "light" : "dark"));
  panel.open = window.innerWidth > 720;
}

function makeLegend() {
  const list = byId("legend"), many = data.motions.length > 1;
  document.title = `${data.model}: carom view`;
  document.querySelector("#title h1").textContent = data.model;
  data.motions.filter((m) => m.name !== "").forEach((motion, m) => {
    const item = element("li", many ? "" : motion.name, list);
    if (many) {
      const label = addSwitch(item, motion.name, () => scene.seen[m], (on) => { scene.seen[m] = on; });
      const mark = element("span", "", item);
      mark.className = "mark";
      mark.style.background = series[m % series.length];
      item.prepend(mark);
      label.style.opacity = 1;
    }
  });
}

function makeBar() {
  const select = byId("speed");
  byId("bar").hidden = !player.moves;
  byId("play").addEventListener("click", () => setPlaying(!state.playing));
  speeds.forEach((s) => element("option", `${s}x`, select));
  select.selectedIndex = speeds.indexOf(1);
  select.addEventListener("change", () => { state.speed = speeds[select.selectedIndex]; });
}

// fewer pixels and no shadows where the machine is too slow for 30 frames a second
function adapt(now) {
  const seconds = (now - state.counted) / 1000;
  if (state.drawn === 0) {
    state.counted = now;
  } else if (seconds > 0.7) {
    state.rate = state.drawn / seconds;
    document.documentElement.dataset.rate = state.rate.toFixed(1);
    if (state.rate < 33) {
      scene.show.shadows = scene.show.shadows && state.share > 0.7;
      state.share = Math.max(state.share * 0.75, 0.4);
    }
    state.drawn = 0;
    state.counted = now;
  }
  state.drawn += 1;
}

function advance(now) {
  const seconds = (now - state.last) / 1000;
  state.last = now;
  if (state.playing && seconds > 0) {
    adapt(now);
    if (!player.advance(seconds * state.speed)) {
      setPlaying(false);
    }
    changed();
  }
}

const draw = () => drawScene(canvas, scene, camera, player.time, looks[state.theme]);

function tick(now) {
  advance(now);
  if (state.stale) {
    state.stale = false;
    fitCanvas(canvas, state.share);
    player.show();
    draw();
  }
  requestAnimationFrame(tick);
}

// #time=0.5&camera=x,y,z,to_x,to_y,to_z&theme=dark&panel=closed&forces=off&play: a view that can be linked to. A page inside
// another one has no address; it has the same text as data-look of its root element
function readAddress() {
  const look = location.hash.slice(1) || document.documentElement.dataset.look || "";
  const asked = new URLSearchParams(look), numbers = (asked.get("camera") || "").split(",").map(Number);
  if (numbers.length === 6 && numbers.every(Number.isFinite)) {
    aimCamera(camera, numbers.slice(0, 3), numbers.slice(3));
  }
  if (asked.has("time")) {
    player.seek(Number(asked.get("time")) || 0);
  }
  if (asked.has("panel")) {
    byId("panel").open = asked.get("panel") === "open";
  }
  scene.show.contacts = asked.get("forces") !== "off";
  const dark = window.matchMedia("(prefers-color-scheme: dark)").matches;
  setTheme(asked.get("theme") || (dark ? "dark" : "light"));
  const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  setPlaying(asked.has("play") || (!asked.has("time") && !still));
}

function fault(text) {
  byId("fault").textContent = text;
  byId("fault").hidden = false;
}

async function start() {
  data = readData(JSON.parse(byId("carom-data").textContent), isSlow());
  canvas = openCanvas(document.querySelector("canvas"));
  if (!canvas) {
    fault("This browser has no WebGL 2, which the scene needs.");
    return;
  }
  scene = makeScene(canvas, data, await Promise.all(data.textures.map(readPicture)));
  camera = makeCamera();
  const stop = () => setPlaying(false);
  player = data.live ? await makeLive(data, scene, camera, canvas.canvas, changed, stop) : makePlayback(data, changed, stop);
  makePanel();
  makeLegend();
  makeBar();
  followPointers(canvas.canvas, camera, changed, reset, player.hold);
  window.addEventListener("keydown", onKey);
  new ResizeObserver(() => { player.redraw(); changed(); }).observe(document.body);
  reset();
  readAddress();
  window.addEventListener("hashchange", readAddress);
  window.carom = { state, camera, scene, player, draw };
  requestAnimationFrame(tick);
}

start().catch((error) => fault(`The page cannot begin: ${error.message}`));
