// SPDX-License-Identifier: Apache-2.0
// Runs the simulation of a live page in Node, with the page's own script, and prints qpos after each step as JSON.
// Usage: live_steps.mjs PAGE.html SOURCE_FOLDER STEPS QVEL CTRL; QVEL and CTRL are numbers with commas, which may be empty
import { readFileSync } from "node:fs";

const [page, source, steps, qvel, ctrl] = process.argv.slice(2);
const script = ["motion", "simulator"].map((name) => readFileSync(`${source}/src/view/${name}.js`, "utf8")).join("");
const openSimulator = new Function(`${script}\nreturn openSimulator;`)();
const text = readFileSync(page, "utf8"), mark = 'id="carom-data">', begin = text.indexOf(mark) + mark.length;
const data = JSON.parse(text.slice(begin, text.indexOf("</script>", begin)));
const simulator = await openSimulator(data.live), numbers = (list) => list.split(",").filter((x) => x !== "").map(Number);
// time, qpos, qvel ...
simulator.numbers("start").set(numbers(qvel), 1 + simulator.numbers("qpos").length);
simulator.reset();
simulator.numbers("ctrl").set(numbers(ctrl));
const rows = [];
for (let k = 0; k < Number(steps); k++) {
  simulator.step(1);
  rows.push([...simulator.numbers("qpos")]);
}
console.log(JSON.stringify(rows));
