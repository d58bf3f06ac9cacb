// SPDX-License-Identifier: Apache-2.0
// The core as WebAssembly: the functions of live.h, with errors as exceptions and arrays as views of its memory.

// the order is that of cr_live_part
const liveParts = ["start", "ctrl", "parameter", "qpos", "qvel", "pose", "path", "level", "contact", "energy", "ahead",
  "byVelocity", "byForce", "byCtrl", "byParameter"];

// undoes zlib
async function inflate(packed) {
  const stream = new Blob([bytesOf(packed)]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// wasi-libc names a few functions of a system; there is none
const noSystem = { wasi_snapshot_preview1: new Proxy({}, { get: () => () => 52 }) };

function copyIn(core, bytes) {
  const at = core.malloc(bytes.length + 1);
  const memory = new Uint8Array(core.memory.buffer, at, bytes.length + 1);
  memory.set(bytes);
  memory[bytes.length] = 0;
  return at;
}

function textAt(core, at) {
  const memory = new Uint8Array(core.memory.buffer);
  return new TextDecoder().decode(memory.slice(at, memory.indexOf(0, at)));
}

function openModel(core, handle, model, names, check) {
  const file = copyIn(core, model), words = copyIn(core, new TextEncoder().encode(names.join("\n")));
  check(core.live_open(handle, file, model.length, words));
  core.free(file);
  core.free(words);
}

// `live`: that member of the page's data. Views of numbers(part) end with the next call that computes
async function openSimulator(live) {
  const { instance: { exports: core } } = await WebAssembly.instantiate(await inflate(live.core), noSystem);
  core._initialize();
  const handle = core.live_create();
  const check = (status) => {
    if (status !== 0) {
      throw new Error(textAt(core, core.live_error(handle)));
    }
  };
  openModel(core, handle, await inflate(live.model), live.parameters.map((p) => p.name), check);
  const numbers = (part) => {
    const k = liveParts.indexOf(part), at = core.live_numbers(handle, k);
    return new Float64Array(core.memory.buffer, at, core.live_count(handle, k));
  };
  numbers("start").set(live.start);
  const simulator = {
    numbers,
    time: () => core.live_time(handle),
    reset: () => check(core.live_reset(handle)),
    step: (n) => check(core.live_step(handle, n)),
    show: () => check(core.live_show(handle)),
    setParameters: () => check(core.live_set_parameters(handle)),
    grab: (body, point) => check(core.live_grab(handle, body, ...point)),
    move: (point) => core.live_move(handle, ...point),
    letGo: () => core.live_let_go(handle),
    lookAhead: (steps) => check(core.live_look_ahead(handle, steps)),
    predict: (body, axis) => check(core.live_predict(handle, body, axis)),
  };
  simulator.reset();
  return simulator;
}
