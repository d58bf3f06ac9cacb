// SPDX-License-Identifier: Apache-2.0
// Playing a recording: the time line and the plots. What page.js asks of it, live.js has too.

const byId = (id) => document.getElementById(id);
const fixed = (x) => x.toFixed(x >= 100 ? 1 : 2);

// changed(): there is something to draw; stop(): the user has gone to a time
function makePlayback(data, changed, stop) {
  const end = Math.max(...data.motions.map((m) => m.end)), slider = byId("time");
  const player = { time: 0, box: (scene) => scene.box, moves: end > 0 };
  const seek = (time) => {
    player.time = Math.min(Math.max(time, 0), end);
    changed();
  };
  const plots = data.plots.map((p, i) => makePlot(data, i, end, seek));
  slider.max = end;
  slider.addEventListener("input", () => { stop(); seek(Number(slider.value)); });
  return Object.assign(player, {
    seek,
    first: () => seek(0),
    last: () => seek(end),
    begin: () => { player.time = player.time >= end ? 0 : player.time; },
    // frame by frame of the first motion
    step: (by) => {
      const motion = data.motions[0], { at } = frameAt(motion, player.time + 1e-9);
      seek(motion.time[Math.min(Math.max(at + by, 0), motion.frames - 1)]);
    },
    // false at the end
    advance: (seconds) => {
      seek(player.time + seconds);
      return player.time < end;
    },
    redraw: () => plots.forEach(drawPlot),
    show: () => {
      slider.value = player.time;
      byId("clock").innerHTML = `${fixed(player.time)}<span> / ${fixed(end)}</span> s`;
      plots.forEach((p) => markPlot(p, player.time));
    },
    hold: null,
  });
}
