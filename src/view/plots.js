// SPDX-License-Identifier: Apache-2.0
// Plots of named numbers over time, each with a mark at the time of the motion.

const pad = { left: 52, right: 8, top: 6, bottom: 18 };
const dashes = [[], [6, 4], [2, 3], [8, 3, 2, 3]];

// round numbers between two ends
function ticks(low, high, most) {
  const raw = (high - low) / most, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].find((k) => k * power >= raw) * power, list = [];
  for (let k = Math.ceil(low / step); k * step <= high + 1e-9 * step; k++) {
    list.push(k * step);
  }
  return list;
}

const short = (x) => (Math.abs(x) < 1e-12 ? "0" : Math.abs(x) >= 1e4 || Math.abs(x) < 1e-3 ? x.toExponential(1) : String(+x.toPrecision(4)));

function rangeOf(data, i) {
  let low = Infinity, high = -Infinity;
  for (const motion of data.motions) {
    for (const x of motion.plots[i]) {
      low = x < low ? x : low;
      high = x > high ? x : high;
    }
  }
  if (!(low <= high)) {
    return [0, 1];
  }
  const room = Math.max(0.05 * (high - low), 1e-6 * Math.abs(high), 1e-9);
  return [low - room, high + room];
}

// colour by motion where there is one number, otherwise by number
const plotColour = (columns, motion, column) => series[(columns > 1 ? column : motion) % series.length];

function drawAxes(context, wide, high, x, y, ends, range) {
  const style = getComputedStyle(document.documentElement);
  context.strokeStyle = style.getPropertyValue("--line");
  context.fillStyle = style.getPropertyValue("--soft");
  context.font = "11px system-ui, sans-serif";
  context.lineWidth = 1;
  context.beginPath();
  context.textAlign = "right";
  context.textBaseline = "middle";
  for (const v of ticks(...range, 4)) {
    context.moveTo(pad.left, y(v));
    context.lineTo(wide - pad.right, y(v));
    context.fillText(short(v), pad.left - 5, y(v));
  }
  context.textAlign = "center";
  context.textBaseline = "top";
  for (const t of ticks(0, ends, Math.max(2, wide / 90))) {
    context.moveTo(x(t), pad.top);
    context.lineTo(x(t), high - pad.bottom);
    context.fillText(short(t), x(t), high - pad.bottom + 4);
  }
  context.stroke();
}

function drawSeries(context, motion, values, columns, column, x, y) {
  let pen = false;
  context.beginPath();
  for (let f = 0; f < motion.frames; f++) {
    const v = values[f * columns + column];
    if (Number.isNaN(v)) {
      pen = false;
    } else if (pen) {
      context.lineTo(x(motion.time[f]), y(v));
    } else {
      context.moveTo(x(motion.time[f]), y(v));
      pen = true;
    }
  }
  context.stroke();
}

function drawPlot(plot) {
  const { canvas, data, i, end } = plot, wide = canvas.clientWidth, high = canvas.clientHeight;
  const scale = window.devicePixelRatio || 1, context = canvas.getContext("2d"), range = rangeOf(data, i);
  const columns = data.plots[i].columns.length;
  const x = (t) => pad.left + t / (end || 1) * (wide - pad.left - pad.right);
  const y = (v) => high - pad.bottom - (v - range[0]) / (range[1] - range[0]) * (high - pad.top - pad.bottom);
  canvas.width = wide * scale;
  canvas.height = high * scale;
  context.scale(scale, scale);
  drawAxes(context, wide, high, x, y, end || 1, range);
  data.motions.forEach((motion, m) => {
    for (let c = 0; c < columns; c++) {
      context.strokeStyle = plotColour(columns, m, c);
      context.setLineDash(columns > 1 ? dashes[m % dashes.length] : []);
      context.lineWidth = 1.8;
      drawSeries(context, motion, motion.plots[i], columns, c, x, y);
    }
  });
}

function element(name, text, parent) {
  const e = document.createElement(name);
  e.textContent = text;
  parent.append(e);
  return e;
}

function addKey(caption, text, colour) {
  const key = element("span", "", caption);
  key.className = "key";
  const mark = element("span", "", key);
  mark.className = "mark";
  mark.style.background = colour;
  key.append(text);
}

function makePlot(data, i, end, seek) {
  const { title, unit, meaning, columns } = data.plots[i];
  const figure = element("figure", "", document.getElementById("plots"));
  const caption = element("figcaption", "", figure), area = element("div", "", figure);
  element("b", unit === "-" ? title : `${title} [${unit.replaceAll("|", " or ")}]`, caption);
  if (columns.length > 1) {
    columns.forEach((text, c) => addKey(caption, text, plotColour(columns.length, 0, c)));
  }
  element("small", meaning, caption);
  area.className = "plot";
  const plot = { canvas: element("canvas", "", area), mark: element("i", "", area), data, i, end };
  plot.canvas.setAttribute("aria-label", `${title} over time`);
  const go = (e) => {
    const wide = area.clientWidth - pad.left - pad.right;
    seek(Math.min(Math.max((e.offsetX - pad.left) / wide, 0), 1) * end);
  };
  area.addEventListener("pointerdown", (e) => { area.setPointerCapture(e.pointerId); go(e); });
  area.addEventListener("pointermove", (e) => { if (e.buttons) { go(e); } });
  return plot;
}

function markPlot(plot, time) {
  const wide = plot.canvas.clientWidth - pad.left - pad.right;
  plot.mark.style.transform = `translateX(${pad.left + (plot.end ? time / plot.end : 0) * wide}px)`;
}
