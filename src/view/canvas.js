// SPDX-License-Identifier: Apache-2.0
// Drawing with WebGL 2: lit shapes, the ground with shadows, lines of any width.

const turning = `vec3 turned(vec4 q, vec3 v) { return v + 2.0 * cross(q.yzw, cross(q.yzw, v) + q.x * v); }`;

// a shape at its pose; as a shadow it is moved along the light onto the ground n . x = d
const solidVertex = `#version 300 es
in vec3 vertex, normal;
uniform mat4 view;
uniform vec3 pos, size, light;
uniform vec4 quat, ground;
uniform float shadow;
out vec3 at, n, own, facing;
${turning}
void main() {
  own = vertex;
  facing = normal;
  at = turned(quat, vertex * size) + pos;
  n = turned(quat, normal / size);
  if (shadow > 0.0) at -= light * (dot(at, ground.xyz) - ground.w) / dot(light, ground.xyz);
  gl_Position = view * vec4(at, 1.0);
}`;

const solidFragment = `#version 300 es
precision highp float;
in vec3 at, n, own, facing;
uniform vec3 light, eye;
uniform vec4 colour;
uniform float shadow;
out vec4 result;
${textured}
void main() {
  vec3 to_eye = normalize(eye - at), normal = normalize(n);
  normal = dot(normal, to_eye) < 0.0 ? -normal : normal;
  float key = max(dot(normal, light), 0.0), sky = 0.5 + 0.5 * normal.z;
  float gleam = 0.16 * pow(max(dot(normal, normalize(light + to_eye)), 0.0), 40.0);
  vec3 paint = kind == 0 ? colour.rgb : colour.rgb * pictured(own, facing);
  vec3 lit = paint * (0.42 + 0.22 * sky + 0.42 * key) + gleam;
  result = vec4(mix(lit, colour.rgb, shadow), colour.a);
}`;

// a plane with lines of a grid, which fades out at a distance
const groundVertex = `#version 300 es
in vec3 vertex, normal;
uniform mat4 view;
uniform vec3 pos, size;
uniform vec4 quat;
out vec3 at, own;
out vec2 local;
${turning}
void main() {
  own = vertex;
  local = vertex.xy * size.xy;
  at = turned(quat, vec3(local, 0.0)) + pos;
  gl_Position = view * vec4(at, 1.0);
}`;

const groundFragment = `#version 300 es
precision highp float;
in vec3 at, own;
in vec2 local;
uniform vec3 eye;
uniform vec4 colour, line;
uniform float cell, reach;
out vec4 result;
${textured}
float lines(float width) {
  vec2 x = local / width, w = fwidth(x) * 1.2;
  vec2 g = 1.0 - smoothstep(vec2(0.0), w, abs(fract(x - 0.5) - 0.5));
  return max(g.x, g.y) * clamp(0.25 / max(w.x, w.y), 0.0, 1.0);
}
void main() {
  float grid = max(0.5 * lines(cell), lines(10.0 * cell));
  float fade = 1.0 - smoothstep(0.4 * reach, reach, length(at - eye));
  vec3 paint = kind == 0 ? mix(colour.rgb, line.rgb, line.a * grid) : colour.rgb * pictured(own, vec3(0.0, 0.0, 1.0));
  result = vec4(paint, colour.a * fade);
}`;

// a line with round ends, each end with its radius, at least `least` pixels wide
const lineVertex = `#version 300 es
in vec2 corner;
in vec3 from, to;
in vec2 radii;
in vec4 tint;
uniform mat4 view;
uniform vec2 screen;
uniform float focus, least;
out vec4 colour;
out vec2 along;
out float span, r0, r1;
void main() {
  vec4 a = view * vec4(from, 1.0), b = view * vec4(to, 1.0);
  vec2 pa = a.xy / a.w * screen, pb = b.xy / b.w * screen;
  r0 = radii.x < 0.0 ? 0.0 : max(radii.x * focus / a.w, least);
  r1 = radii.y < 0.0 ? 0.0 : max(radii.y * focus / b.w, least);
  span = distance(pa, pb);
  vec2 e = span > 1e-4 ? (pb - pa) / span : vec2(1.0, 0.0);
  float wide = max(r0, r1) + 1.0;
  vec2 p = corner.x < 0.5 ? pa - e * wide : pb + e * wide;
  p += vec2(-e.y, e.x) * (2.0 * corner.y - 1.0) * wide;
  along = vec2(dot(p - pa, e), dot(p - pa, vec2(-e.y, e.x)));
  vec4 c = corner.x < 0.5 ? a : b;
  gl_Position = a.w < 0.0 || b.w < 0.0 ? vec4(2.0, 2.0, 2.0, 1.0) : vec4(p / screen * c.w, c.z, c.w);
  colour = tint;
}`;

const lineFragment = `#version 300 es
precision highp float;
in vec4 colour;
in vec2 along;
in float span, r0, r1;
out vec4 result;
void main() {
  float s = clamp(along.x / max(span, 1e-4), 0.0, 1.0);
  float r = mix(r0, r1, s), off = length(vec2(along.x - s * span, along.y));
  float cover = clamp(r - off + 0.5, 0.0, 1.0);
  if (cover < 0.02) discard;
  float round_ = sqrt(max(1.0 - off * off / max(r * r, 1e-4), 0.0));
  result = vec4(colour.rgb * mix(0.72, 1.0, round_), colour.a * cover);
}`;

function compile(gl, vertex, fragment) {
  const program = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  ["vertex", "normal"].forEach((name, i) => gl.bindAttribLocation(program, i, name));
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) {
    throw new Error(gl.getProgramInfoLog(program) || "a program of WebGL does not link");
  }
  const place = {};
  for (let i = 0; i < gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); i++) {
    const { name } = gl.getActiveUniform(program, i);
    place[name] = gl.getUniformLocation(program, name);
  }
  return { program, place };
}

function buffer(gl, data) {
  gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
  gl.bufferData(gl.ARRAY_BUFFER, data instanceof Float32Array ? data : new Float32Array(data), gl.STATIC_DRAW);
}

// puts a shape of shapes.js on the graphics card
function upload(gl, s) {
  const array = gl.createVertexArray();
  gl.bindVertexArray(array);
  [s.vertex, s.normal].forEach((data, i) => {
    buffer(gl, data);
    gl.enableVertexAttribArray(i);
    gl.vertexAttribPointer(i, 3, gl.FLOAT, false, 0, 0);
  });
  if (s.index) {
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, new Uint32Array(s.index), gl.STATIC_DRAW);
  }
  gl.bindVertexArray(null);
  return { array, count: s.index ? s.index.length : s.vertex.length / 3, indexed: Boolean(s.index) };
}

function drawShape(gl, s) {
  gl.bindVertexArray(s.array);
  if (s.indexed) {
    gl.drawElements(gl.TRIANGLES, s.count, gl.UNSIGNED_INT, 0);
  } else {
    gl.drawArrays(gl.TRIANGLES, 0, s.count);
  }
}

const lineNumbers = 12;  // from, to, radii, colour
const lineCorners = [[0, 0], [1, 0], [0, 1], [0, 1], [1, 0], [1, 1]];

// a line comes once for each corner of its two triangles: drawing without a graphics card is slow for instances
function lineArray(gl, program) {
  const array = gl.createVertexArray(), data = gl.createBuffer(), stride = 4 * (2 + lineNumbers);
  gl.bindVertexArray(array);
  gl.bindBuffer(gl.ARRAY_BUFFER, data);
  [["corner", 2, 0], ["from", 3, 2], ["to", 3, 5], ["radii", 2, 8], ["tint", 4, 10]].forEach(([name, size, first]) => {
    const at = gl.getAttribLocation(program, name);
    gl.enableVertexAttribArray(at);
    gl.vertexAttribPointer(at, size, gl.FLOAT, false, stride, 4 * first);
  });
  gl.bindVertexArray(null);
  return { array, data };
}

function lineVertices(numbers) {
  const n = numbers.length / lineNumbers, wide = 2 + lineNumbers, all = new Float32Array(6 * n * wide);
  for (let i = 0; i < n; i++) {
    const line = numbers.slice(lineNumbers * i, lineNumbers * (i + 1));
    lineCorners.forEach((corner, k) => {
      all.set(corner, (6 * i + k) * wide);
      all.set(line, (6 * i + k) * wide + 2);
    });
  }
  return all;
}

// a machine that draws without a graphics card has no time for smooth edges
function isSlow() {
  const probe = document.createElement("canvas").getContext("webgl2"), names = probe && probe.getExtension("WEBGL_debug_renderer_info");
  return names && /swiftshader|llvmpipe|software/i.test(probe.getParameter(names.UNMASKED_RENDERER_WEBGL));
}

function openCanvas(canvas) {
  const gl = canvas.getContext("webgl2", { alpha: false, antialias: !isSlow(), stencil: true });
  if (!gl) {
    return null;
  }
  const solid = compile(gl, solidVertex, solidFragment), ground = compile(gl, groundVertex, groundFragment);
  const line = compile(gl, lineVertex, lineFragment);
  [solid, ground].forEach((program) => setUnits(gl, program));
  return { gl, canvas, solid, ground, line, lines: lineArray(gl, line.program) };
}

// the canvas has `share` of the pixels of the screen
function fitCanvas(c, share) {
  const scale = Math.min(window.devicePixelRatio || 1, 2) * share;
  const wide = Math.max(Math.round(c.canvas.clientWidth * scale), 1);
  const high = Math.max(Math.round(c.canvas.clientHeight * scale), 1);
  if (c.canvas.width !== wide || c.canvas.height !== high) {
    c.canvas.width = wide;
    c.canvas.height = high;
  }
  c.gl.viewport(0, 0, wide, high);
}

function begin(c, program, eye) {
  const { gl } = c;
  gl.useProgram(program.program);
  gl.uniformMatrix4fv(program.place.view, false, eye.matrix);
  gl.uniform3fv(program.place.eye, eye.eye);
}

function drawBodies(c, items, colourOf) {
  const { gl, solid: { place: at } } = c;
  for (const item of items) {
    gl.uniform3fv(at.pos, item.pos);
    gl.uniform4fv(at.quat, item.quat);
    gl.uniform3fv(at.size, item.size);
    if (colourOf) {
      gl.uniform4fv(at.colour, colourOf(item));
      useLook(gl, at, item.look);
    }
    drawShape(gl, item.shape);
  }
}

const lightDirection = unit([0.35, -0.45, 1]);

function drawSolids(c, eye, items) {
  const { gl, solid } = c;
  begin(c, solid, eye);
  gl.uniform1f(solid.place.shadow, 0);
  gl.uniform3fv(solid.place.light, lightDirection);
  drawBodies(c, items, (item) => item.colour);
}

// translucent ones: only their nearest surface is seen, so that the inside does not shine through
function drawGlass(c, eye, items) {
  const { gl } = c;
  gl.colorMask(false, false, false, false);
  drawSolids(c, eye, items);
  gl.colorMask(true, true, true, true);
  gl.depthFunc(gl.LEQUAL);
  drawSolids(c, eye, items);
}

// each point of the ground is darkened once, however many shapes are above it
function drawShadows(c, eye, items, plane) {
  const { gl, solid } = c;
  begin(c, solid, eye);
  gl.uniform1f(solid.place.shadow, 1);
  gl.uniform3fv(solid.place.light, lightDirection);
  gl.uniform4fv(solid.place.ground, plane);
  gl.uniform4fv(solid.place.colour, [0.04, 0.06, 0.09, 0.3]);
  useLook(gl, solid.place, null);
  gl.enable(gl.STENCIL_TEST);
  gl.stencilFunc(gl.EQUAL, 0, 255);
  gl.stencilOp(gl.KEEP, gl.KEEP, gl.INCR);
  gl.depthMask(false);
  gl.enable(gl.POLYGON_OFFSET_FILL);
  gl.polygonOffset(-2, -4);
  drawBodies(c, items, null);
  gl.disable(gl.POLYGON_OFFSET_FILL);
  gl.depthMask(true);
  gl.disable(gl.STENCIL_TEST);
}

function drawGround(c, eye, item, look) {
  const { gl, ground: { place: at } } = c;
  begin(c, c.ground, eye);
  gl.uniform3fv(at.pos, item.pos);
  gl.uniform4fv(at.quat, item.quat);
  gl.uniform3fv(at.size, item.size);
  gl.uniform4fv(at.colour, item.colour);
  gl.uniform4fv(at.line, look.line);
  gl.uniform1f(at.cell, look.cell);
  gl.uniform1f(at.reach, look.reach);
  useLook(gl, at, item.look);
  drawShape(gl, item.shape);
}

// `numbers`: twelve for each line, as in lineArray
function drawLines(c, eye, numbers, least) {
  const { gl, line, lines } = c;
  if (numbers.length === 0) {
    return;
  }
  begin(c, line, eye);
  gl.uniform2f(line.place.screen, c.canvas.width / 2, c.canvas.height / 2);
  gl.uniform1f(line.place.focus, eye.focus * c.canvas.height / 2);
  gl.uniform1f(line.place.least, least);
  gl.bindVertexArray(lines.array);
  gl.bindBuffer(gl.ARRAY_BUFFER, lines.data);
  gl.bufferData(gl.ARRAY_BUFFER, lineVertices(numbers), gl.DYNAMIC_DRAW);
  gl.drawArrays(gl.TRIANGLES, 0, 6 * numbers.length / lineNumbers);
}

function clearCanvas(c, colour) {
  const { gl } = c;
  gl.clearColor(...colour, 1);
  gl.clearStencil(0);
  gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);
  gl.enable(gl.DEPTH_TEST);
  gl.depthFunc(gl.LESS);
  gl.enable(gl.BLEND);
  gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
}
