// SPDX-License-Identifier: Apache-2.0
// The panel of a live page: sliders of controls and parameters, what is predicted, and a bar for each number of the gradient.

// name, number and slider; `step` "any" for real numbers
function addSlider(parent, { name, low, high }, step) {
  const line = element("label", "", parent), row = { input: document.createElement("input") };
  line.className = "slider";
  element("b", name, line);
  row.number = element("output", "", line);
  Object.assign(row.input, { type: "range", min: low, max: high, step });
  line.append(row.input);
  return row;
}

// a derivative as a bar about 0, and as a number
function addSlope(parent, name) {
  const line = element("div", "", parent), row = {};
  line.className = "slope";
  element("b", name, line);
  row.bar = element("i", "", element("span", "", line));
  row.slope = element("small", "", line);
  return row;
}

function addGroup(title, open) {
  const group = element("details", "", byId("plots"));
  group.open = open;
  group.className = "group";
  element("summary", title, group);
  return group;
}

// sliders of numbers; changed(i, value)
function addSliders(title, list, values, changed) {
  if (list.length === 0) {
    return [];
  }
  const group = addGroup(title, true);
  return list.map((entry, i) => {
    const row = { ...addSlider(group, entry, "any"), ...addSlope(group, ""), way: (entry.high - entry.low) / 10 };
    row.unit = /^[^|-][^|]*$/.test(entry.unit || "-") ? ` ${entry.unit}` : "";
    row.input.addEventListener("input", () => changed(i, Number(row.input.value)));
    setRow(row, values[i]);
    return row;
  });
}

function setRow(row, value) {
  row.input.value = value;
  row.number.textContent = short(value) + row.unit;
}

// bars of derivatives: as long as what a tenth of the slider's way does, or a tenth of a unit; the largest one is full
function setSlopes(rows, slopes, axis) {
  const effect = rows.map((row, i) => slopes[i] * (row.way || 0.1)), most = Math.max(...effect.map(Math.abs), 1e-300);
  rows.forEach((row, i) => {
    const share = effect[i] / most;
    row.bar.style.width = `${50 * Math.abs(share)}%`;
    row.bar.style.left = `${share < 0 ? 50 + 50 * share : 50}%`;
    row.bar.className = share < 0 ? "less" : "more";
    row.slope.textContent = `\u2202${axis} ${short(+slopes[i].toPrecision(3))}`;
  });
}

function clearSlopes(rows) {
  rows.forEach((row) => {
    row.bar.style.width = 0;
    row.slope.textContent = "";
  });
}

function addChoice(parent, label, texts, chosen, changed) {
  const box = element("label", label, parent), select = element("select", "", box);
  texts.forEach((text) => element("option", text, select));
  select.selectedIndex = chosen;
  select.addEventListener("change", () => changed(select.selectedIndex));
  return select;
}

// which coordinate of which body, and how far ahead; aim: { body, axis, steps, on }, changed()
function addAim(data, aim, changed) {
  const group = addGroup("Prediction", true), line = element("div", "", group);
  const moving = data.bodies.map((name, b) => b).filter((b) => !data.still[b]);
  line.className = "aim";
  addSwitch(line, "gradient of", () => aim.on, (on) => { aim.on = on; changed(); });
  const body = addChoice(line, "", moving.map((b) => data.bodies[b] || `body ${b}`), moving.indexOf(aim.body), (i) => { aim.body = moving[i]; changed(); });
  const axis = addChoice(line, "", ["x", "y", "z"], aim.axis, (i) => { aim.axis = i; changed(); });
  body.setAttribute("aria-label", "body");
  axis.setAttribute("aria-label", "coordinate");
  const row = addSlider(group, { name: "seconds ahead", low: 1, high: Math.max(2 * aim.steps, 10) }, 1);
  row.input.addEventListener("input", () => { aim.steps = Number(row.input.value); changed(); });
  const said = element("p", "", group);
  said.className = "said";
  return {
    body: (b) => { body.selectedIndex = moving.indexOf(b); },
    show: (seconds, text) => {
      row.input.value = aim.steps;
      row.number.textContent = `${short(seconds)} s`;
      said.textContent = text;
    },
  };
}
